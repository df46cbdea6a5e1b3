"""The core tier as cases: a selection of the states of a build, as compressed lines.

The selection depends only on ids, so that any user can repeat it. A worker rebuilds each shard's chosen
states and writes their lines. Afterwards the lines are joined and compressed. Lines and order depend on the
plan alone.

The states of a trace share few different files and permitted answers. So each content of a file and each set
of permitted answers is a line of its own, and later cases refer to it by number
(:class:`journalspec_corpus.load.Shared` resolves the numbers).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from journalspec.files import replacing
from journalspec_corpus.case import InputFile, Origin
from journalspec_corpus.crash.explain import ExpectedSets, permitted_by_policy, published_id
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.formats import CrashFormat, crash_format
from journalspec_corpus.crash.oracle import REFUSALS
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import PRESETS, Trace, blake, get_preset
from journalspec_corpus.crash.verdict import CATEGORIES, VERDICTS
from journalspec_corpus.load import CASES
from journalspec_corpus.making import make_case
from journalspec_corpus.pipeline.manifest import WORK
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.shards import BuildError

#: The number of published cases, and the least number of each class.
CORE_CASES, PER_CLASS = 100_000, 3
#: The number of cases from each class of states. If a class has fewer, the remaining number is distributed to
#: the classes in this order.
QUOTA = {"R": 80_000, "C": 15_000, "L": 5_000}
#: A category contributes at most one n-th of the quota of its class, as long as other categories have states
#: left.
SHARES = 8
#: The largest number of cases of a category while other categories have states left. The states of these
#: categories contain garbage, which does not compress.
MOST = {"sector-trash": 4_000}
#: The level of compression. Level 9 takes four times as long, and saves only a few percent.
_LEVEL = 6
_KIND = ("stratum", "writer", "edition", "category", "background", "field", "acknowledged")
Kind = tuple[Any, ...]


@dataclass(frozen=True)
class CoreChoice:
    """The ids of the states to publish, and the numbers of failures of this project's readers on them.

    The choice does not depend on any reader.

    `beyond` counts, by reader, class and verdict, the chosen states in which even a reader that follows the
    specification cannot return the required records, because the order of writes, the device or the format
    lost them.
    """

    ids: frozenset[bytes]
    beyond: dict[str, dict[str, dict[str, int]]]


def choose(tables: Iterable[pa.Table], readers: Collection[str]) -> CoreChoice:
    """Return the ids of states in `tables` to publish, and how `readers` fail on them.

    The smallest ids of each class come first. Then follow the smallest ids of each category up to its share,
    of each class up to its quota, and of all states. Ids are hashes, so this is a sample.
    """
    found: list[tuple[bytes, Kind, Kind]] = []
    for table in tables:
        columns = [_values(table[name]) for name in columns_of(readers)]
        kinds = zip(*columns[1 : 1 + len(_KIND)], strict=True)
        found += zip(columns[0], kinds, zip(*columns[1 + len(_KIND) :], strict=True), strict=True)
    found.sort(key=itemgetter(0))
    chosen = _chosen([(case, kind) for case, kind, _ in found], CORE_CASES)
    beyond: dict[str, dict[str, Counter[str]]] = {name: {} for name in readers}
    for case, kind, verdicts_on in found:
        for name, verdict in zip(readers, verdicts_on, strict=True) if case in chosen else ():
            if VERDICTS[verdict]:
                beyond[name].setdefault(kind[0], Counter())[verdict] += 1
    return CoreChoice(chosen, {name: _sorted(of) for name, of in beyond.items()})


def columns_of(readers: Collection[str]) -> list[str]:
    """Return the columns that determine the selection, and the readers' columns for the counts."""
    return ["case_id", *_KIND, *(f"verdict_{name}" for name in readers)]


def _values(column: pa.ChunkedArray) -> list[Any]:
    """Return a column as a list: labels, equal ones as one object, or whether numbers are positive."""
    if pa.types.is_dictionary(column.type):
        whole = column.unify_dictionaries().combine_chunks()
        values: list[Any] = np.asarray(whole.dictionary.to_pylist(), object)[whole.indices].tolist()
        return values
    return list((pc.greater(column, 0) if pa.types.is_integer(column.type) else column).to_pylist())


def _sorted(counts: dict[str, Counter[str]]) -> dict[str, dict[str, int]]:
    return {name: dict(sorted(of.items())) for name, of in sorted(counts.items())}


def _chosen(found: Sequence[tuple[bytes, Kind]], total: int) -> frozenset[bytes]:
    """Return the ids to publish from `found`, which must be sorted."""
    taken: set[bytes] = set()
    #: Counted by class, by category, and by both.
    count: Counter[str | tuple[str, str]] = Counter()

    def take(case: bytes, kind: Kind) -> None:
        taken.add(case)
        count.update((kind[0], kind[3], (kind[0], kind[3])))

    def has_room(kind: Kind, most: dict[str, int]) -> bool:
        limit = most.get(kind[3], CORE_CASES) * total // CORE_CASES
        return len(taken) < total and count[kind[3]] < limit

    classes: Counter[Kind] = Counter()
    for case, kind in found:
        classes[kind] += 1
        if classes[kind] <= PER_CLASS:
            take(case, kind)
    for shares in (SHARES, 1):
        for case, kind in found:
            quota = QUOTA[kind[0]] * total // CORE_CASES
            left = count[kind[0]] < quota and count[kind[0], kind[3]] < quota // shares
            if case not in taken and left and has_room(kind, MOST):
                take(case, kind)
    for most in (MOST, {}):
        for stratum in QUOTA:
            for case, kind in found:
                if kind[0] == stratum and case not in taken and has_room(kind, most):
                    take(case, kind)
    return frozenset(taken)


