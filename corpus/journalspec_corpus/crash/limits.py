"""What a format itself cannot promise after a crash: the failures that no reader of it can avoid.

A format says so in its ``limits.toml``. Each entry covers verdicts by writer, policy,
stratum, category and preset (patterns as for file names; what is left out fits
everything), says why, and names the design rules or the deviations of a writer that
argue it. The table is argued from the format's text, not from what a reader answers;
tests hold it against the reference: each entry is needed, and nothing else fails.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

from journalspec.formats import format_module
from journalspec_corpus.crash.classes import CATEGORIES
from journalspec_corpus.crash.judge import VERDICTS
from journalspec_corpus.crash.model import PRESETS, STRATA
from journalspec_corpus.crash.room import PACKAGE

FILE = "limits.toml"
#: The members that patterns are about, in the order in which `Limit.covers` takes values.
MEMBERS = ("writers", "policies", "strata", "verdicts", "categories", "presets")
_KNOWN: Mapping[str, tuple[str, ...]] = {
    "strata": STRATA,
    "verdicts": tuple(name for name, broken in VERDICTS.items() if broken),
    "categories": CATEGORIES,
    "presets": tuple(preset.name for preset in PRESETS),
}
_TEXTS = ("id", "why")
_LISTS = (*MEMBERS, "rules", "deviations")


class LimitError(ValueError):
    """The table is wrong; the text says where."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One thing that a format cannot promise, and the patterns of what follows from it."""

    id: str
    why: str
    rules: tuple[str, ...]
    deviations: tuple[str, ...]
    patterns: tuple[tuple[str, ...], ...]

    def covers(self, *values: str) -> bool:
        """Tell whether a failure fits: its writer, policy, stratum, verdict, category and preset."""
        return all(
            not given or any(fnmatchcase(value, pattern) for pattern in given)
            for value, given in zip(values, self.patterns, strict=True)
        )


@cache
def limits(format_id: str) -> tuple[Limit, ...]:
    """Return what `format_id` cannot promise, nothing if it does not say; raises LimitError."""
    path = files(format_module(PACKAGE, format_id)).joinpath(FILE)
    return parse_limits(path.read_text(encoding="utf-8")) if path.is_file() else ()


def parse_limits(text: str) -> tuple[Limit, ...]:
    """Read a table; raises LimitError."""
    found = tuple(_limit(entry) for entry in tomllib.loads(text).get("limit", ()))
    if len({limit.id for limit in found}) < len(found):
        raise LimitError("an id stands twice")
    return found


def first_that_covers(known: Iterable[Limit], *values: str) -> Limit | None:
    """Return the first limit that covers a failure (values as for `Limit.covers`), None if none does."""
    return next((limit for limit in known if limit.covers(*values)), None)


def _limit(entry: Mapping[str, Any]) -> Limit:
    name = entry.get("id", "an entry without id")
    unknown = sorted(set(entry) - {*_TEXTS, *_LISTS})
    if unknown:
        raise LimitError(f"{name}: unknown member {', '.join(unknown)}")
    if not all(isinstance(entry.get(key), str) and entry[key] for key in _TEXTS):
        raise LimitError(f"{name}: {' and '.join(_TEXTS)} are texts, and needed")
    lists: dict[str, tuple[str, ...]] = {key: tuple(entry.get(key, ())) for key in _LISTS}
    if not lists["rules"] and not lists["deviations"]:
        raise LimitError(f"{name}: neither rules nor deviations argue it")
    if not lists["verdicts"]:
        raise LimitError(f"{name}: verdicts are needed")
    for key, known in _KNOWN.items():
        for pattern in lists[key]:
            if not any(fnmatchcase(value, pattern) for value in known):
                raise LimitError(f"{name}: {key}: nothing is called {pattern!r}: {', '.join(known)}")
    patterns = tuple(lists[key] for key in MEMBERS)
    return Limit(name, entry["why"], lists["rules"], lists["deviations"], patterns)
