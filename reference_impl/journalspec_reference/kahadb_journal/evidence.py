"""Compares a journal with the index next to it. It finds missing items, and differences between both
(KHD-IDX).

Only the differences between index and journal are kept in memory.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, compress, repeat
from typing import NamedTuple

from journalspec.observation import Missing, Note
from journalspec_reference.api import Files, missing_numbers
from journalspec_reference.batches import Batch
from journalspec_reference.kahadb_journal.index import (
    INDEX,
    REDO,
    ContradictoryIndex,
    Index,
    Place,
    Roots,
    UnusableIndex,
    is_in,
    shown,
)
from journalspec_reference.kahadb_journal.store import (
    TOPICS,
    Destination,
    Name,
    Step,
    Store,
    number_of,
    place_of,
)

#: The OpenWire version of a broker of 5.12 or later that finds no index.
OPENWIRE = 11
#: A number that is larger than any offset.
_NEVER = 1 << 63
#: From this store version on, an UPDATE_MESSAGE adds its message if the index lacks that message.
_UPDATES_ADD = 6
#: A position after the positions of all records.
_NO_PLACE = 1 << 128
#: The maximum number of subscriptions that a note lists.
_LISTED = 10
#: The releases of ActiveMQ, by store version.
_RELEASES = ("5.3", "5.4.0", "5.4.2 to 5.5", "5.6 to 5.8", "5.9 to 5.11", "5.12 to 5.15", "5.16 or later")
_NO_FILE = (
    'a start of ActiveMQ ends with "Detected missing/corrupt journal files" or "Detected missing journal '
    'files"; with ignoreMissingJournalfiles=true it drops these messages'
)
_NO_LAST = (
    'a start of ActiveMQ ends with "Could not locate data file", with ignoreMissingJournalfiles=true, too; '
    "without db.data it starts with the content of the other files"
)
_BEYOND = (
    "these messages are lost: ActiveMQ 5.8 and earlier end the first start with an exception, later ones say "
    '"Rolled back ... messages from the index"'
)


class Log(NamedTuple):
    """Represents the facts about a journal with which an index is compared."""

    #: The end of each file's log, by the id of the file.
    ends: Mapping[int, int]
    #: A function that is called with a position and the store's entry for a message. It returns whether this
    #: message begins there.
    adds: Callable[[Place, int | None], bool]
    #: A function that returns whether the store has each of the given messages at the position in the index.
    agrees: Callable[[Sequence[Place], Iterable[int]], bool]
    #: Whether regions were dropped, or files have lost their content.
    damaged: bool


class Evidence:
    """An index and the journal next to it.

    It is created before the journal is read. Afterwards, it compares the index with the journal.
    """

    def __init__(self, files: Files) -> None:
        self._index: Index | None = None
        self._why = ""
        #: Two values: the number of messages that took effect through records that the index covers, and the
        #: position of the first record that it does not cover. This is None until the pass reaches that
        #: record.
        self._mark: tuple[int, int] | None = None
        #: The facts of a usable index that the contents need, or None before the comparison.
        self.known: Known | None = None
        self._found_last = False
        self._files = [files[name] for name in (INDEX, REDO) if name in files]
        if INDEX in files:
            try:
                self._index = Index(files[INDEX], files.get(REDO))
            except UnusableIndex as found:
                self._why = str(found)

    def begins(self, file: int) -> int:
        """Return the offset in a file from which on the index covers no records of this file or of later
        files.
        """
        if self._index is None or self._mark is not None:
            return _NEVER
        bound = self._index.bound
        return bound[1] if bound[0] == file else 0 if bound[0] < file else _NEVER

    def passed(self, store: Store, place: int) -> None:
        """Record that `store` is the state after all covered records. The next record is at `place`."""
        if self._mark is None:
            self._mark = store.number, place

    def looks(self, file: int, batch: Batch) -> None:
        """Record whether a batch contains the record of the index's last update."""
        last = self._index.last_update if self._index is not None else None
        if last is not None and last[0] == file and 0 <= last[1] - batch.base <= len(batch.data):
            at = bisect_left(batch.off, last[1] - batch.base)
            self._found_last |= at < len(batch) and batch.base + batch.off[at] == last[1]

    def covers(self, place: Place) -> bool:
        """Return whether the index covers a record."""
        return self._index is not None and place < self._index.bound

    def compare(
        self, store: Store, log: Log, later: Callable[[], Iterable[Step]]
    ) -> tuple[list[Missing], list[Note]]:
        """Return the missing items and the notes that follow from the index.

        `store` is the state according to the journal alone; `later` yields the commands that the index does
        not cover.
        """
        if self._index is None:
            return [], [Note("index-unusable", INDEX, text=self._why)] if self._why else []
        missing, notes = self._compared(self._index, store, log, later)
        if any(getattr(data, "unreadable", ()) for data in self._files):
            self.known = None
            return [], [Note("index-unusable", INDEX, text="a part of it could not be read")]
        return missing, notes

    def _compared(
        self, index: Index, store: Store, log: Log, later: Callable[[], Iterable[Step]]
    ) -> tuple[list[Missing], list[Note]]:
        mark = (store.number, _NO_PLACE) if self._mark is None else self._mark
        try:
            found = Known(index, store, log, mark)
        except UnusableIndex as why:
            code = "index-disagrees" if isinstance(why, ContradictoryIndex) else "index-unusable"
            return [], [Note(code, INDEX, text=str(why))]
        if found.lost or found.only or found.committed:
            found.without(later(), store)
        self.known = found
        missing = list(found.missing(log))
        if not missing and index.last_update is not None and not self._found_last:
            found.strays += 1
        return missing, [
            Note("index", INDEX, text=_about(index)),
            *found.notes(store, log, bool(missing)),
        ]


