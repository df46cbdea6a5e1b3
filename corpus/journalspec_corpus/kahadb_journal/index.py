"""A writer of small indexes, `db.data` and `db.redo`; it shares no code with the reference's reader.

A base contains a table ``index``. Its keys are ``messages`` (labels of the records in the index), ``last``
and ``first`` (labels of the last indexed record and of the first transaction in progress). ``audit`` and
``acks`` are labels of the records to which the positions of these names refer; by default these positions are
absent. The default ``version`` is the edition's. ``subscriptions`` lists pending messages: ``{ "t:key" =
["r3"] }``; ``tt=t:key`` belongs to a temporary topic. ``clean`` is true by default. ``most`` is the greatest
number of entries in a node, ``start`` the lowest number of a message, ``gap`` the number of the third used
page; pages between page 1 and this page are not used. By default, a page of ``page_size`` bytes has room for
the longest object. ``redo`` lists the pages that are only in `db.redo`; in `db.data` they are zeros. Labels:
``i.header1``, ``i.header2``, ``i.page0`` ..., and ``redo``.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from journalspec import mutf8
from journalspec.kahadb_journal.commands import KINDS
from journalspec_corpus.edits import Built, Range

NAME, REDO = "db.data", "db.redo"
_VERSIONS = {"5.3": 4, "5.12": 6, "5.14": 6, "5.15.1": 6, "5.15.2": 6}
_NONE = -1
#: The largest page, which has room for every object; the default page length is a multiple of _STEP.
_LARGEST, _STEP = 1 << 24, 64
Entries = Sequence[tuple[bytes, bytes]]


def _int(value: int, width: int = 8) -> bytes:
    return value.to_bytes(width, "big", signed=True)


def _text(value: str) -> bytes:
    raw = mutf8.encode(value)
    return len(raw).to_bytes(2, "big") + raw


def _leaf(entries: Entries, after: int = _NONE) -> bytes:
    """Return a leaf of a tree; `after` is the page of the next leaf."""
    keys, values = [key for key, _ in entries], [value for _, value in entries]
    return b"".join([_int(len(entries), 2), *keys, b"\0", *values, _int(after)])


class _Writer:
    """Pages under construction: page 0 describes the store, page 1 is the root of the destinations."""

    def __init__(self, version: int, size: int, given: Mapping[str, Any]) -> None:
        self.version, self.size = version, size
        self.most, self.start = given.get("most", 1000), given.get("start", 0)
        self.pages: list[bytes] = [b""] * given.get("gap", 2)

    def put(self, content: bytes, at: int | None = None) -> int:
        """Store an object, beginning on page `at` or a new page; return the number of that page."""
        room = self.size - 21
        if at is None:
            at = len(self.pages)
            self.pages.append(b"")
        if len(content) > room:
            after = self.put(content[room:])
            self.pages[at] = b"\1" + _int(1) + _int(after) + _int(0, 4) + content[:room]
        else:
            self.pages[at] = b"\2" + _int(1) + _int(21 + len(content)) + _int(0, 4) + content
        return at

    def tree(self, entries: Entries) -> bytes:
        """Return the root of a tree whose nodes have at most `most` keys; the other nodes are stored."""
        groups = [entries[at : at + self.most] for at in range(0, len(entries), self.most)] or [entries]
        if len(groups) == 1:
            return _leaf(entries)
        nodes: list[tuple[bytes, bytes]] = []
        after = _NONE
        for group in reversed(groups):
            after = self.put(_leaf(group, after))
            nodes.insert(0, (group[0][0], _int(after)))
        while True:
            parts = [nodes[at : at + self.most + 1] for at in range(0, len(nodes), self.most + 1)]
            branches = [
                (
                    part[0][0],
                    b"".join(
                        [_int(len(part) - 1, 2), *(key for key, _ in part[1:]), b"\1"]
                        + [page for _, page in part]
                    ),
                )
                for part in parts
            ]
            if len(branches) == 1:
                return branches[0][1]
            nodes = [(key, _int(self.put(content))) for key, content in branches]

    def list(self, entries: Entries) -> bytes:
        """Return the first node of a list; the other nodes are stored."""
        after, content = _NONE, _int(_NONE) + _int(0, 2)
        for start in reversed(range(0, len(entries), self.most)):
            part = entries[start : start + self.most]
            content = _int(after) + _int(len(part), 2) + b"".join(key + value for key, value in part)
            after = self.put(content) if start else after
        return content

    def _pending(self, unacked: Mapping[str, Sequence[int]], following: int) -> bytes:
        """Return the pending messages: up to version 3 a tree by message, later a list by subscription."""
        if self.version > 3:
            return self.list(
                [(_text(key), _sequences([*unacked[key], following])) for key in sorted(unacked)]
            )
        numbers = sorted({number for held in unacked.values() for number in held})
        keys = {number: [key for key in sorted(unacked) if number in unacked[key]] for number in numbers}
        return self.tree([(_int(number), _hash_set(keys[number])) for number in numbers])

    def destination(
        self, messages: Sequence[Mapping[str, Any]], unacked: Mapping[str, Sequence[int]] | None
    ) -> bytes:
        """Store the trees of a destination; return its entry."""
        at = [_int(_id(entry["at"]["file"]), 4) + _int(int(entry["at"]["off"]), 4) for entry in messages]
        if self.version >= 6:
            at = [place + _int(int(entry["at"]["len"]), 4) for place, entry in zip(at, messages, strict=True)]
        ids = [_text(entry["message_id"]) for entry in messages]
        numbers = [_int(self.start + number) for number in range(len(messages))]
        keys = [ident + place for ident, place in zip(ids, at, strict=True)]
        priorities = [int(entry.get("priority", 4)) for entry in messages]
        # The default, low and high priorities; version 1 has a single tree for all priorities.
        orders: list[list[tuple[bytes, bytes]]] = [[], [], []]
        for priority, pair in zip(priorities, zip(numbers, keys, strict=True), strict=True):
            tree = (priority < 4) + 2 * (priority > 4) if self.version >= 2 else 0
            orders[tree].append(pair)
        default, low, high = orders
        order = self.put(self.tree(default))
        location = self.put(self.tree(sorted(zip(at, numbers, strict=True))))
        by_id = self.put(self.tree(sorted(zip(ids, numbers, strict=True))))
        out = _int(order) + _int(location) + _int(by_id) + (b"\0" if unacked is None else b"\1")
        if unacked is not None:
            subscriptions = [(_text(key), b"\0") for key in sorted(unacked)]
            acks = [
                (_text(key), _int(_NONE) + (b"\4" if self.version >= 3 else b"")) for key in sorted(unacked)
            ]
            out += _int(self.put(self.tree(subscriptions))) + _int(self.put(self.tree(acks)))
            if self.version >= 3:
                out += _int(self.put(self._pending(unacked, self.start + len(messages))))
            if self.version >= 5:
                out += _int(self.put(self.list([])))
        if self.version >= 2:
            out += _int(self.put(self.tree(low))) + _int(self.put(self.tree(high)))
        if self.version >= 7:
            out += _int(self.put(b"\1" + b"".join(map(_int, (len(messages), 0, 0, 0, 0)))))
        return out


def _hash_set(texts: Sequence[str]) -> bytes:
    """Return a HashSet of strings in Java's serialisation, after its length."""
    inside = bytes.fromhex("aced0005737200116a6176612e7574696c2e48617368536574ba44859596b8b7340300007870770c")
    inside += _int(16, 4) + bytes.fromhex("3f400000") + _int(len(texts), 4)
    inside += b"".join(b"t" + _text(text) for text in texts) + b"x"
    return _int(len(inside), 4) + inside


