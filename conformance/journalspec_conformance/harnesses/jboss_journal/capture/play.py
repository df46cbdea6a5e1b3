"""Playing one scenario: the harness as a process, killed where the scenario says so."""

from __future__ import annotations

import json
import shutil
import subprocess  # the child is this package's own module
import sys
from dataclasses import dataclass
from pathlib import Path

from journalspec.kept import scratch
from journalspec_conformance.harnesses.java.capturing import Answer, Op, ask_about_copy, play_steps
from journalspec_conformance.harnesses.jboss_journal.brands import brand_of
from journalspec_conformance.harnesses.jboss_journal.capture.scenarios import Scenario
from journalspec_conformance.harnesses.jboss_journal.observe import FORMAT
from journalspec_conformance.process import ProcessConnection
from journalspec_conformance.products import Product

HARNESS = "journalspec_conformance.harnesses.jboss_journal"
_MOMENTS = f"{HARNESS}.capture.moments"
#: Seconds; every answer of the product comes within milliseconds.
TIMEOUT = 30.0

#: Sessions: how each ended, and its operations with the answers to them.
Sessions = list[tuple[str, list[tuple[Op, Answer]]]]


@dataclass(frozen=True, slots=True)
class ProductView:
    """What the same product then says about copies of the files, and the Java that it ran on."""

    read: Answer
    recover: Answer
    java: str


def connect(product: Product) -> ProcessConnection:
    """Return a connection to a fresh harness process for `product`."""
    return ProcessConnection([sys.executable, "-m", HARNESS, "--product", product.id], timeout=TIMEOUT)


def params_of(product: Product, scenario: Scenario) -> dict[str, str]:
    """Return the parameters of all requests about `scenario`."""
    brand = brand_of(product)
    return scenario.params(brand.prefix, brand.extension)


def play(product: Product, scenario: Scenario, directory: Path) -> Sessions:
    """Do all sessions of `scenario` in `directory` and return what was done."""
    params = params_of(product, scenario)
    done: Sessions = []
    for session in scenario.sessions:
        request: Op = {
            "format": FORMAT,
            "edition": product.edition,
            "dir": str(directory),
            "params": params,
            "ops": list(session.ops),
        }
        if scenario.moment:
            _copy_moment(product, scenario.moment, request, directory)
            done.append((f"copied: {scenario.moment}", [(op, {}) for op in session.ops]))
        else:
            played = play_steps(connect(product), request, killed=session.killed)
            done.append(("killed" if session.killed else "closed", played))
    return done


def _copy_moment(product: Product, moment: str, request: Op, directory: Path) -> None:
    """Let a child process do the operations elsewhere; `directory` becomes its copy of one moment."""
    with scratch() as place:
        work, out = place / "work", place / "out"
        work.mkdir()
        command = [sys.executable, "-m", _MOMENTS, product.id, str(work), str(out)]
        subprocess.run(
            command,
            input=json.dumps(request),
            text=True,
            check=True,
            capture_output=True,
            timeout=TIMEOUT * 2,
        )
        shutil.copytree(out / moment, directory, dirs_exist_ok=True)


def look(product: Product, scenario: Scenario, directory: Path) -> ProductView:
    """Ask `product` about copies of `directory`."""
    connection = connect(product)
    request = {
        "format": FORMAT,
        "edition": product.edition,
        "observe": "state",
        "params": params_of(product, scenario),
    }
    try:
        java = str(connection.hello().impl["java"])
        read = ask_about_copy(connection, directory, {**request, "cmd": "read"})
        recover = ask_about_copy(connection, directory, {**request, "cmd": "recover", "policy": "strict"})
        return ProductView(read, recover, java)
    finally:
        connection.close()
