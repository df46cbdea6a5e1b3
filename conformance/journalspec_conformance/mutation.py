"""Can the corpus see? Every mutant of the reference has to be noticed by several cases.

``python -m journalspec_conformance.mutation`` prints for each mutant how many
cases of the smoke tier notice it. Exit status: 0 if every mutant is noticed by
at least `ENOUGH` cases and the reference by none, 1 otherwise, 2 usage.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from journalspec.formats import UnknownFormat, format_ids, get_format
from journalspec_conformance.compare import Claims, closest
from journalspec_corpus import Case, load_cases
from journalspec_corpus.mutants import MutantError, load_mutants
from journalspec_reference import load

#: So many cases must notice a mutant: one may go when a requirement changes.
ENOUGH = 3


def killers(implementation: Any, cases: Iterable[Case], enough: int | None = None) -> list[str]:
    """Return the ids of the cases that notice `implementation`; at most `enough` of them.

    A case notices it if one of its readings or recoveries ends in an exception
    or in an answer that is not permitted. Writing is not asked for.
    """
    found: list[str] = []
    for case in cases:
        if enough is not None and len(found) >= enough:
            break
        if any(noticed for noticed in _verdicts(implementation, case)):
            found.append(case.id)
    return found


def _verdicts(implementation: Any, case: Case) -> Iterator[bool]:
    files = case.files()
    for probe in case.probes:
        if probe.op == "write":
            continue
        try:
            if probe.op == "read":
                seen = implementation.read(files, edition=case.edition, params=case.params)
            else:
                seen = implementation.recover(
                    files, edition=case.edition, policy=probe.policy, params=case.params
                )
        except Exception:  # whatever a fault leads to, a crash is noticed
            yield True
            return
        index, _ = closest(probe.expect, seen.to_json(), Claims())
        yield index < 0


def shuffled(cases: Sequence[Case]) -> list[Case]:
    """Return the cases in an order that is always the same and mixes the groups."""
    mixed = list(cases)
    random.Random(0).shuffle(mixed)  # an order, not a secret
    return mixed


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m journalspec_conformance.mutation", description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="formats (default: all)")
    options = parser.parse_args(arguments)
    status = 0
    for format_id in options.formats or format_ids():
        try:
            get_format(format_id)
            status |= _table(format_id)
        except (UnknownFormat, MutantError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
    return status


def _table(format_id: str) -> int:
    cases = load_cases(format_id)
    mutants = load_mutants(format_id)
    of_reference = killers(load(format_id), cases)
    print(f"{format_id}: {len(mutants)} mutants, {len(cases)} cases")
    print(f"  {'the reference':34} {len(of_reference):5}  {' '.join(of_reference[:3])}")
    status = int(bool(of_reference))
    for mutant in mutants:
        found = killers(mutant.implementation(), cases)
        weak = len(found) < ENOUGH
        status |= int(weak)
        print(
            f"  {mutant.id:34} {len(found):5}  {'too few: ' if weak else ''}{' '.join(found[:2])}", flush=True
        )
    return status


if __name__ == "__main__":
    sys.exit(main())
