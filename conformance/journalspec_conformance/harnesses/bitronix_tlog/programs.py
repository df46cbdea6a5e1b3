"""What one request can neither show nor make: threads that force at once, and the whole transaction manager.

``python -m journalspec_conformance.harnesses.bitronix_tlog.programs NAME --product ID [--OPTION VALUE]...``
"""

from __future__ import annotations

import json
import os
import signal
import struct
import threading
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses.bitronix_tlog.harness import PAIR, Writing, configure
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Java, instance_of
from journalspec_conformance.harnesses.product import Program, run_program
from journalspec_conformance.products import Product
from journalspec_conformance.programs import scratch

_NAME = "db1"
#: From the end of the gtrid to the end of the record: count, one name with its length, end marker.
_BEHIND_GTRID = 4 + 2 + len(_NAME) + 4
_TAIL_AT = 13
#: Room enough that no race swaps the files.
_LENGTH = 8 << 20
_TIMEOUT_SECONDS = 60
#: What an XA resource answers that agrees to everything, keeps nothing and is its own manager.
_AGREES = {
    "start": None,
    "end": None,
    "prepare": 0,
    "rollback": None,
    "forget": None,
    "isSameRM": False,
    "getTransactionTimeout": _TIMEOUT_SECONDS,
    "setTransactionTimeout": False,
}


def covered(content: bytes, gtrid: bytes) -> bool:
    """Tell whether the record of `gtrid` is in `content`, a whole log file, and ends at or below its tail."""
    (tail,) = struct.unpack_from(">q", content, _TAIL_AT)
    at = content.find(gtrid)
    return at >= 0 and at + len(gtrid) + _BEHIND_GTRID <= tail


def races(product: Product, *, threads: str = "4", rounds: str = "400") -> bool:
    """Tell whether force() breaks its word when several threads log at once.

    After each force the thread's own record must lie below the tail that is in the file: a process that is
    killed at that moment loses it otherwise. How often that happens is chance.
    """
    jvm.start(product)
    size = int(threads) * int(rounds) * 64 + 4096  # no record here is longer than 64 bytes
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
    print(f"{product.id}: {lost} of {len(kept)} forced records not below the tail")
    return bool(lost)


def transactions(product: Product, *, directory: str, told: str) -> bool:
    """Let the whole manager do transactions over resources made here, on the pair in `directory`; False.

    `told` is a JSON list of ``{"fate": "commit" | "rollback" | "one-phase" | "die", "resources": ["db1"]}``.
    ``die`` kills the process when the second resource is told to commit: the first one has committed then.
    """
    jvm.start(product)
    jpype = jvm.java_classes()
    configure(Path(directory))
    entries = json.loads(told)
    commits = [0]
    producer = jpype.JClass("bitronix.tm.resource.ehcache.EhCacheXAResourceProducer")
    resources = {}
    for name in sorted({name for entry in entries for name in entry["resources"]}):
        resources[name] = _resource(commits)
        producer.registerXAResource(name, resources[name])
    manager = jpype.JClass("bitronix.tm.TransactionManagerServices").getTransactionManager()
    for entry in entries:
        commits[0] = 2 if entry["fate"] == "die" else 0
        manager.begin()
        for name in entry["resources"]:
            manager.getTransaction().enlistResource(resources[name])
        if entry["fate"] == "rollback":
            manager.rollback()
        else:
            manager.commit()
    manager.shutdown()
    return False


def _resource(commits: list[int]) -> Java:
    """Return such a resource; `commits` counts down the commit calls of all of them, and at 0 one dies."""

    def commit(*_: Any) -> None:
        commits[0] -= 1
        if commits[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def in_doubt(_: int) -> Java:
        jpype = jvm.java_classes()
        return jpype.JArray(jpype.JClass("javax.transaction.xa.Xid"))([])

    answers = {name: lambda *_, said=said: said for name, said in _AGREES.items()}
    return instance_of("javax.transaction.xa.XAResource", commit=commit, recover=in_doubt, **answers)


PROGRAMS: dict[str, Program] = {"races": races, "transactions": transactions}

if __name__ == "__main__":
    run_program(PROGRAMS)
