"""Tests the documentation of the command line: options on pages or in tests, manual pages, and completion."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click

from journalspec_conformance.cli import COMMANDS, cli
from judged import PROGRAM

CHECKOUT = Path(__file__).resolve().parents[2]
#: The files in which an option may occur: pages, transcripts, and tests that use it.
SHOWN = [
    "README.md",
    "docs/*.md",
    "docs/*/*.md",
    "docs/transcripts/*.txt",
    "*/tests/*.py",
    "*/tests/support/*.py",
    "*/tests/data/*.toml",
]


def options(
    command: click.Command = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Option]]:
    """Yield all options of a command and of those below it, each with the path of its command."""
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from options(below, (*path, name))
    for each in command.params:
        if isinstance(each, click.Option) and not each.hidden:
            yield path, each


EVERY = [*options()]


@cache
def words() -> frozenset[str]:
    """Return all words that look like options in the places where options may occur."""
    files = {file for pattern in SHOWN for file in CHECKOUT.glob(pattern)} - {Path(__file__).resolve()}
    assert len(files) > 50
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return frozenset(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text))


def test_options_of_all_commands_are_found() -> None:
    assert {path[0] for path, _ in EVERY if path} >= {*COMMANDS} - {"formats"}
    assert len(EVERY) > 100


def test_every_option_has_a_line_and_is_shown_or_tested() -> None:
    """The line is that of the reference page, which is generated from the help."""
    without = [f"{path} {each.opts}" for path, each in EVERY if not each.help]
    assert not without, f"no help, an empty line of the reference page: {without}"
    unseen = [
        f"{path} {each.opts}"
        for path, each in EVERY
        if words().isdisjoint((*each.opts, *each.secondary_opts))
    ]
    assert not unseen, f"in no page, transcript or test: {unseen}"


def test_undocumented_option_is_detected() -> None:
    assert "--no-such-" + "option" not in words()
    assert {"--count-by", "--redact"} <= words()


def completed(**given: str) -> str:
    """Return the program's output when a shell asks for completion."""
    own = {**os.environ, **given}
    return subprocess.run(PROGRAM, capture_output=True, text=True, check=True, env=own).stdout


def test_shell_completes_options() -> None:
    for shell, said in {"bash": "complete -o", "zsh": "#compdef", "fish": "complete "}.items():
        assert said in completed(_JOURNALSPEC_COMPLETE=f"{shell}_source")
    asked = completed(
        _JOURNALSPEC_COMPLETE="bash_complete", COMP_WORDS="journalspec inspect --count", COMP_CWORD="2"
    )
    assert asked.split() == ["plain,--count-by"]


def test_man_pages_list_all_commands_and_options(tmp_path: Path) -> None:
    tool = CHECKOUT / "tools" / "man.py"
    subprocess.run([sys.executable, str(tool), str(tmp_path)], check=True)
    pages = {file.stem: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    paths = {("journalspec", *path) for path, _ in EVERY} | {("journalspec", name) for name in COMMANDS}
    assert {"-".join(path) for path in paths} <= pages.keys()
    for path, option in EVERY:
        page = pages["-".join(("journalspec", *path))]
        assert max(option.opts, key=len).replace("-", r"\-") in page
    assert r"3 refused" in pages["journalspec-inspect"].partition(".SH EXIT STATUS")[2]
    if man := shutil.which("man"):
        shown = subprocess.run(
            [man, "--warnings", "-l", str(tmp_path / "journalspec-inspect.1")],
            capture_output=True, text=True, check=True, env={**os.environ, "MANWIDTH": "100"},
        )  # fmt: skip
        assert "--count-by" in shown.stdout
        assert not shown.stderr
