"""Derby: situations that the requirements decide, and for which the smoke tier has no room.

Keys of the expected parts of an answer: ``verdict``; ``refused`` (phase, code, and a record or file and
offset); ``notes`` (codes); ``missing`` (code, name, file, and a record or an offset); ``dropped`` (offset,
length, reason);
``rows``; ``inserted`` (for each branch in doubt its rows).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from decided import Situation, situations
from journalspec.observation import Observation
from journalspec_corpus.derby_log import naive
from journalspec_reference import load

FORMAT = "derby_log"
SITUATIONS = situations(Path(__file__).parent / "data" / "decided_derby_log.toml")


def _plain(seen: Observation) -> Mapping[str, Any]:
    """Return an answer of the reference in the form of the naive reader's answers."""
    return {
        "verdict": seen.verdict,
        "phase": seen.phase,
        "code": seen.code,
        "at": seen.at and seen.at.to_json(),
        "notes": [note.code for note in seen.notes],
        "missing": [
            {"code": gone.code, "name": gone.name, "file": gone.file, "off": gone.off}
            for gone in seen.missing
        ],
        "dropped": [each.members() for each in seen.dropped],
        "state": seen.state,
    }


def _rows(of: Iterable[Mapping[str, str]]) -> list[str]:
    return [f"{row['table']} {row['key']} {row['value']}" for row in of]


def _told(answer: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    """Return those parts of an answer that a situation expects."""
    state, at = answer.get("state") or {}, answer.get("at")
    place = [at["file"], int(at["off"])] if at else []
    missing = answer.get("missing", ())
    told = {
        "verdict": answer["verdict"],
        "refused": [answer.get("phase"), answer.get("code"), *place],
        "notes": answer.get("notes"),
        "missing": [[gone["code"], gone["name"], gone.get("file"), gone.get("off")] for gone in missing],
        "dropped": [
            [int(each["off"]), int(each["len"]), each["reason"]] for each in answer.get("dropped", ())
        ],
        "rows": _rows(state.get("rows", ())),
        "inserted": [_rows(branch["inserted"]) for branch in state.get("in_doubt", ())],
    }
    return {key: told[key] for key in expected}


def _asked(name: str) -> tuple[Situation, Mapping[str, bytes], dict[str, Any]]:
    """Return three values: a situation, its files, and the expected answer, in which offsets replace the
    labels of records.
    """
    situation = SITUATIONS[name]
    built = situation.built(FORMAT)
    at = {label: record["at"] for label, record in built.records.items()}
    places = {label: [where["file"], int(where["off"])] for label, where in at.items()}
    expected = dict(situation.expected)
    if "refused" in expected:
        phase, code, *place = expected["refused"]
        expected["refused"] = [phase, code, *(places[place[0]] if len(place) == 1 else place)]
    if "missing" in expected:
        expected["missing"] = [
            [*gone[:3], places[gone[3]][1] if gone[3] in places else gone[3]] for gone in expected["missing"]
        ]
    return situation, built.content(), expected


@pytest.mark.parametrize("name", SITUATIONS)
def test_reference_and_naive_reader_return_the_decided_answer(name: str) -> None:
    situation, files, expected = _asked(name)
    assert _told(_plain(situation.answer(load(FORMAT), files, FORMAT)), expected) == expected
    assert _told(naive.recover(files, situation.edition_in(FORMAT), situation.policy), expected) == expected


@pytest.mark.parametrize("name", SITUATIONS)
def test_faulty_copy_returns_another_answer(name: str) -> None:
    situation, files, expected = _asked(name)
    answer = situation.answer(situation.faulty(FORMAT, name), files, FORMAT)
    assert _told(_plain(answer), expected) != expected
