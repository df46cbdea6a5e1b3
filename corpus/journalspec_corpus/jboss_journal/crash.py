"""This module connects the journal with the crash engine."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Set
from typing import Any

from journalspec.observation import CLEAN, REFUSED, Observation, Record, jsonable
from journalspec_corpus.crash import oracle
from journalspec_corpus.crash.formats import CrashFormat, StateFiles, StateReader, digest_of, refuses
from journalspec_corpus.crash.oracle import Action, Effect, Semantics, State
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.jboss_journal import workloads as tables
from journalspec_corpus.jboss_journal.model import Kept, Messages, Piece
from journalspec_corpus.jboss_journal.recording import KEYS, LongRun, build, resumed
from journalspec_corpus.workloads import Continuations
from journalspec_reference.batches import Memory
from journalspec_reference.jboss_journal.codec import DIALECTS, of_version
from journalspec_reference.jboss_journal.fileset import CONTROL, LEFTOVERS, header_of, implied_id
from journalspec_reference.jboss_journal.scan import scan

MODEL = Messages()
#: Maps the reason why a transaction was discarded to the type of the rejected record.
_REJECTS = {"unhealthy-commit": "COMMIT", "unhealthy-prepare": "PREPARE"}


def answer(observation: Observation) -> Answer:
    """Return the Answer of an observation: the keys of the records in effect, and of the others.

    Adds and updates are in effect if they are live or in doubt. Other records are in effect except for a
    rejected COMMIT or PREPARE. The rejected records follow from `discarded`, or if that is absent, from
    counts and effects. If live or prepared records are absent, the Answer contains no state.
    """
    if observation.verdict == REFUSED:
        return Answer((), observation.code)
    state_of: dict[str, Any] = dict(observation.state or {})
    live = [_shown(item["kind"], item) for item in state_of.get("live", ())]
    prepared = (item for held in state_of.get("prepared", ()) for item in held["records"])
    effect = {*live, *(_shown(item["kind"], item) for item in prepared)}
    if "discarded" in state_of:
        rejected = {(_REJECTS.get(item["why"], ""), str(item["tx"])) for item in state_of["discarded"]}
    else:
        rejected = set(_unhealthy(observation.records, state_of, effect))
    keys: list[str] = []
    aside: list[str] = []
    for record in observation.records:
        base = record.type.removesuffix("_TX")
        if base in ("ADD", "UPDATE"):
            counts = _shown(base, record.fields) in effect
        else:
            counts = (base, str(record.fields.get("tx", ""))) not in rejected
        (keys if counts else aside).append(KEYS.of({**record.fields, "type": record.type}))
    decided = None
    if "live" in state_of and "prepared" in state_of:
        pieces: dict[str, tuple[Piece, ...]] = {}
        for kind, ident, user_type, body in live:
            pieces[ident] = (*pieces.get(ident, ()), (kind, user_type, body))
        doubtful = MODEL.begin({"prepared": map(_prepared, state_of["prepared"])})
        decided = state(Kept(pieces, doubtful.open))
    return Answer(tuple(keys), None, observation.verdict != CLEAN, tuple(aside), decided)


def _shown(kind: str, fields: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Return the identity of a record in effect; raises KeyError if a field is missing.

    All values are texts, because an answer may have the same value as JSON in one place and as a Python value
    in another.
    """
    body = fields["body"]
    return kind, str(fields["id"]), str(fields["user_type"]), body if isinstance(body, str) else body.hex()


