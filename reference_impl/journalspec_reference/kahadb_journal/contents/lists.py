"""The messages of each queue and durable subscription, by the journal and the db.data next to it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import NamedTuple

from journalspec.reread import Changed
from journalspec_reference.kahadb_journal.codec import CommandError, parse
from journalspec_reference.kahadb_journal.index import UnusableIndex, is_in
from journalspec_reference.kahadb_journal.owners import Ranked
from journalspec_reference.kahadb_journal.recover import JournalPass
from journalspec_reference.kahadb_journal.store import (
    PLACE,
    Destination,
    Name,
    destination_of,
    number_of,
    place_of,
)

#: States of a message: delivered at a start, acknowledged by a transaction that is prepared, not in the
#: index that covers it, and needed by a subscription that only the index has.
PENDING, PREPARED, NOT_IN_INDEX, INDEX_ONLY = "pending", "prepared-ack", "not-in-index", "index-only"
_NONE = array("q")


class ListedMessage(NamedTuple):
    """One message of a queue or subscription: its id, the place of its record, and its state."""

    ident: str
    place: int
    state: str


class Listed(NamedTuple):
    """A queue, or a topic and the key of a durable subscription, and what begins its messages anew.

    `info` is the object of a subscription that only the index has.
    """

    name: Name
    subscription: str | None
    entries: Callable[[], Iterator[ListedMessage]]
    info: bytes | None = None


class _Topic(NamedTuple):
    """What the index has of a topic."""

    #: The number of a message in the journal's order -> its number in the index.
    numbers: Mapping[int, int]
    #: The needs of each subscription, as :meth:`Index.needed` gives them.
    needed: Mapping[str, array[int]]
    #: The subscriptions that the journal does not have: their messages, and the objects of them.
    others: Mapping[str, Sequence[ListedMessage]]
    infos: Mapping[str, bytes]


class Lists:
    """The queues and durable subscriptions of a journal with the index next to it."""

    def __init__(self, passed: JournalPass) -> None:
        self._passed, self._store, self._known = passed, passed.store, passed.known
        self._turns = {file.number: turn for turn, file in enumerate(passed.files)}

    def __iter__(self) -> Iterator[Listed]:
        """Yield the queues and the durable subscriptions, by name; a topic without any has nothing."""
        only = {name for name, _ in self._known.only} if self._known is not None else set()
        for name in sorted({*self._store.destinations, *only}):
            here = self._store.destinations.get(name, Destination())
            if not name[0].endswith("TOPIC"):
                yield Listed(name, None, partial(self._of_queue, name, here))
                continue
            topic, ranked = self._topic(name, here), here.ranked()
            for key in sorted(here.subscriptions):
                yield Listed(name, key, partial(self._of_subscription, name, here, key, ranked, topic))
            if topic is not None:
                for key, entries in sorted(topic.others.items()):
                    yield Listed(name, key, entries.__iter__, topic.infos[key])

    def _of_queue(self, name: Name, here: Destination) -> Iterator[ListedMessage]:
        hidden = self._known.hidden.get(name, ()) if self._known is not None else ()
        acked = self._acknowledged.get((name, None), ())
        for ident, stored in here.in_order():
            state = NOT_IN_INDEX if ident in hidden else PREPARED if ident in acked else PENDING
            yield ListedMessage(ident, place_of(stored), state)

    def _of_subscription(
        self, name: Name, here: Destination, key: str, ranked: Ranked, topic: _Topic | None
    ) -> Iterator[ListedMessage]:
        acked = self._acknowledged.get((name, key), ())
        mark = self._known.mark if self._known is not None else 0
        for ident in ranked.pending(here.subscriptions[key]):
            stored = here.messages[ident]
            state = PREPARED if ident in acked else PENDING
            if topic is not None and (number := number_of(stored)) <= mark:
                known = topic.numbers.get(number)
                if known is None or not is_in(topic.needed.get(key, _NONE), known):
                    state = NOT_IN_INDEX
            yield ListedMessage(ident, place_of(stored), state)

    @cached_property
    def _acknowledged(self) -> Mapping[tuple[Name, str | None], set[str]]:
        """What prepared transactions acknowledge, by queue or subscription."""
        out: dict[tuple[Name, str | None], set[str]] = {}
        for steps in self._store.prepared.values():
            for step in steps:
                if step.command == "REMOVE_MESSAGE":
                    out.setdefault((step.destination, step.subscription), set()).add(step.message_id)
        return out

    def _topic(self, name: Name, here: Destination) -> _Topic | None:
        if self._known is None or name not in self._known.topics:
            return None
        index, roots = self._known.index, self._known.topics[name]
        numbers: dict[int, int] = {}
        with suppress(UnusableIndex, CommandError):
            index.pages.forget()
            needed = dict(index.needed(roots))
            others: dict[str, list[ListedMessage]] = {
                key: [] for topic, key in self._known.only if topic == name
            }
            for number, ident, (file, off) in index.messages(roots):
                if (stored := here.messages.get(ident)) is not None:
                    numbers[number_of(stored)] = number
                wanted = [key for key in others if is_in(needed.get(key, _NONE), number)]
                if wanted and file in self._turns and self._holds(name, ident, file, off):
                    place = (self._turns[file] << PLACE) + off
                    for key in wanted:
                        others[key].append(ListedMessage(ident, place, INDEX_ONLY))
            commands = dict(index.subscriptions(roots)) if others else {}
            infos = {key: parse("SUBSCRIPTION", commands.get(key, b"")) for key in others}
            blobs = {key: bytes(fields.get("subscription_info", b"")) for key, fields in infos.items()}
            return _Topic(numbers, needed, others, blobs)
        return None

    def _holds(self, name: Name, ident: str, file: int, off: int) -> bool:
        """Return whether the record that an index names is there; it may be in a damaged region."""
        with suppress(Changed):
            command, fields, _ = self._passed.places.command((self._turns[file] << PLACE) + off)
            same = destination_of(fields) == name and fields.get("message_id", "") == ident
            return same and command in ("ADD_MESSAGE", "UPDATE_MESSAGE")
        return False
