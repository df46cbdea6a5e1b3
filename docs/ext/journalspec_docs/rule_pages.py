"""Design rules: the table of rules and formats; and for each format its proofs and measured rates.

Rates are committed files (``docs/data/rates-*.json``), made by ``journalspec corpus
rates --json``: a build of the core tier takes longer than a page may.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from docutils import nodes

from journalspec.formats import Format, format_ids, get_format
from journalspec_corpus import design_rules
from journalspec_corpus.design_rules import BASES, VERDICTS, Finding, Met, Rule, StateProof
from journalspec_docs import base, markup, sources
from journalspec_docs.base import Page

#: verdict -> (what stands in the table, colour of the badge)
SIGNS = {
    "weak": ("weak", "fail"),
    "partly": ("partly", "should"),
    "sound": ("sound", "pass"),
    "not-applicable": ("none", "none"),
}
assert set(SIGNS) == set(VERDICTS)
#: Severities in words.
SEVERITIES = {
    3: "3: acknowledged data lost or invented in a state that a crash leaves",
    2: "2: with rot, or in a file that is used again",
    1: "1: robustness and diagnosis",
}


def judged_formats() -> list[str]:
    """Return the formats that have findings."""
    return [name for name in format_ids() if design_rules.findings(name)]


def rule_id(rule: str) -> str:
    """Return the anchor of a rule, and on a format's page of what it comes to there."""
    return nodes.make_id(f"rule-{rule}")


def rate_files() -> list[Path]:
    """Return the committed results of measurements."""
    return sorted(sources.DATA.glob("rates-*.json"))


def rates() -> dict[str, dict[str, Any]]:
    """Return the measured rates by format."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in rate_files()]
    return {result["plan"]["format"]: result for result in found}


def _depends_on_rules(page: Page) -> None:
    root = Path(str(resources.files("journalspec_corpus")))
    page.depends_on(root / design_rules.FILE_NAME, *root.glob(f"*/{design_rules.FILE_NAME}"), *rate_files())


def table(page: Page) -> Iterable[nodes.Node]:
    """``{design-rule-table}``: every rule with what it comes to in each format, with links to the proofs."""
    _depends_on_rules(page)
    formats = judged_formats()
    rows: list[markup.Row] = [
        (
            _local(rule_id(rule.id), rule.id),
            rule.title,
            str(rule.severity),
            *(_verdicts(page, rule.id, name) for name in formats),
        )
        for rule in design_rules.rules().values()
    ]
    heads = ("Rule", "", "Severity", *(get_format(name).title for name in formats))
    yield markup.table(heads, rows, "jspec-rules")


def _verdicts(page: Page, rule: str, format_id: str) -> list[nodes.Node]:
    """Return the verdicts of a format under a rule, with the editions where these differ."""
    found = design_rules.findings(format_id)[rule]
    parts: list[nodes.Node] = []
    for verdict in VERDICTS:
        editions = [edition for item in found if item.verdict == verdict for edition in item.editions]
        if not editions:
            continue
        text, kind = SIGNS[verdict]
        if parts:
            parts.append(nodes.Text(" "))
        link = page.ref("rule", f"{format_id}/{rule}", text)
        parts.append(nodes.inline("", "", link, classes=["jspec-badge", f"jspec-badge-{kind}"]))
        if len({item.verdict for item in found}) > 1:
            parts.append(nodes.Text(f" ({', '.join(editions)})"))
    return parts


def _local(anchor: str, text: str) -> nodes.reference:
    return nodes.reference("", text, refid=anchor, internal=True)


def sections(page: Page) -> Iterator[nodes.Node]:
    """``{design-rule-sections}``: each rule, what to do instead, who met it, and where its proofs stand."""
    _depends_on_rules(page)
    for rule in design_rules.rules().values():
        page.note("rule", rule.id, rule_id(rule.id), rule.title)
        severity = SEVERITIES[rule.severity] + (f" ({rule.severity_note})" if rule.severity_note else "")
        facts = markup.fields(
            [
                ("Weakness", rule.weakness),
                ("What follows", rule.consequence),
                ("Do instead", rule.practice),
                ("Severity", severity),
                ("Endangers", ", ".join(rule.invariants)),
                ("Shows in strata", ", ".join(rule.strata)),
                ("Who met it", [markup.bullets([_met(item)] for item in rule.met)] if rule.met else ""),
                ("Flags of cases", markup.joined(_flags(page, rule))),
                ("Proofs", markup.joined(_formats(page, rule))),
            ]
        )
        yield markup.section(f"{rule.id}: {rule.title}", rule_id(rule.id), facts)


def _met(item: Met) -> nodes.Node:
    where = f" ({item.where})" if item.where else ""
    return nodes.Text(f"{item.who}: {item.what}{where}; {BASES[item.basis]}.")


def _flags(page: Page, rule: Rule) -> Iterator[nodes.Node]:
    for name in judged_formats():
        used = {flag for case in sources.cases(name) for flag in case.flags}
        for flag in sources.flags(name).values():
            if rule.id in flag.rules and flag.name in used:
                yield page.ref("flag", f"{name}/{flag.name}", f"{flag.name} ({get_format(name).prefix})")


def _formats(page: Page, rule: Rule) -> Iterator[nodes.Node]:
    for name in judged_formats():
        yield page.ref("rule", f"{name}/{rule.id}", get_format(name).title)


def in_format(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{format-rules} FORMAT``: each rule in a format, with the cases and states that show it."""
    _depends_on_rules(page)
    if not design_rules.findings(format_.id):
        yield markup.paragraph("This format was not judged by the design rules yet.")
        return
    for rule in design_rules.rules().values():
        title = f"{rule.id}: {rule.title}"
        page.note("rule", f"{format_.id}/{rule.id}", rule_id(rule.id), rule.title)
        yield _in_format(page, rule, format_.id, title)


