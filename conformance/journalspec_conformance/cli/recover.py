"""``journalspec recover``: the logical state that a journal amounts to."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from journalspec.formats import Format, get_format
from journalspec.observation import REFUSED, Observation
from journalspec_conformance.cli.journal_view import (
    Painter,
    UsageProblem,
    as_document,
    find,
    shown,
    tagged,
    write_dropped,
    write_notes,
    write_outside,
    write_state,
    write_title,
)
from journalspec_reference.api import load as load_implementation
from journalspec_reference.filesets import Journal

STRICT = "strict"


@click.command(
    "recover",
    epilog="Exit status: 0 there is a state (verdict clean or recovered); 1 recovery was refused under the"
    " policy; 2 usage or configuration (no such path, no journal found, unknown format or policy).",
)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--format", "format_id", metavar="F", help="The format; found by itself when left out.")
@click.option("--edition", metavar="E", help="The edition of the format to read the files as.")
@click.option(
    "--policy",
    default=STRICT,
    show_default=True,
    metavar="strict|salvage",
    help="What damage means: strict refuses, salvage reports what is left and what was lost.",
)
@click.option("--json", "as_json", is_flag=True, help="The observation as one JSON object.")
def command(path: Path, format_id: str | None, edition: str | None, policy: str, as_json: bool) -> None:
    """Report the logical state of the journals at PATH after recovery.

    PATH is the directory that holds the journal's files, or one of the files.
    This is what a recovering program would conclude; nothing is carried out,
    and nothing is ever written to PATH.
    """
    _, journals = find(path, format_id, edition)
    for journal in journals:
        _check_policy(get_format(journal.format), policy)
    seen = [
        load_implementation(journal.format).recover(journal.files, edition=journal.edition, policy=policy)
        for journal in journals
    ]
    if as_json:
        objects = [
            {**tagged(journal, path, observation.to_json()), "policy": policy}
            for journal, observation in zip(journals, seen, strict=True)
        ]
        click.echo(json.dumps(as_document(objects), indent=1))
    else:
        out = Painter()
        for number, (journal, observation) in enumerate(zip(journals, seen, strict=True)):
            if number:
                out.line("")
            _write_outcome(out, journal, path, observation, policy)
    if any(observation.verdict == REFUSED for observation in seen):
        raise SystemExit(1)


def _check_policy(description: Format, policy: str) -> None:
    if policy not in description.policies:
        known = ", ".join(description.policies)
        raise UsageProblem(f"{description.id} has no policy {policy!r}", f"choose one of {known}")


def _write_outcome(out: Painter, journal: Journal, path: Path, seen: Observation, policy: str) -> None:
    description = get_format(journal.format)
    write_title(out, journal, path, seen)
    out.wrapped("policy   ", f"{policy}: {description.policies[policy]}")
    if seen.verdict == REFUSED:
        for step, what_to_type in _next_steps(description, path, policy):
            out.wrapped("next     ", step)
            if what_to_type:
                out.line(f"           {what_to_type}")
        if seen.unanchored:
            out.line("")
            write_outside(out, description, seen)
    else:
        out.line(f"records  {len(seen.records)} counted")
        for name in dict.fromkeys(region.file for region in seen.dropped):
            out.line(f"lost in {shown(name)}:")
            write_dropped(out, description, (region for region in seen.dropped if region.file == name))
        if seen.unanchored:
            out.line("")
            write_outside(out, description, seen)
        out.line("")
        write_state(out, description, seen.state)
    if seen.notes:
        out.line("")
        write_notes(out, description, seen.notes)


def _next_steps(description: Format, path: Path, policy: str) -> Iterator[tuple[str, str]]:
    """Yield what an operator can do about a refusal and the command for it, the least daring first."""
    place = shown(shlex.quote(str(path)))
    yield "keep a copy of all files before anything opens them for writing", ""
    yield "look at the bytes and what they mean:", f"journalspec inspect {place} --hex"
    for name, meaning in description.policies.items():
        if name not in (STRICT, policy):
            yield f"see what {name} gives ({meaning}):", f"journalspec recover {place} --policy {name}"
