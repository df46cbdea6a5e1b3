"""Typed columns of a batch of the log, for NumPy, Arrow and Spark. All values of a field are read at once.

This module needs NumPy. The format's table defines the offset and type of each field.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from journalspec.swiftmq_store import LAYOUT
from journalspec_reference.batches import Batch
from journalspec_reference.swiftmq_store.scan import LEADS, START

_EDITION = "13"
_STORED = {"s4": ("int32", ">i4"), "s8": ("int64", ">i8")}
#: The first fields of a COMMIT or an ABORT, in a tagged and in an untagged log.
_HEADS = {True: LAYOUT.structure("record", _EDITION), False: LAYOUT.structure("untagged_record", _EDITION)}
#: The types of records, in the order of their numbers.
_TYPES = list(LAYOUT.types(_EDITION))
#: Maps a column to its Arrow type, with the names of the specification. `actions` contains the stored bytes
#: of all actions.
COLUMNS: dict[str, str] = {
    "type": "string",
    **{
        field.name: _STORED[field.type][0] for field in _HEADS[True].fields if field.name != LAYOUT.type_field
    },
    "actions": "binary",
}


def columns(batch: Batch) -> dict[str, Any]:
    """Return a map from each of :data:`COLUMNS` to its values, one per record.

    Numbers are an array, masked where a record lacks the field. Bytes are (starts, sizes) in the data of the
    batch; size -1 means no value. The type is (codes, values): `values` are the distinct types, and `codes`
    has the index of each record's type in them.
    """
    off, end = np.frombuffer(batch.off, np.int64), np.frombuffer(batch.end, np.int64)
    code, lead = np.frombuffer(bytes(batch.code), np.uint8), batch.more["lead"]
    begins = code == START
    head, none = _HEADS[lead == LEADS[True]], np.ones(len(off), np.bool_)
    out: dict[str, Any] = {"type": (code.astype(np.int32) - START, _TYPES)}
    for name, kind in COLUMNS.items():
        if kind == "binary":
            out[name] = off + lead, np.where(begins, -1, end - off - lead)
        elif name not in head.names and kind != "string":
            out[name] = np.ma.masked_array(np.zeros(len(off), kind), none)
        elif kind != "string":
            stored = np.dtype(_STORED[head.fields[head.names.index(name)].type][1])
            # The view contains a number for every byte offset of the data. The offsets of the records select
            # the right numbers.
            every = np.ndarray((max(0, len(batch.data) - stored.itemsize + 1),), stored, batch.data, 0, (1,))
            values = every[off + head.off(name)].astype(kind)
            # A START record contains a generation, but no transaction and no actions.
            absent = begins & (name not in LAYOUT.structure("start", _EDITION).names)
            out[name] = np.ma.masked_array(values, absent) if absent.any() else values
    return out
