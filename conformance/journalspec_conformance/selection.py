"""Which probes a run is about: tier, formats, patterns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from journalspec.formats import UnknownFormat, get_format
from journalspec_conformance.errors import Problem
from journalspec_conformance.patterns import any_matches
from journalspec_corpus import Case, CaseError, Probe, load_cases
from journalspec_corpus.load import PUBLISHED_TIERS, parse_lines


def cases_of(tier: str, formats: Sequence[str] = (), files: Sequence[Path] = ()) -> list[Case]:
    """Return the cases of a published `tier`, or of the given case `files`, of `formats` (none: all).

    Raises Problem on an unknown tier or format, an unreadable file, or if nothing is left.
    """
    try:
        for name in formats:
            get_format(name)
        found = [case for path in files for case in _read(path)] if files else load_cases(tier=tier)
    except (UnknownFormat, CaseError, ValueError) as error:
        raise Problem(str(error)) from None
    chosen = [case for case in found if not formats or case.format in formats]
    if not chosen:
        source = ", ".join(map(str, files)) or f"tier {tier}"
        raise Problem(f"{source} has no cases" + (f" of {', '.join(formats)}" if formats else ""))
    return chosen


def _read(path: Path) -> list[Case]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path}: cannot be read: {error}") from None
    return list(parse_lines(text, str(path)))


def probes_of(cases: Sequence[Case], patterns: Sequence[str] = ()) -> list[Probe]:
    """Return the probes of `cases` that one of `patterns` names (none: all).

    Raises Problem for a pattern that names nothing.
    """
    probes = [probe for case in cases for probe in case.probes]
    for pattern in patterns:
        if not any(any_matches((pattern,), probe.id) for probe in probes):
            raise Problem(
                f"--select {pattern!r} names none of {len(probes)} probes",
                "Segments are separated by . and /; * stands for one, ** for any number of them. "
                "`journalspec list` shows all ids.",
            )
    return [probe for probe in probes if any_matches(patterns, probe.id)]


__all__ = ["PUBLISHED_TIERS", "cases_of", "probes_of"]
