"""Patterns over probe ids: segments between ``.`` and ``/``; ``*`` within one, ``**`` over any number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

_SEPARATORS = re.compile(r"([./])")


@cache
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of `pattern` (to be matched in full)."""
    out = ""
    for part in _SEPARATORS.split(pattern):
        if part == "**":
            out += ".*"
        elif part in (".", "/"):
            out += re.escape(part)
        else:
            # Several stars in a row are one: each of its own would try every way to share a segment.
            out += r"[^./]*".join(re.escape(piece) for piece in re.split(r"\*+", part))
    return re.compile(out)


def matches(pattern: str, probe_id: str) -> bool:
    """Tell whether `pattern` names the probe, or the whole case that it belongs to."""
    compiled = compile_pattern(pattern)
    return bool(compiled.fullmatch(probe_id) or compiled.fullmatch(probe_id.partition("/")[0]))


def any_matches(patterns: Iterable[str], probe_id: str) -> bool:
    """Tell whether one of `patterns` names the probe; no patterns at all name every probe."""
    chosen = tuple(patterns)
    return not chosen or any(matches(pattern, probe_id) for pattern in chosen)
