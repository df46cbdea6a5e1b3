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

READ = "btm.judge.clean/read"
STRICT = "btm.judge.second-missing/recover.strict"
MakeEngine = Callable[..., Engine]
Probes = dict[str, Probe]


def in_turn(*replies: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    waiting = iter(replies)
    return lambda _: next(waiting)


def judge(probe: Probe, reply: dict[str, Any], options: Options | None = None, **claims: Any) -> Result:
    return Engine(Scripted(reply, **claims), options or Options()).run(probe)


def varied(probe: Probe, **members: Any) -> Probe:
    """The probe of the same name, of the same case with other members."""
    case = replace(probe.case, **members)
    return next(other for other in case.probes if other.id == probe.id)


@pytest.mark.parametrize(("claims", "reason"), table("judging")["engine_rules"]["undeclared"])
def test_undeclared_capabilities_are_not_asked(claims: dict[str, Any], reason: str) -> None:
    connection = Scripted({"ok": {}}, **claims)
    result = Engine(connection, Options()).run(PROBE[STRICT])
    assert (result.result_class, result.reason) == ("unsupported", reason)
    assert connection.requests == []


def test_validation_includes_the_introduction() -> None:
    with pytest.raises(Misbehaved, match="'walk' is not one of"):
        Engine(Scripted({"ok": {}}, ops=["walk"]), Options(validate=True))


def test_late_answer_is_not_charged_to_another_question() -> None:
    """Between the question and the late word there may be probes that are not supported, or quarantined."""
    probe = PROBE[READ]
    aside = varied(probe, edition="9")
    connection = Scripted({"ok": {"verdict": "clean"}})
    said = iter([None, Misbehaved("more")])
    connection.late = lambda: next(said)  # type: ignore[method-assign]  # the point
    results = list(Engine(connection, Options(level=Level.VERDICT)).run_all([aside, probe, aside, probe]))
    assert [result.result_class for result in results] == ["quarantined", "error", "quarantined", "pass"]


def test_expected_answers_are_never_sent() -> None:
    connection = Scripted({"unsupported": {}})
    engine = Engine(connection, Options())
    for probe in PROBE.values():
        engine.run(probe)
    known = {"cmd", "format", "edition", "dir", "files", "params", "observe", "policy", "ops"}
    assert connection.requests
    assert all(set(request) <= known for request in connection.requests)


def test_unsupported_and_error_replies() -> None:
    seen = judge(PROBE[READ], {"unsupported": {"what": "names", "issue": "https://x/1"}})
    assert (seen.result_class, seen.fingerprint) == ("fail", "unsupported")
    assert seen.reason == "declared, and answered as not supported: names: https://x/1"
    seen = judge(PROBE[READ], {"error": {"message": "no", "detail": "stack"}})
    assert (seen.result_class, seen.reason, seen.stderr) == ("error", "no", "stack\ntail")


def test_an_answer_without_verdict_is_an_error() -> None:
    assert judge(PROBE[READ], {"ok": {"records": []}}).result_class == "error"


def test_several_permitted_answers() -> None:
    probe = PROBE[READ]
    (entry,) = probe.expect
    two = varied(probe, expect=({"when": {"op": "read"}, "verdict": "recovered"}, entry))
    seen = judge(two, {"ok": right_answer(entry)})
    assert (seen.result_class, seen.choice) == ("allowed", "2 of 2")
    assert judge(two, {"ok": {"verdict": "refused", "phase": "header", "code": "x"}}).result_class == "fail"


@pytest.mark.parametrize(("level", "enforced", "becomes"), table("judging")["engine_rules"]["recommended"])
def test_recommendations(level: str, enforced: bool, becomes: str) -> None:
    probe = varied(PROBE[READ], level=level)
    seen = judge(probe, {"ok": {"verdict": "recovered"}}, Options(enforce_should=enforced))
    assert (seen.result_class, seen.fingerprint) == (becomes, "verdict")


def test_the_lower_level_is_compared() -> None:
    reply = {"ok": {"verdict": "clean"}}
    assert judge(PROBE[READ], reply).fingerprint == "records:missing"
    assert judge(PROBE[READ], reply, Options(level=Level.VERDICT)).result_class == "pass"
    assert judge(PROBE[READ], reply, observe="verdict").result_class == "pass"


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"format": "no_such_format"}, "no format"),
        ({"edition": "9"}, "no edition '9'"),
        ({"expect": ({"when": {"op": "read"}, "records": []},)}, "could never fail"),
    ],
)
def test_a_faulty_case_is_quarantined_and_not_asked(members: dict[str, Any], reason: str) -> None:
    connection = Scripted({"ok": {"verdict": "clean"}})
    seen = Engine(connection, Options()).run(varied(PROBE[READ], **members))
    assert seen.result_class == "quarantined"
    assert reason in seen.reason
    assert connection.requests == []


def test_a_run_gives_up_on_an_implementation_that_only_breaks_down(
    make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "BREAKDOWN_LIMIT", 2)
    results = list(make_engine(fake("crasher")).run_all([PROBE[READ]] * 4))
    assert [result.result_class for result in results] == ["crash", "crash", "unasked", "unasked"]
    assert "not asked" in results[-1].reason


