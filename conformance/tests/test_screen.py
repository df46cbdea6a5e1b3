"""The screen of `inspect` and `recover`: short whatever the store; what PATH may be; nothing is written."""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import io
import json
import os
import pty
import shutil
import struct
import subprocess
import sys
import tarfile
import termios
import zipfile
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle
from pathlib import Path

import pytest
from click.testing import CliRunner

from field import FIELD
from journals import CAPTURED, COMMITTED, COMMITTING, PARTIAL_COMMIT, PREPARED, add, decision, page, pair
from journalspec.contents import described
from journalspec.formats import format_ids, get_format
from journalspec.jboss_journal import LAYOUT
from journalspec_conformance.cli import cli
from journalspec_conformance.cli.journal_view import MOST_LINES, Listing, Section
from journalspec_corpus.load import load_cases
from judged import call, flat, has

ROOT = Path(__file__).resolve().parents[2]
SHARED = FIELD.parent
#: Every so-manyth case of a format is checked.
STEP = 37


def stores(root: Path) -> Iterator[Path]:
    """Yield the directories below a path that hold files."""
    yield from (Path(path) for path, _, files in os.walk(root) if files)


def held_to_the_rules(path: Path, command: str, columns: int) -> str:
    """Return what a command prints about a path, after making sure that it is a screen."""
    # A name in a command is never broken, however long: so it is a short one here.
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        result = call(command, path.name, columns=columns)
    finally:
        os.chdir(before)
    assert result.exit_code in (0, 1, 2, 3), result.output
    assert "fault of journalspec" not in result.stderr, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) <= 40, result.stdout
    assert [line for line in lines if len(line) > columns] == []
    if result.exit_code != 2:
        assert lines[0].startswith("store     ")
        verdict = next(line for line in lines if line.startswith("verdict   "))
        assert lines.index(verdict) <= 1 + any(line.startswith("in use") for line in lines), result.stdout
    return result.stdout


#: The questions about stores in turn: each is read once.
TURNS = (("inspect", 100), ("recover", 80), ("inspect", 80), ("recover", 100))


def all_short(paths: Iterable[Path]) -> int:
    """Hold the screens of paths to the rules; return how many there were."""
    return sum(bool(held_to_the_rules(path, *turn)) for path, turn in zip(paths, cycle(TURNS), strict=False))


@pytest.mark.parametrize("format_id", format_ids())
def test_a_screen_of_every_captured_set_is_short(format_id: str) -> None:
    assert all_short(stores(CAPTURED / format_id)) or get_format(format_id).uncaptured


@pytest.mark.parametrize("format_id", format_ids())
def test_a_screen_of_a_case_is_short(format_id: str, tmp_path: Path) -> None:
    cases = [case for case in load_cases() if case.format == format_id][::STEP]
    for number, case in enumerate(cases):
        case.materialize(tmp_path / str(number))
    assert all_short(sorted(tmp_path.iterdir())) > 5


@pytest.mark.real
@pytest.mark.skipif(not FIELD.is_dir(), reason="needs the products' files beside the checkout")
@pytest.mark.parametrize("part", ["field", "real", "contents"])
def test_a_screen_of_a_real_store_is_short(part: str) -> None:
    found = [
        path for path in sorted((SHARED / part).glob("*" if part == "field" else "*/*")) if path.is_dir()
    ]
    assert all_short([*found, *(archive for path in found for archive in path.glob("*.tar.gz"))]) > 10


# The text on the screen.


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """Transaction A is decided for two resources and confirmed by one, B is only prepared."""
    place = tmp_path / "tlogs"
    place.mkdir()
    return pair(
        place,
        decision(COMMITTING, b"A", b"db1", b"jms1"),
        decision(COMMITTED, b"A", b"db1"),
        decision(PREPARED, b"B", b"db1"),
    )


