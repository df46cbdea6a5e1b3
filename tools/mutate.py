"""Change the reference in one place at a time and ask the smoke tier whether it notices.

    python tools/mutate.py bitronix_tlog                  # every module of the format
    python tools/mutate.py bitronix_tlog --module write   # one of them
    python tools/mutate.py bitronix_tlog --sample 300 --seed 7

The changes are systematic: comparisons off by one and reversed, constants one
more and one less, conditions negated or less one part, elements, statements and
calls left out, bounds of slices moved. Judge and implementation are both the
changed code, as with a change in the source. Prints every change that nothing
notices, then the score. A survivor is a missing case, or no fault at all.
Exit status: 0 if at least LEAST percent are noticed, 1 if not.
"""

from __future__ import annotations

import argparse
import ast
import copy
import random
import re
import resource
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType

from mutants import Mutant, MutantError, sources
from mutation import judging, notices, shuffled

from journalspec.formats import format_ids
from journalspec_corpus import Case, load_cases

#: What no conformance case asks about: maps, detection of formats, messages, benches, compiled twins.
SKIPPED = ("__init__", "spans", "fast")
UNJUDGED = frozenset({"detect", "sibling", "spans", "looks_like_nio", "looks_like_seed", "_pair", "_stem"})
#: A change may make a loop endless (seconds of processor time) or ask for all the memory there is.
SECONDS = 20
MEMORY = 3 << 30
#: So many percent of the changes have to be noticed.
LEAST = 85.0

_CODE = re.compile(r"[a-z]+(-[a-z0-9]+)+")
_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_REPLACED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_CALLED = {"min": "max", "max": "min", "sorted": "list", "all": "any", "any": "all"}


@dataclass(frozen=True)
class Change:
    """One change: where, what it was, what it became, and the whole module with it."""

    module: str
    line: int
    kind: str
    before: str
    after: str
    source: str


class Places(ast.NodeVisitor):
    """Collects the changes of one module as functions that change the tree and put it back."""

    def __init__(self) -> None:
        self.found: list[tuple[ast.AST, str, Callable[[], Callable[[], None]]]] = []

    def add(self, node: ast.AST, kind: str, owner: object, field: str | int, value: object) -> None:
        def change() -> Callable[[], None]:
            if isinstance(owner, list):
                assert isinstance(field, int)
                before = owner[field]
                owner[field] = value
                return lambda: owner.__setitem__(field, before)
            old = getattr(owner, str(field))
            setattr(owner, str(field), value)
            return lambda: setattr(owner, str(field), old)

        self.found.append((node, kind, change))

    def _shorter(self, node: ast.AST, kind: str, owner: object, field: str, least: int = 0) -> None:
        items = getattr(owner, field)
        if len(items) > least:
            for index in range(len(items)):
                self.add(node, kind, owner, field, items[:index] + items[index + 1 :])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name not in UNJUDGED:
            for default in (*node.args.defaults, *node.args.kw_defaults, *node.body):
                if default is not None:
                    self.visit(default)
            self._statements(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for item in node.body:
            self.visit(item)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assert(self, node: ast.Assert) -> None:
        """Leave alone: what is asserted holds."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave alone: a message; that it is raised is a statement."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave alone: a message."""

    def _statements(self, body: list[ast.stmt]) -> None:
        for index, item in enumerate(body):
            droppable = isinstance(item, ast.AugAssign | ast.Raise | ast.If | ast.Continue | ast.Break)
            if isinstance(item, ast.Expr) and isinstance(item.value, ast.Call | ast.Yield | ast.YieldFrom):
                droppable = True
            if isinstance(item, ast.Assign) and not isinstance(item.targets[0], ast.Name | ast.Tuple):
                droppable = True
            if droppable:
                self.add(item, "left out", body, index, ast.copy_location(ast.Pass(), item))

    def generic_visit(self, node: ast.AST) -> None:
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and not isinstance(node, ast.Module | ast.ClassDef):
                self._statements(body)
        super().generic_visit(node)

    def visit_If(self, node: ast.If | ast.IfExp | ast.While) -> None:
        if not isinstance(node, ast.While):
            self.add(node.test, "negated", node, "test", ast.UnaryOp(ast.Not(), node.test))
        self.generic_visit(node)

    visit_IfExp = visit_While = visit_If  # noqa: N815  # the names are those of ast

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for index, test in enumerate(node.ifs):
            self.add(test, "negated", node.ifs, index, ast.UnaryOp(ast.Not(), test))
        self._shorter(node.target, "condition left out", node, "ifs")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for index, op in enumerate(node.ops):
            for other in _COMPARED[type(op)]:
                self.add(node, "compared", node.ops, index, other())
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.add(node, "and/or", node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        self._shorter(node, "condition left out", node, "values", 1)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        other = _REPLACED.get(type(node.op))
        texts = [side for side in (node.left, node.right) if isinstance(side, ast.Constant | ast.JoinedStr)]
        if other is not None and not any(isinstance(getattr(t, "value", ""), str) for t in texts):
            self.add(node, "operator", node, "op", other())
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.add(node, "constant", node, "value", not value)
        elif isinstance(value, int):
            self.add(node, "constant", node, "value", value + 1)
            self.add(node, "constant", node, "value", value - 1)
        elif isinstance(value, str) and _CODE.fullmatch(value):
            self.add(node, "constant", node, "value", value + "-x")
        elif isinstance(value, bytes) and value:
            self.add(node, "constant", node, "value", value[:-1] + bytes([value[-1] ^ 1]))

    def visit_Tuple(self, node: ast.Tuple | ast.List | ast.Set) -> None:
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Store):
            self._shorter(node, "element left out", node, "elts")
        self.generic_visit(node)

    visit_List = visit_Set = visit_Tuple  # noqa: N815  # as above

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.slice, ast.Slice):
            for field in ("lower", "upper"):
                bound = getattr(node.slice, field)
                if bound is not None:
                    for op in (ast.Add(), ast.Sub()):
                        moved = ast.BinOp(copy.deepcopy(bound), op, ast.Constant(1))
                        if not isinstance(bound, ast.Constant):
                            self.add(node, "bound moved", node.slice, field, moved)
                    self.add(node, "bound left out", node.slice, field, None)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in _CALLED:
            self.add(node, "called", node.func, "id", _CALLED[node.func.id])
        self._shorter(node, "argument left out", node, "keywords")
        self.generic_visit(node)


