"""Smaller workloads of every kind: a format's own, second lives made from them, and long ones.

A format's module ``shrinking`` has ``smaller(workload)`` for its own workloads,
``shorter(rule)`` for one rule of a long one, and in ``PLAIN_LIVES`` the names of what a
second life may do that is plainer than the rest, plainest first.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

from journalspec.formats import format_module
from journalspec_corpus.crash.again import CHOICES, Again, choose
from journalspec_corpus.crash.long import LongWorkload
from journalspec_corpus.crash.room import PACKAGE, CrashRoom, resume_of
from journalspec_corpus.crash.shrink_states import State, find

Smaller = Callable[[Any], Iterator[Any]]


def smaller_of(format_id: str) -> Smaller | None:
    """Return the function that makes a format's workloads smaller; None if its room has none."""
    full = f"{format_module(PACKAGE, format_id).__name__}.shrinking"
    try:
        module = importlib.import_module(full)
    except ModuleNotFoundError as error:
        if error.name != full:
            raise
        return None
    return lambda workload: smaller(workload, module)


def smaller(workload: Any, module: ModuleType) -> Iterator[Any]:
    """Yield workloads that are smaller than `workload` in one thing, in the order to try them."""
    if isinstance(workload, Again):
        yield from _smaller_life(workload, module)
    elif isinstance(workload, LongWorkload):
        yield from _smaller_long(workload, module)
    else:
        yield from module.smaller(workload)


def crashes_before(room: CrashRoom, workload: Any) -> list[State]:
    """Return the crash states that the lives of `workload` began with, the first crash first."""
    if not isinstance(workload, Again):
        return []
    resume = resume_of(room.format)
    first = room.build(workload.first)
    remains = choose(first, gone=bool(resume and resume.RELEASED_IS_GONE)).remains
    left = remains[workload.choice % len(remains)]
    return [*crashes_before(room, workload.first), find(first, left.descriptor)]


def _smaller_life(work: Again, module: ModuleType) -> Iterator[Again]:
    """Yield the life with one crash less, doing less, then after a smaller first life.

    A smaller first life leaves other states to go on from: all choices are tried,
    that of the same number first.
    """
    if isinstance(work.first, Again):
        yield replace(work, first=work.first.first)
    plain: tuple[str, ...] = module.PLAIN_LIVES
    for then in plain[: plain.index(work.then) if work.then in plain else len(plain)]:
        yield replace(work, then=then)
    for first in smaller(work.first, module):
        for choice in dict.fromkeys((work.choice, *range(CHOICES))):
            yield replace(work, first=first, choice=choice)


def _smaller_long(work: LongWorkload, module: ModuleType) -> Iterator[LongWorkload]:
    """Yield the sequence cut short, then without runs of rules (long ones first), then with shorter rules."""
    rules = work.rules.split()
    tried = {tuple(rules), ()}
    for left in (*_cut(rules), *_shorter(rules, module)):
        if left not in tried:
            tried.add(left)
            yield replace(work, rules=" ".join(left))


def _cut(rules: list[str]) -> Iterator[tuple[str, ...]]:
    for count in range(1, len(rules)):
        yield tuple(rules[:count])
    size = len(rules) // 2
    while size:
        for at in range(0, len(rules), size):
            yield (*rules[:at], *rules[at + size :])
        size //= 2


def _shorter(rules: list[str], module: ModuleType) -> Iterator[tuple[str, ...]]:
    for at, rule in enumerate(rules):
        for changed in module.shorter(rule):
            yield (*rules[:at], changed, *rules[at + 1 :])
