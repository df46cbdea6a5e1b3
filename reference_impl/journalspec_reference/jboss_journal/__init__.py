"""The package of the JBoss Messaging circular journal, HornetQ and Artemis: reader, recovery and writer for
all editions.
"""

from __future__ import annotations

from journalspec_reference.api import Implementation
from journalspec_reference.jboss_journal import fileset, recover, spans
from journalspec_reference.jboss_journal.codec import DIALECTS

__all__ = ["IMPLEMENTATION"]

IMPLEMENTATION = Implementation(
    fileset.FORMAT,
    __name__,
    dict.fromkeys(DIALECTS, "JournalWriter"),
    fileset.detect,
    recover.recover,
    recover.plan,
    spans.spans,
    lacks="neighbours",
)
