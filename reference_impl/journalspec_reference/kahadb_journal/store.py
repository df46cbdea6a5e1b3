"""The state after the commands of a journal: destinations, messages, transactions (KHD-RCV, KHD-TXN).

For each message, its id and the position of its record are kept, not its bytes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count, repeat
from operator import add, and_
from typing import Any, ClassVar, NamedTuple
from weakref import ref

from journalspec.kahadb_journal.commands import KINDS
from journalspec_reference.kahadb_journal.owners import Owners, Subscription, acknowledged

#: Messages have three classes: priority above, equal to and below the default priority (KHD-RCV-005).
DEFAULT_PRIORITY = 4
RANKS = (-1, 0, 1)
TOPICS = ("TOPIC", "TEMP_TOPIC")
#: Priorities have 32 bits and may be negative.
_HALF = 1 << 31
#: Numbers of bits: of the offset in a position; of a position, with the turn of its file; of class and
#: priority together.
PLACE, _PLACES, _RANKED = 64, 96, 34
_TURNS = (1 << _PLACES - PLACE) - 1
#: The identity of a transaction: a connection and a number, or the three parts of an XA id.
TxId = tuple[Any, ...]
#: A destination: its kind and its name.
Name = tuple[str, str]


def packed(number: int, priority: int, place: int) -> int:
    """Return a message as one number, which takes a third of the memory of separate values.

    The parts are its number in the order in which messages took effect, its class, its priority, and the
    place of its record.
    """
    return number << _PLACES + _RANKED | ranked(priority) | place


@lru_cache(16)
def ranked(priority: int) -> int:
    """Return a priority and its class in the form of :func:`packed`."""
    rank = (priority < DEFAULT_PRIORITY) - (priority > DEFAULT_PRIORITY)
    return (rank + 1 << 32 | priority + _HALF) << _PLACES


def priority_of(stored: int) -> int:
    """Return the priority of a packed message."""
    return (stored >> _PLACES & 0xFFFFFFFF) - _HALF


def number_of(stored: int) -> int:
    """Return the number of a packed message."""
    return stored >> _PLACES + _RANKED


def place_of(stored: int) -> int:
    """Return the position of a packed message."""
    return stored & (1 << _PLACES) - 1


class Step(NamedTuple):
    """Represents the effect of a command in a replay."""

    command: str
    destination: Name
    message_id: str
    priority: int
    #: The position of the command's record.
    place: int
    subscription: str | None
    transaction: TxId | None
    #: Whether a beginning subscription needs the existing messages. None if no subscription begins.
    retroactive: bool | None


class QueueChanges(NamedTuple):
    """Columns for adjacent commands of one kind on messages of queues, in one transaction or in none."""

    command: str
    transaction: TxId | None
    #: The queues, and for each command the position of its queue in that list.
    names: Sequence[Name]
    of: list[int]
    idents: list[str]
    #: The priority and position of the messages, packed as a message with the number 0, and the distances
    #: from that position.
    base: int
    offs: list[int]

    def steps(self) -> Iterator[Step]:
        """Yield the commands one by one."""
        priority, place = priority_of(self.base), place_of(self.base)
        for at, ident, off in zip(self.of, self.idents, self.offs, strict=True):
            name = self.names[at]
            yield Step(self.command, name, ident, priority, place + off, None, self.transaction, None)


#: Commands that add a message, all commands on messages, and those on transactions.
_ADDING = frozenset(["ADD_MESSAGE", "UPDATE_MESSAGE"])
_CHANGING = _ADDING | {"REMOVE_MESSAGE"}
ENDING = frozenset(["PREPARE", "COMMIT", "ROLLBACK"])
#: The transaction of a command that ends a transaction but contains no transaction id (KHD-CMD-007).
NO_TRANSACTION: TxId = ("LOCAL", "", 0)


class Destination:
    """Represents one queue or topic: messages by id, packed, in the order of their numbers, and
    subscriptions.
    """

    __slots__ = ("messages", "owners")

    def __init__(self) -> None:
        self.messages: dict[str, int] = {}
        #: None until there is a durable subscription.
        self.owners: Owners | None = None

    @property
    def subscriptions(self) -> Mapping[str, Subscription]:
        """The durable subscriptions by key."""
        return self.owners.subscriptions if self.owners is not None else {}

    def in_order(self) -> Iterator[tuple[str, int]]:
        """Yield id and packed form of each message in the order of delivery."""
        for rank in RANKS:
            for message_id, stored in self.messages.items():
                if stored >> _PLACES + 32 & 3 == rank + 1:
                    yield message_id, stored


class Ranked:
    """Represents the messages of a destination in delivery order: by priority class, then by number."""

    def __init__(self, messages: Mapping[str, int]) -> None:
        """Store number and id of each packed message; the messages are in the order of their numbers."""
        self._classes = [(array("q"), list[str]()) for _ in RANKS]
        for message_id, stored in messages.items():
            numbers, ids = self._classes[stored >> _PLACES + 32 & 3]
            numbers.append(stored >> _PLACES + _RANKED)
            ids.append(message_id)

    def count(self, here: Subscription) -> int:
        """Return the number of messages that are pending for a subscription.

        The messages are not visited, because subscriptions and messages can both be many.
        """
        total = 0
        for numbers, _ in self._classes:
            total += len(numbers) - bisect_right(numbers, here.above) - len(acknowledged(numbers, here))
        return total

    def pending(self, here: Subscription) -> Iterator[str]:
        """Yield the ids of the messages that are pending for a subscription."""
        for numbers, ids in self._classes:
            for at in range(bisect_right(numbers, here.above), len(numbers)):
                if numbers[at] not in here.acknowledged:
                    yield ids[at]


def destination_of(fields: Mapping[str, Any]) -> Name:
    """Return the destination of a command; the default is a queue with an empty name."""
    found = fields.get("destination", {})
    kind = found.get("kind", 0)
    return KINDS[kind] if 0 <= kind < len(KINDS) else KINDS[0], found.get("name", "")


def transaction_of(fields: Mapping[str, Any]) -> TxId | None:
    """Return the transaction that a command belongs to. Return None if it belongs to none."""
    found = fields.get("transaction")
    if found is None:
        return None
    if "xa" in found and "local" not in found:
        xa = found["xa"]
        return "XA", xa.get("format_id", 0), xa.get("gtrid", b""), xa.get("bqual", b"")
    local = found.get("local", {})
    return "LOCAL", local.get("connection", ""), local.get("number", 0)


def tx_text(tx: TxId) -> str:
    """Return a transaction as text."""
    return ":".join(part.hex() if isinstance(part, bytes) else str(part) for part in tx)


def _priority(fields: Mapping[str, Any]) -> int:
    return fields.get("priority", DEFAULT_PRIORITY) if fields.get("priority_supported") else DEFAULT_PRIORITY


def step_of(command: str, fields: Mapping[str, Any], place: int) -> Step:
    """Return the effect of a command."""
    if command == "UPDATE_MESSAGE":
        fields = {**fields.get("add", {}), "transaction": None}
    return Step(
        command,
        destination_of(fields),
        fields.get("message_id", ""),
        _priority(fields),
        place,
        fields.get("subscription_key"),
        transaction_of(fields),
        bool(fields.get("retroactive")) if "subscription_info" in fields else None,
    )


class Store:
    """The state after a replay of commands."""

    #: The store that was created last, if it is still in memory.
    _latest: ClassVar[Callable[[], Store | None]] = lambda: None

    def __init__(self) -> None:
        #: The store before this one. It usually belongs to the same files, read as another edition. Equal
        #: messages of both share memory.
        self._before, Store._latest = Store._latest, ref(self)
        self.destinations: dict[Name, Destination] = {}
        #: Transactions without PREPARE or end. Steps are plain tuples, because most of them are never read by
        #: field name.
        self._begun: dict[TxId, list[tuple[Any, ...]]] = {}
        self.prepared: dict[TxId, list[Step]] = {}
        #: The number of the last message that took effect.
        self.number = 0
        #: Maps the turn of a file to the turns of other files whose messages are acknowledged in that file.
        self.acknowledged: dict[int, set[int]] = {}
        #: The position of the record of each durable subscription.
        self.subscribed: dict[tuple[Name, str], int] = {}

    @property
    def open(self) -> dict[TxId, list[Step]]:
        """The transactions without PREPARE or end (KHD-TXN-005, KHD-TXN-006)."""
        return {tx: [*_one_by_one(steps)] for tx, steps in self._begun.items()}

    def incomplete(self) -> Iterable[TxId]:
        """Return the transactions without an end, except prepared XA transactions."""
        return dict.fromkeys([*self._begun, *[tx for tx in self.prepared if tx[0] == "LOCAL"]])

    def is_open(self, tx: TxId | None) -> bool:
        """Return whether a transaction did not end."""
        return tx in self._begun or tx in self.prepared

    def replay(  # noqa: C901, PLR0912  # one loop on purpose: its speed matters
        self, steps: Iterable[tuple[Any, ...]], *, ended: bool = False
    ) -> tuple[int, str] | None:
        """Replay commands; each item is like a :class:`Step`, or several commands as :class:`QueueChanges`.

        Returns place and id of the first message added twice. With `ended`, commands take effect immediately,
        even those of a transaction.
        """
        first: tuple[int, str] | None = None
        destinations, waits_for = self.destinations, None
        for step in steps:
            if isinstance(step, QueueChanges):
                if step.transaction is not None and not ended:
                    self._begun.setdefault(step.transaction, []).append(step)
                elif (twice := self._change(step)) is not None and first is None:
                    first = twice
                continue
            command, name, ident, priority, place, key, tx, retroactive = step
            if tx is not None and not ended and command in _CHANGING:
                # Most steps have the same transaction as the previous step, and a comparison is faster than a
                # look-up.
                if tx is not waits_for:
                    waits_for, waiting = tx, self._begun.setdefault(tx, [])
                waiting.append(step)
            elif command in _ADDING:
                here = destinations.get(name)
                if here is None:
                    here = destinations[name] = Destination()
                known = here.messages.get(ident)
                if known is None:
                    if name[0] in TOPICS and not here.subscriptions:
                        continue
                    number = self.number = self.number + 1
                    if here.owners is not None:
                        here.owners.add(number, ident)
                    here.messages[ident] = packed(number, priority, place)
                elif command == "UPDATE_MESSAGE":
                    here.messages[ident] = packed(number_of(known), priority, place)
                elif first is None:
                    first = place, ident
            elif command == "REMOVE_MESSAGE":
                # A command without a key always removes its message.
                here = destinations.get(name)
                if here is None:
                    destinations[name] = Destination()
                elif (known := here.messages.get(ident)) is not None:
                    if (other := known >> PLACE & _TURNS) != place >> PLACE:
                        self.acknowledged.setdefault(place >> PLACE, set()).add(other)
                    if key is None or (here.owners and here.owners.acknowledge(key, number_of(known))):
                        del here.messages[ident]
                        if here.owners is not None:
                            here.owners.drop(number_of(known))
            elif command in ENDING:
                waits_for = None
                twice = self.replay(self._ended(command, tx or NO_TRANSACTION), ended=True)
                if twice is not None and first is None:
                    first = place, twice[1]
            elif command == "REMOVE_DESTINATION":
                destinations.pop(name, None)
            elif command == "SUBSCRIPTION":
                self._subscribe(name, key or "", retroactive, place)
        return first

    def _change(self, changes: QueueChanges) -> tuple[int, str] | None:
        """Apply commands immediately. Return position and id of the first message that is added twice."""
        command, _, names, of, idents, base, offs = changes
        here = {at: self.destinations.setdefault(names[at], Destination()) for at in {*of}}
        if any(each.owners is not None for each in here.values()):
            return self.replay(changes.steps(), ended=True)
        messages = map({at: each.messages for at, each in here.items()}.__getitem__, of)
        if command == "REMOVE_MESSAGE":
            gone = filter(None, map(dict[str, int].pop, messages, idents, repeat(0)))
            turns = {turn >> PLACE for turn in {*map(and_, gone, repeat(_TURNS << PLACE))}}
            turn = base >> PLACE & _TURNS
            if others := turns - {turn}:
                self.acknowledged.setdefault(turn, set()).update(others)
            return None
        numbers = count((self.number + 1 << _PLACES + _RANKED) + base, 1 << _PLACES + _RANKED)
        self.number += len(of)
        new = [*map(add, numbers, offs)]
        if (before := self._before()) is not None:
            there = {at: before.destinations.get(names[at], Destination()).messages for at in here}
            same = map(dict[str, int].get, map(there.__getitem__, of), idents, new)
            new = [one if one == other else other for one, other in zip(same, new, strict=True)]
        known = [*map(dict[str, int].setdefault, messages, idents, new)]
        if known == new:
            return None
        row = next(row for row, (one, other) in enumerate(zip(known, new, strict=True)) if one != other)
        return place_of(base) + offs[row], idents[row]

    def _ended(self, command: str, tx: TxId) -> Iterable[tuple[Any, ...]]:
        """Prepare, commit or roll back a transaction. Return the steps that take effect now."""
        if command == "PREPARE":
            if tx in self._begun:
                self.prepared[tx] = [*_one_by_one(self._begun.pop(tx))]
            return ()
        ended: list[Any] | None = self._begun.pop(tx, None)
        if ended is None:
            ended = self.prepared.pop(tx, [])
        return ended if command == "COMMIT" else ()

    def _subscribe(self, name: Name, key: str, retroactive: bool | None, place: int) -> None:
        """Begin or end a subscription."""
        here = self.destinations.setdefault(name, Destination())
        self.subscribed[name, key] = place
        if retroactive is None:
            del self.subscribed[name, key]
            if here.owners is not None:
                here.owners.leave(key)
                for message_id in here.owners.needless():  # Only the ended subscription needed these.
                    del here.messages[message_id]
            if not here.subscriptions:
                del self.destinations[name]
        elif retroactive or key not in here.subscriptions:
            if here.owners is None:
                here.owners = Owners({item >> _PLACES + _RANKED: one for one, item in here.messages.items()})
            here.owners.leave(key)
            here.owners.begin(key, 0 if retroactive else self.number)


def _one_by_one(steps: Iterable[tuple[Any, ...]]) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, QueueChanges):
            yield from step.steps()
        else:
            yield Step(*step)
