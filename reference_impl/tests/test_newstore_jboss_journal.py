"""New stores of the JBoss family have the items that contents report as live; choices take effect."""

from __future__ import annotations

import re
import shutil
import struct
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as ET  # Files of this project.

import newstore_trials
import pytest

from journalspec.observation import CLEAN, RECOVERED
from journalspec_reference import artemis_xml
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.contents import contents
from journalspec_reference.filesets import Journal, find_journals, load
from journalspec_reference.jboss_journal.bodies import Body, Kept
from journalspec_reference.jboss_journal.codec import DIALECTS
from journalspec_reference.jboss_journal.contents import BrokerContents, pending
from journalspec_reference.jboss_journal.contents.core import HEADERS, LONG, id_at, text_bytes
from journalspec_reference.jboss_journal.contents.pending import MESSAGES
from journalspec_reference.jboss_journal.newstore import ABOUT_QUEUES, COUNTERS, BrokerStore
from journalspec_reference.jboss_journal.packing import NewRecord, Packing
from journalspec_reference.newstore import ChoiceRefused, NewStore, StoreChoices, new_store
from tables import literals
from unpacked import unpacked

ROWS = literals(__file__)
#: Columns that a new store may change: the place of a record.
LEFT = {"file", "off"}
TABLES = (
    "messages", "in_doubt", "queues", "addresses", "transactions", "duplicates", "page_transactions",
    "settings",
)  # fmt: skip


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the store of a broker, unpacked; it is only read."""
    return unpacked(
        Path(__file__).parent / "data" / "hornetq_contents.tar.xz", tmp_path_factory.mktemp("source")
    )


def asked(directory: Path, policy: str = SALVAGE) -> Answer:
    return ask(find_journals(load(directory))[0], policy)


def put(store: NewStore, target: Path) -> Path:
    """Write the files of a store; return the directory of its journal."""
    for file in store.files():
        path = target / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as out:
            for part in file.parts:
                assert len(part) <= 1 << 20
                out.write(part)
    return target / "journal" if store.base == ".." else target


def opened(answer: Answer) -> BrokerContents:
    found = contents(answer)
    assert isinstance(found, BrokerContents)
    return found


def remade(answer: Answer, target: Path, **choices: Any) -> tuple[NewStore, BrokerContents]:
    """Return the new store and its contents.

    They lack no bodies except those that the store's report lists.
    """
    store = new_store(answer, StoreChoices(**choices))
    again = asked(put(store, target), "strict")
    lacks = {(entry.code, Path(entry.name).stem) for entry in again.observation.missing}
    codes = ("no-large-file", "short-large-file")
    # Pages list their own messages. The journal lists all other messages.
    items = (item for item in store.unverified() if item.code in codes and "/" not in item.file)
    reported = {("body", item.id) for item in items}
    assert lacks == reported
    assert again.observation.verdict == (RECOVERED if lacks else CLEAN)
    assert not again.observation.dropped
    return store, opened(again)


def table(found: BrokerContents, name: str, *left: str) -> list[dict[str, Any]]:
    return [{key: each for key, each in row.items() if key not in {*LEFT, *left}} for row in found.rows(name)]


def counted(store: NewStore) -> dict[str, tuple[int, int]]:
    return {each.name: (each.rows, each.bytes) for each in store.carried() if each.table == "messages"}


def test_undamaged_store_is_rebuilt_with_all_its_content(source: Path, tmp_path: Path) -> None:
    answer = asked(source / "journal")
    store, after = remade(answer, tmp_path)
    before = opened(answer)
    contents_of = [[(file.name, hash(b"".join(file.parts))) for file in store.files()] for _ in range(2)]
    assert contents_of[0] == contents_of[1]
    # An unread file is not carried over.
    assert [file.name for file in store.files()] == [each for each, _ in contents_of[0]]
    for each in TABLES:
        assert table(after, each) == table(before, each), each
    assert {count.name: (count.rows, count.bytes) for count in before.counts()} == counted(store)
    # A transaction of paged messages was not committed.
    assert {item.code for item in store.left_out()} <= {"no-page-transaction"}
    assert (list(store.unverified()), list(store.chosen())) == ([], [])
    assert not after.remarks.counts
    (old,), (new,) = table(before, "store"), table(after, "store")
    assert new["id_counter"] == old["id_counter"]
    assert not {"33"} & new["types"].keys()  # Acknowledgements are not carried over.
    assert {path.as_posix() for path in store.covers} == {
        f"../{path.name}" for path in source.iterdir() if path.is_dir() and path.name != "journal"
    }


def test_damaged_stores_keep_what_contents_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The committed store and captured journals are damaged; tools/newstore_trials.py checks the rules for
    new stores.
    """
    # The cache may have more stores, which would change the trials, so it is not used.
    store = Path(__file__).parent / "data" / "hornetq_contents.tar.xz"
    monkeypatch.setattr(newstore_trials.Hooks, "stores", lambda _: [store])
    assert newstore_trials.main(["--format", "jboss_journal", "--count", "20"]) == 0
    (kept,) = re.findall(r"^all +(\d+)", capsys.readouterr().out, re.MULTILINE)
    assert int(kept) >= 16


