"""Which messages durable subscriptions need: counted for each message, listed only when somebody asks.

A subscription needs all messages above a number, but for those it acknowledged. So of the messages that
equally many subscriptions acknowledged, those up to a number are the ones that no subscription needs.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from heapq import heappop, heappush
from itertools import compress, count
from operator import le

#: More than the number of any message, and more than that.
_LAST, _NEVER = 1 << 62, 1 << 63
#: So many acknowledgements and places in heaps are always kept.
_FEW = 256
#: No numbers; a set of one's own would be half of what a subscription takes.
_NONE: AbstractSet[int] = frozenset()


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
    """The durable subscriptions of one destination by key, and which messages they need."""

    def __init__(self, messages: Mapping[int, str]) -> None:
        """Begin without subscriptions, with ids of messages by number, ascending."""
        self.subscriptions: dict[str, Subscription] = {}
        #: ids of messages that a subscription needs, and of those that came when there was none
        self._ids: dict[int, str] = {}
        self._idle = dict(messages)
        #: above what number each subscription needs messages, sorted
        self._above = [_LAST]
        #: how many subscriptions acknowledged a message, if any did
        self._times: dict[int, int] = {}
        #: by how often they were acknowledged: a heap of messages, others among them, and the lowest
        self._waiting: list[list[int]] = []
        self._lowest = array("Q")
        #: how many acknowledgements and places are kept, and how many may be: then those of no use go
        self._kept, self._most = 0, _FEW

    def _put(self, number: int, times: int) -> None:
        """Let a message wait among those that were acknowledged so often."""
        while len(self._waiting) <= times:
            self._waiting.append([])
            self._lowest.append(_NEVER)
        heappush(self._waiting[times], number)
        self._lowest[times] = min(self._lowest[times], number)
        self._kept += 1
        if self._kept > self._most:
            self._prune()

    def _left(self, number: int, times: int) -> None:
        """Find the lowest of the messages that were acknowledged so often if it was this one."""
        if self._lowest[times] == number:
            waiting = self._waiting[times]
            while waiting and (waiting[0] not in self._ids or self._times.get(waiting[0], 0) != times):
                heappop(waiting)
            self._lowest[times] = waiting[0] if waiting else _NEVER

    def add(self, number: int, message_id: str) -> None:
        """Take in a message, of a number above all others: all subscriptions need it."""
        self._ids[number] = message_id
        self._put(number, 0)

    def drop(self, number: int) -> None:
        """Forget a message that is gone, whoever needs it."""
        if self._idle.pop(number, None) is None:
            del self._ids[number]
            self._left(number, self._times.pop(number, 0))

    def begin(self, key: str, above: int) -> None:
        """Let a subscription, a new one or not, need all messages above a number, 0 or the highest."""
        self.leave(key)
        self.subscriptions[key] = Subscription(above)
        insort(self._above, above)
        if not above:
            for number, message_id in self._idle.items():
                self.add(number, message_id)
            self._idle = {}

    def leave(self, key: str) -> None:
        """Take a subscription away, if there is one; `needless` yields what this leaves without any."""
        ended = self.subscriptions.pop(key, None)
        if ended is None:
            return
        del self._above[bisect_left(self._above, ended.above)]
        self._kept -= len(ended.acknowledged)
        for number in ended.acknowledged:
            if number in self._ids:
                self._acknowledged(number, -1)

    def acknowledge(self, key: str, number: int) -> bool:
        """Take in that a subscription has a message; return whether it was the last one that needed it."""
        here = self.subscriptions.get(key)
        if here is None or not here.owed(number):
            return False
        if not isinstance(here.acknowledged, set):
            here.acknowledged = set()
        here.acknowledged.add(number)
        self._kept += 1
        self._acknowledged(number, 1)
        return number <= self._above[self._times[number]]

    def _acknowledged(self, number: int, more: int) -> None:
        """Move a message to those that were acknowledged once more, or once less."""
        before = self._times.pop(number, 0)
        if before + more:
            self._times[number] = before + more
        self._left(number, before)
        self._put(number, before + more)

    def _prune(self) -> None:
        """Leave out acknowledgements of messages that are gone, and places where a message was before."""
        for here in self.subscriptions.values():
            here.acknowledged = here.acknowledged & self._ids.keys() or _NONE
        self._waiting = [[] for _ in self._waiting]
        for number in sorted(self._ids):
            self._waiting[self._times.get(number, 0)].append(number)
        self._kept = sum(len(here.acknowledged) for here in self.subscriptions.values()) + len(self._ids)
        self._most = 2 * self._kept + _FEW

    def needless(self) -> Iterator[str]:
        """Yield the ids of messages that no subscription needs any more; they are forgotten.

        One that was acknowledged n times is needed if more than n subscriptions need what is above a lower
        number.
        """
        for times in list(compress(count(), map(le, self._lowest, self._above))):
            while (number := self._lowest[times]) <= self._above[times]:
                yield self._ids[number]
                self.drop(number)


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
