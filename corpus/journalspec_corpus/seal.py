"""Sealed files: JSON that contains its own checksum, and checksums of other files.

A sealed file has exactly one written form, so that every change is detected: a blank, the order of members,
the spelling of a number. The member `seal` is the SHA-256 of the file without this member. A seal reveals
damage; it does not prove who sealed the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from journalspec.files import as_is

SEAL = "seal"
#: The largest size of a sealed file (bytes); the largest existing files have some 100,000.
MAX_SEALED = 16 << 20
_CHUNK = 1 << 20


class SealError(ValueError):
    """A file is not a JSON object; the message contains the reason."""


def render(members: Mapping[str, Any]) -> str:
    """Return the canonical text of `members`."""
    return json.dumps(members, indent=2) + "\n"


def sealed(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return `members` with their seal as the last member."""
    rest = {name: of for name, of in members.items() if name != SEAL}
    return {**rest, SEAL: _seal_of(rest)}


def _seal_of(members: Mapping[str, Any]) -> str:
    return hashlib.sha256(render(members).encode("utf-8")).hexdigest()


def opened(data: bytes) -> tuple[dict[str, Any], list[str]]:
    """Return the content of a sealed file, and the fault of its seal; raises SealError."""
    try:
        members = json.loads(data.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise SealError(f"not JSON: {error}") from None
    if not isinstance(members, dict):
        raise SealError("not a JSON object")
    if SEAL not in members:
        return members, ["it has no seal"]
    problems = []
    said, given = members[SEAL], sealed(members)
    if said != given[SEAL]:
        problems.append(f"its seal is {said!r:.80}, its content gives {given[SEAL]}: it was changed")
    elif render(given).encode("utf-8") != data:
        problems.append("the sealed values are right, but its bytes were changed (blanks, order or spelling)")
    return members, problems


def _refuse(name: str) -> NoReturn:
    raise SealError(f"{name} is no number")


def checksum(path: Path, limit: int) -> tuple[int, str]:
    """Return length and SHA-256 of a regular file's bytes; raises OSError.

    For a file of more than `limit` bytes, the checksum is empty.
    """
    total, count = hashlib.sha256(), 0
    with as_is(path) as stream:
        size = stream.seek(0, 2)
        if size > limit:
            return size, ""
        stream.seek(0)
        while count <= limit and (chunk := stream.read(_CHUNK)):
            count += len(chunk)
            total.update(chunk)
    return count, total.hexdigest()