def unaccounted(old: Kept, store: NewStore, new: Kept) -> Iterator[Body]:
    """Yield the live records that are not carried over, not listed as items, and not replaced."""
    items, rest = list(store.left_out()), Counter(map(content_of, new.live()))
    places, left = {(item.file, item.off) for item in items}, {item.id for item in items}
    merged = {(kind, body[:8]) for _, kind, body in rest if kind in (pending.PAGE_TX, pending.COUNTER)}
    live = [(item, *content_of(item)) for item in old.live()]
    acknowledged = {(ident, body[:8]) for _, ident, kind, body in live if kind == pending.ACKNOWLEDGED}
    last = {(ident, kind, body[:8]): item.place for item, ident, kind, body in live}
    for item, ident, kind, body in live:
        of_queue = kind in ABOUT_QUEUES
        settled = of_queue and ((ident, body[:8]) in acknowledged or str(ident) in left)
        # The last record replaces earlier ones; a reference is written once.
        settled |= of_queue and last[ident, kind, body[:8]] != item.place
        settled |= kind == pending.PAGE_TX and (kind, body[:8]) in merged
        settled |= kind in COUNTERS and (pending.COUNTER, body[:8]) in merged
        if rest[ident, kind, body]:
            rest[ident, kind, body] -= 1
        elif old.where(item.place) not in places and not settled:
            yield item


def kept_of(answer: Answer) -> Kept:
    state: Any = answer.observation.state
    kept: Kept = state.replay
    return kept


def content_of(item: Body) -> tuple[int, int, bytes]:
    """Return id, type and body; for messages the body is empty, because the id in it may change."""
    body = b"" if item.user_type in MESSAGES else item.stored
    return item.id, item.user_type, body


def test_each_live_record_is_copied_or_listed() -> None:
    random, codes = Random("records of brokers"), Counter[str]()
    count, two, small = pending.QUEUE_COUNT.pack, pending.TWO_LONGS.pack, LONG.pack
    for _ in range(150):
        wanted = [NewRecord(11, 10, 45, core_message(10)), NewRecord(12, 10, 32, small(7))]
        for number in range(random.randrange(1, 12)):
            ident, queue, page = random.choice((10, 11, 12, 20 + number)), random.choice((7, 8)), number % 3
            bodies = {
                45: core_message(ident), 32: small(queue), 33: small(queue), 34: count(queue, 2),
                35: count(ident, 1), 36: two(queue, 5), 39: pending.PLACE.pack(queue, page, 3),
                40: two(queue, 3), 41: count(queue, 1), 42: two(queue, page), 43: two(queue, page),
                29: b"", 37: b"", 38: b"", 49: b"any", 60: b"unknown",
            }  # fmt: skip
            kind = random.choice([*bodies])
            body = bodies[kind][: random.choice((None, None, None, random.randrange(20)))]
            code = 11 if kind == 45 else random.choice((11, 12))
            wanted.append(NewRecord(code, ident, kind, body))
        answer = records("v2e", wanted, 4096)
        queues: list[tuple[str, ...]] = [()]
        if isinstance(new_store(answer, StoreChoices()), BrokerStore):
            queues.append(("queue 7",))
        store = new_store(answer, StoreChoices(queues=random.choice(queues)))
        files = {file.name: b"".join(file.parts) for file in store.files()}
        (made,) = find_journals_of(files, "v2e", {"file_size": "4096", "extension": "amq"})
        again = ask(made, "strict")
        assert again.observation.verdict == CLEAN
        assert not [*unaccounted(kept_of(answer), store, kept_of(again))]
        codes.update(item.code for item in store.left_out())
    assert codes.keys() >= {
        "no-page", "no-reference", "no-message", "no-page-transaction", "not-asked-for", "undecodable",
        "unknown-type",
    }  # fmt: skip


