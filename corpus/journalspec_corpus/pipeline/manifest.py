"""The manifest of a build: where it is, what its words mean, and the same for people to read.

Needs nothing that builds one.
"""

from __future__ import annotations

import hashlib
from collections import Counter
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
    """Return how part `number` of a build is called in its manifest."""
    return f"{STATES}/part-{number:05d}.parquet"


def digest_of_parts(parts: Iterable[Mapping[str, Any]]) -> str:
    """Return the digest of a build: the SHA-256 over names and checksums of its parts, in order."""
    lines = "".join(f"{Path(part['file']).name} {part['sha256']}\n" for part in parts)
    return hashlib.sha256(lines.encode()).hexdigest()


class BuildReport:
    """A finished build as its `manifest` tells it."""

    def __init__(self, manifest: dict[str, Any]) -> None:
        self.manifest = manifest
        self.strata: dict[str, dict[str, Any]] = {
            name: manifest["strata"][name] for name in STRATA if name in manifest["strata"]
        }

    @property
    def strict(self) -> str:
        """The reader that refuses where it may."""
        return str(self.manifest["strict"])

    @property
    def safe_under(self) -> list[dict[str, Any]]:
        """For each writer and edition, the weakest preset under which nothing breaks."""
        return [row for tables in self.strata.values() for row in tables.get("safe_under", ())]

    def head(self) -> Iterator[str]:
        """Yield what was built, of how much, in which time and on what."""
        plan, counts, run = self.manifest["plan"], self.manifest["counts"], self.manifest["run"]
        every = f", each {plan['every']}-th workload" if plan["every"] > 1 else ""
        yield f"{plan['format']}, tier {plan['tier']}{every}; edition {self.manifest['edition']}"
        yield f"seed {plan['seed']}, plan {self.manifest['fingerprint']}, digest {self.manifest['digest']}"
        yield f"presets: {', '.join(plan['presets'])}"
        yield f"{counts['distinct']:,} distinct judged cases"
        classes = sum(len(tables["classes"]) for tables in self.strata.values())
        yield (
            f"  of {counts['generated']:,} generated ({counts['duplicates']:,} duplicates removed),"
            f" {counts['traces']:,} traces, {classes:,} classes"
        )
        part = (
            "" if run["shards_run"] == run["shards"] else f"; {run['shards_run']} of {run['shards']} shards"
        )
        yield (
            f"  {run['seconds']:.1f} s of wall time, {run['cpu_seconds']:.1f} s of processor time,"
            f" {run['workers']} worker(s) on {run['cores']} cores ({run['name']}{part}):"
            f" {self.rate():,.0f} cases/s, start-up included"
        )

    def rate(self) -> float:
        """Return distinct cases per second of wall time, as far as they were made in this run."""
        run = self.manifest["run"]
        share = run["shards_run"] / max(1, run["shards"])
        return float(self.manifest["counts"]["distinct"] * share / max(run["seconds"], 1e-9))

    def verdicts(self, stratum: str, reader: str) -> dict[str, int]:
        """Return the verdicts on one reader in one class, all writers together."""
        total: Counter[str] = Counter()
        for given in self.strata[stratum]["verdicts"][reader].values():
            total.update(given)
        return dict(sorted(total.items()))

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON object; classes apart, as in the manifest."""
        keys = ("edition", "plan", "fingerprint", "digest", "counts", "run")
        return {
            **{key: self.manifest[key] for key in keys},
            "cases_per_second": round(self.rate()),
            "strict": self.strict,
            "strata": {name: {**tables, "meaning": STRATA[name]} for name, tables in self.strata.items()},
        }
