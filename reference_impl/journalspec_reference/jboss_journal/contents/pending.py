"""Finds pending messages by the broker's rules: references, acknowledgements, page cursors, prepared
transactions.

Only numbers are kept for each message and each reference: ids, places, times. Bodies are read again when a
row is requested.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from struct import Struct

from journalspec_reference.ids import IdNumbers, Ids
from journalspec_reference.jboss_journal.bodies import Body, BodyColumns, Kept, PreparedTx
from journalspec_reference.jboss_journal.contents import core

PENDING_LARGE, REFERENCE, ACKNOWLEDGED, DELIVERIES, PAGE_TX, SCHEDULED = 29, 32, 33, 34, 35, 36
DUPLICATE, HEURISTIC, CURSOR_ACK, COUNTER, INCREMENT, PAGE_DONE, COUNTER_PENDING = 37, 38, 39, 40, 41, 42, 43
MESSAGES = (core.PROTOCOL, core.OLD, core.LARGE)
#: Record types that are ignored here: large messages being received, retention, mirrors, MQTT clients.
OTHERS = (PENDING_LARGE, 49, 53, 54)
QUEUE_COUNT, TWO_LONGS, PLACE = Struct(">qi"), Struct(">qq"), Struct(">qqi")
#: The record types that change a page transaction. A record of any other type adds a page transaction.
UPDATES = (12, 14)
#: The factor in a key: a key is the id of a queue times this factor, plus the id of a message.
_KEY = 1 << 64


@dataclass(slots=True)
class Doubt:
    """Represents a prepared transaction, with the sends and acknowledgements that its commit performs."""

    tx: PreparedTx
    #: Maps the id of a message that the transaction adds to its position.
    messages: dict[int, int] = field(default_factory=dict)
    #: Each element is the id of the message, the queue, and the position of the reference.
    sends: list[tuple[int, int, int]] = field(default_factory=list)
    acks: list[tuple[int, int, int]] = field(default_factory=list)
    page_txs: set[int] = field(default_factory=set)
    #: Each element is the queue, page, and number in the page of a message that the transaction acknowledges.
    paged_acks: set[tuple[int, int, int]] = field(default_factory=set)


@dataclass(slots=True)
class PageCounter:
    """Represents a queue's page counters: the number of its paged messages, and their bytes if the broker
    counts them.
    """

    count: int = 0
    size: int = 0
    pending: int = 0


class References:
    """Represents the live references, in the order of their records. A message's first reference takes 24
    bytes of memory.

    A reference is identified by its turn, which is its position in this order. For the first reference to a
    message, an array maps the message's number to the turn. For its later references, a dict does so.
    """

    def __init__(self) -> None:
        #: Two maps from a turn: to the id of the queue, and to the number of the message. The number is -1 if
        #: the message is acknowledged.
        self.queues, self.numbers = array("q"), array("q")
        #: Maps the number of a message to the turn of its first reference, which is -1 if there is none.
        self.first = array("q")
        self._others: dict[int, int] = {}

    def add(self, queue: int, ident: int, number: int) -> None:
        """Add a reference to a message, or replace the reference to another message with the same id."""
        turn = self.first[number]
        if turn < 0 or (self.queues[turn] == queue and self.numbers[turn] < 0):
            self.first[number] = len(self.queues)
        elif self.queues[turn] == queue:
            self.numbers[turn] = number
            return
        else:
            known = self._others.setdefault(queue * _KEY + ident, len(self.queues))
            if known < len(self.queues):
                self.numbers[known] = number
                return
        self.queues.append(queue)
        self.numbers.append(number)

    def find(self, queue: int, ident: int, number: int | None) -> int:
        """Return the turn of a reference. Return -1 if there is none."""
        turn = self.first[number] if number is not None else -1
        if turn < 0 or self.queues[turn] != queue:
            return self._others.get(queue * _KEY + ident, -1)
        return turn if self.numbers[turn] >= 0 else -1

    def remove(self, turn: int, ident: int) -> None:
        """Remove the reference of a turn."""
        self.numbers[turn] = -1
        self._others.pop(self.queues[turn] * _KEY + ident, None)

    def live(self) -> Iterator[tuple[int, int, int]]:
        """Yield turn, queue and number of the message of each live reference."""
        each = enumerate(zip(self.queues, self.numbers, strict=True))
        return ((turn, queue, number) for turn, (queue, number) in each if number >= 0)


#: A function that receives the code of a remark, an id, the place of a record, and the reason.
ReportRecord = Callable[[str, str, int, str], None]


class Pending:
    """Live items: the references to messages, and the id, place, time and size of each message, by its
    number.
    """

    def __init__(self, replay: Kept, report: ReportRecord, *, judge: bool = False) -> None:
        self._replay, self._report, self._judges = replay, report, judge
        #: Two facts: the numbers of the messages that may have a problem, and whether another kind of record
        #: cannot be decoded.
        self.odd, self.cut = array("q"), False
        self.numbers = IdNumbers()
        self.idents, self.places, self.stamps, self.sizes = (array("q") for _ in range(4))
        self.references = References()
        #: Two maps from the turn of a reference: to the number of its deliveries, and to its due time.
        self.deliveries: dict[int, int] = {}
        self.scheduled: dict[int, int] = {}
        #: Maps a page transaction to the number of its open messages, and the position of the record that
        #: adds it.
        self.page_txs: dict[int, tuple[int, int]] = {}
        self.duplicates, self.heuristics = array("q"), array("q")
        #: The positions of other live records: page cursors and counters, and undecoded records.
        self.others = array("q")
        #: The acknowledgements of page cursors. Each contains the id of the queue, the page, and the number
        #: in the page.
        self.paged_acks: set[tuple[int, int, int]] = set()
        self.pages_done: set[tuple[int, int]] = set()
        self.counters: dict[int, PageCounter] = {}
        #: Ids of messages whose bodies are in files.
        self.large = Ids()
        self.types: Counter[int] = Counter()
        self.doubts: list[Doubt] = []
        self.highest = 0
        self._take_live()
        #: The ids of the queues that live references contain.
        self.queues = {*self.references.queues}
        for transaction in replay.in_doubt_transactions():
            self._take_doubt(transaction)
        #: The page transactions and the acknowledgements of paged messages that belong to prepared
        #: transactions.
        self._txs_in_doubt = {each for doubt in self.doubts for each in doubt.page_txs}
        self._acks_in_doubt = {each for doubt in self.doubts for each in doubt.paged_acks}
        find, numbers = self.references.find, self.numbers
        #: Turns of references that a prepared transaction acknowledges.
        self.hidden = {
            find(queue, ident, numbers.get(ident)) for doubt in self.doubts for ident, queue, _ in doubt.acks
        } - {-1}

    def is_sent(self, tx: int) -> bool:
        """Return whether sends in this page transaction are live: it is committed, or the number is 0 or -1
        (none).
        """
        return tx <= 0 or tx in self.page_txs

    def may_be_sent(self, tx: int) -> bool:
        """Return whether the sends of a page transaction are live, or will become live if it is committed."""
        return self.is_sent(tx) or tx in self._txs_in_doubt

    def is_done(self, queue: int, page: int, index: int) -> bool:
        """Return whether a queue has acknowledged a message of a page, perhaps in a prepared transaction."""
        place = queue, page, index
        return place in self.paged_acks or place in self._acks_in_doubt or (queue, page) in self.pages_done

    def numbers_of_large(self) -> Iterator[int]:
        """Yield the numbers of messages whose bodies are in files."""
        idents: Sequence[int] = self.idents if self.large else ()
        return (number for number, ident in enumerate(idents) if ident in self.large)

    def _take_live(self) -> None:
        numbers, add, put = self.numbers, self.references.add, self.numbers.put
        # To save calls, this loop repeats the code of `References.add` for the first reference to a message.
        # Almost every reference is the first one to its message.
        first, queues, held = self.references.first, self.references.queues, self.references.numbers
        judges, newest, last = self._judges, None, 0
        idents, places = self.idents.append, self.places.append
        stamps, sizes = self.stamps.append, self.sizes.append
        long_at, counted, glance, is_large = core.LONG.unpack_from, [0] * 256, core.glance, core.is_large
        for place, code, (ident, size, kind), data, start in _one_by_one(self._replay.live_columns()):
            end = start + size
            counted[kind] += 1
            try:
                if kind == REFERENCE:
                    if size < 8:
                        raise core.Undecodable("the id of its queue is truncated")
                    (queue,) = long_at(data, start)
                    number = last if ident == newest else numbers.get(ident)
                    if number is None:
                        self._report("no-message", str(ident), place, f"queue {queue} refers to it")
                    elif first[number] < 0:
                        first[number] = len(queues)
                        queues.append(queue)
                        held.append(number)
                    else:
                        add(queue, ident, number)
                elif kind in MESSAGES:
                    newest, last = ident, len(first)
                    known = put(ident, last)
                    first.append(-1 if known is None else first[known])
                    stamp, sound = glance(kind, data, start, end, judge=judges)
                    idents(ident)
                    places(place)
                    stamps(stamp)
                    sizes(size)
                    if is_large(kind, data, start):
                        self.large.add(ident)
                    if not sound:
                        self.odd.append(last)
                else:
                    item = Body(place, code, ident, kind, data, start, end)
                    self._take_other(item, data[start:end])
            except core.ERRORS as error:
                self.cut = True
                self._report("undecodable", str(ident), place, f"record type {kind}: {error}")
        self.types = Counter({kind: count for kind, count in enumerate(counted) if count})
        self.highest = max(numbers, default=0)

    def _take_other(self, item: Body, data: bytes) -> None:
        """Add a record that is neither a message nor a reference."""
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
            if kind == CURSOR_ACK:
                self.paged_acks.add(PLACE.unpack_from(data, 0))
            elif kind == PAGE_DONE:
                self.pages_done.add(TWO_LONGS.unpack_from(data, 0))
            elif kind in (COUNTER, INCREMENT, COUNTER_PENDING):
                self._count(kind, data)
            elif kind not in OTHERS:
                self._report("unknown-type", str(item.id), item.place, f"record type {kind}")

    def _change(self, item: Body, data: bytes) -> None:
        """Apply a change of a reference. Only the last change of each kind has an effect."""
        (queue,) = core.LONG.unpack_from(data, 0)
        turn = self.references.find(queue, item.id, self.numbers.get(item.id))
        if turn < 0:
            why = f"{_CHANGES[item.user_type]} in queue {queue}, which does not hold it"
            self._report("no-reference", str(item.id), item.place, why)
        elif item.user_type == ACKNOWLEDGED:
            self.references.remove(turn, item.id)
            self.deliveries.pop(turn, None)
            self.scheduled.pop(turn, None)
        elif item.user_type == DELIVERIES:
            _, self.deliveries[turn] = QUEUE_COUNT.unpack_from(data, 0)
        else:
            _, self.scheduled[turn] = TWO_LONGS.unpack_from(data, 0)

    def _page_tx(self, item: Body, data: bytes) -> None:
        tx, count = QUEUE_COUNT.unpack_from(data, 0)
        known = self.page_txs.get(tx)
        if item.code not in UPDATES:
            self.page_txs[tx] = count, item.place
        elif known is not None:
            self.page_txs[tx] = known[0] - count, known[1]
        else:
            self._report("no-page-transaction", str(tx), item.place, "its messages are marked as done")

    def _count(self, kind: int, data: bytes) -> None:
        (queue,) = core.LONG.unpack_from(data, 0)
        counter = self.counters.setdefault(queue, PageCounter())
        if kind == COUNTER_PENDING:
            counter.pending += 1
            return
        form = core.LONG if kind == COUNTER else core.INT
        counter.count += form.unpack_from(data, 8)[0]
        if len(data) >= 16 + form.size:
            counter.size += core.LONG.unpack_from(data, 8 + form.size)[0]

    def _take_doubt(self, transaction: PreparedTx) -> None:
        doubt = Doubt(transaction)
        self.doubts.append(doubt)
        for item in self._replay.bodies(transaction.changes):
            data = item.stored
            try:
                if item.user_type in MESSAGES:
                    doubt.messages[item.id] = item.place
                    if core.is_large(item.user_type, data, 0):
                        self.large.add(item.id)
                elif item.user_type in (REFERENCE, ACKNOWLEDGED):
                    (queue,) = core.LONG.unpack_from(data, 0)
                    part = doubt.sends if item.user_type == REFERENCE else doubt.acks
                    part.append((item.id, queue, item.place))
                elif item.user_type == PAGE_TX:
                    doubt.page_txs.add(QUEUE_COUNT.unpack_from(data, 0)[0])
                elif item.user_type == CURSOR_ACK:
                    doubt.paged_acks.add(PLACE.unpack_from(data, 0))
            except core.ERRORS as error:
                why = f"record type {item.user_type}: {error}"
                self._report("undecodable", str(item.id), item.place, why)


def _one_by_one(
    found: Iterable[BodyColumns],
) -> Iterator[tuple[int, int, tuple[int, int, int], bytes, int]]:
    """Yield five values for each record: its position, code, first fields and bytes, and the offset of its
    body in these bytes.
    """
    return chain.from_iterable(
        zip(each.places, each.codes, each.heads, repeat(each.data), each.starts, strict=False)
        for each in found
    )


_CHANGES = {
    ACKNOWLEDGED: "it is acknowledged",
    DELIVERIES: "its deliveries are counted",
    SCHEDULED: "it is scheduled",
}
