"""What Derby's log gives to the crash engine."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
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
from journalspec_corpus.crash.pages import blake
from journalspec_corpus.crash.recorder import record_of_json
from journalspec_corpus.crash.verdict import answering
from journalspec_corpus.crash.workloads import Continuations, LongWorkloads
from journalspec_corpus.derby_log import workloads as tables
from journalspec_corpus.derby_log.bodies import rows
from journalspec_corpus.derby_log.model import Row, TableRows, row_of, shown_state
from journalspec_corpus.derby_log.recording import (
    FORMAT,
    SUM,
    LongRun,
    build,
    key_of,
    resumed,
)
from journalspec_reference.derby_log.bodies import EDITIONS, decode, known
from journalspec_reference.derby_log.codec import HEADER, BadLog, Instant
from journalspec_reference.derby_log.scan import BadHeader, End, Scan, choose, gather

#: What bodies begin with that are not encrypted; longer records are compared by their digests (bytes).
BODY_START, _SHORT = b"\x00\x81", 1 << 10
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
        return told(state(kept))


def _columns(op: Mapping[str, Any]) -> dict[int, bytes]:
    """Return what a row's record holds, by the numbers of columns."""
    return rows(bytes.fromhex(op["data"]))[0][1] if "data" in op else {}


def _row(op: Mapping[str, Any]) -> Row:
    columns = _columns(op)
    table = tables_of_all()[int(op["container"])]
    return table, str(int.from_bytes(columns[0], "big", signed=True)), columns[1][2:].decode()


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
    columns = _columns(said)
    if 1 not in columns:
        return ()
    text = columns[1][2:].decode()
    return (_stored((tables_of_all()[int(said["container"])], text.partition(":")[0], text)),)


def parsed(files: Mapping[str, bytes], edition: str) -> Hashable | None:
    """Return all that recovery's answer on a log follows from; None if something else may count as well.

    Of a log file these are its header, its records from there on, why there are no more, and whether anything
    is left behind them: where, and what, is told, and no answer has it. That is so if records are looked for
    only where a walk finds them: logs that send elsewhere have to be read, and encrypted ones. Of all other
    files everything counts.
    """
    if edition not in EDITIONS:
        return None
    logs = gather(files)
    ours = {file.name for file in logs.values()}
    said: list[Hashable] = [edition]
    said += [(name, _named(files[name])) for name in files if name not in ours]
    found: set[Instant] = set()
    sent: list[Instant] = []
    for number, file in logs.items():
        # The checksums of the first edition are none.
        scan = Scan(file.data, number, summed=edition != EDITIONS[0])
        said.append((number, file.data[:HEADER]))
        for item in scan.walk():
            found.add(Instant(number, item.off))
            if isinstance(item, End):
                rest = file.data[item.off + 4 :] if item.marked else file.data[item.off :]
                left = len(rest) > 0 if item.reason else rest != bytes(len(rest))
                said.append((item.off, bool(item.reason), item.marked, left))
                break
            if item.body[:2] != BODY_START:
                return None
            short = item.end - item.off <= _SHORT
            said.append(item if short else (item.off, item.covers, _named(item.body)))
            sent += _sends(item.body, edition)
    with suppress(BadHeader):
        control = choose(files).control
        if control is not None and control.checkpoint is not None:
            sent.append(control.checkpoint)
    elsewhere = any(each.number in logs and each not in found for each in sent)
    return None if elsewhere else tuple(said)


@lru_cache(1 << 8)
def _named(content: bytes) -> bytes:
    return blake(content)


@lru_cache(1 << 11)
def _sends(body: bytes, edition: str) -> tuple[Instant, ...]:
    """Return where a record sends whoever reads it; nowhere if it is not to be read."""
    try:
        told = decode(body, known(edition))
    except BadLog:
        return ()
    where = () if told.undone is None else (told.undone,)
    if told.operation.name != "CHECKPOINT":
        return where
    return (*where, Instant.unpack(told.fields["undo_from"]))


MODEL = PageRows()

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
    # The record that only carries a checksum stands for nothing.
    answer=answering(key_of, canonical, {"rows", "in_doubt"}, (SUM,)),
    record_json=record_of_json,
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
    parsed=parsed,
)
