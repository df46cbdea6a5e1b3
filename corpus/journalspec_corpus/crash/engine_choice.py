"""The honest states of one trace, in classes, for those who choose some of them.

The compiled engine says of every state what kind of crash it is. The permanent ids, by which
one is chosen, are computed where somebody asks: most classes are never looked at. This
module needs Numba, as :mod:`.engine` does.
"""

from __future__ import annotations

from operator import itemgetter

import numpy as np

from journalspec_corpus.crash import engine_layout as made
from journalspec_corpus.crash.blocks import DATA, NAMES, SIZE
from journalspec_corpus.crash.engine_layout import TraceLayout, unfit
from journalspec_corpus.crash.engine_states import TraceStates, states_of
from journalspec_corpus.crash.expected import REFUSALS, REQUIRED
from journalspec_corpus.crash.ids import case_id, file_head, promise
from journalspec_corpus.crash.pages import FAN, PAGE, blake
from journalspec_corpus.crash.persistence import PRESETS, REACHABLE, Preset
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.verdict import CATEGORIES

_KINDS = (DATA, SIZE, NAMES)
#: Room in the table of states to begin with: it grows.
_ROOM = 1 << 10
#: What crash points have to be written to, at first.
_BYTES = 1 << 20


class ClassedStates:
    """The states of a trace that need not be refused, each once, by category, torn field and order.

    `refused` counts the others; states that occur several times count each time.
    """

    def __init__(self, layout: TraceLayout, judged: TraceStates) -> None:
        self.layout = layout
        self.judged = judged
        rows = judged.rows
        fine = np.flatnonzero(rows[:, made.REFUSAL] != REFUSALS.index(REQUIRED))
        self.refused = len(rows) - len(fine)
        _, first = np.unique(rows[fine, made.OWNER], return_index=True)
        once = fine[np.sort(first)]
        #: (category, field, order of persistence) -> rows, in order
        self.classes: dict[tuple[str, str, str], list[int]] = {}
        columns = [rows[once, at].tolist() for at in (made.CATEGORY, made.FIELD, made.PRESET)]
        for row, category, field, preset in zip(once.tolist(), *columns, strict=True):
            label = (CATEGORIES[category], layout.field_names[field], PRESETS[preset].order)
            self.classes.setdefault(label, []).append(row)
        self._groups: dict[int, _Group] = {}
        self._files = _Files(layout, judged)
        self._promised: dict[int, bytes] = {}

    def smallest(self, rows: list[int], most: int) -> list[int]:
        """Return the rows with the smallest case ids, at most so many, the smallest first."""
        ids = [(self.case_id(row), row) for row in rows]
        return [row for _, row in sorted(ids, key=itemgetter(0))[:most]]

    def case_id(self, row: int) -> bytes:
        """Return the permanent id of a state."""
        group = self._group(row)
        if group.owed not in self._promised:
            trace, owed = self.layout.trace, self.layout.owed[group.owed]
            keys = [key for key, record in owed.record_of.items() if record in owed.must_keep]
            self._promised[group.owed] = promise(trace.format, trace.edition, REACHABLE, keys)
        pages, sizes, names = group.state(row)
        return case_id(self._files.content_id(pages, sizes, names), self._promised[group.owed])

    def at(self, row: int) -> tuple[Descriptor, int, dict[str, int], dict[str, bytes]]:
        """Return a state: descriptor, torn operation (-1: none), number of the file of each name, files."""
        group = self._group(row)
        pages, sizes, names = group.state(row)
        entry = self.judged.rows[row].tolist()
        preset = PRESETS[entry[made.PRESET]]
        mask = b"" if preset.order == "prefix" else bytes(group.codes[row - group.first])
        trace = self.layout.trace
        descriptor = Descriptor(
            trace.id,
            preset.name,
            group.crash_index,
            mask,
            entry[made.TEAR],
            trace.background,
            self.layout.seed,
        )
        return descriptor, group.torn, dict(names), self._files.contents(pages, sizes, names)

    def _group(self, row: int) -> _Group:
        """Return the group of a row; those before it are made first, each begins where the last one ends."""
        number = int(self.judged.rows[row, made.GROUP])
        for at in range(len(self._groups), number + 1):
            before = self._groups[at - 1].pages if at else self._files.base
            self._groups[at] = _Group(self.layout, self.judged, at, before)
        return self._groups[number]


