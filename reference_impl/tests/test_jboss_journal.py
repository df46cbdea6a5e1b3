"""What no case of the corpus shows of the JBoss journal's reference: control files byte by byte, gaps."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest

from journalspec.jboss_journal import LAYOUT
from journalspec_reference import load
from journalspec_reference.jboss_journal import recover
from journalspec_reference.jboss_journal.codec import DIALECTS

REFERENCE = load("jboss_journal")
NAME = "journal-rename-control.ctr"
LISTS = LAYOUT.build(
    "control",
    "v2",
    old_names=[{"name": b"a-1.hq"}],
    new_names=[{"name": b"a-3.hq.cmp"}],
    renames=[{"source.name": b"a-4.bak", "target.name": b"a-4.hq"}],
    slack=bytes(3),
)
#: Not what a control file's header holds: nobody looks at it, so it is shown as it is.
CONTROL = LAYOUT.build("header", "v2", format_version=5, user_version=6, file_id=7) + LAYOUT.build(
    "record", "v2", "ADD", id=1, body=LISTS
)


def data_file(number: int) -> bytes:
    record = LAYOUT.build("record", "v2", "ADD", file_id=number, id=number, body=b"x")
    return (LAYOUT.build("header", "v2", format_version=2, file_id=number) + record).ljust(100, b"\0")


FILES = {"a-1.hq": data_file(1), "a-2.hq": data_file(2), "a-3.hq.cmp": data_file(3), NAME: CONTROL}


def told(control: bytes) -> tuple[Any, list[str]]:
    """Return what `read` says of a control file's layout, and the notes on it."""
    seen = REFERENCE.read({**FILES, NAME: control}, edition="v2").to_json()
    (entry,) = (entry for entry in seen["files"] if entry["file"] == NAME)
    return entry, [note["code"] for note in seen["notes"] if note.get("file") == NAME]


def test_the_header_and_the_lists_are_those_of_the_file() -> None:
    entry, notes = told(CONTROL)
    assert (entry["role"], notes) == ("control", ["control-applied"])
    assert entry["header"] == {"format_version": "5", "user_version": "6", "file_id": "7"}
    assert entry["content"] == {
        "old_names": ["a-1.hq"],
        "new_names": ["a-3.hq.cmp"],
        "renames": [{"source": "a-4.bak", "target": "a-4.hq"}],
    }
    short, notes = told(CONTROL[:9])
    assert (short["len"], short["header"], notes) == ("9", {}, ["control-discarded"])
    assert "content" not in short


@pytest.mark.parametrize(("there", "gone"), [("a-3.hq.cmp", []), ("a-3.hq", []), ("a-4.hq", ["a-3.hq.cmp"])])
def test_a_new_file_is_gone_only_if_it_has_neither_of_its_names(there: str, gone: list[str]) -> None:
    seen = REFERENCE.recover({"a-1.hq": data_file(1), there: data_file(3), NAME: CONTROL}, edition="v2")
    assert [note.file for note in seen.notes if note.code == "control-file-gone"] == gone


def test_every_byte_of_it_has_a_name() -> None:
    spans = list(REFERENCE.spans({**FILES, "a-9.hq.tmp": data_file(9)}, edition="v2"))
    fields = [span for span in spans if span.file == NAME and span.kind == "field"]
    values = {span.path.removeprefix("record[0]."): span.value for span in fields}
    for path, value in {
        "header.format_version": "5", "header.user_version": "6", "header.file_id": "7",
        "num_old": "1", "old_names[0].name": "a-1.hq", "num_new": "1", "new_names[0].name": "a-3.hq.cmp",
        "num_renames": "1", "renames[0].source.name": "a-4.bak", "renames[0].target.name": "a-4.hq",
        "slack": "000000", "check_size": str(len(CONTROL) - 16),
    }.items():  # fmt: skip
        assert values[path] == value
    ends = [span.off + span.length for span in fields]
    assert [span.off for span in fields] == [0, *ends[:-1]]
    assert ends[-1] == len(CONTROL)
    # What a compaction leaves beside the data files is named as well.
    kinds = {(span.file, span.kind) for span in spans}
    assert {("a-1.hq", "record"), ("a-9.hq.tmp", "record"), ("a-3.hq.cmp", "record")} <= kinds


