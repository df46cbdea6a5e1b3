"""What the questions of cases ask: their number at each level, and the tables and columns of contents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from journalspec.contents import Table, described
from journalspec.observation import Level
from journalspec_corpus.case import Case

#: Maps a member of an expectation to the level at which it is compared. All other members are compared at
#: the level `layout`.
_COMPARED = {
    "when": Level.VERDICT,
    "verdict": Level.VERDICT,
    "phase": Level.VERDICT,
    "code": Level.VERDICT,
    "records": Level.RECORDS,
    "allowed": Level.RECORDS,
    "state": Level.STATE,
    "contents": Level.CONTENTS,
}


def needed(entry: Mapping[str, Any]) -> Level:
    """Return the highest level at which a member of an expectation is compared."""
    names = {*entry, "state"} if "states" in entry.get("allowed", ()) else entry
    return max(_COMPARED.get(name, Level.LAYOUT) for name in names)


def per_level(cases: Iterable[Case]) -> Counter[str]:
    """Return the number of questions (`read` and `recover`) by the highest level of their expectations.

    Questions of `write` are counted together, as ``write``.
    """
    return Counter(
        "write" if probe.op == "write" else max(map(needed, probe.expect)).name.lower()
        for case in cases
        for probe in case.probes
    )


def columns_in_use(cases: Iterable[Case]) -> dict[str, list[str]]:
    """Return the columns that expectations list, by table, in the order of the format.

    Tables that the format does not define are tables of the user. Their columns are not listed.
    """
    used: dict[str, set[str]] = {}
    known: dict[str, Table] = {}
    for case in cases:
        for entry in case.expect:
            for name, rows in entry.get("contents", {}).items():
                used.setdefault(name, set()).update(*rows)
                about = described(case.format)
                known |= about.tables if about else {}
    found = {
        name: [column.name for column in table.columns if column.name in used[name]]
        for name, table in known.items()
        if name in used
    }
    return found | {name: [] for name in sorted(used) if name not in known and name != "remarks"}


def in_words(cases: Iterable[Case]) -> Iterator[str]:
    """Yield the lines about the questions of one format and tier, as Markdown."""
    given = list(cases)
    counts = per_level(given)
    levels = [level.name.lower() for level in Level]
    yield "| Highest level | " + " | ".join(f"`{name}`" for name in levels) + " | `write` |"
    yield "|" + " --- |" * (len(levels) + 2)
    yield "| Questions | " + " | ".join(f"{counts[name]:,}" for name in [*levels, "write"]) + " |"
    tables = columns_in_use(given)
    if tables:
        yield ""
        yield "The questions of the level `contents` use `remarks` and these tables and columns:"
        yield ""
    for name, columns in tables.items():
        if columns:
            yield f"- `{name}`: `{', '.join(columns)}`"
    own = [f"`{name}`" for name, columns in tables.items() if not columns]
    if own:
        yield f"- tables of the user: {', '.join(own)}"
