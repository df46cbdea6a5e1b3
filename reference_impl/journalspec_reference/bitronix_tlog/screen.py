"""What a summary calls the transactions of a log."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from journalspec.formats import InDoubt
from journalspec_reference.xids import uid


def called(_: InDoubt, entry: Mapping[str, Any]) -> str:
    """Return what people call a transaction: ``server/milliseconds/counter``, its begin, and its gtrid."""
    gtrid = bytes(entry["gtrid"])
    known = uid(gtrid)
    if known is None:
        return gtrid.hex()
    begun = ""
    if known.started is not None:
        with suppress(ValueError, OverflowError, OSError):  # no year that a date has
            begun = f"begun {datetime.fromtimestamp(known.started // 1000, UTC):%Y-%m-%d %H:%M:%S} UTC, "
    return f"{known} ({begun}gtrid {gtrid.hex()})"
