"""This package contains the corpus part of the Bitronix transaction log: author module, families, flags and
model.
"""

from __future__ import annotations

from journalspec_corpus.bitronix_tlog import author, drawing, naive
from journalspec_corpus.bitronix_tlog.model import Decisions

__all__ = ["MODEL", "author", "drawing", "naive"]

MODEL = Decisions()
