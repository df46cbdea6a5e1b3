"""Stretches of a file as columns. They are the result of every scan, and the input of all later steps.

A scan reads a stretch (a range of bytes) of a file at a time and yields a :class:`Batch`. A batch contains
begin and end of each record, the number of its type, and the regions without records. No record becomes an
object before a caller requests it. The results for a long file are not kept: the sequences of :class:`Found`
scan the file again.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from itertools import chain, starmap
from types import ModuleType
from typing import Any, NamedTuple, Protocol, TypeVar

from journalspec import reread
from journalspec.observation import Dropped, Note, Record
from journalspec.reread import COST, Changed, Deferred, Lazy, Part
from journalspec_reference.content import Content, Unreadable

#: Length of a stretch in bytes. A record that does not fit extends its stretch.
STRETCH = 1 << 20
#: The length of the first read, in bytes, if a short read is usually enough.
_HEADS = 1 << 12
#: A batch ends after this many regions and notes, whatever its length, because hostile bytes may cause one
#: per byte.
MOST_ODD = 4096
#: Runs of zeros of several lengths. `zeros_end` skips zeros by the longest run that fits.
_ZEROS = bytes(1 << 16), bytes(1 << 12), bytes(1 << 8)


class Source(Protocol):
    """Represents the bytes of one file, which a scan reads a stretch at a time."""

    @property
    def size(self) -> int:
        """The length of the file in bytes."""

    def read(self, off: int, size: int) -> bytes:
        """Return `size` bytes from `off` on, or fewer at the end. Unreadable bytes are returned as zeros."""

    def peek(self, start: int, end: int) -> bytes:
        """Return a few bytes at any offset, without loading the bytes around them."""

    def next_data(self, off: int) -> int:
        """Return the first offset from `off` on that is not in a hole of the file."""

    @property
    def unreadable(self) -> Sequence[Unreadable]:
        """Return the unreadable ranges found so far, in order."""

    def gap(self, start: int, end: int) -> Unreadable | None:
        """Return the first range between `start` and `end` that could not be read, or None."""


class Memory:
    """Makes bytes in memory available as a source."""

    __slots__ = ("_data", "size")
    unreadable: Sequence[Unreadable] = ()

    def __init__(self, data: Any) -> None:
        self._data = data
        self.size = len(data)

    def read(self, off: int, size: int) -> bytes:
        """Return `size` bytes from `off` on."""
        return bytes(self._data[off : off + size])

    def peek(self, start: int, end: int) -> bytes:
        """Return the bytes from `start` to `end`."""
        return bytes(self._data[start:end])

    def next_data(self, off: int) -> int:
        """Return `off`, because memory has no holes."""
        return off

    def gap(self, start: int, end: int) -> Unreadable | None:
        """Return None, because all memory can be read."""
        return None


def source_of(data: Any) -> Source:
    """Return a source for the content that a caller provides. The content is bytes, or a file on a disk."""
    return data if isinstance(data, Content) else Memory(data)


class Batch:
    """The records of one stretch.

    The stretch begins at offset `base` of its file. `data` are its bytes, and can have further bytes after
    them. Record number i goes from ``base + off[i]`` to ``base + end[i]``; `code[i]` is the number of its
    type, as the format numbers them. `damage` are the regions without records, as (start, end, reason) with
    offsets in the file, in order; `notes` are about this stretch. `more` contains additional values of the
    format, by name.
    """

    __slots__ = ("base", "code", "damage", "data", "end", "more", "notes", "off")

    def __init__(self, base: int, data: bytes) -> None:
        self.base, self.data = base, data
        self.off, self.end, self.code = array("q"), array("q"), bytearray()
        self.damage: list[tuple[int, int, str]] = []
        self.notes: list[Note] = []
        self.more: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.off)


def zeros_end(data: bytes, at: int, top: int) -> int:
    """Return an offset such that only zeros are stored from `at` up to this offset.

    A few more zeros can follow.
    """
    if at < top and not data[at]:
        # Most often, no other byte follows.
        if top - at <= len(_ZEROS[0]) and not data[top - 1] and data.startswith(_ZEROS[0][: top - at], at):
            return top
        for zeros in _ZEROS:
            while data.startswith(zeros, at, top):
                at += len(zeros)
    return at


def zeros_start(data: bytes, end: int) -> int:
    """Return an offset such that only zeros are stored from this offset up to `end`.

    A few more zeros can precede it.
    """
    for zeros in _ZEROS:
        while data.endswith(zeros, 0, end):
            end -= len(zeros)
    return end


def zeros(source: Source, off: int = 0) -> bool:
    """Return whether only zeros are stored from `off` on. Holes are not read."""
    size = _HEADS
    while off < source.size:
        if (end := source.next_data(off)) == off:
            data = source.read(off, size)
            if data != bytes(len(data)):
                return False
            end, size = off + len(data), STRETCH
        off = end
    return True


class Stretch(NamedTuple):
    """A part of a journal that is scanned separately: a file, or the part of a file that contains the log.

    `scan` yields its batches, the same ones each time. `tell` makes the records of a batch, `columns` its
    typed columns by name, in the forms of :mod:`.arrow`. `role` is the role of the file. `alike` returns
    everything that records of the given types depend on besides their bytes. If its result is equal for two
    stretches of a file, records at equal offsets are equal, so comparing offsets is enough. If `alike` is
    None, this is unknown.

    If later stretches can depend on this one, a complete scan adds to `outcome` everything that they need. A
    caller that knows the outcome of an earlier scan can add it instead of scanning. If the files have changed
    so that this plan cannot have the outcome, the plan raises ReadingRefused.
    """

    file: str
    scan: Callable[[], Iterable[Batch]]
    tell: Callable[[Batch], Iterable[Record]]
    columns: Callable[[Batch], Mapping[str, Any]] | None = None
    role: str = ""
    alike: Callable[[Iterable[int]], object] | None = None
    outcome: list[Any] | None = None


class ReadingRefused(Exception):
    """This error means that reading refuses the journal, so that its stretches yield no records."""


def damaged(start: int, end: int, reason: str) -> Batch:
    """Return a batch that has only one region without records."""
    batch = Batch(start, b"")
    batch.damage.append((start, end, reason))
    return batch


def lost(file: str, start: int, end: int, reason: str, role: str = "") -> Stretch:
    """Return a stretch that consists of one region without records.

    It is an unusable file, or a part of a file.
    """
    # A list would make the region inside the lambda, one call deeper than `map` does.
    return Stretch(file, lambda: map(damaged, [start], [end], [reason]), lambda _: (), role=role)


@cache
def columns_module(package: str) -> ModuleType | None:
    """Return the module ``columns`` of a format's `package`, imported only now. Return None without NumPy."""
    try:
        return import_module(f"{package}.columns")
    except ImportError:
        return None


