"""What the commands of a journal amount to: destinations, messages, transactions (KHD-RCV, KHD-TXN).

Messages are kept by id and by the place of their record, not by their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from journalspec.kahadb_journal.commands import KINDS
from journalspec_reference.kahadb_journal.owners import Owners, Ranked, Subscription

#: Messages come in three classes: above the default priority, of it, below it (KHD-RCV-005).
DEFAULT_PRIORITY = 4
RANKS = (-1, 0, 1)
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


class Destination:
    """One queue or topic: messages by id, packed, in the order of their numbers, and subscriptions."""

    __slots__ = ("messages", "owners")

    def __init__(self) -> None:
        self.messages: dict[str, int] = {}
        #: None until there is a durable subscription
        self.owners: Owners | None = None

    @property
    def subscriptions(self) -> Mapping[str, Subscription]:
        """The durable subscriptions by key."""
        return self.owners.subscriptions if self.owners is not None else {}

    def in_order(self) -> Iterator[tuple[str, Message]]:
        """Yield the messages as they are delivered."""
        for rank in RANKS:
            for message_id, packed in self.messages.items():
                if (message := unpacked(packed)).rank == rank:
                    yield message_id, message

    def ranked(self) -> Ranked:
        """Return the ids of the messages in that order, to be asked for what a subscription needs."""
        kept = ((unpacked(packed), message_id) for message_id, packed in self.messages.items())
        return Ranked(((message.rank, message.number, message_id) for message, message_id in kept), RANKS)

    def subscribe(self, key: str, above: int) -> None:
        """Let a subscription, a new one or not, be owed all messages above a number."""
        if self.owners is None:
            self.owners = Owners({number_of(packed): ident for ident, packed in self.messages.items()})
        self.owners.begin(key, above)

    def put(self, message_id: str, message: Message) -> None:
        """Take in a message that is not there."""
        self.messages[message_id] = message.packed()
        if self.owners is not None:
            self.owners.add(message.number, message_id)

    def acknowledge(self, key: str, message_id: str) -> None:
        """Take in that a subscription has a message; the last one that is owed it takes it away."""
        if self.owners is not None:
            self.owners.acknowledge(key, number_of(self.messages[message_id]))
            self._sweep(self.owners)

    def remove(self, message_id: str) -> None:
        """Take a message away that is there."""
        number = number_of(self.messages.pop(message_id))
        if self.owners is not None:
            self.owners.drop(number)

    def end(self, key: str) -> None:
        """End a subscription: what was owed to it alone goes."""
        if self.owners is not None:
            self.owners.leave(key)
            self._sweep(self.owners)

    def _sweep(self, owners: Owners) -> None:
        for message_id in owners.needless():
            del self.messages[message_id]


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
        here.put(change.message_id, added)
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
