"""What Derby's log gives to the crash engine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from journalspec.derby_log.operations import tables_of_all
from journalspec.observation import jsonable
from journalspec_corpus.crash.adapter import CrashFormat, StateReader, refuses
from journalspec_corpus.crash.effects import (
    ALONE,
    COMMIT,
    DECISION,
    MEMBER,
    PREPARE,
    RECORD,
    ROLLBACK,
    Action,
    Effect,
    Semantics,
    State,
)
from journalspec_corpus.crash.recorder import record_of_json
from journalspec_corpus.crash.verdict import answering
from journalspec_corpus.crash.workloads import Continuations
from journalspec_corpus.derby_log import workloads as tables
from journalspec_corpus.derby_log.bodies import columns_in, key_in, value_in
from journalspec_corpus.derby_log.model import Row, row_of, shown_state
from journalspec_corpus.derby_log.recording import (
    SUM,
    LongRun,
    build,
    key_of,
    resumed,
)

#: Container, page, record id.
Place = tuple[int, int, int]
_UNDO = ("PHYSICAL_UNDO", "LOGICAL_UNDO")
#: What the end of a transaction is, by the status in its record.
_ENDS = {1: ROLLBACK, 2: PREPARE, 4: COMMIT}


@dataclass(frozen=True)
class Kept:
    """Committed rows by their places, what each open transaction changed, and the ids of prepared ones."""

    rows: Mapping[Place, Row]
    changes: Mapping[str, tuple[tuple[Place, Row | None], ...]]
    branches: Mapping[str, tuple[int, str, str]]


class PageRows:
    """The rows of a database as the records of its log change them, one after the other (DRB-RCV-062)."""

    def begin(self, state: Mapping[str, Any]) -> Kept:
        """Return what is kept before the log begins: nothing."""
        return Kept({}, {}, {})

    def after(self, kept: Kept, op: Mapping[str, Any], edition: str) -> Kept:
        """Return what is kept after one record."""
        kind, tx = op["op"], str(op.get("transaction", ""))
        done = kept.changes.get(tx, ())
        if kind in _UNDO:
            return replace(kept, changes={**kept.changes, tx: done[:-1]})
        if kind == "END":
            return self._ended(kept, op, tx)
        if kind == "BEGIN" and tx in kept.changes:
            # A number that no recovery has seen is given once more.
            return replace(kept, changes={name: done for name, done in kept.changes.items() if name != tx})
        if kind not in ("INSERT", "UPDATE", "DELETE"):
            return kept
        place = int(op["container"]), int(op["page"]), int(op["record_id"])
        row = dict(done).get(place, kept.rows.get(place))
        if kind == "INSERT":
            row = _row(op)
        elif kind == "DELETE":
            row = None
        elif row is not None:
            row = (*row[:2], value_in(columns_in(op)))
        return replace(kept, changes={**kept.changes, tx: (*done, (place, row))})

    @staticmethod
    def _ended(kept: Kept, op: Mapping[str, Any], tx: str) -> Kept:
        how = _ENDS[int(op["status"])]
        if how == PREPARE:
            branch = op["global_id"]
            ids = int(branch["format_id"]), branch["gtrid"], branch["bqual"]
            return replace(kept, branches={**kept.branches, tx: ids})
        found = dict(kept.rows)
        for place, row in kept.changes.get(tx, ()) if how == COMMIT else ():
            if row is None:
                found.pop(place, None)
            else:
                found[place] = row
        rest = {name: done for name, done in kept.changes.items() if name != tx}
        return Kept(found, rest, {name: ids for name, ids in kept.branches.items() if name != tx})

    def shown(self, kept: Kept) -> dict[str, Any]:
        """Return what recovery must report."""
        return told(state(kept))


def _row(op: Mapping[str, Any]) -> Row:
    columns = columns_in(op)
    return tables_of_all()[int(op["container"])], key_in(columns), value_in(columns)


def state(kept: Kept) -> State:
    """Return the rows, and of each branch in doubt its identifier and the rows that come and go with it."""
    doubtful = []
    for tx, ids in kept.branches.items():
        after = {**kept.rows, **dict(kept.changes.get(tx, ()))}
        come = {row for place, row in after.items() if row and kept.rows.get(place) != row}
        gone = {row for place, row in kept.rows.items() if after[place] != row}
        doubtful.append((ids, tuple(sorted(come)), tuple(sorted(gone))))
    return tuple(sorted(kept.rows.values())), tuple(sorted(doubtful))


def canonical(shown: Mapping[str, Any]) -> State:
    """Return a state as it is told in the same form."""
    doubtful = (
        (
            (int(each["format_id"]), str(jsonable(each["gtrid"])), str(jsonable(each["bqual"]))),
            *(tuple(sorted(map(row_of, each[name]))) for name in ("inserted", "deleted")),
        )
        for each in shown["in_doubt"]
    )
    return tuple(sorted(map(row_of, shown["rows"]))), tuple(sorted(doubtful))


def effects(decided: State) -> Iterator[Effect]:
    """Yield an effect for each row, and for each part of what is in doubt."""
    found, doubtful = decided
    yield from map(_stored, found)
    for ids, come, gone in doubtful:
        tx = _xa(*ids)
        yield Effect(DECISION, tx, "")
        yield from (Effect(DECISION, tx, f"inserted {':'.join(row)}") for row in come)
        yield from (Effect(DECISION, tx, f"deleted {':'.join(row[:2])}") for row in gone)


def _stored(row: Row) -> Effect:
    return Effect(RECORD, ":".join(row[:2]), row[2])


def _xa(form: int, gtrid: str, bqual: str) -> str:
    return f"{form}:{gtrid}:{bqual}"


def told(decided: State) -> dict[str, Any]:
    """Return what an observation says of them."""
    found: dict[str, Any] = jsonable(shown_state(*decided))
    return found


def action(key: str) -> Action:
    """Return what the record called `key` does."""
    said = json.loads(key)
    op = {"op": said["type"], **said}
    tx = str(said.get("transaction", ""))
    if said["type"] == "END":
        role = _ENDS[int(said["status"])]
        made: tuple[Effect, ...] = ()
        if role == PREPARE:
            branch = said["global_id"]
            made = (Effect(DECISION, _xa(int(branch["format_id"]), branch["gtrid"], branch["bqual"]), ""),)
        return Action(op, tx, role, made)
    if said["type"] in ("INSERT", "UPDATE", "DELETE"):
        return Action(op, tx, MEMBER, _makes(said))
    return Action(op, tx, MEMBER if said["type"] in _UNDO else ALONE)


def _makes(said: Mapping[str, Any]) -> tuple[Effect, ...]:
    """Return the row that is there once its transaction has committed: a value begins with its key."""
    text = value_in(columns_in(said))
    row = tables_of_all()[int(said["container"])], text.partition(":")[0], text
    return (_stored(row),) if text else ()


MODEL = PageRows()

#: Two policies of the reference: one refuses a log that ends before its files say, one leaves it at that.
READERS = (
    StateReader("strict", "strict"),
    StateReader("default", "default", salvaging=True, differs=refuses),
)

CRASH = CrashFormat.by_tables(
    tables,
    LongRun,
    record=build,
    state_readers=READERS,
    # The record that only carries a checksum stands for nothing.
    answer=answering(key_of, canonical, {"rows", "in_doubt"}, (SUM,)),
    record_json=record_of_json,
    uncounted=(SUM,),
    semantics=Semantics(MODEL, action, state, effects, told),
    second=Continuations(
        resumed, tables.TABLES, repeatable=lambda step: step.id != tables.VICTIM
    ).second_lives(),
)
