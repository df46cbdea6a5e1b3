"""The naive model of KahaDB: which messages there are, what is owed, what is in doubt (KHD-RCV, KHD-TXN).

Keys are JSON of what a record says. A file is read front to back: a set is closed if it holds everything of
its life and its file that stands before one of its operations (KHD-END-005, KHD-RCV-013), and all of a
transaction with its end. Who skips damaged batches may miss any (KHD-RCV-015), but for what that needs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from brute_effects import Effect, FoldModel, IssuedOp, State, bringing, of_transactions

ENDS = {"PREPARE": "decide", "COMMIT": "commit", "ROLLBACK": "rollback"}


def _transaction(key: str) -> str:
    said = json.loads(key)
    return json.dumps(said["transaction"], sort_keys=True) if "transaction" in said else ""


def _ends(key: str) -> str:
    return ENDS.get(json.loads(key)["type"], "")


def _place(said: Mapping[str, Any]) -> tuple[str, str]:
    return said["destination"]["kind"], said["destination"]["name"]


class _Fold:
    """Commands, one after the other."""

    def __init__(self) -> None:
        #: destination -> rows [id, priority, message], in order
        self.rows: dict[tuple[str, str], list[list[str]]] = {}
        #: destination -> subscription -> ids
        self.owed: dict[tuple[str, str], dict[str, list[str]]] = {}
        self.held: dict[str, list[Mapping[str, Any]]] = {}
        self.doubt: dict[str, list[Mapping[str, Any]]] = {}

    def take(self, key: str) -> None:
        said, tx, end = json.loads(key), _transaction(key), _ends(key)
        if end == "decide":
            if tx in self.held:
                self.doubt[tx] = self.held.pop(tx)
        elif end:
            # KHD-TXN-008: what came behind a PREPARE goes first.
            for each in (self.held if tx in self.held else self.doubt).pop(tx, []):
                if end == "commit":
                    self.do(each)
        elif tx:
            self.held.setdefault(tx, []).append(said)
        elif "destination" in said:
            self.do(said)

    def do(self, said: Mapping[str, Any]) -> None:
        place, kind = _place(said), said["type"]
        if kind == "SUBSCRIPTION":
            self.subscribe(said)
            return
        rows, owed = self.rows.setdefault(place, []), self.owed.setdefault(place, {})
        mine = [row for row in rows if row[0] == said["message_id"]]
        if kind == "REMOVE_MESSAGE":
            if "subscription_key" in said and mine:
                # KHD-RCV-007
                pending = owed.get(said["subscription_key"], [])
                if not pending:
                    return
                pending[:] = [ident for ident in pending if ident != said["message_id"]]
                if any(said["message_id"] in others for others in owed.values()):
                    return
            rows[:] = [row for row in rows if row not in mine]
            for others in owed.values():
                others[:] = [ident for ident in others if ident != said["message_id"] or not mine]
            return
        priority = str(said["priority"]) if said["priority_supported"] else "4"
        new = [said["message_id"], priority, said["message"]]
        if mine:
            if kind == "UPDATE_MESSAGE":
                mine[0][:] = new
        elif "TOPIC" not in place[0] or owed:
            rows.append(new)
            for pending in owed.values():
                pending.append(said["message_id"])

    def subscribe(self, said: Mapping[str, Any]) -> None:
        place, name = _place(said), said["subscription_key"]
        rows, owed = self.rows.setdefault(place, []), self.owed.setdefault(place, {})
        if "subscription_info" in said:
            known = owed.setdefault(name, [])
            known += [row[0] for row in rows if said["retroactive"] and row[0] not in known]
            return
        ended = owed.pop(name, [])
        if not owed:
            # KHD-RCV-009: with the last one the topic goes.
            del self.rows[place], self.owed[place]
            return
        wanted = {ident for pending in owed.values() for ident in pending}
        rows[:] = [row for row in rows if row[0] in wanted or row[0] not in ended]


def fold(keys: Sequence[str]) -> State:
    """Return destinations, messages with their turn, what is owed, and what is in doubt."""
    folded = _Fold()
    for key in keys:
        folded.take(key)
    found: set[Effect] = set()
    for (kind, name), rows in folded.rows.items():
        found |= _held(kind, name, rows, folded.owed[kind, name])
    for tx, changes in folded.doubt.items():
        xa = json.loads(tx)
        if xa["kind"] == "XA":
            told = [[each["type"], *_place(each), each["message_id"]] for each in changes]
            found.add(("in doubt", str(xa["format_id"]), xa["gtrid"], xa["bqual"], repr(told)))
    return frozenset(found)


def _held(
    kind: str, name: str, rows: Sequence[Sequence[str]], owed: Mapping[str, Sequence[str]]
) -> set[Effect]:
    found: set[Effect] = {("destination", kind, name)}
    # KHD-RCV-005: no workload has priorities that differ, and the order is that of the rows.
    for turn, (ident, priority, message) in enumerate(rows):
        found.add(("message", kind, name, ident, priority, message))
        if turn:
            found.add(("behind", kind, name, ident, rows[turn - 1][0]))
    for key, pending in owed.items():
        found.add(("subscription", kind, name, key))
        found |= {("owed", kind, name, ident, key) for ident in pending}
    return found


def effects(state: Mapping[str, Any]) -> State:
    """Return the same of an observation's state."""
    found: set[Effect] = set()
    for place in state["destinations"]:
        rows = [(row["id"], str(row["priority"]), _hex(row["message"])) for row in place["messages"]]
        owed = {each["key"]: list(each["pending"]) for each in place["subscriptions"]}
        found |= _held(place["kind"], place["name"], rows, owed)
    for each in state["in_doubt"]:
        told = [[said["type"], said["kind"], said["name"], said["id"]] for said in each["commands"]]
        xa = (str(each["format_id"]), _hex(each["gtrid"]), _hex(each["bqual"]))
        found.add(("in doubt", *xa, repr(told)))
    return frozenset(found)


def _hex(value: Any) -> str:
    return value if isinstance(value, str) else bytes(value).hex()


_loose = of_transactions(_transaction, _ends)


def _before(ops: Sequence[IssuedOp]) -> list[set[int]]:
    return [
        wants | {n for n in range(number) if (ops[n].life, ops[n].file) == (op.life, op.file)}
        for number, (op, wants) in enumerate(zip(ops, _loose(ops), strict=True))
    ]


def _brings(effect: Effect, op: IssuedOp) -> bool:
    said = json.loads(op.key)
    if effect[0] == "message" and said["type"] in ("ADD_MESSAGE", "UPDATE_MESSAGE"):
        return (*_place(said), said["message_id"], said["message"]) == (*effect[1:4], effect[5])
    if effect[0] == "subscription" and "subscription_info" in said:
        return (*_place(said), said["subscription_key"]) == effect[1:]
    decides = effect[0] == "in doubt" and said["type"] == "PREPARE"
    return decides and bool(said["transaction"].get("gtrid") == effect[2])


MODEL = FoldModel(
    operations=list,
    needs=_before,
    loose=_loose,
    fold=fold,
    effects=effects,
    sources=bringing(_brings),
    transaction=_transaction,
    ends=_ends,
    decisions=frozenset({"in doubt"}),
)
