"""What an implementation says about a journal: one vocabulary for all formats.

JSON rules: every integer is a decimal string, bytes are lower-case hex, enum
values are the spec's names, so that no language loses 64 bits. In Python the
same integers are plain ``int`` until :meth:`Observation.to_json` is called.

Levels, each containing the one before: ``verdict`` < ``records`` < ``state`` <
``layout``. An implementation is compared on the level that it declares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

#: A JSON value as the protocol knows it: no numbers, no floats.
Json = Any  # the recursive alias helps no checker and no reader

CLEAN = "clean"
RECOVERED = "recovered"
REFUSED = "refused"
VERDICTS = (CLEAN, RECOVERED, REFUSED)

#: Where a refusal happened, in the order in which a reader meets them.
PHASES = ("fileset", "header", "record", "checksum", "transaction", "replay")


class Level(IntEnum):
    """How much of an observation an implementation claims to report."""

    VERDICT = 0
    RECORDS = 1
    STATE = 2
    LAYOUT = 3

    @classmethod
    def parse(cls, text: str) -> Level:
        """Return the level called `text`; raises ValueError that lists the names."""
        try:
            return cls[text.upper()]
        except KeyError:
            names = ", ".join(level.name.lower() for level in cls)
            raise ValueError(f"unknown level {text!r}: expected one of {names}") from None


@dataclass(frozen=True, slots=True)
class At:
    """A byte range: `length` bytes at `off` (bytes from the start) of `file`."""

    file: str
    off: int
    length: int

    def to_json(self) -> dict[str, Json]:
        """Return ``{"file", "off", "len"}``."""
        return {"file": self.file, "off": str(self.off), "len": str(self.length)}


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its type by the spec's name, its fields, and where it stands.

    `fields` maps the spec's field names to ``int``, ``str``, ``bytes`` or lists
    of those. `role` says what the file that holds it is for recovery.
    """

    type: str
    fields: Mapping[str, object]
    at: At

    def to_json(self) -> dict[str, Json]:
        """Return the record as one flat JSON object with ``type`` and ``at``."""
        return {"type": self.type, **jsonable(self.fields), "at": self.at.to_json()}


@dataclass(frozen=True, slots=True)
class Dropped:
    """A byte range that a reader did not take as records, and why (a spec reason)."""

    file: str
    off: int
    length: int
    reason: str

    def to_json(self) -> dict[str, Json]:
        """Return ``{"file", "off", "len", "reason"}``."""
        return {"file": self.file, "off": str(self.off), "len": str(self.length), "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth saying that changes no result (a spec note code)."""

    code: str
    file: str = ""
    off: int | None = None
    text: str = ""

    def to_json(self) -> dict[str, Json]:
        """Return the note with only the members that carry something."""
        out: dict[str, Json] = {"code": self.code}
        if self.file:
            out["file"] = self.file
        if self.off is not None:
            out["off"] = str(self.off)
        if self.text:
            out["text"] = self.text
        return out


@dataclass(frozen=True, slots=True)
class FileMap:
    """One file of the set at level ``layout``: its length, role and header fields.

    `content` is what a file says as a whole that is neither data nor damaged,
    such as what is still to be done to other files.
    """

    file: str
    length: int
    role: str
    header: Mapping[str, object] = field(default_factory=dict)
    content: Mapping[str, object] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """Return ``{"file", "len", "role", "header"}``, and ``content`` if there is any."""
        out = {
            "file": self.file,
            "len": str(self.length),
            "role": self.role,
            "header": jsonable(self.header),
        }
        return out | ({"content": jsonable(self.content)} if self.content else {})


@dataclass(frozen=True, slots=True)
class Observation:
    """The whole answer of a reader or of recovery for one journal."""

    verdict: str
    records: tuple[Record, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    state: Mapping[str, object] | None = None
    files: tuple[FileMap, ...] = ()
    notes: tuple[Note, ...] = ()
    phase: str | None = None
    code: str | None = None
    message: str = ""
    #: Where the reader stood when it refused; part of level ``layout``.
    at: At | None = None
    #: Forensic finds that never enter the result (records outside the log).
    unanchored: tuple[Record, ...] = ()

    @property
    def given_up(self) -> tuple[Record, ...]:
        """Return the unanchored records in what was given up: had that been sound, they might count.

        That is a dropped region, or a file that cannot be used. The others stand where
        records of no account are normal (behind the end of the log, of an earlier life).
        """
        unusable = {entry.file for entry in self.files if entry.role == "invalid"}
        regions = [(region.file, region.off, region.off + region.length) for region in self.dropped]
        return tuple(
            record
            for record in self.unanchored
            if record.at.file in unusable
            or any(file == record.at.file and start <= record.at.off < end for file, start, end in regions)
        )

    def to_json(self, level: Level = Level.LAYOUT) -> dict[str, Json]:
        """Return the observation as the protocol's JSON object, cut to `level`."""
        out: dict[str, Json] = {"verdict": self.verdict}
        if self.verdict == REFUSED:
            out["phase"] = self.phase
            out["code"] = self.code
        if self.message:
            out["message"] = self.message
        if level >= Level.RECORDS:
            out["records"] = [record.to_json() for record in self.records]
        if level >= Level.STATE and self.state is not None:
            out["state"] = jsonable(self.state)
        if level >= Level.LAYOUT:
            out["dropped"] = [region.to_json() for region in self.dropped]
            out["files"] = [entry.to_json() for entry in self.files]
            out["notes"] = [note.to_json() for note in self.notes]
            if self.at is not None:
                out["at"] = self.at.to_json()
            if self.unanchored:
                out["unanchored"] = [record.to_json() for record in self.unanchored]
        return out


def refused(phase: str, code: str, message: str, at: At | None = None, **more: Any) -> Observation:
    """Return a refusal in `phase` with the spec's `code`; `message` is for people."""
    return Observation(REFUSED, phase=phase, code=code, message=message, at=at, **more)


def jsonable(value: object) -> Json:
    """Return `value` under the JSON rules of this module.

    int -> decimal string, bytes -> hex, bool stays bool, mappings and sequences
    element by element, str and None as they are. Raises TypeError on anything
    else (a float has no place in a journal).
    """
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no JSON form here: {value!r}")
