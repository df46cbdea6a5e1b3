"""Makes captured files: runs scenarios through a product's harness, and kills the harness where they require
it.

``python tools/captures FORMAT OUT`` makes ``OUT/<product>/<scenario>/``. Captures in the repository are never
edited. The operations are in the format's table, see :mod:`journalspec_conformance.harnesses.scenarios`; the
format's module in this package contains special steps of its products. Members of a scenario that only this
package reads:

    params          parameters of the write requests      charset         the JVM's, if not its own choice
    settings        additional settings of the product
    obeys, breaks   requirements that the files show      only            the one product that can do it
    refused         numbers of rejected operations        forgotten       numbers of lost operations
    on."PRODUCT"    values that differ with one product; with `kept`, the right content, as listed by a
                    person, of files that the product has corrupted
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import shutil
import subprocess  # The child processes are programs of the harness.
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from toml_text import toml_value

from journalspec.files import replace_text
from journalspec.formats import get_format
from journalspec.requirements import requirements
from journalspec_conformance import connect
from journalspec_conformance.connection import Connection
from journalspec_conformance.errors import TimedOut
from journalspec_conformance.harnesses.product import Answer, serving
from journalspec_conformance.harnesses.scenarios import Op, Scenario, Table
from journalspec_conformance.products import Product, get_product, product_ids
from journalspec_conformance.programs import scratch
from journalspec_corpus.model import History, history, model_of

Json = dict[str, Any]
#: Operations in order, each with its answer (empty if none was requested).
Steps = list[tuple[Op, Answer]]

PROVENANCE, EXPECTED = "provenance.toml", "expected.json"
#: A time in seconds. A product answers within milliseconds, or it hangs.
TIMEOUT = 10.0
_CHILD_SECONDS = 120
_CLOSE = "close"


def on(scenario: Scenario, product: Product, member: str, otherwise: Any = ()) -> Any:
    """Return a member of the scenario's entry, with the value for `product`."""
    special = scenario.told.get("on", {}).get(product.id, scenario.told)
    return special.get(member, otherwise)


def by_hand(scenario: Scenario, product: Product) -> bool:
    """Return whether a person has listed the right content, because `product` cannot judge these files."""
    return on(scenario, product, "kept", None) is not None


@dataclass(frozen=True, slots=True)
class Played:
    """One capture: its product, its scenario, and its sessions.

    A session has its steps and the way it ended.
    """

    product: Product
    scenario: Scenario
    java: str
    charset: str
    sessions: tuple[tuple[str, Steps], ...]

    @property
    def steps(self) -> Steps:
        """The steps of all sessions."""
        return [step for _, steps in self.sessions for step in steps]

    @property
    def refused(self) -> set[int]:
        """The numbers of the steps that the product rejected."""
        return {number for number, (_, answer) in enumerate(self.steps) if "refused" in answer}


