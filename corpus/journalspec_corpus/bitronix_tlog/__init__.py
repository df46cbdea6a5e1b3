"""The Bitronix transaction log in the corpus: its author room, families and flags."""

from __future__ import annotations

from journalspec_corpus.bitronix_tlog import author

__all__ = ["author"]
