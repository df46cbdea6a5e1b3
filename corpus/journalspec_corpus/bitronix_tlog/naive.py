"""The naive reader: every check of the specification in its order, one after the other.

Written from the specification, obviously right rather than fast, and independent
of the reference: it says what generated cases expect, and what must hold of drawn
journals. Answers are observations as in cases, with plain integers.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from journalspec.observation import CLEAN, RECOVERED, REFUSED
from journalspec_corpus.bitronix_tlog.author import FORMAT_ID, HIGHEST_ASCII, TYPES, header_parts
from journalspec_corpus.making import when

Files = Mapping[str, bytes | bytearray]
#: One record as an observation has it.
Entry = Mapping[str, Any]
LOG_START, NIO_HEADER_USED, NIO_LOG_START = 21, 442, 1024
SHORTEST, LONGEST_GTRID, LONGEST_NAME = 29, 127, 32767
#: headerLength of the seed document, and what a payload and the end marker need at least.
SEED_HEADER, SEED_LEAST = 16, 9
#: Where a record's fields behind the three lengths begin; what precedes a nio payload.
SEED_REST, NIO_HEAD, NIO_FOOT, NIO_LONGEST = 28, 31, 18, 65536
#: The fields that are bytes, in hex in observations.
BYTES = ("gtrid", "delimiter")
#: What such a file begins with, and what a frame and the end of a record look like.
BANNER = header_parts({})[0].data
END_MARK = b"xntB"
FRAME = b"\r\nLR["
FINISHING, UNDECIDED = ("COMMITTED", "ROLLEDBACK", "UNKNOWN"), ("PREPARING", "PREPARED", "ROLLING_BACK")


class Invalid(Exception):  # no error: what a check finds
    """What stands there is no record; `end` is where it ends all the same, if that is known."""

    def __init__(self, reason: str, end: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.end = reason, end


@dataclass
class Scanned:
    """One file: why it is `unusable`, or what its log holds. `replayed` is in the order of recovery."""

    name: str
    size: int
    unusable: str = ""
    timestamp: int = 0
    records: list[Entry] = field(default_factory=list)
    dropped: list[dict[str, Any]] = field(default_factory=list)
    replayed: list[Entry] = field(default_factory=list)


def read(files: Files, edition: str) -> dict[str, Any]:
    """Return the answer to the forensic question: what stands in all files."""
    found = _scanned(files, edition)
    refused = _set_problem(found, edition)
    active = _elected(found, edition)
    if active is None:
        return _refused(refused or ("fileset", "no-files"))
    return _answer(found, found, active, edition)


def recover(files: Files, edition: str, policy: str) -> dict[str, Any]:
    """Return what a restart concludes under `policy`, ``strict`` or ``salvage``."""
    found = _scanned(files, edition)
    refused = _set_problem(found, edition)
    active = _elected(found, edition)
    if active is None or (refused and policy == "strict"):
        return _refused(refused or ("fileset", "no-files"))
    if active.dropped and policy == "strict":
        first = active.dropped[0]
        phase = "checksum" if first["reason"] == "bad-checksum" else "record"
        return {
            **_refused((phase, first["reason"])),
            "at": {key: first[key] for key in ("file", "off", "len")},
        }
    return _answer(found, [active], active, edition)


def _answer(
    found: Sequence[Scanned], listed: Sequence[Scanned], active: Scanned, edition: str
) -> dict[str, Any]:
    """Return the answer that lists the records of `listed`; `active` is the file that counts."""
    dropped = []
    for file in found:
        if file.unusable:
            dropped.append({"file": file.name, "off": 0, "len": file.size, "reason": file.unusable})
        elif file in listed:
            dropped += file.dropped
    odd_set = len(found) < _files_of(edition) or found[0].size != found[-1].size
    return {
        "verdict": RECOVERED if dropped or odd_set else CLEAN,
        "records": [record for file in listed for record in file.records],
        "dropped": dropped,
        "state": replayed(active.replayed, active.name, edition),
    }


def _files_of(edition: str) -> int:
    return 2 if edition in ("2.1", "3.0") else 1


def _refused(problem: tuple[str, str]) -> dict[str, Any]:
    return {"verdict": REFUSED, "phase": problem[0], "code": problem[1]}


def _set_problem(found: Sequence[Scanned], edition: str) -> tuple[str, str] | None:
    """Return phase and code of the first thing that strict recovery objects to in the file set."""
    most = _files_of(edition)
    if len(found) != most:
        code = "no-files" if not found else "too-many-files" if len(found) > most else "missing-file"
        return "fileset", code
    problems = [file.unusable for file in found if file.unusable]
    for code in ("short-file", "unequal-lengths", "bad-banner", "bad-format-id", "bad-position"):
        if code in problems:
            return "header", code
        if code == "unequal-lengths" and found[0].size != found[-1].size:
            return "fileset", code
    return None


def _elected(found: Sequence[Scanned], edition: str) -> Scanned | None:
    """Return the usable file with the larger timestamp; the second one on a tie."""
    if len(found) > _files_of(edition):
        return None
    usable = [file for file in found if not file.unusable]
    return max(reversed(usable), key=lambda file: file.timestamp, default=None)


def _scanned(files: Files, edition: str) -> list[Scanned]:
    scan = {"seed": _seed_file, "nio": _nio_file}.get(edition, _disk_file)
    return [scan(Scanned(name, len(files[name])), bytes(files[name])) for name in sorted(files, key=_natural)]


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _signed(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)


def _disk_file(file: Scanned, data: bytes) -> Scanned:
    file.timestamp, tail = _signed(data[4:12]), _signed(data[13:21])
    if len(data) < LOG_START:
        file.unusable = "short-file"
    elif data[:4].hex() != FORMAT_ID:
        file.unusable = "bad-format-id"
    elif not LOG_START <= tail <= len(data):
        file.unusable = "bad-position"
    else:
        _walk(file, data, LOG_START, tail, seed=False)
    return file


def _seed_file(file: Scanned, data: bytes) -> Scanned:
    _walk(file, data, 0, len(data), seed=True)
    return file


def _walk(file: Scanned, data: bytes, at: int, tail: int, *, seed: bool) -> None:
    """Step from record to record; what is not framed ends the walk."""
    while at < tail:
        end = tail
        try:
            end = _frame(data, at, tail)
            record = _record(data[at:end], seed=seed)
            file.records.append({**record, "at": {"file": file.name, "off": at, "len": end - at}})
        except Invalid as fault:
            file.dropped.append({"file": file.name, "off": at, "len": end - at, "reason": fault.reason})
        at = end
    file.replayed = file.records


def _frame(data: bytes, at: int, tail: int) -> int:
    """Return where the record at `at` ends; raises Invalid if it is not well framed (BTM-RDR-004)."""
    if tail - at < 8:  # status and recordLength
        raise Invalid("out-of-bounds")
    length = _signed(data[at + 4 : at + 8])
    if length < SHORTEST:
        raise Invalid("bad-length")
    end = at + 8 + length
    if end > tail:
        raise Invalid("out-of-bounds")
    if data[end - 4 : end] != END_MARK:
        raise Invalid("no-end-marker")
    return end


def _record(data: bytes, *, seed: bool) -> dict[str, Any]:
    """Return what a framed record says; raises Invalid if it is malformed or its checksum is wrong."""
    header_length, at = _signed(data[8:12]), SEED_REST
    if seed:
        at = 12 + header_length
        if header_length < SEED_HEADER or at + SEED_LEAST > len(data):
            raise Invalid("malformed")
    gtrid, at = _counted(data, at, 1, LONGEST_GTRID)
    count, at = _signed(data[at : at + 4]), at + 4
    if not 0 <= count <= len(data):
        raise Invalid("malformed")
    names = []
    for _ in range(count):
        name, at = _counted(data, at, 2, LONGEST_NAME)
        names.append(name)
    if at != len(data) - 4:  # the end marker
        raise Invalid("malformed")
    extension = data[SEED_REST : 12 + header_length] if seed else b""
    stored = int.from_bytes(data[24:28], "big")
    if stored != _checksum(data, extension, gtrid, names):
        raise Invalid("bad-checksum")
    status = _signed(data[:4])
    out = {
        "type": TYPES.get(status, "OTHER"),
        "status": status,
        "record_length": _signed(data[4:8]),
        "header_length": header_length,
        "time": _signed(data[12:20]),
        "sequence_number": _signed(data[20:24]),
        "crc32": stored,
        "gtrid": gtrid.hex(),
        "names": [name.decode("ascii", "replace") for name in names],
    }
    if any(not 0x20 <= byte < HIGHEST_ASCII for name in names for byte in name):  # a space
        out["names_raw"] = [name.hex() for name in names]
    return out


def _counted(data: bytes, at: int, width: int, most: int) -> tuple[bytes, int]:
    """Return the bytes behind a length of `width` bytes, and where they end."""
    length = int.from_bytes(data[at : at + width], "big")
    end = at + width + length
    if length > most or end > len(data):
        raise Invalid("malformed")
    return data[at + width : end], end


def _checksum(data: bytes, extension: bytes, gtrid: bytes, names: Sequence[bytes]) -> int:
    """Return the checksum over the decoded record (BTM-CRC-002 to BTM-CRC-006)."""
    plain = sorted({bytes(byte if byte <= HIGHEST_ASCII else ord("?") for byte in name) for name in names})
    covered = data[:24] + extension + gtrid + len(plain).to_bytes(4, "big")
    covered += b"".join(len(name).to_bytes(2, "big") + name for name in plain)
    return zlib.crc32(covered + data[-4:])


def _nio_file(file: Scanned, data: bytes) -> Scanned:
    """Search for frames; the log ends behind the last one of this lap (BTM-NIO-010)."""
    if len(data) < NIO_HEADER_USED:
        file.unusable = "short-file"
    elif not data.startswith(BANNER) or data[438:NIO_HEADER_USED] != b"\r\n\r\n":
        file.unusable = "bad-banner"
    if file.unusable:
        return file
    previous, current = data[406:422], data[422:438]
    broken: dict[int, Invalid] = {}
    at = NIO_LOG_START
    while (at := data.find(FRAME, at)) >= 0:
        try:
            record, end = _nio_record(data, at, (previous, current))
            file.records.append({**record, "at": {"file": file.name, "off": at, "len": end - at}})
            at = end
        except Invalid as fault:
            broken[at] = fault
            at += 1
    this_lap = [record for record in file.records if record["delimiter"] == current.hex()]
    file.replayed = [record for record in file.records if record not in this_lap] + this_lap
    _nio_damage(file, broken, len(data), max(map(_end, this_lap), default=NIO_LOG_START))
    return file


def _nio_damage(file: Scanned, broken: Mapping[int, Invalid], size: int, log_end: int) -> None:
    """Drop the gaps before `log_end`, and behind it each frame that starts and does not hold."""
    starts = [record["at"]["off"] for record in file.records]
    regions = []
    reached = NIO_LOG_START
    for record, start in zip(file.records, starts, strict=True):
        if reached < start and reached < log_end:
            regions.append((reached, start, broken.get(reached, Invalid("bad-frame")).reason))
        reached = _end(record)
    for off, fault in broken.items():
        if off >= max(log_end, regions[-1][1] if regions else 0):
            behind = min([size, *(start for start in starts if start > off)])
            regions.append((off, min(fault.end or behind, behind), fault.reason))
    file.dropped = [
        {"file": file.name, "off": off, "len": end - off, "reason": why} for off, end, why in regions
    ]


def _end(record: Entry) -> int:
    return int(record["at"]["off"] + record["at"]["len"])


def _nio_record(data: bytes, at: int, delimiters: tuple[bytes, bytes]) -> tuple[dict[str, Any], int]:
    """Return the record framed at `at` and the end of the frame; raises Invalid if there is none."""
    delimiter, length = data[at + 5 : at + 21], _signed(data[at + 21 : at + 25])
    start, stored = at + NIO_HEAD, int.from_bytes(data[at + 25 : at + 29], "big")
    end = start + length + NIO_FOOT
    if start > len(data):
        raise Invalid("truncated")
    if delimiter not in delimiters:
        raise Invalid("foreign-delimiter")
    if not 0 <= length <= NIO_LONGEST:
        raise Invalid("bad-length")
    if data[at + 29 : start] != b"][":
        raise Invalid("bad-frame")
    if end > len(data):
        raise Invalid("truncated")
    payload = data[start : start + length]
    if data[start + length : end] != b"]-" + delimiter:
        raise Invalid("bad-frame")
    if stored != zlib.crc32(payload):
        raise Invalid("bad-checksum", end)
    try:
        return {**_nio_fields(payload), "crc32": stored, "delimiter": delimiter.hex()}, end
    except Invalid as fault:
        raise Invalid(fault.reason, end) from None


def _nio_fields(payload: bytes) -> dict[str, Any]:
    """Return what a payload says; raises Invalid if it is too short for that."""
    gtrid, at = _counted(payload, 31, 1, 255)
    count, at = int.from_bytes(payload[at : at + 2], "big"), at + 2
    if at > len(payload):
        raise Invalid("malformed")
    names = []
    for _ in range(count):
        name, at = _counted(payload, at, 2, NIO_LONGEST)
        names.append(name.decode("latin-1"))
    status = _signed(payload[6:10])
    return {
        "type": TYPES.get(status, "OTHER"),
        "status": status,
        "record_length": int.from_bytes(payload[10:14], "big"),
        "time": _signed(payload[14:22]),
        "sequence_number": _signed(payload[22:30]),
        "rolled_over": bool(payload[30]),
        "gtrid": gtrid.hex(),
        "names": names,
    }


def replayed(records: Iterable[Entry], active: str, edition: str) -> dict[str, Any]:
    """Return the state after the records of the file `active` (BTM-RCV-009 to BTM-RCV-014)."""
    # BTM-NIO-013: there, UNKNOWN takes no names away.
    finishing = FINISHING[:2] if edition == "nio" else FINISHING
    unfinished: dict[str, set[str]] = {}
    last: dict[str, Entry] = {}
    for record in records:
        gtrid, names = record["gtrid"], set(record["names"])
        last[gtrid] = record
        if record["type"] == "COMMITTING":
            unfinished[gtrid] = names
        elif record["type"] in finishing and gtrid in unfinished:
            unfinished[gtrid] -= names
            if not unfinished[gtrid]:
                del unfinished[gtrid]
    return {
        "active": active,
        "unfinished": [{"gtrid": gtrid, "names": sorted(unfinished[gtrid])} for gtrid in sorted(unfinished)],
        "in_doubt": [
            {"gtrid": gtrid, "status": record["type"], "names": sorted(set(record["names"]))}
            for gtrid, record in sorted(last.items())
            if record["type"] in UNDECIDED and gtrid not in unfinished
        ],
    }


def expected(
    files: Files, edition: str, notes: Sequence[str] = (), *, full: bool = False
) -> list[dict[str, Any]]:
    """Return what a generated case expects of a reading and of both recoveries.

    `notes` are listed where there is a result; `full` lists every field of every
    record, and the state of a reading too.
    """
    out = []
    for policy in ("", "strict", "salvage"):
        seen = recover(files, edition, policy) if policy else read(files, edition)
        answer: dict[str, Any] = {"when": when(f"recover.{policy}" if policy else "read")}
        answer["verdict"] = seen["verdict"]
        if seen["verdict"] == REFUSED:
            answer |= {key: seen[key] for key in ("phase", "code", "at") if policy and key in seen}
        else:
            answer["records"] = seen["records"] if full else [_brief(record) for record in seen["records"]]
            answer |= {key: seen[key] for key in ("dropped", "state") if policy or full or key == "dropped"}
            answer |= {"notes": list(notes)} if notes else {}
        out.append(answer)
    return out


def _brief(record: Entry) -> Entry:
    return {key: record[key] for key in ("type", "gtrid", "at")}
