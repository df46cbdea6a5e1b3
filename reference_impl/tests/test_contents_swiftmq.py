"""Contents of SwiftMQ stores equal the results of the product's getters; hostile bytes cause no failure.

``data/swiftmq_contents.tar.xz`` is a store after a crash, made by the classes of SwiftMQ CE 13.1.2 (store and
client) through the harness. It contains messages of every kind with random headers, properties and bodies,
two prepared branches, two subscriptions, and a swap file. Its ``expected.json`` contains the values that the
getters returned.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from struct import pack
from typing import Any

import pytest

from journalspec.contents import described
from journalspec_reference.answers import ask
from journalspec_reference.batches import Memory
from journalspec_reference.contents import contents
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.java_objects import class_name
from journalspec_reference.swiftmq_store.contents import StoreContents
from journalspec_reference.swiftmq_store.contents.message import KINDS, decode
from journalspec_reference.swiftmq_store.durable import durable, presumed
from journalspec_reference.swiftmq_store.scan import Log, ReplayedPages
from tables import literals
from unpacked import unpacked

ROWS = literals(__file__)

HERE = Path(__file__).resolve().parent
Row = Mapping[str, Any]


def opened(path: Path, policy: str = "default") -> StoreContents:
    (journal,) = find_journals(load(path), "swiftmq_store")
    found = contents(ask(journal, policy))
    assert isinstance(found, StoreContents)
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that the product wrote, with ``expected.json`` next to its files."""
    return unpacked(HERE / "data" / "swiftmq_contents.tar.xz", tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="module")
def expected(made: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((made / "expected.json").read_text(encoding="utf-8"))
    return found


def rows_of(found: StoreContents, table: str) -> list[dict[str, Any]]:
    return [dict(row) for row in found.rows(table)]


def told(value: Any) -> Any:
    """Return a value in the form of ``expected.json``."""
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, dict):
        return {name: told(each) for name, each in value.items()}
    return [told(each) for each in value] if isinstance(value, list) else value


def as_the_product_says(row: Row, wanted: Row) -> dict[str, Any]:
    """Return a row in the form of the product's getters, which never return null for an empty value."""
    found = {name: told(row[name]) for name in wanted if name in row}
    found |= {"properties": found["properties"] or {}}
    found |= {"content": found["content"] or {}} if wanted["kind"] == "map" else {}
    return found | ({"data": (row["data"] or b"").hex()} if "data" in wanted else {})


# The output of the product.


def test_messages_equal_the_output_of_the_product(made: Path, expected: dict[str, Any]) -> None:
    rows = {(row["queue"], row["id"]): row for row in rows_of(opened(made), "messages")}
    assert len(rows) == len(expected["messages"]) == 41
    assert {wanted["kind"] for wanted in expected["messages"]} == {*KINDS}
    for wanted in expected["messages"]:
        row = rows[wanted["queue"], wanted["id"]]
        assert as_the_product_says(row, wanted) == {name: wanted[name] for name in wanted if name in row}
        assert not {"text", "content", "class_name", "data"} & {*wanted} - {*row}


def test_messages_of_swap_files_equal_the_output_of_the_product(made: Path, expected: dict[str, Any]) -> None:
    found = opened(made)
    rows = rows_of(found, "swapped")
    assert len(rows) == 5
    for row, wanted in zip(rows, expected["swapped"], strict=True):
        assert as_the_product_says(row, wanted) == {name: wanted[name] for name in wanted if name in row}
    assert not found.remarks.kept


