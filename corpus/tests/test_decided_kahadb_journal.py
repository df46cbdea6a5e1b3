"""KahaDB: situations that the requirements decide, and for which the smoke tier has no room.

Each is expected by hand. The reference must give it, and so must the naive reader, as far as it goes; a
faulty copy of the reference must not.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mutants import Mutant

from journalspec.observation import CLEAN, REFUSED
from journalspec_corpus.edits import apply
from journalspec_corpus.kahadb_journal import author, naive
from journalspec_reference import load
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals
from journalspec_reference.filesets import load as find_files

FORMAT = "kahadb_journal"
#: A control record whose batch has no bytes.
EMPTY = bytes.fromhex("0000001c02") + b"WRITE BATCH" + bytes(12)
UNUSABLE = {"notes": ["index-unusable"], "missing": []}


def _unused_file_1(data: bytes) -> dict[str, bytes]:
    return {"db-1.log": b"", "db-2.log": data + EMPTY + b"\1"}


def _odd_records_after_the_end(data: bytes) -> dict[str, bytes]:
    lines = ["r2 payload=00", "r3 payload=ff00", "r4 payload=000000"]
    batch = author.build({"batches": [lines], "end": "none"}, "5.16").files["db-1.log"]
    batch[32] = 9  # the type of the first record
    batch[20:28] = zlib.adler32(batch[28:]).to_bytes(8, "big")
    return {"db-1.log": data + b"-qMa4" + batch}


@dataclass(frozen=True)
class Situation:
    """Files by a base and edits or by a function, and what a reading says of them."""

    requirement: str
    base: Mapping[str, Any]
    #: the codes of all notes but `index`, and code, file and count of what is missing
    expected: Mapping[str, Any]
    #: place, text and replacement of the faulty copy
    fault: tuple[str, str, str]
    why: str
    edits: tuple[Mapping[str, Any], ...] = ()
    of_data: Callable[[bytes], Mapping[str, bytes]] | None = None
    edition: str = "5.16"

    def files(self) -> Mapping[str, bytes]:
        """Return the files."""
        built = author.build(self.base, self.edition)
        for edit in self.edits:
            apply(built, edit, lambda _: built, author.seal)
        content = built.content()
        return content if self.of_data is None else self.of_data(content["db-1.log"])


ONE: dict[str, Any] = {"batches": [["r1"]], "end": "none"}
QUEUE: dict[str, Any] = {"batches": [["r1"], ["r2"]], "index": {"messages": ["r1", "r2"], "last": "r2"}}
TOPIC: dict[str, Any] = {
    "files": [
        {"batches": [["r1 SUBSCRIPTION t=T sub=a info=41"], ["r2 t=T"]]},
        {"batches": [["r3 t=T"]]},
        {"batches": [["r4 t=T"], ["r5 REMOVE_MESSAGE t=T id=m3 sub=a"]]},
    ],
    "index": {"messages": ["r2", "r3", "r4"], "last": "r4", "subscriptions": {"T:a": ["r2", "r3", "r4"]}},
}
ONE_IS_GONE = {"notes": ["file-id-gap"], "missing": [("file", "db-2.log", 0)]}
SITUATIONS = {
    "an-empty-batch-in-the-search": Situation(
        "KHD-END-011",
        ONE,
        {"notes": ["suspicious-end"], "missing": []},
        ("scan:scan", "ended, after = EMPTY, body", "ended = EMPTY"),
        "after an empty batch the search continues at the next byte",
        of_data=lambda data: {"db-1.log": data + EMPTY + EMPTY[:25] + data},
    ),
    "a-record-alone-and-a-suspicious-end": Situation(
        "KHD-FIL-013",
        ONE,
        {"notes": ["suspicious-end"], "missing": []},
        ("recover:_too_large_for", "CONTROL + size and", "CONTROL + size == file.length and"),
        "a suspicious end is damage",
        of_data=_unused_file_1,
    ),
    "odd-records-after-the-end": Situation(
        "KHD-END-011",
        ONE,
        {"notes": ["beyond-end"], "missing": []},
        (
            "recover:Walk._end",
            "yield batch.notes[0]",
            "self._parse(file, batch, skipping=False)\n                    yield from batch.notes",
        ),
        "records after the end have the notes of records",
        of_data=_odd_records_after_the_end,
    ),
    "a-later-end-of-the-queue": Situation(
        "KHD-IDX-007",
        {"batches": [["r1"], ["r2"], ["r3 REMOVE_DESTINATION"]], "index": QUEUE["index"]},
        {"notes": [], "missing": []},
        (
            "evidence:Known.without",
            "in self.committed.items() if key[0] not in gone",
            "in self.committed.items()",
        ),
        "only a REMOVE_MESSAGE takes a message away",
    ),
    "a-temporary-queue": Situation(
        "KHD-IDX-007",
        {"batches": [["r1 tq=Q tx=c:1"], ["r2"]], "index": QUEUE["index"]},
        {"notes": ["incomplete-transaction", "index-only-messages"], "missing": []},
        (
            "evidence:Known.__init__",
            "elif ident not in known and roots.subscriptions is None:",
            'elif ident not in known and roots.name[0] == "QUEUE":',
        ),
        "queues are those of the kind QUEUE",
    ),
    "a-later-update": Situation(
        "KHD-IDX-011",
        {
            "batches": [["r1"], ["r2"], ["r3 UPDATE_MESSAGE id=m1"]],
            "index": {"messages": ["r2"], "last": "r2"},
        },
        {"notes": [], "missing": []},
        ("evidence:Known.covers", "self.index.version >= _UPDATES_ADD and ", "False and "),
        "a message is as old as its first record",
    ),
    "a-later-update-in-version-4": Situation(
        "KHD-IDX-011",
        {
            "batches": [["r1"], ["r2"], ["r3 UPDATE_MESSAGE id=m1"]],
            "index": {"messages": ["r2"], "last": "r2", "version": 4},
        },
        {"notes": ["index-hides"], "missing": []},
        ("evidence:Known.covers", "self.index.version >= _UPDATES_ADD and ", ""),
        "an UPDATE_MESSAGE adds a message in every release",
    ),
    "the-rest-of-a-rewritten-file": Situation(
        "KHD-IDX-006",
        {
            "files": [
                {"batches": [["r1"]]},
                {"batches": [["r2"]]},
                {"batches": [["r3 REWRITTEN_DATA_FILE source=2", "r4 REMOVE_MESSAGE id=m1"]]},
            ],
            "index": QUEUE["index"],
        },
        {"notes": ["rewritten-skipped"], "missing": [("file", "db-1.log", 1)]},
        ("recover:JournalPass._later", "ignored = turn", "ignored = -1"),
        "all later records are looked at",
        edits=({"delete": "db-1.log"},),
    ),
    "prepared-commands-that-were-replaced": Situation(
        "KHD-IDX-006",
        {
            "files": [
                {"batches": [["r1"]]},
                {
                    "batches": [
                        ["r2"],
                        ["r3 REMOVE_MESSAGE id=m1 xa=1:01:02"],
                        ["r4 PREPARE xa=1:01:02"],
                        ["r5 REMOVE_MESSAGE id=m9 xa=1:01:02"],
                        ["r6 PREPARE xa=1:01:02"],
                        ["r7 COMMIT xa=1:01:02"],
                    ]
                },
            ],
            "index": QUEUE["index"],
        },
        {"notes": [], "missing": [("file", "db-1.log", 0)]},
        ("store:Store.is_open", "return tx in", 'return (tx is not None and tx[0] == "XA") or tx in'),
        "commands that were replaced have no end",
        edits=({"delete": "db-1.log"},),
    ),
    "a-first-page-that-ends-before-openwire": Situation(
        "KHD-IDX-003",
        QUEUE,
        UNUSABLE,
        (
            "index:Index.__init__",
            "self.openwire = first.number(_I4)",
            "self.openwire = first.number(_I4) if first.left else 6",
        ),
        "a store without a version of OpenWire has version 6",
        edits=({"at": "i.page0.start+9", "len": 8, "plus": -4},),
    ),
    "a-first-page-that-ends-after-its-version": Situation(
        "KHD-IDX-003",
        QUEUE,
        UNUSABLE,
        ("index:Index.__init__", "if self.version >= 5:", "if self.version >= 5 and first.left:"),
        "what follows the version may be absent",
        edits=({"at": "i.page0.start+9", "len": 8, "plus": -5},),
    ),
    "a-first-page-that-ends-before-its-version": Situation(
        "KHD-IDX-003",
        QUEUE,
        UNUSABLE,
        (
            "index:Index.__init__",
            "self.version = first.number(_I4)",
            "self.version = first.number(_I4) if first.left else 1",
        ),
        "an index without a version is of version 1",
        edits=({"at": "i.page0.start+9", "len": 8, "plus": -4},),
        edition="5.3",
    ),
    "a-first-page-that-is-not-used": Situation(
        "KHD-IDX-003",
        QUEUE,
        UNUSABLE,
        (
            "index:Index.__init__",
            'raise UnusableIndex("its first page is empty")',
            "first = _Bytes(bytes(14))",
        ),
        "what is not used is empty",
        edits=({"at": "i.page0.start", "len": 1, "hex": "00"},),
    ),
    "acknowledgements-that-are-damaged": Situation(
        "KHD-IDX-003",
        TOPIC,
        ONE_IS_GONE,
        (
            "index:Index._roots",
            "data.long(), data.long(), data.long() if",
            "data.long(), self.pages.object(data.long()) and 0, data.long() if",
        ),
        "every page that an entry refers to is read",
        edits=({"delete": "db-2.log"}, {"at": "i.page6.start", "len": 1, "hex": "07"}),
    ),
    "acknowledgements-on-a-page-of-another-tree": Situation(
        "KHD-IDX-003",
        TOPIC,
        ONE_IS_GONE,
        (
            "index:Index._roots",
            "data.long(), data.long(), data.long() if",
            "data.long(), self.pages.object(data.long()) and 0, data.long() if",
        ),
        "every page that an entry refers to is read",
        edits=({"delete": "db-2.log"}, {"at": "i.page1.start+62", "len": 8, "int": 4}),
    ),
    "places-of-subscriptions-that-are-damaged": Situation(
        "KHD-IDX-003",
        TOPIC,
        ONE_IS_GONE,
        (
            "index:Index._roots",
            "if self.version >= 5:\n                data.long()",
            "if self.version >= 5:\n                self.pages.object(data.long())",
        ),
        "every page that an entry refers to is read",
        edits=({"delete": "db-2.log"}, {"at": "i.page8.start", "len": 1, "hex": "07"}),
    ),
    "statistics-that-are-damaged": Situation(
        "KHD-IDX-003",
        TOPIC,
        ONE_IS_GONE,
        (
            "index:Index._roots",
            "if self.version >= 7:\n            data.long()",
            "if self.version >= 7:\n            self.pages.object(data.long())",
        ),
        "every page that an entry refers to is read",
        edits=({"delete": "db-2.log"}, {"at": "i.page11.start", "len": 1, "hex": "07"}),
    ),
    "a-subscription-without-an-acknowledgement": Situation(
        "KHD-IDX-006",
        {**TOPIC, "index": {**TOPIC["index"], "version": 1}},
        {"notes": ["file-id-gap"], "missing": [("file", "db-2.log", 1)]},
        (
            "index:Index.needed",
            "            for key, last in self.pages.tree(roots.acknowledged, _texts, _Bytes.longs):",
            """
            acked = dict(self.pages.tree(roots.acknowledged, _texts, _Bytes.longs))
            keys = [key for key, _ in self.subscriptions(roots)]
            self.pages.forget()
            for key, last in [(key, acked.get(key, -1)) for key in keys]:""",
        ),
        "a subscription without an acknowledgement needs all messages",
        edits=({"delete": "db-2.log"}, {"at": "i.page6.start", "len": 1, "hex": "00"}),
        edition="5.3",
    ),
    "a-text-that-is-not-utf-8": Situation(
        "KHD-IDX-003",
        QUEUE,
        UNUSABLE,
        ("index:_unmodified", '.decode("utf-8", "surrogatepass")', '.decode("utf-8", "replace")'),
        "texts are read as those of messages",
        edits=(
            {"at": "i.page2.start+42", "len": 1, "hex": "ff"},
            {"at": "i.page4.start+25", "len": 1, "hex": "ff"},
        ),
    ),
    "a-text-of-utf-8": Situation(
        "KHD-IDX-003",
        {"batches": [["r1 id=abcdef"]], "index": {"messages": ["r1"], "last": "r1"}},
        {"notes": ["index-only-messages", "index-hides"], "missing": []},
        (
            "index:_unmodified",
            "raw.replace(",
            r'raw.replace(b"\xf0", b"\xff").replace(',
        ),
        "a character of four bytes is no text of Java",
        edits=(
            {"at": "i.page2.start+34", "len": 4, "hex": "f09f9880"},
            {"at": "i.page4.start+25", "len": 4, "hex": "f09f9880"},
        ),
    ),
}


def _told(implementation: Any, situation: Situation) -> dict[str, Any]:
    seen = implementation.read(situation.files(), edition=situation.edition)
    return {
        "notes": [note.code for note in seen.notes if note.code != "index"],
        "missing": [(gone.code, gone.name, gone.count) for gone in seen.missing],
    }


@pytest.mark.parametrize("name", SITUATIONS)
def test_reference_and_naive_reader_decide_it(name: str) -> None:
    situation = SITUATIONS[name]
    assert _told(load(FORMAT), situation) == situation.expected
    seen = naive.read(situation.files(), situation.edition)
    gone = [(gone["code"], gone["name"], gone.get("count")) for gone in seen.get("missing", ())]
    assert gone == situation.expected["missing"]
    codes = [note for note in seen["notes"] if note in naive.NOTED]
    assert codes == [note for note in situation.expected["notes"] if note in naive.NOTED]


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_fault_changes_it(name: str) -> None:
    situation = SITUATIONS[name]
    faulty = Mutant(f"decided-{name}", FORMAT, *situation.fault, situation.why, (situation.requirement,))
    assert _told(faulty.implementation(), situation) != situation.expected


def test_a_directory_is_a_file_that_cannot_be_read_and_no_index(tmp_path: Path) -> None:
    """A case cannot have a directory of that name (KHD-FIL-015)."""
    for name in ("db-1.log", "db.data"):
        (tmp_path / name).mkdir()
    batches: list[dict[str, Any]] = [{"id": number, "batches": [[f"r{number}"]]} for number in (2, 3)]
    for name, data in author.build({"files": batches}, "5.16").content().items():
        (tmp_path / name).write_bytes(data)
    (journal,) = find_journals(find_files(tmp_path))
    seen = ask(journal, "strict").observation
    assert (seen.verdict, seen.code) == (REFUSED, "unreadable-file")
    (tmp_path / "db-1.log").rmdir()
    (journal,) = find_journals(find_files(tmp_path))
    seen = ask(journal, "strict").observation
    assert seen.verdict == CLEAN
    assert not any(note.file == "db.data" for note in seen.notes)
