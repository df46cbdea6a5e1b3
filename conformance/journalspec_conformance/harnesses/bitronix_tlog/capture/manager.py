"""Captures made by the whole transaction manager, not only by its journal."""

from __future__ import annotations

import json
import signal
import subprocess  # the child is this package's own module
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses.bitronix_tlog.capture.play import connect
from journalspec_conformance.harnesses.bitronix_tlog.capture.provenance import Run
from journalspec_conformance.harnesses.bitronix_tlog.driver import PAIR
from journalspec_conformance.products import Product

_CHILD = "journalspec_conformance.harnesses.bitronix_tlog.capture.transactions"
_SECONDS = 120
#: The records of one transaction, by its fate: what the manager is known to log.
LOGGED = {
    "commit": ["ACTIVE", "PREPARING", "PREPARED", "COMMITTING", "COMMITTED"],
    "die": ["ACTIVE", "PREPARING", "PREPARED", "COMMITTING"],
    "one-phase": ["ACTIVE", "PREPARING", "PREPARED", "COMMITTING", "COMMITTED"],
    "rollback": ["ACTIVE", "ROLLING_BACK", "ROLLEDBACK"],
}


@dataclass(frozen=True, slots=True)
class ManagerScenario:
    """A named run of the manager: the fate of each transaction, in order."""

    name: str
    title: str
    fates: tuple[str, ...]
    file_length: int

    @property
    def transactions(self) -> list[dict[str, Any]]:
        """Return what the child process is told to do."""
        one, both = ["db1"], ["db1", "jms1"]
        return [{"fate": fate, "resources": one if fate == "one-phase" else both} for fate in self.fates]


SCENARIOS: tuple[ManagerScenario, ...] = (
    ManagerScenario(
        "tm-commits",
        "two commits, a rollback, a one-phase commit; shut down",
        ("commit", "rollback", "one-phase", "commit"),
        4096,
    ),
    ManagerScenario(
        "tm-crash-between-commits",
        "killed when the second resource of the second transaction is to commit",
        ("commit", "die"),
        2048,
    ),
    ManagerScenario(
        "tm-swap-crash-between-commits",
        "the same in the eighth transaction, behind a swap",
        ("commit",) * 7 + ("die",),
        2048,
    ),
)


def capture(scenario: ManagerScenario, product: Product, directory: Path) -> Run:
    """Run `scenario` in `directory` (empty)."""
    connection = connect(product)
    impl = connection.hello().impl
    _empty_pair(connection, product, directory, scenario.file_length)
    connection.close()
    command = [sys.executable, "-m", _CHILD, product.id, str(directory)]
    told = json.dumps(scenario.transactions)
    done = subprocess.run(command, input=told, text=True, timeout=_SECONDS, check=False)
    died = "die" in scenario.fates
    if done.returncode != (-signal.SIGKILL if died else 0):
        raise RuntimeError(f"{product.id}, {scenario.name}: the child ended with {done.returncode}")
    ending = "killed in the last transaction" if died else "the manager was shut down"
    session = (ending, tuple(scenario.transactions))
    return Run(product, scenario.name, scenario.title, impl["java"], impl["charset"], False, (session,))


def fates_of(run: Run) -> list[str]:
    """Return the fates of the manager's transactions, none if the journal was driven directly."""
    return [op["fate"] for _, ops in run.sessions for op in ops if "fate" in op]


def _empty_pair(connection: Any, product: Product, directory: Path, length: int) -> None:
    request = {
        "cmd": "write",
        "format": "bitronix_tlog",
        "edition": product.edition,
        "dir": str(directory),
        "params": {"file_length": str(length)},
        "ops": [{"op": "open"}, {"op": "close"}],
    }
    connection.ask(request)


def written(fates: list[str], read: dict[str, Any]) -> dict[str, Any]:
    """Return what stands in the files: the product's own reading, held against what each fate logs.

    The ids are the manager's choice and the files keep the last lap only, so the
    check is on the records that are left: for each transaction a closing piece of
    what its fate logs, and the copies (COMMITTING) of a swap.
    """
    files = {
        name: [
            {key: record[key] for key in ("type", "gtrid", "names")}
            for record in read["records"]
            if record["at"]["file"] == name
        ]
        for name in PAIR
    }
    sequences: dict[str, list[str]] = {}
    for name in PAIR:
        for record in files[name]:
            sequences.setdefault(record["gtrid"], []).append(record["type"])
    known = [LOGGED[fate] for fate in dict.fromkeys(fates)]
    strange = {
        gtrid: kinds
        for gtrid, kinds in sequences.items()
        if not any(
            sorted(set(kinds)) == sorted(set(part[-size:]))
            for part in known
            for size in range(1, len(part) + 1)
        )
    }
    out: dict[str, Any] = {"files": files, "agreed": not strange}
    if strange:
        out["why_not"] = [f"{gtrid}: {kinds}" for gtrid, kinds in sorted(strange.items())]
    return out
