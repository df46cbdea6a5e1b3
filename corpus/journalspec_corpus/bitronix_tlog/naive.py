"""The naive reader: it makes all checks of the specification, one after another, in the specification's
order.

It is written from the specification, and shares no code with the reference (see
:mod:`journalspec_corpus.naive`). The fields of a record come from the format's table.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from journalspec.bitronix_tlog import LAYOUT
from journalspec.observation import CLEAN, RECOVERED, REFUSED
from journalspec_corpus.bitronix_tlog.author import BRIEF, reported
from journalspec_corpus.bitronix_tlog.model import Decisions
from journalspec_corpus.naive import (
    Entry,
    Files,
    Invalid,
    Scanned,
    decoded,
    end_of,
    expectation,
    natural,
    refused,
)

LOG_START, NIO_HEADER_USED, NIO_LOG_START = 21, 442, 1024
SHORTEST = 29
#: Three lengths: of the bytes before a nio payload, of the bytes after the payload, and of the longest
#: payload.
NIO_HEAD, NIO_FOOT, NIO_LONGEST = 31, 18, 65536
#: The first bytes of files, and the struct formats of a frame and of a record's end.
FORMAT_ID = LAYOUT.structure("header", "2.1").fields[0].constant
BANNER = LAYOUT.structure("header", "nio").fields[0].constant
FRAME = LAYOUT.structure("record", "nio").fields[0].constant
END_MARK = b"xntB"
#: Statuses of records that prove a decision.
DECIDING = ("COMMITTING", "COMMITTED", "ROLLEDBACK", "UNKNOWN")
UNDECIDED = ("PREPARING", "PREPARED", "ROLLING_BACK")
OPEN, SWAPPED = 255, "position-as-timestamp"
#: The codes of the notes that this reader reports.
NOTED = (
    *("unclean", "bad-state", "position-as-timestamp", "ambiguous-election"),
    *("missing-file", "unequal-lengths", "invalid-file", "unanchored"),
    *("header-length", "names-unsorted", "name-not-recoverable", "stale-suspect", "rolled-over-padding"),
)
#: The offsets of two fields of a header, and the usual value of header_length in a record.
TIMESTAMP_AT, STATE_AT = 4, 12
USUAL = {"seed": 16, "2.1": 28, "3.0": 28}


def read(files: Files, edition: str) -> dict[str, Any]:
    """Return the answer of a reading: the content of all files."""
    found = _scanned(files, edition)
    active = _elected(found, edition)
    if active is None:
        return _nothing(found, files, edition, salvage=True)
    return _answer(found, found, active, edition, files)


def recover(files: Files, edition: str, policy: str) -> dict[str, Any]:
    """Return the result of a restart under `policy`, ``strict`` or ``salvage``."""
    found = _scanned(files, edition)
    problem = _set_problem(found, edition)
    active = _elected(found, edition)
    if active is None or (problem and policy == "strict"):
        return _nothing(found, files, edition, salvage=policy == "salvage")
    if active.dropped and policy == "strict":
        first = active.dropped[0]
        phase = "checksum" if first["reason"] == "bad-checksum" else "record"
        place = {key: first[key] for key in ("file", "off", "len")}
        return {**refused(phase, first["reason"]), "at": place, **_notes(_tie(found, active))}
    return _answer(found, [active], active, edition, files)


def _nothing(found: Sequence[Scanned], files: Files, edition: str, *, salvage: bool) -> dict[str, Any]:
    """Return the refusal for the file set; salvage still lists the files' content (BTM-RCV-007)."""
    told = salvage and len(found) <= _files_of(edition)
    outside = [record for file in found if told for record in _outside(file, files, edition, 0, file.size)]
    problem = _set_problem(found, edition) or ("fileset", "no-files")
    return {**refused(*problem), **({"unanchored": outside} if outside else {}), **_notes([])}


