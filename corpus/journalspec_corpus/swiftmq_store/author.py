"""The author module: sound stores from descriptions, with every range named.

A base describes ``pages`` in order and the ``log``, a list of texts ``LABEL WORDS``; without it there is
none. Pages: ``p0 ROOT orders:1`` (queue:head), ``p1 QUEUE 0:2 1:3`` (key:page, with ``:priority:deliveries``
if they are not 4 and 1), ``p2 MESSAGE hi`` (``a*3000``: long; its second page is ``p3 MESSAGE a*3000
from=2035``), ``p4 FREE``, ``p5 ZERO``. Keys of all: fields of the page's header (``next=3``).

The log: ``s START generation=7``, ``c1 COMMIT tx=1 insert:4 delete:5:00 portion:1:13:00000000:00000001``
(page, offset, before, after; ``-`` for no bytes before), ABORT likewise. ``generation=8`` makes a record of
another one. A log that does not begin with START is untagged. ``log_size`` fills it with zeros.

Labels: ``pages``, ``log``, ``p0.slots``, ``p0.e1.head``, ``p2.slice``, ``c1.number``, ``c1.a1.page``,
``c1.a1.kind``. In states a queue is ``{ name = "orders", messages = ["0 hi"] }``: key, body, and priority
and deliveries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from journalspec.layout import Part, integer
from journalspec.swiftmq_store import LAYOUT
from journalspec_corpus.author import words
from journalspec_corpus.edits import Built, Range

BRIEF = ("type", "at")
PAGE, CHAIN = 2048, 13
PAGES, LOG = "db/page.db", "log/transaction.log"
CODES = {"START": 1, "COMMIT": 2, "ABORT": 3}
ACTIONS = {"insert": 1, "delete": 3, "portion": 4}


def message(text: str) -> bytes:
    """Return a serialised message of kind bytes, priority 4, whose body is a text (``a*3000``)."""
    one, star, count = text.partition("*")
    body = one.encode() * (int(count) if star else 1)
    # Kind, expiration, priority, timestamp, deliveries, mode, redelivered; eleven things that are not there.
    head = integer(1, 4) + bytes(8) + integer(4, 4) + bytes(8) + integer(0, 4) + integer(2, 4) + b"\0"
    return head + bytes(11) + integer(len(body), 4) + body


def build(base: Mapping[str, Any], edition: str) -> Built:
    """Return the files of a store."""
    built = Built({})
    if "pages" in base:
        data = bytearray()
        for number, text in enumerate(base["pages"]):
            _lay_page(built, text, edition, data)
            data += bytes((number + 1) * PAGE - len(data))
        built.finish(PAGES, "pages", data, len(data), b"\0")
    if "log" in base:
        log = bytearray()
        tagged = bool(base["log"]) and " START" in base["log"][0]
        generation = 0
        for text in base["log"]:
            label, (kind, *actions), pairs = words(text)
            if kind == "START":
                generation = int(pairs.get("generation", "1"))
            own = int(pairs.get("generation", generation))
            given = {"code": CODES[kind]} | ({"generation": own} if tagged else {})
            told: dict[str, Any] = {"type": kind} | ({"generation": own} if tagged else {})
            if kind != "START":
                given |= {"transaction": int(pairs["tx"]), "number": len(actions)}
            form = "start" if kind == "START" else "record" if tagged else "untagged_record"
            parts = LAYOUT.encode(form, edition, given)
            made = [_action(text, edition) for text in actions]
            for at, (_, of) in enumerate(made, start=1):
                parts += [Part(f"a{at}.{part.name}", part.data) for part in of]
            if kind != "START":
                told |= {"transaction": int(pairs["tx"]), "actions": [action for action, _ in made]}
            built.records[label] = {**told, "at": built.lay(LOG, label, parts, log).to_json()}
        built.finish(LOG, "log", log, max(len(log), base.get("log_size", 0)), b"\0")
    return built


def _lay_page(built: Built, text: str, edition: str, data: bytearray) -> None:
    label, (kind, *rest), pairs = words(text)
    start = len(data)
    given = {name: int(value) for name, value in pairs.items() if name != "from"}
    if kind in ("FREE", "ZERO"):
        built.lay(PAGES, label, [Part("empty", b"\1" if kind == "FREE" else b"\0")], data)
    elif kind == "MESSAGE":
        whole, at = message(rest[0]), int(pairs.get("from", "0"))
        values = {"slice": whole[at : at + PAGE - CHAIN], **given}
        built.lay(PAGES, label, LAYOUT.encode("message_page", edition, values), data)
    else:
        values = {"slots": len(rest), "valid": len(rest), **given}
        built.lay(PAGES, label, LAYOUT.encode("index", edition, values), data)
        for at, entry in enumerate(rest, start=1):
            form, fields = _entry(kind, entry)
            built.lay(PAGES, f"{label}.e{at}", LAYOUT.encode(form, edition, fields), data)
    built.labels[f"{label}.whole"] = Range(PAGES, start, PAGE)


def _entry(kind: str, text: str) -> tuple[str, dict[str, Any]]:
    if kind == "ROOT":
        name, _, head = text.rpartition(":")
        return "root_entry", {"name": name.encode(), "head": int(head), "padding": bytes(4)}
    key, page, *more = map(int, text.split(":"))
    priority, deliveries = more or (4, 1)
    fields = {"key": key, "page": page, "priority": priority, "deliveries": deliveries, "expiration": 0}
    return "queue_entry", {**fields, "padding": bytes(4)}


def _action(text: str, edition: str) -> tuple[dict[str, Any], list[Part]]:
    """Return what a reader says of an action, and its parts."""
    kind, page, *rest = text.split(":")
    told: dict[str, Any] = {"action": kind.upper(), "page": int(page)}
    given: dict[str, Any] = {"page": int(page)}
    form = kind
    if kind == "delete":
        told["before"] = given["before"] = bytes.fromhex(rest[0])
    elif kind == "portion":
        told["offset"] = given["offset"] = int(rest[0])
        if rest[1] == "-":
            form = "new_portion"
        else:
            told["before"] = given["before"] = bytes.fromhex(rest[1])
        told["after"] = given["after"] = bytes.fromhex(rest[2])
    return told, [Part("kind", integer(ACTIONS[kind], 4)), *LAYOUT.encode(form, edition, given)]


def expand(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a case writes with its brief forms written out: queues, messages, operations."""
    out = dict(value)
    if "queues" in out:
        out["queues"] = [
            {"name": queue["name"].encode().hex(), "messages": list(_messages(queue["messages"]))}
            for queue in out["queues"]
        ]
    if "ops" in out:
        out["ops"] = [_operation(op) for op in out["ops"]]
    return out


def _messages(texts: list[str]) -> Iterator[dict[str, Any]]:
    for text in texts:
        key, body, *more = text.split()
        priority, deliveries = map(int, more or ("4", "1"))
        data = message(body)
        one = {"key": int(key), "priority": priority, "deliveries": deliveries, "expiration": 0}
        yield {**one, "length": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _operation(text: str) -> dict[str, Any]:
    kind, _, pairs = words(text)
    out: dict[str, Any] = {"op": kind, **pairs}
    if "message" in pairs:
        out["message"] = message(pairs["message"]).hex()
    if "commit" in pairs:
        out["commit"] = pairs["commit"] == "true"
    if kind == "commit":
        out["tx"] = pairs["tx"].split(",")
    return out
