"""The package of the ActiveMQ KahaDB journal: reader, recovery and writer for all editions."""

from __future__ import annotations

from journalspec_reference.api import Implementation
from journalspec_reference.kahadb_journal import fileset, recover, spans
from journalspec_reference.kahadb_journal.codec import DIALECTS, FORMAT

__all__ = ["IMPLEMENTATION"]

IMPLEMENTATION = Implementation(
    FORMAT,
    __name__,
    dict.fromkeys(DIALECTS, "JournalWriter"),
    fileset.detect,
    recover.recover,
    recover.plan,
    spans.spans,
)
