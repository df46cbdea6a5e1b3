"""Narayana's transactions, as WildFly and EAP keep them in a journal (``use-journal-store``).

Each live record is an object of the store. It is a decision to commit a transaction, with the participants
that have not finished yet. The files of such a journal are
``standalone/data/tx-object-store/HornetqObjectStore/jbossts-N.txlog``. Its records have type 0 and begin with
the magic value of Narayana's buffers.

A participant is identified by its XID. An XID made by Narayana consists of the transaction, the deciding
node, and the branch. XIDs of transactions that Artemis has prepared are decoded in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from struct import Struct
from typing import Any

from journalspec_reference.contents import Contents, Count, Row, Value
from journalspec_reference.jboss_journal.bodies import Body
from journalspec_reference.jboss_journal.contents.bindings import FORMAT
from journalspec_reference.jboss_journal.contents.core import ERRORS, INT, LONG, Undecodable, data_at
from journalspec_reference.jboss_journal.contents.messages import Oddity
from journalspec_reference.jboss_journal.contents.store import Store
from journalspec_reference.xids import xid_text

HEADER_SIZE = 8
#: The first bytes of the state of a transaction.
STATE_MARK = b"#ARJUNA#"
#: The type of a transaction object begins with the first text. If it begins with the second text, the
#: transaction came from another server.
TRANSACTION = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction"
SUBORDINATE = "/SubordinateAtomicAction"
EXPIRED = "/Expired"
#: A Uid consists of two parts of the host's address, the process, its start time, and a counter.
UID = Struct(">qqiii")
#: Formats of XIDs that Narayana makes: for JTA, for JTS, and for its bridges to web services and REST.
FORMATS = frozenset({131077, 131072, 131080, 131081})
STATUSES = (
    *("RUNNING", "PREPARING", "ABORTING", "ABORT_ONLY", "ABORTED", "PREPARED", "COMMITTING", "COMMITTED"),
    *("CREATED", "INVALID", "CLEANUP", "H_ROLLBACK", "H_COMMIT", "H_MIXED", "H_HAZARD"),
    *("DISABLED", "NO_ACTION"),
)
OUTCOMES = (
    *("PREPARE_OK", "PREPARE_NOTOK", "PREPARE_READONLY", "HEURISTIC_ROLLBACK", "HEURISTIC_COMMIT"),
    *("HEURISTIC_MIXED", "HEURISTIC_HAZARD", "FINISH_OK", "FINISH_ERROR", "NOT_PREPARED", "ONE_PHASE_ERROR"),
    *("INVALID_TRANSACTION", "PREPARE_ONE_PHASE_COMMITTED"),
)
#: Types of participants that are decoded, and the number that ends a list of them.
COMMIT_MARKABLE, XA_RESOURCE, LAST = 50, 171, 463
#: Numbers for how recovery finds a resource again: by a serialised object, or by its names. The number 0
#: means that the user's class stores this in its own form.
BY_OBJECT = 1

#: Columns that are copied from a transaction unchanged.
_AS_THEY_ARE = ("uid", "recovery", "created", "process", "decision", "parent_node", "data")
#: The action of recovery for a transaction after the process that started it has ended.
COMMIT, WAIT, OPERATOR, MOVED, NOTHING = "commit", "wait-for-parent", "operator", "moved-aside", "nothing"


@dataclass(slots=True)
class _Buffer:
    """A buffer in Narayana's encoding. Numbers are big-endian, and every value starts at a multiple of four
    bytes.

    No version reads the first eight bytes.
    """

    data: bytes
    at: int = HEADER_SIZE

    def number(self, form: Struct = INT) -> int:
        """Return an int, or a long."""
        self.at += form.size
        return int(form.unpack_from(self.data, self.at - form.size)[0])

    def flag(self) -> bool:
        """Return a boolean. It is stored as three unused bytes and the byte with the value."""
        return self.number() & 0xFF != 0

    def raw(self) -> bytes:
        """Return length-prefixed bytes."""
        value, self.at = data_at(self.data, self.at)
        self.at += -len(value) % 4
        return value

    def text(self) -> str | None:
        """Return a text, which ends with a zero byte. Return None if there is none."""
        value = self.raw()
        return value[:-1].decode("utf-8", "replace") if value else None

    def uid(self) -> str:
        """Return a Uid as Narayana prints it."""
        return uid_text(self.raw())

    def named(self, names: Sequence[str]) -> str:
        """Return the name for a number read from the buffer."""
        number = self.number()
        return names[number] if 0 <= number < len(names) else str(number)


def uid_text(data: bytes) -> str:
    """Return a Uid as Narayana prints it. Raises struct.error if it does not have 28 bytes."""
    return ":".join(f"{part:x}" for part in UID.unpack(data))


def xid_parts(format_id: int, gtrid: bytes, bqual: bytes) -> dict[str, Value]:
    """Return the parts of an XID that Narayana made: the transaction, its coordinator, and the branch."""
    if format_id not in FORMATS or len(gtrid) < UID.size:
        return {}
    found: dict[str, Value] = {
        "uid": uid_text(gtrid[: UID.size]),
        "node": gtrid[UID.size :].decode("utf-8", "replace"),
    }
    rest = bqual[UID.size :]
    if len(rest) >= 2 * INT.size:
        (resource,), (size,) = INT.unpack_from(rest), INT.unpack_from(rest, INT.size)
        name = rest[2 * INT.size :][: max(size, 0)].decode("utf-8", "replace")
        found |= {
            "branch_uid": uid_text(bqual[: UID.size]),
            "resource": resource,
            "subordinate_node": name or None,
        }
    return found


@dataclass(slots=True)
class Transaction:
    """Represents one object of the store. If a part could not be decoded, `reason` is the reason, and `data`
    is the state of the object.

    `participants` are the ones that have not finished yet. `heuristics` are the ones that decided without the
    coordinator. For a transaction from another server, `parent` is the XID that the other server sent.
    `created` is milliseconds.
    """

    uid: str | None = None
    type: str | None = None
    status: str | None = None
    created: int | None = None
    process: str | None = None
    decision: str | None = None
    parent: Mapping[str, Value] | None = None
    parent_node: str | None = None
    participants: list[dict[str, Value]] = field(default_factory=list)
    heuristics: list[dict[str, Value]] = field(default_factory=list)
    data: bytes | None = None
    reason: str = ""

    @property
    def xid(self) -> Mapping[str, Value]:
        """The XID from the other server, or else the first participant's XID.

        Both contain the same global part.
        """
        known = (each for each in (*self.participants, *self.heuristics) if "format_id" in each)
        return self.parent or next(known, {})

    @property
    def recovery(self) -> str | None:
        """The action of recovery after the process has ended.

        The presence of the record determines the action, not the status in the record. None means that the
        action depends on undecoded parts.
        """
        kind = self.type or ""
        if kind.endswith(EXPIRED):
            return MOVED
        if SUBORDINATE in kind:
            return WAIT
        if self.participants:
            return COMMIT
        if self.reason:
            return None
        return OPERATOR if self.heuristics else NOTHING


def transaction(body: bytes) -> Transaction:
    """Return the content of a record. Undecodable parts are omitted, with a reason."""
    found = Transaction()
    try:
        record = _Buffer(body)
        found.uid, found.type, state = record.uid(), record.text(), record.raw()
    except ERRORS as error:
        found.data, found.reason = body, f"no object of Narayana: {error}"
        return found
    content = _Buffer(state)
    try:
        _action(content, found)
    except ERRORS as error:
        found.reason = f"transaction {found.uid}: {error}"
    if TRANSACTION not in str(found.type) and (found.reason or content.at != len(state)):
        found = Transaction(found.uid, found.type, reason=f"objects of type {found.type} are not decoded")
    found.data = state if found.reason else None
    return found


def _action(state: _Buffer, found: Transaction) -> None:
    """Decode the state of a transaction into `found`, part by part. Raises one of ERRORS."""
    _header(state, found)
    if SUBORDINATE in str(found.type):
        if state.flag():
            found.parent = _xid(state)
            found.parent_node = state.text()
        _header(state, found)
    state.flag()  # A flag: whether the first participant was asked to commit. Recovery ignores it.
    _participants(state, found.participants)
    if state.number():
        _participants(state, found.heuristics)
    found.status = state.named(STATUSES)
    state.number()  # The kind of action. All stored actions are top-level actions.
    found.decision = state.named(OUTCOMES)


def _header(state: _Buffer, found: Transaction) -> None:
    if not state.raw().startswith(STATE_MARK):
        found.reason = "its state does not begin with #ARJUNA#"
    state.uid()
    found.process, found.created = state.uid(), state.number(LONG)


def _participants(state: _Buffer, found: list[dict[str, Value]]) -> None:
    while (kind := state.number()) != LAST:
        if kind not in _OF_KIND:
            raise Undecodable(f"participants of type {kind} are not decoded (at {state.at - INT.size})")
        each = _OF_KIND[kind](state)
        # The participant's own id, and the name of its type.
        state.uid()
        state.text()
        found.append(each)


def _xid(state: _Buffer) -> dict[str, Value]:
    format_id, size, rest = state.number(), state.number(), state.number()
    data = state.raw()
    if not 0 <= size <= len(data) - rest <= len(data):
        raise Undecodable(f"an XID with parts of {size} and {rest} bytes in {len(data)} (at {state.at})")
    gtrid, bqual = data[:size], data[size : size + rest]
    parts = xid_parts(format_id, gtrid, bqual)
    return {"format_id": format_id, "global_id": gtrid, "branch": bqual, **parts}


def _any_xid(state: _Buffer) -> dict[str, Value]:
    return _xid(state) if state.flag() else {"serialised_xid": state.raw()}


def _xa_resource(state: _Buffer) -> dict[str, Value]:
    found: dict[str, Value] = {"outcome": state.named(OUTCOMES), "committed": state.flag(), **_any_xid(state)}
    if state.number() != BY_OBJECT:
        raise Undecodable(f"a participant that {state.text()} stores in its own form (at {state.at})")
    found |= {"product": state.text(), "version": state.text(), "jndi_name": state.text()}
    if state.flag():
        found["class_name"] = state.text()
        state.raw()  # The serialised resource is never deserialised.
    return found


def _commit_markable(state: _Buffer) -> dict[str, Value]:
    jndi_name, xid = state.text(), _any_xid(state)
    found: dict[str, Value] = {"committed": state.flag() and state.flag(), **xid, "jndi_name": jndi_name}
    return found | {"product": state.text(), "version": state.text()}


#: Maps the type of a participant to the function that decodes it.
_OF_KIND = {XA_RESOURCE: _xa_resource, COMMIT_MARKABLE: _commit_markable}


class TransactionContents(Contents):
    """Represents the contents of a journal of Narayana. Only two of the tables contain rows."""

    def __init__(self, store: Store) -> None:
        super().__init__(FORMAT, store.remarks)
        self.store = store

    @cached_property
    def _places(self) -> Sequence[int]:
        """The position of each object. Its complete state is in the last record with its id."""
        return list({item.id: item.place for item in self.store.replay.live()}.values())

    def _objects(self) -> Iterator[tuple[Body, Transaction]]:
        for item in self.store.replay.bodies(self._places):
            found = transaction(item.stored)
            if found.reason:
                code = "undecodable" if TRANSACTION in str(found.type) else "unknown-object"
                where = self.store.replay.where(item.place)
                self.store.note(Oddity(code, str(item.id), *where, found.reason, "transactions"))
            yield item, found

    def _transactions(self) -> Iterator[Row]:
        for item, found in self._objects():
            xid: Mapping[str, Any] = found.xid
            # Each participant has its own branch.
            branch = xid["branch"] if found.parent else None
            row: dict[str, Value] = {name: xid.get(name) for name in ("format_id", "global_id", "node")}
            row |= {name: getattr(found, name) for name in _AS_THEY_ARE}
            row |= {"id": item.id, "state": found.status, "object_type": found.type, "branch": branch}
            row["xid"] = xid_text(xid["format_id"], xid["global_id"], branch or b"") if xid else None
            row["participants"], row["heuristics"] = len(found.participants), len(found.heuristics)
            row["file"], row["off"] = self.store.replay.where(item.place)
            yield row

    def _participants(self) -> Iterator[Row]:
        for item, found in self._objects():
            lists = (("pending", found.participants), ("heuristic", found.heuristics))
            for state, number, each in ((state, *pair) for state, rows in lists for pair in enumerate(rows)):
                yield each | {"transaction": item.id, "number": number, "state": state}

    def counts(self) -> Sequence[Count]:
        """Return the number of transactions of each deciding node."""
        found: dict[str, Count] = {}
        for item, each in self._objects():
            node = str(each.xid.get("node") or ("another server" if each.parent else "unknown"))
            found.setdefault(node, Count("transactions", node)).add(item.end - item.start, each.created)
        return [*found.values()]
