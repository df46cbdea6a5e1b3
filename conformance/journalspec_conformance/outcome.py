"""What one probe came to: an answer that was judged, one that declines, or a failure of the runner itself."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Any

from journalspec_conformance.compare import Difference
from journalspec_conformance.connection import Connection, Message
from journalspec_corpus import Probe

#: Characters of a reason, and calls of a traceback, where the runner itself failed.
_REASON, _CALLS = 1000, 50


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a probe came to before expectations and levels are considered."""

    result_class: str
    fingerprint: str = ""
    reason: str = ""
    choice: str = ""
    difference: Difference | None = None
    stderr: str = ""


def settle(reply: Message, connection: Connection, probe: Probe) -> Outcome | None:
    """Return the outcome of a reply that is no answer (unsupported, error), None if it is one.

    What was declared and is declined is a failure. Only that a writer cannot be told some
    parameter of a case, do one of its operations, or write an edition that the implementation
    reads, there is no word for in ``hello``.
    """
    if "unsupported" in reply:
        what = str(reply["unsupported"].get("what", ""))
        texts = (what, *(str(reply["unsupported"].get(key, "")) for key in ("message", "issue")))
        said = ": ".join(text for text in texts if text) or "no reason"
        # A parameter may be named with its value: param:alignment=512.
        if what.partition("=")[0] in _open_to_writers(probe):
            return Outcome("unsupported", reason=said)
        return Outcome("fail", "unsupported", f"declared, and answered as not supported: {said}")
    if "error" in reply:
        error: dict[str, Any] = reply["error"]
        detail = str(error.get("detail", ""))
        stderr = "\n".join(text for text in (detail, connection.stderr()) if text)
        return Outcome("error", reason=str(error.get("message", "no message")), stderr=stderr)
    return None


def _open_to_writers(probe: Probe) -> set[str]:
    case = probe.case
    if probe.op != "write" or case.write is None:
        return set()
    params = (f"param:{name}" for name in (*case.params, *case.write["params"]))
    return {"operation", f"edition:{case.edition}", *params}


def failed(error: Exception) -> Outcome:
    """Return what a probe came to that neither was answered nor could be judged."""
    said = _said(error)
    trace = "".join(
        ("Traceback (most recent call last):\n", *traceback.format_tb(error.__traceback__, _CALLS))
    )
    return Outcome("error", reason=f"it could not be judged: {said}", stderr=f"{trace}{said}\n")


def _said(error: Exception) -> str:
    try:
        text = str(error)
    except Exception:  # an exception of somebody else's class may do anything when it is shown
        text = "(it cannot be shown)"
    return f"{type(error).__name__}: {text[:_REASON]}".rstrip(": ")
