"""Reading all rows of a group: a few by the plain reader, the others by what a kernel says of them.

A format may have a module ``kernel`` with ``signatures(group, codes)``: two
numbers per row, such that rows with the same ones get the same answer from every
reader, in whichever group of the format they are (see :func:`alike` for what "the
same" means). `READERS` names the readers that this holds for, `PATIENCE` how many
answer paths are followed before it is asked. Without such a module, without Numba,
and with ``JOURNALSPEC_KERNEL=0`` in the environment, the plain reader reads every
answer path. Nothing that comes out of a build depends on it.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec.formats import format_module
from journalspec_corpus.crash.cells import Codes, Group
from journalspec_corpus.crash.judge import Answer
from journalspec_corpus.crash.trace import Mark, Trace
from journalspec_corpus.crash.view import Paths, Plain, View

PACKAGE = "journalspec_corpus"
#: Turns the kernels off if it is "0".
SWITCH = "JOURNALSPEC_KERNEL"
#: Answers that are remembered by signature, some hundred bytes each.
REMEMBERED = 1 << 16
_HASH_BYTES = 16

Signatures = Callable[[Group, Codes], "npt.NDArray[np.uint64] | None"]
Read = Callable[[View], tuple[Answer, ...]]


def reading_of(format_id: str, read: Read) -> Reading:
    """Return how `read` reads states: with the format's kernel, if that speaks for it."""
    kernel = None if os.environ.get(SWITCH) == "0" else kernel_of(format_id)
    own = importlib.import_module(f"{format_module(PACKAGE, format_id).__name__}.crash_reader")
    if kernel is None or read is not own.read or tuple(kernel.READERS) != tuple(own.READERS):
        # A kernel knows what the format's own readers tell apart, and no others.
        return Reading(read, None)
    return _remembering(format_id, read)


@cache
def _remembering(format_id: str, read: Read) -> Reading:
    kernel = kernel_of(format_id)
    assert kernel is not None  # the caller looked
    return Reading(read, kernel.signatures, kernel.PATIENCE)


@cache
def kernel_of(format_id: str) -> Any:
    """Return the format's kernel, a module; None if it has none, or there is no Numba."""
    full = f"{format_module(PACKAGE, format_id).__name__}.kernel"
    try:
        return importlib.import_module(full)
    except ModuleNotFoundError as error:
        if error.name not in (full, "numba"):
            raise
        return None


class Reading:
    """How a format's states are read. Remembers answers by signature, from group to group.

    `patience` is how many answer paths the plain reader follows in a group before
    the kernel is asked about the rows that are left: it is the quicker one while
    there are few. Give `signatures` to use another kernel than the format's own.
    """

    def __init__(self, read: Read, signatures: Signatures | None, patience: int = 0) -> None:
        self._read = read
        self._signatures = signatures
        self._patience = patience
        self._known: dict[bytes, tuple[Answer, ...]] = {}

    def prepare(self, group: Group, codes: Codes) -> None:
        """Have the kernel compiled, if there is one; what it says of `group` is not looked at."""
        if self._signatures is not None:
            self._signatures(group, codes[:0])

    def answers(self, group: Group, codes: Codes) -> tuple[list[tuple[Answer, ...]], npt.NDArray[np.int32]]:
        """Return some answers and, for each row of `codes`, the index of its own (or one that is alike)."""
        if len(codes) == 1 and self._patience:
            # Nobody else can have the same answer.
            return [self._read(Plain(group, codes[0]))], np.zeros(1, np.int32)
        paths = Paths(group, codes, self._read)
        while paths.left.size and (self._signatures is None or len(paths.found) < self._patience):
            paths.step()
        if self._signatures is not None and paths.left.size:
            signed = self._signatures(group, codes[paths.left])
            if signed is None:
                while paths.left.size:
                    paths.step()
            else:
                self._take(group, codes, paths, signed)
        return paths.found, paths.which

    def _take(self, group: Group, codes: Codes, paths: Paths, signed: npt.NDArray[np.uint64]) -> None:
        """Give the rows that are left their answers by signature."""
        raw = signed.tobytes()
        names = [raw[at : at + _HASH_BYTES] for at in range(0, len(raw), _HASH_BYTES)]
        number = {name: at for at, name in enumerate(dict.fromkeys(names), start=len(paths.found))}
        paths.which[paths.left] = [number[name] for name in names]
        if len(self._known) > REMEMBERED:
            self._known.clear()
        for name in number:
            answer = self._known.get(name)
            if answer is None:
                row = int(paths.left[names.index(name)])
                answer = self._known[name] = self._read(Plain(group, codes[row]))
            paths.found.append(answer)


def keys_of(trace: Trace) -> frozenset[str]:
    """Return the keys of all records that were written in `trace`, or before it."""
    marks = (*trace.standing, *trace.stale, *trace.possible)
    return frozenset(mark.key for mark in (*marks, *(op for op in trace.ops if isinstance(op, Mark))))


def alike(one: Answer, two: Answer, keys: Collection[str]) -> bool:
    """Tell whether two answers are the same one, as far as any verdict goes.

    They are if they are equal. They are as well if both hold a record that nobody
    wrote (none of `keys`): then it does not matter which one, nor what else they hold.
    """
    return one == two or (_foreign(one, keys) and _foreign(two, keys))


def _foreign(answer: Answer, keys: Collection[str]) -> bool:
    return answer.refused is None and any(key not in keys for key in (*answer.keys, *answer.aside))
