"""The advice of a tool: policies that help, words that a shell takes, files that are not journals."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from journalspec_conformance.cli.places import Asked
from journalspec_corpus.load import find_case
from judged import call, flat, in_full


@pytest.fixture
def no_command(tmp_path: Path) -> Path:
    """Return a journal with intact bytes and one record of an unknown type."""
    find_case("khd.commands.no-command-last").materialize(tmp_path)
    return tmp_path


def test_only_policies_that_help_are_advised(no_command: Path) -> None:
    found = call("recover", no_command, columns=100)
    # Where a line breaks depends on the length of the path.
    text = flat(found).replace("\\ ", "")
    assert found.exit_code == 3
    assert "the rest is the result of --policy salvage" in text
    assert f"what salvage keeps: journalspec recover {no_command} --policy salvage --all" in text
    by_default = f"the default result of the product: journalspec recover {no_command} --policy default"
    assert text.count("--policy default") == text.count(by_default) == 1
    assert "--policy unchecked" not in text


def test_clean_journal_that_recovery_refuses_is_reported(no_command: Path) -> None:
    found = in_full("inspect", no_command, columns=200, status=0)
    assert "recovery strict refuses, record/bad-command" in flat(found)
    shown = flat(call("inspect", no_command, columns=100))
    assert "Strict recovery refuses it nevertheless, record/bad-command: " in shown
    why = shown.partition("all the same, record/bad-command: ")[2]
    assert not why.startswith("text(")
    for hidden in (in_full("inspect", no_command, "--redact"), call("inspect", no_command, "--redact")):
        assert "record/bad-command: text(" in flat(hidden)


@pytest.mark.parametrize("name", ["plain", "a b", "it's", "c\nd", "e\\f\n", "g\udcff'"])
def test_advice_can_be_pasted(tmp_path: Path, name: str) -> None:
    words = Asked((Path(name),), None, None, ()).again("inspect", "--hex")
    assert words.isprintable()
    if bash := shutil.which("bash"):
        done = subprocess.run(
            [bash, "-c", f"printf '%s\\0' {words}"], check=True, capture_output=True, cwd=tmp_path
        )
        assert done.stdout.split(b"\0")[2] == os.fsencode(name)
    if name.isprintable():
        assert shlex.split(words)[2] == name


def test_files_that_are_nothing_but_a_name_are_reported(tmp_path: Path) -> None:
    (tmp_path / "db-1.log").write_bytes(b"")
    assert "empty-file" in flat(call("recover", tmp_path))
    (tmp_path / "db-2.log").write_bytes(b"no journal at all " * 9)
    assert "nothing-recognised" in flat(call("recover", tmp_path, status=1))


def test_a_directory_with_the_name_of_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "db-1.log").mkdir()
    found = call("inspect", tmp_path, status=2)
    assert "'db-1.log' bears the name of a journal's file and is a directory" in " ".join(
        found.stderr.split()
    )
