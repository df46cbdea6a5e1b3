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
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses.bitronix_tlog.driver import configure
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Java
from journalspec_conformance.products import get_product

_XA_OK = 0
_TIMEOUT_SECONDS = 60


class Resource:
    """An XA resource that agrees to everything and keeps nothing."""

    def __init__(self, commits: list[int]) -> None:
        """`commits` counts the commit calls of the transaction, over all resources."""
        self.commits = commits

    # The method names are the interface's own.
    def start(self, xid: Java, flags: int) -> None:
        """Begin work on a branch."""

    def end(self, xid: Java, flags: int) -> None:
        """End work on a branch."""

    def prepare(self, xid: Java) -> int:
        """Vote for commit."""
        return _XA_OK

    def commit(self, xid: Java, one_phase: bool) -> None:
        """Commit, or die instead if this is the call to die in."""
        self.commits[0] -= 1
        if self.commits[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def rollback(self, xid: Java) -> None:
        """Roll back."""

    def recover(self, flag: int) -> Java:
        """No branch is in doubt here."""
        return jvm.java_classes().JArray(jvm.java_classes().JClass("javax.transaction.xa.Xid"))([])

    def forget(self, xid: Java) -> None:
        """Nothing was remembered."""

    def isSameRM(self, other: Java) -> bool:  # noqa: N802 - the interface's name
        """Every resource is its own manager."""
        return False

    def getTransactionTimeout(self) -> int:  # noqa: N802 - the interface's name
        """Return seconds."""
        return _TIMEOUT_SECONDS

    def setTransactionTimeout(self, seconds: int) -> bool:  # noqa: N802 - the interface's name
        """No other timeout is taken."""
        return False


def run(directory: Path, transactions: list[dict[str, Any]]) -> None:
    """Do all transactions on a journal in `directory` and shut the manager down."""
    jpype = jvm.java_classes()
    configure(directory, skip=False, megabytes=1)
    commits = [0]
    interface = jpype.JClass("javax.transaction.xa.XAResource")
    producer = jpype.JClass("bitronix.tm.resource.ehcache.EhCacheXAResourceProducer")
    resources = {}
    for name in sorted({name for entry in transactions for name in entry["resources"]}):
        proxy = jpype.JProxy(interface, inst=Resource(commits))
        resources[name] = jpype.JObject(proxy, interface)
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
