"""Relations between two answers, tested without expected values: I6, I10 and I12."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from journalspec.formats import format_ids
from journalspec_corpus.crash.disk import States
from journalspec_corpus.crash.facts import Facts, State
from journalspec_corpus.crash.formats import CrashFormat, crash_format
from journalspec_corpus.crash.second_crash import crash_image
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Mark, get_preset
from journalspec_corpus.crash.verdict import Answer
from journalspec_reference import load
from journalspec_reference.api import WriterRefused

#: The effects of a crash that are tested here.
PRESET = "epoch-subset-512"
few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def recovered(adapter: CrashFormat, files: Mapping[str, bytes], edition: str) -> Answer:
    reference = load(adapter.format)
    policy = adapter.readers[0]
    return adapter.answer(reference.recover(files, edition=edition, policy=policy))


def first_lives(adapter: CrashFormat) -> list[Any]:
    return [work for work in adapter.workloads("core") if not hasattr(work, "origin")]


def drawn(data: st.DataObject, adapter: CrashFormat, works: list[Any]) -> Iterator[tuple[Any, States, int]]:
    """Yield a workload, the states at one of its crash points, and one of these states."""
    work = data.draw(st.sampled_from(works))
    points = [found for found in crash_states(adapter.build(work), (get_preset(PRESET),), 1) if len(found)]
    if points:
        states = data.draw(st.sampled_from(points))
        yield work, states, data.draw(st.integers(0, len(states) - 1))


@pytest.mark.parametrize("format_id", format_ids())
def test_same_bytes_give_the_same_answer_and_are_not_changed(format_id: str) -> None:
    adapter = crash_format(format_id)
    works = first_lives(adapter)[::7]

    @few
    @given(st.data())
    def check(data: st.DataObject) -> None:
        for _, states, row in drawn(data, adapter, works):
            files, edition = states.point.materialise(states.codes[row]), states.point.trace.edition
            handed = dict(files)
            first = recovered(adapter, handed, edition)
            assert handed == files
            assert recovered(adapter, handed, edition) == first
            assert recovered(adapter, dict(reversed(files.items())), edition) == first

    check()


#: In these formats, opening a journal does not rewrite the records that recovery reads.
LISTED = ("bitronix_tlog", "jboss_journal")
#: Objects that a store makes at opening if they are missing: SwiftMQ's internal queue "sys$prepared".
MADE = {("swiftmq_store", "737973247072657061726564")}


def opened(adapter: CrashFormat, work: Any, states: States, row: int) -> set[str] | None:
    """Open the files of a state with a writer. Return the old records that recovery lists only after that, or
    None if there are no files, or recovery refuses them.
    """
    lives, semantics = adapter.second, adapter.semantics
    assert lives is not None
    assert semantics is not None
    image = crash_image(State(Facts(states), row), gone=lives.released_is_gone)
    files, edition = states.point.materialise(states.codes[row]), states.point.trace.edition
    if image is None or not files:
        return None
    before = recovered(adapter, files, edition)
    run = lives.begin(work, 2, image)
    try:
        run.open()
    except WriterRefused:
        assert before.refused is not None
        assert run.storage.ops == []
        return None
    left = run.storage
    after = recovered(
        adapter, {name: bytes(left.read(name, 0, left.size(name))) for name in left.names()}, edition
    )
    assert after.refused == before.refused
    if before.refused is not None:
        return None
    assert before.state is not None
    assert after.state is not None
    was, now = Counter(semantics.effects(before.state)), Counter(semantics.effects(after.state))
    assert was <= now
    assert {(adapter.format, effect.ident) for effect in now - was} <= MADE
    if adapter.format not in LISTED:
        return set()
    own = {op.key for op in run.storage.ops if isinstance(op, Mark)}
    assert set(before.keys) <= set(after.keys) | own
    more = set(after.keys) - set(before.keys) - own
    # The opening has written the ends of these records' transactions.
    assert {semantics.action(key).tx for key in more} <= {semantics.action(key).tx for key in own}
    return more


@pytest.mark.parametrize("format_id", format_ids())
def test_opening_keeps_the_recovered_state_and_leaves_refused_files_unchanged(format_id: str) -> None:
    adapter = crash_format(format_id)
    works = first_lives(adapter)[::7]
    seen = 0

    @few
    @given(st.data())
    def check(data: st.DataObject) -> None:
        nonlocal seen
        for work, states, row in drawn(data, adapter, works):
            seen += opened(adapter, work, states, row) is not None

    check()
    assert seen > 5
