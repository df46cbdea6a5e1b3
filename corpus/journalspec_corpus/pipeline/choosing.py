"""Which states of a build are published: a choice by ids alone, so that anybody repeats it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline.store import STATES, part_file

#: How many cases are published, and how many of each class there are at least.
CORE_CASES, PER_CLASS = 100_000, 3
#: How many of them come from each stratum, as far as it has so many; what is left over is given
#: to the strata in this order.
QUOTA = {"R": 80_000, "C": 15_000, "L": 5_000}
#: No category of a stratum gets more than every n-th case of its quota while others have some left.
SHARES = 8
#: No more of these while there are others: they hold sectors of garbage, which nothing makes smaller.
MOST = {"sector-trash": 4_000}
_KIND = ("stratum", "writer", "edition", "category", "background", "field", "acknowledged")
_CATEGORY = _KIND.index("category")
_FAILING = pa.array([name for name, broken in VERDICTS.items() if broken])


@dataclass(frozen=True)
class Choice:
    """The case ids to publish, and how often our readers fail on them: no reader had a say in the choice.

    `beyond` counts, by reader, stratum and verdict, the chosen states in which
    a reader that follows the specification does not give what is owed, because the
    order of writes, the device or the format has lost it.
    """

    ids: frozenset[bytes]
    beyond: dict[str, dict[str, dict[str, int]]]


def choose(out: Path, readers: Iterable[str], total: int = CORE_CASES) -> Choice:
    """Return what to publish of a finished build, and how `readers` fail on that.

    First the smallest ids of each class, then the smallest of each category up to
    its share, then of each stratum up to its quota, then of all: ids are hashes, so
    this is a sample.
    """
    found: list[tuple[bytes, tuple[Any, ...]]] = []
    for path in _parts(out):
        table = pq.read_table(path, columns=["case_id", *_KIND])
        kinds = zip(*(_plain(table[name]) for name in _KIND), strict=True)
        found += zip(table["case_id"].to_pylist(), kinds, strict=True)
    found.sort()
    ids = _chosen(found, total)
    return Choice(ids, {reader: _failures(out, reader, ids) for reader in readers})


def _failures(out: Path, reader: str, ids: frozenset[bytes]) -> dict[str, dict[str, int]]:
    """Return how many of the states `ids` get which failing verdict on `reader`, by stratum."""
    verdict = f"verdict_{reader}"
    counts: dict[str, Counter[str]] = {}
    for path in _parts(out):
        table = pq.read_table(path, columns=["case_id", "stratum", verdict])
        failing = table.filter(pc.is_in(pc.cast(table[verdict], pa.string()), _FAILING))
        for row in failing.to_pylist():
            if row["case_id"] in ids:
                counts.setdefault(row["stratum"], Counter())[row[verdict]] += 1
    return {name: dict(sorted(of.items())) for name, of in sorted(counts.items())}


def _parts(out: Path) -> list[Path]:
    return sorted((out / STATES).glob("part-*.parquet"))


def case_ids_of(out: Path, shard: int) -> list[bytes]:
    """Return the ids of the states that a finished build keeps of one shard, in order."""
    ids: list[bytes] = pq.read_table(part_file(out, shard), columns=["case_id"])["case_id"].to_pylist()
    return ids


def _plain(column: pa.ChunkedArray) -> list[Any]:
    texts: list[Any] = (
        pc.cast(column, pa.string()) if pa.types.is_dictionary(column.type) else pc.greater(column, 0)
    ).to_pylist()
    return texts


def _chosen(found: list[tuple[bytes, tuple[Any, ...]]], total: int) -> frozenset[bytes]:
    """Return the ids to take of `found`, which is sorted."""
    choosing = _Choosing(total)
    classes: Counter[tuple[Any, ...]] = Counter()
    for case, kind in found:
        classes[kind] += 1
        if classes[kind] <= PER_CLASS:
            choosing.take(case, kind)
    for shares in (SHARES, 1):
        for case, kind in found:
            if choosing.has_room(kind, shares):
                choosing.take(case, kind)
    for most in (MOST, {}):
        for name in QUOTA:
            for case, kind in found:
                if kind[0] == name and choosing.has_any_room(kind, most):
                    choosing.take(case, kind)
    return frozenset(choosing.taken)


class _Choosing:
    """A choice that is being made, counted by stratum and category."""

    def __init__(self, total: int) -> None:
        self._total = total
        self.taken: set[bytes] = set()
        self._of: Counter[str] = Counter()

    def take(self, case: bytes, kind: tuple[Any, ...]) -> None:
        """Take a case, if it is not taken."""
        if case not in self.taken:
            self.taken.add(case)
            self._of.update((kind[0], f"{kind[0]}/{kind[_CATEGORY]}", kind[_CATEGORY]))

    def has_room(self, kind: tuple[Any, ...], shares: int) -> bool:
        """Tell whether a stratum's quota and a category's share of it are not used up."""
        quota = QUOTA[kind[0]] * self._total // CORE_CASES
        used = self._of[f"{kind[0]}/{kind[_CATEGORY]}"]
        return self._of[kind[0]] < quota and used < quota // shares and self.has_any_room(kind, MOST)

    def has_any_room(self, kind: tuple[Any, ...], most: Mapping[str, int]) -> bool:
        """Tell whether there is room at all, and for the category."""
        limit = most.get(kind[_CATEGORY], CORE_CASES) * self._total // CORE_CASES
        return len(self.taken) < self._total and self._of[kind[_CATEGORY]] < limit
