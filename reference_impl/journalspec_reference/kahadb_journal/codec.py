"""Decodes batches, records and commands at given offsets. It does not read files or search.

A small parser of Protocol Buffers reads commands as the product does. The parser skips unknown fields, keeps
the last value of a repeated field, merges nested messages, and requires no field (KHD-CMD-002 to
KHD-CMD-008).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from struct import Struct
from typing import Any

from journalspec.formats import get_format
from journalspec.kahadb_journal import LAYOUT
from journalspec.kahadb_journal.commands import BITS, SIZED, VARINT, messages

FORMAT = "kahadb_journal"
#: Sizes (bytes): a control record; the length and type of a record; an end marker.
CONTROL, HEAD, MARKER = 28, 5, 5
END_MARKER = b"-qMa4"
#: A larger batch is damage (KHD-SCN-002).
MOST = 2147483614
USER, BATCH = 1, 2
#: The possible checksums of an empty batch: 0 (no checksum), or 1 (the Adler-32 of zero bytes; KHD-END-009).
OF_NOTHING = (0, 1)
#: The command after which the remaining bytes of a file can repeat another file. The same editions have this
#: command and the end marker.
REWRITTEN = "REWRITTEN_DATA_FILE"
#: The code of a record with an empty payload, which has no command number.
OTHER = 255
_FIXED = {1: 8, 5: 4}
#: The bits of a wire type that are 0 in both VARINT and SIZED.
_FIXED_BITS = ~(VARINT | SIZED)
_LONGEST = 10
#: Nested messages up to this size (bytes) are cached, at most this many.
_REMEMBERED, _MOST_REMEMBERED = 256, 1024
#: A parsed record: its command and fields, or the reason why it is not a command.
Parsed = tuple[str, Mapping[str, Any]] | str


@dataclass(frozen=True)
class Dialect:
    """The differences between editions: the beginning of a batch, the end of a log, the payloads."""

    edition: str

    @cached_property
    def start(self) -> bytes:
        """The first 16 bytes of a control record (KHD-BAT-012)."""
        return LAYOUT.build("header", self.edition)[: CONTROL - 12]

    @cached_property
    def commands(self) -> Mapping[int, str]:
        """Maps a number to its command. It is empty in the edition of the seed."""
        return {number: name for name, number in LAYOUT.types(self.edition).items()}

    @cached_property
    def marked(self) -> bool:
        """Whether an end marker comes after each batch (KHD-END-001)."""
        return REWRITTEN in self.commands.values()

    @cached_property
    def bare(self) -> bool:
        """Whether only the end of the file ends a log (KHD-SED-003)."""
        return not self.commands


DIALECTS = {edition: Dialect(edition) for edition in get_format(FORMAT).editions}

#: Batch size and checksum of the control record at an offset.
sums = Struct(">16xiq").unpack_from
#: The first 16 bytes of a control record, its batch size and checksum, and the start of the record after it.
batch_head = Struct(">16siqiBB").unpack_from
#: Length and type of the record at an offset, without and with the first byte of its payload.
head, head_and_code = Struct(">iB").unpack_from, Struct(">iBB").unpack_from


class CommandError(ValueError):
    """The payload is not a command. The text says why (KHD-CMD-002, KHD-CMD-004)."""


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the unsigned varint at `at`, and the offset after it. Raises CommandError."""
    value = shift = 0
    for byte in data[at : at + _LONGEST]:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value & (1 << 64) - 1, at + shift // 7
    if len(data) - at < _LONGEST:
        raise CommandError(f"a varint at {at} does not end")
    raise CommandError(f"a varint at {at} has more than {_LONGEST} bytes")


def ends(data: bytes, at: int, length: int) -> bool:
    """Return whether the command of the record at `at`, which has `length` bytes, ends with the record."""
    try:
        size, start = varint(data, at + HEAD + 1)
    except CommandError:
        return False
    return start + size == at + length


def frame(payload: bytes, names: Mapping[int, str]) -> tuple[str, bytes, int]:
    """Return the name of a command, its message, and the number of bytes after it; raises CommandError."""
    if not payload:
        raise CommandError("the payload is empty")
    # Most lengths have one or two bytes.
    short = len(payload) > 1 and payload[1] < 0x80
    size, at = (payload[1], 2) if short else varint(payload, 1)
    if at > 6 or size > 0x7FFFFFFF:
        raise CommandError("the length of the message is not a 31-bit number")
    if size > len(payload) - at:
        raise CommandError(f"the message has {size} bytes and {len(payload) - at} are there")
    if payload[0] not in names:
        raise CommandError(f"no command has the number {payload[0]}")  # KHD-CMD-009
    return names[payload[0]], payload[at : at + size], len(payload) - at - size


