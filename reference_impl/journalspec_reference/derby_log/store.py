"""The state that the records of a log produce: transactions, pages, and the rows on them (DRB-RCV).

The versions of all pages are tracked. Rows are tracked only in the given tables, if the log and the
containers next to it identify these tables.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from heapq import heappop, heappush
from itertools import pairwise
from operator import itemgetter
from struct import Struct
from typing import Any, NamedTuple

from journalspec import mutf8
from journalspec.observation import Note
from journalspec_reference.batches import Batch, columns_module
from journalspec_reference.content import UNREADABLE
from journalspec_reference.derby_log.bodies import (
    BEGIN,
    END,
    FIRST,
    LAST,
    MAKE,
    MANY,
    NOTHING,
    PREPARE,
    UNDO,
    Body,
    Forms,
    decode,
)
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, HEADER, BadLog, Instant, Refusal
from journalspec_reference.derby_log.fileset import Log, LogFile
from journalspec_reference.derby_log.heap import (
    ALLOCATION_PAGE,
    BY_ROW,
    PAGE_HEADER,
    ROWS_PAGE,
    HeapPage,
    HeapRow,
    apply,
    numbers_of,
    page_of,
)
from journalspec_reference.derby_log.scan import End, garbage

#: The first bytes of a container, which contain its page size.
_PAGE_SIZE = Struct(">117xi")
#: Two page sizes: the smallest one, and the one from which slots contain four-byte numbers. No product writes
#: pages of the second size.
_SMALLEST_PAGE, _LARGE_PAGE = 1024, 65536
#: The action of a CONTAINER record that creates a container.
CREATED = 1
#: The kind of transaction that the engine began for itself. It is rolled back before other transactions.
INTERNAL = 16
#: A row of two columns has at most this many parts. A longer chain is invalid.
_PARTS = 64
#: A row that is reported: its table, key and value.
Row = tuple[str, str, str]
#: Place is (container, page). RowPlace is (container, page, record id).
Place = tuple[int, int]
RowPlace = tuple[int, int, int]


#: Seven values about a record: its role in a replay (see :mod:`.bodies`), its transaction, its page, the
#: page's version before the record, the growth of that version, the record's instant, and a number that
#: depends on the role. This number is the undone instant, the status, the created container, or the number of
#: rows that the record changes one by one. It is -1 for other roles. A growth of -1 means that only the
#: undone record shows the growth.
Plain = tuple[int, int, Place, int, int, int, int]


class Changes(NamedTuple):
    """Represents page changes as columns: pages, versions before the changes, growths of versions, undone
    instants (see Plain).
    """

    pages: list[Place]
    versions: list[int]
    growths: list[int]
    undone: list[int]


def growth(body: Body, *, undo: bool = False) -> int:
    """Return the growth of a page's version by a record, or by its `undo` (DRB-RCV-164)."""
    if body.operation.name not in BY_ROW:
        return 1
    rows = body.fields["rows"]
    kept = not undo and body.operation.name == "COPY_ROWS"
    return len(rows) + (sum(1 for row in rows if row["reserved"]) if kept else 0)


