"""States that differ only in bytes that recovery ignores are read once; separate reads give the same
answer.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest

from journalspec.formats import get_format
from journalspec_corpus.crash.disk import StateContents, States, Timeline
from journalspec_corpus.crash.formats import CrashFormat, Remembered, StateFiles, answers, crash_format
from journalspec_corpus.crash.oracle import REFUSALS
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import PRESETS, Trace
from journalspec_corpus.crash.verdict import Answer, judge
from journalspec_corpus.kahadb_journal.workloads import Step
from journalspec_corpus.load import load_cases
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.shards import Shard
from journalspec_reference import load
from journalspec_reference.bitronix_tlog.codec import (
    CRC_AT,
    HEADER_SIZE,
    POSITION_AT,
    TIMESTAMP_AT,
    UNCOUNTED,
)
from journalspec_reference.kahadb_journal.codec import END_MARKER
from journalspec_reference.storage import MemoryStorage
from journalspec_reference.swiftmq_store.fileset import DEFAULT_SIZE
from journalspec_reference.swiftmq_store.store import LOG, PAGES

#: One in this many workloads is checked.
EVERY = {
    "bitronix_tlog": 1201,
    "derby_log": 241,
    "jboss_journal": 1103,
    "kahadb_journal": 151,
    "swiftmq_store": 199,
}
#: One in this many cases of the corpus is checked.
CASES = {"bitronix_tlog": 23, "derby_log": 23, "jboss_journal": 31, "kahadb_journal": 31, "swiftmq_store": 23}
#: The number of checked states of a crash point.
MOST = 100


def states_of(adapter: CrashFormat) -> Iterator[States]:
    """Yield states of some workloads: for each crash point, a sample that is spread evenly over its
    states.
    """
    for work in Plan(adapter.format, "core", every=EVERY[adapter.format]).workloads():
        for states in crash_states(adapter.build(work), PRESETS, 1, everywhere=True):
            if len(states):
                yield states.take(np.arange(0, len(states), -(-len(states) // MOST)))


@pytest.mark.parametrize("format_id", EVERY)
def test_states_that_differ_only_in_ignored_bytes_have_one_answer(format_id: str) -> None:
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
    """Yield the files unchanged, and then variants in which one file is cut, cleared, extended, or wrong in
    one byte.
    """
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
def test_cases_that_differ_only_in_ignored_bytes_have_one_answer(format_id: str) -> None:
    """Cases also contain damage that no crash of a writer leaves, and files other than the log."""
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


@pytest.mark.parametrize("format_id", ["bitronix_tlog", "jboss_journal"])
def test_verdicts_of_a_crash_point_are_those_of_single_answers(format_id: str) -> None:
    """A verdict is computed once for all states with the same answer."""
    adapter, seen = crash_format(format_id), set[str]()
    traces = map(adapter.build, Plan(format_id, "core", every=331).workloads())
    shard = Shard(adapter, PRESETS, 1)
    for judged in (judged for trace in islice(traces, 15) for judged in shard.judged(trace)):
        facts = judged.facts
        found, which = answers(facts.contents, adapter.read)
        for row in np.unique(which * len(REFUSALS) + facts.refusals, return_index=True)[1].tolist():
            refusal = REFUSALS[facts.refusals[row]]
            for reader, name in enumerate(adapter.readers):
                answer, holes = found[which[row]][reader], name in adapter.salvaging
                verdict = judge(answer, facts.expected, refusal, holes_allowed=holes)
                assert judged.verdict(reader, row) == verdict
                seen.add(verdict)
    assert len(seen) > 4


def assert_one_answer(format_id: str, edition: str, stores: Iterable[dict[str, bytes]]) -> None:
    """Read each store completely. Assert that stores that differ only in ignored bytes have the same
    answer.
    """
    adapter, seen = crash_format(format_id), dict[Hashable, tuple[Answer, ...]]()
    for files in stores:
        found = adapter.read(files, edition)
        place = adapter.look(state_of(files, format_id, edition), edition)
        assert seen.setdefault(place, found) == found, {name: len(files[name]) for name in files}
    assert len(set(seen.values())) > 1


def test_damage_at_each_offset_of_a_disk_journal_is_not_ignored() -> None:
    """Damage can be anywhere, even in the timestamp that decides which file is newer."""
    storage = MemoryStorage()
    writer = load("bitronix_tlog").writer(storage, edition="2.1", params={})
    writer.apply({"op": "open"})
    steps = [{"op": "log", "type": "COMMITTING", "gtrid": f"{at:02x}" * 4, "names": ["a"]} for at in range(4)]
    places = [int(writer.apply(step)["off"]) for step in steps]
    log = bytes(storage.files["btm1.tlog"][:512])
    active = log[:POSITION_AT] + HEADER_SIZE.to_bytes(8, "big") + bytes(512 - POSITION_AT - 8)
    size = places[1] - places[0]

    def damaged() -> Iterator[dict[str, bytes]]:
        for bad, stamp, longer in product(range(8), places, (False, True)):
            other = bytearray(log)
            other[TIMESTAMP_AT : TIMESTAMP_AT + 8] = stamp.to_bytes(8, "big")
            other[POSITION_AT : POSITION_AT + 8] = (places[-1] + size).to_bytes(8, "big")
            for at, place in enumerate(places[:3]):
                other[place + CRC_AT] ^= bad >> at & 1
            if longer:  # The second record also claims the bytes of the third one, so it is no longer valid.
                other[places[1] + 4 : places[1] + 8] = (2 * size - UNCOUNTED).to_bytes(4, "big")
            yield {"btm1.tlog": active, "btm2.tlog": bytes(other)}

    assert_one_answer("bitronix_tlog", "2.1", damaged())


def test_length_of_a_blank_file_is_not_ignored() -> None:
    """A record that did not fit into a file explains why that file is blank."""
    storage = MemoryStorage()
    writer = load("kahadb_journal").writer(storage, edition="5.16", params={})
    writer.apply({"op": "open"})
    writer.apply(Step("add", 1, 40).operation(0))
    writer.apply({"op": "flush"})
    ((name, content),) = storage.files.items()
    used = bytes(content[: content.index(END_MARKER)])
    later, most = name.replace("1", "2"), len(used)
    assert_one_answer(
        "kahadb_journal", "5.16", ({name: bytes(size), later: used} for size in range(most + 9))
    )


def test_pages_that_the_log_refers_to_are_not_ignored() -> None:
    """Pages are wrong, missing or free; the log may replace them."""
    every = [case.files() for case in load_cases("swiftmq_store") if case.write is None and not case.params]
    free = b"\1".ljust(DEFAULT_SIZE, b"\0")
    logged = [files for files in every if len(files.get(LOG, b"")) > 100 and PAGES in files]

    def wrong(files: dict[str, bytes]) -> Iterator[dict[str, bytes]]:
        stored, edge = files[PAGES], min(len(files[PAGES]), 8 * DEFAULT_SIZE)
        for page, at in product(range(0, edge, DEFAULT_SIZE), (0, 1, 5, 9, 40)):
            changed = bytearray(stored)
            changed[min(page + at, edge - 1)] ^= 1
            yield {**files, PAGES: bytes(changed)}
        for size in range(0, edge, DEFAULT_SIZE):
            for rest in (b"", b"\0", b"\1", b"\0\1", *(free * number for number in (1, 2, 3))):
                yield {**files, PAGES: stored[:size] + rest}
        for size in (0, 4, 12, 50, len(files[LOG]) - 1):
            yield {**files, LOG: files[LOG][:size]}

    assert_one_answer("swiftmq_store", "13", (each for files in logged[::3] for each in wrong(files)))


def test_another_implementation_may_depend_on_bytes_that_the_reference_ignores() -> None:
    adapter = replace(crash_format("swiftmq_store"), implementation=lambda: load("swiftmq_store"))
    reference = replace(adapter, implementation=None)
    for states in states_of(adapter):
        contents = StateContents(states.point, states.codes)
        contents_seen = len(set(contents.ids))
        for one in (adapter, reference):
            one.memory.answers.clear()
            answers(contents, one.read, one.sees, one.memory)
        assert len(adapter.memory.answers) == contents_seen
        if len(reference.memory.answers) < contents_seen:
            return
    raise AssertionError("no two states differ only in bytes that the reference ignores")


@pytest.mark.parametrize("format_id", ["bitronix_tlog", "derby_log"])
def test_another_edition_may_read_the_same_bytes_differently(format_id: str) -> None:
    adapter, memory, asked = crash_format(format_id), Remembered(), list[str]()

    def read(files: Mapping[str, bytes], edition: str) -> tuple[Answer, ...]:
        asked.append(edition)
        return adapter.read(files, edition)

    states = next(states for states in states_of(adapter) if len(states) > 10)
    point = states.point
    for _ in range(2):
        answers(StateContents(point, states.codes), read, memory=memory)
    assert len(asked) == len(set(StateContents(point, states.codes).ids))
    edition = next(name for name in get_format(adapter.format).editions if name != point.trace.edition)
    other = replace(point, trace=replace(point.trace, edition=edition))
    answers(StateContents(other, states.codes[:1]), read, memory=memory)
    assert asked[-1] == edition
