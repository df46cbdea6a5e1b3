"""The corpus: test cases for implementations of a journal format.

Cases are published as package data (tiers ``smoke`` and ``captured``), and :func:`load_cases` loads them. A
case contains its input, the questions about this input, and every answer that the specification permits.
"""

from __future__ import annotations

from journalspec_corpus.case import Case, CaseError, Input, InputFile, Origin, Probe
from journalspec_corpus.load import load_cases

__all__ = ["Case", "CaseError", "Input", "InputFile", "Origin", "Probe", "load_cases"]
