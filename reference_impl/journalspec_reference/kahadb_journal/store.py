"""What the commands of a journal amount to: destinations, messages, transactions (KHD-RCV, KHD-TXN).

Messages are kept by id and by the place of their record, not by their bytes.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, NamedTuple

from journalspec.kahadb_journal.commands import KINDS

#: Messages come in three classes: above the default priority, of it, below it (KHD-RCV-005).
DEFAULT_PRIORITY = 4
_RANKS = (-1, 0, 1)
#: Priorities have 32 bits and may be negative.
_HALF = 1 << 31
#: What a transaction is known by: a connection and a number, or the three parts of an XA id.
TxId = tuple[Any, ...]
#: A destination: its kind and its name.
Name = tuple[str, str]


class Message(NamedTuple):
    """A message: its class, its number in the order of taking effect, its priority, its record's place."""

    rank: int
    number: int
    priority: int
    place: int

    def packed(self) -> int:
        """Return all of it as one number, which takes a third of the memory."""
        return ((self.number << 2 | self.rank + 1) << 32 | self.priority + _HALF) << 64 | self.place


def unpacked(packed: int) -> Message:
    """Return the message that a number stands for."""
    high, place = divmod(packed, 1 << 64)
    return Message((high >> 32 & 3) - 1, number_of(packed), (high & 0xFFFFFFFF) - _HALF, place)


def number_of(packed: int) -> int:
    """Return the number of a message that is packed."""
    return packed >> 98


class Change(NamedTuple):
    """A command on messages, held until its transaction ends."""

    command: str
    destination: Name
    message_id: str
    priority: int = DEFAULT_PRIORITY
    place: int = -1
    subscription: str | None = None


@dataclass
class Subscription:
    """What is owed to a durable subscription: messages above a number, but for those it acknowledged."""

    above: int
    acknowledged: set[int] = field(default_factory=set)

    def owed(self, number: int) -> bool:
        """Tell whether the message of a number, if it is there, is owed."""
        return number > self.above and number not in self.acknowledged


@dataclass
class Destination:
    """One queue or topic: messages by id, packed, in the order of their numbers, and subscriptions.

    Nothing is kept for each message and subscription: that would be their product.
    """

    messages: dict[str, int] = field(default_factory=dict)
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    #: `above` of all subscriptions, sorted; how many of them acknowledged a message, by its number
    _starts: list[int] = field(default_factory=list)
    _acknowledged: Counter[int] = field(default_factory=Counter)
    #: the ids of messages that are there and of which some of the subscriptions have theirs, by number
    _partly: dict[int, str] = field(default_factory=dict)

    def in_order(self) -> Iterator[tuple[str, Message]]:
        """Yield the messages as they are delivered."""
        for rank in _RANKS:
            for message_id, packed in self.messages.items():
                if (message := unpacked(packed)).rank == rank:
                    yield message_id, message

    def owed(self, number: int) -> bool:
        """Tell whether the message of a number is owed to some subscription."""
        return bisect_left(self._starts, number) > self._acknowledged[number]

    def count(self, key: str) -> int:
        """Return how many messages are owed to a subscription."""
        return sum(map(self.subscriptions[key].owed, map(number_of, self.messages.values())))

    def subscribe(self, key: str, above: int) -> None:
        """Let a subscription, a new one or not, be owed all messages above a number."""
        self.leave(key)
        self.subscriptions[key] = Subscription(above)
        insort(self._starts, above)

    def leave(self, key: str) -> Subscription | None:
        """Take a subscription away, if there is one, but no message."""
        ended = self.subscriptions.pop(key, None)
        if ended is not None:
            del self._starts[bisect_left(self._starts, ended.above)]
            self._acknowledged.subtract(ended.acknowledged)
            for number in ended.acknowledged:
                if not self._acknowledged[number]:
                    del self._acknowledged[number]
                    self._partly.pop(number, None)
        return ended

    def acknowledge(self, key: str, message_id: str) -> None:
        """Take in that a subscription has a message; the last one that is owed it takes it away."""
        here, number = self.subscriptions.get(key), number_of(self.messages[message_id])
        if here is None or not here.owed(number):
            return
        here.acknowledged.add(number)
        self._acknowledged[number] += 1
        self._partly[number] = message_id
        if not self.owed(number):
            self.remove(message_id)

    def remove(self, message_id: str) -> None:
        """Take a message away that is there."""
        self._partly.pop(number_of(self.messages.pop(message_id)), None)

    def end(self, key: str) -> None:
        """End a subscription: what was owed to it alone goes.

        That is what came before all others began, and what all others have: nothing else is looked at.
        """
        ended = self.leave(key)
        if ended is None:
            return
        first = self._starts[0] if self._starts else None
        early = ((number_of(packed), message_id) for message_id, packed in self.messages.items())
        before = takewhile(lambda item: first is None or item[0] <= first, early)
        for number, message_id in [*before, *self._partly.items()]:
            if message_id in self.messages and ended.owed(number) and not self.owed(number):
                self.remove(message_id)


