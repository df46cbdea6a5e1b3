"""Commands on the pages and in README work, and the numbers on the pages are true.

Every command of a ``console`` block is run. The commands of a page run in order, in one directory.
``commands.toml`` lists the few commands that run on smaller input or not at all, with reasons.
"""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
import transcripts
from design_rules import rules

from journalspec.formats import format_ids
from journalspec_conformance.cli import cli
from journalspec_corpus.load import load_cases

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
FOLDERS = (CHECKOUT, CHECKOUT / "docs", CHECKOUT / "docs/reference")
#: The change log describes the past; readers are not meant to type its commands.
PAGES = [path for folder in FOLDERS for path in sorted(folder.glob("*.md")) if path.name != "CHANGELOG.md"]


def worst_of_all() -> int:
    return sum(len(load_cases(name, "worst")) for name in format_ids())


#: Maps a number on a page, in its written form, to its meaning.
NUMBERS: dict[str, Callable[[], int]] = {
    "README.md: 21 rules": lambda: len(rules()),
    "README.md: 42 crash states": worst_of_all,
}
WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
#: If a page states the number of one of these things, the list above must contain that number. Rounded
#: numbers of the crash engine follow "about".
COUNTED = "probes|cases|requirements|rules|mutants|deviations|crash states"
TOLD = re.compile(rf"(?<![\w.,/-])(?P<number>\d[\d,]*|ten|twenty) (?P<what>{COUNTED})\b")
ABOUT = re.compile(r"[Aa]bout |more\s+than |up to ")


@cache
def table() -> dict[str, Any]:
    return tomllib.loads((HERE / "commands.toml").read_text(encoding="utf-8"))


def blocks(path: Path, language: str) -> Iterator[str]:
    """Yield the fenced blocks of a language, without their fences."""
    text = path.read_text(encoding="utf-8")
    yield from re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(path: Path) -> list[str]:
    """Return the commands after the prompts on a page, without trailing remarks."""
    lines = [line for block in blocks(path, "console") for line in block.splitlines()]
    return [re.split(r"\s+# ", line[2:])[0].strip() for line in lines if line.startswith("$ ")]


def prepared(place: Path) -> Path:
    """Put the files that the pages assume into `place`: a reader and known failures."""
    shutil.copy(CHECKOUT / "docs/harness/my_reader.py", place)
    reader = place / "my-reader"
    reader.write_text("#!/bin/sh\nexec python my_reader.py\n", encoding="utf-8")
    reader.chmod(0o755)
    (place / "known-failures.toml").write_text("", encoding="utf-8")
    return place


def permitted(command: str) -> list[int]:
    """Return the permitted exit statuses of a command on a page."""
    found = [
        entry["status"] for entry in table()["reduced"] if entry["command"] == command and "status" in entry
    ]
    return found[0] if found else [0]


def as_run(command: str) -> str | None:
    """Return the command that is run for a command of a page; None if no command is run."""
    if any(entry["command"] == command for entry in table()["not_run"]):
        return None
    for entry in table()["reduced"]:
        if entry["command"] == command:
            command = entry.get("instead") or f"{command} {entry['add']}"
    for name, place in table()["places"].items():
        command = command.replace(name, shlex.quote(str(CHECKOUT / place)))
    return command.replace("python tools/", f"python {shlex.quote(str(CHECKOUT))}/tools/")


def runs() -> dict[Path, dict[str, str]]:
    """For each page, return its commands, and the command that is run for each.

    A repeated command runs once.
    """
    found: dict[Path, dict[str, str]] = {}
    seen: set[str] = set()
    for path in PAGES:
        for command in commands(path):
            run = as_run(command)
            if run is not None and run not in seen:
                seen.add(run)
                found.setdefault(path, {})[command] = run
    return found


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a POSIX shell")
@pytest.mark.parametrize("path", runs(), ids=lambda path: path.stem)
def test_every_command_on_a_page_works(path: Path, tmp_path: Path) -> None:
    place = prepared(tmp_path)
    for command, run in runs()[path].items():
        status, said = transcripts.ended(run, place, {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")})
        assert status in permitted(command), f"$ {run}\n{said[-4000:]}"


def test_table_lists_commands_of_the_pages_with_reasons() -> None:
    told = {command for path in PAGES for command in commands(path)}
    assert told
    for entry in (*table()["reduced"], *table()["not_run"]):
        assert entry["command"] in told, f"on no page: {entry['command']}"
        assert entry["why"]


def words(command: str) -> list[str]:
    return shlex.split(re.sub(r"\$\(which (\w+)\)", r"\1", command))


def options_of(arguments: list[str]) -> set[str]:
    """Return the options of the journalspec command that these `arguments` start."""
    found: click.Command | None = cli
    context = click.Context(cli)
    for argument in arguments:
        if not isinstance(found, click.Group):
            break
        found = found.get_command(context, argument)
    assert found is not None, arguments
    return {name for item in found.params for name in item.opts}


@pytest.mark.parametrize("command", [entry["command"] for entry in table()["not_run"]])
def test_unrunnable_product_lists_the_known_ones(command: str) -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    for named in re.findall(r"(?:journalspec|\.)\[([\w,]+)\]", command):
        assert set(named.split(",")) <= extras
    for named in re.findall(r"tox -e (\w+)", command):
        assert f"[testenv:{named}]" in (CHECKOUT / "tox.ini").read_text(encoding="utf-8")
    for named in re.findall(r"python -m (journalspec[\w.]+)", command):
        __import__(named)
    parts = words(command)
    if "journalspec" in parts:
        arguments = parts[parts.index("journalspec") + 1 :]
        given = {argument for argument in arguments if argument.startswith("--")}
        assert given <= options_of(arguments), command


@pytest.mark.parametrize("told", NUMBERS)
def test_number_on_a_page_is_correct(told: str) -> None:
    page, _, text = told.partition(": ")
    number = text.split()[0]
    assert text in (CHECKOUT / page).read_text(encoding="utf-8"), f"{page} does not contain {text!r}"
    value = WORDS.get(number) or int(number.replace(",", ""))
    assert value == NUMBERS[told]()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_number_on_a_page_is_checked(path: Path) -> None:
    text = re.sub(
        r"^```(?!console).*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    name = path.relative_to(CHECKOUT).as_posix()
    for found in TOLD.finditer(text):
        if ABOUT.search(text[max(0, found.start() - 10) : found.start()]):
            continue
        assert f"{name}: {found.group()}" in NUMBERS, f"{name}: NUMBERS lacks {found.group()!r}"
