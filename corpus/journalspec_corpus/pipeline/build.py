"""A whole build: plan, run what is missing, merge, count, seal with a manifest."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from journalspec.files import replace_text
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.pipeline import local
from journalspec_corpus.pipeline.manifest import (
    LICENSE,
    MANIFEST,
    PLAN_FILE,
    ManifestChanged,
    ManifestError,
    load,
)
from journalspec_corpus.pipeline.plan import EDITION, Plan, Progress
from journalspec_corpus.pipeline.store import (
    WORK,
    BuildError,
    Summary,
    alone,
    another_plan,
    clear_work,
    finished,
    merge,
    not_ours,
    prepare,
    remerge,
)
from journalspec_corpus.pipeline.tables import Reached, reached, tabulate
from journalspec_corpus.pipeline.verify import missing_parts
from journalspec_corpus.seal import render, sealed

ENGINES = ("local", "spark")
_AGAIN = "run the same command again"


@dataclass(frozen=True, slots=True)
class Builder:
    """Who does the work: ``local`` in `jobs` processes, or ``spark`` in `partitions` tasks."""

    name: str = "local"
    partitions: int | None = None
    master: str | None = None
    jobs: int = 1


def build(
    plan: Plan, out: Path, engine: Builder, progress: Progress = lambda done, total: None
) -> dict[str, Any]:
    """Build `plan` into `out` and return the manifest.

    Of a finished build all parts are looked at: what is missing or damaged is made
    again, and has to be what it was. `progress` is called with (shards done, shards
    in all). Raises BuildError.
    """
    ready = load_manifest(out)
    if ready is None:
        prepare(plan, out)
        with alone(out):
            return _build(plan, out, engine, progress)
    if ready["plan"] != plan.to_json():
        raise another_plan(out, ready["plan"])
    damaged = missing_parts(out, ready)
    if damaged or (out / WORK).exists() or not _has_plan(out, plan):
        replace_text(out / PLAN_FILE, render(plan.to_json()))
        prepare(plan, out)
        with alone(out):
            _mend(plan, out, ready, damaged, engine, progress)
            clear_work(out)
    return ready


def built_again(directory: Path, manifest: dict[str, Any], scratch: Path, engine: Builder) -> list[str]:
    """Build the plan of `manifest` once more, into `scratch`; return what comes out different there.

    Raises BuildError if this edition does not know the plan.
    """
    from journalspec_corpus.pipeline.published import publish_core  # noqa: PLC0415 - for this only

    try:
        plan = Plan.from_json(manifest["plan"])
    except (KeyError, TypeError) as error:
        raise BuildError(
            f"{directory}: the plan is not one of this edition: {error}", "use its edition"
        ) from None
    found = build(plan, scratch, engine)
    if "cases" in manifest:
        found = publish_core(plan, scratch, found, jobs=engine.jobs)
    names = sorted((found.keys() | manifest.keys()) - {"run", "seal"})
    return [
        f"{MANIFEST}: {name}: built again it is another one"
        for name in names
        if found.get(name) != manifest.get(name)
    ]


def load_manifest(out: Path) -> dict[str, Any] | None:
    """Return the manifest of a finished build, None if there is none; raises BuildError if it was changed."""
    try:
        return load(out)
    except ManifestChanged as error:
        if not (out / PLAN_FILE).exists():
            # Many things have a file of this name; it is not ours to say that it may go.
            raise not_ours(out) from None
        hint = f"remove {MANIFEST}: the same command then makes everything again"
        raise BuildError(str(error), hint) from None
    except ManifestError:
        return None


def _has_plan(out: Path, plan: Plan) -> bool:
    try:
        return (out / PLAN_FILE).read_bytes() == render(plan.to_json()).encode()
    except OSError:
        return False


def _build(plan: Plan, out: Path, engine: Builder, progress: Progress) -> dict[str, Any]:
    started = time.monotonic()
    total = plan.shards()
    workers, todo, have = _shards(plan, out, engine, range(total), progress)
    judged = time.monotonic() - started
    manifest = _manifest(plan, out, have, local.cores())
    manifest["run"] = {
        **_run_facts(engine, workers, time.monotonic() - started, len(todo), total),
        "judging_seconds": round(judged, 3),
        "cpu_seconds": round(sum(have[number].cpu for number in todo), 3),
    }
    manifest = sealed(manifest)
    replace_text(out / MANIFEST, render(manifest))
    clear_work(out)
    return manifest


def _shards(
    plan: Plan, out: Path, engine: Builder, wanted: range | list[int], progress: Progress
) -> tuple[int, list[int], dict[int, Summary]]:
    """Have the `wanted` shards on disk; return how many workers there were, who was made, and all."""
    have = finished(plan, out, local.cores())
    todo = [number for number in wanted if number not in have]
    before = len(wanted) - len(todo)
    progress(before, len(wanted))
    workers = _run(plan, out, engine, todo, lambda done: progress(before + done, len(wanted)))
    have = finished(plan, out, local.cores())
    missing = [number for number in wanted if number not in have]
    if missing:
        raise BuildError(f"{len(missing)} of {len(wanted)} shards are damaged", _AGAIN)
    return workers, todo, have


def _mend(
    plan: Plan, out: Path, manifest: dict[str, Any], damaged: list[int], engine: Builder, progress: Progress
) -> None:
    """Make the parts `damaged` of a finished build again; raises BuildError if they come out different."""
    if not damaged:
        return
    _, _, have = _shards(plan, out, engine, damaged, progress)
    for number in damaged:
        entry = manifest["parts"][number]
        sha256 = remerge(out, have[number], entry["sha256"])
        if sha256 != entry["sha256"]:
            run = manifest.get("run", {})
            made = ", ".join(f"{name} {run.get(name)}" for name in ("python", "numpy", "pyarrow"))
            raise BuildError(
                f"{out / entry['file']} is missing or damaged, and made again it is another one"
                f" (sha256 {sha256}, the manifest says {entry['sha256']}); nothing was replaced",
                f"the build was made with {made}: use these, or build into a new directory",
            )


def _manifest(plan: Plan, out: Path, have: dict[int, Summary], jobs: int) -> dict[str, Any]:
    """Merge the shards and return everything in the manifest that does not depend on who ran."""
    adapter = crash_format(plan.format)
    merged = merge(plan, out, have, jobs)
    generated = sum(entry.generated for entry in have.values())
    strict = next(iter(adapter.policies))
    sampled = sorted({name for entry in have.values() for name in entry.sampled})
    strata = tabulate(merged["seen"], merged["reached"], sampled, adapter.readers, strict)
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
        "sampled": sampled,
        "reached": told(merged["reached"] - reached(merged["seen"], adapter.readers)),
        "parts": merged["parts"],
    }


def told(entries: set[Reached]) -> list[str]:
    """Return who reaches what, as text: what the rows that were kept do not show."""
    return sorted("/".join(entry) for entry in entries)


def _run(plan: Plan, out: Path, engine: Builder, todo: list[int], progress: Callable[[int], None]) -> int:
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


def _run_facts(engine: Builder, workers: int, seconds: float, ran: int, total: int) -> dict[str, Any]:
    return {
        **asdict(engine),
        "workers": workers,
        "cores": local.cores(),
        "seconds": round(seconds, 3),
        "shards_run": ran,
        "shards": total,
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numpy", "pyarrow")},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
