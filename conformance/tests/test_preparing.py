"""How a run is prepared, selected and asked: options, seeds, expectations, the order of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from journalspec_conformance import running, selection
from journalspec_conformance.crashes import states, writers
from journalspec_conformance.engine import Options
from journalspec_conformance.errors import Problem
from journalspec_conformance.expect import Expectations
from journalspec_conformance.result import Result
from journalspec_conformance.running import RunRequest, Setup, Target, prepare, run_probes, setup_of
from journalspec_conformance.selection import (
    Draws,
    cases_of,
    crash_states,
    find,
    formats_named,
    ids_outside,
    probes_of,
)
from journalspec_corpus import Probe
from journalspec_corpus.case import UNKNOWN
from judged import CASE, CASES, PROBE, Scripted

FORMAT = "bitronix_tlog"
CLEAN = "btm.judge.clean/read"


def scripted(monkeypatch: pytest.MonkeyPatch, *, expectations: Path | None = None, **claims: Any) -> None:
    """Replace the implementation of a request by one with these claims."""
    target = Target("x", lambda timeout: Scripted({"ok": {}}, **claims), expectations)
    monkeypatch.setattr(running, "setup_of", lambda request: Setup(target, Options(), Expectations()))


@pytest.mark.parametrize(
    ("ops", "editions"), [(["recover"], {FORMAT: {"2.1", "3.0"}}), (["read", "write"], {})]
)
def test_crash_states_are_chosen_only_from_editions_that_are_recovered(
    ops: list[str], editions: dict[str, set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Any] = []

    def chosen(*arguments: object) -> list[Any]:
        given.append(arguments)
        return []

    monkeypatch.setattr(selection, "crash_states", chosen)
    scripted(monkeypatch, ops=ops, editions=["2.1", "3.0"])
    prepare(RunRequest("x", tier="crash", seed=4, count=9))
    assert given == [((), editions, Draws(4, 9), ())]


def test_seed_zero_is_a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(monkeypatch)
    monkeypatch.setattr(selection, "writer_states", lambda *chosen: [])
    assert prepare(RunRequest("x", tier="crash-write", seed=0)).seed == 0


def test_options_that_repeat_a_run_contain_its_seed_preset_and_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scripted(monkeypatch)
    monkeypatch.setattr(selection, "writer_states", lambda *chosen: [])
    monkeypatch.setattr(selection, "crash_states", lambda *chosen: [])
    write = prepare(RunRequest("x", tier="crash-write", seed=5, count=7, preset="epoch-subset-512"))
    assert (write.seed, write.repeat) == (5, " --seed 5 --preset epoch-subset-512 --count 7")
    crash = prepare(RunRequest("x", tier="crash", seed=5, count=7))
    assert (crash.seed, crash.repeat) == (5, " --seed 5 --count 7")
    # A build contains its states, so its states do not depend on a seed.
    built = prepare(RunRequest("x", tier="crash", seed=5, count=7, cases=(Path("a b"),)))
    assert (built.seed, built.repeat) == (None, " --cases 'a b' --count 7")


ENTRY = '[[expect]]\ncase = "{}"\noutcome = "fail"\nwhy = "w"\n'


def test_expectations_of_a_harness_are_used_unless_they_are_disabled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shipped := tmp_path / "shipped.toml").write_text(ENTRY.format(CLEAN))
    (own := tmp_path / "own.toml").write_text(ENTRY.format("btm.judge.write/**"))
    scripted(monkeypatch, expectations=shipped)
    found = {
        expect: [
            entry.case
            for entry in prepare(RunRequest("x", cases=(CASES,), expect=expect)).setup.expectations.entries
        ]
        for expect in (None, "none", str(own))
    }
    assert found == {None: [CLEAN], "none": [], str(own): ["btm.judge.write/**"]}


def test_selection_does_not_make_expectations_of_other_cases_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry is stale only if it matches no probe of the tier."""
    (path := tmp_path / "own.toml").write_text(ENTRY.format("btm.judge.write/**"))
    scripted(monkeypatch, expectations=path)
    monkeypatch.setattr(
        selection,
        "_published",
        lambda tier, formats, only=(): [case for case in CASE.values() if not only or case.id in only],
    )
    monkeypatch.setattr(selection, "load_cases", lambda tier: [])
    assert [probe.id for probe in prepare(RunRequest("x", select=(CLEAN,))).probes] == [CLEAN]
    assert len(prepare(RunRequest("x", formats=(FORMAT,))).probes) == len(PROBE)
    path.write_text(ENTRY.format("btm.gone.*/read"))
    with pytest.raises(Problem, match=r"no probe matches btm\.gone"):
        prepare(RunRequest("x", select=(CLEAN,)))


