"""How few cases still see every mutant? The smoke tier and crash states, chosen greedily.

``python -m journalspec_conformance.minimal [FORMAT...]`` looks which case of the
smoke tier and which crash state (see corpus/checks/mutation.py) notices
which mutant of the reference, and takes the one that adds most until every mutant
is noticed by `ENOUGH` of those taken, or by all that notice it at all. Greedy sets
are not the smallest there are, but no set is much smaller. Exit status: 0 if every
mutant is noticed often enough, 1 otherwise, 2 usage.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence

from journalspec.formats import UnknownFormat, format_ids
from journalspec_conformance.mutation import killers
from journalspec_corpus import load_cases
from journalspec_corpus.crash.adapter import crash_format, has_crash_format
from journalspec_corpus.crash.case_builder import known_failures
from journalspec_corpus.mutants import ENOUGH, MutantError, load_mutants
from mutation import SAMPLES, Failure, choose, failures, tally


def greedy(noticed: Mapping[str, frozenset[str]], enough: int = ENOUGH) -> list[str]:
    """Return cases, in the order in which they were taken, so that each mutant is noticed `enough` times.

    `noticed` maps a case to the mutants that it notices. A mutant that fewer cases
    notice needs all of these. Among equals the one that comes first is taken.
    """
    mutants = frozenset().union(*noticed.values())
    wanted = {name: min(enough, sum(name in found for found in noticed.values())) for name in mutants}
    left = dict(noticed)
    taken: list[str] = []
    while any(wanted.values()):
        best = max(left, key=lambda case: sum(wanted[name] > 0 for name in left[case]))
        for name in left.pop(best):
            wanted[name] = max(0, wanted[name] - 1)
        taken.append(best)
    return taken


def of_smoke_cases(format_id: str) -> dict[str, frozenset[str]]:
    """Return which mutants each case of the smoke tier notices; cases that notice none are left out."""
    cases = load_cases(format_id)
    return _turned(
        {
            mutant.id: killers(mutant.implementation(), cases, enforce_should=True)
            for mutant in load_mutants(format_id)
        }
    )


def of_crash_states(format_id: str, sample: str) -> dict[str, frozenset[str]]:
    """Return which mutants each state of `sample` notices; none if the format has no traces.

    In kinds of states in which the reference fails as often as the mutant nothing is noticed.
    """
    if not has_crash_format(format_id):
        return {}
    room = crash_format(format_id)
    states, pinned = choose(room, SAMPLES[sample]), known_failures(format_id, sample).counts

    def beyond(found: list[Failure]) -> list[str]:
        counts = tally(found)
        return [each.state.name for each in found if counts[each.kind] > pinned.get(each.kind, 0)]

    return _turned(
        {
            mutant.id: beyond(list(failures(room, mutant.implementation(), states)))
            for mutant in load_mutants(format_id)
        }
    )


def _turned(killed_by: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for mutant, cases in killed_by.items():
        for case in cases:
            found.setdefault(case, set()).add(mutant)
    return {case: frozenset(mutants) for case, mutants in sorted(found.items())}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the sets; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m journalspec_conformance.minimal", description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="formats (default: all)")
    parser.add_argument(
        "--sample", choices=SAMPLES, default="whole", help="which crash states (default %(default)s)"
    )
    parser.add_argument("--list", action="store_true", help="print the cases of the sets")
    options = parser.parse_args(arguments)
    status = 0
    for format_id in options.formats or format_ids():
        try:
            mutants = {mutant.id: mutant.enough for mutant in load_mutants(format_id)}
            smoke = of_smoke_cases(format_id)
            crash = of_crash_states(format_id, options.sample)
        except (UnknownFormat, MutantError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        for name, noticed in (("smoke", smoke), ("crash", crash), ("smoke and crash", {**smoke, **crash})):
            taken = greedy(noticed)
            seen = frozenset().union(*noticed.values())
            sizes = f"{len(taken)} of {len(noticed)} see {len(seen)} of {len(mutants)} mutants"
            print(f"{format_id}: {name}: {sizes}", flush=True)
            if options.list:
                print("\n".join(f"  {case}" for case in taken))
        counts = {name: sum(name in found for found in smoke.values()) for name in mutants}
        status |= int(any(counts[name] < enough for name, enough in mutants.items()))
    return status


if __name__ == "__main__":
    sys.exit(main())
