"""SwiftMQ's file store in the corpus: its author module and model.

It has no naive reader and no crash states yet.
"""

from __future__ import annotations

from journalspec_corpus.swiftmq_store import author, drawing
from journalspec_corpus.swiftmq_store.model import QueuedMessages

__all__ = ["MODEL", "author", "drawing"]

MODEL = QueuedMessages()
