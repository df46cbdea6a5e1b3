"""Selects the probes of a run by tier, formats and patterns.

A pattern matches ids of probes. Segments are separated by ``.`` and ``/``; ``*`` matches within a segment,
``**`` any number of segments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from journalspec.files import shown
from journalspec.formats import UnknownFormat, format_ids, get_format
from journalspec_conformance.errors import Problem
from journalspec_corpus import Case, CaseError, Probe, load_cases
from journalspec_corpus.case import UNKNOWN
from journalspec_corpus.draws import COUNT, TIER, drawn_case, drawn_cases, formats_with_draws
from journalspec_corpus.load import CASES, PUBLISHED_TIERS, Intake

#: The published tiers, and the tier of random journals.
ALL = "all"
#: States that a crash may leave. Their required outcome follows from the acknowledgements.
CRASH = "crash"
#: States that a crash during the implementation's own writes may leave.
CRASH_WRITE = "crash-write"
_SEPARATORS = re.compile(r"([./])")


@dataclass(frozen=True, slots=True)
class Draws:
    """Represents the cases of the tier ``drawn``: `count` random journals of each format, or those in
    `select`.
    """

    seed: int
    count: int = COUNT
    select: tuple[str, ...] = ()

    def cases(self, formats: Sequence[str]) -> Iterator[Case]:
        """Yield the random journals of `formats` (none: all)."""
        named = [drawn_case(pattern.partition("/")[0]) for pattern in self.select]
        if named and None not in named:
            yield from {case.id: case for case in named if case is not None}.values()
            return
        for name in formats_with_draws(formats):
            yield from drawn_cases(name, self.seed, range(self.count))


def crash_states(
    formats: Sequence[str], editions: Mapping[str, frozenset[str]], draws: Draws, builds: Sequence[Path]
) -> list[Case]:
    """Return crash states in `editions` of each format: those of `builds`, or a sample by `draws`.

    `editions` contains the editions of each format that an implementation recovers. Raises Problem if no
    state is left.
    """
    with _optional(CRASH):
        from journalspec_conformance.crashes.states import built, sampled  # noqa: PLC0415 - needs optional packages
        from journalspec_corpus.crash.formats import has_crash_format  # noqa: PLC0415 - needs optional packages
    try:
        able = [name for name in formats or editions if has_crash_format(name)]
    except UnknownFormat as error:
        raise Problem(str(error)) from None
    able = [name for name in able if editions.get(name)]
    found: list[Case] = []
    for place in builds:
        found += built(place, draws.count, editions)
    for name in [] if builds else able:
        found += sampled(name, draws.seed, draws.count, editions[name])
    if not found:
        told = ", ".join(formats) or "any format"
        raise Problem(
            f"no crash state of {told} is in an edition that it recovers", "Look at `journalspec smoke`."
        )
    return found


def writer_states(formats: Sequence[str], draws: Draws, preset: str) -> list[Case]:
    """Return the writing cases of the smoke tier, to be tested on their crash states under `preset`.

    `draws` contains the number of states and the seed of their selection. Raises Problem for an unknown
    preset.
    """
    with _optional(CRASH_WRITE):
        from journalspec_conformance.crashes.writers import writer_case  # noqa: PLC0415 - needs optional packages
        from journalspec_corpus.crash.trace import get_preset  # noqa: PLC0415 - needs optional packages
    try:
        name = get_preset(preset).name
    except ValueError as error:
        raise Problem(str(error)) from None
    cases = cases_of(PUBLISHED_TIERS[0], formats, select=draws.select)
    found = (writer_case(case, name, draws.seed, draws.count) for case in cases)
    return [case for case in found if case is not None]


@contextmanager
def _optional(tier: str) -> Iterator[None]:
    """Raise Problem that lists the packages to install if `tier` needs missing ones."""
    try:
        yield
    except ImportError as error:
        raise Problem(
            f"the tier {tier} needs NumPy and PyArrow ({error})", "pip install 'journalspec[corpus]'"
        ) from None


def with_draws(tier: str) -> bool:
    """Return whether random journals are part of `tier`."""
    return tier in (TIER, ALL)


def cases_of(
    tier: str,
    formats: Sequence[str] = (),
    files: Sequence[Path] = (),
    draws: Draws | None = None,
    select: Sequence[str] = (),
) -> list[Case]:
    """Return the cases of a `tier`, or of the given case `files`, of `formats` (none: all).

    Without `formats`, only the cases of formats that `select` can match are read. If all of `select` are ids
    of published cases without a star, only these cases are read. The tiers ``drawn`` and ``all`` need
    `draws`. Invalid cases in `files` are quarantined (see Case.quarantined). Raises Problem on an unknown
    tier or format, an unreadable file, or if nothing is left.
    """
    formats = formats or formats_named(select, files)
    try:
        for name in formats:
            get_format(name)
        if files:
            found = list(_read(files))
        elif draws is not None and with_draws(tier):
            found = [] if tier == TIER else [c for name in PUBLISHED_TIERS for c in load_cases(tier=name)]
            found += draws.cases(formats)
        else:
            found = _named(tier, formats, select) or _published(tier, formats)
    except (UnknownFormat, CaseError, ValueError) as error:
        raise Problem(str(error)) from None
    # A case without a valid format may belong to any format.
    chosen = [case for case in found if not formats or case.format in formats or case.format == UNKNOWN]
    if not chosen:
        source = ", ".join(map(str, files)) or f"tier {tier}"
        raise Problem(f"{source} has no cases" + (f" of {', '.join(formats)}" if formats else ""))
    return chosen


def _published(tier: str, formats: Sequence[str], only: frozenset[str] = frozenset()) -> list[Case]:
    """Return the cases of a published tier, of `formats` (none: all), in published order."""
    chosen = [name for name in format_ids() if not formats or name in formats]
    return [case for name in chosen for case in load_cases(name, tier, only)]


def _named(tier: str, formats: Sequence[str], patterns: Sequence[str]) -> list[Case]:
    """Return the cases with the ids in `patterns`, or an empty list if a pattern is not the id of a case."""
    ids = frozenset(pattern.partition("/")[0] for pattern in patterns)
    found = [] if any("*" in name for name in ids) else _published(tier, formats, ids)
    return found if ids and len(found) == len(ids) else []


def formats_named(patterns: Sequence[str], files: Sequence[Path] = ()) -> tuple[str, ...]:
    """Return the formats of all cases that `patterns` can match; empty if every format is possible.

    The ids of all published cases of a format begin with its prefix; the cases in `files` may have any id.
    """
    prefixes = {get_format(name).prefix.lower(): name for name in format_ids()}
    found = {prefixes.get(pattern.partition(".")[0]) for pattern in patterns}
    return () if files or None in found else tuple(sorted(filter(None, found)))


def _read(paths: Sequence[Path]) -> Iterator[Case]:
    """Yield the cases of all files (also .gz) and directories of core builds."""
    intake = Intake()
    for path in paths:
        try:
            yield from intake.file(path / CASES if path.is_dir() else path)
        except OSError as error:
            if path.is_dir():
                raise Problem(
                    f"{path}: no built core tier: {shown(str(error))}", "See `journalspec corpus build`."
                ) from None
            raise Problem(f"{shown(str(path))}: cannot be read: {error.strerror or error}") from None


def find(case_id: str, files: Sequence[Path] = ()) -> Case:
    """Return a case of `files` (if none: a published or random case); raises Problem with a hint."""
    if files:
        every = cases_of("", files=files)
    elif (drawn := drawn_case(case_id)) is not None:
        every = [drawn]
    else:
        tiers = [(tier, formats_named([case_id])) for tier in PUBLISHED_TIERS]
        named = [case for tier, _ in tiers for case in _named(tier, (), [case_id])]
        every = named or [case for tier, formats in tiers for case in _published(tier, formats)]
    found = next((case for case in every if case.id == case_id), None)
    if found is not None and found.fault:
        raise Problem(f"{case_id} is quarantined: {found.fault}")
    if found is not None:
        return found
    near = [case.id for case in every if case.id.rpartition(".")[0] == case_id.rpartition(".")[0]]
    hint = f"Cases of that group: {', '.join(near[:8])}." if near else "`journalspec list` shows all ids."
    if ".crash." in case_id:
        hint = f"Crash states of a build: `journalspec corpus show DIR --case {case_id}`."
    raise Problem(f"there is no case {case_id!r}", hint)


@cache
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return a regular expression for `pattern`, which must match a complete id."""
    out = ""
    for part in _SEPARATORS.split(pattern):
        if part == "**":
            out += ".*"
        elif part in (".", "/"):
            out += re.escape(part)
        else:
            # Consecutive stars are merged, because separate stars would take exponential time.
            out += r"[^./]*".join(re.escape(piece) for piece in re.split(r"\*+", part))
    return re.compile(out)


