"""The pipeline on this machine: no Spark, no Java, one process per core, the same bytes.

With one job the work is done in this process. With more, each worker is a fresh
interpreter that takes one shard at a time, so that all finish together. Nothing is
forked: a progress display has threads, and libraries below have more.

A worker is this module, started as a program. The first line of its input says what is built
and where, each further one is a shard number; one line goes out for each. The end of input
means that the builder is gone: the worker ends at once, since what it has not sealed does not
exist.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from itertools import count
from pathlib import Path
from typing import Any, TextIO

from journalspec_corpus.pipeline.case_files import write_cases
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.store import BuildError, write_shard

Progress = Callable[[int], None]
_AGAIN = "the same command again goes on where this one stopped"


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    plan: Plan, out: Path, shards: Sequence[int], progress: Progress, *, jobs: int = 1, task: str = "shard"
) -> None:
    """Do `task` (judge and write, or see :data:`TASKS`) for `shards`.

    `progress` is called with the number done. Raises BuildError if a worker dies
    or cannot write, OSError if this process cannot.
    """
    if jobs <= 1 or len(shards) <= 1:
        # Looking through all that a process has takes seconds: for a few shards that is no gain.
        many = len(shards) >= _SETTLED
        with _seldom_collected() if many else nullcontext():
            for done, number in enumerate(shards):
                TASKS[task](plan, out, number)
                if many:
                    _settle(done)
                progress(done + 1)
        return
    with _Pool(plan, out, min(jobs, len(shards)), task) as pool:
        pool.run(shards, progress)


class _Pool:
    """Worker processes, and a thread for each that waits for what it says."""

    def __init__(self, plan: Plan, out: Path, size: int, task: str) -> None:
        #: (worker, message); None for a worker whose output has ended
        self._said: queue.SimpleQueue[tuple[int, dict[str, Any] | None]] = queue.SimpleQueue()
        self._workers: list[subprocess.Popen[str]] = []
        start = {"plan": plan.to_json(), "out": str(out.resolve()), "task": task}
        try:
            for number in range(size):
                self._start(number, start)
        except BaseException:
            self.stop()
            raise

    def _start(self, number: int, start: dict[str, Any]) -> None:
        worker = subprocess.Popen(
            [sys.executable, "-m", "journalspec_corpus.pipeline.local"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env=os.environ | {"PYTHONPATH": os.pathsep.join(part for part in sys.path if part)},
            # Ctrl-C is for the builder: it ends its workers, which say nothing.
            start_new_session=True,
        )
        self._workers.append(worker)
        threading.Thread(target=self._listen, args=(number, worker), daemon=True).start()
        self._tell(number, start)

    def _listen(self, number: int, worker: subprocess.Popen[str]) -> None:
        assert worker.stdout is not None  # it was asked for
        for line in worker.stdout:
            self._said.put((number, json.loads(line)))
        self._said.put((number, None))

    def _tell(self, number: int, message: object) -> None:
        pipe = self._workers[number].stdin
        assert pipe is not None  # it was asked for
        try:
            pipe.write(json.dumps(message) + "\n")
            pipe.flush()
        except OSError:
            # It is gone; the end of its output says so too, and there it is reported.
            return

    def run(self, shards: Sequence[int], progress: Progress) -> None:
        """Give each worker a shard whenever it is idle, until all are done."""
        # From the end of the plan: workloads grow along it, and what is large should not come last.
        waiting = list(shards)
        self._give([*range(len(self._workers))], waiting)
        done = 0
        while done < len(shards):
            number, message = self._said.get()
            if message is None:
                raise BuildError(_death(self._workers[number].wait()), _AGAIN)
            if "error" in message:
                raise BuildError(message["error"], message["hint"])
            done += 1
            progress(done)
            self._give([number], waiting)

    def _give(self, workers: list[int], waiting: list[int]) -> None:
        """Give each of `workers` the last shard that is waiting, as long as there are any."""
        for number in workers[: len(waiting)]:
            self._tell(number, waiting.pop())

    def stop(self) -> None:
        """End all workers: what they had not finished is not kept."""
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.wait()
            for pipe in (worker.stdin, worker.stdout):
                assert pipe is not None  # both were asked for
                # Nothing is left to be said to a dead process.
                try:
                    pipe.close()
                except OSError:
                    continue

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _death(status: int) -> str:
    if status >= 0:
        return f"a worker process ended with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    why = "; the system may have run out of memory" if name == "SIGKILL" else ""
    return f"a worker process was killed ({name}{why})"


Task = Callable[[Plan, Path, int], object]
#: What may be asked for a shard.
TASKS: dict[str, Task] = {"shard": write_shard, "cases": write_cases}
#: So many shards a worker looks only at what the last one left behind.
_SETTLED = 64
_TRACEBACK = "JOURNALSPEC_TRACEBACK"


def serve(lines: TextIO, answers: TextIO) -> None:
    """Do what `lines` say until they end."""
    # Where sessions are unknown, Ctrl-C reaches workers too; the builder decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    head = lines.readline()
    if not head:
        return  # the builder is gone already
    start = json.loads(head)
    plan, out = Plan.from_json(start["plan"]), Path(start["out"])
    task = TASKS[start["task"]]
    numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(lines, numbers), daemon=True).start()
    gc.disable()
    if start["task"] == "shard":
        # While there is no shard for it yet. What goes wrong here does so in its first one, which tells.
        with suppress(Exception):
            plan.workloads()
    for done in count():
        answer = json.dumps(_answer(task, plan, out, numbers.get()))
        try:
            answers.write(f"{answer}\n")
            answers.flush()
        except BrokenPipeError:
            # The builder was killed: nobody is left to be told, of this either.
            os._exit(0)
        _settle(done)


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Look for garbage only where :func:`_settle` is called; afterwards as before."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if before:
            gc.enable()


def _settle(done: int) -> None:
    """Look for garbage behind shard number `done` of this process.

    Next to nothing of what a shard is made of hangs together in circles: between two shards is enough.
    """
    if done % _SETTLED:
        gc.collect(0)
    else:
        # Workloads by the ten thousand and what is remembered stay: they need no looking through for garbage.
        gc.collect()
        gc.freeze()


def _listen(lines: TextIO, numbers: queue.SimpleQueue[int]) -> None:
    for line in lines:
        numbers.put(json.loads(line))
    # Only this ends a thread that is in the middle of a shard.
    os._exit(0)


def _answer(task: Task, plan: Plan, out: Path, number: int) -> dict[str, Any]:
    try:
        task(plan, out, number)
    except BuildError as error:
        return {"error": str(error), "hint": error.hint}
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return {"error": f"{name}{error.strerror or error}", "hint": "what is finished is kept"}
    except MemoryError:
        return {"error": f"shard {number}: not enough memory", "hint": "try fewer --jobs"}
    except Exception as error:  # whatever it is, the builder has to hear of it
        if os.environ.get(_TRACEBACK):
            traceback.print_exc()
        text = f"shard {number}: a fault of journalspec, please report it: {type(error).__name__}: {error}"
        return {"error": text, "hint": f"Set {_TRACEBACK}=1 to see where it happened."}
    return {"shard": number}


if __name__ == "__main__":
    # What a library prints must not get between the answers.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.stdin, replies)