def publish(
    plan: Plan, out: Path, choice: CoreChoice, counted: Iterable[Counter[tuple[str, str]]]
) -> dict[str, Any]:
    """Join the cases of an unfinished build; return the manifest's entry about them.

    Raises BuildError. `counted` contains the results of :func:`write_cases` for all shards.
    """
    counts: dict[str, Counter[str]] = {}
    for (stratum, category), number in sum(counted, Counter[tuple[str, str]]()).items():
        counts.setdefault(stratum, Counter())[category] = number
    written = sum(of.total() for of in counts.values())
    if written != len(choice.ids):
        raise BuildError(f"{len(choice.ids) - written} chosen states were not found again", "report this")
    # The gzip header contains neither a time nor a name, so that the bytes are always the same.
    with replacing(out / WORK / CASES, "wb") as raw, gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as stream:
        for number in range(plan.shards()):
            with _lines_file(out, number).open("rb") as lines:
                shutil.copyfileobj(lines, stream)
    data = (out / WORK / CASES).read_bytes()
    return {
        "count": written,
        "strata": {name: of.total() for name, of in sorted(counts.items())},
        "categories": _sorted(counts),
        "per_class": PER_CLASS,
        "quota": QUOTA,
        "shares": SHARES,
        "most": MOST,
        "beyond": dict(choice.beyond),
        "files": {CASES: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}},
    }


def _lines_file(out: Path, number: int) -> Path:
    return out / WORK / f"cases-{number:05d}.jsonl"


def write_cases(plan: Plan, out: Path, chosen: Collection[bytes], number: int) -> Counter[tuple[str, str]]:
    """Write the lines of the `chosen` cases of shard `number`; count them by class and category."""
    left = set(chosen)
    adapter = crash_format(plan.format)
    counts: Counter[tuple[str, str]] = Counter()
    # The lines of a shard can take gigabytes, so they are not collected.
    with replacing(_lines_file(out, number), "w") as stream:
        for work in plan.shard_workloads(number):
            if not left:
                break
            stream.writelines(_lines(_found(plan, adapter, adapter.build(work), left), counts))
    return counts


def _lines(
    found: Iterable[tuple[dict[str, Any], dict[str, bytes], str]], counts: Counter[tuple[str, str]]
) -> Iterator[str]:
    """Yield the lines of the `found` cases of a workload, and count them: shared texts first, then cases."""
    held: dict[bytes, str] = {}
    permitted: dict[str, str] = {}
    cases: list[str] = []
    for case, files, expect in found:
        counts[case["stratum"], case["category"]] += 1
        given = []
        for path, content in sorted(files.items()):
            # A digest, because files may be long, and a workload may leave thousands of them.
            ident = blake(content)
            if ident not in held:
                held[ident] = str(len(held))
                yield _text({"content": held[ident], **_plain(content)}) + "\n"
            given.append({"path": path, "content": held[ident]})
        if expect not in permitted:
            permitted[expect] = str(len(permitted))
            yield f'{{"permitted":"{permitted[expect]}","expect":{expect}}}\n'
        whole = {**case, "input": {"files": given}, "expect": permitted[expect]}
        cases.append(_text(whole) + "\n")
    yield from cases


def _found(
    plan: Plan, adapter: CrashFormat, trace: Trace, left: set[bytes]
) -> Iterator[tuple[dict[str, Any], dict[str, bytes], str]]:
    """Yield the states of `trace` in `left`: the case without files, its files, its answers as JSON.

    Each yielded state is removed from `left`.
    """
    sets = ExpectedSets(adapter, trace)
    for states in crash_states(trace, tuple(map(get_preset, plan.presets)), plan.seed):
        point, facts = states.point, Facts(states)
        # Of several equal states, the first one is taken.
        backwards = reversed(list(enumerate(facts.case_ids)))
        keep = {name: row for row, name in backwards if name in left}
        if not keep:
            continue
        left.difference_update(keep)
        required = sets.sets(facts.expected)
        alike: dict[int, tuple[dict[str, Any], str]] = {}
        for ident, row in reversed(keep.items()):
            name, preset = CATEGORIES[facts.categories[row]], PRESETS[states.preset[row]].name
            refusal, rot = facts.refusals[row], f", {states.rot[row]}" if states.rot else ""
            if refusal not in alike:
                expect = permitted_by_policy(adapter, required, REFUSALS[refusal], states.stratum)
                case = make_case(
                    "",
                    title="",
                    format_id=trace.format,
                    edition=trace.edition,
                    stratum=states.stratum,
                    category="",
                    tier="core",
                    origin=Origin("trace", trace.id, "", ("model",)),
                    files={},
                    expect=expect,
                ).to_json()
                alike[refusal] = case, _text(case.pop("expect"))
            case, text = alike[refusal]
            own = {
                "id": published_id(trace.format, ident.hex()),
                "title": f"{name} after operation {point.crash_index} of {trace.name} ({preset}{rot})",
                "category": name,
                "obeys": list(adapter.obeys.get(name, adapter.obeys[""])),
                "origin": {**case["origin"], "how": preset},
            }
            yield {**case, **own}, point.materialise(states.codes[row]), text


def _plain(content: bytes) -> dict[str, Any]:
    """Return a file as one extent up to its last byte that is not zero: quick to compute, but not short."""
    held = content.rstrip(b"\0")
    told = InputFile("", len(content), 0, ((0, held),) if held else ()).to_json()
    del told["path"]
    return told


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
