"""What must hold after a fault, from the plan and the bytes that changed.

The judge knows where every record stands because the plan put it there. It
parses nothing: that leaves open only what the format itself leaves open, and
says so in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from journalspec.observation import Record
from journalspec_corpus.bitronix_tlog.drawn_plan import (
    LOG_START,
    NIO_LOG_START,
    NIO_NAME,
    PAIR_NAMES,
    SEED_NAME,
    NioPlan,
    PairPlan,
    SeedPlan,
    elected,
    lay_out,
)
from journalspec_corpus.bitronix_tlog.layout import FORMAT_ID
from journalspec_corpus.drawn import DrawnJournal, Judgement, differing

GTRID_LENGTH_AT = 28
QUESTION = ord("?")
NIO_HEADER_USED = 442
NIO_DELIMITERS = range(406, 438)

GHOST = "records of the file's previous life stand where records are expected; nothing tells them apart"
SHORTER = "the log ends at a record boundary; nothing says that it was longer"
BLIND = "the checksum does not cover the bytes that changed (gtridLength, or name bytes that count as '?')"
ELECTION = "the header has no checksum, and its timestamp alone elects the active file"
UNSEEN_LAP = "without a tail pointer, a frame lost at the end of a lap is as one never written"


class Bounds(NamedTuple):
    """Where a log starts, where it ended before the fault, and where it ends now."""

    start: int
    tail: int
    new_tail: int


def judge(journal: DrawnJournal, files: Mapping[str, bytes]) -> Judgement:
    """Return what must hold of `files`, which differ from the journal's by a single fault."""
    if dict(files) == dict(journal.files):
        return Judgement("same", journal.recovered)
    if isinstance(journal.plan, PairPlan):
        return _judge_pair(journal, journal.plan, files)
    if isinstance(journal.plan, SeedPlan):
        return _judge_seed(journal, files[SEED_NAME])
    assert isinstance(journal.plan, NioPlan)  # the three kinds of plan
    return _judge_nio(journal, journal.plan, files[NIO_NAME])


def _judge_pair(journal: DrawnJournal, plan: PairPlan, files: Mapping[str, bytes]) -> Judgement:
    (name,) = (name for name in PAIR_NAMES if files[name] != journal.files[name])
    active = PAIR_NAMES[elected([file.timestamp for file in plan.files])]
    old, new = journal.files[name], files[name]
    position = int.from_bytes(new[13:21], "big", signed=True)
    usable = len(new) >= LOG_START and new[:4].hex() == FORMAT_ID and LOG_START <= position <= len(new)
    if len(new) != len(old):
        # Lengths differ, which strict recovery never takes; salvage looks at the file itself.
        return Judgement("refused", journal.recovered if usable or name != active else ())
    if not usable:
        return Judgement("refused", () if name == active else journal.recovered)
    stamps = [int.from_bytes(files[each][4:12], "big", signed=True) for each in PAIR_NAMES]
    if PAIR_NAMES[elected(stamps)] != active:
        return Judgement("open", (), ELECTION)
    if name != active:
        return Judgement("same", journal.recovered)
    old_tail = (
        journal.recovered[-1].at.off + journal.recovered[-1].at.length if journal.recovered else LOG_START
    )
    return _judge_log(journal.recovered, old, new, (LOG_START, old_tail, position), _ghosts(plan, name))


def _judge_seed(journal: DrawnJournal, new: bytes) -> Judgement:
    old = journal.files[SEED_NAME]
    assert isinstance(journal.plan, SeedPlan)  # the caller looked
    before = lay_out(replace(journal.plan, entries=journal.plan.previous, previous=()))
    ghosts = _slices(before, SEED_NAME)
    return _judge_log(journal.recovered, old[: len(new)], new, Bounds(0, len(old), len(new)), ghosts)


def _ghosts(plan: PairPlan, name: str) -> dict[int, bytes]:
    """Return the records of the file's previous life: where each began, and its bytes."""
    file = plan.files[PAIR_NAMES.index(name)]
    bare = replace(file, entries=file.previous, previous=())
    return _slices(lay_out(PairPlan(plan.edition, (bare, bare), 1)), name)