class Bodies:
    """Represents the bodies of a batch. In a small batch, all bodies are decoded. A large batch has columns,
    and decoded bodies for the records that do not fit columns.

    `rows` is the number of records before the first one whose body cannot be decoded. `problem` is the fault
    of that body. `columns` is None in a small batch.
    """

    __slots__ = ("_end", "_filled", "columns", "decoded", "problem", "rows")

    def __init__(self, batch: Batch, forms: Forms, rows: int) -> None:
        self.rows, self.problem, self._filled = rows, "", False
        #: The end of the last record.
        self._end = batch.end[rows - 1] if rows else 0
        self.decoded: dict[int, Body] = {}
        module = columns_module(__package__) if rows >= MANY else None
        self.columns = None if module is None else module.Gathered(batch, forms, rows)
        closely = range(rows) if self.columns is None else self.columns.closely.nonzero()[0].tolist()
        data, off, end = batch.data, batch.off, batch.end
        for row in closely:
            try:
                self.decoded[row] = decode(data[off[row] + BEFORE : end[row] - BEHIND], forms)
            except BadLog as error:
                self.rows, self.problem = row, str(error)
                break

    def filled(self) -> Any:
        """Return the columns, with decoded rows filled in. Return None if there are no columns."""
        if self.columns is not None and not self._filled:
            self.columns.fill(self.decoded)
            self._filled = True
        return self.columns

    def replay(
        self, store: Store, closely: Collection[int], place: int, rows: int, redo_from: int
    ) -> Iterable[int]:
        """Redo simple records in the first `rows`. Yield other rows, which the caller redoes at once.

        The caller redoes changes of the containers in `closely`, except for changes that, according to
        `store`, are already on their pages. `place` is the instant of the batch.
        """
        columns = self.filled()
        if columns is None:
            return range(rows)
        # The pages contain all changes before the redo point, so only the begin and end of transactions
        # matter there.
        known = store.transactions if rows and place + self._end <= redo_from else None
        decoded = closely if store.ready is None else ()
        numbers, plain, highest = columns.plain(decoded, place, rows, known)
        store.next = max(store.next, highest + 1)
        return store.replay(numbers, plain, redo_from, closely)

    def tally(self, types: dict[int, int], containers: dict[int, int]) -> None:
        """Count the records by operation, and by the container whose page they change."""
        if self.columns is not None and not self._filled:
            self.columns.tally(self.rows, types, containers)
        for body in self.decoded.values():
            types[body.operation.id] += 1
            if "page_version" in body.fields:
                containers[body.fields["container"]] += 1

    def made(self) -> set[int]:
        """Return the containers that the records create or remove."""
        decoded = (body for body in self.decoded.values() if body.operation.name == "CONTAINER")
        plain: set[int] = set() if self.columns is None else self.columns.made(self.rows)
        return plain | {body.fields["container"] for body in decoded}

    def changes(self, *, last: bool = False) -> Changes:
        """Return the page changes. With `last`, return at least the last change of each page."""
        if (columns := self.filled()) is not None:
            of_all: Changes = columns.changes(self.rows, last=last)
            return of_all
        found = Changes([], [], [], [])
        for body in self.decoded.values():
            if "page_version" in body.fields:
                found.pages.append((body.fields["container"], body.fields["page"]))
                found.versions.append(body.fields["page_version"])
                physical = body.operation.name == "PHYSICAL_UNDO" and body.undone is not None
                found.growths.append(-1 if physical else growth(body))
                found.undone.append(0 if body.undone is None else body.undone.packed)
        return found


