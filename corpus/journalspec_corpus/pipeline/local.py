"""Shards on this machine: no Spark, no Java, one process per core, the same bytes.

With one job the work is done in this process. With more, each worker is a fresh
interpreter that gets one shard at a time, so that all finish together. Nothing is
forked: a progress display has threads, and libraries below have more.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import TypeVar, cast

from journalspec_corpus.pipeline.store import BuildError

Result = TypeVar("Result")
#: Is told how many shards are done.
Progress = Callable[[int], None]
_AGAIN = "the same command again goes on where this one stopped"
_TRACEBACK = "JOURNALSPEC_TRACEBACK"


def cores() -> int:
    """Return how many cores this process may use."""
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
    context, others = get_context("spawn"), {*active_children()}
    # The first of these starts a process of Python's own, which lets Ctrl-C through again in here.
    context.Lock()
    pool = ProcessPoolExecutor(min(jobs, len(shards)), context, _begin)
    workers: set[BaseProcess] = set()
    try:
        with _deaf():
            # From the end of the plan: workloads grow along it, and what is large should not come last.
            given = {pool.submit(tried, work, number): number for number in reversed(shards)}
            workers = {*active_children()} - others
        for future in as_completed(given):
            answer = future.result()
            if isinstance(answer, BuildError):
                raise answer
            found[given[future]] = cast(Result, answer)
            progress(len(found))
    except BrokenProcessPool:
        raise BuildError(_death(workers), _AGAIN) from None
    finally:
        for process in workers if len(found) < len(shards) else ():
            process.kill()
        pool.shutdown(cancel_futures=True)
    return {number: found[number] for number in shards}


@contextmanager
def _deaf() -> Iterator[None]:
    """Let processes that start meanwhile get no Ctrl-C: it is for the builder, which has it afterwards."""
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


def _death(workers: Iterable[BaseProcess]) -> str:
    """Return how the first worker ended; the pool ends the others with SIGTERM."""
    for process in workers:
        process.join()
    ended = [process.exitcode or 0 for process in workers]
    status = next((status for status in ended if status not in (0, -signal.SIGTERM)), ended[0])
    if status >= 0:
        return f"a worker process ended with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    why = "; the system may have run out of memory" if name == "SIGKILL" else ""
    return f"a worker process was killed ({name}{why})"


def _begin() -> None:
    """Make this process a worker: it ends with the builder."""
    threading.Thread(target=_end_with_builder, daemon=True).start()
    # Workloads by the ten thousand and what is remembered stay: they are looked through for garbage seldom.
    gc.set_threshold(100_000, 50, 100)


def _end_with_builder() -> None:
    """End this process in the middle of a shard: what it has not sealed does not exist."""
    builder = parent_process()
    assert builder is not None  # this process was started by it
    wait([builder.sentinel])
    os._exit(0)


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