def _in_format(page: Page, rule: Rule, name: str, title: str) -> nodes.section:
    part = markup.section(title, rule_id(rule.id))
    for item in design_rules.findings(name)[rule.id]:
        text, kind = SIGNS[item.verdict]
        shown = list(_proofs(page, item))
        part += markup.paragraph(markup.badge(text, kind), f" in {', '.join(item.editions)}: {item.why}")
        part += markup.fields(
            [
                ("Requirements", page.refs("req", item.requirements)),
                ("Shown by", [markup.bullets(shown)] if shown else []),
                ("Not shown", item.argument),
            ]
        )
    return part


def _proofs(page: Page, item: Finding) -> Iterator[list[nodes.Node]]:
    yield from map(_state, item.states)
    for proof in item.cases:
        said = f" (policy {proof.policy}: {proof.expect}). {proof.shows}"
        yield [page.ref("case", proof.id), nodes.Text(said)]


def _state(proof: StateProof) -> list[nodes.Node]:
    where = f", operation {proof.crash_index}"
    where += f", mask {proof.mask.hex()}" if proof.mask else ""
    where += f", {proof.tear} bytes of it" if proof.tear else ""
    where += f", {proof.rot}" if proof.rot else ""
    return [
        markup.literal(proof.workload),
        nodes.Text(" under "),
        markup.literal(proof.preset),
        nodes.Text(f"{where}; reader {proof.reader}: "),
        markup.badge(proof.expect, "none"),
        nodes.Text(f". {proof.shows}"),
    ]


@base.table("Format", "Edition", "Order of writes", "Safe under", "Fails first", "For example")
def safe_presets(page: Page) -> Iterator[markup.Row]:
    """``{safe-presets}``: the weakest preset under which an order of writes loses and invents nothing."""
    _depends_on_rules(page)
    for name in judged_formats():
        for line in rates().get(name, {}).get("safe", ()):
            fails = line["fails"]
            weakest = markup.literal(line["weakest"]) if line["weakest"] else "none"
            row = (get_format(name).title, line["edition"], line["writer"], weakest)
            yield (*row, *_failing(fails)) if fails else (*row, "", "")


