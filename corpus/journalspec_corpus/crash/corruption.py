"""Corruption after durability: which bits, sectors, writes and files go bad (stratum C).

The rows of one acknowledgement share one crash point: its contents are settled, its
blocks are the granules that go bad in some row, their versions what they are then. A row
deviates in one place (a misdirected write: in two), and a label says what was done there.
:func:`corrupted_files` does the same the plain way, from the label alone.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import (
    DATA,
    NAMES,
    ROTTEN,
    SIZE,
    Block,
    CrashPoint,
    States,
    Timeline,
    draws,
    selected,
)
from journalspec_corpus.crash.losses import acknowledged_points
from journalspec_corpus.crash.pages import Pages
from journalspec_corpus.crash.persistence import CORRUPTED, PRESETS, Preset
from journalspec_corpus.crash.trace import Ack, Mark, Sync, SyncDir, Trace

#: A file's header ends where its first record begins, and here at the latest.
HEADER = 64
#: Every bit of a record of up to so many bytes; of a longer one every bit of its front and
#: its back, and so many others: inside a long run of payload all bits say the same.
EVERY_BIT, FRONT, BACK, BETWEEN = 128, 64, 32, 32
#: Of a long journal so many of the last records are treated like that; of the others so many bits are drawn.
RECENT, DISTANT = 12, 16
_Span = tuple[str, int, int]


class Places:
    """The places of one settled crash point; every choice is a function of seed, trace and crash point."""

    def __init__(self, point: CrashPoint, seed: int) -> None:
        self.point = point
        self._key = f"{seed}/{point.trace.id}/{point.crash_index}/rot"
        marks = self._marks()
        self.records = sorted(set(marks))
        self.recent = sorted(set(marks[-RECENT:]))
        self.headers = self._headers()

    def _marks(self) -> list[_Span]:
        """Return ``(file, from, to)`` of every record that stood before or was written, in that order."""
        trace = self.point.trace
        marks = [*trace.standing, *(op for op in trace.ops[: self.point.crash_index] if isinstance(op, Mark))]
        spans = [(mark.file, mark.off, mark.off + mark.length) for mark in marks]
        return [span for span in spans if span[2] <= self._size(span[0])]

    def _size(self, name: str) -> int:
        number = self.point.names.get(name)
        return 0 if number is None else self.point.sizes[number]

    def _headers(self) -> list[_Span]:
        out = []
        for name in sorted(self.point.names):
            first = min((start for file, start, _ in self.records if file == name), default=HEADER)
            end = min(first, HEADER, self._size(name))
            if end:
                out.append((name, 0, end))
        return out

    def bits(self, elsewhere: int) -> Iterator[tuple[str, int, int]]:
        """Yield ``(file, byte, bit)``: all of headers and records, and `elsewhere` others per file."""
        seen: set[tuple[str, int]] = set()
        for name, start, end in [*self.headers, *self.recent]:
            for off in self._bytes(name, start, end):
                if (name, off) not in seen:
                    seen.add((name, off))
                    for bit in range(8):
                        yield name, off, bit
        for name, start, end in [span for span in self.records if span not in self.recent]:
            drawn = draws(f"{self._key}/{name}/{start}/distant", DISTANT, (end - start) * 8)
            yield from ((name, start + place // 8, place % 8) for place in sorted({*drawn}))
        for name in sorted(self.point.names):
            room = self._size(name)
            for place in draws(f"{self._key}/elsewhere/{name}", elsewhere, room * 8):
                if (name, place // 8) not in seen:
                    yield name, place // 8, place % 8

    def _bytes(self, name: str, start: int, end: int) -> list[int]:
        if end - start <= EVERY_BIT:
            return list(range(start, end))
        drawn = draws(f"{self._key}/{name}/{start}", BETWEEN, end - start - FRONT - BACK)
        between = sorted({start + FRONT + place for place in drawn})
        return [*range(start, start + FRONT), *between, *range(end - BACK, end)]

    def pairs(self, number: int) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
        """Yield `number` pairs of bits, each inside one record or header."""
        for name, start, end, one, two in self._drawn("pairs", number, 8):
            yield name, (start + one // 8, one % 8), (start + two % ((end - start) * 8) // 8, two % 8)

    def bursts(self, number: int, longest: int) -> Iterator[tuple[str, int, int]]:
        """Yield `number` bursts ``(file, byte, bits)`` that begin inside a record or header."""
        for name, start, _, one, two in self._drawn("bursts", number, 1):
            length = 2 + two % (longest - 1)
            if start + one + (length + 7) // 8 <= self._size(name):
                yield name, start + one, length

    def _drawn(self, what: str, number: int, unit: int) -> Iterator[tuple[str, int, int, int, int]]:
        spans = [*self.headers, *self.records]
        for at in range(number if spans else 0):
            which, one, two = draws(f"{self._key}/{what}/{at}", 3, 1 << 62)
            name, start, end = spans[which % len(spans)]
            yield name, start, end, one % ((end - start) * unit), two

    def sectors(self, name: str, unit: int, most: int) -> list[int]:
        """Return the numbers of the units of a file, evenly thinned to at most `most`."""
        count = -(-self._size(name) // unit)
        step = -(-count // most) or 1
        return list(range(0, count, step))

    def edges(self) -> list[tuple[str, int]]:
        """Return where records begin and end, per file."""
        return sorted({(name, edge) for name, start, end in self.records for edge in (start, end)})


def burst(content: bytes | Pages, off: int, length: int, key: str) -> bytes:
    """Return the bytes from `off` on that a burst of `length` bits changes, as they are after it.

    It begins with the highest bit of byte `off`. Its first and its last bit are
    wrong, those between as `key` says.
    """
    size = (length + 7) // 8
    wrong = int.from_bytes(hashlib.shake_128(key.encode()).digest(size), "big") >> (size * 8 - length)
    wrong |= 1 | 1 << (length - 1)
    mask = (wrong << (size * 8 - length)).to_bytes(size, "big")
    return bytes(old ^ turn for old, turn in zip(content[off : off + size], mask, strict=True))


SECTOR, BLOCK = 512, 4096


def corrupted_files(trace: Trace, crash_index: int, rot: str, seed: int) -> dict[str, bytes]:
    """Return the files after corruption `rot`; raises ValueError if it is none of this state."""
    line = Timeline(trace, SECTOR)
    line.advance(crash_index)
    files = line.point(settled=True).materialise(b"")
    kind, _, rest = rot.partition(":")
    parts = rest.split(":")
    if parts[0] not in files:
        raise ValueError(f"{rot!r} is about a file that is not there")
    name, given = parts[0], parts[1:]
    content = bytearray(files[name])
    if kind in ("bit", "bits"):
        for place, bit in zip(given[::2], given[1::2], strict=True):
            content[int(place)] ^= 1 << int(bit)
    elif kind == "burst":
        off, length = int(given[0]), int(given[1])
        changed = burst(files[name], off, length, f"{seed}/{rot}")
        content[off : off + len(changed)] = changed
    elif kind in ("zero", "lse"):
        unit = SECTOR if kind == "zero" else BLOCK
        start = int(given[0]) * unit
        content[start : start + unit] = bytes(len(content[start : start + unit]))
    elif kind == "clear":
        content[int(given[0]) :] = bytes(len(content) - int(given[0]))
    elif kind in ("cut", "eio"):
        del content[int(given[0]) * (SECTOR if kind == "eio" else 1) :]
    elif kind in ("phantom", "misdirect"):
        return _stray(trace, crash_index, files, kind, parts)
    else:
        return _whole(trace, files, rot, kind, parts)
    return {**files, name: bytes(content)}


def _whole(trace: Trace, files: dict[str, bytes], rot: str, kind: str, parts: list[str]) -> dict[str, bytes]:
    name = parts[0]
    if kind == "missing":
        return {other: content for other, content in files.items() if other != name}
    if kind == "doubled":
        return {**files, parts[1]: files[name]}
    if kind == "swapped":
        return {**files, name: files[parts[1]], parts[1]: files[name]}
    if kind == "older":
        line = Timeline(trace, SECTOR)
        line.advance(int(parts[1]))
        return {**files, name: line.point(settled=True).materialise(b"")[name]}
    raise ValueError(f"no corruption {rot!r}")


def _stray(
    trace: Trace, crash_index: int, files: dict[str, bytes], kind: str, parts: list[str]
) -> dict[str, bytes]:
    """Return the files with one sector as it was before its last change, which may have gone elsewhere."""
    line = Timeline(trace, SECTOR)
    line.advance(crash_index)
    point = line.point(lying=True)
    number, sector = line.point(settled=True).names[parts[0]], int(parts[1])
    block = next(
        each for each in point.blocks if (each.kind, each.file, each.index) == (DATA, number, sector)
    )
    out = {name: bytearray(content) for name, content in files.items()}
    if kind == "misdirect":
        _put(out[parts[2]], int(parts[3]), block.versions[-1])
    _put(out[parts[0]], sector, block.versions[-2])
    return {name: bytes(content) for name, content in out.items()}


def _put(content: bytearray, sector: int, data: bytes) -> None:
    start = sector * SECTOR
    content[start : start + SECTOR] = data[: len(content[start : start + SECTOR])]


#: The most places at which a copy stops for a sector that cannot be read, per file.
STOPS = 64


def file_states(trace: Trace, point: CrashPoint, ranks: Mapping[str, int]) -> States:
    """Return the states in which the files of the settled `point` are not what they were, under `ranks`."""
    cuts = _cuts(point, ranks)
    contents = list(point.contents)
    names = list(_names(trace, point, contents)) if "file" in ranks else []
    numbers = sorted({number for _, _, number, _ in cuts})
    sizes = {number: [point.sizes[number]] for number in numbers}
    blocks = []
    rows: list[tuple[int, str, int, int]] = []
    for rank, label, number, size in cuts:
        versions = sizes[number]
        if size not in versions:
            versions.append(size)
        rows.append((rank, label, numbers.index(number), versions.index(size)))
    blocks = [_cell(SIZE, number, sizes[number]) for number in numbers]
    if names:
        blocks.append(_cell(NAMES, 0, [dict(point.names), *(names_then for _, names_then in names)]))
        for at, (label, _) in enumerate(names, start=1):
            rows.append((ranks["file"], label, len(numbers), at))
    codes = np.zeros((len(rows), len(blocks)), np.uint16)
    for row, (_, _, block, code) in enumerate(rows):
        codes[row, block] = code
    return States(
        CrashPoint(
            trace,
            point.crash_index,
            point.granule,
            tuple(blocks),
            tuple(contents),
            (*point.sizes, *(len(content) for content in contents[len(point.sizes) :])),
            point.names,
            {},
            ((0,) * len(blocks),),
            (False,) * len(blocks),
            (0,) * len(blocks),
        ),
        codes,
        np.asarray([rank for rank, _, _, _ in rows], np.uint8),
        np.zeros(len(rows), np.int32),
        stratum=CORRUPTED,
        rot=tuple(label for _, label, _, _ in rows),
    )


def _cell(kind: str, number: int, versions: Sequence[object]) -> Block:
    return Block(kind, number, 0, tuple(versions), (0, *(ROTTEN for _ in versions[1:])))


def _cuts(point: CrashPoint, ranks: Mapping[str, int]) -> list[tuple[int, str, int, int]]:
    """Return (rank, label, file number, length that is left)."""
    out = []
    places = Places(point, 0)
    if "lse" in ranks:
        for name, number in sorted(point.names.items()):
            for at in places.sectors(name, SECTOR, STOPS):
                out.append((ranks["lse"], f"eio:{name}:{at}", number, at * SECTOR))
    if "cut" in ranks:
        for name, edge in places.edges():
            number = point.names[name]
            if edge < point.sizes[number]:
                out.append((ranks["cut"], f"cut:{name}:{edge}", number, edge))
    return out


def _names(trace: Trace, point: CrashPoint, contents: list[Pages]) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield what may be wrong with whole files, and the names then.

    Older copies go to the end of `contents`.
    """
    names = dict(sorted(point.names.items()))
    for name in names:
        yield f"missing:{name}", {other: number for other, number in names.items() if other != name}
    now = Timeline(trace, SECTOR)
    now.advance(point.crash_index)
    present = _files(now)
    for name, number in names.items():
        for other, its in names.items():
            # A copy that is the same is no damage.
            if other != name and present[other] != present[name]:
                yield f"doubled:{name}:{other}", {**names, other: number}
                if name < other:
                    yield f"swapped:{name}:{other}", {**names, name: its, other: number}
    line = Timeline(trace, SECTOR)
    points = [at + 1 for at, op in enumerate(trace.ops[: point.crash_index - 1]) if isinstance(op, Ack)]
    for index in (0, *points):
        line.advance(index)
        then = _files(line)
        for name in names:
            # Nor is an older one that is.
            if name in then and then[name] != present[name]:
                contents.append(then[name])
                yield f"older:{name}:{index}", {**names, name: len(contents) - 1}


