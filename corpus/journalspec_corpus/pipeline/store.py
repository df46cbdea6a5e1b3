"""Shards on disk: written whole or not at all, found again, and merged into the final parts.

A build directory holds ``plan.json``, ``work/`` while it is under way, and in the
end ``states/part-*.parquet`` and ``manifest.json``. All files but the manifest's
members ``run`` and ``seal`` are the same, byte for byte, whoever built them.

While a build is under way its shards are Arrow files, which are quick to write and to read; only what
a finished build keeps of them becomes Parquet, once.

Merging takes out what several shards hold and counts the rest. It is linear in the number
of states but for sorts of 64-bit numbers, and needs 18 bytes of memory per state, next to
one shard and one such sort per core.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from journalspec.files import PARTIAL, Unfit, read_bytes, replace_bytes, replace_text
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.pipeline.manifest import PLAN_FILE, digest_of_parts
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import judged_shard
from journalspec_corpus.pipeline.tables import (
    Counts,
    Reached,
    counted,
    reached,
    readers_of,
)
from journalspec_corpus.seal import MAX_SEALED, render

#: The folder of the final parts, and that of a build under way.
STATES, WORK = "states", "work"


class BuildError(Exception):
    """A build cannot go on: what and why in the text, what to do in `hint`."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Summary:
    """One finished shard: how many states, how many before de-duplication, and its file's SHA-256.

    `reached` says what its repeated states say of writers that do not own them
    (:mod:`.tables`), `sampled` names the categories that were not enumerated whole.
    `cpu` is the processor time it took, in seconds; no output depends on it.
    """

    shard: int
    states: int
    generated: int
    traces: int
    sha256: str
    reached: list[Reached] = field(default_factory=list)
    sampled: list[str] = field(default_factory=list)
    cpu: float = 0.0


def prepare(plan: Plan, out: Path) -> None:
    """Make or take up the build directory `out`; raises BuildError if it holds something else."""
    stored = out / PLAN_FILE
    if stored.exists():
        _same_plan(plan, stored)
    elif out.exists() and (not out.is_dir() or not all(map(_left, out.iterdir()))):
        raise not_ours(out)
    out.mkdir(parents=True, exist_ok=True)
    # First of all: by its plan the directory is known as a build's, however the build ends.
    replace_text(stored, render(plan.to_json()))
    (out / WORK).mkdir(exist_ok=True)


def not_ours(out: Path) -> BuildError:
    """Return the error that says that `out` holds something that is no build."""
    return BuildError(f"{out} exists and is no build directory", "choose an empty or new directory")


def _left(path: Path) -> bool:
    """Tell whether this is a file that a killed process was writing, where such files need a name."""
    return path.name.startswith(".") and path.name.endswith(PARTIAL)


def _same_plan(plan: Plan, stored: Path) -> None:
    """Raise BuildError if `stored` does not hold `plan`."""
    try:
        known = json.loads(read_bytes(stored, MAX_SEALED))
    except (Unfit, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, Unfit) else f"not JSON: {error}"
        raise BuildError(f"{stored}: {why}", "remove the directory or choose another") from None
    if not isinstance(known, dict):
        raise BuildError(f"{stored}: not the plan of a build", "choose another directory")
    if known != plan.to_json():
        raise another_plan(stored.parent, known)


def another_plan(out: Path, known: dict[str, Any]) -> BuildError:
    """Return the error that says that `out` holds a build of the plan `known`."""
    names = ("format", "tier", "seed", "every", "version")
    told = ", ".join(f"{name} {known.get(name)!r:.40}" for name in names)
    return BuildError(
        f"{out} holds a build of another plan ({told})", "choose another directory, or remove this one"
    )


@contextlib.contextmanager
def alone(out: Path) -> Iterator[None]:
    """Keep other builds out of `out` meanwhile; raises BuildError if one is at work there."""
    with (out / WORK / "lock").open("w") as stream:
        try:
            lock(stream)
        except BlockingIOError:
            raise BuildError(f"another build is at work in {out}", "wait for it, or end it") from None
        for directory in (out, out / WORK, out / STATES):
            for path in filter(_left, directory.glob(".*")):
                path.unlink(missing_ok=True)
        yield


def lock(stream: IO[str]) -> None:
    """Lock a file until it is closed; raises BlockingIOError if somebody else has."""
    try:
        import fcntl  # noqa: PLC0415  # not everywhere
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        # Some network file systems have no locks; two builds of one plan write the same bytes.
        return


def replace_table(path: Path, table: pa.Table) -> str:
    """Write a Parquet file whole or not at all; return the SHA-256 of its bytes."""
    # A dictionary of ids would hold every one of them.
    fields = [table.schema.field(name) for name in table.schema.names]
    repeating = [field.name for field in fields if not pa.types.is_fixed_size_binary(field.type)]
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_statistics=False, use_dictionary=repeating)
    return _replace(path, sink)


