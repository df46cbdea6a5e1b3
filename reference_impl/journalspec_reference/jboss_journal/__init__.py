"""The JBoss Messaging circular journal, HornetQ and Artemis: reader, recovery and writer, all editions."""

from __future__ import annotations

from journalspec_reference.api import Implementation
from journalspec_reference.jboss_journal.codec import DIALECTS
from journalspec_reference.jboss_journal.fileset import FORMAT, detect
from journalspec_reference.jboss_journal.recover import plan, recover
from journalspec_reference.jboss_journal.spans import spans

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
