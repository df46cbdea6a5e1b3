"""Prepares and executes the runs that a user requests, here or in worker processes; also for pytest."""

from __future__ import annotations

import os
import secrets
import shlex
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from shutil import which
from typing import Any

import click

from journalspec.files import shown
from journalspec.observation import Level
from journalspec_conformance import selection
from journalspec_conformance.bounds import BOUNDS, Bounds, check_timeout
from journalspec_conformance.connect import in_process, one_shot, python_class, to
from journalspec_conformance.connection import DEFAULT_TIMEOUT, Connection
from journalspec_conformance.engine import BREAKDOWN_LIMIT, Engine, Options
from journalspec_conformance.errors import Breakdown, Problem
from journalspec_conformance.expect import Expectations, load_expectations
from journalspec_conformance.harnesses import HarnessEntry, registry
from journalspec_conformance.harnesses.product import command as product_command
from journalspec_conformance.programs import Enclosure
from journalspec_conformance.result import Result
from journalspec_conformance.selection import CRASH, CRASH_WRITE, Draws
from journalspec_corpus import Probe
from journalspec_corpus.draws import COUNT, MOST_SEED
from journalspec_corpus.workers import WorkerDied, results

#: The permitted faults of the disk in the tier ``crash-write``: any pages written since the last fsync may be
#: lost.
PRESET = "epoch-subset-4096"
MODES = ("persistent", "oneshot")
_PYTHON = "py:"
#: The value of ``--expect`` that disables even a shipped expectation file.
NO_EXPECTATIONS = "none"


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The options of a run as the user gave them.

    `level` None means the declared level. `expect` is a path, "none", or None for the file that ships with
    the harness, if any. `cases` are files of cases to use instead of a published tier.
    """

    impl: str
    mode: str = "persistent"
    tier: str = "smoke"
    formats: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    cases: tuple[Path, ...] = ()
    expect: str | None = None
    level: str | None = None
    #: Seconds per question; None means the harness's own value, or else DEFAULT_TIMEOUT.
    timeout: float | None = None
    validate: bool = False
    enforce_should: bool = False
    #: For the tiers with random journals: the seed (None: a new seed) and the number of journals of each
    #: format.
    seed: int | None = None
    count: int = COUNT
    #: For the tier ``crash-write``, the permitted faults of the disk.
    preset: str = PRESET
    #: The memory limit of the implementation (MiB).
    max_memory: int = BOUNDS.memory >> 20
    max_disk: int = BOUNDS.disk >> 20


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared run: the setup and the probes, in order."""

    setup: Setup
    probes: tuple[Probe, ...]
    tier: str
    #: The seed of the random journals; None if there are none.
    seed: int | None = None
    #: The options that select the same crash states again.
    repeat: str = ""


def prepare(request: RunRequest) -> Prepared:
    """Prepare a request; raises Problem if it cannot be run as requested."""
    setup = setup_of(request)
    crash, writing = request.tier == CRASH, request.tier == CRASH_WRITE
    tier = "files" if request.cases and not crash else request.tier
    draws = None
    if crash or writing or (selection.with_draws(request.tier) and not request.cases):
        drawn = secrets.randbelow(MOST_SEED) if request.seed is None else request.seed
        draws = Draws(drawn, request.count, request.select)
    if draws is not None and crash:
        with closing(setup.open()) as engine:
            hello = engine.hello.formats
        editions = {name: claims.editions for name, claims in hello.items() if "recover" in claims.ops}
        formats = request.formats or selection.formats_named(request.select)
        chosen = selection.crash_states(formats, editions, draws, request.cases)
    elif draws is not None and writing:
        chosen = selection.writer_states(request.formats, draws, request.preset)
    else:
        chosen = selection.cases_of(request.tier, request.formats, request.cases, draws, request.select)
    path = setup.target.expectations if request.expect is None else Path(request.expect)
    expectations = Expectations()
    if path is not None and request.expect != NO_EXPECTATIONS:
        expectations = load_expectations(path)
    if expectations.entries:
        # An entry may concern a format that is not selected. Expectation files do not contain ids of random
        # journals.
        less = draws is None and (request.formats or request.select)
        every = selection.cases_of(request.tier, (), request.cases) if less else chosen
        names = [probe.id for case in every for probe in case.probes]
        elsewhere = None if request.cases else tuple(selection.ids_outside(request.tier))
        expectations = expectations.bind(names, tier, str(path), elsewhere=elsewhere)
    probes = tuple(selection.probes_of(chosen, request.select))
    setup = replace(setup, expectations=expectations)
    if draws is None:
        return Prepared(setup, probes, tier)
    again = "".join(f" --cases {shlex.quote(str(path))}" for path in request.cases) or f" --seed {draws.seed}"
    seed = None if crash and request.cases else draws.seed
    again += f" --preset {request.preset}" if writing else ""
    return Prepared(setup, probes, tier, seed, f"{again} --count {draws.count}")


