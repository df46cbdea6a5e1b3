"""Reading the NIO journal: two laps in one file, found by search, told apart by delimiter.

There is no tail pointer. The insert position is the end of the last valid
frame of the current delimiter; behind it stand what is left of the lap before
(its first frame usually cut) and fill, neither of which is damage.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from journalspec.observation import CLEAN, RECOVERED, At, Dropped, FileMap, Note, Observation, Record, refused
from journalspec_reference.api import Files
from journalspec_reference.bitronix_tlog.codec import STATUS_CODES
from journalspec_reference.bitronix_tlog.nio_codec import (
    BANNER,
    FRAME_HEAD,
    FRAME_START,
    HEADER_SIZE,
    MAX_FRAME,
    NioFault,
    NioHeader,
    NioRecord,
    decode_frame,
    decode_header,
)
from journalspec_reference.bitronix_tlog.transactions import UNDECIDED
from journalspec_reference.content import UNREADABLE, Window

COMMITTING = STATUS_CODES["COMMITTING"]
#: UNKNOWN does not finish a transaction here, unlike in the disk journal.
FINISHED = frozenset({STATUS_CODES["COMMITTED"], STATUS_CODES["ROLLEDBACK"]})


@dataclass(frozen=True, slots=True)
class NioScan:
    """The valid frames in file order, the damaged regions, and the insert position."""

    header: NioHeader
    records: tuple[NioRecord, ...]
    faults: tuple[NioFault, ...]
    insert: int


def looks_like_nio(data: Any) -> bool:
    """Tell whether a file begins as such a journal does."""
    return bytes(data[: len(BANNER)]) == BANNER


def scan(data: Any, header: NioHeader) -> NioScan:
    """Return what stands in the file behind the header.

    Every frame start is looked at once, and costs at most one frame's length
    (64 KiB), so that the time is linear in the file's length.
    """
    window = Window(data)
    records: list[NioRecord] = []
    broken: list[NioFault] = []
    at = HEADER_SIZE
    for off in _frame_starts(window):
        if off < at:
            continue
        item = decode_frame(window.reach(off, off + MAX_FRAME), off, header)
        if isinstance(item, NioRecord):
            records.append(item)
            at = item.end
        else:
            why = window.why(off, max(item.end, off + FRAME_HEAD.size))
            item = item._replace(reason=UNREADABLE, detail=why) if why else item
            broken.append(item)
            at = max(at, off + 1)
    insert = max(
        (record.end for record in records if record.delimiter == header.current), default=HEADER_SIZE
    )
    return NioScan(header, tuple(records), tuple(_damage(data, records, broken, insert)), insert)


def _frame_starts(window: Window) -> Iterator[int]:
    """Yield where FRAME_START stands; what is looked through is loaded on the way, holes left out."""
    pattern = re.compile(re.escape(FRAME_START))
    at = HEADER_SIZE
    while (at := window.next_data(at)) < window.limit:
        view = window.reach(at, min(at + len(FRAME_START), window.limit))
        ready = window.ready
        for match in pattern.finditer(view, at, ready):
            yield match.start()
        # The last bytes may be the beginning of one.
        at = ready if ready == window.limit else max(at + 1, ready - len(FRAME_START) + 1)


def _damage(data: Any, records: list[NioRecord], broken: list[NioFault], insert: int) -> list[NioFault]:
    """Return the regions that should have been frames: gaps in this lap, broken frames behind it."""
    starts = [record.off for record in records]
    faults: list[NioFault] = []
    at = HEADER_SIZE
    behind = iter(broken)
    fault = next(behind, None)
    for start, end in [*((record.off, record.end) for record in records), (len(data), len(data))]:
        gap_end = start if start <= insert else len(data)
        inside = []
        while fault is not None and fault.off < start:
            inside.append(fault)
            fault = next(behind, None)
        if at < insert and start > at:
            reason = inside[0].reason if inside and inside[0].off == at else "bad-frame"
            detail = inside[0].detail if inside else "no frame starts here"
            faults.append(NioFault(at, min(gap_end, insert), reason, b"", detail))
        elif at >= insert:
            reach = at
            for item in inside:
                # A frame start within what is dropped already is no region of its own.
                if item.off >= reach:
                    reach = min(_next_start(starts, item, len(data)), start)
                    faults.append(item._replace(end=reach))
        at = end
    return faults


def _next_start(starts: list[int], item: NioFault, size: int) -> int:
    """Return where the region of a broken frame ends: its own end if known, else the next frame."""
    if item.reason in ("bad-checksum", "malformed", "truncated"):
        return item.end
    after = bisect_right(starts, item.off)
    return starts[after] if after < len(starts) else size


def record_of(item: NioRecord, file: str) -> Record:
    """Return `item` under the spec's field names."""
    fields: dict[str, object] = {
        "status": item.status,
        "record_length": item.record_length,
        "time": item.time,
        "sequence_number": item.sequence_number,
        "rolled_over": item.rolled_over,
        "crc32": item.crc32,
        "delimiter": item.delimiter,
        "gtrid": item.gtrid,
        "names": [name.decode("latin-1") for name in item.names],
    }
    return Record(item.type, fields, At(file, item.off, item.end - item.off))


