"""The naive reader of an index: it first reads all parts into lists, and compares them afterwards.

It is written from the specification, and shares no code with the reference (see
:mod:`journalspec_corpus.naive`).
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from journalspec.kahadb_journal.commands import KINDS
from journalspec_corpus.kahadb_journal.model import tx_of
from journalspec_corpus.naive import Files, Invalid, Scanned, Taker, end_of, require

#: File id and offset.
Place = tuple[int, int]


def _pages(files: Files) -> dict[int, bytes]:
    """Return the pages by number, including pages of the redo file (KHD-IDX-004, KHD-IDX-005)."""
    data = bytes(files["db.data"])
    headers = []
    for part in (data[:2048], data[2048:4096]):
        lines = [line.rstrip() for line in part.decode("latin-1").split("\n")]
        pairs = (line.partition("=") for line in lines if not re.search(r"\s", line))
        headers.append({key: value for key, _, value in pairs})
    first, second = headers
    known = re.fullmatch("[0-9]+", first.get("metaDataTxId", ""))
    header = first if known and first["metaDataTxId"] == second.get("metaDataTxId") else second
    require(re.fullmatch("[0-9]+", header.get("pageSize", "")) is not None, "no page size")
    size = int(header["pageSize"])
    require(21 < size <= 1 << 24, "no page size")
    pages = {at: data[4096 + at * size :][:size] for at in range((len(data) - 4096) // size)}
    redo = bytes(files.get("db.redo", b""))
    if header.get("cleanShutdown", "").lower() != "true" and len(redo) >= 4096:
        stored, count = int.from_bytes(redo[8:16], "big"), int.from_bytes(redo[16:20], "big", signed=True)
        images = [redo[4096 + at * (8 + size) :][: 8 + size] for at in range(max(0, count))]
        whole = all(len(image) == 8 + size for image in images)
        if whole and zlib.adler32(b"".join(image[8:] for image in images)) == stored:
            pages |= {int.from_bytes(image[:8], "big"): image[8:] for image in images}
    return pages


class _Tree:
    """The content of the pages. A page may be read only once."""

    def __init__(self, pages: Mapping[int, bytes]) -> None:
        self.pages, self.used = pages, set[int]()

    def stored(self, number: int) -> Taker | None:
        out = b""
        while True:
            require(number in self.pages, "no such page")
            page = self.pages[number]
            after = int.from_bytes(page[9:17], "big", signed=True)
            if not out and page[0] == 0:
                return None
            require(number not in self.used, "a page twice")
            self.used.add(number)
            require(page[0] == 1 or (page[0] == 2 and 21 <= after <= len(page)), "damaged")
            if page[0] == 2:
                return Taker(out + page[21:after])
            out, number = out + page[21:], after

    def entries(self, number: int, key: Any, value: Any, *, root: bool = True) -> list[tuple[Any, Any]]:
        node = self.stored(number)
        if node is None:
            require(root, "a child is empty")
            return []
        keys = [key(node) for _ in range(_count(node))]
        if node.take(1) == b"\0":
            found = [(found, value(node)) for found in keys]
            node.number(8)  # The next leaf.
            return found
        children = [node.number(8) for _ in range(len(keys) + 1)]
        return [entry for child in children for entry in self.entries(child, key, value, root=False)]


def _count(node: Taker, width: int = 2) -> int:
    count = node.number(width)
    require(count >= 0, "a negative number of entries")
    return count


def _text(node: Taker) -> str:
    raw = node.take(node.number(2, signed=False)).replace(b"\xc0\x80", b"\0")
    return raw.decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _place(node: Taker) -> Place:
    place = node.number(4), node.number(4)
    require(min(place) >= 0, "a negative place")
    return place


def _long(node: Taker) -> int:
    return node.number(8)


def _command(node: Taker) -> None:
    """Take a message that is stored after its length."""
    size = shift = 0
    while True:
        byte = node.number(1, signed=False)
        size |= (byte & 0x7F) << shift
        shift += 7
        require(byte < 0x80 or shift < 70, "a varint that does not end")
        if byte < 0x80:
            node.take(size & (1 << 64) - 1)
            return


def _owners(node: Taker) -> list[str]:
    """Take a Java set of texts, stored after its length; its size ends the 12 bytes before the texts."""
    raw = node.take(node.number(4))
    inside = Taker(raw[max(raw.find(b"\x77\x0c"), 0) + 10 :])
    out: list[str] = []
    for _ in range(_count(inside, 4)):
        if inside.take(1) != b"t":
            break
        out.append(_text(inside))
    return out


class _Index:
    """The content of an index that can prove losses. Raises Invalid if it proves nothing (KHD-IDX-003)."""

    def __init__(self, files: Files) -> None:
        trees = _Tree(_pages(files))
        first = trees.stored(0)
        if first is None:
            raise Invalid("the first page is empty")
        first.take(4)
        root = first.number(8)
        self.last, self.first = (_place(first) if first.take(1) != b"\0" else None for _ in range(2))
        self.version = 1
        if first.at < len(first.data):
            if first.take(1) != b"\0":
                _place(first)
            self.version = first.number(4)
        require(1 <= self.version <= 7, "unknown version")
        if self.version >= 5:
            if first.take(1) != b"\0":
                _place(first)
            first.take(4)
        #: Messages, each with its destination, number and position.
        self.messages: list[tuple[tuple[str, str], str, int, Place]] = []
        #: The subscriptions of a topic, each with the ranges (first, last) of message numbers that it needs.
        self.needs: dict[tuple[str, str], list[tuple[str, int, int]]] = {}
        entries = trees.entries(root, _text, self._roots)
        require(len(entries) == len({name for name, _ in entries}), "a destination twice")
        for name, value in entries:
            kind, _, text = name.partition(":")
            require(kind in ("0", "1", "2", "3"), "unknown kind")
            orders, location, ids, topic = value
            found = [entry for order in orders for entry in trees.entries(order, _long, self._keys)]
            places = trees.entries(location, self._stored, _long)
            by_id = trees.entries(ids, _text, _long)
            require(
                Counter((at, number) for number, (_, at) in found) == Counter(places)
                and Counter((ident, number) for number, (ident, _) in found) == Counter(by_id),
                "trees differ",
            )
            of = KINDS[int(kind)], text
            if topic:
                self.needs[of] = list(self._subscriptions(trees, *topic))
            self.messages += [(of, ident, number, at) for number, (ident, at) in found]

    def _subscriptions(
        self, trees: _Tree, keys: int, last: int, pending: int
    ) -> Iterator[tuple[str, int, int]]:
        """Yield the messages that subscriptions need; all other structures of a topic must be readable."""
        if self.version >= 4:
            while pending != -1 and (node := trees.stored(pending)) is not None:
                pending = node.number(8)
                for _ in range(_count(node)):
                    key = _text(node)
                    for _ in range(_count(node, 4)):
                        two = node.take(1) != b"\0"
                        first = node.number(8)
                        yield key, first, node.number(8) if two else first
        elif self.version == 3:
            for number, owners in trees.entries(pending, _long, _owners):
                yield from ((key, number, number) for key in owners)
        else:
            for key, number in trees.entries(last, _text, _long):
                yield key, number + 1, 1 << 63
        trees.entries(keys, _text, _command)

    def _stored(self, node: Taker) -> Place:
        place = _place(node)
        node.take(4 if self.version >= 6 else 0)
        return place

    def _keys(self, node: Taker) -> tuple[str, Place]:
        return _text(node), self._stored(node)

    def _roots(self, node: Taker) -> tuple[list[int], int, int, list[int]]:
        order, location, ids = node.number(8), node.number(8), node.number(8)
        topic = []
        if node.take(1) != b"\0":
            topic = [node.number(8), node.number(8), node.number(8) if self.version >= 3 else 0]
            node.take(8 if self.version >= 5 else 0)
        others = [node.number(8), node.number(8)] if self.version >= 2 else []
        node.take(8 if self.version >= 7 else 0)
        return [order, *others], location, ids, topic

    def covers(self, place: Place) -> bool:
        if self.first is not None:
            return place < self.first
        return self.last is not None and place <= self.last


def missing(
    files: Files, found: Sequence[tuple[Scanned, Sequence[Any]]], unfinished: Sequence[Any]
) -> list[dict[str, Any]]:
    """Return the missing items that the index next to the scanned files proves (KHD-IDX-001, 002 and 006).

    Each file is given with its records that are live (KHD-RCV-012); `unfinished` contains the transactions
    that did not end.
    """
    if "db.data" not in files:
        return []
    try:
        index = _Index(files)
    except (Invalid, UnicodeDecodeError):
        return []
    ends = {_id(file.name): max([0, *map(end_of, file.records)]) for file, _ in found}
    gone = _taken_away(index, found, unfinished)
    counts: Counter[int] = Counter()
    for place in (index.last, index.first):
        if place is not None and place[1] >= ends.get(place[0], 0):
            counts[place[0]] += 0
    for name, ident, number, (file, off) in index.messages:
        if off >= ends.get(file, 0):
            owners = [key for key, first, last in index.needs.get(name, ()) if first <= number <= last]
            acked = bool(owners) and all((name, ident, key) in gone for key in owners)
            counts[file] += not acked and name not in gone and (name, ident, None) not in gone
    out = []
    for number, count in sorted(counts.items()):
        code = {"code": "records", "off": ends[number]} if number in ends else {"code": "file"}
        out.append({**code, "name": f"db-{number}.log", "file": "db.data", "count": count})
    return out


def _taken_away(
    index: _Index, found: Sequence[tuple[Scanned, Sequence[Any]]], unfinished: Sequence[Any]
) -> set[Any]:
    """Return the destinations and messages that are removed by records after the index.

    A message is given with the key of its subscription, or None.
    """
    gone: set[Any] = set()
    for file, records in found:
        for record in records:
            if "stored" not in record or index.covers((_id(file.name), int(record["at"]["off"]))):
                continue
            where = record.get("destination", {})
            name = where.get("kind"), where.get("name")
            if record["type"] == "REMOVE_DESTINATION":
                gone.add(name)
            if record["type"] == "REMOVE_MESSAGE" and tx_of(record["stored"][1]) not in unfinished:
                gone.add((name, record["message_id"], record.get("subscription_key")))
    return gone


def _id(name: str) -> int:
    return int(name[3:-4])