def _live(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record in effect that the model uses, as JSON."""
    return {name: jsonable(item[name]) for name in _PIECE if name in item}


def _prepared(held: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "tx": jsonable(held["tx"]),
        "extra": jsonable(held["extra"]),
        "records": [_live(item) for item in held["records"]],
        "deletes": [{"id": jsonable(item["id"])} for item in held["deletes"]],
    }


_PIECE = ("kind", "id", "user_type", "body")


def _unhealthy(
    records: Iterable[Record], state_of: Mapping[str, Any], effect: Set[tuple[str, ...]]
) -> Iterator[tuple[str, str]]:
    """Yield (type, tx) of the COMMITs and PREPAREs that must have been rejected, if `discarded` is absent.

    The count of such a record is not the number of listed records of its transaction, none of these is in
    `effect`, and the transaction is not prepared. The count alone is no proof: most editions count per file.
    """
    prepared = {str(item["tx"]) for item in state_of.get("prepared", ())}
    members: dict[str, list[Record]] = {}
    for record in records:
        tx = str(record.fields.get("tx", ""))
        if record.type.endswith("_TX"):
            members.setdefault(tx, []).append(record)
        elif record.type in _REJECTS.values():
            listed = members.get(tx, [])
            shown = (
                _shown(one.type.removesuffix("_TX"), one.fields) for one in listed if "body" in one.fields
            )
            if tx not in prepared and _counted(record) != len(listed) and effect.isdisjoint(shown):
                yield record.type, tx
        if record.type in ("COMMIT", "ROLLBACK"):
            members.pop(tx, None)


def _counted(end: Record) -> int | None:
    """Return how many records a COMMIT or PREPARE counts; None if the answer omits the count."""
    fields: Mapping[str, Any] = end.fields
    if "pairs" in fields:
        return sum(int(row["count"]) for row in fields["pairs"])
    return int(fields["count"]) if "count" in fields else None


def state(kept: Kept) -> State:
    """Return the records by id, and the transactions in doubt with their changes."""
    shown = MODEL.shown(kept)
    return tuple(shown["live"]), tuple((tx, extra, tuple(done)) for tx, extra, done in shown["prepared"])


def effects(decided: State) -> list[Effect]:
    """Return one effect for each record, for each transaction in doubt, and for each part of one."""
    live, prepared = decided
    out = [Effect(oracle.RECORD, ident, ":".join(piece)) for ident, pieces in live for piece in pieces]
    for tx, extra, done in prepared:
        out.append(Effect(oracle.DECISION, tx, extra))
        out += [_in_doubt(tx, ident, *piece) for _, ident, piece in done]
    return out


def _in_doubt(tx: str, ident: str, *piece: str) -> Effect:
    return Effect(oracle.DECISION, tx, ":".join((ident, *piece)))


def told(decided: State) -> dict[str, Any]:
    """Return the state in the form of an observation."""
    live, prepared = decided
    return {
        "live": [_told(ident, piece) for ident, pieces in live for piece in pieces],
        "prepared": [
            {
                "tx": tx,
                "extra": extra,
                "records": [_told(ident, piece) for what, ident, piece in done if what != "delete_tx"],
                "deletes": [{"id": ident} for what, ident, _ in done if what == "delete_tx"],
            }
            for tx, extra, done in prepared
        ],
    }


def _told(ident: str, piece: Piece) -> dict[str, str]:
    kind, user_type, body = piece
    return {"kind": kind, "id": ident, "user_type": user_type, "body": body}


_ROLES = {"COMMIT": oracle.COMMIT, "ROLLBACK": oracle.ROLLBACK}


def action(key: str) -> Action:
    """Return the effect of the record `key`."""
    fields = KEYS.read(key)
    kind, tx = fields["type"], fields["tx"]
    op = {**fields, "op": kind.lower()}
    if kind == "PREPARE":
        return Action(op, tx, oracle.PREPARE, (Effect(oracle.DECISION, tx, fields["extra"]),))
    if kind in _ROLES:
        return Action(op, tx, _ROLES[kind])
    base, member = kind.removesuffix("_TX"), kind.endswith("_TX")
    deletes = base == "DELETE"
    piece = (base, "", "") if deletes else (base, fields["user_type"], fields["body"])
    makes = [] if deletes else [Effect(oracle.RECORD, fields["id"], ":".join(piece))]
    if not member:
        return Action(op, "", oracle.ALONE, tuple(makes))
    return Action(op, tx, oracle.MEMBER, (*makes, _in_doubt(tx, fields["id"], *piece)))


def look(files: StateFiles, edition: str) -> Hashable:
    """Return the visible content: all of the control file; of other files, the header, the records and the
    damage.
    """
    compacting = CONTROL in files
    seen: list[Hashable] = []
    for name in files:
        if name == CONTROL:
            seen.append((name, files.same(name)))
        elif name.endswith(LEFTOVERS) and not compacting:
            # This is left over from an unfinished compaction. Recovery ignores its content.
            seen.append(name)
        else:
            seen.append((name, files.once((name,), _seen, name, edition)))
    return tuple(seen)


def _seen(content: bytes, name: str, edition: str) -> bytes:
    dialect = DIALECTS[edition]
    head, header = content[: dialect.header_size], header_of(content, dialect)
    version = header.get("format_version")
    usable = version is None or version in dialect.versions
    if not header:
        return digest_of(b"short", any(head))
    if not any(head) or not usable:
        # If the header consists of zeros, the records imply the file id; if it has another version, the file
        # is unusable.
        return digest_of(content)
    dialect = dialect if version is None else of_version(dialect, version)
    records: list[bytes] = []
    damaged = False
    stamp = dialect.stamp(header["file_id"])
    for batch in scan(Memory(content), dialect, stamp, dialect.header_size, len(content)):
        damaged |= bool(batch.damage)
        records += [batch.data[off:end] for off, end in zip(batch.off, batch.end, strict=True)]
    # If the file has no records of its own, the first record with another id may reveal a changed header
    # (JBM-FIL-027).
    return digest_of(head, damaged, *(records or (implied_id(content, dialect) or 0,)))


#: Both policies may omit records, because in this format a torn region is skipped and reported.
READERS = (
    StateReader("strict", salvaging=True),
    StateReader("salvage", salvaging=True, differs=refuses),
)
CONTINUATIONS = Continuations(
    begin=resumed,
    tables=tables.TABLES,
    # An addition is possible in any state; the target of a change or delete may not exist any more.
    repeatable=lambda step: not step.op.startswith(("update", "delete")),
    choices=tables.choices,
)

CRASH = CrashFormat.by_tables(
    tables.TABLES,
    LongRun,
    record=build,
    look=look,
    state_readers=READERS,
    answer=answer,
    record_json=KEYS.record_json,
    semantics=Semantics(MODEL, action, state, effects, told),
    second=CONTINUATIONS,
)
