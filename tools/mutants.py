"""Mutants of the reference with one small fault each, to test whether the corpus detects the faults.

``reference_impl/tests/mutants/FORMAT.toml`` lists for each mutant a place in the reference, a text that
occurs there exactly once, its replacement, and why a real implementation might contain this fault. The text
contains no part of a comment, so rewording a comment breaks no mutant. A place is ``module:name``: a
function, a method (``module:Class.method``), a class or a constant of the module. Code outside the place does
not matter: a change of one function never breaks the mutants of another. A mutant is loaded as a private copy
of that module and of the modules that import it; other modules are shared. The reference itself is never
changed.

``python tools/mutants.py`` lists them and checks that each one still fits the reference's source.
``python tools/mutation.py`` reports which cases detect which mutant.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from journalspec.formats import UnknownFormat, format_ids, get_format
from journalspec_corpus.crash.formats import Named, crash_format

#: The package whose formats are mutated, and the directory of the mutants.
REFERENCE = "journalspec_reference"
TABLES = Path(__file__).resolve().parents[1] / "reference_impl" / "tests" / "mutants"
#: The default number of cases that must detect a mutant. One would not be enough, because a change of a
#: requirement may remove a case.
ENOUGH = 3


class MutantError(ValueError):
    """A mutant no longer fits the reference's source; the message identifies it and states the remedy."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: at the place `at` of the format's reference, `find` becomes `replace`.

    `breaks` are the requirements that a reader or writer with this fault violates. `enough` is the number of
    cases that have to detect it.
    """

    id: str
    format: str
    at: str
    find: str
    replace: str
    why: str
    breaks: tuple[str, ...] = ()
    enough: int = ENOUGH

    @property
    def package(self) -> str:
        """The name under which the private copy is imported."""
        return f"{REFERENCE}__{self.format}__{re.sub(r'[^a-z0-9]', '_', self.id)}"

    @property
    def module(self) -> str:
        """The module that is changed."""
        return self.at.partition(":")[0]

    def source(self) -> str:
        """Return the mutated source of the module; raises MutantError if the mutant does not fit any more."""
        text = sources(self.format).get(self.module)
        if text is None:
            known = ", ".join(sorted(sources(self.format)))
            raise MutantError(f"{self.id}: the reference has no module {self.module!r}; known are {known}")
        start, end = self._place(text)
        code = without_comments(text)
        count = code.count(self.find, start, end)
        if count != 1:
            said = f"occurs {count} times in the code of {self.at}; it has to occur once"
            raise MutantError(f"{self.id}: {self.find!r} {said}")
        at = code.index(self.find, start, end)
        return text[:at] + self.replace + text[at + len(self.find) :]

    def implementation(self) -> Any:
        """Return the mutated implementation (see journalspec_reference.api.Implementation).

        Raises MutantError if the mutated source does not fit or cannot be imported.
        """
        if self.package not in sys.modules:
            self._import()
        return sys.modules[self.package].IMPLEMENTATION

    def _place(self, text: str) -> tuple[int, int]:
        name = self.at.partition(":")[2]
        found = places(text).get(name, ())
        if len(found) != 1:
            raise MutantError(f"{self.id}: {self.module}.py has {len(found)} places {name!r}")
        return found[0]

    def _import(self) -> None:
        finder, copied = _Finder(self), _copied(self.format, self.module)
        for name in finder.sources.keys() - copied:
            with suppress(ImportError):
                sys.modules[f"{self.package}.{name}"] = importlib.import_module(f"{finder.original}.{name}")
        sys.meta_path.insert(0, finder)
        try:
            importlib.import_module(self.package)
            for name in sorted(copied & finder.sources.keys() - {"__init__"}):
                # Import all modules now, because a late import would not find the copy. The import of a
                # module may fail because a library is missing.
                with suppress(ImportError):
                    importlib.import_module(f"{self.package}.{name}")
        except Exception as error:
            raise MutantError(f"{self.id}: the mutated module cannot be imported: {error!r}") from error
        finally:
            sys.meta_path.remove(finder)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the private copy of the package. Modules of the copy import other modules from the copy too."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.original = f"{REFERENCE}.{mutant.format}"
        self.sources = {**sources(mutant.format), mutant.module: mutant.source()}
        self.builtins = {**vars(builtins), "__import__": self.imported}

    def imported(self, name: str, *more: Any) -> Any:
        """Perform an import statement of a module in the copy."""
        inside = f"{name}.".startswith(f"{self.original}.")
        return builtins.__import__(
            self.mutant.package + name.removeprefix(self.original) if inside else name, *more
        )

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of the package or of one of its modules, None for everything else."""
        package, _, module = fullname.partition(".")
        if package != self.mutant.package or (module or "__init__") not in self.sources:
            return None
        is_package = any(name.startswith(f"{module}.") for name in self.sources) or not module
        return importlib.util.spec_from_loader(fullname, self, is_package=is_package)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """Let the import system make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's source, with `imported` as its ``__import__``."""
        name = module.__name__.partition(".")[2] or "__init__"
        if name == self.mutant.module:
            code = compile(self.sources[name], f"<mutant {self.mutant.id}>/{name}.py", "exec")
        else:
            code = _compiled(self.mutant.format, name)
        module.__dict__["__builtins__"] = self.builtins
        exec(code, module.__dict__)  # noqa: S102 # our own source, with one text exchanged


