"""The counted tables of a manifest, one set per stratum: a number over several strata says nothing.

Each state is kept only once. A state that two orders of writes leave is kept for the first
of them, and what it says is true of both: a failure counts against every writer that can
leave it, under the strongest preset that does.

Small spaces are enumerated and large ones sampled, so a number below its target
means one of two things: there are no more states of that kind in the traces of
the plan, or nobody looked at them. Reports say which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.expected import Expected
from journalspec_corpus.crash.losses import EXHAUSTIVE, cuts_of
from journalspec_corpus.crash.persistence import PRESETS, REACHABLE, rank
from journalspec_corpus.crash.verdict import CATEGORIES, CODES, VERDICTS
from journalspec_corpus.pipeline.manifest import STRATA

#: The columns that are counted, before the verdicts; `acknowledged` as whether there is any.
LABELS = (
    "stratum",
    "writer",
    "edition",
    "category",
    "background",
    "field",
    "acknowledged",
    "preset",
    "refusal",
)
VERDICT = "verdict_"
#: combination of labels (LABELS, then one verdict per reader) -> rows
Counts: TypeAlias = Counter[tuple[Any, ...]]
Codes = npt.NDArray[np.int64]
_ROOM = 1 << 62


def readers_of(schema: pa.Schema) -> tuple[str, ...]:
    """Return the names of the readers that a table has verdicts of."""
    return tuple(name.removeprefix(VERDICT) for name in schema.names if name.startswith(VERDICT))


def counted(table: pa.Table) -> Counts:
    """Return how often each combination of labels occurs in `table`."""
    names = [*LABELS, *(VERDICT + reader for reader in readers_of(table.schema))]
    columns = [_codes(table[name]) for name in names]
    key = np.zeros(table.num_rows, np.int64)
    room = 1
    for codes, labels in columns:
        room *= max(1, len(labels))
        if room > _ROOM:
            # Number the combinations that occur, which are no more than the rows.
            _, key = np.unique(key, return_inverse=True)
            room = max(1, len(key)) * max(1, len(labels))
        key = key * max(1, len(labels)) + codes
    # By hashing: there are few combinations, and sorting all rows costs ten times as much.
    numbered = pa.array(key).dictionary_encode()
    which = numbered.indices.to_numpy()
    count = np.bincount(which, minlength=len(numbered.dictionary))
    first = np.empty(len(count), np.int64)
    first[which[::-1]] = np.arange(len(which))[::-1]
    order = np.argsort(numbered.dictionary.to_numpy())
    texts = [[labels[code] for code in codes[first[order]].tolist()] for codes, labels in columns]
    # Two codes may stand for one text.
    out: Counts = Counter()
    for combination, rows in zip(zip(*texts, strict=True), count[order].tolist(), strict=True):
        out[combination] += rows
    return out


def _codes(column: pa.ChunkedArray) -> tuple[Codes, list[Any]]:
    """Return one small number per row, and what each number stands for."""
    if pa.types.is_dictionary(column.type):
        whole = column.unify_dictionaries().combine_chunks()
        whole = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
        return whole.indices.to_numpy(zero_copy_only=False).astype(np.int64), whole.dictionary.to_pylist()
    return (column.to_numpy() > 0).astype(np.int64), [False, True]


#: (stratum, writer, edition, preset, reader, verdict); the last two are empty for "was looked at".
Reached = tuple[str, str, str, str, str, str]
Column = npt.NDArray[np.uint8]
_FAILING = np.asarray([bool(broken) for broken in VERDICTS.values()])
_NUMBER = {name: number for number, name in enumerate(VERDICTS)}
_BROKEN = frozenset(name for name, broken in VERDICTS.items() if broken)
_AT = [LABELS.index(name) for name in ("stratum", "writer", "edition", "preset")]


@dataclass(frozen=True, slots=True)
class Repeats:
    """States that a writer reaches and that were there already, and what is owed in them here.

    `which` has their ids. ``judged(chosen)`` returns the verdicts on some of them here, a column for
    each reader.
    """

    writer: str
    which: list[bytes]
    preset: Column
    expected: Expected
    judged: Callable[[npt.NDArray[np.intp]], list[Column]]


def repeated(
    table: pa.Table,
    owed: Sequence[Expected],
    owners: npt.NDArray[np.int32],
    repeats: Sequence[Repeats],
) -> list[Reached]:
    """Return what the repeated states of a shard say, whose own rows are in `table`; sorted.

    What is owed in a state may differ between the traces that reach it: a record of
    an earlier life here is one that was just issued there. So a state in which
    somebody failed is judged again for who repeats it, and so is one in which
    more must not come back here than where it was judged (`owed`, `owners` has the number for each row).
    """
    if not repeats:
        return []
    readers = readers_of(table.schema)
    place = {name: row for row, name in enumerate(table["case_id"].to_pylist())}
    rows = [np.asarray([place[name] for name in entry.which], np.int64) for entry in repeats]
    whole = np.concatenate(rows)
    known = [_verdict_codes(table[VERDICT + reader]) for reader in readers]
    failed = np.any([_FAILING[codes] for codes in known], axis=0)
    columns = [codes[whole] for codes in known]
    wanted = failed[whole]
    ends = np.cumsum([len(own) for own in rows]).tolist()
    dropped = _Forbidden(owed)
    for entry, own, end in zip(repeats, rows, ends, strict=True):
        here = slice(end - len(own), end)
        if entry.expected.must_drop:
            wanted[here] |= dropped.less_than(entry.expected, owners[own])
        chosen = np.flatnonzero(wanted[here])
        if len(chosen):
            for column, found in zip(columns, entry.judged(chosen), strict=True):
                column[here][chosen] = found
    again = table.select([*LABELS, *(VERDICT + reader for reader in readers)])
    again = again.take(pa.array(whole))
    writers = np.repeat(np.arange(len(repeats), dtype=np.int32), [len(own) for own in rows])
    preset = np.concatenate([entry.preset for entry in repeats]).astype(np.int8)
    again = _set(again, "writer", writers, [entry.writer for entry in repeats])
    again = _set(again, "preset", preset, [entry.name for entry in PRESETS])
    for reader, column in zip(readers, columns, strict=True):
        again = _set(again, VERDICT + reader, column.astype(np.int8), list(VERDICTS))
    return sorted(reached(counted(again), readers))


def _verdict_codes(column: pa.ChunkedArray) -> Column:
    """Return a column of verdicts as indices into their names."""
    codes, labels = _codes(column)
    return np.asarray([_NUMBER[name] for name in labels], np.uint8)[codes]


class _Forbidden:
    """The records that must not come back in the states of a shard, by number of what is `owed`."""

    def __init__(self, owed: Sequence[Expected]) -> None:
        self._owed = owed
        self._known: dict[int, frozenset[str]] = {}

    def less_than(self, expected: Expected, owners: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Tell for each owner, a number in `owed`, whether `expected` forbids a record that it does not."""
        forbidden = self._of(expected)
        more = np.zeros(len(self._owed), bool)
        if not forbidden:
            return more[owners]
        for owner in np.flatnonzero(np.bincount(owners, minlength=len(self._owed))).tolist():
            other = self._owed[owner]
            more[owner] = other is not expected and not forbidden <= self._of(other)
        return more[owners]

    def _of(self, expected: Expected) -> frozenset[str]:
        known = self._known.get(id(expected))
        if known is None:
            dropped = expected.must_drop
            keys = [key for key, record in expected.record_of.items() if record in dropped] if dropped else ()
            known = self._known[id(expected)] = frozenset(keys)
        return known


def _set(table: pa.Table, name: str, codes: npt.NDArray[np.generic], labels: list[str]) -> pa.Table:
    column = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(labels, pa.string()))
    return table.set_column(table.schema.get_field_index(name), name, column)


def reached(seen: Counts, readers: tuple[str, ...]) -> set[Reached]:
    """Return of counted rows which writers were looked at under which presets, and what failed."""
    out: set[Reached] = set()
    for labels in seen:
        stratum, writer, edition, preset = (labels[at] for at in _AT)
        out.add((stratum, writer, edition, preset, "", ""))
        given = labels[len(LABELS) :]
        if _BROKEN.isdisjoint(given):
            continue
        for reader, verdict in zip(readers, given, strict=True):
            if verdict in _BROKEN:
                out.add((stratum, writer, edition, preset, reader, verdict))
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
