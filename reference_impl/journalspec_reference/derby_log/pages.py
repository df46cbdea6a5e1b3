"""What the pages beside a log say about it: that it is older than they are, or they than it (DRB-RCV-173).

A page has no instant, only the number of its changes. A record says how many its page has had before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from typing import Any

from journalspec.observation import Note
from journalspec_reference.batches import Batch, columns_module
from journalspec_reference.derby_log.bodies import CHANGE, CLOSELY, MANY, Body, Forms, decode
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, BadLog, Refusal
from journalspec_reference.derby_log.scan import Log
from journalspec_reference.derby_log.store import Place, Store, growth


class Bodies:
    """The bodies of the records of a batch: those of all, or of many records only those that are not plain.

    `rows` is the number of records before the first whose body cannot be decoded, `problem` what is wrong
    with that. `columns` are those of the others, if there are others; `kinds` says which these are.
    """

    __slots__ = ("columns", "decoded", "kinds", "problem", "rows")

    def __init__(self, batch: Batch, forms: Forms, rows: int) -> None:
        self.rows, self.problem = rows, ""
        self.decoded: dict[int, Body] = {}
        self.columns = _gathered(batch, forms, rows) if rows >= MANY else None
        self.kinds: bytes = b"" if self.columns is None else self.columns.kinds()
        closely = range(rows) if self.columns is None else self.columns.rows(CLOSELY)
        data, off, end = batch.data, batch.off, batch.end
        for row in closely:
            try:
                self.decoded[row] = decode(data[off[row] + BEFORE : end[row] - BEHIND], forms)
            except BadLog as error:
                self.rows, self.problem = row, str(error)
                break

    def tally(self, types: Counter[int], containers: Counter[int]) -> None:
        """Count the records by operation, and by the container whose page they change."""
        if self.columns is not None:
            self.columns.tally(self.rows, types, containers)
        for body in self.decoded.values():
            types[body.operation.id] += 1
            if "page_version" in body.fields:
                containers[body.fields["container"]] += 1

    def changes(self, containers: Container[int]) -> Iterator[tuple[tuple[int, int], int, Body | None]]:
        """Yield the changes of pages of `containers`: page, version before, and the body if it is decoded."""
        plain: Iterable[tuple[int, Any, int]] = ((CLOSELY, None, 0) for _ in range(self.rows))
        if self.columns is not None:
            plain = zip(self.kinds[: self.rows], *self.columns.pages(), strict=False)
        for row, (kind, place, version) in enumerate(plain):
            if kind == CHANGE and place[0] in containers:
                yield place, version, None
            elif kind == CLOSELY:
                fields = self.decoded[row].fields
                if "page_version" in fields and fields["container"] in containers:
                    yield (fields["container"], fields["page"]), fields["page_version"], self.decoded[row]


def _gathered(batch: Batch, forms: Forms, rows: int) -> Any:
    """Return the columns of a batch; None without NumPy."""
    module = columns_module(__package__)
    names = ("container", "page", "page_version", "status")
    return None if module is None else module.Gathered(batch, forms, rows, names)


def bodies_of(log: Log, forms: Forms, numbers: Iterable[int]) -> Iterator[Bodies]:
    """Yield the records of some files, in the log or not, up to the first of each that is none."""
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
        versions |= {version for there, version, _ in bodies.changes({place[0]}) if there == place}
    first = below
    while first > has and first - 1 in versions:
        first -= 1
    return f"the log files hold the changes from version {first} to {below - 1}" if first < below else ""


class Explained:
    """What a log says of the pages of containers that stand beside it: the version that each has after it.

    None: nothing tells by how much the last change moves it. `made` are containers that the log makes or
    removes.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.after: dict[Place, int | None] = {}
        self.made: set[int] = set()

    def take(self, bodies: Bodies) -> None:
        """Take in the records of a batch."""
        for each in bodies.decoded.values():
            if each.operation.name == "CONTAINER":
                self.made.add(each.fields["container"])
        for place, version, body in bodies.changes(self._store.containers.names.keys()):
            after: int | None = version + (1 if body is None else growth(body))
            if body is not None and body.operation.name == "PHYSICAL_UNDO" and body.undone is not None:
                try:
                    after = version + growth(self._store.find(body.undone), undo=True)
                except BadLog:
                    after = None
            self.after[place] = after

    def walk(self, log: Log, forms: Forms, numbers: Iterable[int]) -> None:
        """Take in some files, in the log or not."""
        for bodies in bodies_of(log, forms, numbers):
            self.take(bodies)

    def newer(self) -> Iterator[Note]:
        """Yield a note for the first page of each container that has had more changes than the log explains.

        A container that the log makes or removes is left out: what fills it at first need not be logged.
        """
        told: set[int] = set()
        containers = self._store.containers
        for (container, page), explained in sorted(self.after.items(), key=lambda item: item[0]):
            if explained is None or container in self.made or container in told:
                continue
            stored = containers[container].version(page)
            if stored is not None and stored > explained:
                told.add(container)
                text = f"page {page} of container {container} is at version {stored}"
                text += f", the log ends at {explained}"
                where = containers[container].offset(page)
                yield Note("newer-page", containers.names[container], where, text)


def older(store: Store, place: Place, needed: int) -> str:
    """Return what is wrong with a page that is older than the record that changes it."""
    container, page = place
    has = store.pages[place].version
    beside = f" ({store.containers.names[container]})" if container in store.containers else ""
    return f"page {page} of container {container}{beside} is at version {has}, the log needs {needed}"
