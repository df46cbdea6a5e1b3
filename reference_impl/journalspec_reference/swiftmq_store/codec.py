"""Decodes the bytes of pages, of the entries of indexes, of messages, prepared branches and swap files.

A page does not store its own type: the caller chooses the function by the reference that leads to the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Any, NamedTuple

from journalspec import mutf8

#: Represents "no page" and "no transaction id".
NONE = -1
#: The sizes of the headers of an index page and of a message page, and the size of an entry in a queue index.
INDEX_HEADER, CHAIN_HEADER, QUEUE_ENTRY = 17, 13, 33
#: Page sizes are multiples of 2 KB; a reader accepts every size that has room for the headers.
SMALLEST_PAGE = INDEX_HEADER + QUEUE_ENTRY
#: The queue that contains the prepared branches.
PREPARED = b"sys$prepared"
#: The first byte of a free page.
FREE = b"\1"
_INDEX = Struct(">xiiii")
_CHAIN = Struct(">Biii")
_ENTRY = Struct(">Biiqqi")
#: An entry in an index, followed by 4 unused bytes.
_SLOT = Struct(_ENTRY.format + "4x")
_NAMED, _NUMBER = Struct(">Bi"), Struct(">i")


class BadStore(ValueError):
    """Bytes that do not have the expected form."""


class QueueEntry(NamedTuple):
    """The entry of a message in a queue's index. It contains facts about the message, and its first page."""

    priority: int
    deliveries: int
    expiration: int
    key: int
    page: int


class Branch(NamedTuple):
    """The part of a prepared branch in one queue: messages that it removes (kind 0) or inserts (kind 1).

    `time` is the time when the branch was prepared, in milliseconds since 1970.
    """

    format_id: int
    gtrid: bytes
    bqual: bytes
    routing: bool
    queue: str
    kind: int
    entries: list[QueueEntry]
    time: int


def decoded(string: bytes) -> str:
    """Return the text of a string; raises UnicodeDecodeError unless it is modified UTF-8."""
    return string.decode("ascii") if string.isascii() else mutf8.decode(string)


def queue_bytes(name: str) -> bytes:
    """Return the name of a queue as stored. `name` is from the name of a file, which need not be UTF-8."""
    return name.encode("utf-8", "surrogatepass")


class Cursor:
    """Reads forward. Raises BadStore before it would read beyond the end."""

    __slots__ = ("data", "end", "off")

    def __init__(self, data: Any, off: int = 0, end: int | None = None) -> None:
        self.data = data
        self.off = off
        self.end = len(data) if end is None else end

    def room(self, length: int) -> int:
        """Skip `length` bytes. Return their start offset."""
        off = self.off
        if not 0 <= length <= self.end - off:
            raise BadStore(f"{length} bytes at {off} do not fit")
        self.off = off + length
        return off

    def take(self, length: int) -> bytes:
        """Read `length` bytes."""
        off, end = self.off, self.off + length
        if not off <= end <= self.end:
            raise BadStore(f"{length} bytes at {off} do not fit")
        self.off = end
        return bytes(self.data[off:end])

    def number(self, length: int, *, signed: bool = False) -> int:
        """Read a number of `length` bytes."""
        off, end = self.off, self.off + length
        if end > self.end:
            raise BadStore(f"{length} bytes at {off} do not fit")
        self.off = end
        return int.from_bytes(self.data[off:end], signed=signed)

    def utf(self) -> bytes:
        """Read a string without decoding its modified UTF-8."""
        return self.take(self.number(2))

    def text(self, length: int) -> str:
        """Read a string of `length` bytes."""
        try:
            return decoded(self.take(length))
        except UnicodeDecodeError as bad:
            raise BadStore(f"no modified UTF-8 before {self.off}") from bad

    def blob(self) -> bytes:
        """Read length-prefixed bytes."""
        return self.take(self.number(4, signed=True))

    def count(self, least: int) -> int:
        """Read the number of items of at least `least` bytes each. There must be room for all items."""
        number = self.number(4, signed=True)
        if not 0 <= number * least <= self.end - self.off:
            raise BadStore(f"{number} things do not fit at {self.off}")
        return number


def is_free(page: bytes) -> bool:
    """Return whether a page is free: its first byte is 1. Any other value means that it is used."""
    return page[0] == 1


def index(page: bytes) -> tuple[int, int, int, int]:
    """Return the header of an index page: previous page, next page, number of entries, number of valid
    entries.

    The number of valid entries is not checked.
    """
    prev, following, slots, valid = _INDEX.unpack_from(page)
    if slots < 0:
        raise BadStore(f"an index page with {slots} entries")
    return prev, following, slots, valid


