"""SwiftMQ's file store in the corpus: its author module and model, what draws stores, crash states.

It has no naive reader yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from journalspec_corpus.swiftmq_store import author, drawing
from journalspec_corpus.swiftmq_store.model import QueuedMessages

if TYPE_CHECKING:
    from journalspec_corpus.crash.adapter import CrashFormat

__all__ = ["MODEL", "author", "crash_format", "drawing"]

MODEL = QueuedMessages()


def crash_format() -> CrashFormat:
    """Return what the crash engine needs; writers and workloads are imported only now."""
    from journalspec_corpus.swiftmq_store.crash import CRASH

    return CRASH
