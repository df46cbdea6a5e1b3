"""This package is the corpus part of the toy format: how its cases are written, what its operations mean, and
its crash states.
"""

from __future__ import annotations

from journalspec_corpus.toy_sixth import author
from journalspec_corpus.toy_sixth.model import Texts

__all__ = ["MODEL", "author"]

MODEL = Texts()
