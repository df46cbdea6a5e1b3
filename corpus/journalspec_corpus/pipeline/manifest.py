"""The manifest of a build: where it is, what its words mean, and the same for people to read.

Needs nothing that builds one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from journalspec.files import as_is
from journalspec_corpus.crash.trace import STRATA
from journalspec_corpus.seal import MAX_SEALED, SealError, opened

MANIFEST = "manifest.json"
PLAN_FILE = "plan.json"
#: The folder of the final parts, and that of a build under way.
STATES, WORK = "states", "work"
#: Under what everybody may use what is built.
LICENSE = "CC0-1.0"
_MEMBERS = frozenset({"plan", "counts", "strata", "digest", "parts"})


class ManifestError(Exception):
    """A directory holds no finished build, or none to be believed; the message says so and names it."""


class ManifestChanged(ManifestError):
    """There is a manifest, and it is not as it was written."""


def load(directory: Path) -> dict[str, Any]:
    """Return the manifest of the finished build in `directory`.

    Raises ManifestError if there is none, Changed if it is not what was sealed.
    """
    manifest, problems = look(directory)
    if problems:
        raise ManifestChanged(f"{directory / MANIFEST}: {problems[0]}")
    return manifest


def look(directory: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the manifest in `directory`, and what is wrong with its seal; raises ManifestError."""
    path = directory / MANIFEST
    try:
        with as_is(path) as stream:
            data = stream.read(MAX_SEALED + 1)
        if len(data) > MAX_SEALED:
            raise ManifestChanged(f"{path}: holds more than {MAX_SEALED} bytes, as no manifest does")
        loaded, problems = opened(data)
    except (FileNotFoundError, NotADirectoryError):
        if (directory / PLAN_FILE).is_file():
            raise ManifestError(f"{directory}: the build is not finished; the same command goes on") from None
        raise ManifestError(f"{directory}: no build: there is no {MANIFEST}") from None
    except (OSError, SealError) as error:
        raise ManifestChanged(
            f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    if not loaded.keys() >= _MEMBERS:
        raise ManifestChanged(f"{path}: not the manifest of a build of this edition")
    return loaded, problems


def part_name(number: int) -> str:
    """Return the name of part `number` of a build in its manifest."""
    return f"{STATES}/part-{number:05d}.parquet"


def digest_of_parts(parts: Iterable[Mapping[str, Any]]) -> str:
    """Return the digest of a build: the SHA-256 over names and checksums of its parts, in order."""
    lines = "".join(f"{Path(part['file']).name} {part['sha256']}\n" for part in parts)
    return hashlib.sha256(lines.encode()).hexdigest()


def rate(manifest: Mapping[str, Any]) -> float:
    """Return distinct cases per second of wall time, as far as they were made in this run."""
    run = manifest["run"]
    share = run["shards_run"] / max(1, run["shards"])
    return float(manifest["counts"]["distinct"] * share / max(run["seconds"], 1e-9))


def head(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was built, of how much, in which time and on what."""
    plan, counts, run = manifest["plan"], manifest["counts"], manifest["run"]
    every = f", each {plan['every']}-th workload" if plan["every"] > 1 else ""
    yield f"{plan['format']}, tier {plan['tier']}{every}; edition {manifest['edition']}"
    yield f"seed {plan['seed']}, plan {manifest['fingerprint']}, digest {manifest['digest']}"
    yield f"presets: {', '.join(plan['presets'])}"
    yield f"{counts['distinct']:,} distinct judged cases"
    classes = sum(len(tables["classes"]) for tables in manifest["strata"].values())
    yield (
        f"  of {counts['generated']:,} generated ({counts['duplicates']:,} duplicates removed),"
        f" {counts['traces']:,} traces, {classes:,} classes"
    )
    part = "" if run["shards_run"] == run["shards"] else f"; {run['shards_run']} of {run['shards']} shards"
    yield (
        f"  {run['seconds']:.1f} s of wall time, {run['cpu_seconds']:.1f} s of processor time,"
        f" {run['workers']} worker(s) on {run['cores']} cores ({run['name']}{part}):"
        f" {rate(manifest):,.0f} cases/s, start-up included"
    )


def as_json(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was counted as a JSON object; classes apart, as in the manifest."""
    keys = ("edition", "plan", "fingerprint", "digest", "counts", "run", "strict")
    strata = {name: {**tables, "meaning": STRATA[name]} for name, tables in manifest["strata"].items()}
    return {
        **{key: manifest[key] for key in keys},
        "cases_per_second": round(rate(manifest)),
        "strata": strata,
    }
