"""Deviations that no single case can show: what the products do to a journal that is then loaded again."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess  # the child is a module of ours
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance.harnesses.jboss_journal.capture.histories import scenarios
from journalspec_conformance.harnesses.jboss_journal.capture.play import params_of
from journalspec_conformance.process import ProcessConnection
from journalspec_conformance.products import get_product
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


def play_moments(name: str, work: Path, out: Path, told: dict[str, Any]) -> None:
    """Play `told` in a process of its own.

    Records are appended from inside the product's compaction, which now and
    then waits for itself: then it is tried again, from nothing.
    """
    for _ in range(3):
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        try:
            subprocess.run(
                [sys.executable, "-m", MOMENTS, name, str(work), str(out)],
                input=json.dumps(told),
                text=True,
                check=True,
                capture_output=True,
                timeout=30,
            )
        except subprocess.TimeoutExpired:
            continue
        return
    pytest.skip(f"{name} waited for itself three times while it compacted")


@each_product
def test_names_that_a_control_file_deletes_are_used_again_before_it_is_gone(
    name: str, connect_product: Connect, tmp_path: Path
) -> None:
    """JBM-DEV-008: records acknowledged while a compaction ends are lost by a crash before it has ended."""
    product = get_product(name)
    scenario = next(item for item in scenarios("v2") if item.moment == "files-renamed")
    params = {**params_of(product, scenario), "min_files": "10"}
    body = "78" * 900  # a file each
    added = [str(ident) for ident in range(1000, 1012)]
    during = [{"op": "add", "id": ident, "user_type": "1", "body": body} for ident in added]
    told = {
        "params": params,
        "ops": list(scenario.sessions[0].ops),
        "during": {"moment": "files-renamed", "ops": during},
    }
    connection = connect_product(name)  # skips if the product is missing
    work, out = tmp_path / "work", tmp_path / "out"
    play_moments(name, work, out, told)
    question = request("recover", out / "control-deleted", policy="strict", observe="state") | {
        "params": params
    }
    whole = connection.ask(question)["ok"]["state"]
    crashed = connection.ask(question | {"dir": str(out / "files-renamed")})["ok"]["state"]
    assert [ident for _, ident in live(whole)][-len(added) :] == added
    lost = [ident for ident in added if ("ADD", ident) not in live(crashed)]
    assert lost == ["1005", "1006", "1007", "1008"]


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
