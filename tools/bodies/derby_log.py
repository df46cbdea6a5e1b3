"""Bodies of Derby: pages, rows and the values of columns."""

from __future__ import annotations

import struct
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from bodies import DATA, SHARED, Decoder, Fields
from journalspec_reference.derby_log.codec import BadLog
from journalspec_reference.derby_log.containers import (
    Fault,
    Heap,
    descriptor,
    main_page,
    said_container,
    tally,
)
from journalspec_reference.derby_log.contents.values import TYPES, described
from journalspec_reference.derby_log.heap import image, number, page_of

ROWS_PAGE, ALLOCATION_PAGE = b"\0\x75", b"\0\x76"
#: Type of a value in the table -> the id of its SQL type.
KINDS = {
    "characters": 17,
    "clob": 446,
    "decimal": 198,
    "binary": 28,
    "day": 32,
    "time_of_day": 33,
    "timestamp": 34,
    "whole": 19,
    "bigint": 23,
    "smallint": 22,
    "tinyint": 196,
    "real": 20,
    "double_precision": 18,
    "truth": 16,
    "xml": 457,
    "java_object": 264,
}
#: The exceptions that a decoder of values may raise.
ERRORS = (ValueError, IndexError, struct.error, BadLog, Fault)
#: At most this many pages of a database, and this many rows of a page, are used.
MOST_PAGES, MOST_ROWS = 60, 20


def stored() -> Iterator[tuple[str, str, str, bytes]]:
    """Yield pages of real databases, and their rows."""
    archives = [DATA / "derby_contents.tar.gz", *sorted((SHARED / "derby_log").glob("[!e]*/db.tar.gz"))]
    for archive in archives:
        with tempfile.TemporaryDirectory() as scratch, tarfile.open(archive) as packed:
            packed.extractall(scratch, filter="data")
            paths = sorted(Path(scratch).rglob("seg0/c*.dat"))
            yield from chain.from_iterable(map(_of_container, paths[:MOST_PAGES]))


def _of_container(path: Path) -> Iterator[tuple[str, str, str, bytes]]:
    heap = Heap(int(path.stem[1:], 16), path.name, path.read_bytes(), None)
    for at in heap.numbers[:2]:
        data = heap.page(at)
        if data[:2] == ALLOCATION_PAGE:
            yield "page", "allocation_page", "", data
        if data[:2] != ROWS_PAGE:
            continue
        yield "page", "page", "", data
        count = int.from_bytes(data[14:16], "big")
        for slot in range(min(count, MOST_ROWS)):
            place = len(data) - 8 - 6 * (slot + 1)
            off, length, _ = struct.unpack_from(">HHH", data, place)
            yield "row", "row", "", data[off : off + length]


def _refusing(read: Callable[[bytes], Any]) -> Decoder:
    """Return a decoder for data that is decoded completely or refused."""

    def decoded(data: bytes, _: str) -> tuple[Fields, str]:
        try:
            found = read(data)
        except ERRORS as error:
            return {}, str(error) or type(error).__name__
        return found if isinstance(found, dict) else {"value": found}, ""

    return decoded


def _page(data: bytes) -> dict[str, Any]:
    # A page has at least its header, so a container with smaller pages is refused.
    data = data.ljust(64, b"\0")
    main_page(data)
    tally(data, 1)
    page = page_of(data)
    first = next(iter(page.rows.values()), None)
    if first is not None:
        descriptor(first)
        said_container(first)
    head = {"version": page.version, "next": page.next, "overflow": page.overflow, "valid": page.valid}
    return head | {f"row {ident}": row for ident, row in page.rows.items()}


def _container(data: bytes) -> dict[str, Any]:
    heap = Heap(1, "c1.dat", data)
    return {
        "size": heap.size,
        "count": heap.count,
        "removed": heap.removed,
        "faults": [str(fault) for fault in heap.check()],
    }


def _row(data: bytes) -> dict[Any, Any]:
    ident, row, end = image(data)
    head = {"id": ident, "first": row.first, "rest": row.rest, "deleted": row.deleted, "end": end}
    return head | dict(enumerate(row.values))


def _pointer(data: bytes) -> dict[str, Any]:
    page, at = number(data, 0, wide=True)
    return {"page": page, "record_id": number(data, at, wide=False)[0]}


DECODERS: Mapping[tuple[str, str], Decoder] = {
    ("page", "page"): _refusing(_page),
    ("page", "allocation_page"): _refusing(_container),
    ("row", "row"): _refusing(_row),
    ("row", "pointer"): _refusing(_pointer),
    ("sql", "heap_descriptor"): _refusing(lambda data: descriptor(image(_as_row(data))[1])),
    ("sql", "type_descriptor"): _refusing(described),
    **{("sql", root): _refusing(TYPES[kind].decode) for root, kind in KINDS.items()},
}


def _as_row(field: bytes) -> bytes:
    """Return a row of one field."""
    size = min(len(field), 0x3FFF)
    return b"\0\6\1\0" + (0x4000 | size).to_bytes(2, "big") + field[:size]
