"""The published findings about products after a crash have causes, and agree with the products' behaviour."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="PyArrow is missing: install journalspec[corpus]")

from design_rules import rules
from product_findings import (
    BREAKS,
    CAUSES,
    FOLDER,
    HARMLESS,
    MEMBERS,
    ProductRun,
    causes,
    causes_of,
    judgements,
    worst_seen,
)
from record_findings import digest_of, judgement_text, sentence, verdict_of
from worst import worst_cases

from journalspec.deviations import deviations
from journalspec.requirements import requirements
from journalspec_conformance.crashes.states import sampled
from journalspec_conformance.crashes.story import EngineReader
from journalspec_conformance.engine import Engine
from journalspec_conformance.errors import Problem
from journalspec_conformance.running import RunRequest, parse_impl, setup_of
from journalspec_corpus.case import Case
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.trace import get_preset, writer_of

#: The smallest number of states that a test asks about; the run behind the findings used thousands.
STATES = 20
UNSUPPORTED = "unsupported"
#: Only the names of files: to collect the tests, every worker would otherwise read the files.
RUNS = sorted(path.stem for path in FOLDER.glob("*.toml") if path.name != CAUSES)


@pytest.fixture(scope="module", params=RUNS)
def judgement(request: pytest.FixtureRequest) -> ProductRun:
    return {item.name: item for item in judgements()}[request.param]


def shrunk_cases(name: str) -> dict[str, Case]:
    with gzip.open(FOLDER / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = [Case.from_json(json.loads(line)) for line in lines]
    return {case.id: case for case in found}


def test_every_run_asked_enough_questions_and_its_counts_add_up(judgement: ProductRun) -> None:
    assert judgement.run["states"] >= 5000
    asked = judgement.run["states"] * len(judgement.verdicts)
    counted = [of for policies in judgement.strata.values() for of in policies.values()]
    assert judgement.run["answers"] == sum(sum(of.values()) for of in counted) <= asked
    summed: Counter[tuple[str, str, str]] = Counter()
    for finding in judgement.findings:
        summed[finding.stratum, finding.policy, finding.verdict] += finding.states
    assert summed == {
        (stratum, policy, verdict): count
        for stratum, policies in judgement.strata.items()
        for policy, counts in policies.items()
        for verdict, count in counts.items()
        if verdict not in HARMLESS
    }


def test_every_finding_has_an_explanation_and_its_name_in_the_model(judgement: ProductRun) -> None:
    for finding in judgement.findings:
        explained = causes_of(judgement.format, finding.members, judgement.harness)
        assert finding.causes == tuple(cause.id for cause in explained) != ()
        assert finding.breaks == BREAKS[finding.verdict]
        assert get_preset(finding.strongest).stratum == finding.stratum
        assert finding.said


def test_every_cause_explains_a_finding_and_refers_to_existing_entries() -> None:
    used = {name for item in judgements() for finding in item.findings for name in finding.causes}
    for cause in causes():
        assert cause.id in used, cause.id
        assert cause.blame
        assert set(cause.blame) <= {"format", "writer", "reader", "disk"}
        assert set(cause.rules) <= set(rules())
        assert cause.requirements
        assert set(cause.requirements) <= {entry.id for entry in requirements(cause.format)}
        assert set(cause.deviations) <= {entry.id for entry in deviations(cause.format)}
        assert min(len(cause.text), len(cause.advice), len(cause.safe)) > 20


def test_each_finding_has_its_smallest_state_as_a_case(judgement: ProductRun) -> None:
    cases = shrunk_cases(judgement.name)
    named = {finding.example["case"] for finding in judgement.findings if "case" in finding.example}
    assert named == set(cases)
    sizes = [finding.example["deviations"] for finding in judgement.findings if "case" in finding.example]
    assert max(sizes) <= 2


def summary(verdict: str, **members: object) -> dict[str, Any]:
    """Return the findings of a run of a product, with one kind of failure of this verdict."""
    run, finding = next((run, one) for run in judgements() for one in run.findings if one.verdict == "hang")
    kind = {**dict(zip(MEMBERS, finding.members, strict=True)), **finding.example, "answer": {}}
    failure = {"kind": "this one", "breaks": [], "states": {"p": 1}, "strongest_preset": "p"}
    return {
        "impl": {"name": "n"},
        "format": run.format,
        "plan": {"tier": "core", "seed": 1, "engine": 1},
        "left_out": {"strict": 3},
        **dict.fromkeys(("states", "answers", "distinct", "classes", "traces", "not_asked"), 1),
        **{name: [] for name in ("editions", "writers", "policies", "shrunk")},
        "verdicts": {"R": {}},
        "failures": [{**failure, "representative": {**kind, "verdict": verdict, **members}}],
        "harness": run.harness,
    }


def test_answer_is_described_in_words() -> None:
    told = sentence("lost", {"came": ["r0"], "missing": ["r1", "r2"]}, 2.0)
    assert told == "It returned r0. It lost acknowledged records: r1, r2."
    assert sentence("refused", {"refused": "exception:EOFException"}, 2.0).startswith(
        "It refused (EOFException)"
    )


def test_limit_of_a_run_is_stored_and_reported() -> None:
    told = summary("hang") | {"timeout": 0.75}
    written = tomllib.loads(judgement_text(told["harness"], told))
    assert (written["run"]["timeout"], written["run"]["left_out"]) == (0.75, {"strict": 3})
    assert written["finding"][0]["said"] == "It gave no answer within 0.75 seconds."


def test_unexplained_finding_is_not_stored() -> None:
    told = summary("hole", **dict.fromkeys(set(MEMBERS) - {"verdict"}, "x")) | {"timeout": 2.0}
    with pytest.raises(LookupError, match="this one"):
        judgement_text("a-harness", told)


def test_every_product_that_can_be_asked_was_asked_about_the_worst_cases() -> None:
    asked = {(item.id, item.harness) for item in worst_seen()}
    for item in judgements():
        for case in worst_cases(item.format):
            readable = case.state(case.full).trace.edition in item.run["editions"]
            if readable and case.reader in item.verdicts:
                assert (case.id, item.harness) in asked


def ready(harness: str) -> None:
    pytest.importorskip("jpype", reason="JPype is missing: install journalspec[products]")
    if shutil.which("java") is None:
        pytest.skip("no Java runtime on PATH")
    try:
        parse_impl(harness)
    except Problem as problem:
        pytest.skip(str(problem))


@pytest.fixture(scope="module")
def engine(judgement: ProductRun) -> Iterator[Engine]:
    """The product's engine, shared by both tests: a first answer takes seconds, and some products hang at
    every tenth question.

    The findings were recorded on files in memory. Garbage in a header can be an offset for which a disk has
    no room; Bitronix then refuses instead of reading nothing.
    """
    ready(judgement.harness)
    with pytest.MonkeyPatch.context() as changed:
        if os.access("/dev/shm", os.W_OK):  # noqa: S108 - names in it are not guessed
            changed.setattr(tempfile, "tempdir", "/dev/shm")  # noqa: S108 - names in it are not guessed
        made = setup_of(RunRequest(judgement.harness, timeout=5.0)).open()
        yield made
        made.close()


#: One run of each product; a whole run includes every release. All are asked about their smallest states.
NEWEST = {"activemq", "artemis", "bitronix", "derby", "hornetq"}
assert set(RUNS) > NEWEST
IN_TURN = [pytest.param(name, marks=[] if name in NEWEST else [pytest.mark.whole]) for name in RUNS]


@pytest.mark.product
@pytest.mark.java
@pytest.mark.parametrize("judgement", IN_TURN, indirect=True)
def test_product_fails_as_the_findings_state(judgement: ProductRun, engine: Engine) -> None:
    run = judgement.run
    written = {(finding.policy, finding.verdict) for finding in judgement.findings}
    asked = 0
    cases = (
        case
        for case in sampled(judgement.format, run["seed"], 3 * STATES, run["editions"], run["tier"])
        if case.stratum == "R" and (not run["writers"] or writer_of(case.state.trace) in run["writers"])
    )
    probes = [(case, probe) for case in islice(cases, STATES) for probe in case.probes]
    for case, probe in (pair for pair in probes if pair[1].policy in run["policies"]):
        engine.forgive()
        verdict = verdict_of(engine.run(probe))
        asked += verdict != UNSUPPORTED
        if verdict not in (UNSUPPORTED, *HARMLESS):
            # The test of the smallest states checks that the product does fail as the findings state.
            assert (probe.policy, verdict) in written
            kind = (writer_of(case.state.trace), str(probe.policy), case.stratum, verdict, case.category)
            assert causes_of(judgement.format, kind, judgement.harness), kind
    # To produce its findings, 5.11.4 read files of 5.12. It does not declare that edition, so only its
    # smallest states are tried.
    assert asked or (probes and judgement.name == "activemq-5.11")


@pytest.mark.product
@pytest.mark.java
def test_product_answers_on_the_smallest_states_are_as_stored(
    judgement: ProductRun, engine: Engine, every: Callable[[int], int]
) -> None:
    """By default the newest release is asked about all smallest states, others about one in three."""
    cases, adapter = shrunk_cases(judgement.name), crash_format(judgement.format)
    engine.forgive()
    written = [finding for finding in judgement.findings if "case" in finding.example]
    for finding in written[:: 1 if judgement.name in NEWEST else every(3)]:
        case = cases[finding.example["case"]]
        answer = EngineReader(engine, adapter, finding.policy)(case.files(), case.edition)
        assert digest_of(answer) == finding.example["answer_digest"], finding.members
