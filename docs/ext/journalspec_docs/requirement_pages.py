"""Requirements: short lists for the specification, full entries for their own page, coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from docutils import nodes

from journalspec.formats import Format
from journalspec.requirements import Requirement
from journalspec_corpus.case import Case
from journalspec_corpus.design_rules import findings
from journalspec_docs import markup, sources
from journalspec_docs.base import FormatDirective, flag

#: A requirement's page names this many cases of a kind before it counts the rest.
NAMED_CASES = 6


def node_id(requirement_id: str) -> str:
    """Return the anchor of a requirement."""
    return f"req-{requirement_id.lower()}"


def area_id(format_id: str, area: str) -> str:
    """Return the anchor of an area on the page of all requirements."""
    return nodes.make_id(f"{format_id}-area-{area}")


def rules_about(format_id: str, requirement: str) -> list[str]:
    """Return the design rules that name a requirement in what they find of its format."""
    return [
        rule
        for rule, found in findings(format_id).items()
        if any(requirement in item.requirements for item in found)
    ]


def proved_by(directive: FormatDirective, format_: Format, item: Requirement) -> list[nodes.Node]:
    """Return what shows that cases test a requirement: a fault of the reference, and what notices it."""
    directive.depends_on(sources.proof_file(format_.id))
    proof = sources.proofs(format_.id).get(item.id, {})
    if "why" in proof:
        return [markup.badge("none", "none"), nodes.Text(f": {proof['why']}")]
    if not proof:
        return []
    mutant = markup.literal(proof["mutant"])
    return [nodes.Text("mutant "), mutant, nodes.Text(", killed by "), directive.ref("case", proof["case"])]


class RequirementList(FormatDirective):
    """``{requirement-list} FORMAT AREA``: id, level and text, each linked to its full entry.

    With ``:full:`` the entries themselves, with anchors; used by the generated page.
    """

    uses_cases = True
    required_arguments = 2
    option_spec: ClassVar[dict[str, Callable[[str], object]] | None] = {"full": flag}

    def build(self, format_: Format) -> Iterable[nodes.Node]:
        """Return a table, or one section per requirement."""
        self.depends_on_room(format_, "requirements.toml")
        items = sources.requirements_of(format_.id).in_area(self.arguments[1])
        if "full" in self.options:
            covering = sources.covering(format_.id)
            return [self._entry(format_, item, covering.get(item.id, ((), ()))) for item in items]
        rows = [
            (self.ref("req", item.id), [markup.badge(item.level, item.level)], self.inline(item.text))
            for item in items
        ]
        return [markup.table(("Requirement", "Level", "Text"), rows, "jspec-requirements")]

    def _entry(
        self, format_: Format, item: Requirement, covering: tuple[tuple[Case, ...], tuple[Case, ...]]
    ) -> nodes.section:
        self.jspec.note("req", item.id, node_id(item.id), f"{item.level}: {item.text}")
        obeys, breaks = covering
        deviating = [
            self.ref("deviation", entry.id)
            for entry in sources.deviations(format_.id)
            if item.id in entry.requirements
        ]
        text = markup.paragraph(*self.inline(item.text))
        text["classes"].append("jspec-normative")
        demand = [
            markup.badge(item.level, item.level),
            nodes.Text(f" of {' and '.join(item.roles)}; editions {', '.join(item.editions)}"),
        ]
        facts = markup.fields(
            [
                ("Level", demand),
                ("Source", self._source(item.source)),
                ("Revision", f"{item.revision}, text digest {item.digest}"),
                ("Obeyed in", self._cases(obeys)),
                ("Broken in", self._cases(breaks)),
                ("Proved by", proved_by(self, format_, item)),
                ("Deviations", markup.joined(deviating)),
                ("Design rules", self.refs("rule", rules_about(format_.id, item.id))),
            ]
        )
        return markup.section(item.id, node_id(item.id), text, facts)

    def _source(self, source: Mapping[str, Any]) -> list[nodes.Node]:
        kind = source["kind"]
        if kind == "product":
            lead = f"{source['product']} {source.get('version', '')}".strip()
            out: list[nodes.Node] = [nodes.Text(lead)]
            if "class" in source:
                out += [nodes.Text(", "), markup.literal(str(source["class"]))]
        else:
            lead = {"document": "document", "decision": "decided here"}.get(kind, kind)
            out = [nodes.Text(f"{lead}: {source['document']}" if "document" in source else lead)]
        passages = "; ".join(source.get("passages", ()))
        return [*out, nodes.Text(f" ({passages})")] if passages else out

    def _cases(self, found: tuple[Case, ...]) -> list[nodes.Node]:
        if not found:
            return []
        out = self.refs("case", (case.id for case in found[:NAMED_CASES]))
        if len(found) > NAMED_CASES:
            out.append(nodes.Text(f" and {len(found) - NAMED_CASES} more"))
        return out


class CoverageTable(FormatDirective):
    """``{coverage-table} FORMAT``: how many cases obey and break each requirement, and what proves it."""

    uses_cases = True

    def build(self, format_: Format) -> Iterator[nodes.Node]:
        """Return a sentence with the totals and one table per area."""
        self.depends_on_room(format_, "requirements.toml")
        all_items = sources.requirements_of(format_.id)
        covering = sources.covering(format_.id)
        yield self._totals(list(all_items), covering)
        for area, title in all_items.areas.items():
            rows = [
                (*self._row(item, covering.get(item.id, ((), ()))), proved_by(self, format_, item))
                for item in all_items.in_area(area)
            ]
            part = markup.section(f"{title} ({area})", f"coverage-{area.lower()}")
            part += markup.table(
                ("Requirement", "Level", "Obeyed in", "Broken in", "First cases", "Proved by"),
                rows,
                "jspec-coverage",
            )
            yield part

    def _totals(
        self, items: list[Requirement], covering: Mapping[str, tuple[tuple[Case, ...], tuple[Case, ...]]]
    ) -> nodes.Node:
        counts: Counter[str] = Counter()
        for item in items:
            obeys, breaks = covering.get(item.id, ((), ()))
            counts[item.level] += 1
            counts[f"{item.level}+"] += bool(obeys and breaks)
        parts = [
            f"{counts[f'{level}+']} of {counts[level]} {level}-requirements are covered both ways"
            for level in ("must", "should", "may")
            if counts[level]
        ]
        proved = sum("mutant" in proof for proof in self._proofs(items))
        parts.append(
            f"for {proved} a mutant of the reference shows it: a fault that breaks the requirement, "
            "killed by a case that names it"
        )
        return markup.paragraph("; ".join(parts) + ".")

    def _proofs(self, items: list[Requirement]) -> list[Mapping[str, str]]:
        return [sources.proofs(self.arguments[0]).get(item.id, {}) for item in items]

    def _row(
        self, item: Requirement, covering: tuple[tuple[Case, ...], tuple[Case, ...]]
    ) -> tuple[markup.Cell, ...]:
        obeys, breaks = covering
        missing = item.level == "must"
        return (
            self.ref("req", item.id),
            [markup.badge(item.level, item.level)],
            self._count(len(obeys), missing),
            self._count(len(breaks), missing),
            self.refs("case", dict.fromkeys(case.id for case in (*obeys[:1], *breaks[:1]))),
        )

    def _count(self, number: int, needed: bool) -> list[nodes.Node]:
        if number:
            return [nodes.Text(str(number))]
        return [markup.badge("none", "missing" if needed else "none")]


class RequirementSummary(FormatDirective):
    """``{requirement-summary} FORMAT``: areas with their titles and counts by level."""

    def build(self, format_: Format) -> Iterable[nodes.Node]:
        """Return the table."""
        self.depends_on_room(format_, "requirements.toml")
        items = sources.requirements_of(format_.id)
        rows: list[markup.Row] = []
        for area, title in items.areas.items():
            counts = Counter(item.level for item in items.in_area(area))
            rows.append(
                (
                    [nodes.reference("", title, refid=area_id(format_.id, area))],
                    markup.literal(area),
                    *(str(counts[level] or "") for level in ("must", "should", "may")),
                )
            )
        yield markup.table(("Area", "Code", "must", "should", "may"), rows)
