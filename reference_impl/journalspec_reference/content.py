"""What a file holds: read when it is looked at, in bounded memory; what cannot be read is known, not guessed.

A mapped file kills the process that looks at it if the disk cannot deliver a page, or if the file
was cut in the meantime. So the bytes are copied, chunk by chunk, into anonymous memory with the
file's own offsets: holes cost nothing, chunks that are not looked at any more are given back,
and what cannot be read is a range with its reason. Readers look through a :class:`Window`; bytes
in memory, as the protocol gives them, need none of this and are looked at as they are.
"""

from __future__ import annotations

import errno
import mmap
import os
import re
import stat
import sys
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from weakref import finalize, ref

from journalspec.files import Unfit

#: What is read at a time, and given back at a time (bytes).
CHUNK = 1 << 20
#: What all files of a journal may hold in memory together; a range that must be seen whole may exceed it.
BUDGET = 64 << 20
#: How far ahead of what is asked for a window is loaded: at first a chunk, further the longer it moves on.
AHEAD = 4 << 20
#: Files up to this length are read whole at the first look; of longer ones so many first bytes are kept.
SMALL, HEAD = 64 << 10, 1 << 10
#: The unit in which disks fail, and how many failing ones are told apart: in one chunk, and in one file.
SECTOR, MOST_IN_CHUNK, MOST_IN_FILE = 4096, 32, 512
#: What a disk says of a sector that it cannot deliver. Any other error is about the file.
OF_SECTORS = frozenset(
    getattr(errno, name)
    for name in ("EIO", "EBADMSG", "EREMOTEIO", "ENODATA", "EUCLEAN")
    if hasattr(errno, name)
)
#: How many files are open at a time. Ways around a pipe that has a file's name by now, and around text mode.
MOST_OPEN = 16
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
#: Why a region holds no record if its bytes could not be read.
UNREADABLE = "unreadable"
SHORTER = "became shorter while it was read"

_ANONYMOUS = getattr(mmap, "MAP_PRIVATE", 0) | getattr(mmap, "MAP_ANONYMOUS", 0)
if sys.platform == "linux":
    # Address space only: without this the size of a sparse file would count as memory that is wanted.
    _ANONYMOUS |= getattr(mmap, "MAP_NORESERVE", 0x4000)
_GIVE_BACK = getattr(mmap, "MADV_DONTNEED", None)


class Unreadable(NamedTuple):
    """The bytes from `start` to `end` of a file could not be read; `why` in the system's words."""

    start: int
    end: int
    why: str


class Source(Protocol):
    """Where the bytes of a file come from."""

    @property
    def size(self) -> int:
        """The length in bytes when the file was opened, which counts whatever becomes of it."""

    def read_into(self, off: int, target: memoryview) -> int:
        """Fill `target` from `off` on; return how many bytes came, 0: the file ends here. Raises OSError."""

    def next_data(self, off: int) -> int:
        """Return the first offset from `off` on that is in no hole; `size` if there is none."""

    def changed(self) -> bool:
        """Tell whether the file is no longer what it was when it was opened."""


class Budget:
    """What several files hold in memory together; what was loaded first goes first."""

    def __init__(self, limit: int = BUDGET) -> None:
        self.limit = limit
        self.used = 0
        # Weakly: what nobody reads any more is gone without waiting for the collector of cycles.
        self._held: OrderedDict[tuple[ref[Content], int], int] = OrderedDict()

    def charge(self, content: Content, chunk: int, size: int) -> None:
        """Count a chunk that was loaded; give back others, but none that somebody looks at."""
        self._held[ref(content), chunk] = size
        self.used += size
        looked_at = 0
        # The chunk itself stays: whoever asked for it has not looked yet.
        while self.used > self.limit and looked_at < len(self._held) - 1:
            key, size = self._held.popitem(last=False)
            oldest = key[0]()
            if oldest is None or oldest.release(key[1]):
                self.used -= size
            else:
                self._held[key] = size
                looked_at += 1


