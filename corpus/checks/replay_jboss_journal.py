"""The naive model of the journal: which records are in effect, which transactions in doubt (JBM-RCV)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

Operation = Mapping[str, Any]
EDITIONS = ("seed", "seed+hash", "v2")
CHANGES = ("add", "update", "delete")
TXS = ("1", "2", "10")


def drawn(rng: random.Random, before: Sequence[Operation], edition: str) -> Operation:
    """Return a change, in a transaction or not, its end, or a new start; deleted ids do not come back."""
    what = rng.random()
    started = [op["tx"] for op in before if op["op"].endswith("_tx")]
    if what < 0.25 and started:
        end = rng.choice(("prepare", "commit", "commit", "rollback"))
        extra = {"extra": rng.choice(("", "6578"))} if end == "prepare" else {}
        return {"op": end, "tx": rng.choice(started), **extra}
    if what < 0.35:
        return {"op": rng.choice(("open", "force", "next"))}
    gone = {op["id"] for op in before if op["op"].startswith("delete")}
    name = rng.choice(CHANGES)
    ident = rng.choice([number for number in map(str, range(30)) if number not in gone][:4])
    op: dict[str, Any] = {"op": name, "id": ident}
    if name != "delete":
        op |= {"user_type": str(rng.randrange(3)), "body": f"{rng.randrange(256):02x}"}
    # Nothing is added to what was prepared.
    free = [tx for tx in TXS if tx not in in_doubt(before)]
    return {**op, "op": f"{name}_tx", "tx": rng.choice(free)} if free and rng.random() < 0.5 else op


def _end(ops: Sequence[Operation], at: int) -> int:
    """Return when the transaction of the operation at `at` ended, `len(ops)` if it has not.

    At a start nobody is left who could end what was not prepared (JBM-WRT-015).
    """
    prepared = ops[at]["op"] == "prepare"
    for later in range(at + 1, len(ops)):
        name, mine = ops[later]["op"], ops[later].get("tx") == ops[at]["tx"]
        if (name == "open" and not prepared) or (mine and name in ("commit", "rollback")):
            return later
        prepared = prepared or (mine and name == "prepare")
    return len(ops)


def _kind(op: Operation) -> str:
    return str(op["op"]).removesuffix("_tx").upper()


def in_effect(ops: Sequence[Operation]) -> list[Operation]:
    """Return the changes that are in effect, in the order in which they came to be."""
    done: list[tuple[int, int]] = [(at, at) for at, op in enumerate(ops) if op["op"] in CHANGES]
    ends = [(_end(ops, at), at) for at, op in enumerate(ops) if op["op"].endswith("_tx")]
    done += [(end, at) for end, at in ends if end < len(ops) and ops[end]["op"] == "commit"]
    deleted = {ops[at]["id"]: (end, at) for end, at in sorted(done) if _kind(ops[at]) == "DELETE"}
    return [ops[at] for end, at in sorted(done) if (end, at) > deleted.get(ops[at]["id"], (-1, -1))]


def in_doubt(ops: Sequence[Operation]) -> dict[Any, tuple[Operation, list[Operation]]]:
    """Return for each transaction in doubt its latest PREPARE, and its changes."""
    open_ = [op for at, op in enumerate(ops) if op.get("tx") and _end(ops, at) == len(ops)]
    changes = [op for op in open_ if op["op"].endswith("_tx")]
    return {
        op["tx"]: (op, [change for change in changes if change["tx"] == op["tx"]])
        for op in open_
        if op["op"] == "prepare"
    }


def _piece(op: Operation) -> tuple[str, str, str]:
    return _kind(op), op.get("user_type", ""), op.get("body", "")


def replayed(ops: Sequence[Operation], edition: str) -> dict[str, Any]:
    """Return the records by id, and the transactions in doubt."""
    live: dict[str, tuple[tuple[str, str, str], ...]] = {}
    for op in in_effect(ops):
        live[op["id"]] = (*live.get(op["id"], ()), _piece(op))
    return {
        "live": sorted(live.items()),
        "prepared": [
            (tx, prepare.get("extra", ""), sorted((op["op"], op["id"], _piece(op)) for op in held))
            for tx, (prepare, held) in sorted(in_doubt(ops).items())
        ],
    }


def state(ops: Sequence[Operation], edition: str) -> dict[str, Any]:
    """Return the same as recovery reports it."""

    def told(held: Sequence[Operation]) -> list[dict[str, str]]:
        kept = [op for op in held if _kind(op) != "DELETE"]
        return [
            {"kind": _kind(op), **{name: op[name] for name in ("id", "user_type", "body")}} for op in kept
        ]

    return {
        "live": told(in_effect(ops)),
        "prepared": [
            {
                "tx": tx,
                "extra": prepare.get("extra", ""),
                "records": told(held),
                "deletes": [{"id": op["id"]} for op in held if _kind(op) == "DELETE"],
            }
            for tx, (prepare, held) in in_doubt(ops).items()
        ],
    }
