"""Derby's write-ahead log in the corpus: its author module and its naive reader."""

from __future__ import annotations

from journalspec_corpus.derby_log import author, naive

__all__ = ["author", "naive"]
