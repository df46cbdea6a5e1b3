"""The parts of a build, without a build: shards of a plan, choice of cases, counts, and failing readers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from journalspec_corpus.bitronix_tlog.workloads import Step, Workload
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.trace import Ack, get_preset
from journalspec_corpus.pipeline import build as building
from journalspec_corpus.pipeline import failures, published
from journalspec_corpus.pipeline.failures import BuiltState, NotThere
from journalspec_corpus.pipeline.manifest import rate
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.shards import Shard
from journalspec_corpus.pipeline.tables import Labels, Reached, tabulate
from journalspec_corpus.workloads import LongWorkload

FORMAT = "bitronix_tlog"


@pytest.mark.parametrize(
    ("every", "size", "last"),
    [(1, 24, (48, 49)), (2, 12, (48,)), (10, 6, (0, 10, 20, 30, 40))],
)
def test_shards_contain_all_workloads_in_order(
    every: int, size: int, last: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("journalspec_corpus.pipeline.plan._workloads", lambda name, tier: tuple(range(50)))
    plan = Plan(FORMAT, "core", every=every)
    shards = [plan.shard_workloads(number) for number in range(plan.shards())]
    assert [work for shard in shards for work in shard] == [*range(0, 50, every)]
    assert {len(shard) for shard in shards[:-1]} <= {size}
    assert shards[-1] == last


def test_shards_with_long_workloads_come_first_then_those_at_the_end_of_the_plan(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    works = [0] * 24 + [LongWorkload("2.1.4", 1500, "a")] + [0] * 47
    monkeypatch.setattr("journalspec_corpus.pipeline.plan._workloads", lambda name, tier: tuple(works))
    assert Plan(FORMAT, "core").longest_first(range(3)) == [1, 2, 0]


def states(*runs: tuple[int, str, str]) -> list[tuple[bytes, tuple[Any, ...]]]:
    """Return states in the order of their ids: the number of states, the class and the category of a run."""
    kinds = [
        (stratum, "w", "e", category, "zero", "", True)
        for count, stratum, category in runs
        for _ in range(count)
    ]
    return [(number.to_bytes(16, "big"), kind) for number, kind in enumerate(kinds)]


def chosen(found: list[tuple[bytes, tuple[Any, ...]]], total: int) -> dict[str, int]:
    ids = published._chosen(found, total)
    return Counter(kind[3] for name, kind in found if name in ids)


def test_category_has_an_eighth_of_its_class_while_others_have_states() -> None:
    """The quota of class R is 800 of 1,000. Then the smallest ids fill the number."""
    names = [f"category {number}" for number in range(8)]
    found = states(*((900, "R", name) for name in names))
    assert chosen(found, 1000) == {names[0]: 300, **dict.fromkeys(names[1:], 100)}


def test_garbage_is_published_beyond_its_limit_only_if_no_other_state_is_left() -> None:
    """The limit is 40 of 1,000."""
    trash = (100, "R", "sector-trash")
    assert chosen(states(trash, (2000, "R", "rotate")), 1000) == {"sector-trash": 40, "rotate": 960}
    assert chosen(states(trash, (50, "R", "rotate")), 1000) == {"sector-trash": 100, "rotate": 50}
    assert chosen(states(trash, (950, "R", "rotate")), 1000) == {"sector-trash": 50, "rotate": 950}


def test_failures_of_a_writer_are_counted_with_their_strongest_preset() -> None:
    """The first fault breaks I1 and the other I2; a permitted refusal breaks nothing."""
    labels = ("R", "one", "e", "rotate", "zero", "", True)
    seen = {
        Labels(*labels, "epoch-subset-512", "allowed", ("lost",)): 2,
        Labels(*labels, "alice-weak", "allowed", ("lost",)): 3,
        Labels(*labels, "alice-weak", "allowed", ("resurrected",)): 4,
    }
    failed = [("epoch-subset-512", "lost"), ("alice-weak", "lost"), ("alice-weak", "resurrected")]
    entries = [Reached("R", "one", "e", preset, "strict", verdict) for preset, verdict in failed]
    entries += [
        Reached("R", "one", "e", preset) for preset in ("prefix-byte", "epoch-subset-512", "alice-weak")
    ]
    tables = tabulate(Counter(seen), entries, ("strict",), "strict")["R"]
    failures_of = {row["verdict"]: (row["strongest_preset"], row["states"]) for row in tables["failures"]}
    assert failures_of == {
        "lost": ("epoch-subset-512", {"epoch-subset-512": 2, "alice-weak": 3}),
        "resurrected": ("alice-weak", {"alice-weak": 4}),
    }
    (safe,) = tables["safe_under"]
    assert (safe["weakest"], safe["fails_under"], safe["breaks"]) == (
        "prefix-byte",
        "epoch-subset-512",
        ["I1"],
    )


def test_rate_does_not_include_the_cases_of_an_interrupted_run() -> None:
    """A half of the shards existed, and the other half took five seconds."""
    run = {"shards_run": 2, "shards": 4, "seconds": 5.0}
    assert rate({"run": run, "counts": {"distinct": 1000}}) == 100.0


def test_row_has_the_number_of_acknowledged_records() -> None:
    trace = crash_format(FORMAT).build(Workload("append", "2.1.4", (Step("COMMITTING", 1, "tiny"),)))
    shard = Shard(crash_format(FORMAT), (get_preset("epoch-subset-512"),), 1)
    shard.add(trace)
    (ack,) = [at for at, op in enumerate(trace.ops) if isinstance(op, Ack)]
    found = {(row["crash_index"] > ack, row["acknowledged"]) for row in shard.table().to_pylist()}
    # Two records are acknowledged before the run.
    assert len(trace.standing) == 2
    assert (False, 2) in found
    assert found <= {(False, 2), (True, 3)}


def test_permitted_refusal_is_not_counted_as_a_failure_of_a_writer() -> None:
    trace = crash_format(FORMAT).build(
        Workload("append", "2.1.4", (Step("COMMITTING", 1, "tiny"),), background="stale-same")
    )
    shard = Shard(crash_format(FORMAT), (get_preset("epoch-subset-512"), get_preset("sector-trash-512")), 1)
    shard.add(trace)
    seen = {row["verdict_strict"] for row in shard.table().to_pylist()}
    assert {"pass", "acceptable"} < seen
    assert {entry.verdict for entry in shard.reached if entry.reader == "strict"} == seen - {
        "pass",
        "acceptable",
    }


def test_reader_that_may_refuse_does_not_fail() -> None:
    def first(**verdicts: str) -> str:
        unused: Any = None
        return BuiltState(unused, unused, unused, verdicts, "id").first_failing()

    assert first(strict="acceptable", salvage="lost") == "salvage"
    assert first(strict="lost", salvage="lost") == "strict"
    with pytest.raises(NotThere, match="strict: acceptable, salvage: pass"):
        first(strict="acceptable", salvage="pass")


def test_state_that_this_version_makes_otherwise_is_not_read() -> None:
    place: Any = SimpleNamespace(state=SimpleNamespace(case_id="new"), case_id="old")
    reader: Any = None
    with pytest.raises(NotThere, match="this version makes old in another way"):
        failures.verdict_of(place, reader)


def test_second_build_is_compared_in_every_member_except_its_run_and_its_seal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = {"counts": 1, "digest": 2, "new": 3, "run": 9, "seal": 9}
    monkeypatch.setattr(building, "plan_of", lambda directory: None)
    monkeypatch.setattr(building, "build", lambda plan, scratch, engine: again)
    said = {"counts": 0, "digest": 2, "old": 3, "run": 1, "seal": 1}
    found = building.built_again(tmp_path, said, tmp_path, building.Builder())
    assert found == [
        f"manifest.json: {name}: the repeated build has another value" for name in ("counts", "new", "old")
    ]
