"""What the pages beside a log say about it: that it is older than they are, or they than it (DRB-RCV-173).

A page has no instant, only the number of its changes. A record says how many its page has had before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from journalspec.derby_log.operations import Form
from journalspec.observation import Note
from journalspec_reference.derby_log.bodies import Body, decode
from journalspec_reference.derby_log.codec import BadLog, LoggedRecord, Refusal
from journalspec_reference.derby_log.scan import Log
from journalspec_reference.derby_log.store import Place, Store, growth


class Change(NamedTuple):
    """A record that changes a page: its place, the version that the page has before it, and its body."""

    place: Place
    version: int
    body: Body


def changes(log: Log, forms: Mapping[int, Form], made: set[int]) -> Iterator[Change]:
    """Yield the changes of pages in all files, in the log or not; containers that it makes go to `made`."""
    for number, file in log.files.items():
        with suppress(BadLog, Refusal):
            log.enter(number)
            for item in log.scan(file).walk():
                if not isinstance(item, LoggedRecord):
                    break
                body = decode(item.body, forms)
                if "page_version" in body.fields:
                    place = body.fields["container"], body.fields["page"]
                    yield Change(place, body.fields["page_version"], body)
                elif body.operation.name == "CONTAINER":
                    made.add(body.fields["container"])


def held(log: Log, forms: Mapping[int, Form], place: Place, has: int, below: int) -> str:
    """Return which changes of a page from version `has` to `below` the log files hold, as a sentence."""
    versions = {change.version for change in changes(log, forms, set()) if change.place == place}
    first = below
    while first > has and first - 1 in versions:
        first -= 1
    return f"the log files hold the changes from version {first} to {below - 1}" if first < below else ""


def newer(log: Log, forms: Mapping[int, Form], store: Store) -> Iterator[Note]:
    """Yield a note for the first page of each container that has had more changes than the log explains.

    A container that the log makes or removes is left out: what fills it at first need not be logged.
    """
    after: dict[Place, int | None] = {}
    made: set[int] = set()
    for place, version, body in changes(log, forms, made):
        if place[0] in store.containers:
            after[place] = version + growth(body)
            if body.operation.name == "PHYSICAL_UNDO" and body.undone is not None:
                try:
                    after[place] = version + growth(store.find(body.undone), undo=True)
                except BadLog:
                    after[place] = None  # nothing tells by how much
    told: set[int] = set()
    for (container, page), explained in sorted(after.items(), key=lambda item: item[0]):
        if explained is None or container in made or container in told:
            continue
        stored = store.containers[container].version(page)
        if stored is not None and stored > explained:
            told.add(container)
            text = f"page {page} of container {container} is at version {stored}, the log ends at {explained}"
            name = store.containers.names[container]
            yield Note("newer-page", name, store.containers[container].offset(page), text)


def older(store: Store, place: Place, needed: int) -> str:
    """Return what is wrong with a page that is older than the record that changes it."""
    container, page = place
    has = store.pages[place].version
    beside = f" ({store.containers.names[container]})" if container in store.containers else ""
    return f"page {page} of container {container}{beside} is at version {has}, the log needs {needed}"
