"""The common parts of all naive readers: a walk through the table of fields, and the expectations of cases.

A format's ``naive`` module is written from the specification and shares no code with the reference. It is
simple rather than fast, so that a person can check it. It computes the expectations of generated cases and of
random journals. It has ``read(files, edition)``, ``recover(files, edition, policy)`` and ``expected``.
Answers are observations as in cases, with plain integers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from journalspec.formats import get_format
from journalspec.layout import Field, Layout
from journalspec.observation import REFUSED
from journalspec_corpus.making import when

Files = Mapping[str, bytes | bytearray]
#: One record, or a complete answer, in the form of an observation.
Entry = Mapping[str, Any]


class Invalid(Exception):  # This is not an error, but the result of a check.
    """The bytes are not a valid record; `end` is their end, if it is known."""

    def __init__(self, reason: str, end: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.end = reason, end


def require(holds: bool, why: str) -> None:
    """Raise Invalid unless the condition holds."""
    if not holds:
        raise Invalid(why)


@dataclass
class Scanned:
    """Represents one file: the reason why it is `unusable`, or its records, dropped regions and notes.

    `rank` is the number in its header that determines which file is newer. `replayed` contains the records in
    the order of recovery, if that differs from the order in the file. `boundaries` are the offsets where its
    records begin and end, if the format needs them. `notes` are codes, `noted` are their places and texts.
    """

    name: str
    size: int
    unusable: str = ""
    rank: int = 0
    records: list[Entry] = field(default_factory=list)
    dropped: list[dict[str, Any]] = field(default_factory=list)
    replayed: list[Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    noted: list[dict[str, Any]] = field(default_factory=list)
    missing: list[dict[str, Any]] = field(default_factory=list)
    boundaries: list[int] = field(default_factory=list)

    def add(self, record: Entry, off: int, end: int) -> None:
        """Add a record that extends from `off` to `end`."""
        self.records.append({**record, "at": {"file": self.name, "off": off, "len": end - off}})

    def drop(self, off: int, end: int, reason: str) -> None:
        """Add a region without a record."""
        self.dropped.append({"file": self.name, "off": off, "len": end - off, "reason": reason})

    def note(self, code: str, off: int, text: str = "") -> None:
        """Add a note, its position, and its text if the format defines one."""
        self.notes.append(code)
        self.noted.append({"code": code, "file": self.name, "off": off, **({"text": text} if text else {})})

    def lost(self) -> list[dict[str, Any]]:
        """Return the dropped regions. An unusable file is one region."""
        whole = {"file": self.name, "off": 0, "len": self.size, "reason": self.unusable}
        return [whole] if self.unusable else self.dropped


class Taker:
    """Reads bytes one part after another."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def take(self, size: int) -> bytes:
        """Take `size` bytes; raises Invalid (malformed) if there are fewer."""
        require(0 <= size <= len(self.data) - self.at, "malformed")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, size: int, *, signed: bool = True) -> int:
        """Take a number of a fixed width."""
        return int.from_bytes(self.take(size), "big", signed=signed)


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return the key by which names of files sort: runs of digits as numbers."""
    parts = re.split(r"(\d+)", name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part]


def end_of(record: Entry) -> int:
    """Return the offset after a record."""
    return int(record["at"]["off"] + record["at"]["len"])


def refused(phase: str, code: str) -> dict[str, Any]:
    """Return the answer of a refusal: there is no result."""
    return {"verdict": REFUSED, "phase": phase, "code": code}


def decoded(
    layout: Layout, edition: str, data: bytes, structure: str = "record"
) -> tuple[dict[str, Any], int]:
    """Return the values of the record at the start of `data`, field by field, and the end of the record.

    A record may begin with, or consist of, other structures of the table.

    Raises Invalid (malformed) if a field leaves the data, a number is out of the table's bounds, or a length
    contradicts the fields that it counts.
    """
    form = layout.structure(structure, edition)
    out: dict[str, Any] = {}
    starts: dict[str, int] = {}
    at = 0

    def take(item: Field, length: int) -> Any:
        nonlocal at
        if length < 0 or at + length > len(data):
            raise Invalid("malformed")
        raw, at = data[at : at + length], at + length
        if not item.is_int:
            return raw
        value = item.integer(raw)
        if (item.low is not None and value < item.low) or (item.high is not None and value > item.high):
            raise Invalid("malformed")
        return value

    for item in form.fields:
        starts[item.name] = at
        if item.type == "list":
            out[item.name] = list(_elements(item, out[item.count], take))
        elif item.fills:
            (counted,) = (other for other in form.fields if other.name == item.fills)
            out[item.name] = take(item, starts[counted.counts[0]] + out[item.fills] - at)
        else:
            out[item.name] = take(item, out[item.length] if item.length else item.width)
    return out, at


def _elements(item: Field, count: int, take: Any) -> Iterator[dict[str, Any]]:
    """Yield the elements of a list, as long as bytes are left."""
    if count < 0:
        raise Invalid("malformed")
    for _ in range(count):
        row: dict[str, Any] = {}
        for member in item.of:
            row[member.name] = take(member, row[member.length] if member.length else member.width)
        yield row


#: The functions ``read`` and ``recover`` of a naive reader.
Read = Callable[[Files, str], dict[str, Any]]
Recover = Callable[[Files, str, str], dict[str, Any]]


def asked(
    read: Read, recover: Recover, format_id: str, files: Files, edition: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every question to a naive reader, and its answer."""
    yield "read", read(files, edition)
    for policy in get_format(format_id).policies:
        yield f"recover.{policy}", recover(files, edition, policy)


def all_expected(answers: Iterable[tuple[str, Entry]], brief: Sequence[str]) -> list[dict[str, Any]]:
    """Return the expectations for all questions; they list all members of the results."""
    out = []
    for question, seen in answers:
        members: tuple[str, ...] = ("phase", "code", "at")
        if seen["verdict"] != REFUSED:
            members = ("records", "dropped", "missing", "state", "notes", "noted", "unnoted")
        out.append(expectation(question, seen, members, brief))
    return out


#: Members of an expectation that list notes or their codes.
_CODES = ("notes", "noted", "unnoted")


def expectation(
    question: str, seen: Entry, members: Sequence[str], brief: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the expectation for a question: those `members` that `seen` contains.

    Records are expected with the fields in `brief` (empty: all).
    """
    answer = {"when": when(question), "verdict": seen["verdict"]}
    # These are required or forbidden notes; an empty list would have no effect.
    answer |= {name: seen[name] for name in members if name in seen and (seen[name] or name not in _CODES)}
    if brief and "records" in answer:
        answer["records"] = [{key: entry[key] for key in brief if key in entry} for entry in seen["records"]]
    return answer