def examined(  # noqa: C901, PLR0912  # the checks of a batch before its records are accepted, in this order
    log: Log,
    file: LogFile,
    start: int = HEADER,
    forms: Forms | None = None,
    stop: int | None = None,
    *,
    noted: bool = True,
) -> Iterator[Batch]:
    """Yield the batches of a file from `start` on, up to a record whose body cannot be decoded (DRB-REC-022).

    If bodies are decoded, `more` of each batch contains its ``bodies``; the last batch also contains the
    ``end``. If `stop` is given, the log begins at `stop`. In that case, bytes that reach beyond `stop` are
    not a record, and bytes after the end are damage. With `noted`, notes report unusual bodies, and records
    that a checksum range covers only in part.
    """
    #: Sorted pairs: the end of the range of a checksum record, and the offset of that record.
    covered: list[tuple[int, int]] = []
    for batch in log.scan(file, start, None if stop is None else stop + 1):
        base, off, more = batch.base, batch.off, batch.more
        rows, last = len(off), more.get("end")
        if stop is not None and (rows := bisect_right(batch.end, stop - base)) < len(off):
            last = End(base + off[rows], "truncated")
        if forms is not None:
            bodies = more["bodies"] = Bodies(batch, forms, rows)
            if bodies.problem:
                rows, last = bodies.rows, End(base + off[bodies.rows], "bad-body")
                more["problem"] = bodies.problem
        # Opaque records have no checksums that can be read.
        if forms is not None and noted:
            odd = _half_covered(file, batch, rows, covered) if covered or more["sums"] else []
            for row, body in bodies.decoded.items():
                if body.long_number:
                    odd.append((row, Note("long-number", file.name, base + off[row])))
                if body.surplus:
                    odd.append((row, Note("surplus", file.name, base + off[row], str(body.surplus))))
            batch.notes += [note for _, note in sorted(odd, key=itemgetter(0))]
        if rows < len(off):
            del off[rows:], batch.end[rows:], batch.code[rows:]
            more["sums"] = [found for found in more["sums"] if found[0] < rows]
        elif covered and last is not None:
            batch.notes += [Note("odd-coverage", file.name, at) for _, at in covered]
        if last is not None:
            more["end"] = last
            behind = last.off
            if stop is not None:
                behind = min(stop, file.length)
            elif last.reason:
                # Zeros up to the end of the file are unused space (DRB-END-041). But if bytes are unreadable,
                # the damage extends to the end of the file.
                used = None if last.reason == UNREADABLE else garbage(file.source, last.off)
                behind = used[1] if used else file.length
            if last.off < behind:
                batch.damage.append((last.off, behind, last.reason or "truncated"))
        yield batch
        if last is not None:
            return


def _half_covered(
    file: LogFile, batch: Batch, rows: int, covered: list[tuple[int, int]]
) -> list[tuple[int, Note]]:
    """Return notes on the records of a batch that a checksum range covers only in part, with their rows.

    `covered` contains the ranges of earlier batches. Ranges that end in later batches remain in `covered`.
    """
    base, off, end = batch.base, batch.off, batch.end
    sums = [(base + end[row] + size, base + off[row]) for row, size in batch.more["sums"] if row < rows]
    # Nearly every range ends where the next checksum record begins. Only ranges with other ends must be
    # checked.
    covered += [one for one, after in pairwise([*sums, (0, 0)]) if one[0] != after[1]]
    covered.sort()
    # The first invalid record is included: covered bytes can also end inside it.
    reach = base + end[min(rows, len(end) - 1)] if end else base
    known = bisect_left(covered, (reach + 1,))
    odd = []
    for place, at in covered[:known]:
        row = bisect_left(end, place - base)
        if end and off[row] < place - base < end[row]:
            odd.append((row, Note("odd-coverage", file.name, at)))
    del covered[:known]
    return odd


class Container:
    """Represents the pages of a container, the file `name`. Incomplete pages are treated as absent."""

    def __init__(self, name: str, data: Any) -> None:
        self.name, self._data = name, data

    @cached_property
    def _size(self) -> int:
        """The page size. It is read at first use, because a database can have thousands of containers."""
        start = bytes(self._data[: _PAGE_SIZE.size])
        return int(_PAGE_SIZE.unpack(start)[0]) if len(start) == _PAGE_SIZE.size else 0

    @property
    def count(self) -> int:
        """The number of pages."""
        return len(self._data) // self._size if _SMALLEST_PAGE <= self._size < _LARGE_PAGE else 0

    def version(self, number: int = 0) -> int | None:
        """Return the version of a page. Return None if the file does not contain the page's header."""
        off = number * self._size
        found = bytes(self._data[off : off + PAGE_HEADER.size]) if number < max(self.count, 1) else b""
        if len(found) < PAGE_HEADER.size:
            return None
        form, _, _, version, _, _ = PAGE_HEADER.unpack(found)
        return int(version) if form in (ROWS_PAGE, ALLOCATION_PAGE) else None

    def offset(self, number: int) -> int:
        """Return the offset of a page."""
        return number * self._size

    def numbers(self) -> Iterable[int]:
        """Return the numbers of the pages after the first page, except for pages in holes of the file."""
        return numbers_of(self._data, self._size, self.count)

    def page(self, number: int) -> HeapPage | None:
        """Return one page. Return None if it is absent, unused or invalid.

        The first page, and a page that lists other pages, have a version and no rows.
        """
        size = self._size
        if number >= self.count:
            return None
        data = bytes(self._data[number * size : (number + 1) * size])
        form, _, _, version, _, _ = PAGE_HEADER.unpack_from(data)
        if form == ALLOCATION_PAGE or (form == ROWS_PAGE and not number):
            return HeapPage(version)
        try:
            page = page_of(data)
        except BadLog:
            return None
        return page if page.valid else None


