"""``journalspec inspect`` and ``recover``: which byte of a journal means what, what is lost, what remains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import click

from journalspec.files import shown
from journalspec.observation import RECOVERED, Level
from journalspec_conformance.cli import rebuild
from journalspec_conformance.cli.contents import stored
from journalspec_conformance.cli.details import (
    FILES,
    HEX,
    NOTES,
    RECORDS,
    WHOLE,
    write_journal,
    write_notes,
    write_outcome,
    write_title,
)
from journalspec_conformance.cli.facts import damage, trouble
from journalspec_conformance.cli.journal_view import (
    EXIT_STATUS,
    STATUSES,
    STRICT,
    Beside,
    Given,
    Line,
    Painter,
    Part,
    present,
)
from journalspec_conformance.cli.ndjson import write_journals
from journalspec_conformance.cli.places import (
    Asked,
    Stores,
    UsageProblem,
    find,
    known_policy,
    options,
    taken,
)
from journalspec_conformance.cli.row_output import show_rows
from journalspec_conformance.cli.selection import Question, questions
from journalspec_conformance.cli.summary import Summary
from journalspec_reference.filesets import LeftOut

LEVELS = [level.name.lower() for level in Level]
LEVEL_HELP = (
    "How much to report with --json, --ndjson and --all: layout if left out. It implies --all. With contents"
    " --json has the rows of all tables as well."
)
STREAMED = click.option(
    "--ndjson",
    "as_ndjson",
    is_flag=True,
    help="Lines of JSON during the read: the kind of journal, each record, then the rest of the answer.",
)


@click.command("inspect", epilog=EXIT_STATUS)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@options()
@click.option(
    "--records", "with_records", is_flag=True, help="Each record of each file, instead of the summary."
)
@click.option(
    "--files", "with_files", is_flag=True, help="Each file: its header, its damage, what is unused."
)
@click.option("--notes", "with_notes", is_flag=True, help="Each note, instead of the summary.")
@click.option("--all", "with_all", is_flag=True, help="Everything: files, records, the state, notes.")
@click.option("--level", type=click.Choice(LEVELS), help=LEVEL_HELP)
@click.option(
    "--hex",
    "as_hex",
    is_flag=True,
    help="An annotated hexdump instead of the summary; intact records in dropped regions have fields, too.",
)
@click.option("--json", "as_json", is_flag=True, help="The observation as one JSON object.")
@STREAMED
@questions()
def inspect_command(
    level: str | None,
    as_hex: bool,
    as_json: bool,
    as_ndjson: bool,
    with_records: bool,
    with_files: bool,
    with_notes: bool,
    with_all: bool,
    **what: Any,
) -> None:
    """Show kind, content and losses of the journals at PATH on one screen.

    PATH is a data directory of a broker, a directory of a database, the directory that
    holds the journal's files, one above several stores, one of the files (its neighbours
    are found), an archive (.tar, .tgz, .zip), or - for standard input. Several files are
    one journal, such as a pair in two directories. Files that end in .gz are unpacked for reading. PATH is
    only read.
    """
    if as_hex + as_json + as_ndjson > 1:
        raise click.UsageError("--hex, --json and --ndjson exclude each other.")
    selection = Question(**taken(what, fields(Question)))
    asked, chosen = Asked(**what), Level[level.upper()] if level else Level.LAYOUT
    if as_hex and (asked.redact or selection != Question()):
        raise click.UsageError("--hex shows all bytes as they are: no --redact, and no question about rows.")
    found = find(asked)
    if selection != Question():
        if as_json:
            raise click.UsageError("--json is one object for the whole journal: use --ndjson for rows.")
        show_rows(found, selection, as_ndjson)
    parts = {
        name for name, given in ((RECORDS, with_records), (FILES, with_files), (NOTES, with_notes)) if given
    }
    if level or with_all:
        parts |= WHOLE[chosen]
    if as_ndjson:
        write_journals(found, "inspect", chosen)
    in_full = parts or level or as_hex
    wanted = frozenset({HEX}) if as_hex else frozenset(parts)
    present(
        "inspect",
        found,
        members=partial(_members, chosen) if as_json else None,
        screen=None if as_json or in_full else Summary("inspect", None),
        write=lambda out, part: write_journal(out, part, wanted),
    )


def _members(level: Level, part: Part) -> dict[str, object]:
    """Return the JSON of an answer; at the level of contents with the rows of all tables."""
    seen, redact = part.answer.observation, part.place.asked.redact
    contents = stored(part.answer, redact=redact, hidden=redact) if level >= Level.CONTENTS else None
    if contents is not None:
        seen = replace(seen, contents={name: [*contents.members(name)] for name in contents.names})
    return seen.members(level)


@click.command("recover", epilog=f"{EXIT_STATUS} {rebuild.EXIT_STATUS}")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@options()
@click.option(
    "--policy",
    show_default=STRICT,
    metavar="POLICY",
    help="The rules for damage: strict refuses; salvage reports the remaining data and the losses; default "
    "acts like the format's product. Not every format has all policies: after a wrong one the command "
    "lists the right ones.",
)
@click.option("--notes", "with_notes", is_flag=True, help="Each note, instead of the summary.")
@click.option("--all", "with_all", is_flag=True, help="Everything: damage, the state, notes.")
@click.option("--level", type=click.Choice(LEVELS), help=LEVEL_HELP)
@click.option("--json", "as_json", is_flag=True, help="The observation as one JSON object.")
@STREAMED
@rebuild.options()
def recover_command(
    policy: str | None,
    level: str | None,
    as_json: bool,
    as_ndjson: bool,
    with_notes: bool,
    with_all: bool,
    **what: Any,
) -> None:
    """Show the result of recovery of the journals at PATH on one screen.

    PATH is as for `journalspec inspect`. With --to, write a new store with exactly the recovered data, and a
    report of everything else. PATH is only read.
    """
    if as_json and as_ndjson:
        raise click.UsageError("--json and --ndjson exclude each other.")
    wanted = rebuild.NewStoreAsked.taken(what)
    asked, chosen = Asked(**what), Level[level.upper()] if level else Level.LAYOUT
    found = find(asked)
    if policy is not None:
        known_policy(found, policy)
    if wanted:
        if as_ndjson or level or with_all or with_notes:
            raise click.UsageError(
                "--to and --dry-run print a report: --ndjson, --level, --all and --notes do not go with them."
            )
        rebuild.rebuild(found, asked, policy, wanted, as_json=as_json)
    policy = policy or STRICT
    if as_ndjson:
        write_journals(found, "recover", chosen, policy)

    def write(out: Painter, part: Part) -> None:
        if with_notes and not with_all:
            write_title(out, part)
            write_notes(out, part.description, part.answer.observation.notes)
        else:
            write_outcome(out, part, policy, chosen)

    in_full = level or with_all or with_notes
    present(
        "recover",
        found,
        policy,
        members=(lambda part: {**_members(chosen, part), "policy": policy}) if as_json else None,
        screen=None if as_json or in_full else Summary("recover", policy),
        write=write,
    )


@click.command(
    "check",
    epilog=f"{EXIT_STATUS} 1 also if the files are undamaged, but a start of the product is known to fail on "
    "them or to lose data.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@options()
@click.option("--json", "as_json", is_flag=True, help="The same as one JSON object.")
def check_command(as_json: bool, **what: Any) -> None:
    """Print one line for each journal at PATH: clean, recovered or refused, and the reason.

    It is for monitoring: verdict and PATH are those of `journalspec recover`. After a clean verdict the line
    has the effect of a start of the product, if it fails or loses data. A path without an answer is an error
    on standard error; the other paths are still answered.
    """
    found, bad = _found(Asked(**what))
    beside = Beside(bad)

    def members(part: Part) -> dict[str, object]:
        return {**part.answer.observation.members(Level.VERDICT), "says": _wrong(part, beside)}

    present(
        "check",
        found,
        STRICT,
        members=members if as_json else None,
        screen=None if as_json else Checked(beside),
        beside=beside,
    )


def _wrong(part: Part, beside: Beside) -> str:
    """Return what is wrong with a journal, or that a start fails on it, which counts as well."""
    if says := trouble(part):
        beside.statuses.append(STATUSES[RECOVERED])
    return damage(part.answer) or says


class Checked:
    """The lines of `check`, one for each journal."""

    def __init__(self, beside: Beside) -> None:
        self._beside = beside

    def row(self, parts: Sequence[Part]) -> list[str]:
        """Return the lines on the journals of a store."""
        lines = []
        for part in parts:
            journal, wrong = part.answer.journal, _wrong(part, self._beside)
            first = f", {next(iter(journal.files), '')}" if len(part.place.journals) > 1 else ""
            told = f"{part.place.asked}{first}: {part.answer.observation.verdict}"
            lines.append(shown(f"{told}{f': {wrong}' if wrong else ''}"))
        return lines

    def of_one(self, given: Given) -> Iterator[Line]:
        """Yield the lines on one store."""
        return self.of_several([self.row(given.parts)], given.unlisted)

    def of_several(self, rows: Sequence[Sequence[str]], unlisted: Sequence[LeftOut]) -> Iterator[Line]:
        """Yield the lines on several stores."""
        left = (shown(f"{entry.name}: not looked at: {entry.why}") for entry in unlisted)
        return ((line,) for line in (*chain.from_iterable(rows), *left))


def _found(asked: Asked) -> tuple[Stores, list[UsageProblem]]:
    """Return what is at the paths, and what is wrong with those that are no use; UsageProblem: none is."""
    try:
        return find(asked), []
    except UsageProblem as error:
        bad, good = [], []
        for path in asked.paths:
            try:
                find(replace(asked, paths=(path,)))
                good.append(path)
            except UsageProblem as of_one:
                bad.append(of_one)
        if not good or not bad:
            raise error from None
        return find(replace(asked, paths=tuple(good))), bad
