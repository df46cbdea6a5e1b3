"""New SwiftMQ stores have the recovered state, and are `clean` under every policy; choices for branches."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from newstore.swiftmq_store import live

from journalspec_corpus.load import load_cases
from journalspec_corpus.swiftmq_store.author import message
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.api import load as load_format
from journalspec_reference.filesets import Journal, find_journals, load
from journalspec_reference.newstore import CannotRebuild, ChoiceRefused, NewStore, StoreChoices, new_store
from journalspec_reference.storage import MemoryStorage
from journalspec_reference.swiftmq_store.durable import subscription
from new_stores import bytes_of, made
from tables import literals
from unpacked import unpacked

ROWS = literals(__file__)

FORMAT = "swiftmq_store"
HERE = Path(__file__).resolve().parent
CONTENTS = HERE / "data" / "swiftmq_contents.tar.xz"
XID = {"format_id": "1", "gtrid": "0a", "bqual": "0b"}


def answer_of(files: Mapping[str, bytes], policy: str = SALVAGE, **params: str) -> Answer:
    return ask(Journal(FORMAT, "13", files, params=params), policy)


def test_contents_of_a_store_of_the_product_are_copied(tmp_path: Path) -> None:
    """The contents are messages of all kinds, two branches and two subscriptions.

    Swap files are not contents.
    """
    (journal,) = find_journals(load(unpacked(CONTENTS, tmp_path / "old")), FORMAT)
    answer = ask(journal, "default")
    store = new_store(answer, StoreChoices())
    names = [file.name for file in store.files()]
    assert names[:3] == ["db/page.db", "log/transaction.log", "swap/"]
    for name, data in bytes_of(store).items():
        (tmp_path / "new" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "new" / name).write_bytes(data)
    (found,) = find_journals(load(tmp_path / "new"), FORMAT)
    again = ask(found, "strict")
    assert live(again) == live(answer)
    assert [len(rows) for rows in live(again).values()] == [41, 3, 2, 2]
    assert [*store.left_out(), *store.unverified(), *store.chosen()] == []
    assert len(journal.files["db/page.db"]) >= len(found.files["db/page.db"])


# Stores that the reference's writer makes.


def written(*operations: Mapping[str, Any], page_size: str = "2048") -> dict[str, bytes]:
    storage = MemoryStorage()
    params = {"page_size": page_size, "checkpoint_size": "65536"}
    writer = load_format(FORMAT).writer(storage, edition="13", params=params)
    for operation in ({"op": "open"}, *operations):
        writer.apply(operation)
    return {name: bytes(data) for name, data in storage.files.items()}


def insert(queue: str, text: str, **more: Any) -> dict[str, Any]:
    return {"op": "insert", "queue": queue, "message": message(text).hex(), **more}


def ids(answer: Answer) -> list[tuple[str, int, int]]:
    rows = live(answer)["messages"]
    return sorted((row["queue"], int(row["id"]), int(row["delivery_count"])) for row in rows)


def in_doubt() -> dict[str, bytes]:
    """Return a store with messages and two branches: one branch inserts a message, the other removes one."""
    return written(
        insert("a", "one"),
        insert("a", "two"),
        insert("b", "other"),
        insert("a", "three", tx="t"),
        {"op": "prepare", "tx": "t", **XID},
        {"op": "remove", "queue": "a", "key": "1", "tx": "u"},
        {"op": "prepare", "tx": "u", **XID, "gtrid": "0c"},
    )


ALL = [("a", 0, 1), ("a", 1, 1), ("a", 2, 1), ("b", 0, 1)]
INSERTS, REMOVES = "1:0a:0b", "1:0c:0b"


@pytest.mark.parametrize(
    ("choices", "left"),
    [
        ({}, ALL),
        ({"commit": (INSERTS,)}, ALL),
        ({"rollback": (INSERTS,)}, [*ALL[:2], ALL[3]]),
        ({"commit": (REMOVES,)}, [ALL[0], *ALL[2:]]),
        ({"rollback": (REMOVES,)}, [ALL[0], ("a", 1, 2), *ALL[2:]]),
        ({"commit": (INSERTS, REMOVES)}, [ALL[0], *ALL[2:]]),
        ({"drop": ("a 0",)}, ALL[1:]),
        ({"drop": ("b",)}, ALL[:3]),
        ({"queues": ("b",)}, ALL[3:]),
        ({"queues": ("a",), "commit": (REMOVES,)}, [ALL[0], ALL[2]]),
        ({"drop": ("a",), "rollback": (INSERTS, REMOVES)}, ALL[3:]),
    ],
)
def test_choice_decides_which_items_and_branches_the_new_store_has(
    choices: dict[str, Any], left: list[tuple[str, int, int]]
) -> None:
    store, again = made(answer_of(in_doubt()), **choices)
    assert ids(again) == left
    decided = {*choices.get("commit", ()), *choices.get("rollback", ())}
    queues = choices.get("queues", ("a", "b"))
    doubtful = {INSERTS, REMOVES} - decided if "a" in queues else set()
    assert {row["id"] for row in live(again)["transactions"]} == doubtful
    held = {row["transaction"] for row in live(again)["messages"]} - {None}
    assert held == doubtful
    items = [*store.left_out()]
    assert {item.code for item in items} == ({"by-choice"} if choices else set())
    # Each choice has a line; an omitted queue and a decided branch are reported.
    assert len([*store.chosen()]) >= len(choices)
    assert decided <= {item.id for item in items}
    assert all("other resources are not touched" in line for line in store.chosen() if "1:0" in line)


@pytest.mark.parametrize(("choices", "why"), ROWS["a_choice_that_cannot_be_is_refused"])
def test_impossible_choice_is_refused(choices: dict[str, Any], why: str) -> None:
    with pytest.raises(ChoiceRefused, match=why) as refused:
        new_store(answer_of(in_doubt()), StoreChoices(**choices))
    assert refused.value.hint


def test_unreadable_branch_is_omitted_on_request() -> None:
    """Without the choice, no store is made. With it, every message and the other branch are kept."""
    files = bytes_of(new_store(answer_of(in_doubt()), StoreChoices()))
    pages = bytearray(files["db/page.db"])
    gtrid = pages.index(bytes.fromhex("01000000010c"))
    pages[gtrid + 6 : gtrid + 10] = bytes.fromhex("7fffffff")  # The number of keys.
    answer = answer_of(files | {"db/page.db": bytes(pages)})
    assert answer.observation.code == "bad-branch"
    with pytest.raises(CannotRebuild, match="transaction/bad-branch") as refused:
        new_store(answer, StoreChoices())
    assert refused.value.hint.startswith("--drop 'sys$prepared' leaves out the branches that cannot be read")
    store, again = made(answer, drop=("sys$prepared",))
    assert ids(again) == ALL
    assert {row["id"] for row in live(again)["transactions"]} == {INSERTS}
    assert counts(store)[2] == ("transactions", "", 1, 0)
    (item,) = store.left_out()
    assert (item.what, item.id, item.queue, item.code) == ("transaction", "1", "sys$prepared", "bad-branch")
    assert item.off == gtrid // 2048 * 2048
    assert "messages that they removed stay in their queues" in item.text
    (line,) = store.chosen()
    assert line.startswith("--drop sys$prepared: 1 branches that cannot be read are left out")
    # The option also works together with other choices.
    store, again = made(answer, drop=("sys$prepared", "b"), rollback=(INSERTS,))
    assert (ids(again), live(again)["transactions"]) == (ALL[:2], [])


def test_message_is_dropped_by_its_id_or_by_an_unambiguous_key(tmp_path: Path) -> None:
    unpacked(CONTENTS, tmp_path)
    (journal,) = find_journals(load(tmp_path), FORMAT)
    answer = ask(journal, "default")
    rows = live(answer)["messages"]
    free = next(row for row in rows if row["message_id"] and not row["transaction"])
    _, again = made(answer, drop=(free["message_id"],))
    assert live(again)["messages"] == [row for row in rows if row["message_id"] != free["message_id"]]
    keys = Counter(row["id"] for row in rows)
    lone = next(row for row in rows if keys[row["id"]] == 1 and not row["transaction"])
    store, again = made(answer, drop=(str(lone["id"]),))
    assert live(again)["messages"] == [row for row in rows if row != lone]
    (item,) = store.left_out()
    assert (item.what, item.code) == ("message", "by-choice")
    assert (item.id, item.queue) == (str(lone["id"]), lone["queue"])


def counts(store: NewStore) -> list[tuple[str, str, int, int]]:
    return [(each.table, each.name, each.rows, each.bytes) for each in store.carried()]


def test_report_counts_the_messages_of_queues_and_branches() -> None:
    answer = answer_of(in_doubt())
    size = {text: len(message(text)) for text in ("one", "two", "three", "other")}
    of_a = size["one"] + size["two"] + size["three"]
    store = new_store(answer, StoreChoices())
    of_queues = [("messages", "a", 3, of_a), ("messages", "b", 1, size["other"])]
    assert counts(store) == [*of_queues, ("transactions", "", 2, 0)]
    store = new_store(answer, StoreChoices(commit=(REMOVES,)))
    assert counts(store)[0] == ("messages", "a", 2, of_a - size["two"])
    assert counts(store)[2] == ("transactions", "", 1, 0)
    assert len(counts(new_store(answer, StoreChoices(rollback=(INSERTS, REMOVES))))) == 2
    # A branch with a part in each of two queues is one transaction.
    ends = [{"op": "prepare", "tx": tx, **XID} for tx in "tu"]
    both = written(insert("a", "one", tx="t"), ends[0], insert("b", "two", tx="u"), ends[1])
    assert counts(new_store(answer_of(both), StoreChoices()))[2:] == [("transactions", "", 1, 0)]


def test_offset_of_an_omitted_item_is_that_of_its_page() -> None:
    """The old store was already recovered, so all its pages are in the page file."""
    files = bytes_of(new_store(answer_of(in_doubt()), StoreChoices()))
    (item,) = new_store(answer_of(files), StoreChoices(drop=("b 0",))).left_out()
    assert (item.what, item.id, item.queue, item.file) == ("message", "0", "b", "db/page.db")
    assert item.off is not None
    assert item.off % 2048 == 0
    assert message("other") in files["db/page.db"][item.off : item.off + 2048]


def test_message_of_several_queues_is_stored_once() -> None:
    case = next(case for case in load_cases(FORMAT) if case.id == "smq.pages.shared")
    answer = answer_of(case.files(), **case.params)
    store, again = made(answer)
    # The new store has four pages: the root, an index for each queue, and the message.
    assert len(bytes_of(store)["db/page.db"]) == 4 * 2048
    assert [note.text for note in again.observation.notes if note.code == "shared-message"] == [
        "2 entries of queues name 1 messages, 1 of which are named several times"
    ]
    # The message is kept even if one of the queues is omitted.
    store, again = made(answer, queues=("a",))
    assert len(bytes_of(store)["db/page.db"]) == 3 * 2048
    assert not [note for note in again.observation.notes if note.code == "shared-message"]


@pytest.mark.parametrize("page_size", ["2048", "4096", "32768"])
def test_new_store_may_have_any_page_size(page_size: str) -> None:
    """There are more queues and messages than fit into an index page, and messages of several pages."""
    operations = [insert(f"queue-{number:03}", "x" * (number * 97)) for number in range(90)]
    operations += [insert("many", str(number)) for number in range(130)]
    operations += [{"op": "remove", "queue": "many", "key": str(number)} for number in range(0, 130, 3)]
    answer = answer_of(written(*operations, page_size=page_size), page_size=page_size)
    store, again = made(answer)
    assert live(again) == live(answer)
    assert len(live(again)["messages"]) == 90 + 86
    notes = {note.code for note in again.observation.notes} - {"unchecked"}
    assert notes == ({"page-size"} if page_size != "2048" else set())
    assert any(page_size in step for step in store.steps())


def test_writer_continues_where_the_new_store_ends() -> None:
    files = bytes_of(new_store(answer_of(in_doubt()), StoreChoices()))
    storage = MemoryStorage(files)
    writer = load_format(FORMAT).writer(storage, edition="13", params={"checkpoint_size": "65536"})
    writer.apply({"op": "open"})
    assert writer.apply(insert("a", "four"))["key"] == 3
    writer.apply({"op": "decide", **XID, "commit": False})
    writer.apply({"op": "decide", **XID, "gtrid": "0c", "commit": True})
    after = answer_of({name: bytes(data) for name, data in storage.files.items()}, "strict")
    assert ids(after) == [("a", 0, 1), ("a", 3, 1), ("b", 0, 1)]


def test_lost_file_of_a_subscription_is_created_again(tmp_path: Path) -> None:
    unpacked(CONTENTS, tmp_path)
    rows = live(ask(find_journals(load(tmp_path), FORMAT)[0], "default"))
    lost = next(row for row in rows["subscriptions"] if row["messages"])
    (tmp_path / "durables" / f"{lost['queue']}.durable").unlink()
    answer = ask(find_journals(load(tmp_path), FORMAT)[0], "default")
    assert [each.name for each in answer.observation.missing] == [lost["queue"]]
    store, again = made(answer)
    assert live(again)["messages"] == rows["messages"]
    topics = {row["address"] for row in rows["messages"] if row["queue"] == lost["queue"]}
    (row,) = (row for row in live(again)["subscriptions"] if row["queue"] == lost["queue"])
    assert row["topic"] in topics
    assert row == lost | {"topic": row["topic"], "selector": None, "no_local": False}
    (item,) = store.unverified()
    assert (item.what, item.id, item.code) == ("subscription", lost["queue"], "subscription-rebuilt")


def test_empty_queue_of_a_lost_subscription_is_reported() -> None:
    """No file has the topic of the subscription, which a subscription needs."""
    files = written(insert("c$s", "x"), {"op": "remove", "queue": "c$s", "key": "0"}, insert("a", "y")) | {
        "durables/c$other.durable": subscription("T")
    }
    store, again = made(answer_of(files))
    assert ids(again) == [("a", 0, 1)]
    (item,) = store.left_out()
    assert (item.what, item.id, item.code) == ("queue", "c$s", "no-topic")


def test_long_message_is_never_completely_in_memory() -> None:
    answer = answer_of(written(insert("a", "x*4000000"), insert("a", "y*3000000")))
    store = new_store(answer, StoreChoices())
    tracemalloc.start()
    length = sum(len(part) for file in store.files() for part in file.parts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert length > 7_000_000
    assert peak < 6 << 20
