"""What products lose and invent after a crash: tables of what was run, and why."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from journalspec_conformance.crashes.findings import (
    Cause,
    Finding,
    Judgement,
    causes,
    judgements,
    worst_seen,
)
from journalspec_conformance.crashes.verdicts import HARMLESS
from journalspec_corpus.crash.persistence import rank
from journalspec_docs import domain, markup

_BLAMED = {
    "format": "the format",
    "writer": "the product's order of writes",
    "reader": "the product's reader",
}


class _FindingDirective(SphinxDirective):
    """What the directives of this module share: the page is read again when findings change."""

    def run(self) -> list[nodes.Node]:
        """Build the nodes."""
        root = Path(str(resources.files("journalspec_conformance"))) / "crashes" / "findings"
        for path in sorted(root.glob("*.toml")):
            self.env.note_dependency(str(path))
        return list(self.build())

    def build(self) -> Iterable[nodes.Node]:
        """Return the content of the directive."""
        raise NotImplementedError

    def ref(self, kind: str, name: str) -> nodes.Node:
        """Return a link."""
        link = domain.xref(kind, name, self.env.docname, None)
        link.source, link.line = self.get_source_info()
        return link


class Judgements(_FindingDirective):
    """``{crash-judgements}``: every product, how many states it was asked about, and what it got."""

    def build(self) -> Iterable[nodes.Node]:
        """Return the table."""
        names = sorted(
            {verdict for item in judgements() for counts in item.verdicts.values() for verdict in counts},
            key=lambda name: (name not in HARMLESS, name),
        )
        rows = []
        for item in judgements():
            for policy, counts in item.verdicts.items():
                rows.append(
                    [
                        item.product,
                        ", ".join(item.run["writers"]),
                        policy,
                        f"{item.run['states']:,}",
                        *(f"{counts[name]:,}" if name in counts else "" for name in names),
                    ]
                )
        return [markup.table(["Product", "States written by", "Policy", "States", *names], rows)]


class Findings(_FindingDirective):
    """``{crash-findings} HARNESS``: every kind of failure of one product."""

    required_arguments = 1

    def build(self) -> Iterable[nodes.Node]:
        """Return the table."""
        harness = self.arguments[0]
        found = next((item for item in judgements() if item.harness == harness), None)
        if found is None:
            raise self.error(f"nothing was found about {harness!r}")
        titles = {cause.id: cause.title for cause in causes()}
        rows: list[list[markup.Cell]] = [
            [
                [markup.badge(item.verdict, "fail")],
                ", ".join(item.breaks),
                item.category,
                item.policy,
                item.writer,
                f"{item.states:,}",
                [markup.literal(item.strongest)],
                "; ".join(titles[name] for name in item.causes),
                _example(item),
            ]
            for item in found.findings
        ]
        heads = (
            "Verdict",
            "Breaks",
            "Kind of state",
            "Policy",
            "Writer",
            "States",
            "Strongest preset",
            "Why",
        )
        return [markup.table([*heads, "For example"], rows)]


def _example(item: Finding) -> str:
    size = ""
    if "records" in item.example:
        size = f" ({item.example['records']} record(s), {item.example['deviations']} deviation(s))"
    return item.said + size


class Causes(_FindingDirective):
    """``{crash-causes} FORMAT``: what happens, who is at fault, and what can be done, one section each."""

    required_arguments = 1

    def build(self) -> Iterable[nodes.Node]:
        """Return the sections."""
        for cause in causes():
            if cause.format == self.arguments[0]:
                yield self._section(cause)

    def _section(self, cause: Cause) -> nodes.section:
        part = markup.section(cause.title, nodes.make_id(f"cause-{cause.id}"))
        part += markup.paragraph(*markup.code_text(" ".join(cause.text.split())))
        part += markup.fields(
            [
                ("What to do", markup.code_text(" ".join(cause.advice.split()))),
                ("Where it cannot happen", cause.safe),
                ("Whose fault", ", ".join(_BLAMED[name] for name in cause.blame)),
                ("Seen on", [markup.bullets([[nodes.Text(text)] for text in _seen(cause)])]),
                ("Design rules", markup.joined([self.ref("rule", name) for name in cause.rules])),
                ("Requirements", markup.joined([self.ref("req", name) for name in cause.requirements])),
                ("Deviations", markup.joined([self.ref("deviation", name) for name in cause.deviations])),
            ]
        )
        return part


def _seen(cause: Cause) -> list[str]:
    """Return for each product how often the cause was seen, and under what."""
    out = []
    for item in judgements():
        mine = [finding for finding in item.findings if cause.id in finding.causes]
        if mine:
            strongest = min((finding.strongest for finding in mine), key=rank)
            out.append(f"{item.product}: {_counted(item, mine)}, the strongest preset {strongest}")
    return out


def _counted(item: Judgement, found: list[Finding]) -> str:
    """Return in how many states, per policy; a kind with two causes counts for both."""
    parts = []
    for policy in item.verdicts:
        states = sum(finding.states for finding in found if finding.policy == policy)
        if states:
            parts.append(f"{states:,} of {item.run['states']:,} states under {policy}")
    return ", ".join(parts)


class WorstTable(_FindingDirective):
    """``{worst-seen}``: the worst cases of each format and what the products got on them."""

    def build(self) -> Iterable[nodes.Node]:
        """Return the table."""
        rows: list[list[markup.Cell]] = [
            [
                [self.ref("case", item.id)],
                item.harness,
                item.policy,
                [markup.badge(item.full, "pass" if item.full == "pass" else "fail")],
                [markup.badge(item.small, "pass" if item.small == "pass" else "fail")],
                "confirmed" if item.confirmed else f"refuted: {item.expected} was predicted",
            ]
            for item in worst_seen()
        ]
        return [markup.table(["Case", "Product", "Policy", "As found", "Made small", "Prediction"], rows)]