def test_notes_of_one_kind_are_one_line_with_a_count(tmp_path: Path) -> None:
    commits = [record for number in range(300) for record in open_transaction(number)]
    page(tmp_path / "d-1.amq", "v2", *commits, size=1 << 16)
    text = call("inspect", tmp_path, "--edition", "v2", columns=100).stdout
    assert "300 x incomplete-transaction: a transaction without an end was discarded" in text
    full = call("inspect", tmp_path, "--edition", "v2", "--notes", columns=100).stdout
    assert full.count("- transaction ") == 300


def open_transaction(number: int) -> Iterator[bytes]:
    """Yield an ADD_TX of edition v2 whose transaction never ends."""
    yield LAYOUT.build("record", "v2", "ADD_TX", file_id=7, tx=number + 1, id=number + 1, body=b"ab")


def test_of_a_long_list_the_largest_are_shown_and_the_rest_counted() -> None:
    rows = [(f"q{number}", str(number)) for number in range(10)]
    listing = Listing(rows, 500, ("queue", "messages"), [100] * 10, 13040, "message")
    assert listing.rest(10) == "... 490 more, 12,040 messages (--all)"
    assert listing.rest(4) == "... 496 more, 12,640 messages (--all)"
    assert Listing(rows, 10).rest(10) == ""


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_a_screen_is_folded_until_it_fits(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from journalspec_conformance.cli.journal_view import screen

    monkeypatch.setenv("COLUMNS", str(width))
    long = "x" * 500
    rows = [(f"{long}{number}", "1", "word " * 200) for number in range(10)]
    listing = Listing(rows, 100_000, ("name", "messages", ""), [1] * 10, 100_000, "message")
    sections = [Section(f"part {number}", [long], listing, apart=True) for number in range(12)]
    lines = [
        "".join(part if isinstance(part, str) else part[0] for part in line) for line in screen(sections)
    ]
    assert len(lines) == MOST_LINES
    assert max(map(len, lines)) <= min(width, 100)
    assert lines[-1].endswith("more lines (--all)")


def test_references_of_at_start_exist() -> None:
    """A code without a meaning would never be met: the sentence would never be shown."""
    for format_id in format_ids():
        description = get_format(format_id)
        words = description.vocabulary
        known = {*words.notes, *words.reasons, *words.codes, *words.missing}
        known |= {"clean", "in-doubt", "beside", *(f"refused-{code}" for code in words.codes)}
        known |= {f"without-{part.strip('*')}" for part in description.parts}
        if (contents := described(format_id)) is not None:
            known |= {f"contents-{code}" for code in contents.remarks}
        assert {code for row in description.at_start for code in (*row.when, *row.unless)} <= known
        assert {*description.phrases} <= {*words.notes, *words.codes, *words.missing, *words.reasons}
        assert {*description.after} <= {*words.notes}
        lists = {state.name for state in words.state}
        assert {row.list for row in description.holds} - {""} <= lists
        assert {row.list for row in description.in_doubt} <= lists


@pytest.mark.parametrize(
    ("format_id", "codes", "said", "unsaid"),
    [
        ("kahadb_journal", ["torn-tail", "records"], "Rolled back", "nothing that was acknowledged is lost"),
        ("bitronix_tlog", ["missing-file", "in-doubt"], "do not start", "recovery commits"),
        ("derby_log", ["unfinished-switch"], "Derby 10.14: boots", "XSLAM"),
    ],
)
def test_effects_of_a_start_are_consistent(format_id: str, codes: list[str], said: str, unsaid: str) -> None:
    text = " ".join(row.says for row in get_format(format_id).at_start if row.applies(codes))
    assert said in text
    assert unsaid not in text


@pytest.mark.parametrize(
    ("name", "at"), [("c90.dat", 3 * 4096 + 2000), ("c71.dat", 4096 + 2000)], ids=["table", "index"]
)
def test_a_damaged_page_beside_a_clean_log_is_in_the_verdict(name: str, at: int, tmp_path: Path) -> None:
    """No sentence says that nothing is damaged, or that the product starts, with a wrong checksum in seg0."""
    with tarfile.open(ROOT / "reference_impl/tests/data/derby_database.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    sound = call("recover", str(tmp_path)).stdout
    assert "nothing is damaged or missing" in sound
    assert "bad-page" not in sound
    container = tmp_path / "seg0" / name
    data = bytearray(container.read_bytes())
    data[at] ^= 1
    container.write_bytes(data)
    seen = call("recover", str(tmp_path))
    text = " ".join(seen.stdout.split()).replace("\\ ", "")
    what = f"page {at // 4096} of seg0/{name} has a wrong checksum"
    has(text, f"verdict recovered container damaged: ../seg0/{name}", f"lost damaged-container: {what}")
    assert "nothing is damaged" not in text
    assert f"at start {what}; Derby cannot read" in text
    assert "boots" not in text
    assert f"journalspec recover {tmp_path} --to NEWDIR" in text
    checked = call("check", str(tmp_path))
    assert f"recovered: container damaged: ../seg0/{name}" in checked.stdout
    assert json.loads(call("inspect", str(tmp_path), "--json").stdout)["verdict"] == "recovered"
    assert {seen.exit_code, checked.exit_code} == {1}


@pytest.mark.parametrize(
    ("name", "said"), [("log3", "begins a new log"), ("log2", "does not boot (NullPointerException)")]
)
def test_without_the_file_where_a_log_begins_nothing_is_undone(name: str, said: str, tmp_path: Path) -> None:
    """Derby 10.8.3.0, 10.14.2.0 and 10.16.1.1 have 130 rows without log3.dat, 124 with it."""
    with tarfile.open(ROOT / "reference_impl/tests/data/derby_database.tar.xz") as archive:
        archive.extractall(tmp_path / "old", filter="data")
    assert "end the transactions in doubt" in call("inspect", str(tmp_path / "old")).stdout
    (tmp_path / "old" / "log" / f"{name}.dat").unlink()
    text = " ".join(call("inspect", str(tmp_path / "old")).stdout.split())
    has(text, f"at start Derby 10.1 to 10.16 {said}", "APP.T 130")
    assert "end the transactions in doubt" not in text
    assert call("recover", str(tmp_path / "old"), "--to", str(tmp_path / "new")).exit_code == 1
    report = (tmp_path / "new.loss-report.md").read_text(encoding="utf-8")
    has(report, "Carried over: 130 in APP.T", "rows may be older, or of transactions without an end")
    assert call("check", str(tmp_path / "old")).exit_code == 3


def test_a_log_file_without_a_header_has_a_next_step_that_works(tmp_path: Path) -> None:
    """Recovery refuses it, Derby does not start, and a new database has all rows."""
    home, new = tmp_path / "home", tmp_path / "new"
    with tarfile.open(ROOT / "reference_impl/tests/data/derby_database.tar.xz") as archive:
        archive.extractall(home, filter="data")
    names = sorted((home / "log").glob("log*.dat"))
    data = names[-1].read_bytes()
    names[-1].write_bytes(bytes(24) + data[24:])
    for command in ("inspect", "recover"):
        seen = call(command, str(home), columns=100)
        text = flat(seen).replace("\\ ", "")
        assert seen.exit_code == 3
        has(text, "verdict REFUSED", "Derby does not boot")
        assert "nothing is damaged" not in text
        assert f"journalspec recover {home} --to NEWDIR" in text
    assert call("recover", str(home), "--to", str(new)).exit_code == 1
    assert "rows" in flat(call("recover", str(new)))
    assert call("check", str(new)).exit_code == 0


def test_next_step_shows_the_product_policy(tmp_path: Path) -> None:
    source = CAPTURED / "kahadb_journal" / "activemq-6.1.7" / "three" / "db-1.log"
    data = bytearray(source.read_bytes())
    data[60] ^= 0x55
    # The batch after the first one begins after it.
    assert data.find(b"WRITE BATCH", 60) > 0
    (tmp_path / source.name).write_bytes(data)
    seen = call("recover", tmp_path, columns=100, status=3)
    assert f"the default result of the product: journalspec recover {tmp_path} --policy default" in flat(
        seen
    ).replace("\\ ", "")


def pasted(lines: list[str]) -> str:
    """Return the last command of a screen as a shell reads it."""
    return " ".join("\n".join(lines).replace("\\\n", "").splitlines()[-1].split())


# Options.


def test_options_show_everything_that_the_screen_omits(clean: Path) -> None:
    text = {option: call("inspect", clean, option).stdout for option in ("--records", "--files", "--all")}
    assert "COMMITTING  status 8" in text["--records"]
    assert "position" not in text["--records"]
    assert "position" in text["--files"]
    assert "COMMITTING" not in text["--files"]
    has(text["--all"], "COMMITTING  status 8", "state after recovery")


@pytest.mark.parametrize("command", ["inspect", "recover", "check"])
def test_nothing_is_ever_written(command: str, clean: Path, tmp_path: Path) -> None:
    places = [
        clean,
        PARTIAL_COMMIT,
        *(next(stores(CAPTURED / name)) for name in ("jboss_journal", "kahadb_journal", "derby_log")),
    ]
    options = {
        "inspect": ["", "--all", "--hex", "--json", "--ndjson", "--csv", "--count-by type", "--redact"],
        "recover": ["", "--all", "--json", "--ndjson"],
    }
    for number, place in enumerate(places):
        copy = tmp_path / f"copy-{number}"
        shutil.copytree(place, copy)
        before = digests(copy)
        for option in options.get(command, ["", "--json"]):
            call(command, copy, *option.split())
        assert digests(copy) == before


def digests(root: Path) -> dict[str, tuple[str, int]]:
    """Return the digest and the time of the last change of all below a directory."""
    found = {}
    for path in [root, *root.rglob("*")]:
        data = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (hashlib.sha256(data).hexdigest(), path.stat().st_mtime_ns)
    return found


def test_check_is_one_line_a_journal(clean: Path, tmp_path: Path) -> None:
    seen = call("check", clean)
    assert (seen.exit_code, seen.stdout, seen.stderr) == (0, f"{clean}: clean\n", "")
    other = tmp_path / "data"
    other.mkdir()
    page(other / "d-1.amq", "v2", add("v2", 1), bytes(40), add("v2", 2))
    seen = call("check", other, "--edition", "v2", status=1)
    assert seen.stdout == f"{other}: recovered: 1 hole of 40 bytes in d-1.amq\n"
    (told,) = [json.loads(call("check", other, "--edition", "v2", "--json").stdout)]
    assert (told["verdict"], told["says"]) == ("recovered", "1 hole of 40 bytes in d-1.amq")
    page(other / "d-1.amq", "v2", add("v2", 1), user_version=9)
    seen = call("check", other, "--edition", "v2", status=3)
    assert seen.stdout.startswith(
        f"{other}: refused: d-1.amq:0: the user version is not the configured one ("
    )


def test_stores_below_several_paths_have_names_of_their_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(CAPTURED / "kahadb_journal/activemq-6.1.7/three", tmp_path / name / "kahadb")
    for command in ("inspect", "check"):
        # Long paths go over several lines.
        screen = "".join(call(command, tmp_path / "one", tmp_path / "two").stdout.split())
        assert "one/kahadb" in screen
        assert "two/kahadb" in screen


def test_check_answers_for_the_paths_that_are_of_use(clean: Path, tmp_path: Path) -> None:
    empty, gone = tmp_path / "empty", tmp_path / "gone"
    empty.mkdir()
    unknown = tmp_path / "unknown.zip"
    unknown.write_bytes(b"no archive")
    other = tmp_path / "other"
    other.mkdir()
    page(other / "d-1.amq", "v2", add("v2", 1), user_version=9)
    seen = call("check", empty, clean, gone, unknown)
    assert (seen.exit_code, seen.stdout) == (2, f"{clean}: clean\n")
    for bad in (empty, gone, unknown):
        assert str(bad) in seen.stderr
    seen = call("check", gone, other, clean, "--json")
    assert [entry["verdict"] for entry in json.loads(seen.stdout)["journals"]] == ["refused", "clean"]
    assert (seen.exit_code, str(gone) in seen.stderr) == (3, True)
    seen = call("check", empty, gone)
    assert (seen.exit_code, seen.stdout) == (2, "")


# What PATH may be.


def test_a_data_directory_of_a_broker_is_one_store(tmp_path: Path) -> None:
    for name, file in (("journal", "activemq-data-1.amq"), ("bindings", "activemq-bindings-1.bindings")):
        (tmp_path / "data" / name).mkdir(parents=True)
        page(tmp_path / "data" / name / file, "v2", add("v2", 1))
    (tmp_path / "data" / "paging").mkdir()
    lines = call("inspect", tmp_path / "data", columns=100).stdout.splitlines()
    assert lines[0].endswith(": journal, bindings")
    assert sum(line.startswith("verdict") for line in lines) == 1
    has("\n".join(lines), "journal/activemq-data-1.amq", "bindings/activemq-bindings-1.bindings", "paging/")
    assert pasted(lines) == f"journalspec recover {tmp_path / 'data'}"


def test_the_damage_of_bindings_is_shown_and_what_keeps_them(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for name, file in (("journal", "activemq-data-1.amq"), ("bindings", "activemq-bindings-1.bindings")):
        (data / name).mkdir(parents=True)
        page(data / name / file, "v2", add("v2", 1))
    bindings = data / "bindings" / "activemq-bindings-1.bindings"
    page(data / "bindings" / "activemq-bindings-2.bindings", "v2", add("v2", 2, 2), file_id=2)
    bindings.write_bytes(bytes(16) + bindings.read_bytes()[16:])
    seen = call("recover", data, columns=100)
    text = seen.stdout
    assert seen.exit_code == 3, seen.stderr
    assert "nothing is damaged" not in text
    assert "other policies do not help" not in text
    assert f"journalspec recover {data} --policy salvage --all" in " ".join(text.replace("\\\n", "").split())
    assert flat(call("inspect", data, columns=100)).count("lost invalid-file") == 1
    # The report of a new store describes both journals as well.
    assert "old store recovered" in flat(call("recover", data, "--to", tmp_path / "new", columns=100))


def test_a_file_that_is_there_is_not_to_be_looked_for(tmp_path: Path) -> None:
    screen = call("inspect", FIELD / "b1-swap-uptime", columns=100)
    assert "missing btm2.tlog" in flat(screen)
    assert "look for" not in screen.stdout


def test_several_stores_are_one_block_the_worst_first(clean: Path, tmp_path: Path) -> None:
    root = tmp_path / "many"
    for number in range(60):
        shutil.copytree(clean, root / f"store-{number:02}")
    bad = root / "store-41" / "btm1.tlog"
    bad.write_bytes(bad.read_bytes()[:40] + b"\xff" + bad.read_bytes()[41:])
    seen = call("recover", root, columns=100)
    lines = seen.stdout.splitlines()
    assert seen.exit_code == 3
    assert lines[0] == "store     60 stores: 60 Bitronix transaction logs"
    assert lines[1].startswith("verdict   REFUSED   ")
    has(lines[1], "59 clean", "1 REFUSED")
    assert next(line for line in lines if "store-" in line).split()[:2] == ["store-41", "REFUSED"]
    assert "... 50 more (--all)" in seen.stdout
    assert len(lines) <= 40


def test_of_several_journals_in_one_directory_the_next_step_names_one(clean: Path, tmp_path: Path) -> None:
    root = tmp_path / "two"
    root.mkdir()
    for file in sorted(clean.iterdir()):
        for name in ("a", "b"):
            shutil.copy(file, root / f"{name}-{file.name}")
    step = flat(call("inspect", root)).replace("\\ ", "").partition("one of them: journalspec ")[2].split()
    assert step[0] == "inspect"
    assert call(*step).stdout.startswith("store     BTM")


def tar_of(path: Path, *members: tarfile.TarInfo | tuple[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]  # the mode is given
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
            else:
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                archive.addfile(info, io.BytesIO(member[1]))
    return path


def kept(temporary: Path) -> list[Path]:
    return list(temporary.iterdir())


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where archives are unpacked."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


@pytest.mark.parametrize("kind", ["gztar", "zip", "tar", "xztar", "bztar"])
def test_an_archive_is_read_and_nothing_left(kind: str, clean: Path, tmp_path: Path, temporary: Path) -> None:
    archive = Path(shutil.make_archive(str(tmp_path / "backup"), kind, clean.parent, clean.name))
    plain, packed = (call("recover", path, columns=100) for path in (clean, archive))
    assert (packed.exit_code, packed.stderr) == (0, "")
    assert archive.name in packed.stdout
    assert str(temporary) not in packed.stdout
    assert packed.stdout.splitlines()[:2] == plain.stdout.splitlines()[:2]
    assert pasted(packed.stdout.splitlines()) == f"journalspec recover {archive} --all"
    told = json.loads(call("recover", archive, "--json").stdout)
    assert told["path"] == str(archive / clean.name)
    assert told["state"] == json.loads(call("recover", clean, "--json").stdout)["state"]
    assert kept(temporary) == []


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


HARMFUL: dict[str, tuple[Callable[[Path], Path], str]] = {
    "dots": (lambda path: tar_of(path, ("a/../../btm1.tlog", b"x")), "leads out of the archive"),
    "absolute": (lambda path: tar_of(path, ("/etc/btm1.tlog", b"x")), "leads out of the archive"),
    "backslash": (lambda path: tar_of(path, ("..\\btm1.tlog", b"x")), "leads out of the archive"),
    "link": (lambda path: tar_of(path, link("btm1.tlog", "/etc/passwd")), "is a link or a device"),
    "hard link": (
        lambda path: tar_of(path, link("btm1.tlog", "/etc/passwd", tarfile.LNKTYPE)),
        "is a link or a device",
    ),
    "pipe": (lambda path: tar_of(path, link("btm1.tlog", "", tarfile.FIFOTYPE)), "is a link or a device"),
    "twice": (
        lambda path: tar_of(path, ("btm1.tlog", b"x"), ("btm1.tlog", b"y")),
        "two entries have the name",
    ),
    "bomb": (lambda path: tar_of(path, ("btm1.tlog", bytes(3 << 20))), "unpacks to more than 2 MiB"),
    "cut": (
        lambda path: cut(path, tar_of(path, ("btm1.tlog", os.urandom(1 << 16))).read_bytes()),
        "the archive is broken",
    ),
    "noise": (lambda path: cut(path, os.urandom(4096)), "the archive is broken"),
    "zip of dots": (lambda path: zip_of(path, "../btm1.tlog", b"x"), "leads out of the archive"),
    "zip bomb": (lambda path: zip_of(path, "btm1.tlog", bytes(3 << 20)), "unpacks to more than 2 MiB"),
    "zip of a link": (
        lambda path: zip_of(path, "btm1.tlog", b"/etc/passwd", 0o120777),
        "is a link or a device",
    ),
}


def cut(path: Path, data: bytes) -> Path:
    path.write_bytes(data[:-3000])
    return path


def zip_of(path: Path, name: str, data: bytes, mode: int = 0o100644) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr, info.compress_type = mode << 16, zipfile.ZIP_DEFLATED
        archive.writestr(info, data)
    return path


@pytest.mark.parametrize("name", HARMFUL)
def test_a_harmful_archive_is_refused_and_nothing_is_left(name: str, tmp_path: Path, temporary: Path) -> None:
    make, words = HARMFUL[name]
    archive = make(tmp_path / ("evil.zip" if "zip" in name else "evil.tar.gz"))
    before = digests(tmp_path)
    seen = call("recover", archive, "--unpack-limit", 2, status=2)
    assert seen.stdout == ""
    assert seen.stderr.startswith(f"journalspec: {archive}: ")
    assert words in seen.stderr
    assert kept(temporary) == []
    after = digests(tmp_path)
    del before[str(temporary)], after[str(temporary)]
    assert after == before


def test_a_header_of_an_archive_is_not_a_way_to_take_memory(tmp_path: Path, temporary: Path) -> None:
    """A name of 1 GiB, which is kept in memory while its header is read."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    path = tmp_path / "evil.tar"
    path.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20))
    assert "the archive is broken: a header of 1,073,741,824 bytes" in call("recover", path, status=2).stderr


def from_input(data: bytes, *arguments: str) -> str:
    result = CliRunner(env={"COLUMNS": "100"}).invoke(cli, [*arguments, "-"], input=data)
    return result.stdout + result.stderr


def test_standard_input_is_a_file_an_archive_or_neither(clean: Path, tmp_path: Path, temporary: Path) -> None:
    journal = next(CAPTURED.glob("kahadb_journal/activemq-6.1.7/**/db-1.log")).read_bytes()
    for data in (journal, gzip.compress(journal)):
        text = from_input(data, "inspect")
        assert text.startswith("store     ActiveMQ KahaDB journal"), text
        assert "journalspec recover -" in text
    archive = Path(shutil.make_archive(str(tmp_path / "backup"), "gztar", clean))
    assert from_input(archive.read_bytes(), "recover").startswith("store     BTM 2.1")
    assert "standard input is not a journal of one file" in from_input(b"Lorem ipsum", "inspect")
    assert "unpacks to more than 1 MiB" in from_input(bytes(2 << 20), "check", "--unpack-limit", "1")
    assert kept(temporary) == []


def test_a_path_without_a_journal_lists_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("none")
    (tmp_path / "deep").mkdir()
    seen = call("inspect", tmp_path)
    assert (seen.exit_code, seen.stdout) == (2, "")
    lines = seen.stderr.splitlines()
    assert lines[0] == f"journalspec: {tmp_path} has no journal of a known format"
    assert lines[1].startswith("  looked for  Bitronix transaction log, ")
    assert "  found  1 file, 1 directory, 0 links; none has such a name or such a beginning" in lines
    shutil.make_archive(str(tmp_path / "backup"), "gztar", tmp_path / "deep")
    assert f"an archive is there: give its path, {tmp_path / 'backup.tar.gz'}" in flat_error(tmp_path)
    assert f"did you mean {tmp_path / 'notes.txt'}?" in flat_error(tmp_path / "note.txt")
    assert "does not exist" in flat_error(tmp_path / "nothing" / "here")


def flat_error(path: Path) -> str:
    return " ".join(call("inspect", path).stderr.split())


# Progress.


def test_progress_is_shown_at_a_terminal_only_and_after_a_second(tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text(
        "import sys, time\n"
        "from journalspec_conformance.cli.journal_view import reading\n"
        "from journalspec_reference.content import Content\n"
        "with reading(1 << 20) as bar:\n"
        "    for _ in range(int(sys.argv[1])):\n"
        "        Content.asked_for += 1 << 18\n"
        "        time.sleep(0.5)\n"
        "    bar()\n"
        "    print('answer')\n"
    )
    for steps, words in ((6, [b"reading", b"kB/s"]), (1, [])):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        done = subprocess.Popen(
            [sys.executable, str(script), str(steps)],
            stderr=theirs,
            stdout=subprocess.PIPE,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        )
        os.close(theirs)
        said = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:
                break
            if not piece:
                break
            said += piece
        assert done.communicate()[0] == b"answer\n"
        assert [word for word in words if word not in said] == [], said
        assert words or said == b"", said
    piped = subprocess.run([sys.executable, str(script), "4"], capture_output=True, check=True)
    assert (piped.stdout, piped.stderr) == (b"answer\n", b"")
