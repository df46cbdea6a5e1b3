"""The reference models a product's order of writes. The product must write in this order.

The products run under strace. Each write, fsync, rename and removal is compared with the calls of the
reference writer to a recording storage. In a pair of logs, only clock readings and values computed from them
are masked. HornetQ and Artemis make files ahead of time in other threads. For them the test compares the
operations on each file, and the order of a compaction's changes of names.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance.harnesses.java.tracing import Seen, TracingRefused, traced_write
from journalspec_conformance.harnesses.reference import Traced
from journalspec_conformance.products import Product
from journalspec_reference import load
from journalspec_reference.storage import MemoryStorage
from products import Connect, ReadyProduct, asked

PAIR = ("btm1.tlog", "btm2.tlog")
#: Maps a product to the parameters of the reference writer that models it.
PAIRS = {"bitronix-2.1.4": {"order": "2.1.4"}, "bitronix-3.0.0-mk1": {"order": "3.0"}}
JOURNALS = {
    "artemis-2.44.0": {"order": "artemis", "prefix": "activemq-data", "extension": "amq", "fill": "00"},
    "hornetq-2.4.9": {"order": "hornetq", "prefix": "hornetq-data", "extension": "hq", "fill": "4a"},
}
#: The edition that all of these products write.
EDITIONS = {"jboss_journal": "v2"}
HEADER = 21
TIMESTAMP = range(4, 12)
#: The fields time, sequenceNumber and crc32 of a record.
CLOCKED = slice(12, 28)
SMALL = 448
ONE_MEBIBYTE_FILE = HEADER + (1 << 20)
CONTROL = "journal-rename-control.ctr"
SIZE = 1024

pytestmark = [pytest.mark.product, pytest.mark.java]

Op = dict[str, Any]
#: One event of a pair: kind, file, offset, and the bytes in hex.
Event = tuple[str, str, int, str]
#: One event of a file: kind, offset, and the bytes, or their number where only that matters.
Change = tuple[str, int, bytes | int]

OPEN, FORCE, CLOSE = {"op": "open"}, {"op": "force"}, {"op": "close"}


def edition_of(product: Product) -> str:
    return EDITIONS.get(product.harness, product.edition)


def modelled(
    product: Product, before: Mapping[str, bytes], ops: list[Op], params: Mapping[str, str]
) -> list[Seen]:
    """Return the calls of the reference writer when it follows the product's order."""
    storage: Any = Traced(MemoryStorage(dict(before)))
    writer = load(product.harness).writer(storage, edition=edition_of(product), params=params)
    for op in ops:
        writer.apply(op)
    # An event in the form of strace: the fsync of a directory has no name here.
    done = [{"file": "", "off": "0", "data": "", "to": "", **item} for item in storage.taken()]
    return [
        Seen(op["op"].removesuffix("-dir"), op["file"], int(op["off"]), bytes.fromhex(op["data"]), op["to"])
        for op in done
        if op["op"] not in ("create", "truncate")
    ]


def traced(
    product: Product, ops: list[Op], tmp_path: Path, params: Mapping[str, str], names: tuple[str, ...] = ()
) -> list[Seen]:
    """Let `product` do `ops` in ``journal`` under strace; return its calls on `names` (or all files)."""
    if shutil.which("strace") is None:
        pytest.skip("strace is missing: the product's system calls cannot be seen")
    directory = tmp_path / "journal"
    directory.mkdir(exist_ok=True)
    request = {"seq": 1, "cmd": "write", "format": product.harness, "edition": edition_of(product)}
    request |= {"dir": str(directory), "params": params, "ops": ops}
    try:
        return traced_write(product.id, request, directory, tmp_path / "trace", names)
    except TracingRefused as error:
        pytest.skip(f"strace is not permitted here: {error}")


# A pair of logs: every write and every fsync.


def log(kind: str, number: int, *names: str) -> Op:
    return {"op": "log", "type": kind, "gtrid": f"{number:032x}", "names": list(names)}


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


