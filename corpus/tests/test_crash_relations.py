"""What one answer says about another, with nothing expected: I6, I10 and I12."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from journalspec.formats import format_ids
from journalspec_corpus.crash.disk import States
from journalspec_corpus.crash.formats import CrashFormat, crash_format
from journalspec_corpus.crash.second_crash import crash_image
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Mark, get_preset
from journalspec_corpus.crash.verdict import Answer
from journalspec_reference import load
from journalspec_reference.api import WriterRefused

#: What a crash may do to the journals that are looked at here.
PRESET = "epoch-subset-512"
few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def recovered(adapter: CrashFormat, files: Mapping[str, bytes], edition: str) -> Answer:
    reference = load(adapter.format)
    policy = adapter.readers[0]
    return adapter.answer(reference.recover(files, edition=edition, policy=policy))


def first_lives(adapter: CrashFormat) -> list[Any]:
    return [work for work in adapter.workloads("core") if not hasattr(work, "origin")]


def drawn(data: st.DataObject, adapter: CrashFormat, works: list[Any]) -> Iterator[tuple[Any, States, int]]:
    """Yield a workload, the states of one of its crash points, and one of them."""
    work = data.draw(st.sampled_from(works))
    points = [found for found in crash_states(adapter.build(work), (get_preset(PRESET),), 1) if len(found)]
    if points:
        states = data.draw(st.sampled_from(points))
        yield work, states, data.draw(st.integers(0, len(states) - 1))


@pytest.mark.parametrize("format_id", format_ids())
def test_the_same_bytes_give_the_same_answer_and_stay_what_they_are(format_id: str) -> None:
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


#: In these, opening a journal does not rewrite what recovery reads.
@pytest.mark.parametrize("format_id", ["bitronix_tlog", "jboss_journal"])
def test_opening_keeps_what_recovery_gave_and_what_is_refused_stays_as_it_is(format_id: str) -> None:
    adapter = crash_format(format_id)
    works = first_lives(adapter)[::7]
    lives: Any = adapter.second
    assert lives is not None
    seen = {"opened": 0, "refused": 0}

    @few
    @given(st.data())
    def check(data: st.DataObject) -> None:
        for work, states, row in drawn(data, adapter, works):
            image = crash_image(states, row, gone=lives.released_is_gone)
            files, edition = states.point.materialise(states.codes[row]), states.point.trace.edition
            before = recovered(adapter, files, edition)
            if image is None or not files:
                return
            run = lives.begin(work, 2, image)
            try:
                run.open()
            except WriterRefused:
                assert before.refused is not None
                assert run.storage.ops == []
                seen["refused"] += 1
                return
            assert before.refused is None
            left = run.storage
            opened = {name: bytes(left.read(name, 0, left.size(name))) for name in left.names()}
            after = recovered(adapter, opened, edition)
            own = {op.key for op in run.storage.ops if isinstance(op, Mark)}
            assert after.refused is None
            assert set(after.keys) - own == set(before.keys) - own
            seen["opened"] += 1

    check()
    assert seen["opened"] > 5
