"""Common behaviour of `inspect` and `recover`: editions, omitted files, parameters, exit statuses."""

from __future__ import annotations

import errno
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from journals import CAPTURED, HORNETQ, add, delete, page, short
from journalspec import reread
from journalspec.observation import REFUSED
from journalspec_conformance.cli import COMMANDS
from journalspec_reference import content
from journalspec_reference.answers import ask
from journalspec_reference.content import FileSource
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.kahadb_journal.fileset import MARKED
from judged import in_full
from situations import store

BOTH = pytest.mark.parametrize("command", ["inspect", "recover"])


def run(*arguments: object) -> Result:
    return in_full(*arguments, columns=100)


def answer(*arguments: object) -> dict[str, Any]:
    """Return the output for programs."""
    found: dict[str, Any] = json.loads(run(*arguments, "--json").stdout)
    return found


def test_assumed_edition_and_its_trials_are_reported(tmp_path: Path) -> None:
    seen = answer("inspect", store("short", tmp_path))
    assert seen["edition"] == "s2"
    assert [(t["edition"], t["agrees"], t["verdict"]) for t in seen["edition_assumed"]["trials"]] == [
        ("seed", False, "recovered"),
        ("seed+hash", False, "recovered"),
        ("s1", True, "clean"),
        ("s2", True, "clean"),
    ]
    assert "edition-assumed" in [note["code"] for note in seen["notes"]]


