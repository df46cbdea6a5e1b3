"""Derby's log: its tables of operations, and the schemas of bodies on logs that Derby wrote."""

from __future__ import annotations

import tomllib
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from construct import ConstructError
from kaitaistruct import KaitaiStream

from journalspec.derby_log._kaitai.derby_body import DerbyBody
from journalspec.derby_log._kaitai.derby_log import DerbyLog
from journalspec.derby_log.operations import operations
from journalspec.derby_log.schema import BODY, CODEC, Packed, file_schema
from journalspec.elements import parsed
from journalspec.schemas import SchemaError

SPECS = Path(__file__).resolve().parents[1]
HARNESS = SPECS.parent / "conformance" / "journalspec_conformance" / "harnesses" / "derby_log"
CAPTURED = SPECS.parent / "corpus" / "captured" / "derby_log"


def captured() -> list[Path]:
    return sorted(CAPTURED.glob("*/*/log[0-9]*.dat"))


def decoded(data: bytes, edition: str) -> Any:
    # CODEC.decode would need a registered format.
    return parsed(file_schema(CODEC, edition), BytesIO(data), "")


def plain(value: Any) -> Any:
    """Return a result of construct or Kaitai as plain values, numbers as numbers."""
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
    """Return the value without members that are None, because Kaitai omits such members and construct does
    not.
    """
    if isinstance(value, dict):
        return {name: present(item) for name, item in value.items() if item is not None}
    return [present(item) for item in value] if isinstance(value, list) else value


def as_kaitai(body: bytes) -> dict[str, Any]:
    """Return a body from the generated parser in the form of construct's result."""
    stream = KaitaiStream(BytesIO(body))
    tree = DerbyBody(stream)
    assert stream.is_eof()
    out: dict[str, Any] = present(plain(tree))
    number = out.pop("operation_id")
    return {**out, "operation": int(number), "fields": out.pop("operation", {})}


def test_schemas_agree_on_every_captured_record() -> None:
    """Both parsers read up to the last byte, and construct builds the same bytes from its result."""
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
        # The captures of one version begin with the same records. Bodies that were already tested are
        # skipped.
        for body in set(bodies) - known:
            found = BODY.parse(body)
            assert BODY.build(found) == body
            assert present(plain(found)) == as_kaitai(body)
            assert found.group in operations()[found.operation].group
            seen.add(operations()[found.operation].name)
        known.update(bodies)
    assert {"BEGIN", "END", "CHECKPOINT", "CHECKSUM", "INSERT", "UPDATE", "DELETE", "PURGE"} <= seen


@pytest.mark.parametrize(
    ("unit", "form", "number"),
    [
        (1, "3f", 63), (1, "4040", 64), (1, "7fff", 16383), (1, "80004000", 16384),
        (1, "ffffffff", (1 << 31) - 1),
        (2, "3fff", 16383), (2, "40004000", 16384), (2, "8000000040000000", 1 << 30),
    ],
)  # fmt: skip
def test_compressed_numbers_have_the_limits_in_the_document(unit: int, form: str, number: int) -> None:
    """Compressed integers have 6, 14 or 31 bits; compressed longs take two, four or eight bytes."""
    assert Packed(unit).parse(bytes.fromhex(form)) == number
    assert Packed(unit).build(number).hex() == form
    with pytest.raises(ConstructError):
        Packed(unit).build(-1)


@pytest.mark.parametrize(
    ("off", "what"),
    [(3, "bad length"), (11, "another place"), (36, "another length behind"), (32, "another checksum")],
)
def test_damaged_record_is_not_parsed(off: int, what: str) -> None:
    """The first record after the header (24 bytes) is a checksum record of 37 bytes."""
    data = bytearray((CAPTURED / "derby-10.16.1.1" / "three" / "log1.dat").read_bytes())
    data[24 + off] ^= 1
    with pytest.raises(SchemaError):
        decoded(bytes(data), "10.16")


def test_every_deviation_was_observed_in_an_experiment_or_a_case() -> None:
    """The first product in the list must also be the first version that has the deviation."""
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
