"""The extension lies beside the pages, not in an installed package. The site is built once for all tests."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1]
EXTENSION = str(DOCS / "ext")
if EXTENSION not in sys.path:
    sys.path.insert(0, EXTENSION)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The built site; whichever worker needs it first builds it, with warnings as errors."""
    base = tmp_path_factory.getbasetemp()
    out = (base if worker_id == "master" else base.parent) / "site"
    done = out / "done"
    out.mkdir(exist_ok=True)
    with (out / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            command = [
                sys.executable,
                "-m",
                "sphinx",
                "-n",
                "-T",
                "-W",
                "--keep-going",
                "-q",
                "-E",
                "-j",
                "2",
            ]
            command += ["-d", str(out / "doctrees"), str(DOCS), str(out / "html")]
            built = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1200)
            assert built.returncode == 0, built.stderr
            done.touch()
    return out / "html"
