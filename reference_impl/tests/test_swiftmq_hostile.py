"""SwiftMQ's file store: reading a hostile store ends, at a cost proportional to its size."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import pytest

from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.swiftmq_store import IMPLEMENTATION
from journalspec_reference.swiftmq_store.recover import recover
from journalspec_reference.swiftmq_store.scan import ReplayedPages
from journalspec_reference.swiftmq_store.store import LOG, PAGES
from work import Counted, work


def page(entries: bytes = b"", number: int = 0, following: int = -1) -> bytes:
    return (b"\0" + struct.pack(">iiii", -1, following, number, number) + entries).ljust(2048, b"\0")


def queue_row(key: int, at: int) -> bytes:
    return struct.pack(">Biiqqii", 1, 4, 1, 0, key, at, 0)


def root_rows(*queues: tuple[bytes, int]) -> bytes:
    rows = (b"\1" + struct.pack(">i", len(name)) + name + struct.pack(">ii", at, 0) for name, at in queues)
    return page(b"".join(rows), len(queues))


def test_cyclic_pages_of_a_queue_or_of_the_branches_end() -> None:
    content = b"\0\0\0\1" + bytes(43) + b"\2hi"
    circle = (b"\0" + struct.pack(">iii", -1, 3, 13 + len(content)) + content).ljust(2048, b"\0")
    for first, second in ((b"a", b"sys$prepared"), (b"sys$prepared", b"z")):
        pages = root_rows((first, 1), (second, 2)) + page(queue_row(0, 3), 1) * 2 + circle
        found = recover({PAGES: pages})
        listed = {queue.name: [entry.why for entry in queue.entries] for queue in found.queues}
        assert listed[b"a" if first == b"a" else b"z"] == [None]
        assert found.refused == ("bad-branch", listed[b"sys$prepared"][0])


def test_sparse_page_file_takes_memory_only_for_its_content(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    with (tmp_path / PAGES).open("wb") as stream:
        stream.write(root_rows((b"q", 1)) + page(queue_row(0, 9), 1))
        stream.truncate(1 << 40)
    (journal,) = find_journals(load(tmp_path))
    tracemalloc.start()
    try:
        answer = ask(journal).observation
        spans = sum(1 for _ in IMPLEMENTATION.spans(journal.files, edition="13"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert answer.verdict == "recovered"
    assert (spans < 100, peak < 1 << 23) == (True, True)


def test_memory_for_many_tiny_entries_is_a_few_times_their_bytes() -> None:
    pages = [
        page(b"".join(queue_row(at * 61 + key, 1 << 20) for key in range(61)), 61, at + 2)
        for at in range(40_000 // 61)
    ]
    files = {PAGES: root_rows((b"q", 1)) + b"".join(pages)}
    tracemalloc.start()
    try:
        answer = IMPLEMENTATION.read(files, edition="13")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert answer.verdict == "recovered"
    assert peak < 12 * len(files[PAGES]) + (2 << 20)


def test_only_the_first_of_many_remarks_are_listed_and_the_rest_counted() -> None:
    rows = b"".join(queue_row(at, 9) for at in range(61))
    pages = root_rows((b"q", 1)) + b"".join(page(rows, 61, at + 2) for at in range(20)) + page(rows, 61)
    answer = IMPLEMENTATION.read({PAGES: pages}, edition="13")
    told = [note for note in answer.notes if note.code == "key-order"]
    assert (len(told), told[-1].text) == (20, "key 0 follows key 60")
    bad = [note for note in answer.notes if note.code == "bad-message"]
    assert (len(bad), bad[-1].text) == (1001, "and 281 more")


def test_too_many_notes_are_counted() -> None:
    pages = [page(following=at + 2 if at < 1200 else -1) for at in range(1201)]
    seen = IMPLEMENTATION.read({PAGES: root_rows((b"q", 1)) + b"".join(pages)}, edition="13")
    links = [note.text for note in seen.notes if note.code == "wrong-link"]
    assert links == [""] * 1000 + ["and 200 more"]


def test_page_that_many_queues_refer_to_is_rebuilt_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many queues refer to page 1, and the log has many changes of this page."""
    change = bytes.fromhex("00000004 00000001 00000400 00 00000001 55")
    log = struct.pack(">iqiqqi", 1, 7, 2, 7, 0, 1000) + change * 1000
    made: list[int] = []
    make = ReplayedPages.__getitem__

    def counted(pages: ReplayedPages, number: int) -> bytes:
        made.append(number)
        return make(pages, number)

    monkeypatch.setattr(ReplayedPages, "__getitem__", counted)
    found = recover({PAGES: root_rows(*[(b"", 1)] * (2031 // 13)) + page(), LOG: log})
    assert found.dropped == {b"": "page 1 is referred to twice"}
    assert made == [0, 1]


def test_page_is_not_copied_for_each_value_of_a_message() -> None:
    """A message of 30,000 values has three pages of 64 KiB."""
    size, room = 1 << 16, (1 << 16) - 13
    content = struct.pack(">iqiqii?", 4, 0, 4, 0, 0, 2, False) + bytes(11)  # A stream.
    content += struct.pack(">i", 30_000) + struct.pack(">ib", 7, 1) * 30_000
    pages = [index.ljust(size, b"\0") for index in (root_rows((b"q", 1)), page(queue_row(0, 2), 1))]
    for number in (2, 3, 4):
        part = content[(number - 2) * room :][:room]
        links = number - 1 if number > 2 else -1, number + 1 if number < 4 else -1
        pages.append((b"\0" + struct.pack(">iii", *links, 13 + len(part)) + part).ljust(size, b"\0"))
    files = {PAGES: Counted(b"".join(pages))}
    (queue,) = recover(files, size).queues
    assert queue.entries.listed(0).length == len(content)
    assert work(lambda: recover(files, size))[1] < 10 * len(files[PAGES])
