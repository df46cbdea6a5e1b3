"""``--follow``: prints rows of a journal while a program writes it, and reports changes of its files."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from queue import Empty, Queue
from typing import IO

import pytest

from judged import PROGRAM, call
from situations import changed, store


def put(stream: IO[str], lines: Queue[str]) -> None:
    for line in stream:
        lines.put(line)


class Running:
    """The command as a process, and the lines that it prints."""

    def __init__(self, path: Path, *arguments: str) -> None:
        command = [*PROGRAM, "inspect", str(path), "--follow", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.rows: Queue[str] = Queue()
        self.events: Queue[str] = Queue()
        for stream, lines in ((self.process.stdout, self.rows), (self.process.stderr, self.events)):
            threading.Thread(target=put, args=(stream, lines), daemon=True).start()

    def event(self) -> str:
        return self.events.get(timeout=30).strip()

    def row(self) -> str:
        return self.rows.get(timeout=30).strip()


@contextmanager
def following(path: Path, *arguments: str) -> Iterator[Running]:
    running = Running(path, *arguments)
    try:
        assert "following" in running.event()
        yield running
    finally:
        running.process.kill()
        running.process.wait()


@pytest.fixture
def journal(tmp_path: Path) -> tuple[Path, bytes, list[int]]:
    """Return three values: a JBoss journal whose file has one record so far, the later content of this file,
    and the ends of its records.
    """
    target = store("jboss_journal/hornetq-2.4.9/adds", tmp_path)
    changed(target, "remove *.toml; remove *.json")
    found = [json.loads(line) for line in call("inspect", target, "--ndjson").stdout.splitlines()]
    places = [each["record"]["at"] for each in found if "record" in each]
    (name,) = {each["file"] for each in places}
    ends = [int(each["off"]) + int(each["len"]) for each in places]
    file = target / name
    whole = file.read_bytes()
    file.write_bytes(whole[: ends[0]] + bytes(len(whole) - ends[0]))
    return file, whole, ends


def write(file: Path, at: int, data: bytes) -> None:
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(data)


def test_rows_are_printed_while_they_are_written_and_files_are_unchanged(
    journal: tuple[Path, bytes, list[int]],
) -> None:
    file, whole, ends = journal
    assert len(ends) > 2
    with following(file.parent, "--ndjson") as running:
        for begin, end in pairwise(ends):
            write(file, begin, whole[begin:end])
            at = json.loads(running.row())["record"]["at"]
            assert (int(at["off"]), int(at["off"]) + int(at["len"])) == (begin, end)
        assert file.read_bytes()[: ends[-1]] == whole[: ends[-1]]
        with pytest.raises(Empty):
            running.rows.get(timeout=1.5)
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(30) == 130


@pytest.mark.parametrize("form", [["--csv"], []], ids=["csv", "text"])
def test_limit_ends_the_command(journal: tuple[Path, bytes, list[int]], form: list[str]) -> None:
    file, whole, ends = journal
    with following(file.parent, "--limit", "1", "--type", "add", *form) as running:
        write(file, ends[0], whole[ends[0] : ends[-1]])
        assert running.process.wait(30) == 0
        head = [running.row()] if form else []
        assert all(line.startswith("journal,file,off") for line in head)
        assert (
            f"{file.name},{ends[0]}," in running.row() if form else f"{file.name}:{ends[0]} " in running.row()
        )


def replaced(file: Path) -> None:
    other = file.with_suffix(".other")
    shutil.copy(file, other)
    other.replace(file)


def reused(file: Path) -> None:
    """Replace the first record by one with another id."""
    first = call("inspect", file.parent, "--csv").stdout.splitlines()[1]
    at = int(first.split(",")[2]) + 12
    write(file, at, bytes([file.read_bytes()[at] ^ 0x55]))


HAPPENS: dict[str, tuple[Callable[[Path], object], str]] = {
    "deleted": (Path.unlink, "was deleted"),
    "moved": (lambda file: file.rename(file.parent / "elsewhere.hq"), "was moved to elsewhere.hq"),
    "truncated": (lambda file: os.truncate(file, file.stat().st_size - 1), "was truncated from "),
    "replaced": (replaced, "was replaced by another file"),
    "reused": (reused, "was reused: it begins with another record"),
}


@pytest.mark.parametrize("name", HAPPENS)
def test_changes_of_a_file_are_reported(name: str, journal: tuple[Path, bytes, list[int]]) -> None:
    file, _, _ = journal
    do, told = HAPPENS[name]
    with following(file.parent, "--csv") as running:
        do(file)
        assert running.event().startswith(f"journalspec: {file.name} {told}")


def test_only_new_records_of_a_growing_log_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of Bitronix also work, although each write changes their header."""
    target = store("bitronix_tlog/bitronix-2.1.4/partial-commit", tmp_path)
    name = next(each for each in sorted(target.glob("*.tlog")) if b"xntB" in each.read_bytes()[20:])
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        data = bytearray(name.read_bytes())
        write(name, 4, bytes([data[4]]))
        if len(waits) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("journalspec_conformance.cli.follow.time.sleep", wait)
    done = call("inspect", target, "--follow", "--csv", status=130)
    assert len(done.stdout.splitlines()) == 1  # The names of the columns.
    assert "was" not in done.stderr
