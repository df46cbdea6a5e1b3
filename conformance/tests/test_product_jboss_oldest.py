"""HornetQ 2.0 and 2.1 read what the reference writes in editions s2 and v1, even half compacted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance.harnesses.jboss_journal.capture import CAPTURE, asked_state, seen_state
from journalspec_conformance.process import ProcessConnection
from journalspec_conformance.products import get_product
from journalspec_reference import load
from journalspec_reference.storage import MemoryStorage

FORMAT = "jboss_journal"
CONTROL = "journal-rename-control.ctr"


@dataclass
class Moments(MemoryStorage):
    """Memory that keeps what a crash would leave at each change of names, with the control file there."""

    files: dict[str, bytearray] = field(default_factory=dict)
    kept: list[dict[str, bytes]] = field(default_factory=list)

    def _keep(self) -> None:
        if CONTROL in self.files:
            self.kept.append({name: bytes(data) for name, data in self.files.items()})

    def rename(self, old: str, new: str) -> None:
        super().rename(old, new)
        self._keep()

    def unlink(self, name: str) -> None:
        self._keep()
        super().unlink(name)


@pytest.mark.product
@pytest.mark.java
@pytest.mark.parametrize("name", ["hornetq-2.0.0", "hornetq-2.1.2"])
def test_a_compaction_of_the_reference_is_finished_by_the_product(
    name: str, connect_product: Callable[[str], ProcessConnection], tmp_path: Path
) -> None:
    product = get_product(name)
    connection, edition = connect_product(name), product.edition
    scenario = next(item for item in CAPTURE.scenarios(product) if item.name == "compacted")
    params = CAPTURE.params(product, scenario)
    storage = Moments()
    writer = load(FORMAT).writer(storage, edition=edition, params=params)
    request: dict[str, Any] = {"cmd": "recover", "policy": "strict", "observe": "state", "params": params}
    ops = scenario.sessions[0]
    for done, op in enumerate(ops, start=1):
        before = len(storage.kept)
        writer.apply(op)
        if op["op"] == "compact":
            assert len(storage.kept) - before > 3
            for number, files in enumerate(storage.kept[before:]):
                place = tmp_path / str(number)
                place.mkdir()
                for file, data in files.items():
                    (place / file).write_bytes(data)
                answer = connection.ask({**request, "format": FORMAT, "edition": edition, "dir": str(place)})[
                    "ok"
                ]
                wanted = asked_state([(op, {}) for op in ops[:done]], edition)
                assert seen_state(answer["state"]) == wanted, number
                assert answer["verdict"] == "clean"


def test_the_control_file_of_s2_has_the_id_minus_one_and_names_are_modified_utf8() -> None:
    """As HornetQ 2.0.0 reads it (JBM-CMP-002); the name is one that UTF-8 writes in four bytes."""
    storage = Moments()
    params = {"prefix": "\U0001f4e8", "extension": "hq", "file_size": "1024"}
    writer = load(FORMAT).writer(storage, edition="s2", params=params)
    add = {"op": "add", "id": "1", "user_type": "1", "body": "61"}
    for op in ({"op": "open"}, add, {"op": "compact"}):
        writer.apply(op)
    data = storage.kept[0][CONTROL]
    name = b"\xed\xa0\xbd\xed\xb3\xa8-1.hq"
    lists = b"\0\0\0\1" + len(name).to_bytes(2, "big") + name
    assert data[:4] == b"\xff\xff\xff\xff"
    assert data[4:9] == b"\x0b\xff\xff\xff\xff"
    assert data[22 : 22 + len(lists)] == lists
