"""What the records amount to: which transactions recovery still has to finish.

The rule is the products' own (BTM-RCV): a COMMITTING record is the decision,
and COMMITTED, ROLLEDBACK and UNKNOWN take resources off it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from journalspec_reference.bitronix_tlog.codec import STATUS_CODES, STATUS_NAMES, LogRecord, name_text

COMMITTING = STATUS_CODES["COMMITTING"]
#: Statuses that end a transaction for the resources they name.
FINISHED = frozenset(STATUS_CODES[name] for name in ("COMMITTED", "ROLLEDBACK", "UNKNOWN"))
#: Last words that leave prepared branches behind without a decision to commit.
UNDECIDED = frozenset(STATUS_CODES[name] for name in ("PREPARING", "PREPARED", "ROLLING_BACK"))


def unfinished(records: Iterable[LogRecord]) -> dict[bytes, frozenset[str]]:
    """Return gtrid -> names still to be committed, for every decided transaction.

    Names are compared as text. A later COMMITTING replaces an earlier one; an
    entry without names stays until any finishing record names its gtrid.
    """
    left: dict[bytes, frozenset[str]] = {}
    for record in records:
        if record.status == COMMITTING:
            left[record.gtrid] = frozenset(map(name_text, record.names))
        elif record.status in FINISHED and record.gtrid in left:
            remaining = left[record.gtrid].difference(map(name_text, record.names))
            if remaining:
                left[record.gtrid] = remaining
            else:
                del left[record.gtrid]
    return left


def outcome(records: list[LogRecord], active: str) -> dict[str, Any]:
    """Return the logical state after recovery: active file, unfinished, in doubt."""
    left = unfinished(records)
    last = {record.gtrid: record for record in records}
    return {
        "active": active,
        "unfinished": [{"gtrid": gtrid, "names": sorted(left[gtrid])} for gtrid in sorted(left)],
        "in_doubt": [
            {
                "gtrid": gtrid,
                "status": STATUS_NAMES[last[gtrid].status],
                "names": sorted(set(map(name_text, last[gtrid].names))),
            }
            for gtrid in sorted(last)
            if last[gtrid].status in UNDECIDED and gtrid not in left
        ],
    }
