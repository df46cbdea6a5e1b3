"""Shards on disk: written whole or not at all, found again, and what is kept of them as Parquet.

A build directory holds ``plan.json``, ``work/`` while it is under way, and in the
end ``states/part-*.parquet`` and ``manifest.json``. All files but the manifest's
members ``run`` and ``seal`` are the same, byte for byte, whoever built them.

While a build is under way its shards are Arrow files, which are quick to write and to read; only what
a finished build keeps of them becomes Parquet, once.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather

from journalspec.files import PARTIAL, Unfit, read_bytes, replace_bytes, replace_text
from journalspec_corpus.crash.trace import ID_BYTES
from journalspec_corpus.pipeline.manifest import PLAN_FILE, STATES, WORK, part_name
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import judged_shard
from journalspec_corpus.pipeline.tables import Reached
from journalspec_corpus.seal import MAX_SEALED, render

#: Gets the number of finished shards.
ShardsDone = Callable[[int], None]
_TRACEBACK = "JOURNALSPEC_TRACEBACK"
#: Where the schema of a shard's file has its summary.
_SUMMARY = b"journalspec"


class BuildError(Exception):
    """A build cannot go on: what and why in the text, what to do in `hint`."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def tried(work: Callable[[int], object], number: int) -> object:
    """Return what `work` gives, or the error that the builder is to raise."""
    try:
        return work(number)
    except BuildError as error:
        return error
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return BuildError(
            f"{name}{error.strerror or error}", "finished parts stay: the same command continues there"
        )
    except MemoryError:
        return BuildError(f"shard {number}: not enough memory", "try fewer --jobs")
    except Exception as error:  # whatever it is, the builder has to be notified
        if os.environ.get(_TRACEBACK):
            traceback.print_exc()
        text = f"shard {number}: a fault of journalspec, please report it: {type(error).__name__}: {error}"
        return BuildError(text, f"Set {_TRACEBACK}=1 to see where it happened.")


@dataclass(frozen=True, slots=True)
class Summary:
    """One finished shard: how many states, and how many before de-duplication.

    `reached` says who reaches what in it. `cpu` is the processor time it took, in seconds; no output
    depends on it.
    """

    shard: int
    states: int
    generated: int
    traces: int
    reached: list[Reached]
    cpu: float


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
    """Return the error that says that `out` holds something that is not a build."""
    return BuildError(f"{out} exists and is not a build directory", "choose an empty or new directory")


def _left(path: Path) -> bool:
    """Return whether this is a file that a killed process was writing, where such files need a name."""
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
        for directory in (out, out / WORK):
            for path in filter(_left, directory.glob(".*")):
                path.unlink(missing_ok=True)
        yield


def lock(stream: IO[str]) -> None:
    """Lock a file until it is closed; raises BlockingIOError if another process has locked it."""
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


def shard_file(out: Path, shard: int) -> Path:
    """Return the path of the rows of a shard during a build."""
    return out / WORK / f"shard-{shard:05d}.arrow"


def part_files(out: Path) -> list[Path]:
    """Return the files that a build has of its states, in order."""
    return sorted((out / STATES).glob("part-*.parquet"))


def write_shard(plan: Plan, out: Path, number: int) -> None:
    """Judge shard `number` and write it, with its summary.

    A shard that is there is not judged again: a task that lost its worker is given
    to another one as a whole.
    """
    if _summary(out, number) is not None:
        return
    started = time.process_time()
    shard = judged_shard(plan, number)
    table, sink = shard.table(), BytesIO()
    used, reached = time.process_time() - started, sorted(shard.reached)
    summary = Summary(number, len(table), shard.generated, shard.traces, reached, used)
    table = table.replace_schema_metadata({_SUMMARY: json.dumps(asdict(summary))})
    feather.write_feather(table, sink, compression="lz4", chunksize=max(1, len(table)))
    replace_bytes(shard_file(out, number), sink.getvalue())


def read_shard(out: Path, number: int, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the rows of a shard, all columns or only some."""
    table = feather.read_table(shard_file(out, number), columns, memory_map=True, use_threads=False)
    return table.replace_schema_metadata(None)


def finished(plan: Plan, out: Path) -> dict[int, Summary]:
    """Return the shards that are on disk, which are complete: a shard gets its name when it is."""
    known = {number: _summary(out, number) for number in range(plan.shards())}
    return {number: summary for number, summary in known.items() if summary is not None}


def _summary(out: Path, number: int) -> Summary | None:
    """Return the summary of a shard that is on disk, None of one that is not, or is cut or another one."""
    try:
        with pa.memory_map(str(shard_file(out, number))) as source:
            loaded = json.loads(pa.ipc.open_file(source).schema.metadata[_SUMMARY])
        summary = Summary(**{**loaded, "reached": [Reached(*entry) for entry in loaded["reached"]]})
    except (OSError, KeyError, TypeError, ValueError):
        return None
    return summary if summary.shard == number else None


def sealed(out: Path) -> int:
    """Return the number of shards that are on disk, for a progress bar."""
    return sum(1 for path in (out / WORK).glob("shard-*.arrow"))


Kept = npt.NDArray[np.bool_]


def kept_of_each(plan: Plan, out: Path) -> list[Kept]:
    """Return for each shard which rows stay: of equal ids the first in plan order.

    This needs 60 bytes of memory per state.
    """
    columns = (read_shard(out, number, ["case_id"])["case_id"] for number in range(plan.shards()))
    ids = [np.asarray(column.to_pylist(), f"S{ID_BYTES}") for column in columns]
    return np.split(first_of_each(np.concatenate(ids)), np.cumsum([len(each) for each in ids])[:-1])


def first_of_each(ids: npt.NDArray[np.bytes_]) -> Kept:
    """Return True for each id that equals no earlier one."""
    first = np.zeros(len(ids), bool)
    first[np.unique(ids, return_index=True)[1]] = True
    return first


def write_part(out: Path, number: int, table: pa.Table) -> dict[str, Any]:
    """Write what is kept of a shard below ``work/``; return its entry in the manifest."""
    sink = BytesIO()
    # A dictionary of ids would hold every one of them.
    repeating = [column.name for column in table.schema if not pa.types.is_fixed_size_binary(column.type)]
    pq.write_table(table, sink, compression="zstd", write_statistics=False, use_dictionary=repeating)
    name, data = part_name(number), sink.getvalue()
    replace_bytes(out / WORK / name, data)
    return {"file": name, "rows": len(table), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
