"""The author module: it builds valid journals from descriptions, and names every range in them.

A base describes ``files``, each with an ``id`` (default: 1, 2 ...), ``batches``, and what comes after them:
``end`` (``marker``, ``zeros`` or ``none``; default: the edition's) and zeros up to ``size``; a base with
``batches`` has them in file 1. A batch is a list of records, or a table of ``records`` and wrong fields of
the control record. A record is a text ``LABEL [COMMAND] key=value ...``: ``r7`` alone means ADD_MESSAGE of
the message m7 to the queue Q. Keys of a destination are ``q``, ``t``, ``tq`` and ``tt`` (queue, topic, and
temporary ones). Other keys are ``id``, ``body``, ``prio``, ``tx`` (``c1:7``), ``xa`` (``1:GTRID:BQUAL``),
``sub``, ``info``, ``retro``, ``source`` and ``skip``. A record that is not a command has ``payload`` (hex).
Any other field of a command has its own name (``repeat=-1``; bytes in hex). A table may also have any other
field of the record. For ``index`` see :mod:`journalspec_corpus.kahadb_journal.index`.

Labels: ``f1``, ``f1.log``, ``f1.marker`` (the end marker), ``b1``, ``b1.whole``, ``b1.checksum``, ``r1``,
``r1.length``, ``r1.command`` ...
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from journalspec.formats import get_format
from journalspec.kahadb_journal import LAYOUT, checksum
from journalspec.kahadb_journal.commands import BITS, KINDS, Slot, framed, messages
from journalspec.kahadb_journal.commands import build as message
from journalspec.layout import Part, integer, joined
from journalspec_corpus.author import branch_of, hex_bytes, long_text, words
from journalspec_corpus.edits import Built, Range
from journalspec_corpus.kahadb_journal import index

FORMAT = "kahadb_journal"
#: The fields that a brief expectation lists.
BRIEF = ("type", "message_id", "at")
MARKERS = {"marker": b"-qMa4", "zeros": bytes(5), "none": b""}
#: The default bytes after a batch.
_ENDS = {"seed": "none", "5.3": "none", "5.12": "zeros"}
#: The values of fields that are reported even if they are not stored.
_NOTHING: Mapping[str, Any] = {"s4": 0, "s8": 0, "bool": False, "str": "", "bytes": b""}
_LEFT_OUT = frozenset(["transaction", "ack", "subscription_info", "text"])
#: Authors' words for fields that are plain texts, bytes or numbers.
_TEXTS = {"id": "message_id", "sub": "subscription_key"}
_BYTES = {"info": "subscription_info"}
#: Authors' words for the kinds of destinations, in the order of their numbers.
_KINDS = ("q", "t", "tq", "tt")


def described(record: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return the label, command, stored fields and other settings of a record."""
    given = {} if isinstance(record, str) else dict(record)
    label, types, pairs = words(given.pop("text") if given else str(record))
    if "payload" in pairs:
        return {"label": label, "command": "", "payload": hex_bytes(pairs["payload"]), "given": given}
    command = types[-1] if types else "ADD_MESSAGE"
    number = label.lstrip("abcdefghijklmnopqrstuvwxyz")
    stored: dict[str, Any] = {}
    held = messages()[command]
    names = {slot.name for slot in held.values()}
    if "destination" in names or command == "UPDATE_MESSAGE":
        word = next((word for word in _KINDS if word in pairs), "q")
        stored["destination"] = {"kind": _KINDS.index(word), "name": pairs.get(word, "Q")}
    if "message_id" in names or command == "UPDATE_MESSAGE":
        stored["message_id"] = f"m{number}"
    if "message" in names or command == "UPDATE_MESSAGE":
        stored["message"] = hex_bytes(pairs.get("body", "4d" + number.encode().hex()))
    if "prio" in pairs:
        stored |= {"priority": int(pairs["prio"]), "priority_supported": True}
    stored |= {field: long_text(pairs[word]) for word, field in _TEXTS.items() if word in pairs}
    stored |= {field: hex_bytes(pairs[word]) for word, field in _BYTES.items() if word in pairs}
    stored |= {slot.name: _value(slot, pairs[slot.name]) for slot in held.values() if slot.name in pairs}
    if "retro" in pairs:
        stored["retroactive"] = pairs["retro"] == "1"
    if "source" in pairs:
        stored["source_file"] = int(pairs["source"])
    if "skip" in pairs:
        stored["skip_if_source_exists"] = pairs["skip"] == "1"
    if "tx" in pairs:
        connection, _, at = pairs["tx"].rpartition(":")
        stored["transaction"] = {"local": {"connection": connection, "number": int(at)}}
    if "xa" in pairs:
        stored["transaction"] = {"xa": branch_of(pairs["xa"])}
    if command == "UPDATE_MESSAGE":
        stored = {"add": stored}
    return {"label": label, "command": command, "stored": stored, "given": given}


def _value(slot: Slot, text: str) -> Any:
    """Return the value of a field that a record gives under the field's own name."""
    if slot.holds in BITS:
        return int(text)
    return hex_bytes(text) if slot.holds == "bytes" else long_text(text)


