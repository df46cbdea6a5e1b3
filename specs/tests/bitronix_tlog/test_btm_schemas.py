"""The two schemas of this format: against what was put into the bytes, each other, damage, and the prose."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

import pytest

from journalspec.bitronix_tlog import LAYOUT, kaitai, schema
from journalspec.bitronix_tlog.plain import FIRST_FRAME, STATUS
from journalspec.formats import get_format
from journalspec.layout import laid
from journalspec.observation import Observation
from journalspec.requirements import requirements
from journalspec.schemas import SchemaError

SCHEMAS = [pytest.param(schema, id="construct"), pytest.param(kaitai, id="kaitai")]
G1 = bytes.fromhex("73727631000001920000000000000001")
G2 = bytes.fromhex("73727631000001920000000000000002")
OLD, NEW = b"o" * 16, b"n" * 16

#: From a unit test of the product: a record and the checksum that it must have.
KNOWN_ANSWER = bytes.fromhex(
    "00000003 00000074 0000001c 0000011c31fd489d 0000957a adb79357"
    "1c 626974726f6e697853657276657249440000011c31fd45510000955b"
    "00000002 0008 4163746976654d51"
    "002f 636f6d2e6d7973716c2e6a6462632e6a646263322e6f7074696f6e616c2e4d7973716c584144617461536f75726365"
    "786e7442"
)
#: The first record of a file that BTM 2.1.4 wrote.
FROM_THE_PRODUCT = bytes.fromhex(
    "000000000000002d0000001c0000000000105352000000016561c0fa10"
    "7372763100000192000000000000000100000000786e7442"
)
Dump = Callable[[str], bytes]


Name = str | bytes


def build_record(
    edition: str, status: int | str, gtrid: bytes, names: Iterable[Name] = (), **fields: Any
) -> bytes:
    """Return one record; text is ISO-8859-1, `name_lengths` gives names other lengths than theirs."""
    rows: list[dict[str, Any]] = [{"name": n.encode("latin-1") if isinstance(n, str) else n} for n in names]
    for row, length in zip(rows, fields.pop("name_lengths", ()), strict=False):
        row["length"] = length
    return LAYOUT.build("record", edition, status=status, gtrid=gtrid, names=rows, **fields)


def build_frame(
    delimiter: bytes, status: int | str, gtrid: bytes, names: Iterable[Name] = (), **fields: Any
) -> bytes:
    return build_record("nio", status, gtrid, names, delimiter=delimiter, **fields)


def build_file(records: Iterable[bytes] = (), size: int | None = None, fill: int = 0, **header: Any) -> bytes:
    """Return a file of a disk edition, its tail at the end of the records unless `position` says else."""
    log = b"".join(records)
    return laid([LAYOUT.build("header", "2.1", **{"position": 21 + len(log), **header}), log], size, fill)


def nio_file(previous: bytes, current: bytes, frames: Iterable[bytes] = (), **more: Any) -> bytes:
    header = LAYOUT.build("header", "nio", previous_delimiter=previous, current_delimiter=current)
    return laid([header.ljust(FIRST_FRAME, b"\0"), *frames], **more)


def pair(*records: bytes, **fields: Any) -> dict[str, bytes]:
    return {
        "btm1.tlog": build_file(records, timestamp=2000, size=2048, **fields),
        "btm2.tlog": build_file(timestamp=1000, size=2048),
    }


def test_the_known_answer_is_built_byte_for_byte() -> None:
    gtrid = KNOWN_ANSWER[29:57]
    names = ["ActiveMQ", "com.mysql.jdbc.jdbc2.optional.MysqlXADataSource"]
    built = build_record("2.1", 3, gtrid, names, time=1220609394845, sequence_number=38266)
    assert built == KNOWN_ANSWER


def test_a_products_record_is_built_byte_for_byte() -> None:
    assert build_record("2.1", "ACTIVE", G1, time=0x105352) == FROM_THE_PRODUCT


@pytest.mark.parametrize("module", SCHEMAS)
def test_the_known_answer_verifies_and_no_flipped_bit_does(module: ModuleType) -> None:
    files = pair(KNOWN_ANSWER)
    [record] = module.parse(files, "2.1").records
    assert record.fields["crc32"] == 0xADB79357
    data = bytearray(files["btm1.tlog"])
    for bit in range(len(KNOWN_ANSWER) * 8):
        at, mask = 21 + bit // 8, 1 << bit % 8
        data[at] ^= mask
        with pytest.raises(SchemaError):
            module.parse({**files, "btm1.tlog": bytes(data)}, "2.1")
        data[at] ^= mask


def random_names(rng: random.Random) -> list[str]:
    letters = [chr(code) for code in range(0x20, 0x7F)]
    return sorted({"".join(rng.choices(letters, k=rng.randrange(12))) for _ in range(rng.randrange(4))})


def random_fields(rng: random.Random) -> dict[str, Any]:
    return {
        "status": rng.choice([*STATUS, -1, 10, 2**31 - 1, -(2**31)]),
        "gtrid": rng.randbytes(rng.choice([0, 1, 16, 64, 127])),
        "names": random_names(rng),
        "time": rng.randrange(-(2**63), 2**63),
        "sequence_number": rng.randrange(-(2**31), 2**31),
    }


def assert_holds(observation: Observation, wanted: list[dict[str, Any]]) -> None:
    assert observation.verdict == "clean"
    assert len(observation.records) == len(wanted)
    for record, fields in zip(observation.records, wanted, strict=True):
        assert record.type == STATUS.get(fields["status"], "OTHER")
        assert fields.items() <= dict(record.fields).items()


@pytest.mark.parametrize("edition", ["seed", "2.1", "3.0"])
@pytest.mark.parametrize("seed", range(8))
def test_both_schemas_find_in_files_what_was_put_in(edition: str, seed: int) -> None:
    rng = random.Random(seed)
    count = 1 if edition == "seed" else 2
    halves = [[random_fields(rng) for _ in range(rng.randrange(6))] for _ in range(count)]
    files, longer = {}, []
    for number, items in enumerate(halves, start=1):
        records = []
        for item in items:
            more: dict[str, Any] = {}
            if edition == "seed":
                more["extension"] = rng.randbytes(rng.choice([0, 0, 1, 20]))
                longer.append(16 + len(more["extension"]))
            records.append(build_record(edition, **item, **more))
        if edition == "seed":
            files["log"] = b"".join(records)
        else:
            stamp = rng.randrange(-(2**63), 2**63)
            files[f"btm{number}.tlog"] = build_file(
                records, 4000, rng.randrange(256), timestamp=stamp, state=255
            )
    seen = schema.parse(files, edition)
    assert_holds(seen, [item for items in halves for item in items])
    assert [item.fields["header_length"] for item in seen.records if edition == "seed"] == longer
    assert kaitai.parse(files, edition) == seen
    for data in files.values():
        assert schema.build(schema.decode(data, edition), edition) == data


@pytest.mark.parametrize("seed", range(8))
def test_both_schemas_find_in_a_nio_file_what_was_put_in(seed: int) -> None:
    rng = random.Random(seed)
    wanted = [random_fields(rng) for _ in range(rng.randrange(8))]
    cut = rng.randrange(len(wanted) + 1)
    frames = [
        build_frame(NEW if number < cut else OLD, **item, rolled_over=number % 2, padding=bytes(number))
        for number, item in enumerate(wanted)
    ]
    # The older lap is cut somewhere in a frame by the younger one.
    data = nio_file(OLD, NEW, [*frames[:cut], b"n a torn frame ]-", *frames[cut:]], size=9000, fill=0x20)
    seen = schema.parse({"nio-btm1.tlog": data}, "nio")
    assert_holds(seen, wanted)
    assert [record.fields["rolled_over"] for record in seen.records] == [
        bool(n % 2) for n in range(len(wanted))
    ]
    assert kaitai.parse({"nio-btm1.tlog": data}, "nio") == seen
    assert schema.build(schema.decode(data, "nio"), "nio") == data


@pytest.mark.parametrize("edition", ["seed", "2.1", "nio"])
def test_the_ksy_alone_reads_a_whole_file(edition: str) -> None:
    own = {"delimiter": NEW} if edition == "nio" else {}
    records = [build_record(edition, 8, G1, ["a"], **own), build_record(edition, 3, G2, ["a", "b"], **own)]
    if edition == "nio":
        tree = kaitai.CODEC.whole(nio_file(OLD, NEW, records), edition)
        found = [slot.frame.payload for slot in tree.slots[:-1]]
    elif edition == "seed":
        found = [item.payload for item in kaitai.CODEC.whole(b"".join(records), edition).records]
    else:
        found = [item.payload for item in kaitai.CODEC.whole(build_file(records, 500), edition).log.records]
    assert [item.gtrid for item in found] == [G1, G2]
    with pytest.raises(SchemaError):
        kaitai.CODEC.whole(b"Btn", edition, "f")


def test_the_nio_checksum_is_of_the_payload_alone() -> None:
    made = build_frame(NEW, "COMMITTING", G1, ["jms1", "db1"], time=7)
    assert struct.unpack_from(">I", made, 25) == (zlib.crc32(made[31:-18]),)
    assert made[: 5 + 16] == b"\r\nLR[" + NEW
    assert made[-18:] == b"]-" + NEW


@pytest.mark.parametrize("module", SCHEMAS)
def test_records_of_the_previous_lap_come_first_for_recovery(module: ModuleType) -> None:
    frames = [build_frame(NEW, "COMMITTED", G1, ["a"]), build_frame(OLD, "COMMITTING", G1, ["a", "b"])]
    seen = module.parse({"j": nio_file(OLD, NEW, frames)}, "nio")
    assert seen.state["unfinished"] == [{"gtrid": G1, "names": ["b"]}]


STATES = [
    ([("COMMITTING", ["a", "b"])], ["a", "b"]),
    ([("COMMITTING", ["a", "b"]), ("COMMITTED", ["a"])], ["b"]),
    ([("COMMITTING", ["a", "b"]), ("ROLLEDBACK", ["a", "b"])], None),
    ([("COMMITTING", ["a"]), ("UNKNOWN", ["a", "b"])], None),
    ([("COMMITTING", ["a"]), ("COMMITTED", ["b"])], ["a"]),
    ([("COMMITTING", ["a"]), ("COMMITTED", [])], ["a"]),
    ([("COMMITTING", [])], []),
    ([("COMMITTING", []), ("COMMITTED", ["a"])], None),
    ([("COMMITTED", ["a"]), ("COMMITTING", ["a"])], ["a"]),
    ([("COMMITTING", ["a"]), ("COMMITTING", ["b"])], ["b"]),
    ([("COMMITTING", ["a"]), ("ROLLING_BACK", ["a"])], ["a"]),
]


@pytest.mark.parametrize(("events", "left"), STATES)
def test_the_state_follows_the_table_of_the_specification(events: list[Any], left: list[str] | None) -> None:
    records = [build_record("2.1", status, G1, names) for status, names in events]
    seen = schema.parse(pair(*records), "2.1")
    assert seen.state == {
        "active": "btm1.tlog",
        "unfinished": [] if left is None else [{"gtrid": G1, "names": left}],
        "in_doubt": [],
    }


def test_what_is_in_doubt() -> None:
    records = [
        build_record("2.1", "PREPARED", G2, ["b", "c"]),
        build_record("2.1", "PREPARING", G1, ["a"]),
    ]
    state: Any = schema.parse(pair(*records), "2.1").state
    assert state["in_doubt"] == [
        {"gtrid": G1, "status": "PREPARING", "names": ["a"]},
        {"gtrid": G2, "status": "PREPARED", "names": ["b", "c"]},
    ]


@pytest.mark.parametrize(
    ("first", "second", "active"),
    [
        (2, 1, "btm1.tlog"),
        (1, 2, "btm2.tlog"),
        (1, 1, "btm2.tlog"),
        (-1, 1, "btm2.tlog"),
        (0, -(2**63), "btm1.tlog"),
    ],
)
def test_the_larger_signed_timestamp_is_active(first: int, second: int, active: str) -> None:
    files = {
        "btm1.tlog": build_file(timestamp=first, size=100),
        "btm2.tlog": build_file(timestamp=second, size=100),
    }
    for module in (schema, kaitai):
        seen = module.parse(files, "2.1")
        assert seen.state is not None
        assert seen.state["active"] == active
        assert {entry.file: entry.role for entry in seen.files}[active] == "active"
        assert any(note.code == "ambiguous-election" for note in seen.notes) == (first == second)


def test_files_are_ordered_by_the_number_in_their_names() -> None:
    files = {"log10": build_file(timestamp=5), "log9": build_file(timestamp=5)}
    seen = schema.parse(files, "2.1")
    assert [entry.file for entry in seen.files] == ["log9", "log10"]
    assert seen.state is not None
    assert seen.state["active"] == "log10"


NOTES: list[tuple[str, list[bytes], dict[str, Any]]] = [
    ("unclean", [], {"state": 255}),
    ("bad-state", [], {"state": 7}),
    ("header-length", [build_record("2.1", 8, G1, header_length=0)], {}),
    ("names-unsorted", [build_record("2.1", 8, G1, ["b", "a"])], {}),
    ("name-not-recoverable", [build_record("2.1", 8, G1, [b"b\xe9se"])], {}),
    (
        "stale-suspect",
        [
            build_record("2.1", 0, G1, time=9, sequence_number=9),
            build_record("2.1", 0, G1, time=8, sequence_number=8),
        ],
        {},
    ),
]


@pytest.mark.parametrize(("code", "records", "fields"), NOTES, ids=[code for code, _, _ in NOTES])
def test_what_is_odd_is_noted_and_nothing_else(
    code: str, records: list[bytes], fields: dict[str, Any]
) -> None:
    for module in (schema, kaitai):
        seen = module.parse(pair(*records, **fields), "2.1")
        assert [note.code for note in seen.notes] == [code]
        assert code in get_format("bitronix_tlog").notes


#: (status, time, sequenceNumber) of the records of a file -> the indexes that are noted (BTM-RDR-011).
RUNS: list[tuple[str, list[tuple[int, int, int]], list[int]]] = [
    ("one thread overtakes another", [(0, 7, 7), (0, 9, 9), (0, 8, 8), (8, 12, 12), (8, 11, 11)], []),
    ("older than all of the run", [(0, 7, 7), (0, 9, 9), (3, 4, 4)], [2]),
    ("two of the last life, in their order", [(0, 7, 7), (8, 9, 9), (3, 4, 4), (8, 5, 5)], [2]),
    ("older by one of the two only", [(0, 7, 7), (3, 4, 8), (3, 8, 4), (3, 5, 5)], []),
    ("copies of a swap, in any order", [(8, 7, 7), (8, 3, 3), (8, 5, 5), (0, 4, 4)], []),
    ("COMMITTING behind the copies", [(8, 7, 7), (0, 9, 9), (8, 3, 3)], [2]),
    ("a new run after the machine was restarted", [(0, 7, 7), (0, 2, 1), (0, 3, 2)], []),
    ("a new run of BTM 2.1.2", [(0, 7, 7), (0, 2, 0), (0, 3, 1)], []),
]


@pytest.mark.parametrize(
    ("runs", "noted"), [(runs, noted) for _, runs, noted in RUNS], ids=[r[0] for r in RUNS]
)
def test_what_is_older_than_all_of_its_run_is_noted(
    runs: list[tuple[int, int, int]], noted: list[int]
) -> None:
    records = [build_record("2.1", kind, G1, time=time, sequence_number=seq) for kind, time, seq in runs]
    offsets = [21 + sum(map(len, records[:index])) for index in noted]
    for read in (schema.parse, kaitai.parse):
        assert [note.off for note in read(pair(*records), "2.1").notes] == offsets


def test_a_timestamp_that_is_a_record_boundary_is_noted() -> None:
    records = [build_record("2.1", 8, G1, ["a"])]
    files = pair(*records)
    files["btm1.tlog"] = build_file(records, timestamp=21 + len(records[0]), size=2048)
    assert [note.code for note in kaitai.parse(files, "2.1").notes] == ["position-as-timestamp"]


def test_names_that_are_not_ascii_keep_their_bytes_beside_the_text() -> None:
    [record] = schema.parse(pair(build_record("2.1", 8, G1, [b"b\xe9se"])), "2.1").records
    assert record.fields["names"] == ["b\ufffdse"]
    assert record.fields["names_raw"] == [b"b\xe9se"]


def test_equal_names_count_once_for_the_checksum() -> None:
    once = build_record("2.1", 8, G1, ["a"], record_length=99, names_count=1)
    twice = build_record("2.1", 8, G1, ["a", "a"], record_length=99, names_count=2)
    assert once[24:28] == twice[24:28]


COMMIT = build_record("2.1", 8, G1, ["db1", "jms1"])
ONE = build_record("2.1", 8, G1, ["a"])
DAMAGE: dict[str, Mapping[str, bytes]] = {
    "one-file": {"btm1.tlog": pair(COMMIT)["btm1.tlog"]},
    "three-files": {**pair(COMMIT), "btm3.tlog": pair(COMMIT)["btm1.tlog"]},
    "unequal": {**pair(COMMIT), "btm2.tlog": build_file(size=2047)},
    "short": {"btm1.tlog": b"Btnx", "btm2.tlog": b"Btnx"},
    "empty": {"btm1.tlog": b"", "btm2.tlog": b""},
    "format-id": pair(COMMIT, format_id=b"Btny"),
    "tail-20": pair(position=20),
    "tail-negative": pair(position=-1),
    "tail-beyond": pair(COMMIT, position=2049),
    "tail-inside-a-record": pair(COMMIT, position=21 + 63),
    "tail-one-too-far": pair(COMMIT, position=21 + 65),
    "length-28": pair(build_record("2.1", 8, b"", record_length=28)),
    "length-negative": pair(build_record("2.1", 8, G1, record_length=-1)),
    "length-huge": pair(build_record("2.1", 8, G1, record_length=2**31 - 1)),
    "length-plus-one": pair(build_record("2.1", 8, G1, record_length=46)),
    "end-marker": pair(build_record("2.1", 8, G1, end_record=b"Btnx")),
    "gtrid-128": pair(build_record("2.1", 8, bytes(128))),
    "gtrid-length": pair(build_record("2.1", 8, G1, gtrid_length=15)),
    "count-negative": pair(build_record("2.1", 8, G1, names_count=-1)),
    "count-huge": pair(build_record("2.1", 8, G1, ["a"], names_count=2**31 - 1)),
    "count-low": pair(build_record("2.1", 8, G1, ["a", "b"], names_count=1)),
    "name-too-long": pair(build_record("2.1", 8, G1, ["a"], name_lengths=[0xFFFF])),
    "name-too-short": pair(build_record("2.1", 8, G1, ["ab"], name_lengths=[1])),
    "checksum": pair(COMMIT, build_record("2.1", 8, G1, crc32=1)),
    "passive-file-damaged": {
        **pair(COMMIT),
        "btm2.tlog": build_file([build_record("2.1", 8, G1, crc32=1)], timestamp=1, size=2048),
    },
}


@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.parametrize("module", SCHEMAS)
def test_a_pair_that_is_not_clean_is_refused(module: ModuleType, name: str) -> None:
    with pytest.raises(SchemaError):
        module.parse(DAMAGE[name], "2.1")


FRAME = build_frame(NEW, 8, G1, ["a"])
NIO_DAMAGE = {
    "banner": b"X" + nio_file(OLD, NEW)[1:],
    "separator": nio_file(OLD, NEW).replace(NEW + b"\r\n\r\n", NEW + b"\r\n\r\x00"),
    "short": nio_file(OLD, NEW)[:441],
    "foreign": nio_file(OLD, NEW, [build_frame(b"x" * 16, 8, G1)]),
    "checksum": nio_file(OLD, NEW, [build_frame(NEW, 8, G1, crc32=1)]),
    "trailer": nio_file(OLD, NEW, [build_frame(NEW, 8, G1, trailer_delimiter=OLD)]),
    "end-mark": nio_file(OLD, NEW, [build_frame(NEW, 8, G1, trailer=b"]+")]),
    "middle": nio_file(OLD, NEW, [build_frame(NEW, 8, G1, separator=b"[]")]),
    "too-long": nio_file(OLD, NEW, [build_frame(NEW, 8, G1, padding=bytes(65536))]),
    "gap": nio_file(OLD, NEW, [FRAME, b"gap", FRAME]),
    "torn": nio_file(OLD, NEW, [FRAME, FRAME[:-1]]),
    "torn-in-the-older-lap": nio_file(NEW, OLD, [b"gap", FRAME, FRAME[:40]]),
    "gtrid-length": nio_file(OLD, NEW, [build_frame(NEW, 8, G1, gtrid_length=200)]),
    "count": nio_file(OLD, NEW, [build_frame(NEW, 8, G1, ["a"], names_count=9)]),
}


@pytest.mark.parametrize("name", NIO_DAMAGE)
@pytest.mark.parametrize("module", SCHEMAS)
def test_a_nio_file_that_is_not_clean_is_refused(module: ModuleType, name: str) -> None:
    with pytest.raises(SchemaError) as caught:
        module.parse({"nio-btm1.tlog": NIO_DAMAGE[name]}, "nio")
    assert caught.value.file == "nio-btm1.tlog"


SEED_RECORD = build_record("seed", 8, G1, ["a"])
SEED_DAMAGE = {
    "cut": SEED_RECORD[:-1],
    "trailing-zeros": SEED_RECORD + bytes(64),
    "header-length-15": build_record("seed", 8, G1, ["a"], header_length=15),
    "header-length-beyond": build_record("seed", 8, G1, ["a"], header_length=1000),
    "header-length-negative": build_record("seed", 8, G1, ["a"], header_length=-1),
    "checksum": build_record("seed", 8, G1, ["a"], crc32=1),
    "of-the-product": build_file([COMMIT]),
}


@pytest.mark.parametrize("name", SEED_DAMAGE)
@pytest.mark.parametrize("module", SCHEMAS)
def test_a_seed_file_that_is_not_clean_is_refused(module: ModuleType, name: str) -> None:
    with pytest.raises(SchemaError):
        module.parse({"log": SEED_DAMAGE[name]}, "seed")


@pytest.mark.parametrize("module", SCHEMAS)
def test_a_file_cut_anywhere_is_refused_or_still_whole(module: ModuleType) -> None:
    data = build_file([COMMIT, ONE])
    for size in range(len(data)):
        cut = data[:size]
        with pytest.raises(SchemaError):
            module.parse({"btm1.tlog": cut, "btm2.tlog": cut}, "2.1")


GTRID = b"srv1" + (1795219486112).to_bytes(8, "big") + (7).to_bytes(4, "big")
DELIMITER = bytes.fromhex("5b0f0c3a8e5d4c52a1d36e1f9a2b7c44")
TIME = 1795219486305


def test_the_log(dump: Dump) -> None:
    records = [
        build_record("2.1", "COMMITTING", GTRID, ["db1", "jms1"], time=TIME, sequence_number=4),
        build_record("2.1", "COMMITTED", GTRID, ["db1"], time=TIME + 6, sequence_number=5),
    ]
    data = dump("bitronix-tlog-example-log")
    assert data == build_file(records, timestamp=1795219480050, state=255)
    seen = schema.parse({"btm1.tlog": data, "btm2.tlog": build_file(size=len(data))}, "2.1")
    assert seen.state is not None
    assert seen.state["unfinished"] == [
        {"gtrid": bytes.fromhex("73727631000001a1fb6b75a000000007"), "names": ["jms1"]}
    ]


def test_the_known_answer(dump: Dump) -> None:
    data = dump("bitronix-tlog-example-known-answer")
    assert schema.CODEC.read("record", "2.1", data, 0, "").fields["crc32"] == 0xADB79357
    files = {"1": build_file([data], timestamp=1, size=200), "2": build_file(size=200)}
    assert len(kaitai.parse(files, "2.1").records) == 1


def test_the_record_of_the_seed_document(dump: Dump) -> None:
    wanted = build_record("seed", "COMMITTING", GTRID, ["db1", "jms1"], time=TIME, sequence_number=4)
    assert dump("bitronix-tlog-example-seed") == wanted
    assert len(kaitai.parse({"log": wanted}, "seed").records) == 1


def test_the_frame_of_the_nio_journal(dump: Dump) -> None:
    wanted = build_frame(DELIMITER, "COMMITTING", GTRID, ["jms1", "db1"], time=TIME, sequence_number=4)
    assert dump("bitronix-tlog-example-nio") == wanted
    assert len(kaitai.parse({"j": nio_file(bytes(16), DELIMITER, [wanted])}, "nio").records) == 1


#: What no document and no product does, and we decided: the products take a record whose names end before its
#: end marker, write gtrids without a byte, and the document leaves open what its checksum covers.
DECIDED = ("BTM-REC-004", "BTM-REC-011", "BTM-SED-008")


@pytest.mark.parametrize("name", DECIDED)
def test_what_was_decided_is_not_put_down_to_a_product_or_a_document(name: str) -> None:
    assert requirements("bitronix_tlog")[name].source["kind"] == "decision"
