"""The columns of a batch as Arrow arrays, without a Python object per value.

A format provides the values of a column in one of three forms. Numbers are an array, masked if some records
have no number. Texts and bytes are (starts, sizes) in the bytes of the batch; size -1 means absent. Repeated
values are (indexes, distinct values); index -1 means absent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from journalspec.files import shown
from journalspec.formats import get_format

#: Bytes that are shown as text: printable ASCII.
FIRST, LAST = 0x20, 0x7E

Ints = npt.NDArray[np.int64]


def columns_of(format_id: str) -> Mapping[str, str]:
    """Return the typed columns of a format and their Arrow types; raises UnknownFormat."""
    name = get_format(format_id).id
    known: Mapping[str, str] = import_module(f"journalspec_reference.{name}.columns").COLUMNS
    return known


def type_of(name: str) -> pa.DataType:
    """Return the Arrow type for a name in a format's table, such as ``int64`` or ``list<string>``."""
    inner = name.removeprefix("list<")
    return pa.list_(type_of(inner.removesuffix(">"))) if inner != name else pa.type_for_alias(name)


def array(column: Any, kind: pa.DataType, data: bytes) -> pa.Array:
    """Return a column of a batch whose bytes are `data`, as an array of type `kind`.

    Control characters, and bytes that are not UTF-8, are escaped in texts.
    """
    if isinstance(column, np.ma.MaskedArray):
        return _masked(np.ma.getdata(column), np.ma.getmaskarray(column), kind)
    if isinstance(column, np.ndarray):
        return pa.array(column).cast(kind)
    first, second = column
    if not isinstance(second, np.ndarray):
        return _named(first, second, kind)
    return _slices(first, second, data, kind)


def _masked(values: npt.NDArray[Any], mask: npt.NDArray[np.bool_], kind: pa.DataType) -> pa.Array:
    stored = values.dtype
    if stored.kind not in "iu" or not stored.isnative or pa.from_numpy_dtype(stored) != kind:
        return pa.array(values, mask=mask).cast(kind)
    # This is faster, because it copies no values.
    bits = pa.py_buffer(np.packbits(~mask, bitorder="little"))
    return pa.Array.from_buffers(kind, len(values), [bits, pa.py_buffer(np.ascontiguousarray(values))])


def _named(numbers: Ints, values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    texts = [_shown(value) for value in values]
    none = numbers < 0
    chosen = pa.array(np.where(none, 0, numbers), mask=none)
    return pa.array(texts, kind).take(chosen) if texts else pa.nulls(len(numbers), kind)


def _slices(starts: Ints, sizes: Ints, data: bytes, kind: pa.DataType) -> pa.Array:
    """Return the slices of `data`. If slices overlap or are not in order, they are copied one by one, which
    is slower.
    """
    none = sizes < 0
    ends = np.where(none, 0, starts + sizes)
    # The values and the bytes between them alternate in one array over `data`. `take` copies the values.
    bounds = np.empty(2 * len(starts) + 1, np.int32)
    bounds[0:-1:2], bounds[1::2], bounds[-1] = np.where(none, 0, starts), ends, len(data)
    bounds = np.maximum.accumulate(bounds)
    if not np.array_equal(bounds[1::2][~none] - bounds[0:-1:2][~none], sizes[~none]):
        cut = [None if gone else data[at:end] for gone, at, end in zip(none, starts, ends, strict=True)]
        return _text(pa.array(cut, pa.binary()), kind)
    both = pa.Array.from_buffers(
        pa.binary(), len(bounds) - 1, [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    )
    chosen = pa.array(np.arange(0, len(bounds) - 1, 2), mask=none)
    return _text(both.take(chosen), kind)


def _text(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return bytes unchanged, or as text."""
    if pa.types.is_binary(kind):
        return values
    used = np.frombuffer(values.buffers()[2] or b"", np.uint8)
    if len(used) == 0 or (used.min() >= FIRST and used.max() <= LAST):
        return values.cast(kind)
    return pa.array(
        [
            None if value is None else shown(value.decode("utf-8", "surrogateescape"))
            for value in values.to_pylist()
        ],
        kind,
    )


def _shown(value: Any) -> Any:
    """Return a value with all its texts escaped."""
    if isinstance(value, str):
        return shown(value)
    return [_shown(each) for each in value] if isinstance(value, (list, tuple)) else value