@pytest.mark.parametrize(
    ("asked", "own", "limit"), [(3.0, 60.0, 3.0), (None, 60.0, 60.0), (None, None, 10.0)]
)
def test_time_limit_is_that_of_the_user_then_of_the_harness(
    asked: float | None, own: float | None, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Target("x", lambda timeout: Scripted({"ok": {}}), timeout=own)
    monkeypatch.setattr(running, "parse_impl", lambda *given: target)
    assert setup_of(RunRequest("x", timeout=asked)).options.timeout == limit


def result(number: int, result_class: str = "pass") -> Result:
    return Result(f"x.{number}/read", f"x.{number}", "x", "1", "t", result_class, "", "late")


@pytest.mark.parametrize(
    ("classes", "warned"),
    [("timeout pass timeout", False), ("timeout timeout", True), ("timeout fail timeout timeout", True)],
)
def test_only_consecutive_timeouts_warn_that_probes_will_not_be_asked(
    classes: str, warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [result(number, name) for number, name in enumerate(classes.split())]
    engine: Any = SimpleNamespace(run_all=lambda probes: (each for each in found))
    setup = Setup(Target("x", Scripted), Options(), Expectations())
    assert list(run_probes(setup, [], 1, engine)) == found
    said = capsys.readouterr().err
    assert said.count("late") == classes.count("timeout")
    assert ("the remaining probes are skipped" in said) == warned


def test_results_of_workers_are_complete_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second part of the probes is finished first."""

    def results(work: object, chunks: Sequence[Sequence[Probe]], jobs: int) -> Iterator[Any]:
        found = iter(map(result, range(130)))
        parts = [[next(found) for _ in chunk] for chunk in chunks]
        yield from ((at, parts[at]) for at in (1, 2, 0))

    monkeypatch.setattr(running, "results", results)
    setup, engine = Setup(Target("x", Scripted), Options(), Expectations()), SimpleNamespace()
    probes = [PROBE[CLEAN]] * 130
    assert list(run_probes(setup, probes, 2, engine)) == [*map(result, range(130))]  # type: ignore[arg-type]


# --- Selection ---


def test_pattern_of_any_format_selects_from_all_formats() -> None:
    assert formats_named(("btm.tail.*", "khd.**")) == (FORMAT, "kahadb_journal")
    assert formats_named(("btm.tail.*", "**")) == ()
    assert formats_named(("btm.tail.*",), (CASES,)) == ()


def test_every_pattern_must_match_a_probe() -> None:
    cases = list(CASE.values())
    assert [probe.id for probe in probes_of(cases, (CLEAN,))] == [CLEAN]
    with pytest.raises(Problem, match=r"'btm\.gone' names none of \d+ probes"):
        probes_of(cases, (CLEAN, "btm.gone"))


def test_ids_of_other_tiers_do_not_contain_those_of_the_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "PUBLISHED_TIERS", ("smoke", "captured"))
    found = {"smoke": [CASE["clean"]], "captured": [CASE["write"]]}
    monkeypatch.setattr(selection, "load_cases", lambda tier: found[tier])
    assert [*ids_outside("captured")] == [probe.id for probe in CASE["clean"].probes]
    assert [*ids_outside("smoke")] == [probe.id for probe in CASE["write"].probes]


def test_case_without_a_valid_format_is_asked_about_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may belong to any format, so a run reports it as quarantined."""
    faulty = replace(CASE["clean"], format=UNKNOWN, fault="it is broken")
    other = replace(CASE["write"], format="kahadb_journal")
    monkeypatch.setattr(selection, "_read", lambda paths: iter([faulty, other]))
    assert cases_of("", [FORMAT], [CASES]) == [faulty]
    with pytest.raises(Problem, match=f"{faulty.id} is quarantined: it is broken"):
        find(faulty.id, [CASES])


def test_ids_of_draws_select_only_these_draws_if_no_other_pattern_is_given() -> None:
    one = "btm.drawn.s1.n2"
    assert [case.id for case in Draws(7, 3, (f"{one}/read",)).cases([FORMAT])] == [one]
    drawn = [f"btm.drawn.s7.n{number}" for number in range(3)]
    assert [case.id for case in Draws(7, 3, (f"{one}/read", "**")).cases([FORMAT])] == drawn


def test_crash_states_of_all_builds_are_taken_and_no_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "built", lambda place, count, editions: [(place, count)])
    monkeypatch.setattr(states, "sampled", lambda name, *given: [name])
    places = [Path("one"), Path("two")]
    editions = {FORMAT: frozenset({"2.1"})}
    found: list[Any] = crash_states([], editions, Draws(1, 5), places)
    assert found == [(places[0], 5), (places[1], 5)]
    drawn: list[Any] = crash_states([], editions, Draws(1, 5), [])
    assert drawn == [FORMAT]


def test_format_that_is_not_recovered_has_no_crash_states() -> None:
    for editions in ({}, {FORMAT: frozenset[str]()}):
        with pytest.raises(Problem, match=f"no crash state of {FORMAT}"):
            crash_states([FORMAT], editions, Draws(1, 5), [])


def test_writing_case_that_kills_the_writer_has_no_crash_states() -> None:
    """Its writer would not be asked to the end."""
    assert writers.writer_case(CASE["clean"], "prefix-byte", 1, 9) is None
    case = writers.writer_case(CASE["write"], "prefix-byte", 1, 9)
    assert case is not None
    assert {"step", "io-trace"} <= {*case.needs}
    assert case.write is not None
    killed = replace(CASE["write"], write={**case.write, "kill_after": "1"})
    assert writers.writer_case(killed, "prefix-byte", 1, 9) is None
