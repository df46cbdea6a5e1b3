"""The house holds: shared rooms know no format, imports point down, modules stay small."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from journalspec.formats import format_ids

REPOSITORY = Path(__file__).resolve().parents[2]
ROOTS = {
    "journalspec": REPOSITORY / "specs/journalspec",
    "journalspec_reference": REPOSITORY / "reference_impl/journalspec_reference",
    "journalspec_corpus": REPOSITORY / "corpus/journalspec_corpus",
    "journalspec_conformance": REPOSITORY / "conformance/journalspec_conformance",
}
DOCS = REPOSITORY / "docs/ext/journalspec_docs"
#: What each package may import of the four; a package may always import itself.
BELOW = {
    "journalspec": set[str](),
    "journalspec_reference": {"journalspec"},
    "journalspec_corpus": {"journalspec", "journalspec_reference"},
    "journalspec_conformance": {"journalspec", "journalspec_reference", "journalspec_corpus"},
}
MOST_LINES = 700


def modules(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*.py")):
        if not {"_kaitai", "__pycache__"} & set(path.parts):
            yield path


def shared_modules() -> list[Path]:
    """Return the modules outside every format's own folders."""
    every = [path for root in (*ROOTS.values(), DOCS) for path in modules(root)]
    return [path for path in every if not set(format_ids()) & set(path.parts)]


def docstrings(tree: ast.Module) -> set[ast.expr]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, kinds) and node.body and isinstance(node.body[0], ast.Expr)
    }


def words(path: Path) -> Iterator[str]:
    """Yield every name and every piece of text in the code of `path`, docstrings aside."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in prose:
            yield node.value
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def test_there_is_something_to_look_at() -> None:
    assert len(shared_modules()) > 50


@pytest.mark.parametrize("path", shared_modules(), ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_no_shared_room_names_a_format(path: Path) -> None:
    names = {*format_ids(), *(part for name in format_ids() for part in name.split("_")[:1])}
    pattern = re.compile("|".join(map(re.escape, sorted(names))), re.IGNORECASE)
    assert [word for word in words(path) if pattern.search(word)] == []


@pytest.mark.parametrize("package", ROOTS)
def test_imports_point_down(package: str) -> None:
    allowed = BELOW[package] | {package}
    wrong = []
    for path in modules(ROOTS[package]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            tops = {name.split(".")[0] for name in found}
            wrong += [f"{path.name} imports {top}" for top in (tops & set(ROOTS)) - allowed]
    assert wrong == []


def test_modules_are_small() -> None:
    everything = [path for root in (*ROOTS.values(), DOCS) for path in modules(root)]
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in everything}
    assert {path.name: count for path, count in lines.items() if count > MOST_LINES} == {}
