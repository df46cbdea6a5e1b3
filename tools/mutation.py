"""Checks that cases detect every mutant of the reference, and that every `must` has such a mutant.

``python tools/mutation.py`` prints for each mutant how many cases of the smoke tier detect it. For each
``must`` it prints the mutant that breaks it, or the reason why there is none. It also prints the number of
cases that refer to the requirement and detect the mutant. Exit status: 0 if all is proved and no case fails
on the reference, 1 otherwise, 2 usage. ``--json`` prints the proofs (mutant and first case per must), from
which the site's coverage table is made.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from mutants import Mutant, MutantError, load_mutants, load_unproved

from journalspec.formats import UnknownFormat, format_ids, get_format
from journalspec.requirements import requirements
from journalspec_conformance import asking, writing
from journalspec_conformance.connect import in_process
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.harnesses.reference import Reference
from journalspec_corpus import Case, load_cases
from journalspec_reference import load

#: At most one `must` in this many may lack a mutant.
UNPROVED_SHARE = 10
#: The subjects of requirements that a mutant can break. Requirements on file sets and tools do not affect
#: answers.
CONDUCT = frozenset({"reader", "recoverer", "writer"})


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof that cases test `requirement`: a mutant and its killers, or `why` there is none."""

    requirement: str
    mutant: str = ""
    killers: tuple[str, ...] = ()
    why: str = ""

    @property
    def holds(self) -> bool:
        """Return whether cases detect the mutant, or a reason excuses its absence."""
        return bool(self.killers) or (bool(self.why) and not self.mutant)


def killers(
    implementation: Any, cases: Iterable[Case], enough: int | None = None, *, enforce_should: bool = False
) -> list[str]:
    """Return the ids of at most `enough` cases that detect a fault of `implementation`.

    A case detects a fault if one of its probes fails, and the reference passes the case; failures of a
    `should` are considered only if requested. Writers are also checked with the reader of `implementation`,
    because a fault in the reference's source would be in both.
    """
    found: list[str] = []
    with judging(implementation, enforce_should=enforce_should) as engine:
        for case in cases:
            if enough is not None and len(found) >= enough:
                break
            if notices(engine, case) and not fails(case, enforce_should=enforce_should):
                found.append(case.id)
    return found


@contextmanager
def judging(implementation: Any, *, enforce_should: bool = False) -> Iterator[Engine]:
    """Yield an engine that asks `implementation`, in this process."""
    implementations = {implementation.format_id: implementation}
    options = Options(enforce_should=enforce_should, enforce_may=enforce_should)
    engine = Engine(in_process(lambda: Reference(implementations)), options)
    try:
        # Both modules read the files that a writer leaves.
        with (
            patch.object(writing, "load", implementations.get),
            patch.object(asking, "load", implementations.get),
        ):
            yield engine
    finally:
        engine.close()


def notices(engine: Engine, case: Case) -> bool:
    """Return whether one of the probes of `case` fails."""
    engine.forgive()
    return any(engine.run(probe).result_class not in ("pass", "allowed") for probe in case.probes)


#: Id of a case, and whether failures of a `should` count -> whether the reference fails the case.
_FAILED: dict[tuple[str, bool], bool] = {}


def fails(case: Case, *, enforce_should: bool = False) -> bool:
    """Return whether the unchanged reference fails `case`; it is asked once for all mutants."""
    key = case.id, enforce_should
    if key not in _FAILED:
        with judging(load(case.format), enforce_should=enforce_should) as engine:
            _FAILED[key] = notices(engine, case)
    return _FAILED[key]


def proofs(format_id: str, cases: Sequence[Case], enough: int | None = 1) -> list[Proof]:
    """Return one proof per ``must`` of `format_id`, in their order.

    Only cases that refer to the requirement are used. Of several mutants that break it, the first one that a
    case detects is used; the search stops after `enough` such cases (None: all).
    """
    unproved, mutants = load_unproved(format_id), load_mutants(format_id)
    by_name: dict[str, list[Case]] = {}
    for case in cases:
        for name in case.requirements:
            by_name.setdefault(name, []).append(case)
    found = []
    for requirement in requirements(format_id):
        if requirement.level != "must" or not CONDUCT.intersection(requirement.roles):
            continue
        naming = by_name.get(requirement.id, ())
        breaking = [mutant for mutant in mutants if requirement.id in mutant.breaks]
        proof = Proof(requirement.id, why=unproved.get(requirement.id, ""))
        for mutant in breaking:
            killed_by = tuple(killers(mutant.implementation(), naming, enough))
            proof = Proof(requirement.id, mutant.id, killed_by)
            if killed_by:
                break
        found.append(proof)
    return found


