"""Fixtures for tests of the pages: they build the site once.

The site's extension is in docs/ext, not in a package.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from journalspec_conformance.harnesses import registry

DOCS = Path(__file__).resolve().parents[1]
EXTENSION = str(DOCS / "ext")
if EXTENSION not in sys.path:
    sys.path.insert(0, EXTENSION)


@pytest.fixture(scope="session")
def site(
    made_once: Callable[[str, Callable[[Path], None]], Path], live_report: Callable[[str, str], Path]
) -> Path:
    """Return the built site; a warning of the build is an error."""

    from journalspec_docs import matrix

    def build(out: Path) -> None:
        targets = [name for name, entry in registry().items() if entry.target]
        made = [live_report(name, tier) for name in targets for tier in ("smoke", "captured")]
        # The build uses one process, because the other core runs other tests. Several processes take half as
        # much time again, because they exchange results. The test of a sixth format builds with two
        # processes.
        command = [sys.executable, "-m", "sphinx", "-n", "-T", "-W", "--keep-going", "-q", "-E"]
        command += ["-d", str(out / "doctrees"), str(DOCS), str(out / "html")]
        given = {matrix.MADE: os.pathsep.join(map(str, made))}
        built = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=1200, env=os.environ | given
        )
        assert built.returncode == 0, built.stderr

    return made_once("site", build) / "html"
