from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from journalspec.observation import Level
from journalspec_conformance import engine as engine_module
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.errors import Misbehaved
from journalspec_conformance.expect import Expectations, parse_expectations
from journalspec_conformance.result import Result
from journalspec_conformance.running import Setup, choose_jobs, parse_impl, run_probes
from journalspec_conformance.writing import keys_that_count
from journalspec_corpus import Probe
from judged import CASE, PROBE, Scripted, fake, right_answer
from tables import table

TABLE = table("judging")["engine_rules"]
READ = PROBE["btm.judge.clean/read"]
STRICT = PROBE["btm.judge.second-missing/recover.strict"]
(WRITE,) = CASE["write"].probes
MakeEngine = Callable[..., Engine]


def judge(probe: Probe, reply: Any, options: Options | None = None, **claims: Any) -> Result:
    return Engine(Scripted(reply, **claims), options or Options()).run(probe)


def varied(probe: Probe, **members: Any) -> Probe:
    """Return the probe with the same id from a copy of the case with other members."""
    case = replace(probe.case, **members)
    return next(other for other in case.probes if other.id == probe.id)


def known(outcome: str) -> Expectations:
    text = f'[[expect]]\ncase = "{READ.id}"\noutcome = "{outcome}"\nwhy = "w"\n'
    return parse_expectations(text, "f").bind([READ.id], "smoke")


@pytest.mark.parametrize(("claims", "reason"), TABLE["undeclared"])
def test_questions_that_need_an_undeclared_capability_are_not_asked(
    claims: dict[str, Any], reason: str
) -> None:
    connection = Scripted({"ok": {}}, **claims)
    result = Engine(connection, Options()).run(STRICT)
    assert (result.result_class, result.reason) == ("unsupported", reason)
    assert connection.requests == []


@pytest.mark.parametrize(("members", "reason"), TABLE["quarantined"])
def test_faulty_case_is_quarantined_and_not_asked(members: dict[str, Any], reason: str) -> None:
    connection = Scripted({"ok": {"verdict": "clean"}})
    seen = Engine(connection, Options()).run(varied(READ, **members))
    assert seen.result_class == "quarantined"
    assert reason in seen.reason
    assert connection.requests == []


def test_validation_checks_the_answer_to_hello() -> None:
    with pytest.raises(Misbehaved, match="'walk' is not one of"):
        Engine(Scripted({"ok": {}}, ops=["walk"]), Options(validate=True))


def test_late_answer_is_not_attributed_to_another_question() -> None:
    """Unsupported or quarantined probes may come between a question and its late output."""
    aside = varied(READ, edition="9")
    connection = Scripted({"ok": {"verdict": "clean"}})
    said = iter([None, Misbehaved("more")])
    connection.late = lambda: next(said)  # type: ignore[method-assign]  # the point
    results = Engine(connection, Options(level=Level.VERDICT)).run_all([aside, READ, aside, READ])
    assert [result.result_class for result in results] == ["quarantined", "error", "quarantined", "pass"]


def test_expected_answers_are_never_sent() -> None:
    connection = Scripted({"unsupported": {}})
    engine = Engine(connection, Options())
    for probe in PROBE.values():
        engine.run(probe)
    known = {"cmd", "format", "edition", "dir", "files", "params", "observe", "policy", "ops"}
    assert connection.requests
    assert all(set(request) <= known for request in connection.requests)


@pytest.mark.parametrize(("op", "row"), [(op, row) for op in ("read", "write") for row in TABLE[op]])
def test_reply_has_the_result_class_of_the_table(op: str, row: list[Any]) -> None:
    """The reference reads the files that writers leave. A writer may decline features that hello cannot
    declare.
    """
    reply, claims, *expected, reason = row
    clocked = varied(WRITE, write={**(WRITE.case.write or {}), "params": {"clock": "1"}})
    seen = judge({"read": READ, "write": clocked}[op], reply, **claims)
    assert [seen.result_class, seen.fingerprint] == expected
    assert reason in seen.reason
    if "error" in reply:
        assert (seen.reason, seen.stderr) == (reason, "stack\ntail")


def test_any_of_several_permitted_answers_is_accepted() -> None:
    (entry,) = READ.expect
    two = varied(READ, expect=({"when": {"op": "read"}, "verdict": "recovered"}, entry))
    seen = judge(two, {"ok": right_answer(entry)})
    assert (seen.result_class, seen.choice) == ("allowed", "2 of 2")
    assert judge(two, {"ok": {"verdict": "refused", "phase": "header", "code": "x"}}).result_class == "fail"


