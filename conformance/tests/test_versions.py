"""This version reads the files of version 0.1.0, and writes every key that 0.1.0 wrote.

The files of `data/written_by_0_1` were written once, by 0.1.0, and are never written again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from journalspec.formats import format_ids
from judged import call, has

OLD = Path(__file__).parent / "data" / "written_by_0_1"
ROOT = Path(__file__).parents[2]
#: Members that may differ: the place of the new store, and the version of journalspec.
OTHERWISE = ("target", "journalspec")


def test_old_report_is_read() -> None:
    summary = call("summary", OLD / "report.jsonl", status=1)
    has(summary.output, "fail              2", "written by journalspec 0.1.0")
    assert "1/3" in call("matrix", OLD / "report.jsonl", OLD / "report.jsonl").output


def test_old_expectation_file_is_read_and_updated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs" / "harness")
    expected = tmp_path / "expectations.toml"
    shutil.copy(OLD / "expectations.toml", expected)
    impl = ("--impl", "py:faulty:LosesOne", "--select", "btm.clean.two-phase")
    call("run", *impl, "--expect", expected, status=0)
    call("expect", "--update", expected, OLD / "report.jsonl", status=0)
    assert expected.read_bytes() == (OLD / "expectations.toml").read_bytes()


@pytest.mark.parametrize(
    "command",
    [
        ("corpus", "verify", OLD / "build"),
        ("corpus", "report", OLD / "build"),
        ("run", "--impl", "reference", "--format", "bitronix_tlog", "--cases", OLD / "build"),
    ],
    ids=["verify", "report", "run"],
)
def test_old_build_of_crash_states_is_read_and_tested(command: tuple[object, ...]) -> None:
    done = call(*command, status=0)
    assert command[0] != "run" or "as expected" in done.output


@pytest.mark.parametrize("old", [pytest.param(path, id=path.name) for path in sorted(OLD.glob("*_*.json"))])
def test_answers_still_have_every_old_member(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    before: dict[str, Any] = json.loads(old.read_text("utf-8"))
    if old.name.endswith(".loss-report.json"):
        new = tmp_path / "new"
        call("recover", before["source"], "--to", new, status=0)
        after = json.loads(new.with_name("new.loss-report.json").read_text("utf-8"))
    else:
        after = json.loads(call("inspect", before["path"], "--json").stdout)
    assert list(missing(before, after)) == []


def test_lines_still_have_every_old_member(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    before = [json.loads(line) for line in (OLD / "bitronix_tlog.ndjson").read_text("utf-8").splitlines()]
    done = call("inspect", before[0]["journal"]["path"], "--ndjson")
    assert list(missing(before, [json.loads(line) for line in done.stdout.splitlines()])) == []


@pytest.mark.parametrize("format_id", format_ids())
def test_columns_still_exist_with_their_types(format_id: str) -> None:
    """The columns are those of `query`, `--where`, CSV, Parquet and Spark."""
    texts = (
        (OLD / f"{format_id}.columns.txt").read_text("utf-8"),
        call("columns", "--format", format_id).stdout,
    )
    before, after = ({tuple(line.split()[:3]) for line in text.splitlines()[2:]} for text in texts)
    assert len(before) > 10
    assert before <= after


def missing(before: object, after: object, at: str = "") -> Iterator[str]:
    """Yield the places of missing or changed values; the directories of paths may differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if key not in after:
                yield f"{at}.{key}"
            elif key not in OTHERWISE:
                yield from missing(value, after[key], f"{at}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from missing(old, new, f"{at}[{number}]")
    elif before != after:
        yield f"{at}: {before!r} is {after!r}"
