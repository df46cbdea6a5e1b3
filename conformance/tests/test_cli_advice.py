"""Commands that a tool advises can be pasted into a shell; ``data/situations.toml`` tests their policies."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from journalspec_conformance.cli.places import Asked


@pytest.mark.parametrize("name", ["plain", "a b", "it's", "c\nd", "e\\f\n", "g\udcff'", "-journal"])
def test_advised_command_can_be_pasted_into_a_shell(tmp_path: Path, name: str) -> None:
    asked = Asked((Path(name),), None, None, (), redact=True)
    words = asked.again("inspect", "--hex")
    assert words.isprintable()
    # The advice keeps --redact and omits --hex, because both options exclude each other. A name is never read
    # as an option.
    assert asked.again("recover") == f"{words.replace('inspect', 'recover', 1).removesuffix('--hex')}--redact"
    path = f"./{name}" if name.startswith("-") else name
    if bash := shutil.which("bash"):
        done = subprocess.run(
            [bash, "-c", f"printf '%s\\0' {words}"], check=True, capture_output=True, cwd=tmp_path
        )
        assert done.stdout.split(b"\0")[2] == os.fsencode(path)
    if name.isprintable():
        assert shlex.split(words) == ["journalspec", "inspect", path, "--hex"]
