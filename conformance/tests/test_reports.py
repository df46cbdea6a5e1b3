from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from journalspec_conformance.classes import CLASSES
from journalspec_conformance.errors import Problem
from journalspec_conformance.export import as_junit, as_markdown, as_text, matrix, score
from journalspec_conformance.report import (
    InvalidReport,
    Report,
    ReportWriter,
    load_report,
    make_header,
    open_report,
    parse_report,
)
from journalspec_conformance.result import Result

RESULTS = [
    Result("x.a/read", "x.a", "x", "1", "one", "pass", requirements=("XXX-AAA-001",), seconds=0.0123),
    Result(
        "x.b/read",
        "x.b",
        "x",
        "1",
        "two | <two>",
        "fail",
        "verdict",
        "expected \x00 clean",
        stderr="tail\x1b[0m",
        requirements=("XXX-AAA-001", "XXX-AAA-002"),
        difference={"where": "verdict", "expected": "clean", "observed": "refused"},
    ),
    Result("y.c/read", "y.c", "y", "1", "three", "unsupported", reason="edition 1"),
    Result("y.d/read", "y.d", "y", "1", "four", "known", "dropped", "a reason", issue="https://x/1"),
    Result("y.e/read", "y.e", "y", "1", "five", "crash", reason="signal SIGSEGV"),
]


def written(results: list[Result]) -> str:
    stream = io.StringIO()
    writer = ReportWriter(
        stream, make_header({"name": "mine", "version": "2"}, "./mine", "smoke", level="layout")
    )
    for result in results:
        writer.add(result)
    writer.finish()
    return stream.getvalue()


@pytest.fixture
def report() -> Report:
    return parse_report(written(RESULTS), "r.jsonl")


def test_round_trip(report: Report) -> None:
    assert [result.to_json() for result in report.results] == [result.to_json() for result in RESULTS]
    assert report.name == "mine 2"
    assert report.counts == {"pass": 1, "fail": 1, "unsupported": 1, "known": 1, "crash": 1}
    assert report.red
    assert not parse_report(written(RESULTS[:1]), "r").red


def test_lines_are_ascii_and_end_with_a_footer() -> None:
    lines = written(RESULTS).splitlines()
    assert all(line.isascii() for line in lines)
    assert [json.loads(line)["kind"] for line in lines] == ["header", *["result"] * 5, "footer"]


def damaged(edit: str) -> str:
    lines = written(RESULTS).splitlines(keepends=True)
    edits = {
        "empty": [],
        "no footer": lines[:-1],
        "no header": lines[1:],
        "cut line": [*lines[:3], lines[3][:20]],
        "twice": [*lines[:2], lines[1], *lines[2:]],
        "one less": [*lines[:2], *lines[3:]],
        "footer inside": [*lines[:2], lines[-1], *lines[2:]],
        "class changed": [line.replace('"class":"fail"', '"class":"pass"') for line in lines],
        "class unknown": [line.replace('"class":"fail"', '"class":"fine"') for line in lines],
        "member gone": [line.replace('"case":"x.b"', '"kase":"x.b"') for line in lines],
        "number": [*lines[:2], "7\n", *lines[2:]],
        "other version": [lines[0].replace('"report":1', '"report":9'), *lines[1:]],
        "nobody's": [lines[0].replace('"name":"mine"', '"who":"mine"'), *lines[1:]],
        "two glued": lines + lines,
    }
    return "".join(edits[edit])


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ("empty", "no header"),
        ("no footer", "footer is missing"),
        ("no header", "no header"),
        ("cut line", "line 4: no JSON"),
        ("twice", "line 3: x.a/read stands twice"),
        ("one less", "counts are not those"),
        ("footer inside", "line 3: neither"),
        ("class changed", "counts are not those"),
        ("class unknown", "unknown class 'fine'"),
        ("member gone", "member 'case' is missing"),
        ("number", "line 3: no JSON object"),
        ("other version", "version 1"),
        ("nobody's", "does not say whose"),
        ("two glued", "line 7: neither"),
    ],
)
def test_damaged_reports_are_not_believed(edit: str, message: str) -> None:
    with pytest.raises(InvalidReport, match=r"r\.jsonl") as caught:
        parse_report(damaged(edit), "r.jsonl")
    assert message in str(caught.value)


def test_text(report: Report) -> None:
    text = as_text(report)
    assert "mine 2: 4 judged, 1 not (unsupported 1), tier smoke" in text
    assert "fail verdict: x.b/read: expected" in text
    assert "crash: y.e/read: signal SIGSEGV" in text


def test_markdown(report: Report) -> None:
    text = as_markdown(report)
    assert text.startswith("## mine 2: failed")
    assert "| `x.b/read` | fail | verdict |" in text
    assert "a reason https://x/1" in text
    row = next(line for line in text.splitlines() if line.startswith("| y |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1:] == [{"unsupported": "1", "known": "1", "crash": "1"}.get(name, "") for name in CLASSES]


def test_junit(report: Report) -> None:
    suite = ET.fromstring(as_junit(report)).find("testsuite")  # noqa: S314 - our own output
    assert suite is not None
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5",
        "failures": "1",
        "errors": "1",
        "skipped": "2",
    }
    case = suite.findall("testcase")[1]
    found = [(item.get("name"), item.get("value")) for item in case.findall("properties/property")]
    assert ("requirement", "XXX-AAA-002") in found
    assert ("class", "fail") in found
    failure = case.find("failure")
    assert failure is not None
    assert "\N{REPLACEMENT CHARACTER}" in str(failure.get("message"))


def test_matrix_never_counts_the_unsupported_as_passed(report: Report) -> None:
    assert score(RESULTS) == "1/4 +1"
    assert score(RESULTS[2:3]) == "+1"
    head, rows = matrix([report, parse_report(written(RESULTS[:1]), "s")])
    assert head == ["format", "mine 2 #1", "mine 2 #2"]
    assert rows == [["x", "1/2", "1/1"], ["y", "0/2 +1", ""]]
    _, rows = matrix([report], "requirement")
    assert rows == [["XXX-AAA-001", "1/2"], ["XXX-AAA-002", "0/1"]]


def test_a_report_may_be_compressed(tmp_path: Path) -> None:
    plain, packed = tmp_path / "r.jsonl", tmp_path / "r.jsonl.gz"
    for path in (plain, packed):
        with open_report(path) as stream:
            ReportWriter(stream, make_header({"name": "x"}, "x", "smoke")).finish()
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert load_report(packed) == load_report(plain)
    packed.write_bytes(packed.read_bytes()[:-4])
    with pytest.raises(Problem, match="cannot be read"):
        load_report(packed)