def _slices(journal: DrawnJournal, name: str) -> dict[int, bytes]:
    content = journal.files[name]
    places = (record.at for record in journal.records if record.at.file == name)
    return {at.off: content[at.off : at.off + at.length] for at in places}


def _judge_log(
    records: Sequence[Record],
    old: bytes,
    new: bytes,
    bounds: tuple[int, int, int],
    ghosts: Mapping[int, bytes],
) -> Judgement:
    """Judge one log by its changed bytes."""
    start, tail, new_tail = bounds
    changed = [off for off in differing(old, new) if start <= off < min(tail, new_tail)]
    damaged = _damaged(records, changed)
    inside = tuple(record for record in records if record.at.off + record.at.length <= new_tail)
    if damaged:
        first = min(damaged)
        ghost = ghosts.get(records[first].at.off)
        if ghost is not None and new.startswith(ghost, records[first].at.off):
            return Judgement("open", inside[:first], GHOST)
        if first < len(inside):
            if _is_blind(records[first], old, new):
                return Judgement("open", inside[:first], BLIND)
            return Judgement("refused", _survivors(records, damaged, old, new, new_tail))
    if new_tail == tail:
        return Judgement("same", inside)
    if new_tail > tail:
        why = GHOST if tail in ghosts else ""
        return Judgement("open" if why else "refused", inside, why)
    ends = {start, *(record.at.off + record.at.length for record in records)}
    if new_tail in ends:
        return Judgement("open", inside, SHORTER)
    return Judgement("refused", inside)


def _damaged(records: Sequence[Record], changed: Sequence[int]) -> set[int]:
    """Return the indices of the records that hold a changed byte; both sequences ascend."""
    found: set[int] = set()
    index = 0
    for off in changed:
        while index < len(records) and records[index].at.off + records[index].at.length <= off:
            index += 1
        if index < len(records) and records[index].at.off <= off:
            found.add(index)
    return found


def _is_blind(record: Record, old: bytes, new: bytes) -> bool:
    """Tell whether all changes in `record` are ones that its checksum cannot see."""
    at = record.at
    span = slice(at.off, at.off + at.length)
    for off, (was, now) in enumerate(zip(old[span], new[span], strict=True)):
        if was == now or off == GTRID_LENGTH_AT:
            continue
        # A name byte above 0x7F counts as a question mark.
        if was != QUESTION or now <= 0x7F:  # the last ASCII code
            return False
    return True


def _survivors(
    records: Sequence[Record], damaged: set[int], old: bytes, new: bytes, tail: int
) -> tuple[Record, ...]:
    """Return the records that salvage still reaches: it steps over a record that keeps its frame."""
    kept = []
    for index, record in enumerate(records):
        at = record.at
        if at.off + at.length > tail:
            break
        if index not in damaged:
            kept.append(record)
            continue
        frame = (slice(at.off + 4, at.off + 8), slice(at.off + at.length - 4, at.off + at.length))
        if any(old[part] != new[part] for part in frame):
            break
    return tuple(kept)


def _judge_nio(journal: DrawnJournal, plan: NioPlan, new: bytes) -> Judgement:
    old = journal.files[NIO_NAME]
    shared = min(len(old), len(new))
    changed = differing(old[:shared], new[:shared])
    if len(new) < NIO_HEADER_USED:
        return Judgement("refused", ())
    if any(off < NIO_HEADER_USED and off not in NIO_DELIMITERS for off in changed):
        return Judgement("refused", ())
    if any(off in NIO_DELIMITERS for off in changed):
        return Judgement("open", (), "a delimiter in the header says whose frames count, and has no checksum")
    damaged = _damaged(journal.recovered, changed)
    intact = tuple(
        record
        for index, record in enumerate(journal.recovered)
        if index not in damaged and record.at.off + record.at.length <= len(new)
    )
    in_log = [off for off in changed if off >= NIO_LOG_START]
    if len(new) == len(old) and not in_log:
        return Judgement("same", intact)
    last = len(plan.current) - 1
    if len(new) == len(old) and any(index < last for index in damaged) and _last_is_whole(damaged, last):
        return Judgement("refused", intact)
    return Judgement("open", intact, UNSEEN_LAP)


def _last_is_whole(damaged: set[int], last: int) -> bool:
    """Tell whether the lap's last frame stands, so that what is missing before it is seen."""
    return last >= 0 and last not in damaged
