"""Design rules: strengths and weaknesses of log formats, and the findings of each format.

The rules are in ``docs/data/design-rules/rules.toml``, a format's findings in ``FORMAT.toml`` beside it. Both
are data, checked against ``schema.json`` there when they are read. Each finding contains its proof: single
crash states with the verdict of a named reader, published cases, or an argument if no state or case can prove
it.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from journalspec.formats import get_format
from journalspec_corpus.crash.verdict import VERDICTS as CRASH_VERDICTS
from journalspec_corpus.rows import members

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "data" / "design-rules"
#: The possible verdicts on a format under a rule, beginning with the worst.
WEAK, PARTLY, SOUND, NOT_APPLICABLE = "weak", "partly", "sound", "not-applicable"
VERDICTS = (WEAK, PARTLY, SOUND, NOT_APPLICABLE)
#: The possible bases of a statement about another system.
BASES = {
    "source": "its source code was read",
    "document": "its documentation, or a paper's abstract, was read",
    "thread": "its maintainers' public thread was read",
    "memory": "from general knowledge, not looked up",
}


class RuleError(ValueError):
    """A file of design rules is wrong. The message contains the file and the entry."""


@dataclass(frozen=True, slots=True)
class Met:
    """Another system that had or solved the problem of a rule, and the basis of this statement
    (:data:`BASES`).
    """

    who: str
    what: str
    basis: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One design rule. Ids are permanent.

    `severity` is 3 if acknowledged data can be lost or invented in a state that a crash leaves, 2 if that
    also needs corruption or a reused file, 1 for robustness or diagnosis. `invariants` lists the invariants
    that are endangered in a format that breaks the rule; `strata` lists the classes of states in which this
    happens.
    """

    id: str
    title: str
    weakness: str
    severity: int
    consequence: str
    practice: str
    invariants: tuple[str, ...]
    strata: tuple[str, ...]
    met: tuple[Met, ...] = ()
    severity_note: str = ""


@dataclass(frozen=True, slots=True)
class StateProof:
    """A state, given by workload name and descriptor, and the verdict on `reader` in it."""

    workload: str
    preset: str
    crash_index: int
    reader: str
    expect: str
    shows: str
    mask: bytes = b""
    tear: int = 0
    rot: str = ""
    seed: int = 1


@dataclass(frozen=True, slots=True)
class CaseProof:
    """A published case, and the verdict that it expects of recovery under `policy`."""

    id: str
    policy: str
    expect: str
    shows: str


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on a rule in some editions of a format, with its reason."""

    editions: tuple[str, ...]
    verdict: str
    why: str
    requirements: tuple[str, ...] = ()
    states: tuple[StateProof, ...] = ()
    cases: tuple[CaseProof, ...] = ()
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Invariant:
    """One invariant: its usual name, its statement, the places where it is checked, and the classes of states
    for which it is checked.

    Classes of states: R (a crash can leave it), L (only possible if an fsync was not performed), C
    (corruption), H (hostile bytes, from cases and fuzzing).
    """

    name: str
    statement: str
    looked_at: tuple[str, ...]
    strata: str

    def verdicts(self, ident: str) -> tuple[str, ...]:
        """Return the verdicts that mean that this invariant, whose id is `ident`, is broken."""
        return tuple(verdict for verdict, broken in CRASH_VERDICTS.items() if ident in broken)


@cache
def invariants() -> Mapping[str, Invariant]:
    """Return the twelve invariants by id, in order."""
    table = tomllib.loads((FOLDER / "invariants.toml").read_text(encoding="utf-8"))
    return {ident: Invariant(**members(row)) for ident, row in table.items()}


@cache
def rules() -> Mapping[str, Rule]:
    """Return the design rules by id, in order; raises RuleError if the file is wrong."""
    path = FOLDER / "rules.toml"
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    _validate(data, "rules", path.name)
    _once(path.name, (entry["id"] for entry in data["rule"]))
    return {entry["id"]: _rule(entry) for entry in data["rule"]}


@cache
def findings(format_id: str) -> Mapping[str, tuple[Finding, ...]]:
    """Return the findings of a format by rule id, empty if it has none.

    Raises RuleError unless every rule is present, with every edition exactly once. Raises UnknownFormat for a
    format that is not described.
    """
    path = FOLDER / f"{get_format(format_id).id}.toml"
    return parse_findings(format_id, tomllib.loads(path.read_text("utf-8"))) if path.is_file() else {}


def parse_findings(format_id: str, data: Mapping[str, Any]) -> Mapping[str, tuple[Finding, ...]]:
    """Return the findings in `data`, the content of a format's file; raises RuleError."""
    name = f"{FOLDER.name}/{format_id}.toml"
    _validate(data, "findings", name)
    ids = [entry["id"] for entry in data["rule"]]
    _once(name, ids)
    if set(ids) != set(rules()):
        strange = sorted(set(ids) ^ set(rules()))
        raise RuleError(
            f"{name}: each rule must occur once; missing, unknown or repeated: {', '.join(strange)}"
        )
    found = {entry["id"]: tuple(_finding(item) for item in entry["finding"]) for entry in data["rule"]}
    wanted = Counter(list(get_format(format_id).editions))
    for rule, items in found.items():
        given = Counter(edition for item in items for edition in item.editions)
        if given != wanted:
            raise RuleError(f"{name}: {rule}: its editions are not {', '.join(wanted)}, each once")
    return {rule: found[rule] for rule in rules()}


def _validate(data: Mapping[str, Any], kind: str, name: str) -> None:
    faults = [
        f"{'/'.join(map(str, error.absolute_path)) or 'the file'}: {error.message[:200]}"
        for error in _validator(kind).iter_errors(data)
    ]
    if faults:
        raise RuleError(f"{name}: " + "; ".join(faults))


@cache
def _validator(kind: str) -> Draft202012Validator:
    schema = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator({**schema, "$ref": f"#/$defs/{kind}"})


def _once(name: str, ids: Iterable[str]) -> None:
    twice = [rule for rule, count in Counter(ids).items() if count > 1]
    if twice:
        raise RuleError(f"{name}: defined twice: {', '.join(twice)}")


def _rule(row: Mapping[str, Any]) -> Rule:
    met = tuple(Met(**members(item)) for item in row.get("met", ()))
    return Rule(**{**members(row), "met": met})


def _finding(row: Mapping[str, Any]) -> Finding:
    states = tuple(
        StateProof(**{**members(item), "mask": bytes.fromhex(item.get("mask", ""))})
        for item in row.get("states", ())
    )
    cases = tuple(CaseProof(**members(item)) for item in row.get("cases", ()))
    return Finding(**{**members(row), "states": states, "cases": cases})
