"""Records as objects: made of the rows of a batch on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from journalspec.kahadb_journal.commands import messages
from journalspec.observation import At, Record
from journalspec_reference.batches import Batch
from journalspec_reference.kahadb_journal.codec import CONTROL, HEAD, Dialect, Parsed, parsed, sums
from journalspec_reference.kahadb_journal.store import TxId, destination_of, transaction_of


def told(batch: Batch, file: str, dialect: Dialect) -> Iterator[Record]:
    """Yield the records of a batch under the names of the specification (KHD-CMD)."""
    data, first = batch.data, frozenset(batch.more.get("first", ()))
    known = batch.more.get("parsed")
    for row, (off, end) in enumerate(zip(batch.off, batch.end, strict=True)):
        fields: dict[str, object] = {"length": end - off}
        if row in first:
            fields["batch_size"], fields["checksum"] = sums(data, off - CONTROL)
        item: Parsed = ""
        if not dialect.bare:
            item = known[row] if isinstance(known, list) else parsed(data[off + HEAD : end], dialect)[0]
        if isinstance(item, str):
            name, fields["payload"] = "OTHER", data[off + HEAD : end]
        else:
            name = item[0]
            fields |= shown(*item)
        yield Record(name, fields, At(file, batch.base + off, end - off))


_EMPTY: Mapping[str, Any] = {"s4": 0, "s8": 0, "bool": False, "str": "", "bytes": b""}
#: Fields that are omitted where they are not stored.
_OPTIONAL = frozenset(["transaction", "ack", "subscription_info", "text"])


def is_optional(command: str, field: str) -> bool:
    """Return whether a field is omitted where it is not stored; any other has its default then."""
    return field in _OPTIONAL or (command, field) == ("REMOVE_MESSAGE", "subscription_key")


def shown(command: str, fields: Mapping[str, Any]) -> dict[str, object]:
    """Return the fields of a command as an observation has them (KHD-CMD-007)."""
    if command == "UPDATE_MESSAGE":
        command, fields = "ADD_MESSAGE", {**fields.get("add", {}), "transaction": None}
    out: dict[str, object] = {}
    for slot in messages()[command].values():
        if slot.name == "destination":
            kind, name = destination_of(fields)
            out["destination"] = {"kind": kind, "name": name}
        elif slot.name == "transaction":
            if (tx := transaction_of(fields)) is not None:
                out["transaction"] = _transaction(tx)
        elif slot.name in fields:
            out[slot.name] = fields[slot.name]
        elif not is_optional(command, slot.name):
            out[slot.name] = _EMPTY[slot.holds] if slot.default is None else slot.default
    return out


#: The members of a transaction, by its kind.
TX_MEMBERS = {"LOCAL": ("kind", "connection", "number"), "XA": ("kind", "format_id", "gtrid", "bqual")}


def _transaction(tx: TxId) -> dict[str, object]:
    return dict(zip(TX_MEMBERS[tx[0]], tx, strict=True))