def test_expected_breakdowns_do_not_end_a_run(
    make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "BREAKDOWN_LIMIT", 2)
    text = f'[[expect]]\ncase = "{READ}"\noutcome = "crash"\nwhy = "w"\n'
    engine = make_engine(fake("crasher"))
    engine.expectations = parse_expectations(text, "f").bind([READ], "smoke")
    results = list(engine.run_all([PROBE[READ]] * 4))
    assert [result.result_class for result in results] == ["known"] * 4


def test_expectations_apply_before_recommendations() -> None:
    probe = varied(PROBE[READ], level="should")
    text = f'[[expect]]\ncase = "{READ}"\noutcome = "fail"\nwhy = "w"\n'
    bound = parse_expectations(text, "f").bind([READ], "smoke")
    engine = Engine(Scripted({"ok": {"verdict": "recovered"}}), Options(), bound)
    assert engine.run(probe).result_class == "known"


def test_writers_are_judged_by_what_the_reference_finds() -> None:
    (probe,) = CASE["write"].probes
    said = {"files": [], "refusals": [{"op": "3", "code": "unencodable"}], "durable": ["2", "5"]}

    seen = judge(probe, {"ok": said})
    assert (seen.result_class, seen.fingerprint) == ("fail", "wrote-invalid")
    seen = judge(probe, {"ok": {**said, "files": ["btm1.tlog"]}})
    assert (seen.fingerprint, seen.reason) == (
        "wrote-invalid",
        "it reported writing btm1.tlog, which does not exist",
    )
    seen = judge(probe, {"ok": {**said, "refusals": [{"op": "1", "code": "other"}]}})
    assert seen.fingerprint == "refused:writer/other"
    seen = judge(probe, {"ok": {**said, "refusals": []}})
    assert seen.fingerprint == "verdict"
    seen = judge(probe, {"ok": {**said, "durable": ["2"]}})
    assert seen.fingerprint == "not-durable"


@pytest.mark.parametrize(("what", "becomes"), table("judging")["engine_rules"]["declined"])
def test_writer_may_decline_what_hello_cannot_declare(what: str, becomes: str) -> None:
    (probe,) = CASE["write"].probes
    probe = varied(probe, write={**(probe.case.write or {}), "params": {"clock": "1"}})
    assert judge(probe, {"unsupported": {"what": what}}).result_class == becomes


def test_killing_after_a_step_needs_stepwise_writing(make_engine: MakeEngine) -> None:
    (probe,) = CASE["write"].probes
    write = {**(probe.case.write or {}), "kill_after": "2"}
    expect = {
        "when": {"op": "write"},
        "verdict": "clean",
        "state": {
            "active": "btm1.tlog",
            "unfinished": [{"gtrid": "0a0b", "names": ["db1", "jms1"]}],
            "in_doubt": [],
        },
    }
    probe = varied(probe, write=write, expect=(expect,))
    assert judge(probe, {"ok": {}}).reason == "feature step"
    assert make_engine("reference").run(probe).result_class == "pass"
    later = varied(probe, write={**write, "kill_after": "5"})
    assert make_engine("reference").run(later).fingerprint == "refused:writer/unencodable"
    refusals = [{"op": "3", "code": "unencodable"}]
    told = varied(later, expect=({**expect, "refusals": refusals},))
    assert make_engine("reference").run(told).fingerprint == "state:unfinished"
    unrefused = varied(probe, expect=({**expect, "refusals": refusals},))
    assert make_engine("reference").run(unrefused).fingerprint == "verdict"
    not_durable = varied(probe, write=write, expect=({**expect, "durable": ["7"]},))
    assert make_engine("reference").run(not_durable).fingerprint == "not-durable"


def test_jobs_give_the_same_results_in_the_same_order() -> None:
    setup = Setup(parse_impl("reference"), Options(), Expectations())
    probes = list(PROBE.values()) * 20
    engine = Engine(setup.target.connect(), setup.options)
    alone = [replace(result, seconds=0) for result in run_probes(setup, probes, 1, engine)]
    assert alone == [replace(result, seconds=0) for result in run_probes(setup, probes, 2, engine)]


def test_choosing_jobs() -> None:
    assert choose_jobs(3, 100) == 3
    assert choose_jobs(8, 2) == 2
    assert choose_jobs(0, 10) == 1


def test_after_a_kill_no_more_of_the_state_counts_than_the_case_demands() -> None:
    """A refused record may have swapped the files or not: a case that leaves this open is not about it."""
    demands: list[dict[str, Any]] = [{"state": {"unfinished": []}}, {"verdict": "clean"}]
    assert keys_that_count(None, demands) == frozenset({"unfinished"})
    assert keys_that_count(frozenset({"active", "unfinished"}), demands) == frozenset({"unfinished"})
    assert keys_that_count(frozenset({"active"}), [{"verdict": "clean"}]) == frozenset({"active"})
    assert keys_that_count(None, [{"verdict": "clean"}]) is None


def test_the_second_recovery_must_be_an_answer_too() -> None:
    probe = PROBE["btm.judge.clean/recover.strict"]
    right = right_answer(*probe.expect)
    for second, becomes in ((right, "pass"), ({**right, "notes": [1]}, "error")):
        connection = Scripted(in_turn({"ok": right}, {"ok": second}), features=["damage"])
        assert Engine(connection, Options()).run(probe).result_class == becomes


@pytest.mark.parametrize("what", ["operation", "edition:2.1"])
def test_a_reader_may_not_decline_what_a_writer_may(what: str) -> None:
    assert judge(PROBE[READ], {"unsupported": {"what": what}}).result_class == "fail"
