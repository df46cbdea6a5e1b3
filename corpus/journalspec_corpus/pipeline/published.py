"""The core tier as cases: a choice of the judged states, packed so that anybody can unpack them.

Each shard's chosen states are found again and packed by a worker into two files
of lines; here they are put behind each other and compressed. Lines and order
depend on the plan alone.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from journalspec.files import replace_bytes, replace_text, replacing
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.pipeline import local
from journalspec_corpus.pipeline.cases import CASES, SHARED, read_cases
from journalspec_corpus.pipeline.choosing import MOST, PER_CLASS, QUOTA, SHARES, case_ids_of, choose
from journalspec_corpus.pipeline.manifest import MANIFEST
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.shard_cases import BASE_LINES, GROUP_LINES, ID_FILE, LINES
from journalspec_corpus.pipeline.store import WORK, BuildError, alone, clear_work, prepare
from journalspec_corpus.pipeline.verify import missing_files
from journalspec_corpus.seal import render, sealed

__all__ = ["publish_core", "read_cases"]


def publish_core(
    plan: Plan,
    out: Path,
    manifest: dict[str, Any],
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Write the cases of a finished core build and return the manifest that now names them.

    Where it names them already, they are looked at: if they are missing or damaged, they
    are made again and have to be what they were. `progress` is called with (shards done,
    shards in all). Raises BuildError.
    """
    known = manifest.get("cases")
    if known is not None and not missing_files(out, known["files"]):
        return manifest
    prepare(plan, out)
    with alone(out):
        cases = _publish(plan, out, jobs, progress)
        if known is not None and cases != known:
            raise BuildError(
                f"{out}: cases are missing or damaged, and made again they are others than"
                f" those of {MANIFEST}; nothing was replaced",
                "use the edition that made them, or build into a new directory",
            )
        for name in (CASES, SHARED):
            (out / WORK / name).replace(out / name)
        manifest = sealed({**manifest, "cases": cases})
        replace_text(out / MANIFEST, render(manifest))
        clear_work(out)
    return manifest


def _publish(plan: Plan, out: Path, jobs: int, progress: Callable[[int, int], None]) -> dict[str, Any]:
    policies = crash_format(plan.format).policies
    choice = choose(out, policies)
    todo = []
    for number in range(plan.shards()):
        own = [name for name in case_ids_of(out, number) if name in choice.ids]
        if own:
            replace_bytes(out / WORK / ID_FILE.format(number), b"".join(own))
            todo.append(number)
    progress(0, len(todo))
    local.run(plan, out, todo, lambda done: progress(done, len(todo)), jobs=jobs, task="cases")
    counts = _gathered(plan, out, todo)
    written = sum(sum(of.values()) for of in counts.values())
    if written != len(choice.ids):
        raise BuildError(f"{len(choice.ids) - written} chosen states were not found again", "report this")
    return {
        "count": written,
        "strata": {name: sum(of.values()) for name, of in sorted(counts.items())},
        "categories": {name: dict(sorted(of.items())) for name, of in sorted(counts.items())},
        "per_class": PER_CLASS,
        "quota": QUOTA,
        "shares": SHARES,
        "most": MOST,
        "beyond": {policies[reader]: counts for reader, counts in choice.beyond.items()},
        "files": {name: _described(out / WORK / name) for name in (CASES, SHARED)},
    }


def _gathered(plan: Plan, out: Path, numbers: list[int]) -> dict[str, Counter[str]]:
    """Put the lines of all shards into the two files; return the cases by stratum and category."""
    counts: dict[str, Counter[str]] = {}
    work = out / WORK
    with _compressed(work / SHARED) as shared, _compressed(work / CASES) as cases:
        shared.write(json.dumps(_head(plan), separators=(",", ":")).encode() + b"\n")
        # Like beside like: what is near compresses better.
        for name in (BASE_LINES, GROUP_LINES):
            for number in numbers:
                shared.write((work / name.format(number)).read_bytes())
        for number in numbers:
            lines = (work / LINES.format(number)).read_bytes()
            cases.write(lines)
            for line in lines.splitlines():
                case = json.loads(line)
                counts.setdefault(case["stratum"], Counter())[case["category"]] += 1
    return counts


def _head(plan: Plan) -> dict[str, Any]:
    """Return what all cases of a build have in common."""
    return {
        "format": plan.format,
        "common": {
            "tier": "core",
            "level": "must",
            "breaks": [],
            "flags": [],
            "needs": ["recover"],
            "params": {},
            "write": None,
        },
        "obeys": {name: list(of) for name, of in sorted(crash_format(plan.format).obeys.items())},
    }


@contextlib.contextmanager
def _compressed(path: Path) -> Iterator[gzip.GzipFile]:
    """Open a gzip file that has the same bytes whenever it is written, and is there whole or not at all."""
    with replacing(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as stream:
        yield stream


def _described(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