def _replace(path: Path, sink: pa.BufferOutputStream) -> str:
    data = sink.getvalue().to_pybytes()
    replace_bytes(path, data)
    return hashlib.sha256(data).hexdigest()


def replace_shard(path: Path, table: pa.Table) -> str:
    """Write the rows of a shard whole or not at all; return the SHA-256 of the file."""
    columns = [pa.concat_arrays(column.chunks) for column in table.columns]
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema, options=options) as stream:
        stream.write_batch(pa.RecordBatch.from_arrays(columns, schema=table.schema))
    return _replace(path, sink)


def read_shard(path: Path, columns: Sequence[str] = ()) -> pa.Table:
    """Return the rows of a shard, all columns or only some."""
    with pa.memory_map(str(path)) as source:
        with pa.ipc.open_file(source) as stream:
            names = stream.schema.names
        chosen = [names.index(name) for name in columns]
        options = pa.ipc.IpcReadOptions(included_fields=chosen or None, use_threads=False)
        with pa.ipc.open_file(source, options=options) as stream:
            return stream.read_all()


def shard_file(out: Path, shard: int) -> Path:
    """Return where the rows of a shard are while a build is under way."""
    return out / WORK / f"shard-{shard:05d}.arrow"


def part_file(out: Path, shard: int) -> Path:
    """Return where the rows that a finished build keeps of a shard are."""
    return out / STATES / f"part-{shard:05d}.parquet"


def part_files(out: Path) -> list[Path]:
    """Return the files that a finished build has of its states, in order."""
    return sorted((out / STATES).glob("part-*.parquet"))


def _names(out: Path, shard: int) -> tuple[Path, Path]:
    data = shard_file(out, shard)
    return data, data.with_suffix(".json")


def write_shard(plan: Plan, out: Path, number: int) -> Summary:
    """Judge shard `number` and write it; the summary is written last, as the seal.

    A shard that is there is not judged again: a task that lost its worker is given
    to another one as a whole.
    """
    data, seal = _names(out, number)
    known = _intact(out, number)
    if known is not None:
        return known
    started = time.process_time()
    shard = judged_shard(plan, number)
    table = shard.table()
    sha256 = replace_shard(data, table)
    again = shard.repeated(table)
    cpu = time.process_time() - started
    summary = Summary(
        shard=number,
        states=table.num_rows,
        generated=shard.tally.generated,
        traces=shard.traces,
        sha256=sha256,
        reached=again,
        sampled=sorted(shard.sampled),
        cpu=cpu,
    )
    replace_text(seal, json.dumps(asdict(summary)))
    return summary


def finished(plan: Plan, out: Path, jobs: int = 1) -> dict[int, Summary]:
    """Return the shards that are on disk and intact; `jobs` threads look."""
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        known = list(pool.map(partial(_intact, out), range(plan.shards())))
    return {number: summary for number, summary in enumerate(known) if summary is not None}


def _intact(out: Path, number: int) -> Summary | None:
    """Return the summary of a shard that is on disk as it was sealed, None of any other."""
    data, seal = _names(out, number)
    try:
        loaded = json.loads(seal.read_text(encoding="utf-8"))
        summary = Summary(**{**loaded, "reached": [tuple(entry) for entry in loaded["reached"]]})
        intact = hashlib.sha256(data.read_bytes()).hexdigest() == summary.sha256
    except (OSError, KeyError, TypeError, ValueError):
        return None
    return summary if intact and summary.shard == number else None


def sealed(out: Path) -> int:
    """Return how many shards have been sealed, for a progress bar."""
    return sum(1 for path in (out / WORK).glob("shard-*.json"))


def clear_work(out: Path) -> None:
    """Remove what only a build under way needs."""
    shutil.rmtree(out / WORK)


Ids = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.bool_]
#: How many ids are sorted at once, about; and the binary logarithm of the most such lots.
_LOT, _MOST_LOTS = 1 << 20, 8


def merge(plan: Plan, out: Path, summaries: dict[int, Summary], jobs: int = 1) -> dict[str, Any]:
    """Write the final parts and return ``distinct``, ``digest``, ``parts``, ``seen``, ``reached``.

    Of equal ids the first in plan order stays. `parts` are the files with their checksums,
    `seen` the counted combinations of labels of what stayed, and `reached` says who
    reaches what, states that were taken out included.
    """
    states = [summaries[number].states for number in range(plan.shards())]
    (out / STATES).mkdir(exist_ok=True)
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        first = _first_rows(out, states, pool)
        keeps = np.split(first, np.cumsum(states)[:-1])
        done = list(pool.map(partial(_part, out), map(summaries.__getitem__, range(len(states))), keeps))
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
        "reached": reached_by | reached(seen, crash_format(plan.format).readers),
    }


