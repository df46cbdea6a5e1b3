"""Keeps the reports of many runs in one directory, numbered per implementation, and computes the changes
between runs.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from journalspec.files import read_bytes, replace_bytes
from journalspec_conformance.errors import Problem
from journalspec_conformance.report import MAX_BYTES, Report, load_report
from journalspec_conformance.result import Result

_NAME = re.compile(r"(?P<name>.+)-(?P<number>\d{4,})\.jsonl\.gz")
_GOOD = frozenset({"pass", "allowed"})


@dataclass(frozen=True, slots=True)
class KeptReport:
    """Represents a report in a directory of results, and the previous report of the same tier and formats."""

    path: Path
    folder: str
    report: Report
    before: Report | None


@dataclass(frozen=True, slots=True)
class ReportChanges:
    """Represents the probes whose class changed (a line each), and the numbers of `new` and `gone` probes."""

    better: tuple[str, ...]
    worse: tuple[str, ...]
    other: tuple[str, ...]
    new: int
    gone: int


def files(directory: Path) -> list[tuple[str, int, Path]]:
    """Return the name of the implementation, number of the run, and path of each report, sorted."""
    found = ((path, _NAME.fullmatch(path.name)) for path in directory.iterdir())
    return sorted((match["name"], int(match["number"]), path) for path, match in found if match)


def add(report: Path, directory: Path) -> Path:
    """Put a copy of a report into `directory`, as the next one of its implementation; return its path.

    Raises InvalidReport, or Problem if the directory contains the same report already.
    """
    told = load_report(report).header["impl"]["name"].lower()
    name = re.sub(r"[^a-z0-9.]+", "-", told).strip("-.") or "unnamed"
    directory.mkdir(parents=True, exist_ok=True)
    known = {number: path for other, number, path in files(directory) if other == name}
    data = read_bytes(report, MAX_BYTES)
    for path in known.values():
        if read_bytes(path, MAX_BYTES) == data:
            raise Problem(f"{report}: this report already exists: {path}")
    target = directory / f"{name}-{1 + max(known, default=0):04}.jsonl.gz"
    replace_bytes(target, gzip.compress(data, mtime=0))
    return target


def runs(directory: Path) -> list[KeptReport]:
    """Return all runs of a directory, by implementation, the oldest first; raises InvalidReport."""
    found: list[KeptReport] = []
    last: dict[object, Report] = {}
    for name, _, path in files(directory):
        report = load_report(path)
        about = (name, report.header["tier"], _formats(report))
        found.append(KeptReport(path, name, report, last.get(about)))
        last[about] = report
    return found


def newest(found: Iterable[KeptReport]) -> list[KeptReport]:
    """Return the last run in `found` for each implementation, version, tier and set of formats."""
    last = {(run.report.name, run.report.header["tier"], _formats(run.report)): run for run in found}
    return list(last.values())


def _formats(report: Report) -> frozenset[str]:
    return frozenset(result.format for result in report.results)


def changes(old: Iterable[Result], new: Iterable[Result]) -> ReportChanges:
    """Return the changes from one run to another, probe by probe."""
    before, after = ({result.probe: result for result in results} for results in (old, new))
    lines: dict[str, list[str]] = {"better": [], "worse": [], "other": []}
    for probe in sorted(before.keys() & after.keys()):
        one, other = before[probe], after[probe]
        if one.result_class != other.result_class:
            good = (one.result_class in _GOOD, other.result_class in _GOOD)
            kind = {(False, True): "better", (True, False): "worse"}.get(good, "other")
            why = f": {other.reason}" if other.reason and kind != "better" else ""
            lines[kind].append(f"{probe}: {one.result_class} -> {other.result_class}{why}")
    told = {kind: tuple(found) for kind, found in lines.items()}
    added, gone = after.keys() - before.keys(), before.keys() - after.keys()
    return ReportChanges(**told, new=len(added), gone=len(gone))
