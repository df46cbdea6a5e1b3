"""Nothing outlives the runner: real processes, killed in every way, and what is left of them."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from journalspec import keeper, trees
from journalspec.keeper import is_own
from journalspec.kept import Kept, forget, scratch
from judged import CASES, PROGRAM
from programs import until

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc (Linux)")

MARK = "JOURNALSPEC_TEST_MARK"
#: Everything of a killed runner is gone after so many seconds, also on a busy machine: what is left
#: would stay for 100 seconds, and longer.
GRACE = 30.0
#: Leaves a process in a session of its own, double-forked, and a file in its scratch directory.
LEAVES = """
import os, subprocess, sys, tempfile, time
quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
def leave():
    tempfile.mkdtemp()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(100)"])
        os._exit(0)
    os.wait()
"""
#: Serves the reference; leaves something behind, and hangs at the second question.
HANGS = (
    LEAVES
    + """
sys.argv = ["serve"]
from journalspec_conformance.harnesses.reference import Reference
from journalspec_conformance.serve import serve
class Hangs(Reference):
    asked = 0
    def read(self, request):
        leave()
        self.asked += 1
        if self.asked == 2:
            print("waiting", request["dir"], file=open(os.environ["TOLD"], "w"), flush=True)
            time.sleep(100)
        return super().read(request)
serve(Hangs(), sys.stdin, sys.stdout)
"""
)


@pytest.fixture
def mark() -> Iterator[str]:
    """A value in the environment of all that a test starts; what still carries it afterwards is killed."""
    value = secrets.token_hex(8)
    yield value
    for pid in marked(value):
        os.kill(pid, signal.SIGKILL)


def marked(value: str) -> list[int]:
    """Return the processes that carry the mark, zombies aside: these have no environment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={value}".encode() in entry.read_bytes().split(b"\0"):
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


def environment(mark: str, tmp: Path, **more: str) -> dict[str, str]:
    place = tmp / "tmp"
    place.mkdir(exist_ok=True)
    return {**os.environ, MARK: mark, "TMPDIR": str(place), **more}


def left(mark: str, tmp: Path) -> list[str]:
    """Return what is left of a killed command: processes and files."""
    until(lambda: not marked(mark) and not list((tmp / "tmp").iterdir()), GRACE)
    processes = [Path(f"/proc/{pid}/cmdline").read_bytes().decode() for pid in marked(mark)]
    return processes + [str(path) for path in (tmp / "tmp").rglob("*")]


RUN = [*PROGRAM, "run"]


