"""The naive reader: it makes all checks of the specification in order, one after another.
It shares no code with the reference (see :mod:`journalspec_corpus.naive`). Bodies are parsed with the
construct schema; rows on pages are in :mod:`journalspec_corpus.derby_log.naive_rows`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from construct import ConstructError

from journalspec import mutf8
from journalspec.derby_log import LAYOUT
from journalspec.derby_log.operations import databases, named, operations, part, shown
from journalspec.derby_log.schema import LOOSE_BODY
from journalspec.observation import CLEAN, RECOVERED
from journalspec_corpus.derby_log.author import BRIEF, FORMAT
from journalspec_corpus.derby_log.naive_rows import (
    BY_ROW,
    PageRows,
    Transaction,
    parts_of,
    places_of,
    signed,
    unsigned,
    without,
)
from journalspec_corpus.naive import Files, Invalid, all_expected, asked, end_of, refused

HEADER, CONTROL, AROUND = 24, 48, 16
#: The highest number of a log file (DRB-FIL-101).
HIGHEST = 2147483646
CONTROLS = ("log.ctrl", "logmirror.ctrl")
FIRST, LAST, PREPARE, CHECKSUM = 1, 2, 0x40, 0x800
#: Editions that ignore the header field about the previous file, and editions without checksum records.
UNLINKED, UNCHECKED = ("seed", "10.0", "10.1"), ("seed", "10.0")
#: Codes of notes about a loss.
LOST = {"lost-middle", "beyond-end", "no-checkpoint", "groups-after"}
LOST |= {"unfinished-switch", "old-page", "newer-page", "encrypted"}
#: The first bytes of a checksum record's body; the largest distance of an unfinished switch from the end.
SUMMED_BODY, AHEAD = bytes.fromhex("0081 4900 0000 01c5 01"), 98304
#: The heap containers of the catalogue.
CATALOGUE = {32, 96, 144, 192}


class Refused(Exception):  # This is not an error; it carries an answer.
    """There is no result; `answer` contains the reason."""

    def __init__(self, phase: str, code: str, file: str = "", off: int = 0, length: int = 0) -> None:
        at = {"at": {"file": file, "off": off, "len": length}} if file else {}
        self.answer = {**refused(phase, code), **at}


@lru_cache(maxsize=1 << 10)
def _parsed(data: bytes) -> tuple[Any, bool]:
    """Return a body parsed by the schema, and whether the schema builds the same bytes; raises Invalid."""
    try:
        found = LOOSE_BODY.parse(data)
    except ConstructError:
        raise Invalid("malformed") from None
    return found, data.startswith(LOOSE_BODY.build(found))


def body(data: bytes) -> dict[str, Any]:
    """Return a body's fields. ``surplus``: the bytes after the body; ``long``: a number could be shorter."""
    found, same = _parsed(data)
    form = operations()[found.operation]
    out = {"type": form.name} | dict(shown(part("head")[1:3], found)) | dict(shown(form.fields, found.fields))
    if "file_name" in out:
        out["file_name"] = mutf8.readable(out["file_name"])
    if found.undone is not None:
        out["undone"] = found.undone
    elif found.data:
        out["data"] = found.data
    return {**out, "surplus": len(data) - found.end, "long": not same}


