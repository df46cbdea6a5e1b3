"""Published cases: reading those of a core build, and copying whole tiers. Needs nothing that builds them.

``cases.jsonl.gz`` has one line per case, ``shared.jsonl.gz`` what several of them
share: one line about the format, one per trace (`base`: its files, and the pieces
that are laid over them), one per crash point (`group`: what is owed there). How
they are put together is told in docs/core-tier.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from journalspec.files import reading
from journalspec.formats import get_format
from journalspec_corpus import form
from journalspec_corpus.case import Case, CaseError, InputFile, write_files
from journalspec_corpus.crash.expected import permitted
from journalspec_corpus.load import Intake

CASES, SHARED = "cases.jsonl.gz", "shared.jsonl.gz"
_DIGITS = 32

Members = Mapping[str, Any]


def read_cases(directory: Path) -> Iterator[Case]:
    """Yield the cases of a core build, inputs put together; raises OSError or CaseError."""
    shared = Shared.of(directory)
    for line in lines_of(directory / CASES):
        yield Case.from_json(shared.expanded(line))


def take_cases(directory: Path, intake: Intake) -> Iterator[Case]:
    """Yield the cases of a core build of whatever origin, those quarantined that are none.

    Raises OSError, or CaseError for what all of them share.
    """
    shared = Shared.of(directory)
    path = directory / CASES
    with reading(path) as stream:
        for number, line in enumerate(form.lines_of(stream), start=1):
            yield intake.take(path, number, line, lambda given: shared.expanded(_members(given)))


def lines_of(path: Path) -> Iterator[Members]:
    """Yield the objects of a file of JSON lines, compressed or not; raises OSError or CaseError."""
    with reading(path) as stream:
        for number, line in enumerate(form.lines_of(stream), start=1):
            try:
                if line is None:
                    raise ValueError(f"longer than {form.MAX_LINE} bytes")
                yield _members(line)
            except ValueError as error:
                raise CaseError(f"{path.name}, line {number}: {error}") from None


def _members(line: bytes) -> Members:
    found = form.parse(line, numbers=True)
    if not isinstance(found, dict):
        raise ValueError("no JSON object")
    return found


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return the first 32 hex digits of the SHA-256 over names, lengths and contents, in name order."""
    total = hashlib.sha256()
    for name in sorted(files):
        data = files[name]
        total.update(f"{name} {len(data)} {hashlib.sha256(data).hexdigest()}\n".encode())
    return total.hexdigest()[:_DIGITS]


@dataclass(frozen=True)
class _Base:
    """One trace: the files before it, and what is laid over them."""

    name: str
    edition: str
    files: Mapping[str, bytes]
    layouts: list[list[list[str]]]
    pieces: list[tuple[str, int, bytes]]


@dataclass(frozen=True)
class Shared:
    """What the cases of a build share."""

    head: Members
    bases: Mapping[str, _Base]
    groups: Mapping[str, Members]

    @classmethod
    def of(cls, directory: Path) -> Shared:
        """Read the shared file of a build; raises OSError or CaseError."""
        head: Members = {}
        bases, groups = {}, {}
        try:
            for line in lines_of(directory / SHARED):
                if "group" in line:
                    groups[line["group"]] = line
                elif "base" in line:
                    bases[line["base"]] = _base(line)
                else:
                    head = line
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise CaseError(f"{SHARED}: {type(error).__name__}: {error}") from None
        return cls(head, bases, groups)

    def files(self, line: Members) -> dict[str, bytes]:
        """Return the input of a case as name -> content; raises CaseError if it does not fit together."""
        try:
            base = self.bases[self.groups[line["group"]]["base"]]
            layout = {name: int(size) for name, size in base.layouts[line["layout"]]}
            if sum(layout.values()) > form.MAX_BYTES:
                raise ValueError(f"{sum(layout.values())} bytes in all, at most {form.MAX_BYTES}")
            files = {
                name: bytearray(base.files.get(name, b"")[:size].ljust(size, b"\0"))
                for name, size in layout.items()
            }
            for put in line["put"]:
                number, length = put if isinstance(put, list) else (put, None)
                name, off, data = base.pieces[number]
                data = data[:length]
                files[name][off : off + len(data)] = data
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
            raise CaseError(f"{line.get('id')}: {type(error).__name__}: {error} in {SHARED}") from None
        return {name: bytes(data) for name, data in files.items()}

    def expanded(self, line: Members) -> dict[str, Any]:
        """Return the published form of a case; raises CaseError."""
        files = self.files(line)
        try:
            group = self.groups[line["group"]]
            base = self.bases[group["base"]]
            category, preset = line["category"], line["preset"]
            rot = f", {line['rot']}" if "rot" in line else ""
            return {
                **self.head["common"],
                "id": line["id"],
                "title": f"{category} after operation {group['after']} of {base.name} ({preset}{rot})",
                "format": self.head["format"],
                "edition": base.edition,
                "stratum": line["stratum"],
                "category": category,
                "obeys": self.head["obeys"].get(category, self.head["obeys"][""]),
                "origin": {"kind": "trace", "base": group["base"], "how": preset, "checked_by": ["model"]},
                "input": {"files": [_plain(name, data) for name, data in sorted(files.items())]},
                "expect": [entry for given in line["expect"] for entry in permitted(group["sets"], *given)],
            }
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise CaseError(f"{line.get('id')}: {type(error).__name__}: {error}") from None


def _base(line: Members) -> _Base:
    files = {name: bytes.fromhex(text) for name, text in line["files"].items()}
    pieces = [(name, int(off), bytes.fromhex(text)) for name, off, text in line["pieces"]]
    return _Base(line["name"], line["edition"], files, line["layouts"], pieces)


def _plain(name: str, data: bytes) -> dict[str, Any]:
    """Return a file as one extent up to its last byte that is not zero: quick rather than short."""
    content = data.rstrip(b"\0")
    extents = ((0, content),) if content else ()
    return InputFile(name, len(data), 0, extents).to_json()


def copy_tier(tier: str, out: Path, formats: Sequence[str]) -> list[dict[str, Any]]:
    """Copy the published cases of `tier` to ``out/<format>/<tier>.jsonl``; return what was copied.

    Each entry has format, file, cases and sha256. Raises UnknownFormat for a
    format that is not described and FileExistsError rather than overwrite; no link in `out` is followed.
    """
    copied = []
    for name in formats:
        get_format(name)
        source = files("journalspec_corpus").joinpath("published", name, f"{tier}.jsonl")
        if not source.is_file():
            continue
        data = source.read_bytes()
        path = f"{name}/{tier}.jsonl"
        out.mkdir(parents=True, exist_ok=True)
        write_files(out, [(path, [data])])
        copied.append(
            {
                "format": name,
                "file": str(out / path),
                "cases": data.count(b"\n"),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
        )
    return copied
