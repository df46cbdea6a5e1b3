"""Showing a deviation on the product that has it: what is demanded, what it does, and whether that is so.

What to do is in the format's ``deviations.toml`` (see :mod:`journalspec.deviations`).
One process per product answers all questions; traces and programs start their own.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

from journalspec.deviations import Deviation, Show, deviations
from journalspec.formats import format_ids
from journalspec_conformance.connection import Connection
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.errors import Breakdown, Problem
from journalspec_conformance.harnesses.java.tracing import Seen, TracingRefused, traced_write
from journalspec_conformance.harnesses.product import command, program
from journalspec_conformance.process import ProcessConnection
from journalspec_conformance.products import Product, get_product
from journalspec_conformance.programs import completed, scratch
from journalspec_corpus.load import find_case, told_in

#: Seconds per question: a product that has not answered by then never will.
TIMEOUT = 4.0
_PROGRAM_SECONDS = 120.0
_SHOWN = 600
_LINES_SHOWN = 30


#: What is demanded, what was done, and whether that is the deviation (None: it could not be tried).
Done = tuple[Sequence[str], Sequence[str], bool | None]


class NotTried(Exception):
    """It could not be tried here; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What came of one way of showing a deviation on one product.

    `shown` is None if it could not be tried; `did` then says why. `asked`,
    `demanded` and `did` are lines for people.
    """

    deviation: str
    product: str
    asked: str
    demanded: Sequence[str]
    did: Sequence[str]
    shown: bool | None
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """``shown``, ``not shown`` or ``not tried``."""
        return {True: "shown", False: "not shown", None: "not tried"}[self.shown]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        texts = {name: getattr(self, name) for name in ("deviation", "product", "asked")}
        return {**texts, "demanded": list(self.demanded), "did": list(self.did), "verdict": self.verdict}


def find_deviation(deviation_id: str) -> tuple[str, Deviation]:
    """Return (format, deviation); raises Problem that names the known ones (of its format)."""
    ids: dict[str, list[str]] = {}
    for format_id in format_ids():
        for deviation in deviations(format_id):
            if deviation.id == deviation_id:
                return format_id, deviation
            ids.setdefault(deviation.id[:3], []).append(deviation.id)
    prefix = deviation_id[:3].upper()
    near = {prefix: ids[prefix]} if prefix in ids else ids
    known = ", ".join(f"{names[0]} to {names[-1]}" for names in near.values())
    raise Problem(f"no deviation {deviation_id!r}", f"Known are {known}; the site lists them by format.")


class Showroom:
    """Products at hand. Close it when done."""

    def __init__(self, timeout: float = TIMEOUT) -> None:
        """Take `timeout` in seconds per question; nothing is started yet."""
        self._timeout = timeout
        self._engines: dict[str, Engine] = {}
        self._traces: dict[str, list[str]] = {}

    def show(self, format_id: str, deviation: Deviation, product_id: str) -> Iterator[Shown]:
        """Yield what comes of each way that is for this product.

        Raises Problem if none is, NotTried if the product is not ready.
        """
        shows = [show for show in deviation.show if product_id in show.products]
        if not shows:
            others = ", ".join(deviation.products) or "no product that runs here"
            raise Problem(f"{deviation.id} is not shown on {product_id!r}", f"It is shown on {others}.")
        product = get_product(product_id)
        for show in shows:
            started = time.perf_counter()
            try:
                done = self._done(format_id, show, product)
            except NotTried as error:
                done = _demands(show), (str(error),), None
            yield Shown(deviation.id, product_id, _title(show), *done, time.perf_counter() - started)

    def _done(self, format_id: str, show: Show, product: Product) -> Done:
        ways = {"case": self._case, "steps": self._steps, "trace": self._trace, "program": self._program}
        return ways[show.way](format_id, show, product)

    def close(self) -> None:
        """Release all products."""
        for engine in self._engines.values():
            engine.close()
        self._engines.clear()

    def connect(self, product: Product) -> Connection:
        """Return a connection to `product`; raises NotTried if it is not ready."""
        try:
            return ProcessConnection(command(product.id), timeout=self._timeout)
        except LookupError as error:
            raise NotTried(str(error.args[0])) from None

    def _engine(self, product: Product) -> Engine:
        if product.id not in self._engines:
            connection = self.connect(product)
            try:
                self._engines[product.id] = Engine(connection, Options(timeout=self._timeout))
            except Breakdown as error:
                raise NotTried(f"{product.title} cannot be started: {error.reason}\n{error.stderr}") from None
        return self._engines[product.id]

    def _case(self, _: str, show: Show, product: Product) -> Done:
        engine = self._engine(product)
        case = find_case(show.data["case"])
        if claims := engine.hello.formats.get(case.format):
            # Each product is shown the case as it is told in an edition of its own.
            case = told_in(case, claims.editions)
        wanted = f"{case.id}/{show.data['op']}"
        probe = next((probe for probe in case.probes if probe.id == wanted), None)
        if probe is None:
            raise Problem(f"{case.id} is not asked {show.data['op']!r}")
        result = engine.run(probe)
        reply = engine.exchanges[-1][1] if engine.exchanges else {}
        answer = reply.get("ok", reply)
        failed = result.fingerprint if result.result_class == "fail" else result.result_class
        did = [f"{result.result_class} {result.fingerprint}: {result.reason}", f"answer: {_short(answer)}"]
        checks = [_seen(check, Path(), [answer]) for check in show.data.get("seen", ())]
        permitted = [_short({key: entry[key] for key in entry if key != "when"}) for entry in probe.expect]
        demanded = [*_demands(show), *(f"permitted: {text}" for text in permitted)]
        return (
            demanded,
            [*did, *(text for _, text in checks)],
            failed in show.data["fails"].split(" or ") and all(good for good, _ in checks),
        )

    def _steps(self, format_id: str, show: Show, product: Product) -> Done:
        connection = self._engine(product).connection
        answers: list[Any] = []
        did = []
        with _place(show) as (directory, common):
            for step in show.data["steps"]:
                answer = _step(connection, directory, {"format": format_id, **common}, step)
                answers.append(answer)
                did.append(f"{len(answers) - 1}: {_words(step)}: {_short(answer)}")
            checks = [_seen(check, directory, answers) for check in show.data["seen"]]
        return _demands(show), [*did, *(text for _, text in checks)], all(good for good, _ in checks)

    def _trace(self, format_id: str, show: Show, product: Product) -> Done:
        wanted = {key: show.data.get(key) for key in ("trace", "start", "edition", "params")}
        key = product.id + json.dumps(wanted, sort_keys=True)
        if key not in self._traces:
            self._traces[key] = self._traced(format_id, show, product)
        lines = self._traces[key]
        text = "".join(f"{line}\n" for line in lines)
        order, never = show.data.get("order", ""), show.data.get("never", "")
        found = re.search(order, text, re.MULTILINE)
        wrong = re.search(never, text, re.MULTILINE) if never else None
        did = ["in this order:", *found[0].rstrip().splitlines()] if order and found else [*lines]
        if len(did) > _LINES_SHOWN:
            did = [*did[: _LINES_SHOWN // 2], "...", *did[-(_LINES_SHOWN // 2) :]]
        if never:
            did.append(f"done, which was not to be: {wrong[0]}" if wrong else f"never done: {never}")
        return _demands(show), did, found is not None and wrong is None

    def _traced(self, format_id: str, show: Show, product: Product) -> list[str]:
        if shutil.which("strace") is None:
            raise NotTried("strace is missing: the product's system calls cannot be seen; install it")
        self.connect(product).close()
        with _place(show) as (directory, common), scratch() as place:
            request = {"seq": 1, "cmd": "write", "format": format_id, **common, "dir": str(directory)}
            request["ops"] = show.data["trace"]
            try:
                seen = traced_write(product.id, request, directory, place / "trace")
            except TracingRefused as error:
                raise NotTried(f"strace is not permitted here: {error}") from None
        return [_line(entry, directory.name) for entry in seen]

    def _program(self, _: str, show: Show, product: Product) -> Done:
        self.connect(product).close()
        words = [*program(product, show.data["program"]), *show.data.get("arguments", ())]
        did = []
        for _try in range(int(show.data.get("tries", 1))):
            try:
                done = completed(words, _PROGRAM_SECONDS)
            except TimeoutExpired:
                did.append(f"no end within {_PROGRAM_SECONDS:g} s")
                continue
            did += done.stdout.splitlines()
            if done.returncode not in (0, 1):
                raise NotTried(f"{_title(show)} ended with {done.returncode}: {done.stderr[-_SHOWN:]}")
            if done.returncode == 1:
                return _demands(show), did, True
        return _demands(show), did, False


def overall(results: Sequence[Shown]) -> int:
    """Return the exit status: 1 something is not shown, 3 something could not be tried, else 0."""
    if any(result.shown is False for result in results):
        return 1
    return 3 if not results or any(result.shown is None for result in results) else 0


@contextmanager
def _place(show: Show) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield a directory with the files to begin with, and the members that all requests have."""
    data = show.data
    with scratch(memory=True) as place:
        directory = place / "journal"
        if "start" in data:
            case = find_case(data["start"])
            case.materialize(directory)
            common = {"edition": case.edition, "params": {**case.params, **data.get("params", {})}}
        else:
            directory.mkdir()
            common = {"edition": data["edition"], "params": dict(data.get("params", {}))}
        yield directory, common


