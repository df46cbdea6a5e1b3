"""A child process that runs the product's whole transaction manager over two resources made here.

``python -m ....transactions PRODUCT DIRECTORY`` reads a JSON list of
transactions from standard input::

    {"fate": "commit" | "rollback" | "one-phase" | "die", "resources": ["db1", "jms1"]}

``die`` kills the process when the second resource is told to commit: the first
one has committed then. The process shuts the manager down at the end.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses.bitronix_tlog.driver import configure
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Java
from journalspec_conformance.products import get_product

_XA_OK = 0
_TIMEOUT_SECONDS = 60
#: What an XA resource answers that agrees to everything, keeps nothing and is its own manager.
_AGREES = {
    "start": None,
    "end": None,
    "prepare": _XA_OK,
    "rollback": None,
    "forget": None,
    "isSameRM": False,
    "getTransactionTimeout": _TIMEOUT_SECONDS,
    "setTransactionTimeout": False,
}


def _resource(commits: list[int]) -> Java:
    """Return such a resource; `commits` counts down the commit calls of all of them, and at 0 one dies."""
    jpype = jvm.java_classes()

    def commit(xid: Java, one_phase: bool) -> None:
        commits[0] -= 1
        if commits[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def in_doubt(flag: int) -> Java:
        return jpype.JArray(jpype.JClass("javax.transaction.xa.Xid"))([])

    def answering(said: Any) -> Callable[..., Any]:
        return lambda *arguments: said

    methods = {name: answering(said) for name, said in _AGREES.items()}
    interface = jpype.JClass("javax.transaction.xa.XAResource")
    proxy = jpype.JProxy(interface, dict={**methods, "commit": commit, "recover": in_doubt})
    return jpype.JObject(proxy, interface)


def run(directory: Path, transactions: list[dict[str, Any]]) -> None:
    """Do all transactions on a journal in `directory` and shut the manager down."""
    jpype = jvm.java_classes()
    configure(directory, skip=False, megabytes=1)
    commits = [0]
    producer = jpype.JClass("bitronix.tm.resource.ehcache.EhCacheXAResourceProducer")
    resources = {}
    for name in sorted({name for entry in transactions for name in entry["resources"]}):
        resources[name] = _resource(commits)
        producer.registerXAResource(name, resources[name])
    manager = jpype.JClass("bitronix.tm.TransactionManagerServices").getTransactionManager()
    for entry in transactions:
        commits[0] = 2 if entry["fate"] == "die" else 0
        manager.begin()
        for name in entry["resources"]:
            manager.getTransaction().enlistResource(resources[name])
        if entry["fate"] == "rollback":
            manager.rollback()
        else:
            manager.commit()
    manager.shutdown()


def main() -> int:
    """Run as a process; see the module's text."""
    product, directory = sys.argv[1:]
    transactions = json.load(sys.stdin)
    jvm.start(get_product(product))
    run(Path(directory), transactions)
    os._exit(0)  # threads of the product may never end


if __name__ == "__main__":
    sys.exit(main())
