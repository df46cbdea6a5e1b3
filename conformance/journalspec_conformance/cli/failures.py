"""The failures of `run`: groups, explanations, reduced journals, and the failures of the previous run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from journalspec.files import read_bytes, replace_text, shown
from journalspec_conformance.cli._tables import say, say_all
from journalspec_conformance.engine import Engine
from journalspec_conformance.errors import Problem
from journalspec_conformance.products import cache_dir
from journalspec_conformance.result import Result
from journalspec_conformance.running import Prepared, RunRequest
from journalspec_conformance.selection import CRASH, CRASH_WRITE
from journalspec_conformance.wording import FailureGroup, grouped
from journalspec_corpus import Case, Probe
from journalspec_corpus.draws import is_drawn, reduced

#: The number of groups of failures that are listed (with --details also explained). Further groups are only
#: counted.
LISTED = 20
EXPLAINED = 5
#: The number of groups for which the journal of the first failure is reduced.
REDUCED = 5
#: The fingerprint of a failure in which a writer loses acknowledged data.
NOT_DURABLE = "not-durable"
#: Limits of the file of previous failures: its bytes, and the number of implementations in it.
MOST_REMEMBERED = 1 << 22
REMEMBERED = 50


def show_failures(prepared: Prepared, red: Sequence[Result], details: bool, keep: Path | None) -> None:
    """Print the groups of failures, each with its first one; random journals and crash states are reduced."""
    probes = {probe.id: probe for probe in prepared.probes}
    groups = grouped(red)
    smaller = dict(_reduced(prepared, groups, probes))
    wanted = groups[:EXPLAINED] if details else [group for group in groups if group.example.probe in smaller]
    listed = [group for group in groups[:LISTED] if group not in wanted]
    if listed:
        say()
    say_all(group.line for group in listed)
    if len(groups) > LISTED:
        say(f"... and {len(groups) - LISTED} more kinds of failure")
    firsts = [group.example for group in groups]
    examples = {one.probe: smaller.get(one.probe, (one, probes[one.probe].case)) for one in firsts}
    texts = [_explained(prepared, group, *examples[group.example.probe]) for group in wanted]
    # For crash states, print the shortest description first.
    for text in sorted(texts, key=len) if prepared.tier == CRASH else texts:
        say()
        say(text)
    if keep is not None:
        from journalspec_conformance.cli.ask import keep_probe  # noqa: PLC0415 - only failures need it

        for result, case in examples.values():
            kept = next((other for other in case.probes if other.id == result.probe), probes[result.probe])
            say(f"kept: {keep_probe(keep, kept, result)}")
    if details or prepared.tier in (CRASH, CRASH_WRITE):
        say()
    else:
        say("--details explains the failures, --report stores all; `journalspec ask` shows both answers")


def _reduced(
    prepared: Prepared, groups: Sequence[FailureGroup], probes: dict[str, Probe]
) -> Iterator[tuple[str, tuple[Result, Case]]]:
    """For each group of random journals, yield its first failure, with a smaller journal that fails alike."""
    examples = [group.example for group in groups if is_drawn(group.example.probe)]
    if prepared.tier == CRASH:
        yield from _reduced_crashes(prepared, groups, probes)
    if prepared.tier == CRASH_WRITE:
        lost = [group.example for group in groups if group.example.fingerprint == NOT_DURABLE]
        yield from ((result.probe, (result, probes[result.probe].case)) for result in lost)
    examples = [result for result in examples if result.result_class in ("fail", "error", "crash", "timeout")]
    if not examples:
        return
    with closing(prepared.setup.open()) as engine:
        for result in examples[:REDUCED]:
            last = [result]
            # This failure is not reduced, because each attempt would take the whole time limit.
            if result.result_class == "timeout":
                yield result.probe, (result, probes[result.probe].case)
                continue
            case = reduced(probes[result.probe].case, _fails_so(engine, result, last))
            yield result.probe, (replace(last[-1], title=case.title), case)


def _reduced_crashes(
    prepared: Prepared, groups: Sequence[FailureGroup], probes: dict[str, Probe]
) -> Iterator[tuple[str, tuple[Result, Case]]]:
    """For each group, yield its first failure, with the smallest crash state that fails in the same way."""
    from journalspec_conformance.crashes.story import reduced as smallest  # noqa: PLC0415 - only failures need it

    told: set[str] = set()
    with closing(prepared.setup.open()) as engine:
        for group in groups[: REDUCED * REDUCED]:
            result, probe = group.example, probes[group.example.probe]
            small = smallest(engine, probe, result)
            engine.forgive()
            again = result if small is probe else engine.run(small)
            if small.id not in told and len(told) < REDUCED:
                told.add(small.id)
                yield result.probe, (again, small.case) if again.red else (result, probe.case)


def _explained(prepared: Prepared, group: FailureGroup, result: Result, case: Case) -> str:
    """Return the text of the first failure of a `group`, which may have been reduced to `result`."""
    from journalspec_conformance.explain import explain, reproduce  # noqa: PLC0415 - a passing run needs none

    target, first = prepared.setup.target.text, group.example
    repeat = reproduce(first.probe, target, prepared.tier, prepared.repeat)
    if prepared.tier == CRASH:
        from journalspec_conformance.crashes.story import account  # noqa: PLC0415 - only failures need it

        text = "\n".join(map(shown, account(case, result, target, repeat)))
    elif prepared.tier == CRASH_WRITE and result.fingerprint == NOT_DURABLE:
        from journalspec_conformance.crashes.writers import told  # noqa: PLC0415 - only failures need it

        with closing(prepared.setup.open()) as engine:
            text = "\n".join(map(shown, told(engine, case, target, repeat)))
    else:
        text = explain(result, case, target)
    more = (
        f"\n{group.count - 1} more probes fail in this way (--report stores all)" if group.count > 1 else ""
    )
    return text + more


def _fails_so(engine: Engine, result: Result, last: list[Result]) -> Callable[[Case], bool]:
    def fails(case: Case) -> bool:
        probe = next((probe for probe in case.probes if probe.id == result.probe), None)
        if probe is None:
            return False
        engine.forgive()
        found = engine.run(probe)
        same = found.red and (found.result_class, found.fingerprint) == (
            result.result_class,
            result.fingerprint,
        )
        if same:
            # The reducer continues with this case, so the last answer is the answer to the smallest case.
            last.append(found)
        return same

    return fails


def remember(request: RunRequest, prepared: Prepared, red: Sequence[Result]) -> None:
    """Store the failures for --last-failed; if the disk is full, the run does not fail."""
    path = _memory(request)
    names = [result.probe for result in red]
    if not names and not path.is_file():
        return
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(path, json.dumps({"seed": prepared.seed, "count": request.count, "probes": names}))
        known = sorted(path.parent.glob("*.json"), key=lambda other: other.stat().st_mtime)
        for other in known[:-REMEMBERED]:
            other.unlink(missing_ok=True)


def last_failed(request: RunRequest) -> dict[str, Any]:
    """Return what :func:`remember` stored for the last run of this implementation on these cases.

    Raises Problem if there was no such run.
    """
    try:
        found: dict[str, Any] = json.loads(read_bytes(_memory(request), MOST_REMEMBERED))
    except (OSError, ValueError):
        found = {}
    if not found.get("probes"):
        raise Problem(
            "no failures are stored: the last run of this implementation on these cases had no failure,"
            " or there was none",
            "Run it without --last-failed.",
        )
    return found


def _memory(request: RunRequest) -> Path:
    told = [request.impl, request.tier, str(Path.cwd()), *map(str, request.cases)]
    name = hashlib.sha256(json.dumps(told).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return cache_dir().parent / "last-failed" / f"{name}.json"
