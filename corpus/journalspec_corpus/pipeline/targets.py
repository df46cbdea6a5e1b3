"""How many states of each kind a full tier is to have, and where all there are have been looked at.

Small spaces are enumerated and large ones sampled, so a number below its target
means one of two things: there are no more states of that kind in the traces of
the plan, or nobody looked at them. Reports say which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import EXHAUSTIVE, States
from journalspec_corpus.crash.losses import cuts_of
from journalspec_corpus.crash.persistence import PRESETS, REACHABLE
from journalspec_corpus.crash.verdict import CATEGORIES, CODES

#: Codes that share a target -> distinct cases of a full tier, of one format.
TARGETS: Mapping[tuple[str, ...], int] = {
    ("R01",): 2_000,
    ("R02",): 50_000,
    ("R03",): 400_000,
    ("R04",): 300_000,
    ("R05",): 100_000,
    ("R06",): 50_000,
    ("R07",): 400_000,
    ("R08",): 400_000,
    ("R09",): 100_000,
    ("R10",): 100_000,
    ("R11",): 50_000,
    ("R12",): 200_000,
    ("R13",): 100_000,
    ("R14",): 100_000,
    ("R15",): 100_000,
    ("R16",): 300_000,
    ("R17",): 50_000,
    ("C01", "C02", "C03", "C04", "C05", "C06", "C07"): 500_000,
    ("C08", "C09"): 50_000,
}
#: Codes of states that are reported in a stratum other than their letter's.
_ELSEWHERE = {"R17": "L"}
#: Presets whose states are versions that somebody wrote: all combinations of them are counted out.
_PLAIN = np.asarray(
    [
        not preset.trash and not preset.rot and preset.fresh == "zero" and preset.metadata != "any"
        for preset in PRESETS
    ]
)


def sampled(states: States, category: npt.NDArray[np.uint8]) -> set[str]:
    """Return the categories of those `states` beside which there are others that nobody looked at."""
    point = states.point
    if states.stratum != REACHABLE or point.trace.life > 1:
        partial = np.ones(len(states), bool)
    elif states.torn >= 0:
        partial = np.full(len(states), not cuts_of(point.trace, states.torn).all())
    else:
        written = prod(sum(level >= 0 for level in block.levels) for block in point.blocks)
        partial = ~_PLAIN[states.preset] | (written > EXHAUSTIVE)
    return {CATEGORIES[code] for code in np.unique(category[partial]).tolist()}


def compared(stratum: str, reached: Counter[str], partial: Collection[str]) -> list[dict[str, Any]]:
    """Return what a stratum has of each target that it is meant for."""
    out = []
    for codes, target in TARGETS.items():
        if _ELSEWHERE.get(codes[0], codes[0][0]) != stratum:
            continue
        names = [name for name, code in CODES.items() if code in codes]
        found = {name: reached[name] for name in names if reached[name]}
        out.append(
            {
                "codes": list(codes),
                "categories": found,
                "reached": sum(found.values()),
                "target": target,
                "complete": stratum == REACHABLE and not any(name in partial for name in names),
            }
        )
    return out
