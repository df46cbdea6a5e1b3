"""Small stores of Artemis, made record by record."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

from journalspec_reference.jboss_journal.codec import DIALECTS, LONG_HEADER, JournalRecord, encode_record

V2 = DIALECTS["v2e"]


def simple(text: str, *, flag: bool = False) -> bytes:
    data = text.encode("utf-16-le", "surrogatepass")
    return b"\x01" * flag + struct.pack(">i", len(data)) + data


def typed(properties: Mapping[str, bytes]) -> bytes:
    """Return typed properties; values are given with their tags."""
    pairs = b"".join(simple(name) + value for name, value in properties.items())
    return b"\x01" + struct.pack(">i", len(properties)) + pairs


def headers(
    ident: int, kind: int, properties: bytes = b"\0", stamp: int = 1000, address: str = "orders"
) -> bytes:
    front = struct.pack(">q", ident) + simple(address, flag=True)
    return front + b"\0" + struct.pack(">bBqqb", kind, 1, 0, stamp, 4) + properties


def message(
    ident: int,
    kind: int = 3,
    body: bytes | None = None,
    properties: bytes = b"\0",
    address: str = "orders",
) -> bytes:
    """Return the body of a record of type 45 that contains a Core message."""
    body = simple(f"text {ident}", flag=True) if body is None else body
    stored = struct.pack(">i", 13 + len(body)) + body + headers(ident, kind, properties, address=address)
    return (
        b"\x01"
        + struct.pack(">q", ident)
        + simple(address, flag=True)
        + struct.pack(">i", len(stored))
        + stored
    )


def old_message(ident: int) -> bytes:
    """Return the body of a record of type 31."""
    body, head = simple(f"text {ident}", flag=True), headers(ident, 3)
    return struct.pack(">i", 17 + len(body)) + body + struct.pack(">i", 8 + len(body) + len(head) + 13) + head


#: Fields of queues that later versions added: first metadata and auto-created, then consumers, purging,
#: routing.
ARTEMIS_1, ARTEMIS_2 = b"\0\x01", b"\0\x01" + struct.pack(">ibb", -1, 0, 1)


def queue(name: str, tail: bytes = ARTEMIS_2, address: str = "orders") -> bytes:
    return simple(name) + simple(address) + b"\0" + tail


def write(path: Path, records: list[tuple[str, int, int, bytes]], tx: int = 0, extra: bytes = b"") -> None:
    """Write a journal of one file from records (type, id, user type, body); with `tx`, add a PREPARE."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kinds = {kind.name: kind for kind in V2.kinds.values()}
    data = LONG_HEADER.pack(2, 0, 1)
    for kind, ident, user_type, body in records:
        record = JournalRecord(0, 0, kinds[kind], id=ident, user_type=user_type, body=body, tx=tx)
        data += encode_record(record, V2, 1)
    count = sum(kind.endswith("_TX") for kind, *_ in records)
    if count:
        data += encode_record(JournalRecord(0, 0, kinds["PREPARE"], tx=tx, extra=extra, tally=count), V2, 1)
    path.write_bytes(data + bytes(1 << 12))


def add(ident: int, body: bytes | None = None, kind: int = 45) -> tuple[str, int, int, bytes]:
    return ("ADD", ident, kind, message(ident) if body is None else body)


def update(ident: int, kind: int, *numbers: int) -> tuple[str, int, int, bytes]:
    return ("UPDATE", ident, kind, struct.pack(f">{len(numbers)}q", *numbers))


def made(
    directory: Path,
    records: list[tuple[str, int, int, bytes]],
    queues: Mapping[int, str] | None = None,
    prefix: str = "",
    extension: str = "amq",
) -> Path:
    """Write a store with the named queues (None: without bindings); return the directory of its journal."""
    write(directory / f"{prefix}journal" / f"activemq-data-1.{extension}", records)
    if queues is not None:
        bindings = [("ADD", ident, 21, queue(name)) for ident, name in queues.items()]
        counter = [("ADD", 900, 24, struct.pack(">q", 1 << 31))]
        write(directory / f"{prefix}bindings" / "activemq-bindings-1.bindings", [*counter, *bindings])
    return directory / f"{prefix}journal"


def xid() -> bytes:
    return struct.pack(">ii", 0x20005, 2) + b"b1" + struct.pack(">i", 2) + b"g1"


def paged(body: bytes, queues: list[int], tx: int = -1) -> bytes:
    listed = struct.pack(f">i{len(queues)}q", len(queues), *queues)
    data = struct.pack(">qB", tx, 0) + body + listed
    return b"{" + struct.pack(">i", len(data)) + data + b"}"


def with_pages(tmp_path: Path, records: list[tuple[str, int, int, bytes]], page: bytes) -> Path:
    directory = made(tmp_path, records, {7: "a", 8: "b"})
    room = tmp_path / "paging" / "1f"
    room.mkdir(parents=True)
    (room / "address.txt").write_text("orders\n")
    (room / "000000001.page").write_bytes(page)
    return directory
