"""The requested content of a new store: chosen ends of transactions, and kept and dropped queues and
messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from journalspec.contents import contents_of
from journalspec_reference.jboss_journal.bodies import Body, ChosenRecords, Kept, PreparedTx
from journalspec_reference.jboss_journal.contents import BrokerContents, xid_text
from journalspec_reference.jboss_journal.contents.bindings import FORMAT
from journalspec_reference.jboss_journal.contents.core import Message
from journalspec_reference.jboss_journal.contents.messages import Oddity, least_size
from journalspec_reference.jboss_journal.contents.store import HORNETQ, Store
from journalspec_reference.jboss_journal.fileset import JOURNAL
from journalspec_reference.newstore import BYTES, FILE, ChoiceRefused, LossItem, StoreChoices

#: At most this many messages are examined to find the address of a page or queue.
MOST_ASKED = 20
#: Codes of remarks about omitted items; remarks with other codes are about items that are carried over.
LOST = frozenset(
    {
        "undecodable", "no-message", "too-large",
        "page-damaged", "page-unreadable", "no-address-file", "unknown-status",
        "no-body",
    }
)  # fmt: skip
#: Maps a remark code to the noun for its item: a complete file, the bytes after an offset, or a record that
#: is not a row.
NOUNS = {
    "page-unreadable": FILE, "no-address-file": FILE, "page-damaged": BYTES, "unknown-status": "record",
}  # fmt: skip
#: Maps the codes that only new stores have to their meaning.
CODES = {
    "dropped": "left out as requested",
    "not-asked-for": "it is not in a requested queue",
    "rolled-back": "rolled back as requested; the other resources of the transaction are not touched",
    "kept": "carried over as requested: a broker would delete it",
    "binding-lost": "the queue is created again; its name is the address of its messages",
    "filter-lost": "the new queue has no filter: a broker does not start with the old one",
    "no-page": "its page is missing",
    "no-body": "a large message without a body: HornetQ fails to deliver it, and then stops delivering",
    "not-received": "a large message that was received only in part: a broker deletes that part",
}


def meaning(code: str, why: str = "") -> str:
    """Return the meaning of a code of a remark or of a new store, after the reason if there is one."""
    text = CODES.get(code) or contents_of(FORMAT).remarks[code]
    return f"{why}: {text}" if why else text


@dataclass
class ListingStore(Store):
    """A broker's store that converts its remarks on omitted items into items."""

    judges = True
    items: dict[tuple[str, str, int | None], LossItem] = field(default_factory=dict)

    def note(self, note: Oddity) -> None:
        """Add the item of a remark on an omitted item."""
        place = note.code, note.file, note.off
        if note.code in LOST and place not in self.items:
            what = NOUNS.get(note.code) or contents_of(FORMAT).tables[note.table].noun
            ident, text = "" if what in (FILE, BYTES) else note.key, meaning(note.code, note.why)
            self.items[place] = LossItem(what, note.code, text, ident, file=note.file, off=note.off)

    def report_record(self, code: str, key: str, place: int, why: str) -> None:
        """Add the item of an omitted record.

        Either the record that it changes is missing, or the record is damaged.
        """
        if code != "unknown-type":  # The new store itself reports records of unknown type.
            file, off = self.replay.where(place)
            what = "message" if code == "no-message" else "record"
            self.items[code, file, off] = LossItem(what, code, meaning(code, why), key, file=file, off=off)

    @property
    def messages(self) -> int:
        """The number of records of the journal that contain messages."""
        return len(self.pending.places)

    def item(
        self, what: str, ident: int, queue: int | None, place: int, code: str, why: str = ""
    ) -> LossItem:
        """Return the item of a record at a place."""
        name = self.name_of(queue) if queue is not None else ""
        return LossItem(what, code, meaning(code, why), str(ident), name, *self.replay.where(place))


