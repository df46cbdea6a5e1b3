"""The naive reader: pages in a table, the log done on them, then everything walked from page 0.

Written from the specification and independent of the reference (see :mod:`journalspec_corpus.naive`).
It says nothing of notes and parameters: pages have 2048 bytes.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from struct import unpack
from typing import Any

from construct import Construct, ConstructError

from journalspec import mutf8
from journalspec.observation import CLEAN, RECOVERED
from journalspec.swiftmq_store import ACTIONS
from journalspec.swiftmq_store.schema import BRANCH, MESSAGE
from journalspec_corpus.naive import Files, Scanned, all_expected, asked, refused
from journalspec_corpus.swiftmq_store.author import BRIEF, LOG, PAGE, PAGES
from journalspec_corpus.swiftmq_store.model import PREPARED

FORMAT = "swiftmq_store"
FREE, USED = b"\1" + bytes(PAGE - 1), bytes(PAGE)
TYPES = {1: "START", 2: "COMMIT", 3: "ABORT"}


class _Bad(Exception):  # no error: what a check finds
    pass


class _Bytes:
    """Reads forward, and never beyond the end."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def take(self, length: int) -> bytes:
        if length < 0 or self.at + length > len(self.data):
            raise _Bad("not enough bytes")
        self.at += length
        return self.data[self.at - length : self.at]

    def number(self, size: int, *, signed: bool = True) -> int:
        return int.from_bytes(self.take(size), "big", signed=signed)

    def text(self, size: int = 2) -> str:
        try:
            return mutf8.decode(self.take(self.number(size, signed=size != 2)))
        except UnicodeDecodeError:
            raise _Bad("no modified UTF-8") from None


# The log.


def _log(data: bytes, pages: int) -> Scanned:
    """Return a log: its records with what they do, and what of it is damaged."""
    found, end, why = Scanned(LOG, len(data)), 0, ""
    tagged, head, most = data[:4] == b"\0\0\0\1", data[4:12], pages + len(data) // 8
    if tagged and (len(head) < 8 or head == b"\xff" * 8):
        why = "bad-start"
    while end < len(data) and not why:
        cursor = _Bytes(data, end)
        try:
            kind = cursor.number(4)
            if kind not in TYPES or (kind == 1 and not tagged):
                why = "not-a-record" if not tagged and data[end:].strip(b"\0") else ""
                break
            if tagged and (generation := cursor.take(8)) != head:
                newer = unpack(">q", generation) > unpack(">q", head)
                why = "other-generation" if end == 12 and newer else ""
                break
            found.add(_record(cursor, kind, head if tagged else b"", most), end, cursor.at)
        except _Bad:
            why = "bad-record"
        end = end if why else cursor.at
    if why:
        found.drop(end, len(data), why)
    return found


def whole(data: bytes, at: int) -> tuple[dict[str, Any], int] | None:
    """Return the whole COMMIT or ABORT of a tagged log that stands at `at`, and where it ends."""
    cursor = _Bytes(data, at)
    try:
        kind = cursor.number(4)
        found = _record(cursor, kind, cursor.take(8), len(data)) if kind in (2, 3) else None
    except _Bad:
        return None
    return (found, cursor.at) if found else None


def _record(cursor: _Bytes, kind: int, head: bytes, most: int) -> dict[str, Any]:
    out: dict[str, Any] = {"type": TYPES[kind]}
    if head:
        out["generation"] = int.from_bytes(head, "big", signed=True)
    if kind != 1:
        out["transaction"], number = cursor.number(8), cursor.number(4)
        if number < 0:
            raise _Bad("a negative number of actions")
        out["actions"] = []
        for _ in range(number):
            out["actions"].append(_action(cursor, most))
    return out


def _action(cursor: _Bytes, most: int) -> dict[str, Any]:
    kind = cursor.number(4)
    if kind not in ACTIONS:
        raise _Bad("no such action")

    def page() -> int:
        number = cursor.number(4)
        if not 0 <= number < most:
            raise _Bad("no page that can be")
        return number

    def image(off: int = 0) -> bytes:
        data = cursor.take(cursor.number(4))
        if off < 0 or off + len(data) > PAGE:
            raise _Bad("beyond the page")
        return data

    out: dict[str, Any] = {"action": ACTIONS[kind], "page": page()}
    if kind == 3:
        out["before"] = image()
    elif kind == 4:
        out["offset"] = cursor.number(4)
        if cursor.take(1) == b"\1":
            out["before"] = image(out["offset"])
        out["after"] = image(out["offset"])
    elif kind == 2:
        for name in ("before", "after"):
            out["page"] = out["page"] if name == "before" else page()
            cursor.take(1)
            if cursor.take(1) == b"\0":
                out[name] = cursor.take(PAGE)
    return out


