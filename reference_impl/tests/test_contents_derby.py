"""Contents of Derby logs: tables and rows as SQL has them, on sound databases and on damaged ones."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import struct
import sys
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from journalspec import mutf8
from journalspec.contents import Column
from journalspec.contents import described as tables_of
from journalspec.derby_log.operations import body
from journalspec.families import ContentsError, Family, families
from journalspec.families import decode as naive
from journalspec.layout import joined
from journalspec_reference.answers import ask
from journalspec_reference.contents import Contents, contents
from journalspec_reference.derby_log.codec import BadLog
from journalspec_reference.derby_log.containers import Fault, Heap, descriptor, tally
from journalspec_reference.derby_log.contents import booted as booted_module
from journalspec_reference.derby_log.contents import values
from journalspec_reference.derby_log.contents.booted import Booted
from journalspec_reference.derby_log.contents.cipher import PASSWORD, Cipher, NotReadable
from journalspec_reference.derby_log.contents.images import Images
from journalspec_reference.derby_log.heap import HeapPage, HeapRow, Pointer, image, page_of, rows_of
from journalspec_reference.filesets import find_journals, load
from tables import literals
from unpacked import unpacked
from work import LINEAR, Counted, Task, growth

ROWS = literals(__file__)

DATA = Path(__file__).resolve().parent / "data"
SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "contents" / "derby_log"
shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="stores of the products are missing beside the checkout (../shared/contents)"
)
#: A store -> tables whose containers it does not have: the research lists them as omitted for their size.
LEFT_OUT = {
    "enc2-aes-10.8.3.0": {"SYS.SYSALIASES", "SYS.SYSROUTINEPERMS", "SYS.SYSSTATEMENTS", "SYSIBM.SYSDUMMY1"}
}
STORES = ("types-10.1.3.1", "overflow-10.8.3.0", "damages-10.16.1.1", "enc2-aes-10.8.3.0")


def opened(directory: Path) -> Contents:
    (journal,) = find_journals(load(directory / "log"), "derby_log")
    found = contents(ask(journal, "default"))
    assert found is not None
    return found


def as_told(value: Any, column: Column) -> str | None:
    """Return a value as `expected.json` has it."""
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


@shared
@pytest.mark.parametrize("store", STORES)
def test_every_table_is_as_sql_has_it(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = json.loads((SHARED / store / "expected.json").read_bytes())
    monkeypatch.setenv(PASSWORD, expected.get("bootPassword", ""))
    found = opened(unpacked(SHARED / store / "db.tar.gz", tmp_path))
    agree(found, expected["tables"], LEFT_OUT.get(store, set()))
    if store not in LEFT_OUT:
        assert not found.remarks.kept


@pytest.fixture(name="small", scope="module")
def small_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of Derby 10.14 that was killed, without most tables of the system and all indexes."""
    return unpacked(DATA / "derby_contents.tar.gz", tmp_path_factory.mktemp("small"))


def test_the_kept_database_is_as_sql_has_it(small: Path) -> None:
    """All types, a table made after the checkpoint, an added column, rows in parts, an open transaction."""
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
    known = tables_of("derby_log")
    assert known is not None
    place = Path(values.__file__).parent
    sources = [*place.glob("*.py"), *(place.parent / name for name in ("containers.py", "repairs.py"))]
    found = {
        code
        for path in sources
        for code in re.findall(
            r'(?:(?:Fault|NotReadable|_add)\(\s*|Repair\([\w.]+, |Remark\((?:[\w.]+, ){4})"([a-z-]+)"',
            path.read_text(),
        )
    }
    assert found == known.remarks.keys()


# The results of SQL for the same values: see shared/research/derby_pages.md, 2.3.
@pytest.mark.parametrize(("kind", "stored", "value"), ROWS["a_value_is_as_sql_has_it"])
def test_a_value_is_as_sql_has_it(kind: int, stored: str, value: Any) -> None:
    assert values.TYPES[kind].decode(bytes.fromhex(stored)) == value


# Damages, and Derby's message about each: `expected.json` of the store has it in full.
DAMAGES = dict(ROWS["DAMAGES"])


def damage(directory: Path, what: str, name: str, *more: Any) -> None:
    path = directory / name
    if what in ("copy", "rename"):
        shutil.copy(path, directory / more[0])
    if what in ("remove", "rename"):
        path.unlink()
    if what in ("xor", "zero", "truncate"):
        data = bytearray(path.read_bytes())
        if what == "xor":
            data[more[0]] ^= more[1]
        elif what == "zero":
            data[more[0] : more[0] + more[1]] = bytes(more[1])
        path.write_bytes(data[: more[0]] if what == "truncate" else data)