def late_columns(package: str, *given: object) -> Callable[[Batch], Mapping[str, Any]]:
    """Return a function that makes the columns of a batch with the module ``columns`` of `package`.

    `given` are further arguments for that module. The function raises ImportError without NumPy.
    """

    def made(batch: Batch) -> Mapping[str, Any]:
        module = columns_module(package)
        if module is None:
            raise ImportError("columns need NumPy: pip install 'journalspec[corpus]'")
        columns: Mapping[str, Any] = module.columns(batch, *given)
        return columns

    return made


T = TypeVar("T")


class _Scanned:
    """Represents the counts of a stretch whose batches are not kept."""

    __slots__ = ("check", "codes", "notes", "regions", "rows", "stretch")

    def __init__(self, stretch: Stretch) -> None:
        self.stretch = stretch
        self.rows = self.regions = self.notes = self.check = 0
        #: Maps the number of a record type to the number of its records.
        self.codes: dict[int, int] = {}

    def count(self, batch: Batch) -> None:
        """Count the next batch."""
        _count_codes(self.codes, batch)
        self.rows += len(batch.off)
        self.regions += len(batch.damage)
        self.notes += len(batch.notes)
        self.check = _checked(self.check, batch)

    def again(self) -> Iterator[Batch]:
        """Scan the batches once more. Raises Changed if the file has changed."""
        check = 0
        for batch in self.stretch.scan():
            check = _checked(check, batch)
            yield batch
        if check != self.check:
            raise Changed(self.stretch.file)

    @property
    def key(self) -> object:
        """A key that is equal for stretches of a file with the same records.

        If the key is None, the records are compared.
        """
        alike = self.stretch.alike
        return None if alike is None else (alike(sorted(self.codes)), self.check)

    def records(self) -> Iterator[Record]:
        return chain.from_iterable(map(self.stretch.tell, self.again()))

    def dropped(self) -> Iterator[Dropped]:
        return chain.from_iterable(map(partial(_dropped_of, self.stretch.file), self.again()))

    def remarks(self) -> Iterator[Note]:
        for batch in self.again():
            yield from batch.notes


