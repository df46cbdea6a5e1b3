"""The cost of hostile files in KahaDB's scan: each byte is summed once, and memory is bounded."""

import random
import struct
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from kaitaistruct import KaitaiStructError

from journalspec.kahadb_journal._kaitai.kahadb_journal import KahadbJournal
from journalspec_corpus import load_cases
from journalspec_corpus.kahadb_journal import author, drawing
from journalspec_reference import content, load
from journalspec_reference.batches import Batch, Memory
from journalspec_reference.kahadb_journal import codec, fileset, owners, recover, scan

DIALECT = codec.DIALECTS["5.16"]
#: A batch with one record, which has no payload, and without a checksum.
SOUND = DIALECT.start + struct.pack(">iqiB", 5, 0, 5, 1)


@pytest.mark.parametrize("share", [0, 1, 2, 50])
def test_each_byte_is_summed_once(share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Control records with wrong checksums claim the bytes after them.

    With share 0, each control record is incomplete.
    """
    size, looked = 28 << 13, [0]
    each = (struct.pack(">iq", max(5, (size - at) // max(1, share) - 28), 7) for at in range(0, size, 28))
    data = DIALECT.start.join([b"", *each]) if share else DIALECT.start * (size // 16)

    def sums(read: Any, at: int) -> tuple[Any, ...]:
        looked[0] += codec.CONTROL
        return codec.sums(read, at)

    def adler(read: Any, value: int = 1) -> int:
        looked[0] += len(read)
        return zlib.adler32(read, value)

    monkeypatch.setattr(scan, "adler32", adler)
    monkeypatch.setattr(scan, "sums", sums)
    (damage,) = (region for batch in scan.scan(Memory(data), DIALECT) for region in batch.damage)
    assert damage[:2] == (0, len(data))
    assert 0 < looked[0] <= 2 * len(data)


def test_scan_of_a_gibibyte_takes_only_the_memory_of_one_window(tmp_path: Path) -> None:
    """A control record claims a hole. The scan sums the complete hole, and finds the bytes after it."""
    size, record = 1 << 30, struct.pack(">iB", 5, 1)
    whole = DIALECT.start + struct.pack(">iq", len(record), zlib.adler32(record)) + record
    with (tmp_path / "db-1.log").open("wb") as out:
        out.write(DIALECT.start + struct.pack(">iq", size - 28 - len(whole), 7))
        out.seek(size - len(whole))
        out.write(whole)
    tracemalloc.start()
    data = content.Content(content.FileSource(str(tmp_path / "db-1.log"), content.Descriptors()))
    found = [(batch.damage, batch.base + end) for batch in scan.scan(data, DIALECT) for end in batch.end]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [([(0, size - len(whole), "bad-checksum")], size)]
    assert peak < 4 << 20


def test_end_marker_may_cross_the_boundary_of_two_reads() -> None:
    """Zeros after an empty batch are fill, anywhere in a file (KHD-END-009)."""
    empty = bytes.fromhex("0000001c02") + b"WRITE BATCH" + bytes(12)
    for zeros in range((1 << 16) - 6, (1 << 16) + 2):
        for tail, verdict in ((b"-qMa4", "clean"), (b"-qMa", "recovered")):
            files = {"db-1.log": empty + bytes(zeros) + tail}
            assert load("kahadb_journal").recover(files, edition="5.16", policy="strict").verdict == verdict


def test_pending_messages_are_not_stored_for_each_subscription() -> None:
    """Pending messages are listed only on request, so 300 subscriptions to 300 messages need no lists in
    memory.
    """
    lines = [f"r{at} SUBSCRIPTION t=T sub=c:{at} info=01" for at in range(300)]
    lines += [f"r{at} t=T" for at in range(300, 600)]
    files = author.build({"batches": [lines]}, "5.16").files
    tracemalloc.start()
    state = load("kahadb_journal").recover(files, edition="5.16", policy="strict").state
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert state is not None
    (topic,) = cast("list[dict[str, Any]]", state["destinations"])
    assert [len(each["pending"]) for each in topic["subscriptions"]] == [300] * 300
    assert kept < 64 * sum(map(len, files.values()))


def test_subscriptions_that_end_take_logarithmic_time_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """N subscriptions end one after the other; each has N pending messages that others also need."""
    looked = [0]

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def count(*given: Any) -> Any:
            looked[0] += 1
            return function(*given)

        return count

    for name in ("heappush", "heappop", "le"):
        monkeypatch.setattr(owners, name, counted(getattr(owners, name)))
    cost = []
    for count in (100, 200, 400):
        looked[0] = 0
        lines = [f"r{at} SUBSCRIPTION t=T sub=c:{at} info=01" for at in range(count)]
        lines += [f"r{at} t=T" for at in range(count)]
        lines += [f"r{at} REMOVE_MESSAGE t=T sub=c:0" for at in range(count)]
        lines += [f"r{at} SUBSCRIPTION t=T sub=c:{at}" for at in range(count)]
        files = author.build({"batches": [lines]}, "5.16").files
        assert load("kahadb_journal").recover(files, edition="5.16", policy="strict").state is not None
        cost.append(looked[0])
    assert cost[2] < 2.5 * cost[1] < 6.25 * cost[0]


@pytest.mark.parametrize("ahead", [b"", SOUND])
@pytest.mark.parametrize(("checksum", "ends"), [(0, True), (1, True), (2, False), (1 << 32, False)])
def test_schema_recognises_empty_batches_that_end_a_log(ahead: bytes, checksum: int, *, ends: bool) -> None:
    data = ahead + DIALECT.start + bytes(4) + checksum.to_bytes(8, "big") + bytes(40)
    if not ends:
        with pytest.raises(KaitaiStructError):
            KahadbJournal.from_bytes(data)
        return
    slots = KahadbJournal.from_bytes(data).slots
    assert len([slot for slot in slots if getattr(slot, "batch", None) is not None]) == bool(ahead)


_ZEROS, _MARKED = fileset.ZEROS, fileset.MARKED


@pytest.mark.parametrize(
    ("tails", "editions"),
    [
        ((b"", b""), _ZEROS + _MARKED),
        ((b"", bytes(8)), _ZEROS + _MARKED),
        ((bytes(8), b""), _ZEROS),
        ((bytes(8), bytes(8)), _ZEROS),
        ((codec.END_MARKER, bytes(8)), _MARKED),
    ],
)
def test_bytes_after_the_batches_show_the_edition(
    tails: tuple[bytes, ...], editions: tuple[str, ...]
) -> None:
    """Zeros in the last file exclude no edition: a crash leaves zeros even where end markers are written."""
    files = {f"db-{number}.log": SOUND + tail for number, tail in enumerate(tails, start=1)}
    (found,) = fileset.detect(files, {})
    assert set(found.editions) == set(editions)


EDITIONS = sorted(codec.DIALECTS)


def lies(seed: int) -> tuple[str, dict[str, bytes]]:
    """Return files with wrong sizes, checksums and commands.

    Some files are truncated, or contain a part twice.
    """
    rng = random.Random(seed)
    edition = rng.choice(EDITIONS)
    files = drawing.lies(edition, rng)
    for name, data in files.items():
        at, to = (rng.randrange(len(data) + 1) for _ in range(2))
        files[name] = rng.choice((data, data, data[:at], data[:at] + data[min(at, to) :]))
    return edition, files


def flat(batches: Iterable[Batch]) -> dict[str, list[Any]]:
    """Return the content of batches without the boundaries between them."""
    out: dict[str, list[Any]] = {"rows": [], "first": [], "damage": [], "notes": [], "end": []}
    for batch in batches:
        base = batch.base
        columns = zip(batch.off, batch.end, batch.code, strict=True)
        out["rows"] += [(base + off, base + end, code) for off, end, code in columns]
        out["first"] += [base + batch.off[row] for row in batch.more["first"]]
        out["damage"] += batch.damage
        out["notes"] += batch.notes
        out["end"] += [batch.more["end"]] if "end" in batch.more else []
    return out


@pytest.mark.parametrize("seed", range(60))
def test_any_read_size_gives_the_same_result(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    edition, files = lies(seed)
    dialect = codec.DIALECTS[edition]
    for data in files.values():
        source = Memory(data)
        ways: list[Callable[..., Iterable[Batch]]] = [
            partial(scan.scan, source, dialect),
            partial(scan.scan, source, dialect, checked=False),
            partial(scan.scan, source, dialect, start=1, beyond=True),
            partial(scan.walk, source, dialect),
        ]
        for way in ways:
            whole = flat(way())
            for stretch in (64, 100, 4096):
                assert flat(way(stretch=stretch)) == whole
            with monkeypatch.context() as few:
                few.setattr(scan, "MOST_ROWS", 1)
                few.setattr(scan, "MOST_ODD", 1)
                assert flat(way(stretch=256)) == whole


@pytest.mark.parametrize("seed", range(60))
def test_columns_are_replayed_like_single_commands(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    edition, files = lies(seed)
    implementation = load("kahadb_journal")
    policies = ("strict", "salvage", "default")
    one_by_one = [
        implementation.recover(files, edition=edition, policy=policy).to_json() for policy in policies
    ]
    monkeypatch.setattr(recover, "_LARGE", 0)
    monkeypatch.setattr(recover, "_MANY", 1)
    for pays in (1, 3):
        monkeypatch.setattr("journalspec_reference.kahadb_journal.columns._PAYS", pays)
        assert one_by_one == [
            implementation.recover(files, edition=edition, policy=policy).to_json() for policy in policies
        ]


def test_salvage_continues_where_strict_recovery_refuses() -> None:
    """Salvage continues after damage, but not after a record that is not a command."""
    reference, met = load("kahadb_journal"), Counter[bool]()
    sets = [lies(seed) for seed in range(60)]
    sets += [(case.edition, case.files()) for case in load_cases("kahadb_journal")]
    for edition, files in sets:
        refusal = reference.recover(files, edition=edition, policy="strict")
        if refusal.go_on is not None:
            found = refusal.go_on("salvage")
            met[found is None] += 1
            assert found is None or found == reference.recover(files, edition=edition, policy="salvage")
            assert refusal.go_on("salvage") is None, "only once"
    assert min(met[True], met[False]) > 20


class Name(str):
    """A name that counts how often it is compared with others."""

    __slots__ = ()
    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)


def test_names_of_many_files_are_not_compared_in_pairs() -> None:
    start = codec.DIALECTS["5.16"].start
    (found,) = fileset.detect({Name(f"db-{number}.log"): start for number in range(1, 501)}, {})
    assert len(found.files) == 500
    assert Name.compared < 50 * 500
