"""The contents of a KahaDB: messages, durable subscriptions, transactions in doubt, scheduled jobs.

Recovered content comes from the journal alone. Facts that only db.data contains are in separate columns. If
db.data covers a message's record but lacks the message, the message is not delivered while db.data exists.
Subscriptions of ActiveMQ 5.8 and earlier can be only in db.data.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain, islice, starmap
from operator import attrgetter, itemgetter
from os import scandir
from pathlib import Path
from typing import Any, NamedTuple

from journalspec.families import families
from journalspec.observation import REFUSED, Dropped
from journalspec.reread import Changed
from journalspec_reference.answers import Answer
from journalspec_reference.contents import Contents, Count, Problem, Remark, Remarks, Row, Value, filled
from journalspec_reference.filesets import FilesetError, find_journals, load
from journalspec_reference.kahadb_journal.codec import DIALECTS, FORMAT, CommandError, head, parse
from journalspec_reference.kahadb_journal.contents import openwire
from journalspec_reference.kahadb_journal.contents.acks import AckMapError, ack_map
from journalspec_reference.kahadb_journal.contents.jobs import early, jobs
from journalspec_reference.kahadb_journal.contents.openwire import Decoded
from journalspec_reference.kahadb_journal.evidence import OPENWIRE
from journalspec_reference.kahadb_journal.index import UnusableIndex, is_in
from journalspec_reference.kahadb_journal.owners import Measured
from journalspec_reference.kahadb_journal.records import FIRST, HeadTimes
from journalspec_reference.kahadb_journal.recover import ACK_MAP, JOB, JournalPass, JournalState
from journalspec_reference.kahadb_journal.store import (
    PLACE,
    Destination,
    Name,
    Ranked,
    Step,
    destination_of,
    number_of,
    place_of,
    tx_text,
)

#: The OpenWire version of brokers that do not store their version, and the number of objects that are sampled
#: to find the version without an index.
_OLD, _SAMPLE = 6, 64
#: The table name for remarks that belong to no table.
STORE = ""
#: The format id of transactions across several stores of a MultiKahaDB, and the store that records the
#: outcomes of these transactions.
_MULTI, _DECIDES = 61616, "txStore"
#: Columns that have the same name and value as fields of a message.
_AS_THEY_ARE = (
    *("priority", "correlation_id", "reply_to", "group_id", "group_sequence", "user_id"),
    *("original_destination", "compressed"),
)
#: Maps a column of a job to the field of its commands.
_OF_JOBS = {
    **{"next": "next_execution_time", "start": "start_time", "count": "rescheduled_count"},
    **{name: name for name in ("delay", "period", "repeat")},
}
#: The directory of a scheduler's journal.
_SCHEDULER = "scheduler"
#: A directory with more names than this is not searched for schedulers, because it is not the data directory
#: of a broker. If such a directory contains hundreds of stores, each store would search all others.
_MOST_BESIDE = 100
_GONE = "its record was removed after the journal was read"
_PREFIXES = {"QUEUE": "queue", "TOPIC": "topic", "TEMP_QUEUE": "temp-queue", "TEMP_TOPIC": "temp-topic"}


class KahaContents(Contents):
    """The contents of a journal after one pass over it."""

    def __init__(self, passed: JournalPass, root: Path | None) -> None:
        super().__init__(FORMAT)
        self.passed, self._store, self._root = passed, passed.store, root
        self._places, self._lists = passed.places, Lists(passed)
        #: The remarks of the last pass over each table.
        self._remarks: dict[str, Remarks] = {}

    @property
    def remarks(self) -> Remarks:
        """The remarks on all tables that were read.

        If a table was read twice, the remarks are those of the last pass.
        """
        out = Remarks()
        for each in self._remarks.values():
            out.kept.extend(each.kept)
            out.counts.update(each.counts)
        return out

    def rows(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table; raises KeyError if there is no such table."""
        self._remarks[table] = Remarks()
        return super().rows(table)

    def near(self, regions: Sequence[Dropped]) -> Iterator[Row]:
        """Return the messages directly before and after each region. No other message is decoded."""
        best: dict[tuple[int, bool], tuple[int, Listed, ListedMessage]] = {}
        for listed in self._lists:
            for entry in listed.entries():
                file, off = self._places.where(entry.place)
                for number, region in enumerate(regions):
                    if file == region.file and not 0 <= off - region.off < region.length:
                        key, away = (number, off < region.off), abs(off - region.off)
                        if key not in best or away < best[key][0]:
                            best[key] = away, listed, entry
        found = starmap(self._message, [(listed, entry) for _, listed, entry in best.values()])
        return map(partial(filled, self.tables["messages"].empty), filter(None, found))

    def counts(self) -> Iterator[Count]:
        """Return the counts of each queue, of each durable subscription, and of each scheduler's jobs."""
        return chain(map(itemgetter(1), self._counted()), self._scheduled())

    def _scheduled(self) -> Iterator[Count]:
        """Yield the count of each scheduler's jobs."""
        totals: dict[str, Count] = {}
        for row in self._jobs():
            scheduler = str(row["scheduler"])
            totals.setdefault(scheduler, Count("jobs", scheduler)).add(int(str(row["size"])), None)
        yield from totals.values()

    def judge(self) -> frozenset[str]:
        """Add a remark on the OpenWire version if a broker finds no index that stores this version."""
        found = self._remarks[STORE] = Remarks()
        if self.passed.known is None and any(self._sample()) and self.version != OPENWIRE:
            self._remark(STORE, "", None, "older-openwire", str(self.version))
        return frozenset(found.counts)

    def _remark(self, table: str, key: str, place: int | None, code: str, text: str) -> None:
        file, off = ("", None) if place is None else self._places.where(place)
        self._remarks.setdefault(table, Remarks()).add(Remark(table, key, file, off, code, text))

    @cached_property
    def version(self) -> int:
        """The OpenWire version of the store's objects."""
        known, versions = self.passed.known, families(FORMAT)["openwire"].versions
        if known is not None and str(stored := known.index.openwire or _OLD) in versions:
            return stored
        fits = Counter(chain.from_iterable(map(openwire.fitting, islice(self._sample(), _SAMPLE))))
        return max(openwire.VERSIONS, key=fits.__getitem__)

    @cached_property
    def _heads(self) -> HeadTimes:
        return HeadTimes(partial(openwire.to_time, self.version))

    def _sample(self) -> Iterator[bytes]:
        """Yield objects that reveal the version. Objects of subscriptions come first."""
        messages = (islice(here.messages.values(), _SAMPLE) for here in self._store.destinations.values())
        for place in chain(self._store.subscribed.values(), map(place_of, chain.from_iterable(messages))):
            with suppress(Changed):
                fields = self._places.command(place)[1]
                yield fields.get("message") or fields.get("subscription_info") or b""

    def _fields_at(self, place: int) -> Mapping[str, Any]:
        """Return the fields of the command at a place, or none if the file has changed since it was read."""
        with suppress(Changed):
            return self._places.command(place)[1]
        return {}

    def _messages(self) -> Iterator[dict[str, Value]]:
        for listed in self._lists:
            for entry in listed.entries():
                if row := self._message(listed, entry):
                    yield row
                else:
                    self._remark("messages", entry.ident, entry.place, "changed", _GONE)

    def _message(self, listed: Listed, entry: ListedMessage) -> dict[str, Value]:
        """Return the columns of a message, or none if its record has changed since it was read."""
        try:
            data, size = self._places.message(entry.place)
        except Changed:
            return {}
        found = openwire.read(data, self.version)
        row = self._decoded("messages", entry.ident, entry.place, found)
        row["queue"], row["subscription"] = listed.name[1], listed.subscription
        row["id"], row["state"], row["size"] = entry.ident, entry.state, size
        row["address"] = f"{_PREFIXES[listed.name[0]]}://{listed.name[1]}"
        row["file"], row["off"] = self._places.where(entry.place)
        return row

    def _decoded(self, table: str, key: str, place: int | None, found: Decoded) -> dict[str, Value]:
        """Return the columns of a message, decoded from its object; oddities become remarks."""
        fields, odd = found.fields, list[Problem]()
        if found.wrong:
            odd.append(("undecodable", found.wrong))
        elif found.version != self.version:
            text = f"it is of version {found.version}, the store of {self.version}"
            odd.append(("other-version", text))
        row: dict[str, Value] = dict(zip(_AS_THEY_ARE, map(fields.get, _AS_THEY_ARE), strict=True))
        row |= {
            "message_id": openwire.message_id_text(fields.get("message_id")),
            "kind": openwire.KINDS.get(fields.get("kind", -1), "unknown"),
            "protocol": f"openwire {found.version}",
            "timestamp": fields.get("timestamp") or None,
            "expiration": fields.get("expiration") or None,
            "type": fields.get("jms_type"),
            "durable": fields.get("persistent"),
            "delivery_count": fields.get("redelivery_counter"),
            "redelivered": fields["redelivery_counter"] > 0 if "redelivery_counter" in fields else None,
            "transaction": openwire.transaction_text(fields.get("transaction")),
            "broker_time": fields.get("broker_in_time") or None,
            "content": None,
        }
        row["properties"], wrong, of_properties = openwire.properties(fields.get("properties"))
        if wrong:
            of_properties = [("bad-properties", wrong), *of_properties]
        of_body = openwire.body(fields, row) if "compressed" in fields else ()
        if "compressed" not in fields:
            row["data"] = fields.get("content")
        if odd or found.odd or of_properties or of_body:
            for code, text in (*odd, *found.odd, *of_properties, *of_body):
                self._remark(table, key, place, code, text)
        return row

    def _queues(self) -> Iterator[dict[str, Value]]:
        names = chain(self._store.destinations, self.passed.idle())
        counted: dict[Name, list[tuple[Count, int]]] = {name: [] for name in names}
        for listed, total in self._counted():
            counted.setdefault(listed.name, []).append((total, listed.pending))
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

    def _counted(self) -> Iterator[tuple[Listed, Count]]:
        """Yield each queue and subscription with its count."""
        # Subscriptions of a topic share messages, so lengths and times are read once for all of them.
        topic: Name | None = None
        for listed in self._lists:
            name, key = listed.name, listed.subscription
            total = Count("messages", name[1] if key is None else f"{name[1]} {key}")
            if key is None or listed.info is not None:
                # The order and the ids of messages of a queue do not matter here.
                messages = self._store.destinations.get(name, Destination()).messages
                places = map(place_of, messages.values()) if key is None else map(_place, listed.entries())
                for place in places:
                    total.add(*self._read_time(self.version, place))
            else:
                if topic != name:
                    topic, here, measured = name, self._store.destinations[name], Measured()
                    for stored in here.messages.values():
                        measured.add(number_of(stored), *self._read_time(self.version, place_of(stored)))
                    found = measured.sums(here.subscriptions)
                total = Count(total.table, total.name, *found[key])
            yield listed, total

    def _read_time(self, version: int, place: int) -> tuple[int, int | None]:
        """Return length and time of a message's record, from its first bytes if they contain the time.

        Both are empty if the record does not exist any more.
        """
        try:
            start = self._places.record(place, FIRST)
            length, _ = head(start, 0)
            time = self._heads.of(start, length)
            if time is None:
                time = openwire.read(self._places.message(place)[0], version).fields.get("timestamp")
            return length, time or None
        except Changed:
            return 0, None

    def _subscriptions(self) -> Iterator[dict[str, Value]]:
        for listed in self._lists:
            name, key, info = listed.name, listed.subscription, listed.info
            if key is None:
                continue
            place = None
            if info is not None:
                self._remark("subscriptions", key, None, "index-only-subscription", f"of {name[1]}")
            elif (place := self._store.subscribed.get((name, key))) is not None:
                info = self._fields_at(place).get("subscription_info")
            found = openwire.read(info or b"", self.version)
            fields = found.fields if found.fields.get("kind") == openwire.SUBSCRIPTION else {}
            if found.wrong or not fields:
                self._remark("subscriptions", key, place, "undecodable", found.wrong or "of another type")
            file, off = (None, None) if place is None else self._places.where(place)
            yield {column: fields.get(column) for column in ("client_id", "name", "selector", "no_local")} | {
                "queue": name[1],
                "key": key,
                "subscribed": fields.get("subscribed_destination"),
                "messages": listed.number,
                "pending": listed.pending,
                "index_only": listed.info is not None,
                "file": file,
                "off": off,
            }

    def _transactions(self) -> Iterator[dict[str, Value]]:
        decided = self._decided()
        for state, found in (("prepared", self._store.prepared), ("open", self._store.open)):
            for tx, steps in sorted(found.items(), key=lambda item: tx_text(item[0])):
                row: dict[str, Value] = {"id": tx_text(tx), "kind": tx[0], "state": state}
                row["file"], row["off"] = self._places.where(steps[0].place) if steps else ("", None)
                row["outcome"] = "rolled back" if state == "open" or tx[0] == "LOCAL" else None
                if tx[0] == "LOCAL":
                    row["connection"], row["number"] = tx[1:]
                else:
                    row["format_id"], row["gtrid"], row["bqual"] = tx[1:]
                of_several = tx[:2] == ("XA", _MULTI) and state == "prepared"
                if of_several and decided is not None:
                    row["outcome"] = "committed" if tx[2:] in decided else "rolled back"
                elif of_several:
                    row["outcome"] = "unknown"
                    text = f"there is no {_DECIDES} next to it: whether it is committed is unknown"
                    self._remark("transactions", tx_text(tx), None, "undecided", text)
                row["changes"] = [self._change(step) for step in steps]
                yield row

    def _change(self, step: Step) -> dict[str, Value]:
        """Return one change in a transaction: a message that it adds or removes."""
        out: dict[str, Value] = {
            "type": "remove" if step.command == "REMOVE_MESSAGE" else "add",
            "queue": step.destination[1],
            "id": step.message_id,
            "subscription": step.subscription,
        }
        fields = self._fields_at(step.place)
        found = openwire.read(fields["ack"], self.version).fields if fields.get("ack") else {}
        if found.get("kind") == openwire.ACK:
            kind = found.get("ack_type", -1)
            out["ack_type"] = openwire.ACKS[kind] if 0 <= kind < len(openwire.ACKS) else None
            consumer = found.get("consumer")
            out["consumer"] = None if consumer is None else ":".join(map(str, consumer))
        return out

    def _decided(self) -> set[tuple[Any, ...]] | None:
        """Return the committed transactions across several stores, or None if no store has outcomes."""
        if self._root is None or not any(tx[1] == _MULTI for tx in self._store.prepared if tx[0] == "XA"):
            return None
        decided: set[tuple[Any, ...]] | None = None
        for passed in _opened(self._root.absolute().parent / _DECIDES):
            decided = set() if decided is None else decided
            for _, name, fields in passed.commands():
                if name == "PREPARE" and (xa := fields.get("transaction", {}).get("xa")):
                    decided.add((xa.get("gtrid", b""), xa.get("bqual", b"")))
        return decided

    def _jobs(self) -> Iterator[dict[str, Value]]:
        """Yield the jobs of this journal, or of the schedulers next to it."""
        for passed in [self.passed] if JOB in self.passed.last else _schedulers(self._root):
            if JOB not in passed.last and early(passed):
                self._remark("jobs", "", None, "unread-jobs", "it has only records of messages")
            for job in jobs(passed):
                try:
                    _, fields, size = passed.places.command(job["place"])
                except Changed:
                    self._remark("jobs", job.get("job_id", ""), None, "changed", _GONE)
                    continue
                found = openwire.read(fields.get("job", b""), self.version)
                row = self._decoded("jobs", job.get("job_id", ""), None, found)
                row |= {column: job.get(name, 0) for column, name in _OF_JOBS.items()}
                row |= {"scheduler": job.get("scheduler", ""), "id": job.get("job_id", ""), "size": size}
                row["cron"] = job.get("cron_entry") or None
                row["address"] = address = found.fields.get("destination")
                row["queue"] = address and address.partition("://")[2]
                row["file"], row["off"] = passed.places.where(job["place"])
                yield row

    def _acks(self) -> Iterator[dict[str, Value]]:
        """Yield the last map of acknowledgements in the journal."""
        if (place := self.passed.last.get(ACK_MAP)) is None:
            return
        try:
            found = ack_map(self._fields_at(place).get("file_map", b""))
        except AckMapError as why:
            self._remark("acks", "", place, "bad-ack-map", str(why))
            return
        for file, others in sorted(found.items()):
            yield {"file": f"db-{file}.log", "of": [f"db-{other}.log" for other in others]}


