"""The bytes of a file on a disk, read when a caller needs them; unreadable ranges are recorded.

Files are not mapped into memory, because an access to a mapped file kills the process if the file was
truncated, or if the disk cannot read a page. Bytes are copied instead. Unreadable bytes are returned as
zeros, and recorded as a range with its reason. Compressed files are decompressed, up to a bound.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from weakref import finalize

from journalspec.files import Unfit, inflated

#: Two groups of bounds. The first is the length of a sector (bytes), because disks fail in sectors. The
#: others are numbers of failures, in one read and in one file. After that many failures, the remaining
#: requested bytes are treated as unreadable.
SECTOR, MOST_IN_READ, MOST_IN_FILE = 4096, 32, 512
#: This many bytes at the start of each file stay in memory, because every format needs them.
HEAD = 64
#: Small reads near each other are served from blocks of this length, and shorter files are read completely.
#: The second number bounds the blocks in memory, of all files together (bytes).
BLOCK, HELD = 64 << 10, 2 << 20
#: The largest small read (bytes), and the length of a read that only tests whether bytes are readable.
SMALL, PIECE = 16 << 10, 1 << 20
#: Up to this many ranges are moved in memory to insert one before them. So many are inserted at once.
MOST_MOVED = 1 << 12
#: The error numbers for a sector that a disk cannot read. Any other error concerns the file as a whole.
OF_SECTORS = frozenset(
    getattr(errno, name)
    for name in ("EIO", "EBADMSG", "EREMOTEIO", "ENODATA", "EUCLEAN")
    if hasattr(errno, name)
)
#: The maximum number of files open at a time. The flags prevent waiting for a pipe, and text mode.
MOST_OPEN = 16
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
#: The identity and the state of a file. A program can set the time of the last write to an earlier value, but
#: not the time of the last change.
_state = attrgetter("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
#: The reason for a region whose bytes could not be read.
UNREADABLE = "unreadable"
SHORTER = "became shorter while it was read"


class Unreadable(NamedTuple):
    """Represents an unreadable range: the bytes from `start` to `end` of a file.

    `why` is the system's message.
    """

    start: int
    end: int
    why: str


class Ranges:
    """Represents ranges of offsets, disjoint and in order.

    Adjacent ranges are merged. A range takes 16 bytes.
    """

    __slots__ = ("_ends", "_late", "_starts")

    def __init__(self) -> None:
        self._starts, self._ends = array("q"), array("q")
        #: Ranges that are not in the arrays yet.
        self._late: list[tuple[int, int]] = []

    def add(self, start: int, end: int) -> None:
        """Add a range."""
        low = bisect_left(self._ends, start)
        high = bisect_right(self._starts, end, low)
        if low < high:
            start, end = min(start, self._starts[low]), max(end, self._ends[high - 1])
        if high - low != 1 and len(self._starts) - high > MOST_MOVED:
            # If each range were inserted by itself, the time would be quadratic in the number of ranges.
            self._late.append((start, end))
            if len(self._late) == MOST_MOVED:
                self._settle()
            return
        self._starts[low:high], self._ends[low:high] = array("q", (start,)), array("q", (end,))

    def _settle(self) -> None:
        """Insert the late ranges."""
        late, self._late = sorted(self._late), []
        starts, ends, at = array("q"), array("q"), 0
        for start, end in late:
            low = bisect_left(self._ends, start, at)
            high = bisect_right(self._starts, end, low)
            starts += self._starts[at:low]
            ends += self._ends[at:low]
            at = high
            first, last = start, end
            if low < high:
                first, last = min(start, self._starts[low]), max(end, self._ends[high - 1])
            if ends and first <= ends[-1]:
                ends[-1] = max(last, ends[-1])
            else:
                starts.append(first)
                ends.append(last)
        self._starts, self._ends = starts + self._starts[at:], ends + self._ends[at:]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        if self._late:
            self._settle()
        return zip(self._starts, self._ends, strict=True)

    def hold(self, start: int, end: int) -> bool:
        """Return whether these ranges contain the given range completely."""
        if self._late:
            self._settle()
        at = bisect_right(self._starts, start) - 1
        return at >= 0 and end <= self._ends[at]

    def left(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the parts of the given range that these ranges do not contain."""
        if self._late:
            self._settle()
        for at in range(bisect_right(self._ends, start), len(self._ends)):
            low, high = self._starts[at], self._ends[at]
            if low >= end:
                break
            if low > start:
                yield start, low
            start = high
        if start < end:
            yield start, end


