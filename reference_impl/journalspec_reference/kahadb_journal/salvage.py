"""Finds records of damaged regions that are complete by their own structure and contents.

Nothing proves that such records are unchanged, because the checksum that covers them is wrong or missing.
Therefore a record is accepted only if its command and its OpenWire object can be read to the last byte.
Command and object must agree on the facts that both contain: the message's id, the destination, the
subscription. A withheld command is replaced by a TRACE of its length. A region becomes batches with new
checksums. Therefore the reader reads it like any other part of a journal.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from journalspec.kahadb_journal import checksum
from journalspec.observation import Dropped
from journalspec_reference.api import Files
from journalspec_reference.batches import source_of
from journalspec_reference.kahadb_journal.codec import (
    CONTROL,
    END_MARKER,
    HEAD,
    USER,
    CommandError,
    Dialect,
    command,
    ends,
    head,
    sums,
)
from journalspec_reference.kahadb_journal.contents import openwire
from journalspec_reference.kahadb_journal.store import destination_of
from journalspec_reference.kahadb_journal.write import control

#: Two bounds: the number of bytes searched in one damaged batch, and in all damaged batches.
_MOST_UNIT, _MOST = 16 << 20, 256 << 20
#: Reasons of regions that are not damaged batches.
_OTHERS = frozenset(["bad-command", "unreadable"])
#: A pattern of the bytes directly after the length of a record: the type, and the number of a command.
_BEGINS = re.compile(rb"(?=\x01[\x00-\x10])")
_MODULUS = 65521
_PREFIXES = {"QUEUE": "queue", "TOPIC": "topic", "TEMP_QUEUE": "temp-queue", "TEMP_TOPIC": "temp-topic"}
#: Commands that have an effect only together with other commands, and contain no fact that could be compared.
_ALONE = frozenset(["TRACE", "PREPARE", "COMMIT", "ROLLBACK", "PRODUCER_AUDIT", "ACK_MESSAGE_FILE_MAP"])
_STRUCTURE = "its length leads to the next record, and its command ends at the end of the record"


@dataclass(frozen=True, slots=True)
class Offered:
    """Represents a record of a damaged region.

    `why` is the reason to withhold the record. If `why` is empty, the record is taken because of its
    `checks`. `queue` and `id` are those of the record's message, as far as they can be read.
    """

    file: str
    off: int
    length: int
    command: str
    queue: str = ""
    id: str = ""
    checks: str = ""
    why: str = ""


@dataclass(slots=True)
class Mended:
    """Represents files in which complete records of damaged regions are in new, valid batches at their old
    offsets.
    """

    files: dict[str, Any]
    records: list[Offered] = field(default_factory=list)
    #: (File, offset, text) for each byte whose change alone would explain a wrong checksum.
    hypotheses: list[tuple[str, int, str]] = field(default_factory=list)


class _Patched:
    """The bytes of a file with some of them replaced. `patches` contains offsets and bytes, in order."""

    def __init__(self, data: Any, patches: Sequence[tuple[int, bytes]]) -> None:
        self._data, self._patches = data, patches
        self._starts = [start for start, _ in patches]

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, place: slice) -> bytes:
        start, end, _ = place.indices(len(self))
        out = bytearray(self._data[start:end])
        for at in range(max(bisect_left(self._starts, start) - 1, 0), len(self._patches)):
            first, new = self._patches[at]
            if first >= end:
                break
            low, high = max(first, start), min(first + len(new), end)
            if low < high:
                out[low - start : high - start] = new[low - first : high - first]
        return bytes(out)


def mended(files: Files, dropped: Iterable[Dropped], dialect: Dialect, version: int) -> Mended:
    """Return copies of the files that contain the complete records of `dropped` regions in valid batches.
    `version` is the OpenWire version.
    """
    out, left = Mended({**files}), _MOST
    regions: dict[str, list[Dropped]] = {}
    for region in dropped:
        if region.reason not in _OTHERS:
            regions.setdefault(region.file, []).append(region)
    for name, found in regions.items():
        patches: list[tuple[int, bytes]] = []
        for region in found:
            for at, unit in _units(files[name], region, dialect.start):
                left -= len(unit)
                if left < 0:
                    break
                walk = _Unit(name, at, unit, dialect, version)
                if walk.taken:
                    patches.append((at, walk.patched()))
                    out.records += walk.records
                    out.hypotheses += walk.hypotheses()
        out.files[name] = _Patched(files[name], patches)
    return out


def _units(data: Any, region: Dropped, start: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield offset and first bytes of each part of a region. Each control record begins a new part."""
    source, at, end, begun = source_of(data), region.off, region.off + region.length, True
    while at < end:
        piece = source.read(at, min(_MOST_UNIT, end - at))
        last = at + len(piece) == end
        begin = 0 if begun else piece.find(start)
        while begin >= 0 and (after := piece.find(start, begin + 1)) >= 0:
            yield at + begin, piece[begin:after]
            begin = after
        if begin > 0 and not last:
            at, begun = at + begin, True  # The part continues in the next piece.
            continue
        if begin >= 0:
            yield at + begin, piece[begin:]
        at += len(piece) if last else len(piece) - len(start) + 1
        begun = False


