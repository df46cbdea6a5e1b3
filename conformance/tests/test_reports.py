from __future__ import annotations

import gzip
import io
import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from journalspec import __version__
from journalspec_conformance.errors import Problem
from journalspec_conformance.export import as_junit, as_markdown, as_text, matrix, score, unlike
from journalspec_conformance.report import (
    MAX_LINE,
    InvalidReport,
    Report,
    corpus_digest,
    load_report,
    make_header,
    open_report,
    parse_report,
    write_report,
)
from journalspec_conformance.result import CLASSES, Result
from journalspec_conformance.selection import probes_of
from journalspec_conformance.wording import github_annotations
from judged import CASE, has

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


def written(results: list[Result], header: Mapping[str, Any] | None = None) -> str:
    """Return the text of a report of some results, of `mine` if no other header is given."""
    stream = io.StringIO()
    own = make_header({"name": "mine", "version": "2"}, "./mine", "smoke", level="layout")
    write_report(stream, own if header is None else header, results)
    return stream.getvalue()


def parsed(text: str, source: str) -> Report:
    """Read the text of a report."""
    return parse_report(io.BytesIO(text.encode("utf-8", "surrogatepass")), source)


@pytest.fixture
def report() -> Report:
    return parsed(written(RESULTS), "r.jsonl")


def test_round_trip(report: Report) -> None:
    assert [result.to_json() for result in report.results] == [result.to_json() for result in RESULTS]
    assert report.name == "mine 2"
    assert report.counts == {"pass": 1, "fail": 1, "unsupported": 1, "known": 1, "crash": 1}
    assert report.red
    assert not parsed(written(RESULTS[:1]), "r").red


def test_lines_are_ascii_and_end_with_a_footer() -> None:
    assert all(line.isascii() for line in LINES)
    assert [json.loads(line)["kind"] for line in LINES] == ["header", *["result"] * 5, "footer"]


LINES = written(RESULTS).splitlines(keepends=True)
EDITED = "edited: the lines above the footer are not those"


def swapped(old: str, new: str) -> list[str]:
    return [line.replace(old, new) for line in LINES]


#: A changed report -> the error message about it.
DAMAGED: dict[str, tuple[list[str], str]] = {
    "empty": ([], "not the header"),
    "no footer": (LINES[:-1], "footer is missing"),
    "no header": (LINES[1:], "not the header"),
    "cut line": ([*LINES[:3], LINES[3][:20]], "line 4: a line that cannot be used: no JSON"),
    "twice": ([*LINES[:2], LINES[1], *LINES[2:]], "line 3: duplicate result for probe x.a/read"),
    "one less": ([*LINES[:2], *LINES[3:]], "counts are not those"),
    "footer inside": ([*LINES[:2], LINES[-1], *LINES[2:]], "line 4: comes after the footer"),
    "class changed": (swapped('"class":"fail"', '"class":"pass"'), "counts are not those"),
    "class unknown": (
        swapped('"class":"fail"', '"class":"fine"'),
        "line 3: member 'class' is not a result class (it says 'fine')",
    ),
    "member gone": (swapped('"case":"x.b"', '"kase":"x.b"'), "member 'case' is missing"),
    "number": ([*LINES[:2], "7\n", *LINES[2:]], "line 3: a line that is not a JSON object"),
    "other version": (swapped('"report":2', '"report":9'), "version 1 to 2"),
    "nobody's": (swapped('"name":"mine"', '"who":"mine"'), "lacks the name of the implementation"),
    "two glued": (
        LINES + swapped("./mine", "./other"),
        "line 8: a second report begins, of './other', behind the first, of './mine'",
    ),
    "header in the middle": ([*LINES[:2], LINES[0], *LINES[2:]], "line 3: a second report begins"),
    "class changed, counts too": (
        [
            line.replace('"pass":1,"fail":1', '"pass":2')
            for line in swapped('"class":"fail"', '"class":"pass"')
        ],
        EDITED,
    ),
    "reason changed": (swapped("signal SIGSEGV", "signal SIGTERM"), EDITED),
    "header changed": (swapped('"tier":"smoke"', '"tier":"captured"'), EDITED),
    "two lines swapped": ([LINES[0], LINES[2], LINES[1], *LINES[3:]], EDITED),
    "line ends changed": (swapped("\n", "\r\n"), EDITED),
    "no digest": ([*LINES[:-1], LINES[-1].partition(',"sha256"')[0] + "}\n"], EDITED),
}


@pytest.mark.parametrize("edit", DAMAGED)
def test_damaged_reports_are_not_believed(edit: str) -> None:
    lines, message = DAMAGED[edit]
    with pytest.raises(InvalidReport, match=r"r\.jsonl") as caught:
        parsed("".join(lines), "r.jsonl")
    assert message in str(caught.value)


def test_a_report_without_a_seal_is_read_and_said_to_be_one(tmp_path: Path) -> None:
    """What was written before there were digests stays readable."""
    lines = written(RESULTS).replace('"report":2', '"report":1').splitlines(keepends=True)
    old = parsed("".join(lines[:-1]) + lines[-1].partition(',"sha256"')[0] + "}", "old")
    assert not old.sealed
    assert "not sealed, so that an edit cannot be seen" in old.notes[0]
    for form in (as_text, as_markdown):
        assert old.notes[0] in form(old)


