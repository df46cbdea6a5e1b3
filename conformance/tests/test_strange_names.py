"""Names that steer terminals, break lines or are no text: shown escaped, and kept in JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from journalspec_corpus import load_cases
from judged import call, start

#: Sets a title, clears the screen, breaks the line, and is no UTF-8.
STRANGE = os.fsdecode(b"x\x1b]0;owned\x07\x1b[2J\n\xff")
SHOWN = r"x\x1b]0;owned\x07\x1b[2J\n\udcff"


def harmless(text: str) -> str:
    assert all(char.isprintable() or char == "\n" for char in text)
    return text


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


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", STRANGE),
        ("show", STRANGE),
        ("summary", STRANGE),
        ("products", "fetch", STRANGE),
        ("products", "show", STRANGE),
        ("run", "--impl", STRANGE.replace("\n", "")),
        ("run", "--impl", "reference", "--cases", STRANGE),
        ("run", "--impl", "reference", "--select", STRANGE),
        ("run", "--impl", "reference", "--expect", STRANGE),
        ("run", "--impl", "reference", "--tier", STRANGE),
        ("materialize", f"/dev/null/{STRANGE}"),
        ("inspect", "--format", STRANGE, "."),
        (STRANGE,),
    ],
    ids=lambda arguments: (
        " ".join(arguments).replace(STRANGE, "NAME").replace(STRANGE.replace("\n", ""), "NAME")
    ),
)
def test_complaints_show_them_escaped(
    arguments: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    said = harmless(done.stderr)
    assert "fault of journalspec" not in said
    assert "x1b" in said
    assert "udcff" in said


def test_an_implementation_is_named_so_too(tmp_path: Path) -> None:
    harness = tmp_path / "harness.py"
    greeting = {"protocol": 1, "impl": {"name": STRANGE}, "formats": {"x-\x1b[2J": {}}}
    harness.write_text(
        "import json, sys\nsys.stdin.readline()\nsys.stderr.buffer.write(b'\\x1b[2J\\xff')\n"
        f"print(json.dumps({{'seq': 1, **{greeting!r}}}), flush=True)\n"
    )
    done = start("run", "--impl", f"{sys.executable} {harness}")
    assert done.returncode == 2
    assert "fault of journalspec" not in harmless(done.stderr)
