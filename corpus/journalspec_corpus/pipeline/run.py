"""One trace from states to judged rows. Everything here is a pure function of trace, presets and seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.expected import REFUSALS, Expected, Obligations
from journalspec_corpus.crash.facts import Column, Facts, categories, fields
from journalspec_corpus.crash.ids import case_ids, content_ids
from journalspec_corpus.crash.pages import ID_BYTES, promise
from journalspec_corpus.crash.persistence import CORRUPTED, PRESETS, Preset, get_preset
from journalspec_corpus.crash.reading import reading_of
from journalspec_corpus.crash.states import Descriptor, crash_states
from journalspec_corpus.crash.trace import Trace, writer_of
from journalspec_corpus.crash.verdict import CATEGORIES, HOLE, VERDICTS, Answer, judge
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.tables import Reached, Repeats, repeated, sampled

#: What a crash can leave; where a force was a lie; corruption afterwards. Never added up.
STRATA = ("R", "L", "C")
_VERDICTS = tuple(VERDICTS)
_NUMBERS = {name: number for number, name in enumerate(VERDICTS)}
_LABEL = pa.dictionary(pa.int8(), pa.string())


def schema(readers: Iterable[str]) -> pa.Schema:
    """Return the columns of a shard: id (:mod:`..crash.ids`), descriptor, class, a verdict per reader."""
    return pa.schema(
        [
            ("case_id", pa.binary(ID_BYTES)),
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
    case_ids: list[bytes]
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
    trace: Trace,
    adapter: CrashFormat,
    presets: tuple[Preset, ...],
    seed: int,
    tally: SeenIds,
) -> Iterator[Rows]:
    """Yield the distinct states of `trace`, judged; states whose id is in `tally` are left out."""
    owed = Obligations(trace)
    for states in crash_states(trace, presets, seed):
        tally.generated += len(states)
        expected = owed.at(states.point.crash_index, states.torn, states.stratum)
        contents = content_ids(states.point, states.codes)
        names = case_ids(contents, owed.promise(expected))
        keep = tally.take(names)
        if tally.repeats is not None and len(keep) < len(names):
            again = np.delete(np.arange(len(names)), keep)
            where = [names[at] for at in again.tolist()]
            states_again = states.take(again)
            judged = partial(_judged_again, states_again, expected, adapter)
            tally.repeats.append(Repeats(writer_of(trace), where, states_again.preset, expected, judged))
        if keep:
            yield _judged(states, expected, adapter, names, contents, np.asarray(keep))


def promised(trace: Trace, expected: Expected) -> bytes:
    """Return what the ids of all cases of one crash point have in common."""
    return promise(trace.format, trace.edition, expected.stratum, expected.keys_to_keep)


def ids_of_states(states: States, expected: Expected) -> list[bytes]:
    """Return the case id of every state, as its column has it."""
    return case_ids(content_ids(states.point, states.codes), promised(states.point.trace, expected))


def _judged(
    states: States,
    expected: Expected,
    adapter: CrashFormat,
    names: list[bytes],
    contents: list[bytes],
    keep: Any,
) -> Rows:
    states = states.take(keep)
    facts = Facts(states)
    field_of, field_names = fields(facts)
    contents = [contents[at] for at in keep]
    found, which = reading_of(adapter).answers(states.point, states.codes, contents)
    refusal, verdicts = facts.refusals, _verdicts(found, which, facts.refusals, expected, adapter)
    return Rows(
        states,
        [names[at] for at in keep],
        keep,
        categories(facts),
        field_of,
        field_names,
        refusal,
        verdicts,
        len(expected.must_keep),
        expected,
    )


def _judged_again(
    states: States, expected: Expected, adapter: CrashFormat, chosen: npt.NDArray[np.intp]
) -> list[Column]:
    """Return the verdicts on some of `states`, one column per reader."""
    states = states.take(chosen)
    found, which = reading_of(adapter).answers(states.point, states.codes)
    return _verdicts(found, which, Facts(states).refusals, expected, adapter)


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
    entries = path[which] * len(REFUSALS) + refusal
    distinct = list(number)
    table = np.zeros((len(adapter.readers), len(distinct) * len(REFUSALS)), np.uint8)
    salvaging = _salvaging(adapter)
    for entry in np.unique(entries).tolist():
        given, kind = distinct[entry // len(REFUSALS)], REFUSALS[entry % len(REFUSALS)]
        table[:, entry] = _judged_once(given, expected, kind, salvaging)
    return [column[entries] for column in table]


def _salvaging(adapter: CrashFormat) -> tuple[bool, ...]:
    """Return for each reader whether it may leave records out."""
    return tuple(reader in adapter.salvaging for reader in adapter.readers)


def _judged_once(
    given: tuple[Answer, ...], expected: Expected, refusal: str, salvaging: tuple[bool, ...]
) -> list[int]:
    """Return the verdict on the answer of each reader, as an index.

    Answers that are one object are judged once. Who may leave records out is told the same, but of a hole.
    """
    said: dict[tuple[int, bool], str] = {}
    out = []
    for answer, holes in zip(given, salvaging, strict=True):
        verdict = said.get((id(answer), holes))
        if verdict is None and holes:
            strict = said.get((id(answer), False))
            verdict = None if strict == HOLE else strict
        if verdict is None:
            verdict = judge(answer, expected, refusal, holes_allowed=holes)
        said[id(answer), holes] = verdict
        out.append(_NUMBERS[verdict])
    return out


@dataclass
class Columns:
    """Judged states as columns, one value per row; `owed` is what was expected, by number in the shard."""

    trace: int
    #: one behind the other
    ids: bytes
    stratum: int
    preset: npt.NDArray[np.uint8]
    crash_index: npt.NDArray[np.int32]
    masks: bytes
    mask_lengths: npt.NDArray[np.int32]
    tear: npt.NDArray[np.int32]
    rot: tuple[str, ...]
    category: npt.NDArray[np.uint8]
    field: npt.NDArray[np.int32]
    acknowledged: npt.NDArray[np.int32]
    refusal: npt.NDArray[np.uint8]
    verdicts: list[npt.NDArray[np.uint8]]
    owed: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.preset)


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
        self._columns: list[Columns] = []
        self._owed: list[Expected] = []
        self._fields: dict[str, int] = {"": 0}

    def add(self, trace: Trace) -> None:
        """Judge every state of `trace` that the shard does not hold yet."""
        number = len(self._texts)
        self._texts.append((trace.id, trace.name, trace.edition, writer_of(trace), trace.background))
        for rows in judged_rows(trace, self.adapter, self.presets, self.seed, self.tally):
            self._add_rows(number, rows)
            self.sampled |= sampled(rows.states, rows.category)

    def _add_rows(self, number: int, rows: Rows) -> None:
        """Add the states of a crash point."""
        states, count = rows.states, len(rows.case_ids)
        masks = _masks(states)
        lookup = [self._fields.setdefault(name, len(self._fields)) for name in rows.field_names]
        self._columns.append(
            Columns(
                number,
                b"".join(rows.case_ids),
                STRATA.index(states.stratum),
                states.preset,
                np.full(count, states.point.crash_index, np.int32),
                b"".join(masks),
                np.asarray([len(mask) for mask in masks], np.int32),
                states.tear.astype(np.int32),
                _rot(states),
                rows.category,
                np.asarray(lookup, np.int32)[rows.field],
                np.full(count, rows.acknowledged, np.int32),
                rows.refusal,
                rows.verdicts,
                np.full(count, len(self._owed), np.int32),
            )
        )
        self._owed.append(rows.expected)

    def repeated(self, table: pa.Table) -> list[Reached]:
        """Return who else reaches the states of `table`, which is this shard's."""
        return repeated(
            table,
            self._owed,
            np.concatenate([np.zeros(0, np.int32), *(part.owed for part in self._columns)]),
            self.tally.repeats or [],
        )

    @property
    def traces(self) -> int:
        """How many traces were added."""
        return len(self._texts)

    def table(self) -> pa.Table:
        """Return everything added so far, in order."""
        parts = self._columns
        counts = [len(part) for part in parts]
        total = sum(counts)

        def joined(columns: list[npt.NDArray[Any]], kind: Any) -> npt.NDArray[Any]:
            return np.concatenate([np.zeros(0, kind), *columns]).astype(kind, copy=False)

        def labels(columns: list[npt.NDArray[np.uint8]], names: Iterable[str]) -> pa.Array:
            codes = joined(columns, np.int8)
            return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(list(names), pa.string()))

        owner = np.repeat(np.asarray([part.trace for part in parts], np.int32), counts)
        strata = np.repeat(np.asarray([part.stratum for part in parts], np.uint8), counts)
        columns: list[pa.Array] = [
            _ids(b"".join([part.ids for part in parts])),
            *(_texts(owner, [texts[at] for texts in self._texts]) for at in range(5)),
            labels([strata], STRATA),
            labels([part.preset for part in parts], [preset.name for preset in PRESETS]),
            pa.array(joined([part.crash_index for part in parts], np.int32)),
            _binary([part.mask_lengths for part in parts], b"".join([part.masks for part in parts])),
            pa.array(joined([part.tear for part in parts], np.int32)),
            _rots(parts),
            pa.array(np.full(total, self.seed, np.int64)),
            labels([part.category for part in parts], CATEGORIES),
            _field_names(joined([part.field for part in parts], np.int32), list(self._fields)),
            pa.array(joined([part.acknowledged for part in parts], np.int32)),
            labels([part.refusal for part in parts], REFUSALS),
            *(
                labels([part.verdicts[at] for part in parts], _VERDICTS)
                for at in range(len(self.adapter.readers))
            ),
        ]
        return pa.Table.from_arrays(columns, schema=schema(self.adapter.readers))


