"""A file that is gone counts as fine; the writer makes none go, or come back, that would change a verdict."""

from __future__ import annotations

from typing import Any

import pytest

from journalspec.jboss_journal import LAYOUT
from journalspec.layout import laid
from journalspec_reference import load
from journalspec_reference.storage import MemoryStorage

REFERENCE = load("jboss_journal")
PARAMS = {"prefix": "jbm-data", "extension": "jbm", "file_size": "1024"}
LISTING = ("seed", "seed+hash", "s1")
#: Enough to use, leave and reclaim a few files.
WORK = [
    {"op": "add", "id": "9"},
    {"op": "next"},
    {"op": "delete", "id": "9"},
    {"op": "next"},
    {"op": "reclaim"},
]


def build_record(edition: str, kind: str, file_id: int, **fields: Any) -> bytes:
    if "pairs" in fields:
        fields["pairs"] = [{"file_id": listed, "count": count} for listed, count in fields["pairs"]]
    return LAYOUT.build("record", edition, kind, file_id=file_id, **fields)


def build_file(edition: str, file_id: int, records: list[bytes]) -> bytes:
    return laid([LAYOUT.build("header", edition, file_id=file_id), *records], 1024, ord("J"))


def state_of(files: dict[str, bytes], edition: str) -> Any:
    return REFERENCE.recover(files, edition=edition, params=PARAMS).state


def after_work(files: dict[str, bytes], edition: str) -> dict[str, bytes]:
    storage = MemoryStorage(dict(files))
    writer = REFERENCE.writer(storage, edition=edition, params=PARAMS)
    for op in [{"op": "open"}, *WORK, *WORK, {"op": "close"}]:
        writer.apply(op)
    return {name: bytes(storage.read(name, 0, storage.size(name))) for name in storage.names()}


@pytest.mark.parametrize("edition", LISTING)
@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("ending", ["COMMIT", "PREPARE"])
def test_a_rejected_transaction_stays_rejected(edition: str, left: int, ending: str) -> None:
    first = [build_record(edition, "ADD_TX", 1, tx=1, id=number) for number in range(left)]
    second = [
        build_record(edition, "ADD_TX", 2, tx=1, id=5),
        build_record(edition, ending, 2, tx=1, pairs=[(1, 2), (2, 1)]),
        build_record(edition, "ADD", 2, id=7),
    ]
    files = {
        "jbm-data-1.jbm": build_file(edition, 1, first),
        "jbm-data-2.jbm": build_file(edition, 2, second),
    }
    before = state_of(files, edition)
    assert [item["tx"] for item in before["discarded"]] == [1]
    for _ in range(3):
        files = after_work(files, edition)
        assert state_of(files, edition) == before


@pytest.mark.parametrize("edition", LISTING)
def test_the_id_of_a_file_that_is_gone_does_not_come_back(edition: str) -> None:
    records = [
        build_record(edition, "ADD_TX", 1, tx=1, id=5),
        build_record(edition, "COMMIT", 1, tx=1, pairs=[(1, 1), (2, 1), (3, 4)]),
    ]
    files = {"jbm-data-1.jbm": build_file(edition, 1, records)}
    before = state_of(files, edition)
    assert [item["id"] for item in before["live"]] == [5]
    files = after_work(files, edition)
    assert state_of(files, edition) == before
    assert not {2, 3} & {
        entry.header["file_id"] for entry in REFERENCE.read(files, edition=edition, params=PARAMS).files
    }


@pytest.mark.parametrize("edition", ["seed", "s1", "s2", "v2"])
def test_no_file_is_created_over_another_one(edition: str) -> None:
    record = build_record(edition, "ADD", 1, id=5)
    live = build_file(edition, 1, [record])
    files = {"jbm-data-2.jbm": live, "jbm-data-3.jbm": build_file(edition, 2, [])}
    after = after_work(files, edition)
    assert record in after["jbm-data-2.jbm"]
    assert [item["id"] for item in state_of(after, edition)["live"]] == [5]
