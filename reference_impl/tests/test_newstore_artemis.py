"""New stores of small stores of Artemis 2: counters, pages, priorities and sizes of files."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

import pytest

from artemis_store import add, message, paged, queue, simple, update, with_pages, write, xid
from journalspec.observation import CLEAN
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.contents import contents
from journalspec_reference.filesets import Journal, find_journals, load
from journalspec_reference.jboss_journal.codec import DIALECTS, LONG_HEADER
from journalspec_reference.jboss_journal.contents import BrokerContents
from journalspec_reference.jboss_journal.packing import NewRecord, Packing, packing_of
from journalspec_reference.newstore import LossItem, NewStore, StoreChoices, new_store

Made = tuple[str, int, int, bytes]
ADDRESS = simple("orders") + struct.pack(">ibb", 1, 1, 0)


def asked(directory: Path, policy: str = SALVAGE) -> Answer:
    return ask(find_journals(load(directory))[0], policy)


def remade(answer: Answer, target: Path) -> BrokerContents:
    for file in new_store(answer, StoreChoices()).files():
        path = target / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(file.parts))
    again = asked(target / "journal", "strict")
    assert again.observation.verdict == CLEAN
    found = contents(again)
    assert isinstance(found, BrokerContents)
    return found


@pytest.mark.parametrize(
    ("more", "tx", "bindings", "page", "counter"),
    [
        ([], 0, [], b"", 11),
        ([add(4000), update(4000, 32, 7)], 0, [], b"", 4001),
        ([("ADD", 9000, 37, simple("orders") + struct.pack(">i", 2) + b"id")], 0, [], b"", 9001),
        ([("ADD_TX", 11, 45, message(11))], 7000, [], b"", 7001),
        ([("ADD_TX", 7100, 45, message(7100))], 50, [], b"", 7101),
        ([], 0, [("ADD", 6000, 44, ADDRESS)], b"", 6001),
        ([], 0, [("ADD", 6000, 21, queue("other"))], b"", 6001),
        ([], 0, [], paged(message(8000), [7]), 8001),
        # A counter that is too low is raised; a higher one stays unchanged.
        ([], 0, [("ADD", 3, 24, struct.pack(">q", 4))], b"", 10),
        ([], 0, [("ADD", 3, 24, struct.pack(">q", 1 << 31))], b"", 1 << 31),
    ],
)
def test_counter_of_ids_is_at_least_the_largest_id_in_use(
    more: list[Made], tx: int, bindings: list[Made], page: bytes, counter: int, tmp_path: Path
) -> None:
    records = [add(10), update(10, 32, 7), *more]
    old = with_pages(tmp_path / "old", [], page)
    write(old / "activemq-data-1.amq", records, tx, xid())
    write(old.parent / "bindings" / "activemq-bindings-1.bindings", [("ADD", 7, 21, queue("a")), *bindings])
    assert remade(asked(old), tmp_path / "new").store.bindings.counter == counter


@pytest.mark.parametrize(("priority", "fits"), [(0, True), (9, True), (10, False), (-1, False)])
def test_message_with_an_invalid_priority_is_omitted(priority: int, fits: bool, tmp_path: Path) -> None:
    number = struct.pack(">qb", 1000, 4)
    assert message(10).count(number) == 1
    stored = message(10).replace(number, struct.pack(">qb", 1000, priority))
    old = with_pages(tmp_path / "old", [add(10, stored), update(10, 32, 7), add(11), update(11, 32, 7)], b"")
    answer = asked(old)
    found = remade(answer, tmp_path / "new")
    assert [row["id"] for row in found.rows("messages")] == ([10, 11] if fits else [11])
    left = [(item.id, item.code) for item in new_store(answer, StoreChoices()).left_out()]
    assert left == ([] if fits else [("10", "undecodable")])


def left_out(store: NewStore) -> list[LossItem]:
    return [item for item in store.left_out() if item.what == "message"]


@pytest.mark.parametrize(
    ("records", "ids"),
    [
        ([], ["20", "21"]),
        ([("ADD", 30, 39, struct.pack(">qqi", 7, 1, 1))], ["20"]),
        ([("ADD", 30, 42, struct.pack(">qqi", 7, 1, 1))], []),
        # Another queue has acknowledged the message.
        ([("ADD", 30, 42, struct.pack(">qqi", 8, 1, 1))], ["20", "21"]),
    ],
)
def test_message_that_an_omitted_queue_acknowledged_in_pages_is_not_a_loss(
    records: list[Made], ids: list[str], tmp_path: Path
) -> None:
    first = paged(message(20), [7, 8])
    old = with_pages(tmp_path, records, first + paged(message(21), [7, 8]))
    items = left_out(new_store(asked(old), StoreChoices(queues=("b",))))
    assert [item.id for item in items] == ids
    place = {"20": 5, "21": 5 + len(first)}
    for item in items:
        assert (item.queue, item.code, item.length) == ("a", "not-asked-for", len(message(20)))
        assert (item.file, item.off) == ("1f/000000001.page", place[item.id] - 5)


@pytest.mark.parametrize(
    ("stored", "kept"),
    [
        (struct.pack(">qq", 7, 5), struct.pack(">qq", 7, 2)),
        (struct.pack(">qqq", 7, 5, 900), struct.pack(">qqq", 7, 2, 2 * len(message(20)))),
    ],
)
def test_counter_of_a_queue_equals_the_content_of_its_pages(
    stored: bytes, kept: bytes, tmp_path: Path
) -> None:
    """The counter keeps its form, because older versions do not count bytes."""
    page = paged(message(20), [7]) + paged(message(21), [7])
    old = with_pages(tmp_path / "old", [("ADD", 30, 40, stored)], page)
    found = remade(asked(old), tmp_path / "new")
    counters = [each for each in found.store.replay.live() if each.user_type == 40]
    assert [each.data[each.start : each.end] for each in counters] == [kept]


def pages_of(new: Path) -> dict[str, dict[str, list[int]]]:
    """Return the ids of the queues' messages in each page of a new store, by address."""
    found: dict[str, dict[str, list[int]]] = {}
    opened = contents(asked(new / "journal"))
    assert isinstance(opened, BrokerContents)
    for file, entry, queues in opened.store.pending_entries():
        ids = found.setdefault(file.address, {}).setdefault(Path(file.name).name, [])
        ids += [entry.message().id] * len(queues)
    return found


