"""Messages by the places of their records: what is around the message is passed over, not parsed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from journalspec.reread import Changed
from journalspec_reference.batches import Source, source_of
from journalspec_reference.kahadb_journal.codec import HEAD, head
from journalspec_reference.kahadb_journal.commands import CommandError, varint
from journalspec_reference.kahadb_journal.recover import DataFile
from journalspec_reference.kahadb_journal.store import PLACE

#: The numbers of ADD_MESSAGE and UPDATE_MESSAGE.
_ADD, _UPDATE = 1, 10
#: The keys of the message in ADD_MESSAGE, and of that in UPDATE_MESSAGE.
_SIZED = 2
_MESSAGE, _ADDED = 4 << 3 | _SIZED, 1 << 3 | _SIZED
#: So much of a record is read at first; it has the times of almost all messages.
FIRST = 1024


def message_in(record: bytes) -> tuple[int, int]:
    """Return offset and size (bytes) of the message in a record, of which the first bytes are enough.

    Both are 0 if none is in these bytes. Raises CommandError for a record that adds no message.
    """
    if len(record) <= HEAD or record[HEAD] not in (_ADD, _UPDATE):
        raise CommandError("no message is added")
    size, at = varint(record, HEAD + 1)
    end, updates = min(len(record), at + size), record[HEAD] == _UPDATE
    found = 0, 0
    with suppress(CommandError):
        while at < end:
            key, at = varint(record, at)
            size, after = varint(record, at)
            if updates and key == _ADDED:
                updates, at, end = False, after, min(end, after + size)
                continue
            if key == _MESSAGE and not updates:
                found = after, size
            at = after + size if key & 7 == _SIZED else after
    return found


class Places:
    """The records of a journal by place: turn of the file and offset."""

    def __init__(self, files: Sequence[DataFile]) -> None:
        self._files = files
        self._sources: list[Source] = [source_of(file.data) for file in files]

    def at(self, place: int) -> tuple[str, int]:
        """Return the file and the offset of a place."""
        return self._files[place >> PLACE].name, place & (1 << PLACE) - 1

    def first(self, place: int) -> tuple[bytes, int]:
        """Return the first bytes of a record, and its length."""
        source, off = self._sources[place >> PLACE], place & (1 << PLACE) - 1
        start = source.read(off, FIRST)
        if len(start) < HEAD:
            raise Changed(self._files[place >> PLACE].name)
        length, _ = head(start, 0)
        return start[:length] if length < FIRST else start, length

    def message(self, place: int) -> tuple[bytes, int]:
        """Return the message of a record, and the record's length; raises Changed if there is none."""
        record, length = self.first(place)
        if length > len(record):
            source, off = self._sources[place >> PLACE], place & (1 << PLACE) - 1
            record += source.read(off + len(record), length - len(record))
        try:
            start, size = message_in(record)
        except CommandError:
            raise Changed(self._files[place >> PLACE].name) from None
        return record[start : start + size], length
