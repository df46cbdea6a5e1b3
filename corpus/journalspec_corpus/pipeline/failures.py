"""Finds a state of a build by its id, and rebuilds it from the descriptor in its Parquet row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from journalspec.formats import UnknownFormat
from journalspec_corpus.crash.facts import State, find
from journalspec_corpus.crash.formats import CrashFormat, Named, crash_format
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.trace import ID_BYTES
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline.manifest import ManifestError, load, part_files
from journalspec_corpus.pipeline.plan import Plan

_ID = re.compile(f"[0-9a-fA-F]{{{2 * ID_BYTES}}}")


class NotThere(LookupError):
    """The directory contains no build, or no such state. The message contains advice."""


@dataclass(frozen=True)
class BuiltState:
    """Represents a state of a build: its adapter, workload and descriptor, and the verdicts in the build."""

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
        """Return the first reader that fails in this state; raises NotThere if none does."""
        for name, verdict in self.verdicts.items():
            if VERDICTS[verdict]:
                return name
        given = ", ".join(f"{name}: {verdict}" for name, verdict in self.verdicts.items())
        raise NotThere(f"{self.case_id}: no reader of the build fails in this state ({given}); name one")


def plan_of(directory: Path) -> Plan:
    """Return the plan of the build in `directory`; raises ManifestError if this version has no such plan."""
    members = load(directory)["plan"]
    try:
        return Plan(**{**members, "presets": tuple(members["presets"])})
    except (KeyError, TypeError) as error:
        raise ManifestError(f"{directory}: its plan is not one of this version: {error}") from None


def place_of(directory: Path, name: str) -> BuiltState:
    """Return the state `name` of the build in `directory`; raises NotThere.

    A name is the 32 hex digits of its case id, or the id of the case, which ends in them.
    """
    digits = name.rpartition(".")[2]
    if not _ID.fullmatch(digits):
        raise NotThere(f"{name!r} is not the id of a state, which has {2 * ID_BYTES} hex digits")
    try:
        plan = plan_of(directory)
        workloads = {work.name: work for work in plan.workloads()}
    except (ManifestError, UnknownFormat) as error:
        raise NotThere(f"{error}; `journalspec corpus build --tier core --out DIR` makes a build") from None
    adapter = crash_format(plan.format)
    # Parts are read one by one, so that the largest part bounds the memory.
    wanted = bytes.fromhex(digits)
    found = (pq.read_table(path, filters=[("case_id", "=", wanted)]) for path in part_files(directory))
    row = next((rows.to_pylist()[0] for rows in found if len(rows)), None)
    if row is None:
        raise NotThere(
            f"{directory} holds no state {digits}; the column case_id of states/*.parquet lists the ids"
        )
    workload = workloads.get(row["workload"])
    if workload is None:
        raise NotThere(f"{row['workload']} is not a workload of this version: build {directory} again")
    descriptor = Descriptor(**{member.name: row[member.name] for member in fields(Descriptor)})
    verdicts = {reader: row[f"verdict_{reader}"] for reader in adapter.readers}
    return BuiltState(adapter, workload, descriptor, verdicts, wanted.hex())


def verdict_of(place: BuiltState, reader: Named) -> str:
    """Read the state now, and return the verdict on `reader`; raises NotThere if the state has changed."""
    state = place.state
    if state.case_id != place.case_id:
        raise NotThere(f"this version makes {place.case_id} in another way: build again")
    answer = reader.reader(state.files, state.trace.edition)
    return state.verdict(answer, salvaging=reader.salvaging)
