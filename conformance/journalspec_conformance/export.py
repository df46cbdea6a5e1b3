"""Converts reports to other forms: text, Markdown, JUnit XML, a badge, and a comparison of several."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET  # XML is only written here, never parsed.

from journalspec.files import shown
from journalspec_conformance.report import Report, counts_by_format
from journalspec_conformance.result import CLASSES, Result
from journalspec_conformance.wording import UNJUDGED, grouped, judged_and_not

#: Characters that XML 1.0 cannot contain, even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

NOTHING = "nothing was judged: a run without judged probes fails"
_GOOD = frozenset({"pass", "allowed"})


def _junit_kind(result: Result) -> str:
    """Return the element for a result in JUnit: failure, error, skipped, or "" for passed."""
    if result.result_class in _GOOD:
        return ""
    if not result.red:
        return "skipped"
    return "failure" if result.result_class in ("fail", "fixed") else "error"


def as_text(report: Report) -> str:
    """Return the report for a terminal without colours: counts, then the failed probes in groups."""
    lines = [f"{report.name}: {judged_and_not(report.results)}, tier {report.header['tier']}", *report.notes]
    lines += [f"  {name:<12}{number:>7}  {CLASSES[name].meaning}" for name, number in report.counts.items()]
    lines += [group.line for group in grouped(result for result in report.results if result.red)]
    if not report.judged:
        lines.append(NOTHING)
    return "".join(f"{shown(line)}\n" for line in lines)


def as_markdown(report: Report) -> str:
    """Return the report as Markdown (for a job summary): counts per format, then the failed probes."""
    head = f"## {_cell(report.name)}: {'failed' if report.red else 'as expected'}"
    parts = [head, "", f"{judged_and_not(report.results)}.", ""]
    parts += [text for note in report.notes for text in (f"Note: {_cell(note)}.", "")]
    counts = counts_by_format(report.results).items()
    rows = [[name, *(str(found[cls] or "") for cls in CLASSES)] for name, found in counts]
    parts += _table(["format", *CLASSES], rows)
    red = grouped(result for result in report.results if result.red)
    if red:
        rows = [
            [f"`{r.probe}`", r.result_class, r.fingerprint, str(group.count), r.reason]
            for group in red
            for r in (group.example,)
        ]
        parts += ["", *_table(["first probe", "class", "fingerprint", "probes", "reason"], rows)]
    if not report.judged:
        parts += ["", f"{NOTHING.capitalize()}."]
    known = [result for result in report.results if result.result_class == "known"]
    if known:
        rows = [[f"`{r.probe}`", r.fingerprint, f"{r.reason} {r.issue}"] for r in known]
        parts += ["", "Known:", "", *_table(["probe", "fingerprint", "why"], rows)]
    return "\n".join(parts) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return lines + [f"| {' | '.join(map(_cell, row))} |" for row in rows]


def _cell(text: str) -> str:
    return shown(" ".join(text.split())).replace("|", "\\|").replace("<", "&lt;")


def as_junit(report: Report) -> str:
    """Return the report as JUnit XML, one test case per probe."""
    kinds = Counter(map(_junit_kind, report.results))
    suite = ET.Element(
        "testsuite",
        name=_xml(f"journalspec: {report.name}"),
        tests=str(len(report.results)),
        failures=str(kinds["failure"]),
        errors=str(kinds["error"]),
        skipped=str(kinds["skipped"]),
        time=f"{sum(result.seconds for result in report.results):.3f}",
    )
    if report.notes:
        properties = ET.SubElement(suite, "properties")
        for note in report.notes:
            ET.SubElement(properties, "property", name="note", value=_xml(note))
    for result in report.results:
        suite.append(_junit_case(result))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _junit_case(result: Result) -> ET.Element:
    case = ET.Element(
        "testcase", classname=_xml(result.case), name=_xml(result.probe), time=f"{result.seconds:.3f}"
    )
    properties = ET.SubElement(case, "properties")
    pairs = [("case", result.case), ("class", result.result_class), ("fingerprint", result.fingerprint)]
    pairs += [("requirement", requirement) for requirement in result.requirements]
    for name, value in pairs:
        if value:
            ET.SubElement(properties, "property", name=name, value=_xml(value))
    kind = _junit_kind(result)
    if kind:
        label = " ".join(part for part in (result.result_class, result.fingerprint) if part)
        detail = ET.SubElement(case, kind, message=_xml(f"{label}: {result.reason}"))
        detail.text = _xml("\n".join(part for part in (result.title, result.reason, result.stderr) if part))
    return case


def _xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def as_badge(report: Report) -> str:
    """Return the report as JSON for a badge: schema 1 of the endpoint badges of shields.io.

    Only tier ``all`` can be bright green, because an implementation could pass the other tiers with stored
    answers to the published cases.
    """
    good = "brightgreen" if report.header["tier"] == "all" else "green"
    failed = report.red or not report.judged
    badge = {
        "schemaVersion": 1,
        "label": "journalspec",
        "message": f"{report.header['tier']} {score(report.results)}",
        "color": "red" if failed else good,
    }
    return json.dumps(badge) + "\n"


def score(results: Iterable[Result]) -> str:
    """Return ``good/judged``, with a plus before the number of unsupported probes: ``118/120 +14``."""
    found = Counter(result.result_class for result in results)
    judged = sum(number for name, number in found.items() if name not in UNJUDGED)
    good = sum(found[name] for name in _GOOD)
    text = f"{good}/{judged}" if judged else ""
    return " ".join(
        part for part in (text, f"+{found['unsupported']}" if found["unsupported"] else "") if part
    )


def matrix(reports: Sequence[Report], by: str = "format") -> tuple[list[str], list[list[str]]]:
    """Return (head, rows) of scores: one column per report, rows by ``format`` or ``requirement``."""
    columns = [_by(report, by) for report in reports]
    keys = sorted({key for column in columns for key in column})
    rows = [[key, *(score(column.get(key, ())) for column in columns)] for key in keys]
    return [by, *_told_apart([report.name for report in reports])], [
        [shown(cell) for cell in row] for row in rows
    ]


def unlike(reports: Sequence[Report]) -> list[str]:
    """Return why `reports` are not comparable, such as different versions or tiers, one reason per line."""
    names = _told_apart([report.name for report in reports])
    found = []
    for key in reports[0].basis if reports else ():
        values = [report.basis[key] for report in reports]
        if len(set(values)) > 1:
            each = (f"{name} {shown(value)}" for name, value in zip(names, values, strict=True))
            found.append(f"not alike in {key}: {', '.join(each)}")
    return found


def _told_apart(names: Sequence[str]) -> list[str]:
    """Return `names`; a number is appended to those that occur more than once."""
    names = [shown(name) for name in names]
    seen: Counter[str] = Counter()
    out = []
    for name in names:
        seen[name] += 1
        out.append(f"{name} #{seen[name]}" if names.count(name) > 1 else name)
    return out


def _by(report: Report, by: str) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for result in report.results:
        for key in (result.format,) if by == "format" else result.requirements:
            found.setdefault(key, []).append(result)
    return found
