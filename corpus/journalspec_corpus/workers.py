"""Distributes work to processes, one item at a time, so that all finish at about the same time.

Each worker is a new interpreter, not a fork, because a progress display and libraries use threads. Ctrl-C
reaches only the parent process; the workers end with it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
#: The object that a worker opens once and then calls for each item. It must be picklable.
Work = Callable[[], AbstractContextManager[Callable[[Item], Result]]]


class WorkerDied(Exception):
    """A worker process ended before its answer."""


def results(work: Work[Item, Result], items: Sequence[Item], jobs: int) -> Generator[tuple[int, Result]]:
    """Yield (index of an item, result of `work`), in the order of completion, from `jobs` processes.

    Raises an exception that `work` raises or returns, and WorkerDied. If the caller stops early, the workers
    are killed; otherwise they end by themselves.
    """
    waiting, finished = iter(enumerate(items)), False
    workers, busy = dict[Connection, SpawnProcess](), dict[Connection, int]()
    context = get_context("spawn")

    def give(pipe: Connection) -> None:
        for number, item in waiting:
            busy[pipe] = number
            with suppress(ConnectionError):  # The next read shows that the worker process has ended.
                pipe.send((item,))
            return

    # The first lock starts Python's resource tracker, which unblocks Ctrl-C in this process: do it before
    # :func:`_deaf`.
    context.Lock()
    try:
        with _deaf():
            for _ in range(min(jobs, len(items))):
                ours, theirs = context.Pipe()
                # The process is not a daemon, because work may start processes of its own.
                process = context.Process(target=_serve, args=(theirs, work))
                process.start()
                workers[ours] = process
                theirs.close()
        for pipe in workers:
            give(pipe)
        while busy:
            for pipe in busy.keys() & set(wait(list(busy))):
                try:
                    answer = pipe.recv()
                except (EOFError, OSError):  # The worker process ended before its answer or during it.
                    workers[pipe].join()
                    status = describe_status(workers[pipe].exitcode or 0)
                    why = "; the system may have run out of memory" if status.endswith("SIGKILL") else ""
                    raise WorkerDied(f"a worker process ended with {status}{why}") from None
                if isinstance(answer, Exception):
                    raise answer
                number = busy.pop(pipe)
                give(pipe)
                yield number, answer
        finished = True
    finally:
        for pipe, process in workers.items():
            if finished:
                with suppress(ConnectionError):  # The worker process ended after its last answer.
                    pipe.send(None)
            else:
                process.kill()
        for process in workers.values():
            process.join()


@contextmanager
def _deaf() -> Iterator[None]:
    """Block Ctrl-C for processes that start meanwhile; afterwards, deliver a Ctrl-C to this process."""
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


def describe_status(status: int) -> str:
    """Return an exit status for people: ``exit status 3`` or ``signal SIGSEGV``."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


def _serve(pipe: Connection, work: Work[Item, Result]) -> None:
    """Do the work that arrives through `pipe` until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        try:
            with work() as do:
                while (given := pipe.recv()) is not None:
                    pipe.send(do(*given))
        except Exception as error:  # Every exception is raised in the parent process.
            pipe.send(error)


def _end_with_parent() -> None:
    """End this process in the middle of its work."""
    parent = parent_process()
    assert parent is not None  # The parent has started this process.
    wait([parent.sentinel])
    os._exit(1)