def destination_of(fields: Mapping[str, Any]) -> Name:
    """Return the destination that a command is about; what is not stored is a queue without name."""
    found = fields.get("destination", {})
    kind = found.get("kind", 0)
    return KINDS[kind] if 0 <= kind < len(KINDS) else KINDS[0], found.get("name", "")


def transaction_of(fields: Mapping[str, Any]) -> TxId | None:
    """Return the transaction that a command belongs to, None if it belongs to none."""
    found = fields.get("transaction")
    if found is None:
        return None
    if "xa" in found and "local" not in found:
        xa = found["xa"]
        return "XA", xa.get("format_id", 0), xa.get("gtrid", b""), xa.get("bqual", b"")
    local = found.get("local", {})
    return "LOCAL", local.get("connection", ""), local.get("number", 0)


def tx_text(tx: TxId) -> str:
    """Return a transaction in words."""
    return ":".join(part.hex() if isinstance(part, bytes) else str(part) for part in tx)


def _priority(fields: Mapping[str, Any]) -> int:
    return fields.get("priority", DEFAULT_PRIORITY) if fields.get("priority_supported") else DEFAULT_PRIORITY


def change_of(command: str, fields: Mapping[str, Any], place: int) -> Change:
    """Return what a command does to messages."""
    return Change(
        command,
        destination_of(fields),
        fields.get("message_id", ""),
        _priority(fields),
        place,
        fields.get("subscription_key"),
    )


class Store:
    """The state that replaying commands leads to."""

    def __init__(self) -> None:
        self.destinations: dict[Name, Destination] = {}
        #: transactions that nobody prepared or ended (KHD-TXN-005, KHD-TXN-006)
        self.open: dict[TxId, list[Change]] = {}
        self.prepared: dict[TxId, list[Change]] = {}
        self._number = 0

    @property
    def number(self) -> int:
        """The number of the last message that took effect."""
        return self._number

    def take(self, command: str, fields: Mapping[str, Any], place: int) -> list[str]:
        """Do one command whose record is at `place`; return the ids that were added twice."""
        if command in ("ADD_MESSAGE", "REMOVE_MESSAGE"):
            change, tx = change_of(command, fields, place), transaction_of(fields)
            if tx is not None:
                self.open.setdefault(tx, []).append(change)
                return []
            return self._do([change])
        if command == "UPDATE_MESSAGE":
            return self._do([change_of(command, fields.get("add", {}), place)])
        if command in ("PREPARE", "COMMIT", "ROLLBACK"):
            tx = transaction_of(fields) or ("LOCAL", "", 0)
            if command == "PREPARE":
                if tx in self.open:
                    self.prepared[tx] = self.open.pop(tx)
                return []
            ended = self.open.pop(tx, None)
            if ended is None:
                ended = self.prepared.pop(tx, [])
            return self._do(ended) if command == "COMMIT" else []
        if command == "REMOVE_DESTINATION":
            self.destinations.pop(destination_of(fields), None)
        elif command == "SUBSCRIPTION":
            self._subscribe(fields)
        return []

    def _do(self, changes: list[Change]) -> list[str]:
        return [change.message_id for change in changes if self._change(change)]

    def _change(self, change: Change) -> bool:
        """Do one change; tell whether it added a message that was there."""
        here = self.destinations.setdefault(change.destination, Destination())
        known = here.messages.get(change.message_id)
        if change.command == "REMOVE_MESSAGE":
            if known is not None:
                self._remove(here, change)
            return False
        rank = (change.priority < DEFAULT_PRIORITY) - (change.priority > DEFAULT_PRIORITY)
        if known is not None:
            if change.command == "UPDATE_MESSAGE":
                changed = Message(rank, number_of(known), change.priority, change.place)
                here.messages[change.message_id] = changed.packed()
            return change.command == "ADD_MESSAGE"
        if change.destination[0] in ("TOPIC", "TEMP_TOPIC") and not here.subscriptions:
            return False
        self._number += 1
        added = Message(rank, self._number, change.priority, change.place)
        here.messages[change.message_id] = added.packed()
        return False

    @staticmethod
    def _remove(here: Destination, change: Change) -> None:
        if change.subscription is None:
            here.remove(change.message_id)
        else:
            here.acknowledge(change.subscription, change.message_id)

    def _subscribe(self, fields: Mapping[str, Any]) -> None:
        name, key = destination_of(fields), fields.get("subscription_key", "")
        here = self.destinations.setdefault(name, Destination())
        if "subscription_info" in fields:
            if fields.get("retroactive"):
                here.subscribe(key, 0)
            elif key not in here.subscriptions:
                here.subscribe(key, self._number)
            return
        here.end(key)
        if not here.subscriptions:
            del self.destinations[name]