@cache
def sources(format_id: str) -> dict[str, str]:
    """Return module name -> source of the format's reference: its own modules, and those of its contents."""
    spec = importlib.util.find_spec(f"{REFERENCE}.{format_id}")
    if spec is None or not spec.submodule_search_locations:
        raise UnknownFormat(f"{REFERENCE} has no package for {format_id}")
    folder = Path(spec.submodule_search_locations[0])
    paths = [*sorted(folder.glob("*.py")), *sorted(folder.glob("contents/*.py"))]
    return {_module(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in paths}


def _module(path: Path) -> str:
    """Return the name of a module of the format's package; an inner package has the name of its directory."""
    names = path.with_suffix("").parts
    return ".".join(names if len(names) == 1 or names[-1] != "__init__" else names[:-1])


@cache
def _copied(format_id: str, module: str) -> frozenset[str]:
    """Return the modules to copy for a fault in `module`: this module and all that import it, even
    indirectly.

    The implementation and its late imports are copied, too. Modules with caches that fill during reading are
    also copied, because a cache must not contain entries of another mutant.
    """
    found = {module, "__init__", "implementation"}
    caches = re.compile(r"def __missing__|\bValueCache(\[.*?\])?\(")
    found |= {name for name, text in sources(format_id).items() if caches.search(text)}
    while more := {name for name, needs in _imports(format_id).items() if needs & found} - found:
        found |= more
    return frozenset(found)


@cache
def _imports(format_id: str) -> dict[str, set[str]]:
    """For each module of a format's reference, return the modules that it imports; for a package, its own
    modules.
    """
    known, package = sources(format_id), f"{REFERENCE}.{format_id}"
    out = {name: {other for other in known if other.startswith(f"{name}.")} for name in known}
    for name, text in known.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{package}."):
                inside = str(node.module).removeprefix(package).removeprefix(".")
                names = (f"{inside}.{alias.name}".removeprefix(".") for alias in node.names)
                out[name] |= {each if each in known else inside or "__init__" for each in names}
    return out


@cache
def _compiled(format_id: str, name: str) -> CodeType:
    """Return a module that mutants share unchanged; raises MutantError if it would import the reference."""
    source = sources(format_id)[name]
    if re.search(rf"^\s*import {REFERENCE}\.", source, re.MULTILINE):
        raise MutantError(f"{name}.py: `import {REFERENCE}.` names the reference itself: use `from`")
    return compile(source, f"<mutants of {format_id}>/{name}.py", "exec")


@cache
def places(text: str) -> dict[str, list[tuple[int, int]]]:
    """For each function, class and constant of a module, map its name to where it begins and ends.

    All places of a name are listed. The name "" is the whole module.
    """
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))

    def inside(body: Sequence[ast.stmt], before: str) -> Iterator[tuple[str, tuple[int, int]]]:
        for node in body:
            names: list[str] = []
            first = node.lineno
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names = [node.name]
                first = min([first, *(decorator.lineno for decorator in node.decorator_list)])
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [
                    part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)
                ]
            for name in names:
                yield before + name, (lines[first - 1], lines[node.end_lineno or first])
            if isinstance(node, ast.ClassDef):
                yield from inside(node.body, f"{before}{node.name}.")

    out: dict[str, list[tuple[int, int]]] = {"": [(0, len(text))]}
    for name, place in inside(ast.parse(text).body, ""):
        out.setdefault(name, []).append(place)
    return out


