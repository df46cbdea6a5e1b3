"""The form of a case from an unknown source: bounded JSON that fits ``case.schema.json``.

The schema is checked here, because a general validator would need more time for a case than running the case.
Limits that a schema cannot express are constants of this module.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import IO, Any, NoReturn

#: The largest number of bytes of one line. The longest published line has 76,000; a full file of 16 MiB in
#: hex still fits.
MAX_LINE = 1 << 26
#: The largest number of commas and brackets of one line (1,500 in published cases), because a line's memory
#: depends on their number.
MAX_VALUES = 1_000_000
#: The deepest nesting of objects and lists (8 in published cases).
MAX_NESTING = 32
#: The largest number of bytes of all files of a case, holes and fill included, because readers take complete
#: files into memory. The largest journal file that one of these products creates by default has 32 MiB;
#: published cases have at most 2 MiB.
MAX_BYTES = 1 << 28
#: The deepest nesting of directories, the file included. A name may be as long as file systems permit.
MAX_SEGMENTS, MAX_SEGMENT = 16, 255

#: The place and the kind of a fault.
Fault = tuple[str, str]
#: A JSON Schema without references.
Schema = Mapping[str, Any]

_HEX = "^([0-9a-f]{2})*$"
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SHOWN = 60


def parse(line: bytes) -> Any:
    """Return the JSON value of a line. Raises ValueError that describes the fault.

    This is stricter than JSON in general. Errors are: numbers, duplicate members, text that UTF-8 cannot
    express, and values beyond the limits.
    """
    if sum(map(line.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise ValueError(f"more than {MAX_VALUES} values")
    return strict(line, MAX_NESTING, _number, _number, _number)


def strict(
    line: bytes,
    nesting: int,
    integer: Callable[[str], object],
    real: Callable[[str], object],
    constant: Callable[[str], object],
) -> Any:
    """Return the JSON value of a line if every program reads it alike; raises ValueError otherwise.

    `nesting` is the greatest depth of objects and lists; the other parameters convert numbers and NaN.
    """
    try:
        value = json.loads(
            line.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=integer,
            parse_float=real,
            parse_constant=constant,
        )
    except UnicodeDecodeError as error:
        raise ValueError(f"no UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError(f"nested deeper than {nesting} levels") from None
    if line.count(b"{") + line.count(b"[") > nesting:
        _check_nesting(value, nesting)
    if _SURROGATE.search(line):
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair, which no UTF-8 text can hold") from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = Counter(name for name, _ in pairs)
        raise ValueError(f"member {names.most_common(1)[0][0]!r:.{_SHOWN}} occurs twice in one object")
    return found


def _number(text: str) -> NoReturn:
    digits = f" of {len(text)} digits" if len(text) > _SHOWN else ""
    raise ValueError(f"the number {text:.{_SHOWN}}{digits}: integers are written as text")


def _check_nesting(value: Any, nesting: int) -> None:
    level, depth = [value], 0
    while level := [item for item in level if isinstance(item, (dict, list))]:
        depth += 1
        if depth > nesting:
            raise ValueError(f"nested deeper than {nesting} levels")
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]


def lines_of(stream: IO[bytes]) -> Iterator[bytes | None]:
    """Yield the lines of a stream. Yield None in place of a line that is longer than MAX_LINE."""
    while line := stream.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(1 << 20)
        yield None


def fault_in(data: Any) -> str | None:
    """Return the place and the fault in the published form of a case, or None."""
    found = _fault(_schema(), data) or _beyond(data["input"]["files"])
    if found is None:
        return None
    where, what = found
    return f"{where.removeprefix('.')}: {what}" if where else what


def is_id(value: object) -> bool:
    """Return whether `value` can be the id of a case."""
    return _fault(_schema()["properties"]["id"], value) is None


def path_fault(path: object) -> str | None:
    """Return why `path` is invalid as the path of a case's file; None if it is valid."""
    file: Schema = _schema()["properties"]["input"]["properties"]["files"]["items"]
    found = _fault(file["properties"]["path"], path)
    if found is not None:
        return found[1]
    segments = str(path).split("/")
    if len(segments) > MAX_SEGMENTS:
        return f"{len(segments)} segments, at most {MAX_SEGMENTS}"
    longest = max(map(len, segments))
    return f"a name of {longest} bytes, at most {MAX_SEGMENT}" if longest > MAX_SEGMENT else None


def _beyond(given: list[Mapping[str, Any]]) -> Fault | None:
    """Check total lengths and pairs of paths, which a schema cannot express."""
    total = sum(int(file["size"]) for file in given)
    if total > MAX_BYTES:
        return ".input.files", f"{total} bytes in all, at most {MAX_BYTES}"
    seen: dict[str, str] = {}
    for number, file in enumerate(given):
        where, path = f".input.files[{number}].path", file["path"]
        fault = path_fault(path)
        if fault is not None:
            return where, fault
        if path.lower() in seen:
            return where, f"{path!r} and {seen[path.lower()]!r} are one name to some systems"
        seen[path.lower()] = path
    for number, file in enumerate(given):
        segments = file["path"].lower().split("/")
        for end in range(1, len(segments)):
            if "/".join(segments[:end]) in seen:
                return f".input.files[{number}].path", f"{file['path']!r} lies in a file"
    return None


@cache
def _schema() -> Schema:
    """Return the schema of a complete case."""
    schema = json.loads(files("journalspec_corpus").joinpath("case.schema.json").read_text(encoding="utf-8"))
    resolved: Schema = _resolved(schema, schema["$defs"])
    return resolved


