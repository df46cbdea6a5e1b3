"""Derby's write-ahead log: reader, recovery and writer, all editions."""

from __future__ import annotations

from journalspec_reference.derby_log.implementation import IMPLEMENTATION

__all__ = ["IMPLEMENTATION"]
