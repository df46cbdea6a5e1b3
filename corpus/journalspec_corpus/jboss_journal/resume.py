"""Second lives of the journal: opened after a crash, written to again, and crashed once more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

from journalspec_corpus.crash.again import CHOICES, Again, Life
from journalspec_corpus.crash.again_remains import Remains
from journalspec_corpus.crash.long import LongWorkload, long_workloads
from journalspec_corpus.crash.relations import Excuse
from journalspec_corpus.jboss_journal.crash_run import Run
from journalspec_corpus.jboss_journal.long import LINES
from journalspec_corpus.jboss_journal.traces import (
    BACKGROUNDS,
    LONG,
    ORDERS,
    THREE,
    TINY,
    TYPICAL,
    VICTIM,
    Step,
    Workload,
    file_size,
)
from journalspec_reference.api import WriterRefused
from journalspec_reference.jboss_journal.codec import DIALECTS

#: A record that was deleted or rolled back stays where it is, and readable, until its file is used again.
RELEASED_IS_GONE = False
#: Files that may lie beside a journal.
BESIDE = ("notes.txt", "j-1.old")
#: What the format itself does not keep.
EXCUSES = (
    Excuse(
        "I11",
        "fewer",
        "a COMMIT of a transaction of which nothing was found is passed over; with the first of its records"
        " its count is wrong, and it is rejected",
        lost=("COMMIT-", "b-COMMIT-"),
    ),
)
#: What may be done after opening. ``same`` repeats the first life's steps, so that the new records
#: lie as the lost ones did; ``settle`` commits what is in doubt, as a transaction manager does.
THEN: dict[str, tuple[Step, ...]] = {
    "same": (),
    "typical": (Step("add", 1, TYPICAL), Step("add", 2, LONG)),
    "three": (Step("add", 1, THREE), Step("update", 1, TYPICAL)),
    "tx": (Step("add_tx", 1, LONG, 1), Step("add_tx", 2, TYPICAL, 1), Step("commit", tx=1)),
    "prepare": (Step("add_tx", 1, TYPICAL, 1), Step("prepare", tx=1)),
    "settle": (Step("add", 1, TYPICAL),),
    "delete": (Step("add", 1, TINY),),
    "over": (Step("add", 1, TYPICAL),),
    "compact": (Step("add", 1, TYPICAL),),
}


def begin(work: Workload | LongWorkload, life: int, remains: Remains) -> Run:
    """Return a run of the writer of `work` on `remains`, not opened yet; `life` makes no difference."""
    first = remains.first
    size = work.size if isinstance(work, LongWorkload) else file_size(work)
    order = first.tags["order"].partition("/")[2] or "spec"
    run = Run(first.edition, size, "4a" if first.background == "J" else "00", order)
    run.go_on(remains.files, remains.whole, {mark.record for mark in remains.standing})
    return run


def live(work: Workload | LongWorkload, life: int, remains: Remains, then: str) -> Life:
    """Open `remains` with the writer of `work`, and do what `then` says; "same" is what `work` had done.

    Raises WriterRefused if the writer does not open, ValueError for an unknown `then`.
    """
    if then not in ("open", *THEN):
        raise ValueError(f"unknown continuation {then!r}: expected open or one of {', '.join(THEN)}")
    run = begin(work, life, remains)
    run.open()
    if then == "settle":
        for tx in _in_doubt(remains):
            _try(run, {"op": "commit", "tx": str(tx)})
    opened = len(run.storage.ops)
    together = remains.first.tags.get("force") == "end"
    for op in _operations(work, remains, then, life):
        _try(run, {**op, "sync": "false"} if together else op)
    run.apply({"op": "force"})
    return Life(tuple(run.storage.ops), opened)


def _operations(
    work: Workload | LongWorkload, remains: Remains, then: str, life: int
) -> list[dict[str, Any]]:
    if then == "open":
        return []
    # What is added to can be anything; what is changed or deleted would have to be there.
    before = () if isinstance(work, LongWorkload) else work.steps
    again = [step for step in before if not step.op.startswith(("update", "delete"))]
    steps: Sequence[Step] = again if then == "same" and again else THEN[then]
    ops = [step.operation(life) for step in steps or THEN["typical"]]
    if then == "over":
        ops.insert(0, {"op": "next"})
    elif then == "compact" and DIALECTS[remains.first.edition].control_file:
        ops.insert(0, {"op": "compact"})
    elif then == "delete" and _unchanged(remains, VICTIM):
        ops.append(Step("delete", VICTIM).operation(0))
    return ops


def _unchanged(remains: Remains, ident: int) -> bool:
    """Tell whether record `ident` is owed and nobody ever asked for its end."""
    ended = any(f"DELETE-{ident}" == mark.record for mark in (*remains.standing, *remains.possible))
    return not ended and any(mark.record == f"ADD-{ident}" for mark in remains.standing)


def _in_doubt(remains: Remains) -> list[int]:
    """Return the transactions that are prepared with all of their records whole, and without an end."""
    whole = {mark.record for mark in remains.whole}
    kinds: dict[int, dict[str, set[str]]] = {}
    for mark in (*remains.standing, *remains.possible):
        kind, owner = mark.key.split(":")[:2]
        kinds.setdefault(int(owner), {}).setdefault(kind, set()).add(mark.record)
    out = []
    for tx, found in sorted(kinds.items()):
        ends = (found.get("COMMIT", set()) | found.get("ROLLBACK", set())) & whole
        if tx and "PREPARE" in found and not ends and set().union(*found.values()) - ends <= whole:
            out.append(tx)
    return out


def _try(run: Run, op: dict[str, Any]) -> None:
    """Do `op` unless the writer refuses; a compaction that does has left its file by then."""
    with suppress(WriterRefused):
        run.apply(op)


#: scope -> what is done after which of the chosen crash states.
_CHOICES: dict[str, dict[str, tuple[int, ...]]] = {
    "core": {"open": (0, 1, 2), "same": (0, 1), "tx": (2,), "settle": (1,)},
    "full": {
        "open": tuple(range(12)),
        "same": (0,),
        "tx": (4,),
        "prepare": (5,),
        "settle": (6,),
        "delete": (7,),
        "over": (8,),
        "compact": (9,),
    },
}

#: The same for long first lives, of which every LONG_STEP-th is gone on from in the full tier.
_AFTER_LONG: dict[str, tuple[int, ...]] = {
    "open": (0, 1),
    "typical": (2, 3),
    "settle": (4,),
    "over": (5,),
    "compact": (6,),
}
_LONG_STEP = 100


def second_lives(scope: str) -> Iterator[Again]:
    """Yield the second lives of a scope, those of one first workload together; ``smoke`` has none."""
    for first in _firsts(scope):
        if first.steps == _CROWD:
            # What is of interest here is the opening alone.
            yield from (Again(first, choice, "open") for choice in range(CHOICES if scope == "full" else 1))
            continue
        # Without a transaction there is nothing to roll back: opening writes next to nothing.
        quiet = first.kind in ("append", "reclaim") and not any(step.tx for step in first.steps)
        for then, choices in _CHOICES[scope].items():
            if not (quiet and then == "open"):
                yield from (Again(first, choice, then) for choice in choices)
    if scope == "full":
        for long in long_workloads(__package__, LINES)[::_LONG_STEP]:
            for then, choices in _AFTER_LONG.items():
                yield from (Again(long, choice, then) for choice in choices)


def _firsts(scope: str) -> Iterator[Workload]:
    if scope not in _CHOICES:
        return
    full = scope == "full"
    editions = ["seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e"] if full else ["seed", "seed+hash", "v2"]
    writers = [(edition, order) for edition in editions for order in ("spec", *ORDERS.get(edition, ()))]
    yield from (Workload("create", edition, order=order) for edition, order in writers)
    yield from (Workload("reopen", edition) for edition in editions)
    backgrounds = BACKGROUNDS if full else ("zero", "stale-same")
    short = (Step("add", 1, TYPICAL), Step("add", 2, TYPICAL))
    over = (Step("add_tx", 1, LONG, 1), Step("add_tx", 2, LONG, 1), Step("commit", tx=1))
    for background, (edition, order) in product(backgrounds, writers):
        yield Workload("reclaim", edition, short, background=background, order=order)
        if DIALECTS[edition].control_file:
            yield Workload("compact", edition, short[:1], background=background, order=order)
        yield Workload("over", edition, over, background=background, order=order)
    for background, edition in product(backgrounds, editions):
        for steps in _APPENDED if full else _APPENDED[:2]:
            yield Workload("append", edition, steps, background=background)
        yield Workload("append", edition, _TOGETHER, force="end", background=background)
        for align in ("type", "file_id", "id", "check") if full else ("type",):
            yield Workload("append", edition, _CROWD, align, background=background)


#: Transactions that nobody ends: opening does.
_CROWD = tuple(Step("add_tx", number, TYPICAL, number) for number in range(1, 9))
_TOGETHER = (Step("add", 1, LONG), Step("add", 2, THREE))
_APPENDED = (
    (Step("add", 1, LONG),),
    (Step("add_tx", 1, LONG, 1), Step("add_tx", 2, TYPICAL, 1), Step("prepare", tx=1)),
    (Step("add", 1, THREE),),
    (Step("delete", VICTIM),),
    (Step("add_tx", 1, LONG, 1), Step("delete_tx", VICTIM, tx=1), Step("commit", tx=1)),
    (Step("add_tx", 1, LONG, 1), Step("prepare", tx=1), Step("rollback", tx=1)),
)
