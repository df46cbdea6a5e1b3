"""SwiftMQ's transaction log: reads of any length give the same records, columns and end."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from disks import Disk
from journalspec_corpus.strategies import faults, journals
from journalspec_reference.batches import STRETCH, Memory
from journalspec_reference.content import Content
from journalspec_reference.swiftmq_store import scan
from journalspec_reference.swiftmq_store.recover import told
from journalspec_reference.swiftmq_store.scan import Log, ReplayedPages
from journalspec_reference.swiftmq_store.store import LOG, PAGES

STRETCHES = (10, 64, 100, 1000, 4096, STRETCH)
STEADY = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
GENERATION = 7


def portion(page: int, off: int, before: bytes | None, after: bytes) -> bytes:
    there = b"\0" if before is None else b"\1" + struct.pack(">i", len(before)) + before
    return struct.pack(">iii", 4, page, off) + there + struct.pack(">i", len(after)) + after


def record(kind: int, *actions: bytes) -> bytes:
    return struct.pack(">iqqi", kind, GENERATION, 3, len(actions)) + b"".join(actions)


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    """Draw a log with a START, for pages of 64 bytes, with all kinds of actions and perhaps with changed
    bytes.
    """
    page, image = st.integers(0, 5), st.binary(max_size=20)
    picture = st.builds(
        lambda number, free: struct.pack(">iBB", number, 1, free) + (b"" if free else b"\5" * 64),
        page,
        st.booleans(),
    )
    action = st.one_of(
        st.builds(lambda at: struct.pack(">ii", 1, at), page),
        st.builds(lambda at, was: struct.pack(">iii", 3, at, len(was)) + was, page, image),
        st.builds(portion, page, st.sampled_from((0, 1, 5, 9, 13, 30)), st.none() | image, image),
        st.builds(lambda one, other: struct.pack(">i", 2) + one + other, picture, picture),
    )
    transaction = st.builds(
        lambda kind, actions: record(kind, *actions), st.sampled_from((2, 2, 3)), st.lists(action, max_size=8)
    )
    out = bytearray(struct.pack(">iq", 1, GENERATION) + b"".join(draw(st.lists(transaction, max_size=12))))
    for at in draw(st.lists(st.integers(0, len(out) - 1), max_size=2)):
        out[at] = draw(st.sampled_from((0, 1, 2, 3, 4, 127, 255)))
    return bytes(out) + draw(st.sampled_from((b"", bytes(3), bytes(100), record(2)[:11], b"\xff" * 30)))


def scanned(log: Log, stretch: int) -> Any:
    """Return the result of a scan: the reported records, the damage, and the offset and the reason of the
    log's end.
    """
    records, damage = [], []
    for batch in log.scan(stretch=stretch):
        records += [each.to_json() for each in told(log, "log", batch)]
        damage += batch.damage
    return records, damage, log.end, log.reason, log.alarming


@STEADY
@given(logs())
def test_every_read_size_gives_the_same_records_and_pages(data: bytes) -> None:
    wanted = scanned(Log(Memory(data), 64, 4), STRETCH)
    pages = bytes(range(256))
    made = [_replayed(Memory(pages), Memory(data), STRETCH, 1 << 20)]
    for stretch in STRETCHES:
        assert scanned(Log(Memory(data), 64, 4), stretch) == wanted
        # The files are read from a disk, with and without a page in memory.
        made += [_replayed(Content(Disk(pages)), Content(Disk(data)), stretch, kept) for kept in (0, 64)]
    assert made == [made[0]] * len(made)


def _replayed(pages: Any, data: Any, stretch: int, kept: int) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "SETTLED", kept)
        found, log = ReplayedPages(pages, 64, data), Log(data, 64, 4)
        for batch in log.scan(stretch=stretch):
            found.take(batch)
        return [found[number] for number in range(found.count)], found.gone, found.unlike, [*found.changed]


@STEADY
@given(st.data())
def test_every_read_size_gives_the_same_result_for_damaged_stores(data: st.DataObject) -> None:
    fault = data.draw(faults(data.draw(journals("swiftmq_store", "13"))))
    content, pages = fault.files.get(LOG, b""), len(fault.files.get(PAGES, b"")) // 2048
    wanted = scanned(Log(Memory(content), 2048, pages), STRETCH)
    beyond = [*Log(Memory(content), 2048, pages).beyond(0, len(content))]
    for stretch in STRETCHES:
        log = Log(Memory(content), 2048, pages)
        assert scanned(log, stretch) == wanted
        assert [*log.beyond(0, len(content), stretch)] == beyond


def test_record_longer_than_a_read_block_is_read_with_any_end_of_the_log() -> None:
    long = record(2, *[portion(1, 13, b"abcd", b"efgh")] * 5000)
    start = struct.pack(">iq", 1, GENERATION)
    for end, reason in ((b"", ""), (long[:-1], "bad-record"), (bytes(50), "not-a-record")):
        data = start + record(2) + long + record(3) + end
        for stretch in (100, 4096, STRETCH):
            log = Log(Memory(data), 2048, 4)
            places = [
                (batch.base + off, batch.base + stop)
                for batch in log.scan(stretch=stretch)
                for off, stop in zip(batch.off, batch.end, strict=True)
            ]
            sizes = [stop - off for off, stop in places]
            assert (sizes, log.end, log.reason) == ([12, 24, len(long), 24], len(data) - len(end), reason)


def test_part_of_a_log_is_scanned_separately() -> None:
    data = struct.pack(">iq", 1, GENERATION) + record(2) * 10 + bytes(99)
    (batch,) = Log(Memory(data), 2048, 4).scan(12 + 24, 12 + 5 * 24)
    assert (batch.base, [*batch.off], batch.damage) == (36, [0, 24, 48, 72], [])