def matches(pattern: str, probe_id: str) -> bool:
    """Return whether `pattern` matches the probe, or the id of its case."""
    compiled = compile_pattern(pattern)
    return bool(compiled.fullmatch(probe_id) or compiled.fullmatch(probe_id.partition("/")[0]))


def any_matches(patterns: Iterable[str], probe_id: str) -> bool:
    """Return whether one of `patterns` matches the probe; without patterns, every probe is selected."""
    chosen = tuple(patterns)
    return not chosen or any(matches(pattern, probe_id) for pattern in chosen)


def probes_of(cases: Sequence[Case], patterns: Sequence[str] = ()) -> list[Probe]:
    """Return the probes of `cases` that one of `patterns` matches (none: all).

    Raises Problem for a pattern that matches nothing.
    """
    probes = [probe for case in cases for probe in case.probes]
    for pattern in patterns:
        if not any(any_matches((pattern,), probe.id) for probe in probes):
            raise Problem(
                f"--select {pattern!r} names none of {len(probes)} probes",
                "Segments are separated by . and /; * matches one, ** any number of them. `journalspec "
                "list` shows all ids.",
            )
    return [probe for probe in probes if any_matches(patterns, probe.id)]


def ids_outside(tier: str) -> Iterator[str]:
    """Yield the probe ids of the published tiers other than `tier`."""
    for other in PUBLISHED_TIERS:
        if other != tier:
            yield from (probe.id for case in load_cases(tier=other) for probe in case.probes)