def test_a_report_of_another_version_of_the_suite_reports_it() -> None:
    text = written(RESULTS).replace(f'"suite":"{__version__}"', '"suite":"9.8"')
    report = parsed(written([], json.loads(text.splitlines()[0])), "r")
    assert report.notes == [f"made by journalspec 9.8, read by {__version__}"]
    assert report.notes[0] in as_text(report)
    assert report.notes[0] in as_junit(report)


def line_of(**members: object) -> str:
    return json.dumps({**RESULTS[0].to_json(), "probe": "x.z/read", **members})


RESULT = json.dumps(RESULTS[0].to_json())
#: A line of a report as another program may write it -> the error message about it.
MALFORMED = {
    line_of(seconds="1"): "member 'seconds' is not a number of seconds",
    line_of(seconds=True): "member 'seconds' is not a number of seconds",
    line_of(seconds=-1): "member 'seconds' is not a number of seconds",
    line_of(seconds=None): "member 'seconds' is not a number of seconds",
    line_of().replace('"seconds": 0.012', '"seconds": 1e999'): "a number that is too long, 1e999",
    line_of(seconds=float("nan")): "NaN, which is not JSON",
    line_of(seconds=float("-inf")): "-Infinity, which is not JSON",
    line_of().replace('"seconds": 0.012', '"seconds": ' + "9" * 5000): "a number of 5000 digits",
    line_of(requirements=7): "member 'requirements' is not a list of texts",
    line_of(requirements=["a", 7]): "member 'requirements' is not a list of texts",
    line_of(requirements="XXX"): "member 'requirements' is not a list of texts",
    line_of(probe=None): "member 'probe' is not a text",
    line_of(probe=["x"]): "member 'probe' is not a text",
    line_of(title={}): "member 'title' is not a text",
    line_of(reason=7): "member 'reason' is not a text",
    line_of(difference=[1]): "member 'difference' is not an object",
    line_of(**{"class": ["pass"]}): "member 'class' is not a text",
    line_of(**{"class": "PASS"}): "member 'class' is not a result class",
    line_of(title="\ud800"): "half of a surrogate pair",
    line_of(title="a").replace('"a"', '"\0"'): "no JSON",
    "[" * 100_000: "nested deeper than 100",
    "\ufeff" + RESULT: "no JSON",
    RESULT[:-1] + ', "class": "fail"}': "member 'class' occurs twice",
    RESULT.replace("one", "\udcff"): "no UTF-8 at byte",
    "": "no JSON",
    "[]": "not a JSON object",
    '{"kind":"other"}': "neither a result nor the footer",
}


@pytest.mark.parametrize("line", MALFORMED, ids=lambda line: MALFORMED[line])
def test_a_malformed_line_is_named(line: str) -> None:
    text = "".join([*LINES[:3], line + "\n", *LINES[3:]])
    with pytest.raises(InvalidReport, match=r"^r\.jsonl, line 4: ") as caught:
        parsed(text, "r.jsonl")
    assert MALFORMED[line] in str(caught.value)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"impl": {"name": 7}}, "lacks the name of the implementation"),
        ({"impl": ["name"]}, "lacks the name of the implementation"),
        ({"impl": {"name": "x", "version": 1}}, "impl.version"),
        ({"tier": None}, "in the header: tier"),
        ({"suite": 1, "options": []}, "in the header: suite, options"),
        ({"corpus": {"sha256": 1}}, "corpus"),
        ({"report": True}, "not the header of a report"),
        ({"report": "2"}, "not the header of a report"),
    ],
)
def test_a_malformed_header_is_named(members: dict[str, object], message: str) -> None:
    text = written([], {**make_header({"name": "x"}, "x", "smoke"), **members})
    with pytest.raises(InvalidReport, match=message):
        parsed(text, "r")


