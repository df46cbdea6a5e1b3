"""Reads the fields of all records of a batch at once, as NumPy arrays.

No other module of this format needs NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_reference.batches import Batch
from journalspec_reference.jboss_journal.codec import CHECK_SIZE, DIALECTS, PAIR, SHOWN, Dialect

Integers = npt.NDArray[np.int64]


def _columns() -> dict[str, str]:
    found = {"type": "string", "file_id": "int64"}
    for dialect in DIALECTS.values():
        for kind in dialect.kinds.values():
            for number, field in SHOWN.items():
                if number in kind.numbers:
                    # Spark and Java have no unsigned numbers, but the next larger type can represent all
                    # values.
                    stored = np.promote_types(kind.numbers[number], np.int8)
                    found[field] = stored.name if field == number else "binary"
    return found


#: Maps a field to the name of its Arrow type. `pairs` contains stored bytes. Each pair consists of a file id
#: and a count, which take 4 bytes each.
COLUMNS = _columns()


def columns(batch: Batch, dialect: Dialect, file_id: int | None = None) -> dict[str, Any]:
    """Return each field of a batch as a column with one value per record.

    A numeric column is an array, masked if some records lack the field. A bytes column is (starts, sizes) in
    ``batch.data``; size -1 means that the record lacks the field. The type column is (index per record,
    names). `file_id` is the id in the file's header; if it is None, the id in each record is used.
    """
    off, code = np.frombuffer(batch.off, np.int64), np.frombuffer(batch.code, np.uint8)
    names = [*dialect.codes]
    index = _by_type(dict(zip(dialect.codes.values(), range(len(names)), strict=True)))
    out: dict[str, Any] = {"type": (index[code], names)}
    out["file_id"] = (
        _stored(batch.data, off + 1, ">i4" if not dialect.versions else ">u4").astype(np.int64)
        if file_id is None
        else np.full(len(off), file_id, np.int64)
    )
    behind = off + _by_type({kind.code: kind.least - CHECK_SIZE for kind in dialect.kinds.values()})[code]
    for number, field in sorted(SHOWN.items(), key=lambda item: item[1] == "pairs"):
        letter = next((kind.numbers[number] for kind in dialect.kinds.values() if number in kind.numbers), "")
        if not letter:
            continue
        place = _by_type({item.code: item.places.get(number, 0) for item in dialect.kinds.values()})[code]
        there = place > 0
        values = np.zeros(len(off), letter)
        values[there] = _stored(batch.data, (off + place)[there], f">{letter}")
        if field == number:
            out[field] = values if there.all() else np.ma.masked_array(values, ~there)
        else:
            sizes = values.astype(np.int64) * (PAIR.size if field == "pairs" else 1)
            out[field] = behind, np.where(there, sizes, -1)
            # No record type has both a body and extra data. The pairs are at the end of the record.
            behind = behind + sizes
    return out


def _by_type(values: dict[int, int]) -> Integers:
    """Return a table from record type to value. The value is 0 for types without a value."""
    table = np.zeros(256, np.int64)
    table[[*values]] = [*values.values()]
    return table


def _stored(data: bytes, places: Integers, form: str) -> npt.NDArray[Any]:
    """Return the numbers stored at these offsets."""
    dtype = np.dtype(form)
    # A view (not a copy) with a number at every offset.
    view: npt.NDArray[Any] = np.ndarray((max(0, len(data) - dtype.itemsize + 1),), dtype, data, 0, (1,))
    return view[places]
