"""The results of shipped products on crash states: loads and checks the data files.

The files are in ``docs/data/product-findings``. ``<name>.toml`` contains the results of one run over one
harness. It is written by ``tools/record_findings.py`` and never by hand. The file of the first run over a
harness has the harness's name. ``causes.toml`` explains causes: why a failure happens, which component is at
fault, and what an operator can do. Its patterns select the kinds of failure that a cause explains.
``<name>.jsonl.gz`` holds the smallest state of each kind as cases.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from worst import findings, worst_cases

from journalspec.formats import format_ids
from journalspec_corpus.crash.formats import crash_format, has_crash_format
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.rows import members

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "data" / "product-findings"
CAUSES = "causes.toml"
#: The members that all failures of one kind share.
MEMBERS = ("writer", "policy", "stratum", "verdict", "category")
#: verdict -> the invariants that it breaks. The last three mean no answer: a timeout, an ended process, or an
#: answer ``error``.
BREAKS: Mapping[str, tuple[str, ...]] = {**VERDICTS, "hang": ("I7",), "crash": ("I7",), "error": ()}
#: Verdicts that are not failures.
HARMLESS = ("pass", "acceptable")
#: The class of states that a crash leaves if the device performs every fsync. Its numbers are never added to
#: those of other classes.
REACHABLE = "R"


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of failures. `matches` are rows of patterns in the order of MEMBERS; one row must match.

    `harness` is the pattern of the harnesses concerned, `blame` the component that could have prevented the
    failure. `rules` contains ids of design rules, `requirements` ids of requirements, and `deviations` ids of
    the format's deviations. `safe` describes a guarantee of the disk that prevents the failure.
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
        """Return whether this cause explains a kind of failure of `harness`; `members` are the values of
        MEMBERS.
        """
        kinds = any(all(map(fnmatchcase, members, patterns)) for patterns in self.matches)
        return kinds and fnmatchcase(harness, self.harness)


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of failure that was found: its frequency, the presets, and the cause.

    Of the `of` states of its class, `states` failed in this way. `strongest` is the preset with the strongest
    guarantees under which the failure occurs. `example` contains the id of a state and the answer to it.
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
        """The values that define this kind, in the order of MEMBERS."""
        return tuple(getattr(self, name) for name in MEMBERS)


@dataclass(frozen=True, slots=True)
class ProductRun:
    """The result of one run over one product.

    `strata` contains the number of states by class, policy and verdict; `verdicts` contains only those of
    class R.
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
        """The number of states of class R, by policy and verdict."""
        return self.strata[REACHABLE]


@cache
def causes() -> tuple[Cause, ...]:
    """Return all causes in the order of their file; raises KeyError if a member is missing."""
    loaded = tomllib.loads((FOLDER / CAUSES).read_text(encoding="utf-8"))
    return tuple(map(_cause, loaded["cause"]))


def _cause(entry: Mapping[str, Any]) -> Cause:
    told = members(entry)
    matches = tuple(tuple(match.get(name, "*") for name in MEMBERS) for match in told.pop("match"))
    return Cause(**told, matches=matches)


def causes_of(format_id: str, members: tuple[str, ...], harness: str) -> tuple[Cause, ...]:
    """Return the causes of a kind of failure of `harness`, given as values in the order of MEMBERS."""
    return tuple(
        cause for cause in causes() if cause.format == format_id and cause.explains(members, harness)
    )


@cache
def judgements() -> tuple[ProductRun, ...]:
    """Return the runs over all products, in the order of the products' names."""
    return tuple(_judgements())


@dataclass(frozen=True, slots=True)
class WorstSeen:
    """The verdicts on one product for a worst case of its format, in full and in reduced form."""

    id: str
    harness: str
    policy: str
    full: str
    small: str
    #: The result that the case expects of a reader that follows the specification.
    expected: str

    @property
    def confirmed(self) -> bool:
        """Whether the product fails as the case predicts."""
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
    for path in sorted(FOLDER.glob("*.toml"), key=lambda path: path.name):
        if path.name != CAUSES:
            loaded = tomllib.loads(path.read_text(encoding="utf-8"))
            run = loaded["run"]
            yield ProductRun(
                path.stem,
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
    told = members({name: value for name, value in entry.items() if name not in ("strongest_preset", "why")})
    return Finding(**told, of=sum(judged[policy].values()), strongest=entry["strongest_preset"])
