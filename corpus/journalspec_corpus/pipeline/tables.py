"""The counts in a manifest, one set per class, because a number over several classes is meaningless.

Each state is kept only once. A state that two orders of writes leave is kept only for the first of them. A
failure in it still counts against both writers, each under the strongest preset that leaves the state.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from journalspec_corpus.crash.trace import PRESETS, STRATA, rank
from journalspec_corpus.crash.verdict import VERDICTS

VERDICT = "verdict_"


class Labels(NamedTuple):
    """The labels of states that are counted together; `acknowledged` is true if any record is
    acknowledged.
    """

    stratum: str
    writer: str
    edition: str
    category: str
    background: str
    field: str
    acknowledged: bool
    preset: str
    refusal: str
    #: One element for each reader.
    verdicts: tuple[str, ...]


Counts = Counter[Labels]


class Reached(NamedTuple):
    """Represents a writer that reaches a state, and a reader that fails in it.

    Without a reader, the state was checked.
    """

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
    # Two entries of a dictionary may have the same text.
    out: Counts = Counter()
    for *labels, count in zip(*columns, strict=True):
        out[Labels._make([*labels[:plain], tuple(labels[plain:])])] += count
    return out


#: The class whose presets give guarantees.
HONEST = "R"
#: The invariants that must hold for a writer to be safe.
SAFETY = ("I1", "I2", "I3", "I4", "I5")


def tabulate(
    seen: Counts,
    reached: Iterable[Reached],
    readers: tuple[str, ...],
    strict: str,
) -> dict[str, Any]:
    """Return the tables of each class that has states.

    `seen` counts distinct states, `reached` counts by writer (a state that two writers leave is counted once
    in `seen`, and for both in `reached`). `strict` is the reader that decides under which presets a writer is
    safe.
    """
    out: dict[str, Any] = {}
    for stratum in STRATA:
        counts: Counts = Counter({label: count for label, count in seen.items() if label.stratum == stratum})
        if not counts:
            continue
        own = [row for row in reached if row.stratum == stratum]
        tables = out[stratum] = _tables(counts, readers)
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
    """Return each kind of failure with the strongest guarantee under which it still occurs."""
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
    """For each writer, return the weakest preset up to which nothing breaks :data:`SAFETY`.

    ``fails_under`` is the strongest preset with a failure. ``weakest`` is the weakest checked preset that is
    stronger than ``fails_under``; None if there is none. ``besides`` lists the other broken invariants, each
    with the strongest preset that breaks it.
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