@dataclass
class Log:
    """Represents the files of a log, and the findings so far."""

    files: dict[int, bytes]
    edition: str
    #: Maps the code of a note to the note with the first position, if notes with that code have a position.
    notes: dict[str, dict[str, Any]] = field(default_factory=dict)
    dropped: list[dict[str, Any]] = field(default_factory=list)
    missing: list[dict[str, Any]] = field(default_factory=list)
    opaque: bool = False
    short: bool = False
    #: The checkpoint record from which recovery starts.
    checkpoint: int = 0
    #: The containers next to the log, and the numbers of those that have a stub.
    beside: dict[int, tuple[str, bytes]] = field(default_factory=dict)
    stubs: set[int] = field(default_factory=set)

    def drop(self, name: str, off: int, end: int, reason: str) -> None:
        """Add a region without a record."""
        self.dropped.append({"file": name, "off": off, "len": end - off, "reason": reason})

    def note(self, code: str, file: str = "", off: int | None = None) -> None:
        """Add a note with its position. Of several notes with the same code, only the first is kept."""
        place = {"code": code, "file": file} if file else {}
        self.notes.setdefault(code, place if off is None else {**place, "off": off})

    def rest(self, number: int, at: int, why: str) -> None:
        """Drop the bytes from `at` to the last byte of the file that is not zero (DRB-END-041)."""
        used = self.files[number][at:].rstrip(b"\0")
        end = at + len(used) if used else len(self.files[number])
        self.drop(self.name(number), at, end, why)

    def gone(self, code: str, name: str, file: str = "", off: int = 0) -> None:
        """Add an entry about a missing part, with the position that proves its absence."""
        self.missing.append({"code": code, "name": name, **({"file": file, "off": off} if file else {})})

    def groups(self, number: int, end: int) -> int:
        """Return the offset of the first sound group at or after `end`, or 0 (DRB-END-181)."""
        data = self.files[number]
        if self.edition in UNCHECKED or self.opaque:
            return 0
        for at in range(end, len(data) - 36):
            head, size = data[at : at + 37], signed(data, at + 21, 4)
            fits = signed(head, 0, 4) == signed(head, 33, 4) == 21 and head[12:21] == SUMMED_BODY
            placed = signed(head, 4, 4) == number and signed(head, 8, 4) >= end
            inside = 0 < size <= len(data) - at - 37
            if fits and placed and inside and zlib.crc32(data[at + 37 :][:size]) == signed(head, 25, 8):
                return at
        return 0

    def filled(self, number: int) -> bool:
        """Return whether the content of a file after the log proves that it was written to."""
        return not self.problem(number, HEADER) or self.groups(number, HEADER) > 0

    def previous(self, number: int) -> int | None:
        """Return the end of the previous file according to a file's header; None if the header is invalid."""
        data = self.files[number]
        right = len(data) >= HEADER and signed(data, 0, 4) == 128 and signed(data, 8, 8) == number
        return unsigned(signed(data, 16, 8)) if right else None

    def name(self, number: int) -> str:
        """Return the name of a file."""
        return f"log{number}.dat"

    def enter(self, number: int) -> None:
        """Check the header of a file (DRB-HDR-012, DRB-HDR-162)."""
        if self.previous(number) is None:
            raise Refused("header", "bad-header", self.name(number), 0, min(HEADER, len(self.files[number])))

    def problem(self, number: int, at: int) -> str:
        """Return why no record is at `at`: "end" if the file's log ends there, "" if there is a record."""
        data = self.files[number]
        if len(data) - at < 4:
            return "end of file" if at == len(data) else "truncated"
        length = signed(data, at, 4)
        if length == 0:
            return "end"
        if length < 0:
            return "bad-length"
        end = at + AROUND + length
        if end > len(data):
            return "out-of-bounds"
        if signed(data, at + 4, 8) != number << 32 | at:
            return "bad-instant"
        if signed(data, end - 4, 4) != length:
            return "bad-trailer"
        summed = self.summed(number, at)
        if summed is not None:
            algorithm, size, checksum = summed
            covered = data[end : end + max(size, 0)]
            if algorithm != 1 or len(covered) != size or zlib.crc32(covered) != checksum:
                return "bad-checksum"
        return ""

    def text(self, number: int, at: int) -> bytes:
        """Return the body of the record at `at`."""
        data = self.files[number]
        return data[at + 12 : at + 12 + signed(data, at, 4)]

    def summed(self, number: int, at: int) -> tuple[int, int, int] | None:
        """Return algorithm, covered bytes and checksum of the checksum record at `at`, or None."""
        if self.edition in UNCHECKED or self.opaque:
            return None
        try:
            found = body(self.text(number, at))
        except Invalid:
            return None
        if found["type"] != "CHECKSUM" or not found["group"] & CHECKSUM:
            return None
        return found["algorithm"], found["data_length"], found["checksum"]

    def record(self, number: int, at: int) -> dict[str, Any]:
        """Return the record at `at`, which must be sound."""
        text = self.text(number, at)
        first = {"length": len(text), "instant": number << 32 | at}
        where = {"file": self.name(number), "off": at, "len": len(text) + AROUND}
        if self.edition == "seed" or self.opaque:
            return {"type": "OTHER", **first, "body": text, "at": where}
        try:
            found = body(text)
            self.has(found["type"])
        except Invalid:
            raise Refused("record", "bad-body", *where.values()) from None  # type: ignore[arg-type]
        for code, odd in (("surplus", found.pop("surplus")), ("long-number", found.pop("long"))):
            if odd:
                self.note(code, self.name(number), at)
        return {"type": found.pop("type"), **first, **found, "at": where}

    def sound(self, number: int, at: int) -> dict[str, Any] | None:
        """Return the record at `at`; None if there is no record, or if its body cannot be read."""
        try:
            return None if self.problem(number, at) else self.record(number, at)
        except Refused:
            return None

    def at(self, instant: int) -> dict[str, Any] | None:
        """Return the record at an instant, if there is one. Notes on this record are ignored."""
        (number, at), notes = parts_of(instant), dict(self.notes)
        found = self.sound(number, at) if number in self.files and at >= HEADER else None
        self.notes = notes
        return found

    def has(self, kind: str) -> None:
        """Raise Invalid for an operation that does not exist in the edition (DRB-REC-111)."""
        since, known = named()[kind].since, list(databases())
        if since and known.index(since) > known.index(self.edition):
            raise Invalid("malformed")

    def run(self, number: int, at: int, until: int = 0) -> tuple[list[dict[str, Any]], int, str]:
        """Return a file's records from `at` on, their end, and why they end. The log begins at `until`."""
        out: list[dict[str, Any]] = []
        covered = self.covered(number, at)
        while not (why := self.problem(number, at)):
            try:
                record = self.record(number, at)
            except Refused:
                if at >= until:
                    raise
                why = "bad-body" if at + AROUND + len(self.text(number, at)) <= until else "truncated"
                break
            at += AROUND + record["length"]
            if record["type"] == "CHECKSUM" and record["group"] & CHECKSUM:
                covered = max(covered, at + record["data_length"])
            elif at > max(covered, until) and self.edition not in UNCHECKED and not self.opaque:
                self.note("unverified", self.name(number), record["at"]["off"])
            out.append(record)
        ends = {end_of(record) for record in out}
        sums = [record for record in out if record.get("data_length") and record["group"] & CHECKSUM]
        covered_to = [end_of(record) + record["data_length"] for record in sums]
        if any(end not in ends and (end <= at or why != "bad-body") for end in covered_to):
            self.note("odd-coverage")
        return out, at, why

    def encrypted(self, number: int) -> bool:
        """Return whether the body of a file's first record cannot be read (DRB-REC-112)."""
        if self.edition == "seed" or self.problem(number, HEADER):
            return False
        text = self.text(number, HEADER)
        return len(text) % 8 == 0 and not text.startswith(b"\0\x81")

    def covered(self, number: int, start: int) -> int:
        """Return the offset up to which checksum records before `start` cover the file."""
        at = out = HEADER
        while at < start and not self.problem(number, at):
            summed = self.summed(number, at)
            at += AROUND + len(self.text(number, at))
            out = max(out, at + summed[1]) if summed is not None else out
        return out

    def next_of(self, number: int, at: int) -> bool:
        """Return whether the log continues in the next file (DRB-HDR-013, DRB-END-049)."""
        after = number + 1
        if after not in self.files:
            return False
        if len(self.files[after]) < HEADER:
            self.note("half-file", self.name(after))
            return False
        self.enter(after)
        if self.edition not in UNLINKED and self.previous(after) != number << 32 | at:
            self.note("unlinked-file", self.name(after))
            self.drop(self.name(after), 0, len(self.files[after]), "unlinked")
            return False
        return True


