"""Reports: JSON lines, a header, one line per result, a footer that says how many there were.

A report that was cut off, glued together or edited is not believed: a missing
footer, a probe that stands twice, or counts that do not add up make it invalid
as a whole.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TextIO

from journalspec import __version__
from journalspec_conformance import PROTOCOL
from journalspec_conformance.classes import CLASSES
from journalspec_conformance.errors import Problem
from journalspec_conformance.result import Result

VERSION = 1


class InvalidReport(Problem):
    """The file is no whole report; the text says which line shows it."""


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report. `header` names the implementation, the corpus tier and the options."""

    header: Mapping[str, Any]
    results: tuple[Result, ...]

    @property
    def name(self) -> str:
        """Name and version of the implementation."""
        impl = self.header["impl"]
        return " ".join(part for part in (impl["name"], impl.get("version", "")) if part)

    @property
    def counts(self) -> dict[str, int]:
        """Results per class, in the table's order, zeros left out."""
        return count(self.results)

    @property
    def judged(self) -> bool:
        """Tell whether anything was judged at all."""
        return any(CLASSES[result.result_class].judged for result in self.results)

    @property
    def red(self) -> bool:
        """Tell whether anything failed, or nothing was judged."""
        return not self.judged or any(result.red for result in self.results)


def count(results: Iterable[Result]) -> dict[str, int]:
    """Return the number of results per class, in the order of the class table, zeros left out."""
    found = Counter(result.result_class for result in results)
    return {name: found[name] for name in CLASSES if found[name]}


def make_header(impl: Mapping[str, str], target: str, tier: str, **options: Any) -> dict[str, Any]:
    """Return a report's header; `options` are those of the run, as JSON values."""
    return {
        "kind": "header",
        "report": VERSION,
        "protocol": PROTOCOL,
        "suite": __version__,
        "impl": dict(impl),
        "target": target,
        "tier": tier,
        "options": options,
    }


class ReportWriter:
    """Writes a report line by line; without :meth:`finish` it stays invalid, as it should."""

    def __init__(self, stream: IO[str], header: Mapping[str, Any]) -> None:
        """Write the header to `stream`."""
        self._stream = stream
        self._results: list[str] = []
        self._line(header)

    def add(self, result: Result) -> None:
        """Write one result."""
        self._results.append(result.result_class)
        self._line(result.to_json())

    def finish(self) -> None:
        """Write the footer."""
        found = Counter(self._results)
        counts = {name: found[name] for name in CLASSES if found[name]}
        self._line({"kind": "footer", "results": len(self._results), "counts": counts})
        self._stream.flush()

    def _line(self, data: Mapping[str, Any]) -> None:
        self._stream.write(json.dumps(data, ensure_ascii=True, separators=(",", ":")) + "\n")


def open_report(path: Path) -> TextIO:
    """Return a stream that writes a report to `path`, compressed if its name ends in .gz."""
    if path.suffix != ".gz":
        return path.open("w", encoding="utf-8")
    # No time in the header: the same results give the same bytes.
    return io.TextIOWrapper(gzip.GzipFile(path, "wb", mtime=0), encoding="utf-8")


def load_report(path: Path) -> Report:
    """Read a report file (also .gz); raises InvalidReport or Problem that says what is wrong where."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise Problem(f"{path}: cannot be read: {error}") from None
    return parse_report(text, str(path))


def parse_report(text: str, source: str) -> Report:
    """Read the text of a report called `source`; raises InvalidReport."""
    lines = [_parse_line(line, f"{source}, line {n}") for n, line in enumerate(text.splitlines(), start=1)]
    if not lines or lines[0].get("kind") != "header" or lines[0].get("report") != VERSION:
        raise InvalidReport(f"{source}: the first line is no header of a report of version {VERSION}")
    if lines[-1].get("kind") != "footer":
        raise InvalidReport(f"{source}: the footer is missing: the run did not come to its end")
    results: dict[str, Result] = {}
    for number, line in enumerate(lines[1:-1], start=2):
        result = _result(line, f"{source}, line {number}")
        if result.probe in results:
            raise InvalidReport(f"{source}, line {number}: {result.probe} stands twice")
        results[result.probe] = result
    report = Report(lines[0], tuple(results.values()))
    if not isinstance(report.header.get("impl"), dict) or "name" not in report.header["impl"]:
        raise InvalidReport(f"{source}: the header does not say whose results these are")
    if lines[-1].get("results") != len(results) or lines[-1].get("counts") != report.counts:
        raise InvalidReport(
            f"{source}: the footer's counts are not those of the {len(results)} results above it"
        )
    return report


def _parse_line(line: str, where: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidReport(f"{where}: no JSON") from None
    if not isinstance(data, dict):
        raise InvalidReport(f"{where}: no JSON object")
    return data


def _result(line: Mapping[str, Any], where: str) -> Result:
    if line.get("kind") != "result":
        raise InvalidReport(f"{where}: neither a result nor the last line")
    try:
        result = Result.from_json(line)
    except KeyError as error:
        raise InvalidReport(f"{where}: member {error} is missing") from None
    if result.result_class not in CLASSES:
        raise InvalidReport(f"{where}: unknown class {result.result_class!r}")
    return result
