"""Can crash states see? Every fault of recovery, and the reference itself, against states of the core tier.

Of each class of states (edition, category, torn field, preset, what was written last) the first few are
taken, whatever any reader makes of them. Recovery by every policy is judged by
what the oracle allows; nothing is compared with the reference's answer.

There are states in which nobody gives what is owed: the order of writes, the
device or the format lost it. How many of them the reference fails on is pinned in
the format's ``crash_known.toml``, by class, policy and verdict, with the reason. The
reference must fail on so many, no more and no fewer. A mutant is *killed* by the states
on which it fails beyond that.

Faults of what is never asked for in a crash (writing, looking at files that no
crash leaves) are not expected to be killed. A format says in its
``crash_mutants.toml`` which they are and why; a mutant that is neither killed often
enough nor explained, or is killed although it is said not to be, is an error.

``python corpus/checks/mutation.py --format F`` prints the table; ``--json PATH`` writes it for the pages;
``--pin`` writes the reference's numbers into ``crash_known.toml`` instead, which
has to give a reason for each.
Exit status: 0 good, 1 the reference fails in other numbers than pinned, or a mutant is
neither killed nor explained, or both; 2 usage.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec.files import replace_text
from journalspec.formats import UnknownFormat, format_module
from journalspec_corpus.crash.adapter import PACKAGE, CrashFormat, crash_format
from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.case_builder import KNOWN_FAILURES, Kind, known_failures
from journalspec_corpus.crash.expected import REFUSALS, Expected, expected_at
from journalspec_corpus.crash.facts import Facts, categories, fields
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Mark, Trace, writer_of
from journalspec_corpus.crash.verdict import CATEGORIES, judge
from journalspec_corpus.mutants import MutantError, load_mutants
from journalspec_reference import load

SEED = 1
#: So many states must kill a mutant.
ENOUGH = 3
#: Of every so many-th state a mutant is asked first: who fails in half of them is not asked any more. There
#: are mutants that need longer with each answer.
FIRST = 16
#: The file in a format's package with the mutants that crash states need not kill.
UNSEEN = "crash_mutants.toml"
#: The reason of those that a few states do show.
RARE = "in few states"
#: Why crash states need not kill a mutant -> what that means.
REASONS: Mapping[str, str] = {
    "write side": "a fault of writing: traces are those of a sound writer, and only recovery is asked",
    "only in editions without crash states": "no workload is written in the edition that it is about",
    "no workload does it": "it is about what a writer can do, and no workload of the tier asks for",
    "only in hostile bytes": "bytes show it that no writer writes and no crash leaves",
    "only in hostile file sets": "names, lengths or headers show it that no writer leaves",
    "only in what is told beside": "the same is in effect and given up; something else is told otherwise",
    "another check finds it": "what it lets pass, another check of the same reader refuses",
    RARE: "it takes a coincidence that fewer states have than are asked for",
}
#: The verdict on who does not answer at all.
CRASH = "crash"
_FINE = ("pass", "acceptable")
_NUMBER = re.compile(r"^  \{ (?P<kind>.+?), count = \{ .* \} \},$")


@dataclass(frozen=True, slots=True)
class StateSample:
    """Which states are looked at: of every n-th workload from `start` on, at most so many of each class.

    With `long`, of all long workloads as well (there is everything in them that can be done), and all states
    of those that were added. The format's table may say another n (``every`` of such a sample, ``gate`` of
    the other): workloads come in rounds, and with a divisor of a round's length the same few of each would be
    looked at; or there are few of them.
    """

    every: int
    start: int
    per_class: int
    long: bool = False


#: `whole` is what the command looks at, `gate` what fits into a test.
SAMPLES: Mapping[str, StateSample] = {"gate": StateSample(61, 3, 1), "whole": StateSample(7, 0, 3, long=True)}


@dataclass(frozen=True)
class ShownState:
    """A state to be shown to readers: its name, class and files, and what is owed."""

    name: str
    edition: str
    writer: str
    category: str
    files: Mapping[str, bytes]
    expected: Expected
    refusal: str

    @property
    def size(self) -> int:
        """Bytes in all files."""
        return sum(len(content) for content in self.files.values())


@dataclass(frozen=True, slots=True)
class Failure:
    """One state on which a reader failed, and how."""

    kind: Kind
    state: ShownState


def failures(adapter: CrashFormat, implementation: Any, states: Iterable[ShownState]) -> Iterator[Failure]:
    """Yield how `implementation` fails, for every state and every policy of the adapter."""
    for state in states:
        for reader, policy in adapter.policies.items():
            try:
                found = implementation.recover(state.files, edition=state.edition, policy=policy)
                said = judge(
                    adapter.answer(found),
                    state.expected,
                    state.refusal,
                    holes_allowed=reader in adapter.salvaging,
                )
            except Exception:  # whatever a fault leads to, a crash is noticed
                said = CRASH
            if said not in _FINE:
                yield Failure(Kind(state.writer, state.expected.stratum, state.category, policy, said), state)


def choose(adapter: CrashFormat, sample: StateSample) -> list[ShownState]:
    """Return the states of `sample`. No reader is asked."""
    taken: Counter[tuple[str, ...]] = Counter()
    chosen: list[ShownState] = []
    works = list(islice(adapter.workloads("core"), sample.start, None, sample.every))
    added = list(adapter.added("core")) if sample.long else []
    if sample.long:
        more = [*(adapter.long.of_scope("core") if adapter.long else ()), *added]
        works += [work for work in more if work not in works]
    for work in works:
        trace = adapter.build(work)
        # Of one trace at most one state of a class: its neighbours say the same.
        here: set[tuple[str, ...]] = set()
        for states in crash_states(trace, PRESETS, SEED):
            for row, key in _classes(trace, states):
                # What was added is there for faults that no other states show.
                if work in added or (key not in here and taken[key] < sample.per_class):
                    here.add(key)
                    taken[key] += 1
                    chosen.append(_seen(trace, states, row, category=key[2]))
    return chosen


def _classes(trace: Trace, states: States) -> Iterator[tuple[int, tuple[str, ...]]]:
    facts = Facts(states)
    category = categories(facts)
    place, names = fields(facts)
    last = _written_last(trace, max(states.point.crash_index, states.torn + 1))
    for row in range(len(states)):
        preset = PRESETS[states.preset[row]].name
        rot = states.rot[row].partition(":")[0] if states.rot else ""
        kind = trace.tags.get("kind", "")
        yield row, (trace.edition, kind, CATEGORIES[category[row]], names[place[row]], preset, rot, last)


def _written_last(trace: Trace, upto: int) -> str:
    """Return what the record is that was written last before ``ops[upto]``: the first member of its key."""
    keys = [note.key for at, note in trace.annotated if at < upto and isinstance(note, Mark)]
    return keys[-1].partition(":")[0] if keys else ""


def _seen(trace: Trace, states: States, row: int, category: str) -> ShownState:
    point = states.point
    expected = expected_at(trace, point.crash_index, states.torn, states.stratum)
    content = point.materialise(states.codes[row])
    codes = "".join(f"{code:x}." for code in states.codes[row].tolist()).rstrip(".")
    rot = f" {states.rot[row]}" if states.rot else ""
    tear = f" tear {int(states.tear[row])}" if states.torn >= 0 else ""
    preset = PRESETS[states.preset[row]].name
    name = f"{trace.name} {preset} at {point.crash_index} [{codes}]{tear}{rot}"
    refusal = REFUSALS[Facts(states.take(_one(row))).refusals[0]]
    return ShownState(name, trace.edition, writer_of(trace), category, content, expected, refusal)


def _one(row: int) -> npt.NDArray[np.int64]:
    return np.array([row], np.int64)


def unlike(found: Mapping[Kind, int], pinned: Mapping[Kind, int]) -> list[str]:
    """Return where the reference's failures are not those that are pinned."""
    return [
        f"the reference: {found.get(kind, 0)} times {kind}, pinned are {pinned.get(kind, 0)}"
        for kind in sorted({*found, *pinned})
        if found.get(kind, 0) != pinned.get(kind, 0)
    ]


