"""From shards to the final parts: what several shards hold is taken out, and the rest is counted.

Both are linear in the number of states but for one sort of 64-bit numbers, and
need 32 bytes of memory per state next to one shard per core.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from journalspec.files import replace_bytes
from journalspec_corpus.pipeline.counting import Counts, counted, readers_of
from journalspec_corpus.pipeline.manifest import digest_of_parts
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.reach import Reached, reached
from journalspec_corpus.pipeline.store import STATES, WORK, Summary, part_file, replace_table, shard_file

Ids = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.bool_]


def merge(plan: Plan, out: Path, summaries: dict[int, Summary], jobs: int = 1) -> dict[str, Any]:
    """Write the final parts and return ``distinct``, ``digest``, ``parts``, ``seen`` and ``reached``.

    Of equal case ids the first in plan order stays. `parts` are the files with
    their checksums, `seen` the counted combinations of labels of what stayed, and
    `reached` says who reaches what, states that were taken out included.
    """
    numbers = range(plan.shards())
    bounds = np.cumsum([0, *(summaries[number].states for number in numbers)])
    # Halves apart: each of them is sorted or compared as a whole.
    ids = np.empty((int(bounds[-1]), 2), np.uint64, order="F")
    for number in numbers:
        ids[bounds[number] : bounds[number + 1]] = _case_ids(shard_file(out, number))
    first = first_of_each(ids)
    del ids
    (out / STATES).mkdir(exist_ok=True)
    keeps = [first[bounds[number] : bounds[number + 1]] for number in numbers]
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        finish = partial(_part, out)
        done = list(pool.map(finish, (summaries[number] for number in numbers), keeps))
    parts = [part.entry for part in done]
    seen: Counts = Counter()
    reached_by = {entry for summary in summaries.values() for entry in summary.reached}
    for part in done:
        seen.update(part.seen)
        reached_by |= part.reached
    return {
        "distinct": int(first.sum()),
        "digest": digest_of_parts(parts),
        "parts": parts,
        "seen": seen,
        "reached": reached_by,
    }


@dataclass(frozen=True)
class _Part:
    """One final part: its entry in the manifest, what is in it, and who reaches what its shard held."""

    entry: dict[str, Any]
    seen: Counts
    reached: set[Reached]


def _part(out: Path, summary: Summary, keep: Rows) -> _Part:
    source = shard_file(out, summary.shard)
    path = part_file(out, summary.shard)
    table = pq.read_table(source, use_threads=False)
    readers = readers_of(table.schema)
    sha256 = summary.sha256
    who: set[Reached] = set()
    if keep.all():
        _link(source, path)
    else:
        who |= reached(counted(table.filter(pa.array(~keep))), readers)
        table = table.filter(pa.array(keep))
        sha256 = replace_table(path, table)
    seen = counted(table)
    size = path.stat().st_size
    entry = {"file": f"{STATES}/{path.name}", "rows": table.num_rows, "bytes": size, "sha256": sha256}
    return _Part(entry, seen, who | reached(seen, readers))


def remerge(out: Path, summary: Summary, sha256: str) -> str:
    """Make one part of a finished build again; it is put in its place if it has the checksum `sha256`.

    What earlier parts hold is taken out, so they have to be there. Returns the
    checksum of what was made.
    """
    source = shard_file(out, summary.shard)
    table = pq.read_table(source, use_threads=False)
    earlier = [_case_ids(part_file(out, number)) for number in range(summary.shard)]
    ids = np.concatenate([*earlier, _case_ids(source)])
    keep = first_of_each(ids)[-table.num_rows or len(ids) :]
    made = out / WORK / part_file(out, summary.shard).name
    if keep.all():
        _link(source, made)
        found = summary.sha256
    else:
        found = replace_table(made, table.filter(pa.array(keep)))
    if found == sha256:
        (out / STATES).mkdir(exist_ok=True)
        made.replace(part_file(out, summary.shard))
    return found


def _link(source: Path, path: Path) -> None:
    """Give `source` a second name, or copy it where file systems cannot."""
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    try:
        os.link(source, path)
    except OSError:
        replace_bytes(path, source.read_bytes())


def _case_ids(path: Path) -> Ids:
    """Return the case ids of a shard as rows of two 64-bit numbers."""
    return ids_of(pq.read_table(path, columns=["case_id"], use_threads=False)["case_id"])


def ids_of(ids: pa.ChunkedArray) -> Ids:
    """Return a column of case ids as rows of two 64-bit numbers."""
    column = ids.combine_chunks()
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    if not len(column):
        return np.zeros((0, 2), np.uint64)
    width = column.type.byte_width
    raw = column.buffers()[1][column.offset * width : (column.offset + len(column)) * width]
    return np.frombuffer(raw, ">u8").astype(np.uint64).reshape(-1, 2)


def first_of_each(ids: Ids) -> Rows:
    """Return True for each row that equals no earlier row."""
    out = np.ones(len(ids), bool)
    order = np.argsort(ids[:, 0])
    ordered = ids[order, 0]
    same = ordered[1:] == ordered[:-1]
    del ordered
    alike = np.zeros(len(ids), bool)
    alike[1:] |= same
    alike[:-1] |= same
    # Only rows whose first halves are equal can be equal; they are few.
    rows = order[alike]
    rows = rows[np.lexsort((rows, ids[rows, 1], ids[rows, 0]))]
    out[rows[1:]] = (ids[rows[1:]] != ids[rows[:-1]]).any(axis=1)
    return out
