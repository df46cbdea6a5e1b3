"""New Derby databases made from damaged ones: rules for all new stores, repairs, choices, scripts."""

from __future__ import annotations

import itertools
import shutil
import struct
import zlib
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from newstore.derby_log import contents_of, live

from derby_damage import Trial, opened, put
from journalspec.derby_log import LAYOUT
from journalspec.derby_log.operations import body
from journalspec.layout import joined
from journalspec_reference.answers import Answer
from journalspec_reference.derby_log import sql
from journalspec_reference.derby_log import store as replaying
from journalspec_reference.derby_log.bodies import decode
from journalspec_reference.derby_log.codec import Instant, control
from journalspec_reference.derby_log.contents import DerbyContents
from journalspec_reference.derby_log.contents.catalog import SqlTable
from journalspec_reference.derby_log.contents.values import Typed
from journalspec_reference.derby_log.fileset import gather
from journalspec_reference.derby_log.newstore import Database, OnlyRows
from journalspec_reference.derby_log.scan import scan
from journalspec_reference.derby_log.sql import Script, contained, in_order
from journalspec_reference.newstore import CannotRebuild, ChoiceRefused, StoreChoices, new_store
from tables import literals
from unpacked import unpacked
from work import LINEAR, Task, growth

TABLES = literals(__file__)

DATA = Path(__file__).resolve().parent / "data"
CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured" / "derby_log"
#: The beginning of the unpacked database's log, its checkpoint, its end, and the branch in doubt.
FIRST, CHECKPOINT, END, BRANCH = (2, 238), (3, 943), (3, 2276), "0907"
#: The numbers of rows in the database's tables, as Derby reports them.
ROWS = {"APP.T": 124, "APP.U": 6, "APP.W": 15}


@pytest.fixture(name="base", scope="module")
def kept_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of Derby 10.8 as a crash left it: a transaction in doubt, an open one, two log files."""
    return unpacked(DATA / "derby_database.tar.xz", tmp_path_factory.mktemp("base"))


@pytest.fixture(name="old")
def copied_database(base: Path, tmp_path: Path) -> Path:
    shutil.copytree(base, tmp_path / "old")
    return tmp_path / "old"


@pytest.fixture(name="log")
def copied_log(base: Path, tmp_path: Path) -> Path:
    """The log of the database, without the database."""
    shutil.copytree(base / "log", tmp_path / "log")
    return tmp_path / "log"


def made(old: Path, new: Path, choices: StoreChoices | None = None) -> tuple[Answer, Database | OnlyRows]:
    """Make the new store of an old one, and check the rules for every new store."""
    answer = opened(old)
    store = new_store(answer, choices or StoreChoices())
    assert isinstance(store, Database | OnlyRows)
    put(store, new)
    if isinstance(store, Database) and choices is None:
        again = opened(new, "strict")
        assert (again.observation.verdict, again.observation.message) == ("clean", "")
        assert live(again) == live(answer)
        # The answer about a refused journal contains no state; contents may contain one nevertheless.
        refused = answer.observation.verdict == "refused"
        assert answer.observation.state == (None if refused else again.observation.state)
    return answer, store


def edit(path: Path, off: int, data: bytes) -> None:
    old = path.read_bytes()
    path.write_bytes(old[:off] + data + old[off + len(data) :])


def checkpoint_of(directory: Path) -> Instant | None:
    one, other = ((directory / name).read_bytes() for name in ("log.ctrl", "logmirror.ctrl"))
    assert one == other
    return control(one).checkpoint


# Rules for every new store: it reads clean, and has the rows of the old store.


def test_new_store_of_a_damaged_database_is_clean_and_has_the_same_rows(base: Path, tmp_path: Path) -> None:
    forms: Counter[str] = Counter()
    for seed in range(20):
        trial = Trial(base, seed, tmp_path / str(seed))
        trial.prepare()
        assert not trial.problems, (seed, trial.what, trial.problems)
        forms[trial.form] += 1
        shutil.rmtree(trial.place)
    assert forms["database"] > 6
    assert forms["rows"] > 2
    assert forms.total() == forms["database"] + forms["rows"]


def test_bulk_redo_equals_redo_of_single_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows, faults, and the results for pages and transactions are the same with and without columns."""
    bases = [unpacked(path, tmp_path / path.name) for path in sorted(DATA.glob("derby_*.tar.*"))]
    for base, seed in itertools.product(bases, range(12)):
        place, found, random = tmp_path / str(seed), list[Any](), Random(seed)
        shutil.copytree(base, place)
        for path in random.sample(sorted(place.glob("seg0/*.dat")), 3 if seed else 0):
            edit(path, random.randrange(path.stat().st_size), random.randbytes(1))
        answer = opened(place)
        for many in (1 << 30, 1):
            monkeypatch.setattr(replaying, "MANY", many)
            contents = DerbyContents(answer)
            store = contents.state.store
            versions = {where: page.version for where, page in store.pages.items()} if store else {}
            rows = {title: [*contents.rows(title)] for title in contents.sql}
            found.append((rows, contents.remarks.kept, versions, store and (store.transactions, store.next)))
        assert found[0] == found[1]
        shutil.rmtree(place)


