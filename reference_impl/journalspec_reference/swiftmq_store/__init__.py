"""SwiftMQ's file store: reader, recovery and writer."""

from __future__ import annotations

from journalspec_reference.swiftmq_store.implementation import IMPLEMENTATION

__all__ = ["IMPLEMENTATION"]
