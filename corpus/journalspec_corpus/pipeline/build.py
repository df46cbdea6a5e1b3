"""A whole build: plan, run what is missing, merge, count, seal with a manifest."""

from __future__ import annotations

import json
import os
import platform
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from journalspec_corpus.crash.judge import VERDICTS
from journalspec_corpus.crash.model import PRESETS, rank
from journalspec_corpus.crash.room import crash_room
from journalspec_corpus.pipeline import local
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.store import (
    BuildError,
    clear_work,
    finished,
    merge,
    prepare,
    replace_text,
)

ENGINES = ("local", "spark")
MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Engine:
    """Who does the work: ``local`` or ``spark``, and for Spark in how many partitions."""

    name: str = "local"
    partitions: int | None = None
    master: str | None = None


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
    counts = merge(plan, out)
    summaries = list(have.values())
    counts["traces"] = sum(entry.traces for entry in summaries)
    counts["generated"] = sum(entry.generated for entry in summaries)
    counts["duplicates"] = counts["generated"] - counts["distinct"]
    manifest = {
        "plan": plan.to_json(),
        "fingerprint": plan.fingerprint,
        "digest": counts.pop("digest"),
        "counts": counts,
        **tabulate(plan, out),
        "run": {
            **_run_facts(engine, workers, time.monotonic() - started, len(todo), total),
            "cpu_seconds": round(sum(have[number].cpu for number in todo), 3),
        },
    }
    replace_text(out / MANIFEST, json.dumps(manifest, indent=2) + "\n")
    clear_work(out)
    return manifest


def load_manifest(out: Path) -> dict[str, Any] | None:
    """Return the manifest of a finished build, None if there is none."""
    try:
        loaded: dict[str, Any] = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return loaded


def _run(plan: Plan, out: Path, engine: Engine, todo: list[int], progress: Callable[[int], None]) -> int:
    """Run the engine and return how many workers it had."""
    if engine.name == "local":
        local.run(plan, out, todo, progress)
        return 1
    if engine.name != "spark":
        raise BuildError(f"no engine {engine.name!r}", f"choose one of {', '.join(ENGINES)}")
    from journalspec_corpus.pipeline import spark as on_spark  # noqa: PLC0415  # PySpark is optional

    session = on_spark.session(engine.master)
    cores = session.sparkContext.defaultParallelism
    partitions = engine.partitions or min(len(todo) or 1, 2 * cores)
    on_spark.run(plan, out, todo, progress, spark=session, partitions=partitions)
    return cores


def _run_facts(engine: Engine, workers: int, seconds: float, ran: int, total: int) -> dict[str, Any]:
    return {
        **asdict(engine),
        "workers": workers,
        "cores": os.cpu_count(),
        "seconds": round(seconds, 3),
        "shards_run": ran,
        "shards": total,
        "python": platform.python_version(),
        "pyarrow": pa.__version__,
    }


def tabulate(plan: Plan, out: Path) -> dict[str, Any]:
    """Return the counted tables of a manifest: classes, categories, presets, verdicts, weakest links."""
    readers = crash_room(plan.format).readers
    columns = ["writer", "category", "background", "field", "acknowledged", "preset", "refusal"]
    columns += [f"verdict_{name}" for name in readers]
    seen: Counter[tuple[Any, ...]] = Counter()
    for path in sorted((out / "states").glob("part-*.parquet")):
        table = pq.read_table(path, columns=columns)
        plain = [
            pc.cast(table[name], pa.string()) if name != "acknowledged" else table[name] for name in columns
        ]
        grouped = pa.table(plain, names=columns).group_by(columns).aggregate([([], "count_all")])
        for row in grouped.to_pylist():
            seen[tuple(row[name] for name in columns)] += row["count_all"]
    return _tables(seen, readers)


def _tables(seen: Counter[tuple[Any, ...]], readers: tuple[str, ...]) -> dict[str, Any]:
    classes: Counter[str] = Counter()
    categories: Counter[str] = Counter()
    presets: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    verdicts: dict[str, dict[str, Counter[str]]] = {name: {} for name in readers}
    failing: Counter[tuple[str, str, str, str]] = Counter()
    for (writer, category, background, field, acknowledged, preset, refusal, *given), count in seen.items():
        classes["/".join((category, background, field or "-", "acked" if acknowledged else "fresh"))] += count
        categories[category] += count
        presets[preset] += count
        refusals[refusal] += count
        for reader, verdict in zip(readers, given, strict=True):
            verdicts[reader].setdefault(writer, Counter())[verdict] += count
            if VERDICTS[verdict]:
                failing[writer, reader, verdict, preset] += count
    return {
        "classes": dict(sorted(classes.items())),
        "categories": dict(sorted(categories.items())),
        "presets": {preset.name: presets[preset.name] for preset in PRESETS},
        "refusals": dict(sorted(refusals.items())),
        "verdicts": {
            reader: {writer: dict(sorted(of.items())) for writer, of in sorted(by.items())}
            for reader, by in verdicts.items()
        },
        "failures": _failures(failing),
    }


def _failures(failing: Counter[tuple[str, str, str, str]]) -> list[dict[str, Any]]:
    """Return each kind of failure with the strongest guarantee under which it still happens."""
    kinds = sorted({key[:3] for key in failing})
    out = []
    for kind in kinds:
        by = {key[3]: count for key, count in failing.items() if key[:3] == kind}
        strongest = min(by, key=rank)
        writer, reader, verdict = kind
        out.append(
            {
                "writer": writer,
                "reader": reader,
                "verdict": verdict,
                "breaks": list(VERDICTS[verdict]),
                "strongest_preset": strongest,
                "states": {name: by[name] for name in sorted(by, key=rank)},
            }
        )
    return out
