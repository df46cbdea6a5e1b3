"""The two schemas of this format: against what was put into the bytes, each other, damage, and the prose."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

import pytest

from journalspec import mutf8
from journalspec.jboss_journal import LAYOUT, kaitai, schema
from journalspec.jboss_journal.plain import CONTROL, EDITIONS, laid_out_as, stamp_of, versioned
from journalspec.layout import laid
from journalspec.observation import Observation
from journalspec.schemas import SchemaError

SCHEMAS = [pytest.param(schema, id="construct"), pytest.param(kaitai, id="kaitai")]
LONG = [edition for edition in EDITIONS if versioned(edition)]
Dump = Callable[[str], bytes]
Piece = bytes | tuple[int, bytes]
each_edition = pytest.mark.parametrize("edition", EDITIONS)


def build_record(edition: str, kind: str, file_id: int = 1, version: int = 0, **fields: Any) -> bytes:
    """Return one record for the file `file_id`; left out, numbers are 0 and bytes empty."""
    if "pairs" in fields:
        fields["pairs"] = [{"file_id": listed, "count": count} for listed, count in fields["pairs"]]
    stamp = stamp_of(edition, file_id)
    return LAYOUT.build("record", laid_out_as(edition, version), kind, file_id=stamp, **fields)


def build_file(
    edition: str,
    file_id: int = 1,
    records: Iterable[Piece] = (),
    *,
    size: int | None = None,
    fill: int = 0x4A,
    alignment: int = 1,
    background: bytes = b"",
    **header: Any,
) -> bytes:
    """Return a whole file, see :func:`journalspec.layout.laid`."""
    head = LAYOUT.build("header", edition, file_id=file_id, **header)
    return laid([head, *records], size, fill, alignment, background)


def control_body(old: Iterable[str], new: Iterable[str], slack: bytes = b"") -> bytes:
    names = {"old_names": old, "new_names": new}
    lists = {key: [{"name": mutf8.encode(name)} for name in each] for key, each in names.items()}
    return LAYOUT.build("control", "v2", **lists, slack=slack)


def control_file(edition: str, old: Iterable[str], new: Iterable[str], slack: bytes = b"") -> bytes:
    return build_file(edition, 0, [build_record(edition, "ADD", 0, id=1, body=control_body(old, new, slack))])


VERSIONS = {"v1": (1,), "v2": (1, 2), "v2e": (1, 2)}


def assert_reference_agrees(seen: Observation, files: Mapping[str, bytes], edition: str) -> None:
    """Compare with the reference implementation, which shares no code with the schemas."""
    reference = pytest.importorskip("journalspec_reference.jboss_journal").IMPLEMENTATION
    wanted = reference.read(files, edition=edition)
    for member in ("verdict", "records", "state", "unanchored"):
        assert getattr(seen, member) == getattr(wanted, member), member


def random_record(rng: random.Random, edition: str, file_id: int, version: int = 0) -> tuple[str, bytes, Any]:
    """Return (type, bytes, fields) of a record that leaves every transaction without an end."""
    laid_out = laid_out_as(edition, version)
    kind = rng.choice([name for name in LAYOUT.types(laid_out) if name not in ("COMMIT", "PREPARE")])
    names = LAYOUT.structure("record", laid_out, kind).names
    fields: dict[str, Any] = {}
    if "tx" in names:
        fields["tx"] = rng.choice([0, -1, 2**63 - 1, -(2**63), rng.randrange(100)])
    if "id" in names:
        fields["id"] = rng.choice([0, -1, 2**63 - 1, -(2**63), rng.randrange(100)])
    if "user_type" in names:
        fields["user_type"] = rng.randrange(256)
    if "body" in names:
        fields["body"] = rng.randbytes(rng.choice([0, 1, 17, 300]))
    if "compact_count" in names:
        fields["compact_count"] = rng.choice([0, 1, 127, -128])
    return kind, build_record(edition, kind, file_id, version, **fields), fields


@each_edition
@pytest.mark.parametrize("seed", range(4))
def test_both_schemas_find_in_a_directory_what_was_put_in(edition: str, seed: int) -> None:
    rng = random.Random(seed)
    files, wanted = {}, []
    ids = sorted(rng.sample(range(1, 1000), 3))
    alignment = rng.choice([1, 1, 64])
    for number, file_id in enumerate(ids):
        version = rng.choice(VERSIONS.get(edition, (0,)))
        made = [random_record(rng, edition, file_id, version) for _ in range(rng.randrange(6))]
        pieces = [data for _, data, _ in made]
        wanted += [(kind, fields, data) for kind, data, fields in made]
        more: dict[str, Any] = {"format_version": version} if version else {}
        # Names do not tell the order.
        files[f"data-{9 - number}.jbm"] = build_file(
            edition, file_id, pieces, size=4096, fill=rng.choice([0, 0x4A]), alignment=alignment, **more
        )
    seen = schema.parse(files, edition)
    assert kaitai.parse(files, edition) == seen
    assert_reference_agrees(seen, files, edition)
    assert [entry.header["file_id"] for entry in seen.files] == ids
    assert [record.type for record in seen.records] == [kind for kind, _, _ in wanted]
    for record, (_, fields, data) in zip(seen.records, wanted, strict=True):
        assert fields.items() <= dict(record.fields).items()
        at = record.at
        assert files[at.file][at.off : at.off + at.length] == data
    for data in files.values():
        assert schema.build(schema.decode(data, edition), edition) == data


@each_edition
def test_the_ksy_alone_reads_a_packed_file(edition: str) -> None:
    rng = random.Random(edition)
    made = [random_record(rng, edition, 7) for _ in range(5)]
    for size in (None, 5000):
        data = build_file(edition, 7, [piece for _, piece, _ in made], size=size)
        tree = kaitai.CODEC.whole(data, edition)
        found = [slot.record.record_type.name.upper() for slot in tree.slots[:-1]]
        assert found == [kind for kind, _, _ in made]


def test_the_stamp_is_31_bits_of_a_long_id_and_all_of_a_short_one() -> None:
    assert stamp_of("v2", 0x80000005) == 5
    assert stamp_of("s2", 0x80000005) == 0x80000005
    assert build_record("v2", "DELETE", 0x180000005)[1:5] == bytes([0, 0, 0, 5])
    assert LAYOUT.build("header", "v2", file_id=0x80000005)[8:] == bytes.fromhex("0000000080000005")
    files = {"d-1.amq": build_file("v2", 0x80000005, [build_record("v2", "ADD", 5, id=1)])}
    for module in (schema, kaitai):
        [record] = module.parse(files, "v2").records
        assert record.fields["file_id"] == 0x80000005


@each_edition
def test_gaps_padding_and_earlier_lives_are_no_damage(edition: str) -> None:
    old = [build_record(edition, "ADD", 3, id=number, body=b"old" * 20) for number in range(4)]
    before = build_file(edition, 3, old, size=1024)
    new = build_record(edition, "ADD", 9, id=77)
    second = build_record(edition, "ADD", 9, id=78)
    data = build_file(edition, 9, [new, (600, second)], background=before)
    assert len(data) == 1024
    for module in (schema, kaitai):
        seen = module.parse({"d-1.hq": data}, edition)
        assert [record.fields["id"] for record in seen.records] == [77, 78]
        assert [record.fields["id"] for record in seen.unanchored] == [1, 2, 3]
        assert [note.code for note in seen.notes] == ["stale"]
        assert [item["id"] for item in seen.state["live"]] == [77, 78]


#: (records of one file, live ids, prepared, discarded); written for editions with one count.
STATES: list[tuple[str, list[tuple[str, dict[str, Any]]], list[int], list[int], list[int]]] = [
    ("committed", [("ADD_TX", {"tx": 1, "id": 5}), ("COMMIT", {"tx": 1, "count": 1})], [5], [], []),
    ("no-end", [("ADD_TX", {"tx": 1, "id": 5})], [], [], [1]),
    ("rolled-back", [("ADD_TX", {"tx": 1, "id": 5}), ("ROLLBACK", {"tx": 1})], [], [], []),
    ("in-doubt", [("ADD_TX", {"tx": 1, "id": 5}), ("PREPARE", {"tx": 1, "count": 1})], [], [1], []),
    ("empty-prepare", [("PREPARE", {"tx": 1, "count": 0})], [], [1], []),
    ("unknown-commit", [("COMMIT", {"tx": 1, "count": 7})], [], [], []),
    ("deleted-before", [("DELETE", {"id": 5}), ("ADD", {"id": 5}), ("UPDATE", {"id": 6})], [6], [], []),
    ("twice", [("ADD", {"id": 5}), ("ADD", {"id": 5})], [5, 5], [], []),
    (
        "two-lives",
        [
            ("ADD_TX", {"tx": 1, "id": 5}),
            ("COMMIT", {"tx": 1, "count": 1}),
            ("DELETE_TX", {"tx": 1, "id": 5}),
            ("COMMIT", {"tx": 1, "count": 1}),
        ],
        [],
        [],
        [],
    ),
    (
        "healthy-after-unhealthy",
        [
            ("ADD_TX", {"tx": 1, "id": 5}),
            ("PREPARE", {"tx": 1, "count": 2}),
            ("COMMIT", {"tx": 1, "count": 1}),
        ],
        [5],
        [],
        [],
    ),
]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state[0])
@pytest.mark.parametrize("edition", ["s2", "v1", "v2", "v2e"])
def test_the_state_follows_the_rules_of_the_specification(state: Any, edition: str) -> None:
    _, events, live, prepared, discarded = state
    files = {"d-1.hq": build_file(edition, 1, [build_record(edition, kind, **f) for kind, f in events])}
    for module in (schema, kaitai):
        whole = module.parse(files, edition)
        assert_reference_agrees(whole, files, edition)
        seen = whole.state
        assert [item["id"] for item in seen["live"]] == live
        assert [item["tx"] for item in seen["prepared"]] == prepared
        assert [item["tx"] for item in seen["discarded"]] == discarded


def spread(edition: str, pairs: list[tuple[int, int]], ending: str = "COMMIT") -> dict[str, bytes]:
    """Two records of a transaction in file 1, one in file 3 with its end."""
    one = [build_record(edition, "ADD_TX", 1, tx=8, id=number) for number in (1, 2)]
    three = [
        build_record(edition, "ADD_TX", 3, tx=8, id=3),
        build_record(edition, ending, 3, tx=8, pairs=pairs),
    ]
    return {"d-1.jbm": build_file(edition, 1, one), "d-3.jbm": build_file(edition, 3, three)}


@pytest.mark.parametrize("edition", ["seed", "seed+hash", "s1"])
@pytest.mark.parametrize("module", SCHEMAS)
def test_counts_per_file(module: ModuleType, edition: str) -> None:
    for pairs in (
        [(1, 2), (3, 1)],
        [(3, 1), (1, 2)],
        [(1, 2)],
        [],
        [(1, 2), (2, 9), (3, 1)],
        [(1, 2), (1, 2)],
    ):
        seen = module.parse(spread(edition, pairs), edition)
        assert len(seen.state["live"]) == 3
        assert_reference_agrees(seen, spread(edition, pairs), edition)
    for pairs in ([(1, 1)], [(1, 3)], [(1, 0)], [(1, -2)], [(1, 2), (1, 1)]):
        with pytest.raises(SchemaError, match="COMMIT"):
            module.parse(spread(edition, pairs), edition)
        with pytest.raises(SchemaError, match="PREPARE"):
            module.parse(spread(edition, pairs, "PREPARE"), edition)
    # A listed file that is there and holds nothing of the transaction.
    files = {**spread(edition, [(2, 1)]), "d-2.jbm": build_file(edition, 2)}
    with pytest.raises(SchemaError, match="COMMIT"):
        module.parse(files, edition)


@pytest.mark.parametrize("edition", LONG)
def test_a_control_file_decides_which_files_count(edition: str) -> None:
    files = {
        "d-1.amq": build_file(edition, 1, [build_record(edition, "ADD", 1, id=1)]),
        "d-2.amq.cmp": build_file(edition, 1, [build_record(edition, "ADD", 1, id=2)]),
        "d-9.amq.tmp": b"",
        CONTROL: control_file(edition, ["d-1.amq"], ["d-2.amq.cmp", "d-5.amq.cmp"], slack=bytes(7)),
    }
    for module in (schema, kaitai):
        seen = module.parse(files, edition)
        assert [item["id"] for item in seen.state["live"]] == [2]
        assert {entry.file: entry.role for entry in seen.files} == {
            "d-1.amq": "superseded",
            "d-2.amq.cmp": "data",
            "d-9.amq.tmp": "invalid",
            CONTROL: "control",
        }
        assert [note.code for note in seen.notes] == ["control-applied", "leftover"]
        without = {name: data for name, data in files.items() if name != CONTROL}
        assert [item["id"] for item in module.parse(without, edition).state["live"]] == [1]
        # Negative counts are empty lists; a count beyond the body is a damaged control file.
        for counts, ids in ((b"\xff\xff\xff\xff" * 3, [1]), (b"\x7f\xff\xff\xff" * 3, [1])):
            record = build_record(edition, "ADD", 0, id=1, body=counts)
            seen = module.parse({**files, CONTROL: build_file(edition, 0, [record])}, edition)
            assert [item["id"] for item in seen.state["live"]] == ids
        assert [note.code for note in seen.notes] == ["control-discarded", "leftover", "leftover"]


def test_the_edition_tells_what_a_byte_10_is() -> None:
    nested = build_record("v2", "ADD", 1, id=98)
    event = build_record("v2e", "EVENT", 1, id=9, body=nested)
    files = {"d-1.amq": build_file("v2", 1, [event])}
    for module in (schema, kaitai):
        assert [record.type for record in module.parse(files, "v2e").records] == ["EVENT"]
        assert module.parse(files, "v2e").state["live"] == []
        assert [record.type for record in module.parse(files, "v2").records] == ["ADD"]


def test_the_calculated_hash_sees_the_middle_of_a_body() -> None:
    body = bytes(range(100))
    for edition, noticed in (("seed", False), ("seed+hash", True)):
        record = bytearray(build_record(edition, "ADD", id=1, body=body))
        record[60:70] = bytes(10)
        files = {"d-1.jbm": build_file(edition, 1, [bytes(record)])}
        for module in (schema, kaitai):
            if noticed:
                with pytest.raises(SchemaError):
                    module.parse(files, edition)
            else:
                assert len(module.parse(files, edition).records) == 1


def one(edition: str, *records: bytes, **fields: Any) -> Mapping[str, bytes]:
    return {"d-1.amq": build_file(edition, 1, records, size=512, **fields)}


ADD: dict[str, Any] = {"id": 1, "body": b"body"}
DAMAGE: dict[str, tuple[str, Mapping[str, bytes]]] = {
    "no-file-of-a-journal": ("v2", {"readme.txt2": b"x"}),
    "short-file": ("v2", {"d-1.amq": bytes(15)}),
    "short-file-4": ("seed", {"d-1.jbm": bytes(3)}),
    "version-0": ("v2", one("v2", format_version=0)),
    "version-3": ("v2e", one("v2e", format_version=3)),
    "user-version": ("v2", one("v2", user_version=7)),
    "version-2-in-v1": ("v1", one("v1", format_version=2)),
    "check-size": ("v2", one("v2", build_record("v2", "ADD", **ADD, check_size=28))),
    "check-size-negative": ("s1", one("s1", build_record("s1", "ADD", **ADD, check_size=-1))),
    "hash": ("seed+hash", one("seed+hash", build_record("seed+hash", "ADD", **ADD, hash=0))),
    "length-for-hash": ("seed+hash", one("seed", build_record("seed", "ADD", **ADD))),
    "size-negative": ("v2", one("v2", build_record("v2", "ADD", **ADD, body_size=-1))),
    "size-huge": ("v2", one("v2", build_record("v2", "ADD", **ADD, body_size=2**31 - 1))),
    "size-plus-one": ("v2", one("v2", build_record("v2", "ADD", **ADD, body_size=5))),
    "extra-negative": ("v2", one("v2", build_record("v2", "PREPARE", tx=1, count=18, extra_size=-8))),
    "extra-negative-s1": ("s1", one("s1", build_record("s1", "PREPARE", tx=1, extra_size=-1))),
    "files-negative": ("seed", one("seed", build_record("seed", "COMMIT", tx=1, num_files=-1))),
    "files-wrap": ("seed", one("seed", build_record("seed", "COMMIT", tx=1, num_files=0x20000000))),
    "cut-by-the-end": ("v2", {"d-1.amq": build_file("v2", 1, [build_record("v2", "ADD", **ADD)[:-1]])}),
    "cut-before-the-count": ("s2", {"d-1.hq": build_file("s2", 1, [build_record("s2", "COMMIT")[:14]])}),
    "stale-edition": ("s1", one("seed", build_record("seed", "DELETE_TX", tx=1, id=1))),
    "count": (
        "v2",
        one("v2", build_record("v2", "ADD_TX", tx=1), build_record("v2", "COMMIT", tx=1, count=2)),
    ),
    "lost-prepare": ("v2", one("v2", build_record("v2", "PREPARE", tx=1, count=1))),
}


@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.parametrize("module", SCHEMAS)
def test_damage_is_refused(module: ModuleType, name: str) -> None:
    edition, files = DAMAGE[name]
    with pytest.raises(SchemaError):
        module.parse(files, edition)


@pytest.mark.parametrize("module", SCHEMAS)
def test_a_configured_size_bounds_the_old_editions(module: ModuleType) -> None:
    first = build_record("seed", "ADD", id=1)
    later = build_record("seed", "ADD", id=2)
    files = {"d-1.jbm": build_file("seed", 1, [first, (2048, later)], size=4096)}
    assert len(module.parse(files, "seed").records) == 2
    assert len(module.parse(files, "seed", {"file_size": "1024"}).records) == 1
    with pytest.raises(SchemaError, match="configured"):
        module.parse(files, "seed", {"file_size": "8192"})


@pytest.mark.parametrize("module", SCHEMAS)
def test_a_configured_user_version_is_the_only_one(module: ModuleType) -> None:
    files = one("v2", user_version=7)
    assert module.parse(files, "v2", {"user_version": "7"}).files[0].header["user_version"] == 7
    with pytest.raises(SchemaError, match="user version"):
        module.parse(files, "v2", {"user_version": "8"})


@pytest.mark.parametrize("module", SCHEMAS)
def test_an_empty_directory_is_a_journal_without_records(module: ModuleType) -> None:
    for edition in EDITIONS:
        seen = module.parse({}, edition)
        assert (seen.verdict, seen.records) == ("clean", ())
        assert seen.state == {"live": [], "prepared": [], "discarded": []}
    with pytest.raises(SchemaError, match="s3"):
        module.parse({}, "s3")


@pytest.mark.parametrize("module", SCHEMAS)
def test_what_is_odd_about_ids_is_noted(module: ModuleType) -> None:
    twins = {"d-2.amq": build_file("v2", 4), "d-10.amq": build_file("v2", 4)}
    seen = module.parse(twins, "v2")
    assert [(note.code, note.file) for note in seen.notes] == [("duplicate-file-id", "d-10.amq")]
    unfilled = {"d-1.jbm": b"J" * 64}
    assert [note.code for note in module.parse(unfilled, "seed").notes] == ["unfilled-header"]


@pytest.mark.parametrize("module", SCHEMAS)
def test_many_claims_of_much_cost_little(module: ModuleType) -> None:
    # Stale candidates that all claim the rest of the file: reading each would be quadratic.
    claim = build_record("v2", "ADD", 3, body_size=300_000, check_size=1)
    data = build_file("v2", 9, [claim * 20_000], size=1_000_000)
    seen = module.parse({"d-1.amq": data}, "v2")
    assert seen.records == seen.unanchored == ()


def test_a_container_that_lacks_a_field_cannot_be_built() -> None:
    with pytest.raises(SchemaError, match="cannot be built"):
        schema.build({"header": {}}, "v2")


def state_of(files: dict[str, bytes], edition: str) -> Any:
    seen = schema.parse(files, edition)
    assert kaitai.parse(files, edition) == seen
    return seen.state


def test_a_transaction_over_two_files(dump: Dump) -> None:
    data = dump("jboss-journal-example-two-files")
    assert data == build_file(
        "seed",
        3,
        [
            build_record("seed", "ADD_TX", 3, tx=100, id=7, user_type=32, body=b"two"),
            build_record("seed", "COMMIT", 3, tx=100, pairs=[(1, 2), (3, 1)]),
        ],
    )
    # File 1 is gone.
    assert [item["id"] for item in state_of({"d-3.jbm": data}, "seed")["live"]] == [7]
    first = [build_record("seed", "ADD_TX", 1, tx=100, id=number) for number in (5, 6)]
    files = {"d-1.jbm": build_file("seed", 1, first), "d-3.jbm": data}
    assert [item["id"] for item in state_of(files, "seed")["live"]] == [5, 6, 7]


def test_a_file_in_its_second_life(dump: Dump) -> None:
    bodies = {1: b"one", 2: b"two", 3: b"three"}
    old = [build_record("v2", "ADD", 1, id=i, user_type=31, body=bodies[i]) for i in bodies]
    assert [len(record) for record in old] == [26, 26, 28]
    new = build_record("v2", "ADD", 5, id=9, user_type=31, body=b"fresh")
    data = dump("jboss-journal-example-second-life")
    assert data == build_file("v2", 5, [new], background=build_file("v2", 1, old))
    for module in (schema, kaitai):
        seen = module.parse({"d-1.amq": data}, "v2")
        assert [record.fields["id"] for record in seen.records] == [9]
        assert [record.fields["id"] for record in seen.unanchored] == [3]


def test_in_doubt(dump: Dump) -> None:
    data = dump("jboss-journal-example-in-doubt")
    records = [
        build_record("v2e", "ADD_TX", tx=101, id=4, user_type=5, body=b"\1"),
        build_record("v2e", "DELETE_TX", tx=101, id=3, body=b"w"),
        build_record("v2e", "PREPARE", tx=101, count=2, extra=b"xid"),
        build_record("v2e", "EVENT", id=9, user_type=1, body=b"EE"),
    ]
    assert data == build_file("v2e", 1, records)
    state = state_of({"d-1.amq": data}, "v2e")
    assert state["live"] == []
    [prepared] = state["prepared"]
    assert (prepared["tx"], prepared["extra"]) == (101, b"xid")
    assert prepared["deletes"] == [{"id": 3, "body": b"w"}]
    assert [record.type for record in kaitai.parse({"d-1.amq": data}, "v2").records][-1] == "PREPARE"


def test_a_prepare_of_the_second_edition(dump: Dump) -> None:
    data = dump("jboss-journal-example-prepare")
    assert data == build_record("s1", "PREPARE", 4, tx=101, pairs=[(3, 2), (4, 1)], extra=b"xid")


def test_the_calculated_hash(dump: Dump) -> None:
    data = dump("jboss-journal-example-hash")
    assert data == build_record("seed+hash", "ADD", 1, id=1, user_type=7, body=b"\xaa\xbb")
    plain = build_record("seed", "ADD", 1, id=1, user_type=7, body=b"\xaa\xbb")
    assert (plain[:-4], plain[-4:]) == (data[:-4], bytes([0, 0, 0, 0x18]))


def test_a_control_file(dump: Dump) -> None:
    data = dump("jboss-journal-example-control")
    assert data == control_file("v2", ["d-1.amq", "d-2.amq"], ["d-6.amq.cmp"], slack=bytes(3))
    files = {
        "d-1.amq": build_file("v2", 1, [build_record("v2", "ADD", 1, id=1)]),
        "d-2.amq": build_file("v2", 2, [build_record("v2", "ADD", 2, id=2)]),
        "d-6.amq.cmp": build_file("v2", 1, [build_record("v2", "ADD", 1, id=2, compact_count=1)]),
        CONTROL: data,
    }
    [live] = state_of(files, "v2")["live"]
    assert (live["id"], live["compact_count"]) == (2, 1)
