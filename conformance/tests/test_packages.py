"""Rules for all packages: shared modules know no format, imports go downwards, a name has one meaning.

Imports never form a circle; deferred imports count as well.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from journalspec.formats import format_ids
from tables import table

ROOT = Path(__file__).resolve().parents[2]
#: The packages and their directories; each package may import those before it.
PACKAGES = {
    "journalspec": "specs",
    "journalspec_reference": "reference_impl",
    "journalspec_corpus": "corpus",
    "journalspec_conformance": "conformance",
    "journalspec_docs": "docs/ext",
}
#: Maps a module or package to modules that it must not import. No package imports a later one, no engine
#: imports its unshipped checks, and modules of values import no engines.
ABOVE = {package: tuple(list(PACKAGES)[place + 1 :]) for place, package in enumerate(PACKAGES)}
ABOVE["journalspec_corpus"] += ("brute", "brute_effects", "brute_expected", "brute_states")
ABOVE |= {
    "journalspec_corpus.crash": ("journalspec_corpus.pipeline",),
    "journalspec_corpus.pipeline.plan": ("journalspec_corpus.pipeline", "journalspec_reference"),
}
MOST_LINES = 700
#: The largest number of code lines (without comments and docstrings) of all decoders of contents together,
#: and of a single one. Decoders are the modules in the formats' folders ``contents``, and
#: ``java_objects.py``. They define the meaning of bodies, pages and rows, and list the content of a store.
#: Modules that recovery and queries also use (``contents.py``, ``xids.py``) are not counted. Missing files
#: (``neighbours``), recovery, exports, and new stores are not counted either.
MOST_OF_CONTENTS, MOST_OF_A_DECODER = 4200, 500
#: Public class names that two classes share, with the meaning of each class.
SAME_NAME = table("same_name")


@cache
def places() -> dict[str, Path]:
    """Return every hand-written module by its full name."""
    found = {}
    for package, folder in PACKAGES.items():
        for path in sorted((ROOT / folder / package).rglob("*.py")):
            if not {"_kaitai", "__pycache__"} & set(path.parts):
                name = ".".join(path.relative_to(ROOT / folder).with_suffix("").parts)
                found[name.removesuffix(".__init__")] = path
    return found


@cache
def modules() -> dict[str, tuple[Path, ast.Module]]:
    """Return every hand-written module, parsed when a test runs, not when tests are collected."""
    return {name: (path, ast.parse(path.read_bytes())) for name, path in places().items()}


@cache
def imports() -> dict[str, set[str]]:
    """Return the imports of each of our modules."""
    return {name: set(imported(tree, name, modules())) - {name} for name, (_, tree) in modules().items()}


@cache
def begun() -> frozenset[str]:
    """Return the names of all formats that have a folder, whether or not they are registered."""
    known = ("specs/journalspec/*/requirements.toml", "reference_impl/journalspec_reference/*/codec.py")
    return frozenset(path.parent.name for pattern in known for path in ROOT.glob(pattern))


def is_shared(name: str) -> bool:
    """Return whether a module is outside the folders of every format."""
    return not begun() & set(name.split("."))


def docstrings(tree: ast.Module) -> set[ast.expr]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, kinds) and node.body and isinstance(node.body[0], ast.Expr)
    }


def words(tree: ast.Module) -> Iterator[str]:
    """Yield every name and every piece of text in the code of a module, except for docstrings."""
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


def imported(tree: ast.AST, name: str, known: Collection[str]) -> Iterator[str]:
    """Yield the modules that `tree` imports, at any place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            # The parent packages of a module are imported in any case.
            yield from (alias.name for alias in node.names if not name.startswith(f"{alias.name}."))
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports relatively"
            assert node.module is not None
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module


@pytest.mark.parametrize("name", [name for name in places() if is_shared(name)])
def test_no_shared_module_names_a_format(name: str) -> None:
    named = {*format_ids(), *(part for name in format_ids() for part in name.split("_")[:1])}
    pattern = re.compile("|".join(map(re.escape, sorted(named))), re.IGNORECASE)
    assert [word for word in words(modules()[name][1]) if pattern.search(word)] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert len(modules()) > 50, "there are modules to check"
    # The error lists the modules in the circle.
    TopologicalSorter({name: others & modules().keys() for name, others in imports().items()}).prepare()


def test_deferred_imports_are_checked_too() -> None:
    text = "if TYPE_CHECKING:\n    import a\ndef f():\n    from b import c\n"
    assert sorted(imported(ast.parse(text), "x", {"b.c"})) == ["a", "b.c"]


@pytest.mark.parametrize("below", ABOVE)
def test_lower_layers_import_nothing_from_higher_ones(below: str) -> None:
    above = tuple(f"{folder}." for folder in ABOVE[below])
    inside = [name for name in imports() if f"{name}.".startswith(f"{below}.")]
    wrong = [(name, to) for name in inside for to in imports()[name] if f"{to}.".startswith(above)]
    assert inside
    assert wrong == []


def test_class_name_has_one_meaning() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for name, (_, tree) in modules().items():
        where = name if is_shared(name) else "(formats)"
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].add(where)
    several = {name: sorted(where) for name, where in found.items() if len(where) > 1}
    assert {name: where for name, where in several.items() if name not in SAME_NAME} == {}


def test_modules_have_at_most_the_permitted_lines() -> None:
    lines = {name: path.read_text(encoding="utf-8").count("\n") for name, (path, _) in modules().items()}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def code_lines(text: str) -> int:
    """Return the number of lines that contain code."""
    lines: set[int] = set()
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            begins |= token.type not in (tokenize.COMMENT, tokenize.NL)
        elif token.type != tokenize.ENDMARKER:
            if not (begins and token.type == tokenize.STRING):
                lines.update(range(token.start[0], token.end[0] + 1))
            begins = False
    return len(lines)


def test_decoders_of_contents_have_few_lines() -> None:
    decoders = re.compile(r"journalspec_reference\.(\w+\.contents\b.*|java_objects)")
    lines = {
        name: code_lines(path.read_text("utf-8"))
        for name, path in places().items()
        if decoders.fullmatch(name)
    }
    assert len(lines) > 20, "there are modules to count"
    assert {name: count for name, count in lines.items() if count > MOST_OF_A_DECODER} == {}
    assert sum(lines.values()) <= MOST_OF_CONTENTS


def test_map_of_the_crash_engine_lists_every_module() -> None:
    page = (ROOT / "docs" / "crash-model.md").read_text(encoding="utf-8")
    for folder in ("corpus/journalspec_corpus/crash", "corpus/journalspec_corpus/pipeline", "corpus/checks"):
        names = {path.stem for path in (ROOT / folder).glob("*.py")} - {"__init__"}
        assert {name for name in names if f"`{name}`" not in page} == set(), folder
