"""What trials of new Bitronix logs compare: the transactions that recovery has something to do about."""

from __future__ import annotations

from typing import Any

from journalspec_reference.answers import Answer
from journalspec_reference.contents import contents


def live(answer: Answer) -> Any:
    """Return the transactions without an end, but for their places."""
    found = contents(answer)
    rows = found.rows("transactions") if found is not None else ()
    return [{**row, "file": None, "off": None} for row in rows if row["in_doubt"]]
