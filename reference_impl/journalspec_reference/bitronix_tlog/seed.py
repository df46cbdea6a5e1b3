"""The seed document read literally: one file that is nothing but records, to its end."""

from __future__ import annotations

from typing import Any

from journalspec.observation import CLEAN, RECOVERED, At, FileMap, Note, Observation, refused
from journalspec_reference.api import Files
from journalspec_reference.bitronix_tlog.codec import (
    INT,
    MIN_RECORD_LENGTH,
    SEED,
    UNCOUNTED,
    Fault,
    LogRecord,
    no_end_marker,
)
from journalspec_reference.bitronix_tlog.observe import dropped_of, record_notes, record_of
from journalspec_reference.bitronix_tlog.scan import decode, scan, search
from journalspec_reference.bitronix_tlog.transactions import outcome
from journalspec_reference.content import Window


def looks_like_seed(data: Any) -> bool:
    """Tell whether a valid record of this edition stands at the very start."""
    if len(data) < UNCOUNTED + MIN_RECORD_LENGTH:
        return False
    # Of most files, and there may be many, a few bytes tell that they are none.
    end = UNCOUNTED + INT.unpack(data[4:UNCOUNTED])[0]
    if not UNCOUNTED + MIN_RECORD_LENGTH <= end <= len(data) or no_end_marker(data[end - 4 : end], 0, end):
        return False
    return isinstance(decode(Window(data), 0, len(data), SEED), LogRecord)


def _only_file(files: Files) -> tuple[str, Observation | None]:
    if not files:
        return "", refused("fileset", "no-files", "there is no log file")
    if len(files) > 1:
        return "", refused("fileset", "too-many-files", f"one file is a log here, these are {len(files)}")
    return next(iter(files)), None


def recover(files: Files, policy: str) -> Observation:
    """Return the logical state; the file's end is the end of the log."""
    name, problem = _only_file(files)
    if problem is not None:
        return problem
    found = scan(files[name], len(files[name]), SEED)
    if found.faults and policy == "strict":
        first: Fault = found.faults[0]
        phase = "checksum" if first.reason == "bad-checksum" else "record"
        text = f"{name}: no valid record at {first.off}: {first.detail}"
        return refused(phase, first.reason, text, At(name, first.off, first.end - first.off))
    beside = tuple(
        record_of(item, name)
        for fault in found.faults
        for item in search(files[name], fault.off, fault.end, SEED)
    )
    return Observation(
        RECOVERED if found.faults else CLEAN,
        records=tuple(record_of(item, name) for item in found.records),
        dropped=tuple(dropped_of(fault, name) for fault in found.faults),
        state=outcome(found.records, name),
        files=(FileMap(name, len(files[name]), "active"),),
        notes=(
            *record_notes(found.records, name, SEED),
            *(Note("unanchored", record.at.file, record.at.off) for record in beside),
        ),
        unanchored=beside,
    )


def read(files: Files) -> Observation:
    """Return what salvage gives: the records, and those that stand in the dropped regions."""
    return recover(files, "salvage")
