"""How long a scan of hostile bytes takes, and how much memory: nearly every byte begins a candidate.

Run as ``python tools/scan_bench.py [--mib N]``. The
file is made in a temporary directory and scanned as `inspect` does, once per pattern.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from journalspec_reference.content import Content, Descriptors, FileSource
from journalspec_reference.crowds import Finder
from journalspec_reference.jboss_journal.codec import DIALECTS, ROLLBACK, Dialect, JournalRecord
from journalspec_reference.jboss_journal.scan import walk

MIB = 1 << 20
TYPE = 0x0B
#: File id of the data: four times a record type, so that a run of types is a run of candidates.
FILE_ID = TYPE * 0x01010101


@dataclass(frozen=True, slots=True)
class Measured:
    """One scan. `peak_mib` is the most memory that the process had, what was loaded of the file included."""

    edition: str
    pattern: str
    mib: int
    candidates: int
    records: int
    regions: int
    seconds: float
    cpu_seconds: float
    mib_per_second: float
    candidates_per_second: float
    peak_mib: float


def _types(dialect: Dialect) -> bytes:
    """Every byte a record type and every offset a candidate; sizes are huge, and in range of large files."""
    return bytes([TYPE]) * MIB


def _mixed(dialect: Dialect) -> bytes:
    """Every type in turn, each with the file's id and a size of its own."""
    stamp = dialect.stamp(FILE_ID).to_bytes(4, "big")
    codes = sorted(dialect.kinds)
    piece = b"".join(
        bytes([code]) + stamp + bytes([TYPE]) * 3 + (step * 40503 % 2**20).to_bytes(4, "big") * 5
        for step, code in enumerate(codes * 11)
    )
    return (piece * (MIB // len(piece) + 1))[:MIB]


def _negative(dialect: Dialect) -> bytes:
    """Candidates at every fifth offset, all sizes negative or beyond the file."""
    stamp = dialect.stamp(FILE_ID).to_bytes(4, "big")
    piece = bytes([TYPE]) + stamp + bytes([TYPE]) + stamp + b"\xff\x7f"
    return (piece * (MIB // len(piece) + 1))[:MIB]


def _claims(dialect: Dialect) -> bytes:
    """Candidates that claim a few bytes each, with a wrong check size: the most torn regions there can be."""
    stamp = dialect.stamp(FILE_ID).to_bytes(4, "big")
    piece = bytes([ROLLBACK]) + stamp + bytes(13)
    return (piece * (MIB // len(piece) + 1))[:MIB]


PATTERNS: dict[str, Callable[[Dialect], bytes]] = {
    "types": _types,
    "mixed": _mixed,
    "sizes": _negative,
    "claims": _claims,
}


def measure(edition: str, pattern: str, mib: int, directory: Path) -> Measured:
    """Make a file of `mib` MiB in `directory`, scan it, and remove it."""
    dialect = DIALECTS[edition]
    path = directory / "hostile"
    block = PATTERNS[pattern](dialect)
    with path.open("wb") as out:
        for _ in range(mib):
            out.write(block)
    try:
        return _scan(dialect, pattern, mib, Content(FileSource(str(path), Descriptors())))
    finally:
        path.unlink()


def _scan(dialect: Dialect, pattern: str, mib: int, data: Content) -> Measured:
    records = regions = 0
    peak = _anonymous()
    began, used = time.monotonic(), time.process_time()
    for number, item in enumerate(walk(data, FILE_ID, dialect)):
        if isinstance(item, JournalRecord):
            records += 1
        else:
            regions += 1
        if number % 65536 == 0:
            peak = max(peak, _anonymous())
    seconds, cpu = time.monotonic() - began, time.process_time() - used
    peak = max(peak, _anonymous())
    count = _count(dialect, data)
    return Measured(
        dialect.name,
        pattern,
        mib,
        count,
        records,
        regions,
        round(seconds, 2),
        round(cpu, 2),
        round(mib / seconds, 2),
        round(count / seconds),
        round(peak / 1024, 1),
    )


def _count(dialect: Dialect, data: Content) -> int:
    """Return how many candidates `data` has."""
    finder = Finder(data, dialect.signs(dialect.stamp(FILE_ID)), len(data))
    at = count = 0
    while (window := finder.window(at)).end > at:
        count += len(window.all)
        at = window.end
    return count


def _anonymous() -> int:
    """Return this process's memory that is no file's, in KiB; all of it where the system does not tell."""
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main(arguments: list[str] | None = None) -> int:
    """Measure and print one line of JSON per scan."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mib", type=int, default=64, help="size of the file (default 64)")
    parser.add_argument("--edition", choices=list(DIALECTS), default="v2")
    parser.add_argument("--pattern", choices=sorted(PATTERNS), action="append")
    chosen = parser.parse_args(arguments)
    if chosen.mib < 1:
        parser.error("--mib is at least 1")
    with tempfile.TemporaryDirectory(prefix="journalspec-scan-") as scratch:
        for pattern in chosen.pattern or list(PATTERNS):
            measured = measure(chosen.edition, pattern, chosen.mib, Path(scratch))
            sys.stdout.write(json.dumps(asdict(measured)) + "\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
