"""The core tier as cases: a choice of the judged states, packed so that anybody can unpack them.

The choice is made by ids alone, so that anybody repeats it. Each shard's chosen states are
found again and packed by a worker into two files of lines; here they are put behind each
other and compressed. Lines and order depend on the plan alone.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from journalspec.files import replace_bytes, replace_text, replacing
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.pages import ID_BYTES
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline import local
from journalspec_corpus.pipeline.case_files import BASE_LINES, GROUP_LINES, ID_FILE, LINES, PUBLISHED_IDS
from journalspec_corpus.pipeline.cases import CASES, SHARED, read_cases
from journalspec_corpus.pipeline.manifest import MANIFEST
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.store import (
    WORK,
    BuildError,
    alone,
    clear_work,
    part_file,
    part_files,
    prepare,
    state_ids_of,
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


def choose(
    out: Path, readers: Iterable[str], ids_of: Callable[[int], list[bytes]], total: int = CORE_CASES
) -> CoreChoice:
    """Return what to publish of a finished build, and how `readers` fail on that.

    `ids_of` gives the ids under which the states of a part would be published. First the
    smallest ids of each class, then the smallest of each category up to its share, then of
    each stratum up to its quota, then of all: ids are hashes, so this is a sample.
    """
    found: list[tuple[bytes, tuple[Any, ...]]] = []
    states: dict[bytes, bytes] = {}
    for number, path in enumerate(part_files(out)):
        table = pq.read_table(path, columns=["state_id", *_KIND])
        kinds = zip(*(_plain(table[name]) for name in _KIND), strict=True)
        names = ids_of(number)
        found += zip(names, kinds, strict=True)
        states.update(zip(names, table["state_id"].to_pylist(), strict=True))
    found.sort()
    ids = frozenset(states[name] for name in _chosen(found, total))
    return CoreChoice(ids, {reader: _failures(out, reader, ids) for reader in readers})


def _failures(out: Path, reader: str, ids: frozenset[bytes]) -> dict[str, dict[str, int]]:
    """Return how many of the states `ids` get which failing verdict on `reader`, by stratum."""
    verdict = f"verdict_{reader}"
    counts: dict[str, Counter[str]] = {}
    for path in part_files(out):
        table = pq.read_table(path, columns=["state_id", "stratum", verdict])
        failing = table.filter(pc.is_in(pc.cast(table[verdict], pa.string()), _FAILING))
        for row in failing.to_pylist():
            if row["state_id"] in ids:
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
    shards in all); a shard is gone through twice, for ids and for cases. Raises BuildError.
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
        for name in (CASES, SHARED):
            (out / WORK / name).replace(out / name)
        manifest = sealed({**manifest, "cases": cases})
        replace_text(out / MANIFEST, render(manifest))
        clear_work(out)
    return manifest


def _publish(plan: Plan, out: Path, jobs: int, progress: Callable[[int, int], None]) -> dict[str, Any]:
    policies = crash_format(plan.format).policies
    shards = range(plan.shards())
    local.run(plan, out, shards, lambda done: progress(done, 2 * len(shards)), jobs=jobs, task="ids")
    choice = choose(out, policies, lambda number: _read_ids(out, number))
    todo = []
    for number in shards:
        own = [name for name in state_ids_of(part_file(out, number)) if name in choice.ids]
        if own:
            replace_bytes(out / WORK / ID_FILE.format(number), b"".join(own))
            todo.append(number)
    known, total = len(shards), len(shards) + len(todo)
    progress(known, total)
    local.run(plan, out, todo, lambda done: progress(known + done, total), jobs=jobs, task="cases")
    counts = _gathered(plan, out, todo)
    written = sum(sum(of.values()) for of in counts.values())
    if written != len(choice.ids):
        raise BuildError(f"{len(choice.ids) - written} chosen states were not found again", "report this")
    return {
        "count": written,
        "strata": {name: sum(of.values()) for name, of in sorted(counts.items())},
        "categories": {name: dict(sorted(of.items())) for name, of in sorted(counts.items())},
        "per_class": PER_CLASS,
        "quota": QUOTA,
        "shares": SHARES,
        "most": MOST,
        "beyond": {policies[reader]: counts for reader, counts in choice.beyond.items()},
        "files": {name: _described(out / WORK / name) for name in (CASES, SHARED)},
    }


def _read_ids(out: Path, number: int) -> list[bytes]:
    raw = (out / WORK / PUBLISHED_IDS.format(number)).read_bytes()
    return [raw[at : at + ID_BYTES] for at in range(0, len(raw), ID_BYTES)]


def _gathered(plan: Plan, out: Path, numbers: list[int]) -> dict[str, Counter[str]]:
    """Put the lines of all shards into the two files; return the cases by stratum and category."""
    counts: dict[str, Counter[str]] = {}
    work = out / WORK
    with _compressed(work / SHARED) as shared, _compressed(work / CASES) as cases:
        shared.write(json.dumps(_head(plan), separators=(",", ":")).encode() + b"\n")
        # Like beside like: what is near compresses better.
        for name in (BASE_LINES, GROUP_LINES):
            for number in numbers:
                shared.write((work / name.format(number)).read_bytes())
        for number in numbers:
            lines = (work / LINES.format(number)).read_bytes()
            cases.write(lines)
            for line in lines.splitlines():
                case = json.loads(line)
                counts.setdefault(case["stratum"], Counter())[case["category"]] += 1
    return counts


def _head(plan: Plan) -> dict[str, Any]:
    """Return what all cases of a build have in common."""
    return {
        "format": plan.format,
        "common": {
            "tier": "core",
            "level": "must",
            "breaks": [],
            "flags": [],
            "needs": ["recover"],
            "params": {},
            "write": None,
        },
        "obeys": {name: list(of) for name, of in sorted(crash_format(plan.format).obeys.items())},
    }


@contextlib.contextmanager
def _compressed(path: Path) -> Iterator[gzip.GzipFile]:
    """Open a gzip file that has the same bytes whenever it is written, and is there whole or not at all."""
    with replacing(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as stream:
        yield stream


def _described(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