def _dropped_of(file: str, batch: Batch) -> Iterator[Dropped]:
    return (Dropped(file, start, end - start, reason) for start, end, reason in batch.damage)


def _told(stretch: Stretch, batch: Batch) -> Iterable[Record]:
    return stretch.tell(batch)


def _codes_of(kept: Iterable[tuple[Stretch, Batch]]) -> dict[int, int]:
    codes: dict[int, int] = {}
    for _, batch in kept:
        _count_codes(codes, batch)
    return codes


def _count_codes(codes: dict[int, int], batch: Batch) -> None:
    for code in set(batch.code):
        codes[code] = codes.get(code, 0) + batch.code.count(code)


def _checked(check: int, batch: Batch) -> int:
    """Return a digest of the offsets in a batch. `check` is the digest of the earlier batches."""
    odd = repr(batch.damage).encode() if batch.damage else b""
    return zlib.crc32(odd, zlib.crc32(batch.end, zlib.crc32(batch.off, check)))


class Found:
    """Represents the records, regions and notes of all stretches. A few are kept; many are scanned again."""

    __slots__ = ("_kept", "_left", "_notes", "_regions", "_rows", "_scanned", "_stretch")

    def __init__(self) -> None:
        #: The stretch that was begun last.
        self._stretch: Stretch
        #: The batches of all stretches, while they are few.
        self._kept: list[tuple[Stretch, Batch]] = []
        #: The counts of each stretch, if the batches are many.
        self._scanned: list[_Scanned] = []
        self._left, self._rows = reread.KEEP, 0
        #: All regions and notes so far. None if there are more than MOST_ODD in batches that are not kept.
        self._regions: list[Dropped] | None = []
        self._notes: list[Note] | None = []

    def begin(self, stretch: Stretch) -> Iterator[Batch]:
        """Return the batches of a stretch. The caller must pass each batch to :meth:`take`."""
        self._stretch = stretch
        return iter(stretch.scan())

    def take(self, batch: Batch) -> None:
        """Count the next batch of the stretch that was passed to :meth:`begin` last.

        Keep the batches while there are few of them.
        """
        self._rows += len(batch.off)
        self._left -= len(batch.data) + COST * (len(batch.off) + len(batch.damage) + len(batch.notes))
        # While the batches are kept, their regions and notes are few.
        if batch.damage and self._regions is not None:
            self._regions += _dropped_of(self._stretch.file, batch)
            self._regions = None if self._left < 0 and len(self._regions) > MOST_ODD else self._regions
        if batch.notes and self._notes is not None:
            self._notes += batch.notes
            self._notes = None if self._left < 0 and len(self._notes) > MOST_ODD else self._notes
        self._kept.append((self._stretch, batch))
        if self._left < 0:
            # Most of the journal will be read again, so keeping a part of it would save little.
            for stretch, each in self._kept:
                if not self._scanned or self._scanned[-1].stretch is not stretch:
                    self._scanned.append(_Scanned(stretch))
                self._scanned[-1].count(each)
            self._kept.clear()

    def batches(self) -> Iterator[Batch]:
        """Yield all batches once more. Raises Changed if a file has changed."""
        return chain([batch for _, batch in self._kept], *[each.again() for each in self._scanned])

    def codes(self) -> dict[int, int]:
        """Return a mapping from the number of each record type to the number of its records."""
        found = _codes_of(self._kept)
        for each in self._scanned:
            for code, count in each.codes.items():
                found[code] = found.get(code, 0) + count
        return found

    def records(self, codes: Mapping[int, int] | None = None) -> Sequence[Record]:
        """Return the records of all stretches, in order.

        By default, `codes` is the result of :meth:`codes`.
        """
        if not self._rows:
            return ()
        if self._left >= 0:
            kept = self._kept[:]
            counts = partial(_codes_of, kept) if codes is None else dict(codes).copy
            return Deferred(self._rows, lambda: chain.from_iterable(starmap(_told, kept)), counts)
        codes = self.codes() if codes is None else dict(codes)
        found = [each for each in self._scanned if each.rows]
        return Lazy([Part(each.stretch.file, each.records, each.rows, each.key) for each in found], codes)

    def dropped(self) -> Sequence[Dropped]:
        """Return the regions without records, in order."""
        if self._regions is not None:
            return tuple(self._regions)
        odd = [each for each in self._scanned if each.regions]
        return Lazy([Part(each.stretch.file, each.dropped, each.regions) for each in odd])

    def notes(self) -> Sequence[Note]:
        """Return the notes, in order."""
        if self._notes is not None:
            return tuple(self._notes)
        odd = [each for each in self._scanned if each.notes]
        return Lazy([Part(each.stretch.file, each.remarks, each.notes) for each in odd])


