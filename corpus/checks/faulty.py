"""Recoveries that decide wrongly, and how many of their wrong answers are noticed.

A faulty replay reads the right records and makes the wrong of them: it delivers what nobody
committed, forgets a delete, finds nothing unfinished. The table of a format
(``faulty.toml`` in its package) has each as a change of the reference's source, or says why it is not
possible there. Here each is asked about the states of every n-th workload, by every policy of the reference.

wrong     answers whose effect is another than the reference's, in states in which the
          reference itself passes; a refusal has no effect
noticed   those of them on which the verdict is a failure
explained those of the others that some permitted set of operations explains, by the second oracle
          (:mod:`brute_effects`): a commit under way may be rejected, say, and nobody can call that wrong

``python corpus/checks/faulty.py --format F --every N`` prints the table. Exit status: 0 if of the wrong
answers of each replay that nothing explains at least FLOOR are noticed, 1 otherwise, 2 usage. A replay that
is possible and was never wrong says nothing: that is 1, too. ``--names 'long/*'`` takes other workloads.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from importlib.resources import files
from itertools import islice
from typing import Any

from brute_effects import BrutePermitted, State, TooMany, issued
from brute_models import fold_model
from journalspec.formats import UnknownFormat, format_module
from journalspec_corpus.crash.adapter import PACKAGE, CrashFormat, crash_format
from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.expected import REFUSALS, expected_at
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.persistence import PRESETS, REACHABLE
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.verdict import Answer, judge
from journalspec_corpus.mutants import Mutant, MutantError
from journalspec_reference import load

SEED = 1
#: The file in a format's package with its faulty replays.
TABLE = "faulty.toml"
#: At least this part of the wrong answers of each replay has to be noticed.
FLOOR = 0.9
_FINE = ("pass", "acceptable")

#: The replays that every format answers for.
REPLAYS = (
    "uncommitted-delivered",
    "rollback-applied",
    "delete-ignored",
    "transactional-delete-ignored",
    "partial-commit-accepted",
    "unfinished-empty",
    "decision-dropped",
    "update-ignored",
    "first-of-a-life-ignored",
)


@dataclass(frozen=True, slots=True)
class FaultyReplay:
    """A replay of a format: `what` it makes of records, by `mutant`; or `none`, why it is not possible.

    `refuses`: what it makes of some of them looks damaged to the rest of the reader, which then refuses.
    `large`: the workloads in which it is wrong have too many states for the second oracle.
    """

    id: str
    what: str = ""
    mutant: Mutant | None = None
    none: str = ""
    refuses: bool = False
    large: bool = False


def replays(format_id: str) -> list[FaultyReplay]:
    """Return the replays of a format; raises MutantError if the table is not about all of them, in order."""
    path = files(format_module(PACKAGE, format_id)).joinpath(TABLE)
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["replay"] if path.is_file() else []
    names = tuple(entry["id"] for entry in entries)
    if names != REPLAYS:
        raise MutantError(f"{format_id}/{TABLE}: has {', '.join(names)}; expected {', '.join(REPLAYS)}")
    found = []
    for entry in entries:
        if "none" in entry:
            found.append(FaultyReplay(entry["id"], none=entry["none"]))
            continue
        change = {key: entry[key] for key in ("module", "find", "replace")}
        mutant = Mutant(f"faulty-{entry['id']}", format_id, why=entry["what"], **change)
        flags = {name: entry.get(name, False) for name in ("refuses", "large")}
        found.append(FaultyReplay(entry["id"], entry["what"], mutant, **flags))
    return found


def misread(adapter: CrashFormat, replay_id: str) -> CrashFormat:
    """Return `adapter` with a faulty replay as its reference; raises LookupError if there is none."""
    found = {replay.id: replay.mutant for replay in replays(adapter.format)}.get(replay_id)
    if found is None:
        raise LookupError(f"{adapter.format} has no replay {replay_id!r}: {', '.join(REPLAYS)}")
    readers = tuple(replace(reader, differs=_always) for reader in adapter.state_readers if reader.policy)
    return replace(adapter, state_readers=readers, implementation=found.implementation)


def _always(_: Answer) -> bool:
    return True


@dataclass
class ReplayRow:
    """What became of one replay: answers in number, and of the wrong ones how each was judged."""

    replay: FaultyReplay
    asked: int = 0
    wrong: int = 0
    explained: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)

    @property
    def noticed(self) -> int:
        """Wrong answers on which the verdict is a failure."""
        return sum(count for name, count in self.verdicts.items() if name not in _FINE)

    @property
    def enough(self) -> bool:
        """Whether FLOOR is reached; it is where nothing was wrong."""
        return self.noticed >= FLOOR * (self.wrong - self.explained)

    @property
    def idle(self) -> bool:
        """Whether the replay is possible and was never wrong: these states say nothing about it."""
        return self.replay.mutant is not None and not self.wrong

    def line(self) -> str:
        """Return the row as text."""
        if self.replay.none:
            return f"{self.replay.id:30} not possible: {self.replay.none}"
        part = f"{self.noticed / self.wrong:7.1%}" if self.wrong else "      -"
        names = ", ".join(f"{name} {count}" for name, count in self.verdicts.most_common())
        rest = f", explained {self.explained}" if self.explained else ""
        return f"{self.replay.id:30} {self.wrong:7} wrong of {self.asked:8}, noticed {part}{rest}  {names}"


#: What one implementation made of one state: its effect (None for a refusal), what is judged, and the effects
#: as the second oracle has them.
Said = tuple[Any, Answer, State]


class FaultyRun:
    """All replays of one format, asked about the same states as the reference."""

    def __init__(self, adapter: CrashFormat, table: Sequence[FaultyReplay]) -> None:
        self.adapter = adapter
        self._fold = fold_model(adapter.format)
        self.rows = [ReplayRow(replay) for replay in table]
        mutants = [row.replay.mutant for row in self.rows]
        self._asked = [load(adapter.format)]
        self._asked += [mutant.implementation() for mutant in mutants if mutant is not None]
        self._counted = [row for row in self.rows if row.replay.mutant is not None]
        self.states = 0

    def look_at(self, trace: Trace) -> None:
        """Ask about all states of a trace."""
        known: dict[tuple[tuple[str, bytes], ...], list[list[Said]]] = {}
        for states in crash_states(trace, PRESETS, SEED):
            self._group(trace, states, known)

    def _group(
        self, trace: Trace, states: States, known: dict[tuple[tuple[str, bytes], ...], list[list[Said]]]
    ) -> None:
        expected = expected_at(trace, states.point.crash_index, states.torn, states.stratum)
        refusals = Facts(states).refusals
        judged: dict[Any, str] = {}
        for row, codes in enumerate(states.codes):
            self.states += 1
            content = tuple(sorted(states.point.materialise(codes).items()))
            if content not in known:
                known[content] = self._ask(dict(content), trace.edition)
            refusal = REFUSALS[refusals[row]]
            right, *others = known[content]
            for place, (reader, _) in enumerate(self.adapter.policies.items()):
                holes = reader in self.adapter.salvaging

                def verdict(answer: Any, refusal: str = refusal, holes: bool = holes) -> str:
                    key = answer, refusal, holes
                    if key not in judged:
                        judged[key] = judge(answer, expected, refusal, holes_allowed=holes)
                    return judged[key]

                effect, answer, _ = right[place]
                if effect is None or verdict(answer) not in _FINE:
                    continue
                for counted, said in zip(self._counted, others, strict=True):
                    counted.asked += 1
                    if said[place][0] != effect:
                        counted.wrong += 1
                        found = verdict(said[place][1])
                        counted.verdicts[found] += 1
                        counted.explained += found in _FINE and self._explains(trace, states, said[place])

    def _explains(self, trace: Trace, states: States, said: Said) -> bool:
        """Tell whether the second oracle finds a set of operations that explains what was said."""
        effect, answer, state = said
        if effect is None:
            # A refusal has no effect that could be wrong.
            return True
        if self._fold is None:
            return False
        ops = self._fold.operations(issued(trace, states.point.crash_index, states.torn))
        try:
            permitted = BrutePermitted(self._fold, ops, states.stratum != REACHABLE)
        except TooMany:
            return False
        return not permitted.wrong(state, frozenset(answer.keys), frozenset(answer.aside))

    def _ask(self, content: Mapping[str, bytes], edition: str) -> list[list[Said]]:
        return [
            [
                self._said(implementation, content, edition, policy)
                for policy in self.adapter.policies.values()
            ]
            for implementation in self._asked
        ]

    def _said(self, implementation: Any, content: Mapping[str, bytes], edition: str, policy: str) -> Said:
        found = implementation.recover(content, edition=edition, policy=policy)
        answer = self.adapter.answer(found)
        if found.state is None:
            return None, answer, frozenset()
        return answer.state, answer, self._fold.effects(found.state) if self._fold else frozenset()


def run(format_id: str, scope: str, every: int, start: int = 0, names: str = "*") -> FaultyRun:
    """Ask all replays of a format about every `every`-th workload of a scope from `start` on.

    Only those count whose names match the pattern `names`.
    """
    adapter = crash_format(format_id)
    found = FaultyRun(adapter, replays(format_id))
    works = (work for work in adapter.workloads(scope) if fnmatchcase(work.name, names))
    for work in islice(works, start, None, every):
        found.look_at(adapter.build(work))
    return found


def lines(found: FaultyRun) -> Iterator[str]:
    """Yield the table as text."""
    yield f"{found.states} states, each by {', '.join(found.adapter.policies)}"
    yield from (row.line() for row in found.rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python corpus/checks/faulty.py", description=__doc__)
    parser.add_argument("--format", required=True)
    parser.add_argument("--scope", default="core", help="smoke, core or full (default: %(default)s)")
    parser.add_argument("--every", type=int, default=61, metavar="N", help="take every N-th workload")
    parser.add_argument("--start", type=int, default=0, metavar="N", help="begin with the N-th workload")
    parser.add_argument("--names", default="*", metavar="PATTERN", help="of workloads with such names")
    options = parser.parse_args(arguments)
    try:
        found = run(options.format, options.scope, options.every, options.start, options.names)
    except (UnknownFormat, MutantError, KeyError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for line in lines(found):
        print(line)
    short = [row.replay.id for row in found.rows if not row.enough]
    if short:
        print(f"error: of {', '.join(short)} less than {FLOOR:.0%} is noticed", file=sys.stderr)
    idle = [row.replay.id for row in found.rows if row.idle]
    if idle:
        print(f"error: no answer of {', '.join(idle)} is wrong: take other workloads", file=sys.stderr)
    return int(bool(short or idle))


if __name__ == "__main__":
    sys.exit(main())
