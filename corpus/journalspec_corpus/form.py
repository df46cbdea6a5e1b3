"""The form of a case from an unknown source: bounded JSON that fits ``case.schema.json``.

The schema is compiled once to functions, because a general validator would need more time for a case than
running the case. Limits that a schema cannot express are constants of this module.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import IO, Any, NoReturn

#: The most bytes of one line. The longest published line has 76,000; a full file of 16 MiB in hex still fits.
MAX_LINE = 1 << 26
#: The most commas and brackets of one line (1,500 in published cases), because a line's memory depends on
#: their number.
MAX_VALUES = 1_000_000
#: The deepest nesting of objects and lists (8 in published cases).
MAX_NESTING = 32
#: The most bytes of all files of a case, holes and fill included, because readers take complete files into
#: memory. The largest journal file that one of these products creates by default has 32 MiB; published cases
#: have at most 2 MiB.
MAX_BYTES = 1 << 28
#: The most characters of an integer: a 64-bit integer has 19 digits and a sign. The schema has the same limit
#: for integers as text.
MAX_DIGITS = 20
#: The deepest nesting of directories, the file included. A name may be as long as file systems permit.
MAX_SEGMENTS, MAX_SEGMENT = 16, 255

#: A schema as a function, which returns the first fault of a value as (where, what), or None.
Fault = tuple[str, str]
Check = Callable[[Any], Fault | None]

_HEX = "^([0-9a-f]{2})*$"
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SHOWN = 60


def parse(line: bytes, *, numbers: bool = False) -> Any:
    """Return the JSON value of a line; raises ValueError with the fault.

    This is stricter than JSON in general. Errors are: numbers (except small integers if wanted), duplicate
    members, text that UTF-8 cannot express, and values beyond the limits.
    """
    if sum(map(line.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise ValueError(f"more than {MAX_VALUES} values")
    return strict(line, MAX_NESTING, _small if numbers else _number, _number, _number)


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


def _small(text: str) -> int:
    return int(text) if len(text) <= MAX_DIGITS else _number(text)


def _check_nesting(value: Any, nesting: int) -> None:
    level, depth = [value], 0
    while level := [item for item in level if isinstance(item, (dict, list))]:
        depth += 1
        if depth > nesting:
            raise ValueError(f"nested deeper than {nesting} levels")
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]


def lines_of(stream: IO[bytes]) -> Iterator[bytes | None]:
    """Yield the lines of a stream; None in place of a line that is longer than MAX_LINE."""
    while line := stream.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(1 << 20)
        yield None


def fault_in(data: Any) -> str | None:
    """Return the place and the fault in the published form of a case, or None."""
    found = _checks()[""](data) or _beyond(data["input"]["files"])
    if found is None:
        return None
    where, what = found
    return f"{where.removeprefix('.')}: {what}" if where else what


def is_id(value: object) -> bool:
    """Return whether `value` can be the id of a case."""
    return _checks()["id"](value) is None


def path_fault(path: object) -> str | None:
    """Return why `path` is invalid as the path of a case's file; None if it is valid."""
    found = _checks()["path"](path)
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
def _checks() -> Mapping[str, Check]:
    """Return the checks of a complete case, of its id, and of a file's path."""
    schema = json.loads(files("journalspec_corpus").joinpath("case.schema.json").read_text(encoding="utf-8"))
    named = schema["$defs"]
    path = named["file"]["properties"]["path"]
    return {
        "": _compiled(schema, named),
        "id": _compiled(schema["properties"]["id"], named),
        "path": _compiled(path, named),
    }


def _compiled(schema: Any, named: Mapping[str, Any]) -> Check:
    """Return `schema` as a function; raises ValueError for an unknown keyword."""
    unknown = schema.keys() - _KEYWORDS.keys() - _SILENT
    if unknown:
        raise ValueError(f"case.schema.json: no way to check {', '.join(sorted(unknown))}")
    if "$ref" in schema:
        return _reference(schema, named)
    steps = [make(schema, named) for keyword, make in _KEYWORDS.items() if keyword in schema]
    if len(steps) == 1:
        return steps[0]

    def check(value: Any) -> Fault | None:
        for step in steps:
            found = step(value)
            if found is not None:
                return found
        return None

    return check


#: Keywords that need no check, or that are checked together with another keyword.
_SILENT = frozenset(
    {"$schema", "$id", "$defs", "title", "description", "required", "additionalProperties", "maxLength"}
    | {"prefixItems", "items", "maxItems", "minLength", "minItems", "uniqueItems", "properties"}
)


def _reference(schema: Any, named: Mapping[str, Any]) -> Check:
    there = named[schema["$ref"].removeprefix("#/$defs/")]
    beside = {keyword: value for keyword, value in schema.items() if keyword not in ("$ref", "description")}
    if beside.keys() & there.keys():
        raise ValueError(f"case.schema.json: {schema['$ref']} with one more of {', '.join(beside)}")
    return _compiled({**there, **beside}, named)


