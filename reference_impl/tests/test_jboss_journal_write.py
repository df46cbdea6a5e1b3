from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from journalspec_reference import WriterRefused, load
from journalspec_reference.storage import MemoryStorage

REFERENCE = load("jboss_journal")
REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real" / "jboss_journal"
EDITIONS = ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e")
COMPACTING = ("s2", "v1", "v2", "v2e")
#: The implementation that wrote a golden sequence -> edition and fill byte.
GOLDEN = {
    "seed_jbm_2008-07-31": ("seed", "4a"),
    "jbm_2008-10-15": ("s1", "4a"),
    "hornetq_2.4.9_v2": ("v2", "4a"),
    "artemis_2.44.0_v2": ("v2e", "00"),
}
NAMES = {"addtx": "add_tx", "updatetx": "update_tx", "deletetx": "delete_tx"}
FIELDS = {"tx": "tx", "id": "id", "ut": "user_type"}


def operation(text: str) -> dict[str, str]:
    """Return the operation that a golden entry describes, e.g. ``addtx tx100 id3 ut5 deadbeef``."""
    words = text.split()
    op = {"op": NAMES.get(words[0], words[0])}
    key = "body"
    for word in words[1:]:
        match = re.fullmatch(r"(tx|id|ut)(\d+)", word)
        if match:
            op[FIELDS[match[1]]] = match[2]
        elif word in ("body", "extra"):
            key = word
        else:
            op[key] = word
    return op


@pytest.mark.real
@pytest.mark.skipif(not REAL.is_dir(), reason="the products' files are not beside the checkout")
@pytest.mark.parametrize("name", GOLDEN)
def test_golden_sequences_byte_for_byte(name: str) -> None:
    edition, fill = GOLDEN[name]
    golden = json.loads((REAL / "golden.json").read_text())[name]
    storage = MemoryStorage()
    writer = REFERENCE.writer(storage, edition=edition, params={"file_size": "1024", "fill": fill})
    writer.apply({"op": "open"})
    for entry in golden["records"]:
        done = writer.apply(operation(entry["what"]))
        assert done["off"] == entry["offset"], entry["what"]
        data = storage.files[done["file"]]
        assert bytes(data[done["off"] : done["off"] + done["len"]]).hex() == entry["hex"], entry["what"]
    header = bytes.fromhex(golden["header_hex"])
    assert bytes(data[: len(header)]) == header


class Model:
    """A broker that keeps in mind what a journal should hold, and writes it."""

    def __init__(self, edition: str, params: dict[str, str], seed: int) -> None:
        self.random = random.Random(seed)
        self.edition, self.params = edition, params
        self.storage = MemoryStorage()
        self.live: dict[int, list[str]] = {}
        self.in_doubt: dict[int, list[tuple[int, str]]] = {}
        self.ids = self.txs = 0
        self.open()

    def open(self) -> None:
        self.writer = REFERENCE.writer(self.storage, edition=self.edition, params=self.params)
        self.writer.apply({"op": "open"})

    def do(self, op: str, **fields: Any) -> None:
        self.writer.apply({"op": op, **{key: str(value) for key, value in fields.items()}})

    def body(self, most: int) -> str:
        return self.random.randbytes(self.random.randrange(most)).hex()

    def step(self) -> None:
        choice = self.random.random()
        if choice < 0.35:
            self.ids += 1
            self.live[self.ids] = [self.body(200)]
            self.do("add", id=self.ids, body=self.live[self.ids][0])
        elif choice < 0.5 and self.live:
            ident = self.random.choice(list(self.live))
            self.live[ident].append(self.body(40))
            self.do("update", id=ident, body=self.live[ident][-1])
        elif choice < 0.85 and self.live:
            ident = self.random.choice(list(self.live))
            del self.live[ident]
            self.do("delete", id=ident)
        elif choice < 0.97:
            self.transaction()
        elif choice < 0.98 and self.edition in COMPACTING:
            self.do("compact")
        elif choice < 0.985:
            self.open()

    def transaction(self) -> None:
        self.txs += 1
        new = []
        for _ in range(self.random.randrange(1, 6)):
            self.ids += 1
            new.append((self.ids, self.body(300)))
            self.do("add_tx", tx=self.txs, id=self.ids, body=new[-1][1])
        gone = []
        if self.live and self.random.random() < 0.5:
            gone = [self.random.choice(list(self.live))]
            self.do("delete_tx", tx=self.txs, id=gone[0])
        end = self.random.random()
        if end < 0.6:
            self.do("commit", tx=self.txs)
            self.live.update({ident: [body] for ident, body in new})
            for ident in gone:
                del self.live[ident]
        elif end < 0.7 and not gone:
            self.do("prepare", tx=self.txs)
            self.in_doubt[self.txs] = new
        else:
            self.do("rollback", tx=self.txs)

    def check(self) -> None:
        files = {name: bytes(data) for name, data in self.storage.files.items()}
        seen: Any = REFERENCE.recover(files, edition=self.edition, params=self.params)
        assert seen.verdict == "clean"
        live: dict[int, list[str]] = {}
        for item in seen.state["live"]:
            live.setdefault(item["id"], []).append(item["body"].hex())
        assert live == self.live
        prepared = {
            item["tx"]: [(record["id"], record["body"].hex()) for record in item["records"]]
            for item in seen.state["prepared"]
        }
        assert prepared == self.in_doubt


