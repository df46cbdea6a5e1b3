"""The runner leaves no processes and files, however it ends; the tests use real processes."""

from __future__ import annotations

import ctypes
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes._deeds import deep
from faults import marked

from journalspec_conformance.programs import DEPTH, MEMORY, Program, remove, scratch, walk
from journalspec_corpus.load import find_case
from judged import CASES, PROGRAM
from programs import until

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc (Linux)")

MARK = "JOURNALSPEC_TEST_MARK"
#: Seconds to wait for the end of all processes on a busy machine; a remaining process would run for 100
#: seconds.
GRACE = 30.0
#: Serves the reference, and hangs at the second question. It leaves a directory, and a double-forked process
#: in its own session.
HANGS = """
import os, sys, tempfile, time
def leave():
    tempfile.mkdtemp()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(100)"])
        os._exit(0)
    os.wait()
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


@pytest.fixture
def mark() -> Iterator[str]:
    """Yield a value for the environment of all processes of a test; processes left afterwards are killed."""
    value = secrets.token_hex(8)
    yield value
    for pid in marked(MARK, value):
        os.kill(pid, signal.SIGKILL)


def environment(mark: str, tmp: Path, **more: str) -> dict[str, str]:
    place = tmp / "tmp"
    place.mkdir(exist_ok=True)
    return {**os.environ, MARK: mark, "TMPDIR": str(place), MEMORY: str(place), **more}


def left(mark: str, tmp: Path) -> list[str]:
    """Return the remaining processes and files of a command."""
    until(lambda: not marked(MARK, mark) and not list((tmp / "tmp").iterdir()), GRACE)
    return [*marked(MARK, mark).values(), *(str(path) for path in (tmp / "tmp").rglob("*"))]


STATUSES = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130}


def begun(program: Path, source: str, mark: str, *options: str) -> subprocess.Popen[str]:
    """Begin a run whose implementation is a program, which writes the file `told` when it hangs."""
    program.write_text(source)
    command = [*PROGRAM, "run", "--cases", str(CASES), "--impl", f"{sys.executable} {program}"]
    command += ["--select", "**/read", *options]
    given = environment(mark, program.parent, TOLD=str(program.with_name("told")))
    nothing = subprocess.DEVNULL
    return subprocess.Popen(
        command, env=given, stdin=nothing, stdout=nothing, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize(
    ("number", "jobs"),
    [*((number, "1") for number in STATUSES), (signal.SIGKILL, "2"), (signal.SIGTERM, "2")],
)
def test_ended_run_leaves_no_files_and_processes(
    number: signal.Signals, jobs: str, mark: str, tmp_path: Path
) -> None:
    told, report = tmp_path / "told", tmp_path / "report.jsonl"
    report.write_text("the last one")
    options = ("--report", str(report), "--timeout", "90", "--jobs", jobs)
    runner = begun(tmp_path / "hangs.py", HANGS, mark, *options)
    assert until(lambda: told.exists() and told.read_text().endswith("\n"), 90)
    assert len(marked(MARK, mark)) > 2, "there are processes and files that could remain"
    assert list((tmp_path / "tmp").iterdir())
    runner.send_signal(number)
    _, said = runner.communicate(timeout=60)
    if number == signal.SIGKILL:
        # Only processes that the implementation detached may remain.
        assert until(lambda: all("time.sleep(100)" in line for line in marked(MARK, mark).values()), GRACE)
    else:
        assert left(mark, tmp_path) == []
        assert said == {130: "interrupted\n"}.get(runner.returncode, f"ended by {number.name}\n")
    assert runner.returncode == STATUSES[number]
    assert report.read_text() == "the last one", "a report exists only after its run has ended"
    assert {path.name for path in tmp_path.iterdir()} == {"hangs.py", "told", "report.jsonl", "tmp"}


def test_finished_run_leaves_no_files_and_processes(mark: str, tmp_path: Path) -> None:
    runner = begun(tmp_path / "leaves.py", HANGS.replace("self.asked == 2", "False"), mark)
    _, said = runner.communicate(timeout=90)
    assert runner.returncode == 0, said
    assert left(mark, tmp_path) == []


@pytest.mark.parametrize("end", ["", "raise SystemExit(3)", "1 / 0"])
def test_temporary_files_are_removed_with_their_program(end: str, mark: str, tmp_path: Path) -> None:
    code = f"""