def _answer(
    found: Sequence[Scanned], listed: Sequence[Scanned], active: Scanned, edition: str, files: Files
) -> dict[str, Any]:
    """Return the answer that lists the records of the files `listed`; `active` is the active file."""
    gone = _missing(found, active, edition)
    left_out = [file for file in found if file.unusable and file not in listed]
    dropped = [region for file in (*left_out, *listed) for region in file.lost()]
    odd_set = len(found) < _files_of(edition) or found[0].size != found[-1].size
    given_up = [
        record
        for file in sorted((*left_out, *listed), key=found.index)
        for region in file.lost()
        for record in _outside(file, files, edition, region["off"], region["off"] + region["len"])
    ]
    after = [
        record
        for file in listed
        if file.boundaries
        for record in _outside(file, files, edition, file.boundaries[-1], file.size)
    ]
    # Only a reading, which lists all files, has notes on records after the tail (BTM-RDR-013, BTM-RCV-033).
    noteworthy = [*given_up, *after] if listed is found else given_up
    noted = [
        *_of_the_set(found, edition),
        *_tie(found, active),
        *(note for file in listed for note in file.noted),
        *(note for file in found if file not in listed for note in file.noted if note["code"] == SWAPPED),
        *({"code": "unanchored", **{key: each["at"][key] for key in ("file", "off")}} for each in noteworthy),
    ]
    return {
        "verdict": RECOVERED if dropped or odd_set or gone else CLEAN,
        "records": [record for file in listed for record in file.records],
        "dropped": dropped,
        **({"missing": gone} if gone else {}),
        "state": replayed(active.replayed, active.name, edition),
        "unanchored": [*given_up, *after],
        **_notes(noted),
    }


def _notes(noted: list[dict[str, Any]]) -> dict[str, Any]:
    return {"notes": [note["code"] for note in noted], "noted": noted}


def _tie(found: Sequence[Scanned], active: Scanned) -> list[dict[str, Any]]:
    """Return the note on an election of the active file that equal timestamps leave open (BTM-RCV-003)."""
    equal = any(not file.unusable and file is not active and file.rank == active.rank for file in found)
    return [{"code": "ambiguous-election", "file": active.name, "off": TIMESTAMP_AT}] if equal else []


def _of_the_set(found: Sequence[Scanned], edition: str) -> Iterator[dict[str, Any]]:
    """Yield the notes on the file set."""
    if len(found) < _files_of(edition):
        other = _other(found[0].name)
        yield {"code": "missing-file", **({"file": other} if other else {})}
    elif found[0].size != found[-1].size:
        yield {"code": "unequal-lengths", "file": found[-1].name}
    yield from ({"code": "invalid-file", "file": file.name} for file in found if file.unusable)


def _other(path: str) -> str:
    """Return the expected path of the missing file: the name of the other file with one digit exchanged
    (BTM-FIL-018).
    """
    folder, slash, name = path.rpartition("/")
    places = [at for at, char in enumerate(name) if char.isascii() and char.isdigit()]
    before = [at for at in places if at + 1 == len(name) or name[at + 1] in "._-"]
    at = (before[0] if before else places[-1]) if places else 0
    if not places or name[at] not in "12":
        return ""
    return folder + slash + name[:at] + str(3 - int(name[at])) + name[at + 1 :]


def _outside(file: Scanned, files: Files, edition: str, start: int, end: int) -> Iterator[dict[str, Any]]:
    """Yield the valid records between two offsets outside the log (BTM-RDR-013)."""
    data, usual = bytes(files[file.name]), USUAL.get(edition, 0).to_bytes(4, "big")
    while edition in USUAL and (at := data.find(usual, start + 8, end) - 8) >= start:
        start = at + 1
        try:
            stop = _frame(data, at, end)
            record = _record(data[at:stop], edition)
        except Invalid:
            continue
        start = stop
        yield {**record, "at": {"file": file.name, "off": at, "len": stop - at}}


def _missing(found: Sequence[Scanned], active: Scanned, edition: str) -> list[dict[str, Any]]:
    """Return the losses of newer records and decisions that the passive file proves (BTM-RCV-022 and 023)."""
    passive = next((file for file in found if file is not active and not file.unusable), None)
    if passive is None or active.dropped:
        return []
    opened, left = (_unfinished(file, edition) for file in (active, passive))
    own = list(passive.records)
    while own and own[0]["type"] == "COMMITTING" and own[0]["gtrid"] in opened:
        del own[0]
    newest = max((record["time"] for record in active.records), default=None)
    later = [record for record in own if newest is None or record["time"] > newest]
    gone: list[dict[str, Any]] = []
    if later and passive.rank in passive.boundaries and active.rank != active.boundaries[-1]:
        place = {"file": passive.name, "off": later[0]["at"]["off"]}
        gone.append({"code": "newer-records", "name": passive.name, **place, "count": len(later)})
    if passive.dropped:
        return gone
    known = {record["gtrid"] for record in active.records if record["type"] in DECIDING}
    for gtrid in sorted(gtrid for gtrid, names in left.items() if names and gtrid not in known):
        offs = [
            record["at"]["off"]
            for record in passive.records
            if record["gtrid"] == gtrid and record["type"] == "COMMITTING"
        ]
        gone.append({"code": "decision", "name": gtrid.hex(), "file": passive.name, "off": offs[-1]})
    return gone