class Capture:
    """The way to capture one format's files; a format's subclass adds special steps of its products.

    `settings` is how the products are configured. `defaults` are parameters of all requests, which a scenario
    may change; if there are any, the provenance lists the parameters.
    """

    settings = ""
    defaults: ClassVar[Mapping[str, str]] = {}

    def __init__(self, format_id: str) -> None:
        self.format_id = format_id

    @cached_property
    def table(self) -> Table:
        """Return the scenarios of the format."""
        return Table(f"journalspec_conformance.harnesses.{self.format_id}")

    def products(self) -> tuple[str, ...]:
        """Return the ids of the products that the harness drives."""
        return tuple(name for name in product_ids() if get_product(name).harness == self.format_id)

    def scenarios(self, product: Product) -> tuple[Scenario, ...]:
        """Return the scenarios that `product` can run."""
        every = self.table.scenarios(product.edition)
        return tuple(item for item in every if product.id.startswith(item.told.get("only", "")))

    # Methods that the Capture of a format may override.

    def params(self, product: Product, scenario: Scenario) -> dict[str, str]:
        """Return the parameters of the requests about `scenario`."""
        return {**self.defaults, **scenario.told.get("params", {})}

    def made_otherwise(
        self, product: Product, scenario: Scenario, directory: Path
    ) -> list[tuple[str, Steps]] | None:
        """Make files that no harness can make, and return their sessions; None if the harness can."""
        return None

    def head(self, run: Played) -> Json:
        """Return additional facts for the provenance."""
        return {"params": self.params(run.product, run.scenario)} if self.defaults else {}

    def expected(self, run: Played, view: Mapping[str, Answer]) -> Json:
        """Return the members of ``expected.json`` with the right answers.

        These are the product's answers. Raises ValueError unless its state equals the format's model of the
        operations, and exactly the operations that the table lists as `refused` were rejected.
        """
        name, loaded = run.scenario.name, view["strict"]
        refused = sorted(run.refused)
        if refused != run.scenario.told.get("refused", []):
            raise ValueError(f"{name}: refused were {refused}, not what the table says")
        asked = self.asked(run)
        if asked.shown[-1] != asked.seen(loaded["state"]):
            raise ValueError(f"{name}: asked for {asked.shown[-1]}, loaded {loaded['state']}")
        if any(answer["state"] != loaded["state"] for answer in view.values()):
            raise ValueError(f"{name}: two loads differ")
        found = {"verdict": "clean", "dropped": [], "state": loaded["state"]}
        return {"expect": permitted(found, view["read"]["records"], loaded["records"])}

    def loads(self, view: Mapping[str, Answer]) -> Iterator[str]:
        """Yield the provenance's lines about the records that the product itself loads."""
        yield from ()

    # Methods that are the same for all formats.

    def asked(self, run: Played) -> History:
        """Return the state of the format's model after `run`; rejected and forgotten operations have no
        effect.
        """
        model = model_of(self.format_id)
        if model is None:
            raise ValueError(f"{self.format_id} has no model that computes the required records")
        nothing = run.refused | set(run.scenario.told.get("forgotten", ()))
        return history(model, {}, [op for op, _ in run.steps], frozenset(nothing), run.product.edition)

    def alike(self, found: Json, state: Json) -> Json:
        """Return the right answers: ``read`` finds all of `found`, and recovery under each policy also finds
        `state`.
        """
        policies = [{"op": "recover", "policy": policy} for policy in get_format(self.format_id).policies]
        recovered = [{"when": when, **found, "state": state} for when in policies]
        return {"expect": [{"when": {"op": "read"}, **found}, *recovered]}

    def spoilt(self, run: Played, records: list[Json], state: Json) -> list[Json]:
        """Return the permitted answers about files that the product corrupted, or wrongly reports as corrupt.

        `records` and `state` are the intact data. The table lists the dropped ranges and the refusal.
        """
        lost = [
            {"file": file, "off": str(off), "len": str(length), "reason": reason}
            for file, off, length, reason in on(run.scenario, run.product, "dropped")
        ]
        found = {"verdict": "recovered" if lost else "clean", "dropped": lost, "state": state}
        refusal = on(run.scenario, run.product, "strict", None)
        strict = {"verdict": "refused", "phase": refusal[0], "code": refusal[1]} if refusal else None
        return permitted(found, records, records, strict)

    def connect(self, product: Product, charset: str = "") -> Connection:
        """Return a connection to a fresh harness process for `product`."""
        more = ["--charset", charset] if charset else []
        return connect.to([*serving(product.id), *more], timeout=TIMEOUT)

    def child(self, command: Sequence[str], ends: int = 0) -> None:
        """Run a program that makes files; raises RuntimeError unless its exit status is `ends`."""
        done = subprocess.run(command, capture_output=True, text=True, timeout=_CHILD_SECONDS, check=False)
        if done.returncode != ends:
            raise RuntimeError(f"{command}: the child ended with {done.returncode}: {done.stderr}")

    def request(self, product: Product, scenario: Scenario, **members: Any) -> Json:
        """Return a request about `scenario`."""
        params = self.params(product, scenario)
        return {"format": self.format_id, "edition": product.edition, "params": params, **members}

    def play(self, product: Product, scenario: Scenario, directory: Path) -> Played:
        """Run all sessions of `scenario` in `directory` (empty); return the sessions with their steps."""
        charset = scenario.told.get("charset", "")
        connection = self.connect(product, charset)
        impl = connection.hello().impl
        connection.close()
        sessions = self.made_otherwise(product, scenario, directory)
        if sessions is None:
            sessions = []
            for ops in scenario.sessions:
                killed = ops[-1]["op"] != _CLOSE
                request = self.request(product, scenario, dir=str(directory), ops=list(ops))
                done = _play_steps(self.connect(product, charset), request, killed=killed)
                sessions.append(("killed" if killed else "closed", done))
        return Played(
            product, scenario, str(impl.get("java", "")), str(impl.get("charset", "")), tuple(sessions)
        )

    def look(self, product: Product, scenario: Scenario, directory: Path) -> dict[str, Answer]:
        """Return the answers of `product` on copies of `directory`: to ``read`` and per policy."""
        connection = self.connect(product)
        questions = {"read": {"cmd": "read"}}
        for policy in connection.hello().formats[self.format_id].policies:
            questions[policy] = {"cmd": "recover", "policy": policy}
        view: dict[str, Answer] = {}
        try:
            for name, question in questions.items():
                with scratch() as place:
                    copy = place / "copy"
                    shutil.copytree(directory, copy)
                    request = self.request(product, scenario, **question, observe="state", dir=str(copy))
                    try:
                        answer = connection.ask(request)
                        if "unsupported" not in answer:
                            view[name] = answer["ok"]
                    except TimedOut:
                        view[name] = {"verdict": "no answer"}
        finally:
            connection.close()
        return view

    def describe(self, run: Played, directory: Path) -> None:
        """Ask the product about the files in `directory` and write the known facts next to them.

        Raises ValueError if the product does not find the data that it was asked to store.
        """
        view = self.look(run.product, run.scenario, directory)
        product, scenario = run.product, run.scenario
        wanted = {
            "title": f"{scenario.title} ({product.title})",
            "edition": product.edition,
            **self.shows(product, scenario),
            **self.expected(run, view),
        }
        replace_text(directory / PROVENANCE, "\n".join(self._provenance(run, view, directory)) + "\n")
        replace_text(directory / EXPECTED, json.dumps(wanted, indent=1, sort_keys=True) + "\n")

    def shows(self, product: Product, scenario: Scenario) -> Json:
        """Return two lists of requirements: those that the files obey, and those that the files break."""
        known = {item.id for item in requirements(self.format_id).items if product.edition in item.editions}
        always = () if by_hand(scenario, product) else self.table.told["always"]
        obeys = dict.fromkeys((*always, *on(scenario, product, "obeys")))
        return {
            "obeys": [name for name in obeys if name in known],
            "breaks": list(on(scenario, product, "breaks")),
        }

    def _provenance(self, run: Played, view: Mapping[str, Answer], directory: Path) -> Iterator[str]:
        product, jar = run.product, run.product.main_jar
        told: Json = {
            "title": run.scenario.title,
            "format": self.format_id,
            "edition": product.edition,
            "product": product.id,
            **({"coordinates": jar.coordinates, "jar_sha256": jar.sha256, "java": run.java} if jar else {}),
            **({"charset": run.charset} if run.charset else {}),
            "made_with": f"python tools/captures {self.format_id}",
            "settings": ", ".join((self.settings, *run.scenario.told.get("settings", ()))),
            "checked_by": ["hand" if by_hand(run.scenario, product) else product.id],
            **self.head(run),
        }
        yield "# SPDX-License-Identifier: CC0-1.0"
        yield "# Written by the product itself. The journal files beside this one are never edited."
        yield ""
        yield from (f"{key} = {toml_value(value)}" for key, value in told.items())
        yield from ("", "[sha256]")
        for path in sorted(directory.iterdir()):
            if path.name not in (PROVENANCE, EXPECTED):
                yield f'"{path.name}" = {toml_value(hashlib.sha256(path.read_bytes()).hexdigest())}'
        for end, steps in run.sessions:
            yield from ("", "[[session]]", f"end = {toml_value(end)}", "ops = [")
            for op, answer in steps:
                said = {key: answer[key] for key in ("durable", "active", "refused") if key in answer}
                yield f"  {toml_value({**op, 'answer': said} if said else op)},"
            yield "]"
        yield from self.loads(view)

    def told_in(self, directory: Path) -> Played:
        """Return the run that the provenance in `directory` describes; raises StopIteration or KeyError."""
        told = tomllib.loads((directory / PROVENANCE).read_text(encoding="utf-8"))
        product = get_product(told["product"])
        scenario = next(item for item in self.scenarios(product) if item.name == directory.name)
        sessions = tuple((session["end"], told_steps(session["ops"])) for session in told["session"])
        return Played(product, scenario, told.get("java", ""), told.get("charset", ""), sessions)

    def capture(self, products: Sequence[str], select: str, out: Path, *, again: bool) -> int:
        """Make captures; return 0, or 2 if a directory already exists, because captures are never
        overwritten.
        """
        for product in map(get_product, products or self.products()):
            for scenario in self.scenarios(product):
                target = out / product.id / scenario.name
                if not fnmatch.fnmatch(scenario.name, select):
                    continue
                if again:
                    self.describe(self.told_in(target), target)
                elif target.exists():
                    print(f"error: {target} already exists: captures are never overwritten", file=sys.stderr)
                    return 2
                else:
                    self._make(scenario, product, target)
                print(target, flush=True)
        return 0

    def _make(self, scenario: Scenario, product: Product, target: Path) -> None:
        """Capture in a scratch directory. Only a complete capture is moved to `target`."""
        with scratch() as place:
            work = place / scenario.name
            work.mkdir()
            self.describe(self.play(product, scenario, work), work)
            shutil.copytree(work, target)


