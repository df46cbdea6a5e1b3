"""All types are right: mypy, strict, next to the other tests, or one core would wait for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import stores


def test_types_hold(tmp_path: Path) -> None:
    """What mypy has found out in the last run is kept for the next clone: it asks for changed files alone.

    Kept in one file, and used as a copy: several runs at once do not meet.
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
    with suppress(OSError):  # where no cache can be written the next run takes as long as this one
        kept.parent.mkdir(parents=True, exist_ok=True)
        Path(shutil.make_archive(f"{kept}.{os.getpid()}", "tar", own)).replace(kept)