class _Unit:
    """Represents one damaged batch: the positions of its records, and their commands."""

    def __init__(self, file: str, at: int, data: bytes, dialect: Dialect, version: int) -> None:
        self._file, self._at, self._data, self._dialect, self._version = file, at, data, dialect, version
        size, self._sum = sums(data, 0) if len(data) >= CONTROL else (0, 0)
        self._whole = data.startswith(dialect.start) and 0 < size <= len(data) - CONTROL
        #: The end of the batch according to its header, or -1 if the header's length is impossible.
        self._said = CONTROL + size if self._whole else -1
        #: From this offset on, the batch contains only zeros.
        self._zeros = len(data.rstrip(b"\0"))
        self._spans = list(self._walked()) if len(data) > CONTROL else []
        self.records = [self._looked(start, data[start:end]) for start, end in self._spans]
        self.taken = sum(not record.why for record in self.records)

    def _ends(self, p: int) -> bool:
        """Return whether the batch can end at an offset."""
        if p in (self._said, len(self._data)):
            return True
        return not self._whole and (p >= self._zeros or self._data.startswith(END_MARKER, p))

    def _framed(self, p: int) -> bool:
        """Return whether a record begins at an offset, and its command ends exactly at the record's end."""
        data = self._data
        if p + HEAD + 2 > len(data):
            return False
        length, kind = head(data, p)
        fits = kind == USER and HEAD + 2 <= length <= len(data) - p
        return fits and data[p + HEAD] in self._dialect.commands and ends(data, p, length)

    def _walked(self) -> Iterator[tuple[int, int]]:
        """Yield begin and end of each record. The end follows from the record's length or, if this is
        damaged, from the next record.
        """
        data, p = self._data, CONTROL
        while not self._ends(p):
            length, kind = head(data, p) if len(data) - p >= HEAD else (0, 0)
            end = p + length
            sound = self._framed(p)
            if not sound and kind == USER and HEAD + 2 <= length <= len(data) - p:
                sound = self._framed(end) or self._ends(end)
            if not sound:
                end = self._next(p + HEAD + 2)
            if end < 0:
                return
            yield p, end
            p = end

    def _next(self, start: int) -> int:
        """Return the begin of the next record, or the end of the batch. Return -1 if both are unknown."""
        for found in _BEGINS.finditer(self._data, start + HEAD - 1):
            q = found.start() - HEAD + 1
            if self._framed(q):
                end = q + head(self._data, q)[0]
                if self._ends(end) or self._framed(end):
                    return q
        return self._said if self._said > start else -1

    def _looked(self, start: int, record: bytes) -> Offered:
        """Return a record with its command and checks. If the record is withheld, the reason is included."""
        name, queue, ident, why, checks = "", "", "", "", ""
        try:
            name, fields, surplus = command(record[HEAD:], self._dialect.commands)
        except CommandError as error:
            why = f"it is not a command: {error}"
        else:
            added = fields.get("add", {}) if name == "UPDATE_MESSAGE" else fields
            queue, ident = destination_of(added)[1], added.get("message_id", "")
            checks, why = _agrees(name, added, self._version)
            if surplus:
                why = f"{surplus} bytes follow its command"
        if not why and head(record, 0)[0] != len(record):
            checks += "; its length was damaged: the distance to the next record is used instead"
        return Offered(self._file, self._at + start, len(record), name or "?", queue, ident, checks, why)

    def patched(self) -> bytes:
        """Return this batch with the accepted records and a correct checksum."""
        body = bytearray()
        for (start, end), record in zip(self._spans, self.records, strict=True):
            size = (end - start).to_bytes(4, "big")
            payload = filler(end - start) if record.why else self._data[start + HEAD : end]
            body += size + bytes([USER]) + payload
        return control(bytes(body), self._dialect.edition) + body

    def hypotheses(self) -> Iterator[tuple[str, int, str]]:
        """Yield each byte whose change alone would explain the checksum and make its record readable."""
        if not self._whole or not self._spans or self._spans[-1][1] != self._said or not self._sum:
            return
        body, fits = self._data[CONTROL : self._said], []
        for at, value in single_bytes(body, self._sum):
            number = bisect_left(self._spans, at + CONTROL + 1, key=lambda span: span[0]) - 1
            start, end = self._spans[number]
            changed = bytearray(self._data[start:end])
            changed[at + CONTROL - start] = value
            trial = self._looked(start, bytes(changed))
            if not trial.why and head(changed, 0) == (len(changed), USER):
                fits.append((at + CONTROL, value, trial))
        if len(fits) == 1:
            ((at, value, record),) = fits
            yield (
                self._file,
                self._at + at,
                f"if one byte of this batch was changed, it is this one, 0x{self._data[at]:02x} instead of "
                f"0x{value:02x}, in {record.command} {record.id}: the checksum fits then, and the "
                "record can be read; it was not applied",
            )