@pytest.mark.parametrize(
    ("number", "jobs"),
    [
        (signal.SIGKILL, "1"),
        (signal.SIGTERM, "1"),
        (signal.SIGHUP, "1"),
        (signal.SIGINT, "1"),
        (signal.SIGKILL, "2"),
        (signal.SIGTERM, "2"),
    ],
)
def test_a_killed_run_leaves_nothing(number: signal.Signals, jobs: str, mark: str, tmp_path: Path) -> None:
    program = tmp_path / "hangs.py"
    program.write_text(HANGS)
    told, report = tmp_path / "told", tmp_path / "report.jsonl"
    report.write_text("the last one")
    command = [*RUN, "--cases", str(CASES), "--impl", f"{sys.executable} {program}", "--report", str(report)]
    command += ["--timeout", "90", "--jobs", jobs, "--select", "**/read"]
    runner = subprocess.Popen(
        command,
        env=environment(mark, tmp_path, TOLD=str(told)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert until(lambda: told.exists() and told.read_text().endswith("\n"), 90)
    assert len(marked(mark)) > 2, "something is there to be left behind"
    assert list((tmp_path / "tmp").iterdir())
    runner.send_signal(number)
    _, said = runner.communicate(timeout=60)
    assert left(mark, tmp_path) == []
    assert report.read_text() == "the last one", "a report is not there before its run has ended"
    assert {path.name for path in tmp_path.iterdir()} == {"hangs.py", "told", "report.jsonl", "tmp"}
    statuses = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130}
    assert runner.returncode == statuses[number]
    if number != signal.SIGKILL:
        assert said == {130: "interrupted\n"}.get(runner.returncode, f"ended by {number.name}\n")


def test_a_run_that_ends_leaves_nothing(mark: str, tmp_path: Path) -> None:
    program = tmp_path / "leaves.py"
    program.write_text(HANGS.replace("self.asked == 2", "False"))
    command = [*RUN, "--cases", str(CASES), "--impl", f"{sys.executable} {program}", "--select", "**/read"]
    done = subprocess.run(
        command, env=environment(mark, tmp_path), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert left(mark, tmp_path) == []


def test_a_shipped_harness_leaves_no_directory_when_killed(mark: str, tmp_path: Path) -> None:
    code = """
    import os, time
    from journalspec.kept import make_scratch
    places = [make_scratch(), make_scratch(memory=True)]
    for place in places:
        (place / "a" / "b").mkdir(parents=True)
        (place / "out").symlink_to("/")
    print(*places, flush=True)
    time.sleep(100)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    runner = subprocess.Popen(command, env=environment(mark, tmp_path), stdout=subprocess.PIPE, text=True)
    assert runner.stdout is not None
    places = [Path(name) for name in runner.stdout.readline().split()]
    assert all(place.exists() for place in places)
    runner.kill()
    runner.wait()
    runner.stdout.close()
    assert left(mark, tmp_path) == []
    assert until(lambda: not any(place.exists() for place in places), GRACE)


def sh(text: str, mark: str) -> Kept:
    return Kept(["sh", "-c", text], {**os.environ, MARK: mark})


def test_how_a_program_ended_is_told_as_it_was(mark: str) -> None:
    for text, status in {"exit 3": 3, "kill -SEGV $$": -11, "true": 0, "kill -TERM $PPID; exit 4": 4}.items():
        program = sh(text, mark)
        assert program.wait(10) == status
        program.stop()
    assert marked(mark) == []


def test_no_such_program(mark: str) -> None:
    program = Kept(["/no/such/program"], {**os.environ, MARK: mark})
    program.wait(10)
    assert isinstance(program.failure, FileNotFoundError)
    program.stop()


def test_the_end_of_a_program_is_the_end_of_what_it_started(mark: str) -> None:
    program = sh("setsid sleep 100 & (setsid sleep 100 &) ; echo done", mark)
    assert program.stdout.read() == b"done\n", "at once: whoever holds the pipe is gone"
    assert program.wait(10) == 0
    program.stop()
    assert marked(mark) == []


def test_who_kills_its_keeper_goes_with_it(mark: str) -> None:
    program = sh("setsid sleep 100 & mkdir $TMPDIR/x; kill -9 $PPID; sleep 100", mark)
    assert program.wait(10) == -signal.SIGKILL
    program.stop()
    assert until(lambda: marked(mark) == [], GRACE)
    assert not any(Path(place).exists() for place in program.scratch)


def test_a_program_finds_a_directory_of_its_own(mark: str) -> None:
    program = sh('echo $TMPDIR; touch "$TMPDIR/file"; chmod 0 "$TMPDIR"', mark)
    place = Path(program.stdout.read().decode().strip())
    assert str(place) == program.scratch[0]
    program.stop()
    assert not place.exists()


def test_memory_of_all_that_it_started_is_counted(mark: str) -> None:
    eats = "x = b'x' * 50_000_000; print(flush=True); import time; time.sleep(100)"
    program = sh(f'setsid {sys.executable} -S -c "{eats}"', mark)
    program.stdout.readline()
    assert 50_000_000 < program.memory() < 500_000_000
    program.stop()
    assert marked(mark) == []


#: Runs a program in its scratch directory, beside one of its own, until it is killed.
HOLDS = """
import os, sys, time
from journalspec.kept import Kept, make_scratch
place = make_scratch()
program = Kept(["sh", "-c", "touch \\"$TMPDIR/x\\"; (setsid sleep 100 &); echo; " + sys.argv[1]], os.environ)
program.stdout.readline()
if sys.argv[1] == "true":
    program.wait(20)
    program.stop()
print(flush=True)
time.sleep(100)
"""
#: Directories for temporary files, each with neighbours that a careless reading of its path would hit.
STRANGE = ["run-08:22", "run-08\n22", "-run 08", "run 08:-rf\n:", ":", "run-08:/journalspec-"]


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("ends", ["sleep 100", "true"])
def test_nothing_but_our_own_goes_whatever_the_directory_is_called(
    name: str, ends: str, mark: str, tmp_path: Path
) -> None:
    # Relative pieces of a path lead nowhere but here.
    for precious in (
        "run-08",
        "run-08-best",
        "22",
        "-rf",
        "run",
        "ws/run-08",
        "ws/run-08-best",
        "ws/22",
        "ws/-",
    ):
        (tmp_path / precious).mkdir(parents=True)
        (tmp_path / precious / "precious").write_bytes(b"x")
    place = tmp_path / "ws" / name
    place.mkdir(parents=True)
    for precious in ("journalspec-", "journalspec-0123456789abcdef", "precious"):
        (place / precious).mkdir()
    before = sorted(tmp_path.rglob("*"))
    runner = subprocess.Popen(
        [sys.executable, "-c", HOLDS, ends],
        cwd=tmp_path,
        env={**os.environ, MARK: mark, "TMPDIR": str(place)},
        stdout=subprocess.PIPE,
    )
    assert runner.stdout is not None
    assert runner.stdout.readline() == b"\n"
    assert sorted(tmp_path.rglob("*")) != before, "something is there to be removed"
    runner.kill()
    runner.communicate()
    assert until(lambda: not marked(mark) and sorted(tmp_path.rglob("*")) == before, 15)


@pytest.mark.parametrize(
    "path",
    [
        "journalspec-0123456789abcdef",
        "/t/journalspec-",
        "/t/journalspec-0123456789abcde",
        "/t/journalspec-0123456789abcdeF",
        "/t/journalspec-0123456789abcdef-",
        "/t/journalspec-0123456789abcdef/",
        "/t/x-0123456789abcdef",
        "",
    ],
)
def test_a_keeper_refuses_what_may_be_somebody_elses(path: str) -> None:
    assert not is_own(path)
    assert is_own("/t/journalspec-0123456789abcdef-0123456789abcdef")
    command = [sys.executable, "-I", "-S", str(Path(keeper.__file__)), "0", "1", "1", path, "echo", "started"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "not a scratch directory" in done.stderr


def test_scratch_directories_go_with_all_that_is_in_them() -> None:
    with scratch() as place:
        (place / "closed").mkdir(mode=0)
        (place / "link").symlink_to(place)
    assert not place.exists()


def test_what_cannot_be_removed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    other: list[int] = []
    monkeypatch.setattr(trees, "_mount", lambda handle: os.fstat(handle).st_ino in other)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with scratch() as place:
        (place / "mounted").mkdir()
        (place / "mounted/file").touch()
        other.append((place / "mounted").stat().st_ino)
    assert (place / "mounted/file").exists()
    said = capfd.readouterr().err
    assert said.startswith(f"{place}: cannot be removed: something is mounted there")
    assert said.count("\n") == 1
    forget(place)


def test_who_forks_while_he_is_killed_is_killed(mark: str) -> None:
    # Each is born in a session of its own before its parent ends: no list of processes is ever complete.
    forks = """
import os, time
if os.fork():
    os.write(1, b"x")
    time.sleep(100)
os.fork()
while True:
    if os.fork():
        os._exit(0)
    os.setsid()
"""
    program = Kept([sys.executable, "-S", "-c", forks], {**os.environ, MARK: mark})
    assert program.stdout.read(1) == b"x"
    program.stop()
    assert marked(mark) == []
