"""What a run leaves in a directory: every verdict as Parquet, one failure of each class as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from journalspec.files import replacing
from journalspec_conformance.crashes.choose import Choice
from journalspec_conformance.crashes.tally import descriptor_json
from journalspec_conformance.crashes.verdicts import Judged

VERDICTS, FAILURES, SUMMARY = "verdicts.parquet", "failures.jsonl", "summary.json"
SHRUNK = "shrunk.jsonl"
_NUMBERS = ("crash_index", "tear", "seed")


def write_verdicts(out: Path, choice: Choice, judged: Sequence[Judged]) -> None:
    """Write one row per state and policy: descriptor, class, verdict, and what was missing or wrong."""
    rows = []
    for entry in judged:
        verdict = entry.verdict
        rows.append(
            {
                **descriptor_json(choice.states[entry.at]),
                "policy": entry.policy,
                "verdict": verdict.name,
                "refused": verdict.refused,
                "missing": " ".join(verdict.missing),
                "wrong": " ".join(verdict.wrong),
                "told": verdict.told,
                "tries": verdict.tries,
            }
        )
    names = list(rows[0]) if rows else []
    columns = {
        name: pa.array(
            [row[name] for row in rows],
            pa.int64() if name in (*_NUMBERS, "tries") else pa.dictionary(pa.int32(), pa.string()),
        )
        for name in names
    }
    with replacing(out / VERDICTS, "wb") as stream:
        pq.write_table(pa.table(columns), stream, compression="zstd")


def write_lines(path: Path, entries: Iterable[dict[str, Any]]) -> None:
    """Write one JSON object per line."""
    with replacing(path) as stream:
        for entry in entries:
            stream.write(json.dumps(entry, separators=(",", ":"), ensure_ascii=False) + "\n")
