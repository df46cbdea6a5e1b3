"""The naive model of the disk journal: which decisions are unfinished (BTM-RCV-009 to BTM-RCV-013).

Keys are ``status:time:sequence:crc:gtrid:names``. The log is read front to back: a set is closed if it holds
everything of its life that stands before one of its operations (BTM-RDR-002). Who skips damaged records may
miss any (BTM-RCV-008).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from brute_effects import Effect, FoldModel, IssuedOp, State, bringing

COMMITTING, ENDS = "8", ("3", "4", "5")


def _parts(key: str) -> tuple[str, str, list[str]]:
    status, _, _, _, gtrid, names = key.split(":", 5)
    return status, gtrid, [name for name in names.split(",") if name]


def fold(keys: Sequence[str]) -> State:
    """Return the branches that are still to be committed, each decision with one without a name."""
    open_branches: dict[str, list[str]] = {}
    for key in keys:
        status, gtrid, names = _parts(key)
        if status == COMMITTING:
            # BTM-RCV-009, BTM-RCV-013: a later one replaces the names.
            open_branches[gtrid] = names
        elif status in ENDS and gtrid in open_branches:
            # BTM-RCV-010: what is not named stays.
            left = [name for name in open_branches[gtrid] if name not in names]
            if left:
                open_branches[gtrid] = left
            else:
                del open_branches[gtrid]
    return effects(
        {"unfinished": [{"gtrid": gtrid, "names": names} for gtrid, names in open_branches.items()]}
    )


def effects(state: Mapping[str, Any]) -> State:
    """Return the branches of an observation's state."""
    found: set[Effect] = set()
    for entry in state["unfinished"]:
        gtrid = entry["gtrid"]
        text = gtrid if isinstance(gtrid, str) else bytes(gtrid).hex()
        found.update(("unfinished", text, name) for name in (*entry["names"], ""))
    return frozenset(found)


def _before(ops: Sequence[IssuedOp]) -> list[set[int]]:
    return [{n for n in range(number) if ops[n].life == op.life} for number, op in enumerate(ops)]


def _brings(effect: Effect, op: IssuedOp) -> bool:
    _, gtrid, name = effect
    _, other, names = _parts(op.key)
    return other == gtrid and (not name or name in names)


def _ends(key: str) -> str:
    return {COMMITTING: "commit", "3": "finish", "5": "finish", "4": "rollback"}.get(_parts(key)[0], "")


MODEL = FoldModel(
    operations=list,
    needs=_before,
    loose=lambda ops: [set() for _ in ops],
    fold=fold,
    effects=effects,
    sources=bringing(_brings),
    transaction=lambda key: _parts(key)[1],
    ends=_ends,
    decisions=frozenset({"unfinished"}),
)
