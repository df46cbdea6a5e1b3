"""The compiled engine: all honest states of a trace in a few calls, answered by signature.

What comes out is what the engine in Python gives, column by column: it stays as the oracle. A
trace is laid out flat (:mod:`.engine_layout`), one compiled call enumerates its states, names them,
takes out those that the shard has and says what is true of each (:mod:`.engine_states`), and the
format's kernel signs them. Readers are asked once per signature. This module needs Numba;
nothing else may import it at its top.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash import engine_choice  # noqa: F401  # second_crash uses it where it is loaded
from journalspec_corpus.crash import engine_layout as made
from journalspec_corpus.crash.adapter import CrashFormat
from journalspec_corpus.crash.blocks import DATA, NAMES, SIZE, Block, CrashPoint
from journalspec_corpus.crash.engine_layout import (
    DATA as DATA_AT,
)
from journalspec_corpus.crash.engine_layout import (
    FILE,
    FILL,
    KIND,
    LENGTH,
    OFF,
    TRUNCATE,
    UNWRITTEN,
    WRITE,
    Hashes,
    Ints,
    TraceLayout,
    unfit,
)
from journalspec_corpus.crash.engine_states import TraceStates, noted, states_of
from journalspec_corpus.crash.expected import Expected
from journalspec_corpus.crash.kernel import Kernel, blank, show
from journalspec_corpus.crash.persistence import Preset
from journalspec_corpus.crash.reading import REMEMBERED, kernel_of
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.crash.visible import DIGEST_BYTES, visible_id

_KINDS = (DATA, SIZE, NAMES)
_HASH_BYTES = 16


class SeenStates:
    """The states of a shard by their lanes: a hash table that compiled code fills, rows counted in order."""

    def __init__(self) -> None:
        self.keys: Hashes = np.zeros((1 << 12, 2), np.uint64)
        self.owners: Ints = np.full(1 << 12, -1, np.int64)
        self.filled = 0

    def take(self, lanes: Hashes) -> Ints:
        """Return for each state the row that it is: a new one, or that of the first which was the same."""
        rows: Ints
        self.keys, self.owners, rows = noted(self.keys, self.owners, self.filled, lanes)
        self.filled = max(self.filled, int(rows.max(initial=-1)) + 1)
        return rows

    def forget(self, count: int) -> None:
        """Forget all but the first `count` states."""
        there = np.flatnonzero((self.owners >= 0) & (self.owners < count))
        lanes = self.keys[there[np.argsort(self.owners[there])]]
        self.owners, self.filled = np.full(len(self.owners), -1, np.int64), 0
        self.take(lanes)


@dataclass(frozen=True)
class Batch:
    """All honest states of one trace.

    ``answer[i]`` is the number of the answers (:attr:`CompiledEngine.answers`) to row i of `judged`,
    ``owed[i]`` the key of what is expected there, in `layout.owed`.
    """

    layout: TraceLayout
    judged: TraceStates
    answer: npt.NDArray[np.int64]
    owed: npt.NDArray[np.int64]

    def expected(self, key: int) -> Expected:
        """Return what is expected under a key of `owed`."""
        return self.layout.owed[key]


class CompiledEngine:
    """The compiled engine of a format under some presets. Remembers answers by signature."""

    def __init__(self, adapter: CrashFormat, presets: tuple[Preset, ...], seed: int, kernel: Kernel) -> None:
        self.adapter = adapter
        self.presets = presets
        self.seed = seed
        self.kernel = kernel
        self.answers: list[tuple[Answer, ...]] = []
        self._number: dict[tuple[Answer, ...], int] = {}
        self._known: dict[bytes, int] = {}

    def batch(self, trace: Trace, seen: SeenStates) -> Batch | None:
        """Return the honest states of `trace`, and note them in `seen`; None if it is not for this engine."""
        if unfit(trace):
            return None
        layout = TraceLayout(trace, self.presets, self.seed)
        before = seen.filled
        judged = states_of(layout.flat, seen.keys, seen.owners, before)
        signed = None if judged.fault else self._signatures(layout, judged)
        seen.keys, seen.owners, seen.filled = judged.keys, judged.owners, judged.filled
        if signed is None:
            # The engine in Python says what is wrong, or has readers look at all files.
            seen.forget(before)
            return None
        groups = judged.groups
        owed = 2 * groups[:, made.G_CRASH] + (groups[:, made.G_TORN] >= 0)
        answer = self._answered(layout, judged, signed)
        return Batch(layout, judged, answer, np.repeat(owed, groups[:, made.G_COUNT]))

    def _signatures(self, layout: TraceLayout, judged: TraceStates) -> Hashes | None:
        """Return what the kernel says of each row; None if a reader has to look at some of them."""
        trace, flat_trace = layout.trace, layout.flat
        flat = blank(flat_trace.files, flat_trace.base)
        given = self.kernel.given(trace)
        pool, values = judged.pool, judged.values
        pool.flags.writeable = False  # as the kernels know it
        out = np.zeros((len(judged.rows), 2), np.uint64)
        names = [
            {name: int(file) for name, file in zip(layout.names, row, strict=True) if file >= 0}
            for row in flat_trace.names
        ]
        contents = _Contents(layout, judged)
        for number, group in enumerate(judged.groups.tolist()):
            first, count, width = group[made.G_FIRST], group[made.G_COUNT], group[made.G_BLOCKS]
            blocks = judged.blocks[group[made.G_TABLE] : group[made.G_TABLE] + width]
            codes = judged.codes[group[made.G_CODES] : group[made.G_CODES] + count * width].reshape(
                count, width
            )
            flat = flat._replace(blocks=blocks, values=values, pool=pool)
            patches = judged.patches[group[made.G_PATCH] : group[made.G_PATCH] + group[made.G_PATCHES]]
            show(flat, patches, judged.sizes[number])
            point = contents.point(number)
            bound = blocks[0].tolist() if width else []
            if bound and bound[0] == _KINDS.index(NAMES):
                for code in np.unique(codes[:, 0]).tolist():
                    rows = np.flatnonzero(codes[:, 0] == code)
                    order = self.kernel.order(point, names[values[bound[4] + code]])
                    if order is None:
                        return None
                    out[first + rows] = self.kernel.run(
                        flat, np.ascontiguousarray(codes[rows]), order, *given
                    )
            else:
                order = self.kernel.order(point, names[group[made.G_NAMES]])
                if order is None:
                    return None
                out[first : first + count] = self.kernel.run(flat, codes, order, *given)
        return out

    def visible(self, batch: Batch, rows: list[int]) -> list[bytes]:
        """Return the digest of what recovery can look at of each of `rows`."""
        reach = self.adapter.reach
        if reach is None:
            words = batch.judged.contents[rows, 0].astype(">u8").tobytes()
            return [words[at : at + DIGEST_BYTES] for at in range(0, len(words), DIGEST_BYTES)]
        contents = _Contents(batch.layout, batch.judged)
        return [visible_id(contents.files(row), reach) for row in rows]

    def _answered(self, layout: TraceLayout, judged: TraceStates, signed: Hashes) -> npt.NDArray[np.int64]:
        """Return the number of the answers to each row; a signature that is new is read once."""
        if len(self._known) > REMEMBERED:
            self._known.clear()
        raw = np.ascontiguousarray(signed).view(np.dtype((np.void, _HASH_BYTES)))[:, 0]
        found, first, which = np.unique(raw, return_index=True, return_inverse=True)
        numbers = np.empty(len(found), np.int64)
        contents: _Contents | None = None
        for at, (name, row) in enumerate(zip(found.tolist(), first.tolist(), strict=True)):
            number = self._known.get(name)
            if number is None:
                contents = contents or _Contents(layout, judged)
                given = self.adapter.read(contents.files(row), layout.trace.edition)
                number = self._number.setdefault(given, len(self.answers))
                if number == len(self.answers):
                    self.answers.append(given)
                self._known[name] = number
            numbers[at] = number
        return numbers[which]


class _Contents:
    """What is in the files of single states, for readers; operations are done once, in order."""

    def __init__(self, layout: TraceLayout, judged: TraceStates) -> None:
        self._layout, self._judged = layout, judged
        self._at = -1
        self._bytes = bytearray()
        self._sizes: list[int] = []

    def _advance(self, upto: int) -> None:
        """Do the operations before `upto`."""
        t = self._layout.flat
        if self._at < 0 or upto < self._at:
            self._at, self._bytes, self._sizes = 0, bytearray(t.base.tobytes()), t.files[:, 2].tolist()
        starts = t.files[:, 0].tolist()
        for op in t.ops[self._at : upto].tolist():
            kind, file, off = op[KIND], op[FILE], op[OFF]
            if kind > UNWRITTEN:
                continue
            start, end = starts[file], off + op[LENGTH]
            if kind in (WRITE, FILL):
                self._bytes[start + off : start + end] = t.data[
                    op[DATA_AT] : op[DATA_AT] + op[LENGTH]
                ].tobytes()
            elif kind == TRUNCATE:
                self._bytes[start + off : start + self._sizes[file]] = bytes(max(0, self._sizes[file] - off))
            self._sizes[file] = off if kind == TRUNCATE else max(self._sizes[file], end)
        self._at = upto

    def point(self, group: int) -> CrashPoint:
        """Return what a kernel may ask of a crash point beside its arrays: its blocks, and whole files."""
        row = self._judged.groups[group].tolist()
        table = self._judged.blocks[row[made.G_TABLE] : row[made.G_TABLE] + row[made.G_BLOCKS]].tolist()
        blocks = tuple([Block(_KINDS[each[0]], each[1], 0, (), ()) for each in table])
        contents: Any = _Lazy(self, row[made.G_CRASH])
        trace, crash, granule = self._layout.trace, row[made.G_CRASH], row[made.G_GRANULE]
        return CrashPoint(trace, crash, granule, blocks, contents, contents.sizes, {}, {}, ())

    def whole(self, crash: int, file: int) -> bytes:
        """Return what a process sees of a file at a crash point."""
        self._advance(crash)
        start = int(self._layout.flat.files[file, 0])
        return bytes(self._bytes[start : start + self._sizes[file]])

    def sizes(self, crash: int) -> list[int]:
        """Return the sizes of all files as a process sees them."""
        self._advance(crash)
        return list(self._sizes)

    def files(self, row: int) -> dict[str, bytes]:
        """Return the files of a state."""
        judged, t = self._judged, self._layout.flat
        number = int(judged.rows[row, made.GROUP])
        group = judged.groups[number].tolist()
        self._advance(group[made.G_CRASH])
        content, sizes, names = bytearray(self._bytes), judged.sizes[number].tolist(), group[made.G_NAMES]
        width, first = (
            group[made.G_BLOCKS],
            group[made.G_CODES] + (row - group[made.G_FIRST]) * group[made.G_BLOCKS],
        )
        for at, code in enumerate(judged.codes[first : first + width].tolist()):
            kind, file, place, length, version, _ = judged.blocks[group[made.G_TABLE] + at].tolist()
            value = int(judged.values[version + code])
            if _KINDS[kind] == DATA:
                content[place : place + length] = judged.pool[value : value + length].tobytes()
            elif _KINDS[kind] == SIZE:
                sizes[file] = value
            else:
                names = value
        out = {}
        for name, file in sorted(zip(self._layout.names, t.names[names].tolist(), strict=True)):
            if file >= 0:
                start = int(t.files[file, 0])
                out[name] = bytes(content[start : start + sizes[file]])
        return out


class _Lazy:
    """The contents and sizes of files at a crash point, looked at only when somebody asks."""

    def __init__(self, contents: _Contents, crash: int) -> None:
        self._contents, self._crash = contents, crash

    def __getitem__(self, file: int) -> bytes:
        return self._contents.whole(self._crash, file)

    @property
    def sizes(self) -> Any:
        """The sizes, as lazily."""
        return _LazySizes(self._contents, self._crash)


class _LazySizes:
    def __init__(self, contents: _Contents, crash: int) -> None:
        self._contents, self._crash = contents, crash

    def __getitem__(self, file: int) -> int:
        return self._contents.sizes(self._crash)[file]


def engine_of(adapter: CrashFormat, presets: tuple[Preset, ...], seed: int) -> CompiledEngine | None:
    """Return the compiled engine of a format; None if it has no kernel that speaks for its readers."""
    kernel = kernel_of(adapter) if adapter.implementation is None else None
    return CompiledEngine(adapter, presets, seed, kernel) if isinstance(kernel, Kernel) else None
