"""The pipeline in this process: no Spark, no Java, the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.store import write_shard

Progress = Callable[[int], None]


def run(plan: Plan, out: Path, shards: Sequence[int], progress: Progress) -> None:
    """Judge and write `shards`, one after another; call `progress` with the number done."""
    for done, number in enumerate(shards, start=1):
        write_shard(plan, out, number)
        progress(done)
