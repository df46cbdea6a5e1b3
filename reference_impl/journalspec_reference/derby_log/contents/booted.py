"""The pages that a boot of Derby would produce from the pages next to the log, after redo and after undo of
open transactions.

Only changed pages stay in memory, in decoded form. As in recovery, :class:`.store.Store` tracks the versions
of pages. A page that does not fit the log, or that cannot be read, is left unchanged, and its rows are
omitted. With such a page, Derby would not start, and would print the reason for the first one.
"""

from __future__ import annotations

import heapq
import pickle
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

from journalspec_reference.batches import Batch
from journalspec_reference.derby_log.bodies import Body, decode
from journalspec_reference.derby_log.bodies import known as bodies_known
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, HEADER, BadLog, Instant
from journalspec_reference.derby_log.containers import Fault, Heap, descriptor, main_page, stored, tally
from journalspec_reference.derby_log.contents.cipher import Cipher
from journalspec_reference.derby_log.fileset import body_at
from journalspec_reference.derby_log.heap import (
    BY_ROW,
    ROWS_PAGE,
    HeapPage,
    HeapRow,
    Pointer,
    Value,
    apply,
    number,
    page_of,
)
from journalspec_reference.derby_log.recover import LogPass
from journalspec_reference.derby_log.store import CREATED, Bodies, OldPage, Place, Store, examined

_REMOVED = 4
#: A mask of the lowest bits of a container's number, which are its kind. The kind 0 is a heap.
_KIND = 0xF
#: The first row of a heap's first page describes the heap.
_FIRST_PAGE = 1
#: At most this many pages with parts of rows stay in memory in decoded form.
_MOST_PARTS_KEPT = 64
#: Three limits for parts of rows: a row has at most as many parts as the largest number of columns; a part
#: takes this many bytes besides its values; each page may be read this often on average for its parts.
_MOST_PARTS, _PART, _AGAIN = 1100, 16, 200
#: Longer values (bytes) are omitted.
LONGEST = 64 << 20
#: The offset of the byte that states whether a page contains only parts of rows.
_OVERFLOW_AT = 4
_ROW_CHANGES = ("INSERT", "DELETE", "UPDATE", "UPDATE_FIELD")
_ON_ROWS = (*_ROW_CHANGES, *BY_ROW, "INIT_PAGE", "INVALIDATE_PAGE")
#: A function that is called with a container, its fault, and the reaction of Derby.
ReportFault = Callable[[int, Fault, str], None]
NO_START, NO_SELECT = "Derby does not start", "Derby cannot read the table"


def is_heap(container: int) -> bool:
    """Return whether a container is a heap (the rows of a table) and not an index."""
    return not container & _KIND


def _again(log: LogPass, edition: str, at: Instant) -> Iterator[tuple[int, Batch, Bodies | None]]:
    """Yield :meth:`LogPass.batches` of a log that was read before, from the batch at `at` on."""
    assert log.last is not None
    for file in [log.log.files[each] for each in range(at.number, log.last.file.number + 1)]:
        start = at.position if file.number == at.number else HEADER
        for batch in examined(log.log, file, start, bodies_known(edition)):
            yield file.number, batch, batch.more["bodies"]


