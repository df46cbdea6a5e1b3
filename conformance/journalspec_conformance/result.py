"""The results of probes: first as an outcome, then with a class, as a line of a report."""

from __future__ import annotations

import math
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from journalspec_conformance.compare import Claims, Difference
from journalspec_conformance.connection import Message
from journalspec_corpus import Probe


@dataclass(frozen=True, slots=True)
class ResultClass:
    """A class of results. A `red` result fails the run. If it is not `judged`, no answer was graded."""

    name: str
    red: bool
    meaning: str
    judged: bool = True


_TABLE = (
    ResultClass("pass", False, "as expected; the only permitted answer"),
    ResultClass("allowed", False, "one of several permitted answers, or a recommendation not followed"),
    ResultClass("fail", True, "not a permitted answer"),
    ResultClass(
        "unsupported",
        False,
        "the capability is not declared, so the question was not asked; never a pass",
        judged=False,
    ),
    ResultClass("known", False, "an expected failure that failed as predicted"),
    ResultClass("fixed", True, "an expected failure that passes: the expectation file is out of date"),
    ResultClass("crash", True, "the implementation exited or raised an exception before its answer"),
    ResultClass("timeout", True, "no answer in time"),
    ResultClass("error", True, "an answer that violates the protocol, or a fault of the harness"),
    ResultClass(
        "unasked", True, "not asked, because the implementation failed many times in a row", judged=False
    ),
    ResultClass("quarantined", True, "the case itself is faulty, and no question was asked", judged=False),
)

#: All classes by name, in the order in which reports show them.
CLASSES = {entry.name: entry for entry in _TABLE}


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one probe.

    `result_class` is a name of CLASSES; `reason` one sentence for people; `choice` says which of several
    permitted answers was given ("2 of 3"); `seconds` is rounded to milliseconds.
    """

    probe: str
    case: str
    format: str
    edition: str
    title: str
    result_class: str
    fingerprint: str = ""
    reason: str = ""
    choice: str = ""
    level: str = "must"
    stratum: str = ""
    requirements: tuple[str, ...] = ()
    difference: Mapping[str, Any] | None = None
    #: The complete answer of a failed probe, kept during the run. A report contains only the difference.
    answer: Mapping[str, Any] | None = field(default=None, compare=False)
    stderr: str = ""
    seconds: float = 0.0
    issue: str = field(default="")

    @property
    def red(self) -> bool:
        """Return whether this result fails the run."""
        return CLASSES[self.result_class].red

    def judged(self, result_class: str, reason: str, issue: str = "") -> Result:
        """Return the same result with another class and reason."""
        return replace(self, result_class=result_class, reason=reason, issue=issue)

    def to_json(self) -> dict[str, Any]:
        """Return the report line; members without content are omitted."""
        line: dict[str, Any] = {"kind": "result"}
        line |= {_CALLED.get(name, name): getattr(self, name) for name in _NAMES}
        line["seconds"] = round(self.seconds, 3)
        if self.requirements:
            line["requirements"] = list(self.requirements)
        if self.difference is not None:
            line["difference"] = dict(self.difference)
        texts = {name: getattr(self, name) for name in _TEXTS}
        return line | {name: text for name, text in texts.items() if text}

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Result:
        """Read a report line; raises ValueError for a member that is missing or has a wrong type."""
        names = {name: _CALLED.get(name, name) for name in _NAMES}
        for name in (*names.values(), "seconds"):
            if name not in line:
                raise ValueError(f"member {name!r} is missing")
        for name in (*names.values(), *_TEXTS):
            _demand(isinstance(line.get(name, ""), str), name, "a text")
        seconds, requirements = line["seconds"], line.get("requirements", [])
        # In Python, True is an int, and 1e999 is infinite.
        number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        _demand(
            number and 0 <= seconds < _FOREVER and math.isfinite(seconds), "seconds", "a number of seconds"
        )
        listed = isinstance(requirements, list) and all(isinstance(name, str) for name in requirements)
        _demand(listed, "requirements", "a list of texts")
        _demand(isinstance(line.get("difference", {}), dict), "difference", "an object")
        _demand(line["class"] in CLASSES, "class", f"a result class (it says {line['class'][:40]!r})")
        return cls(
            **{name: line[called] for name, called in names.items()},
            seconds=float(seconds),
            requirements=tuple(requirements),
            difference=line.get("difference"),
            **{name: line.get(name, "") for name in _TEXTS},
        )


def _demand(holds: bool, name: str, what: str) -> None:
    if not holds:
        raise ValueError(f"member {name!r} is not {what}")


#: The members of every line in their order, the optional texts, and the members with another name in the
#: report.
_NAMES = ("probe", "case", "format", "edition", "title", "result_class", "level")
_TEXTS = ("fingerprint", "reason", "choice", "stratum", "stderr", "issue")
_CALLED = {"result_class": "class"}
#: The longest accepted time of a probe (seconds): sums of much larger numbers would overflow to infinity.
_FOREVER = 1e9
#: The deepest nesting of a stored answer, and the largest number of calls of a stored traceback.
_DEEPEST = 50
#: The longest reason for a failure of the runner itself (characters).
_REASON = 1000


def carried(value: Any, depth: int = 0) -> Any:
    """Return `value` in a form that JSON and UTF-8 can express, with other values as text or cut."""
    if depth > _DEEPEST:
        return "..."
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {carried(str(key)): carried(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [carried(item, depth + 1) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a probe before expectations and levels are considered."""

    result_class: str
    fingerprint: str = ""
    reason: str = ""
    choice: str = ""
    difference: Difference | None = None
    stderr: str = ""


@runtime_checkable
class OwnOracle(Protocol):
    """A case that grades answers itself, because a list of expectations cannot express what it permits."""

    def outcome(self, policy: str, observed: Message, claims: Claims) -> Outcome:
        """Return the outcome of an observation under `policy`."""


@runtime_checkable
class OwnWriting(Protocol):
    """A case that itself grades the files that an implementation writes."""

    def written(self, engine: Any, probe: Probe) -> Outcome:
        """Let the implementation that `engine` asks write, and return the outcome."""


def failed(error: Exception) -> Outcome:
    """Return the outcome of a probe that received no answer and was not judged."""
    try:
        text = str(error)
    except Exception:  # The `str` of a user's exception may also raise.
        text = "(it cannot be shown)"
    said = f"{type(error).__name__}: {text[:_REASON]}".rstrip(": ")
    trace = "".join(traceback.format_tb(error.__traceback__, _DEEPEST))
    stderr = f"Traceback (most recent call last):\n{trace}{said}\n"
    return Outcome("error", reason=f"it could not be judged: {said}", stderr=stderr)
