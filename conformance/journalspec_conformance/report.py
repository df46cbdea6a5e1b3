"""Reports as JSON lines: a header, one line per result, and a footer with a digest of these lines.

A report that was cut off, joined or edited is invalid. The signs are a missing footer, a second header, a
duplicate probe, wrong counts, or a wrong digest. The digest protects against accidents, not against forgery.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from journalspec import __version__
from journalspec.files import reading, replacing
from journalspec_conformance import PROTOCOL
from journalspec_conformance.connection import Unusable, read_object
from journalspec_conformance.errors import Problem
from journalspec_conformance.result import CLASSES, Result, carried
from journalspec_corpus import Probe

#: The version that is written. Version 1 had no digest in its footer, and no digest of the corpus in its
#: header.
VERSION = 2
UNSEALED = 1
#: The largest decompressed size of a report, and the largest size of a line (bytes).
MAX_BYTES = 1 << 28
MAX_LINE = 1 << 24
_HEADER = {"suite": str, "impl": dict, "target": str, "tier": str, "options": dict}


class InvalidReport(Problem):
    """The file is not a complete report. The text contains the number of the line."""


@dataclass(frozen=True, slots=True)
class Report:
    """A complete report. `header` contains the implementation, the corpus tier and the options.

    `sealed` is False for a report of version 1: edits of such a report are not detected.
    """

    header: Mapping[str, Any]
    results: tuple[Result, ...]
    sealed: bool = field(default=True, compare=False)

    @property
    def name(self) -> str:
        """Name and version of the implementation."""
        impl = self.header["impl"]
        return " ".join(part for part in (impl["name"], impl.get("version", "")) if part)

    @property
    def counts(self) -> dict[str, int]:
        """The number of results per class, in the order of the class table. Zeros are omitted."""
        return count(self.results)

    @property
    def judged(self) -> bool:
        """Return whether any answer was judged."""
        return any(CLASSES[result.result_class].judged for result in self.results)

    @property
    def red(self) -> bool:
        """Return whether any probe failed, or no answer was judged."""
        return not self.judged or any(result.red for result in self.results)

    @property
    def notes(self) -> list[str]:
        """Warnings about comparing this report, one sentence each."""
        found = []
        if self.header["suite"] != __version__:
            found.append(f"written by journalspec {self.header['suite']}, read by {__version__}")
        if not self.sealed:
            found.append(f"a report of version {UNSEALED}: not sealed, so that edits cannot be detected")
        return found

    @property
    def basis(self) -> dict[str, str]:
        """The versions and options behind the results; only reports with an equal basis are comparable."""
        digest = self.header.get("corpus", {}).get("sha256", "")
        return {
            "suite": self.header["suite"],
            "tier": self.header["tier"],
            "corpus": digest[:12] or "unknown",
            "level": str(self.header["options"].get("level", "")),
        }


def count(results: Iterable[Result]) -> dict[str, int]:
    """Return the number of results per class, in the order of the class table, zeros omitted."""
    found = Counter(result.result_class for result in results)
    return {name: found[name] for name in CLASSES if found[name]}


def counts_by_format(results: Iterable[Result]) -> dict[str, Counter[str]]:
    """Map each format to its number of results per class, sorted by format."""
    found: dict[str, Counter[str]] = {}
    for result in results:
        found.setdefault(result.format, Counter())[result.result_class] += 1
    return dict(sorted(found.items()))


def corpus_digest(probes: Iterable[Probe]) -> dict[str, Any]:
    """Return the corpus entry of the header: counts, and a digest of every case and question.

    The digest does not depend on the order. Two reports with the same digest cover the same questions.
    """
    digest = hashlib.sha256()
    cases = {}
    names = []
    for probe in probes:
        cases[probe.case.id] = probe.case
        names.append(probe.id)
    for _, case in sorted(cases.items()):
        digest.update(json.dumps(case.to_json(), sort_keys=True, separators=(",", ":")).encode() + b"\n")
    for name in sorted(names):
        digest.update(json.dumps(name).encode() + b"\n")
    return {"cases": len(cases), "probes": len(names), "sha256": digest.hexdigest()}


def make_header(
    impl: Mapping[str, str], target: str, tier: str, corpus: Mapping[str, Any] | None = None, **options: Any
) -> dict[str, Any]:
    """Return a report's header; `corpus` comes from :func:`corpus_digest`, `options` from the run."""
    return {
        "kind": "header",
        "report": VERSION,
        "protocol": PROTOCOL,
        "suite": __version__,
        "impl": dict(impl),
        "target": target,
        "tier": tier,
        "corpus": dict(corpus or {}),
        "options": options,
    }


def write_report(stream: IO[str], header: Mapping[str, Any], results: Sequence[Result]) -> None:
    """Write a complete report to `stream`; without its last line it is invalid."""
    digest = hashlib.sha256()
    for data in (header, *(result.to_json() for result in results)):
        line = _encoded(data) + "\n"
        digest.update(line.encode("ascii"))
        stream.write(line)
    seal = {"results": len(results), "counts": count(results), "sha256": digest.hexdigest()}
    stream.write(_encoded({"kind": "footer", **seal}) + "\n")
    stream.flush()