def judged_shard(plan: Plan, number: int) -> Shard:
    """Return shard `number` of `plan`, judged. A pure function of the plan."""
    adapter = crash_format(plan.format)
    presets = tuple(map(get_preset, plan.presets))
    shard = Shard(adapter, presets, plan.seed)
    for work in plan.shard_workloads(number):
        shard.add(adapter.build(work))
    return shard


def _ids(ids: bytes) -> pa.Array:
    """Return a column of ids from these, one behind the other."""
    kind = pa.binary(ID_BYTES)
    return pa.FixedSizeBinaryArray.from_buffers(kind, len(ids) // ID_BYTES, [None, pa.py_buffer(ids)])


def _binary(lengths: list[npt.NDArray[np.int32]], data: bytes) -> pa.Array:
    """Return a column of byte strings that stand one behind the other in `data`."""
    ends = np.cumsum(np.concatenate([np.zeros(1, np.int32), *lengths]), dtype=np.int32)
    return pa.BinaryArray.from_buffers(
        pa.binary(), len(ends) - 1, [None, pa.py_buffer(ends), pa.py_buffer(data)]
    )


def _rots(parts: list[Columns]) -> pa.Array:
    """Return the column of what was corrupted: empty for most rows."""
    lengths = [
        np.fromiter(map(len, part.rot), np.int32, len(part.rot))
        if part.stratum == STRATA.index(CORRUPTED)
        else np.zeros(len(part), np.int32)
        for part in parts
    ]
    text = "".join(["".join(part.rot) for part in parts]).encode()
    return _binary(lengths, text).cast(pa.string())


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


def _rot(states: States) -> tuple[str, ...]:
    return states.rot or ("",) * len(states)


def _field_names(codes: npt.NDArray[np.int32], names: list[str]) -> pa.Array:
    """Return the column of torn fields, with the names that occur in their order."""
    used = sorted(np.unique(codes).tolist(), key=lambda code: names[code])
    lookup = np.zeros(len(names), np.int32)
    lookup[used] = np.arange(len(used))
    texts = pa.array([names[code] for code in used], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(lookup[codes]), texts)


def _texts(codes: npt.NDArray[np.int32], names: list[str]) -> pa.Array:
    """Return a text column that stores each name once."""
    distinct = list(dict.fromkeys(names))
    lookup = np.asarray([distinct.index(name) for name in names] or [0], np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(lookup[codes]), pa.array(distinct, pa.string()))
