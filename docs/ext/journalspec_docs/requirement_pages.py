"""Requirements: a list for the specification, full entries, what covers each, and who departs from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from docutils import nodes

from journalspec.deviations import Deviation, deviations
from journalspec.formats import Format
from journalspec.requirements import Requirement, requirements
from journalspec_corpus.case import Case
from journalspec_corpus.design_rules import findings
from journalspec_docs import markup, sources
from journalspec_docs.base import Page, table
from journalspec_docs.domain import requirement_id

LEVELS = ("must", "should", "may")
#: A requirement's entry names this many cases of a kind before it counts the rest.
NAMED_CASES = 2
KINDS = {
    "errata": "Errata: the product is wrong",
    "permissive": "Permissive: the product takes or writes more, to no harm",
}


def area_id(format_id: str, area: str) -> str:
    """Return the anchor of an area on the page of all requirements."""
    return nodes.make_id(f"{format_id}-area-{area}")


@table("Area", "Code", *LEVELS)
def summary(page: Page, format_: Format) -> Iterator[markup.Row]:
    """``{requirement-summary} FORMAT``: areas with their titles and counts by level."""
    page.depends_on_room(format_, "requirements.toml")
    items = requirements(format_.id)
    for area, title in items.areas.items():
        counts = Counter(item.level for item in items.in_area(area))
        link = [nodes.reference("", title, refid=area_id(format_.id, area))]
        yield link, markup.literal(area), *(str(counts[level] or "") for level in LEVELS)


def area_list(page: Page, format_: Format, area: str) -> Iterable[nodes.Node]:
    """``{requirement-list} FORMAT AREA``: id, level, editions, roles and text, linked to its full entry.

    Editions are named where a requirement is not about all of them.

    With ``:full:`` the entries themselves, with anchors; used by the generated page.
    """
    page.depends_on_cases(format_)
    page.depends_on_room(format_, "requirements.toml")
    items = requirements(format_.id).in_area(area)
    if "full" in page.options:
        return [_entry(page, format_, item) for item in items]
    rows = [
        (
            markup.lines(
                [page.ref("req", item.id)],
                [*_level(item), *_editions(format_, item)],
                [nodes.Text(", ".join(item.roles))],
            ),
            page.inline(item.text),
        )
        for item in items
    ]
    return [markup.table(("Requirement", "Text"), rows, "jspec-requirements")]


def _editions(format_: Format, item: Requirement) -> list[nodes.Node]:
    """Return the editions of a requirement, or those that it is not about where these are fewer."""
    others = [edition for edition in format_.editions if edition not in item.editions]
    if not others:
        return []
    if len(others) < len(item.editions):
        return [nodes.Text(f" all but {', '.join(others)}")]
    return [nodes.Text(f" {', '.join(item.editions)}")]


def _level(item: Requirement) -> list[nodes.Node]:
    return [markup.badge(item.level, item.level)]


def _covering(format_: Format, item: Requirement) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Return the cases that obey a requirement and those that break it."""
    return sources.covering(format_.id).get(item.id, ((), ()))


def _entry(page: Page, format_: Format, item: Requirement) -> nodes.section:
    page.note("req", item.id, requirement_id(item.id), f"{item.level}: {item.text}")
    obeys, breaks = _covering(format_, item)
    text = markup.paragraph(*page.inline(item.text))
    text["classes"].append("jspec-normative")
    demand = nodes.Text(f" of {' and '.join(item.roles)}; editions {', '.join(item.editions)}")
    departing = [entry.id for entry in deviations(format_.id) if item.id in entry.requirements]
    rules = [
        rule
        for rule, found in findings(format_.id).items()
        if any(item.id in finding.requirements for finding in found)
    ]
    facts = markup.fields(
        [
            ("Level", [*_level(item), demand]),
            ("Source", _source(item.source)),
            ("Revision", f"{item.revision}, text digest {item.digest}"),
            ("Obeyed in", _cases(page, obeys)),
            ("Broken in", _cases(page, breaks)),
            ("Proved by", _proof(page, format_, item)),
            ("Deviations", page.refs("deviation", departing)),
            ("Design rules", page.refs("rule", rules)),
        ]
    )
    return markup.section(item.id, requirement_id(item.id), text, facts)


def _source(source: Mapping[str, Any]) -> list[nodes.Node]:
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


def _cases(page: Page, found: tuple[Case, ...]) -> list[nodes.Node]:
    out = page.refs("case", (case.id for case in found[:NAMED_CASES]))
    more = len(found) - NAMED_CASES
    return [*out, nodes.Text(f" and {more} more")] if more > 0 else out


def _proof(page: Page, format_: Format, item: Requirement) -> list[nodes.Node]:
    """Return what shows that cases test a requirement: a fault of the reference, and what notices it."""
    page.depends_on(sources.proof_file(format_.id))
    proof = sources.proofs(format_.id).get(item.id, {})
    if "why" in proof:
        return [markup.badge("none", "none"), nodes.Text(f": {proof['why']}")]
    if not proof:
        return []
    mutant = markup.literal(proof["mutant"])
    return [nodes.Text("mutant "), mutant, nodes.Text(", killed by "), page.ref("case", proof["case"])]


