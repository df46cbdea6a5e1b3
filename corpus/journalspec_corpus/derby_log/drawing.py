"""Logs of Derby drawn at random: valid ones, fields that lie under right sums, files made to cost much."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from journalspec.derby_log.operations import body, row_of
from journalspec.layout import integer, joined
from journalspec_corpus.derby_log.author import FORMAT, build, container_of, seal
from journalspec_corpus.derby_log.model import TableRows, shown_state
from journalspec_corpus.derby_log.naive import HEADER, UNCHECKED
from journalspec_corpus.drawn import DrawnJournal, drawn, repeated
from journalspec_corpus.edits import Built

MODEL = TableRows()
#: What a field may lie with, of any width.
LIES = [
    bytes.fromhex(lie)
    for lie in ("ff" * 8, "80" + "00" * 7, "7f" + "ff" * 7, "00" * 8, "00" * 7 + "01", "40" + "00" * 7)
]
Groups = list[list[str]]
#: The first place in a log.
START = 1 << 32 | HEADER


def base(edition: str, rng: random.Random, *, wide: bool = False) -> DrawnJournal:
    """Return a small valid log of `edition`: a few transactions, in one or two files."""
    first = rng.randrange(1, 2**22 - 8 if edition == "10.0" else 2**31 - 8) if wide else rng.randrange(1, 9)
    count, zeros = rng.choice((1, 1, 2)), rng.choice((0, rng.randrange(4, 60)))
    lives = []
    for _ in range(2):
        groups, state = _seed_life(rng) if edition == "seed" else _life(rng, wide=wide)
        lives.append((_laid(edition, rng, groups, first, count), state))
    (now, state), (then, _) = lives
    for name, data in now.files.items():
        if name == f"log{first + count - 1}.dat":
            data.extend(bytes(zeros))
        then.files[name] = (then.files[name] + bytes(len(data)))[: len(data)]
    return drawn((FORMAT, edition), (now, then), state, ends=_ends(now, edition))


def _laid(edition: str, rng: random.Random, groups: Groups, first: int, count: int) -> Built:
    cut = rng.randrange(1, len(groups) + 1) if count > 1 else len(groups)
    files = [{"groups": part} for part in (groups[:cut], groups[cut:])[:count]]
    return build({"first": first, "files": files, "checkpoint": groups[0][0].split()[0]}, edition)


def _ends(built: Built, edition: str) -> list[int]:
    """Return where the group of each record ends: with checksums it is there as a whole or not at all."""
    groups = [
        spot for label, spot in built.labels.items() if label.startswith("g") and label.endswith(".whole")
    ]
    found = []
    for record in built.records.values():
        at = record["at"]
        own = int(at["off"]) + int(at["len"])
        found.append(own)
        for spot in () if edition in UNCHECKED else groups:
            if spot.file == at["file"] and spot.off < own <= spot.end:
                found[-1] = spot.end
    return found


def _seed_life(rng: random.Random) -> tuple[Groups, Mapping[str, Any]]:
    """Return records whose bodies nobody can read: they are all that there is."""
    bodies = [rng.randbytes(rng.randrange(1, 40)) for _ in range(rng.randrange(1, 6))]
    groups = [[f"r{number} body={data.hex()}"] for number, data in enumerate(bodies, start=1)]
    return groups, {"bodies": bodies}


class _Life:
    """Operations on two tables, as texts and as the model knows them."""

    def __init__(self, rng: random.Random, *, wide: bool) -> None:
        self.rng, self.wide = rng, wide
        self.number = rng.randrange(200, 2**60) if wide else 200
        self.kept = MODEL.begin({})
        self.texts: list[str] = []
        #: Open transactions: number -> whether it is a branch, and the labels of its changes.
        self.open: dict[int, tuple[bool, list[str]]] = {}
        self.keys = 0

    def do(self) -> None:
        """Begin a transaction, change a row in one, or end one."""
        if not self.open or not self.rng.randrange(5):
            self.begin()
        number = self.rng.choice(sorted(self.open))
        branch, changes = self.open[number]
        if changes and not self.rng.randrange(2):
            self.end(
                number, self.rng.choice(("COMMIT", "COMMIT", "ABORT", *(("PREPARE",) * 3 if branch else ())))
            )
        else:
            self.change(number)

    def begin(self) -> None:
        self.number += 1
        branch = not self.rng.randrange(3)
        self.open[self.number] = branch, []
        self.texts.append(f"b{self.number} BEGIN{self._xa(self.number) if branch else ''}")
        if branch:
            self._model(op="start", tx=str(self.number), gtrid=f"{self.number:016x}", bqual="01")

    def change(self, number: int) -> None:
        rows, changes, _ = self.kept
        held = {row[:2] for done in changes.values() for _, row in done}
        free = sorted(row[:2] for row in rows if row[:2] not in held)
        self.keys += 1
        value = f"v{self.keys}" + ("x" * self.rng.randrange(300) if self.wide else "")
        label = f"x{len(self.texts)}"
        if free and self.rng.randrange(3) == 0:
            table, key = self.rng.choice(free)
            kind = self.rng.choice(("UPDATE", "DELETE"))
        else:
            table, key, kind = self.rng.choice("TU"), str(self.keys), "INSERT"
        text = f"{label} {kind} table={table} key={key} tx={number}"
        self.texts.append(text + (f" value={value}" if kind != "DELETE" else ""))
        told = {} if kind == "DELETE" else {"value": value}
        self._model(op=kind.lower(), table=table, key=key, tx=str(number), **told)
        self.open[number][1].append(label)

    def end(self, number: int, how: str) -> None:
        branch, changes = self.open.pop(number)
        for label in reversed(changes) if how == "ABORT" else ():
            self.texts.append(f"u{label} UNDO of={label} tx={number}")
        self.texts.append(f"e{number} {how}{self._xa(number) if branch else ''}")
        op = {"COMMIT": "commit", "ABORT": "rollback", "PREPARE": "prepare"}[how]
        self._model(op=op, tx=str(number))

    @staticmethod
    def _xa(number: int) -> str:
        return f" xa=1:{number:016x}:01"

    def _model(self, **op: Any) -> None:
        self.kept = MODEL.after(self.kept, op, "")


def _life(rng: random.Random, *, wide: bool) -> tuple[Groups, Mapping[str, Any]]:
    life = _Life(rng, wide=wide)
    for _ in range(rng.randrange(12)):
        life.do()
    # The first group has the checkpoint from which recovery begins.
    groups: Groups = [["k1 CHECKPOINT tx=1 group=0x101 open=1"], ["c1 COMMIT"]]
    for text in life.texts:
        if rng.randrange(2):
            groups.append([text])
        else:
            groups[-1].append(text)
    return groups, _state(MODEL.shown(MODEL.after(life.kept, {"op": "open"}, "")))


def _state(shown: Mapping[str, Any]) -> Mapping[str, Any]:
    branches = (((1, *map(bytes.fromhex, ids)), come, gone) for ids, come, gone in shown["in_doubt"])
    return shown_state(shown["rows"], branches)


def lies(edition: str, rng: random.Random) -> dict[str, bytes]:
    """Return files in which fields of records, headers and control files lie, under right checksums."""
    groups, _ = _seed_life(rng) if edition == "seed" else _life(rng, wide=False)
    built = _laid(edition, rng, groups, 1, rng.choice((1, 2)))
    names = [label for label, spot in built.labels.items() if spot.length > 0 and "." in label]
    for _ in range(rng.choice((1, 1, 2))):
        spot = built.range(rng.choice(names))
        if spot.length <= len(LIES[0]):
            built.put(spot, rng.choice((rng.choice(LIES)[: spot.length], rng.randbytes(spot.length))))
        else:
            built.files[spot.file][spot.off + rng.randrange(spot.length)] ^= 1 << rng.randrange(8)
    if edition not in UNCHECKED:
        for number in range(1, len(groups) + 1):
            seal(built, f"g{number}")
    if edition != "seed":
        for label in ("control", "mirror"):
            seal(built, label)
    return built.content()


def _record(at: int, text: bytes) -> bytes:
    length = integer(len(text), 4)
    return length + integer(1 << 32 | at, 8) + text + length


def _text(**values: Any) -> bytes:
    return joined(body({"group": 0x180, "transaction": 1, **values}))


def _many(size: int, texts: Callable[[int], bytes]) -> bytes:
    """Return records, one behind the other, of about `size` bytes."""
    out, number = bytearray(), 0
    while len(out) < size:
        out += _record(HEADER + len(out), texts(number))
        number += 1
    return bytes(out)


def _sum(at: int, data: bytes, covers: int) -> bytes:
    said = {"algorithm": 1, "data_length": covers, "checksum": zlib.crc32(data)}
    return _record(at, _text(operation="CHECKSUM", group=0x900, transaction=None, **said))


def _nested(size: int, *, right: bool) -> bytes:
    """Return checksum records each of which covers all that follows, with the right sum or without."""
    each = len(_sum(0, b"", 0))
    out = b""
    for number in reversed(range(size // each)):
        out = _sum(HEADER + number * each, out if right else b"", len(out)) + out
    return out


def _rows(edition: str, size: int) -> Iterator[tuple[str, bytes]]:
    container = container_of("T", edition)

    def change(operation: str, number: int, **fields: Any) -> bytes:
        return _text(operation=operation, container=container, page=1, page_version=2 + number, **fields)

    def begin(number: int) -> bytes:
        return _text(operation="BEGIN", group=0x101, transaction=number)

    def insert(number: int) -> bytes:
        row = {"record_id": 7 + number, "slot": number + 1, "insert_flags": 1}
        return change("INSERT", number, **row, data=row_of(7 + number, number, b"v"))

    def purge(number: int) -> bytes:
        found = change("PURGE", number)
        return found[:-5] + b"\xbf\xff\xff\xff" + found[-5:]

    def undone(number: int) -> bytes:
        """Return an insert, or what undoes the first record."""
        if number % 2 == 0:
            return insert(number)
        return change("LOGICAL_UNDO", number, group=0x184, undone=START, record_id=7)

    def begun(change: Callable[[int], bytes]) -> Callable[[int], bytes]:
        return lambda number: change(number - 1) if number else begin(1)

    yield "transactions", _many(size, lambda number: begin(200 + number))
    yield "inserts", _many(size, begun(insert))
    yield "undone-ever-again", _many(size, begun(undone))
    yield "never-began", _many(size, insert)
    yield "rows-that-are-not-there", _many(size, purge)
    entries = [{"entry": {"transaction": {"number": number}}} for number in range(200, 200 + size // 14)]
    said = {"redo_from": START, "undo_from": START, "has_table": 1, "table": {"entries": entries}}
    yield "open-transactions", _record(HEADER, _text(operation="CHECKPOINT", group=0x101, **said))


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes that tempt a reader into more than linear work."""
    text = b"\0\x81" if edition == "seed" else _text(operation="BEGIN", group=0x101, transaction=None)
    data = {
        "zeros": bytes(size),
        "zeros-then-a-byte": bytes(size) + b"\1",
        "ones": b"\1" * size,
        "largest-lengths": repeated(b"\x7f\xff\xff\xff", size),
        "too-large": integer(size, 4) + integer(START, 8) + bytes(size),
        "one-record": _record(HEADER, bytes(size)),
        "small-records": _many(size, lambda _: text),
        "empty-records": repeated(_record(HEADER, b""), size),
    }
    if edition not in UNCHECKED:
        data["sums-of-all-that-follows"] = _nested(size, right=True)
        data["sums-that-are-wrong"] = _nested(size, right=False)
        data["sums-of-nothing"] = _many(size, lambda _: _sum(0, b"", 0)[12:-4])
    if edition != "seed":
        data |= dict(_rows(edition, size))
    control = False if edition == "seed" else {"checkpoint": START}

    def files(count: int) -> dict[str, bytes]:
        empty = {"control": control, "mirror": control, "files": [{"end": "marker"}] * count}
        return build(empty, edition).content()

    start = files(1)
    start["log1.dat"] = start["log1.dat"][:HEADER]
    made = {name: {**start, "log1.dat": start["log1.dat"] + found} for name, found in data.items()}
    return {**made, "many-files": files(size // 64 - 1)}
