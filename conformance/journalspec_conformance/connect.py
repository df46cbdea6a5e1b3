"""``--impl``: from what the user typed to a connection."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from shutil import which

from journalspec.observation import Level
from journalspec_conformance.bounds import BOUNDS, Bounds
from journalspec_conformance.connection import Connection
from journalspec_conformance.errors import Problem
from journalspec_conformance.harnesses import HarnessEntry, registry
from journalspec_conformance.harnesses.product import command as product_command
from journalspec_conformance.inprocess import InProcessConnection
from journalspec_conformance.process import OneShotConnection, ProcessConnection, PythonConnection

MODES = ("persistent", "oneshot")
#: Seconds per question if neither the user nor the harness says otherwise.
DEFAULT_TIMEOUT = 10.0
_PYTHON = "py:"


@dataclass(frozen=True, slots=True)
class Target:
    """An implementation that can be opened, in this process or another (it pickles).

    Either `python` ("module:Class") or `command` is given. A `shipped` class runs in
    this process, anybody else's in a child. `text` is what the user typed. `expectations`
    is the shipped expectation file, and `timeout` what the harness asks for in seconds per
    question, if any; `bounds` are what it may take.
    """

    text: str
    python: str = ""
    command: tuple[str, ...] = ()
    mode: str = "persistent"
    level: Level = Level.RECORDS
    expectations: Path | None = None
    timeout: float | None = None
    shipped: bool = False
    bounds: Bounds = BOUNDS

    def open(self, timeout: float = DEFAULT_TIMEOUT) -> Connection:
        """Return a connection; `timeout` in seconds per request."""
        if self.shipped:
            return InProcessConnection(self.python)
        if self.python:
            return PythonConnection(self.python, timeout=timeout, bounds=self.bounds)
        if self.mode == "oneshot":
            return OneShotConnection(self.command, timeout=timeout, level=self.level, bounds=self.bounds)
        return ProcessConnection(self.command, timeout=timeout, bounds=self.bounds)


def parse_impl(
    text: str, mode: str = "persistent", level: Level | None = None, bounds: Bounds = BOUNDS
) -> Target:
    """Return the target that `text` names: a shipped harness, ``py:module:Class``, or a command line.

    `bounds` are what it may take for one question. Raises Problem if it can be none of them.
    """
    if mode not in MODES:
        raise Problem(f"unknown mode {mode!r}: choose one of {', '.join(MODES)}")
    entry = registry().get(text)
    if entry is not None:
        return replace(_shipped(entry), bounds=bounds)
    if text.startswith(_PYTHON):
        if str(Path.cwd()) not in sys.path and "" not in sys.path:
            sys.path.insert(0, str(Path.cwd()))  # as `python -m` does: the user's class lies where he stands
        return Target(text, python=text.removeprefix(_PYTHON), bounds=bounds)
    try:
        command = shlex.split(text, posix=os.name == "posix")
    except ValueError as error:
        raise Problem(f"--impl {text!r} cannot be split into words: {error}") from None
    choices = f"Shipped harnesses: {', '.join(registry())}. Or give py:module:Class, or a command line that"
    choices += " speaks the protocol."
    if not command:
        raise Problem("--impl is empty", choices)
    if len(command) == 1 and which(command[0]) is None and not Path(command[0]).is_file():
        raise Problem(
            f"--impl {text!r} is neither a shipped harness nor a command that can be found", choices
        )
    observed = Level.RECORDS if level is None else level
    return Target(text, command=tuple(command), mode=mode, level=observed, bounds=bounds)


def _shipped(entry: HarnessEntry) -> Target:
    expectations = None
    if entry.expectations:
        expectations = Path(str(files("journalspec_conformance"))) / "expectations" / entry.expectations
    target = Target(entry.name, python=entry.target, expectations=expectations, timeout=entry.timeout)
    if entry.target:
        return replace(target, shipped=True)
    try:
        return replace(target, command=tuple(product_command(entry.product)))
    except LookupError as error:
        raise Problem(f"harness {entry.name} is not ready: {error.args[0]}") from None
