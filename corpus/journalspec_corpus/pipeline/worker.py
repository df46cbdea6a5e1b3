"""One worker process of the local engine: shard numbers come in, one line goes out for each.

Started by :mod:`.local` as ``python -m journalspec_corpus.pipeline.worker``. The first
line of input says what is built and where, each further one is a shard number.
The end of input means that the builder is gone: the worker ends at once, since
what it has not sealed does not exist.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.shard_cases import write_cases
from journalspec_corpus.pipeline.store import BuildError, write_shard

Task = Callable[[Plan, Path, int], object]
#: What may be asked for a shard.
TASKS: dict[str, Task] = {"shard": write_shard, "cases": write_cases}
_TRACEBACK = "JOURNALSPEC_TRACEBACK"


def serve(lines: TextIO, answers: TextIO) -> None:
    """Do what `lines` say until they end."""
    # Where sessions are unknown, Ctrl-C reaches workers too; the builder decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    start = json.loads(lines.readline())
    plan, out = Plan.from_json(start["plan"]), Path(start["out"])
    task = TASKS[start["task"]]
    numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(lines, numbers), daemon=True).start()
    while True:
        answers.write(json.dumps(_answer(task, plan, out, numbers.get())) + "\n")
        answers.flush()


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
