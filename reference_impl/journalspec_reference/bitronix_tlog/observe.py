"""From this format's values to the shared observation: names, notes, places."""

from __future__ import annotations

from collections.abc import Container, Iterator

from journalspec.observation import At, Dropped, FileMap, Note, Record
from journalspec_reference.bitronix_tlog.codec import (
    STATE_CLEAN,
    STATE_UNCLEAN,
    STATUS_CODES,
    STATUS_NAMES,
    Fault,
    Layout,
    LogRecord,
    in_canonical_order,
    name_text,
)
from journalspec_reference.bitronix_tlog.pair import LogFile

COMMITTING = STATUS_CODES["COMMITTING"]
#: The sequence number of a run's first record: 0 up to BTM 2.1.2, later 1.
FIRST_OF_A_RUN = (0, 1)


def record_of(item: LogRecord, file: str) -> Record:
    """Return `item` under the spec's field names."""
    fields: dict[str, object] = {
        "status": item.status,
        "record_length": item.record_length,
        "header_length": item.header_length,
        "time": item.time,
        "sequence_number": item.sequence_number,
        "crc32": item.crc32,
        "gtrid": item.gtrid,
        "names": [name_text(name) for name in item.names],
    }
    if item.extension:
        fields["extension"] = item.extension
    if not all(map(is_printable, item.names)):
        fields["names_raw"] = list(item.names)
    at = At(file, item.off, item.end - item.off)
    return Record(STATUS_NAMES.get(item.status, "OTHER"), fields, at)


def is_printable(name: bytes) -> bool:
    """Tell whether every byte of a name is printable ASCII, the only interoperable kind."""
    return name.isascii() and name.decode("ascii").isprintable()


def dropped_of(fault: Fault, file: str) -> Dropped:
    """Return the region that `fault` costs: its frame, or all up to the tail."""
    return Dropped(file, fault.off, fault.end - fault.off, fault.reason)


def map_of(file: LogFile) -> FileMap:
    """Return the layout entry of one file of the pair."""
    header: dict[str, object] = {}
    if file.header is not None:
        header = {
            "format_id": file.header.format_id.to_bytes(4, "big"),
            "timestamp": file.header.timestamp,
            "state": file.header.state,
            "position": file.header.position,
        }
    return FileMap(file.name, file.length, file.role, header)


def unanchored_note(record: Record) -> Note:
    """Return the note on a valid record that stands outside the log."""
    return Note("unanchored", record.at.file, record.at.off)


def header_notes(file: LogFile, boundaries: Container[int]) -> Iterator[Note]:
    """Yield what the header of a usable file gives away (BTM-HDR, BTM-RCV).

    `boundaries` are the offsets at which a record begins or ends, if only as far as that is of interest here.
    """
    if file.header is None or file.problem is not None:
        return
    if file.header.state == STATE_UNCLEAN:
        yield Note("unclean", file.name, 12)
    elif file.header.state != STATE_CLEAN:
        yield Note("bad-state", file.name, 12, f"state byte {file.header.state}")
    if file.header.timestamp == file.header.position or file.header.timestamp in boundaries:
        yield Note("position-as-timestamp", file.name, 4, f"timestamp {file.header.timestamp}")


class RecordNotes:
    """What is odd about valid records without making them invalid; asked of each of a file in turn."""

    def __init__(self, file: str, layout: Layout) -> None:
        self._file = file
        self._layout = layout
        self._suspicion = StaleSuspicion()

    def of(self, record: LogRecord) -> list[Note]:
        """Return the notes on the next record."""
        found = []
        if record.header_length != self._layout.header_length:
            found.append(
                Note("header-length", self._file, record.off, f"headerLength {record.header_length}")
            )
        if not all(map(is_printable, record.names)):
            found.append(Note("name-not-recoverable", self._file, record.off))
        elif not in_canonical_order(record.names):
            found.append(Note("names-unsorted", self._file, record.off))
        if self._suspicion.falls_on(record):
            found.append(Note("stale-suspect", self._file, record.off))
        return found


class StaleSuspicion:
    """Finds records that are older than all others of their run (BTM-RDR-011).

    Threads overtake each other by a few records, so that each is compared with
    the whole run; what a file held before is older than all of it.
    """

    def __init__(self) -> None:
        self._begun = False
        self._time = self._sequence = 0

    def falls_on(self, record: LogRecord) -> bool:
        """Tell whether the next record is such a one."""
        if not self._begun and record.status == COMMITTING:
            return False  # copied from the other file before the run began
        if not self._begun or record.sequence_number in FIRST_OF_A_RUN:
            self._begun = True
            self._time, self._sequence = record.time, record.sequence_number
            return False
        older = record.time < self._time and record.sequence_number < self._sequence
        self._time = min(self._time, record.time)
        self._sequence = min(self._sequence, record.sequence_number)
        return older