@pytest.mark.parametrize("product", ["derby-10.1.3.1", "derby-10.16.1.1"])
def test_new_store_of_a_log_alone_is_clean_and_has_the_same_rows(product: str, tmp_path: Path) -> None:
    """Captured logs: unchanged, with zeros at the end, and with a bad mirror."""
    count = 0
    for place in sorted(path.parent for path in (CAPTURED / product).glob("*/log1.dat"))[::2]:
        for damage in ("sound", "zeros", "control"):
            log, new = tmp_path / damage / place.name, tmp_path / damage / f"{place.name}.new"
            shutil.copytree(place, log, ignore=shutil.ignore_patterns("expected.json", "provenance.toml"))
            if damage == "zeros":
                last = max(log.glob("log*.dat"), key=lambda path: int(path.stem[3:]))
                edit(last, max(24, len(last.read_bytes().rstrip(b"\0")) - 150), bytes(150))
            elif damage == "control":
                edit(log / "log.ctrl", 20, b"\xff")
            if any(note.code == "newer-page" for note in opened(log).observation.notes):
                assert damage == "zeros"
                with pytest.raises(CannotRebuild, match="the log does not explain"):
                    made(log, new)
                continue
            made(log, new)
            count += 1
            assert {path.name for path in new.glob("seg0*")} == {path.name for path in log.glob("seg0.*")}
    assert count > 15


# Repairs of single files.


def test_undamaged_database_is_unchanged_except_after_its_log(old: Path, tmp_path: Path) -> None:
    (old / "jar" / "APP").mkdir(parents=True)
    (old / "jar" / "APP" / "own.jar").write_bytes(b"PK")
    (old / "tmp").mkdir()
    (old / "tmp" / "T1.tmp").write_bytes(b"x")
    (old / "db.lck").write_bytes(b"x")
    _, store = made(old, tmp_path / "new")
    assert isinstance(store, Database)
    before, after = (
        {path.relative_to(each).as_posix(): path.read_bytes() for path in each.rglob("*") if path.is_file()}
        for each in (old, tmp_path / "new")
    )
    gone = {"tmp/T1.tmp", "db.lck"}
    assert before.keys() - after.keys() == gone
    assert [*store.left_out()] == []
    assert after == {name: data for name, data in before.items() if name not in gone} | {
        "log/log3.dat": before["log/log3.dat"][: END[1]]
    }
    assert [*store.unverified()] == []
    assert [*store.chosen()] == []
    assert {count.name: count.rows for count in store.carried()} == ROWS
    assert store.opaque  # No byte has changed, so the new store is not read again.
    # The new store has the same bytes each time.
    assert [b"".join(file.parts) for file in store.files()] == [
        b"".join(file.parts) for file in store.files()
    ]


@pytest.mark.parametrize(
    ("size", "files"), [(0, [2, 3]), (15, [2, 3]), (23, [2, 3]), (24, [2, 3, 4]), (512, [2, 3, 4])]
)
def test_too_short_next_log_file_is_removed(size: int, files: list[int], old: Path, tmp_path: Path) -> None:
    """Derby fails on a next file that is shorter than a header.

    A file with other values is not part of the log.
    """
    edit(old / "log" / "log3.dat", END[1], bytes(4))
    head = struct.pack(">iiqq", 128, 9, 4, Instant(*END).packed)
    (old / "log" / "log4.dat").write_bytes((head + bytes(488))[:size])
    _, store = made(old, tmp_path / "new")
    assert sorted(int(path.stem[3:]) for path in (tmp_path / "new" / "log").glob("log*.dat")) == files
    if size < 24:
        assert (tmp_path / "new" / "log" / "log3.dat").stat().st_size == END[1]
        assert [(item.file, item.code) for item in store.left_out()] == [("log4.dat", "after-the-log")]