#: The polynomial 1, bit-reflected, and 32 ones, which invert a sum.
_ONE, _ONES = 0x80000000, 0xFFFFFFFF
#: The number of bytes that are summed at a time, and the distance between the prefixes whose sums are kept.
PIECE, STEP = 1 << 20, 1 << 10


class Sums:
    """Computes the CRC-32 of ranges of a file. Adjacent ranges are summed in one pass.

    If a range begins before the end of an earlier summed range, its sum is computed from the sums of two
    prefixes (the algebra of CRCs). Summing many overlapping ranges in full would take quadratic time.
    """

    def __init__(self, source: Source) -> None:
        #: The offset up to which the source is summed, by this object or by a caller that has the bytes.
        self._source, self.summed = source, 0
        self._base, self._prefixes = 0, array("I", [0])
        #: x to the power of 8 * STEP * i modulo the polynomial, for each i: it moves a sum by i steps.
        self._powers = array("I", [_ONE])

    def __call__(self, start: int, end: int, data: bytes = b"") -> int:
        """Return the sum of a range. If the caller has read the whole range, `data` are its bytes."""
        if start < self.summed and end - start > STEP:
            if not self._base <= start <= self._base + STEP * len(self._prefixes):
                # Bytes in between are not read, because they may be a hole.
                self._base, self._prefixes = start // STEP * STEP, array("I", [0])
            steps, more = divmod(end - start, STEP)
            while len(self._powers) <= steps:
                self._powers.append(_moved(self._powers[-1], STEP))
            moved = multiply(_moved(self._prefix(start), more), self._powers[steps])
            return self._prefix(end) ^ moved
        self.summed, value = max(end, self.summed), 0
        if len(data) == end - start:
            return zlib.crc32(data)
        for at in range(start, end, PIECE):
            value = zlib.crc32(self._source.read(at, min(PIECE, end - at)), value)
        return value

    def _prefix(self, at: int) -> int:
        """Return the sum of the bytes from the base to `at`. Four bytes of memory for each step are kept."""
        known, (index, more) = self._prefixes, divmod(at - self._base, STEP)
        while len(known) <= index:
            data = self._source.read(self._base + (len(known) - 1) * STEP, PIECE)
            for step in range(0, max(len(data) - STEP + 1, 1), STEP):
                known.append(zlib.crc32(data[step : step + STEP], known[-1]))
        return zlib.crc32(self._source.read(at - more, more), known[index])


def _moved(value: int, count: int) -> int:
    """Return a sum as a part of the sum of its bytes and `count` further bytes, at most STEP."""
    return zlib.crc32(_ZEROS[1][:count], value ^ _ONES) ^ _ONES


def multiply(left: int, right: int) -> int:
    """Return the product of two polynomials modulo the polynomial of the CRC, bit-reflected."""
    product = 0
    while left:
        lowest = left & -left
        product ^= right * lowest
        left ^= lowest
    # Four further bytes move the upper half of the product by x to the power of 32, as the modulus requires.
    return product >> 31 ^ _moved(product << 1 & _ONES, 4)
