"""What Derby's log gives to the crash engine."""

from __future__ import annotations

import json
from collections.abc import Iterator

from journalspec.derby_log.operations import tables_of_all
from journalspec_corpus.crash.adapter import CrashFormat, two_policies
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
)
from journalspec_corpus.crash.recorder import record_of_json
from journalspec_corpus.crash.verdict import answering
from journalspec_corpus.crash.workloads import Continuations
from journalspec_corpus.derby_log import workloads as tables
from journalspec_corpus.derby_log.model import CHANGES, STATE, UNDOES, PageRows, PlacedRows, State, text_in
from journalspec_corpus.derby_log.recording import SUM, LongRun, build, key_of, resumed
from journalspec_corpus.model import XA_ID

#: What the end of a transaction is, by the status in its record.
_ENDS = {1: ROLLBACK, 2: PREPARE, 4: COMMIT}


def effects(decided: State) -> Iterator[Effect]:
    """Yield an effect for each row, and for each part of what is in doubt."""
    found, doubtful = decided
    yield from (_stored(table, key, value) for table, key, value in found)
    for ids, come, gone in doubtful:
        tx = ":".join(map(str, ids))
        yield Effect(DECISION, tx, "")
        yield from (Effect(DECISION, tx, f"inserted {':'.join(row)}") for row in come)
        yield from (Effect(DECISION, tx, f"deleted {':'.join(row[:2])}") for row in gone)


def _stored(table: str, key: str, value: str) -> Effect:
    return Effect(RECORD, f"{table}:{key}", value)


def action(key: str) -> Action:
    """Return what the record called `key` does."""
    said = json.loads(key)
    op = {"op": said["type"], **said}
    tx = str(said.get("transaction", ""))
    if said["type"] == "END":
        role = _ENDS[int(said["status"])]
        ids = ":".join(said["global_id"][name] for name in XA_ID) if role == PREPARE else ""
        return Action(op, tx, role, (Effect(DECISION, ids, ""),) if ids else ())
    if said["type"] in CHANGES:
        # The row that is there once its transaction has committed: a value begins with its key.
        table, text = tables_of_all()[int(said["container"])], text_in(said)
        return Action(op, tx, MEMBER, (_stored(table, text.partition(":")[0], text),) if text else ())
    return Action(op, tx, MEMBER if said["type"] in UNDOES else ALONE)


CRASH = CrashFormat.by_tables(
    tables,
    LongRun,
    record=build,
    # The one refuses a log that ends before its files say, the other leaves it at that.
    state_readers=two_policies("default"),
    # The record that only carries a checksum stands for nothing.
    answer=answering(key_of, STATE.canonical, {"rows", "in_doubt"}, (SUM,)),
    record_json=record_of_json,
    uncounted=(SUM,),
    semantics=Semantics(PageRows(), action, PlacedRows.state, effects, STATE.as_json),
    second=Continuations(resumed, tables.TABLES, repeatable=lambda step: step.id != tables.VICTIM),
)
