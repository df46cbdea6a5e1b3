"""What is pending by the broker's rules: references, acknowledgements, page cursors, prepared transactions.

Of each message and each reference only numbers are kept: ids, places, times. Bodies are read again when a row
is asked for.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from struct import Struct

from journalspec_reference.ids import IdNumbers, Ids
from journalspec_reference.jboss_journal.bodies import Body, Kept, PreparedTx
from journalspec_reference.jboss_journal.contents.core import (
    ERRORS,
    INT,
    LARGE,
    LONG,
    OLD,
    PROTOCOL,
    Undecodable,
    is_large,
    is_sound,
    timestamp_of,
)

PENDING_LARGE, REFERENCE, ACKNOWLEDGED, DELIVERIES, PAGE_TX, SCHEDULED = 29, 32, 33, 34, 35, 36
DUPLICATE, HEURISTIC, CURSOR_ACK, COUNTER, INCREMENT, PAGE_DONE, COUNTER_PENDING = 37, 38, 39, 40, 41, 42, 43
MESSAGES = (PROTOCOL, OLD, LARGE)
#: Written and not needed here: of large messages being received, retention, mirrors, MQTT clients.
OTHERS = (PENDING_LARGE, 49, 53, 54)
QUEUE_COUNT, TWO_LONGS, PLACE = Struct(">qi"), Struct(">qq"), Struct(">qqi")
#: A page transaction is changed by this kind of record, and added by any other.
UPDATES = (12, 14)
#: A key of a reference is the id of its queue times this, plus the id of its message.
_BITS = 64
KEY, _HALF = 1 << _BITS, 1 << _BITS - 1


@dataclass(slots=True)
class Doubt:
    """A prepared transaction: what it sends and acknowledges when it is committed."""

    tx: PreparedTx
    #: id of a message that it adds -> its place
    messages: dict[int, int] = field(default_factory=dict)
    #: (id of the message, queue, place of the reference)
    sends: list[tuple[int, int, int]] = field(default_factory=list)
    acks: list[tuple[int, int, int]] = field(default_factory=list)
    page_txs: set[int] = field(default_factory=set)
    #: (queue, page, number in the page) that it acknowledges
    paged_acks: set[tuple[int, int, int]] = field(default_factory=set)


@dataclass(slots=True)
class PageCounter:
    """How many paged messages of a queue there are, as counters say; bytes where they are counted."""

    count: int = 0
    size: int = 0
    pending: int = 0


#: Called with a code of a remark, an id, the place of a record, and the reason.
ReportRecord = Callable[[str, str, int, str], None]


class Pending:
    """The references that are live, in the order of their records; `places` of messages by their number."""

    def __init__(self, replay: Kept, report: ReportRecord, *, judge: bool = False) -> None:
        self._replay, self._report, self._judges = replay, report, judge
        #: Numbers of the messages that may have a problem, if that is asked for.
        self.odd = array("q")
        self.numbers = IdNumbers()
        self.places, self.stamps, self.sizes = array("q"), array("q"), array("q")
        #: The ids of the queues that are referred to.
        self.queues: set[int] = set()
        #: Key of a reference -> number of its message.
        self.references: dict[int, int] = {}
        self.deliveries: dict[int, int] = {}
        self.scheduled: dict[int, int] = {}
        #: Page transaction -> how many of its messages are not done, and the record that says so.
        self.page_txs: dict[int, tuple[int, int]] = {}
        self.duplicates, self.heuristics = array("q"), array("q")
        #: The places of other records that are live: page cursors and counters, and what is not decoded here.
        self.others = array("q")
        #: What page cursors have acknowledged: number of the queue, page, number in the page.
        self.paged_acks: set[tuple[int, int, int]] = set()
        self.pages_done: set[tuple[int, int]] = set()
        self.counters: dict[int, PageCounter] = {}
        #: Ids of messages whose bodies are in files.
        self.large = Ids()
        self.types: Counter[int] = Counter()
        self.doubts: list[Doubt] = []
        self.highest = 0
        self._take_live()
        for transaction in replay.in_doubt_transactions():
            self._take_doubt(transaction)
        #: Keys of references that a prepared transaction acknowledges.
        self.hidden = {queue * KEY + ident for doubt in self.doubts for ident, queue, _ in doubt.acks}

    def _take_live(self) -> None:
        numbers, references, queues = self.numbers, self.references, self.queues.add
        judges, newest, last = self._judges, None, 0
        places, stamps, sizes = self.places.append, self.stamps.append, self.sizes.append
        long_at, counted = LONG.unpack_from, [0] * 256
        for item in self._replay.live():
            place, _, ident, kind, data, start, end = item
            counted[kind] += 1
            try:
                if kind == REFERENCE:
                    if end - start < 8:
                        raise Undecodable("the id of its queue is cut")
                    (queue,) = long_at(data, start)
                    message = last if ident == newest else numbers.get(ident)
                    if message is None:
                        self._report("no-message", str(ident), place, f"queue {queue} refers to it")
                    else:
                        references[queue * KEY + ident] = message
                        queues(queue)
                elif kind in MESSAGES:
                    newest, last = ident, len(self.places)
                    numbers.put(ident, last)
                    places(place)
                    stamps(timestamp_of(kind, data, start))
                    sizes(end - start)
                    if is_large(kind, data, start):
                        self.large.add(ident)
                    if judges and not is_sound(kind, data, start, end):
                        self.odd.append(last)
                else:
                    self._take_other(item, data[start:end])
            except ERRORS as error:
                self._report("undecodable", str(ident), place, f"record type {kind}: {error}")
        self.types = Counter({kind: count for kind, count in enumerate(counted) if count})
        self.highest = max(numbers, default=0)

    def _take_other(self, item: Body, data: bytes) -> None:
        """Take in a record that is neither a message nor a reference."""
        kind = item.user_type
        if kind in _CHANGES:
            self._change(item, data)
        elif kind == PAGE_TX:
            self._page_tx(item, data)
        elif kind == DUPLICATE:
            self.duplicates.append(item.place)
        elif kind == HEURISTIC:
            self.heuristics.append(item.place)
        else:
            self.others.append(item.place)
            self._take_cursor(item, data)

    def _take_cursor(self, item: Body, data: bytes) -> None:
        """Take in what is known of pages."""
        kind = item.user_type
        if kind == CURSOR_ACK:
            self.paged_acks.add(PLACE.unpack_from(data, 0))
        elif kind == PAGE_DONE:
            self.pages_done.add(TWO_LONGS.unpack_from(data, 0))
        elif kind in (COUNTER, INCREMENT, COUNTER_PENDING):
            self._count(kind, data)
        elif kind not in OTHERS:
            self._report("unknown-type", str(item.id), item.place, f"record type {kind}")

    def _change(self, item: Body, data: bytes) -> None:
        """Take in what changes a reference, the last of a kind counts."""
        (queue,) = LONG.unpack_from(data, 0)
        key = queue * KEY + item.id
        if key not in self.references:
            why = f"{_CHANGES[item.user_type]} in queue {queue}, which does not hold it"
            self._report("no-reference", str(item.id), item.place, why)
        elif item.user_type == ACKNOWLEDGED:
            for each in (self.references, self.deliveries, self.scheduled):
                each.pop(key, None)
        elif item.user_type == DELIVERIES:
            _, self.deliveries[key] = QUEUE_COUNT.unpack_from(data, 0)
        else:
            _, self.scheduled[key] = TWO_LONGS.unpack_from(data, 0)

    def _page_tx(self, item: Body, data: bytes) -> None:
        tx, count = QUEUE_COUNT.unpack_from(data, 0)
        known = self.page_txs.get(tx)
        if item.code not in UPDATES:
            self.page_txs[tx] = count, item.place
        elif known is not None:
            self.page_txs[tx] = known[0] - count, known[1]
        else:
            self._report("no-page-transaction", str(tx), item.place, "its messages are said to be done")

    def _count(self, kind: int, data: bytes) -> None:
        (queue,) = LONG.unpack_from(data, 0)
        counter = self.counters.setdefault(queue, PageCounter())
        if kind == COUNTER_PENDING:
            counter.pending += 1
            return
        form = LONG if kind == COUNTER else INT
        counter.count += form.unpack_from(data, 8)[0]
        if len(data) >= 16 + form.size:
            counter.size += LONG.unpack_from(data, 8 + form.size)[0]

    def _take_doubt(self, transaction: PreparedTx) -> None:
        doubt = Doubt(transaction)
        self.doubts.append(doubt)
        for item in self._replay.bodies(transaction.changes):
            data = item.data[item.start : item.end]
            try:
                if item.user_type in MESSAGES:
                    doubt.messages[item.id] = item.place
                    if is_large(item.user_type, data, 0):
                        self.large.add(item.id)
                elif item.user_type in (REFERENCE, ACKNOWLEDGED):
                    (queue,) = LONG.unpack_from(data, 0)
                    part = doubt.sends if item.user_type == REFERENCE else doubt.acks
                    part.append((item.id, queue, item.place))
                elif item.user_type == PAGE_TX:
                    doubt.page_txs.add(QUEUE_COUNT.unpack_from(data, 0)[0])
                elif item.user_type == CURSOR_ACK:
                    doubt.paged_acks.add(PLACE.unpack_from(data, 0))
            except ERRORS as error:
                self._report(
                    "undecodable", str(item.id), item.place, f"record type {item.user_type}: {error}"
                )


_CHANGES = {
    ACKNOWLEDGED: "it is acknowledged",
    DELIVERIES: "its deliveries are counted",
    SCHEDULED: "it is scheduled",
}


def queue_of(key: int) -> int:
    """Return the id of the queue in a key of a reference."""
    return key + _HALF >> _BITS