def core_message(ident: int) -> bytes:
    """Return the body of a record with a Core message for the address orders."""
    address = b"\1" + text_bytes("orders")
    headers = LONG.pack(ident) + address + b"\0" + HEADERS.pack(3, True, 0, 0, 4, 0)
    stored = LONG.pack(0)[:4] + headers
    return bytes([1]) + LONG.pack(ident) + address + len(stored).to_bytes(4, "big") + stored


def find_journals_of(files: Mapping[str, bytes], edition: str, params: Mapping[str, str]) -> list[Journal]:
    return [Journal("jboss_journal", edition, files, params=params)]


def records(edition: str, wanted: list[NewRecord], size: int = 1024) -> Answer:
    form = Packing(DIALECTS[edition], "", "activemq-data", "amq", size)
    files = {file.name: b"".join(file.parts) for file in form.files(wanted)}
    (journal,) = find_journals_of(files, edition, {"file_size": str(size), "extension": "amq"})
    return ask(journal, "strict")


@pytest.mark.parametrize("edition", [name for name in DIALECTS if DIALECTS[name].prepare_extra])
def test_transactions_over_several_files_are_counted_in_each_file(edition: str) -> None:
    delete = DIALECTS[edition].codes["DELETE_TX"]
    wanted = [NewRecord(11, 1, 7, b"one")]
    wanted += [NewRecord(13, number, 7, bytes(300), tx=100) for number in range(2, 9)]
    wanted += [NewRecord(14, 1, 8, b"changed", tx=100), NewRecord(delete, 1, 0, b"gone", tx=100)]
    wanted += [NewRecord(17, 0, 0, b"branch", tx=100), NewRecord(11, 9, 7, b"nine")]
    answer = records(edition, wanted)
    assert answer.observation.verdict == CLEAN
    state: Any = answer.observation.state
    assert [item["id"] for item in state["live"]] == [1, 9]
    (tx,) = state["prepared"]
    assert ([item["id"] for item in tx["records"]], len(tx["deletes"])) == ([*range(2, 9), 1], 1)
    assert len(answer.journal.files) > 2


@pytest.mark.parametrize("choice", ["commit", "rollback", "drop"])
def test_transactions_of_any_journal_are_ended_by_choice(choice: str) -> None:
    wanted = [NewRecord(11, 1, 7, b"one"), NewRecord(11, 2, 7, b"two"), NewRecord(13, 3, 7, b"three", tx=100)]
    wanted += [NewRecord(15, 1, 0, b"", tx=100), NewRecord(17, 0, 0, b"branch", tx=100)]
    ends: dict[str, Any] = {choice: ("100",)}
    store = new_store(records("v2e", wanted), StoreChoices(**ends))
    files = {file.name: b"".join(file.parts) for file in store.files()}
    (journal,) = find_journals_of(files, "v2e", {"extension": "amq"})
    state: Any = ask(journal, "strict").observation.state
    assert [item["id"] for item in state["live"]] == ([2, 3] if choice == "commit" else [1, 2])
    assert not state["prepared"]
    (line,) = store.chosen()
    assert ("committed" in line) == (choice == "commit")
    assert [item.code for item in store.left_out()] == ([] if choice == "commit" else ["rolled-back"])


