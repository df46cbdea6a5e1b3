"""Facts about each state of a crash point, as columns. No reader runs.

A write has *arrived* if every granule that it changed contains its bytes or the bytes of a later write. A
mark is *intact* if its write arrived and no later write that arrived overwrote it. A record is *complete* if
all parts of one of its alternatives are intact. It is *published* if a write that makes it live arrived. From
these facts follow the state's category, its torn field, and whether a reader may refuse it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import chain
from typing import Concatenate, ParamSpec

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.corruption import Names, corrupted_fields
from journalspec_corpus.crash.disk import (
    DATA,
    NAMES,
    SIZE,
    TRASHED,
    CrashPoint,
    StateContents,
    States,
    case_id,
    content_id,
    memories,
)
from journalspec_corpus.crash.oracle import (
    ALLOWED,
    FORBIDDEN,
    REFUSALS,
    REQUIRED,
    Expected,
    expected_at,
    promised,
)
from journalspec_corpus.crash.states import Descriptor, descriptor_of, state_at
from journalspec_corpus.crash.trace import (
    BEFORE,
    CORRUPTED,
    PRESETS,
    REACHABLE,
    Ack,
    Create,
    Mark,
    Part,
    Reuse,
    Trace,
    Write,
    Written,
    alternatives,
)
from journalspec_corpus.crash.verdict import CATEGORIES, Answer, judge

Rows = npt.NDArray[np.bool_]
Column = npt.NDArray[np.uint8]


P = ParamSpec("P")


def _remembered(method: Callable[Concatenate[Facts, P], Rows]) -> Callable[Concatenate[Facts, P], Rows]:
    """Compute a column of facts once for each combination of arguments."""

    @wraps(method)
    def once(facts: Facts, /, *args: P.args, **named: P.kwargs) -> Rows:
        place = (method, *args)
        if place not in facts.known:
            facts.known[place] = method(facts, *args, **named)
        return facts.known[place]

    return once


class Facts:
    """Represents facts about each state (row) of one crash point, as boolean columns."""

    def __init__(self, states: States) -> None:
        self.states = states
        self.contents = StateContents(states.point, states.codes)
        self.point: CrashPoint = states.point
        self.trace = states.point.trace
        codes = states.codes
        self._levels = np.zeros(codes.shape, np.int16)
        for at, block in enumerate(self.point.blocks):
            self._levels[:, at] = np.asarray(block.levels)[codes[:, at]]
        #: The number of operations of the trace that had started.
        self.upto = max(self.point.crash_index, states.torn + 1)
        self.all = np.ones(len(codes), bool)
        # Columns are shared and never changed in place.
        self.known: dict[tuple[object, ...], Rows] = {}
        #: For each granule, the versions that no process ever wrote.
        self._strange = [
            tuple(code for code, level in enumerate(block.levels) if level < 0 and block.kind == DATA)
            for block in self.point.blocks
        ]

    @cached_property
    def expected(self) -> Expected:
        """The required outcome in all rows."""
        return expected_at(self.trace, self.point.crash_index, self.states.torn, self.states.stratum)

    @cached_property
    def case_ids(self) -> list[bytes]:
        """The id of each row; several rows may have the same id."""
        same = promised(self.trace, self.expected)
        return [case_id(content, same) for content in self.contents.ids]

    @cached_property
    def categories(self) -> Column:
        """The result of :func:`categories`."""
        return categories(self)

    @cached_property
    def fields(self) -> Names:
        """The result of :func:`fields`."""
        return fields(self)

    @cached_property
    def deviations(self) -> npt.NDArray[np.int32]:
        """For each row, return how many blocks differ from the state in which everything arrived.

        If fewer blocks differ from the state in which nothing arrived, their number is returned. A torn write
        counts as one deviation, and so does a corruption.
        """
        states = self.states
        if states.rot:
            return np.asarray([bool(text) for text in states.rot], np.int32)
        if states.torn >= 0:
            op = self.trace.ops[states.torn]
            assert isinstance(op, Write)  # in these rows, nothing else is torn
            return np.asarray((states.tear > 0) & (states.tear < len(op.data)), np.int32)
        arrived = [block.last for block in self.point.blocks]
        lost = (states.codes != np.asarray(arrived, np.uint16)).sum(axis=1)
        kept = (states.codes != 0).sum(axis=1)
        return np.asarray(np.minimum(lost, kept), np.int32)

    @_remembered
    def arrived(self, index: int) -> Rows:
        """Return the rows in which operation `index` is completely on disk."""
        out, op = self.all, self.trace.ops[index]
        for block, level in self.point.reach.get(index, ()):
            if isinstance(op, Write):
                out = out & self._shows(block, level, op, op.off, op.off + len(op.data))
            else:
                out = out & self.cell_at(block, level)
        return out

    def _shows(self, at: int, level: int, op: Write, start: int, end: int) -> Rows:
        """Return the rows in which block `at` has the bytes of `op` in ``[start, end)``, or of a later write.

        For a version that no process wrote (for example half of a version), the bytes are compared.
        """
        out = self.cell_at(at, level)
        for code in self._strange[at]:
            if self._same(at, code, start, end, op.data, op.off):
                out = out | (self.states.codes[:, at] == code)
        return out

    def _same(self, at: int, code: int, start: int, end: int, data: bytes, off: int) -> bool:
        """Return whether ``[start, end)`` of a version equals the bytes of `data` written at `off`."""
        block = self.point.blocks[at]
        base = block.index * self.point.granule
        a, b = max(start, base), min(end, base + self.point.granule)
        return bool(block.versions[code][a - base : b - base] == data[a - off : b - off])

    def touched(self, index: int) -> Rows:
        """Return the rows in which at least part of operation `index` is on disk."""
        entries = self.point.reach.get(index)
        if entries is None:
            return self.all
        out = ~self.all
        for block, level in entries:
            out |= self.cell_at(block, level)
        if index == self.states.torn:
            out |= self.states.tear > 0
        return out

    @_remembered
    def cell_at(self, block: int, level: int) -> Rows:
        """Return the rows in which `block` is at `level` or a higher level."""
        return np.asarray(self._levels[:, block] >= level)

    @cached_property
    def kill(self) -> Rows:
        """Rows that a killed process leaves: complete operations, in their order, up to some operation."""
        out = ~self.all
        if self.states.stratum == CORRUPTED:
            return out
        for levels in self.point.kills:
            out |= (self._levels == np.asarray(levels, np.int16)).all(axis=1)
        if self.states.torn >= 0:
            # A partly written granule has no level. A killed process leaves the first or the last version.
            out &= (self.states.codes == 0).all(axis=1) | (self._levels.max(axis=1, initial=0) > 0)
        elif len(self.point.kills) == 1 or any(block.kind == NAMES for block in self.point.blocks):
            # Levels are not sufficient here: a file without a name is invisible, and a state after an fsync
            # of one file may equal that of a killed process. So the bytes are compared.
            rows = np.flatnonzero(~out & ~self.trashed)
            if len(rows):
                images = frozenset(memories(self.trace)[: self.upto + 1])
                out[rows] = [self.contents.ids[row] in images for row in rows.tolist()]
        return out

    @cached_property
    def trashed(self) -> Rows:
        """Rows in which a granule holds garbage."""
        return (self._levels == TRASHED).any(axis=1) if self._levels.size else ~self.all

    @cached_property
    def issued(self) -> list[tuple[int, Mark]]:
        """Every record issued up to the crash: (index of its write, its mark)."""
        return self.trace.issued(self.upto)

    def whole(self, parts: list[Written]) -> Rows:
        """Return the rows in which every part of an alternative is intact; an unissued part is not intact."""
        out = self.all
        for part in parts:
            there = ~self.all
            for index, mark in part:
                if index < self.upto:
                    there |= self.stands(mark) if index == BEFORE else self.intact(index, mark)
            out = out & there
        return out

    def entire(self, index: int, mark: Mark) -> Rows:
        """Return the rows in which the alternative of the mark of operation `index` is intact."""
        return self.whole(self._others(mark)) if isinstance(mark, Part) else self.intact(index, mark)

    def begun(self, index: int, mark: Mark) -> Rows:
        """Return the rows in which at least part of the record that operation `index` writes is on disk."""
        if not isinstance(mark, Part):
            return self.touched(index)
        out = ~self.all
        for part in self._others(mark):
            for at, _ in part:
                if BEFORE < at < self.upto:
                    out |= self.touched(at)
        return out

    @property
    def outstanding(self) -> list[tuple[int, Mark]]:
        """Unissued parts of records of which another part was issued: (index of its write, its mark)."""
        begun = {(mark.record, mark.alternative) for _, mark in self.issued}
        return [
            (index, op)
            for index, op in self.trace.annotated
            if isinstance(op, Part) and index >= self.upto and (op.record, op.alternative) in begun
        ]

    def _others(self, mark: Mark) -> list[Written]:
        """Return all parts of the alternative to which `mark` belongs."""
        return next(
            parts
            for parts in self.trace.alternatives[mark.record]
            if parts[0][0][1].alternative == mark.alternative
        )

    @_remembered
    def intact(self, index: int, mark: Mark) -> Rows:
        """Return the rows in which the bytes of operation `index` for `mark` arrived and still exist."""
        return self._written(index, mark) & ~self._overwritten(mark, index + 1)

    def _written(self, index: int, mark: Mark) -> Rows:
        """Return the rows in which the bytes of operation `index` for the record of `mark` arrived."""
        op = self.trace.ops[index]
        assert isinstance(op, Write)  # each mark follows its write
        end = mark.off + mark.length
        if (mark.off, mark.length) == (op.off, len(op.data)):
            return self.arrived(index)
        out = self.all.copy()
        step = self.point.granule
        for at, level in self.point.reach.get(index, ()):
            block = self.point.blocks[at]
            if block.kind == DATA and block.index * step < end and mark.off < (block.index + 1) * step:
                if index == self.states.torn:
                    shown = [
                        self._same(at, code, mark.off, end, op.data, op.off)
                        for code in range(len(block.versions))
                    ]
                    out &= np.asarray(shown)[self.states.codes[:, at]]
                else:
                    out &= self._shows(at, level, op, mark.off, end)
            elif block.kind == SIZE:
                out &= np.asarray(block.versions)[self.states.codes[:, at]] >= end
        return out

    def stands(self, mark: Mark) -> Rows:
        """Return the rows in which the bytes of a mark from before the trace are not overwritten."""
        return ~self._overwritten(mark, 0)

    def _overwritten(self, mark: Mark, start: int) -> Rows:
        out = ~self.all
        for index, op in self.trace.writes_over(mark.file, mark.off, mark.length):
            if start <= index < self.upto:
                out |= self._overlap_touched(index, op, mark)
        return out | self._trash_over(mark, start - 1) if any(self._strange) else out

    def _overlap_touched(self, index: int, op: Write, mark: Mark) -> Rows:
        entries = self.point.reach.get(index)
        if entries is None:
            return self.all
        if index == self.states.torn:
            return self.states.tear > max(0, mark.off - op.off)
        out = ~self.all
        step = self.point.granule
        for block, level in entries:
            start = self.point.blocks[block].index * step
            a, b = max(op.off, start), min(op.off + len(op.data), start + step)
            if a < mark.off + mark.length and mark.off < b:
                out |= self.cell_at(block, level)
        return out

    def _trash_over(self, mark: Mark, index: int) -> Rows:
        """Return the rows in which an unwritten version hides a part of `mark` of operation `index`."""
        op = self.trace.ops[index] if index >= 0 else None
        data, off = (op.data, op.off) if isinstance(op, Write) else (self.trace.base.get(mark.file, b""), 0)
        out = ~self.all
        step = self.point.granule
        number = self.point.names.get(mark.file)
        for at, block in enumerate(self.point.blocks):
            start = block.index * step
            if block.file == number and start < mark.off + mark.length and mark.off < start + step:
                for code in self._strange[at]:
                    if not self._same(at, code, mark.off, mark.off + mark.length, data, off):
                        out |= self.states.codes[:, at] == code
        return out

    @_remembered
    def published(self, record: str, start: int = BEFORE) -> Rows:
        """Return the rows that contain a write, number `start` or later, that makes `record` live."""
        out = ~self.all
        for index in self.trace.publishing.get(record, ()):
            if start <= index < self.upto:
                out |= self._counts(index)
        return out

    @_remembered
    def _counts(self, index: int) -> Rows:
        """Return the rows in which operation `index` is on disk and no later bytes hide it."""
        op = self.trace.ops[index]
        assert isinstance(op, Write)  # annotations follow their write
        hidden = self._overwritten(Mark("", op.file, op.off, len(op.data), ""), index + 1)
        return self.arrived(index) & ~hidden

    @cached_property
    def damaged(self) -> Rows:
        """Rows in which a published record of this run is nowhere intact, and no old records take its place.

        A run of old records takes this place if a reader cannot distinguish them from published records. They
        are complete, follow each other without gaps, begin where a published record begins, and end where one
        ends. A run that ends after the last published record is distinguishable.
        """
        out = ~self.all
        places: dict[str, set[tuple[str, int]]] = {}
        for _, mark in self.issued:
            places.setdefault(mark.record, set()).add((mark.file, mark.off))
        unsure = {(mark.file, mark.off) for mark in self.trace.possible}
        released = self.trace.released(self.upto)
        for record, mine in places.items():
            if record in released:
                continue  # A deleted record is not required.
            # An earlier torn record at this offset may be intact again, because the two records may share
            # equal bytes.
            excused = ~self.all if mine.isdisjoint(unsure) else self.all.copy()
            for parts in self.trace.alternatives[record]:
                excused |= self.whole(parts) | self._taken(parts)
            out |= self.published(record) & ~excused
        return out

    def _taken(self, parts: list[Written]) -> Rows:
        """Return the rows in which each part of an alternative is intact, or old records take its place.

        Old records are accepted only if this alternative's own write, or a later one, makes the record live.
        """
        out = self.all
        for part in parts:
            there = ~self.all
            for index, mark in part:
                if BEFORE < index < self.upto:
                    led = self.published(mark.record, index)
                    there |= self.intact(index, mark) | (led & self._covered(mark))
            out = out & there
        return out

    def _covered(self, mark: Mark) -> Rows:
        """Return the rows in which a run of old records covers the place of `mark`."""
        out = ~self.all
        for start, end, rows in self._runs.get(mark.file, ()):
            if start <= mark.off and mark.off + mark.length <= end:
                out |= rows
        return out

    @cached_property
    def _runs(self) -> dict[str, list[tuple[int, int, Rows]]]:
        """Map files to (start, end, rows) of runs of complete old records at boundaries of published ones."""
        found: dict[str, list[tuple[int, int, Rows]]] = {}
        old: dict[tuple[str, int], list[tuple[int, Rows]]] = {}
        for parts in chain.from_iterable(alternatives((BEFORE, mark) for mark in self.trace.stale).values()):
            for mark in (mark for part in parts for _, mark in part):
                known = old.setdefault((mark.file, mark.off), [])
                known.append((mark.off + mark.length, self.whole(parts)))
        if not old:
            return found
        ends: dict[tuple[str, int], set[str]] = {}
        for _, mark in self.issued:
            ends.setdefault((mark.file, mark.off + mark.length), set()).add(mark.record)
        for first in {(mark.file, mark.off, mark.record): mark for _, mark in self.issued}.values():
            ways = [(first.off, self.published(first.record))]
            while ways:
                at, rows = ways.pop()
                for end, whole in old.get((first.file, at), ()):
                    so_far = rows & whole
                    if so_far.any():
                        ways.append((end, so_far))
                        for record in ends.get((first.file, end), ()):
                            entry = first.off, end, so_far & self.published(record)
                            found.setdefault(first.file, []).append(entry)
        return found

    @cached_property
    def usable(self) -> bool:
        """Whether the journal was set up before the crash, and is readable after the process is killed."""
        return bool(self.trace.base) or any(isinstance(op, Ack) for op in self.trace.ops[: self.upto])

    @cached_property
    def refusals(self) -> npt.NDArray[np.uint8]:
        """For each row, return the index into :data:`REFUSALS`."""
        out = np.full(len(self.all), REFUSALS.index(ALLOWED), np.uint8)
        if self.states.stratum == CORRUPTED:
            # A reader that detects a fault may report it and stop.
            return out
        if self.usable and self.states.stratum == REACHABLE:
            out[self.kill & ~self.trashed] = REFUSALS.index(FORBIDDEN)
        out[self.damaged & ~self.kill] = REFUSALS.index(REQUIRED)
        return out


#: Backgrounds under which a hole shows records of an earlier generation or of another journal.
STALE = ("stale-same", "stale-shifted", "stale-foreign")
#: Fields that begin within this many bytes of a record are its header.
HEAD = 32


def categories(facts: Facts) -> Column:
    """For each row, return the index into :data:`CATEGORIES`; later rules overwrite earlier results."""
    out = np.full(len(facts.all), CATEGORIES.index("sector-hole"), np.uint8)

    def take(name: str, rows: Rows) -> None:
        out[rows] = CATEGORIES.index(name)

    if facts.states.stratum != "R":
        names = [PRESETS[rank].rot or _LIES[PRESETS[rank].force] for rank in facts.states.preset]
        return np.asarray([CATEGORIES.index(name) for name in names], np.uint8)
    background = facts.trace.background
    if background not in (*STALE, "garbage"):
        take("zero-tail", _bare_tail(facts))
    ahead, behind, split = _pointers(facts)
    take("pointer-behind", behind)
    take("pointer-ahead", ahead)
    if background in STALE:
        take(background, _lacking(facts))
    take("header-straddle", _straddling(facts))
    take("epoch-reorder", _reordered(facts))
    take("tx-split", split)
    if facts.states.torn >= 0:
        take("prefix-torn", facts.all)
    during = facts.trace.during
    started = facts.trace.ops[: facts.point.crash_index + 1]
    if during == "compact":
        take("compact", facts.all)
    elif during == "create" or any(isinstance(op, Create) for op in started):
        take("create", facts.all)
    elif during == "rotate" or any(isinstance(op, Reuse) for op in started):
        take("rotate", facts.all)
    take("size-before-data", _ahead_of_data(facts))
    foreign = [PRESETS[rank].fresh == "foreign" for rank in facts.states.preset]
    take("stale-foreign", np.asarray(foreign, bool))
    take("sector-trash", facts.trashed & ~_ahead_of_data(facts))
    take("clean", facts.kill & ~facts.trashed)
    if during == "recovery-crash" or facts.trace.life > 1:
        # A run after a crash begins with the operations of opening, so a crash among them interrupts recovery
        # itself.
        opening = during == "recovery-crash" or facts.point.crash_index < int(
            facts.trace.tags.get("opened", "0")
        )
        take("recovery-crash" if opening else "second-crash", facts.all)
    return out


_LIES = {"ignored": "lost-force", "fails-clean": "fail-marks-clean"}


def _bare_tail(facts: Facts) -> Rows:
    """Return the rows in which no byte of the last record arrived, but a part of an earlier write did."""
    if not facts.issued:
        return ~facts.all
    last = facts.issued[-1][0]
    some = ~facts.all
    for index in facts.point.reach:
        if index < last:
            some |= facts.touched(index)
    return some & ~facts.touched(last)


def _straddling(facts: Facts) -> Rows:
    """Return the rows in which one field of a record's header arrived and another did not."""
    out = ~facts.all
    step = facts.point.granule
    for index, mark in facts.issued:
        edge = -(-(mark.off + 1) // step) * step
        if edge - mark.off >= min(HEAD, mark.length):
            continue
        parts = {facts.point.blocks[block].index: (block, level) for block, level in _data(facts, index)}
        before, behind = parts.get(edge // step - 1), parts.get(edge // step)
        if before is not None and behind is not None:
            out |= facts.cell_at(*before) != facts.cell_at(*behind)
    return out


def _data(facts: Facts, index: int) -> list[tuple[int, int]]:
    return [entry for entry in facts.point.reach.get(index, ()) if facts.point.blocks[entry[0]].kind == DATA]


def _ahead_of_data(facts: Facts) -> Rows:
    """Return the rows in which a file has grown over blocks in which nothing arrived."""
    out = ~facts.all
    point, codes = facts.point, facts.states.codes
    sizes = {block.file: at for at, block in enumerate(point.blocks) if block.kind == SIZE}
    if facts.states.torn >= 0 or not sizes:
        return out
    for at, block in enumerate(point.blocks):
        if block.fresh and block.file in sizes:
            size = sizes[block.file]
            grown = np.asarray(point.blocks[size].versions)[codes[:, size]] > block.index * point.granule
            bare = np.asarray(block.levels)[codes[:, at]] <= 0
            out |= grown & bare & _named(facts, block.file)
    return out


def _named(facts: Facts, file: int) -> Rows:
    """Return the rows in which file number `file` has a name."""
    for at, block in enumerate(facts.point.blocks):
        if block.kind == NAMES:
            bound = np.asarray([file in names.values() for names in block.versions])
            return np.asarray(bound[facts.states.codes[:, at]])
    return facts.all.copy() if file in facts.point.names.values() else ~facts.all


def _reordered(facts: Facts) -> Rows:
    """Return the rows in which a later record arrived completely and an earlier record did not."""
    out = ~facts.all
    earlier_lost = ~facts.all
    for index in sorted({index for index, _ in facts.issued} & facts.point.reach.keys()):
        arrived = facts.arrived(index)
        out |= arrived & earlier_lost
        earlier_lost |= ~arrived
    return out


def _lacking(facts: Facts) -> Rows:
    """Return the rows in which a part of a record in flight did not arrive: the earlier bytes are there."""
    out = ~facts.all
    for index in {index for index, _ in facts.issued} & facts.point.reach.keys():
        out |= ~facts.arrived(index)
    return out


def _pointers(facts: Facts) -> tuple[Rows, Rows, Rows]:
    """Return three columns: a pointer arrived without its record; a record arrived without its pointer; a
    transaction is split.

    A pointer is a write that makes a record live. If it is a record itself (a commit), both faults are a
    split transaction.
    """
    ahead, behind, split = ~facts.all, ~facts.all, ~facts.all
    for index, mark in facts.issued:
        whole = facts.entire(index, mark)
        published = facts.published(mark.record)
        if mark.record in facts.trace.members:
            split |= (published & ~whole) | (~published & whole & ~facts.kill)
            continue
        ahead |= published & ~whole
        behind |= ~published & whole & ~facts.kill
    return ahead, behind, split


def fields(facts: Facts) -> Names:
    """For each row, return the field in which the first damaged record is torn; empty if none is."""
    if facts.states.stratum == CORRUPTED:
        return corrupted_fields(facts.states)
    out: Names = np.full(len(facts.all), "", object)
    for index, mark in reversed(facts.outstanding):
        out[facts.begun(index, mark)] = next((name for _, name in mark.fields), "")
    for index, mark in reversed(facts.issued):
        torn = facts.begun(index, mark) & ~facts.arrived(index)
        if torn.any():
            _place(facts, index, mark, torn, out)
    return out


def _place(facts: Facts, index: int, mark: Mark, torn: Rows, out: Names) -> None:
    op = facts.trace.ops[index]
    assert isinstance(op, Write)  # marks follow writes
    if index == facts.states.torn:
        edges = op.off + facts.states.tear
        for start, name in mark.fields:
            out[torn & (edges >= mark.off + start)] = name
        return
    for block, level in sorted(facts.point.reach.get(index, ()), reverse=True):
        if facts.point.blocks[block].kind != DATA:
            continue
        edge = max(mark.off, facts.point.blocks[block].index * facts.point.granule) - mark.off
        name = next((name for start, name in reversed(mark.fields) if start <= edge), "")
        out[torn & ~facts.cell_at(block, level)] = name


@dataclass(frozen=True)
class State:
    """State number `row` of a crash point."""

    situation: Facts
    row: int

    @property
    def trace(self) -> Trace:
        """The trace of the state."""
        return self.situation.trace

    @cached_property
    def files(self) -> dict[str, bytes]:
        """The files of the state."""
        states = self.situation.states
        return states.point.materialise(states.codes[self.row])

    @property
    def deviations(self) -> int:
        """The number of deviations, see :attr:`Facts.deviations`."""
        return int(self.situation.deviations[self.row])

    @property
    def rank(self) -> int:
        """The number of its preset; a smaller number means stronger guarantees."""
        return int(self.situation.states.preset[self.row])

    @property
    def refusal(self) -> str:
        """Whether a refusal of the state is allowed, required or forbidden."""
        return REFUSALS[int(self.situation.refusals[self.row])]

    @property
    def category(self) -> str:
        """The kind of crash."""
        return CATEGORIES[int(self.situation.categories[self.row])]

    @property
    def field(self) -> str:
        """The field in which the first damaged record is torn, or "" if no record is torn."""
        return str(self.situation.fields[self.row])

    @property
    def kind(self) -> tuple[str, str, str]:
        """Category, refusal and field; failing states with the same values are considered alike."""
        return self.category, self.refusal, self.field

    @cached_property
    def content_id(self) -> bytes:
        """The id of the content of its files."""
        return content_id(self.files)

    @cached_property
    def case_id(self) -> str:
        """The hex digits under which the state is published."""
        return case_id(self.content_id, promised(self.trace, self.situation.expected)).hex()

    def descriptor(self, seed: int) -> Descriptor:
        """Return the descriptor from which :func:`find` rebuilds the state."""
        return descriptor_of(self.situation.states, self.row, seed)

    def verdict(self, answer: Answer, *, salvaging: bool) -> str:
        """Return the verdict on `answer` in this state."""
        return judge(answer, self.situation.expected, self.refusal, holes_allowed=salvaging)

    def records(self, answer: Answer) -> int:
        """Return the number of records issued in the trace, and of required records not in `answer`."""
        begun = self.trace.ops[: self.situation.upto + 1]
        issued = {op.record for op in begun if isinstance(op, Mark)}
        expected = self.situation.expected
        given = {expected.record_of.get(key) for key in answer.keys}
        missing = expected.must_keep - given if answer.refused is None else frozenset()
        return len(issued | {mark.record for mark in self.trace.standing if mark.record in missing})


def find(trace: Trace, descriptor: Descriptor) -> State:
    """Return the state of `trace` that `descriptor` identifies; raises NoSuchState."""
    return State(Facts(state_at(trace, descriptor)), 0)
