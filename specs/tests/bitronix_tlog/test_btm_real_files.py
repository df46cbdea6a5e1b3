"""The schemas against files that the products wrote, decoded by someone else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from journalspec.bitronix_tlog import kaitai, schema
from journalspec.bitronix_tlog.plain import STATUS
from journalspec.schemas import SchemaError

REAL = Path(__file__).resolve().parents[3].parent / "shared" / "real" / "bitronix_tlog"
#: What parsed.json has in the place of records where its reader gave up.
UNREAD = "not-parseable"
EDITIONS = {"2.1.4": "2.1", "3.0.0-mk1": "3.0"}

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not REAL.is_dir(), reason="needs real/bitronix_tlog in ../shared beside the checkout"),
]


def content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def directories() -> list[Path]:
    return sorted(path for version in EDITIONS for path in (REAL / version).glob("*") if path.is_dir())


def files_of(directory: Path) -> dict[str, bytes]:
    return {path.name.removesuffix(".gz"): content(path) for path in sorted(directory.iterdir())}


def known(directory: Path) -> dict[str, dict[str, Any]]:
    """Return file name -> what an independent reader found in it, where it found no fault."""
    decoded = json.loads((REAL / "parsed.json").read_text(encoding="utf-8"))
    prefix = f"{directory.parent.name}/{directory.name}/"
    return {
        key.removeprefix(prefix).removesuffix(".gz"): value
        for key, value in decoded.items()
        if key.startswith(prefix)
    }


@pytest.mark.parametrize("directory", directories(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_both_schemas_agree_with_an_independent_reader(directory: Path) -> None:
    edition = EDITIONS[directory.parent.name]
    files = files_of(directory)
    wanted = known(directory)
    if not wanted:
        pytest.skip("parsed.json has no entry for this directory")
    try:
        seen = schema.parse(files, edition)
    except SchemaError:
        # Damaged by its own writer: then Kaitai must say so too, and the other reader as well.
        with pytest.raises(SchemaError):
            kaitai.parse(files, edition)
        assert any(UNREAD in entry for entry in wanted.values())
        return
    assert kaitai.parse(files, edition) == seen
    assert set(wanted) == set(files)
    for name, entry in wanted.items():
        if UNREAD in entry:
            continue  # that reader gave up at a name that is not ASCII
        header = next(item.header for item in seen.files if item.file == name)
        assert header["timestamp"] == entry["timestamp"]
        assert header["position"] == entry["tail"]
        assert header["state"] == entry["state"] % 256
        records = [record for record in seen.records if record.at.file == name]
        assert [(r.at.off, r.type) for r in records] == [
            (r["offset"], STATUS[r["status"]]) for r in entry["records"]
        ]
        for record, other in zip(records, entry["records"], strict=True):
            assert record.fields["record_length"] == other["recordLength"]
            assert record.fields["time"] == other["time"]
            assert record.fields["sequence_number"] == other["seq"]
            assert record.fields["gtrid"] == bytes.fromhex(other["gtrid"])
            assert len(list(record.fields["names"])) == len(other["names"])  # type: ignore[call-overload]  # a list of text
    for data in files.values():
        assert schema.build(schema.decode(data, edition), edition) == data


def test_both_schemas_agree_on_the_first_lap_of_a_nio_journal() -> None:
    data = content(REAL / "nio-497e884f" / "nio-btm1.first-lap.tlog.gz")
    seen = schema.parse({"nio-btm1.tlog": data}, "nio")
    assert kaitai.parse({"nio-btm1.tlog": data}, "nio") == seen
    assert [record.type for record in seen.records] == [
        "ACTIVE",
        "PREPARING",
        "PREPARED",
        "COMMITTING",
        "COMMITTED",
        "COMMITTING",
        "ROLLING_BACK",
        "COMMITTING",
        "UNKNOWN",
    ]
    assert schema.build(schema.decode(data, "nio"), "nio") == data


def test_both_schemas_agree_on_a_nio_journal_that_has_wrapped() -> None:
    data = content(REAL / "nio-497e884f" / "nio-btm1.after-rollover.head4096.bin")
    files = {"nio-btm1.tlog": data[: data.rindex(b"\r\nLR[")]}
    seen = schema.parse(files, "nio")
    assert kaitai.parse(files, "nio") == seen
    assert seen.records[1].fields["names"] == ["jms1"]
    assert seen.records[1].fields["rolled_over"] is True
    assert [note.code for note in seen.notes] == ["rolled-over-padding"]
