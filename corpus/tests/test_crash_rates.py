"""Rates: the intervals are the published ones, denominators are what they say, the generator is right."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from math import comb, sqrt
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from journalspec.formats import format_ids
from journalspec_conformance.cli.corpus_states import rates_command as command
from journalspec_corpus.crash.corruption import EVERY_BIT
from journalspec_corpus.crash.disk import Codes, StateContents, States
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.formats import CrashFormat, answers, crash_format, has_crash_format
from journalspec_corpus.crash.oracle import REFUSALS, expected_at
from journalspec_corpus.crash.states import EVERY_BYTE, crash_states
from journalspec_corpus.crash.trace import PRESETS, Ack, Mark, Op, Sync, Trace, Write, get_preset
from journalspec_corpus.crash.verdict import VERDICTS, judge
from journalspec_corpus.jboss_journal.workloads import Step, Workload
from journalspec_corpus.pipeline import rates
from journalspec_corpus.pipeline.manifest import ManifestError
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.rates import Rate, as_text, measure
from journalspec_corpus.pipeline.store import BuildError
from journalspec_corpus.seal import render, sealed

FORMATS = [name for name in format_ids() if has_crash_format(name)]
RANK = {preset.name: number for number, preset in enumerate(PRESETS)}
SUBSET = "epoch-subset-512"
TX = crash_format("jboss_journal")
#: background of a workload -> how many of its sectors a torn record has to keep to pass for whole: over
#: zeros the first and the last one, over an earlier record of the same place and length the first
BACKGROUNDS = {"zero": 2, "stale-same": 1}


def formula(edition: str, sectors: int, background: str) -> Fraction:
    """Return how many of the ways to lose at least one sector a check size accepts; a hash accepts none."""
    free = 0 if edition == "seed+hash" else sectors - BACKGROUNDS[background]
    return Fraction((1 << free) - 1, (1 << sectors) - 1)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_are_the_published_ones(k: int, n: int, low: float, high: float) -> None:
    assert rates.wilson(k, n) == pytest.approx((low, high), abs=5e-5)


def test_nothing_of_n_ends_at_three_by_n_and_nothing_of_nothing_says_nothing() -> None:
    assert Rate(0, 300).interval == (0.0, 0.01)
    assert Rate(0, 2).interval == (0.0, 1.0)
    assert Rate(0, 0).interval == (0.0, 1.0)
    assert Rate(15, 148).interval == rates.wilson(15, 148)


def line(length: int, *, stale: bool = False, also: int = 0) -> Trace:
    """Return the trace of one record of `length` bytes, perhaps one of `also` behind it, and a force."""
    ops: list[Op] = [Write("f", 0, b"x" * length), Mark("a", "f", 0, length, "a")]
    if also:
        ops += [Write("f", length, b"y" * also), Mark("b", "f", length, also, "b")]
    old = (Mark("old", "f", 0, length, "old"),) if stale else ()
    base = {"f": bytes(-(-(length + also) // 512) * 512)}
    return Trace("toy", "toy", "toy", base, (*ops, Sync("f")), "zero", stale=old)


def states_of(trace: Trace, preset: str) -> list[States]:
    return [states for states in crash_states(trace, (get_preset(preset),), 1) if len(states)]


def test_only_a_space_that_is_whole_makes_a_rate() -> None:
    (small, *_) = [states for states in states_of(line(4 * 512), SUBSET) if len(states.point.blocks) == 4]
    assert {preset: int(rows.sum()) for preset, rows in rates.whole(small).items()} == {RANK[SUBSET]: 16}
    assert rates.whole(small.take(np.arange(15))) == {}
    (large, *_) = [states for states in states_of(line(20 * 512), SUBSET) if len(states.point.blocks) == 20]
    assert rates.whole(large) == {}
    for states in states_of(line(4 * 512), "sector-trash-512"):
        assert rates.whole(states) == {}


def test_cuts_of_a_write_are_counted_under_every_prefix_preset_that_allows_them() -> None:
    prefix = tuple(preset for preset in PRESETS if preset.order == "prefix")
    for length, by_byte in ((EVERY_BYTE, EVERY_BYTE + 1), (EVERY_BYTE + 1, None), (1536, None)):
        (torn,) = [states for states in crash_states(line(length), prefix, 1) if states.torn == 0]
        found = {PRESETS[preset].name: int(rows.sum()) for preset, rows in rates.whole(torn).items()}
        edges = (length - 1) // 512
        wanted = {"prefix-sector-4096": 2, "prefix-sector-512": edges + 2, "prefix-byte": by_byte}
        given = {name: count for name, count in found.items() if name in wanted}
        assert given == {name: count for name, count in wanted.items() if count is not None}


def test_torn_is_in_part_and_missing_is_not_whole() -> None:
    for states in states_of(line(1024, also=512), SUBSET):
        if len(states.point.blocks) == 3:
            facts = Facts(states)
            rows = [tuple(row) for row in states.codes.tolist()]
            half = {row for row, is_torn in zip(rows, rates.torn(facts), strict=True) if is_torn}
            assert half == {row for row in rows if row[0] != row[1]}
            lost = {row for row, is_lost in zip(rows, rates.missing(facts), strict=True) if is_lost}
            assert lost == {row for row in rows if row != (1, 1, 1)}
            return
    raise AssertionError("no crash point with all three sectors in flight")


def test_each_question_counts_its_own_verdicts() -> None:
    names = list(VERDICTS)
    (states, *_) = [item for item in states_of(line(1024, stale=True), SUBSET) if len(item.point.blocks) == 2]
    given = ["pass", "torn-accepted", "resurrected", "pass"]
    verdicts = np.asarray([names.index(name) for name in given], np.uint8)
    assert [tuple(row) for row in states.codes.tolist()] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    preset = RANK[SUBSET]
    assert rates.count(states, verdicts) == {
        (rates.TORN, preset): Rate(1, 2),
        (rates.RESURRECTION, preset): Rate(1, 3),
    }
    fresh = next(item for item in states_of(line(1024), SUBSET) if len(item.point.blocks) == 2)
    assert set(rates.count(fresh, verdicts)) == {(rates.TORN, preset)}


def test_a_flipped_bit_counts_where_every_bit_of_a_record_or_header_was_flipped() -> None:
    names = list(VERDICTS)
    preset = RANK["bitrot-bit"]
    long, short, head = EVERY_BIT + 1, 100, 20
    ops: list[Op] = [Write("f", head, b"x" * (short + long)), Mark("a", "f", head, short, "a")]
    ops += [Mark("b", "f", head + short, long, "b"), Sync("f"), Ack(("a", "b"))]
    trace = Trace("toy", "toy", "toy", {"f": bytes(512)}, tuple(ops), "zero")
    (states,) = crash_states(trace, (get_preset("bitrot-bit"),), 1, everywhere=True)
    for told, k in (("silent", True), ("torn-accepted", True), ("refused", False), ("pass", False)):
        verdicts = np.full(len(states), names.index(told), np.uint8)
        found = rates.count(states, verdicts)
        assert found == {
            (rates.ROT, preset): Rate(short * 8 * k, short * 8),
            (rates.ROT_HEADER, preset): Rate(head * 8 * k, head * 8),
        }


def test_the_weakest_safe_preset_comes_before_the_first_failure() -> None:
    assert rates.weakest_safe({}, {0: 5, 3: 1}) == 3
    assert rates.weakest_safe({2: 1}, {0: 5, 1: 5, 2: 9, 3: 9}) == 1
    assert rates.weakest_safe({0: 1}, {0: 5, 1: 5}) is None
    # A preset without states proves nothing.
    assert rates.weakest_safe({2: 1}, {0: 5, 2: 9}) == 0
    assert rates.weakest_safe({}, {}) is None


def judged(adapter: CrashFormat, states: States) -> rates.Verdicts:
    """Return the strict reader's verdicts, judged one by one."""
    found, which = answers(StateContents(states.point, states.codes), adapter.read)
    expected = expected_at(states.point.trace, states.point.crash_index, states.torn, states.stratum)
    names = list(VERDICTS)
    holes = adapter.readers[0] in adapter.salvaging
    refusals = Facts(states).refusals
    return np.asarray(
        [
            names.index(judge(found[at][0], expected, REFUSALS[refusal], holes_allowed=holes))
            for at, refusal in zip(which.tolist(), refusals.tolist(), strict=True)
        ],
        np.uint8,
    )


