"""The manifest of a build: where it is, and what its words mean. Needs nothing that builds one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from journalspec.files import as_is
from journalspec_corpus.seal import MAX_SEALED, SealError, opened

MANIFEST = "manifest.json"
PLAN_FILE = "plan.json"
#: Under what everybody may use what is built.
LICENSE = "CC0-1.0"
#: Strata in the order in which they are reported, and what they are.
STRATA = {
    "R": "reachable by a crash, forces honest",
    "L": "reachable only where the device lies about a force",
    "C": "corrupted after it was durable",
}
#: Distinct judged cases that the full tier of a format is to have, unless its space is smaller.
BAR = 3_400_000
_MEMBERS = frozenset({"plan", "counts", "strata", "digest", "parts"})


class ManifestError(Exception):
    """A directory holds no finished build, or none to be believed; the message says so and names it."""


class Changed(ManifestError):
    """There is a manifest, and it is not as it was written."""


def load(directory: Path) -> dict[str, Any]:
    """Return the manifest of the finished build in `directory`.

    Raises ManifestError if there is none, Changed if it is not what was sealed.
    """
    manifest, problems = look(directory)
    if problems:
        raise Changed(f"{directory / MANIFEST}: {problems[0]}")
    return manifest


def look(directory: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the manifest in `directory`, and what is wrong with its seal; raises ManifestError."""
    path = directory / MANIFEST
    try:
        with as_is(path) as stream:
            data = stream.read(MAX_SEALED + 1)
        if len(data) > MAX_SEALED:
            raise Changed(f"{path}: holds more than {MAX_SEALED} bytes, as no manifest does")
        loaded, problems = opened(data)
    except (FileNotFoundError, NotADirectoryError):
        if (directory / PLAN_FILE).is_file():
            raise ManifestError(f"{directory}: the build is not finished; the same command goes on") from None
        raise ManifestError(f"{directory}: no build: there is no {MANIFEST}") from None
    except (OSError, SealError) as error:
        raise Changed(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not loaded.keys() >= _MEMBERS:
        raise Changed(f"{path}: not the manifest of a build of this edition")
    return loaded, problems


def digest_of_parts(parts: Iterable[Mapping[str, Any]]) -> str:
    """Return the digest of a build: the SHA-256 over names and checksums of its parts, in order."""
    lines = "".join(f"{Path(part['file']).name} {part['sha256']}\n" for part in parts)
    return hashlib.sha256(lines.encode()).hexdigest()