def contents(answer: Answer) -> KahaContents:
    """Return the contents of a recovered journal; they are empty if recovery refuses it."""
    journal, state = answer.journal, answer.observation.state
    if isinstance(state, JournalState):
        return KahaContents(state.passed, journal.root)
    files = {} if answer.observation.verdict == REFUSED else journal.seen
    passed = JournalPass(files, DIALECTS[journal.edition], "salvage")
    passed.observation()
    return KahaContents(passed, journal.root)


def _schedulers(root: Path | None) -> Iterator[JournalPass]:
    """Yield the journals of schedulers next to the directory of a journal; links are not followed."""
    if root is None:
        return
    above = root.absolute().parent
    names: list[str] = []
    with suppress(OSError), scandir(above) as entries:
        first = [*islice(entries, _MOST_BESIDE + 1)]
        if len(first) <= _MOST_BESIDE:
            names = sorted(each.name for each in first if each.is_dir(follow_symlinks=False))
    yield from _opened(above / _SCHEDULER)
    for name in names:
        yield from _opened(above / name / _SCHEDULER)


def _opened(directory: Path) -> Iterator[JournalPass]:
    """Yield the content of a directory next to a journal if it contains a scheduler's journal."""
    if directory.is_dir() and not directory.is_symlink():
        with suppress(FilesetError):
            for journal in find_journals(load(directory), FORMAT):
                yield JournalPass(journal.seen, DIALECTS[journal.edition], "salvage")


