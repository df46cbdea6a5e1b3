"""The index next to a journal, `db.data` with `db.redo`: its pages, trees and lists (KHD-IDX).

Only pages that a tree refers to are read, each page once. Entries are streamed, not kept in memory. No
checksum protects an index, so it is evidence only if its three trees of messages agree.
"""

from __future__ import annotations

import re
import struct
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from journalspec.kahadb_journal.commands import KINDS
from journalspec_reference.ids import Ids
from journalspec_reference.kahadb_journal.codec import CommandError, varint
from journalspec_reference.kahadb_journal.store import Name

INDEX, REDO = "db.data", "db.redo"
#: Sizes in bytes: both header copies; the header of a page; the largest object; the largest redo file.
_HEADER, _HEAD, _OBJECT, _REDO = 4096, 21, 1 << 26, 1 << 28
#: The usual size of a page (bytes).
_USUAL = 4096
_FREE, _PART, _END = 0, 1, 2
#: Maps store versions to the editions whose products write them (KHD-IDX-009).
EDITIONS: Mapping[int, tuple[str, ...]] = {
    **dict.fromkeys((1, 2, 3, 4, 5), ("5.3",)),
    6: ("5.12", "5.14", "5.15.1", "5.15.2"),
    7: ("5.16",),
}
_SIZES = range(_HEAD + 1, (1 << 24) + 1)
_PAGE, _REDO_HEAD = struct.Struct(">Bqqi"), struct.Struct(">qqi")
_I2, _U2, _I4, _I8 = (struct.Struct(f">{kind}") for kind in "hHiq")
_PLACE, _SIZED_PLACE, _NUMBERED = struct.Struct(">ii"), struct.Struct(">iii"), struct.Struct(">qii")
#: The highest possible number of a message.
_MOST_NUMBER = (1 << 63) - 1
#: A position in the journal: the id of a file and an offset.
Place = tuple[int, int]


class UnusableIndex(Exception):  # This is not an error, but a possible result of examining an index.
    """The index cannot be used as evidence. The text says why (KHD-IDX-003)."""


class ContradictoryIndex(UnusableIndex):  # This exception is not an error either.
    """The index contradicts itself. No product detects this."""


class _Bytes:
    """The bytes of one object, consumed from the front."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        if not 0 <= size <= len(self.data) - self.at:
            raise UnusableIndex("an entry reaches beyond its page")
        self.at += size
        return self.data[self.at - size : self.at]

    def numbers(self, form: struct.Struct) -> tuple[int, ...]:
        try:
            found = form.unpack_from(self.data, self.at)
        except struct.error:
            raise UnusableIndex("an entry reaches beyond its page") from None
        self.at += form.size
        return found

    def number(self, form: struct.Struct) -> int:
        return self.numbers(form)[0]

    def text(self) -> str:
        """Return a string of Java's modified UTF-8."""
        return self.texts(1)[0][0]

    def texts(self, count: int, behind: int = 0) -> tuple[Sequence[str], bytes]:
        """Return `count` strings, and the joined `behind` bytes that are stored after each string."""
        # An index contains a text for each message, so one fast loop reads all texts of a node.
        data, at, found, rest = self.data, self.at, list[bytes](), list[bytes]()
        try:
            for _ in range(count):
                end = at + _U2.size + (data[at] << 8 | data[at + 1])
                found.append(data[at + _U2.size : end])
                at = end + behind
                rest.append(data[end:at])
        except IndexError:
            at = len(data) + 1
        if at > len(data):
            raise UnusableIndex("an entry reaches beyond its page")
        self.at = at
        try:
            if all(map(bytes.isascii, found)):
                return [*map(bytes.decode, found)], b"".join(rest)
            return [*map(_unmodified, found)], b"".join(rest)
        except UnicodeDecodeError:
            raise UnusableIndex("a text is not modified UTF-8") from None

    def count(self, form: struct.Struct) -> int:
        """Read a number of entries. Raises UnusableIndex if it is negative (KHD-IDX-015)."""
        count = self.number(form)
        if count < 0:
            raise UnusableIndex("a number of entries is negative")
        return count

    def long(self) -> int:
        return self.numbers(_I8)[0]

    def longs(self, count: int) -> Sequence[int]:
        return self.numbers(struct.Struct(f">{count}q"))

    def places(self, count: int, form: struct.Struct) -> Sequence[Place]:
        width = form.size // _I4.size
        found = self.numbers(struct.Struct(f">{count * width}i"))
        files, offs = found[::width], found[1::width]
        if min((*files, *offs), default=0) < 0:
            raise UnusableIndex("a place in the journal is negative")
        return [*zip(files, offs, strict=True)]

    def place(self) -> Place:
        file, off = self.numbers(_PLACE)
        if file < 0 or off < 0:
            raise UnusableIndex("a place in the journal is negative")
        return file, off

    def optional_place(self) -> Place | None:
        return self.place() if self.take(1) != b"\0" else None

    @property
    def left(self) -> int:
        return len(self.data) - self.at


