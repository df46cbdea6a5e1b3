"""Runs the terminal sessions that the pages show, and compares or rewrites their output.

Each ``transcripts/*.txt`` contains commands (lines that begin with ``$ ``) and their output. The commands of
a file run one after the other in a fresh directory with a copy of ``docs/harness``. Lines that begin with
``#!`` are preparations, which the page does not show:

    #! replace my_reader.py: OLD => NEW      a change to a file before the commands run
    #! run COMMAND                           a command whose output is not shown; it must succeed
    #! try COMMAND the same, but it may fail

``python tools/transcripts.py`` compares the output; ``--update`` rewrites files that differ.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import warm

from journalspec.files import replace_text

HERE = Path(__file__).resolve().parents[1] / "docs"
FOLDER = HERE / "transcripts"
HARNESS = HERE / "harness"
COLUMNS = 88
SECONDS = 240
_REPLACE = re.compile(r"#! replace (?P<file>\S+): (?P<old>.+) => (?P<new>.+)")


class TranscriptError(ValueError):
    """A transcript cannot be run; the message states the file and the line."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One file: preparation lines, then commands with their output."""

    path: Path
    setting: tuple[str, ...]
    commands: tuple[str, ...]
    text: str

    @classmethod
    def load(cls, path: Path) -> Transcript:
        """Read a transcript."""
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        setting = tuple(line for line in lines if line.startswith("#!"))
        commands = tuple(line[2:] for line in lines if line.startswith("$ "))
        return cls(path, setting, commands, text)

    def play(self) -> str:
        """Run the commands and return the transcript with their current output."""
        with tempfile.TemporaryDirectory(prefix="transcript-") as name:
            place = Path(name)
            for source in sorted(HARNESS.iterdir()):
                if source.is_file():
                    shutil.copy(source, place / source.name)
            for line in self.setting:
                self._set(line, place)
            shown = [*self.setting]
            for command in self.commands:
                shown += _run(command, place)
        return "\n".join(shown) + "\n"

    def _set(self, line: str, place: Path) -> None:
        if line.startswith(("#! run ", "#! try ")):
            failed = any(text.startswith("[exit status") for text in _run(line[7:], place))
            if failed and line.startswith("#! run "):
                raise TranscriptError(f"{self.path.name}: failed: {line}")
            return
        match = _REPLACE.fullmatch(line)
        if match is None:
            raise TranscriptError(f"{self.path.name}: unknown preparation: {line}")
        path = place / match["file"]
        before = path.read_text(encoding="utf-8")
        if before.count(match["old"]) != 1:
            raise TranscriptError(
                f"{self.path.name}: {match['file']} does not contain {match['old']!r} exactly once"
            )
        path.write_text(before.replace(match["old"], match["new"]), encoding="utf-8")


def environment() -> Mapping[str, str]:
    """Return an environment in which `python` and `journalspec` are those of this interpreter."""
    places = [str(warm.command()), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    path = os.pathsep.join(places)
    return {**os.environ, "PATH": path, "COLUMNS": str(COLUMNS), "NO_COLOR": "1", "PYTHONUTF8": "1"}


def ended(
    command: str, place: Path, given: Mapping[str, str] | None = None, seconds: float = SECONDS
) -> tuple[int, str]:
    """Return the exit status and output of a command.

    Its child processes end with it; there is a time limit.
    """
    process = subprocess.Popen(
        ["sh", "-c", command],  # noqa: S607 - the pages are written for a POSIX shell
        cwd=place,
        env={**environment(), **(given or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=seconds)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return process.returncode, said


def _run(command: str, place: Path) -> Iterator[str]:
    status, said = ended(command, place)
    yield f"$ {command}"
    yield from (line.rstrip() for line in said.replace(str(place), "/home/you").rstrip().splitlines())
    if status:
        yield f"[exit status {status}]"


def transcripts() -> list[Transcript]:
    """Return all transcripts by name."""
    return [Transcript.load(path) for path in sorted(FOLDER.glob("*.txt"))]


def difference(transcript: Transcript) -> str:
    """Return the difference between the file and the current output; empty if there is none.

    The width of columns and durations may differ, but no other number.
    """
    now = transcript.play()
    if _shape(transcript.text) == _shape(now):
        return ""
    old, new = transcript.text.splitlines(), now.splitlines()
    return "\n".join(difflib.unified_diff(old, new, transcript.path.name, "now", lineterm="", n=1))


def _shape(text: str) -> str:
    return re.sub(r"[ ─]+", " ", re.sub(r"\b\d+\.\d+s\b", "0s", text))


def main() -> int:
    """Compare or rewrite; return 0 if all is as committed, 1 if something differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--update", action="store_true", help="rewrite the files that differ")
    options = parser.parse_args()
    status = 0
    for transcript in transcripts():
        found = difference(transcript)
        if found:
            print(found)
            status = 1
        if found and options.update:
            replace_text(transcript.path, transcript.play())
    return status


if __name__ == "__main__":
    sys.exit(main())