class Content:
    """The bytes of one file: ``len``, ``content[i]`` and ``content[a:b]`` (as bytes) read what they need.

    There is no way to get at all of it as a buffer: whoever did would look at pages that are not
    loaded. What cannot be read is zeros, and in `unreadable`, sorted, from the first look on.
    Raises OSError if there is no address space for the file.
    """

    __slots__ = ("__weakref__", "_budget", "_held", "_loaded", "_map", "_peeked", "_probes", "_seen", "_size",
                 "_source", "lost", "unreadable", "windows")  # fmt: skip

    def __init__(self, source: Source, budget: Budget | None = None) -> None:
        self._source = source
        self._size = source.size
        self._budget = budget or Budget()
        self.unreadable: list[Unreadable] = []
        #: What was read once, and when it was read again the system gave an error.
        self.lost: list[Unreadable] = []
        self.windows: list[ref[Window]] = []
        self._loaded: set[int] = set()
        self._seen: set[int] = set()
        self._held = b""
        self._peeked = -1
        self._probes = MOST_IN_FILE
        self._map: Any = None
        if self._size > CHUNK:
            self._mapped()
            self._map = None

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            start, end, step = place.indices(self._size)
            return self._bytes(start, end) if step == 1 else self._bytes(0, self._size)[place]
        if not -self._size <= place < self._size:
            raise IndexError(f"offset {place} in a file of {self._size} bytes")
        return self._bytes(place % self._size, place % self._size + 1)[0]

    def __bytes__(self) -> bytes:
        return self._bytes(0, self._size)

    @property
    def size(self) -> int:
        """Its length in bytes."""
        return self._size

    def read(self, off: int, size: int) -> bytes:
        """Return `size` bytes from `off` on, fewer at the end of the file."""
        return self._bytes(off, min(off + size, self._size))

    __iter__ = None  # one byte after the other is nobody's way of reading a file

    def peek(self, start: int, end: int) -> bytes:
        """Return a few bytes without loading anything around them."""
        first, last = start // CHUNK, (end - 1) // CHUNK
        if first in self._loaded and last in self._loaded:
            return bytes(self._map[start:end])
        if end <= len(self._held):
            return self._held[start:end]
        out = bytearray(max(0, end - start))
        self._fill(memoryview(out), start, start, end)
        return bytes(out)

    def next_data(self, off: int) -> int:
        """Return the first offset from `off` on that is in no hole: holes are zeros, without reading them."""
        if off >= self._size or self._size <= SMALL:
            return off
        return self._source.next_data(off)

    def gap(self, start: int, end: int) -> Unreadable | None:
        """Return the first range between `start` and `end` that could not be read; None: there is none."""
        found = self.unreadable
        at = bisect_left(found, start, key=lambda bad: bad.end - 1)
        return found[at] if at < len(found) and found[at].start < end else None

    def why(self, start: int, end: int) -> str:
        """Return why some of the bytes from `start` to `end` could not be read; nothing if all were."""
        gap = self.gap(start, end)
        return gap.why if gap else ""

    def finish(self) -> list[Unreadable]:
        """Read what nobody has looked at, for its errors only, and return what could not be read."""
        count = -(-self._size // CHUNK)
        at = 0 if len(self._seen) < count else self._size
        scratch = bytearray(CHUNK if at < self._size else 0)
        while at < self._size and (at := self._source.next_data(at)) < self._size:
            chunk = at // CHUNK
            if chunk not in self._seen:
                self._fill(memoryview(scratch), chunk * CHUNK, at, min((chunk + 1) * CHUNK, self._size))
                self._seen.add(chunk)
            at = (chunk + 1) * CHUNK
        return self.unreadable

    def changed(self) -> bool:
        """Tell whether the file has changed since it was opened; what was read may then be of two times."""
        return self._source.changed()

    def load(self, start: int, end: int) -> memoryview:
        """Return all bytes up to `end`, of which those from `start` on are there; for windows only."""
        target = self._mapped()
        for chunk in range(start // CHUNK, -(-end // CHUNK)):
            if chunk not in self._loaded:
                self._fetch(chunk, target)
        return memoryview(target)[:end]

    def release(self, chunk: int) -> bool:
        """Give the memory of a chunk back, unless somebody looks at it."""
        if chunk < 0:
            self._held = b""
            return True
        start, end = chunk * CHUNK, (chunk + 1) * CHUNK
        for window in filter(None, (each() for each in self.windows)):
            if window.start < end and start < window.ready:
                return False
        self._loaded.discard(chunk)
        if not self._loaded and not self.windows:
            self._map = None
        elif isinstance(self._map, mmap.mmap) and _GIVE_BACK is not None:
            self._map.madvise(_GIVE_BACK, start, min(CHUNK, self._size - start))
        return True

    def _mapped(self) -> Any:
        if self._map is None:
            flags = {"flags": _ANONYMOUS} if _ANONYMOUS else {}
            self._map = bytearray(self._size) if self._size <= CHUNK else mmap.mmap(-1, self._size, **flags)
        return self._map

    def _bytes(self, start: int, end: int) -> bytes:
        if end <= start:
            return b""
        if self._size <= SMALL:
            return bytes(self.load(0, self._size)[start:end])
        chunk = start // CHUNK
        if end - start <= HEAD and chunk not in self._loaded:
            if end <= HEAD:
                return self._beginning()[start:end]
            # Looked at twice, a chunk is worth loading.
            if self._peeked != chunk:
                self._peeked = chunk
                return self.peek(start, end)
        pieces, at = [], start
        while at < end:
            stop = min(end, (at // CHUNK + 1) * CHUNK)
            pieces.append(bytes(self.load(at, stop)[at:stop]))
            at = stop
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _beginning(self) -> bytes:
        if not self._held:
            self._held = self.peek(0, min(HEAD, self._size))
            self._budget.charge(self, -1, HEAD)
        return self._held

    def _fetch(self, chunk: int, target: Any) -> None:
        start, end = chunk * CHUNK, min((chunk + 1) * CHUNK, self._size)
        at = start if self._size <= SMALL else self._source.next_data(start)
        if at < end:
            self._fill(memoryview(target), 0, at, end)
        self._loaded.add(chunk)
        self._seen.add(chunk)
        self._budget.charge(self, chunk, end - start)

    def _fill(self, target: memoryview, base: int, start: int, end: int) -> None:
        """Read ``[start, end)`` into `target`, which begins at offset `base`; keep in mind what fails."""
        at, failed = start, 0
        while at < end:
            stop, bad = self._known(at, end)
            if bad:
                at = stop
                continue
            sector = min(stop, (at // SECTOR + 1) * SECTOR) if failed else stop
            try:
                count = self._source.read_into(at, target[at - base : sector - base])
            except OSError as error:
                why = error.strerror or str(error)
                gone = sector if sector - at <= SECTOR else at
                if error.errno not in OF_SECTORS or failed >= MOST_IN_CHUNK or not self._probes:
                    gone = stop
                if gone > at:
                    self._fails(at, gone, why)
                    if at // CHUNK in self._seen and error.errno != errno.ESTALE:
                        self.lost.append(Unreadable(at, gone, why))
                failed += 1
                self._probes -= 1 if self._probes else 0
                continue
            if count == 0:
                self._fails(at, self._size, SHORTER)
            at += count

    def _known(self, at: int, end: int) -> tuple[int, bool]:
        """Return how far from `at` on all is the same, and whether it is known that it cannot be read."""
        found = self.unreadable
        index = bisect_left(found, at, key=lambda bad: bad.end - 1)
        if index == len(found) or found[index].start >= end:
            return end, False
        if found[index].start > at:
            return found[index].start, False
        return min(end, found[index].end), True

    def _fails(self, start: int, end: int, why: str) -> None:
        """Note a range; it overlaps none that is known, and joins its neighbours if they failed alike."""
        found = self.unreadable
        # A file that was cut has no end of its own: ranges behind the cut go into this one.
        found[:] = [bad for bad in found if not start <= bad.start < end]
        at = bisect_left(found, start, key=lambda bad: bad.start)
        if at and found[at - 1].end == start and found[at - 1].why == why:
            at -= 1
            start = found.pop(at).start
        if at < len(found) and found[at].start == end and found[at].why == why:
            end = found.pop(at).end
        found.insert(at, Unreadable(start, end, why))


#: Zeros are passed over so many bytes at a time.
STRIDES = (1 << 16, 1 << 12)
_ZEROS = tuple(bytes(stride) for stride in STRIDES)


def behind_zeros(view: memoryview, at: int, end: int) -> int:
    """Return an offset between `at` and `end` before which there are only zeros; it need not be the last."""
    for zeros in _ZEROS:
        while at + len(zeros) <= end and view[at : at + len(zeros)].tobytes() == zeros:
            at += len(zeros)
    return at


class Window:
    """A part of a file to look at, moved on by whoever looks; offsets are those of the file.

    `view` ends at `ready`, and is right from `start` on; nothing there goes away while the window
    is in use. Of bytes in memory all is there from the beginning. `limit` is the end of what is wanted.
    """

    __slots__ = ("__weakref__", "_ahead", "_content", "limit", "ready", "start", "view")

    def __init__(self, data: Any, limit: int | None = None) -> None:
        self.limit = len(data) if limit is None else min(limit, len(data))
        self.start = self.ready = 0
        self._ahead = CHUNK
        self._content: Content | None = None
        if isinstance(data, Content):
            self._content = data
            self.view = memoryview(b"")
            data.windows.append(ref(self, data.windows.remove))
        else:
            self.view = memoryview(data)[: self.limit]
            self.ready = self.limit

    def __len__(self) -> int:
        return self.limit

    def __getitem__(self, place: slice) -> bytes:
        """Return a copy of the bytes of a slice that has both ends."""
        return bytes(self.reach(place.start, place.stop)[place])

    def reach(self, start: int, end: int) -> memoryview:
        """Return a view in which the bytes from `start` to `end` are there; those before it may be gone."""
        end = min(end, self.limit)
        if self.start <= start and end <= self.ready:
            return self.view
        content = self._content
        assert content is not None  # of bytes in memory all is there
        self._ahead = min(2 * self._ahead, AHEAD) if self.start <= start <= self.ready else CHUNK
        # First the claim, then the loading, which may give back what nobody claims.
        self.start = start // CHUNK * CHUNK
        self.ready = min(max(end, self.start + self._ahead), self.limit)
        self.view = content.load(self.start, self.ready)
        return self.view

    def find(
        self, pattern: re.Pattern[bytes], start: int, end: int, size: int, before: int = 0
    ) -> Iterator[int]:
        """Yield where a match of `size` bytes begins between `start` and `end`; holes and zeros are skipped.

        No match may begin with a zero. What is looked through is loaded on the way, with `before`
        bytes before it. A `start` before the file, as a damaged header may name, is its beginning.
        """
        at = max(0, start)
        while (at := self.next_data(at)) < end:
            view = self.reach(max(0, at - before), min(at + size, end))
            begin, ready = at, min(self.ready, end)
            while at < ready:
                stop = min(at + STRIDES[0], ready)
                for match in pattern.finditer(view, at, min(stop + size - 1, ready)):
                    yield match.start()
                at = behind_zeros(view, stop, ready)
            # The last bytes may be the beginning of one.
            at = ready if ready == end else max(begin + 1, ready - size + 1)

    def peek(self, start: int, end: int) -> Any:
        """Return a few bytes from anywhere; the window stays where it is."""
        if self._content is None or (self.start <= start and end <= self.ready):
            return self.view[start:end]
        return self._content.peek(start, end)

    def next_data(self, off: int) -> int:
        """Return the first offset from `off` on that is in no hole of the file."""
        return off if self._content is None else self._content.next_data(off)

    def gap(self, start: int, end: int) -> Unreadable | None:
        """Return the first range between `start` and `end` that could not be read; None: there is none."""
        content = self._content
        return content.gap(start, end) if content is not None and content.unreadable else None

    def why(self, start: int, end: int) -> str:
        """Return why some of the bytes from `start` to `end` could not be read; nothing if all were."""
        gap = self.gap(start, end)
        return gap.why if gap else ""


def hole_end(data: Any, off: int) -> int:
    """Return where the hole ends in which `off` lies; `off` itself if it lies in none."""
    return data.next_data(off) if isinstance(data, Content) else off


class Descriptors:
    """The files that are open: a few at a time, whatever the number of files."""

    def __init__(self, most: int = MOST_OPEN) -> None:
        self._most = most
        self._open: OrderedDict[str, int] = OrderedDict()
        finalize(self, _close_all, self._open)

    def handle(self, path: str) -> int:
        """Return a descriptor of the file at `path`, good until the next one is asked for; raises OSError."""
        if path in self._open:
            self._open.move_to_end(path)
            return self._open[path]
        if len(self._open) >= self._most:
            os.close(self._open.popitem(last=False)[1])
        try:
            handle = os.open(path, _FLAGS)
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE) or not self._open:
                raise
            # Others in this process, or in the system, need them too.
            _close_all(self._open)
            handle = os.open(path, _FLAGS)
        self._open[path] = handle
        return handle


def _close_all(handles: OrderedDict[str, int]) -> None:
    while handles:
        with suppress(OSError):
            os.close(handles.popitem()[1])


class FileSource:
    """A regular file at a path. Raises OSError if it cannot be opened, Unfit if it is none."""

    __slots__ = ("_handles", "_path", "_was", "size")

    def __init__(self, path: str, handles: Descriptors) -> None:
        info = os.fstat(handles.handle(path))
        if not stat.S_ISREG(info.st_mode):
            raise Unfit("not a regular file", Path(path))
        self._path = path
        self._handles = handles
        self._was = _state(info)
        self.size = info.st_size

    def handle(self) -> int:
        """Return a descriptor of this file; raises OSError, also if another one has taken its place."""
        handle = self._handles.handle(self._path)
        if _state(os.fstat(handle))[:2] != self._was[:2]:
            raise OSError(errno.ESTALE, "another file has taken its place while it was read")
        return handle

    def read_into(self, off: int, target: memoryview) -> int:
        """Fill `target` from `off` on."""
        return _read_into(self.handle(), off, target)

    def next_data(self, off: int) -> int:
        """Return where data go on; where the system does not tell, `off`."""
        try:
            return _next_data(self.handle(), off, self.size)
        except OSError:
            return off

    def changed(self) -> bool:
        """Tell whether identity, length or one of the times of change differ by now."""
        try:
            return _state(os.stat(self._path)) != self._was  # noqa: PTH116  # of 100,000 files
        except OSError:
            return True


class PartOfFile:
    """`size` bytes from `base` on of an open file that nobody else changes."""

    __slots__ = ("_base", "_stream", "size")

    def __init__(self, stream: Any, base: int, size: int) -> None:
        self._stream = stream
        self._base = base
        self.size = size

    def read_into(self, off: int, target: memoryview) -> int:
        """Fill `target` from `off` on."""
        return _read_into(self._stream.fileno(), self._base + off, target)

    def next_data(self, off: int) -> int:
        """Return where data go on."""
        end = self._base + self.size
        return min(end, _next_data(self._stream.fileno(), self._base + off, end)) - self._base

    def changed(self) -> bool:
        """Say no."""
        return False


def _state(info: os.stat_result) -> tuple[int, int, int, int, int]:
    # The time of the last write can be set back, that of the last change cannot.
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns


def _read_into(handle: int, off: int, target: memoryview) -> int:
    if hasattr(os, "preadv"):
        return os.preadv(handle, [target], off)
    os.lseek(handle, off, os.SEEK_SET)
    data = os.read(handle, len(target))
    target[: len(data)] = data
    return len(data)


def _next_data(handle: int, off: int, size: int) -> int:
    """Return the first offset from `off` on that is in no hole; a file system that knows none says `off`."""
    if not hasattr(os, "SEEK_DATA"):
        return off
    try:
        return os.lseek(handle, off, os.SEEK_DATA)
    except OSError as error:
        if error.errno != errno.ENXIO:
            return off
        # Nothing but a hole up to the end, which may be nearer by now: what is gone is no hole.
        return max(off, min(size, os.fstat(handle).st_size))
