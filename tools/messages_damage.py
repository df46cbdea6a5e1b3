"""Damages stores: it changes bytes and files, as a crash, a bad disk or a person does.

Each public function is one kind of damage; ``messages_states.toml`` refers to it by name, and describes the
notation of files and bytes. To find a record, the reference reads the store.
"""

from __future__ import annotations

import re
import shutil
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from journalspec.observation import Record
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load

BATCH = b"WRITE BATCH"


def damage(root: Path, steps: Sequence[Sequence[Any]]) -> None:
    """Apply steps to the store at `root`: each is a function of this module with its arguments."""
    for name, *arguments in steps:
        globals()[name](root, *arguments)


def records(root: Path) -> list[Record]:
    """Return the records of the journal in a directory, as the reference reads them."""
    return list(ask(find_journals(load(root), None, None, {})[0]).observation.records)


def _files(root: Path, name: str) -> list[Path]:
    """Return the files that match a name or a pattern."""
    if name == "TABLE":
        return [root / "seg0" / (root / "table.txt").read_text(encoding="ascii").strip()]
    pattern, _, number = name.partition("#")
    if "*" not in pattern:
        return [root / name]
    found = sorted(root.glob(pattern), key=lambda path: (path.parent, re.sub(r"\D", "", path.name).zfill(20)))
    return [found[int(number)]] if number else found


def _bytes(text: str) -> bytes:
    digits, _, times = text.partition("*")
    return bytes.fromhex(digits) * int(times or 1)


