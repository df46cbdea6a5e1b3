"""What a manifest counts, counted again from the parts of the build: a second look at every table.

Only what the rows do not show is taken from the manifest: how many states were generated,
which categories were not enumerated whole, and who else reaches states that were taken out.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from journalspec.formats import UnknownFormat
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.pages import ID_BYTES
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline.cases import CASES, lines_of
from journalspec_corpus.pipeline.plan import ENGINE, Plan
from journalspec_corpus.pipeline.run import schema
from journalspec_corpus.pipeline.store import first_of_each, ids_of
from journalspec_corpus.pipeline.tables import (
    COLUMNS,
    LABELS,
    VERDICT,
    Counts,
    Digests,
    counted,
    digests,
    reached,
    tabulate,
    united,
    with_alike,
)

#: What one part may unpack to (bytes), and how many kinds of rows a build may have.
MAX_UNPACKED, MAX_KINDS = 4 << 30, 1 << 20
_BATCH = 1 << 16
#: Of how many words an entry of `reached` consists.
_WORDS = 6
_SAID = "manifest.json"


class _Unfit(ValueError):
    """A part is not of the form that a build writes; the message says which and why."""


def recount(directory: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the manifest says otherwise than the parts, which are known to have their checksums.

    May raise what a manifest of another form leads to (KeyError and the like).
    """
    plan = Plan.from_json(manifest["plan"])
    try:
        adapter = crash_format(plan.format)
    except UnknownFormat as error:
        yield f"{_SAID}: {error.args[0]}"
        return
    if plan.engine == ENGINE:
        yield from _planned(plan, adapter, manifest)
    tally = _Tally(adapter, _published(directory, manifest))
    try:
        for part in manifest["parts"]:
            tally.add(directory / part["file"], part)
    except (_Unfit, pa.ArrowException, OSError) as error:
        yield f"{part['file']}: {error!s:.300}"
        return
    yield from tally.differences(manifest)


#: What a published case says of itself that its row says too.
_SHARED_LABELS = ("stratum", "category", "preset")


def _published(directory: Path, manifest: Mapping[str, Any]) -> dict[bytes, tuple[str, ...]]:
    """Return the published cases by the ids of their states, with their labels."""
    if "cases" not in manifest:
        return {}
    return {
        bytes.fromhex(line["state"]): tuple(sys.intern(line[name]) for name in _SHARED_LABELS)
        for line in lines_of(directory / CASES)
    }