def test_choices_that_match_nothing_are_refused() -> None:
    answer = records("v2e", [NewRecord(11, 1, 7, b"one")])
    for choices in (
        StoreChoices(commit=("5",)), StoreChoices(rollback=("5",)), StoreChoices(drop=("5",)),
        StoreChoices(drop=("one",)), StoreChoices(queues=("orders",)), StoreChoices(keep=("1",)),
        StoreChoices(salvage_records=True), StoreChoices(index_acks=True),
    ):  # fmt: skip
        with pytest.raises(ChoiceRefused):
            new_store(answer, choices)
    store = new_store(answer, StoreChoices(drop=("1",)))
    assert [item.id for item in store.left_out()] == ["1"]


# The choices for a broker.


@pytest.fixture
def old(source: Path, tmp_path: Path) -> Path:
    """Return a copy of the broker's store, which a test may change."""
    return Path(shutil.copytree(source, tmp_path / "old"))


@pytest.fixture
def hornetq(source: Path) -> Answer:
    return asked(source / "journal")


def test_queues_are_selected_and_dropped_by_choice(hornetq: Answer, tmp_path: Path) -> None:
    before = opened(hornetq)
    store, after = remade(hornetq, tmp_path / "some", queues=("client.eu", "jms.queue.paged"))
    assert {row["queue"] for row in after.rows("queues")} == {"client.eu", "jms.queue.paged"}
    wanted = [row for row in table(before, "messages") if row["queue"] in ("client.eu", "jms.queue.paged")]
    assert table(after, "messages") == wanted
    left = [item for item in store.left_out() if item.code == "not-asked-for"]
    assert {item.queue for item in left} == {"jms.queue.orders", "jms.queue.invoices", "client.all"}
    store, after = remade(hornetq, tmp_path / "others", drop=("jms.queue.orders",))
    assert "jms.queue.orders" not in {row["queue"] for row in after.rows("queues")}
    messages = [item for item in store.left_out() if item.what == "message" and item.code == "dropped"]
    assert len(messages) == sum(row["queue"] == "jms.queue.orders" for row in before.rows("messages"))
    # Files of large messages exist only if large messages are left.
    assert not list((tmp_path / "others" / "large-messages").glob("*")) or any(
        row["large"] for row in after.rows("messages")
    )


def test_single_message_is_dropped_from_the_journal_and_a_page(hornetq: Answer, tmp_path: Path) -> None:
    rows = table(opened(hornetq), "messages")
    queued = next(row["id"] for row in rows if row["queue"] == "client.all")
    paged = [row["id"] for row in rows if row["paged"]][3]
    store, after = remade(hornetq, tmp_path, drop=(str(queued), str(paged)))
    assert table(after, "messages") == [row for row in rows if row["id"] not in (queued, paged)]
    gone = [item.id for item in store.left_out() if item.code == "dropped"]
    assert set(gone) == {str(queued), str(paged)}
    assert len(list(store.chosen())) == 2


@pytest.mark.parametrize("choice", ["commit", "rollback"])
def test_prepared_transactions_of_a_broker_are_ended_by_choice(
    choice: str, hornetq: Answer, tmp_path: Path
) -> None:
    before = opened(hornetq)
    doubts = [row for row in before.rows("transactions") if row["state"] == "prepared"]
    store, after = remade(hornetq, tmp_path, **{choice: tuple(str(row["xid"]) for row in doubts)})
    assert not list(after.rows("transactions"))
    changes = table(before, "in_doubt", "transaction", "action")
    actions = [row["action"] for row in before.rows("in_doubt")]
    more = [
        row
        for row, action in zip(changes, actions, strict=True)
        if action == ("send" if choice == "commit" else "acknowledge")
    ]
    assert more
    ids = Counter(row["id"] for row in table(before, "messages")) + Counter(row["id"] for row in more)
    assert Counter(row["id"] for row in table(after, "messages")) == ids
    assert len(list(store.chosen())) == len(doubts)


