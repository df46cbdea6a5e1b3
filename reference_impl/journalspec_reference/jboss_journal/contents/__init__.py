"""The content of a broker's journal: messages of queues, items in doubt, items that a start deletes.

HornetQ 2.2 to 2.4 and Artemis 1 and 2 keep a journal of messages, one of bindings (the queues), page files
and the files of large messages in directories side by side. Tables and remarks are those of ``tables.toml``.

A journal without these directories proves nothing: users send it in alone. A directory of page files or of
large messages next to it marks a broker's data directory. There, journal and bindings are always present.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import tee
from typing import Any

from journalspec.families import ContentsError, decode, families
from journalspec.observation import CLEAN, Missing
from journalspec_reference.answers import UNREAD, Answer, is_copy, renamed
from journalspec_reference.batches import source_of, zeros
from journalspec_reference.content import UNREADABLE
from journalspec_reference.contents import Contents, Count, Row, Value
from journalspec_reference.ids import Ids
from journalspec_reference.jboss_journal.bodies import Body, Kept, LiveOf
from journalspec_reference.jboss_journal.codec import ADD, DIALECTS
from journalspec_reference.jboss_journal.contents.bindings import FORMAT, Queue
from journalspec_reference.jboss_journal.contents.core import LONG, Message, is_large, message_of
from journalspec_reference.jboss_journal.contents.messages import Oddity, QueuedMessage, RowMaker, least_size
from journalspec_reference.jboss_journal.contents.narayana import (
    EXTENSION,
    MARK,
    USER_TYPE,
    TransactionContents,
    xid_parts,
)
from journalspec_reference.jboss_journal.contents.paging import ADDRESS_FILE, PAGE, Entry, PageFile
from journalspec_reference.jboss_journal.contents.pending import REFERENCE, Pending
from journalspec_reference.jboss_journal.contents.store import JMS, Store, replay_of
from journalspec_reference.jboss_journal.fileset import (
    BINDINGS,
    JOURNAL,
    NAMES,
    DataFile,
    beside,
    gather,
    head_of,
    lost_from,
    parsed,
)
from journalspec_reference.jboss_journal.recover import stretch_of

RECORDS = "records"
#: Columns that count the changes of a transaction.
_COUNTS = ("sends", "acknowledges", "page_transactions")


def contents(answer: Answer) -> BrokerContents | TransactionContents | None:
    """Return the contents of a journal that recovery has read; None if no broker or Narayana wrote it.

    Without a state there are no rows.
    """
    store = Store(answer)
    if is_narayana(str(answer.journal.params.get("extension", "")), store.replay):
        return TransactionContents(store)
    return BrokerContents(store) if store.is_of_broker else None


def is_narayana(extension: str, replay: Kept) -> bool:
    """Return whether a journal is Narayana's: by its files' extension, or by its first live record."""
    for item in () if extension == EXTENSION else replay.live():
        return item.user_type == USER_TYPE and item.data.startswith(MARK, item.start)
    return extension == EXTENSION


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
        """Remark on the messages that cannot be decoded: a broker decodes all of them when it starts.

        It does so only for a broker's journal: records of other programs can have the same type numbers.
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
        """Return id of a queue -> the amount of its pending messages."""
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
        """Remark on files of large messages that no message has."""
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

    def referenced(
        self, wanted: Iterable[tuple[int, int | None, int]], *, typed: bool = False
    ) -> Iterator[dict[str, Value]]:
        """Yield the rows of references: turn, queue (None: of no queue) and number of the message."""
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
            parts = [("send", *each) for each in doubt.sends] + [
                ("acknowledge", *each) for each in doubt.acks
            ]
            for action, ident, queue, place in parts:
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
            for queue in entry.queues:
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
        left = ((-1, None, each) for each in pending.numbers.values() if each not in held)
        chosen: Sequence[tuple[str, Iterable[tuple[int, int | None, int]]]] = (
            ("no-binding", unknown),
            ("no-reference", left),
        )
        for why, wanted in chosen:
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
        """Return the fields of a record by its table; nothing, with a remark, if it cannot be decoded."""
        try:
            return decode(families(FORMAT)[RECORDS], shape, data)
        except ContentsError as error:
            self.store.note(Oddity("undecodable", str(ident), place["file"], place["off"], str(error), table))
            return {}


def _xid(found: Mapping[str, Any]) -> dict[str, Value]:
    """Return the columns of an XID; None if it could not be decoded."""
    if not found:
        return {}
    branch, global_id = found["branch"]["value"], found["global_id"]["value"]
    text = ":".join((str(found["format_id"]), _printable(global_id), _printable(branch)))
    row = {"format_id": found["format_id"], "global_id": global_id, "branch": branch, "xid": text}
    return row | xid_parts(found["format_id"], global_id, branch)


