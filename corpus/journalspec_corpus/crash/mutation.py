"""Can crash states see? Every fault of recovery, against states of the core tier.

A state *kills* a mutant of the reference if recovery, by a policy with which the
reference passes there, ends in an exception or in an answer that the oracle does
not allow. Nothing is compared with the reference's answer. Of each class of
states (edition, category, torn field, preset) the first PER_CLASS are taken; a
mutant that these do not kill ENOUGH times is shown more.

Faults of what is never asked for in a crash (writing, looking at files that no
crash leaves) are not expected to be killed. A format says in its
``crash_mutants.toml`` which they are and why; a mutant that is neither killed often
enough nor explained, or is killed although it is said not to be, is an error.

``python -m journalspec_corpus.crash.mutation --format F`` prints the table.
Exit status: 0 good, 1 a mutant is neither killed nor explained, or both; 2 usage.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec.formats import UnknownFormat, format_module
from journalspec_corpus.crash.classes import CATEGORIES, categories, fields
from journalspec_corpus.crash.enumerate import States, crash_states
from journalspec_corpus.crash.judge import judge
from journalspec_corpus.crash.model import PRESETS
from journalspec_corpus.crash.oracle import REFUSALS, Facts, Owed, owed
from journalspec_corpus.crash.room import PACKAGE, CrashRoom, crash_room
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.mutants import MutantError, load_mutants
from journalspec_reference import load

SEED = 1
#: States of each class that are looked at first, and those that are kept for who survives them.
PER_CLASS, MORE_PER_CLASS = 2, 12
#: So many states must kill a mutant.
ENOUGH = 3
#: Every n-th workload of the core tier is played.
EVERY = 7
_FINE = ("pass", "acceptable")


@dataclass(frozen=True)
class Seen:
    """A state to be shown to mutants: its name, files, and what is owed.

    `policies` are those by which the reference passes, each with whether it may leave records out.
    """

    name: str
    edition: str
    files: Mapping[str, bytes]
    debt: Owed
    refusal: str
    policies: Mapping[str, bool]

    @property
    def size(self) -> int:
        """Bytes in all files."""
        return sum(len(content) for content in self.files.values())


def kills(room: CrashRoom, implementation: Any, state: Seen) -> bool:
    """Tell whether `state` shows that `implementation` is wrong."""
    for policy, salvaging in state.policies.items():
        try:
            found = implementation.recover(state.files, edition=state.edition, policy=policy)
            said = judge(room.answer(found), state.debt, state.refusal, holes_allowed=salvaging)
        except Exception:  # whatever a fault leads to, a crash is noticed
            return True
        if said not in _FINE:
            return True
    return False


def choose(room: CrashRoom, every: int, start: int = 0) -> tuple[list[Seen], list[Seen]]:
    """Return the states to look at first, and those to look at then."""
    taken: Counter[tuple[str, ...]] = Counter()
    first: list[Seen] = []
    then: list[Seen] = []
    for work in islice(room.workloads("core"), start, None, every):
        trace = room.build(work)
        # Of one trace at most one state of a class: its neighbours say the same.
        here: set[tuple[str, ...]] = set()
        for states in crash_states(trace, PRESETS, SEED):
            for row, key in _classes(trace, states):
                if key in here or taken[key] >= MORE_PER_CLASS:
                    continue
                seen = _seen(room, trace, states, row)
                if seen.policies:
                    here.add(key)
                    taken[key] += 1
                    (first if taken[key] <= PER_CLASS else then).append(seen)
    return first, then


def _classes(trace: Trace, states: States) -> Iterator[tuple[int, tuple[str, ...]]]:
    facts = Facts(states)
    category = categories(facts)
    place, names = fields(facts)
    for row in range(len(states)):
        preset = PRESETS[states.preset[row]].name
        rot = states.rot[row].partition(":")[0] if states.rot else ""
        kind = trace.tags.get("kind", "")
        yield row, (trace.edition, kind, CATEGORIES[category[row]], names[place[row]], preset, rot)


def _seen(room: CrashRoom, trace: Trace, states: States, row: int) -> Seen:
    group = states.group
    debt = owed(trace, group.crash_index, states.torn, states.stratum)
    content = group.materialise(states.codes[row])
    codes = "".join(f"{code:x}." for code in states.codes[row].tolist()).rstrip(".")
    rot = f" {states.rot[row]}" if states.rot else ""
    tear = f" tear {int(states.tear[row])}" if states.torn >= 0 else ""
    preset = PRESETS[states.preset[row]].name
    name = f"{trace.name} {preset} at {group.crash_index} [{codes}]{tear}{rot}"
    refusal = REFUSALS[Facts(states.take(_one(row))).refusals[0]]
    bare = Seen(name, trace.edition, content, debt, refusal, {})
    salvaging = {policy: reader in room.salvaging for reader, policy in room.policies.items()}
    reference = load(room.format)
    passed = {
        policy: holes
        for policy, holes in salvaging.items()
        if not kills(room, reference, _with(bare, {policy: holes}))
    }
    return _with(bare, passed)


def _one(row: int) -> npt.NDArray[np.int64]:
    return np.array([row], np.int64)


def _with(state: Seen, policies: Mapping[str, bool]) -> Seen:
    return Seen(state.name, state.edition, state.files, state.debt, state.refusal, policies)


@dataclass(frozen=True)
class Row:
    """What became of one mutant: how many states killed it, of how many, and the first and the smallest."""

    mutant: str
    killed: int
    shown: int
    first: str = ""
    smallest: str = ""


def table(room: CrashRoom, every: int = EVERY) -> Iterator[Row]:
    """Yield what becomes of each mutant of the format."""
    first, then = choose(room, every)
    for mutant in load_mutants(room.format):
        implementation = mutant.implementation()
        found = [state for state in first if kills(room, implementation, state)]
        shown = len(first)
        if len(found) < ENOUGH:
            more = chain.from_iterable(
                [state] if kills(room, implementation, state) else () for state in then
            )
            found += more
            shown += len(then)
        names = [state.name for state in found]
        smallest = min(found, key=lambda state: (state.size, state.name)).name if found else ""
        yield Row(mutant.id, len(found), shown, names[0] if names else "", smallest)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why crash states do not show a mutant; `rare` if a few of them do."""

    why: str
    rare: bool


