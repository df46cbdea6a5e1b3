"""The JBoss Messaging journal and its heirs in the corpus: author module, families, flags, mutants, model."""

from __future__ import annotations

from journalspec_corpus.jboss_journal import author, naive
from journalspec_corpus.jboss_journal.model import Messages

__all__ = ["MODEL", "author", "naive"]

MODEL = Messages()
