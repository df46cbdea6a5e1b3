"""Crash states of SwiftMQ's store: recorded operations, and messages after recovery."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.oracle import operations_of
from journalspec_corpus.crash.trace import PRESETS, Create, Mark, Release, Sync, Trace, Unlink, Write
from journalspec_corpus.pipeline.shards import Shard
from journalspec_corpus.swiftmq_store import naive
from journalspec_corpus.swiftmq_store.crash import NONSENSE, canonical, state
from journalspec_corpus.swiftmq_store.workloads import TABLES, Step, Workload
from journalspec_reference.storage import MemoryStorage

FORMAT = "swiftmq_store"
CORE: list[Workload] = list(TABLES.workloads("core"))


def files_after(trace: Trace) -> dict[str, bytes]:
    """Return the files after the trace, without a crash."""
    storage = MemoryStorage(dict(trace.base))
    for op in trace.ops:
        if isinstance(op, Write):
            storage.write(op.file, op.off, op.data)
        elif isinstance(op, Create):
            storage.create(op.file)
        elif isinstance(op, Unlink):
            storage.unlink(op.file)
    return {name: bytes(data) for name, data in storage.files.items()}


@pytest.mark.parametrize("work", CORE, ids=lambda work: work.name)
def test_recorded_operations_are_recovered_without_a_crash(work: Workload) -> None:
    adapter = crash_format(FORMAT)
    trace = adapter.build(work)
    operations = operations_of(trace)
    assert operations is not None
    due = operations.state((1 << len(operations.issued)) - 1)
    for answer in adapter.read(files_after(trace), trace.edition):
        assert (answer.refused, answer.state) == (None, due)
    members = {"kind": work.kind, "writer": work.writer, "steps": [[step.text] for step in work.steps]}
    assert TABLES.workload_of(members) == work


def test_record_is_synced_before_its_pages_and_pages_before_the_log_restarts() -> None:
    seen = 0
    for work in CORE:
        loose: set[str] = set()
        for op in crash_format(FORMAT).build(work).ops:
            if isinstance(op, Sync):
                loose.discard(op.file)
            elif isinstance(op, Release):
                assert "db/page.db" not in loose
                seen += 1
            elif isinstance(op, Mark):
                loose.add(op.file)
            elif isinstance(op, Write) and op.file == "db/page.db":
                if work.kind != "create":
                    assert "log/transaction.log" not in loose
                loose.add(op.file)
    assert seen > 5


def test_checkpoint_that_is_interrupted_at_any_write_loses_nothing() -> None:
    """The test covers every preset and each part of each write (SMQ-RCV-045)."""
    shard = Shard(crash_format(FORMAT), PRESETS, 1)
    shard.add(crash_format(FORMAT).build(Workload("checkpoint", "13", (Step("checkpoint"),))))
    found = shard.table().to_pydict()
    reachable = [
        (found["verdict_strict"][at], found["verdict_default"][at])
        for at, stratum in enumerate(found["stratum"])
        if stratum == "R"
    ]
    assert len(reachable) > 1000
    assert set(reachable) == {("pass", "pass")}


def test_torn_record_is_accepted_as_complete() -> None:
    """No checksum covers an image, and the product also accepts such a record (SMQ-LOG-037)."""
    shard = Shard(crash_format(FORMAT), PRESETS, 1)
    shard.add(crash_format(FORMAT).build(Workload("insert", "13", (Step("insert queue=q body=a*3000"),))))
    verdicts = set(shard.table().to_pydict()["verdict_strict"])
    # An earlier record is lost only if a disk corrupts a sector of it.
    assert {"pass", "torn-accepted", "lost"} <= verdicts
    assert not verdicts & {"effect-invented", "uncommitted-applied", "half-transaction"}


def test_decision_has_no_effect_without_the_earlier_ones() -> None:
    """A record changes pages that earlier records have changed, so it has no effect without these records."""
    trace = crash_format(FORMAT).build(
        Workload("moves", "13", tuple(Step(f"insert queue=q body={text}") for text in "abcd"))
    )
    operations = operations_of(trace)
    assert operations is not None
    before = operations.acknowledged(0)
    runs = [before | ((1 << count) - 1) for count in range(len(operations.issued) + 1)]
    wanted = [operations.semantics.told(operations.state(run)) for run in runs if run & before == before]
    found = operations.permitted(0, len(trace.ops), lenient=False).states()
    assert len(found) == 5
    assert all(state in wanted for state in found)


def test_branches_in_doubt_have_no_order() -> None:
    names = ("format_id", "gtrid", "bqual", "routing", "queue", "inserts")
    one, two = ({**dict.fromkeys(names, ident), "keys": [ident]} for ident in "ab")
    first, second = (canonical({"queues": [], "in_doubt": [*found]}) for found in ((one, two), (two, one)))
    assert first == second == ((), (("a",) * 6 + (("a",),), ("b",) * 6 + (("b",),)))


@pytest.mark.parametrize("fault", ["damaged", "bad", "undecided", ""])
def test_damaged_pages_of_the_model_have_a_state_of_no_store(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The damage is that of the store, or of one of its queues."""
    queues = [
        SimpleNamespace(bad=False, undecided=False),
        SimpleNamespace(bad=fault == "bad", undecided=False),
    ]
    queues[1].undecided = fault == "undecided"
    store = SimpleNamespace(damaged=fault == "damaged", queues=queues, walk=lambda: None)
    store.state = lambda keys: {"queues": [], "in_doubt": []}
    monkeypatch.setattr(naive, "Store", lambda kept: store)
    assert state(naive.LaidPages(b"")) == (NONSENSE if fault else ((), ()))