class Booted:
    """Represents the containers of a database after a boot, by number: their rows, as fields.

    `beside` are the names and bytes of the containers next to the log.
    """

    def __init__(
        self, beside: Mapping[int, tuple[str, Any]], cipher: Cipher | None, report: ReportFault
    ) -> None:
        self.beside, self._cipher, self._report = beside, cipher, report
        #: Whether pages and records are encrypted.
        self.encrypted = cipher is not None
        self._heaps: dict[int, Heap | None] = {}
        self._images = Images()
        #: Two sets: the pages that redo leaves unchanged, and the unreadable pages among them. Page -1 means
        #: a complete container.
        self._stuck: set[Place] = set()
        self._hidden: set[Place] = set()
        #: Unreadable pages that the log creates again. Derby starts only if they consist of zeros.
        self.remade: set[Place] = set()
        #: Changed pages without a fault. Simple records may change them.
        self._sound: dict[Place, HeapPage] = {}
        #: Maps a container to its highest page after a record COMPRESS_SPACE truncated it.
        self._highest: dict[int, int] = {}
        self._made: set[int] = set()
        #: The instants of the changes that were undone.
        self._undone: set[int] = set()
        self._parts: OrderedDict[Place, HeapPage] = OrderedDict()
        #: The number of bytes still allowed for parts of a table's rows.
        self._left = 0
        #: The number of times that pages of parts may still be decoded again.
        self._misses = 0
        #: Heaps in which :meth:`faults` found pages with parts of rows.
        self.parted: set[int] = set()
        #: The log after redo, and the facts about its transactions.
        self.log: LogPass | None = None
        self.store: Store | None = None

    @property
    def went(self) -> bool:
        """Whether the log was redone, and contains at least one record."""
        log = self.log
        if log is None or log.last is None:
            return False
        return (log.last.file.number, log.last.end.off) > log.start

    def heap(self, container: int) -> Heap | None:
        """Return a container. Return None if there is none."""
        if container not in self._heaps:
            name, data = self.beside.get(container, ("", None))
            found = None if data is None else Heap(container, name, data, self._cipher)
            self._heaps[container] = found
        return self._heaps[container]

    def heaps(self) -> list[int]:
        """Return the numbers of all existing heaps."""
        known = {*self.beside, *self._heaps}
        kept = (each for each in sorted(known) if is_heap(each))
        return [each for each in kept if (heap := self.heap(each)) is not None and not heap.removed]

    # Redo and undo.

    def replay(self, files: Mapping[str, Any], edition: str, known: LogPass | None = None) -> Store:
        """Redo the log and undo open transactions; return the store with all transactions. Raises Refusal.

        If the log was read before (`known`), only one part of it is read again: the part with changes that
        the pages may lack.
        """
        self.log = log = known or LogPass(files, edition, "default", suite=False, replay=False)
        # A log can repeat the undo of a long record many times.
        self._find = lru_cache(16)(partial(body_at, log.log, edition))
        batches, store = log.batches(), Store({}, _NONE, self._find)
        if known is not None and known.resume is not None:
            batches, store = _again(known, edition, known.resume[0]), known.resume[1].without_pages()
        self.store, store.ready = store, self._sound
        for file, batch, bodies in batches:
            # The first batch shows where redo begins.
            redo_from = log.redo_from.packed
            # A damaged region has no record bodies.
            if bodies is None or not len(batch):
                continue
            first, heaps = Instant(file, batch.base).packed, set[int]()
            if (columns := bodies.filled()) is not None and first + batch.end[-1] > redo_from:
                # For indexes, and for changes that are already on the pages, only the versions of pages are
                # needed.
                heaps = {*filter(is_heap, columns.containers())}
            for row in bodies.replay(store, heaps, first, len(batch), redo_from):
                start, end = batch.off[row], batch.end[row]
                body = bodies.decoded.get(row) or decode(batch.data[start + BEFORE : end - BEHIND])
                instant = int.from_bytes(batch.data[start + 4 : start + BEFORE], "big")
                self._take(store, instant, body, redo_from)
        for transaction in (*store.losers(), *store.branches()):
            for body in map(store.find, store.undoable(transaction)):
                self._undo(body)
        return store

    def _take(self, store: Store, instant: int, body: Body, redo_from: int) -> None:
        """Redo one record."""
        fields = body.fields
        place = fields.get("container", 0), fields.get("page", -1)
        changes = "page_version" in fields and instant >= redo_from
        if changes and not self._ready(store, place, body):
            changes, redo_from = False, instant + 1
        if changes and place[1] > self._highest.get(place[0], place[1]):
            # The page was created again after its container was truncated.
            self._highest[place[0]] = place[1]
        before = store.pages[place].version if changes else 0
        if changes and place[0] not in self._highest:
            self._sound[place] = store.pages[place]
        try:
            store.take(instant, body, redo_from)
        except OldPage as old:
            text = f"{self._named(place)} is at version {before}, the log needs {old.needed}"
            off = place[1] * heap.size if (heap := self.heap(place[0])) is not None else None
            self._stick(place, Fault("old-page", text, "XSDB4", off))
            return
        # A record COMPRESS_SPACE can remove its own page.
        if changes and (place not in store.pages or store.pages[place].version > before):
            if before < fields["page_version"]:
                text = f"{self._named(place)} was filled without records, and is not there"
                self._report(place[0], Fault("lost-load", text), "Derby starts, and its rows are lost")
            self._redo(place, body)
        elif instant >= redo_from and body.operation.name in ("CONTAINER", "CONTAINER_UNDO"):
            undone = self._find(body.undone) if body.undone is not None else None
            self._container(undone or body, undo=undone is not None)

    def _ready(self, store: Store, place: Place, body: Body) -> bool:
        """Return whether a page can be changed; check it before its first change."""
        container, page = place
        heap = self.heap(container)
        if heap is None or heap.removed or not self._stuck.isdisjoint((place, (container, -1))):
            if heap is None and (container, -1) not in self._stuck:
                text = f"{self._called(container)} is missing, and the log changes it"
                self._stick((container, -1), Fault("no-container", text, "40XD2"))
            return False
        if place in store.pages:
            return True
        try:
            if heap.fault is not None:
                # Derby stops here. If the page size is known, the pages can be read nevertheless.
                self._report(container, heap.fault, NO_START)
                if not heap.size:
                    raise heap.fault
            fresh = body.operation.name == "INIT_PAGE" and not body.fields["page_version"]
            if container in self._made or (fresh and self._unread(heap, page)):
                version = 0
                if is_heap(container) and page:
                    self._images.put(place, HeapPage(0))
            else:
                version = int.from_bytes(heap.page(page)[6:14], "big")
        except Fault as fault:
            self._hidden.add(place)
            self._stick(place, fault)
            return False
        store.add(place, HeapPage(version))
        return True

    def _unread(self, heap: Heap, page: int) -> bool:
        """Return whether a page is missing or unreadable. In that case, the log must create the page."""
        if heap.blank(page):
            return True
        if not page:
            # Without the first page, which describes the container, no page can be found.
            return False
        try:
            heap.page(page)
        except Fault as fault:
            self.remade.add((heap.number, page))
            text = f"{fault.text}: the log makes it again"
            self._report(heap.number, Fault("remade-page", text, fault.state, fault.off), NO_START)
            return True
        return False

    def _stick(self, place: Place, fault: Fault) -> None:
        self._stuck.add(place)
        self._sound.clear()
        self._report(place[0], fault, NO_START)

    def _called(self, container: int) -> str:
        return self.beside.get(container, (f"seg0/c{container:x}.dat",))[0]

    def _named(self, place: Place) -> str:
        return f"page {place[1]} of {self._called(place[0])}"

    def _redo(self, place: Place, body: Body) -> None:
        """Apply to a page a record that was redone."""
        name = body.operation.name
        if name.startswith("COMPRESS_SPACE"):
            highest = self._highest[place[0]] = body.fields["highest_page"]
            self._sound.clear()
            for gone in [each for each in self._images if each[0] == place[0] and each[1] > highest]:
                self._images.drop(gone)
        elif body.undone is not None:
            # Only the first undo of a change changes rows, as in recovery. A log can repeat an undo many
            # times.
            if body.undone.packed not in self._undone:
                self._undone.add(body.undone.packed)
                self._apply(place, self._find(body.undone), body, undo=True)
        else:
            self._apply(place, body, body)

    def _undo(self, body: Body) -> None:
        """Undo a change of a transaction that is open at the end of the log."""
        fields = body.fields
        if body.operation.name == "CONTAINER":
            self._container(body, undo=True)
        elif "page" in fields:
            place = fields["container"], fields["page"]
            heap = self.heap(place[0])
            if heap is not None and not heap.removed and self._stuck.isdisjoint((place, (place[0], -1))):
                self._apply(place, body, body, undo=True)

    def _apply(self, place: Place, body: Body, by: Body, *, undo: bool = False) -> None:
        if not is_heap(place[0]) or body.operation.name not in _ON_ROWS:
            return
        if body.fields.get("page_format", ROWS_PAGE) != ROWS_PAGE:
            return
        try:
            image = self._image(place)
            ident = by.fields.get("record_id", body.fields.get("record_id"))
            named = body.operation.name in _ROW_CHANGES and (undo or body.operation.name != "INSERT")
            if named and ident not in image.rows:
                text = f"row {ident} is not on {self._named(place)}, the log changes it"
                raise Fault("lost-row", text, "XSLA6")
            apply(image, body, by, image.put, undo=undo)
        except Fault as fault:
            self._stick(place, fault)
        except BadLog as error:
            self._stick(place, Fault("bad-row", f"the log's change to {self._named(place)}: {error}"))

    def _image(self, place: Place) -> HeapPage:
        """Return a page to be changed. Raises Fault, BadLog."""
        found = self._images.get(place)
        if found is None:
            heap = self.heap(place[0])
            assert heap is not None
            found = page_of(heap.page(place[1]))
            self._images.put(place, found)
        return found

    def _container(self, body: Body, *, undo: bool) -> None:
        """Create or drop a container, or undo that. Other changes have no action and no effect."""
        container, action = body.fields.get("container", 0), body.fields.get("action")
        heap = self.heap(container)
        self._sound.clear()
        if heap is None and action == CREATED and not undo:
            name = f"seg0/c{container:x}.dat"
            self._heaps[container] = Heap(container, name, b"", None, body.fields["header"])
            self._made.add(container)
        elif heap is not None and action == CREATED and undo:
            heap.removed = True
        elif heap is not None and action == _REMOVED:
            heap.removed = not undo

    # Reading the pages and rows.

    def _numbers(self, heap: Heap) -> Iterator[int]:
        """Yield the numbers of the pages of a container, in order."""
        highest = self._highest.get(heap.number, heap.count)
        changed = sorted(page for container, page in self._images if container == heap.number)
        last = 0
        for page in heapq.merge((each for each in heap.numbers if each <= highest), changed):
            if page != last and not self._spare(heap, page):
                yield page
            last = page

    def _spare(self, heap: Heap, page: int) -> bool:
        """Return whether a page was preallocated, and neither the container nor the log uses it."""
        return heap.spare(page) and (self.store is None or (heap.number, page) not in self.store.pages)

    def _main(self, heap: Heap) -> Iterator[tuple[int, HeapPage | bytes]]:
        """Yield the pages on which rows begin. A changed page is an object, an unchanged page is bytes."""
        for page in self._numbers(heap):
            place = heap.number, page
            image = self._images.read(place)
            if place in self._hidden:
                continue
            if image is not None:
                if image.valid and not image.overflow:
                    yield page, image
                continue
            try:
                data = heap.page(page)
                if main_page(data):
                    yield page, data
            except Fault as fault:
                # Preallocated pages that were never used can consist of zeros.
                if fault.code != "unknown-page" or page == _FIRST_PAGE or not heap.blank(page):
                    self._report(heap.number, fault, NO_SELECT)

    def _checked(self, heap: Heap) -> Iterator[Fault]:
        """Yield the reasons why Derby cannot read a container as a whole, unless the log repairs it."""
        if heap.number in self._made:
            return
        changed = {} if self.store is None else self.store.pages
        whole = all((heap.number, page) in changed for page in heap.absent())
        yield from (fault for fault in heap.check() if fault.code != "no-page" or not whole)

    def faults(self, without: Collection[int] = ()) -> Iterator[tuple[int, Fault]]:
        """Check all pages; yield each fault that keeps Derby from reading a container, with the container.

        Pages that redo creates again, and the containers in `without`, are omitted.
        """
        changed: dict[int, set[int]] = {}
        for container, page in self.store.pages if self.store is not None else ():
            changed.setdefault(container, set()).add(page)
        for container in sorted(self.beside.keys() - {*without}):
            heap = self.heap(container)
            made = container in self._made
            if heap is None or heap.removed or (made and heap.blank(0)):
                continue
            # Derby does not recreate a container if its first page is unreadable.
            faults = heap.check() if made else self._checked(heap)
            yield from ((container, fault) for fault in faults if not (made and fault.code == "no-page"))
            if not heap.size:
                continue
            here = changed.get(container, set())
            for page in heap.looked_at(here, self._highest.get(container)):
                try:
                    if heap.page(page)[_OVERFLOW_AT] and is_heap(container):
                        self.parted.add(container)
                except Fault as fault:
                    blank = heap.blank(page) and (made or page in here)
                    if (container, page) not in self.remade and not blank:
                        yield container, fault

    def count(self, container: int) -> tuple[int, int]:
        """Return the number of rows of a container, and their bytes, without decoding the rows."""
        rows = total = 0
        heap = self.heap(container)
        for page, data in self._main(heap) if heap is not None else ():
            skip = int(page == _FIRST_PAGE)
            if isinstance(data, bytes):
                here, size = tally(data, skip)
            else:
                kept = [row for ident in data.slots[skip:] if not (row := data.rows[ident]).deleted]
                here, size = len(kept), sum(row.room for row in kept)
            rows, total = rows + here, total + size
        return rows, total

    def described(self, container: int) -> tuple[int, tuple[int, ...]] | None:
        """Return the facts in the first row of a heap: its container, and the formats of its columns."""
        heap = self.heap(container)
        for page, data in self._main(heap) if heap is not None else ():
            with suppress(Fault):
                first = next(iter(self._on(heap, page, data)), None) if heap else None
                return descriptor(first[2]) if first and page == _FIRST_PAGE else None
        return None

    def _on(
        self, heap: Heap, page: int, data: HeapPage | bytes, *, parted: bool = False
    ) -> Iterator[tuple[int, int, HeapRow]]:
        if isinstance(data, bytes):
            yield from stored(data, f"page {page} of {heap.name}", parted=parted)
        else:
            for slot, ident in enumerate(list(data.slots)):
                yield slot, ident, data.rows[ident]

    def rows(self, container: int, *, parted: bool = False) -> Iterator[tuple[str, list[Value]]]:
        """Yield the position and the fields of each row of a container. A field without a value is None.

        Unreadable rows are reported and omitted. With `parted`, rows that lie on a single page may also be
        omitted.
        """
        heap = self.heap(container)
        if heap is None or heap.removed:
            text = f"{self._called(container)} is missing"
            self._report(container, Fault("no-container", text, "XSAI2"), NO_SELECT)
            return
        for fault in self._checked(heap):
            self._report(container, fault, NO_SELECT)
        self._left = 3 * (heap.length + self._images.size(container))
        changed = sum(each[0] == container for each in self._images)
        self._misses = _AGAIN * (heap.count + changed)
        for page, data in self._main(heap):
            try:
                for slot, ident, row in self._on(heap, page, data, parted=parted):
                    if row.deleted or (page == _FIRST_PAGE and slot == 0):
                        continue
                    values = row.values
                    if row.rest is not None or Pointer in map(type, values) or ... in values:
                        try:
                            values = self._whole(heap, row)
                        except Fault as fault:
                            fault.page = page * heap.size
                            self._report(container, fault, NO_SELECT)
                            continue
                    yield f"{page},{ident}", values
            except Fault as fault:
                fault.page = page * heap.size
                self._report(container, fault, NO_SELECT)

    def _whole(self, heap: Heap, row: HeapRow) -> list[Value]:
        """Return the fields of a row, including the fields in its other parts, and long values.

        Raises Fault.
        """
        values, parts = [None if value is ... else value for value in row.values], 0
        while row.rest is not None:
            row, parts = self._part(heap, row.rest), parts + 1
            if row.first > len(values) or parts > _MOST_PARTS:
                raise Fault("bad-row", f"between the parts of a row of {heap.name} columns are missing")
            values[row.first :] = [None if value is ... else value for value in row.values]
        return [self._long(heap, value) if isinstance(value, Pointer) else value for value in values]

    def _long(self, heap: Heap, pointer: Pointer) -> bytes | None:
        """Assemble a long value from its parts. Raises Fault."""
        parts, size = [], 0
        while True:
            try:
                page, at = number(pointer, 0, wide=True)
                ident, _ = number(pointer, at, wide=False)
            except (IndexError, BadLog):
                raise Fault("bad-row", f"a long value of {heap.name} lacks its position") from None
            values = self._part(heap, (page, ident)).values
            if not values or not isinstance(values[0], bytes):
                raise Fault("bad-row", f"row {ident} of page {page} of {heap.name} is not part of a value")
            size += len(values[0])
            if size <= LONGEST:
                parts.append(values[0])
            if len(values) == 1:
                break
            if not isinstance(values[1], Pointer):
                raise Fault("bad-row", f"a long value of {heap.name} ends too early")
            pointer = values[1]
        if size > LONGEST:
            self._report(
                heap.number, Fault("long-value", f"a value of {size} bytes in {heap.name}"), "it is not told"
            )
            return None
        return b"".join(parts)

    def _part(self, heap: Heap, where: tuple[int, int]) -> HeapRow:
        """Return a part of a row or value. Raises Fault.

        Each part should belong to one row. Therefore the total length of the parts read is limited to the
        container's length.
        """
        place = heap.number, where[0]
        page = self._parts.get(place)
        if page is None:
            if place in self._hidden:
                raise Fault(
                    "bad-row", f"a row continues on page {where[0]} of {heap.name}, which cannot be read"
                )
            try:
                page = self._images.read(place) or page_of(heap.page(where[0]))
            except BadLog as error:
                raise Fault("bad-row", f"page {where[0]} of {heap.name}: {error}") from None
            self._parts[place] = page
            self._misses -= 1
            if len(self._parts) > _MOST_PARTS_KEPT:
                self._parts.popitem(last=False)
        row = page.rows.get(where[1])
        if row is None:
            raise Fault(
                "bad-row", f"a row continues as row {where[1]} of page {where[0]} of {heap.name}: absent"
            )
        self._left -= row.room + _PART
        if self._left < 0 or self._misses < 0:
            raise Fault("bad-row", f"the rows of {heap.name} have more parts than it has bytes")
        return row


