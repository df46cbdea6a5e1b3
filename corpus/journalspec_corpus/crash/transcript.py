"""One state with everything that it follows from, as JSON: for oracles that are written elsewhere.

The trace is told as it was recorded, so that what is owed can be worked out once more from writes, forces and
acknowledgements. What this engine makes of it stands beside that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from journalspec_corpus.crash.adapter import CrashFormat
from journalspec_corpus.crash.blocks import NAMES, SIZE
from journalspec_corpus.crash.case_builder import ExpectedSets, expectations, published_id
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.reduction import State, crashes_before
from journalspec_corpus.crash.story import file_names, losses, pieces
from journalspec_corpus.crash.trace import Mark, Op, Trace


def as_json(adapter: CrashFormat, workload: Any, state: State) -> dict[str, Any]:
    """Return `state` of `workload`: its trace, what arrived, its files, and what is owed in it.

    Bytes are hex digits. Offsets and lengths are in bytes; operations are numbered from 0. `crashes_before`
    tells in the same way the states that the trace goes on from, the first one first.
    """
    states, expected = state.situation.states, state.situation.expected
    return {
        "case": published_id(adapter.format, state.case_id),
        "format": state.trace.format,
        "edition": state.trace.edition,
        "workload": state.trace.name,
        "stratum": states.stratum,
        "category": state.category,
        "field": state.field,
        "preset": PRESETS[state.rank].name,
        "after": states.point.crash_index,
        "under_way": states.torn if states.torn >= 0 else None,
        "trace": _trace(adapter, state.trace),
        "arrived": _arrived(state),
        "files": _files(state.files),
        "owed": {
            "sets": ExpectedSets(adapter, state.trace).sets(expected),
            "must_keep": sorted(expected.must_keep),
            "may_keep": sorted(expected.may_keep - expected.must_keep),
            "must_drop": sorted(expected.must_drop),
            "found_before": sorted(expected.fine),
            "refusal": state.refusal,
            "expect": [
                {**entry["when"], "verdict": entry["verdict"], "refusal": entry["allowed"]["refusal"]}
                for entry in expectations(adapter, state)
            ],
        },
        "crashes_before": [
            {**_shown(before), "trace": _trace(adapter, before.trace), "files": _files(before.files)}
            for before in crashes_before(adapter, workload)
        ],
    }


def _shown(state: State) -> dict[str, Any]:
    states = state.situation.states
    return {
        "after": states.point.crash_index,
        "under_way": states.torn if states.torn >= 0 else None,
        "preset": PRESETS[state.rank].name,
        "arrived": _arrived(state),
    }


def _files(files: Mapping[str, bytes]) -> list[dict[str, Any]]:
    return [
        {"file": name, "size": len(content), "bytes": content.hex()}
        for name, content in sorted(files.items())
    ]


def _trace(adapter: CrashFormat, trace: Trace) -> dict[str, Any]:
    """Return what was there before, and all operations in order, with what was noted beside them."""
    standing = {mark.record for mark in trace.standing}

    def before(marks: Iterable[Mark]) -> list[dict[str, Any]]:
        return [{**_mark(adapter, mark), "acknowledged": mark.record in standing} for mark in marks]

    return {
        "id": trace.id,
        "life": trace.life,
        "background": trace.background,
        "base": _files(trace.base),
        "before": before(trace.before),
        "let_go_before": sorted(trace.done),
        "stale": [_mark(adapter, mark) for mark in trace.stale],
        "operations": [{"number": number, **_op(adapter, op)} for number, op in enumerate(trace.ops)],
    }


def _mark(adapter: CrashFormat, mark: Mark) -> dict[str, Any]:
    """Return which record lies where; `entry` is how an answer lists it."""
    fields = sorted(mark.fields)
    ends = [end for _, end in pairwise([*(start for start, _ in fields), mark.length])]
    return {
        "record": mark.record,
        "entry": adapter.record_json([mark.key]),
        "file": mark.file,
        "off": mark.off,
        "length": mark.length,
        "fields": [
            {"name": name, "off": mark.off + start, "length": end - start}
            for (start, name), end in zip(fields, ends, strict=True)
        ],
    }


def _op(adapter: CrashFormat, op: Op) -> dict[str, Any]:
    kind = type(op).__name__.lower()
    if isinstance(op, Mark):
        return {"op": kind, **_mark(adapter, op), **({"copy": op.copy} if hasattr(op, "copy") else {})}
    return {"op": kind, **{name: _plain(value) for name, value in asdict(op).items()}}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    return list(value) if isinstance(value, tuple) else value


def _arrived(state: State) -> dict[str, Any]:
    """Return what was in flight and how much of it is there, and the same in words."""
    states = state.situation.states
    head, lost = losses(state)
    out: dict[str, Any] = {"words": [head, *map(str, lost)]}
    if states.rot:
        return {**out, "corrupted": states.rot[state.row]}
    if states.torn >= 0:
        return {**out, "bytes_of_last": int(states.tear[state.row])}
    names = file_names(state)
    return {
        **out,
        "pieces": [
            {
                "kind": block.kind,
                **({} if block.kind == NAMES else {"file": names.get(block.file, "")}),
                **({} if block.kind in (NAMES, SIZE) else {"off": loss.off, "length": loss.length}),
                "version": code,
                "versions": len(block.levels),
                "written": block.levels[code] >= 0,
                "what": loss.what,
            }
            for block, code, loss in pieces(state)
        ],
    }
