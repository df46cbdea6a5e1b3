"""All types are right. Strict mypy runs in parallel with the other tests, so that no core is idle."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import stores


def test_mypy_reports_no_errors(tmp_path: Path) -> None:
    """mypy's cache from the last run is kept, so that mypy checks only changed files, even in a new clone.

    The cache is one file, and each run uses a copy: simultaneous runs do not interfere.
    """
    pytest.importorskip("mypy", reason="mypy is missing: install journalspec[test]")
    kept, own = stores.cache() / "types.tar", tmp_path / "cache"
    if kept.is_file():
        shutil.unpack_archive(kept, own, filter="data")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(own)]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with suppress(OSError):  # Without the cache, the next run takes as long as this one.
        kept.parent.mkdir(parents=True, exist_ok=True)
        Path(shutil.make_archive(f"{kept}.{os.getpid()}", "tar", own)).replace(kept)
