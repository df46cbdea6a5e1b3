"""The kernels: what they take for the same answer is the same; nothing that comes out depends on them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from journalspec_corpus.crash.adapter import CrashFormat, StateReader, crash_format
from journalspec_corpus.crash.blocks import DATA, SIZE, Block, Codes, CrashPoint
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.reading import SWITCH, alike, answers, kernel_of, keys_of, reading_of
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import judged_shard

pytest.importorskip("numba")
FORMATS = ("jboss_journal",)


@pytest.fixture(params=FORMATS)
def adapter(request: pytest.FixtureRequest) -> CrashFormat:
    return crash_format(request.param)


def points(adapter: CrashFormat, every: int) -> Iterator[tuple[Trace, CrashPoint, Codes]]:
    """Yield the groups of some workloads of the full tier, with all cuts of every write."""
    for work in Plan(adapter.format, "full", every=every).workloads():
        trace = replace(adapter.build(work), unread=frozenset())
        for states in crash_states(trace, PRESETS, 1):
            if len(states):
                yield trace, states.point, states.codes


#: signature -> the answers on the first state that had it, and the keys of the records of its trace
Known = dict[bytes, tuple[tuple[Answer, ...], frozenset[str]]]


def disagreements(
    adapter: CrashFormat, trace: Trace, point: CrashPoint, codes: Codes, first: Known | None = None
) -> tuple[int, int]:
    """Return how many rows have an answer unlike the first of their signature, and how many signatures.

    Give `first` to hold states of several crash points against each other.
    """
    keys = keys_of(trace)
    kernel = kernel_of(adapter)
    assert kernel is not None
    signed = kernel(point, codes)
    if signed is None:
        # The kernel leaves all of it to the readers.
        return 0, 0
    found, which = answers(point, codes, adapter.read)
    first = {} if first is None else first
    wrong = 0
    names = [*map(bytes, signed)]
    for name, path in zip(names, which.tolist(), strict=True):
        seen, others = first.setdefault(name, (found[path], keys))
        wrong += not all(
            alike(one, two, keys) and alike(one, two, others)
            for one, two in zip(seen, found[path], strict=True)
        )
    return wrong, len(set(names))


def test_equal_signatures_are_equal_answers(adapter: CrashFormat) -> None:
    """In whichever crash point, trace and edition they are."""
    rows = signatures = left = 0
    first: Known = {}
    for trace, point, codes in points(adapter, 397):
        wrong, distinct = disagreements(adapter, trace, point, codes, first)
        assert wrong == 0, f"{trace.name} at {point.crash_index}"
        rows += len(codes)
        signatures += distinct
        left += len(codes) if distinct == 0 else 0
    assert left < rows / 20
    # Otherwise they would be of no use.
    assert 10_000 < rows > 8 * signatures
    assert len(first) < signatures


def test_who_is_not_asked_would_say_the_same(adapter: CrashFormat) -> None:
    asked = [
        adapter.reader(r.policy) if r.policy else adapter.mutant_reader(r.name) for r in adapter.state_readers
    ]
    told = {reader.name: 0 for reader in adapter.state_readers}
    for trace, point, codes in points(adapter, 701):
        for row in codes[:: max(1, len(codes) // 64)]:
            files = point.materialise(row)
            each = tuple([reader(files, trace.edition) for reader in asked])
            assert adapter.read(files, trace.edition) == each, f"{trace.name} at {point.crash_index}"
            for reader, answer in zip(adapter.state_readers, each, strict=True):
                told[reader.name] += answer != each[0]
    # All of them differ somewhere.
    assert [name for name, count in told.items() if not count] == [adapter.readers[0]]


def rotten(point: CrashPoint, content: int, flips: Iterator[tuple[int, int]]) -> CrashPoint:
    """Return `point` with nothing in flight but one 512-byte granule, once for each changed byte."""
    whole = point.contents[content]
    versions: dict[int, list[bytes]] = {}
    for at, mask in flips:
        start = at // 512 * 512
        piece = bytearray(whole[start : start + 512].ljust(512, b"\0"))
        piece[at - start] ^= mask
        versions.setdefault(start // 512, [whole[start : start + 512].ljust(512, b"\0")]).append(bytes(piece))
    blocks = tuple(
        Block(DATA, content, at, tuple(found), (0,) * len(found)) for at, found in sorted(versions.items())
    )
    return replace(point, granule=512, blocks=blocks)


def test_every_bit_of_the_records_may_flip(adapter: CrashFormat) -> None:
    """Checks of lengths, counts, types, names, checksums: each is met by bytes that were changed for it."""
    tried = 0
    for number, work in enumerate(Plan(adapter.format, "core", every=701).workloads()):
        trace = adapter.build(work)
        *_, states = crash_states(trace, PRESETS[:1], 1)  # the last group of a prefix preset: all arrived
        for file in range(len(states.point.contents)):
            size = states.point.sizes[file]
            flips = ((at, 1 << (at * 5 + number) % 8) for at in range(number % 2, size, 2))
            point = rotten(states.point, file, flips)
            for at, block in enumerate(point.blocks):
                codes = np.zeros((len(block.versions), len(point.blocks)), np.uint16)
                codes[:, at] = np.arange(len(block.versions))
                wrong, _ = disagreements(adapter, trace, point, codes)
                assert wrong == 0, f"{trace.name}: a flip in file {file}, granule {block.index}"
                tried += len(codes)
    assert tried > 4000


def test_a_file_may_end_anywhere_and_go_on_with_zeros(adapter: CrashFormat) -> None:
    """What was found under one size is remembered under another only where that makes no difference."""
    tried = 0
    for work in Plan(adapter.format, "core", every=701).workloads():
        trace = adapter.build(work)
        *_, states = crash_states(trace, PRESETS[:1], 1)
        for file, size in enumerate(states.point.sizes):
            near = {at + by for at in range(0, size + 1, 256) for by in (-5, -1, 0, 1)}
            sizes = (size, size + 1, size + 4096, *sorted(at for at in near if 0 <= at < size))
            order = [*range(len(sizes)), *reversed(range(len(sizes)))]
            point = replace(states.point, blocks=(Block(SIZE, file, 0, sizes, (0,) * len(sizes)),))
            wrong, _ = disagreements(adapter, trace, point, np.asarray(order, np.uint16).reshape(-1, 1))
            assert wrong == 0, f"{trace.name}: file {file}"
            tried += len(order)
    assert tried > 200


def test_tables_do_not_depend_on_the_kernel(adapter: CrashFormat, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(adapter.format, "full", every=2003)
    with_kernel = judged_shard(plan, 0).table()
    asked = reading_of(adapter)
    monkeypatch.setenv(SWITCH, "0")
    assert reading_of(adapter) is not asked
    without = judged_shard(plan, 0).table()
    assert with_kernel.num_rows > 1000
    assert with_kernel.equals(without)


def test_other_readers_are_read_without_the_kernel(adapter: CrashFormat) -> None:
    """A reader that tells other things apart must not be given one answer for all it cannot see."""
    _, point, codes = max(points(adapter, 2003), key=lambda entry: len(entry[2]))

    class Bytes:
        def recover(self, files: Mapping[str, bytes], *, edition: str, policy: str) -> Answer:
            return Answer((str(zlib.crc32(b"".join(files[name] for name in sorted(files)))),))

    readers = (StateReader("strict", "strict"),)
    other = replace(adapter, implementation=Bytes, answer=lambda said: said, state_readers=readers)
    found, _ = reading_of(other).answers(point, codes)
    contents = {tuple(sorted(point.materialise(row).items())) for row in codes}
    assert len(set(found)) == len(contents) > 100


def test_answers_are_alike_only_if_no_verdict_tells_them_apart() -> None:
    keys = {"a", "b"}
    assert alike(Answer(("a",)), Answer(("a",)), keys)
    assert not alike(Answer(("a",)), Answer(("b",)), keys)
    assert not alike(Answer(("a",)), Answer(("a",), reported=True), keys)
    assert alike(Answer(("a", "x")), Answer(("y",), aside=("b",)), keys)
    assert alike(Answer(("a",), aside=("x",)), Answer(("y",)), keys)
    assert not alike(Answer(("x",)), Answer(("a",)), keys)
    assert not alike(Answer(("x",)), Answer((), "bad-checksum"), keys)


def test_the_checksum_is_zlibs() -> None:
    import numba

    from journalspec_corpus.crash import compiled

    @numba.njit  # type: ignore[untyped-decorator]  # Numba has no types; and only compiled code calls it
    def crc32(data: Any, start: int, end: int, crc: int) -> Any:
        return compiled.crc32(data, start, end, crc)

    data = np.frombuffer(bytes(range(7, 250)) * 3, np.uint8)
    for start, end in ((0, 0), (0, 1), (3, 10), (1, 9), (5, 700), (13, 729)):
        assert int(crc32(data, start, end, 0)) == zlib.crc32(data[start:end].tobytes())
    head = zlib.crc32(data[:24].tobytes())
    assert int(crc32(data, 29, 700, head)) == zlib.crc32(data[29:700].tobytes(), head)
