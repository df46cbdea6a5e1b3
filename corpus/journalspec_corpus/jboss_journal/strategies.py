"""Hypothesis strategies for JBoss journals: plans."""

from __future__ import annotations

from hypothesis import strategies as st

from journalspec_corpus.drawn import DrawnJournal
from journalspec_corpus.jboss_journal.drawn_plan import Entry, FilePlan, Plan, kinds_of, lay_out

__all__ = ["entries", "journals", "plans"]

COUNTED = ("v2", "v2e")
VERSIONED = ("v1", "v2", "v2e")
MAX_ENTRIES, MAX_PREVIOUS, MAX_FILES = 6, 3, 3
INT64 = st.integers(-(2**63), 2**63 - 1)
#: Few ids and transactions, so that records meet.
IDS = st.integers(1, 4) | INT64
TRANSACTIONS = st.integers(7, 8) | INT64
USER_TYPES = st.integers(0, 255)
BODIES = st.binary(max_size=40)
EXTRAS = st.just(b"") | st.binary(max_size=20)
GAPS = st.sampled_from((0, 0, 0, 1, 30))
STEPS = st.integers(1, 5)
SLACKS = st.integers(0, 300)
FILLS = st.sampled_from((0x00, 0x4A, 0xFF))
ALIGNMENTS = st.sampled_from((1, 1, 8, 64))


def entries(edition: str, at_most: int = MAX_ENTRIES) -> st.SearchStrategy[tuple[Entry, ...]]:
    """Return a strategy for what a writer was asked to log."""
    entry = st.builds(
        Entry,
        st.sampled_from(kinds_of(edition)),
        TRANSACTIONS,
        IDS,
        USER_TYPES,
        BODIES,
        EXTRAS,
        st.integers(0, 127) if edition in COUNTED else st.just(0),
        GAPS,
    )
    return st.lists(entry, max_size=at_most).map(tuple)


@st.composite
def plans(draw: st.DrawFn, edition: str) -> Plan:
    """Draw a plan of `edition`: ids rise from file to file, and no life has the id of another one."""
    now, then = entries(edition), entries(edition, MAX_PREVIOUS)
    wide = draw(st.sampled_from((0, 0, 1 << 31))) if edition in VERSIONED else 0
    count = draw(st.integers(1, MAX_FILES))
    used = 0
    old = []
    for _ in range(count):
        used += draw(STEPS)
        old.append(used)
    files = []
    for index in range(count):
        used += draw(STEPS)
        files.append(FilePlan(wide + used, draw(now), old[index], draw(then)))
    return Plan(edition, tuple(files), draw(ALIGNMENTS), draw(SLACKS), draw(FILLS))


def journals(edition: str) -> st.SearchStrategy[DrawnJournal]:
    """Return a strategy for valid journals of `edition`."""
    return plans(edition).map(lay_out)