def _sequences(numbers: Sequence[int]) -> bytes:
    return _int(len(numbers), 4) + b"".join(b"\0" + _int(number) for number in numbers)


def _id(file: str) -> int:
    return int(file.removeprefix("db-").removesuffix(".log"))


def _place(built: Built, given: str | None) -> bytes:
    """Return the encoding of a position that may be absent."""
    if given is None:
        return b"\0"
    at = built.record(given)["at"]
    return b"\1" + _int(_id(at["file"]), 4) + _int(int(at["off"]), 4)


def lay(built: Built, given: Mapping[str, Any], edition: str) -> None:
    """Add the index that a base describes to the files of the base."""
    version = given.get("version", _VERSIONS.get(edition, 7))
    writer = _Writer(version, given.get("page_size", _LARGEST), given)
    found: dict[tuple[int, str], list[Mapping[str, Any]]] = {}
    labels: dict[tuple[int, str], list[str]] = {}
    for label in given.get("messages", ()):
        entry = built.record(label)
        key = KINDS.index(entry["destination"]["kind"]), entry["destination"]["name"]
        found.setdefault(key, []).append(entry)
        labels.setdefault(key, []).append(label)
    unacked: dict[tuple[int, str], dict[str, list[int]]] = {}
    for text, pending in given.get("subscriptions", {}).items():
        topic, _, key = text.partition(":")
        place = (3, topic[3:]) if topic.startswith("tt=") else (1, topic)
        found.setdefault(place, [])
        held = labels.get(place, [])
        unacked.setdefault(place, {})[key] = [writer.start + held.index(label) for label in pending]
    entries = [
        (
            _text(f"{kind}:{name}"),
            writer.destination(messages, unacked.get((kind, name), {}) if kind % 2 else None),
        )
        for (kind, name), messages in sorted(found.items())
    ]
    writer.put(writer.tree(entries), 1)
    first = _int(2, 4) + _int(1) + _place(built, given.get("last")) + _place(built, given.get("first"))
    if version >= 2:
        first += _place(built, given.get("audit")) + _int(version, 4)
    if version >= 5:
        first += _place(built, given.get("acks")) + _int(given.get("openwire", 6 if version == 5 else 11), 4)
    writer.put(first, 0)
    size = given.get("page_size", -(-max(map(len, writer.pages)) // _STEP) * _STEP)
    pages = [page.ljust(size, b"\0") for page in writer.pages]
    lines = ["#", "fileTypeVersion=1", f"pageSize={size}", "freePages=-1", "metaDataTxId=1", "lastTxId=1"]
    header = "\n".join([*lines, f"cleanShutdown={str(given.get('clean', True)).lower()}", ""]).encode()
    data = bytearray(header.ljust(2048) * 2)
    built.labels["i.header1"], built.labels["i.header2"] = Range(NAME, 0, 2048), Range(NAME, 2048, 2048)
    images = [(number, pages[number]) for number in given.get("redo", ())]
    for number, page in enumerate(pages):
        built.labels[f"i.page{number}"] = Range(NAME, len(data), size)
        data += bytes(size) if number in given.get("redo", ()) else page
    built.finish(NAME, "i", data, len(data), b"\0")
    if images:
        total = zlib.adler32(b"".join(page for _, page in images))
        redo = bytearray((_int(2) + _int(total) + _int(len(images), 4)).ljust(4096, b"\0"))
        redo += b"".join(_int(number) + page for number, page in images)
        built.finish(REDO, "redo", redo, len(redo), b"\0")