@shared
@pytest.mark.parametrize("case", DAMAGES)
def test_derby_errors_of_a_damaged_database_are_predicted(case: str, tmp_path: Path) -> None:
    """The SQLState of the boot, or of the SELECT, is reported; and where Derby shows rows, these are all."""
    known = json.loads((SHARED / "damages-10.16.1.1" / "expected.json").read_bytes())
    found = next(entry for entry in known["cases"] if entry["id"] == case)
    unpacked(SHARED / "damages-10.16.1.1" / "db.tar.gz", tmp_path)
    for step in found["damage"]:
        damage(tmp_path, *step)
    (journal,) = find_journals(load(tmp_path / "log"))
    answers = [ask(journal, policy).observation for policy in (None, "default", "strict")]
    # Derby starts, and has all rows.
    assert ("clean" in {seen.verdict for seen in answers}) is (found["derby_10.16"] == "boots KV=51 OTHER=5")
    texts = " ".join(note.text for seen in answers for note in seen.notes if note.code == "damaged-container")
    if found["derby_10.16"].startswith("boots"):
        assert "does not start" not in texts
    if re.search(r"OTHER=\d", found["derby_10.16"]):
        assert "cannot read" not in texts
    here = opened(tmp_path)
    counts = {title: len([*here.rows(title)]) for title in here.tables if title.startswith("APP.")}
    remarks = here.remarks.kept
    assert tuple(dict.fromkeys(remark.code for remark in remarks)) == DAMAGES[case]
    said = found["derby_10.16"]
    for state in set(re.findall(r"40XD2|XSDB4|XSDG[0-3]|XSDBB|XSAI2|XJ004", said)) - {"XJ040"}:
        assert any(state in remark.text for remark in remarks), state
    if said.startswith("BOOT FAILS") and case not in ("S09", "S30"):
        assert any("Derby does not start" in remark.text for remark in remarks)
    for table, count in re.findall(r"(KV|OTHER)=(\d+)", said):
        assert counts[f"APP.{table}"] == int(count)


@shared
@pytest.mark.parametrize(("password", "code"), [("", "no-password"), ("not the right one", "wrong-password")])
def test_an_encrypted_database_needs_its_password(
    password: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD, password)
    found = opened(unpacked(SHARED / "enc2-aes-10.8.3.0" / "db.tar.gz", tmp_path))
    assert [remark.code for remark in found.remarks.kept] == [code]
    assert [*found.rows("tables")] == []


# What Derby stored for one boot password, and the first record of each log: what checks those after it.
KEYS = dict(ROWS["KEYS"])


def properties_of(name: str) -> dict[str, str]:
    algorithm, length, stored, _ = KEYS[name]
    return {
        "encryptionAlgorithm": f"{algorithm}/NoPadding",
        "encryptionKeyLength": length,
        "encryptedBootPassword": stored,
    }


@pytest.mark.parametrize("name", KEYS)
def test_a_boot_password_gives_the_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "clo760uds2caPe")
    clear = Cipher(properties_of(name)).body(bytes.fromhex(KEYS[name][3]))
    assert clear.startswith(bytes.fromhex("008149000000"))
    monkeypatch.setenv(PASSWORD, "another one")
    with pytest.raises(NotReadable, match="XBM06"):
        Cipher(properties_of(name))


