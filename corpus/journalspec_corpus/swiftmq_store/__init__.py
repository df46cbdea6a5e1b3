"""SwiftMQ's file store in the corpus: its author module, naive reader and model."""

from __future__ import annotations

from journalspec_corpus.swiftmq_store import author, naive
from journalspec_corpus.swiftmq_store.model import QueuedMessages

__all__ = ["MODEL", "author", "naive"]

MODEL = QueuedMessages()
