"""Names that steer terminals, break lines or are no text: shown escaped, and kept in JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from journalspec_corpus import load_cases
from judged import STRANGE, call, harmless, start

#: The shown form of STRANGE.
SHOWN = r"x\x1b]0;owned\x07\x1b[2J\n\udcff"


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal in a directory of such a name, with a second copy of its first file under one."""
    directory = tmp_path_factory.mktemp("names") / STRANGE
    try:
        directory.mkdir()
    except OSError:
        pytest.skip("this file system takes no such names")
    (case,) = (case for case in load_cases() if case.id == "btm.clean.two-phase")
    case.materialize(directory)
    first = min(directory.iterdir())
    (directory / STRANGE).write_bytes(first.read_bytes())
    return directory


@pytest.mark.parametrize(
    "command",
    [["inspect"], ["inspect", "--hex"], ["inspect", "--level", "layout"], ["recover"]],
    ids=" ".join,
)
def test_text_shows_them_escaped(command: Sequence[str], journal: Path) -> None:
    done = call(*command, journal)
    assert done.exit_code in {0, 1, 3}
    assert SHOWN.replace("\\", "") in harmless(done.stdout).replace("\\", "").replace("\n", "")
    harmless(done.stderr)


@pytest.mark.parametrize("command", ["inspect", "recover"])
def test_json_keeps_them(command: str, journal: Path) -> None:
    done = call(command, "--json", journal)
    assert harmless(done.stdout).isascii()
    told = {os.fsencode(entry["path"]) for entry in json.loads(done.stdout)["journals"]}
    assert told == {os.fsencode(journal)}, "nothing of the name is lost"


def test_an_implementation_is_named_too(tmp_path: Path) -> None:
    harness = tmp_path / "harness.py"
    greeting = {"protocol": 1, "impl": {"name": STRANGE}, "formats": {"x-\x1b[2J": {}}}
    harness.write_text(
        "import json, sys\nsys.stdin.readline()\nsys.stderr.buffer.write(b'\\x1b[2J\\xff')\n"
        f"print(json.dumps({{'seq': 1, **{greeting!r}}}), flush=True)\n"
    )
    done = start("run", "--impl", f"{sys.executable} {harness}")
    assert done.returncode == 2
    assert "fault of journalspec" not in harmless(done.stderr)
