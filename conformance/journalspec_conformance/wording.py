"""The wording of failures.

It shows a difference as a sentence, two answers as rows, and failures in groups.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from journalspec.files import shown
from journalspec_conformance.compare import Difference
from journalspec_conformance.result import CLASSES, Result

#: Classes without a graded answer. They are not part of the score, and are counted in their own column.
UNJUDGED = frozenset(entry.name for entry in CLASSES.values() if not entry.judged)
_SHOWN = 200
_NUMBER = re.compile(r"\d+")
#: At most this many characters of a value are shown, and at most this many of its place.
VALUE, PLACE = 40, 36
#: Members of an expectation that are part of the question, not of the answer.
_ASKED = ("when", "unnoted")
_ABSENT = object()


def sentence(difference: Difference) -> str:
    """Return one sentence about the first difference of an answer from the permitted one."""
    expected, observed = difference.expected, difference.observed
    if difference.fingerprint == "records:order":
        words = f"expected {spelled(expected)}, got {spelled(observed)}"
        return f"{difference.where}: the same records in another order: {words}"
    return describe(difference.where, expected, observed)


def describe(where: str, expected: Any, observed: Any) -> str:
    """Return one sentence on the difference of an answer from the permitted one.

    The place is narrowed to the first differing part of a nested value. If only the order of a list differs,
    or only the type of a value, the sentence states this.
    """
    where, expected, observed = _narrowed(where, expected, observed)
    words = f"expected {spelled(expected)}, got {spelled(observed)}"
    if _same_in_another_order(expected, observed):
        return f"{where}: the same entries in another order: {words}"
    if type(expected) is not type(observed) and _text(expected) == _text(observed):
        return f"{where}: {words} (the types differ: {_kind(expected)}, {_kind(observed)})"
    return f"{where}: {words}"


def spelled(value: Any, shown: int = _SHOWN) -> str:
    """Return a JSON value as JSON, or "nothing" if there is none; long texts are cut."""
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=True)
    return text if len(text) <= shown else text[: shown - 3] + "..."


def _narrowed(where: str, expected: Any, observed: Any) -> tuple[str, Any, Any]:
    """Return the innermost place that contains all differences."""
    while not _same_in_another_order(expected, observed):
        if isinstance(expected, Mapping) and isinstance(observed, Mapping):
            left, right, form = expected, observed, ".{}"
            differ = [key for key in {**left, **right} if left.get(key) != right.get(key)]
            if len(differ) != 1:
                break
        elif isinstance(expected, list) and isinstance(observed, list):
            left, right, form = dict(enumerate(expected)), dict(enumerate(observed)), "[{}]"
            differ = [at for at in {**left, **right} if at not in left or left[at] != right.get(at, left)][:1]
            if not differ:
                break
        else:
            break
        (key,) = differ
        where, expected, observed = where + form.format(key), left.get(key), right.get(key)
    return where, expected, observed


def _same_in_another_order(expected: Any, observed: Any) -> bool:
    if not (isinstance(expected, list) and isinstance(observed, list)) or expected == observed:
        return False
    bags = [Counter(json.dumps(item, sort_keys=True) for item in each) for each in (expected, observed)]
    return bags[0] == bags[1]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _kind(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}
    return "nothing" if value is None else names.get(type(value), "an object")


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Represents a group of results with the same failure: one of them, and their number."""

    example: Result
    count: int

    @property
    def label(self) -> str:
        """Class and fingerprint."""
        return " ".join(part for part in (self.example.result_class, self.example.fingerprint) if part)

    @property
    def line(self) -> str:
        """The group in one line: the failure, the number of results, and the first of them."""
        also = f" ({self.count} probes fail in this way; this is the first)" if self.count > 1 else ""
        return shown(f"{self.label}: {self.example.probe}: {self.example.reason}{also}")

    def to_json(self) -> dict[str, Any]:
        """Return the group as JSON."""
        return {
            "class": self.example.result_class,
            "fingerprint": self.example.fingerprint,
            "count": self.count,
            "probe": self.example.probe,
            "reason": self.example.reason,
        }


def grouped(results: Iterable[Result]) -> list[FailureGroup]:
    """Group `results` by class and fingerprint (if none: by reason without numbers), largest first."""
    found: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        same = result.fingerprint or _NUMBER.sub("N", result.reason)
        found.setdefault((result.result_class, same), []).append(result)
    groups = [FailureGroup(members[0], len(members)) for members in found.values()]
    return sorted(groups, key=lambda group: -group.count)


def judged_and_not(results: Iterable[Result]) -> str:
    """Return ``118 judged, 14 not (unsupported 14)``."""
    counts = Counter(result.result_class for result in results)
    out = {name: counts[name] for name in CLASSES if name in UNJUDGED and counts[name]}
    why = f" ({', '.join(f'{name} {number}' for name, number in out.items())})" if out else ""
    return f"{counts.total() - sum(out.values())} judged, {sum(out.values())} not{why}"


def github_annotations(results: Iterable[Result], name: str) -> list[str]:
    """Return the workflow commands by which GitHub marks failures: one per group."""
    out = []
    for group in grouped(result for result in results if result.red):
        title = _message(f"{name}: {group.label}").replace(":", "%3A").replace(",", "%2C")
        out.append(f"::error title={title}::{_message(group.line)}")
    return out


def _message(text: str) -> str:
    return shown(text).replace("%", "%25")


def beside(expected: Mapping[str, Any], answer: Mapping[str, Any], most: int = 0) -> list[str]:
    """Return both answers as rows of place, expected and answered value; rows that differ begin with ``!``.

    At most `most` rows are returned: first those that differ, then those around them. Members that are not
    expected are not compared; their expected value is shown as ``-``.
    """
    want = dict(_leaves("", {key: value for key, value in expected.items() if key not in _ASKED}))
    have = dict(_leaves("", _as_expected(answer, expected.get("noted", ()))))
    rows = []
    entries = {entry for place in want for entry in _entries(place)}
    answered = {entry for place in have for entry in _entries(place)}
    kinds = set(map(_shape, have))
    lists = {entry.rpartition("[")[0] for entry in entries} | set(want)
    for place in sorted({**want, **have}, key=_order):
        left, right = want.get(place, _ABSENT), have.get(place, _ABSENT)
        # An additional entry of an expected list is a difference. An additional member of an object is not.
        extra = any(entry not in entries and entry.rpartition("[")[0] in lists for entry in _entries(place))
        # If a member is in no entry of the answer, the implementation does not report it, and it was not
        # compared.
        inner = _entries(place)
        silent = _shape(place) not in kinds and (
            inner[-1] in answered if inner else place.partition(".")[0] not in answer
        )
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


def _as_expected(answer: Mapping[str, Any], noted: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return an answer in the form of expectations: notes become codes, texts for people are omitted.

    Each expected note with more than a code is paired with the most similar note of the answer.
    """
    out = {key: value for key, value in answer.items() if key != "message"}
    if isinstance(out.get("notes"), list):
        found = [note for note in out["notes"] if isinstance(note, Mapping)]
        if noted and found:
            out["noted"] = [max(found, key=lambda note: len(note.items() & want.items())) for want in noted]
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


def _shape(place: str) -> str:
    """Return a place without the indexes of list entries."""
    return re.sub(r"\[\d+\]", "[]", place)


def _entries(place: str) -> list[str]:
    """Return the list entries that contain a place, the outermost first."""
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
