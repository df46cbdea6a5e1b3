"""What shipped products were found to do after a crash: data, loaded and checked.

``findings/<name>.toml`` is what one run over one harness came to, written by ``tools/record_findings.py``
and never by hand; the first run over a harness is named as it is. ``findings/causes.toml`` says in words
why, whose fault it is and what an operator can do; its patterns say which kinds of failure it explains.
``findings/<name>.jsonl.gz`` holds the smallest state of each kind as cases.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from journalspec.formats import format_ids
from journalspec_corpus.crash.formats import crash_format, has_crash_format
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.worst import findings, worst_cases

CAUSES = "causes.toml"
#: What failures of one kind have in common.
MEMBERS = ("writer", "policy", "stratum", "verdict", "category")
#: verdict -> the invariants that it breaks. The last three are not answers at all: it ended, it did not come
#: back in time, or it answered that it failed.
BREAKS: Mapping[str, tuple[str, ...]] = {**VERDICTS, "hang": ("I7",), "crash": ("I7",), "error": ()}
#: Verdicts that are no failure.
HARMLESS = ("pass", "acceptable")
#: The stratum of states that a crash leaves where every force is honest. No other is added to it.
REACHABLE = "R"


@dataclass(frozen=True, slots=True)
class Cause:
    """Why kinds of failure happen. `matches` are patterns in the order of MEMBERS, any of which will do.

    `harness` is the pattern of the harnesses concerned, `blame` the component that could have prevented it;
    `rules` are design rules, `requirements` what the specification says about it, `deviations` what the
    format's room lists of products. `safe` says under which guarantee of the disk it cannot happen.
    """

    id: str
    format: str
    title: str
    text: str
    advice: str
    safe: str
    blame: tuple[str, ...]
    rules: tuple[str, ...]
    requirements: tuple[str, ...]
    deviations: tuple[str, ...]
    matches: tuple[tuple[str, ...], ...]
    harness: str = "*"

    def explains(self, members: tuple[str, ...], harness: str) -> bool:
        """Return whether it explains a kind of `harness`, given by its members in the order of MEMBERS."""
        kinds = any(all(map(fnmatchcase, members, patterns)) for patterns in self.matches)
        return kinds and fnmatchcase(harness, self.harness)


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of failure that was seen: how often, under what, and why.

    `states` of `of` states of its class failed so; `strongest` is the preset with the strongest
    guarantees that shows it. `example` names a state and says what was answered.
    """

    writer: str
    policy: str
    stratum: str
    verdict: str
    category: str
    breaks: tuple[str, ...]
    states: int
    of: int
    strongest: str
    causes: tuple[str, ...]
    said: str
    example: Mapping[str, Any]

    @property
    def members(self) -> tuple[str, ...]:
        """What its kind is, in the order of MEMBERS."""
        return tuple(getattr(self, name) for name in MEMBERS)


@dataclass(frozen=True, slots=True)
class ProductRun:
    """What one run over one product came to.

    `strata` has for each class and policy how many states got which verdict, `verdicts` those of R.
    """

    name: str
    harness: str
    product: str
    format: str
    run: Mapping[str, Any]
    strata: Mapping[str, Mapping[str, Mapping[str, int]]]
    findings: tuple[Finding, ...]

    @property
    def verdicts(self) -> Mapping[str, Mapping[str, int]]:
        """By policy, how many states of the class R got which verdict."""
        return self.strata[REACHABLE]


def _folder() -> Traversable:
    return files(__package__).joinpath("findings")


@cache
def causes() -> tuple[Cause, ...]:
    """Return all causes in the order of their file; raises KeyError on a member that is missing."""
    loaded = tomllib.loads(_folder().joinpath(CAUSES).read_text(encoding="utf-8"))
    return tuple(map(_cause, loaded["cause"]))


def _cause(entry: Mapping[str, Any]) -> Cause:
    told = {name: _frozen(value) for name, value in entry.items() if name != "match"}
    matches = tuple(tuple(match.get(name, "*") for name in MEMBERS) for match in entry["match"])
    return Cause(**told, matches=matches)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value.strip() if isinstance(value, str) else value


def causes_of(format_id: str, members: tuple[str, ...], harness: str) -> tuple[Cause, ...]:
    """Return what explains a kind of failure of `harness`, given by its members in the order of MEMBERS."""
    return tuple(
        cause for cause in causes() if cause.format == format_id and cause.explains(members, harness)
    )


@cache
def judgements() -> tuple[ProductRun, ...]:
    """Return what all products were found to do, by name of the run."""
    return tuple(_judgements())


@dataclass(frozen=True, slots=True)
class WorstSeen:
    """What one product got on a worst case of its format: the verdicts on its full and its small form."""

    id: str
    harness: str
    policy: str
    full: str
    small: str
    #: The result of a reader that follows the specification, according to the case.
    expected: str

    @property
    def confirmed(self) -> bool:
        """Whether the product fails as the case says."""
        return self.full == self.small == self.expected


@cache
def worst_seen() -> tuple[WorstSeen, ...]:
    """Return the results of all products on the worst cases, under the policy of each case."""
    return tuple(
        seen for format_id in format_ids() if has_crash_format(format_id) for seen in _worst(format_id)
    )


def _worst(format_id: str) -> Iterator[WorstSeen]:
    adapter, run = crash_format(format_id), findings(format_id)
    verdicts = {(entry.product, entry.policy, entry.case): entry.verdict for entry in run}
    for harness in dict.fromkeys(entry.product for entry in run):
        for case in worst_cases(format_id):
            policy = case.reader if case.reader in adapter.readers else ""
            full, small = (verdicts.get((harness, policy, name)) for name in (case.id, case.small_id))
            if full is not None and small is not None:
                yield WorstSeen(case.id, harness, policy, full, small, case.verdict)


def _judgements() -> Iterator[ProductRun]:
    for path in sorted(_folder().iterdir(), key=lambda entry: entry.name):
        if path.name.endswith(".toml") and path.name != CAUSES:
            loaded = tomllib.loads(path.read_text(encoding="utf-8"))
            run = loaded["run"]
            yield ProductRun(
                path.name.removesuffix(".toml"),
                run["harness"],
                run["product"],
                run["format"],
                run,
                {REACHABLE: loaded["verdicts"], **loaded.get("strata", {})},
                tuple(_finding(entry, loaded) for entry in loaded.get("finding", ())),
            )


def _finding(entry: Mapping[str, Any], loaded: Mapping[str, Any]) -> Finding:
    stratum, policy = entry["stratum"], entry["policy"]
    judged = loaded["verdicts"] if stratum == REACHABLE else loaded["strata"][stratum]
    told = {name: _frozen(value) for name, value in entry.items() if name not in ("strongest_preset", "why")}
    return Finding(**told, of=sum(judged[policy].values()), strongest=entry["strongest_preset"])
