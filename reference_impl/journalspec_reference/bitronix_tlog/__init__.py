"""The Bitronix (BTM) transaction log: reader, recovery and writer, all editions."""

from __future__ import annotations

from journalspec_reference.bitronix_tlog.implementation import IMPLEMENTATION

__all__ = ["IMPLEMENTATION"]
