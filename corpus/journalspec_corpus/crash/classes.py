"""Representative classes: what kind of crash a state is, and where it tore."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import DATA, NAMES, SIZE
from journalspec_corpus.crash.model import CORRUPTED, PRESETS
from journalspec_corpus.crash.oracle import Facts, Rows
from journalspec_corpus.crash.rot_fields import rotten_fields
from journalspec_corpus.crash.trace import Create, Mark, Reuse, Write

#: Category -> the code it has in the plan of the corpus. Names stay; a code may have several.
CODES: Mapping[str, str] = {
    "sector-hole": "R03",
    "epoch-reorder": "R04",
    "pointer-behind": "R10",
    "pointer-ahead": "R10",
    "prefix-torn": "R02",
    "rotate": "R13",
    "create": "R13",
    "sector-trash": "R03",
    "clean": "R01",
    "size-before-data": "R05",
    "zero-tail": "R06",
    "stale-same": "R07",
    "stale-shifted": "R08",
    "stale-foreign": "R09",
    "header-straddle": "R11",
    "tx-split": "R12",
    "compact": "R14",
    "recovery-crash": "R15",
    "second-crash": "R16",
    "lost-force": "R17",
    "fail-marks-clean": "R17",
    "bit": "C01",
    "2bit": "C02",
    "burst": "C03",
    "zero-sector": "C04",
    "lse": "C05",
    "misdirect": "C06",
    "phantom": "C07",
    "cut": "C08",
    "file": "C09",
}
CATEGORIES = tuple(CODES)
#: Backgrounds under which a hole shows an earlier life, or as good as one.
STALE = ("stale-same", "stale-shifted", "stale-foreign")
#: Fields that begin within so many bytes of a record are its header.
HEAD = 32
Column = npt.NDArray[np.uint8]


def categories(facts: Facts) -> Column:
    """Return for each row the index into :data:`CATEGORIES`; later rules take a state over."""
    out = np.full(len(facts.all), CATEGORIES.index("sector-hole"), np.uint8)

    def take(name: str, rows: Rows) -> None:
        out[rows] = CATEGORIES.index(name)

    if facts.states.stratum != "R":
        names = [PRESETS[rank].rot or _LIES[PRESETS[rank].force] for rank in facts.states.preset]
        return np.asarray([CATEGORIES.index(name) for name in names], np.uint8)
    background = facts.trace.background
    if background not in (*STALE, "garbage"):
        take("zero-tail", _bare_tail(facts))
    ahead, behind, split = _pointers(facts)
    take("pointer-behind", behind)
    take("pointer-ahead", ahead)
    if background in STALE:
        take(background, _lacking(facts))
    take("header-straddle", _straddling(facts))
    take("epoch-reorder", _reordered(facts))
    take("tx-split", split)
    if facts.states.torn >= 0:
        take("prefix-torn", facts.all)
    kind = facts.trace.tags.get("kind", "")
    started = facts.trace.ops[: facts.group.crash_index + 1]
    if kind == "compact":
        take("compact", facts.all)
    elif kind == "create" or any(isinstance(op, Create) for op in started):
        take("create", facts.all)
    elif kind == "swap" or any(isinstance(op, Reuse) for op in started):
        take("rotate", facts.all)
    take("size-before-data", _ahead_of_data(facts))
    foreign = [PRESETS[rank].fresh == "foreign" for rank in facts.states.preset]
    take("stale-foreign", np.asarray(foreign, bool))
    take("sector-trash", facts.trashed & ~_ahead_of_data(facts))
    take("clean", facts.kill & ~facts.trashed)
    if kind == "reopen" or facts.trace.life > 1:
        # The first operations of a later life are those of opening: a crash among them hits recovery itself.
        opening = kind == "reopen" or facts.group.crash_index < int(facts.trace.tags.get("opened", "0"))
        take("recovery-crash" if opening else "second-crash", facts.all)
    return out


_LIES = {"ignored": "lost-force", "fails-clean": "fail-marks-clean"}


def _bare_tail(facts: Facts) -> Rows:
    """Rows in which nothing of the last record arrived while something before it did."""
    if not facts.issued:
        return ~facts.all
    last = facts.issued[-1][0]
    some = ~facts.all
    for index in facts.group.reach:
        if index < last:
            some |= facts.touched(index)
    return some & ~facts.touched(last)


def _straddling(facts: Facts) -> Rows:
    """Rows in which one field of a record's header arrived and another did not."""
    out = ~facts.all
    step = facts.group.granule
    for index, mark in facts.issued:
        edge = -(-(mark.off + 1) // step) * step
        if edge - mark.off >= min(HEAD, mark.length):
            continue
        parts = {facts.group.cells[cell].index: (cell, level) for cell, level in _data(facts, index)}
        before, behind = parts.get(edge // step - 1), parts.get(edge // step)
        if before is not None and behind is not None:
            out |= facts.cell_at(*before) != facts.cell_at(*behind)
    return out


def _data(facts: Facts, index: int) -> list[tuple[int, int]]:
    return [entry for entry in facts.group.reach.get(index, ()) if facts.group.cells[entry[0]].kind == DATA]


def _ahead_of_data(facts: Facts) -> Rows:
    """Rows in which a file has grown over blocks in which nothing arrived."""
    out = ~facts.all
    group, codes = facts.group, facts.states.codes
    sizes = {cell.file: at for at, cell in enumerate(group.cells) if cell.kind == SIZE}
    if facts.states.torn >= 0 or not sizes:
        return out
    for at, (cell, fresh) in enumerate(zip(group.cells, group.fresh, strict=True)):
        if fresh and cell.file in sizes:
            size = sizes[cell.file]
            grown = np.asarray(group.cells[size].versions)[codes[:, size]] > cell.index * group.granule
            bare = np.asarray(cell.levels)[codes[:, at]] <= 0
            out |= grown & bare & _named(facts, cell.file)
    return out


def _named(facts: Facts, file: int) -> Rows:
    """Rows in which file number `file` has a name."""
    for at, cell in enumerate(facts.group.cells):
        if cell.kind == NAMES:
            bound = np.asarray([file in names.values() for names in cell.versions])
            return np.asarray(bound[facts.states.codes[:, at]])
    return facts.all.copy() if file in facts.group.names.values() else ~facts.all


def _reordered(facts: Facts) -> Rows:
    """Rows in which a later record arrived whole while an earlier one did not."""
    out = ~facts.all
    earlier_lost = ~facts.all
    for index in sorted({index for index, _ in facts.issued} & facts.group.reach.keys()):
        arrived = facts.arrived(index)
        out |= arrived & earlier_lost
        earlier_lost |= ~arrived
    return out


def _lacking(facts: Facts) -> Rows:
    """Rows in which some of a record in flight did not arrive: what stood there before is seen."""
    out = ~facts.all
    for index in {index for index, _ in facts.issued} & facts.group.reach.keys():
        out |= ~facts.arrived(index)
    return out


def _pointers(facts: Facts) -> tuple[Rows, Rows, Rows]:
    """Rows in which what makes a record count arrived and the record did not, and the reverse.

    Where that is a record itself (a commit), both are a split transaction: the third.
    """
    ahead, behind, split = ~facts.all, ~facts.all, ~facts.all
    for index, mark in facts.issued:
        whole = facts.intact(index, mark)
        published = facts.published(mark.record)
        if mark.record in facts.trace.members:
            split |= (published & ~whole) | (~published & whole & ~facts.kill)
            continue
        ahead |= published & ~whole
        behind |= ~published & whole & ~facts.kill
    return ahead, behind, split


def fields(facts: Facts) -> tuple[Column, list[str]]:
    """Return for each row the field in which the first damaged record tears, and the field names.

    Index 0 is "no record is torn": all of each or none of it arrived.
    """
    if facts.states.stratum == CORRUPTED:
        return rotten_fields(facts.states)
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
