"""The toy format in the corpus: how its cases are written, what its operations mean, and its crash states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from journalspec_corpus.toy_sixth import author
from journalspec_corpus.toy_sixth.model import Texts

if TYPE_CHECKING:
    from journalspec_corpus.crash.adapter import CrashFormat

__all__ = ["MODEL", "author", "crash_format"]

MODEL = Texts()


def crash_format() -> CrashFormat:
    """Return what the crash engine needs; it is imported only now."""
    from journalspec_corpus.toy_sixth.crash import CRASH

    return CRASH
