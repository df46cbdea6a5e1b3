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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import TypeVar

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
    waiting, workers = list(shards), dict[Connection, SpawnProcess]()
    context = get_context("spawn")

    def give(pipe: Connection) -> None:
        # From the end of the plan: workloads grow along it, and what is large should not come last.
        if waiting:
            with suppress(BrokenPipeError):  # that it has died is read next
                pipe.send(waiting.pop())

    # The first of these starts a process of Python's own, which lets Ctrl-C through again in here.
    context.Lock()
    try:
        with _deaf():
            for _ in range(min(jobs, len(shards))):
                ours, theirs = context.Pipe()
                workers[ours] = context.Process(target=_serve, args=(theirs, work), daemon=True)
                workers[ours].start()
                theirs.close()
        for pipe in workers:
            give(pipe)
        while len(found) < len(shards):
            for pipe in workers.keys() & set(wait(list(workers))):
                try:
                    number, answer = pipe.recv()
                except (EOFError, ConnectionResetError):
                    workers[pipe].join()
                    raise BuildError(_death(workers[pipe].exitcode or 0), _AGAIN) from None
                if isinstance(answer, BuildError):
                    raise answer
                found[number] = answer
                progress(len(found))
                give(pipe)
    finally:
        for process in workers.values():
            process.kill()
            process.join()
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


def _death(status: int) -> str:
    if status >= 0:
        return f"a worker process ended with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    why = "; the system may have run out of memory" if name == "SIGKILL" else ""
    return f"a worker process was killed ({name}{why})"


def _serve(pipe: Connection, work: Callable[[int], object]) -> None:
    """Do the shards that come through `pipe` until the builder is gone."""
    threading.Thread(target=_end_with_builder, daemon=True).start()
    # Workloads by the ten thousand and what is remembered stay: they are looked through for garbage seldom.
    gc.set_threshold(100_000, 50, 100)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            number = pipe.recv()
            pipe.send((number, tried(work, number)))


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
