"""Representative classes: what kind of crash a state is, and where it tore."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import DATA
from journalspec_corpus.crash.oracle import Facts, Rows
from journalspec_corpus.crash.trace import Create, Mark, Reuse, Write

#: Categories, in the order in which the later ones take a state over from the earlier.
CATEGORIES = (
    "sector-hole",
    "epoch-reorder",
    "pointer-behind",
    "pointer-ahead",
    "prefix-torn",
    "rotate",
    "create",
    "sector-trash",
    "clean",
    "recovery-crash",
    "second-crash",
)
Column = npt.NDArray[np.uint8]


def categories(facts: Facts) -> Column:
    """Return for each row the index into :data:`CATEGORIES`."""
    out = np.full(len(facts.all), CATEGORIES.index("sector-hole"), np.uint8)

    def take(name: str, rows: Rows) -> None:
        out[rows] = CATEGORIES.index(name)

    take("epoch-reorder", _reordered(facts))
    ahead, behind = _pointers(facts)
    take("pointer-behind", behind)
    take("pointer-ahead", ahead)
    if facts.states.torn >= 0:
        take("prefix-torn", facts.all)
    kind = facts.trace.tags.get("kind", "")
    started = facts.trace.ops[: facts.group.crash_index + 1]
    if kind == "create" or any(isinstance(op, Create) for op in started):
        take("create", facts.all)
    elif kind == "swap" or any(isinstance(op, Reuse) for op in started):
        take("rotate", facts.all)
    take("sector-trash", facts.trashed)
    take("clean", facts.kill & ~facts.trashed)
    if facts.trace.life > 1:
        # The first operations of a later life are those of opening: a crash among them hits recovery itself.
        opening = facts.group.crash_index < int(facts.trace.tags.get("opened", "0"))
        take("recovery-crash" if opening else "second-crash", facts.all)
    return out


def _reordered(facts: Facts) -> Rows:
    """Rows in which a later write arrived whole while an earlier one did not."""
    out = ~facts.all
    earlier_lost = ~facts.all
    for index in sorted(facts.group.reach):
        arrived = facts.arrived(index)
        out |= arrived & earlier_lost
        earlier_lost |= ~arrived
    return out


def _pointers(facts: Facts) -> tuple[Rows, Rows]:
    """Rows in which what makes a record count arrived and the record did not, and the reverse."""
    ahead, behind = ~facts.all, ~facts.all
    for index, mark in facts.issued:
        whole = facts.intact(index, mark)
        published = facts.published(mark.record)
        ahead |= published & ~whole
        behind |= ~published & whole & ~facts.kill
    return ahead, behind


def fields(facts: Facts) -> tuple[Column, list[str]]:
    """Return for each row the field in which the first damaged record tears, and the field names.

    Index 0 is "no record is torn": all of each or none of it arrived.
    """
    names = [""]
    out = np.zeros(len(facts.all), np.uint8)
    for index, mark in reversed(facts.issued):
        torn = facts.touched(index) & ~facts.arrived(index)
        if torn.any():
            _place(facts, index, mark, torn, out, names)
    return out, names


def _place(facts: Facts, index: int, mark: Mark, torn: Rows, out: Column, names: list[str]) -> None:
    op = facts.trace.ops[index]
    assert isinstance(op, Write)  # marks follow writes
    if index == facts.states.torn:
        edges = op.off + facts.states.tear
        for start, name in mark.fields:
            out[torn & (edges >= mark.off + start)] = _number(names, name)
        return
    for cell, level in sorted(facts.group.reach.get(index, ()), reverse=True):
        if facts.group.cells[cell].kind != DATA:
            continue
        edge = max(mark.off, facts.group.cells[cell].index * facts.group.granule) - mark.off
        name = next((name for start, name in reversed(mark.fields) if start <= edge), "")
        out[torn & ~facts.cell_at(cell, level)] = _number(names, name)


def _number(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)
