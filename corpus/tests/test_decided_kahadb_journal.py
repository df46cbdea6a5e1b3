"""KahaDB: situations that the requirements decide, and for which the smoke tier has no room."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from decided import Situation
from journalspec.observation import CLEAN, REFUSED
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
    batch[32] = 9  # The type of the first record.
    batch[20:28] = zlib.adler32(batch[28:]).to_bytes(8, "big")
    return {"db-1.log": data + b"-qMa4" + batch}


@dataclass(frozen=True)
class OfData(Situation):
    """A situation whose files are computed from the content of the first file."""

    of_data: Callable[[bytes], Mapping[str, bytes]] = field(kw_only=True)


ONE: dict[str, Any] = {"batches": [["r1"]], "end": "none"}
#: A message whose id in the index can be replaced, and the answer if the index has another id.
SIX_CHARACTERS: dict[str, Any] = {"batches": [["r1 id=abcdef"]], "index": {"messages": ["r1"], "last": "r1"}}
OTHER_ID = {"notes": ["index-only-messages", "index-hides"], "missing": []}
QUEUE: dict[str, Any] = {"batches": [["r1"], ["r2"]], "index": {"messages": ["r1", "r2"], "last": "r2"}}
TOPIC: dict[str, Any] = {
    "files": [
        {"batches": [["r1 SUBSCRIPTION t=T sub=a info=41"], ["r2 t=T"]]},
        {"batches": [["r3 t=T"]]},
        {"batches": [["r4 t=T"], ["r5 REMOVE_MESSAGE t=T id=m3 sub=a"]]},
    ],
    "index": {"messages": ["r2", "r3", "r4"], "last": "r4", "subscriptions": {"T:a": ["r2", "r3", "r4"]}},
}
#: Two subscriptions of a topic; later the first of them acknowledges the message of file 2.
SHARED: dict[str, Any] = {
    "files": [
        {"batches": [["r1 SUBSCRIPTION t=T sub=a info=41", "r2 SUBSCRIPTION t=T sub=b info=42"]]},
        {"batches": [["r3 t=T"]]},
        {"batches": [["r4 t=T"], ["r5 REMOVE_MESSAGE t=T id=m3 sub=a"]]},
    ],
}
ONE_IS_PENDING: dict[str, Any] = {"messages": ["r3", "r4"], "last": "r4"}
OPENWIRE, VERSION = "self.openwire = first.number(_I4)", "self.version = first.number(_I4)"
ONE_IS_GONE = {"notes": ["file-id-gap"], "missing": [("file", "db-2.log", 0)]}
#: The keys of an expected answer are: ``notes`` (the codes of all notes but `index`), ``missing`` (code, file
#: and count of each entry), and ``unanchored`` (the types of the records). The last text of a situation is
#: the wrong rule of the faulty copy.
SITUATIONS: dict[str, Situation] = {
    "an-empty-batch-in-the-search": OfData(
        "KHD-END-011",
        ONE,
        {"notes": ["suspicious-end"], "missing": []},
        ("scan:scan", "ended, after = EMPTY, body", "ended = EMPTY"),
        "after an empty batch the search continues at the next byte",
        of_data=lambda data: {"db-1.log": data + EMPTY + EMPTY[:25] + data},
    ),
    "a-record-alone-and-a-suspicious-end": OfData(
        "KHD-FIL-018",
        ONE,
        {"notes": ["suspicious-end"], "missing": []},
        ("recover:_too_large_for", "CONTROL + size and", "CONTROL + size == file.length and"),
        "a suspicious end is damage",
        of_data=_unused_file_1,
    ),
    "odd-records-after-the-end": OfData(
        "KHD-END-011",
        ONE,
        {"notes": ["beyond-end"], "missing": [], "unanchored": ["OTHER", "TRACE"]},
        (
            "recover:Walk.batches",
            "batch.notes.append(beyond.notes[0])",
            "self._parse(file, beyond, plain=False)\n                            batch.notes += beyond.notes",
        ),
        "notes on records after the end are notes of the journal",
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
            "evidence:Known._differs",
            "elif ident not in known and roots.subscriptions is None:",
            'elif ident not in known and roots.name[0] == "QUEUE":',
        ),
        "only destinations of the kind QUEUE are queues",
    ),
    "a-later-update": Situation(
        "KHD-IDX-023",
        {
            "batches": [["r1"], ["r2"], ["r3 UPDATE_MESSAGE id=m1"]],
            "index": {"messages": ["r2"], "last": "r2"},
        },
        {"notes": [], "missing": []},
        ("evidence:Known.covers", "self._adds and ", "False and "),
        "a message is as old as its first record",
    ),
    "a-later-update-in-version-5": Situation(
        "KHD-IDX-023",
        {
            "batches": [["r1"], ["r2"], ["r3 UPDATE_MESSAGE id=m1"]],
            "index": {"messages": ["r2"], "last": "r2", "version": 5},
        },
        {"notes": ["index-hides"], "missing": []},
        ("evidence:Known.__init__", ">= _UPDATES_ADD", ">= _UPDATES_ADD - 1"),
        "an UPDATE_MESSAGE adds a message in every release",
    ),
    "the-rest-of-a-rewritten-file": Situation(
        "KHD-IDX-019",
        {
            "files": [
                {"batches": [["r1"]]},
                {"batches": [["r2"]]},
                {"batches": [["r3 REWRITTEN_DATA_FILE source=2", "r4 REMOVE_MESSAGE id=m1"]]},
            ],
            "index": QUEUE["index"],
        },
        {"notes": ["rewritten-skipped"], "missing": [("file", "db-1.log", 1)]},
        ("recover:JournalPass._later", "live=True", "live=False"),
        "all later records have an effect, even those of a rewritten file",
        edits=({"delete": "db-1.log"},),
    ),
    "prepared-commands-that-were-replaced": Situation(
        "KHD-IDX-020",
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
    "a-first-page-that-is-not-used": Situation(
        "KHD-IDX-016",
        QUEUE,
        UNUSABLE,
        (
            "index:Index.__init__",
            'raise UnusableIndex("its first page is empty")',
            "first = _Bytes(bytes(14))",
        ),
        "an unused first page means an empty index",
        edits=({"at": "i.page0.start", "len": 1, "hex": "00"},),
    ),
    "a-subscription-without-an-acknowledgement": Situation(
        "KHD-IDX-021",
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
        "KHD-IDX-017",
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
        "KHD-IDX-017",
        SIX_CHARACTERS,
        OTHER_ID,
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
    "a-torn-tail-after-a-record-alone": OfData(
        "KHD-FIL-018",
        ONE,
        {"notes": ["torn-tail"], "missing": [("emptied-file", "db-1.log", None)]},
        (
            "recover:_too_large_for",
            """
    end = found[-1].more.get("end", (0, ""))
    return end[0] == CONTROL + size and not any(batch.damage for batch in found)""",
            "\n    return found[0].end[-1] == CONTROL + size",
        ),
        "bytes after the record do not matter",
        of_data=lambda data: {"db-1.log": b"", "db-2.log": data + b"x"},
    ),
    "an-unused-file-between-emptied-ones": OfData(
        "KHD-FIL-016",
        ONE,
        {"notes": ["unused-file"], "missing": [("emptied-file", "db-1.log", None)]},
        (
            "recover:emptied",
            '"unused":\n',
            '"unused":\n            waiting = []\n',
        ),
        "an unused file is the next file",
        of_data=lambda data: {"db-1.log": b"", "db-2.log": b"-qMa4", "db-3.log": b"", "db-4.log": data},
    ),
    "an-unknown-type-in-a-part-without-effect": Situation(
        "KHD-REC-004",
        {"files": [{"batches": [["r1"]]}, {"batches": [["r2 REWRITTEN_DATA_FILE source=1"], ["r3"]]}]},
        {"notes": ["unknown-type", "rewritten-skipped"], "missing": []},
        (
            "recover:Walk.batches",
            'skips = "live" in batch.more',
            'skips = "live" in batch.more\n                batch.notes *= not skips',
        ),
        "nothing is reported about records without effect",
        edits=({"at": "r3.type", "hex": "09"}, {"seal": "b3"}),
    ),
    "an-index-without-places": Situation(
        "KHD-IDX-019",
        {"batches": [["r1"]], "index": {}},
        {"notes": [], "missing": []},
        ("index:Index.bound", "else (0, 0)", "else (1 << 31, 0)"),
        "an index without a last update covers everything",
    ),
    "an-acknowledgement-of-the-only-subscription-that-needs-it": Situation(
        "KHD-IDX-021",
        {**SHARED, "index": {**ONE_IS_PENDING, "subscriptions": {"T:a": ["r3", "r4"], "T:b": ["r4"]}}},
        ONE_IS_GONE,
        (
            "evidence:Known._acknowledge",
            "<= done[number]:",
            "<= done[number] == len(dict(self.index.subscriptions(self.topics[name]))):",
        ),
        "each subscription of the topic must acknowledge",
        edits=({"delete": "db-2.log"},),
    ),
    "an-acknowledgement-of-a-message-that-is-not-pending": Situation(
        "KHD-IDX-021",
        {**SHARED, "index": {**ONE_IS_PENDING, "subscriptions": {"T:a": ["r4"], "T:b": ["r4"]}}},
        {"notes": ["file-id-gap"], "missing": [("file", "db-2.log", 1)]},
        ("evidence:Known._acknowledge", "0 < owed[number]", "owed[number]"),
        "a message that is pending for no subscription is being acknowledged",
        edits=({"delete": "db-2.log"},),
    ),
    "an-uncommitted-message-of-a-topic": Situation(
        "KHD-IDX-007",
        {
            "batches": [["r1 SUBSCRIPTION t=T sub=a info=41"], ["r2 t=T tx=c:1"], ["r3 t=T"]],
            "index": {"messages": ["r2", "r3"], "last": "r3", "subscriptions": {"T:a": ["r2", "r3"]}},
        },
        {"notes": ["incomplete-transaction"], "missing": []},
        (
            "evidence:Known._differs",
            "elif ident not in known and roots.subscriptions is None:",
            "elif ident not in known:",
        ),
        "topics are compared, too",
    ),
    "another-message-at-the-place": Situation(
        "KHD-IDX-007",
        {"batches": [["r1"]], "index": {"messages": ["r1"], "last": "r1"}},
        {"notes": ["index-only-messages", "index-hides"], "missing": []},
        (
            "evidence:Known._differs",
            "elif not log.adds(place, known.get(ident)):",
            "elif ident not in known or not log.adds(place, known.get(ident)):",
        ),
        "the record at the offset must be an ADD of the same message",
        edits=(
            {"at": "i.page2.start+35", "len": 1, "hex": "39"},
            {"at": "i.page4.start+26", "len": 1, "hex": "39"},
        ),
    ),
    "a-temporary-topic-in-version-2": Situation(
        "KHD-IDX-023",
        {
            "batches": [["r1"], ["r2 SUBSCRIPTION tt=T sub=a info=41"], ["r3 tt=T"]],
            "index": {"messages": ["r1"], "last": "r3", "version": 2},
        },
        {"notes": [], "missing": []},
        ("evidence:Known._hide_others", "name[0] not in TOPICS", 'name[0] != "TOPIC"'),
        "only destinations of the kind TOPIC are topics",
        edition="5.3",
    ),
    "a-last-update-that-is-not-a-command": Situation(
        "KHD-IDX-002",
        {"batches": [["r1"], ["r2 payload=ff"]], "index": {"messages": ["r1"], "last": "r2"}},
        {"notes": ["bad-command"], "missing": [("records", "db-1.log", 0)]},
        (
            "recover:JournalPass._take",
            "self._ends[file.number] = batch.base + batch.end[-1]\n",
            """self._ends[file.number] = batch.base + batch.end[-1]
        for _, at, why in batch.damage:
            if why == "bad-command":
                self._ends[file.number] = at