def _planned(plan: Plan, adapter: CrashFormat, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield what does not follow from the plan; whether it does, only the same engine can tell."""
    facts = {
        "parts": (plan.shards(), len(manifest["parts"])),
        "counts.traces": (len(plan.workloads()), manifest["counts"]["traces"]),
        "strict": (next(iter(adapter.policies)), manifest["strict"]),
    }
    for name, (due, said) in facts.items():
        if due != said:
            yield f"{_SAID}: {name}: the plan gives {due}, the manifest says {said!r:.80}"


@dataclass
class _Tally:
    """What the parts hold, counted."""

    adapter: CrashFormat
    chosen: Mapping[bytes, tuple[str, ...]]
    seen: Counts = field(default_factory=Counter)
    ids: list[Any] = field(default_factory=list)
    alike: list[Digests] = field(default_factory=list)
    beyond: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    found: int = 0
    unlike: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._wanted = pa.array(list(self.chosen), pa.binary(ID_BYTES))

    def add(self, path: Path, said: Mapping[str, Any]) -> None:
        """Count one part in pieces; raises _Unfit, OSError and what Arrow raises."""
        columns = [
            *LABELS,
            "state_id",
            *COLUMNS.values(),
            *(VERDICT + reader for reader in self.adapter.readers),
        ]
        with pq.ParquetFile(path) as part:
            _refuse(part, said, self.adapter)
            rows = 0
            for batch in part.iter_batches(_BATCH, columns=columns, use_threads=False):
                table = pa.Table.from_batches([batch])
                rows += table.num_rows
                self.ids.append(ids_of(table["state_id"]))
                self.seen.update(counted(table))
                self.alike.append(digests(table))
                if len(self.seen) > MAX_KINDS:
                    raise _Unfit(f"more than {MAX_KINDS} kinds of states, as no build has")
                self._publish(table)
        if rows != said["rows"]:
            raise _Unfit(f"{rows} rows, the manifest says {said['rows']}")

    def _publish(self, table: pa.Table) -> None:
        """Compare the published ones among `table` with their rows, and count what readers do with them."""
        if not self.chosen:
            return
        for row in table.filter(pc.is_in(table["state_id"], self._wanted)).to_pylist():
            self.found += 1
            if self.chosen[row["state_id"]] != tuple(row[name] for name in _SHARED_LABELS):
                self.unlike.append(f"{CASES}: {row['state_id'].hex()}: not the labels of its state")
            for reader, policy in self.adapter.policies.items():
                if VERDICTS[row[VERDICT + reader]]:
                    by = self.beyond.setdefault(policy, {}).setdefault(row["stratum"], Counter())
                    by[row[VERDICT + reader]] += 1

    def differences(self, manifest: Mapping[str, Any]) -> Iterator[str]:
        """Yield what the manifest says otherwise."""
        ids = np.concatenate(self.ids) if self.ids else np.zeros((0, 2), np.uint64)
        distinct = int(first_of_each(ids).sum())
        if distinct != manifest["counts"]["distinct"]:
            yield f"{_SAID}: {distinct} distinct ids in parts, it says {manifest['counts']['distinct']}"
        others = set(map(_words, manifest["reached"]))
        if any(len(entry) != _WORDS for entry in others):
            yield f"{_SAID}: reached: not six words each"
            return
        readers = self.adapter.readers
        known: Any = reached(self.seen, readers) | others
        strata = tabulate(self.seen, known, manifest["sampled"], readers, manifest["strict"])
        with_alike(strata, united(self.alike))
        yield from _unequal(json.loads(json.dumps(strata)), manifest["strata"], "strata")
        if "cases" in manifest:
            yield from self._cases(manifest["cases"])

    def _cases(self, said: Mapping[str, Any]) -> Iterator[str]:
        yield from self.unlike
        if self.found != len(self.chosen):
            yield f"{CASES}: {len(self.chosen) - self.found} cases are of states that no part holds"
        due = {policy: _plain(self.beyond.get(policy, {})) for policy in self.adapter.policies.values()}
        yield from _unequal(due, said["beyond"], "cases.beyond")


def _words(entry: str) -> tuple[str, ...]:
    """Return the words of an entry of `reached`: the name of a writer may have a slash, no other has."""
    first, *names = entry.rsplit("/", _WORDS - 2)
    return (*first.split("/", 1), *names)


def _plain(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    return {name: dict(of) for name, of in counts.items()}


def _refuse(part: pq.ParquetFile, said: Mapping[str, Any], adapter: CrashFormat) -> None:
    """Raise _Unfit if a part is not one that a build writes, before anything is unpacked."""
    about = part.metadata
    unpacked = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
    if about.num_rows != said["rows"]:
        raise _Unfit(f"{about.num_rows} rows, the manifest says {said['rows']}")
    if about.num_rows * ID_BYTES > said["bytes"]:
        raise _Unfit(f"{about.num_rows} ids cannot be in {said['bytes']} bytes")
    if unpacked > MAX_UNPACKED:
        raise _Unfit(f"unpacks to {unpacked} bytes, more than any part has ({MAX_UNPACKED})")
    if not part.schema_arrow.remove_metadata().equals(schema(adapter.readers)):
        raise _Unfit("other columns than those of this edition")


def _unequal(due: Any, said: Any, where: str) -> Iterator[str]:
    """Yield where two values differ, as deep as they have the same form."""
    if isinstance(due, dict) and isinstance(said, dict):
        for name in (*due, *(name for name in said if name not in due)):
            yield from _unequal(due.get(name), said.get(name), f"{where}.{name}")
    elif isinstance(due, list) and isinstance(said, list) and len(due) == len(said):
        for number, (left, right) in enumerate(zip(due, said, strict=True)):
            yield from _unequal(left, right, f"{where}[{number}]")
    elif due != said or type(due) is not type(said):
        yield f"{_SAID}: {where}: the parts give {due!r:.80}, the manifest says {said!r:.80}"
