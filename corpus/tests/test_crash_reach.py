"""Tests the reach of recovery. Bytes beyond the reach do not affect answers, so cuts there can be omitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from journalspec_corpus.crash.disk import StateContents, States
from journalspec_corpus.crash.facts import Facts, categories, fields
from journalspec_corpus.crash.formats import CrashFormat, Reach, answers, crash_format, unread_writes
from journalspec_corpus.crash.oracle import expected_at
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import PRESETS, Create, Rename, Trace, Truncate, Unlink, Write, get_preset
from journalspec_corpus.pipeline.plan import Plan

#: Formats whose recovery does not read all bytes.
SHORT_SIGHTED = "bitronix_tlog"


def traces(adapter: CrashFormat, every: int, tier: str = "full") -> Iterator[Trace]:
    for work in Plan(adapter.format, tier, every=every).workloads():
        yield adapter.build(work)


def groups(adapter: CrashFormat, every: int) -> Iterator[tuple[Trace, States]]:
    for trace in traces(adapter, every):
        for states in crash_states(trace, PRESETS, 1):
            if len(states):
                yield trace, states


def changed_behind(files: Mapping[str, bytes], ends: Mapping[str, int]) -> Iterator[dict[str, bytes]]:
    """Yield variants of the files with other bytes after the reach: inverted bytes, and a copy of the log."""
    yield {
        name: data[: ends[name]] + bytes(255 - byte for byte in data[ends[name] :])
        for name, data in files.items()
    }
    longest = max(files, key=lambda name: ends[name])
    log = files[longest][: ends[longest]]
    yield {
        name: (data[: ends[name]] + log[max(0, ends[longest] - 200) :] * len(data))[: len(data)]
        for name, data in files.items()
    }


def dependent(adapter: CrashFormat, every: int, reach: Reach, step: int) -> tuple[int, int]:
    """Return two counts: of the checked states, and of the states whose answer depends on bytes beyond the
    reach.
    """
    looked = wrong = 0
    for trace, states in groups(adapter, every):
        for row in range(0, len(states), step):
            files = states.point.materialise(states.codes[row])
            ends = reach(files)
            if all(ends[name] == len(data) for name, data in files.items()):
                continue
            looked += 1
            given = adapter.read(files, trace.edition)
            wrong += any(adapter.read(other, trace.edition) != given for other in changed_behind(files, ends))
    return looked, wrong


def test_answers_do_not_depend_on_ignored_bytes() -> None:
    adapter = crash_format(SHORT_SIGHTED)
    assert adapter.reach is not None
    looked, wrong = dependent(adapter, 499, adapter.reach, 29)
    assert looked > 300
    assert wrong == 0


def test_omitted_cuts_have_the_answer_of_a_cut_that_is_kept() -> None:
    adapter = crash_format(SHORT_SIGHTED)
    byte = (get_preset("prefix-byte"),)
    left_out = writes = 0
    for trace in traces(adapter, 499):
        thin = {states.torn: states for states in crash_states(trace, byte, 1)}
        for states in crash_states(replace(trace, unread=frozenset()), byte, 1):
            if states.torn not in trace.unread:
                assert len(thin[states.torn]) == len(states)
                continue
            writes += 1
            left_out += len(states) - len(thin[states.torn])
            assert classes(adapter, trace, states) == classes(adapter, trace, thin[states.torn])
    assert writes > 20
    assert left_out > 1000


def classes(adapter: CrashFormat, trace: Trace, states: States) -> set[object]:
    """Return the classes of a group's states: content within the reach, answer, labels in reports."""
    facts = Facts(states)
    expected = expected_at(trace, states.point.crash_index, states.torn, states.stratum)
    found, which = answers(StateContents(states.point, states.codes), adapter.read)
    refusals = facts.refusals
    names = fields(facts)
    seen = set[object]()
    for row, answer in enumerate(which.tolist()):
        files = states.point.materialise(states.codes[row])
        assert adapter.reach is not None
        ends = adapter.reach(files)
        looked = tuple((name, len(data), data[: ends[name]]) for name, data in sorted(files.items()))
        said = names[row], int(categories(facts)[row]), int(refusals[row])
        seen.add((looked, repr(found[answer]), expected.must_keep, *said))
    return seen


def toy_reach(files: Mapping[str, bytes]) -> dict[str, int]:
    """Return the reach for files whose first byte is the number of checked bytes."""
    return {name: min(len(data), max(1, *data[:1])) if data else 0 for name, data in files.items()}


@pytest.mark.parametrize(
    ("ops", "unread"),
    [
        ((Write("a", 4, b"xx"),), {0}),
        ((Write("a", 3, b"xx"),), set()),
        # A write that makes the file longer is visible through the size.
        ((Write("a", 7, b"xx"),), set()),
        # The pointer is moved to a higher offset, past bytes that lay after the old one.
        ((Write("a", 0, b"\6"), Write("a", 4, b"xx"), Write("a", 6, b"x")), {2}),
        ((Write("a", 0, b"\6\6"), Write("a", 4, b"xx")), set()),
        ((Create("b"), Truncate("b", 8), Write("b", 1, b"x")), {2}),
        ((Create("b"), Write("b", 0, b"\t" * 8), Write("b", 1, b"x")), set()),
        ((Create("b"), Write("b", 0, b"\2xxx"), Rename("b", "c"), Write("c", 2, b"x")), {3}),
        ((Truncate("a", 0), Truncate("a", 8), Write("a", 1, b"x")), {2}),
        ((Create("b"), Write("b", 0, b"\1xxx"), Unlink("b"), Write("a", 4, b"x")), {3}),
    ],
)
def test_writes_that_no_reader_uses_are_listed(ops: tuple[object, ...], unread: set[int]) -> None:
    trace = Trace("toy", "1", "toy", {"a": b"\4" + bytes(7)}, ops, "zero")  # type: ignore[arg-type]
    assert unread_writes(trace, toy_reach) == unread
    assert unread_writes(trace, None) == frozenset()