def setup_of(request: RunRequest) -> Setup:
    """Return the implementation and the options of a request, without expected failures; raises Problem."""
    if request.timeout is not None:
        check_timeout(request.timeout)
    try:
        level = None if request.level is None else Level.parse(request.level)
    except ValueError as error:
        raise Problem(str(error)) from None
    bounds = Bounds.of_mib(request.max_memory, request.max_disk)
    target = parse_impl(request.impl, request.mode, level, bounds)
    options = Options(
        level=Level.CONTENTS if level is None else level,
        timeout=request.timeout or target.timeout or DEFAULT_TIMEOUT,
        validate=request.validate,
        enforce_should=request.enforce_should,
    )
    return Setup(target, options, Expectations())


@dataclass(frozen=True, slots=True)
class Target:
    """An implementation that can be opened in this process or in a worker (it can be pickled).

    `text` is what the user typed, `connect(timeout=S)` returns a connection. `expectations` is the shipped
    expectation file, and `timeout` the harness's own limit in seconds per question, if any.
    """

    text: str
    connect: Callable[..., Connection]
    expectations: Path | None = None
    timeout: float | None = None


def parse_impl(
    text: str, mode: str = "persistent", level: Level | None = None, bounds: Bounds = BOUNDS
) -> Target:
    """Return the target that `text` names: a shipped harness, ``py:module:Class``, or a command line.

    `bounds` are its limits for one question. Raises Problem if `text` is none of these.
    """
    if mode not in MODES:
        raise Problem(f"unknown mode {mode!r}: choose one of {', '.join(MODES)}")
    entry = registry().get(text)
    if entry is not None:
        return _shipped(entry, bounds)
    if text.startswith(_PYTHON):
        if str(Path.cwd()) not in sys.path and "" not in sys.path:
            # As `python -m` does, because the user's class is in this directory.
            sys.path.insert(0, str(Path.cwd()))
        return Target(text, partial(python_class, text.removeprefix(_PYTHON), bounds=bounds))
    try:
        command = shlex.split(text, posix=os.name == "posix")
    except ValueError as error:
        raise Problem(f"--impl {text!r} cannot be split into words: {error}") from None
    choices = f"Shipped harnesses: {', '.join(registry())}. Or give py:module:Class, or a command line that"
    choices += " speaks the protocol."
    if not command:
        raise Problem("--impl is empty", choices)
    if len(command) == 1 and which(command[0]) is None and not Path(command[0]).is_file():
        raise Problem(
            f"--impl {text!r} is neither a shipped harness nor a command that can be found", choices
        )
    if mode == "oneshot":
        observed = Level.RECORDS if level is None else level
        return Target(text, partial(one_shot, command, bounds=bounds, level=observed))
    return Target(text, partial(to, command, bounds=bounds))


def _shipped(entry: HarnessEntry, bounds: Bounds) -> Target:
    expectations = None
    if entry.expectations:
        expectations = Path(str(files("journalspec_conformance"))) / "expectations" / entry.expectations
    if entry.target:
        return Target(entry.name, partial(in_process, entry.target), expectations, entry.timeout)
    try:
        connect = partial(to, product_command(entry.product), bounds=bounds)
    except LookupError as error:
        raise Problem(f"harness {entry.name} is not ready: {error.args[0]}") from None
    return Target(entry.name, connect, expectations, entry.timeout)


