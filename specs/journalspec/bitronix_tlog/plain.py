"""What the schemas of this format hand over, and the observation that follows from it.

Both schemas (construct and Kaitai) end in these few values; what a clean file
set amounts to is concluded here, once, and independently of any reader.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from journalspec.bitronix_tlog.constants import (
    COMMITTING,
    END_RECORD,
    FINISHING,
    FORMAT_ID,
    RULES,
    STATUS,
    UNDECIDED,
    DiskEdition,
)
from journalspec.observation import CLEAN, At, FileMap, Note, Observation, Record
from journalspec.schemas import SchemaError

PAIR = 2


@dataclass(frozen=True, slots=True)
class PlainRecord:
    """One record of a disk edition or of the seed's, `size` bytes at `off`; names as stored.

    `extension` holds the header bytes that only the seed's edition knows.
    """

    off: int
    size: int
    status: int
    record_length: int
    header_length: int
    time: int
    sequence_number: int
    crc32: int
    gtrid: bytes
    names: tuple[bytes, ...]
    extension: bytes = b""


@dataclass(frozen=True, slots=True)
class PlainFile:
    """One file: its header (empty in the seed's edition) and its records in file order."""

    name: str
    length: int
    records: tuple[PlainRecord, ...]
    header: Mapping[str, int] = field(default_factory=dict)


def checksum(record: PlainRecord) -> int:
    """Return the CRC-32 that `record` should carry (BTM-CRC-001 to BTM-CRC-006)."""
    texts = sorted({name.decode("ascii", "replace") for name in record.names})
    crc = zlib.crc32(_signed(record.status) + _signed(record.record_length) + _signed(record.header_length))
    crc = zlib.crc32(_signed(record.time, 8) + _signed(record.sequence_number), crc)
    crc = zlib.crc32(record.extension + record.gtrid + _signed(len(texts)), crc)
    for text in texts:
        crc = zlib.crc32(len(text).to_bytes(2, "big") + text.encode("ascii", "replace"), crc)
    return zlib.crc32(END_RECORD, crc)


def _signed(value: int, size: int = 4) -> bytes:
    return value.to_bytes(size, "big", signed=True)


def pair_of(files: Mapping[str, bytes]) -> list[str]:
    """Return the names of file 1 and file 2; raises SchemaError if these are no pair of equal length."""
    if len(files) != PAIR:
        raise SchemaError(f"a journal is a pair of files, these are {len(files)}")
    names = sorted(files, key=_natural)
    lengths = [len(files[name]) for name in names]
    if lengths[0] != lengths[1]:
        raise SchemaError(f"{lengths[1]} bytes, {names[0]} has {lengths[0]}", names[1])
    return names


def only_file(files: Mapping[str, bytes]) -> str:
    """Return the name of the only file; raises SchemaError if there is not exactly one."""
    if len(files) != 1:
        raise SchemaError(f"a journal of this edition is one file, these are {len(files)}")
    return next(iter(files))


def _natural(name: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"([0-9]+)", name)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts if part]


def verify(file: PlainFile) -> None:
    """Raise SchemaError at the first record whose checksum does not match."""
    for record in file.records:
        computed = checksum(record)
        if computed != record.crc32:
            text = f"crc32 is 0x{record.crc32:08x}, the record gives 0x{computed:08x}"
            raise SchemaError(text, file.name, record.off)


def observe(files: Sequence[PlainFile], edition: str) -> Observation:
    """Return the observation of clean files: one (the seed's edition) or a pair, file 1 first."""
    for file in files:
        verify(file)
    rules = RULES[edition]
    active, notes = _elect(files)
    for file in files:
        notes += _header_notes(file)
        notes += _record_notes(file, rules)
    return Observation(
        CLEAN,
        records=tuple(_record(record, file.name) for file in files for record in file.records),
        state=state(active.records, active.name),
        files=tuple(_map(file, "active" if file is active else "passive") for file in files),
        notes=tuple(notes),
    )


def _elect(files: Sequence[PlainFile]) -> tuple[PlainFile, list[Note]]:
    if len(files) == 1:
        return files[0], []
    first, second = files
    difference = first.header["timestamp"] - second.header["timestamp"]
    active = first if difference > 0 else second
    return active, [Note("ambiguous-election", second.name, 4)] if difference == 0 else []


