"""How fast the pipeline judges distinct states, with every denominator printed.

Run as ``python -m journalspec_corpus.pipeline.bench`` or ``journalspec corpus bench``. Whole builds
are timed here, by the wall clock; what a single state costs, :mod:`.costs` measures.
The clock starts when Spark is up and code has been compiled; that the local engine
starts its processes counts. It stops when the final files and the manifest are on disk.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from journalspec.formats import format_ids
from journalspec_corpus.crash.adapter import has_crash_format
from journalspec_corpus.pipeline import costs, local
from journalspec_corpus.pipeline.build import ENGINES, Builder, build
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.store import BuildError

#: Distinct judged states per second on two cores that a build has to reach, and should.
BAR, AIM = 20_000, 100_000


@dataclass(frozen=True, slots=True)
class Measured:
    """One measurement; `manifest` is the build's own account of what was done."""

    start_up: float
    warm_up: float
    seconds: float
    builder: float
    load: float
    manifest: dict[str, Any]

    @property
    def rate(self) -> float:
        """Distinct judged states per second."""
        return float(self.manifest["counts"]["distinct"]) / self.seconds

    def to_json(self) -> dict[str, Any]:
        """Return the figures with their denominators."""
        counts, facts = self.manifest["counts"], self.manifest["run"]
        return {
            "distinct_per_second": round(self.rate),
            "bar": BAR,
            "aim": AIM,
            "of_bar": round(self.rate / BAR, 2),
            "of_aim": round(self.rate / AIM, 2),
            "seconds": round(self.seconds, 2),
            "worker_cpu_seconds": round(facts["cpu_seconds"], 2),
            "builder_cpu_seconds": round(self.builder, 2),
            "distinct_per_worker_cpu_second": round(counts["distinct"] / max(facts["cpu_seconds"], 1e-9)),
            "start_up_seconds": round(self.start_up, 2),
            "warm_up_seconds": round(self.warm_up, 2),
            "distinct": counts["distinct"],
            "generated": counts["generated"],
            "duplicates": counts["duplicates"],
            "traces": counts["traces"],
            "classes": sum(len(tables["classes"]) for tables in self.manifest["strata"].values()),
            "judgements_per_state": max(
                len(tables["verdicts"]) for tables in self.manifest["strata"].values()
            ),
            "engine": facts["name"],
            "workers": facts["workers"],
            "cores": facts["cores"],
            "load_at_start": round(self.load, 2),
            "strata": counts["strata"],
            "presets": {name: tables["presets"] for name, tables in self.manifest["strata"].items()},
            "plan": self.manifest["plan"],
            "digest": self.manifest["digest"],
        }


def measure(plan: Plan, engine: Builder) -> Measured:
    """Start the engine, warm its workers up, and time one build of `plan` from nothing."""
    with tempfile.TemporaryDirectory(prefix="journalspec-bench-") as scratch:
        began = time.monotonic()
        if engine.name == "spark":
            from journalspec_corpus.pipeline.spark import session  # noqa: PLC0415  # PySpark is optional

            session(engine.master)
        up = time.monotonic()
        build(Plan(plan.format, plan.tier, every=plan.every * 40), Path(scratch) / "warm", engine)
        warm = time.monotonic()
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        started, spent = time.monotonic(), time.process_time()
        manifest = build(plan, Path(scratch) / "run", engine)
        own = time.process_time() - spent
        return Measured(up - began, warm - up, time.monotonic() - started, own, load, manifest)


def describe(measured: Measured) -> str:
    """Return the figures as text, one per line."""
    figures = measured.to_json()
    lines = [
        f"{figures['engine']}: {figures['distinct_per_second']:,} distinct judged states per second"
        f" = {figures['of_bar']} x the bar of {BAR:,},"
        f" {figures['of_aim']} x the aim of {AIM:,}",
        f"  {figures['distinct']:,} distinct of {figures['generated']:,} generated"
        f" ({figures['duplicates']:,} duplicates), {figures['traces']:,} traces,"
        f" {figures['classes']} classes,"
        f" {figures['judgements_per_state']} readers each",
        f"  in {figures['seconds']} s on {figures['cores']} cores ({figures['engine']},"
        f" {figures['workers']} workers), load {figures['load_at_start']} at the start;"
        f" {figures['worker_cpu_seconds']} s of processor time in the workers"
        f" ({figures['distinct_per_worker_cpu_second']:,} per second of it, whatever else the machine did),"
        f" {figures['builder_cpu_seconds']} s in the process that merges;"
        f" start-up {figures['start_up_seconds']} s and warm-up {figures['warm_up_seconds']} s not counted",
        f"  plan {json.dumps(figures['plan'])}",
        *(
            f"  stratum {stratum}, states per preset: "
            + ", ".join(f"{name} {count:,}" for name, count in presets.items() if count)
            for stratum, presets in figures["presets"].items()
        ),
        f"  digest {figures['digest']}",
    ]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return 0 if builds reach the bar, 1 if not, 2 if none was measured."""
    formats = [name for name in format_ids() if has_crash_format(name)]
    parser = argparse.ArgumentParser(prog="journalspec corpus bench", description=__doc__)
    parser.add_argument("--format", choices=(*formats, "all"), default=formats[0])
    parser.add_argument("--only", choices=("builds", "costs"), help="builds as a whole, or single states")
    parser.add_argument("--engine", choices=("both", *ENGINES), default="both", help="of builds")
    parser.add_argument(
        "--jobs", type=int, default=local.cores(), help="of the local engine; default: all cores"
    )
    parser.add_argument("--partitions", type=int, help="of Spark")
    parser.add_argument("--tier", choices=("core", "full"), default="full")
    parser.add_argument("--every", type=int, default=31, help="of builds: each n-th workload (default 31)")
    parser.add_argument(
        "--states",
        type=int,
        default=20_000,
        help="of each stratum, for costs (default 20000)",
    )
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    told: dict[str, Any] = {}
    reached: list[bool] = []
    for name in formats if chosen.format == "all" else [chosen.format]:
        told[name], enough = _format_figures(Plan(name, chosen.tier, every=chosen.every), chosen)
        reached += enough
    if chosen.json:
        print(json.dumps(told if chosen.format == "all" else told[chosen.format], indent=2))
    if chosen.only != "costs" and not reached:
        return 2
    return 0 if all(reached) else 1


def _format_figures(plan: Plan, chosen: argparse.Namespace) -> tuple[dict[str, Any], list[bool]]:
    """Return the figures of a format, and for each build whether it reached the bar; print them."""
    out: dict[str, Any] = {}
    found: dict[str, Measured] = {}
    if chosen.only != "builds":
        out["costs"] = costs.measured(plan, chosen.states)
        if not chosen.json:
            print(costs.described(out["costs"]))
    names = ENGINES if chosen.engine == "both" else (chosen.engine,)
    for name in names if chosen.only != "costs" else ():
        try:
            found[name] = measure(plan, Builder(name, chosen.partitions, jobs=chosen.jobs))
        except BuildError as error:
            print(f"{name}: not measured: {error}\n{error.hint}", file=sys.stderr)
            continue
        if not chosen.json:
            print(describe(found[name]))
    builds = {name: measured.to_json() for name, measured in found.items()}
    out |= builds if chosen.engine == "both" else next(iter(builds.values()), {})
    return out, [measured.rate >= BAR for measured in found.values()]


if __name__ == "__main__":
    raise SystemExit(main())
