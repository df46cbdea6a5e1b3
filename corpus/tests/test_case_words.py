"""The words that a case may use are those of its schema."""

from __future__ import annotations

import json
from importlib.resources import files

from journalspec_corpus.case import ALLOWED, EXPECTED, LEVELS, WHEN


def test_the_words_are_those_of_the_schema() -> None:
    schema = json.loads(files("journalspec_corpus").joinpath("case.schema.json").read_text(encoding="utf-8"))
    expectation = schema["$defs"]["expectation"]["properties"]
    assert set(expectation) == EXPECTED
    assert set(expectation["when"]["properties"]) == WHEN
    assert set(expectation["allowed"]["properties"]) == ALLOWED
    assert tuple(schema["properties"]["level"]["enum"]) == LEVELS
