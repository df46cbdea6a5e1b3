"""One failing state of every kind in a build: what there is to be shrunk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from journalspec_corpus.crash.judge import VERDICTS

_FAILING = pa.array([name for name, broken in VERDICTS.items() if broken], pa.string())
_KIND = ("stratum", "writer", "category")


class Kind(NamedTuple):
    """What failures have in common: stratum, who wrote, kind of crash, who read, with which verdict."""

    stratum: str
    writer: str
    category: str
    reader: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Sample:
    """A kind of failure, how many states are of it, and the one with the smallest id."""

    kind: Kind
    states: int
    case_id: bytes


def samples(directory: Path, readers: tuple[str, ...]) -> list[Sample]:
    """Return a sample of each kind of failure of `readers` in the build in `directory`, sorted by kind."""
    found: dict[Kind, tuple[int, bytes]] = {}
    for path in sorted((directory / "states").glob("part-*.parquet")):
        for reader in readers:
            column = f"verdict_{reader}"
            table = pq.read_table(path, columns=["case_id", *_KIND, column])
            mask = pc.is_in(pc.cast(table[column], pa.string()), value_set=_FAILING)
            for row in table.filter(mask).to_pylist():
                stratum, writer, category = (row[name] for name in _KIND)
                kind = Kind(stratum, writer, category, reader, row[column])
                count, smallest = found.get(kind, (0, row["case_id"]))
                found[kind] = count + 1, min(smallest, row["case_id"])
    return [Sample(kind, *found[kind]) for kind in sorted(found)]
