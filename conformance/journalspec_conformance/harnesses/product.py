"""The harness of products: serves the protocol's requests for all formats, with one product per process.

``python -m journalspec_conformance.harnesses --product ID`` serves a product; the registry starts it
(``product = "ID"`` in ``harnesses/NAME.toml``). The package of a product's harness has

``DRIVER``                  its own subclass of :class:`Driver`
``exceptions.toml``         the refusals for the exceptions of its products
``scenarios.toml``          the operations for captured files, see :mod:`.scenarios`
``programs.py`` (optional)  ``PROGRAMS``: effects that one request cannot show, see :func:`run_program`
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import IO, Any, ClassVar

from journalspec.observation import CLEAN, RECOVERED, REFUSED, jsonable
from journalspec_conformance import PROTOCOL, products, serve
from journalspec_conformance.harnesses import table
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Thrown
from journalspec_conformance.products import Product, ProductError, UnknownProductError, get_product
from journalspec_conformance.programs import drop_scratch, end_all, make_scratch

Request = dict[str, Any]
Answer = dict[str, Any]
Op = Mapping[str, Any]
#: The longest message in an answer (characters).
SHOWN = 2000
_OPEN = "open"
_HARNESSES = __package__
#: Numbers for the names of copies of journals.
_numbers = count()


class CannotDo(Exception):
    """The product cannot perform the request. The answer is ``unsupported``, with `what`."""

    def __init__(self, message: str, what: str = "operation") -> None:
        """Store both values. The message is for people."""
        super().__init__(message)
        self.answer: Answer = {"unsupported": {"what": what, "message": message}}


def observation(damaged: object, told: Iterable[object], **members: Any) -> Answer:
    """Return an observation of a journal that is `damaged` or not, with the product's messages."""
    answer: Answer = {"verdict": RECOVERED if damaged else CLEAN, **members}
    message = "; ".join(map(str, told))[:SHOWN]
    return {**answer, "message": message} if message else answer


class Exceptions:
    """Maps exceptions of products to the phase and code of a refusal (``exceptions.toml`` of a format)::

        [phases]        WHEN = the phase of all other exceptions; WHEN is the harness's present action
        [methods]       METHOD = the phase of exceptions that leave that method (the innermost decides)
        [[exception]]   when = [...], says = a part of the message, code; `class` and `phase` if needed
        [messages]      CODE = a part of the product's log message about lost or excluded data

    An exception with the meaning of a code of the specification is reported under that code. Any other is
    reported under its class name (``exception:NAME``), which is never accepted as the right refusal. For a
    plain Exception, the class of its cause is used, which is more informative.
    """

    def __init__(self, package: str) -> None:
        """Read the table in `package`."""
        self._table = table(package, "exceptions.toml")

    def refusal(self, thrown: Thrown, when: str) -> Answer:
        """Return the phase, code and message of an exception."""
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

    def notes(self, said: Iterable[str]) -> list[str]:
        """Return the log lines about lost or excluded data, each with its code."""
        messages = self._table.get("messages", {})
        return [f"{code}: {line.strip()}" for line in said for code, part in messages.items() if part in line]

    def found(self, state: Answer, said: Iterable[str]) -> Answer:
        """Return the observation of a recovery during which the product logged the lines `said`."""
        noted = self.notes(said)
        return observation(noted, noted, state=jsonable(state))


class Session:
    """Represents one ``write`` request: a journal in `directory` and the operations done on it.

    The class of a format lists its `operations` besides ``open``, and applies them to a journal, which has
    ``open()`` and ``stop()``.
    """

    operations: ClassVar[tuple[str, ...]]

    def __init__(self, directory: Path, params: Mapping[str, str]) -> None:
        """Store the request's parameters. No file is accessed yet."""
        self.directory = directory
        self.params = params
        self.journal: Any = None

    def made(self) -> Any:
        """Return a journal that is not open yet. Raises Thrown, CannotDo."""
        raise NotImplementedError

    def done(self, op: Op) -> bool:
        """Do one of `operations`, as :meth:`apply` does."""
        raise NotImplementedError

    def apply(self, op: Op) -> bool:
        """Do one operation; return whether everything so far is durable. Raises Thrown, CannotDo."""
        if op["op"] == _OPEN:
            self.journal = self.made()
            self.journal.open()
            return True
        if op["op"] not in self.operations:
            known = ", ".join([_OPEN, *self.operations])
            raise CannotDo(f"operation {op['op']!r}: the product's are {known}")
        if self.journal is None:
            raise CannotDo("an operation while no journal is open")
        return self.done(op)

    def said(self) -> Answer:
        """Return the additional members of a stepwise answer."""
        return {}

    def stop(self) -> None:
        """Release the files."""
        journal, self.journal = self.journal, None
        if journal is not None:
            journal.stop()

    def files(self) -> list[str]:
        """Return the names of the journal's files."""
        return sorted(path.name for path in self.directory.iterdir() if path.is_file())


