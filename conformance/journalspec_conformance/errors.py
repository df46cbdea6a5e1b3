"""The exceptions of the runner, grouped by their cause: the user's set-up, or the implementation.

    Problem                 the user's input or set-up; exit status 2
    Breakdown               an implementation did not answer properly
      Crashed               its process ended, or its code raised
      TimedOut              no answer in time
      Misbehaved            it answered, but not in the protocol

A Problem ends a run. A Breakdown is a result of one probe: the run continues.
"""

from __future__ import annotations


class Problem(Exception):
    """An error that only the user can correct.

    The text contains the error, the place of the error and its correction.
    """

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        """Return the problem, and on the next line the advice."""
        return f"{self.what}\n{self.hint}" if self.hint else self.what


class Breakdown(Exception):
    """An implementation gave no valid answer. `stderr` is the last part of its standard error.

    The implementation is restarted afterwards, unless it still runs (`lives`).
    """

    #: The result class of a probe that ends with this exception.
    result_class = "error"

    def __init__(self, reason: str, stderr: str = "", *, lives: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.stderr = stderr
        self.lives = lives


class Crashed(Breakdown):
    """The process ended before its answer, or the Python class raised."""

    result_class = "crash"


class TimedOut(Breakdown):
    """The implementation gave no complete answer in time, so its process was killed."""

    result_class = "timeout"


class Misbehaved(Breakdown):
    """An answer that violates the protocol."""

    result_class = "error"


def said_more(said: bytes) -> Misbehaved:
    """Return the fault of a process that writes more than its answer."""
    return Misbehaved(f"it printed more than its answer: {said[:200]!r}")