def _overwrite(path: Path, off: int, new: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(off)
        file.write(new)


def put(root: Path, name: str, off: int, new: str) -> None:
    """Overwrite bytes of a file."""
    for path in _files(root, name):
        _overwrite(path, off, _bytes(new))


def fill(root: Path, name: str, start: int, byte: int = 0x7F) -> None:
    """Overwrite a file from an offset to its end."""
    for path in _files(root, name):
        _overwrite(path, start, bytes([byte]) * (path.stat().st_size - start))


def cut(root: Path, name: str, length: int) -> None:
    """Make a file shorter."""
    for path in _files(root, name):
        with path.open("r+b") as file:
            file.truncate(length)


def cut_at(root: Path, name: str, part: float) -> None:
    """Cut a file to a part of its length."""
    (path,) = _files(root, name)
    cut(root, name, int(path.stat().st_size * part))


def gone(root: Path, name: str) -> None:
    """Remove a file or a directory."""
    for path in _files(root, name):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def copied(root: Path, name: str, target: str) -> None:
    """Copy a file over another name."""
    (path,) = _files(root, name)
    shutil.copy(path, root / target)


def written(root: Path, name: str, data: str) -> None:
    """Write a file anew."""
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_bytes(_bytes(data))


def directory(root: Path, name: str) -> None:
    """Make a directory."""
    (root / name).mkdir()


# Artemis: damage to records of a type and user type, or to a transaction.


def _change(
    place: Path, wanted: Mapping[str, Any], change: Callable[[Record], tuple[int, bytes]], most: int = 1
) -> None:
    """Overwrite bytes of each of the first `most` requested records, at an offset from the record's start."""
    found = [each for each in records(place) if wanted.items() <= {**each.fields, "type": each.type}.items()]
    if not found:
        raise ValueError(f"no such record in {place}")
    for record in found[:most]:
        off, new = change(record)
        _overwrite(place / record.at.file, record.at.off + off, new)


def _zeros(record: Record) -> tuple[int, bytes]:
    return 0, bytes(record.at.length)


def _typed(number: int) -> Callable[[Record], tuple[int, bytes]]:
    """Return a change of the user type; its offset is larger in records with a transaction's number."""
    return lambda record: (26 if record.type.endswith("_TX") else 18, bytes([number]))


def zero_records(root: Path, below: str, wanted: Mapping[str, Any], most: int = 1) -> None:
    """Fill records with zeros."""
    _change(root / below, wanted, _zeros, most)


def user_type(root: Path, below: str, wanted: Mapping[str, Any], number: int) -> None:
    """Give a record another user type."""
    _change(root / below, wanted, _typed(number))


def put_in_record(root: Path, below: str, wanted: Mapping[str, Any], off: int, new: str) -> None:
    """Overwrite bytes of a record; a negative offset counts from its end."""
    _change(root / below, wanted, lambda record: (off % record.at.length, _bytes(new)))


def zero_member(root: Path, end: str) -> None:
    """Fill the first record of a transaction with zeros: see `_member`."""
    _change(root / "journal", _member(root, end), _zeros)


def user_type_of_member(root: Path, end: str, number: int) -> None:
    """Give the first record of a transaction another user type: see `_member`."""
    _change(root / "journal", _member(root, end), _typed(number))


def _member(root: Path, end: str) -> dict[str, Any]:
    """Return the transaction id and the record type of the last transaction with several records and this
    `end`.
    """
    found = records(root / "journal")
    number = [each for each in found if each.type == end and each.fields["count"] != 1][-1].fields["tx"]
    kind = next(each for each in found if each.type.endswith("_TX") and each.fields.get("tx") == number).type
    return {"tx": number, "type": kind}


def first_file_gone(root: Path, below: str) -> None:
    """Remove the first file with records."""
    (root / below / records(root / below)[0].at.file).unlink()


# KahaDB: damage to batches and commands. The checksum of a damaged command's batch becomes 0, so that a
# reader does not verify the batch.


def put_in_batch(root: Path, name: str, off: int, new: str) -> None:
    """Overwrite bytes of the header of a batch in the middle of a journal file, or after the header."""
    (path,) = _files(root, name)
    _overwrite(path, path.read_bytes().index(b"\0\0\0\x1c\x02" + BATCH, 8000) + off, _bytes(new))


def put_in_command(root: Path, kind: str, off: int, new: str) -> None:
    """Overwrite bytes of the first command of a type."""
    _command(root, next(each for each in records(root) if each.type == kind), off, _bytes(new))


def zero_commands(root: Path, kind: str) -> None:
    """Fill the commands of a type with zeros."""
    for record in (each for each in records(root) if each.type == kind):
        _command(root, record, 5, bytes(record.at.length - 5))


def _command(root: Path, record: Record, off: int, new: bytes) -> None:
    path = root / record.at.file
    _overwrite(path, path.read_bytes().rindex(BATCH, 0, record.at.off) + len(BATCH) + 4, bytes(8))
    _overwrite(path, record.at.off + off, new)


# Derby.


def control_files(root: Path, off: int, new: str) -> None:
    """Change both control files of a log, and their checksums; ``{first:08x}`` is the first file's number."""
    first = int(_files(root, "log/log*.dat#0")[0].stem[3:])
    for name in ("log.ctrl", "logmirror.ctrl"):
        path = root / "log" / name
        _overwrite(path, off, _bytes(new.format(first=first)))
        _overwrite(path, 40, struct.pack(">Q", zlib.crc32(path.read_bytes()[:40])))


def service_property(root: Path, name: str, value: str) -> None:
    """Add a property of the database."""
    with (root / "service.properties").open("a", encoding="iso-8859-1") as file:
        file.write(f"{name}={value}\n")


def next_file(root: Path, length: int) -> None:
    """Begin a log file after the last one, to which zeros are appended as in a preallocated file."""
    (last,) = _files(root, "log/log*.dat#-1")
    with last.open("ab") as file:
        file.write(bytes(5000))
    last.with_name(f"log{int(last.stem[3:]) + 1}.dat").write_bytes(last.read_bytes()[:length])


def put_in_log(root: Path, kind: str, off: int, new: str) -> None:
    """Overwrite bytes of a record that is near the end of a log."""
    found = [record for record in records(root / "log") if record.type == kind][-3]
    _overwrite(root / "log" / found.at.file, found.at.off + off, _bytes(new))


def cut_tail(root: Path) -> None:
    """Cut the log 100 bytes before its end."""
    last = records(root / "log")[-1]
    cut(root, f"log/{last.at.file}", last.at.off + last.at.length - 100)


def older_pages(root: Path) -> None:
    """Overwrite the table's file with an older copy of its pages."""
    (path,) = _files(root, "TABLE")
    _overwrite(path, 0, (root / "older" / path.name).read_bytes())


# Bitronix.


def log_byte(root: Path, off: int, new: str) -> None:
    """Overwrite bytes of the second record of a log, and compute its checksum again."""
    path, start = root / "btm1.tlog", 81
    _overwrite(path, off, _bytes(new))
    data = path.read_bytes()
    record = data[start : start + 8 + struct.unpack_from(">i", data, start + 4)[0]]
    _overwrite(path, start + 24, struct.pack(">I", zlib.crc32(record[:24] + record[28:-4])))