def _unmodified(raw: bytes) -> str:
    units = raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


#: A function that reads a given number of keys or values of a node.
Take = Callable[[_Bytes, int], Sequence[Any]]


def _each(take: Callable[[_Bytes], Any]) -> Take:
    """Return a function that reads keys or values one by one."""
    return lambda node, count: [take(node) for _ in range(count)]


def _texts(node: _Bytes, count: int) -> Sequence[str]:
    return node.texts(count)[0]


def _named(node: _Bytes, count: int, form: struct.Struct) -> tuple[Sequence[str], Sequence[Place]]:
    """Read message ids, and the position of each message."""
    idents, places = node.texts(count, form.size)
    return idents, _Bytes(places).places(count, form)


class _Pages:
    """The page file. It contains objects, by the number of their first page."""

    def __init__(self, data: Any, redo: Any) -> None:
        self._data = data
        header = _header(data)
        try:
            self.size = int(header.get("pageSize", ""))
        except ValueError:
            raise UnusableIndex("its header has no page size") from None
        if self.size not in _SIZES:
            raise UnusableIndex(f"its header says that a page has {self.size} bytes")
        self._count = (len(data) - _HEADER) // self.size
        #: Maps a page to the offset of its image in `redo` (KHD-IDX-004).
        self._images: dict[int, int] = {}
        self._redo = redo
        if redo is not None and header.get("cleanShutdown", "").lower() != "true":
            self._images = _images(redo, self.size)
        self._seen = Ids()

    def forget(self) -> None:
        """Forget which pages were read, so that each can be read again."""
        self._seen = Ids()

    def _page(self, number: int, size: int) -> bytes:
        if number in self._images:
            return bytes(self._redo[self._images[number] : self._images[number] + size])
        if not 0 <= number < self._count:
            raise UnusableIndex(f"it refers to page {number}, and has {self._count} pages")
        at = _HEADER + number * self.size
        return bytes(self._data[at : at + size])

    def object(self, number: int) -> _Bytes | None:
        """Return the object that begins on a page; None if the page is free."""
        out = bytearray()
        while True:
            # The remaining bytes of a free page are not read, because many roots can lead to it.
            start = self._page(number, min(self.size, _USUAL))
            kind, _, after, _ = _PAGE.unpack_from(start)
            if kind == _FREE and not out:
                return None
            if number in self._seen:
                raise UnusableIndex(f"it uses page {number} twice")
            self._seen.add(number)
            if kind == _END and _HEAD <= after <= self.size:
                data = start[:after] if after <= len(start) else self._page(number, after)
                return _Bytes(bytes(out) + data[_HEAD:])
            if kind != _PART or len(out) > _OBJECT:
                raise UnusableIndex(f"page {number} is damaged")
            out += self._page(number, self.size)[_HEAD:]
            number = after

    def tree(self, root: int, key: Take, value: Take) -> Iterator[tuple[Any, Any]]:
        """Yield the entries of a BTree."""
        for keys, values in self.leaves(root, key, value):
            yield from zip(keys, values, strict=True)

    def leaves(self, root: int, key: Take, value: Take) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
        """Yield the keys and the values of each leaf of a BTree."""
        node = self.object(root)
        waiting: list[Iterator[int]] = []
        while node is not None:
            count = node.count(_I2)
            keys = key(node, count)
            if node.take(1) != b"\0":
                waiting.append(iter(node.longs(count + 1)))
            else:
                values = value(node, count)
                node.long()  # The next leaf is not needed, but it must exist.
                yield keys, values
            child = None
            while waiting and (child := next(waiting[-1], None)) is None:
                waiting.pop()
            if child is None:
                return
            node = self.object(child)
            if node is None:
                raise UnusableIndex(f"page {child} of a tree is empty")

    def list(
        self, root: int, key: Callable[[_Bytes], Any], value: Callable[[_Bytes], Any]
    ) -> Iterator[tuple[Any, Any]]:
        """Yield the entries of a list."""
        while root != -1:
            node = self.object(root)
            if node is None:
                return
            root = node.long()
            for _ in range(node.count(_I2)):
                yield key(node), value(node)


