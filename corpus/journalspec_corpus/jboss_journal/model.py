"""The content that a broker must recover: its records, and the transactions in doubt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

#: One record of a message: its kind, user type, and body.
Piece = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Transaction:
    """Represents an open transaction: its changes, (operation, id, piece) each; `extra` if it is prepared."""

    done: tuple[tuple[str, str, Piece], ...] = ()
    extra: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """Represents records by id, each an ADD and its UPDATEs in order, and the transactions without an end."""

    live: Mapping[str, tuple[Piece, ...]] = field(default_factory=dict)
    open: Mapping[str, Transaction] = field(default_factory=dict)


class Messages:
    """Records exist from their ADD (or COMMIT) until their DELETE (JBM-RCV)."""

    def begin(self, state: Mapping[str, Any]) -> Kept:
        """Return the records and prepared transactions of a state."""
        live: dict[str, tuple[Piece, ...]] = {}
        for item in state.get("live", ()):
            live[item["id"]] = (*live.get(item["id"], ()), _piece(item["kind"], item))
        prepared = {
            item["tx"]: Transaction(
                (
                    *(
                        (_OF[record["kind"]], record["id"], _piece(record["kind"], record))
                        for record in item["records"]
                    ),
                    *(("delete_tx", entry["id"], _NOTHING) for entry in item["deletes"]),
                ),
                item["extra"],
            )
            for item in state.get("prepared", ())
        }
        return Kept(live, prepared)

    def after(self, kept: Kept, op: Mapping[str, Any], edition: str) -> Kept:
        """Return the state after one operation."""
        name = op["op"]
        if name == "open":
            # After a restart, no process can end a transaction that was not prepared (JBM-WRT-015).
            return replace(kept, open={tx: item for tx, item in kept.open.items() if item.extra is not None})
        if name in ("add", "update", "delete"):
            return Kept(_done(kept.live, name, op["id"], _piece(name.upper(), op)), kept.open)
        tx = op.get("tx", "")
        before = kept.open.get(tx, Transaction())
        others = {key: value for key, value in kept.open.items() if key != tx}
        if name in _OF.values() or name == "delete_tx":
            piece = _piece(name.removesuffix("_tx").upper(), op)
            done = (*before.done, (name, op["id"], piece))
            return Kept(kept.live, {**others, tx: Transaction(done, before.extra)})
        if name == "prepare":
            return replace(kept, open={**others, tx: replace(before, extra=op.get("extra", ""))})
        if name == "rollback":
            return replace(kept, open=others)
        if name == "commit":
            live = kept.live
            for what, identity, piece in before.done:
                live = _done(live, what.removesuffix("_tx"), identity, piece)
            return Kept(live, others)
        return kept

    def shown(self, kept: Kept) -> dict[str, Any]:
        """Return records in the order of their ids (compaction may change the order of the journal)."""
        return {
            "live": [(key, kept.live[key]) for key in sorted(kept.live)],
            "prepared": [
                (tx, item.extra, sorted(item.done))
                for tx, item in sorted(kept.open.items())
                if item.extra is not None
            ],
        }


_OF = {"ADD": "add_tx", "UPDATE": "update_tx"}
_NOTHING: Piece = ("DELETE", "", "")


def _piece(kind: str, item: Mapping[str, Any]) -> Piece:
    if kind == "DELETE":
        return _NOTHING
    return kind, str(item.get("user_type", "0")), item.get("body", "")


def _done(
    live: Mapping[str, tuple[Piece, ...]], name: str, identity: str, piece: Piece
) -> dict[str, tuple[Piece, ...]]:
    out = dict(live)
    if name == "delete":
        out.pop(identity, None)
    else:
        out[identity] = (*out.get(identity, ()), piece)
    return out