def told_steps(ops: Iterable[Mapping[str, Any]]) -> Steps:
    """Return the operations of a provenance, each with its answer."""
    return [
        ({key: value for key, value in op.items() if key != "answer"}, dict(op.get("answer", {})))
        for op in ops
    ]


def permitted(
    sound: Json, records: list[Json], recovered: list[Json], strict: Json | None = None
) -> list[Json]:
    """Return the permitted answers to ``read`` and with both policies; under `strict`, this is a refusal."""
    found = {**sound, "records": recovered}
    return [
        {"when": {"op": "read"}, **sound, "records": records},
        {"when": {"op": "recover", "policy": "strict"}, **(strict or found)},
        {"when": {"op": "recover", "policy": "salvage"}, **found},
    ]


def _play_steps(connection: Connection, request: Mapping[str, Any], *, killed: bool) -> Steps:
    """Do the operations of a ``write`` request one by one and return each with its stepwise answer.

    With `killed`, the process is killed after the last operation. The connection is closed. Raises
    RuntimeError if an operation has no stepwise answer.
    """
    done = []
    steps = connection.steps({**request, "cmd": "write", "step": True})
    try:
        for op, answer in zip(request["ops"], steps, strict=False):
            if "step" not in answer:
                raise RuntimeError(f"{op} got no stepwise answer: {answer}")
            done.append((op, answer))
        if not killed:
            for _ in steps:  # This is the final answer: the harness has released the files.
                pass
    finally:
        steps.close()  # If the loop ended early, this kills the process.
        connection.close()
    return done


def capture_of(format_id: str) -> Capture:
    """Return the Capture of a format, from the format's module in this package if there is one."""
    name = f"{__name__}.{format_id}"
    if find_spec(name) is None:
        return Capture(format_id)
    made: Capture = import_module(name).CAPTURE
    return made