class Driver:
    """Drives the products of one format; a subclass for the format implements the missing parts.

    `claims` is the declaration of the format in ``hello``. `charset` is the JVM's default charset if the
    written bytes depend on it (None: the JVM's choice). For a product that is not a Java program, `java` is
    None.
    """

    format_id: ClassVar[str]
    charset: ClassVar[str | None] = None
    claims: ClassVar[Answer]
    #: The reason why ``read`` is not offered, if the product has no interface to its records; empty if it is
    #: offered.
    unread: ClassVar[str] = ""
    #: The phases of ``open`` and of other operations, under which ``exceptions.toml`` lists their exceptions.
    write_phases: ClassVar[tuple[str, str]] = (_OPEN, "write")
    #: The current phase of ``read`` or ``recover``: an exception of the product becomes a refusal in this
    #: phase.
    doing: str = _OPEN

    def __init__(self, product: Product, java: jvm.Runtime | None) -> None:
        """Store a product in the running JVM."""
        self.product = product
        self.java = java
        self.exceptions = Exceptions(f"{_HARNESSES}.{product.harness}")

    def editions(self) -> list[str]:
        """Return the editions that this version reads."""
        return [self.product.edition]

    def observed(self, directory: Path, params: Mapping[str, str]) -> Answer:
        """Return the observation that answers ``read``. Raises Thrown, which is a refusal."""
        raise NotImplementedError

    def recovered(self, directory: Path, params: Mapping[str, str], policy: str) -> Answer:
        """Return the observation that answers ``recover``. Raises Thrown, which is a refusal."""
        raise NotImplementedError

    def session(self, directory: Path, params: Mapping[str, str], edition: str) -> Session:
        """Return a writer; raises CannotDo if the product cannot honour the request."""
        raise NotImplementedError

    # The protocol's requests.

    def hello(self) -> Answer:
        """Return the declaration of this product."""
        runs = {"language": "java", "java": self.java.version} if self.java else {"language": "python"}
        name = self.product.id.partition("-")[0]
        impl = {"version": self.product.version, **runs, "source": self.product.source, "name": name}
        if self.java and self.charset:
            impl["charset"] = self.java.charset
        claims = {"editions": self.editions(), "ops": ["read", "recover", "write"], "observe": "state"}
        formats = {self.format_id: {**claims, **self.claims}}
        return {"protocol": PROTOCOL, "impl": impl, "formats": formats}

    def read(self, request: Request) -> Answer:
        """Read every record of every file."""
        if self.unread:
            return CannotDo(self.unread).answer
        return self._refusing(self.observed, request)

    def recover(self, request: Request) -> Answer:
        """Open the journal as the product does when it starts."""
        policy = request["policy"]
        if policy not in self.claims["policies"]:
            return CannotDo("the product has no such policy", f"policy:{policy}").answer
        return self._refusing(self.recovered, request, policy)

    def _refusing(self, ask: Callable[..., Answer], request: Request, *policy: str) -> Answer:
        try:
            return {"ok": ask(Path(request["dir"]), request.get("params", {}), *policy)}
        except Thrown as thrown:
            return {"ok": self.exceptions.refused(thrown, self.doing)}

    def write(self, request: Request) -> Iterator[Answer]:
        """Write through the product; stepwise answers only on request.

        If the product refuses an operation, the answer contains ``refused``; the runner then checks the
        remaining files.
        """
        stepwise = request.get("step", False)
        try:
            session = self.session(Path(request["dir"]), request.get("params", {}), request["edition"])
            for answer in self._written(session, request["ops"]):
                if stepwise or "ok" in answer:
                    yield answer
        except CannotDo as error:
            yield error.answer

    def _written(self, session: Session, ops: list[Op]) -> Iterator[Answer]:
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
        """Do nothing, because files are released after every request."""


def no_files(why: str) -> Answer:
    """Return the refusal for a directory in which the product would find no file."""
    return {"verdict": REFUSED, "phase": "fileset", "code": "no-files", "message": why}


