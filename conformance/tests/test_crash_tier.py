"""The tier `crash`: an implementation is judged on possible states after a crash, without a build."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

pytest.importorskip("pyarrow", reason="PyArrow is missing: install journalspec[corpus]")
import pyarrow.parquet as pq

from journalspec_conformance.crashes.states import Class, sampled
from journalspec_conformance.report import Report, load_report
from journalspec_conformance.running import RunRequest, prepare
from journalspec_corpus.crash.disk import case_id, content_id
from journalspec_corpus.crash.trace import promise, writer_of
from journalspec_corpus.crash.verdict import first_that_covers, limits
from journalspec_corpus.pipeline.plan import Plan
from judged import call, has
from tables import table

FORMAT = "bitronix_tlog"
FAKES = Path(__file__).parent / "data"
EDITIONS = ("2.1", "3.0")
COUNT = 80
TABLE = table("judging")["crash_tier"]


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FAKES))
    monkeypatch.setenv("PYTHONPATH", str(FAKES))


def run(impl: str, *arguments: object, count: int = COUNT, status: int | None = None) -> Result:
    chosen = ("--tier", "crash", "--format", FORMAT, "--seed", 1, "--count", count, "--jobs", 1)
    return call("run", "--impl", impl, *chosen, *arguments, status=status)


Judge = Callable[..., Report]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """Return a function that runs a fake and returns the report."""

    def judged(name: str, *arguments: object, status: int, count: int = COUNT) -> Report:
        path = tmp_path / "report.jsonl"
        run(f"py:crash_fakes:{name}", "--report", path, *arguments, count=count, status=status)
        return load_report(path)

    return judged


def verdicts(report: Report, policy: str = "strict") -> Counter[str]:
    """Return numbers of results under a policy: failures by verdict, other results by class."""
    asked = [result for result in report.results if result.probe.endswith(policy)]
    failed = [result.fingerprint.partition("/")[0] for result in asked if result.result_class == "fail"]
    return Counter([*failed, *(each.result_class for each in asked if each.result_class != "fail")])


def test_reader_that_follows_the_specification_never_fails(judge: Judge) -> None:
    report = judge("Right", status=0)
    assert set(verdicts(report)) == {"pass", "allowed"}
    assert len(report.results) == 2 * COUNT
    assert (report.header["tier"], report.header["options"]["seed"]) == ("crash", "1")


@pytest.mark.parametrize(("name", "verdict"), TABLE["named"])
def test_each_fake_fails_with_the_fingerprint_of_its_fault(judge: Judge, name: str, verdict: str) -> None:
    found = verdicts(judge(name, "--select", "**/recover.strict", status=1))
    assert found[verdict] >= 5


def test_omitted_damage_is_detected(judge: Judge) -> None:
    hidden = verdicts(judge("Silent", status=1), "salvage")
    assert set(hidden) == {"silent", "pass", "allowed"}


def test_refusal_fails_only_on_undamaged_files(judge: Judge) -> None:
    report = judge("Refuses", status=1)
    assert verdicts(report)["allowed"] > 0
    failed = {result.fingerprint for result in report.results if result.red}
    # A killed run also leaves undamaged files.
    assert {name.partition("/")[0] for name in failed} == {"refused"}
    assert "refused/clean" in failed


def test_printed_command_repeats_the_failure() -> None:
    said = run("py:crash_fakes:Loses", count=40).stdout
    found = re.search(r"--tier crash --seed (\d+) --count (\d+) --select (\S+) --details", said)
    assert found is not None
    again = call(
        *("run", "--impl", "py:crash_fakes:Loses", "--tier", "crash", "--format", FORMAT),
        *("--seed", found[1], "--count", found[2], "--select", found[3], "--details"),
        status=1,
    )
    assert "1 of 1 probes failed" in again.stdout


def test_each_seed_selects_its_own_fixed_sample() -> None:
    def names(seed: int, count: int) -> list[str]:
        request = RunRequest("reference", tier="crash", formats=(FORMAT,), seed=seed, count=count)
        return [probe.id for probe in prepare(request).probes]

    assert names(1, 30) == names(1, 30)
    assert len(set(names(1, 30))) == 60
    assert len({*names(1, 30)} & {*names(2, 30)}) < 30


def test_sample_covers_classes_and_ids_are_computed_from_files() -> None:
    cases = sampled(FORMAT, 1, 200, EDITIONS)
    assert len(cases) == len({case.id for case in cases}) == 200
    assert {case.stratum for case in cases} == {"R", "C"}
    assert len({case.category for case in cases}) > 8
    assert {case.state.trace.life for case in cases} == {1, 2}
    for case in cases:
        promised = promise(case.format, case.edition, case.stratum, case.required.keys_to_keep)
        assert case.id == f"btm.crash.{case_id(content_id(case.files()), promised).hex()}"


def test_only_declared_editions_and_policies_are_asked(judge: Judge) -> None:
    report = judge("OneEdition", status=0)
    asked = [result for result in report.results if result.result_class != "unsupported"]
    assert {result.edition for result in report.results} == {"3.0"}
    assert {result.probe.partition("/")[2] for result in asked} == {"recover.strict"}


def test_hanging_question_is_a_timeout_and_is_not_reduced() -> None:
    command = f"{sys.executable} -m journalspec_conformance.serve crash_fakes:Hangs"
    said = run(command, "--select", "**/recover.strict", "--timeout", 0.3, count=12, status=1)
    has(said.stdout, "\ntimeout: btm.crash.", "no answer within 0.3 s", "required:")


@pytest.mark.parametrize("jobs", [1, 2])
def test_implementation_that_never_answers_is_not_asked_again(judge: Judge, jobs: int) -> None:
    found = verdicts(judge("Dies", "--jobs", jobs, "--select", "**/recover.strict", status=1))
    assert found["crash"] >= 25
    assert set(found) == {"crash", "unasked"}


def test_known_failures_are_recognised_by_their_fingerprint(judge: Judge, tmp_path: Path) -> None:
    kinds = sorted({result.fingerprint for result in judge("Loses", status=1).results if result.red})
    assert len(kinds) > 3
    path = tmp_path / "known.toml"
    path.write_text("", encoding="utf-8")
    call("expect", "--update", path, tmp_path / "report.jsonl", status=0)
    text = path.read_text(encoding="utf-8")
    assert 'case = "btm.crash.*/recover.strict"\noutcome = "fail"\nfingerprint = "lost/clean"' in text
    assert not re.search(r"crash\.[0-9a-f]{32}", text), "an id is of one choice of states"
    text = text.replace("TODO: ", "")
    path.write_text(text, encoding="utf-8")
    assert verdicts(judge("Loses", "--expect", path, status=0))["known"] > 10
    path.write_text(text.replace(f'"{kinds[0]}"', '"other"'), encoding="utf-8")
    left = {result.fingerprint for result in judge("Loses", "--expect", path, status=1).results if result.red}
    assert left == {kinds[0]}


def test_loss_that_the_format_cannot_prevent_is_allowed_with_a_reason(judge: Judge) -> None:
    report = judge("Right", "--select", "**/recover.salvage", count=300, status=0)
    excused = [result for result in report.results if result.result_class == "allowed" and result.fingerprint]
    assert excused
    assert all("; no reader of this format can prevent it: " in result.reason for result in excused)
    assert {result.choice for result in excused} <= {*TABLE["excused"]}


@pytest.mark.parametrize("name", ["Resurrects", "Loses"])
def test_failure_of_the_implementation_is_not_excused_by_a_limit_of_the_format(
    judge: Judge, name: str
) -> None:
    """The table of limits lists kinds of states, which alone would excuse the failure."""
    states = {case.id: case for case in sampled(FORMAT, 1, 300, EDITIONS)}
    report = judge(name, "--select", "**/recover.salvage", count=300, status=1)
    covered = 0
    for result in report.results:
        if result.red:
            case, verdict = states[result.case], result.fingerprint.partition("/")[0]
            values = (writer_of(case.state.trace), "salvage", case.stratum, verdict, case.category)
            covered += first_that_covers(limits(FORMAT), *values, case.descriptor.preset) is not None
    assert covered


@pytest.fixture(scope="module")
def build(core_build: Callable[[Plan], Path]) -> Path:
    return core_build(Plan(FORMAT, "core", every=173))


def test_states_of_a_build_are_tested_by_the_same_code(build: Path, tmp_path: Path) -> None:
    reports = []
    for name, command in {
        "judge": ("corpus", "judge", build),
        "run": ("run", "--tier", "crash", "--cases", build),
    }.items():
        path = tmp_path / name
        done = call(*command, "--impl", "py:crash_fakes:Loses", "--count", 60, "--report", path, status=1)
        assert f"--tier crash --cases {build} --count 60 --select btm.crash." in done.stdout
        reports.append([(each.probe, each.fingerprint) for each in load_report(path).results])
    assert reports[0] == reports[1]
    assert len(reports[0]) == 120


def test_sample_of_a_build_takes_the_smallest_ids_of_each_class_equally(build: Path) -> None:
    rows = pq.read_table(build / "states", columns=["case_id", *Class._fields]).to_pylist()
    of_kind: dict[Class, list[str]] = {}
    for row in rows:
        kind = Class(*(row[name] for name in Class._fields))
        of_kind.setdefault(kind, []).append(f"btm.crash.{row['case_id'].hex()}")
    request = RunRequest("reference", tier="crash", cases=(build,), count=1000)
    chosen = {probe.case.id for probe in prepare(request).probes}
    assert len(chosen) == 1000
    share = max(len(chosen.intersection(ids)) for ids in of_kind.values())
    for ids in of_kind.values():
        taken = chosen.intersection(ids)
        assert len(taken) >= min(share - 1, len(ids))
        assert taken == set(sorted(ids)[: len(taken)])


def test_reader_that_follows_the_specification_fails_in_no_state_of_a_build(build: Path) -> None:
    """In some states, the device did not perform an fsync: a loss is allowed there."""
    done = call("corpus", "judge", build, "--impl", "reference", "--count", 600, "--json", status=0)
    told: dict[str, Any] = json.loads(done.stdout)
    assert (told["failed"], told["judged"]) == ([], 1200)
