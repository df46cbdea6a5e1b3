"""What is done to a store to get its crash states: what is made of ``workloads.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from journalspec_corpus.author import words
from journalspec_corpus.crash.recorder import Operation
from journalspec_corpus.swiftmq_store.author import message

TABLES: Mapping[str, Any] = tomllib.loads(
    files(__package__).joinpath("workloads.toml").read_text(encoding="utf-8")
)
#: What is prepared goes by this name.
BRANCH = {"gtrid": "01", "bqual": "09"}


@dataclass(frozen=True, slots=True)
class Workload:
    """Steps, as the table has them; `kind` is what they are about."""

    kind: str
    steps: tuple[str, ...]

    @property
    def name(self) -> str:
        """A readable name, unique among workloads."""
        return f"{self.kind}/{'+'.join(step.replace(' ', '-') for step in self.steps)}"

    def operations(self) -> list[Operation]:
        """Return the protocol's operations."""
        return [operation(step) for step in self.steps]


def operation(step: str) -> Operation:
    """Return the protocol's operation of a step."""
    kind, _, pairs = words(step)
    out: Operation = {"op": kind, **pairs}
    if "body" in pairs:
        out["message"] = message(out.pop("body")).hex()
    if kind == "commit":
        out["tx"] = pairs["tx"].split(",")
    if kind == "prepare":
        out |= {"format_id": 1, **BRANCH}
    if kind == "decide":
        out |= {"commit": pairs["commit"] == "true", **BRANCH}
    return out


def workloads(scope: str) -> Iterator[Workload]:
    """Yield the workloads of a scope; raises KeyError for an unknown one."""
    most = TABLES["scopes"][scope]
    for kind, of in TABLES["workloads"].items():
        yield from (Workload(kind, tuple(steps)) for steps in of[:most])


def workload_of(members: Mapping[str, Any]) -> Workload:
    """Return the workload of its members in a table."""
    return Workload(members["kind"], tuple(members.get("steps", ())))


def smaller(work: Workload) -> Iterator[Workload]:
    """Yield workloads with one step less, the last one first; not each of them can be played."""
    for at in reversed(range(len(work.steps))):
        yield replace(work, steps=work.steps[:at] + work.steps[at + 1 :])
