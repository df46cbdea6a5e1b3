"""An imitation of Windows and macOS: parts of POSIX are missing, line ends and backslashes differ, files are
locked.

The tests also use each Python from 3.11 on that is installed next to this one. These tests do not run on
Windows or macOS: the page *Getting started* lists the systems that were tried.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from judged import call

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
POOR = HERE / "support" / "poor_platform.py"
LOG = ROOT / "corpus" / "captured" / "bitronix_tlog" / "bitronix-2.1.4" / "partial-commit"
#: Commands of an operator and of an implementer, whose output contains no name of a temporary file.
COMMANDS = {
    "inspect": ("inspect", LOG),
    "recover": ("recover", LOG),
    "why": ("why", LOG),
    "export": ("export", LOG, "--as", "jsonl", "--table", "transactions"),
    "query": ("query", LOG, "SELECT count(*) FROM transactions"),
    "list": ("list", "--select", "btm.clean.two-phase"),
}
RUN = ("run", "--impl", "reference", "--select", "btm.clean.two-phase")


def poor(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the environment that lacks most of POSIX."""
    command = [sys.executable, str(POOR), *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_command_prints_the_same_without_most_of_posix(name: str) -> None:
    done, here = poor(*COMMANDS[name], COLUMNS="80"), call(*COMMANDS[name], status=0)
    assert (done.returncode, done.stdout, done.stderr) == (0, here.stdout, here.stderr)


def test_reference_is_tested_without_most_of_posix() -> None:
    done = poor(*RUN)
    assert (done.returncode, "as expected" in done.stdout) == (0, True), done.stdout + done.stderr


def test_new_store_is_written_without_most_of_posix(tmp_path: Path) -> None:
    done = poor("recover", LOG, "--to", tmp_path / "poor")
    assert done.returncode == 0, done.stderr
    call("recover", LOG, "--to", tmp_path / "rich", status=0)
    made = [
        {path.name: path.stat().st_size for path in (tmp_path / name).iterdir()} for name in ("poor", "rich")
    ]
    assert made[0] == made[1]


def test_program_with_windows_line_ends_is_tested(tmp_path: Path) -> None:
    reader = (ROOT / "docs" / "harness" / "my_reader.py").read_text(encoding="utf-8")
    assert "print(" in reader
    ends = 'import sys\nsys.stdout.reconfigure(newline="\\r\\n")\n'
    (tmp_path / "reader.py").write_text(reader.replace("import", f"{ends}import", 1), encoding="utf-8")
    done = poor(
        "run", "--impl", f"{sys.executable} {tmp_path / 'reader.py'}", "--select", "btm.clean.two-phase"
    )
    assert (done.returncode, "as expected" in done.stdout) == (0, True), done.stdout + done.stderr


def test_files_with_windows_line_ends_are_read(tmp_path: Path) -> None:
    entry = '[[expect]]\ncase = "btm.clean.two-phase/read"\noutcome = "fail"\n'
    entry += 'fingerprint = "verdict"\nwhy = "x"\n'
    known = tmp_path / "known.toml"
    known.write_bytes(entry.replace("\n", "\r\n").encode())
    done = call("run", "--impl", "reference", "--select", "btm.clean.two-phase", "--expect", known)
    assert (done.exit_code, "fixed" in done.output) == (1, True), done.output


def test_unremovable_file_does_not_fail_the_run(tmp_path: Path) -> None:
    """Scratch directories remain if a virus scanner has a file in them open; the answer stays the same."""
    done = poor(*RUN, LOCKED=".tlog", TMPDIR=str(tmp_path))
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stdout + done.stderr


def test_names_in_answers_have_slashes_on_every_system() -> None:
    """A path below a journal becomes a name by `as_posix`; `str` would use backslashes on Windows.

    Paths given by a user are shown as the user wrote them, in the style of the system.
    """
    wrong = []
    for folder in ("specs", "reference_impl", "corpus", "conformance"):
        for path in sorted((ROOT / folder).glob("journalspec*/**/*.py")):
            if path.name == "places.py":
                continue
            found = re.findall(r"\bstr\([\w.]+\.relative_to\([^()]*\)\)", path.read_text(encoding="utf-8"))
            wrong += [f"{path.name}: {text}" for text in found]
    assert wrong == []


def other_pythons() -> list[Path]:
    """Return the different interpreters from 3.11 on that are installed next to this one."""
    names = [f"python3.{minor}" for minor in range(11, 20) if minor != sys.version_info.minor]
    found = [Path(path) for name in names if (path := shutil.which(name))]
    found += [path for name in names for path in sorted(Path(sys.base_prefix).parent.glob(f"3.*/bin/{name}"))]
    return list({path.name: path for path in found}.values())


@pytest.mark.parametrize("python", other_pythons(), ids=lambda path: path.name)
def test_single_file_program_runs_with_another_python(python: Path, tmp_path: Path) -> None:
    out = tmp_path / "journalspec.pyz"
    tool = [sys.executable, str(ROOT / "tools" / "one_file.py"), str(out)]
    subprocess.run(tool, check=True, capture_output=True)
    command = [str(python), "-I", "-S", str(out), "check", str(LOG)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, call("check", LOG).stdout), done.stderr
