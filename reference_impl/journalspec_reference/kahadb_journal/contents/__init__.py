"""The contents of a KahaDB: messages, durable subscriptions, transactions in doubt, scheduled jobs.

What recovery keeps comes of the journal alone. What db.data knows besides is in columns of its own: a message
that it covers and does not have is not delivered while it is there, and subscriptions of ActiveMQ 5.8 and
earlier may be nowhere else.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from journalspec.contents import Table, described
from journalspec.observation import REFUSED
from journalspec.reread import Changed
from journalspec_reference.answers import Answer
from journalspec_reference.contents import Count, Remark, Remarks, Row, Value
from journalspec_reference.kahadb_journal.codec import DIALECTS, FORMAT
from journalspec_reference.kahadb_journal.commands import CommandError, parse
from journalspec_reference.kahadb_journal.contents import openwire
from journalspec_reference.kahadb_journal.contents.acks import AckMapError, ack_map
from journalspec_reference.kahadb_journal.contents.jobs import Job, beside, jobs, opened
from journalspec_reference.kahadb_journal.contents.openwire import Found
from journalspec_reference.kahadb_journal.contents.places import Places, message_in
from journalspec_reference.kahadb_journal.index import INDEX, REDO, Index, Roots, UnusableIndex, is_in
from journalspec_reference.kahadb_journal.owners import Ranked
from journalspec_reference.kahadb_journal.recover import ACK_MAP, JOB, JournalPass, State
from journalspec_reference.kahadb_journal.store import (
    PLACE,
    Destination,
    Name,
    Step,
    number_of,
    place_of,
    tx_text,
)

#: States of a message: delivered at a start, acknowledged by a transaction that is prepared, not in the
#: index that covers it, and needed by a subscription that only the index has.
PENDING, PREPARED, NOT_IN_INDEX, INDEX_ONLY = "pending", "prepared-ack", "not-in-index", "index-only"
#: The version of brokers that do not store it, and so many objects that tell it without an index.
_OLD, _SAMPLE = 6, 64
#: Transactions over several stores of a MultiKahaDB have this format; the store that decides them.
_MULTI, _DECIDES = 61616, "txStore"
_NONE = array("q")
_PREFIXES = {"QUEUE": "queue", "TOPIC": "topic", "TEMP_QUEUE": "temp-queue", "TEMP_TOPIC": "temp-topic"}


class _Entry(NamedTuple):
    """One message of a queue or subscription: its id, the place of its record, and its state."""

    ident: str
    place: int
    state: str


class _Listed(NamedTuple):
    """A queue, or a topic and the key of a durable subscription."""

    name: Name
    subscription: str | None
    entries: Callable[[], Iterator[_Entry]]


class _Topic(NamedTuple):
    """What the index has of a topic."""

    #: The number of a message in the journal's order -> its number in the index.
    numbers: Mapping[int, int]
    #: What each subscription needs, as :meth:`Index.needed` gives it.
    needed: Mapping[str, array[int]]


class KahaContents:
    """The contents of a journal whose state is that of one pass."""

    def __init__(self, passed: JournalPass, files: Mapping[str, Any], root: Path | None) -> None:
        about = described(FORMAT)
        self.tables: Mapping[str, Table] = about.tables if about is not None else {}
        self._passed, self._files, self._root = passed, files, root
        self._store, self._known = passed.store, passed.known
        self._places = Places(passed.files)
        self._turns = {file.number: turn for turn, file in enumerate(passed.files)}
        #: The remarks of the last pass over each table.
        self._remarks: dict[str, Remarks] = {}

    @property
    def remarks(self) -> Remarks:
        """What was odd in the tables that were gone through, each once."""
        out = Remarks()
        for each in self._remarks.values():
            out.kept.extend(each.kept)
            out.counts.update(each.counts)
        return out

    def rows(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table; raises KeyError if there is no such table."""
        columns = dict.fromkeys(column.name for column in self.tables[table].columns)
        self._remarks[table] = Remarks()
        found: Callable[[], Iterator[dict[str, Value]]] = {
            "messages": self._messages,
            "queues": self._queues,
            "subscriptions": self._subscriptions,
            "transactions": self._transactions,
            "jobs": self._jobs,
            "acks": self._acks,
        }[table]
        for row in found():
            yield {**columns, **row}

    def counts(self) -> Iterator[Count]:
        """Yield what each queue and durable subscription holds, and how many jobs each scheduler has."""
        for listed in self._lists():
            count, _ = self._counted(listed)
            yield count
        found: dict[str, list[int]] = {}
        for passed, job in self._scheduled():
            size = passed.command_at(job.place)[2]
            found.setdefault(job.scheduler, []).append(size)
        for scheduler, sizes in found.items():
            yield Count("jobs", scheduler, len(sizes), sum(sizes))

    def _remark(self, table: str, key: str, place: int | None, code: str, text: str) -> None:
        file, off = ("", None) if place is None else self._places.at(place)
        self._remarks.setdefault(table, Remarks()).add(Remark(table, key, file, off, code, text))

    # what there is

    def _lists(self) -> Iterator[_Listed]:
        """Yield the queues and the durable subscriptions, by name; a topic without any has nothing."""
        only = dict[Name, list[str]]()
        for name, key in self._known.only if self._known is not None else ():
            only.setdefault(name, []).append(key)
        for name in sorted({*self._store.destinations, *only}):
            here = self._store.destinations.get(name, Destination())
            if not name[0].endswith("TOPIC"):
                yield _Listed(name, None, partial(self._of_queue, name))
                continue
            topic = self._topic(name, here)
            for key in sorted(here.subscriptions):
                yield _Listed(name, key, partial(self._of_subscription, name, key, here.ranked(), topic))
            for key in sorted(only.get(name, ())):
                yield _Listed(name, key, partial(self._of_index, name, key))

    def _of_queue(self, name: Name) -> Iterator[_Entry]:
        here = self._store.destinations[name]
        hidden = self._known.hidden.get(name, ()) if self._known is not None else ()
        acked = self._acknowledged.get((name, None), ())
        for ident, message in here.in_order():
            state = NOT_IN_INDEX if ident in hidden else PREPARED if ident in acked else PENDING
            yield _Entry(ident, message.place, state)

    def _of_subscription(
        self, name: Name, key: str, ranked: Ranked, topic: _Topic | None
    ) -> Iterator[_Entry]:
        here = self._store.destinations[name]
        acked = self._acknowledged.get((name, key), ())
        mark = self._known.mark if self._known is not None and topic is not None else -1
        for ident in ranked.pending(here.subscriptions[key]):
            number, place = number_of(here.messages[ident]), place_of(here.messages[ident])
            state = PREPARED if ident in acked else PENDING
            if topic is not None and number <= mark:
                known = topic.numbers.get(number)
                if known is None or not is_in(topic.needed.get(key, _NONE), known):
                    state = NOT_IN_INDEX
            yield _Entry(ident, place, state)

    def _of_index(self, name: Name, key: str) -> Iterator[_Entry]:
        """Yield what a subscription needs that only the index has, as far as its records are there."""
        with suppress(UnusableIndex):
            for index, roots in self._indexed(name):
                needed = dict(index.needed(roots)).get(key, _NONE)
                for number, ident, (file, off) in index.messages(roots):
                    if file in self._turns and is_in(needed, number):
                        yield _Entry(ident, (self._turns[file] << PLACE) + off, INDEX_ONLY)

    def _indexed(self, name: Name) -> Iterator[tuple[Index, Roots]]:
        """Yield the index, from its beginning, and where a destination is in it; may raise UnusableIndex."""
        if self._known is not None:
            # Pages are followed once only.
            index = Index(self._files[INDEX], self._files.get(REDO))
            yield from ((index, roots) for roots in index.destinations() if roots.name == name)

    def _topic(self, name: Name, here: Destination) -> _Topic | None:
        """Return what the index has of a topic; None if it cannot be used, or has no such topic."""
        numbers: dict[int, int] = {}
        with suppress(UnusableIndex):
            for index, roots in self._indexed(name):
                for number, ident, _ in index.messages(roots):
                    if (stored := here.messages.get(ident)) is not None:
                        numbers[number_of(stored)] = number
                return _Topic(numbers, dict(index.needed(roots)))
        return None

    def _info(self, name: Name, key: str) -> bytes:
        """Return the object of a subscription that only the index has."""
        with suppress(UnusableIndex, CommandError):
            for index, roots in self._indexed(name):
                stored = dict(index.subscriptions(roots))[key]
                return bytes(parse("SUBSCRIPTION", stored).get("subscription_info", b""))
        return b""

    @cached_property
    def _acknowledged(self) -> Mapping[tuple[Name, str | None], set[str]]:
        """What prepared transactions acknowledge, by queue or subscription."""
        out: dict[tuple[Name, str | None], set[str]] = {}
        for steps in self._store.prepared.values():
            for step in steps:
                if step.command == "REMOVE_MESSAGE":
                    out.setdefault((step.destination, step.subscription), set()).add(step.message_id)
        return out

    @cached_property
    def _version(self) -> int:
        """The version of OpenWire that the store is in."""
        if self._known is not None:
            return self._known.openwire or _OLD
        return openwire.version_of(islice(self._sample(), _SAMPLE)) or openwire.VERSIONS[0]

    def _sample(self) -> Iterator[bytes]:
        """Yield objects that tell the version: those of subscriptions first."""
        places = list(self._store.subscribed.values())
        for here in self._store.destinations.values():
            places += map(place_of, islice(here.messages.values(), _SAMPLE))
        for place in places:
            fields = self._fields_at(place)
            yield fields.get("message") or fields.get("subscription_info") or b""

    def _fields_at(self, place: int) -> Mapping[str, Any]:
        """Return the fields of the command at a place; none if there is none any more."""
        with suppress(Changed):
            return self._passed.command_at(place)[1]
        return {}

    # rows

    def _messages(self) -> Iterator[dict[str, Value]]:
        for listed in self._lists():
            for entry in listed.entries():
                try:
                    yield self._message(listed, entry)
                except Changed:
                    text = "its record is gone since the journal was read"
                    self._remark("messages", entry.ident, entry.place, "changed", text)

    def _message(self, listed: _Listed, entry: _Entry) -> dict[str, Value]:
        data, size = self._places.message(entry.place)
        found = openwire.read(data, self._version)
        row = self._decoded("messages", entry.ident, entry.place, found)
        row["queue"], row["subscription"] = listed.name[1], listed.subscription
        row["id"], row["state"], row["size"] = entry.ident, entry.state, size
        row["address"] = f"{_PREFIXES[listed.name[0]]}://{listed.name[1]}"
        row["file"], row["off"] = self._places.at(entry.place)
        return row

    def _decoded(self, table: str, key: str, place: int | None, found: Found) -> dict[str, Value]:
        """Return the columns that a message's object gives; what is odd in it is a remark."""

        def remark(code: str, text: str) -> None:
            self._remark(table, key, place, code, text)

        fields = found.fields
        if found.wrong:
            remark("undecodable", found.wrong)
        elif found.version != self._version:
            remark("other-version", f"it is of version {found.version}, the store of {self._version}")
        for text in found.odd:
            remark("bad-text" if text.startswith("the text") else "damaged", text)
        row: dict[str, Value] = {
            "message_id": openwire.message_id_text(fields.get("message_id")),
            "kind": openwire.KINDS.get(fields.get("kind", -1), "unknown"),
            "protocol": f"openwire {found.version}",
            "timestamp": fields.get("timestamp") or None,
            "expiration": fields.get("expiration") or None,
            "priority": fields.get("priority"),
            "durable": fields.get("persistent"),
            "delivery_count": fields.get("redelivery_counter"),
            "redelivered": fields["redelivery_counter"] > 0 if "redelivery_counter" in fields else None,
            "correlation_id": fields.get("correlation_id"),
            "reply_to": fields.get("reply_to"),
            "group_id": fields.get("group_id"),
            "group_sequence": fields.get("group_sequence"),
            "type": fields.get("type"),
            "user_id": fields.get("user_id"),
            "transaction": openwire.transaction_text(fields.get("transaction")),
            "original_destination": fields.get("original_destination"),
            "broker_time": fields.get("broker_in_time") or None,
            "compressed": fields.get("compressed"),
            "content": None,
        }
        row["properties"], wrong, odd = openwire.properties(fields.get("properties"))
        if wrong:
            remark("bad-properties", wrong)
        for text in odd:
            remark("bad-text", text)
        if "compressed" in fields:
            for code, text in openwire.body(fields, row):
                remark(code, text)
        else:
            row["data"] = fields.get("content")
        return row

    def _queues(self) -> Iterator[dict[str, Value]]:
        names = chain(self._store.destinations, self._passed.idle())
        counted: dict[Name, list[tuple[Count, int]]] = {name: [] for name in names}
        for listed in self._lists():
            counted.setdefault(listed.name, []).append(self._counted(listed))
        for name, found in sorted(counted.items()):
            times = [time for count, _ in found for time in (count.oldest, count.newest) if time is not None]
            yield {
                "name": name[1],
                "kind": _PREFIXES[name[0]],
                "subscriptions": len(found) if name[0].endswith("TOPIC") else None,
                "messages": sum(count.rows for count, _ in found),
                "pending": sum(pending for _, pending in found),
                "bytes": sum(count.bytes for count, _ in found),
                "oldest": min(times, default=None),
                "newest": max(times, default=None),
            }

    def _counted(self, listed: _Listed) -> tuple[Count, int]:
        """Return how much a queue or subscription holds, and how many messages the broker counts."""
        rows = size = pending = 0
        oldest: int | None = None
        newest: int | None = None
        for entry in listed.entries():
            rows += 1
            pending += entry.state != NOT_IN_INDEX
            try:
                length, time = self._time(entry.place)
            except Changed:
                continue
            size += length
            if time:
                oldest = time if oldest is None or time < oldest else oldest
                newest = time if newest is None or time > newest else newest
        key = "" if listed.subscription is None else f" {listed.subscription}"
        return Count("messages", listed.name[1] + key, rows, size, oldest, newest), pending

    def _time(self, place: int) -> tuple[int, int | None]:
        """Return the length of a message's record and its time: by the first bytes, or else by all of it."""
        start, length = self._places.first(place)
        time: int | None = None
        with suppress(CommandError):
            at, _ = message_in(start)
            time = openwire.head_time(start, at, self._version) if at else None
        if time is None:
            data, _ = self._places.message(place)
            time = openwire.read(data, self._version).fields.get("timestamp")
        return length, time

    def _subscriptions(self) -> Iterator[dict[str, Value]]:
        for listed in self._lists():
            name, key = listed.name, listed.subscription
            if key is None:
                continue
            place = self._store.subscribed.get((name, key))
            only = self._known is not None and (name, key) in self._known.only
            if only:
                self._remark("subscriptions", key, None, "index-only-subscription", f"of {name[1]}")
            info = b"" if place is None or only else self._fields_at(place).get("subscription_info", b"")
            found = openwire.read(self._info(name, key) if only else info, self._version)
            fields = found.fields if found.fields.get("kind") == openwire.SUBSCRIPTION else {}
            if found.wrong or not fields:
                self._remark(
                    "subscriptions", key, place, "undecodable", found.wrong or "it is of another type"
                )
            states = [entry.state for entry in listed.entries()]
            file, off = (None, None) if place is None else self._places.at(place)
            yield {
                "queue": name[1],
                "key": key,
                "client_id": fields.get("client_id"),
                "name": fields.get("name"),
                "selector": fields.get("selector"),
                "subscribed": fields.get("subscribed_destination"),
                "no_local": fields.get("no_local"),
                "messages": len(states),
                "pending": len(states) - states.count(NOT_IN_INDEX),
                "index_only": only,
                "file": file,
                "off": off,
            }

    def _transactions(self) -> Iterator[dict[str, Value]]:
        decided = self._decided()
        for state, found in (("prepared", self._store.prepared), ("open", self._store.open)):
            for tx, steps in sorted(found.items(), key=lambda item: tx_text(item[0])):
                file, off = self._places.at(steps[0].place) if steps else ("", None)
                row: dict[str, Value] = {
                    "id": tx_text(tx),
                    "kind": tx[0],
                    "state": state,
                    "file": file,
                    "off": off,
                }
                if tx[0] == "XA":
                    row["format_id"], row["gtrid"], row["bqual"] = tx[1:]
                    if tx[1] == _MULTI and state == "prepared":
                        row["outcome"] = "unknown" if decided is None else _outcome(tx, decided)
                        if decided is None:
                            text = f"no {_DECIDES} is beside it: whether it is committed is not known"
                            self._remark("transactions", tx_text(tx), None, "undecided", text)
                else:
                    row["connection"], row["number"] = tx[1:]
                    row["outcome"] = "rolled back"
                row["changes"] = [self._change(step) for step in steps]
                yield row

    def _change(self, step: Step) -> dict[str, Value]:
        """Return what a transaction does to one message."""
        out: dict[str, Value] = {
            "type": "remove" if step.command == "REMOVE_MESSAGE" else "add",
            "queue": step.destination[1],
            "id": step.message_id,
            "subscription": step.subscription,
        }
        fields = self._fields_at(step.place)
        found = openwire.read(fields["ack"], self._version).fields if fields.get("ack") else {}
        if found.get("kind") == openwire.ACK:
            kind = found.get("ack_type", -1)
            out["ack_type"] = openwire.ACKS[kind] if 0 <= kind < len(openwire.ACKS) else None
            consumer = found.get("consumer")
            out["consumer"] = None if consumer is None else ":".join(map(str, consumer))
        return out

    def _decided(self) -> set[tuple[Any, ...]] | None:
        """Return which transactions over several stores are committed; None: no store has that."""
        if self._root is None or not any(tx[1] == _MULTI for tx in self._store.prepared if tx[0] == "XA"):
            return None
        decided: set[tuple[Any, ...]] | None = None
        for passed in opened(self._root.absolute().parent / _DECIDES):
            decided = set() if decided is None else decided
            for _, name, fields in passed.commands():
                if name == "PREPARE" and (xa := fields.get("transaction", {}).get("xa")):
                    decided.add((xa.get("gtrid", b""), xa.get("bqual", b"")))
        return decided

    def _scheduled(self) -> Iterator[tuple[JournalPass, Job]]:
        """Yield the jobs of this journal, or of the schedulers beside it."""
        mine = JOB in self._passed.last
        for passed in [self._passed] if mine else beside(self._root):
            yield from ((passed, job) for job in jobs(passed))

    def _jobs(self) -> Iterator[dict[str, Value]]:
        for passed, job in self._scheduled():
            _, fields, size = passed.command_at(job.place)
            found = openwire.read(fields.get("job", b""), self._version)
            row = self._decoded("jobs", job.ident, None, found)
            file, off = Places(passed.files).at(job.place)
            destination = found.fields.get("destination")
            yield row | {
                "scheduler": job.scheduler,
                "id": job.ident,
                "next": job.next,
                "start": job.start,
                "cron": job.cron or None,
                "delay": job.delay,
                "period": job.period,
                "repeat": job.repeat,
                "count": job.count,
                "queue": destination and destination.partition("://")[2],
                "address": destination,
                "size": size,
                "file": file,
                "off": off,
            }

    def _acks(self) -> Iterator[dict[str, Value]]:
        """Yield the last map of acknowledgements in the journal."""
        place = self._passed.last.get(ACK_MAP)
        if place is None:
            return
        try:
            found = ack_map(self._fields_at(place).get("file_map", b""))
        except AckMapError as why:
            self._remark("acks", "", place, "bad-ack-map", str(why))
            return
        for file, others in sorted(found.items()):
            yield {"file": f"db-{file}.log", "of": [f"db-{other}.log" for other in others]}


def _outcome(tx: tuple[Any, ...], decided: set[tuple[Any, ...]]) -> str:
    return "committed" if tx[2:] in decided else "rolled back"


def contents(answer: Answer) -> KahaContents:
    """Return the contents of a recovered journal; there are none of one that recovery refuses."""
    journal, state = answer.journal, answer.observation.state
    if isinstance(state, State):
        return KahaContents(state.passed, journal.seen, journal.root)
    files = {} if answer.observation.verdict == REFUSED else journal.seen
    passed = JournalPass(files, DIALECTS[journal.edition], "salvage")
    passed.observation()
    return KahaContents(passed, files, journal.root)
