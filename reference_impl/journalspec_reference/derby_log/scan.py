"""Walking the log: which control file counts, the records of a file, the next file, and the end (DRB-END).

:func:`scan` is the one loop that finds records: it yields a batch per stretch of a file, and no objects.
Lengths are compared with the file before anything is read, and every byte is summed once; where checksum
records claim the same bytes again and again, sums are put together from those of prefixes: it stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from struct import Struct
from typing import Any, NamedTuple
from zlib import crc32

from journalspec.observation import At
from journalspec_reference.api import NumberedFile, NumberedNames
from journalspec_reference.batches import STRETCH, Batch, Source, source_of
from journalspec_reference.checksums import Sums
from journalspec_reference.content import UNREADABLE
from journalspec_reference.derby_log import codec
from journalspec_reference.derby_log.bodies import Body, coverage, decode, known
from journalspec_reference.derby_log.codec import HEADER, OVERHEAD, BadLog, Control, Instant, Refusal

CONTROLS = ("log.ctrl", "logmirror.ctrl")
#: The editions without checksum records.
UNSUMMED = ("seed", "10.0")
#: A container: in the directory of the database, or as the suite has it, flat.
_CONTAINER = re.compile(r"(?:(?:\.\./)?seg0/|seg0\.)(?:c([0-9a-f]{1,15})\.dat|C([0-9A-F]{1,15})\.DAT)")
#: What is left of a container that was removed.
_STUB = re.compile(r"(?:\.\./)?seg0/(?:d([0-9a-f]{1,15})\.dat|D([0-9A-F]{1,15})\.DAT)")
_NAME = re.compile(r"log([1-9][0-9]{0,9})\.dat")
LARGEST = 2147483646
#: The names of log files (DRB-FIL-101).
NAMES = NumberedNames(_NAME, re.compile(r"log.*\.(dat|ctrl)", re.DOTALL), LARGEST, "file-gap", CONTROLS)
number_of = NAMES.number
#: The number of the type of checksum records in a batch; others have 0, and differ by their bodies.
SUM = 1
#: A batch has no more records than this: each of them may give rise to a note.
MOST_ROWS = 1 << 14
#: What a record begins with, its length and its instant; its second length, with what the next begins with.
_HEAD, _NEXT, _LENGTH = Struct(">iq"), Struct(">iiq"), Struct(">i")
#: What comes after the last bytes of a file: nothing there is read as a record.
_PAD = b"\xff" * 32
#: How the body of a checksum record begins as all writers make it, and then: how much it covers, its sum.
_SUM, _COVERS = b"\0\x81\x49\0\0\0\x01\xc5\x01", Struct(">iq")
_SUM_BODY = len(_SUM) + _COVERS.size
#: A group may have CHECKSUM only if the first byte of its number is larger: for others no body is decoded.
_FORM_AND_CHECKSUM, _NEITHER = 0xC8, 0x40
#: A checksum record as writers make it, from the last byte of its length on.
_GROUP = rb"\x15(?<=\0\0\0\x15)%b[\0-\x7f].{3}\0\x81\x49\0\0\0\x01\xc5\x01[\0-\x7f].{3}\0\0\0\0.{4}\0\0\0\x15"
#: What the buffers of a writer hold: a switch names an end before they are written.
_BUFFERS = 3 << 15
#: What a writer brings before the bytes that it sums: the 37 bytes of a checksum record (DRB-CHK-037).
_CHECKSUM = 37
_SECTOR = 512
#: Ranges are summed in pieces of this size (bytes).
_PIECE = 1 << 20
#: So many bytes are read to look at one record.
_FEW = 1 << 12


class End(NamedTuple):
    """Where the log of a file ends: whole if there is no reason; `marked`: by a length of 0."""

    off: int
    reason: str = ""
    marked: bool = False


class Groups(NamedTuple):
    """Groups after the end of the log: where the first one is, and how many they are."""

    first: int
    number: int


class LogFile(NumberedFile):
    """One log file."""

    __slots__ = ()

    @property
    def source(self) -> Source:
        """Its bytes."""
        return source_of(self.data)

    def previous(self) -> Instant:
        """Return where its header says that the file before ends; raises BadLog."""
        return codec.header(bytes(self.data[:HEADER]), self.number)


def gather(files: Mapping[str, Any]) -> dict[int, LogFile]:
    """Return the log files by number, in order (DRB-FIL-103)."""
    found = {number: name for name in files if (number := number_of(name)) is not None}
    return {number: LogFile(found[number], number, files[found[number]]) for number in sorted(found)}


class ChosenControl(NamedTuple):
    """The control file that counts, if one does, its name, and the names of those that are none."""

    control: Control | None
    name: str
    invalid: tuple[str, ...]


def choose(files: Mapping[str, Any]) -> ChosenControl:
    """Return the control file that counts (DRB-CTL-006, DRB-CTL-007); raises Refusal (DRB-CTL-110)."""
    invalid: tuple[str, ...] = ()
    found, name = None, ""
    for here in CONTROLS:
        try:
            control = codec.control(bytes(files[here][: codec.CONTROL + 1])) if here in files else None
        except BadLog as error:
            if error.reason != "bad-control" and found is None:
                raise Refusal("header", "bad-control", str(error), At(here, 0, len(files[here]))) from None
            invalid += (here,)
            continue
        if found is None and control is not None:
            found, name = control, here
    return ChosenControl(found, name, invalid)


def scan(  # noqa: C901, PLR0912, PLR0915  # one loop: each branch is a rule
    source: Source,
    number: int,
    start: int = HEADER,
    limit: int | None = None,
    *,
    summed: bool = True,
    until: int | None = None,
    stretch: int = STRETCH,
) -> Iterator[Batch]:
    """Yield the records of log file `number` from `start` on; the last batch has in `more` the ``end``.

    The file ends at `limit`. `summed`: there are checksum records, and they can be read. No record is looked
    at that begins at `until` or behind it: then there may be no ``end``. Each batch has in `more` as ``sums``
    its checksum records: their rows, and how many bytes each covers. Any `stretch` gives the same.
    """
    limit = source.size if limit is None else limit
    high, digest, unreadable = number << 32, Sums(source), source.unreadable
    head, following, covers_at = _HEAD.unpack_from, _NEXT.unpack_from, _COVERS.unpack_from
    trailer, neither = _LENGTH.size, _NEITHER if summed else _FORM_AND_CHECKSUM
    until = limit + 1 if until is None else until
    base, need, end = start, 0, None
    while True:
        room = limit - base
        data = source.read(base, max(0, min(max(stretch, need), room)))
        top, at, need = len(data), 0, 0
        final = top >= room
        if final:
            # Here no record goes on in the next stretch: its head may be read beyond the end.
            data += _PAD
        ready, edge = room if final else top - _HEAD.size, min(room, until - base)
        # Where a record may end at once, and what its instant is less its offset here; beyond 4 GiB none is.
        soon = -1 if unreadable else min(ready, edge)
        origin = high + base if base + top < 1 << 32 else -1 << 63
        batch = Batch(base, data)
        sums: list[tuple[int, int]] = []
        add = batch.off.append
        length, instant = head(data)
        for _ in range(MOST_ROWS):
            stop = at + length + OVERHEAD
            # What almost all records are. It is true only where all checks below would pass.
            if length > 0 and stop <= soon and instant == origin + at:
                again, next_length, next_instant = following(data, stop - trailer)
                if again == length:
                    plain = data[at + 14] & _FORM_AND_CHECKSUM <= neither
                    if not plain and length == _SUM_BODY and data.startswith(_SUM, at + _HEAD.size):
                        size, value = covers_at(data, at + _HEAD.size + len(_SUM))
                        behind = stop + size
                        if size >= 0 and behind <= soon and digest.summed <= base + stop:
                            digest.summed = base + behind
                            plain = crc32(data[stop:behind]) == value
                        if plain:
                            sums.append((len(batch.off), size))
                    if plain:
                        add(at)
                        at, length, instant = stop, next_length, next_instant
                        continue
            if at >= edge:
                if at >= room:
                    end = End(base + at, "" if at == room else "truncated")
                break
            # The order of these checks decides which reason is told (DRB-END-158).
            reason = ""
            if at + _LENGTH.size > room:
                reason = "truncated"
            elif length == 0:
                end = End(base + at, marked=True)  # DRB-END-040
                break
            elif length < 0:
                reason = "bad-length"  # DRB-REC-015
            elif stop > room:
                reason = "out-of-bounds"
            elif instant != high | base + at:
                reason = "bad-instant"  # DRB-REC-016
            elif stop > ready:
                # Only what ends as it begins is worth loading: a false length may be 2 GiB.
                if _LENGTH.unpack(source.read(base + stop - _LENGTH.size, _LENGTH.size))[0] == length:
                    need = stop - at + _HEAD.size
                    break
                reason = "bad-trailer"
            else:
                again, next_length, next_instant = following(data, stop - _LENGTH.size)
                if again != length:
                    reason = "bad-trailer"  # DRB-REC-017
                elif unreadable and source.gap(base + at, base + stop):
                    reason = UNREADABLE
                elif summed:
                    try:
                        covers = _covers(data, at + _HEAD.size, stop - _LENGTH.size)
                        if covers is not None:
                            behind = base + stop + covers[0]
                            # DRB-REC-018, DRB-CHK-032
                            if behind > limit or digest(base + stop, behind) != covers[1]:
                                raise BadLog("a checksum is wrong", "bad-checksum")
                            sums.append((len(batch.off), covers[0]))
                    except BadLog as error:
                        reason = error.reason
            if reason:
                # Zeros took the place of what could not be read: they prove nothing.
                if unreadable and source.gap(base + at, base + min(at + OVERHEAD, room)):
                    reason = UNREADABLE
                end = End(base + at, reason)
                break
            # Summing what is far ahead may have found it.
            soon = -1 if unreadable else soon
            add(at)
            at, length, instant = stop, next_length, next_instant
        # Each record ends where the next one begins.
        batch.end = batch.off[1:]
        batch.end.extend([at] if batch.off else ())
        base += at
        batch.more["sums"], batch.code = sums, bytearray(len(batch.off))
        for row, _ in sums:
            batch.code[row] = SUM
        if end is not None:
            batch.more["end"] = end
        if batch.off or end is not None:
            yield batch
        if end is not None or base >= until:
            return


def one(source: Source, number: int, off: int, *, summed: bool) -> Batch:
    """Return the batch of the record at `off`, without one if there is none."""
    return next(scan(source, number, off, summed=summed, until=off + 1, stretch=_FEW))


def _covers(data: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Return what the body in ``data[start:end]`` covers, and its sum, if it is that of a checksum record."""
    if data.startswith(_SUM, start) and end - start >= len(_SUM) + _COVERS.size:
        length, value = _COVERS.unpack_from(data, start + len(_SUM))
        if length >= 0:
            return length, value
    return coverage(data[start:end])


