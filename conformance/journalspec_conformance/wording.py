"""How a failure is put to people: a difference in one sentence, and many failures as a few groups."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from journalspec.files import shown
from journalspec_conformance.compare import Difference
from journalspec_conformance.result import CLASSES, Result

#: Classes in which nothing was judged: out of the score, in a column of their own.
UNJUDGED = frozenset(entry.name for entry in CLASSES.values() if not entry.judged)
_SHOWN = 200
_NUMBER = re.compile(r"\d+")


def sentence(difference: Difference) -> str:
    """Return one sentence about where an answer parts from the permitted one."""
    where, expected, observed = difference.where, difference.expected, difference.observed
    if difference.fingerprint == "records:order":
        words = f"expected {spelled(expected)}, got {spelled(observed)}"
        return f"{where}: the same records in another order: {words}"
    return describe(where, expected, observed)


def describe(where: str, expected: Any, observed: Any) -> str:
    """Return one sentence about where an answer parts from the permitted one.

    The place is narrowed to the first part of a nested value that differs; lists of the same
    entries in another order, and values that only differ in their type, are called so.
    """
    where, expected, observed = _narrowed(where, expected, observed)
    words = f"expected {spelled(expected)}, got {spelled(observed)}"
    if _same_in_another_order(expected, observed):
        return f"{where}: the same entries in another order: {words}"
    if type(expected) is not type(observed) and _text(expected) == _text(observed):
        return f"{where}: {words} (the types differ: {_kind(expected)}, {_kind(observed)})"
    return f"{where}: {words}"


def spelled(value: Any, shown: int = _SHOWN) -> str:
    """Return a JSON value as JSON, or "nothing" where there is none; cut where it is long."""
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=True)
    return text if len(text) <= shown else text[: shown - 3] + "..."


def _narrowed(where: str, expected: Any, observed: Any) -> tuple[str, Any, Any]:
    while True:
        if isinstance(expected, Mapping) and isinstance(observed, Mapping):
            keys = [key for key in {**expected, **observed} if expected.get(key) != observed.get(key)]
            if len(keys) != 1:
                return where, expected, observed
            where, expected, observed = f"{where}.{keys[0]}", expected.get(keys[0]), observed.get(keys[0])
        elif isinstance(expected, list) and isinstance(observed, list):
            if _same_in_another_order(expected, observed):
                return where, expected, observed
            at = _first_parting(expected, observed)
            if at is None:
                return where, expected, observed
            where, expected, observed = f"{where}[{at}]", _item(expected, at), _item(observed, at)
        else:
            return where, expected, observed


def _first_parting(expected: list[Any], observed: list[Any]) -> int | None:
    pairs = enumerate(zip(expected, observed, strict=False))
    shorter = min(len(expected), len(observed))
    found = next((at for at, (left, right) in pairs if left != right), shorter)
    return None if found == shorter and len(expected) == len(observed) else found


def _item(values: list[Any], at: int) -> Any:
    return values[at] if at < len(values) else None


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
    """Results that went wrong in the same way: one of them, and how many there are."""

    example: Result
    count: int

    @property
    def label(self) -> str:
        """Class and fingerprint."""
        return " ".join(part for part in (self.example.result_class, self.example.fingerprint) if part)

    @property
    def line(self) -> str:
        """The group in one line: what, how often, and the first of them."""
        also = f" ({self.count} probes fail so; this is the first)" if self.count > 1 else ""
        return shown(f"{self.label}: {self.example.probe}: {self.example.reason}{also}")

    def to_json(self) -> dict[str, Any]:
        """Return the group for a machine."""
        return {
            "class": self.example.result_class,
            "fingerprint": self.example.fingerprint,
            "count": self.count,
            "probe": self.example.probe,
            "reason": self.example.reason,
        }


def grouped(results: Iterable[Result]) -> list[FailureGroup]:
    """Return `results` by class and fingerprint (without one: by reason, numbers apart), largest first."""
    found: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        same = result.fingerprint or _NUMBER.sub("N", result.reason)
        found.setdefault((result.result_class, same), []).append(result)
    groups = [FailureGroup(members[0], len(members)) for members in found.values()]
    return sorted(groups, key=lambda group: -group.count)


def judged_and_not(results: Iterable[Result]) -> str:
    """Return ``118 judged, 14 not (unsupported 14)``: silence is counted, too."""
    counts = Counter(result.result_class for result in results)
    out = {name: counts[name] for name in CLASSES if name in UNJUDGED and counts[name]}
    why = f" ({', '.join(f'{name} {number}' for name, number in out.items())})" if out else ""
    return f"{counts.total() - sum(out.values())} judged, {sum(out.values())} not{why}"


def github_annotations(results: Iterable[Result], name: str) -> list[str]:
    """Return the workflow commands by which GitHub marks failures: one per group."""
    return [
        f"::error title={_property(f'{name}: {group.label}')}::{_message(group.line)}"
        for group in grouped(result for result in results if result.red)
    ]


def _message(text: str) -> str:
    return shown(text).replace("%", "%25")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
