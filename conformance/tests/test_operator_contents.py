"""What an operator asks about contents, answered by commands, and compared with what the products said."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from judged import call, flat

REAL = Path(__file__).parents[2].parent / "shared" / "contents"
ARTEMIS, NARAYANA = REAL / "jboss_journal/artemis-2.44-core", REAL / "jboss_journal/narayana-7.0.2"
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
    text = flat(call("inspect", unpacked(NARAYANA, tmp_path), columns=100))
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
