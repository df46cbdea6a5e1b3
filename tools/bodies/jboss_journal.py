"""Bodies of the JBoss family: messages, entries of pages, bindings, other records, transactions."""

from __future__ import annotations

import json
import struct
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from stores import unpacked

from bodies import DATA, SHARED, Decoder, Fields
from journalspec.families import ContentsError, decode, families
from journalspec.jboss_journal import LAYOUT
from journalspec_reference.answers import SALVAGE, ask
from journalspec_reference.batches import Memory
from journalspec_reference.contents import contents
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.jboss_journal import bodies
from journalspec_reference.jboss_journal.contents import BrokerContents, amqp, core, xid_text
from journalspec_reference.jboss_journal.contents.bindings import bindings_of
from journalspec_reference.jboss_journal.contents.narayana import TRANSACTION, transaction
from journalspec_reference.jboss_journal.contents.paging import PageFile
from journalspec_reference.jboss_journal.contents.pending import Pending

FORMAT = "jboss_journal"
#: Type of a record in the table -> its user type.
MESSAGES = {"message": 45, "old_message": 31, "large_message": 30}
BODIES = {
    "text_body": core.TEXT,
    "map_body": core.MAP,
    "stream_body": core.STREAM,
    "object_body": core.OBJECT,
}
#: Types of the two families in which each type corresponds to one user type -> that user type.
RECORDS, BINDINGS = (
    {
        row["of"].removeprefix(family): row["on"]["user_type"]
        for row in LAYOUT.contents
        if row["of"].startswith(family)
    }
    for family in ("records.", "bindings.")
)
#: The bytes that Narayana writes before an object, and the type of an imported transaction.
HEADER = bytes.fromhex("2342450110204000")
IMPORTED = TRANSACTION + "/SubordinateAtomicAction/JCA"


def stored() -> Iterator[tuple[str, str, str, bytes]]:
    """Yield the bodies that brokers and transaction managers wrote."""
    for each in json.loads((DATA / "contents_amqp.json").read_text("utf-8")):
        yield "amqp", "stored", "", bytes.fromhex(each["stored"])
    for each in json.loads((DATA / "contents_narayana.json").read_text("utf-8")):
        data = bytes.fromhex(each["stored"])
        yield "narayana", "record", "", data
        root, inside = _state(data)
        yield "narayana", root, "", inside
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(DATA / "hornetq_contents.tar.xz") as packed:
            packed.extractall(scratch, filter="data")
        yield from _of_store(Path(scratch), "hornetq")
    for store in sorted((SHARED / FORMAT).glob("artemis-*")):
        yield from _of_store(unpacked(store, "**/*"), f"artemis-{store.name.split('-')[1][0]}")


def _state(data: bytes) -> tuple[str, bytes]:
    """Return the type and the bytes of the state of a record of Narayana."""
    tree = decode(families(FORMAT)["narayana"], "record", data)
    return "subordinate" if b"/JCA" in data else "transaction", in_pieces(tree["state"])


def in_pieces(tree: Mapping[str, Any]) -> bytes:
    """Return the bytes that are stored as pieces of four bytes."""
    pieces = [each["value"] for each in (*tree["quads"], *([tree["last"]] if "last" in tree else []))]
    return b"".join(pieces)[: tree["size"]]


def _of_store(root: Path, version: str) -> Iterator[tuple[str, str, str, bytes]]:
    (journal,) = find_journals(load(root / "journal"))
    found = contents(ask(journal, SALVAGE))
    assert isinstance(found, BrokerContents)
    for item in found.store.replay.live():
        data = item.stored
        if not (known := LAYOUT.held("body", data, {"user_type": item.user_type})):
            continue
        family, shape = known
        own = version if family == "core" else ""
        yield family, shape, own, data
        if family == "core":
            message = core.message_of(item.user_type, data)
            plain = not (message.large or core.is_compressed(message.properties))
            shapes = [each for each, of_type in BODIES.items() if plain and message.type == of_type]
            yield from (("core", each, own, message.body) for each in shapes)
    for transaction_ in found.store.replay.in_doubt_transactions():
        yield "records", "xid", "", transaction_.extra
    for file, entry in found.store.entries():
        yield "core", "page_entry", version, file.content.read(entry.off, 6 + len(entry.data))
    assert found.store.bindings_replay is not None
    for item in found.store.bindings_replay.live():
        data = item.stored
        if known := LAYOUT.held("body", data, {"user_type": item.user_type}):
            yield (*known, "", data)


def _message(kind: int) -> Decoder:
    def read(data: bytes, _: str) -> tuple[Fields, str]:
        message = core.message_of(kind, data)
        # The body of a large message is in a separate file.
        body = core.body_of(message) if not message.large else core.BodyParts()
        sound = core.glance(kind, data, 0, len(data))[1]
        # If the quick check reports no fault, the full decoder must report none.
        assert not (sound and message.problem), message.problem
        own = {f".{name}": value for name, value in message.properties.items()}
        names = ("id", "address", "user_id", "type", "durable", "expiration", "timestamp", "priority")
        fields = {name: getattr(message, name) for name in names} | {"body": message.body}
        return {**fields, **own}, "; ".join(filter(None, (message.problem, body.problem)))

    return read


def _body(kind: int) -> Decoder:
    def read(data: bytes, _: str) -> tuple[Fields, str]:
        found = core.body_of(core.Message(type=kind, body=data))
        if isinstance(found.content, dict):
            return found.content, found.problem
        values = found.content if isinstance(found.content, list) else [found.text, found.data]
        return {str(at): value for at, value in enumerate(values)}, found.problem

    return read


class _Page(Memory):
    """A page file in memory."""

    def next_data(self, off: int) -> int:
        return off


