"""A whole build: plan, run what is missing, merge, count, seal with a manifest."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from journalspec_corpus.crash.room import crash_room
from journalspec_corpus.pipeline import local
from journalspec_corpus.pipeline.manifest import LICENSE, MANIFEST, ManifestError, load
from journalspec_corpus.pipeline.merging import merge
from journalspec_corpus.pipeline.plan import EDITION, Plan
from journalspec_corpus.pipeline.store import (
    BuildError,
    Summary,
    alone,
    clear_work,
    finished,
    prepare,
    replace_text,
)
from journalspec_corpus.pipeline.tables import tabulate

ENGINES = ("local", "spark")


@dataclass(frozen=True, slots=True)
class Engine:
    """Who does the work: ``local`` in `jobs` processes, or ``spark`` in `partitions` tasks."""

    name: str = "local"
    partitions: int | None = None
    master: str | None = None
    jobs: int = 1


def build(
    plan: Plan, out: Path, engine: Engine, progress: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, Any]:
    """Build `plan` into `out` and return the manifest; a finished build is returned as it is.

    `progress` is called with (shards done, shards in all). Raises BuildError.
    """
    ready = load_manifest(out)
    if ready is not None and ready["plan"] == plan.to_json():
        return ready
    prepare(plan, out)
    with alone(out):
        return _build(plan, out, engine, progress)


def _build(plan: Plan, out: Path, engine: Engine, progress: Callable[[int, int], None]) -> dict[str, Any]:
    started = time.monotonic()
    have = finished(plan, out)
    total = plan.shards()
    todo = [number for number in range(total) if number not in have]
    progress(len(have), total)
    workers = _run(plan, out, engine, todo, lambda done: progress(len(have) + done, total))
    have = finished(plan, out)
    missing = [number for number in range(total) if number not in have]
    if missing:
        raise BuildError(f"{len(missing)} of {total} shards are damaged", "run the same command again")
    judged = time.monotonic() - started
    manifest = _manifest(plan, out, have, local.cores())
    manifest["run"] = {
        **_run_facts(engine, workers, time.monotonic() - started, len(todo), total),
        "judging_seconds": round(judged, 3),
        "cpu_seconds": round(sum(have[number].cpu for number in todo), 3),
    }
    replace_text(out / MANIFEST, json.dumps(manifest, indent=2) + "\n")
    clear_work(out)
    return manifest


def _manifest(plan: Plan, out: Path, have: dict[int, Summary], jobs: int) -> dict[str, Any]:
    """Merge the shards and return everything in the manifest that does not depend on who ran."""
    room = crash_room(plan.format)
    merged = merge(plan, out, have, jobs)
    generated = sum(entry.generated for entry in have.values())
    strict = next(iter(room.policies))
    sampled = {name for entry in have.values() for name in entry.sampled}
    strata = tabulate(merged["seen"], merged["reached"], sampled, room.readers, strict)
    return {
        "edition": EDITION,
        "license": LICENSE,
        "plan": plan.to_json(),
        "fingerprint": plan.fingerprint,
        "digest": merged["digest"],
        "counts": {
            "distinct": merged["distinct"],
            "generated": generated,
            "duplicates": generated - merged["distinct"],
            "traces": sum(entry.traces for entry in have.values()),
            "strata": {name: tables["distinct"] for name, tables in strata.items()},
        },
        "strict": strict,
        "strata": strata,
        "parts": merged["parts"],
    }


def load_manifest(out: Path) -> dict[str, Any] | None:
    """Return the manifest of a finished build, None if there is none."""
    try:
        return load(out)
    except ManifestError:
        return None


def _run(plan: Plan, out: Path, engine: Engine, todo: list[int], progress: Callable[[int], None]) -> int:
    """Run the engine and return how many workers it had."""
    if engine.name == "local":
        local.run(plan, out, todo, progress, jobs=engine.jobs)
        return engine.jobs
    if engine.name != "spark":
        raise BuildError(f"no engine {engine.name!r}", f"choose one of {', '.join(ENGINES)}")
    from journalspec_corpus.pipeline import spark as on_spark  # noqa: PLC0415  # PySpark is optional

    session = on_spark.session(engine.master)
    cores = session.sparkContext.defaultParallelism
    partitions = engine.partitions or min(len(todo) or 1, on_spark.TASKS_PER_CORE * cores)
    on_spark.run(plan, out, todo, progress, spark=session, partitions=partitions)
    return cores


def _run_facts(engine: Engine, workers: int, seconds: float, ran: int, total: int) -> dict[str, Any]:
    return {
        **asdict(engine),
        "workers": workers,
        "cores": local.cores(),
        "seconds": round(seconds, 3),
        "shards_run": ran,
        "shards": total,
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numpy", "pyarrow", "numba")},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
