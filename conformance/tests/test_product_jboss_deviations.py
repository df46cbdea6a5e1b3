"""Deviations that no single case can show: what the products do to a journal that is then loaded again."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance.process import ProcessConnection
from journalspec_reference import load
from journalspec_reference.storage import MemoryStorage

FORMAT = "jboss_journal"
MOMENTS = "journalspec_conformance.harnesses.jboss_journal.capture.moments"
#: Names of 1024-byte files, with the parameters for both products.
PARAMS = {
    "prefix": "data",
    "extension": "amq",
    "file_size": "1024",
    "min_files": "2",
    "auto_reclaim": "false",
}

pytestmark = [pytest.mark.product, pytest.mark.java]

Connect = Callable[[str], ProcessConnection]
each_product = pytest.mark.parametrize("name", ["hornetq-2.4.9", "artemis-2.44.0"])


def record(kind: int, fields: bytes) -> bytes:
    """Return a record of file 1, format version 2."""
    data = bytes([kind]) + struct.pack(">ib", 1, 0) + fields
    return data + struct.pack(">i", len(data) + 4)


def with_body(kind: int, ids: bytes, body: bytes) -> bytes:
    return record(kind, ids + struct.pack(">ib", len(body), 1) + body)


ADD_1 = with_body(11, struct.pack(">q", 1), b"a")
ADD_2 = with_body(11, struct.pack(">q", 2), b"b")
UPDATE_TX_1 = with_body(14, struct.pack(">qq", 100, 1), b"upd")
HOLE = bytes(len(UPDATE_TX_1))
COMMIT_OF_TWO = record(18, struct.pack(">qi", 100, 2))
PREPARE_OF_ONE = record(17, struct.pack(">qii", 9, 1, 0))
HEADER_1 = struct.pack(">iiq", 2, 0, 1)


def request(command: str, directory: Path, **members: Any) -> dict[str, Any]:
    common = {"cmd": command, "format": FORMAT, "edition": "v2", "dir": str(directory), "params": PARAMS}
    return {**common, **members}


def recovered(connection: ProcessConnection, directory: Path) -> dict[str, Any]:
    answer = connection.ask(request("recover", directory, policy="strict", observe="state"))
    observed: dict[str, Any] = answer["ok"]
    return observed


def live(state: dict[str, Any]) -> list[tuple[str, str]]:
    return [(record["kind"], record["id"]) for record in state["live"]]


@each_product
def test_compaction_brings_a_rejected_transaction_to_life(
    name: str, connect_product: Connect, memory_path: Path
) -> None:
    """JBM-DEV-007: one of two records of the transaction is lost, so its commit does not count."""
    image = HEADER_1 + ADD_1 + ADD_2 + UPDATE_TX_1 + HOLE + COMMIT_OF_TWO
    (memory_path / "data-1.amq").write_bytes(image.ljust(1024, b"\0"))
    connection = connect_product(name)
    before = recovered(connection, memory_path)["state"]
    assert live(before) == [("ADD", "1"), ("ADD", "2")]
    ops = [{"op": word} for word in ("open", "next", "compact", "close")]
    connection.ask(request("write", memory_path, ops=ops))
    after = recovered(connection, memory_path)["state"]
    assert live(after) == [("ADD", "1"), ("ADD", "2"), ("UPDATE", "1")]


def test_compaction_by_the_reference_does_not() -> None:
    image = HEADER_1 + ADD_1 + ADD_2 + UPDATE_TX_1 + HOLE + COMMIT_OF_TWO
    storage = MemoryStorage({"data-1.amq": image.ljust(1024, b"\0")})
    writer = load(FORMAT).writer(storage, edition="v2", params=PARAMS)
    for word in ("open", "next", "compact", "close"):
        writer.apply({"op": word})
    files = {name: bytes(data) for name, data in storage.files.items()}
    seen = load(FORMAT).recover(files, edition="v2", policy="strict", params=PARAMS).to_json()
    assert live(seen["state"]) == [("ADD", "1"), ("ADD", "2")]


def test_artemis_starts_once_behind_a_lost_prepare_and_never_again(
    connect_product: Connect, memory_path: Path
) -> None:
    """JBM-DEV-002: the first load appends a ROLLBACK that the second one fails on."""
    image = HEADER_1 + PREPARE_OF_ONE + ADD_1
    (memory_path / "data-1.amq").write_bytes(image.ljust(1024, b"\0"))
    connection = connect_product("artemis-2.44.0")
    first = recovered(connection, memory_path)
    assert live(first["state"]) == [("ADD", "1")]
    connection.ask(request("write", memory_path, ops=[{"op": "open"}, {"op": "close"}]))
    second = recovered(connection, memory_path)
    assert (second["verdict"], second["code"]) == ("refused", "exception:NullPointerException")


def test_hornetq_does_not_start_behind_a_lost_prepare(connect_product: Connect, memory_path: Path) -> None:
    """JBM-DEV-002 as well."""
    image = HEADER_1 + PREPARE_OF_ONE + ADD_1
    (memory_path / "data-1.amq").write_bytes(image.ljust(1024, b"\0"))
    first = recovered(connect_product("hornetq-2.4.9"), memory_path)
    assert (first["verdict"], first["code"]) == ("refused", "exception:NullPointerException")
