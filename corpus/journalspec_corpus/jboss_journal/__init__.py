"""The JBoss Messaging journal and its successors in the corpus: author module, families, flags, mutants,
model.
"""

from __future__ import annotations

from journalspec_corpus.jboss_journal import author, drawing, naive
from journalspec_corpus.jboss_journal.model import Messages

__all__ = ["MODEL", "author", "drawing", "naive"]

MODEL = Messages()
