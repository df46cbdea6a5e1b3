"""The core tier as cases: a choice of the judged states, as base blobs and what differs from them.

Each line of ``cases.jsonl.gz`` is a case in the published form, except that
`input` says ``{"base", "files": [[path, size]], "deltas": [[path, off, hex]]}``:
the files of that base (``bases.jsonl.gz``), cut or extended to `size`, with the
deltas laid over. :mod:`.cases` puts them together again.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from journalspec.formats import get_format
from journalspec_corpus.crash.digest import PAGE
from journalspec_corpus.crash.judge import VERDICTS
from journalspec_corpus.crash.model import PRESETS, get_preset
from journalspec_corpus.crash.oracle import ALLOWED, REFUSALS, REQUIRED, Owed, owed
from journalspec_corpus.crash.room import CrashRoom, crash_room
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.pipeline.cases import BASES, CASES, read_cases
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import Rows, Tally, judged_rows
from journalspec_corpus.pipeline.store import BuildError, replace_text

#: How many cases the core tier has, and how many of each class it has at least.
CORE_CASES, PER_CLASS = 100_000, 3
__all__ = ["choose", "publish_core", "read_cases"]
_FAILING = pa.array([name for name, broken in VERDICTS.items() if broken])


def publish_core(plan: Plan, out: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """Write the cases of a finished core build and return the manifest that now names them.

    A state in which nobody who follows the specification can give what is owed
    (the order of writes or the format lost it) is no case for readers: it stays
    in the Parquet files and is counted under ``left_out``.
    """
    if "cases" in manifest and (out / CASES).is_file():
        return manifest
    room = crash_room(plan.format)
    chosen, left_out = choose(out, room)
    written = _write(plan, out, room, chosen)
    if written != len(chosen):
        raise BuildError(f"{len(chosen) - written} chosen states were not found again", "report this")
    manifest = {
        **manifest,
        "cases": {
            "file": CASES,
            "count": written,
            "per_class": PER_CLASS,
            "left_out": left_out,
            "sha256": {name: _sha256(out / name) for name in (CASES, BASES)},
        },
    }
    replace_text(out / "manifest.json", json.dumps(manifest, indent=2) + "\n")
    return manifest


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def choose(out: Path, room: CrashRoom) -> tuple[set[bytes], dict[str, int]]:
    """Return the case ids to publish, and how many states were left out by verdict.

    First the smallest ids of each class, then the smallest of all: ids are
    hashes, so this is a sample that anyone repeats.
    """
    first = f"verdict_{room.readers[0]}"
    columns = ["case_id", "category", "background", "field", "writer", first]
    #: What no reader can be blamed for (L) or asked to bring back (C) is no case of this form.
    reachable = [("stratum", "=", "R")]
    left_out: Counter[str] = Counter()
    found: list[tuple[bytes, tuple[str, ...]]] = []
    for path in sorted((out / "states").glob("part-*.parquet")):
        table = pq.read_table(path, columns=columns, filters=reachable)
        verdict = pc.cast(table[first], pa.string())
        bad = pc.is_in(verdict, _FAILING)
        left_out.update(pc.filter(verdict, bad).to_pylist())
        good = table.filter(pc.invert(bad))
        kinds = zip(*(good[name].to_pylist() for name in columns[1:5]), strict=True)
        found += zip(good["case_id"].to_pylist(), kinds, strict=True)
    found.sort()
    per: Counter[tuple[str, ...]] = Counter()
    chosen: set[bytes] = set()
    for case, kind in found:
        if per[kind] < PER_CLASS:
            per[kind] += 1
            chosen.add(case)
    for case, _ in found:
        if len(chosen) >= CORE_CASES:
            break
        chosen.add(case)
    return chosen, dict(sorted(left_out.items()))


def _write(plan: Plan, out: Path, room: CrashRoom, chosen: set[bytes]) -> int:
    presets = tuple(get_preset(name) for name in plan.presets)
    left = set(chosen)
    with _lines(out / CASES) as cases, _lines(out / BASES) as bases:
        for work in plan.workloads():
            if not left:
                break
            trace = room.build(work)
            lines = list(_cases(trace, room, presets, plan, left))
            if lines:
                base = {name: content.hex() for name, content in sorted(trace.base.items())}
                bases.write(json.dumps({"base": trace.id, "files": base}) + "\n")
            for line in lines:
                cases.write(line + "\n")
    return len(chosen) - len(left)


def _lines(path: Path) -> TextIO:
    """Open a gzip file for text that has the same bytes whenever it is written."""
    raw = gzip.GzipFile(path, "wb", compresslevel=5, mtime=0)
    return io.TextIOWrapper(raw, encoding="utf-8", newline="\n")


def _cases(trace: Trace, room: CrashRoom, presets: Any, plan: Plan, left: set[bytes]) -> Iterator[str]:
    """Yield the chosen cases of one trace as lines, and take them out of `left`."""
    for rows in judged_rows(trace, room, presets, plan.seed, Tally(_AllBut(left))):
        debt = owed(trace, rows.states.group.crash_index, rows.states.torn)
        sets = _sets(debt, room)
        for at in range(len(rows.case_ids)):
            yield json.dumps(_case(trace, room, rows, at, debt, sets), separators=(",", ":"))


class _AllBut(set[bytes]):
    """Passes for the set of all ids but those still wanted; taking one in crosses it off."""

    def __init__(self, wanted: set[bytes]) -> None:
        super().__init__()
        self._wanted = wanted

    def __contains__(self, name: object) -> bool:
        return name not in self._wanted

    def add(self, name: bytes) -> None:
        """Cross `name` off the wanted ones."""
        self._wanted.discard(name)


def _sets(debt: Owed, room: CrashRoom) -> dict[str, list[dict[str, Any]]]:
    """Return the allowed set with records as an observation would list them."""
    keys: dict[str, list[str]] = {}
    for key, record in debt.record_of.items():
        keys.setdefault(record, []).append(key)

    def records(ids: frozenset[str]) -> list[dict[str, Any]]:
        return [room.record_json(keys[record]) for record in sorted(ids) if record in keys]

    return {
        "must_keep": records(debt.must_keep),
        "may_keep": records(debt.may_keep - debt.must_keep),
        "must_drop": records(debt.must_drop),
    }


def _case(
    trace: Trace, room: CrashRoom, rows: Rows, at: int, debt: Owed, sets: Mapping[str, Any]
) -> dict[str, Any]:
    files = rows.states.group.materialise(rows.states.codes[at])
    category = rows.category_names[rows.category[at]]
    preset = PRESETS[rows.states.preset[at]].name
    refusal = REFUSALS[rows.refusal[at]]
    expect = []
    for reader, policy in room.policies.items():
        verdict = rows.verdict(room.readers.index(reader), at)
        if not VERDICTS[verdict]:
            # Who may leave records out reports the damage that others must refuse.
            given = ALLOWED if refusal == REQUIRED and reader in room.salvaging else refusal
            expect.append(
                {
                    "when": {"op": "recover", "policy": policy},
                    "verdict": "refused" if given == "required" else "clean",
                    "allowed": {**sets, "refusal": given},
                }
            )
    prefix = get_format(trace.format).prefix.lower()
    return {
        "id": f"{prefix}.crash.{rows.case_ids[at].hex()}",
        "title": f"{category} after operation {rows.states.group.crash_index} of {trace.name} ({preset})",
        "format": trace.format,
        "edition": trace.edition,
        "tier": "core",
        "stratum": rows.states.stratum,
        "category": category,
        "level": "must",
        "obeys": list(room.obeys.get(category, room.obeys[""])),
        "breaks": [],
        "flags": [],
        "needs": ["recover"],
        "origin": {"kind": "trace", "base": trace.id, "how": preset, "checked_by": ["model"]},
        "input": _delta(trace, files),
        "params": {},
        "write": None,
        "expect": expect,
    }


def _delta(trace: Trace, files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return `files` as what differs from the trace's base, page by page."""
    deltas = []
    for name, content in sorted(files.items()):
        old = trace.base.get(name, b"")[: len(content)].ljust(len(content), b"\0")
        if old == content:
            continue
        for start in range(0, len(content), PAGE):
            new, was = content[start : start + PAGE], old[start : start + PAGE]
            if new == was:
                continue
            first = next(at for at, byte in enumerate(new) if byte != was[at])
            last = next(at for at in range(len(new) - 1, -1, -1) if new[at] != was[at])
            deltas.append([name, str(start + first), new[first : last + 1].hex()])
    return {
        "base": trace.id,
        "files": [[name, str(len(content))] for name, content in sorted(files.items())],
        "deltas": deltas,
    }
