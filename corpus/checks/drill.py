"""A drill of the gates: faults put into one part after the other, each to be put down to the right part.

``drill.toml`` lists the faults: in `module` the text `find`, which stands there once, becomes
`replace`. Each is looked at in a process of its own, in which the module is imported with that text. The
gates are run in a fixed order. The first one that objects names the part at fault, and has to be right;
without any fault no gate may object.

The order is such that a gate only relies on parts whose gates came before it:

model        the model against a naive replay of drawn operations (:mod:`replay`)
reader       the reference against the cases, which were written without it
annotations  the notes beside the writes of a trace, derived a second time (:mod:`annotations`)
oracle       states, debts and verdicts against brute force (:mod:`brute`); states that are missing or
             cannot be are a fault of the enumeration

``python corpus/checks/drill.py`` prints for each fault which gate objected and what it named. Exit
status: 0 if all are right, 1 otherwise, 2 usage.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

TABLE = Path(__file__).with_name("drill.toml")
#: Where the gates' own modules are.
HERE = str(Path(__file__).parent)
#: What is printed of an objection.
LONGEST = 160
#: A fault that keeps a gate from ending is one that it has not seen.
SECONDS = 900


class DrillError(ValueError):
    """The table is wrong, or a fault does not fit the source any more; the text says where."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: in `module`, `find` becomes `replace`. It is in `part`; the gates look at `format`."""

    id: str
    part: str
    format: str
    module: str
    find: str
    replace: str
    why: str

    def source(self) -> str:
        """Return the module's source with the fault; raises DrillError if it does not fit any more."""
        path = _path(self.module)
        text = path.read_text(encoding="utf-8")
        if text.count(self.find) != 1:
            raise DrillError(f"{self.id}: {self.find!r} stands {text.count(self.find)} times in {path.name}")
        return text.replace(self.find, self.replace)


def _path(module: str) -> Path:
    """Return where a module is, without importing the packages that it is in."""
    top, *inner = module.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or spec.origin is None:
        raise DrillError(f"there is no package {top}")
    return Path(spec.origin).parent.joinpath(*inner).with_suffix(".py")