class Endings:
    """Represents the choices about transactions, and a line on the effect of each choice.

    `kept` is the result of recovery after these choices; `drop` are the remaining names in the choices to
    drop.
    """

    def __init__(self, kept: Kept, choices: StoreChoices) -> None:
        self.lines: list[str] = []
        self.items: list[LossItem] = []
        doubts = kept.in_doubt_transactions()
        named = {str(tx.tx): tx for tx in doubts}
        named |= {text: tx for tx in doubts if (text := xid_text(tx.extra)) is not None}
        committed = {tx.tx: tx for tx in _named(choices.commit, named)}
        ended = {tx.tx: tx for tx in _named(choices.rollback, named)}
        ended |= {named[name].tx: named[name] for name in choices.drop if name in named}
        if both := committed.keys() & ended.keys():
            raise ChoiceRefused(f"transaction {min(both)} cannot be committed and rolled back")
        for tx, done in (*((tx, "committed") for tx in committed.values()),
                         *((tx, "rolled back") for tx in ended.values())):  # fmt: skip
            called = xid_text(tx.extra) or tx.extra.hex() or "without an XID"
            self.lines.append(f"transaction {tx.tx} ({called}): {done}. Its other resources are not touched.")
        for tx in ended.values():
            file, off = kept.where(tx.place)
            text = meaning("rolled-back")
            self.items.append(LossItem("transaction", "rolled-back", text, str(tx.tx), file=file, off=off))
        self.drop = [name for name in choices.drop if name not in named]
        self.kept: Kept = kept
        if committed or ended:
            left = [tx for tx in doubts if tx.tx not in {*committed, *ended}]
            self.kept = ChosenRecords(kept, lambda: _settled(kept, [*committed.values()]), left)


def _settled(kept: Kept, committed: Sequence[PreparedTx]) -> Iterator[tuple[int, int]]:
    """Yield the ids and places of the live records; those of committed transactions come last."""
    gone = {ident for tx in committed for ident, _ in kept.deleted(tx.deletes)}
    added = ((item.id, item.place) for tx in committed for item in kept.bodies(tx.changes))
    return (row for row in chain(kept.live_places(), added) if row[0] not in gone)


def _named(names: Iterable[str], known: Mapping[str, PreparedTx]) -> Iterator[PreparedTx]:
    for name in names:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise ChoiceRefused(f"no transaction {name} is prepared", f"in doubt are: {listed}")
        yield known[name]


