"""What all formats' crash workloads have in common: first lives, second ones, long ones, smaller ones.

A format says in tables what is done; here is what is made of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

from journalspec_corpus.crash.adapter import LongWorkload
from journalspec_corpus.crash.recorder import Operation, Recorder
from journalspec_corpus.crash.second_crash import CrashImage, Life, SecondLife
from journalspec_corpus.crash.trace import Trace
from journalspec_reference.api import WriterRefused

#: A background of blocks of another journal: the disk set them aside without clearing them.
FOREIGN = "stale-foreign"
#: The plainest edge that a record is aligned at, in bytes.
EDGE = 1024
#: The members of a workload, as a table in TOML has them.
Table = Mapping[str, Any]


class Step(Protocol):
    """One operation of a workload."""

    @property
    def name(self) -> str:
        """A readable name, unique among steps."""

    @property
    def size(self) -> Any:
        """How long its record is, in the format's own terms."""

    def operation(self, life: int) -> Operation:
        """Return the protocol's operation, with ids and contents of that life of the files."""


@dataclass(frozen=True, slots=True)
class SmallWorkload:
    """What one trace is made from; a pure function of these members.

    `kind` is what the run is about, as the format says. `writer` is the edition and the
    order of writes. `align` names the field of the first step's record that begins on
    a sector edge, `edge` is that edge in bytes. `force` is ``each`` or ``end``.
    `background` is what unused space holds.
    """

    kind: str
    writer: str
    steps: tuple[Any, ...] = ()
    align: str = ""
    edge: int = EDGE
    force: str = "each"
    background: str = "zero"

    @property
    def name(self) -> str:
        """A readable name, unique among workloads."""
        steps = "+".join(step.name for step in self.steps)
        return f"{self.kind}/{self.writer}/{steps}/{self.align}@{self.edge}/{self.force}/{self.background}"

    @property
    def tags(self) -> dict[str, str]:
        """What the tags of its trace say in every format."""
        return {"kind": self.kind, "order": self.writer, "align": self.align, "force": self.force}

    def operations(self, life: int = 0) -> list[Operation]:
        """Return what the steps ask for in that life."""
        return [step.operation(life) for step in self.steps]


def from_table(
    workload: Callable[..., SmallWorkload], step: Callable[..., Any]
) -> Callable[[Table], SmallWorkload]:
    """Return what makes a workload of its members in a table, its steps of theirs in order."""

    def made(members: Table) -> SmallWorkload:
        steps = tuple(step(*values) for values in members.get("steps", ()))
        return workload(**{**members, "steps": steps})

    return made


def recorded(start: Callable[[str, int], Recorder]) -> Callable[[LongWorkload], Trace]:
    """Return what records a long workload: `start(variant, size)` opens a new journal for it.

    The trace begins with the new journal and has all its crash points.
    """

    def record(work: LongWorkload) -> Trace:
        run = start(work.variant, work.size)
        run.begin()
        rules = work.rules.split()
        for rule in rules:
            run.do(rule)
        return run.trace(work.name, {"kind": "long", "order": work.variant, "rules": str(len(rules))})

    return record


@dataclass(frozen=True)
class Continuations:
    """What may be done to a journal after a crash.

    `begin(origin, life, image)` returns the writer that wrote `image` on these files,
    not opened yet. `then` names what may be done after opening: ``same`` repeats the
    first life's steps (those that are `repeatable`), so that new records lie as the
    lost ones did; ``settle`` first does what recovery leaves to be done.
    `firsts(scope)` are the workloads that are gone on from, `choices(first, scope)` says
    after which of their crash states what is done, and `after_long` the same for
    first lives among `long`, of which the full tier goes on from every LONG_STEP-th.
    """

    begin: Callable[[Any, int, CrashImage], Recorder]
    then: Mapping[str, tuple[Step, ...]]
    firsts: Callable[[str], Iterator[Any]]
    choices: Callable[[Any, str], Mapping[str, Sequence[int]]]
    after_long: Mapping[str, Sequence[int]]
    long: Sequence[LongWorkload]
    repeatable: Callable[[Any], bool] = lambda step: True

    #: Every so many-th long workload is gone on from.
    LONG_STEP = 100

    def live(self, origin: Any, life: int, image: CrashImage, then: str) -> Life:
        """Open `image` with its writer, and do what `then` says; "same" is what `origin` had done.

        Raises WriterRefused if the writer does not open, ValueError for an unknown `then`.
        """
        if then not in ("open", *self.then):
            raise ValueError(f"unknown continuation {then!r}: expected open or one of {', '.join(self.then)}")
        run = self.begin(origin, life, image)
        run.open()
        if then == "settle":
            # Finishing what was decided is part of recovery: only then does the caller go on.
            run.settle(image)
        opened = len(run.storage.ops)
        together = image.first.tags.get("force") == "end"
        steps = () if then == "open" else self._steps(origin, then)
        for op in run.continued(then, [step.operation(run.life) for step in steps], image):
            with suppress(WriterRefused):
                run.perform(op, together=together)
        run.apply({"op": "close" if then == "close" else "force"})
        return Life(tuple(run.storage.ops), opened)

    def _steps(self, origin: Any, then: str) -> Sequence[Step]:
        before = getattr(origin, "steps", ()) if then == "same" else ()
        again = [step for step in before if self.repeatable(step)]
        return again or self.then[then] or self.then["typical"]

    def lives(self, scope: str) -> Iterator[SecondLife]:
        """Yield the second lives of a scope, those of one first workload together; ``smoke`` has none."""
        if scope == "smoke":
            return
        for first in self.firsts(scope):
            for then, choices in self.choices(first, scope).items():
                yield from (SecondLife(first, choice, then) for choice in choices)
        if scope == "full":
            for drawn in self.long[:: self.LONG_STEP]:
                for then, choices in self.after_long.items():
                    yield from (SecondLife(drawn, choice, then) for choice in choices)


