"""The KahaDB journal in the corpus: its author module, drawn journals, naive reader and model."""

from __future__ import annotations

from journalspec_corpus.kahadb_journal import author, drawing, naive
from journalspec_corpus.kahadb_journal.model import Messages

__all__ = ["MODEL", "author", "drawing", "naive"]

MODEL = Messages()
