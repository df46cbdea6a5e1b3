"""The fields of all records of a batch at once, as NumPy arrays; and what a replay does with many records.

NumPy is imported here alone, and this module only where there is much to do.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from journalspec_reference.batches import Batch
from journalspec_reference.jboss_journal.codec import (
    ADD,
    ADD_TX,
    CHECK_SIZE,
    DIALECTS,
    PAIR,
    SHOWN,
    UPDATE,
    Dialect,
)

#: So many ids are looked up at a time, in 256 bytes of memory each.
PART = 1 << 14
Integers = npt.NDArray[np.int64]


def _columns() -> dict[str, str]:
    found = {"type": "string", "file_id": "int64"}
    for dialect in DIALECTS.values():
        for kind in dialect.kinds.values():
            for number, field in SHOWN.items():
                if number in kind.numbers:
                    # Spark and Java have no unsigned numbers: the next larger type has them all.
                    stored = np.promote_types(kind.numbers[number], np.int8)
                    found[field] = stored.name if field == number else "binary"
    return found


#: Field -> the name of its Arrow type. `pairs` are the stored bytes: file id and count, 4 bytes each.
COLUMNS = _columns()


def columns(batch: Batch, dialect: Dialect, file_id: int | None = None) -> dict[str, Any]:
    """Return the fields of the records of a batch, one value of each for every record.

    A number is an array, a masked one if there are records without it. Bytes are where they begin in
    ``batch.data``, and how many they are (-1: the record has none). The type is an index of each record, and
    the names. `file_id` is that of the file's header; None: what each record bears itself.
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
            # No type has two sizes of bytes, and pairs come after them.
            behind = behind + sizes
    return out


def _by_type(values: dict[int, int]) -> Integers:
    """Return a table of what there is for each type of record, 0 for the others."""
    table = np.zeros(256, np.int64)
    table[[*values]] = [*values.values()]
    return table


def _stored(data: bytes, places: Integers, form: str) -> npt.NDArray[Any]:
    """Return the numbers that stand at these places."""
    dtype = np.dtype(form)
    # Every offset as the start of a number: a view, not a copy.
    view: npt.NDArray[Any] = np.ndarray((max(0, len(data) - dtype.itemsize + 1),), dtype, data, 0, (1,))
    return view[places]


class PlainRows(NamedTuple):
    """What the records of a batch do that need not be looked at one by one.

    `changes` and `deletes` are ids and places, one after the other. `added` are the ids of all records that
    are added, in transactions as well. `others` are offset and type of the records of transactions.
    """

    changes: array[int]
    deletes: array[int]
    added: Integers
    others: Iterable[tuple[int, int]]


def plain(batch: Batch, dialect: Dialect, here: int) -> PlainRows:
    """Sort the records of a batch by what they do; `here` is the place of its first byte."""
    off, code = np.frombuffer(batch.off, np.int64), np.frombuffer(batch.code, np.uint8)
    where = off + _by_type(dialect.id_at)[code]

    def of(rows: npt.NDArray[np.bool_]) -> array[int]:
        out = np.empty((int(rows.sum()), 2), np.int64)
        out[:, 0] = _stored(batch.data, where[rows], ">q")
        out[:, 1] = (off[rows] + here) << 1 | (code[rows] == UPDATE)
        return array("q", out.tobytes())

    others = _by_type(dict.fromkeys(dialect.tx_at, 1))[code] > 0
    return PlainRows(
        of((code == ADD) | (code == UPDATE)),
        of(code == dialect.codes["DELETE"]),
        _stored(batch.data, where[(code == ADD) | (code == ADD_TX)], ">q").astype(np.int64),
        zip(off[others].tolist(), code[others].tolist(), strict=True),
    )


def _blocks(ids: Integers) -> Iterator[tuple[slice, list[int], Integers, Integers]]:
    """Yield ids in parts: which ones, their blocks of 256, of each id the index of its block and its bit."""
    for at in range(0, len(ids), PART):
        part = slice(at, at + PART)
        numbers, index = np.unique(ids[part] >> 8, return_inverse=True)
        yield part, numbers.tolist(), index, ids[part] & 0xFF


def put(ids: Integers | array[int], masks: dict[int, int]) -> None:
    """Put ids into a set of ids, which consists of these masks."""
    for _, numbers, index, low in _blocks(np.asarray(ids)):
        bits = np.zeros((len(numbers), 256), np.bool_)
        bits[index, low] = True
        for number, row in zip(numbers, np.packbits(bits, axis=1, bitorder="little"), strict=True):
            masks[number] = masks.get(number, 0) | int.from_bytes(row.tobytes(), "little")


def held(ids: Integers, masks: dict[int, int]) -> npt.NDArray[np.bool_]:
    """Tell which of the ids are in a set of ids."""
    out = np.empty(len(ids), np.bool_)
    for part, numbers, index, low in _blocks(ids):
        rows = b"".join(masks.get(number, 0).to_bytes(32, "little") for number in numbers)
        bits = np.unpackbits(np.frombuffer(rows, np.uint8), bitorder="little").reshape(-1, 256)
        out[part] = bits[index, low]
    return out


def without(references: array[int], masks: dict[int, int]) -> array[int]:
    """Return those of ids and places whose id is in no set of ids."""
    rows = np.frombuffer(references, np.int64).reshape(-1, 2)
    return array("q", rows[~held(rows[:, 0], masks)].tobytes())


def merged(early: array[int], late: array[int], ends: list[tuple[int, int]]) -> array[int]:
    """Return ids and places in the order in which they take effect: those of `early` where they are.

    Those of `late` do so at the places of COMMITs; `ends` tells of each how long `late` is behind it.
    """
    if not late:
        return early
    commits = np.array(ends, np.int64)
    places = np.repeat(commits[:, 0], np.diff(commits[:, 1], prepend=0) // 2)
    rows = np.frombuffer(early.tobytes() + late.tobytes(), np.int64).reshape(-1, 2)
    order = np.argsort(np.concatenate((rows[: len(rows) - len(places), 1], places)), kind="stable")
    return array("q", rows[order].tobytes())


def unadded(references: array[int]) -> array[int]:
    """Return the UPDATEs among ids and places whose record is not added by one of the others."""
    rows = np.frombuffer(references, np.int64).reshape(-1, 2)
    update = rows[:, 1] & 1 > 0
    updates = rows[update]
    return array("q", updates[~np.isin(updates[:, 0], rows[~update, 0])].tobytes())
