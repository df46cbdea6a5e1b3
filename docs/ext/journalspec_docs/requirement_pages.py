"""Requirements: the cases that cover each requirement, and the mutants that prove the coverage."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

from design_rules import findings

from journalspec.deviations import Deviation, deviations
from journalspec.formats import Format
from journalspec.requirements import Requirement
from journalspec_docs import sources

LEVELS = ("must", "should", "may")
#: Maps a kind of deviation to its description.
KINDS = {
    "errata": "Errata: the product is wrong",
    "permissive": "Permissive: the product takes or writes more, to no harm",
}


def limited_to(format_: Format, item: Requirement) -> str:
    """Return the editions of a requirement as text. If fewer editions are excluded, return "all but" and
    these.
    """
    others = [edition for edition in format_.editions if edition not in item.editions]
    if not others:
        return ""
    return f"all but {', '.join(others)}" if len(others) < len(item.editions) else ", ".join(item.editions)


def rules_of(format_id: str, item: Requirement) -> list[str]:
    """Return the design rules whose findings refer to a requirement."""
    return [
        rule
        for rule, found in findings(format_id).items()
        if any(item.id in finding.requirements for finding in found)
    ]


def is_covered(item: Requirement, format_id: str) -> bool:
    """Return whether at least one case obeys a requirement and at least one breaks it."""
    return all(sources.covering(format_id, item.id))


@cache
def _places(format_id: str) -> Mapping[str, int]:
    """Map each case to the number of its group."""
    return {
        case.id: at
        for at, cases in enumerate(sources.cases_by_group(format_id).values())
        for first in cases
        for case in (first, *sources.told_again(first))
    }


def heat(format_id: str, item: Requirement) -> Iterator[tuple[str, str | int]]:
    """Yield (class, text) of the cell for each group of cases in the map of coverage. The class shows whether
    cases obey the requirement, break it, or both.
    """
    places = _places(format_id)
    obeyed, broken = (
        Counter(places[case.id] for case in found) for found in sources.covering(format_id, item.id)
    )
    for at in range(len(sources.cases_by_group(format_id))):
        one, other = obeyed[at], broken[at]
        yield ("x", f"{one}+{other}") if one and other else ("o", one) if one else ("b", other)


def departing(format_id: str, item: Requirement) -> list[str]:
    """Return the deviations from a requirement."""
    return [entry.id for entry in deviations(format_id) if item.id in entry.requirements]


@cache
def _sent() -> Mapping[str, Mapping[str, str]]:
    """Map each deviation to its report for the product's maintainers."""
    text = (sources.DATA.parent / "upstream" / "reports.toml").read_text(encoding="utf-8")
    return {entry["deviation"]: entry for entry in tomllib.loads(text)["report"]}


def upstream_reports(format_id: str) -> list[tuple[Deviation, Mapping[str, str]]]:
    """Return the deviations of a format that have a report for the product's maintainers, and the reports."""
    return [(item, _sent()[item.id]) for item in deviations(format_id) if item.id in _sent()]


def report_of(item: Deviation) -> Mapping[str, str]:
    """Return the report of a deviation, or an empty report if it was not reported."""
    return _sent().get(item.id, {})


def versions(item: Deviation) -> str:
    """Return the versions concerned, in words."""
    if not item.until:
        return f"since {item.since}"
    return item.since if item.since == item.until else f"{item.since} to {item.until}"
