"""The gate on trace annotations: sound traces pass it, every fault put into one is seen by its own law."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

import annotations as gate
import witnesses
from journalspec.deviations import deviations
from journalspec.requirements import requirements
from journalspec_corpus.bitronix_tlog.workloads import Step as Log
from journalspec_corpus.bitronix_tlog.workloads import Workload as Logged
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import (
    Ack,
    Mark,
    Op,
    Publish,
    Release,
    Reuse,
    Sync,
    SyncDir,
    Trace,
    Write,
)
from journalspec_corpus.crash.workloads import LongWorkload
from journalspec_corpus.jboss_journal.workloads import Step, Workload
from journalspec_corpus.kahadb_journal.workloads import Step as Command
from journalspec_corpus.kahadb_journal.workloads import Workload as Commands
from journalspec_corpus.swiftmq_store.workloads import Step as Change
from journalspec_corpus.swiftmq_store.workloads import Workload as Changes
from witnesses import promises

DISK, TX = "bitronix_tlog", "jboss_journal"
#: format -> every so many-th core workload is looked at, first and second lives and long ones; from which on.
SAMPLES = {DISK: (13, 5), TX: (11, 4), "kahadb_journal": (4, 1), "derby_log": (3, 1), "swiftmq_store": (1, 0)}


def build(work: Any) -> Trace:
    origin = work.origin if isinstance(work, SecondLife) else work
    # A small workload's class is its format's.
    name = type(origin).__module__.split(".")[1]
    return crash_format(name if name in SAMPLES else TX).build(work)


def laws(work: Any, trace: Trace) -> set[str]:
    return {violation.law for violation in gate.violations(work, trace)}


@pytest.mark.parametrize("format_id", SAMPLES)
def test_sound_traces_break_no_law(format_id: str) -> None:
    every, start = SAMPLES[format_id]
    traces, lives = 0, set()
    for trace, found in gate.checked(crash_format(format_id), "core", every, start):
        assert not found, "\n".join(map(str, found))
        traces += 1
        lives.add(trace.life)
    assert traces > 150
    assert lives == {1, 2}


#: Long workloads, each of which a recorder had noted something wrong of.
LONG = [
    # The writer goes on in the file that is elected after a swap that elects none.
    (DISK, "2.1.4", 1500, "a1a a2d a3y k p4d k a5z a6d k p7y p8y"),
    # A swap without copies writes its first tail twice, and begins once.
    (DISK, "spec", 2200, "a1z a2d f k p3d f k f p4c k f"),
    # A decision that was left behind is finished, and released with the next swap.
    (DISK, "2.1.4", 1500, "c1b c2x a3x c4x f o f a5b d4 d2 p6c"),
    # Leaving a file acknowledges nothing where it is not forced.
    (TX, "v2/hornetq", 1536, "A11y a2c r1 a3b- A24x n p2 o u3y u2a d2"),
    # A record whose delete was rolled back is deleted by another record.
    (TX, "v2/artemis", 1536, "A11z c1 A22c A33y A24b D21 p2 p3 r2 d1"),
    (TX, "v2", 1536, "A11b r1 n o A22a r2 n A33b o n"),
    # What is refused acknowledges nothing, what came before it is acknowledged all the same.
    (DISK, "2.1.4", 1500, "a1a a2c k a3c o f c4z c5d f k a6d"),
]


@pytest.mark.parametrize(("format_id", "variant", "size", "rules"), LONG)
def test_what_was_wrong_once_is_right(format_id: str, variant: str, size: int, rules: str) -> None:
    work = LongWorkload(variant, size, rules)
    found = gate.violations(work, crash_format(format_id).build(work))
    assert not found, "\n".join(map(str, found))


Corrupt = Callable[[Trace], Trace]


def ops(change: Callable[[list[Any]], None]) -> Corrupt:
    """Return what changes the operations of a trace in place."""

    def corrupt(trace: Trace) -> Trace:
        out = list(trace.ops)
        change(out)
        assert tuple(out) != trace.ops
        return replace(trace, ops=tuple(out))

    return corrupt


def at(items: list[Any], kind: type[Any], number: int = 0) -> int:
    """Return the index of the operation of that kind with this number."""
    return [index for index, op in enumerate(items) if isinstance(op, kind)][number]


def dropped(kind: type[Any], number: int = 0) -> Corrupt:
    return ops(lambda items: items.pop(at(items, kind, number)))


def changed(kind: type[Any], change: Callable[[Any], Op], number: int = 0) -> Corrupt:
    def corrupt(items: list[Any]) -> None:
        index = at(items, kind, number)
        items[index] = change(items[index])

    return ops(corrupt)


def inserted(before: type[Any], number: int, *new: Op) -> Corrupt:
    def corrupt(items: list[Any]) -> None:
        index = at(items, before, number)
        items[index:index] = new

    return ops(corrupt)


def moved(kind: type[Any], number: int, by: int) -> Corrupt:
    def corrupt(items: list[Any]) -> None:
        index = at(items, kind, number)
        items.insert(index + by, items.pop(index))

    return ops(corrupt)


def without_mark(items: list[Any]) -> None:
    del items[at(items, Mark)], items[at(items, Publish)]


def longer(mark: Mark) -> Op:
    return replace(mark, length=mark.length + 1)


def shifted(mark: Mark) -> Op:
    (zero, first), (start, second), *rest = mark.fields
    return replace(mark, fields=((zero, first), (start + 1, second), *rest))


def exchanged(mark: Mark) -> Op:
    (zero, first), (start, second), *rest = mark.fields
    return replace(mark, fields=((zero, second), (start, first), *rest))


def unnamed(mark: Mark) -> Op:
    return replace(mark, fields=mark.fields[:-1])


def with_standing(trace: Trace) -> Trace:
    return replace(trace, standing=(*trace.standing, *trace.possible), possible=())


def as_stale(trace: Trace) -> Trace:
    return replace(trace, standing=trace.standing[1:], stale=(*trace.stale, trace.standing[0]))


def as_possible(trace: Trace) -> Trace:
    mark = replace(trace.stale[0], record="ADD-1001")
    return replace(trace, possible=(*trace.possible, mark), stale=trace.stale[1:])


def elsewhere(trace: Trace) -> Trace:
    mark = trace.standing[0]
    return replace(trace, standing=(replace(mark, off=mark.off + 1), *trace.standing[1:]))


def released_at_once(trace: Trace) -> Trace:
    items: list[Any] = list(trace.ops)
    where = at(items, Ack)
    return replace(trace, ops=(*items[: where + 1], Release(items[where].records[:1]), *items[where + 1 :]))


ONE = (Log("COMMITTING", 1, "typical"),)
TWO = (*ONE, Log("COMMITTING", 2, "typical"))
ADD, VICTIM = (Step("add", 1, 40),), Step("delete", 91)
COMMIT = (Step("add_tx", 1, 40, 1), Step("commit", tx=1))
APPEND, CREATE, SWAP = (
    Logged("append", "spec", ONE),
    Logged("create", "spec", ONE),
    Logged("swap", "spec", ONE),
)
UNFORCED = Logged("append", "3.0", TWO, force="end")
JOURNAL, COMMITTED = Workload("append", "v2", (*ADD, Step("add", 2, 40))), Workload("append", "v2", COMMIT)
STALE = Workload("append", "v2", ADD, background="stale-same")
DELETED, COMPACTED = Workload("append", "v2", (VICTIM,)), Workload("compact", "v2", ADD)
RECLAIMED, REOPENED = Workload("reclaim", "v2", (*ADD, Step("add", 2, 40))), Workload("reopen", "v2")
OVER = Workload("over", "v2", (Step("add_tx", 1, 600, 1), Step("add_tx", 2, 600, 1), Step("commit", tx=1)))
CHECKPOINT = Changes("checkpoint", "13", (Change("insert queue=q body=a"), Change("checkpoint")))
GROUP = Changes(
    "transaction",
    "13",
    tuple(
        Change(text)
        for text in ("insert queue=q body=a tx=t", "insert queue=new body=b tx=u", "commit tx=t,u")
    ),
)
BRANCH = Changes(
    "branch",
    "13",
    (Change("insert queue=q body=a tx=t"), Change("prepare tx=t"), Change("decide commit=true")),
)
PREPARED = replace(BRANCH, steps=BRANCH.steps[:2])
AGAIN = SecondLife(Logged("append", "spec", ONE), 0, "same")


@dataclass(frozen=True)
class Fault:
    """One fault put into the annotations of a sound trace, and the law that has to see it."""

    name: str
    work: Any
    law: str
    corrupt: Corrupt


FAULTS = [
    Fault("acknowledged before the tail is forced", APPEND, "durable", moved(Ack, 0, -1)),
    Fault("acknowledged before anything is forced", UNFORCED, "durable", moved(Ack, 0, -1)),
    Fault("acknowledged before the first force of two", JOURNAL, "durable", moved(Ack, 0, -1)),
    Fault("acknowledged before the names are forced", CREATE, "durable", dropped(SyncDir)),
    Fault("acknowledged while a file was left unforced", OVER, "durable", dropped(Sync)),
    Fault("a second life acknowledged too early", AGAIN, "durable", moved(Ack, 0, -1)),
    Fault("a commit that is not promised", COMMITTED, "promise", dropped(Ack)),
    Fault(
        "a commit without its records", COMMITTED, "promise", changed(Ack, lambda op: Ack(op.records[-1:]))
    ),
    Fault("acknowledged twice", JOURNAL, "promise", inserted(Ack, 0, Ack(("ADD-1",)))),
    Fault("acknowledged when the next call is under way", JOURNAL, "promise", moved(Ack, 0, 2)),
    Fault(
        "a member before its commit",
        COMMITTED,
        "promise",
        inserted(Write, 1, Sync("j-1.hq"), Ack(("ADD-1",))),
    ),
    Fault(
        "a swap that releases too much", SWAP, "released", changed(Release, lambda op: Release(("r0", "r1")))
    ),
    Fault("a swap that releases nothing", SWAP, "owed", dropped(Release)),
    Fault("a delete that takes nothing back", DELETED, "owed", dropped(Release, 1)),
    Fault("what lives released by a delete", DELETED, "released", inserted(Write, 0, Release(("ADD-90",)))),
    Fault(
        "what is in doubt released by a compaction",
        COMPACTED,
        "released",
        inserted(SyncDir, 2, Release(("PREPARE-6",))),
    ),
    Fault("a compaction that releases nothing", COMPACTED, "owed", dropped(Release, 1)),
    Fault(
        "the key of another record",
        APPEND,
        "mark",
        changed(Mark, lambda mark: replace(mark, key=mark.key + "x")),
    ),
    Fault("one byte too long", JOURNAL, "mark", changed(Mark, longer)),
    Fault("no mark", JOURNAL, "mark", ops(without_mark)),
    Fault("a mark of nothing that was written", APPEND, "mark", moved(Mark, 0, -1)),
    Fault("a field one byte further on", APPEND, "fields", changed(Mark, shifted)),
    Fault("two fields of one length exchanged", APPEND, "fields", changed(Mark, exchanged)),
    Fault("no last field", JOURNAL, "fields", changed(Mark, unnamed)),
    Fault("a copy with another's name", SWAP, "same", changed(Mark, lambda mark: replace(mark, record="r0"))),
    Fault("published with the record instead of its tail", APPEND, "published", moved(Publish, 0, -2)),
    Fault(
        "a commit that publishes itself alone",
        COMMITTED,
        "published",
        changed(Publish, lambda op: Publish(op.records[-1:])),
    ),
    Fault("a swap that publishes nothing", SWAP, "published", dropped(Publish)),
    Fault("a file used again without a word", RECLAIMED, "reused", dropped(Reuse)),
    Fault("another file used again", RECLAIMED, "reused", changed(Reuse, lambda op: Reuse("j-2.hq"))),
    Fault(
        "a record of the base is not there",
        APPEND,
        "standing",
        lambda trace: replace(trace, standing=trace.standing[1:]),
    ),
    Fault("a record of the base lies elsewhere", JOURNAL, "standing", elsewhere),
    Fault("what stands is stale", JOURNAL, "standing", as_stale),
    Fault("what is stale is possible", STALE, "standing", as_possible),
    Fault("a change acknowledged before it is forced", CHECKPOINT, "durable", moved(Ack, 0, -1)),
    Fault(
        "one commit of two in a write promised",
        GROUP,
        "promise",
        changed(Ack, lambda op: Ack(op.records[:1]), 1),
    ),
    Fault("a branch released as it is prepared", PREPARED, "released", released_at_once),
    Fault("pages that nobody has written yet let a record go", CHECKPOINT, "released", moved(Release, 0, -3)),
    Fault("a generation that ends and lets nothing go", CHECKPOINT, "owed", dropped(Release)),
    Fault("a record without an end is owed", REOPENED, "owed", with_standing),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_each_fault_is_seen_by_its_law(fault: Fault) -> None:
    trace = build(fault.work)
    assert laws(fault.work, trace) == set()
    assert fault.law in laws(fault.work, fault.corrupt(trace))


@pytest.mark.parametrize("edition", ["seed+hash", "v2"])
@pytest.mark.parametrize("prepared", [False, True])
def test_what_a_transaction_brings_and_deletes_itself_is_not_owed(edition: str, prepared: bool) -> None:
    steps = (Step("add_tx", 1, 40, 1), Step("delete_tx", 1, 0, 1))
    ends = (Step("prepare", tx=1), Step("commit", tx=1))[not prepared :]
    work = Workload("append", edition, (*steps, *ends))
    trace = build(work)
    assert laws(work, trace) == set()
    released = [name for op in trace.ops if isinstance(op, Release) for name in op.records]
    assert "ADD-1" in released
    assert "DELETE-1" not in released


def test_every_law_sees_a_fault_and_says_where() -> None:
    assert {fault.law for fault in FAULTS} | {"asked"} == set(gate.LAWS)
    trace = moved(Ack, 0, -1)(build(APPEND))
    (violation,) = gate.violations(APPEND, trace)
    assert (violation.trace, violation.at) == (trace.name, [type(op) for op in trace.ops].index(Ack))
    assert str(violation).startswith(f"durable: {trace.name} op {violation.at}: expected ['r2'], found")


@pytest.mark.parametrize(
    ("asked", "done"),
    [
        (APPEND, Logged("append", "spec", TWO)),
        (Logged("append", "spec", TWO), APPEND),
        (JOURNAL, COMMITTED),
        (Workload("append", "v2", (Step("add", 1, 4),)), Workload("append", "v2", ADD)),
        (CHECKPOINT, replace(CHECKPOINT, steps=(Change("insert queue=q body=b"), Change("checkpoint")))),
        (BRANCH, replace(BRANCH, steps=(*BRANCH.steps[:2], Change("decide commit=false")))),
    ],
)
def test_what_was_not_asked_for_is_seen(asked: Any, done: Any) -> None:
    assert "asked" in laws(asked, build(done))


#: Traces in which a product breaks a promise, in the order of annotations.toml.
BROKEN = [
    Logged("create", "3.0", ONE),
    Logged("swap", "2.1.4", ONE),
    LongWorkload("v2/artemis", 1536, "a1b n a2b n a3b"),
    Workload("over", "v2/hornetq", OVER.steps),
    Commands("over", "5.16", (Command("add", 1, 600, "x1"), Command("prepare", 0, 0, "x1")), force="flush"),
]


@pytest.mark.parametrize("number", range(len(BROKEN)))
def test_a_promise_is_broken_only_where_the_table_says_so(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, row = BROKEN[number], promises()[number]
    trace = build(work)
    assert row["format"] == trace.format
    assert laws(work, trace) == set()
    others = tuple(other for other in promises() if other is not row)
    monkeypatch.setattr(witnesses, "promises", lambda: others)
    assert laws(work, trace) == {"durable"}


def test_the_table_of_promises_names_requirements_and_deviations_that_there_are() -> None:
    assert len(promises()) == len(BROKEN)
    for row in promises():
        assert row["requirement"] in requirements(row["format"])
        (deviation,) = [item for item in deviations(row["format"]) if item.id == row["deviation"]]
        assert row["requirement"] in deviation.requirements


def test_the_program_goes_through_a_scope(capsys: pytest.CaptureFixture[str]) -> None:
    assert gate.main(["--format", DISK, "--every", "400"]) == 0
    told = capsys.readouterr().out
    assert "8 traces with" in told
    assert all(law in told for law in gate.LAWS)
    assert gate.main(["--format", "no_such_format"]) == 2
    assert gate.main(["--format", DISK, "--scope", "no_such_scope"]) == 2
