"""Compares the speed of reading journals with that of a plain loop: ratios in one run, on one core.

    python tools/scan_bench.py [--format FORMAT] [--mb 100] [--stores [--messages N]] [--spark] [--loops]

For each format, a sound journal of small records is written into a temporary directory. Four programs read it
in turn: the plain loop below, the reader's scan, the scan with all typed columns, and recovery with verdict
and state. The plain loop checks only lengths, chain and checksums of a sound journal. The best of three runs
is used, in CPU seconds. With `--stores`, recovery of a KahaDB, an Artemis and a Derby store of real size is
compared with the products' own readers, including the start of their JVM. The products write these stores the
first time (see stores.py). With `--spark`, Spark counts the rows of each journal and reads them with all
columns; the same is done with a Parquet file of these rows. `--loops` prints the plain loops.
"""

from __future__ import annotations

import argparse
import inspect
import os
import random
import resource
import shutil
import struct
import subprocess
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import stores
from memory import sized, varint

from journalspec.formats import format_ids
from journalspec_corpus.load import find_case
from journalspec_reference.answers import ask, settled, stretches
from journalspec_reference.filesets import Journal, find_journals, load

#: The number of bytes that plain loops read at a time.
PIECE = 1 << 20


def naive_jboss(path: Path) -> int:
    """Walk the records of an Artemis data file: type, file id, sizes, check size."""
    fixed = {11: 19, 12: 19, 13: 27, 14: 27, 15: 26, 16: 14, 18: 18, 19: 14}
    sized = {11: 14, 12: 14, 13: 22, 14: 22, 15: 22}
    data, count = path.read_bytes(), 0
    unpack = struct.Struct(">i").unpack_from
    stamp = data[12:16]
    at = 16
    while at < len(data) and (kind := data[at]):
        if data[at + 1 : at + 5] != stamp:
            raise ValueError(at)
        end = at + fixed[kind]
        if kind in sized:
            end += unpack(data, at + sized[kind])[0]
        if unpack(data, end)[0] != end + 4 - at:
            raise ValueError(at)
        at = end + 4
        count += 1
    return count


def naive_kahadb(path: Path) -> int:
    """Walk the batches of a data file, check the checksum of each, and walk its records."""
    data, count, at = path.read_bytes(), 0, 0
    control, head = struct.Struct(">16xiq").unpack_from, struct.Struct(">iB").unpack_from
    while data[at : at + 5] == b"\0\0\0\x1c\2":
        size, check = control(data, at)
        at += 28
        end = at + size
        if zlib.adler32(data[at:end]) != check:
            raise ValueError(at)
        while at < end:
            length, _ = head(data, at)
            at += length
            count += 1
    return count


def naive_bitronix(path: Path) -> int:
    """Walk the records of a log up to its tail: length, end marker, CRC-32 without its own four bytes."""
    data, count, at = path.read_bytes(), 0, 21
    (tail,) = struct.unpack_from(">q", data, 13)
    head = struct.Struct(">4xi16xI").unpack_from
    while at < tail:
        length, check = head(data, at)
        end = at + 8 + length
        if data[end - 4 : end] != b"xntB":
            raise ValueError(at)
        if zlib.crc32(data[at + 29 : end], zlib.crc32(data[at : at + 24])) != check:
            raise ValueError(at)
        at = end
        count += 1
    return count


def naive_derby(path: Path) -> int:
    """Walk the records of a log file: both lengths, instant, and the checksums in checksum records."""
    data, count, at = path.read_bytes(), 0, 24
    head, last, sums = struct.Struct(">iq").unpack_from, struct.Struct(">i").unpack_from, struct.Struct(">iq")
    (number,) = struct.unpack_from(">q", data, 8)
    number <<= 32
    length, instant = head(data, at)
    while length:
        end = at + length + 16
        if instant != number | at or last(data, end - 4)[0] != length:
            raise ValueError(at)
        if data.startswith(b"\0\x81\x49\0\0\0\x01\xc5\1", at + 12):
            size, check = sums.unpack_from(data, at + 21)
            if zlib.crc32(data[end : end + size]) != check:
                raise ValueError(at)
        at = end
        count += 1
        length, instant = head(data, at) if at + 12 <= len(data) else (0, 0)
    return count