def _numbered(files: Files) -> dict[int, bytes]:
    found = [(int(match[1]), name) for name in files if (match := re.fullmatch(r"log([1-9]\d*)\.dat", name))]
    return {number: bytes(files[name]) for number, name in sorted(found) if number <= HIGHEST}


def _containers(log: Log, files: Files) -> None:
    """Find the containers next to the log."""
    for name, data in files.items():
        if match := re.fullmatch(r"(?:(?:\.\./)?seg0/|seg0\.)c([0-9a-f]+)\.dat", name):
            log.beside[int(match[1], 16)] = name, bytes(data)
        if match := re.fullmatch(r"(?:\.\./)?seg0/d([0-9a-f]+)\.dat", name):
            log.stubs.add(int(match[1], 16))


def _version(log: Log, container: int, page: int) -> int | None:
    """Return the version of a page in the containers next to the log; None if the page is not there."""
    data = log.beside[container][1] if container in log.beside else b""
    off = page * signed(data, 117, 4)
    right = len(data) >= off + 20 and signed(data, off, 2) in (117, 118)
    return signed(data, off + 6, 8) if right else None


def _pages(log: Log, redo: int, counted: list[dict[str, Any]], *, reading: bool) -> None:
    """Add notes on old pages, newer pages and missing containers (DRB-RCV-173, DRB-RCV-174, DRB-FIL-175)."""
    if not log.beside or log.opaque:
        return
    notes = dict(log.notes)
    all_of = [r for number, data in log.files.items() if log.previous(number) is not None
              for r in log.run(number, HEADER, len(data))[0]]  # fmt: skip
    log.notes = notes
    own = log.stubs | {record["container"] for record in all_of if record["type"] == "CONTAINER"}
    steps, after = _Replay(log, redo), {}
    for record in all_of:
        if "page" in record:
            after[record["container"], record["page"]] = record["page_version"] + steps.steps(record)
    for (container, page), explained in after.items():
        if container not in own and (_version(log, container, page) or 0) > explained:
            log.note("newer-page")
    replay = _Replay(log, redo)
    absent: set[int] = set()
    for record in counted:
        named = record.get("transaction") is not None
        if named and record["type"] == "CONTAINER" and record["action"] == 1:
            replay.made.add(record["container"])
        if "page" not in record or record["instant"] < redo:
            continue
        container = record["container"]
        if reading and named and container in log.beside and not replay.behind(record):
            log.note("old-page", record["at"]["file"], record["at"]["off"])
        if log.beside.keys() >= CATALOGUE and container not in own | log.beside.keys() | absent:
            absent.add(container)
            log.gone("container", f"seg0/c{container:x}.dat", record["at"]["file"], record["at"]["off"])


