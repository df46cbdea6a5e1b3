"""States that look alike to recovery are read once, and each gets the answer that it would get by itself."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest

from journalspec.formats import get_format
from journalspec_corpus.crash.disk import StateContents, States, Timeline, content_ids
from journalspec_corpus.crash.formats import CrashFormat, Remembered, StateFiles, answers, crash_format
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import PRESETS, Trace
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.load import load_cases
from journalspec_corpus.pipeline.plan import Plan

#: One of so many workloads is looked at.
EVERY = {
    "bitronix_tlog": 1201,
    "derby_log": 241,
    "jboss_journal": 1103,
    "kahadb_journal": 151,
    "swiftmq_store": 199,
}
#: One of so many cases of the corpus is looked at.
CASES = {"bitronix_tlog": 23, "derby_log": 23, "jboss_journal": 31, "kahadb_journal": 31, "swiftmq_store": 23}
#: So many states of a crash point are looked at.
MOST = 100


def states_of(adapter: CrashFormat) -> Iterator[States]:
    """Yield states of some workloads, of each crash point some that are spread over all of them."""
    for work in Plan(adapter.format, "core", every=EVERY[adapter.format]).workloads():
        for states in crash_states(adapter.build(work), PRESETS, 1, everywhere=True):
            if len(states):
                yield states.take(np.arange(0, len(states), -(-len(states) // MOST)))


@pytest.mark.parametrize("format_id", EVERY)
def test_states_that_look_alike_have_one_answer(format_id: str) -> None:
    adapter, memory, asked, looks = crash_format(format_id), Remembered(), list[str](), set[Hashable]()
    plain: dict[tuple[str, bytes], tuple[Answer, ...]] = {}

    def read(files: Mapping[str, bytes], edition: str) -> tuple[Answer, ...]:
        asked.append(edition)
        return adapter.read(files, edition)

    def look(files: StateFiles, edition: str) -> Hashable:
        looks.add((edition, seen := adapter.look(files, edition)))
        return seen

    for states in states_of(adapter):
        contents, edition = StateContents(states.point, states.codes), states.point.trace.edition
        found, which = answers(contents, read, look, memory)
        for at, name in enumerate(contents.ids):
            if (edition, name) not in plain:
                files = states.point.materialise(states.codes[at])
                plain[edition, name] = adapter.read(files, edition)
            assert found[which[at]] == plain[edition, name], (states.point.trace.name, states.codes[at])
    assert len(asked) == len(looks) < len(plain)


def changed(files: Mapping[str, bytes]) -> Iterator[dict[str, bytes]]:
    """Yield files as they are, and with one of them ended, cleared, longer, or wrong in one byte."""
    yield {**files}
    for name, data in files.items():
        size = len(data)
        for at in {0, 1, 4, size // 3, size // 2, size - 4, size - 1, size - 512} & {*range(size)}:
            yield {**files, name: data[:at]}
            yield {**files, name: data[:at].ljust(size, b"\0")}
            yield {**files, name: data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :]}
        for blank in (40, size // 2, 1 << 16):
            yield {**files, name: bytes(blank)}
        for more in (bytes(4), bytes(512), b"\1" * 8, data[-200:]):
            yield {**files, name: data + more}


def state_of(files: Mapping[str, bytes], format_id: str, edition: str) -> StateFiles:
    trace = Trace(format_id, edition, "case", files, (), "zero")
    contents = StateContents(Timeline(trace, 512).settled(), np.zeros((1, 0), np.uint16))
    return StateFiles(contents, 0, Remembered())


@pytest.mark.parametrize("format_id", CASES)
def test_cases_that_look_alike_have_one_answer(format_id: str) -> None:
    """Cases have damage, and files beside the log, that no crash of a writer leaves."""
    adapter, seen, number = crash_format(format_id), dict[Hashable, tuple[Answer, ...]](), 0
    for case in load_cases(format_id)[:: CASES[format_id]]:
        for files in changed(case.files()):
            place = case.edition, adapter.look(state_of(files, format_id, case.edition), case.edition)
            found = adapter.read(files, case.edition)
            assert seen.setdefault(place, found) == found, (
                case.id,
                {name: len(files[name]) for name in files},
            )
            number += 1
    assert 500 < len(seen) < number


@pytest.mark.parametrize("format_id", ["bitronix_tlog", "derby_log"])
def test_another_edition_may_read_the_same_bytes_otherwise(format_id: str) -> None:
    adapter, memory, asked = crash_format(format_id), Remembered(), list[str]()

    def read(files: Mapping[str, bytes], edition: str) -> tuple[Answer, ...]:
        asked.append(edition)
        return adapter.read(files, edition)

    states = next(states for states in states_of(adapter) if len(states) > 10)
    point = states.point
    for _ in range(2):
        answers(StateContents(point, states.codes), read, memory=memory)
    assert len(asked) == len(set(content_ids(point, states.codes)))
    edition = next(name for name in get_format(adapter.format).editions if name != point.trace.edition)
    other = replace(point, trace=replace(point.trace, edition=edition))
    answers(StateContents(other, states.codes[:1]), read, memory=memory)
    assert asked[-1] == edition
