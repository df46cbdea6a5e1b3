"""The toy format's cases are authored; this package says how."""

from __future__ import annotations

from journalspec_corpus.toy_sixth import author

__all__ = ["author"]
