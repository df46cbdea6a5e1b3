"""The readers that the format pages offer pass the smoke tier; the test runs every twelfth case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from journalspec.formats import format_ids
from journalspec_corpus.load import load_cases
from journalspec_docs import sources
from judged import call

HARNESS = Path(__file__).resolve().parents[1] / "harness"
#: One in this many cases is run; the command on the page, `journalspec run`, runs all cases.
STEP = 12


@pytest.mark.parametrize("format_id", format_ids())
def test_reader_that_the_site_offers_passes_the_smoke_tier(
    format_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = tmp_path / "cases.jsonl"
    lines = [json.dumps(case.to_json()) + "\n" for case in load_cases(format_id, "smoke")[::STEP]]
    cases.write_text("".join(lines), encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(HARNESS))
    monkeypatch.syspath_prepend(str(HARNESS))
    report = tmp_path / "report.jsonl"
    done = call("run", "--impl", "py:plain_readers:PlainReaders", "--cases", cases, "--report", report)
    assert done.exit_code == 0, done.output
    results = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    passed = sum(result.get("class") == "pass" for result in results)
    assert passed >= len(lines), "most cases ask what the reader answers"


@pytest.mark.parametrize("format_id", format_ids())
def test_page_offers_the_reader_that_is_tested(format_id: str) -> None:
    offered = sources.plain_readers(format_id)
    assert f"corpus/journalspec_corpus/{format_id}/naive.py" in offered
    assert all((sources.ROOT / path).is_file() for path in offered)