@dataclass(frozen=True)
class Reduction:
    """How a format's workloads become smaller.

    `backgrounds` stand from the plainest on; garbage is no simplification of what stood there
    before. `below(size)` are the plainer sizes of a step, smallest first. `align` is the plainest
    alignment, `fields` returns the names of the fields that a workload can be aligned at.
    `playable` tells whether steps can be asked of a writer. `rule` matches a rule of a long
    workload that has a size, its group, which is one of `rule_sizes`; those that end at
    a sector's edge stay, the edge is what they are for. `lives` are the plain second lives.
    """

    backgrounds: tuple[str, ...]
    below: Callable[[Any], Sequence[Any]]
    align: str
    rule: str
    rule_sizes: str
    lives: tuple[str, ...]
    fields: Callable[[Any], Collection[str]]
    playable: Callable[[Sequence[Any]], bool] = lambda steps: True

    def smaller(self, workload: SmallWorkload) -> Iterator[SmallWorkload]:
        """Yield workloads that are smaller in one thing: steps, background, payload, alignment.

        Kind and writer stay: they are what the failure is about. Following any
        chain of them ends, because none makes anything larger.
        """
        for steps in self._fewer(workload.steps):
            force = "each" if len(steps) == 1 else workload.force
            yield self._aligned(replace(workload, steps=steps, force=force))
        for background in self.backgrounds[: self.backgrounds.index(workload.background)]:
            yield replace(workload, background=background)
        for steps in self._shorter(workload.steps):
            yield self._aligned(replace(workload, steps=steps))
        if workload.align != self.align:
            yield replace(workload, align=self.align)
        if workload.edge > EDGE:
            yield replace(workload, edge=EDGE)
        if workload.force != "each":
            yield replace(workload, force="each")

    def shorter(self, rule: str) -> Iterator[str]:
        """Yield a rule of a long workload with less in its record."""
        sized = re.fullmatch(self.rule, rule)
        if sized:
            for less in self.rule_sizes[: self.rule_sizes.index(sized[1])]:
                yield rule[: sized.start(1)] + less + rule[sized.end(1) :]

    def _aligned(self, workload: SmallWorkload) -> SmallWorkload:
        """Return the workload, aligned as plainly as can be if its first record no longer has the field."""
        return workload if workload.align in self.fields(workload) else replace(workload, align=self.align)

    def _fewer(self, steps: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield the steps without the later ones, then without the earlier ones, then without one."""
        cuts = [steps[:count] for count in range(1, len(steps))]
        cuts += [steps[-count:] for count in range(1, len(steps))]
        cuts += [steps[:at] + steps[at + 1 :] for at in range(len(steps)) if len(steps) > 1]
        yield from filter(self.playable, dict.fromkeys(cuts))

    def _shorter(self, steps: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield the steps with all records as short as can be, then with one of them shorter."""
        plainer = [self.below(step.size) for step in steps]
        least = tuple(
            replace(step, size=sizes[0]) if sizes else step
            for step, sizes in zip(steps, plainer, strict=True)
        )
        if least != steps:
            yield least
        for at, step in enumerate(steps):
            for size in plainer[at]:
                changed = (*steps[:at], replace(step, size=size), *steps[at + 1 :])
                if changed != least:
                    yield changed