def xid_text(data: bytes) -> str | None:
    """Return the XID of a PREPARE in the form of the column ``xid``; None if it cannot be decoded."""
    try:
        found = _xid(decode(families(FORMAT)[RECORDS], "xid", data))
    except ContentsError:
        return None
    return str(found["xid"])


def _printable(data: bytes) -> str:
    """Return bytes as text if they are ASCII that can be printed, else in hex."""
    return data.decode() if data.isascii() and data.decode().isprintable() else data.hex()


# Items that the product needs in addition to the recovered state, and that are missing here.


_ZEROS = "it holds zeros only: a product gives a new file its header, and fills it with J, before it uses it"
_RENAMED = "{} has its name and something after it: no broker reads it"
_CUT = "it has {} bytes, others have {}, and it ends with a record: whatever followed was cut off"
_GONE = (
    "other parts of a broker's directory are here, and this one is lost or on another disk: both look the "
    "same. If it is on another disk, give its directory as a second PATH: that is read by itself, and this "
    "line stays"
)
_EMPTY = "the directory is here, and none of its files"
_NO_QUEUE = (
    "the bindings do not have the queue of this id: a broker that starts deletes its messages (AMQ222043)"
)
_ZERO_PAGE = "it holds zeros only: a broker writes the first message where a page file begins"
#: Remarks on page files, and their meaning here.
_OF_PAGES = {
    "page-damaged": "a broker reads this page no further, and drops what follows (AMQ222033)",
    "no-address-file": "a broker ignores the pages of this directory (AMQ222035)",
}
#: The code of a body of a large message.
BODY = "body"
_NO_BODY = "it has the body of a large message, which a broker delivers without it"
_PACKED_BODY = "it is compressed: a broker does not find it and delivers the message without its body"
_SHORT_BODY = "it has {} of the {} bytes of a large message, and a broker delivers no more"


def lacking(answer: Answer) -> Iterator[Missing]:
    """Yield the missing parts of a journal: ends of its files, and a broker's directories next to it."""
    seen, dialect = answer.observation, DIALECTS[answer.journal.edition]
    found = gather(answer.journal.files, dialect, answer.journal.params)
    files = [file for file in found.files if file.problem is None]
    if seen.verdict == CLEAN and files and all(zeros(source_of(file.data)) for file in files):
        yield Missing("emptied-file", files[0].name, text=_ZEROS)
    name = (
        rf"{re.escape(_prefix(files))}-[0-9]+\.{re.escape(str(answer.journal.params.get('extension', '')))}"
    )
    known = {entry.name for entry in seen.missing}
    for gone, other in renamed(answer.journal, re.compile(name), lambda head: head_of(head) in ("1", "2")):
        if gone not in known:
            yield Missing("file", gone, other, text=_RENAMED.format(other))
    lengths = Counter(file.length for file in files)
    longest = max(lengths, default=0)
    for file in files:
        if file.length < longest and lengths[file.length] == 1 and _ends_with_a_record(file):
            text = _CUT.format(file.length, longest)
            yield Missing("end", file.name, file.name, file.length, text=text)
    if files and (files[0].number or 0) > 1 and _never_compacted(answer):
        yield from (entry for entry in lost_from(found, before=True) if entry.name not in known)
    yield from _of_broker(answer)


def _prefix(files: Sequence[DataFile]) -> str:
    """Return the part of the file names before their numbers."""
    found = parsed(files[0].name) if files else None
    return found["prefix"] if found else ""


def _never_compacted(answer: Answer) -> bool:
    """Return whether there are records, none of which deletes anything or was copied by a compaction.

    Files without records prove nothing: a compaction leaves such files if it has nothing to copy.
    """
    if replay_of(answer).deletes or not len(answer.observation.records):
        return False
    return not any(record.fields.get("compact_count") for record in answer.observation.records)


def _ends_with_a_record(file: DataFile) -> bool:
    """Return whether the last record, or the header, ends at the end of the file.

    Files that a compaction of HornetQ 2.0 wrote end so, too, and have no mark; later versions fill them up.
    """
    if "compact_count" not in file.dialect.kinds[ADD].places:
        return False
    end = file.dialect.header_size
    for batch in stretch_of(file, file.length).scan():
        end = batch.base + batch.end[-1] if len(batch) else end
    return end == file.length


def _of_broker(answer: Answer) -> Iterator[Missing]:
    store, journal = Store(answer), answer.journal
    if journal.params.get("extension") == JMS:
        return
    own, other = (BINDINGS, JOURNAL) if store.is_bindings else (JOURNAL, BINDINGS)
    if not store.is_bindings and not store.is_of_broker:
        return
    room = beside(journal, other, own)
    others = any(beside(journal, kind, own) for kind in NAMES if kind not in (own, other))
    prefix = journal.root.absolute().name.removesuffix(own) if journal.root is not None else ""
    if room is None and others:
        yield Missing(other, f"../{prefix}{other}", text=_GONE)
    elif room is not None and room.loaded is not None and not any(map(parsed, room.names)):
        yield Missing(other, f"../{room.path.name}", text=_EMPTY)
    elif room is not None and own == JOURNAL:
        yield from _of_messages(store)


