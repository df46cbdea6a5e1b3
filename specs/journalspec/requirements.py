"""The numbered requirements of a format, from its ``requirements.toml``.

A requirement's id is permanent. Its digest is computed from its text. A change of the text must raise the
revision, so that cases and deviations with the id are reviewed. ``python -m journalspec.requirements --stamp
FORMAT`` updates both.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import tomlkit

from journalspec.files import replace_text
from journalspec.formats import UnknownFormat, format_ids, get_format

FILE_NAME = "requirements.toml"
LEVELS = ("must", "should", "may")
ROLES = ("fileset", "writer", "reader", "recoverer", "tool")
SOURCE_KINDS = ("product", "document", "decision")
_ID = re.compile(r"(?P<prefix>[A-Z]{3})-(?P<area>[A-Z]{3})-(?P<number>[0-9]{3})")


@dataclass(frozen=True, slots=True)
class Requirement:
    """Represents one requirement: its text, its roles, its editions, and its source.

    If the text alone does not explain the rule, `why` does so in Markdown. `why` requires nothing and is not
    part of the digest. `source` holds ``kind`` (product, document or decision), its name
    (``product``/``version``/``class`` or ``document``) and ``passages``.
    """

    id: str
    level: str
    roles: tuple[str, ...]
    editions: tuple[str, ...]
    text: str
    why: str
    source: Mapping[str, Any]
    revision: int
    digest: str

    @property
    def area(self) -> str:
        """Return the three letters in the middle of the id."""
        return self.id.split("-")[1]


@dataclass(frozen=True, slots=True)
class RequirementSet:
    """Represents all requirements of a format in document order, and the titles of their areas."""

    format_id: str
    areas: Mapping[str, str]
    items: tuple[Requirement, ...]

    def __iter__(self) -> Iterator[Requirement]:
        """Iterate in document order."""
        return iter(self.items)

    def __len__(self) -> int:
        """Return the number of requirements."""
        return len(self.items)

    def __contains__(self, requirement_id: object) -> bool:
        """Return whether a requirement has that id."""
        return any(item.id == requirement_id for item in self.items)

    def __getitem__(self, requirement_id: str) -> Requirement:
        """Return the requirement with that id; raises KeyError."""
        for item in self.items:
            if item.id == requirement_id:
                return item
        raise KeyError(f"{self.format_id} has no requirement {requirement_id}")

    def in_area(self, area: str) -> tuple[Requirement, ...]:
        """Return the requirements of one area, in order; raises KeyError for an unknown area."""
        if area not in self.areas:
            raise KeyError(f"{self.format_id} has no area {area!r}: known are {', '.join(self.areas)}")
        return tuple(item for item in self.items if item.area == area)


def text_digest(text: str) -> str:
    """Return the digest of a requirement's text: 12 hex digits, white space collapsed."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]


@cache
def requirements(format_id: str) -> RequirementSet:
    """Return the requirements of `format_id`; raises UnknownFormat or ValueError.

    The ValueError lists every fault that :func:`lint` finds.
    """
    text = get_format(format_id).root.joinpath(FILE_NAME).read_text(encoding="utf-8")
    data = tomllib.loads(text)
    faults = lint(format_id, data)
    if faults:
        raise ValueError(f"{format_id}/{FILE_NAME}:\n" + "\n".join(faults))
    items = tuple(
        Requirement(
            id=entry["id"],
            level=entry["level"],
            roles=tuple(entry["roles"]),
            editions=tuple(entry["editions"]),
            text=" ".join(entry["text"].split()),
            why=" ".join(entry.get("why", "").split()),
            source=entry["source"],
            revision=entry["revision"],
            digest=entry["digest"],
        )
        for entry in data["requirement"]
    )
    return RequirementSet(format_id, dict(data["areas"]), items)


