"""New stores process most records in bulk; the result equals that of single records."""

from __future__ import annotations

import random
from itertools import chain
from pathlib import Path

import pytest

from journalspec.jboss_journal import LAYOUT
from journalspec.reread import Changed
from journalspec_corpus.draws import drawn_cases
from journalspec_reference.answers import SALVAGE, ask
from journalspec_reference.batches import Memory
from journalspec_reference.bitronix_tlog.codec import DISK, HEADER_SIZE, encode
from journalspec_reference.bitronix_tlog.scan import gtrids, of_gtrids, scan
from journalspec_reference.filesets import Journal, find_journals, load
from journalspec_reference.jboss_journal.bodies import Body, BodyColumns
from journalspec_reference.jboss_journal.recover import ReplayedState
from journalspec_reference.kahadb_journal.codec import CommandError, places
from journalspec_reference.kahadb_journal.records import TRANSACTION, transaction_in

NUMBERS = range(40)


def one_by_one(found: BodyColumns) -> list[Body]:
    each = zip(found.places, found.codes, found.heads, found.starts, strict=True)
    return [
        Body(place, code, ident, kind, found.data, start, start + size)
        for place, code, (ident, size, kind), start in each
    ]


def alike(item: Body) -> tuple[int, int, int, int, bytes]:
    return item.place, item.code, item.id, item.user_type, item.stored


@pytest.mark.parametrize("number", NUMBERS)
def test_columns_of_live_records_equal_the_single_records(number: int) -> None:
    (case,) = drawn_cases("jboss_journal", 47, [number])
    files = dict(case.files())
    state = ask(Journal("jboss_journal", case.edition, files, params=case.params), SALVAGE).observation.state
    if not isinstance(state, ReplayedState):
        return
    replay = state.replay
    items = [*map(alike, replay.live())]
    columns = chain.from_iterable(map(one_by_one, replay.live_columns()))
    assert [*map(alike, columns)] == items
    places = [place for _, place in replay.live_places()]
    random.Random(number).shuffle(places)
    found = chain.from_iterable(map(one_by_one, replay.columns(places)))
    assert [*map(alike, found)] == [*map(alike, replay.bodies(places))]


def journal(sizes: list[int]) -> bytes:
    """Return a file of records with bodies of these sizes; each has one update."""
    data = LAYOUT.build("header", "v2", format_version=2, file_id=1)
    for number, size in enumerate(sizes):
        body = bytes([number % 251]) * size
        data += LAYOUT.build("record", "v2", "ADD", file_id=1, id=number, body=body)
        data += LAYOUT.build("record", "v2", "UPDATE", file_id=1, id=number, body=b"changed")
    return data


@pytest.mark.parametrize("size", [0, 50, 3000, 5000, 70_000])
def test_columns_contain_bodies_of_any_size(size: int) -> None:
    sizes = [size] * 600 if size < 5000 else [size, 10, size] * 20
    state = ask(Journal("jboss_journal", "v2", {"a-1.hq": journal(sizes)}), SALVAGE).observation.state
    assert isinstance(state, ReplayedState)
    found = [*chain.from_iterable(map(one_by_one, state.replay.live_columns()))]
    assert [len(item.stored) for item in found[::2]] == sizes
    assert [*map(alike, found)] == [*map(alike, state.replay.live())]


def test_records_that_have_vanished_are_reported_as_a_change(tmp_path: Path) -> None:
    data = journal([100] * 600)
    (tmp_path / "a-1.hq").write_bytes(data)
    answer = ask(find_journals(load(tmp_path))[0], SALVAGE)
    assert isinstance(answer.observation.state, ReplayedState)
    (tmp_path / "a-1.hq").write_bytes(data[:40_000] + bytes(len(data) - 40_000))
    with pytest.raises(Changed, match=r"a-1\.hq"):
        for _ in answer.observation.state.replay.live_columns():
            pass


def test_update_long_after_its_record_is_not_missing() -> None:
    build, count = LAYOUT.build, 10_000
    adds = [build("record", "v2", "ADD", file_id=1, id=number, body=b"") for number in range(count)]
    late = build("record", "v2", "UPDATE", file_id=1, id=3, body=b"")
    stray = build("record", "v2", "UPDATE", file_id=1, id=count, body=b"")
    data = build("header", "v2", format_version=2, file_id=1) + b"".join([*adds, late, stray])
    seen = ask(Journal("jboss_journal", "v2", {"a-1.hq": data}), SALVAGE).observation
    assert [(entry.code, entry.name) for entry in seen.missing] == [("record", str(count))]


# Bitronix logs.


def log(*gtrids_: bytes) -> bytes:
    head, statuses = bytes(HEADER_SIZE), (2, 8, 3)
    return head + b"".join(encode(status, each, (b"db1",), 9, 1) for each in gtrids_ for status in statuses)


def test_records_of_transactions_equal_those_of_a_scan() -> None:
    names = [b"srv" + number.to_bytes(9) for number in range(3000)]
    data, wanted = log(*names), {names[0], names[1700], names[-1]}
    found = [*of_gtrids(Memory(data), HEADER_SIZE, len(data), wanted, "a")]
    batches = [*scan(Memory(data), HEADER_SIZE, len(data), DISK)]
    assert found == [
        (gtrid, batch.base + at, batch.base + end, status)
        for batch in batches
        for gtrid, at, end, status in zip(gtrids(batch), batch.off, batch.end, batch.code, strict=True)
        if gtrid in wanted
    ]
    assert len(found) == 9


@pytest.mark.parametrize("size", [0, 1, 50, 1 << 31, 0xFFFFFFFF])
def test_log_whose_lengths_have_changed_is_not_copied(size: int) -> None:
    data = bytearray(log(b"one", b"two"))
    data[HEADER_SIZE + 4 : HEADER_SIZE + 8] = size.to_bytes(4)
    with pytest.raises(Changed, match="a changed"):
        list(of_gtrids(Memory(bytes(data)), HEADER_SIZE, len(data), {b"one"}, "a"))


# KahaDB journals.


def test_transaction_is_found_in_every_field_of_a_message() -> None:
    """The quick search agrees with a full reading of each field, for valid and damaged bytes."""
    drawn, named = random.Random(47), 0
    fields = [b"\x0a\x03abc", b"\x12\x02de", b"\x28\x07", b"\x28\xff\x01", b"\x22\x90\x01" + bytes(144)]
    fields += [
        b"\x8a\x00\x01x",
        b"\x8a\x01\x01x",
        b"\x22\x83\x00abc",
        b"\x39" + bytes(8),
        b"\x0a\x00",
        b"\x22\x85",
    ]
    for _ in range(4000):
        message = b"".join(drawn.choices(fields, k=drawn.randrange(5)))
        size = max(0, len(message) + drawn.choice([0, 0, 0, -1, 2]))
        length = bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])
        record = b"\0\0\0\0\1\1" + length + message + bytes(drawn.choice([0, 0, 3]))
        begin = len(record) - len(record[6 + len(length) :])
        try:
            found = [
                record[start:end]
                for key, start, end in places(record, begin, min(len(record), begin + size))
                if key == TRANSACTION
            ]
        except CommandError:
            with pytest.raises(CommandError):
                transaction_in(record)
            continue
        assert transaction_in(record) == (b"".join(found) if found else None)
        named += bool(found)
    assert named > 100
