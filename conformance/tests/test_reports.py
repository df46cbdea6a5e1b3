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
from tables import table

TABLE = table("reports")
ONE = Result("x.a/read", "x.a", "x", "1", "one", "pass", requirements=("XXX-AAA-001",), seconds=0.0123)
#: A failure with every member that a result can have.
TWO = replace(
    Result("x.b/read", "x.b", "x", "1", "two | <two>", "fail", "verdict", "expected \x00 clean"),
    stderr="tail\x1b[0m",
    requirements=("XXX-AAA-001", "XXX-AAA-002"),
    difference={"where": "verdict", "expected": "clean", "observed": "refused"},
)
RESULTS = [
    ONE,
    TWO,
    Result("y.c/read", "y.c", "y", "1", "three", "unsupported", reason="edition 1"),
    Result("y.d/read", "y.d", "y", "1", "four", "known", "dropped", "a reason", issue="https://x/1"),
    Result("y.e/read", "y.e", "y", "1", "five", "crash", reason="signal SIGSEGV"),
]


def written(results: list[Result], header: Mapping[str, Any] | None = None) -> str:
    """Return the text of a report of some results, with the header of `mine` by default."""
    stream = io.StringIO()
    own = make_header({"name": "mine", "version": "2"}, "./mine", "smoke", level="layout")
    write_report(stream, own if header is None else header, results)
    return stream.getvalue()


def parsed(text: str, source: str = "r.jsonl") -> Report:
    """Read the text of a report."""
    return parse_report(io.BytesIO(text.encode("utf-8", "surrogatepass")), source)


TEXT = written(RESULTS)
LINES = TEXT.splitlines(keepends=True)


@pytest.fixture
def report() -> Report:
    return parsed(TEXT)


def test_report_is_read_as_it_was_written(report: Report) -> None:
    assert TEXT.isascii()
    assert [json.loads(line)["kind"] for line in LINES] == ["header", *["result"] * 5, "footer"]
    assert [result.to_json() for result in report.results] == [result.to_json() for result in RESULTS]
    assert report.name == "mine 2"
    assert report.counts == {"pass": 1, "fail": 1, "unsupported": 1, "known": 1, "crash": 1}
    assert (report.red, parsed(written([ONE])).red) == (True, False)


HEAD, FIRST, SECOND, *REST, FOOTER = LINES
SECOND_BEGINS = "line 8: a second report starts, of './other', after the first, of './mine'"
#: Maps the message about a faulty report to the lines of that report.
LACKING = {
    "not the header": [],
    "footer is missing": LINES[:-1],
    "r.jsonl: the first line is not the header": LINES[1:],
    "line 4: a line that cannot be used: no JSON": [HEAD, FIRST, SECOND, REST[0][:20]],
    "line 3: duplicate result for probe x.a/read": [HEAD, FIRST, FIRST, SECOND, *REST, FOOTER],
    "counts are not those": [HEAD, FIRST, *REST, FOOTER],
    "line 4: comes after the footer": [HEAD, FIRST, FOOTER, SECOND, *REST, FOOTER],
    "line 3: a line that is not a JSON object": [HEAD, FIRST, "7\n", SECOND, *REST, FOOTER],
    "line 3: a line that cannot be used: no JSON": [HEAD, FIRST, "\n", SECOND, *REST, FOOTER],
    "line 3: neither a result nor the footer": [HEAD, FIRST, '{"kind":"other"}\n', *REST, FOOTER],
    "line 4: a line that cannot be used: nested deeper than 100": [HEAD, FIRST, SECOND, "[" * 100_000],
    "no UTF-8 at byte": [HEAD, FIRST.replace("one", "\udcff")],
    "line 2: a line that cannot be used: no JSON": [HEAD, "\ufeff" + FIRST],
    "a number of 5000 digits": [HEAD, '{"seconds": ' + "9" * 5000 + "}"],
    SECOND_BEGINS: [*LINES, *TEXT.replace("./mine", "./other").splitlines(keepends=True)],
    "line 3: a second report starts": [HEAD, FIRST, HEAD, SECOND, *REST, FOOTER],
    "edited: the lines above the footer do not match its digest": [HEAD, SECOND, FIRST, *REST, FOOTER],
}


@pytest.mark.parametrize("message", LACKING)
def test_incomplete_report_is_refused(message: str) -> None:
    with pytest.raises(InvalidReport, match=r"r\.jsonl") as caught:
        parsed("".join(LACKING[message]))
    assert message in str(caught.value)


