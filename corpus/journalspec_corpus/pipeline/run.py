"""One trace from states to judged rows. Everything here is a pure function of trace, presets and seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.expected import REFUSALS, Expected, expected_at
from journalspec_corpus.crash.facts import Column, Facts, categories, fields
from journalspec_corpus.crash.fingerprints import Pair, packed_rows, promise_pair
from journalspec_corpus.crash.ids import case_ids, content_ids, promise, state_words
from journalspec_corpus.crash.pages import ID_BYTES
from journalspec_corpus.crash.persistence import PRESETS, Preset, get_preset
from journalspec_corpus.crash.reading import keys_of, reading_of
from journalspec_corpus.crash.states import Descriptor, crash_states
from journalspec_corpus.crash.trace import Trace, writer_of
from journalspec_corpus.crash.verdict import CATEGORIES, VERDICTS, Answer, judge
from journalspec_corpus.crash.visible import DIGEST_BYTES, outcome_ids, visible_ids
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.tables import Reached, Repeats, repeated, sampled

#: What a crash can leave; where a force was a lie; corruption afterwards. Never added up.
STRATA = ("R", "L", "C")
_VERDICTS = tuple(VERDICTS)
_LABEL = pa.dictionary(pa.int8(), pa.string())


def schema(readers: Iterable[str]) -> pa.Schema:
    """Return the columns of a shard: ids, descriptor, class, and one verdict per reader.

    `state_id` and `content_id` are fingerprints; a published case goes by another id (:mod:`.crash.ids`).
    `visible` and `outcome` say which states look and come out alike (:mod:`..crash.visible`).
    """
    return pa.schema(
        [
            ("state_id", pa.binary(ID_BYTES)),
            ("content_id", pa.binary(ID_BYTES)),
            ("visible", pa.binary(DIGEST_BYTES)),
            ("outcome", pa.binary(DIGEST_BYTES)),
            ("trace", pa.dictionary(pa.int32(), pa.string())),
            ("workload", pa.dictionary(pa.int32(), pa.string())),
            ("edition", pa.dictionary(pa.int32(), pa.string())),
            ("writer", pa.dictionary(pa.int32(), pa.string())),
            ("background", pa.dictionary(pa.int32(), pa.string())),
            ("stratum", _LABEL),
            ("preset", _LABEL),
            ("crash_index", pa.int32()),
            ("mask", pa.binary()),
            ("tear", pa.int32()),
            ("rot", pa.string()),
            ("seed", pa.int64()),
            ("category", _LABEL),
            ("field", pa.dictionary(pa.int32(), pa.string())),
            ("acknowledged", pa.int32()),
            ("refusal", _LABEL),
            *((f"verdict_{name}", _LABEL) for name in readers),
        ]
    )


@dataclass
class Rows:
    """The judged states of one crash point, column by column."""

    states: States
    state_ids: list[bytes]
    content_ids: list[bytes]
    visible: list[bytes]
    outcome: list[bytes]
    keep: npt.NDArray[np.int64]
    category: npt.NDArray[np.uint8]
    field: npt.NDArray[np.uint8]
    field_names: list[str]
    refusal: npt.NDArray[np.uint8]
    verdicts: list[npt.NDArray[np.uint8]]
    acknowledged: int
    expected: Expected
    category_names: tuple[str, ...] = CATEGORIES

    def verdict(self, reader: int, row: int) -> str:
        """Return the verdict of reader number `reader` on row number `row`."""
        return _VERDICTS[int(self.verdicts[reader][row])]


@dataclass
class SeenIds:
    """What has been seen in one trace or shard: ids, and how many states were generated.

    `repeats` collects who reaches states that were there already; None if nobody asks.
    """

    ids: set[bytes] = field(default_factory=set)
    generated: int = 0
    repeats: list[Repeats] | None = None

    def take(self, names: list[bytes]) -> list[int]:
        """Add ids, and return the places of those that were new: of equal ones the first."""
        keep = [at for at, name in enumerate(names) if name not in self.ids]
        before = len(self.ids)
        self.ids.update(names)
        if len(self.ids) - before < len(keep):
            first: dict[bytes, int] = {}
            keep = [at for at in keep if first.setdefault(names[at], at) == at]
        return keep


def judged_rows(
    trace: Trace, adapter: CrashFormat, presets: tuple[Preset, ...], seed: int, tally: SeenIds
) -> Iterator[Rows]:
    """Yield the distinct states of `trace`, judged; states whose id is in `tally` are left out."""
    keys = keys_of(trace)
    for states in crash_states(trace, presets, seed):
        tally.generated += len(states)
        expected = expected_at(trace, states.point.crash_index, states.torn, states.stratum)
        found, contents = state_words(states.point, states.codes, owed_pair(trace, expected))
        names = packed_rows(found)
        keep = tally.take(names)
        if tally.repeats is not None and len(keep) < len(names):
            again = np.delete(np.arange(len(names)), keep)
            ids = [names[at] for at in again.tolist()]
            tally.repeats.append(Repeats(writer_of(trace), ids, states.take(again), expected))
        if keep:
            yield _judged(states, expected, adapter, names, packed_rows(contents), np.asarray(keep), keys)


def promised(trace: Trace, expected: Expected) -> bytes:
    """Return what the ids of all cases of one crash point have in common."""
    return promise(trace.format, trace.edition, expected.stratum, _owed(expected))


def owed_pair(trace: Trace, expected: Expected) -> Pair:
    """Return what the fingerprints of all states of one crash point have in common."""
    return promise_pair(trace.format, trace.edition, expected.stratum, _owed(expected))


def _owed(expected: Expected) -> list[str]:
    return [key for key, record in expected.record_of.items() if record in expected.must_keep]


def state_ids(states: States, expected: Expected) -> list[bytes]:
    """Return the fingerprint of every state, as its column has it."""
    found, _ = state_words(states.point, states.codes, owed_pair(states.point.trace, expected))
    return packed_rows(found)


def published_ids(states: States, expected: Expected) -> list[bytes]:
    """Return the id of every state under which it is published, if it is."""
    return case_ids(content_ids(states.point, states.codes), promised(states.point.trace, expected))


def _judged(
    states: States,
    expected: Expected,
    adapter: CrashFormat,
    names: list[bytes],
    contents: list[bytes],
    keep: Any,
    keys: frozenset[str],
) -> Rows:
    states = states.take(keep)
    facts = Facts(states)
    field_of, field_names = fields(facts)
    found, which = reading_of(adapter).answers(states.point, states.codes)
    refusal, verdicts = facts.refusals, _verdicts(found, which, facts.refusals, expected, adapter)
    contents = [contents[at] for at in keep]
    return Rows(
        states,
        [names[at] for at in keep],
        contents,
        visible_ids(states.point, states.codes, contents, adapter.reach),
        outcome_ids(found, which, refusal, expected, keys),
        keep,
        categories(facts),
        field_of,
        field_names,
        refusal,
        verdicts,
        len(expected.must_keep),
        expected,
    )


def _judged_again(facts: Facts, expected: Expected, adapter: CrashFormat) -> list[Column]:
    """Return one column of verdicts per reader."""
    found, which = reading_of(adapter).answers(facts.states.point, facts.states.codes)
    return _verdicts(found, which, facts.refusals, expected, adapter)


def _verdicts(
    found: list[tuple[Answer, ...]],
    which: npt.NDArray[np.int32],
    refusal: npt.NDArray[np.uint8],
    expected: Expected,
    adapter: CrashFormat,
) -> list[npt.NDArray[np.uint8]]:
    """Return one column per reader: the index into the verdicts' names."""
    number: dict[tuple[Answer, ...], int] = {}
    path = np.asarray([number.setdefault(given, len(number)) for given in found], np.int64)
    used = np.unique(path[which] * len(REFUSALS) + refusal)
    distinct = list(number)
    table = np.zeros((len(adapter.readers), len(distinct) * len(REFUSALS)), np.uint8)
    for entry in used.tolist():
        given, kind = distinct[entry // len(REFUSALS)], REFUSALS[entry % len(REFUSALS)]
        for reader, answer in enumerate(given):
            salvaging = adapter.readers[reader] in adapter.salvaging
            table[reader, entry] = _VERDICTS.index(judge(answer, expected, kind, holes_allowed=salvaging))
    entries = path[which] * len(REFUSALS) + refusal
    return [table[reader, entries] for reader in range(len(adapter.readers))]


class Shard:
    """The rows of several traces, gathered column by column and made one Arrow table at the end."""

    def __init__(self, adapter: CrashFormat, presets: tuple[Preset, ...], seed: int) -> None:
        self.adapter = adapter
        self.presets = presets
        self.seed = seed
        self.tally = SeenIds(repeats=[])
        self._texts: list[tuple[str, ...]] = []
        #: categories of which there are states that were not looked at
        self.sampled: set[str] = set()
        self._groups: list[tuple[int, Rows]] = []

    def add(self, trace: Trace) -> None:
        """Judge every state of `trace` that the shard does not hold yet."""
        number = len(self._texts)
        self._texts.append((trace.id, trace.name, trace.edition, writer_of(trace), trace.background))
        for rows in judged_rows(trace, self.adapter, self.presets, self.seed, self.tally):
            self._groups.append((number, rows))
            self.sampled |= sampled(rows.states, rows.category)

    def repeated(self, table: pa.Table) -> list[Reached]:
        """Return who else reaches the states of `table`, which is this shard's."""
        owners = [rows.expected for _, rows in self._groups for _ in rows.state_ids]
        return repeated(
            table,
            owners,
            self.tally.repeats or [],
            lambda states, expected: _judged_again(Facts(states), expected, self.adapter),
        )

    @property
    def traces(self) -> int:
        """How many traces were added."""
        return len(self._texts)

    def table(self) -> pa.Table:
        """Return everything added so far, in order."""
        points = [rows for _, rows in self._groups]
        counts = [len(rows.state_ids) for rows in points]

        def spread(values: Iterable[int]) -> npt.NDArray[np.int32]:
            return np.repeat(np.asarray(list(values), np.int32), counts)

        def labels(columns: list[npt.NDArray[np.uint8]], names: Iterable[str]) -> pa.Array:
            codes = np.concatenate(columns or [np.zeros(0, np.uint8)]).astype(np.int8)
            return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(list(names), pa.string()))

        owner = spread(number for number, _ in self._groups)
        tears = [rows.states.tear for rows in points] or [np.zeros(0, np.int32)]
        columns: list[pa.Array] = [
            _ids([name for rows in points for name in rows.state_ids]),
            _ids([name for rows in points for name in rows.content_ids]),
            _ids([name for rows in points for name in rows.visible], DIGEST_BYTES),
            _ids([name for rows in points for name in rows.outcome], DIGEST_BYTES),
            *(_texts(owner, [texts[at] for texts in self._texts]) for at in range(5)),
            labels([_stratum(rows.states) for rows in points], STRATA),
            labels([rows.states.preset for rows in points], [preset.name for preset in PRESETS]),
            pa.array(spread(rows.states.point.crash_index for rows in points)),
            pa.array([mask for rows in points for mask in _masks(rows.states)], pa.binary()),
            pa.array(np.concatenate(tears).astype(np.int32)),
            pa.array([text for rows in points for text in _rot(rows.states)], pa.string()),
            pa.array(np.full(sum(counts), self.seed, np.int64)),
            labels([rows.category for rows in points], CATEGORIES),
            _fields(points),
            pa.array(spread(rows.acknowledged for rows in points)),
            labels([rows.refusal for rows in points], REFUSALS),
            *(
                labels([rows.verdicts[at] for rows in points], _VERDICTS)
                for at in range(len(self.adapter.readers))
            ),
        ]
        return pa.Table.from_arrays(columns, schema=schema(self.adapter.readers))


