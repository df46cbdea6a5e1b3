"""The index beside a journal, `db.data` with `db.redo`, read as evidence: what should be there (KHD-IDX).

Pages are read where a tree leads to them, each once; entries are streamed and not kept. Nothing in an index
is protected by a checksum, so it counts only if its three trees of messages say the same.
"""

from __future__ import annotations

import re
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from struct import Struct
from struct import error as StructError
from typing import Any, NamedTuple

from journalspec.kahadb_journal.commands import KINDS
from journalspec.observation import Missing, Note
from journalspec_reference.api import Files, missing_numbers
from journalspec_reference.kahadb_journal.commands import CommandError, varint
from journalspec_reference.kahadb_journal.store import Change, Destination, Name, Store, TxId, number_of
from journalspec_reference.places import Ids

INDEX, REDO = "db.data", "db.redo"
#: Bytes of both header copies together; of a page before its payload; what an object and a redo file hold at most.
_HEADER, _HEAD, _OBJECT, _REDO = 4096, 21, 1 << 26, 1 << 28
_FREE, _PART, _END = 0, 1, 2
#: Store versions -> editions whose products write them (KHD-IDX-009).
EDITIONS: Mapping[int, tuple[str, ...]] = {
    **dict.fromkeys((1, 2, 3, 4, 5), ("5.3",)),
    6: ("5.12", "5.14", "5.15.1", "5.15.2"),
    7: ("5.16",),
}
_RELEASES = ("5.3", "5.4.0", "5.4.2 to 5.5", "5.6 to 5.8", "5.9 to 5.11", "5.12 to 5.15", "5.16 or later")
_SIZES = range(_HEAD + 1, (1 << 24) + 1)
#: The OpenWire version of a broker of 5.12 or later that finds no index.
_OPENWIRE = 11
#: Subscriptions that a note lists.
_LISTED = 10
_PAGE, _REDO_HEAD = Struct(">Bqqi"), Struct(">qqi")
_I2, _I4, _I8 = Struct(">h"), Struct(">i"), Struct(">q")
#: A place in the journal: the id of a file and an offset.
Place = tuple[int, int]


class Unusable(Exception):  # no error: what a look at an index may find
    """The index proves nothing; the text says why (KHD-IDX-003)."""


class Contradiction(Unusable):  # no error either
    """The index contradicts itself, which no product notices."""


class _Bytes:
    """The bytes of one object, taken from the front."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        if not 0 <= size <= len(self.data) - self.at:
            raise Unusable("an entry reaches beyond its page")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, form: Struct) -> int:
        try:
            (value,) = form.unpack_from(self.data, self.at)
        except StructError:
            raise Unusable("an entry reaches beyond its page") from None
        self.at += form.size
        return int(value)

    def text(self) -> str:
        """Return a string of Java's modified UTF-8."""
        raw = self.take(self.number(_I2) & 0xFFFF)
        try:
            if raw.isascii():
                return raw.decode()
            units = raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
            return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        except UnicodeDecodeError:
            raise Unusable("a text is not modified UTF-8") from None

    def long(self) -> int:
        return self.number(_I8)

    def place(self) -> Place:
        file, off = self.number(_I4), self.number(_I4)
        if min(file, off) < 0:
            raise Unusable("a place in the journal is negative")
        return file, off

    def optional_place(self) -> Place | None:
        return self.place() if self.take(1) != b"\0" else None

    @property
    def left(self) -> int:
        return len(self.data) - self.at


Take = Callable[[_Bytes], Any]


def _no_value(_: _Bytes) -> None:
    return None


