"""Writes the recovered state as a new store of one edition: journal, bindings, page files, large messages.

Bodies of records are copied as bytes. Headers, file ids, check sizes and records that end transactions are
generated. Two kinds of items are omitted: those that a broker deletes when it starts, and records with which
it does not start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, compress, islice
from pathlib import PurePath
from struct import Struct

from journalspec.families import ContentsError, decode, families
from journalspec_reference.answers import Answer
from journalspec_reference.content import Content
from journalspec_reference.contents import Count
from journalspec_reference.ids import Ids
from journalspec_reference.jboss_journal import newbindings
from journalspec_reference.jboss_journal.bodies import Body
from journalspec_reference.jboss_journal.codec import ADD, DIALECTS, INT, UPDATE, Dialect
from journalspec_reference.jboss_journal.contents import BODY, RECORDS, body_name
from journalspec_reference.jboss_journal.contents import pending as types
from journalspec_reference.jboss_journal.contents.bindings import FORMAT
from journalspec_reference.jboss_journal.contents.core import LONG, OLD, PROTOCOL, id_at, message_of
from journalspec_reference.jboss_journal.contents.store import ARTEMIS_2, HORNETQ
from journalspec_reference.jboss_journal.fileset import JOURNAL, NAMES, beside
from journalspec_reference.jboss_journal.newpages import NewPages
from journalspec_reference.jboss_journal.packing import CopiedRecord, NewRecord, copied, packing_of, prepared
from journalspec_reference.jboss_journal.scan import BODY_HEAD
from journalspec_reference.jboss_journal.wanted import Endings, ListingStore, WantedParts, meaning
from journalspec_reference.newstore import (
    FILE,
    PIECE,
    CannotRebuild,
    ChoiceRefused,
    LossItem,
    NewFile,
    NewStore,
    StoreChoices,
)

#: The first step if messages are not carried over because their queues are unknown.
UNBOUND = (
    "{:,} messages are not in the new store: the bindings do not have their queues. If a file of the "
    "bindings is missing, find it and do this again before you start the broker."
)
#: Records that begin with the id of a queue.
ABOUT_QUEUES = frozenset({types.REFERENCE, types.ACKNOWLEDGED, types.DELIVERIES, types.SCHEDULED})
#: Record types of page cursors, and of page counters.
CURSORS, COUNTERS = (
    frozenset({types.CURSOR_ACK, types.PAGE_DONE}),
    frozenset({types.COUNTER, types.INCREMENT, types.COUNTER_PENDING}),
)
#: Maps a record type to its minimum length. SHAPES contains the types that a table decodes.
LEAST = {
    types.PAGE_TX: 12, types.CURSOR_ACK: 20, types.PAGE_DONE: 16,
    types.COUNTER: 16, types.INCREMENT: 12, types.COUNTER_PENDING: 16,
    **dict.fromkeys(types.OTHERS, 0),
}  # fmt: skip
#: The messages of at most this many references are read together.
MOST_REFERENCES = 1 << 9
#: A reference, from its id on: id; size and type of the body; the queue; the length of the record.
_REFERS = Struct(">qiBqi")
SHAPES = {types.DUPLICATE: "duplicate", types.HEURISTIC: "heuristic"}


def new_store(answer: Answer, choices: StoreChoices) -> NewStore:
    """Return the new store of a recovered journal; raises ChoiceRefused."""
    if choices.salvage_records or choices.index_acks:
        name = "--salvage-records" if choices.salvage_records else "--index-acks"
        raise ChoiceRefused(f"{name} is not possible: records of this format are alone, and it has no index")
    store = ListingStore(answer)
    narayana = store.is_narayana
    if not narayana and store.is_of_broker and (store.is_bindings or store.has_any):
        return BrokerStore(store, choices)
    return PlainStore(store, choices, narayana=narayana)


class PlainStore(NewStore):
    """Represents the new store of a journal that no broker wrote: all live records, and prepared
    transactions.
    """

    def __init__(self, store: ListingStore, choices: StoreChoices, *, narayana: bool) -> None:
        super().__init__(store.answer)
        if narayana and (choices.commit or choices.rollback):
            raise ChoiceRefused(
                "the records of Narayana are decisions, which the resources must carry out",
                "omit one with --drop and the id of its record, after a check of the resources",
            )
        if choices.queues or choices.keep:
            raise ChoiceRefused("this journal has no queues, and all that is live is carried over")
        self._store, self._narayana = store, narayana
        chosen = Endings(store.replay, choices)
        self.items, self.lines = chosen.items, chosen.lines
        self._kept = store.replay = chosen.kept
        if store.answer.trials and not (
            any(True for _ in self._kept.live()) or self._kept.in_doubt_transactions()
        ):
            raise CannotRebuild(
                "no record is kept, and the edition of an empty journal is unknown",
                "give the edition with --edition",
            )
        wanted = {int(name) for name in chosen.drop if name.isdecimal()}
        self._dropped = {item.id: item.place for item in self._kept.live() if item.id in wanted}
        for name in chosen.drop:
            if not name.isdecimal() or int(name) not in self._dropped:
                raise ChoiceRefused(f"--drop {name}: neither a live record nor a prepared transaction")
            self.lines.append(f"record {name}: left out.")
        for ident, place in self._dropped.items():
            self.items.append(store.item("record", ident, None, place, "dropped"))

    @property
    def product(self) -> str:
        """The product for which the files are made."""
        return ("Narayana, on " if self._narayana else "") + super().product

    def carried(self) -> Iterable[Count]:
        """Return the number and the bytes of records, and the number of transactions."""
        live, prepared = Count("records", "live"), len(self._kept.in_doubt_transactions())
        for item in self._kept.live():
            if item.id not in self._dropped:
                live.add(item.end - item.start, None)
        return [live, Count("transactions", "prepared", prepared, 0)]

    def steps(self) -> Sequence[str]:
        """Return the steps to put the new store in place."""
        return (
            "Stop the program that uses the journal.",
            "Move the old directory away as a whole, and keep it.",
            "Move the new one to its place, with the same owner and rights, and start the program.",
        )

    def files(self) -> Iterator[NewFile]:
        """Yield the files of the journal."""
        form = packing_of(self._store.answer)
        return form.files(copied(self._kept, form.dialect, self._dropped))


class BrokerStore(NewStore):
    """Represents the new store of a broker: messages in queues, pages, large messages, transactions, and
    bindings.
    """

    def __init__(self, store: ListingStore, choices: StoreChoices) -> None:
        super().__init__(store.answer)
        self._store, self._journal = store, store.answer.journal
        self._rooms = {kind: room for kind in NAMES if (room := beside(self._journal, kind)) is not None}
        self._wanted = WantedParts(store, choices)
        self.items, self.lines = self._wanted.chosen.items, self._wanted.chosen.lines
        self._pages = NewPages(self._wanted)

    @cached_property
    def _bad(self) -> dict[int, LossItem]:
        """A map to the report's item, from the id of each requested message with which a broker does not
        start.
        """
        found, pending = dict[int, LossItem](), self._store.pending
        product, _ = self._store.product
        odd = set(range(self._store.messages) if product == ARTEMIS_2 and pending.types[OLD] else pending.odd)
        if product == HORNETQ:
            odd.update(pending.numbers_of_large())
        if odd:
            odd &= {number for _, _, number in self._wanted.references()}
        for item in self._store.replay.bodies(pending.places[number] for number in sorted(odd)):
            message = message_of(item.user_type, item.stored)
            problem = self._wanted.problem(item.id, message)
            if problem is None and product == ARTEMIS_2 and item.user_type == OLD:
                problem = "old-message", ""
            if problem is not None:
                found[item.id] = self._store.item("message", item.id, None, item.place, *problem)
        return found

    def _references(self) -> Iterator[tuple[int, int, int]]:
        """Yield turn, queue and number of the message of the references that are carried over."""
        bad, idents = self._bad, self._store.pending.idents
        found = self._wanted.references()
        return (each for each in found if idents[each[2]] not in bad) if bad else found

    @cached_property
    def _large(self) -> dict[int, LossItem | None]:
        """A map from the id of each large message that is carried over to the report's item for a missing
        part, or None.
        """
        pending, replay = self._store.pending, self._store.replay
        large = set(pending.numbers_of_large())
        own = {number for _, _, number in self._references() if number in large} if large else ()
        sent = (doubt.messages for doubt in pending.doubts)
        found: dict[int, LossItem | None] = {
            ident: None for messages in sent for ident in messages if ident in pending.large
        }
        for item in replay.bodies(pending.places[number] for number in sorted(own)):
            message = message_of(item.user_type, item.stored)
            found[item.id] = next(self._wanted.lacking(item.id, message, *replay.where(item.place)), None)
        return found | dict(self._pages.large())

    @property
    def base(self) -> str:
        """The broker's data directory, if the name of the journal's directory shows that it is within one."""
        return ".." if self._wanted.with_others else "."

    @property
    def covers(self) -> frozenset[PurePath]:
        """The directories next to the journal."""
        rooms = self._rooms.values() if self._wanted.with_others else ()
        return frozenset(PurePath("..") / room.path.name for room in rooms)

    @property
    def product(self) -> str:
        """The product for which the files are made."""
        return f"{self._store.product[0] or 'a broker'}: {super().product}"

    def carried(self) -> Iterable[Count]:
        """Return the number and bytes of the pending messages of each queue, and of the other items."""
        store, pending = self._store, self._store.pending
        totals = {queue: Count("messages", store.queues[queue]) for queue in self._wanted.queues}
        adds = {queue: total.add for queue, total in totals.items()}
        hidden, sizes, stamps = pending.hidden, store.sizes, pending.stamps
        for turn, queue, number in self._references():
            if turn not in hidden:
                adds[queue](sizes[number], stamps[number] or None)
        self._pages.count(totals)
        yield from totals.values()
        yield Count("transactions", "prepared", len(pending.doubts), 0)
        yield Count("transactions", "heuristic", len(pending.heuristics), 0)
        yield Count("duplicates", "all", len(pending.duplicates), 0)

    def left_out(self) -> Iterator[LossItem]:
        """Yield the omitted items."""
        yield from self.items
        yield from self._bad.values()
        yield from self._unheld()
        yield from self._pages.left_out()
        for item in self._wanted.others():
            code = self._refused(item)
            if code and (code, *self._store.replay.where(item.place)) not in self._store.items:
                yield self._store.item("record", item.id, None, item.place, code)
        yield from newbindings.left_out(self._wanted)
        yield from self._store.items.values()
        for ident in sorted(self._store.large.idents - self._large.keys()):
            size, code = self._store.large.size(ident), "orphan-large-file"
            yield LossItem(FILE, code, meaning(code), str(ident), file=f"{ident}.msg", length=size)

    def _unheld(self) -> Iterator[LossItem]:
        """Yield the messages of the journal that are not in any of the kept queues."""
        store, pending, why_not = self._store, self._store.pending, self._wanted.why_not
        held = bytearray(store.messages)
        wanted = self._wanted.queues if not self._wanted.gone else ()
        for _, queue, number in pending.references.live():
            held[number] = 1
            if queue not in wanted and (code := why_not(queue, ident := pending.idents[number])):
                yield store.item("message", ident, queue, pending.places[number], code)
        sent = set[int]()
        for doubt in pending.doubts:
            sent.update(ident for ident, _, _ in doubt.sends)
            for item in store.replay.bodies(doubt.tx.changes):
                if not self._is_about_kept(item):
                    (queue,) = LONG.unpack_from(item.data, item.start)
                    code, why = why_not(queue, item.id) or "no-page", f"transaction {doubt.tx.tx}"
                    yield store.item("record", item.id, queue, item.place, code, why)
        sent.update(self._wanted.added)
        left = [number for number, is_held in enumerate(held) if not is_held]
        bodies = store.replay.bodies(pending.places[number] for number in left)
        for number, item in zip(left, bodies, strict=True):
            # Of several messages with the same id, only the last one is carried over.
            if item.id not in sent or pending.numbers[item.id] != number:
                yield store.item("message", item.id, None, item.place, "no-reference")

    def unverified(self) -> Iterator[LossItem]:
        """Yield messages with incomplete bodies, and items kept although a broker would delete them."""
        store = self._store
        yield from filter(None, self._large.values())
        for ident, kept_in in self._wanted.added.items():
            place = store.pending.places[store.pending.numbers[ident]]
            yield store.item("message", ident, kept_in, place, "kept")
        for ident, (name, _) in self._wanted.made.items():
            yield LossItem("queue", "binding-lost", meaning("binding-lost"), str(ident), name)
        for queue in newbindings.without_filter(self._wanted):
            text = meaning("filter-lost", queue.filter or "")
            yield LossItem("queue", "filter-lost", text, str(queue.id), queue.name)

    @property
    def lacks(self) -> frozenset[tuple[str, str]]:
        """The missing bodies of messages in queues, without those in pages and in transactions in doubt."""
        if not self._wanted.with_others:
            return frozenset()
        lacking = {ident for ident, item in self._large.items() if item is not None}
        idents = self._store.pending.idents
        held = {idents[number] for _, _, number in self._references()} if lacking else set()
        return frozenset((BODY, body_name(self._store, ident)) for ident in lacking & held)

    def steps(self) -> Sequence[str]:
        """Return the steps to put the new store in place."""
        root = self._journal.root
        if root is None or not self._wanted.with_others:
            return (
                "Stop the broker, and move its old directory away as a whole.",
                "Move the new one to its place. The directories beside it (journal, bindings, page files, "
                "large messages) must belong to it: a broker deletes the messages of unknown queues.",
            )
        names = ", ".join((root.name, *(room.path.name for room in self._rooms.values())))
        store, pending = self._store, self._store.pending
        unknown = pending.queues - store.queues.keys() if store.bindings_replay is not None else ()
        unbound = sum(queue in unknown for _, queue, _ in pending.references.live()) if unknown else 0
        return (
            *([UNBOUND.format(unbound)] if unbound else ()),
            f"Stop the broker, and move the old directories away as a whole: {names}.",
            "Move the new ones to their places, with the same owner and rights.",
            "Start the broker in the same version, and let clients in when its queues are as reported.",
        )

    def files(self) -> Iterator[NewFile]:
        """Yield the files. The files of the journal come first."""
        store, root = self._store, self._journal.root
        if store.is_bindings:
            yield from packing_of(store.answer).files(newbindings.records(self._wanted))
        elif root is None or not self._wanted.with_others:
            yield from packing_of(store.answer).files(self._records())
        else:
            yield from packing_of(store.answer, f"{root.name}/").files(self._records())
            large, pages = self._rooms.get("large"), self._rooms.get("paging")
            for ident in sorted(self._large) if large is not None else ():
                content = store.large.open(ident)
                if content is not None and large is not None:
                    ending = ".msg" if f"{ident}.msg" in large.names else ".tmp"
                    yield NewFile(f"{large.path.name}/{ident}{ending}", _copied(content))
            if pages is not None:
                yield from self._pages.files(pages)
            bindings = root.name.removesuffix(JOURNAL) + "bindings"
            yield from newbindings.files(self._wanted, self._rooms.get("bindings"), bindings)

    def _records(self) -> Iterator[NewRecord | CopiedRecord]:
        """Yield the journal's records in the order of references.

        Each message precedes its first reference.
        """
        pending, others, dialect = self._store.pending, list[int](), DIALECTS[self._journal.edition]
        made, record, copied = tuple.__new__, NewRecord, CopiedRecord
        refers, length = _REFERS.pack, dialect.kinds[ADD].least + LONG.size
        deliveries, scheduled, idents = pending.deliveries, pending.scheduled, pending.idents
        there, references = bytearray(self._store.messages), self._references()
        while some := list(islice(references, MOST_REFERENCES)):
            # Each message is written once, before its first reference.
            numbers = dict.fromkeys(number for _, _, number in some if not there[number])
            messages = self._messages(numbers, dialect)
            for turn, queue, number in some:
                if not there[number]:
                    there[number] = 1
                    yield next(messages)
                ident = idents[number]
                yield made(copied, (UPDATE, refers(ident, LONG.size, types.REFERENCE, queue, length)))
                if turn in deliveries:
                    yield record(
                        UPDATE, ident, types.DELIVERIES, types.QUEUE_COUNT.pack(queue, deliveries[turn])
                    )
                if turn in scheduled:
                    yield record(UPDATE, ident, types.SCHEDULED, types.TWO_LONGS.pack(queue, scheduled[turn]))
        for doubt in pending.doubts:
            for ident, _, _ in doubt.sends:
                if ident in pending.numbers and not there[number := pending.numbers[ident]]:
                    there[number] = 1
                    yield from self._messages([number], dialect)
        for each in self._others():
            others.append(each.id)
            yield each
        known = Ids()
        if pending.doubts:
            known.update(chain(others, compress(idents, there)))
        yield from prepared(self._store.replay, dialect, known, self._is_about_kept)

    def _messages(self, numbers: Iterable[int], dialect: Dialect) -> Iterator[CopiedRecord]:
        """Yield the records of messages by their numbers."""
        made, copied, long_at, check = tuple.__new__, CopiedRecord, LONG.unpack_from, INT.pack
        before, least, places = BODY_HEAD.size, dialect.kinds[ADD].least, self._store.pending.places
        for data, _, _, heads, starts in self._store.replay.columns(places[number] for number in numbers):
            for start, (ident, size, kind) in zip(starts, heads, strict=True):
                rest = data[start - before : start + size] + check(least + size)
                at = before + (1 if kind == PROTOCOL else id_at(kind, data[start : start + size]))
                if long_at(rest, at)[0] != ident:
                    # The id in the body must be the record's id, because a broker uses it. With a wrong id,
                    # it would acknowledge another message.
                    rest = rest[:at] + LONG.pack(ident) + rest[at + LONG.size :]
                yield made(copied, (ADD, rest))

    def _others(self) -> Iterator[NewRecord]:
        """Yield the records of page transactions, duplicate ids, heuristic ends, cursors and counters."""
        pending, counted = self._store.pending, dict[int, int]()
        for item in self._wanted.others():
            kind, data = item.user_type, item.stored
            if self._refused(item):
                continue
            if kind in COUNTERS:
                (queue,) = LONG.unpack_from(data)
                counted.setdefault(queue, item.id)
                continue
            if kind == types.PAGE_TX:
                (tx,) = LONG.unpack_from(data)
                data = types.QUEUE_COUNT.pack(tx, pending.page_txs[tx][0])
            yield NewRecord(ADD, item.id, kind, data)
        totals = {queue: Count("messages", str(queue)) for queue in counted}
        if totals:
            self._pages.count(totals)
        for queue, total in totals.items():
            size = LONG.pack(total.bytes) if pending.counters[queue].size else b""
            yield NewRecord(
                ADD, counted[queue], types.COUNTER, types.TWO_LONGS.pack(queue, total.rows) + size
            )

    def _refused(self, item: Body) -> str:
        """Return the code for omitting a record that is not a message.

        If the code is empty, the record is carried over.
        """
        kind, data = item.user_type, item.stored
        if item.id in self._wanted.gone:
            return "dropped"
        if kind == types.PENDING_LARGE:
            return "not-received"
        if kind in SHAPES:
            try:
                decode(families(FORMAT)[RECORDS], SHAPES[kind], data)
            except ContentsError:
                return "undecodable"
            return ""
        if kind not in LEAST:
            return "unknown-type"
        if len(data) < LEAST[kind]:
            return "undecodable"
        if kind in CURSORS | COUNTERS:
            (queue,) = LONG.unpack_from(data)
            if why := self._wanted.why_not(queue, item.id):
                return why
        return "" if self._is_about_kept(item) else "no-page"

    def _is_about_kept(self, item: Body) -> bool:
        """Return whether the queue and the page that a record refers to are kept.

        HornetQ does not start with a prepared acknowledgement in an unknown queue. Artemis 2 counts up to
        each page number in a cursor. With a very large number, it can run out of memory.
        """
        kind, size = item.user_type, item.end - item.start
        if kind in CURSORS and size >= types.TWO_LONGS.size:
            queue, page = types.TWO_LONGS.unpack_from(item.data, item.start)
            return queue in self._wanted.queues and page in self._pages.numbers
        about = kind in ABOUT_QUEUES and size >= LONG.size
        return not about or LONG.unpack_from(item.data, item.start)[0] in self._wanted.queues


def _copied(content: Content) -> Iterator[bytes]:
    return (content.read(off, min(PIECE, content.size - off)) for off in range(0, content.size, PIECE))
