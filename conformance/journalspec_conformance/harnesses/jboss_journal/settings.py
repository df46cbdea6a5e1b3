"""How a product is configured for a directory: from the request, and from what lies there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: The smallest file that either product can be configured for.
SMALLEST_FILE = 1024
_NAME = re.compile(r"^(?P<prefix>.*)-(?P<number>-?\d+)\.(?P<extension>[A-Za-z]+)(?:\.cmp|\.tmp)?$")


@dataclass(frozen=True, slots=True)
class Settings:
    """A journal's configuration. `file_size` is in bytes."""

    prefix: str
    extension: str
    file_size: int
    min_files: int
    user_version: int
    auto_reclaim: bool


def settings_for(directory: Path, params: Mapping[str, str], prefix: str, extension: str) -> Settings:
    """Return the settings for `directory`; what `params` do not say is taken from the files' names and sizes.

    `prefix` and `extension` are the product's own, for empty directories.
    """
    names = sorted(path for path in directory.iterdir() if path.is_file())
    found = [(match, path) for path in names if (match := _NAME.match(path.name))]
    chosen = params.get("extension") or _commonest([match["extension"] for match, _ in found], extension)
    own = [(match, path) for match, path in found if match["extension"] == chosen]
    size = max([SMALLEST_FILE, *(path.stat().st_size for _, path in own)])
    return Settings(
        prefix=params.get("prefix") or _commonest([match["prefix"] for match, _ in own], prefix),
        extension=chosen,
        file_size=int(params.get("file_size", str(size))),
        min_files=int(params.get("min_files", "2")),
        user_version=int(params.get("user_version", "0")),
        auto_reclaim=params.get("auto_reclaim", "true") == "true",
    )


def _commonest(found: list[str], otherwise: str) -> str:
    counts = Counter(found)
    return min(counts, key=lambda text: (-counts[text], text)) if counts else otherwise
