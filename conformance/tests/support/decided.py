"""Situations that requirements decide, and for which the smoke tier of a format has no room.

The expected answers were written by hand. The reference must return them, and so must the naive reader for
the parts that it covers. A faulty copy of the reference must not.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants import Mutant

from journalspec.formats import get_format
from journalspec.observation import Observation
from journalspec_corpus.edits import Built, apply


@dataclass(frozen=True)
class Situation:
    """A situation: its files, described by a base and edits, and the expected answer."""

    requirement: str
    base: Mapping[str, Any]
    #: The required parts of the answer. The tests of a format define the keys.
    expected: Mapping[str, Any]
    #: The place, the text and the replacement of the faulty copy.
    fault: tuple[str, str, str]
    why: str
    edits: Iterable[Mapping[str, Any]] = ()
    #: The edition of the situation. If it is empty, the default edition of the format is used.
    edition: str = ""
    #: The policy of recovery. If it is empty, the files are only read.
    policy: str = ""

    def edition_in(self, format_id: str) -> str:
        """Return the edition of the situation."""
        return self.edition or get_format(format_id).default_edition

    def built(self, format_id: str) -> Built:
        """Return the files, with a label for every range."""
        author = importlib.import_module(f"journalspec_corpus.{format_id}.author")
        built: Built = author.build(self.base, self.edition_in(format_id))
        for edit in self.edits:
            apply(built, edit, lambda _: built, author.seal)
        return built

    def answer(self, implementation: Any, files: Mapping[str, bytes], format_id: str) -> Observation:
        """Return the observation that an implementation makes of the files."""
        edition = self.edition_in(format_id)
        found: Observation = (
            implementation.recover(files, edition=edition, policy=self.policy)
            if self.policy
            else implementation.read(files, edition=edition)
        )
        return found

    def faulty(self, format_id: str, name: str) -> Any:
        """Return the faulty copy of the reference."""
        mutant = Mutant(f"decided-{name}", format_id, *self.fault, self.why, (self.requirement,))
        return mutant.implementation()


def situations(path: Path) -> dict[str, Situation]:
    """Return the situations of a table by their names.

    Bases and edits are written as in cases. A fault is written like a mutant: ``at``, ``find`` and
    ``replace``.
    """
    found = {}
    for row in tomllib.loads(path.read_text(encoding="utf-8"))["situation"]:
        name, fault = row.pop("name"), (row.pop("at"), row.pop("find"), row.pop("replace"))
        found[name] = Situation(fault=fault, **row)
    return found