def _unfinished(file: Scanned, edition: str) -> dict[bytes, Any]:
    return {
        each["gtrid"]: each["names"] for each in replayed(file.replayed, file.name, edition)["unfinished"]
    }


def _files_of(edition: str) -> int:
    return 2 if edition in ("2.1", "3.0") else 1


def _set_problem(found: Sequence[Scanned], edition: str) -> tuple[str, str] | None:
    """Return the phase and code of the first reason for which strict recovery refuses the file set."""
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
    """Return the usable file with the larger timestamp; on a tie, the second file."""
    if len(found) > _files_of(edition):
        return None
    usable = [file for file in found if not file.unusable]
    return max(reversed(usable), key=lambda file: file.rank, default=None)


def _scanned(files: Files, edition: str) -> list[Scanned]:
    scan = {"seed": _seed_file, "nio": _nio_file}.get(edition, _disk_file)
    found = [
        Scanned(name, len(files[name]))
        for name in sorted(sorted(files), key=lambda name: natural(name.rpartition("/")[2]))
    ]
    for file in found:
        scan(file, bytes(files[file.name]))
    return found


def _disk_file(file: Scanned, data: bytes) -> None:
    if len(data) < LOG_START:
        file.unusable = "short-file"
        return
    header = LAYOUT.read("header", "2.1", data)
    file.rank, tail = header["timestamp"], header["position"]
    if header["format_id"] != FORMAT_ID:
        file.unusable = "bad-format-id"
    elif not LOG_START <= tail <= len(data):
        file.unusable = "bad-position"
    else:
        _walk(file, data, LOG_START, tail, "2.1")
        starts = [record["at"]["off"] for record in file.records]
        file.boundaries = [LOG_START, *starts, *(region["off"] for region in file.dropped), tail]
        if header["state"] == OPEN:
            file.note("unclean", STATE_AT)
        elif header["state"]:
            file.note("bad-state", STATE_AT, f"state byte {header['state']}")
        if file.rank in file.boundaries:
            file.note(SWAPPED, TIMESTAMP_AT, f"timestamp {file.rank}")


def _seed_file(file: Scanned, data: bytes) -> None:
    _walk(file, data, 0, len(data), "seed")


def _walk(file: Scanned, data: bytes, at: int, tail: int, edition: str) -> None:
    """Walk from record to record, up to the first bytes that are not framed as a record."""
    while at < tail:
        end = tail
        try:
            end = _frame(data, at, tail)
            file.add(_record(data[at:end], edition), at, end)
        except Invalid as fault:
            file.drop(at, end, fault.reason)
        at = end
    file.replayed = file.records
    _remarks(file, edition)


def _remarks(file: Scanned, edition: str) -> None:
    """Add notes on unusual properties of the valid records of a file."""
    oldest = lowest = None  # sequence numbers of the run so far
    for record in file.records:
        off, time, number = record["at"]["off"], record["time"], record["sequence_number"]
        if record["header_length"] != USUAL[edition]:
            file.note("header-length", off, f"headerLength {record['header_length']}")
        names = record.get("names_raw", record["names"])
        if any(one >= other for one, other in pairwise(names)):
            file.note("names-unsorted", off)
        if "names_raw" in record:
            file.note("name-not-recoverable", off)
        # The decisions before the first run are copies of a swap (BTM-RDR-011).
        if oldest is None and record["type"] == "COMMITTING":
            continue
        if oldest is None or number in (0, 1):
            oldest, lowest = time, number
        elif time < oldest and number < lowest:
            file.note("stale-suspect", off)
        oldest, lowest = min(oldest, time), min(lowest, number)


def _frame(data: bytes, at: int, tail: int) -> int:
    """Return the end of the record at `at`. Raises Invalid if the record is not well framed (BTM-RDR-004)."""
    if tail - at < 8:  # status and recordLength
        raise Invalid("out-of-bounds")
    length = int.from_bytes(data[at + 4 : at + 8], "big", signed=True)
    if length < SHORTEST:
        raise Invalid("bad-length")
    end = at + 8 + length
    if end > tail:
        raise Invalid("out-of-bounds")
    if data[end - 4 : end] != END_MARK:
        raise Invalid("no-end-marker")
    return end


