"""A new store of what recovery keeps: journal, bindings, page files, large messages, in the source's edition.

Bodies of records are copied as bytes; headers, ids of files, check sizes and what ends transactions are made
anew. What a broker deletes when it starts, and records on which it does not start, are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import PurePath

from journalspec.contents import contents_of
from journalspec.families import ContentsError, decode, families
from journalspec.formats import get_format
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.content import Content
from journalspec_reference.contents import Count, Total
from journalspec_reference.filesets import FilesetError, find_journals
from journalspec_reference.ids import Ids
from journalspec_reference.jboss_journal.bodies import Body, Kept, PreparedTx
from journalspec_reference.jboss_journal.codec import ADD, DIALECTS, PREPARE, UPDATE, UPDATE_TX
from journalspec_reference.jboss_journal.contents import RECORDS, BrokerContents, xid_text
from journalspec_reference.jboss_journal.contents.beside import JOURNAL, NAMES, beside
from journalspec_reference.jboss_journal.contents.bindings import (
    ADDRESS,
    COUNTER,
    FORMAT,
    QUEUE,
    QUEUE_STATUS,
)
from journalspec_reference.jboss_journal.contents.core import (
    BODY_AT,
    CORE,
    HEADERS,
    INT,
    LONG,
    OLD,
    OLD_BODY_AT,
    Message,
    is_compressed,
    message_of,
)
from journalspec_reference.jboss_journal.contents.messages import SIZES, Oddity
from journalspec_reference.jboss_journal.contents.narayana import is_narayana
from journalspec_reference.jboss_journal.contents.paging import (
    ADDRESS_FILE,
    END,
    HEAD,
    PROLOGUE,
    START,
    Entry,
    PageFile,
)
from journalspec_reference.jboss_journal.contents.pending import (
    COUNTER as PAGE_COUNTER,
)
from journalspec_reference.jboss_journal.contents.pending import (
    ACKNOWLEDGED,
    COUNTER_PENDING,
    CURSOR_ACK,
    DELIVERIES,
    DUPLICATE,
    HEURISTIC,
    INCREMENT,
    KEY,
    PAGE_DONE,
    PAGE_TX,
    QUEUE_COUNT,
    REFERENCE,
    SCHEDULED,
    TWO_LONGS,
    queue_of,
)
from journalspec_reference.jboss_journal.contents.store import ARTEMIS_2, BINDINGS, HORNETQ, Store
from journalspec_reference.jboss_journal.fileset import parsed
from journalspec_reference.jboss_journal.packing import (
    PIECE,
    NewRecord,
    Packing,
    in_transaction,
    pieces,
)
from journalspec_reference.jboss_journal.recover import Replay, ReplayedState
from journalspec_reference.newstore import BYTES, FILE, ChoiceRefused, Choices, Item, NewFile, NewStore

#: Codes of remarks about what is not carried over; the others are about what is.
LOST = frozenset(
    {
        "undecodable", "unknown-type", "no-message", "no-page-transaction", "too-large",
        "page-damaged", "page-unreadable", "no-address-file", "no-binding", "no-reference",
    }
)  # fmt: skip
#: Records that begin with the id of a queue.
ABOUT_QUEUES = frozenset({REFERENCE, ACKNOWLEDGED, DELIVERIES, SCHEDULED})
#: Remarks of whole files, and of what follows a place in one.
OF_FILES, OF_BYTES = ("page-unreadable", "no-address-file"), ("page-damaged",)
#: Codes of this module, and what they mean.
CODES = {
    "dropped": "left out as asked for",
    "not-asked-for": "it is in none of the queues that were asked for",
    "rolled-back": "rolled back as asked for; the other resources of the transaction are not touched",
    "no-page": "the page that it is about is not there",
    "kept": "carried over as asked for: a broker would delete it",
    "binding-lost": "its queue is made anew, with a name by the address of its messages",
}
#: What files are like that the source does not have.
BINDINGS_SIZE, SMALLEST = 1 << 20, 1024
#: Extension -> what its products fill new files with, if not with zeros.
FILLS = {"jbm": b"J", "hq": b"J"}
PREFIXES = {HORNETQ: "hornetq"}


def new_store(answer: Answer, choices: Choices) -> NewStore:
    """Return the new store of a journal that recovery has read; raises ChoiceRefused."""
    if choices.salvage_records or choices.index_acks:
        name = "--salvage-records" if choices.salvage_records else "--index-acks"
        raise ChoiceRefused(f"{name} is not possible: records of this format are alone, and it has no index")
    store = Listing(answer)
    narayana = is_narayana(str(answer.journal.params.get("extension", "")), store.replay)
    if store.is_of_broker and not narayana:
        return BrokerStore(store, choices)
    return PlainStore(store, choices, narayana=narayana)


@dataclass
class Listing(Store):
    """A broker's store that keeps what is odd in it as items, all of them."""

    items: dict[tuple[str, str], Item] = field(default_factory=dict)

    def note(self, note: Oddity) -> None:
        """Take what is not carried over."""
        if note.code not in LOST or (note.code, note.key) in self.items:
            return
        words = contents_of(FORMAT)
        what = (
            FILE
            if note.code in OF_FILES
            else BYTES
            if note.code in OF_BYTES
            else words.tables[note.table].noun
        )
        text = f"{note.why}: {words.remarks[note.code]}" if note.why else words.remarks[note.code]
        item = Item(
            what, "" if what in (FILE, BYTES) else note.key, "", note.file, note.off, None, note.code, text
        )
        self.items[note.code, note.key] = item


