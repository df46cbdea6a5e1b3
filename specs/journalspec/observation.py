"""The vocabulary in which implementations of all formats report a journal.

JSON rules: every integer is a decimal string, bytes are lower-case hex, enum values are the spec's names, so
that no language loses bits of a 64-bit integer. In Python the same integers are plain ``int`` until
:meth:`Observation.to_json` is called.

The levels in ascending order, each of which contains the previous level: ``verdict`` < ``records`` <
``state`` < ``layout``. An implementation is compared at the level that it declares.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from journalspec.reread import Lazy, Part

#: A JSON value in the protocol, which contains no JSON numbers.
Json = Any  # a recursive alias would not help type checkers or readers

CLEAN = "clean"
RECOVERED = "recovered"
REFUSED = "refused"
VERDICTS = (CLEAN, RECOVERED, REFUSED)

#: The phases in which a refusal can happen, in the order in which a reader passes through them.
PHASES = ("fileset", "header", "record", "checksum", "transaction", "replay")


class Level(IntEnum):
    """The level of detail of an observation that an implementation claims to report."""

    VERDICT = 0
    RECORDS = 1
    STATE = 2
    LAYOUT = 3
    #: The content of queues and tables. No other level requires this level, and this level requires all
    #: others.
    CONTENTS = 4

    @classmethod
    def parse(cls, text: str) -> Level:
        """Return the level with the name `text`; raises ValueError that lists the names."""
        try:
            return cls[text.upper()]
        except KeyError:
            names = ", ".join(level.name.lower() for level in cls)
            raise ValueError(f"unknown level {text!r}: expected one of {names}") from None


class Item:
    """A part of an observation that is one JSON object."""

    __slots__ = ()

    def members(self) -> dict[str, object]:
        """Return the members of the object with their Python values."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Json]:
        """Return the object under the JSON rules."""
        return {name: jsonable(value) for name, value in self.members().items()}


@dataclass(frozen=True, slots=True)
class At(Item):
    """Represents a byte range: `length` bytes at `off` (bytes from the start) of `file`."""

    file: str
    off: int
    length: int

    def members(self) -> dict[str, object]:
        """Return ``{"file", "off", "len"}``."""
        return {"file": self.file, "off": self.off, "len": self.length}


@dataclass(frozen=True, slots=True)
class Record(Item):
    """Represents one record: its type by the spec's name, its fields, and its position.

    `fields` maps the spec's field names to ``int``, ``str``, ``bytes`` or lists of those. `role` is the
    role of the containing file for recovery.
    """

    type: str
    fields: Mapping[str, object]
    at: At

    def members(self) -> dict[str, object]:
        """Return the record as one flat mapping with ``type`` and ``at``."""
        return {"type": self.type, **self.fields, "at": self.at}


