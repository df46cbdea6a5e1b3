"""``journalspec recover``: the logical state that a journal amounts to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from journalspec.files import shown
from journalspec.formats import Format, get_format
from journalspec.observation import REFUSED, region_place
from journalspec.reread import by_file, files_of
from journalspec_conformance.cli.journal_view import (
    EXIT_STATUS,
    Asked,
    Painter,
    UsageProblem,
    answers,
    document,
    find,
    finish,
    options,
    unchanging,
    write_beside,
    write_doubt,
    write_dropped,
    write_json,
    write_notes,
    write_outside,
    write_state,
    write_title,
)
from journalspec_reference.answers import UNREAD, Answer

STRICT = "strict"


@click.command("recover", epilog=EXIT_STATUS)
@click.argument("path", type=click.Path(path_type=Path))
@options()
@click.option(
    "--policy",
    default=STRICT,
    show_default=True,
    metavar="strict|salvage",
    help="What damage means: strict refuses, salvage reports what is left and what was lost.",
)
@click.option("--json", "as_json", is_flag=True, help="The observation as one JSON object.")
def command(policy: str, as_json: bool, **what: Any) -> None:
    """Report the logical state of the journals at PATH after recovery.

    PATH is the directory that holds the journal's files, or one of the files.
    This is what a recovering program would conclude; nothing is carried out,
    and nothing is ever written to PATH.
    """
    asked = Asked(**what)
    loaded, journals = find(asked)
    for journal in journals:
        _check_policy(get_format(journal.format), policy)
    chosen = () if policy == STRICT else ("--policy", policy)
    with unchanging(journals):
        found = answers(asked, "recover", journals, policy, *chosen)
        if as_json:
            objects = [{**answer.observation.members(), "policy": policy} for answer in found]
            write_json(document(asked, loaded, found, objects))
        else:
            out = Painter()
            for number, answer in enumerate(found):
                if number:
                    out.line("")
                _write_outcome(out, answer, asked, policy)
            write_beside(out, loaded, found)
    finish(found)


def _check_policy(description: Format, policy: str) -> None:
    if policy not in description.policies:
        known = ", ".join(description.policies)
        raise UsageProblem(f"{description.id} has no policy {policy!r}", f"choose one of {known}")


def _write_outcome(out: Painter, answer: Answer, asked: Asked, policy: str) -> None:
    seen = answer.observation
    description = get_format(answer.journal.format)
    write_title(out, answer, asked.path)
    out.wrapped("policy   ", f"{policy}: {description.policies[policy]}")
    lost = seen.given_up
    if seen.verdict == REFUSED:
        for step, what_to_type in _next_steps(description, asked, policy, seen.code == UNREAD):
            out.wrapped("next     ", step)
            if what_to_type:
                out.line(f"           {what_to_type}")
        if seen.unanchored:
            out.line("")
            write_outside(out, description, seen, lost)
    else:
        out.line(f"records  {len(seen.records)} counted")
        dropped = by_file(region_place, seen.dropped)
        for name in files_of(region_place, seen.dropped):
            out.line(f"lost in {shown(name)}:")
            write_dropped(out, description, dropped(name))
        if seen.unanchored:
            out.line("")
            write_outside(out, description, seen, lost)
        out.line("")
        write_doubt(out, description, seen, lost)
        write_state(out, description, seen.state)
    write_notes(out, description, seen.notes)


def _next_steps(description: Format, asked: Asked, policy: str, unread: bool) -> Iterator[tuple[str, str]]:
    """Yield what an operator can do about a refusal and the command for it, the least daring first."""
    if unread:
        yield "make readable what could not be read: rights, mounts, a copy by ddrescue from a bad disk", ""
    yield "keep a copy of all files before anything opens them for writing", ""
    yield "look at the bytes and what they mean:", asked.again("inspect", "--hex")
    for name, meaning in description.policies.items():
        if name not in (STRICT, policy):
            yield f"see what {name} gives ({meaning}):", asked.again("recover", "--policy", name)