def judged_shard(plan: Plan, number: int) -> Shard:
    """Return shard `number` of `plan`, judged. A pure function of the plan."""
    adapter = crash_format(plan.format)
    shard = Shard(adapter, tuple(map(get_preset, plan.presets)), plan.seed)
    for work in plan.shard_workloads(number):
        shard.add(adapter.build(work))
    return shard


def _ids(ids: list[bytes], width: int = ID_BYTES) -> pa.Array:
    """Return a column of ids of `width` bytes, straight from their bytes."""
    kind = pa.binary(width)
    return pa.FixedSizeBinaryArray.from_buffers(kind, len(ids), [None, pa.py_buffer(b"".join(ids))])


def _masks(states: States) -> list[bytes]:
    """Return one byte per block for each state of a subset preset, nothing for a torn one."""
    count, width = states.codes.shape
    if states.torn >= 0 or not width or states.rot:
        return [b""] * count
    raw = states.codes.astype(np.uint8).tobytes()
    return [raw[at : at + width] for at in range(0, len(raw), width)]


def descriptor_of(states: States, row: int, seed: int) -> Descriptor:
    """Return what one row is a function of, as its columns have it."""
    trace, rot = states.point.trace, _rot(states)[row]
    return Descriptor(
        trace.id,
        PRESETS[states.preset[row]].name,
        states.point.crash_index,
        b"" if states.torn >= 0 or rot else states.codes[row].astype(np.uint8).tobytes(),
        int(states.tear[row]),
        trace.background,
        seed,
        rot,
    )


def _stratum(states: States) -> npt.NDArray[np.uint8]:
    return np.full(len(states), STRATA.index(states.stratum), np.uint8)


def _rot(states: States) -> tuple[str, ...]:
    return states.rot or ("",) * len(states)


def _fields(points: list[Rows]) -> pa.Array:
    """Return the column of torn fields under one list of names."""
    names: dict[str, int] = {"": 0}
    parts = [np.zeros(0, np.int32)]
    for rows in points:
        lookup = [names.setdefault(name, len(names)) for name in rows.field_names]
        parts.append(np.asarray(lookup, np.int32)[rows.field])
    return _texts(np.concatenate(parts), list(names))


def _texts(codes: npt.NDArray[np.int32], names: list[str]) -> pa.Array:
    """Return a text column that stores each name once."""
    distinct = list(dict.fromkeys(names))
    lookup = np.asarray([distinct.index(name) for name in names] or [0], np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(lookup[codes]), pa.array(distinct, pa.string()))
