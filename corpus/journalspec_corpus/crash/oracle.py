"""What recovery owes in a state, from the trace and the preset alone.

No reader is asked. A write has *arrived* if every granule it changed holds it
or something later; a record is *intact* if its write arrived and nothing that
arrived later overwrote it; it is *published* if what makes it count arrived.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import DATA, NAMES, SIZE, TRASHED, Group, Timeline
from journalspec_corpus.crash.digest import content_id
from journalspec_corpus.crash.model import CORRUPTED, REACHABLE
from journalspec_corpus.crash.stateset import States
from journalspec_corpus.crash.trace import Ack, Mark, Publish, Release, Trace, Write

ALLOWED, REQUIRED, FORBIDDEN = "allowed", "required", "forbidden"
REFUSALS = (ALLOWED, REQUIRED, FORBIDDEN)

Rows = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Owed:
    """What all states of one crash point have in common.

    `must_keep` are acknowledged records whose effect nothing took back,
    `may_keep` those that had at least been issued, `must_drop` records of an
    earlier life. `record_of` maps a reader's key to the record's name; a key that
    is not in it belongs to nothing that was ever written. `order` is the order in
    which the records of the log were issued, or empty if files were switched;
    records in `possible` may come anywhere in it, or not at all. `life` is the
    trace's. In `stratum` C nothing can be demanded back, only told. `fine` are
    records that a recovery before this life had still found.
    """

    must_keep: frozenset[str]
    may_keep: frozenset[str]
    must_drop: frozenset[str]
    record_of: Mapping[str, str]
    order: tuple[str, ...]
    possible: frozenset[str] = frozenset()
    life: int = 1
    stratum: str = "R"
    fine: frozenset[str] = frozenset()


def owed(trace: Trace, crash_index: int, torn: int = -1, stratum: str = "R") -> Owed:
    """Return what is owed after ``ops[:crash_index]``; `torn` is an operation under way, if any.

    A trace of a second life says with the tag ``fine`` = "yes" that recovery had
    found everything acknowledged in its base.
    """
    upto = max(crash_index, torn + 1)
    # A record that is being written has been issued: its annotation follows its write, perhaps after others.
    issued = [op for index, op in trace.annotated if index < upto and isinstance(op, Mark)]
    released = trace.released(upto)
    acknowledged = trace.acknowledged(crash_index)
    own = (*trace.standing, *issued)
    switched = any(isinstance(op, Release) for op in trace.ops[:upto])
    possible = frozenset(mark.record for mark in trace.possible) - {mark.record for mark in own}
    return Owed(
        must_keep=frozenset(acknowledged) - released,
        may_keep=frozenset(mark.record for mark in own) | possible,
        must_drop=frozenset(mark.record for mark in trace.stale) - possible,
        record_of={mark.key: mark.record for mark in (*trace.stale, *trace.possible, *own)},
        order=() if switched else tuple(dict.fromkeys(mark.record for mark in own)),
        possible=possible,
        life=trace.life,
        stratum=stratum,
        fine=frozenset(mark.record for mark in trace.standing if trace.tags.get("fine") == "yes"),
    )


class Facts:
    """What is true of each state (row) of one group, as boolean columns."""

    def __init__(self, states: States) -> None:
        self.states = states
        self.group: Group = states.group
        self.trace = states.group.trace
        codes = states.codes
        self._levels = (
            np.stack(
                [np.asarray(cell.levels, np.int16)[codes[:, at]] for at, cell in enumerate(self.group.cells)],
                axis=1,
            )
            if self.group.cells
            else np.zeros((len(codes), 0), np.int16)
        )
        self._upto = max(self.group.crash_index, states.torn + 1)
        self.all = np.ones(len(codes), bool)
        self._intact: dict[tuple[int, int], Rows] = {}
        self._published: dict[str, Rows] = {}
        # Columns are shared and never changed in place.
        self._at: dict[tuple[int, int], Rows] = {}
        self._arrived: dict[int, Rows] = {}
        self._counting: dict[int, Rows] = {}
        #: granules that may hold what nobody wrote
        self._broken = [
            (at, cell)
            for at, cell in enumerate(self.group.cells)
            if cell.kind == DATA and min(cell.levels) < 0
        ]

    def arrived(self, index: int) -> Rows:
        """Return the rows in which operation `index` is on disk as a whole."""
        known = self._arrived.get(index)
        if known is None:
            known = self.all
            op = self.trace.ops[index]
            for cell, level in self.group.reach.get(index, ()):
                if isinstance(op, Write):
                    known = known & self._shows(cell, level, op, op.off, op.off + len(op.data))
                else:
                    known = known & self.cell_at(cell, level)
            self._arrived[index] = known
        return known

    def _shows(self, at: int, level: int, op: Write, start: int, end: int) -> Rows:
        """Rows in which cell `at` holds what `op` put into ``[start, end)``, or something later.

        In a version that nobody wrote (half of one, say) the bytes decide.
        """
        cell = self.group.cells[at]
        out = self.cell_at(at, level)
        if cell.kind == DATA and min(cell.levels) < 0:
            for code in (code for code, known in enumerate(cell.levels) if known < 0):
                if self._same(at, code, start, end, op.data, op.off):
                    out = out | (self.states.codes[:, at] == code)
        return out

    def _same(self, at: int, code: int, start: int, end: int, data: bytes, off: int) -> bool:
        """Tell whether a version shows in ``[start, end)`` what `data`, written at `off`, has there."""
        cell = self.group.cells[at]
        base = cell.index * self.group.granule
        a, b = max(start, base), min(end, base + self.group.granule)
        return bool(cell.versions[code][a - base : b - base] == data[a - off : b - off])

    def touched(self, index: int) -> Rows:
        """Return the rows in which at least a part of operation `index` is on disk."""
        entries = self.group.reach.get(index)
        if entries is None:
            return self.all
        out = ~self.all
        for cell, level in entries:
            out |= self.cell_at(cell, level)
        if index == self.states.torn:
            out |= self.states.tear > 0
        return out

    def cell_at(self, cell: int, level: int) -> Rows:
        """Return the rows in which `cell` is at `level` or beyond."""
        known = self._at.get((cell, level))
        if known is None:
            known = self._at[cell, level] = np.asarray(self._levels[:, cell] >= level)
        return known

    @cached_property
    def kill(self) -> Rows:
        """Rows that a killed process leaves: a whole number of operations, in order."""
        out = ~self.all
        if self.states.stratum == CORRUPTED:
            return out
        for levels in self.group.kills:
            out |= (self._levels == np.asarray(levels, np.int16)).all(axis=1)
        if self.states.torn >= 0:
            # A torn granule has no level of its own: only its first and its last version are whole.
            out &= (self.states.codes == 0).all(axis=1) | (self._levels.max(axis=1, initial=0) > 0)
        elif len(self.group.kills) == 1 or any(cell.kind == NAMES for cell in self.group.cells):
            # What has no name is not seen, and what a force of one file leaves may be what a kill leaves:
            # levels do not tell, the bytes do.
            images = _memories(self.trace)[: self._upto + 1]
            for row in np.flatnonzero(~out & ~self.trashed):
                out[row] = content_id(self.group.materialise(self.states.codes[row])) in images
        return out

    @cached_property
    def trashed(self) -> Rows:
        """Rows in which a granule holds garbage."""
        return (self._levels == TRASHED).any(axis=1) if self._levels.size else ~self.all

    @cached_property
    def issued(self) -> list[tuple[int, Mark]]:
        """Every record written so far: (index of its write, its mark)."""
        return [
            (index, op) for index, op in self.trace.annotated if isinstance(op, Mark) and index < self._upto
        ]

    def intact(self, index: int, mark: Mark) -> Rows:
        """Rows in which the record written by operation `index` stands whole."""
        known = self._intact.get((index, mark.off))
        if known is None:
            known = self._written(index, mark) & ~self._overwritten(mark, index + 1)
            self._intact[index, mark.off] = known
        return known

    def _written(self, index: int, mark: Mark) -> Rows:
        """Rows in which the part of operation `index` that is this record arrived."""
        op = self.trace.ops[index]
        assert isinstance(op, Write)  # marks follow writes
        end = mark.off + mark.length
        if (mark.off, mark.length) == (op.off, len(op.data)):
            return self.arrived(index)
        out = self.all.copy()
        step = self.group.granule
        for at, level in self.group.reach.get(index, ()):
            cell = self.group.cells[at]
            if cell.kind == DATA and cell.index * step < end and mark.off < (cell.index + 1) * step:
                if index == self.states.torn:
                    shown = [
                        self._same(at, code, mark.off, end, op.data, op.off)
                        for code in range(len(cell.versions))
                    ]
                    out &= np.asarray(shown)[self.states.codes[:, at]]
                else:
                    out &= self._shows(at, level, op, mark.off, end)
            elif cell.kind == SIZE:
                out &= np.asarray(cell.versions)[self.states.codes[:, at]] >= end
        return out

    def stands(self, mark: Mark) -> Rows:
        """Rows in which a record from before the trace stands whole."""
        return ~self._overwritten(mark, 0)

    def _overwritten(self, mark: Mark, start: int) -> Rows:
        out = ~self.all
        for index, op in self.trace.writes_over(mark.file, mark.off, mark.length):
            if start <= index < self._upto:
                out |= self._overlap_touched(index, op, mark)
        return out | self._trash_over(mark, start - 1) if self._broken else out

    def _overlap_touched(self, index: int, op: Write, mark: Mark) -> Rows:
        entries = self.group.reach.get(index)
        if entries is None:
            return self.all
        if index == self.states.torn:
            return self.states.tear > max(0, mark.off - op.off)
        out = ~self.all
        step = self.group.granule
        for cell, level in entries:
            start = self.group.cells[cell].index * step
            a, b = max(op.off, start), min(op.off + len(op.data), start + step)
            if a < mark.off + mark.length and mark.off < b:
                out |= self.cell_at(cell, level)
        return out

    def _replaced(self, index: int) -> Rows:
        """Rows in which something else, or nothing that was written, hides what operation `index` wrote."""
        op = self.trace.ops[index]
        assert isinstance(op, Write)  # annotations follow writes
        return self._overwritten(Mark("", op.file, op.off, len(op.data), ""), index + 1)

    def _trash_over(self, mark: Mark, index: int) -> Rows:
        """Rows in which a version that nobody wrote hides some of a record of operation `index`, or older."""
        op = self.trace.ops[index] if index >= 0 else None
        data, off = (op.data, op.off) if isinstance(op, Write) else (self.trace.base.get(mark.file, b""), 0)
        out = ~self.all
        step = self.group.granule
        number = self.group.names.get(mark.file)
        for at, cell in self._broken:
            if cell.file == number:
                start = cell.index * step
                if start < mark.off + mark.length and mark.off < start + step:
                    for code in (code for code, level in enumerate(cell.levels) if level < 0):
                        if not self._same(at, code, mark.off, mark.off + mark.length, data, off):
                            out |= self.states.codes[:, at] == code
        return out

    def published(self, record: str) -> Rows:
        """Rows in which something that makes `record` count is on disk."""
        known = self._published.get(record)
        if known is None:
            known = ~self.all
            for index, op in self.trace.annotated:
                if isinstance(op, Publish) and index < self._upto and record in op.records:
                    known |= self._counts(index)
            self._published[record] = known
        return known

    def _counts(self, index: int) -> Rows:
        """Rows in which operation `index` is on disk and nothing hides it."""
        known = self._counting.get(index)
        if known is None:
            known = self._counting[index] = self.arrived(index) & ~self._replaced(index)
        return known

    @cached_property
    def damaged(self) -> Rows:
        """Rows in which a published record of this run stands nowhere whole, and no old one in its place."""
        out = ~self.all
        places: dict[str, list[tuple[int, Mark]]] = {}
        for index, mark in self.issued:
            places.setdefault(mark.record, []).append((index, mark))
        released = self.trace.released(self._upto)
        for record, marks in places.items():
            if record in released:
                continue  # nobody wants it back, so nobody has to be told
            whole = ~self.all
            replaced = ~self.all
            for mark in self.trace.standing:
                if mark.record == record:
                    whole |= self.stands(mark)
            for index, mark in marks:
                whole |= self.intact(index, mark)
                for old in self.trace.stale:
                    if old.file == mark.file and old.off == mark.off:
                        replaced |= self.stands(old)
                if any(old.file == mark.file and old.off == mark.off for old in self.trace.possible):
                    # What was lost here before may be made whole by bytes that both have in common.
                    replaced |= self.all
            out |= self.published(record) & ~whole & ~replaced
        return out

    @cached_property
    def usable(self) -> bool:
        """Whether the journal had been set up before the crash: then a kill leaves it readable."""
        return bool(self.trace.base) or any(isinstance(op, Ack) for op in self.trace.ops[: self._upto])

    @cached_property
    def refusals(self) -> npt.NDArray[np.uint8]:
        """Return for each row the index into :data:`REFUSALS`."""
        out = np.full(len(self.all), REFUSALS.index(ALLOWED), np.uint8)
        if self.states.stratum == CORRUPTED:
            # Whoever notices that something is wrong may say so and stop.
            return out
        if self.usable and self.states.stratum == REACHABLE:
            out[self.kill & ~self.trashed] = REFUSALS.index(FORBIDDEN)
        out[self.damaged & ~self.kill] = REFUSALS.index(REQUIRED)
        return out


_images: dict[str, tuple[bytes, ...]] = {}


def _memories(trace: Trace) -> tuple[bytes, ...]:
    """Return for each operation what a process leaves that is killed before it, as content ids."""
    found = _images.get(trace.id)
    if found is None:
        line = Timeline(trace, 512)
        ids: list[bytes] = []
        for upto in range(len(trace.ops) + 1):
            if upto == 0 or not isinstance(trace.ops[upto - 1], (Ack, Mark, Publish, Release)):
                line.advance(upto)
                last = content_id(line.group(settled=True).materialise(b""))
            ids.append(last)
        _images.clear()
        found = _images[trace.id] = tuple(ids)
    return found