@pytest.mark.parametrize(("level", "enforced", "becomes"), TABLE["recommended"])
def test_difference_from_a_recommendation_fails_only_if_enforced(
    level: str, enforced: bool, becomes: str
) -> None:
    probe = varied(READ, level=level)
    seen = judge(probe, {"ok": {"verdict": "recovered"}}, Options(enforce_should=enforced))
    assert (seen.result_class, seen.fingerprint) == (becomes, "verdict")


def test_expectations_apply_before_recommendations() -> None:
    engine = Engine(Scripted({"ok": {"verdict": "recovered"}}), Options(), known("fail"))
    assert engine.run(varied(READ, level="should")).result_class == "known"


def test_only_members_up_to_the_given_level_are_compared() -> None:
    seen = judge(READ, {"ok": {"verdict": "clean"}}, Options(level=Level.VERDICT))
    assert seen.result_class == "pass"


def test_run_stops_after_many_consecutive_breakdowns(
    make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Expected breakdowns are not counted, so then all probes are asked."""
    monkeypatch.setattr(engine_module, "BREAKDOWN_LIMIT", 2)
    engine = make_engine(fake("crasher"))
    results = list(engine.run_all([READ] * 4))
    assert [result.result_class for result in results] == ["crash", "crash", "unasked", "unasked"]
    assert "not asked" in results[-1].reason
    engine.forgive()
    engine.expectations = known("crash")
    assert [result.result_class for result in engine.run_all([READ] * 4)] == ["known"] * 4


def test_breakdowns_between_answers_do_not_end_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "BREAKDOWN_LIMIT", 2)
    said: Any = iter([Misbehaved("no"), right_answer(*READ.expect)] * 3)

    def reply(request: Any) -> dict[str, Any]:
        answer = next(said)
        if isinstance(answer, Misbehaved):
            raise answer
        return {"ok": answer}

    results = Engine(Scripted(reply), Options()).run_all([READ] * 6)
    assert [result.result_class for result in results] == ["error", "pass"] * 3


def test_killing_after_a_step_needs_stepwise_writing(make_engine: MakeEngine) -> None:
    assert WRITE.case.write is not None
    left = {"gtrid": "0a0b", "names": ["db1", "jms1"]}
    state = {"active": "btm1.tlog", "unfinished": [left], "in_doubt": []}
    expect = {"when": {"op": "write"}, "verdict": "clean", "state": state}
    refusals = [{"op": "3", "code": "unencodable"}]

    def killed(after: int, **members: Any) -> Probe:
        write = {**(WRITE.case.write or {}), "kill_after": str(after)}
        return varied(WRITE, write=write, expect=({**expect, **members},))

    assert judge(killed(2), {"ok": {}}).reason == "feature step"
    engine = make_engine("reference")
    assert engine.run(killed(2)).result_class == "pass"
    assert engine.run(killed(5)).fingerprint == "refused:writer/unencodable"
    assert engine.run(killed(5, refusals=refusals)).fingerprint == "state:unfinished"
    assert engine.run(killed(2, refusals=refusals)).fingerprint == "verdict"
    assert engine.run(killed(2, durable=["7"])).fingerprint == "not-durable"


def test_jobs_give_the_same_results_in_the_same_order() -> None:
    setup = Setup(parse_impl("reference"), Options(), Expectations())
    probes = list(PROBE.values()) * 6
    engine = Engine(setup.target.connect(), setup.options)
    alone = [replace(result, seconds=0) for result in run_probes(setup, probes, 1, engine)]
    assert alone == [replace(result, seconds=0) for result in run_probes(setup, probes, 2, engine)]


def test_number_of_jobs_is_at_most_the_number_of_probes() -> None:
    assert [choose_jobs(3, 100), choose_jobs(8, 2), choose_jobs(0, 10)] == [3, 2, 1]


def test_state_after_a_kill_is_compared_only_where_the_case_requires() -> None:
    """A refused record can swap the files or leave them.

    If a case permits both, the active file is not compared.
    """
    demands: list[dict[str, Any]] = [{"state": {"unfinished": []}}, {"verdict": "clean"}]
    active, unfinished = frozenset({"active"}), frozenset({"unfinished"})
    assert keys_that_count(None, demands) == unfinished
    assert keys_that_count(active | unfinished, demands) == unfinished
    assert keys_that_count(active, demands[1:]) == active
    assert keys_that_count(None, demands[1:]) is None


def test_second_recovery_must_also_return_a_valid_answer() -> None:
    probe = PROBE["btm.judge.clean/recover.strict"]
    right = right_answer(*probe.expect)
    for second, becomes in ((right, "pass"), ({**right, "notes": [1]}, "error")):
        waiting = iter([{"ok": right}, {"ok": second}])
        assert judge(probe, lambda _, w=waiting: next(w), features=["damage"]).result_class == becomes
