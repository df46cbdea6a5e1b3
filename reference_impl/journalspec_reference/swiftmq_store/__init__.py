"""The package of SwiftMQ's file store: reader, recovery and writer for all editions."""

from __future__ import annotations

from journalspec_reference.api import Implementation
from journalspec_reference.swiftmq_store import fileset, recover, spans

__all__ = ["IMPLEMENTATION"]

IMPLEMENTATION = Implementation(
    fileset.FORMAT,
    __name__,
    dict.fromkeys(recover.EDITIONS, "StoreWriter"),
    fileset.detect,
    recover.observe,
    recover.plan,
    spans.spans,
    fileset.assumed,
    of_refused=True,
)
