"""What a summary calls the transactions of a log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from journalspec.formats import InDoubt
from journalspec_reference.bitronix_tlog.recover import uid_text


def called(_: InDoubt, entry: Mapping[str, Any]) -> str:
    """Return what people call the transaction of an entry: ``server/milliseconds/counter``, and its gtrid."""
    name, gtrid = uid_text(entry["gtrid"]), bytes(entry["gtrid"]).hex()
    return name if name == gtrid else f"{name} (gtrid {gtrid})"
