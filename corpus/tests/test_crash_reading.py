"""States that a format parses alike are read once: each gets the answer that it would get by itself."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace

import pytest

from journalspec.formats import get_format
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.blocks import Codes, CrashPoint
from journalspec_corpus.crash.ids import content_ids
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.reading import answers, reading_of
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.pipeline.plan import Plan
from journalspec_reference import load

FORMATS = ("bitronix_tlog", "derby_log")


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


def test_another_reader_than_the_reference_is_not_parsed_for(adapter: CrashFormat) -> None:
    def parsed(files: Mapping[str, bytes], edition: str) -> Hashable:
        raise AssertionError("not to be asked")

    point, codes = next(points(adapter, 3011))
    other = replace(adapter, parsed=parsed, implementation=lambda: load(adapter.format))
    _, which = reading_of(other).answers(point, codes)
    assert len(which) == len(codes)


def test_equal_contents_are_read_once(adapter: CrashFormat) -> None:
    asked = list[str]()

    def read(files: Mapping[str, bytes], edition: str) -> tuple[Answer, ...]:
        asked.append(edition)
        return adapter.read(files, edition)

    other = replace(adapter, parsed=None)
    vars(other)["read"] = read
    reading = reading_of(other)
    point, codes = next((point, codes) for point, codes in points(adapter, 3011) if len(codes) > 10)
    contents = content_ids(point, codes)
    for _ in range(2):
        found, which = reading.answers(point, codes, contents)
        plain, own = answers(point, codes, adapter.read)
        assert [found[at] for at in which.tolist()] == [plain[at] for at in own.tolist()]
    assert len(asked) == len(set(contents))
    # Another edition may read the same bytes otherwise.
    edition = next(name for name in get_format(adapter.format).editions if name != point.trace.edition)
    reading.answers(replace(point, trace=replace(point.trace, edition=edition)), codes[:1], contents[:1])
    assert asked[-1] == edition
