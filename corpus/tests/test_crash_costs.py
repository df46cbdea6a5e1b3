"""What the bench says of single states was measured: counts hang together, and all ways judge alike."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.switches import ENGINE_SWITCH
from journalspec_corpus.pipeline import bench, costs
from journalspec_corpus.pipeline.plan import Plan

FORMAT = "bitronix_tlog"
OTHER = "jboss_journal"
STATES = 200


@pytest.fixture(scope="module")
def figures() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        if os.environ.get(ENGINE_SWITCH) != "1":
            # To compile it takes more than a minute.
            patch.setattr(costs, "WAYS", {name: costs.WAYS[name] for name in ("fast", "plain")})
        return costs.measured(Plan(FORMAT, "core", every=211), STATES)


def all_costs(figures: Any) -> list[Any]:
    grown = [cost for row in figures["growth"].values() for cost in row]
    strata = [cost for way in figures["apart"].values() for cost in way.values()]
    return [*strata, *grown, *figures["ways"].values()]


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


def test_what_is_compiled_is_told_apart(figures: Any) -> None:
    assert figures["strata"] == figures["apart"][costs.USUAL]
    assert figures["first_use_seconds"].keys() == figures["ways"].keys()
    for stratum in costs.STRATA:
        assert len({way[stratum]["distinct"] for way in figures["apart"].values()}) == 1


def test_whole_shards_are_measured_from_all_over_the_tier() -> None:
    plan = Plan(FORMAT, "core")
    found = list(costs.whole_shards(Plan(FORMAT, "core", every=211)))
    numbers = [list(map(plan.shard_workloads, range(plan.shards()))).index(works) for works in found]
    assert sorted(numbers) == list(range(plan.shards()))
    assert numbers[0] == plan.shards() // 2
    assert max(numbers[:4]) - min(numbers[:4]) >= plan.shards() // 2


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
    digests = iter("abc")
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
        "first_use_seconds": {"compiled": 81.5, "fast": 0.2},
        "apart": {
            "compiled": {"R": {**cost, "microseconds_per_state": 2.5}, "L": nothing, "C": cost},
            "fast": {"R": cost, "L": nothing, "C": cost},
        },
        "recording": {"second": {"traces": 9, "milliseconds_per_trace": 0.7}},
        "growth": {"file_bytes": grown[:2], "records": grown[2:]},
        "ways": {"fast": {**cost, "times_as_fast": 9.5}, "plain": {**cost, "times_as_fast": 1.0}},
        "peak_memory": 1 << 20,
        "peak_memory_with_large_files": 2 << 20,
    }
    monkeypatch.setattr(costs, "measured", lambda plan, states: told)
    assert bench.main(["--only", "costs", "--tier", "core"]) == 0
    said = capsys.readouterr().out
    assert "stratum R, fast: 50,000 distinct states/s, 20.0 us each (100 of 120 generated, 3 traces" in said
    assert "stratum R, compiled: 50,000 distinct states/s, 2.5 us each" in said
    assert "stratum L, fast: no states from 3 traces" in said
    assert "first used compiled: 81.5 s" in said
    assert "recording second lives: 0.7 ms each (9 traces)" in said
    assert "9.5 x as fast" in said
    assert "peak memory 1 MiB; with the largest files 2 MiB" in said
