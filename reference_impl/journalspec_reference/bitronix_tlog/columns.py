"""Typed columns of a batch, for NumPy, Arrow and Spark: all values of a field, without an object per record.

This module needs NumPy. The format's table defines the offset and the type of each field.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from journalspec.bitronix_tlog import LAYOUT
from journalspec_reference.batches import Batch
from journalspec_reference.bitronix_tlog.codec import name_text
from journalspec_reference.bitronix_tlog.nio import latin_text
from journalspec_reference.bitronix_tlog.scan import TYPES

#: Maps a field to its Arrow type, for all editions. Unsigned numbers have the next larger signed type.
COLUMNS: dict[str, str] = {
    "type": "string",
    "delimiter": "binary",
    "status": "int32",
    "record_length": "int32",
    "header_length": "int32",
    "time": "int64",
    "sequence_number": "int64",
    "rolled_over": "bool",
    "crc32": "int64",
    "gtrid": "binary",
    "names": "list<string>",
    "names_raw": "list<binary>",
    "extension": "binary",
}


def columns(batch: Batch, edition: str) -> dict[str, Any]:
    """Return a map from each field of :data:`COLUMNS` that the edition has to its values, one per record.

    Numbers and truth values are arrays. Bytes are (starts, sizes) in the data of the batch. Repeated values
    are (codes, values): `values` are the distinct values, and `codes` has the index of each record's value in
    them, or -1 for no value.
    """
    off, names = np.frombuffer(batch.off, np.int64), batch.more["names"]
    of = np.zeros(256, np.int64)
    of[list(TYPES)] = range(len(TYPES))
    out: dict[str, Any] = {"type": (of[np.frombuffer(batch.code, np.uint8)], list(TYPES.values()))}
    at = 0
    for field in LAYOUT.structure("record", edition).fields:
        if field.name == "gtrid_length":
            moved = batch.more.get("moved", {})
            shift = np.array([moved.get(here, 0) for here in batch.off], np.int64) if moved else 0 * off
            if edition == "seed":
                out["extension"] = off + at, np.where(shift > 0, shift, -1)
            starts = off + at + shift
            out["gtrid"] = starts + 1, _numbers(batch.data, starts, field.letter).astype(np.int64)
        elif field.name in COLUMNS and field.is_int:
            values, kind = _numbers(batch.data, off + at, field.letter), COLUMNS[field.name]
            out[field.name] = values == 1 if kind == "bool" else values.astype(kind)
        elif field.name in COLUMNS and field.width:
            out[field.name] = off + at, np.full(len(off), field.width, np.int64)
        elif not field.width and not field.optional:
            break  # The fields after this field have no fixed offset.
        at += field.width
    text = latin_text if edition == "nio" else name_text
    out["names"] = _distinct(names, lambda each: [*map(text, each.stored)])
    if edition != "nio":
        out["names_raw"] = _distinct(
            names, lambda each: list(each.stored) if "name-not-recoverable" in each.notes else None
        )
    return out


def _numbers(data: bytes, at: Any, letter: str) -> Any:
    """Return the numbers at the offsets `at`. `letter` is their type code in :mod:`struct`."""
    kind = np.dtype(f">{letter}")
    # The view has a number at every byte of the data. The numbers of the records are selected from it.
    return np.ndarray((max(0, len(data) - kind.itemsize + 1),), kind, data, 0, (1,))[at]


def _distinct(names: list[Any], value: Callable[[Any], list[Any] | None]) -> tuple[Any, list[list[Any]]]:
    """Return the index of each record's value among the distinct values, and the distinct values."""
    # Records that store the same names share one object, so `value` is called once for each list of names.
    codes: dict[int, int] = {}
    values: list[list[Any]] = []
    for each in names:
        if id(each) not in codes:
            found = value(each)
            codes[id(each)] = -1 if found is None else len(values)
            values += [] if found is None else [found]
    return np.array([codes[id(each)] for each in names], np.int32), values