@dataclass(frozen=True, slots=True)
class Objection:
    """What a gate says: the part that it holds to be at fault, and why."""

    gate: str
    part: str
    text: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A fault (None: none) and the first objection to it, None if there was none."""

    fault: Fault | None
    first: Objection | None

    @property
    def right(self) -> bool:
        """Whether the right part was named."""
        named = self.first.part if self.first else ""
        return named == (self.fault.part if self.fault else "")

    def __str__(self) -> str:
        what = f"{self.fault.id} (in the {self.fault.part})" if self.fault else "no fault"
        said = "no gate objects"
        if self.first:
            said = f"gate {self.first.gate} names the {self.first.part}: {self.first.text}"
        return f"{'right' if self.right else 'WRONG'}  {what}: {said}"


@cache
def faults() -> tuple[Fault, ...]:
    """Return the faults of the table; raises DrillError if it is wrong."""
    try:
        found = tuple(Fault(**entry) for entry in tomllib.loads(TABLE.read_text("utf-8"))["fault"])
    except TypeError as error:
        raise DrillError(f"{TABLE.name}: {error}") from None
    if len({fault.id for fault in found}) < len(found):
        raise DrillError(f"{TABLE.name}: an id stands twice")
    unknown = sorted({fault.part for fault in found} - {*PARTS})
    if unknown:
        raise DrillError(f"{TABLE.name}: there is no part {', '.join(unknown)}")
    return found


def model_gate(format_id: str) -> Iterator[tuple[str, str]]:
    """Yield what the model shows that a naive replay does not."""
    from replay import differing  # noqa: PLC0415  # as all gates: what it imports may have the fault

    yield from (("model", str(entry)) for entry in differing(format_id) if entry is not None)


def reader_gate(format_id: str) -> Iterator[tuple[str, str]]:
    """Yield the cases that the reference does not pass."""
    from journalspec_conformance.mutation import killers  # noqa: PLC0415
    from journalspec_corpus import load_cases  # noqa: PLC0415
    from journalspec_reference import load  # noqa: PLC0415

    for case in killers(load(format_id), load_cases(format_id), 1):
        yield "reader", f"case {case}"


def first_lives(adapter: Any, gate: str) -> Iterator[tuple[Any, Any]]:
    """Yield workloads and their traces: of the sample of `gate`, those that begin with no crash.

    Others begin with a state that the oracle describes, whose own gate is a later one.
    """
    from journalspec_corpus.crash.second_crash import SecondLife  # noqa: PLC0415

    for scope, every, start in SAMPLES[gate]:
        for work in islice(adapter.workloads(scope), start, None, every):
            if not isinstance(work, SecondLife):
                yield work, adapter.build(work)


def annotations_gate(format_id: str) -> Iterator[tuple[str, str]]:
    """Yield the laws that traces break."""
    from annotations import violations  # noqa: PLC0415
    from journalspec_corpus.crash.adapter import crash_format  # noqa: PLC0415

    for work, trace in first_lives(crash_format(format_id), "annotations"):
        yield from (("annotations", str(violation)) for violation in violations(work, trace))


def oracle_gate(format_id: str) -> Iterator[tuple[str, str]]:
    """Yield where brute force says something else, of each trace what explains the rest first."""
    from brute import KNOWN, Comparison, OracleReport, is_small  # noqa: PLC0415
    from faulty import misread  # noqa: PLC0415
    from journalspec_corpus.crash.adapter import crash_format  # noqa: PLC0415

    adapter = crash_format(format_id)
    asked = [adapter, *(misread(adapter, name) for name in MISREAD)]
    for _, trace in first_lives(adapter, "oracle"):
        report = OracleReport()
        if is_small(trace):
            for each in asked:
                Comparison(each, trace, KNOWN, report).run()
        for found in sorted(report.shown, key=lambda found: ORDER.get(found.kind, len(ORDER))):
            yield "enumeration" if found.kind in STATES else "oracle", str(found)


#: Readers that are right are judged alike whether or not anybody looks at what they decide. These are wrong
#: about that, in every format.
MISREAD = ("uncommitted-delivered", "delete-ignored", "unfinished-empty")


#: Kinds of differences that are about which states there are.
STATES = ("unreachable", "missing", "preset")
#: A state is told from another by what is owed as well: if that differs, some seem to be missing. One that is
#: wrong itself has wrong verdicts, too.
ORDER = {kind: number for number, kind in enumerate(("owed", *STATES))}


#: gate -> which workloads it looks at: scope, every how many-th, from which on
SAMPLES: Mapping[str, Sequence[tuple[str, int, int]]] = {
    "annotations": (("core", 17, 0),),
    "oracle": (("core", 83, 0),),
}
#: gate -> what it does, in the order in which they are run
GATES: Mapping[str, Callable[[str], Iterator[tuple[str, str]]]] = {
    "model": model_gate,
    "reader": reader_gate,
    "annotations": annotations_gate,
    "oracle": oracle_gate,
}
PARTS = ("model", "reader", "annotations", "enumeration", "oracle")


def first_objection(format_id: str) -> Objection | None:
    """Run the gates in their order; return the first objection, None if there is none."""
    for gate in GATES:
        try:
            said = next(GATES[gate](format_id), None)
        except Exception as error:  # what a fault leads to may be anything
            said = gate, f"{type(error).__name__}: {error}"
        if said is not None:
            part, text = said
            return Objection(gate, part, " ".join(text.split())[:LONGEST])
    return None


class _Finder(importlib.abc.MetaPathFinder):
    """Imports one module with a fault in it."""

    def __init__(self, fault: Fault) -> None:
        self.fault, self.text = fault, fault.source()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of the module with the fault, None for all others."""
        if fullname != self.fault.module:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin, self.text)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, fullname: str, path: str, text: str) -> None:
        super().__init__(fullname, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        """Return the code with the fault, which is kept nowhere."""
        return self.source_to_code(self._text.encode(), self.path)


def child(fault_id: str, format_id: str) -> Objection | None:
    """Do one drill in this process, which is then of no more use."""
    for fault in faults():
        if fault.id == fault_id:
            finder = _Finder(fault)
            loaded = [name for name in sys.modules if name == fault.module]
            if loaded:
                raise DrillError(f"{fault.id}: {fault.module} is imported already")
            sys.meta_path.insert(0, finder)
    return first_objection(format_id)


def drill(fault: Fault | None, format_id: str = "") -> Seen:
    """Return what the gates make of `fault`, or of a format without any; raises DrillError if that fails."""
    paths = [HERE, *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(  # this program itself
        [
            sys.executable,
            __file__,
            "--child",
            fault.id if fault else "",
            "--format",
            fault.format if fault else format_id,
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        raise DrillError(f"{fault.id if fault else format_id}: {done.stderr.strip()[-400:]}")
    said: dict[str, Any] | None = json.loads(done.stdout.splitlines()[-1])
    return Seen(fault, Objection(**said) if said else None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do the drills and print; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python corpus/checks/drill.py", description=__doc__)
    parser.add_argument("only", nargs="*", metavar="ID", help="faults (default: all, and none of them)")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--format", default="", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child is not None:
        found = child(options.child, options.format)
        print(json.dumps(found and {"gate": found.gate, "part": found.part, "text": found.text}))
        return 0
    try:
        known = faults()
        unknown = sorted({*options.only} - {fault.id for fault in known})
        if unknown:
            raise DrillError(f"there is no fault {', '.join(unknown)}")
        chosen = [fault for fault in known if not options.only or fault.id in options.only]
        formats = [] if options.only else sorted({fault.format for fault in known})
        asked: list[tuple[Fault | None, str]] = [(None, name) for name in formats]
        asked += [(fault, "") for fault in chosen]
        results = []
        for fault, format_id in asked:
            results.append(drill(fault, format_id))
            print(results[-1], flush=True)
    except DrillError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    right = sum(seen.right for seen in results)
    print(f"{right} of {len(results)} right")
    return int(right < len(results))


if __name__ == "__main__":
    sys.exit(main())
