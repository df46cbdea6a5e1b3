"""The toy format in the corpus: how its cases are written, and its crash states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from journalspec_corpus.toy_sixth import author

if TYPE_CHECKING:
    from journalspec_corpus.crash.adapter import CrashFormat

__all__ = ["author", "crash_format"]


def crash_format() -> CrashFormat:
    """Return what the crash engine needs; it is imported only now."""
    from journalspec_corpus.toy_sixth.crash import CRASH

    return CRASH