def test_ids_that_no_file_bears_are_noted() -> None:
    """That is no damage: restarts, reclaiming and compactions leave such gaps."""
    for numbers, gaps in (((1, 2, 4, 9), ["no file has the id 3, 5 to 8"]), ((1, 2), [])):
        files = {f"a-{number}.hq": data_file(number) for number in numbers}
        for op in (REFERENCE.read, REFERENCE.recover):
            seen = op(files, edition="v2")
            assert seen.verdict == "clean"
            assert [note.text for note in seen.notes if note.code == "file-id-gap"] == gaps


@pytest.mark.parametrize("edition", sorted(DIALECTS))
def test_windows_pass_every_record_and_nothing_else(edition: str) -> None:
    crowds = pytest.importorskip("journalspec_reference.crowds")
    dialect = DIALECTS[edition]
    records = [LAYOUT.build("record", edition, name, file_id=7) for name in dialect.codes]
    fakes = [record[:5] + b"\xff" * 40 for record in records]
    starts = [0, *accumulate(map(len, records + fakes + records))]
    found = crowds.Finder(b"".join(records + fakes + records), dialect.signs(7), starts[-1]).window(0)
    assert found.all.tolist() == starts[:-1]
    assert found.hopeful.tolist() == [*starts[: len(records)], *starts[-1 - len(records) : -1]]


def test_a_sweep_of_what_was_deleted_keeps_what_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    """In ordinary journals there are too few records for one."""
    monkeypatch.setattr(recover, "SWEEP_FROM", 4)
    kinds = ["ADD"] * 6 + ["DELETE"] * 2 + ["ADD", "UPDATE"] * 4
    ids = [1, 2, 3, 4, 5, 6, 2, 5, 7, 1, 8, 2, 9, 7, 10, 5]
    records = [
        LAYOUT.build("record", "v2", kind, file_id=1, id=number)
        for kind, number in zip(kinds, ids, strict=True)
    ]
    files = {"a-1.hq": LAYOUT.build("header", "v2", format_version=2, file_id=1) + b"".join(records)}
    seen: Any = REFERENCE.recover(files, edition="v2")
    assert [item["id"] for item in seen.state["live"]] == [1, 3, 4, 6, 7, 1, 8, 9, 7, 10]


def test_one_long_header_rules_out_the_editions_with_short_ones() -> None:
    """No record or fill makes a short header look long; any damage makes a long one look short."""
    short = LAYOUT.build("header", "seed", file_id=1) + LAYOUT.build("record", "seed", "ADD", file_id=1, id=1)
    (found,) = REFERENCE.detect({"a-1.hq": short, "a-2.hq": data_file(2), "a-3.hq": short})
    assert set(found.editions) == {"v2", "v2e"}


def test_names_of_hornetq_choose_its_edition() -> None:
    (found,) = REFERENCE.detect({"hornetq-bindings-1.bindings": data_file(1)})
    assert found.edition == "v2"
    (found,) = REFERENCE.detect({"activemq-bindings-1.bindings": data_file(1)})
    assert found.edition == "v2e"


def test_zeros_before_a_record_are_looked_at_once_however_long_they_are() -> None:
    """Padding is shorter than a block, so that a gap of any length costs no more than a search."""
    records = [LAYOUT.build("record", "v2", "ADD", file_id=1, id=number) for number in (1, 2)]
    data = (
        LAYOUT.build("header", "v2", format_version=2, file_id=1) + records[0] + bytes(1 << 22) + records[1]
    )
    (hole,) = REFERENCE.read({"a-1.hq": data}, edition="v2").dropped
    assert (hole.off, hole.length, hole.reason) == (16 + len(records[0]), 1 << 22, "hole")


def test_a_file_that_is_only_there_compressed_is_missing() -> None:
    files = {"a-1.hq": data_file(1), "a-2.hq.gz": data_file(2), "a-3.hq": data_file(3)}
    seen = REFERENCE.recover(files, edition="v2")
    assert [(item.code, item.name, item.file) for item in seen.missing] == [("file", "a-2.hq", "a-2.hq.gz")]
    assert not REFERENCE.recover({f"{name}.gz": data for name, data in files.items()}, edition="v2").missing
    beside = REFERENCE.recover({**files, "a-2.hq": data_file(2)}, edition="v2")
    assert (beside.verdict, [note.file for note in beside.notes]) == ("clean", ["a-2.hq.gz"])
