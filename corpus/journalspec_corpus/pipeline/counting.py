"""Counting labels: how many rows of a table have which combination of them."""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

#: The columns that are counted, before the verdicts; `acknowledged` as whether there is any.
LABELS = (
    "stratum",
    "writer",
    "edition",
    "category",
    "background",
    "field",
    "acknowledged",
    "preset",
    "refusal",
)
VERDICT = "verdict_"
#: combination of labels (LABELS, then one verdict per reader) -> rows
Counts: TypeAlias = Counter[tuple[Any, ...]]
Codes = npt.NDArray[np.int64]
_ROOM = 1 << 62


def readers_of(schema: pa.Schema) -> tuple[str, ...]:
    """Return the names of the readers that a table has verdicts of."""
    return tuple(name.removeprefix(VERDICT) for name in schema.names if name.startswith(VERDICT))


def counted(table: pa.Table) -> Counts:
    """Return how often each combination of labels occurs in `table`."""
    names = [*LABELS, *(VERDICT + reader for reader in readers_of(table.schema))]
    columns = [_codes(table[name]) for name in names]
    key = np.zeros(table.num_rows, np.int64)
    room = 1
    for codes, labels in columns:
        room *= max(1, len(labels))
        if room > _ROOM:
            # Number the combinations that occur, which are no more than the rows.
            _, key = np.unique(key, return_inverse=True)
            room = max(1, len(key)) * max(1, len(labels))
        key = key * max(1, len(labels)) + codes
    _, first, count = np.unique(key, return_index=True, return_counts=True)
    texts = [[labels[code] for code in codes[first].tolist()] for codes, labels in columns]
    # Two codes may stand for one text.
    out: Counts = Counter()
    for combination, rows in zip(zip(*texts, strict=True), count.tolist(), strict=True):
        out[combination] += rows
    return out


def _codes(column: pa.ChunkedArray) -> tuple[Codes, list[Any]]:
    """Return one small number per row, and what each number stands for."""
    if pa.types.is_dictionary(column.type):
        whole = column.unify_dictionaries().combine_chunks()
        whole = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
        return whole.indices.to_numpy(zero_copy_only=False).astype(np.int64), whole.dictionary.to_pylist()
    return (column.to_numpy() > 0).astype(np.int64), [False, True]
