"""The order of writes that the reference models for a product is the order that the product issues.

The product runs under strace; what it writes to the two files, and what it
forces, is compared one by one with what the reference writer does to a
recording storage. Only clock readings, and what is computed from them, are
masked.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance.harnesses.java.tracing import TracingRefused, traced_write
from journalspec_conformance.products import Product, get_product, is_fetched
from journalspec_reference import load
from journalspec_reference.storage import MemoryStorage

MODULE = "journalspec_conformance.harnesses.bitronix_tlog"
PAIR = ("btm1.tlog", "btm2.tlog")
MODELS = {"bitronix-2.1.4": "2.1.4", "bitronix-3.0.0-mk1": "3.0"}
HEADER = 21
TIMESTAMP = range(4, 12)
#: time, sequenceNumber and crc32 of a record.
CLOCKED = slice(12, 28)
SMALL = 448
ONE_MEBIBYTE_FILE = HEADER + (1 << 20)

pytestmark = [pytest.mark.product, pytest.mark.java]

Event = tuple[str, str, int, str]


@pytest.fixture(params=sorted(MODELS))
def product(request: pytest.FixtureRequest) -> Product:
    pytest.importorskip("jpype", reason="JPype is missing: install journalspec[products]")
    if shutil.which("java") is None:
        pytest.skip("no Java runtime on PATH")
    if shutil.which("strace") is None:
        pytest.skip("strace is missing: the product's system calls cannot be seen")
    found = get_product(request.param)
    if not is_fetched(found):
        pytest.skip(f"{request.param} is missing: run `journalspec products fetch {request.param}`")
    return found


def log(kind: str, number: int, *names: str) -> dict[str, Any]:
    return {"op": "log", "type": kind, "gtrid": f"{number:032x}", "names": list(names)}


FORCE, OPEN, CLOSE = {"op": "force"}, {"op": "open"}, {"op": "close"}
FIRST_LIFE = [OPEN, log("COMMITTING", 1, "db1", "jms1"), FORCE, log("COMMITTED", 1, "db1", "jms1"), CLOSE]
SWAPPING = [
    OPEN,
    log("COMMITTING", 1, "db1", "jms1"),
    FORCE,
    log("COMMITTING", 2, "db1", "jms1", "zz"),
    log("COMMITTED", 2, "zz"),
    *[log("ACTIVE", number, "db1", "jms1") for number in range(3, 6)],
    log("COMMITTING", 6, "db1", "jms1"),
    FORCE,
    CLOSE,
]


def event(kind: str, file: str, off: int, data: bytes) -> Event:
    """Return one write or sync, with everything masked that a clock has touched."""
    content = bytearray(data)
    if off >= HEADER and any(data):
        content[CLOCKED] = bytes(16)
    elif (
        off in TIMESTAMP
        and off + len(data) <= TIMESTAMP.stop
        and not 0 < int.from_bytes(data, "big") <= SMALL
    ):
        content = bytearray(len(data))
    elif off in TIMESTAMP and len(data) == 1:
        content = bytearray(1)
    return (kind, file, off, content.hex())


@dataclass
class Recorder(MemoryStorage):
    """Memory that notes every write and sync."""

    files: dict[str, bytearray] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    def write(self, name: str, off: int, data: bytes) -> None:
        super().write(name, off, data)
        self.events.append(event("write", name, off, bytes(data)))

    def sync(self, name: str) -> None:
        super().sync(name)
        self.events.append(("sync", name, 0, ""))


def traced(product: Product, directory: Path, ops: list[dict[str, Any]], trace: Path) -> list[Event]:
    """Let `product` do `ops` in `directory` under strace and return what it did to the pair."""
    request = {"seq": 1, "cmd": "write", "format": "bitronix_tlog", "edition": product.edition}
    request |= {"dir": str(directory), "params": {}, "ops": ops}
    try:
        seen = traced_write(MODULE, product.id, request, directory, trace, PAIR)
    except TracingRefused as error:
        pytest.skip(f"strace is not permitted here: {error}")
    return [event(item.kind, item.file, item.off, item.data) for item in seen]


def modelled(
    product: Product, files: dict[str, bytes], ops: list[dict[str, Any]], length: int
) -> list[Event]:
    """Return what the reference writer does under the product's order."""
    storage = Recorder({name: bytearray(data) for name, data in files.items()})
    params = {"order": MODELS[product.id], "file_length": str(length)}
    writer = load("bitronix_tlog").writer(storage, edition=product.edition, params=params)
    for op in ops:
        writer.apply(op)
    return storage.events


def test_a_new_pair_is_made_and_used_in_the_modelled_order(product: Product, tmp_path: Path) -> None:
    directory = tmp_path / "journal"
    directory.mkdir()
    seen = traced(product, directory, FIRST_LIFE, tmp_path / "trace")
    assert seen == modelled(product, {}, FIRST_LIFE, ONE_MEBIBYTE_FILE)


def test_a_swap_is_done_in_the_modelled_order(product: Product, tmp_path: Path) -> None:
    directory = tmp_path / "journal"
    directory.mkdir()
    request = {"seq": 1, "cmd": "write", "format": "bitronix_tlog", "edition": product.edition}
    request |= {"dir": str(directory), "params": {"file_length": str(SMALL)}, "ops": [OPEN, CLOSE]}
    subprocess.run(
        [sys.executable, "-m", MODULE, "--product", product.id],
        input=json.dumps(request) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    before = {name: (directory / name).read_bytes() for name in PAIR}
    assert {len(data) for data in before.values()} == {SMALL}
    seen = traced(product, directory, SWAPPING, tmp_path / "trace")
    swapped = [entry for entry in seen if entry[0] == "write" and entry[2] == 4]
    assert len(swapped) == 1, "the operations were meant to cause one swap"
    assert seen == modelled(product, before, SWAPPING, SMALL)
