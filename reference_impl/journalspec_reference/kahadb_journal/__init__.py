"""The ActiveMQ KahaDB journal: reader, recovery and writer, all editions."""

from __future__ import annotations

from journalspec_reference.api import Implementation
from journalspec_reference.kahadb_journal.codec import DIALECTS, FORMAT
from journalspec_reference.kahadb_journal.fileset import detect
from journalspec_reference.kahadb_journal.recover import plan, recover
from journalspec_reference.kahadb_journal.spans import spans

__all__ = ["IMPLEMENTATION"]

IMPLEMENTATION = Implementation(
    FORMAT,
    __name__,
    dict.fromkeys(DIALECTS, "JournalWriter"),
    detect,
    recover,
    plan,
    spans,
)
