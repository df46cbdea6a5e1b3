"""What the pages next to a log show about it: that the log is older than they are, or newer (DRB-RCV-173).

A page has no instant, only the number of its changes. A record says how many its page has had before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import compress
from typing import Any

from journalspec.observation import Note
from journalspec_reference.batches import Batch, columns_module
from journalspec_reference.derby_log.bodies import MANY, Body, Forms, decode
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, BadLog, Instant, Refusal
from journalspec_reference.derby_log.fileset import Log
from journalspec_reference.derby_log.store import Changes, Place, Store, growth

#: The version after a change that nothing here shows: the change that it undoes shows it.
_UNDONE = -1


class Bodies:
    """The bodies of the records of a batch: those of all, or of many records only those that are not plain.

    `rows` is the number of records before the first one whose body cannot be decoded, `problem` the fault of
    that body. `columns` are those of the others, if there are others.
    """

    __slots__ = ("_end", "_filled", "columns", "decoded", "problem", "rows")

    def __init__(self, batch: Batch, forms: Forms, rows: int) -> None:
        self.rows, self.problem, self._filled = rows, "", False
        #: Where the last record ends.
        self._end = batch.end[rows - 1] if rows else 0
        self.decoded: dict[int, Body] = {}
        module = columns_module(__package__) if rows >= MANY else None
        self.columns = None if module is None else module.Gathered(batch, forms, rows, module.REPLAYED)
        closely = range(rows) if self.columns is None else self.columns.closely.nonzero()[0].tolist()
        data, off, end = batch.data, batch.off, batch.end
        for row in closely:
            try:
                self.decoded[row] = decode(data[off[row] + BEFORE : end[row] - BEHIND], forms)
            except BadLog as error:
                self.rows, self.problem = row, str(error)
                break

    def filled(self) -> Any:
        """Return the columns with the rows that are decoded; None if there are no columns."""
        if self.columns is not None and not self._filled:
            self.columns.fill(self.decoded)
            self._filled = True
        return self.columns

    def replay(
        self, store: Store, closely: Collection[int], place: int, rows: int, redo_from: int
    ) -> Iterable[int]:
        """Redo simple records in the first `rows`; yield the numbers of the others, to be taken at once.

        `closely` are containers whose changes are not plain; `place` is the instant of the batch.
        """
        columns = self.filled()
        if columns is None:
            return range(rows)
        # Pages have the changes before the redo point: what counts of them is who began, and who ended.
        known = store.transactions if rows and place + self._end <= redo_from else None
        numbers, plain, highest = columns.plain(closely, place, rows, known)
        store.next = max(store.next, highest + 1)
        return store.replay(numbers, plain, redo_from)

    def tally(self, types: Counter[int], containers: Counter[int]) -> None:
        """Count the records by operation, and by the container whose page they change."""
        if self.columns is not None and not self._filled:
            self.columns.tally(self.rows, types, containers)
        for body in self.decoded.values():
            types[body.operation.id] += 1
            if "page_version" in body.fields:
                containers[body.fields["container"]] += 1

    def made(self) -> set[int]:
        """Return the containers that are made or removed."""
        decoded = (body for body in self.decoded.values() if body.operation.name == "CONTAINER")
        plain: set[int] = set() if self.columns is None else self.columns.made(self.rows)
        return plain | {body.fields["container"] for body in decoded}

    def changes(self, *, last: bool = False) -> Changes:
        """Return the changes of pages; `last`: at least the last one of each."""
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


def bodies_of(log: Log, forms: Forms, numbers: Iterable[int]) -> Iterator[Bodies]:
    """Yield the records of some files, in the log or not, up to the first invalid record of each."""
    for number in numbers:
        with suppress(Refusal):
            for batch in log.scan(log.enter(number)):
                bodies = Bodies(batch, forms, len(batch.off))
                yield bodies
                if bodies.problem:
                    break


def held(log: Log, forms: Forms, place: Place, has: int, below: int) -> str:
    """Return which changes of a page from version `has` to `below` the log files hold, as a sentence."""
    versions: set[int] = set()
    for bodies in bodies_of(log, forms, log.files):
        changes = bodies.changes()
        versions.update(compress(changes.versions, map(place.__eq__, changes.pages)))
    first = below
    while first > has and first - 1 in versions:
        first -= 1
    return f"the log files hold the changes from version {first} to {below - 1}" if first < below else ""


class Explained:
    """The pages of the containers next to a log: the version that each has at the end of the log.

    `made` are containers that the log makes or removes.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._after: dict[Place, int] = {}
        #: Page -> the version before its last PHYSICAL_UNDO, and what this undoes.
        self._undone: dict[Place, tuple[int, int]] = {}
        self.made: set[int] = set()

    def take(self, bodies: Bodies) -> None:
        """Take in the records of a batch."""
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
        """Take in some files, in the log or not."""
        for bodies in bodies_of(log, forms, numbers):
            self.take(bodies)

    def _explained(self, place: Place) -> int | None:
        """Return the version of a page after the log; None: nothing says how its last change moves it."""
        if self._after[place] != _UNDONE:
            return self._after[place]
        version, undone = self._undone[place]
        with suppress(BadLog):
            return version + growth(self._store.find(Instant.unpack(undone)), undo=True)
        return None

    def newer(self) -> Iterator[Note]:
        """Yield a note for the first page of each container that has had more changes than the log explains.

        A container that the log makes or removes is omitted: what fills it at first need not be logged.
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
                yield Note("newer-page", containers.names[container], where, text)


def older(store: Store, place: Place, needed: int) -> str:
    """Return the fault of a page that is older than the record that changes it."""
    container, page = place
    has = store.pages[place].version
    beside = f" ({store.containers.names[container]})" if container in store.containers else ""
    return f"page {page} of container {container}{beside} is at version {has}, the log needs {needed}"
