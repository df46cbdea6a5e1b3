"""The package of Derby's write-ahead log: reader, recovery and writer for all editions."""

from __future__ import annotations

from journalspec_reference.api import Implementation
from journalspec_reference.derby_log import fileset, recover, spans
from journalspec_reference.derby_log.bodies import EDITIONS

__all__ = ["IMPLEMENTATION"]

IMPLEMENTATION = Implementation(
    fileset.FORMAT,
    __name__,
    dict.fromkeys((recover.SEED, *EDITIONS), "LogWriter"),
    fileset.detect,
    recover.recover,
    recover.plan,
    spans.spans,
    fileset.assumed,
    lacks="",
    of_refused=True,
)
