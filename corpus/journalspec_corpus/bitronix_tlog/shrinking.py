"""Smaller workloads: what the shrinker tries, in the order in which it tries it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from journalspec_corpus.bitronix_tlog.workloads import SIZES, Step, Workload, operation, size_of

#: Backgrounds from the plainest; garbage is no simplification of what stood there before.
_PLAIN = ("zero", "stale-same", "stale-shifted", "stale-foreign", "garbage")
_BY_BYTES = sorted(SIZES, key=lambda size: size_of(operation(Step("COMMITTING", 1, size), 0)))
_EDGE = 1024
#: What a second life may do, from nothing on.
PLAIN_LIVES = ("open", "close", "typical")
#: Sizes of a rule of a long workload; those that end at a sector's edge stay, the edge is what they are for.
_RULE_SIZES = "abcd"


def smaller(workload: Workload) -> Iterator[Workload]:
    """Yield workloads that are smaller in one thing: steps, background, payload, alignment.

    Kind and order of writes stay: they are what the failure is about. Following any
    chain of them ends, because none makes anything larger.
    """
    for steps in _fewer(workload.steps):
        yield replace(workload, steps=steps, force="each" if len(steps) == 1 else workload.force)
    for background in _PLAIN[: _PLAIN.index(workload.background)]:
        yield replace(workload, background=background)
    for steps in _shorter(workload.steps):
        yield replace(workload, steps=steps)
    if workload.align != "status":
        yield replace(workload, align="status")
    if workload.edge > _EDGE:
        yield replace(workload, edge=_EDGE)
    if workload.force != "each":
        yield replace(workload, force="each")


def _fewer(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Yield the steps without the later ones, then without the earlier ones, then without one."""
    tried = set()
    cuts = [steps[:count] for count in range(1, len(steps))]
    cuts += [steps[-count:] for count in range(1, len(steps))]
    cuts += [steps[:at] + steps[at + 1 :] for at in range(len(steps)) if len(steps) > 1]
    for left in cuts:
        if left not in tried:
            tried.add(left)
            yield left


def _shorter(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Yield the steps with all records as short as can be, then with one of them shorter."""
    least = tuple(replace(step, size=_BY_BYTES[0]) for step in steps)
    if least != steps:
        yield least
    for at, step in enumerate(steps):
        for size in _BY_BYTES[: _BY_BYTES.index(step.size)]:
            changed = (*steps[:at], replace(step, size=size), *steps[at + 1 :])
            if changed != least:
                yield changed


def shorter(rule: str) -> Iterator[str]:
    """Yield a rule of a long workload with less in its record."""
    size = rule[-1]
    if rule[0] in "cap" and len(rule) > len("c1") and size in _RULE_SIZES:
        for less in _RULE_SIZES[: _RULE_SIZES.index(size)]:
            yield rule[:-1] + less
