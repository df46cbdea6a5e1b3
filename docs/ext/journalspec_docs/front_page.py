"""The front page: a torn journal as a picture, what products lose in one line, and badges."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from importlib import resources
from pathlib import Path

from docutils import nodes

import journalspec
from journalspec.formats import Format, format_ids, get_format
from journalspec.requirements import requirements
from journalspec_conformance.crashes.findings import ProductRun, judgements
from journalspec_conformance.crashes.verdicts import HARMLESS
from journalspec_conformance.report import Report
from journalspec_docs import hexdump, markup, matrix, sources
from journalspec_docs.base import Page, table
from journalspec_reference.api import load
from journalspec_reference.hexdump import Region, regions

#: What the kinds of regions are called in the picture.
NAMES = {"dropped": "torn", "unused": "not used", "fill": "not used"}
#: Of a region that is dropped so many bytes are shown.
SHOWN = 64


def torn(page: Page, format_: Format, wanted: str) -> Iterable[nodes.Node]:
    """``{torn-journal} FORMAT CASE``: the first file of a case as boxes, and the bytes of what was torn."""
    page.depends_on_cases(format_)
    case = next((case for case in sources.cases(format_.id) if case.id == wanted), None)
    if case is None:
        raise LookupError(f"{format_.id} has no case {wanted!r}")
    files = case.files()
    name, content = next(iter(files.items()))
    spans = [span for span in load(format_.id).spans(files, edition=case.edition) if span.file == name]
    found = list(regions(spans, name, len(content)))
    lost = next((item for item in found if item.span.kind == "dropped"), None)
    if lost is None:
        raise LookupError(f"nothing is torn in {name} of {wanted}")
    boxes = "".join(map(_box, found))
    begin = lost.span.off
    rows = hexdump.grid_html(content, spans, sources.roles_of(format_.id), begin, begin + SHOWN)
    yield markup.raw(
        f'<figure class="jspec-torn"><div class="jspec-file">{boxes}</div>{rows}'
        f"<figcaption>{escape(name)} after a power cut: {escape(case.title)}.</figcaption></figure>",
        searched=False,
    )
    yield markup.paragraph("This is ", page.ref("case", wanted), ".")


def _box(item: Region) -> str:
    span = item.span
    kind = NAMES.get(span.kind, span.kind)
    said = f"{kind}: {span.value}" if span.value else kind
    text = f"<b>{escape(said)}</b><br>{span.length} bytes at {span.off}"
    return f'<div class="kind-{span.kind}" style="flex-grow:{span.length}">{text}</div>'


def losses(page: Page) -> Iterator[nodes.Node]:
    """``{what-is-lost}``: one sentence that says how many products lose or invent something after a crash."""
    _depends_on_runs(page)
    asked = {item.product for item in judgements() if "R" in item.strata}
    wrong = {item.product for item in judgements() if _harm(item, "R")}
    who = "All of them" if wrong == asked else f"{len(wrong)} of them"
    kinds = Counter(name for item in judgements() for name in _harm(item, "R"))
    yield markup.paragraph(
        f"{len(asked)} releases of real products were asked to recover files as an ordinary crash may leave "
        f"them. {who} lost, invented or hid something in at least one state. What most of them did is ",
        *markup.joined([markup.literal(name) for name, _ in kinds.most_common(3)]),
        ". ",
        *page.inline("{doc}`What products lose </findings>` says which, and how you can repeat it."),
    )


def _depends_on_runs(page: Page) -> None:
    root = Path(str(resources.files("journalspec_conformance"))) / "crashes" / "findings"
    page.depends_on(*sorted(root.glob("*.toml")), *sorted(matrix.REPORTS.glob("*.jsonl.gz")))


def _harm(item: ProductRun, stratum: str) -> set[str]:
    """Return the verdicts that a product got in a stratum and that break a promise."""
    return {
        name
        for counts in item.strata.get(stratum, {}).values()
        for name, count in counts.items()
        if count and name not in HARMLESS
    }


@table("Format", "State", "Requirements", "Cases")
def states(page: Page) -> Iterator[markup.Row]:
    """``{format-states}``: every format, those that are being written too."""
    for name in format_ids():
        item = get_format(name)
        page.depends_on_room(item, "format.toml", "requirements.toml")
        link = page.inline(f"{{doc}}`{item.title} </formats/{name}/index>`")
        numbers = str(len(requirements(name))), str(len(sources.cases(name)))
        yield link, [markup.badge("described", "pass")], *numbers
    for path in sorted(Path(str(resources.files(journalspec))).glob("*/format.toml")):
        page.depends_on(path)
        if path.parent.name not in format_ids():
            told = tomllib.loads(path.read_text(encoding="utf-8"))
            yield str(told["title"]), [markup.badge("being written", "known")], "", ""


@table("Product", "Published cases", "After a crash", "After decay")
def results(page: Page) -> Iterator[markup.Row]:
    """``{product-badges}``: what became of every product; each badge leads to the page that says more."""
    _depends_on_runs(page)
    for name in format_ids():
        reports = {
            report.name: report
            for report in matrix.committed_reports()
            if any(result.format == name for result in report.results)
        }
        runs: dict[str, list[ProductRun]] = {}
        for item in judgements():
            if item.format == name:
                runs.setdefault(item.product, []).append(item)
        for product in sorted({*reports, *runs}):
            yield (
                f"{product} ({get_format(name).prefix})",
                _reported(reports.get(product), name),
                *(_judged(runs.get(product, []), stratum) for stratum in "RC"),
            )


def _reported(report: Report | None, format_id: str) -> markup.Cell:
    if report is None:
        return ""
    mine = [result for result in report.results if result.format == format_id]
    judged = sum(result.result_class in matrix.JUDGED for result in mine)
    good = sum(result.result_class in matrix.GOOD for result in mine)
    return [_linked(f"{good} of {judged}", f"formats/{format_id}/conformance.html", good == judged)]


def _judged(runs: Iterable[ProductRun], stratum: str) -> markup.Cell:
    asked = [item for item in runs if stratum in item.strata]
    if not asked:
        return ""
    broken = set[str]().union(*(_harm(item, stratum) for item in asked))
    text = f"{len(broken)} kind{'s' if len(broken) > 1 else ''} of wrong" if broken else "all kept"
    return [_linked(text, "findings.html", not broken)]


def _linked(text: str, href: str, good: bool) -> nodes.Node:
    kind = "pass" if good else "fail"
    return markup.raw(f'<a class="jspec-badge jspec-badge-{kind}" href="{href}">{escape(text)}</a>')
