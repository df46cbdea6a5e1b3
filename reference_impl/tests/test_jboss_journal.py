"""What no case of the corpus shows of the JBoss journal's reference.

Control files as an operator sees them: their header, their lists, every byte named; gaps in
file ids; and long runs of a broker with reuse, compaction and restarts.
"""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

import pytest

from journalspec_reference import load
from journalspec_reference.api import Span
from journalspec_reference.storage import MemoryStorage

REFERENCE = load("jboss_journal")
EDITIONS = ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e")
COMPACTING = ("s2", "v1", "v2", "v2e")
NAME = "journal-rename-control.ctr"
#: Not what a control file's header holds: nobody looks at it, so it is shown as it is.
HEADER = struct.pack(">iiq", 5, 6, 7)


def name(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode()


LISTS = (
    struct.pack(">i", 1) + name("a-1.hq")
    + struct.pack(">i", 1) + name("a-3.hq.cmp")
    + struct.pack(">i", 1) + name("a-4.bak") + name("a-4.hq")
    + bytes(3)
)  # fmt: skip
RECORD = b"\x0b" + struct.pack(">ibqiB", 0, 0, 1, len(LISTS), 0) + LISTS
CONTROL = HEADER + RECORD + struct.pack(">i", len(RECORD) + 4)


def data_file(number: int) -> bytes:
    record = b"\x0b" + struct.pack(">ibqiB", number, 0, number, 1, 0) + b"x"
    return (struct.pack(">iiq", 2, 0, number) + record + struct.pack(">i", len(record) + 4)).ljust(100, b"\0")


FILES = {"a-1.hq": data_file(1), "a-2.hq": data_file(2), "a-3.hq.cmp": data_file(3), NAME: CONTROL}


def test_the_header_and_the_lists_are_those_of_the_file() -> None:
    seen = REFERENCE.read(FILES, edition="v2").to_json()
    (entry,) = (entry for entry in seen["files"] if entry["file"] == NAME)
    assert entry["role"] == "control"
    assert entry["header"] == {"format_version": "5", "user_version": "6", "file_id": "7"}
    assert entry["content"] == {
        "old_names": ["a-1.hq"],
        "new_names": ["a-3.hq.cmp"],
        "renames": [{"source": "a-4.bak", "target": "a-4.hq"}],
    }
    (record,) = (record for record in seen["records"] if record["at"]["file"] == NAME)
    assert (record["file_id"], record["body"]) == ("0", LISTS.hex())


def test_a_control_file_that_is_too_short_has_no_header() -> None:
    seen = REFERENCE.read({**FILES, NAME: CONTROL[:9]}, edition="v2")
    (entry,) = (entry for entry in seen.files if entry.file == NAME)
    assert (entry.header, entry.content, entry.length) == ({}, {}, 9)
    assert [note.code for note in seen.notes if note.file == NAME] == ["control-discarded"]


def test_every_byte_of_it_has_a_name() -> None:
    spans = [span for span in REFERENCE.spans(FILES, edition="v2") if span.file == NAME]
    fields = {span.path: span for span in spans if span.kind == "field"}
    assert [(fields[f"header.{key}"].off, fields[f"header.{key}"].value) for key in (
        "format_version", "user_version", "file_id"
    )] == [(0, "5"), (4, "6"), (8, "7")]  # fmt: skip
    told = {path: fields[f"record[0].{path}"].value for path in (
        "num_old", "old_names[0].name", "num_new", "new_names[0].name",
        "num_renames", "renames[0].source.name", "renames[0].target.name", "slack", "check_size",
    )}  # fmt: skip
    assert told == {
        "num_old": "1", "old_names[0].name": "a-1.hq", "num_new": "1", "new_names[0].name": "a-3.hq.cmp",
        "num_renames": "1", "renames[0].source.name": "a-4.bak", "renames[0].target.name": "a-4.hq",
        "slack": "000000", "check_size": str(len(RECORD) + 4),
    }  # fmt: skip
    assert covered(spans) == len(CONTROL)


def covered(spans: list[Span]) -> int:
    """Return how many bytes from the start on are named by one field after the other."""
    at = 0
    for span in spans:
        if span.kind == "field":
            assert span.off == at, span
            at += span.length
    return at


def test_superseded_files_and_leftovers_are_named_as_well() -> None:
    files = {**FILES, "a-9.hq.tmp": data_file(9)}
    kinds = {(span.file, span.kind) for span in REFERENCE.spans(files, edition="v2")}
    assert {("a-1.hq", "record"), ("a-9.hq.tmp", "record"), ("a-3.hq.cmp", "record")} <= kinds


def test_ids_that_no_file_bears_are_noted() -> None:
    files = {f"a-{number}.hq": data_file(number) for number in (1, 2, 4, 9)}
    for op in (REFERENCE.read, REFERENCE.recover):
        seen = op(files, edition="v2")
        assert seen.verdict == "clean"
        found = [note.text for note in seen.notes if note.code == "file-id-gap"]
        assert found == ["no file has the id 3, 5 to 8"]
    del files["a-4.hq"], files["a-9.hq"]
    assert REFERENCE.read(files, edition="v2").notes == ()


def test_gaps_are_normal_where_files_were_used_again() -> None:
    """Restarts, reclaiming and compactions leave them: no reason to call a journal damaged."""
    captured = Path(__file__).resolve().parents[2] / "corpus" / "captured" / "jboss_journal"
    gaps = 0
    for directory in sorted(captured.glob("*/*")):
        files = {
            path.name: path.read_bytes() for path in directory.iterdir() if path.suffix in (".hq", ".amq")
        }
        edition = "v2" if "hornetq" in str(directory) else "v2e"
        seen = REFERENCE.read(files, edition=edition)
        gaps += any(note.code == "file-id-gap" for note in seen.notes) and seen.verdict == "clean"
    assert gaps > 10


class Model:
    """A broker that keeps in mind what a journal should hold, and writes it."""

    def __init__(self, edition: str, params: dict[str, str], seed: int) -> None:
        self.random = random.Random(seed)
        self.edition, self.params = edition, params
        self.storage = MemoryStorage()
        self.live: dict[int, list[str]] = {}
        self.in_doubt: dict[int, list[tuple[int, str]]] = {}
        self.ids = self.txs = 0
        self.open()

    def open(self) -> None:
        self.writer = REFERENCE.writer(self.storage, edition=self.edition, params=self.params)
        self.writer.apply({"op": "open"})

    def do(self, op: str, **fields: Any) -> None:
        self.writer.apply({"op": op, **{key: str(value) for key, value in fields.items()}})

    def body(self, most: int) -> str:
        return self.random.randbytes(self.random.randrange(most)).hex()

    def step(self) -> None:
        choice = self.random.random()
        if choice < 0.35:
            self.ids += 1
            self.live[self.ids] = [self.body(200)]
            self.do("add", id=self.ids, body=self.live[self.ids][0])
        elif choice < 0.5 and self.live:
            ident = self.random.choice(list(self.live))
            self.live[ident].append(self.body(40))
            self.do("update", id=ident, body=self.live[ident][-1])
        elif choice < 0.85 and self.live:
            ident = self.random.choice(list(self.live))
            del self.live[ident]
            self.do("delete", id=ident)
        elif choice < 0.97:
            self.transaction()
        elif choice < 0.98 and self.edition in COMPACTING:
            self.do("compact")
        elif choice < 0.985:
            self.open()

    def transaction(self) -> None:
        self.txs += 1
        new = []
        for _ in range(self.random.randrange(1, 6)):
            self.ids += 1
            new.append((self.ids, self.body(300)))
            self.do("add_tx", tx=self.txs, id=self.ids, body=new[-1][1])
        gone = []
        if self.live and self.random.random() < 0.5:
            gone = [self.random.choice(list(self.live))]
            self.do("delete_tx", tx=self.txs, id=gone[0])
        end = self.random.random()
        if end < 0.6:
            self.do("commit", tx=self.txs)
            self.live.update({ident: [body] for ident, body in new})
            for ident in gone:
                del self.live[ident]
        elif end < 0.7 and not gone:
            self.do("prepare", tx=self.txs)
            self.in_doubt[self.txs] = new
        else:
            self.do("rollback", tx=self.txs)

    def check(self) -> None:
        files = {name: bytes(data) for name, data in self.storage.files.items()}
        seen: Any = REFERENCE.recover(files, edition=self.edition, params=self.params)
        assert seen.verdict == "clean"
        live: dict[int, list[str]] = {}
        for item in seen.state["live"]:
            live.setdefault(item["id"], []).append(item["body"].hex())
        assert live == self.live
        prepared = {
            item["tx"]: [(record["id"], record["body"].hex()) for record in item["records"]]
            for item in seen.state["prepared"]
        }
        assert prepared == self.in_doubt


@pytest.mark.parametrize("alignment", ["1", "512"])
@pytest.mark.parametrize("edition", EDITIONS)
def test_long_runs_with_reuse_compaction_and_restarts(edition: str, alignment: str) -> None:
    params = {"file_size": "4096", "alignment": alignment, "fill": "4a"}
    model = Model(edition, params, seed=5)
    for step in range(600):
        model.step()
        if step % 50 == 0:
            model.check()
    model.check()
