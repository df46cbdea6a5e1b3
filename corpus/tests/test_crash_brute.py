"""The second oracle: brute force has the same results, and the comparison detects differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

import brute
from brute_expected import Accounts, Past, is_rotten, lied, other_expected, other_verdict
from brute_states import NAMES, Machine, brute_subset
from journalspec_corpus.crash.facts import Facts, State, fields
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.second_crash import crash_image
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import (
    Ack,
    Create,
    Mark,
    Part,
    Publish,
    Rename,
    Sync,
    Trace,
    Write,
    get_preset,
)
from journalspec_corpus.crash.verdict import Answer

PAGE = 512


def record(name: str, off: int, length: int, fill: bytes) -> tuple[Write, Mark]:
    return Write("log", off, fill * length), Mark(name, "log", off, length, name)


def toy(*ops: object, base: bytes = bytes(4 * PAGE), stale: tuple[Mark, ...] = ()) -> Trace:
    return Trace("toy", "1", "toy", {"log": base}, ops, "zero", stale=stale)  # type: ignore[arg-type]


#: Format, (n, first): each n-th workload from the number `first` on is checked; the least numbers of traces,
#: states and verdicts.
SAMPLES = [
    ("bitronix_tlog", (79, 7), (11, 2000, 6000)),
    ("jboss_journal", (89, 0), (11, 2000, 6000)),
    ("kahadb_journal", (61, 0), (11, 2000, 6000)),
    ("derby_log", (41, 3), (11, 2000, 6000)),
    # Few workloads of this format are small enough.
    ("swiftmq_store", (16, 2), (2, 100, 300)),
]


@pytest.mark.parametrize(("format_id", "chosen", "least"), SAMPLES)
def test_both_oracles_agree_on_a_sample_of_the_core_tier(
    format_id: str, chosen: tuple[int, int], least: tuple[int, int, int]
) -> None:
    report = brute.compare(crash_format(format_id), "core", *chosen)
    assert not report.kinds, "\n".join(report.lines())
    compared = report.traces, report.rows, report.verdicts.total()
    assert all(count >= enough for count, enough in zip(compared, least, strict=True))
    # A comparison without several failing verdicts would prove little.
    assert len(report.verdicts) > 2 + (format_id != "swiftmq_store")


def test_records_copied_by_corruption_may_take_effect_twice() -> None:
    """Corruption wrote a sector elsewhere too: its records are read in both places and delivered twice."""
    adapter = crash_format("jboss_journal")
    name = "append/v2/add-1-4200/check@1024/each/garbage"
    at = next(at for at, work in enumerate(adapter.workloads("core")) if work.name == name)
    report = brute.compare(adapter, "core", 1 << 20, at)
    assert not report.kinds, "\n".join(report.lines())
    assert report.others > 200


@pytest.mark.parametrize(
    ("part", "change", "kind"),
    [
        ("crash_states", lambda states, *_: [part for part in states if part.torn < 0], "missing"),
        ("expected_at", lambda expected, *_: replace(expected, must_keep=frozenset()), "required"),
        ("REFUSALS", lambda refusals, *_: ("allowed",) * len(refusals), "refusal"),
        ("judge", lambda verdict, *_: "pass", "verdict"),
    ],
)
def test_fault_of_the_engine_is_detected(
    part: str, change: Callable[..., Any], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = getattr(brute, part)
    changed = (lambda *args, **named: change(real(*args, **named))) if callable(real) else change(real)
    monkeypatch.setattr(brute, part, changed)
    report = brute.compare(crash_format("kahadb_journal"), "smoke", 23)
    assert report.kinds[kind]
    assert any(line.startswith(f"  {kind}: ") for line in report.lines())


@pytest.mark.parametrize(
    ("format_id", "all_unread", "kind"),
    [("bitronix_tlog", False, "extra"), ("jboss_journal", True, "missing")],
)
def test_wrong_choice_of_cuts_is_detected(
    format_id: str, all_unread: bool, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real: Any = getattr(brute, "crash_states")  # noqa: B009

    def changed(trace: Trace, *args: Any, **named: Any) -> Any:
        writes = [index for index, _ in trace.writes] if all_unread else ()
        return real(replace(trace, unread=frozenset(writes)), *args, **named)

    monkeypatch.setattr(brute, "crash_states", changed)
    assert brute.compare(crash_format(format_id), "smoke", 11).kinds[kind]


def test_fsync_covers_its_file_but_not_its_name() -> None:
    trace = Trace("toy", "1", "t", {}, (Create("new"), Write("new", 0, b"x"), Sync("new")), "zero")
    machine = Machine(trace, PAGE)
    machine.run(3)
    assert [micro.target for at, micro in enumerate(machine.micros) if at not in machine.forced] == [NAMES]
    contents = {
        state.content for state in brute_subset(trace, get_preset("epoch-subset-512"), 3, lambda *_: b"")
    }
    assert contents == {(), (("new", b"x"),)}


def test_renamed_file_has_never_both_names() -> None:
    trace = toy(Rename("log", "old"), Create("log"))
    seen = {
        tuple(name for name, _ in state.content)
        for state in brute_subset(trace, get_preset("epoch-subset-512"), 2, lambda *_: b"")
    }
    assert seen == {("log",), ("old",), ("log", "old")}


def rotten(label: str, **files: bytes) -> bool:
    """Return whether corruption `label` can give `files`; the trace wrote 600 times A after a zeroed page."""
    trace = toy(*record("a", PAGE, 600, b"A"), base=bytes(3 * PAGE))
    settled = bytes(PAGE) + b"A" * 600 + bytes(2 * PAGE - 600)
    return is_rotten(Past(trace, len(trace.ops)), files or {"log": settled}, label)


def test_corruption_changes_exactly_the_labelled_bytes() -> None:
    whole = bytes(PAGE) + b"A" * 600 + bytes(2 * PAGE - 600)
    flipped = whole[:PAGE] + b"C" + whole[PAGE + 1 :]
    assert rotten("bit:log:512:1", log=flipped)
    assert not rotten("bit:log:512:1", log=whole)
    assert not rotten("bit:log:512:1", log=whole[:PAGE] + b"\xbe" * 4 + whole[PAGE + 4 :])
    assert rotten("burst:log:512:8", log=flipped)
    assert not rotten("burst:log:512:8", log=whole[:PAGE] + bytes(64) + whole[PAGE + 64 :])
    assert rotten("zero:log:1", log=bytes(2 * PAGE) + whole[2 * PAGE :])
    assert not rotten("zero:log:2", log=bytes(2 * PAGE) + whole[2 * PAGE :])
    assert rotten("phantom:log:1", log=bytes(2 * PAGE) + whole[2 * PAGE :])
    assert not rotten("phantom:log:1", log=b"x" * PAGE + whole[PAGE:])
    assert rotten("misdirect:log:1:log:0", log=b"A" * PAGE + bytes(PAGE) + whole[2 * PAGE :])
    assert not rotten("misdirect:log:1:log:0", log=b"B" * PAGE + bytes(PAGE) + whole[2 * PAGE :])
    assert rotten("cut:log:700", log=whole[:700])
    assert rotten("older:log:0", log=bytes(3 * PAGE))
    assert not rotten("older:log:0", log=whole)


def test_with_corruption_losses_must_be_reported_and_refusal_is_allowed() -> None:
    trace = toy(*record("a", PAGE, 600, b"A"), Sync("log"), Ack(("a",)), base=bytes(3 * PAGE))
    past, ledger = Past(trace, len(trace.ops)), Accounts(trace, len(trace.ops))
    files = {"log": past.settled["log"][:PAGE] + bytes(2 * PAGE)}
    expected = other_expected(ledger, past, {"log": past.settled["log"][:900]}, "bitrot-cut", "cut:log:900")
    assert expected is not None
    assert expected.must_keep == {"a"}
    assert other_expected(ledger, past, files, "bitrot-cut", "cut:log:900") is None
    said = [Answer(()), Answer((), None, True), Answer((), "no"), Answer(("a",)), Answer(("x",))]
    verdicts = [other_verdict(answer, expected, "C", salvaging=True) for answer in said]
    assert verdicts == ["silent", "pass", "acceptable", "pass", "torn-accepted"]
    assert other_verdict(said[0], expected, "L", salvaging=True) == "lost"


def test_lying_cache_leaves_an_earlier_state_and_failed_fsync_leaves_old_pages() -> None:
    trace = toy(*record("a", PAGE, 600, b"A"), Sync("log"), *record("b", 0, 4, b"B"), base=bytes(3 * PAGE))
    past = Past(trace, len(trace.ops))
    half = {"log": bytes(PAGE) + b"A" * PAGE + bytes(PAGE)}
    assert lied(past, half, "lying-cache") is not None
    later = {"log": b"BBBB" + bytes(3 * PAGE - 4)}
    assert lied(past, later, "lying-cache") is None
    assert lied(past, later, "fail-marks-clean") is not None
    assert lied(past, {"log": b"x" * 3 * PAGE}, "fail-marks-clean") is None


# --- Records of several parts: both oracles, and a reader of each kind ------------------------------

#: Offsets of the parts of a record, which are chained over two pages, and of the parts of its later copy.
HERE, COPY = (0, PAGE), (2 * PAGE, 3 * PAGE)
CHUNK = 40


def part(fill: bytes, off: int, copy: int = 0) -> tuple[Write, Mark]:
    named = ((0, f"head-{off}"), (8, f"body-{off}"))
    return Write("log", off, fill * CHUNK), Part("a", "log", off, CHUNK, "a", named, copy)


def chained(*places: tuple[int, ...], **more: Any) -> Trace:
    """Return a trace of a record that is written part by part, at each of `places`; it is acknowledged after
    the write at the first place.
    """
    first, *others = ([op for off in spots for op in part(b"A", off, at)] for at, spots in enumerate(places))
    told = (Publish(("a",)), Sync("log"), Ack(("a",)))
    return replace(toy(*first, *told, *(op for ops in others for op in ops)), **more)


def chains(files: Mapping[str, bytes], *, halves: bool = False) -> Answer:
    """Read the log: a record is two chunks that are a page apart.

    With `halves`, one chunk is read as a record.
    """
    log = files.get("log", b"")
    there = [[log[off : off + CHUNK] == b"A" * CHUNK for off in spots] for spots in (HERE, COPY)]
    if any(map(all, there)):
        return Answer(("a",))
    if halves and any(map(any, there)):
        return Answer(("half of a",))
    touched = [any(log[off : off + CHUNK]) for spots in (HERE, COPY) for off in spots]
    return Answer((), None, any(touched))


STALE = tuple(Part("old", "log", off, CHUNK, "old") for off in HERE)
CHAINED = {
    "chain": chained(HERE),
    "copied": chained(HERE, COPY),
    "copied-away": replace(
        chained(HERE, COPY), ops=(*chained(HERE, COPY).ops, Sync("log"), Write("log", 0, b"x" * PAGE))
    ),
    "part-again": replace(chained(HERE), ops=(*chained(HERE).ops, *part(b"A", PAGE))),
    "on-stale": replace(chained(HERE, stale=STALE), base={"log": b"S" * (4 * PAGE)}),
    "standing": Trace(
        "toy",
        "1",
        "later",
        {"log": b"A" * CHUNK + bytes(PAGE - CHUNK) + b"A" * CHUNK + bytes(3 * PAGE - CHUNK)},
        (Write("log", 2 * PAGE, b"x"), *part(b"A", 2 * PAGE, 1), *part(b"A", 3 * PAGE, 1), Sync("log")),
        "zero",
        standing=tuple(Part("a", "log", off, CHUNK, "a") for off in HERE),
    ),
    # Two plain records, and a pointer to both, over an old record at the offset of the first one.
    "reused": Trace(
        "toy",
        "1",
        "reused",
        {"log": bytes(1000) + b"s" * 3096},
        (
            *(Write("log", 1000, b"a" * 600), Mark("a", "log", 1000, 600, "a")),
            *(Write("log", 2000, b"b" * 600), Mark("b", "log", 2000, 600, "b")),
            *(Write("log", 0, b"\1" * 8), Publish(("a", "b")), Sync("log"), Ack(("a", "b"))),
        ),
        "zero",
        stale=(Mark("old", "log", 1000, 600, "old"),),
    ),
}


@pytest.mark.parametrize("trace", CHAINED.values(), ids=CHAINED)
def test_both_oracles_agree_on_records_of_several_parts(trace: Trace) -> None:
    report = brute.compare_trace(trace, chains)
    assert not report.kinds, "\n".join(report.lines())
    # While a write of the same bytes is in flight, there may be garbage.
    assert set(report.verdicts) <= {"pass", "silent", "lost"}
    assert report.rows > 20


def test_half_of_a_record_is_not_a_record() -> None:
    trace = CHAINED["chain"]
    assert brute.compare_trace(trace, partial(chains, halves=True)).verdicts["torn-accepted"] > 20
    for crash, whole in ((2, 0), (4, 1)):
        states = [*brute_subset(trace, get_preset("epoch-subset-512"), crash, lambda *_: b"")]
        found = [Accounts(trace, crash).expected(state).whole for state in states]
        assert sum("a" in records for records in found) == whole


def test_engine_detects_the_missing_part() -> None:
    trace = CHAINED["chain"]
    torn: dict[tuple[bool, bool], str] = {}
    for states in crash_states(trace, (get_preset("epoch-subset-512"),), 1):
        facts = Facts(states)
        names = fields(facts)
        for row, codes in enumerate(states.codes):
            log = states.point.materialise(codes)["log"]
            there = log[0] == 0x41, log[PAGE] == 0x41
            torn[there] = names[row]
            for parts in trace.alternatives["a"]:
                assert facts.whole(parts)[row] == all(there)
    assert torn == {
        (False, False): "",
        (True, False): f"head-{PAGE}",
        (False, True): "head-0",
        (True, True): "",
    }


def test_second_run_begins_with_complete_records_only() -> None:
    trace = CHAINED["copied-away"]
    whole: set[tuple[int, ...]] = set()
    for states in crash_states(trace, (get_preset("epoch-subset-512"),), 1):
        for row in range(len(states)):
            image = crash_image(State(Facts(states), row), gone=False)
            if image is not None:
                whole.add(tuple(sorted(mark.off for mark in image.whole)))
    assert whole == {(), HERE, COPY, (*HERE, *COPY)}