_NONE: Any = {}


# Changed pages. Recently used pages are objects. All other pages are packed, because a row as an object takes
# many times the memory of its bytes.


#: At most this many pages are kept as objects.
_MOST = 64
#: The size of a row without its values (bytes).
_ROW = 16


class Images:
    """Represents changed pages by container and number.

    A use of other pages can pack a page that :meth:`get` returned earlier. Later changes of that object would
    be lost.
    """

    def __init__(self) -> None:
        self._live: OrderedDict[Place, HeapPage] = OrderedDict()
        #: The members of a page that its packed form contains.
        self._packed: dict[Place, bytes] = {}

    def __iter__(self) -> Iterator[Place]:
        yield from [*self._live, *self._packed]

    def read(self, place: Place) -> HeapPage | None:
        """Return a page only for reading. Return None if the log did not change it."""
        if place in self._packed:
            return HeapPage(*pickle.loads(self._packed[place]))  # noqa: S301  # :meth:`put` made these bytes
        return self._live.get(place)

    def get(self, place: Place) -> HeapPage | None:
        """Return a page that the caller will change. Return None if it is not among the changed pages yet."""
        if place in self._live:
            self._live.move_to_end(place)
        elif (page := self.read(place)) is not None:
            del self._packed[place]
            self.put(place, page)
        return self._live.get(place)

    def put(self, place: Place, page: HeapPage) -> None:
        """Store a changed page."""
        self._live[place] = page
        if len(self._live) > _MOST:
            other, last = self._live.popitem(last=False)
            members = last.version, last.rows, last.next, last.overflow, last.valid, last.slots
            self._packed[other] = pickle.dumps(members)

    def drop(self, place: Place) -> None:
        """Remove a page."""
        self._live.pop(place, None)
        self._packed.pop(place, None)

    def size(self, container: int) -> int:
        """Return the approximate number of bytes of rows on the changed pages of a container."""
        live = (page for place, page in self._live.items() if place[0] == container)
        rows = sum(row.room + _ROW for page in live for row in page.rows.values())
        return rows + sum(len(page) for place, page in self._packed.items() if place[0] == container)