def _failing(fails: Mapping[str, Any]) -> tuple[str, list[nodes.Node]]:
    counts = ", ".join(f"{name} ({count:,})" for name, count in fails["verdicts"].items())
    example = fails["example"]
    where = f", mask {example['mask']}" if example["mask"] else f", {example['tear']} bytes of it"
    at = nodes.Text(f", operation {example['crash_index']}{where}")
    return f"{counts} under {fails['preset']}", [markup.literal(example["workload"]), at]


def measured(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{measured-rates} FORMAT``: where the numbers come from, and one table per question."""
    _depends_on_rules(page)
    if not design_rules.findings(format_.id):
        return
    result = rates().get(format_.id)
    if result is None:
        raise LookupError(f"no measured rates of {format_.id} in {sources.DATA.name}/")
    yield markup.section("What goes unnoticed, measured", "rates", *_measured(result))


def rate_pages(page: Page) -> Iterator[nodes.Node]:
    """``{measured-rates-list}``: where each format's rates stand."""
    names = [get_format(name) for name in judged_formats()]
    links = (f"{{doc}}`{item.title} </formats/{item.id}/rules>`" for item in names)
    yield markup.bullets([page.inline(link) for link in links])


def _measured(result: Mapping[str, Any]) -> Iterator[nodes.Node]:
    plan = result["plan"]
    yield markup.paragraph(
        f"From a build of tier {plan['tier']}, seed {plan['seed']}, engine {plan['engine']}, version "
        f"{plan['version']}, with the digest ",
        markup.literal(result["digest"]),
        f"; the reader is the reference under the policy {result['reader']}.",
    )
    for name, question in result["questions"].items():
        rows = [_rate(entry) for entry in result["rates"] if entry["question"] == name]
        if rows:
            yield markup.paragraph(markup.literal(name), f": of {question['of']}, {question['counted']}.")
            heads = ("Edition", "Order of writes", "Background", "Preset", "k", "n", "Rate", "95%")
            yield from markup.folded("All the numbers", markup.table(heads, rows))
    aside = ", ".join(
        f"{entry['background']} ({entry['traces']:,} traces, {entry['states']:,} states)"
        for entry in result["set_aside"]
    )
    if aside:
        yield markup.paragraph(
            "Set aside, because the reader is wrong there before anything is written, or before anything "
            f"decays: traces over {aside}."
        )
    left = ", ".join(
        f"{entry['preset']} {entry['groups']:,} with {entry['states']:,} states"
        for entry in result["left_out"]
    )
    if left:
        yield markup.paragraph(
            f"Crash points of which not every state was enumerated, and which no rate is made of: {left}."
        )


def _rate(entry: Mapping[str, Any]) -> markup.Row:
    low, high = entry["interval"]
    return (
        entry["edition"],
        entry["writer"],
        entry["background"],
        markup.literal(entry["preset"]),
        f"{entry['k']:,}",
        f"{entry['n']:,}",
        f"{entry['rate']:.2%}",
        f"{low:.2%} to {high:.2%}",
    )


@base.table("Background", "Sectors", "How", "Formula", "Accepted", "Rate")
def self_check(page: Page) -> Iterator[markup.Row]:
    """``{rates-self-check}``: what the generator gives beside what arithmetic says, for the first format."""
    _depends_on_rules(page)
    found = list(rates().values())
    if not found:
        raise LookupError(f"no measured rates in {sources.DATA.name}/")
    for entry in found[0]["self_check"]:
        k, n = entry["k"], entry["n"]
        drawn = f"{k:,} of {n:,}", f"{k / n:.2%}"
        yield entry["background"], str(entry["sectors"]), entry["how"], f"{entry['formula']:.2%}", *drawn
