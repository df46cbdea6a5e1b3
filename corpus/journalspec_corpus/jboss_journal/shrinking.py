"""Smaller workloads: what the shrinker tries, in the order in which it tries it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from journalspec_corpus.jboss_journal.crash_run import fields_of
from journalspec_corpus.jboss_journal.traces import LONG, MANY, THREE, TINY, TYPICAL, Step, Workload
from journalspec_reference.jboss_journal.codec import DIALECTS

_PLAIN = ("zero", "J", "stale-same", "stale-shifted", "stale-foreign", "garbage")
_SIZES = (TINY, TYPICAL, LONG, THREE, MANY)
_EDGE = 1024
#: What a second life may do, from nothing on.
PLAIN_LIVES = ("open", "delete", "typical")
#: Sizes of a rule of a long workload; those that end at a sector's edge stay, the edge is what they are for.
_RULE_SIZES = "abc"
#: Kinds that play no steps, or need all of theirs.
_STEPLESS = ("create", "reopen")


def smaller(workload: Workload) -> Iterator[Workload]:
    """Yield workloads that are smaller in one thing: steps, background, payload, alignment.

    Kind and edition stay: they are what the failure is about. Following any chain
    of them ends, because none makes anything larger. Transactions lose a record, or
    go as a whole; what is left can always be asked of a writer.
    """
    for steps in _fewer(workload.steps):
        yield _aligned(replace(workload, steps=steps, force="each" if len(steps) == 1 else workload.force))
    for background in _PLAIN[: _PLAIN.index(workload.background)]:
        if workload.kind not in _STEPLESS:
            yield replace(workload, background=background)
    for steps in _shorter(workload.steps):
        yield _aligned(replace(workload, steps=steps))
    if workload.align != "type":
        yield replace(workload, align="type")
    if workload.edge > _EDGE:
        yield replace(workload, edge=_EDGE)
    if workload.force != "each":
        yield replace(workload, force="each")


def _aligned(workload: Workload) -> Workload:
    """Return the workload, aligned at the type if its first record no longer has the field."""
    operation = workload.steps[0].operation(0)
    known = {name for _, name in fields_of(operation, DIALECTS[workload.edition])}
    return workload if workload.align in known else replace(workload, align="type")


def _fewer(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Yield the steps without the later ones, then without the earlier ones, then without one."""
    tried = {steps, ()}
    cuts = [steps[:count] for count in range(1, len(steps))]
    cuts += [steps[-count:] for count in range(1, len(steps))]
    cuts += [steps[:at] + steps[at + 1 :] for at in range(len(steps))]
    for left in cuts:
        if left not in tried and _playable(left):
            tried.add(left)
            yield left


def _playable(steps: tuple[Step, ...]) -> bool:
    """Tell whether whatever ends a transaction still has a record of it before it."""
    begun: set[int] = set()
    for step in steps:
        if step.tx and step.id:
            begun.add(step.tx)
        elif step.tx and step.tx not in begun:
            return False
    return True


def _shorter(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Yield the steps with all bodies as short as can be, then with one of them shorter."""
    least = tuple(replace(step, size=min(step.size, TINY)) for step in steps)
    if least != steps:
        yield least
    for at, step in enumerate(steps):
        for size in _SIZES:
            if size >= step.size:
                break
            changed = (*steps[:at], replace(step, size=size), *steps[at + 1 :])
            if changed != least:
                yield changed


def shorter(rule: str) -> Iterator[str]:
    """Yield a rule of a long workload with less in its record."""
    word = rule.removesuffix("-")
    size = word[-1]
    # Without a size, what stands last is the number of a record or a transaction.
    sized = (word[0] in "au" and len(word) > len("a1")) or (word[0] in "AU" and len(word) > len("A21"))
    if sized and size in _RULE_SIZES:
        for less in _RULE_SIZES[: _RULE_SIZES.index(size)]:
            yield word[:-1] + less + rule[len(word) :]
