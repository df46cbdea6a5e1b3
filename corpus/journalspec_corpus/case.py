"""One case: the files of a journal, the questions about them, and the permitted answers.

A case is data. It has one JSON form (one object per line in the published tiers; integers as decimal strings,
bytes as lower-case hex) and this class, whose members have the same names.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from journalspec_corpus.form import fault_in, is_id, path_fault

#: A JSON value without numbers: objects, arrays, strings, booleans, null.
Json = Any  # A recursive alias would help neither type checkers nor readers.

#: The longest run of fill bytes that is stored inside an extent. For such a run, a further extent would take
#: more space.
_GAP = 12

#: The members of a case whose values are texts, and the members whose values are lists of texts.
_TEXTS = ("id", "title", "format", "edition", "tier", "stratum", "category", "level")
_LISTS = ("obeys", "breaks", "flags", "needs")
#: The format or edition of a case that does not state one.
UNKNOWN = "unknown"
_WORD = re.compile("[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
#: The size of the pieces in which the content of a file is produced.
_PIECE = 1 << 20


class CaseError(ValueError):
    """The JSON form of a case is wrong; the message identifies the case and the member."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """Represents one file of the input:

    `size` bytes of `fill`, with `extents` (offset, bytes) written over the fill.
    """

    path: str
    size: int
    fill: int = 0
    extents: tuple[tuple[int, bytes], ...] = ()

    @classmethod
    def of(cls, path: str, content: bytes) -> InputFile:
        """Return a short description of `content`. Its fill is the most frequent byte."""
        fill = _commonest(content) if content else 0
        return cls(path, len(content), fill, tuple(_extents(content, fill)))

    def content(self) -> bytes:
        """Return the bytes of the whole file."""
        return b"".join(bytes(piece) for piece in self.pieces())

    def pieces(self) -> Iterator[bytes | int]:
        """Yield the content from beginning to end in pieces: either some bytes, or a number of zeros."""
        end = 0
        for off, data in (*self.extents, (self.size, b"")):
            if off > end and not self.fill:
                yield off - end
            elif off > end:
                yield from (bytes([self.fill]) * min(_PIECE, off - at) for at in range(end, off, _PIECE))
            if data:
                yield data
            end = off + len(data)

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
        """Read the form of :meth:`to_json`; raises ValueError if extents overlap or leave the file."""
        size = int(data["size"])
        extents = tuple((int(off), bytes.fromhex(text)) for off, text in data.get("extents", ()))
        end = 0
        for off, piece in extents:
            if off < 0 or off + len(piece) > size:
                raise ValueError(f"{data['path']}: the extent at {off} ({len(piece)} bytes) leaves the file")
            if off < end:
                raise ValueError(f"{data['path']}: the extent at {off} begins before the one before it ends")
            end = off + len(piece)
        fill = bytes.fromhex(data.get("fill", "00"))
        if len(fill) != 1:
            raise ValueError(f"{data['path']}: fill must be one byte, not {data['fill']!r}")
        return cls(data["path"], size, fill[0], extents)


def _commonest(content: bytes) -> int:
    """Return the byte that occurs most often. If several bytes do, return the lowest of them."""
    # The fill at the end is usually longer than half of a journal.
    if 2 * content.count(content[-1]) > len(content):
        return content[-1]
    fill, most, rest = 0, 0, len(content)
    for byte in range(256):
        count = content.count(byte)
        rest -= count
        if count > most:
            fill, most = byte, count
        if rest <= most:
            break
    return fill


def _extents(content: bytes, fill: int) -> Iterator[tuple[int, bytes]]:
    """Yield the parts of `content` between runs of more than _GAP fill bytes."""
    gap = bytes([fill]) * (_GAP + 1)
    pos, end = 0, len(content)
    other = re.compile(b"[^%b]" % re.escape(bytes([fill])))
    while found := other.search(content, pos):
        pos = found.start()
        stop = content.find(gap, pos)
        stop = end if stop < 0 else stop
        piece = content[pos:stop].rstrip(bytes([fill]))
        yield pos, piece
        pos = stop


def write_files(root: Path, files: Iterable[tuple[str, Iterable[bytes | int]]]) -> None:
    """Write new files below the directory `root`, with the directories that they need.

    A file is given by its path (segments joined by ``/``, which the caller has checked) and its content in
    pieces. A piece is bytes, or a number of zeros, which become a hole if the file system supports that.
    Raises FileExistsError if a file already exists, and other OSErrors, for example if a directory is a link.
    An unfinished file is removed.
    """
    for name, pieces in files:
        path = root
        *directories, last = name.split("/")
        for directory in directories:
            path /= directory
            path.mkdir(exist_ok=True)
            if path.is_symlink():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
        path /= last
        with path.open("xb") as stream:  # This also refuses to write through a link.
            try:
                for piece in pieces:
                    if isinstance(piece, int):
                        stream.seek(piece, os.SEEK_CUR)
                    else:
                        stream.write(piece)
                stream.truncate()
            except BaseException:
                path.unlink()
                raise


@dataclass(frozen=True, slots=True)
class Input:
    """Represents the initial directory of a case."""

    files: tuple[InputFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Represents the origin of a case, and who checked its expectations.

    `kind` is authored, family, trace or captured. `checked_by` lists checks by people ("hand"), by second
    implementations, or by products with their version; never by the implementation under test. `shrunk_from`
    is the id of the larger case that this one was reduced from, if there is one.
    """

    kind: str
    base: str = ""
    how: str = ""
    checked_by: tuple[str, ...] = ()
    shrunk_from: str = ""

    def to_json(self) -> dict[str, Json]:
        """Return the published form; without `shrunk_from` if that is empty."""
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
    """Represents one question about one case: an operation, and for ``recover`` a policy.

    `expect` lists the permitted answers in the case's order; an answer must match one of them.
    """

    case: Case = field(repr=False)
    op: str
    policy: str | None
    expect: tuple[Mapping[str, Json], ...] = field(repr=False)

    @property
    def id(self) -> str:
        """``<case id>/<op>`` or ``<case id>/recover.<policy>``; only the case id for a quarantined case."""
        if self.case.fault:
            return self.case.id
        return f"{self.case.id}/{self.op}" + (f".{self.policy}" if self.policy else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Represents one case. Members that contain JSON (`params`, `write`, `expect`) have their published form.

    A case with a `fault` replaces a case that could not be read, see :meth:`quarantined`.
    """

    id: str
    title: str
    format: str
    edition: str
    tier: str
    stratum: str
    category: str
    level: str = "must"
    obeys: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    origin: Origin
    input: Input = Input()
    params: Mapping[str, Json] = field(default_factory=dict)
    write: Mapping[str, Json] | None = None
    expect: tuple[Mapping[str, Json], ...] = ()
    fault: str = ""
    #: A wrong expectation of this case in an earlier corpus, and the reason for it; empty if there was none.
    history: str = ""

    @classmethod
    def quarantined(cls, name: str, fault: str, given: Json = None) -> Case:
        """Return a replacement for a case that cannot be used because of `fault`.

        The new case has one probe, called `name`, so that a run reports the fault as a result. Its format and
        edition are taken from `given`, if they are valid.
        """
        told = given if isinstance(given, Mapping) else {}
        words = {key: told.get(key) for key in ("format", "edition")}
        usable = {key: word for key, word in words.items() if isinstance(word, str) and _WORD.fullmatch(word)}
        return cls(
            id=name,
            title="a case that cannot be used",
            format=usable.get("format", UNKNOWN),
            edition=usable.get("edition", UNKNOWN),
            tier="files",
            stratum="H",
            category="quarantined",
            origin=Origin("authored"),
            fault=fault,
        )

    @property
    def requirements(self) -> tuple[str, ...]:
        """Every requirement id of the case, beginning with the obeyed requirements."""
        return tuple(dict.fromkeys(self.obeys + self.breaks))

    @property
    def probes(self) -> tuple[Probe, ...]:
        """The questions, in the order of their first expectations."""
        if self.fault:
            return (Probe(self, "", None, ()),)
        groups: dict[tuple[str, str | None], list[Mapping[str, Json]]] = {}
        for entry in self.expect:
            when = entry["when"]
            groups.setdefault((when["op"], when.get("policy")), []).append(entry)
        return tuple(Probe(self, op, policy, tuple(entries)) for (op, policy), entries in groups.items())

    def files(self) -> dict[str, bytes]:
        """Return the input as name -> content."""
        return {file.path: file.content() for file in self.input.files}

    def materialize(self, directory: Path) -> list[Path]:
        """Write the input under `directory`, which is created if missing, and return the paths.

        Long runs of zeros become holes. Raises CaseError, before anything is written, for a path that would
        leave the directory; FileExistsError if a file exists; and OSError for a link that leads elsewhere.
        """
        self.check_names()
        directory.mkdir(parents=True, exist_ok=True)
        write_files(directory, ((file.path, file.pieces()) for file in self.input.files))
        return [directory.joinpath(*file.path.split("/")) for file in self.input.files]

    def check_names(self) -> None:
        """Raise CaseError unless the id and the path of every file are valid names below a directory."""
        if not is_id(self.id):
            raise CaseError(f"{self.id!r:.200} is not the id of a case")
        for file in self.input.files:
            fault = path_fault(file.path)
            if fault is not None:
                raise CaseError(
                    f"{self.id}: {file.path!r:.200} leaves the directory that the case is written to,"
                    f" or is not a path: {fault}"
                )

    def to_json(self) -> dict[str, Json]:
        """Return the published form."""
        return {
            **{name: getattr(self, name) for name in _TEXTS},
            **{name: list(getattr(self, name)) for name in _LISTS},
            "origin": self.origin.to_json(),
            "input": {"files": [file.to_json() for file in self.input.files]},
            "params": dict(self.params),
            "write": None if self.write is None else dict(self.write),
            **({"history": self.history} if self.history else {}),
            "expect": [dict(entry) for entry in self.expect],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> Case:
        """Read the published form; raises CaseError with the id of the case and the fault.

        The JSON is checked against the form of cases, see :mod:`.form`.
        """
        fault = fault_in(data)
        if fault is not None:
            name = data.get("id") if isinstance(data, Mapping) else None
            raise CaseError(f"{name if is_id(name) else 'a case without usable id'}: {fault}")
        return cls.from_trusted_json(data)

    @classmethod
    def from_trusted_json(cls, data: Mapping[str, Json]) -> Case:
        """Read the published form of a case that has been checked before, such as a case of this package."""
        try:
            members: dict[str, Any] = {name: data[name] for name in _TEXTS}
            members |= {name: tuple(data[name]) for name in _LISTS}
            return cls(
                **members,
                origin=Origin.from_json(data["origin"]),
                input=Input(tuple(InputFile.from_json(file) for file in data["input"]["files"])),
                params=data["params"],
                write=data["write"],
                expect=tuple(data["expect"]),
                history=data.get("history", ""),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise CaseError(f"{data.get('id')}: {error}") from None
