"""Measures the cost of `journalspec inspect`, `recover`, `check` and `why` on large valid journals.

    python tools/memory.py --size 1GiB [--format FORMAT] [--shape SHAPE] [--command COMMAND]

Makes a valid journal of each shape in a temporary directory and runs each command on it in a separate
process, whose output is discarded. It prints the command's peak resident memory, its time, and the size of
the live part of the journal. It also prints the additional memory compared with the same command on a nearly
empty journal. The journals are made from a template record, which is quicker than a writer. Exit status: 0
measured; 1 a command failed; 2 usage.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import struct
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from journalspec.formats import format_ids
from journalspec_conformance.programs import Program, scratch
from journalspec_reference import load
from journalspec_reference.storage import MemoryStorage

MIB = 1 << 20
UNITS = {"": 1, "KiB": 1 << 10, "MiB": MIB, "GiB": 1 << 30}
#: The size of the nearly empty journal (bytes).
TINY = 1 << 12
COMMANDS = {
    "recover": ("recover", "--all"),
    "recover-json": ("recover", "--json"),
    "inspect-json": ("inspect", "--json"),
    "contents": ("inspect", "--json", "--level", "contents"),
    "inspect": ("inspect", "--all"),
    "inspect-hex": ("inspect", "--hex"),
    "inspect-ndjson": ("inspect", "--ndjson"),
    "summary": ("inspect",),
    "outcome": ("recover",),
    "check": ("check",),
    "why": ("why",),
}
DEFAULT = ("recover", "inspect-json")
BODY = bytes(range(33, 97))
#: In shapes where not all records stay live, one record in this many stays live.
STAYS = 1000


class Piece(NamedTuple):
    """The next bytes of a file, and how many of them are live."""

    data: bytes
    live: int = 0


class Shape(NamedTuple):
    """The lengths of a body and a file in bytes (None: one file), and whether all records stay live."""

    body: int = len(BODY)
    file: int | None = 10 * MIB
    live: bool = False
    transactions: bool = False


SHAPES = {
    "deleted": Shape(),
    "committed": Shape(transactions=True),
    "live": Shape(live=True),
    "large": Shape(body=MIB, file=64 * MIB),
    "one-file": Shape(file=None),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """One run. Sizes are in bytes; `over` is the memory beyond that of the same command on a tiny journal."""

    format: str
    shape: str
    command: str
    size: int
    live: int
    peak: int
    over: int
    seconds: float
    status: int

    def __str__(self) -> str:
        """Return the row of this run in the table."""
        sizes = " ".join(f"{size / MIB:9.1f}" for size in (self.size, self.live, self.peak, self.over))
        head = f"{self.format:14} {self.shape:10} {self.command:14}"
        return f"{head} {sizes} {self.seconds:9.1f} {self.status:5}"


def jboss_journal(directory: Path, size: int, shape: Shape) -> int:
    """Write a journal of edition v2; return how many of its bytes are live."""
    numbers = count(1)
    length = shape.file or size
    live = 0
    for file_id in range(1, max(1, size // length) + 1):
        head = struct.pack(">iiq", 2, 0, file_id)
        pieces = _messages(file_id, shape, numbers)
        live += _fill(directory / f"data-{file_id}.hq", head, min(length, size), pieces)
    return live


def _messages(file_id: int, shape: Shape, numbers: Iterator[int]) -> Iterator[Piece]:
    """Yield adds with their deletes, or transactions of one add each; few or all added records stay."""
    body = (BODY * (shape.body // len(BODY) + 1))[: shape.body]
    for number in numbers:
        delete = struct.pack(">Bibqi", 16, file_id, 0, number, 18)
        if shape.transactions:
            add = struct.pack(">BibqqiB", 13, file_id, 0, number, number, len(body), 7) + body
            add += struct.pack(">i", len(add) + 4)
            add += struct.pack(">Bibqii", 18, file_id, 0, number, 1, 22)
        else:
            add = struct.pack(">BibqiB", 11, file_id, 0, number, len(body), 7) + body
            add += struct.pack(">i", len(add) + 4)
        stays = shape.live or number % STAYS == 0
        yield Piece(add, len(add)) if stays else Piece(add + delete)


def bitronix_tlog(directory: Path, size: int, shape: Shape) -> int:
    """Write a pair of the disk journal; return how many bytes of the active file are live."""
    active = directory / "btm1.tlog"
    live = _fill(active, bytes(21), size // 2, _decisions(shape))
    _fill(directory / "btm2.tlog", bytes(21), size // 2, _decisions(shape))
    for path, timestamp in ((active, 2), (directory / "btm2.tlog", 1)):
        with path.open("r+b") as out:
            out.write(struct.pack(">4sqBq", b"Btnx", timestamp, 0, max(21, _tail(path))))
    return live


def _tail(path: Path) -> int:
    """Return the offset of the zeros at the end of a file."""
    with path.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - 4 * MIB))
        return size - (min(size, 4 * MIB) - len(stream.read().rstrip(b"\0")))


def _decisions(shape: Shape) -> Iterator[Piece]:
    """Yield commit decisions, most of them followed by their end."""
    name = (b"resource" * (shape.body // 8 + 1))[: min(shape.body, 30_000)]
    for number in count(1):
        gtrid = b"server-1" + struct.pack(">qq", 1, number)
        decided = _record(8, number, gtrid, name)
        stays = shape.live or number % STAYS == 0
        yield Piece(decided, len(decided)) if stays else Piece(decided + _record(3, number, gtrid, name))


def _record(status: int, number: int, gtrid: bytes, name: bytes) -> bytes:
    rest = gtrid + struct.pack(">iH", 1, len(name)) + name + b"xntB"
    head = struct.pack(">iiiqi", status, 21 + len(rest), 28, 1_600_000_000_000 + number, number % 2**31)
    return head + struct.pack(">IB", zlib.crc32(rest, zlib.crc32(head)), len(gtrid)) + rest


def kahadb_journal(directory: Path, size: int, shape: Shape) -> int:
    """Write a journal without end markers, one command per batch; return how many of its bytes are live.

    It begins with a trace record, as does any journal on which a broker has started.
    """
    batches, length = chain([Piece(_batch(0, sized(1, b"a start")))], _batches(shape)), shape.file or size
    names = [f"db-{number}.log" for number in range(1, max(1, size // length) + 1)]
    return sum(_fill(directory / name, b"", min(length, size), batches) for name in names)


def _batches(shape: Shape) -> Iterator[Piece]:
    """Yield messages and their removal, or transactions of one message each; few or all messages stay."""
    body = (BODY * (shape.body // len(BODY) + 1))[: shape.body]
    for number in count(1):
        name = b"%012d" % number
        which = sized(2, sized(2, b"Q")) + sized(3, name)
        if shape.transactions:
            tx = sized(1, sized(1, sized(1, b"c") + b"\x08" + varint(number)))
            add = _batch(1, tx + which + sized(4, body)) + _batch(4, tx)
        else:
            add = _batch(1, which + sized(4, body))
        stays = shape.live or number % STAYS == 0
        yield Piece(add, len(add)) if stays else Piece(add + _batch(2, which))


def varint(value: int) -> bytes:
    """Return a number as protobuf writes it: seven bits per byte, the lowest first."""
    low = [value >> shift & 0x7F for shift in range(0, max(1, value.bit_length()), 7)]
    return bytes([byte | 0x80 for byte in low[:-1]] + low[-1:])


def sized(number: int, content: bytes) -> bytes:
    """Return a field of protobuf that has a length."""
    return bytes([number << 3 | 2]) + varint(len(content)) + content


def _batch(command: int, message: bytes) -> bytes:
    payload = bytes([command]) + varint(len(message)) + message
    record = struct.pack(">iB", len(payload) + 5, 1) + payload
    return struct.pack(">iB11siq", 28, 2, b"WRITE BATCH", len(record), zlib.adler32(record)) + record


def derby_log(directory: Path, size: int, shape: Shape) -> int:
    """Write a log of edition 10.16 that begins like the writer's; return how many of its bytes are live."""
    storage = MemoryStorage()
    load("derby_log").writer(storage, edition="10.16", params={}).apply({"op": "open"})
    files = storage.files
    for name in ("log.ctrl", "logmirror.ctrl"):
        (directory / name).write_bytes(files[name])
    head, live = bytes(files["log1.dat"]).rstrip(b"\0"), 0
    rows = _rows(shape)
    length = min(shape.file or size, LONGEST_LOG, size)
    row = next(rows)
    last = max(1, size // length)
    for number in range(1, last + 1):
        at = len(head)
        with (directory / f"log{number}.dat").open("wb", buffering=MIB) as out:
            out.write(head)
            while at + row.room < length:
                for bodies in row.groups:
                    at += out.write(_group(number, at, bodies))
                live += row.live
                row = next(rows)
            # Only a file with a next file has an end marker.
            out.write(bytes(4 if number < last else 0))
        # The header of the next file has the end of this file.
        head = struct.pack(">iiqq", 128, 9, number + 1, number << 32 | at)
    return live


#: LONGEST_LOG: the largest number of bytes of a log file. TABLE: the container of the table. LEAST: the
#: smallest number that is stored in four bytes.
LONGEST_LOG, TABLE, LEAST = 256 * MIB - 1, 1168, 1 << 14


class Row(NamedTuple):
    """The groups of records that insert a row and, unless the row stays, delete it.

    `room` is the number of bytes that the groups need in a file, `live` the number of live bytes of the row.
    """

    groups: list[list[bytes]]
    room: int
    live: int


def _rows(shape: Shape) -> Iterator[Row]:
    """Yield transactions that insert a row; the next or the same transaction purges most rows."""
    text = (BODY * (shape.body // len(BODY) + 1))[: min(shape.body, 30_000)]
    body = b"\x20" + struct.pack(">HH", len(text) + 2, len(text)) + text
    # The keys start at the smallest number that takes four bytes.
    versions = count(LEAST)
    for number in count(LEAST):
        ident = struct.pack(">I", 0x80000000 | number)
        data = b"\0" + ident + b"\2\x20\0\4" + struct.pack(">i", number) + body
        insert = b"\0\x67" + _on_page(next(versions)) + ident + b"\0\0" + ident + b"\1"
        changes = [insert + struct.pack(">i", len(data)) + data]
        stays = shape.live or number % STAYS == 0
        if not stays:
            changes.append(b"\0\x6a" + _on_page(next(versions)) + b"\0\1" + ident + bytes(4))
        parts = [changes] if shape.transactions else [[change] for change in changes]
        groups = [_transaction(2 * number + at, part) for at, part in enumerate(parts)]
        size = sum(37 + sum(len(each) + 16 for each in group) for group in groups)
        yield Row(groups, size + 4, len(data) if stays else 0)


def _on_page(version: int) -> bytes:
    return struct.pack(">HHHI", 0, TABLE, 1, 0x40000000 | version)


def _transaction(number: int, changes: list[bytes]) -> list[bytes]:
    owner = b"\0\x93" + struct.pack(">I", 0x40000000 | number)
    begin = b"\0\x81\x41\1" + owner + b"\0\xa9" + bytes(10)
    end = b"\0\x81\x41\x12" + owner + b"\0\x66\0\0\4" + bytes(4)
    return [begin, *(b"\0\x81\x41\x80" + owner + change for change in changes), end]


def _group(number: int, at: int, bodies: list[bytes]) -> bytes:
    """Return records, preceded by their checksum record."""
    out, at = b"", at + 37
    for each in bodies:
        wrapped = struct.pack(">iq", len(each), number << 32 | at + len(out))
        out += wrapped + each + struct.pack(">i", len(each))
    said = bytes.fromhex("00814900000001c5") + struct.pack(">Biq", 1, len(out), zlib.crc32(out))
    return struct.pack(">iq", len(said), number << 32 | at - 37) + said + struct.pack(">i", len(said)) + out


def swiftmq_store(directory: Path, size: int, shape: Shape) -> int:
    """Write a store of pages of 2 KiB, or a log of `size`; return how many of its bytes are live."""
    for name in ("db", "log"):
        (directory / name).mkdir(exist_ok=True)
    start = struct.pack(">iq", 1, 7)
    pages, log = directory / "db" / "page.db", directory / "log" / "transaction.log"
    if shape.transactions:
        head = b"".join(page.ljust(PAGE, b"\0") for page in (_root(), _index(-1, -1, [])))
        pages.write_bytes(head)
        return _fill(log, start, size, _commits(shape))
    log.write_bytes(start.ljust(PAGE, b"\0"))
    return _fill(pages, _root().ljust(PAGE, b"\0"), size, _indexes(size, shape))


PAGE, ENTRIES = 2048, 61


def _root() -> bytes:
    return struct.pack(">xiiiiBi", -1, -1, 1, 1, 1, 1) + b"q" + struct.pack(">i4x", 1)


def _index(before: int, after: int, entries: list[tuple[bool, int, int]]) -> bytes:
    slots = b"".join(struct.pack(">Biiqqi4x", valid, 4, 1, 0, key, page) for valid, key, page in entries)
    valid = sum(entry[0] for entry in entries)
    return struct.pack(">xiiii", before, after, len(entries), valid) + slots


def _chain(number: int, data: bytes) -> list[bytes]:
    """Return the pages of a message that begins at page `number`."""
    parts = [data[off : off + PAGE - 13] for off in range(0, len(data), PAGE - 13)]
    return [
        struct.pack(">xiii", number + at - 1 if at else -1, number + at + 1 if at + 1 < len(parts) else -1,
                    13 + len(part)) + part
        for at, part in enumerate(parts)
    ]  # fmt: skip


def _message(shape: Shape) -> bytes:
    body = (BODY * (shape.body // len(BODY) + 1))[: shape.body]
    return struct.pack(">iqiqii", 1, 0, 4, 0, 0, 2) + bytes(12) + struct.pack(">i", len(body)) + body


def _indexes(size: int, shape: Shape) -> Iterator[Piece]:
    """Yield pages of the index, each before the messages that it lists; few or all of these stay."""
    long = len(_chain(0, _message(shape)))
    entries_each = min(ENTRIES, max(0, (size // PAGE - 2) // long))
    group = 1 + entries_each * long
    last = max(0, (size // PAGE - 1) // group - 1)
    for at in range(last + 1):
        number, keys = 1 + at * group, range(at * entries_each, (at + 1) * entries_each)
        stays = [shape.live or not key % STAYS for key in keys]
        entries = [
            (stay, key, number + 1 + slot * long)
            for slot, (stay, key) in enumerate(zip(stays, keys, strict=True))
        ]
        yield Piece(
            _index(number - group if at else -1, number + group if at < last else -1, entries).ljust(
                PAGE, b"\0"
            )
        )
        for stay, _, page in entries:
            if stay:
                for part in _chain(page, _message(shape)):
                    yield Piece(part.ljust(PAGE, b"\0"), len(part))
            else:
                yield Piece(b"\1".ljust(PAGE, b"\0") * long)


def _commits(shape: Shape) -> Iterator[Piece]:
    """Yield transactions that insert a message, each followed by one that removes it."""
    for number in count(0):
        message = _message(shape)[: PAGE - 13]
        page = struct.pack(">xiii", -1, -1, 13 + len(message)) + message
        entry = _index(-1, -1, [(True, number, 2)])[1:]
        actions = struct.pack(">ii", 1, 2) + struct.pack(">iiiBi", 4, 2, 0, 0, len(page)) + page
        actions += struct.pack(">iiiBi", 4, 1, 1, 0, len(entry)) + entry
        insert = struct.pack(">iqqi", 2, 7, number, 3) + actions
        gone = struct.pack(">iiiBiii", 4, 1, 9, 0, 8, 0, 0)
        remove = struct.pack(">iqqi", 2, 7, number, 2) + gone + struct.pack(">iii", 3, 2, 0)
        yield Piece(insert + remove)


def _fill(path: Path, head: bytes, length: int, pieces: Iterator[Piece]) -> int:
    """Write `head`, as many `pieces` as fit, and zeros; return the number of live bytes."""
    live, at = 0, len(head)
    with path.open("wb", buffering=MIB) as out:
        out.write(head)
        for piece in pieces:
            at += len(piece.data)
            if at > length:
                break
            out.write(piece.data)
            live += piece.live
        out.truncate(max(length, len(head)))
    return live


MAKERS: dict[str, Callable[[Path, int, Shape], int]] = {
    "bitronix_tlog": bitronix_tlog,
    "derby_log": derby_log,
    "jboss_journal": jboss_journal,
    "kahadb_journal": kahadb_journal,
    "swiftmq_store": swiftmq_store,
}


#: A process inherits the peak memory of its parent, so a small process must start the measured command.
_WAIT = """
import os, sys
child = os.fork()
if not child:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def run(command: str, directory: Path) -> tuple[int, int, float]:
    """Run a command on a directory; return its exit status, its highest resident memory, and its seconds."""
    program = [sys.executable, "-m", "journalspec_conformance", *COMMANDS[command], str(directory)]
    began = time.monotonic()
    process = Program([sys.executable, "-S", "-c", _WAIT, *program])
    try:
        errors = threading.Thread(
            target=shutil.copyfileobj, args=(process.stderr, sys.stderr.buffer), daemon=True
        )
        errors.start()
        said = process.stdout.read().split()
        errors.join()
    finally:
        process.end()
    if len(said) != 2:
        raise SystemExit(f"{' '.join(program)}: ended before it could be measured")
    status, peak = map(int, said)
    unit = 1 if sys.platform == "darwin" else 1 << 10
    return status, peak * unit, time.monotonic() - began


def measure(format_id: str, shape: str, commands: list[str], size: int, within: Path) -> Iterator[Measured]:
    """Make a journal, and yield the cost of each command on it."""
    places = {}
    for name, length in (("tiny", TINY), ("whole", size)):
        place = within / f"{format_id}-{shape}-{name}"
        place.mkdir()
        places[name] = place
        live = MAKERS[format_id](place, length, SHAPES[shape])
    for command in commands:
        _, base, _ = run(command, places["tiny"])
        status, peak, seconds = run(command, places["whole"])
        yield Measured(format_id, shape, command, size, live, peak, peak - base, round(seconds, 1), status)
    for place in places.values():
        shutil.rmtree(place)


def parsed_size(text: str) -> int:
    """Return bytes; raises ArgumentTypeError for an invalid size."""
    match = re.fullmatch(r"(\d+)(KiB|MiB|GiB|)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 64MiB")
    return int(match[1]) * UNITS[match[2]]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=parsed_size, default=64 * MIB, help="of each journal (default 64MiB)")
    parser.add_argument("--format", action="append", choices=sorted(MAKERS))
    parser.add_argument("--shape", action="append", choices=list(SHAPES))
    parser.add_argument("--command", action="append", choices=list(COMMANDS))
    chosen = parser.parse_args(arguments)
    if not hasattr(os, "wait4"):
        parser.error("this system does not report the memory of a process")
    print("format         shape      command         size MiB      live      peak      over   seconds  exit")
    failed = False
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # This ends the measured process.
    with scratch() as place:
        # Drafts are included only on request.
        for format_id in chosen.format or sorted({*MAKERS} & {*format_ids()}):
            for shape in chosen.shape or SHAPES:
                commands = chosen.command or list(DEFAULT)
                for found in measure(format_id, shape, commands, chosen.size, place):
                    print(found, flush=True)
                    failed |= found.status != 0
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
