"""What the records amount to: which transactions recovery still has to finish.

The rule is the products' own (BTM-RCV): a COMMITTING record is the decision,
and COMMITTED, ROLLEDBACK and UNKNOWN take resources off it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from journalspec.reread import few
from journalspec_reference.bitronix_tlog.codec import STATUS_CODES, STATUS_NAMES, LogRecord, name_text

COMMITTING = STATUS_CODES["COMMITTING"]
#: Statuses that end a transaction for the resources they name.
FINISHED = frozenset(STATUS_CODES[name] for name in ("COMMITTED", "ROLLEDBACK", "UNKNOWN"))
#: Last words that leave prepared branches behind without a decision to commit.
UNDECIDED = frozenset(STATUS_CODES[name] for name in ("PREPARING", "PREPARED", "ROLLING_BACK"))
#: So many different sets of names are held once and not for each transaction.
SHARED = 1024


def unfinished(records: Iterable[LogRecord]) -> dict[bytes, frozenset[str]]:
    """Return gtrid -> names still to be committed, for every decided transaction.

    Names are compared as text. A later COMMITTING replaces an earlier one; an
    entry without names stays until any finishing record names its gtrid.
    """
    left: dict[bytes, frozenset[str]] = {}
    shared: dict[frozenset[str], frozenset[str]] = {}
    for record in records:
        if record.status == COMMITTING:
            left[record.gtrid] = _once(frozenset(map(name_text, record.names)), shared)
        elif record.status in FINISHED and record.gtrid in left:
            remaining = left[record.gtrid].difference(map(name_text, record.names))
            if remaining:
                left[record.gtrid] = _once(remaining, shared)
            else:
                del left[record.gtrid]
    return left


def _once(names: frozenset[str], shared: dict[frozenset[str], frozenset[str]]) -> frozenset[str]:
    return shared.setdefault(names, names) if len(shared) < SHARED else shared.get(names, names)


def outcome(records: Iterable[LogRecord], active: str) -> dict[str, Any]:
    """Return the logical state after recovery: active file, unfinished, in doubt.

    Only what is unfinished or undecided is held while the records go by.
    """
    last: dict[bytes, LogRecord] = {}
    left = unfinished(_noting(records, last))
    doubtful = sorted(gtrid for gtrid in last if gtrid not in left)
    return {
        "active": active,
        "unfinished": few(
            lambda: ({"gtrid": gtrid, "names": sorted(left[gtrid])} for gtrid in sorted(left)),
            len(left),
            _names_size,
        ),
        "in_doubt": few(lambda: (_in_doubt(last[gtrid]) for gtrid in doubtful), len(doubtful), _names_size),
    }


def _noting(records: Iterable[LogRecord], last: dict[bytes, LogRecord]) -> Iterator[LogRecord]:
    """Yield the records; note in `last` the last one of each transaction whose last word decides nothing."""
    for record in records:
        if record.status in UNDECIDED:
            last[record.gtrid] = record
        else:
            last.pop(record.gtrid, None)
        yield record


def _in_doubt(record: LogRecord) -> dict[str, Any]:
    names = sorted(set(map(name_text, record.names)))
    return {"gtrid": record.gtrid, "status": STATUS_NAMES[record.status], "names": names}


def _names_size(item: dict[str, Any]) -> int:
    return sum(map(len, item["names"]))
