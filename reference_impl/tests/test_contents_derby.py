"""Contents of Derby logs: tables and rows equal the results of SQL, on undamaged and on damaged databases."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import struct
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from journalspec.contents import Column, described
from journalspec.derby_log.operations import body
from journalspec.layout import joined
from journalspec_reference.answers import ask
from journalspec_reference.contents import Contents, contents
from journalspec_reference.derby_log.containers import Fault, Heap
from journalspec_reference.derby_log.contents import booted as booted_module
from journalspec_reference.derby_log.contents import values
from journalspec_reference.derby_log.contents.booted import Booted, Images
from journalspec_reference.derby_log.contents.cipher import PASSWORD, Cipher, NotReadable
from journalspec_reference.derby_log.fileset import body_at
from journalspec_reference.derby_log.heap import HeapPage, HeapRow, Pointer
from journalspec_reference.filesets import find_journals, load
from tables import literals
from unpacked import unpacked

ROWS = literals(__file__)

DATA = Path(__file__).resolve().parent / "data"


def opened(directory: Path) -> Contents:
    (journal,) = find_journals(load(directory / "log"), "derby_log")
    found = contents(ask(journal, "default"))
    assert found is not None
    return found


def as_told(value: Any, column: Column) -> str | None:
    """Return a value in the form of `expected.json`."""
    if value is None:
        return None
    if isinstance(value, float):
        return struct.pack(">f" if column.doc.startswith("REAL") else ">d", value).hex()
    text = value.hex() if isinstance(value, bytes) else str(value)
    text = text.lower() if isinstance(value, bool) else text
    return text if len(text) <= 160 else f"sha256:{hashlib.sha256(text.encode()).hexdigest()}:{len(text)}"


def rows_told(found: Contents, title: str) -> list[list[str | None]]:
    columns = found.tables[title].columns
    return [[as_told(row[column.name], column) for column in columns] for row in found.rows(title)]


def agree(found: Contents, expected: Mapping[str, Any], without: set[str]) -> None:
    """Compare all tables with the results of SQL: columns, rows, and their number."""
    listed = {".".join((str(row["schema"]), str(row["table"]))): row for row in found.rows("tables")}
    assert listed.keys() >= expected.keys()
    for title, table in expected.items():
        if title in without:
            continue
        mine = rows_told(found, title)
        assert len(mine) == listed[title]["rows"] == table["count"], title
        if not table.get("system"):
            assert [column.name for column in found.tables[title].columns] == [
                name for name, _ in table["columns"]
            ]
            assert sorted(map(str, mine)) == sorted(map(str, table["rows"])), title
    counted = {count.name: count.rows for count in found.counts()}
    assert counted == {title: table["count"] for title, table in expected.items() if not table.get("system")}


@pytest.fixture(name="small", scope="module")
def small_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of Derby 10.14 after a kill; it has no indexes, and lacks most system tables."""
    return unpacked(DATA / "derby_contents.tar.gz", tmp_path_factory.mktemp("small"))


def test_contents_of_the_stored_database_equal_the_results_of_sql(small: Path) -> None:
    """The database has all types, a table made after the checkpoint, an added column, divided rows, an open
    transaction.
    """
    found = opened(small)
    agree(found, json.loads((DATA / "derby_contents.json").read_bytes()), set())
    types = {
        column.name: (column.kind, column.doc, column.body) for column in found.tables["APP.ALLT"].columns
    }
    assert types["I"] == ("int", "INTEGER NOT NULL", True)
    assert types["D"] == ("str", "DECIMAL(12,3)", True)
    assert types["CB"] == ("bytes", "CHAR (6) FOR BIT DATA", True)
    assert types["P"] == ("str", '"APP"."POINT"', True)
    assert {remark.code for remark in found.remarks.kept} == {"no-container"}
    assert [*found.rows("in_doubt")] == []
    with pytest.raises(KeyError):
        found.rows("APP.DROPPED")


def test_all_remarks_are_described() -> None:
    """The test searches the sources: most codes have no case, and a code without a description ends a
    redacted report.
    """
    known = described("derby_log")
    assert known is not None
    place = Path(values.__file__).parent
    sources = [*place.glob("*.py"), *(place.parent / name for name in ("containers.py", "repairs.py"))]
    begin = r"(?:(?:Fault|NotReadable|_add)\(\s*|Repair\([\w.]+, |Remark\((?:[\w.]+, ){4})"
    found = {code for path in sources for code in re.findall(rf'{begin}"([a-z-]+)"', path.read_text("utf-8"))}
    assert found == known.remarks.keys()


