"""Answers about a journal: reading finds the edition or refuses; a journal with an unread file is never
`clean`.
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from journalspec import reread
from journalspec.formats import format_ids, get_format
from journalspec.observation import CLEAN, REFUSED
from journalspec_corpus.load import load_cases
from journalspec_reference.answers import UnknownEdition, ask, checked_params
from journalspec_reference.api import load as load_implementation
from journalspec_reference.filesets import FilesetError, Journal, find_journals, load

ROOT = Path(__file__).resolve().parents[2]
CAPTURED = ROOT / "corpus" / "captured"


def captured(format_id: str) -> list[tuple[Path, str]]:
    """Return directory and edition of each scenario in each edition, as the newest product wrote it."""
    found = {}
    for path in sorted((CAPTURED / format_id).glob("*/*/provenance.toml")):
        edition = tomllib.loads(path.read_text(encoding="utf-8"))["edition"]
        found[edition, path.parts[-2]] = (path.parent, edition)
    return list(found.values())


def one(directory: Path, **options: Any) -> Journal:
    (journal,) = find_journals(load(directory), **options)
    return journal


def told(seen: Any) -> dict[str, Any]:
    whole = seen.to_json()
    return {name: whole.get(name) for name in ("verdict", "code", "records", "dropped", "state")}


def wrong(directory: Path, edition: str) -> str:
    """Return the difference between the answers without an edition and with the right one; empty if they are
    equal.
    """
    for policy in (None, "strict"):
        right = ask(one(directory, edition=edition), policy)
        assert right.assumption == ""
        answer = ask(one(directory), policy)
        if told(answer.observation) != told(right.observation):
            return f"{directory}: {policy}: as {answer.journal.edition}"
        # If the files show their edition, nothing is assumed.
        assumed = bool(one(directory).editions)
        assert bool(answer.assumption) == assumed
        assert ("edition-assumed" in [note.code for note in answer.observation.notes]) == assumed
    return ""


#: The first journal is a COMMIT without the file of its records: three editions read it cleanly, with
#: different counts. The second one has no records, and its files have the extension of a later edition's
#: product.
UNDECIDED = {"hornetq-2.0.0/tx-commit-alone", "hornetq-2.0.0/empty"}


@pytest.mark.parametrize("format_id", format_ids())
def test_captured_journals_give_the_report_of_the_right_edition(format_id: str) -> None:
    """Each directory is read without an edition. Cases of the corpus check the answer with the right one."""
    found = captured(format_id)
    assert bool(found) == (CAPTURED / format_id).is_dir()
    for directory, edition in found:
        if f"{directory.parent.name}/{directory.name}" in UNDECIDED:
            with pytest.raises(UnknownEdition) as caught:
                wrong(directory, edition)
            assert edition in [trial.edition for trial in caught.value.trials]
        else:
            assert not wrong(directory, edition)


def short_record(kind: int, stamp: int, fields: bytes) -> bytes:
    body = bytes([kind]) + struct.pack(">i", stamp) + fields
    return body + struct.pack(">i", len(body) + 4)


def write_short(directory: Path, *records: bytes) -> Path:
    (directory / "data-1.jbm").write_bytes((struct.pack(">i", 7) + b"".join(records)).ljust(400, b"J"))
    return directory


def add(identity: int) -> bytes:
    return short_record(11, 7, struct.pack(">qiB", identity, 2, 0) + b"ab")


def test_deletion_is_reported_by_the_only_edition_that_reads_it(tmp_path: Path) -> None:
    """In the edition `seed`, type 15 with 17 bytes is a DELETE. In later editions type 15 is a DELETE_TX,
    which is longer.
    """
    write_short(tmp_path, add(1), add(2), short_record(15, 7, struct.pack(">q", 1)))
    answer = ask(one(tmp_path))
    assert answer.journal.edition == "seed"
    assert answer.observation.state is not None
    assert [item["id"] for item in answer.observation.state["live"]] == [2]  # type: ignore[attr-defined]
    said = answer.assumption
    assert "seed was assumed" in said
    assert "s1: recovered, 2 record(s), 1 dropped region(s)" in said
    # Type 16 is a DELETE in two later editions, which agree.
    write_short(tmp_path, add(1), add(2), short_record(16, 7, struct.pack(">q", 1)))
    answer = ask(one(tmp_path))
    assert answer.journal.edition == "s2"
    assert "the same answer as s1" in answer.assumption


def test_edition_is_not_guessed_if_no_edition_explains_the_damage(tmp_path: Path) -> None:
    write_short(tmp_path, add(1), short_record(16, 7, struct.pack(">q", 1))[:-1] + b"\xff", add(2))
    for policy in (None, "strict", "salvage"):
        with pytest.raises(UnknownEdition, match="is unknown: no edition explains") as raised:
            ask(one(tmp_path), policy)
        text = str(raised.value)
        assert "seed: recovered, 2 record(s), 1 dropped region(s)" in text
        assert "--edition" in raised.value.hint
    assert ask(one(tmp_path, edition="s1")).observation.verdict == "recovered"


def test_clean_reading_with_fewer_records_is_not_chosen(tmp_path: Path) -> None:
    """Edition v2 skips the EVENT and reads `clean`. The answer uses the edition that explains more bytes."""
    head = struct.pack(">iiq", 2, 0, 1)
    event = short_record(10, 1, b"\0" + struct.pack(">qiB", 5, 18, 0) + bytes(18))
    (tmp_path / "activemq-bindings-1.bindings").write_bytes((head + event).ljust(400, b"\0"))
    answer = ask(one(tmp_path))
    assert answer.journal.edition == "v2e"
    assert "v2: clean, 0 record(s)" in answer.assumption


def test_edition_is_unknown_if_readings_find_different_records(tmp_path: Path) -> None:
    """An ADD begins within an EVENT and ends after it: v2 reads the ADD, v2e reads the EVENT."""
    front = b"\x0b" + struct.pack(">ibqiB", 1, 0, 9, 8, 0)
    event = short_record(10, 1, b"\0" + struct.pack(">qiB", 5, len(front), 0) + front)
    assert event[-4:] == struct.pack(">i", 42)
    whole = event + bytes(4) + struct.pack(">i", len(front) + 8 + 4)
    (tmp_path / "a-1.amq").write_bytes((struct.pack(">iiq", 2, 0, 1) + whole).ljust(200, b"\0"))
    with pytest.raises(UnknownEdition, match="no edition explains all of them") as raised:
        ask(one(tmp_path), "strict")
    assert [(trial.edition, trial.verdict, trial.records) for trial in raised.value.trials] == [
        ("v2", "recovered", 1),
        ("v2e", "clean", 1),
    ]


@pytest.mark.parametrize(
    ("name", "edition"),
    [("activemq-data-1.amq", "v2e"), ("hornetq-data-1.hq", "v2"), ("x-1.bindings", "v2e")],
)
def test_file_name_has_no_effect_if_editions_give_equal_results(
    tmp_path: Path, name: str, edition: str
) -> None:
    (tmp_path / name).write_bytes(struct.pack(">iiq", 2, 0, 1).ljust(100, b"\0"))
    answer = ask(one(tmp_path))
    assert (answer.journal.edition, answer.observation.verdict) == (edition, "clean")
    other = "v2" if edition == "v2e" else "v2e"
    assert f"the same answer as {other}" in answer.assumption


def test_headers_decide_which_editions_are_tried(tmp_path: Path) -> None:
    (tmp_path / "a-1.hq").write_bytes(struct.pack(">iiq", 1, 0, 1).ljust(100, b"\0"))
    assert one(tmp_path).editions == ("v1", "v2", "v2e")
    (tmp_path / "a-2.hq").write_bytes(struct.pack(">iiq", 2, 0, 2).ljust(100, b"\0"))
    assert one(tmp_path).editions == ("v2", "v2e")
    (tmp_path / "a-3.hq").write_bytes(struct.pack(">iiq", 99, 0, 3).ljust(100, b"\0"))
    assert one(tmp_path).editions == ("v2", "v2e")
    for path in tmp_path.iterdir():
        path.unlink()
    (tmp_path / "a-1.hq").write_bytes(struct.pack(">i", 1).ljust(100, b"J"))
    # The extension `hq` also admits v2, because a header that does not fit v2 may be damaged.
    assert one(tmp_path).editions == ("seed", "seed+hash", "s1", "s2", "v2")
    (tmp_path / "a-1.hq").rename(tmp_path / "a-1.own")
    assert one(tmp_path, params={"extension": "own"}).editions == ("seed", "seed+hash", "s1", "s2")
    (tmp_path / "journal-rename-control.ctr").write_bytes(bytes(4))
    assert one(tmp_path, params={"extension": "own"}).editions == ("s2",)
    assert "no other edition admits these files" in ask(one(tmp_path, params={"extension": "own"})).assumption


# Files that cannot be read.


@pytest.fixture
def queue(tmp_path: Path) -> Path:
    """Return three data files with one record each."""
    for number in (1, 2, 3):
        head = struct.pack(">iiq", 2, 0, number)
        record = short_record(11, number, b"\0" + struct.pack(">qiB", number, 0, 0))
        (tmp_path / f"data-{number}.amq").write_bytes((head + record).ljust(400, b"\0"))
    return tmp_path


@pytest.mark.parametrize(
    "spoil",
    [os.mkfifo, Path.mkdir, lambda path: path.symlink_to(path.parent / "nowhere")],
    ids=["pipe", "folder", "nowhere"],
)
@pytest.mark.parametrize("name", ["data-2.amq", "journal-rename-control.ctr"])
def test_unreadable_file_with_a_journal_name_is_reported(queue: Path, spoil: Any, name: str) -> None:
    (queue / name).unlink(missing_ok=True)
    spoil(queue / name)
    (queue / "subdirectory").mkdir()
    read, strict, salvage = (ask(one(queue), policy).observation for policy in (None, "strict", "salvage"))
    assert (strict.verdict, strict.phase, strict.code) == ("refused", "fileset", "unreadable-file")
    assert name in strict.message
    assert strict.state is None
    assert strict.records == ()
    assert (read.verdict, read.code, read.state) == ("refused", "unreadable-file", None)
    assert [item.file for item in read.dropped] == [name]
    assert {record.at.file for record in read.records} == {"data-1.amq", "data-2.amq", "data-3.amq"} - {name}
    assert salvage.verdict == "recovered"
    assert [(item.file, item.reason) for item in salvage.dropped] == [(name, "unreadable-file")]
    assert [entry.name for entry in one(queue).unread] == [name]


def failing(monkeypatch: pytest.MonkeyPatch, name: str, number: int) -> None:
    """Make every attempt to open files with that name fail with the error `number`."""
    opened = os.open

    def watched(path: Any, *more: Any, **options: Any) -> int:
        if Path(path).name == name:
            raise OSError(number, os.strerror(number), str(path))
        return opened(path, *more, **options)

    monkeypatch.setattr(os, "open", watched)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EMFILE, errno.EIO])
def test_unreadable_file_is_reported_with_the_error_of_the_system(
    queue: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    failing(monkeypatch, "data-2.amq", number)
    answer = ask(one(queue), "strict")
    assert (answer.observation.verdict, answer.observation.code) == ("refused", "unreadable-file")
    assert os.strerror(number) in answer.observation.message
    assert [entry.name for entry in answer.journal.unread] == ["data-2.amq"]
    assert answer.journal.unread[0].length == (queue / "data-2.amq").stat().st_size
    # An unreadable file is not also reported as missing.
    seen = ask(one(queue), "salvage").observation
    assert "file-id-gap" not in [note.code for note in seen.notes]
    assert [item.reason for item in seen.dropped] == ["unreadable-file"]


def test_unreadable_file_of_a_pair_is_not_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (CAPTURED / "bitronix_tlog" / "bitronix-2.1.4" / "basic-clean").glob("*.tlog"):
        shutil.copy(path, tmp_path)
    assert ask(one(tmp_path), "strict").observation.verdict == "clean"
    failing(monkeypatch, "btm2.tlog", errno.EACCES)
    for policy, verdict in (("strict", "refused"), ("salvage", "recovered"), (None, "refused")):
        seen = ask(one(tmp_path), policy).observation
        assert seen.verdict == verdict
        assert "unreadable-file" in {seen.code, *(region.reason for region in seen.dropped)}
        assert "missing-file" not in {note.code for note in seen.notes}


def test_directories_alone_are_not_a_journal(tmp_path: Path) -> None:
    (tmp_path / "old.bindings").mkdir()
    with pytest.raises(FilesetError, match="no journal in"):
        find_journals(load(tmp_path))


# Names and parameters.


def test_several_extensions_are_several_journals(queue: Path) -> None:
    for path in list(queue.glob("*.amq")):
        shutil.copy(path, queue / path.name.replace(".amq", ".bindings"))
        shutil.copy(path, queue / path.name.replace(".amq", ".mine"))
    (queue / "journal-rename-control.ctr").write_bytes(bytes(16) + b"data-1.mine")
    found = find_journals(load(queue))
    assert [journal.params["extension"] for journal in found] == ["amq", "bindings", "mine"]
    assert ["journal-rename-control.ctr" in journal.files for journal in found] == [False, False, True]
    assert all(len(ask(journal).observation.records) == 3 for journal in found)


def test_parameters_reach_the_reader(queue: Path) -> None:
    for path in queue.iterdir():
        path.rename(path.with_suffix(".xyz"))
    with (queue / "data-1.xyz").open("r+b") as stream:
        stream.seek(4)
        stream.write(struct.pack(">i", 3))
    assert ask(one(queue)).observation.code is None
    assert len(ask(one(queue)).observation.dropped) == 1
    params = {"extension": "xyz", "user_version": "3"}
    seen = ask(one(queue, params=params)).observation
    assert [region.file for region in seen.dropped] == ["data-2.xyz", "data-3.xyz"]
    assert {record.at.file for record in seen.records} == {"data-1.xyz"}


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"extention": "hq"}, "no parameter 'extention'"),
        ({"min_files": "2"}, "no parameter 'min_files'"),
        ({"user_version": "x"}, "'x' is not an integer"),
        ({"user_version": str(1 << 31)}, "is not within"),
    ],
)
def test_parameters_are_checked_against_the_format(params: dict[str, str], said: str) -> None:
    with pytest.raises(FilesetError, match=said):
        checked_params(get_format("jboss_journal"), params)


def test_editions_with_common_rules_give_equal_answers() -> None:
    for directory, _ in [found for format_id in format_ids() for found in captured(format_id)][::4]:
        journal = one(directory)
        for edition in get_format(journal.format).editions.values():
            if edition.reads_as and not edition.but_for:
                seen = [ask(replace(journal, edition=e, editions=())) for e in (edition.id, edition.reads_as)]
                assert told(seen[0].observation) == told(seen[1].observation)


def test_records_at_the_same_offsets_are_compared_without_decoding_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Editions of Derby have different operations, but decode common operations alike."""
    monkeypatch.setattr(reread, "KEEP", 0)
    implementation = load_implementation("derby_log")
    equal = unequal = 0
    for case in load_cases("derby_log")[::24]:
        files = case.files()
        one, *others = (
            implementation.read(files, edition=name, params={}).records for name in ("10.8", "10.1", "10.0")
        )
        for other in others:
            assert (one == other) is ([*one] == [*other])
            equal, unequal = equal + (one == other), unequal + (one != other)
    assert min(equal, unequal) > 10


