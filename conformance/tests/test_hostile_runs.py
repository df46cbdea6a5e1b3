"""Runs under bad conditions: killed during unpacking, a full disk, ten thousand files, damaged journals."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tarfile
from functools import partial
from pathlib import Path

import pytest

from journals import CAPTURED
from journalspec.formats import format_ids
from judged import PROGRAM, call, start
from programs import until
from work import LINEAR, Task, growth

STORE = CAPTURED / "kahadb_journal" / "activemq-5.11.4" / "in-doubt"
FULL = Path("/dev/full")
#: The seconds within which a run must begin to unpack, and must end.
SECONDS = 120
COMMANDS = (
    *("check", "check --json", "why", "inspect", "inspect --redact --all", "inspect --ndjson"),
    *("inspect --csv", "inspect --count-by type", "inspect --hex", "recover", "recover --json"),
    "explain KHD-MSG-006",
)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive whose unpacking takes seconds: many zeros, which compress well."""
    place = tmp_path_factory.mktemp("large")
    with (place / "db-1.log").open("wb") as stream:
        stream.truncate(1 << 30)
    with tarfile.open(place / "a.tgz", "w:gz", compresslevel=1) as packed:
        packed.add(place / "db-1.log", "kahadb/db-1.log")
    (place / "db-1.log").unlink()
    return place / "a.tgz"


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_killed_unpacking_leaves_no_files(
    number: signal.Signals, status: int, large: Path, tmp_path: Path
) -> None:
    place = tmp_path / "tmp"
    place.mkdir()
    given = {**os.environ, "TMPDIR": str(place)}
    run = subprocess.Popen([*PROGRAM, "check", str(large)], env=given, stderr=subprocess.PIPE)
    assert until(lambda: [*place.rglob("*.log")] or run.poll() is not None, SECONDS)
    assert run.poll() is None
    run.send_signal(number)
    _, said = run.communicate(timeout=SECONDS)
    assert run.returncode == status, said
    assert [*place.iterdir()] == []


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", COMMANDS[::3])  # One command per form of output.
def test_full_disk_is_an_error_and_not_an_internal_error(command: str) -> None:
    with FULL.open("wb") as out:
        done = start(*command.split(), STORE, stdout=out, stderr=subprocess.PIPE, timeout=SECONDS)
    assert done.returncode not in (0, 1), "the output was lost, so the status must not be that of an answer"
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "fault of journalspec" not in done.stderr


@pytest.mark.parametrize("command", ["inspect", "check"])  # The other commands find journals in the same way.
def test_directory_with_many_files_takes_linear_time_and_few_lines(command: str, tmp_path: Path) -> None:
    for path in STORE.glob("db*"):
        shutil.copy(path, tmp_path)

    def asked(count: int) -> Task:
        for number in range(count):
            (tmp_path / f"note-{number}.txt").write_bytes(b"x")
        return partial(call, command, tmp_path, columns=100)

    assert growth(asked, 100) < LINEAR
    done = asked(1000)()
    assert done.exit_code in (0, 1), done.output
    assert len(done.stdout.splitlines()) <= 40


@pytest.mark.parametrize("format_id", format_ids())
def test_every_command_handles_damaged_journals(format_id: str, tmp_path: Path) -> None:
    draw = random.Random(format_id)
    groups = sorted(path for path in (CAPTURED / format_id).glob("*/*") if path.is_dir())
    if not groups:
        pytest.skip("this format has no captured files")
    asked = 0
    for number in range(12):
        store = tmp_path / str(number)
        shutil.copytree(draw.choice(groups), store)
        for path in [path for path in store.rglob("*") if path.is_file()]:
            data = bytearray(path.read_bytes())
            for _ in range(draw.randint(1, 6) if data else 0):
                data[draw.randrange(len(data))] = draw.randrange(256)
            path.write_bytes(data[: draw.choice((len(data), draw.randint(0, len(data))))])
        command = COMMANDS[number].split()
        done = call(*command, store, columns=100)
        asked += done.exit_code != 2
        assert done.exit_code in (0, 1, 2, 3), (command, store)
        assert "fault of journalspec" not in done.stderr, (command, store)
        assert len(command) > 1 or len(done.stdout.splitlines()) <= 40, (command, store)
    assert asked
