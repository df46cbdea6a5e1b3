"""The naive reader: it reads pages into a table, replays the log on them, and then walks them from page 0.

It is written from the specification, and shares no code with the reference (see
:mod:`journalspec_corpus.naive`). It reports no notes. Pages have 2048 bytes unless the case has another size.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from struct import unpack
from types import MappingProxyType
from typing import Any

from construct import Construct, ConstructError, Struct, Tell

from journalspec import mutf8
from journalspec.families import families
from journalspec.families_construct import schema
from journalspec.observation import CLEAN, RECOVERED
from journalspec.swiftmq_store import ACTIONS, LAYOUT
from journalspec_corpus.naive import (
    Files,
    Invalid,
    Scanned,
    Taker,
    all_expected,
    asked,
    decoded,
    refused,
    require,
)
from journalspec_corpus.swiftmq_store.author import BRIEF, LOG, PAGE, PAGES
from journalspec_corpus.swiftmq_store.model import PREPARED

FORMAT = "swiftmq_store"
TYPES = {1: "START", 2: "COMMIT", 3: "ABORT"}
#: Maps the code of a record in a tagged log to the structure at its start. Both editions have the same
#: layout.
FORMS, EDITION = {1: "start", 2: "record", 3: "record"}, "13"


def _text(data: bytes) -> str:
    try:
        return mutf8.decode(data)
    except UnicodeDecodeError:
        raise Invalid("malformed") from None


# Functions for the log.


def _log(data: bytes, pages: int, size: int) -> Scanned:
    """Return a log: its records with their actions, and its damaged bytes."""
    found, end, why = Scanned(LOG, len(data)), 0, ""
    tagged, head, most = data[:4] == b"\0\0\0\1", data[4:12], pages + len(data) // 8
    if tagged and (len(head) < 8 or head == b"\xff" * 8):
        why = "bad-start"
    while end < len(data) and not why:
        taker = Taker(data, end)
        try:
            kind = taker.number(4)
            if kind not in TYPES or (kind == 1 and not tagged):
                why = "not-a-record" if not tagged and data[end:].strip(b"\0") else ""
                break
            if tagged and (generation := taker.take(8)) != head:
                newer = unpack(">q", generation)[0] - unpack(">q", head)[0]
                why = "other-generation" if newer > 0 and (end == 12 or newer <= 1 << 16) else ""
                break
            record, behind = _record(data, end, FORMS[kind] if tagged else "untagged_record", most, size)
            found.add(record, end, behind)
        except Invalid:
            why = "bad-record"
        end = end if why else behind
    if why:
        found.drop(end, len(data), why)
    return found


def whole(data: bytes, at: int) -> tuple[dict[str, Any], int] | None:
    """Return the complete COMMIT or ABORT at `at` of a tagged log, and the offset after it, or None."""
    try:
        return _record(data, at, "record", len(data), PAGE)
    except Invalid:
        return None


def _record(data: bytes, at: int, form: str, most: int, size: int) -> tuple[dict[str, Any], int]:
    """Return the record at `at`, of the structure `form`, and the end of this record.

    Page numbers are below `most`.
    """
    values, head = decoded(LAYOUT, EDITION, data[at:], form)
    at, number = at + head, values.pop("number", None)
    out = {"type": TYPES[values.pop("code")], **values}
    if number is not None:
        out["actions"] = []
        for _ in range(number):
            action, at = _action(data, at, most, size)
            out["actions"].append(action)
    return out, at


def _action(data: bytes, at: int, most: int, page_size: int) -> tuple[dict[str, Any], int]:
    kind, at = Taker(data, at).number(4), at + 4
    require(kind in ACTIONS, "no such action")
    values: dict[str, Any] = {"action": ACTIONS[kind]}
    if kind == 2:
        taker, numbers = Taker(data, at), []
        for name in ("before", "after"):
            numbers.append(taker.number(4))
            if taker.take(2)[1] == 0:
                values[name] = taker.take(page_size)
        (values["undone"], values["page"]), at = numbers, taker.at
    else:
        form = "new_portion" if kind == 4 and data[at + 8 : at + 9] != b"\1" else ACTIONS[kind].lower()
        found, size = decoded(LAYOUT, EDITION, data[at:], form)
        values |= {name: found[name] for name in ("page", "offset", "before", "after") if name in found}
        numbers, at = [found["page"]], at + size
    longest = max(len(values.get(name, b"")) for name in ("before", "after"))
    require(all(0 <= number < most for number in numbers), "no page that can be")
    require(values.get("offset", 0) + longest <= page_size, "beyond the page")
    return values, at


class LaidPages(dict[int, bytes]):
    """Pages by number; a number below `count` without an entry is a free page."""

    count: int

    def __init__(self, data: bytes, size: int = PAGE) -> None:
        super().__init__({at: data[at * size :][:size] for at in range(len(data) // size)})
        self.size, self.free, self.used = size, b"\1".ljust(size, b"\0"), bytes(size)
        self.count = self.in_file = len(self)
        #: The pages that the log creates, and the fields of existing pages in the log.
        self.made: set[int] = set()
        self.fields: dict[tuple[int, int], set[bytes]] = {}
        self.original = dict(self)

    def __missing__(self, number: int) -> bytes:
        require(0 <= number < self.count, "there is no such page")
        return self.free

    def put(self, number: int, off: int, data: bytes) -> None:
        """Put bytes into a page; it is in use afterwards."""
        self.count = max(self.count, number + 1)
        page = self[number]
        self[number] = b"\0" + (page[:off] + data + page[off + len(data) :])[1:]

    def whole(self, number: int, data: bytes | None) -> None:
        """Replace a page by `data`. If `data` is None, the page becomes free."""
        self.made.add(number)
        self.count = max(self.count, number + 1)
        self[number] = self.free if data is None else b"\0" + data.ljust(self.size, b"\0")[1:]

    def apply(self, record: Mapping[str, Any]) -> None:
        """Replay a record. An ABORT is also undone."""
        for action in record.get("actions", ()):
            kind, page = action["action"], action["page"]
            if kind == "PORTION":
                self.look(**action)
                self.put(page, action["offset"], action["after"])
            else:
                self.whole(page, {"INSERT": self.used, "DELETE": None}.get(kind, action.get("after")))
        for action in reversed(record.get("actions", ()) if record["type"] == "ABORT" else ()):
            if action["action"] != "PORTION":
                self.whole(action.get("undone", action["page"]), action.get("before"))
            elif "before" in action:
                self.put(action["page"], action["offset"], action["before"])

    def look(self, page: int, offset: int, after: bytes, before: bytes | None = None, **_: Any) -> None:
        """Store the values in a PORTION for fields of a page that the log did not create (SMQ-RCV-111)."""
        images = [after] if before is None else [before, after]
        ends = [offset + len(image) for image in images]
        for off in () if page in self.made else (1, 5, 9, 13):
            if offset >= off + 4 or max(ends) <= off:
                continue
            new = (page, off) not in self.fields
            values = self.fields.setdefault((page, off), set())
            values.update(image[off - offset :][:4] for image in images if offset <= off)
            if offset > off or min(ends) < off + 4 or (new and (offset, *ends) != (off, off + 4, off + 4)):
                # The content before the log is not known.
                values.add(self.original.get(page, self.used)[off : off + 4])

    @property
    def of_another_moment(self) -> bool:
        """Whether a header field in the file contains a value that it never had according to the log."""
        return any(
            page in self.original
            and page not in self.made
            and self.original[page][0] != 1
            and self.original[page][off : off + 4] not in values
            for (page, off), values in self.fields.items()
        )


# Functions for messages.


@cache
def _form(name: str) -> Construct[Any, Any]:
    """Return the construct for a type in the family of messages; bytes may follow it."""
    return Struct("found" / schema(families(FORMAT)["message"], name, ""), "end" / Tell)


def _parsed(name: str, data: bytes) -> Any:
    try:
        return _form(name).parse(data)
    except ConstructError as error:
        raise Invalid("malformed") from error


@lru_cache(maxsize=1 << 10)
def _message(data: bytes) -> Any:
    """Return a message as parsed by the schema."""
    return _parsed("message", data)


def _branch(message: Any) -> dict[str, Any]:
    require(message.kind == 1, "no message of bytes")
    found = _parsed("branch", message.body.data).found
    require(all(len(image.data) >= 29 for image in found["keys"]), "no entry")
    gtrid, bqual = (one.value.data if one.value else b"" for one in (found.gtrid, found.bqual))
    xid = {"format_id": found.format_id, "gtrid": gtrid, "bqual": bqual, "routing": found.routing != 0}
    keys = [unpack(">q", image.data[17:25])[0] for image in found["keys"]]
    return {**xid, "queue": _text(found.queue.data), "inserts": found.kind != 0, "keys": keys}


# Functions for the store.


@dataclass
class _Queue:
    """Represents a queue: whether its index is damaged, and its messages; `bad` contains the unreadable
    messages.
    """

    name: bytes
    damaged: bool = False
    messages: list[dict[str, Any]] = field(default_factory=list)
    entries: list[dict[str, Any]] = field(default_factory=list)

    @property
    def bad(self) -> bool:
        """Whether the queue's index or one of its messages is damaged."""
        return self.damaged or any("sha256" not in one and not one.get("branch") for one in self.messages)

    @property
    def undecided(self) -> bool:
        """Whether it has a branch that cannot be decoded."""
        return any(one.get("branch") == "bad" for one in self.messages)