from journalspec_conformance.programs import Program, make_scratch
places = [make_scratch(), make_scratch(memory=True)]
for place in places:
    (place / "a" / "b").mkdir(parents=True)
    (place / "out").symlink_to("/")
program = Program(["sleep", "100"])
{end}
"""
    given = environment(mark, tmp_path)
    subprocess.run([sys.executable, "-c", code], env=given, stderr=subprocess.DEVNULL, check=False)
    assert left(mark, tmp_path) == []


@pytest.mark.parametrize("ends", ["", "sleep 100"])
def test_all_processes_that_a_program_started_end_with_it(ends: str, mark: str) -> None:
    text = f"setsid sleep 100 & (setsid sleep 100 &) ; touch $TMPDIR/x; echo $TMPDIR; {ends}"
    program = Program(["sh", "-c", text], {**os.environ, MARK: mark})
    assert Path(program.stdout.readline().decode().strip()) == program.directories[0]
    if not ends:
        assert program.wait(10) == 0
    program.end()
    assert marked(MARK, mark) == {}
    assert not any(directory.exists() for directory in program.directories)


def test_directories_are_removed_with_all_content(tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    with scratch() as place:
        (place / "closed").mkdir(mode=0)
        (place / "link").symlink_to(tmp_path)
        deep(place)
        found = dict(walk(place))
        assert len(found) == DEPTH + 2
        assert {"closed", "link", "d/d"} <= found.keys()
    assert not place.exists()
    (tmp_path / "link").symlink_to(tmp_path)
    assert remove(tmp_path / "link") == ""
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]


@pytest.fixture
def nobody() -> Iterator[None]:
    """Give up the rights of root for a while.

    Root is never refused, so a missing right would not be noticed.
    """
    root = os.geteuid() == 0
    if root:
        os.setresuid(65534, 65534, 0)
        # A process that changes its user cannot read its own entry in /proc; make it readable again.
        ctypes.CDLL(None).prctl(4, 1)
    yield
    if root:
        os.setresuid(0, 0, 0)
        ctypes.CDLL(None).prctl(4, 1)


@pytest.mark.usefixtures("nobody")
def test_dropped_permissions_are_restored() -> None:
    with tempfile.TemporaryDirectory() as name:
        for mode in (0o000, 0o100, 0o200, 0o400, 0o500):
            tree = Path(name) / f"{mode:o}"
            (tree / "a/b/c").mkdir(parents=True)
            (tree / "a/b/file").write_bytes(b"x")
            for path in ("a/b/c", "a/b/file", "a/b", "a", ""):
                (tree / path).chmod(mode)
            assert remove(tree) == ""
        assert list(Path(name).iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs the right to mount")
def test_directory_with_a_mount_is_not_removed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "precious").touch()
    with scratch() as place:
        (place / "here").mkdir()
        command = ["/bin/mount", "--bind", str(tmp_path), str(place / "here")]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("mounting is not permitted here")
    try:
        assert (tmp_path / "precious").exists()
        said = capfd.readouterr().err
        assert said == f"{place}: cannot be removed: something is mounted there. Check its content.\n"
    finally:
        subprocess.run(["/bin/umount", str(place / "here")], check=True)
    assert remove(place) == ""


@pytest.mark.parametrize("command", ["inspect", "recover"])
def test_inspect_and_recover_run_without_psutil(command: str, tmp_path: Path) -> None:
    find_case("btm.clean.two-phase").materialize(tmp_path)
    code = "import sys; sys.modules.update(psutil=None); from journalspec_conformance.cli import main; main()"
    words = [sys.executable, "-c", code, command, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