def _record(record: PlainRecord, file: str) -> Record:
    fields: dict[str, object] = {
        "status": record.status,
        "record_length": record.record_length,
        "header_length": record.header_length,
        "time": record.time,
        "sequence_number": record.sequence_number,
        "crc32": record.crc32,
        "gtrid": record.gtrid,
        "names": [_text(name) for name in record.names],
    }
    if record.extension:
        fields["extension"] = record.extension
    if not _all_printable(record.names):
        fields["names_raw"] = list(record.names)
    return Record(STATUS.get(record.status, "OTHER"), fields, At(file, record.off, record.size))


def _map(file: PlainFile, role: str) -> FileMap:
    header: dict[str, object] = {"format_id": FORMAT_ID, **file.header} if file.header else {}
    return FileMap(file.name, file.length, role, header)


def _text(name: bytes) -> str:
    return name.decode("ascii", "replace")


def _all_printable(names: Iterable[bytes]) -> bool:
    return all(re.fullmatch(rb"[\x20-\x7e]*", name) for name in names)


def state(records: Iterable[PlainRecord], active: str) -> dict[str, object]:
    """Return the logical state: what is unfinished and what is in doubt (BTM-RCV-009 to BTM-RCV-014)."""
    events = ((record.gtrid, record.status, frozenset(map(_text, record.names))) for record in records)
    return conclude(events, active, FINISHING)


def conclude(
    events: Iterable[tuple[bytes, int, frozenset[str]]], active: str, finishing: frozenset[int]
) -> dict[str, object]:
    """Return the logical state after (gtrid, status, names) events in recovery's order."""
    unfinished: dict[bytes, frozenset[str]] = {}
    last: dict[bytes, tuple[int, frozenset[str]]] = {}
    for gtrid, status, names in events:
        last[gtrid] = (status, names)
        if status == COMMITTING:
            unfinished[gtrid] = names
        elif status in finishing and gtrid in unfinished:
            unfinished[gtrid] -= names
            if not unfinished[gtrid]:
                del unfinished[gtrid]
    return {
        "active": active,
        "unfinished": [{"gtrid": gtrid, "names": sorted(unfinished[gtrid])} for gtrid in sorted(unfinished)],
        "in_doubt": [
            {"gtrid": gtrid, "status": STATUS[last[gtrid][0]], "names": sorted(last[gtrid][1])}
            for gtrid in sorted(last)
            if last[gtrid][0] in UNDECIDED and gtrid not in unfinished
        ],
    }


def _header_notes(file: PlainFile) -> Iterator[Note]:
    if not file.header:
        return
    if file.header["state"] == 255:
        yield Note("unclean", file.name, 12)
    elif file.header["state"] != 0:
        yield Note("bad-state", file.name, 12, f"state {file.header['state']}")
    boundaries = {file.header["position"]}
    boundaries.update(edge for record in file.records for edge in (record.off, record.off + record.size))
    if file.header["timestamp"] in boundaries:
        yield Note("position-as-timestamp", file.name, 4, f"timestamp {file.header['timestamp']}")


def _record_notes(file: PlainFile, rules: DiskEdition) -> Iterator[Note]:
    # A swapped file begins with copies, older by right; a run begins behind them, and with each first number.
    copies = True
    oldest: tuple[int, int] | None = None
    for record in file.records:
        copies = copies and record.status == COMMITTING
        if copies or record.sequence_number in (0, 1):
            oldest = None
        if record.header_length != rules.header_length:
            yield Note("header-length", file.name, record.off, f"headerLength {record.header_length}")
        if not _all_printable(record.names):
            yield Note("name-not-recoverable", file.name, record.off)
        elif any(left >= right for left, right in zip(record.names, record.names[1:], strict=False)):
            yield Note("names-unsorted", file.name, record.off)
        if oldest and record.time < oldest[0] and record.sequence_number < oldest[1]:
            yield Note("stale-suspect", file.name, record.off)
        if not copies:
            time, sequence = oldest or (record.time, record.sequence_number)
            oldest = (min(time, record.time), min(sequence, record.sequence_number))