def payload_of(record: Mapping[str, Any], edition: str) -> bytes:
    """Return the payload of a record from :func:`described`."""
    if not record["command"]:
        return bytes(record["payload"])
    numbers = LAYOUT.types(get_format(FORMAT).default_edition if edition == "seed" else edition)
    return framed(numbers[record["command"]], message(record["command"], record["stored"]))


def payload(text: str, edition: str = "5.16") -> bytes:
    """Return the payload of a record that authors wrote; for its label see :func:`described`."""
    return payload_of(described(text), edition)


def told(command: str, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a command as an observation lists them."""
    if command == "UPDATE_MESSAGE":
        add = {key: value for key, value in stored.get("add", {}).items() if key != "transaction"}
        return told("ADD_MESSAGE", add)
    out: dict[str, Any] = {}
    for slot in messages()[command].values():
        value = stored.get(slot.name)
        if slot.name == "transaction":
            if value is not None:
                out[slot.name] = transaction(value)
        elif slot.name == "destination":
            kind = (value or {}).get("kind", 0)
            kind = KINDS[kind] if 0 <= kind < len(KINDS) else KINDS[0]
            out[slot.name] = {"kind": kind, "name": (value or {}).get("name", "")}
        elif value is not None:
            out[slot.name] = value
        elif slot.name not in _LEFT_OUT and (command, slot.name) != ("REMOVE_MESSAGE", "subscription_key"):
            out[slot.name] = _NOTHING[slot.holds] if slot.default is None else slot.default
    return out


def transaction(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a transaction as an observation lists it."""
    if "xa" in stored and "local" not in stored:
        xa = {"format_id": 0, "gtrid": b"", "bqual": b"", **stored["xa"]}
        return {"kind": "XA", **{name: xa[name] for name in ("format_id", "gtrid", "bqual")}}
    return {"kind": "LOCAL", "connection": "", "number": 0, **stored.get("local", {})}


def build(base: Mapping[str, Any], edition: str) -> Built:
    """Return the journal that `base` describes, in the form of `edition`."""
    built = Built({})
    files = base.get("files", [base])
    number = 0
    for at, file in enumerate(files, start=1):
        data = bytearray()
        name = file.get("file", f"db-{file.get('id', at)}.log")
        for batch in file.get("batches", ()):
            number += 1
            _lay_batch(built, name, f"b{number}", batch, data, edition)
        built.labels[f"f{at}.log"] = Range(name, 0, len(data))
        marker = MARKERS[file.get("end", _ENDS.get(edition, "marker"))]
        built.labels[f"f{at}.marker"] = Range(name, len(data), len(marker))
        data += marker
        if "tail" in file:
            data += hex_bytes(file["tail"])
        built.finish(name, f"f{at}", data, max(len(data), file.get("size", 0)), b"\0")
    if "index" in base:
        index.lay(built, base["index"], edition)
    return built


def _lay_batch(built: Built, name: str, label: str, batch: Any, data: bytearray, edition: str) -> None:
    """Lay one batch: its control record under `label`, its records under their own labels."""
    given = dict(batch) if isinstance(batch, Mapping) else {"records": batch}
    records = [described(record) for record in given.pop("records")]
    bodies: list[tuple[dict[str, Any], list[Part]]] = []
    for record in records:
        raw = payload_of(record, edition)
        values = (
            {"payload": raw} if edition == "seed" else {"command": raw[0] if raw else None, "frame": raw[1:]}
        )
        parts = LAYOUT.encode("record", edition, {**values, **record["given"]})
        bodies.append((record, parts))
    raw = b"".join(joined(parts) for _, parts in bodies)
    wanted = {"batch_size": len(raw), "checksum": checksum(raw), **given}
    start = len(data)
    built.lay(name, label, LAYOUT.encode("header", edition, wanted), data)
    first = {name: wanted[name] for name in ("batch_size", "checksum")}
    for record, parts in bodies:
        at = built.lay(name, record["label"], parts, data)
        shown = {"length": at.length, **first}
        plain = not record["command"] or edition == "seed"
        told_of = (
            {"payload": payload_of(record, edition)} if plain else told(record["command"], record["stored"])
        )
        kind = "OTHER" if plain else record["command"]
        built.records[record["label"]] = {"type": kind, **shown, **told_of, "at": at.to_json()}
        first = {}
    built.labels[f"{label}.whole"] = Range(name, start, len(data) - start)


def seal(built: Built, label: str) -> None:
    """Recompute the checksum over the bytes after the control record `label`, up to its size."""
    spot = built.range(label)
    data = built.files[spot.file]
    size = int.from_bytes(data[spot.off + 16 : spot.off + 20], "big", signed=True)
    built.put(built.range(f"{label}.checksum"), integer(checksum(data[spot.end : spot.end + size]), 8))


def operation(op: Mapping[str, Any]) -> dict[str, Any]:
    """Return an authored operation with its ``record`` written out as the payload."""
    out = dict(op)
    if "record" in out:
        out["payload"] = payload(out.pop("record")).hex()
    return out
