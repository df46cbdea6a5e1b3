"""The contents of a log: its transactions, their owners and ages, and the actions that they need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from journalspec.observation import Record
from journalspec_reference.answers import Answer
from journalspec_reference.bitronix_tlog.codec import STATUS_NAMES
from journalspec_reference.bitronix_tlog.nio import as_written
from journalspec_reference.bitronix_tlog.recover import NioReplay, Replay
from journalspec_reference.contents import Contents, Count, Remark, Value
from journalspec_reference.xids import gtrid_text, uid, wall_clock

_TABLE = "transactions"
#: Maps a list of the state to the action of recovery for a transaction in that list.
OUTCOMES = {"unfinished": "commit", "in_doubt": "rollback"}
#: Columns that are copied from a transaction unchanged.
_AS_THEY_ARE = ("gtrid", "status", "records", "file", "off")


def contents(answer: Answer) -> LogContents:
    """Return the contents of a recovered log."""
    return LogContents(answer)


@dataclass(slots=True)
class _Transaction:
    """Represents the records of a transaction so far.

    `left` contains the names of the resources whose branches have not ended since the decision.
    """

    gtrid: bytes
    status: str | None = None
    written: int | None = None
    file: str = ""
    off: int | None = None
    records: int = 0
    decided: int | None = None
    resources: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)

    def take(self, record: Record) -> None:
        fields: Mapping[str, Any] = record.fields
        time, names = fields["time"], fields["names"]
        self.status, self.written, self.file, self.off = record.type, time, record.at.file, record.at.off
        self.records += 1
        self.resources.update(names)
        if record.type == "COMMITTING":
            self.decided, self.left = time, set(names)


class LogContents(Contents):
    """Represents the contents of one log. Only the active file is part of the recovered state."""

    def __init__(self, answer: Answer) -> None:
        super().__init__("bitronix_tlog")
        self._seen = answer.observation
        ends = NioReplay.ends if answer.journal.edition == "nio" else Replay.ends
        self._ends = {STATUS_NAMES[status] for status in ends}

    @property
    def _state(self) -> Mapping[str, Any]:
        # A refused log has no state.
        return self._seen.state or dict.fromkeys(("active", *OUTCOMES), ())

    def _transactions(self) -> Iterator[dict[str, Value]]:
        """Yield the transactions. Ended transactions come first, in the order of their ends."""
        under_way: dict[bytes, _Transaction] = {}
        for record in as_written(self._seen):
            if record.at.file != self._state["active"]:
                continue
            fields: Mapping[str, Any] = record.fields
            gtrid = fields["gtrid"]
            one = under_way.setdefault(gtrid, _Transaction(gtrid))
            one.take(record)
            if record.type in self._ends:
                # Each resource ends separately (BTM-RCV-010).
                one.left.difference_update(fields["names"])
                if not one.left:
                    yield self._row(under_way.pop(gtrid), None, ())
        for name, outcome in OUTCOMES.items():
            for entry in self._state[name]:
                one = under_way.pop(entry["gtrid"], _Transaction(entry["gtrid"]))
                yield self._row(one, outcome, entry["names"])
        # The other transactions have statuses for which no branch was prepared, or recovery has finished the
        # branches.
        for one in under_way.values():
            yield self._row(one, None, ())

    def _row(self, one: _Transaction, outcome: str | None, waits: Sequence[str]) -> dict[str, Value]:
        name, known = gtrid_text(one.gtrid), uid(one.gtrid)
        if known is None:
            why = "its gtrid does not have the form of Bitronix: server, start and sequence are unknown"
            self.remarks.add(Remark(_TABLE, name, one.file, one.off, "other-gtrid", why))
        return {name: getattr(one, name) for name in _AS_THEY_ARE} | {
            "id": name,
            "server_id": known.server if known else None,
            "started": known.started if known else None,
            "uptime": known.time if known and known.started is None else None,
            "sequence": known.sequence if known else None,
            "outcome": outcome,
            "in_doubt": outcome is not None,
            "resources": sorted({*one.resources, *waits}),
            "waits_for": [*waits],
            "decided": wall_clock(one.decided),
            "written": wall_clock(one.written),
        }

    def counts(self) -> Iterator[Count]:
        """Yield the number of transactions that recovery commits and rolls back, and their ages."""
        return counts_of(self._state)


def counts_of(state: Mapping[str, Any]) -> Iterator[Count]:
    """Yield the number of transactions to be committed and rolled back, and their ages."""
    for name, outcome in OUTCOMES.items():
        total = Count("transactions", outcome)
        for entry in state[name]:
            known = uid(entry["gtrid"])
            total.add(0, known.started if known else None)
        if total.rows:
            yield total
