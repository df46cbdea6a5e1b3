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
    for format_id, folder in _folders(directory):
        where = f"{format_id}/" if directory is None else ""
        before, told = len(out.problems), ""
        try:
            told = _Folder(format_id, folder, where, out).check(tiers)
        except (SealError, *ILL_FORMED) as error:
            out.add([f"{folder / MANIFEST}: {type(error).__name__}: {error!s:.200}"], MANIFEST)
        except OSError as error:
            out.add([f"{error.filename or folder}: {error.strerror or error}"], MANIFEST)
        if len(out.problems) == before:
            out.checked.append(f"{format_id}: {told}")
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


class _Folder:
    """The published files of one format, and the list that collects problems."""

    def __init__(self, format_id: str, folder: Path, where: str, out: Verified) -> None:
        self._format, self._folder, self._where, self._out = format_id, folder, where, out

    def check(self, asked: Sequence[str]) -> str:
        """Check the manifest, the files of the tiers `asked` (empty: all), and unknown files.

        Return the checked tiers.
        """
        tiers = asked or PUBLISHED_TIERS
        manifest, problems = _read(self._folder / MANIFEST)
        self._add(MANIFEST, problems)
        if (manifest["format"], manifest["licence"]) != (self._format, LICENSE):
            self._add(MANIFEST, [f"not that of {self._format} under {LICENSE}"])
        if manifest["withdrawn"] != sorted(tombstones(self._format)):
            self._add(MANIFEST, ["the withdrawn cases are not those of tombstones.toml"])
        if manifest["tiers"].keys() != set(PUBLISHED_TIERS):
            self._add(MANIFEST, [f"the tiers are not {', '.join(PUBLISHED_TIERS)}"])
        known = {MANIFEST, *(f"{tier}.jsonl" for tier in PUBLISHED_TIERS)}
        for path in sorted(self._folder.iterdir()):
            if path.name not in known:
                self._add(path.name, ["not in the manifest; nothing needs it, remove it"])
        for tier in tiers:
            path = self._folder / f"{tier}.jsonl"
            self._add(path.name, self._unlike(path, manifest["tiers"][tier]))
        return ", ".join(tiers)

    def _add(self, name: str, problems: Sequence[str]) -> None:
        self._out.add([f"{self._where}{name}: {problem}" for problem in problems], name)

    def _unlike(self, path: Path, said: Mapping[str, Any]) -> list[str]:
        """Return how a tier differs from its entry in the manifest."""
        if said["file"] != path.name:
            return ["called otherwise in the manifest"]
        wrong = unlike(path, said, "get the file again from where it came from")
        if wrong:
            return [wrong]
        try:
            probes = [len(Case.from_json(json.loads(line)).probes) for line in _lines(path)]
        except (CaseError, *ILL_FORMED) as error:
            return [f"{type(error).__name__}: {error!s:.200}"]
        if (len(probes), sum(probes)) != (said["cases"], said["probes"]):
            told = f"the manifest says {said['cases']} and {said['probes']}"
            return [f"{len(probes)} cases and {sum(probes)} probes, {told}"]
        return []


def _lines(path: Path) -> Iterator[bytes]:
    with as_is(path) as stream:
        yield from stream
