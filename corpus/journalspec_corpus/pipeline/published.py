"""The core tier as cases: a choice of the judged states, as compressed lines.

The choice is made by ids alone, so that anybody repeats it. A worker finds each shard's chosen
states again and writes their lines; here they are put together and compressed. Lines and order
depend on the plan alone.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from journalspec.files import replace_bytes, replace_text, replacing
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline import local
from journalspec_corpus.pipeline.case_files import CHOSEN, LINES
from journalspec_corpus.pipeline.cases import CASES, read_cases
from journalspec_corpus.pipeline.manifest import MANIFEST
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.store import (
    WORK,
    BuildError,
    alone,
    case_ids_of,
    clear_work,
    part_file,
    part_files,
    prepare,
)
from journalspec_corpus.pipeline.verify import missing_files
from journalspec_corpus.seal import render, sealed

#: How many cases are published, and how many of each class there are at least.
CORE_CASES, PER_CLASS = 100_000, 3
#: How many of them come from each stratum, as far as it has so many; what is left over is given
#: to the strata in this order.
QUOTA = {"R": 80_000, "C": 15_000, "L": 5_000}
#: No category of a stratum gets more than every n-th case of its quota while others have some left.
SHARES = 8
#: No more of these while there are others: they hold sectors of garbage, which nothing makes smaller.
MOST = {"sector-trash": 4_000}
#: How hard to compress: 9 takes four times as long for a few percent.
_LEVEL = 6
_KIND = ("stratum", "writer", "edition", "category", "background", "field", "acknowledged")
_CATEGORY = _KIND.index("category")
_FAILING = pa.array([name for name, broken in VERDICTS.items() if broken])


@dataclass(frozen=True)
class CoreChoice:
    """The ids of the states to publish, and how often our readers fail on them.

    No reader had a say in the choice.

    `beyond` counts, by reader, stratum and verdict, the chosen states in which
    a reader that follows the specification does not give what is owed, because the
    order of writes, the device or the format has lost it.
    """

    ids: frozenset[bytes]
    beyond: dict[str, dict[str, dict[str, int]]]


def choose(out: Path, readers: Iterable[str], total: int = CORE_CASES) -> CoreChoice:
    """Return what to publish of a finished build, and how `readers` fail on that.

    First the smallest ids of each class, then the smallest of each category up to its share, then of
    each stratum up to its quota, then of all: ids are hashes, so this is a sample.
    """
    found: list[tuple[bytes, tuple[Any, ...]]] = []
    for path in part_files(out):
        table = pq.read_table(path, columns=["case_id", *_KIND])
        kinds = zip(*(_plain(table[name]) for name in _KIND), strict=True)
        found += zip(table["case_id"].to_pylist(), kinds, strict=True)
    found.sort()
    ids = _chosen(found, total)
    return CoreChoice(ids, {reader: _failures(out, reader, ids) for reader in readers})


def _failures(out: Path, reader: str, ids: frozenset[bytes]) -> dict[str, dict[str, int]]:
    """Return how many of the states `ids` get which failing verdict on `reader`, by stratum."""
    verdict = f"verdict_{reader}"
    counts: dict[str, Counter[str]] = {}
    for path in part_files(out):
        table = pq.read_table(path, columns=["case_id", "stratum", verdict])
        failing = table.filter(pc.is_in(pc.cast(table[verdict], pa.string()), _FAILING))
        for row in failing.to_pylist():
            if row["case_id"] in ids:
                counts.setdefault(row["stratum"], Counter())[row[verdict]] += 1
    return {name: dict(sorted(of.items())) for name, of in sorted(counts.items())}


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


__all__ = ["publish_core", "read_cases"]


def publish_core(
    plan: Plan,
    out: Path,
    manifest: dict[str, Any],
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Write the cases of a finished core build and return the manifest that now names them.

    Where it names them already, they are looked at: if they are missing or damaged, they
    are made again and have to be what they were. `progress` is called with (shards done,
    shards in all). Raises BuildError.
    """
    known = manifest.get("cases")
    if known is not None and not missing_files(out, known["files"]):
        return manifest
    prepare(plan, out)
    with alone(out):
        cases = _publish(plan, out, jobs, progress)
        if known is not None and cases != known:
            raise BuildError(
                f"{out}: cases are missing or damaged, and made again they are others than"
                f" those of {MANIFEST}; nothing was replaced",
                "use the edition that made them, or build into a new directory",
            )
        (out / WORK / CASES).replace(out / CASES)
        manifest = sealed({**manifest, "cases": cases})
        replace_text(out / MANIFEST, render(manifest))
        clear_work(out)
    return manifest


def _publish(plan: Plan, out: Path, jobs: int, progress: Callable[[int, int], None]) -> dict[str, Any]:
    policies = crash_format(plan.format).policies
    choice = choose(out, policies)
    todo = []
    for number in range(plan.shards()):
        own = [name for name in case_ids_of(part_file(out, number)) if name in choice.ids]
        if own:
            replace_bytes(out / WORK / CHOSEN.format(number), b"".join(own))
            todo.append(number)
    progress(0, len(todo))
    local.run(plan, out, todo, lambda done: progress(done, len(todo)), jobs=jobs, task="cases")
    counts = _gathered(out, todo)
    written = sum(sum(of.values()) for of in counts.values())
    if written != len(choice.ids):
        raise BuildError(f"{len(choice.ids) - written} chosen states were not found again", "report this")
    data = (out / WORK / CASES).read_bytes()
    return {
        "count": written,
        "strata": {name: sum(of.values()) for name, of in sorted(counts.items())},
        "categories": {name: dict(sorted(of.items())) for name, of in sorted(counts.items())},
        "per_class": PER_CLASS,
        "quota": QUOTA,
        "shares": SHARES,
        "most": MOST,
        "beyond": {policies[reader]: counts for reader, counts in choice.beyond.items()},
        "files": {CASES: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}},
    }


def _gathered(out: Path, numbers: list[int]) -> dict[str, Counter[str]]:
    """Put the lines of all shards into one file; return the cases by stratum and category."""
    counts: dict[str, Counter[str]] = {}
    # No time and no name in it: the same bytes whenever it is written.
    with (
        replacing(out / WORK / CASES, "wb") as raw,
        gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as stream,
    ):
        for number in numbers:
            lines = (out / WORK / LINES.format(number)).read_bytes()
            stream.write(lines)
            for line in lines.splitlines():
                case = json.loads(line)
                if "id" in case:
                    counts.setdefault(case["stratum"], Counter())[case["category"]] += 1
    return counts