#: The keywords that `_fault` checks, and those without a meaning for a check.
_CHECKED = frozenset(
    {"$ref", "anyOf", "const", "enum", "type", "pattern", "minLength", "maxLength", "minItems", "maxItems"}
    | {"uniqueItems", "prefixItems", "items", "required", "properties", "additionalProperties"}
    | {"$schema", "$id", "$defs", "title", "description"}
)


def _resolved(schema: Any, named: Mapping[str, Any]) -> Any:
    """Return `schema` with its references replaced; raises ValueError for an unknown keyword."""
    if not isinstance(schema, dict):
        return {} if schema is True else schema
    unknown = schema.keys() - _CHECKED
    if unknown:
        raise ValueError(f"case.schema.json: no way to check {', '.join(sorted(unknown))}")
    out = {key: value for key, value in schema.items() if key not in ("$ref", "$defs", "description")}
    if "$ref" in schema:
        there = named[schema["$ref"].removeprefix("#/$defs/")]
        if out.keys() & there.keys():
            raise ValueError(f"case.schema.json: {schema['$ref']} with one more of {', '.join(out)}")
        return _resolved({**there, **out}, named)
    for keyword in ("anyOf", "prefixItems"):
        if keyword in out:
            out[keyword] = [_resolved(one, named) for one in out[keyword]]
    for keyword in ("items", "additionalProperties"):
        if keyword in out:
            out[keyword] = _resolved(out[keyword], named)
    out["properties"] = {name: _resolved(one, named) for name, one in out.get("properties", {}).items()}
    if "const" in out:
        out["enum"] = [out["const"]]
    if "pattern" in out:
        # A pattern that matches pairs of digits would need memory for each pair.
        text = "[0-9a-f]*" if out["pattern"] == _HEX else out["pattern"]
        out["match"] = re.compile(text.removeprefix("^").removesuffix("$")).fullmatch
    return out


def _fault(schema: Schema, value: Any) -> Fault | None:
    """Return the first fault of a value; its type is checked before its form."""
    if "anyOf" in schema:
        faults = [_fault(choice, value) for choice in schema["anyOf"]]
        if all(faults):
            return faults[-1]
    if "enum" in schema:
        choices = schema["enum"]
        if not any(value is one or (isinstance(value, str) and value == one) for one in choices):
            said = ", ".join(one if isinstance(one, str) else json.dumps(one) for one in choices)
            return "", f"{_short(value)} is none of {said}"
    if "type" not in schema:
        return None
    types, words, more = _TYPES[schema["type"]]
    if not isinstance(value, types):
        return "", f"{_short(value)} {words}"
    return more(schema, value) if more else None


def _text_fault(schema: Schema, value: str) -> Fault | None:
    least, most = schema.get("minLength", 0), schema.get("maxLength", MAX_LINE)
    if not least <= len(value) <= most:
        return "", _amount(len(value), "characters", least, most)
    if "match" in schema:
        text = schema["pattern"]
        if not schema["match"](value) or (text == _HEX and len(value) % 2):
            return "", f"{_short(value)} is not of the form {text}"
    return None


def _amount(count: int, things: str, least: int, most: int) -> str:
    return f"{count} {things}, at " + (f"least {least}" if count < least else f"most {most}")


def _list_fault(schema: Schema, value: Sequence[Any]) -> Fault | None:
    first, rest = schema.get("prefixItems", ()), schema.get("items", {})
    least, most = schema.get("minItems", 0), schema.get("maxItems", MAX_VALUES)
    if rest is False:
        most = len(first)
    if not least <= len(value) <= most:
        return "", _amount(len(value), "entries", least, most)
    for number, item in enumerate(value):
        found = _fault(first[number] if number < len(first) else rest, item)
        if found is not None:
            return f"[{number}]{found[0]}", found[1]
    if schema.get("uniqueItems") and len(set(value)) < len(value):
        return "", "a duplicate entry"
    return None


def _object_fault(schema: Schema, value: Mapping[str, Any]) -> Fault | None:
    for name in schema.get("required", ()):
        if name not in value:
            return "", f"member {name!r} is missing"
    members, others = schema["properties"], schema.get("additionalProperties", {})
    for name, item in value.items():
        one = members.get(name, others)
        if one is False:
            near = get_close_matches(str(name)[:_SHOWN], members, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            return "", f"unknown member {_short(name)}{hint}"
        found = _fault(one, item)
        if found is not None:
            return f".{_plain(name)}{found[0]}", found[1]
    return None


def _plain(name: str) -> str:
    return name if name.isidentifier() and len(name) <= _SHOWN else f"[{_short(name)}]"


def _short(value: object) -> str:
    """Return a value for messages: short, and without terminal control characters."""
    if isinstance(value, (list, tuple, Mapping)):
        return "an object" if isinstance(value, Mapping) else "a list"
    return repr(value[:_SHOWN]) + "..." if isinstance(value, str) and len(value) > _SHOWN else repr(value)


#: The Python types of a type in a schema, the message about other values, and the check of a value's form.
_TYPES: Mapping[str, tuple[Any, str, Callable[[Schema, Any], Fault | None] | None]] = {
    "null": (type(None), "is not null", None),
    "boolean": (bool, "is neither true nor false", None),
    "string": (str, "is not a text", _text_fault),
    "array": ((list, tuple), "is not a list", _list_fault),
    "object": ((dict, Mapping), "is not an object", _object_fault),
}
