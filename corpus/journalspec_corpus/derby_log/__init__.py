"""This package contains the corpus part of Derby's write-ahead log: author module, naive reader and model."""

from __future__ import annotations

from journalspec_corpus.derby_log import author, drawing, naive
from journalspec_corpus.derby_log.model import TableRows

__all__ = ["MODEL", "author", "drawing", "naive"]

MODEL = TableRows()