def _either(schema: Any, named: Mapping[str, Any]) -> Check:
    checks = [_compiled(choice, named) for choice in schema["anyOf"]]

    def check(value: Any) -> Fault | None:
        found: Fault | None = None
        for one in checks:
            found = one(value)
            if found is None:
                return None
        return found

    return check


def _constant(schema: Any, _: object) -> Check:
    return _one_of([schema["const"]])


def _enumeration(schema: Any, _: object) -> Check:
    return _one_of(schema["enum"])


def _one_of(choices: list[Any]) -> Check:
    said = ", ".join(choice if isinstance(choice, str) else json.dumps(choice) for choice in choices)

    def check(value: Any) -> Fault | None:
        if any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
            return None
        return "", f"{_short(value)} is none of {said}"

    return check


def _type(schema: Any, named: Mapping[str, Any]) -> Check:
    return _TYPES[schema["type"]](schema, named)


def _null(_: object, __: object) -> Check:
    return lambda value: None if value is None else ("", f"{_short(value)} is not null")


def _boolean(_: object, __: object) -> Check:
    return lambda value: (
        None if isinstance(value, bool) else ("", f"{_short(value)} is neither true nor false")
    )


def _text(schema: Any, _: object) -> Check:
    least, most = schema.get("minLength", 0), schema.get("maxLength", MAX_LINE)

    def check(value: Any) -> Fault | None:
        if not isinstance(value, str):
            return "", f"{_short(value)} is not a text"
        return None if least <= len(value) <= most else ("", _amount(len(value), "characters", least, most))

    return check


def _amount(count: int, things: str, least: int, most: int) -> str:
    return f"{count} {things}, at " + (f"least {least}" if count < least else f"most {most}")


def _pattern(schema: Any, _: object) -> Check:
    text = schema["pattern"]
    # A pattern that matches pairs of digits would need memory for each pair.
    even = text == _HEX
    match = re.compile("[0-9a-f]*" if even else text.removeprefix("^").removesuffix("$")).fullmatch

    def check(value: Any) -> Fault | None:
        if match(value) and not (even and len(value) % 2):
            return None
        return "", f"{_short(value)} is not of the form {text}"

    return check


def _list(schema: Any, named: Mapping[str, Any]) -> Check:
    first = [_compiled(item, named) for item in schema.get("prefixItems", ())]
    rest = _compiled(schema["items"], named) if schema.get("items") else None
    least, most = schema.get("minItems", 0), schema.get("maxItems", MAX_VALUES)
    most = len(first) if schema.get("items") is False else most
    unique = schema.get("uniqueItems", False)

    def check(value: Any) -> Fault | None:
        if not isinstance(value, (list, tuple)):
            return "", f"{_short(value)} is not a list"
        if not least <= len(value) <= most:
            return "", _amount(len(value), "entries", least, most)
        for number, item in enumerate(value):
            one = first[number] if number < len(first) else rest
            found = one(item) if one is not None else None
            if found is not None:
                return f"[{number}]{found[0]}", found[1]
        if unique and len(set(value)) < len(value):
            return "", "a duplicate entry"
        return None

    return check


def _object_check(schema: Any, named: Mapping[str, Any]) -> Check:
    required = schema.get("required", ())
    members = {name: _compiled(item, named) for name, item in schema.get("properties", {}).items()}
    others = schema.get("additionalProperties", True)
    other = _compiled(others, named) if isinstance(others, dict) else None

    def check(value: Any) -> Fault | None:
        if type(value) is not dict and not isinstance(value, Mapping):  # the first is quicker, and more usual
            return "", f"{_short(value)} is not an object"
        for name in required:
            if name not in value:
                return "", f"member {name!r} is missing"
        for name, item in value.items():
            one = members.get(name, other)
            if one is not None:
                found = one(item)
                if found is not None:
                    return f".{_plain(name)}{found[0]}", found[1]
            elif others is False:
                near = get_close_matches(str(name)[:_SHOWN], members, 1)
                return "", f"unknown member {_short(name)}" + (
                    f" (did you mean {near[0]!r}?)" if near else ""
                )
        return None

    return check


def _plain(name: str) -> str:
    return name if name.isidentifier() and len(name) <= _SHOWN else f"[{_short(name)}]"


def _short(value: object) -> str:
    """Return a value for messages: short, and without terminal control characters."""
    if isinstance(value, (list, tuple, Mapping)):
        return "an object" if isinstance(value, Mapping) else "a list"
    return repr(value[:_SHOWN]) + "..." if isinstance(value, str) and len(value) > _SHOWN else repr(value)


#: The checks of a schema, in the order of their use: the type of a value is checked before its form.
_KEYWORDS: Mapping[str, Callable[[Any, Mapping[str, Any]], Check]] = {
    "$ref": _reference,
    "anyOf": _either,
    "const": _constant,
    "enum": _enumeration,
    "type": _type,
    "pattern": _pattern,
}
_TYPES = {
    "null": _null,
    "boolean": _boolean,
    "string": _text,
    "array": _list,
    "object": _object_check,
}