def unclocked(seen: list[Seen]) -> list[Event]:
    """Return the writes and fsyncs, in which clock readings and values computed from them are masked."""
    events = []
    for item in seen:
        content = bytearray(item.data)
        off, end = item.off, item.off + len(content)
        if off >= HEADER and any(content):
            content[CLOCKED] = bytes(16)
        elif off in TIMESTAMP and end <= TIMESTAMP.stop:
            position = 0 < int.from_bytes(content, "big") <= SMALL
            if len(content) == 1 or not position:
                content = bytearray(len(content))
        events.append((item.kind, item.file, off, content.hex()))
    return events


@pytest.mark.parametrize("name", PAIRS)
def test_new_pair_and_swap_are_written_in_the_modelled_order(
    name: str, ready_product: ReadyProduct, connect_product: Connect, tmp_path: Path
) -> None:
    product, directory = ready_product(name), tmp_path / "journal"
    seen = traced(product, FIRST_LIFE, tmp_path, {}, PAIR)
    params = {**PAIRS[name], "file_length": str(ONE_MEBIBYTE_FILE)}
    assert unclocked(seen) == unclocked(modelled(product, {}, FIRST_LIFE, params))

    shutil.rmtree(directory)
    directory.mkdir()
    params = {"file_length": str(SMALL)}
    told = {"cmd": "write", "params": params, "ops": [OPEN, CLOSE]}
    asked(connect_product(name), directory, product.harness, product.edition, **told)
    before = {name: (directory / name).read_bytes() for name in PAIR}
    assert {len(data) for data in before.values()} == {SMALL}
    changes = unclocked(traced(product, SWAPPING, tmp_path, {}, PAIR))
    swapped = [entry for entry in changes if entry[0] == "write" and entry[2] == TIMESTAMP.start]
    assert len(swapped) == 1, "the operations were meant to cause one swap"
    assert changes == unclocked(modelled(product, before, SWAPPING, {**PAIRS[name], **params}))


# A journal: the operations on each file.


def add(number: int, size: int, **more: str) -> Op:
    op = "add_tx" if "tx" in more else "add"
    return {"op": op, "id": str(number), "user_type": "3", "body": "61" * size, **more}


#: Operations with and without an fsync, and an explicit change to the next file.
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
#: The records of a transaction are in two files, and only its COMMIT gets an fsync; then live records are
#: copied.
COMPACTING = [
    OPEN,
    *(add(number, 400, tx="9") for number in (1, 2, 3)),
    {"op": "commit", "tx": "9"},
    {"op": "compact"},
    CLOSE,
]


def lives(seen: list[Seen]) -> dict[str, list[Change]]:
    """Return the events of each file, by its last name; outputs of a compaction are numbered."""
    by_name: dict[str, list[Change]] = {}
    outputs: list[list[Change]] = []
    for item in seen:
        events = by_name.setdefault(item.file, [])
        if item.kind == "rename":
            by_name[item.target] = by_name.pop(item.file)
            if item.target.endswith(".cmp"):
                outputs.append(events)
        elif item.kind == "unlink":
            by_name[f"{item.file} (removed)"] = by_name.pop(item.file)
        else:
            # The bytes of a compaction's copies and of its control file are not compared here.
            own = item.file == CONTROL or item.file.endswith(".cmp")
            content = (0 if item.file == CONTROL else len(item.data)) if own else item.data
            events.append((item.kind, item.off, content))
    for turn, events in enumerate(outputs, start=1):
        name = next(name for name, value in by_name.items() if value is events)
        by_name[f"output {turn}"] = by_name.pop(name)
    return {name: events for name, events in by_name.items() if events}


def unstamped(events: list[Change]) -> list[Change]:
    """Return `events` without the bytes of the header: ids of files made ahead of time differ."""
    return [(kind, off, len(data) if isinstance(data, bytes) else data) for kind, off, data in events]


