"""All types are right: mypy, strict, next to the other tests, or one core would wait for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def test_types_hold() -> None:
    pytest.importorskip("mypy", reason="mypy is missing: install journalspec[test]")
    command = [sys.executable, "-m", "mypy"]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