def test_torn_end_is_removed_and_its_changes_are_counted(old: Path, tmp_path: Path) -> None:
    path = old / "log" / "log3.dat"
    data = path.read_bytes()
    edit(path, END[1] - 20, bytes([data[END[1] - 20] ^ 1]))
    _, store = made(old, tmp_path / "new")
    (cut,) = (tmp_path / "new" / "log").glob("log3.dat")
    assert data.startswith(cut.read_bytes())
    items = [*store.left_out()]
    assert {item.code for item in items} == {"behind-the-end", "rolled-back"}
    # Transactions that have changed nothing are not listed.
    assert [item.id for item in items if item.code == "rolled-back"] == ["232"]
    assert {item.queue for item in items if item.code == "behind-the-end"} & {"APP.T", "APP.U", "APP.W"}


@pytest.mark.parametrize(("name", "other"), [("log.ctrl", "logmirror.ctrl"), ("logmirror.ctrl", "log.ctrl")])
def test_control_file_is_created_from_the_other_one(name: str, other: str, old: Path, tmp_path: Path) -> None:
    (old / "log" / name).write_bytes(bytes(39))
    made(old, tmp_path / "new")
    assert (tmp_path / "new" / "log" / name).read_bytes() == (old / "log" / other).read_bytes()


def test_control_files_are_created_from_the_log(old: Path, tmp_path: Path) -> None:
    """The control files receive the lowest possible level, so that older and newer products open them."""
    for name in ("log.ctrl", "logmirror.ctrl"):
        (old / "log" / name).unlink()
    answer = opened(old)
    put(new_store(answer, StoreChoices()), tmp_path / "new")
    again = opened(tmp_path / "new", "strict")
    assert again.observation.verdict == "clean"
    assert live(again) == live(answer)
    found = control((tmp_path / "new" / "log" / "log.ctrl").read_bytes())
    assert found == (Instant(*CHECKPOINT), 10, 1, 0, 0)


def test_log_with_a_lost_checkpoint_gets_a_new_one(log: Path, tmp_path: Path) -> None:
    edit(log / "log2.dat", 60_000, bytes(600))
    made(log, tmp_path / "new")
    assert not (tmp_path / "new" / "log3.dat").exists()
    found = checkpoint_of(tmp_path / "new")
    data = (tmp_path / "new" / "log2.dat").read_bytes()
    assert found is not None
    length = int.from_bytes(data[found.position : found.position + 4], "big")
    told = decode(data[found.position + 12 : found.position + 12 + length])
    assert (told.operation.name, told.fields["undo_from"]) == ("CHECKPOINT", Instant(*FIRST).packed)
    # The lost checkpoint had written the pages up to (3, 870), so nothing of this log is redone. The bytes
    # after that end are new.
    added = Instant(2, found.position - 37 - 36)
    assert Instant.unpack(told.fields["redo_from"]) == added
    assert data[: added.position] == (log / "log2.dat").read_bytes()[: added.position]


