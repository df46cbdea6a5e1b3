"""The schemas against what four products wrote, decoded by someone else, and against the reference."""

from __future__ import annotations

import json
import re
import tarfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from journalspec.jboss_journal import LAYOUT, kaitai, schema
from journalspec.layout import laid
from journalspec.observation import CLEAN, Observation
from journalspec.schemas import SchemaError

REAL = Path(__file__).resolve().parents[3].parent / "shared" / "real" / "jboss_journal"
EDITIONS = {"jbm-s0": "seed", "jbm-s1": "s1", "hornetq-2.4.9": "v2", "artemis-2.44.0": "v2e"}
GOLDEN = {
    "seed_jbm_2008-07-31": "seed",
    "jbm_2008-10-15": "s1",
    "hornetq_2.4.9_v2": "v2",
    "artemis_2.44.0_v2": "v2e",
}
#: Two captures are damaged: their reused file got no new id, so that its old records are torn.
TORN = {"jbm-s0/reuse-tx-stale", "jbm-s1/reuse-tx-stale"}

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not REAL.is_dir(), reason="needs real/jboss_journal in ../shared beside the checkout"),
]


def directories() -> list[Path]:
    return sorted(
        path for product in EDITIONS for path in (REAL / "captured" / product).glob("*") if path.is_dir()
    )


def files_of(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def independent() -> Any:
    path = REAL / "captured" / "parsed.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


PARSED = independent()


def assert_same_record(record: Any, other: dict[str, Any]) -> None:
    assert (record.type, record.at.off, record.at.length) == (other["kind"], other["offset"], other["length"])
    assert record.fields.get("id") == other.get("id")
    assert record.fields.get("tx") == other.get("tx")
    if "ut" in other:
        assert record.fields["user_type"] == other["ut"] % 256
    for name in ("body", "extra"):
        wanted = other.get(name)
        if isinstance(wanted, str) and not wanted.startswith("len:"):
            assert record.fields.get(name, b"").hex() == wanted
    if "cc" in other:
        assert record.fields["compact_count"] == other["cc"]
    if "count" in other:
        assert record.fields["count"] == other["count"]
    if "pairs" in other:
        assert [[pair["file_id"], pair["count"]] for pair in record.fields["pairs"]] == other["pairs"]


@pytest.mark.parametrize("directory", directories(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_three_readers_and_an_independent_one_agree(directory: Path) -> None:
    reference = pytest.importorskip("journalspec_reference.jboss_journal").IMPLEMENTATION
    edition = EDITIONS[directory.parent.name]
    files = files_of(directory)
    wanted: Observation = reference.read(files, edition=edition)
    name = f"{directory.parent.name}/{directory.name}"
    if name in TORN:
        assert wanted.verdict != CLEAN
        for module in (schema, kaitai):
            with pytest.raises(SchemaError):
                module.parse(files, edition)
        return
    seen = schema.parse(files, edition)
    assert kaitai.parse(files, edition) == seen
    for member in ("verdict", "records", "state", "unanchored", "dropped"):
        assert getattr(seen, member) == getattr(wanted, member), member
    assert [(note.code, note.file, note.off) for note in seen.notes] == [
        (note.code, note.file, note.off) for note in wanted.notes
    ]
    data_files = [entry for entry in seen.files if entry.role == "data"]
    assert data_files == [entry for entry in wanted.files if entry.role == "data"]
    for file, others in PARSED[directory.parent.name][directory.name].items():
        records = [record for record in seen.records if record.at.file == file]
        assert len(records) == len(others), file
        for record, other in zip(records, others, strict=True):
            assert_same_record(record, other)
    for data in files.values():
        assert schema.build(schema.decode(data, edition), edition) == data


def crafted() -> dict[str, dict[str, bytes]]:
    """Return directory -> files of the inputs that the products were tried on, every third."""
    found: dict[str, dict[str, bytes]] = defaultdict(dict)
    with tarfile.open(REAL / "outcomes" / "inputs.tar.gz") as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None:
                directory, _, name = member.name.rpartition("/")
                found[directory][name] = content.read()
    return {name: found[name] for name in sorted(found)[::3]}


def test_schemas_take_the_clean_ones_of_the_crafted_inputs_and_no_others() -> None:
    reference = pytest.importorskip("journalspec_reference.jboss_journal").IMPLEMENTATION
    dialects = {"s0": ["seed"], "s1": ["s1"], "v2": ["v2", "v2e"]}
    clean = 0
    for directory, files in crafted().items():
        [dialect] = [part for part in directory.split("/") if part in dialects]
        for edition in dialects[dialect]:
            wanted: Observation = reference.read(files, edition=edition)
            for module in (schema, kaitai):
                if wanted.verdict != CLEAN:
                    with pytest.raises(SchemaError):
                        module.parse(files, edition)
                    continue
                seen = module.parse(files, edition)
                for member in ("records", "state", "unanchored"):
                    assert getattr(seen, member) == getattr(wanted, member), f"{directory} {edition} {member}"
                clean += 1
    assert clean > 600


def arguments(text: str, edition: str) -> tuple[str, dict[str, Any]]:
    """Return (type, fields) from a golden record's description, such as ``add id1 ut7 aabb``."""
    word, *parts = text.split()
    kinds = {"addtx": "ADD_TX", "updatetx": "UPDATE_TX", "deletetx": "DELETE_TX"}
    kind = kinds.get(word, word.upper())
    fields: dict[str, Any] = {}
    for part in parts:
        if match := re.fullmatch(r"(id|tx|ut)(\d+)", part):
            fields[{"ut": "user_type"}.get(match[1], match[1])] = int(match[2])
        elif part not in ("body", "extra"):
            fields["extra" if kind == "PREPARE" else "body"] = bytes.fromhex(part)
    return kind, fields


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_sequences_are_built_and_read_byte_for_byte(name: str) -> None:
    reference = pytest.importorskip("journalspec_reference.jboss_journal").IMPLEMENTATION
    golden = json.loads((REAL / "golden.json").read_text(encoding="utf-8"))[name]
    edition = GOLDEN[name]
    header = LAYOUT.build("header", edition, file_id=1)
    assert header.hex() == golden["header_hex"]
    built, wanted = [], []
    counts: dict[int, int] = {}
    for record in golden["records"]:
        kind, fields = arguments(record["what"], edition)
        if kind.endswith("_TX"):
            counts[fields["tx"]] = counts.get(fields["tx"], 0) + 1
        if kind in ("COMMIT", "PREPARE"):
            number = counts[fields["tx"]]
            listed = "pairs" in LAYOUT.structure("record", edition, kind).names
            fields |= {"pairs": [{"file_id": 1, "count": number}]} if listed else {"count": number}
        data = LAYOUT.build("record", edition, kind, file_id=1, **fields)
        assert data.hex() == record["hex"], record["what"]
        built.append(data)
        wanted.append((kind, record["offset"], fields))
    data = laid([header, *built], golden["file_size"], golden["fill_byte"])
    files = {"data-1.amq": data}
    seen = schema.parse(files, edition)
    assert kaitai.parse(files, edition) == seen
    assert reference.read(files, edition=edition).records == seen.records
    assert len(kaitai.CODEC.whole(data, edition).slots[:-1]) == len(wanted)
    for found, (kind, off, fields) in zip(seen.records, wanted, strict=True):
        assert (found.type, found.at.off) == (kind, off)
        assert fields.items() <= dict(found.fields).items()
