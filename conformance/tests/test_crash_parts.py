"""The parts of the tiers `crash` and `crash-write`, on small inputs: shares, descriptions, excuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="PyArrow is missing: install journalspec[corpus]")

from journalspec_conformance.compare import Claims
from journalspec_conformance.crashes import states, story, writers
from journalspec_conformance.crashes.states import CrashCase, parting, sampled
from journalspec_conformance.errors import Breakdown
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.oracle import Expected
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import Ack, Op, Sync, Trace, Write
from journalspec_corpus.crash.verdict import Answer, Limit
from judged import CASE

FORMAT = "bitronix_tlog"
#: Record a is required, b may be kept, and old is of an earlier generation.
EXPECTED = Expected(
    must_keep=frozenset({"a"}),
    may_keep=frozenset({"a", "b"}),
    must_drop=frozenset({"old"}),
    record_of={"key-a": "a", "key-b": "b", "key-old": "old"},
    order=("a", "b"),
)


@pytest.mark.parametrize(
    ("sizes", "count", "shares"),
    [
        ([5, 1, 0, 3], 6, [3, 1, 0, 2]),
        ([5, 1, 0, 3], 100, [5, 1, 0, 3]),
        ([4, 4, 4], 2, [1, 1, 0]),
        ([9, 1], 5, [4, 1]),
        ([1, 7, 100], 20, [1, 7, 12]),
        ([], 3, []),
    ],
)
def test_classes_have_equal_shares_as_far_as_they_have_states(
    sizes: list[int], count: int, shares: list[int]
) -> None:
    assert states._shares(sizes, count) == shares


@pytest.mark.parametrize(
    ("answer", "missing", "wrong"),
    [
        (Answer(("key-a", "key-b")), (), ()),
        (Answer(("key-b",)), ("a",), ()),
        (Answer(("key-a", "key-old", "x")), (), ("old", "x")),
        # A record that is not in effect must also have been written.
        (Answer(("key-a",), aside=("x", "key-b")), (), ("x",)),
        # Nothing is known about the records of a refusal, or of an answer without records.
        (Answer((), "no"), (), ()),
        (Answer((), unlisted=True), (), ()),
    ],
)
def test_differences_of_an_answer_are_named(
    answer: Answer, missing: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    told = parting(answer, EXPECTED)
    assert (told["missing"], told["wrong"]) == (missing, wrong)


def test_required_outcome_is_described_without_repetition() -> None:
    case: Any = SimpleNamespace(required=EXPECTED, state=SimpleNamespace(refusal="allowed"))
    assert [*story.required(case)] == [
        "must be recovered: a",
        "may be recovered: b",
        "must not be recovered: old",
        "a refusal is allowed",
    ]


def test_sample_ends_with_the_states_of_runs_after_a_crash() -> None:
    cases = sampled(FORMAT, 1, 60, ("2.1", "3.0"))
    later = [isinstance(case.workload, SecondLife) for case in cases]
    assert later == sorted(later)
    assert {*later} == {False, True}


@pytest.mark.parametrize(("reference", "outcome"), [("lost", "allowed"), ("hole", "fail"), ("pass", "fail")])
def test_limit_excuses_a_failure_only_if_the_reference_fails_in_the_same_way(
    reference: str, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = sampled(FORMAT, 1, 1, ("2.1", "3.0"))[0]
    verdicts = iter(["lost", reference])
    monkeypatch.setattr(CrashCase, "verdict", lambda self, policy, answer: next(verdicts))
    monkeypatch.setattr(states, "limits", lambda format_id: (Limit("all", "it is so", ("lost",)),))
    found = case.outcome("salvage", {"verdict": "clean", "state": None, "records": []}, Claims())
    assert (found.result_class, found.fingerprint) == (outcome, f"lost/{case.category}")
    assert ("it is so" in found.reason) == (outcome == "allowed")


class Silent:
    """An engine whose implementation breaks down at every question."""

    def __init__(self) -> None:
        self.asked = 0

    def observation(self, files: Mapping[str, bytes], edition: str) -> None:
        self.asked += 1
        raise Breakdown("nothing")


@pytest.mark.parametrize(("refusing", "answer"), [(True, Answer(())), (False, Answer((), "no-answer"))])
def test_reduction_ends_after_ten_breakdowns_and_assumes_another_failure(
    refusing: bool, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine: Any = Silent()
    reader = story.EngineReader(engine, crash_format(FORMAT), "strict", refusing=refusing)
    monkeypatch.setattr(reader, "observation", engine.observation)
    assert [reader({}, "2.1") for _ in range(12)] == [answer] * 12
    assert engine.asked == 10


# --- Writers ---


def test_requested_operations_are_durable_after_their_acknowledgement() -> None:
    """Operation 0 writes and is acknowledged; operation 1 writes, and is not."""
    ops: tuple[Op, ...] = (Write("f", 0, b"x"), Sync("f"), Ack(("operation 0",)), Write("f", 1, b"y"))
    written = writers.Written(Trace(FORMAT, "2.1", "t", {"f": b""}, ops, "zero"), (0, 0, 0, 1), ())
    assert [written.durable(upto) for upto in range(5)] == [0, 0, 0, 1, 1]
    assert [written.issued(upto) for upto in range(5)] == [0, 1, 1, 1, 2]


def test_omitted_operation_renumbers_the_refusals_of_later_ones() -> None:
    case = writers.writer_case(CASE["write"], "prefix-byte", 1, 9)
    assert case is not None
    write = {"params": {}, "ops": [{"op": str(number)} for number in range(5)]}
    refusals = [{"op": "0", "code": "a"}, {"op": "2", "code": "b"}, {"op": "4", "code": "c"}]
    entry = {"when": {"op": "write"}, "refusals": refusals}
    smaller = writers._without(replace(case, write=write, expect=(entry,)), 2)
    assert smaller.write is not None
    assert [op["op"] for op in smaller.write["ops"]] == ["0", "1", "3", "4"]
    assert smaller.expect[0]["refusals"] == [{"op": "0", "code": "a"}, {"op": "3", "code": "c"}]
