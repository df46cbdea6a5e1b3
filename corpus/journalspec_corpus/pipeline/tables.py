"""The counted tables of a manifest, one set per stratum: a number over several strata says nothing.

Each state is kept only once. A state that two orders of writes leave is kept for the first
of them, and what it says is true of both: a failure counts against every writer that can
leave it, under the strongest preset that does.

Small spaces are enumerated and large ones sampled, so a number below its target
means one of two things: there are no more states of that kind in the traces of
the plan, or nobody looked at them. Reports say which.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.losses import EXHAUSTIVE, cuts_of
from journalspec_corpus.crash.persistence import PRESETS, REACHABLE, STRATA, rank
from journalspec_corpus.crash.verdict import CATEGORIES, CODES, VERDICTS

VERDICT = "verdict_"


class Labels(NamedTuple):
    """What states have in common that are counted together; `acknowledged` is whether anything is."""

    stratum: str
    writer: str
    edition: str
    category: str
    background: str
    field: str
    acknowledged: bool
    preset: str
    refusal: str
    #: one per reader
    verdicts: tuple[str, ...]


Counts = Counter[Labels]


class Reached(NamedTuple):
    """Who reaches a state, and who fails in it; the last two are empty for "was looked at"."""

    stratum: str
    writer: str
    edition: str
    preset: str
    reader: str = ""
    verdict: str = ""


def counted(table: pa.Table) -> Counts:
    """Return how often each combination of labels occurs in `table`."""
    at = table.schema.get_field_index("acknowledged")
    table = table.set_column(at, "acknowledged", pc.greater(table["acknowledged"], 0)).unify_dictionaries()
    readers = [name for name in table.schema.names if name.startswith(VERDICT)]
    names = [*Labels._fields[:-1], *readers]
    groups = table.select(names).group_by(names).aggregate([([], "count_all")])
    columns = [groups[name].to_pylist() for name in (*names, "count_all")]
    plain = len(names) - len(readers)
    # Two entries of a dictionary may be one text.
    out: Counts = Counter()
    for *labels, count in zip(*columns, strict=True):
        out[Labels._make([*labels[:plain], tuple(labels[plain:])])] += count
    return out


def reached(seen: Counts, readers: tuple[str, ...]) -> set[Reached]:
    """Return of counted rows which writers were looked at under which presets, and what failed."""
    out: set[Reached] = set()
    for label in seen:
        who = label.stratum, label.writer, label.edition, label.preset
        out.add(Reached(*who))
        failing = zip(readers, label.verdicts, strict=True)
        out.update(Reached(*who, reader, verdict) for reader, verdict in failing if VERDICTS[verdict])
    return out


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
#: Presets whose states are versions that were written: all combinations of them are enumerated.
_PLAIN = np.asarray([preset.plain for preset in PRESETS])


def sampled(states: States, category: npt.NDArray[np.uint8]) -> set[str]:
    """Return the categories of those `states` beside which there are others that nobody looked at."""
    point = states.point
    if states.stratum != REACHABLE:
        return {CATEGORIES[code] for code in np.unique(category).tolist()}
    if states.torn >= 0:
        partial = np.full(len(states), not cuts_of(point.trace, states.torn).all())
    else:
        written = prod(sum(level >= 0 for level in block.levels) for block in point.blocks)
        partial = ~_PLAIN[states.preset] | (written > EXHAUSTIVE)
    if point.trace.life > 1:
        partial[:] = True
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


#: The stratum whose presets are guarantees.
HONEST = "R"
#: What has to hold in a state for its format to be safe there.
SAFETY = ("I1", "I2", "I3", "I4", "I5")


def tabulate(
    seen: Counts,
    reached: Iterable[Reached],
    sampled: Collection[str],
    readers: tuple[str, ...],
    strict: str,
) -> dict[str, Any]:
    """Return the tables of each stratum that has states.

    `seen` counts distinct states, `reached` says who reaches them (a state that
    two writers leave is counted once and held against both), `sampled` names the
    categories that were not enumerated whole. `strict` is the reader that decides
    under which presets a writer is safe.
    """
    out: dict[str, Any] = {}
    for stratum in STRATA:
        counts: Counts = Counter({label: count for label, count in seen.items() if label.stratum == stratum})
        if not counts:
            continue
        own = [row for row in reached if row.stratum == stratum]
        tables = out[stratum] = _tables(counts, readers)
        tables["targets"] = compared(stratum, Counter(tables["categories"]), sampled)
        tables["failures"] = _failures(counts, readers, own)
        if stratum == HONEST:
            tables["safe_under"] = _safe_under(own, strict)
    return out


def _tables(seen: Counts, readers: tuple[str, ...]) -> dict[str, Any]:
    classes, categories, presets, refusals = (Counter[str]() for _ in range(4))
    verdicts: dict[str, dict[str, Counter[str]]] = {name: defaultdict(Counter) for name in readers}
    for label, count in seen.items():
        categories[label.category] += count
        presets[label.preset] += count
        refusals[label.refusal] += count
        acknowledged = "acked" if label.acknowledged else "fresh"
        classes["/".join((label.category, label.background, label.field or "-", acknowledged))] += count
        for reader, verdict in zip(readers, label.verdicts, strict=True):
            verdicts[reader][label.writer][verdict] += count
    return {
        "distinct": sum(seen.values()),
        "classes": dict(sorted(classes.items())),
        "categories": dict(sorted(categories.items())),
        "presets": {preset.name: presets[preset.name] for preset in PRESETS},
        "refusals": dict(sorted(refusals.items())),
        "verdicts": {
            reader: {writer: dict(sorted(of.items())) for writer, of in sorted(by.items())}
            for reader, by in verdicts.items()
        },
    }


def _failures(seen: Counts, readers: tuple[str, ...], reached: Iterable[Reached]) -> list[dict[str, Any]]:
    """Return each kind of failure with the strongest guarantee under which it still happens."""
    presets: dict[tuple[str, ...], set[str]] = defaultdict(set)
    states: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for row in reached:
        if row.verdict:
            presets[row.writer, row.edition, row.reader, row.verdict].add(row.preset)
    for label, count in seen.items():
        for reader, verdict in zip(readers, label.verdicts, strict=True):
            states[label.writer, label.edition, reader, verdict][label.preset] += count
    return [
        {
            "writer": kind[0],
            "edition": kind[1],
            "reader": kind[2],
            "verdict": kind[3],
            "breaks": list(VERDICTS[kind[3]]),
            "strongest_preset": min(presets[kind], key=rank),
            "states": {name: states[kind][name] for name in sorted(states[kind], key=rank)},
        }
        for kind in sorted(presets)
    ]


def _safe_under(reached: Iterable[Reached], strict: str) -> list[dict[str, Any]]:
    """Return for each writer the weakest preset up to which nothing breaks :data:`SAFETY`.

    ``weakest`` is the weakest preset looked at that is still stronger than
    ``fails_under``, the strongest one with a failure; None if there is no such preset.
    ``besides`` are the other invariants that break, with the strongest preset of each.
    """
    looked: dict[tuple[str, str], set[str]] = defaultdict(set)
    broken: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in reached:
        who = row.writer, row.edition
        looked[who].add(row.preset)
        for invariant in VERDICTS[row.verdict] if row.reader == strict else ():
            strongest = broken[who].get(invariant, row.preset)
            broken[who][invariant] = min(row.preset, strongest, key=rank)
    out = []
    for who in sorted(looked):
        bad = broken[who]
        first = min((bad[name] for name in SAFETY if name in bad), key=rank, default=None)
        good = [name for name in looked[who] if first is None or rank(name) < rank(first)]
        out.append(
            {
                "writer": who[0],
                "edition": who[1],
                "reader": strict,
                "weakest": max(good, key=rank, default=None),
                "fails_under": first,
                "breaks": [name for name in SAFETY if bad.get(name) == first] if first else [],
                "besides": {name: bad[name] for name in sorted(bad) if name not in SAFETY},
            }
        )
    return out
