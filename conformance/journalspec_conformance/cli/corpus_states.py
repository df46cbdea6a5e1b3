"""``journalspec corpus show`` and ``reduce``: commands about single states of a tier or build."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from journalspec.files import making, refuse_filled, replace_text
from journalspec_conformance.cli import _options
from journalspec_conformance.cli.corpus import Failed
from journalspec_conformance.crashes.story import EngineReader, lived
from journalspec_conformance.errors import Breakdown
from journalspec_conformance.running import RunRequest, setup_of
from journalspec_corpus.case import Case
from journalspec_corpus.crash import explain, reduce
from journalspec_corpus.crash.explain import as_case, case_of
from journalspec_corpus.crash.formats import CrashFormat, Named, named_reader
from journalspec_corpus.crash.oracle import in_words
from journalspec_corpus.crash.reduce import Reduced
from journalspec_corpus.crash.verdict import wrong_effect
from journalspec_corpus.pipeline import failures
from journalspec_corpus.pipeline.failures import BuiltState


@click.command("show", epilog="Exit status: 0 printed, 2 DIR has no build, or no such state.")
@click.argument("directory", type=_options.FILE, metavar="DIR")
@click.option("--case", "case_id", required=True, metavar="ID", help="The state, by its id (32 hex digits).")
@click.option("--json", "as_json", is_flag=True, help="Print everything, with all bytes, as one JSON object.")
def show_command(directory: Path, case_id: str, as_json: bool) -> None:
    """Print the definition of a state of the build in DIR: writes, fsyncs, acknowledgements, the crash.

    ID is a `case_id` of the build's Parquet files, or the id of a published core
    case. The output also has the bytes that reached the disk, the required outcome and the verdicts of the
    build. With --json, another program can recompute the required outcome: the output has all bytes of all
    writes and files, the place of each record, the write that publishes the record, and the earlier records
    at the same place.
    """
    try:
        place = failures.place_of(directory, case_id)
        state = place.state
    except (LookupError, OSError) as error:
        raise click.UsageError(_text(error)) from None
    told = {**explain.as_json(place.adapter, place.workload, state), "verdicts": dict(place.verdicts)}
    if as_json:
        click.echo(json.dumps(told, indent=2))
        return
    for line in _account(place, told):
        click.echo(line)


def _account(place: BuiltState, told: Mapping[str, Any]) -> Iterator[str]:
    """Yield a state in words, line by line."""
    state = place.state
    yield f"case      {told['case']}"
    yield f"workload  {state.trace.name}"
    yield f"preset    {explain.preset_words(state)}"
    yield f"kind      {told['stratum']}, {told['category']}" + (f", {state.field}" if state.field else "")
    safe = [mark["record"] for mark in told["trace"]["before"] if mark["acknowledged"]]
    yield f"durable   {', '.join(safe) or '-'}"
    yield ""
    yield from lived(place.adapter, place.workload, state)
    pieces = told["arrived"].get("pieces", ())
    if pieces:
        yield "In flight:"
        yield from (f"  {loss}" for _, _, loss in explain.pieces(state))
    yield ""
    required = told["owed"]
    for name, words in _REQUIRED.items():
        yield f"{words:<10}{', '.join(required[name]) or '-'}"
    yield f"refusal   {required['refusal']}"
    yield f"states    {len(required['sets'].get('states', ())) or 'not listed'}"
    yield ""
    yield from (f"{name}: {verdict}" for name, verdict in place.verdicts.items())


#: Maps each kind of required outcome to the label that starts its line.
_REQUIRED = {"must_keep": "must keep", "may_keep": "may keep", "must_drop": "must drop"}


_REDUCE_STATUS = (
    "Exit status: 0 it was reduced (or is the smallest already), 1 the state does not fail for that reader,"
    " 2 usage or configuration."
)


@click.command("reduce", epilog=_REDUCE_STATUS)
@click.argument("directory", type=_options.FILE, metavar="DIR")
@click.option("--case", "case_id", required=True, metavar="ID", help="The state, by its id (32 hex digits).")
@click.option(
    "--reader",
    "name",
    default="",
    metavar="NAME",
    help="The failing reader of the build. Default: the first failing reader.",
)
@click.option("--impl", default="", metavar="IMPL", help="An implementation instead of a reader.")
@click.option("--policy", default="", metavar="P", help="With --impl: the policy. Default: the first policy.")
@click.option(
    "--out",
    type=_options.FILE,
    metavar="DIR2",
    help="Write both states as cases, and the files of the small state.",
)
@click.option(
    "--budget", type=click.IntRange(1), default=20_000, show_default=True, metavar="N", help="Reader calls."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def reduce_command(
    directory: Path,
    case_id: str,
    name: str,
    impl: str,
    policy: str,
    out: Path | None,
    budget: int,
    as_json: bool,
) -> None:
    """Reduce a failing state of the build in DIR to the smallest one that fails in the same way.

    ID is a `case_id` of the build's Parquet files, or the id of a published core
    case. The verdict stays the same. The command removes, in this order: records, sectors that did not reach
    the disk, weak guarantees, backgrounds, bytes of payload and alignment. A deviation is a sector, size or
    name that differs from a state in which all writes (or none) reached the disk.
    """
    if out is not None:
        refuse_filled(out)
    try:
        place = failures.place_of(directory, case_id)
        reader = _reader(place, name, impl, policy)
        verdict = failures.verdict_of(place, reader)
    except (LookupError, OSError) as error:
        raise click.UsageError(_text(error)) from None
    with Console(stderr=True).status(f"{verdict}: reducing") as status:
        try:
            found = reduce.reduce_state(
                place.adapter,
                place.workload,
                place.descriptor,
                reader,
                verdict,
                budget=budget,
                progress=lambda tried, what: status.update(f"{tried:,} tried; {what}"),
            )
        except reduce.NotFailing as error:
            raise Failed(
                f"{place.case_id}: nothing to reduce: {error}; `corpus show` prints any state"
            ) from None
        except Breakdown as error:
            raise Failed(f"{reader.name} failed: {error.reason}") from None
    small, large = as_case(place.adapter, found), case_of(place.adapter, place.state)
    if out is not None:
        # If the reduction removed nothing, both cases are the same, so the case is written once. Only the
        # reduced case is written with files.
        lines = {case.id: json.dumps(case.to_json(), separators=(",", ":")) + "\n" for case in (large, small)}
        with making(out) as made:
            replace_text(made / "cases.jsonl", "".join(lines.values()))
            small.materialize(made / small.id)
    if as_json:
        click.echo(json.dumps(_summary(found, small, large), indent=2))
        return
    for line in _words(place.adapter, found, reader, small):
        click.echo(line)
    if out is not None:
        click.echo(f"in {out}: cases.jsonl, files of the small state in {small.id}/")


def _text(error: Exception) -> str:
    return str(error.args[0]) if isinstance(error, LookupError) and error.args else str(error)


def _reader(place: BuiltState, name: str, impl: str, policy: str) -> Named:
    """Return the implementation to ask; raises LookupError, UsageError, Problem or a Breakdown."""
    adapter = place.adapter
    if not impl:
        return named_reader(adapter.format, name or place.first_failing())
    if name:
        raise click.UsageError("--reader and --impl exclude each other")
    chosen = policy or adapter.readers[0]
    salvaging = adapter.salvages(chosen)
    engine = setup_of(RunRequest(impl)).open()
    click.get_current_context().call_on_close(engine.close)
    return Named(impl, EngineReader(engine, adapter, chosen), salvaging)


def _summary(found: Reduced, small: Case, large: Case) -> dict[str, Any]:
    return {
        "case": small.id,
        "shrunk_from": large.id,
        "verdict": found.verdict,
        "breaks": list(found.breaks),
        "records": found.records,
        "deviations": found.state.deviations,
        "earlier_deviations": found.earlier,
        "workload": found.workload.name,
        "descriptor": {**asdict(found.descriptor), "mask": found.descriptor.mask.hex()},
        "steps": [{"how": step.how, "workload": step.workload} for step in found.steps],
        "tried": found.tried,
        "minimal": found.minimal,
    }


def _words(adapter: CrashFormat, found: Reduced, reader: Named, small: Case) -> list[str]:
    """Return the lines on the reduced state: the failure, and the parts that could not be removed."""
    state, wrong = found.state, wrong_effect(found.answer, found.state.situation.expected)
    nothing = "nothing: it is the smallest already" if found.minimal else "nothing so far"
    out = [
        f"{found.verdict} ({', '.join(found.breaks) or 'no invariant'}) by {reader.name}: "
        f"{_count(found.records, 'record')}, {_count(found.state.deviations, 'deviation')}"
        + (f" and {found.earlier} in the crash before" if found.earlier else "")
        + f"; {found.tried:,} tried"
        + ("" if found.minimal else "; the budget is used up, a smaller state is possible"),
        *([] if wrong is None else [f"effect    {in_words(wrong)}"]),
        f"case      {small.id}",
        f"workload  {found.workload.name}",
        f"preset    {explain.preset_words(state)}",
        f"removed   {', '.join(step.how for step in found.steps) or nothing}",
        "",
    ]
    return [*out, *lived(adapter, found.workload, state)]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