def tally(found: Iterable[Failure]) -> Counter[Kind]:
    """Count failures by kind."""
    return Counter(failure.kind for failure in found)


@dataclass(frozen=True)
class MutantRow:
    """What became of one mutant: how many states killed it, of how many, and the first and the smallest."""

    mutant: str
    killed: int
    shown: int
    first: str = ""
    smallest: str = ""


def row_of(mutant: str, found: Sequence[Failure], shown: int, pinned: Mapping[Kind, int]) -> MutantRow:
    """Return what became of `mutant`, which failed as `found` says: what is pinned does not count."""
    beyond = Counter(tally(found))
    beyond.subtract(pinned)
    more = {kind for kind, count in beyond.items() if count > 0}
    by_policy: Counter[str] = Counter()
    for kind in more:
        by_policy[kind.policy] += beyond[kind]
    states = [failure.state for failure in found if failure.kind in more]
    if not states:
        return MutantRow(mutant, 0, shown)
    smallest = min(states, key=lambda state: (state.size, state.name))
    # A state that kills it by two policies is one state.
    return MutantRow(mutant, max(by_policy.values()), shown, states[0].name, smallest.name)


def table(
    adapter: CrashFormat, states: Sequence[ShownState], pinned: Mapping[Kind, int]
) -> Iterator[MutantRow]:
    """Yield what becomes of each mutant of the format, shown all `states` or every FIRST-th of them."""
    first = states[::FIRST]
    usual = tally(failures(adapter, load(adapter.format), first))
    for mutant in load_mutants(adapter.format):
        implementation = mutant.implementation()
        row = row_of(mutant.id, list(failures(adapter, implementation, first)), len(first), usual)
        if 2 * row.killed < row.shown:
            row = row_of(mutant.id, list(failures(adapter, implementation, states)), len(states), pinned)
        yield row