@pytest.mark.parametrize(("message", "old", "new"), TABLE["damaged"])
def test_damaged_report_is_refused(message: str, old: str, new: str) -> None:
    with pytest.raises(InvalidReport, match=r"r\.jsonl") as caught:
        parsed(TEXT.replace(old, new))
    assert message in str(caught.value)


def test_edited_results_with_matching_counts_are_detected() -> None:
    changed = TEXT.replace('"class":"fail"', '"class":"pass"').replace('"pass":1,"fail":1', '"pass":2')
    with pytest.raises(InvalidReport, match="edited: the lines above the footer do not match its digest"):
        parsed(changed)


@pytest.mark.parametrize(("message", "member"), TABLE["malformed"])
def test_malformed_line_is_reported_with_its_number(message: str, member: str) -> None:
    others = {**ONE.to_json(), "probe": "x.z/read"}
    others.pop(member.split('"')[1], None)
    line = f"{json.dumps(others)[:-1]}, {member}}}\n"
    with pytest.raises(InvalidReport, match=r"^r\.jsonl, line 4: ") as caught:
        parsed("".join([HEAD, FIRST, SECOND, line, *REST, FOOTER]))
    assert message in str(caught.value)


def test_report_without_digest_is_read_with_a_note() -> None:
    """Older versions wrote reports without digests, which remain readable."""
    old = parsed(TEXT.replace('"report":2', '"report":1').rpartition(',"sha256"')[0] + "}")
    assert not old.sealed
    assert "not sealed, so that edits cannot be detected" in old.notes[0]
    for form in (as_text, as_markdown):
        assert old.notes[0] in form(old)


def test_counts_of_a_report_without_digest_must_be_those_of_its_results() -> None:
    old = TEXT.replace('"report":2', '"report":1').rpartition(',"sha256"')[0] + "}"
    for said in ('"pass":2', '"pass":0'):
        with pytest.raises(InvalidReport, match="counts are not those of the 5 results"):
            parsed(old.replace('"pass":1', said))


def test_run_fails_with_a_failed_result_or_without_a_judged_one() -> None:
    red = {name for name in CLASSES if parsed(written([ONE, replace(TWO, result_class=name)])).red}
    assert red == {"fail", "fixed", "crash", "timeout", "error", "unasked", "quarantined"}
    # Nothing was judged.
    alone = {name for name in CLASSES if parsed(written([replace(ONE, result_class=name)])).red}
    assert alone == {*red, "unsupported"}
    assert parsed(written([])).red


def test_line_that_no_reader_would_accept_is_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("journalspec_conformance.report.MAX_LINE", 1000)
    long = replace(TWO, difference={"where": "records", "expected": "x" * 2000, "observed": None})
    (result,) = parsed(written([long])).results
    assert result == replace(long, difference=None)


def test_report_of_another_version_has_a_note() -> None:
    header = {**json.loads(HEAD), "suite": "9.8"}
    report = parsed(written([], header))
    assert report.notes == [f"written by journalspec 9.8, read by {__version__}"]
    assert report.notes[0] in as_text(report)
    assert report.notes[0] in as_junit(report)


def test_line_without_end_takes_bounded_memory(tmp_path: Path) -> None:
    """The compressed report has only a few kilobytes."""
    bomb = tmp_path / "bomb.jsonl.gz"
    bomb.write_bytes(gzip.compress(HEAD.encode() + b" " * (MAX_LINE + 10)))
    with pytest.raises(InvalidReport, match="line 2: longer than 16 MiB"):
        load_report(bomb)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_only_regular_files_are_read_as_reports(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for name, why in (("fifo", "not a regular file"), (".", "not a regular file"), ("gone", "No such file")):
        with pytest.raises(InvalidReport, match=why):
            load_report(tmp_path / name)


@pytest.mark.parametrize("value", ["\ud800", float("nan"), "\udc80" * 9, {"a": ["\udfff"]}, float("inf")])
def test_any_answer_can_be_written_and_read(value: object) -> None:
    odd = replace(TWO, difference={"observed": value}, reason=f"got {value}", stderr="\udcff\0\x1b")
    (result,) = parsed(written([odd])).results
    assert "observed" in (result.difference or {})


def test_answer_with_too_deep_nesting_is_shortened() -> None:
    value: object = "x"
    for _ in range(3000):
        value = [value]
    (result,) = parsed(written([replace(TWO, difference={"observed": value})])).results
    assert '"..."' in json.dumps(result.difference)


HOSTILE = "a\x1b[31m\x00\x07]]>|\n\r`<b>&\u2028\ud800::error::\x85%\u202e"


def test_exports_of_hostile_texts_are_well_formed() -> None:
    names = ("case", "title", "reason", "stderr", "fingerprint", "format", "issue")
    texts: Any = dict.fromkeys(names, HOSTILE)
    hostile = replace(TWO, probe=f"x/{HOSTILE}", requirements=(HOSTILE,), **texts)
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
    for line in as_markdown(report).splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) - 1
        assert cells in (len(CLASSES) + 1, 5, 3) or not line.startswith("|"), line
    head, rows = matrix([report])
    assert all(cell.isprintable() for cell in (*head, *rows[0]))


