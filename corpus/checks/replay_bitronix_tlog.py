"""The naive model of the disk journal: which decisions are unfinished (BTM-RCV-009 to BTM-RCV-013)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

Operation = Mapping[str, Any]
EDITIONS = ("2.1", "3.0", "nio")
#: Statuses as an operation may name them. The last three end a transaction for the resources they name.
ENDS = ("COMMITTED", "ROLLEDBACK", "UNKNOWN")
TYPES = ("ACTIVE", "PREPARED", "COMMITTING", "COMMITTING", "COMMITTING", *ENDS, *ENDS)
NAMES = ("a", "b", "c")


def drawn(rng: random.Random, before: Sequence[Operation], edition: str) -> Operation:
    """Return a record of one of three transactions, or an operation that logs nothing."""
    if rng.random() < 0.1:
        return {"op": rng.choice(("force", "close", "open"))}
    names = rng.sample(NAMES, rng.randrange(len(NAMES) + 1))
    return {"op": "log", "type": rng.choice(TYPES), "gtrid": rng.choice(("01", "02", "ff")), "names": names}


def unfinished(ops: Sequence[Operation], edition: str) -> dict[str, list[str]]:
    """Return gtrid -> the names that are still to be committed, in the order of the decisions."""
    # BTM-NIO-013: UNKNOWN ends nothing there.
    ends = ENDS[:-1] if edition == "nio" else ENDS
    found = {}
    for gtrid in dict.fromkeys(op["gtrid"] for op in ops if op.get("type") == "COMMITTING"):
        mine = [op for op in ops if op.get("gtrid") == gtrid]
        # A later decision replaces an earlier one (BTM-RCV-013).
        decided = max(at for at, op in enumerate(mine) if op["type"] == "COMMITTING")
        finished = [op for op in mine[decided:] if op["type"] in ends]
        left = set(mine[decided]["names"]).difference(*(op["names"] for op in finished))
        if left or not finished:
            found[gtrid] = sorted(left)
    return found


def replayed(ops: Sequence[Operation], edition: str) -> dict[str, Any]:
    """Return the decisions that stand, by gtrid."""
    found = sorted(unfinished(ops, edition).items())
    return {"unfinished": [{"gtrid": gtrid, "names": names} for gtrid, names in found]}


def state(ops: Sequence[Operation], edition: str) -> dict[str, Any]:
    """Return the same as recovery reports it: in another order."""
    return {"active": "btm1.tlog", "unfinished": replayed(ops, edition)["unfinished"][::-1], "in_doubt": []}
