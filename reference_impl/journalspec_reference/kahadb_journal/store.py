"""What the commands of a journal amount to: destinations, messages, transactions (KHD-RCV, KHD-TXN).

Messages are kept by id and by the place of their record, not by their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from journalspec.kahadb_journal.commands import KINDS
from journalspec_reference.batches import Batch
from journalspec_reference.kahadb_journal.codec import HEAD
from journalspec_reference.kahadb_journal.owners import Owners, Ranked, Subscription

#: Messages come in three classes: above the default priority, of it, below it (KHD-RCV-005).
DEFAULT_PRIORITY = 4
RANKS = (-1, 0, 1)
#: Priorities have 32 bits and may be negative.
_HALF = 1 << 31
#: Bits of a place: its offset, behind the turn of its file.
PLACE, _PLACES, _RANKED = 64, 96, 34
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


def packed(number: int, rank: int, priority: int, place: int) -> int:
    """Return a message as one number, which takes a third of the memory."""
    return int(number << _RANKED | ranked(rank, priority)) << _PLACES | place


def ranked(rank: Any, priority: Any) -> Any:
    """Return class and priority as one number of 34 bits; both are numbers, or both are columns."""
    return (rank + 1 << 32) + priority + _HALF


def unpacked(stored: int) -> Message:
    """Return the message that a number stands for."""
    high, place = divmod(stored, 1 << _PLACES)
    return Message((high >> 32 & 3) - 1, number_of(stored), (high & 0xFFFFFFFF) - _HALF, place)


def number_of(stored: int) -> int:
    """Return the number of a message that is packed."""
    return stored >> _PLACES + _RANKED


class Change(NamedTuple):
    """A command on messages, held until its transaction ends."""

    command: str
    destination: Name
    message_id: str
    priority: int = DEFAULT_PRIORITY
    place: int = -1
    subscription: str | None = None


#: What a replay does with a row of columns: it looks at the command, does nothing, or has all that it needs.
NOTHING, ADDS, REMOVES, CHANGES, ENDS, CLOSELY = range(6)
#: Commands on messages and on transactions, by their numbers, and the transaction that is none (KHD-CMD-007).
CHANGING = {1: "ADD_MESSAGE", 2: "REMOVE_MESSAGE"}
ENDING = {3: "PREPARE", 4: "COMMIT", 5: "ROLLBACK"}
NO_TRANSACTION: TxId = ("LOCAL", "", 0)


class PlainRows(NamedTuple):
    """The commands of a batch as rows, for a replay.

    A row has what is done with it, its destination and transaction by number (-1: none), where its id begins
    and ends, its class and priority, where its subscription begins and the length of that (-1: none).
    `others` are the commands that a replay has to look at, by row.
    """

    rows: list[tuple[int, ...]]
    names: list[Name]
    transactions: list[TxId]
    others: dict[int, tuple[str, Mapping[str, Any]]]


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
            for message_id, stored in self.messages.items():
                if (message := unpacked(stored)).rank == rank:
                    yield message_id, message

    def ranked(self) -> Ranked:
        """Return the ids of the messages in that order, to be asked for what a subscription needs."""
        kept = ((unpacked(stored), message_id) for message_id, stored in self.messages.items())
        return Ranked(((message.rank, message.number, message_id) for message, message_id in kept), RANKS)

    def subscribe(self, key: str, above: int) -> None:
        """Let a subscription, a new one or not, be owed all messages above a number."""
        if self.owners is None:
            self.owners = Owners({number_of(stored): ident for ident, stored in self.messages.items()})
        self.owners.begin(key, above)

    def acknowledge(self, key: str, message_id: str) -> None:
        """Take in that a subscription has a message; the last one that is owed it takes it away."""
        if self.owners is not None:
            self.owners.acknowledge(key, number_of(self.messages[message_id]))
            self._sweep(self.owners)

    def remove(self, message_id: str) -> None:
        """Take a message away that is there."""
        stored = self.messages.pop(message_id)
        if self.owners is not None:
            self.owners.drop(number_of(stored))

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
        if command in CHANGING.values():
            change, tx = change_of(command, fields, place), transaction_of(fields)
            if tx is not None:
                self.open.setdefault(tx, []).append(change)
                return []
            return [change.message_id] if self._change(change) else []
        if command == "UPDATE_MESSAGE":
            return self._do([change_of(command, fields.get("add", {}), place)])
        if command in ENDING.values():
            return self._end(command, transaction_of(fields) or NO_TRANSACTION)
        if command == "REMOVE_DESTINATION":
            self.destinations.pop(destination_of(fields), None)
        elif command == "SUBSCRIPTION":
            self._subscribe(fields)
        return []

    def _end(self, command: str, tx: TxId) -> list[str]:
        """Prepare, commit or roll back a transaction."""
        if command == "PREPARE":
            if tx in self.open:
                self.prepared[tx] = self.open.pop(tx)
            return []
        ended = self.open.pop(tx, None)
        if ended is None:
            ended = self.prepared.pop(tx, [])
        return self._do(ended) if command == "COMMIT" else []

    def replay(  # noqa: C901, PLR0912  # one loop, of which each step counts
        self, plain: PlainRows, batch: Batch, first: int, last: int, place: int
    ) -> tuple[int, str] | None:
        """Do the commands of rows `first` to `last`; return offset and id of the first that was added twice.

        `place` is that of the batch. This is `take`, for many commands of which most are simple.
        """
        data, text = batch.data, batch.data.decode("latin-1")
        rows, names, transactions, others = plain
        destinations, number = self.destinations, self._number
        found: tuple[int, str] | None = None
        row = first - 1
        for off, (does, name, tx, at, end, rank, key_at, key_size) in zip(
            batch.off[first:last], rows[first:last], strict=True
        ):
            row += 1
            twice: Sequence[str] = ()
            if does == ENDS:
                self._number = number
                twice = self._end(ENDING[data[off + HEAD]], transactions[tx])
                number = self._number
            elif does == CLOSELY:
                self._number = number
                twice = self.take(*others[row], place + off)
                number = self._number
            elif does:
                ident = text[at:end]
                if not ident.isascii():
                    ident = data[at:end].decode("utf-8", "replace")
                if does == CHANGES:
                    given = key_size >= 0
                    key = data[key_at : key_at + key_size].decode("utf-8", "replace") if given else None
                    change = Change(
                        CHANGING[data[off + HEAD]],
                        names[name],
                        ident,
                        (rank & 0xFFFFFFFF) - _HALF,
                        place + off,
                        key,
                    )
                    if tx >= 0:
                        self.open.setdefault(transactions[tx], []).append(change)
                        continue
                    self._number = number
                    twice = self._do([change])
                    number = self._number
                else:
                    here = destinations.get(names[name])
                    if here is None:
                        here = destinations[names[name]] = Destination()
                    if does == REMOVES:
                        if ident in here.messages:
                            here.remove(ident)
                    elif ident in here.messages:
                        twice = [ident]
                    else:
                        number += 1
                        here.messages[ident] = (number << _RANKED | rank) << _PLACES | place + off
                        if here.owners is not None:
                            here.owners.add(number, ident)
                        continue
            if twice and found is None:
                found = off, twice[0]
        self._number = number
        return found

    def _do(self, changes: list[Change]) -> list[str]:
        return [change.message_id for change in changes if self._change(change)]

    def _change(self, change: Change) -> bool:
        """Do one change; tell whether it added a message that was there."""
        here = self.destinations.get(change.destination)
        if here is None:
            here = self.destinations[change.destination] = Destination()
        known = here.messages.get(change.message_id)
        if change.command == "REMOVE_MESSAGE":
            if known is not None:
                self._remove(here, change)
            return False
        priority = change.priority
        rank = (priority < DEFAULT_PRIORITY) - (priority > DEFAULT_PRIORITY)
        if known is not None:
            if change.command == "UPDATE_MESSAGE":
                number = number_of(known)
                here.messages[change.message_id] = packed(number, rank, priority, change.place)
            return change.command == "ADD_MESSAGE"
        if change.destination[0] in ("TOPIC", "TEMP_TOPIC") and not here.subscriptions:
            return False
        self._number += 1
        here.messages[change.message_id] = packed(self._number, rank, priority, change.place)
        if here.owners is not None:
            here.owners.add(self._number, change.message_id)
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