# The messages of each queue and durable subscription, according to the journal and the db.data next to it.


#: The states of a message, in this order: it is delivered after a start; a prepared transaction acknowledges
#: it; it is absent from the index, although the index covers its record; a subscription that only the index
#: contains needs it.
PENDING, PREPARED, NOT_IN_INDEX, INDEX_ONLY = "pending", "prepared-ack", "not-in-index", "index-only"
_NONE = array("q")
_place = attrgetter("place")


class ListedMessage(NamedTuple):
    """Represents a message of a queue or subscription: its id, the position of its record, and its state."""

    ident: str
    place: int
    state: str


class Listed(NamedTuple):
    """A queue, or a topic with the key of a durable subscription; `entries` iterates over the messages.

    `number` is the number of messages. `info` is the object of a subscription that only the index contains.
    `absent` is the number of messages that the index lacks, or None if the messages must be visited for that.
    """

    name: Name
    subscription: str | None
    entries: Callable[[], Iterator[ListedMessage]]
    number: int
    info: bytes | None = None
    absent: int | None = 0

    @property
    def pending(self) -> int:
        """The number of messages that a broker reports."""
        visited = self.entries() if self.absent is None else ()
        return self.number - (self.absent or sum(entry.state == NOT_IN_INDEX for entry in visited))


