"""What recovery can look at: nothing behind it matters, and cuts that are left out there show nothing new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest

from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.expected import expected_at
from journalspec_corpus.crash.facts import Facts, categories, fields
from journalspec_corpus.crash.fingerprints import packed_rows
from journalspec_corpus.crash.ids import content_words
from journalspec_corpus.crash.persistence import PRESETS, get_preset
from journalspec_corpus.crash.reading import answers, keys_of
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Create, Preallocate, Rename, Trace, Truncate, Unlink, Write
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.crash.visible import (
    Outcomes,
    Reach,
    in_order,
    outcome_id,
    outcome_ids,
    unread_writes,
    visible_ends,
    visible_id,
    visible_ids,
)
from journalspec_corpus.pipeline.plan import Plan

FORMATS = ("bitronix_tlog", "jboss_journal")
#: Formats in which recovery leaves bytes out.
SHORT_SIGHTED = "bitronix_tlog"


@pytest.fixture(params=FORMATS)
def adapter(request: pytest.FixtureRequest) -> CrashFormat:
    return crash_format(request.param)


def traces(adapter: CrashFormat, every: int, tier: str = "full") -> Iterator[Trace]:
    for work in Plan(adapter.format, tier, every=every).workloads():
        yield adapter.build(work)


def groups(adapter: CrashFormat, every: int) -> Iterator[tuple[Trace, States]]:
    for trace in traces(adapter, every):
        for states in crash_states(trace, PRESETS, 1):
            if len(states):
                yield trace, states


def changed_behind(files: Mapping[str, bytes], ends: Mapping[str, int]) -> Iterator[dict[str, bytes]]:
    """Yield the files with other bytes behind what is looked at: inverted, and with the log once more."""
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


def dependent(adapter: CrashFormat, every: int, reach: Reach | None, step: int) -> tuple[int, int]:
    """Return how many states were looked at, and of how many an answer depends on what is behind the ends."""
    looked = wrong = 0
    for trace, states in groups(adapter, every):
        for row in range(0, len(states), step):
            files = states.point.materialise(states.codes[row])
            ends = visible_ends(reach, files)
            if all(ends[name] == len(data) for name, data in files.items()):
                continue
            looked += 1
            given = adapter.read(files, trace.edition)
            wrong += any(adapter.read(other, trace.edition) != given for other in changed_behind(files, ends))
    return looked, wrong


def test_no_answer_depends_on_what_nobody_looks_at() -> None:
    adapter = crash_format(SHORT_SIGHTED)
    looked, wrong = dependent(adapter, 499, adapter.reach, 29)
    assert looked > 300
    assert wrong == 0


def test_a_reach_that_is_one_byte_short_is_noticed() -> None:
    adapter = crash_format(SHORT_SIGHTED)
    assert adapter.reach is not None
    ends = adapter.reach.ends
    short = Reach(
        adapter.reach.head,
        lambda heads, sizes: {name: max(0, end - 1) for name, end in ends(heads, sizes).items()},
    )
    looked, wrong = dependent(adapter, 997, short, 29)
    assert wrong > looked / 2 > 20


def test_visible_contents_are_named_as_one_by_one(adapter: CrashFormat) -> None:
    rows = 0
    names: set[bytes] = set()
    every: set[bytes] = set()
    for _, states in groups(adapter, 1499):
        contents = packed_rows(content_words(states.point, states.codes))
        ids = visible_ids(states.point, states.codes, contents, adapter.reach)
        for row in range(0, len(states), 7):
            assert ids[row] == visible_id(states.point.materialise(states.codes[row]), adapter.reach)
            rows += 1
        names.update(ids)
        every.update(content[:8] for content in contents)
    assert rows > 300
    assert (len(names) == len(every)) == (adapter.reach is None)
    assert len(names) <= len(every)


def test_cuts_that_are_left_out_look_and_come_out_like_one_that_is_there() -> None:
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
    """Return what the states of a group are to recovery and to reports."""
    facts = Facts(states)
    expected = expected_at(trace, states.point.crash_index, states.torn, states.stratum)
    found, which = answers(states.point, states.codes, adapter.read)
    refusals = facts.refusals
    outcomes = outcome_ids(found, which, refusals, expected, known(keys_of(trace)))
    contents = packed_rows(content_words(states.point, states.codes))
    visible = visible_ids(states.point, states.codes, contents, adapter.reach)
    torn_in, names = fields(facts)
    said = [names[at] for at in torn_in.tolist()]
    return set(zip(outcomes, visible, categories(facts).tolist(), said, refusals.tolist(), strict=True))


def known(keys: frozenset[str]) -> Outcomes:
    outcomes = Outcomes()
    outcomes.begin(keys)
    return outcomes


#: The first byte of a file says how much of it is looked at.
TOY = Reach(1, lambda heads, sizes: {name: head[0] if head else 0 for name, head in heads.items()})


@pytest.mark.parametrize(
    ("ops", "unread"),
    [
        ((Write("a", 4, b"xx"),), {0}),
        ((Write("a", 3, b"xx"),), set()),
        # What makes the file longer is seen by its size.
        ((Write("a", 7, b"xx"),), set()),
        # The pointer moves: what was behind it is before it.
        ((Write("a", 0, b"\6"), Write("a", 4, b"xx"), Write("a", 6, b"x")), {2}),
        ((Write("a", 0, b"\6\6"), Write("a", 4, b"xx")), set()),
        ((Create("b"), Preallocate("b", 0, 8, "sparse"), Write("b", 1, b"x")), {2}),
        ((Create("b"), Preallocate("b", 0, 8, "pattern-filled", 9), Write("b", 1, b"x")), set()),
        ((Create("b"), Write("b", 0, b"\2xxx"), Rename("b", "c"), Write("c", 2, b"x")), {3}),
        ((Truncate("a", 0), Truncate("a", 8), Write("a", 1, b"x")), {2}),
        ((Create("b"), Write("b", 0, b"\1xxx"), Unlink("b"), Write("a", 4, b"x")), {3}),
    ],
)
def test_writes_behind_what_is_looked_at(ops: tuple[object, ...], unread: set[int]) -> None:
    trace = Trace("toy", "1", "toy", {"a": b"\4" + bytes(7)}, ops, "zero")  # type: ignore[arg-type]
    assert unread_writes(trace, TOY) == unread
    assert unread_writes(trace, None) == frozenset()


def test_what_is_seen_are_names_sizes_and_the_bytes_before_the_end() -> None:
    """Three bytes are looked at: one more behind them makes another size, and another one there nothing."""
    seen = {}
    for name, content in (
        ("whole", b"\3ab"),
        ("longer", b"\3abc"),
        ("other behind", b"\3abd"),
        ("longest", b"\3abcd"),
        ("other before", b"\3acc"),
    ):
        seen[name] = visible_id({"a": content}, TOY)
    seen["other name"] = visible_id({"b": b"\3abc"}, TOY)
    seen["two files"] = visible_id({"a": b"\3abc", "b": b"\3abcd"}, TOY)
    seen["two others"] = visible_id({"a": b"\3abcd", "b": b"\3abc"}, TOY)
    assert seen.pop("other behind") == seen["longer"]
    assert len(set(seen.values())) == len(seen)


def test_an_outcome_is_what_is_owed_and_what_is_answered() -> None:
    trace = next(traces(crash_format(SHORT_SIGHTED), 1, "core"))
    end, keys = len(trace.ops), keys_of(trace)
    key = min(keys)
    expected, before = expected_at(trace, end), expected_at(trace, 0)
    plain = outcome_id(Answer((key,)), "allowed", expected, keys)
    assert plain == outcome_id(Answer((key,)), "allowed", expected, keys)
    others = [
        outcome_id(Answer(()), "allowed", expected, keys),
        outcome_id(Answer((key,), reported=True), "allowed", expected, keys),
        outcome_id(Answer((), "no-files"), "allowed", expected, keys),
        outcome_id(Answer((key,)), "required", expected, keys),
        outcome_id(Answer((key,)), "allowed", before, keys),
    ]
    # What must not come back is owed as well.
    old = replace(expected, must_drop=frozenset({expected.record_of[key]}))
    others.append(outcome_id(Answer((key,)), "allowed", old, keys))
    assert len({plain, *others}) == 7
    strange = [outcome_id(Answer(("nobody", *more)), "allowed", expected, keys) for more in ((), (key,))]
    assert strange[0] == strange[1] != plain
    both = outcome_ids(
        [(Answer((key,)),)] * 2,
        np.asarray([0, 1, 0], np.int32),
        np.zeros(3, np.uint8),
        expected,
        known(keys),
    )
    assert both == [plain] * 3


def test_what_has_no_order_is_put_into_one() -> None:
    names = [f"name-{number}" for number in range(20)]
    one, two = frozenset(names), frozenset(reversed(names))
    assert in_order((one, {"b": one, "a": ()})) == in_order((two, {"a": (), "b": two}))
    assert in_order((one,)) != in_order((one - {"name-3"},))
