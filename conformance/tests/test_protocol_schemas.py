from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from journalspec_conformance.protocol import first_fault, schema_of_reply, schema_of_request, schemas
from tables import table

README = files("journalspec_conformance.protocol").joinpath("README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(schemas()))
def test_schemas_are_valid_json_schemas(name: str) -> None:
    Draft202012Validator.check_schema(schemas()[name])
    assert schemas()[name]["$id"].endswith(f":{name}")
    assert schemas()[name]["title"]


def test_examples_on_the_page_match_the_protocol() -> None:
    """The test completes each example first. The page has an example for every schema of a message."""
    cmd, checked = "", set()
    joined = re.sub(r"\n       +", " ", README)
    for sign, text in re.findall(r"^    ([<>]) (\{.*\})$", joined, re.MULTILINE):
        message = json.loads(text.replace(", ...", "").replace('"...', '"x'))
        if sign == ">":
            cmd, name = message["cmd"], schema_of_request(message)
            full = {"format": "f", "edition": "1", "dir": "/d", "observe": "records"} | message
            message = {key: full[key] for key in full if key in schemas()[name]["properties"]}
        else:
            name = schema_of_reply(cmd, message)
        assert first_fault(name, message) is None, (name, message)
        checked.add(name)
    assert checked >= {
        f"{way}-{cmd}" for way in ("request", "reply") for cmd in ("hello", "read", "write", "step")
    }
    assert "request-recover" in checked
    messages = [name for name in schemas() if name.startswith(("request-", "reply-"))]
    assert [name for name in messages if f"`{name}`" not in README] == []


@pytest.mark.parametrize(("schema", "fault", "message"), table("judging")["protocol"]["faults"])
def test_message_that_violates_the_protocol_is_reported(
    schema: str, fault: str, message: dict[str, Any]
) -> None:
    assert fault in (first_fault(schema, message) or "")
