"""Reads page files.

A page file has neither header nor checksum. It is a sequence of entries, each enclosed in braces. At an
incomplete entry, the broker stops reading the page. This module does the same.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from struct import Struct

from journalspec_reference.batches import zeros
from journalspec_reference.content import Content
from journalspec_reference.jboss_journal.contents import core
from journalspec_reference.jboss_journal.fileset import Room

ADDRESS_FILE = "address.txt"
PAGE = re.compile(r"^(\d{1,18})\.page$")
START, END = b"{", b"}"
HEAD = Struct(">ci")
#: The fields at the start of an entry: its transaction, and a byte that identifies large messages.
PROLOGUE = Struct(">qB")
#: The values of this byte that mean a large message, in all versions. Such an entry contains the message's
#: headers.
LARGE_KINDS = (1, 0xFF)
MOST_ADDRESS = 1 << 16
#: A function that receives the code of a remark, a file, the offset in it (None: the complete file), and the
#: reason.
ReportFile = Callable[[str, str, int | None, str], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """Represents one message of a page.

    `data[start:end]` is the message, of user type `kind` as in a journal.
    """

    page: int
    index: int
    tx: int
    kind: int
    data: bytes
    start: int
    end: int
    queues: tuple[int, ...]
    off: int

    @property
    def is_large(self) -> bool:
        """Whether the body of the message is in a file."""
        return core.is_large(self.kind, self.data, self.start)

    def message(self, *, tagged: bool = False) -> core.Message:
        """Return the message. `tagged` is as for :func:`core.message_of`."""
        return core.message_of(self.kind, self.data[self.start : self.end], tagged=tagged)

    @property
    def timestamp(self) -> int:
        """The time of the message, or 0 if there is none."""
        return core.glance(self.kind, self.data, self.start, self.end, judge=False)[0]


@dataclass(frozen=True)
class PageFile:
    """Represents one page file. `old` means that it has the layout of HornetQ and Artemis 1."""

    address: str
    number: int
    name: str
    content: Content
    old: bool

    def places(self, report: ReportFile) -> Iterator[tuple[int, int]]:
        """Yield the offset of each complete entry and its size in bytes. Damaged parts are reported."""
        content, off = self.content, 0
        while off + HEAD.size < content.size:
            brace, size = HEAD.unpack(content.read(off, HEAD.size))
            end = off + HEAD.size + size
            if brace != START or size < 0 or end >= content.size or content.read(end, 1) != END:
                if not zeros(content, off):
                    why = "no complete entry begins here; later bytes are not read"
                    report("page-damaged", self.name, off, why)
                return
            yield off, size
            off = end + 1
        if content.read(off, content.size - off).strip(b"\0"):
            report("page-damaged", self.name, off, "the file ends within an entry")

    def entries(self, report: ReportFile) -> Iterator[Entry]:
        """Yield the entries. Damaged entries are reported."""
        for index, (off, size) in enumerate(self.places(report)):
            if size > core.MOST_BODY:
                report("too-large", self.name, off, f"an entry of {size} bytes")
                continue
            try:
                yield self._entry(self.content.read(off + HEAD.size, size), index, off)
            except core.ERRORS as error:
                report("undecodable", self.name, off, str(error))

    def _entry(self, data: bytes, index: int, off: int) -> Entry:
        tx, large = PROLOGUE.unpack_from(data, 0)
        at = PROLOGUE.size
        if self.old or large in LARGE_KINDS:
            at += core.INT.size
        if self.old and not large:
            kind, end = core.OLD, _old_end(data, at)
        elif self.old or large in LARGE_KINDS:
            kind, end = core.LARGE, at + core.INT.unpack_from(data, at - core.INT.size)[0]
        else:
            kind, end = core.PROTOCOL, _protocol_end(data, at)
        if not at <= end <= len(data):
            raise core.Undecodable(f"its message would end at {end} of {len(data)} bytes")
        (count,) = core.INT.unpack_from(data, end)
        if not 0 <= count <= (len(data) - end - core.INT.size) // core.LONG.size:
            raise core.Undecodable(f"{count} queues, and {len(data) - end - core.INT.size} bytes follow")
        queues = struct.unpack_from(f">{count}q", data, end + core.INT.size)
        return Entry(self.number, index, tx, kind, data, at, end, queues, off)


def _old_end(data: bytes, at: int) -> int:
    (body,) = core.INT.unpack_from(data, at)
    if body < core.OLD_BODY_AT:
        raise core.Undecodable(f"a body that ends at {body}")
    return int(at + core.INT.unpack_from(data, at + body - core.BODY_AT)[0] - core.BODY_AT)


def _protocol_end(data: bytes, at: int) -> int:
    """Return the end of a message with a protocol."""
    persister = data[at]
    at += 1 + core.LONG.size
    if persister == core.AMQP_LARGE:
        return _queues_at(data) or len(data)
    if persister not in (core.CORE, core.AMQP, core.AMQP_EXTRA, core.AMQP_EXPIRING):
        raise core.Undecodable(f"no protocol has the number {persister}")
    at += 0 if persister == core.CORE else core.LONG.size
    if data[at]:
        _, at = core.data_at(data, at + 1)
    else:
        at += 1
    _, at = core.data_at(data, at)
    if persister in (core.AMQP_EXTRA, core.AMQP_EXPIRING):
        _, at = core.data_at(data, at)
    return at + core.LONG.size if persister == core.AMQP_EXPIRING else at


def _queues_at(data: bytes) -> int:
    """Return the offset at which the list of queues begins. It is computed only from the list's stored
    length.
    """
    for count in range(1, min(1 << 10, len(data) // core.LONG.size)):
        at = len(data) - core.LONG.size * count - core.INT.size
        if at >= 0 and core.INT.unpack_from(data, at)[0] == count:
            return at
    return 0


@dataclass(frozen=True)
class Paging:
    """The page files of all addresses, in the order of their numbers within an address."""

    room: Room | None
    old: bool

    def files(self, report: ReportFile) -> Iterator[PageFile]:
        """Yield the page files. Unreadable files are reported."""
        for room in self.room.rooms() if self.room is not None else ():
            numbered = sorted(
                (int(match[1]), name) for name in room.names if (match := PAGE.match(name)) is not None
            )
            content = room.open(ADDRESS_FILE) if ADDRESS_FILE in room.names else None
            place = f"{room.path.name}/"
            if content is None:
                if numbered:
                    report("no-address-file", place + ADDRESS_FILE, None, f"{len(numbered)} page files")
                continue
            if not content.size:
                report("empty-address-file", place + ADDRESS_FILE, None, "")
            text = content.read(0, min(content.size, MOST_ADDRESS)).decode("utf-8", "replace")
            for number, name in numbered:
                found = room.open(name)
                if found is None:
                    report("page-unreadable", place + name, None, "it cannot be opened, or is a link")
                else:
                    yield PageFile(text.strip(), number, place + name, found, self.old)
