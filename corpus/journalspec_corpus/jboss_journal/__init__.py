"""The JBoss Messaging journal and its heirs in the corpus: author room, families, flags, mutants."""

from __future__ import annotations

from journalspec_corpus.jboss_journal import author

__all__ = ["author"]