@cache
def without_comments(text: str) -> str:
    """Return a module with a blank for each character of a comment, so that all places stay the same."""
    lines = text.splitlines(keepends=True)
    for kind, comment, (row, column), *_ in [*tokenize.generate_tokens(iter(lines).__next__)]:
        if kind == tokenize.COMMENT:
            line = lines[row - 1]
            lines[row - 1] = line[:column] + " " * len(comment) + line[column + len(comment) :]
    return "".join(lines)


def load_mutants(format_id: str) -> list[Mutant]:
    """Return the mutants of `format_id` in the order of its table; none if it has no such file.

    Raises MutantError if an id occurs twice. Whether a mutant fits is checked only when it is used.
    """
    entries = _table(format_id).get("mutant", ())
    try:
        found = [
            Mutant(format=format_id, **entry | {"breaks": tuple(entry.get("breaks", ()))})
            for entry in entries
        ]
    except TypeError as error:
        raise MutantError(f"{format_id}.toml: {error}") from None
    names = [mutant.id for mutant in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise MutantError(f"{format_id}.toml: {', '.join(twice)} occurs more than once")
    return found


def mutant_reader(format_id: str, name: str) -> Named:
    """Return a mutant as a reader of crash states, under the first policy; raises LookupError."""
    adapter = crash_format(format_id)
    policy = adapter.readers[0]
    reader = adapter.reader(policy, mutant_of(format_id, name).implementation())
    return Named(name, reader, adapter.salvages(policy))


def mutant_of(format_id: str, name: str) -> Mutant:
    """Return the mutant of that id; raises LookupError if there is none."""
    for mutant in load_mutants(format_id):
        if mutant.id == name:
            return mutant
    raise LookupError(f"{format_id} has no mutant {name!r}")


def load_unproved(format_id: str) -> dict[str, str]:
    """Return requirement -> the reason why no mutant can break it, from the format's table."""
    return {entry["requirement"]: entry["why"] for entry in _table(format_id).get("unproved", ())}


def _table(format_id: str) -> dict[str, Any]:
    get_format(format_id)
    path = TABLES / f"{format_id}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def main(arguments: Sequence[str] | None = None) -> int:
    """List the mutants and check that they fit; return the exit status (0 good, 1 if one does not fit)."""
    parser = argparse.ArgumentParser(prog="python tools/mutants.py", description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="formats (default: all)")
    parser.add_argument("--table", action="store_true", help="print the place and the reason of each mutant")
    options = parser.parse_args(arguments)
    status = 0
    for format_id in options.formats or format_ids():
        try:
            mutants = load_mutants(format_id)
        except (UnknownFormat, MutantError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        print(f"{format_id}: {len(mutants)} mutants")
        for mutant in mutants:
            if options.table:
                print(f"  {mutant.id:32} {mutant.at:34} {mutant.why}")
            try:
                mutant.implementation()
            except MutantError as error:
                print(f"error: {error}", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
