"""From this format's values to the shared observation: names, notes, places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import dropwhile

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


def header_notes(file: LogFile, records: Iterable[LogRecord]) -> Iterator[Note]:
    """Yield what the header of a usable file gives away (BTM-HDR, BTM-RCV)."""
    if file.header is None or file.problem is not None:
        return
    if file.header.state == STATE_UNCLEAN:
        yield Note("unclean", file.name, 12)
    elif file.header.state != STATE_CLEAN:
        yield Note("bad-state", file.name, 12, f"state byte {file.header.state}")
    boundaries = {file.header.position}
    for record in records:
        boundaries.update((record.off, record.end))
    if file.header.timestamp in boundaries:
        yield Note("position-as-timestamp", file.name, 4, f"timestamp {file.header.timestamp}")


def record_notes(records: list[LogRecord], file: str, layout: Layout) -> Iterator[Note]:
    """Yield what is odd about valid records without making them invalid."""
    suspects = stale_suspects(records)
    for record in records:
        if record.header_length != layout.header_length:
            yield Note("header-length", file, record.off, f"headerLength {record.header_length}")
        if not all(map(is_printable, record.names)):
            yield Note("name-not-recoverable", file, record.off)
        elif not in_canonical_order(record.names):
            yield Note("names-unsorted", file, record.off)
        if record.off in suspects:
            yield Note("stale-suspect", file, record.off)


def stale_suspects(records: list[LogRecord]) -> set[int]:
    """Return the offsets of records that are older than all others of their run (BTM-RDR-011).

    Threads overtake each other by a few records, so that each is compared with
    the whole run; what a file held before is older than all of it.
    """
    found = set()
    time = sequence = None
    for record in dropwhile(lambda record: record.status == COMMITTING, records):
        if time is None or sequence is None or record.sequence_number in FIRST_OF_A_RUN:
            time, sequence = record.time, record.sequence_number
            continue
        if record.time < time and record.sequence_number < sequence:
            found.add(record.off)
        time, sequence = min(time, record.time), min(sequence, record.sequence_number)
    return found
