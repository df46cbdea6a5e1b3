"""Failures that are known: a TOML file that lets a maintainer gate his build on new kinds only.

Each table ``[[known]]`` covers the kinds of failure that all its members fit;
members are patterns as for file names, and one that is left out fits everything::

    [[known]]
    verdict = "resurrected"
    category = "pointer-*"
    why = "records of an earlier life pass their checksum"

The members are writer, policy, stratum, verdict and category; ``why`` is
required. That it gave no answer (hang, crash, error) is only covered by an entry
that says so: a pattern must not turn a program that dies into one that is tolerated.
A file of findings is such a file too, under another table name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from journalspec_conformance.crashes.verdicts import BREAKDOWNS, BREAKS, Kind
from journalspec_conformance.errors import Problem
from journalspec_conformance.expect import parse_toml, read_text

TABLES = ("known", "finding")
#: What else stands in a file of findings.
_BESIDE = ("run", "verdicts", "strata")
MEMBERS = Kind._fields


@dataclass(frozen=True, slots=True)
class KnownKind:
    """One table: patterns in the order of MEMBERS, and why it is known."""

    patterns: tuple[str, ...]
    why: str

    def covers(self, kind: Kind) -> bool:
        """Tell whether `kind` fits."""
        if kind.verdict in BREAKDOWNS and kind.verdict != self.patterns[MEMBERS.index("verdict")]:
            return False
        return all(map(fnmatchcase, kind, self.patterns))

    def __str__(self) -> str:
        """Return the members that say something, for people."""
        given = zip(MEMBERS, self.patterns, strict=True)
        return ", ".join(f"{name} {pattern!r}" for name, pattern in given if pattern != "*") or "everything"


def load_known(path: Path) -> tuple[KnownKind, ...]:
    """Return the entries of an allowance; raises Problem that says where it is wrong."""
    loaded = parse_toml(read_text(path), str(path))
    names = [name for name in TABLES if name in loaded]
    if not names or not all(isinstance(loaded[name], list) for name in names):
        raise Problem(f"{path}: no table [[known]]", "Each known kind of failure is one such table.")
    unknown = [name for name in loaded if name not in (*TABLES, *_BESIDE)]
    if unknown:
        raise Problem(f"{path}: unknown table {', '.join(map(repr, unknown))}", "Tables are [[known]].")
    return tuple(
        _entry(f"{path}: [[{name}]] number {number}", table)
        for name in names
        for number, table in enumerate(loaded[name], start=1)
    )


def _entry(where: str, table: Any) -> KnownKind:
    if not isinstance(table, dict) or not all(isinstance(table.get(name, ""), str) for name in MEMBERS):
        raise Problem(f"{where}: {', '.join(MEMBERS)} are texts")
    unknown = [name for name in table if name not in (*MEMBERS, "why")]
    if unknown and "[[known]]" in where:
        raise Problem(
            f"{where}: unknown member {', '.join(map(repr, unknown))}",
            f"Members are {', '.join(MEMBERS)}, why.",
        )
    if not isinstance(table.get("why"), str) or not table["why"]:
        raise Problem(f"{where}: it does not say why", 'Add why = "..."')
    verdict = table.get("verdict", "*")
    if not any(fnmatchcase(name, verdict) for name in BREAKS):
        raise Problem(f"{where}: no verdict fits {verdict!r}", f"Verdicts are {', '.join(BREAKS)}.")
    return KnownKind(tuple(table.get(name, "*") for name in MEMBERS), table["why"])


def compare(kinds: Iterable[Kind], known: Iterable[KnownKind]) -> tuple[list[Kind], list[KnownKind]]:
    """Return which of `kinds` no entry covers, and which entries cover none of them."""
    seen, entries = list(kinds), list(known)
    return (
        [kind for kind in seen if not any(entry.covers(kind) for entry in entries)],
        [entry for entry in entries if not any(entry.covers(kind) for kind in seen)],
    )
