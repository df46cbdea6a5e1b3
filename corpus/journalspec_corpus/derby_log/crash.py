"""The interface of Derby's log to the crash engine."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from journalspec.derby_log.operations import tables_of_all
from journalspec_corpus.crash.formats import CrashFormat, StateFiles, digest_of, two_policies
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
from journalspec_corpus.crash.verdict import answering
from journalspec_corpus.derby_log import workloads as tables
from journalspec_corpus.derby_log.model import CHANGES, STATE, UNDOES, PageRows, PlacedRows, State, text_in
from journalspec_corpus.derby_log.recording import SUM, LongRun, build, key_of, resumed
from journalspec_corpus.model import XA_ID
from journalspec_corpus.workloads import Continuations
from journalspec_reference.batches import Memory
from journalspec_reference.derby_log.codec import HEADER, POSITION, BadLog, control
from journalspec_reference.derby_log.fileset import CONTROLS, number_of
from journalspec_reference.derby_log.scan import UNSUMMED, End, groups_after, scan, search

#: The meaning of the end of a transaction, by the status in its record.
_ENDS = {1: ROLLBACK, 2: PREPARE, 4: COMMIT}


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
    """The visible content of a log file: its front, which is the log, and the bytes after it.

    `front` is a digest of the log, which ends at `end`. `records` are the offsets of byte ranges after the
    log that look like records, in the form in which other records would refer to one of them. `offsets` maps
    the number of each log file to the offsets in it that the log may name, sorted.
    """

    front: bytes
    end: int
    records: list[bytes]
    offsets: Mapping[int, list[int]]


def look(files: StateFiles, edition: str) -> Hashable:
    """Return what recovery can see: the fields of control files, and the :class:`LogSeen` of logs.

    Records after the end of the log are visible only if something before the end refers to one of them.
    """
    numbers = {name: number for name in files if (number := number_of(name)) is not None}
    known, seen = tuple(numbers.values()), list[Hashable]()
    logs = {name: files.once((name,), _log_seen, number, known, edition) for name, number in numbers.items()}
    for name in files:
        if name not in logs:
            seen.append((name, files.once((name,), _control_seen) if name in CONTROLS else files.same(name)))
            continue
        # An undo instant may be beyond the end of its file.
        size, log = files.size(name), logs[name]
        named = [each.offsets[numbers[name]] for each in logs.values()]
        beyond = sum([len(offsets) - bisect_right(offsets, size) for offsets in named])
        # A referenced record after the end may refer to other records (a checkpoint to its undo start), so
        # the whole file is visible.
        places = tuple(log.records)
        mentioned = any(
            files.once((other,), _mentions, logs[other].end if other in logs else files.size(other), places)
            for other in (files if places else ())
        )
        seen.append((name, beyond, log.front, files.same(name) if mentioned else None))
    return tuple(seen)


def _control_seen(content: bytes) -> Hashable:
    try:
        return control(content)
    except BadLog as error:
        return error.reason, not content


def _log_seen(content: bytes, number: int, numbers: tuple[int, ...], edition: str) -> LogSeen:
    source, summed, end = Memory(content), edition not in UNSUMMED, End(0)
    for batch in scan(source, number, summed=summed):
        end = batch.more.get("end", end)
    size, behind = len(content), end.off + 4 * end.marked
    # A file that was closed for a switch ends right after the end marker, inside a sector.
    ended = end.marked and size == behind and size % 512 != 0
    front, groups, records = content[: end.off], b"zeros", list[bytes]()
    if content[behind:] != bytes(max(0, size - behind)):
        groups = b"%d" % (summed and groups_after(source, number, end.off) is not None)
        records = [off.to_bytes(4, "big") for off, _ in search(source, number, end.off, size)]
    digest = digest_of(front, bool(end.reason), end.marked, size < HEADER, ended, groups)
    return LogSeen(digest, end.off, records, {each: _offsets(front, each) for each in numbers})


@cache
def _instants(number: int) -> re.Pattern[bytes]:
    """Return a pattern for the offsets in instants of a log file, wherever such an instant can be."""
    # A compressed long of eight bytes begins with a bit that is not part of the number (DRB-ENC-002).
    first, *middle, last = (re.escape(bytes([byte])) for byte in number.to_bytes(4, "big"))
    other = re.escape((number | 1 << 31).to_bytes(4, "big")[:1])
    # Instants can overlap, so the pattern consumes only one byte.
    return re.compile(
        b"%b(?<=(?:%b|%b)%b%b)(?=(.{4}))" % (last, first, other, b"".join(middle), last), re.DOTALL
    )


def _offsets(front: bytes, number: int) -> list[int]:
    """Return the offsets in file `number` that a log may name, sorted."""
    return sorted([int.from_bytes(found, "big") & POSITION for found in _instants(number).findall(front)])


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
