"""SwiftMQ's file store in the corpus: author, naive reader, model, stores at random, crash states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from journalspec_corpus.swiftmq_store import author, drawing, naive
from journalspec_corpus.swiftmq_store.model import QueuedMessages

if TYPE_CHECKING:
    from journalspec_corpus.crash.adapter import CrashFormat

__all__ = ["MODEL", "author", "crash_format", "drawing", "naive"]

MODEL = QueuedMessages()


def crash_format() -> CrashFormat:
    """Return what the crash engine needs; writers and workloads are imported only now."""
    from journalspec_corpus.swiftmq_store.crash import CRASH

    return CRASH
