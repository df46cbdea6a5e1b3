"""Writes JSON text in pieces. The text equals `json.dumps(value, indent=1)`, but is never completely in
memory.

Values are those of observations (see :func:`journalspec.observation.jsonable`). Sequences of :mod:`.reread`
are iterated during the output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from json.encoder import encode_basestring_ascii as quoted
from typing import IO, Any

from journalspec.observation import Item, Record
from journalspec.reread import LISTS, Deferred, Lazy, Unstored

#: An object with more members than this number is written in pieces.
FEW = 64
#: This many characters are collected before they are written.
BLOCK = 1 << 16


def write(value: object, stream: IO[str]) -> None:
    """Write `value` and a newline; raises the errors of iterating over it and of writing."""
    block: list[str] = []
    size = 0
    for piece in pieces(value):
        block.append(piece)
        size += len(piece)
        if size >= BLOCK:
            stream.write("".join(block))
            block.clear()
            size = 0
    stream.write("".join(block) + "\n")


def pieces(value: object, pad: str = "\n") -> Iterator[str]:
    """Yield the text of `value`; `pad` is a newline and the present indentation."""
    if _is_small(value):
        yield _text(value, pad)
        return
    if isinstance(value, Item):
        value = value.members()
    if isinstance(value, (bytes, bytearray, memoryview)):
        yield '"'
        for at in range(0, len(value), BLOCK):
            yield bytes(value[at : at + BLOCK]).hex()
        yield '"'
        return
    deeper = pad + " "
    begin = f"{{{deeper}" if isinstance(value, Mapping) else f"[{deeper}"
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield f"{begin}{quoted(str(name))}: "
            yield from pieces(item, deeper)
            begin = f",{deeper}"
        yield f"{pad}}}"
        return
    assert isinstance(value, Iterable)  # All other values are small enough for one piece.
    for item in value:
        if _is_small(item):
            yield begin + _text(item, deeper)
        else:
            yield begin
            yield from pieces(item, deeper)
        begin = f",{deeper}"
    yield f"{pad}]" if begin[0] == "," else "[]"


def _is_small(value: object) -> bool:
    # Plain types are tested first, because a test for a mapping takes longer than all other tests.
    if type(value) in (str, int):
        return True
    if isinstance(value, Record):
        return value.at.length <= BLOCK
    if isinstance(value, (dict, Mapping)):
        return len(value) <= FEW and all(map(_is_small, value.values()))
    if isinstance(value, (list, tuple, Deferred)):
        return len(value) <= FEW and all(map(_is_small, value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return len(value) <= BLOCK
    return not isinstance(value, (Lazy, Unstored))


def _text(value: Any, pad: str) -> str:
    """Return the text of a small value."""
    if isinstance(value, str):
        return quoted(value)
    if value is None or value is True or value is False:
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, int):
        return f'"{int(value)}"'
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f'"{bytes(value).hex()}"'
    if isinstance(value, Item):
        value = value.members()
    deeper = pad + " "
    if isinstance(value, (dict, Mapping)):
        if not value:
            return "{}"
        inner = f",{deeper}".join(
            [f"{quoted(str(key))}: {_text(item, deeper)}" for key, item in value.items()]
        )
        return f"{{{deeper}{inner}{pad}}}"
    # A record is measured by its own size, even if its content would be read from the file again.
    if isinstance(value, LISTS):
        if not len(value):
            return "[]"
        inner = f",{deeper}".join([_text(item, deeper) for item in value])
        return f"[{deeper}{inner}{pad}]"
    raise TypeError(f"{type(value).__name__} has no JSON form here: {value!r}")
