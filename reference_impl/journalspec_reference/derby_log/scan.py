"""Walking the log: which control file counts, the records of a file, the next file, and the end (DRB-END).

Lengths are compared with the file before anything is read. Every byte is summed once; where checksum records
claim the same bytes again and again, sums are put together from those of prefixes: the walk stays linear.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from struct import Struct
from typing import Any, NamedTuple

from journalspec.observation import At
from journalspec_reference.api import NumberedFile, NumberedNames
from journalspec_reference.checksums import PrefixDigest
from journalspec_reference.content import UNREADABLE, Window
from journalspec_reference.derby_log import codec
from journalspec_reference.derby_log.bodies import Summed, coverage
from journalspec_reference.derby_log.codec import HEADER, BadLog, Control, Instant, LoggedRecord, Refusal

CONTROLS = ("log.ctrl", "logmirror.ctrl")
_NAME = re.compile(r"log([1-9][0-9]{0,9})\.dat")
LARGEST = 2147483646
#: The names of log files (DRB-FIL-101).
NAMES = NumberedNames(_NAME, re.compile(r"log.*\.(dat|ctrl)", re.DOTALL), LARGEST, "file-gap", CONTROLS)
number_of = NAMES.number
_PIECE = 1 << 20
#: A checksum record as writers make it, from the last byte of its length on; how much it covers, and its sum.
_GROUP = rb"\x15(?<=\0\0\0\x15)%b[\0-\x7f].{3}\0\x81\x49\0\0\0\x01\xc5\x01[\0-\x7f].{3}\0\0\0\0.{4}\0\0\0\x15"
_COVERS = Struct(">iq")
#: What the buffers of a writer hold: a switch names an end before they are written.
_BUFFERS = 3 << 15
#: What a writer brings before the bytes that it sums: the 37 bytes of a checksum record (DRB-CHK-037).
_CHECKSUM = 37
_SECTOR = 512
#: Bytes before the instant of a record: its length.
_LENGTH = 4


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


class Scan:
    """The records of one file; `summed`: there are checksum records, and they can be read."""

    def __init__(self, data: Any, number: int, *, summed: bool = True) -> None:
        self._data, self._number, self._checks = data, number, summed
        self._limit = len(data)
        self._window = Window(data)
        self._summed = 0
        self._digest: PrefixDigest | None = None

    def walk(self, start: int = HEADER) -> Iterator[LoggedRecord | End]:
        """Yield the records from `start` on, then where and why there are no more."""
        at = start
        while True:
            item = self.at(at)
            yield item
            if isinstance(item, End):
                return
            at = item.end

    def at(self, at: int) -> LoggedRecord | End:
        """Return the record at `at`, or that there is none."""
        if at > self._limit:
            return End(at, "truncated")
        try:
            found = codec.record(self._window, at, self._number)
            if found is None:
                return End(at, marked=at < self._limit)
            if self._window.why(at, found.end):
                return End(at, UNREADABLE)
            covers = coverage(found.body) if self._checks else None
            if covers is not None:
                self._verify(found.end, covers)
        except BadLog as error:
            why = self._window.why(at, min(at + codec.OVERHEAD, self._limit))
            return End(at, UNREADABLE if why else error.reason)
        return found if covers is None else found._replace(covers=covers.length)

    def groups_after(self, start: int) -> Groups | None:
        """Return the sound groups from `start` on, wherever their records say that they were (DRB-END-165).

        A group that was moved, because bytes before it were cut out, still has its number and its checksum.
        """
        if not self._checks:
            return None
        first, count, at = -1, 0, start
        pattern = _GROUP % re.escape(self._number.to_bytes(4, "big"))
        window = Window(self._data)
        # The first three bytes of the length are zeros, which a search passes over.
        for place in window.find(re.compile(pattern, re.DOTALL), start + 3, self._limit, _CHECKSUM - 3, 3):
            off, end = place - 3, place - 3 + _CHECKSUM
            head = window[off:end]
            covered = Summed(*_COVERS.unpack_from(head, 21))
            if off < at or int.from_bytes(head[8:12], "big") < start or end + covered.length > self._limit:
                continue
            if covered.length > 0 and self._sum(end, end + covered.length) == covered.value:
                first, count, at = (off if count == 0 else first), count + 1, end + covered.length
        return Groups(first, count) if count else None

    def _verify(self, start: int, covers: Summed) -> None:
        end = start + covers.length
        if end > self._limit:
            raise BadLog(f"a checksum over {covers.length} bytes reaches beyond the file", "bad-checksum")
        if (found := self._sum(start, end)) != covers.value:
            raise BadLog(f"the CRC-32 is {found:#x}, stored is {covers.value:#x}", "bad-checksum")

    def _sum(self, start: int, end: int) -> int:
        if start < self._summed:
            # What was summed before is not summed again in full.
            self._digest = self._digest or PrefixDigest(self._data)
            return self._digest(self._data, start, end)
        self._summed, value = end, 0
        for at in range(start, end, _PIECE):
            stop = min(end, at + _PIECE)
            value = zlib.crc32(self._window.reach(at, stop)[at:stop], value)
        return value


class _Peeked(Window):
    """A window that stays where it is: of bytes here and there."""

    def __getitem__(self, place: slice) -> bytes:
        return bytes(self.peek(place.start, place.stop))


def search(data: Any, number: int, start: int, end: int) -> Iterator[LoggedRecord]:
    """Yield the records of file `number` that stand whole anywhere in ``data[start:end]``, not overlapping.

    A record says where it stands. Of what says otherwise nothing more is looked at, and of what does not end
    as it begins, its last bytes: the search is linear whatever the bytes say.
    """
    window, peeked = Window(data, end), _Peeked(data, end)
    # Zeros are passed over: what is looked for is the last byte of the number that is none.
    stamp = number.to_bytes(4, "big").rstrip(b"\0")
    pattern = re.compile(re.escape(stamp[-1:]) + b"(?<=" + re.escape(stamp) + b")", re.DOTALL)
    behind = _LENGTH + len(stamp) - 1
    at = start
    for place in window.find(pattern, start + behind, window.limit, 1, behind):
        off = place - behind
        if off < at or off + codec.OVERHEAD > window.limit:
            continue
        try:
            # Only what ends as it begins is worth loading.
            found = codec.record(window, off, number) if codec.extent(peeked, off, number) else None
        except BadLog:
            continue
        if found:
            yield found
            at = found.end


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

    def scan(self, file: LogFile) -> Scan:
        """Return the scan of one file."""
        return Scan(file.data, file.number, summed=self.summed)

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
            if previous >= found and (self.filled(file) or previous.packed - found.packed > _BUFFERS):
                return file
        return None

    def filled(self, file: LogFile) -> bool:
        """Tell whether a file holds a record at its beginning, or a sound group anywhere."""
        scan = self.scan(file)
        return isinstance(scan.at(HEADER), LoggedRecord) or scan.groups_after(HEADER) is not None

    def ended(self, last: LogEnd) -> bool:
        """Tell whether the last file was ended by a length of 0 for one that is not there (DRB-FIL-169).

        What was set aside ends with a sector: there, four zeros may be just the rest of it.
        """
        file, end = last.file, last.end
        whole = end.marked and file.length == end.off + _LENGTH and file.length % _SECTOR != 0
        return whole and file.number < LARGEST and file.number == max(self.files)