@dataclass(frozen=True, slots=True)
class Dropped(Item):
    """Represents a byte range that a reader did not accept as records, and the reason (from the spec)."""

    file: str
    off: int
    length: int
    reason: str

    @property
    def end(self) -> int:
        """The offset after its last byte."""
        return self.off + self.length

    def members(self) -> dict[str, object]:
        """Return ``{"file", "off", "len", "reason"}``."""
        return {"file": self.file, "off": self.off, "len": self.length, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Missing(Item):
    """Represents a part that belongs to the journal but is missing, and the proof of that.

    `code` is a name in the format's table ``[missing]``; `name` identifies the missing thing (the name of a
    file, the id of a record or transaction as text). The proof is in `file`. It is at `off` if it has a
    single position. `count` is the number of affected messages, records or rows (see the table), None if it
    is unknown. `text` is for people and is not compared. If something is missing, the verdict is never clean.
    """

    code: str
    name: str
    file: str = ""
    off: int | None = None
    count: int | None = None
    text: str = ""

    def members(self) -> dict[str, object]:
        """Return the entry without empty members."""
        out: dict[str, object] = {"code": self.code, "name": self.name}
        out |= {"file": self.file} if self.file else {}
        out |= {"off": self.off} if self.off is not None else {}
        out |= {"count": self.count} if self.count is not None else {}
        return out | ({"text": self.text} if self.text else {})


@dataclass(frozen=True, slots=True)
class Note(Item):
    """Represents a remark that changes no result. Its code is a note code of the spec."""

    code: str
    file: str = ""
    off: int | None = None
    text: str = ""

    def members(self) -> dict[str, object]:
        """Return the note without empty members."""
        out: dict[str, object] = {"code": self.code}
        if self.file:
            out["file"] = self.file
        if self.off is not None:
            out["off"] = self.off
        if self.text:
            out["text"] = self.text
        return out


@dataclass(slots=True)
class FileMap(Item):
    """Represents one file of the set at level ``layout``: its length, role and header fields.

    `content` is the meaning of a file that is neither data nor damaged, such as pending changes of other
    files. A FileMap never changes. Like an Observation, it is not frozen, because that takes longer.
    """

    file: str
    length: int
    role: str
    header: Mapping[str, object] = field(default_factory=dict)
    content: Mapping[str, object] = field(default_factory=dict)

    def members(self) -> dict[str, object]:
        """Return ``{"file", "len", "role", "header"}``, and ``content`` if there is any."""
        out = {"file": self.file, "len": self.length, "role": self.role, "header": self.header}
        return out | ({"content": self.content} if self.content else {})


@dataclass(slots=True)
class Observation:
    """Represents the complete answer of a reader or of recovery for one journal.

    It never changes. The class is not frozen, because frozen objects would take four times as long to create.

    The long sequences of a large journal, those in `state` among them, are read again from its files at each
    iteration (:mod:`.reread`).
    """

    verdict: str
    records: Sequence[Record] = ()
    dropped: Sequence[Dropped] = ()
    state: Mapping[str, object] | None = None
    files: Sequence[FileMap] = ()
    notes: Sequence[Note] = ()
    phase: str | None = None
    code: str | None = None
    message: str = ""
    #: The position of the reader when it refused. This is part of level ``layout``.
    at: At | None = None
    #: Forensic findings (records outside the log). They are never part of the result.
    unanchored: Sequence[Record] = ()
    #: Parts of the journal that are missing, in the order of the format's ``[lists]``.
    missing: Sequence[Missing] = ()
    #: Part of level ``contents``: the rows of each table in JSON form; None if the level was not requested.
    contents: Mapping[str, object] | None = None
    #: The number of items that were found but are not in the answer, by name, for summaries.
    tallies: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    #: The refusal of strict recovery, if the journal reads cleanly. It is not part of the answer.
    unfit: Observation | None = field(default=None, compare=False, repr=False)
    #: A function that continues the pass under another policy and returns the answer of that policy. It works
    #: only once, and is not part of the data of a refusal.
    go_on: Callable[[str], Observation | None] | None = field(default=None, compare=False, repr=False)

    @property
    def given_up(self) -> Sequence[Record]:
        """Return the unanchored records in dropped bytes; they might be live if those bytes were intact.

        Dropped bytes are a dropped region, or a file that cannot be used. Other unanchored records are
        normal: they lie after the end of the log, or belong to an earlier generation. Takes 16 bytes of
        memory for each dropped region.
        """
        if isinstance(self.unanchored, Lazy):
            return Lazy([Part("", self.each_given_up, sum(1 for _ in self.each_given_up()))])
        return tuple(self.each_given_up())

    def each_given_up(self) -> Iterator[Record]:
        """Yield the records in :attr:`given_up`. Counting them reads the files once more."""
        if not self.unanchored:
            return
        unusable = {entry.file for entry in self.files if entry.role == "invalid"}
        given = _Regions(self.dropped)
        for record in self.unanchored:
            if record.at.file in unusable or given.hold(record.at):
                yield record

    def members(self, level: Level = Level.LAYOUT) -> dict[str, object]:
        """Return the members of the protocol's JSON object, cut to `level`, with their Python values."""
        out: dict[str, object] = {"verdict": self.verdict}
        if self.verdict == REFUSED:
            out["phase"] = self.phase
            out["code"] = self.code
        if self.message:
            out["message"] = self.message
        if level >= Level.RECORDS:
            out["records"] = self.records
        if level >= Level.STATE and self.state is not None:
            out["state"] = self.state
        if level >= Level.LAYOUT:
            out["dropped"] = self.dropped
            if self.missing:
                out["missing"] = self.missing
            out |= {"files": self.files, "notes": self.notes}
            if self.at is not None:
                out["at"] = self.at
            if self.unanchored:
                out["unanchored"] = self.unanchored
        if level >= Level.CONTENTS and self.contents is not None:
            out["contents"] = self.contents
        return out

    def to_json(self, level: Level = Level.LAYOUT) -> dict[str, Json]:
        """Return the observation as the protocol's JSON object, cut to `level`."""
        return {name: jsonable(value) for name, value in self.members(level).items()}


class _Regions:
    """Byte ranges of files, in ascending order within each, for questions about their content."""

    def __init__(self, regions: Sequence[Dropped]) -> None:
        self._found: dict[str, tuple[array[int], array[int]]] = {}
        for region in regions:
            starts, ends = self._found.setdefault(region.file, (array("q"), array("q")))
            starts.append(region.off)
            ends.append(region.off + region.length)

    def hold(self, at: At) -> bool:
        """Return whether `at` begins within one of the ranges."""
        starts, ends = self._found.get(at.file, ((), ()))
        index = bisect_right(starts, at.off) - 1
        return index >= 0 and at.off < ends[index]


def record_place(record: Record) -> tuple[str, int, int]:
    """Return the file, offset and length of a record."""
    return record.at.file, record.at.off, record.at.length


def region_place(region: Dropped) -> tuple[str, int, int]:
    """Return the file, offset and length of a dropped region."""
    return region.file, region.off, region.length


def note_place(note: Note) -> tuple[str, int, int]:
    """Return the file and offset that a note is about."""
    return note.file, note.off or 0, 0


def missing_place(entry: Missing) -> tuple[str, int, int]:
    """Return the file and offset of the bytes that prove a missing thing."""
    return entry.file, entry.off or 0, 0


def refused(phase: str, code: str, message: str, at: At | None = None, **more: Any) -> Observation:
    """Return a refusal in `phase` with the spec's `code`; `message` is for people."""
    return Observation(REFUSED, phase=phase, code=code, message=message, at=at, **more)


def jsonable(value: object) -> Json:  # noqa: PLR0911  # one for each kind of value
    """Return `value` under the JSON rules of this module.

    int -> decimal string, bytes -> hex, mappings and sequences element by element; bool, str and None are
    unchanged. Raises TypeError on anything else (a float has no place in a journal).
    """
    # Exact types are tested first, because nearly all values have these types, and further tests take longer.
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is int:
        return str(value)
    if kind is dict:
        return {str(key): jsonable(item) for key, item in value.items()}  # type: ignore[attr-defined]  # a dict
    if kind is bytes:
        return value.hex()  # type: ignore[attr-defined]  # bytes
    if isinstance(value, Item):
        return value.to_json()
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    # Plain types are tested first, because a test for a mapping takes longer than all other tests.
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [jsonable(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no JSON form here: {value!r}")
