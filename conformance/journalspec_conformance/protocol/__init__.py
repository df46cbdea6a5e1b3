"""The protocol's messages as JSON Schemas. Messages in both directions can be validated."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_SUFFIX = ".schema.json"


@cache
def schemas() -> dict[str, dict[str, Any]]:
    """Return all schemas by name (``request-read``, ``observation``, ...), sorted."""
    found = {}
    for entry in sorted(files(__name__).iterdir(), key=lambda item: item.name):
        if entry.name.endswith(_SUFFIX):
            found[entry.name.removesuffix(_SUFFIX)] = json.loads(entry.read_text(encoding="utf-8"))
    return found


@cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow; only --validate needs it
    from referencing import Registry, Resource  # noqa: PLC0415 - only --validate needs it

    resources = [(schema["$id"], Resource.from_contents(schema)) for schema in schemas().values()]
    registry: Registry[Any] = Registry().with_resources(resources)
    return Draft202012Validator(schemas()[name], registry=registry)


def first_fault(name: str, message: object) -> str | None:
    """Return the deepest fault of `message` under the schema `name`, or None.

    The text contains the place in the message, and the demand of the schema.
    """
    errors = list(_validator(name).iter_errors(message))
    if not errors:
        return None
    error = errors[0]
    while error.context:
        error = max(error.context, key=lambda item: (len(item.absolute_path), len(item.context or ())))
    where = "".join(f"[{part!r}]" for part in error.absolute_path) or "the message itself"
    return f"{where}: {error.message[:500]} (schema {name})"


def schema_of_request(request: dict[str, Any]) -> str:
    """Return the schema name for `request` by its ``cmd``."""
    return f"request-{request.get('cmd')}"


def schema_of_reply(cmd: str, reply: dict[str, Any]) -> str:
    """Return the schema name for the answer to `cmd`."""
    if cmd == "hello":
        return "reply-hello"
    if "step" in reply and "ok" not in reply:
        return "reply-step"
    return "reply-write" if cmd in ("write", "step") else "reply-read"