def blank(directory: Path, kept: Kept, item: Body) -> None:
    """Replace a record by fill."""
    file, off = kept.where(item.place)
    data = (directory / file).read_bytes()
    # There are 19 bytes before the body, and 4 after it.
    end = off + 23 + item.end - item.start
    (directory / file).write_bytes(data[:off] + b"J" * (end - off) + data[end:])


def test_lost_binding_is_created_again_on_request(old: Path, tmp_path: Path) -> None:
    replay = opened(asked(old / "journal")).store.bindings_replay
    assert replay is not None
    name = text_bytes("client.eu")
    (item,) = (item for item in replay.live() if item.stored.startswith(name))
    blank(old / "bindings", replay, item)
    answer = asked(old / "journal")
    store, after = remade(answer, tmp_path / "without")
    lost = {item.queue for item in store.left_out() if item.code == "no-binding"}
    (unknown,) = lost
    assert not any(row["queue"] == unknown for row in after.rows("queues"))
    store, after = remade(answer, tmp_path / "with", keep=(unknown,))
    assert {item.code for item in store.unverified()} == {"binding-lost"}
    rows = [row for row in after.rows("messages") if row["queue"] == "jms.topic.prices"]
    assert len(rows) == 3
    with pytest.raises(ChoiceRefused):
        new_store(answer, StoreChoices(keep=("jms.queue.orders",)))


@pytest.mark.parametrize(
    ("stored", "kept"), [("region = 'EU'", True), ("region = 'EU;", False), ("regi n = 'EU'", False)]
)
def test_filter_that_stops_a_broker_is_omitted(stored: str, kept: bool, old: Path, tmp_path: Path) -> None:
    sound, new = text_bytes("region = 'EU'"), text_bytes(stored)
    (file,) = (path for path in (old / "bindings").iterdir() if sound in path.read_bytes())
    file.write_bytes(file.read_bytes().replace(sound, new))
    answer = asked(old / "journal")
    before = [dict(row) for row in opened(answer).rows("queues")]
    store, after = remade(answer, tmp_path / "new")
    lost = [item for item in store.unverified() if item.code == "filter-lost"]
    assert [item.queue for item in lost] == [row["queue"] for row in before if row["filter"] and not kept]
    filters = [row["filter"] for row in before]
    assert filters.count(stored) == 1
    assert [*after.rows("queues")] == [{**row, "filter": row["filter"] if kept else None} for row in before]


@pytest.mark.parametrize("body", [b"", None])
def test_large_message_that_would_stop_its_queue_is_not_written_for_hornetq(
    body: bytes | None, old: Path, tmp_path: Path
) -> None:
    before = {row["id"]: row for row in opened(asked(old / "journal")).rows("messages")}
    ident = next(ident for ident, row in before.items() if row["large"] and not row["paged"])
    file = old / "large-messages" / f"{ident}.msg"
    if body is None:
        file.unlink()
    else:
        file.write_bytes(body)
    store, after = remade(asked(old / "journal"), tmp_path / "new")
    assert {row["id"] for row in after.rows("messages")} == before.keys() - {ident}
    items = [item for item in store.left_out() if item.what == "message" and item.id == str(ident)]
    assert [item.code for item in items] == ["no-body"]


def test_every_queue_is_created_again_without_bindings(source: Path, tmp_path: Path) -> None:
    shutil.copytree(source, tmp_path / "old", ignore=shutil.ignore_patterns("bindings"))
    answer = asked(tmp_path / "old" / "journal")
    store, after = remade(answer, tmp_path / "new")
    before = opened(answer)
    assert table(after, "messages", "queue") == table(before, "messages", "queue")
    assert [row["id"] for row in after.rows("queues")] == [row["id"] for row in before.rows("queues")]
    assert after.store.bindings.counter is not None
    assert after.store.bindings.counter >= max(row["id"] for row in table(after, "messages"))
    names = {row["queue"] for row in after.rows("queues")}
    assert {"jms.queue.orders", "jms.queue.paged"} <= names
    assert len(list(store.unverified())) == len(names)


