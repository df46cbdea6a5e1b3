"""What a database has to find again: the rows that were committed, and branches in doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Json = dict[str, Any]
#: Table, key, value.
Row = tuple[str, str, str]
#: Rows that are put in and taken away, in order.
Changes = tuple[tuple[str, Row], ...]
#: Committed rows, what each transaction has changed, and the identifiers of those that are branches.
Kept = tuple[frozenset[Row], Mapping[str, Changes], Mapping[str, tuple[str, str]]]
_IN, _OUT = "inserted", "deleted"


class TableRows:
    """Rows of tables, keys being unique: what was committed, and what prepared branches would change.

    `after` keeps what open transactions have done under their names; branches that are prepared are named by
    their identifiers from then on, and only these are shown.
    """

    def begin(self, state: Mapping[str, Any]) -> Kept:
        """Return what a recovered `state` holds."""
        changes: dict[str, Changes] = {}
        branches: dict[str, tuple[str, str]] = {}
        for entry in state.get("in_doubt", ()):
            name = f"{entry['gtrid']}/{entry['bqual']}"
            rows = [(kind, row_of(row)) for kind in (_OUT, _IN) for row in entry[kind]]
            changes[name], branches[name] = tuple(rows), (entry["gtrid"], entry["bqual"])
        return frozenset(map(row_of, state.get("rows", ()))), changes, branches

    def after(self, kept: Kept, op: Mapping[str, Any], edition: str) -> Kept:
        """Return what is kept once `op` was done."""
        rows, changes, branches = kept[0], dict(kept[1]), dict(kept[2])
        kind, tx = op["op"], op.get("tx", "")
        if kind == "open":
            # Boots roll back what is open and not prepared.
            changes = {name: done for name, done in changes.items() if "/" in name}
            branches = {name: branch for name, branch in branches.items() if "/" in name}
        elif kind in ("insert", "update", "delete"):
            done = tuple(self._changes(rows, changes.get(tx, ()), op))
            if tx:
                changes[tx] = (*changes.get(tx, ()), *done)
            else:
                rows = _applied(rows, done)
        elif kind == "start":
            branches[tx] = (op["gtrid"], op["bqual"])
        elif kind == "prepare":
            name = "/".join(branch := branches.pop(tx))
            if tx in changes:
                # Who has changed nothing has nothing to be in doubt about.
                branches[name], changes[name] = branch, changes.pop(tx)
        elif kind in ("commit", "rollback", "decide"):
            name = f"{op['gtrid']}/{op['bqual']}" if kind == "decide" else tx
            done = changes.pop(name, ())
            branches.pop(name, None)
            if kind == "commit" or str(op.get("commit")).lower() == "true":
                rows = _applied(rows, done)
        return rows, changes, branches

    @staticmethod
    def _changes(rows: frozenset[Row], done: Changes, op: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
        if op["op"] != "insert":
            for row in _applied(rows, done):
                if row[:2] == (op["table"], op["key"]):
                    yield _OUT, row
        if op["op"] != "delete":
            yield _IN, (op["table"], op["key"], op["value"])

    def shown(self, kept: Kept) -> dict[str, Any]:
        """Return committed rows, and the prepared branches."""
        rows, changes, branches = kept
        in_doubt = []
        for name in sorted(name for name in branches if "/" in name):
            after = _applied(rows, changes[name])
            in_doubt.append((branches[name], sorted(after - rows), sorted(rows - after)))
        return {"rows": sorted(rows), "in_doubt": in_doubt}


def row_of(told: Mapping[str, Any]) -> Row:
    """Return a row that an observation tells."""
    return told["table"], str(told["key"]), told["value"]


def shown_state(rows: Iterable[Row], in_doubt: Iterable[tuple[Any, Iterable[Row], Iterable[Row]]]) -> Json:
    """Return a state as an observation has it; of a branch its identifier, and the rows that come and go."""
    return {
        "rows": _shown(rows),
        "in_doubt": [
            {
                **dict(zip(("format_id", "gtrid", "bqual"), ids, strict=True)),
                "inserted": _shown(come),
                "deleted": _shown(gone),
            }
            for ids, come, gone in in_doubt
        ],
    }


def _shown(rows: Iterable[Row]) -> list[dict[str, str]]:
    return [dict(zip(("table", "key", "value"), row, strict=True)) for row in rows]


def _applied(rows: frozenset[Row], done: Changes) -> frozenset[Row]:
    for kind, row in done:
        rows = rows | {row} if kind == _IN else rows - {row}
    return rows
