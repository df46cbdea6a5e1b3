"""Second lives of the disk journal: opened after a crash, written to again, and crashed once more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from journalspec_corpus.bitronix_tlog.long import LINES
from journalspec_corpus.bitronix_tlog.traces import FILES, Run
from journalspec_corpus.bitronix_tlog.workloads import BACKGROUNDS, ORDERS, Step, Workload, operation, size_of
from journalspec_corpus.crash.adapter import LongWorkload, long_workloads
from journalspec_corpus.crash.second_crash import (
    CrashImage,
    Excuse,
    Life,
    SecondLife,
)
from journalspec_corpus.crash.trace import SECOND_LIFE
from journalspec_reference.api import WriterRefused

#: A released record was left behind by a swap. Nothing leads a reader to it any more.
RELEASED_IS_GONE = True
#: Files that may lie beside a journal: recovery is given the two by name, and no others.
BESIDE: tuple[str, ...] = ()
#: What the format itself does not keep.
EXCUSES = (
    Excuse(
        "I11",
        "refused",
        "the products move the tail in the epoch of the records below it: where it arrives without them"
        " strict recovery refuses, where it does not either nothing is missed",
        readers=("strict",),
        writers=("2.1.4", "3.0"),
    ),
    Excuse(
        "I11",
        "fewer",
        "the products write a swap's timestamp in the epoch of what it makes count: where it arrives alone"
        " it elects a file without the records, and hides the one that has them",
        writers=("2.1.4", "3.0"),
    ),
)
#: What may be done after opening. ``same`` repeats the first life's steps, so that the new records
#: lie as the lost ones did; ``settle`` finishes what recovery finds unfinished, as a recovery manager does.
THEN = ("same", "typical", "three", "swap", "settle", "close")
#: Lives 1 and 2 are those of a background.
_LIVES_BEFORE = 1


def begin(work: Workload | LongWorkload, life: int, image: CrashImage) -> Run:
    """Return a run of the writer that wrote `image` on it, not opened yet; `work` makes no difference."""
    order = image.first.tags["order"]
    return Run(Workload("append", order, ()), life + _LIVES_BEFORE, image.files, image.whole, SECOND_LIFE)


def live(work: Workload | LongWorkload, life: int, image: CrashImage, then: str) -> Life:
    """Open `image` with its writer, and do what `then` says; "same" is what `work` had done.

    Raises WriterRefused if the writer does not open, ValueError for an unknown `then`.
    """
    if then not in ("open", *THEN):
        raise ValueError(f"unknown continuation {then!r}: expected open or one of {', '.join(THEN)}")
    run = begin(work, life, image)
    run.open()
    opened = len(run.storage.ops)
    if then == "settle":
        _settle(run)
        # Finishing what was decided is part of recovery: only then does the caller go on.
        opened = len(run.storage.ops)
    together = image.first.tags.get("force") == "end"
    for op in _operations(run, work, then):
        _try(run, op)
        if op["op"] == "log" and not together:
            run.apply({"op": "force"})
    run.apply({"op": "close" if then == "close" else "force"})
    return Life(tuple(run.storage.ops), opened)


def _operations(run: Run, work: Workload | LongWorkload, then: str) -> list[dict[str, Any]]:
    if then == "open":
        return []
    if then == "same" and isinstance(work, Workload):
        steps = list(work.steps)
    elif then == "three":
        steps = [Step("COMMITTING", 1, "three"), Step("COMMITTED", 1, "three")]
    elif then == "settle":
        steps = [Step("COMMITTING", 1, "typical")]
    else:
        steps = [Step("COMMITTING", 1, "typical"), Step("COMMITTING", 2, "typical")]
    ops = [operation(step, run.life) for step in steps]
    if then == "swap":
        # The first fills what is left and one byte more; so it goes to the other file.
        room = max(run.memory.size(name) for name in FILES) - run.tails[run.active]
        ops[0]["names"].append("s" * max(1, room - size_of(ops[0])))
    return ops


def _settle(run: Run) -> None:
    """Log that every unfinished transaction is committed, and force that."""
    for gtrid in list(run.dangling):
        _try(run, {"op": "log", "type": "COMMITTED", "gtrid": gtrid, "names": []})
    run.apply({"op": "force"})


def _try(run: Run, op: dict[str, Any]) -> None:
    """Do `op` unless it does not fit, which changes nothing."""
    before = len(run.storage.ops)
    try:
        run.apply(op)
    except WriterRefused:
        if run.storage.ops[before:]:
            raise


#: scope -> what is done after which of the chosen crash states.
_CHOICES: dict[str, dict[str, tuple[int, ...]]] = {
    "core": {"same": (0, 1), "swap": (2,), "settle": (0, 3)},
    "full": {
        "same": (0, 1),
        "typical": (2,),
        "three": (3,),
        "swap": (4, 5),
        "close": (6,),
        "settle": tuple(range(12)),
    },
}

#: The same for long first lives, of which every LONG_STEP-th is gone on from in the full tier.
_AFTER_LONG: dict[str, tuple[int, ...]] = {"typical": (0, 1), "settle": (2, 3), "swap": (4, 5)}
_LONG_STEP = 100


def second_lives(scope: str) -> Iterator[SecondLife]:
    """Yield the second lives of a scope, those of one first workload together; ``smoke`` has none."""
    for first in _firsts(scope):
        for then, choices in _CHOICES[scope].items():
            yield from (SecondLife(first, choice, then) for choice in choices)
    if scope == "full":
        for long in long_workloads(__package__, LINES)[::_LONG_STEP]:
            for then, choices in _AFTER_LONG.items():
                yield from (SecondLife(long, choice, then) for choice in choices)


def _firsts(scope: str) -> Iterator[Workload]:
    if scope not in _CHOICES:
        return
    small, large = Step("COMMITTING", 1, "typical"), Step("COMMITTING", 1, "three")
    full = scope == "full"
    aligns = ["status", "crc32", "endRecord"] if full else ["status"]
    backgrounds = BACKGROUNDS if full else BACKGROUNDS[:2]
    for order in ORDERS:
        yield Workload("create", order, (Step("COMMITTING", 1, "tiny"),))
    for background, align, order in product(backgrounds, aligns, ORDERS):
        for kind, step in (("append", small), ("append", large), ("swap", small), ("swap", large)):
            yield Workload(kind, order, (step,), align, 1024, "each", background)
        both = (small, replace(large, gtrid=2))
        yield Workload("append", order, both, align, 1024, "end", background)
