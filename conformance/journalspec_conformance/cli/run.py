"""``journalspec run`` and ``smoke``: tests an implementation, or checks that its harness works at all."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from journalspec.files import shown
from journalspec_conformance import running
from journalspec_conformance.cli import _options
from journalspec_conformance.cli._tables import say, say_all, show_table, with_progress
from journalspec_conformance.cli.failures import last_failed, remember, show_failures
from journalspec_conformance.connection import Hello
from journalspec_conformance.engine import Engine
from journalspec_conformance.errors import Problem
from journalspec_conformance.report import (
    corpus_digest,
    count,
    counts_by_format,
    make_header,
    open_report,
    write_report,
)
from journalspec_conformance.result import CLASSES, Result
from journalspec_conformance.running import Prepared, RunRequest, prepare
from journalspec_conformance.selection import CRASH, CRASH_WRITE
from journalspec_conformance.wording import UNJUDGED, github_annotations, grouped, judged_and_not
from journalspec_corpus import Probe
from journalspec_corpus.draws import COUNT, MOST_SEED

#: Number of undamaged journals that `smoke` asks about, per format, edition and operation.
PER_KIND = 2


#: Two groups of options: the first selects the questions, the second reports the answers.
_asking = _options.apply(
    _options.level(),
    click.option(
        "--expect",
        metavar="FILE",
        help="The expectation file of known failures. Default: that of the harness, if any; none: no file.",
    ),
    click.option(
        "--report",
        type=_options.FILE,
        metavar="FILE",
        help="Write a report (JSON lines) to FILE, compressed if it ends in .gz.",
    ),
    click.option(
        "--jobs",
        type=_options.JOBS,
        default=0,
        metavar="N",
        help="Processes; 0 (default): chosen automatically.",
    ),
    click.option("--validate", is_flag=True, help="Check every message against the protocol's schemas."),
    click.option(
        "--enforce-should", is_flag=True, help="Fail on a should that is not followed (never on a may)."
    ),
    click.option("-x", "--exit-first", "stop", is_flag=True, help="Stop at the first failure."),
    click.option(
        "--last-failed",
        "again",
        is_flag=True,
        help="Only the failures of the last run of IMPL in this directory.",
    ),
    click.option(
        "--keep",
        type=_options.FILE,
        metavar="DIR",
        help="Keep the first failure of each kind below DIR: journal, expected answer, answer.",
    ),
    click.option("--details", is_flag=True, help="Explain failures: requirement, difference, bytes."),
    click.option(
        "--min-judged",
        type=click.IntRange(1),
        default=1,
        metavar="N",
        help="Fail if fewer probes are judged: declared, asked and answered.",
    ),
    click.option(
        "--json", "as_json", is_flag=True, help="Print a summary as one JSON object instead of tables."
    ),
)


@click.command("run", epilog=_options.EXIT_STATUS)
@_options.implementation()
@_options.selection(
    ", drawn (random journals), crash (states that a crash may leave), crash-write (states that a "
    "crash may leave of the writes of IMPL), or all: smoke, captured, worst and drawn"
)
@click.option(
    "--seed",
    type=click.IntRange(0, MOST_SEED),
    metavar="N",
    help="Seed of random journals and crash states; the same seed gives the same ones. Default: a new seed.",
)
@click.option(
    "--count",
    type=click.IntRange(1),
    default=COUNT,
    show_default=True,
    metavar="N",
    help="Random journals, or crash states, of each format; in the tier crash-write, states of each case.",
)
@click.option(
    "--preset",
    default=running.PRESET,
    show_default=True,
    metavar="P",
    help="The model of the disk for the tier crash-write.",
)
@_asking
def run_command(**options: Any) -> None:
    """Ask IMPL about every selected probe of the corpus and judge its answers.

    The tier `crash` needs no build: it asks IMPL about files as a crash may leave them, and judges the
    answers by the operations acknowledged before the crash. A failure is reduced to few operations and
    printed from the first write. With --cases DIR, the states are those of a build.

    The tier `crash-write` lets IMPL write and report its storage operations. The reference recovers the
    states that a crash may leave of these writes, and must find every record that IMPL acknowledged.

    On GitHub (GITHUB_ACTIONS=true), failures are also printed as annotations.
    """
    _run(**options)


@click.command("judge", epilog=_options.EXIT_STATUS)
@click.argument("directory", type=_options.FILE, metavar="DIR")
@_options.implementation()
@_options.select()
@click.option(
    "--count",
    type=click.IntRange(0),
    default=5000,
    show_default=True,
    metavar="N",
    help="The number of states, if possible equal for each class; 0: all.",
)
@_asking
def judge_command(directory: Path, **options: Any) -> None:
    """Judge IMPL on the crash states of the build in DIR: `run --tier crash --cases DIR`.

    The required outcome follows from the writes, fsyncs and acknowledgements before the crash. A loss that
    the format itself cannot prevent is allowed if IMPL answers as the specification requires. Every loss
    after an fsync that the device acknowledged and did not perform is allowed as well.
    """
    _run(tier=CRASH, cases=(directory,), **options)


def _run(
    *,
    report: Path | None,
    jobs: int,
    details: bool,
    min_judged: int,
    as_json: bool,
    stop: bool,
    again: bool,
    keep: Path | None,
    **options: Any,
) -> None:
    """Run the request that the options describe, print the results, and end with the exit status."""
    request = RunRequest(**options)
    prepared = _failed_before(request) if again else prepare(request)
    if report is not None:
        _refuse_overwriting(report, prepared, request)
    results: list[Result] = []
    unwritten = None
    try:
        run_prepared(prepared, request, report, jobs, results, stop=stop)
    except OSError as error:
        if len(results) < len(prepared.probes):
            raise
        # Only the report could not be written. The results are shown first, because the run may have taken
        # hours.
        unwritten = error
    red = [result for result in results if result.red]
    remember(request, prepared, red)
    if as_json:
        say(json.dumps(_summary(prepared, results, red)))
    else:
        show(prepared, results, red, details, keep)
        if os.environ.get("GITHUB_ACTIONS") == "true":
            say_all(github_annotations(results, prepared.setup.target.text))
    if unwritten is not None:
        raise unwritten
    if not (stop and red):
        _refuse_silence(results, len(prepared.probes), min_judged)
    raise click.exceptions.Exit(int(bool(red)))


def _failed_before(request: RunRequest) -> Prepared:
    """Return the run of a request with only the probes that failed last time; raises Problem."""
    before = last_failed(request)
    failed = frozenset(before["probes"])
    if request.seed is None and before["seed"] is not None:
        request = replace(request, seed=before["seed"], count=before["count"])
    prepared = prepare(request)
    probes = tuple(probe for probe in prepared.probes if probe.id in failed)
    if not probes:
        raise Problem("the probes of the last failures no longer exist", "Leave out --last-failed.")
    return replace(prepared, probes=probes)


def _refuse_overwriting(report: Path, prepared: Prepared, request: RunRequest) -> None:
    """Raise Problem if the report would replace an input file, even under another name."""
    shipped = prepared.setup.target.expectations
    expect = shipped if request.expect is None else Path(request.expect)
    read = [(f"--cases {path}", path) for path in request.cases]
    read += [] if expect is None else [(f"--expect {expect}", expect)]
    for name, path in read:
        for found in path.rglob("*") if path.is_dir() else [path]:
            if report.exists() and found.exists() and found.samefile(report):
                raise Problem(
                    f"--report {shown(str(report))} is the same file as {shown(name)}: it would be lost",
                    "Name another file.",
                )


def _refuse_silence(results: Sequence[Result], asked: int, least: int) -> None:
    """Raise Problem if fewer than `least` probes were judged, or if results are missing."""
    if len(results) != asked:
        raise Problem(f"{asked - len(results)} of {asked} probes have no result: the run was cut off")
    reasons = Counter(result.reason for result in results if result.result_class in UNJUDGED)
    judged = len(results) - reasons.total()
    if judged >= least:
        return
    most = "".join(f", {reason} ({number})" for reason, number in reasons.most_common(3)).lstrip(",")
    if judged:
        raise Problem(
            f"{judged} of {asked} probes were judged, but at least {least} are required{most and ':'}{most}",
            "Compare the implementation's declaration (`journalspec smoke`) with --min-judged.",
        )
    raise Problem(
        f"nothing was judged: none of {asked} probes is supported:{most}",
        "Compare the implementation's declaration (`journalspec smoke`) with `journalspec formats`.",
    )


def run_prepared(
    prepared: Prepared,
    request: RunRequest,
    report: Path | None,
    jobs: int,
    results: list[Result],
    *,
    stop: bool = False,
) -> None:
    """Append all results to `results`, in order; then write the report, if one is requested.

    With `stop`, the run ends after the first failed probe.

    If the report cannot be opened, the run ends before the first question. Raises OSError.
    """
    with ExitStack() as stack:
        stream = None if report is None else stack.enter_context(open_report(report))
        engine = stack.enter_context(closing(prepared.setup.open()))
        found = running.run_probes(
            prepared.setup, prepared.probes, running.choose_jobs(jobs, len(prepared.probes)), engine
        )
        with closing(found):
            for result in with_progress(found, len(prepared.probes), engine.hello.name):
                results.append(result)
                if stop and result.red:
                    break
        if stream is None:
            return
        corpus = corpus_digest(prepared.probes)
        options = running.header_options(request, prepared.seed)
        header = make_header(engine.hello.impl, request.impl, prepared.tier, corpus, **options)
        write_report(stream, header, results)


def show(
    prepared: Prepared, results: Sequence[Result], red: Sequence[Result], details: bool, keep: Path | None
) -> None:
    """Print counts per format, the failed probes (`red`), and the expected failures."""
    by_format = counts_by_format(results)
    classes = [name for name in CLASSES if any(found[name] for found in by_format.values())]
    rows = [[name, *(str(found[entry] or "") for entry in classes)] for name, found in by_format.items()]
    show_table(["format", *classes], rows)
    if prepared.seed is not None:
        what = "crash states" if prepared.tier in (CRASH, CRASH_WRITE) else "draws"
        say(f"{what}: seed {prepared.seed} (--seed {prepared.seed} repeats them)")
    if not red:
        judged = any(CLASSES[result.result_class].judged for result in results)
        say(f"{'as expected: ' if judged else ''}{judged_and_not(results)}")
        return
    show_failures(prepared, red, details, keep)
    say(f"{len(red)} of {len(results)} probes failed: {judged_and_not(results)}")


def _summary(prepared: Prepared, results: Sequence[Result], red: Sequence[Result]) -> dict[str, Any]:
    failed = [
        {"probe": r.probe, "class": r.result_class, "fingerprint": r.fingerprint, "reason": r.reason}
        for r in red
    ]
    return {
        "target": prepared.setup.target.text,
        "tier": prepared.tier,
        **({} if prepared.seed is None else {"seed": str(prepared.seed)}),
        "probes": len(results),
        "counts": count(results),
        "judged": sum(result.result_class not in UNJUDGED for result in results),
        "groups": [group.to_json() for group in grouped(red)],
        "failed": failed,
    }


@click.command(
    "smoke",
    epilog=_options.EXIT_STATUS
    + " The most likely cause of a failure is the harness, not the implementation.",
)
@_options.implementation()
def smoke_command(**options: Any) -> None:
    """Ask IMPL a few easy questions about undamaged journals, and check every message."""
    prepared = prepare(RunRequest(**options, validate=True, expect="none"))
    engine = prepared.setup.open()
    try:
        _introduce(engine.hello)
        probes = list(_easy(engine, prepared.probes))
        if not probes:
            raise Problem(
                f"{engine.hello.name} declares no capability that the corpus tests",
                "Check `formats` in the answer to hello; `journalspec formats` lists the formats.",
            )
        results = [engine.run(probe) for probe in probes]
    finally:
        engine.close()
    show_table(
        ["probe", "class", "what"],
        [
            [r.probe, r.result_class, " ".join(part for part in (r.fingerprint, r.reason) if part)]
            for r in results
        ],
    )
    red = [result for result in results if result.red]
    for result in red:
        if result.stderr:
            say(f"standard error at {result.probe}:", err=True)
            say_all((shown(line) for line in result.stderr.strip()[-2000:].splitlines()), err=True)
    if red:
        say(f"{len(red)} of {len(results)} easy questions failed: check the harness first")
        raise click.exceptions.Exit(1)
    say(f"ready: journalspec run --impl {prepared.setup.target.text!r}")


def _introduce(hello: Hello) -> None:
    rows = [
        [
            name,
            " ".join(sorted(claims.editions)),
            " ".join(sorted(claims.ops)),
            claims.observe.name.lower(),
            " ".join(sorted(claims.policies)),
            " ".join(sorted(claims.features)),
        ]
        for name, claims in sorted(hello.formats.items())
    ]
    show_table(["format", "editions", "operations", "level", "policies", "features"], rows, hello.name)
    say()


def _easy(engine: Engine, probes: Sequence[Probe]) -> Iterator[Probe]:
    """Yield the first probes of undamaged journals whose questions the implementation declares to support."""
    seen: dict[tuple[str, str, str], int] = {}
    for probe in probes:
        kind = (probe.case.format, probe.case.edition, probe.op)
        clean = all(entry.get("verdict") == "clean" for entry in probe.expect) and len(probe.expect) == 1
        if clean and seen.get(kind, 0) < PER_KIND and engine.unsupported(probe) is None:
            seen[kind] = seen.get(kind, 0) + 1
            yield probe