def test_a_line_without_end_costs_bounded_memory(tmp_path: Path) -> None:
    """Compressed, it is a few kilobytes."""
    bomb, deep = tmp_path / "bomb.jsonl.gz", tmp_path / "deep.jsonl.gz"
    header = written([]).splitlines()[0].encode() + b"\n"
    bomb.write_bytes(gzip.compress(header + b" " * (MAX_LINE + 10)))
    deep.write_bytes(gzip.compress(header + b"[" * 1_000_000))
    with pytest.raises(InvalidReport, match="line 2: longer than 16 MiB"):
        load_report(bomb)
    with pytest.raises(InvalidReport, match="line 2: a line that cannot be used: nested deeper than 100"):
        load_report(deep)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_only_files_are_reports(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path, why in ((fifo, "not a regular file"), (tmp_path, "not a regular file")):
        with pytest.raises(InvalidReport, match=why):
            load_report(path)
    with pytest.raises(InvalidReport, match="No such file"):
        load_report(tmp_path / "gone")


@pytest.mark.parametrize("value", ["\ud800", float("nan"), "\udc80" * 9, {"a": ["\udfff"]}, float("inf")])
def test_whatever_an_implementation_answers_can_be_written_and_read(value: object) -> None:
    odd = replace(RESULTS[1], difference={"observed": value}, reason=f"got {value}", stderr="\udcff\0\x1b")
    report = parsed(written([odd]), "r")
    assert report.results[0].difference is not None
    assert "observed" in report.results[0].difference


def test_an_answer_nested_too_deeply_is_cut() -> None:
    value: object = "x"
    for _ in range(3000):
        value = [value]
    report = parsed(written([replace(RESULTS[1], difference={"observed": value})]), "r")
    assert '"..."' in json.dumps(report.results[0].difference)


HOSTILE = "a\x1b[31m\x00\x07]]>|\n\r`<b>&\u2028\ud800::error::\x85%\u202e"


def test_exports_of_hostile_texts_are_well_formed() -> None:
    hostile = replace(
        RESULTS[1], probe=f"x/{HOSTILE}", case=HOSTILE, title=HOSTILE, reason=HOSTILE, stderr=HOSTILE,
        fingerprint=HOSTILE, requirements=(HOSTILE,), format=HOSTILE, issue=HOSTILE,
    )  # fmt: skip
    results = (hostile, replace(hostile, probe=f"y/{HOSTILE}", result_class="known"))
    report = Report(make_header({"name": HOSTILE, "version": HOSTILE}, HOSTILE, HOSTILE), results)
    tree = ET.fromstring(as_junit(report).encode("utf-8"))  # noqa: S314 - our own output
    assert len(list(tree.iter("testcase"))) == 2
    for form in (as_text, as_markdown):
        text = form(report)
        text.encode("utf-8")
        assert all(char == "\n" or char.isprintable() for char in text), form.__name__
    (annotation,) = github_annotations(results, HOSTILE)
    assert annotation.startswith("::error title=")
    assert annotation.isprintable()
    tables = [line for line in as_markdown(report).splitlines() if line.startswith("|")]
    for line in tables:
        cells = len(re.findall(r"(?<!\\)\|", line)) - 1
        assert cells in (len(CLASSES) + 1, 5, 3), line
    head, rows = matrix([report])
    assert all(cell.isprintable() for cell in (*head, *rows[0]))


def test_matrix_says_what_cannot_be_compared(report: Report) -> None:
    assert unlike([report, report]) == []
    other = replace(report, header={**report.header, "tier": "captured", "suite": "0.0.1"})
    said = unlike([report, other])
    assert said == [f"not alike in suite: mine 2 #1 {__version__}, mine 2 #2 0.0.1",
                    "not alike in tier: mine 2 #1 smoke, mine 2 #2 captured"]  # fmt: skip
    cases = replace(report, header={**report.header, "corpus": {"sha256": "ab" * 32}})
    assert unlike([report, cases]) == ["not alike in corpus: mine 2 #1 unknown, mine 2 #2 abababababab"]


def test_the_corpus_is_known_by_its_content() -> None:
    probes = probes_of(list(CASE.values()))
    found = corpus_digest(probes)
    assert corpus_digest(probes[::-1]) == found
    assert corpus_digest(probes[1:])["sha256"] != found["sha256"]
    case = replace(probes[0].case, title="another")
    assert corpus_digest([*case.probes, *probes[len(case.probes) :]])["sha256"] != found["sha256"]
    assert found["probes"] == len(probes)


def test_text(report: Report) -> None:
    text = as_text(report)
    has(text, "mine 2: 4 judged, 1 not (unsupported 1), tier smoke", "fail verdict: x.b/read: expected")
    assert "crash: y.e/read: signal SIGSEGV" in text


def test_markdown(report: Report) -> None:
    text = as_markdown(report)
    assert text.startswith("## mine 2: failed")
    has(text, "| `x.b/read` | fail | verdict |", "a reason https://x/1")
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
    head, rows = matrix([report, parsed(written(RESULTS[:1]), "s")])
    assert head == ["format", "mine 2 #1", "mine 2 #2"]
    assert rows == [["x", "1/2", "1/1"], ["y", "0/2 +1", ""]]
    _, rows = matrix([report], "requirement")
    assert rows == [["XXX-AAA-001", "1/2"], ["XXX-AAA-002", "0/1"]]


def test_a_report_may_be_compressed(tmp_path: Path) -> None:
    plain, packed = tmp_path / "r.jsonl", tmp_path / "r.jsonl.gz"
    for path in (plain, packed):
        with open_report(path) as stream:
            write_report(stream, make_header({"name": "x"}, "x", "smoke"), [])
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert load_report(packed) == load_report(plain)
    twice = tmp_path / "twice.jsonl.gz"
    twice.write_bytes(packed.read_bytes() * 2)
    with pytest.raises(InvalidReport, match="line 3: a second report begins"):
        load_report(twice)
    packed.write_bytes(packed.read_bytes()[:-4])
    with pytest.raises(Problem, match="cannot be read"):
        load_report(packed)