def switching(seen: list[Seen]) -> list[tuple[str, str]]:
    """Return the file names that a compaction creates, renames and removes, beginning with the control file.
    Names of its output files are replaced by numbers.
    """
    start = next(at for at, item in enumerate(seen) if item.file == CONTROL)
    out = []
    for item in seen[start:]:
        if item.kind == "unlink" or item.target.endswith(tuple("0123456789")) or item.file.endswith(".cmp"):
            name = "output" if item.file.endswith(".cmp") else item.file
            out.append((item.kind, name))
        elif item.file == CONTROL:
            out.append((item.kind, CONTROL))
    return out


@pytest.mark.parametrize("name", JOURNALS)
@pytest.mark.parametrize("ops", [PLAIN, COMPACTING], ids=["plain", "compacting"])
def test_each_file_is_written_and_synced_as_modelled(
    name: str, ops: list[Op], ready_product: ReadyProduct, tmp_path: Path
) -> None:
    """Only Artemis syncs a file before it continues in the next one (JBM-WRT-007, JBM-WRT-008)."""
    product, params = ready_product(name), {"file_size": str(SIZE)}
    seen = traced(product, ops, tmp_path, params)
    model = modelled(product, {}, ops, {**params, **JOURNALS[name]})
    found, expected = lives(seen), lives(model)
    assert [item for item in model if not item.file] == [], (
        "the modelled order contains an fsync of the directory"
    )
    if ops is COMPACTING:
        assert switching(seen) == switching(model)
        outputs = [name for name in expected if name.startswith("output")]
        assert outputs, "the operations were meant to cause a compaction"
        assert {name: unstamped(found.pop(name)) for name in outputs} == {
            name: unstamped(expected.pop(name)) for name in outputs
        }
    spare = {name: unstamped(found.pop(name)) for name in [*found] if name not in expected}
    current = {name: expected.pop(name) for name in [*expected] if name not in found}
    # Files made ahead of time are filled and stamped; Artemis syncs them once more when it closes them.
    new = [("write", 0, SIZE), ("sync", 0, 0), ("write", 0, 16), ("sync", 0, 0)]
    assert all(events[:4] == new and set(events[4:]) <= {("sync", 0, 0)} for events in spare.values())
    assert not current, "the product lacks files to which the model writes"
    assert found == expected


# Each batch is one write, with or without an fsync, and replaces the end marker of the previous batch.

#: Product -> additional writes to a new file before the first batch. Version 5.13.5 writes the last byte
#: without an fsync. The reference runs without preallocation.
BATCHES: dict[str, list[Change]] = {
    "activemq-5.13.5": [("write", SIZE - 1, b"\0")],
    "activemq-5.15.0": [],
    "activemq-5.17.6": [],
    "activemq-6.1.7": [],
}


def append(number: int, size: int, *, sync: bool) -> Op:
    return {"op": "append", "payload": f"{number:02x}" * size, "sync": sync}


#: Some batches are synced; the writer continues in the second file after an unsynced batch.
BATCHED = [
    OPEN,
    append(1, 40, sync=True),
    append(2, 400, sync=False),
    {"op": "flush"},
    append(3, 40, sync=True),
    append(4, 300, sync=False),
    {"op": "flush"},
    append(5, 300, sync=True),
]


# Versions 5.15.0 and 5.17.6 write alike, so only a whole run tests 5.15.0.
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.whole] if name == "activemq-5.15.0" else []) for name in BATCHES],
)
def test_batches_are_written_and_synced_as_modelled(
    name: str, ready_product: ReadyProduct, tmp_path: Path
) -> None:
    """The test also checks that the old file gets no fsync (KHD-WRT-009)."""
    product, params = ready_product(name), {"max_file_length": str(SIZE)}
    found = lives(traced(product, [*BATCHED, CLOSE], tmp_path, params))
    told = {"preallocation": "none"} if BATCHES[name] else {}
    model = modelled(product, {}, BATCHED, {**params, **told})
    expected = lives([item for item in model if item.file])
    assert found == {file: BATCHES[name] + events for file, events in expected.items()}
    assert found["db-1.log"][-1][0] == "write", "the first file was meant to end without an fsync"