def test_message_without_a_queue_is_put_into_the_queue_of_its_address(old: Path, tmp_path: Path) -> None:
    found = opened(asked(old / "journal"))
    queued = {row["id"] for row in found.rows("messages") if row["queue"] == "jms.queue.orders"}
    plain = (item for item in found.store.replay.live() if (item.code, item.user_type) == (12, 32))
    item = next(item for item in plain if item.id in queued)
    blank(old / "journal", found.store.replay, item)
    answer, name = asked(old / "journal"), str(item.id)
    store, after = remade(answer, tmp_path / "without")
    assert [item.id for item in store.left_out() if item.code == "no-reference"] == [name]
    store, after = remade(answer, tmp_path / "with", keep=(name,))
    (kept,) = [row for row in after.rows("messages") if row["id"] == item.id]
    assert kept["queue"] == "jms.queue.orders"
    assert [item.code for item in store.unverified()] == ["kept"]


def test_message_has_the_id_of_its_record(old: Path, tmp_path: Path) -> None:
    found = opened(asked(old / "journal"))
    item = next(item for item in found.store.replay.live() if item.user_type == 31)
    file, off = found.store.replay.where(item.place)
    body = item.stored
    path = old / "journal" / file
    data = bytearray(path.read_bytes())
    at = data.index(body, off) + id_at(31, body)
    data[at : at + 8] = LONG.pack(1 << 40)
    path.write_bytes(data)
    _, after = remade(asked(old / "journal"), tmp_path / "new")
    bodies = {item.id: item.stored for item in after.store.replay.live() if item.user_type == 31}
    assert bodies[item.id] == body


def test_entries_of_pages_keep_their_positions(old: Path, tmp_path: Path) -> None:
    (path,) = (old / "paging").glob("*/000000008.page")
    data = bytearray(path.read_bytes())
    first = 6 + struct.unpack_from(">i", data, 1)[0]
    data[first + 18 : first + 22] = b"\x7f\xff\xff\xff"  # The second entry. Its message cannot be decoded.
    path.write_bytes(data)
    answer = asked(old / "journal")
    store, after = remade(answer, tmp_path / "new")
    before = opened(answer)
    assert table(after, "messages") == table(before, "messages")
    assert len([row for row in before.rows("messages") if row["paged"]]) == 24
    places = [
        [(each.page, each.index) for _, each, _ in found.store.pending_entries()] for found in (before, after)
    ]
    assert places[0] == places[1]
    assert [item.off for item in store.left_out() if item.code == "undecodable"] == [first]


def test_address_of_pages_is_that_of_their_messages(old: Path, tmp_path: Path) -> None:
    (path,) = (old / "paging").glob("*/address.txt")
    path.write_bytes(b"jms.queu\0\0\0")
    remade(asked(old / "journal"), tmp_path / "new")
    (path,) = (tmp_path / "new" / "paging").glob("*/address.txt")
    assert path.read_text() == "jms.queue.paged\n"


@pytest.mark.parametrize("own", [b"jms.queue.paged\n", b"jms.qu_ue.paged\n"])
def test_one_message_with_a_damaged_address_does_not_move_its_pages(
    own: bytes, old: Path, tmp_path: Path
) -> None:
    (path,) = (old / "paging").glob("*/address.txt")
    path.write_bytes(own)
    page = min(path.parent.glob("*.page"))
    name, data = text_bytes("jms.queue.paged"), page.read_bytes()
    at = data.index(name) + len(name) - 2
    page.write_bytes(data[:at] + b"\x01" + data[at + 1 :])
    # The page file before this one contains no message.
    (page.parent / "000000001.page").write_bytes(b"")
    remade(asked(old / "journal"), tmp_path / "new")
    (path,) = (tmp_path / "new" / "paging").glob("*/address.txt")
    assert path.read_text() == "jms.queue.paged\n"


