"""Performs a complete build: plan, run the missing shards, merge, count, publish, and seal with a manifest.

A build directory contains ``plan.json``, during the build ``work/``, and at the end ``states/part-*.parquet``
and ``manifest.json``. Except for the manifest's members ``run`` and ``seal``, all files are the same, byte
for byte, on every machine.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import platform
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any, TypeVar

import pyarrow as pa

from journalspec.files import PARTIAL, Unfit, read_bytes, replace_text
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.pipeline.failures import plan_of
from journalspec_corpus.pipeline.manifest import (
    LICENSE,
    MANIFEST,
    PLAN_FILE,
    STATES,
    WORK,
    ManifestChanged,
    ManifestError,
    damaged,
    digest_of_parts,
    load,
)
from journalspec_corpus.pipeline.plan import EDITION, Plan
from journalspec_corpus.pipeline.published import CoreChoice, choose, columns_of, publish, write_cases
from journalspec_corpus.pipeline.shards import (
    BuildError,
    Kept,
    ShardsDone,
    Summary,
    finished,
    kept_of_each,
    read_shard,
    tried,
    write_part,
    write_shard,
)
from journalspec_corpus.pipeline.tables import Counts, counted, tabulate
from journalspec_corpus.seal import MAX_SEALED, render, sealed
from journalspec_corpus.workers import WorkerDied, results

_ANEW = "then repeat the command, which builds everything again"
Result = TypeVar("Result")
#: A function that is called with the current step, its progress, and the total.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Builder:
    """Represents the engine of a build: ``local`` in `jobs` processes, or ``spark`` in `partitions` tasks."""

    name: str = "local"
    partitions: int | None = None
    master: str | None = None
    jobs: int = 1


def build(
    plan: Plan, out: Path, engine: Builder, progress: Progress = lambda what, done, total: None
) -> dict[str, Any]:
    """Build `plan` into `out` and return the manifest; for a finished build, the existing one.

    Raises BuildError, also if files of a finished build are missing or damaged.
    """
    known = load_manifest(out)
    if known is not None:
        if known["plan"] != plan.to_json():
            raise another_plan(out, known["plan"])
        for name in damaged(out, known):
            raise BuildError(f"{out / name} is missing or damaged", f"remove {MANIFEST}: {_ANEW}")
        if not (out / WORK).exists() and _has_plan(out, plan):
            return known
        replace_text(out / PLAN_FILE, render(plan.to_json()))
    prepare(plan, out)
    with alone(out):
        known = known or _build(plan, out, engine, progress)
        shutil.rmtree(out / WORK)
    return known


def prepare(plan: Plan, out: Path) -> None:
    """Create or reuse the build directory `out`; raises BuildError if it contains something else."""
    stored = out / PLAN_FILE
    if stored.exists():
        _same_plan(plan, stored)
    elif out.exists() and (not out.is_dir() or not all(map(_left, out.iterdir()))):
        raise not_ours(out)
    out.mkdir(parents=True, exist_ok=True)
    # The plan is written first, because it shows that the directory belongs to a build, even if the build is
    # killed.
    replace_text(stored, render(plan.to_json()))
    (out / WORK).mkdir(exist_ok=True)


def not_ours(out: Path) -> BuildError:
    """Return the error for a directory `out` that contains something other than a build."""
    return BuildError(f"{out} exists and is not a build directory", "choose an empty or new directory")


def _left(path: Path) -> bool:
    """Return whether this is the unfinished file of a killed process, which has a name on some systems."""
    return path.name.startswith(".") and path.name.endswith(PARTIAL)


def _same_plan(plan: Plan, stored: Path) -> None:
    """Raise BuildError if the file `stored` does not contain `plan`."""
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
    """Return the error for a directory `out` that contains a build of another plan, `known`."""
    names = ("format", "tier", "seed", "every", "version")
    told = ", ".join(f"{name} {known.get(name)!r:.40}" for name in names)
    return BuildError(
        f"{out} holds a build of another plan ({told})", "choose another directory, or remove this one"
    )


@contextlib.contextmanager
def alone(out: Path) -> Iterator[None]:
    """Lock `out` against other builds; raises BuildError if one is running there."""
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
        import fcntl  # noqa: PLC0415  # not on every system
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        # Some network file systems have no locks. Without a lock, two builds of the same plan still write the
        # same bytes.
        return


def built_again(directory: Path, manifest: dict[str, Any], scratch: Path, engine: Builder) -> list[str]:
    """Build the plan of `manifest` once more, into `scratch`; return the differences.

    Raises ManifestError if this version does not know the plan.
    """
    found = build(plan_of(directory), scratch, engine)
    return [
        f"{MANIFEST}: {name}: the repeated build has another value"
        for name in sorted((found.keys() | manifest.keys()) - {"run", "seal"})
        if found.get(name) != manifest.get(name)
    ]


def load_manifest(out: Path) -> dict[str, Any] | None:
    """Return the manifest of a finished build, None if there is none; raises BuildError if it was changed."""
    try:
        return load(out)
    except ManifestChanged as error:
        if not (out / PLAN_FILE).exists():
            # Other programs also write files with this name: without a plan next to it, the file does not
            # belong to a build.
            raise not_ours(out) from None
        raise BuildError(str(error), f"remove {MANIFEST}: {_ANEW}") from None
    except ManifestError:
        return None


def _has_plan(out: Path, plan: Plan) -> bool:
    try:
        return (out / PLAN_FILE).read_bytes() == render(plan.to_json()).encode()
    except OSError:
        return False


def _build(plan: Plan, out: Path, engine: Builder, progress: Progress) -> dict[str, Any]:
    """Create all files of a build below ``work/``, and move them to their places, the manifest last."""
    started = time.monotonic()
    total = plan.shards()
    show = partial(progress, f"{plan.tier}: shards")
    have = finished(plan, out)
    todo = [number for number in range(total) if number not in have]
    show(total - len(todo), total)
    workers = _run(plan, out, engine, todo, lambda done: show(total - len(todo) + done, total))
    have = finished(plan, out)
    if len(have) < total:
        raise BuildError(f"{total - len(have)} of {total} shards are damaged", "run the same command again")
    manifest, cases = _merged(plan, out, have, engine.jobs, partial(progress, f"{plan.tier}: cases"))
    run = {
        **asdict(engine),
        "workers": workers,
        "cores": cores(),
        "seconds": round(time.monotonic() - started, 3),
        "cpu_seconds": round(sum(have[number].cpu for number in todo), 3),
        "shards_run": len(todo),
        "shards": total,
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numpy", "pyarrow")},
    }
    (out / STATES).mkdir(exist_ok=True)
    for name in [*(part["file"] for part in manifest["parts"]), *cases.get("files", ())]:
        (out / WORK / name).replace(out / name)
    made = sealed({**manifest, "run": run, **({"cases": cases} if cases else {})})
    replace_text(out / MANIFEST, render(made))
    return made


def _merged(
    plan: Plan, out: Path, have: dict[int, Summary], jobs: int, show: Callable[[int, int], None]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write the parts and the cases; return the manifest's entries about both, the same for every engine."""
    readers, total = crash_format(plan.format).readers, plan.shards()
    kept, choice = kept_of_each(plan, out), CoreChoice(frozenset(), {})
    if plan.tier == "core":
        columns = columns_of(readers)
        tables = (read_shard(out, at, columns).filter(pa.array(rows)) for at, rows in enumerate(kept))
        choice = choose(tables, readers)
    (out / WORK / STATES).mkdir(exist_ok=True)
    show(0, total)
    work = partial(_finish, plan, out, kept, choice.ids)
    done = each_shard(
        work, plan.longest_first(range(total)), jobs, lambda number: show(number, total)
    ).values()
    parts, counts, published = zip(*done, strict=True)
    seen = sum(counts, Counts())
    generated = sum(entry.generated for entry in have.values())
    who = {entry for summary in have.values() for entry in summary.reached}
    strata = tabulate(seen, who, readers, readers[0])
    cases = publish(plan, out, choice, published) if plan.tier == "core" else {}
    manifest = {
        "edition": EDITION,
        "license": LICENSE,
        "plan": plan.to_json(),
        "fingerprint": plan.fingerprint,
        "digest": digest_of_parts(parts),
        "counts": {
            "distinct": sum(seen.values()),
            "generated": generated,
            "duplicates": generated - sum(seen.values()),
            "traces": sum(entry.traces for entry in have.values()),
            "strata": {name: tables["distinct"] for name, tables in strata.items()},
        },
        "strict": readers[0],
        "strata": strata,
        "parts": [*parts],
    }
    return manifest, cases


