"""SwiftMQ's file store: reader, recovery and writer, all editions."""

from __future__ import annotations

from journalspec_reference.api import Implementation
from journalspec_reference.swiftmq_store.fileset import FORMAT, assumed, detect
from journalspec_reference.swiftmq_store.recover import EDITIONS, observe, plan
from journalspec_reference.swiftmq_store.spans import spans

__all__ = ["IMPLEMENTATION"]

IMPLEMENTATION = Implementation(
    FORMAT,
    __name__,
    dict.fromkeys(EDITIONS, "StoreWriter"),
    detect,
    observe,
    plan,
    spans,
    assumed,
    of_refused=True,
)
