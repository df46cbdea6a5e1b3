"""The manifest of a build: where it is, and what its words mean. Needs nothing that builds one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
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


class ManifestError(Exception):
    """A directory holds no finished build; the message says so and names it."""


def load(directory: Path) -> dict[str, Any]:
    """Return the manifest of the finished build in `directory`; raises ManifestError if there is none."""
    path = directory / MANIFEST
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if (directory / "plan.json").is_file():
            raise ManifestError(f"{directory}: the build is not finished; the same command goes on") from None
        raise ManifestError(f"{directory}: no build: there is no {MANIFEST}") from None
    except (OSError, ValueError) as error:
        raise ManifestError(f"{path}: cannot be read: {error}") from None
    if not isinstance(loaded, dict) or not {"plan", "counts", "strata", "digest"} <= loaded.keys():
        raise ManifestError(f"{path}: not the manifest of a build of this edition")
    return loaded
