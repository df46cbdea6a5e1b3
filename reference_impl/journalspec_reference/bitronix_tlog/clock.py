"""The two counters that a writer stamps records with, set by parameters so that runs repeat."""

from __future__ import annotations

import time

from journalspec_reference.api import Params


class Clock:
    """Milliseconds and sequence numbers for one writer (BTM-WRT).

    Parameters: `clock` (first value in ms; the system's time if absent),
    `clock_step` (ms added per reading, default 1), `sequence` (first number,
    default 1).
    """

    def __init__(self, params: Params) -> None:
        self._fixed = "clock" in params
        self._now = int(params.get("clock", "0"))
        self._step = int(params.get("clock_step", "1"))
        self._sequence = int(params.get("sequence", "1"))

    def now(self) -> int:
        """Return the time in ms; with a fixed clock each reading is one step later."""
        if not self._fixed:
            return time.time_ns() // 1_000_000
        value = self._now
        self._now += self._step
        return value

    def next_sequence(self) -> int:
        """Return the next sequence number, unbounded; the codec wraps it to 32 bits."""
        value = self._sequence
        self._sequence += 1
        return value
