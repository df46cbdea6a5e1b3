"""The failing states of a build: one of every kind, and any of them found again by its id.

The Parquet row says what a state is a function of.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.reading import Named
from journalspec_corpus.crash.reduction import State, find
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline.store import part_files

ID_DIGITS = 32
_COLUMNS = ("trace", "background", "preset", "crash_index", "mask", "tear", "seed", "rot")


class NotThere(LookupError):
    """The directory holds no build, or no such state; the message says what to do."""


@dataclass(frozen=True)
class BuiltState:
    """A state of a build: its adapter, workload and descriptor, and the verdicts as they were built."""

    adapter: CrashFormat
    workload: Any
    descriptor: Descriptor
    verdicts: Mapping[str, str]
    case_id: str

    @cached_property
    def state(self) -> State:
        """The state itself."""
        return find(self.adapter.build(self.workload), self.descriptor)

    def first_failing(self) -> str:
        """Return the first reader that fails in it; raises NotThere if none does."""
        for name, verdict in self.verdicts.items():
            if VERDICTS[verdict]:
                return name
        given = ", ".join(f"{name}: {verdict}" for name, verdict in self.verdicts.items())
        raise NotThere(f"{self.case_id}: no reader of the build fails in this state ({given}); name one")


def place_of(directory: Path, name: str) -> BuiltState:
    """Return the state `name` of the build in `directory`; raises NotThere.

    A name is the 32 hex digits of its case id, or the id of the case, which ends in them.
    """
    digits = name.rpartition(".")[2]
    try:
        wanted = bytes.fromhex(digits)
    except ValueError:
        wanted = b""
    if len(digits) != ID_DIGITS or len(wanted) * 2 != ID_DIGITS:
        raise NotThere(f"{name!r} is no id of a state: that is {ID_DIGITS} hex digits")
    return places(directory, {wanted})[wanted]


def places(directory: Path, wanted: Set[bytes]) -> dict[bytes, BuiltState]:
    """Return the states of these case ids in the build in `directory`; raises NotThere if one is missing."""
    plan = plan_of(directory)
    adapter = crash_format(plan["format"])
    rows = {row["case_id"]: row for row in _rows(directory, wanted, adapter)}
    for name in sorted(wanted - rows.keys()):
        raise NotThere(
            f"{directory} holds no state {name.hex()}: ids are in the column case_id of states/*.parquet"
        )
    names = {row["workload"] for row in rows.values()}
    workloads = {work.name: work for work in adapter.workloads(plan["tier"]) if work.name in names}
    for name in sorted(names - workloads.keys()):
        raise NotThere(f"{name} is no workload of this version: build {directory} again")
    return {name: _place(adapter, workloads[row["workload"]], row) for name, row in rows.items()}


def _place(adapter: CrashFormat, workload: Any, row: Mapping[str, Any]) -> BuiltState:
    descriptor = Descriptor(**{column: row[column] for column in _COLUMNS})
    verdicts = {reader: row[f"verdict_{reader}"] for reader in adapter.readers}
    return BuiltState(adapter, workload, descriptor, verdicts, row["case_id"].hex())


def verdict_of(place: BuiltState, reader: Named) -> str:
    """Return what `reader` gets in the state, asked now; raises NotThere if the state is not what it was."""
    state = place.state
    if state.case_id != place.case_id:
        raise NotThere(f"{place.case_id} is made otherwise by this version: build again")
    answer = reader.reader(state.files, state.trace.edition)
    return state.verdict(answer, salvaging=reader.salvaging)


def plan_of(directory: Path) -> dict[str, Any]:
    """Return the plan of the build in `directory`; raises NotThere if it is none."""
    try:
        plan: dict[str, Any] = json.loads((directory / "plan.json").read_text(encoding="utf-8"))
        plan["format"], plan["tier"], plan["seed"]
    except (OSError, ValueError, KeyError, TypeError):
        raise NotThere(
            f"{directory} is no build: `journalspec corpus build --tier core --out DIR` makes one"
        ) from None
    return plan


def _rows(directory: Path, wanted: Set[bytes], adapter: CrashFormat) -> Iterator[dict[str, Any]]:
    """Yield the rows of the states `wanted`; part by part, so that memory is bounded by the largest one."""
    columns = ["case_id", "workload", *_COLUMNS, *(f"verdict_{name}" for name in adapter.readers)]
    for path in part_files(directory):
        ids = pq.read_table(path, columns=["case_id"])["case_id"].to_pylist()
        rows = [at for at, name in enumerate(ids) if name in wanted]
        if rows:
            yield from pq.read_table(path, columns=columns).take(rows).to_pylist()


_FAILING = pa.array([name for name, broken in VERDICTS.items() if broken], pa.string())
_KIND = ("stratum", "writer", "category")


class FailureKind(NamedTuple):
    """What failures have in common: stratum, who wrote, kind of crash, who read, with which verdict."""

    stratum: str
    writer: str
    category: str
    reader: str
    verdict: str


@dataclass(frozen=True, slots=True)
class FailureSample:
    """A kind of failure, how many states are of it, and the one with the smallest id."""

    kind: FailureKind
    states: int
    case_id: bytes


def samples(directory: Path, readers: tuple[str, ...]) -> list[FailureSample]:
    """Return a sample of each kind of failure of `readers` in the build in `directory`, sorted by kind."""
    found: dict[FailureKind, tuple[int, bytes]] = {}
    for path in part_files(directory):
        for reader in readers:
            column = f"verdict_{reader}"
            table = pq.read_table(path, columns=["case_id", *_KIND, column])
            mask = pc.is_in(pc.cast(table[column], pa.string()), value_set=_FAILING)
            for row in table.filter(mask).to_pylist():
                stratum, writer, category = (row[name] for name in _KIND)
                kind = FailureKind(stratum, writer, category, reader, row[column])
                count, smallest = found.get(kind, (0, row["case_id"]))
                found[kind] = count + 1, min(smallest, row["case_id"])
    return [FailureSample(kind, *found[kind]) for kind in sorted(found)]
