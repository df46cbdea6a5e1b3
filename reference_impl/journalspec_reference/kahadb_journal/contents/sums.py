"""Sums over the messages that a subscription of a topic needs, without a visit to each message."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate, chain, pairwise

from journalspec_reference.contents import Count
from journalspec_reference.kahadb_journal.owners import Subscription

#: Two times outside of the range of stored times, in place of an unknown time.
_NEVER, _EVER = 1 << 63, -(1 << 63) - 1


class Sums:
    """Represents lengths and times of a topic's messages, in the order of their numbers.

    A topic can have many subscriptions, and each can need most messages. So sums and extremes from each
    message to the last one are computed once.
    """

    def __init__(self, messages: Iterable[tuple[int, int, int | None]]) -> None:
        """Store number, length and time of each message."""
        self._numbers, self._sizes = list[int](), list[int]()
        self._early, self._late = list[int](), list[int]()
        for number, size, time in messages:
            self._numbers.append(number)
            self._sizes.append(size)
            self._early.append(_NEVER if time is None else time)
            self._late.append(_EVER if time is None else time)
        self._bytes = [*accumulate(reversed(self._sizes), initial=0)][::-1]
        self._oldest = [*accumulate(reversed(self._early), min, initial=_NEVER)][::-1]
        self._newest = [*accumulate(reversed(self._late), max, initial=_EVER)][::-1]

    def add(self, total: Count, needs: Subscription) -> None:
        """Add the messages that a subscription needs to a total."""
        numbers, first = self._numbers, bisect_right(self._numbers, needs.above)
        places = {number: bisect_left(numbers, number) for number in needs.acknowledged}
        gone = sorted(at for number, at in places.items() if at < len(numbers) and numbers[at] == number)
        last = gone[-1] + 1 if gone else first
        # The messages between acknowledged ones, and then all messages after the last acknowledged one.
        between = [(start + 1, end) for start, end in pairwise(chain([first - 1], gone)) if start + 1 < end]
        oldest = min(self._oldest[last], *(min(self._early[start:end]) for start, end in between), _NEVER)
        newest = max(self._newest[last], *(max(self._late[start:end]) for start, end in between), _EVER)
        total.rows += len(numbers) - first - len(gone)
        total.bytes += self._bytes[first] - sum(self._sizes[at] for at in gone)
        if oldest != _NEVER:
            total.oldest = oldest if total.oldest is None else min(oldest, total.oldest)
            total.newest = newest if total.newest is None else max(newest, total.newest)
