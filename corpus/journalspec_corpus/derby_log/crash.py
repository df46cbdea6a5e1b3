"""What Derby's log gives to the crash engine."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache

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
from journalspec_corpus.crash.pages import blake
from journalspec_corpus.crash.recorder import record_of_json
from journalspec_corpus.crash.verdict import answering
from journalspec_corpus.crash.workloads import Continuations
from journalspec_corpus.derby_log import workloads as tables
from journalspec_corpus.derby_log.model import CHANGES, STATE, UNDOES, PageRows, PlacedRows, State, text_in
from journalspec_corpus.derby_log.recording import SUM, LongRun, build, key_of, resumed
from journalspec_corpus.model import XA_ID
from journalspec_reference.derby_log.bodies import BODY_START, EDITIONS, decode, known
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, HEADER, BadLog, Instant, Refusal
from journalspec_reference.derby_log.scan import choose, gather, scan

#: Longer records are compared by digests of their bodies (bytes).
_SHORT = 1 << 10
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


def parsed(files: Mapping[str, bytes], edition: str) -> Hashable | None:
    """Return all that recovery's answer on a log follows from; None if something else may count as well.

    Of a log file these are its header, its records from there on, why there are no more, and what is left
    after them. That is so if records are looked for
    only where a walk finds them: logs that send elsewhere have to be read, and encrypted ones. Of all other
    files everything counts.
    """
    if edition not in EDITIONS:
        return None
    logs = gather(files)
    ours = {file.name for file in logs.values()}
    said: list[Hashable] = [edition, *((name, _named(files[name])) for name in files if name not in ours)]
    found: set[Instant] = set()
    sent: list[Instant] = []
    for number, file in logs.items():
        said.append((number, file.data[:HEADER]))
        # The checksums of the first edition are none.
        for batch in scan(file.source, number, summed=edition != EDITIONS[0]):
            covers = dict(batch.more["sums"])
            for row, (off, end) in enumerate(zip(batch.off, batch.end, strict=True)):
                at, body = batch.base + off, batch.data[off + BEFORE : end - BEHIND]
                found.add(Instant(number, at))
                if body[:2] != BODY_START:
                    return None
                said.append((at, covers.get(row), body if end - off <= _SHORT else _named(body)))
                sent += _sends(body, edition)
            last = batch.more.get("end")
            if last is not None:
                found.add(Instant(number, last.off))
                rest = file.data[last.off + 4 :] if last.marked else file.data[last.off :]
                # Sound groups may follow, and tell that the log went on.
                left = _named(rest) if rest.strip(b"\0") else len(rest) > 0
                said.append((last.off, bool(last.reason), last.marked, left))
    with suppress(Refusal):
        control = choose(files).control
        if control is not None and control.checkpoint is not None:
            sent.append(control.checkpoint)
    elsewhere = any(each.number in logs and each not in found for each in sent)
    return None if elsewhere else tuple(said)


_named = lru_cache(1 << 8)(blake)


@lru_cache(1 << 11)
def _sends(body: bytes, edition: str) -> tuple[Instant, ...]:
    """Return where a record sends whoever reads it; nowhere if it is not to be read."""
    try:
        said = decode(body, known(edition))
    except BadLog:
        return ()
    where = () if said.undone is None else (said.undone,)
    if said.operation.name != "CHECKPOINT":
        return where
    return (*where, Instant.unpack(said.fields["undo_from"]))


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
    parsed=parsed,
)