def by_number(name: str) -> list[tuple[int, str]]:
    """Return a sort key for file names that orders the numbers in them by value."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


@contextmanager
def copy_of(directory: Path, only: str = "") -> Iterator[Path]:
    """Yield a copy of `directory`, or of one file of it, removed afterwards."""
    copy = _copies() / str(next(_numbers))
    copy.mkdir(0o700)
    try:
        for entry in os.scandir(directory):
            if only not in ("", entry.name):
                continue
            if entry.is_dir():
                shutil.copytree(entry.path, copy / entry.name)
            else:
                # Copy only the content, without times and modes, because thousands of journals are loaded one
                # after another.
                (copy / entry.name).write_bytes(Path(entry.path).read_bytes())
        yield copy
    finally:
        try:  # Usually there are only files; `remove` handles other entries.
            for entry in os.scandir(copy):
                Path(entry.path).unlink()
            copy.rmdir()
        except OSError:
            drop_scratch(copy)


@cache
def _copies() -> Path:
    """Return the directory for this process's copies, which is removed when the process ends.

    It is in memory, because the products perform several fsyncs in each load.
    """
    return make_scratch(memory=True)


def serving(product_id: str) -> list[str]:
    """Return the command that serves a product, without checking that the product is installed."""
    return [sys.executable, "-m", _HARNESSES, "--product", product_id]


def command(product_id: str) -> list[str]:
    """Return the command that serves a product, for the registry; raises LookupError with advice."""
    product = get_product(product_id)
    if product.java:
        if importlib.util.find_spec("jpype") is None:
            raise LookupError("JPype is missing: install `journalspec[products]`")
        try:
            products.classpath(product)
        except ProductError as error:
            raise LookupError(str(error)) from None
    return serving(product_id)


def _next_request(lines: IO[str], answers: IO[str]) -> str:
    """Return the next request. If the JVM must no longer be used, this program restarts itself first.

    The process and its pipes are the same, so nothing changes for the runner. At this moment all answers are
    written, and nothing of the next request has been read.
    """
    if jvm.spent.is_set():
        sys.stderr.flush()
        end_all()
        os.dup2(answers.fileno(), 1)
        os.execv(sys.executable, [sys.executable, "-m", _HARNESSES, *sys.argv[1:]])  # noqa: S606
    return lines.readline()


def main(arguments: list[str] | None = None) -> int:
    """Serve one product over standard input and output; return 2 if it cannot be started.

    Otherwise the process ends here without the JVM's own shutdown, which may wait for threads of the product
    that never end.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {_HARNESSES}", description="drive a product")
    parser.add_argument("--product", required=True, help=f"one of {', '.join(products.product_ids())}")
    parser.add_argument("--charset", help="the JVM's default charset, if not the harness's choice")
    options = parser.parse_args(arguments)
    # All output other than the protocol, also from native code, goes to standard error.
    answers = serve.own_output()
    try:
        product = get_product(options.product)
        driver: type[Driver] = importlib.import_module(f"{_HARNESSES}.{product.harness}").DRIVER
        charset = options.charset or driver.charset
        implementation = driver(product, jvm.start(product, charset=charset) if product.java else None)
    except (ProductError, UnknownProductError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    with answers:
        answer = partial(serve.answers, implementation)
        status = serve.exchange(answer, partial(_next_request, sys.stdin, answers), answers)
    sys.stderr.flush()
    end_all()
    os._exit(status)


#: A program of a harness. It is called with the product and options, and returns whether it observed a
#: deviation.
Program = Callable[..., bool]


def program(product: Product, name: str, **options: str) -> list[str]:
    """Return the command that runs a program of the harness of `product`."""
    given = [part for option, value in options.items() for part in (f"--{option}", value)]
    module = f"{_HARNESSES}.{product.harness}.programs"
    return [sys.executable, "-m", module, name, "--product", product.id, *given]


def run_program(programs: Mapping[str, Program]) -> None:
    """Run one of `programs` (``NAME --product ID [--OPTION VALUE]...``); `journalspec products show` calls
    this.

    Exit status: 0 if no deviation was seen, 1 if one was, 2 for a usage error. Never returns.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=programs)
    parser.add_argument("--product", required=True, choices=products.product_ids())
    options, given = parser.parse_known_args()
    more = {name.removeprefix("--"): value for name, value in zip(given[::2], given[1::2], strict=True)}
    seen = programs[options.name](get_product(options.product), **more)
    sys.stdout.flush()
    end_all()
    os._exit(int(seen))  # A normal end may wait forever for threads of the product.
