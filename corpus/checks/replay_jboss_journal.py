"""The naive replay of the journal: which records are there, which transactions are in doubt (JBM-RCV)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
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
    free = [tx for tx in TXS if tx not in _prepared(before)]
    return {**op, "op": f"{name}_tx", "tx": rng.choice(free)} if free and rng.random() < 0.5 else op


def _life(ops: Sequence[Operation], at: int) -> tuple[int, int, int]:
    """Return when the transaction of the change at `at` was committed, prepared, and over without that.

    Indexes; `len(ops)` for never.
    """
    never = len(ops)
    commit = prepared = over = never
    for later in range(at + 1, never):
        op = ops[later]
        if op["op"] == "open" and prepared == never:
            # Nobody is left who could end it (JBM-WRT-015).
            return never, never, later
        if op.get("tx") == ops[at]["tx"]:
            if op["op"] == "prepare":
                prepared = later
            elif op["op"] == "commit":
                return later, prepared, over
            elif op["op"] == "rollback":
                return never, prepared, later
    return commit, prepared, over


def _changes(ops: Sequence[Operation]) -> Iterator[tuple[int, int, Operation]]:
    """Yield each change that is done: when, which it is, and itself."""
    for at, op in enumerate(ops):
        name = op["op"]
        if name in CHANGES:
            yield at, at, op
        elif name.endswith("_tx"):
            commit, _, _ = _life(ops, at)
            if commit < len(ops):
                yield commit, at, op


def _kind(op: Operation) -> str:
    return str(op["op"]).removesuffix("_tx").upper()


def _live(ops: Sequence[Operation]) -> list[Operation]:
    """Return the changes that are in effect, in the order in which they came to be."""
    done = sorted(_changes(ops), key=lambda change: change[:2])
    last: dict[str, tuple[int, int]] = {}
    for when, at, op in done:
        if _kind(op) == "DELETE":
            last[op["id"]] = when, at
    return [
        op for when, at, op in done if _kind(op) != "DELETE" and (when, at) > last.get(op["id"], (-1, -1))
    ]


def _prepared(ops: Sequence[Operation]) -> dict[str, tuple[str, list[Operation]]]:
    """Return for each transaction in doubt what came with the PREPARE, and its changes."""
    found: dict[str, tuple[str, list[Operation]]] = {}
    for tx in TXS:
        mine = [
            at
            for at, op in enumerate(ops)
            if op.get("tx") == tx and op["op"] in ("prepare", "commit", "rollback")
        ]
        ends = [at for at in mine if ops[at]["op"] != "prepare"]
        since = max(ends, default=-1)
        signs = [at for at in mine if at > since]
        if signs:
            # An `open` before the PREPARE ended what had been begun until then.
            opened = [at for at in range(since + 1, signs[0]) if ops[at]["op"] == "open"]
            start = max(opened, default=since)
            held = [op for op in ops[start + 1 :] if op["op"].endswith("_tx") and op["tx"] == tx]
            found[tx] = ops[signs[-1]].get("extra", ""), held
    return found


def _piece(op: Operation) -> tuple[str, str, str]:
    return _kind(op), op.get("user_type", ""), op.get("body", "")


def replayed(ops: Sequence[Operation], edition: str) -> dict[str, Any]:
    """Return the records by id, and the transactions in doubt."""
    live: dict[str, list[tuple[str, str, str]]] = {}
    for op in _live(ops):
        live.setdefault(op["id"], []).append(_piece(op))
    return {
        "live": [(key, tuple(live[key])) for key in sorted(live)],
        "prepared": [
            (tx, extra, sorted((op["op"], op["id"], _piece(op)) for op in held))
            for tx, (extra, held) in sorted(_prepared(ops).items())
        ],
    }


def state(ops: Sequence[Operation], edition: str) -> dict[str, Any]:
    """Return the same as recovery reports it."""

    def told(op: Operation) -> dict[str, str]:
        return {"kind": _kind(op), "id": op["id"], "user_type": op["user_type"], "body": op["body"]}

    return {
        "live": [told(op) for op in _live(ops)],
        "prepared": [
            {
                "tx": tx,
                "extra": extra,
                "records": [told(op) for op in held if _kind(op) != "DELETE"],
                "deletes": [{"id": op["id"]} for op in held if _kind(op) == "DELETE"],
            }
            for tx, (extra, held) in _prepared(ops).items()
        ],
    }
