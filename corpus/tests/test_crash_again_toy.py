"""A third format adds a small ``resume``: a toy log whose reader ends at the first record that is none.

Records are a length, that many bytes and their sum, one after the other over zeros. All that is
generic (choosing states, what stands, what is owed, verdicts) works on it, and tells a writer that
appends where the reader ends from one that appends behind whatever is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from journalspec_corpus.crash import second_crash
from journalspec_corpus.crash.adapter import CrashFormat, StateReader
from journalspec_corpus.crash.persistence import get_preset
from journalspec_corpus.crash.second_crash import CrashImage, Life, SecondLife, SecondLives
from journalspec_corpus.crash.trace import SECOND_LIFE, Ack, Mark, Op, RecordingStorage, Sync, Trace
from journalspec_corpus.crash.verdict import VERDICTS, Answer
from journalspec_corpus.pipeline.run import Tally, judged_rows
from journalspec_reference.storage import MemoryStorage

#: Any described format will do: the toy brings everything else along.
FORMAT = "bitronix_tlog"
LOG, SIZE = "log", 4096
PRESETS = tuple(map(get_preset, ("prefix-sector-512", "epoch-subset-512")))


@dataclass(frozen=True)
class Toy:
    """So many records of `size` bytes, the first promised and the others not yet."""

    size: int
    count: int = 2

    @property
    def name(self) -> str:
        return f"toy/{self.size}x{self.count}"


def encode(fill: int, size: int) -> bytes:
    body = bytes([fill]) * size
    return size.to_bytes(2, "big") + body + (sum(body) % 251).to_bytes(1, "big")


def walk(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, body) of every record up to the first that is none."""
    at = 0
    while at + 3 <= len(data):
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        if end == at + 2 or end >= len(data) or sum(data[at + 2 : end]) % 251 != data[end]:
            return
        yield at, data[at + 2 : end]
        at = end + 1


def append(storage: RecordingStorage, at: int, record: str, fill: int, size: int) -> int:
    data = encode(fill, size)
    storage.write(LOG, at, data)
    storage.note(Mark(record, LOG, at, len(data), data[2:-1].hex(), ((0, "length"), (2, "body"))))
    return at + len(data)


def record_first_life(work: Toy) -> Trace:
    storage = RecordingStorage(MemoryStorage({LOG: bytes(SIZE)}))
    at = append(storage, 0, "r0", 0x30, work.size)
    storage.sync(LOG)
    storage.note(Ack(("r0",)))
    for number in range(1, work.count):
        at = append(storage, at, f"r{number}", 0x30 + number, work.size)
    storage.sync(LOG)
    return Trace(
        FORMAT, "1", work.name, {LOG: bytes(SIZE)}, tuple(storage.ops), "zero", tags={"kind": "append"}
    )


class Implementation:
    """Who reads the toy; what it says is what is judged."""

    def recover(self, files: Mapping[str, bytes], *, edition: str, policy: str) -> Answer:
        return Answer(tuple(body.hex() for _, body in walk(files[LOG])))


def end_of_log(data: bytes) -> int:
    """Where the reader ends: what a sound writer goes on from."""
    return max((at + 3 + len(body) for at, body in walk(data)), default=0)


def end_of_bytes(data: bytes) -> int:
    """Behind whatever is there: what a torn record has taken is not used again."""
    return len(data.rstrip(b"\0"))


def resume_with(where: Any, clean: bool) -> SecondLives:
    def live(origin: Toy, life: int, image: CrashImage, then: str) -> Life:
        storage = RecordingStorage(MemoryStorage(dict(image.files)))
        at = where(image.files[LOG])
        if clean:
            # What is behind the end could be taken for records once the gap is closed.
            storage.write(LOG, at, bytes(SIZE - at))
            storage.sync(LOG)
        opened = len(storage.ops)
        for number in range(2 if then == "append" else 0):
            record = f"{SECOND_LIFE}r{number}"
            at = append(storage, at, record, 0x40 + 0x10 * life + number, origin.size)
            storage.sync(LOG)
            storage.note(Ack((record,)))
        ops: tuple[Op, ...] = tuple(storage.ops)
        return Life(ops, opened)

    def second_lives(scope: str) -> Iterator[SecondLife]:
        yield from (SecondLife(Toy(700), choice, "append") for choice in range(4 if scope == "core" else 0))

    unused: Any = None
    return SecondLives(second_lives, live, unused, (), released_is_gone=False)


def toy_room(where: Any, *, clean: bool = True) -> CrashFormat:
    unused: Any = None
    return CrashFormat(
        format=FORMAT,
        first_lives=lambda _: iter([Toy(700)]),
        record=record_first_life,
        state_readers=(StateReader("strict", "strict"),),
        obeys={"": ()},
        implementation=Implementation,
        answer=lambda said: said,
        record_json=unused,
        second=resume_with(where, clean),
    )


def failures(adapter: CrashFormat) -> set[str]:
    """Return the failing verdicts over all workloads of the room."""
    out = set()
    for work in adapter.workloads("core"):
        for rows in judged_rows(adapter.build(work), adapter, PRESETS, 1, Tally()):
            out |= {rows.verdict(0, row) for row in range(len(rows.case_ids))}
    return {name for name in out if VERDICTS[name]}


def test_second_lives_stand_among_the_workloads() -> None:
    works = list(toy_room(end_of_log).workloads("core"))
    assert [work.name for work in works][:2] == ["toy/700x2", "again/0/append/toy/700x2"]
    assert len(works) == 5


def test_a_writer_that_goes_on_where_the_reader_ends_keeps_everything() -> None:
    adapter = toy_room(end_of_log)
    assert failures(adapter) == set()
    traces = [adapter.build(work) for work in adapter.workloads("core") if isinstance(work, SecondLife)]
    assert {mark.record for trace in traces for mark in trace.standing} == {"r0"}
    assert all(isinstance(trace.ops[int(trace.tags["opened"]) - 1], Sync) for trace in traces)


def test_a_writer_that_appends_behind_a_torn_record_loses_what_it_promised() -> None:
    """I9: nothing is wrong after the first crash, and nothing with the bytes of what was appended."""
    assert failures(toy_room(end_of_bytes, clean=False)) == {"append-lost"}


def test_a_third_life_goes_on_from_the_second() -> None:
    adapter = toy_room(end_of_log)
    trace = adapter.build(SecondLife(SecondLife(Toy(700), 0, "append"), 1, "append"))
    assert trace.life == 3
    assert {mark.record for mark in (*trace.standing, *trace.possible)} >= {"r0", "b-r0"}


def test_a_trace_without_a_state_to_go_on_from_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = toy_room(end_of_log)
    first = replace(adapter.build(Toy(700)), edition="2")
    # In no state is all there that is owed.
    monkeypatch.setattr(second_crash, "crash_image", lambda *_, **__: None)
    with pytest.raises(ValueError, match="no crash state to go on from"):
        second_crash.build(SecondLife(Toy(700), 0, "append"), resume_with(end_of_log, True), first)