def changes(module: str, text: str) -> Iterator[Change]:
    """Yield every change of the source `text`, in the order of its lines."""
    tree = ast.parse(text)
    for node in ast.walk(tree):  # docstrings are no code
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            node.body[0] = ast.copy_location(ast.Expr(ast.Constant("")), node.body[0])
    places = Places()
    places.visit(tree)
    whole = ast.unparse(tree).splitlines()
    for node, kind, change in sorted(places.found, key=lambda item: getattr(item[0], "lineno", 0)):
        undo = change()
        source = ast.unparse(ast.fix_missing_locations(tree))
        undo()
        lines = source.splitlines()
        at = next((i for i, (a, b) in enumerate(zip(whole, lines, strict=False)) if a != b), 0)
        line = getattr(node, "lineno", 0)
        yield Change(module, line, kind, _short(whole[at], lines[at]), _short(lines[at], whole[at]), source)


def _short(text: str, other: str) -> str:
    """Return the part of a line around where it differs from `other`."""
    at = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), len(text))
    return text[max(0, at - 90) : at + 60].strip()


class Stuck(BaseException):
    """A change runs for too long; no `except Exception` may swallow that."""


def _stop(signum: int, frame: FrameType | None) -> None:
    raise Stuck


def noticed_by(
    change: Change, format_id: str, number: int, cases: list[Case], seconds: float = SECONDS
) -> str | None:
    """Return the case that notices `change` (or what else does), None if nothing does.

    It may take so many `seconds` of processor time, which other programs do not use up; 0: as it takes.
    """
    mutant = Whole(f"change-{number}", format_id, change.module, "", "", "", text=change.source)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with judging(mutant.implementation()) as engine:
            for index, case in enumerate(cases):
                if notices(engine, case):
                    cases.insert(0, cases.pop(index))  # the next change may well be noticed by it too
                    return case.id
    except MutantError:
        return "import"
    except (Stuck, MemoryError):
        return "time or memory"
    except Exception as error:  # the judge reads with the same code: what stops it is seen
        return f"{type(error).__name__} in the judge"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        for name in [name for name in sys.modules if name.split(".")[0] == mutant.package]:
            del sys.modules[name]
    return None


@dataclass(frozen=True)
class Whole(Mutant):
    """A mutant whose module is given whole."""

    text: str = ""

    def source(self) -> str:
        """Return the text."""
        return self.text


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("format", choices=format_ids())
    parser.add_argument("--module", action="append", help="only these modules")
    parser.add_argument("--sample", type=int, help="only so many changes, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="what is drawn (default 0)")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGPROF, _stop)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    texts = sources(options.format)
    modules = [name for name in texts if (name in options.module if options.module else name not in SKIPPED)]
    every = [change for name in modules for change in changes(name, texts[name])]
    if options.sample is not None:
        every = random.Random(options.seed).sample(every, min(options.sample, len(every)))
    cases = shuffled(load_cases(options.format))
    unchanged = Change("codec", 0, "", "", "", ast.unparse(ast.parse(texts["codec"])))
    if noticed_by(unchanged, options.format, -1, cases, seconds=0):
        print("error: the reference is noticed without any change", file=sys.stderr)
        return 2
    total: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for number, change in enumerate(every):
        total[change.module] += 1
        if noticed_by(change, options.format, number, cases) is None:
            missed[change.module] += 1
            where = f"{change.module}.py:{change.line}"
            print(f"{where}: {change.kind}\n    - {change.before}\n    + {change.after}", flush=True)
    for name in sorted(total):
        print(f"{name:16} {total[name] - missed[name]:5} of {total[name]:5} noticed")
    share = 100 * (1 - missed.total() / max(1, total.total()))
    print(f"{options.format}: {total.total()} changes, {share:.1f} % noticed, {missed.total()} not")
    return int(share < LEAST)


if __name__ == "__main__":
    sys.exit(main())
