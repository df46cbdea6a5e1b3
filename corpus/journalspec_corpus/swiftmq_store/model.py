"""The content that a store must recover: the messages of each queue in order, and branches in doubt."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

PREPARED = "sys$prepared"


@dataclass(frozen=True)
class StoredMessage:
    """Represents a message: its digest, and the number of its deliveries."""

    sha256: str
    deliveries: int = 1


#: A queue and a key.
Place = tuple[str, int]


@dataclass(frozen=True)
class QueuedBranch:
    """Represents a branch: whether it inserts messages or removes them, and these messages."""

    inserts: bool
    places: tuple[Place, ...]


@dataclass(frozen=True)
class QueueState:
    """Represents all queues, inserts and removals of open transactions, branches by name, and the next key of
    each queue.
    """

    messages: Mapping[Place, StoredMessage] = field(default_factory=dict)
    inserted: Mapping[str, Mapping[Place, StoredMessage]] = field(default_factory=dict)
    removed: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    branches: Mapping[tuple[str, str], QueuedBranch] = field(default_factory=dict)
    keys: Mapping[str, int] = field(default_factory=dict)


class QueuedMessages:
    """A pure state machine; a commit applies a transaction, a prepare makes it a branch in doubt."""

    def begin(self, state: Mapping[str, Any]) -> QueueState:
        """Return the content of a recovered `state`."""
        messages = {
            (bytes.fromhex(queue["name"]).decode(), int(one["key"])): StoredMessage(
                one.get("sha256", ""), int(one["deliveries"])
            )
            for queue in state.get("queues", ())
            for one in queue["messages"]
        }
        branches = {
            (one["gtrid"], one["bqual"]): QueuedBranch(
                bool(one["inserts"]), tuple((one["queue"], int(key)) for key in one["keys"])
            )
            for one in state.get("in_doubt", ())
        }
        return self._opened(QueueState(messages, branches=branches))

    @staticmethod
    def _opened(kept: QueueState) -> QueueState:
        keys: dict[str, int] = {}
        for queue, key in kept.messages:
            keys[queue] = max(keys.get(queue, 0), key + 1)
        return QueueState(kept.messages, branches=kept.branches, keys=keys)

    def after(self, kept: QueueState, op: Mapping[str, Any], edition: str) -> QueueState:
        """Return the state after `op`."""
        kind = op["op"]
        if kind in ("open", "close"):
            # Open transactions end with the process, and keys of deleted messages may be used again.
            return self._opened(kept)
        if kind == "insert":
            return self._insert(kept, op)
        if kind == "remove":
            place = (op["queue"], int(op["key"]))
            if "tx" not in op:
                return replace(kept, messages=_without(kept.messages, place))
            removed = {**kept.removed, op["tx"]: (*kept.removed.get(op["tx"], ()), place)}
            return replace(kept, removed=removed)
        if kind in ("commit", "rollback"):
            for tx in op["tx"] if isinstance(op["tx"], (list, tuple)) else [op["tx"]]:
                kept = self._end(kept, tx, commit=kind == "commit")
            return kept
        if kind == "prepare":
            return self._prepare(kept, op)
        return self._decide(kept, op) if kind == "decide" else kept

    def _insert(self, kept: QueueState, op: Mapping[str, Any]) -> QueueState:
        queue = op["queue"]
        key = kept.keys.get(queue, 0)
        kept = replace(kept, keys={**kept.keys, queue: key + 1})
        new = {(queue, key): StoredMessage(hashlib.sha256(bytes.fromhex(op["message"])).hexdigest())}
        if "tx" not in op:
            return replace(kept, messages={**kept.messages, **new})
        mine = {**kept.inserted.get(op["tx"], {}), **new}
        return replace(kept, inserted={**kept.inserted, op["tx"]: mine})

    @staticmethod
    def _end(kept: QueueState, tx: str, *, commit: bool) -> QueueState:
        messages = dict(kept.messages)
        if commit:
            messages |= kept.inserted.get(tx, {})
            messages = _without(messages, *kept.removed.get(tx, ()))
        return replace(
            kept,
            messages=messages,
            inserted=_without(kept.inserted, tx),
            removed=_without(kept.removed, tx),
        )

    def _prepare(self, kept: QueueState, op: Mapping[str, Any]) -> QueueState:
        tx = op["tx"]
        inserted = kept.inserted.get(tx, {})
        branch = QueuedBranch(bool(inserted), tuple(inserted) or kept.removed.get(tx, ()))
        # The branch's inserts are in the queue; its removals stay in the queue.
        kept = replace(kept, messages={**kept.messages, **inserted})
        kept = self._end(kept, tx, commit=False)
        return replace(kept, branches={**kept.branches, (op["gtrid"], op["bqual"]): branch})

    @staticmethod
    def _decide(kept: QueueState, op: Mapping[str, Any]) -> QueueState:
        name = (op["gtrid"], op["bqual"])
        branch, commit = kept.branches[name], str(op["commit"]).lower() == "true"
        messages = dict(kept.messages)
        for place in branch.places:
            if place in messages and commit is not branch.inserts:
                del messages[place]
            elif place in messages and not branch.inserts:
                # The message is delivered again.
                one = messages[place]
                messages[place] = StoredMessage(one.sha256, one.deliveries + 1)
        return replace(kept, messages=messages, branches=_without(kept.branches, name))

    def shown(self, kept: QueueState) -> dict[str, Any]:
        """Return messages by queue and key, and branches; the queue of the branches is ignored."""
        queues: dict[str, list[tuple[int, str, int]]] = {}
        for (queue, key), one in sorted(kept.messages.items()):
            if queue != PREPARED:
                queues.setdefault(queue, []).append((key, one.sha256, one.deliveries))
        in_doubt = [(name, one.inserts, sorted(one.places)) for name, one in sorted(kept.branches.items())]
        return {"queues": queues, "in_doubt": in_doubt}


def _without(mapping: Mapping[Any, Any], *names: Any) -> dict[Any, Any]:
    return {name: value for name, value in mapping.items() if name not in names}
