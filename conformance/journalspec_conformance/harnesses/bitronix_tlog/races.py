"""Does force() keep its word when several threads log at once?

``python -m journalspec_conformance.harnesses.bitronix_tlog.races --product ID``
lets threads log and force, and looks after each force whether the thread's own
record lies below the tail that is in the file. A process that is killed at that
moment loses the records that do not. How often that happens is chance.
"""

from __future__ import annotations

import argparse
import os
import struct
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from journalspec.kept import scratch
from journalspec_conformance.harnesses.bitronix_tlog.driver import PAIR, Journal
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.products import get_product, product_ids

_COMMITTING = 8
_NAME = "db1"
#: From the end of the gtrid to the end of the record: count, one name with its length, end marker.
_BEHIND_GTRID = 4 + 2 + len(_NAME) + 4
_TAIL_AT = 13
#: Room enough that no run of this program swaps the files.
_MEGABYTES = 8


@dataclass(frozen=True, slots=True)
class Count:
    """How many records were acknowledged, and how many of those the tail did not cover."""

    acknowledged: int
    uncovered: int


def covered(content: bytes, gtrid: bytes) -> bool:
    """Tell whether the record of `gtrid` is in `content`, a whole log file, and ends at or below its tail."""
    (tail,) = struct.unpack_from(">q", content, _TAIL_AT)
    at = content.find(gtrid)
    return at >= 0 and at + len(gtrid) + _BEHIND_GTRID <= tail


def race(directory: Path, threads: int, rounds: int) -> Count:
    """Log and force from `threads` threads, `rounds` times each, on a new journal in `directory`."""
    journal = Journal(directory, megabytes=_MEGABYTES)
    journal.open()
    size = threads * rounds * 64 + 4096  # no record here is longer than 64 bytes
    results: list[bool] = []

    def work(number: int) -> None:
        for count in range(rounds):
            gtrid = f"T{number:03d}-{count:06d}".encode()
            journal.log(_COMMITTING, gtrid, [_NAME])
            journal.force()
            with (directory / PAIR[0]).open("rb") as stream:
                results.append(covered(stream.read(size), gtrid))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    journal.abandon()
    return Count(len(results), results.count(False))


def main(arguments: list[str] | None = None) -> int:
    """Run once and print the count; 0 every acknowledged record was covered, 1 one was not."""
    parser = argparse.ArgumentParser(prog=f"python -m {__spec__.name}" if __spec__ else None)
    parser.add_argument("--product", required=True, choices=product_ids())
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=400)
    options = parser.parse_args(arguments)
    jvm.start(get_product(options.product))
    with scratch() as place:
        found = race(place, options.threads, options.rounds)
    print(f"{options.product}: {found.uncovered} of {found.acknowledged} forced records not below the tail")
    sys.stdout.flush()
    os._exit(1 if found.uncovered else 0)  # threads of the product may never end


if __name__ == "__main__":
    sys.exit(main())
