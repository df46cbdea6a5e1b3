"""What Derby's log gives to the crash engine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from journalspec.observation import CLEAN, REFUSED, Observation
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
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.crash.workloads import Continuations, LongWorkloads
from journalspec_corpus.derby_log import workloads as tables
from journalspec_corpus.derby_log.author import LATER_TABLES, TABLES
from journalspec_corpus.derby_log.bodies import rows
from journalspec_corpus.derby_log.model import TableRows
from journalspec_corpus.derby_log.recording import (
    FORMAT,
    SUM,
    LongRun,
    build,
    key_of,
    record_json,
    resumed,
)

#: Container, page, record id.
Place = tuple[int, int, int]
#: Table, key, value.
Row = tuple[str, str, str]
#: The parts of a state that recovery decides on.
_DECIDED = {"rows", "in_doubt"}
_UNDO = ("PHYSICAL_UNDO", "LOGICAL_UNDO")
#: Container -> table; in no edition one is the other table of another.
_TABLES = {
    number: name for pair in (*TABLES.values(), LATER_TABLES) for number, name in zip(pair, "TU", strict=True)
}
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
            row = (*row[:2], _columns(op)[1][2:].decode())
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
        doubtful = []
        for tx, (form, gtrid, bqual) in kept.branches.items():
            after = {**kept.rows, **dict(kept.changes.get(tx, ()))}
            come = {row for place, row in after.items() if row and kept.rows.get(place) != row}
            gone = {row for place, row in kept.rows.items() if after[place] != row}
            ids = {"format_id": form, "gtrid": gtrid, "bqual": bqual}
            doubtful.append({**ids, "inserted": [*map(_told, come)], "deleted": [*map(_told, gone)]})
        return {"rows": [*map(_told, kept.rows.values())], "in_doubt": doubtful}


def _columns(op: Mapping[str, Any]) -> dict[int, bytes]:
    """Return what a row's record holds, by the numbers of columns."""
    return rows(bytes.fromhex(op["data"]))[0][1]


def _row(op: Mapping[str, Any]) -> Row:
    columns = _columns(op)
    table = _TABLES[int(op["container"])]
    return table, str(int.from_bytes(columns[0], "big", signed=True)), columns[1][2:].decode()


def _told(row: Row) -> dict[str, str]:
    return dict(zip(("table", "key", "value"), row, strict=True))


def answer(observation: Observation) -> Answer:
    """Return what an observation amounts to: all records but those that only carry a checksum.

    Who leaves out what is in doubt, or the rows, has said nothing of effects.
    """
    if observation.verdict == REFUSED:
        return Answer((), observation.code)
    keys = tuple(key_of(record.type, record.fields) for record in observation.records if record.type != SUM)
    found: Mapping[str, Any] = observation.state or {}
    decided = canonical(found) if found.keys() >= _DECIDED else None
    return Answer(keys, None, observation.verdict != CLEAN, state=decided)


def canonical(shown: Mapping[str, Any]) -> State:
    """Return a state as it is told, in tuples: rows and branches sorted."""
    doubtful = (
        (
            (int(each["format_id"]), _hex(each["gtrid"]), _hex(each["bqual"])),
            _sorted(each["inserted"]),
            _sorted(each["deleted"]),
        )
        for each in shown["in_doubt"]
    )
    return _sorted(shown["rows"]), tuple(sorted(doubtful))


def _sorted(told: Any) -> tuple[Row, ...]:
    return tuple(sorted((row["table"], str(row["key"]), row["value"]) for row in told))


def _hex(given: Any) -> str:
    return given if isinstance(given, str) else bytes(given).hex()


MODEL = PageRows()


def state(kept: Kept) -> State:
    """Return what the model keeps, in the same form."""
    return canonical(MODEL.shown(kept))


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
    found, doubtful = decided
    return {
        "rows": [*map(_told, found)],
        "in_doubt": [
            {
                "format_id": str(form),
                "gtrid": gtrid,
                "bqual": bqual,
                "inserted": [*map(_told, come)],
                "deleted": [*map(_told, gone)],
            }
            for (form, gtrid, bqual), come, gone in doubtful
        ],
    }


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
    columns = _columns(said) if "data" in said else {}
    if 1 not in columns:
        return ()
    text = columns[1][2:].decode()
    return (_stored((_TABLES[int(said["container"])], text.partition(":")[0], text)),)


#: Two policies of the reference: one refuses a log that ends before its files say, one leaves it at that.
READERS = (
    StateReader("strict", "strict"),
    StateReader("default", "default", salvaging=True, differs=refuses),
)

CRASH = CrashFormat(
    format=FORMAT,
    first_lives=tables.TABLES.workloads,
    record=build,
    workload_of=tables.TABLES.workload_of,
    kinds=tables.TABLES.rows["kinds"],
    state_readers=READERS,
    answer=answer,
    record_json=record_json,
    uncounted=(SUM,),
    semantics=Semantics(MODEL, action, state, effects, told),
    obeys=tables.TABLES.obeys,
    long=LongWorkloads(
        tables.TABLES, LongRun, tables.REDUCTION.shorter, TableRows(), tables.pools, tables.meaning
    ),
    second=Continuations(
        resumed, tables.TABLES, repeatable=lambda step: step.id != tables.VICTIM
    ).second_lives(),
    smaller=tables.REDUCTION.smaller,
)
