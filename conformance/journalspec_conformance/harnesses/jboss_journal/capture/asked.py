"""What must be recovered, from the operations that were asked for and acknowledged. No file is read.

The rules are the product's interface, not its file format: a record is there
until it is deleted, those of a transaction from its commit on, a process that
opens the journal rolls back what has no end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from journalspec_conformance.harnesses.java.capturing import Answer, Op

Json = dict[str, Any]
_BYTE = 256


@dataclass
class _Transaction:
    records: list[Json] = field(default_factory=list)
    deletes: list[Json] = field(default_factory=list)
    extra: str | None = None


@dataclass
class Asked:
    """The logical content of a journal, operation by operation."""

    live: list[Json] = field(default_factory=list)
    deleted: set[str] = field(default_factory=set)
    open: dict[str, _Transaction] = field(default_factory=dict)

    def apply(self, op: Op) -> None:
        """Take in one acknowledged operation."""
        match op["op"]:
            case "open":
                self.open = {tx: item for tx, item in self.open.items() if item.extra is not None}
            case "add" | "update":
                self.live.append(_record(op))
            case "delete":
                self.deleted.add(op["id"])
            case "add_tx" | "update_tx":
                self._transaction(op).records.append(_record(op))
            case "delete_tx":
                self._transaction(op).deletes.append({"id": op["id"], "body": op.get("body", "")})
            case "prepare":
                self._transaction(op).extra = op.get("extra", "")
            case "commit":
                ended = self.open.pop(op["tx"])
                self.live += ended.records
                self.deleted |= {entry["id"] for entry in ended.deletes}
            case "rollback":
                self.open.pop(op["tx"])

    def _transaction(self, op: Op) -> _Transaction:
        return self.open.setdefault(op["tx"], _Transaction())

    def state(self) -> Json:
        """Return what recovery must give; without compact counts, which no operation asks for."""
        return {
            "live": [record for record in self.live if record["id"] not in self.deleted],
            "prepared": [
                {"tx": tx, "extra": item.extra, "records": item.records, "deletes": item.deletes}
                for tx, item in sorted(self.open.items(), key=lambda entry: int(entry[0]))
                if item.extra is not None
            ],
        }


def _record(op: Op) -> Json:
    kind = "UPDATE" if op["op"].startswith("update") else "ADD"
    user_type = str(int(op["user_type"]) % _BYTE)
    return {"kind": kind, "id": op["id"], "user_type": user_type, "body": op["body"]}


def asked_state(done: Iterable[tuple[Op, Answer]]) -> Json:
    """Return the state that `done` leads to; refused operations do nothing."""
    asked = Asked()
    for op, answer in done:
        if "refused" not in answer:
            asked.apply(op)
    return asked.state()


def without_counts(state: Json) -> Json:
    """Return a product's state in the form of :func:`asked_state`."""

    def plain(record: Json) -> Json:
        return {key: value for key, value in record.items() if key != "compact_count"}

    return {
        "live": [plain(record) for record in state["live"]],
        "prepared": [
            {**item, "records": [plain(record) for record in item["records"]]} for item in state["prepared"]
        ],
    }