def lint(format_id: str, data: Mapping[str, Any]) -> list[str]:
    """Return the faults of the parsed ``requirements.toml``, one line per fault."""
    areas = data.get("areas", {})
    faults = []
    seen: set[str] = set()
    used: set[str] = set()
    for number, entry in enumerate(data.get("requirement", ()), start=1):
        name = str(entry.get("id", f"requirement number {number}"))
        if name in seen:
            faults.append(f"{name}: the id is used twice")
        seen.add(name)
        match = _ID.fullmatch(name)
        used.add(match["area"] if match else "")
        faults += [f"{name}: {fault}" for fault in _entry_faults(format_id, areas, name, entry)]
    faults += [f"area {area}: no requirement" for area in areas if area not in used]
    return faults


def _entry_faults(
    format_id: str, areas: Mapping[str, str], name: str, entry: Mapping[str, Any]
) -> Iterator[str]:
    spec = get_format(format_id)
    match = _ID.fullmatch(name)
    if not match:
        yield "the id is not of the form PRE-ARE-000"
    elif match["prefix"] != spec.prefix:
        yield f"the id does not begin with {spec.prefix}"
    elif match["area"] not in areas:
        yield f"the area {match['area']} has no title in [areas]"
    if entry.get("level") not in LEVELS:
        yield f"level {entry.get('level')!r} is none of {', '.join(LEVELS)}"
    yield from _unknown("role", entry.get("roles"), ROLES)
    yield from _unknown("edition", entry.get("editions"), tuple(spec.editions))
    yield from _source_faults(entry.get("source"))
    text = entry.get("text")
    if not isinstance(text, str) or not text.strip():
        yield "there is no text"
    elif entry.get("digest") != text_digest(text):
        yield (
            f"digest {entry.get('digest')!r} does not fit the text: raise the revision with "
            f"`python -m journalspec.requirements --stamp {format_id}`"
        )
    revision = entry.get("revision")
    if not isinstance(revision, int) or isinstance(revision, bool) or revision < 1:
        yield f"revision {revision!r} is not a number from 1 on"


def _unknown(what: str, values: object, known: Sequence[str]) -> Iterator[str]:
    if not isinstance(values, list) or not values:
        yield f"there is no {what}"
        return
    for value in values:
        if value not in known:
            yield f"{what} {value!r} is none of {', '.join(known)}"
    if len(set(values)) != len(values):
        yield f"duplicate {what}"


def _source_faults(source: object) -> Iterator[str]:
    if not isinstance(source, Mapping):
        yield "there is no source"
        return
    kind = source.get("kind")
    if kind not in SOURCE_KINDS:
        yield f"source kind {kind!r} is none of {', '.join(SOURCE_KINDS)}"
        return
    needed = ("product", "version", "class") if kind == "product" else ("document",)
    for member in (*needed, "passages"):
        if not source.get(member):
            yield f"the source has no {member}"


def stamp(text: str) -> tuple[str, list[str]]:
    """Return the TOML `text` with every digest corrected, and the ids that changed.

    A requirement whose digest no longer fits its text gets the next revision. A new requirement (empty
    digest) keeps revision 1. Layout and comments are not changed.
    """
    document = tomlkit.parse(text)
    changed = []
    for entry in document.get("requirement", ()):
        digest = text_digest(str(entry["text"]))
        if entry.get("digest") == digest:
            continue
        if entry.get("digest"):
            entry["revision"] = int(entry["revision"]) + 1
        entry["digest"] = digest
        changed.append(str(entry["id"]))
    return tomlkit.dumps(document), changed


def main(arguments: Sequence[str] | None = None) -> int:
    """Lint the requirements of all formats, or stamp those of one format; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m journalspec.requirements", description=main.__doc__)
    parser.add_argument("--stamp", metavar="FORMAT", help="write digests and revisions in a source checkout")
    options = parser.parse_args(arguments)
    try:
        names = (options.stamp,) if options.stamp else format_ids()
        if options.stamp:
            path = Path(str(get_format(options.stamp).root.joinpath(FILE_NAME)))
            text, changed = stamp(path.read_text(encoding="utf-8"))
            replace_text(path, text)
            print(f"{options.stamp}: {len(changed)} stamped {' '.join(changed)}".rstrip())
        for name in names:
            print(f"{name}: {len(requirements(name))} requirements")
    except (UnknownFormat, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
