"""Which writers and presets reach a state, although each state is kept only once.

A state that two orders of writes leave is one state, kept for the first of
them. What it says is true of both: a failure counts against every writer that
can leave it, under the strongest preset that does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from journalspec_corpus.crash.judge import VERDICTS
from journalspec_corpus.crash.model import PRESETS
from journalspec_corpus.pipeline.counting import LABELS, VERDICT, Counts, counted, readers_of

#: (stratum, writer, edition, preset, reader, verdict); the last two are empty for "was looked at".
Reached = tuple[str, str, str, str, str, str]
_AT = {name: LABELS.index(name) for name in ("stratum", "writer", "edition", "preset")}


@dataclass(frozen=True, slots=True)
class Repeats:
    """States that a writer reaches and that were there already: their ids and presets."""

    writer: str
    ids: list[bytes]
    preset: npt.NDArray[np.uint8]


def repeated(table: pa.Table, repeats: Iterable[Repeats]) -> list[Reached]:
    """Return what the repeated states of a shard say, whose own rows are in `table`; sorted."""
    known = list(repeats)
    if not known:
        return []
    place = {name: row for row, name in enumerate(table["case_id"].to_pylist())}
    rows = pa.array([place[name] for entry in known for name in entry.ids], pa.int64())
    names = [*LABELS, *(VERDICT + reader for reader in readers_of(table.schema))]
    again = table.select(names).take(rows)
    owners = np.repeat(np.arange(len(known), dtype=np.int32), [len(entry.ids) for entry in known])
    preset = np.concatenate([entry.preset for entry in known]).astype(np.int8)
    again = _set(again, "writer", owners, [entry.writer for entry in known])
    again = _set(again, "preset", preset, [entry.name for entry in PRESETS])
    return sorted(reached(counted(again), readers_of(table.schema)))


def _set(table: pa.Table, name: str, codes: npt.NDArray[np.generic], labels: list[str]) -> pa.Table:
    column = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(labels, pa.string()))
    return table.set_column(table.schema.get_field_index(name), name, column)


def reached(seen: Counts, readers: tuple[str, ...]) -> set[Reached]:
    """Return of counted rows which writers were looked at under which presets, and what failed."""
    out: set[Reached] = set()
    for labels in seen:
        stratum, writer, edition, preset = (labels[at] for at in _AT.values())
        out.add((stratum, writer, edition, preset, "", ""))
        for reader, verdict in zip(readers, labels[len(LABELS) :], strict=True):
            if VERDICTS[verdict]:
                out.add((stratum, writer, edition, preset, reader, verdict))
    return out
