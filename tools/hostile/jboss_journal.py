"""JBoss journals that are expensive to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hostile import repeated
from journalspec.jboss_journal import LAYOUT
from journalspec.jboss_journal.plain import CONTROL, has
from journalspec.layout import joined
from journalspec_corpus.jboss_journal.author import build, header_parts, name_of, record_bytes


def hostile(edition: str, size: int) -> Mapping[str, dict[str, bytes]]:
    """Return inputs of about `size` bytes on which a careless reader does more than linear work."""

    def record(kind: str, **fields: Any) -> bytes:
        described = {"id": 1, "tx": 9, "pairs": [], "count": 0, "stamp": 1, "body": "", **fields}
        return record_bytes({"kind": kind, **described}, edition)

    def file(number: int) -> bytes:
        return joined(header_parts({"id": number}, edition))

    add = record("ADD_TX")
    # Record headers that claim to extend to the end of the file, but have no valid end.
    head = len(record("ADD")) - 4
    claims = b"".join(record("ADD", size=size - at - head - 4)[:head] for at in range(0, size - head, head))
    # Nested records. The outermost record is torn, so a search finds each level again.
    nested = record("ADD", body="61")
    while len(nested) < size:
        nested = record("ADD", body=nested.hex(), check=1)
    # A COMMIT with as many pairs as fit; in editions without pairs, a PREPARE with much extra data.
    if has("record", "pairs", edition):
        ending = record("COMMIT", pairs=[(2, 1)] * (size // 8))
    else:
        ending = record("PREPARE", extra=f"00*{size}")
    code = bytes([LAYOUT.types(edition)["ADD"]])
    data = {
        # A type and the file's id, repeated.
        "prologues": repeated(code + (1).to_bytes(4, "big"), size),
        "all-claim-the-end": claims.ljust(size, b"\0"),
        "small-records": repeated(record("DELETE"), size),
        "open-transactions": b"".join(record("ADD_TX", tx=number) for number in range(-(-size // len(add)))),
        # One transaction of many records that is prepared again and again.
        "one-transaction": repeated(add + record("PREPARE", count=1), size),
        "many-pairs": add + ending,
        "nested": nested,
        "types": code * size,
        "zeros": bytes(size),
    }
    first = name_of(1, edition)
    made = {name: {first: file(1) + content} for name, content in data.items()}
    if LAYOUT.has("control", edition):
        # The first list of this file contains as many empty names as fit.
        body = ((size // 2).to_bytes(4, "big") + bytes(2 * (size // 2)) + bytes(8)).hex()
        control = build({"files": [{"control": True, "body": body}]}, edition)
        made["control-of-names"] = {first: file(1), CONTROL: bytes(control.files[CONTROL])}
    made["many-files"] = {name_of(number, edition): file(number % 3) for number in range(size // 64)}
    return made
