"""Several implementations at work: the probes of a run over worker processes, results in order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.util import Finalize

import click

from journalspec.files import shown
from journalspec.kept import end_with_parent
from journalspec_conformance.connect import Target
from journalspec_conformance.engine import BREAKDOWN_LIMIT, Engine, Options
from journalspec_conformance.errors import Breakdown, Problem
from journalspec_conformance.expect import Expectations
from journalspec_conformance.result import Result
from journalspec_corpus import Probe

#: A worker has to be started and to import everything; below so many probes it does not pay.
PROBES_PER_JOB = 4_000
#: Probes handed over at a time: few enough for progress to show, enough to make handing over cheap.
CHUNK = 64

_engine: Engine | None = None
#: Why this worker has no engine. A pool would print a traceback for what its initializer raises.
_refused: Problem | OSError | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a worker needs; it pickles."""

    target: Target
    options: Options
    expectations: Expectations

    def open(self) -> Engine:
        """Start the implementation; raises Problem if it does not even introduce itself."""
        try:
            return Engine(self.target.open(self.options.timeout), self.options, self.expectations)
        except Breakdown as error:
            tail = f"\n{error.stderr.strip()}" if error.stderr.strip() else ""
            raise Problem(
                f"{self.target.text}: it did not introduce itself: {error.reason}",
                "It must answer the request `hello` on standard output; see the protocol." + tail,
            ) from None


def choose_jobs(wanted: int, probes: int) -> int:
    """Return the number of processes: `wanted`, or for 0 what suits `probes` on this machine."""
    if wanted > 0:
        return min(wanted, max(1, probes))
    return max(1, min(os.cpu_count() or 1, probes // PROBES_PER_JOB + 1))


def run_probes(plan: Plan, probes: Sequence[Probe], jobs: int, engine: Engine) -> Iterator[Result]:
    """Yield the results of `probes` in order: from `engine` if one job does it, else from workers.

    Raises Problem if a worker dies (an in-process implementation that takes the
    interpreter down with it), or if the implementation cannot be started once more.
    """
    yield from _telling(_results(plan, probes, jobs, engine))


def _telling(results: Iterator[Result]) -> Iterator[Result]:
    """Pass results on, and say at once on standard error what costs a time limit each: who waits may stop."""
    in_a_row = 0
    for result in results:
        late = result.result_class == "timeout"
        in_a_row = in_a_row + 1 if late else 0
        if late:
            rest = f"; after {BREAKDOWN_LIMIT} in a row the rest is not asked" if in_a_row > 1 else ""
            click.echo(f"{shown(result.probe)}: {shown(result.reason)}{rest}", err=True)
        yield result


def _results(plan: Plan, probes: Sequence[Probe], jobs: int, engine: Engine) -> Iterator[Result]:
    if jobs == 1:
        yield from engine.run_all(probes)
        return
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _open, (plan,))
    finished = False
    try:
        chunks = [pool.submit(_run, list(probes[at : at + CHUNK])) for at in range(0, len(probes), CHUNK)]
        for chunk in chunks:
            yield from _wait(chunk)
        finished = True
    finally:
        end_pool(pool, at_once=not finished)


def end_pool(pool: ProcessPoolExecutor, *, at_once: bool) -> None:
    """End all workers: orderly, or `at_once` with what they are doing (their keepers clean up)."""
    if at_once:
        for worker in list((pool._processes or {}).values()):
            worker.kill()
    pool.shutdown(wait=True, cancel_futures=True)


def _wait(chunk: Future[list[Result]]) -> list[Result]:
    try:
        return chunk.result()
    except BrokenProcessPool:
        raise Problem(
            "a worker process died: the implementation took the interpreter down with it",
            "Run it as a process of its own: --impl 'python -m journalspec_conformance.serve module:Class'.",
        ) from None


def _open(plan: Plan) -> None:
    end_with_parent()
    global _engine, _refused  # noqa: PLW0603 - a pool's workers have no other place for what they keep
    try:
        _engine = plan.open()
    except (Problem, OSError) as error:
        _refused = error
        return
    Finalize(None, _engine.close, exitpriority=1)


def _run(probes: list[Probe]) -> list[Result]:
    if _refused is not None:
        raise _refused
    assert _engine is not None  # the pool's initializer
    return list(_engine.run_all(probes))
