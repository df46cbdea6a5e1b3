"""An expected answer beside the one that was given, member by member."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: Characters of a value that are shown, and of the place that it is at.
VALUE, PLACE = 40, 36
#: Members that say what is asked, not what is answered.
_ASKED = ("when", "unnoted")
_ABSENT = object()


def beside(expected: Mapping[str, Any], answer: Mapping[str, Any], most: int = 0) -> list[str]:
    """Return both answers as rows of place, expected and answered value; rows that differ begin with ``!``.

    With `most` there are no more rows than that: those that differ first, then those around them. What is not
    expected is not compared, and is shown as ``-``.
    """
    want = dict(_leaves("", {key: value for key, value in expected.items() if key not in _ASKED}))
    have = dict(_leaves("", _as_expected(answer)))
    rows = []
    entries = {entry for place in want for entry in _entries(place)}
    answered = {entry for place in have for entry in _entries(place)}
    kinds = set(map(_kind, have))
    lists = {entry.rpartition("[")[0] for entry in entries} | set(want)
    for place in sorted({**want, **have}, key=_order):
        left, right = want.get(place, _ABSENT), have.get(place, _ABSENT)
        # An entry too many of a list that is expected differs; a member that nobody asks about does not.
        extra = any(entry not in entries and entry.rpartition("[")[0] in lists for entry in _entries(place))
        # A member that no entry of the answer has is not reported at all, and was not compared.
        inner = _entries(place)
        silent = _kind(place) not in kinds and (inner[-1] in answered if inner else _top(place) not in answer)
        rows.append((left != right and not silent and (left is not _ABSENT or extra), place, left, right))
    kept = _around([row[0] for row in rows], most)
    out = [f"  {'':{PLACE}} {'expected':{VALUE}} answered"]
    for number, (differs, place, left, right) in enumerate(rows):
        if number in kept:
            mark = "!" if differs else " "
            out.append(f"{mark} {place:{PLACE}} {_cell(left):{VALUE}} {_cell(right)}".rstrip())
    if len(kept) < len(rows):
        out.append(f"  ... {len(rows) - len(kept)} more rows (`journalspec ask` shows all)")
    return out


def _as_expected(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer in the form of expectations: notes are codes, texts for people are left out."""
    out = {key: value for key, value in answer.items() if key != "message"}
    if isinstance(out.get("notes"), list):
        out["notes"] = [note.get("code") if isinstance(note, Mapping) else note for note in out["notes"]]
    return out


def _leaves(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            yield from _leaves(f"{place}.{name}" if place else str(name), item)
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for index, item in enumerate(value):
            yield from _leaves(f"{place}[{index}]", item)
    else:
        yield place, value


def _order(place: str) -> tuple[Any, ...]:
    """Sort the verdict first, then members by name, entries by number."""
    parts = place.replace("]", "").replace("[", ".").split(".")
    return (place != "verdict", [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts])


def _kind(place: str) -> str:
    """Return a place without the numbers of entries."""
    return re.sub(r"\[\d+\]", "[]", place)


def _top(place: str) -> str:
    return place.partition(".")[0]


def _entries(place: str) -> list[str]:
    """Return the entries of lists that a place is in, the outermost first."""
    return [place[: at + 1] for at, letter in enumerate(place) if letter == "]"]


def _around(differ: Sequence[bool], most: int) -> set[int]:
    every = range(len(differ))
    if not most or len(differ) <= most:
        return set(every)
    places = [at for at in every if differ[at]] or [0]
    nearness = sorted(every, key=lambda at: min(abs(at - place) for place in places[:most]))
    return set(nearness[:most])


def _cell(value: Any) -> str:
    if value is _ABSENT:
        return "-"
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=True)
    return text if len(text) <= VALUE else f"{text[: VALUE - 4]}... ({len(text)})"
