"""What a run of ``journalspec corpus judge`` has found so far, kept beside its directory until all is done.

A file of JSON lines. The first one says what was asked; each further one holds the verdicts on a piece
of the states that were chosen. What was chosen is not kept: the same question chooses the same
states. A line that is not whole is the last one of a run that was killed, and does not count.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from journalspec_conformance.crashes.choose import Chosen
from journalspec_conformance.crashes.verdicts import Judged, Verdict
from journalspec_conformance.errors import Problem


class FoundSoFar:
    """The verdicts of a run that was interrupted, and those that are added. Use it as a context."""

    def __init__(self, path: Path, asked: Mapping[str, Any]) -> None:
        """Read what is there, if anything is; raises Problem if something else was asked then.

        `asked` is JSON: everything that the verdicts depend on.
        """
        self.path = path
        self._asked = json.loads(json.dumps(asked))
        self._pieces: dict[int, tuple[str, list[Judged]]] = {}
        self._stream: IO[str] | None = None
        self.seconds = 0.0
        lines, self._whole = _lines(path)
        if lines and lines[0] != {"asked": self._asked}:
            raise Problem(
                f"{path}: something else was asked there, or of another version",
                "Ask the same again to go on, or remove the file to begin anew.",
            )
        for line in lines[1:]:
            self._pieces[line["start"]] = (line["first"], [_judged(entry) for entry in line["judged"]])
            self.seconds += line["seconds"]

    def __enter__(self) -> FoundSoFar:
        """Open the file behind its last whole line."""
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch()
        self._stream = self.path.open("r+", encoding="utf-8")
        self._stream.seek(self._whole)
        self._stream.truncate()
        if not self._whole:
            self._write({"asked": self._asked})
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file; it stays."""
        assert self._stream is not None  # the context
        self._stream.close()

    @property
    def states(self) -> int:
        """How many states there are verdicts on."""
        return len({entry.at for _, judged in self._pieces.values() for entry in judged})

    def of(self, start: int, states: Sequence[Chosen]) -> list[Judged] | None:
        """Return the verdicts on the piece that begins with the state at `start`; None if there are none."""
        first, judged = self._pieces.get(start, ("", []))
        return judged if first == states[0].case_id.hex() else None

    def add(self, start: int, states: Sequence[Chosen], judged: Sequence[Judged], seconds: float) -> None:
        """Keep the verdicts on a piece, which took so many seconds more."""
        entries = [asdict(found) for found in judged]
        first = states[0].case_id.hex()
        self._write({"start": start, "first": first, "seconds": round(seconds, 3), "judged": entries})

    def done(self) -> None:
        """Remove the file: what it holds stands elsewhere."""
        self.path.unlink(missing_ok=True)

    def _write(self, line: Mapping[str, Any]) -> None:
        assert self._stream is not None  # the context
        self._stream.write(json.dumps(line, separators=(",", ":")) + "\n")
        self._stream.flush()


def _lines(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the whole lines of a file, and the bytes that they take; nothing if there is none."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return [], 0
    whole = raw.rfind(b"\n") + 1
    try:
        return [json.loads(line) for line in raw[:whole].splitlines()], whole
    except ValueError:
        raise Problem(f"{path}: no file of a run that was interrupted", "Remove it to begin anew.") from None


def _judged(entry: Mapping[str, Any]) -> Judged:
    """Return a verdict of a line."""
    told: dict[str, Any] = {
        name: tuple(of) if isinstance(of, list) else of for name, of in entry["verdict"].items()
    }
    return Judged(**{**entry, "verdict": Verdict(**told)})
