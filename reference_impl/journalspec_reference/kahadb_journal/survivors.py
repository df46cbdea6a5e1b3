"""Represents the content that recovery keeps as records of a new journal. A replay of the new journal results
in the same state.

Records of messages are copied as bytes, in the order in which the messages took effect. Consecutive records
of one transaction are followed by one COMMIT. A durable subscription begins between the same messages as in
the old journal, so it needs the same messages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

from journalspec.kahadb_journal.commands import KINDS, build, framed
from journalspec_reference.kahadb_journal.codec import HEAD, USER, frame, parse
from journalspec_reference.kahadb_journal.contents import NOT_IN_INDEX, Listed, Lists
from journalspec_reference.kahadb_journal.contents.jobs import jobs
from journalspec_reference.kahadb_journal.records import TRANSACTION, UPDATE, transaction_in
from journalspec_reference.kahadb_journal.recover import JOB, JournalPass
from journalspec_reference.kahadb_journal.store import (
    Destination,
    Name,
    Step,
    TxId,
    number_of,
    place_of,
    tx_text,
)
from journalspec_reference.newstore import StoreChoices

#: A record, and the stored transaction in it. The transaction can be None.
Emitted = tuple[bytes, bytes | None]
#: The edition in which some products reject an UPDATE of an absent message.
_EARLY = "5.3"
#: The maximum number of pairs of subscription and message that are examined per topic.
_MOST_PAIRS = 1 << 22
#: The id of a generated message, which precedes all other messages of a topic, or creates an empty
#: destination.
PLACEHOLDER = "ID:placeholder:0:0:1"
_SAYS = "what recovery kept of another journal"


class Survivors:
    """Represents the content of a journal that is kept, after one pass over the journal."""

    def __init__(self, passed: JournalPass, choices: StoreChoices) -> None:
        self.passed, self.store, self._places = passed, passed.store, passed.places
        #: The queues to keep (empty: all), and the queues, ids and transactions to omit.
        self._queues, self.drop = frozenset(choices.queues), frozenset(choices.drop)
        self.lists = Lists(passed)
        self._numbers = {name: number for number, name in passed.dialect.commands.items()}
        #: Maps a destination to messages that are acknowledged only according to the index. It is empty
        #: without --index-acks.
        self._hidden: Mapping[Name, Set[str]] = {}
        self._index_acks = choices.index_acks
        self._by_index = choices.index_acks and passed.known is not None
        if choices.index_acks and passed.known is not None:
            self._hidden = passed.known.hidden
        #: The objects of subscriptions that only the index contains.
        self._infos: dict[tuple[Name, str], bytes] = {}

    def _record(self, name: str, fields: Mapping[str, Any]) -> bytes:
        return self._framed(name, build(name, fields))

    def _framed(self, name: str, message: bytes) -> bytes:
        payload = framed(self._numbers[name], message)
        return (HEAD + len(payload)).to_bytes(4, "big") + bytes([USER]) + payload

    # The content that is kept.

    def takes(self, name: str) -> bool:
        """Return whether a queue or topic is kept."""
        return name not in self.drop and (not self._queues or name in self._queues)

    def hidden(self, name: Name) -> Set[str]:
        """Return those messages of a destination that are omitted as acknowledged according to the index."""
        return self._hidden.get(name, frozenset())

    def kept(self, name: Name) -> Iterator[tuple[str, int]]:
        """Yield id and packed form of a queue's kept messages, in the order in which they took effect."""
        here, drop, hidden = self.store.destinations[name], self.drop, self.hidden(name)
        if not drop and not hidden:
            yield from here.messages.items()
            return
        for ident, stored in here.messages.items():
            if ident not in drop and ident not in hidden:
                yield ident, stored

    @cached_property
    def needed(self) -> Mapping[Name, Mapping[str, Mapping[str, int]]]:
        """Map each topic that is written separately to its subscriptions, and these to ids and positions of
        their pending messages.

        These are topics with subscriptions that only the index contains, all topics with --index-acks, and
        topics for which :meth:`_needs_placeholder` is true.
        """
        out: dict[Name, dict[str, dict[str, int]]] = {}
        for name, group in groupby(self.lists, key=attrgetter("name")):
            found = list(group) if self.takes(name[1]) else []
            here = self.store.destinations.get(name, Destination())
            only = any(listed.info is not None for listed in found)
            if name[0].endswith("TOPIC") and (only or self._by_index or self._needs_placeholder(found, here)):
                out[name] = {listed.subscription or "": self._needs(listed) for listed in found}
                self._infos |= {
                    (name, listed.subscription or ""): listed.info
                    for listed in found
                    if listed.info is not None
                }
        return out

    def _needs(self, listed: Listed) -> dict[str, int]:
        """Return id and position of the messages that a subscription needs."""
        out = {}
        for entry in listed.entries():
            if entry.ident in self.drop or (self._index_acks and entry.state == NOT_IN_INDEX):
                continue
            out[entry.ident] = entry.place
        return out

    def _needs_placeholder(self, found: Sequence[Listed], here: Destination) -> bool:
        """Return whether a subscription acknowledged messages, but no message before the first message that
        it needs.

        After a replay, products deliver the messages after the one acknowledged last. So a placeholder before
        all other messages has to be acknowledged last.
        """
        if len(found) * len(here.messages) > _MOST_PAIRS:
            return False
        return any(none_before for _, none_before in self._gaps(here))

    @staticmethod
    def _gaps(here: Destination) -> Iterator[tuple[str, bool]]:
        """Yield subscriptions that acknowledged a message after a pending one, and whether they acknowledged
        none before it.
        """
        numbers = [number_of(stored) for stored in here.messages.values()]
        there = {*numbers}
        for key, each in here.subscriptions.items():
            if acknowledged := each.acknowledged & there:
                first = next((at for at in numbers if at > each.above and at not in each.acknowledged), None)
                if first is not None and first < max(acknowledged):
                    yield key, first < min(acknowledged)

    def out_of_order(self) -> Iterator[tuple[str, str]]:
        """Yield topic and key of the subscriptions that acknowledged a message after one that they need."""
        for name, here in self.store.destinations.items():
            if self.takes(name[1]) and name not in self.needed:
                yield from ((name[1], key) for key, _ in self._gaps(here))
        for name, needs in self.needed.items():
            order = [*self.ordered(name)]
            for key, each in needs.items():
                if {*order[len(order) - len(each) :]} != each.keys():
                    yield name[1], key

    def prepared(self) -> Iterator[tuple[TxId, list[Step]]]:
        """Yield the branches in doubt that are kept, with the kept steps of each."""
        drop = self.drop
        for tx, steps in sorted(self.store.prepared.items(), key=lambda item: tx_text(item[0])):
            kept = [step for step in steps if self.takes(step.destination[1]) and step.message_id not in drop]
            if tx[0] == "XA" and tx_text(tx) not in drop and kept:
                yield tx, kept

    def jobs(self) -> Iterator[Mapping[str, Any]]:
        """Yield the jobs that are kept, if this is the journal of a scheduler."""
        if JOB in self.passed.last:
            for job in jobs(self.passed):
                if job.get("job_id", "") not in self.drop:
                    yield job

    def queues(self) -> Iterator[tuple[str, int, int]]:
        """For each queue, and each topic with the key of a subscription, yield the kept rows and bytes."""
        for name in sorted({*self.store.destinations, *self.passed.idle()}):
            if self.takes(name[1]) and not name[0].endswith("TOPIC"):
                kept = self.kept(name) if name in self.store.destinations else ()
                yield name[1], *self._places.measured(place_of(stored) for _, stored in kept)
        for listed in self.lists:
            key, wanted = listed.subscription, self.needed.get(listed.name)
            if key is None or not self.takes(listed.name[1]):
                continue
            entries = (each.place for each in listed.entries() if each.ident not in self.drop)
            places = entries if wanted is None else wanted[key].values()
            yield f"{listed.name[1]} {key}", *self._places.measured(places)

    def live(self) -> Iterator[tuple[Name, str, int]]:
        """Yield destination, id and position of each kept message, in any order."""
        for name in self.store.destinations:
            if self.takes(name[1]) and name not in self.needed:
                yield from ((name, ident, place_of(stored)) for ident, stored in self.kept(name))
        for name, needs in self.needed.items():
            places = {ident: place for each in needs.values() for ident, place in each.items()}
            yield from ((name, ident, place) for ident, place in places.items())

    def of_the_index(self) -> Iterator[tuple[Name, str, int]]:
        """Yield destination, id and position for messages of subscriptions that only the index contains."""
        for name, key in self._infos if self.needed else ():
            yield from ((name, ident, place) for ident, place in self.needed[name][key].items())

    # Methods for the new journal.

    def records(self) -> Iterator[bytes]:
        """Yield the records of the new journal; raises Changed if the old journal has changed."""
        yield self._record("TRACE", {"text": _SAYS})
        yield from self._committed(chain(self._together(), self._one_by_one()))
        for tx, steps in self.prepared():
            yield from (self._places.record(step.place) for step in steps)
            yield self._record("PREPARE", {"transaction": self._as_fields(tx)})
        for job in self.jobs():
            yield from self._job(job)

    @staticmethod
    def _as_fields(tx: TxId) -> Mapping[str, Any]:
        return {"xa": {"format_id": tx[1], "bqual": tx[3], "gtrid": tx[2]}}

    def _committed(self, emitted: Iterable[Emitted]) -> Iterator[bytes]:
        """Yield records; after consecutive records of a transaction, yield its COMMIT."""
        current: bytes | None = None
        for record, tx in emitted:
            if tx != current and current is not None:
                yield self._framed("COMMIT", framed(TRANSACTION, current))
            current = tx
            yield record
        if current is not None:
            yield self._framed("COMMIT", framed(TRANSACTION, current))

    def _messages(self, places: Iterable[int]) -> Iterator[Emitted]:
        read, early = self._places.record, self.passed.dialect.edition == _EARLY
        for place in places:
            record = read(place)
            if early and record[HEAD] == UPDATE:
                _, message, _ = frame(record[HEAD:], self.passed.dialect.commands)
                add = self._record("ADD_MESSAGE", parse("UPDATE_MESSAGE", message).get("add", {}))
                yield add, transaction_in(add)
            yield record, transaction_in(record)

    def _together(self) -> Iterator[Emitted]:
        """Yield the messages and subscriptions of all destinations that are not written separately."""
        begins: list[tuple[int, Name, str]] = []
        messages: list[int] = []
        for name, here in self.store.destinations.items():
            if name in self.needed or not self.takes(name[1]):
                continue
            before = len(messages)
            messages.extend(stored for _, stored in self.kept(name))
            begins += ((each.above, name, key) for key, each in here.subscriptions.items())
            if len(messages) == before and not here.subscriptions:
                yield self._empty(name), None
        for name in sorted(self.passed.idle()):
            if name not in self.needed and self.takes(name[1]):
                yield self._empty(name), None
        # The number is in the highest bits of a packed message, so this sorts by number.
        messages.sort()
        begins.sort()
        at = 0
        for number, name, key in begins:
            # The messages up to that number come first.
            until = bisect_left(messages, number + 1, at, key=number_of)
            yield from self._messages(map(place_of, map(messages.__getitem__, range(at, until))))
            yield self._subscription(name, key), None
            at = until
        yield from self._messages(map(place_of, map(messages.__getitem__, range(at, len(messages)))))
        for name, key in sorted((name, key) for _, name, key in begins):
            each = self.store.destinations[name].subscriptions[key]
            if each.acknowledged:
                kept = {ident: number_of(stored) for ident, stored in self.kept(name)}
                above = (ident for ident, number in kept.items() if number > each.above)
                gone = {ident for ident, number in kept.items() if number in each.acknowledged}
                yield from self._acknowledgements(name, key, above, gone, placeholder=False)

    def _acknowledgements(
        self, name: Name, key: str, messages: Iterable[str], gone: Set[str], *, placeholder: bool
    ) -> Iterator[Emitted]:
        """Yield a subscription's acknowledgements.

        Those for messages before its pending messages come last.
        """
        order = list(messages)
        first = next((at for at, ident in enumerate(order) if ident not in gone), len(order))
        before = [PLACEHOLDER, *order[:first]] if placeholder else order[:first]
        for ident in chain((ident for ident in order[first:] if ident in gone), before):
            yield self._acknowledged(name, ident, key), None

    def _one_by_one(self) -> Iterator[Emitted]:
        """Yield the other topics, with an acknowledgement of each message that a subscription does not need.

        If there is any such message, a placeholder before all other messages is also acknowledged.
        """
        for name, needs in sorted(self.needed.items()):
            messages = self.ordered(name)
            acknowledges = any(len(each) < len(messages) for each in needs.values())
            yield from ((self._subscription(name, key), None) for key in needs)
            if acknowledges:
                _, fields, _ = self._places.command(next(iter(messages.values())))
                first = {"destination": fields.get("destination", {}), "message": fields.get("message", b"")}
                yield self._record("ADD_MESSAGE", {**first, "message_id": PLACEHOLDER}), None
            yield from self._messages(messages.values())
            for key, each in needs.items() if acknowledges else ():
                gone = messages.keys() - each.keys()
                yield from self._acknowledgements(name, key, messages, gone, placeholder=True)
            if not needs:
                yield self._empty(name), None

    def ordered(self, name: Name) -> dict[str, int]:
        """Return id and position of those messages of a topic that are in `needed`, in order.

        A message that only the index contains comes before the message that follows it in the index.
        """
        here = self.store.destinations.get(name, Destination())
        numbers = {ident: number_of(stored) for ident, stored in here.messages.items()}
        keys: dict[str, tuple[float, int, int]] = {}
        for each in self.needed[name].values():
            after = float("inf")
            for ident, place in reversed(list(each.items())):
                after = numbers.get(ident, after)
                keys.setdefault(ident, (after, int(ident in numbers), place))
        return {ident: keys[ident][2] for ident in sorted(keys, key=keys.__getitem__)}

    def _empty(self, name: Name) -> bytes:
        """Return a record that creates an empty destination: an acknowledgement of an absent message."""
        return self._acknowledged(name, PLACEHOLDER, None)

    def _acknowledged(self, name: Name, ident: str, key: str | None) -> bytes:
        destination = {"kind": KINDS.index(name[0]), "name": name[1]}
        fields = {"destination": destination, "message_id": ident, "ack": b"", "subscription_key": key}
        return self._record("REMOVE_MESSAGE", fields)

    def _subscription(self, name: Name, key: str) -> bytes:
        if (info := self._infos.get((name, key))) is not None:
            fields = {"destination": {"kind": KINDS.index(name[0]), "name": name[1]}, "subscription_key": key}
            return self._record("SUBSCRIPTION", {**fields, "retroactive": 0, "subscription_info": info})
        return self._places.record(self.store.subscribed[name, key])

    def _job(self, job: Mapping[str, Any]) -> Iterator[bytes]:
        """Yield the record of a job, and a RESCHEDULE_JOB if it was rescheduled."""
        yield self._places.record(job["place"])
        _, fields, _ = self._places.command(job["place"])
        first, after = fields.get("next_execution_time", 0), job["next_execution_time"]
        if after != first or job.get("rescheduled_count"):
            again = {"scheduler": job.get("scheduler", ""), "job_id": job.get("job_id", "")}
            again |= {"execution_time": first, "next_execution_time": after}
            again |= {"rescheduled_count": job.get("rescheduled_count", 0)}
            yield self._record("RESCHEDULE_JOB", again)
