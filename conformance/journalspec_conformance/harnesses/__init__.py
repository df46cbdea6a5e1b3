"""The harnesses that ship, each described by a ``NAME.toml`` in this directory.

    summary      one line for `journalspec formats` and error messages
    target       "module:Class": a Python class run in-process, or
    product      the id of a product, driven by the harness of its format
    expectations file name in ``expectations/`` that is used unless the user
                 names another file (optional)
    timeout      seconds per question unless the user sets another limit (optional)

Exactly one of target and product is given.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from journalspec_conformance.errors import Problem

_WAYS = ("target", "product")


@dataclass(frozen=True, slots=True)
class HarnessEntry:
    """Represents one entry of the registry; the module's docstring describes the members."""

    name: str
    summary: str
    target: str = ""
    product: str = ""
    expectations: str = ""
    timeout: float | None = None


def table(package: str, name: str) -> dict[str, Any]:
    """Return the TOML table `name` in `package`."""
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))


@cache
def registry() -> dict[str, HarnessEntry]:
    """Return all shipped harnesses by name, sorted; raises Problem on a bad entry."""
    suffix = ".toml"
    found = (entry.name for entry in files(__name__).iterdir() if entry.name.endswith(suffix))
    names = sorted(name.removesuffix(suffix) for name in found)
    return {name: _entry(name, table(__name__, name + suffix)) for name in names}


def _entry(name: str, data: dict[str, Any]) -> HarnessEntry:
    ways = [way for way in _WAYS if data.get(way)]
    unknown = set(data) - {"summary", "expectations", "timeout", *_WAYS}
    if len(ways) != 1 or unknown:
        raise Problem(
            f"harnesses/{name}.toml: one of {', '.join(_WAYS)} is needed, found {ways or 'none'}; "
            f"unknown members: {', '.join(sorted(unknown)) or 'none'}"
        )
    return HarnessEntry(name, **data)