class WantedParts:
    """Represents the parts of a broker's store that are carried over.

    `queues` are the queues that are kept, `gone` the ids that are dropped. `made` maps each queue whose
    binding is written anew to its name and address. `added` maps each message that was in no queue to its new
    queue.
    """

    def __init__(self, store: ListingStore, choices: StoreChoices) -> None:
        self.store, self.chosen = store, Endings(store.replay, choices)
        store.replay = self.chosen.kept
        self.made: dict[int, tuple[str, str]] = {}
        self.added: dict[int, int] = {}
        self.gone: set[int] = set()
        root = store.answer.journal.root
        #: Whether the directory's name shows that the journal is in a broker's data directory.
        self.with_others = root is not None and root.absolute().name.endswith(JOURNAL)
        self.with_others &= not store.is_bindings
        if self.with_others and store.bindings_replay is None:
            for ident in list(store.queues):
                self._make(ident)
        for ident, queue in store.bindings.queues.items():
            # A broker does not start with another routing type.
            if queue.routing not in (None, "anycast", "multicast"):
                self.made[ident] = queue.name, queue.address
        for name in choices.keep:
            self._keep(name)
        for name in choices.queues:
            if name not in store.queues.values():
                known = ", ".join(store.queues.values()) or "none"
                raise ChoiceRefused(f"--queue {name}: no such queue", f"queues: {known}")
            self.chosen.lines.append(f"queue {name}: of queues, only the requested ones are kept.")
        names = store.queues.items()
        self.queues = {ident for ident, name in names if not choices.queues or name in choices.queues}
        for name in self.chosen.drop:
            self._drop(name)

    def address_of(self, queue: int) -> str:
        """Return the address from which a kept queue receives."""
        return self.made[queue][1] if queue in self.made else self.store.bindings.queues[queue].address

    def _make(self, ident: int) -> None:
        """Make a new binding of a queue from its messages."""
        store = self.store
        own = (each for each in store.pending.references.live() if each[1] == ident)
        rows = BrokerContents(store).referenced(islice(own, MOST_ASKED))
        votes = Counter(str(row["address"] or "") for row in rows)
        paged = (pair for pair in store.entries() if ident in pair[1].queues)
        for file, entry in islice(paged, MOST_ASKED):
            votes[entry.message().address or file.address] += 1
        address = votes.most_common(1)[0][0] if votes else ""
        taken = {queue.name for queue in store.bindings.queues.values()}
        taken |= {name for name, _ in self.made.values()}
        # A client can address a queue by its name: ADDRESS::QUEUE.
        address, _, called = address.partition("::")
        name = next((each for each in (called, address) if each and each not in taken), f"queue {ident}")
        self.made[ident] = name, address or name
        store.queues[ident] = name

    def _keep(self, name: str) -> None:
        """Keep items that a broker deletes: messages of a queue without a binding, or without a queue."""
        store, pending = self.store, self.store.pending
        paged = (queue for _, entry in store.entries() for queue in entry.queues)
        for ident in {*pending.queues, *paged} - store.queues.keys():
            if name in (f"queue {ident}", str(ident)):
                self._make(ident)
                line = f"{name}: kept; its binding is made again, with the name {self.made[ident][0]}."
                self.chosen.lines.append(line)
                return
        number = pending.numbers.get(int(name)) if name.isdecimal() else None
        if number is None:
            why = "neither a message of this journal nor a queue without a binding"
        elif number in pending.references.numbers:
            why = "a queue holds the message, so that it is carried over"
        else:
            (row,) = BrokerContents(store).referenced([(-1, None, number)])
            queues = [i for i, queue in store.bindings.queues.items() if queue.address == row["address"]]
            if len(queues) == 1:
                self.added[int(name)] = queues[0]
                self.chosen.lines.append(f"message {name}: kept, in queue {store.name_of(queues[0])}.")
                return
            why = f"{len(queues)} queues receive from its address"
        raise ChoiceRefused(f"--keep {name}: {why}")

    def _drop(self, name: str) -> None:
        queues = {ident for ident in self.queues if self.store.queues[ident] == name}
        if queues:
            self.queues -= queues
            self.chosen.lines.append(f"queue {name}: left out, with its binding and its messages.")
        elif name.isdecimal() and self._has(int(name)):
            self.gone.add(int(name))
            self.chosen.lines.append(f"message or record {name}: left out.")
        else:
            raise ChoiceRefused(f"--drop {name}: no queue, message, record, or prepared transaction")

    def _has(self, ident: int) -> bool:
        """Return whether a message or another record has this id."""
        if ident in self.store.pending.numbers or any(item.id == ident for item in self.others()):
            return True
        return any(entry.message().id == ident for _, entry in self.store.entries())

    def others(self) -> Iterator[Body]:
        """Yield the live records that are neither messages nor about references."""
        pending = self.store.pending
        places = (place for _, place in pending.page_txs.values())
        return self.store.replay.bodies(chain(places, pending.duplicates, pending.heuristics, pending.others))

    def references(self) -> Iterator[tuple[int, int, int]]:
        """Return the requested references: turn (-1: a message newly put in a queue), queue and number."""
        queues, gone, pending = self.queues, self.gone, self.store.pending
        found = pending.references.live()
        if gone or not pending.queues <= queues:
            found = (each for each in found if each[1] in queues and pending.idents[each[2]] not in gone)
        return chain(found, ((-1, queue, pending.numbers[ident]) for ident, queue in self.added.items()))

    def why_not(self, queue: int, ident: int) -> str:
        """Return the code for omitting a message of a queue.

        If the code is empty, the message is carried over.
        """
        if ident in self.gone:
            return "dropped"
        if queue in self.queues:
            return ""
        if queue not in self.store.queues:
            return "no-binding"
        return "dropped" if self.store.queues[queue] in self.chosen.drop else "not-asked-for"

    def lacking(self, ident: int, message: Message, file: str, off: int) -> Iterator[LossItem]:
        """Yield the item of a large message whose file is missing or too short."""
        there = self.store.large.open(ident)
        if there is None or there.size < least_size(message):
            code = "no-large-file" if there is None else "short-large-file"
            yield LossItem("message", code, meaning(code), str(ident), file=file, off=off)

    def problem(self, ident: int, message: Message) -> tuple[str, str] | None:
        """Return the code and the reason if a broker does not start with this message, or cannot deliver it.

        Return None if the broker can do both.

        """
        if message.problem:
            return "undecodable", message.problem
        if message.large and self.store.product[0] == HORNETQ:
            file = self.store.large.open(ident)
            return ("no-body", "") if file is None or file.size == 0 else None
        return None
