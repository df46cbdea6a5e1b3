"""From what a user asks for to what is run: shared by the command line and the pytest plugin."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from journalspec.observation import Level
from journalspec_conformance.child import BOUNDS, Bounds
from journalspec_conformance.connect import DEFAULT_TIMEOUT, parse_impl
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.errors import Problem
from journalspec_conformance.expect import Expectations, load_expectations
from journalspec_conformance.jobs import Plan
from journalspec_conformance.selection import cases_of, ids_outside, probes_of
from journalspec_corpus import Probe

#: The value of ``--expect`` that leaves even a shipped expectation file out.
NO_EXPECTATIONS = "none"
#: Seconds; before it nobody can answer, and beyond it waiting does not end in practice.
SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 0.001, 86_400.0


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The options of a run as the user gave them.

    `level` None means: whatever the implementation declares. `expect` is a
    path, "none", or None for the file that ships with the harness, if any.
    `cases` are files of cases to use instead of a published tier.
    """

    impl: str
    mode: str = "persistent"
    tier: str = "smoke"
    formats: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    cases: tuple[Path, ...] = ()
    expect: str | None = None
    level: str | None = None
    #: Seconds per question; None means what the harness asks for, or DEFAULT_TIMEOUT.
    timeout: float | None = None
    validate: bool = False
    enforce_should: bool = False
    #: What the implementation may take (MiB).
    max_memory: int = BOUNDS.memory >> 20
    max_disk: int = BOUNDS.disk >> 20


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is run: the plan and the probes, in order."""

    plan: Plan
    probes: tuple[Probe, ...]
    tier: str

    def open(self) -> Engine:
        """Start the implementation; raises Problem if it does not even introduce itself."""
        return self.plan.open()


def prepare(request: RunRequest) -> Prepared:
    """Resolve a request; raises Problem for everything that cannot be run as asked."""
    if request.timeout is not None:
        check_timeout(request.timeout)
    try:
        level = None if request.level is None else Level.parse(request.level)
    except ValueError as error:
        raise Problem(str(error)) from None
    bounds = Bounds.of_mib(request.max_memory, request.max_disk)
    target = parse_impl(request.impl, request.mode, level, bounds)
    tier = "files" if request.cases else request.tier
    cases = cases_of(request.tier, files=request.cases)
    every = probes_of(cases)
    expectations, source = _expectations(request.expect, target.expectations)
    elsewhere = None if request.cases else tuple(ids_outside(request.tier))
    bound = expectations.bind([probe.id for probe in every], tier, source, elsewhere=elsewhere)
    chosen = cases if not request.formats else cases_of(request.tier, request.formats, request.cases)
    options = Options(
        level=Level.LAYOUT if level is None else level,
        timeout=request.timeout or target.timeout or DEFAULT_TIMEOUT,
        validate=request.validate,
        enforce_should=request.enforce_should,
    )
    probes = probes_of(chosen, request.select)
    return Prepared(Plan(target, options, bound), tuple(probes), tier)


def plain_number(text: str) -> float:
    """Return the number that a user wrote in ASCII, without underscores; raises ValueError."""
    if not text.isascii() or "_" in text:
        raise ValueError(f"{text!r} is not a plain number")
    return float(text)


def check_timeout(seconds: float) -> None:
    """Raise Problem unless this is a time that an implementation can be given for an answer."""
    if not seconds >= SHORTEST_TIMEOUT:  # what is no number is not greater
        raise Problem(
            f"a timeout of {seconds:g} s leaves no time to answer", f"At least {SHORTEST_TIMEOUT:g} s."
        )
    if seconds > LONGEST_TIMEOUT:
        raise Problem(
            f"a timeout of {seconds:g} s is none: whoever hangs would never be found out",
            f"At most {LONGEST_TIMEOUT:g} s (a day).",
        )


def _expectations(wanted: str | None, shipped: Path | None) -> tuple[Expectations, str]:
    if wanted == NO_EXPECTATIONS or (wanted is None and shipped is None):
        return Expectations.none(), ""
    path = Path(wanted) if wanted is not None else shipped
    assert path is not None  # the line above
    return load_expectations(path), str(path)


def header_options(request: RunRequest) -> dict[str, Any]:
    """Return the options that a report's header carries."""
    return {
        "formats": list(request.formats),
        "select": list(request.select),
        "level": request.level or "declared",
        "timeout": request.timeout or "as the harness asks",
        "validate": request.validate,
        "enforce_should": request.enforce_should,
    }
