"""Checks the files of the published tiers against their manifests.

``published/<format>/manifest.json`` is sealed, and contains the checksum and the counts of every other file
in its directory.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from journalspec.files import as_is
from journalspec.formats import format_ids, format_text
from journalspec_corpus.case import Case, CaseError
from journalspec_corpus.load import PUBLISHED_TIERS, published_folder
from journalspec_corpus.pipeline.manifest import (
    ILL_FORMED,
    LICENSE,
    MANIFEST,
    ManifestError,
    Verified,
    unlike,
)
from journalspec_corpus.seal import MAX_SEALED, SealError, opened


def tombstones(format_id: str) -> frozenset[str]:
    """Return the ids that were withdrawn and are never used again (``tombstones.toml``)."""
    withdrawn = tomllib.loads(format_text("journalspec_corpus", format_id, "tombstones.toml"))
    return frozenset(entry["id"] for entry in withdrawn.get("withdrawn", ()))


def holds_tiers(directory: Path) -> bool:
    """Return whether `directory` contains published tiers: of one format, or of formats by name."""
    return _is_folder(directory) or any((directory / name).is_dir() for name in format_ids())


def _is_folder(directory: Path) -> bool:
    return any((directory / f"{tier}.jsonl").is_file() for tier in PUBLISHED_TIERS)


def verify_tiers(directory: Path | None = None, tiers: Sequence[str] = ()) -> Verified:
    """Check the published `tiers` (default: all) in `directory` (default: the package).

    Raises ManifestError if there are none.
    """
    out = Verified()
    asked = tiers or PUBLISHED_TIERS
    for format_id, folder in _folders(directory):
        where = f"{format_id}/" if directory is None else ""
        before = len(out.problems)
        try:
            for name, problems in _differences(format_id, folder, asked):
                out.add([f"{where}{name}: {problem}" for problem in problems], name)
        except (SealError, *ILL_FORMED) as error:
            out.add([f"{folder / MANIFEST}: {type(error).__name__}: {error!s:.200}"], MANIFEST)
        except OSError as error:
            out.add([f"{error.filename or folder}: {error.strerror or error}"], MANIFEST)
        if len(out.problems) == before:
            out.checked.append(f"{format_id}: {', '.join(asked)}")
    return out


def _folders(directory: Path | None) -> Iterator[tuple[str, Path]]:
    if directory is not None and _is_folder(directory):
        yield _format_of(directory), directory
        return
    found = {name: published_folder(name) if directory is None else directory / name for name in format_ids()}
    there = {name: folder for name, folder in found.items() if folder is not None and folder.is_dir()}
    if not there:
        raise ManifestError(f"{directory or 'the package'}: no published tiers are there")
    yield from there.items()


def _format_of(folder: Path) -> str:
    """Return the format of `folder`: from its manifest, or else from its name."""
    try:
        return str(_read(folder / MANIFEST)[0]["format"])
    except (OSError, SealError, KeyError):
        return folder.resolve().name


def _read(path: Path) -> tuple[dict[str, Any], list[str]]:
    with as_is(path) as stream:
        return opened(stream.read(MAX_SEALED))


def _differences(format_id: str, folder: Path, tiers: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the names of files with their problems: the manifest, unknown files, the files of `tiers`."""
    manifest, problems = _read(folder / MANIFEST)
    yield MANIFEST, problems
    if (manifest["format"], manifest["licence"]) != (format_id, LICENSE):
        yield MANIFEST, [f"not that of {format_id} under {LICENSE}"]
    if manifest["withdrawn"] != sorted(tombstones(format_id)):
        yield MANIFEST, ["the withdrawn cases are not those of tombstones.toml"]
    if manifest["tiers"].keys() != set(PUBLISHED_TIERS):
        yield MANIFEST, [f"the tiers are not {', '.join(PUBLISHED_TIERS)}"]
    known = {MANIFEST, *(f"{tier}.jsonl" for tier in PUBLISHED_TIERS)}
    for path in sorted(folder.iterdir()):
        if path.name not in known:
            yield path.name, ["not in the manifest; nothing needs it, remove it"]
    for tier in tiers:
        path = folder / f"{tier}.jsonl"
        yield path.name, _unlike(path, manifest["tiers"][tier])


def _unlike(path: Path, said: Mapping[str, Any]) -> list[str]:
    """Return how a tier differs from its entry in the manifest."""
    if said["file"] != path.name:
        return ["the manifest has another file name"]
    wrong = unlike(path, said, "get the file again from its source")
    if wrong:
        return [wrong]
    try:
        with as_is(path) as stream:
            probes = [len(Case.from_json(json.loads(line)).probes) for line in stream]
    except (CaseError, *ILL_FORMED) as error:
        return [f"{type(error).__name__}: {error!s:.200}"]
    if (len(probes), sum(probes)) != (said["cases"], said["probes"]):
        told = f"the manifest says {said['cases']} and {said['probes']}"
        return [f"{len(probes)} cases and {sum(probes)} probes, {told}"]
    return []
