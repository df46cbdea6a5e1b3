"""Hypothesis strategies for Bitronix logs: plans, and what must hold after a fault."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from journalspec_corpus.bitronix_tlog.drawn_plan import (
    Entry,
    FilePlan,
    NioPlan,
    PairPlan,
    Plan,
    SeedPlan,
    lay_out,
)
from journalspec_corpus.bitronix_tlog.judge import judge
from journalspec_corpus.drawn import DrawnJournal

__all__ = ["entries", "journals", "judge", "plans"]

#: Commits and their ends first: they are what recovery is about.
STATUSES = (8, 3, 7, 2, 4, 9, 5, 0, 1, 6, -1, 10, 255, 2**31 - 1, -(2**31))
COMMON_NAMES = (b"db1", b"jms1", b"zz")
MAX_ENTRIES = 6
INT64 = st.integers(-(2**63), 2**63 - 1)
INT32 = st.integers(-(2**31), 2**31 - 1)
#: Times as writers have them: milliseconds since 1970, or since the machine started.
TIMES = st.integers(1, 10**7) | st.integers(10**12, 2 * 10**12) | INT64


def _names(*, ordered: bool) -> st.SearchStrategy[tuple[bytes, ...]]:
    odd = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=40)
    name = st.sampled_from(COMMON_NAMES) | odd.map(lambda text: text.encode("ascii"))
    several = st.lists(name, max_size=4, unique=True)
    return several.map(lambda names: tuple(sorted(names) if ordered else names))


@st.composite
def entries(draw: st.DrawFn, edition: str) -> tuple[Entry, ...]:
    """Draw what a writer was asked to log: few transactions, so that their records meet."""
    gtrid = st.binary(min_size=1, max_size=24) | st.binary(min_size=1, max_size=127)
    gtrids = draw(st.lists(gtrid, min_size=1, max_size=3))
    nio = edition == "nio"
    entry = st.builds(
        Entry,
        status=st.sampled_from(STATUSES[:9]) | st.sampled_from(STATUSES) | INT32,
        gtrid=st.sampled_from(gtrids),
        names=_names(ordered=not nio),
        time=TIMES,
        seq=INT64 if nio else st.integers(1, 1000) | INT32,
        rolled_over=st.booleans() if nio else st.just(False),
        padding=st.sampled_from((0, 0, 6)) if nio else st.just(0),
    )
    return tuple(draw(st.lists(entry, max_size=MAX_ENTRIES)))


@st.composite
def plans(draw: st.DrawFn, edition: str) -> Plan:
    """Draw a plan of `edition`."""
    if edition == "seed":
        return SeedPlan(draw(entries(edition)), draw(entries(edition)))
    if edition == "nio":
        delimiters = draw(st.lists(st.binary(min_size=16, max_size=16), min_size=2, max_size=2, unique=True))
        return NioPlan(
            draw(entries(edition)),
            draw(entries(edition)),
            (delimiters[0], delimiters[1]),
            slack=draw(st.integers(0, 600)),
            fill=draw(st.sampled_from((0, 0x20))),
        )
    files = [_file_plan(draw, edition) for _ in range(2)]
    if files[0].timestamp == files[1].timestamp:
        # A writer never leaves a tie: the file that became active last is newer.
        files[1] = replace(files[1], timestamp=files[0].timestamp + 1)
    # Edition 2.1 never fills a file to its last byte, 3.0 may.
    return PairPlan(edition, (files[0], files[1]), slack=draw(st.integers(1 if edition == "2.1" else 0, 600)))


def _file_plan(draw: st.DrawFn, edition: str) -> FilePlan:
    return FilePlan(
        draw(entries(edition)),
        draw(st.just(()) | entries(edition)),
        timestamp=draw(st.integers(1, 10**7) | st.integers(10**12, 2 * 10**12)),
        state=draw(st.sampled_from((0, 255))),
    )


def journals(edition: str) -> st.SearchStrategy[DrawnJournal]:
    """Return a strategy for valid journals of `edition`."""
    return plans(edition).map(lay_out)
