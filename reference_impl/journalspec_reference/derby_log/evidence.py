"""Finds out which containers of a database are damaged, and which are missing.

A page that is merely older than the log is not damaged, because redo brings it up to date. A page that the
log creates again is also not damaged. Of the catalogue, only the rows with the names of containers are
decoded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import compress
from typing import Any

from journalspec.observation import Missing, Note
from journalspec_reference.derby_log.bodies import Forms
from journalspec_reference.derby_log.codec import BadLog, Instant, Refusal
from journalspec_reference.derby_log.containers import Fault, Heap, main_page, said_container
from journalspec_reference.derby_log.fileset import (
    CONTROLS,
    HOME,
    PROPERTIES,
    PROPERTIES_NAME,
    Log,
    file_of,
    properties_fault,
)
from journalspec_reference.derby_log.heap import rows_of
from journalspec_reference.derby_log.store import Bodies, Place, Store, growth

#: The heaps of the catalogue. If all of these are present, every container should be present. Every boot
#: opens these heaps, and the container of the properties.
CATALOGUE = frozenset({0x20, 0x60, 0x90, 0xC0})
BOOT = CATALOGUE | {0x10}
#: The container of the table that lists all containers, and the column with container numbers.
_CONGLOMERATES, _NUMBER = 0x20, 2
MAY_START = "Derby may not start"
NO_START, NO_SELECT = "Derby does not start", "Derby starts, and cannot read the table"
OTHER_ROWS = "Derby may start, and show the rows of the other container as those of the table"


class Evidence:
    """Represents the containers of a database, compared with its log after redo.

    `names` maps container numbers to file names. `own` are the containers that the log creates or removes,
    the containers with a stub, and the missing containers that the log changes.
    """

    def __init__(
        self, files: Mapping[str, Any], names: Mapping[int, str], store: Store, own: Collection[int]
    ) -> None:
        self._files, self._names, self._store, self._own = files, names, store, own
        self._heaps = {
            number: Heap(number, name.removeprefix(HOME), files[name])
            for number, name in sorted(names.items())
            # A container that the log removes can be incomplete, so it is not checked.
            if number in store.made or number not in own
        }
        #: Maps a container that the log changes to the pages that redo reads.
        self._changed: dict[int, set[int]] = {}
        for container, page in store.pages:
            self._changed.setdefault(container, {0}).add(page)
        self._sound = 0

    def damaged(self, *, plain: bool) -> list[Note]:
        """Return a note for the first fault of each container.

        `plain` means that the log proves that nothing is encrypted. Otherwise, a database without any intact
        page is treated as encrypted, and its pages get no notes.
        """
        found = []
        for number, heap in self._heaps.items():
            faults = self._faults(number, heap)
            first = next(faults, None)
            if first is not None:
                found.append(self._note(number, heap, first, faults))
        for number, page in sorted(self._store.unloaded.items()):
            # If the transaction is still open, its changes are undone, and the missing page causes no loss.
            if self._store.made[number] not in self._store.transactions:
                name = self._names[number]
                text = (
                    f"page {page} of {name.removeprefix(HOME)} was filled without records, and is not there"
                )
                found.append(
                    Note("damaged-container", name, text=f"{text}; Derby starts, and its rows are lost")
                )
        found = found if plain or self._sound else []
        found += [Note("empty-control", name) for name in CONTROLS if not len(self._files.get(name, " "))]
        stored = self._files.get(PROPERTIES)
        if stored is not None and (problem := properties_fault(stored)):
            found.append(Note("damaged-properties", PROPERTIES, text=problem))
        return found

    def _note(self, number: int, heap: Heap, first: Fault, later: Iterator[Fault]) -> Note:
        # A boot reads the pages that redo changes, and the first page of their containers. It also reads some
        # pages of the catalogue.
        redone = self._changed.get(number, set())
        stops, more = heap.page_of(first.off) in redone, 0
        for fault in later:
            stops, more = stops or heap.page_of(fault.off) in redone, more + 1
        effect = MAY_START if number in BOOT else NO_SELECT
        effect = OTHER_ROWS if first.code == "other-container" else effect
        effect = NO_START if stops else effect
        state = f" ({first.state})" if first.state else ""
        others = f", and {more} more place(s) of it are damaged" if more else ""
        text = f"{first.text}{others}; {effect}{state}"
        return Note("damaged-container", self._names[number], first.off, text)

    def _faults(self, number: int, heap: Heap) -> Iterator[Fault]:
        """Yield the faults of a container in the order of its pages."""
        if heap.removed:
            return
        fresh, made = self._store.fresh, number in self._store.made
        if made and heap.blank(0):
            return
        whole = made or all((number, page) in fresh for page in heap.absent())
        yield from (fault for fault in heap.check() if fault.code != "no-page" or not whole)
        changed = self._changed.get(number, set()) - {0}
        for page in heap.looked_at(changed, self._store.highest.get(number)) if heap.size else ():
            try:
                data = heap.page(page)
            except Fault as fault:
                if not (heap.blank(page) and (made or (number, page) in fresh)):
                    yield fault
                continue
            self._sound += 1
            if page == 1 and main_page(data) and (other := _other(data, number)) is not None:
                yield Fault("other-container", f"{heap.name} says that it is {file_of(other)}", off=heap.size)

    def missing(self) -> Iterator[Missing]:
        """Yield missing files: those that every database has, and the containers that the catalogue lists."""
        if PROPERTIES not in self._files:
            text = "Derby does not find the database (XJ004)"
            yield Missing("database-file", PROPERTIES_NAME, text=text)
        there = {*self._names, *self._own}
        for number in sorted(BOOT - there):
            yield Missing("listed-container", file_of(number), text=f"{NO_START} (XSAI2)")
        for number, off in sorted(self._listed().items()):
            if number not in there | BOOT:
                by = self._names[_CONGLOMERATES]
                yield Missing("listed-container", file_of(number), by, off, text=f"{NO_SELECT} (XSAI2)")

    def _listed(self) -> dict[int, int]:
        """Return the containers that the catalogue lists, each with the offset of the page that lists it."""
        heap, found = self._heaps.get(_CONGLOMERATES), dict[int, int]()
        if heap is None or heap.fault is not None:
            return found
        for page in heap.numbers:
            with suppress(Fault, BadLog):
                data = heap.page(page)
                for _, _, row in rows_of(data) if main_page(data) else ():
                    number = row.values[_NUMBER] if len(row.values) > _NUMBER and not row.deleted else None
                    if isinstance(number, bytes) and len(number) == 8:
                        found[int.from_bytes(number, "big", signed=True)] = page * len(data)
        return found


def _other(data: bytes, number: int) -> int | None:
    """Return the container number stored on page 1, if it is not `number`."""
    with suppress(BadLog, StopIteration):
        said = said_container(next(rows_of(data))[2])
        return said if said != number else None
    return None


# The pages next to a log show whether the log is older or newer than they are (DRB-RCV-173). A page stores no
# instant. It stores its version, which is the number of its changes. A record stores the version of the page
# before the change.

#: Marks a version whose increment only the undone record determines.
_UNDONE = -1


def bodies_of(log: Log, forms: Forms, numbers: Iterable[int]) -> Iterator[Bodies]:
    """Yield the records of some files, whether or not they belong to the log, up to the first invalid record
    in each file.
    """
    for number in numbers:
        with suppress(Refusal):
            log.enter(number)
            for batch in log.scan(log.files[number]):
                bodies = Bodies(batch, forms, len(batch.off))
                yield bodies
                if bodies.problem:
                    break


def held(log: Log, forms: Forms, place: Place, has: int, below: int) -> str:
    """Return a sentence on the last changes of a page, between the versions `has` and `below`, that the log
    files contain.
    """
    versions: set[int] = set()
    for bodies in bodies_of(log, forms, log.files):
        changes = bodies.changes()
        versions.update(compress(changes.versions, map(place.__eq__, changes.pages)))
    first = below
    while first > has and first - 1 in versions:
        first -= 1
    return f"the log files hold the changes from version {first} to {below - 1}" if first < below else ""


class Explained:
    """Represents the version that each page should have after the log, for comparison with the pages next to
    the log.

    `made` contains the containers that the log creates or removes.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._after: dict[Place, int] = {}
        #: Maps a page to the version before its last PHYSICAL_UNDO, and the instant of the undone record.
        self._undone: dict[Place, tuple[int, int]] = {}
        self.made: set[int] = set()

    def take(self, bodies: Bodies) -> None:
        """Process the records of a batch."""
        self.made |= bodies.made()
        pages, versions, growths, undone = bodies.changes(last=True)
        after = [
            version + grows if grows >= 0 else _UNDONE
            for version, grows in zip(versions, growths, strict=True)
        ]
        self._after.update(zip(pages, after, strict=True))
        for row in [row for row, version in enumerate(after) if version == _UNDONE]:
            self._undone[pages[row]] = versions[row], undone[row]

    def walk(self, log: Log, forms: Forms, numbers: Iterable[int]) -> None:
        """Process some files, whether or not they belong to the log."""
        for bodies in bodies_of(log, forms, numbers):
            self.take(bodies)

    def _explained(self, place: Place) -> int | None:
        """Return the version of a page after the log.

        Return None if the record that was undone last is missing.
        """
        if self._after[place] != _UNDONE:
            return self._after[place]
        version, undone = self._undone[place]
        with suppress(BadLog):
            return version + growth(self._store.find(Instant.unpack(undone)), undo=True)
        return None

    def newer(self) -> Iterator[Note]:
        """Yield a note on the first page of each container whose version is higher than the log explains.

        A container that the log creates or removes is omitted, because its first content is not always
        logged.
        """
        told: set[int] = set()
        containers = self._store.containers
        for container, page in sorted(self._after):
            if container in self.made or container in told or container not in containers:
                continue
            explained, stored = self._explained((container, page)), containers[container].version(page)
            if explained is not None and stored is not None and stored > explained:
                told.add(container)
                text = f"page {page} of container {container} is at version {stored}"
                text += f", the log ends at {explained}"
                where = containers[container].offset(page)
                yield Note("newer-page", containers[container].name, where, text)


def older(store: Store, place: Place, needed: int) -> str:
    """Return the fault of a page that is older than the record that changes it."""
    container, page = place
    has = store.pages[place].version
    beside = f" ({store.containers[container].name})" if container in store.containers else ""
    return f"page {page} of container {container}{beside} is at version {has}, the log needs {needed}"