class _Group:
    """The states of one crash point under presets of one granule.

    `pages` is where each page of all files is, as in :class:`_Files`; those in flight are any version.
    """

    def __init__(self, layout: TraceLayout, judged: TraceStates, number: int, before: list[int]) -> None:
        group = judged.groups[number].tolist()
        self.first, count, width = group[made.G_FIRST], group[made.G_COUNT], group[made.G_BLOCKS]
        self.crash_index, self.torn = group[made.G_CRASH], group[made.G_TORN]
        self.owed = 2 * self.crash_index + (self.torn >= 0)
        at = group[made.G_CODES]
        self.codes: list[list[int]] = judged.codes[at : at + count * width].reshape(count, width).tolist()
        self.pages = list(before)
        at = group[made.G_PATCH]
        for place, source in judged.patches[at : at + group[made.G_PATCHES]].tolist():
            self.pages[place // PAGE] = source
        self._sizes = judged.sizes[number].tolist()
        self._names = group[made.G_NAMES]
        self._layout = layout
        #: kind, file, first page, pages, values of its versions
        self._blocks: list[tuple[str, int, int, int, list[int]]] = []
        table = judged.blocks[group[made.G_TABLE] : group[made.G_TABLE] + width].tolist()
        most = judged.codes[group[made.G_CODES] : group[made.G_CODES] + count * width]
        used = most.reshape(count, width).max(axis=0, initial=0).tolist()
        for (kind, file, place, length, version, _), last in zip(table, used, strict=True):
            values = judged.values[version : version + last + 1].tolist()
            self._blocks.append((_KINDS[kind], file, place // PAGE, length // PAGE, values))

    def state(self, row: int) -> tuple[list[int], list[int], list[tuple[str, int]]]:
        """Return where the pages of a state are, the sizes of its files, and its names, sorted."""
        pages, sizes, bound = list(self.pages), list(self._sizes), self._names
        for (kind, file, first, count, values), code in zip(
            self._blocks, self.codes[row - self.first], strict=True
        ):
            value = values[code]
            if kind == DATA:
                for inside in range(count):
                    pages[first + inside] = value + inside * PAGE
            elif kind == SIZE:
                sizes[file] = value
            else:
                bound = value
        numbers = self._layout.flat.names[bound].tolist()
        names = sorted(
            (name, file) for name, file in zip(self._layout.names, numbers, strict=True) if file >= 0
        )
        return pages, sizes, names


class _Files:
    """The bytes of pages.

    A page is a place in what the engine made or, below zero, in what was there before.
    """

    def __init__(self, layout: TraceLayout, judged: TraceStates) -> None:
        flat = layout.flat
        self.base = [at * PAGE - len(flat.base) for at in range(len(flat.base) // PAGE)]
        self._base, self._pool = flat.base, judged.pool
        self._first = [start // PAGE for start in flat.files[:, 0].tolist()]
        self._known: dict[tuple[int, int], bytes] = {}

    def bytes_at(self, page: int, length: int) -> bytes:
        """Return the first bytes of a page."""
        if page >= 0:
            return self._pool[page : page + length].tobytes()
        start = page + len(self._base)
        return self._base[start : start + length].tobytes()

    def contents(self, pages: list[int], sizes: list[int], names: list[tuple[str, int]]) -> dict[str, bytes]:
        """Return the files of a state."""
        out = {}
        for name, file in names:
            mine = self._of_file(pages, sizes[file], file)
            out[name] = b"".join([self.bytes_at(*page) for page in mine])
        return out

    def content_id(self, pages: list[int], sizes: list[int], names: list[tuple[str, int]]) -> bytes:
        """Return the id of the files of a state: :func:`.ids.content_id`."""
        parts, known = [], self._known
        for name, file in names:
            parts.append(file_head(name, sizes[file]))
            ids = []
            for page in self._of_file(pages, sizes[file], file):
                if page not in known:
                    known[page] = blake(self.bytes_at(*page))
                ids.append(known[page])
            while len(ids) > FAN:
                ids = [blake(b"".join(ids[at : at + FAN])) for at in range(0, len(ids), FAN)]
            parts += ids
        return blake(b"".join(parts))

    def _of_file(self, pages: list[int], size: int, file: int) -> list[tuple[int, int]]:
        """Return the pages of a file, each with how many bytes of it there are."""
        whole, rest = divmod(size, PAGE)
        first = self._first[file]
        mine = [(page, PAGE) for page in pages[first : first + whole]]
        return [*mine, (pages[first + whole], rest)] if rest else mine


def classed_states(trace: Trace, presets: tuple[Preset, ...], seed: int) -> ClassedStates | None:
    """Return the states of `trace` under honest `presets`; None if it is not for the compiled engine."""
    if unfit(trace):
        return None
    layout = TraceLayout(trace, presets, seed)
    keys, owners = np.zeros((_ROOM, 2), np.uint64), np.full(_ROOM, -1, np.int64)
    judged = states_of(layout.flat, keys, owners, 0, np.empty(_BYTES, np.uint8))
    return None if judged.fault else ClassedStates(layout, judged)
