"""The orders of writes that the reference models for HornetQ and Artemis are those that they issue.

The products run under strace. Files are made ahead of time by threads of their
own, so what is compared is what happens to each file from its beginning to its
end, and the order of everything that a compaction does to names.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance.connect import parse_impl
from journalspec_conformance.harnesses.java.tracing import Seen, TracingRefused, traced_write
from journalspec_conformance.products import Product, get_product, is_fetched
from journalspec_reference import load
from journalspec_reference.storage import MemoryStorage

MODULE = "journalspec_conformance.harnesses.jboss_journal"
#: product -> (order, prefix, extension, fill)
MODELS = {
    "hornetq-2.4.9": ("hornetq", "hornetq-data", "hq", "4a"),
    "artemis-2.44.0": ("artemis", "activemq-data", "amq", "00"),
}
CONTROL = "journal-rename-control.ctr"
SIZE = 1024

pytestmark = [pytest.mark.product, pytest.mark.java]

#: One thing that happens to a file: kind, offset, and the bytes or, where only they matter, their number.
Event = tuple[str, int, bytes | int]


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


def add(number: int, size: int, **more: str) -> dict[str, Any]:
    op = "add_tx" if "tx" in more else "add"
    return {"op": op, "id": str(number), "user_type": "3", "body": "61" * size, **more}


OPEN, CLOSE = {"op": "open"}, {"op": "close"}
#: Forced and not forced, a file left by an explicit request.
PLAIN = [
    OPEN,
    add(1, 40),
    add(2, 40, sync="false"),
    {"op": "update", "id": "1", "user_type": "4", "body": "63" * 10},
    {"op": "delete", "id": "2"},
    {"op": "next"},
    add(5, 40),
    CLOSE,
]
#: A transaction whose records are in two files; only its COMMIT is forced.
SPANNING = [
    OPEN,
    *(add(number, 400, tx="9") for number in (1, 2, 3)),
    {"op": "commit", "tx": "9"},
    CLOSE,
]
COMPACTING = [*SPANNING[:-1], {"op": "compact"}, CLOSE]


@dataclass
class Recorder(MemoryStorage):
    """Memory that notes what is done to it as strace would show it."""

    files: dict[str, bytearray] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)

    def write(self, name: str, off: int, data: bytes) -> None:
        super().write(name, off, data)
        self.seen.append(Seen("write", name, off, bytes(data)))

    def sync(self, name: str) -> None:
        super().sync(name)
        self.seen.append(Seen("sync", name))

    def sync_dir(self) -> None:
        super().sync_dir()
        self.seen.append(Seen("sync", ""))

    def rename(self, old: str, new: str) -> None:
        super().rename(old, new)
        self.seen.append(Seen("rename", old, target=new))

    def unlink(self, name: str) -> None:
        super().unlink(name)
        self.seen.append(Seen("unlink", name))


def modelled(product: Product, ops: list[dict[str, Any]]) -> list[Seen]:
    order, prefix, extension, fill = MODELS[product.id]
    storage = Recorder()
    params = {"order": order, "prefix": prefix, "extension": extension, "fill": fill, "file_size": str(SIZE)}
    writer = load("jboss_journal").writer(storage, edition="v2", params=params)
    for op in ops:
        writer.apply(op)
    return storage.seen


def traced(product: Product, ops: list[dict[str, Any]], tmp_path: Path) -> list[Seen]:
    directory = tmp_path / "journal"
    directory.mkdir()
    request = {"seq": 1, "cmd": "write", "format": "jboss_journal", "edition": "v2", "dir": str(directory)}
    request |= {"params": {"file_size": str(SIZE)}, "ops": ops}
    try:
        return traced_write(MODULE, product.id, request, directory, tmp_path / "trace")
    except TracingRefused as error:
        pytest.skip(f"strace is not permitted here: {error}")


def lives(seen: list[Seen]) -> dict[str, list[Event]]:
    """Return what happened to each file, by its last name; outputs of a compaction by their turn."""
    by_name: dict[str, list[Event]] = {}
    outputs: list[list[Event]] = []
    for item in seen:
        events = by_name.setdefault(item.file, [])
        if item.kind == "rename":
            by_name[item.target] = by_name.pop(item.file)
            if item.target.endswith(".cmp"):
                outputs.append(events)
        elif item.kind == "unlink":
            by_name[f"{item.file} (removed)"] = by_name.pop(item.file)
        else:
            # What a compaction copies, and how its control file says so, is not what this is about.
            own = item.file == CONTROL or item.file.endswith(".cmp")
            content = (0 if item.file == CONTROL else len(item.data)) if own else item.data
            events.append((item.kind, item.off, content))
    for turn, events in enumerate(outputs, start=1):
        name = next(name for name, value in by_name.items() if value is events)
        by_name[f"output {turn}"] = by_name.pop(name)
    return {name: events for name, events in by_name.items() if events}


def unstamped(events: list[Event]) -> list[Event]:
    """Return `events` without the bytes of the header: ids of files made ahead of time differ."""
    return [(kind, off, len(data) if isinstance(data, bytes) else data) for kind, off, data in events]


def switching(seen: list[Seen]) -> list[tuple[str, str]]:
    """Return what a compaction does to names, from the control file on, outputs by their turn."""
    start = next(at for at, item in enumerate(seen) if item.file == CONTROL)
    out = []
    for item in seen[start:]:
        if item.kind == "unlink" or item.target.endswith(tuple("0123456789")) or item.file.endswith(".cmp"):
            name = "output" if item.file.endswith(".cmp") else item.file
            out.append((item.kind, name))
        elif item.file == CONTROL:
            out.append((item.kind, CONTROL))
    return out


@pytest.mark.parametrize("ops", [PLAIN, SPANNING, COMPACTING], ids=["plain", "spanning", "compacting"])
def test_each_file_is_written_and_forced_as_modelled(
    product: Product, ops: list[dict[str, Any]], tmp_path: Path
) -> None:
    seen, model = traced(product, ops, tmp_path), modelled(product, ops)
    found, expected = lives(seen), lives(model)
    assert [item for item in model if not item.file] == [], "the order forces the directory"
    if ops is COMPACTING:
        assert switching(seen) == switching(model)
        outputs = [name for name in expected if name.startswith("output")]
        assert outputs, "a compaction was meant to write something"
        assert {name: unstamped(found.pop(name)) for name in outputs} == {
            name: unstamped(expected.pop(name)) for name in outputs
        }
    spare = {name: unstamped(found.pop(name)) for name in [*found] if name not in expected}
    current = {name: expected.pop(name) for name in [*expected] if name not in found}
    # Files made ahead of time: filled, stamped, and (Artemis) forced once more when they are closed.
    new = [("write", 0, SIZE), ("sync", 0, 0), ("write", 0, 16), ("sync", 0, 0)]
    assert all(events[:4] == new and set(events[4:]) <= {("sync", 0, 0)} for events in spare.values())
    assert not current, "what the model writes to, the product does not have"
    assert found == expected


def test_only_artemis_forces_a_file_that_it_leaves(product: Product, tmp_path: Path) -> None:
    """HornetQ acknowledges a transaction of which a part was never forced (JBM-WRT-007, JBM-WRT-008)."""
    seen = traced(product, SPANNING, tmp_path)
    first = next(item.file for item in seen if item.kind == "write" and len(item.data) > 400 and item.off)
    events = [item.kind for item in seen if item.file == first]
    last_write = len(events) - 1 - events[::-1].index("write")
    forced = "sync" in events[last_write:]
    assert forced == (product.id == "artemis-2.44.0")


def test_the_part_that_was_never_forced_is_lost_without_a_word(product: Product, tmp_path: Path) -> None:
    """A COMMIT counts the records of its own file only (JBM-DEV-015): what a crash leaves looks healthy."""
    order, prefix, extension, fill = MODELS[product.id]
    storage = MemoryStorage()
    params = {"order": order, "prefix": prefix, "extension": extension, "fill": fill, "file_size": str(SIZE)}
    writer = load("jboss_journal").writer(storage, edition="v2", params=params)
    writer.apply(OPEN)
    unforced = bytes(storage.files[f"{prefix}-1.{extension}"])
    for op in SPANNING[1:-1]:
        writer.apply(op)
    for name, data in storage.files.items():
        (tmp_path / name).write_bytes(unforced if name.startswith(f"{prefix}-1.") else data)
    connection = parse_impl(product.id.split("-")[0]).open(timeout=60)
    try:
        reply = connection.ask(
            {
                "cmd": "recover",
                "format": "jboss_journal",
                "edition": "v2",
                "dir": str(tmp_path),
                "policy": "strict",
                "params": {"file_size": str(SIZE)},
            }
        )
    finally:
        connection.close()
    assert [record["id"] for record in reply["ok"]["state"]["live"]] == ["3"]
    assert reply["ok"]["verdict"] == "clean"
