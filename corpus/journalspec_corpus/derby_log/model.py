"""The content that a database must recover. This content consists of the committed rows, and the branches in
doubt.

Rows in records are decoded with the naive reader's functions, independent of the reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from journalspec.derby_log.operations import tables
from journalspec_corpus.model import StateForm
from journalspec_corpus.naive import Taker

#: Table, key, value.
Row = tuple[str, str, str]
#: Inserted and deleted rows, in order.
Changes = tuple[tuple[str, Row], ...]
#: Committed rows, the changes of each transaction, and the identifiers of XA branches.
Kept = tuple[frozenset[Row], Mapping[str, Changes], Mapping[str, tuple[str, str]]]
_IN, _OUT = "inserted", "deleted"
#: Container, page, record id.
Place = tuple[int, int, int]
#: Rows, and for each branch in doubt its identifier and the rows that it inserts and deletes.
State = tuple[Any, ...]
#: The form of the state in reports; the order does not matter.
STATE = StateForm("derby_log", ("rows", "in_doubt"), ("rows", "in_doubt", "inserted", "deleted"))
CHANGES, UNDOES = ("INSERT", "UPDATE", "DELETE"), ("PHYSICAL_UNDO", "LOGICAL_UNDO")
#: The status of transactions at their ends.
PREPARED, COMMITTED = 2, 4


def columns_in(said: Mapping[str, Any]) -> dict[int, bytes]:
    """Return the columns of the row in a record's data, by number; raises Invalid.

    The row's old content may follow it.
    """
    data = said.get("data", b"")
    taker = Taker(bytes.fromhex(data) if isinstance(data, str) else data)
    found = []
    while taker.at < len(taker.data):
        status, _ = taker.take(1)[0], _compressed(taker)
        first = _compressed(taker) if status & 4 else 0
        columns = {}
        for index in range(first, first + _compressed(taker)):
            how = taker.take(1)[0]
            if not how & 1:
                size = taker.number(2, signed=False) if how & 0x20 else _compressed(taker)
                columns[index] = taker.take(size)
        found.append(columns)
    return found[0] if found else {}


def _compressed(taker: Taker) -> int:
    """Take a compressed int, whose first bits contain its length in bytes (DRB-ENC-002)."""
    first = taker.take(1)[0]
    size, bits = (1, 6) if first < 0x40 else (2, 14) if first < 0x80 else (4, 31)
    return int.from_bytes(bytes([first]) + taker.take(size - 1), "big") & (1 << bits) - 1


def key_in(columns: Mapping[int, bytes]) -> str:
    """Return the key in the columns of a row of the tables."""
    return str(int.from_bytes(columns[0], "big", signed=True))


def value_in(columns: Mapping[int, bytes]) -> str:
    """Return the value in the columns of a row, or empty if it is absent."""
    return columns.get(1, b"")[2:].decode(errors="replace")


def text_in(said: Mapping[str, Any]) -> str:
    """Return the value in the data of a record. Return an empty value if there is none. Raises Invalid."""
    return value_in(columns_in(said))


class TableRows:
    """Represents rows of tables with unique keys: the committed rows, and the changes of prepared branches.

    `after` keeps the changes of open transactions under their names. A prepared branch is kept under its
    identifier. An answer contains only the changes of prepared branches.
    """

    def begin(self, state: Mapping[str, Any]) -> Kept:
        """Return the content of a recovered `state`."""
        changes: dict[str, Changes] = {}
        branches: dict[str, tuple[str, str]] = {}
        for entry in state.get("in_doubt", ()):
            name = f"{entry['gtrid']}/{entry['bqual']}"
            rows = [(kind, row_of(row)) for kind in (_OUT, _IN) for row in entry[kind]]
            changes[name], branches[name] = tuple(rows), (entry["gtrid"], entry["bqual"])
        return frozenset(map(row_of, state.get("rows", ()))), changes, branches

    def after(self, kept: Kept, op: Mapping[str, Any], edition: str) -> Kept:
        """Return the state after `op`."""
        rows, changes, branches = kept[0], dict(kept[1]), dict(kept[2])
        kind, tx = op["op"], op.get("tx", "")
        if kind == "open":
            # A boot rolls back open transactions that are not prepared.
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
                # A transaction without changes has nothing in doubt.
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
    """Return a row that an observation reports."""
    return told["table"], str(told["key"]), told["value"]


def _applied(rows: frozenset[Row], done: Changes) -> frozenset[Row]:
    for kind, row in done:
        rows = rows | {row} if kind == _IN else rows - {row}
    return rows


#: The XA id of a branch: its format, and its two parts as stored in a record.
Branch = tuple[int, Any, Any]


def _branch(told: Mapping[str, Any] | None) -> Branch | None:
    return None if told is None else (int(told["format_id"]), told["gtrid"], told["bqual"])


@dataclass(frozen=True)
class PlacedRows:
    """Represents committed rows by their positions, the changes of each open transaction, and the ids of
    prepared transactions.
    """

    rows: Mapping[Place, Row] = field(default_factory=dict)
    changes: Mapping[str, tuple[tuple[Place, Row | None], ...]] = field(default_factory=dict)
    branches: Mapping[str, Branch] = field(default_factory=dict)
    #: The XA ids of transactions, from their first records.
    begun: Mapping[str, Branch] = field(default_factory=dict)

    def state(self) -> State:
        """Return the rows, and the branches in doubt."""
        doubtful = []
        before = Counter(self.rows.values())
        for tx, ids in self.branches.items():
            placed = {**self.rows, **dict(self.changes.get(tx, ()))}
            after = Counter(row for row in placed.values() if row)
            come, gone = (sorted(rows.elements()) for rows in (after - before, before - after))
            doubtful.append((ids, tuple(come), tuple(gone)))
        # The branches are sorted by the parts of their ids, then by the formats of their ids.
        doubtful.sort(key=lambda one: (*one[0][1:], one))
        return tuple(sorted(self.rows.values())), tuple(doubtful)


class PageRows:
    """Represents the rows of a database.

    The records of the database's log change these rows one after another (DRB-RCV-062).
    """

    def begin(self, state: Mapping[str, Any]) -> PlacedRows:
        """Return the empty state before the beginning of the log."""
        return PlacedRows()

    def after(self, kept: PlacedRows, op: Mapping[str, Any], edition: str) -> PlacedRows:
        """Return the state after one record. `op` contains the type and the fields of the record."""
        kind, tx = op["op"], str(op.get("transaction", ""))
        done = kept.changes.get(tx, ())
        if kind in UNDOES:
            return replace(kept, changes={**kept.changes, tx: done[:-1]})
        if kind == "END":
            return self._ended(kept, op, tx)
        if kind == "BEGIN":
            ids = _branch(op.get("global_id"))
            begun = {**kept.begun, tx: ids} if ids else kept.begun
            # If recovery did not read the earlier use of a number, a new transaction may get this number
            # after a crash.
            changes = {name: done for name, done in kept.changes.items() if name != tx}
            return replace(kept, changes=changes, begun=begun)
        if kind not in CHANGES:
            return kept
        place = int(op["container"]), int(op["page"]), int(op["record_id"])
        # A changed row exists, even if it was deleted before.
        had = [row for at, row in done if at == place and row is not None]
        row = had[-1] if had else kept.rows.get(place)
        if kind == "INSERT":
            row = self._row(op, edition)
        elif kind == "DELETE":
            row = None
        elif row is not None:
            columns = columns_in(op)
            # A row without a value is not reported.
            row = (*row[:2], value_in(columns)) if 1 in columns else None
        return replace(kept, changes={**kept.changes, tx: (*done, (place, row))})

    @staticmethod
    def _row(op: Mapping[str, Any], edition: str) -> Row | None:
        """Return the row of an INSERT. Return None if the row belongs to neither of the two tables."""
        columns, table = columns_in(op), tables(edition).get(int(op["container"]))
        # The first row of a page describes the page, and has other columns.
        if table is None or len(columns.get(0, b"")) != 4 or 1 not in columns:
            return None
        return table, key_in(columns), value_in(columns)

    @staticmethod
    def _ended(kept: PlacedRows, op: Mapping[str, Any], tx: str) -> PlacedRows:
        status = int(op["status"])
        if status == PREPARED:
            ids = kept.begun.get(tx) or _branch(op.get("global_id")) or (0, b"", b"")
            return replace(kept, branches={**kept.branches, tx: ids})
        found = dict(kept.rows)
        for place, row in kept.changes.get(tx, ()) if status == COMMITTED else ():
            if row is None:
                found.pop(place, None)
            else:
                found[place] = row
        left = [{name: one for name, one in of.items() if name != tx} for of in (kept.branches, kept.begun)]
        return PlacedRows(found, {name: done for name, done in kept.changes.items() if name != tx}, *left)
