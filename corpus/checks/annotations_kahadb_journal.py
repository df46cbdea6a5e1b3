"""What the gate on annotations knows of KahaDB: batches, and that a force is of one file.

Written from the specification (KHD-BAT, KHD-REC, KHD-WRT); commands are decoded by the naive parser. A record
has the place of its batch. Nothing is ever released, and no file begins a second life.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import witnesses
from journalspec.kahadb_journal import LAYOUT, checksum
from journalspec.observation import jsonable
from journalspec_corpus.crash.recorder import EDGES
from journalspec_corpus.crash.trace import Op, Trace
from journalspec_corpus.kahadb_journal import naive
from journalspec_corpus.kahadb_journal.author import payload, told
from journalspec_corpus.kahadb_journal.protobuf import NoCommand, command
from journalspec_corpus.kahadb_journal.workloads import TABLES, step_of
from witnesses import Call, Disk, Found

CONTROL, HEAD = 28, 5
MARKER, MAGIC = b"-qMa4", re.compile(b"WRITE BATCH")
#: The fields of a control record, and of the first record behind it, with where they begin.
FIELDS = (
    ("length", 0),
    ("type", 4),
    ("magic", 5),
    ("batch_size", 16),
    ("checksum", 20),
    ("record_length", 28),
    ("record_type", 32),
    ("command", 33),
    ("frame", 34),
)


class Witness(witnesses.GroupWitness):
    """One trace of a journal."""

    reader, tables = naive, TABLES
    #: Data files are known by their names (KHD-FIL-001).
    files = re.compile(r"db-\d+\.log")
    sign, before = MAGIC, HEAD
    #: What stands before all can be taken away once, as the table says.
    once = frozenset({91, 92})

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self.lies: dict[tuple[Any, ...], str] = {}

    def group(self, file: str, data: bytes, at: int) -> list[tuple[int, Found]]:
        """Return the records of a whole batch at `at`, each with where in `data` it begins; else nothing.

        An end marker may hide its first bytes: those are the same in every batch.
        """
        size = int.from_bytes(data[at + 16 : at + 20], "big", signed=True)
        stored = int.from_bytes(data[at + 20 : at + 28], "big", signed=True)
        body = data[at + CONTROL : at + CONTROL + size]
        if size < HEAD or len(body) < size or stored not in (0, checksum(body)):
            return []
        if (
            data[at : at + HEAD] not in (b"\0\0\0\x1c\x02", MARKER)
            or data[at + HEAD : at + 16] != MAGIC.pattern
        ):
            return []
        places = [0]
        while places[-1] < size:
            length = int.from_bytes(body[places[-1] : places[-1] + 4], "big")
            if length < HEAD:
                return []
            places.append(places[-1] + length)
        whole = data[at : at + CONTROL + size]
        ends = [start for _, start in FIELDS[1:]] + [CONTROL + places[1]]
        values = {name: whole[start:end] for (name, start), end in zip(FIELDS, ends, strict=True)}
        values["more"] = whole[CONTROL + places[1] :]
        out = []
        for start, end in pairwise(places):
            raw = body[start + HEAD : end]
            try:
                number, fields, _ = command(raw, self.edition)
            except NoCommand:
                return []
            name = LAYOUT.type_name(self.edition, number)
            key = witnesses.json_key({"type": name, **told(name, fields)})
            wants = (_about(name, fields), raw.hex())
            found = Found(file, at, CONTROL + size, key, (key,), wants, values)
            out.append((at + CONTROL + start, found))
        return out

    def asks(self, op: Mapping[str, Any]) -> Iterator[Call]:
        """Yield that a command is written, forced unless the operation says no; to open writes none."""
        if op["op"] == "append":
            yield Call(self._wants(op), durable=op.get("sync", True))

    def does(self, steps: Sequence[Any], life: int) -> Iterator[Call]:
        """Yield the calls of steps, each forced by itself or not."""
        for step in steps:
            yield from self.asks({**step.operation(life), "sync": self.trace.tags.get("force") == "each"})

    def _wants(self, op: Mapping[str, Any]) -> tuple[Any, ...]:
        number, fields, _ = command(bytes.fromhex(op["payload"]), self.edition)
        return _about(LAYOUT.type_name(self.edition, number), fields), op["payload"]

    def force(self, life: int) -> Iterator[Call]:
        """A note that nobody needs is appended, and forced; they are counted."""
        self.forces += 1
        yield from self.asks(_appended(f"r0 TRACE text=f{life}.{self.forces}"))

    def word(self, word: str) -> Iterator[Call]:
        """Do what a word says; the body of a batch that ends at an edge is as long as that takes."""
        if word in TABLES.rows["long"]["plain"]:
            yield from () if word == "w" else [Call()] if word == "o" else self.force(0)
            return
        step, size = step_of(word)
        wants = self._wants(step.operation(0))
        yield Call(wants[: 1 if size in EDGES else None], durable=not word.endswith("-"), may=True)

    def settles(self, standing: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Commit what was prepared and has no end."""
        ended = [said["transaction"] for said in standing if said["type"] in ("COMMIT", "ROLLBACK")]
        for said in standing:
            if said["type"] == "PREPARE" and said["transaction"] not in ended:
                tx = said["transaction"]
                yield _appended(f"r0 COMMIT xa={tx['format_id']}:{tx['gtrid']}:{tx['bqual']}")

    def promised(self, written: Sequence[Found], before: Sequence[Found]) -> set[tuple[Any, ...]]:
        """A force promises what this run has written to the same file (KHD-WRT-001, KHD-WRT-002).

        Who is told that a transaction is prepared or committed is told so of all of it (KHD-WRT-009).
        """
        said = [(found, found.file == written[-1].file, json.loads(found.key)) for found in written]
        ends = [each for _, here, each in said if here and each["type"] in ("PREPARE", "COMMIT")]
        ended = [each["transaction"] for each in ends]
        return {found.what for found, here, each in said if here or each.get("transaction") in ended}

    def did(self, op: Op, found: Sequence[Found], disk: Disk) -> None:
        """Nothing but the bytes decides what counts."""
        self.lies |= {each.what: each.file for each in found}

    def unkept(self, what: tuple[Any, ...], disk: Disk) -> str:
        """A command may lie in a file that was left without a force."""
        return "left" if self.lies.get(what) != [*self.lies.values()][-1] else ""


def _appended(text: str) -> Mapping[str, Any]:
    return {"op": "append", "payload": payload(text).hex()}


def _about(name: str, fields: Mapping[str, Any]) -> str:
    """Return what a command is about: all of it but the message's bytes."""
    said = {key: value for key, value in _said(told(name, fields)).items() if key != "message"}
    return json.dumps({"type": name, **said}, sort_keys=True)


def _said(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: jsonable(value) for name, value in fields.items()}
