"""Corruption after durability: which bits, sectors, writes and files go bad (stratum C).

The rows of one acknowledgement point share one group: its contents are settled,
its cells are the granules that go bad in some row, their versions what they are
then. A row deviates in one place (a misdirected write: in two).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from journalspec_corpus.crash.cells import DATA, ROTTEN, Cell, Group, Timeline
from journalspec_corpus.crash.combos import selected
from journalspec_corpus.crash.lies import acknowledged_points
from journalspec_corpus.crash.model import CORRUPTED, PRESETS, Preset
from journalspec_corpus.crash.rot_files import file_states
from journalspec_corpus.crash.rot_places import Places, burst, flipped
from journalspec_corpus.crash.stateset import States
from journalspec_corpus.crash.trace import Sync, SyncDir, Trace

SECTOR, BLOCK = 512, 4096
#: How many pairs of bits, bursts, and bits of space that is not in use are drawn per point.
PAIRS, BURSTS, ELSEWHERE = 256, 256, 64
#: The longest burst, in bits; the most sectors of a file that are cleared or overwritten.
LONGEST, SECTORS = 64, 64


def rotten_states(
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
        group = line.group(settled=True)
        if not trace.standing and not trace.acknowledged(index):
            continue
        bench = _Bench(group, ranks)
        _fill(bench, Places(group, seed), line.group(lying=True), seed)
        states = bench.states()
        if len(states):
            yield states
        states = file_states(trace, group, ranks)
        if len(states):
            yield states


@dataclass
class _Bench:
    """Collects what goes bad, and the versions of granules that it takes."""

    group: Group
    ranks: dict[str, int]
    rows: list[tuple[int, str, tuple[tuple[int, int], ...]]] = field(default_factory=list)
    _cells: dict[tuple[int, int], int] = field(default_factory=dict)
    _versions: list[dict[bytes, int]] = field(default_factory=list)

    def hit(self, kind: str, label: str, *changes: tuple[int, int, bytes]) -> None:
        """Add the row in which ``(file, off, bytes)`` of `changes` are overwritten, if that changes it."""
        codes = {}
        for number, off, data in changes:
            content = self.group.contents[number]
            for granule in range(off // SECTOR, (off + len(data) - 1) // SECTOR + 1):
                start = granule * SECTOR
                old = content[start : start + SECTOR].ljust(SECTOR, b"\0")
                a, b = max(off, start), min(off + len(data), start + SECTOR)
                new = old[: a - start] + data[a - off : b - off] + old[b - start :]
                if new != old:
                    cell, code = self._code(number, granule, old, new)
                    codes[cell] = code
        if codes:
            self.rows.append((self.ranks[kind], label, tuple(codes.items())))

    def _code(self, number: int, granule: int, old: bytes, new: bytes) -> tuple[int, int]:
        cell = self._cells.setdefault((number, granule), len(self._cells))
        if cell == len(self._versions):
            self._versions.append({old: 0})
        known = self._versions[cell]
        return cell, known.setdefault(new, len(known))

    def states(self) -> States:
        """Return everything collected as one set of states."""
        cells = tuple(
            Cell(DATA, number, granule, tuple(known), (0, *(ROTTEN for _ in range(len(known) - 1))))
            for (number, granule), known in zip(self._cells, self._versions, strict=True)
        )
        codes = np.zeros((len(self.rows), len(cells)), np.uint16)
        for row, (_, _, changed) in enumerate(self.rows):
            for cell, code in changed:
                codes[row, cell] = code
        return States(
            replace(self.group, cells=cells, fresh=(False,) * len(cells), forced=(0,) * len(cells)),
            codes,
            np.asarray([rank for rank, _, _ in self.rows], np.uint8),
            np.zeros(len(codes), np.int32),
            stratum=CORRUPTED,
            rot=tuple([label for _, label, _ in self.rows]),
        )


def _fill(bench: _Bench, places: Places, whole: Group, seed: int) -> None:
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


def _bits(bench: _Bench, places: Places, whole: Group, kind: str, seed: int) -> None:
    for name, off, bit in places.bits(ELSEWHERE):
        number = bench.group.names[name]
        bench.hit(
            kind, f"bit:{name}:{off}:{bit}", (number, off, flipped(bench.group.contents[number], off, bit))
        )


def _pairs(bench: _Bench, places: Places, whole: Group, kind: str, seed: int) -> None:
    for name, (off, bit), (off2, bit2) in places.pairs(PAIRS):
        number = bench.group.names[name]
        content = bench.group.contents[number]
        one = flipped(content, off, bit)
        if off == off2:
            changes = [(number, off, bytes([one[0] ^ (1 << bit2)]))]
        else:
            changes = [(number, off, one), (number, off2, flipped(content, off2, bit2))]
        if bit != bit2 or off != off2:
            _hit_each(bench, kind, f"bits:{name}:{off}:{bit}:{off2}:{bit2}", changes)


def _hit_each(bench: _Bench, kind: str, label: str, changes: list[tuple[int, int, bytes]]) -> None:
    """Add one row for changes that may be in one granule: they are laid over the span between them."""
    number = changes[0][0]
    start = min(off for _, off, _ in changes)
    end = max(off + len(data) for _, off, data in changes)
    span = bytearray(bench.group.contents[number][start:end])
    for _, off, data in changes:
        span[off - start : off - start + len(data)] = data
    bench.hit(kind, label, (number, start, bytes(span)))


def _bursts(bench: _Bench, places: Places, whole: Group, kind: str, seed: int) -> None:
    for name, off, length in places.bursts(BURSTS, LONGEST):
        number = bench.group.names[name]
        label = f"burst:{name}:{off}:{length}"
        bench.hit(
            kind, label, (number, off, burst(bench.group.contents[number], off, length, f"{seed}/{label}"))
        )


def _zeros(bench: _Bench, places: Places, whole: Group, kind: str, seed: int) -> None:
    unit, word = (SECTOR, "zero") if kind == "zero-sector" else (BLOCK, "lse")
    for name, number in sorted(bench.group.names.items()):
        for at in places.sectors(name, unit, SECTORS):
            room = min(unit, bench.group.sizes[number] - at * unit)
            bench.hit(kind, f"{word}:{name}:{at}", (number, at * unit, bytes(room)))


def _old(bench: _Bench, places: Places, whole: Group, kind: str, seed: int) -> None:
    """Add phantom writes, or misdirected ones of the last force."""
    names = {number: name for name, number in bench.group.names.items()}
    forces = [
        at for at, op in enumerate(whole.trace.ops[: whole.crash_index]) if isinstance(op, (Sync, SyncDir))
    ]
    since = forces[-2] if len(forces) > 1 else -1
    for at, cell in enumerate(whole.cells):
        name = names.get(cell.file)
        when = max(
            (index for index in whole.reach if any(to == at for to, _ in whole.reach[index])), default=-1
        )
        start = cell.index * SECTOR
        room = bench.group.sizes[cell.file] - start
        if cell.kind != DATA or name is None or room <= 0:
            continue
        old = cell.versions[-2][:room]
        if kind == "phantom":
            bench.hit(kind, f"phantom:{name}:{cell.index}", (cell.file, start, old))
        elif when > since:
            _misdirect(bench, places, name, cell, old)


def _misdirect(bench: _Bench, places: Places, name: str, cell: Cell, old: bytes) -> None:
    new = cell.versions[-1]
    for other, number in sorted(bench.group.names.items()):
        for at in places.sectors(other, SECTOR, SECTORS):
            room = bench.group.sizes[number] - at * SECTOR
            if (number, at) != (cell.file, cell.index):
                label = f"misdirect:{name}:{cell.index}:{other}:{at}"
                bench.hit(
                    "misdirect",
                    label,
                    (number, at * SECTOR, new[:room]),
                    (cell.file, cell.index * SECTOR, old),
                )


def _cleared(bench: _Bench, places: Places, whole: Group, kind: str, seed: int) -> None:
    for name, edge in places.edges():
        number = bench.group.names[name]
        room = bench.group.sizes[number] - edge
        if room > 0:
            bench.hit(kind, f"clear:{name}:{edge}", (number, edge, bytes(room)))
