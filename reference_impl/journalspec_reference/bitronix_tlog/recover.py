"""Reading a pair of log files, and the recovery that follows from it.

Numbered steps of the spec's recovery chapter are named in the functions that
do them. Nothing here changes a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from journalspec.observation import (
    CLEAN,
    RECOVERED,
    At,
    Dropped,
    Note,
    Observation,
    Record,
    note_place,
    record_place,
    refused,
    region_place,
)
from journalspec.reread import joined, mapped
from journalspec_reference.api import Files
from journalspec_reference.bitronix_tlog.log import Log, anywhere, behind
from journalspec_reference.bitronix_tlog.observe import map_of, unanchored_note
from journalspec_reference.bitronix_tlog.pair import PAIR, LogFile, elect, load_pair, sibling


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
        unanchored=anywhere(pair),
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
    log = Log(active, active.limit, strict=True)
    if log.fault is not None:
        item = log.fault
        phase = "checksum" if item.reason == "bad-checksum" else "record"
        text = f"{active.name}: no valid record at {item.off}: {item.detail}"
        return refused(phase, item.reason, text, At(active.name, item.off, item.end - item.off), notes=notes)
    return _result(CLEAN, active, log, (), notes, behind(active))


def _salvage(pair: list[LogFile], active: LogFile, notes: tuple[Note, ...]) -> Observation:
    log = Log(active, active.limit)
    left_out, set_notes = fileset_losses(pair)
    dropped = joined(region_place, left_out, log.dropped)
    verdict = RECOVERED if dropped or set_notes else CLEAN
    lost = joined(record_place, anywhere(file for file in pair if file.problem is not None), log.between)
    # What lies behind the tail is no loss: only what was given up is worth a note.
    told = joined(note_place, set_notes, notes, mapped(unanchored_note, lost))
    return _result(verdict, active, log, dropped, told, joined(record_place, lost, behind(active)))


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
    log: Log,
    dropped: Sequence[Dropped],
    notes: Sequence[Note],
    beside: Sequence[Record],
) -> Observation:
    return Observation(
        verdict,
        records=log.records,
        dropped=dropped,
        state=log.state,
        files=(map_of(active),),
        notes=joined(note_place, notes, log.notes),
        unanchored=beside,
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
    logs = {file.name: Log(file, file.limit) for file in pair if file.problem is None}
    records: list[Sequence[Record]] = []
    dropped: list[Sequence[Dropped]] = []
    extra: list[Sequence[Note]] = [set_notes, notes]
    beside: list[Sequence[Record]] = []
    for file in pair:
        if file.name not in logs:
            beside.append(anywhere([file]))
            dropped.append([region for region in left_out if region.file == file.name])
            continue
        log = logs[file.name]
        beside += [log.between, behind(file)]
        records.append(log.records)
        dropped.append(log.dropped)
        extra.append(log.notes)
    unanchored = joined(record_place, *beside)
    return Observation(
        RECOVERED if any(map(len, dropped)) or set_notes else CLEAN,
        records=joined(record_place, *records),
        dropped=joined(region_place, *dropped),
        state=logs[active.name].state,
        files=tuple(map_of(file) for file in pair),
        notes=joined(note_place, *extra, mapped(unanchored_note, unanchored)),
        unanchored=unanchored,
    )