def _record(data: bytes, edition: str) -> dict[str, Any]:
    """Return the values of a framed record.

    Raises Invalid if the record is malformed or has a wrong checksum.
    """
    values, end = decoded(LAYOUT, edition, data)
    if end != len(data):
        raise Invalid("malformed")
    # At this point all lengths are consistent, so no other fault is possible.
    if LAYOUT.problem("record", edition, values, data):
        raise Invalid("bad-checksum")
    return reported(values, edition)


def _nio_file(file: Scanned, data: bytes) -> None:
    """Search for frames. The log ends after the last frame of the present generation (BTM-NIO-010)."""
    if len(data) < NIO_HEADER_USED:
        file.unusable = "short-file"
        return
    header = LAYOUT.read("header", "nio", data)
    if header["banner"] != BANNER or header["separator"] != b"\r\n\r\n":
        file.unusable = "bad-banner"
        return
    current = header["current_delimiter"]
    broken: dict[int, Invalid] = {}
    at = NIO_LOG_START
    while (at := data.find(FRAME, at)) >= 0:
        try:
            record, end, padding = _nio_record(data, at, (header["previous_delimiter"], current))
            file.add(record, at, end)
            if padding:
                file.note("rolled-over-padding", at)
            at = end
        except Invalid as fault:
            broken[at] = fault
            at += 1
    this_lap = [record for record in file.records if record["delimiter"] == current]
    file.replayed = [record for record in file.records if record not in this_lap] + this_lap
    _nio_damage(file, broken, max(map(end_of, this_lap), default=NIO_LOG_START))


def _nio_damage(file: Scanned, broken: Mapping[int, Invalid], log_end: int) -> None:
    """Drop the gaps before `log_end`, and after it each frame that begins but is not valid."""
    starts = [record["at"]["off"] for record in file.records]
    reached, dropped_to = NIO_LOG_START, 0
    for record, start in zip(file.records, starts, strict=True):
        if reached < start and reached < log_end:
            file.drop(reached, start, broken.get(reached, Invalid("bad-frame")).reason)
            dropped_to = start
        reached = end_of(record)
    for off, fault in broken.items():
        if off >= max(log_end, dropped_to):
            behind = min([file.size, *(start for start in starts if start > off)])
            dropped_to = min(fault.end or behind, behind)
            file.drop(off, dropped_to, fault.reason)


def _nio_record(data: bytes, at: int, delimiters: tuple[bytes, bytes]) -> tuple[dict[str, Any], int, bytes]:
    """Return the record framed at `at`, and the end of its frame and padding.

    Raises Invalid if there is no record.
    """
    delimiter, length = data[at + 5 : at + 21], int.from_bytes(data[at + 21 : at + 25], "big", signed=True)
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
    if data[start + length : end] != b"]-" + delimiter:
        raise Invalid("bad-frame")
    if stored != zlib.crc32(data[start : start + length]):
        raise Invalid("bad-checksum", end)
    try:
        values, _ = decoded(LAYOUT, "nio", data[at:end])
    except Invalid as fault:
        raise Invalid(fault.reason, end) from None
    return reported(values, "nio"), end, values["padding"]


def replayed(records: Iterable[Entry], active: str, edition: str) -> dict[str, Any]:
    """Return the state after the records of the file `active` (BTM-RCV-009 to BTM-RCV-014)."""
    model = Decisions()
    kept: Mapping[Any, frozenset[str]] = {}
    last: dict[bytes, Entry] = {}
    for record in records:
        last[record["gtrid"]] = record
        kept = model.after(kept, {"op": "log", **record}, edition)
    return {
        "active": active,
        **model.shown(kept),
        "in_doubt": [
            {"gtrid": gtrid, "status": record["type"], "names": sorted(set(record["names"]))}
            for gtrid, record in sorted(last.items())
            if record["type"] in UNDECIDED and gtrid not in kept
        ],
    }


def expected(
    files: Files, edition: str, notes: Sequence[str] = (), *, full: bool = False
) -> list[dict[str, Any]]:
    """Return the expectations of a generated case for a reading and both recoveries.

    `notes` are listed if there is a result. With `full`, every field of every record is listed, and also the
    state of a reading.
    """
    out = []
    for policy in ("", "strict", "salvage"):
        seen = recover(files, edition, policy) if policy else read(files, edition)
        members = ["records", "dropped", "missing", *(("state",) if policy or full else ())]
        if seen["verdict"] == REFUSED:
            members = ["phase", "code", *(["at"] if policy else [])]
        elif notes:
            seen, members = {**seen, "notes": list(notes)}, [*members, "notes"]
        out.append(
            expectation(f"recover.{policy}" if policy else "read", seen, members, () if full else BRIEF)
        )
    return out
