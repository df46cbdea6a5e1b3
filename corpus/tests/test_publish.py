"""Captures and published tiers are up to date and deterministic, and ids are permanent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from authored import AuthoringError
from publish import PublishError, captured_cases, main, publish, render

from journalspec_corpus import Case, load_cases
from journalspec_corpus.load import PUBLISHED_TIERS
from journalspec_corpus.pipeline.manifest import MANIFEST

FORMAT = "bitronix_tlog"


@pytest.fixture(scope="module")
def tiers() -> dict[str, list[Case]]:
    """Return the cases from the sources; test_families compares them with the published ones."""
    return {tier: list(load_cases(FORMAT, tier)) for tier in PUBLISHED_TIERS}


@pytest.fixture(scope="module")
def rendered(tiers: dict[str, list[Case]]) -> dict[str, bytes]:
    return render(FORMAT, tiers)


@pytest.fixture
def collected_once(monkeypatch: pytest.MonkeyPatch, tiers: dict[str, list[Case]]) -> None:
    """Collect cases once, because this takes seconds. Skip linting, which has its own tests."""
    monkeypatch.setattr("publish.collect", lambda *_: tiers)
    monkeypatch.setattr("publish.lint", lambda *_: [])


@pytest.mark.usefixtures("collected_once")
def test_published_id_must_not_vanish(tmp_path: Path) -> None:
    line = load_cases(FORMAT)[0].to_json()
    line["id"] = "btm.gone.away"
    (tmp_path / "smoke.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    with pytest.raises(PublishError, match=r"btm\.gone\.away: is published and would vanish"):
        publish(FORMAT, out=tmp_path)


@pytest.mark.usefixtures("collected_once")
def test_check_writes_nothing(tmp_path: Path) -> None:
    tiers = ["smoke.jsonl", "captured.jsonl", "worst.jsonl"]
    assert publish(FORMAT, out=tmp_path, check=True) == [*tiers, MANIFEST]
    assert list(tmp_path.iterdir()) == []


def test_unknown_format_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nosuch"]) == 2
    assert "no format 'nosuch'" in capsys.readouterr().err


EXPECTED = {"title": "T", "obeys": ["BTM-FIL-001"], "expect": [{"when": {"op": "read"}, "verdict": "clean"}]}


def capture(root: Path, **files: bytes) -> Path:
    place = root / "Product-1.0" / "Some Name_1"
    place.mkdir(parents=True)
    (place / "expected.json").write_text(json.dumps(EXPECTED), encoding="utf-8")
    (place / "provenance.toml").write_text('checked_by = ["hand"]\n', encoding="utf-8")
    for name, data in files.items():
        (place / name.replace("_", ".")).write_bytes(data)
    return place


def test_capture_without_provenance_is_reported(tmp_path: Path) -> None:
    (capture(tmp_path) / "provenance.toml").unlink()
    with pytest.raises(AuthoringError, match=r"Product-1\.0/Some Name_1"):
        list(captured_cases("bitronix_tlog", tmp_path))