@pytest.mark.parametrize(
    ("damage", "codes"),
    [
        ("first", {"bad-header"}),
        ("next", {"bad-header"}),
        ("checkpoint", {"lost-checkpoint"}),
        ("page", {"remade-page"}),
        ("cut", set[str]()),
        ("spare", set[str]()),
    ],
)
def test_dispensable_parts_of_the_log_are_rewritten(
    damage: str, codes: set[str], old: Path, tmp_path: Path
) -> None:
    """Damage: headers of log files, an older checkpoint, torn writes of pages that the log makes."""
    sound = {count.name: count.rows for count in contents_of(opened(old)).counts()}
    container = old / "seg0" / "c470.dat"
    if damage in ("page", "cut"):
        # An older checkpoint: from there on the log makes pages 4 to 6.
        for name in ("log.ctrl", "logmirror.ctrl"):
            fields = control((old / "log" / name).read_bytes())._asdict()
            older = {**fields, "checkpoint": Instant(2, 42_309).packed}
            (old / "log" / name).write_bytes(LAYOUT.build("control", "10.8", **older))
    size = struct.unpack_from(">i", container.read_bytes(), 117)[0]
    if damage == "page":
        edit(container, 5 * size + size // 2, bytes(size // 2))
    elif damage == "cut":
        container.write_bytes(container.read_bytes()[: 5 * size + 512])
    elif damage == "spare":
        # A preallocated page that was never used: a crash left only a part of the page.
        container.write_bytes(container.read_bytes() + bytes(512) + b"\1" * (size - 512))
    elif damage == "checkpoint":
        edit(old / "log" / "log3.dat", CHECKPOINT[1] + 20, b"\xff")
    else:
        edit(old / "log" / ("log2.dat" if damage == "first" else "log3.dat"), 0, b"\xff" * 24)
    answer, store = made(old, tmp_path / "new")
    assert isinstance(store, Database), store.steps()
    doubtful = [item for item in store.unverified() if item.code != "made-anew"]
    assert {item.code for item in doubtful} == codes
    assert {remark.code for remark in contents_of(answer).remarks.kept} >= codes
    carried = {count.name: count.rows for count in store.carried()}
    # After the lost checkpoint the log has only records of transactions without an end.
    assert carried == sound
    again = opened(tmp_path / "new")
    assert again.observation.verdict == "clean"
    assert not {remark.code for remark in contents_of(again).remarks.kept} & codes
    if damage in ("page", "cut"):
        data = (tmp_path / "new" / "seg0" / "c470.dat").read_bytes()
        assert data[5 * size : 6 * size] == (bytes(size) if damage == "page" else b"")
    if damage == "next":
        link = {"number": 3, "previous": Instant(2, 100_853).packed}
        header = (tmp_path / "new" / "log" / "log3.dat").read_bytes()[:24]
        assert header == LAYOUT.build("header", "10.8", **link)


def record(number: int, at: int, data: bytes) -> bytes:
    length = len(data).to_bytes(4, "big")
    return length + Instant(number, at).packed.to_bytes(8, "big") + data + length


def group(number: int, at: int, *bodies: bytes) -> bytes:
    """Return records, after the checksum record that covers them."""
    data = b""
    for each in bodies:
        data += record(number, at + 37 + len(data), each)
    told = {"algorithm": 1, "data_length": len(data), "checksum": zlib.crc32(data)}
    sums = joined(body({"operation": "CHECKSUM", "group": 0x900, "transaction": None, **told}))
    return record(number, at, sums) + data


def begin(transaction: int) -> bytes:
    return joined(body({"operation": "BEGIN", "group": 0x101, "transaction": transaction}))


def end(transaction: int) -> bytes:
    return joined(body({"operation": "END", "group": 0x112, "transaction": transaction, "status": 4}))


def test_log_does_not_begin_at_the_end_of_a_file(tmp_path: Path) -> None:
    """Derby treats a log that begins at the end of a file as empty, and removes it."""
    log = tmp_path / "log"
    log.mkdir()
    first = LAYOUT.build("header", "10.8", number=1, previous=0) + group(1, 24, begin(1), end(1))
    stop = Instant(1, len(first)).packed
    where = {"redo_from": stop, "undo_from": stop, "has_table": 1, "table": {"entries": ()}}
    checkpoint = joined(body({"operation": "CHECKPOINT", "group": 0x100, "transaction": 2, **where}))
    second = LAYOUT.build("header", "10.8", number=2, previous=stop)
    at = Instant(2, 24 + 37 + len(record(2, 0, begin(2)))).packed
    second += group(2, 24, begin(2), checkpoint, end(2))
    said = {"checkpoint": at, "major": 10, "minor": 8, "build": 1, "flags": 0}
    (log / "log.ctrl").write_bytes(LAYOUT.build("control", "10.8", **said))
    (log / "log1.dat").write_bytes(first + bytes(4))
    (log / "log2.dat").write_bytes(second)
    _, store = made(log, tmp_path / "new")
    assert [(item.file, item.code) for item in store.left_out()] == [("log1.dat", "before-the-log")]
    data = (tmp_path / "new" / "log2.dat").read_bytes()
    assert data.startswith(second)
    found = checkpoint_of(tmp_path / "new")
    assert found is not None
    assert found.position > len(second)


def test_truncated_group_gets_a_new_checksum(log: Path, tmp_path: Path) -> None:
    """A record in the middle is invalid although its checksum is right; the remaining records need a new
    checksum.
    """
    path = log / "log3.dat"
    data = path.read_bytes()
    (batch,) = scan(gather({"log3.dat": data})[3].source, 3)
    row, covers = next(each for each in reversed(batch.more["sums"]) if each[1] > 200)
    off, start = batch.base + batch.off[row], batch.base + batch.end[row]
    inside = [batch.base + each for each in batch.off if start <= batch.base + each < start + covers]
    wrong = bytearray(data[start : start + covers])
    wrong[inside[-1] + 4 - start : inside[-1] + 12 - start] = bytes(8)
    edit(path, start, bytes(wrong))
    edit(path, off + 12 + 9 + 4, zlib.crc32(wrong).to_bytes(8, "big"))
    made(log, tmp_path / "new")
    assert len((tmp_path / "new" / "log3.dat").read_bytes()) == inside[-1]


def test_older_databases_get_right_links(tmp_path: Path) -> None:
    """Up to level 10.1, a reader ignores the header field about the previous file.

    Newer products compare it.
    """
    log = tmp_path / "log"
    shutil.copytree(
        CAPTURED / "derby-10.1.3.1" / "switched", log, ignore=shutil.ignore_patterns("*.json", "*.toml")
    )
    edit(log / "log2.dat", 16, bytes(8))
    made(log, tmp_path / "new")
    names = ("log1.dat", "log2.dat")
    first, second = ((tmp_path / "new" / name).read_bytes() for name in names)
    assert second[16:24] == Instant(1, len(first) - 4).packed.to_bytes(8, "big")


def test_service_properties_are_rebuilt(old: Path, tmp_path: Path) -> None:
    path = old / "service.properties"
    text = path.read_text()
    path.write_text(f"logDevice=/elsewhere\n{text}")
    _, store = made(old, tmp_path / "device")
    assert (tmp_path / "device" / "service.properties").read_text() == text
    assert [item.text for item in store.unverified()] == [
        "logDevice=/elsewhere: left out, the log is in the new directory"
    ]
    path.write_text(text[: text.index("SystablesIdentifier=")])
    made(old, tmp_path / "cut")
    path.unlink()
    _, store = made(old, tmp_path / "without")
    assert [item.code for item in store.unverified()] == ["made-anew"]
    for name in ("cut", "without"):
        lines = (tmp_path / name / "service.properties").read_text().splitlines()
        assert {line for line in lines if line[0] != "#"} == {
            line for line in text.splitlines() if line[0] != "#"
        }


def test_property_that_is_not_text_is_omitted_and_reported(old: Path, tmp_path: Path) -> None:
    """Properties that all databases have receive their usual value. A tab is not damage."""
    path = old / "service.properties"
    text = path.read_text()
    path.write_text(text.replace("SystablesIdentifier=96", "SystablesIdentifier=9\x016") + "x=1\ty\n")
    _, store = made(old, tmp_path / "new")
    lines = (tmp_path / "new" / "service.properties").read_text().splitlines()
    assert sorted(lines) == sorted([*text.splitlines(), "x=1\ty"])
    assert {(item.file, item.code) for item in store.unverified()} == {("service.properties", "made-anew")}
    assert [item.text for item in store.unverified()] == [
        "a line that is no text is left out",
        "1 properties were missing and have the values that all databases have",
    ]


# Choices.


@pytest.mark.parametrize("name", [BRANCH, f"{BRANCH}:62", "193"])
def test_transaction_in_doubt_is_committed(name: str, old: Path, tmp_path: Path) -> None:
    """The new store has the commit record after the end of the log, and the rows are in its contents."""
    _, store = made(old, tmp_path / "new", StoreChoices(commit=(name,)))
    before = (old / "log" / "log3.dat").read_bytes()[: END[1]]
    after = (tmp_path / "new" / "log" / "log3.dat").read_bytes()
    assert after[: END[1]] == before
    assert after[END[1] :] != b""
    (line,) = store.chosen()
    assert line.startswith(f"--commit {name}: ")
    assert "are not touched" in line
    found = contents_of(opened(tmp_path / "new", "strict"))
    assert [*found.rows("in_doubt")] == []
    assert len([*found.rows("APP.T")]) == ROWS["APP.T"] + 5


def test_transaction_in_doubt_is_rolled_back(old: Path, tmp_path: Path) -> None:
    """The transaction is no longer prepared; besides that, only the checksum of its group changes."""
    _, store = made(old, tmp_path / "new", StoreChoices(rollback=(BRANCH,)))
    assert not store.opaque
    before, after = ((each / "log" / "log2.dat").read_bytes() for each in (old, tmp_path / "new"))
    differ = [at for at, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    assert 10 < len(differ) < 60
    again = opened(tmp_path / "new", "strict")
    assert again.observation.verdict == "clean"
    found = contents_of(again)
    assert [*found.rows("in_doubt")] == []
    assert len([*found.rows("APP.T")]) == ROWS["APP.T"]


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        (StoreChoices(commit=("0908",)), "no transaction '0908' is in doubt"),
        (StoreChoices(rollback=("232",)), "no transaction '232' is in doubt"),
        (StoreChoices(commit=(BRANCH,), rollback=("193",)), "is to be committed and rolled back"),
        (StoreChoices(queues=("APP.T",)), "completely: --queue"),
        (StoreChoices(drop=("APP.T",)), "completely: --drop and --keep"),
        (StoreChoices(keep=("x",)), "completely: --drop and --keep"),
        (StoreChoices(salvage_records=True), "are for KahaDB"),
    ],
)
def test_impossible_operations_are_refused(choices: StoreChoices, why: str, old: Path) -> None:
    with pytest.raises(ChoiceRefused, match=why):
        new_store(opened(old), choices)