def test_matrix_reports_different_suites_tiers_and_corpora(report: Report) -> None:
    assert unlike([report, report]) == []
    other = replace(report, header={**report.header, "tier": "captured", "suite": "0.0.1"})
    assert unlike([report, other]) == [
        f"not alike in suite: mine 2 #1 {__version__}, mine 2 #2 0.0.1",
        "not alike in tier: mine 2 #1 smoke, mine 2 #2 captured",
    ]
    cases = replace(report, header={**report.header, "corpus": {"sha256": "ab" * 32}})
    assert unlike([report, cases]) == ["not alike in corpus: mine 2 #1 unknown, mine 2 #2 abababababab"]


def test_corpus_is_identified_by_its_content() -> None:
    probes = probes_of(list(CASE.values()))
    found = corpus_digest(probes)
    assert found["probes"] == len(probes)
    assert corpus_digest(probes[::-1]) == found
    assert corpus_digest(probes[1:])["sha256"] != found["sha256"]
    case = replace(probes[0].case, title="another")
    assert corpus_digest([*case.probes, *probes[len(case.probes) :]])["sha256"] != found["sha256"]


def test_report_is_shown_as_text_and_markdown(report: Report) -> None:
    has(as_text(report), "mine 2: 4 judged, 1 not (unsupported 1), tier smoke")
    has(as_text(report), "fail verdict: x.b/read: expected", "crash: y.e/read: signal SIGSEGV")
    text = as_markdown(report)
    assert text.startswith("## mine 2: failed")
    has(text, "| `x.b/read` | fail | verdict |", "a reason https://x/1")
    row = next(line for line in text.splitlines() if line.startswith("| y |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1:] == [{"unsupported": "1", "known": "1", "crash": "1"}.get(name, "") for name in CLASSES]


def test_junit_report_has_counts_properties_and_messages(report: Report) -> None:
    suite = ET.fromstring(as_junit(report)).find("testsuite")  # noqa: S314 - our own output
    assert suite is not None
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["5", "1", "1", "2"]
    case = suite.findall("testcase")[1]
    found = [(item.get("name"), item.get("value")) for item in case.findall("properties/property")]
    assert {("requirement", "XXX-AAA-002"), ("class", "fail")} <= {*found}
    failure = case.find("failure")
    assert failure is not None
    assert "\N{REPLACEMENT CHARACTER}" in str(failure.get("message"))


def test_matrix_never_counts_unsupported_as_passed(report: Report) -> None:
    assert score(RESULTS) == "1/4 +1"
    assert score(RESULTS[2:3]) == "+1"
    head, rows = matrix([report, parsed(written([ONE]))])
    assert head == ["format", "mine 2 #1", "mine 2 #2"]
    assert rows == [["x", "1/2", "1/1"], ["y", "0/2 +1", ""]]
    assert matrix([report], "requirement")[1] == [["XXX-AAA-001", "1/2"], ["XXX-AAA-002", "0/1"]]


def test_report_may_be_compressed(tmp_path: Path) -> None:
    plain, packed = tmp_path / "r.jsonl", tmp_path / "r.jsonl.gz"
    for path in (plain, packed):
        with open_report(path) as stream:
            write_report(stream, make_header({"name": "x"}, "x", "smoke"), [])
    data = packed.read_bytes()
    assert gzip.decompress(data) == plain.read_bytes()
    assert load_report(packed) == load_report(plain)
    packed.write_bytes(data * 2)
    with pytest.raises(InvalidReport, match="line 3: a second report starts"):
        load_report(packed)
    packed.write_bytes(data[:-4])
    with pytest.raises(Problem, match="cannot be read"):
        load_report(packed)
