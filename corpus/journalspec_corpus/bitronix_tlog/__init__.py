"""The Bitronix transaction log in the corpus: its author module, families, flags and model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from journalspec_corpus.bitronix_tlog import author, drawing, naive
from journalspec_corpus.bitronix_tlog.model import Decisions

if TYPE_CHECKING:
    from journalspec_corpus.crash.adapter import CrashFormat

__all__ = ["MODEL", "author", "crash_format", "drawing", "naive"]

MODEL = Decisions()


def crash_format() -> CrashFormat:
    """Return what the crash engine needs; writers and workloads are imported only now."""
    from journalspec_corpus.bitronix_tlog.crash import CRASH

    return CRASH
