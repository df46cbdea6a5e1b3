"""Derby's log, which is not registered yet: its tables, and its schemas on what real Derby wrote."""

from __future__ import annotations

import gzip
import re
import tomllib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from construct import ConstructError
from kaitaistruct import KaitaiStream

from journalspec.derby_log import LAYOUT
from journalspec.derby_log._kaitai.derby_body import DerbyBody
from journalspec.derby_log._kaitai.derby_log import DerbyLog
from journalspec.derby_log.operations import Form, Slot, groups, objects, operations
from journalspec.derby_log.schema import BODY, CODEC, Packed, file_schema
from journalspec.elements import parsed, values_of
from journalspec.parsers import KaitaiCodec
from journalspec.schemas import SchemaError

SPECS = Path(__file__).resolve().parents[1]
REAL = SPECS.parent.parent / "shared" / "real" / "derby_log"
#: Those that were not damaged by hand.
CLEAN = (
    "basic-10.12-prealloc",
    "basic-10.16-fsync",
    "cleanshutdown-10.16-fsync",
    "switch-10.16-fsync",
    "torn-after-recovery-10.16",
    "xa-10.16-fsync",
)
HARNESS = SPECS.parent / "conformance" / "journalspec_conformance" / "harnesses" / "derby_log"
CAPTURED = SPECS.parent / "corpus" / "captured" / "derby_log"
TYPES = {"u1", "u2", "s4", "s8", "cint", "clong", "utf", "bytes", "list", "object"}


def slots(form: Form) -> Iterator[tuple[Slot, list[str]]]:
    """Give every field, those of elements of lists too, with the names of what stands before it."""
    before: list[str] = []
    for slot in form.fields:
        yield slot, list(before)
        if isinstance(slot.of, tuple):
            yield from ((member, []) for member in slot.of)
        before.append(slot.name)


def test_operations_and_objects_have_names_and_ids_of_their_own() -> None:
    forms = [*operations().values(), *objects().values()]
    assert len({form.name for form in forms}) == len({form.id for form in forms}) == len(forms)
    assert all(re.fullmatch("[A-Z][A-Z0-9_]+", form.name) for form in operations().values())


def test_what_a_field_refers_to_stands_before_it() -> None:
    for form in [*operations().values(), *objects().values()]:
        names = [slot.name for slot in form.fields]
        assert len(set(names)) == len(names), form.name
        for slot, before in slots(form):
            assert slot.type in TYPES, slot
            assert (slot.type == "object") == (isinstance(slot.of, str) and slot.of in objects()), slot
            for name in (slot.length, slot.count, slot.when[0] if slot.when else ""):
                assert not name or name in before, slot


def test_an_operation_s_groups_are_made_of_named_bits() -> None:
    known = sum(groups().values())
    assert all(bit & ~known == 0 for form in operations().values() for bit in form.group)
    assert all(form.group for form in operations().values())


def captured() -> list[Path]:
    return sorted(CAPTURED.glob("*/*/log[0-9]*.dat"))


def decoded(data: bytes, edition: str) -> Any:
    # Not CODEC.decode, which asks for a registered format.
    return parsed(file_schema(CODEC, edition), BytesIO(data), "")


def plain(value: Any) -> Any:
    """Return what construct or Kaitai has parsed as plain values, numbers as numbers."""
    if isinstance(value, (int, bytes)) or value is None:
        return value
    if isinstance(value, list):
        return [plain(item) for item in value]
    if hasattr(value, "first") and (hasattr(value, "value") or hasattr(value, "low")):
        # A compressed number.
        return value.value if hasattr(value, "value") else value.high << 32 | value.low
    if hasattr(value, "object_id"):
        names = [name for name in value.__dict__ if name not in ("object_id",) and name[0] != "_"]
        return plain(getattr(value, names[0])) if value.object_id else None
    if hasattr(value, "text") and hasattr(value, "size"):
        return value.text
    members = value.items() if isinstance(value, dict) else vars(value).items()
    return {name: plain(item) for name, item in members if name[0] != "_" and name not in ("io", "end")}


def present(value: Any) -> Any:
    """Drop members that are not there: Kaitai has none where construct has None."""
    if isinstance(value, dict):
        return {name: present(item) for name, item in value.items() if item is not None}
    return [present(item) for item in value] if isinstance(value, list) else value


def as_kaitai(body: bytes) -> dict[str, Any]:
    """Return a body as the generated parser has it, in construct's shape."""
    stream = KaitaiStream(BytesIO(body))
    tree = DerbyBody(stream)
    assert stream.is_eof()
    out: dict[str, Any] = present(plain(tree))
    number = out.pop("operation_id")
    return {**out, "operation": int(number), "fields": out.pop("operation", {})}


def test_schemas_agree_on_every_record_that_was_captured() -> None:
    """To the last byte, and what construct has parsed it builds again."""
    seen: set[str] = set()
    known: set[bytes] = set()
    assert len(captured()) > 60
    for path in captured():
        data, edition = path.read_bytes(), path.parents[1].name.split("-")[1]
        edition = ".".join(edition.split(".")[:2])
        tree = decoded(data, edition)
        assert file_schema(CODEC, edition).build(tree) == data, path
        assert not any(tree.rest), path
        whole = DerbyLog(KaitaiStream(BytesIO(data)))
        assert whole.header.number == tree.header.number == int(path.stem[3:])
        bodies = [record.body for record in tree.records]
        assert [slot.record.body for slot in whole.slots if slot.is_record] == bodies, path
        # Each base begins with the same records.
        for body in set(bodies) - known:
            found = BODY.parse(body)
            assert BODY.build(found) == body
            assert present(plain(found)) == as_kaitai(body)
            assert found.group in operations()[found.operation].group
            seen.add(operations()[found.operation].name)
        known.update(bodies)
    assert {"BEGIN", "END", "CHECKPOINT", "CHECKSUM", "INSERT", "UPDATE", "DELETE", "PURGE"} <= seen