def root_slots(page: bytes, slots: int) -> list[tuple[int, bytes, int, int, int]]:
    """For each root index entry, return first byte, name and first page of the queue, begin and end."""
    found, off, size = [], INDEX_HEADER, len(page)
    for _ in range(slots):
        name_at = off + _NAMED.size
        valid, length = _NAMED.unpack_from(page, off) if name_at <= size else (0, NONE)
        name_end = name_at + length
        # A page number and 4 unused bytes follow the name.
        end = name_end + 8
        if length < 0 or end > size:
            # One of these calls raises BadStore for the part that does not fit.
            cursor = Cursor(page, off)
            cursor.room(1), cursor.blob(), cursor.room(4), cursor.room(4)
        (head,) = _NUMBER.unpack_from(page, name_end)
        found.append((valid, page[name_at:name_end], head, off, end))
        off = end
    return found


def queue_slots(page: bytes, slots: int) -> Iterator[tuple[int, ...]]:
    """Yield the first byte and the members of QueueEntry for each entry on a page of a queue index."""
    end = INDEX_HEADER + slots * QUEUE_ENTRY
    if end > len(page):
        raise BadStore(f"{slots} entries do not fit into a page")
    return _SLOT.iter_unpack(page[INDEX_HEADER:end])


def chain(page: bytes) -> tuple[int, int, int]:
    """Return the header of a page of a message: previous page, next page, length of the header and its bytes.

    The length can be greater than the length of the page.
    """
    _, prev, following, length = _CHAIN.unpack_from(page)
    if length < CHAIN_HEADER:
        raise BadStore(f"a page of a message with {length} bytes")
    return prev, following, length


def alone(page: bytes) -> bytes:
    """Return the message on a page if it has only that page, as most messages have.

    If the result is empty, it may have more pages.
    """
    mark, prev, following, length = _CHAIN.unpack_from(page)
    if mark or prev != NONE or following != NONE or not CHAIN_HEADER <= length <= len(page):
        return b""
    return page[CHAIN_HEADER:length]


def blob_place(cursor: Cursor) -> tuple[int, int]:
    """Skip length-prefixed bytes. Return their start and end offset."""
    start = cursor.room(cursor.number(4, signed=True))
    return start, cursor.off


#: The layout at the beginning of every message.
FIXED = Struct(">iqiqii?")
#: The forms of a message's optional parts: a string, the name of a queue or topic, properties. A byte before
#: each part states whether it is present.
_STRING, _DESTINATION, _PROPERTIES = range(3)
_OPTIONAL = (*[_STRING] * 5, *[_DESTINATION] * 2, _PROPERTIES, *[_STRING] * 3)
_ABSENT = bytes(len(_OPTIONAL))
#: The size of the fixed part, and of a message without optional parts up to its body.
_FIXED_SIZE, _PLAIN_SIZE = FIXED.size, FIXED.size + len(_ABSENT)
#: The kind of a message, its optional parts if all are absent, and the length of a body of bytes.
_BYTES = Struct(f">i{FIXED.size - _NUMBER.size}x{len(_ABSENT)}si")
_BYTES_SIZE = _BYTES.size
#: The numeric types in a stream or in properties, by id; 8 is a blob and 9 a string.
PRIMITIVES = {kind: Struct(f">{code}") for kind, code in enumerate("iqdf?Hhb")}
BLOB, TEXT = 8, 9


#: Text messages are read this many bytes of strings at a time.
_STRETCH = 1 << 12


def _text(cursor: Cursor) -> None:
    left = cursor.count(2) if cursor.number(1) else 0
    while left:
        # There can be millions of empty strings, so a stretch of them is skipped at a time.
        stretch, at = bytes(cursor.data[cursor.off : min(cursor.end, cursor.off + _STRETCH)]), 0
        while left and at + 2 <= len(stretch):
            at += 2 + (stretch[at] << 8 | stretch[at + 1])
            left -= 1
        cursor.room(at or 2)


def _stream(cursor: Cursor) -> None:
    for _ in range(cursor.count(5)):
        kind = cursor.number(4, signed=True)
        if kind in {BLOB, TEXT}:
            cursor.room(cursor.number(4, signed=True) if kind == BLOB else cursor.number(2))
        elif kind in PRIMITIVES:
            cursor.room(PRIMITIVES[kind].size)
        else:
            raise BadStore(f"a primitive of kind {kind}")