class _Topic(NamedTuple):
    """Represents the facts about a topic in the index."""

    #: Maps the number of a message in the journal's order to its number in the index.
    numbers: Mapping[int, int]
    #: The needs of each subscription, in the form that :meth:`Index.needed` yields.
    needed: Mapping[str, array[int]]
    #: Two maps: from a subscription that only the index contains to its messages, and from a subscription to
    #: its stored object.
    others: Mapping[str, Sequence[ListedMessage]]
    infos: Mapping[str, bytes]


class Lists:
    """The queues and durable subscriptions of a journal with the index next to it."""

    def __init__(self, passed: JournalPass) -> None:
        self._passed, self._store, self._known = passed, passed.store, passed.known
        self._turns = {file.number: turn for turn, file in enumerate(passed.files)}

    def __iter__(self) -> Iterator[Listed]:
        """Yield the queues and durable subscriptions, by name; topics without subscriptions are omitted."""
        only = {name for name, _ in self._known.only} if self._known is not None else set()
        for name in sorted({*self._store.destinations, *only}):
            here = self._store.destinations.get(name, Destination())
            if not name[0].endswith("TOPIC"):
                hidden = self._known.hidden.get(name, ()) if self._known is not None else ()
                listed = partial(self._of_queue, name, here, hidden)
                yield Listed(name, None, listed, len(here.messages), absent=len(hidden))
                continue
            topic, ranked = self._topic(name, here), Ranked(here.messages)
            for key, needs in sorted(here.subscriptions.items(), key=itemgetter(0)):
                listed = partial(self._of_subscription, name, here, key, ranked, topic)
                yield Listed(name, key, listed, ranked.count(needs), absent=None if topic else 0)
            if topic is not None:
                for key, entries in sorted(topic.others.items()):
                    yield Listed(name, key, entries.__iter__, len(entries), topic.infos[key])

    def _of_queue(self, name: Name, here: Destination, hidden: Collection[str]) -> Iterator[ListedMessage]:
        acked = self._acknowledged.get((name, None), ())
        for ident, stored in here.in_order():
            state = NOT_IN_INDEX if ident in hidden else PREPARED if ident in acked else PENDING
            yield ListedMessage(ident, place_of(stored), state)

    def _of_subscription(
        self, name: Name, here: Destination, key: str, ranked: Ranked, topic: _Topic | None
    ) -> Iterator[ListedMessage]:
        acked = self._acknowledged.get((name, key), ())
        for ident in ranked.pending(here.subscriptions[key]):
            stored = here.messages[ident]
            state = PREPARED if ident in acked else PENDING
            if topic is not None and self._known is not None and self._known.took_in(stored):
                number = topic.numbers.get(number_of(stored))
                if number is None:
                    state = NOT_IN_INDEX if self._known.covers(stored) else state
                elif not is_in(topic.needed.get(key, _NONE), number):
                    state = NOT_IN_INDEX
            yield ListedMessage(ident, place_of(stored), state)

    @cached_property
    def _acknowledged(self) -> Mapping[tuple[Name, str | None], set[str]]:
        """Maps a queue or subscription to the ids of the messages that prepared transactions acknowledge."""
        out: dict[tuple[Name, str | None], set[str]] = {}
        for steps in self._store.prepared.values():
            for step in steps:
                if step.command == "REMOVE_MESSAGE":
                    out.setdefault((step.destination, step.subscription), set()).add(step.message_id)
        return out

    def _topic(self, name: Name, here: Destination) -> _Topic | None:
        if self._known is None or name not in self._known.topics:
            return None
        index, roots = self._known.index, self._known.topics[name]
        numbers: dict[int, int] = {}
        with suppress(UnusableIndex, CommandError):
            index.pages.forget()
            needed = dict(index.needed(roots))
            others: dict[str, list[ListedMessage]] = {key: [] for at, key in self._known.only if at == name}
            for number, ident, (file, off) in chain.from_iterable(starmap(zip, index.messages(roots))):
                if (stored := here.messages.get(ident)) is not None:
                    numbers[number_of(stored)] = number
                wanted = [key for key in others if is_in(needed.get(key, _NONE), number)]
                if wanted and file in self._turns and self._holds(name, ident, file, off):
                    place = (self._turns[file] << PLACE) + off
                    for key in wanted:
                        others[key].append(ListedMessage(ident, place, INDEX_ONLY))
            commands = dict(index.subscriptions(roots)) if others else {}
            infos = {key: parse("SUBSCRIPTION", commands.get(key, b"")) for key in others}
            blobs = {key: bytes(fields.get("subscription_info", b"")) for key, fields in infos.items()}
            return _Topic(numbers, needed, others, blobs)
        return None

    def _holds(self, name: Name, ident: str, file: int, off: int) -> bool:
        """Return whether the record to which an index refers exists. The record can be missing because its
        region is damaged.
        """
        with suppress(Changed):
            command, fields, _ = self._passed.places.command((self._turns[file] << PLACE) + off)
            same = destination_of(fields) == name and fields.get("message_id", "") == ident
            return same and command in ("ADD_MESSAGE", "UPDATE_MESSAGE")
        return False
