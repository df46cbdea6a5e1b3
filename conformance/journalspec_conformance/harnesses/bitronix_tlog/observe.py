"""``read`` and ``recover``: the product's answers as observations."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from journalspec.formats import get_format
from journalspec.kept import scratch
from journalspec.observation import CLEAN, RECOVERED, REFUSED, jsonable
from journalspec_conformance.harnesses.bitronix_tlog import failures
from journalspec_conformance.harnesses.bitronix_tlog.driver import Journal, ReadRecord, pair_of, read_file
from journalspec_conformance.harnesses.java.failures import Refusal, Thrown

FORMAT = "bitronix_tlog"
#: The record fields that the product's getters give.
FIELDS = (
    "status",
    "record_length",
    "header_length",
    "time",
    "sequence_number",
    "crc32",
    "gtrid",
    "names",
)
Observed = dict[str, Any]


def status_names() -> dict[int, str]:
    """Return status number -> record type, from the format's own vocabulary."""
    table = {}
    for name, text in get_format(FORMAT).record_types.items():
        number, colon, _ = text.partition(":")
        if colon and number.isdigit():
            table[int(number)] = name
    return table


def record_json(record: ReadRecord, file: str) -> Observed:
    """Return one record in the protocol's form."""
    fields = {name: getattr(record, name) for name in FIELDS}
    kind = status_names().get(record.status, "OTHER")
    return {"type": kind, **jsonable(fields), "at": {"file": file}}


@dataclass
class FileReading:
    """What the cursor gave for one file."""

    file: str
    records: list[Observed] = field(default_factory=list)
    thrown: list[Thrown] = field(default_factory=list)
    #: The exception that kept the cursor from even starting.
    unopened: Thrown | None = None


def read_one(directory: Path, file: str) -> FileReading:
    """Read one file to its end, or as far as the product goes."""
    reading = FileReading(file)
    try:
        for item in read_file(directory / file):
            if isinstance(item, Thrown):
                reading.thrown.append(item)
            else:
                reading.records.append(record_json(item, file))
    except Thrown as thrown:
        reading.unopened = thrown
    return reading


def refused(refusal: Refusal, message: str) -> Observed:
    """Return a refusal in the protocol's form."""
    return {"verdict": REFUSED, "phase": refusal.phase, "code": refusal.code, "message": message}


def is_whole_pair(directory: Path) -> bool:
    """Return whether both files are there and equally long: what the product itself compares."""
    paths = [directory / name for name in pair_of(directory)]
    return all(path.is_file() for path in paths) and len({path.stat().st_size for path in paths}) == 1


def read(directory: Path) -> Observed:
    """Return every record of both files, in the order of the pair."""
    pair = pair_of(directory)
    readings = [read_one(directory, name) for name in pair if (directory / name).is_file()]
    opened = [reading for reading in readings if reading.unopened is None]
    if not readings:
        return refused(Refusal("fileset", "no-files"), "neither file exists: no cursor was opened")
    if not opened:
        why = next(reading.unopened for reading in readings if reading.unopened is not None)
        return refused(failures.of_open(why), str(why))
    whole = len(opened) == len(pair) and is_whole_pair(directory)
    spotless = whole and not any(reading.thrown for reading in opened)
    answer: Observed = {
        "verdict": CLEAN if spotless else RECOVERED,
        "records": [record for reading in opened for record in reading.records],
    }
    said = [f"{reading.file}: {thrown}" for reading in readings for thrown in _all_thrown(reading)]
    if said:
        answer["message"] = "; ".join(said)[:2000]
    # Without a whole file on either side the product's own recovery does not return: nothing to say then.
    state = _state_of_copy(directory) if len(opened) == len(pair) else None
    if state is not None:
        answer["state"] = state
    return answer


def _all_thrown(reading: FileReading) -> list[Thrown]:
    return reading.thrown if reading.unopened is None else [reading.unopened]


def _state_of_copy(directory: Path) -> Observed | None:
    """Return the state after salvage recovery of a copy, or None if that recovery is refused."""
    with scratch() as place:
        copy = place / "copy"
        shutil.copytree(directory, copy)
        state: Observed | None = recover(copy, "salvage").get("state")
        return state


def recover(directory: Path, policy: str) -> Observed:
    """Open the journal in `directory` and return what the product calls dangling.

    The product writes the state byte, and makes the files if there are none.
    """
    whole = is_whole_pair(directory)
    fresh = not any((directory / name).exists() for name in pair_of(directory))
    journal = Journal(directory, skip=policy == "salvage", megabytes=1)
    try:
        try:
            journal.open()
        except Thrown as thrown:
            return refused(failures.of_open(thrown), f"open: {thrown}")
        active = journal.active() or ""
        try:
            dangling = journal.dangling()
        except Thrown as thrown:
            return refused(failures.of_scan(thrown), f"{active}: {thrown}")
        reading = read_one(directory, active)
    finally:
        journal.abandon()
    unfinished = [{"gtrid": gtrid.hex(), "names": list(names)} for gtrid, names in sorted(dangling.items())]
    spotless = (whole or fresh) and not reading.thrown
    answer: Observed = {
        "verdict": CLEAN if spotless else RECOVERED,
        "records": reading.records,
        "state": {"active": active, "unfinished": unfinished},
    }
    if reading.thrown:
        answer["message"] = "; ".join(str(thrown) for thrown in reading.thrown)[:2000]
    return answer
