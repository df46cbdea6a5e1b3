"""Design rules, and the verdict on each in every format."""

from __future__ import annotations

from collections.abc import Iterator

from design_rules import VERDICTS, Rule, findings
from docutils import nodes

from journalspec.formats import format_ids, get_format
from journalspec_docs import sources

#: Maps a verdict to (text in the table, colour of the badge).
SIGNS = {
    "weak": ("weak", "fail"),
    "partly": ("partly", "should"),
    "sound": ("sound", "pass"),
    "not-applicable": ("none", "none"),
}
assert set(SIGNS) == set(VERDICTS)
#: The words for severities.
SEVERITIES = {
    3: "3: acknowledged data lost or invented in a state that a crash leaves",
    2: "2: the same after corruption, or in a reused file",
    1: "1: robustness and diagnosis",
}


def judged_formats() -> list[str]:
    """Return the formats that have findings."""
    return [name for name in format_ids() if findings(name)]


def rule_id(rule: str) -> str:
    """Return the anchor of a rule, which is also the anchor of its result on a format's page."""
    return nodes.make_id(f"rule-{rule}")


def flagged(rule: Rule) -> Iterator[tuple[str, str]]:
    """Yield (format/flag, title) of each flag about `rule` that a published case has."""
    for name in judged_formats():
        used = {flag for case in sources.cases(name) for flag in case.flags}
        for flag in sources.flags(name).values():
            if rule.id in flag.rules and flag.name in used:
                yield f"{name}/{flag.name}", f"{flag.name} ({get_format(name).prefix})"
