"""KahaDB in the crash engine: offsets of batches, fsyncs of one file, names of records."""

from __future__ import annotations

import json

import pytest

from journalspec.kahadb_journal.commands import KINDS
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.oracle import Effect
from journalspec_corpus.crash.trace import Ack, Mark, Publish, Sync, Trace, Write
from journalspec_corpus.kahadb_journal.crash import CRASH, STATE, action, effects
from journalspec_corpus.kahadb_journal.model import Kept, Messages, Place
from journalspec_corpus.kahadb_journal.recording import build
from journalspec_corpus.kahadb_journal.workloads import Step, Workload

FORMAT = "kahadb_journal"
TWO = (Step("add", 1, 40), Step("add", 2, 600))


def acknowledged(trace: Trace) -> list[str]:
    return [record for op in trace.ops if isinstance(op, Ack) for record in op.records]


def test_records_that_are_synced_together_have_the_offset_of_their_batch() -> None:
    trace = build(Workload("append", "5.16", TWO, force="end"))
    marks = [op for op in trace.ops if isinstance(op, Mark)]
    assert [mark.record for mark in marks] == ["ADD_MESSAGE-m1", "ADD_MESSAGE-m2", "TRACE-f0.1"]
    (write,) = [op for op in trace.ops if isinstance(op, Write)]
    assert {(mark.off, mark.length) for mark in marks} == {(write.off, len(write.data) - len(b"-qMa4"))}
    assert acknowledged(trace) == [mark.record for mark in marks]
    # The batch puts all of its records into effect.
    assert [op.records for op in trace.ops if isinstance(op, Publish)] == [tuple(acknowledged(trace))]


def test_fsync_does_not_make_a_previous_file_durable() -> None:
    trace = build(Workload("over", "5.16", TWO, force="flush"))
    writes = [op for op in trace.ops if isinstance(op, Write) and op.data.startswith(b"\0\0\0\x1c")]
    assert [op.file for op in writes] == ["db-1.log", "db-2.log", "db-2.log"]
    assert {op.file for op in trace.ops if isinstance(op, Sync)} == {"db-2.log"}
    assert acknowledged(trace) == ["ADD_MESSAGE-m2", "TRACE-f0.1"]
    # If each batch is synced, the first batch is durable before the next file begins.
    assert acknowledged(build(Workload("over", "5.16", TWO)))[0] == "ADD_MESSAGE-m1"


def test_prepare_requires_the_records_of_its_transaction_in_all_files() -> None:
    trace = build(
        Workload("over", "5.16", (Step("add", 1, 40, "x1"), Step("prepare", tx="x1")), force="flush")
    )
    assert acknowledged(trace)[0] == "ADD_MESSAGE-m1"
    assert len({op.file for op in trace.ops if isinstance(op, Mark)}) == 2


@pytest.mark.parametrize(("kind", "more"), [("over", 1), ("past", 0)])
def test_last_record_is_in_the_next_file_or_beyond_the_maximum(kind: str, more: int) -> None:
    trace = build(Workload(kind, "5.16", TWO))
    writes = [op for op in trace.ops if isinstance(op, Write)]
    files = [op.file for op in writes if op.data.startswith(b"\0\0\0\x1c")]
    assert len(set(files)) == 1 + more
    end = max(op.off + len(op.data) for op in writes if op.file == files[0])
    assert (end > len(trace.base["db-1.log"])) == (kind == "past")


def test_state_is_unchanged_by_conversion_to_an_answer_and_back() -> None:
    semantics = CRASH.semantics
    assert semantics is not None
    adapter = crash_format(FORMAT)
    trace = adapter.build(Workload("append", "5.16", (Step("add", 1, 4, "x1"), Step("prepare", 0, 0, "x1"))))
    kept = semantics.model.begin({})
    for mark in (*trace.before, *(mark for (mark,) in trace.marks.values())):
        kept = semantics.model.after(kept, action(mark.key).op, trace.edition)
    decided = semantics.state(kept)
    assert STATE.canonical(semantics.told(decided)) == decided
    assert semantics.state(semantics.model.begin(semantics.told(decided))) == decided
    assert {effect.kind for effect in semantics.effects(decided)} == {"record", "decision"}


def text(**fields: object) -> str:
    return json.dumps({"message_id": "m", "message": "aa", **fields})


@pytest.mark.parametrize(("supported", "shown"), [(True, "9:aa"), (False, "4:aa")])
def test_message_without_a_supported_priority_has_the_default_priority(supported: bool, shown: str) -> None:
    place = {"kind": "QUEUE", "name": "q"}
    key = text(type="ADD_MESSAGE", destination=place, priority="9", priority_supported=supported)
    assert action(key).makes == (Effect("record", "QUEUE:q:m", shown),)


def test_pending_message_is_an_effect_for_each_subscription() -> None:
    held, subscriptions = (("m", 4, "aa"),), (("s", ("m",)), ("t", ()))
    found = [*effects(((("TOPIC", "t", held, subscriptions),), ()))]
    assert found == [
        Effect("record", "TOPIC:t", ""),
        Effect("record", "TOPIC:t:m", "4:aa"),
        Effect("record", "TOPIC:t", "s"),
        Effect("record", "TOPIC:t:m", "owed to s"),
        Effect("record", "TOPIC:t", "t"),
    ]


def test_end_of_a_subscription_removes_the_messages_that_only_it_had_not_read() -> None:
    rows = tuple((name, 4, b"") for name in ("read", "mine", "both"))
    place = Place(rows, (("s", ("mine", "both")), ("t", ("both",))))
    fields = {"destination": {"kind": KINDS.index("TOPIC"), "name": "t"}, "subscription_key": "s"}
    left = Messages().taken(Kept({("TOPIC", "t"): place}, {}, {}), "SUBSCRIPTION", fields)
    assert left.places["TOPIC", "t"] == Place((rows[0], rows[2]), (("t", ("both",)),))


def test_prepare_of_an_unknown_transaction_changes_nothing() -> None:
    kept = Kept({}, {}, {})
    xa = {"transaction": {"xa": {"format_id": 1, "gtrid": b"g", "bqual": b"b"}}}
    for name in ("PREPARE", "COMMIT", "ROLLBACK"):
        assert Messages().taken(kept, name, xa) == kept