class Known:
    """Represents the differences between an index and the state according to the journal alone.

    `mark` is the number of the last message that the index covers, and the place of the first record that it
    does not cover.
    """

    def __init__(self, index: Index, store: Store, log: Log, mark: tuple[int, int]) -> None:
        self.index, self._mark, self._adds = index, mark, index.version >= _UPDATES_ADD
        #: Maps messages to their positions in the index, if these are in missing files or after a log's end.
        self.lost: dict[tuple[Name, str], Place] = {}
        #: Maps a topic to the ids of such lost messages and their numbers in the index.
        self._numbers: dict[Name, dict[str, int]] = {}
        self._referred: set[int] = set()
        #: Messages of queues that the journal contains, but whose commit only the index proves.
        self.committed: dict[tuple[Name, str], Place] = {}
        #: Maps a subscription that only the index contains to the number of its pending messages.
        self.only: dict[tuple[Name, str], int] = {}
        #: Maps a destination to the messages in the journal that the index lacks, although it covers their
        #: records.
        self.hidden: dict[Name, set[str]] = {}
        self.strays = 0
        #: Maps a topic in the index to its root pages.
        self.topics: dict[Name, Roots] = {}
        names: set[Name] = set()
        for roots in index.destinations():
            names.add(roots.name)
            if roots.subscriptions is not None:
                self.topics[roots.name] = roots
            here = store.destinations.get(roots.name)
            known = here.messages if here is not None else {}
            left = self._covered(here)
            numbers = array("q")
            for leaf in index.messages(roots):
                left.difference_update(leaf[1])
                if roots.subscriptions is not None:
                    numbers.extend(leaf[0])
                # In almost all leaves of the index, every position equals that in the journal.
                if not log.agrees(leaf[2], map(known.get, leaf[1], repeat(-1))):
                    self._differs(roots, zip(*leaf, strict=True), known, log)
            # Versions 1 and 2 do not store acknowledgements of single messages of a topic.
            if left and (roots.subscriptions is None or index.version > 2):
                self.hidden[roots.name] = left
            for key, owed in index.pending(roots, numbers):
                if here is None or key not in here.subscriptions:
                    self.only[roots.name, key] = owed
        self._hide_others(names, store)
        #: Destinations that only the index contains.
        self.idle = names - store.destinations.keys()

    def _differs(
        self, roots: Roots, leaf: Iterable[tuple[int, str, Place]], known: Mapping[str, int], log: Log
    ) -> None:
        """Find the differences between messages in the index and those that the journal has (`known`)."""
        for number, ident, place in leaf:
            if place[1] >= log.ends.get(place[0], 0):
                self.lost[roots.name, ident] = place
                if roots.subscriptions is not None:
                    self._numbers.setdefault(roots.name, {})[ident] = number
                self._referred.add(place[0])
            elif not log.adds(place, known.get(ident)):
                self.strays += 1
            elif ident not in known and roots.subscriptions is None:
                self.committed[roots.name, ident] = place

    def took_in(self, stored: int) -> bool:
        """Return whether a message in the state took effect through a record that the index covers."""
        return number_of(stored) <= self._mark[0]

    def covers(self, stored: int) -> bool:
        """Return the same as :meth:`took_in`, except that the result is False for messages that a start adds
        to the index (KHD-IDX-023).

        Releases that write version 6 or 7 add a message if a later UPDATE_MESSAGE replaces it.
        """
        return self.took_in(stored) and not (self._adds and place_of(stored) >= self._mark[1])

    def _covered(self, here: Destination | None) -> set[str]:
        """Return those messages of a destination that the index covers."""
        if here is None:
            return set()
        return {*compress(here.messages, map(self.covers, here.messages.values()))}

    def _hide_others(self, names: set[Name], store: Store) -> None:
        """Hide the messages of destinations that the index lacks.

        `names` are the destinations in the index.
        """
        for name, here in store.destinations.items():
            # Topics are not compared in store versions 1 and 2, because these do not store single
            # acknowledgements.
            compared = self.index.version > 2 or name[0] not in TOPICS
            if compared and name not in names and (left := self._covered(here)):
                self.hidden[name] = left

    def without(self, later: Iterable[Step], store: Store) -> None:
        """Omit messages and subscriptions that ended after the index was written (KHD-IDX-006)."""
        gone, acks = set(), dict[tuple[Name, str], set[str]]()
        for step in later:
            if step.command == "REMOVE_DESTINATION":
                gone.add(step.destination)
            elif step.command == "SUBSCRIPTION" and step.retroactive is None:
                self.only.pop((step.destination, step.subscription or ""), None)
            elif step.command == "REMOVE_MESSAGE" and not store.is_open(step.transaction):
                if step.subscription is not None:
                    acks.setdefault((step.destination, step.subscription), set()).add(step.message_id)
                    continue
                for found in (self.lost, self.committed):
                    found.pop((step.destination, step.message_id), None)
        self._acknowledge(acks)
        self.lost = {key: place for key, place in self.lost.items() if key[0] not in gone}
        self.committed = {key: place for key, place in self.committed.items() if key[0] not in gone}
        self.only = {key: owed for key, owed in self.only.items() if key[0] not in gone}

    def _acknowledge(self, acks: Mapping[tuple[Name, str], set[str]]) -> None:
        """Omit the lost messages that all subscriptions which needed them have acknowledged (`acks`)."""
        self.index.pages.forget()
        for name in {name for name, _ in acks} & self._numbers.keys():
            numbers = self._numbers[name]
            there, done = sorted(numbers.values()), Counter[int]()
            # For each message, the difference between the numbers of subscriptions that need it and that need
            # the previous message.
            change = [0] * (len(there) + 1)
            for key, ranges in self.index.needed(self.topics[name]):
                for first, last in zip(ranges[::2], ranges[1::2], strict=True):
                    change[bisect_left(there, first)] += 1
                    change[bisect_right(there, last)] -= 1
                acked = {numbers[ident] for ident in acks.get((name, key), set()) & numbers.keys()}
                done.update(number for number in acked if is_in(ranges, number))
            owed = dict(zip(there, accumulate(change), strict=False))
            for ident, number in numbers.items():
                if 0 < owed[number] <= done[number]:
                    self.lost.pop((name, ident), None)

    def missing(self, log: Log) -> Iterator[Missing]:
        """Yield missing files and records (KHD-IDX-001, KHD-IDX-002)."""
        counts = dict.fromkeys(self._referred, 0)
        for file, _ in self.lost.values():
            counts[file] = counts.get(file, 0) + 1
        for place in (self.index.last_update, self.index.in_progress):
            if place is not None and place[1] >= log.ends.get(place[0], 0):
                counts.setdefault(place[0], 0)
        last = self.index.last_update
        for file, count in sorted(counts.items()):
            name = f"db-{file}.log"
            if file in log.ends:
                yield Missing("records", name, INDEX, log.ends[file], count, _BEYOND)
            else:
                of_last = last is not None and file == last[0]
                yield Missing("file", name, INDEX, None, count, _NO_LAST if of_last else _NO_FILE)

    def notes(self, store: Store, log: Log, incomplete: bool) -> Iterator[Note]:
        """Yield notes on the other differences between index and journal (KHD-IDX-007)."""
        if self.strays and not incomplete:
            where = (
                "in what is dropped"
                if log.damaged
                else "elsewhere: db.data and the journal are of different moments"
            )
            yield Note(
                "index-disagrees", INDEX, text=f"{self.strays} of its places in the journal are {where}"
            )
        if self.only:
            listed = [
                f"{key} of {shown(name)}, {owed} pending" for (name, key), owed in sorted(self.only.items())
            ]
            more = [f"{len(listed) - _LISTED} more"] if len(listed) > _LISTED else []
            yield Note("index-only-subscription", INDEX, text="; ".join([*listed[:_LISTED], *more]))
        for name, count in sorted(Counter(name for name, _ in self.committed).items()):
            text = "their records are there, and the journal alone does not commit them"
            yield Note("index-only-messages", INDEX, text=f"{count} of {shown(name)}: {text}")
        open_acks: dict[Name, set[str]] = {}
        for change in chain(*store.open.values(), *store.prepared.values()):
            if change.command == "REMOVE_MESSAGE":
                open_acks.setdefault(change.destination, set()).add(change.message_id)
        unsure = incomplete or log.damaged or missing_numbers(sorted(log.ends))
        for name, idents in sorted(self.hidden.items()):
            acked = idents & open_acks.get(name, set())
            rest = len(idents) - len(acked)
            total = len(store.destinations[name].messages)
            if acked:
                text = f"{len(acked)} of {shown(name)}: a transaction that has its COMMIT earlier took them"
                yield Note("index-acknowledged", INDEX, text=text)
            if rest and unsure:
                text = f"{rest} of {shown(name)}: their acknowledgements are lost, or they are hidden"
                yield Note("index-acknowledged", INDEX, text=text)
            elif rest:
                text = f"{rest} of {shown(name)}: the journal has {total}, db.data shows {total - rest}"
                yield Note("index-hides", INDEX, text=text)


def _about(index: Index) -> str:
    text = f"store version {index.version} (ActiveMQ {_RELEASES[index.version - 1]})"
    if index.openwire:
        text += f", OpenWire {index.openwire}"
    if index.last_update is not None:
        text += f", last update at db-{index.last_update[0]}.log:{index.last_update[1]}"
    if index.openwire != OPENWIRE:
        text += (
            f"; ActiveMQ 5.12 and later need storeOpenWireVersion={index.openwire or 6} to start without it"
        )
    return text