def coverage(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{coverage-table} FORMAT``: a row per requirement, a column per group of cases, and what proves it."""
    page.depends_on_cases(format_)
    page.depends_on_room(format_, "requirements.toml")
    page.depends_on(sources.proof_file(format_.id))
    items = requirements(format_.id)
    yield _totals(format_, list(items))
    yield markup.raw(KEY)
    yield markup.raw(_heat(format_), searched=False)


#: What the colours of the map say.
KEY = (
    '<p class="jspec-key"><span class="o">obeyed</span>, <span class="b">broken</span> or '
    '<span class="x">both</span> in so many cases of the group. Under <i>proof</i>: the mutant that breaks '
    "the requirement (point at it, or go there by keyboard), with the case that kills it.</p>"
)


def _heat(format_: Format) -> str:
    """Return the map as HTML: thousands of cells, most of them empty."""
    groups = list(sources.cases_by_group(format_.id))
    place = {
        case.id: at
        for at, cases in enumerate(sources.cases_by_group(format_.id).values())
        for first in cases
        for case in (first, *sources.told_again(first))
    }
    heads = "".join(
        f'<th scope=col><a href="cases/{escape(name)}.html">{escape(name)}</a>' for name in groups
    )
    fixed = "".join(f"<th scope=col>{head}" for head in ("Requirement", "obeyed", "broken", "proof"))
    out = [
        '<div class="table-wrapper"><table class="docutils jspec-table jspec-matrix jspec-heat">'
        f"<thead><tr>{fixed}{heads}</thead><tbody>"
    ]
    items = requirements(format_.id)
    for area, title in items.areas.items():
        out.append(f'<tr id="coverage-{area.lower()}"><th scope=rowgroup colspan=4>{escape(title)} ({area})')
        out += [_heat_row(format_, item, place, len(groups)) for item in items.in_area(area)]
    return "".join([*out, "</tbody></table></div>"])


def _heat_row(format_: Format, item: Requirement, place: Mapping[str, int], width: int) -> str:
    obeys, breaks = _covering(format_, item)
    counts = [(Counter(place[case.id] for case in found)) for found in (obeys, breaks)]
    cells = []
    for at in range(width):
        obeyed, broken = (count[at] for count in counts)
        kind = "x" if obeyed and broken else "o" if obeyed else "b"
        told = f"{obeyed}+{broken}" if obeyed and broken else obeyed or broken
        cells.append(f"<td class={kind}>{told}" if told else "<td>")
    missing = "fail" if item.level == "must" else "none"
    none = f'<span class="jspec-badge jspec-badge-{missing}">none</span>'
    link = f'<a href="requirements.html#{requirement_id(item.id)}">{item.id}</a> {item.level}'
    numbers = "".join(f"<td>{len(found) or none}" for found in (obeys, breaks))
    return f"<tr><th scope=row>{link}{numbers}<td>{_proof_html(format_, item)}{''.join(cells)}"


def _proof_html(format_: Format, item: Requirement) -> str:
    proof = sources.proofs(format_.id).get(item.id, {})
    if "why" in proof:
        return f'<span class="jspec-badge" tabindex=0 title="{escape(proof["why"])}">none</span>'
    if not proof:
        return ""
    told = f"mutant {proof['mutant']}, killed by {proof['case']}"
    return f'<a href="../../r/{escape(proof["case"])}/index.html" title="{escape(told)}">✓</a>'


def _totals(format_: Format, items: list[Requirement]) -> nodes.Node:
    levels = Counter(item.level for item in items)
    covered = Counter(item.level for item in items if all(_covering(format_, item)))
    parts = [
        f"{covered[level]} of {levels[level]} {level}-requirements are covered both ways"
        for level in LEVELS
        if levels[level]
    ]
    proved = sum("mutant" in sources.proofs(format_.id).get(item.id, {}) for item in items)
    parts.append(
        f"for {proved} a mutant of the reference shows it: a fault that breaks the requirement, "
        "killed by a case that names it"
    )
    return markup.paragraph("; ".join(parts) + ".")


def departures(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{deviation-list} FORMAT``: what products do differently: a table, then the entries, errata first."""
    page.depends_on_room(format_, "deviations.toml")
    found = deviations(format_.id)
    if not (sources.room(format_.id) / "deviations.toml").is_file():
        raise LookupError(f"{format_.id} has no deviations.toml; if none is known, leave it empty")
    if not found:
        yield markup.paragraph("None has been observed.")
        return
    rows = [
        (page.ref("deviation", item.id), markup.literal(item.product), _versions(item), item.title)
        for item in found
    ]
    yield markup.table(("Deviation", "Product", "Versions", "Title"), rows)
    for kind, title in KINDS.items():
        members = [_departure(page, item) for item in found if item.kind == kind]
        if members:
            yield markup.section(title, f"deviations-{kind}", *members)


def _departure(page: Page, item: Deviation) -> nodes.section:
    anchor = f"deviation-{item.id.lower()}"
    page.note("deviation", item.id, anchor, item.title)
    example: list[nodes.Node] = []
    if item.example:
        example = [markup.literal(item.example["hex"]), nodes.Text(f" ({item.example['where']})")]
    if item.products:
        command = markup.literal(f"journalspec products show {item.id}")
        shown = [command, nodes.Text(f" (on {', '.join(item.products)})")]
    else:
        shown = [nodes.Text(str(show.data["none"])) for show in item.show]
    facts = markup.fields(
        [
            ("Product", [markup.literal(item.product), nodes.Text(f", {_versions(item)}")]),
            ("Departs from", page.refs("req", item.requirements)),
            ("Example", example),
            ("Shown by", page.refs("case", item.cases)),
            ("See it yourself", shown),
            ("Observed", "; ".join(str(value) for value in item.observed.values())),
        ]
    )
    text = markup.paragraph(*page.inline(item.text))
    return markup.section(f"{item.id}: {item.title}", anchor, text, facts)


def _versions(item: Deviation) -> str:
    """Return the versions concerned, in words."""
    if not item.until:
        return f"since {item.since}"
    return item.since if item.since == item.until else f"{item.since} to {item.until}"