def command(payload: bytes, names: Mapping[int, str]) -> tuple[str, dict[str, Any], int]:
    """Return a command's name, its fields, and the number of bytes after it; raises CommandError."""
    name, message, surplus = frame(payload, names)
    return name, parse(name, message), surplus


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


@cache
def _fields(name: str) -> tuple[dict[int, tuple[str, str]], frozenset[int]]:
    """Return a map from key to name and type of each field of a message, and the numbers of its fields."""
    table = messages()[name]
    slots = {slot.number << 3 | slot.wire: (slot.name, slot.holds) for slot in table.values()}
    return slots, frozenset(number for number, _ in table)


def parse(name: str, data: bytes, known: Mapping[str, Any] = {}) -> dict[str, Any]:  # noqa: C901, PLR0912
    """Return the fields of message `name` in `data`, added to the fields `known`. Raises CommandError."""
    slots, numbers = _fields(name)
    out: dict[str, Any] = {**known}
    at, end = 0, len(data)
    while at < end:
        # Most keys, numbers and lengths have one byte.
        key = data[at]
        at += 1
        slot = slots.get(key)
        if slot is None:
            if key > 0x7F:
                key, at = varint(data, at - 1)
            number = key >> 3 & 0x1FFFFFFF
            if not number:
                raise CommandError("a field has the number 0")
            slot = slots.get(key & 0xFFFFFFFF)
        wire = key & 7
        if not wire & _FIXED_BITS:
            value = data[at] if at < end else 0x80
            at += 1
            if value > 0x7F:
                value, at = varint(data, at - 1)
            if slot is not None and wire == VARINT:
                field, holds = slot
                amount = value if value <= 0x7F else _signed(value, BITS[holds])
                out[field] = bool(amount) if holds == "bool" else amount
                continue
            size = value if wire == SIZED else 0
        elif wire in _FIXED:
            size = _FIXED[wire]
        else:
            raise CommandError(f"field {number} has the wire type {wire}")
        start = at
        at += size
        if at > end:
            raise CommandError(f"field {key >> 3 & 0x1FFFFFFF} reaches beyond its message")
        if slot is None:
            if number in numbers:
                raise CommandError(f"field {number} has the wire type {wire}")
            continue
        field, holds = slot
        if holds == "str":
            out[field] = data[start:at].decode("utf-8", "replace")
        elif holds == "bytes":
            out[field] = data[start:at]
        elif field in out:
            out[field] = parse(holds, data[start:at], out[field])
        else:
            read = parse if size > _REMEMBERED else _remembered
            out[field] = read(holds, data[start:at])
    return out


#: The fields of small nested messages are cached, because a journal repeats a few of them very often.
_remembered = lru_cache(_MOST_REMEMBERED)(parse)


def places(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the key, start and end of each field. Raises CommandError at a number that does not end."""
    while at < end:
        # Almost all keys, and most numbers and lengths, have one byte.
        key = data[at]
        at += 1
        if key > 0x7F:
            key, at = varint(data, at - 1)
        wire = key & 7
        if wire in (VARINT, SIZED):
            value, after = (data[at], at + 1) if at < end else (0x80, at)
            if value > 0x7F:
                value, after = varint(data, at)
            at, after = (after, after + value) if wire == SIZED else (at, after)
        else:
            after = at + _FIXED.get(wire, 0)
        yield key, at, after
        at = after


def blobs(payload: bytes, names: Mapping[int, str]) -> Iterator[tuple[str, int, int]]:
    """Yield the name, start and end of each bytes field in a sound payload; raises CommandError."""
    command, message, surplus = frame(payload, names)
    slots, _ = _fields(command)
    end = len(payload) - surplus
    for key, start, after in places(payload, end - len(message), end):
        name, holds = slots.get(key, ("", ""))
        if holds == "bytes":
            yield name, start, after


def parsed(payload: bytes, dialect: Dialect) -> Parsed:
    """Return the command of a payload, or the reason why it has none."""
    try:
        name, message, _ = frame(payload, dialect.commands)
        return name, parse(name, message)
    except CommandError as error:
        return str(error)