class Settled:
    """What recovery kept, after some of the transactions that are prepared have ended by choice."""

    def __init__(self, kept: Kept, committed: Sequence[PreparedTx], ended: frozenset[int]) -> None:
        self._kept, self._committed, self._ended = kept, committed, ended
        self.bodies, self.deleted, self.where = kept.bodies, kept.deleted, kept.where

    def live(self) -> Iterator[Body]:
        """Yield the live records; those of a committed transaction come last."""
        gone = {ident for tx in self._committed for ident, _ in self._kept.deleted(tx.deletes)}
        added = (self._kept.bodies(tx.changes) for tx in self._committed)
        return (item for item in chain(self._kept.live(), *added) if item.id not in gone)

    def in_doubt_transactions(self) -> Sequence[PreparedTx]:
        """Return the transactions that are still prepared."""
        return [tx for tx in self._kept.in_doubt_transactions() if tx.tx not in self._ended]


class Chosen:
    """The choices, as far as they are about transactions, and what each of them did."""

    def __init__(self, kept: Kept, choices: Choices) -> None:
        self.lines: list[str] = []
        self.items: list[Item] = []
        doubts = kept.in_doubt_transactions()
        named = {str(tx.tx): tx for tx in doubts}
        named |= {text: tx for tx in doubts if (text := xid_text(tx.extra)) is not None}
        committed = {tx.tx: tx for tx in self._named(choices.commit, named)}
        ended = {tx.tx: tx for tx in self._named(choices.rollback, named)}
        if both := committed.keys() & ended.keys():
            raise ChoiceRefused(f"transaction {min(both)} cannot be committed and rolled back")
        dropped = {name: named[name] for name in choices.drop if name in named}
        ended |= {tx.tx: tx for tx in dropped.values()}
        for tx in committed.values():
            self.lines.append(f"{_called(tx)}: committed. Its other resources are not touched.")
        for tx in ended.values():
            self.lines.append(f"{_called(tx)}: rolled back. Its other resources are not touched.")
            place = kept.where(tx.place)
            self.items.append(
                Item("transaction", str(tx.tx), "", *place, None, "rolled-back", CODES["rolled-back"])
            )
        #: What the choices to drop name beside transactions.
        self.drop = [name for name in choices.drop if name not in dropped]
        self.kept: Kept = kept
        if committed or ended:
            self.kept = Settled(kept, [*committed.values()], frozenset({*committed, *ended}))

    def _named(self, names: Iterable[str], known: Mapping[str, PreparedTx]) -> Iterator[PreparedTx]:
        for name in names:
            if name not in known:
                listed = ", ".join(known) or "none"
                raise ChoiceRefused(f"no transaction {name} is prepared", f"in doubt are: {listed}")
            yield known[name]


def _called(tx: PreparedTx) -> str:
    return f"transaction {tx.tx} ({xid_text(tx.extra) or tx.extra.hex() or 'without an XID'})"


def _prepared(
    kept: Kept, known: Ids, delete: int, wanted: Callable[[Body], bool] = lambda item: True
) -> Iterator[NewRecord]:
    """Yield the prepared transactions with the records that are `wanted`.

    What changes a record that is not there adds it: brokers ignore it.
    """
    for tx in kept.in_doubt_transactions():
        own = set[int]()
        for item in kept.bodies(tx.changes):
            if not wanted(item):
                continue
            there = item.id in known or item.id in own
            code = in_transaction(item.code if there else ADD)
            own.add(item.id)
            yield NewRecord(code, item.id, item.user_type, item.data[item.start : item.end], tx.tx)
        for ident, body in kept.deleted(tx.deletes):
            if ident in known or ident in own:
                yield NewRecord(delete, ident, 0, body, tx.tx)
        yield NewRecord(PREPARE, 0, 0, tx.extra, tx.tx)


def _copied(kept: Kept, dropped: Iterable[int], delete: int) -> Iterator[NewRecord]:
    """Yield all that recovery kept of a journal, but for the records `dropped`."""
    seen, gone = Ids(), frozenset(dropped)
    for item in kept.live():
        if item.id not in gone:
            code = UPDATE if in_transaction(item.code) == UPDATE_TX and item.id in seen else ADD
            seen.add(item.id)
            yield NewRecord(code, item.id, item.user_type, item.data[item.start : item.end])
    yield from _prepared(kept, seen, delete)


