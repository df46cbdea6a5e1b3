"""What a user installs is given in ranges, and the lowest versions of them can be told."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

CHECKOUT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
#: For those who work on this; nobody else installs it.
OURS = "test"
USERS = PROJECT["dependencies"] + [text for name, texts in EXTRAS.items() if name != OURS for text in texts]


def lowest(*extras: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CHECKOUT / "tools/lowest.py"), *extras]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("text", USERS)
def test_nothing_that_a_user_installs_is_pinned(text: str) -> None:
    entry = Requirement(text)
    operators = {part.operator for part in entry.specifier}
    assert not operators & {"==", "===", "~="}
    assert ">=" in operators or entry.name == PROJECT["name"]


def test_no_extra_of_users_installs_the_pinned_tools() -> None:
    assert not [text for text in USERS if OURS in Requirement(text).extras]


@pytest.mark.parametrize("extra", [name for name in EXTRAS if name != OURS])
def test_the_lowest_versions_are_allowed_ones(extra: str) -> None:
    told = dict(line.split("==") for line in lowest(extra).stdout.splitlines())
    own = [Requirement(text) for text in (*PROJECT["dependencies"], *EXTRAS[extra])]
    for entry in own:
        if entry.name != PROJECT["name"]:
            assert entry.specifier.contains(told[entry.name])


def test_extras_of_extras_count() -> None:
    assert set(lowest("corpus").stdout.split()) < set(lowest("spark").stdout.split())


def test_an_unknown_extra_is_an_error() -> None:
    assert lowest("no-such-extra").returncode != 0
