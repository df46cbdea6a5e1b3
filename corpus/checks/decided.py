"""Situations that requirements decide, and for which the smoke tier of a format has no room.

The tests of a format have a table of them. Each is expected by hand. The reference must give it, and so must
the naive reader, as far as it goes; a faulty copy of the reference must not.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mutants import Mutant

from journalspec.formats import get_format
from journalspec_corpus.edits import Built, apply


@dataclass(frozen=True)
class Situation:
    """Files by a base and edits, and an answer about them."""

    requirement: str
    base: Mapping[str, Any]
    #: what the answer must have; the tests of the format say which keys there are
    expected: Mapping[str, Any]
    #: place, text and replacement of the faulty copy
    fault: tuple[str, str, str]
    why: str
    edits: tuple[Mapping[str, Any], ...] = ()
    #: the edition; empty: the default
    edition: str = ""

    def edition_in(self, format_id: str) -> str:
        """Return the edition."""
        return self.edition or get_format(format_id).default_edition

    def built(self, format_id: str) -> Built:
        """Return the files, with every range named."""
        author = importlib.import_module(f"journalspec_corpus.{format_id}.author")
        built: Built = author.build(self.base, self.edition_in(format_id))
        for edit in self.edits:
            apply(built, edit, lambda _: built, author.seal)
        return built

    def faulty(self, format_id: str, name: str) -> Any:
        """Return the faulty copy of the reference."""
        mutant = Mutant(f"decided-{name}", format_id, *self.fault, self.why, (self.requirement,))
        return mutant.implementation()
