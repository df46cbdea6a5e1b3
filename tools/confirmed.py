"""Lists the products that return the expected answers to exactly the bytes of a case.

``python tools/confirmed.py OUTCOMES`` prints the content of the JBoss journal's
``judged.toml``. OUTCOMES is a folder with ``inputs.tar.gz`` (the directories on which the products were run)
and ``outcomes.json.gz`` (their answers). Exit status: 0; 2 if the folder lacks these files.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from publish import collect, input_digest
from recorded import ANSWERS, INPUTS, Outcome, outcome_of_observation, recorded_inputs

from journalspec.observation import REFUSED
from journalspec_corpus.case import Case

FORMAT = "jboss_journal"
HEAD = """# SPDX-License-Identifier: CC0-1.0
# Inputs on which products were run, with the same bytes, and answered what every case with these bytes
# expects of strict recovery: the same records in the same order and the same transactions in doubt, or no
# start where recovery is refused. `input` is the digest of the input's files.
# Made by python tools/confirmed.py.
"""


def table(outcomes: Path, cases: Iterable[Case]) -> dict[str, list[str]]:
    """For each input digest, return the products (if any) that confirm every case with that input."""
    by_input: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.write is None and set(case.params) <= {"file_size"}:
            by_input[input_digest(case.files())].append(case)
    found: dict[str, set[str]] = defaultdict(set)
    for recorded in recorded_inputs(outcomes):
        digest = input_digest(recorded.files)
        if recorded.by_order or not recorded.own <= {"file_size"} or digest not in by_input:
            continue
        for product, outcome in recorded.outcomes.items():
            if all(_confirms(outcome, case) for case in by_input[digest]):
                found[digest].add(product)
    return {digest: sorted(found[digest]) for digest in sorted(found)}


def _confirms(outcome: Outcome, case: Case) -> bool:
    """Return whether a product's outcome is the one that the case expects of strict recovery."""
    for probe in case.probes:
        if (probe.op, probe.policy) == ("recover", "strict"):
            expected = [one for one in probe.expect if one.get("state") or one["verdict"] == REFUSED]
            return any(outcome.same(outcome_of_observation(one, case.edition)) for one in expected)
    return False


def render(found: Mapping[str, Sequence[str]]) -> str:
    """Return the text of ``judged.toml``."""
    entries = [
        f'\n[[judged]]\ninput = "{digest}"\nby = [{", ".join(json.dumps(name) for name in names)}]\n'
        for digest, names in found.items()
    ]
    return HEAD + "".join(entries)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and return the exit status."""
    parser = argparse.ArgumentParser(prog="python tools/confirmed.py", description=__doc__)
    parser.add_argument("outcomes", type=Path, help=f"folder with {INPUTS} and {ANSWERS}")
    outcomes = parser.parse_args(arguments).outcomes
    if not all((outcomes / name).is_file() for name in (INPUTS, ANSWERS)):
        print(f"error: {outcomes} lacks {INPUTS} or {ANSWERS}", file=sys.stderr)
        return 2
    print(render(table(outcomes, collect(FORMAT)["smoke"])), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
