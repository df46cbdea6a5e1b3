"""Cases made of files that real products wrote.

A capture is a folder ``corpus/captured/<format>/<product>-<version>/<name>/``:
the journal's files as written, ``provenance.toml`` (where they come from) and
``expected.json`` (what has to be read from them). The files are never edited;
``X.gz`` stands for ``X``, packed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from journalspec.files import read_bytes
from journalspec.formats import get_format
from journalspec_corpus.authored import CHECKOUT, AuthoringError
from journalspec_corpus.case import Case, Origin
from journalspec_corpus.form import MAX_BYTES
from journalspec_corpus.making import make_case

PROVENANCE, EXPECTED = "provenance.toml", "expected.json"
_OPTIONAL = ("edition", "stratum", "category", "level", "obeys", "breaks", "flags", "params")


def captured_cases(format_id: str, root: Path | None = None) -> Iterator[Case]:
    """Yield the captured cases of `format_id`, ordered by product, version and name.

    `root` is the folder of the captures (default: the checkout's). Raises
    AuthoringError naming the folder that is not complete.
    """
    folder = root or CHECKOUT / "captured" / format_id
    for place in sorted(path.parent for path in folder.glob(f"*/*/{EXPECTED}")):
        try:
            yield _case(format_id, place)
        except (OSError, ValueError, KeyError) as error:
            raise AuthoringError(f"{place.parent.name}/{place.name}: {error}") from error


def _case(format_id: str, place: Path) -> Case:
    expected: dict[str, Any] = json.loads((place / EXPECTED).read_text(encoding="utf-8"))
    provenance = tomllib.loads((place / PROVENANCE).read_text(encoding="utf-8"))
    description = get_format(format_id)
    product = place.parent.name
    settings: dict[str, Any] = {
        "edition": description.default_edition,
        "stratum": "R",
        "category": "captured",
        **{key: expected[key] for key in _OPTIONAL if key in expected},
    }
    return make_case(
        f"{description.prefix.lower()}.captured.{_slug(product)}.{_slug(place.name)}",
        title=expected["title"],
        format_id=format_id,
        tier="captured",
        origin=Origin("captured", product, place.name, tuple(provenance.get("checked_by", ()))),
        files=dict(_files(place)),
        expect=expected["expect"],
        **settings,
    )


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _files(place: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(place.iterdir()):
        if path.name in (PROVENANCE, EXPECTED) or not path.is_file():
            continue
        # What is unpacked has a bound; what a product wrote may itself begin like a gzip file.
        packed = path.suffix == ".gz"
        yield (path.stem, read_bytes(path, MAX_BYTES)) if packed else (path.name, path.read_bytes())