# The XML export.


def exported(rows: list[Any], queues: list[Any]) -> ET.Element:
    return ET.fromstring(b"".join(artemis_xml.write(rows, queues)))  # noqa: S314 # our own


def row(**columns: Any) -> dict[str, Any]:
    return {
        "queue": "orders", "id": 7, "kind": "text", "protocol": "core", "timestamp": 5, "expiration": None,
        "priority": 4, "durable": True, "delivery_count": 0, "scheduled": None, "properties": {},
        "large": False, **columns,
    }  # fmt: skip


QUEUES = [{"queue": "orders", "address": "orders", "filter": None, "routing": "anycast"}]


def properties(rows: list[Any]) -> list[tuple[str | None, ...]]:
    """Return name, type and value of the properties of messages."""
    found = exported(rows, QUEUES).iter("property")
    return [(each.get("name"), each.get("type"), each.get("value")) for each in found]


def queues_of(rows: list[Any], queues: list[Any]) -> list[list[str | None]]:
    """Return the queues of each message."""
    found = exported(rows, queues).iter("message")
    return [[each.get("name") for each in message.iter("queue")] for message in found]


def lost(*rows: Any) -> set[str]:
    return {item.code for item in artemis_xml.losses(rows, QUEUES)} - {"xml-new-id"}


@pytest.mark.parametrize("kind", [*artemis_xml.PROPERTY, "no such type"])
def test_value_with_an_unexpected_type_is_omitted_or_kept(kind: str) -> None:
    values = ("", "abc", "\U0001f600", "\ud800", 1 << 70, 1e300, True, None, b"x", [1], {"a": 1})
    for value in values:
        items = [
            row(kind="map", content={"m": value}, content_types={"m": kind}),
            row(kind="stream", content=[value], content_types=[kind]),
            row(text="", properties={"p": value}, types={"p": kind}),
        ]
        for item in items:
            assert len([*exported([item], QUEUES).iter("message")]) == 1
            assert lost(item) <= {"xml-body", "xml-value", "xml-character", "xml-char-property"}


def test_any_text_is_written_as_valid_xml() -> None:
    name, value = 'a<"&>\t\n\r', "x\0\ud800\ufffe<]]>"
    item = row(text=value, properties={name: value})
    message = exported([item], QUEUES)
    (found,) = message.iter("property")
    assert (found.get("name"), found.get("value")) == (name, "x\ufffd\ufffd\ufffd<]]>")
    assert lost(item) == {"xml-character"}


def test_properties_have_their_types_and_those_without_a_type_are_counted() -> None:
    values = {"b": True, "i": 5, "l": 1 << 40, "d": 1.5, "n": None, "y": b"\xff", "c": "x", "s": -3}
    item = row(text=None, properties=values, types={"c": "char", "s": "short"})
    assert properties([item]) == [(name, *rest) for name, rest in ROWS["properties with their types"]]
    assert lost(item) == {"xml-char-property"}


def test_adjacent_copies_are_one_message_and_duplicate_ids_are_written_once() -> None:
    queues = [{"queue": name, "address": "prices", "routing": "multicast"} for name in ("a", "b")]
    item = row(queue="a", text="", properties={"_AMQ_DUPL_ID": "one"})
    items = [item, {**item, "queue": "b"}, {**item, "queue": "a", "id": 8}]
    assert queues_of(items, queues) == [["a", "b"], ["a"]]
    assert len(list(exported(items, queues).iter("property"))) == 1
    codes = Counter(each.code for each in artemis_xml.losses([item, {**item, "id": 8}], queues))
    assert codes == {"xml-new-id": 2, "xml-duplicate-id": 1}


def test_data_that_the_xml_file_cannot_express_is_counted() -> None:
    for columns, codes in ROWS["what the file cannot hold"]:
        assert lost(row(**columns)) == codes
    assert len(list(exported([row(queue="nowhere", text="")], QUEUES).iter("message"))) == 0