def _step(connection: Connection, directory: Path, common: Mapping[str, Any], step: Mapping[str, Any]) -> Any:
    """Do one step and return what was answered, without the envelope."""
    if step["cmd"] == "put":
        path = directory / step["file"]
        content = bytearray(path.read_bytes() if path.exists() else b"")
        data = bytes.fromhex(step["hex"])
        content[step["off"] : step["off"] + len(data)] = data
        path.write_bytes(content)
        return {}
    request = {**common, **{key: value for key, value in step.items() if key != "aside"}}
    request["params"] = {**common["params"], **step.get("params", {})}
    if step["cmd"] != "write":
        request["observe"] = "state"
    if step["cmd"] == "recover":
        request.setdefault("policy", "strict")
    place = directory.with_name("aside") if step.get("aside") else directory
    if place != directory:
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(directory, place)
    try:
        reply = connection.ask({**request, "dir": str(place)})
    except Breakdown as error:
        return {"verdict": error.result_class, "message": error.reason}
    return reply.get("ok", reply)


def _seen(check: Mapping[str, Any], directory: Path, answers: Sequence[Any]) -> tuple[bool, str]:
    """Return whether `check` holds, and a line that says what is there."""
    if "file" in check:
        path = directory / check["file"]
        content = path.read_bytes() if path.is_file() else None
        if content is None:
            return False, f"{check['file']} is not there"
        if "len" in check:
            good = len(content) == check["len"]
            return good, f"{check['file']} has {len(content)} bytes" + _wanted(good, check["len"])
        wanted = bytes.fromhex(check["hex"])
        found = content[check["off"] : check["off"] + len(wanted)]
        where = f"{check['file']}, offset {check['off']}"
        return found == wanted, f"{where}: {found.hex()}" + _wanted(found == wanted, wanted.hex())
    value = _member(answers[check["answer"]], check["at"])
    where = f"answer {check['answer']}, {check['at']}: {_short(value)}"
    if "is" in check:
        good = value == check["is"]
        return good, where + _wanted(good, check["is"])
    has = "has" in check
    entry = check["has" if has else "lacks"]
    good = isinstance(value, list) and (entry in value) == has
    return good, where + _wanted(good, f"{'with' if has else 'without'} {entry}")


def _wanted(good: bool, wanted: object) -> str:
    return "" if good else f" (the deviation would be {wanted})"


def _member(value: Any, path: str) -> Any:
    """Return the member of `value` at a path with dots, None if there is none."""
    for part in path.split(".") if path else ():
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def _line(seen: Seen, directory: str) -> str:
    name = "." if seen.file == directory else seen.file
    if seen.kind == "write":
        return f"write {name} {seen.off} {len(seen.data)}"
    return f"{seen.kind} {name} {seen.target}".rstrip()


def _title(show: Show) -> str:
    data = show.data
    match show.way:
        case "case":
            return f"case {data['case']}, {data['op']}"
        case "program":
            return " ".join(["program", data["program"], *data.get("arguments", ())])
    start = f"the files of {data['start']}" if "start" in data else "no files"
    return f"{show.way}, beginning with {start}"


def _demands(show: Show) -> tuple[str, ...]:
    text = " ".join(str(show.data.get("demands", "")).split())
    return (text,) if text else ()


def _words(step: Mapping[str, Any]) -> str:
    if step["cmd"] == "write":
        return "write " + ", ".join(str(op["op"]) for op in step["ops"])
    return " ".join(str(value) for key, value in step.items() if key not in ("params", "aside"))


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
