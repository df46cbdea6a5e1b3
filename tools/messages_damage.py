"""What damages a store: bytes and files of it are changed, as a crash, a bad disk or a person does.

Where a record has to be found the reference reads the store.
"""

from __future__ import annotations

import shutil
import struct
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from journalspec.observation import Record
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load


def each(paths: Iterable[Path], change: Callable[[Path], object]) -> None:
    """Change each of several files."""
    for path in list(paths):
        change(path)


def nothing(_: Path) -> None:
    """Leave the store as it is."""


def both(*steps: Callable[[Path], object]) -> Callable[[Path], None]:
    """Return several damages as one."""

    def damage(root: Path) -> None:
        for step in steps:
            step(root)

    return damage


def put(name: str, off: int, data: bytes | str) -> Callable[[Path], None]:
    """Return a damage that overwrites bytes (hex) of a file; a negative offset counts from its end."""
    new = bytes.fromhex(data) if isinstance(data, str) else data

    def damage(root: Path) -> None:
        with (root / name).open("r+b") as file:
            file.seek(off, 2 if off < 0 else 0)
            file.write(new)

    return damage


def cut(name: str, length: int) -> Callable[[Path], None]:
    """Return a damage that makes a file shorter."""

    def damage(root: Path) -> None:
        with (root / name).open("r+b") as file:
            file.truncate(length)

    return damage


def gone(name: str) -> Callable[[Path], None]:
    """Return a damage that removes a file or a directory."""

    def damage(root: Path) -> None:
        found = root / name
        shutil.rmtree(found) if found.is_dir() else found.unlink()

    return damage


def copied(name: str, target: str) -> Callable[[Path], None]:
    """Return a damage that copies a file over another name."""

    def damage(root: Path) -> None:
        shutil.copy(root / name, root / target)

    return damage


def written(name: str, data: bytes) -> Callable[[Path], None]:
    """Return a damage that writes a file anew."""

    def damage(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)

    return damage


def records(root: Path) -> list[Record]:
    """Return the records of the journal in a directory, as the reference reads them."""
    return list(ask(find_journals(load(root), None, None, {})[0]).observation.records)


def at_record(
    below: str, wanted: Callable[[Record], bool], change: Callable[[bytes, Record], bytes], most: int = 1
) -> Callable[[Path], None]:
    """Return a damage that changes the bytes of the first `most` records that are wanted."""

    def damage(root: Path) -> None:
        found = [record for record in records(root / below) if wanted(record)][:most]
        if not found:
            raise ValueError(f"no such record in {below}")
        for record in found:
            path = root / below / record.at.file
            data = path.read_bytes()
            end = record.at.off + record.at.length
            path.write_bytes(data[: record.at.off] + change(data[record.at.off : end], record) + data[end:])

    return damage


def zeros(data: bytes, _: Record) -> bytes:
    """Return as many zeros."""
    return bytes(len(data))


def inner(off: int, new: bytes) -> Callable[[bytes, Record], bytes]:
    """Return a change at an offset within a record; a negative one counts from its end."""

    def change(data: bytes, _: Record) -> bytes:
        start = off % len(data)
        return data[:start] + new + data[start + len(new) :]

    return change


# Damages of one product.


def user_type(number: int) -> Callable[[bytes, Record], bytes]:
    """Return a change of the user type, which a transaction's number precedes."""

    def change(data: bytes, record: Record) -> bytes:
        off = 26 if record.type.endswith("_TX") else 18
        return data[:off] + bytes([number]) + data[off + 1 :]

    return change


def member_record(root: Path, end: str, change: Callable[[bytes, Record], bytes]) -> None:
    """Change the first record of the last transaction with several that a PREPARE or COMMIT ends."""
    found = records(root / "journal")
    ends = [record for record in found if record.type == end and record.fields["count"] != 1]
    number = ends[-1].fields["tx"]
    at_record(
        "journal", lambda record: record.type.endswith("_TX") and record.fields.get("tx") == number, change
    )(root)


def page_file(root: Path, number: int, length: int | None) -> None:
    """Cut a page file of the paged address; without a length its contents become 7f."""
    path = sorted((root / "paging").rglob("*.page"))[number]
    data = path.read_bytes()
    path.write_bytes(b"\x7f" * len(data) if length is None else data[:length])


def fill(path: Path, start: int) -> None:
    """Overwrite a file with 7f from an offset to its end."""
    data = path.read_bytes()
    path.write_bytes(data[:start] + b"\x7f" * (len(data) - start))


