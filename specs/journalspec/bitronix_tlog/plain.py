"""What files of this format amount to, however their records were read.

Both schemas (construct and Kaitai) read single headers and records; where the next
one is looked for, and what a clean file set means, is concluded here, once, and
independently of any reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from journalspec.bitronix_tlog import LAYOUT
from journalspec.observation import CLEAN, At, FileMap, Note, Observation, Record
from journalspec.schemas import Codec, Plain, SchemaError

EDITIONS = ("seed", "2.1", "3.0", "nio")
PAIR = 2
STATUS = {number: name for name, number in LAYOUT.types("2.1").items()}
COMMITTING = 8
#: Statuses that take names off an unfinished transaction (BTM-RCV-010).
FINISHING = frozenset({3, 4, 5})
#: The nio journal's UNKNOWN takes none (BTM-NIO-013).
NIO_FINISHING = frozenset({3, 4})
#: Last words that leave a transaction in doubt (BTM-RCV-014).
UNDECIDED = frozenset({2, 7, 9})
#: What a writer of the edition stores as headerLength, its records having no extension.
HEADER_LENGTH = {"seed": 16, "2.1": 28, "3.0": 28}
#: Where the frames of a nio journal begin, and what each of them begins with (BTM-NIO-003, BTM-NIO-005).
FIRST_FRAME = 1024
FRAME_START = b"\r\nLR["
#: Fields that an observation carries as they are.
_TOLD = ("status", "record_length", "header_length", "time", "sequence_number", "crc32", "gtrid", "delimiter")


@dataclass(frozen=True, slots=True)
class PlainFile:
    """One file: its header (empty in the seed's edition) and its records in file order."""

    name: str
    length: int
    records: tuple[Plain, ...]
    header: Mapping[str, Any] = field(default_factory=dict)


def observe(files: Mapping[str, bytes], edition: str, codec: Codec) -> Observation:
    """Return the observation of a clean file set at level layout; raises SchemaError.

    `files` maps names to whole contents. Clean means: every file of the set is
    there and valid, and every record of every log with it (BTM-RDR-016).
    """
    if edition not in EDITIONS:
        raise SchemaError(f"no schema for edition {edition!r}: there are {', '.join(EDITIONS)}")
    if edition in ("2.1", "3.0"):
        return _observe(
            [_disk_file(name, bytes(files[name]), edition, codec) for name in pair_of(files)], edition
        )
    name = only_file(files)
    data = bytes(files[name])
    if edition == "nio":
        return _observe_nio(name, data, codec)
    return _observe([PlainFile(name, len(data), tuple(_records(name, data, 0, edition, codec)))], edition)


def _disk_file(name: str, data: bytes, edition: str, codec: Codec) -> PlainFile:
    header = codec.read("header", edition, data, 0, name).fields
    tail = header["position"]
    if tail > len(data):
        raise SchemaError(f"the tail is {tail}, the file ends at {len(data)}", name, 13)
    start = LAYOUT.structure("header", edition).size
    return PlainFile(name, len(data), tuple(_records(name, data[:tail], start, edition, codec)), header)


def _records(name: str, data: bytes, at: int, edition: str, codec: Codec) -> Iterator[Plain]:
    """Yield the records that fill `data` from `at` on."""
    while at < len(data):
        record = codec.read("record", edition, data, at, name)
        yield record
        at = record.end


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


def _observe(files: Sequence[PlainFile], edition: str) -> Observation:
    """Return the observation of clean files: one (the seed's edition) or a pair, file 1 first."""
    active, notes = _elect(files)
    for file in files:
        notes += _header_notes(file)
        notes += _record_notes(file, edition)
    return Observation(
        CLEAN,
        records=tuple(_record(record, file.name) for file in files for record in file.records),
        state=_state(active.records, active.name, FINISHING),
        files=tuple(
            FileMap(file.name, file.length, "active" if file is active else "passive", file.header)
            for file in files
        ),
        notes=tuple(notes),
    )


def _elect(files: Sequence[PlainFile]) -> tuple[PlainFile, list[Note]]:
    if len(files) == 1:
        return files[0], []
    first, second = files
    difference = first.header["timestamp"] - second.header["timestamp"]
    active = first if difference > 0 else second
    return active, [Note("ambiguous-election", second.name, 4)] if difference == 0 else []


def _names(record: Plain) -> list[bytes]:
    return [row["name"] for row in record.fields["names"]]


def _texts(record: Plain) -> list[str]:
    charset = "latin-1" if "delimiter" in record.fields else "ascii"
    return [name.decode(charset, "replace") for name in _names(record)]


def _record(record: Plain, file: str) -> Record:
    fields = {name: record.fields[name] for name in _TOLD if name in record.fields}
    fields["names"] = _texts(record)
    if record.fields.get("extension"):
        fields["extension"] = record.fields["extension"]
    if "rolled_over" in record.fields:
        fields["rolled_over"] = record.fields["rolled_over"] == 1
    elif not _all_printable(_names(record)):
        fields["names_raw"] = _names(record)
    return Record(record.type, fields, At(file, record.off, record.size))


def _all_printable(names: Iterable[bytes]) -> bool:
    return all(re.fullmatch(rb"[\x20-\x7e]*", name) for name in names)


def _state(records: Iterable[Plain], active: str, finishing: frozenset[int]) -> dict[str, object]:
    """Return what is unfinished and what is in doubt after `records` (BTM-RCV-009 to BTM-RCV-014)."""
    unfinished: dict[bytes, frozenset[str]] = {}
    last: dict[bytes, tuple[int, frozenset[str]]] = {}
    for record in records:
        gtrid, status, names = record.fields["gtrid"], record.fields["status"], frozenset(_texts(record))
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
    boundaries.update(edge for record in file.records for edge in (record.off, record.end))
    if file.header["timestamp"] in boundaries:
        yield Note("position-as-timestamp", file.name, 4, f"timestamp {file.header['timestamp']}")


def _record_notes(file: PlainFile, edition: str) -> Iterator[Note]:
    # A swapped file begins with copies, older by right; a run begins behind them, and with each first number.
    copies = True
    oldest: tuple[int, int] | None = None
    for record in file.records:
        time, sequence, names = record.fields["time"], record.fields["sequence_number"], _names(record)
        copies = copies and record.fields["status"] == COMMITTING
        if copies or sequence in (0, 1):
            oldest = None
        if record.fields["header_length"] != HEADER_LENGTH[edition]:
            text = f"headerLength {record.fields['header_length']}"
            yield Note("header-length", file.name, record.off, text)
        if not _all_printable(names):
            yield Note("name-not-recoverable", file.name, record.off)
        elif any(left >= right for left, right in pairwise(names)):
            yield Note("names-unsorted", file.name, record.off)
        if oldest and time < oldest[0] and sequence < oldest[1]:
            yield Note("stale-suspect", file.name, record.off)
        if not copies:
            first, number = oldest or (time, sequence)
            oldest = (min(first, time), min(number, sequence))


def _observe_nio(name: str, data: bytes, codec: Codec) -> Observation:
    """Return the observation of a clean nio journal."""
    header = codec.read("header", "nio", data, 0, name).fields
    previous, current = header["previous_delimiter"], header["current_delimiter"]
    frames = list(_frames(name, data, current, codec))
    for frame in frames:
        if frame.fields["delimiter"] not in (previous, current):
            raise SchemaError(f"a frame of delimiter {frame.fields['delimiter'].hex()}", name, frame.off)
    laps = [previous, current] if previous != current else [current]
    in_order = [frame for lap in laps for frame in frames if frame.fields["delimiter"] == lap]
    told = {"previous_delimiter": previous, "current_delimiter": current}
    return Observation(
        CLEAN,
        records=tuple(_record(frame, name) for frame in frames),
        state=_state(in_order, name, NIO_FINISHING),
        files=(FileMap(name, len(data), "active", told),),
        notes=tuple(
            Note("rolled-over-padding", name, frame.off) for frame in frames if frame.fields["padding"]
        ),
    )


def _frames(name: str, data: bytes, current: bytes, codec: Codec) -> Iterator[Plain]:
    """Yield the frames without a gap, and behind them those of the lap before, which is cut somewhere."""
    at = FIRST_FRAME
    while data.startswith(FRAME_START, at):
        frame = codec.read("record", "nio", data, at, name)
        yield frame
        at = frame.end
    while (at := data.find(FRAME_START, at)) >= 0:
        frame = codec.read("record", "nio", data, at, name)
        if frame.fields["delimiter"] == current:
            raise SchemaError("bytes before this frame of the current lap are no frame", name, at)
        yield frame
        at = frame.end