def optional(cursor: Cursor) -> Iterator[tuple[int, int] | None]:
    """Yield begin and end of the content of each optional part of a message; None if the part is absent."""
    data, off, end = cursor.data, cursor.off, cursor.end
    for form in _OPTIONAL:
        there = data[off] if off < end else cursor.room(end + 1)
        off += 1
        # For the properties, any value except 0 means "present".
        if there != 1 and not (there and form == _PROPERTIES):
            yield None
            continue
        cursor.off = off
        if form == _PROPERTIES:
            cursor.room(cursor.number(4, signed=True))
            off += 4
        else:
            if form == _DESTINATION:
                # Kinds 0 and 3 are queues. Topics (1 and 2) can also have the name of a queue, before theirs.
                kind = cursor.number(1)
                if kind > 3:
                    raise BadStore(f"a destination of kind {kind}")
                if kind in {1, 2} and cursor.number(1) == 1:
                    cursor.room(cursor.number(2))
            off = cursor.off + 2
            cursor.room(cursor.number(2))
        yield off, cursor.off
        off = cursor.off
    cursor.off = off


def message(data: Any) -> tuple[int, int, int]:
    """Return a message's kind, and the offsets of its body and its end. Bytes after its end are ignored."""
    head = data[:_BYTES_SIZE]
    if len(head) == _BYTES_SIZE:
        kind, parts, length = _BYTES.unpack(head)
        # Most messages are bytes without optional parts.
        if kind == 1 and parts == _ABSENT and 0 <= length <= len(data) - _BYTES_SIZE:
            return 1, _PLAIN_SIZE, _BYTES_SIZE + length
    head = head[:_PLAIN_SIZE]
    if len(head) < _FIXED_SIZE:
        raise BadStore(f"{_FIXED_SIZE} bytes at 0 do not fit")
    (kind,) = _NUMBER.unpack_from(head)
    if not 0 <= kind <= 5:
        raise BadStore(f"a message of kind {kind}")
    off = len(head)
    # Most messages have no optional part: one comparison shows that all presence bytes are 0.
    if not head.endswith(_ABSENT, _FIXED_SIZE):
        cursor = Cursor(data, _FIXED_SIZE)
        for _ in optional(cursor):
            pass
        off = cursor.off
    if kind == 0:
        return kind, off, off
    cursor = Cursor(data, off)
    # For maps and texts, any value except 0 means "present" (SMQ-MSG-109).
    if kind == 1 or (kind == 2 and cursor.number(1)) or (kind == 3 and cursor.number(1) == 1):
        cursor.room(cursor.number(4, signed=True))
    elif kind == 4:
        _stream(cursor)
    elif kind == 5:
        _text(cursor)
    return kind, off, cursor.off


#: The offset of the page number in the image of an entry.
IMAGE_PAGE = _ENTRY.size - _NUMBER.size


def branch(data: Any, images: list[int] | None = None, parsed: tuple[int, int, int] | None = None) -> Branch:
    """Decode the message that contains a prepared branch.

    `images` receives the position of each entry's image. `parsed` is the result of :func:`message`, if known.
    """
    of, body, end = parsed or message(data)
    if of != 1:
        raise BadStore(f"a prepared branch in a message of kind {of}")
    cursor = Cursor(data, body + 4, end)
    cursor.room(1)  # Whether the entry is valid.
    time, kind = cursor.number(8, signed=True), cursor.number(4, signed=True)
    queue, routing, form = cursor.text(cursor.number(2)), cursor.number(1) != 0, cursor.number(4, signed=True)
    bqual = cursor.blob() if cursor.number(1) == 1 else b""
    gtrid = cursor.blob() if cursor.number(1) == 1 else b""
    entries = []
    for _ in range(cursor.count(4 + _ENTRY.size)):
        image = cursor.blob()
        if len(image) < _ENTRY.size:
            raise BadStore(f"a prepared entry of {len(image)} bytes")
        if images is not None:
            images.append(cursor.off - len(image))
        entries.append(QueueEntry(*_ENTRY.unpack_from(image)[1:]))
    return Branch(form, gtrid, bqual, routing, queue, kind, entries, time)


def swapped(data: Any) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each entry of a swap file. Stop at a truncated entry."""
    off = 0
    while len(data) - off >= 8:
        end = off + 4 + int.from_bytes(bytes(data[off : off + 4]), signed=True)
        if not off + 8 <= end <= len(data):
            return
        yield off, end
        off = end
