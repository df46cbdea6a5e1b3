"""What the schemas hand over for the nio journal, and the observation that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from journalspec.bitronix_tlog.constants import NIO_FINISHING, NIO_FIRST_FRAME, NIO_FRAME_START, STATUS
from journalspec.bitronix_tlog.plain import conclude
from journalspec.observation import CLEAN, At, FileMap, Note, Observation, Record
from journalspec.schemas import SchemaError


@dataclass(frozen=True, slots=True)
class PlainFrame:
    """One frame, `size` bytes at `off`; `padding` bytes follow the names in its payload."""

    off: int
    size: int
    delimiter: bytes
    crc32: int
    status: int
    record_length: int
    time: int
    sequence_number: int
    rolled_over: int
    gtrid: bytes
    names: tuple[str, ...]
    padding: int


@dataclass(frozen=True, slots=True)
class PlainNio:
    """The one file: its delimiters, and the frames that follow the header without a gap."""

    name: str
    data: bytes
    previous: bytes
    current: bytes
    frames: tuple[PlainFrame, ...]


def observe_nio(file: PlainNio, frame_at: Callable[[int], PlainFrame]) -> Observation:
    """Return the observation of a clean nio journal; raises SchemaError if it is not clean.

    `frame_at` parses the frame at an offset and raises SchemaError itself. It
    is asked for the frames of the lap before, behind those without a gap.
    """
    frames = [*file.frames, *_older_lap(file, frame_at)]
    for frame in frames:
        if frame.delimiter not in (file.previous, file.current):
            raise SchemaError(f"a frame of delimiter {frame.delimiter.hex()}", file.name, frame.off)
    laps = [[frame for frame in frames if frame.delimiter == file.current]]
    if file.previous != file.current:
        laps.insert(0, [frame for frame in frames if frame.delimiter == file.previous])
    events = ((frame.gtrid, frame.status, frozenset(frame.names)) for lap in laps for frame in lap)
    header: dict[str, object] = {"previous_delimiter": file.previous, "current_delimiter": file.current}
    return Observation(
        CLEAN,
        records=tuple(_record(frame, file.name) for frame in frames),
        state=conclude(events, file.name, NIO_FINISHING),
        files=(FileMap(file.name, len(file.data), "active", header),),
        notes=tuple(_notes(frames, file.name)),
    )


def _older_lap(file: PlainNio, frame_at: Callable[[int], PlainFrame]) -> list[PlainFrame]:
    at = file.frames[-1].off + file.frames[-1].size if file.frames else NIO_FIRST_FRAME
    found: list[PlainFrame] = []
    while (at := file.data.find(NIO_FRAME_START, at)) >= 0:
        frame = frame_at(at)
        if frame.delimiter == file.current:
            raise SchemaError("bytes before this frame of the current lap are no frame", file.name, at)
        found.append(frame)
        at += frame.size
    return found


def _record(frame: PlainFrame, file: str) -> Record:
    fields: dict[str, object] = {
        "status": frame.status,
        "record_length": frame.record_length,
        "time": frame.time,
        "sequence_number": frame.sequence_number,
        "rolled_over": frame.rolled_over == 1,
        "crc32": frame.crc32,
        "delimiter": frame.delimiter,
        "gtrid": frame.gtrid,
        "names": list(frame.names),
    }
    return Record(STATUS.get(frame.status, "OTHER"), fields, At(file, frame.off, frame.size))


def _notes(frames: Sequence[PlainFrame], file: str) -> Iterable[Note]:
    return (Note("rolled-over-padding", file, frame.off) for frame in frames if frame.padding)