def _files(line: Timeline) -> dict[str, Pages]:
    point = line.point(settled=True)
    return {name: point.contents[number].resized(point.sizes[number]) for name, number in point.names.items()}


#: How many pairs of bits, bursts, and bits of space that is not in use are drawn per point.
PAIRS, BURSTS, ELSEWHERE = 256, 256, 64
#: The longest burst, in bits; the most sectors of a file that are cleared or overwritten.
LONGEST, SECTORS = 64, 64


def corrupted_states(
    trace: Trace, presets: tuple[Preset, ...], seed: int, *, everywhere: bool = False
) -> Iterator[States]:
    """Yield the corrupted states of `trace` under the presets that it was chosen for."""
    ranks = {
        preset.rot: number
        for number, preset in enumerate(PRESETS)
        if preset.rot and preset in presets and (everywhere or selected(trace.id, preset.share))
    }
    if not ranks:
        return
    line = Timeline(trace, SECTOR)
    for index in acknowledged_points(trace):
        line.advance(index)
        point = line.point(settled=True)
        if not trace.standing and not trace.acknowledged(index):
            continue
        bench = _Bench(point, ranks)
        _fill(bench, Places(point, seed), line.point(lying=True), seed)
        states = bench.states()
        if len(states):
            yield states
        states = file_states(trace, point, ranks)
        if len(states):
            yield states


