"""The twelve invariants, under their standard names, and where each of them is looked at.

``verdict``
    By :func:`.judge.judge`, for every state and reader: a column of the build.
``metamorphic``
    By comparing answers with answers (:mod:`.metamorphic`): nothing needs to be expected.
``limits``
    By whoever runs an implementation: a time and a memory limit per case, on any bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from journalspec_corpus.crash.judge import VERDICTS

VERDICT, METAMORPHIC, LIMITS = "verdict", "metamorphic", "limits"


@dataclass(frozen=True, slots=True)
class Invariant:
    """One invariant: its usual name, what it says, where it is looked at, and in which strata.

    Strata: R (a crash leaves it), L (only a lie about a force does), C (corruption),
    H (hostile bytes, which come from cases and fuzzing).
    """

    name: str
    statement: str
    looked_at: tuple[str, ...]
    strata: str

    def verdicts(self, ident: str) -> tuple[str, ...]:
        """Return the verdicts that say that this invariant, known as `ident`, is broken."""
        return tuple(verdict for verdict, broken in VERDICTS.items() if ident in broken)


INVARIANTS: Mapping[str, Invariant] = {
    "I1": Invariant(
        "durability", "what was acknowledged, and not undone later, is recovered", (VERDICT,), "RL"
    ),
    "I2": Invariant(
        "atomicity",
        "a transaction is in effect as a whole or not at all; a prepared one is reported as in doubt",
        (VERDICT,),
        "RLC",
    ),
    "I3": Invariant(
        "prefix",
        "what is recovered is a prefix of what was issued; salvage may leave gaps, but only as its rules say",
        (VERDICT,),
        "RLC",
    ),
    "I4": Invariant(
        "no resurrection", "nothing of an earlier life, nothing rolled back, comes back", (VERDICT,), "RLC"
    ),
    "I5": Invariant(
        "no invention", "whatever is recovered was written, with the same bytes", (VERDICT,), "RLC"
    ),
    "I6": Invariant(
        "idempotence", "recovering twice gives what recovering once gives", (VERDICT, METAMORPHIC), "RLC"
    ),
    "I7": Invariant(
        "termination",
        "recovery ends, in time and memory linear in the input, whatever the input",
        (LIMITS,),
        "RLCH",
    ),
    "I8": Invariant("detection", "a loss that the crash does not explain is reported", (VERDICT,), "RLC"),
    "I9": Invariant(
        "appendability", "after recovery, new acknowledged records survive the next crash", (VERDICT,), "R"
    ),
    "I10": Invariant("determinism", "the same bytes give the same answer", (METAMORPHIC,), "RLCH"),
    "I11": Invariant(
        "monotonicity",
        "more of the writes on disk never means fewer of the records",
        (METAMORPHIC,),
        "R",
    ),
    "I12": Invariant("non-destruction", "a refusal changes nothing", (METAMORPHIC,), "RLCH"),
}