def test_branches_are_transactions_with_their_messages(made: Path, expected: dict[str, Any]) -> None:
    found = opened(made)
    held: dict[str, set[tuple[str, int]]] = {}
    for row in rows_of(found, "messages"):
        if row["transaction"]:
            held.setdefault(row["transaction"], set()).add((row["queue"], row["id"]))
    branches = {row["id"]: row for row in rows_of(found, "transactions")}
    assert {*branches} == {"7:474c4f42414c:", "1114926712:73727631000001a1fb109cb700000004:6231"}
    parts = []
    for row in branches.values():
        assert row["state"] == "prepared"
        assert row["prepared"] > 1_795_000_000_000
        xid = {"format_id": row["format_id"], "gtrid": row["gtrid"].hex(), "bqual": row["bqual"].hex()}
        parts += [{**xid, "routing": row["routing"], **part} for part in row["parts"]]
        assert held.pop(row["id"]) == {(part["queue"], key) for part in row["parts"] for key in part["ids"]}
    assert not held
    wanted = [{name: one[name] for name in one if name != "time"} for one in expected["transactions"]]
    assert sorted(parts, key=str) == sorted(wanted, key=str)


def test_subscriptions_and_their_pending_messages_equal_those_of_the_product(
    made: Path, expected: dict[str, Any]
) -> None:
    rows = rows_of(opened(made), "subscriptions")
    wanted = [{"selector": None, **one, "client_id": one["client"]} for one in expected["subscriptions"]]
    assert [
        {name: row[name] for name in ("client_id", "name", "topic", "selector", "no_local")} for row in rows
    ] == [
        {name: one[name] for name in ("client_id", "name", "topic", "selector", "no_local")} for one in wanted
    ]
    waiting = sum(one["queue"] == "c1$sub" for one in expected["messages"])
    assert [(row["queue"], row["messages"]) for row in rows] == [("c-2$s_2", None), ("c1$sub", waiting)]


def test_counts_are_the_numbers_of_rows(made: Path) -> None:
    found = opened(made)
    counts = {(count.table, count.name): count for count in found.counts()}
    for table in ("messages", "swapped"):
        rows: dict[str, list[dict[str, Any]]] = {}
        for row in rows_of(found, table):
            rows.setdefault(row["queue"], []).append(row)
        assert {name for of, name in counts if of == table} == {*rows}
        for name, of in rows.items():
            count, times = counts[table, name], [row["timestamp"] for row in of if row["timestamp"]]
            assert (count.rows, count.oldest, count.newest) == (len(of), min(times), max(times))
    queues = {row["name"]: row for row in rows_of(found, "queues")}
    assert {name: row["bytes"] for name, row in queues.items()} == {
        name: sum(row["size"] for row in rows_of(found, "messages") if row["queue"] == name)
        for name in queues
    }
    assert {name: row["held"] for name, row in queues.items() if row["held"]} == {"orders": 2, "c1$sub": 1}


@pytest.mark.parametrize("table", ["messages", "queues", "subscriptions", "transactions", "swapped"])
def test_every_row_has_the_columns_of_its_table(table: str, made: Path) -> None:
    known = described("swiftmq_store")
    assert known
    types = {"int": int, "time": int, "str": str, "bytes": bytes, "bool": bool, "object": dict, "list": list}
    for row in rows_of(opened(made), table):
        assert [*row] == [column.name for column in known.tables[table].columns]
        for column in known.tables[table].columns:
            kinds = (list, dict) if column.name == "content" else types[column.kind]
            assert row[column.name] is None or isinstance(row[column.name], kinds)


# Damage.


def body_of(kind: str, stored: bytes) -> tuple[Any, ...]:
    """Return four values for a message with this body: its priority, its content, its data, and the codes of
    its problems.
    """
    row, problems = decode(pack(">iqiqii?", KINDS.index(kind), 0, 4, 0, 1, 2, False) + bytes(11) + stored)
    return row["priority"], row["content"], row["data"], [code for code, _ in problems]


