"""What an operator asks about contents, answered by commands, and compared with what the products said."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from judged import call, flat

REAL = Path(__file__).parents[2].parent / "shared" / "contents"
ARTEMIS, NARAYANA = REAL / "jboss_journal/artemis-2.44-core", REAL / "jboss_journal/narayana-7.0.2"
KAHADB = REAL / "kahadb_journal/rich-6.1.7-clean"
#: A message of the Artemis store: its id, and a text and a property that it alone has.
MESSAGE, TEXT, PROPERTY = "57", "hello é", '%"s":"strü"%'

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not REAL.is_dir(), reason=f"no stores of real products in {REAL}"),
]


def unpacked(source: Path, target: Path) -> Path:
    """Return a copy of a store whose files are not packed one by one."""
    for path in source.rglob("*"):
        if path.is_file() and not path.name.startswith(("expected", "data-print")):
            place = target / path.relative_to(source)
            data = path.read_bytes()
            place.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".gz":
                place.with_suffix("").write_bytes(gzip.decompress(data))
            else:
                place.write_bytes(data)
    return target


@pytest.fixture(scope="module")
def artemis(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(ARTEMIS, tmp_path_factory.mktemp("artemis"))


def browsed() -> dict[str, list[dict[str, Any]]]:
    """Return the messages of each queue, as the broker listed them."""
    queues = json.loads((ARTEMIS / "expected.json").read_text(encoding="utf-8"))["queues"]
    return {name: [*each["messages"], *each["scheduled_messages"]] for name, each in queues.items()}


def rows(*arguments: object) -> list[dict[str, str]]:
    """Return the rows that a command writes as CSV."""
    return [*csv.DictReader(io.StringIO(call(*arguments).stdout))]


def test_messages_of_each_queue_are_counted_by_its_name(artemis: Path) -> None:
    wanted = {name: len(messages) for name, messages in browsed().items()}
    counted = rows("inspect", artemis, "--contents", "messages", "--count-by", "queue", "--csv")
    assert {row["queue"]: int(row["messages"]) for row in counted} == wanted
    listed = rows("inspect", artemis, "--contents", "queues", "--csv")
    assert Counter({row["queue"]: int(row["messages"]) for row in listed}) == Counter(wanted)
    assert len(listed) == len(wanted)


@pytest.mark.parametrize(
    "condition", [f"id = {MESSAGE}", f"text like '{TEXT}%'", f"properties like '{PROPERTY}'"]
)
def test_one_message_is_found_and_shown_in_full(artemis: Path, condition: str) -> None:
    (wanted,) = (each for each in browsed()["orders"] if str(each["id"]) == MESSAGE)
    done = call("inspect", artemis, "--contents", "messages", "--where", condition, columns=100)
    shown = dict(
        line.split(None, 1) for line in done.stdout.splitlines() if not line.startswith(" ") and line
    )
    assert (done.exit_code, len(done.stdout.splitlines()) <= 40) == (0, True)
    assert (shown["id"], shown["queue"], shown["text"]) == (MESSAGE, "orders", wanted["text"])
    assert shown["message_id"] == f"ID:{wanted['user_id']}"
    # A long value takes several lines.
    assert '"sh":"-300"' in flat(done).replace(" ", "")


def test_a_queue_is_exported_as_lines_of_json_and_as_csv(artemis: Path) -> None:
    wanted = {str(each["id"]) for each in browsed()["orders"]}
    lines = map(json.loads, call("inspect", artemis, "--queue", "orders", "--ndjson").stdout.splitlines())
    exported = [line["row"] for line in lines if "row" in line]
    assert [row["queue"] for row in exported] == ["orders"] * len(wanted)
    assert {row["id"] for row in exported} == wanted
    assert {row["id"] for row in rows("inspect", artemis, "--queue", "orders", "--csv")} == wanted


def test_a_queue_is_exported_as_parquet(artemis: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert call("inspect", artemis, "--queue", "orders", "--parquet", tmp_path / "orders").exit_code == 0
    found = parquet.read_table(tmp_path / "orders")
    assert set(found["id"].to_pylist()) == {each["id"] for each in browsed()["orders"]}


def test_xids_of_a_broker_are_on_the_screen_and_in_rows(artemis: Path) -> None:
    prepared = json.loads((ARTEMIS / "expected.json").read_text(encoding="utf-8"))["prepared"]
    wanted = {f"{each['format']}:{each['gtx']}:{each['branch']}" for each in prepared}
    screen = call("inspect", artemis, columns=100)
    assert {xid for xid in wanted if f"xid {xid}: prepared" in flat(screen)} == wanted
    assert "2 transactions are in doubt" in flat(screen)
    found = rows("inspect", artemis, "--contents", "transactions", "--csv")
    assert {row["xid"] for row in found if row["state"] == "prepared"} == wanted
    hidden = call("inspect", artemis, "--redact", columns=100)
    assert not [xid for xid in wanted if xid.split(":")[1] in hidden.stdout]


def test_transactions_of_a_transaction_manager_are_on_the_screen(tmp_path: Path) -> None:
    records = json.loads((NARAYANA / "expected.json").read_text(encoding="utf-8"))["records"]
    wanted = {each["uid"]: each["action"]["status"] for each in records if each.get("action")}
    done = call("inspect", unpacked(NARAYANA, tmp_path), columns=100)
    text = flat(done)
    assert {uid for uid, status in wanted.items() if f"{uid}, node node1: {status}" in text} == {*wanted}
    assert f"{len(wanted)} transactions are pending" in text
    assert "in doubt" not in text


def test_messages_around_a_damage_are_named(artemis: Path, tmp_path: Path) -> None:
    for part in ("journal", "bindings"):
        unpacked(artemis / part, tmp_path / part)
    whole = rows("inspect", artemis, "--contents", "messages", "--csv")
    file = tmp_path / "journal/activemq-data-1.amq"
    data = bytearray(file.read_bytes())
    data[7680:8704] = bytes(1024)
    file.write_bytes(data)
    left = {row["id"] for row in rows("inspect", tmp_path, "--contents", "messages", "--csv")}
    lost = [row for row in whole if row["id"] not in left]
    assert [row["id"] for row in lost if row["file"] == file.name] == ["61", "62", "63", "64"]
    text = flat(call("recover", tmp_path, columns=100))
    assert "was written after message 60 of orders (2026-11-28T04:38:59.697Z) and before message 65" in text
    assert "of orders" not in flat(call("recover", tmp_path, "--redact", columns=100))


def test_a_destination_of_activemq_holds_what_the_broker_browsed(tmp_path: Path) -> None:
    with gzip.open(KAHADB / "expected.json.gz", "rt", encoding="utf-8") as file:
        queues = json.load(file)["queues"]
    store = unpacked(KAHADB, tmp_path)
    found = rows("inspect", store, "--contents", "messages", "--csv")
    wanted = {(name, each["id"]) for name, queue in queues.items() for each in queue["messages"]}
    pending = {(row["queue"], row["message_id"]) for row in found if row["state"] == "pending"}
    assert {(name, key) for name, key in pending if name in queues} == wanted
    assert len(wanted) == 42