class _Pages:
    """The page file: objects by the number of their first page."""

    def __init__(self, data: Any, redo: Any) -> None:
        self._data = data
        header = _header(data)
        try:
            self.size = int(header.get("pageSize", ""))
        except ValueError:
            raise Unusable("its header has no page size") from None
        if self.size not in _SIZES:
            raise Unusable(f"its header says that a page has {self.size} bytes")
        self._count = (len(data) - _HEADER) // self.size
        #: page -> where its image is in `redo` (KHD-IDX-004)
        self._images: dict[int, int] = {}
        self._redo = redo
        if redo is not None and header.get("cleanShutdown", "").lower() != "true":
            self._images = _images(redo, self.size)
        self._seen = Ids()

    def _page(self, number: int, size: int) -> bytes:
        if number in self._images:
            return bytes(self._redo[self._images[number] : self._images[number] + size])
        if not 0 <= number < self._count:
            raise Unusable(f"it refers to page {number}, and has {self._count} pages")
        at = _HEADER + number * self.size
        return bytes(self._data[at : at + size])

    def object(self, number: int) -> _Bytes | None:
        """Return what is stored from a page on; None if nothing is, yet."""
        out = bytearray()
        while True:
            # Of a page that is not used the head alone is read: many roots may lead to it.
            kind, _, after, _ = _PAGE.unpack(self._page(number, _HEAD))
            if kind == _FREE and not out:
                return None
            if number in self._seen:
                raise Unusable(f"it uses page {number} twice")
            self._seen.add(number)
            if kind == _END and _HEAD <= after <= self.size:
                return _Bytes(bytes(out) + self._page(number, after)[_HEAD:])
            if kind != _PART or len(out) > _OBJECT:
                raise Unusable(f"page {number} is damaged")
            out += self._page(number, self.size)[_HEAD:]
            number = after

    def tree(self, root: int, key: Take, value: Take) -> Iterator[tuple[Any, Any]]:
        """Yield the entries of a BTree."""
        node = self.object(root)
        waiting: list[Iterator[int]] = []
        while node is not None:
            count = node.number(_I2)
            if count < 0:
                raise Unusable("a node has a negative number of entries")
            keys = [key(node) for _ in range(count)]
            if node.take(1) != b"\0":
                waiting.append(iter([node.long() for _ in range(count + 1)]))
            else:
                yield from ((found, value(node)) for found in keys)
            while waiting and (child := next(waiting[-1], None)) is None:
                waiting.pop()
            if not waiting:
                return
            node = self.object(child)
            if node is None:
                raise Unusable(f"page {child} of a tree is empty")

    def list(self, root: int, key: Take, value: Take) -> Iterator[tuple[Any, Any]]:
        """Yield the entries of a list."""
        while root != -1:
            node = self.object(root)
            if node is None:
                return
            root = node.long()
            for _ in range(node.number(_I2)):
                yield key(node), value(node)


