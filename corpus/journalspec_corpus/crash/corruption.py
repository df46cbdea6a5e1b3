"""Corruption of durable data: the bits, sectors, writes and files that are corrupted (class C).

The rows of one acknowledgement share one crash point. At this crash point, everything that was written is on
disk. Its blocks are the granules that any row corrupts; the versions of a block are the corrupted contents. A
row deviates in one place (for a misdirected write: in two), and its label describes the deviation.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.disk import (
    DATA,
    NAMES,
    ROTTEN,
    SECTOR,
    SIZE,
    Block,
    CrashPoint,
    States,
    Timeline,
    acknowledged_points,
    draws,
    ranks_of,
)
from journalspec_corpus.crash.trace import CORRUPTED, PRESETS, Mark, Preset, Sync, SyncDir, Trace

#: The size of a physical sector, and the offset where the header of a file ends if no record begins before
#: that offset.
PHYSICAL, HEADER = 4096, 64
#: In a record of up to EVERY_BIT bytes, every bit is flipped. In a longer one, only the bits of the first
#: FRONT and last BACK bytes and of BETWEEN bytes in the middle are flipped, because all bits of a long
#: payload are alike.
EVERY_BIT, FRONT, BACK, BETWEEN = 128, 64, 32, 32
#: Only the last RECENT records of a journal are treated in this way. In each earlier record, DISTANT random
#: bits are flipped.
RECENT, DISTANT = 12, 16
#: The number of pairs of bits and of bursts that are drawn per crash point, and the number of bits that are
#: drawn per whole file.
PAIRS, BURSTS, ELSEWHERE = 256, 256, 64
#: The longest burst, in bits; the largest number of sectors of a file that are cleared or overwritten.
LONGEST, SECTORS = 64, 64
_Span = tuple[str, int, int]
#: Kind, file and index of a block.
_Key = tuple[str, int, int]
#: The label of each state.
Names = npt.NDArray[np.object_]


def corrupted_states(
    trace: Trace, presets: tuple[Preset, ...], seed: int, at: int | None = None, only: str = ""
) -> Iterator[States]:
    """Yield the corrupted states of `trace`, for each of `presets` that describes corruption.

    If `at` is given, only that crash point is enumerated; if `only` is given, only the state with that label.
    """
    ranks = {PRESETS[rank].rot: rank for rank in ranks_of(presets, "settled")}
    line = Timeline(trace, SECTOR)
    for index in acknowledged_points(trace) if ranks else ():
        line.advance(index)
        if at not in (None, index) or not (trace.standing or trace.acknowledged(index)):
            continue
        decay = _Decay(line.settled(), line.point(lying=True), ranks, seed, only)
        for kind, spread in _KINDS.items():
            if kind in ranks:
                spread(decay, kind)
        for states in (decay.inside.states(), decay.files()):
            if len(states):
                yield states


def burst(content: bytes, off: int, length: int, key: str) -> bytes:
    """Return the new content of the bytes, from `off` on, that a burst of `length` bits changes.

    The burst begins with the highest bit of byte `off`. Its first and its last bit are flipped; a hash of
    `key` decides which bits between them are flipped.
    """
    size = (length + 7) // 8
    wrong = int.from_bytes(hashlib.shake_128(key.encode()).digest(size), "big") >> (size * 8 - length)
    wrong |= 1 | 1 << (length - 1)
    mask = (wrong << (size * 8 - length)).to_bytes(size, "big")
    return bytes(old ^ turn for old, turn in zip(content[off : off + size], mask, strict=True))


class _Rows:
    """Represents rows that deviate from a settled `point`, each in a few blocks, and the versions of these
    blocks.
    """

    def __init__(self, point: CrashPoint) -> None:
        self._point = point
        #: preset, label, and a map from the numbers of changed blocks to version codes
        self._rows: list[tuple[int, str, dict[int, int]]] = []
        #: maps a block's key to its number, and each version to its code
        self._blocks: dict[_Key, tuple[int, dict[Any, int]]] = {}

    def now(self, key: _Key) -> Any:
        """Return the content of a block at the crash point; names as pairs."""
        kind, number, index = key
        if kind == DATA:
            content = self._point.contents[number][index * SECTOR : (index + 1) * SECTOR]
            return content.ljust(SECTOR, b"\0")
        return self._point.sizes[number] if kind == SIZE else tuple(self._point.names.items())

    def add(self, rank: int, label: str, changes: Mapping[_Key, Any]) -> None:
        """Add a row in which the blocks of `changes` have other content."""
        codes = {}
        for key, version in changes.items():
            if key not in self._blocks:
                self._blocks[key] = len(self._blocks), {self.now(key): 0}
            number, known = self._blocks[key]
            codes[number] = known.setdefault(version, len(known))
        self._rows.append((rank, label, codes))

    def states(self, more: Iterable[bytes] = ()) -> States:
        """Return the rows; `more` are the contents of files that have no name at the crash point."""
        blocks = []
        for key, (_, known) in self._blocks.items():
            versions = tuple(map(dict, known)) if key[0] == NAMES else tuple(known)
            blocks.append(Block(*key, versions, (0, *[ROTTEN] * (len(known) - 1))))
        codes = np.zeros((len(self._rows), len(blocks)), np.uint16)
        for row, (_, _, changed) in enumerate(self._rows):
            codes[row, [*changed]] = [*changed.values()]
        contents = (*self._point.contents, *more)
        sizes, kills = tuple(map(len, contents)), ((0,) * len(blocks),)
        return States(
            replace(self._point, blocks=tuple(blocks), contents=contents, sizes=sizes, kills=kills),
            codes,
            np.asarray([rank for rank, _, _ in self._rows], np.uint8),
            np.zeros(len(self._rows), np.int32),
            stratum=CORRUPTED,
            rot=tuple(label for _, label, _ in self._rows),
        )


class _Decay:
    """Collects the corruptions after a crash point: inside files (`inside`), and of whole files.

    At crash point `point`, everything written is on disk. At crash point `lying`, everything that the trace
    wrote is in flight. Every choice is a function of seed, trace and crash point.
    """

    def __init__(
        self, point: CrashPoint, lying: CrashPoint, ranks: Mapping[str, int], seed: int, only: str
    ) -> None:
        self._point, self._lying, self._ranks, self._seed, self._only = point, lying, ranks, seed, only
        self._key = f"{seed}/{point.trace.id}/{point.crash_index}/rot"
        self.inside = _Rows(point)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The size of each file."""
        return {name: self._point.sizes[number] for name, number in sorted(self._point.names.items())}

    @cached_property
    def written(self) -> list[_Span]:
        """The position of every record.

        Records from before the trace come first, then those written in the trace.
        """
        trace = self._point.trace
        marks = [
            *trace.standing,
            *(op for op in trace.ops[: self._point.crash_index] if isinstance(op, Mark)),
        ]
        spans = [(mark.file, mark.off, mark.off + mark.length) for mark in marks]
        return [span for span in spans if span[2] <= self.sizes.get(span[0], 0)]

    @cached_property
    def records(self) -> list[_Span]:
        """The positions of all records, sorted."""
        return sorted(set(self.written))

    @cached_property
    def headers(self) -> list[_Span]:
        """The bytes before the first record of each file, at most `HEADER`."""
        out = []
        for name, size in self.sizes.items():
            first = min((start for file, start, _ in self.records if file == name), default=HEADER)
            out.append((name, 0, min(first, HEADER, size)))
        return [span for span in out if span[2]]

    @cached_property
    def edges(self) -> list[tuple[str, int]]:
        """The offsets at which records begin and end, by file."""
        return sorted({(name, edge) for name, start, end in self.records for edge in (start, end)})

    def units(self, name: str, unit: int) -> range:
        """Return the numbers of the units of a file, evenly thinned to at most `SECTORS`."""
        count = -(-self.sizes[name] // unit)
        return range(0, count, -(-count // SECTORS) or 1)

    def _hit(self, kind: str, label: str, *changes: tuple[str, int, bytes]) -> None:
        """Add the row in which ``(file, off, bytes)`` of `changes` are overwritten, if a byte changes."""
        now: dict[_Key, bytes] = {}
        for name, off, data in changes:
            for granule in range(off // SECTOR, (off + len(data) - 1) // SECTOR + 1):
                key, start = (DATA, self._point.names[name], granule), granule * SECTOR
                old = now.get(key) or self.inside.now(key)
                a, b = max(off, start), min(off + len(data), start + SECTOR)
                new = old[: a - start] + data[a - off : b - off] + old[b - start :]
                if new != old:
                    now[key] = new
        if now:
            self.inside.add(self._ranks[kind], label, now)

    def _turned(self, name: str, *bits: tuple[int, int]) -> list[tuple[str, int, bytes]]:
        """Return the changes that flip each of `bits` (byte, bit; bit 0 is the lowest)."""
        content = self._point.contents[self._point.names[name]]
        turned: dict[int, int] = {}
        for off, bit in bits:
            turned[off] = turned.get(off, content[off]) ^ 1 << bit
        return [(name, off, bytes([value])) for off, value in turned.items()]

    def bits(self, kind: str) -> None:
        """Flip each bit of headers and recent records, and random bits of other records and unused space."""
        recent = {*self.written[-RECENT:]}
        seen: dict[tuple[str, int], None] = {}
        for span in (*self.headers, *sorted(recent)):
            seen.update(dict.fromkeys((span[0], off) for off in self._bytes_of(*span)))
        bits = [(name, off, bit) for name, off in seen for bit in range(8)]
        for name, start, end in self.records:
            if (name, start, end) not in recent:
                drawn = draws(f"{self._key}/{name}/{start}/distant", DISTANT, (end - start) * 8)
                bits += [(name, start + place // 8, place % 8) for place in sorted({*drawn})]
        for name, size in self.sizes.items():
            drawn = draws(f"{self._key}/elsewhere/{name}", ELSEWHERE, size * 8)
            bits += [(name, place // 8, place % 8) for place in drawn if (name, place // 8) not in seen]
        for name, off, bit in bits:
            label = f"bit:{name}:{off}:{bit}"
            if self._only in ("", label):
                self._hit(kind, label, *self._turned(name, (off, bit)))

    def _bytes_of(self, name: str, start: int, end: int) -> list[int]:
        if end - start <= EVERY_BIT:
            return [*range(start, end)]
        drawn = draws(f"{self._key}/{name}/{start}", BETWEEN, end - start - FRONT - BACK)
        between = sorted({start + FRONT + place for place in drawn})
        return [*range(start, start + FRONT), *between, *range(end - BACK, end)]

    def _drawn(self, what: str, number: int, unit: int) -> Iterator[tuple[str, int, int, int, int]]:
        """Yield `number` spans of records and headers, each with a random offset in the span and a random
        number.
        """
        spans = [*self.headers, *self.records]
        for at in range(number if spans else 0):
            which, one, two = draws(f"{self._key}/{what}/{at}", 3, 1 << 62)
            name, start, end = spans[which % len(spans)]
            yield name, start, end, one % ((end - start) * unit), two

    def pairs(self, kind: str) -> None:
        """Flip two bits inside one record or header."""
        for name, start, end, first, other in self._drawn("pairs", PAIRS, 8):
            second = other % ((end - start) * 8)
            one, two = (start + first // 8, first % 8), (start + second // 8, second % 8)
            # A bit that is flipped twice is unchanged.
            if one != two:
                label = f"bits:{name}:{one[0]}:{one[1]}:{two[0]}:{two[1]}"
                self._hit(kind, label, *self._turned(name, one, two))

    def bursts(self, kind: str) -> None:
        """Flip bits of a burst that begins inside a record or header."""
        for name, start, _, one, two in self._drawn("bursts", BURSTS, 1):
            off, length = start + one, 2 + two % (LONGEST - 1)
            if off + (length + 7) // 8 <= self.sizes[name]:
                label, content = f"burst:{name}:{off}:{length}", self._point.contents
                changed = burst(content[self._point.names[name]], off, length, f"{self._seed}/{label}")
                self._hit(kind, label, (name, off, changed))

    def zeros(self, kind: str) -> None:
        """Fill a sector with zeros."""
        unit, word = (SECTOR, "zero") if kind == "zero-sector" else (PHYSICAL, "lse")
        for name, size in self.sizes.items():
            for at in self.units(name, unit):
                room = min(unit, size - at * unit)
                self._hit(kind, f"{word}:{name}:{at}", (name, at * unit, bytes(room)))

    def strays(self, kind: str) -> None:
        """Undo writes that the disk lost, or move writes since the previous fsync to a wrong offset."""
        lying = self._lying
        name_of = {number: name for name, number in sorted(self._point.names.items())}
        ops = lying.trace.ops[: lying.crash_index]
        forces = [at for at, op in enumerate(ops) if isinstance(op, (Sync, SyncDir))]
        since = forces[-2] if len(forces) > 1 else -1
        when = {block: index for index in sorted(lying.reach) for block, _ in lying.reach[index]}
        for at, block in enumerate(lying.blocks):
            name, start = name_of.get(block.file), block.index * SECTOR
            if block.kind != DATA or name is None or self.sizes[name] <= start:
                continue
            old = name, start, block.versions[-2][: self.sizes[name] - start]
            if kind == "phantom":
                self._hit(kind, f"phantom:{name}:{block.index}", old)
            elif when.get(at, -1) > since:
                for other, size in self.sizes.items():
                    for to in self.units(other, SECTOR):
                        if (other, to) != (name, block.index):
                            landed = other, to * SECTOR, block.versions[-1][: size - to * SECTOR]
                            self._hit(kind, f"misdirect:{name}:{block.index}:{other}:{to}", landed, old)

    def cleared(self, kind: str) -> None:
        """Fill a file with zeros, from a record boundary on."""
        for name, edge in self.edges:
            room = self.sizes[name] - edge
            if room > 0:
                self._hit(kind, f"clear:{name}:{edge}", (name, edge, bytes(room)))

    def files(self) -> States:
        """Return the states in which a file is truncated, missing, or replaced by another file or by older
        content.
        """
        point, ranks, out = self._point, self._ranks, _Rows(self._point)
        for name in self.sizes if "lse" in ranks else ():
            for at in self.units(name, SECTOR):
                out.add(ranks["lse"], f"eio:{name}:{at}", {(SIZE, point.names[name], 0): at * SECTOR})
        for name, edge in self.edges if "cut" in ranks else ():
            if edge < self.sizes[name]:
                out.add(ranks["cut"], f"cut:{name}:{edge}", {(SIZE, point.names[name], 0): edge})
        older: list[bytes] = []
        for label, names in _exchanged(point, older) if "file" in ranks else ():
            out.add(ranks["file"], label, {(NAMES, 0, 0): tuple(names.items())})
        return out.states(older)


#: Kinds of corruption inside files, in the order of their states.
_KINDS: Mapping[str, Callable[[_Decay, str], None]] = {
    "bit": _Decay.bits,
    "2bit": _Decay.pairs,
    "burst": _Decay.bursts,
    "zero-sector": _Decay.zeros,
    "lse": _Decay.zeros,
    "phantom": _Decay.strays,
    "misdirect": _Decay.strays,
    "cut": _Decay.cleared,
}


def _exchanged(point: CrashPoint, older: list[bytes]) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield each fault of a whole file: its label, and the names with their file numbers.

    Earlier contents of files are appended to `older`; their file numbers follow those of `point`.
    """
    trace, contents, names = point.trace, point.contents, dict(sorted(point.names.items()))
    for name in names:
        yield f"missing:{name}", {other: number for other, number in names.items() if other != name}
    for name, number in names.items():
        for other, its in names.items():
            # A replacement with equal content is not damage.
            if other != name and contents[its] != contents[number]:
                yield f"doubled:{name}:{other}", {**names, other: number}
                if name < other:
                    yield f"swapped:{name}:{other}", {**names, name: its, other: number}
    line = Timeline(trace, SECTOR)
    acknowledged = [at + 1 for at, _ in trace.acks if at < point.crash_index - 1]
    for index in (0, *acknowledged):
        then = line.advance(index).settled()
        for name, number in names.items():
            # An earlier version with equal content is not damage either.
            if name in then.names and then.contents[then.names[name]] != contents[number]:
                older.append(then.contents[then.names[name]])
                yield f"older:{name}:{index}", {**names, name: len(contents) + len(older) - 1}


#: The unit of the first number after the file's name, for each kind of label; kinds that are not listed have
#: no position.
_UNITS = {"bit": 1, "bits": 1, "burst": 1, "zero": 512, "phantom": 512, "misdirect": 512, "lse": 4096}


def corrupted_fields(states: States) -> Names:
    """For each row, return the first corrupted field. Return an empty text if the kind of corruption has no
    position.

    ``header`` means bytes before a file's first record, ``unused`` the bytes after a record.
    """
    places = _fields(states)
    out: Names = np.full(len(states.rot), "", object)
    for row, label in enumerate(states.rot):
        kind, file, *at = label.split(":")
        if kind in _UNITS:
            out[row] = _field(places.get(file, []), int(at[0]) * _UNITS[kind])
    return out


def _fields(states: States) -> dict[str, list[tuple[int, str]]]:
    """For each file, return the sorted starts of fields. ``unused`` follows the last field of a record."""
    trace = states.point.trace
    found: dict[str, dict[int, str]] = {}
    marks = [*trace.standing, *(op for op in trace.ops[: states.point.crash_index] if isinstance(op, Mark))]
    for mark in marks:
        for start, name in mark.fields or ((0, "record"),):
            found.setdefault(mark.file, {})[mark.off + start] = name
    for mark in marks:
        found[mark.file].setdefault(mark.off + mark.length, "unused")
    return {file: sorted(fields.items()) for file, fields in found.items()}


def _field(places: list[tuple[int, str]], off: int) -> str:
    at = bisect_right(places, (off, "\U0010ffff")) - 1
    if at >= 0:
        return places[at][1]
    return "header" if off < (places[0][0] if places else HEADER) else "unused"
