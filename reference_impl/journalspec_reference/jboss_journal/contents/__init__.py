"""The contents of a broker's journal: messages of queues, items in doubt, and items that a start deletes.

HornetQ 2.2 to 2.4 and Artemis 1 and 2 use four sibling directories. They contain the journal of messages, the
journal of bindings (the queues), page files, and files of large messages. ``tables.toml`` defines the tables
and remarks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import tee
from typing import Any, TypeAlias

from journalspec.families import ContentsError, decode, families
from journalspec_reference.answers import Answer
from journalspec_reference.contents import Contents, Count, Row, Value
from journalspec_reference.ids import Ids
from journalspec_reference.jboss_journal.bodies import Body
from journalspec_reference.jboss_journal.contents.bindings import FORMAT, Queue
from journalspec_reference.jboss_journal.contents.core import Message, message_of
from journalspec_reference.jboss_journal.contents.messages import Oddity, QueuedMessage, RowMaker
from journalspec_reference.jboss_journal.contents.narayana import TransactionContents, xid_parts
from journalspec_reference.jboss_journal.contents.paging import Entry, PageFile
from journalspec_reference.jboss_journal.contents.store import Store

#: The name of the table of other records, and the remark code for the missing body of a large message.
RECORDS, BODY = "records", "body"
#: References to messages. Each is (turn, id of the queue or None, number of the message).
Wanted: TypeAlias = Iterable[tuple[int, int | None, int]]
#: Columns that count the changes of a transaction.
_COUNTS = ("sends", "acknowledges", "page_transactions")


def contents(answer: Answer) -> BrokerContents | TransactionContents | None:
    """Return the contents of a recovered journal. Return None if neither a broker nor Narayana wrote it.

    If recovery refused the journal, there are no rows.
    """
    store = Store(answer)
    if store.is_narayana:
        return TransactionContents(store)
    return BrokerContents(store) if store.is_of_broker else None


class BrokerContents(Contents):
    """The contents of a journal of messages, or of bindings."""

    def __init__(self, store: Store) -> None:
        super().__init__(FORMAT, store.remarks)
        self.store, self._rows = store, RowMaker(store.large, store.note)

    def counts(self) -> Sequence[Count]:
        """Return the number, bytes and times of the pending messages of each queue."""
        self._check_large()
        return [*self._totals().values()]

    def judge(self) -> frozenset[str]:
        """Add a remark on each message that cannot be decoded. A broker decodes all messages when it starts.

        Only a broker's journal is checked, because records of other programs can have the same type numbers.
        """
        pending, replay = self.store.pending, self.store.replay
        if not self.store.has_any:
            return frozenset()
        found = {"undecodable"} if pending.cut else set()
        for item in replay.bodies(pending.places[number] for number in pending.odd):
            message = message_of(item.user_type, item.stored)
            if message.problem:
                place = replay.where(item.place)
                self.store.note(Oddity("undecodable", str(item.id), *place, message.problem))
                found.add("undecodable")
        return frozenset(found | {"old-message"} & self.store.remarks.counts.keys())

    def _totals(self) -> dict[int, Count]:
        """Return a map from the id of a queue to the number, bytes and times of its pending messages."""
        pending, sizes = self.store.pending, self.store.sizes
        totals = {queue: Count("messages", name) for queue, name in self.store.queues.items()}
        for turn, queue, number in pending.references.live():
            total = totals.get(queue)
            if total is not None and turn not in pending.hidden:
                total.add(sizes[number], pending.stamps[number] or None)
        for _, entry, queues in self.store.pending_entries():
            size = entry.end - entry.start
            if entry.is_large:
                size += self.store.large.size(entry.message().id)
            for queue in queues:
                totals[queue].add(size, entry.timestamp or None)
        return totals

    def _check_large(self) -> None:
        """Add a remark on each file of a large message that belongs to no message."""
        left = {ident for ident in self.store.large.idents if ident not in self.store.pending.large}
        if left:
            left -= {entry.message().id for _, entry in self.store.entries()}
        for ident in sorted(left):
            self.store.note(Oddity("orphan-large-file", str(ident), f"{ident}.msg"))

    def typed_messages(self) -> Iterator[Row]:
        """Yield the rows of messages with the values that :mod:`..artemis_xml` needs besides columns."""
        return self._messages(typed=True)

    def _messages(self, *, typed: bool = False) -> Iterator[Row]:
        pending, queues = self.store.pending, self.store.queues
        live = (
            each for each in pending.references.live() if each[1] in queues and each[0] not in pending.hidden
        )
        yield from self.referenced(live, typed=typed)
        for file, entry, held in self.store.pending_entries():
            for queue in held:
                yield self._paged(file, entry, queue, typed=typed)

    def referenced(self, wanted: Wanted, *, typed: bool = False) -> Iterator[dict[str, Value]]:
        """Yield the rows of references."""
        pending, replay, row = self.store.pending, self.store.replay, self._rows.row
        deliveries, scheduled, where = pending.deliveries.get, pending.scheduled.get, replay.where
        references, numbers = tee(wanted)
        items = replay.bodies(pending.places[number] for _, _, number in numbers)
        for (turn, queue, _), item in zip(references, items, strict=True):
            place, _, ident, kind, data, start, end = item
            name = self.store.name_of(queue) if queue is not None else None
            at = QueuedMessage(name, ident, *where(place), end - start, deliveries(turn, 0), scheduled(turn))
            yield row(at, message_of(kind, data[start:end], tagged=typed))

    def _paged(self, file: PageFile, entry: Entry, queue: int, *, typed: bool = False) -> dict[str, Value]:
        message = entry.message(tagged=typed)
        name, size = self.store.name_of(queue), entry.end - entry.start
        at = QueuedMessage(name, message.id, file.name, entry.off, size, paged=True)
        return self._rows.row(at, message)

    def _in_doubt(self) -> Iterator[Row]:
        pending, replay = self.store.pending, self.store.replay
        for doubt in pending.doubts:
            for action, parts in (("send", doubt.sends), ("acknowledge", doubt.acks)):
                for ident, queue, place in parts:
                    there = doubt.messages.get(ident)
                    if there is None and ident in pending.numbers:
                        there = pending.places[pending.numbers[ident]]
                    item = next(replay.bodies([place if there is None else there]))
                    data = item.stored
                    at = QueuedMessage(self.store.name_of(queue), ident, *replay.where(item.place), len(data))
                    message = Message(protocol="") if there is None else message_of(item.user_type, data)
                    if there is None:
                        self.store.note(Oddity("no-message", str(ident), at.file, at.off, table="in_doubt"))
                    yield {"transaction": doubt.tx.tx, "action": action, **self._rows.row(at, message)}
        yield from self._paged_in_doubt()

    def _paged_in_doubt(self) -> Iterator[Row]:
        sends: dict[int, int] = {}
        acks: dict[tuple[int, int, int], int] = {}
        for doubt in self.store.pending.doubts:
            sends |= dict.fromkeys(doubt.page_txs, doubt.tx.tx)
            acks |= dict.fromkeys(doubt.paged_acks, doubt.tx.tx)
        for file, entry in self.store.entries() if sends or acks else ():
            for queue in dict.fromkeys(entry.queues):
                sent, taken = sends.get(entry.tx), acks.get((queue, entry.page, entry.index))
                for action, tx in (("send", sent), ("acknowledge", taken)):
                    if tx is not None:
                        yield {"transaction": tx, "action": action, **self._paged(file, entry, queue)}

    def _dropped(self) -> Iterator[Row]:
        """Yield the messages that a broker deletes when it starts on these files."""
        pending, queues = self.store.pending, self.store.queues
        if self.store.bindings_replay is None:
            return
        unknown = (each for each in pending.references.live() if each[1] not in queues)
        held = Ids()
        held.update(number for _, _, number in pending.references.live())
        left: Wanted = ((-1, None, each) for each in pending.numbers.values() if each not in held)
        for why, wanted in (("no-binding", unknown), ("no-reference", left)):
            for row in self.referenced(wanted):
                key = str(row["id"] if row["queue"] is None else row["queue"])
                self.store.note(Oddity(why, key, str(row["file"]), None, table="dropped"))
                yield {"why": why, **row}

    def _addresses(self) -> Iterable[Row]:
        return self.store.bindings.addresses.values()

    def _settings(self) -> Iterable[Row]:
        return self.store.bindings.settings

    def _queues(self) -> Iterator[Row]:
        totals = self._totals()
        for ident, name in self.store.queues.items():
            queue = self.store.bindings.queues.get(ident) or Queue(ident, name, "", None, {})
            options = dict(queue.options)
            created, metadata = options.pop("auto_created", None), options.pop("metadata", None)
            yield {
                "queue": name,
                "id": ident,
                "address": queue.address or None,
                "filter": queue.filter,
                "routing": queue.routing,
                "messages": totals[ident].rows,
                "bytes": totals[ident].bytes,
                "paused": queue.paused,
                "auto_created": created,
                "metadata": metadata,
                "options": options,
            }

    def _transactions(self) -> Iterator[Row]:
        for doubt in self.store.pending.doubts:
            acks, place = len(doubt.acks) + len(doubt.paged_acks), self._where(doubt.tx.place)
            counts = dict(zip(_COUNTS, (len(doubt.sends), acks, len(doubt.page_txs)), strict=True))
            xid = self._decoded("xid", doubt.tx.extra, doubt.tx.tx, place, "transactions")
            yield {"id": doubt.tx.tx, "state": "prepared", **_xid(xid), **counts, **place}
        for item, place in self._bodies(self.store.pending.heuristics):
            found = self._decoded("heuristic", item.stored, item.id, place, "transactions")
            state = f"heuristically {'committed' if found.get('committed') else 'rolled back'}"
            xid = _xid(found.get("xid", {}))
            yield {"id": item.id, "state": state, **xid, **dict.fromkeys(_COUNTS, 0), **place}

    def _duplicates(self) -> Iterator[Row]:
        for item, place in self._bodies(self.store.pending.duplicates):
            found = self._decoded("duplicate", item.stored, item.id, place, "duplicates")
            value = found["ident"].get("value", b"") if found else b""
            text = value.decode("utf-16-le", "replace")
            readable = text if text.isprintable() and "\ufffd" not in text else None
            address = found["address"].get("value") if found else None
            yield {"address": address, "value": value, "text": readable, "id": item.id, **place}

    def _page_transactions(self) -> Iterator[Row]:
        for tx, (count, place) in self.store.pending.page_txs.items():
            yield {"id": tx, "messages": count, **self._where(place)}

    def _page_counters(self) -> Iterator[Row]:
        for queue, counter in self.store.pending.counters.items():
            if queue not in self.store.queues:
                note = Oddity("unknown-queue", str(queue), why="a page counter", table="page_counters")
                self.store.note(note)
            row = {"messages": counter.count, "bytes": counter.size, "not_counted": counter.pending}
            yield {"queue": self.store.name_of(queue), "id": queue, **row}

    def _store(self) -> Iterator[Row]:
        (product, evidence), pending = self.store.product, self.store.pending
        types: dict[str, Value] = {str(kind): count for kind, count in sorted(pending.types.items())}
        row = {"product": product, "evidence": evidence, "id_counter": self.store.bindings.counter}
        yield {**row, "highest_id": pending.highest, "types": types}

    def _where(self, place: int) -> dict[str, Value]:
        return dict(zip(("file", "off"), self.store.replay.where(place), strict=True))

    def _bodies(self, places: Sequence[int]) -> Iterator[tuple[Body, dict[str, Value]]]:
        return ((item, self._where(item.place)) for item in self.store.replay.bodies(places))

    def _decoded(
        self, shape: str, data: bytes, ident: int, place: Mapping[str, Any], table: str
    ) -> dict[str, Any]:
        """Return the fields of a record, decoded with its table. If that fails, add a remark and return no
        fields.
        """
        try:
            return decode(families(FORMAT)[RECORDS], shape, data)
        except ContentsError as error:
            self.store.note(Oddity("undecodable", str(ident), place["file"], place["off"], str(error), table))
            return {}


def _xid(found: Mapping[str, Any]) -> dict[str, Value]:
    """Return the columns of an XID. Return None if it could not be decoded."""
    if not found:
        return {}
    branch, global_id = found["branch"]["value"], found["global_id"]["value"]
    text = ":".join((str(found["format_id"]), _printable(global_id), _printable(branch)))
    row = {"format_id": found["format_id"], "global_id": global_id, "branch": branch, "xid": text}
    return row | xid_parts(found["format_id"], global_id, branch)


def xid_text(data: bytes) -> str | None:
    """Return the XID of a PREPARE in the form of the column ``xid``. Return None if it cannot be decoded."""
    try:
        found = _xid(decode(families(FORMAT)[RECORDS], "xid", data))
    except ContentsError:
        return None
    return str(found["xid"])


def _printable(data: bytes) -> str:
    """Return bytes as text if all of them are printable ASCII, else in hex."""
    return data.decode() if data.isascii() and data.decode().isprintable() else data.hex()


def body_name(store: Store, ident: int) -> str:
    """Return the file name of a large message's body, relative to the directory of the journal."""
    room = store.large.room
    return f"../{room.path.name if room else 'large-messages'}/{ident}.msg"
