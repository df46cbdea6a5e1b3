"""What holds for all packages: shared modules know no format, imports point down, a name means one thing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from journalspec.formats import format_ids

REPOSITORY = Path(__file__).resolve().parents[2]
#: Each package: where it is, and what it may import of the others. A package may always import itself.
PACKAGES: dict[str, tuple[str, set[str]]] = {
    "journalspec": ("specs", set()),
    "journalspec_reference": ("reference_impl", {"journalspec"}),
    "journalspec_corpus": ("corpus", {"journalspec", "journalspec_reference"}),
    "journalspec_conformance": (
        "conformance",
        {"journalspec", "journalspec_reference", "journalspec_corpus"},
    ),
    "journalspec_docs": (
        "docs/ext",
        {"journalspec", "journalspec_reference", "journalspec_corpus", "journalspec_conformance"},
    ),
}
MOST_LINES = 700
#: Public classes that share their name with another one, and what each means. What the same part of
#: each format is called is no such case: `Codec` in two formats' folders means one thing.
SAME_NAME: dict[str, str] = {
    "Answer": "what a reader answered: an observation, and a row of the compiled judge",
    "Checked": "a value that has been looked at: of an element, and of a rate",
    "Dropped": "a region without a record: in the observation, and in a replay",
    "Entry": "an entry of a table: of names, of what is drawn, of a product's log",
    "Fault": "what is wrong with a record: where it was drawn, and where it is read",
    "Field": "a field: of a layout, of the vocabulary, of what is drawn, of a .ksy",
    "Finding": "what was found: about a product, a worst case, a design rule",
    "Form": "the form of a record, and of a worst case (full or small)",
    "Input": "what a case begins with, before and after it is published",
    "Journal": "a journal as files, and as a product's object",
    "Kept": "a process below a keeper, and the records that a model keeps",
    "Kind": "a kind of record, of failure, of sample",
    "Loaded": "files as they were loaded, and what a product or a ledger loads from them",
    "Part": "a part of a layout, of a sequence, of a choice of states",
    "Plan": "what is built, and how what is drawn is made",
    "Source": "where inputs come from: bytes of a file, and cases to change",
    "Step": "a step of a workload, of every format and as the engine sees it",
    "Workload": "what a trace is made from, of every format and as the engine sees it",
}


@cache
def modules() -> dict[str, tuple[Path, ast.Module]]:
    """Return every hand-written module by its full name."""
    found = {}
    for package, (folder, _) in PACKAGES.items():
        root = REPOSITORY / folder
        for path in sorted((root / package).rglob("*.py")):
            if not {"_kaitai", "__pycache__"} & set(path.parts):
                name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
                found[name] = (path, ast.parse(path.read_text(encoding="utf-8")))
    return found


def is_shared(name: str) -> bool:
    """Tell whether a module lies outside every format's own folders."""
    return not set(format_ids()) & set(name.split("."))


def docstrings(tree: ast.Module) -> set[ast.expr]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, kinds) and node.body and isinstance(node.body[0], ast.Expr)
    }


def words(tree: ast.Module) -> Iterator[str]:
    """Yield every name and every piece of text in the code of a module, docstrings aside."""
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


def imported(nodes: Iterator[ast.AST]) -> Iterator[str]:
    """Yield the full name of every module, or member of one, that is imported."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def executed(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs sooner or later: all but the blocks that are there for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from executed(node)


def test_there_is_something_to_look_at() -> None:
    assert len([name for name in modules() if is_shared(name)]) > 50


@pytest.mark.parametrize("name", [name for name in modules() if is_shared(name)])
def test_no_shared_module_names_a_format(name: str) -> None:
    named = {*format_ids(), *(part for name in format_ids() for part in name.split("_")[:1])}
    pattern = re.compile("|".join(map(re.escape, sorted(named))), re.IGNORECASE)
    assert [word for word in words(modules()[name][1]) if pattern.search(word)] == []


def test_imports_point_down() -> None:
    wrong = []
    for name, (_, tree) in modules().items():
        package = name.split(".")[0]
        tops = {found.split(".")[0] for found in imported(ast.walk(tree))} & set(PACKAGES)
        wrong += [f"{name} imports {top}" for top in tops - PACKAGES[package][1] - {package}]
    assert wrong == []


def test_one_class_name_has_one_meaning() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for name, (_, tree) in modules().items():
        where = name if is_shared(name) else "(formats)"
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].add(where)
    several = {name: sorted(where) for name, where in found.items() if len(where) > 1}
    assert {name: where for name, where in several.items() if name not in SAME_NAME} == {}


def test_modules_are_small() -> None:
    lines = {name: path.read_text(encoding="utf-8").count("\n") for name, (path, _) in modules().items()}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}
