"""This package contains the corpus part of SwiftMQ's file store: author, naive reader, model, random stores,
crash states.
"""

from __future__ import annotations

from journalspec_corpus.swiftmq_store import author, drawing, naive
from journalspec_corpus.swiftmq_store.model import QueuedMessages

__all__ = ["MODEL", "author", "drawing", "naive"]

MODEL = QueuedMessages()