def test_names_of_older_versions_become_names_of_artemis_2() -> None:
    queues = [{"queue": "jms.queue.orders", "address": "jms.queue.orders", "filter": None, "routing": None}]
    old = {"_HQ_GROUP_ID": "g", "_HQ_SCHED_DELIVERY": 9}
    item = row(queue="jms.queue.orders", text="x", properties=old, scheduled=9)
    found = exported([item], queues)
    assert [each.get("name") for each in found.iter("queue")] == ["orders"]
    assert {each.get("name") for each in found.iter("property")} == {"_AMQ_GROUP_ID", "_AMQ_SCHED_DELIVERY"}
    (binding,) = found.iter("queue-binding")
    assert (binding.get("address"), binding.get("routing-type")) == ("orders", "ANYCAST")


def test_headers_of_other_protocols_become_properties_with_their_types() -> None:
    columns = {"correlation_id": "c", "reply_to": "r", "type": "t", "group_id": "g", "group_sequence": 3}
    item = row(protocol="openwire", text="x", scheduled=9, user_id="u", **columns)
    assert properties([item]) == ROWS["headers that become properties"]


def test_message_has_its_own_numbers_or_defaults() -> None:
    known = row(text="x", priority=7, expiration=6, message_id="ID:one")
    unknown = row(text="x", id=8, priority=None, timestamp=None)
    told = [each.attrib for each in exported([known, unknown], QUEUES).iter("message")]
    assert told == ROWS["numbers of messages"]


def test_numbers_are_spelled_as_java_reads_them() -> None:
    values = {"a": float("inf"), "b": float("-inf"), "c": float("nan"), "d": 1e300, "f": 0.5}
    told = properties([row(text="", properties=values, types={"f": "float"})])
    assert [(kind, value) for _, kind, value in told] == ROWS["numbers as Java reads them"]


def test_messages_with_different_times_or_addresses_are_distinct() -> None:
    queues = [{"queue": name, "address": "prices", "routing": "multicast"} for name in ("a", "b")]
    item = row(queue="a", text="")
    assert queues_of([item, {**item, "queue": "b", "scheduled": 9}], queues) == [["a"], ["b"]]
    # The id for duplicate detection is unique only within an address.
    queues = [{"queue": name, "address": name, "routing": "anycast"} for name in ("a", "b")]
    item = row(queue="a", text="", properties={"_AMQ_DUPL_ID": "one"})
    items = [item, {**item, "queue": "b", "id": 8}]
    assert len(list(exported(items, queues).iter("property"))) == 2
    assert {each.code for each in artemis_xml.losses(items, queues)} == {"xml-new-id"}


@pytest.mark.parametrize(
    ("length", "stored"),
    [
        (8, b"\0\0\0\x08" + b"\0x" * 8),
        (9, b"\0\0\0\x09\0\x09" + b"x" * 9),
        (4094, b"\0\0\x0f\xfe\x0f\xfe" + b"x" * 4094),
        (4095, b"\0\0\x0f\xff\0\0\x1f\xfe" + b"x\0" * 4095),
    ],
)
def test_text_in_a_stream_message_is_encoded_by_its_length(length: int, stored: bytes) -> None:
    (body,) = exported([row(kind="stream", content=["x" * length, 5])], QUEUES).iter("body")
    assert decoded("".join(body.itertext())) == b"\x0a\x01" + stored + b"\x06\0\0\0\x05"


def test_bodies_are_stored_as_in_core(hornetq: Answer) -> None:
    for each in map(dict, opened(hornetq).typed_messages()):
        stored = each.pop("body")
        kind = artemis_xml.TYPES.get(str(each["kind"]), "default")
        if kind in ("map", "stream"):
            # For such bodies, columns do not contain the types of numbers.
            continue
        again = next(iter(exported([each], [{"queue": each["queue"]}]).iter("body"))).itertext()
        assert decoded("".join(again)) == stored, each["id"]


def decoded(text: str) -> bytes:
    return b"".join(urlsafe_b64decode(piece) for piece in text.split())