def journal_file(root: Path, number: int) -> Path:
    """Return a journal file of KahaDB by its place in the order of numbers."""
    return sorted(root.glob("db-*.log"), key=lambda path: int(path.stem[3:]))[number]


def batch_bytes(root: Path, number: int, new: bytes, off: int = 0) -> None:
    """Overwrite bytes of a batch in the middle of a journal file: its header, or after it."""
    path = journal_file(root, number)
    start = path.read_bytes().index(b"\0\0\0\x1c\x02WRITE BATCH", 8000)
    put(path.name, start + off, new)(root)


def command_bytes(root: Path, kind: str, off: int, new: bytes) -> None:
    """Overwrite bytes of a message's record, and set its batch's checksum to 0, which is not verified."""
    found = next(record for record in records(root) if record.type == kind)
    path = root / found.at.file
    start = path.read_bytes().rindex(b"WRITE BATCH", 0, found.at.off)
    put(path.name, start + len(b"WRITE BATCH") + 4, bytes(8))(root)
    put(path.name, found.at.off + off, new)(root)


def zero_records(root: Path, kind: str) -> None:
    """Fill the commands of a type with zeros, and set the checksums of their batches to 0."""
    for record in (record for record in records(root) if record.type == kind):
        put(record.at.file, record.at.off + 5, bytes(record.at.length - 5))(root)
        start = (root / record.at.file).read_bytes().rindex(b"WRITE BATCH", 0, record.at.off)
        put(record.at.file, start + len(b"WRITE BATCH") + 4, bytes(8))(root)


def cut_last(root: Path, part: float) -> None:
    path = journal_file(root, -1)
    cut(path.name, int(path.stat().st_size * part))(root)


def zero_last(root: Path, start: int) -> None:
    path = journal_file(root, -1)
    put(path.name, start, bytes(path.stat().st_size - start))(root)


def control_files(root: Path, off: int, new: str | bytes) -> None:
    """Change both control files of a Derby log, and their checksums."""
    for name in ("log.ctrl", "logmirror.ctrl"):
        put(f"log/{name}", off, new)(root)
        data = (root / "log" / name).read_bytes()
        put(f"log/{name}", 40, struct.pack(">Q", zlib.crc32(data[:40])))(root)


def service_property(root: Path, name: str, value: str) -> None:
    with (root / "service.properties").open("a", encoding="iso-8859-1") as file:
        file.write(f"{name}={value}\n")


def log_files(root: Path) -> list[Path]:
    return sorted((root / "log").glob("log*.dat"), key=lambda path: int(path.stem[3:]))


def next_file(root: Path, length: int) -> None:
    """Begin a log file after the last one, which gets the zeros of a preallocated file."""
    last = log_files(root)[-1]
    with last.open("ab") as file:
        file.write(bytes(5000))
    (last.parent / f"log{int(last.stem[3:]) + 1}.dat").write_bytes(last.read_bytes()[:length])


def log_record(root: Path, kind: str, off: int, new: str) -> None:
    """Overwrite bytes of a record that lies near the end of a Derby log."""
    found = [record for record in records(root / "log") if record.type == kind][-3]
    put(f"log/{found.at.file}", found.at.off + off, new)(root)


def cut_tail(root: Path) -> None:
    last = records(root / "log")[-1]
    cut(f"log/{last.at.file}", last.at.off + last.at.length - 100)(root)


def orders_file(root: Path) -> Path:
    """Return the file of the table that the program fills: the last container but those of indexes."""
    return root / "seg0" / (root / "table.txt").read_text(encoding="ascii").strip()


def table_bytes(root: Path, off: int, new: str) -> None:
    put(f"seg0/{orders_file(root).name}", off, new)(root)


def cut_table(root: Path, length: int) -> None:
    cut(f"seg0/{orders_file(root).name}", length)(root)


def older_pages(root: Path) -> None:
    put(f"seg0/{orders_file(root).name}", 0, (root / "older" / orders_file(root).name).read_bytes())(root)


def log_byte(root: Path, off: int, new: str) -> None:
    """Overwrite bytes of the second record of a Bitronix log and compute its checksum anew."""
    put("btm1.tlog", off, new)(root)
    data = (root / "btm1.tlog").read_bytes()
    start, length = 81, struct.unpack_from(">i", data, 85)[0]
    record = data[start : start + 8 + length]
    covered = record[:24] + record[28:-4]
    put("btm1.tlog", start + 24, struct.pack(">I", zlib.crc32(covered)))(root)
