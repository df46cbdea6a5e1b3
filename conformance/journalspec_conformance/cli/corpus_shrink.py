"""``journalspec corpus shrink``: the smallest crash state that fails in the same way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from journalspec.files import making, refuse_filled, replace_text
from journalspec_conformance.cli import _options
from journalspec_conformance.connect import parse_impl
from journalspec_conformance.errors import Breakdown, Problem

if TYPE_CHECKING:
    from journalspec_corpus.case import Case
    from journalspec_corpus.crash.adapter import CrashFormat
    from journalspec_corpus.crash.reading import Named
    from journalspec_corpus.crash.reduction import Reduced, State
    from journalspec_corpus.pipeline.failures import Place

_NEEDS = "journalspec corpus shrink needs NumPy, PyArrow and Numba: pip install 'journalspec[corpus]'"
_EPILOG = (
    "Exit status: 0 it was shrunk (or is the smallest already), 1 the state does not fail for that reader,"
    " 2 usage or configuration."
)


class _NotFailing(click.ClickException):
    """There is nothing to shrink; exit status 1."""

    exit_code = 1


@click.command("shrink", epilog=_EPILOG)
@click.argument("directory", type=_options.FILE, metavar="DIR")
@click.option("--case", "case_id", default="", metavar="ID", help="The state, by its id (32 hex digits).")
@click.option(
    "--kinds", is_flag=True, help="Instead of one state: one of every kind of failure in the build."
)
@click.option(
    "--reader",
    "name",
    default="",
    metavar="NAME",
    help="Who fails: a reader of the build, mutant:ID or mutant:ID/POLICY. Default: the first that does.",
)
@click.option("--impl", default="", metavar="IMPL", help="An implementation instead of a reader.")
@click.option("--policy", default="", metavar="P", help="With --impl: the policy. Default: the first one.")
@click.option(
    "--out",
    type=_options.FILE,
    metavar="DIR2",
    help="Write both forms as cases and the files of the small one.",
)
@click.option(
    "--budget", type=click.IntRange(1), default=20_000, show_default=True, metavar="N", help="Reader calls."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def command(**options: Any) -> None:
    """Shrink a failing state of the build in DIR to the smallest one that fails in the same way.

    ID is a `case_id` of the build's Parquet files, or the id of a published core
    case. What stays is the verdict; what goes, in this order, are records, sectors that
    did not arrive, weak guarantees, backgrounds, bytes of payload and alignment.
    With --kinds, one state of each stratum, writer, category, reader and verdict
    is shrunk, and a table says how small they get.
    """
    if bool(options["case_id"]) == options["kinds"]:
        raise click.UsageError("give either --case ID or --kinds")
    try:
        from journalspec_corpus.crash import reduction as shrink  # noqa: PLC0415  # needs optional parts
        from journalspec_corpus.pipeline import failures as shrink_find  # noqa: PLC0415  # needs optional parts
    except ImportError as error:
        raise click.UsageError(f"{_NEEDS} ({error})") from None
    if options["out"] is not None:
        refuse_filled(options["out"])
    if options["kinds"]:
        _kinds(options)
        return
    try:
        place = shrink_find.place_of(options["directory"], options["case_id"])
        reader = _reader(place, options)
        verdict = shrink_find.verdict_of(place, reader)
    except (LookupError, OSError) as error:
        raise click.UsageError(_text(error)) from None
    said = Console(stderr=True)
    with said.status(f"{verdict}: shrinking") as status:
        try:
            found = shrink.reduce_state(
                place.adapter,
                place.workload,
                place.descriptor,
                reader.reader,
                verdict,
                salvaging=reader.salvaging,
                budget=options["budget"],
                progress=lambda tried, what: status.update(f"{tried:,} tried; {what}"),
            )
        except shrink.NotFailing as error:
            raise _NotFailing(f"{options['case_id']}: nothing to shrink: {error}") from None
        except Breakdown as error:
            raise _NotFailing(f"{options['impl']} broke down: {error.reason}") from None
    small, large = _cases(place, found)
    if options["out"] is not None:
        _write(options["out"], small, large)
    if options["as_json"]:
        click.echo(json.dumps(_summary(found, small, large), indent=2))
    else:
        for line in _words(place.adapter, found, reader, small):
            click.echo(line)
        if options["out"] is not None:
            click.echo(f"in {options['out']}: cases.jsonl, files of the small state in {small.id}/")


def _kinds(options: dict[str, Any]) -> None:
    from journalspec_conformance.cli.corpus_shrink_kinds import shrink_kinds  # noqa: PLC0415  # needs them too

    if options["impl"]:
        raise click.UsageError("--kinds goes by the verdicts in the build: --impl has none there")
    try:
        shrink_kinds(
            options["directory"],
            options["name"],
            options["out"],
            options["budget"],
            as_json=options["as_json"],
        )
    except (LookupError, OSError) as error:
        raise click.UsageError(_text(error)) from None


def _text(error: Exception) -> str:
    return str(error.args[0]) if isinstance(error, LookupError) and error.args else str(error)


def _reader(place: Place, options: dict[str, Any]) -> Named:
    """Return who is asked; raises LookupError or UsageError."""
    from journalspec_corpus.crash.reading import named_reader  # noqa: PLC0415  # needs optional parts

    if not options["impl"]:
        return named_reader(place.adapter.format, options["name"] or place.first_failing())
    if options["name"]:
        raise click.UsageError("--reader and --impl exclude each other")
    return _implementation(place.adapter, options["impl"], options["policy"])


def _implementation(adapter: CrashFormat, impl: str, policy: str) -> Named:
    from journalspec_conformance.crashes.asking import Asker  # noqa: PLC0415  # needs optional parts
    from journalspec_conformance.crashes.shrinking import ImplementationReader  # noqa: PLC0415
    from journalspec_corpus.crash.reading import Named  # noqa: PLC0415  # needs optional parts

    policies = list(adapter.policies.values())
    chosen = policy or policies[0]
    if chosen not in policies:
        raise click.UsageError(f"no policy {chosen!r}: choose one of {', '.join(policies)}")
    try:
        asker = Asker(parse_impl(impl), adapter.format, adapter.answer)
    except (Problem, Breakdown) as error:
        raise click.UsageError(str(error)) from None
    click.get_current_context().call_on_close(asker.close)
    salvaging = any(name in adapter.salvaging for name, known in adapter.policies.items() if known == chosen)
    return Named(impl, ImplementationReader(asker, chosen), salvaging, chosen)


def _cases(place: Place, found: Reduced) -> tuple[Case, Case]:
    """Return the cases of the small and of the large state."""
    from journalspec_corpus.crash.case_builder import as_case, case_of  # noqa: PLC0415  # needs optional parts

    return as_case(place.adapter, found), case_of(place.adapter, place.state)


def _summary(found: Reduced, small: Case, large: Case) -> dict[str, Any]:
    from dataclasses import asdict  # noqa: PLC0415  # for this only

    return {
        "case": small.id,
        "shrunk_from": large.id,
        "verdict": found.verdict,
        "breaks": list(found.breaks),
        "records": found.records,
        "deviations": found.deviations,
        "earlier_deviations": found.earlier,
        "workload": found.workload.name,
        "descriptor": {**asdict(found.descriptor), "mask": found.descriptor.mask.hex()},
        "steps": [{"how": step.how, "workload": step.workload} for step in found.steps],
        "tried": found.tried,
        "minimal": found.minimal,
    }


def _words(adapter: CrashFormat, found: Reduced, reader: Named, small: Case) -> list[str]:
    """Return what is left, line by line."""
    from journalspec_corpus.crash import reduction as shrink_lives  # noqa: PLC0415  # needs optional parts
    from journalspec_corpus.crash import story as shrink_words  # noqa: PLC0415

    state = found.state
    out = [
        f"{found.verdict} ({', '.join(found.breaks) or 'no invariant'}) by {reader.name}: "
        f"{_count(found.records, 'record')}, {_count(found.deviations, 'deviation')}"
        + (f" and {found.earlier} in the crash before" if found.earlier else "")
        + f"; {found.tried:,} tried"
        + ("" if found.minimal else "; the budget ended, there may be a smaller one"),
        f"case      {small.id}",
        f"workload  {found.workload.name}",
        f"preset    {shrink_words.preset_words(state)}",
        f"taken     {', '.join(step.how for step in found.steps) or 'nothing: it is the smallest already'}",
        "",
        f"Before: {state.trace.background} behind what is in use.",
    ]
    for number, before in enumerate(shrink_lives.crashes_before(adapter, found.workload), start=1):
        out += [f"Life {number}, done in this order:", *_told(before), ""]
    return [*out, "Done, in this order:", *_told(state)]


def _told(state: State) -> list[str]:
    from journalspec_corpus.crash import story as shrink_words  # noqa: PLC0415  # needs optional parts

    head, losses = shrink_words.losses(state)
    out = [*(f"  {line}" for line in shrink_words.story(state)), head]
    for loss in losses:
        out += [f"  {loss}", *(f"    {line}" for line in shrink_words.picture(state, loss))]
    return out


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _write(out: Path, small: Case, large: Case) -> None:
    """Write both cases as lines, and the small one's files."""
    cases = dict.fromkeys(json.dumps(case.to_json(), separators=(",", ":")) for case in (large, small))
    with making(out) as place:
        replace_text(place / "cases.jsonl", "".join(line + "\n" for line in cases))
        small.materialize(place / small.id)
