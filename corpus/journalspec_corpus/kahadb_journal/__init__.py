"""The KahaDB journal in the corpus: its author module, drawn journals, naive reader and model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from journalspec_corpus.kahadb_journal import author, drawing, naive
from journalspec_corpus.kahadb_journal.model import Messages

if TYPE_CHECKING:
    from journalspec_corpus.crash.adapter import CrashFormat

__all__ = ["MODEL", "author", "crash_format", "drawing", "naive"]

MODEL = Messages()


def crash_format() -> CrashFormat:
    """Return what the crash engine needs; writers and workloads are imported only now."""
    from journalspec_corpus.kahadb_journal.crash import CRASH

    return CRASH
