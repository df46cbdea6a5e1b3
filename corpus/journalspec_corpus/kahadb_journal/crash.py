"""This module connects the KahaDB journal with the crash engine."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from journalspec.kahadb_journal import LAYOUT
from journalspec.kahadb_journal.commands import KINDS, messages
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
    State,
)
from journalspec_corpus.crash.record import record_of_json
from journalspec_corpus.crash.verdict import answering
from journalspec_corpus.kahadb_journal import workloads as tables
from journalspec_corpus.kahadb_journal.model import Kept, Messages
from journalspec_corpus.kahadb_journal.recording import (
    LongRun,
    build,
    key_of,
    resumed,
    tx_name,
)
from journalspec_corpus.model import StateForm
from journalspec_corpus.workloads import Continuations
from journalspec_reference.batches import Memory
from journalspec_reference.kahadb_journal.codec import DIALECTS
from journalspec_reference.kahadb_journal.fileset import id_of
from journalspec_reference.kahadb_journal.scan import EMPTY, scan

MODEL = Messages()
#: The parts of a state that recovery determines.
_DECIDED = ("destinations", "in_doubt")
STATE = StateForm(LAYOUT.format_id, _DECIDED)


def state(kept: Kept) -> State:
    """Return the model's state in the canonical form."""
    return STATE.canonical(MODEL.shown(kept))


def effects(decided: State) -> Iterator[Effect]:
    """Yield an effect for each message, each required part, and each part in doubt."""
    places, doubtful = decided
    for kind, name, held, subscriptions in places:
        yield Effect(RECORD, f"{kind}:{name}", "")
        yield from (_stored(kind, name, ident, priority, body) for ident, priority, body in held)
        for key, pending in subscriptions:
            yield Effect(RECORD, f"{kind}:{name}", key)
            yield from (Effect(RECORD, f"{kind}:{name}:{ident}", f"owed to {key}") for ident in pending)
    for ids, commands in doubtful:
        tx = _xa(*ids)
        yield Effect(DECISION, tx, "")
        yield from (_in_doubt(tx, *said) for said in commands)


def _stored(kind: str, name: str, ident: str, priority: int, body: str) -> Effect:
    return Effect(RECORD, f"{kind}:{name}:{ident}", f"{priority}:{body}")


def _in_doubt(tx: str, *said: str) -> Effect:
    return Effect(DECISION, tx, ":".join(said))


def _xa(form: int, gtrid: str, bqual: str) -> str:
    fields = {"kind": "XA", "format_id": form, "gtrid": gtrid, "bqual": bqual}
    return tx_name({"transaction": fields})


_ROLES = {"PREPARE": PREPARE, "COMMIT": COMMIT, "ROLLBACK": ROLLBACK}


def action(key: str) -> Action:
    """Return the effect of the record `key`."""
    said = json.loads(key)
    kind = said.pop("type")
    op = {"op": "command", "type": kind, "fields": _values(kind, said)}
    tx = tx_name(said)
    place = said.get("destination", {})
    if kind in _ROLES:
        return Action(op, tx, _ROLES[kind], (Effect(DECISION, tx, ""),) if kind == "PREPARE" else ())
    makes: list[Effect] = []
    if kind in ("ADD_MESSAGE", "UPDATE_MESSAGE"):
        priority = int(said["priority"]) if said["priority_supported"] else 4  # The default priority.
        makes.append(_stored(place["kind"], place["name"], said["message_id"], priority, said["message"]))
    if kind == "SUBSCRIPTION":
        makes.append(Effect(RECORD, f"{place['kind']}:{place['name']}", said["subscription_key"]))
    if not tx:
        return Action(op, "", ALONE, tuple(makes))
    doubt = _in_doubt(tx, kind, place["kind"], place["name"], said["message_id"])
    return Action(op, tx, MEMBER, (*makes, doubt))


def _values(kind: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the fields of a command from an observation's form to the parser's form."""
    if kind == "UPDATE_MESSAGE":
        return {"add": _values("ADD_MESSAGE", said)}
    out: dict[str, Any] = {}
    for slot in messages()[kind].values():
        value = said.get(slot.name)
        if value is None:
            continue
        if slot.name == "destination":
            out[slot.name] = {**value, "kind": KINDS.index(value["kind"])}
        elif slot.name == "transaction":
            of = "xa" if value["kind"] == "XA" else "local"
            names = {each.name: each.holds for each in messages()[of].values()}
            out[slot.name] = {of: {name: _value(names[name], value[name]) for name in names if name in value}}
        else:
            out[slot.name] = _value(slot.holds, value)
    return out


def _value(holds: str, value: Any) -> Any:
    if holds == "bytes":
        return bytes.fromhex(value)
    return int(value) if holds in ("s4", "s8") else value


def look(files: StateFiles, edition: str) -> Hashable:
    """Return the visible content: of data files the records, the damage and the end; all of other files."""
    last = max(files, key=lambda name: id_of(name) or 0, default="")
    seen = []
    for name in files:
        is_log = id_of(name) is not None
        seen.append((name, files.once((name,), _seen, edition, name == last) if is_log else files.same(name)))
    return tuple(seen)


def _seen(content: bytes, edition: str, last: bool) -> bytes:  # `last` is in the cache key.
    records: list[tuple[int, bytes]] = []
    off, by = -1, ""
    for batch in scan(Memory(content), DIALECTS[edition]):
        data, base = batch.data, batch.base
        records += [(base + start, data[start:end]) for start, end in zip(batch.off, batch.end, strict=True)]
        # Damage at the end of the last file is a torn tail; any other damage is a reason to refuse.
        records += [(start, f"{why} {end == len(content)}".encode()) for start, end, why in batch.damage]
        off, by = batch.more.get("end", (off, by))
    rest = content[off:] if by == EMPTY else b""
    # The length of a blank file determines whether a later file's record would have fitted into it.
    head = content[:4], len(content) > 0 if records or last else len(content), off
    return digest_of(*head, by.encode(), rest, *(said for _, said in sorted(records)))


CRASH = CrashFormat.by_tables(
    tables.TABLES,
    LongRun,
    record=build,
    look=look,
    # ``strict`` refuses bytes that a torn tail does not explain; ``salvage`` omits them.
    state_readers=two_policies("salvage"),
    answer=answering(key_of, STATE.canonical, {*_DECIDED}),
    record_json=record_of_json,
    semantics=Semantics(MODEL, action, state, effects, STATE.as_json),
    second=Continuations(
        resumed, tables.TABLES, repeatable=lambda step: step.id not in (tables.VICTIM, tables.OWED)
    ),
)
