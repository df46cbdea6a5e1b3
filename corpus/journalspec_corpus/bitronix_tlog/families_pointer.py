"""The tail pointer: ahead of the log, behind it, and nowhere in the file; and files cut short."""

from __future__ import annotations

from collections.abc import Iterator

from journalspec_corpus.bitronix_tlog.bench import (
    FIRST,
    LOG_START,
    SECOND,
    Family,
    case,
    decisions,
    first,
    former,
    pair,
    record,
    second,
)
from journalspec_corpus.bitronix_tlog.plan import Piece, unframed, whole
from journalspec_corpus.case import Case
from journalspec_corpus.edits import Built, Range

SIZE = 2048
#: Fewer bytes than these before the tail cannot even hold status and recordLength.
FRAME_HEAD = 8

AHEAD = Family(
    "tail-ahead-over-zeros",
    "R",
    "pointer-ahead",
    "three decisions and an end, 64 bytes each",
    breaks=("BTM-WRT-003", "BTM-WRT-004", "BTM-RDR-001", "BTM-REC-005", "BTM-RDR-003", "BTM-RCV-005"),
    flags=("PointerAhead",),
)
AHEAD_STALE = AHEAD.but(
    group="tail-ahead-over-stale",
    category="stale-same",
    breaks=("BTM-WRT-004", "BTM-WRT-013", "BTM-RDR-003", "BTM-RDR-012", "BTM-RDR-001"),
    flags=("PointerAhead", "StaleBytes"),
)
BEHIND = AHEAD.but(
    group="tail-behind",
    category="pointer-behind",
    breaks=("BTM-RDR-002", "BTM-RDR-003", "BTM-WRT-002", "BTM-WRT-005", "BTM-RDR-014"),
    flags=("PointerBehind",),
)
RANGE = AHEAD.but(
    group="tail-value",
    stratum="C",
    category="header-damage",
    breaks=("BTM-HDR-009", "BTM-HDR-010", "BTM-RCV-006"),
    flags=("HeaderDamage",),
)
CUT = AHEAD.but(
    group="cut-both",
    stratum="C",
    category="clean-truncation",
    breaks=("BTM-HDR-010", "BTM-RDR-010", "BTM-HDR-005", "BTM-RCV-007"),
    flags=("CutFile",),
)
CUT_ONE = CUT.but(
    group="cut-first",
    breaks=("BTM-FIL-002", "BTM-FIL-006", "BTM-FIL-007", "BTM-HDR-010", "BTM-RDR-010"),
)


def journal() -> Built:
    """Return decisions on g1, g2, the end of g1, a decision on g3; 64 bytes each, zeros behind."""
    records = [
        record(1),
        record(2),
        record(3, "COMMITTED", gtrid="g1", seq=101),
        record(4, gtrid="g3", seq=3),
    ]
    return pair(records, SIZE)


def pieces_to(built: Built, tail: int, behind: Built | None = None) -> tuple[Piece, ...]:
    """Return what stands before `tail`: whole records, and what the tail cuts or covers in excess.

    Behind the log there are zeros, or the records of the journal `behind` at
    the same offsets.
    """
    names = [name for name in built.records if built.labels[name].end <= tail]
    found = list(whole(built, *names))
    at = built.labels[names[-1]].end if names else LOG_START
    if behind is not None:
        more = [
            name
            for name in behind.records
            if at <= behind.labels[name].off and behind.labels[name].end <= tail
        ]
        found += whole(behind, *more)
        at = behind.labels[more[-1]].end if more else at
    if at < tail:
        cuts_a_record = at < built.labels["f1.log"].end or behind is not None
        short = tail - at < FRAME_HEAD or cuts_a_record
        found.append(unframed(Range(FIRST, at, 0), tail, "out-of-bounds" if short else "bad-length"))
    return tuple(found)


def pointers() -> Iterator[Case]:
    """Yield every family about the tail."""
    yield from _deltas()
    yield from _over_stale()
    yield from _values()
    yield from _cut()


def _with_tail(built: Built, tail: int) -> dict[str, bytes]:
    changed = built.copy()
    changed.put(changed.labels["f1.header.position"], tail.to_bytes(8, "big", signed=True))
    return changed.content()


def _deltas() -> Iterator[Case]:
    """Move the tail by -64 to +64 bytes."""
    built = journal()
    right = built.labels["f1.tail"].off
    for delta in range(-64, 65):
        if not delta:
            continue
        family, word = (AHEAD, "plus") if delta > 0 else (BEHIND, "minus")
        if delta % 64 == 0 and delta < 0:
            family = family.but(flags=("PointerBehind", "Undetectable"))
        side = "ahead of" if delta > 0 else "behind"
        yield case(
            family,
            f"{word}-{abs(delta):02d}",
            f"The tail is {abs(delta)} bytes {side} the end of the last record",
            _with_tail(built, right + delta),
            first(SIZE, pieces_to(built, right + delta)),
            second(SIZE),
            how=f"position {right} changed to {right + delta}",
        )