class OldPage(Refusal):
    """A page is older than the record that changes it. `needed` is the version that the page should have."""

    def __init__(self, place: Place, needed: int) -> None:
        super().__init__("replay", "bad-page", f"page {place[1]} of container {place[0]} is not at {needed}")
        self.place, self.needed = place, needed


@dataclass
class Transaction:
    """A transaction: where it began, its status and XA id, and the records that may be undone."""

    first: int
    status: int
    branch: Mapping[str, Any] | None
    prepared: bool = False
    #: The instant of the record that prepares the transaction.
    prepared_by: int = 0
    changes: array[int] = field(default_factory=lambda: array("q"))
    #: Maps instants of records that change their page row by row to the number of rows.
    by_row: dict[int, int] = field(default_factory=dict)

    def undo(self, instant: int) -> int | None:
        """Remove the changes from `instant` on. Return the version growth of an undo of that change.

        The growth is 1, or the number of rows if the record changes rows one by one. It is None if there is
        no change at `instant`.
        """
        last = -1
        while self.changes and self.changes[-1] >= instant:
            last = self.changes.pop()
        return self.by_row.get(last, 1) if last == instant else None

    @property
    def ids(self) -> tuple[bytes, bytes, int]:
        """The transaction's XA id as a comparable tuple: both parts, and the format."""
        of = self.branch
        return (b"", b"", 0) if of is None else (of["gtrid"], of["bqual"], of["format_id"])


def _text(data: bytes) -> str:
    """Return a VARCHAR, even if it is truncated (DRB-RCV-191) or has wrong bytes (DRB-RCV-193)."""
    size = int.from_bytes(data[:2], "big")
    return mutf8.readable(data[2 : 2 + size] if size else data[2:].partition(b"\xe0\0\0")[0])