def _control(log: Log, files: Files, *, recovering: bool) -> tuple[int, str]:
    """Return the checkpoint's instant and its control file (DRB-CTL-006 to DRB-CTL-110)."""
    if log.edition == "seed":
        data = files.get("log.ctrl", b"")
        return (signed(data, 8, 8) if len(data) == CONTROL else 0), "log.ctrl"
    valid = {}
    for name in CONTROLS:
        data = files.get(name, b"")
        if len(data) == CONTROL and zlib.crc32(data[:40]) == signed(data, 40, 8):
            valid[name] = LAYOUT.read("control", log.edition, bytes(data))
        elif data:
            log.drop(name, 0, len(data), "bad-control")
    if not valid:
        log.note("no-control")
        return 0, ""
    name, control = next(iter(valid.items()))
    if name != "log.ctrl":
        log.note("mirror-used")
    if control["format_id"] != 128:
        raise Refused("header", "bad-control", name, 0, CONTROL)
    for other, said in valid.items():
        if said["format_id"] != 128:
            log.drop(other, 0, CONTROL, "bad-control")
    level = control["major"], control["minor"]
    if recovering and (level > databases()[log.edition].newest or control["flags"] & 1):
        raise Refused("header", "newer-level")
    if control["flags"] & 2:
        log.note("test-mode")
    return control["checkpoint"], name


def _named(log: Log, files: Files, *, policy: str) -> tuple[int, str]:
    """Return the instant of the checkpoint to use, and the name of its source; 0 and "" if there is none."""
    for name in CONTROLS if log.edition != "seed" else ():
        if name not in files:
            log.gone("control-file", name)
    checkpoint, control = _control(log, files, recovering=bool(policy))
    if not control and policy and log.edition != "seed" and 1 not in log.files:
        checkpoint = _last_checkpoint(log)
        control = "the log" if checkpoint else ""
    return checkpoint, control