def places(
    source: Source, pattern: re.Pattern[bytes], start: int, end: int, before: int
) -> Iterator[tuple[int, bytes, int]]:
    """Yield each place between `start` and `end` where `pattern` matches, and bytes with their offset.

    They are those that it matches, and `before` bytes before them. Holes and zeros are passed over.
    """
    at = max(0, start)
    while (at := source.next_data(at)) < end:
        low = max(0, at - before)
        data = source.read(low, min(at + STRETCH + _CHECKSUM, end) - low)
        found = pattern.search(data, at - low) if data != bytes(len(data)) else None
        while found is not None and low + found.start() < at + STRETCH:
            yield low + found.start(), data, low
            found = pattern.search(data, found.start() + 1)
        at += STRETCH


@lru_cache(16)
def _group_of(number: int) -> re.Pattern[bytes]:
    return re.compile(_GROUP % re.escape(number.to_bytes(4, "big")), re.DOTALL)


def groups_after(source: Source, number: int, start: int) -> Groups | None:
    """Return the sound groups from `start` on, wherever their records say that they were (DRB-END-165).

    A group that was moved, because bytes before it were cut out, still has its number and its checksum.
    """
    first, count, at, digest = -1, 0, start, Sums(source)
    pattern = _group_of(number)
    # The first three bytes of the length are zeros, which a search passes over.
    for place, data, low in places(source, pattern, start + 3, source.size, 3):
        off, end = place - 3, place - 3 + _CHECKSUM
        stood = int.from_bytes(data[off + 8 - low : off + 12 - low], "big")
        covered, value = _COVERS.unpack_from(data, off + 21 - low)
        if off < at or stood < start or end + covered > source.size:
            continue
        if covered > 0 and digest(end, end + covered) == value:
            first, count, at = (off if count == 0 else first), count + 1, end + covered
    return Groups(first, count) if count else None


