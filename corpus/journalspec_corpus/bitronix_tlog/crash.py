"""This module connects the disk journal with the crash engine."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from journalspec.observation import jsonable
from journalspec_corpus.bitronix_tlog import workloads as tables
from journalspec_corpus.bitronix_tlog.model import FINISHING, Decisions, Kept
from journalspec_corpus.bitronix_tlog.recording import KEYS, LongRun, build, resumed
from journalspec_corpus.crash.formats import (
    CrashFormat,
    StateFiles,
    digest_of,
    equal_contents,
    two_policies,
)
from journalspec_corpus.crash.oracle import ALONE, DECISION, ROLLBACK, Action, Effect, Semantics, State
from journalspec_corpus.crash.verdict import answering
from journalspec_corpus.workloads import Continuations
from journalspec_reference.bitronix_tlog.codec import HEADER_SIZE, STATUS_CODES
from journalspec_reference.bitronix_tlog.fileset import DISK_EDITIONS, examine, in_order
from journalspec_reference.bitronix_tlog.recover import log_of

MODEL = Decisions()


def key_of(kind: str, fields: Mapping[str, Any]) -> str:
    """Return the name of a record."""
    return KEYS.of({"status": STATUS_CODES.get(kind), **fields})


def canonical(told: Mapping[str, Any]) -> State:
    """Return the unfinished decisions of a reported state."""
    entries = ({"gtrid": jsonable(entry["gtrid"]), "names": entry["names"]} for entry in told["unfinished"])
    return state(MODEL.begin({"unfinished": entries}))


def state(kept: Kept) -> State:
    """Return the unfinished decisions in the order of their gtrids, each with its unfinished names."""
    return tuple((gtrid, tuple(sorted(kept[gtrid]))) for gtrid in sorted(kept))


def effects(unfinished: State) -> list[Effect]:
    """Return one effect for each name that is not committed yet, or a single effect if there are none."""
    return [made for gtrid, names in unfinished for made in _decided(gtrid, names)]


def _decided(gtrid: str, names: Iterable[str]) -> tuple[Effect, ...]:
    return tuple(Effect(DECISION, gtrid, name) for name in sorted(set(names)) or [""])


def told(unfinished: State) -> dict[str, Any]:
    """Return the unfinished decisions in the form of an observation."""
    return {"unfinished": [{"gtrid": gtrid, "names": list(names)} for gtrid, names in unfinished]}


def action(key: str) -> Action:
    """Return the effect of the record `key`. Records are independent, because a decision is one record."""
    fields = KEYS.read(key)
    gtrid, names = fields["gtrid"], [name for name in fields["names"].split(",") if name]
    op = {"op": "log", "status": fields["status"], "gtrid": gtrid, "names": names}
    if fields["status"] == str(STATUS_CODES["ROLLEDBACK"]):
        return Action(op, gtrid, ROLLBACK)
    # A record whose status finishes no branch has the effects of its decision. Only COMMITTING makes a
    # decision.
    finishing = fields["status"] in FINISHING
    return Action(op, gtrid, ALONE, () if finishing else _decided(gtrid, names))


def look(files: StateFiles, edition: str) -> Hashable:
    """Return the visible content: lengths, headers, and the records and damage of the logs."""
    if edition not in DISK_EDITIONS:
        return equal_contents(files, edition)
    return tuple([(name, files.size(name), files.once((name,), _seen, name)) for name in files])


def _seen(content: bytes, name: str) -> bytes:
    file = examine(name, content)
    said: list[bytes | int] = [content[:HEADER_SIZE]]
    faults = []
    for batch in log_of(file).scan() if file.problem is None else ():
        for off, end in zip(batch.off, batch.end, strict=True):
            said += (batch.base + off, batch.data[off:end])
        faults += batch.damage
    # The reason of the first damage decides the refusal code. The offsets of damage matter too, because a
    # timestamp may point at damage.
    return digest_of(*said, *(fault[0] for fault in faults), *(fault[2].encode() for fault in faults[:1]))


def reach(files: Mapping[str, bytes]) -> dict[str, int]:
    """Return the offset in each file up to which recovery reads. The offset is at most the tail."""
    ends = {name: min(len(data), HEADER_SIZE) for name, data in files.items()}
    logs = [examine(name, files[name]) for name in in_order(files)]
    return ends | {file.name: file.limit for file in logs if file.problem is None}


CRASH = CrashFormat.by_tables(
    tables.TABLES,
    LongRun,
    record=build,
    look=look,
    state_readers=two_policies("salvage"),
    answer=answering(key_of, canonical, {"unfinished"}),
    record_json=KEYS.record_json,
    semantics=Semantics(MODEL, action, state, effects, told),
    second=Continuations(resumed, tables.TABLES),
    reach=reach,
)
