"""From traces to judged rows. Everything here is a pure function of traces, presets and seed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from journalspec_corpus.crash.disk import States
from journalspec_corpus.crash.facts import Column, Facts
from journalspec_corpus.crash.formats import CrashFormat, answers, crash_format
from journalspec_corpus.crash.oracle import REFUSALS
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import ID_BYTES, PRESETS, STRATA, Preset, Trace, get_preset, writer_of
from journalspec_corpus.crash.verdict import CATEGORIES, VERDICTS, judge
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.tables import Reached

_VERDICTS = tuple(VERDICTS)
_NUMBERS = {name: number for number, name in enumerate(VERDICTS)}
_LABEL, _TEXT = pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.string())
#: The texts that all rows of a trace have in common.
_OF_TRACE = ("trace", "workload", "edition", "writer", "background")


def schema(readers: Iterable[str]) -> pa.Schema:
    """Return the columns of a shard: id (:mod:`..crash.disk`), descriptor, class, verdicts."""
    return pa.schema(
        [
            ("case_id", pa.binary(ID_BYTES)),
            *((name, _TEXT) for name in _OF_TRACE),
            ("stratum", _LABEL),
            ("preset", _LABEL),
            ("crash_index", pa.int32()),
            ("mask", pa.binary()),
            ("tear", pa.int32()),
            ("rot", pa.string()),
            ("seed", pa.int64()),
            ("category", _LABEL),
            ("field", _TEXT),
            ("acknowledged", pa.int32()),
            ("refusal", _LABEL),
            *((f"verdict_{name}", _LABEL) for name in readers),
        ]
    )


@dataclass(frozen=True)
class JudgedStates:
    """The states of a crash point, judged: a column of indices into :data:`VERDICTS` for each reader.

    `new` are the rows of those that were not seen before, each id once.
    """

    facts: Facts
    verdicts: list[Column]
    new: list[int]

    def verdict(self, reader: int, row: int) -> str:
        """Return the verdict of reader number `reader` on row number `row`."""
        return _VERDICTS[int(self.verdicts[reader][row])]


def verdicts_of(facts: Facts, adapter: CrashFormat) -> list[Column]:
    """Return the verdicts of all readers of a format, reader by reader."""
    found, which = answers(facts.contents, adapter.read, adapter.sees, adapter.memory)
    # Equal answers that may be refused alike are judged once.
    entries = which.astype(np.int64) * len(REFUSALS) + facts.refusals
    table = np.zeros((len(adapter.readers), len(found) * len(REFUSALS)), np.uint8)
    for entry in np.unique(entries).tolist():
        given, kind = found[entry // len(REFUSALS)], REFUSALS[entry % len(REFUSALS)]
        for at, reader in enumerate(adapter.readers):
            holes = reader in adapter.salvaging
            table[at, entry] = _NUMBERS[judge(given[at], facts.expected, kind, holes_allowed=holes)]
    return [column[entries] for column in table]


class Shard:
    """The distinct states of several traces, gathered by columns and made one Arrow table at the end."""

    def __init__(self, adapter: CrashFormat, presets: tuple[Preset, ...], seed: int) -> None:
        self.adapter = adapter
        self.presets = presets
        self.seed = seed
        self.readers = adapter.readers
        self.traces = self.generated = 0
        #: the writers that reach each state, and the readers that fail in it, also in earlier traces' states
        self.reached: set[Reached] = set()
        self._seen: set[bytes] = set()
        #: The values of each column, crash point by crash point. Labels are numbers, and texts of a trace are
        #: the number of the trace.
        self._columns: dict[str, list[npt.NDArray[Any]]] = defaultdict(list)
        self._texts: list[tuple[str, ...]] = []

    def judged(self, trace: Trace) -> Iterator[JudgedStates]:
        """Yield the states of `trace`, crash point by crash point."""
        self.traces += 1
        for states in crash_states(trace, self.presets, self.seed):
            facts, new = Facts(states), []
            self.generated += len(states)
            for row, name in enumerate(facts.case_ids):
                if name not in self._seen:
                    self._seen.add(name)
                    new.append(row)
            found = JudgedStates(facts, verdicts_of(facts, self.adapter), new)
            # In a state that another trace has left already, other records may be required here.
            self._note(trace, found)
            yield found

    def _note(self, trace: Trace, found: JudgedStates) -> None:
        """Note under which presets the writer reaches states, and what fails in them."""
        states = found.facts.states
        preset, who = states.preset.astype(np.int64), (states.stratum, writer_of(trace), trace.edition)
        self.reached |= {Reached(*who, PRESETS[at].name) for at in np.unique(preset).tolist()}
        for reader, column in zip(self.readers, found.verdicts, strict=True):
            for pair in np.unique(preset * len(VERDICTS) + column).tolist():
                at, verdict = divmod(pair, len(VERDICTS))
                if VERDICTS[_VERDICTS[verdict]]:
                    self.reached.add(Reached(*who, PRESETS[at].name, reader, _VERDICTS[verdict]))

    def add(self, trace: Trace) -> None:
        """Take in the states of `trace` that the shard does not hold yet."""
        number = len(self._texts)
        self._texts.append((trace.id, trace.name, trace.edition, writer_of(trace), trace.background))
        for found in (found for found in self.judged(trace) if found.new):
            facts, at = found.facts, np.asarray(found.new, np.int64)
            states, (torn, names) = facts.states.take(at), facts.fields
            values: dict[str, npt.ArrayLike] = {
                **dict.fromkeys(_OF_TRACE, number),
                "case_id": np.asarray([facts.case_ids[row] for row in found.new], object),
                "stratum": list(STRATA).index(states.stratum),
                "preset": states.preset,
                "crash_index": states.point.crash_index,
                "mask": np.asarray(masks(states), object),
                "tear": states.tear,
                "rot": np.asarray(states.rot or "", object),
                "seed": self.seed,
                "category": facts.categories[at],
                "field": np.asarray(names, object)[torn[at]],
                "acknowledged": len(facts.expected.must_keep),
                "refusal": facts.refusals[at],
                **{f"verdict_{name}": of[at] for name, of in zip(self.readers, found.verdicts, strict=True)},
            }
            for name, column in values.items():
                self._columns[name].append(np.broadcast_to(column, len(states)))

    def table(self) -> pa.Table:
        """Return everything added so far, in order."""
        labels: dict[str, Sequence[str]] = {
            "stratum": list(STRATA),
            "preset": [preset.name for preset in PRESETS],
            "category": list(CATEGORIES),
            "refusal": list(REFUSALS),
            **{f"verdict_{reader}": list(VERDICTS) for reader in self.readers},
        }
        columns, arrays = schema(self.readers), []
        for column in columns:
            name, parts = column.name, self._columns[column.name]
            values = np.concatenate(parts) if parts else np.zeros(0, object)
            if name == "field":
                known, values = np.unique(values, return_inverse=True)
                labels[name] = known.tolist()
            elif name in _OF_TRACE:
                texts = [of_trace[_OF_TRACE.index(name)] for of_trace in self._texts]
                labels[name] = list(dict.fromkeys(texts))
                values = np.asarray([labels[name].index(text) for text in texts], np.int64)[
                    values.astype(int)
                ]
            if name in labels:
                indices = pa.array(values, column.type.index_type)
                arrays.append(pa.DictionaryArray.from_arrays(indices, pa.array(labels[name], pa.string())))
            else:
                arrays.append(pa.array(values, column.type))
        return pa.Table.from_arrays(arrays, schema=columns)


def judged_shard(plan: Plan, number: int) -> Shard:
    """Return shard `number` of `plan`, judged. A pure function of the plan."""
    adapter = crash_format(plan.format)
    shard = Shard(adapter, tuple(map(get_preset, plan.presets)), plan.seed)
    for work in plan.shard_workloads(number):
        shard.add(adapter.build(work))
    return shard


def masks(states: States) -> list[bytes]:
    """Return one byte per block for each state of a subset preset, nothing for a torn one."""
    if states.torn >= 0 or states.rot:
        return [b""] * len(states)
    return [row.tobytes() for row in states.codes.astype(np.uint8)]
