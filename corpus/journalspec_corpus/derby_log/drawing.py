"""Logs of Derby drawn at random: valid ones, fields that lie under right sums, files made to cost much."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from journalspec.layout import integer
from journalspec_corpus.derby_log.author import FORMAT, build, container_of, seal
from journalspec_corpus.derby_log.model import TableRows, shown_state
from journalspec_corpus.derby_log.naive import AROUND, HEADER, UNCHECKED
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
#: The length of a checksum record; the body of a BEGIN of no transaction.
CHECKSUM_RECORD, NOBODYS_BEGIN = 37, "00814101000000a900000000000000000000"


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


def _plain(texts: Iterable[str]) -> list[Any]:
    """Return one group: records that no checksum covers."""
    return [{"records": [*texts], "plain": True}]


def _costly(edition: str, size: int) -> Iterator[tuple[str, list[Any]]]:
    """Yield groups of sound records, about `size` bytes of them, that cost a careless reader much."""
    body = "0081" if edition == "seed" else NOBODYS_BEGIN
    yield "one-record", _plain([f"r body=00*{size}"])
    yield "small-records", _plain([f"r body={body}"] * (size // (AROUND + len(body) // 2)))
    if edition not in UNCHECKED:
        count = size // CHECKSUM_RECORD
        # Each covers all that follows; the sums are made right afterwards, or not.
        claims = [{"records": [], "data_length": at * CHECKSUM_RECORD} for at in reversed(range(count))]
        yield "sums-of-all-that-follows", claims
        yield "sums-that-are-wrong", claims
        yield "sums-of-nothing", [[]] * count
    if edition == "seed":
        return
    inserts = [f"i{number} INSERT tx=1 key={number} value=v" for number in range(size // 64)]
    undone = [text for insert in inserts for text in (insert, "u1 UNDO of=i0")]
    purge = f"p1 PURGE container={container_of('T', edition)} page=1 page_version=2 count={(1 << 30) - 1}"
    open_ = ",".join(str(number) for number in range(200, 200 + size // 14))
    yield "transactions", _plain(f"b{number} BEGIN" for number in range(200, 200 + size // 40))
    yield "inserts", _plain(["b1 BEGIN", *inserts])
    yield "undone-ever-again", _plain(["b1 BEGIN", *undone[: size // 52]])
    yield "never-began", _plain(inserts)
    yield "rows-that-are-not-there", _plain(["b1 BEGIN", *[purge] * (size // 40)])
    yield "open-transactions", _plain([f"k1 CHECKPOINT group=0x101 open={open_}"])


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes that tempt a reader into more than linear work."""
    control = False if edition == "seed" else {"checkpoint": START}

    def log(*files: Mapping[str, Any]) -> Built:
        return build({"control": control, "mirror": control, "files": files}, edition)

    first = integer(START, 8)
    raw = {
        "zeros": bytes(size),
        "zeros-then-a-byte": bytes(size) + b"\1",
        "ones": b"\1" * size,
        "largest-lengths": repeated(b"\x7f\xff\xff\xff", size),
        "too-large": integer(size, 4) + first + bytes(size),
        "empty-records": repeated(bytes(4) + first + bytes(4), size),
    }
    start = log({"end": "none"}).content()
    made = {name: {**start, "log1.dat": start["log1.dat"] + data} for name, data in raw.items()}
    for name, groups in _costly(edition, size):
        built = log({"end": "none", "groups": groups})
        if name == "sums-of-all-that-follows":
            for number in range(len(groups), 0, -1):
                seal(built, f"g{number}")
        made[name] = built.content()
    return {**made, "many-files": log(*[{"end": "marker"}] * (size // 64 - 1)).content()}
