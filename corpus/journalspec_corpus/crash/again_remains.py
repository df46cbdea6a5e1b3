"""What one crash left: the files, and which records stand whole in them.

A record stands if the bytes that were written for it are in the state, under the
name that its file has there. No reader is asked what it would make of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from journalspec_corpus.crash.cells import NAMES
from journalspec_corpus.crash.classes import CATEGORIES, categories, fields
from journalspec_corpus.crash.enumerate import States
from journalspec_corpus.crash.model import PRESETS
from journalspec_corpus.crash.oracle import Facts, owed
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.trace import Ack, Create, Mark, Release, Rename, Trace, Unlink, Write

#: Feeds the garbage in first crash states. Part of what a second life is, not of a build.
SEED = 1


@dataclass(frozen=True)
class Remains:
    """What one crash left of a trace: its files, and which records' bytes are whole in them.

    `standing` are owed, `possible` were issued and are not: they may be kept, and
    those that are not whole are there with length 0, for a later write may complete
    them. `stale` must not come back.
    """

    first: Trace
    descriptor: Descriptor
    files: Mapping[str, bytes]
    standing: tuple[Mark, ...]
    possible: tuple[Mark, ...]
    stale: tuple[Mark, ...]
    #: Of the first two, what is whole.
    whole: tuple[Mark, ...]
    category: str
    field: str


def leave(states: States, row: int, *, gone: bool) -> Remains | None:
    """Return what state `row` holds of its trace, None if an owed record is nowhere whole in it.

    `gone` is :attr:`Resume.RELEASED_IS_GONE` of the format.
    """
    trace = states.group.trace
    debt = owed(trace, states.group.crash_index, states.torn)
    files = states.group.materialise(states.codes[row])
    issued, whole = _marks(states, row, files)
    known = set(whole)
    ended = _ended(trace, states.group.crash_index) if gone else frozenset()
    dropped = (debt.must_drop | ended) - debt.must_keep
    standing = tuple(mark for mark in whole if mark.record in debt.must_keep)
    if {mark.record for mark in standing} != debt.must_keep:
        return None
    facts = Facts(states.take(np.asarray([row])))
    field_of, names = fields(facts)
    return Remains(
        trace,
        describe(states, row),
        files,
        standing,
        tuple(
            mark if mark in known else replace(mark, length=0)
            for mark in issued
            if mark.record not in debt.must_keep | dropped
        ),
        tuple(mark for mark in whole if mark.record in dropped),
        tuple(mark for mark in whole if mark.record not in dropped),
        CATEGORIES[int(categories(facts)[0])],
        names[int(field_of[0])],
    )


def describe(states: States, row: int, seed: int = SEED) -> Descriptor:
    """Return the descriptor of one row."""
    trace = states.group.trace
    preset = PRESETS[states.preset[row]]
    mask = b"" if preset.order == "prefix" else states.codes[row].astype(np.uint8).tobytes()
    index, tear = states.group.crash_index, int(states.tear[row])
    return Descriptor(trace.id, preset.name, index, mask, tear, trace.background, seed)


def _marks(states: States, row: int, files: Mapping[str, bytes]) -> tuple[list[Mark], list[Mark]]:
    """Return every mark under the name that its file has in `files`, and those whose bytes are there.

    Both in the order in which records were issued; one may stand in several places.
    """
    names = _names(states, row)
    every, whole = [], []
    for mark, number, data in _written(states):
        moved = replace(mark, file=names.get(number, mark.file))
        every.append(moved)
        if number in names and files[moved.file][mark.off : mark.off + mark.length] == data:
            whole.append(moved)
    return every, whole


def _names(states: States, row: int) -> dict[int, str]:
    """Return the name of each file number in state `row`."""
    names = states.group.names
    for cell, code in zip(states.group.cells, states.codes[row], strict=True):
        if cell.kind == NAMES:
            names = cell.versions[int(code)]
    return {number: name for name, number in names.items()}


def _written(states: States) -> Iterator[tuple[Mark, int, bytes]]:
    """Yield every mark with the number of its file and the bytes that were written for it."""
    trace = states.group.trace
    numbers = {name: number for number, name in enumerate(sorted(trace.base))}
    for mark in (*trace.stale, *trace.standing, *trace.possible):
        data = trace.base.get(mark.file, b"")[mark.off : mark.off + mark.length]
        # What was not whole even then is whole nowhere.
        yield mark, numbers[mark.file] if data else -1, data
    upto = max(states.group.crash_index, states.torn + 1)
    issued: dict[int, list[Mark]] = {}
    for index, note in trace.annotated:
        if isinstance(note, Mark) and index < upto:
            issued.setdefault(index, []).append(note)
    count = len(numbers)
    for index, op in enumerate(trace.ops[:upto]):
        if isinstance(op, Create):
            numbers[op.file] = count
            count += 1
        elif isinstance(op, Rename):
            numbers[op.new] = numbers.pop(op.old)
        elif isinstance(op, Unlink):
            del numbers[op.file]
        elif isinstance(op, Write):
            for mark in issued.get(index, ()):
                start = mark.off - op.off
                yield mark, numbers[mark.file], op.data[start : start + mark.length]


def _ended(trace: Trace, upto: int) -> frozenset[str]:
    """Return the records whose release is durable: something was acknowledged after it."""
    acks = [index for index, op in enumerate(trace.ops[:upto]) if isinstance(op, Ack)]
    return frozenset(
        record
        for index, op in enumerate(trace.ops[:upto])
        if isinstance(op, Release) and acks and index < acks[-1]
        for record in op.records
    )
