"""The write operations of this format as the protocol names them, for every edition's writer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from journalspec_reference.api import WriterRefused
from journalspec_reference.bitronix_tlog.codec import STATUS_CODES

Operation = Mapping[str, Any]


def dispatch(handlers: Mapping[str, Callable[[Operation], dict[str, Any]]], op: Operation) -> dict[str, Any]:
    """Run the handler of `op`; raises ValueError if there is none."""
    name = str(op.get("op"))
    if name not in handlers:
        raise ValueError(f"unknown operation {name!r}: expected one of {', '.join(handlers)}")
    return handlers[name](op)


def entry(op: Operation) -> tuple[int, bytes, tuple[bytes, ...]]:
    """Return (status, gtrid, names) of a ``log`` operation.

    ``type`` is the spec's name, or ``status`` a number for any other value;
    ``gtrid`` is hex; ``names`` is a list of text. Raises ValueError on a
    malformed operation and WriterRefused (unencodable) on a name that is not ASCII.
    """
    kind = op.get("type", "OTHER")
    if kind in STATUS_CODES:
        status = STATUS_CODES[kind]
    elif "status" in op:
        status = int(op["status"])
    else:
        raise ValueError(f"unknown record type {kind!r} and no status")
    gtrid = bytes.fromhex(op["gtrid"])
    try:
        names = tuple(str(name).encode("ascii") for name in op.get("names", ()))
    except UnicodeEncodeError as error:
        raise WriterRefused("unencodable", f"a unique name is not ASCII: {error.object!r}") from None
    return status, gtrid, names