def _encoded(data: Mapping[str, Any]) -> str:
    """Return `data` as JSON that every reader accepts, even if `data` contains unusual values."""
    try:
        text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        text = ""
    if text and "\\ud" not in text and len(text) < MAX_LINE:
        return text
    text = json.dumps(carried(data), ensure_ascii=True, separators=(",", ":"))
    if len(text) >= MAX_LINE:
        text = json.dumps({name: value for name, value in carried(data).items() if name != "difference"})
    return text


@contextmanager
def open_report(path: Path) -> Iterator[IO[str]]:
    """Provide a stream that writes a report to `path`, compressed if its name ends in .gz.

    The complete report replaces the old content when the block ends. Until then, and after an exception, the
    file is unchanged. Raises OSError.
    """
    if path.suffix != ".gz":
        with replacing(path) as plain:
            yield plain
        return
    # The gzip header contains neither a time nor a name, so the same results give the same bytes.
    with (
        replacing(path, "wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as stream,
    ):
        yield stream


def load_report(path: Path) -> Report:
    """Read a report file (also compressed); raises InvalidReport with the fault and its place."""
    try:
        with reading(path, MAX_BYTES) as stream:
            # A line that is too long is cut, but still longer than MAX_LINE.
            return parse_report(iter(lambda: stream.readline(MAX_LINE + 1), b""), str(path))
    except OSError as error:
        raise InvalidReport(f"{path}: cannot be read: {error.strerror or error}") from None


def parse_report(lines: Iterable[bytes], source: str) -> Report:
    """Read the lines, with their ends, of a report called `source`; raises InvalidReport."""
    header: dict[str, Any] | None = None
    footer: dict[str, Any] | None = None
    results: dict[str, Result] = {}
    digest = hashlib.sha256()
    for number, raw in enumerate(lines, start=1):
        where = f"{source}, line {number}"
        line = _object(raw, where)
        if header is None:
            header = _header(line, source)
        elif line.get("kind") == "header":
            raise InvalidReport(
                f"{where}: a second report starts, of {line.get('target')!r}, after the first, of"
                f" {header['target']!r}: a file contains one report",
                "`journalspec matrix` compares several.",
            )
        elif footer is not None:
            raise InvalidReport(f"{where}: comes after the footer")
        elif line.get("kind") == "footer":
            footer = line
            continue
        elif line.get("kind") == "result":
            try:
                result = Result.from_json(line)
            except ValueError as error:
                raise InvalidReport(f"{where}: {error}") from None
            if result.probe in results:
                raise InvalidReport(f"{where}: duplicate result for probe {result.probe}")
            results[result.probe] = result
        else:
            raise InvalidReport(f"{where}: neither a result nor the footer")
        digest.update(raw)
    if header is None:
        raise InvalidReport(f"{source}: empty: the first line is not the header of a report")
    report = Report(header, tuple(results.values()), header["report"] != UNSEALED)
    _check_footer(report, footer, digest.hexdigest(), source)
    return report


def _check_footer(report: Report, footer: Mapping[str, Any] | None, digest: str, source: str) -> None:
    """Raise InvalidReport unless the line is the footer of a report whose lines have this digest."""
    number = len(report.results)
    if footer is None:
        fault = f"the footer is missing after {number} results: "
        fault += "the file was truncated, or the run did not finish"
    elif footer.get("results") != number or footer.get("counts") != report.counts:
        fault = f"edited: the footer's counts are not those of the {number} results above it"
    elif report.sealed and footer.get("sha256") != digest:
        fault = "edited: the lines above the footer do not match its digest"
    else:
        return
    raise InvalidReport(f"{source}: {fault}")


def _header(line: dict[str, Any], source: str) -> dict[str, Any]:
    """Return `line` if it is a header with all members that readers of reports use; raises InvalidReport."""
    version = line.get("report")
    if line.get("kind") != "header" or type(version) is not int or not UNSEALED <= version <= VERSION:
        known = f"{UNSEALED} to {VERSION}"
        raise InvalidReport(f"{source}: the first line is not the header of a report of version {known}")
    impl = line.get("impl")
    if not isinstance(impl, dict) or not isinstance(impl.get("name"), str):
        raise InvalidReport(f"{source}: the report header lacks the name of the implementation")
    faults = [name for name, kind in _HEADER.items() if not isinstance(line.get(name), kind)]
    if not isinstance(impl.get("version", ""), str):
        faults.append("impl.version")
    corpus = line.get("corpus", {})
    if not isinstance(corpus, dict) or not isinstance(corpus.get("sha256", ""), str):
        faults.append("corpus")
    if faults:
        raise InvalidReport(
            f"{source}, line 1: missing or of a wrong type in the header: {', '.join(faults)}"
        )
    return line


def _object(raw: bytes, where: str) -> dict[str, Any]:
    """Parse a line as a JSON object that every reader accepts; raises InvalidReport."""
    if len(raw) > MAX_LINE:
        raise InvalidReport(f"{where}: longer than {MAX_LINE >> 20} MiB")
    try:
        return read_object(raw)
    except Unusable as error:
        raise InvalidReport(f"{where}: {error}") from None