def pin(format_id: str, numbers: Mapping[str, Mapping[Kind, int]]) -> list[Kind]:
    """Write `numbers` (sample -> counts) into the format's table; return the kinds that it has no reason for.

    Entries that nothing is counted for any more are taken out. A format that has no table yet is given none.
    """
    with as_file(files(format_module(PACKAGE, format_id)).joinpath(KNOWN_FAILURES)) as path:
        if not path.is_file():
            return sorted({kind for counts in numbers.values() for kind in counts})
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        left = {kind for counts in numbers.values() for kind in counts}
        out = []
        for line in lines:
            match = _NUMBER.match(line)
            if match is None:
                out.append(line)
                continue
            (entry,) = tomllib.loads(f"entry = [{{ {match['kind']} }}]")["entry"]
            kind = Kind(*(entry[name] for name in Kind._fields))
            if kind in left:
                left.discard(kind)
                out.append(f"{_pinned(kind, numbers)}\n")
        replace_text(path, "".join(out))
    return sorted(left)


def _pinned(kind: Kind, numbers: Mapping[str, Mapping[Kind, int]]) -> str:
    members = ", ".join(f'{name} = "{value}"' for name, value in zip(Kind._fields, kind, strict=True))
    counts = ", ".join(f"{name} = {of[kind]}" for name, of in numbers.items() if kind in of)
    return f"  {{ {members}, count = {{ {counts} }} }},"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why crash states do not show a mutant: one of REASONS, and `why` in words."""

    reason: str
    why: str

    @property
    def rare(self) -> bool:
        """Whether a few states show it."""
        return self.reason == RARE


def sample_of(format_id: str, name: str) -> StateSample:
    """Return the sample `name` (one of SAMPLES) of a format."""
    sample = SAMPLES[name]
    return replace(sample, every=_table(format_id).get("every" if sample.long else "gate", sample.every))


def _table(format_id: str) -> dict[str, Any]:
    path = files(format_module(PACKAGE, format_id)).joinpath(UNSEEN)
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def explained(format_id: str) -> dict[str, Reason]:
    """Return the mutants that crash states need not kill, with the reason; none if there is no such file.

    Raises MutantError for a reason that is none of REASONS.
    """
    entries = _table(format_id).get("unseen", ())
    unknown = sorted({entry["reason"] for entry in entries} - set(REASONS))
    if unknown:
        raise MutantError(f"{format_id}/{UNSEEN}: no reason {', '.join(unknown)}: {', '.join(REASONS)}")
    return {mutant: Reason(entry["reason"], entry["why"]) for entry in entries for mutant in entry["mutants"]}


def wrong(rows: Iterable[MutantRow], reasons: Mapping[str, Reason]) -> list[str]:
    """Return what is wrong: mutants not killed often enough and not explained, or the other way round."""
    out = []
    known_failures = set()
    for row in rows:
        known_failures.add(row.mutant)
        reason = reasons.get(row.mutant)
        if row.killed < ENOUGH and reason is None:
            out.append(
                f"{row.mutant}: killed by {row.killed} states, not {ENOUGH}, and no [[unseen]] "
                f"of {UNSEEN} says why"
            )
        elif row.killed >= (ENOUGH if reason is not None and reason.rare else 1) and reason is not None:
            out.append(f"{row.mutant}: killed by {row.killed} states ({row.first}), and said not to be")
    return out + [f"{name}: explained, and no mutant" for name in sorted(reasons.keys() - known_failures)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python corpus/checks/mutation.py", description=__doc__)
    parser.add_argument("--format", required=True)
    parser.add_argument(
        "--sample", choices=SAMPLES, default="whole", help="which states to look at (default %(default)s)"
    )
    parser.add_argument("--json", metavar="PATH", help="write the table there as well")
    parser.add_argument("--pin", action="store_true", help="write down how the reference fails, and end")
    options = parser.parse_args(arguments)
    try:
        adapter, reasons = crash_format(options.format), explained(options.format)
        if options.pin:
            return _pin(adapter)
        pinned = known_failures(options.format, options.sample).counts
        sample = sample_of(adapter.format, options.sample)
        states = choose(adapter, sample)
        of_reference = tally(failures(adapter, load(adapter.format), states))
        failed, known = sum(of_reference.values()), sum(pinned.values())
        print(f"{'the reference':34} {failed:5} of {len(states)}, {known} are pinned", flush=True)
        rows = []
        for row in table(adapter, states, pinned):
            rows.append(row)
            why = f"not seen: {reasons[row.mutant].why}" if row.mutant in reasons else ""
            print(f"{row.mutant:34} {row.killed:5} of {row.shown}  {row.smallest or why}", flush=True)
    except (UnknownFormat, MutantError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    faults = unlike(of_reference, pinned) + wrong(rows, reasons)
    print(
        f"{len(rows)} mutants, {sum(row.killed >= ENOUGH for row in rows)} killed by {ENOUGH} states or more"
    )
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    if options.json:
        text = json.dumps(score(sample.every, rows, reasons), indent=1)
        Path(options.json).write_text(text + "\n", encoding="utf-8")
    return int(bool(faults))


def score(every: int, rows: Sequence[MutantRow], reasons: Mapping[str, Reason]) -> dict[str, Any]:
    """Return the table as the pages have it: which states there were, what became of each mutant."""
    shown = max((row.shown for row in rows), default=0)
    return {
        "every": every,
        "states": shown,
        "enough": ENOUGH,
        "mutants": [
            {"mutant": row.mutant, "killed": row.killed}
            | ({"of": row.shown} if row.shown < shown else {})
            | ({"reason": reasons[row.mutant].reason} if row.mutant in reasons else {})
            for row in rows
        ],
    }


def _pin(adapter: CrashFormat) -> int:
    reference = load(adapter.format)
    numbers = {
        name: tally(failures(adapter, reference, choose(adapter, sample_of(adapter.format, name))))
        for name in SAMPLES
    }
    unexplained = pin(adapter.format, numbers)
    if unexplained:
        print(
            f"error: no reason is given for these; put them into {adapter.format}/{KNOWN_FAILURES}, "
            'each below a [[known]] with its why = "..." and states = [ ... ]:',
            file=sys.stderr,
        )
    for kind in unexplained:
        print(_pinned(kind, numbers), file=sys.stderr)
    return int(bool(unexplained))


if __name__ == "__main__":
    sys.exit(main())
