"""Conformance matrices: what became of every probe, per implementation.

Reports of implementations that run inside Python are made during the build;
reports of products are committed files (``docs/reports/*.jsonl.gz``), because not
everyone who builds the site has Java and the products at hand.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from docutils import nodes

from journalspec.formats import Format
from journalspec_conformance.connect import parse_impl
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.expect import Expectations
from journalspec_conformance.harnesses import registry
from journalspec_conformance.report import Report, load_report, make_header
from journalspec_conformance.result import CLASSES, Result
from journalspec_docs import markup, sources
from journalspec_docs.base import FormatDirective

REPORTS = Path(__file__).parents[2] / "reports"
GOOD = frozenset({"pass", "allowed"})
JUDGED = frozenset(name for name, entry in CLASSES.items() if entry.judged)


@cache
def live_report(name: str) -> Report:
    """Run the shipped in-process harness `name` over all published cases."""
    engine = Engine(parse_impl(name).open(), Options(), Expectations.none())
    try:
        probes = (
            probe
            for format_id in sources.format_ids()
            for case in sources.cases(format_id)
            for probe in case.probes
        )
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
    live = [live_report(name) for name, entry in registry().items() if entry.target]
    found: dict[str, tuple[Result, ...]] = {}
    for report in [*live, *committed_reports()]:
        results = tuple(result for result in report.results if result.format == format_id)
        if any(result.result_class in JUDGED for result in results):
            found[report.name] = found.get(report.name, ()) + results
    return found


class ConformanceMatrix(FormatDirective):
    """``{conformance-matrix} FORMAT``: classes, areas, requirements, known failures, open choices."""

    uses_cases = True

    def build(self, format_: Format) -> Iterator[nodes.Node]:
        """Return the tables, each in its section."""
        self.depends_on(*sorted(REPORTS.glob("*.jsonl.gz")))
        found = reports(format_.id)
        if not found:
            raise LookupError(f"no report has results for {format_.id}")
        probes = {probe.id for case in sources.cases(format_.id) for probe in case.probes}
        yield markup.section("Results by class", "matrix-classes", *self._classes(found, probes))
        yield markup.section(
            "Results by requirement", "matrix-requirements", *self._requirements(format_, found)
        )
        failures = list(self._failures(found))
        if failures:
            yield markup.section("What fails", "matrix-failures", *failures)
        choices = list(self._choices(found))
        if choices:
            yield markup.section("Observed choices", "matrix-choices", *choices)

    def _classes(self, found: Mapping[str, Sequence[Result]], probes: set[str]) -> Iterator[nodes.Node]:
        yield markup.paragraph(f"The published cases ask {len(probes)} questions (probes).")
        used = [
            name
            for name in CLASSES
            if any(item.result_class == name for items in found.values() for item in items)
        ]
        rows: list[markup.Row] = []
        for name, results in found.items():
            counts = Counter(result.result_class for result in results if result.probe in probes)
            rows.append(
                (
                    name,
                    *(str(counts[cls] or "") for cls in used),
                    str(len(probes) - sum(counts.values()) or ""),
                )
            )
        yield markup.table(("Implementation", *used, "not asked"), rows)

    def _requirements(self, format_: Format, found: Mapping[str, Sequence[Result]]) -> Iterator[nodes.Node]:
        yield markup.paragraph(
            "Passed (or permitted) of judged, over the cases that obey or break a requirement. "
            "Empty: nothing of it was judged."
        )
        scores = {name: _scores(results) for name, results in found.items()}
        items = sources.requirements_of(format_.id)
        for area, title in items.areas.items():
            rows: list[markup.Row] = []
            for item in items.in_area(area):
                cells = [_cell(scores[name].get(item.id)) for name in found]
                if any(cells):
                    rows.append((self.ref("req", item.id), *cells))
            if rows:
                yield markup.paragraph(nodes.strong("", f"{title} ({area})"))
                yield markup.table(("Requirement", *found), rows, "jspec-matrix")

    def _failures(self, found: Mapping[str, Sequence[Result]]) -> Iterator[nodes.Node]:
        for name, results in found.items():
            rows = [
                (
                    self._case(result),
                    [markup.badge(result.result_class, result.result_class)],
                    markup.literal(result.fingerprint) if result.fingerprint else "",
                    result.reason,
                )
                for result in results
                if result.result_class not in GOOD and result.result_class in JUDGED
            ]
            if rows:
                yield markup.paragraph(nodes.strong("", name))
                yield markup.table(("Probe", "Class", "Fingerprint", "Why"), rows)

    def _choices(self, found: Mapping[str, Sequence[Result]]) -> Iterator[nodes.Node]:
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
            yield markup.table(("Probe", *found), rows)

    def _case(self, result: Result) -> nodes.Node:
        return self.ref("case", result.case, result.probe)


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
