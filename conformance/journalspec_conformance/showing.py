"""Demonstrates a deviation on a product that has it: the requirement, the behaviour, and the comparison.

The steps are in the format's ``deviations.toml`` (see :mod:`journalspec.deviations`). One process per product
answers all questions; traces and programs start their own.
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
from journalspec_conformance import connect
from journalspec_conformance.connection import Connection
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.errors import Breakdown, Problem
from journalspec_conformance.harnesses.java.tracing import Seen, TracingRefused, traced_write
from journalspec_conformance.harnesses.product import command, program
from journalspec_conformance.products import Product, get_product
from journalspec_conformance.programs import completed, scratch
from journalspec_corpus.load import find_case, told_in

#: The number of seconds per question. A product that has not answered by then will never answer.
TIMEOUT = 4.0
_PROGRAM_SECONDS = 120.0
_SHOWN = 600
_LINES_SHOWN = 30


#: Further lines on the requirement, lines on the product's behaviour, and whether it deviates as listed.
Done = tuple[Sequence[str], Sequence[str], bool]


class NotTried(Exception):
    """The demonstration could not be tried here. The message contains the reason and a hint."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Represents the result of one demonstration of a deviation on one product.

    `shown` is None if the demonstration could not be tried; `did` then contains the reason. `asked`,
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
    """Return (format, deviation); raises Problem that lists the known deviations (of its format)."""
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
    """Connections to products, which are opened when needed. Close it when done."""

    def __init__(self) -> None:
        """Prepare the demonstrations without starting any process."""
        self._engines: dict[str, Engine] = {}
        self._traces: dict[str, list[str]] = {}

    def show(self, format_id: str, deviation: Deviation, product_id: str) -> Iterator[Shown]:
        """Yield the result of each demonstration for this product; raises Problem if there is none."""
        shows = [show for show in deviation.show if product_id in show.products]
        if not shows:
            others = ", ".join(deviation.products) or "no product that runs here"
            raise Problem(f"{deviation.id} is not shown on {product_id!r}", f"It is shown on {others}.")
        product = get_product(product_id)
        ways = {"case": self._case, "steps": self._steps, "trace": self._trace, "program": self._program}
        for show in shows:
            started = time.perf_counter()
            demands = " ".join(str(show.data.get("demands", "")).split())
            answer: bool | None = None
            try:
                more, did, answer = ways[show.way](format_id, show.data, product)
            except NotTried as error:
                more, did = (), (str(error),)
            demanded = (*((demands,) if demands else ()), *more)
            seconds = time.perf_counter() - started
            yield Shown(deviation.id, product_id, _title(show), demanded, did, answer, seconds)

    def close(self) -> None:
        """Release all products."""
        for engine in self._engines.values():
            engine.close()
        self._engines.clear()

    def connect(self, product: Product) -> Connection:
        """Return a connection to `product`; raises NotTried if it is not ready."""
        try:
            return connect.to(command(product.id), timeout=TIMEOUT)
        except LookupError as error:
            raise NotTried(str(error.args[0])) from None

    def _engine(self, product: Product) -> Engine:
        if product.id not in self._engines:
            connection = self.connect(product)
            try:
                self._engines[product.id] = Engine(connection, Options(timeout=TIMEOUT))
            except Breakdown as error:
                raise NotTried(f"{product.title} cannot be started: {error.reason}\n{error.stderr}") from None
        return self._engines[product.id]

    def _case(self, _: str, data: Mapping[str, Any], product: Product) -> Done:
        engine = self._engine(product)
        case = find_case(data["case"])
        if claims := engine.hello.formats.get(case.format):
            # Each product is given the case in an edition that it reads.
            case = told_in(case, claims.editions)
        probe = next((probe for probe in case.probes if probe.id == f"{case.id}/{data['op']}"), None)
        if probe is None:
            raise Problem(f"{case.id} is not asked {data['op']!r}")
        result = engine.run(probe)
        reply = engine.exchanges[-1][1] if engine.exchanges else {}
        answer = reply.get("ok", reply)
        failed = result.fingerprint if result.result_class == "fail" else result.result_class
        did = [f"{result.result_class} {result.fingerprint}: {result.reason}", f"answer: {_short(answer)}"]
        good, seen = _all_seen(data.get("seen", ()), Path(), [answer])
        permitted = ({key: entry[key] for key in entry if key != "when"} for entry in probe.expect)
        demanded = [f"permitted: {_short(entry)}" for entry in permitted]
        return demanded, did + seen, failed in data["fails"].split(" or ") and good

    def _steps(self, format_id: str, data: Mapping[str, Any], product: Product) -> Done:
        connection = self._engine(product).connection
        answers: list[Any] = []
        did = []
        with _place(data) as (directory, common):
            for step in data["steps"]:
                answer = _step(connection, directory, {"format": format_id, **common}, step)
                answers.append(answer)
                did.append(f"{len(answers) - 1}: {_words(step)}: {_short(answer)}")
            good, seen = _all_seen(data["seen"], directory, answers)
        return (), did + seen, good

    def _trace(self, format_id: str, data: Mapping[str, Any], product: Product) -> Done:
        wanted = {key: data.get(key) for key in ("trace", "start", "edition", "params")}
        key = product.id + json.dumps(wanted, sort_keys=True)
        if key not in self._traces:
            self._traces[key] = self._traced(format_id, data, product)
        lines = self._traces[key]
        text = "".join(f"{line}\n" for line in lines)
        order, never = data.get("order", ""), data.get("never", "")
        found = re.search(order, text, re.MULTILINE)
        wrong = re.search(never, text, re.MULTILINE) if never else None
        did = ["in this order:", *found[0].rstrip().splitlines()] if order and found else [*lines]
        if len(did) > _LINES_SHOWN:
            did = [*did[: _LINES_SHOWN // 2], "...", *did[-(_LINES_SHOWN // 2) :]]
        if never:
            did.append(f"done, although it must never be: {wrong[0]}" if wrong else f"never done: {never}")
        return (), did, found is not None and wrong is None

    def _traced(self, format_id: str, data: Mapping[str, Any], product: Product) -> list[str]:
        if shutil.which("strace") is None:
            raise NotTried("strace is missing: the product's system calls cannot be seen; install it")
        self.connect(product).close()
        with _place(data) as (directory, common), scratch() as place:
            request = {"seq": 1, "cmd": "write", "format": format_id, **common, "dir": str(directory)}
            request["ops"] = data["trace"]
            try:
                seen = traced_write(product.id, request, directory, place / "trace")
            except TracingRefused as error:
                raise NotTried(f"strace is not permitted here: {error}") from None
        return [_line(entry, directory.name) for entry in seen]

    def _program(self, _: str, data: Mapping[str, Any], product: Product) -> Done:
        self.connect(product).close()
        words = [*program(product, data["program"]), *data.get("arguments", ())]
        did = []
        for _try in range(int(data.get("tries", 1))):
            try:
                done = completed(words, _PROGRAM_SECONDS)
            except TimeoutExpired:
                did.append(f"no end within {_PROGRAM_SECONDS:g} s")
                continue
            did += done.stdout.splitlines()
            if done.returncode not in (0, 1):
                why = f"ended with {done.returncode}: {done.stderr[-_SHOWN:]}"
                raise NotTried(f"{_program_title(data)} {why}")
            if done.returncode == 1:
                return (), did, True
        return (), did, False


def overall(results: Sequence[Shown]) -> int:
    """Return the exit status: 1 if something is not shown, 3 if something could not be tried, else 0."""
    if any(result.shown is False for result in results):
        return 1
    return 3 if not results or any(result.shown is None for result in results) else 0


@contextmanager
def _place(data: Mapping[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield a directory with the initial files, and the members that all requests share."""
    with scratch(memory=True) as place:
        directory, params = place / "journal", data.get("params", {})
        if "start" in data:
            case = find_case(data["start"])
            case.materialize(directory)
            yield directory, {"edition": case.edition, "params": {**case.params, **params}}
        else:
            directory.mkdir()
            yield directory, {"edition": data["edition"], "params": dict(params)}


def _step(connection: Connection, directory: Path, common: Mapping[str, Any], step: Mapping[str, Any]) -> Any:
    """Do one step and return the answer, without its envelope."""
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


def _all_seen(
    checks: Sequence[Mapping[str, Any]], directory: Path, answers: Sequence[Any]
) -> tuple[bool, list[str]]:
    """Return whether all `checks` hold, and for each check a line on the actual value."""
    found = [_seen(check, directory, answers) for check in checks]
    lines = [
        where if good or wanted is None else f"{where} (the deviation would be {wanted})"
        for good, where, wanted in found
    ]
    return all(good for good, _, _ in found), lines


def _seen(check: Mapping[str, Any], directory: Path, answers: Sequence[Any]) -> tuple[bool, str, object]:
    """Return whether `check` holds, the actual value, and the required one (None if not useful)."""
    if "file" in check:
        name, path = check["file"], directory / check["file"]
        if not path.is_file():
            return False, f"{name} does not exist", None
        content = path.read_bytes()
        if "len" in check:
            return len(content) == check["len"], f"{name} has {len(content)} bytes", check["len"]
        wanted = bytes.fromhex(check["hex"])
        found = content[check["off"] : check["off"] + len(wanted)]
        return found == wanted, f"{name}, offset {check['off']}: {found.hex()}", wanted.hex()
    value = _member(answers[check["answer"]], check["at"])
    where = f"answer {check['answer']}, {check['at']}: {_short(value)}"
    if "is" in check:
        return value == check["is"], where, check["is"]
    way, has = ("with", "has") if "has" in check else ("without", "lacks")
    good = isinstance(value, list) and (check[has] in value) == (has == "has")
    return good, where, f"{way} {check[has]}"


def _member(value: Any, path: str) -> Any:
    """Return the member of `value` at a path with dots, or None if there is none."""
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
    if show.way == "case":
        return f"case {data['case']}, {data['op']}"
    if show.way == "program":
        return _program_title(data)
    start = f"the files of {data['start']}" if "start" in data else "no files"
    return f"{show.way}, beginning with {start}"


def _program_title(data: Mapping[str, Any]) -> str:
    return " ".join(["program", data["program"], *data.get("arguments", ())])


def _words(step: Mapping[str, Any]) -> str:
    if step["cmd"] == "write":
        return "write " + ", ".join(str(op["op"]) for op in step["ops"])
    return " ".join(str(value) for key, value in step.items() if key not in ("params", "aside"))


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
