"""The result classes: one table that reports, exports and exit statuses are made from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResultClass:
    """One class; a `red` one makes the run fail. In one that is not `judged` no answer was."""

    name: str
    red: bool
    meaning: str
    judged: bool = True


_TABLE = (
    ResultClass("pass", False, "as expected; the only permitted answer"),
    ResultClass("allowed", False, "one of several permitted answers, or a recommendation not followed"),
    ResultClass("fail", True, "not a permitted answer"),
    ResultClass("unsupported", False, "not declared, and so not asked; never a pass", judged=False),
    ResultClass("known", False, "an expected failure that failed as predicted"),
    ResultClass("fixed", True, "an expected failure that passes: the expectation file is out of date"),
    ResultClass("crash", True, "the implementation ended or raised before it answered"),
    ResultClass("timeout", True, "no answer in time"),
    ResultClass("error", True, "an answer outside the protocol, or the harness in trouble"),
    ResultClass("unasked", True, "not asked any more after it broke down many times in a row", judged=False),
    ResultClass("quarantined", True, "the case itself is faulty, and was not asked", judged=False),
)

#: All classes by name, in the order in which reports show them.
CLASSES = {entry.name: entry for entry in _TABLE}


def is_red(name: str) -> bool:
    """Tell whether a result of class `name` fails the run."""
    return CLASSES[name].red
