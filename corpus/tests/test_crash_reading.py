"""Equal contents are read once, and each state gets the answer that it would get by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from journalspec.formats import get_format
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.ids import content_ids
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.reading import answers
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.pipeline.plan import Plan


@pytest.mark.parametrize("format_id", ["bitronix_tlog", "derby_log"])
def test_equal_contents_are_read_once(format_id: str) -> None:
    adapter = crash_format(format_id)
    asked, known = list[str](), dict[tuple[str, bytes], tuple[Answer, ...]]()

    def read(files: Mapping[str, bytes], edition: str) -> tuple[Answer, ...]:
        asked.append(edition)
        return adapter.read(files, edition)

    (work, *_) = Plan(format_id, "full", every=3011).workloads()
    states = next(
        states
        for states in crash_states(adapter.build(work), PRESETS, 1, everywhere=True)
        if len(states) > 10
    )
    contents = content_ids(states.point, states.codes)
    plain, own = answers(states.point, states.codes, adapter.read)
    for _ in range(2):
        found, which = answers(states.point, states.codes, read, contents, known)
        assert [found[at] for at in which.tolist()] == [plain[at] for at in own.tolist()]
    assert len(asked) == len(set(contents))
    # Another edition may read the same bytes otherwise.
    point = states.point
    edition = next(name for name in get_format(adapter.format).editions if name != point.trace.edition)
    other = replace(point, trace=replace(point.trace, edition=edition))
    answers(other, states.codes[:1], read, contents[:1], known)
    assert asked[-1] == edition
