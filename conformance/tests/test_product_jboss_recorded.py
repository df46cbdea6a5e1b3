"""The harnesses give the answers that were recorded from the real classes, input by input."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance.harnesses.jboss_journal.recorded import (
    FORMAT,
    Outcome,
    Recorded,
    outcome_of,
    outcome_of_observation,
    recorded_inputs,
)
from journalspec_conformance.process import ProcessConnection

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real" / "jboss_journal"
PRODUCTS = ("hornetq-2.4.9", "artemis-2.44.0")
EDITION = "v2e"
GOLDEN = {"hornetq-2.4.9": "hornetq_2.4.9_v2", "artemis-2.44.0": "artemis_2.44.0_v2"}
#: Operation in the record -> operation of the protocol.
OPERATIONS = {"addtx": "add_tx", "updatetx": "update_tx", "deletetx": "delete_tx"}
#: The order in which a directory is listed decides, and file systems differ.
ORDER_DECIDES = {"v2/study/dup-id", "v2/study/dup-id-tx"}

pytestmark = [pytest.mark.product, pytest.mark.java, pytest.mark.real]


@pytest.fixture(scope="module", params=PRODUCTS)
def product(
    request: pytest.FixtureRequest, connect_product: Callable[[str], ProcessConnection]
) -> tuple[str, ProcessConnection]:
    if not REAL.is_dir():
        pytest.skip(f"real files are missing: {REAL}")
    return request.param, connect_product(request.param)


def request_for(product: str, command: str, directory: Path, **members: Any) -> dict[str, Any]:
    edition = "v2" if product.startswith("hornetq") else EDITION
    return {"cmd": command, "format": FORMAT, "edition": edition, "dir": str(directory), **members}


def loaded(product: tuple[str, ProcessConnection], directory: Path, params: dict[str, str]) -> Outcome:
    name, connection = product
    request = request_for(name, "recover", directory, policy="strict", observe="state", params=params)
    return outcome_of_observation(connection.ask(request)["ok"], EDITION)


def put(recorded: Recorded, directory: Path) -> Path:
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    for name, data in recorded.files.items():
        (directory / name).write_bytes(data)
    return directory


def same_exception(recorded: Outcome, seen: Outcome) -> bool:
    return seen.thrown.startswith(recorded.thrown.partition(":")[0])


def differs(name: str, wanted: Outcome, seen: Outcome) -> bool:
    if name in ORDER_DECIDES:
        return sorted(wanted.live) != sorted(seen.live) and bool(seen.live)
    return not wanted.same(seen) or not same_exception(wanted, seen)


def test_every_recorded_outcome_is_reproduced(
    product: tuple[str, ProcessConnection], memory_path: Path
) -> None:
    different, count = [], 0
    for recorded in recorded_inputs(REAL / "outcomes"):
        wanted = recorded.outcomes.get(product[0])
        if wanted is None:
            continue
        count += 1
        params = {"prefix": "activemq-data", **recorded.params}
        seen = loaded(product, put(recorded, memory_path / "in"), params)
        if differs(recorded.name, wanted, seen):
            different.append(f"{recorded.name}: recorded {wanted}, seen {seen}")
    assert count == 843
    assert different == []


def test_every_second_load_is_reproduced(product: tuple[str, ProcessConnection], memory_path: Path) -> None:
    """What a load leaves behind is loaded again: here the directory itself is opened and closed."""
    name, connection = product
    different = []
    for recorded in recorded_inputs(REAL / "outcomes"):
        wanted = recorded.second.get(name)
        if wanted is None:
            continue
        directory = put(recorded, memory_path / "in")
        params = {"prefix": "activemq-data", **recorded.params}
        ops = [{"op": "open"}, {"op": "close"}]
        connection.ask(request_for(name, "write", directory, params=params, ops=ops))
        seen = loaded(product, directory, params)
        if differs(recorded.name, wanted, seen):
            different.append(f"{recorded.name}: recorded {wanted}, seen {seen}")
    assert different == []


def test_every_captured_directory_is_loaded_as_recorded(product: tuple[str, ProcessConnection]) -> None:
    """Both products are asked about what both of them have written, and about each record."""
    name, _ = product
    manifest = json.loads((REAL / "captured" / "manifest.json").read_text(encoding="utf-8"))
    different = []
    for case in manifest["cases"]:
        told = case["loaded"] if case["impl"] == name else case.get("cross", {}).get(name)
        if case["dialect"][0] != "V" or told is None:
            continue
        directory = REAL / "captured" / case["impl"] / case["case"]
        params = {key: str(case["params"][key]) for key in ("file_size", "min_files", "prefix", "extension")}
        wanted = outcome_of(
            {"records": case["loaded"]["records"], "prepared": case["loaded"]["prepared"]} | told
        )
        seen = loaded(product, directory, params)
        if not wanted.same(seen):
            different.append(f"{case['impl']}/{case['case']}: recorded {wanted}, seen {seen}")
    assert different == []


def golden_operation(text: str) -> dict[str, str]:
    word, *parts = text.split()
    op = {"op": OPERATIONS.get(word, word)}
    names = {"id": "id", "ut": "user_type", "tx": "tx"}
    for part in parts:
        match = re.fullmatch(r"(id|ut|tx)(\d+)", part)
        if match:
            op[names[match[1]]] = match[2]
        elif part not in ("body", "extra"):
            op["extra" if word == "prepare" else "body"] = part
    return op


def test_the_golden_sequence_byte_for_byte(product: tuple[str, ProcessConnection], memory_path: Path) -> None:
    name, connection = product
    golden = json.loads((REAL / "golden.json").read_text(encoding="utf-8"))[GOLDEN[name]]
    ops = [{"op": "open"}, *(golden_operation(entry["what"]) for entry in golden["records"]), {"op": "close"}]
    params = {"file_size": str(golden["file_size"]), "prefix": "p", "extension": "x", "auto_reclaim": "false"}
    answer = connection.ask(request_for(name, "write", memory_path, params=params, ops=ops))
    assert answer["ok"]["refusals"] == []
    image = bytearray([golden["fill_byte"]]) * golden["file_size"]
    header = bytes.fromhex(golden["header_hex"])
    image[: len(header)] = header
    for entry in golden["records"]:
        data = bytes.fromhex(entry["hex"])
        image[entry["offset"] : entry["offset"] + len(data)] = data
    assert (memory_path / "p-1.x").read_bytes().hex() == image.hex()