def at_stake(edition: str, background: str, sectors: int) -> States:
    """Return the states in which one real record is in flight, over so many sectors."""
    body = (sectors - 1) * 512 + 100
    work = Workload("append", edition, (Step("add", 1, body),), "type", background=background)
    trace = TX.build(work)
    (mark,) = trace.marks["ADD-1"]
    assert (mark.off % 512, (mark.off + mark.length - 4) // 512 - mark.off // 512) == (0, sectors - 1)
    return next(states for states in states_of(trace, SUBSET) if len(states.point.blocks) == sectors)


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("edition", ["seed", "v2", "seed+hash"])
@pytest.mark.parametrize("sectors", [2, 3, 8])
def test_a_real_reader_accepts_as_many_torn_records_as_the_formula_says(
    edition: str, background: str, sectors: int
) -> None:
    """The check size under uniform masks: what is accepted of a record over so many sectors."""
    states = at_stake(edition, background, sectors)
    verdicts = judged(TX, states)
    counted = rates.count(states, verdicts)[rates.TORN, RANK[SUBSET]]
    # The formula also counts the state in which nothing has arrived, which is not torn.
    assert counted.n == 2**sectors - 2 == len(states) - 2
    assert Fraction(counted.k, counted.n + 1) == formula(edition, sectors, background)
    # What is whole is accepted.
    assert verdicts[states.codes.all(axis=1)].tolist() == [0]


def kept(codes: Codes, sectors: int, ends: int) -> tuple[int, float]:
    """Return how many masks keep so many `ends` of a record, and how many standard deviations that is off."""
    free = range(3, sectors - 2)
    share = sum(comb(sectors - ends, lost) for lost in free) / sum(comb(sectors, lost) for lost in free)
    found = int(codes[:, [0, -1][:ends]].all(axis=1).sum())
    return found, (found - share * len(codes)) / sqrt(len(codes) * share * (1 - share))


@pytest.mark.parametrize("ends", BACKGROUNDS.values())
@pytest.mark.parametrize("sectors", [16, 20, 24])
@pytest.mark.parametrize("seed", [1, 2])
def test_samples_of_large_spaces_prefer_nothing(seed: int, sectors: int, ends: int) -> None:
    """Of masks that lose more than two sectors and keep more than two: such with fewer are all there."""
    (states,) = [
        states
        for states in crash_states(line(sectors * 512), (get_preset(SUBSET),), seed)
        if len(states.point.blocks) == sectors
    ]
    lost = (states.codes == 0).sum(axis=1)
    codes = states.codes[(lost > 2) & (lost < sectors - 2)]
    found, off = kept(codes, sectors, ends)
    assert len(codes) > 3000
    assert found
    assert abs(off) <= 3
    # A generator that prefers some would be seen.
    assert kept(codes[codes[:, 0] == 1], sectors, ends)[1] > 3


@pytest.fixture(scope="module", params=FORMATS)
def built(request: pytest.FixtureRequest, core_build: Callable[[Plan], Path]) -> Path:
    return core_build(Plan(request.param, "core", every=797))


def test_a_build_is_measured_and_two_ways_agree_on_what_is_safe(built: Path) -> None:
    result = measure(built)
    manifest = json.loads((built / "manifest.json").read_text(encoding="utf-8"))
    assert result["digest"] == manifest["digest"]
    assert result["plan"] == manifest["plan"]
    other = {
        (row["edition"], row["writer"]): (row["weakest"], row["fails_under"])
        for row in manifest["strata"]["R"]["safe_under"]
    }
    mine = {
        (row["edition"], row["writer"]): (row["weakest"], row["fails"] and row["fails"]["preset"])
        for row in result["safe"]
    }
    assert set(mine) == set(other) != set()
    if not result["set_aside"]:
        assert mine == other
    # What is set aside fails from the start, so nothing that remains fails any earlier.
    for who, (_, fails) in mine.items():
        assert fails is None or RANK[fails] >= RANK[other[who][1]]
    assert result["rates"]
    for entry in result["rates"]:
        assert 0 <= entry["k"] <= entry["n"]
        assert entry["interval"][0] <= entry["rate"] <= entry["interval"][1]
        assert entry["question"] in result["questions"]
    # What is in the text is what was measured.
    assert json.loads(as_text(result)) == json.loads(json.dumps(result))


@pytest.mark.parametrize("built", FORMATS[:1], indirect=True)
def test_the_command_prints_it(built: Path) -> None:
    done = CliRunner().invoke(command, [str(built), "--jobs", "2"])
    assert done.exit_code == 0, done.output
    for text in ("undetected-torn", "resurrection", "safe under", "left out"):
        assert text in done.output
    done = CliRunner().invoke(command, [str(built), "--json", "--jobs", "2"])
    # What two processes count is what one does.
    assert done.output == as_text(measure(built))


@pytest.mark.parametrize("built", FORMATS[:1], indirect=True)
def test_a_build_of_another_edition_is_refused(built: Path, tmp_path: Path) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(render(sealed({**manifest, "edition": "2.7"})))
    with pytest.raises(BuildError, match=r"built by edition 2.7 of this program"):
        measure(tmp_path)
    done = CliRunner().invoke(command, [str(tmp_path)])
    assert done.exit_code == 2
    assert "build it again" in done.output


def test_a_directory_without_a_build_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ManifestError):
        measure(tmp_path)
    assert CliRunner().invoke(command, [str(tmp_path)]).exit_code == 2
