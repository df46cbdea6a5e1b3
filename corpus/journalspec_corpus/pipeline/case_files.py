"""The cases of one shard: its chosen states are found again and written as lines.

The states of a trace have few files in many combinations. So a file's content is a line of its own, and
the cases after it name it by number (:class:`journalspec_corpus.load.Shared` puts them together).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from journalspec.files import replace_text
from journalspec_corpus.case import InputFile, Origin
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.case_builder import ExpectedSets, permitted_by_policy, published_id
from journalspec_corpus.crash.expected import REFUSALS, Obligations
from journalspec_corpus.crash.facts import Facts, categories
from journalspec_corpus.crash.ids import case_ids, content_ids
from journalspec_corpus.crash.pages import ID_BYTES
from journalspec_corpus.crash.persistence import PRESETS, get_preset
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.verdict import CATEGORIES
from journalspec_corpus.making import make_case
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.store import WORK

#: Names below ``work/``, by shard: the ids of the chosen states, and their lines.
CHOSEN, LINES = "chosen-{:05d}", "cases-{:05d}.jsonl"


def write_cases(plan: Plan, out: Path, number: int) -> None:
    """Write the lines of the chosen cases of shard `number`."""
    raw = (out / WORK / CHOSEN.format(number)).read_bytes()
    left = {raw[at : at + ID_BYTES] for at in range(0, len(raw), ID_BYTES)}
    adapter = crash_format(plan.format)
    lines: list[str] = []
    for work in plan.shard_workloads(number):
        if not left:
            break
        lines += _lines(plan, adapter, adapter.build(work), left)
    replace_text(out / WORK / LINES.format(number), "".join(lines))


def _lines(plan: Plan, adapter: CrashFormat, trace: Trace, left: set[bytes]) -> list[str]:
    """Return the lines of those states of `trace` that are `left`, contents first; they are crossed off."""
    numbers: dict[bytes, str] = {}
    contents: list[str] = []
    cases: list[str] = []
    for case, files in _found(plan, adapter, trace, left):
        given = []
        for name, content in sorted(files.items()):
            if content not in numbers:
                numbers[content] = str(len(numbers))
                told = _plain(content).to_json()
                del told["path"]
                contents.append(_line({"content": numbers[content], **told}))
            given.append({"path": name, "content": numbers[content]})
        cases.append(_line({**case, "input": {"files": given}}))
    return contents + cases


def _found(
    plan: Plan, adapter: CrashFormat, trace: Trace, left: set[bytes]
) -> Iterator[tuple[dict[str, Any], dict[str, bytes]]]:
    owed, sets = Obligations(trace), ExpectedSets(adapter, trace)
    for states in crash_states(trace, tuple(map(get_preset, plan.presets)), plan.seed):
        point = states.point
        expected = owed.at(point.crash_index, states.torn, states.stratum)
        names = case_ids(content_ids(point, states.codes), owed.promise(expected))
        rows = [row for row, name in enumerate(names) if name in left]
        rows = list({names[row]: row for row in reversed(rows)}.values())[::-1]
        if not rows:
            continue
        left.difference_update(names[row] for row in rows)
        chosen = states.take(np.asarray(rows))
        facts, keep = Facts(chosen), sets.sets(expected)
        for at, (row, category) in enumerate(zip(rows, categories(facts), strict=True)):
            name, preset = CATEGORIES[category], PRESETS[chosen.preset[at]].name
            rot = f", {chosen.rot[at]}" if chosen.rot else ""
            case = make_case(
                published_id(trace.format, names[row].hex()),
                title=f"{name} after operation {point.crash_index} of {trace.name} ({preset}{rot})",
                format_id=trace.format,
                edition=trace.edition,
                stratum=states.stratum,
                category=name,
                tier="core",
                obeys=adapter.obeys.get(name, adapter.obeys[""]),
                origin=Origin("trace", trace.id, preset, ("model",)),
                files={},
                expect=permitted_by_policy(adapter, keep, REFUSALS[facts.refusals[at]], states.stratum),
            )
            yield case.to_json(), point.materialise(chosen.codes[at])


def _plain(content: bytes) -> InputFile:
    """Return a file as one extent up to its last byte that is not zero: quick rather than short."""
    held = content.rstrip(b"\0")
    return InputFile("", len(content), 0, ((0, held),) if held else ())


def _line(members: dict[str, Any]) -> str:
    return json.dumps(members, separators=(",", ":")) + "\n"
