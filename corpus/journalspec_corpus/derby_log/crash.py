"""This module connects Derby's log with the crash engine."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from functools import cache, lru_cache
from hashlib import blake2b
from typing import NamedTuple

from journalspec.derby_log.operations import named, tables_of_all
from journalspec_corpus.crash.formats import CrashFormat, StateFiles, two_policies
from journalspec_corpus.crash.oracle import (
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
from journalspec_corpus.crash.record import record_of_json
from journalspec_corpus.crash.trace import ID_BYTES
from journalspec_corpus.crash.verdict import answering
from journalspec_corpus.derby_log import workloads as tables
from journalspec_corpus.derby_log.model import CHANGES, STATE, UNDOES, PageRows, PlacedRows, State, text_in
from journalspec_corpus.derby_log.recording import SUM, LongRun, build, key_of, resumed
from journalspec_corpus.model import XA_ID
from journalspec_corpus.workloads import Continuations
from journalspec_reference.batches import Memory, zeros_start
from journalspec_reference.derby_log.codec import HEADER, BadLog, Instant, control
from journalspec_reference.derby_log.fileset import CONTROLS, number_of
from journalspec_reference.derby_log.scan import UNSUMMED, End, groups_after, scan, search

#: The meaning of the end of a transaction, by the status in its record.
_ENDS = {1: ROLLBACK, 2: PREPARE, 4: COMMIT}
#: The format id of a checkpoint's operation.
_CHECKPOINT = named()["CHECKPOINT"].id.to_bytes(2, "big")
_number = cache(number_of)


def effects(decided: State) -> Iterator[Effect]:
    """Yield an effect for each row, and for each part in doubt."""
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
    """Return the effect of the record `key`."""
    said = json.loads(key)
    op = {"op": said["type"], **said}
    tx = str(said.get("transaction", ""))
    if said["type"] == "END":
        role = _ENDS[int(said["status"])]
        ids = ":".join(said["global_id"][name] for name in XA_ID) if role == PREPARE else ""
        return Action(op, tx, role, (Effect(DECISION, ids, ""),) if ids else ())
    if said["type"] in CHANGES:
        # The row that exists after the commit of its transaction; a value begins with its key.
        table, text = tables_of_all()[int(said["container"])], text_in(said)
        return Action(op, tx, MEMBER, (_stored(table, text.partition(":")[0], text),) if text else ())
    return Action(op, tx, MEMBER if said["type"] in UNDOES else ALONE)


class LogSeen(NamedTuple):
    """Represents the visible content of a log file: the log at the start of the file, and the bytes after the
    log.

    `front` identifies the log, which ends at `end`. `records` contains the offsets of byte ranges after the
    log that look like records. The offsets have the form in which other records would refer to such a record.
    """

    front: Hashable
    end: int
    records: tuple[bytes, ...]


def look(files: StateFiles, edition: str) -> Hashable:
    """Return what recovery can see: the fields of control files, and the :class:`LogSeen` of logs.

    Records after the end of the log are visible only if something before the end refers to one of them.
    """
    numbers = {name: number for name in files if (number := _number(name)) is not None}
    # The settled bytes are the first bytes of the file, so the key need not contain them.
    logs = {
        name: files.kept(
            (_log_seen, files.same(name), edition), (name,), _log_seen, files.settled(name), number, edition
        )
        for name, number in numbers.items()
    }
    # Many states have equal logs and differ in the bytes after them.
    undo = [
        instant
        for name, log in logs.items()
        for instant in files.kept((_undo, log.front), (name,), _undo, log.end)
    ]
    seen = list[Hashable]()
    for name in files:
        if name not in logs:
            seen.append((name, files.once((name,), _control_seen) if name in CONTROLS else files.same(name)))
            continue
        log, here = logs[name], Instant(numbers[name], files.size(name))
        # A checkpoint is unusable if undo would begin beyond the end of a file.
        beyond = [instant for instant in undo if instant.number == here.number and instant > here]
        # A referenced record after the end may refer to other records (a checkpoint to its undo start), so
        # the whole file is visible.
        mentioned = any(
            files.kept(
                (_mentions, logs[other].front, log.records), (other,), _mentions, logs[other].end, log.records
            )
            if other in logs
            else files.once((other,), _mentions, files.size(other), log.records)
            for other in (files if log.records else ())
        )
        seen.append((name, len(beyond), log.front, files.same(name) if mentioned else None))
    return tuple(seen)


def _control_seen(content: bytes) -> Hashable:
    try:
        return control(content)
    except BadLog as error:
        return error.reason, not content


def _log_seen(content: bytes, settled: bytes, number: int, edition: str) -> LogSeen:
    """Return the visible content of a log whose first bytes are `settled`."""
    source, summed = Memory(content), edition not in UNSUMMED
    known, front = _begun(settled, number, summed)
    end = _end(source, number, max(known, HEADER), summed=summed)
    size, behind = len(content), end.off + 4 * end.marked
    # A file that was closed for a switch ends right after the end marker, inside a sector.
    ended = end.marked and size == behind and size % 512 != 0
    left = content[behind : zeros_start(content, size)].strip(b"\0")
    groups, records = False, tuple[bytes, ...]()
    if left:
        groups = summed and groups_after(source, number, end.off) is not None
        records = tuple([off.to_bytes(4, "big") for off, _ in search(source, number, end.off, size)])
    front = front.copy()
    front.update(content[known : end.off])
    ends = bool(end.reason), end.marked, size < HEADER, ended, bool(left), groups
    return LogSeen((front.digest(), *ends), end.off, records)


#: All states of a crash point have the same settled bytes.
@lru_cache(64)
def _begun(settled: bytes, number: int, summed: bool) -> tuple[int, blake2b]:
    """Return the end of the records in the first bytes of a log, and a digest of these records."""
    end = min(_end(Memory(settled), number, HEADER, summed=summed).off, len(settled))
    return end, blake2b(settled[:end], digest_size=ID_BYTES)


def _end(source: Memory, number: int, start: int, *, summed: bool) -> End:
    """Return the end of the records from `start` on."""
    end = End(0)
    for batch in scan(source, number, start, summed=summed):
        end = batch.more.get("end", end)
    return end


def _undo(content: bytes, end: int) -> tuple[Instant, ...]:
    """Return the instants that may be undo starts.

    They are stored at one of three offsets after the id of a checkpoint.
    """
    log, found = content[:end], list[Instant]()
    at = log.find(_CHECKPOINT)
    while at >= 0:
        # A compressed long of 2, 4 or 8 bytes precedes it. Its own first bit is not part of the number
        # (DRB-ENC-002).
        for start in (at + 4, at + 6, at + 10):
            found.append(Instant.unpack(int.from_bytes(log[start : start + 8], "big") & (1 << 63) - 1))
        at = log.find(_CHECKPOINT, at + 1)
    return tuple(found)


def _mentions(content: bytes, end: int, places: tuple[bytes, ...]) -> bool:
    """Return whether one of `places` occurs in the first `end` bytes of a file."""
    return any(content.find(place, 0, end) >= 0 for place in places)


CRASH = CrashFormat.by_tables(
    tables.TABLES,
    LongRun,
    record=build,
    look=look,
    # ``strict`` refuses a log that ends earlier than its files indicate; the other policy accepts it.
    state_readers=two_policies("default"),
    # A checksum record does not represent a change.
    answer=answering(key_of, STATE.canonical, {"rows", "in_doubt"}, (SUM,)),
    record_json=record_of_json,
    uncounted=(SUM,),
    semantics=Semantics(PageRows(), action, PlacedRows.state, effects, STATE.as_json),
    second=Continuations(resumed, tables.TABLES, repeatable=lambda step: step.id != tables.VICTIM),
)
