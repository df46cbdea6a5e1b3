"""Which messages durable subscriptions need: counted for each message, listed only when somebody asks.

A subscription needs all messages above a number, but for those it acknowledged: a change of the counts
"from here on". A message goes when its count falls to 0. Both cost the logarithm of the number of messages.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import accumulate

#: Added to the count of a message that is gone, or that no subscription ever needed: more than any count.
_IDLE = 1 << 40
#: So many acknowledgements are always kept.
_FEW = 256
#: No numbers; a set of one's own would be half of what a subscription takes.
_NONE: AbstractSet[int] = frozenset()


class Counts:
    """Numbers in slots: a tree of their differences. Each node has its sum and its lowest prefix sum."""

    __slots__ = ("_lows", "_room", "_sums")

    def __init__(self, values: Iterable[int], room: int) -> None:
        """Set the first slots to `values`, the others to the last of them; `room` is a power of two."""
        self._room = room
        self._sums = array("q", bytes(16 * room))
        before = 0
        for slot, value in enumerate(values, start=room):
            self._sums[slot], before = value - before, value
        self._lows = array("q", self._sums)
        for node in range(room - 1, 0, -1):
            self._join(node)

    def _join(self, node: int) -> None:
        sums, lows = self._sums, self._lows
        first = sums[2 * node]
        sums[node] = first + sums[2 * node + 1]
        lows[node] = min(lows[2 * node], first + lows[2 * node + 1])

    def add(self, slot: int, amount: int) -> None:
        """Add to all slots from `slot` on."""
        node = slot + self._room
        self._sums[node] += amount
        self._lows[node] = self._sums[node]
        while node > 1:
            node >>= 1
            self._join(node)

    def first(self) -> int:
        """Return the first slot of a number below 1, or -1."""
        if self._lows[1] > 0:
            return -1
        node, before = 1, 0
        while node < self._room:
            node *= 2
            if before + self._lows[node] > 0:
                before += self._sums[node]
                node += 1
        return node - self._room

    def values(self) -> Iterator[int]:
        """Yield all numbers."""
        return accumulate(self._sums[self._room :])


class Subscription:
    """What a subscription needs: messages above a number, but for those that it acknowledged."""

    __slots__ = ("above", "acknowledged")

    def __init__(self, above: int) -> None:
        self.above = above
        self.acknowledged = _NONE

    def owed(self, number: int) -> bool:
        """Tell whether the message of a number, if it is there, is needed."""
        return number > self.above and number not in self.acknowledged


class Owners:
    """The durable subscriptions of one destination by key, and how many need each message."""

    __slots__ = ("_acknowledged", "_counts", "_idle", "_ids", "_most", "_numbers", "_room", "subscriptions")

    def __init__(self, messages: Mapping[int, str]) -> None:
        """Begin without subscriptions, with ids of messages by number, ascending."""
        self.subscriptions: dict[str, Subscription] = {}
        self._numbers, self._ids = array("q", messages), list(messages.values())
        #: the numbers of messages that came when there was no subscription
        self._idle = set(self._numbers) or _NONE
        #: how many acknowledgements are kept, and how many may be: then those of messages that are gone go
        self._acknowledged, self._most = 0, _FEW
        self._refit([_IDLE] * len(messages))

    def _refit(self, values: Iterable[int]) -> None:
        """Leave out the slots of messages that are gone, and make room for as many again."""
        kept = [
            (number, message_id, value)
            for number, message_id, value in zip(self._numbers, self._ids, values, strict=False)
            if value < _IDLE or number in self._idle
        ]
        self._numbers = array("q", (number for number, _, _ in kept))
        self._ids = [message_id for _, message_id, _ in kept]
        self._room = 1 << max(2, (2 * len(kept) + 2).bit_length())
        later = _IDLE + len(self.subscriptions)
        self._counts = Counts([*(value for _, _, value in kept), later], self._room)

    def _at(self, slot: int, amount: int) -> None:
        self._counts.add(slot, amount)
        self._counts.add(slot + 1, -amount)

    def _slot(self, number: int) -> int:
        """Return the slot of a message, -1 if it has none any more."""
        slot = bisect_left(self._numbers, number)
        return slot if slot < len(self._numbers) and self._numbers[slot] == number else -1

    def add(self, number: int, message_id: str) -> None:
        """Take in a message, of a number above all others: all subscriptions need it."""
        if len(self._numbers) + 2 > self._room:
            self._refit(self._counts.values())
        self._numbers.append(number)
        self._ids.append(message_id)
        self._at(len(self._numbers) - 1, -_IDLE)

    def drop(self, number: int) -> None:
        """Forget a message that is gone, whoever needs it."""
        if number in self._idle:
            self._idle -= {number}
        else:
            self._at(self._slot(number), _IDLE)

    def begin(self, key: str, above: int) -> None:
        """Let a subscription, a new one or not, need all messages above a number, 0 or the highest."""
        self.leave(key)
        self.subscriptions[key] = Subscription(above)
        self._counts.add(bisect_right(self._numbers, above), 1)
        if not above:
            for number in self._idle:
                self._at(self._slot(number), -_IDLE)
            self._idle = _NONE

    def leave(self, key: str) -> None:
        """Take a subscription away, if there is one; `needless` yields what this leaves without any."""
        ended = self.subscriptions.pop(key, None)
        if ended is None:
            return
        self._acknowledged -= len(ended.acknowledged)
        for number in ended.acknowledged:
            if (slot := self._slot(number)) >= 0:
                self._at(slot, 1)
        self._counts.add(bisect_right(self._numbers, ended.above), -1)

    def acknowledge(self, key: str, number: int) -> None:
        """Take in that a subscription has a message; `needless` yields it if that was the last one."""
        here = self.subscriptions.get(key)
        if here is not None and here.owed(number):
            if not isinstance(here.acknowledged, set):
                here.acknowledged = set()
            here.acknowledged.add(number)
            self._at(self._slot(number), -1)
            self._acknowledged += 1
            if self._acknowledged > self._most:
                self._prune()

    def _prune(self) -> None:
        """Leave out what was acknowledged of messages that are gone."""
        there = {
            number
            for number, value in zip(self._numbers, self._counts.values(), strict=False)
            if value < _IDLE
        }
        for here in self.subscriptions.values():
            here.acknowledged = here.acknowledged & there or _NONE
        self._acknowledged = sum(len(here.acknowledged) for here in self.subscriptions.values())
        self._most = 2 * self._acknowledged + len(there) + _FEW

    def needless(self) -> Iterator[str]:
        """Yield the ids of messages that no subscription needs any more; they are forgotten."""
        while (slot := self._counts.first()) >= 0:
            self._at(slot, _IDLE)
            yield self._ids[slot]


class Ranked:
    """The messages of a destination as they are delivered: by class, in each by number."""

    def __init__(self, messages: Iterable[tuple[int, int, str]], ranks: Iterable[int]) -> None:
        """Take rank, number and id of each message, in the order of numbers."""
        self._classes = {rank: (array("q"), list[str]()) for rank in ranks}
        for rank, number, message_id in messages:
            numbers, ids = self._classes[rank]
            numbers.append(number)
            ids.append(message_id)

    def pending(self, here: Subscription) -> Iterator[str]:
        """Yield the ids of what a subscription needs."""
        for numbers, ids in self._classes.values():
            for at in range(bisect_right(numbers, here.above), len(numbers)):
                if numbers[at] not in here.acknowledged:
                    yield ids[at]
