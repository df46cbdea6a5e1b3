"""The naive model of a database: rows that are committed, branches in doubt (DRB-RCV-062 to DRB-RCV-066).

Keys are JSON of what a record says. The log is one: a set is closed if it holds everything of its life
that stands before one of its records (DRB-END-040). Nothing is carried from record to record: what became
of a change follows from the end that its transaction met later.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from brute_effects import Effect, FoldModel, IssuedOp, State, bringing, of_life, of_transactions
from journalspec.derby_log.operations import tables_of_all
from journalspec.observation import jsonable
from journalspec_corpus.derby_log.model import row_of, text_in

CHANGES = ("INSERT", "UPDATE", "DELETE")
UNDONE = ("PHYSICAL_UNDO", "LOGICAL_UNDO")
#: A row by its place, and what stands there.
Place = tuple[str, ...]
Rows = dict[Place, tuple[str, str, str]]


def _transaction(key: str) -> str:
    return str(json.loads(key).get("transaction", ""))


def _ends(key: str) -> str:
    said = json.loads(key)
    return {1: "rollback", 2: "decide", 4: "commit"}[int(said["status"])] if said["type"] == "END" else ""


def _place(said: Mapping[str, Any]) -> Place:
    return tuple(str(said[name]) for name in ("container", "page", "record_id"))


def _standing(told: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the changes of a transaction that were not undone: each undoing is of the last one."""
    left: list[Mapping[str, Any]] = []
    for said in told:
        if said["type"] in CHANGES:
            left.append(said)
        elif said["type"] in UNDONE:
            del left[-1:]
    return left


def _rows(changes: Sequence[Mapping[str, Any]]) -> Rows:
    found: Rows = {}
    for said in changes:
        place, text = _place(said), text_in(said)
        if said["type"] == "DELETE":
            found.pop(place, None)
        elif said["type"] == "INSERT" or place in found:
            found[place] = (tables_of_all()[int(said["container"])], text.partition(":")[0], text)
    return found


def _transactions(told: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return the records of each transaction: a number that recovery never saw is given once more."""
    found: list[list[Mapping[str, Any]]] = []
    for said in told:
        if "transaction" in said:
            same = [each for each in found if each[0]["transaction"] == said["transaction"]]
            if said["type"] == "BEGIN" or not same:
                found.append([said])
            else:
                same[-1].append(said)
    return found


def fold(keys: Sequence[str]) -> State:
    """Return the rows that are committed, and the parts of what is in doubt."""
    told = [{"at": number, **json.loads(key)} for number, key in enumerate(keys)]
    committed: list[Mapping[str, Any]] = []
    doubtful: list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = []
    for mine in _transactions(told):
        statuses = [int(said["status"]) for said in mine if said["type"] == "END"]
        if statuses and statuses[-1] == 4:
            committed += _standing(mine)
        elif statuses and statuses[-1] == 2:
            ids = next(said["global_id"] for said in mine if "global_id" in said)
            doubtful.append((ids, _standing(mine)))
    committed.sort(key=lambda said: int(said["at"]))
    before = _rows(committed)
    shown = []
    for ids, changes in doubtful:
        after = _rows(sorted([*committed, *changes], key=lambda said: int(said["at"])))
        come = [row for place, row in after.items() if before.get(place) != row]
        gone = [row for place, row in before.items() if after.get(place) != row]
        shown.append((ids, come, gone))
    return told_effects(before.values(), shown)


def told_effects(stored: Any, doubtful: Any) -> State:
    """Return rows as effects, and of each branch in doubt its id and the rows that come and go."""
    found: set[Effect] = {("row", *row) for row in stored}
    for ids, come, gone in doubtful:
        branch = tuple(str(jsonable(ids[name])) for name in ("format_id", "gtrid", "bqual"))
        found.add(("in doubt", *branch))
        found |= {("in doubt", *branch, "inserted", *row) for row in come}
        found |= {("in doubt", *branch, "deleted", *row[:2]) for row in gone}
    return frozenset(found)


def effects(state: Mapping[str, Any]) -> State:
    """Return the same of an observation's state."""
    doubtful = [
        (each, *([*map(row_of, each[name])] for name in ("inserted", "deleted")))
        for each in state["in_doubt"]
    ]
    return told_effects(map(row_of, state["rows"]), doubtful)


def _brings(effect: Effect, op: IssuedOp) -> bool:
    said = json.loads(op.key)
    if effect[0] == "row":
        return said["type"] in ("INSERT", "UPDATE") and text_in(said) == effect[3]
    return _ends(op.key) == "decide" and bool(said["global_id"]["gtrid"] == effect[2])


MODEL = FoldModel(
    operations=list,
    needs=of_life,
    loose=of_transactions(_transaction, _ends, lambda key: json.loads(key)["type"] == "BEGIN"),
    fold=fold,
    effects=effects,
    sources=bringing(_brings),
    transaction=_transaction,
    ends=_ends,
    decisions=frozenset({"in doubt"}),
)