def test_undecryptable_data_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "a password")
    for changed, why in (
        ({"encryptionAlgorithm": "Blowfish/CBC/NoPadding"}, "decrypts BLOWFISH"),
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


# Tables against the hand-written decoders.


def as_row(told: Mapping[str, Any]) -> tuple[int, HeapRow]:
    """Return what the naive decoder says of a row as the hand-written one has it."""
    columns = told["columns"].get("columns", {}) if "number" not in told["columns"] else told["columns"]
    fields: list[Any] = []
    for field in columns.get("fields", ()):
        status, content = field["status"], field.get("content")
        data = content["data"] if isinstance(content, Mapping) and "data" in content else None
        if data is None:
            fields.append(... if status & 5 == 5 else None)
        else:
            fields.append(Pointer(data) if status & 2 else data)
    rest = told.get("rest")
    place = None if rest is None else (rest["page"], rest["record_id"])
    return told["record_id"], HeapRow(fields, told.get("first", 0), place, bool(told["status"] & 1))


def same_row(data: bytes, family: Family) -> bool:
    """Hold a row against its table; return whether it is one."""
    try:
        expected = as_row(naive(family, "row", data))
    except ContentsError:
        return False
    ident, row, end = image(data)
    assert (ident, row) == expected
    assert [type(value) for value in row.values] == [type(value) for value in expected[1].values]
    assert end == len(data)
    return True


def all_pages(directory: Path) -> list[bytes]:
    found = []
    for path in sorted((directory / "seg0").glob("c*.dat")):
        heap = Heap(int(path.stem[1:], 16), path.name, path.read_bytes(), None)
        for number in heap.numbers:
            data = heap.page(number)
            if data[:2] == b"\0\x75" and data[5] == 1:
                found.append(data)
    return found


def same_pages(directory: Path) -> tuple[int, int]:
    """Hold all pages of rows of a database against their tables; return how many rows and heaps these are."""
    known = families("derby_log")
    rows, heaps = 0, 0
    for data in all_pages(directory):
        head = naive(known["page"], "page", data)["header"]
        assert head["slots"] == len([*rows_of(data)]) == len(page_of(data).slots)
        for number in range(head["slots"]):
            place = len(data) - 8 - 6 * (number + 1)
            slot = naive(known["page"], "slot", data[place : place + 6])
            stored = data[slot["row_offset"] : slot["row_offset"] + slot["length"]]
            assert same_row(stored, known["row"]), stored.hex()
            rows += 1
        first = next((row for _, _, row in rows_of(data)), None)
        if first is not None and (said := descriptor(first)) is not None:
            told = naive(known["sql"], "heap_descriptor", first.values[0])
            assert (told["container"], tuple(told["columns"])) == said
            heaps += 1
    return rows, heaps


def test_rows_are_what_their_tables_say(small: Path) -> None:
    rows, heaps = same_pages(small)
    assert rows > 300
    assert heaps > 7


@shared
@pytest.mark.parametrize("store", [store for store in STORES if store not in LEFT_OUT])
def test_rows_of_products_are_what_their_tables_say(store: str, tmp_path: Path) -> None:
    rows, heaps = same_pages(unpacked(SHARED / store / "db.tar.gz", tmp_path))
    assert rows > 500
    assert heaps > 20


def same_containers(directory: Path) -> int:
    """Hold first pages and the types of columns against their tables; return how many types there are."""
    known, types = families("derby_log"), 0
    for path in sorted((directory / "seg0").glob("c*.dat")):
        heap = Heap(int(path.stem[1:], 16), path.name, path.read_bytes(), None)
        first = naive(known["page"], "allocation_page", heap.page(0))
        info = naive(known["page"], "container_info", first["info"])
        assert (info["format"], info["page_size"], info["status"] & 2) == (116, heap.size, 2 * heap.removed)
        assert info["checksum"] == zlib.crc32(first["info"][:72])
        assert first["extent"]["first_page"] + first["extent"]["pages"] <= heap.count
        assert not [*heap.check()]
    booted = Booted({0x90: ("c90.dat", (directory / "seg0" / "c90.dat").read_bytes())}, None, lambda *_: None)
    for _, fields in booted.rows(0x90):
        if int.from_bytes(fields[3][2:4], "big") == 264:
            continue  # the table keeps the names of objects as bytes
        told, found = naive(known["sql"], "type_descriptor", fields[3]), values.described(fields[3])
        numbers = told["declared"]
        assert found[:2] == (told["kind"], told["name"]["value"])
        assert found[2:] == (numbers["precision"], numbers["scale"], numbers["nullable"], numbers["width"])
        types += 1
    return types


@shared
@pytest.mark.parametrize("store", [store for store in STORES if store not in LEFT_OUT])
def test_containers_of_products_are_what_their_tables_say(store: str, tmp_path: Path) -> None:
    assert same_containers(unpacked(SHARED / store / "db.tar.gz", tmp_path)) > 100


def test_containers_are_what_their_tables_say(small: Path) -> None:
    assert same_containers(small) > 100


def test_damaged_rows_are_what_their_table_says(small: Path) -> None:
    """Rows with changed bytes, as far as they are rows."""
    draws, known, good = random.Random(46), families("derby_log")["row"], 0
    pages = all_pages(small)
    for _ in range(3000):
        data = draws.choice(pages)
        count = int.from_bytes(data[14:16], "big")
        if not count:
            continue
        place = len(data) - 8 - 6 * draws.randrange(1, count + 1)
        offset, length, _ = struct.unpack_from(">HHH", data, place)
        row = bytearray(data[offset : offset + length])
        row[draws.randrange(min(12, length))] = draws.choice(
            (0, 1, 2, 4, 5, 6, 7, 0x20, 0x40, draws.randrange(256))
        )
        good += same_row(bytes(row), known)
    assert good > 500


def as_value(kind: int, told: Mapping[str, Any]) -> Any:
    """Return what the naive decoder says of a value as SQL has it."""
    if kind in (17, 25, 231):
        rest = told.get("unmeasured", b"").partition(b"\xe0\0\0")[0]
        return told["value"] if "value" in told else mutf8.readable(rest)
    if kind == 446:
        return mutf8.readable(told["value"].partition(b"\xe0\0\0")[0])
    if kind == 198:
        number = int.from_bytes(told["unscaled"], "big", signed=True)
        digits = f"{abs(number):0{told['scale'] + 1}}"
        point = len(digits) - told["scale"]
        return ("-" if number < 0 else "") + digits[:point] + ("." + digits[point:] if told["scale"] else "")
    clock = "{hour:02}:{minute:02}:{second:02}"
    form = {32: "{year:04}-{month:02}-{day:02}", 33: clock}.get(kind)
    return told["value"] if form is None else form.format(**told)


def test_values_are_what_their_tables_say() -> None:
    """Random bytes of each type, decoded both ways."""
    family, draws = families("derby_log")["sql"], random.Random(46)
    shapes = {
        17: "characters", 446: "clob", 198: "decimal", 32: "day", 33: "time_of_day", 19: "whole",
        23: "bigint", 22: "smallint", 196: "tinyint", 16: "truth", 20: "real", 18: "double_precision",
    }  # fmt: skip
    sizes = {32: 4, 33: 8, 19: 4, 23: 8, 22: 2, 196: 1, 16: 1, 20: 4, 18: 8}
    for kind, shape in shapes.items():
        good = 0
        for _ in range(300):
            size = draws.randrange(12)
            data = draws.randbytes(sizes.get(kind, size))
            if kind == 446:
                data = data[:2] + b"\xf0" + data[2:4] + b"ab" * size
            elif kind == 17:
                data = draws.choice((b"\0\0", size.to_bytes(2, "big"))) + data
            elif kind == 198:
                data = bytes([draws.randrange(32), size]) + draws.randbytes(size)
            try:
                told = naive(family, shape, data)
            except ContentsError:
                continue
            found, expected = values.TYPES[kind].decode(data), as_value(kind, told)
            assert found == expected or (found != found and expected != expected), data.hex()  # noqa: PLR0124
            good += 1
        assert good > 20, shape


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
    """Return a heap of these pages, after a first row that describes it."""
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


# Redo and undo, operation by operation.

TEXTS = {8: "a", 9: "b", 10: "c"}


def row_of(ident: int, text: str, status: int = 0) -> bytes:
    return bytes([status, ident, 1]) + field(len(text).to_bytes(2, "big") + text.encode())


def logged_row(ident: int, text: str | None) -> bytes:
    """Return a row as the log has it; without a text, its column is not changed."""
    if text is None:
        return bytes([0, ident, 1, 0x25])
    return bytes([0, ident, 1, 0x20]) + struct.pack(">HH", len(text) + 2, len(text)) + text.encode()


def log_of(*records: dict[str, Any]) -> bytes:
    """Return a log file of records of transaction 1; those without a group change page 1 of c470."""
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
BRANCH = {"format_id": 1, "gtrid": b"g", "bqual": b"q"}
ENDS = dict(ROWS["ENDS"])
CHANGES: Mapping[str, tuple[dict[str, Any], dict[int, str]]] = {
    "INSERT": (
        {"record_id": 11, "slot": 4, "insert_flags": 1, "data": logged_row(11, "new")}, {**TEXTS, 11: "new"},
    ),
    "INSERT with purge": (
        {"record_id": 11, "slot": 1, "insert_flags": 2, "data": logged_row(11, "new")}, {**TEXTS, 11: "new"},
    ),
    "DELETE": ({"record_id": 9, "slot": 2, "deleted": 1}, {8: "a", 10: "c"}),
    "UPDATE": (
        {"record_id": 9, "slot": 2, "data": logged_row(9, "longer") + row_of(9, "b")}, {**TEXTS, 9: "longer"},
    ),
    "UPDATE that changes nothing": (
        {"record_id": 9, "slot": 2, "data": logged_row(9, None) + bytes([0, 9, 1, 5])}, TEXTS,
    ),
    "UPDATE_FIELD": (
        {"record_id": 9, "slot": 2, "column": 0, "data": logged_row(9, "field")[3:] + row_of(9, "b")[3:]},
        {**TEXTS, 9: "field"},
    ),
    "PURGE": (
        {"slot": 1, "rows": [{"record_id": 8}, {"record_id": 9}], "data": row_of(8, "a") + row_of(9, "b")},
        {10: "c"},
    ),
    "COPY_ROWS": (
        {
            "slot": 1, "rows": [{"record_id": 12, "reserved": 0}, {"record_id": 13, "reserved": 0}],
            "data": logged_row(12, "x") + logged_row(13, "y"),
        },
        {**TEXTS, 12: "x", 13: "y"},
    ),
    "SET_RESERVED_SPACE": ({"record_id": 9, "slot": 2, "new_reserved": 3, "old_reserved": 0}, TEXTS),
}  # fmt: skip


def replayed(log: bytes) -> tuple[Booted, list[Fault], list[int]]:
    rows = [row_of(ident, text) for ident, text in TEXTS.items()]
    booted, told = state_of(container([page([head(), *rows])]))
    return booted, told, booted.replay({"log1.dat": log}, "10.0").branches()


def texts(booted: Booted) -> dict[int, str]:
    return {int(key.partition(",")[2]): values.text(row[0]) for key, row in booted.rows(0x470)}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("end", ["committed", "prepared", "open", "rolled back"])
def test_a_change_is_redone_and_undone(change: str, end: str) -> None:
    """Committed changes are done; open ones and those in doubt are undone, and compensated ones, too."""
    record, after = CHANGES[change]
    operation = change.partition(" ")[0]
    done = {"operation": operation, **record}
    first = log_of(BEGIN)
    more: list[dict[str, Any]] = [ENDS[end]] if end in ENDS else []
    if end == "rolled back":
        kind = "LOGICAL_UNDO" if operation in ("INSERT", "DELETE", "UPDATE_FIELD") else "PHYSICAL_UNDO"
        again = {"record_id": record["record_id"]} if kind == "LOGICAL_UNDO" else {}
        version = 2 + len(record.get("rows", "1"))
        where = {"container": 0x470, "page": 1, "page_version": version, "undone": 1 << 32 | len(first)}
        more = [{"operation": kind, "group": 0x184, **where, **again}, {**ENDS["committed"], "group": 0x122}]
    booted, told, branches = replayed(log_of(BEGIN, done, *more))
    assert not told
    assert texts(booted) == (after if end == "committed" else TEXTS)
    assert branches == ([1] if end == "prepared" else [])
    assert booted.count(0x470)[0] == len(texts(booted))


def test_pages_that_are_packed_are_the_same_again() -> None:
    """Rows of all kinds on more pages than are kept as objects."""
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


def test_pages_after_a_cut_count_once_they_are_made_again() -> None:
    """Page 2 is cut off and made again: what the file has of it is newer than that, and stays."""
    there = container([page([head()]), page([row_of(6, "new")])])
    cut = {"operation": "COMPRESS_SPACE", "group": 0x180, "container": 0x470, "page": 0, "page_version": 1}
    cut |= {"highest_page": 1, "pages_truncated": 1}
    made = {"operation": "INIT_PAGE", "group": 0x180, "container": 0x470, "page": 2, "page_version": 0}
    made |= {"next_record_id": 6, "page_offset": 8192, "page_format": 117}
    found = []
    for records in ((cut,), (cut, made)):
        booted, told = state_of(there)
        booted.replay({"log1.dat": log_of(BEGIN, *records, ENDS["committed"])}, "10.8")
        assert not told
        found.append([*texts(booted).values()])
    assert found == [[], ["new"]]


def test_a_page_that_the_log_does_not_fit_to_stays_as_it_is() -> None:
    record = {"operation": "DELETE", "record_id": 9, "slot": 2, "deleted": 1}
    older = {**record, "group": 0x180, "container": 0x470, "page": 1, "page_version": 7}
    booted, told, _ = replayed(log_of(BEGIN, older, ENDS["committed"]))
    assert [(fault.code, fault.state) for fault in told] == [("old-page", "XSDB4")]
    assert texts(booted) == TEXTS
    booted, told, _ = replayed(log_of(BEGIN, {**older, "page_version": 1}, ENDS["committed"]))
    assert (told, texts(booted)) == ([], TEXTS)
    booted, told, _ = replayed(log_of(BEGIN, {**record, "record_id": 70}, ENDS["committed"]))
    assert [fault.code for fault in told] == ["lost-row"]


LOOPS: Mapping[str, Callable[[], list[bytes]]] = {
    "a row that goes on in itself": lambda: [b"\6\x0a\0\1\x0a\0\0"],
    "a long value that goes on in itself": lambda: [b"\0\x0a\2" + field(b"xx") + field(b"\0\1\x0a", 2)],
    "a long value that is nowhere": lambda: [b"\0\x0a\1" + field(b"\0\x09\x0a", 2)],
    "a long value without a place": lambda: [b"\0\x0a\1" + field(b"", 2)],
    "columns are missing": lambda: [b"\2\x0a\0\1\x0b", b"\4\x0b\5\1" + field(b"x")],
}


@pytest.mark.parametrize("loop", LOOPS)
def test_parts_that_lead_nowhere_are_a_remark_on_the_row(loop: str) -> None:
    good = b"\0\x14\1" + field(b"\0\1a")
    state, told = state_of(container([page([head(), *LOOPS[loop](), good])]))
    keys = [key for key, _ in state.rows(0x470)]
    assert "1,20" in keys
    assert {fault.code for fault in told} == {"no-page" if "nowhere" in loop else "bad-row"}


def test_many_rows_that_share_a_long_value_cost_no_more_than_the_file() -> None:
    """2,000 rows name a value of 10 pages: together their parts would be 80 MB."""
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


def test_rows_cost_what_their_pages_cost() -> None:
    rows = [b"\0" + bytes([7 + number]) + b"\1" + field(b"\0\x10abcdefghijklmnop") for number in range(50)]

    def counted(count: int) -> Task:
        state, _ = state_of(Counted(container([page([head()]), *[page(rows)] * count])))
        return lambda: (sum(1 for _ in state.rows(0x470)), state.count(0x470)[0])

    assert counted(20)() == (1000, 1000)
    assert growth(counted, 20) < LINEAR


def test_a_value_that_is_too_long_is_reported_as_none(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(booted_module, "LONGEST", 8000)
    found = opened(small)
    assert [row["BL"] for row in found.rows("APP.ALLT")] == [None] * 3
    assert [row["CL"] is None for row in found.rows("APP.ALLT")] == [False, True, False]
    assert found.remarks.counts["long-value"] == 1


def test_the_database_is_found_from_within(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(small / "log")
    (journal,) = find_journals(load(Path()), "derby_log")
    found = contents(ask(journal, "default"))
    assert found is not None
    assert "APP.ALLT" in found.tables


def test_damaged_pages_and_rows_end_in_remarks(small: Path) -> None:
    """Bytes changed anywhere, with a matching checksum: rows are reported or omitted, nothing is raised."""
    draws, pages = random.Random(46), [data for data in all_pages(small) if len(data) == 4096]
    for _ in range(1500):
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
    """A value that its type does not have is reported as none; the other values of its row stay."""
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
    # The place is that of the page.
    assert (remark.file, remark.off) == ("seg0/c490.dat", start)


def test_hostile_properties_are_those_of_a_database_like_any(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small, tmp_path / "db")
    text = "\xb2=\nSystablesIdentifier=\xb2\nderby.storage.propertiesId=" + "9" * 5000 + "\n=\n"
    (tmp_path / "db" / "service.properties").write_bytes(text.encode("latin-1"))
    assert "APP.ALLT" in opened(tmp_path / "db").tables


def test_a_heap_without_a_catalogue_tells_its_types(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small, tmp_path / "db")
    (tmp_path / "db" / "seg0" / "c60.dat").unlink()
    found = opened(tmp_path / "db")
    rows = [*found.rows("?.c490")]
    assert [row["COLUMN1"] for row in rows] == [1, 2, 3]
    assert {row["COLUMN4"] for row in rows} == {None, "-12345.678"}


def test_tally_counts_what_is_not_deleted() -> None:
    data = page([head(), b"\1\x08\0", b"\0\x09\1" + field(b"x"), b"\0\x0a\0"])
    assert tally(data, 1) == (2, 6 + 3)
    with pytest.raises(BadLog):
        page_of(data[:60] + b"\xff" * 40 + data[100:])
