"""The authored cases of Derby's log, answered by the naive reader; the format is not registered yet."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import journalspec
from journalspec import formats
from journalspec.observation import jsonable
from journalspec_corpus import Case
from journalspec_corpus.authored import authored_cases
from journalspec_corpus.derby_log import naive

SPECS = Path(journalspec.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
DRAFT = ROOT / "specs" / "tests" / "data" / "derby_log_format.toml"
CASES = ROOT / "corpus" / "cases" / "derby_log"


class _Registered:
    """The package of specifications with a copy of this format's folder in which it is registered."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def joinpath(self, *names: str) -> Any:
        if names[0] == "derby_log":
            return self.folder.joinpath(*names[1:])
        return files(journalspec).joinpath(*names)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Case]]:
    if "derby_log" in formats.format_ids():
        yield list(authored_cases("derby_log", CASES))
        return
    folder = tmp_path_factory.mktemp("registered") / "derby_log"
    shutil.copytree(SPECS / "derby_log", folder)
    shutil.copy(DRAFT, folder / "format.toml")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "files", lambda _: _Registered(folder))
        formats.format_ids.cache_clear()
        yield list(authored_cases("derby_log", CASES))
    formats.format_ids.cache_clear()
    formats.get_format.cache_clear()


def differences(said: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a case expects and the answer does not have; of notes, those asked for, or none at all."""
    for name, value in said.items():
        found = answer.get(name)
        if name == "notes" and value:
            found = [note for note in value if note in answer.get(name, ())]
        if name != "when" and found != value:
            yield f"{name}: expected {value!r}, answered {answer.get(name)!r}"


def test_the_naive_reader_answers_every_case(cases: list[Case]) -> None:
    wrong = []
    asked = 0
    for case in cases:
        content = {file.path: file.content() for file in case.input.files}
        answers = {question: jsonable(found) for question, found in naive.answers(content, case.edition)}
        for said in case.expect:
            question = ".".join(said["when"].values())
            asked += 1
            wrong += [f"{case.id} {question} {what}" for what in differences(said, answers[question])]
    assert not wrong, "\n" + "\n".join(wrong)
    assert asked > len(cases)
