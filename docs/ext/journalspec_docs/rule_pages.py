"""Design rules: the table of rules and formats, each rule with its proofs, and the measured rates.

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
from sphinx.util.docutils import SphinxDirective

from journalspec_corpus import design_rules
from journalspec_corpus.design_rules import BASES, VERDICTS, CaseProof, Finding, Met, Rule, StateProof
from journalspec_corpus.flags import load_flags
from journalspec_docs import domain, markup, sources

DATA = Path(__file__).parents[2] / "data"
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
    return [name for name in sources.format_ids() if design_rules.findings(name)]


def rule_id(rule: str, format_id: str = "") -> str:
    """Return the anchor of a rule, or of what it comes to in a format."""
    return nodes.make_id(f"rule-{rule}-{format_id}" if format_id else f"rule-{rule}")


class _RuleDirective(SphinxDirective):
    """What the directives of this module share: the page is read again when rules change."""

    def run(self) -> list[nodes.Node]:
        """Build the nodes, or report what is wrong where the directive stands."""
        root = Path(str(resources.files("journalspec_corpus")))
        for path in (root / design_rules.FILE_NAME, *root.glob(f"*/{design_rules.FILE_NAME}"), *rate_files()):
            self.env.note_dependency(str(path))
        try:
            return list(self.build())
        except (LookupError, ValueError) as error:
            raise self.error(f"{self.name}: {error}") from error

    def build(self) -> Iterable[nodes.Node]:
        """Return the content of the directive."""
        raise NotImplementedError

    def refs(self, kind: str, names: Iterable[str]) -> list[nodes.Node]:
        """Return links with commas between them."""
        return markup.joined([self.ref(kind, name) for name in names])

    def ref(self, kind: str, name: str, text: str | None = None) -> nodes.Node:
        """Return a link to a requirement, case or flag."""
        link = domain.xref(kind, name, self.env.docname, text)
        link.source, link.line = self.get_source_info()
        return link


class RuleTable(_RuleDirective):
    """``{design-rule-table}``: every rule with what it comes to in each format."""

    def build(self) -> Iterable[nodes.Node]:
        """Return the table; each entry leads to its proofs."""
        formats = judged_formats()
        rows = []
        for rule in design_rules.rules().values():
            cells: list[markup.Cell] = [
                _local(rule_id(rule.id), rule.id),
                rule.title,
                str(rule.severity),
            ]
            cells += [_verdicts(rule.id, name) for name in formats]
            rows.append(cells)
        heads = ("Rule", "", "Severity", *(sources.get_format(name).title for name in formats))
        return [markup.table(heads, rows, "jspec-rules")]


def _verdicts(rule: str, format_id: str) -> list[nodes.Node]:
    """Return the verdicts of a format under a rule, with the editions where these differ."""
    found = design_rules.findings(format_id)[rule]
    parts: list[nodes.Node] = []
    for verdict in VERDICTS:
        editions = [edition for item in found if item.verdict == verdict for edition in item.editions]
        if not editions:
            continue
        text, kind = SIGNS[verdict]
        link = _local(rule_id(rule, format_id), text)
        link["classes"] += ["jspec-badge", f"jspec-badge-{kind}"]
        if parts:
            parts.append(nodes.Text(" "))
        parts.append(link)
        if len({item.verdict for item in found}) > 1:
            parts.append(nodes.Text(f" ({', '.join(editions)})"))
    return parts


def _local(anchor: str, text: str) -> nodes.reference:
    return nodes.reference("", text, refid=anchor, internal=True)


class RuleSections(_RuleDirective):
    """``{design-rule-sections}``: each rule, who met it, and what it comes to in each format, with proofs."""

    def build(self) -> Iterator[nodes.Node]:
        """Return one section per rule."""
        for rule in design_rules.rules().values():
            part = markup.section(f"{rule.id}: {rule.title}", rule_id(rule.id))
            domain.domain_of(self.env).note("rule", rule.id, rule_id(rule.id), rule.title)
            part += self._about(rule)
            for name in judged_formats():
                part += self._format(rule, name)
            yield part

    def _about(self, rule: Rule) -> nodes.Node:
        severity = SEVERITIES[rule.severity] + (f" ({rule.severity_note})" if rule.severity_note else "")
        return markup.fields(
            [
                ("Weakness", rule.weakness),
                ("What follows", rule.consequence),
                ("Do instead", rule.practice),
                ("Severity", severity),
                ("Endangers", ", ".join(rule.invariants)),
                ("Shows in strata", ", ".join(rule.strata)),
                ("Who met it", [markup.bullets([_met(item)] for item in rule.met)] if rule.met else ""),
                ("Flags of cases", self._flags(rule)),
            ]
        )

    def _flags(self, rule: Rule) -> list[nodes.Node]:
        out: list[nodes.Node] = []
        for name in judged_formats():
            used = {flag for case in sources.cases(name) for flag in case.flags}
            for flag in load_flags(name).values():
                if rule.id in flag.rules and flag.name in used:
                    out.append(self.ref("flag", f"{name}/{flag.name}", f"{flag.name} ({_short(name)})"))
        return markup.joined(out)

    def _format(self, rule: Rule, name: str) -> nodes.section:
        part = markup.section(sources.get_format(name).title, rule_id(rule.id, name))
        for item in design_rules.findings(name)[rule.id]:
            text, kind = SIGNS[item.verdict]
            editions = ", ".join(item.editions)
            part += markup.paragraph(markup.badge(text, kind), f" in {editions}: {item.why}")
            part += markup.fields(
                [
                    ("Requirements", self.refs("req", item.requirements)),
                    ("Shown by", self._proofs(item)),
                    ("Not shown", item.argument),
                ]
            )
        return part

    def _proofs(self, item: Finding) -> list[nodes.Node]:
        shown = [_state(proof) for proof in item.states] + [self._case(proof) for proof in item.cases]
        return [markup.bullets(shown)] if shown else []

    def _case(self, proof: CaseProof) -> list[nodes.Node]:
        return [
            self.ref("case", proof.id),
            nodes.Text(f" (policy {proof.policy}: {proof.expect}). {proof.shows}"),
        ]


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


def _met(item: Met) -> nodes.Node:
    where = f" ({item.where})" if item.where else ""
    return nodes.Text(f"{item.who}: {item.what}{where}; {BASES[item.basis]}.")


def _short(format_id: str) -> str:
    return sources.get_format(format_id).prefix


def rate_files() -> list[Path]:
    """Return the committed results of measurements."""
    return sorted(DATA.glob("rates-*.json"))


def rates_of(format_id: str) -> dict[str, Any] | None:
    """Return the measured rates of a format, None if there are none."""
    for path in rate_files():
        loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if loaded["plan"]["format"] == format_id:
            return loaded
    return None


class SafePresets(_RuleDirective):
    """``{safe-presets}``: the weakest preset under which an order of writes loses and invents nothing."""

    def build(self) -> Iterable[nodes.Node]:
        """Return one table over all formats."""
        rows: list[markup.Row] = []
        for name in judged_formats():
            for line in (rates_of(name) or {}).get("safe", ()):
                fails = line["fails"]
                then = f"{_names(fails['verdicts'])} under {fails['preset']}" if fails else ""
                rows.append(
                    (
                        sources.get_format(name).title,
                        line["edition"],
                        line["writer"],
                        markup.literal(line["weakest"]) if line["weakest"] else "none",
                        then,
                        _example(fails["example"]) if fails else "",
                    )
                )
        heads = ("Format", "Edition", "Order of writes", "Safe under", "Fails first", "For example")
        return [markup.table(heads, rows)]


def _names(verdicts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({count:,})" for name, count in verdicts.items())


def _example(example: Mapping[str, Any]) -> list[nodes.Node]:
    where = f", mask {example['mask']}" if example["mask"] else f", {example['tear']} bytes of it"
    return [
        markup.literal(example["workload"]),
        nodes.Text(f", operation {example['crash_index']}{where}"),
    ]


class MeasuredRates(_RuleDirective):
    """``{measured-rates}``: the measured rates of every format, with what they are rates of."""

    def build(self) -> Iterator[nodes.Node]:
        """Return one section per format: where the numbers come from, and one table per question."""
        for name in judged_formats():
            result = rates_of(name)
            if result is None:
                raise LookupError(f"no measured rates of {name} in {DATA.name}/")
            title = sources.get_format(name).title
            yield markup.section(title, nodes.make_id(f"rates-{name}"), *_measured(result))


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
            yield markup.raw('<details class="jspec-details"><summary>All the numbers</summary>')
            yield markup.table(heads, rows)
            yield markup.raw("</details>")
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


class SelfCheck(_RuleDirective):
    """``{rates-self-check}``: what the generator gives beside what arithmetic says."""

    def build(self) -> Iterable[nodes.Node]:
        """Return the comparisons of the first result that there is."""
        found = [json.loads(path.read_text(encoding="utf-8")) for path in rate_files()]
        if not found:
            raise LookupError(f"no measured rates in {DATA.name}/")
        rows: list[markup.Row] = [
            (
                entry["background"],
                str(entry["sectors"]),
                entry["how"],
                f"{entry['formula']:.2%}",
                f"{entry['k']:,} of {entry['n']:,}",
                f"{entry['k'] / entry['n']:.2%}",
            )
            for entry in found[0]["self_check"]
        ]
        return [markup.table(("Background", "Sectors", "How", "Formula", "Accepted", "Rate"), rows)]
