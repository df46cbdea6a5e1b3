"""The naive model of the journal: which records are delivered, which transactions are in doubt (JBM-RCV).

Keys are ``type:tx:id:user type:body:extra``. Records that are in flight together arrive in any order, so
a set is closed if with the end of a transaction it holds its records: a COMMIT or PREPARE that does not find
them is not obeyed (JBM-RCV-014, JBM-RCV-019). A damaged record is stepped over by every reader.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from brute_effects import Effect, FoldModel, IssuedOp, State, bringing, of_transactions

#: What a compaction writes, until it is renamed.
COPIES = ".cmp"
#: The life that a trace is about.
OWN = 2


def _parts(key: str) -> list[str]:
    return key.split(":", 5)


def _transaction(key: str) -> str:
    kind, tx, *_ = _parts(key)
    return tx if kind.endswith("_TX") or kind in ("PREPARE", "COMMIT", "ROLLBACK") else ""


def _ends(key: str) -> str:
    return {"PREPARE": "decide", "COMMIT": "commit", "ROLLBACK": "rollback"}.get(_parts(key)[0], "")


def _meaning(op: IssuedOp) -> tuple[str, ...]:
    kind, _, ident, user_type, body, _ = _parts(op.key)
    return (op.record, kind.removesuffix("_TX"), ident, user_type, body)


def operations(ops: Sequence[IssuedOp]) -> list[IssuedOp]:
    """Leave out copies: what a compaction writes, and of what stands before the trace every second place."""
    found: list[IssuedOp] = []
    before = [op for op in ops if op.life < OWN]
    plain = {_meaning(op) for op in before if not _transaction(op.key)}
    for op in ops:
        same = [number for number, other in enumerate(found) if _meaning(other) == _meaning(op)]
        copied = op.file.endswith(COPIES) if op.life == OWN else bool(same)
        if copied and same:
            found[same[-1]] = replace(found[same[-1]], copies=(*found[same[-1]].copies, op.key))
        elif op.life < OWN and _transaction(op.key) and not _ends(op.key) and _meaning(op) in plain:
            # A copy of what a transaction brought is a plain record, and counts alone.
            continue
        elif not copied:
            found.append(op)
    return found


_needs = of_transactions(_transaction, _ends)


def fold(keys: Sequence[str]) -> State:
    """Return what is delivered and what is in doubt after operations in this order."""
    delivered: list[list[str]] = []
    deleted: set[str] = set()
    waiting: dict[str, list[list[str]]] = {}
    prepared: dict[str, str] = {}
    for key in keys:
        kind, tx, ident, user_type, body, extra = _parts(key)
        if kind in ("ADD", "UPDATE"):
            delivered.append([kind, ident, user_type, body])
        elif kind == "DELETE":
            deleted.add(ident)
        elif kind.endswith("_TX"):
            waiting.setdefault(tx, []).append([kind.removesuffix("_TX"), ident, user_type, body])
        elif kind == "PREPARE":
            prepared[tx] = extra
        elif kind in ("COMMIT", "ROLLBACK"):
            held = waiting.pop(tx, [])
            prepared.pop(tx, None)
            if kind == "COMMIT":
                # JBM-RCV-005, JBM-RCV-006
                delivered += [item for item in held if item[0] != "DELETE"]
                deleted |= {item[1] for item in held if item[0] == "DELETE"}
    # JBM-RCV-003: an id that was deleted is not delivered, wherever its records stand.
    live = [item for item in delivered if item[1] not in deleted]
    return _told(live, {tx: (extra, waiting.get(tx, [])) for tx, extra in prepared.items()})


def effects(state: Mapping[str, Any]) -> State:
    """Return what an observation's state tells."""

    def row(item: Mapping[str, Any]) -> list[str]:
        return [item["kind"], str(item["id"]), str(item["user_type"]), _hex(item["body"])]

    doubtful = {
        str(item["tx"]): (
            _hex(item["extra"]),
            [*map(row, item["records"]), *(["DELETE", str(entry["id"])] for entry in item["deletes"])],
        )
        for item in state["prepared"]
    }
    return _told([*map(row, state["live"])], doubtful)


def _hex(value: Any) -> str:
    return value if isinstance(value, str) else bytes(value).hex()


def _told(
    live: Sequence[Sequence[str]], doubtful: Mapping[str, tuple[str, Sequence[Sequence[str]]]]
) -> State:
    found: set[Effect] = set()
    turns: dict[str, int] = {}
    for kind, ident, user_type, body in live:
        # Several records of one id are delivered in their order (JBM-RCV-001).
        turns[ident] = turns.get(ident, 0) + 1
        found.add(("live", ident, str(turns[ident]), kind, user_type, body))
    for tx, (extra, held) in doubtful.items():
        changes = sorted(tuple(item) for item in held if item[0] != "DELETE")
        deletes = sorted({item[1] for item in held if item[0] == "DELETE"})
        found.add(("in doubt", tx, extra, repr(changes), repr(deletes)))
    return frozenset(found)


def once(state: State, keys: Iterable[str]) -> State:
    """Leave out what is delivered again because the record that brings it, one of `keys`, was read twice."""
    twice = {(_parts(key)[0].removesuffix("_TX"), *_parts(key)[2:5]) for key in keys}
    rows = [effect for effect in state if effect[0] == "live"]
    kept: list[tuple[str, ...]] = []
    for _, ident, _, kind, user_type, body in sorted(rows, key=lambda row: (row[1], int(row[2]))):
        if (kind, ident, user_type, body) not in twice or (kind, ident, user_type, body) not in kept:
            kept.append((kind, ident, user_type, body))
    found = set(_told(kept, {}))
    for effect in state - frozenset(rows):
        word, tx, extra, changes, deletes = effect
        held: list[tuple[str, ...]] = literal_eval(changes)
        kept = [item for at, item in enumerate(held) if item not in twice or item not in held[:at]]
        found.add((word, tx, extra, repr(kept), deletes))
    return frozenset(found)


def _brings(effect: Effect, op: IssuedOp) -> bool:
    kind, tx, ident, user_type, body, _ = _parts(op.key)
    if effect[0] == "live":
        return (ident, kind.removesuffix("_TX"), user_type, body) == (effect[1], *effect[3:])
    return kind == "PREPARE" and tx == effect[1]


MODEL = FoldModel(
    operations=operations,
    needs=_needs,
    loose=_needs,
    fold=fold,
    effects=effects,
    sources=bringing(_brings),
    transaction=_transaction,
    ends=_ends,
    decisions=frozenset({"in doubt"}),
    once=once,
)
