"""The author module: it builds valid stores from descriptions, and names every range in them.

A base describes ``pages`` in order and the ``log``, a list of texts ``LABEL WORDS``; without this key there
is no log. Pages: ``p0 ROOT orders:1`` (queue:head), ``p1 QUEUE 0:2 1:3`` (key:page, with
``:priority:deliveries`` if they are not 4 and 1), ``p2 MESSAGE hi`` (``a*3000`` is a long text; its second
page is ``p3 MESSAGE a*3000 from=2035``; ``hex:00..`` gives the stored bytes), ``p4 FREE``, ``p5 ZERO``,
``p6 BRANCH orders 0:2 kind=1`` (a queue and entries; ``gtrid``, ``bqual``, ``form``, ``routing``). Keys of
all pages are the fields of the page's header (``next=3``).

The log: ``s START generation=7``, ``c1 COMMIT tx=1 insert:4 delete:5:00 portion:1:13:00000000:00000001``
(page, offset, before, after; ``-`` for no bytes before), ``update:1:free:00ff`` (two whole pages, filled up
with zeros). ABORT has the same form. ``generation=8`` makes a record of another generation. A log that does
not begin with START is untagged. Zeros fill the log up to ``log_size``. ``page_size`` is the size of the
pages, if it is not 2048.

``durables``: ``d1 client name topicName=T noLocal=true`` is an object stream with these entries, in this
order. ``swaps`` are swap files: ``orders-0 hi ho``.

Labels: ``pages``, ``log``, ``p0.slots``, ``p0.e1.head``, ``p2.slice``, ``c1.number``, ``c1.a1.page``,
``c1.a1.kind``. In states a queue is ``{ name = "orders", messages = ["0 hi"] }``: key, body (``!50``: fifty
bytes that are not a message), and priority, deliveries and expiration.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from journalspec.layout import Part, integer
from journalspec.swiftmq_store import ACTIONS, LAYOUT
from journalspec_corpus.author import brief_operation, hex_bytes, long_text, words
from journalspec_corpus.edits import Built, Range

BRIEF = ("type", "at")
PAGE, CHAIN = 2048, 13
PAGES, LOG = "db/page.db", "log/transaction.log"
NUMBERS = {name: number for number, name in ACTIONS.items()}
#: The possible keys for the header of a page.
HEADERS = ("empty", "prev", "next", "slots", "valid", "length")


def message(text: str) -> bytes:
    """Return a serialised message of kind bytes, priority 4, with a text as its body (``a*3000``)."""
    if text.startswith("hex:"):
        return hex_bytes(text[4:])
    # Kind, expiration, priority, timestamp, deliveries, mode, redelivered; then eleven absent parts.
    return bytes_message(long_text(text).encode())


def bytes_message(body: bytes) -> bytes:
    """Return a serialised message of kind bytes, priority 4, with only a body."""
    head = integer(1, 4) + bytes(8) + integer(4, 4) + bytes(8) + integer(0, 4) + integer(2, 4) + b"\0"
    return head + bytes(11) + integer(len(body), 4) + body


def branch(queue: str, entries: list[str], pairs: Mapping[str, str]) -> bytes:
    """Return the message that stores a prepared branch; `pairs` are the keys of a BRANCH."""
    out = b"\1" + bytes(8) + integer(int(pairs.get("kind", "1")), 4) + _utf(queue)
    out += integer(int(pairs.get("routing", "0")), 1) + integer(int(pairs.get("form", "1")), 4)
    for name in ("bqual", "gtrid"):
        data = bytes.fromhex(pairs.get(name, ""))
        out += b"\1" + integer(len(data), 4) + data if data else b"\0"
    out += integer(len(entries), 4)
    for text in entries:
        form, fields = _entry("QUEUE", text)
        out += integer(33, 4) + b"".join(part.data for part in LAYOUT.encode(form, "13", fields))
    return bytes_message(out)


def _utf(text: str) -> bytes:
    return integer(len(text.encode()), 2) + text.encode()


#: The class of a durable subscriber's map: its name, version and fields, and their values.
_MAP = bytes.fromhex(
    "aced00057372" "0011" "6a6176612e7574696c2e486173684d6170" "0507dac1c31660d1" "03" "0002"
    "46000a6c6f6164466163746f72" "4900097468726573686f6c64" "7870" "3f400000" "0000000c" "7708" "00000010"
)  # fmt: skip


def _durable(entries: Mapping[str, str]) -> list[Part]:
    parts = [Part("map", _MAP), Part("count", integer(len(entries), 4))]
    for name, value in entries.items():
        parts += [Part(name, b"t" + _utf(name)), Part(f"{name}.value", b"t" + _utf(value))]
    return [*parts, Part("last", b"x")]


def build(base: Mapping[str, Any], edition: str) -> Built:
    """Return the files of a store."""
    built, size = Built({}), int(base.get("page_size", PAGE))
    if "pages" in base:
        data = bytearray()
        for number, text in enumerate(base["pages"]):
            _lay_page(built, text, edition, data, size)
            data += bytes((number + 1) * size - len(data))
        built.finish(PAGES, "pages", data, len(data), b"\0")
    if "log" in base:
        log = bytearray()
        tagged = bool(base["log"]) and " START" in base["log"][0]
        generation = 0
        for text in base["log"]:
            label, (kind, *actions), pairs = words(text)
            if kind == "START":
                generation = int(pairs.get("generation", "1"))
            form = "start" if kind == "START" else "record" if tagged else "untagged_record"
            head = {"generation": int(pairs.get("generation", generation))} if tagged else {}
            made = [_action(text, edition, size) for text in actions]
            told: dict[str, Any] = {"type": kind, **head}
            if kind != "START":
                head |= {"transaction": int(pairs["tx"]), "number": len(actions)}
                told |= {"transaction": head["transaction"], "actions": [action for action, _ in made]}
            parts = LAYOUT.encode(form, edition, {"code": kind, **head})
            for at, (_, of) in enumerate(made, start=1):
                parts += [Part(f"a{at}.{part.name}", part.data) for part in of]
            built.records[label] = {**told, "at": built.lay(LOG, label, parts, log).to_json()}
        built.finish(LOG, "log", log, max(len(log), base.get("log_size", 0)), b"\0")
    for text in base.get("durables", ()):
        label, (client, name), entries = words(text)
        _alone(built, f"durables/{client}${name}.durable", label, _durable(entries))
    for text in base.get("swaps", ()):
        label, bodies, _ = words(text)
        sound = [integer(len(data) + 4, 4) + integer(1, 4) + data for data in map(message, bodies)]
        _alone(built, f"swap/{label}.swap", label, [Part(f"e{at}", data) for at, data in enumerate(sound, 1)])
    return built


def _alone(built: Built, file: str, label: str, parts: list[Part]) -> None:
    """Lay a file that consists only of the given parts."""
    data = bytearray()
    built.lay(file, label, parts, data)
    built.finish(file, label, data, len(data), b"\0")


def _lay_page(built: Built, text: str, edition: str, data: bytearray, size: int) -> None:
    label, (kind, *rest), pairs = words(text)
    start = len(data)
    given = {name: int(pairs[name]) for name in HEADERS if name in pairs}
    if kind in ("FREE", "ZERO"):
        built.lay(PAGES, label, [Part("empty", b"\1" if kind == "FREE" else b"\0")], data)
    elif kind in ("MESSAGE", "BRANCH"):
        whole = message(rest[0]) if kind == "MESSAGE" else branch(rest[0], rest[1:], pairs)
        at = int(pairs.get("from", "0"))
        values = {"slice": whole[at : at + size - CHAIN], **given}
        built.lay(PAGES, label, LAYOUT.encode("message_page", edition, values), data)
    else:
        values = {"slots": len(rest), "valid": len(rest), **given}
        built.lay(PAGES, label, LAYOUT.encode("index", edition, values), data)
        for at, entry in enumerate(rest, start=1):
            form, fields = _entry(kind, entry)
            built.lay(PAGES, f"{label}.e{at}", LAYOUT.encode(form, edition, fields), data)
    built.labels[f"{label}.whole"] = Range(PAGES, start, size)


def _entry(kind: str, text: str) -> tuple[str, dict[str, Any]]:
    if kind == "ROOT":
        name, _, head = text.rpartition(":")
        return "root_entry", {"name": name.encode(), "head": int(head), "padding": bytes(4)}
    key, page, *more = map(int, text.split(":"))
    priority, deliveries = more or (4, 1)
    fields = {"key": key, "page": page, "priority": priority, "deliveries": deliveries, "expiration": 0}
    return "queue_entry", {**fields, "padding": bytes(4)}


def _action(text: str, edition: str, size: int) -> tuple[dict[str, Any], list[Part]]:
    """Return a reader's report of an action, and the parts of the action."""
    kind, page, *rest = text.split(":")
    told: dict[str, Any] = {"action": kind.upper(), "page": int(page)}
    parts = [Part("kind", integer(NUMBERS[kind.upper()], 4))]
    if kind == "update":
        for name, stored in zip(("before", "after"), rest, strict=True):
            image = b"" if stored == "free" else bytes.fromhex(stored).ljust(size, b"\0")
            if image:
                told[name] = image
            first = integer(int(page), 4) + b"\1" + integer(int(not image), 1)
            parts += [Part(f"{name}.page", first[:4]), Part(f"{name}.empty", first[4:]), Part(name, image)]
        return told, parts
    names = ("before",) if kind == "delete" else ("offset", "before", "after")
    for name, stored in zip(names, rest, strict=False):
        if stored != "-":
            told[name] = int(stored) if name == "offset" else bytes.fromhex(stored)
    form = "new_portion" if kind == "portion" and "before" not in told else kind
    given = {name: value for name, value in told.items() if name != "action"}
    return told, parts + LAYOUT.encode(form, edition, given)