class LaidPages(dict[int, bytes]):
    """Pages by number; those up to `count` that nothing is known of are free."""

    count: int

    def __init__(self, data: bytes) -> None:
        super().__init__({at: data[at * PAGE :][:PAGE] for at in range(len(data) // PAGE)})
        self.count = len(self)

    def __missing__(self, number: int) -> bytes:
        if not 0 <= number < self.count:
            raise _Bad(f"there is no page {number}")
        return FREE

    def put(self, number: int, off: int, data: bytes) -> None:
        """Put bytes into a page, which is in use then."""
        self.count = max(self.count, number + 1)
        page = self[number]
        self[number] = b"\0" + (page[:off] + data + page[off + len(data) :])[1:]

    def whole(self, number: int, data: bytes | None) -> None:
        """Make a page anew: of this, or free."""
        self.count = max(self.count, number + 1)
        self[number] = FREE if data is None else b"\0" + data.ljust(PAGE, b"\0")[1:]

    def apply(self, record: Mapping[str, Any]) -> None:
        """Do a record; undo it again if it is an ABORT."""
        for action in record.get("actions", ()):
            kind, page = action["action"], action["page"]
            if kind == "PORTION":
                self.put(page, action["offset"], action["after"])
            else:
                self.whole(page, {"INSERT": USED, "DELETE": None}.get(kind, action.get("after")))
        for action in reversed(record.get("actions", ()) if record["type"] == "ABORT" else ()):
            if action["action"] != "PORTION":
                self.whole(action["page"], action.get("before"))
            elif "before" in action:
                self.put(action["page"], action["offset"], action["before"])


# Messages.


def _parsed(schema: Construct[Any, Any], data: bytes) -> Any:
    try:
        return schema.parse(data)
    except ConstructError as error:
        raise _Bad(str(error)) from None


@lru_cache(maxsize=1 << 10)
def _message(data: bytes) -> Any:
    """Return a message as the schema has it."""
    return _parsed(MESSAGE, data)


def _entry(data: bytes) -> tuple[int, ...]:
    """Return of an entry whether it is valid, priority, deliveries, expiration, key and page."""
    return unpack(">Biiqqi", data[:29])


def _branch(message: Any) -> dict[str, Any]:
    if message.kind != 1:
        raise _Bad("no message of bytes")
    found = _parsed(BRANCH, message.body.data)
    if any(len(image.data) < 29 for image in found["keys"]):
        raise _Bad("no entry")
    try:
        queue = mutf8.decode(found.queue.data)
    except UnicodeDecodeError:
        raise _Bad("no modified UTF-8") from None
    gtrid, bqual = (one.value.data if one.value else b"" for one in (found.gtrid, found.bqual))
    xid = {"format_id": found.format_id, "gtrid": gtrid, "bqual": bqual, "routing": found.routing != 0}
    keys = [_entry(image.data)[4] for image in found["keys"]]
    return {**xid, "queue": queue, "inserts": found.kind != 0, "keys": keys}


# The store.


@dataclass
class _Queue:
    """A queue: whether its index is damaged, and its messages; `bad` are those that cannot be read."""

    name: bytes
    damaged: bool = False
    messages: list[dict[str, Any]] = field(default_factory=list)
    entries: list[tuple[int, ...]] = field(default_factory=list)

    @property
    def bad(self) -> bool:
        """Whether its index or one of its messages is damaged."""
        return self.damaged or any("sha256" not in one and not one.get("branch") for one in self.messages)

    @property
    def undecided(self) -> bool:
        """Whether it has a branch that cannot be decoded."""
        return any(one.get("branch") == "bad" for one in self.messages)


@dataclass
class Store:
    """What is walked: uses of pages, queues, branches; `damaged`: the root index is."""

    pages: LaidPages
    uses: dict[int, str] = field(default_factory=dict)
    queues: list[_Queue] = field(default_factory=list)
    branches: list[dict[str, Any]] = field(default_factory=list)
    damaged: bool = False
    #: Whether pages are in use, and the root index was never written.
    unled: bool = False
    known: dict[tuple[int, bool], dict[str, Any]] = field(default_factory=dict)

    def claim(self, number: int, use: str) -> bytes:
        """Return a page for a use; the first use counts (SMQ-PAG-016, SMQ-PAG-020)."""
        if number in self.uses and (self.uses[number], use) != ("none", "message"):
            raise _Bad(f"page {number} has another use")
        page = self.pages[number]
        self.uses[number] = use
        return page

    def index(self, head: int, *, root: bool) -> Iterator[list[bytes]]:
        """Yield the valid entries of an index, page by page (SMQ-IDX-101)."""
        number = head
        while True:
            page = self.claim(number, "index")
            _, following, slots, valid = unpack(">iiii", page[1:17])
            if root and number == 0 and not any(page[1:17]):
                others = (self.pages[other] for other in range(1, self.pages.count))
                self.unled = any(other[0] != 1 and any(other) for other in others)
                return
            try:
                entries = self._slots(page, slots, root=root)
            except _Bad:
                self.uses[number] = "none"
                raise
            if root and slots == 0 and valid > 0:
                raise _Bad("valid entries where there are none")
            yield entries
            if following == -1:
                return
            number = following

    @staticmethod
    def _slots(page: bytes, slots: int, *, root: bool) -> list[bytes]:
        if slots < 0:
            raise _Bad("a negative number of entries")
        cursor, out = _Bytes(page, 17), []
        for _ in range(slots):
            first = cursor.at
            cursor.take(1)
            cursor.take(cursor.number(4) if root else 24)
            cursor.take(8)
            if page[first] == 1:
                out.append(page[first : cursor.at])
        return out

    def walk(self) -> None:
        """Walk the root index, then the indexes of all queues, then their messages."""
        heads = []
        try:
            for entries in self.index(0, root=True) if self.pages.count else ():
                for entry in entries:
                    self.queues.append(_Queue(entry[5:-8]))
                    heads.append(unpack(">i", entry[-8:-4])[0])
        except _Bad:
            self.damaged = True
        for queue, head in zip(self.queues, heads, strict=True):
            try:
                for entries in self.index(head, root=False):
                    queue.entries += map(_entry, entries)
            except _Bad:
                queue.damaged = True
        for queue in self.queues:
            queue.messages = [self._listed(entry, queue.name) for entry in queue.entries]

    def _listed(self, entry: tuple[int, ...], queue: bytes) -> dict[str, Any]:
        _, priority, deliveries, expiration, key, page = entry
        prepared = queue == PREPARED.encode()
        if (page, prepared) not in self.known:
            again = (page, not prepared) in self.known
            found = self.known[page, prepared] = self.content(page, prepared=prepared, again=again)
            if isinstance(found.get("branch"), dict):
                self.branches.append(found["branch"])
        found = self.known[page, prepared]
        own = {"key": key, "priority": priority, "deliveries": deliveries, "expiration": expiration}
        return {**own, **found}

    def content(self, number: int, *, prepared: bool, again: bool) -> dict[str, Any]:
        """Return length and digest of a message, no digest: it cannot be read. `again`: it has its pages."""
        data = b""
        try:
            while number != -1:
                page = self.pages[number] if again else self.claim(number, "message")
                _, number, length = unpack(">iii", page[1:13])
                if length < 13:
                    raise _Bad("no length")
                data += page[13:length]
                if length > PAGE:
                    raise _Bad("no length")
        except _Bad:
            pass  # it may be whole all the same
        try:
            message = _message(data)
        except _Bad:
            return {"length": len(data)}
        told = {"length": message.end, "sha256": hashlib.sha256(data[: message.end]).digest()}
        try:
            return {**told, "branch": _branch(message)} if prepared else told
        except _Bad:
            return {"length": len(data), "branch": "bad"}

    def state(self, durables: list[dict[str, Any]]) -> dict[str, Any]:
        """Return what there is, as an observation says it."""
        order = ("format_id", "gtrid", "bqual", "routing", "queue")
        return {
            "queues": [
                {
                    "name": queue.name,
                    "messages": [
                        {key: value for key, value in one.items() if key != "branch"}
                        for one in queue.messages
                    ],
                }
                for queue in self.queues
            ],
            "in_doubt": sorted(self.branches, key=lambda branch: [branch[name] for name in order]),
            "durables": sorted(durables, key=lambda one: (one["client"], one["name"])),
        }


# Durable subscribers.


def _durable(name: str, data: bytes) -> dict[str, Any]:
    client, dollar, own = name.removesuffix(".durable").partition("$")
    cursor = _Bytes(data)
    start = bytes.fromhex("aced00057372") + b"\0\x11java.util.HashMap" + bytes.fromhex("0507dac1c31660d103")
    if not dollar or cursor.take(len(start)) != start:
        raise _Bad("no map")
    fields = []
    for _ in range(cursor.number(2, signed=False)):
        width = {66: 1, 67: 2, 68: 8, 70: 4, 73: 4, 74: 8, 83: 2, 90: 1}.get(cursor.number(1))
        if width is None:
            raise _Bad("an object as a field")
        fields.append((cursor.take(cursor.number(2, signed=False)), width))
    if cursor.take(2) != b"xp":
        raise _Bad("a class above")
    for field_name, width in fields:
        value = cursor.take(width)
        factor = unpack(">f", value)[0] if field_name == b"loadFactor" and width == 4 else 1.0
        if math.isnan(factor) or factor <= 0:
            raise _Bad("no load factor")
    if cursor.take(2) != b"w\x08":
        raise _Bad("no sizes")
    cursor.take(4)
    strings: list[str] = []
    entries = {}
    number = cursor.number(4)
    if number < 0:
        raise _Bad("a negative number")
    for _ in range(number):
        key = _string(cursor, strings)
        entries[key] = _string(cursor, strings)
    if cursor.take(1) != b"x":
        raise _Bad("more than a map")
    told = {"topic": entries.get("topicName"), "selector": entries.get("selector")}
    told = {key: value for key, value in told.items() if value is not None}
    return {"client": client, "name": own, **told, "no_local": "noLocal" in entries}


def _string(cursor: _Bytes, strings: list[str]) -> str | None:
    kind = cursor.take(1)
    if kind == b"p":
        return None
    if kind == b"q":
        number = cursor.number(4) - 0x7E0002
        if not 0 <= number < len(strings):
            raise _Bad("no string")
        return strings[number]
    if kind not in (b"t", b"|"):
        raise _Bad("no string")
    strings.append(cursor.text(2 if kind == b"t" else 8))
    return strings[-1]


# Answers.


def read(files: Files, edition: str) -> dict[str, Any]:
    """Return the answer to the forensic question: what there is, damaged or not."""
    return recover(files, edition, "")


def recover(files: Files, edition: str, policy: str) -> dict[str, Any]:
    """Return what a start under `policy` leaves; both editions say the same."""
    if ".completed" in files and "page.db" in files:
        # A backup (SMQ-BAK-057): it has no log.
        files = {PAGES: files["page.db"]} | {
            f"durables/{name}": data for name, data in files.items() if name.endswith(".durable")
        }
    data, log_data = bytes(files.get(PAGES, b"")), bytes(files.get(LOG, b""))
    pages = LaidPages(data)
    log = _log(log_data, pages.count)
    for record in log.records:
        pages.apply(record)
    store = Store(pages)
    store.walk()
    kinds = [record["type"] for record in log.records]
    checked = kinds.count("START") < len(kinds) or (log_data != b"" and not kinds)
    dropped, durables = log.lost(), []
    for path in sorted(files):
        if path.count("/") == 1 and path.startswith("durables/") and path.endswith(".durable"):
            try:
                durables.append(_durable(path.removeprefix("durables/"), bytes(files[path])))
            except _Bad:
                dropped += Scanned(path, len(files[path]), "bad-durable").lost()
    lost = bool(dropped) or store.damaged or store.unled
    lost |= any(queue.bad or queue.undecided for queue in store.queues)
    if policy:
        if why := _refusal(store, policy, checked=checked):
            return {**refused(*why), "at": {"file": PAGES, "off": 0, "len": len(data)}}
        if checked:
            _check(store, salvage=policy == "salvage")
    out = {"verdict": RECOVERED if lost else CLEAN, "records": log.records, "dropped": dropped}
    return {**out, "state": store.state(durables)}


def _refusal(store: Store, policy: str, *, checked: bool) -> tuple[str, str] | None:
    if store.damaged:
        return "replay", "bad-root"
    found = None
    for queue in store.queues:
        prepared = queue.name == PREPARED.encode()
        if queue.bad and checked:
            # The check drops it, or what of it cannot be read.
            found = found or (("replay", "bad-queue") if policy == "strict" else None)
        elif prepared and not queue.damaged and (queue.bad or queue.undecided):
            return "transaction", "bad-branch"
        elif queue.damaged and policy != "salvage":
            found = "replay", "bad-queue"
    return found


def _check(store: Store, *, salvage: bool) -> None:
    for queue in [queue for queue in store.queues if queue.bad]:
        if salvage:
            queue.messages = [one for one in queue.messages if "sha256" in one]
            continue
        store.queues.remove(queue)
        if queue.name == PREPARED.encode():
            store.branches = []


def expected(files: Files, edition: str) -> list[dict[str, Any]]:
    """Return what a generated case expects of a reading and of the recoveries under every policy."""
    return all_expected(asked(read, recover, FORMAT, files, edition), BRIEF)
