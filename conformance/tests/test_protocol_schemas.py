from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from journalspec_conformance.protocol import first_fault, schema_of_reply, schema_of_request, schemas

README = files("journalspec_conformance.protocol").joinpath("README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(schemas()))
def test_schemas_are_schemas(name: str) -> None:
    Draft202012Validator.check_schema(schemas()[name])
    assert schemas()[name]["$id"].endswith(f":{name}")
    assert schemas()[name]["title"]


def examples() -> list[tuple[str, dict[str, Any]]]:
    """The messages of the protocol's page, with what it omits filled in."""
    found = []
    joined = re.sub(r"\n       +", " ", README)
    for sign, text in re.findall(r"^    ([<>]) (\{.*\})$", joined, re.MULTILINE):
        message = json.loads(text.replace(", ...", "").replace('"...', '"x'))
        found.append((sign, message))
    return found


def test_the_examples_of_the_page_are_in_the_protocol() -> None:
    cmd = ""
    checked = set()
    for sign, message in examples():
        if sign == ">":
            cmd = message["cmd"]
            full = {"format": "f", "edition": "1", "dir": "/d", "observe": "records"} | message
            name = schema_of_request(message)
            members = schemas()[name]["properties"]
            whole = {key: value for key, value in full.items() if key in members}
        else:
            name, whole = schema_of_reply(cmd, message), message
        assert first_fault(name, whole) is None, (name, whole)
        checked.add(name)
    assert checked >= {
        "request-hello",
        "reply-hello",
        "request-read",
        "reply-read",
        "request-recover",
        "request-write",
        "reply-write",
        "request-step",
        "reply-step",
    }


def test_the_page_names_every_schema_file() -> None:
    for name in schemas():
        if name.startswith(("request-", "reply-")):
            assert f"`{name}`" in README


def answer(verdict: str, **more: Any) -> dict[str, Any]:
    return {"seq": 1, "ok": {"verdict": verdict, **more}}


HOLE = {"file": "f", "off": "0x10", "len": "1", "reason": "r"}
ASKED = {"seq": 1, "format": "f", "edition": "1", "dir": "", "observe": "state"}


@pytest.mark.parametrize(
    ("schema", "message", "fault"),
    [
        ("reply-read", answer("fine"), "'fine' is not one of"),
        ("reply-read", answer("clean", records=[{"type": "A", "id": 7}]), "7 is not of type"),
        ("reply-read", answer("clean", records=[{"id": "7"}]), "'type' is a required"),
        ("reply-read", answer("clean", dropped=[HOLE]), "'0x10'"),
        ("reply-read", answer("refused", phase="header"), "'code' is a required"),
        ("reply-read", answer("refused", phase="later", code="x"), "'later' is not one of"),
        ("reply-read", answer("clean") | {"unsupported": {}}, "reply-read"),
        ("reply-hello", {"seq": 1, "protocol": 2, "impl": {"name": "x"}, "formats": {}}, "1 was expected"),
        ("request-recover", ASKED | {"cmd": "recover"}, "'policy'"),
        ("request-read", ASKED | {"cmd": "read", "expect": []}, "'expect'"),
    ],
)
def test_faults_are_named(schema: str, message: dict[str, Any], fault: str) -> None:
    found = first_fault(schema, message)
    assert found is not None
    assert fault in found