def _first_rows(out: Path, states: list[int], pool: ThreadPoolExecutor) -> Rows:
    """Return True for each row that no earlier row equals: of all shards, with so many rows each."""
    bounds = [0, *np.cumsum(states).tolist()]
    # Halves apart: each of them is sorted or compared as a whole.
    ids = np.empty((bounds[-1], 2), np.uint64, order="F")

    def take(number: int) -> None:
        ids[bounds[number] : bounds[number + 1]] = _shard_ids(out, number)

    for _ in pool.map(take, range(len(states))):
        pass
    return first_of_each(ids, pool.map)


@dataclass(frozen=True)
class _Part:
    """One final part: its entry in the manifest, what is in it, and who reaches what was taken out."""

    entry: dict[str, Any]
    seen: Counts
    reached: set[Reached]


def _part(out: Path, summary: Summary, keep: Rows) -> _Part:
    path = part_file(out, summary.shard)
    table = read_shard(shard_file(out, summary.shard))
    who: set[Reached] = set()
    if not keep.all():
        who = reached(counted(table.filter(pa.array(~keep))), readers_of(table.schema))
        table = table.filter(pa.array(keep))
    sha256 = replace_table(path, table)
    size = path.stat().st_size
    entry = {"file": f"{STATES}/{path.name}", "rows": table.num_rows, "bytes": size, "sha256": sha256}
    return _Part(entry, counted(table), who)


def remerge(out: Path, summary: Summary, sha256: str) -> str:
    """Make one part of a finished build again; it is put in its place if it has the checksum `sha256`.

    What earlier parts hold is taken out, so they have to be there. Returns the
    checksum of what was made.
    """
    table = read_shard(shard_file(out, summary.shard))
    earlier = [_part_ids(part_file(out, number)) for number in range(summary.shard)]
    ids = np.concatenate([*earlier, ids_of(table["case_id"])])
    keep = first_of_each(ids)[-table.num_rows or len(ids) :]
    made = out / WORK / part_file(out, summary.shard).name
    found = replace_table(made, table if keep.all() else table.filter(pa.array(keep)))
    if found == sha256:
        (out / STATES).mkdir(exist_ok=True)
        made.replace(part_file(out, summary.shard))
    return found


def case_ids_of(path: Path) -> list[bytes]:
    """Return the case ids of a part, in order."""
    names: list[bytes] = pq.read_table(path, columns=["case_id"], use_threads=False)["case_id"].to_pylist()
    return names


def _part_ids(path: Path) -> Ids:
    """Return the case ids of a part as rows of two 64-bit numbers."""
    return ids_of(pq.read_table(path, columns=["case_id"], use_threads=False)["case_id"])


def _shard_ids(out: Path, number: int) -> Ids:
    """Return the case ids of a shard as rows of two 64-bit numbers."""
    return ids_of(read_shard(shard_file(out, number), ["case_id"])["case_id"])


def ids_of(ids: pa.ChunkedArray) -> Ids:
    """Return a column of ids as rows of two 64-bit numbers."""
    column = ids.combine_chunks()
    column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    if not len(column):
        return np.zeros((0, 2), np.uint64)
    width = column.type.byte_width
    raw = column.buffers()[1][column.offset * width : (column.offset + len(column)) * width]
    return id_pairs(raw)


def id_pairs(ids: bytes) -> Ids:
    """Return ids, one behind the other, as rows of two 64-bit numbers."""
    return np.frombuffer(ids, ">u8").astype(np.uint64).reshape(-1, 2)


def first_of_each(
    ids: Ids, each: Callable[[Callable[[int], None], Iterable[int]], Iterable[None]] = map
) -> Rows:
    """Return True for each row that equals no earlier row.

    Rows are sorted in lots that have the highest bits of their first halves in common; `each` calls
    a function for every lot, in any order or at the same time.
    """
    out = np.ones(len(ids), bool)
    bits = min(_MOST_LOTS, (len(ids) // _LOT).bit_length())
    high = np.zeros(len(ids), np.uint8)
    if bits:
        np.right_shift(ids[:, 0], np.uint64(64 - bits), out=high, casting="unsafe")

    def look(lot: int) -> None:
        rows = np.flatnonzero(high == lot)
        out[rows[_repeated(ids[rows])]] = False

    for _ in each(look, range(1 << bits)):
        pass
    return out


def _repeated(ids: Ids) -> npt.NDArray[np.int64]:
    """Return the numbers of the rows that equal an earlier row."""
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
    repeated: npt.NDArray[np.int64] = rows[1:][(ids[rows[1:]] == ids[rows[:-1]]).all(axis=1)]
    return repeated
