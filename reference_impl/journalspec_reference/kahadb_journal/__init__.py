"""The ActiveMQ KahaDB journal: reader, recovery and writer, all editions."""

from __future__ import annotations

from journalspec_reference.kahadb_journal.implementation import IMPLEMENTATION

__all__ = ["IMPLEMENTATION"]