def test_damaged_body_shows_the_part_before_the_damage() -> None:
    nulls = pack(">iiH", 2, 9, 2) + b"\xc0\x80" + pack(">iH", 9, 1) + b"\0"
    assert body_of("stream", nulls) == (4, [None, None], None, [])
    # A primitive of an unknown kind: the whole body is reported as bytes.
    rest = pack(">iii", 2, 0, 7) + pack(">i", 99) + b"rest"
    assert body_of("stream", rest) == (4, None, rest, ["bad-message"])
    entry = pack(">iH", 2, 1) + b"a" + pack(">ii", 0, 5) + pack(">H", 9)
    assert body_of("map", b"\1" + pack(">i", len(entry)) + entry) == (4, {"a": 5}, None, ["bad-map"])
    assert body_of("map", b"\1" + pack(">ii", 4, -1)) == (4, {}, None, ["bad-map"])


def test_damaged_subscription_shows_the_parts_at_their_offsets(made: Path) -> None:
    for path in sorted((made / "durables").iterdir()):
        data = path.read_bytes()
        whole = durable(path.name, data)
        # All bytes before the number of entries, and the last byte, are not part of the subscription.
        for at in (*range(77), len(data) - 1):
            spoilt = bytearray(data)
            spoilt[at] ^= 0x40
            assert presumed(path.name, bytes(spoilt)) == whole
    assert presumed("no dollar.durable", data) is None


@pytest.mark.parametrize(("data", "name"), ROWS["the_class_of_an_object_is_its_name_in_the_stream"])
def test_class_of_an_object_is_its_name_in_the_stream(data: str, name: str | None) -> None:
    assert class_name(bytes.fromhex(data)) == name


def test_refused_store_has_no_contents(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "page.db").write_bytes(b"\0" + pack(">iiii", -1, -1, 9, 9) + b"\1\x7f" + bytes(2029))
    found = opened(tmp_path)
    assert not [*rows_of(found, "messages"), *found.counts()]


def test_unreadable_message_has_a_remark(made: Path, tmp_path: Path) -> None:
    """If the chain of a message ends too early, the content of its first page is shown; no check is required
    here.
    """
    page, log = (made / name for name in ("db/page.db", "log/transaction.log"))
    source = Memory(log.read_bytes())
    pages = ReplayedPages(Memory(page.read_bytes()), 2048, source)
    for batch in Log(source, 2048, pages.count).scan():
        pages.take(batch)
    whole = {(row["queue"], row["id"]): row for row in rows_of(opened(made), "messages")}
    key, row = next((key, row) for key, row in whole.items() if row["size"] > 9000 and row["message_id"])
    data = bytearray(b"".join(pages[number] for number in range(pages.count)))
    data[row["off"] + 5 : row["off"] + 9] = pack(">i", 0x00FFFFFF)  # The next page of the message.
    for name, content in (("db/page.db", bytes(data)), ("log/transaction.log", pack(">iq", 1, 7))):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(content)
    found = opened(tmp_path)
    rows = {(one["queue"], one["id"]): one for one in rows_of(found, "messages")}
    (remark,) = found.remarks.kept
    assert (remark.table, remark.key, remark.code) == ("messages", f"{key[0]} {key[1]}", "unreadable")
    assert (remark.file, remark.off) == ("db/page.db", row["off"])
    assert rows[key]["message_id"] == row["message_id"]
    assert rows[key]["size"] == 2048 - 13
    assert {other: rows[other] for other in whole if other != key} == {
        other: whole[other] for other in whole if other != key
    }


@pytest.mark.parametrize("policy", ["default", "salvage"])
def test_name_of_a_file_need_not_be_utf_8(policy: str, made: Path, tmp_path: Path) -> None:
    store = shutil.copytree(made, tmp_path / "store")
    for name, new in (("durables", b"c\xff$sub.durable"), ("swap", b"a\xff-0.swap")):
        old = min((store / name).iterdir())
        old.rename(old.with_name(os.fsdecode(new)))
    found = opened(store, policy)
    (row,) = (row for row in rows_of(found, "subscriptions") if row["client_id"] == os.fsdecode(b"c\xff"))
    assert (row["queue"], row["messages"]) == (os.fsdecode(b"c\xff$sub"), None)
    assert os.fsdecode(b"a\xff") in {row["queue"] for row in rows_of(found, "swapped")}