def naive_swiftmq(path: Path) -> int:
    """Walk the records of one generation of a transaction log, whose actions are parts of pages."""
    data, count, at = path.read_bytes(), 0, 12
    head, action, size = struct.Struct(">iqqi"), struct.Struct(">iiiBi"), struct.Struct(">i").unpack_from
    generation = struct.unpack_from(">q", data, 4)[0]
    while at < len(data):
        kind, here, _, actions = head.unpack_from(data, at)
        if kind != 2 or here != generation:  # the code of COMMIT
            raise ValueError(at)
        at += head.size
        for _ in range(actions):
            kind, page, off, _, length = action.unpack_from(data, at)
            # the action is a part; then the length of a page
            if kind != 4 or page < 0 or off + length > 2048:
                raise ValueError(at)
            at += action.size + length
            at += 4 + size(data, at)[0]
        count += 1
    return count


def make_jboss(root: Path, size: int, rng: random.Random) -> None:
    """Write data files of 10 MiB: records that add, change and delete, with and without transactions."""
    ident, pool, each = 1, rng.randbytes(1 << 16), 10 << 20
    for number in range(1, max(1, size // each) + 1):
        room, parts, used = min(each, size), [struct.pack(">iiq", 2, 0, number)], 16
        while used < room - 4096:
            group = []
            for _ in range(4):
                at, length = rng.randrange(60_000), rng.randint(20, 300)
                head = struct.pack(">BIbqiB", 11, number, 0, ident, length, 45)
                group.append(head + pool[at : at + length] + struct.pack(">i", 23 + length))
                ident += 1
            group.append(struct.pack(">BIbqi", 16, number, 0, ident - rng.randint(1, 4), 18))
            tx = ident
            for _ in range(3):
                at, length = rng.randrange(60_000), rng.randint(20, 300)
                head = struct.pack(">BIbqqiB", 13, number, 0, tx, ident, length, 45)
                group.append(head + pool[at : at + length] + struct.pack(">i", 31 + length))
                ident += 1
            group.append(struct.pack(">BIbqii", 18, number, 0, tx, 3, 22))
            data = b"".join(group)
            parts.append(data)
            used += len(data)
        (root / f"activemq-data-{number}.amq").write_bytes(b"".join(parts).ljust(room, b"\0"))


def make_kahadb(root: Path, size: int, rng: random.Random) -> None:
    """Write data files of 32 MiB: messages that are added to eight queues and removed."""
    pool, serial, each = rng.randbytes(1 << 16), 0, 32 << 20
    queues = [b"\x08\0" + sized(2, b"queue%d" % number) for number in range(8)]
    live: list[tuple[int, bytes]] = []
    for number in range(1, max(1, size // each) + 1):
        room, parts, used = min(each, size), [], 0
        while True:
            records = []
            for _ in range(rng.randint(1, 400)):
                serial += 1
                if live and rng.random() < 0.45:  # nearly half of all records
                    queue, ident = live.pop(rng.randrange(max(0, len(live) - 500), len(live)))
                    message, code = (sized(2, queues[queue]) + sized(3, ident) + sized(4, b"ack:" + ident), 2)
                else:
                    queue, ident = rng.randrange(8), b"ID:host-4711-1700000000000-4:1:1:1:%d" % serial
                    live.append((queue, ident))
                    at = rng.randrange(60_000)
                    body = pool[at : at + rng.randint(60, 500)]
                    message, code = sized(2, queues[queue]) + sized(3, ident) + sized(4, body), 1
                payload = bytes((code,)) + varint(len(message)) + message
                records.append(struct.pack(">iB", len(payload) + 5, 1) + payload)
            data = b"".join(records)
            if used + len(data) + 40 > room:
                break
            check = zlib.adler32(data)
            parts.append(struct.pack(">iB11siq", 28, 2, b"WRITE BATCH", len(data), check) + data)
            used += len(data) + 28
        (root / f"db-{number}.log").write_bytes((b"".join(parts) + b"-qMa4").ljust(room, b"\0"))


def make_bitronix(root: Path, size: int, rng: random.Random) -> None:
    """Write a pair of equal length: decisions to commit, each completed."""
    names = [b"jdbc/ds%d" % number for number in range(3)]
    for number in (1, 2):
        parts, used, sequence = [], 21, 0
        while used < size // 2 - 400:
            gtrid, count = b"btm" + rng.randbytes(24), rng.randint(1, 3)
            stored = b"".join(struct.pack(">H", len(name)) + name for name in names[:count])
            tail = struct.pack(">i", count) + stored + b"xntB"
            for status in (8, 3):
                sequence += 1
                head = struct.pack(
                    ">iiiqi", status, 21 + len(gtrid) + len(tail), 28, 1_700_000_000_000, sequence
                )
                check = zlib.crc32(gtrid + tail, zlib.crc32(head))
                parts.append(head + struct.pack(">IB", check, len(gtrid)) + gtrid + tail)
                used += len(parts[-1])
        head = struct.pack(">4sqBq", b"Btnx", 1_700_000_000_000 + number, 0, used)
        (root / f"btm{number}.tlog").write_bytes((head + b"".join(parts)).ljust(size // 2, b"\0"))


def make_derby(root: Path, size: int, rng: random.Random) -> None:  # The records come from a captured log.
    """Write log files of 16 MiB: repeated records of a captured log, each group with its checksum."""
    files = find_case("drb.captured.derby-10-14-2-0.changes").files()
    log, at, groups = bytes(files["log1.dat"]), 24, [[b""]]
    while (length := int.from_bytes(log[at : at + 4], "big")) > 0:
        body = log[at + 12 : at + 12 + length]
        if body.startswith(b"\0\x81\x49\0\0\0\x01\xc5\1"):
            groups.append([])
        else:
            groups[-1].append(body)
        at += 16 + length
    groups, each, number, last = groups[1:], 16 << 20, 1, 0
    for name in ("log.ctrl", "logmirror.ctrl"):
        (root / name).write_bytes(files[name])
    for number in range(1, max(1, size // each) + 1):
        parts, at = [log[:8] + struct.pack(">qq", number, last)], 24
        while at < min(each, size) - 65536:
            for group in groups:
                start, image = at + 37, b""
                for body in group:
                    place = struct.pack(">i", len(body))
                    image += place + struct.pack(">q", number << 32 | start + len(image)) + body + place
                head = b"\0\x81\x49\0\0\0\x01\xc5\1" + struct.pack(">iq", len(image), zlib.crc32(image))
                parts.append(struct.pack(">iq", 21, number << 32 | at) + head + struct.pack(">i", 21) + image)
                at += 37 + len(image)
        last = number << 32 | at
        # The last file has free space; the others end where the next one begins.
        room = 4 if number < max(1, size // each) else 1 << 16
        (root / f"log{number}.dat").write_bytes(b"".join(parts) + bytes(room))


def make_swiftmq(root: Path, size: int, rng: random.Random) -> None:
    """Write a store of a queue with 200 messages, and a log of commits that change parts of their pages."""
    pool, pages, page, per = rng.randbytes(1 << 16), 256, 2048, 60
    store, messages = bytearray(pages * page), 200
    index = list(range(1, 2 + (messages - 1) // per))
    first = len(index) + 1
    root_entry = b"\1" + struct.pack(">i", 9) + b"orders@r1" + struct.pack(">i4x", 1)
    store[: 17 + len(root_entry)] = struct.pack(">Biiii", 0, -1, -1, 1, 1) + root_entry
    for turn, place in enumerate(index):
        numbers = range(turn * per, min(messages, (turn + 1) * per))
        entries = b"".join(struct.pack(">Biiqqi4x", 1, 4, 1, 0, key, first + key) for key in numbers)
        links = (index[turn - 1] if turn else -1, place + 1 if place != index[-1] else -1)
        image = struct.pack(">Biiii", 0, *links, len(numbers), len(numbers)) + entries
        store[place * page : place * page + len(image)] = image
    for place in range(first, pages):
        if place >= first + messages:
            store[place * page] = 1
            continue
        body = struct.pack(">i", 1500) + pool[place : place + 1500]
        image = struct.pack(">iqi17x", 1, 0, 4) + bytes(11) + body
        image = struct.pack(">Biii", 0, -1, -1, 13 + len(image)) + image
        store[place * page : place * page + len(image)] = image
    (root / "db").mkdir()
    (root / "log").mkdir()
    (root / "db" / "page.db").write_bytes(store)
    parts, used, generation = [struct.pack(">iq", 1, 7)], 12, 7
    for number in iter(int, 1):
        if used >= size:
            break
        actions = []
        for _ in range(rng.randint(1, 6)):
            place, length, off = first + rng.randrange(messages), rng.randint(8, 200), rng.randint(61, 261)
            image = bytes(store[place * page + off : place * page + off + length])
            actions.append(
                struct.pack(">iiiBi", 4, place, off, 1, length) + image + struct.pack(">i", length) + image
            )
        parts.append(struct.pack(">iqqi", 2, generation, number, len(actions)) + b"".join(actions))
        used += len(parts[-1])
    (root / "log" / "transaction.log").write_bytes(b"".join(parts))


#: Format -> the function that writes a journal, the plain loop, and the pattern of the files that it reads.
PLAIN = {
    "bitronix_tlog": (make_bitronix, naive_bitronix, "*.tlog"),
    "jboss_journal": (make_jboss, naive_jboss, "*.amq"),
    "kahadb_journal": (make_kahadb, naive_kahadb, "db-*.log"),
    "derby_log": (make_derby, naive_derby, "log*.dat"),
    "swiftmq_store": (make_swiftmq, naive_swiftmq, "log/*.log"),
}


#: Product, version, number of messages or rows, directory of the journal, and the reading program (if any).
STORES = (
    ("kahadb", "6.1.7", 1_200_000, ".", "KahaRead.java"),
    ("artemis", "2.42.0", 600_000, "journal", "ArtemisRead.java"),
    ("derby", "10.14.2.0", 500_000, "log", ""),
)


def journal_at(path: Path) -> Journal:
    """Return the journal of a directory as a command finds it."""
    (journal,) = find_journals(load(path))
    return journal


def scanned(path: Path) -> int:
    """Scan a journal without its fields; return the number of records."""
    parts = stretches(settled(journal_at(path)))
    return sum(len(batch.off) for part in parts for batch in part.scan())


def with_columns(path: Path) -> int:
    """Scan a journal and make all typed columns; return the number of records."""
    parts = stretches(settled(journal_at(path)))
    return sum(len(part.columns(batch)) for part in parts if part.columns for batch in part.scan())


def recovered(path: Path) -> int:
    """Recover a journal with verdict and state."""
    journal = journal_at(path)
    answer = ask(journal, "strict")
    if answer.observation.verdict != "clean":
        raise ValueError(answer.observation.verdict)
    return len(answer.observation.state or {})


def best(tasks: dict[str, Callable[[], object]], rounds: int = 3) -> dict[str, float]:
    """Return the least CPU seconds of each task.

    The tasks take turns, so that a busy machine affects all tasks alike.
    """
    out = dict.fromkeys(tasks, float("inf"))
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.process_time()
            task()
            out[name] = min(out[name], time.process_time() - start)
    return out


def lines(format_id: str, root: Path, size: int) -> Iterator[str]:
    """Write a journal of a format, measure, and yield a row of the table."""
    make, naive, pattern = PLAIN[format_id]
    make(root, size, random.Random(1))
    paths = sorted(root.glob(pattern))
    amount = sum(path.stat().st_size for path in paths) / 1e6
    found = best(
        {
            "plain": lambda: [naive(path) for path in paths],
            "scan": lambda: scanned(root),
            "columns": lambda: with_columns(root),
            "recover": lambda: recovered(root),
        }
    )
    plain, scan, columns, recover = (amount / found[name] for name in ("plain", "scan", "columns", "recover"))
    yield (
        f"| {format_id} | {amount:.0f} | {plain:.0f} | {scan:.0f} | {scan / plain:.2f} | {columns:.0f} "
        f"| {recover:.0f} |"
    )


def store_lines(messages: int | None) -> Iterator[str]:
    """Yield a row for each store of real size: recovery, and the product's own reader of the same files."""
    for name, version, usual, inside, program in STORES:
        root = stores.written(name, version, messages=messages or usual, end="halt") / inside
        amount = sum(path.stat().st_size for path in root.iterdir() if path.is_file()) / 1e6
        journal = journal_at(root)
        found = best({"scan": partial(scanned, root), "recover": partial(ask, journal, "strict")}, rounds=1)
        own = f"{_product(name, version, program, root):.1f}" if program else ""
        scan, recover = (amount / found[task] for task in ("scan", "recover"))
        took = found["recover"]
        yield f"| {name} {version} | {amount:.0f} | {scan:.0f} | {recover:.0f} | {took:.1f} | {own} |"


def _product(name: str, version: str, program: str, root: Path) -> float:
    """Return the CPU seconds that the product's own classes take to read a copy of a journal."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy"
        shutil.copytree(root, copy)
        classes = f"{stores.jars(name, version)}/*"
        # Compile first, so that only reading is measured.
        compiler = ["javac", "-cp", classes, "-d", scratch, str(stores.PROGRAMS / program)]
        subprocess.run(compiler, check=True, capture_output=True)
        main = program.removesuffix(".java")
        words = ["java", "-Xmx2g", "-cp", f"{scratch}{os.pathsep}{classes}", main, str(copy)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def spark_lines(format_id: str, root: Path, scratch: Path) -> Iterator[str]:
    """Yield a row: the time that Spark takes to count, group and read a journal, and to read its rows as
    Parquet.
    """
    from pyspark.sql import SparkSession  # noqa: PLC0415  # only if asked for

    from journalspec_reference.spark import register  # noqa: PLC0415

    builder: Any = SparkSession.builder
    spark = builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    register(spark)
    frame = spark.read.format("journalspec").option("format", format_id).load(str(root))
    frame.limit(1).collect()
    paths = [path for path in root.rglob("*") if path.is_file()]
    amount = sum(path.stat().st_size for path in paths) / 1e6
    frame.write.mode("overwrite").parquet(str(scratch / "rows"))
    parquet = spark.read.parquet(str(scratch / "rows"))
    took = {}
    for name, task in {
        "count": frame.count,
        "group": lambda: frame.groupBy("type").count().collect(),
        "all": lambda: frame.write.format("noop").mode("overwrite").save(),
        "parquet": lambda: parquet.write.format("noop").mode("overwrite").save(),
    }.items():
        start, cpu = time.perf_counter(), below_us()[0]
        task()
        took[name] = time.perf_counter() - start, below_us()[0] - cpu
    count, group = (amount / took[name][0] for name in ("count", "group"))
    own, other = took["all"][1], took["parquet"][1]
    yield (
        f"| {format_id} | {amount:.0f} | {count:.0f} | {took['count'][1]:.2f} | {group:.0f} | {own:.2f} "
        f"| {other:.2f} | {own / other:.1f} | {below_us()[1] >> 20} |"
    )


def below_us() -> tuple[float, int]:
    """Return two values: the CPU seconds of this process and its descendants, and the largest memory of a
    worker.
    """
    known = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, _, rest = path.read_text().rpartition(")")
            fields = rest.split()
            known[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15])), name
    ours = {os.getpid()}
    while more := {each for each, (parent, *_) in known.items() if parent in ours} - ours:
        ours |= more
    peak = 0
    for each in ours - {os.getpid()}:
        with suppress(OSError):
            if "python" in known[each][2]:
                told = Path(f"/proc/{each}/status").read_text()
                peak = max(peak, int(told.partition("VmHWM:")[2].split()[0]) << 10)
    return sum(known[each][1] for each in ours) / os.sysconf("SC_CLK_TCK"), peak


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--format", choices=format_ids(), action="append")
    parser.add_argument("--mb", type=int, default=100, help="length of each journal")
    parser.add_argument(
        "--stores", action="store_true", help="stores of real size, and the products' readers"
    )
    parser.add_argument(
        "--messages", type=int, help="number of messages or rows in each store (default: about 400 to 900 MB)"
    )
    parser.add_argument("--spark", action="store_true", help="Spark, beside Parquet")
    parser.add_argument("--loops", action="store_true", help="print the plain loops")
    given = parser.parse_args()
    if given.loops:
        for format_id in given.format or PLAIN:
            print(inspect.getsource(PLAIN[format_id][1]))
    more: list[str] = []
    _head("format | MB | plain loop MB/s | scan MB/s | scan / plain | with columns MB/s | recover MB/s")
    for format_id in given.format or PLAIN:
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch) / "journal"
            root.mkdir()
            print(*lines(format_id, root, given.mb << 20), sep="\n", flush=True)
            if given.spark:
                more += spark_lines(format_id, root, Path(scratch))
    if given.spark:
        columns = (
            "count MB/s | count CPU s | group MB/s | all columns CPU s | Parquet CPU s | ratio | worker MiB"
        )
        _head(f"format | MB | {columns}")
        print(*more, sep="\n")
    if given.stores:
        _head("store | MB | scan MB/s | recover MB/s | recover CPU s | product CPU s")
        for line in store_lines(given.messages):
            print(line, flush=True)


def _head(names: str) -> None:
    print(f"\n| {names} |\n" + "|---" * len(names.split(" | ")) + "|")


if __name__ == "__main__":
    main()