def _packing(answer: Answer, directory: str = "") -> Packing:
    """Return what the files of a journal are like: as most of the source's are."""
    journal, names = answer.journal, list(answer.journal.files)
    extension = str(journal.params.get("extension", "amq"))
    lengths = Counter(len(journal.files[name]) for name in names)
    usual = max((count, length) for length, count in lengths.items())[1] if lengths else SMALLEST
    prefix = next((match["prefix"] for name in names if (match := parsed(name))), "activemq-data")
    headers = (file.header for file in answer.observation.files if file.role == "data")
    version = next((found for each in headers if isinstance(found := each.get("user_version"), int)), 0)
    return Packing(
        DIALECTS[journal.edition], directory, prefix, extension,
        int(journal.params.get("file_size", max(usual, SMALLEST))),
        FILLS.get(extension, b"\0"), version,
    )  # fmt: skip


class PlainStore:
    """The new store of a journal that no broker wrote: all that is live, and what is prepared."""

    base = "."
    covers = frozenset[PurePath]()

    def __init__(self, store: Listing, choices: Choices, *, narayana: bool) -> None:
        if narayana and (choices.commit or choices.rollback):
            raise ChoiceRefused(
                "the records of Narayana are decisions that were made; the resources have to carry them out",
                "leave one out with --drop and the id of its record, after the resources were looked at",
            )
        if choices.queues or choices.keep:
            raise ChoiceRefused("this journal has no queues, and all that is live is carried over")
        self._answer, self._narayana = store.answer, narayana
        self._chosen = Chosen(store.replay, choices)
        wanted = {int(name) for name in self._chosen.drop if name.isdecimal()}
        self._dropped = {item.id: item for item in self._chosen.kept.live() if item.id in wanted}
        for name in self._chosen.drop:
            if not name.isdecimal() or int(name) not in self._dropped:
                raise ChoiceRefused(f"--drop {name}: neither a live record nor a prepared transaction")
            self._chosen.lines.append(f"record {name}: left out.")

    @property
    def product(self) -> str:
        """What the files are meant for."""
        own = "Narayana, on " if self._narayana else ""
        return own + _products(self._answer)

    def carried(self) -> Iterable[Count]:
        """Return the number and the bytes of records and transactions."""
        live, kept = Total(), self._chosen.kept
        for item in kept.live():
            if item.id not in self._dropped:
                live.add(item.end - item.start, None)
        count = len(kept.in_doubt_transactions())
        return [live.count("records", "live"), Count("transactions", "prepared", count, 0)]

    def left_out(self) -> Iterator[Item]:
        """Yield what was left out as asked for."""
        yield from self._chosen.items
        for item in self._dropped.values():
            place = self._chosen.kept.where(item.place)
            yield Item("record", str(item.id), "", *place, None, "dropped", CODES["dropped"])

    def unverified(self) -> Iterator[Item]:
        """Yield nothing: what recovery keeps was committed."""
        return iter(())

    def chosen(self) -> Iterator[str]:
        """Yield what each choice did."""
        return iter(self._chosen.lines)

    def steps(self) -> Sequence[str]:
        """Return how to put it in place."""
        return (
            "Stop the program that uses the journal.",
            "Move the old directory away as a whole, and keep it.",
            "Move the new one to its place, with the same owner and rights, and start the program.",
        )

    def files(self) -> Iterator[NewFile]:
        """Yield the files of the journal."""
        form = _packing(self._answer)
        return form.files(_copied(self._chosen.kept, self._dropped, form.dialect.codes["DELETE_TX"]))


def _products(answer: Answer) -> str:
    return ", ".join(get_format(FORMAT).editions[answer.journal.edition].products) or answer.journal.edition


@dataclass
class _Found:
    """What is wrong with messages: ids of those on which a broker does not start, and items."""

    bad: Ids = field(default_factory=Ids)
    left_out: list[Item] = field(default_factory=list)
    unverified: list[Item] = field(default_factory=list)


