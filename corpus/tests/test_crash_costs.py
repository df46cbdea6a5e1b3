"""What the bench says of single states was measured: counts hang together, and all ways judge alike."""

from __future__ import annotations

import json
from typing import Any

import pytest

from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.pipeline import bench, costs
from journalspec_corpus.pipeline.plan import Plan

FORMAT = "bitronix_tlog"
OTHER = "jboss_journal"
STATES = 200


@pytest.fixture(scope="module")
def figures() -> Any:
    return costs.measured(Plan(FORMAT, "core", every=211), STATES)


def all_costs(figures: Any) -> list[Any]:
    grown = [cost for row in figures["growth"].values() for cost in row]
    return [*figures["strata"].values(), *grown, *figures["ways"].values()]


def test_every_figure_has_its_denominators(figures: Any) -> None:
    assert list(figures["strata"]) == ["R", "L", "C"]
    assert figures["strata"]["R"]["distinct"] >= STATES
    for cost in all_costs(figures):
        assert 0 <= cost["distinct"] <= cost["generated"]
        assert (cost["traces"] > 0) == (cost["distinct"] > 0)
        assert cost["judging"] > 0 or not cost["distinct"]
        assert (cost["microseconds_per_state"] is None) == (cost["distinct"] == 0)
    assert json.loads(json.dumps(figures)) == figures


def test_traces_are_recorded_of_every_kind_of_workload(figures: Any) -> None:
    assert list(figures["recording"]) == ["first", "long", "second"]
    for cost in figures["recording"].values():
        assert cost["traces"] > 0
        assert cost["milliseconds_per_trace"] > 0


def test_the_same_is_done_in_files_of_any_length(figures: Any) -> None:
    row = figures["growth"]["file_bytes"]
    assert [cost["file_bytes"] for cost in row] == list(costs.SIZES)
    assert len({cost["operations"] for cost in row}) == 1
    assert len({cost["generated"] for cost in row}) == 1


def test_longer_traces_begin_as_shorter_ones_do(figures: Any) -> None:
    for name in (FORMAT, OTHER):
        long = crash_format(name).long
        assert long is not None
        words = costs.drawn(long, costs.RECORDS[-1])
        assert words[costs.RECORDS[-1]].startswith(words[costs.RECORDS[0]] + " ")
        assert words == costs.drawn(long, costs.RECORDS[-1])
    operations = [cost["operations"] for cost in figures["growth"]["records"]]
    assert operations == sorted(set(operations))
    assert operations[-1] > 10 * operations[0]


def test_all_ways_judge_the_same_states(figures: Any) -> None:
    ways = list(figures["ways"].values())
    assert len(ways) > 1
    assert len({(cost["distinct"], cost["generated"], cost["traces"]) for cost in ways}) == 1
    assert ways[-1]["times_as_fast"] == 1


def test_a_way_that_judges_otherwise_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = iter("ab")
    cost = costs.StateCost(1, 1, 1, 0.1, 0.1)
    monkeypatch.setattr(costs, "cost_of", lambda *_: (cost, next(digests)))
    with pytest.raises(ArithmeticError, match="the same tables"):
        costs._compared(crash_format(FORMAT), [], 1)


def test_the_command_prints_costs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cost = costs.StateCost(100, 120, 3, 0.003, 0.002).to_json()
    nothing = costs.StateCost(0, 0, 3, 0.003, 0.002).to_json()
    grown = [{kind: value, "operations": 7, **cost} for kind in ("file_bytes", "records") for value in (1, 4)]
    told = {
        "format": FORMAT,
        "plan": {"tier": "core"},
        "strata": {"R": cost, "L": nothing, "C": cost},
        "recording": {"second": {"traces": 9, "milliseconds_per_trace": 0.7}},
        "growth": {"file_bytes": grown[:2], "records": grown[2:]},
        "ways": {"fast": {**cost, "times_as_fast": 9.5}, "plain": {**cost, "times_as_fast": 1.0}},
        "peak_memory": 1 << 20,
        "peak_memory_with_large_files": 2 << 20,
    }
    monkeypatch.setattr(costs, "measured", lambda plan, states: told)
    assert bench.main(["--only", "costs", "--tier", "core"]) == 0
    said = capsys.readouterr().out
    assert "stratum R: 50,000 distinct states/s, 20.0 us each (100 of 120 generated, 3 traces" in said
    assert "stratum L: no states from 3 traces" in said
    assert "recording second lives: 0.7 ms each (9 traces)" in said
    assert "9.5 x as fast" in said
    assert "peak memory 1 MiB; with the largest files 2 MiB" in said