# The results of SQL for the same values: see shared/research/derby_pages.md, 2.3.
@pytest.mark.parametrize(("kind", "stored", "value"), ROWS["a_value_is_as_sql_has_it"])
def test_value_equals_the_result_of_sql(kind: int, stored: str, value: Any) -> None:
    assert values.TYPES[kind].decode(bytes.fromhex(stored)) == value


SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "contents" / "derby_log"
ENCRYPTED = SHARED / "enc2-aes-10.8.3.0"
shared = pytest.mark.skipif(not ENCRYPTED.is_dir(), reason="needs the stores beside the checkout (../shared)")
#: Tables whose containers the encrypted database lacks, because they were too large.
LEFT_OUT = {"SYS.SYSALIASES", "SYS.SYSROUTINEPERMS", "SYS.SYSSTATEMENTS", "SYSIBM.SYSDUMMY1"}


@shared
def test_contents_of_an_encrypted_database_equal_the_results_of_sql(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = json.loads((ENCRYPTED / "expected.json").read_bytes())
    monkeypatch.setenv(PASSWORD, expected["bootPassword"])
    agree(opened(unpacked(ENCRYPTED / "db.tar.gz", tmp_path)), expected["tables"], LEFT_OUT)


@shared
@pytest.mark.parametrize(("password", "code"), [("", "no-password"), ("not the right one", "wrong-password")])
def test_encrypted_database_needs_its_password(
    password: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD, password)
    found = opened(unpacked(ENCRYPTED / "db.tar.gz", tmp_path))
    assert [remark.code for remark in found.remarks.kept] == [code]
    assert [*found.rows("tables")] == []


# The properties that Derby stored for one boot password, and the first record of each log (a checksum
# record).
KEYS = dict(ROWS["KEYS"])


def properties_of(name: str) -> dict[str, str]:
    algorithm, length, stored, _ = KEYS[name]
    return {
        "encryptionAlgorithm": f"{algorithm}/NoPadding",
        "encryptionKeyLength": length,
        "encryptedBootPassword": stored,
    }


@pytest.mark.parametrize("name", KEYS)
def test_boot_password_gives_the_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "clo760uds2caPe")
    clear = Cipher(properties_of(name)).body(bytes.fromhex(KEYS[name][3]))
    assert clear.startswith(bytes.fromhex("008149000000"))
    monkeypatch.setenv(PASSWORD, "another one")
    with pytest.raises(NotReadable, match="XBM06"):
        Cipher(properties_of(name))


def test_undecryptable_data_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "a password")
    for changed, why in (
        ({"encryptionAlgorithm": "Blowfish/CBC/NoPadding"}, "cannot decrypt BLOWFISH"),
        ({"encryptedBootPassword": ""}, "a key of its own"),
        ({"encryptedBootPassword": "xyz-1"}, "gives no key"),
        ({"encryptedBootPassword": "00-1", "encryptionAlgorithm": "DES/CBC/NoPadding"}, "gives no key"),
        ({"encryptionAlgorithm": "AES"}, "XBM06"),
    ):
        with pytest.raises(NotReadable, match=why):
            Cipher({**properties_of("AES-128"), **changed})
    monkeypatch.setenv(PASSWORD, "one that was not tried yet")
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    with pytest.raises(NotReadable, match=r"journalspec\[encrypted\]"):
        Cipher(properties_of("AES-128"))


def all_pages(directory: Path) -> list[bytes]:
    found = []
    for path in sorted((directory / "seg0").glob("c*.dat")):
        heap = Heap(int(path.stem[1:], 16), path.name, path.read_bytes(), None)
        for number in heap.numbers:
            data = heap.page(number)
            if data[:2] == b"\0\x75" and data[5] == 1:
                found.append(data)
    return found


# Hostile bytes.


