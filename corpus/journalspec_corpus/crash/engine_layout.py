"""A trace laid out flat for the compiled engine: operations, marks and promises as few arrays.

Nothing here is compiled, and nothing needs Numba. What the engine does not do is told by
:func:`unfit`; such a trace goes through the engine in Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import Binding, foreign_at, garbage_at, loose_names, stream_of
from journalspec_corpus.crash.expected import Expected
from journalspec_corpus.crash.fingerprints import words_of
from journalspec_corpus.crash.losses import as_write, cuts_of
from journalspec_corpus.crash.obligations import Obligations
from journalspec_corpus.crash.persistence import PRESETS, REACHABLE, Preset
from journalspec_corpus.crash.trace import (
    Ack,
    Create,
    Mark,
    Part,
    Preallocate,
    Publish,
    Release,
    Rename,
    Reuse,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Write,
    alternatives,
)
from journalspec_corpus.crash.verdict import CATEGORIES

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

#: Kinds of operations.
WRITE, FILL, TRUNCATE, GROW, UNWRITTEN, SYNC, SYNC_DIR, NAMED, ACK, RELEASE, NOTHING, NOTE = range(12)
#: Columns of `ops`. `OFF` is the size that a Truncate sets, `LEVEL` the names after the operation.
KIND, NAME, FILE, OFF, LENGTH, DATA, CUTS, LEVEL = range(8)
#: Columns of `marks`; `INDEX` is that of the write, -1 for what was there before.
INDEX, MARK_NAME, MARK_OFF, MARK_LENGTH, RECORD, FIELDS, FIELD_COUNT = range(7)
#: Columns of `subsets`, the presets of subset order.
RANK, GRANULE, PLAIN, BROKEN, APPEND, JOURNALED, GARBAGE, FOREIGN, ANY_NAMES = range(9)
#: How a file may grow.
ANY, DATA_FIRST, OWN_DATA_FIRST = range(3)
#: Columns of `rows`: the group, what :class:`.blocks.States` and facts say, and the row of the shard that
#: the state is: its own if `NEW`.
GROUP, PRESET, TEAR, REFUSAL, CATEGORY, FIELD, OWNER, NEW = range(8)
#: Columns of `groups`: crash index, torn operation, granule, blocks, rows and their codes, blocks in
#: `blocks`, patches, how many versions somebody wrote (all combinations), the row of the durable names, and
#: that of `orders` (:class:`.kernel.Points`) which goes with row 0 of names.
G_CRASH, G_TORN, G_GRANULE, G_BLOCKS, G_FIRST, G_COUNT = range(6)
G_CODES, G_TABLE, G_PATCH, G_PATCHES, G_WRITTEN, G_NAMES, G_ORDER = range(6, 13)
#: What a process has of files: beyond that a trace is left to the engine in Python.
MOST_BYTES = 1 << 21
STEP = 4096


class FlatTrace(NamedTuple):
    """A trace as arrays, with all that does not depend on single states.

    Files have numbers, as in :mod:`.blocks`; a row of `files` is where its bytes start in the buffer of all
    files, how much room it has, and its size before the trace. `names` has one row for each set of names: the
    numbers of the files that names are bound to, -1 for none; `words` are those of
    :func:`.fingerprints.words_of`. A row of `alternatives` is a record, and where its marks begin and end in
    `entries`; `stale` has those of records of an earlier life. `promises` has two rows for each operation:
    what is owed before it, and while it is under way. `extra` is what nobody wrote, `extra_at`
    says where that of a crash point begins, for each granule size; `loose` which rows of `names` are loose.
    `flags` are true of the whole trace (:data:`FROM` and so on).
    """

    ops: Ints
    data: Bytes
    base: Bytes
    files: Ints
    names: Ints
    words: Hashes
    cuts: Bytes
    marks: Ints
    fields: Ints
    published: Ints
    released: Ints
    members: Bytes
    alternatives: Ints
    stale: Ints
    entries: Ints
    unsure: Bytes
    prefixes: Ints
    subsets: Ints
    promises: Hashes
    streams: Hashes
    extra: Bytes
    extra_at: Ints
    loose: Ints
    flags: Ints


_APPENDS = {"data-first": DATA_FIRST, "own-data-first": OWN_DATA_FIRST}
#: Operation -> its kind; space that is set aside may be another, and so may a release of nothing.
_KIND_OF: dict[type, int] = {
    Write: WRITE,
    Preallocate: FILL,
    Truncate: TRUNCATE,
    Sync: SYNC,
    SyncDir: SYNC_DIR,
    **dict.fromkeys((Create, Rename, Unlink), NAMED),
    Ack: ACK,
    Release: RELEASE,
    **dict.fromkeys((Mark, Publish, Reuse), NOTE),
}
#: Backgrounds as the engine tells them apart.
PLAIN_SPACE, NOISE, STALE_SPACE = range(3)
#: What a trace may be all about.
COMPACT, CREATE, ROTATE, RECOVERY = range(4)
_DURING = {"compact": COMPACT, "create": CREATE, "rotate": ROTATE, "recovery-crash": RECOVERY}
#: Places in `flags`.
FROM, ISSUED, BASED, COVERED, LIFE, OPENED, SPACE, STALE_AS, DURING, CREATED, REUSED = range(11)


@lru_cache(maxsize=64)
def preset_tables(presets: tuple[Preset, ...]) -> tuple[Ints, Ints]:
    """Return the prefix presets among `presets` (rank, granule, whole) and those of subset order, as columns.

    Those of one granule stand together, strongest first.
    """
    prefixes = [
        (rank, each.granule, each.append == "whole")
        for rank, each in enumerate(PRESETS)
        if each.order == "prefix" and each in presets
    ]
    ranks = [rank for rank, each in enumerate(PRESETS) if each.order == "subset" and each in presets]
    subsets = [
        _subset(rank, PRESETS[rank])
        for granule in dict.fromkeys(PRESETS[rank].granule for rank in ranks)
        for rank in ranks
        if PRESETS[rank].granule == granule
    ]
    return _table(prefixes, 3), _table(subsets, 9)


@lru_cache(maxsize=64)
def _granules(presets: tuple[Preset, ...]) -> tuple[list[int], list[list[int] | None]]:
    """Return the granules of subset presets, and the first of each that shows what nobody wrote, if any."""
    first: dict[int, list[int] | None] = {}
    for row in preset_tables(presets)[1].tolist():
        if first.setdefault(row[GRANULE], None) is None and row[PLAIN]:
            first[row[GRANULE]] = row
    return list(first), list(first.values())


def _subset(rank: int, preset: Preset) -> tuple[int, ...]:
    plain = not preset.trash and preset.fresh == "zero" and preset.metadata != "any"
    kind = 0 if plain else 2 if preset.broken else 1 if preset.trash else 3
    return (
        rank,
        preset.granule,
        kind,
        preset.broken,
        _APPENDS.get(preset.append, ANY),
        preset.metadata == "journaled",
        preset.fresh == "garbage",
        preset.fresh == "foreign",
        preset.metadata == "any",
    )


def _table(rows: Iterable[Sequence[Any]], width: int) -> Ints:
    # Numbers one behind the other are taken in twice as fast as rows of them.
    return np.asarray([*chain.from_iterable(rows)], np.int64).reshape(-1, width)


#: The same few names come in all traces.
_words = lru_cache(1 << 12)(words_of)


def unfit(trace: Trace) -> str:
    """Return why the compiled engine does not take `trace`; empty if it does."""
    if any(isinstance(op, Part) for op in (*trace.ops, *trace.standing, *trace.stale)):
        return "records in parts"
    if any(index < 0 for index, _ in trace.annotated):
        return "an annotation before any write"
    total = sum(map(len, trace.base.values()))
    if total + sum(len(op.data) for _, op in trace.writes) > MOST_BYTES or any(
        max(getattr(op, "off", 0) + getattr(op, "length", 0), getattr(op, "size", 0)) > MOST_BYTES
        for op in trace.ops
    ):
        return "large files"
    return ""


class TraceLayout:
    """A trace as the engine takes it (`flat`), and what its numbers stand for.

    `record_names` and `field_names` are by number, `owed` what is expected by row of `flat.promises`.
    """

    def __init__(self, trace: Trace, presets: tuple[Preset, ...], seed: int) -> None:
        self.trace = trace
        self.seed = seed
        self.owed: dict[int, Expected] = {}
        self.obligations = Obligations(trace)
        self.field_names: list[str] = [""]
        self._field_of: dict[str, int] = {"": 0}
        self._records: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._data: list[bytes] = []
        self._used = 0
        self._cuts: list[Bytes] = []
        self._cut = 0
        self._marks: list[tuple[int, ...]] = []
        self._fields: list[tuple[int, int]] = []
        self._presets = presets
        self.prefixes, self.subsets = preset_tables(presets)
        self.flat = self._flat()

    @property
    def names(self) -> list[str]:
        """The names of files, by number."""
        return list(self._names)

    def _record(self, name: str) -> int:
        return self._records.setdefault(name, len(self._records))

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _mark(self, index: int, mark: Mark) -> int:
        first = len(self._fields)
        for start, name in mark.fields:
            number = self._field_of.setdefault(name, len(self._field_of))
            if number == len(self.field_names):
                self.field_names.append(name)
            self._fields.append((start, number))
        record, count = self._record(mark.record), len(mark.fields)
        self._marks.append((index, self._name(mark.file), mark.off, mark.length, record, first, count))
        return len(self._marks) - 1

    def _flat(self) -> FlatTrace:
        trace = self.trace
        base_names = sorted(trace.base)
        bound: dict[str, int] = {name: number for number, name in enumerate(base_names)}
        for name in base_names:
            self._name(name)
        sizes = [len(trace.base[name]) for name in base_names]
        tops = list(sizes)
        whole: list[dict[str, int]] = [bound]
        steps: list[tuple[Binding, ...]] = []
        ops: list[tuple[int, ...]] = []
        for index, op in enumerate(trace.ops):
            kind, file, number, off, length, data, cuts = _KIND_OF[type(op)], -1, -1, 0, 0, -1, -1
            if isinstance(op, (Write, Preallocate)):
                file, number, off = self._name(op.file), bound[op.file], op.off
                content = op.data
                if content is None:
                    assert isinstance(op, Preallocate)  # a write has data
                    kind = UNWRITTEN if op.mode == "unwritten" else GROW
                    length = op.length
                else:
                    length, data = len(content), self._used
                    self._data.append(content)
                    self._used += length
                    if index >= trace.crash_from and as_write(op) is not None:
                        cuts = self._cut
                        self._cuts.append(cuts_of(trace, index).view(np.uint8))
                        self._cut += length + 1
                tops[number] = max(tops[number], off + length)
            elif isinstance(op, Truncate):
                file, number, off = self._name(op.file), bound[op.file], op.size
                tops[number] = max(tops[number], off)
            elif isinstance(op, Sync):
                file, number = self._name(op.file), bound[op.file]
            elif kind == NAMED:
                bound = dict(bound)
                if isinstance(op, Create):
                    bound[op.file] = len(tops)
                    steps.append(((op.file, len(tops)),))
                    tops.append(0)
                    self._name(op.file)
                elif isinstance(op, Rename):
                    bound[op.new] = bound.pop(op.old)
                    steps.append(((op.new, bound[op.new]), (op.old, None)))
                    self._name(op.new)
                elif isinstance(op, Unlink):
                    del bound[op.file]
                    steps.append(((op.file, None),))
                whole.append(bound)
            elif isinstance(op, Release) and not op.records:
                kind = NOTHING
            ops.append((kind, file, number, off, length, data, cuts, len(whole) - 1))
        return self._finished(ops, tops, sizes, whole, steps)

    def _finished(
        self,
        ops: list[tuple[int, ...]],
        tops: list[int],
        sizes: list[int],
        whole: list[dict[str, int]],
        steps: list[tuple[Binding, ...]],
    ) -> FlatTrace:
        trace = self.trace
        table = _table(ops, 8)
        files: list[tuple[int, int, int]] = []
        start = 0
        for number, top in enumerate(tops):
            room = -(-max(top, 1) // STEP) * STEP
            files.append((start, room, sizes[number] if number < len(sizes) else 0))
            start += room
        base = np.zeros(start, np.uint8)
        for number, name in enumerate(sorted(trace.base)):
            content = np.frombuffer(trace.base[name], np.uint8)
            base[files[number][0] : files[number][0] + len(content)] = content
        issued = [self._mark(index, op) for index, op in trace.annotated if isinstance(op, Mark)]
        alternative, entries = self._alternatives(issued)
        stale: list[tuple[int, int, int]] = []
        for record, each in alternatives((-1, mark) for mark in trace.stale).items():
            for parts in each:
                first = len(entries)
                entries += [self._mark(index, mark) for part in parts for index, mark in part]
                stale.append((self._record(record), first, len(entries)))
        released = [(index, self._record(record)) for index, op in trace.releases for record in op.records]
        published = [
            (index, self._record(record))
            for index, op in trace.annotated
            if isinstance(op, Publish)
            for record in op.records
        ]
        doubtful = {(self._name(mark.file), mark.off) for mark in trace.possible}
        unsure = np.asarray(
            [(mark[MARK_NAME], mark[MARK_OFF]) in doubtful for mark in self._marks] or [False], np.uint8
        )
        streams, promises, extra, extra_at, loose, names = self._points(table, files, whole, steps)
        rows = np.full((len(names), len(self._names)), -1, np.int64)
        for row, binding in zip(rows, names, strict=True):
            for name, number in binding.items():
                row[self._names[name]] = number
        members = np.zeros(len(self._records) + 1, np.uint8)
        for record in trace.members:
            members[self._record(record)] = 1
        return FlatTrace(
            table,
            np.frombuffer(bytearray(b"".join((*self._data, b"\0"))), np.uint8),
            base,
            _table(files, 3),
            rows,
            np.asarray([_words(name) for name in self._names], np.uint64).reshape(-1, 2),
            np.concatenate([*self._cuts, np.zeros(1, np.uint8)]),
            _table(self._marks, 7),
            _table(self._fields, 2),
            _table(published, 2),
            _table(released, 2),
            members,
            _table(alternative, 3),
            _table(stale, 3),
            np.asarray(entries, np.int64),
            unsure,
            self.prefixes,
            self.subsets,
            promises,
            streams,
            extra,
            extra_at,
            loose,
            self._flags(len(issued)),
        )

    def _alternatives(self, issued: list[int]) -> tuple[list[tuple[int, int, int]], list[int]]:
        """Return (record, first entry, end) of each alternative, and the entries: numbers of marks."""
        trace = self.trace
        numbers = iter(issued)
        of_mark = [(index, op, next(numbers)) for index, op in trace.annotated if isinstance(op, Mark)]
        before = [(-1, mark, self._mark(-1, mark)) for mark in trace.standing]
        found: dict[tuple[str, Any], list[int]] = {}
        for _, mark, number in (*before, *of_mark):
            found.setdefault((mark.record, mark.alternative), []).append(number)
        rows: list[tuple[int, int, int]] = []
        entries: list[int] = []
        for (record, _), marks in found.items():
            rows.append((self._record(record), len(entries), len(entries) + len(marks)))
            entries += marks
        return rows, entries

    def _points(
        self,
        ops: Ints,
        files: list[tuple[int, int, int]],
        whole: list[dict[str, int]],
        steps: list[tuple[Binding, ...]],
    ) -> tuple[Hashes, Hashes, Bytes, Ints, Ints, list[Any]]:
        """Return what crash points need: streams, promises, what nobody wrote, and sets of names."""
        trace, seed, count = self.trace, self.seed, len(ops)
        granules, special = _granules(self._presets)
        promises = np.zeros((count + 1, 2, 2), np.uint64)
        streams = np.zeros((len(granules), count + 1), np.uint64)
        extra_at = np.zeros((len(granules), count + 1), np.int64)
        loose = np.zeros((count + 1, 2), np.int64)
        names: list[Any] = list(whole)
        extra: list[bytes] = [b"\0"]
        used = 1
        dirty: list[set[tuple[int, int]]] = [set() for _ in granules]
        sizes = [size for _, _, size in files]
        durable, names_low = list(sizes), 0
        listed = [*ops.tolist(), None]
        for index, op in enumerate(listed):
            if index >= trace.crash_from:
                kind = NOTHING if op is None else op[KIND]
                if op is None or kind in (TRUNCATE, GROW, UNWRITTEN, NAMED, ACK, RELEASE):
                    self._owe(promises, index, False)
                if op is not None and op[CUTS] >= 0:
                    self._owe(promises, index, True)
                if op is None or kind in (SYNC, SYNC_DIR, ACK, RELEASE):
                    self._owe(promises, index, False)
                    level = listed[index - 1][LEVEL] if index else 0
                    if names_low < level:
                        now = [step for entry in steps[names_low:level] for step in entry]
                        found = loose_names(whole[names_low : level + 1], now)
                        loose[index] = len(names), len(found)
                        names += found
                    for at, granule in enumerate(granules):
                        streams[at, index] = stream_of(f"{seed}/{trace.id}/{index}/{granule}")
                        first = special[at]
                        if first is None:
                            continue
                        extra_at[at, index] = used
                        for number, place in sorted(dirty[at]):
                            if not first[FOREIGN]:
                                extra.append(garbage_at(seed, trace, index, granule, number, place))
                            elif place * granule >= durable[number]:
                                extra.append(foreign_at(seed, trace, index, granule, number, place))
                            else:
                                extra.append(bytes(granule))
                            used += granule
            if op is None:
                break
            kind, number, off = op[KIND], op[FILE], op[OFF]
            if kind == SYNC:
                durable[number] = sizes[number]
                for cells in dirty:
                    cells.difference_update([cell for cell in cells if cell[0] == number])
            elif kind == SYNC_DIR:
                names_low = op[LEVEL]
            elif kind <= UNWRITTEN:
                begin, end = off, off + op[LENGTH]
                size = sizes[number]
                if kind == TRUNCATE:
                    begin, end, sizes[number] = min(off, size), max(off, size), off
                elif kind in (GROW, UNWRITTEN):
                    begin, sizes[number] = size, max(size, end)
                else:
                    sizes[number] = max(size, end)
                if end > begin:
                    for granule, cells in zip(granules, dirty, strict=True):
                        cells.update((number, place) for place in range(begin // granule, -(-end // granule)))
        return (
            streams,
            promises.reshape(-1, 2),
            np.frombuffer(bytearray(b"".join(extra)), np.uint8),
            extra_at,
            loose,
            names,
        )

    def _owe(self, promises: Hashes, index: int, torn: bool) -> None:
        key = index * 2 + torn
        if key in self.owed:
            return
        owed = self.owed[key] = self.obligations.at(index, index if torn else -1, REACHABLE)
        promises[index, int(torn)] = self.obligations.promise(owed)

    def _flags(self, issued: int) -> Ints:
        """Return numbers that are true of the whole trace; see :class:`FlatTrace`."""
        trace = self.trace
        stale = trace.background in ("stale-same", "stale-shifted", "stale-foreign")
        space = STALE_SPACE if stale else NOISE if trace.background == "garbage" else PLAIN_SPACE
        opened = int(trace.tags.get("opened", "0"))
        first = {Create: len(trace.ops) + 1, Reuse: len(trace.ops) + 1}
        for index, op in reversed([*enumerate(trace.ops)]):
            if type(op) in first:
                first[type(op)] = index
        return np.asarray(
            [
                trace.crash_from,
                issued,
                bool(trace.base),
                len(self.prefixes) > 0,
                trace.life,
                opened,
                space,
                CATEGORIES.index(trace.background) if stale else -1,
                _DURING.get(trace.during, -1),
                first[Create],
                first[Reuse],
            ],
            np.int64,
        )