class BrokerStore:
    """The new store of a broker: messages in queues, pages, large messages, transactions, and bindings."""

    def __init__(self, store: Listing, choices: Choices) -> None:
        self._store, self._choices, self._journal = store, choices, store.answer.journal
        self._chosen = Chosen(store.replay, choices)
        store.replay = self._chosen.kept
        self._rooms = {kind: room for kind in NAMES if (room := beside(self._journal, kind)) is not None}
        #: Queues whose bindings are made anew: id -> name and address.
        self._made: dict[int, tuple[str, str]] = {}
        #: Messages that no queue holds -> the queue that they are put into.
        self._added: dict[int, int] = {}
        root = self._journal.root
        self._with_others = (
            root is not None and root.absolute().name.endswith(JOURNAL) and not store.is_bindings
        )
        if self._with_others and not store.has_bindings:
            for ident in list(store.queues):
                self._make(ident)
        for name in choices.keep:
            self._keep(name)
        names = {f"queue {ident}": ident for ident in self._strangers()}
        names |= {name: ident for ident, name in store.queues.items()}
        for name in choices.queues:
            if name not in store.queues.values():
                raise ChoiceRefused(f"--queue {name}: no such queue", f"queues: {', '.join(names) or 'none'}")
            self._chosen.lines.append(f"queue {name}: of queues, only those that were asked for are kept.")
        #: The queues that are kept.
        self._queues = {i for i, name in store.queues.items() if not choices.queues or name in choices.queues}
        self._gone = set[int]()
        for name in self._chosen.drop:
            self._drop(name)

    # What the choices do.

    def _make(self, ident: int) -> None:
        """Make the binding of a queue anew."""
        pending = self._store.pending
        keys = ((key, message) for key, message in pending.references.items() if queue_of(key) == ident)
        first = next(BrokerContents(self._store).referenced(iter([*islice(keys, 1)])), None)
        paged = (file.address for file, entry in self._store.entries() if ident in entry.queues)
        address = str(first["address"] or "") if first is not None else next(paged, "")
        taken = {queue.name for queue in self._store.bindings.queues.values()}
        taken |= {made for made, _ in self._made.values()}
        name = address if address and address not in taken else f"queue {ident}"
        self._made[ident] = name, address or name
        self._store.queues[ident] = name

    def _strangers(self) -> list[int]:
        """Return the queues that messages are in and that have no binding."""
        paged = (queue for _, entry in self._store.entries() for queue in entry.queues)
        return sorted({*self._store.pending.queues, *paged} - self._store.queues.keys())

    def _keep(self, name: str) -> None:
        """Keep what a broker deletes: messages of a queue without a binding, a message without a queue."""
        pending, said = self._store.pending, self._chosen.lines
        strangers = {text: ident for ident in self._strangers() for text in (f"queue {ident}", str(ident))}
        if name in strangers:
            self._make(strangers[name])
            said.append(f"{name}: kept; its binding is made anew as {self._made[strangers[name]][0]}.")
            return
        number = pending.numbers.get(int(name)) if name.isdecimal() else None
        if number is None:
            raise ChoiceRefused(
                f"--keep {name}: neither a message of this journal nor a queue without a binding"
            )
        if number in pending.references.values():
            raise ChoiceRefused(f"--keep {name}: a queue holds the message")
        (row,) = BrokerContents(self._store).referenced(iter([(None, number)]))
        queues = [i for i, queue in self._store.bindings.queues.items() if queue.address == row["address"]]
        if len(queues) != 1:
            raise ChoiceRefused(
                f"--keep {name}: {len(queues)} queues receive from its address {row['address']!s}"
            )
        self._added[int(name)] = queues[0]
        said.append(f"message {name}: kept, in queue {self._store.name_of(queues[0])}.")

    def _drop(self, name: str) -> None:
        queues = [ident for ident in self._queues if self._store.queues[ident] == name]
        if queues:
            self._queues -= {*queues}
            self._chosen.lines.append(f"queue {name}: left out, with its binding and its messages.")
            return
        if not name.isdecimal() or not self._has(int(name)):
            raise ChoiceRefused(
                f"--drop {name}: no queue, message, record or prepared transaction is called so"
            )
        self._gone.add(int(name))
        self._chosen.lines.append(f"message or record {name}: left out.")

    def _has(self, ident: int) -> bool:
        """Tell whether there is a message or another record with this id."""
        if ident in self._store.pending.numbers or any(item.id == ident for item in self._others()):
            return True
        return any(_message(entry).id == ident for _, entry in self._store.entries())

    # What is carried over.

    def _others(self) -> Iterator[Body]:
        """Yield the live records that are neither messages nor about references."""
        pending = self._store.pending
        places = (place for _, place in pending.page_txs.values())
        return self._store.replay.bodies(
            chain(places, pending.duplicates, pending.heuristics, pending.others)
        )

    def _references(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield key, queue, id and number of the message of the references that are asked for."""
        queues, gone = self._queues, self._gone
        for key, number in self._store.pending.references.items():
            queue = queue_of(key)
            ident = key - queue * KEY
            if queue in queues and ident not in gone:
                yield key, queue, ident, number
        for ident, queue in self._added.items():
            yield queue * KEY + ident, queue, ident, self._store.pending.numbers[ident]

    @cached_property
    def _found(self) -> _Found:
        """What is wrong with the messages that are asked for."""
        pending, found = self._store.pending, _Found()
        numbers = bytearray(len(pending.places))
        for _, _, _, number in self._references():
            numbers[number] = 1
        modern = self._store.product[0] == ARTEMIS_2
        bodies = self._store.replay.bodies(
            pending.places[number] for number, asked in enumerate(numbers) if asked
        )
        for item in bodies:
            message = message_of(item.user_type, item.data[item.start : item.end])
            problem = message.problem or ("" if item.user_type != OLD or not modern else "it is of Artemis 1")
            if problem:
                found.bad.add(item.id)
                place = self._store.replay.where(item.place)
                text = f"{problem}: {_meaning('undecodable')}"
                found.left_out.append(
                    Item("message", str(item.id), "", *place, item.end - item.start, "undecodable", text)
                )
            elif message.large:
                place = self._store.replay.where(item.place)
                found.unverified.extend(self._lacking(item.id, message, *place))
        return found

    def _lacking(self, ident: int, message: Message, file: str, off: int) -> Iterator[Item]:
        """Yield what the file of a large message lacks."""
        there, sizes = self._store.large.open(ident), (message.properties.get(name) for name in SIZES)
        size = next((size for size in sizes if isinstance(size, int)), 0)
        size = 0 if is_compressed(message.properties) else size
        if there is None or there.size < size:
            code = "no-large-file" if there is None else "short-large-file"
            yield Item("message", str(ident), "", file, off, None, code, _meaning(code))

    def _carried(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield the references that are carried over, as :meth:`_references` does."""
        bad = self._found.bad
        return (each for each in self._references() if each[2] not in bad)

    def _sound(self, file: PageFile) -> Iterator[tuple[Entry | None, Sequence[int]]]:
        """Yield the entries of a page, each with the queues that it is written for; None: damaged.

        Places in a page are what acknowledgements are about, so that none is passed over.
        """
        index, pending = 0, self._store.pending
        doubtful = set[int]().union(*(doubt.page_txs for doubt in pending.doubts))
        for entry in file.entries(self._store.report_page):
            yield from ((None, ()) for _ in range(index, entry.index))
            index = entry.index + 1
            message = _message(entry)
            if message.problem:
                note = Oddity(
                    "undecodable", f"{file.name}:{entry.off}", file.name, entry.off, message.problem
                )
                self._store.note(note)
            ended = entry.tx <= 0 or entry.tx in pending.page_txs or entry.tx in doubtful
            wanted = ended and not message.problem and message.id not in self._gone
            yield entry, [queue for queue in entry.queues if queue in self._queues] if wanted else ()

    @cached_property
    def _large(self) -> set[int]:
        """The ids of large messages that are carried over."""
        pending = self._store.pending
        found = {ident for _, _, ident, _ in self._carried() if ident in pending.large}
        found |= {ident for doubt in pending.doubts for ident in doubt.messages if ident in pending.large}
        entries = chain.from_iterable(map(self._sound, self._page_files()))
        return found | {
            _message(entry).id for entry, queues in entries if queues and entry and entry.is_large
        }

    def _page_files(self) -> Iterator[PageFile]:
        return self._store.paging.files(self._store.report_page)

    # The account.

    @property
    def base(self) -> str:
        """The broker's data directory, where the journal's name tells that it is in one."""
        return ".." if self._with_others else "."

    @property
    def covers(self) -> frozenset[PurePath]:
        """The directories beside the journal."""
        rooms = self._rooms.values() if self._with_others else ()
        return frozenset(PurePath("..") / room.path.name for room in rooms)

    @property
    def product(self) -> str:
        """What the files are meant for."""
        return f"{self._store.product[0] or 'a broker'}: {_products(self._store.answer)}"

    def carried(self) -> Iterable[Count]:
        """Return the number and bytes of the pending messages of each queue, and of what else there is."""
        pending, large = self._store.pending, self._store.large
        totals = {queue: Total() for queue in self._queues}
        for key, queue, ident, number in self._carried():
            if key not in pending.hidden:
                size = pending.sizes[number] + (large.size(ident) if ident in pending.large else 0)
                totals[queue].add(size, pending.stamps[number] or None)
        for _, entry, queues in self._store.pending_entries():
            message = _message(entry)
            if not message.problem and message.id not in self._gone:
                size = entry.end - entry.start + (large.size(message.id) if entry.is_large else 0)
                for queue in self._queues.intersection(queues):
                    totals[queue].add(size, entry.timestamp or None)
        yield from (total.count("messages", self._store.queues[queue]) for queue, total in totals.items())
        yield Count("transactions", "prepared", len(pending.doubts), 0)
        yield Count("transactions", "heuristic", len(pending.heuristics), 0)
        yield Count("duplicates", "all", len(pending.duplicates), 0)

    def left_out(self) -> Iterator[Item]:
        """Yield what is not carried over."""
        yield from self._chosen.items
        yield from self._found.left_out
        yield from self._unheld()
        yield from self._unpaged()
        for item in self._others():
            if item.id in self._gone:
                place = self._store.replay.where(item.place)
                yield Item("record", str(item.id), "", *place, None, "dropped", CODES["dropped"])
            elif not self._decodes(item):
                note = Oddity("undecodable", str(item.id), *self._store.replay.where(item.place), "")
                self._store.note(note)
        yield from self._store.items.values()
        for ident in sorted(self._store.large.idents - self._large):
            code = "orphan-large-file"
            yield Item(
                FILE,
                str(ident),
                "",
                f"{ident}.msg",
                None,
                self._store.large.size(ident),
                code,
                _meaning(code),
            )

    def _unheld(self) -> Iterator[Item]:
        """Yield the messages of the journal that are in no queue that is kept."""
        pending, where = self._store.pending, self._store.replay.where
        held = bytearray(len(pending.places))
        for key, number in pending.references.items():
            queue = queue_of(key)
            ident, held[number] = key - queue * KEY, 1
            code = self._why(queue, ident)
            if code:
                name, place = self._store.name_of(queue), where(pending.places[number])
                yield Item("message", str(ident), name, *place, pending.sizes[number], code, _meaning(code))
        for doubt in pending.doubts:
            for item in self._store.replay.bodies(doubt.tx.changes):
                if not self._of_known_queue(item):
                    (queue,) = LONG.unpack_from(item.data, item.start)
                    code, place = self._why(queue, item.id) or "no-page", where(item.place)
                    text = f"transaction {doubt.tx.tx}, record type {item.user_type}: {_meaning(code)}"
                    yield Item("record", str(item.id), self._store.name_of(queue), *place, None, code, text)
        sent = {ident for doubt in pending.doubts for ident, _, _ in doubt.sends}
        for ident, number in pending.numbers.items():
            if not held[number] and ident not in self._added and ident not in sent:
                place, code = where(pending.places[number]), "no-reference"
                yield Item("message", str(ident), "", *place, pending.sizes[number], code, _meaning(code))

    def _why(self, queue: int, ident: int) -> str:
        """Return why a message of a queue is left out; empty: it is not."""
        if ident in self._gone:
            return "dropped"
        if queue in self._queues:
            return ""
        if queue not in self._store.queues:
            return "no-binding"
        return "dropped" if self._store.queues[queue] in self._chosen.drop else "not-asked-for"

    def _unpaged(self) -> Iterator[Item]:
        """Yield the paged messages that are in no queue that is kept; those that were taken are not told."""
        pending = self._store.pending
        gone = pending.paged_acks.union(*(doubt.paged_acks for doubt in pending.doubts))
        for file in self._page_files():
            for entry, queues in self._sound(file):
                if entry is None or len(queues) == len(entry.queues):
                    continue
                ident = _message(entry).id
                if entry.tx > 0 and entry.tx not in pending.page_txs:
                    text = f"page transaction {entry.tx}"
                    self._store.note(Oddity("no-page-transaction", str(entry.tx), file.name, entry.off, text))
                    continue
                for queue in {*entry.queues} - {*queues}:
                    code = self._why(queue, ident)
                    done = (queue, entry.page, entry.index) in gone or (
                        queue,
                        entry.page,
                    ) in pending.pages_done
                    if code and not done:
                        name, size = self._store.name_of(queue), entry.end - entry.start
                        yield Item(
                            "message", str(ident), name, file.name, entry.off, size, code, _meaning(code)
                        )

    def unverified(self) -> Iterator[Item]:
        """Yield messages that lack a part of their bodies, and what is kept although a broker deletes it."""
        yield from self._found.unverified
        for file in self._page_files():
            for entry, queues in self._sound(file):
                if entry is not None and queues and entry.is_large:
                    message = _message(entry)
                    yield from self._lacking(message.id, message, file.name, entry.off)
        for ident, queue in self._added.items():
            place = self._store.replay.where(self._store.pending.places[self._store.pending.numbers[ident]])
            yield Item("message", str(ident), self._store.name_of(queue), *place, None, "kept", CODES["kept"])
        for ident, (name, _) in self._made.items():
            yield Item("queue", str(ident), name, "", None, None, "binding-lost", CODES["binding-lost"])

    def chosen(self) -> Iterator[str]:
        """Yield what each choice did."""
        return iter(self._chosen.lines)

    def steps(self) -> Sequence[str]:
        """Return how to put it in place."""
        if not self._with_others:
            return (
                "Stop the broker, and move its old journal directory away as a whole.",
                "Move the new one to its place. Bindings, page files and large messages must be those that "
                "belong to it: a broker deletes the messages of queues that it does not know.",
            )
        names = ", ".join(
            [
                str(self._journal.root and self._journal.root.name),
                *(r.path.name for r in self._rooms.values()),
            ]
        )
        return (
            f"Stop the broker, and move the old directories away as a whole: {names}.",
            "Move the new ones to their places, with the same owner and rights.",
            "Start the broker in the same version, and let clients in when its queues are as reported.",
        )

    # The files.

    def files(self) -> Iterator[NewFile]:
        """Yield the files, those of the journal first."""
        answer = self._store.answer
        if self._store.is_bindings:
            yield from _packing(answer).files(self._bindings())
            return
        root = self._journal.root
        yield from _packing(answer, f"{root.name}/" if root and self._with_others else "").files(
            self._records()
        )
        if root is None or not self._with_others:
            return
        room = self._rooms.get("large")
        for ident in sorted(self._large) if room else ():
            content = self._store.large.open(ident)
            if content is not None and room is not None:
                ending = ".msg" if f"{ident}.msg" in room.names else ".tmp"
                yield NewFile(f"{room.path.name}/{ident}{ending}", _pieces(content))
        yield from self._new_pages()
        yield from self._new_bindings(root.name.removesuffix(JOURNAL))

    def _records(self) -> Iterator[NewRecord]:
        """Yield the records of the journal: each message before its references, in the order of these."""
        pending, feed, known = self._store.pending, list[int](), Ids()
        bodies = self._store.replay.bodies(iter(feed.pop, -1))
        done = bytearray(len(pending.places))

        def message(ident: int, number: int) -> Iterator[NewRecord]:
            if not done[number]:
                done[number] = 1
                known.add(ident)
                feed.append(pending.places[number])
                item = next(bodies)
                yield NewRecord(ADD, ident, item.user_type, item.data[item.start : item.end])

        for key, queue, ident, number in self._carried():
            yield from message(ident, number)
            yield NewRecord(UPDATE, ident, REFERENCE, LONG.pack(queue))
            if key in pending.deliveries:
                yield NewRecord(UPDATE, ident, DELIVERIES, QUEUE_COUNT.pack(queue, pending.deliveries[key]))
            if key in pending.scheduled:
                yield NewRecord(UPDATE, ident, SCHEDULED, TWO_LONGS.pack(queue, pending.scheduled[key]))
        for ident in (ident for doubt in pending.doubts for ident, _, _ in doubt.sends):
            if ident in pending.numbers:
                yield from message(ident, pending.numbers[ident])
        for record in self._other_records():
            known.add(record.id)
            yield record
        delete = DIALECTS[self._journal.edition].codes["DELETE_TX"]
        yield from _prepared(self._store.replay, known, delete, self._of_known_queue)

    def _of_known_queue(self, item: Body) -> bool:
        """Tell whether what a record is about is kept: its queue, and its page.

        HornetQ does not start with a prepared acknowledgement in an unknown queue, and Artemis 2 counts up to
        the number of any page that a cursor names until memory ends.
        """
        kind, size = item.user_type, item.end - item.start
        if kind in (CURSOR_ACK, PAGE_DONE) and size >= TWO_LONGS.size:
            queue, page = TWO_LONGS.unpack_from(item.data, item.start)
            return queue in self._queues and page in self._numbers
        about = kind in ABOUT_QUEUES and size >= LONG.size
        return not about or LONG.unpack_from(item.data, item.start)[0] in self._queues

    @cached_property
    def _numbers(self) -> set[int]:
        """The numbers of the pages."""
        return {file.number for file in self._page_files()}

    def _other_records(self) -> Iterator[NewRecord]:
        """Yield page transactions, duplicate ids, heuristic ends, and what the cursors of pages have done."""
        pending, counted = self._store.pending, dict[int, int]()
        for item in self._others():
            kind, data = item.user_type, item.data[item.start : item.end]
            if kind in (INCREMENT, PAGE_COUNTER, COUNTER_PENDING):
                (queue,) = LONG.unpack_from(data)
                counted.setdefault(queue, item.id)
            elif not self._of_known_queue(item):
                continue
            elif item.id not in self._gone and self._decodes(item):
                if kind == PAGE_TX:
                    (tx,) = LONG.unpack_from(data)
                    data = QUEUE_COUNT.pack(tx, pending.page_txs[tx][0])
                yield NewRecord(ADD, item.id, kind, data)
        if not counted:
            return
        totals = {queue: Total() for queue in counted if queue in self._queues}
        for _, entry, queues in self._store.pending_entries():
            for queue in totals.keys() & {*queues}:
                totals[queue].add(entry.end - entry.start, None)
        for queue, total in totals.items():
            size = LONG.pack(total.bytes) if pending.counters[queue].size else b""
            yield NewRecord(ADD, counted[queue], PAGE_COUNTER, TWO_LONGS.pack(queue, total.rows) + size)

    def _decodes(self, item: Body) -> bool:
        """Tell whether a broker starts with a record that is no message."""
        kind, data = item.user_type, item.data[item.start : item.end]
        if kind in (DUPLICATE, HEURISTIC):
            try:
                decode(families(FORMAT)[RECORDS], "duplicate" if kind == DUPLICATE else "heuristic", data)
            except ContentsError:
                return False
            return True
        least = {
            PAGE_TX: 12,
            CURSOR_ACK: 20,
            PAGE_DONE: 16,
            PAGE_COUNTER: 16,
            INCREMENT: 12,
            COUNTER_PENDING: 16,
        }
        return kind in (49, 53, 54) or len(data) >= least.get(kind, len(data) + 1)

    def _new_pages(self) -> Iterator[NewFile]:
        room, addresses = self._rooms.get("paging"), set[str]()
        for file in self._page_files() if room is not None else ():
            directory = file.name.partition("/")[0]
            if room is not None and directory not in addresses:
                addresses.add(directory)
                # Each message has its address, too; without the right one a broker does not find the pages.
                own = (_message(entry).address for entry, queues in self._sound(file) if entry and queues)
                address = next(own, None) or file.address
                yield NewFile(f"{room.path.name}/{directory}/{ADDRESS_FILE}", [f"{address}\n".encode()])
            if room is not None:
                yield NewFile(f"{room.path.name}/{file.name}", self._page(file))

    def _page(self, file: PageFile) -> Iterator[bytes]:
        """Yield a page: what is not carried over is replaced by a message that is in no queue."""
        data = bytearray()
        for entry, queues in self._sound(file):
            if entry is None or not queues:
                stored = _placeholder(file)
            elif len(queues) == len(entry.queues):
                stored = entry.data
            else:
                listed = INT.pack(len(queues)) + b"".join(map(LONG.pack, queues))
                stored = entry.data[: entry.end] + listed
            data += HEAD.pack(START, len(stored)) + stored + END
            if len(data) >= PIECE:
                yield from pieces(data)
                data = bytearray()
        yield from pieces(data)

    def _new_bindings(self, prefix: str) -> Iterator[NewFile]:
        """Yield the bindings, and the names of JMS that older brokers keep beside them."""
        room, found = self._rooms.get("bindings"), False
        name = f"{room.path.name if room is not None else prefix + BINDINGS}/"
        try:
            journals = (
                find_journals(room.loaded, FORMAT) if room is not None and room.loaded is not None else []
            )
        except FilesetError:
            journals = []
        for answer in (ask(each, SALVAGE) for each in journals):
            form, state = _packing(answer, name), answer.observation.state
            if form.extension == BINDINGS:
                found = True
                yield from form.files(self._bindings())
            elif isinstance(state, ReplayedState):
                yield from form.files(_copied(state.replay, (), form.dialect.codes["DELETE_TX"]))
        if not found:
            form = replace(
                _packing(self._store.answer, name),
                prefix=f"{PREFIXES.get(str(self._store.product[0]), 'activemq')}-{BINDINGS}",
                extension=BINDINGS,
                size=BINDINGS_SIZE,
            )
            yield from form.files(self._bindings())

    def _bindings(self) -> Iterator[NewRecord]:
        """Yield the records of the bindings: the counter of ids, queues, addresses and settings."""
        kept = self._store.bindings_replay or Replay(())
        known = self._store.bindings
        bad = {item.place for code, _, item, _ in known.remarks if code in ("undecodable", "unknown-status")}
        records, counter = list[NewRecord](), None
        for item in kept.live():
            kind, data = item.user_type, item.data[item.start : item.end]
            of = LONG.unpack_from(data)[0] if kind == QUEUE_STATUS and len(data) >= LONG.size else item.id
            if kind == COUNTER:
                counter = item.id
            elif item.place not in bad and (kind not in (QUEUE, QUEUE_STATUS) or of in self._queues):
                records.append(NewRecord(ADD, item.id, kind, data))
        last = max(self._highest(), *(record.id for record in records), known.counter or 0, counter or 0)
        for ident, (name, address) in self._made.items():
            if ident in self._queues:
                modern = self._store.product[0] == ARTEMIS_2
                records.append(NewRecord(ADD, ident, QUEUE, self._queue(name, address)))
                if modern and all(address != each["address"] for each in known.addresses.values()):
                    last += 1
                    records.append(NewRecord(ADD, last, ADDRESS, text(address) + b"\0\0\0\1\1\0"))
        if counter is None:
            last = counter = last + 1
        # A broker continues after it: what is too low gives new messages ids that are in use.
        yield NewRecord(ADD, counter, COUNTER, LONG.pack(last))
        yield from records

    def _queue(self, name: str, address: str) -> bytes:
        """Return the binding of a queue with as many fields as the product writes at least."""
        body = text(name) + text(address) + b"\0"
        if self._store.product[0] != HORNETQ:
            body += b"\0\0"
        if self._store.product[0] == ARTEMIS_2:
            body += INT.pack(-1) + b"\0" + bytes([name == address])
        return body

    def _highest(self) -> int:
        """Return the highest id that is in use in the journal and the pages."""
        pending = self._store.pending
        own = (item.id for item in self._others())
        paged = (_message(entry).id for _, entry in self._store.entries())
        doubts = (max(doubt.tx.tx, *doubt.messages, 0) for doubt in pending.doubts)
        return max(chain((0, pending.highest), own, paged, doubts, self._store.queues))


def _message(entry: Entry) -> Message:
    return message_of(entry.kind, entry.data[entry.start : entry.end])


def _meaning(code: str) -> str:
    return CODES.get(code) or contents_of(FORMAT).remarks[code]


def _pieces(content: Content) -> Iterator[bytes]:
    return (content.read(off, min(PIECE, content.size - off)) for off in range(0, content.size, PIECE))


def text(value: str) -> bytes:
    """Return a SimpleString."""
    units = value.encode("utf-16-le", "surrogatepass")
    return INT.pack(len(units)) + units


def _placeholder(file: PageFile) -> bytes:
    """Return an entry that is in no queue: it keeps the places of those after it."""
    headers = LONG.pack(0) + b"\1" + text(file.address) + b"\0" + HEADERS.pack(0, True, 0, 0, 4, 0)
    if file.old:
        message = INT.pack(OLD_BODY_AT) + INT.pack(2 * INT.size + len(headers) + BODY_AT) + headers
        return PROLOGUE.pack(-1, 0) + INT.pack(len(message)) + message + INT.pack(0)
    stored = INT.pack(BODY_AT) + headers
    message = bytes([CORE]) + LONG.pack(0) + b"\1" + text(file.address) + INT.pack(len(stored)) + stored
    return PROLOGUE.pack(-1, 0) + message + INT.pack(0)
