"""Runs the complete transaction manager of Bitronix in its own process, which a capture may kill.

``python tools/captures/bitronix_manager.py transactions --product ID --directory DIR --told JSON``
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses.bitronix_tlog.harness import configure
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Java, instance_of
from journalspec_conformance.harnesses.product import run_program
from journalspec_conformance.products import Product

_TIMEOUT_SECONDS = 60
#: The answers of an XA resource that agrees to every request, stores nothing, and is its own resource
#: manager.
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


def transactions(product: Product, *, directory: str, told: str) -> bool:
    """Let the complete manager run transactions over resources made here, on the pair in `directory`; return
    False.

    `told` is a JSON list of ``{"fate": "commit" | "rollback" | "one-phase" | "die", "resources": ["db1"]}``.
    ``die`` kills the process when the second resource receives its commit, after the first one has committed.
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
    """Return a resource that agrees to every request; `commits` counts down all commit calls, and at 0 the
    process is killed.
    """

    def commit(*_: Any) -> None:
        commits[0] -= 1
        if commits[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def in_doubt(_: int) -> Java:
        jpype = jvm.java_classes()
        return jpype.JArray(jpype.JClass("javax.transaction.xa.Xid"))([])

    answers = {name: lambda *_, said=said: said for name, said in _AGREES.items()}
    return instance_of("javax.transaction.xa.XAResource", commit=commit, recover=in_doubt, **answers)


if __name__ == "__main__":
    run_program({"transactions": transactions})
