"""SwiftMQ's file store in the corpus: author, naive reader, model, stores at random, crash states."""

from __future__ import annotations

from journalspec_corpus.swiftmq_store import author, drawing, naive
from journalspec_corpus.swiftmq_store.model import QueuedMessages

__all__ = ["MODEL", "author", "drawing", "naive"]

MODEL = QueuedMessages()
