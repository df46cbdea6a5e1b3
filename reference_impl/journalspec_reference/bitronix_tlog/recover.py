"""Reading a pair of log files, and the recovery that follows from it.

Numbered steps of the spec's recovery chapter are named in the functions that
do them. Nothing here changes a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from journalspec.observation import CLEAN, RECOVERED, At, Dropped, Note, Observation, Record, refused
from journalspec_reference.api import Files
from journalspec_reference.bitronix_tlog.codec import DISK, Fault, Layout, LogRecord
from journalspec_reference.bitronix_tlog.observe import (
    dropped_of,
    header_notes,
    map_of,
    record_notes,
    record_of,
)
from journalspec_reference.bitronix_tlog.pair import PAIR, LogFile, elect, load_pair, sibling
from journalspec_reference.bitronix_tlog.scan import Scan, scan, search, walk
from journalspec_reference.bitronix_tlog.transactions import outcome


def fileset_refusal(pair: list[LogFile]) -> Observation | None:
    """Return the refusal if the set is not two files, else None (BTM-FIL)."""
    if not pair:
        return refused("fileset", "no-files", "there is no log file")
    if len(pair) > PAIR:
        names = ", ".join(file.name for file in pair)
        return refused("fileset", "too-many-files", f"a journal is a pair, these are {len(pair)}: {names}")
    if len(pair) < PAIR:
        return refused("fileset", "missing-file", f"{sibling(pair[0].name)} is missing beside {pair[0].name}")
    return None


def strict_refusal(pair: list[LogFile]) -> Observation | None:
    """Return the first reason for strict recovery not to look at the records, else None."""
    problem = fileset_refusal(pair)
    if problem is not None:
        return problem
    for file in pair:
        if file.problem is not None and file.problem[0] == "short-file":
            return header_refusal(file)
    first, second = pair
    if first.length != second.length:
        text = f"{first.name} has {first.length} bytes, {second.name} has {second.length}"
        return refused("fileset", "unequal-lengths", text)
    for reason in ("bad-format-id", "bad-position"):
        for file in pair:
            if file.problem is not None and file.problem[0] == reason:
                return header_refusal(file)
    return None


def unusable(pair: list[LogFile]) -> Observation:
    """Return the refusal of a set without a usable file: what strict recovery names first (BTM-RCV)."""
    problem = strict_refusal(pair)
    assert problem is not None  # a set that strict recovery takes has two usable files
    return problem


def _unusable_with_finds(pair: list[LogFile]) -> Observation:
    """Return the same, with the valid records that stand in such files all the same."""
    return replace(
        unusable(pair),
        files=tuple(map_of(file) for file in pair),
        unanchored=tuple(record for file in pair for record in unanchored(file, None, DISK)),
    )


def header_refusal(file: LogFile) -> Observation:
    """Return the refusal that the problem of `file` is."""
    assert file.problem is not None  # callers checked
    reason, text = file.problem
    return refused("header", reason, f"{file.name}: {text}", At(file.name, 0, file.length))


def recover(files: Files, policy: str) -> Observation:
    """Return the logical state after recovery of the pair under `policy`."""
    pair = load_pair(files)
    if policy == "strict":
        problem = strict_refusal(pair)
        if problem is not None:
            return problem
        active, tie = elect(pair)
        return _strict(active, _election_notes(active, tie))
    if len(pair) > PAIR or not pair:
        problem = fileset_refusal(pair)
        assert problem is not None  # the condition above is its condition
        return problem
    usable = [file for file in pair if file.problem is None]
    if not usable:
        return _unusable_with_finds(pair)
    active, tie = elect(usable)
    return _salvage(pair, active, _election_notes(active, tie))


def _election_notes(active: LogFile, tie: bool) -> tuple[Note, ...]:
    return (Note("ambiguous-election", active.name, 4),) if tie else ()


def _strict(active: LogFile, notes: tuple[Note, ...]) -> Observation:
    records: list[LogRecord] = []
    for item in walk(active.data, active.limit):
        if isinstance(item, Fault):
            phase = "checksum" if item.reason == "bad-checksum" else "record"
            text = f"{active.name}: no valid record at {item.off}: {item.detail}"
            return refused(
                phase, item.reason, text, At(active.name, item.off, item.end - item.off), notes=notes
            )
        records.append(item)
    found = Scan(records, [])
    return _result(CLEAN, active, found, (), notes, unanchored(active, found, DISK))


def _salvage(pair: list[LogFile], active: LogFile, notes: tuple[Note, ...]) -> Observation:
    found = scan(active.data, active.limit)
    left_out, set_notes = fileset_losses(pair)
    dropped = (*left_out, *(dropped_of(fault, active.name) for fault in found.faults))
    verdict = RECOVERED if dropped or set_notes else CLEAN
    lost = [record for file in pair if file.problem is not None for record in unanchored(file, None, DISK)]
    lost += _between(active, found, DISK)
    # What lies behind the tail is no loss: only what was given up is worth a note.
    told = (*set_notes, *notes, *map(_unanchored_note, lost))
    return _result(verdict, active, found, dropped, told, [*lost, *_behind(active, DISK)])


def fileset_losses(pair: list[LogFile]) -> tuple[tuple[Dropped, ...], tuple[Note, ...]]:
    """Return the files that cannot be used, as dropped regions, and what to say of the set."""
    dropped: list[Dropped] = []
    notes: list[Note] = []
    if len(pair) < PAIR:
        notes.append(Note("missing-file", sibling(pair[0].name)))
    elif pair[0].length != pair[1].length:
        notes.append(Note("unequal-lengths", pair[1].name))
    for file in pair:
        if file.problem is not None:
            dropped.append(Dropped(file.name, 0, file.length, file.problem[0]))
            notes.append(Note("invalid-file", file.name, None, file.problem[1]))
    return tuple(dropped), tuple(notes)


def _result(
    verdict: str,
    active: LogFile,
    found: Scan,
    dropped: tuple[Dropped, ...],
    notes: tuple[Note, ...],
    beside: Iterable[Record],
) -> Observation:
    return Observation(
        verdict,
        records=tuple(record_of(item, active.name) for item in found.records),
        dropped=dropped,
        state=outcome(found.records, active.name),
        files=(map_of(active),),
        notes=(
            *notes,
            *header_notes(active, found.records),
            *record_notes(found.records, active.name, DISK),
        ),
        unanchored=tuple(beside),
    )


def read(files: Files) -> Observation:
    """Return every record of both files and every region without one (BTM-RDR)."""
    pair = load_pair(files)
    if not pair or len(pair) > PAIR:
        problem = fileset_refusal(pair)
        assert problem is not None  # the condition above is its condition
        return problem
    usable = [file for file in pair if file.problem is None]
    if not usable:
        return _unusable_with_finds(pair)
    active, tie = elect(usable)
    pair = [active if file.name == active.name else file for file in pair]
    return _read_pair(pair, active, _election_notes(active, tie))


def _read_pair(pair: list[LogFile], active: LogFile, notes: tuple[Note, ...]) -> Observation:
    left_out, set_notes = fileset_losses(pair)
    scans = {file.name: scan(file.data, file.limit) if file.problem is None else None for file in pair}
    records: list[Record] = []
    dropped: list[Dropped] = []
    extra: list[Note] = [*set_notes, *notes]
    beside: list[Record] = []
    for file in pair:
        found = scans[file.name]
        beside += unanchored(file, found, DISK)
        if found is None:
            dropped += [region for region in left_out if region.file == file.name]
            continue
        records += [record_of(item, file.name) for item in found.records]
        dropped += [dropped_of(fault, file.name) for fault in found.faults]
        extra += header_notes(file, found.records)
        extra += record_notes(found.records, file.name, DISK)
    active_scan = scans[active.name]
    assert active_scan is not None  # the active file is a usable one
    return Observation(
        RECOVERED if dropped or set_notes else CLEAN,
        records=tuple(records),
        dropped=tuple(dropped),
        state=outcome(active_scan.records, active.name),
        files=tuple(map_of(file) for file in pair),
        notes=(*extra, *map(_unanchored_note, beside)),
        unanchored=tuple(beside),
    )


def unanchored(file: LogFile, found: Scan | None, layout: Layout) -> list[Record]:
    """Return valid records outside the log of `file`: behind the tail, or in what was dropped."""
    if found is None:
        return _found_in(file, [(0, file.length)], layout)
    return [*_between(file, found, layout), *_behind(file, layout)]


def _between(file: LogFile, found: Scan, layout: Layout) -> list[Record]:
    return _found_in(file, [(fault.off, fault.end) for fault in found.faults], layout)


def _behind(file: LogFile, layout: Layout) -> list[Record]:
    return _found_in(file, [(file.limit, file.length)], layout)


def _found_in(file: LogFile, regions: Iterable[tuple[int, int]], layout: Layout) -> list[Record]:
    return [
        record_of(item, file.name) for start, end in regions for item in search(file.data, start, end, layout)
    ]


def _unanchored_note(record: Record) -> Note:
    return Note("unanchored", record.at.file, record.at.off)
