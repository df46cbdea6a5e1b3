"""Playing one scenario: the harness as a process, killed where the scenario says so."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from journalspec_conformance.errors import TimedOut
from journalspec_conformance.harnesses.bitronix_tlog.capture.scenarios import Op, Scenario, Session
from journalspec_conformance.harnesses.bitronix_tlog.observe import FORMAT
from journalspec_conformance.harnesses.java.capturing import ask_about_copy, play_steps
from journalspec_conformance.process import ProcessConnection
from journalspec_conformance.products import Product

HARNESS = "journalspec_conformance.harnesses.bitronix_tlog"
#: Seconds; every answer of the product comes within milliseconds or not at all.
TIMEOUT = 10.0

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """One operation that was done, and what the harness said about it."""

    session: int
    op: Op
    answer: Answer


@dataclass(frozen=True, slots=True)
class ProductView:
    """What the same product then says about a copy of the files."""

    read: Answer
    strict: Answer
    salvage: Answer


def connect(product: Product, charset: str | None = None) -> ProcessConnection:
    """Return a connection to a fresh harness process for `product`."""
    command = [sys.executable, "-m", HARNESS, "--product", product.id]
    if charset:
        command += ["--charset", charset]
    return ProcessConnection(command, timeout=TIMEOUT)


def play(product: Product, scenario: Scenario, directory: Path) -> list[Done]:
    """Do all sessions of `scenario` in `directory` and return what was done."""
    done: list[Done] = []
    for number, session in enumerate(scenario.sessions):
        done.extend(_play_session(product, scenario, session, number, directory))
    return done


def _play_session(
    product: Product, scenario: Scenario, session: Session, number: int, directory: Path
) -> list[Done]:
    connection = connect(product, scenario.charset)
    params = {} if scenario.file_length is None else {"file_length": str(scenario.file_length)}
    if scenario.filtered:
        params["filter_status"] = "true"
    request = {
        "format": FORMAT,
        "edition": product.edition,
        "dir": str(directory),
        "params": params,
        "ops": list(session.ops),
    }
    played = play_steps(connection, request, killed=session.killed)
    return [Done(number, op, answer) for op, answer in played]


def look(product: Product, directory: Path) -> ProductView:
    """Ask `product` about copies of `directory`; a hang is told as such."""
    connection = connect(product)
    try:
        read = _ask(connection, directory, {"cmd": "read"})
        strict, salvage = (
            _ask(connection, directory, {"cmd": "recover", "policy": policy})
            for policy in ("strict", "salvage")
        )
        return ProductView(read, strict, salvage)
    finally:
        connection.close()


def _ask(connection: ProcessConnection, directory: Path, question: dict[str, str]) -> Answer:
    request = {**question, "format": FORMAT, "edition": "2.1", "observe": "state"}
    try:
        return ask_about_copy(connection, directory, request)
    except TimedOut:
        return {"verdict": "no answer"}
