"""The harness of Java products: the protocol's requests for all formats, one product in one process.

A format's package has a driver, a class of its own on :class:`Driver`; ``exceptions.toml``, what its
products throw, as refusals; and ``__main__``, which calls :func:`main` with the driver. The registry starts
it (``product = "ID"`` in ``harnesses/NAME.toml``).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Protocol

from journalspec.kept import scratch
from journalspec.observation import REFUSED
from journalspec_conformance import PROTOCOL
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Thrown
from journalspec_conformance.products import (
    Product,
    ProductError,
    UnknownProductError,
    classpath,
    get_product,
    product_ids,
)
from journalspec_conformance.serve import serve

Request = dict[str, Any]
Answer = dict[str, Any]
Op = Mapping[str, Any]
#: The longest message that is passed on.
SHOWN = 2000
_OPEN = "open"
_HARNESSES = __package__.rpartition(".")[0]


class CannotDo(Exception):
    """The product has no way to do what is asked: an ``unsupported`` answer about `what`."""

    def __init__(self, message: str, what: str = "operation") -> None:
        """Keep both; the message is for people."""
        super().__init__(message)
        self.what = what


class Exceptions:
    """What products throw, as the phase and code of a refusal (``exceptions.toml`` of a format)::

        [phases]        WHEN = the phase of what nothing below knows; WHEN is what the harness was doing
        [methods]       METHOD = the phase of what came out of that method (the innermost counts)
        [[exception]]   when = [...], says = a part of the message, code; `class` and `phase` if they matter

    An exception that says the same as one of the specification's codes gets that code. Everything else keeps
    its class name (``exception:NAME``), which is nobody's code: such an answer never counts as the right
    refusal by accident. A plain Exception says less than its cause.
    """

    def __init__(self, package: str) -> None:
        """Read the table in `package`."""
        text = files(package).joinpath("exceptions.toml").read_text(encoding="utf-8")
        self._table: dict[str, Any] = tomllib.loads(text)

    def refusal(self, thrown: Thrown, when: str) -> Answer:
        """Return the phase, code and message of what was thrown."""
        phase = self._table["phases"][when]
        message = str(thrown)[:SHOWN]
        for entry in self._table["exception"]:
            known = entry.get("class", thrown.name) == thrown.name
            if when in entry["when"] and known and entry["says"] in thrown.text:
                return {"phase": entry.get("phase", phase), "code": entry["code"], "message": message}
        methods = self._table.get("methods", {})
        phase = next((methods[name] for name in thrown.methods if name in methods), phase)
        name = thrown.cause if thrown.cause and thrown.name == "java.lang.Exception" else thrown.name
        return {"phase": phase, "code": f"exception:{name.rpartition('.')[2]}", "message": message}

    def refused(self, thrown: Thrown, when: str) -> Answer:
        """Return a refusal as an observation."""
        return {"verdict": REFUSED, **self.refusal(thrown, when)}


class WriteSession(Protocol):
    """One ``write`` request: a journal and the operations done on it."""

    def apply(self, op: Op) -> bool:
        """Do one operation; return whether everything up to here is durable. Raises Thrown, CannotDo."""

    def said(self) -> Answer:
        """Return what a stepwise answer tells besides."""

    def stop(self) -> None:
        """Let go of the files."""

    def files(self) -> list[str]:
        """Return the names of the journal's files."""


