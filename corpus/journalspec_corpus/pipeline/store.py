"""Shards on disk: written whole or not at all, found again, and merged into the final files.

A build directory holds ``plan.json``, ``work/`` while it is under way, and in the
end ``states/part-*.parquet`` and ``manifest.json``. All files but the manifest's
member ``run`` are the same, byte for byte, whoever built them.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from journalspec_corpus.pipeline.plan import Plan


class BuildError(Exception):
    """A build cannot go on: what and why in the text, what to do in `hint`."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Summary:
    """One finished shard: how many states, how many before de-duplication, and its file's SHA-256.

    `cpu` is the processor time it took, in seconds; no output depends on it.
    """

    shard: int
    states: int
    generated: int
    traces: int
    sha256: str
    cpu: float = 0.0


def prepare(plan: Plan, out: Path) -> None:
    """Make or take up the build directory `out`; raises BuildError if it holds something else."""
    stored = out / "plan.json"
    if stored.exists():
        try:
            known = json.loads(stored.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BuildError(
                f"{stored}: not JSON: {error}", "remove the directory or choose another"
            ) from None
        if known != plan.to_json():
            raise BuildError(
                f"{out} holds a build of another plan (format {known.get('format')!r}, tier "
                f"{known.get('tier')!r}, seed {known.get('seed')!r})",
                "choose another directory, or remove this one",
            )
    elif out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BuildError(f"{out} exists and is no build directory", "choose an empty or new directory")
    (out / "work").mkdir(parents=True, exist_ok=True)
    replace_text(stored, json.dumps(plan.to_json(), indent=2) + "\n")


def replace_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def replace_table(path: Path, table: pa.Table) -> None:
    """Write a Parquet file whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    pq.write_table(table, partial, compression="zstd", write_statistics=False)
    partial.replace(path)


def _names(out: Path, shard: int) -> tuple[Path, Path]:
    stem = out / "work" / f"shard-{shard:05d}"
    return stem.with_suffix(".parquet"), stem.with_suffix(".json")


def write_shard(plan: Plan, out: Path, number: int) -> Summary:
    """Judge shard `number` and write it; the summary is written last, as the seal."""
    data, seal = _names(out, number)
    started = time.process_time()
    shard = plan.shard(number)
    table = shard.table()
    replace_table(data, table)
    sha256 = hashlib.sha256(data.read_bytes()).hexdigest()
    cpu = time.process_time() - started
    summary = Summary(number, table.num_rows, shard.tally.generated, shard.traces, sha256, cpu)
    replace_text(seal, json.dumps(asdict(summary)))
    return summary


def finished(plan: Plan, out: Path) -> dict[int, Summary]:
    """Return the shards that are on disk and intact."""
    found = {}
    for number in range(plan.shards()):
        data, seal = _names(out, number)
        try:
            summary = Summary(**json.loads(seal.read_text(encoding="utf-8")))
            intact = hashlib.sha256(data.read_bytes()).hexdigest() == summary.sha256
        except (OSError, TypeError, ValueError):
            continue
        if intact and summary.shard == number:
            found[number] = summary
    return found


def sealed(out: Path) -> int:
    """Return how many shards have been sealed, for a progress bar."""
    return sum(1 for path in (out / "work").glob("shard-*.json"))


def merge(plan: Plan, out: Path) -> dict[str, Any]:
    """Take out what several shards hold, write the final parts, and return the counts.

    Of equal case ids the first in plan order stays. Memory: 24 bytes per state.
    """
    numbers = range(plan.shards())
    ids = [_case_ids(_names(out, number)[0]) for number in numbers]
    owner = np.repeat(np.arange(len(ids)), [len(part) for part in ids])
    first = first_of_each(np.concatenate(ids or [np.zeros((0, 2), np.uint64)]))
    digest = hashlib.sha256()
    parts = out / "states"
    parts.mkdir(exist_ok=True)
    for number in numbers:
        keep = first[owner == number]
        path = parts / f"part-{number:05d}.parquet"
        if keep.all():
            shutil.copyfile(_names(out, number)[0], path)
        else:
            replace_table(path, pq.read_table(_names(out, number)[0]).filter(pa.array(keep)))
        digest.update(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return {
        "distinct": int(first.sum()),
        "duplicates_across": int((~first).sum()),
        "digest": digest.hexdigest(),
    }


def _case_ids(path: Path) -> npt.NDArray[np.uint64]:
    """Return the case ids of a shard as rows of two 64-bit numbers."""
    column = pq.read_table(path, columns=["case_id"])["case_id"].combine_chunks()
    raw = b"".join(column.to_pylist())
    return np.frombuffer(raw, ">u8").astype(np.uint64).reshape(-1, 2)


def first_of_each(ids: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Return True for each row that equals no earlier row."""
    order = np.lexsort((np.arange(len(ids)), ids[:, 1], ids[:, 0]))
    ordered = ids[order]
    new = np.ones(len(ids), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    out = np.zeros(len(ids), bool)
    out[order[new]] = True
    return out


def clear_work(out: Path) -> None:
    """Remove what only a build under way needs."""
    for path in sorted((out / "work").iterdir()):
        path.unlink()
    (out / "work").rmdir()
