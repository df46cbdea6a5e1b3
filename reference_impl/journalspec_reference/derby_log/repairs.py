"""Repairs of a log that cannot be redone. The repairs concern file headers, and the checkpoint where the log
begins.

All fields of a header follow from the name of its file and from the previous file. If the checkpoint of the
control files is lost, redo can begin at an older checkpoint in the log. The result is the same, because the
additional changes are already on the pages. If the file of the checkpoint is missing, nothing is rebuilt,
because it is unknown which transactions ended. In that case, Derby leaves all pages unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from journalspec.derby_log import LAYOUT
from journalspec_reference.content import Content, Derived
from journalspec_reference.derby_log.bodies import decode
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, HEADER, BadLog, Instant, Refusal
from journalspec_reference.derby_log.fileset import CONTROLS, Log, LogFile, body_at, choose, gather
from journalspec_reference.derby_log.scan import UNSUMMED, End


class Repair(NamedTuple):
    """Represents a rebuilt file: its name, its bytes, and the code and text of the remark about it."""

    name: str
    code: str
    text: str
    data: Any


def repaired(files: Mapping[str, Any], edition: str) -> Iterator[Repair]:
    """Yield the files of a log that can be rebuilt."""
    logs = gather(files)
    log = Log(logs, summed=edition not in UNSUMMED, linked=True)
    for number, file in logs.items():
        try:
            file.previous()
        except BadLog as error:
            # A file without records need not be a log file. A wrong header states no end of the file before
            # it, so only records count.
            nowhere = Instant(0, 0)
            if log.beyond(nowhere, [(file, nowhere)]):
                link = _end(log, logs[number - 1]).packed if number - 1 in logs else 0
                header = LAYOUT.build("header", edition, number=number, previous=link)
                text = f"{error}; {file.name} is read as if its header were right"
                yield Repair(file.name, "bad-header", text, _headed(header, file.data))
    with suppress(Refusal):
        control = choose(files).control
        if control is None or control.checkpoint is None or control.checkpoint.number not in logs:
            return
        with suppress(BadLog):
            if body_at(log, edition, control.checkpoint).operation.name == "CHECKPOINT":
                return
        if (found := _older(log, control.checkpoint)) is not None:
            data = LAYOUT.build("control", edition, **{**control._asdict(), "checkpoint": found.packed})
            text = f"no checkpoint is at {_place(control.checkpoint)}; the log begins at {_place(found)}"
            yield from (Repair(name, "lost-checkpoint", text, data) for name in CONTROLS)


def _headed(header: bytes, stored: Any) -> Content:
    """Return a log file with a replaced header."""

    def read(off: int, end: int) -> bytes:
        return header[off:end] + bytes(stored[max(off, HEADER) : end])

    return Content(Derived(len(stored), read))


def _place(instant: Instant) -> str:
    return f"log{instant.number}.dat:{instant.position}"


def _end(log: Log, file: LogFile) -> Instant:
    end = End(HEADER)
    for batch in log.scan(file):
        end = batch.more.get("end", end)
    return Instant(file.number, end.off)


def _older(log: Log, before: Instant) -> Instant | None:
    """Return the last checkpoint before an instant.

    The undo point of this checkpoint must be in an existing file.
    """
    found = None
    for number, file in log.files.items():
        for batch in log.scan(file) if number <= before.number else ():
            for start, end in zip(batch.off, batch.end, strict=True):
                at = Instant(number, batch.base + start)
                with suppress(BadLog):
                    body = decode(batch.data[start + BEFORE : end - BEHIND])
                    if body.operation.name == "CHECKPOINT" and at < before:
                        undo = Instant.unpack(body.fields["undo_from"])
                        found = at if undo.number in log.files else found
    return found
