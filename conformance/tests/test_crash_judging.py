"""Implementations are judged on crash states as what they are, and the command tells so."""

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

from journalspec_conformance import child
from journalspec_conformance.connect import parse_impl
from journalspec_conformance.crashes import asking
from journalspec_conformance.crashes.choose import Selection, choose
from journalspec_corpus.crash.disk import content_id
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.states import state_of
from journalspec_corpus.pipeline.plan import Plan
from judged import judge_crashes

pytestmark = pytest.mark.usefixtures("chosen_once")

FORMAT = "bitronix_tlog"
FAKES = Path(__file__).parent / "data"

Judge = Callable[..., dict[str, Any]]


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FAKES))
    monkeypatch.setenv("PYTHONPATH", str(FAKES))


def run(impl: str, *arguments: object) -> Result:
    return judge_crashes(impl, FORMAT, *arguments)


#: So many states of the specification's own order of writes.
COUNT = 80
OWN_ORDER = ("--count", COUNT, "--writers", "spec", "--strata", "R")


@pytest.fixture
def judge(fakes: None) -> Judge:
    """Return a function that lets a fake answer some states, 150 of :data:`OWN_ORDER` by default."""

    def judged(name: str, *arguments: object, status: int, process: bool = False) -> dict[str, Any]:
        command = f"{sys.executable} -m journalspec_conformance.serve crash_fakes:{name}"
        impl = command if process else f"py:crash_fakes:{name}"
        result = run(impl, *OWN_ORDER, "--jobs", 1, "--json", *arguments)
        assert result.exit_code == status, result.output
        said: dict[str, Any] = json.loads(result.stdout)
        return said

    return judged


def strict(facts: dict[str, Any]) -> dict[str, int]:
    found: dict[str, int] = facts["verdicts"]["R"]["strict"]
    return found


def test_who_does_nothing_wrong_fails_nowhere(judge: Judge) -> None:
    facts = judge("Right", "--policies", "strict", status=0)
    assert set(strict(facts)) == {"pass", "acceptable"}
    assert facts["states"] == facts["answers"] == COUNT
    assert facts["failures"] == []
    assert facts["invariants"] == {}
    assert facts["run"]["states_per_second"] > 0


@pytest.mark.parametrize(
    ("name", "verdict", "invariants"),
    [
        ("Loses", "lost", ["I1"]),
        ("Invents", "torn-accepted", ["I2", "I5"]),
        ("Resurrects", "resurrected", ["I4"]),
        ("Refuses", "refused", ["I1"]),
        ("Raises", "crash", ["I7"]),
        ("Forgets", "non-idempotent", ["I6"]),
        ("Nonsense", "error", []),
    ],
)
def test_what_is_wrong_has_its_name(judge: Judge, name: str, verdict: str, invariants: list[str]) -> None:
    facts = judge(name, "--policies", "strict", status=1)
    failed = {each: count for each, count in strict(facts).items() if each not in ("pass", "acceptable")}
    assert max(failed, key=lambda each: failed[each]) == verdict
    assert set(invariants) <= set(facts["invariants"].get("R", {}))
    kinds = {entry["verdict"]: entry for entry in facts["failures"]}
    assert kinds[verdict]["breaks"] == invariants


def test_what_is_hidden_is_seen(judge: Judge) -> None:
    options = ("--policies", "salvage", "--writers", "3.0")
    honest = judge("Right", *options, status=0)["verdicts"]["R"]["salvage"]
    hidden = judge("Silent", *options, status=1)["verdicts"]["R"]["salvage"]
    assert "silent" not in honest
    assert hidden["silent"] > 0
    assert hidden["silent"] + hidden["pass"] == honest["pass"]


def test_a_refusal_counts_only_where_nothing_is_damaged(judge: Judge) -> None:
    facts = judge("Refuses", "--policies", "strict", status=1)
    assert strict(facts)["acceptable"] > 0
    categories = {entry["representative"]["category"] for entry in facts["failures"]}
    assert categories == {"clean"}


