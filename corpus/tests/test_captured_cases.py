"""Captures: files as a product wrote them, with their provenance."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from journalspec_corpus import load_cases
from journalspec_corpus.authored import AuthoringError
from journalspec_corpus.captured import captured_cases

EXPECTED = {"title": "T", "obeys": ["BTM-FIL-001"], "expect": [{"when": {"op": "read"}, "verdict": "clean"}]}


def capture(root: Path, **files: bytes) -> Path:
    place = root / "Product-1.0" / "Some Name_1"
    place.mkdir(parents=True)
    (place / "expected.json").write_text(json.dumps(EXPECTED), encoding="utf-8")
    (place / "provenance.toml").write_text('checked_by = ["hand"]\n', encoding="utf-8")
    for name, data in files.items():
        (place / name.replace("_", ".")).write_bytes(data)
    return place


def test_a_capture_becomes_a_case(tmp_path: Path) -> None:
    capture(tmp_path, btm1_tlog=b"abc", btm2_tlog_gz=gzip.compress(b"defg"))
    [case] = captured_cases("bitronix_tlog", tmp_path)
    assert case.id == "btm.captured.product-1-0.some-name-1"
    assert case.files() == {"btm1.tlog": b"abc", "btm2.tlog": b"defg"}
    assert (case.tier, case.origin.kind, case.origin.checked_by) == ("captured", "captured", ("hand",))


def test_a_capture_without_provenance_is_named(tmp_path: Path) -> None:
    (capture(tmp_path) / "provenance.toml").unlink()
    with pytest.raises(AuthoringError, match=r"Product-1\.0/Some Name_1"):
        list(captured_cases("bitronix_tlog", tmp_path))


def test_real_captures_are_published() -> None:
    products = {case.origin.base for case in load_cases("bitronix_tlog", "captured")}
    assert len(products) >= 2
