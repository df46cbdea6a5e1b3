"""Imports point down the list of packages, and never round in a circle; deferred ones count as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: package -> (its root, the packages below it)
PACKAGES: dict[str, tuple[str, frozenset[str]]] = {}
for _name, _root in (
    ("journalspec", "specs"),
    ("journalspec_reference", "reference_impl"),
    ("journalspec_corpus", "corpus"),
    ("journalspec_conformance", "conformance"),
    ("journalspec_docs", "docs/ext"),
):
    PACKAGES[_name] = (_root, frozenset(PACKAGES))
#: folder -> what nothing in it imports: values run no engines, states are nobody's rows.
ABOVE = {
    "journalspec_corpus.crash": ("journalspec_corpus.pipeline",),
    "journalspec_corpus.pipeline.plan": ("journalspec_corpus.pipeline", "journalspec_reference"),
    "journalspec_corpus": ("brute", "brute_expected", "brute_states", "metamorphic", "mutation"),
}

Graph = dict[str, set[str]]


def modules(root: Path = ROOT) -> dict[str, Path]:
    """Return the files of all modules that are written by hand, by name."""
    out = {}
    for package, (folder, _) in PACKAGES.items():
        base = root / folder
        for path in sorted((base / package).rglob("*.py")):
            if "_kaitai" not in path.parts:
                name = ".".join(path.relative_to(base).with_suffix("").parts)
                out[name.removesuffix(".__init__")] = path
    return out


def imported(tree: ast.AST, name: str, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules that `tree` imports, anywhere in it; those for annotations only are left out."""
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            # The package that a module is in has been imported in any case.
            yield from (alias.name for alias in node.names if not name.startswith(f"{alias.name}."))
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports relatively"
            assert node.module is not None
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module


def circles(edges: Graph) -> list[list[str]]:
    """Return the groups of modules that import each other in a circle (Tarjan), each sorted."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(edges[name]):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for name in sorted(edges):
        if name not in index:
            visit(name)
    return found


@pytest.fixture(scope="module")
def imports() -> Graph:
    """What each of our modules imports."""
    known = modules()
    return {
        name: set(imported(ast.parse(path.read_bytes()), name, known)) - {name}
        for name, path in known.items()
    }


def test_no_modules_import_each_other_in_a_circle(imports: Graph) -> None:
    ours = {name: others & imports.keys() for name, others in imports.items()}
    assert circles(ours) == []


def test_a_circle_is_found_and_named() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_a_deferred_import_counts_and_one_for_annotations_does_not() -> None:
    text = "if TYPE_CHECKING:\n    import a\ndef f():\n    from b import c\n"
    assert list(imported(ast.parse(text), "x", {"b.c": Path()})) == ["b.c"]


def test_packages_import_only_those_below_them(imports: Graph) -> None:
    upwards = [
        f"{name} imports {other}"
        for name, others in imports.items()
        for other in sorted(others)
        if (to := other.split(".")[0]) in PACKAGES
        if (of := name.split(".")[0]) != to and to not in PACKAGES[of][1]
    ]
    assert upwards == []


@pytest.mark.parametrize(("below", "above"), ABOVE.items())
def test_what_is_below_imports_nothing_from_above(below: str, above: tuple[str, ...], imports: Graph) -> None:
    upwards = [
        f"{name} imports {other}"
        for name, others in imports.items()
        if f"{name}.".startswith(f"{below}.")
        for other in sorted(others)
        if f"{other}.".startswith(tuple(f"{folder}." for folder in above))
    ]
    assert upwards == []


def test_the_map_of_the_crash_engine_names_every_module() -> None:
    page = (ROOT / "docs" / "crash-engine.md").read_text(encoding="utf-8")
    for folder in ("corpus/journalspec_corpus/crash", "corpus/journalspec_corpus/pipeline", "corpus/checks"):
        names = {path.stem for path in (ROOT / folder).glob("*.py")} - {"__init__"}
        assert {name for name in names if f"`{name}`" not in page} == set(), folder
