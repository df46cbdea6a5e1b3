"""A user's dependencies are ranges of versions, and the lowest versions can be listed."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).resolve().parents[2]
TOOL = CHECKOUT / "tools" / "lowest.py"
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
#: The extra for developers of this project; no user installs it.
OURS = "test"
USERS = PROJECT["dependencies"] + [text for name, texts in EXTRAS.items() if name != OURS for text in texts]


def lowest(tool: ModuleType, *extras: str) -> dict[str, str]:
    """Return the lowest versions: name -> version."""
    return dict(tool.lowest(entry).split("==") for entry in tool.requirements(extras))


@pytest.mark.parametrize("text", USERS)
def test_nothing_that_a_user_installs_is_pinned(text: str) -> None:
    entry = Requirement(text)
    operators = {part.operator for part in entry.specifier}
    assert not operators & {"==", "===", "~="}
    assert ">=" in operators or entry.name == PROJECT["name"]


def test_extras_for_users_do_not_install_the_pinned_tools() -> None:
    assert not [text for text in USERS if OURS in Requirement(text).extras]


@pytest.mark.parametrize("extra", [name for name in EXTRAS if name != OURS])
def test_lowest_versions_are_within_the_ranges(extra: str, tool: ModuleType) -> None:
    told = lowest(tool, extra)
    for entry in map(Requirement, (*PROJECT["dependencies"], *EXTRAS[extra])):
        if entry.name != PROJECT["name"]:
            assert entry.specifier.contains(told[entry.name])


def test_docs_extra_installs_what_the_site_build_imports(tool: ModuleType) -> None:
    """The test environment has more packages, but `.[docs]` must contain those that the extension imports."""
    pending, brought = [entry.name for entry in tool.requirements(["docs"])], set()
    while pending:
        name = canonicalize_name(pending.pop())
        if name not in brought:
            brought.add(name)
            entries = [Requirement(text) for text in requires(name) or ()]
            pending += [
                entry.name for entry in entries if not entry.marker or entry.marker.evaluate({"extra": ""})
            ]
    sources = [CHECKOUT / "docs" / "conf.py", *(CHECKOUT / "docs" / "ext").rglob("*.py")]
    nodes = [node for path in sources for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    names = {each.name for node in nodes if isinstance(node, ast.Import) for each in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    known = packages_distributions()
    tops = {name.partition(".")[0] for name in names} - sys.stdlib_module_names
    tops -= {path.stem for path in (CHECKOUT / "tools").glob("*.py")}
    for top in sorted(tops):
        if not top.startswith(PROJECT["name"]):
            assert {canonicalize_name(name) for name in known[top]} & brought, top


def test_extras_of_extras_are_included(tool: ModuleType) -> None:
    assert lowest(tool, "corpus").items() < lowest(tool, "spark").items()


def test_program_prints_lowest_versions_and_refuses_an_unknown_extra(tool: ModuleType) -> None:
    command = [sys.executable, str(TOOL)]
    done = subprocess.run([*command, "corpus"], capture_output=True, text=True, check=True)
    assert dict(line.split("==") for line in done.stdout.splitlines()) == lowest(tool, "corpus")
    assert subprocess.run([*command, "no-such-extra"], capture_output=True, check=False).returncode != 0