def header_options(request: RunRequest, seed: int | None = None) -> dict[str, Any]:
    """Return the options for a report's header; `seed` is the seed of the random journals."""
    draws = {} if seed is None else {"seed": str(seed)}
    if seed is not None or request.tier == CRASH:
        draws["count"] = str(request.count)
    return {
        **draws,
        "formats": list(request.formats),
        "select": list(request.select),
        "level": request.level or "declared",
        "timeout": request.timeout or "as the harness asks",
        "validate": request.validate,
        "enforce_should": request.enforce_should,
    }


#: With fewer probes per process than this, the start of another worker takes longer than it saves.
PROBES_PER_JOB = 4_000
#: The number of probes per message to a worker: small enough for frequent progress, large enough for little
#: overhead.
CHUNK = 64


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that a worker needs; it can be pickled."""

    target: Target
    options: Options
    expectations: Expectations

    def open(self) -> Engine:
        """Start the implementation; raises Problem if it does not answer ``hello``."""
        try:
            return Engine(self.target.connect(timeout=self.options.timeout), self.options, self.expectations)
        except Breakdown as error:
            tail = f"\n{error.stderr.strip()}" if error.stderr.strip() else ""
            raise Problem(
                f"{self.target.text}: it did not answer hello: {error.reason}",
                "It must answer the request `hello` on standard output; see the protocol." + tail,
            ) from None


def choose_jobs(wanted: int, probes: int) -> int:
    """Return the number of processes: `wanted`, or for 0 a number that fits `probes` and this machine."""
    if wanted > 0:
        return min(wanted, max(1, probes))
    return max(1, min(os.cpu_count() or 1, probes // PROBES_PER_JOB + 1))


def run_probes(setup: Setup, probes: Sequence[Probe], jobs: int, engine: Engine) -> Generator[Result]:
    """Yield the results of `probes` in order: from `engine` for a single job, else from workers.

    Each timeout is reported at once on standard error, so that the user can stop the run. Raises Problem if a
    worker ends (because an in-process implementation ended the interpreter), or if the implementation cannot
    be restarted.
    """
    in_a_row = 0
    with closing(engine.run_all(probes) if jobs == 1 else _from_workers(setup, probes, jobs)) as found:
        for result in found:
            late = result.result_class == "timeout"
            in_a_row = in_a_row + 1 if late else 0
            if late:
                rest = (
                    f"; after {BREAKDOWN_LIMIT} timeouts in a row, the remaining probes are skipped"
                    if in_a_row > 1
                    else ""
                )
                click.echo(f"{shown(result.probe)}: {shown(result.reason)}{rest}", err=True)
            yield result


def _from_workers(setup: Setup, probes: Sequence[Probe], jobs: int) -> Generator[Result]:
    """Yield results, in order, from worker processes, each with its own instance of the implementation."""
    chunks = [probes[at : at + CHUNK] for at in range(0, len(probes), CHUNK)]
    ready, at = dict[int, list[Result]](), 0
    with Enclosure() as enclosure:
        work = partial(_asking, setup, enclosure.environment)
        try:
            with closing(results(work, chunks, jobs)) as done:
                for number, answer in done:
                    ready[number] = answer
                    while at in ready:
                        yield from ready.pop(at)
                        at += 1
        except WorkerDied:
            raise Problem(
                "a worker process ended: the implementation ended the Python interpreter",
                "Run it as a process: --impl 'python -m journalspec_conformance.serve module:Class'.",
            ) from None


@contextmanager
def _asking(
    setup: Setup, environment: Mapping[str, str]
) -> Iterator[Callable[[Sequence[Probe]], list[Result]]]:
    """Provide, in a worker process, a function that asks probes. It uses the parent's enclosure."""
    os.environ.update(environment)
    tempfile.tempdir = None  # The next use determines the directory again.
    with closing(setup.open()) as engine:
        yield lambda chunk: [*engine.run_all(chunk)]