def _page_entry(data: bytes, version: str) -> tuple[Fields, str]:
    content: Any = _Page(data)
    reports: list[str] = []
    file = PageFile("orders", 1, "1.page", content, version != "artemis-2")
    out: dict[str, Any] = {}
    add = reports.append
    for entry in file.entries(lambda *told: add(str(told[-1]))):
        entry.timestamp  # noqa: B018 # reading this attribute decodes it
        fields, why = _message(entry.kind)(entry.data[entry.start : entry.end], version)
        out |= {"tx": entry.tx, "queues": entry.queues, **fields}
        reports += [why] if why else []
    return out, "; ".join(reports)


def _amqp(data: bytes, large: bytes | None = None) -> tuple[Fields, str]:
    row, reasons = amqp.message(data, large)
    assert len(reasons) <= MOST_REASONS
    of_body = ("kind", "text", "content", "data", "class_name")
    values = row["properties"]
    assert isinstance(values, Mapping)
    own = {f".{name}": value for name, value in values.items()}
    rest = {name: value for name, value in row.items() if name not in (*of_body, "properties")}
    return {**rest, **own, "body": [row[name] for name in of_body]}, "; ".join(reasons)


def _binding(kind: int) -> Decoder:
    def read(data: bytes, _: str) -> tuple[Fields, str]:
        found = bindings_of([bodies.Body(0, 11, 5, kind, data, 0, len(data))])
        row: Fields = {}
        for queue in found.queues.values():
            row = {**queue.options, "name": queue.name, "address": queue.address, "filter": queue.filter}
        for each in (*found.addresses.values(), *found.settings):
            row = each
        assert {code for code, *_ in found.remarks} <= {"undecodable", "unknown-status"}
        # A status alone lacks its queue or address, so `unknown-status` is not a fault here.
        wrong = [why or code for code, *_, why in found.remarks if code != "unknown-status"]
        values = row.get("values")
        return (values if isinstance(values, Mapping) else row), "; ".join(wrong)

    return read


class _Replay:
    """A recovered journal that contains a message, a reference, and one more record."""

    def __init__(self, kind: int, data: bytes) -> None:
        message = b"\1" + struct.pack(">q", 5)
        rows = [(45, message), (32, struct.pack(">q", 7)), (kind, data)]
        self._rows = [
            bodies.Body(at, 11, 5, each, stored, 0, len(stored)) for at, (each, stored) in enumerate(rows)
        ]

    def live(self) -> Iterator[bodies.Body]:
        return iter(self._rows)

    def live_columns(self) -> Iterator[bodies.BodyColumns]:
        for row in self._rows:
            head = (row.id, row.end - row.start, row.user_type)
            yield bodies.BodyColumns(row.data, [row.place], [row.code], [head], [row.start])

    def in_doubt_transactions(self) -> list[bodies.PreparedTx]:
        """Return the same records as parts of a prepared transaction."""
        return [bodies.PreparedTx(9, b"", 0, (0, 1, 2), ())]

    def bodies(self, _: object) -> Iterator[bodies.Body]:
        return self.live()


def _record(shape: str) -> Decoder:
    def read(data: bytes, _: str) -> tuple[Fields, str]:
        wrong: list[str] = []
        replay: Any = _Replay(RECORDS[shape], data)
        pending = Pending(
            replay, lambda code, __, ___, why: wrong.append(why) if code == "undecodable" else None
        )
        fields: dict[str, Any] = {}
        assert pending.doubts
        try:
            fields = decode(families(FORMAT)["records"], shape, data)
        except ContentsError as error:
            wrong.append(str(error))
        return fields, "; ".join(wrong)

    return read


def _xid(data: bytes, _: str) -> tuple[Fields, str]:
    found = xid_text(data)
    return {"xid": found}, "" if found else "no XID"


def packed(data: bytes) -> bytes:
    """Return bytes in the form in which Narayana packs them."""
    return struct.pack(">i", len(data)) + data + bytes(-len(data) % 4)


def record(kind: str, state: bytes) -> bytes:
    """Return a record of Narayana that contains an object of the given type."""
    return HEADER + packed(bytes(28)) + packed(kind.encode() + b"\0") + packed(state)


def _transaction(data: bytes, _: str = "") -> tuple[Fields, str]:
    found = transaction(data)
    assert found.recovery in (None, "commit", "wait-for-parent", "operator", "moved-aside", "nothing")
    own = {name: getattr(found, name) for name in ("uid", "type", "status", "created", "process", "decision")}
    lists = (("p", found.participants), ("h", found.heuristics))
    return own | {f"{key}{at}": each for key, rows in lists for at, each in enumerate(rows)}, found.reason


INSIDE = {("narayana", "record"): _state}
MOST_REASONS = 10
#: A large AMQP message without its body file.
_LARGE = struct.pack(">BqqB", core.AMQP_LARGE, 10, 0, 0)
DECODERS: Mapping[tuple[str, str], Decoder] = {
    **{("core", root): _message(kind) for root, kind in MESSAGES.items()},
    **{("core", root): _body(kind) for root, kind in BODIES.items()},
    ("core", "page_entry"): _page_entry,
    ("amqp", "stored"): lambda data, _: _amqp(data),
    ("amqp", "message"): lambda data, _: _amqp(_LARGE, data),
    **{("bindings", root): _binding(kind) for root, kind in BINDINGS.items()},
    **{("records", root): _record(root) for root in RECORDS},
    ("records", "xid"): _xid,
    ("narayana", "record"): _transaction,
    ("narayana", "transaction"): lambda data, _: _transaction(record(TRANSACTION, data)),
    ("narayana", "subordinate"): lambda data, _: _transaction(record(IMPORTED, data)),
}
