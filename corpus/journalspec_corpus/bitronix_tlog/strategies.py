"""Hypothesis strategies for Bitronix logs: plans."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from journalspec_corpus.bitronix_tlog.drawn_plan import (
    Entry,
    FilePlan,
    Plan,
    lay_out,
)
from journalspec_corpus.drawn import DrawnJournal

__all__ = ["entries", "journals", "plans"]

#: Commits and their ends first: they are what recovery is about.
COMMON_STATUSES = (8, 3, 7, 2, 4, 9, 5, 0, 1)
RARE_STATUSES = (6, -1, 10, 255, 2**31 - 1, -(2**31))
COMMON_NAMES = (b"db1", b"jms1", b"zz")
MAX_ENTRIES, MAX_PREVIOUS = 6, 3
INT64 = st.integers(-(2**63), 2**63 - 1)
#: Times as writers have them: milliseconds since 1970, or since the machine started.
TIMES = st.sampled_from((1, 2654004, 1795213534333)) | INT64
SEQUENCES = st.integers(1, 1000) | st.integers(-(2**31), 2**31 - 1)
STATUSES = st.sampled_from(COMMON_STATUSES) | st.sampled_from(COMMON_STATUSES + RARE_STATUSES)
#: Few transactions, so that their records meet.
GTRIDS = st.tuples(
    st.binary(min_size=1, max_size=24), st.binary(min_size=1, max_size=127), st.just(bytes(range(1, 17)))
)
ODD_NAMES = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=40)
NAMES = st.lists(
    st.sampled_from(COMMON_NAMES) | ODD_NAMES.map(lambda text: text.encode("ascii")), max_size=4, unique=True
)
#: Stands for the gtrid: which of the three of GTRIDS.
WHICH = st.sampled_from((b"\0", b"\1", b"\2"))
DISK_ENTRY = st.builds(Entry, STATUSES, WHICH, NAMES.map(sorted).map(tuple), TIMES, SEQUENCES)
NIO_ENTRY = st.builds(
    Entry,
    STATUSES,
    WHICH,
    NAMES.map(tuple),
    TIMES,
    SEQUENCES | INT64,
    st.booleans(),
    st.sampled_from((0, 0, 6)),
)
FILLS = st.sampled_from((0, 0x20))
DELIMITERS = st.lists(st.binary(min_size=16, max_size=16), min_size=2, max_size=2, unique=True)
TIMESTAMPS = st.integers(1, 10**7) | st.integers(10**12, 2 * 10**12)
STATES = st.sampled_from((0, 255))


def entries(edition: str, at_most: int = MAX_ENTRIES) -> st.SearchStrategy[tuple[Entry, ...]]:
    """Return a strategy for what a writer was asked to log."""
    entry = NIO_ENTRY if edition == "nio" else DISK_ENTRY
    return st.builds(
        lambda gtrids, drawn: tuple(replace(item, gtrid=gtrids[item.gtrid[0]]) for item in drawn),
        GTRIDS,
        st.lists(entry, max_size=at_most),
    )


ENTRIES = {edition: entries(edition) for edition in ("disk", "nio")}
PREVIOUS = {edition: st.just(()) | entries(edition, MAX_PREVIOUS) for edition in ("disk", "nio")}


@st.composite
def plans(draw: st.DrawFn, edition: str) -> Plan:
    """Draw a plan of `edition`."""
    if edition == "seed":
        return Plan("seed", (FilePlan(draw(ENTRIES["disk"]), draw(PREVIOUS["disk"])),))
    if edition == "nio":
        first, second = draw(DELIMITERS)
        file = FilePlan(draw(ENTRIES["nio"]), draw(ENTRIES["nio"]))
        return Plan("nio", (file,), draw(st.integers(0, 600)), draw(FILLS), (first, second))
    one, two = (_file_plan(draw) for _ in range(2))
    if one.timestamp == two.timestamp:
        # A writer never leaves a tie: the file that became active last is newer.
        two = replace(two, timestamp=one.timestamp + 1)
    # Edition 2.1 never fills a file to its last byte, 3.0 may.
    return Plan(edition, (one, two), slack=draw(st.integers(1 if edition == "2.1" else 0, 600)))


def _file_plan(draw: st.DrawFn) -> FilePlan:
    return FilePlan(draw(ENTRIES["disk"]), draw(PREVIOUS["disk"]), draw(TIMESTAMPS), draw(STATES))


def journals(edition: str) -> st.SearchStrategy[DrawnJournal]:
    """Return a strategy for valid journals of `edition`."""
    return plans(edition).map(lay_out)
