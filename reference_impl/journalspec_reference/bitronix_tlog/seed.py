"""The seed document read literally: one file that is nothing but records, to its end."""

from __future__ import annotations

from typing import Any

from journalspec.observation import (
    CLEAN,
    RECOVERED,
    At,
    FileMap,
    Observation,
    note_place,
    refused,
)
from journalspec.reread import joined, mapped
from journalspec_reference.api import Files
from journalspec_reference.bitronix_tlog.codec import (
    INT,
    MIN_RECORD_LENGTH,
    SEED,
    UNCOUNTED,
    LogRecord,
    no_end_marker,
)
from journalspec_reference.bitronix_tlog.log import Log
from journalspec_reference.bitronix_tlog.observe import unanchored_note
from journalspec_reference.bitronix_tlog.pair import LogFile
from journalspec_reference.bitronix_tlog.scan import decode
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
    file = LogFile(name, files[name])
    log = Log(file, file.length, SEED)
    if log.fault is not None and policy == "strict":
        first = log.fault
        phase = "checksum" if first.reason == "bad-checksum" else "record"
        text = f"{name}: no valid record at {first.off}: {first.detail}"
        return refused(phase, first.reason, text, At(name, first.off, first.end - first.off))
    return Observation(
        RECOVERED if log.fault is not None else CLEAN,
        records=log.records,
        dropped=log.dropped,
        state=log.state,
        files=(FileMap(name, file.length, "active"),),
        notes=joined(note_place, log.notes, mapped(unanchored_note, log.between)),
        unanchored=log.between,
    )


def read(files: Files) -> Observation:
    """Return what salvage gives: the records, and those that stand in the dropped regions."""
    return recover(files, "salvage")