def _header(data: Any) -> dict[str, str]:
    """Return the properties of the header copy that counts (KHD-IDX-005)."""
    copies = []
    for at in (0, _HEADER // 2):
        text = bytes(data[at : at + _HEADER // 2]).decode("latin-1")
        copies.append(dict(re.findall(r"^(\w+)=(\S*)\s*$", text, re.MULTILINE)))
    ids = [found.get("metaDataTxId", "") for found in copies]
    return copies[0] if ids[0] == ids[1] and ids[0].isdecimal() else copies[1]


def _images(redo: Any, size: int) -> dict[int, int]:
    """Return where the page images of a redo file are; none unless it is whole."""
    head = bytes(redo[: _REDO_HEAD.size])
    if len(head) < _REDO_HEAD.size:
        return {}
    _, stored, count = _REDO_HEAD.unpack(head)
    step = 8 + size
    if not 0 < count * step <= min(len(redo) - _HEADER, _REDO):
        return {}
    found, summed = {}, 1
    for at in range(_HEADER, _HEADER + count * step, step):
        entry = bytes(redo[at : at + step])
        summed = zlib.adler32(entry[8:], summed)
        found[int.from_bytes(entry[:8], "big", signed=True)] = at + 8
    return found if summed == stored and min(found) >= 0 else {}


class _Roots(NamedTuple):
    """One destination of the index and the pages that its trees and lists begin at."""

    name: Name
    orders: tuple[int, ...]
    location: int
    ids: int
    subscriptions: int | None = None
    acknowledged: int = 0
    positions: int = 0


class Index:
    """An index that can be read as far as its first page; `redo` is the other file, if there is one."""

    def __init__(self, data: Any, redo: Any = None) -> None:
        self.pages = _Pages(data, redo)
        first = self.pages.object(0)
        if first is None:
            raise Unusable("its first page is empty")
        first.take(_I4.size)
        self._root = first.long()
        self.last_update, self.in_progress = first.optional_place(), first.optional_place()
        self.version, self.openwire = 1, 0
        if first.left:
            first.optional_place()
            self.version = first.number(_I4)
        if self.version not in EDITIONS:
            raise Unusable(f"its version {self.version} is not known")
        if self.version >= 5:
            first.optional_place()
            self.openwire = first.number(_I4)

    def covers(self, place: Place) -> bool:
        """Tell whether a start of the product leaves the record at a place to the index (KHD-IDX-006)."""
        if self.in_progress is not None:
            return place < self.in_progress
        return self.last_update is not None and place <= self.last_update

    def destinations(self) -> Iterator[_Roots]:
        """Yield the destinations."""
        for name, roots in self.pages.tree(self._root, self._name, self._roots):
            yield roots._replace(name=name)

    @staticmethod
    def _name(data: _Bytes) -> Name:
        kind, _, name = data.text().partition(":")
        if kind not in ("0", "1", "2", "3"):
            raise Unusable("a destination is of no known kind")
        return KINDS[int(kind)], name

    def _roots(self, data: _Bytes) -> _Roots:
        order, location, ids = data.long(), data.long(), data.long()
        topic: tuple[int, ...] = ()
        if data.take(1) != b"\0":
            topic = data.long(), data.long(), data.long() if self.version >= 3 else 0
            if self.version >= 5:
                data.long()
        others = (data.long(), data.long()) if self.version >= 2 else ()
        if self.version >= 7:
            data.long()
        return _Roots(("", ""), (order, *others), location, ids, *topic)

    def _stored(self, data: _Bytes) -> Place:
        place = data.place()
        if self.version >= 6:
            data.take(_I4.size)
        return place

    def messages(self, roots: _Roots) -> Iterator[tuple[int, str, Place]]:
        """Yield the messages of a destination; raises Unusable at the end if its trees contradict each other.

        What is summed is the same for entries in any order.
        """
        places = ids = 0
        for root in roots.orders:
            entries = self.pages.tree(root, _Bytes.long, lambda data: (data.text(), self._stored(data)))
            for number, (ident, place) in entries:
                places += hash((number, place))
                ids += hash((number, ident))
                yield number, ident, place
        for place, number in self.pages.tree(roots.location, self._stored, _Bytes.long):
            places -= hash((number, place))
        for ident, number in self.pages.tree(roots.ids, _Bytes.text, _Bytes.long):
            ids -= hash((number, ident))
        if places or ids:
            raise Contradiction(f"its trees contradict each other about {_shown(roots.name)}")

    def pending(self, roots: _Roots, numbers: Iterable[int]) -> Iterator[tuple[str, int]]:
        """Yield the subscriptions of a topic whose messages have these numbers, and what each is owed."""
        if roots.subscriptions is None:
            return
        there = sorted(numbers)
        owed: dict[str, int] = {}
        if self.version >= 4:
            for key, ranges in self.pages.list(roots.positions, _Bytes.text, _ranges):
                owed[key] = sum(bisect_right(there, last) - bisect_left(there, first) for first, last in ranges)
        elif self.version == 3:
            for number, keys in self.pages.tree(roots.positions, _Bytes.long, _keys):
                is_there = bisect_right(there, number) > bisect_left(there, number)
                for key in keys if is_there else ():
                    owed[key] = owed.get(key, 0) + 1
        else:
            for key, last in self.pages.tree(roots.acknowledged, _Bytes.text, _Bytes.long):
                owed[key] = len(there) - bisect_right(there, last)
        for key, _ in self.pages.tree(roots.subscriptions, _Bytes.text, _command):
            yield key, owed.get(key, 0)


def _command(data: _Bytes) -> None:
    try:
        size, data.at = varint(data.data, data.at)
    except CommandError as error:
        raise Unusable(str(error)) from None
    data.take(size)


def _ranges(data: _Bytes) -> Iterator[tuple[int, int]]:
    """Return a SequenceSet: first and last of each range."""
    out = array("q")
    for _ in range(data.number(_I4)):
        is_range = data.take(1) != b"\0"
        first = data.long()
        out.extend((first, data.long() if is_range else first))
    numbers = iter(out)
    return zip(numbers, numbers, strict=True)


def _keys(data: _Bytes) -> list[str]:
    """Return the texts of a HashSet in Java's serialisation: they follow its block of 12 bytes."""
    inside = _Bytes(data.take(data.number(_I4)))
    inside.take(max(inside.data.find(b"\x77\x0c"), 0) + 10)
    count, out = inside.number(_I4), []
    while len(out) < count and inside.take(1) == b"\x74":
        out.append(inside.text())
    return out


def _shown(name: Name) -> str:
    return f"{name[0].lower().replace('_', '-')} {name[1]}"


class Evidence:
    """An index against the journal beside it: made before the journal is gone through, asked afterwards."""

    def __init__(self, files: Files) -> None:
        self._index: Index | None = None
        self._why = ""
        #: How many messages took effect by records that the index covers, once the pass is beyond them.
        self._mark: int | None = None
        self._found_last = False
        if INDEX in files:
            try:
                self._index = Index(files[INDEX], files.get(REDO))
            except Unusable as found:
                self._why = str(found)

    def passes(self, place: Place, store: Store) -> None:
        """Take in that the record at a place is the next one that `store` takes."""
        if self._index is None:
            return
        self._found_last |= place == self._index.last_update
        if self._mark is None and not self._index.covers(place):
            self._mark = store.number

    def covers(self, place: Place) -> bool:
        """Tell whether the index covers a record."""
        return self._index is not None and self._index.covers(place)

    def compare(
        self, store: Store, log: Log, later: Callable[[], Iterable[Later]]
    ) -> tuple[list[Missing], list[Note]]:
        """Return what is missing by the index, and what else it tells.

        `store` is the state by the journal alone; `later` gives the commands that the index does not cover.
        """
        if self._index is None:
            return [], [Note("index-unusable", INDEX, text=self._why)] if self._why else []
        mark = store.number if self._mark is None else self._mark
        try:
            found = _Comparison(self._index, store, log, mark)
        except Unusable as why:
            code = "index-disagrees" if isinstance(why, Contradiction) else "index-unusable"
            return [], [Note(code, INDEX, text=str(why))]
        if found.lost or found.only:
            found.without(later(), store)
        missing = list(found.missing(log))
        if not missing and self._index.last_update is not None and not self._found_last:
            found.strays += 1
        return missing, [Note("index", INDEX, text=_about(self._index)), *found.notes(store, log, bool(missing))]


class Log(NamedTuple):
    """What there is of a journal: where the log of each file ends, by its id; whether a message begins
    at a place; whether regions are dropped."""

    ends: Mapping[int, int]
    adds: Callable[[Place], bool]
    damaged: bool


#: A command that the index does not cover: its name, and what it is about.
Later = tuple[str, Change, TxId | None]


class _Comparison:
    """The differences between an index and the state by the journal alone."""

    def __init__(self, index: Index, store: Store, log: Log, mark: int) -> None:
        self._index = index
        #: messages that the index has in files that are gone, or beyond a log's end, and the ids of these files
        self.lost: dict[tuple[Name, str], Place] = {}
        self._referred: set[int] = set()
        #: subscriptions that the journal does not have, and what each is owed
        self.only: dict[tuple[Name, str], int] = {}
        #: messages that the journal has and the index, which covers them, has not
        self.hidden: dict[Name, set[str]] = {}
        self.strays = 0
        names = set()
        for roots in index.destinations():
            names.add(roots.name)
            here = store.destinations.get(roots.name)
            left = _before(here, mark)
            numbers = array("q")
            for number, ident, place in index.messages(roots):
                left.discard(ident)
                if roots.subscriptions is not None:
                    numbers.append(number)
                if place[1] >= log.ends.get(place[0], 0):
                    self.lost[roots.name, ident] = place
                    self._referred.add(place[0])
                elif not log.adds(place):
                    self.strays += 1
            # Versions 1 and 2 know no single acknowledgements of a topic's messages.
            if left and (roots.subscriptions is None or index.version > 2):
                self.hidden[roots.name] = left
            for key, owed in index.pending(roots, numbers):
                if here is None or key not in here.subscriptions:
                    self.only[roots.name, key] = owed
        for name, here in store.destinations.items():
            if name not in names and (left := _before(here, mark)):
                self.hidden[name] = left

    def without(self, later: Iterable[Later], store: Store) -> None:
        """Leave out what ended after the index was written (KHD-IDX-006)."""
        gone = set()
        for command, change, tx in later:
            if command == "REMOVE_DESTINATION":
                gone.add(change.destination)
            elif command == "SUBSCRIPTION" and change.subscription is not None:
                self.only.pop((change.destination, change.subscription), None)
            elif command == "REMOVE_MESSAGE" and tx not in store.open and tx not in store.prepared:
                self.lost.pop((change.destination, change.message_id), None)
        self.lost = {key: place for key, place in self.lost.items() if key[0] not in gone}
        self.only = {key: owed for key, owed in self.only.items() if key[0] not in gone}

    def missing(self, log: Log) -> Iterator[Missing]:
        """Yield what should be there (KHD-IDX-001, KHD-IDX-002)."""
        counts = dict.fromkeys(self._referred, 0)
        for file, _ in self.lost.values():
            counts[file] = counts.get(file, 0) + 1
        for place in (self._index.last_update, self._index.in_progress):
            if place is not None and place[1] >= log.ends.get(place[0], 0):
                counts.setdefault(place[0], 0)
        last = self._index.last_update
        for file, count in sorted(counts.items()):
            name = f"db-{file}.log"
            if file in log.ends:
                yield Missing("records", name, INDEX, log.ends[file], count, _BEYOND)
            else:
                of_last = last is not None and file == last[0]
                yield Missing("file", name, INDEX, None, count, _NO_LAST if of_last else _NO_FILE)

    def notes(self, store: Store, log: Log, incomplete: bool) -> Iterator[Note]:
        """Yield what else the two differ in, and what follows for the index (KHD-IDX-007)."""
        if self.strays and not incomplete:
            where = "in what is dropped" if log.damaged else "elsewhere: the two are of different moments"
            yield Note("index-disagrees", INDEX, text=f"{self.strays} of its places in the journal are {where}")
        if self.only:
            listed = [
                f"{key} of {_shown(name)}, {owed} pending" for (name, key), owed in sorted(self.only.items())
            ]
            rest = f"; {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
            yield Note("index-only-subscription", INDEX, text="; ".join(listed[:_LISTED]) + rest)
        open_acks: dict[Name, set[str]] = {}
        for change in (change for changes in store.open.values() for change in changes):
            if change.command == "REMOVE_MESSAGE":
                open_acks.setdefault(change.destination, set()).add(change.message_id)
        unsure = incomplete or log.damaged or missing_numbers(sorted(log.ends))
        for name, idents in sorted(self.hidden.items()):
            acked = idents & open_acks.get(name, set())
            rest = len(idents) - len(acked)
            total = len(store.destinations[name].messages)
            if acked:
                text = f"{len(acked)} of {_shown(name)}: a transaction that has its COMMIT earlier took them"
                yield Note("index-acknowledged", INDEX, text=text)
            if rest and unsure:
                text = f"{rest} of {_shown(name)}: perhaps what acknowledged them is gone, perhaps they are hidden"
                yield Note("index-acknowledged", INDEX, text=text)
            elif rest:
                text = f"{rest} of {_shown(name)}: the journal has {total}, db.data shows {total - rest}"
                yield Note("index-hides", INDEX, text=text)


_NO_FILE = (
    'a start of ActiveMQ ends with "Detected missing/corrupt journal files" (or "Detected missing journal files"); '
    "with ignoreMissingJournalfiles=true it drops these messages"
)
_NO_LAST = (
    'a start of ActiveMQ ends with "Could not locate data file", with ignoreMissingJournalfiles=true, too; '
    "without db.data it starts with what the other files hold"
)
_BEYOND = (
    "these messages are lost: ActiveMQ 5.8 and earlier end the first start with an exception, later ones say "
    '"Rolled back ... messages from the index"'
)


def _about(index: Index) -> str:
    text = f"store version {index.version} (ActiveMQ {_RELEASES[index.version - 1]})"
    if index.openwire:
        text += f", OpenWire {index.openwire}"
    if index.last_update is not None:
        text += f", last update at db-{index.last_update[0]}.log:{index.last_update[1]}"
    if index.openwire != _OPENWIRE:
        text += f"; ActiveMQ 5.12 and later need storeOpenWireVersion={index.openwire or 6} to start without it"
    return text


def _before(here: Destination | None, mark: int) -> set[str]:
    """Return the messages of a destination that took effect up to a number."""
    if here is None:
        return set()
    return {ident for ident, packed in here.messages.items() if number_of(packed) <= mark}