@BOTH
def test_ambiguous_edition_ends_with_2_and_prints_commands_to_try(tmp_path: Path, command: str) -> None:
    short(tmp_path, add("s1", 1), delete("s1", 1)[:-1] + b"\xff", add("s1", 2))
    options = ["--param", "extension=jbm", *(["--policy", "salvage"] if command == "recover" else [])]
    result = run(command, tmp_path, "--json", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "s1: recovered, 2 record(s), 1 dropped region(s)" in result.stderr
    lines = [line.strip() for line in result.stderr.splitlines() if line.strip().startswith("journalspec ")]
    assert len(lines) == 4
    for line in lines:
        words = shlex.split(line)
        assert set(options) <= set(words)
        assert run(*words[1:]).exit_code == 1


@BOTH
@pytest.mark.parametrize(
    ("states", "status"),
    [(("clean",), 0), (("clean", "recovered"), 1), (("recovered", "refused", "clean"), 3), (("refused",), 3)],
)
def test_exit_status_is_that_of_the_worst_journal(
    tmp_path: Path, command: str, states: tuple[str, ...], status: int
) -> None:
    records = {"clean": [add("v2", 1)], "recovered": [add("v2", 1)[:-1] + b"\xff"], "refused": []}
    for number, state in enumerate(states):
        path = tmp_path / f"data-1.e{chr(97 + number)}"
        page(path, "v2", *records[state], user_version=5 if state == "refused" else 0)
    result = run(command, tmp_path, "--format", "jboss_journal", "--json")
    assert result.exit_code == status, result.output
    whole = json.loads(result.stdout)
    assert [journal["verdict"] for journal in whole.get("journals", [whole])] == list(states)


@BOTH
def test_next_step_of_a_refusal_repeats_the_given_options(tmp_path: Path, command: str) -> None:
    for number, user in ((1, 3), (2, 5)):
        page(tmp_path / f"d-{number}.hq", "v2", file_id=number, user_version=user)
    options = ["--format", "jboss_journal", "--edition", "v2", "--param", "user_version=3"]
    result = run("recover", tmp_path, *options)
    assert result.exit_code == 3
    hints = [line.strip() for line in result.stdout.splitlines() if line.strip().startswith("journalspec ")]
    (hint,) = (hint for hint in hints if hint.startswith(f"journalspec {command} "))
    assert set(options) <= set(shlex.split(hint))
    assert run(*shlex.split(hint)[1:]).exit_code == 1


# Exit statuses of a process.


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(("raised", "status"), [(KeyboardInterrupt, 130), (BrokenPipeError, 141)])
def test_interrupted_commands_end_with_130_or_141(
    monkeypatch: pytest.MonkeyPatch, name: str, raised: type[BaseException], status: int
) -> None:
    entry = COMMANDS[name]
    command = getattr(import_module(f"journalspec_conformance.cli.{entry.module}"), entry.attribute)

    def interrupt(_: object) -> None:
        raise raised

    monkeypatch.setattr(command, "invoke", interrupt)
    monkeypatch.setattr(command, "parse_args", lambda context, arguments: [])
    result = run(name)
    assert result.exit_code == status
    assert "Traceback" not in result.output


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_during_imports_ends_the_program_without_output(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    command = [sys.executable, "-m", "journalspec_conformance", "formats"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_record_of_an_earlier_generation_shows_its_own_file_id() -> None:
    seen = answer("inspect", "--edition", "v2", HORNETQ / "reuse-stale")
    headers = {file["file"]: file["header"].get("file_id") for file in seen["files"]}
    assert seen["unanchored"]
    assert all(item["file_id"] != headers[item["at"]["file"]] for item in seen["unanchored"])


@BOTH
def test_journal_that_changes_during_the_read_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    for number in (1, 2):
        page(tmp_path / f"data-{number}.hq", "v2", add("v2", number, number), file_id=number)
    assert run(command, tmp_path, "--edition", "v2").exit_code == 0
    monkeypatch.setattr(FileSource, "changed", lambda source: source._path.endswith("data-2.hq"))
    seen = run(command, tmp_path, "--edition", "v2")
    assert seen.exit_code == 1, seen.output
    below = seen.stdout[seen.stdout.index("verdict  recovered") :].splitlines()[1]
    assert below.strip().startswith("the journal changed during the read: data-2.hq")
    told = answer(command, tmp_path, "--edition", "v2")
    assert told["verdict"] == "recovered"
    assert {"code": "changed-while-read", "file": "data-2.hq"} in told["notes"]


@pytest.mark.parametrize(("command", "options"), [("inspect", ["--hex"]), ("recover", ["--json"])])
def test_read_error_in_the_second_pass_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, options: list[str]
) -> None:
    first, second = add("v2", 1, 1), add("v2", 9, 1)
    page(tmp_path / "data-1.hq", "v2", first, bytes(1 << 15), second, file_id=1, size=1 << 16)
    for name, value in (("BLOCK", 4096), ("SMALL", 8)):
        monkeypatch.setattr(content, name, value)
    monkeypatch.setattr(content.Blocks.__init__, "__defaults__", (4096,))
    monkeypatch.setattr(reread, "KEEP", 0)
    asked = {"reads": 0, "from": 1 << 30}
    real = FileSource.read

    def read(source: FileSource, off: int, size: int) -> bytes:
        if source._path.endswith("data-1.hq") and off < 36864 and off + size > 32768:
            asked["reads"] += 1
            if asked["reads"] > asked["from"]:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(source, off, size)

    monkeypatch.setattr(FileSource, "read", read)
    arguments = (command, tmp_path, "--edition", "v2", *options)
    assert run(*arguments).exit_code == 1  # The zeros between the records are a hole.
    assert asked["reads"] > 1
    asked |= {"from": asked["reads"] - 1, "reads": 0}
    seen = run(*arguments)
    assert seen.exit_code == 2, seen.output
    assert "data-1.hq, offset 32768, 4096 bytes: read once, and not again: Input/output error" in seen.stderr
    assert "ddrescue" in seen.stderr
    assert "changed" not in seen.stderr


def cuts(files: Mapping[str, bytes]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield the files after a crash.

    The last file is truncated at some byte, contains zeros from there on, or only zeros.
    """
    last = list(files)[-1]
    data = files[last]
    used = len(data.rstrip(b"\0")) if data.endswith(b"\0") else data.find(b"-qMa4" + bytes(8)) + 5
    used = used if used > 4 else len(data)
    for at in range(0, used, max(1, used // 8)):
        yield f"zeroed from {at}", {**files, last: data[:at] + bytes(len(data) - at)}
        if at:
            yield f"cut at {at}", {**files, last: data[:at]}
    yield "zeros", {**files, last: bytes(len(data))}


@pytest.mark.parametrize("version", ["5.15.16", "6.1.7"])
@pytest.mark.parametrize("scenario", ["rollover", "larger-than-a-file"])
def test_journal_truncated_by_a_crash_keeps_its_edition(scenario: str, version: str, tmp_path: Path) -> None:
    """Intact files before the last file are read as before, whatever the last file contains."""
    source = CAPTURED / "kahadb_journal" / f"activemq-{version}" / scenario
    found = {path.name: path.read_bytes() for path in source.glob("**/db-*.log")}
    files = dict(sorted(found.items(), key=lambda item: int(item[0][3:-4])))
    used = {name: data for name, data in files.items() if not data.startswith(b"-qMa4")}
    assert len(used) > 1
    before = None
    for number, (what, left) in enumerate(cuts(used)):
        directory = tmp_path / str(number)
        directory.mkdir()
        for name, data in left.items():
            directory.joinpath(name).write_bytes(data)
        (journal,) = find_journals(load(directory), "kahadb_journal")
        seen = ask(journal, "strict").observation
        assert journal.edition in MARKED, what
        assert seen.verdict != REFUSED, what
        last = list(used)[-1]
        kept = [record for record in seen.records if record.at.file != last]
        before = before or kept
        assert kept == before, what