def single_bytes(body: bytes, stored: int) -> Iterator[tuple[int, int]]:
    """Yield offset and value of each single byte that would give a body the stored Adler-32."""
    now = checksum(body)
    one = ((now & 0xFFFF) - (stored & 0xFFFF)) % _MODULUS
    two = ((now >> 16) - (stored >> 16 & 0xFFFF)) % _MODULUS
    change = one if one < 256 else one - _MODULUS
    if not change or not -256 < change < 256:
        return
    behind = two * pow(one, -1, _MODULUS) % _MODULUS
    for at in range(len(body) - behind, -1, -_MODULUS):
        if at < len(body) and 0 <= body[at] - change < 256:
            yield at, body[at] - change


def filler(length: int) -> bytes:
    """Return the payload of a TRACE whose record has `length` bytes, at least seven.

    Varints may use more bytes than necessary, so every length is possible.
    """
    for outer in range(1, 6):
        size = length - HEAD - 1 - outer
        if not size:
            return bytes([0]) + _wide(0, outer)
        for inner in range(1, 6):
            text = size - 1 - inner
            if 0 <= text < 1 << 7 * inner and size < 1 << 7 * outer:
                return bytes([0]) + _wide(size, outer) + b"\x0a" + _wide(text, inner) + b"." * text
    raise ValueError(f"no record has {length} bytes")


def _wide(value: int, width: int) -> bytes:
    """Return a varint of `width` bytes."""
    digits = [value >> 7 * at & 0x7F for at in range(width)]
    return bytes([*(digit | 0x80 for digit in digits[:-1]), digits[-1]])


def _agrees(name: str, fields: Mapping[str, Any], version: int) -> tuple[str, str]:
    """Return the checks of a command, and the reason to withhold it.

    An empty reason means that it is accepted.
    """
    if name in _ALONE:
        return _STRUCTURE, ""
    held = {"REMOVE_MESSAGE": "ack", "SUBSCRIPTION": "subscription_info", "ADD_SCHEDULED_JOB": "job"}
    data = fields.get(held.get(name, "message"), b"")
    if len(data) < 5 or int.from_bytes(data[:4], "big") != len(data) - 4:
        return _STRUCTURE, "it contains nothing that confirms its effect"
    found, _, wrong, odd = openwire.fields_of(data, version)
    checks = f"{_STRUCTURE}; its object can be read as OpenWire {version}"
    if wrong or odd:
        return checks, f"its OpenWire object cannot be read: {wrong or odd[0][1]}"
    said: dict[str, tuple[str | None, str | None]] = {}
    if name == "SUBSCRIPTION":
        key = f"{found.get('client_id')}:{found.get('name')}"
        said = {"subscription": (key, fields.get("subscription_key"))}
    elif name == "REMOVE_MESSAGE":
        said = {"message id": (_producer_key(found.get("last")), fields.get("message_id"))}
    else:
        if why := _unread(found):
            return checks, why
        checks += ", its body too"
        if name != "ADD_SCHEDULED_JOB":
            kind, queue = destination_of(fields)
            said = {
                "message id": (_producer_key(found.get("message_id")), fields.get("message_id")),
                "destination": (found.get("destination"), f"{_PREFIXES[kind]}://{queue}"),
            }
    differ = [what for what, (one, other) in said.items() if one != other]
    if differ:
        return checks, f"its object has another {' and '.join(differ)}"
    return "; both have the same ".join([checks, *([" and ".join(said)] if said else [])]), ""


def _unread(found: openwire.Fields) -> str:
    """Return which part of a message cannot be read, or an empty text if all parts can be read."""
    if found["kind"] not in openwire.KINDS:
        return "its object is not a message"
    problems = openwire.body(found, {"content": None})
    _, bad, strange = openwire.properties(found.get("properties"))
    odd = [text for _, text in (*problems, *strange)]
    return f"its body cannot be read: {bad or odd[0]}" if bad or odd else ""


def _producer_key(found: Mapping[str, Any] | None) -> str | None:
    """Return the id of a message in the form that commands use."""
    if found is None or found["producer"] is None:
        return None
    connection, value, session = found["producer"]
    return f"{connection}:{session}:{value}:{found['sequence']}"