""",
        ),
        "a record that is dropped is still the last one",
        policy="salvage",
    ),
    "a-last-update-that-is-not-a-command-and-not-the-end": Situation(
        "KHD-IDX-013",
        {"batches": [["r1"], ["r2 payload=ff"], ["r3"]], "index": {"messages": ["r1"], "last": "r2"}},
        {"notes": ["bad-command", "index-disagrees"], "missing": []},
        (
            "evidence:Evidence.looks",
            "self._found_last |= at <",
            "self._found_last |= any(start == last[1] for start, _, _ in batch.damage) or at <",
        ),
        "a record that is dropped is still a record",
        policy="salvage",
    ),
    "a-message-twice-in-the-order-trees": Situation(
        "KHD-IDX-018",
        QUEUE,
        {"notes": ["index-disagrees"], "missing": []},
        ("index:Index.messages", "for root in roots.orders:", "for root in roots.orders[:1]:"),
        "an entry that is repeated adds nothing",
        edits=({"at": "i.page6", "paste": ":i.page2"},),
    ),
    "a-destination-twice": Situation(
        "KHD-IDX-017",
        {"batches": [["r1"], ["r2 q=R"]], "index": QUEUE["index"]},
        UNUSABLE,
        ("index:Index.destinations", "if name in names:", "if False:"),
        "entries with one key are joined",
        edits=({"at": "i.page1.start+32", "len": 1, "hex": "51"},),
    ),
    "a-kind-of-two-digits": Situation(
        "KHD-IDX-017",
        {"batches": [["r1 q=QQ"]], "index": {"messages": ["r1"], "last": "r1"}},
        UNUSABLE,
        ("index:Index._name", "if kind not in", 'if (kind := kind.lstrip("0") or "0") not in'),
        "the kind is any decimal number",
        edits=({"at": "i.page1.start+25", "len": 4, "hex": "30303a51"},),
    ),
    "a-leaf-without-its-next-leaf": Situation(
        "KHD-IDX-015",
        QUEUE,
        UNUSABLE,
        ("index:_Pages.leaves", "node.long()", "pass"),
        "a member that is not needed may be absent",
        edits=({"at": "i.page4.start+9", "len": 8, "plus": -8},),
    ),
    "a-key-twice-in-the-header": Situation(
        "KHD-IDX-003",
        QUEUE,
        {"notes": [], "missing": []},
        ("index:_header", "re.MULTILINE)", "re.MULTILINE)[::-1]"),
        "if a key occurs twice, its first value is used",
        edits=({"at": "i.header1.start+2", "len": 17, "hex": b"pageSize=00000192".hex()},),
    ),
    "a-length-of-six-bytes-for-a-subscription": Situation(
        "KHD-IDX-026",
        TOPIC,
        ONE_IS_GONE,
        ("index:_command", "varint(data.data, data.at)", "varint(data.data[: data.at + 5], data.at)"),
        "the length has at most five bytes",
        edits=(
            {"delete": "db-2.log"},
            {"at": "i.page5.start+9", "len": 8, "plus": 5},
            {"at": "i.page5.start+27", "len": 14, "hex": "808080808000ffffffffffffffff"},
        ),
    ),
    "a-text-of-both-forms": Situation(
        "KHD-IDX-017",
        SIX_CHARACTERS,
        OTHER_ID,
        (
            "index:_unmodified",
            "units = raw.replace(",
            r'units = (raw + b"\xff" * (b"\xf0" in raw and b"\xc0" in raw)).replace(',
        ),
        "a text is either completely UTF-8 or completely modified UTF-8",
        edits=(
            {"at": "i.page2.start+34", "len": 6, "hex": "f09f9880c080"},
            {"at": "i.page4.start+25", "len": 6, "hex": "f09f9880c080"},
        ),
    ),
}

READ = "self.pages.object(data.long())"
ACKS = "data.long(), data.long() if", f"{READ} and 0, data.long() if"
SITUATIONS |= {
    name: Situation(
        "KHD-IDX-026",
        TOPIC,
        ONE_IS_GONE,
        ("index:Index._roots", find, replace),
        "every page that an entry refers to is read",
        edits=({"delete": "db-2.log"}, edit),
    )
    for name, edit, (find, replace) in (
        ("acknowledgements-that-are-damaged", {"at": "i.page6.start", "len": 1, "hex": "07"}, ACKS),
        ("acknowledgements-on-a-page-of-another-tree", {"at": "i.page1.start+62", "len": 8, "int": 4}, ACKS),
        (
            "places-of-subscriptions-that-are-damaged",
            {"at": "i.page8.start", "len": 1, "hex": "07"},
            (">= 5:\n                data.long()", f">= 5:\n                {READ}"),
        ),
        (
            "statistics-that-are-damaged",
            {"at": "i.page11.start", "len": 1, "hex": "07"},
            (">= 7:\n            data.long()", f">= 7:\n            {READ}"),
        ),
    )
}
SITUATIONS |= {
    f"a-first-page-that-ends-{name}": Situation(
        "KHD-IDX-015",
        {**QUEUE, "index": {**QUEUE["index"], **index}},
        UNUSABLE,
        ("index:Index.__init__", find, f"{find} if {unless} else {value}"),
        f"an absent member has the value {value}",
        edits=({"at": "i.page0.start+9", "len": 8, "plus": -less},),
        edition=edition,
    )
    for name, edition, index, less, find, unless, value in (
        ("before-openwire", "5.16", {}, 4, OPENWIRE, "first.left", 6),
        ("before-openwire-in-version-5", "5.3", {"version": 5}, 4, OPENWIRE, "first.left", 6),
        ("after-its-version", "5.16", {}, 5, "if self.version >= 5", "first.left", "False"),
        ("before-its-version", "5.3", {}, 4, VERSION, "first.left", 1),
        ("within-its-version", "5.3", {}, 2, VERSION, "first.left > 3", 1),
        ("after-a-place-of-the-audit", "5.3", {"audit": "r1"}, 4, VERSION, "not self.audit", 1),
    )
}


def _files(situation: Situation) -> Mapping[str, bytes]:
    content = situation.built(FORMAT).content()
    return situation.of_data(content["db-1.log"]) if isinstance(situation, OfData) else content


def _told(implementation: Any, situation: Situation) -> dict[str, Any]:
    seen = situation.answer(implementation, _files(situation), FORMAT)
    told = {
        "notes": [note.code for note in seen.notes if note.code != "index"],
        "missing": [(gone.code, gone.name, gone.count) for gone in seen.missing],
    }
    beside = [record.type for record in seen.unanchored]
    return told | ({"unanchored": beside} if beside else {})


@pytest.mark.parametrize("name", SITUATIONS)
def test_reference_and_naive_reader_return_the_decided_answer(name: str) -> None:
    situation = SITUATIONS[name]
    assert _told(load(FORMAT), situation) == situation.expected
    if situation.policy:
        seen = naive.recover(_files(situation), situation.edition_in(FORMAT), situation.policy)
    else:
        seen = naive.read(_files(situation), situation.edition_in(FORMAT))
    gone = [(gone["code"], gone["name"], gone.get("count")) for gone in seen.get("missing", ())]
    assert gone == situation.expected["missing"]
    codes = [note for note in seen["notes"] if note in naive.NOTED]
    assert codes == [note for note in situation.expected["notes"] if note in naive.NOTED]


@pytest.mark.parametrize("name", SITUATIONS)
def test_faulty_copy_returns_another_answer(name: str) -> None:
    situation = SITUATIONS[name]
    assert _told(situation.faulty(FORMAT, name), situation) != situation.expected


def test_directory_with_the_name_of_the_index_is_an_unreadable_file(tmp_path: Path) -> None:
    """A case cannot contain a directory of that name (KHD-FIL-015)."""
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
