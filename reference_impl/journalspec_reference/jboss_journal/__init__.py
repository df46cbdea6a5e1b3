"""The JBoss Messaging circular journal, HornetQ and Artemis: reader, recovery and writer, all editions."""

from __future__ import annotations

from journalspec_reference.jboss_journal.implementation import IMPLEMENTATION

__all__ = ["IMPLEMENTATION"]
