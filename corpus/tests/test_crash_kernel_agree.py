"""The fast path against the reference: they agree, and a fast path that is wrong is found out."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner

from journalspec_conformance.cli import cli
from journalspec_corpus.crash.adapter import Signatures, crash_format
from journalspec_corpus.crash.blocks import NAMES, SIZE, Codes, CrashPoint
from journalspec_corpus.crash.ids import content_id, content_ids
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.reading import Reading, kernel_of
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.pipeline.agree import DESCRIBED, Agreement, agree, agree_shard, together
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.sightings import APART, Sighting, Sightings

FORMATS = ("jboss_journal",)


@pytest.mark.parametrize("format_id", FORMATS)
def test_every_answer_is_the_references(format_id: str) -> None:
    found = agree(Plan(format_id, "core", every=211))
    assert found.wrong == 0, found.described
    assert found.states >= found.contents > 2000
    assert found.compared == 2 * found.states
    assert found.fast_seconds > 0 < found.reference_seconds


@pytest.mark.parametrize("format_id", FORMATS)
def test_answers_are_the_same_in_other_crash_points_traces_and_editions(format_id: str) -> None:
    pytest.importorskip("numba")
    found = agree(Plan(format_id, "core", every=61))
    assert found.apart == 0, found.described
    assert found.across["crash point"] > 80
    assert found.across["trace"] > 25


def forgetful(format_id: str) -> Signatures:
    """A kernel that does not say of which edition a state is: no crash point has states of two."""
    pytest.importorskip("numba")
    from journalspec_corpus.crash.kernel import Kernel, trace_seed
    from journalspec_corpus.jboss_journal.kernel import rules_of

    right = kernel_of(crash_format(format_id))
    assert isinstance(right, Kernel)
    return Kernel(
        right.run,
        right.order,
        right.hash_of_key,
        lambda trace: (rules_of(trace.edition)._replace(meaning=0), trace_seed(trace)),
    )


class Singly(Plan):
    """A plan of which each shard is one workload, so that none has traces of two editions."""

    @property
    def shard_size(self) -> int:
        return 1


def test_what_makes_a_difference_only_from_one_trace_to_another_is_seen_across_them() -> None:
    plan = Singly(FORMATS[0], "core", every=61)
    assert plan.shards() == len(plan.workloads()) > 30
    read = crash_format(FORMATS[0]).read
    parts = [
        agree_shard(plan, number, Reading(read, forgetful(FORMATS[0]))) for number in range(plan.shards())
    ]
    # Each trace alone, with a memory of its own, gives nothing to object to.
    assert [part.wrong for part in parts] == [0] * plan.shards()
    found = together(plan, parts)
    assert found.across["edition"] > 5
    assert found.apart > 0
    assert "taken over from another edition" in found.described[0].fast


def sighting(trace: str, crash_index: int, *answers: Answer, edition: str = "1") -> Sighting:
    return Sighting(edition, trace, trace, crash_index, {}, answers, frozenset({"a", f"key of {trace}"}))


def test_one_state_is_kept_for_each_kind_of_distance() -> None:
    a, b = Answer(("a",)), Answer(())
    seen = Sightings()
    name = b"s" * 16
    for entry in (
        sighting("t", 1, a),
        sighting("t", 1, b),
        sighting("t", 2, a),
        sighting("t", 3, b),
        sighting("u", 1, b),
        sighting("t", 1, a, edition="2"),
    ):
        if seen.wanted(name, entry.edition, entry.trace, entry.crash_index):
            seen.add(name, entry)
    assert [apart for apart, _, _ in seen.pairs()] == list(APART)
    assert [found.apart for found in seen.contradictions()] == ["trace"]


def test_records_that_nobody_wrote_are_alike_only_under_the_keys_of_both_traces() -> None:
    seen = Sightings()
    seen.add(b"s" * 16, sighting("t", 1, Answer(("key of u",))))
    seen.add(b"s" * 16, sighting("u", 1, Answer(("key of t",))))
    assert [found.reader for found in seen.contradictions()] == [0]
    seen = Sightings()
    seen.add(b"s" * 16, sighting("t", 1, Answer(("nobody's",))))
    seen.add(b"s" * 16, sighting("u", 1, Answer(("nobody's either",))))
    assert list(seen.contradictions()) == []


def test_the_sample_does_not_depend_on_how_the_work_was_divided() -> None:
    entries = [
        (bytes([number * 37 % 101]) * 16, sighting(f"t{number % 7}", number, Answer(())))
        for number in range(300)
    ]

    def sampled(parts: int) -> set[tuple[bytes, str, str, int]]:
        whole = Sightings(kept=10)
        for part in range(parts):
            mine = Sightings(kept=10)
            for name, entry in entries[part * len(entries) // parts : (part + 1) * len(entries) // parts]:
                if mine.wanted(name, entry.edition, entry.trace, entry.crash_index):
                    mine.add(name, entry)
            mine.thin()
            whole.merge(mine)
        return {
            (name, apart, seen.trace, seen.crash_index)
            for name, known in whole.found.items()
            for apart, seen in known.items()
        }

    assert len({name for name, *_ in sampled(1)}) == 10
    assert sampled(1) == sampled(2) == sampled(7)


def blind(point: CrashPoint, codes: Codes) -> npt.NDArray[np.uint64]:
    """A kernel that takes everything in a group for the same."""
    seed = np.frombuffer(bytes.fromhex(point.trace.id), np.uint64)
    return np.tile(seed + np.uint64(point.crash_index), (len(codes), 1))


@pytest.mark.parametrize("format_id", FORMATS)
def test_a_kernel_that_sees_nothing_is_found_out(format_id: str) -> None:
    plan = Plan(format_id, "core", every=411)
    found = agree_shard(plan, 0, Reading(crash_format(format_id).read, blind))
    assert found.wrong > 100
    assert len(found.described) == DESCRIBED
    first = found.described[0]
    assert first.fast != first.reference
    assert first.reader in ("strict", "salvage")
    assert {"trace", "preset", "crash_index", "mask", "tear", "rot"} <= first.where.keys()


@pytest.mark.parametrize("format_id", FORMATS)
def test_a_kernel_that_is_wrong_about_one_row_in_a_thousand_is_found_out(format_id: str) -> None:
    pytest.importorskip("numba")
    kernel = kernel_of(crash_format(format_id))
    assert kernel is not None
    right = kernel
    asked = [0]

    def signatures(point: CrashPoint, codes: Codes) -> npt.NDArray[np.uint64] | None:
        signed: npt.NDArray[np.uint64] | None = right(point, codes)
        for row in range(len(codes)):
            asked[0] += 1
            if signed is not None and asked[0] % 1000 == 0:
                others = np.flatnonzero((signed != signed[row]).any(axis=1))
                signed[row] = signed[others[0]] if len(others) else signed[row]
        return signed

    plan = Plan(format_id, "core", every=211)
    assert agree_shard(plan, 0, Reading(crash_format(format_id).read, right)).wrong == 0
    faulty = Reading(crash_format(format_id).read, signatures)
    assert sum(agree_shard(plan, number, faulty).wrong for number in range(3)) > 0


def test_what_two_shards_found_is_added_up() -> None:
    one = Agreement(3, 2, 6, 1, 0, 0.5, 2.0)
    both = one + Agreement(1, 1, 2, 0, 1, 0.5, 1.0)
    assert (both.states, both.contents, both.compared, both.loosely, both.wrong) == (4, 3, 8, 1, 1)
    assert (both.fast_rate, both.reference_rate) == (4.0, 1.0)
    assert both.to_json()["ratio"] == 4.0


def test_the_command_compares_in_several_processes() -> None:
    asked = ["corpus", "agree", "--format", FORMATS[0], "--every", "571", "--json", "--jobs", "2"]
    result = CliRunner().invoke(cli, asked)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["disagreements"] == told["disagreements_across"] == 0 < told["states"]
    assert told["pairs_across"].keys() == set(APART)
    assert told["ratio"] > 0


def test_the_command_tells_of_disagreements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "journalspec_corpus.pipeline.agree.reading_of", lambda adapter: Reading(adapter.read, blind)
    )
    asked = ["corpus", "agree", "--format", FORMATS[0], "--every", "571", "--jobs", "1"]
    result = CliRunner().invoke(cli, asked)
    assert result.exit_code == 1
    assert "pairs of states that are taken for the same" in result.stdout
    assert "reference: " in result.stdout
    assert "crash_index=" in result.stdout


def test_an_unknown_format_is_a_usage_error() -> None:
    assert CliRunner().invoke(cli, ["corpus", "agree", "--format", "no_such"]).exit_code == 2


@pytest.mark.parametrize("format_id", FORMATS)
def test_ids_of_rows_with_sizes_and_names_of_their_own(format_id: str) -> None:
    adapter = crash_format(format_id)
    checked = {SIZE: 0, NAMES: 0}
    for work in Plan(format_id, "full", every=97).workloads()[:12]:
        for states in crash_states(adapter.build(work), PRESETS, 1):
            kinds = {block.kind for block in states.point.blocks} & checked.keys()
            if kinds:
                ids = content_ids(states.point, states.codes)
                assert ids == [content_id(states.point.materialise(row)) for row in states.codes]
                for kind in kinds:
                    checked[kind] += len(ids)
    assert min(checked.values()) > 20
