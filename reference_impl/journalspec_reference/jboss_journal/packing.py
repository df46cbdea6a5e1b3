"""Packs records into new files. File ids begin with 1; counts and check sizes are computed again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from journalspec_reference.answers import Answer
from journalspec_reference.ids import Ids
from journalspec_reference.jboss_journal import codec
from journalspec_reference.jboss_journal.bodies import Body, Kept
from journalspec_reference.jboss_journal.codec import DIALECTS, Dialect, JournalRecord
from journalspec_reference.jboss_journal.fileset import parsed
from journalspec_reference.jboss_journal.scan import BODY_HEAD
from journalspec_reference.newstore import PIECE, NewFile, parts, pieces

#: The minimum length of a data file for the products.
SMALLEST = 1024
#: Source files longer than this (bytes) do not determine the length of new files, because they can be mostly
#: holes.
LARGEST = 128 << 20
#: Maps an extension to the byte with which its products fill new files, if the byte is not zero.
FILLS = {"jbm": b"J", "hq": b"J"}


class NewRecord(NamedTuple):
    """Represents one record to write. For a PREPARE, which has no id, `body` is its extra data."""

    code: int
    id: int
    user_type: int
    body: bytes
    tx: int = 0


class CopiedRecord(NamedTuple):
    """Represents an ADD or UPDATE to write.

    `rest` contains its bytes from the id on, which do not depend on the file.
    """

    code: int
    rest: bytes

    @property
    def opened(self) -> NewRecord:
        """The record after decoding."""
        ident, _, kind = BODY_HEAD.unpack_from(self.rest)
        return NewRecord(self.code, ident, kind, self.rest[BODY_HEAD.size : -codec.CHECK_SIZE])


@dataclass(frozen=True)
class Packing:
    """Represents the form of the files of one journal.

    `size` is the length of each file (bytes), `least` the minimum number of files for the product, `fill` the
    byte after the last record.
    """

    dialect: Dialect
    directory: str
    prefix: str
    extension: str
    size: int
    fill: bytes = b"\0"
    user_version: int = 0
    least: int = 2

    def files(self, records: Iterable[NewRecord | CopiedRecord]) -> Iterator[NewFile]:
        """Yield the files of `records`; each must be read before the next one is requested."""
        packed = _Packed(self, records)
        number = 0
        while packed.left or number < self.least:
            number += 1
            parts = packed.file(number)
            yield NewFile(f"{self.directory}{self.prefix}-{number}.{self.extension}", parts)
            for _ in parts:
                pass

    def header(self, number: int) -> bytes:
        """Return the header of a file."""
        if self.dialect.versions:
            return codec.LONG_HEADER.pack(self.dialect.versions[-1], self.user_version, number)
        return codec.INT.pack(number)


class _Packed:
    """Represents the records that are not in a file yet."""

    def __init__(self, form: Packing, records: Iterable[NewRecord | CopiedRecord]) -> None:
        self._form, self._records = form, iter(records)
        self._next: NewRecord | CopiedRecord | None = next(self._records, None)
        #: Maps a transaction to the number of its records in each file.
        self._counts: dict[int, Counter[int]] = {}

    @property
    def left(self) -> bool:
        """Whether any record is not in a file yet."""
        return self._next is not None

    def file(self, number: int) -> Iterator[bytes]:
        """Yield a file in pieces: as many records as fit, and then fill."""
        form, dialect = self._form, self._form.dialect
        stamp, least, pack = dialect.stamp(number), dialect.kinds[codec.ADD].least, BODY_HEAD.pack
        # ADD or UPDATE -> the bytes before the id; none if records have a checksum.
        before = stamp.to_bytes(4, "big").ljust(dialect.id_at[codec.ADD] - 1, b"\0")
        plain = () if dialect.hashed else (codec.ADD, codec.UPDATE)
        begins = {code: bytes([code]) + before for code in plain}
        data = bytearray(form.header(number))
        # A record longer than a file gets a file of its own, because a record of an older version can grow by
        # a byte.
        end = first = len(data)
        following = chain((self._next,), self._records) if self._next is not None else iter(())
        self._next = None
        for given in following:
            begin = begins.get(given.code)
            if begin is None:
                encoded = self._encoded(given, number, stamp)
            elif isinstance(given, CopiedRecord):
                encoded = begin + given.rest
            else:
                size = len(given.body)
                head = begin + pack(given.id, size, given.user_type)
                encoded = head + given.body + codec.INT.pack(least + size)
            if end + len(encoded) > form.size and end > first:
                self._next = given
                break
            if begin is None and isinstance(given, NewRecord) and given.code != codec.PREPARE:
                self._counts.setdefault(given.tx, Counter())[number] += 1
            data += encoded
            end += len(encoded)
            if len(data) >= PIECE:
                yield from pieces(data)
                data = bytearray()
        yield from pieces(data)
        yield from parts((), form.size - end, form.fill)

    def _encoded(self, given: NewRecord | CopiedRecord, number: int, stamp: int) -> bytes:
        record = given.opened if isinstance(given, CopiedRecord) else given
        kind = self._form.dialect.kinds[record.code]
        shown = JournalRecord(0, 0, kind, 0, record.tx, record.id, record.user_type, record.body)
        if record.code == codec.PREPARE:
            counts = self._counts.get(record.tx, Counter())
            pairs = tuple(sorted(counts.items()))
            shown = shown._replace(extra=record.body, tally=counts[number], pairs=pairs)
        return codec.encode_record(shown, self._form.dialect, stamp)


def packing_of(answer: Answer, directory: str = "") -> Packing:
    """Return the form of new files. It is the form of most files of the source."""
    journal, names = answer.journal, list(answer.journal.files)
    extension = str(journal.params.get("extension", "amq"))
    lengths = Counter(len(journal.files[name]) for name in names)
    usual = max((count, length) for length, count in lengths.items())[1] if lengths else SMALLEST
    prefix = next((form.prefix for name in names if (form := parsed(name))), "activemq-data")
    version = int(journal.params.get("user_version", "0"))
    usual = max(usual, SMALLEST)
    default = usual if DIALECTS[journal.edition].fixed_length else min(usual, LARGEST)
    size = int(journal.params.get("file_size", default))
    fill = FILLS.get(extension, b"\0")
    return Packing(DIALECTS[journal.edition], directory, prefix, extension, size, fill, version)


def copied(kept: Kept, dialect: Dialect, dropped: Iterable[int] = ()) -> Iterator[NewRecord]:
    """Yield the recovered records of a journal, except for the ids `dropped`.

    An UPDATE without its ADD is written as an ADD, so that it is delivered and no record is missing.
    """
    seen, gone = Ids(), frozenset(dropped)
    for item in kept.live():
        if item.id not in gone:
            code = (
                codec.UPDATE
                if item.code in (codec.UPDATE, codec.UPDATE_TX) and item.id in seen
                else codec.ADD
            )
            seen.add(item.id)
            yield NewRecord(code, item.id, item.user_type, item.stored)
    yield from prepared(kept, dialect, seen)


def prepared(
    kept: Kept, dialect: Dialect, known: Ids, wanted: Callable[[Body], bool] = lambda item: True
) -> Iterator[NewRecord]:
    """Yield the prepared transactions with the requested records. `known` contains the live ids."""
    for tx in kept.in_doubt_transactions():
        own = set[int]()
        for item in filter(wanted, kept.bodies(tx.changes)):
            changes = item.code in (codec.UPDATE, codec.UPDATE_TX) and (item.id in known or item.id in own)
            own.add(item.id)
            data = item.stored
            yield NewRecord(
                codec.UPDATE_TX if changes else codec.ADD_TX, item.id, item.user_type, data, tx.tx
            )
        for ident, body in kept.deleted(tx.deletes):
            if ident in known or ident in own:
                yield NewRecord(dialect.codes["DELETE_TX"], ident, 0, body, tx.tx)
        yield NewRecord(codec.PREPARE, 0, 0, tx.extra, tx.tx)
