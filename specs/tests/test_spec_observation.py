from __future__ import annotations

from dataclasses import replace

import pytest

from journalspec.formats import UnknownFormat, format_ids, format_module, get_format
from journalspec.observation import At, Dropped, FileMap, Level, Note, Observation, Record, jsonable, refused
from journalspec.schemas import KINDS, SchemaError, codec

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


def test_levels_contain_one_another() -> None:
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


def test_a_refusal_says_phase_and_code_at_every_level_and_the_place_at_the_last() -> None:
    answer = refused("record", "bad-length", "too short", At("j", 8, 9))
    for level in Level:
        assert {"phase": "record", "code": "bad-length"}.items() <= answer.to_json(level).items()
    assert answer.to_json()["at"] == {"file": "j", "off": "8", "len": "9"}
    assert "at" not in answer.to_json(Level.STATE)


def test_floats_have_no_form() -> None:
    with pytest.raises(TypeError, match="float has no JSON form"):
        jsonable({"a": [1.5]})


def test_levels_are_parsed_by_name() -> None:
    assert Level.parse("layout") is Level.LAYOUT
    with pytest.raises(ValueError, match="verdict, records, state, layout, contents"):
        Level.parse("all")


@pytest.mark.parametrize("format_id", format_ids())
def test_every_format_describes_its_vocabulary(format_id: str) -> None:
    spec = get_format(format_id)
    assert spec.default_edition in spec.editions
    assert spec.edition(None) is spec.editions[spec.default_edition]
    assert spec.policies
    assert spec.reasons
    assert spec.codes
    with pytest.raises(UnknownFormat, match="choose one of"):
        spec.edition("no such edition")


def test_unknown_formats_and_rooms_are_named() -> None:
    with pytest.raises(UnknownFormat, match="no format 'zip'"):
        get_format("zip")
    with pytest.raises(UnknownFormat, match="has no room"):
        format_module(f"journalspec.{FORMAT}", FORMAT)


def test_schemas_are_found_by_kind() -> None:
    for kind in KINDS:
        with pytest.raises(SchemaError):
            codec(FORMAT, kind).read("record", get_format(FORMAT).default_edition, b"", 0, "")
    with pytest.raises(UnknownFormat, match="no kind of schema"):
        codec(FORMAT, "protobuf")