def dumped(path: Path) -> Iterator[tuple[str, int, int, int | None, int]]:
    """Give file, offset, length, transaction and group of each record that another reader has found."""
    file = ""
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        if found := re.match(r"(log\d+\.dat) ", line):
            file = found[1]
        elif found := re.match(r"\s+(\d+) len=(\d+)\s+tx=(\w+)\s+grp=0x([0-9a-f]+)\[", line):
            tx = None if found[3] == "None" else int(found[3])
            yield file, int(found[1]), int(found[2]), tx, int(found[4], 16)


@pytest.mark.real
@pytest.mark.skipif(not REAL.is_dir(), reason="needs real/ in ../shared beside the checkout")
@pytest.mark.parametrize("name", CLEAN)
def test_another_reader_has_found_the_same_records(name: str) -> None:
    mine = []
    for path in sorted((REAL / name).glob("log[0-9]*.dat")):
        data = path.read_bytes()
        tree = decoded(data, "10.16")
        slots = DerbyLog(KaitaiStream(BytesIO(data))).slots
        assert [slot.record.body for slot in slots if slot.is_record] == [item.body for item in tree.records]
        for item in tree.records:
            body = BODY.parse(item.body)
            assert present(plain(body)) == as_kaitai(item.body)
            transaction = body.transaction.number if body.transaction else None
            mine.append((path.name, item.off, item.length, transaction, body.group))
    assert mine == list(dumped(REAL / name / "dump.txt.gz"))
    assert mine


@pytest.mark.real
@pytest.mark.skipif(not REAL.is_dir(), reason="needs real/ in ../shared beside the checkout")
def test_an_encrypted_log_is_framed() -> None:
    """Its bodies are opaque: the wrappers alone lead to the last byte."""
    data = (REAL / "encrypted-ecb-10.16-fsync" / "log1.dat").read_bytes()
    tree = decoded(data, "10.16")
    whole = DerbyLog(KaitaiStream(BytesIO(data)))
    assert [slot.record.body for slot in whole.slots if slot.is_record] == [
        item.body for item in tree.records
    ]
    assert tree.records[-1].end == len(data)
    assert len(tree.records) > 100


def test_schemas_agree_on_every_control_file_that_was_captured() -> None:
    for path in sorted(CAPTURED.glob("*/*/log*.ctrl")):
        data, edition = path.read_bytes(), ".".join(path.parents[1].name.split("-")[1].split(".")[:2])
        found = KaitaiCodec(LAYOUT).read("control", edition, data, 0, path.name).fields
        again = values_of(CODEC.schema("control", edition).parse(data))
        assert found == again
        assert (found["major"], found["minor"]) == tuple(map(int, edition.split(".")))
        assert LAYOUT.build("control", edition, **found) == data


@pytest.mark.parametrize("number", [0, 63, 64, 16383, 16384, (1 << 31) - 1])
def test_a_compressed_int_is_built_in_its_shortest_form(number: int) -> None:
    """The limits are those of the document: 6, 14 and 31 bits."""
    data = Packed(1).build(number)
    assert len(data) == (1 if number < 64 else 2 if number < 16384 else 4)
    assert Packed(1).parse(data) == number


@pytest.mark.parametrize(
    ("form", "number"), [("3f", 63), ("403f", 63), ("8000003f", 63), ("ffffffff", 2147483647)]
)
def test_a_compressed_int_is_parsed_in_every_form(form: str, number: int) -> None:
    assert Packed(1).parse(bytes.fromhex(form)) == number


@pytest.mark.parametrize(
    ("form", "number"), [("0000", 0), ("3fff", 16383), ("40004000", 16384), ("8000000000000007", 7)]
)
def test_a_compressed_long_has_two_four_or_eight_bytes(form: str, number: int) -> None:
    assert Packed(2).parse(bytes.fromhex(form)) == number
    assert len(Packed(2).build(number)) <= len(form) // 2


@pytest.mark.parametrize("number", [-1, 1 << 31])
def test_what_cannot_be_compressed_is_not_built(number: int) -> None:
    with pytest.raises(ConstructError):
        Packed(1).build(number)


@pytest.mark.parametrize(
    ("off", "what"),
    [(3, "bad length"), (11, "another place"), (-1, "another length behind"), (32, "another checksum")],
)
def test_a_damaged_record_is_not_parsed(off: int, what: str) -> None:
    """The first record behind the header is a checksum record of 37 bytes."""
    data = bytearray((CAPTURED / "derby-10.16.1.1" / "three" / "log1.dat").read_bytes())
    data[24 + (off if off >= 0 else 36)] ^= 1
    with pytest.raises(SchemaError):
        decoded(bytes(data), "10.16")


def test_every_deviation_was_seen_in_an_experiment_or_on_a_case() -> None:
    """The first version that has it is the first one that shows it."""
    text = (HARNESS / "experiments.toml").read_text(encoding="utf-8")
    experiments = {entry["id"] for entry in tomllib.loads(text)["experiment"]}
    data = tomllib.loads((SPECS / "journalspec/derby_log/deviations.toml").read_text(encoding="utf-8"))
    for entry in data["deviation"]:
        for show in entry["show"]:
            if "case" in show:
                assert show["case"] in entry["cases"], entry["id"]
            else:
                assert show["arguments"][0] == "--id"
                assert show["arguments"][1] in experiments, entry["id"]
            assert show["products"][0] == f"derby-{entry['since']}"