def test_rows_of_a_log_have_no_choices(old: Path) -> None:
    (old / "seg0" / "c20.dat").unlink()
    with pytest.raises(ChoiceRefused, match="only rows can be written"):
        new_store(opened(old), StoreChoices(commit=(BRANCH,)))


# Cases without a new database.


@pytest.mark.parametrize(
    ("off", "size", "policy", "why"),
    [
        (0, 24, "default", "the log cannot be read"),
        (60_000, 600, "strict", "follow after the end of the log"),
    ],
)
def test_unreadable_log_gives_no_new_store(off: int, size: int, policy: str, why: str, log: Path) -> None:
    edit(log / "log2.dat", off, bytes(size))
    with pytest.raises(CannotRebuild, match=why):
        new_store(opened(log, policy), StoreChoices())


@pytest.mark.parametrize(
    ("damage", "reason", "doubtful"),
    [
        ("page", "bad-page", set()),
        ("gone", "no-container", set()),
        ("exchanged", "damaged-container", set()),
        ("log", "bad-header", {"no-redo"}),
        ("newer", "behind-the-end", {"newer-page"}),
    ],
)
def test_script_of_rows_is_written_where_derby_would_not_read_a_database(
    damage: str, reason: str, doubtful: set[str], old: Path, tmp_path: Path
) -> None:
    """Examples: damage in an index page or the log, a missing container, two exchanged ones, pages newer than
    the log.
    """
    if damage == "page":
        edit(old / "seg0" / "c491.dat", 4096 + 100, b"\xff")
    elif damage == "gone":
        (old / "seg0" / "c4b1.dat").unlink()
    elif damage == "exchanged":
        first, second = old / "seg0" / "c361.dat", old / "seg0" / "cd1.dat"
        first.rename(tmp_path / "other")
        second.rename(first)
        (tmp_path / "other").rename(second)
    elif damage == "log":
        # The header and the first records of the log are cleared.
        edit(old / "log" / "log2.dat", 0, bytes(512))
    else:
        edit(old / "log" / "log2.dat", 60_000, bytes(600))
    answer, store = made(old, tmp_path / "new")
    assert isinstance(store, OnlyRows)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["rows.sql"]
    text = (tmp_path / "new" / "rows.sql").read_text()
    wanted = {title: len([*contents_of(answer).rows(title)]) for title in ROWS}
    for title, count in wanted.items():
        name = title.removeprefix("APP.")
        assert text.count(f'\nINSERT INTO "APP"."{name}" ') == count
    assert {count.name: count.rows for count in store.carried()} == wanted
    assert store.steps()[0].startswith("No database can be made (")
    codes = {item.code for item in store.left_out()}
    # The note on exchanged containers belongs to the old store's answer; the report lists it as such.
    assert reason in codes | {note.code for note in answer.observation.notes}
    # The rows of a page that is newer than the log are carried over: it is not lost.
    assert "newer-page" not in codes
    assert {item.code for item in store.unverified()} == doubtful
    assert ("in-doubt" in codes) == (damage != "log")