@pytest.mark.parametrize("policy", [None, "strict", "salvage"])
@pytest.mark.parametrize("change", ["appended", "appeared", "gone"])
def test_journal_that_changes_during_the_read_is_not_clean(
    queue: Path, policy: str | None, change: str
) -> None:
    journal = one(queue)
    assert ask(journal, policy).observation.verdict == "clean"
    journal = one(queue)
    names = {"appended": "data-1.amq", "appeared": "data-77.amq", "gone": "data-2.amq"}
    (queue / "notes.txt").write_text("no file of the journal")
    assert ask(journal, policy).observation.verdict == "clean"
    if change == "gone":
        (queue / names[change]).unlink()
    else:
        with (queue / names[change]).open("ab") as out:
            out.write(bytes(8))
    seen = ask(journal, policy).observation
    assert seen.verdict == "recovered"
    assert [note.file for note in seen.notes if note.code == "changed-while-read"] == [names[change]]


@pytest.mark.parametrize(("name", "above"), [("lock", False), ("btm2.tlog", False), ("lock", True)])
def test_lock_of_another_process_is_reported(tmp_path: Path, name: str, above: bool) -> None:
    """A running product locks the journal, or its own file in the same directory or the one above."""
    fcntl = pytest.importorskip("fcntl")
    journal = tmp_path / "store"
    journal.mkdir()
    for file in ("btm1.tlog", "btm2.tlog") if name == "btm2.tlog" else ("db-1.log",):
        (journal / file).write_bytes(b"")
    locked = (tmp_path if above else journal) / name
    locked.touch()
    program = (
        "import fcntl, os, sys; handle = os.open(sys.argv[1], os.O_RDWR);"
        "fcntl.lockf(handle, fcntl.LOCK_EX); print('locked', flush=True); sys.stdin.read()"
    )
    found = one(journal)
    assert "in-use" not in [note.code for note in ask(found).observation.notes]
    with subprocess.Popen(
        [sys.executable, "-c", program, str(locked)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"locked\n"
        notes = [note for note in ask(found).observation.notes if note.code == "in-use"]
        assert [(note.file, note.text) for note in notes] == [(name, f"process {process.pid}")]
        process.communicate()
    assert fcntl is not None
    assert "in-use" not in [note.code for note in ask(found).observation.notes]


@pytest.mark.parametrize("policy", [None, "strict"])
@pytest.mark.parametrize(("number", "regions", "other"), [(1, 1, "clean"), (2, 2, "recovered")])
def test_record_that_one_edition_reads_as_filler_is_damage(
    number: int, regions: int, other: str, policy: str | None, tmp_path: Path
) -> None:
    """The type of a record is changed to EVENT, which v2 does not have; nothing shows which edition wrote the
    files.
    """
    place = shutil.copytree(CAPTURED / "jboss_journal/artemis-2.44.0/tx-3-files", tmp_path / "store")
    file = place / f"activemq-data-{number}.amq"
    data = bytearray(file.read_bytes())
    data[16] = 10
    file.write_bytes(data)
    (journal,) = find_journals(load(place))
    answer = ask(journal, policy)
    assert (answer.journal.edition, answer.observation.verdict) == ("v2e", "recovered")
    assert len(answer.observation.dropped) == regions
    assert {trial.edition: (trial.verdict, trial.agrees) for trial in answer.trials} == {
        "v2e": ("recovered", True),
        "v2": (other, False),
    }


@pytest.mark.parametrize("format_id", format_ids())
def test_read_reports_why_strict_recovery_would_refuse_a_clean_journal(format_id: str) -> None:
    """A command can therefore warn without a second pass; the observation does not contain the refusal."""
    found, reference = 0, load_implementation(format_id)
    for case in load_cases(format_id):
        files = case.files()
        seen = reference.read(files, edition=case.edition, params=case.params)
        if seen.verdict == CLEAN:
            strict = reference.recover(files, edition=case.edition, params=case.params)
            found += seen.unfit is not None
            assert seen.unfit == (strict if strict.verdict == REFUSED else None), case.id
    assert (found > 20) == (format_id in ("derby_log", "kahadb_journal"))
