"""The naive reader's pages: rows on pages, which the records of a log change one after another.

Written from the specification, as :mod:`journalspec_corpus.derby_log.naive` is; simple rather than fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from journalspec import mutf8
from journalspec.derby_log.operations import tables
from journalspec_corpus.naive import Invalid, Taker

#: A page is given by container and number, a position by container, number and record id.
Page = tuple[int, int]
Place = tuple[int, int, int]
Told = dict[str, str]
#: The types of records that contain data for each of several rows.
BY_ROW = ("PURGE", "COPY_ROWS")
MOST_PARTS = 64
#: The status of an internal transaction; the value that stands for the XA id of a transaction without an XA
#: id.
INTERNAL, NO_ID = 16, {"gtrid": b"", "bqual": b"", "format_id": 0}


@dataclass(frozen=True)
class PageRow:
    """Represents a row or a part of one: it has `count` columns from number `first` on."""

    deleted: bool
    first: int
    count: int
    rest: tuple[int, int] | None
    #: Maps the number of a column to its value, which is None for SQL's NULL. Columns that are stored
    #: elsewhere, or that are not changed, are absent.
    columns: Mapping[int, bytes | None]


def unsigned(instant: int) -> int:
    """Return an instant in the form that is used for comparisons: unsigned, without the ignored bit."""
    return instant & 0xFFFFFFFF_7FFFFFFF


def parts_of(instant: int) -> tuple[int, int]:
    """Return the file number and the offset of an instant."""
    return (instant >> 32) & 0xFFFFFFFF, instant & 0x7FFFFFFF


def signed(data: bytes | bytearray, at: int, size: int) -> int:
    """Return the integer of `size` bytes at an offset."""
    return int.from_bytes(data[at : at + size], "big", signed=True)


def compressed(taker: Taker, sizes: tuple[int, int, int]) -> int:
    """Take a compressed number; its first two bits choose one of the given sizes (DRB-ENC-002)."""
    first = taker.take(1)[0]
    size = sizes[min(first >> 6, 2)]
    bits = 1 if first >= 0x80 else 2
    return int.from_bytes(bytes([first]) + taker.take(size - 1), "big") & (1 << 8 * size - bits) - 1


def row_in(taker: Taker) -> tuple[int, PageRow]:
    """Take a row in the form that it has on its page; return its record id and the row. Raises Invalid."""
    status, ident = taker.take(1)[0], _int(taker)
    rest = (compressed(taker, (2, 4, 8)), _int(taker)) if status & 2 else None
    first = _int(taker) if status & 4 else 0
    # A row that consists only of the position of its next part may end here.
    ends = rest is not None and not status & 4 and taker.at == len(taker.data)
    count, columns = 0 if ends else _int(taker), {}
    for number in range(first, first + count):
        there, value = column_in(taker)
        if there:
            columns[number] = value
    return ident, PageRow(bool(status & 1), first, count, rest, columns)


def _text(data: bytes) -> str:
    """Return the text of a VARCHAR (DRB-CNT-110), even if its bytes are incomplete."""
    size = int.from_bytes(data[:2], "big")
    return mutf8.readable(data[2:][:size] if size else data[2:].partition(b"\xe0\0\0")[0])


def column_in(taker: Taker) -> tuple[bool, bytes | None]:
    """Take a column; return whether it is stored here, and its value, None for SQL's NULL."""
    how = taker.take(1)[0]
    if how & 1:
        return not how & 4, None
    return True, taker.take(taker.number(2, signed=False) if how & 0x20 else _int(taker))


def _int(taker: Taker) -> int:
    return compressed(taker, (1, 2, 4))