# SQL.


def test_text_in_a_value_does_not_end_a_statement() -> None:
    for text in ("3.5", "'a;b'", '"x;y"', "CURRENT SCHEMA", "f(1, 2)", "'it''s' || ')'"):
        assert contained(text, commas=False), text
    for text in ("1; drop table t", "1) , x (", "')", "a'", '"', "1 --", "/*", "1, 2", "(1", "1)(", "\0"):
        assert not contained(text, commas=False), text
    assert contained("(a, b)", commas=False)
    assert contained("select 1, 2 from t -- ;\n", commas=True)
    assert contained("1 -- ;\r\n /* ; */", commas=False)


def test_comment_ends_where_ij_ends_it() -> None:
    """ij 10.16 runs the DROP in the first text, and treats the third text as a comment that is still open."""
    for text in ("1 --\r; DROP TABLE u;\n", "1 --\rx\r\n", "1 /* /* */", "1 /*/", "1 /* /* */ */"):
        assert not contained(text, commas=True), text


def test_views_come_after_the_views_and_tables_that_they_use() -> None:
    of = {"a": {"c", "x"}, "b": {"b", "a"}, "d": {"e"}, "e": {"d"}, "f": {"d"}}
    assert [*in_order(["a", "b", "c", "d", "e", "f"], of)] == ["c", "a", "b", "d", "e", "f"]