class Store:
    """Represents the state after redo.

    `find` returns the body of a record that was redone, by its instant.
    """

    def __init__(
        self, tables: Mapping[int, str], containers: Mapping[int, Container], find: Callable[[Instant], Body]
    ) -> None:
        self.tables, self.containers, self.find = tables, containers, find
        self.transactions: dict[int, Transaction] = {}
        self.pages: dict[Place, HeapPage] = {}
        #: The pages that simple records may change. In that case, the caller redoes undos and the changes of
        #: containers. If this is None, simple records can change any page.
        self.ready: dict[Place, HeapPage] | None = None
        #: Maps a container to a heap of the negated numbers of its pages in `pages`. Because they are
        #: negated, the last page is first.
        self._numbers: dict[int, list[int]] = {}
        #: The number of the next transaction.
        self.next = 1
        #: The record that is being undone.
        self.undoing: Instant | None = None
        #: Maps a container that the log creates to the transaction that creates it. Derby can fill such a
        #: container without log records. In that case, its pages are fsynced.
        self.made: dict[int, int] = {}
        #: Maps a container that was filled without log records to one of its pages that is not on disk.
        self.unloaded: dict[int, int] = {}
        #: Pages that the log creates in an existing container. These pages are not on disk.
        self.fresh: set[Place] = set()
        #: Maps a container to its last page after the log truncated it. Its file can still have later pages.
        self.highest: dict[int, int] = {}
        #: Maps the position of a part of a row to the position of the previous part.
        self._owners: dict[RowPlace, tuple[int, int]] = {}
        #: Maps the packed instant of a record that is undone repeatedly to the growth of the page's version
        #: by that undo.
        self._growths: dict[int, int] = {}

    def without_pages(self) -> Store:
        """Return a copy with the transactions and the created containers, without pages."""
        found = Store({}, {}, self.find)
        found.transactions = {
            number: replace(each, changes=each.changes[:], by_row={**each.by_row})
            for number, each in self.transactions.items()
        }
        found.made, found.next = {**self.made}, self.next
        return found

    def take(self, instant: int, body: Body, redo_from: int) -> None:  # noqa: C901  # by group
        """Redo the record at a packed instant (DRB-RCV-062, DRB-RCV-063); raises Refusal, BadLog."""
        number, name, fields = body.transaction, body.operation.name, body.fields
        if number is None or name == "CHECKSUM":
            # A checksum record belongs to no transaction, even if it contains a transaction number
            # (DRB-CHK-036).
            return
        self.next = max(self.next, number + 1)
        known, by_undo = self.transactions.get(number), None
        if body.group & FIRST:
            if known is not None:
                raise Refusal("transaction", "bad-transaction", f"transaction {number} begins twice")
            known = Transaction(instant, fields.get("status", 0), fields.get("global_id"))
            self.transactions[number] = known
        elif known is None:
            if instant >= redo_from:
                raise Refusal("transaction", "bad-transaction", f"transaction {number} never began")
            return
        if body.group & LAST:
            del self.transactions[number]
        elif body.group & PREPARE:
            known.prepared, known.branch = True, known.branch or fields.get("global_id")
            known.prepared_by = instant
        elif body.undone is not None:
            by_undo = known.undo(body.undone.packed)
        elif not body.group & FIRST and name != "CHECKPOINT":
            known.changes.append(instant)
            if name in BY_ROW:
                known.by_row[instant] = len(fields["rows"])
        if name == "CONTAINER" and fields["action"] == CREATED:
            self.made[fields["container"]] = number
        if "page_version" in fields and instant >= redo_from:
            self._redo(body, by_undo)

    def replay(  # noqa: C901, PLR0912  # one loop: each branch is a kind
        self, numbers: Iterable[int], rows: Iterable[Plain], redo_from: int, closely: Collection[int] = ()
    ) -> Iterator[int]:
        """Redo the simple records of a batch. Yield every other row, which the caller redoes immediately.

        `numbers` are the row numbers of `rows`. If there are `ready` pages, the caller redoes page changes in
        the containers `closely`.

        A simple record begins or ends a transaction, or changes a page. The page must have the version before
        that change, or a later version. The effect equals that of :meth:`take`.
        """
        transactions, pages, opens = self.transactions, self.ready, self.ready is None
        pages = self.pages if pages is None else pages
        for row, plain in zip(numbers, rows, strict=True):
            kind, number, place, version, growth, instant, also = plain
            if kind <= UNDO:
                known, page, redone = transactions.get(number), None, instant >= redo_from
                if redone:
                    page = pages.get(place) or (self.page(*place, version) if opens else None)
                if known is None or (redone and (page is None or page.version < version)):
                    yield row
                    continue
                late = not opens and page is not None and page.version == version
                if late and (kind == UNDO or place[0] in closely):
                    yield row
                    continue
                if kind == UNDO:
                    by_undo = known.undo(also)
                    if growth < 0 and page is not None and page.version == version:
                        growth = self._undo_growth(Instant.unpack(also), by_undo)
                else:
                    known.changes.append(instant)
                    if also >= 0:
                        known.by_row[instant] = also
                if page is not None and page.version == version:
                    page.version += growth
            elif kind == BEGIN and number not in transactions:
                transactions[number] = Transaction(instant, also, None)
                self.next = max(self.next, number + 1)
            elif kind == END and number in transactions:
                del transactions[number]
            elif kind == MAKE and opens and number in transactions:
                transactions[number].changes.append(instant)
                if also >= 0:
                    self.made[also] = number
            elif kind != NOTHING:
                yield row

    def add(self, place: Place, page: HeapPage) -> HeapPage:
        """Add a page to the known pages."""
        self.pages[place] = page
        heappush(self._numbers.setdefault(place[0], []), -place[1])
        return page

    def page(self, container: int, number: int, version: int | None = None) -> HeapPage | None:
        """Return a page. An unknown page is created with `version`. Without a version, return None for an
        unknown page.
        """
        place = container, number
        if place in self.pages:
            return self.pages[place]
        found, file = None, self.containers.get(container)
        if file is not None and number <= self.highest.get(container, number):
            # For a page outside of the tables, the stored version is enough.
            if container in self.tables:
                found = file.page(number)
            elif (stored := file.version(number)) is not None:
                found = HeapPage(stored)
        if found is None:
            if version is None:
                return None
            if not version and file is not None:
                self.fresh.add(place)
            found = HeapPage(version)
        # These lines repeat `add`, because a call would need one more stack frame than a reader of a small
        # journal may use.
        self.pages[place] = found
        heappush(self._numbers.setdefault(container, []), -number)
        for ident, row in found.rows.items():
            self._own(container, number, ident, row)
        return found

    def _redo(self, body: Body, by_undo: int | None) -> None:
        fields = body.fields
        container, number, version = fields["container"], fields["page"], fields["page_version"]
        page = self.page(container, number, version)
        assert page is not None
        if page.version > version:
            return
        if page.version < version and container in self.made:
            if container in self.containers:
                self.unloaded.setdefault(container, number)
            page.version = version
        if page.version < version:
            raise OldPage((container, number), version)
        name = body.operation.name
        # Only the first undo of a change changes rows. Therefore a record is looked up here at most once.
        wanted = by_undo is not None and container in self.tables
        undone = self.find(body.undone) if wanted and body.undone is not None else None
        # The page's version grows by one for each row (DRB-RCV-164).
        if name == "PHYSICAL_UNDO" and body.undone is not None:
            page.version += self._undo_growth(body.undone, by_undo)
        else:
            page.version += growth(body, undo=undone is not None)
        if name.startswith("COMPRESS_SPACE"):
            # Pages after the new end are removed. If the log creates them again, they start empty.
            numbers = self._numbers[container]
            last = fields["highest_page"]
            self.highest[container] = min(last, self.highest.get(container, last))
            while numbers and -numbers[0] > last:
                self.pages.pop((container, -heappop(numbers)), None)
        if container in self.tables and undone is not None:
            self._apply(page, undone, body, undo=True)
        elif container in self.tables and body.undone is None:
            self._apply(page, body, body)

    def _undo_growth(self, undone: Instant, known: int | None) -> int:
        """Return the growth of a page's version by a PHYSICAL_UNDO. If the change was not undone before, this
        is the `known` growth.

        Derby also performs the undo of a change that is already undone, because it reads only the record at
        `undone`. A log can repeat such an undo many times, so the growth is remembered.
        """
        if known is None:
            known = self._growths.get(undone.packed)
        if known is None:
            known = 1
            with suppress(BadLog):
                known = growth(self.find(undone), undo=True)
            self._growths[undone.packed] = known
        return known

    def _put(self, page: HeapPage, where: Place, slot: int, ident: int, row: HeapRow) -> None:
        page.put(slot, ident, row)
        self._own(*where, ident, row)

    def _own(self, container: int, number: int, ident: int, row: HeapRow) -> None:
        if row.rest is not None:
            self._owners[container, *row.rest] = number, ident

    def _apply(self, page: HeapPage, body: Body, by: Body, *, undo: bool = False) -> None:
        where = by.fields["container"], by.fields["page"]
        apply(page, body, by, partial(self._put, page, where), undo=undo)

    # The state after redo.

    def losers(self) -> list[int]:
        """Return the transactions to roll back.

        Internal transactions come before others. Within both groups, the newest comes first (DRB-RCV-065).
        """
        known = self.transactions
        open_ = [number for number, item in known.items() if not item.prepared]
        return sorted(open_, key=lambda number: (not known[number].status & INTERNAL, -known[number].first))

    def branches(self) -> list[int]:
        """Return the prepared transactions, in the order of their XA ids."""
        found = [(item.ids, number) for number, item in self.transactions.items() if item.prepared]
        return [number for _, number in sorted(found, key=itemgetter(0))]

    def undoable(self, number: int) -> Iterator[Instant]:
        """Yield the changes of a transaction that are not undone yet, beginning with the last change."""
        for packed in reversed(self.transactions[number].changes):
            self.undoing = Instant.unpack(packed)
            yield self.undoing

    def _on_rows(self, body: Body) -> bool:
        """Return whether a change is one of reported rows."""
        return body.fields.get("container") in self.tables and "page" in body.fields

    def roll_back(self, number: int) -> None:
        """Undo a transaction's changes of rows, and remove the transaction."""
        for body in filter(self._on_rows, map(self.find, self.undoable(number))):
            page = self.page(body.fields["container"], body.fields["page"])
            if page is not None:
                self._apply(page, body, body, undo=True)
        del self.transactions[number]

    def touched(self, number: int) -> list[RowPlace]:
        """Return the positions of the rows of which a transaction has changed a part."""
        found: dict[RowPlace, None] = {}
        for body in filter(self._on_rows, map(self.find, self.undoable(number))):
            fields = body.fields
            for entry in ([fields] if "record_id" in fields else []) + fields.get("rows", []):
                place = fields["container"], fields["page"], entry["record_id"]
                for _ in range(_PARTS):
                    if place not in self._owners:
                        break
                    place = fields["container"], *self._owners[place]
                found[place] = None
        return list(found)

    def rows(self, places: Iterable[RowPlace]) -> Iterator[Row]:
        """Yield the rows that begin at `places`. A row that shares a part with an earlier row is omitted."""
        taken: set[RowPlace] = set()
        yield from (found for place in places if (found := self.row(place, taken)))

    def row(self, place: RowPlace, taken: set[RowPlace] | None = None) -> Row | None:
        """Return the row at a place, and mark its parts as taken.

        Return None if there is no valid row, or if a part of the row is already `taken`.
        """
        container, number, ident = place
        page = self.page(container, number)
        row = None if page is None else page.rows.get(ident)
        if row is None or row.deleted or row.first or place in self._owners:
            return None
        # Three values are enough to determine whether a row has exactly two.
        values, parts = row.values[:3], [place]
        while row.rest is not None:
            page = self.page(container, row.rest[0])
            parts.append((container, *row.rest))
            row = None if page is None else page.rows.get(row.rest[1])
            if row is None or len(parts) > _PARTS or row.first > len(values):
                return None
            values[row.first :] = row.values[:3]
        if len(values) != 2 or not all(isinstance(value, bytes) for value in values) or len(values[0]) != 4:
            return None
        if taken is not None:
            if not taken.isdisjoint(parts):
                return None
            taken.update(parts)
        key = str(int.from_bytes(values[0], "big", signed=True))
        return self.tables[container], key, _text(values[1])

    def places(self) -> Iterator[RowPlace]:
        """Yield the positions of all rows of the tables, and of parts of rows, in order."""
        for container in self.containers:
            for number in self.containers[container].numbers() if container in self.tables else ():
                self.page(container, number)
        for container, number in sorted(self.pages):
            if container in self.tables:
                rows = self.pages[container, number].rows
                yield from ((container, number, ident) for ident in sorted(rows))
