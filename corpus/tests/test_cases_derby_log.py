"""The authored cases of Derby's log, answered by the naive reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from authored import authored_cases

from journalspec.observation import jsonable
from journalspec_corpus import Case
from journalspec_corpus.derby_log import naive
from journalspec_corpus.naive import asked

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "corpus" / "cases" / "derby_log"


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case for case in authored_cases("derby_log", CASES) if case.write is None]


def differences(said: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a case expects and the answer does not have; of notes, those asked for, or none at all."""
    for name, value in said.items():
        found = answer.get(name)
        if name == "notes" and value:
            found = [note for note in value if note in answer.get(name, ())]
        # It says a note once, whatever a case asks of its number.
        if name == "unnoted" and not ({*value} - {*said.get("notes", ())}) & {*answer.get("notes", ())}:
            found = value
        # The naive reader says nothing of files.
        if name not in ("when", "files") and found != value:
            yield f"{name}: expected {value!r}, answered {answer.get(name)!r}"


def test_the_naive_reader_answers_every_case(cases: list[Case]) -> None:
    wrong = []
    count = 0
    # It knows no parameters.
    for case in (case for case in cases if not case.params):
        content = {file.path: file.content() for file in case.input.files}
        questions = asked(naive.read, naive.recover, "derby_log", content, case.edition)
        answers = {question: jsonable(found) for question, found in questions}
        for said in case.expect:
            question = ".".join(said["when"].values())
            count += 1
            wrong += [f"{case.id} {question} {what}" for what in differences(said, answers[question])]
    assert not wrong, "\n" + "\n".join(wrong)
    assert count > len(cases)
