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
    "Answer": "what a reader answered, as an observation and as a row of the compiled judge",
    "Asked": "what was asked of a journal, by a person and by a capture",
    "Bounds": "limits of a process, and of a search",
    "Changed": "a journal and a build that changed while they were read",
    "Checked": "a value that has been looked at, of an element and of a rate",
    "Choice": "which states are taken, of builds, second crashes and harnesses",
    "Difference": "where two answers part, of the judge and of a product",
    "Disagreement": "where two readers part, found by three searches",
    "Dropped": "a region without a record, in the observation and in a replay",
    "Engine": "runs probes, and builds crash states",
    "Entry": "an entry of a table",
    "Fault": "what is wrong with a record, where it was drawn and where it is read",
    "Field": "a field: of a format's table, of what is drawn, of a .ksy",
    "Finding": "what was found out about a product, a rule, a crash state",
    "Form": "the form of a record, and of a table",
    "Input": "what a case begins with, before and after it is published",
    "Journal": "a journal as files, and as a product's object",
    "Judgement": "a verdict and its reason, of drawn files and of crash states",
    "Kept": "what stays, of files and of records",
    "Kind": "a kind of failure, of record, of sample",
    "Known": "what is pinned as known, by the table that pins it",
    "Loaded": "what loading gave",
    "Measured": "a measurement of a bench",
    "Outcome": "what a probe came to, and what a recording did",
    "Part": "a part of a sequence, of a choice, of a record",
    "Piece": "a piece of a file, of a drawing, of work",
    "Plan": "a plan of what is built",
    "Prepared": "what is ready to be run",
    "Report": "what a command reports",
    "Row": "a row of a table",
    "Schema": "a schema: of the protocol, of Kaitai",
    "Seen": "what was seen",
    "Source": "where bytes come from",
    "Step": "a step of a workload, and of reduction",
    "Tally": "counts",
    "Workload": "what a trace is made from: of every format, and as the engine sees it",
    "Target": "what is judged; in the documentation, what is linked to",
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
