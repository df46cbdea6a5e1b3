"""The naive model of a database: rows and branches, from the whole history (DRB-RCV-065, DRB-RCV-066).

Nothing is carried from operation to operation: what a change came to follows from what its transaction met.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from journalspec_corpus.derby_log.drawing import operation
from journalspec_corpus.derby_log.model import STATE, TableRows

Operation = Mapping[str, Any]
MODEL = TableRows()
EDITIONS = ("10.16", "10.1", "10.0")
CHANGES = ("insert", "update", "delete")
#: What becomes of a change.
DONE, OPEN, DOUBT, GONE = "done", "open", "doubt", "gone"


def drawn(rng: random.Random, before: Sequence[Operation], edition: str) -> Operation:
    """Return an operation on a row, an end of a transaction, a checkpoint or a boot."""
    if not before or rng.random() < 0.06:
        return {"op": rng.choice(("open", "checkpoint")) if before else "open"}
    kept = MODEL.begin({})
    for op in before:
        kept = MODEL.after(kept, op, edition)
    return operation(rng, kept, len(before))


def _row(op: Operation) -> tuple[str, str]:
    return str(op.get("table", "")), str(op.get("key", ""))


def _branch(ops: Sequence[Operation], at: int) -> tuple[str, str]:
    start = next(op for op in ops if op["op"] == "start" and op["tx"] == ops[at]["tx"])
    return str(start["gtrid"]), str(start["bqual"])


def _fate(ops: Sequence[Operation], at: int) -> str:
    """Return what became of the transaction of operation `at`, or of the operation itself."""
    tx = ops[at].get("tx")
    if tx is None:
        return DONE if ops[at]["op"] in CHANGES else GONE
    prepared = False
    for op in ops[at + 1 :] if ops[at]["op"] != "prepare" else ops[at:]:
        if op.get("tx") == tx and op["op"] in ("commit", "rollback"):
            return DONE if op["op"] == "commit" else GONE
        if op.get("tx") == tx and op["op"] == "prepare":
            prepared = True
        if op["op"] == "open" and not prepared:
            return GONE
        if prepared and op["op"] == "decide" and (op["gtrid"], op["bqual"]) == _branch(ops, at):
            return DONE if op["commit"] else GONE
    if ops[at]["op"] in ("commit", "rollback"):
        return GONE
    return DOUBT if prepared else OPEN


def _rows(ops: Sequence[Operation], *also: str) -> dict[tuple[str, str], str]:
    """Return the values of all rows by table and key, changes of these fates counted too."""
    found: dict[tuple[str, str], str] = {}
    for row in {_row(op) for op in ops if op["op"] in CHANGES}:
        mine = [op for at, op in enumerate(ops) if op["op"] in CHANGES and _row(op) == row]
        done = [op for at, op in enumerate(ops) if op in mine and _fate(ops, at) in (DONE, *also)]
        if done and done[-1]["op"] != "delete":
            found[row] = str(done[-1]["value"])
    return found


def replayed(ops: Sequence[Operation], edition: str) -> dict[str, Any]:
    """Return rows and branches in doubt."""
    rows = _rows(ops)
    in_doubt = []
    doubtful = [at for at in range(len(ops)) if _fate(ops, at) == DOUBT]
    for branch in {_branch(ops, at) for at in doubtful}:
        mine = [ops[at] for at in doubtful if _branch(ops, at) == branch]
        changed = {_row(op) for op in mine if op["op"] in CHANGES}
        after = {row: value for row, value in _rows(ops, DOUBT).items() if row in changed}
        come = sorted((*row, value) for row, value in after.items() if rows.get(row) != value)
        gone = sorted((*row, rows[row]) for row in changed if row in rows and after.get(row) != rows[row])
        in_doubt.append((branch, come, gone))
    return {"rows": sorted((*row, value) for row, value in rows.items()), "in_doubt": sorted(in_doubt)}


def state(ops: Sequence[Operation], edition: str) -> dict[str, Any]:
    """Return the same as recovery reports it, as JSON."""
    told = replayed(ops, edition)
    doubtful = [(("1", *branch), come, gone) for branch, come, gone in told["in_doubt"]]
    return STATE.told((told["rows"], doubtful))