def test_long_chain_of_views_takes_linear_time() -> None:
    def ordered(size: int) -> Task:
        names = [str(number) for number in range(size)]
        of = {name: {str(int(name) + 1)} for name in names}
        return lambda: [*in_order(names, of)] == names[::-1] or pytest.fail("another order")

    assert growth(ordered, 500) < LINEAR


def lines_of(script: Script) -> list[str]:
    return b"".join(script.parts()).decode().splitlines()


def with_table(
    found: DerbyContents, monkeypatch: pytest.MonkeyPatch, table: SqlTable, *rows: list[bytes | None]
) -> DerbyContents:
    """Add a user table with these rows to a database; the rows have the keys `1,6`, `1,7` and so on."""
    fields = found.fields
    stored = [(f"1,{number}", row) for number, row in enumerate(rows, start=6)]
    monkeypatch.setattr(found, "sql", {**found.sql, table.title: table})
    monkeypatch.setattr(found, "fields", lambda each: stored if each is table else fields(each))
    return found


def test_names_are_quoted_and_types_are_chosen_by_number(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue may contain any text as the name of a table, a column or a type."""
    odd = 'a"); drop table t; --'
    columns = ((odd, Typed(19, odd)), (odd, Typed(25, odd, width=9)), ("n", Typed(198, "DECIMAL")))
    table = SqlTable(odd, odd, "user", 7, columns)
    rows: list[list[bytes | None]] = [[b"\0\0\0\1", b"\0\x03'\";", b"\1\2\0\x7b"], [None, b"\0\0", None]]
    lines = lines_of(Script(with_table(contents_of(opened(base)), monkeypatch, table, *rows)))
    name = '"a""); drop table t; --"'
    again = name[:-1] + "'2\""
    start = f'INSERT INTO {name}.{name} ({name}, {again}, "n") VALUES '  # noqa: S608
    assert f"CREATE SCHEMA {name};" in lines
    assert f'CREATE TABLE {name}.{name} ({name} INTEGER, {again} VARCHAR(9), "n" VARCHAR(64));' in lines
    assert f"{start}(1, '''\";', '12.3');" in lines
    assert f"{start}(NULL, '', NULL);" in lines


def test_script_has_no_invalid_time_and_no_row_without_a_required_value(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Derby reads such dates in a damaged row. ij accepts neither their literals nor a null in a key."""
    columns = (
        ("ID", Typed(19, "INTEGER", nullable=False)),
        ("D", Typed(32, "DATE")),
        ("C", Typed(33, "TIME")),
        ("S", Typed(34, "TIMESTAMP")),
    )
    table = SqlTable("S", "T", "user", 7, columns)
    day, clock = bytes([7, 228, 2, 29]), bytes([0, 23, 59, 59])
    rows: list[list[bytes | None]] = [
        [b"\0\0\0\1", day, clock, day + clock + bytes(4)],
        [b"\0\0\0\2", bytes([133, 217, 213, 243]), bytes([0, 24, 0, 0]), None],
        [None, day, clock, None],
    ]
    script = Script(with_table(contents_of(opened(base)), monkeypatch, table, *rows), ["S.T"])
    assert [line.partition(" VALUES ")[2] for line in lines_of(script) if line.startswith("INSERT")] == [
        "(1, DATE('2020-02-29'), TIME('23:59:59'), TIMESTAMP('2020-02-29 23:59:59.0'));",
        "(2, NULL, NULL, NULL);",
    ]
    lost = [(item.what, item.id, item.text.partition(" ")[0]) for item in script.losses()]
    assert lost == [("value", "1,7", "D"), ("value", "1,7", "C"), ("row", "1,8", "ID")]
    assert {count.name: count.rows for count in script.counts()} == {"S.T": 2}


def chars(text: str) -> bytes:
    """Return a text in the form that a catalogue stores."""
    return len(text).to_bytes(2, "big") + text.encode()


def described_index(*columns: int, up: bool = True, unique: bool = False) -> bytes:
    """Return the description of an index of these columns, with the last column ascending or descending."""
    said = {"keyLength": len(columns), "isUnique": int(unique)}
    for at, column in enumerate(columns):
        said |= {f"bcp{at}": column, f"isAsc{at}": int(up or at < len(columns) - 1)}
    head = struct.pack(">HHI", 387, 313, len(said))
    return head + b"".join(b"\0\1" + chars(name) + struct.pack(">Hi", 303, n) for name, n in said.items())


def cell(value: Any) -> bytes | None:
    """Return a value of the table in a catalogue's form; a tuple is an index: columns, up, unique."""
    if isinstance(value, tuple):
        columns, up, unique = value
        return described_index(*columns, up=up, unique=unique)
    if isinstance(value, str):
        return chars(value)
    return struct.pack(">q", value) if isinstance(value, int) else value


def test_content_of_the_catalogue_is_in_the_script(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Types with their scales, next numbers of identity columns, keys, their rules, and orders of indexes."""
    found = contents_of(opened(base))
    columns = (
        ("ID", Typed(19, "INTEGER", nullable=False)),
        ("P", Typed(198, "NUMERIC", 12, 3)),
        ("Q", Typed(198, "DECIMAL", 5, 0)),
    )
    child = (("A", Typed(19, "INTEGER")), ("B", Typed(25, "VARCHAR", width=9)))
    plain = Typed(25, "VARCHAR")
    catalogue: dict[str, list[dict[str, bytes | None]]] = {}
    for name, row in TABLES["rows of a catalogue"]:
        catalogue.setdefault(name, []).append({column: cell(value) for column, value in row.items()})
    tables = [SqlTable("S", "T", "user", 7, columns), SqlTable("S", "U", "user", 8, child)]
    tables += [
        SqlTable("SYS", name, "system", 0, tuple((column, plain) for column in rows[0]))
        for name, rows in catalogue.items()
    ]
    monkeypatch.setattr(found, "sql", {table.title: table for table in tables})
    stored = {name: [("", [*row.values()]) for row in each] for name, each in catalogue.items()}
    monkeypatch.setattr(found, "fields", lambda table: stored.get(table.name, []))
    monkeypatch.setattr(sql, "described", lambda _: Typed(23, "BIGINT"))
    script = Script(found)
    stated = [line for line in lines_of(script) if line.startswith(("CREATE", "ALTER"))]
    assert stated == TABLES["what_the_catalogue_says_is_in_the_script"]
    lost = [(item.what, item.id, item.queue) for item in script.losses()]
    assert ("identity", "ID", "S.T") in lost


def test_objects_missing_in_the_catalogue_are_counted(old: Path, tmp_path: Path) -> None:
    """If the columns of a table are missing, the columns of its heap are used; other facts about the table
    are lost.
    """
    (old / "seg0" / "c90.dat").unlink()
    _, store = made(old, tmp_path / "new")
    assert isinstance(store, OnlyRows)
    text = (tmp_path / "new" / "rows.sql").read_text()
    assert '("COLUMN1" INTEGER, "COLUMN2" VARCHAR(32672), "COLUMN3" BIGINT);' in text
    lost = {(item.what, item.id or item.queue) for item in store.left_out() if item.code == "not-in-sql"}
    assert {("table", title) for title in ROWS} <= lost
    assert {count.name: count.rows for count in store.carried()} == ROWS


def test_values_without_a_literal_are_counted(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such values are too long, have no literal, have invalid letters, or are Java objects."""
    monkeypatch.setattr(sql, "_LONGEST", 30_000)
    blob = b"\xa0\x5d\xc0" + bytes(24_000)
    stored = (
        (Typed(442, "BLOB", width=9), blob),
        (Typed(442, "BLOB", width=9), blob),
        (Typed(18, "DOUBLE"), b"\x7f\xf8" + bytes(6)),
        (Typed(25, "", width=9), b"\0\x03\xed\xa0\x80"),
        (Typed(264, "p.Point"), b"\0\2\xac\xed"),
        (Typed(999, "?"), b"?"),
    )
    columns = tuple((f"C{at}", typed) for at, (typed, _) in enumerate(stored))
    table = SqlTable("S", "T", "user", 7, columns)
    row: list[bytes | None] = [value for _, value in stored]
    script = Script(with_table(contents_of(opened(base)), monkeypatch, table, row), ["S.T"])
    lost = [(item.what, item.id, item.text.partition(" ")[0]) for item in script.losses()]
    assert lost == [
        ("column", "C4", "it"),
        ("column", "C5", "no"),
        ("value", "1,6", "C1"),
        ("value", "1,6", "C2"),
        ("value", "1,6", "C3"),
    ]
    (text,) = (line for line in lines_of(script) if line.startswith("INSERT"))
    zeros = "0" * 16_000
    assert f"((CAST(X'{zeros}' AS BLOB) || " in text or f"(CAST(X'{zeros}' AS BLOB) || (" in text
    assert text.endswith("'\ufffd', CAST(X'aced' AS BLOB), CAST(X'3f' AS BLOB));")
