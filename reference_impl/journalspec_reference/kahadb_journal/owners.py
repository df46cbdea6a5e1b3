"""Tracks which messages durable subscriptions need. The needs are counted per message, and listed only on
demand.

A subscription needs every message whose number is above a certain limit, except those that it has
acknowledged. So among messages with the same number of acknowledgements, no subscription needs exactly those
up to a certain message number.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import compress, count
from operator import le

#: Two numbers above that of any message. The second number is higher.
_LAST, _NEVER = 1 << 62, 1 << 63
#: Unused acknowledgements and heap entries are removed only if there are more than this.
_FEW = 256


#: A shared empty set: a separate set would take half of a subscription's memory.
_NONE: AbstractSet[int] = frozenset()


@dataclass(slots=True)
class Subscription:
    """Represents the messages that a subscription needs.

    They are above a number, and the subscription has not acknowledged them.
    """

    above: int
    acknowledged: AbstractSet[int] = _NONE


class Owners:
    """Represents the durable subscriptions of one destination by key, and the messages that they need."""

    def __init__(self, messages: Mapping[int, str]) -> None:
        """Create it without subscriptions. `messages` contains the ids of existing messages by number."""
        self.subscriptions: dict[str, Subscription] = {}
        #: Ids of messages that a subscription can need, and ids of messages that came before any
        #: subscription.
        self._ids: dict[int, str] = {}
        self._idle = dict(messages)
        #: For each subscription the number above which it needs messages, sorted.
        self._above = [_LAST]
        #: Maps a message to the number of subscriptions that acknowledged it, if the number is not 0.
        self._times: dict[int, int] = {}
        #: Maps a number of acknowledgements to a heap of messages, with outdated entries, and to the first
        #: message of each heap.
        self._waiting: list[list[int]] = []
        self._lowest = array("Q")
        #: Messages that are not in their heap yet, and the number of them at which unused entries are
        #: removed.
        self._changed: list[int] = []
        self._most = _FEW

    def add(self, number: int, message_id: str) -> None:
        """Add a message. Each subscription that begins below the number of the message needs it."""
        self._ids[number] = message_id
        self._changed.append(number)
        if len(self._changed) > self._most:
            self._prune()

    def drop(self, number: int) -> None:
        """Forget a message that was deleted."""
        if self._ids.pop(number, None) is None:
            del self._idle[number]
        else:
            self._times.pop(number, None)

    def begin(self, key: str, above: int) -> None:
        """Begin a subscription. It needs all messages above the number `above`."""
        self.subscriptions[key] = Subscription(above)
        insort(self._above, above)
        if not above:
            self._ids.update(self._idle)
            self._changed += self._idle
            self._idle = {}
            if len(self._changed) > self._most:
                self._prune()

    def leave(self, key: str) -> None:
        """Remove a subscription, if there is one.

        `needless` then yields messages that only this subscription needed.
        """
        ended = self.subscriptions.pop(key, None)
        if ended is None:
            return
        del self._above[bisect_left(self._above, ended.above)]
        for number in ended.acknowledged:
            if number in self._ids:
                self._times[number] -= 1
                self._changed.append(number)

    def acknowledge(self, key: str, number: int) -> bool:
        """Record that a subscription acknowledged a message.

        Return whether it was the last subscription to need the message.
        """
        here = self.subscriptions.get(key)
        if here is None or number <= here.above or number in here.acknowledged:
            return False
        if not isinstance(here.acknowledged, set):
            here.acknowledged = set()
        here.acknowledged.add(number)
        times = self._times[number] = self._times.get(number, 0) + 1
        self._changed.append(number)
        if len(self._changed) > self._most:
            self._prune()
        return number <= self._above[times]

    def _prune(self) -> None:
        """Remove acknowledgements of deleted messages, and outdated heap entries."""
        kept = 0
        for here in self.subscriptions.values():
            here.acknowledged = here.acknowledged & self._ids.keys() or _NONE
            kept += len(here.acknowledged)
        for waiting in self._waiting:
            waiting.clear()
        self._changed = list(self._ids)
        self._most = 2 * (kept + len(self._ids)) + _FEW

    def needless(self) -> Iterator[str]:
        """Yield and forget the ids of messages that no subscription needs any more.

        A message that was acknowledged n times is needed if more than n subscriptions begin below its number.
        """
        # Put changed messages into the heap for their number of acknowledgements.
        for number in self._changed:
            if number in self._ids:
                times = self._times.get(number, 0)
                while len(self._waiting) <= times:
                    self._waiting.append([])
                    self._lowest.append(_NEVER)
                heappush(self._waiting[times], number)
                self._lowest[times] = self._waiting[times][0]
        self._most -= len(self._changed)
        self._changed = []
        for times in compress(count(), map(le, self._lowest, self._above)):
            waiting = self._waiting[times]
            while waiting and waiting[0] <= self._above[times]:
                number = heappop(waiting)
                if number in self._ids and self._times.get(number, 0) == times:
                    self._times.pop(number, None)
                    yield self._ids.pop(number)
            self._lowest[times] = waiting[0] if waiting else _NEVER


#: The number of bits of a message's position, behind its time.
_AT = 64


class Measured:
    """The sizes and times of a topic's messages."""

    def __init__(self) -> None:
        self._numbers, self._sizes = array("q"), array("q")
        self._oldest, self._newest = list[int](), list[int]()

    def add(self, number: int, size: int, time: int | None) -> None:
        """Add the message that comes next in the order of numbers."""
        if time is not None:
            self._oldest.append(time << _AT | len(self._numbers))
            self._newest.append(-time << _AT | len(self._numbers))
        self._numbers.append(number)
        self._sizes.append(size)

    def sums(
        self, subscriptions: Mapping[str, Subscription]
    ) -> dict[str, tuple[int, int, int | None, int | None]]:
        """Return number, bytes, oldest and newest time of the messages that each subscription needs.

        A topic can have many subscriptions, and each can need most messages. Therefore a subscription visits
        only messages that it does not need. The heaps of times are used up, so this works only once.
        """
        numbers, sizes, oldest, newest = self._numbers, self._sizes, self._oldest, self._newest
        heapify(oldest)
        heapify(newest)
        out: dict[str, tuple[int, int, int | None, int | None]] = {}
        left, first = sum(sizes), 0
        for key, here in sorted(subscriptions.items(), key=lambda item: item[1].above):
            before, first = first, bisect_right(numbers, here.above)
            left -= sum(sizes[before:first])
            gone = acknowledged(numbers, here)
            last = _first_time(newest, first, gone)
            out[key] = (
                len(numbers) - first - len(gone),
                left - sum(map(sizes.__getitem__, gone)),
                _first_time(oldest, first, gone),
                None if last is None else -last,
            )
        return out


def acknowledged(numbers: array[int], here: Subscription) -> set[int]:
    """Return the positions of the numbers that a subscription has acknowledged. `numbers` ascend."""
    found = set[int]()
    for number in here.acknowledged:
        at = bisect_left(numbers, number)
        if at < len(numbers) and numbers[at] == number:
            found.add(at)
    return found


def _first_time(heap: list[int], first: int, gone: AbstractSet[int]) -> int | None:
    """Return the first time in a heap, except those of messages before `first` and of `gone`.

    Messages before `first` are removed, because later subscriptions do not need them either.
    """
    kept = list[int]()
    while heap and ((at := heap[0] & (1 << _AT) - 1) < first or at in gone):
        item = heappop(heap)
        if at >= first:
            kept.append(item)
    found = heap[0] >> _AT if heap else None
    for item in kept:
        heappush(heap, item)
    return found
