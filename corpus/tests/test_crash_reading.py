"""States that a format parses alike are read once: each gets the answer that it would get by itself."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace

import pytest

from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.blocks import Codes, CrashPoint
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.reading import SWITCH, answers, reading_of
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.pipeline.plan import Plan

FORMATS = ("derby_log",)


@pytest.fixture(params=FORMATS)
def adapter(request: pytest.FixtureRequest) -> CrashFormat:
    return crash_format(request.param)


def points(adapter: CrashFormat, every: int) -> Iterator[tuple[CrashPoint, Codes]]:
    """Yield some states of each crash point of some workloads of the full tier, under all presets."""
    for work in Plan(adapter.format, "full", every=every).workloads():
        for states in crash_states(adapter.build(work), PRESETS, 1, everywhere=True):
            if len(states):
                yield states.point, states.codes[:: 1 + len(states) // 60]


def test_what_is_parsed_alike_is_answered_alike(adapter: CrashFormat) -> None:
    reading, read, rows = reading_of(adapter), 0, 0

    def counted(files: Mapping[str, bytes], edition: str) -> Hashable | None:
        nonlocal read
        assert adapter.parsed is not None
        found = adapter.parsed(files, edition)
        read += found is None or found not in seen
        seen.add(found)
        return found

    seen: set[Hashable] = set()
    for point, codes in points(adapter, 797):
        found, which = reading.answers(point, codes)
        plain, own = answers(point, codes, adapter.read)
        assert [found[at] for at in which.tolist()] == [plain[at] for at in own.tolist()], point.trace.name
        rows += len(codes)
        for row in codes[:5]:
            counted(point.materialise(row), point.trace.edition)
    assert rows > 3000
    # It is worth the while, or the readers could do it.
    assert read < rows // 2


def test_nothing_is_parsed_where_all_are_to_be_read(
    adapter: CrashFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parsed(files: Mapping[str, bytes], edition: str) -> Hashable:
        raise AssertionError("nobody asks")

    point, codes = next(points(adapter, 3011))
    monkeypatch.setenv(SWITCH, "0")
    found, which = reading_of(replace(adapter, parsed=parsed)).answers(point, codes)
    assert len(which) == len(codes)
    assert found


def test_images_are_those_of_their_own_states(adapter: CrashFormat) -> None:
    """What is kept of the state before must not get into the next one, in whichever order they come."""
    for point, codes in points(adapter, 3011):
        forward = [point.materialise(row) for row in codes]
        fresh = [replace(point).materialise(row) for row in codes[::-1]][::-1]
        assert forward == fresh
