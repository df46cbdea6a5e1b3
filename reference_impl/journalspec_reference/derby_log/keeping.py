"""The reasons why the next checkpoint does not delete log files (DRB-FIL, DRB-CHK).

A checkpoint deletes the files before its undo point. The undo point is the begin of the oldest transaction
that is active at that time, or the end of the log. Until the next checkpoint, a boot reads from the undo
point of the last checkpoint.
"""

from __future__ import annotations

from contextlib import suppress

from journalspec_reference.api import Files, Params
from journalspec_reference.derby_log.codec import Instant, Refusal
from journalspec_reference.derby_log.fileset import gather
from journalspec_reference.derby_log.recover import LogPass
from journalspec_reference.keeping import Holder, Keeping


def kept(files: Files, edition: str, params: Params) -> Keeping:
    """Return the reasons to keep each log file. A file before the last undo point has no reason."""
    logs = gather(files)
    lengths = {file.name: file.length for file in logs.values()}
    found = LogPass(files, edition, "default", suite=False)
    with suppress(Refusal):
        for _batch in found.batches():
            pass  # Take all batches, because only the state at the end is needed.
    if found.last is None:
        return Keeping(lengths, (), "the log does not begin where it should: see `journalspec recover`")
    last, start = found.last.file.number, found.start
    active = sorted((Instant.unpack(each.first), number) for number, each in found.store.transactions.items())
    holders = []
    for number, file in logs.items():
        if number == last:
            holders.append(Holder(file.name, "current"))
        for first, tx in active:
            if first.number <= number <= last:
                kind = "prepared" if found.store.transactions[tx].prepared else "active"
                place = f"{tx}, begun at {_place(first)}"
                holders.append(
                    Holder(file.name, kind, place, first=first.position if number == first.number else -1)
                )
        if start.number <= number <= last:
            first_here = start.position if number == start.number else -1
            holders.append(Holder(file.name, "boot", _place(start), first=first_here))
    cut = found.last.end.reason
    return Keeping(lengths, tuple(holders), f"the log ends with damage ({cut})" if cut else "")


def _place(instant: Instant) -> str:
    return f"log{instant.number}.dat:{instant.position}"
