"""A run of ``corpus judge`` that was interrupted goes on: what was asked is not asked again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="PyArrow is missing: install journalspec[corpus]")

from journalspec_conformance.crashes.asking import Asker
from journalspec_conformance.crashes.choose import Chosen
from journalspec_conformance.crashes.resume import FoundSoFar
from journalspec_conformance.crashes.tally import FAILURES, SUMMARY, VERDICTS
from journalspec_conformance.crashes.verdicts import Judged
from judged import judge_crashes

pytestmark = pytest.mark.usefixtures("chosen_once")

FORMAT = "bitronix_tlog"
QUESTION = ("--count", 150, "--writers", "spec", "--strata", "R", "--policies", "strict", "--jobs", 1)


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "data"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list that grows with every state that is asked about."""
    seen: list[Any] = []
    ask = Asker.ask

    def counted(self: Asker, files: Any, *given: Any, **options: Any) -> Any:
        seen.append(files)
        return ask(self, files, *given, **options)

    monkeypatch.setattr(Asker, "ask", counted)
    return seen


def judged(out: Path, *more: object, status: int = 1) -> dict[str, Any]:
    result = judge_crashes("py:crash_fakes:Loses", FORMAT, *QUESTION, "--out", out, "--json", *more)
    assert result.exit_code == status, result.output
    said: dict[str, Any] = json.loads(result.stdout) if status != 2 else {"error": result.output}
    return said


def kept(out: Path) -> Path:
    return out.with_name(out.name + ".partial.jsonl")


def without_times(out: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads((out / SUMMARY).read_text())
    del summary["run"]
    return summary


@pytest.fixture
def interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[Any]) -> Path:
    """Return where a run was to write that was killed while it wrote down its second piece."""
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(FoundSoFar, "done", lambda self: None)
        judged(tmp_path / "first")
    lines = kept(tmp_path / "first").read_bytes().splitlines(keepends=True)
    assert len(lines) > 3
    kept(out).write_bytes(b"".join(lines[:2]) + lines[2][:-9])
    asked.clear()
    return out


def test_what_was_found_is_not_asked_again(interrupted: Path, asked: list[Any]) -> None:
    facts = judged(interrupted)
    before = facts["run"]["states_before"]
    assert 0 < before < 150
    assert len(asked) == 150 - before
    whole = interrupted.with_name("first")
    for name in (VERDICTS, FAILURES):
        assert (interrupted / name).read_bytes() == (whole / name).read_bytes()
    assert without_times(interrupted) == without_times(whole)
    assert not kept(interrupted).exists()


def test_every_member_of_a_verdict_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[int, list[Chosen], list[Judged]]] = []
    add = FoundSoFar.add

    def noting(self: FoundSoFar, start: int, states: Any, verdicts: Any, seconds: float) -> None:
        given.append((start, list(states), list(verdicts)))
        add(self, start, states, verdicts, seconds)

    monkeypatch.setattr(FoundSoFar, "add", noting)
    monkeypatch.setattr(FoundSoFar, "done", lambda self: None)
    judged(tmp_path / "out")
    asked = json.loads(kept(tmp_path / "out").read_text().splitlines()[0])["asked"]
    again = FoundSoFar(kept(tmp_path / "out"), asked)
    assert [again.of(start, states) for start, states, _ in given] == [verdicts for _, _, verdicts in given]
    assert len({entry.verdict.name for _, _, verdicts in given for entry in verdicts}) > 1


def test_an_interruption_keeps_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[Any]
) -> None:
    out = tmp_path / "out"
    add = FoundSoFar.add

    def interrupting(self: FoundSoFar, *given: Any) -> None:
        add(self, *given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(FoundSoFar, "add", interrupting)
        result = judge_crashes("py:crash_fakes:Loses", FORMAT, *QUESTION, "--out", out)
    assert result.exit_code != 0
    assert not out.exists()
    first = len(asked)
    assert judged(out)["run"]["states_before"] == first
    assert len(asked) == 150


def test_another_question_does_not_go_on_there(interrupted: Path, asked: list[Any]) -> None:
    assert "something else was asked" in judged(interrupted, "--seed", 2, status=2)["error"]
    assert asked == []
    assert kept(interrupted).exists()


def test_verdicts_on_other_states_do_not_count(interrupted: Path, asked: list[Any]) -> None:
    head, piece, _ = kept(interrupted).read_bytes().split(b"\n")
    line = json.loads(piece)
    line["first"] = "0" * len(line["first"])
    kept(interrupted).write_bytes(head + b"\n" + json.dumps(line).encode() + b"\n")
    judged(interrupted)
    assert len(asked) == 150


def test_what_is_no_such_file_is_not_overwritten(tmp_path: Path) -> None:
    kept(tmp_path / "out").write_text("mine\n")
    assert "no file of a run that was interrupted" in judged(tmp_path / "out", status=2)["error"]
    assert kept(tmp_path / "out").read_text() == "mine\n"