def page(rows: list[bytes], *, overflow: bool = False, size: int = 4096) -> bytes:
    """Return a page of rows with its checksum."""
    data = bytearray(size)
    struct.pack_into(">HxxBBqHi", data, 0, 117, overflow, 1, 2, len(rows), 6 + len(rows))
    at = 60
    for number, row in enumerate(rows):
        data[at : at + len(row)] = row
        struct.pack_into(">HHH", data, size - 8 - 6 * (number + 1), at, len(row), 0)
        at += len(row)
    struct.pack_into(">q", data, size - 8, zlib.crc32(data[:-8]))
    return bytes(data)


def container(
    pages: list[bytes], number: int = 0x470, columns: tuple[int, ...] = (85,), size: int = 4096
) -> bytes:
    """Return a heap container: a page that describes it, then these pages."""
    info = struct.pack(">iiiiihhqqqqqq", 116, 0, size, 20, 12, 1, 8, 0, 0, 0, 0, 0, 0)
    first = bytearray(size)
    struct.pack_into(">HxxBBq", first, 0, 118, 0, 1, 1)
    struct.pack_into(">qq32xB", first, 60, -1, 0, 80)
    struct.pack_into(">qqqi", first, 189, size, 1, 10216, len(pages))
    struct.pack_into(">q", first, size - 8, zlib.crc32(first[:-8]))
    first[109:189] = info + struct.pack(">q", zlib.crc32(info))
    return bytes(first) + b"".join(pages)


def head(number: int = 0x470, columns: tuple[int, ...] = (85,)) -> bytes:
    described = struct.pack(f">Hiqi{len(columns)}H", 467, 0, number, len(columns), *columns) + b"\0"
    return b"\4\6\0\1\0" + bytes([len(described)]) + described


def state_of(data: bytes) -> tuple[Booted, list[Fault]]:
    told: list[Fault] = []
    return Booted({0x470: ("seg0/c470.dat", data)}, None, lambda _, fault, __: told.append(fault)), told


def field(data: bytes, status: int = 0) -> bytes:
    size = bytes([len(data)]) if len(data) < 64 else struct.pack(">H", 0x4000 | len(data))
    return bytes([status]) + size + data


def row_of(ident: int, text: str, status: int = 0) -> bytes:
    return bytes([status, ident, 1]) + field(len(text).to_bytes(2, "big") + text.encode())


def log_of(*records: dict[str, Any]) -> bytes:
    """Return a log file with records of transaction 1. If no group is given for a record, the record changes
    page 1 of c470.
    """
    data, version = struct.pack(">iiqq", 128, 9, 1, 0), 2
    for record in records:
        at: dict[str, Any] = {}
        if "group" not in record:
            at = {"container": 0x470, "page": 1, "page_version": version}
            version += len(record.get("rows", "1"))
        text = joined(body({"group": 0x180, "transaction": 1, **at, **record}))
        data += struct.pack(">iq", len(text), 1 << 32 | len(data)) + text + struct.pack(">i", len(text))
    return data


BEGIN = {"operation": "BEGIN", "group": 0x101}
COMMITTED = {"operation": "END", "group": 0x112, "status": 4}


def texts(booted: Booted) -> dict[int, str]:
    return {int(key.partition(",")[2]): values.text(row[0]) for key, row in booted.rows(0x470)}


def test_page_after_a_truncation_is_used_only_if_the_log_creates_it_again() -> None:
    """If the log removes page 2 and makes it again, the newer page in the file stays."""
    there = container([page([head()]), page([row_of(6, "new")])])
    cut = {"operation": "COMPRESS_SPACE", "group": 0x180, "container": 0x470, "page": 0, "page_version": 1}
    cut |= {"highest_page": 1, "pages_truncated": 1}
    made = {"operation": "INIT_PAGE", "group": 0x180, "container": 0x470, "page": 2, "page_version": 0}
    made |= {"next_record_id": 6, "page_offset": 8192, "page_format": 117}
    found = []
    for records in ((cut,), (cut, made)):
        booted, told = state_of(there)
        booted.replay({"log1.dat": log_of(BEGIN, *records, COMMITTED)}, "10.8")
        assert not told
        found.append([*texts(booted).values()])
    assert found == [[], ["new"]]