def search(source: Source, number: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where records of file `number` stand whole anywhere between `start` and `end`, not overlapping.

    A record says where it stands. Of what says otherwise nothing more is looked at, and of what does not end
    as it begins, its last bytes: the search is linear whatever the bytes say.
    """
    # Zeros are passed over: what is looked for is the last byte of the number that is none.
    stamp = number.to_bytes(4, "big").rstrip(b"\0")
    pattern = re.compile(re.escape(stamp[-1:]) + b"(?<=" + re.escape(stamp) + b")", re.DOTALL)
    behind, at = _LENGTH.size + len(stamp) - 1, start
    for place, data, low in places(source, pattern, start + behind, min(end, source.size), behind):
        off = place - behind
        if off < at or off + OVERHEAD > end:
            continue
        begin = data[off - low : off - low + _HEAD.size]
        length, instant = _HEAD.unpack(begin if len(begin) == _HEAD.size else source.read(off, _HEAD.size))
        stop = off + length + OVERHEAD
        if length <= 0 or stop > end or instant != number << 32 | off:
            continue
        if _LENGTH.unpack(source.read(stop - _LENGTH.size, _LENGTH.size))[0] == length:
            yield off, stop
            at = stop


def garbage(data: Any, start: int) -> tuple[int, int] | None:
    """Return where the first byte that is not a zero stands from `start` on, and where the last one ends."""
    source, at = source_of(data), start
    first = end = -1
    while (at := source.next_data(at)) < source.size:
        part = source.read(at, STRETCH)
        if kept := part.rstrip(b"\0"):
            first = first if first >= 0 else at + len(part) - len(part.lstrip(b"\0"))
            end = at + len(kept)
        at += len(part)
    return None if first < 0 else (first, end)


class LogEnd(NamedTuple):
    """Where the whole log ends: in which file, how; and what is odd about the next one (a note, its file)."""

    file: LogFile
    end: End
    note: str = ""
    next: LogFile | None = None


class Log:
    """The files of a log, to be walked from an instant on; `linked`: links between files are compared."""

    def __init__(self, files: Mapping[int, LogFile], *, summed: bool, linked: bool) -> None:
        self.files = files
        #: Whether there are checksum records that can be read.
        self.summed, self._linked = summed, linked

    def scan(self, file: LogFile, start: int = HEADER, until: int | None = None) -> Iterator[Batch]:
        """Yield the batches of one file."""
        return scan(file.source, file.number, start, summed=self.summed, until=until)

    def record(self, number: int, off: int) -> bytes | None:
        """Return the body of the record at `off` of file `number`; None if there is none."""
        file = self.files.get(number)
        if file is None or off < HEADER:
            return None
        batch = one(file.source, number, off, summed=self.summed)
        return batch.data[_HEAD.size : batch.end[0] - _LENGTH.size] if batch.off else None

    def groups_after(self, file: LogFile, start: int) -> Groups | None:
        """Return the sound groups of a file from `start` on."""
        return groups_after(file.source, file.number, start) if self.summed else None

    def enter(self, number: int) -> LogFile:
        """Return a file whose header is right; raises Refusal, KeyError."""
        file = self.files[number]
        try:
            file.previous()
        except BadLog as error:
            at = At(file.name, 0, min(HEADER, file.length))
            raise Refusal("header", "bad-header", str(error), at) from None
        return file

    def after(self, file: LogFile, end: End) -> LogFile | LogEnd:
        """Return the file in which the log goes on behind the end of one, if it does; raises Refusal."""
        after = self.files.get(file.number + 1)
        if end.reason or not end.marked or after is None:
            return LogEnd(file, end)
        if after.length < HEADER:
            return LogEnd(file, end, "half-file", after)
        if self.enter(after.number).previous() != (file.number, end.off) and self._linked:
            return LogEnd(file, end, "unlinked-file", after)
        return after

    def later(self, last: LogEnd) -> Iterator[tuple[LogFile, Instant]]:
        """Yield the files after the end of the log whose headers are right, and what these say."""
        for number, file in self.files.items():
            if number > last.file.number and file.length >= HEADER:
                with suppress(BadLog):
                    yield file, file.previous()

    def beyond(self, last: LogEnd) -> LogFile | None:
        """Return a later file that shows that the log went on beyond its end (DRB-END-046, DRB-END-167)."""
        found = Instant(last.file.number, last.end.off)
        for file, previous in self.later(last):
            if previous >= found and self.went_on(file, previous, found):
                return file
        return None

    def went_on(self, file: LogFile, previous: Instant, found: Instant) -> bool:
        """Tell whether a later file shows more than that a switch from `found` was not finished."""
        return self.filled(file) or previous.packed - found.packed > _BUFFERS

    def filled(self, file: LogFile) -> bool:
        """Tell whether a file holds a record at its beginning, or a sound group anywhere."""
        return self.record(file.number, HEADER) is not None or self.groups_after(file, HEADER) is not None

    def ended(self, last: LogEnd) -> bool:
        """Tell whether the last file was ended by a length of 0 for one that is not there (DRB-FIL-169).

        What was set aside ends with a sector: there, four zeros may be just the rest of it.
        """
        file, end = last.file, last.end
        whole = end.marked and file.length == end.off + _LENGTH.size and file.length % _SECTOR != 0
        return whole and file.number < LARGEST and file.number == max(self.files)


def container_names(files: Iterable[str]) -> dict[int, str]:
    """Return the names of the containers that are beside a log, by number; Derby prefers small letters."""
    return {_number(match): match[0] for name in sorted(files) if (match := _CONTAINER.fullmatch(name))}


def stubs(files: Iterable[str]) -> set[int]:
    """Return the containers that stubs are left of."""
    return {_number(match) for name in files if (match := _STUB.fullmatch(name))}


def is_container(name: str) -> bool:
    """Tell whether a file is a container beside a log, or the stub of one."""
    return bool(_CONTAINER.fullmatch(name) or _STUB.fullmatch(name))


def _number(match: re.Match[str]) -> int:
    return int(match[1] or match[2], 16)


def body_at(log: Log, edition: str, instant: Instant) -> Body:
    """Return the body of the record at an instant; raises BadLog if there is none."""
    found = log.record(instant.number, instant.position)
    if found is None:
        raise BadLog(f"there is no record {instant.packed:#x}")
    return decode(found, known(edition))
