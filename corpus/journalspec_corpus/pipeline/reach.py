"""Which writers and presets reach a state, although each state is kept only once.

A state that two orders of writes leave is one state, kept for the first of
them. What it says is true of both: a failure counts against every writer that
can leave it, under the strongest preset that does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.expected import Expected
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline.counting import LABELS, VERDICT, Counts, counted, readers_of

#: (stratum, writer, edition, preset, reader, verdict); the last two are empty for "was looked at".
Reached = tuple[str, str, str, str, str, str]
Column = npt.NDArray[np.uint8]
_FAILING = np.asarray([bool(broken) for broken in VERDICTS.values()])
_AT = {name: LABELS.index(name) for name in ("stratum", "writer", "edition", "preset")}


@dataclass(frozen=True, slots=True)
class Repeats:
    """States that a writer reaches and that were there already, and what is owed in them here."""

    writer: str
    ids: list[bytes]
    states: States
    expected: Expected


def repeated(
    table: pa.Table,
    owners: Sequence[Expected],
    repeats: Sequence[Repeats],
    verdicts: Callable[[States, Expected], list[Column]],
) -> list[Reached]:
    """Return what the repeated states of a shard say, whose own rows are in `table`; sorted.

    What is owed in a state may differ between the traces that reach it: a record of
    an earlier life here is one that was just issued there. So a state in which
    somebody failed is judged again for who repeats it, and so is one in which
    more must not come back here than where it was judged (`owners`, one per row).
    """
    if not repeats:
        return []
    readers = readers_of(table.schema)
    place = {name: row for row, name in enumerate(table["case_id"].to_pylist())}
    rows = [np.asarray([place[name] for name in entry.ids], np.int64) for entry in repeats]
    known = [_codes(table[VERDICT + reader]) for reader in readers]
    failed = np.any([_FAILING[codes] for codes in known], axis=0)
    columns = [codes[np.concatenate(rows)] for codes in known]
    at = 0
    for entry, own in zip(repeats, rows, strict=True):
        wanted = np.flatnonzero(
            failed[own] | _owes_more(entry.expected, [owners[row] for row in own.tolist()])
        )
        if len(wanted):
            for column, given in zip(
                columns, verdicts(entry.states.take(wanted), entry.expected), strict=True
            ):
                column[at + wanted] = given
        at += len(own)
    again = table.select([*LABELS, *(VERDICT + reader for reader in readers)])
    again = again.take(pa.array(np.concatenate(rows)))
    writers = np.repeat(np.arange(len(repeats), dtype=np.int32), [len(own) for own in rows])
    preset = np.concatenate([entry.states.preset for entry in repeats]).astype(np.int8)
    again = _set(again, "writer", writers, [entry.writer for entry in repeats])
    again = _set(again, "preset", preset, [entry.name for entry in PRESETS])
    for reader, column in zip(readers, columns, strict=True):
        again = _set(again, VERDICT + reader, column.astype(np.int8), list(VERDICTS))
    return sorted(reached(counted(again), readers))


def _codes(column: pa.ChunkedArray) -> Column:
    """Return a column of verdicts as indices into their names."""
    found = pc.index_in(pc.cast(column, pa.string()), pa.array(list(VERDICTS)))
    return np.asarray(found.to_numpy(), np.uint8)


def _owes_more(expected: Expected, owners: Sequence[Expected]) -> npt.NDArray[np.bool_]:
    """Tell for each owner whether `expected` forbids a record that it does not."""
    forbidden = _forbidden(expected)
    if not forbidden:
        return np.zeros(len(owners), bool)
    return np.asarray(
        [owner is not expected and not forbidden <= _forbidden(owner) for owner in owners], bool
    )


def _forbidden(expected: Expected) -> set[str]:
    return {key for key, record in expected.record_of.items() if record in expected.must_drop}


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