def _start(log: Log, files: Files, *, policy: str) -> tuple[int, int, int]:
    """Return the file, the offset and the redo instant at which recovery starts (DRB-RCV-060)."""
    controls = CONTROLS[:1] if log.edition == "seed" else CONTROLS
    if not log.files and not set(controls) & set(files):
        raise Refused("fileset", "no-files")
    checkpoint, control = _named(log, files, policy=policy)
    number, at = parts_of(checkpoint) if checkpoint else (1, 0)
    if log.files and (log.edition == "seed" or (not policy and number not in log.files)):
        # Any file suffices for reading; the seed edition does not define which file comes first.
        if control and log.edition != "seed":
            log.gone("log-file", log.name(number), control, 8)
        number, at, checkpoint = min(log.files), 0, 0
    if number not in log.files:
        raise Refused("fileset", "missing-file")
    log.enter(number)
    log.opaque = log.encrypted(number)
    if log.edition == "seed" or log.opaque or not control or not checkpoint:
        return number, HEADER, number << 32 | HEADER
    found = (log.sound(number, at) if at >= HEADER else None) or {"type": ""}
    undo = parts_of(found["undo_from"]) if found["type"] == "CHECKPOINT" else (0, 0)
    if undo[1] >= HEADER:
        if undo[0] not in log.files and policy:
            raise Refused("fileset", "missing-file")
        if undo[0] not in log.files:
            log.gone("log-file", log.name(undo[0]), log.name(number), at)
            undo = min(log.files), HEADER
        if undo[1] <= max(len(log.files[undo[0]]), HEADER):
            log.enter(undo[0])
            log.checkpoint = number << 32 | at
            return *undo, unsigned(found["redo_from"])
    if policy == "strict":
        record = log.name(number), at, len(log.text(number, at)) + AROUND
        raise Refused("record", "no-checkpoint", *((control, 8, 8) if control in CONTROLS else record))
    log.note("no-checkpoint")
    return number, HEADER, number << 32 | HEADER


def _last_checkpoint(log: Log) -> int:
    """Return the last checkpoint record of the files if no control file refers to one (DRB-CTL-171)."""
    found = 0
    for number, data in log.files.items():
        at = HEADER if log.previous(number) is not None else len(data)
        while not log.problem(number, at):
            if (log.sound(number, at) or {"type": ""})["type"] == "CHECKPOINT":
                found = number << 32 | at
            at += AROUND + len(log.text(number, at))
    return found


def _scan(log: Log, number: int, at: int) -> tuple[list[dict[str, Any]], int, int]:
    """Return the records from `at` to the end of the log, and the position of that end."""
    out: list[dict[str, Any]] = []
    while True:
        found, at, why = log.run(number, at)
        out += found
        if why != "end" or not log.next_of(number, at):
            break
        number, at = number + 1, HEADER
    name, size, behind = log.name(number), len(log.files[number]), log.files[number][at:]
    if why == "end" and behind.strip(b"\0"):
        first = size - len(behind.lstrip(b"\0"))
        log.drop(name, first, first + len(behind.strip(b"\0")), "beyond-end")
        log.note("beyond-end", name, first)
    elif not why.startswith("end"):
        log.short = True
        if size > at:
            log.rest(number, at, why)
    if group := log.groups(number, at):
        log.note("groups-after", name, group)
    _later_files(log, number, at)
    four = why == "end" and size == at + 4 and size % 512
    if four and log.edition != "seed" and number == max(log.files) and number < HIGHEST:
        log.gone("log-file", log.name(number + 1), name, at)
    return out, number, at


def _later_files(log: Log, number: int, at: int) -> None:
    """Check the headers of later files for missing files and for an unfinished switch (DRB-FIL-168)."""
    end = number << 32 | at
    for later in log.files:
        said = log.previous(later) if later > number else None
        if later > number and said is None and len(log.files[later]) >= HEADER:
            log.drop(log.name(later), 0, len(log.files[later]), "bad-header")
        if said is not None and said > end:
            if said >> 32 not in log.files:
                log.gone("log-file", log.name(said >> 32), log.name(later), 16)
            elif later == number + 1 and said - end <= AHEAD and not log.filled(later):
                log.note("unfinished-switch", log.name(later))


def _lost_middle(log: Log, number: int, at: int) -> str:
    """Return the later file that proves that the log continued, or "" (DRB-END-178, DRB-END-172)."""
    end = number << 32 | at
    for later in log.files:
        said = log.previous(later) if later > number else None
        if said is not None and said >= end and (log.filled(later) or said - end > AHEAD):
            return log.name(later)
    return log.name(log.checkpoint >> 32) if end <= log.checkpoint else ""


def _old(log: Log, number: int) -> list[dict[str, Any]]:
    """Return the records of a file before the log, and drop the unusable bytes of the file."""
    data, name = log.files[number], log.name(number)
    try:
        log.enter(number)
    except Refused:
        log.drop(name, 0, len(data), "bad-header")
        return []
    records, at, why = log.run(number, HEADER, len(data))
    if not why.startswith("end"):
        log.rest(number, at, why)
        if group := log.groups(number, at):
            log.note("groups-after", name, group)
    return records