def _over_stale() -> Iterator[Case]:
    """Move the tail ahead over records of the previous life, which begin where the log ends."""
    built, old = journal(), pair(former(7), SIZE)
    right = built.labels["f1.tail"].off
    changed = built.copy()
    changed.files[FIRST][right:] = old.files[FIRST][right:]
    for delta in (1, 7, 8, 9, 29, 37, 60, 63, 64, 65, 71, 72, 100, 127, 128, 129, 192, 200, 235, 300):
        tail = right + delta
        exact = tail in {old.labels[name].end for name in old.records}
        past = tail > old.labels["r7"].end
        family = AHEAD_STALE.but(flags=(*AHEAD_STALE.flags, "Undetectable")) if exact else AHEAD_STALE
        pieces = pieces_to(built, tail, old)
        if past:  # behind the last old record there are zeros again
            end = old.labels["r7"].end
            reason = "bad-length" if tail - end >= FRAME_HEAD else "out-of-bounds"
            pieces = (*pieces[:-1], unframed(Range(FIRST, end, 0), tail, reason))
        yield case(
            family,
            f"plus-{delta:03d}",
            f"The tail is {delta} bytes ahead, over whole records of the file's previous life",
            _with_tail(changed, tail),
            first(SIZE, pieces),
            second(SIZE),
            how=f"previous life from {right} on; position {right} changed to {tail}",
        )


def _values() -> Iterator[Case]:
    """Put the tail to values at and beyond its range."""
    built = journal()
    right = built.labels["f1.tail"].off
    wide = (SIZE + 1, SIZE + 64, 0x7FFFFFFF, 0x80000000, right + (1 << 32), (1 << 63) - 1)
    bad = [*range(21), *wide, -1, -8, -right, -(1 << 63)]
    for value in bad:
        more = ("BTM-HDR-011",) if value == SIZE + 1 else ()
        family = RANGE.but(
            breaks=(*RANGE.breaks, *more), stratum="H" if value < 0 or value > SIZE + 64 else "C"
        )
        yield case(
            family,
            f"minus-{-value}" if value < 0 else f"at-{value}",
            f"A tail of {value} is outside the file's log area",
            _with_tail(built, value),
            first(SIZE, (), "bad-position"),
            second(SIZE),
            how=f"position {right} changed to {value}",
        )
    inside = RANGE.but(category="pointer-ahead", flags=("HeaderDamage", "PointerAhead"))
    for value in (SIZE - 1, SIZE):
        yield case(
            inside.but(
                breaks=("BTM-WRT-004", "BTM-REC-005"), obeys=("BTM-HDR-011",) if value == SIZE else ()
            ),
            f"at-{value}",
            f"A tail of {value} in a file of {SIZE} bytes: valid in itself, zeros behind the records",
            _with_tail(built, value),
            first(SIZE, pieces_to(built, value)),
            second(SIZE),
            how=f"position {right} changed to {value}",
        )
    yield case(
        inside.but(
            breaks=("BTM-RDR-002", "BTM-WRT-012"), flags=("HeaderDamage", "PointerBehind", "Undetectable")
        ),
        "at-21",
        "A tail of 21: the log is empty, whatever stands behind it",
        _with_tail(built, LOG_START),
        first(SIZE, ()),
        second(SIZE),
        how=f"position {right} changed to {LOG_START}",
    )


def _cut() -> Iterator[Case]:
    """Cut both files, or only the active one, around every boundary."""
    built = journal()
    data, other = bytes(built.files[FIRST]), bytes(built.files[SECOND])
    tail = built.labels["f1.tail"].off
    ends = [LOG_START, *(built.labels[name].end for name in built.records)]
    points = sorted({0, 1, 4, 12, 13, 300, SIZE - 1, *(end + step for end in ends for step in (-1, 0, 1))})
    for size in points:
        problem = "short-file" if size < LOG_START else "bad-position" if size < tail else ""
        one = first(size, () if problem else pieces_to(built, tail), problem)
        both = CUT if problem else CUT.but(breaks=(), obeys=("BTM-HDR-010", "BTM-FIL-009"), flags=())
        yield case(
            both,
            f"at-{size}",
            f"Both files end after {size} bytes; the tail stands at {tail}",
            {FIRST: data[:size], SECOND: other[:size]},
            one,
            second(size, "short-file" if size < LOG_START else ""),
            how=f"both files cut to {size} bytes",
        )
        yield case(
            CUT_ONE,
            f"at-{size}",
            f"The active file ends after {size} bytes, the other one is whole; the tail stands at {tail}",
            {FIRST: data[:size], SECOND: other},
            one,
            second(SIZE),
            how=f"file 1 cut to {size} bytes",
        )
    yield _uniform_cut()


def _uniform_cut() -> Case:
    """Cut a log of uniform records on a record boundary beyond the buffer of a paged reader."""
    built = pair(decisions(300), LOG_START + 300 * 64 + 1)
    size = LOG_START + 256 * 64
    return case(
        CUT.but(flags=("CutFile", "PagedReader")),
        "uniform-records-at-256",
        "300 records of 64 bytes, both files cut behind the 256th: a paged reader may read old pages again",
        {FIRST: built.files[FIRST][:size], SECOND: built.files[SECOND][:size]},
        first(size, (), "bad-position"),
        second(size),
        how=f"both files cut to {size} bytes",
    )
