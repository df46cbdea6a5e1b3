"""What trials of new KahaDB stores compare: local transactions without an end are no part of what is kept."""

from __future__ import annotations

from typing import Any

from journalspec_reference.answers import Answer
from journalspec_reference.contents import contents, nested

TABLES = ("messages", "queues", "subscriptions", "jobs")
_PLACES = {"file", "off"}


def live(answer: Answer) -> Any:
    """Return messages, queues, subscriptions, jobs, and prepared transactions."""
    found = contents(answer)
    if found is None:
        return None
    kept = {name: sorted(map(_bare, found.rows(name)), key=repr) for name in TABLES if name in found.tables}
    prepared = (
        row for row in found.rows("transactions") if row["state"] == "prepared" and row["kind"] == "XA"
    )
    return {**kept, "prepared": sorted(map(_bare, prepared), key=repr)}


def _bare(row: Any) -> Any:
    return {name: nested(each) for name, each in row.items() if name not in _PLACES}