def expand(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a value of a case in which brief forms of queues and messages are written out."""
    out = dict(value)
    if "queues" in out:
        out["queues"] = [
            {"name": _name(queue["name"]).hex(), "messages": list(_messages(queue["messages"]))}
            for queue in out["queues"]
        ]
    return out


def _name(text: str) -> bytes:
    return hex_bytes(text[4:]) if text.startswith("hex:") else text.encode()


def _messages(texts: list[str]) -> Iterator[dict[str, Any]]:
    for text in texts:
        key, body, *more = text.split()
        numbers = map(int, (key, *more, *("4", "1", "0")[len(more) :]))
        if body.startswith("!"):
            yield {**listed(numbers), "length": int(body[1:])}
        else:
            yield listed(numbers, message(body))


def listed(numbers: Iterable[int], data: bytes | None = None) -> dict[str, Any]:
    """Return a queue's fields of a message, its key first; `data`: the message, if readable."""
    one: dict[str, Any] = dict(zip(("key", "priority", "deliveries", "expiration"), numbers, strict=True))
    return one if data is None else {**one, "length": len(data), "sha256": hashlib.sha256(data).digest()}


def operation(text: str) -> dict[str, Any]:
    """Return the writer's operation in a text: ``commit tx=t,u``, ``insert queue=q message=hi``."""
    out = brief_operation(text)
    if "message" in out:
        out["message"] = message(out["message"]).hex()
    if out["op"] == "commit":
        out["tx"] = out["tx"].split(",")
    return out
