"""The compiled engine: all honest states of a trace in a few calls, answered by signature.

What comes out is what the engine in Python gives, column by column: it stays as the oracle. A
trace is laid out flat (:mod:`.engine_layout`), one compiled call enumerates its states, names them,
takes out those that the shard has and says what is true of each (:mod:`.engine_states`), and the
format's kernel signs them. Readers are asked once per signature. This module needs Numba;
nothing else may import it at its top.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash import engine_choice  # noqa: F401  # second_crash uses it where it is loaded
from journalspec_corpus.crash import engine_layout as made
from journalspec_corpus.crash.adapter import CrashFormat
from journalspec_corpus.crash.blocks import DATA, NAMES, SIZE, CrashPoint
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
from journalspec_corpus.crash.kernel import Kernel, Points, Signed, blank, order_table
from journalspec_corpus.crash.pages import PAGE
from journalspec_corpus.crash.persistence import Preset
from journalspec_corpus.crash.reading import kernel_of, keys_of, reading_of
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.crash.visible import cut_digest, sizes_text

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
    """All honest states of one trace: until the engine is asked for those of the next one.

    ``answer[i]`` is the number of the answers (:attr:`CompiledEngine.answers`) to row i of `judged`;
    what the kernel says (`signed`) it says of the rows that are new, and of few others.
    ``owed[i]`` the key of what is expected there, in `layout.owed`.
    """

    layout: TraceLayout
    judged: TraceStates
    signed: Signed
    answer: npt.NDArray[np.int64]
    owed: npt.NDArray[np.int64]

    def kinds(self) -> tuple[list[Expected], npt.NDArray[np.int64]]:
        """Return what is expected in the states, and for each row the number of that.

        Where nothing changed crash points share what is expected.
        """
        owed = self.layout.owed
        number: dict[int, int] = {}
        lookup = np.zeros(max(owed, default=0) + 1, np.int64)
        for key, expected in owed.items():
            lookup[key] = number.setdefault(id(expected), len(number))
        return list({id(expected): expected for expected in owed.values()}.values()), lookup[self.owed]


class _Ordered(NamedTuple):
    """Groups and sizes of files as a kernel gets them, the orders of files, and what to put into signatures.

    A row of `marks`: the first row of states, the one behind the last, two words.
    """

    groups: Ints
    sizes: Ints
    orders: Ints
    marks: list[tuple[int, int, Hashes]]


class CompiledEngine:
    """The compiled engine of a format under some presets, for one shard. Remembers answers by signature."""

    def __init__(self, adapter: CrashFormat, presets: tuple[Preset, ...], seed: int, kernel: Kernel) -> None:
        self.adapter = adapter
        self.presets = presets
        self.seed = seed
        self.kernel = kernel
        self.answers: list[tuple[Answer, ...]] = []
        #: by number of answers: the keys of all records that they hold
        self._listed: list[frozenset[str]] = []
        # It has what was read for other shards, and of states from the engine in Python.
        self._reading = reading_of(adapter)
        self._number: dict[tuple[Answer, ...], int] = {}
        self._known: dict[bytes, int] = {}
        #: the answers to rows of the shard, -1 where they are not known, or are answers as good as these
        self._answer_of: Ints = np.full(1 << 10, -1, np.int64)
        self._pool: npt.NDArray[np.uint8] = np.empty(1 << 20, np.uint8)

    def batch(self, trace: Trace, seen: SeenStates) -> Batch | None:
        """Return the honest states of `trace`, and note them in `seen`; None if it is not for this engine."""
        if unfit(trace):
            return None
        layout = TraceLayout(trace, self.presets, self.seed)
        before = seen.filled
        judged = states_of(layout.flat, seen.keys, seen.owners, before, self._pool)
        # The next trace puts its bytes there: what comes out is good until then.
        self._pool = judged.pool
        wanted = self._wanted(judged, before)
        signed = None if judged.fault else self._signed(layout, judged, wanted)
        seen.keys, seen.owners, seen.filled = judged.keys, judged.owners, judged.filled
        if signed is None:
            # The engine in Python says what is wrong, or has readers look at all files.
            seen.forget(before)
            return None
        groups = judged.groups
        owed = 2 * groups[:, made.G_CRASH] + (groups[:, made.G_TORN] >= 0)
        answer = self._answered(layout, judged, signed.signatures, wanted)
        return Batch(layout, judged, signed, answer, np.repeat(owed, groups[:, made.G_COUNT]))

    def _wanted(self, judged: TraceStates, before: int) -> npt.NDArray[np.bool_]:
        """Tell which rows have to be signed: new ones, and others to which no answer is known yet.

        The shard had `before` rows. The same state has the same files and edition, so that it gets the same
        answers.
        """
        if judged.filled > len(self._answer_of):
            grown = np.full(2 * judged.filled, -1, np.int64)
            grown[: len(self._answer_of)] = self._answer_of
            self._answer_of = grown
        # Rows may be forgotten, and their numbers are given anew.
        self._answer_of[before : judged.filled] = -1
        owner = judged.rows[:, made.OWNER]
        wanted: npt.NDArray[np.bool_] = judged.rows[:, made.NEW] > 0
        wanted |= (owner < before) & (self._answer_of[owner] < 0)
        return wanted

    def _signed(
        self, layout: TraceLayout, judged: TraceStates, wanted: npt.NDArray[np.bool_]
    ) -> Signed | None:
        """Return what the kernel says of each row that is `wanted`; None if a reader has to look at some."""
        t, pool = layout.flat, judged.pool.view()
        pool.flags.writeable = False  # as the kernels know it
        flat = blank(t.files, t.base)._replace(blocks=judged.blocks, values=judged.values, pool=pool)
        order = self._ordered(layout, judged)
        words = t.words if self.adapter.reach is not None else t.words[:0]
        points = Points(
            order.groups,
            judged.codes,
            judged.patches,
            order.sizes,
            order.orders,
            t.names,
            words,
            wanted.view(np.uint8),
        )
        signed: Signed = self.kernel.run(flat, points, *self.kernel.given(layout.trace))
        if len(signed.signatures) < len(judged.rows):
            return None
        for first, end, mark in order.marks:
            signed.signatures[first:end] ^= mark
        return signed

    def _ordered(self, layout: TraceLayout, judged: TraceStates) -> _Ordered:
        """Return the order of files under each set of names, and which rows of it are for which group.

        These are the same rows for all groups, unless the contents of a control file decide. A group in
        which that file is in flight becomes several, of rows that follow one another and have it alike.
        """
        t, name, groups = layout.flat, self.kernel.control(layout.trace), judged.groups
        names = [
            {each: file for each, file in zip(layout.names, row, strict=True) if file >= 0}
            for row in t.names.tolist()
        ]
        control = sorted({each[name] for each in names if name in each})
        first_of, orders = dict[Any, int](), list[Ints | None]()

        def ordered(held: dict[int, bytes]) -> tuple[int, Any]:
            key = tuple((file, self.kernel.says(layout.trace, data)) for file, data in held.items())
            first = first_of.setdefault(key, len(orders))
            if first == len(orders):
                lengths: Any = {file: len(data) for file, data in held.items()}
                point = CrashPoint(layout.trace, 0, PAGE, (), cast(Any, held), lengths, {}, {}, ())
                orders.extend(self.kernel.order(point, each) for each in names)
            return first, key

        if not control:
            # One order is right everywhere.
            groups[:, made.G_ORDER], _ = ordered({})
            return _Ordered(groups, judged.sizes, order_table(orders, len(t.files)), [])
        contents = _Contents(layout, judged)
        theirs = (judged.blocks[:, 0] != _KINDS.index(NAMES)) & np.isin(judged.blocks[:, 1], control)
        upto = np.concatenate([np.zeros(1, np.int64), np.cumsum(theirs)])
        ends = groups[:, made.G_TABLE] + groups[:, made.G_BLOCKS]
        in_flight = upto[ends] > upto[groups[:, made.G_TABLE]]
        # What these files hold outside blocks follows from the operations on them before the crash.
        done = np.isin(t.ops[:, FILE], control) & (t.ops[:, KIND] <= UNWRITTEN)
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(done)])[groups[:, made.G_CRASH]]
        settled = dict[int, int]()
        for number in np.flatnonzero(~in_flight).tolist():
            place = int(before[number])
            if place not in settled:
                held = contents.control(int(groups[number, made.G_FIRST]), control, [])
                settled[place], _ = ordered(held)
            groups[number, made.G_ORDER] = settled[place]
        if not in_flight.any():
            return _Ordered(groups, judged.sizes, order_table(orders, len(t.files)), [])
        marks = list[tuple[int, int, Hashes]]()
        parts, whose = list[Ints](), list[int]()
        for number, row in enumerate(groups):
            moving = np.flatnonzero(theirs[row[made.G_TABLE] : ends[number]]).tolist()
            for part, said in contents.parted(row, control, moving, ordered) if moving else [(row, None)]:
                parts.append(part)
                whose.append(number)
                if said is not None:
                    # What the file says beside the order is in no signature.
                    digest = hashlib.blake2b(repr(said).encode(), digest_size=_HASH_BYTES).digest()
                    start, count = int(part[made.G_FIRST]), int(part[made.G_COUNT])
                    marks.append((start, start + count, np.frombuffer(digest, np.uint64)))
        return _Ordered(np.stack(parts), judged.sizes[whose], order_table(orders, len(t.files)), marks)

    def visible(self, batch: Batch, rows: npt.NDArray[np.int64]) -> bytes:
        """Return the digests of what recovery can look at of each of `rows`, one behind the other."""
        seen = batch.judged.contents[rows, 0]
        signed = batch.signed
        cut = signed.cut[rows]
        if len(signed.lanes):
            names, digests = batch.layout.names, []
            texts: dict[bytes, bytes] = {}
            table = batch.layout.flat.names.tolist()
            packed = signed.lanes.astype(">u8").tobytes()
            for number, whole in enumerate(signed.whole):
                key = whole.tobytes()
                if key not in texts:
                    row = table[whole[0]]
                    sizes = {
                        name: int(whole[1 + file]) for name, file in zip(names, row, strict=True) if file >= 0
                    }
                    texts[key] = sizes_text(sizes)
                content = packed[_HASH_BYTES * number : _HASH_BYTES * (number + 1)]
                digests.append(cut_digest(content, texts[key]))
            short = np.frombuffer(b"".join(digests), ">u8").astype(np.uint64)
            seen = np.where(cut >= 0, short[cut], seen)
        return bytes(seen.astype(">u8").tobytes())

    def _answered(
        self, layout: TraceLayout, judged: TraceStates, signed: Hashes, wanted: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        """Return the number of the answers to each row; a signature that is new is read once."""
        rows = np.flatnonzero(wanted)
        first, which = distinct(signed[rows])
        numbers = np.empty(len(first), np.int64)
        exact = np.ones(len(first), np.bool_)
        contents: _Contents | None = None
        keys = keys_of(layout.trace)
        for at, row in enumerate(rows[first].tolist()):
            name = signed[row].tobytes()
            number = self._known.get(name)
            if number is None:
                contents = contents or _Contents(layout, judged)
                given = self._reading.answer(name, partial(contents.files, row), layout.trace.edition)
                number = self._number.setdefault(given, len(self.answers))
                if number == len(self.answers):
                    self.answers.append(given)
                    self._listed.append(
                        frozenset(key for answer in given for key in (*answer.keys, *answer.aside))
                    )
                self._known[name] = number
            numbers[at] = number
            # With a record that nobody wrote in this trace they are good for verdicts on this trace alone.
            exact[at] = self._listed[number] <= keys
        owner = judged.rows[:, made.OWNER]
        found = numbers[which]
        self._answer_of[owner[rows]] = found
        answer: npt.NDArray[np.int64] = self._answer_of[owner]
        answer[rows] = found
        self._answer_of[owner[rows[~exact[which]]]] = -1
        return answer


def distinct(signed: Hashes) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the first row of each signature, in order, and for each row the number of its own among them."""
    # Numbers are sorted many times as fast as bytes; where one half tells all apart, the other need not.
    _, first, which = np.unique(signed[:, 0], return_index=True, return_inverse=True)
    if not np.array_equal(signed[first, 1][which], signed[:, 1]):
        raw = np.ascontiguousarray(signed).view(np.dtype((np.void, _HASH_BYTES)))[:, 0]
        _, first, which = np.unique(raw, return_index=True, return_inverse=True)
    # Files are put together quickest where one state follows another.
    order = np.argsort(first)
    place = np.empty(len(order), np.intp)
    place[order] = np.arange(len(order))
    return first[order], place[which]


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

    def parted(
        self,
        row: Ints,
        files: list[int],
        moving: list[int],
        ordered: Callable[[dict[int, bytes]], tuple[int, Any]],
    ) -> Iterator[tuple[Ints, Any]]:
        """Yield the parts of a group in which `files` say the same, and what that is.

        `ordered` returns the order that follows from what they hold, and what they say.
        """
        start, count = int(row[made.G_FIRST]), int(row[made.G_COUNT])
        width, at = int(row[made.G_BLOCKS]), int(row[made.G_CODES])
        codes = self._judged.codes[at : at + count * width].reshape(count, width)[:, moving]
        _, firsts, which = np.unique(codes, axis=0, return_index=True, return_inverse=True)
        shown = [ordered(self.control(start + first, files, moving)) for first in firsts.tolist()]
        number = {said: at for at, (_, said) in enumerate(shown)}
        which = np.asarray([number[said] for _, said in shown], np.int64)[which]
        edges = [0, *(np.flatnonzero(np.diff(which)) + 1).tolist(), count]
        for begin, end in pairwise(edges):
            part = row.copy()
            part[made.G_FIRST] += begin
            part[made.G_CODES] += begin * width
            part[made.G_COUNT] = end - begin
            part[made.G_PATCHES] *= not begin
            part[made.G_ORDER], said = shown[which[begin]]
            yield part, said

    def control(self, row: int, files: list[int], moving: list[int]) -> dict[int, bytes]:
        """Return what is in `files` in a state, by number; `moving` are the blocks of its group in them."""
        judged, number = self._judged, int(self._judged.rows[row, made.GROUP])
        group = judged.groups[number].tolist()
        self._advance(group[made.G_CRASH])
        places = {file: self._layout.flat.files[file, :2].tolist() for file in files}
        held = {file: self._bytes[start : start + room] for file, (start, room) in places.items()}
        sizes = judged.sizes[number].tolist()
        first = group[made.G_CODES] + (row - group[made.G_FIRST]) * group[made.G_BLOCKS]
        for at in moving:
            kind, file, place, length, version, _ = judged.blocks[group[made.G_TABLE] + at].tolist()
            value = int(judged.values[version + int(judged.codes[first + at])])
            if _KINDS[kind] == DATA:
                begin = place - places[file][0]
                held[file][begin : begin + length] = judged.pool[value : value + length].tobytes()
            else:
                sizes[file] = value
        return {file: bytes(content[: sizes[file]]) for file, content in held.items()}

    def files(self, row: int) -> dict[str, bytes]:
        """Return the files of a state."""
        content, sizes, names = self._state(row)
        t, out = self._layout.flat, {}
        for name, file in sorted(zip(self._layout.names, t.names[names].tolist(), strict=True)):
            if file >= 0:
                start = int(t.files[file, 0])
                out[name] = bytes(content[start : start + sizes[file]])
        return out

    def _state(self, row: int) -> tuple[bytearray, list[int], int]:
        """Return the bytes of all files in a state, their sizes, and the row of names."""
        judged = self._judged
        group = judged.groups[int(judged.rows[row, made.GROUP])].tolist()
        self._advance(group[made.G_CRASH])
        sizes = judged.sizes[int(judged.rows[row, made.GROUP])].tolist()
        content, names = bytearray(self._bytes), group[made.G_NAMES]
        width = group[made.G_BLOCKS]
        first = group[made.G_CODES] + (row - group[made.G_FIRST]) * width
        for at, code in enumerate(judged.codes[first : first + width].tolist()):
            kind, file, place, length, version, _ = judged.blocks[group[made.G_TABLE] + at].tolist()
            value = int(judged.values[version + code])
            if _KINDS[kind] == DATA:
                content[place : place + length] = judged.pool[value : value + length].tobytes()
            elif _KINDS[kind] == SIZE:
                sizes[file] = value
            else:
                names = value
        return content, sizes, names


def engine_of(adapter: CrashFormat, presets: tuple[Preset, ...], seed: int) -> CompiledEngine | None:
    """Return the compiled engine of a format; None if it has no kernel that speaks for its readers."""
    kernel = kernel_of(adapter) if adapter.implementation is None else None
    return CompiledEngine(adapter, presets, seed, kernel) if isinstance(kernel, Kernel) else None