def explained(format_id: str) -> dict[str, Reason]:
    """Return the mutants that crash states need not kill, with the reason; none if there is no such file."""
    path = files(format_module(PACKAGE, format_id)).joinpath("crash_mutants.toml")
    if not path.is_file():
        return {}
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("unseen", ())
    return {
        mutant: Reason(entry["why"], entry.get("rare", False))
        for entry in entries
        for mutant in entry["mutants"]
    }


def wrong(rows: Iterable[Row], reasons: Mapping[str, Reason]) -> list[str]:
    """Return what is wrong: mutants not killed often enough and not explained, or the other way round."""
    out = []
    known = set()
    for row in rows:
        known.add(row.mutant)
        reason = reasons.get(row.mutant)
        if row.killed < ENOUGH and reason is None:
            out.append(f"{row.mutant}: killed by {row.killed} states, and nothing says why not by more")
        elif row.killed and reason is not None and not reason.rare:
            out.append(f"{row.mutant}: killed by {row.killed} states ({row.first}), and said not to be")
    return out + [f"{name}: explained, and no mutant" for name in sorted(reasons.keys() - known)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m journalspec_corpus.crash.mutation", description=__doc__)
    parser.add_argument("--format", required=True)
    parser.add_argument(
        "--every", type=int, default=EVERY, help="play every n-th workload (default %(default)s)"
    )
    options = parser.parse_args(arguments)
    try:
        room, reasons = crash_room(options.format), explained(options.format)
        rows = []
        for row in table(room, options.every):
            rows.append(row)
            why = f"not seen: {reasons[row.mutant].why}" if row.mutant in reasons else ""
            print(f"{row.mutant:34} {row.killed:5} of {row.shown}  {row.smallest or why}", flush=True)
    except (UnknownFormat, MutantError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    faults = wrong(rows, reasons)
    print(
        f"{len(rows)} mutants, {sum(row.killed >= ENOUGH for row in rows)} killed by {ENOUGH} states or more"
    )
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