@dataclass
class PageRows:
    """The rows of the tables of an edition; `beside` are the containers next to the log, as bytes."""

    edition: str
    beside: Mapping[int, bytes]
    pages: dict[Page, dict[int, PageRow]] = field(default_factory=dict)
    #: Maps a container to its highest page after the log has cut it off.
    highest: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tables = tables(self.edition)
        for container in self.tables.keys() & self.beside.keys():
            data = self.beside[container]
            size = int.from_bytes(data[117:121], "big", signed=True)
            for number in range(len(data) // size if 1024 <= size <= 65535 else 0):
                page = data[number * size : (number + 1) * size]
                rows = _stored(page) if number and page[:2] != b"\0\x76" else {}
                if rows is not None:
                    self.pages[container, number] = rows

    def do(self, record: Mapping[str, Any], *, by: Mapping[str, Any] | None = None) -> None:
        """Redo a record, or undo it on the page and row that the record `by` gives. Raises Invalid."""
        by, undo, kind = by or record, by is not None, record["type"]
        ident = by.get("record_id", record.get("record_id", 0))
        if by["container"] not in self.tables:
            return
        page = self.pages.setdefault((by["container"], by["page"]), {})
        data = record.get("data", b"")
        taker = Taker(bytes.fromhex(data) if isinstance(data, str) else data)
        if kind == "INSERT" and not undo:
            page[ident] = row_in(taker)[1]
        elif kind == "INSERT" and record["insert_flags"] & 2:
            page.pop(ident, None)
        elif kind in ("INSERT", "DELETE") and ident in page:
            page[ident] = replace(page[ident], deleted=kind == "INSERT" or bool(record["deleted"]) != undo)
        elif kind == "UPDATE":
            rows = [row_in(taker)[1] for _ in range(1 + undo)]
            page[ident] = self._over(page.get(ident), rows[-1])
        elif kind == "UPDATE_FIELD":
            columns = [column_in(taker) for _ in range(1 + undo)]
            self._set(page, ident, record["column"], *columns[-1])
        elif kind in BY_ROW and undo == (kind == "PURGE"):
            for entry in record["rows"]:
                stored, row = row_in(taker)
                page[stored if undo else entry["record_id"]] = row
        elif kind in BY_ROW:
            for entry in record["rows"]:
                page.pop(entry["record_id"], None)
        elif kind == "INIT_PAGE" or (kind == "INVALIDATE_PAGE" and not undo):
            page.clear()

    @staticmethod
    def _over(old: PageRow | None, new: PageRow) -> PageRow:
        """Return a replaced row: columns that are not changed stay as they were."""
        kept = {} if old is None else old.columns
        numbers = range(new.first, new.first + new.count)
        columns = {at: {**kept, **new.columns}[at] for at in numbers if at in kept or at in new.columns}
        return replace(new, columns=columns)

    @staticmethod
    def _set(page: dict[int, PageRow], ident: int, column: int, there: bool, value: bytes | None) -> None:
        row = page.get(ident)
        if row is not None and row.first <= column < row.first + row.count:
            others = {at: had for at, had in row.columns.items() if at != column}
            page[ident] = replace(row, columns={**others, **({column: value} if there else {})})

    def cut(self, container: int, highest: int) -> None:
        """Cut a container off after its highest page."""
        self.highest[container] = min(highest, self.highest.get(container, highest))
        for page in [page for page in self.pages if page[0] == container and page[1] > highest]:
            del self.pages[page]

    def gone(self, page: Page) -> bool:
        """Return whether a page next to the log must be ignored: it was cut off, or has no valid rows."""
        cut = page[1] > self.highest.get(page[0], page[1])
        return cut or (page[0] in self.tables and page not in self.pages)

    def parts(self, place: Place) -> list[Place]:
        """Return the places of the parts of the row at `place`, at most one part more than a row may have."""
        out = [place]
        while len(out) <= MOST_PARTS and (row := self._at(out[-1])) is not None and row.rest is not None:
            out.append((place[0], *row.rest))
        return out

    def _at(self, place: Place) -> PageRow | None:
        return self.pages.get(place[:2], {}).get(place[2])

    def starts(self) -> list[Place]:
        """Return the positions where rows begin, sorted, without the later parts of other rows."""
        places = [(*page, ident) for page, rows in self.pages.items() for ident in rows]
        rests = {(place[0], *row.rest) for place in places if (row := self._at(place)) and row.rest}
        return sorted(place for place in places if place not in rests)

    def told(self, places: Iterable[Place]) -> list[Told]:
        """Return the rows of tables that begin at `places`, in the form of an answer."""
        out: list[tuple[str, str, str]] = []
        taken: set[Place] = set()
        for place in places:
            values, parts = self._values(place), set(self.parts(place))
            whole = len(values) == 2 and len(values[0] or b"") == 4 and values[1] is not None
            if whole and not taken & parts:
                taken |= parts
                key = int.from_bytes(values[0] or b"", "big", signed=True)
                out.append((self.tables[place[0]], str(key), _text(values[1] or b"")))
        return [dict(zip(("table", "key", "value"), row, strict=True)) for row in sorted(out)]

    def _values(self, place: Place) -> list[bytes | None]:
        """Return the columns of the row at `place`; empty if no row begins there or a column is absent."""
        parts = self.parts(place)
        out: list[bytes | None] = []
        start = self._at(place)
        if start is None or start.deleted or start.first or len(parts) > MOST_PARTS:
            return []
        for part in parts:
            row = self._at(part)
            if row is None or row.first > len(out) or len(row.columns) < row.count:
                return []
            out[row.first :] = [row.columns[at] for at in sorted(row.columns)]
        return out


def _stored(page: bytes) -> dict[int, PageRow] | None:
    """Return the rows of a page next to the log; None if the page is not valid."""
    kind, status, count = int.from_bytes(page[:2], "big"), page[5], int.from_bytes(page[14:16], "big")
    out: dict[int, PageRow] = {}
    length = 0
    for slot in range(1, min(count, len(page) // 6 - 1) + 1):
        at = len(page) - 8 - 6 * slot
        off, size = (int.from_bytes(page[at + by : at + by + 2], "big") for by in (0, 2))
        length += size
        try:
            ident, row = row_in(Taker(page[off : off + size]))
        except Invalid:
            return None
        out[ident] = row
    return out if kind == 117 and status == 1 and length <= len(page) else None


@dataclass
class Transaction:
    """Represents an open transaction: its first record, its changes that were not undone, and its XA id."""

    first: Mapping[str, Any]
    done: list[Mapping[str, Any]] = field(default_factory=list)
    prepared: bool = False
    ids: Mapping[str, Any] | None = None

    @property
    def order(self) -> tuple[bool, int]:
        """The key that sorts transactions in the order of their rollback (DRB-RCV-065)."""
        return not self.first.get("status", 0) & INTERNAL, -self.first["instant"]

    def branch(self) -> dict[str, Any]:
        """Return its XA id."""
        return {name: (self.ids or NO_ID)[name] for name in ("gtrid", "bqual", "format_id")}


def places_of(record: Mapping[str, Any]) -> list[tuple[int, int, int]]:
    """Return the rows, or parts of rows, that a record changes."""
    page = record.get("container", -1), record.get("page", -1)
    entries = [record] if "record_id" in record else record.get("rows", [])
    return [(*page, entry["record_id"]) for entry in entries]


def without(rows: list[Told], others: list[Told]) -> list[Told]:
    """For each of `others`, remove one equal row from `rows`; return the rest."""
    left, out = list(others), []
    for row in rows:
        if row in left:
            left.remove(row)
        else:
            out.append(row)
    return out