def _header(data: Any) -> dict[str, str]:
    """Return the properties of the valid header copy (KHD-IDX-005)."""
    copies = []
    for at in (0, _HEADER // 2):
        text = bytes(data[at : at + _HEADER // 2]).decode("latin-1")
        copies.append(dict(re.findall(r"^(\w+)=(\S*)\s*$", text, re.MULTILINE)))
    ids = [found.get("metaDataTxId", "") for found in copies]
    return copies[0] if ids[0] == ids[1] and ids[0].isdecimal() else copies[1]


def _images(redo: Any, size: int) -> dict[int, int]:
    """Return the offsets of the page images in a redo file. Return none unless it is complete."""
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


def shown(name: Name) -> str:
    """Return a destination as a text for messages."""
    return f"{name[0].lower().replace('_', '-')} {name[1]}"


class Roots(NamedTuple):
    """Represents one destination of the index, with the first pages of its trees and lists."""

    name: Name
    orders: tuple[int, ...]
    location: int
    ids: int
    subscriptions: int | None = None
    acknowledged: int = 0
    positions: int = 0


class Index:
    """An index with a readable first page; `redo` is the file db.redo, if there is one."""

    def __init__(self, data: Any, redo: Any = None) -> None:
        self.pages = _Pages(data, redo)
        first = self.pages.object(0)
        if first is None:
            raise UnusableIndex("its first page is empty")
        first.take(_I4.size)
        self._root = first.long()
        self.last_update, self.in_progress = first.optional_place(), first.optional_place()
        self.version, self.openwire = 1, 0
        #: The positions of two records: the audit of producers, and the map of acknowledgements.
        self.audit: Place | None = None
        self.acknowledgements: Place | None = None
        if first.left:
            self.audit = first.optional_place()
            self.version = first.number(_I4)
        if self.version not in EDITIONS:
            raise UnusableIndex(f"its version {self.version} is not known")
        if self.version >= 5:
            self.acknowledgements = first.optional_place()
            self.openwire = first.number(_I4)

    @property
    def bound(self) -> Place:
        """The position before which a start of the product replays no record, because the index covers these
        records (KHD-IDX-019).
        """
        if self.in_progress is not None:
            return self.in_progress
        return (self.last_update[0], self.last_update[1] + 1) if self.last_update is not None else (0, 0)

    def destinations(self) -> Iterator[Roots]:
        """Yield the destinations."""
        names = set[Name]()
        for name, roots in self.pages.tree(self._root, _each(self._name), _each(self._roots)):
            if name in names:
                raise UnusableIndex(f"it has {shown(name)} twice")
            names.add(name)
            yield roots._replace(name=name)

    @staticmethod
    def _name(data: _Bytes) -> Name:
        kind, _, name = data.text().partition(":")
        if kind not in ("0", "1", "2", "3"):
            raise UnusableIndex("a destination is of no known kind")
        return KINDS[int(kind)], name

    def _roots(self, data: _Bytes) -> Roots:
        order, location, ids = data.long(), data.long(), data.long()
        topic: tuple[int, ...] = ()
        if data.take(1) != b"\0":
            topic = data.long(), data.long(), data.long() if self.version >= 3 else 0
            if self.version >= 5:
                data.long()
        others = (data.long(), data.long()) if self.version >= 2 else ()
        if self.version >= 7:
            data.long()
        return Roots(("", ""), (order, *others), location, ids, *topic)

    def messages(self, roots: Roots) -> Iterator[tuple[Sequence[int], Sequence[str], Sequence[Place]]]:
        """Yield the messages of a destination: the numbers, ids and places in each leaf of a tree.

        At the end, raises ContradictoryIndex if the trees differ.

        The trees are compared by sums of hashes, which do not depend on the order of entries. Bytes and texts
        are hashed, not tuples: sums of tuple hashes are often equal if two entries have swapped their
        numbers.
        """
        places = ids = 0
        form = _SIZED_PLACE if self.version >= 6 else _PLACE
        for root in roots.orders:
            for numbers, (named, at) in self.pages.leaves(root, _Bytes.longs, partial(_named, form=form)):
                places += _sum_of_places(numbers, at)
                ids += _sum_of_ids(numbers, named)
                yield numbers, named, at
        for at, numbers in self.pages.leaves(roots.location, partial(_Bytes.places, form=form), _Bytes.longs):
            places -= _sum_of_places(numbers, at)
        for named, numbers in self.pages.leaves(roots.ids, _texts, _Bytes.longs):
            ids -= _sum_of_ids(numbers, named)
        if places or ids:
            raise ContradictoryIndex(f"its trees contradict each other about {shown(roots.name)}")

    def needed(self, roots: Roots) -> Iterator[tuple[str, array[int]]]:
        """Yield each subscription of a topic, and the (first, last) ranges of numbers that it needs."""
        if roots.subscriptions is None:
            return
        if self.version >= 4:
            yield from self.pages.list(roots.positions, _Bytes.text, _ranges)
        elif self.version == 3:
            found: dict[str, array[int]] = {}
            for number, keys in self.pages.tree(roots.positions, _Bytes.longs, _each(_keys)):
                for key in keys:
                    found.setdefault(key, array("q")).extend((number, number))
            yield from found.items()
        else:
            for key, last in self.pages.tree(roots.acknowledged, _texts, _Bytes.longs):
                yield key, array("q", (min(last, _MOST_NUMBER - 1) + 1, _MOST_NUMBER))

    def subscriptions(self, roots: Roots) -> Iterator[tuple[str, bytes]]:
        """Yield the subscriptions of a topic, each with the message of its command."""
        if roots.subscriptions is not None:
            yield from self.pages.tree(roots.subscriptions, _texts, _each(_command))

    def pending(self, roots: Roots, numbers: Iterable[int]) -> Iterator[tuple[str, int]]:
        """Yield each subscription of a topic, and the number of the given messages that it needs."""
        there, owed = sorted(numbers), dict[str, int]()
        for key, ranges in self.needed(roots):
            both = zip(ranges[::2], ranges[1::2], strict=True)
            owed[key] = sum(bisect_right(there, last) - bisect_left(there, first) for first, last in both)
        for key, _ in self.subscriptions(roots):
            yield key, owed.get(key, 0)


def _sum_of_places(numbers: Sequence[int], places: Sequence[Place]) -> int:
    return sum(map(hash, map(_NUMBERED.pack, numbers, *zip(*places, strict=True))))


def _sum_of_ids(numbers: Sequence[int], ids: Sequence[str]) -> int:
    return sum([hash(f"{number} {ident}") for number, ident in zip(numbers, ids, strict=True)])


def is_in(ranges: array[int], number: int) -> bool:
    """Return whether a number is in one of the ranges that :meth:`Index.needed` yields."""
    at = bisect_left(ranges, number)
    # An odd insertion point is between the first and the last number of a range.
    return bool(at % 2) or (at < len(ranges) and ranges[at] == number)


def _command(data: _Bytes) -> bytes:
    try:
        size, data.at = varint(data.data, data.at)
    except CommandError as error:
        raise UnusableIndex(str(error)) from None
    return data.take(size)


def _ranges(data: _Bytes) -> array[int]:
    """Read a SequenceSet. Return first and last number of each range."""
    out = array("q")
    for _ in range(data.count(_I4)):
        is_range = data.take(1) != b"\0"
        first = data.long()
        out.extend((first, data.long() if is_range else first))
    return out


def _keys(data: _Bytes) -> list[str]:
    """Return the texts of a HashSet in Java's serialisation, where they follow a block of 12 bytes."""
    inside = _Bytes(data.take(data.number(_I4)))
    inside.take(max(inside.data.find(b"\x77\x0c"), 0) + 10)
    count = inside.count(_I4)
    out: list[str] = []
    while len(out) < count and inside.take(1) == b"\x74":
        out.append(inside.text())
    return out