def _finish(
    plan: Plan, out: Path, kept: list[Kept], chosen: frozenset[bytes], number: int
) -> tuple[dict[str, Any], Counts, Counter[tuple[str, str]]]:
    """Write part and cases of shard `number`; return the manifest's entry, and counts of labels and cases."""
    table = read_shard(out, number).filter(pa.array(kept[number]))
    cases = chosen.intersection(table["case_id"].to_pylist())
    published = write_cases(plan, out, cases, number) if plan.tier == "core" else Counter[tuple[str, str]]()
    return write_part(out, number, table), counted(table), published


def _run(plan: Plan, out: Path, engine: Builder, todo: list[int], progress: ShardsDone) -> int:
    """Run the engine and return how many workers it had."""
    if engine.name == "local":
        each_shard(partial(write_shard, plan, out), plan.longest_first(todo), engine.jobs, progress)
        return engine.jobs
    from journalspec_corpus.pipeline import spark as on_spark  # noqa: PLC0415  # PySpark is optional

    session = on_spark.session(engine.master)
    cores = session.sparkContext.defaultParallelism
    partitions = engine.partitions or min(len(todo) or 1, on_spark.TASKS_PER_CORE * cores)
    on_spark.run(plan, out, todo, progress, session, partitions)
    return cores


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each_shard(
    work: Callable[[int], Result],
    shards: Sequence[int],
    jobs: int = 1,
    progress: ShardsDone = lambda done: None,
) -> dict[int, Result]:
    """Return the result of `work` for each of `shards`, sorted; with more than one job, `work` is pickled.

    Raises BuildError if a worker dies or cannot write, OSError if this process cannot.
    """
    found: dict[int, Result] = {}
    if jobs <= 1 or len(shards) <= 1:
        for number in shards:
            found[number] = work(number)
            progress(len(found))
        return dict(sorted(found.items()))
    try:
        with contextlib.closing(results(partial(_worker, work), shards, jobs)) as done:
            for at, answer in done:
                found[shards[at]] = answer
                progress(len(found))
    except WorkerDied as error:
        raise BuildError(str(error), "finished parts are kept: repeat the same command to continue") from None
    return dict(sorted(found.items()))


@contextlib.contextmanager
def _worker(work: Callable[[int], Result]) -> Iterator[Callable[[int], Any]]:
    """Return the function that a worker calls for each shard."""
    # Fewer garbage collections save time, because many workloads and cached answers stay alive.
    gc.set_threshold(100_000, 50, 100)
    yield partial(tried, work)
