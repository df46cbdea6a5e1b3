"""The page that reads a file: results of its worker in Node, without a browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zlib
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from journalspec.formats import format_module
from journalspec.layout import Layout
from journalspec.observation import Observation
from journalspec.schemas import described
from journalspec_corpus import load_cases
from journalspec_reference import load
from looked import Looked, directories

pytestmark = pytest.mark.node
TOOL = Path(__file__).parent / "try_reader.mjs"
#: One in this many captured directories is read, because directories of one kind are alike.
EVERY = 3
#: The number of records that the page lists.
ROWS = 2000


def layout_of(format_id: str) -> Layout:
    layout: Layout = format_module("journalspec", format_id).LAYOUT
    return layout


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from journalspec_docs.try_page import parser_table

    path = tmp_path_factory.mktemp("page") / "formats.json"
    path.write_text(json.dumps([parser_table(name) for name in described()]), encoding="utf-8")
    return path


def seen(table: Path, files: list[Path], asked: str = "") -> list[dict[str, Any]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js: node is not on the PATH")
    command = [node, str(TOOL), str(table), asked, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("format_id", described())
def test_files_are_read_as_the_reference_reads_them(format_id: str, table: Path, tmp_path: Path) -> None:
    """The test compares offsets, lengths and types of records up to the first gap, and all common numbers.

    The page reports damage where the reference drops something, and nowhere else.
    """
    layout = layout_of(format_id)
    total = 0
    asked: dict[str, list[tuple[Looked, str]]] = {}
    reads: dict[Path, Observation] = {}
    for looked in islice(directories(format_id, tmp_path), 0, None, EVERY):
        files = {each: (looked.directory / each).read_bytes() for each in looked.names}
        reads[looked.directory] = load(format_id).read(files, edition=looked.edition)
        asked.setdefault(looked.edition, []).extend((looked, name) for name in looked.names)
    for edition, several in asked.items():
        answers = seen(table, [each.directory / name for each, name in several], f"{format_id} {edition}")
        for (looked, name), found in zip(several, answers, strict=True):
            read = reads[looked.directory]
            roles = {entry.file: entry.role for entry in read.files}
            # The content of a control file is not a record of the schema, and a file without a role is not a
            # journal.
            if roles.get(name, "control") == "control":
                continue
            where = f"{looked.directory}/{name}"
            dropped = [region for region in read.dropped if region.file == name]
            places = [part["off"] for part in found["damage"]]
            assert all(any(part.off <= off < part.end for part in dropped) for off in places), where
            wanted = {record.at.off: record for record in read.records if record.at.file == name}
            items = [item for item in found["records"] if item["off"] not in places]
            assert [item["off"] for item in items] == [*wanted][: len(items)], where
            if not dropped and found["count"] <= ROWS:
                assert len(items) == len(wanted), where
            for item in items:
                record = wanted[item["off"]]
                assert item["len"] == record.at.length, where
                # The type is empty if neither the schema of the record nor that of its content determines it.
                assert item["type"] in (record.type, "" if not layout.inner else None), where
                assert item["type"] or layout.type_field not in [field["name"] for field in item["fields"]]
                for field in item["fields"]:
                    number = record.fields.get(field["name"])
                    if field["value"] and isinstance(number, int):
                        assert field["value"] == str(int(number)), f"{where}: {field['name']}"
                        total += 1
    assert total > 0


@pytest.mark.parametrize("format_id", [name for name in described() if layout_of(name).contents])
def test_messages_have_the_fields_of_a_hexdump(format_id: str, table: Path, tmp_path: Path) -> None:
    """All fields of cases about contents are at equal places.

    List elements are numbered only here, not in hexdumps.
    """
    held = tuple({row["field"] for row in layout_of(format_id).contents})
    asked: dict[str, list[tuple[Path, set[tuple[int, int, str]]]]] = {}
    for case in load_cases(format_id):
        if ".contents." not in case.id:
            continue
        files = {name: bytes(data) for name, data in case.files().items()}
        for span in load(format_id).spans(files, edition=case.edition):
            path = tmp_path / case.id / span.file
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(files[span.file])
                asked.setdefault(case.edition, []).append((path, set()))
            name = span.path.partition(".")[2]
            if name.startswith(tuple(f"{each}." for each in held)):
                asked[case.edition][-1][1].add((span.off, span.length, name))
    total = 0
    for edition, several in asked.items():
        answers = seen(table, [path for path, _ in several], f"{format_id} {edition}")
        for (path, wanted), found in zip(several, answers, strict=True):
            named = {
                (field["off"], field["len"], re.sub(r"\[\d+\]", "", field["name"]))
                for record in found["records"]
                for field in record["fields"]
                if field["name"].startswith(tuple(f"{each}." for each in held))
            }
            end = found["records"][-1]["off"] + found["records"][-1]["len"]
            assert named == {part for part in wanted if part[0] < end}, path
            total += len(named)
    assert total > 500


@pytest.mark.parametrize("name", ["noise", "log1.dat", "db-1.log", "btm1.tlog", "x-1.hq", "transaction.log"])
def test_garbage_is_not_recognised_as_a_format_whatever_its_name(
    name: str, table: Path, tmp_path: Path
) -> None:
    noise = b"".join(zlib.crc32(bytes([turn % 256, turn // 256])).to_bytes(4) for turn in range(20000))
    for number, data in enumerate((noise, bytes(range(256)) * 40, b"text\n" * 4000, b"\xff" * 5000)):
        path = tmp_path / str(number) / name
        path.parent.mkdir()
        path.write_bytes(data)
    files = sorted(tmp_path.rglob(name))
    assert [found.get("format") for found in seen(table, files)] == [None] * len(files)


def batch(payload: bytes) -> bytes:
    """Return a batch of KahaDB with one record."""
    record = (5 + len(payload)).to_bytes(4) + b"\1" + payload
    control = b"\0\0\0\x1c\2WRITE BATCH" + len(record).to_bytes(4)
    return control + zlib.adler32(record).to_bytes(8) + record


MARKER = b"-qMa4"
TRACE = b"\0\3\x0a\1a"


@pytest.mark.parametrize(
    ("data", "damage"),
    [
        (batch(TRACE) * 3 + MARKER, []),
        (batch(TRACE) * 3 + bytes(900), []),
        (batch(TRACE) * 3 + MARKER + b"old", []),
        (batch(TRACE) + batch(TRACE)[:-1] + b"b" + batch(TRACE) + MARKER, [38]),
        (batch(TRACE) + batch(TRACE)[:20], [38]),
        (batch(TRACE) * 2 + b"\0\0\0\x1c\2WRITE BITCH" + batch(TRACE)[16:], [76]),
        (batch(TRACE) * 2 + b"garbage" * 9, [76]),
    ],
)
def test_damage_is_reported_with_its_offset(
    data: bytes, damage: list[int], table: Path, tmp_path: Path
) -> None:
    path = tmp_path / "db-1.log"
    path.write_bytes(data)
    (found,) = seen(table, [path])
    assert found["format"] == "kahadb_journal"
    assert [part["off"] for part in found["damage"]] == damage


def test_large_file_is_read_in_pieces_with_bounded_memory(table: Path, tmp_path: Path) -> None:
    """Of 300,000 records, a few are listed. Progress is reported."""
    path = tmp_path / "hornetq-data-1.hq"
    record = bytes([16, 0, 0, 0, 1, 0]) + bytes(8) + b"\0\0\0\x12"
    path.write_bytes(b"\0\0\0\2" + bytes(4) + bytes(7) + b"\1" + record * 300_000)
    (found,) = seen(table, [path])
    assert (found["count"], len(found["records"])) == (300_000, ROWS)
    assert found["steps"] == 60
    assert found["memory"] < 250 << 20


def test_record_with_an_extremely_long_list_is_not_listed_in_full(table: Path, tmp_path: Path) -> None:
    """One record of Bitronix has a million names: there is no overflow and no damage, and memory stays below
    1 GB.
    """
    names = 1_000_000
    payload = b"\3abc" + names.to_bytes(4) + b"\0\1a" * names
    record = b"\0\0\0\x08" + (24 + len(payload)).to_bytes(4) + b"\0\0\0\x1c" + bytes(16) + payload + b"xntB"
    path = tmp_path / "btm1.tlog"
    path.write_bytes(b"Btnx" + bytes(8) + b"\xff" + (21 + len(record)).to_bytes(8) + record)
    (found,) = seen(table, [path])
    assert found["isLong"]
    assert found["damage"] == []
    assert found["memory"] < 400 << 20
