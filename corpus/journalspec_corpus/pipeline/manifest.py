"""The manifest of a build: its members, and the check of a build against it.

This module imports no module that builds. Every bit is checked: the manifest is sealed, contains the plan,
and contains the checksums of all other files; unknown files are reported. Only a second build shows whether
the plan leads to these files and counts (:func:`.build.built_again`). A directory may be hostile: only
regular files are opened, and a file is read only if its size is within the limit for its kind.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from journalspec.files import as_is, shown
from journalspec_corpus.crash.trace import STRATA
from journalspec_corpus.load import CASES
from journalspec_corpus.seal import MAX_SEALED, SealError, checksum, opened, render

MANIFEST = "manifest.json"
PLAN_FILE = "plan.json"
#: The folder of the final parts, and the folder of an unfinished build.
STATES, WORK = "states", "work"
#: The licence of the built files.
LICENSE = "CC0-1.0"
_MEMBERS = frozenset({"plan", "counts", "strata", "digest", "parts"})


class ManifestError(Exception):
    """A directory contains no finished build, or an unusable manifest. The message contains the directory."""


class ManifestChanged(ManifestError):
    """The manifest has been changed since it was sealed."""


def load(directory: Path) -> dict[str, Any]:
    """Return the manifest of the finished build in `directory`.

    Raises ManifestError if there is none, ManifestChanged if it was changed after it was sealed.
    """
    manifest, problems = look(directory)
    if problems:
        raise ManifestChanged(f"{directory / MANIFEST}: {problems[0]}")
    return manifest


def look(directory: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the manifest in `directory`, and the fault of its seal; raises ManifestError."""
    path = directory / MANIFEST
    try:
        with as_is(path) as stream:
            data = stream.read(MAX_SEALED + 1)
        if len(data) > MAX_SEALED:
            raise ManifestChanged(f"{path}: more than {MAX_SEALED} bytes, which is larger than any manifest")
        loaded, problems = opened(data)
    except (FileNotFoundError, NotADirectoryError):
        if (directory / PLAN_FILE).is_file():
            raise ManifestError(
                f"{directory}: the build is not finished; the same command continues it"
            ) from None
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


def part_files(out: Path) -> list[Path]:
    """Return the files with the states of a build, in order."""
    return sorted((out / STATES).glob("part-*.parquet"))


def digest_of_parts(parts: Iterable[Mapping[str, Any]]) -> str:
    """Return the digest of a build: a SHA-256 over the names and checksums of its parts, in order."""
    lines = "".join(f"{Path(part['file']).name} {part['sha256']}\n" for part in parts)
    return hashlib.sha256(lines.encode()).hexdigest()


def rate(manifest: Mapping[str, Any]) -> float:
    """Return distinct cases per second of wall time, without cases of an earlier, interrupted run."""
    run = manifest["run"]
    share = run["shards_run"] / max(1, run["shards"])
    return float(manifest["counts"]["distinct"] * share / max(run["seconds"], 1e-9))