@pytest.mark.parametrize("name", ["COMPRESS_SPACE", "COMPRESS_SPACE_10_2"])
def test_truncation_can_remove_the_page_of_its_own_record(name: str) -> None:
    booted, told = state_of(container([page([head()]), page([row_of(6, "old")])]))
    cut = {"operation": name, "group": 0x180, "container": 0x470, "page": 2, "page_version": 2}
    cut |= {"highest_page": 1, "pages_truncated": 1}
    booted.replay({"log1.dat": log_of(BEGIN, cut, COMMITTED)}, "10.8")
    assert not told
    assert texts(booted) == {}


def test_only_the_first_undo_of_a_change_changes_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log can repeat the undo of a long change. The change is looked up only once, not at each undo."""
    there, looked_up = container([page([head()]), page([row_of(6, "old")])]), []

    def counted(*given: Any) -> Any:
        looked_up.append(given[-1])
        return body_at(*given)

    monkeypatch.setattr(booted_module, "body_at", counted)
    insert = {"operation": "INSERT", "record_id": 7, "slot": 1, "data": row_of(7, "new")}
    at = 1 << 32 | len(log_of(BEGIN))
    undo = {"operation": "PHYSICAL_UNDO", "group": 0x184, "container": 0x470, "page": 1, "undone": at}
    undone = [{**undo, "page_version": version} for version in range(3, 23)]
    booted, told = state_of(there)
    booted.replay({"log1.dat": log_of(BEGIN, insert, *undone, COMMITTED)}, "10.8")
    assert not told
    assert texts(booted) == {6: "old"}
    # The rows and the versions of pages need the same record.
    assert len(looked_up) == 1


@pytest.mark.parametrize("undo", [{"group": 0x80}, {"group": 0x84, "undone": 1 << 32 | 24}])
def test_undo_of_a_container_needs_a_record_that_changed_one(undo: dict[str, Any]) -> None:
    """The undo refers to no record, or to a BEGIN."""
    booted, told = state_of(container([page([head()]), page([row_of(6, "old")])]))
    undo = {"operation": "CONTAINER_UNDO", "container": 0x470, **undo}
    booted.replay({"log1.dat": log_of(BEGIN, undo, COMMITTED)}, "10.8")
    assert not told
    assert texts(booted) == {6: "old"}


def test_record_of_a_container_is_looked_up_once_for_all_its_undos(monkeypatch: pytest.MonkeyPatch) -> None:
    there, looked_up = container([page([head()]), page([row_of(6, "old")])]), []

    def counted(*given: Any) -> Any:
        looked_up.append(given[-1])
        return body_at(*given)

    monkeypatch.setattr(booted_module, "body_at", counted)
    dropped = {"operation": "CONTAINER", "group": 0x100, "container": 0x470, "action": 4}
    at = 1 << 32 | len(log_of(BEGIN))
    undo = {"operation": "CONTAINER_UNDO", "group": 0x104, "container": 0x470, "undone": at}
    booted, told = state_of(there)
    booted.replay({"log1.dat": log_of(BEGIN, dropped, *[undo] * 20, COMMITTED)}, "10.8")
    assert not told
    assert texts(booted) == {6: "old"}
    assert len(looked_up) == 1


def test_removal_of_many_rows_does_not_search_for_each_row() -> None:
    compared = 0

    class Ident(int):
        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return int(self) == other

        __hash__ = int.__hash__

    idents, found = [*map(Ident, range(300))], HeapPage(1)
    for slot, ident in enumerate(idents):
        found.put(slot, ident, HeapRow([]))
    for ident in idents[:0:-1]:
        found.drop(ident)
    assert found.slots == [0]
    assert compared < len(idents)


def test_packed_pages_are_unpacked_unchanged() -> None:
    """The rows are of all kinds; there are more pages than are kept in memory as objects."""
    rows = {
        6: HeapRow([b"x", None, ..., Pointer(b"\0\1\6")], 2, (1 << 40, 1 << 20)),
        70000: HeapRow([], 0, (3, 9), deleted=True),
        8: HeapRow([b"y" * 5000], 0),
    }
    images = Images()
    for number in range(1, 200):
        images.put((1136, number), made := HeapPage(number, next=number, overflow=number % 2 == 0))
        for slot, (ident, row) in enumerate(rows.items()):
            made.put(slot, ident, row)
    assert sorted(images) == [(1136, number) for number in range(1, 200)]
    for number in (5, 199, 1):
        found = images.get((1136, number))
        assert found is not None
        assert (found.rows, found.slots) == (rows, [6, 70000, 8])
        assert isinstance(found.rows[6].values[3], Pointer)
        assert (found.version, found.next, found.overflow) == (number, 70001, number % 2 == 0)
    images.drop((1136, 5))
    assert images.get((1136, 5)) is None
    assert 5000 * 198 < images.size(1136) < 5200 * 198


def test_many_rows_that_share_a_long_value_take_no_more_memory_than_the_file() -> None:
    """Many rows share the parts of one value. As separate copies, 2,000 rows on 10 pages would take 80 MB."""
    parts = [
        page([b"\0\6\2" + field(bytes(3000)) + field(struct.pack(">HB", 22 + number, 6), 2)], overflow=True)
        for number in range(9)
    ]
    parts.append(page([b"\0\6\1" + field(bytes(3000))], overflow=True))
    sharing = [b"\0" + bytes([7 + number]) + b"\1" + field(b"\0\x15\6", 2) for number in range(50)]
    data = container([page([head(), *sharing]), *(page(sharing) for _ in range(19)), *parts])
    state, told = state_of(data)
    total = sum(len(row[0] or b"") for _, row in state.rows(0x470))
    assert 30_000 <= total <= 4 * len(data)
    assert {fault.code for fault in told} == {"bad-row"}


def test_value_that_is_too_long_is_reported_as_none(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(booted_module, "LONGEST", 8000)
    found = opened(small)
    assert [row["BL"] for row in found.rows("APP.ALLT")] == [None] * 3
    assert [row["CL"] is None for row in found.rows("APP.ALLT")] == [False, True, False]
    assert found.remarks.counts["long-value"] == 1


def test_damaged_pages_and_rows_are_reported_in_remarks(small: Path) -> None:
    """Bytes are changed and the checksum corrected: rows are reported or omitted, without an exception."""
    draws, pages = random.Random(46), [data for data in all_pages(small) if len(data) == 4096]
    for _ in range(500):
        damaged = bytearray(draws.choice(pages))
        for _ in range(draws.choice((1, 1, 2, 8, 50))):
            at = draws.choice(
                (draws.randrange(60, 4088), draws.randrange(3000, 4088), draws.randrange(6, 20))
            )
            damaged[at] = draws.choice((0, 1, 2, 5, 6, 0x40, 0x80, 0xFF, draws.randrange(256)))
        struct.pack_into(">q", damaged, 4088, zlib.crc32(damaged[:-8]))
        state, told = state_of(container([page([head()]), bytes(damaged)]))
        for _, row in state.rows(0x470):
            assert all(value is None or isinstance(value, bytes) for value in row)
        state.count(0x470)
        codes = {fault.code for fault in told}
        assert codes <= {"bad-row", "unknown-page", "no-page"}, codes


def test_damaged_values_are_remarks(small: Path, tmp_path: Path) -> None:
    """A value that is invalid for its type is reported as None; the other values of its row stay."""
    shutil.copytree(small, tmp_path / "db")
    path = tmp_path / "db" / "seg0" / "c490.dat"
    data = bytearray(path.read_bytes())
    at = data.index(bytes.fromhex("0304ff439eb2"))
    data[at + 1] = 200
    start = at // 4096 * 4096
    struct.pack_into(">q", data, start + 4088, zlib.crc32(data[start : start + 4088]))
    path.write_bytes(data)
    found = opened(tmp_path / "db")
    rows = [*found.rows("APP.ALLT")]
    assert [row["D"] for row in rows if row["I"] != 2].count(None) == 1
    assert all(row["N"] == "0.05" for row in rows if row["I"] != 2)
    (remark,) = (remark for remark in found.remarks.kept if remark.code == "bad-value")
    assert (remark.table, remark.key) == ("APP.ALLT", "2,6")
    # The remark contains the place of the page.
    assert (remark.file, remark.off) == ("seg0/c490.dat", start)


def test_hostile_properties_do_not_change_the_answer(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small, tmp_path / "db")
    text = "\xb2=\nSystablesIdentifier=\xb2\nderby.storage.propertiesId=" + "9" * 5000 + "\n=\n"
    (tmp_path / "db" / "service.properties").write_bytes(text.encode("latin-1"))
    assert "APP.ALLT" in opened(tmp_path / "db").tables
