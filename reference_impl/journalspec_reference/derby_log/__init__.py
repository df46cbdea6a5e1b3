"""Derby's write-ahead log: reader, recovery and writer, all editions."""

from __future__ import annotations

from journalspec_reference.api import Implementation
from journalspec_reference.derby_log.bodies import EDITIONS
from journalspec_reference.derby_log.fileset import FORMAT, assumed, detect
from journalspec_reference.derby_log.recover import SEED, plan, recover
from journalspec_reference.derby_log.spans import spans

__all__ = ["IMPLEMENTATION"]

IMPLEMENTATION = Implementation(
    FORMAT,
    __name__,
    dict.fromkeys((SEED, *EDITIONS), "LogWriter"),
    detect,
    recover,
    plan,
    spans,
    assumed,
    lacks=False,
    of_refused=True,
)