class RawFile(Protocol):
    """The source of a file's bytes. By default, a file has no holes and never changes."""

    __slots__ = ()
    #: The length in bytes when the file was opened. It is used even if the file changes.
    size: int

    def read(self, off: int, size: int) -> bytes:
        """Return up to `size` bytes from `off` on; no bytes mean that the file ends here. Raises OSError."""

    def next_data(self, off: int) -> int:
        """Return the first offset from `off` on that is not in a hole. Return `size` if there is none."""
        return off

    def changed(self) -> bool:
        """Return whether the file differs from its state when it was opened."""
        return False


class Derived(RawFile):
    """A file whose bytes are computed from another file. `between` returns the bytes between two offsets.

    It reports neither holes nor changes: the reader of the other file reports its changes.
    """

    def __init__(self, size: int, between: Callable[[int, int], bytes]) -> None:
        self.size, self._between = size, between

    def read(self, off: int, size: int) -> bytes:
        """Return up to `size` bytes from `off` on."""
        return self._between(off, off + size)


class Blocks:
    """Represents the most recently read blocks of several files, at most `most` bytes in total."""

    def __init__(self, most: int = HELD) -> None:
        self._left = most
        self._held: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        #: The key of the last block of which a part was read without caching the block.
        self.seen: tuple[int, int] = (0, -1)

    def get(self, key: tuple[int, int]) -> bytes | None:
        """Return a cached block."""
        found = self._held.get(key)
        if found is not None:
            self._held.move_to_end(key)
        return found

    def put(self, key: tuple[int, int], data: bytes) -> None:
        """Cache a block. The least recently used blocks are dropped."""
        self._held[key] = data
        self._left -= len(data)
        while self._left < 0 and self._held:
            self._left += len(self._held.popitem(last=False)[1])


