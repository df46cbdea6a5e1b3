"""States that only a lie about a force leaves: what had been acknowledged may be gone.

No format can keep its promises here, so they are counted apart (stratum L). A
state that an honest device leaves as well is not among them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from journalspec_corpus.crash.cells import NAMES, Codes, Group, Timeline
from journalspec_corpus.crash.combos import distinct, selected
from journalspec_corpus.crash.model import LYING, PRESETS, Preset
from journalspec_corpus.crash.stateset import States
from journalspec_corpus.crash.trace import Ack, Sync, SyncDir, Trace

#: So many acknowledgements of a trace are looked at: in a long one, the earlier ones say the same.
LAST = 3
#: A descriptor says a version in one byte.
MOST_VERSIONS = 255


def lied_states(trace: Trace, presets: tuple[Preset, ...], *, everywhere: bool = False) -> Iterator[States]:
    """Yield, after each acknowledgement, what a device that lied may have left.

    Traces in which a granule has more versions than a descriptor can name are left out.
    """
    ranks = [
        number
        for number, preset in enumerate(PRESETS)
        if preset.order == "lied" and preset in presets and (everywhere or selected(trace.id, preset.share))
    ]
    if not ranks:
        return
    line = Timeline(trace, 512)
    for index in acknowledged_points(trace):
        line.advance(index)
        group = line.group(lying=True)
        if group.cells and max(group.dims) <= MOST_VERSIONS:
            states = _states(group, ranks)
            if len(states):
                yield states


def acknowledged_points(trace: Trace) -> list[int]:
    """Return the last points of interest right after an acknowledgement; the trace's end if there is none."""
    points = [at + 1 for at, op in enumerate(trace.ops) if isinstance(op, Ack) and at >= trace.crash_from]
    return points[-LAST:] or [len(trace.ops)]


def _states(group: Group, ranks: list[int]) -> States:
    parts, labels = [], []
    for rank in ranks:
        rows = _failed(group) if PRESETS[rank].force == "fails-clean" else _ignored(group)
        parts.append(rows)
        labels.append(np.full(len(rows), rank, np.uint8))
    codes, first = distinct(np.concatenate(parts))
    # What forces guarantee is there in every honest state, so one that lacks some of it is none.
    lied = (codes < np.asarray(group.forced, np.uint16)).any(axis=1)
    codes = codes[lied]
    label = np.concatenate(labels)[first][lied]
    return States(group, codes, label, np.zeros(len(codes), np.int32), stratum=LYING)


def _ignored(group: Group) -> Codes:
    """Return every prefix of the trace, cut between granules: nothing was forced."""
    levels = np.zeros(len(group.cells), np.uint16)
    rows = [levels.copy()]
    for index in sorted(group.reach):
        for cell, level in group.reach[index]:
            levels[cell] = level
            rows.append(levels.copy())
    return np.stack(rows)


def _failed(group: Group) -> Codes:
    """Return the states in which the pages of one force, or one page of it, never arrived.

    A page that is written again later is dirty again, and arrives then.
    """
    last = np.asarray(group.dims, np.uint16) - 1
    before = np.zeros_like(last)
    rows = [last]
    for index, op in enumerate(group.trace.ops[: group.crash_index]):
        if not isinstance(op, (Sync, SyncDir)):
            continue
        now = _levels_at(group, index)
        covered = np.asarray([_covers(group, op, at) for at in range(len(last))])
        dropped = np.flatnonzero(covered & (now > before) & (now == last))
        for lost in ([dropped] if len(dropped) > 1 else []) + [
            dropped[at : at + 1] for at in range(len(dropped))
        ]:
            row = last.copy()
            row[lost] = before[lost]
            rows.append(row)
        before[covered] = now[covered]
    return np.stack(rows)


def _levels_at(group: Group, upto: int) -> Codes:
    """Return the levels of all cells after ``ops[:upto]``."""
    levels = np.zeros(len(group.cells), np.uint16)
    for index in sorted(group.reach):
        if index < upto:
            for cell, level in group.reach[index]:
                levels[cell] = level
    return levels


def _covers(group: Group, op: Sync | SyncDir, at: int) -> bool:
    """Tell whether force `op` is about cell number `at`."""
    cell = group.cells[at]
    if isinstance(op, SyncDir) or cell.kind == NAMES:
        return isinstance(op, SyncDir) and cell.kind == NAMES
    bound = [group.names, *(names for each in group.cells if each.kind == NAMES for names in each.versions)]
    return any(names.get(op.file) == cell.file for names in bound)