class Driver:
    """How one format's products are driven; a class of the format's own says what is missing here.

    `claims` is what ``hello`` says of the format, `charset` the JVM's default charset (None: its own choice).
    """

    format_id: ClassVar[str]
    charset: ClassVar[str | None] = None
    claims: ClassVar[Answer]
    #: When an operation throws: what the harness was doing, in the words of ``exceptions.toml``.
    write_phases: ClassVar[tuple[str, str]] = (_OPEN, "write")

    def __init__(self, product: Product, java: jvm.Runtime) -> None:
        """Take a product in the running JVM."""
        self.product = product
        self.java = java
        self.exceptions = Exceptions(f"{_HARNESSES}.{self.format_id}")

    def impl(self) -> Answer:
        """Return what ``hello`` says of the product besides version, language and source."""
        raise NotImplementedError

    def observed(self, directory: Path, params: Mapping[str, str]) -> Answer:
        """Return the observation that answers ``read``."""
        raise NotImplementedError

    def recovered(self, directory: Path, params: Mapping[str, str], policy: str) -> Answer:
        """Return the observation that answers ``recover``."""
        raise NotImplementedError

    def session(self, directory: Path, params: Mapping[str, str], edition: str) -> WriteSession:
        """Return a writer; raises CannotDo if the product cannot honour the request."""
        raise NotImplementedError

    # The protocol's requests.

    def hello(self) -> Answer:
        """Say what this is and can do."""
        impl = {
            "version": self.product.version,
            "language": "java",
            "java": self.java.version,
            "source": self.product.source,
        }
        formats = {self.format_id: {"ops": ["read", "recover", "write"], "observe": "state", **self.claims}}
        return {"protocol": PROTOCOL, "impl": {**impl, **self.impl()}, "formats": formats}

    def read(self, request: Request) -> Answer:
        """Read every record of every file."""
        return {"ok": self.observed(Path(request["dir"]), request.get("params", {}))}

    def recover(self, request: Request) -> Answer:
        """Open the journal as the product does when it starts."""
        policy = request["policy"]
        if policy not in self.claims["policies"]:
            return _unsupported(CannotDo("the product has no such policy", f"policy:{policy}"))
        return {"ok": self.recovered(Path(request["dir"]), request.get("params", {}), policy)}

    def write(self, request: Request) -> Iterator[Answer]:
        """Write through the product; stepwise answers only if they were asked for.

        An operation that the product refuses gets ``refused`` in its answer; what
        it has left on disk then is what the runner wants to see.
        """
        stepwise = request.get("step", False)
        try:
            session = self.session(Path(request["dir"]), request.get("params", {}), request["edition"])
            for answer in self._written(session, request["ops"]):
                if stepwise or "ok" in answer:
                    yield answer
        except CannotDo as error:
            yield _unsupported(error)

    def _written(self, session: WriteSession, ops: list[Op]) -> Iterator[Answer]:
        refusals: list[Answer] = []
        durable: list[str] = []
        try:
            for number, op in enumerate(ops):
                step: Answer = {"step": str(number), "durable": False}
                try:
                    step["durable"] = session.apply(op)
                except Thrown as thrown:
                    refusal = self.exceptions.refusal(thrown, self.write_phases[op["op"] != _OPEN])
                    step["refused"] = {"code": refusal["code"], "message": str(thrown)}
                    refusals.append({"op": step["step"], **step["refused"]})
                if step["durable"]:
                    durable.append(step["step"])
                yield {**step, **session.said()}
        finally:
            session.stop()
        yield {"ok": {"files": session.files(), "refusals": refusals, "durable": durable}}

    def bye(self) -> None:
        """Nothing to put away: files are let go of after every request."""


def _unsupported(error: CannotDo) -> Answer:
    return {"unsupported": {"what": error.what, "message": str(error)}}


@contextmanager
def copy_of(directory: Path, only: str = "") -> Iterator[Path]:
    """Yield a copy of `directory`, or of one file of it, removed afterwards."""
    # In memory: the products wait for the disk several times in each load.
    with scratch(memory=True) as copy:
        for entry in os.scandir(directory):
            if only not in ("", entry.name):
                continue
            if entry.is_dir():
                shutil.copytree(entry.path, copy / entry.name)
            else:
                # Thousands of journals are loaded in a row: times and modes need not be copied.
                (copy / entry.name).write_bytes(Path(entry.path).read_bytes())
        yield copy


def command(product_id: str) -> list[str]:
    """Return the command that starts the harness of a product; raises LookupError saying what to do."""
    if importlib.util.find_spec("jpype") is None:
        raise LookupError("JPype is missing: install `journalspec[products]`")
    product = get_product(product_id)
    try:
        classpath(product)
    except ProductError as error:
        raise LookupError(str(error)) from None
    return ["{python}", "-m", f"{_HARNESSES}.{product.harness}", "--product", product_id]


def main(driver: type[Driver], arguments: list[str] | None = None) -> int:
    """Serve one product over standard input and output; 2 if it cannot be started.

    Otherwise the process ends here, without the JVM's own shutdown: that may
    wait for threads of the product that never end.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m {_HARNESSES}.{driver.format_id}", description="drive a product"
    )
    parser.add_argument("--product", required=True, help=f"one of {', '.join(product_ids())}")
    parser.add_argument("--charset", default=driver.charset, help="the JVM's default charset")
    options = parser.parse_args(arguments)
    # What anything but the protocol prints, native code included, goes to standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        product = get_product(options.product)
        implementation = driver(product, jvm.start(product, charset=options.charset))
    except (ProductError, UnknownProductError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    with answers:
        status = serve(implementation, sys.stdin, answers)
    sys.stderr.flush()
    os._exit(status)


def show(what: Mapping[str, Callable[[Product, Path], bool]]) -> None:
    """Run a program that shows a deviation (``--product ID WHAT``); used by `journalspec products show`.

    Exit status: 1 the deviation was seen, 0 it was not, 2 usage. Never returns.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--product", required=True, choices=product_ids())
    parser.add_argument("what", choices=what)
    options = parser.parse_args()
    with scratch() as place:
        seen = what[options.what](get_product(options.product), place)
    sys.stdout.flush()
    os._exit(int(seen))  # threads of the product may never end
