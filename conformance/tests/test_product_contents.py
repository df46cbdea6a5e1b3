"""Contents are what brokers say: they write stores of all kinds of messages, and list what they have.

Needs Java, and Maven for the brokers' jars.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import stores

from journalspec_reference import contents
from journalspec_reference.answers import SALVAGE, ask
from journalspec_reference.filesets import find_journals, load

pytestmark = [pytest.mark.product, pytest.mark.java]
#: A broker, its version, and properties that it takes out when it reads a message: records have them.
BROKERS = [("hornetq", "2.4.9.Final", {"_HQ_SCHED_DELIVERY"}), ("artemis-core", "2.44.0", set[str]())]
#: Which column has what a client gets as the body.
BODIES = {"text": "text", "map": "content", "stream": "content", "bytes": "data", "object": "class_name"}
SECONDS = 300


def listed(name: str, version: str, store: Path) -> dict[str, Any]:
    """Return what a broker lists that is started on a copy of a store."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "store"
        shutil.copytree(store, copy)
        words = [*stores.command(name, version, Path(scratch)), str(copy)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=True)
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("{"))
    found: dict[str, Any] = plain(json.loads(line))
    return found


def plain(value: Any) -> Any:
    """Return a value of JSON with bytes as bytes."""
    if isinstance(value, dict):
        if set(value) == {"bytes"}:
            return bytes.fromhex(value["bytes"])
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def differences(
    row: Mapping[str, Any], wanted: Mapping[str, Any], body: Mapping[str, Any] | None, gone: set[str]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield column, value and what the broker says where they differ."""
    for name in ("message_id", "address", "durable", "priority", "delivery_count", "large", "paged"):
        yield name, row[name], wanted[name]
    for name in ("timestamp", "expiration", "scheduled"):
        yield name, row[name] or 0, wanted[name]
    properties = {name: value for name, value in row["properties"].items() if name not in gone}
    yield "properties", properties, wanted["properties"]
    if body is not None:
        for name in ("correlation_id", "type", "group_id"):
            yield name, row[name], body[name]
        if row["kind"] in BODIES:
            yield "body", row[BODIES[row["kind"]]], body["body"]


@pytest.mark.parametrize(("name", "version", "gone"), BROKERS)
def test_contents_are_what_the_broker_lists(name: str, version: str, gone: set[str]) -> None:
    if shutil.which("java") is None:
        pytest.skip("no Java on PATH")
    if not list((stores.cache() / "brokers").glob(f"{name}-{version}-*")) and shutil.which("mvn") is None:
        pytest.skip("neither the broker's jars nor Maven are here")
    store = stores.written(name, version, messages=60, end="halt")
    wanted = listed(name, version, store)
    (journal,) = find_journals(load(store / "journal"))
    found = contents.contents(ask(journal, SALVAGE))
    assert found is not None
    rows: dict[str, dict[int, Any]] = {str(row["queue"]): {} for row in found.rows("queues")}
    for row in found.rows("messages"):
        rows[str(row["queue"])][int(str(row["id"]))] = row
    kinds, compressed = set(), 0
    for queue, theirs in wanted["queues"].items():
        assert set(rows[queue]) == {each["id"] for each in theirs["messages"]}, queue
        for each in theirs["messages"]:
            row = rows[queue][each["id"]]
            body = theirs.get("bodies", {}).get(row["message_id"])
            odd = [item for item in differences(row, each, body, gone) if item[1] != item[2]]
            assert not odd, (queue, each["id"])
            kinds.add(row["kind"])
            compressed += row["compressed"]
    assert kinds == {*BODIES, "plain"}
    assert compressed
    xids = sorted(
        [row["format_id"], row["global_id"], row["branch"]]
        for row in found.rows("transactions")
        if row["state"] == "prepared"
    )
    assert xids == sorted(wanted["prepared"])
    # A transaction of paged messages was not committed.
    assert {remark.code for remark in found.remarks.kept} == {"no-page-transaction"}
