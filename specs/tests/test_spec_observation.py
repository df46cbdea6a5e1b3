from __future__ import annotations

from dataclasses import replace

import pytest

from journalspec.formats import UnknownFormat, format_ids, format_module, get_format
from journalspec.observation import At, Dropped, FileMap, Level, Note, Observation, Record, jsonable, refused

FORMAT = format_ids()[0]

WHOLE = Observation(
    "recovered",
    records=(Record("ADD", {"id": 2**63, "data": b"\x00\xff", "names": ["a"], "last": True}, At("j", 1, 2)),),
    dropped=(Dropped("j", 3, 4, "torn"),),
    state={"live": [{"id": 7}]},
    files=(FileMap("j", 10, "active", {"magic": b"\x01"}),),
    notes=(Note("odd", "j", 5, "why"), Note("bare")),
)


def test_integers_are_decimal_strings_and_bytes_are_hex() -> None:
    [record] = WHOLE.to_json()["records"]
    assert record == {
        "type": "ADD",
        "id": "9223372036854775808",
        "data": "00ff",
        "names": ["a"],
        "last": True,
        "at": {"file": "j", "off": "1", "len": "2"},
    }


def test_each_level_contains_the_lower_levels() -> None:
    members = [set(WHOLE.to_json(level)) for level in Level]
    assert members == [
        {"verdict"},
        {"verdict", "records"},
        {"verdict", "records", "state"},
        {"verdict", "records", "state", "dropped", "files", "notes"},
        {"verdict", "records", "state", "dropped", "files", "notes"},
    ]
    told = replace(WHOLE, contents={"messages": [{"queue": "a"}]})
    assert "contents" not in told.to_json()
    assert told.to_json(Level.CONTENTS)["contents"] == {"messages": [{"queue": "a"}]}
    assert WHOLE.to_json()["notes"] == [
        {"code": "odd", "file": "j", "off": "5", "text": "why"},
        {"code": "bare"},
    ]
    assert WHOLE.to_json()["files"] == [
        {"file": "j", "len": "10", "role": "active", "header": {"magic": "01"}}
    ]


def test_refusal_has_phase_and_code_at_every_level_and_the_location_at_the_last() -> None:
    answer = refused("record", "bad-length", "too short", At("j", 8, 9))
    for level in Level:
        assert {"phase": "record", "code": "bad-length"}.items() <= answer.to_json(level).items()
    assert answer.to_json()["at"] == {"file": "j", "off": "8", "len": "9"}
    assert "at" not in answer.to_json(Level.STATE)


def test_unknown_format_and_missing_module_are_reported() -> None:
    with pytest.raises(UnknownFormat, match="no format 'zip'"):
        get_format("zip")
    with pytest.raises(UnknownFormat, match="has no directory"):
        format_module(f"journalspec.{FORMAT}", FORMAT)


def test_float_has_no_json_form() -> None:
    with pytest.raises(TypeError, match="float has no JSON form"):
        jsonable({"a": [1.5]})


def test_levels_are_parsed_by_name() -> None:
    assert Level.parse("layout") is Level.LAYOUT
    with pytest.raises(ValueError, match="verdict, records, state, layout, contents"):
        Level.parse("all")