def head(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines about a build: its counts, its time and its machine."""
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
    """Return the counts as a JSON object; one entry per class, as in the manifest."""
    keys = ("edition", "plan", "fingerprint", "digest", "counts", "run", "strict")
    strata = {name: {**tables, "meaning": STRATA[name]} for name, tables in manifest["strata"].items()}
    return {
        **{key: manifest[key] for key in keys},
        "cases_per_second": round(rate(manifest)),
        "strata": strata,
    }


#: The largest size of a part or a file of cases (bytes); the largest existing files have some millions.
MAX_FILE = 1 << 30
#: At most this many problems of one kind are listed; more are only counted.
LISTED = 5
#: The errors that a malformed manifest may raise.
ILL_FORMED = (KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError, RecursionError)


@dataclass
class Verified:
    """The result of a check: the checked files, and each difference from the manifest."""

    checked: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add(self, found: Collection[str], where: str) -> None:
        """Add problems of one kind; if there are many, only the first ones and the number of the others."""
        self.problems += map(shown, list(found)[:LISTED])
        if len(found) > LISTED:
            self.problems.append(f"{where}: and {len(found) - LISTED} more of that kind")


def verify(directory: Path) -> Verified:
    """Check everything in a finished build against its manifest; raises ManifestError if there is none.

    If only the published cases were downloaded, absent parts are not a problem.
    """
    out = Verified()
    try:
        manifest, problems = look(directory)
    except ManifestChanged as error:
        return Verified(problems=[shown(str(error))])
    out.add([f"{MANIFEST}: {problem}" for problem in problems], MANIFEST)
    for check in (_plan, _files):
        try:
            check(directory, manifest, out)
        except ILL_FORMED as error:
            why = f"{type(error).__name__}: {error!s:.200}"
            out.add([f"{MANIFEST}: not of the form of a manifest: {why}"], MANIFEST)
        except MemoryError:
            out.add([f"{directory}: needs more memory than any build of this edition"], MANIFEST)
    return out


def _plan(directory: Path, manifest: dict[str, Any], out: Verified) -> None:
    plan = manifest["plan"]
    text = json.dumps(plan, sort_keys=True)
    if hashlib.blake2b(text.encode(), digest_size=16).hexdigest() != manifest["fingerprint"]:
        out.add([f"{MANIFEST}: the fingerprint is not the plan's"], MANIFEST)
    if manifest.get("license") != LICENSE:
        out.add([f"{MANIFEST}: the licence is {manifest.get('license')!r:.80}, not {LICENSE!r}"], MANIFEST)
    stored = directory / PLAN_FILE
    if not _there(stored) and not _there(directory / STATES):
        return
    written = render(plan).encode()
    try:
        found = checksum(stored, MAX_FILE)
    except OSError as error:
        out.add([f"{PLAN_FILE}: {error.strerror or error}; `corpus build` writes it again"], PLAN_FILE)
        return
    if found != (len(written), hashlib.sha256(written).hexdigest()):
        out.add(
            [f"{PLAN_FILE}: not the plan of {MANIFEST}; remove it, `corpus build` writes it again"], PLAN_FILE
        )


def said_of(manifest: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the manifest's entries about parts and cases, by name; raises ValueError for other names."""
    names, cases = [part["file"] for part in manifest["parts"]], manifest.get("cases", {"files": {CASES: {}}})
    if names != [part_name(number) for number in range(len(names))]:
        raise ValueError(f"the parts are not {part_name(0)} and so on")
    if cases["files"].keys() != {CASES}:
        raise ValueError(f"the file of cases is not {CASES}")
    said = {part["file"]: part for part in manifest["parts"]}
    return {**said, **cases["files"]} if "cases" in manifest else said


def damaged(directory: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Return the names of the files of a finished build that are missing or changed."""
    return [name for name, said in said_of(manifest).items() if unlike(directory / name, said)]


def _files(directory: Path, manifest: dict[str, Any], out: Verified) -> None:
    """Report unknown files and files of a wrong kind; check the others by checksums."""
    said, parts, cases = said_of(manifest), manifest["parts"], manifest.get("cases")
    known, here = {MANIFEST, PLAN_FILE, *said}, _there(directory / STATES)
    strange = [*_strange(directory, "", known, {STATES})]
    strange += _strange(directory / STATES, f"{STATES}/", known, ()) if here else ()
    out.add(strange, str(directory))
    if digest_of_parts(parts) != manifest["digest"]:
        out.add([f"{MANIFEST}: the digest is not that of the parts"], MANIFEST)
    if cases and not here:
        out.checked.append(f"{STATES}/ is not here: only the published cases are checked")
    else:
        _compare(directory, {part["file"]: part for part in parts}, STATES, out)
        out.checked.append(f"{len(parts)} parts, {sum(part['rows'] for part in parts):,} states")
    if cases and _compare(directory, cases["files"], CASES, out):
        told = ", ".join(f"{name} {count:,}" for name, count in sorted(cases["strata"].items()))
        out.checked.append(f"{cases['count']:,} cases ({told})")


def _compare(directory: Path, said: Mapping[str, Mapping[str, Any]], where: str, out: Verified) -> bool:
    """Return whether all files agree with their entries by name, and add the differences."""
    wrong = {name: text for name, of in said.items() if (text := unlike(directory / name, of))}
    out.add([f"{name}: {text}" for name, text in wrong.items()], where)
    return not wrong


def _strange(directory: Path, prefix: str, files: Collection[str], below: Collection[str]) -> Iterator[str]:
    with os.scandir(directory) as entries:
        for entry in entries:
            name, mode = f"{prefix}{entry.name}", entry.stat(follow_symlinks=False).st_mode
            if name == WORK:
                yield f"{WORK}: left over from an interrupted build; the same `corpus build` removes it"
            elif name not in files and name not in below:
                yield f"{name}: not in the manifest; nothing of the build needs it, remove it"
            elif not (stat.S_ISREG(mode) if name in files else stat.S_ISDIR(mode)):
                yield f"{name}: a link, a pipe or a device, which is not read"


def _there(path: Path) -> bool:
    return os.path.lexists(path)


_AGAIN = f"without {MANIFEST}, which describes the build, `corpus build` builds everything again"


def unlike(path: Path, said: Mapping[str, Any], again: str = _AGAIN) -> str:
    """Return how a file differs from the manifest's entry; empty if it does not.

    `again` is the advice for restoring the file.
    """
    try:
        if path.is_symlink():
            return "a link; a file is expected"
        size, sha256 = checksum(path, min(MAX_FILE, int(said["bytes"])))
    except OSError as error:
        return f"{error.strerror or error}; {again}"
    if size != said["bytes"]:
        most = f", more than any such file ({MAX_FILE})" if size == said["bytes"] > MAX_FILE else ""
        return f"{size} bytes, the manifest says {said['bytes']}{most}; {again}"
    if not sha256:
        return f"{size} bytes, more than any such file has ({MAX_FILE})"
    return f"sha256 {sha256}, the manifest says {said['sha256']}; {again}" if sha256 != said["sha256"] else ""