def _front(log: Log, number: int, start: int) -> tuple[list[dict[str, Any]], int]:
    """Return the records before `start`, and `start`. If they reach `start`, return no records and HEADER."""
    records, at, why = log.run(number, HEADER, start)
    records = [record for record in records if end_of(record) <= start]
    end = end_of(records[-1]) if records else HEADER
    if end >= start:
        return [], HEADER
    log.drop(log.name(number), end, start, "truncated" if end < at or why.startswith("end") else why)
    return records, start


def read(files: Files, edition: str) -> dict[str, Any]:
    """Return the answer of a reading: the content of the log."""
    return recover(files, edition, "")


def recover(files: Files, edition: str, policy: str) -> dict[str, Any]:
    """Return the result of a restart under `policy`; if `policy` is empty, the answer of a reading."""
    try:
        log = Log(_numbered(files), edition)
        _containers(log, files)
        start, at, redo = _start(log, files, policy=policy)
        log.notes = {code: at for code, at in log.notes.items() if code not in ("surplus", "long-number")}
        if not policy:
            old = [number for number, data in log.files.items() if number < start and len(data) >= HEADER]
            records = [record for number in old for record in _old(log, number)]
            front, at = _front(log, start, at)
            counted, number, end = _scan(log, start, at)
            if later := _lost_middle(log, number, end):
                log.note("lost-middle", later)
            _pages(log, redo, counted, reading=True)
            return _answer(log, records + front + counted)
        records, number, end = _scan(log, start, at)
        if (later := _lost_middle(log, number, end)) or (policy == "strict" and log.groups(number, end)):
            if policy == "strict":
                raise Refused("record", "lost-middle", log.name(number), end, len(log.files[number]) - end)
            log.note("lost-middle", later)
        if edition == "seed":
            return {**_answer(log, records), "state": {"bodies": [record["body"] for record in records]}}
        state = {} if log.opaque else {"state": _Replay(log, redo).of(records)}
        _pages(log, redo, records, reading=False)
        return {**_answer(log, records), **state}
    except Refused as found:
        return found.answer


def _answer(log: Log, records: list[dict[str, Any]]) -> dict[str, Any]:
    if log.opaque:
        log.note("encrypted")
    odd = log.dropped or log.missing or log.short or LOST & log.notes.keys()
    return {
        "verdict": RECOVERED if odd else CLEAN,
        "records": records,
        "dropped": sorted(
            log.dropped, key=lambda at: (at["file"] in CONTROLS, len(at["file"]), at["file"], at["off"])
        ),
        "notes": [*log.notes],
        "noted": [at for at in log.notes.values() if at],
        "missing": log.missing,
    }