def test_a_new_process_is_not_given_the_time_of_a_start_for_a_question_that_hangs(
    fakes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a hang the process is another one: what was answered before shows when it has started."""
    monkeypatch.setattr(asking, "FIRST_TIMEOUT", 20.0)
    chosen = choose(Selection(Plan(FORMAT, "smoke", 1), 0, (), ("spec",), ("R",))).states
    adapter = crash_format(FORMAT)
    target = parse_impl(f"{sys.executable} -m journalspec_conformance.serve crash_fakes:Hangs", "persistent")
    asker = asking.Asker(target, FORMAT, adapter.answer, timeout=0.3)
    try:
        replies = []
        for item in chosen:
            files = dict(state_of(adapter.build(item.workload), item.descriptor))
            replies.append(asker.ask(files, item.edition, "strict", twice=False))
            hung = [reply for reply in replies if reply.instead == "hang"]
            if len(hung) == 1 and replies[-1] is hung[0] and len(replies) > 1:
                again = asker.ask(files, item.edition, "strict", twice=False)
                break
    finally:
        asker.close()
    assert hung[0].told == again.told == "no answer within 0.3 s"


def test_who_does_not_come_back_is_asked_twice_and_then_left_alone(judge: Judge) -> None:
    facts = judge(
        "Hangs", "--policies", "strict", "--timeout", 0.3, "--count", 24, "--every", 2, status=1, process=True
    )
    found = strict(facts)
    assert found["hang"] > 0
    assert set(found) == {"hang", "pass"}
    assert 0 < facts["retried"] <= found["hang"]
    assert facts["invariants"]["R"] == {"I7": found["hang"]}
    assert facts["states"] + facts["not_asked"] == 24
    assert facts["left_out"] == {"strict": 24 - sum(found.values())}


def test_who_works_without_an_end_is_asked_once(fakes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "BUSY", 0.01)  # tests share their processors
    chosen = choose(Selection(Plan(FORMAT, "smoke", 1), 0, (), ("spec",), ("R",))).states
    adapter = crash_format(FORMAT)
    target = parse_impl(f"{sys.executable} -m journalspec_conformance.serve crash_fakes:Loops", "persistent")
    asker = asking.Asker(target, FORMAT, adapter.answer, timeout=2.0)
    told = []
    try:
        for item in chosen:
            files = dict(state_of(adapter.build(item.workload), item.descriptor))
            reply = asker.ask(files, item.edition, "strict")
            if reply.instead:
                assert (reply.instead, reply.tries, reply.busy) == ("hang", 1, True)
                told.append(reply.told)
                break
    finally:
        asker.close()
    assert told == ["no answer within 2 s"]


def test_who_works_without_an_end_is_not_asked_under_the_next_policy(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All policies look at the files; what was not asked about is counted as that."""
    monkeypatch.setattr(child, "BUSY", 0.01)  # tests share their processors
    facts = judge("Loops", "--timeout", 2, "--count", 24, status=1, process=True)
    found = facts["verdicts"]["R"]
    assert found["strict"]["hang"] > 0
    assert facts["left_out"]["salvage"] == found["strict"]["hang"] + facts["left_out"]["strict"]
    assert facts["answers"] == 2 * 24 - sum(facts["left_out"].values())


def test_who_answers_in_a_new_process_has_answered(judge: Judge) -> None:
    facts = judge("Tires", "--policies", "strict", "--timeout", 0.5, "--count", 20, status=0, process=True)
    assert set(strict(facts)) <= {"pass", "acceptable"}
    assert facts["retried"] == 2


def test_who_ends_his_process_has_crashed_whatever_a_new_one_says(judge: Judge) -> None:
    facts = judge("Ends", "--policies", "strict", "--count", 20, status=1, process=True)
    assert strict(facts)["crash"] == 2
    assert facts["retried"] == 0


def test_only_what_is_declared_is_asked(judge: Judge) -> None:
    result = run("py:crash_fakes:OneEdition", "--count", 60, "--json", "--strata", "R")
    facts = json.loads(result.stdout)
    assert facts["editions"] == ["3.0"]
    assert facts["policies"] == ["strict"]
    assert {entry["representative"]["edition"] for entry in facts["failures"]} <= {"3.0"}


def test_the_choice_is_the_same_whoever_makes_it_and_spread_over_classes() -> None:
    """Each class gets an equal share while it lasts, and its first is the smallest."""
    selection = Selection(Plan(FORMAT, "smoke", 1), 150, writers=("2.1.4",), strata=("R",))
    first = choose(selection)
    assert first == choose(selection, map, 7)
    assert len({state.case_id for state in first.states}) == len(first.states) == 150
    counts = Counter(state.kind for state in first.states)
    assert len(counts) == first.classes
    everything = choose(Selection(selection.plan, 0, writers=("2.1.4",), strata=("R",)))
    assert len(everything.states) == everything.distinct
    of_kind: dict[Any, list[bytes]] = {}
    for state in everything.states:
        of_kind.setdefault(state.kind, []).append(state.case_id)
    assert {state.kind: state.case_id for state in reversed(first.states)} == {
        kind: min(ids) for kind, ids in of_kind.items()
    }
    share = max(counts.values())
    assert all(count >= min(share - 1, len(of_kind[kind])) for kind, count in counts.items())


def test_the_descriptors_that_are_written_give_the_states_back(fakes: None, tmp_path: Path) -> None:
    result = run("py:crash_fakes:Loses", "--count", 120, "--out", tmp_path, "--strata", "R")
    assert result.exit_code == 1
    assert result.stderr == ""
    rows = pq.read_table(tmp_path / "verdicts.parquet").to_pylist()
    assert len(rows) == 240
    adapter = crash_format(FORMAT)
    works = {work.name: work for work in adapter.workloads("smoke")}
    choice = choose(Selection(Plan(FORMAT, "smoke", 1), 120, strata=("R",)))
    for row, state in zip(rows[::2], choice.states, strict=True):
        assert row["case_id"] == state.case_id.hex()
        files = state_of(adapter.build(works[row["workload"]]), state.descriptor)
        assert content_id(files) == content_id(state_of(adapter.build(state.workload), state.descriptor))
    lines = (tmp_path / "failures.jsonl").read_text(encoding="utf-8").splitlines()
    failures = [json.loads(line) for line in lines]
    failed = Counter(row["verdict"] for row in rows if row["verdict"] not in ("pass", "acceptable"))
    assert sum(entry["states"] for entry in failures) == sum(failed.values())
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert sum(sum(entry["states"].values()) for entry in summary["failures"]) == sum(failed.values())
    missing = [entry for entry in failures if entry["verdict"] == "lost"]
    assert missing
    assert all(entry["answer"]["missing"] for entry in missing)


def test_the_same_verdicts_from_two_processes(fakes: None, tmp_path: Path) -> None:
    tables = []
    for jobs in (1, 2):
        out = tmp_path / str(jobs)
        run("py:crash_fakes:Loses", *OWN_ORDER, "--jobs", jobs, "--out", out)
        tables.append(pq.read_table(out / "verdicts.parquet").to_pylist())
    assert tables[0] == tables[1]


def known(path: Path, *entries: str) -> Path:
    path.write_text("".join(f"[[known]]\n{entry}\n" for entry in entries), encoding="utf-8")
    return path


def test_known_kinds_pass_and_those_that_are_gone_are_named(judge: Judge, tmp_path: Path) -> None:
    allowance = known(
        tmp_path / "known.toml",
        'verdict = "lost"\nwhy = "it leaves the first record out"',
        'verdict = "hang"\nwhy = "it used to"',
    )
    facts = judge("Loses", "--policies", "strict", "--expect", allowance, status=0)
    assert facts["new"] == []
    assert facts["gone"] == ["verdict 'hang'"]
    half = known(tmp_path / "half.toml", 'verdict = "lost"\ncategory = "clean"\nwhy = "known"')
    facts = judge("Loses", "--policies", "strict", "--expect", half, status=1)
    assert facts["new"]
    assert not any("/clean/" in kind for kind in facts["new"])


def test_what_is_known_of_everything_does_not_cover_silence(judge: Judge, tmp_path: Path) -> None:
    wide = known(tmp_path / "wide.toml", 'verdict = "*"\nwhy = "all of it"')
    assert judge("Loses", "--policies", "strict", "--expect", wide, status=0)["new"] == []
    facts = judge("Raises", "--policies", "strict", "--expect", wide, status=1)
    assert facts["new"]
    assert all("/crash/" in kind for kind in facts["new"])


@pytest.mark.parametrize("jobs", [1, 2])
def test_who_answers_nothing_is_left_alone_and_that_is_no_success(
    judge: Judge, tmp_path: Path, jobs: int
) -> None:
    """The first 25 without an answer in a row are the last, whoever asks; and none of it can be known."""
    allowance = known(tmp_path / "known.toml", 'verdict = "crash"\nwhy = "it always does"')
    arguments = ("--policies", "strict", "--expect", allowance, "--jobs", jobs, "--writers", "spec,3.0")
    facts = judge("Dies", *arguments, status=1)
    assert facts["stopped"]
    assert facts["new"] == []
    assert strict(facts) == {"crash": 25}
    assert facts["states"] + facts["not_asked"] == COUNT


def test_that_it_was_left_alone_is_said(fakes: None) -> None:
    said = run("py:crash_fakes:Dies", *OWN_ORDER, "--policies", "strict")
    assert said.exit_code == 1
    assert (
        f"stopped: it broke down 25 times in a row; {COUNT - 25} states were not asked about" in said.stdout
    )
    assert said.stderr == ""


def test_results_come_into_a_new_directory(tmp_path: Path) -> None:
    done = run("reference", "--count", 20, "--every", 5, "--out", tmp_path / "deep" / "new")
    assert done.exit_code == 0, done.output
    found = sorted(path.name for path in (tmp_path / "deep").rglob("*"))
    assert found == ["failures.jsonl", "new", "summary.json", "verdicts.parquet"]


def test_what_every_leaves_out_is_said(fakes: None) -> None:
    said = run("reference", "--count", 5, "--every", 100_000).stdout
    assert re.search(r"only 1 of \d+ workloads were taken \(--every\)", said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[known]\n", "no TOML"),
        ("", "no table [[known]]"),
        ('[[known]]\nverdict = "lost"\n', "does not say why"),
        ('[[known]]\nverdict = "lots"\nwhy = "x"\n', "no verdict fits 'lots'"),
        ('[[known]]\nverdict = 3\nwhy = "x"\n', "are texts"),
        ('[[known]]\nverdct = "lost"\nwhy = "x"\n', "unknown member 'verdct'"),
        ('[[known]]\nwhy = "x"\n[[knwon]]\nwhy = "x"\n', "unknown table 'knwon'"),
        ("known = 7\n", "no table [[known]]"),
    ],
)
def test_an_allowance_that_allows_nothing_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "known.toml"
    path.write_text(text, encoding="utf-8")
    result = run("reference", "--expect", path)
    assert result.exit_code == 2
    assert said in result.output