@pytest.mark.parametrize("alignment", ["1", "512"])
@pytest.mark.parametrize("edition", EDITIONS)
def test_long_runs_with_reuse_compaction_and_restarts(edition: str, alignment: str) -> None:
    params = {"file_size": "4096", "alignment": alignment, "fill": "4a"}
    model = Model(edition, params, seed=5)
    for step in range(600):
        model.step()
        if step % 50 == 0:
            model.check()
    model.check()


@pytest.mark.parametrize(
    ("edition", "op", "code"),
    [
        ("seed", {"op": "delete_tx", "tx": "1", "id": "1", "body": "00"}, "unencodable"),
        ("seed", {"op": "event", "id": "1"}, "unencodable"),
        ("v2", {"op": "event", "id": "1"}, "unencodable"),
        ("v2", {"op": "delete", "id": "9"}, "unknown-record"),
        ("v2", {"op": "update", "id": "9"}, "unknown-record"),
        ("v2", {"op": "commit", "tx": "9"}, "unknown-transaction"),
        ("seed", {"op": "prepare", "tx": "9"}, "unknown-transaction"),
        ("v2", {"op": "add", "id": "1", "body": "00" * 986}, "does-not-fit"),
    ],
)
def test_refusals_change_no_byte(edition: str, op: dict[str, str], code: str) -> None:
    storage = MemoryStorage()
    writer = REFERENCE.writer(storage, edition=edition, params={"file_size": "1024"})
    writer.apply({"op": "open"})
    before = {name: bytes(data) for name, data in storage.files.items()}
    with pytest.raises(WriterRefused) as caught:
        writer.apply(op)
    assert caught.value.code == code
    assert before == {name: bytes(data) for name, data in storage.files.items()}


def test_the_largest_body_fills_a_file_exactly() -> None:
    storage = MemoryStorage()
    writer = REFERENCE.writer(storage, edition="v2", params={"file_size": "1024"})
    writer.apply({"op": "open"})
    done = writer.apply({"op": "add", "id": "1", "body": "00" * (1024 - 16 - 23)})
    assert (done["off"], done["len"]) == (16, 1008)


def test_compaction_survives_a_stop_before_every_change() -> None:
    images: list[dict[str, bytes]] = []

    class Recorder(MemoryStorage):
        def __getattribute__(self, name: str) -> Any:
            if name in ("create", "write", "rename", "unlink", "truncate"):
                images.append({key: bytes(data) for key, data in self.files.items()})
            return super().__getattribute__(name)

    params = {"file_size": "1024"}
    storage = Recorder()
    writer = REFERENCE.writer(storage, edition="v2", params=params)
    writer.apply({"op": "open"})
    for n in range(20):
        writer.apply({"op": "add", "id": str(n), "body": "aa" * 100})
    for n in range(16):
        writer.apply({"op": "delete", "id": str(n)})
    writer.apply({"op": "add_tx", "tx": "7", "id": "99"})
    writer.apply({"op": "prepare", "tx": "7", "extra": "78"})
    images.clear()
    writer.apply({"op": "compact"})
    assert len(images) >= 10
    for image in [*images, {key: bytes(data) for key, data in storage.files.items()}]:
        seen: Any = REFERENCE.recover(image, edition="v2", params=params)
        assert [item["id"] for item in seen.state["live"]] == [16, 17, 18, 19]
        assert [(item["tx"], item["extra"]) for item in seen.state["prepared"]] == [(7, b"x")]
