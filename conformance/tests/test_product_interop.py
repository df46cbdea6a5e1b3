"""HornetQ, Artemis and the reference read what the others write, also after a crash.

What must be there says the format's model, from the operations alone; no file is looked into.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from captures.jboss_journal import CAPTURE

from journalspec_conformance.connection import Connection
from journalspec_conformance.harnesses.reference import Traced
from journalspec_conformance.power import Disk
from journalspec_conformance.products import get_product
from journalspec_corpus.jboss_journal import MODEL
from journalspec_corpus.model import history
from journalspec_reference import load
from journalspec_reference.storage import MemoryStorage
from products import Connect, Every, asked, of_products

FORMAT, EDITION = "jboss_journal", "v2"
REFERENCE = "reference"
IMPLEMENTATIONS = (REFERENCE, "hornetq-2.4.9", "artemis-2.44.0")
PARAMS = {"prefix": "data", "extension": "amq", "min_files": "4", "auto_reclaim": "false"}
RECORDS = 10_000
CONTROL = "journal-rename-control.ctr"
#: Records that are added while the reference's writer is stopped after each of its storage operations.
ADDED = 200

Op = dict[str, Any]
Images = Mapping[str, bytes]


@pytest.fixture(scope="module")
def products(connect_product: Connect) -> dict[str, Connection]:
    return {name: connect_product(name) for name in IMPLEMENTATIONS if name != REFERENCE}


@dataclass
class Workload:
    """Random operations on records that are there; ids are used once."""

    chance: random.Random
    body: int
    ops: list[Op] = field(default_factory=lambda: [{"op": "open"}])
    there: list[int] = field(default_factory=list)
    next_id: int = 1
    next_tx: int = 1

    def _record(self, op: str, ident: int, **more: str) -> None:
        data = self.chance.randbytes(self.chance.randrange(self.body))
        kind = str(self.chance.randrange(256))
        self.ops.append({"op": op, **more, "id": str(ident), "user_type": kind, "body": data.hex()})

    def _new(self) -> int:
        self.next_id += 1
        return self.next_id - 1

    def plain(self) -> None:
        """Add, update or delete one record."""
        what = self.chance.random()
        if what < 0.5 or not self.there:
            ident = self._new()
            self._record("add", ident)
            self.there.append(ident)
        elif what < 0.65:
            self._record("update", self.chance.choice(self.there))
        else:
            ident = self.there.pop(self.chance.randrange(len(self.there)))
            self.ops.append({"op": "delete", "id": str(ident)})

    def transaction(self, size: int, end: str) -> None:
        """Do a transaction of up to `size` operations; `end` is commit, rollback, prepare or "" (none)."""
        tx, added, gone = str(self.next_tx), [], []
        self.next_tx += 1
        for _ in range(self.chance.randint(1, size)):
            if self.chance.random() < 0.75 or len(self.there) < 2:
                added.append(self._new())
                self._record("add_tx", added[-1], tx=tx)
            else:
                gone.append(self.there.pop(self.chance.randrange(len(self.there))))
                self.ops.append({"op": "delete_tx", "tx": tx, "id": str(gone[-1]), "body": "77"})
        if end:
            extra = {"extra": "786964"} if end == "prepare" else {}
            self.ops.append({"op": end, "tx": tx, **extra})
        self.there += added if end == "commit" else gone if end == "rollback" else []

    def file(self, op: str) -> None:
        """Roll, reclaim or compact."""
        self.ops.append({"op": op})


def long_history(records: int) -> list[Op]:
    """Return operations on so many records: transactions over several files, reuse, compactions."""
    work = Workload(random.Random(7), 120)
    rounds = 0
    while work.next_id <= records:
        for _ in range(100):
            work.plain()
        work.transaction(250, work.chance.choice(["commit", "commit", "rollback"]))
        work.transaction(12, "commit")
        work.file("reclaim")
        rounds += 1
        if rounds % 15 == 0:
            work.file("next")
            work.file("compact")
    work.transaction(8, "prepare")
    work.transaction(8, "")
    work.file("close")
    return work.ops


def short_history() -> list[Op]:
    """Return some 400 operations that add 200 records, with everything in them, for a crash in each."""
    work = Workload(random.Random(11), 60)
    number = 0
    while work.next_id <= ADDED:
        number += 1
        for _ in range(10):
            work.plain()
        work.transaction(12, work.chance.choice(["commit", "commit", "rollback"]))
        work.file("reclaim")
        if number in (4, 8):
            work.transaction(3, "prepare")
        if number % 6 == 0:
            work.file("next")
            work.file("compact")
    return work.ops


def write(products: Mapping[str, Connection], writer: str, ops: list[Op], directory: Path) -> None:
    params = {**PARAMS, "file_size": "16384", "sync": "false"}
    if writer == REFERENCE:
        storage = MemoryStorage()
        journal = load(FORMAT).writer(storage, edition=EDITION, params=params)
        for op in ops:
            journal.apply(op)
        put(storage.files, directory)
        return
    answer = asked(products[writer], directory, FORMAT, EDITION, cmd="write", params=params, ops=ops)
    assert answer["ok"]["refusals"] == []


def put(files: Mapping[str, bytes | bytearray], directory: Path) -> None:
    directory.mkdir(exist_ok=True)
    for path in directory.iterdir():
        path.unlink()
    for name, data in files.items():
        (directory / name).write_bytes(data)


def recovered(products: Mapping[str, Connection], reader: str, directory: Path) -> dict[str, Any]:
    """Return the state that `reader` recovers, as far as operations determine it."""
    params = {"extension": PARAMS["extension"], "prefix": PARAMS["prefix"]}
    if reader == REFERENCE:
        files = {path.name: path.read_bytes() for path in directory.iterdir()}
        seen = load(FORMAT).recover(files, edition=EDITION, policy="strict", params=params).to_json()
    else:
        seen = asked(products[reader], directory, FORMAT, EDITION, params=params)["ok"]
    assert "state" in seen, f"{reader}: {seen}"
    return MODEL.shown(MODEL.begin(seen["state"]))


@of_products
@pytest.mark.parametrize("writer", IMPLEMENTATIONS)
def test_all_three_recover_ten_thousand_records_alike(
    writer: str, products: dict[str, Connection], every: Every, memory_path: Path
) -> None:
    # A product reads a quarter of them in a sample: every one of the three reads what each has written.
    records = RECORDS // every(4)
    ops = long_history(records)
    assert sum(op["op"] in ("add", "add_tx") for op in ops) >= records
    directory = memory_path / "journal"
    directory.mkdir()
    write(products, writer, ops, directory)
    # The last transaction has no end: whoever opens the journal rolls it back.
    wanted = history(MODEL, {}, [*ops, {"op": "open"}], frozenset(), EDITION).shown[-1]
    assert len(wanted["live"]) > 100
    names = [path.name for path in directory.iterdir()]
    assert len(names) > 3, names
    for reader in IMPLEMENTATIONS:
        assert recovered(products, reader, directory) == wanted, reader


def crash_images(
    ops: Sequence[Op], params: Mapping[str, str], edition: str = EDITION
) -> Iterator[tuple[str, int, Images]]:
    """Yield (what was done, operations acknowledged, the files) after each change by the reference writer.

    A killed process leaves everything that was written; a machine without power
    at worst only what was made durable: contents by ``sync``, names by ``sync-dir``.
    """
    storage: Any = Traced(MemoryStorage())
    disk = Disk({})
    journal = load(FORMAT).writer(storage, edition=edition, params=params)
    for number, op in enumerate(ops):
        journal.apply(op)
        for change in storage.taken():
            disk.do(change)
            what = f"{change['op']} {change.get('file', '')}".strip()
            yield f"killed after {what}", number, disk.files()
            yield f"power lost after {what}", number, next(disk.after_power_failure())


@of_products
def test_nothing_acknowledged_is_lost_in_a_crash_of_the_reference_writer(
    products: dict[str, Connection], every: Every, memory_path: Path
) -> None:
    ops = short_history()
    states = history(MODEL, {}, [{"op": "open"}, *ops], frozenset(), EDITION).shown[1:]
    images = list(crash_images(ops, {**PARAMS, "file_size": "2048"}))
    assert sum(op["op"] in ("add", "add_tx") for op in ops) >= ADDED
    assert {"next", "compact", "reclaim"} <= {op["op"] for op in ops}
    assert len(images) >= 2 * len(ops)
    # A force changes no content, so that half of the images are there twice: each is read once.
    answers: dict[tuple[tuple[str, bytes], ...], list[dict[str, Any]]] = {}
    wrong = []
    for what, done, files in images[:: every(7)]:
        content = tuple(sorted(files.items()))
        if content not in answers:
            put(files, memory_path / "journal")
            answers[content] = [
                recovered(products, name, memory_path / "journal") for name in IMPLEMENTATIONS
            ]
        # The operation in progress may have taken place or not; what was acknowledged has.
        permitted = states[done : done + 2]
        for reader, state in zip(IMPLEMENTATIONS, answers[content], strict=True):
            if state not in permitted:
                wrong.append(f"{reader}, {what}, {done} operations acknowledged")
    assert wrong == []


def half_compacted(images: Iterable[tuple[str, int, Images]]) -> list[Images]:
    """Return what a killed process leaves while the control file tells of a compaction."""
    names = ("killed after rename", "killed after unlink", f"killed after sync {CONTROL}")
    return [files for what, _, files in images if what.startswith(names) and CONTROL in files]


@of_products
@pytest.mark.parametrize("name", ["hornetq-2.0.0", "hornetq-2.1.2"])
def test_a_compaction_of_the_reference_is_finished_by_the_product(
    name: str, connect_product: Connect, memory_path: Path
) -> None:
    """Versions 2.0 and 2.1 read what the reference writes in editions s2 and v1."""
    product = get_product(name)
    scenario = next(item for item in CAPTURE.scenarios(product) if item.name == "compacted")
    ops, params = scenario.sessions[0], CAPTURE.params(product, scenario)
    done = next(number for number, op in enumerate(ops) if op["op"] == "compact") + 1
    kept = history(MODEL, {}, ops[:done], frozenset(), product.edition)
    images = half_compacted(crash_images(ops[:done], params, product.edition))
    assert len(images) > 3
    connection = connect_product(name)
    for files in images:
        put(files, memory_path / "journal")
        answer = asked(connection, memory_path / "journal", FORMAT, product.edition, params=params)["ok"]
        assert answer["verdict"] == "clean"
        assert kept.seen(answer["state"]) == kept.shown[-1]


def test_the_control_file_of_s2_has_the_id_minus_one_and_names_are_modified_utf8() -> None:
    """As HornetQ 2.0.0 reads it (JBM-CMP-002); the name is one that UTF-8 writes in four bytes."""
    params = {"prefix": "\U0001f4e8", "extension": "hq", "file_size": "1024"}
    ops = [{"op": "open"}, {"op": "add", "id": "1", "user_type": "1", "body": "61"}, {"op": "compact"}]
    data = half_compacted(crash_images(ops, params, "s2"))[0][CONTROL]
    name = b"\xed\xa0\xbd\xed\xb3\xa8-1.hq"
    lists = b"\0\0\0\1" + len(name).to_bytes(2, "big") + name
    assert data[:4] == b"\xff\xff\xff\xff"
    assert data[4:9] == b"\x0b\xff\xff\xff\xff"
    assert data[22 : 22 + len(lists)] == lists