def outcome(found: NioScan, name: str) -> dict[str, Any]:
    """Return the logical state: the lap before first, then this lap (BTM-NIO)."""
    ordered = [r for r in found.records if r.delimiter != found.header.current]
    ordered += [r for r in found.records if r.delimiter == found.header.current]
    left: dict[bytes, frozenset[bytes]] = {}
    for record in ordered:
        if record.status == COMMITTING:
            left[record.gtrid] = frozenset(record.names)
        elif record.status in FINISHED and record.gtrid in left:
            remaining = left.pop(record.gtrid).difference(record.names)
            if remaining:
                left[record.gtrid] = remaining
    last = {record.gtrid: record for record in ordered}
    return {
        "active": name,
        "unfinished": [{"gtrid": key, "names": _texts(left[key])} for key in sorted(left)],
        "in_doubt": [
            {"gtrid": key, "status": last[key].type, "names": _texts(last[key].names)}
            for key in sorted(last)
            if last[key].status in UNDECIDED and key not in left
        ],
    }


def _texts(names: Any) -> list[str]:
    return sorted({name.decode("latin-1") for name in names})


def recover(files: Files, policy: str) -> Observation:
    """Return the logical state of the one file under `policy`."""
    if not files:
        return refused("fileset", "no-files", "there is no journal file")
    if len(files) > 1:
        return refused("fileset", "too-many-files", f"one file is a journal here, these are {len(files)}")
    name, data = next(iter(files.items()))
    header = decode_header(data)
    if not isinstance(header, NioHeader):
        return refused("header", header[0], f"{name}: {header[1]}", At(name, 0, len(data)))
    found = scan(data, header)
    if found.faults and policy == "strict":
        first = found.faults[0]
        phase = "checksum" if first.reason == "bad-checksum" else "record"
        text = f"{name}: no valid frame at {first.off}: {first.detail}"
        return refused(phase, first.reason, text, At(name, first.off, first.end - first.off))
    return Observation(
        RECOVERED if found.faults else CLEAN,
        records=tuple(record_of(item, name) for item in found.records),
        dropped=tuple(Dropped(name, f.off, f.end - f.off, f.reason) for f in found.faults),
        state=outcome(found, name),
        files=(
            FileMap(
                name,
                len(data),
                "active",
                {"previous_delimiter": header.previous, "current_delimiter": header.current},
            ),
        ),
        notes=tuple(Note("rolled-over-padding", name, r.off) for r in found.records if r.padding),
    )


def read(files: Files) -> Observation:
    """Return what salvage gives: the search already looks at every byte."""
    return recover(files, "salvage")
