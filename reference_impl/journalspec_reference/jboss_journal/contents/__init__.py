"""What a broker's journal holds: the messages of its queues, what is in doubt, and what a start deletes.

HornetQ 2.2 to 2.4 and Artemis 1 and 2 keep a journal of messages, one of bindings (the queues), page files and the
files of large messages in directories side by side. Tables, columns and remarks are those of ``tables.toml``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from journalspec.contents import Described, Table, described
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.contents import Count, Remark, Remarks, Row, Value
from journalspec_reference.filesets import FilesetError, find_journals
from journalspec_reference.ids import Ids
from journalspec_reference.jboss_journal.contents import amqp, narayana
from journalspec_reference.jboss_journal.contents.beside import Room, beside
from journalspec_reference.jboss_journal.contents.bindings import Bindings, Queue, bindings_of
from journalspec_reference.jboss_journal.contents.core import (
    COMPRESSED,
    ERRORS,
    KINDS,
    MOST_BODY,
    OLD,
    PROTOCOL,
    Body,
    Message,
    body_of,
    data_at,
    message_of,
    text_at,
    uuid_text,
)
from journalspec_reference.jboss_journal.contents.paging import Entry, LargeFiles, PageFile, Paging
from journalspec_reference.jboss_journal.contents.pending import Doubt, Pending, queue_number, xid_of
from journalspec_reference.jboss_journal.implementation import FORMAT
from journalspec_reference.jboss_journal.recover import Outcome, Replay

BINDINGS = "bindings"
ARTEMIS_2, ARTEMIS_1, HORNETQ = "ActiveMQ Artemis 2", "ActiveMQ Artemis 1", "HornetQ 2"
#: What tells the product where nothing in the records does.
EXTENSIONS = {"hq": HORNETQ, "amq": ARTEMIS_2}
SIZES = ("_AMQ_LARGE_SIZE", "_HQ_LARGE_SIZE")
#: Columns that do not come out of a message's own bytes.
OUTER = frozenset(
    (
        "queue",
        "id",
        "protocol",
        "delivery_count",
        "redelivered",
        "scheduled",
        "size",
        "large",
        "paged",
        "file",
        "off",
    )
)


def contents(answer: Answer) -> BrokerContents:
    """Return the contents of a journal that recovery has read; without a state there are no rows."""
    extension = str(answer.journal.params.get("extension", ""))
    narayanas = narayana.is_store(extension, _replay_of(answer))
    return (TransactionContents if narayanas else BrokerContents)(answer)


def _tables() -> Described:
    found = described(FORMAT)
    if found is None:
        raise ValueError(f"{FORMAT} describes no contents")
    return found


def _replay_of(answer: Answer) -> Replay:
    state = answer.observation.state
    return state.replay if isinstance(state, Outcome) else Replay(())


@dataclass
class BrokerContents:
    """The contents of a journal of messages, or of bindings."""

    answer: Answer
    remarks: Remarks = field(default_factory=Remarks)
    #: What is remarked on once: code and key.
    _noted: set[tuple[str, str]] = field(default_factory=set)

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables of ``tables.toml``."""
        return _tables().tables

    def rows(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table; raises KeyError for an unknown one."""
        rows: Mapping[str, Callable[[], Iterator[Row]]] = {
            "messages": self._messages,
            "queues": self._queues,
            "addresses": self._addresses,
            "in_doubt": self._in_doubt,
            "dropped": self._dropped,
            "transactions": self._transactions,
            "participants": lambda: iter(()),
            "duplicates": self._duplicates,
            "page_transactions": self._page_transactions,
            "page_counters": self._page_counters,
            "settings": self._settings,
            "store": self._store,
        }
        return rows[table]()

    def counts(self) -> Sequence[Count]:
        """Return the number, bytes and times of the pending messages of each queue."""
        pending, totals = self.pending, {number: _Total() for number in self._named}
        for key, message in pending.references.items():
            total = totals.get(queue_number(key))
            if total is not None and key not in pending.hidden:
                total.add(pending.sizes[message], pending.stamps[message])
        names = {queue: number for number, queue in self._ids.items()}
        paged = {queue: totals.setdefault(names.get(queue, -queue - 1), _Total()) for queue in self.known}
        for _, entry, queues in self._paged():
            for queue in queues:
                paged[queue].add(entry.end - entry.start, entry.timestamp)
        found = [
            Count("messages", self.name_of(queue), each.rows, each.bytes, each.oldest, each.newest)
            for queue, each in paged.items()
        ]
        self._check_large()
        return found

    # What everything else needs, found once.

    @cached_property
    def _replay(self) -> Replay:
        return _replay_of(self.answer)

    @cached_property
    def _is_bindings(self) -> bool:
        return self.answer.journal.params.get("extension") == BINDINGS

    @cached_property
    def bindings(self) -> Bindings:
        """The queues: of this journal, or of the one beside it."""
        journal = self.answer.journal
        if self._is_bindings:
            return self._noted_bindings(bindings_of(self._replay.live()), self._replay)
        room = beside(journal, "bindings")
        answer = _bindings_in(room) if room is not None else None
        if answer is None:
            self.note("no-bindings", "", "", None, "queues have no names here")
            return Bindings()
        replay = _replay_of(answer)
        return self._noted_bindings(bindings_of(replay.live()), replay)

    def _noted_bindings(self, found: Bindings, replay: Replay) -> Bindings:
        for item, why in found.problems:
            self.note("undecodable", str(item.id), *replay.where(item.place), why, "queues")
        for code, key, item in found.remarks:
            self.note(code, key, *replay.where(item.place), "", "queues")
        return found

    @cached_property
    def pending(self) -> Pending:
        """What is pending in the journal itself."""

        def report(code: str, key: str, place: int, why: str) -> None:
            self.note(code, key, *self._replay.where(place), why, "messages")

        found = Pending(Replay(()) if self._is_bindings else self._replay, report)
        if found.types[OLD] and (found.types[PROTOCOL] or self.bindings.addresses):
            self.note("old-message", "", "", None, f"{found.types[OLD]} messages", "messages")
        if self.bindings.queues and self.bindings.counter is None:
            self.note("no-id-counter", "", "", None, f"ids up to {found.highest} are in use")
        return found

    @cached_property
    def known(self) -> dict[int, str]:
        """The names of the queues by id: those of bindings; without any, those that messages are in."""
        if self.bindings.queues or self._has_bindings:
            return {ident: queue.name for ident, queue in self.bindings.queues.items()}
        paged = {
            queue for file in self.page_files() for entry in file.entries(_ignore) for queue in entry.queues
        }
        return {ident: f"queue {ident}" for ident in sorted({*self.pending.queues, *paged})}

    @cached_property
    def _has_bindings(self) -> bool:
        return not self.remarks.counts["no-bindings"]

    @cached_property
    def _ids(self) -> dict[int, int]:
        """Number of a queue -> its id."""
        return {number: ident for ident, number in self.pending.queues.items()}

    @cached_property
    def _named(self) -> dict[int, str]:
        """Number of a queue that there is -> its name."""
        known = self.known
        return {number: known[ident] for ident, number in self.pending.queues.items() if ident in known}

    def name_of(self, queue: int) -> str:
        """Return the name of a queue, or what to call it."""
        return self.known.get(queue, f"queue {queue}")

    @cached_property
    def product(self) -> tuple[str | None, str]:
        """Which product wrote this, and what tells that."""
        pending, bindings = self.pending, self.bindings
        if pending.types[PROTOCOL] or bindings.addresses:
            return ARTEMIS_2, "messages with a protocol" if pending.types[
                PROTOCOL
            ] else "addresses in the bindings"
        extension = self.answer.journal.params.get("extension", "")
        if any(queue.options for queue in bindings.queues.values()):
            return ARTEMIS_1, "queues with metadata, and no addresses"
        if bindings.queues:
            return HORNETQ, "queues of three fields"
        if extension in EXTENSIONS and not (pending.types[OLD] and extension == "amq"):
            return EXTENSIONS[extension], f"the extension {extension}"
        return (ARTEMIS_1, "messages without a protocol") if pending.types[OLD] else (None, "")

    @cached_property
    def _large(self) -> LargeFiles:
        return LargeFiles(beside(self.answer.journal, "large"))

    @cached_property
    def _paging(self) -> Paging:
        return Paging(beside(self.answer.journal, "paging"), self.product[0] in (HORNETQ, ARTEMIS_1))

    def note(self, code: str, key: str, file: str, off: int | None, why: str, table: str = "") -> None:
        """Remark on something once; the meaning of the code goes before the reason."""
        if (code, key) in self._noted:
            return
        if self.remarks.counts[code] < len(self.remarks.kept) + 1000:
            self._noted.add((code, key))
        meaning = _tables().remarks.get(code, code)
        self.remarks.add(Remark(table, key, file, off, code, f"{why}: {meaning}" if why else meaning))

    # Messages.

    def _messages(self) -> Iterator[Row]:
        pending, named = self.pending, self._named
        wanted = (
            (key, message)
            for key, message in pending.references.items()
            if queue_number(key) in named and key not in pending.hidden
        )
        yield from self._referenced(wanted)
        for file, entry, queues in self._paged():
            for queue in queues:
                yield self._row_of_entry(file, entry, queue)

    def _referenced(self, wanted: Iterator[tuple[int, int]]) -> Iterator[dict[str, Value]]:
        """Yield the rows of references, given as key and number of the message."""
        pending, names, ids = self.pending, self._named, self._ids
        # Read as many at a time as fit into little memory: a place is asked for by the reader of bodies.
        keys: list[int] = []

        def places() -> Iterator[int]:
            for key, message in wanted:
                keys.append(key)
                yield pending.places[message]

        for item in self._replay.bodies(places()):
            key = keys.pop()
            number = queue_number(key)
            message = message_of(item.user_type, item.data[item.start : item.end])
            file, off = self._replay.where(item.place)
            yield self._row(
                names[number] if number in names else self.name_of(ids[number]),
                item.id,
                message,
                file,
                off,
                item.end - item.start,
                pending.deliveries.get(key, 0),
                pending.scheduled.get(key),
            )

    def _row_of_entry(self, file: PageFile, entry: Entry, queue: int) -> dict[str, Value]:
        message = message_of(entry.kind, entry.data[entry.start : entry.end])
        size = entry.end - entry.start
        return self._row(self.name_of(queue), None, message, file.name, entry.off, size, paged=True)

    def _row(
        self,
        queue: str,
        ident: int | None,
        message: Message,
        file: str,
        off: int,
        size: int,
        deliveries: int = 0,
        scheduled: int | None = None,
        *,
        paged: bool = False,
    ) -> dict[str, Value]:
        """Return the row of a message in a queue; `ident` is the id of its record, if it has one."""
        ident = message.id if ident is None else ident
        large, problems = None, [message.problem] if message.problem else []
        if message.large:
            large = self._large_body(message, ident, file, off)
            size += len(large or b"")
            message.body = message.body if message.protocol == "amqp" else large or b""
        core = message.protocol == "core"
        body = body_of(message) if core else Body(data=message.body)
        if body.problem:
            problems.append(body.problem)
        properties = message.properties
        get = properties.get
        row: dict[str, Value] = {
            "queue": queue,
            "id": ident,
            "message_id": "ID:" + uuid_text(message.user_id) if message.user_id else None,
            "address": message.address,
            "kind": KINDS.get(message.type, "unknown") if core else "unknown",
            "protocol": message.protocol or None,
            "timestamp": message.timestamp or None,
            "expiration": message.expiration or None,
            "priority": message.priority,
            "durable": message.durable,
            "delivery_count": deliveries,
            "redelivered": deliveries > 0,
            "scheduled": scheduled,
            "correlation_id": get("JMSCorrelationID"),
            "reply_to": get("JMSReplyTo"),
            "group_id": get("_AMQ_GROUP_ID", get("_HQ_GROUP_ID")),
            "group_sequence": get("_AMQ_GROUP_SEQUENCE"),
            "type": get("JMSType"),
            "user_id": get("JMSXUserID", get("_AMQ_VALIDATED_USER")),
            "size": size,
            "properties": properties,
            "text": body.text,
            "content": body.content,
            "data": body.data,
            "class_name": body.class_name,
            "compressed": body.compressed,
            "large": message.large,
            "paged": paged,
            "file": file,
            "off": off,
        }
        if message.protocol == "amqp":
            columns, reasons = amqp.message(message.body, large)
            row["data"] = None
            row.update((name, value) for name, value in columns.items() if name in row and name not in OUTER)
            problems += reasons
        if problems:
            self.note("undecodable", str(ident), file, off, "; ".join(problems), "messages")
        return row

    def _large_body(self, message: Message, ident: int, file: str, off: int) -> bytes | None:
        """Return what the file of a large message holds; what is wrong with it is a remark."""
        found = self._large.open(ident)
        told = next((value for name in SIZES if isinstance(value := message.properties.get(name), int)), None)
        if found is None:
            self.note("no-large-file", str(ident), file, off, f"{ident}.msg", "messages")
            return None
        if found.size > MOST_BODY:
            self.note("too-large", str(ident), f"{ident}.msg", None, f"{found.size} bytes", "messages")
            return None
        compressed = any(message.properties.get(name) is True for name in COMPRESSED)
        if told is not None and found.size < told and not compressed:
            text = f"{found.size} of {told} bytes"
            self.note("short-large-file", str(ident), f"{ident}.msg", None, text, "messages")
        return found.read(0, found.size)

    def _check_large(self) -> None:
        """Remark on files of large messages that do not belong to any message."""
        large = self._large.idents
        if not large:
            return
        own = set(large)
        own = {ident for ident in own if ident not in self.pending.large}
        for file in self.page_files():
            for entry in file.entries(_ignore):
                own.discard(message_of(entry.kind, entry.data[entry.start : entry.end]).id)
        for ident in sorted(own):
            self.note("orphan-large-file", str(ident), f"{ident}.msg", None, "")

    # Pages.

    def page_files(self) -> Iterator[PageFile]:
        """Yield the page files beside the journal."""

        def report(code: str, file: str, why: str) -> None:
            self.note(code, file, file, None, why)

        return self._paging.files(report)

    def _entries(self) -> Iterator[tuple[PageFile, Entry]]:
        for file in self.page_files():

            def report(code: str, off: int, why: str, file: PageFile = file) -> None:
                self.note(code, f"{file.name}:{off}", file.name, off, why)

            for entry in file.entries(report):
                yield file, entry

    def _paged(self) -> Iterator[tuple[PageFile, Entry, list[int]]]:
        """Yield the entries of pages that are pending, with the queues in which they are."""
        pending, known = self.pending, self.known
        doubtful = set[int]().union(*(doubt.page_txs for doubt in pending.doubts))
        for file, entry in self._entries():
            if entry.tx > 0 and entry.tx not in pending.page_txs:
                if entry.tx not in doubtful:
                    text = f"page transaction {entry.tx}"
                    self.note("no-page-transaction", str(entry.tx), file.name, entry.off, text)
                continue
            queues = [
                queue
                for queue in entry.queues
                if queue in known
                and (queue, entry.page, entry.index) not in pending.paged_acks
                and (queue, entry.page) not in pending.pages_done
                and (queue, entry.page, entry.index) not in pending.paged_hidden
            ]
            if queues:
                yield file, entry, queues

    # What is in doubt, and what a start deletes.

    def _in_doubt(self) -> Iterator[Row]:
        for doubt in self.pending.doubts:
            acks = [("acknowledge", *each) for each in doubt.acks]
            for action, ident, queue, place in [*(("send", *each) for each in doubt.sends), *acks]:
                at = doubt.messages.get(ident)
                if at is None and ident in self.pending.numbers:
                    at = self.pending.places[self.pending.numbers[ident]]
                yield {"transaction": doubt.tx.tx, "action": action} | self._row_at(at, ident, queue, place)
            yield from self._paged_in_doubt(doubt)

    def _row_at(self, at: int | None, ident: int, queue: int, place: int) -> dict[str, Value]:
        """Return the row of the message at a place; without one, of an empty message."""
        name = self.name_of(queue)
        if at is None:
            file, off = self._replay.where(place)
            self.note("no-message", str(ident), file, off, f"queue {queue} refers to it", "in_doubt")
            return self._row(name, ident, Message(protocol=""), file, off, 0)
        item = next(self._replay.bodies([at]))
        data = item.data[item.start : item.end]
        return self._row(name, ident, message_of(item.user_type, data), *self._replay.where(at), len(data))

    def _paged_in_doubt(self, doubt: Doubt) -> Iterator[Row]:
        if not doubt.page_txs and not doubt.paged_acks:
            return
        for file, entry in self._entries():
            for queue in entry.queues:
                if entry.tx in doubt.page_txs:
                    action = "send"
                elif (queue, entry.page, entry.index) in doubt.paged_acks:
                    action = "acknowledge"
                else:
                    continue
                yield {"transaction": doubt.tx.tx, "action": action} | self._row_of_entry(file, entry, queue)

    def _dropped(self) -> Iterator[Row]:
        """Yield the messages that a broker deletes when it starts on these files."""
        pending, named, ids = self.pending, self._named, self._ids
        if not self._has_bindings:
            return
        for key, message in pending.references.items():
            number = queue_number(key)
            if number not in named:
                place = pending.places[message]
                item = next(self._replay.bodies([place]))
                queue = self.name_of(ids[number])
                self.note("no-binding", queue, *self._replay.where(place), "", "dropped")
                yield {"why": "no-binding"} | self._row_at(place, item.id, ids[number], place)
        held = Ids()
        held.update(pending.references.values())
        for ident, message in pending.numbers.items():
            if message not in held:
                place = pending.places[message]
                row = self._row_at(place, ident, 0, place)
                self.note("no-reference", str(ident), *self._replay.where(place), "", "dropped")
                yield {"why": "no-reference"} | row | {"queue": None}

    # Everything else.

    def _queues(self) -> Iterator[Row]:
        totals = {count.name: count for count in self.counts()}
        for ident, name in self.known.items():
            queue = self.bindings.queues.get(ident) or Queue(ident, name, "", None, {})
            options = dict(queue.options)
            created, user = options.pop("auto_created", None), options.pop("metadata", None)
            yield {
                "queue": name,
                "id": ident,
                "address": queue.address or None,
                "filter": queue.filter,
                "routing": queue.routing,
                "messages": totals[name].rows,
                "bytes": totals[name].bytes,
                "paused": queue.paused,
                "auto_created": created,
                "metadata": user,
                "options": options,
            }

    def _addresses(self) -> Iterator[Row]:
        yield from self.bindings.addresses.values()

    def _settings(self) -> Iterator[Row]:
        yield from self.bindings.settings

    def _transactions(self) -> Iterator[Row]:
        for doubt in self.pending.doubts:
            sends, acks = len(doubt.sends), len(doubt.acks) + len(doubt.paged_acks)
            yield self._transaction(
                doubt.tx.tx, "prepared", doubt.tx.extra, sends, acks, len(doubt.page_txs), doubt.tx.place
            )
        for item in self._replay.bodies(self.pending.heuristics):
            data = item.data[item.start : item.end]
            committed = bool(data) and data[-1] != 0
            try:
                committed = data[xid_of(data).rest] != 0
            except ERRORS:
                pass
            state = "heuristically committed" if committed else "heuristically rolled back"
            yield self._transaction(item.id, state, data, 0, 0, 0, item.place)

    def _transaction(
        self, ident: int, state: str, data: bytes, sends: int, acks: int, paged: int, place: int
    ) -> dict[str, Value]:
        file, off = self._replay.where(place)
        row: dict[str, Value] = {"id": ident, "state": state}
        try:
            xid = xid_of(data)
        except ERRORS as error:
            self.note("undecodable", str(ident), file, off, f"its XID: {error}", "transactions")
            row |= {"format_id": None, "global_id": None, "branch": None, "xid": data.hex()}
        else:
            text = f"{xid.format_id}:{_printable(xid.global_id)}:{_printable(xid.branch)}"
            row |= {"format_id": xid.format_id, "global_id": xid.global_id, "branch": xid.branch, "xid": text}
            row |= narayana.xid_parts(xid.format_id, xid.global_id, xid.branch)
        return dict.fromkeys(column.name for column in self.tables["transactions"].columns) | row | {
            "sends": sends, "acknowledges": acks, "page_transactions": paged, "file": file, "off": off,
        }  # fmt: skip

    def _duplicates(self) -> Iterator[Row]:
        for item in self._replay.bodies(self.pending.duplicates):
            data, (file, off) = item.data[item.start : item.end], self._replay.where(item.place)
            try:
                address, at = text_at(data, 0)
                value = data_at(data, at)[0]
            except ERRORS as error:
                self.note("undecodable", str(item.id), file, off, str(error), "duplicates")
                address, value = None, data
            text = value.decode("utf-16-le", "replace") if len(value) % 2 == 0 else ""
            row: dict[str, Value] = {
                "address": address,
                "value": value,
                "text": text if text.isprintable() else None,
            }
            yield row | {"id": item.id, "file": file, "off": off}

    def _page_transactions(self) -> Iterator[Row]:
        for tx, (count, place) in self.pending.page_txs.items():
            file, off = self._replay.where(place)
            yield {"id": tx, "messages": count, "file": file, "off": off}

    def _page_counters(self) -> Iterator[Row]:
        for queue, counter in self.pending.counters.items():
            if queue not in self.known:
                self.note("unknown-queue", str(queue), "", None, "a page counter", "page_counters")
            yield {
                "queue": self.name_of(queue), "id": queue, "messages": counter.count, "bytes": counter.size,
                "not_counted": counter.pending,
            }  # fmt: skip

    def _store(self) -> Iterator[Row]:
        product, evidence = self.product
        types: dict[str, Value] = {str(kind): count for kind, count in sorted(self.pending.types.items())}
        yield {
            "product": product,
            "evidence": evidence or None,
            "id_counter": self.bindings.counter,
            "highest_id": self.pending.highest,
            "types": types,
        }


class TransactionContents(BrokerContents):
    """The contents of a journal of Narayana: what its other tables would hold is not in it."""

    @cached_property
    def _transactions_of(self) -> narayana.Store:
        return narayana.Store(self._replay, self.note)

    def rows(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table; raises KeyError for an unknown one."""
        store = self._transactions_of
        rows: dict[str, Callable[[], Iterator[Row]]] = {name: lambda: iter(()) for name in self.tables}
        rows |= {"transactions": store.transactions, "participants": store.participants}
        return rows[table]()

    def counts(self) -> Sequence[Count]:
        """Return the number, bytes and times of the transactions of each node."""
        return self._transactions_of.counts()


@dataclass(slots=True)
class _Total:
    """How much a queue holds."""

    rows: int = 0
    bytes: int = 0
    oldest: int | None = None
    newest: int | None = None

    def add(self, size: int, stamp: int) -> None:
        self.rows += 1
        self.bytes += size
        if stamp:
            self.oldest = stamp if self.oldest is None else min(self.oldest, stamp)
            self.newest = stamp if self.newest is None else max(self.newest, stamp)


def _bindings_in(room: Room) -> Answer | None:
    """Return what recovery of the bindings journal in a directory gives; None: there is none."""
    if room.loaded is None:
        return None
    try:
        found = [
            each for each in find_journals(room.loaded, FORMAT) if each.params.get("extension") == BINDINGS
        ]
        return ask(found[0], SALVAGE) if found else None
    except FilesetError:
        return None


def _printable(data: bytes) -> str:
    """Return bytes as text if they are ASCII that can be printed, else in hex."""
    return data.decode() if data.isascii() and data.decode().isprintable() else data.hex()


def _ignore(code: str, off: int, why: str) -> None:
    """Take a remark that is made elsewhere."""
