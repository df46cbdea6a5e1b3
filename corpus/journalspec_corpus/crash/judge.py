"""What a reader answered, held against what it owed: the standard verdicts.

A verdict says which invariants are broken; :mod:`.invariants` says what these are,
and where those are looked at that no verdict is about.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from journalspec_corpus.crash.model import CORRUPTED
from journalspec_corpus.crash.oracle import ALLOWED, FORBIDDEN, REQUIRED, Owed
from journalspec_corpus.crash.trace import SECOND_LIFE

#: verdict -> the invariants that it breaks (in the order in which they are looked for)
VERDICTS: Mapping[str, tuple[str, ...]] = {
    "pass": (),
    "acceptable": (),
    "refused": ("I1",),
    "torn-accepted": ("I2", "I5"),
    "resurrected": ("I4",),
    "lost": ("I1",),
    "hole": ("I3",),
    "silent": ("I8",),
    "append-lost": ("I9",),
    "non-idempotent": ("I6",),
}
#: verdict -> what it means
MEANINGS: Mapping[str, str] = {
    "pass": "everything owed is there, and nothing else is",
    "acceptable": "refused, and the state allows or demands that",
    "refused": "refused a state in which nothing is damaged",
    "torn-accepted": "a record that nobody ever wrote came out",
    "resurrected": "a record of the file's earlier life came out",
    "lost": "an acknowledged record is not in effect",
    "hole": "a record is missing between two that came out",
    "silent": "damage inside the log went unreported; after corruption: so did the loss of a record",
    "append-lost": "a record acknowledged after a first crash is not in effect",
    "non-idempotent": "recovery had found an acknowledged record, and lost it",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What one reader said about one state: keys of the records in effect, or a refusal.

    `reported` tells whether it said that something was left out. `aside` are the
    keys of records that it lists although they are not in effect (those of an
    unfinished transaction, say): nobody relies on them, but somebody must have
    written them.
    """

    keys: tuple[str, ...]
    refused: str | None = None
    reported: bool = False
    aside: tuple[str, ...] = ()


def judge(answer: Answer, owed: Owed, refusal: str, *, holes_allowed: bool) -> str:
    """Return the verdict on `answer` under what is owed in this group and state.

    `refusal` is allowed, required or forbidden; `holes_allowed` is true for
    policies that may leave records out if they say so.
    """
    if answer.refused is not None:
        return "refused" if refusal == FORBIDDEN else "acceptable"
    records = [owed.record_of.get(key) for key in answer.keys]
    beside = [owed.record_of.get(key) for key in answer.aside]
    worst = _foreign([*records, *beside], owed.must_drop)
    if worst is not None:
        return worst
    present = [record for record in records if record is not None]
    missing = owed.must_keep.difference(present)
    if missing and owed.stratum != CORRUPTED:
        return _lost(missing, owed)
    if not holes_allowed and _has_hole(present, owed):
        return "hole"
    if missing and not answer.reported:
        return "silent"
    if refusal == REQUIRED and not answer.reported:
        return "silent"
    return "pass"


def _foreign(records: Sequence[str | None], must_drop: Collection[str]) -> str | None:
    if None in records:
        return "torn-accepted"
    if any(record in must_drop for record in records):
        return "resurrected"
    return None


def _lost(missing: Collection[str], owed: Owed) -> str:
    """Return which kind of loss it is: of this life first, for what an old life lost it has lost too."""
    if owed.life > 1 and any(record.startswith(SECOND_LIFE) for record in missing):
        return "append-lost"
    return "non-idempotent" if not owed.fine.isdisjoint(missing) else "lost"


def _has_hole(present: Sequence[str], owed: Owed) -> bool:
    """Tell whether `present` is not a run from the front of the order (empty order: no rule)."""
    if owed.possible:
        present = [record for record in present if record not in owed.possible]
    return bool(owed.order) and list(present) != list(owed.order[: len(present)])


__all__ = ["ALLOWED", "CORRUPTED", "FORBIDDEN", "MEANINGS", "REQUIRED", "VERDICTS", "Answer", "judge"]
