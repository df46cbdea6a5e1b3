"""Conformance matrices: what became of every probe, per implementation.

Reports of implementations that run inside Python are made during the build;
reports of products are committed files (``docs/reports/*.jsonl.gz``), because not
everyone who builds the site has Java and the products at hand.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from docutils import nodes

from journalspec.formats import Format
from journalspec.requirements import requirements
from journalspec_conformance.connect import parse_impl
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.expect import Expectations
from journalspec_conformance.harnesses import registry
from journalspec_conformance.report import Report, load_report, make_header
from journalspec_conformance.result import CLASSES, Result
from journalspec_docs import markup, sources
from journalspec_docs.base import Page

Found = Mapping[str, Sequence[Result]]

REPORTS = sources.DATA.parent / "reports"
GOOD = frozenset({"pass", "allowed"})
JUDGED = frozenset(name for name, entry in CLASSES.items() if entry.judged)


def live_report(name: str, format_id: str) -> Report:
    """Run the shipped in-process harness `name` over the published cases of a format."""
    engine = Engine(parse_impl(name).open(), Options(), Expectations.none())
    try:
        probes = (probe for case in sources.cases(format_id) for probe in case.probes)
        results = tuple(engine.run_all(probes))
        return Report(make_header(dict(engine.hello.impl), name, "smoke and captured"), results)
    finally:
        engine.close()


@cache
def committed_reports() -> tuple[Report, ...]:
    """Return the reports beside the pages, by file name; raises InvalidReport."""
    return tuple(load_report(path) for path in sorted(REPORTS.glob("*.jsonl.gz")))


def reports(format_id: str) -> dict[str, tuple[Result, ...]]:
    """Return implementation -> its results on a format, those without any left out."""
    live = [live_report(name, format_id) for name, entry in registry().items() if entry.target]
    found: dict[str, tuple[Result, ...]] = {}
    for report in [*live, *committed_reports()]:
        results = tuple(result for result in report.results if result.format == format_id)
        if any(result.result_class in JUDGED for result in results):
            found[report.name] = found.get(report.name, ()) + results
    return found


def matrix(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{conformance-matrix} FORMAT``: classes, areas, requirements, known failures, open choices."""
    page.depends_on_cases(format_)
    page.depends_on(*sorted(REPORTS.glob("*.jsonl.gz")))
    found = reports(format_.id)
    if not found:
        raise LookupError(f"no report has results for {format_.id}")
    for title, anchor, content in (
        ("Results by class", "matrix-classes", _classes(format_, found)),
        ("Results by requirement", "matrix-requirements", _requirements(page, format_, found)),
        ("What fails", "matrix-failures", _failures(page, found)),
        ("Observed choices", "matrix-choices", _choices(found)),
    ):
        parts = list(content)
        if parts:
            yield markup.section(title, anchor, *parts)


def _classes(format_: Format, found: Found) -> Iterator[nodes.Node]:
    probes = {probe.id for case in sources.cases(format_.id) for probe in case.probes}
    yield markup.paragraph(f"The published cases ask {len(probes)} questions (probes).")
    seen = {item.result_class for results in found.values() for item in results}
    used = [name for name in CLASSES if name in seen]
    rows: list[markup.Row] = []
    for name, results in found.items():
        counts = Counter(result.result_class for result in results if result.probe in probes)
        missing = len(probes) - counts.total()
        rows.append((name, *(str(counts[cls] or "") for cls in used), str(missing or "")))
    yield markup.table(("Implementation", *used, "not asked"), rows, "jspec-matrix")


def _requirements(page: Page, format_: Format, found: Found) -> Iterator[nodes.Node]:
    yield markup.paragraph(
        "Passed (or permitted) of judged, over the cases that obey or break a requirement. "
        "Empty: nothing of it was judged."
    )
    scores = [_scores(results) for results in found.values()]
    items = requirements(format_.id)
    for area, title in items.areas.items():
        rows: list[markup.Row] = []
        for item in items.in_area(area):
            cells = [_cell(score.get(item.id)) for score in scores]
            if any(cells):
                rows.append((page.ref("req", item.id), *cells))
        if rows:
            yield markup.paragraph(nodes.strong("", f"{title} ({area})"))
            yield markup.table(("Requirement", *found), rows, "jspec-matrix")


def _failures(page: Page, found: Found) -> Iterator[nodes.Node]:
    """Yield a table per implementation: what fails alike is one row, with its first probe as the example.

    Alike are results of one class and fingerprint, which leaves out what differs from case to case.
    """
    for name, results in found.items():
        alike: dict[tuple[str, str], list[Result]] = defaultdict(list)
        for result in results:
            if result.result_class not in GOOD and result.result_class in JUDGED:
                alike[result.result_class, result.fingerprint or result.reason].append(result)
        rows: list[markup.Row] = [
            (
                markup.lines(
                    [markup.badge(kind, kind), nodes.Text(f" {len(those)}")],
                    [markup.literal(those[0].fingerprint)] if those[0].fingerprint else [],
                ),
                markup.lines(
                    [page.ref("case", those[0].case, those[0].probe)], [nodes.Text(those[0].reason)]
                ),
            )
            for (kind, _), those in alike.items()
        ]
        if rows:
            yield markup.paragraph(nodes.strong("", name))
            heads = ("Class, number of probes, fingerprint", "For example")
            yield markup.table(heads, rows, "jspec-failures")


def _choices(found: Found) -> Iterator[nodes.Node]:
    seen: dict[str, dict[str, str]] = defaultdict(dict)
    for name, results in found.items():
        for result in results:
            if result.choice:
                seen[result.probe][name] = result.choice
    if seen:
        yield markup.paragraph(
            "Where the specification leaves something open: which permitted answer was seen."
        )
        rows: list[markup.Row] = [
            (markup.literal(probe), *(by.get(name, "") for name in found))
            for probe, by in sorted(seen.items())
        ]
        yield markup.table(("Probe", *found), rows, "jspec-matrix")


def _scores(results: Iterable[Result]) -> dict[str, tuple[int, int]]:
    """Return requirement -> (good, judged)."""
    good: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for result in results:
        if result.result_class not in JUDGED:
            continue
        for name in result.requirements:
            judged[name] += 1
            good[name] += result.result_class in GOOD
    return {name: (good[name], number) for name, number in judged.items()}


def _cell(score: tuple[int, int] | None) -> list[nodes.Node]:
    if score is None:
        return []
    good, judged = score
    text = f"{good}/{judged}"
    return [nodes.Text(text)] if good == judged else [markup.badge(text, "fail" if good == 0 else "known")]
