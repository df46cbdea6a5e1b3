"""What is done to the products, as the protocol's own write operations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Op = dict[str, Any]

OPEN: Op = {"op": "open"}
CLOSE: Op = {"op": "close"}
NEXT: Op = {"op": "next"}
RECLAIM: Op = {"op": "reclaim"}
COMPACT: Op = {"op": "compact"}
#: The smallest file that the products take.
FILE_SIZE = 1024
#: Edition -> the length of a body that makes a plain record fill such a file exactly: header, fixed part.
LARGEST_BODY = {
    "s2": FILE_SIZE - 4 - 22,
    "v1": FILE_SIZE - 16 - 22,
    "v2": FILE_SIZE - 16 - 23,
    "v2e": FILE_SIZE - 16 - 23,
}
#: The moments of a compaction of which the directory is kept.
MOMENTS = ("before-control", "control-written", "files-renamed", "control-deleted")


@dataclass(frozen=True, slots=True)
class Session:
    """One life of a process: its operations; killed after the last one unless that closes the journal."""

    ops: tuple[Op, ...]

    @property
    def killed(self) -> bool:
        """Whether the process dies with the journal open."""
        return self.ops[-1] != CLOSE


@dataclass(frozen=True, slots=True)
class Scenario:
    """A named history of one journal.

    `only` is the product that can do it ("" for both); `refused` are indexes of
    operations (of all sessions together) that the product must turn down;
    `moment` is that of a compaction at which the directory was copied.
    """

    name: str
    title: str
    sessions: tuple[Session, ...]
    obeys: tuple[str, ...] = ()
    min_files: int = 2
    only: str = ""
    refused: tuple[int, ...] = field(default=())
    moment: str = ""

    def params(self, prefix: str, extension: str) -> dict[str, str]:
        """Return the parameters of the write requests."""
        return {
            "prefix": prefix,
            "extension": extension,
            "file_size": str(FILE_SIZE),
            "min_files": str(self.min_files),
            "auto_reclaim": "false",
        }


def record(op: str, ident: int, body: bytes | str = b"", user_type: int = 7, **more: str) -> Op:
    """Return an operation with a body."""
    data = body.encode() if isinstance(body, str) else body
    return {"op": op, **more, "id": str(ident), "user_type": str(user_type), "body": data.hex()}


def add(ident: int, body: bytes | str = b"body", user_type: int = 7) -> Op:
    """Add a record."""
    return record("add", ident, body, user_type)


def update(ident: int, body: bytes | str = b"changed", user_type: int = 8) -> Op:
    """Update a record."""
    return record("update", ident, body, user_type)


def delete(ident: int) -> Op:
    """Delete a record."""
    return {"op": "delete", "id": str(ident)}


def add_tx(tx: int, ident: int, body: bytes | str = b"in tx") -> Op:
    """Add a record within a transaction."""
    return record("add_tx", ident, body, 9, tx=str(tx))


def update_tx(tx: int, ident: int, body: bytes | str = b"changed in tx") -> Op:
    """Update a record within a transaction."""
    return record("update_tx", ident, body, 10, tx=str(tx))


def delete_tx(tx: int, ident: int, body: bytes | str = b"") -> Op:
    """Delete a record within a transaction."""
    data = body.encode() if isinstance(body, str) else body
    return {"op": "delete_tx", "tx": str(tx), "id": str(ident), "body": data.hex()}


def prepare(tx: int, extra: bytes | str = b"xid") -> Op:
    """Prepare a transaction."""
    data = extra.encode() if isinstance(extra, str) else extra
    return {"op": "prepare", "tx": str(tx), "extra": data.hex()}


def commit(tx: int) -> Op:
    """Commit a transaction."""
    return {"op": "commit", "tx": str(tx)}


def rollback(tx: int) -> Op:
    """Roll a transaction back."""
    return {"op": "rollback", "tx": str(tx)}


def session(*ops: Op | list[Op]) -> Session:
    """Return a session that opens the journal and does `ops`."""
    flat: list[Op] = [OPEN]
    for op in ops:
        flat.extend(op if isinstance(op, list) else [op])
    return Session(tuple(flat))


def closed(*ops: Op | list[Op]) -> Session:
    """Return such a session that closes the journal in the end."""
    return session(*ops, CLOSE)


def adds(first: int, count: int, size: int = 90) -> list[Op]:
    """Return `count` adds with bodies of `size` bytes."""
    return [add(ident, bytes([ident % 251 + 1]) * size) for ident in range(first, first + count)]


def deletes(first: int, count: int) -> list[Op]:
    """Return the deletes of the same records."""
    return [delete(ident) for ident in range(first, first + count)]