def _of_messages(store: Store) -> Iterator[Missing]:
    """Yield the queues of messages that the bindings lack, and the missing bodies of messages."""
    bindings = store.bindings_beside
    unread = bindings is None or any(
        region.reason in (UNREAD, UNREADABLE) for region in bindings.observation.dropped
    )
    replay, heads, large = replay_of(store.answer), set[bytes](), set[int]()
    for ident, head in replay.heads(1 + LONG.size, REFERENCE):
        if head[0] == REFERENCE:
            heads.add(head)
        elif is_large(head[0], head, 1):
            large.add(ident)
    queues = {LONG.unpack_from(head, 1)[0] for head in heads if len(head) > LONG.size}
    # Most stores lack no queue. Only for others find the live references, which takes a second pass and
    # memory.
    unknown = queues - store.queues.keys() if not unread else set()
    if unknown and bindings is not None:
        unknown = _never_deleted(unknown, bindings)
    if unknown:
        yield from _unbound(store, unknown)
    if large:
        yield from _without_bodies(store, Pending(LiveOf(replay, large), lambda *_: None))
    yield from _of_pages(store)


def _of_pages(store: Store) -> Iterator[Missing]:
    """Yield the page files that no broker finds, and those that end early."""
    found: list[Missing] = []
    for room in store.paging.room.rooms() if store.paging.room is not None else ():
        listed = (room.loaded.listed if room.loaded else None) or frozenset()
        # If all files are compressed, the user compressed them, and none is reported.
        for other in sorted(listed) if ADDRESS_FILE in listed else ():
            name = "".join(other.partition(".page")[:2])
            if is_copy(other, name) and PAGE.match(name) and name not in listed:
                place = f"{room.path.name}/{name}"
                found.append(Missing("page", place, place, text=_RENAMED.format(other)))

    def report(code: str, file: str, off: int | None, why: str) -> None:
        if code in _OF_PAGES:
            found.append(Missing("page", file, file, off, text=f"{_OF_PAGES[code]}: {why}"))

    for file in store.paging.files(report):
        if file.content.size and zeros(file.content):
            found.append(Missing("page", file.name, file.name, 0, text=_ZERO_PAGE))
            continue
        for _ in file.places(report):
            pass
    yield from found


def _never_deleted(queues: set[int], bindings: Answer) -> set[int]:
    """Return those queues that the bindings cannot have deleted.

    A message that is sent while its queue is deleted stays in the journal. After a compaction of the
    bindings, or after a file was used again, DELETEs are missing: then no queue is returned.
    """
    journal, replay = bindings.journal, replay_of(bindings)
    unused = gather(journal.files, DIALECTS[journal.edition], journal.params).unused
    if len(bindings.observation.records) and not unused:
        return set()
    return {queue for queue in queues if not replay.has_deleted(queue)}


def _unbound(store: Store, unknown: Container[int]) -> Iterator[Missing]:
    counts: dict[int, int] = {}
    firsts: dict[int, int] = {}
    for _, queue, number in store.pending.references.live():
        if queue in unknown:
            counts[queue] = counts.get(queue, 0) + 1
            firsts.setdefault(queue, store.pending.places[number])
    for queue, count in counts.items():
        yield Missing("queue", str(queue), *store.replay.where(firsts[queue]), count, _NO_QUEUE)


def _without_bodies(store: Store, pending: Pending) -> Iterator[Missing]:
    """Yield the missing bodies of `pending` messages, among those whose body is in a file."""
    room = store.large.room
    if room is not None and room.loaded is None:
        return
    large = {*pending.numbers_of_large()}
    # Where all is compressed, that is how it was sent in.
    plain = any(name in (store.answer.journal.listed or ()) for name in store.answer.journal.files)
    # A broker deletes a queue together with the bodies of its messages.
    live = ((queue, number) for _, queue, number in pending.references.live())
    held = sorted({number for queue, number in live if number in large and queue in store.queues})
    for item in store.replay.bodies(pending.places[number] for number in held):
        found, where = store.large.open(item.id), store.replay.where(item.place)
        name = body_name(store, item.id)
        if found is None and (room is None or f"{item.id}.msg" not in room.names):
            yield Missing(BODY, name, *where, 1, _NO_BODY)
        elif plain and room is not None and room.is_packed(f"{item.id}.msg"):
            yield Missing(BODY, name, *where, 1, _PACKED_BODY)
        elif found is not None:
            size = least_size(message_of(item.user_type, item.stored))
            if found.size < size:
                yield Missing(BODY, name, *where, 1, _SHORT_BODY.format(found.size, size))


def body_name(store: Store, ident: int) -> str:
    """Return the file name of a large message's body, relative to the directory of the journal."""
    room = store.large.room
    return f"../{room.path.name if room else 'large-messages'}/{ident}.msg"
