"""Shards on this machine: no Spark, no Java, one process per core, the same bytes."""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, TypeVar

from journalspec_corpus.pipeline.store import BuildError
from journalspec_corpus.workers import WorkerDied, results

Result = TypeVar("Result")
#: Is told how many shards are done.
Progress = Callable[[int], None]
_TRACEBACK = "JOURNALSPEC_TRACEBACK"


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each_shard(
    work: Callable[[int], Result],
    shards: Sequence[int],
    jobs: int = 1,
    progress: Progress = lambda done: None,
) -> dict[int, Result]:
    """Return what `work` gives for each of `shards`; with more than one job it pickles.

    Raises BuildError if a worker dies or cannot write, OSError if this process cannot.
    """
    found: dict[int, Result] = {}
    if jobs <= 1 or len(shards) <= 1:
        for number in shards:
            found[number] = work(number)
            progress(len(found))
        return found
    # From the end of the plan: workloads grow along it, and what is large should not come last.
    order = shards[::-1]
    try:
        with closing(results(partial(_worker, work), order, jobs)) as done:
            for at, answer in done:
                found[order[at]] = answer
                progress(len(found))
    except WorkerDied as error:
        raise BuildError(str(error), "the same command again goes on where this one stopped") from None
    return {number: found[number] for number in shards}


@contextmanager
def _worker(work: Callable[[int], Result]) -> Iterator[Callable[[int], Any]]:
    """Give what a worker does with each shard."""
    # Workloads by the ten thousand and what is remembered stay: they are looked through for garbage seldom.
    gc.set_threshold(100_000, 50, 100)
    yield partial(tried, work)


def tried(work: Callable[[int], object], number: int) -> object:
    """Return what `work` gives, or the error that the builder is to raise."""
    try:
        return work(number)
    except BuildError as error:
        return error
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return BuildError(f"{name}{error.strerror or error}", "what is finished is kept")
    except MemoryError:
        return BuildError(f"shard {number}: not enough memory", "try fewer --jobs")
    except Exception as error:  # whatever it is, the builder has to hear of it
        if os.environ.get(_TRACEBACK):
            traceback.print_exc()
        text = f"shard {number}: a fault of journalspec, please report it: {type(error).__name__}: {error}"
        return BuildError(text, f"Set {_TRACEBACK}=1 to see where it happened.")
