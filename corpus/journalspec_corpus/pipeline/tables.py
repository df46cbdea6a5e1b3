"""The counted tables of a manifest, one set per stratum: a number over several strata says nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from journalspec_corpus.crash.persistence import PRESETS, rank
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline.counting import LABELS, Counts
from journalspec_corpus.pipeline.manifest import STRATA
from journalspec_corpus.pipeline.reach import Reached
from journalspec_corpus.pipeline.targets import compared

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
    known = sorted(set(reached))
    by_stratum: dict[str, Counts] = {}
    for labels, count in seen.items():
        by_stratum.setdefault(labels[0], Counter())[labels] += count
    out: dict[str, Any] = {}
    for stratum in STRATA:
        if stratum in by_stratum:
            own = [row for row in known if row[0] == stratum]
            tables = out[stratum] = _tables(by_stratum[stratum], readers)
            tables["targets"] = compared(stratum, Counter(tables["categories"]), sampled)
            out[stratum]["failures"] = _failures(by_stratum[stratum], readers, own)
            if stratum == HONEST:
                out[stratum]["safe_under"] = _safe_under(own, strict)
    return out


def _tables(seen: Counts, readers: tuple[str, ...]) -> dict[str, Any]:
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("categories", "presets", "refusals")}
    classes: Counter[str] = Counter()
    verdicts: dict[str, dict[str, Counter[str]]] = {name: {} for name in readers}
    for labels, count in seen.items():
        label = dict(zip(LABELS, labels, strict=False))
        counts["categories"][label["category"]] += count
        counts["presets"][label["preset"]] += count
        counts["refusals"][label["refusal"]] += count
        acknowledged = "acked" if label["acknowledged"] else "fresh"
        parts = (label["category"], label["background"], label["field"] or "-", acknowledged)
        classes["/".join(parts)] += count
        for reader, verdict in zip(readers, labels[len(LABELS) :], strict=True):
            verdicts[reader].setdefault(label["writer"], Counter())[verdict] += count
    return {
        "distinct": sum(seen.values()),
        "classes": dict(sorted(classes.items())),
        "categories": dict(sorted(counts["categories"].items())),
        "presets": {preset.name: counts["presets"][preset.name] for preset in PRESETS},
        "refusals": dict(sorted(counts["refusals"].items())),
        "verdicts": {
            reader: {writer: dict(sorted(of.items())) for writer, of in sorted(by.items())}
            for reader, by in verdicts.items()
        },
    }


def _failures(seen: Counts, readers: tuple[str, ...], reached: list[Reached]) -> list[dict[str, Any]]:
    """Return each kind of failure with the strongest guarantee under which it still happens."""
    states: dict[tuple[str, str, str, str], Counter[str]] = {}
    strongest: dict[tuple[str, str, str, str], str] = {}
    for _, writer, edition, preset, reader, verdict in reached:
        if verdict:
            kind = (writer, edition, reader, verdict)
            states.setdefault(kind, Counter())
            strongest[kind] = min(preset, strongest.get(kind, preset), key=rank)
    for labels, count in seen.items():
        label = dict(zip(LABELS, labels, strict=False))
        for reader, verdict in zip(readers, labels[len(LABELS) :], strict=True):
            if VERDICTS[verdict]:
                states[label["writer"], label["edition"], reader, verdict][label["preset"]] += count
    return [
        {
            "writer": kind[0],
            "edition": kind[1],
            "reader": kind[2],
            "verdict": kind[3],
            "breaks": list(VERDICTS[kind[3]]),
            "strongest_preset": strongest[kind],
            "states": {name: states[kind][name] for name in sorted(states[kind], key=rank)},
        }
        for kind in sorted(states)
    ]


def _safe_under(reached: list[Reached], strict: str) -> list[dict[str, Any]]:
    """Return for each writer the weakest preset up to which nothing breaks :data:`SAFETY`.

    ``weakest`` is the weakest preset looked at that is still stronger than
    ``fails_under``, the strongest one with a failure; None if there is no such preset.
    ``besides`` are the other invariants that break, with the strongest preset of each.
    """
    looked: dict[tuple[str, str], set[str]] = {}
    broken: dict[tuple[str, str], dict[str, str]] = {}
    for _, writer, edition, preset, reader, verdict in reached:
        looked.setdefault((writer, edition), set()).add(preset)
        if reader == strict:
            strongest = broken.setdefault((writer, edition), {})
            for invariant in VERDICTS[verdict]:
                strongest[invariant] = min(preset, strongest.get(invariant, preset), key=rank)
    out = []
    for key in sorted(looked):
        bad = broken.get(key, {})
        first = min((bad[name] for name in SAFETY if name in bad), key=rank, default=None)
        good = [name for name in looked[key] if first is None or rank(name) < rank(first)]
        out.append(
            {
                "writer": key[0],
                "edition": key[1],
                "reader": strict,
                "weakest": max(good, key=rank, default=None),
                "fails_under": first,
                "breaks": [name for name in SAFETY if bad.get(name) == first] if first else [],
                "besides": {name: bad[name] for name in sorted(bad) if name not in SAFETY},
            }
        )
    return out