def test_message_sent_to_a_queue_by_name_is_in_a_page_of_the_address(tmp_path: Path) -> None:
    """Artemis finds pages by the address of a queue. Such a message has the address ADDRESS::QUEUE."""
    pages = b"".join(paged(message(ident, address="orders::a"), [7]) for ident in (20, 21))
    old = with_pages(tmp_path / "old", [], pages)
    remade(asked(old), tmp_path / "new")
    assert pages_of(tmp_path / "new") == {"orders": {"000000001.page": [20, 21]}}


def test_recreated_queue_has_the_metadata_that_artemis_reads(tmp_path: Path) -> None:
    """Artemis does not start without the metadata. ADDRESS::QUEUE contains both names."""
    old = with_pages(tmp_path / "old", [], paged(message(20, address="orders::a"), [7]))
    (old.parent / "paging" / "1f" / "address.txt").write_text("orders::a")
    (old.parent / "bindings" / "activemq-bindings-1.bindings").unlink()
    found = remade(asked(old), tmp_path / "new")
    rows = [(row["queue"], row["address"], row["metadata"]) for row in found.rows("queues")]
    assert rows == [("a", "orders", "")]
    assert pages_of(tmp_path / "new") == {"orders": {"000000001.page": [20]}}


def test_recreated_queues_have_the_address_of_most_of_their_messages(tmp_path: Path) -> None:
    """With different addresses, only one of the queues would find the pages that they share."""
    pages = paged(message(20, address="ordErs"), [7, 8]) + b"".join(
        paged(message(ident), [7, 8]) for ident in (21, 22)
    )
    old = with_pages(tmp_path / "old", [add(10), update(10, 32, 7)], pages)
    (old.parent / "paging" / "1f" / "address.txt").write_text("oRders")
    (old.parent / "bindings" / "activemq-bindings-1.bindings").unlink()
    found = remade(asked(old), tmp_path / "new")
    assert [row["address"] for row in found.rows("queues")] == ["orders", "orders"]
    assert pages_of(tmp_path / "new") == {"orders": {"000000001.page": [20, 20, 21, 21, 22, 22]}}


def test_pages_are_stored_under_the_address_of_their_queues(tmp_path: Path) -> None:
    """If the number of a page is taken, the page receives another number.

    Its acknowledged messages stay acknowledged.
    """
    done = ("ADD", 30, 39, struct.pack(">qqi", 7, 1, 0))
    first = b"".join(paged(message(ident), [7]) for ident in (20, 21, 22))
    old = with_pages(tmp_path / "old", [done], first)
    bindings = old.parent / "bindings" / "activemq-bindings-1.bindings"
    write(bindings, [("ADD", 7, 21, queue("a")), ("ADD", 9, 21, queue("c", address="other"))])
    other = old.parent / "paging" / "2f"
    other.mkdir()
    (other / "address.txt").write_text("other\n")
    (other.parent / "1f" / "000000003.page").write_bytes(paged(message(25, address="other"), [9]))
    (other / "000000001.page").write_bytes(b"".join(paged(message(ident), [7]) for ident in (23, 24)))
    (other / "000000002.page").write_bytes(paged(message(26, address="other"), [9]))
    remade(asked(old), tmp_path / "new")
    assert pages_of(tmp_path / "new") == {
        "orders": {"000000001.page": [21, 22], "000000004.page": [24]},
        "other": {"000000002.page": [26], "000000003.page": [25]},
    }
    assert {path.name for path in (tmp_path / "new" / "paging").iterdir()} == {"1f", "2f"}


def packing(sizes: Mapping[int, int], **params: str) -> Packing:
    """Return the properties of new files, for old files with these numbers and sizes (in bytes)."""
    form = Packing(DIALECTS["v2"], "", "activemq-data", "amq", 1024)
    (first, *_) = (b"".join(file.parts) for file in form.files([NewRecord(11, 1, 7, b"one")]))
    files = {
        f"activemq-data-{number}.amq": (LONG_HEADER.pack(2, 0, number) + first[16:]).ljust(size, b"\0")
        for number, size in sizes.items()
    }
    return packing_of(ask(Journal("jboss_journal", "v2", files, params=params), SALVAGE))


def test_new_files_have_the_form_of_most_old_ones() -> None:
    assert LONG_HEADER.size == 16
    assert packing({1: 2048, 2: 2048, 3: 8192}).size == 2048
    assert packing({1: 2048, 2: 8192}).size == 8192
    assert packing({1: 2048}, file_size="4096").size == 4096
    assert packing({1: 2048}, user_version="5").header(3) == struct.pack(">iiq", 2, 5, 3)
