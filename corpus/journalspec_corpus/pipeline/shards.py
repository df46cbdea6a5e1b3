"""Shards: the states of some workloads with their verdicts. A shard is written atomically; a continued build
reuses it.

The content of a shard depends only on traces, presets and seed. During a build, shards are Arrow files, which
are fast to write and to read. The rows that a finished build keeps are written as Parquet only once.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather

from journalspec.files import replace_bytes
from journalspec_corpus.crash.facts import Column, Facts
from journalspec_corpus.crash.formats import CrashFormat, answers, crash_format
from journalspec_corpus.crash.oracle import REFUSALS
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import ID_BYTES, PRESETS, STRATA, Preset, Trace, get_preset, writer_of
from journalspec_corpus.crash.verdict import CATEGORIES, VERDICTS, judge
from journalspec_corpus.pipeline.manifest import WORK, part_name
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.tables import Reached

#: A function that is called with the number of finished shards.
ShardsDone = Callable[[int], None]
_TRACEBACK = "JOURNALSPEC_TRACEBACK"
#: The key of the summary in the schema of a shard's file.
_SUMMARY = b"journalspec"
_VERDICTS = tuple(VERDICTS)
_NUMBERS = {name: number for number, name in enumerate(VERDICTS)}
_LABEL, _TEXT = pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.string())
#: The texts that all rows of a trace share.
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
    """The states of a crash point with verdicts: a column of indices into :data:`VERDICTS` for each reader.

    `new` are the rows of states that were not seen before, each id once.
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
    # The verdict on an answer is computed once for each kind of refusal.
    entries = which.astype(np.int64) * len(REFUSALS) + facts.refusals
    table = np.zeros((len(adapter.readers), len(found) * len(REFUSALS)), np.uint8)
    for entry in np.unique(entries).tolist():
        given, kind = found[entry // len(REFUSALS)], REFUSALS[entry % len(REFUSALS)]
        for at, reader in enumerate(adapter.readers):
            holes = reader in adapter.salvaging
            table[at, entry] = _NUMBERS[judge(given[at], facts.expected, kind, holes_allowed=holes)]
    return [column[entries] for column in table]


class Shard:
    """The distinct states of several traces, collected in columns; the result is one Arrow table."""

    def __init__(self, adapter: CrashFormat, presets: tuple[Preset, ...], seed: int) -> None:
        self.adapter = adapter
        self.presets = presets
        self.seed = seed
        self.readers = adapter.readers
        self.traces = self.generated = 0
        #: the writers that reach each state, and the readers that fail in it; also for states of earlier
        #: traces
        self.reached: set[Reached] = set()
        self._seen: set[bytes] = set()
        #: The values of each column, crash point by crash point; labels are stored as numbers.
        self._columns: dict[str, list[npt.NDArray[Any]]] = defaultdict(list)
        #: The labels of each column with texts of traces, and their numbers.
        self._labels: dict[str, dict[str, int]] = {name: {} for name in _OF_TRACE}

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
            # A state of an earlier trace may have other required records here, so it is counted again.
            self._note(trace, found)
            yield found

    def _note(self, trace: Trace, found: JudgedStates) -> None:
        """Count the presets under which the writer reaches states, and the readers that fail in them."""
        states = found.facts.states
        preset, who = states.preset.astype(np.int64), (states.stratum, writer_of(trace), trace.edition)
        self.reached |= {Reached(*who, PRESETS[at].name) for at in np.unique(preset).tolist()}
        for reader, column in zip(self.readers, found.verdicts, strict=True):
            for pair in np.unique(preset * len(VERDICTS) + column).tolist():
                at, verdict = divmod(pair, len(VERDICTS))
                if VERDICTS[_VERDICTS[verdict]]:
                    self.reached.add(Reached(*who, PRESETS[at].name, reader, _VERDICTS[verdict]))

    def add(self, trace: Trace) -> None:
        """Add the states of `trace` that the shard does not contain yet."""
        texts = (trace.id, trace.name, trace.edition, writer_of(trace), trace.background)
        labels = zip(self._labels.items(), texts, strict=True)
        of_trace = {name: known.setdefault(text, len(known)) for (name, known), text in labels}
        for found in (found for found in self.judged(trace) if found.new):
            facts, at = found.facts, np.asarray(found.new, np.int64)
            states = facts.states.take(at)
            values: dict[str, npt.ArrayLike] = {
                **of_trace,
                "case_id": np.asarray([facts.case_ids[row] for row in found.new], object),
                "stratum": list(STRATA).index(states.stratum),
                "preset": states.preset,
                "crash_index": states.point.crash_index,
                "mask": np.asarray(states.masks, object),
                "tear": states.tear,
                "rot": np.asarray(states.rot or "", object),
                "seed": self.seed,
                "category": facts.categories[at],
                "field": facts.fields[at],
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
            **{name: list(known) for name, known in self._labels.items()},
        }
        columns, arrays = schema(self.readers), []
        for column in columns:
            name, parts = column.name, self._columns[column.name]
            values = np.concatenate(parts) if parts else np.zeros(0, object)
            if name == "field":
                known, values = np.unique(values, return_inverse=True)
                labels[name] = known.tolist()
            if name in labels:
                indices = pa.array(values, column.type.index_type)
                arrays.append(pa.DictionaryArray.from_arrays(indices, pa.array(labels[name], pa.string())))
            else:
                arrays.append(pa.array(values, column.type))
        return pa.Table.from_arrays(arrays, schema=columns)


def judged_shard(plan: Plan, number: int) -> Shard:
    """Return shard `number` of `plan` with its verdicts. The result depends only on the plan."""
    adapter = crash_format(plan.format)
    shard = Shard(adapter, tuple(map(get_preset, plan.presets)), plan.seed)
    for work in plan.shard_workloads(number):
        shard.add(adapter.build(work))
    return shard


class BuildError(Exception):
    """A build cannot continue; the text contains the fault and the cause, `hint` the next step."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def tried(work: Callable[[int], object], number: int) -> object:
    """Return the result of `work`, or the error that the builder must raise."""
    try:
        return work(number)
    except (BuildError, OSError, MemoryError) as error:
        return error
    except Exception as error:  # The builder must receive every error.
        if os.environ.get(_TRACEBACK):
            traceback.print_exc()
        text = f"shard {number}: a fault of journalspec, please report it: {type(error).__name__}: {error}"
        return BuildError(text, f"Set {_TRACEBACK}=1 to see where it happened.")


@dataclass(frozen=True, slots=True)
class Summary:
    """One finished shard: the number of its states before de-duplication, and of its traces.

    `reached` counts which writers reach its states, and which readers fail. `cpu` is the processor time in
    seconds; no output depends on it.
    """

    shard: int
    generated: int
    traces: int
    reached: list[Reached]
    cpu: float


def shard_file(out: Path, shard: int) -> Path:
    """Return the path of the rows of a shard during a build."""
    return out / WORK / f"shard-{shard:05d}.arrow"


def write_shard(plan: Plan, out: Path, number: int) -> None:
    """Compute the verdicts of shard `number`, and write it with its summary.

    An existing shard is not computed again, because a task whose worker died is repeated from its first
    shard.
    """
    if _summary(out, number) is not None:
        return
    started = time.process_time()
    shard = judged_shard(plan, number)
    table, sink = shard.table(), BytesIO()
    used, reached = time.process_time() - started, sorted(shard.reached)
    summary = Summary(number, shard.generated, shard.traces, reached, used)
    table = table.replace_schema_metadata({_SUMMARY: json.dumps(asdict(summary))})
    feather.write_feather(table, sink, compression="lz4", chunksize=max(1, len(table)))
    replace_bytes(shard_file(out, number), sink.getvalue())


def read_shard(out: Path, number: int, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the rows of a shard, all columns or only some."""
    table = feather.read_table(shard_file(out, number), columns, memory_map=True, use_threads=False)
    return table.replace_schema_metadata(None)


def finished(plan: Plan, out: Path) -> dict[int, Summary]:
    """Return the shards on disk, which are complete, because a shard receives its final name last."""
    known = {number: _summary(out, number) for number in range(plan.shards())}
    return {number: summary for number, summary in known.items() if summary is not None}


def _summary(out: Path, number: int) -> Summary | None:
    """Return the summary of a shard on disk; None if it is missing, incomplete, or of another shard."""
    try:
        with pa.memory_map(str(shard_file(out, number))) as source:
            loaded = json.loads(pa.ipc.open_file(source).schema.metadata[_SUMMARY])
        summary = Summary(**{**loaded, "reached": [Reached(*entry) for entry in loaded["reached"]]})
    except (OSError, KeyError, TypeError, ValueError):
        return None
    return summary if summary.shard == number else None


def sealed(out: Path) -> int:
    """Return the number of shards that are on disk, for a progress bar."""
    return sum(1 for path in (out / WORK).glob("shard-*.arrow"))


Kept = npt.NDArray[np.bool_]


def kept_of_each(plan: Plan, out: Path) -> list[Kept]:
    """For each shard, return the kept rows: of rows with equal ids, the first in plan order.

    This needs 60 bytes of memory per state.
    """
    columns = (read_shard(out, number, ["case_id"])["case_id"] for number in range(plan.shards()))
    ids = [np.asarray(column.to_pylist(), f"S{ID_BYTES}") for column in columns]
    return np.split(first_of_each(np.concatenate(ids)), np.cumsum([len(each) for each in ids])[:-1])


def first_of_each(ids: npt.NDArray[np.bytes_]) -> Kept:
    """Return True for each id that equals no earlier one."""
    first = np.zeros(len(ids), bool)
    first[np.unique(ids, return_index=True)[1]] = True
    return first


def write_part(out: Path, number: int, table: pa.Table) -> dict[str, Any]:
    """Write the kept rows of a shard below ``work/``; return its entry in the manifest."""
    sink = BytesIO()
    # Ids have no dictionary, because all are different.
    repeating = [column.name for column in table.schema if not pa.types.is_fixed_size_binary(column.type)]
    pq.write_table(table, sink, compression="zstd", write_statistics=False, use_dictionary=repeating)
    name, data = part_name(number), sink.getvalue()
    replace_bytes(out / WORK / name, data)
    return {"file": name, "rows": len(table), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
