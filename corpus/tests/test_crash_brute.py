"""The second oracle: brute force says the same, and it can see when it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import brute
from brute_expected import Accounts
from brute_states import NAMES, Machine, brute_subset
from journalspec_corpus.crash.facts import Facts, fields
from journalspec_corpus.crash.formats import crash_format
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

PAGE = 512


def toy(*ops: object) -> Trace:
    return Trace("toy", "1", "toy", {"log": bytes(4 * PAGE)}, ops, "zero")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("format_id", "every", "start"),
    [
        ("bitronix_tlog", 191, 7),
        ("jboss_journal", 223, 0),
        ("kahadb_journal", 101, 0),
        ("derby_log", 67, 3),
        ("swiftmq_store", 16, 2),
    ],
)
def test_both_oracles_agree_on_a_sample_of_the_core_tier(format_id: str, every: int, start: int) -> None:
    """Long workloads and second runs are among them."""
    report = brute.compare(brute.some_of(crash_format(format_id), "core", every, start))
    assert not report.kinds, "\n".join(report.shown)
    assert report.traces > 1
    assert report.rows > 100
    assert len(report.refusals) > 1


@pytest.mark.parametrize(
    ("part", "change", "kind"),
    [
        ("crash_states", lambda states, *_: [part for part in states if part.torn < 0], "missing"),
        ("expected_at", lambda expected, *_: replace(expected, must_keep=frozenset()), "owed"),
        ("REFUSALS", lambda refusals, *_: ("allowed",) * len(refusals), "refusal"),
    ],
)
def test_a_fault_of_the_engine_is_seen(
    part: str, change: Callable[..., Any], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = getattr(brute, part)
    changed = (lambda *args, **named: change(real(*args, **named))) if callable(real) else change(real)
    monkeypatch.setattr(brute, part, changed)
    report = brute.compare(brute.some_of(crash_format("bitronix_tlog"), "smoke", 23))
    assert report.kinds[kind]
    assert any(line.startswith(f"{kind}: ") for line in report.shown)


def test_a_force_covers_its_file_and_no_name() -> None:
    trace = Trace("toy", "1", "t", {}, (Create("new"), Write("new", 0, b"x"), Sync("new")), "zero")
    machine = Machine(trace, PAGE)
    machine.run(3)
    assert [micro.target for at, micro in enumerate(machine.micros) if at not in machine.forced] == [NAMES]
    contents = {state.content for state in brute_subset(trace, get_preset("epoch-subset-512"), 3)}
    assert contents == {(), (("new", b"x"),)}


def test_a_renamed_file_is_never_there_twice() -> None:
    trace = toy(Rename("log", "old"), Create("log"))
    seen = {
        tuple(name for name, _ in state.content)
        for state in brute_subset(trace, get_preset("epoch-subset-512"), 2)
    }
    assert seen == {("log",), ("old",), ("log", "old")}


# --- Small traces, most of them of a record in several parts ---

#: Where the parts of a record lie that is chained over two pages, and those of its copy further behind.
HERE, COPY = (0, PAGE), (2 * PAGE, 3 * PAGE)
CHUNK = 40


def part(fill: bytes, off: int, copy: int = 0) -> tuple[Write, Part]:
    named = ((0, f"head-{off}"), (8, f"body-{off}"))
    return Write("log", off, fill * CHUNK), Part("a", "log", off, CHUNK, "a", named, copy)


def chained(*places: tuple[int, ...], **more: Any) -> Trace:
    """A record, written part by part, once at each of `places`; forced and acknowledged after the first."""
    first, *others = ([op for off in spots for op in part(b"A", off, at)] for at, spots in enumerate(places))
    told = (Publish(("a",)), Sync("log"), Ack(("a",)))
    return replace(toy(*first, *told, *(op for ops in others for op in ops)), **more)


STALE = tuple(Part("old", "log", off, CHUNK, "old") for off in HERE)
SMALL = {
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
    # Two plain records and a pointer to both, over an old record at the place of the first.
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


@pytest.mark.parametrize("trace", SMALL.values(), ids=SMALL)
def test_both_oracles_agree_on_small_traces(trace: Trace) -> None:
    report = brute.compare([trace])
    assert not report.kinds, "\n".join(report.shown)
    assert report.rows > 20


def test_half_of_a_record_is_none() -> None:
    trace = SMALL["chain"]
    for crash, whole in ((2, 0), (4, 1)):
        states = [*brute_subset(trace, get_preset("epoch-subset-512"), crash)]
        found = [Accounts(trace, crash).expected(state).whole for state in states]
        assert sum("a" in records for records in found) == whole


def test_the_torn_field_is_the_first_one_of_the_missing_part() -> None:
    trace, torn = SMALL["chain"], dict[tuple[bool, bool], str]()
    for states in crash_states(trace, (get_preset("epoch-subset-512"),), 1):
        column, names = fields(Facts(states))
        for row, codes in enumerate(states.codes):
            log = states.point.materialise(codes)["log"]
            torn[log[0] == 0x41, log[PAGE] == 0x41] = names[column[row]]
    halves = {(True, False): f"head-{PAGE}", (False, True): "head-0"}
    assert torn == {(False, False): "", (True, True): "", **halves}