def faults(format_id: str, found: Sequence[Proof]) -> list[str]:
    """Return the faults in `found` and in the tables of its proofs, as sentences; an empty result is good."""
    known = {requirement.id for requirement in requirements(format_id)}
    named = {name for mutant in load_mutants(format_id) for name in mutant.breaks}
    unproved = load_unproved(format_id)
    out = [f"{name}: is no requirement of {format_id}" for name in sorted((named | {*unproved}) - known)]
    out += [f"{name}: is listed as unproved, but a mutant breaks it" for name in sorted(named & {*unproved})]
    for proof in found:
        if proof.mutant and not proof.killers:
            out.append(f"{proof.requirement}: no case for this requirement detects mutant {proof.mutant}")
        elif not proof.holds:
            out.append(f"{proof.requirement}: no mutant breaks it, and no reason is given")
    excused = sum(not proof.mutant for proof in found)
    if excused * UNPROVED_SHARE > len(found):
        out.append(f"{excused} of {len(found)} musts have no mutant, more than one in {UNPROVED_SHARE}")
    return out


def enough_killers(mutant: Mutant, cases: Sequence[Case]) -> list[str]:
    """Return enough cases that detect `mutant`; cases for a requirement that it breaks come first."""
    first = sorted(cases, key=lambda case: not {*mutant.breaks}.intersection(case.requirements))
    return killers(mutant.implementation(), first, mutant.enough, enforce_should=True)


def shuffled(cases: Sequence[Case]) -> list[Case]:
    """Return the cases in an order that mixes the groups and stays the same if a case is added."""
    return sorted(cases, key=lambda case: hashlib.blake2b(case.id.encode(), digest_size=8).digest())


def proofs_json(found: Sequence[Proof]) -> dict[str, dict[str, str]]:
    """Return requirement -> {mutant, case} or {why}, as it is published."""
    return {
        proof.requirement: {"mutant": proof.mutant, "case": proof.killers[0]}
        if proof.killers
        else {"why": proof.why}
        for proof in found
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and return the exit status."""
    parser = argparse.ArgumentParser(prog="python tools/mutation.py", description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="formats (default: all)")
    parser.add_argument("--musts", action="store_true", help="only the musts, not every mutant")
    parser.add_argument("--json", action="store_true", help="print the proofs of one format as JSON")
    options = parser.parse_args(arguments)
    status = 0
    for format_id in options.formats or format_ids():
        try:
            get_format(format_id)
            if options.json:
                print(json.dumps(proofs_json(proofs(format_id, shuffled(load_cases(format_id)))), indent=1))
                continue
            status |= 0 if options.musts else _mutant_table(format_id)
            status |= _must_table(format_id)
        except (UnknownFormat, MutantError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
    return status


def _mutant_table(format_id: str) -> int:
    cases = load_cases(format_id)
    mutants = load_mutants(format_id)
    of_reference = [case.id for case in cases if fails(case)]
    print(f"{format_id}: {len(mutants)} mutants, {len(cases)} cases")
    print(f"  {'the reference':34} {len(of_reference):5}  {' '.join(of_reference[:3])}")
    status = int(bool(of_reference))
    for mutant in mutants:
        found = killers(mutant.implementation(), cases, enforce_should=True)
        weak = len(found) < mutant.enough
        print(
            f"  {mutant.id:34} {len(found):5}  {'too few: ' if weak else ''}{' '.join(found[:2])}", flush=True
        )
        status |= weak
    return status


def _must_table(format_id: str) -> int:
    found = proofs(format_id, load_cases(format_id), None)
    proved = sum(bool(proof.killers) for proof in found)
    print(f"{format_id}: {proved} of {len(found)} musts proved by a mutant")
    for proof in found:
        told = proof.mutant or (f"unproved: {proof.why}" if proof.why else "no mutant")
        print(f"  {proof.requirement}  {len(proof.killers):5}  {told}")
    wrong = faults(format_id, found)
    for fault in wrong:
        print(f"  fault: {fault}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
