"""Derby's write-ahead log in the corpus: its author module, naive reader and model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from journalspec_corpus.derby_log import author, drawing, naive
from journalspec_corpus.derby_log.model import TableRows

if TYPE_CHECKING:
    from journalspec_corpus.crash.adapter import CrashFormat

__all__ = ["MODEL", "author", "crash_format", "drawing", "naive"]

MODEL = TableRows()


def crash_format() -> CrashFormat:
    """Return what the crash engine needs; writers and workloads are imported only now."""
    from journalspec_corpus.derby_log.crash import CRASH

    return CRASH
