"""Which probes a run is about: tier, formats, patterns."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from journalspec.formats import UnknownFormat, get_format
from journalspec_conformance.errors import Problem
from journalspec_conformance.patterns import any_matches
from journalspec_corpus import Case, CaseError, Probe, load_cases
from journalspec_corpus.load import PUBLISHED_TIERS, parse_lines
from journalspec_corpus.pipeline.cases import read_cases

_GZIP = b"\x1f\x8b"


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
    """Read a file of cases (also .gz), or the directory of a core build."""
    if path.is_dir():
        return _read_build(path)
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if data[:2] == _GZIP else data).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise Problem(f"{path}: cannot be read: {error}") from None
    return list(parse_lines(text, str(path)))


def _read_build(directory: Path) -> list[Case]:
    try:
        return list(read_cases(directory))
    except (OSError, EOFError, zlib.error) as error:
        raise Problem(
            f"{directory}: no built core tier: {error}", "See `journalspec corpus build`."
        ) from None


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


def ids_outside(tier: str) -> Iterator[str]:
    """Yield the probe ids of the published tiers other than `tier`."""
    for other in PUBLISHED_TIERS:
        if other != tier:
            yield from (probe.id for case in load_cases(tier=other) for probe in case.probes)


__all__ = ["PUBLISHED_TIERS", "cases_of", "ids_outside", "probes_of"]
