"""A program for an effect that one request cannot show: concurrent calls of force().

``python -m journalspec_conformance.harnesses.bitronix_tlog.programs races --product ID [--OPTION VALUE]...``
"""

from __future__ import annotations

import struct
import threading

from journalspec_conformance.harnesses.bitronix_tlog.harness import PAIR, Writing
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.product import run_program
from journalspec_conformance.products import Product
from journalspec_conformance.programs import scratch

_NAME = "db1"
#: The bytes from the end of the gtrid to the end of the record: count, one name with its length, end marker.
_BEHIND_GTRID = 4 + 2 + len(_NAME) + 4
_TAIL_AT = 13
#: A file size that is large enough for races without a swap.
_LENGTH = 8 << 20


def covered(content: bytes, gtrid: bytes) -> bool:
    """Return whether `content`, a complete log file, contains the record of `gtrid` before its tail."""
    (tail,) = struct.unpack_from(">q", content, _TAIL_AT)
    at = content.find(gtrid)
    return at >= 0 and at + len(gtrid) + _BEHIND_GTRID <= tail


def races(product: Product, *, threads: str = "4", rounds: str = "400") -> bool:
    """Return whether a record is not durable after force() if several threads log at the same time.

    After each force(), the thread's own record must be before the tail in the file. Otherwise, a process that
    is killed at that moment loses the record. How often that happens is a matter of chance.
    """
    jvm.start(product)
    size = int(threads) * int(rounds) * 64 + 4096  # No record of this program is longer than 64 bytes.
    kept: list[bool] = []

    def work(number: int) -> None:
        for count in range(int(rounds)):
            gtrid = f"T{number:03d}-{count:06d}".encode()
            session.apply({"op": "log", "type": "COMMITTING", "gtrid": gtrid.hex(), "names": [_NAME]})
            session.apply({"op": "force"})
            with (place / PAIR[0]).open("rb") as stream:
                kept.append(covered(stream.read(size), gtrid))

    with scratch() as place:
        session = Writing(place, {"file_length": str(_LENGTH)})
        session.apply({"op": "open"})
        workers = [threading.Thread(target=work, args=(number,)) for number in range(int(threads))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        session.stop()
    lost = kept.count(False)
    print(f"{product.id}: {lost} of {len(kept)} fsynced records are not before the tail")
    return bool(lost)


if __name__ == "__main__":
    run_program({"races": races})
