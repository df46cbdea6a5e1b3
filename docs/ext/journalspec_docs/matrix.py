"""Conformance matrices: the result of every probe, per implementation.

Reports of implementations that run inside Python are made during the build. All other reports, such as those
of products, are committed files (``docs/reports/*.jsonl.gz``, see `journalspec results`), because a build of
the site must not require Java or the products.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from journalspec_conformance import export, history
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.harnesses import registry
from journalspec_conformance.report import Report, load_report, make_header
from journalspec_conformance.result import CLASSES, Result
from journalspec_conformance.running import parse_impl
from journalspec_docs import sources

Found = Mapping[str, Sequence[Result]]

REPORTS = sources.DATA.parent / "reports"
#: The environment variable that lists report files of the harnesses that run inside Python. The tests create
#: and check these reports anyway.
MADE = "JOURNALSPEC_DOCS_REPORTS"
GOOD = frozenset({"pass", "allowed"})
JUDGED = frozenset(name for name, entry in CLASSES.items() if entry.judged)


@cache
def _made() -> dict[str, list[Report]]:
    """Map each implementation to its reports in the files of MADE."""
    found: dict[str, list[Report]] = {}
    for path in filter(None, os.environ.get(MADE, "").split(os.pathsep)):
        report = load_report(Path(path))
        found.setdefault(str(report.header["target"]), []).append(report)
    return found


def live_report(name: str, format_id: str) -> Report:
    """Return the report of the in-process harness `name` on the cases of a format, from MADE or a new run."""
    if done := _made().get(name):
        own = (result for report in done for result in report.results if result.format == format_id)
        return Report(done[0].header, tuple(own))
    engine = Engine(parse_impl(name).connect(), Options())
    try:
        probes = (probe for case in sources.cases(format_id) for probe in case.probes)
        results = tuple(engine.run_all(probes))
        return Report(make_header(dict(engine.hello.impl), name, "smoke and captured"), results)
    finally:
        engine.close()


def report_files() -> list[Path]:
    """Return the committed reports, run by run."""
    return [path for _, _, path in history.files(REPORTS)]


@cache
def committed_reports() -> tuple[Report, ...]:
    """Return the latest reports of each implementation and version; raises InvalidReport."""
    return tuple(run.report for run in history.newest(committed_runs()))


@cache
def committed_runs() -> tuple[history.KeptReport, ...]:
    """Return all committed reports, run by run; raises InvalidReport."""
    return tuple(history.runs(REPORTS))


def history_of(format_id: str) -> Iterator[tuple[history.KeptReport, str, history.ReportChanges | None]]:
    """Yield the runs on a format, their scores, and the changes since the previous run."""
    for run in committed_runs():
        if mine := _on(run.report, format_id):
            changed = history.changes(_on(run.before, format_id), mine) if run.before else None
            yield run, export.score(mine), changed


def _on(report: Report, format_id: str) -> tuple[Result, ...]:
    return tuple(result for result in report.results if result.format == format_id)


def reports(format_id: str) -> dict[str, tuple[Result, ...]]:
    """Map each implementation with results on a format to these results."""
    live = [live_report(name, format_id) for name, entry in registry().items() if entry.target]
    found: dict[str, tuple[Result, ...]] = {}
    for report in [*live, *committed_reports()]:
        results = _on(report, format_id)
        if any(result.result_class in JUDGED for result in results):
            found[report.name] = found.get(report.name, ()) + results
    if not found:
        raise LookupError(f"no report has results for {format_id}")
    return found


def probe_ids(format_id: str) -> set[str]:
    """Return the ids of all questions that the published cases ask."""
    return {probe.id for case in sources.cases(format_id) for probe in case.probes}


def classes_of(found: Found) -> list[str]:
    """Return the classes that occur in the results, in their usual order."""
    seen = {item.result_class for results in found.values() for item in results}
    return [name for name in CLASSES if name in seen]


def probes_with_choices(found: Found) -> list[str]:
    """Return the questions that permit several answers and were answered with one of these."""
    return sorted({item.probe for results in found.values() for item in results if item.choice})


def scores(results: Iterable[Result]) -> dict[str, tuple[int, int]]:
    """Map each requirement to (good, judged)."""
    good: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for result in results:
        if result.result_class in JUDGED:
            for name in result.requirements:
                judged[name] += 1
                good[name] += result.result_class in GOOD
    return {name: (good[name], number) for name, number in judged.items()}


def failures(results: Iterable[Result]) -> list[list[Result]]:
    """Return groups of failed results.

    Results of a group have the same class and the same fingerprint, which does not depend on the case.
    """
    alike: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if result.result_class in JUDGED - GOOD:
            key = result.result_class, result.fingerprint or result.reason
            alike.setdefault(key, []).append(result)
    return list(alike.values())