@dataclass
class _Bench:
    """Collects what goes bad, and the versions of granules that it takes."""

    point: CrashPoint
    ranks: dict[str, int]
    rows: list[tuple[int, str, tuple[tuple[int, int], ...]]] = field(default_factory=list)
    _cells: dict[tuple[int, int], int] = field(default_factory=dict)
    _versions: list[dict[bytes, int]] = field(default_factory=list)
    #: (file, granule) -> what is there
    _there: dict[tuple[int, int], bytes] = field(default_factory=dict)

    def hit(self, kind: str, label: str, *changes: tuple[int, int, bytes]) -> None:
        """Add the row in which ``(file, off, bytes)`` of `changes` are overwritten, if that changes it."""
        codes = {}
        for number, off, data in changes:
            for granule in range(off // SECTOR, (off + len(data) - 1) // SECTOR + 1):
                start, old = granule * SECTOR, self._held(number, granule)
                a, b = max(off, start), min(off + len(data), start + SECTOR)
                new = old[: a - start] + data[a - off : b - off] + old[b - start :]
                if new != old:
                    block, code = self._code(number, granule, old, new)
                    codes[block] = code
        if codes:
            self.rows.append((self.ranks[kind], label, tuple(codes.items())))

    def turn(self, kind: str, label: str, number: int, *bits: tuple[int, int]) -> None:
        """Add the row in which each of `bits` (byte, bit; 0 is the lowest) of a file is turned over."""
        changed: dict[int, bytearray] = {}
        for off, bit in bits:
            granule, at = divmod(off, SECTOR)
            if granule not in changed:
                changed[granule] = bytearray(self._held(number, granule))
            changed[granule][at] ^= 1 << bit
        codes = [
            self._code(number, granule, self._held(number, granule), bytes(new))
            for granule, new in sorted(changed.items())
        ]
        self.rows.append((self.ranks[kind], label, tuple(codes)))

    def _held(self, number: int, granule: int) -> bytes:
        old = self._there.get((number, granule))
        if old is None:
            start = granule * SECTOR
            content = self.point.contents[number][start : start + SECTOR]
            old = self._there[number, granule] = content.ljust(SECTOR, b"\0")
        return old

    def _code(self, number: int, granule: int, old: bytes, new: bytes) -> tuple[int, int]:
        block = self._cells.setdefault((number, granule), len(self._cells))
        if block == len(self._versions):
            self._versions.append({old: 0})
        known = self._versions[block]
        return block, known.setdefault(new, len(known))

    def states(self) -> States:
        """Return everything collected as one set of states."""
        blocks = tuple(
            Block(DATA, number, granule, tuple(known), (0, *(ROTTEN for _ in range(len(known) - 1))))
            for (number, granule), known in zip(self._cells, self._versions, strict=True)
        )
        codes = np.zeros((len(self.rows), len(blocks)), np.uint16)
        changes = [(row, *change) for row, (_, _, changed) in enumerate(self.rows) for change in changed]
        which, block, code = np.asarray(changes, np.int64).reshape(-1, 3).T
        codes[which, block] = code
        return States(
            replace(self.point, blocks=blocks, fresh=(False,) * len(blocks), forced=(0,) * len(blocks)),
            codes,
            np.asarray([rank for rank, _, _ in self.rows], np.uint8),
            np.zeros(len(codes), np.int32),
            stratum=CORRUPTED,
            rot=tuple([label for _, label, _ in self.rows]),
        )


def _fill(bench: _Bench, places: Places, whole: CrashPoint, seed: int) -> None:
    for kind, fill in (
        ("bit", _bits),
        ("2bit", _pairs),
        ("burst", _bursts),
        ("zero-sector", _zeros),
        ("lse", _zeros),
        ("phantom", _old),
        ("misdirect", _old),
        ("cut", _cleared),
    ):
        if kind in bench.ranks:
            fill(bench, places, whole, kind, seed)


def _bits(bench: _Bench, places: Places, whole: CrashPoint, kind: str, seed: int) -> None:
    for name, off, bit in places.bits(ELSEWHERE):
        bench.turn(kind, f"bit:{name}:{off}:{bit}", bench.point.names[name], (off, bit))


def _pairs(bench: _Bench, places: Places, whole: CrashPoint, kind: str, seed: int) -> None:
    for name, one, two in places.pairs(PAIRS):
        # One bit that is turned over twice is as it was.
        if one != two:
            label = f"bits:{name}:{one[0]}:{one[1]}:{two[0]}:{two[1]}"
            bench.turn(kind, label, bench.point.names[name], one, two)


def _bursts(bench: _Bench, places: Places, whole: CrashPoint, kind: str, seed: int) -> None:
    for name, off, length in places.bursts(BURSTS, LONGEST):
        number = bench.point.names[name]
        label = f"burst:{name}:{off}:{length}"
        bench.hit(
            kind, label, (number, off, burst(bench.point.contents[number], off, length, f"{seed}/{label}"))
        )


def _zeros(bench: _Bench, places: Places, whole: CrashPoint, kind: str, seed: int) -> None:
    unit, word = (SECTOR, "zero") if kind == "zero-sector" else (BLOCK, "lse")
    for name, number in sorted(bench.point.names.items()):
        for at in places.sectors(name, unit, SECTORS):
            room = min(unit, bench.point.sizes[number] - at * unit)
            bench.hit(kind, f"{word}:{name}:{at}", (number, at * unit, bytes(room)))


def _old(bench: _Bench, places: Places, whole: CrashPoint, kind: str, seed: int) -> None:
    """Add phantom writes, or misdirected ones of the last force."""
    names = {number: name for name, number in bench.point.names.items()}
    forces = [
        at for at, op in enumerate(whole.trace.ops[: whole.crash_index]) if isinstance(op, (Sync, SyncDir))
    ]
    since = forces[-2] if len(forces) > 1 else -1
    for at, block in enumerate(whole.blocks):
        name = names.get(block.file)
        when = max(
            (index for index in whole.reach if any(to == at for to, _ in whole.reach[index])), default=-1
        )
        start = block.index * SECTOR
        room = bench.point.sizes[block.file] - start
        if block.kind != DATA or name is None or room <= 0:
            continue
        old = block.versions[-2][:room]
        if kind == "phantom":
            bench.hit(kind, f"phantom:{name}:{block.index}", (block.file, start, old))
        elif when > since:
            _misdirect(bench, places, name, block, old)


def _misdirect(bench: _Bench, places: Places, name: str, block: Block, old: bytes) -> None:
    new = block.versions[-1]
    for other, number in sorted(bench.point.names.items()):
        for at in places.sectors(other, SECTOR, SECTORS):
            room = bench.point.sizes[number] - at * SECTOR
            if (number, at) != (block.file, block.index):
                label = f"misdirect:{name}:{block.index}:{other}:{at}"
                bench.hit(
                    "misdirect",
                    label,
                    (number, at * SECTOR, new[:room]),
                    (block.file, block.index * SECTOR, old),
                )


def _cleared(bench: _Bench, places: Places, whole: CrashPoint, kind: str, seed: int) -> None:
    for name, edge in places.edges():
        number = bench.point.names[name]
        room = bench.point.sizes[number] - edge
        if room > 0:
            bench.hit(kind, f"clear:{name}:{edge}", (number, edge, bytes(room)))


#: Unit of the first number behind the file's name, per kind of label; kinds not listed have no place.
_UNITS = {"bit": 1, "bits": 1, "burst": 1, "zero": 512, "phantom": 512, "misdirect": 512, "lse": 4096}


def corrupted_fields(states: States) -> tuple[npt.NDArray[np.uint8], list[str]]:
    """Return for each row the index of the field that was hit first, and the names.

    The first is empty: no field in particular. ``header`` is in front of a file's
    first record, ``unused`` behind what is written.
    """
    places = _places(states)
    names = [""]
    number = {"": 0}
    out = np.zeros(len(states.rot), np.uint8)
    for row, label in enumerate(states.rot):
        kind, _, rest = label.partition(":")
        unit = _UNITS.get(kind)
        if unit is None:
            continue
        file, at = rest.split(":")[:2]
        name = _field(places.get(file, []), int(at) * unit)
        if name not in number:
            number[name] = len(names)
            names.append(name)
        out[row] = number[name]
    return out, names


def _places(states: States) -> dict[str, list[tuple[int, str]]]:
    """Return per file where fields begin, sorted; each record is followed by space that is not in use."""
    trace = states.point.trace
    found: dict[str, dict[int, str]] = {}
    issued = [op for op in trace.ops[: states.point.crash_index] if isinstance(op, Mark)]
    ends: dict[str, set[int]] = {}
    for mark in (*trace.standing, *issued):
        for start, name in mark.fields or ((0, "record"),):
            found.setdefault(mark.file, {})[mark.off + start] = name
        ends.setdefault(mark.file, set()).add(mark.off + mark.length)
    for file, edges in ends.items():
        for edge in edges:
            found[file].setdefault(edge, "unused")
    return {file: sorted(fields.items()) for file, fields in found.items()}


def _field(places: list[tuple[int, str]], off: int) -> str:
    at = bisect_right(places, (off, "\U0010ffff")) - 1
    if at >= 0:
        return places[at][1]
    return "header" if off < (places[0][0] if places else HEADER) else "unused"