def _slots(page: bytes, slots: int, form: str) -> list[dict[str, Any]]:
    """Return the valid entries of a page of an index."""
    require(slots >= 0, "a negative number of entries")
    at, out = 17, []
    for _ in range(slots):
        entry, size = decoded(LAYOUT, EDITION, page[at:], form)
        at += size
        out += [entry] if entry["valid"] == 1 else []
    return out


@dataclass
class Store:
    """Represents the result of the walk: uses of pages, queues; `damaged` concerns the root index."""

    pages: LaidPages
    uses: dict[int, str] = field(default_factory=dict)
    queues: list[_Queue] = field(default_factory=list)
    damaged: bool = False
    #: `unwritten`: the root index was never written. `unled`: other pages are in use nevertheless.
    unled: bool = False
    unwritten: bool = False
    known: dict[tuple[int, bool], dict[str, Any]] = field(default_factory=dict)
    #: Numbers of missing pages, one for each reference.
    absent: list[int] = field(default_factory=list)

    def claim(self, number: int, use: str) -> bytes:
        """Return a page for a use; only the first use is valid (SMQ-PAG-016, SMQ-PAG-020)."""
        used = self.uses.get(number)
        self.absent += [number] if number >= self.pages.count else []
        require(used is None or (used, use) == ("none", "message"), "the page has another use")
        page = self.pages[number]
        self.uses[number] = use
        return page

    def index(self, head: int, form: str) -> Iterator[dict[str, Any]]:
        """Yield the valid entries of an index, page by page after reading all of a page (SMQ-IDX-101)."""
        number, root = head, form == "root_entry"
        while True:
            page = self.claim(number, "index")
            _, following, slots, valid = unpack(">iiii", page[1:17])
            if root and number == 0 and not any(page[1:17]):
                others = (self.pages[other] for other in range(1, self.pages.count))
                self.unwritten, self.unled = True, any(other[0] != 1 and any(other) for other in others)
                return
            try:
                entries = _slots(page, slots, form)
            except Invalid:
                self.uses[number] = "none"
                raise
            require(not root or slots > 0 or valid <= 0, "valid entries where there are none")
            yield from entries
            if following == -1:
                return
            number = following

    def walk(self) -> None:
        """Walk the root index, then the indexes of all queues, then their messages."""
        heads = []
        try:
            for entry in self.index(0, "root_entry") if self.pages.count else ():
                self.queues.append(_Queue(entry["name"]))
                heads.append(entry["head"])
        except Invalid:
            self.damaged = True
        for queue, head in zip(self.queues, heads, strict=True):
            try:
                queue.entries += self.index(head, "queue_entry")
            except Invalid:
                queue.damaged = True
        for queue in self.queues:
            queue.messages = [self._listed(entry, queue.name) for entry in queue.entries]

    def _listed(self, entry: dict[str, Any], queue: bytes) -> dict[str, Any]:
        page, prepared = entry["page"], queue == PREPARED.encode()
        if (page, prepared) not in self.known:
            again = self.known.get((page, not prepared), {}).get("length")
            self.known[page, prepared] = self.content(page, prepared=prepared, again=again)
        own = {name: entry[name] for name in ("key", "priority", "deliveries", "expiration")}
        return {**own, **self.known[page, prepared]}

    def content(self, number: int, *, prepared: bool, again: int | None) -> dict[str, Any]:
        """Return the length and digest of a message; no digest if the message cannot be read.

        With `again`, the pages are already claimed for a message of that length.
        """
        data = b""
        try:
            while number != -1 and (again is None or len(data) < again):
                page = self.claim(number, "message") if again is None else self.pages[number]
                _, number, length = unpack(">iii", page[1:13])
                require(length >= 13, "no length")
                data += page[13:length]
                require(length <= self.pages.size, "no length")
        except Invalid:
            pass  # Without a digest, the message may still be complete.
        try:
            message = _message(data)
        except Invalid:
            return {"length": len(data)}
        told = {"length": message.end, "sha256": hashlib.sha256(data[: message.end]).digest()}
        try:
            return {**told, "branch": _branch(message.found)} if prepared else told
        except Invalid:
            return {"length": len(data), "branch": "bad"}

    def state(self, durables: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the state in the form of an observation."""
        order = ("format_id", "gtrid", "bqual", "routing", "queue")
        listed = [one.get("branch") for queue in self.queues for one in queue.messages]
        # A message to which several entries refer is one part.
        parts = {id(part): part for part in listed if isinstance(part, dict)}.values()
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
            "in_doubt": sorted(parts, key=lambda branch: [branch[name] for name in order]),
            "durables": sorted(durables, key=lambda one: (one["client"], one["name"])),
        }


# Functions for durable subscribers.


#: The sizes of primitive fields of a class, by the codes of their types.
WIDTHS = dict(zip(b"BCDFIJSZ", (1, 2, 8, 4, 4, 8, 2, 1), strict=True))
MAP_CLASS = b"\xac\xed\0\5sr\0\x11java.util.HashMap" + bytes.fromhex("0507dac1c31660d103")


def _durable(name: str, data: bytes) -> dict[str, Any]:
    client, dollar, own = name.removesuffix(".durable").partition("$")
    taker = Taker(data)
    require(dollar != "" and taker.take(len(MAP_CLASS)) == MAP_CLASS, "no map")
    fields = []
    for _ in range(taker.number(2, signed=False)):
        code = taker.number(1)
        require(code in WIDTHS, "an object as a field")
        fields.append((_text(taker.take(taker.number(2, signed=False))), code))
    require(taker.take(2) == b"xp", "a class above")
    for field_name, code in fields:
        value = taker.take(WIDTHS[code])
        if field_name == "loadFactor" and code == ord("F"):
            require(unpack(">f", value)[0] > 0, "no load factor")  # also raised if it is not a number
    require(taker.take(2) == b"w\x08", "no sizes")
    taker.take(4)
    strings: list[str] = []
    number = taker.number(4)
    require(number >= 0, "a negative number")
    pairs = [(_string(taker, strings), _string(taker, strings)) for _ in range(number)]
    require(taker.take(1) == b"x", "more than a map")
    entries = dict(pairs)
    told = {"topic": entries.get("topicName"), "selector": entries.get("selector")}
    told = {key: value for key, value in told.items() if value is not None}
    return {"client": client, "name": own, **told, "no_local": "noLocal" in entries}


def _string(taker: Taker, strings: list[str]) -> str | None:
    kind = taker.take(1)
    if kind == b"p":
        return None
    if kind == b"q":
        number = taker.number(4) - 0x7E0002
        require(0 <= number < len(strings), "no string")
        return strings[number]
    require(kind in (b"t", b"|"), "no string")
    strings.append(_text(taker.take(taker.number(2, signed=False) if kind == b"t" else taker.number(8))))
    return strings[-1]


# Functions that return answers.


def _of_store(files: Files) -> tuple[Files, bool]:
    """Return the files under the names of a store, and whether they are a backup, which has no log."""
    if ".completed" not in files or "page.db" not in files:
        return files, False
    durables = {f"durables/{name}": data for name, data in files.items() if name.endswith(".durable")}
    return {PAGES: files["page.db"], **durables}, True


def read(files: Files, edition: str, size: int = PAGE) -> dict[str, Any]:
    """Return the answer of a reading: the complete content, damaged or not."""
    return recover(files, edition, "", size)


def recover(files: Files, edition: str, policy: str, size: int = PAGE) -> dict[str, Any]:
    """Return the result of a start under `policy`, the same for both editions."""
    if size < 50:
        return refused("fileset", "bad-page-size")
    files, backup = _of_store(files)
    data, log_data = bytes(files.get(PAGES, b"")), bytes(files.get(LOG, b""))
    pages = LaidPages(data, size)
    log = _log(log_data, pages.count, size)
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
            except Invalid:
                dropped += Scanned(path, len(files[path]), "bad-durable").lost()
    missing = _missing(files, store, checked=checked, backup=backup)
    lost = bool(dropped) or store.damaged or store.unled or bool(missing) or pages.of_another_moment
    lost |= any(queue.bad or queue.undecided for queue in store.queues)
    for gone in [*missing, *dropped] if backup else ():
        gone |= {name: gone[name].rpartition("/")[2] for name in ("name", "file") if name in gone}
    if policy:
        if why := _refusal(store, policy, checked=checked):
            file = "page.db" if backup else PAGES
            return {**refused(*why), "at": {"file": file, "off": 0, "len": len(data)}}
        if checked:
            _check(store, salvage=policy == "salvage")
    for record in log.records:
        for action in record.get("actions", ()):
            action.pop("undone", None)
    out = {"verdict": RECOVERED if lost else CLEAN, "records": log.records, "dropped": dropped}
    out |= {"missing": missing} if missing else {}
    return {**out, "state": store.state(durables)}


def _missing(files: Files, store: Store, *, checked: bool, backup: bool) -> list[dict[str, Any]]:
    """Return the entries about referenced objects that are missing (SMQ-RCV-113 to 116)."""
    data, log_data, pages = bytes(files.get(PAGES, b"")), bytes(files.get(LOG, b"")), store.pages
    out: list[dict[str, Any]] = []
    cut = any(data[pages.in_file * pages.size + 1 :]) and pages.in_file not in pages.made
    begun = log_data[:4] == b"\0\0\0\1" and len(log_data) >= 12 and log_data[4:12] != b"\xff" * 8
    gone = [at for at in pages if at >= pages.in_file and at not in pages.made and pages[at][0] != 1]
    gone += store.absent + ([pages.in_file] if cut else [])
    begun = begun and 0 not in pages.made
    if not pages.in_file and (begun or cut or f"{PAGES}_old" in files):
        out.append({"code": "pages", "name": PAGES})
    elif gone:
        out.append({"code": "page", "name": str(min(gone)), "file": PAGES})
    used = [at for at in range(1, pages.count) if pages[at][0] != 1 and any(pages[at])]
    lonely = not checked and not store.unwritten
    lonely = lonely and any(store.uses.get(at, "none") == "none" for at in used)
    bad = store.damaged or any(queue.bad or queue.undecided for queue in store.queues)
    if (not backup and not log_data and (lonely or bad)) or (log_data and not any(log_data) and used):
        out.append({"code": "log", "name": LOG})
    there = [path[9:-8] for path in files if path.startswith("durables/") and path.endswith(".durable")]
    there = [name for name in there if "/" not in name]
    for queue in store.queues if there else ():
        try:
            name = queue.name.decode()
        except UnicodeDecodeError:
            continue
        own = name.startswith(("sys$", "tmp$", "rt$", "tpc$"))
        if "$" in name and not own and name not in there:
            there.append(name)
            out.append({"code": "durable", "name": name, "file": f"durables/{name}.durable"})
    return out


def _refusal(store: Store, policy: str, *, checked: bool) -> tuple[str, str] | None:
    if store.damaged:
        return "replay", "bad-root"
    found = None
    for queue in store.queues:
        prepared = queue.name == PREPARED.encode()
        if queue.bad and checked:
            # The product's check drops the queue or its unreadable messages.
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


def expected(
    files: Files, edition: str, params: Mapping[str, Any] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """Return the expectations of a generated case for a reading and recovery under every policy."""
    size = int(params.get("page_size", PAGE))
    questions = asked(partial(read, size=size), partial(recover, size=size), FORMAT, files, edition)
    return all_expected(questions, BRIEF)
