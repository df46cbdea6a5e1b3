"""Functions that end with a result, an exception or a signal. A newly started process can import this
module.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context

#: More bytes than fit into a pipe, so the sender waits until another process reads.
LONG = bytes(5_000_000)


@contextmanager
def never_begun() -> Iterator[Callable[[bytes], bytes]]:
    raise ValueError("it cannot be opened")
    yield bytes


@contextmanager
def dead_after_its_answer() -> Iterator[Callable[[bytes], bytes]]:
    def answer(item: bytes) -> bytes:
        threading.Timer(0.1, os._exit, (3,)).start()
        return item

    yield answer


@contextmanager
def dead_within_its_answer() -> Iterator[Callable[[bytes], bytes]]:
    def answer(item: bytes) -> bytes:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGKILL)).start()
        return LONG

    yield answer


@contextmanager
def with_processes_of_its_own() -> Iterator[Callable[[bytes], bytes]]:
    with get_context("spawn").Pool(1) as pool:
        yield lambda item: pool.map(bytes, [item])[0]
