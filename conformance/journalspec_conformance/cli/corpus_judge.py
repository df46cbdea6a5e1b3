"""``journalspec corpus judge``: what an implementation loses or invents after a crash."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import click

from journalspec.files import making, refuse_filled, replace_text
from journalspec.formats import format_ids, get_format
from journalspec_conformance.cli import _options
from journalspec_conformance.cli._tables import progress_bar, say, show_table
from journalspec_conformance.cli.corpus import format_with_traces
from journalspec_conformance.connect import Target
from journalspec_conformance.connection import Hello
from journalspec_conformance.crashes.asking import TIMEOUT
from journalspec_conformance.crashes.choose import Choice, Selection
from journalspec_conformance.crashes.run import Job, JudgingWorkers, claims_of, policies_of
from journalspec_conformance.crashes.tally import (
    FAILURES,
    SHRUNK,
    SUMMARY,
    Failing,
    failing,
    representatives,
    summary,
    write_lines,
    write_verdicts,
)
from journalspec_conformance.crashes.verdicts import BREAKDOWNS, Judged, KnownKind, compare, load_known
from journalspec_conformance.engine import BREAKDOWN_LIMIT
from journalspec_conformance.errors import Problem
from journalspec_conformance.running import RunRequest, setup_of
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.trace import STRATA
from journalspec_corpus.crash.verdict import limits
from journalspec_corpus.pipeline.plan import Plan

#: A worker process takes a second to start; below so many states it does not pay.
_STATES_PER_JOB = 500
_EPILOG = (
    "Exit status: 0 nothing failed, or only kinds in the file of known ones; 1 something failed, or it broke"
    f" down {BREAKDOWN_LIMIT} times in a row and was not asked any more; 2 usage or configuration."
    " Failures where a force was a lie (stratum L) do not count;"
    " nor does what the format itself cannot promise, where IMPL answers as the specification says."
)


@click.command("judge", epilog=_EPILOG)
@_options.implementation(timeout="2")
@click.option("--format", "format_id", metavar="F", help="The format; needed if IMPL recovers several.")
@click.option(
    "--tier",
    type=click.Choice(["smoke", "core", "full"]),
    default="core",
    show_default=True,
    metavar="T",
    help="Tier: smoke, core or full.",
)
@click.option(
    "--count",
    type=click.IntRange(0),
    default=5000,
    show_default=True,
    metavar="N",
    help="How many states, the same number of each class as far as there are so many; 0: all.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=1,
    show_default=True,
    metavar="S",
    help="What is drawn depends on it alone.",
)
@click.option("--every", type=click.IntRange(1), default=1, metavar="N", help="Take each N-th workload only.")
@click.option(
    "--editions",
    metavar="E,..",
    help="Only these editions, be they declared by IMPL or not. Default: all that IMPL declares.",
)
@click.option("--writers", metavar="W,..", help="Only states of these orders of writes. Default: all.")
@click.option("--strata", metavar="S,..", help="Only these strata (R, L, C). Default: all.")
@click.option(
    "--policies",
    metavar="P,..",
    help="Only these policies. Crash states are judged under strict, and under the one that goes on over"
    " damage: salvage, or default in a format without it. Default: both, as far as IMPL declares them.",
)
@click.option("--expect", type=_options.FILE, metavar="FILE", help="Kinds of failure that are known (TOML).")
@click.option("--no-limits", is_flag=True, help="Count also what the format itself cannot promise.")
@click.option(
    "--out",
    type=_options.FILE,
    metavar="DIR",
    help="A new directory: all verdicts, and one failure of each class. It is there when all is done.",
)
@click.option(
    "--shrink",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Make one failure of each kind as small as N questions allow; with --out, as cases too.",
)
@click.option(
    "--jobs", type=_options.JOBS, default=0, metavar="N", help="Processes; 0 (default): as many as pay."
)
@click.option("--json", "as_json", is_flag=True, help="Print a summary as one JSON object instead of tables.")
def command(**options: Any) -> None:
    """Let IMPL recover crash states of a format's corpus, and judge what it keeps, loses and invents.

    What is owed follows from the writes, forces and acknowledgements before the
    crash. No other reader is asked. A state that is not answered in time (2 s) is
    tried again in a new process, and then counted as a hang. An implementation that
    used the processor all that time is not asked again.
    """
    asked = _Asked(**options)
    asked.run()
    raise click.exceptions.Exit(asked.status)


class _Asked(SimpleNamespace):
    """The options of the command as the user gave them, and what came of them."""

    status = 0

    def run(self) -> None:
        """Choose, ask, judge, write and print. Raises Problem."""
        started, cpu = time.monotonic(), sum(os.times()[:4])
        known = None if self.expect is None else load_known(self.expect)
        asked = RunRequest(self.impl, self.mode, timeout=self.timeout)
        setup = setup_of(replace(asked, max_memory=self.max_memory, max_disk=self.max_disk))
        with closing(setup.open()) as engine:
            hello = engine.hello
        job, selection = self._prepared(setup.target, hello)
        plan, cores = selection.plan, os.cpu_count() or 1
        jobs = self.jobs or (max(1, min(cores, self.count // _STATES_PER_JOB)) if self.count else cores)
        if self.out is not None:
            refuse_filled(self.out)
        with JudgingWorkers(job, jobs) as workers:
            choice = workers.choose(selection)
            if not choice.states:
                raise Problem("no state fits: look at --tier, --editions, --writers, --strata and --every")
            chosen = time.monotonic() - started
            judged, stopped = _judged(workers, choice)
            failures = failing(choice, judged)
            seconds = time.monotonic() - started
            shrunk = workers.smallest(failures, self.shrink) if self.shrink and not stopped else []
        facts: dict[str, Any] = {
            "impl": dict(hello.impl),
            "format": job.format,
            "plan": plan.to_json(),
            "editions": list(selection.editions),
            "writers": list(selection.writers),
            "policies": list(job.policies),
            "timeout": job.timeout,
            "workloads": len(plan.workloads()),
            "workloads_of": len(replace(plan, every=1).workloads()),
            "stopped": stopped,
            **summary(choice, judged),
            "shrunk": [entry.told for entry in shrunk],
        }
        facts["run"] = {
            "seconds": round(seconds, 2),
            "choosing_seconds": round(chosen, 2),
            # Processes count once they have ended; what shrinking took is among it.
            "cpu_seconds": round(sum(os.times()[:4]) - cpu, 2),
            "states_per_second": round(facts["states"] / seconds, 1),
            "jobs": jobs,
            "cores": cores,
        }
        self._conclude(facts, failures, known)
        # Last: whatever becomes of the disk, what hours have found stands on the screen.
        if self.out is not None:
            with making(self.out) as place:
                write_verdicts(place, choice, judged)
                write_lines(place / FAILURES, representatives(choice, judged))
                if self.shrink:
                    write_lines(place / SHRUNK, (entry.case.to_json() for entry in shrunk))
                replace_text(place / SUMMARY, json.dumps(facts, indent=2) + "\n")

    def _prepared(self, target: Target, hello: Hello) -> tuple[Job, Selection]:
        names = (
            [self.format_id] if self.format_id else [name for name in format_ids() if name in hello.formats]
        )
        format_id = format_with_traces(names)
        declared = claims_of(hello, format_id)
        policies = policies_of(declared, crash_format(format_id), _split(self.policies))
        known = get_format(format_id).editions if self.editions else declared.editions
        editions = _among("edition", self.editions, sorted(known))
        strata = _among("stratum", self.strata, tuple(STRATA)) if self.strata else ()
        if tuple(strata) == ("L",) and not self.no_limits:
            raise Problem(
                "states of stratum L alone can fail nothing: what follows a lie about a force does not count",
                "Add another stratum, or count everything with --no-limits.",
            )
        plan = Plan(format_id, self.tier, self.seed, every=self.every)
        job = Job(target, format_id, policies, self.timeout or TIMEOUT, self.no_limits)
        return job, Selection(plan, self.count, editions, _split(self.writers), strata)

    def _conclude(
        self, facts: dict[str, Any], failures: Sequence[Failing], known: Sequence[KnownKind] | None
    ) -> None:
        names = {name for by in facts["verdicts"].values() for of in by.values() for name in of}
        if names <= {"unsupported"}:
            raise Problem("nothing was judged: every state is unsupported", "Look at what IMPL declares.")
        new, _ = compare((entry.kind for entry in failures if entry.counted), known or ())
        # What is known and seen is not gone, even if all of it turns out to be the format's.
        _, gone = compare((entry.kind for entry in failures), known or ())
        # What was not asked any more is never known.
        self.status = 1 if new or facts["stopped"] else 0
        excused = sum((entry.limits for entry in failures), Counter())
        facts["limits"] = [
            {"limit": limit.id, "answers": excused[limit.id], "why": limit.why, "rules": list(limit.rules)}
            for limit in limits(facts["format"])
            if excused[limit.id]
        ]
        facts["new"] = [str(kind) for kind in new]
        facts["gone"] = [str(entry) for entry in gone]
        if self.as_json:
            say(json.dumps(facts))
            return
        _show(facts)
        for entry in gone:
            say(f"known, but not seen: {entry} ({entry.why})")
        if known is not None:
            for kind in new:
                say(f"new: {kind}")


def _judged(workers: JudgingWorkers, choice: Choice) -> tuple[list[Judged], bool]:
    """Return what came of asking, and whether it was ended since nothing answered any more."""
    judged: list[Judged] = []
    silent = 0
    with progress_bar() as show:
        total = len(choice.states)
        with closing(workers.judge(choice, lambda done: show("states", done, total))) as answered:
            for entry in answered:
                judged.append(entry)
                silent = silent + 1 if entry.verdict.name in BREAKDOWNS else 0
                if silent >= BREAKDOWN_LIMIT:
                    return judged, True
    return judged, False


def _split(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _among(what: str, text: str | None, known: Sequence[str]) -> tuple[str, ...]:
    """Return the chosen ones of `known`, all of them by default; raises Problem."""
    wanted = _split(text)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise Problem(f"no {what} {', '.join(unknown)}", f"Known are {', '.join(known)}.")
    return wanted or tuple(known)


def _show(facts: dict[str, Any]) -> None:
    run, failures = facts["run"], facts["failures"]
    say(
        f"{facts['states']:,} distinct states of {facts['distinct']:,} in {facts['classes']} classes"
        f" ({facts['generated']:,} generated from {facts['traces']:,} traces); {facts['answers']:,} answers;"
        f" {run['seconds']} s with {run['jobs']} process(es) on {run['cores']} cores, everything included:"
        f" {run['states_per_second']} states/s ({run['cpu_seconds']} s of processor time);"
        f" {run['choosing_seconds']} s of them to choose states"
    )
    if facts["workloads"] < facts["workloads_of"]:
        say(f"only {facts['workloads']:,} of {facts['workloads_of']:,} workloads were taken (--every)")
    if facts["stopped"]:
        say(
            f"stopped: it broke down {BREAKDOWN_LIMIT} times in a row;"
            f" {facts['not_asked']:,} states were not asked about, which is a failure"
        )
    elif facts["not_asked"] or facts["hangs"]:
        say(
            f"{facts['hangs']} times there was no answer within {facts['timeout']:g} s;"
            f" {facts['retried']} asked twice; {facts['not_asked']} left out after others like them hung"
        )
    rows = [(stratum, policy, of) for stratum, by in facts["verdicts"].items() for policy, of in by.items()]
    names = sorted({name for *_, of in rows for name in of})
    show_table(
        ["stratum", "policy", *names],
        [[stratum, policy, *(f"{of.get(name, 0):,}" for name in names)] for stratum, policy, of in rows],
    )
    for stratum, broken in facts["invariants"].items():
        counts = ", ".join(f"{name}: {count:,}" for name, count in broken.items())
        say(f"invariants broken in stratum {stratum}: {counts}")
    states = {entry["kind"]: sum(entry["states"].values()) for entry in failures}
    counted = [entry for entry in failures if entry["counted"]]
    if counted:
        show_table(
            ["failing kind", "count", "of", "strongest preset", "example"],
            [
                [
                    entry["kind"],
                    f"{entry['counted']:,}",
                    f"{states[entry['kind']]:,}",
                    entry["strongest_preset"],
                    entry["representative"]["workload"],
                ]
                for entry in counted
            ],
            title="failures (stratum/verdict/category/policy/writer)",
        )
    for entry in counted:
        effect = entry["representative"]["answer"].get("effect")
        if effect:
            say(f"{entry['kind']}: {effect}")
    if facts["limits"]:
        limits_met = [[entry["limit"], f"{entry['answers']:,}", entry["why"]] for entry in facts["limits"]]
        title = "what the format itself cannot promise, answered as the specification says (does not count)"
        show_table(["limit", "answers", "why"], limits_met, title=title)
    failed, count = sum(states.values()), sum(entry["counted"] for entry in counted)
    excused = sum(entry["answers"] for entry in facts["limits"])
    say(
        f"{facts['answers']:,} answers judged: {failed:,} failures, {count:,} of them count,"
        f" {excused:,} are limits of the format, {failed - count - excused:,} follow a lie about a force"
    )
    if facts["shrunk"]:
        show_table(
            ["smallest of its kind", "records", "deviations", "preset", "state"],
            [
                [
                    entry["kind"],
                    str(entry["records"]),
                    str(entry["deviations"]),
                    entry["preset"],
                    f"{entry['workload']} after operation {entry['crash_index']}",
                ]
                for entry in facts["shrunk"]
            ],
        )
