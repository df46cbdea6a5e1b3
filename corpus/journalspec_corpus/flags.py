"""Flags: the special property of a case, and the result if it is mishandled."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from journalspec.formats import format_text
from journalspec_corpus.rows import members

#: The file with the flags that all formats share. A format's own flags are in a file with the same name in
#: its package.
_SHARED = files("journalspec_corpus").joinpath("flags.toml")


class FlagError(ValueError):
    """A ``flags.toml`` is inconsistent, or contradicts the shared ``flags.toml``."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Represents one flag. `requirements` are ids in the format for which it was loaded, `rules` ids of
    design rules.
    """

    name: str
    damage: str
    effect: str
    requirements: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


@cache
def load_flags(format_id: str | None = None) -> Mapping[str, Flag]:
    """Return the shared flags and those of `format_id`, by name.

    A format's file may add flags and link shared ones to its requirements (table ``[links]``); it may not
    define a shared name again: FlagError.
    """
    flags = {flag.name: flag for flag in _read(_SHARED.read_text(encoding="utf-8"))}
    own = format_text("journalspec_corpus", format_id, _SHARED.name) if format_id is not None else ""
    for flag in _read(own):
        if flag.name in flags:
            raise FlagError(f"{format_id}/flags.toml: {flag.name} is defined twice")
        flags[flag.name] = flag
    for name, requirements in tomllib.loads(own).get("links", {}).items():
        if name not in flags:
            raise FlagError(f"{format_id}/flags.toml: links names {name}, which is not a flag")
        flags[name] = replace(flags[name], requirements=flags[name].requirements + tuple(requirements))
    return flags


def _read(text: str) -> list[Flag]:
    found = [Flag(**members(row)) for row in tomllib.loads(text).get("flag", ())]
    names = [flag.name for flag in found]
    if len(set(names)) != len(names):
        raise FlagError(f"{_SHARED.name}: a flag is defined twice")
    return found
