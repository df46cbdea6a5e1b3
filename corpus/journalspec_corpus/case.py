"""One case: the files of a journal, what is asked about them, and what may be answered.

A case is data. It has one JSON form (one object per line in the published
tiers; integers as decimal strings, bytes as lower-case hex) and this class,
whose members carry the same names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Any

#: A JSON value without numbers: objects, arrays, strings, booleans, null.
Json = Any  # a recursive alias helps no checker and no reader

#: Unused bytes between two extents that are cheaper to store than a new extent.
_GAP = 12

#: The members of a case that are text, and those that are lists of text.
_TEXTS = ("id", "title", "format", "edition", "tier", "stratum", "category", "level")
_LISTS = ("obeys", "breaks", "flags", "needs")
#: How binding a case is, and what an expectation may say: as in case.schema.json.
LEVELS = ("must", "should", "may")
_REFUSAL = {"verdict", "phase", "code", "at", "refusals"}
EXPECTED = frozenset(
    {"when", "records", "dropped", "unanchored", "state", "files", "notes", "durable", "allowed"} | _REFUSAL
)
WHEN = frozenset({"op", "policy"})
ALLOWED = frozenset({"must_keep", "may_keep", "must_drop", "refusal", "must_report"})


class CaseError(ValueError):
    """A case's JSON form is not one; the message names the case and the member."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file of the input: `size` bytes of `fill`, with `extents` (offset, bytes) laid over."""

    path: str
    size: int
    fill: int = 0
    extents: tuple[tuple[int, bytes], ...] = ()

    @classmethod
    def of(cls, path: str, content: bytes) -> InputFile:
        """Return the shortest description of `content`: the commonest byte is the fill."""
        fill = max(range(256), key=content.count) if content else 0
        return cls(path, len(content), fill, tuple(_extents(content, fill)))

    def content(self) -> bytes:
        """Return the bytes of the whole file."""
        out = bytearray([self.fill]) * self.size
        for off, data in self.extents:
            out[off : off + len(data)] = data
        return bytes(out)

    def to_json(self) -> dict[str, Json]:
        """Return ``{"path", "size", "fill", "extents": [[offset, hex], ...]}``."""
        return {
            "path": self.path,
            "size": str(self.size),
            "fill": f"{self.fill:02x}",
            "extents": [[str(off), data.hex()] for off, data in self.extents],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> InputFile:
        """Read what :meth:`to_json` wrote; raises ValueError on an extent outside the file."""
        size = int(data["size"])
        extents = tuple((int(off), bytes.fromhex(text)) for off, text in data.get("extents", ()))
        for off, piece in extents:
            if off < 0 or off + len(piece) > size:
                raise ValueError(f"{data['path']}: the extent at {off} ({len(piece)} bytes) leaves the file")
        fill = bytes.fromhex(data.get("fill", "00"))
        if len(fill) != 1:
            raise ValueError(f"{data['path']}: fill must be one byte, not {data['fill']!r}")
        return cls(data["path"], size, fill[0], extents)


def _extents(content: bytes, fill: int) -> Iterator[tuple[int, bytes]]:
    """Yield the parts of `content` between runs of more than _GAP fill bytes."""
    gap = bytes([fill]) * (_GAP + 1)
    pos, end = 0, len(content)
    while pos < end:
        while pos < end and content[pos] == fill:
            pos += 1
        if pos == end:
            return
        stop = content.find(gap, pos)
        stop = end if stop < 0 else stop
        piece = content[pos:stop].rstrip(bytes([fill]))
        yield pos, piece
        pos = stop


@dataclass(frozen=True, slots=True)
class Input:
    """The directory that a case starts from."""

    files: tuple[InputFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a case comes from and who has confirmed what it expects.

    `kind` is authored, family, trace or captured. `checked_by` names people's
    work ("hand"), second implementations, or products with their version; the
    implementation under test is never among them. `shrunk_from` is the id of the
    larger case that this one was made small from, if there is one.
    """

    kind: str
    base: str = ""
    how: str = ""
    checked_by: tuple[str, ...] = ()
    shrunk_from: str = ""

    def to_json(self) -> dict[str, Json]:
        """Return the published form; `shrunk_from` only where there is one."""
        out: dict[str, Json] = {
            "kind": self.kind,
            "base": self.base,
            "how": self.how,
            "checked_by": list(self.checked_by),
        }
        return out | ({"shrunk_from": self.shrunk_from} if self.shrunk_from else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> Origin:
        """Read the published form; raises KeyError on a missing member."""
        checked_by = tuple(data["checked_by"])
        return cls(data["kind"], data["base"], data["how"], checked_by, data.get("shrunk_from", ""))


@dataclass(frozen=True, slots=True)
class Probe:
    """One question about one case: an operation, and for ``recover`` a policy.

    `expect` are the permitted answers, in the case's order; one is enough.
    """

    case: Case = field(repr=False)
    op: str
    policy: str | None
    expect: tuple[Mapping[str, Json], ...] = field(repr=False)

    @property
    def id(self) -> str:
        """``<case id>/<op>`` or ``<case id>/recover.<policy>``."""
        return f"{self.case.id}/{self.op}" + (f".{self.policy}" if self.policy else "")


@dataclass(frozen=True, slots=True)
class Case:
    """One case. Members that hold JSON (`params`, `write`, `expect`) are as published."""

    id: str
    title: str
    format: str
    edition: str
    tier: str
    stratum: str
    category: str
    level: str
    obeys: tuple[str, ...]
    breaks: tuple[str, ...]
    flags: tuple[str, ...]
    needs: tuple[str, ...]
    origin: Origin
    input: Input
    params: Mapping[str, Json]
    write: Mapping[str, Json] | None
    expect: tuple[Mapping[str, Json], ...]

    @property
    def requirements(self) -> tuple[str, ...]:
        """Every requirement id that the case names, obeyed ones first."""
        return tuple(dict.fromkeys(self.obeys + self.breaks))

    @property
    def probes(self) -> tuple[Probe, ...]:
        """The questions, in the order in which their first expectation stands."""
        groups: dict[tuple[str, str | None], list[Mapping[str, Json]]] = {}
        for entry in self.expect:
            when = entry["when"]
            groups.setdefault((when["op"], when.get("policy")), []).append(entry)
        return tuple(Probe(self, op, policy, tuple(entries)) for (op, policy), entries in groups.items())

    def files(self) -> dict[str, bytes]:
        """Return the input as name -> content."""
        return {file.path: file.content() for file in self.input.files}

    def materialize(self, directory: Path) -> list[Path]:
        """Write the input under `directory` (made if missing) and return the paths.

        Long runs of zeros stay holes. Raises CaseError on a path that would
        leave the directory and FileExistsError rather than overwrite anything.
        """
        directory.mkdir(parents=True, exist_ok=True)
        return [_materialize(self.id, file, directory) for file in self.input.files]

    def to_json(self) -> dict[str, Json]:
        """Return the published form."""
        return {
            "id": self.id,
            "title": self.title,
            "format": self.format,
            "edition": self.edition,
            "tier": self.tier,
            "stratum": self.stratum,
            "category": self.category,
            "level": self.level,
            "obeys": list(self.obeys),
            "breaks": list(self.breaks),
            "flags": list(self.flags),
            "needs": list(self.needs),
            "origin": self.origin.to_json(),
            "input": {"files": [file.to_json() for file in self.input.files]},
            "params": dict(self.params),
            "write": None if self.write is None else dict(self.write),
            "expect": [dict(entry) for entry in self.expect],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> Case:
        """Read the published form; raises CaseError that names the case and the fault."""
        name = data.get("id", "a case without id")
        try:
            return cls._from_json(data)
        except KeyError as error:
            raise CaseError(f"{name}: member {error.args[0]!r} is missing") from None
        except (TypeError, ValueError) as error:
            raise CaseError(f"{name}: {error}") from None

    @classmethod
    def _from_json(cls, data: Mapping[str, Json]) -> Case:
        _check_words(data)
        members: dict[str, Any] = {name: data[name] for name in _TEXTS}
        members |= {name: tuple(data[name]) for name in _LISTS}
        return cls(
            **members,
            origin=Origin.from_json(data["origin"]),
            input=Input(tuple(InputFile.from_json(file) for file in data["input"]["files"])),
            params=data["params"],
            write=data["write"],
            expect=tuple(data["expect"]),
        )


def _check_words(data: Mapping[str, Json]) -> None:
    """Raise ValueError for a word that would take something out of the comparison unseen."""
    if data["level"] not in LEVELS:
        raise ValueError(f"level {data['level']!r} is none of {', '.join(LEVELS)}")
    for number, entry in enumerate(data["expect"]):
        for where, given, known in (
            (f"expect[{number}]", entry, EXPECTED),
            (f"expect[{number}].when", entry["when"], WHEN),
            (f"expect[{number}].allowed", entry.get("allowed", {}), ALLOWED),
        ):
            for name in given:
                if name not in known:
                    near = get_close_matches(name, known, 1)
                    meant = f" (did you mean {near[0]!r}?)" if near else ""
                    raise ValueError(f"{where}: unknown member {name!r}{meant}")


def _materialize(case: str, file: InputFile, directory: Path) -> Path:
    """Write one file sparsely below `directory`."""
    inside = PurePosixPath(file.path)
    if inside.is_absolute() or ".." in inside.parts or not inside.name:
        raise CaseError(f"{case}: {file.path!r} leaves the directory that the case is written to")
    path = directory.joinpath(*inside.parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as stream:
        if file.fill:
            stream.write(file.content())
            return path
        stream.truncate(file.size)
        for off, data in file.extents:
            stream.seek(off)
            stream.write(data)
    return path
