"""Design rules: the strengths and weaknesses of log formats, and each format's answer to them.

The rules are in ``design_rules.toml`` next to this module, a format's findings in the file of the same name
in its directory. Both are data, checked against ``design_rules.schema.json`` when they are read. A finding
has its proof: single crash states with the verdict that a named reader gets on them, published cases, or an
argument if no state or case can show it.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator

from journalspec.formats import format_text, get_format

FILE_NAME = "design_rules.toml"
#: The results for a format under a rule, the worst first.
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
    """A file of design rules is wrong; the message names the file and the entry."""


@dataclass(frozen=True, slots=True)
class Met:
    """Another system that met or solved a rule's problem, and the basis of that statement (:data:`BASES`)."""

    who: str
    what: str
    basis: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One design rule. Ids are permanent.

    `severity` is 3 if acknowledged data can be lost or invented in a state that a crash leaves, 2 if that
    also needs corruption or a reused file, 1 for robustness or diagnosis. `invariants` are endangered in a
    format that breaks the rule; `strata` are the classes of states that show it.
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
    """A state by workload name and descriptor, and the verdict that `reader` gets there."""

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


@cache
def rules() -> Mapping[str, Rule]:
    """Return the design rules by id, in order; raises RuleError if the file is wrong."""
    data = tomllib.loads(files("journalspec_corpus").joinpath(FILE_NAME).read_text(encoding="utf-8"))
    _validate(data, "rules", FILE_NAME)
    _once(FILE_NAME, (entry["id"] for entry in data["rule"]))
    return {entry["id"]: _rule(entry) for entry in data["rule"]}


@cache
def findings(format_id: str) -> Mapping[str, tuple[Finding, ...]]:
    """Return the findings of a format by rule id, empty if it has none.

    Raises RuleError unless every rule is there, with every edition once. Raises UnknownFormat for a format
    that is not described.
    """
    get_format(format_id)
    text = format_text("journalspec_corpus", format_id, FILE_NAME)
    return parse_findings(format_id, tomllib.loads(text)) if text else {}


def parse_findings(format_id: str, data: Mapping[str, Any]) -> Mapping[str, tuple[Finding, ...]]:
    """Return the findings that `data`, a format's file, holds; raises RuleError."""
    name = f"{format_id}/{FILE_NAME}"
    _validate(data, "findings", name)
    ids = [entry["id"] for entry in data["rule"]]
    _once(name, ids)
    if set(ids) != set(rules()):
        strange = sorted(set(ids) ^ set(rules()))
        raise RuleError(f"{name}: each rule must occur once, but not {', '.join(strange)}")
    found = {entry["id"]: tuple(_finding(item) for item in entry["finding"]) for entry in data["rule"]}
    wanted = Counter(list(get_format(format_id).editions))
    for rule, items in found.items():
        given = Counter(edition for item in items for edition in item.editions)
        if given != wanted:
            raise RuleError(f"{name}: {rule}: its editions are not {', '.join(wanted)}, each once")
    return {rule: found[rule] for rule in rules()}


def worst(items: Iterable[Finding]) -> str:
    """Return the worst verdict of some findings."""
    return min((item.verdict for item in items), key=VERDICTS.index)


def _validate(data: Mapping[str, Any], kind: str, name: str) -> None:
    faults = [
        f"{'/'.join(map(str, error.absolute_path)) or 'the file'}: {error.message[:200]}"
        for error in _validator(kind).iter_errors(data)
    ]
    if faults:
        raise RuleError(f"{name}: " + "; ".join(faults))


@cache
def _validator(kind: str) -> Draft202012Validator:
    text = files("journalspec_corpus").joinpath("design_rules.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator({**json.loads(text), "$ref": f"#/$defs/{kind}"})


def _once(name: str, ids: Iterable[str]) -> None:
    twice = [rule for rule, count in Counter(ids).items() if count > 1]
    if twice:
        raise RuleError(f"{name}: defined twice: {', '.join(twice)}")


def _rule(entry: Mapping[str, Any]) -> Rule:
    texts = {
        name: _line(entry[name])
        for name in ("title", "weakness", "consequence", "practice", "severity_note")
        if name in entry
    }
    met = tuple(
        Met(item["who"], _line(item["what"]), item["basis"], item.get("where", ""))
        for item in entry.get("met", ())
    )
    return Rule(
        id=entry["id"],
        severity=entry["severity"],
        invariants=tuple(entry["invariants"]),
        strata=tuple(entry["strata"]),
        met=met,
        **texts,
    )


def _finding(entry: Mapping[str, Any]) -> Finding:
    states = tuple(
        StateProof(**{**item, "mask": bytes.fromhex(item.get("mask", "")), "shows": _line(item["shows"])})
        for item in entry.get("states", ())
    )
    cases = tuple(CaseProof(**{**item, "shows": _line(item["shows"])}) for item in entry.get("cases", ()))
    return Finding(
        editions=tuple(entry["editions"]),
        verdict=entry["verdict"],
        why=_line(entry["why"]),
        requirements=tuple(entry.get("requirements", ())),
        states=states,
        cases=cases,
        argument=_line(entry.get("argument", "")),
    )


def _line(text: str) -> str:
    return " ".join(text.split())
