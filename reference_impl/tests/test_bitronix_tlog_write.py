from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from journalspec_reference import WriterRefused, load
from journalspec_reference.storage import DirectoryStorage, MemoryStorage

REFERENCE = load("bitronix_tlog")
PARAMS = {"file_length": "512", "clock": "1000"}


class Recorder(MemoryStorage):
    """Memory that keeps a copy of itself before each change, and the list of changes."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []
        self.images: list[dict[str, bytes]] = []

    def _note(self, *call: Any) -> None:
        self.calls.append(call)
        self.images.append({name: bytes(data) for name, data in self.files.items()})

    def create(self, name: str) -> None:
        self._note("create", name)
        super().create(name)

    def write(self, name: str, off: int, data: bytes) -> None:
        self._note("write", name, off, len(data))
        super().write(name, off, data)

    def sync(self, name: str) -> None:
        self._note("sync", name)
        super().sync(name)


def log(n: int, kind: str = "COMMITTING", *names: str) -> dict[str, Any]:
    return {"op": "log", "type": kind, "gtrid": f"{n:02x}" * 16, "names": list(names or ("db1", "jms1"))}


def run(storage: Any, *ops: dict[str, Any], edition: str = "2.1", **params: str) -> Any:
    writer = REFERENCE.writer(storage, edition=edition, params={**PARAMS, **params})
    for op in ({"op": "open"}, *ops):
        writer.apply(op)
    return writer


def state(storage: MemoryStorage, edition: str = "2.1") -> Any:
    seen = REFERENCE.recover({n: bytes(d) for n, d in storage.files.items()}, edition=edition)
    assert seen.verdict == "clean", seen.message
    assert seen.state is not None
    return seen.state


def pending_in(found: Any) -> dict[int, list[str]]:
    return {item["gtrid"][0]: item["names"] for item in found["unfinished"]}


def pending(storage: MemoryStorage, edition: str = "2.1") -> dict[int, list[str]]:
    return pending_in(state(storage, edition))


def test_the_products_order_of_one_forced_record() -> None:
    storage = Recorder()
    run(storage, log(1), {"op": "force"}, order="2.1.4")
    last = storage.calls[-3:]
    assert last == [("write", "btm1.tlog", 21, 64), ("write", "btm1.tlog", 13, 8), ("sync", "btm1.tlog")]


def test_the_spec_order_makes_the_record_durable_before_its_tail() -> None:
    storage = Recorder()
    run(storage, log(1), {"op": "force"})
    assert storage.calls[-4:] == [
        ("write", "btm1.tlog", 21, 64),
        ("sync", "btm1.tlog"),
        ("write", "btm1.tlog", 13, 8),
        ("sync", "btm1.tlog"),
    ]


def test_creation_is_second_file_first() -> None:
    storage = Recorder()
    run(storage)
    assert [call[1] for call in storage.calls if call[0] == "create"] == ["btm2.tlog", "btm1.tlog"]
    assert state(storage)["active"] == "btm1.tlog"


@pytest.mark.parametrize("order", ["spec", "3.0"])
def test_swaps_carry_every_unfinished_transaction(order: str) -> None:
    storage = MemoryStorage()
    ops = [log(1), log(2, "COMMITTING", "a", "b"), log(2, "COMMITTED", "a")]
    for n in range(3, 30):
        ops += [log(n), {"op": "force"}, log(n, "COMMITTED")]
    run(storage, *ops, {"op": "close"}, order=order)
    assert pending(storage) == {1: ["db1", "jms1"], 2: ["b"]}


def test_a_swap_after_reopening_keeps_what_earlier_runs_left() -> None:
    storage = MemoryStorage()
    run(storage, log(1), {"op": "force"})
    run(storage, *[log(n, "ACTIVE") for n in range(2, 12)], {"op": "force"}, clock="5")
    assert state(storage)["active"] == "btm2.tlog"
    assert pending(storage) == {1: ["db1", "jms1"]}


def test_the_defect_of_2_1_4_puts_a_position_into_the_timestamp() -> None:
    storage = MemoryStorage()
    run(storage, *[log(n, "ACTIVE") for n in range(1, 9)], order="2.1.4")
    assert storage.files["btm2.tlog"][4:12] == (21).to_bytes(8, "big")


@pytest.mark.parametrize(
    ("op", "code"),
    [
        ({"op": "log", "type": "COMMITTING", "gtrid": "00" * 128}, "unencodable"),
        ({"op": "log", "type": "COMMITTING", "gtrid": "00", "names": ["bése"]}, "unencodable"),
        ({"op": "log", "type": "COMMITTING", "gtrid": "00", "names": ["n" * 600]}, "does-not-fit"),
    ],
)
def test_a_refused_record_changes_no_byte(op: dict[str, Any], code: str) -> None:
    storage = MemoryStorage()
    writer = run(storage, log(1), {"op": "force"})
    before = {name: bytes(data) for name, data in storage.files.items()}
    with pytest.raises(WriterRefused) as caught:
        writer.apply(op)
    assert caught.value.code == code
    assert before == {name: bytes(data) for name, data in storage.files.items()}
    writer.apply(log(2))


def test_a_journal_full_of_unfinished_transactions_refuses_and_stays_readable() -> None:
    storage = MemoryStorage()
    writer = run(storage)
    for n in range(1, 8):
        writer.apply(log(n))
    with pytest.raises(WriterRefused, match="do not fit"):
        writer.apply(log(8))
    writer.apply({"op": "force"})
    assert sorted(pending(storage)) == [1, 2, 3, 4, 5, 6, 7]


def test_stopped_before_any_change_nothing_acknowledged_is_lost() -> None:
    storage = Recorder()
    writer = REFERENCE.writer(storage, edition="2.1", params=PARAMS)
    acknowledged: list[tuple[int, set[int]]] = [(0, set())]
    committed: list[tuple[int, int]] = []
    logged: set[int] = set()
    writer.apply({"op": "open"})
    start = len(storage.calls)
    for n in range(1, 40):
        writer.apply(log(n))
        logged.add(n)
        if n > 3:
            committed.append((len(storage.calls), n - 3))
            writer.apply(log(n - 3, "COMMITTED"))
            logged.discard(n - 3)
        if n % 2:
            writer.apply({"op": "force"})
            acknowledged.append((len(storage.calls), set(logged)))
    for at in range(start, len(storage.calls)):
        durable = [kept for end, kept in acknowledged if end <= at][-1]
        over = {n for issued, n in committed if issued <= at}
        seen = REFERENCE.recover(storage.images[at], edition="2.1")
        assert seen.verdict == "clean", (at, seen.message)
        assert seen.state is not None
        found = set(pending_in(seen.state))
        assert durable - over <= found, at
    assert "btm2.tlog" in {call[1] for call in storage.calls[start:]}, "the run is to include a swap"


@pytest.mark.parametrize(("edition", "fits"), [("2.1", False), ("3.0", True)])
def test_whether_a_record_may_end_at_the_end_of_the_file(edition: str, fits: bool) -> None:
    storage = MemoryStorage()
    run(storage, log(1), {"op": "force"}, edition=edition, file_length=str(21 + 64 + 64))
    ops = (log(2), {"op": "force"})
    if fits:
        run(storage, *ops, edition=edition)
        assert storage.files["btm1.tlog"][20] == 21 + 64 + 64
    else:
        with pytest.raises(WriterRefused) as caught:
            run(storage, *ops, edition=edition)
        assert caught.value.code == "does-not-fit"


def test_nio_laps_carry_open_transactions() -> None:
    storage = MemoryStorage()
    ops = [log(1)]
    for n in range(2, 60):
        ops += [log(n), log(n, "COMMITTED")]
    run(storage, *ops, {"op": "close"}, edition="nio", file_length="4096")
    assert pending(storage, "nio") == {1: ["db1", "jms1"]}
    more = [log(n, kind) for n in range(2, 60) for kind in ("ACTIVE", "ROLLEDBACK")]
    run(storage, log(1, "COMMITTED", "db1"), *more, edition="nio")
    assert pending(storage, "nio") == {1: ["jms1"]}


def test_seed_log_is_records_and_nothing_else() -> None:
    storage = MemoryStorage()
    run(storage, log(1), log(2), log(1, "COMMITTED"), {"op": "close"}, edition="seed")
    assert len(storage.files["transactions.log"]) == 3 * 64
    assert pending(storage, "seed") == {2: ["db1", "jms1"]}


def test_directory_and_memory_hold_the_same_bytes(tmp_path: Path) -> None:
    memory, folder = MemoryStorage(), DirectoryStorage(tmp_path)
    for storage in (memory, folder):
        run(
            storage,
            *[log(n) for n in (1, 2)],
            log(1, "COMMITTED"),
            *[log(n, "ACTIVE") for n in range(3, 9)],
            {"op": "close"},
        )
    assert {name: (tmp_path / name).read_bytes() for name in folder.names()} == memory.files


@pytest.mark.parametrize("op", [{"op": "dance"}, {"op": "log", "type": "NOPE", "gtrid": "00"}, {}])
def test_operations_that_are_not_understood(op: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="unknown"):
        run(MemoryStorage(), op)


def test_nothing_works_before_open() -> None:
    writer = REFERENCE.writer(MemoryStorage(), edition="2.1", params=PARAMS)
    with pytest.raises(ValueError, match="not open"):
        writer.apply({"op": "force"})