@dataclass
class _Replay:
    """Represents a replay of records: the resulting rows, and whether records and pages fit each other."""

    log: Log
    redo: int
    open: dict[int, Transaction] = field(default_factory=dict)
    versions: dict[tuple[int, int], int] = field(default_factory=dict)
    #: Containers that the log creates.
    made: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        beside = {number: data for number, (_, data) in self.log.beside.items()}
        self.rows = PageRows(self.log.edition, beside)

    def of(self, records: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the state after these records and the rollback of open transactions."""
        for record in records:
            self.take(record)
        losers = [tx for tx in self.open.values() if not tx.prepared]
        for tx in sorted(losers, key=lambda tx: tx.order):
            self._roll_back(tx)
        if losers:
            self.log.note("rolled-back")
        told, locked = [], set()
        doubtful = [tx for tx in self.open.values() if tx.prepared]
        for tx in sorted(doubtful, key=lambda tx: (*tx.branch().values(),)):
            changed = {place for record in tx.done for place in places_of(record)}
            starts = [start for start in self.rows.starts() if changed & set(self.rows.parts(start))]
            own = [start for start in starts if start not in locked]
            locked |= set(own)
            before = self.rows.told(own)
            self._roll_back(tx)
            # A row that the branch had removed from its page becomes visible only through the rollback.
            back = [start for start in self.rows.starts() if start in changed - locked]
            locked |= set(back)
            after = self.rows.told(sorted([*own, *back]))
            come, gone = without(before, after), without(after, before)
            told.append({**tx.branch(), "inserted": come, "deleted": gone})
        return {"rows": self.rows.told(self.rows.starts()), "in_doubt": told}

    def _roll_back(self, tx: Transaction) -> None:
        for record in reversed(tx.done):
            if (record.get("container"), record.get("page")) in self.rows.pages:
                self._do(record, record, record)

    def _do(self, record: Mapping[str, Any], by: Mapping[str, Any] | None, at: Mapping[str, Any]) -> None:
        """Redo or undo a record; if its data contains no valid row, refuse at the record `at`."""
        try:
            self.rows.do(record, by=by)
        except Invalid:
            raise Refused("record", "bad-body", *at["at"].values()) from None

    def take(self, record: Mapping[str, Any]) -> None:
        """Replay one record (DRB-RCV-062, DRB-RCV-063)."""
        number, group, redone = record.get("transaction"), record["group"], record["instant"] >= self.redo
        if number is None or record["type"] == "CHECKSUM":
            return
        if (number in self.open) == bool(group & FIRST):
            if redone or group & FIRST:
                raise Refused("transaction", "bad-transaction", *record["at"].values())
            return
        if group & FIRST:
            self.open[number] = Transaction(record, ids=record.get("global_id"))
        tx, undone = self.open[number], None
        if group & LAST:
            # The group decides, and not the status (DRB-REC-023).
            del self.open[number]
        elif group & PREPARE:
            tx.prepared, tx.ids = True, tx.ids or record.get("global_id")
        elif "undone" in record:
            undone = self._undone(tx, unsigned(record["undone"]))
        elif not group & FIRST and record["type"] != "CHECKPOINT":
            tx.done.append(record)
        if record["type"] == "CONTAINER" and record["action"] == 1:
            self.made.add(record["container"])
        if "page" in record and redone and self._fits(record):
            self._change(record, undone)

    @staticmethod
    def _undone(tx: Transaction, instant: int) -> Mapping[str, Any] | None:
        """Return the change of a transaction at an instant; drop it and all later ones."""
        found = [record for record in tx.done if record["instant"] == instant]
        tx.done = [record for record in tx.done if record["instant"] < instant]
        return found[0] if found else None

    def _change(self, record: Mapping[str, Any], undone: Mapping[str, Any] | None) -> None:
        if record["type"].startswith("COMPRESS_SPACE"):
            container, highest = record["container"], record["highest_page"]
            self.rows.cut(container, highest)
            for page in [page for page in self.versions if page[0] == container and page[1] > highest]:
                del self.versions[page]
        elif undone is not None:
            self._do(undone, record, record)
        elif "undone" not in record:
            self._do(record, None, record)

    def _fits(self, record: Mapping[str, Any]) -> bool:
        """Return whether a change must be redone, because its page does not contain it yet."""
        now = self._now(record)
        if not self.behind(record):
            raise Refused("replay", "bad-page", *record["at"].values())
        return bool(record["page_version"] >= now)

    def _now(self, record: Mapping[str, Any]) -> int:
        page = record["container"], record["page"]
        stored = self.versions.get(page)
        if stored is None and not self.rows.gone(page):
            stored = _version(self.log, *page)
        return record["page_version"] if stored is None else stored

    def behind(self, record: Mapping[str, Any]) -> bool:
        """Return whether a page is not older than the record. If so, store the version after the record."""
        now, steps = self._now(record), self.steps(record)
        if record["page_version"] > now and record["container"] not in self.made:
            return False
        after = record["page_version"] + steps
        self.versions[record["container"], record["page"]] = max(now, after)
        return True

    def steps(self, record: Mapping[str, Any]) -> int:
        """Return by how much a record raises the version of its page (DRB-RCV-164)."""
        if record["type"] == "COPY_ROWS":
            return len(record["rows"]) + sum(1 for row in record["rows"] if row["reserved"])
        undoes = record["type"] == "PHYSICAL_UNDO" and "undone" in record  # The change may already be undone.
        by_row = self.log.at(unsigned(record["undone"])) if undoes else record
        return len(by_row["rows"]) if by_row and by_row["type"] in BY_ROW else 1


def expected(files: Files, edition: str) -> list[dict[str, Any]]:
    """Return the expectations of a generated case for a reading and recovery under every policy."""
    answers = asked(read, recover, FORMAT, files, edition)
    told = (
        (when, {key: seen[key] for key in seen if key != "missing" or seen[key]}) for when, seen in answers
    )
    return all_expected(told, BRIEF)