class Content:
    """The bytes of one file: ``len``, ``content[a:b]`` (as bytes) and ``content.read(off, size)``.

    Unreadable bytes are returned as zeros and listed in `unreadable`, in order. `lost` are ranges that were
    read once and failed at a later read.
    """

    __slots__ = ("_blocks", "_disk", "_head", "_number", "_probes", "_seen", "lost", "size", "unreadable")
    _last = 0
    #: Number of bytes that this process has requested from disks: the progress of a long command.
    asked_for = 0

    def __init__(self, disk: RawFile, blocks: Blocks | None = None) -> None:
        self._disk = disk
        self.size = disk.size
        self._blocks = blocks or Blocks()
        Content._last += 1
        self._number = Content._last
        self.unreadable: list[Unreadable] = []
        self.lost: list[Unreadable] = []
        #: The bytes that have been read.
        self._seen = Ranges()
        self._probes = MOST_IN_FILE
        self._head: bytes | None = None

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            start, end, step = place.indices(self.size)
            return self.read(start, end - start)[::step]
        if not -self.size <= place < self.size:
            raise IndexError(f"offset {place} in a file of {self.size} bytes")
        return self.read(place % self.size, 1)[0]

    def __bytes__(self) -> bytes:
        return self.read(0, self.size)

    __iter__ = None  # No caller reads a file one byte at a time.

    def read(self, off: int, size: int) -> bytes:
        """Return `size` bytes from `off` on, or fewer at the end of the file."""
        end = min(off + size, self.size)
        if end <= off:
            return b""
        whole = not off % BLOCK and end - off == BLOCK
        if self.size > BLOCK and end - off > SMALL and not whole:
            return self._read(off, end)
        if self.size > BLOCK and end <= HEAD:
            if self._head is None:
                self._head = self._read(0, min(HEAD, self.size))
            return self._head[off:end]
        number = off // BLOCK
        key = self._number, number
        if end > (number + 1) * BLOCK:
            return self._read(off, end)
        block = self._blocks.get(key)
        if block is None:
            # A block is cached only if two consecutive reads are from it, or if all of it is requested.
            if self._blocks.seen != key and self.size > BLOCK and not whole:
                self._blocks.seen = key
                return self._read(off, end)
            block = self._read(number * BLOCK, min(self.size, (number + 1) * BLOCK))
            self._blocks.put(key, block)
        return block[off - number * BLOCK : end - number * BLOCK]

    def peek(self, start: int, end: int) -> bytes:
        """Return bytes at any offset without reading the bytes around them."""
        return self._read(start, min(end, self.size))

    def next_data(self, off: int) -> int:
        """Return the first offset from `off` on that is not in a hole. A caller need not read holes."""
        return off if off >= self.size or self.size <= BLOCK else self._disk.next_data(off)

    def gap(self, start: int, end: int) -> Unreadable | None:
        """Return the first range between `start` and `end` that could not be read, or None."""
        found = self.unreadable
        at = bisect_left(found, start, key=lambda bad: bad.end - 1)
        return found[at] if at < len(found) and found[at].start < end else None

    def finish(self) -> list[Unreadable]:
        """Read the parts that no caller has read, only to find read errors. Return all unreadable ranges."""
        seen, self._seen = self._seen, Ranges()
        for start, end in seen.left(0, self.size):
            at = start
            while (at := self._disk.next_data(at)) < end:
                stop = min(end, at + PIECE)
                self._read(at, stop)
                at = stop
        for start, end in self._seen:
            seen.add(start, end)
        self._seen = seen
        return self.unreadable

    def changed(self) -> bool:
        """Return whether the file has changed since it was opened. If so, its bytes can be inconsistent."""
        return self._disk.changed()

    def _read(self, off: int, end: int) -> bytes:
        """Read all of ``[off, end)``, and record the ranges that fail."""
        pieces, at, failed = [], off, 0
        while at < end:
            stop, bad = self._known(at, end) if self.unreadable else (end, False)
            if bad:
                pieces.append(bytes(stop - at))
                at = stop
                continue
            sector = min(stop, (at // SECTOR + 1) * SECTOR) if failed else stop
            try:
                data = self._disk.read(at, sector - at)
            except OSError as error:
                why = error.strerror or str(error)
                low, gone = at, at
                if error.errno not in OF_SECTORS or failed >= MOST_IN_READ or not self._probes:
                    gone = stop
                elif at // SECTOR == (sector - 1) // SECTOR:
                    # A disk fails in sectors, however small the request.
                    low = at // SECTOR * SECTOR
                    gone = min(self.size, low + SECTOR)
                if gone > at:
                    self._fails(low, gone, why)
                    if self._seen.hold(at, at + 1) and error.errno != errno.ESTALE:
                        self.lost.append(Unreadable(low, gone, why))
                failed += 1
                self._probes -= 1 if self._probes else 0
                continue
            if not data:
                self._fails(at, self.size, SHORTER)
                continue
            pieces.append(data)
            at += len(data)
        Content.asked_for += end - off
        self._seen.add(off, end)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _known(self, at: int, end: int) -> tuple[int, bool]:
        """Return the end of the run of bytes that begins at `at`, and whether these bytes are known to be
        unreadable.
        """
        bad = self.gap(at, end)
        if bad is None or bad.start > at:
            return end if bad is None else bad.start, False
        return min(end, bad.end), True

    def _fails(self, start: int, end: int, why: str) -> None:
        """Record an unreadable range. It is joined with adjacent ranges that have the same reason."""
        found = self.unreadable
        # If the file was truncated, the new range extends to the end of the file. It replaces the recorded
        # ranges within it.
        found[:] = [bad for bad in found if not start <= bad.start < end]
        at = bisect_left(found, start, key=lambda bad: bad.start)
        if at and found[at - 1].end == start and found[at - 1].why == why:
            at -= 1
            start = found.pop(at).start
        if at < len(found) and found[at].start == end and found[at].why == why:
            end = found.pop(at).end
        found.insert(at, Unreadable(start, end, why))


def at_hand(files: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the files as bytes if all can be read and their total length is at most one block."""
    if sum(map(len, files.values())) > BLOCK:
        return files
    found = {}
    for name, data in files.items():  # A comprehension would add one more frame below every read.
        found[name] = bytes(data)
    return files if any(getattr(data, "unreadable", ()) for data in files.values()) else found


def hole_end(data: Any, off: int) -> int:
    """Return the end of the hole that contains `off`. Return `off` itself if it is not in a hole."""
    return data.next_data(off) if isinstance(data, Content) else off


class Descriptors:
    """The open files. Only a few files are open at a time, even if there are many."""

    def __init__(self, most: int = MOST_OPEN) -> None:
        self._most = most
        self._open: OrderedDict[str, int] = OrderedDict()
        finalize(self, _close_all, self._open)

    def handle(self, path: str, was: Sequence[int] = ()) -> int:
        """Return a descriptor of the file at `path` that is valid until the next call. Raises OSError.

        It also raises OSError if the file is not the one with the state `was`.
        """
        handle = self._open.pop(path, None)
        if handle is None:
            if len(self._open) >= self._most:
                os.close(self._open.popitem(last=False)[1])
            try:
                handle = os.open(path, _FLAGS)
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE) or not self._open:
                    raise
                # Other code in this process, or other processes, also need descriptors, so all of our
                # descriptors are closed.
                _close_all(self._open)
                handle = os.open(path, _FLAGS)
        self._open[path] = handle
        if was and _state(os.fstat(handle))[:2] != was[:2]:
            raise OSError(errno.ESTALE, "another file has taken its place while it was read")
        return handle


def _close_all(handles: OrderedDict[str, int]) -> None:
    while handles:
        with suppress(OSError):
            os.close(handles.popitem()[1])


class FileSource:
    """A regular file at a path.

    Raises OSError if it cannot be opened, and Unfit if it is not a regular file.
    """

    __slots__ = ("_handles", "_path", "_was", "size")

    def __init__(self, path: str, handles: Descriptors) -> None:
        info = os.fstat(handles.handle(path))
        if not stat.S_ISREG(info.st_mode):
            raise Unfit("not a regular file", Path(path))
        self._path = path
        self._handles = handles
        self._was = _state(info)
        self.size = info.st_size

    def read(self, off: int, size: int) -> bytes:
        """Return up to `size` bytes from `off` on."""
        return _read(self._handles.handle(self._path, self._was), size, off)

    def next_data(self, off: int) -> int:
        """Return the offset where data continues. Return `off` if the system does not report it."""
        try:
            return _next_data(self._handles.handle(self._path, self._was), off, self.size)
        except OSError:
            return off

    def changed(self) -> bool:
        """Return whether the file's identity, its length or one of its times has changed."""
        try:
            return _state(os.stat(self._path)) != self._was  # noqa: PTH116  # of 100,000 files
        except OSError:
            return True


class PartOfFile(RawFile):
    """Represents a part of an open file that does not change: `size` bytes from `base` on."""

    __slots__ = ("_base", "_stream", "size")

    def __init__(self, stream: Any, base: int, size: int) -> None:
        self._stream = stream
        self._base = base
        self.size = size

    def read(self, off: int, size: int) -> bytes:
        """Return up to `size` bytes from `off` on."""
        return _read(self._stream.fileno(), max(0, min(size, self.size - off)), self._base + off)

    def next_data(self, off: int) -> int:
        """Return the offset where data continues."""
        end = self._base + self.size
        return min(end, _next_data(self._stream.fileno(), self._base + off, end)) - self._base


class CompressedStream:
    """A compressed file that is read from its beginning."""

    def __init__(self, source: RawFile) -> None:
        self._source, self._at = source, 0

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size`. Return no bytes at the end."""
        data = self._source.read(self._at, size)
        self._at += len(data)
        return data


class Spool:
    """One unnamed temporary file for all decompressed bytes. Blocks of zeros become holes in this file."""

    def __init__(self, left: int) -> None:
        self._left = left
        self._end = 0
        self._stream: Any = None

    def inflate(self, source: RawFile, path: Path, most: int) -> PartOfFile:
        """Return the decompressed bytes of `source`, at most `most`.

        Raises Unfit if there are too many bytes, or if they are damaged.
        """
        if self._stream is None:
            # The file is unbuffered, because it is read through its descriptor.
            self._stream = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # lives as long as its parts
        base, size, most = self._end, 0, min(most, self._left)
        # Remove the bytes of a file that could not be decompressed.
        self._stream.truncate(base)
        for block in inflated(CompressedStream(source), path):
            size += len(block)
            if size > most:
                text = f"decompresses to more than {most} bytes"
                raise Unfit(f"{text}; decompress it and give the path of the result", path)
            if block.count(0) != len(block):
                self._write(base + size - len(block), block)
        self._left -= size
        # The next file begins at a block, because holes begin and end at blocks of the file system.
        self._end = base + -(-size // SECTOR) * SECTOR
        self._stream.truncate(self._end)
        return PartOfFile(self._stream, base, size)

    def _write(self, off: int, block: bytes) -> None:
        self._stream.seek(off)
        data = memoryview(block)
        try:
            while data:
                data = data[self._stream.write(data) :]
        except OSError as error:
            where = tempfile.gettempdir()
            raise OSError(error.errno, f"cannot be decompressed into {where}: {error.strerror}") from None


def _sought(handle: int, size: int, off: int) -> bytes:
    os.lseek(handle, off, os.SEEK_SET)
    return os.read(handle, size)


#: Reads some bytes at an offset. Not every system has a call for that.
_read: Callable[[int, int, int], bytes] = getattr(os, "pread", _sought)


def _next_data(handle: int, off: int, size: int) -> int:
    """Return the first offset from `off` on that is not in a hole.

    Return `off` if the system reports no holes.
    """
    if not hasattr(os, "SEEK_DATA"):
        return off
    try:
        return os.lseek(handle, off, os.SEEK_DATA)
    except OSError as error:
        if error.errno != errno.ENXIO:
            return off
        # The hole extends to the end of the file. If the file was shortened since it was opened, the removed
        # bytes are not a hole.
        return max(off, min(size, os.fstat(handle).st_size))
