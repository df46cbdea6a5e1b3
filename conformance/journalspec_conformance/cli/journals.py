"""``journalspec inspect`` and ``recover``: which byte of a journal means what, what is lost, what remains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, replace
from heapq import merge
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from journalspec.files import shown
from journalspec.formats import Format, get_format
from journalspec.observation import (
    CLEAN,
    RECOVERED,
    REFUSED,
    FileMap,
    Level,
    Observation,
    Record,
    record_place,
    region_place,
)
from journalspec.reread import by_file, files_of
from journalspec_conformance.cli import rebuild
from journalspec_conformance.cli.contents import of_answer
from journalspec_conformance.cli.facts import damage, trouble
from journalspec_conformance.cli.journal_view import (
    EXIT_STATUS,
    STATUSES,
    STRICT,
    Beside,
    Given,
    Painter,
    Part,
    present,
    refused_by_recovery,
    value_text,
    write_doubt,
    write_dropped,
    write_missing,
    write_notes,
    write_outside,
    write_records,
    write_state,
    write_title,
)
from journalspec_conformance.cli.ndjson import write_journals
from journalspec_conformance.cli.places import (
    Asked,
    Directory,
    Stores,
    UsageProblem,
    find,
    known_policy,
    options,
    taken,
)
from journalspec_conformance.cli.row_output import show_rows
from journalspec_conformance.cli.screen import screen
from journalspec_conformance.cli.selection import Question, questions
from journalspec_conformance.cli.summary import kept, next_steps, summary
from journalspec_reference import hexdump
from journalspec_reference.answers import Answer
from journalspec_reference.api import Span, spans_by_file
from journalspec_reference.api import load as load_implementation
from journalspec_reference.filesets import Journal

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
#: Colours by field name would need to know the format; by kind and turn they do not.
KIND_STYLES = {"header": "cyan", "dropped": "red", "stale": "yellow", "fill": "dim", "unused": "dim"}
TURNS = ("green", "blue", "magenta", "bright_green", "bright_blue", "bright_magenta")
BARE_KINDS = ("stale", "fill", "unused")


#: Parts of an answer in full, and those that a level has.
RECORDS, FILES, STATE, NOTES, HEX = "records", "files", "state", "notes", "hex"
WHOLE = {
    Level.VERDICT: frozenset[str](),
    Level.RECORDS: frozenset({RECORDS}),
    Level.STATE: frozenset({RECORDS, STATE}),
    Level.LAYOUT: frozenset({RECORDS, FILES, STATE, NOTES}),
    Level.CONTENTS: frozenset({RECORDS, FILES, STATE, NOTES}),
}


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
    present(
        "inspect",
        found,
        members=(lambda _, one: _members(one, chosen, redact=asked.redact)) if as_json else None,
        screens=None if as_json or in_full else lambda given: screen(summary(given, "inspect", None)),
        write=lambda out, answer, about: _write_journal(
            out, answer, about, frozenset({HEX}) if as_hex else frozenset(parts)
        ),
    )


def _members(answer: Answer, level: Level, *, redact: bool) -> dict[str, object]:
    """Return the JSON of an answer; at the level of contents with the rows of all tables."""
    contents = of_answer(answer, redact=redact) if level >= Level.CONTENTS else None
    seen = answer.observation
    if contents is not None:
        seen = replace(seen, contents={name: [*contents.members(name)] for name in contents.names})
    return seen.members(level)


def _write_journal(out: Painter, answer: Answer, asked: Asked, parts: AbstractSet[str]) -> None:
    journal, seen = answer.journal, answer.observation
    description = get_format(journal.format)
    write_title(out, answer, asked)
    _write_refusal_of_recovery(out, answer, asked)
    if HEX in parts:
        _write_dump(out, journal)
    elif parts & {RECORDS, FILES}:
        _write_files(out, description, journal, seen, parts)
    if parts & {FILES, HEX}:
        write_missing(out, description, seen.missing)
    if parts & {STATE, HEX} and seen.state is not None:
        lost = seen.given_up if parts & {FILES, HEX} else ()
        if lost:
            out.line("")
            write_outside(out, description, seen, lost)
        out.line("")
        write_state(out, description, seen.state)
    if parts & {NOTES, HEX}:
        write_notes(out, description, seen.notes)


def _write_refusal_of_recovery(out: Painter, answer: Answer, asked: Asked) -> None:
    """Write that recovery refuses what reads cleanly: a record may be intact, and of no use to a product."""
    refusal = refused_by_recovery(answer, redact=asked.redact)
    if refusal is not None:
        told = f"{STRICT} refuses, {refusal.phase}/{refusal.code}: {shown(refusal.message)}"
        out.wrapped("recovery ", f"{told} (`journalspec recover` shows what to do)", "bold yellow")


def _write_files(
    out: Painter, description: Format, journal: Journal, seen: Observation, parts: AbstractSet[str]
) -> None:
    """Write a table of each file: what it is, its records, and what is not a record."""
    records = by_file(record_place, seen.records)
    beside = by_file(record_place, seen.unanchored)
    dropped = by_file(region_place, seen.dropped)
    entries = {entry.file: entry for entry in seen.files}
    for name, spans in spans_by_file(journal.files, _spans(journal, fields=False) if FILES in parts else ()):
        out.line("")
        if FILES not in parts:
            out.line((shown(name), "bold"))
            _write_counted(out, records(name))
            continue
        entry = entries.get(name) or FileMap(name, len(journal.files[name]), "unknown")
        out.line((f"{shown(name)}: {entry.length} bytes, {entry.role}", "bold"))
        fields = {**entry.header, **entry.content}
        width = max(map(len, fields), default=0)
        for field, value in fields.items():
            out.wrapped(f"  {field:<{width}}  ", value_text(value))
        if RECORDS in parts:
            _write_counted(out, records(name))
        else:
            out.line(f"  {len(records(name))} record(s)")
        write_dropped(out, description, dropped(name))
        outside = beside(name)
        for span in _untold(spans, records(name), outside):
            fill = hexdump.uniform(journal.files[name], span.off, span.length)
            content = span.value if fill is None else f"all {fill:02x}"
            text = (
                f"  {span.kind} {span.off}..{span.off + span.length} ({span.length} bytes) {shown(content)}"
            )
            out.line((text, KIND_STYLES.get(span.kind, "")))
        if outside:
            out.line((f"  {len(outside)} valid record(s) outside the log, not part of the state:", "yellow"))
            write_records(out, outside)


def _write_counted(out: Painter, records: Sequence[Record]) -> None:
    out.line(f"  {len(records)} record(s)")
    write_records(out, records)


def _spans(journal: Journal, *, fields: bool) -> Iterator[Span]:
    spans = load_implementation(journal.format).spans
    return spans(journal.files, edition=journal.edition, params=journal.params, fields=fields)


def _untold(spans: Iterable[Span], *records: Iterable[Record]) -> Iterator[Span]:
    """Yield the ranges that hold no record and were not dropped either; `records` are reported otherwise.

    All are of one file, each in offset order.
    """
    told = merge(*records, key=lambda record: record.at.off)
    at = -1
    for span in spans:
        if span.kind not in BARE_KINDS or not span.length:
            continue
        # Only what is stale may be reported as a record too.
        while span.kind == "stale" and at < span.off and (record := next(told, None)) is not None:
            at = record.at.off
        if span.kind != "stale" or at != span.off:
            yield span


def _write_dump(out: Painter, journal: Journal) -> None:
    for name, spans in spans_by_file(journal.files, _spans(journal, fields=True)):
        data = journal.files[name]
        out.line("")
        out.line((f"== {shown(name)}: {len(data)} bytes", "bold"))
        turns: dict[str, str] = {}
        for line in hexdump.lines(data, spans, name):
            if isinstance(line, hexdump.Head):
                out.line((hexdump.head_text(line), f"bold {KIND_STYLES.get(line.kind, 'green')}"))
            elif isinstance(line, hexdump.Fold):
                out.line((hexdump.fold_text(line), "dim"))
            else:
                _write_row(out, line, turns)


def _write_row(out: Painter, row: hexdump.Row, turns: dict[str, str]) -> None:
    beside, below = hexdump.notes(row.labels, out.columns)
    if out.on_terminal:
        blank = " " * (len(hexdump.hex_cells(b"")) - 3 * len(row.data) + 2)
        text = hexdump.text_cells(row.data).ljust(hexdump.WIDTH + 2 if beside else 0)
        out.line((f"{row.off:08x}", "dim"), "  ", *_coloured(row, turns), blank, text, beside)
    else:
        out.line(hexdump.row_text(row, beside))
    for line in below:
        out.line((line, "italic"))


def _coloured(row: hexdump.Row, turns: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the cells of a row, one piece a field; `turns` gives each field name its colour."""
    cells = zip(row.data, row.kinds, row.paths, strict=True)
    for (kind, path), group in groupby(cells, key=lambda cell: cell[1:]):
        name = path.rpartition(".")[2].partition("[")[0]
        style = KIND_STYLES.get(kind) or turns.setdefault(name, TURNS[len(turns) % len(TURNS)])
        yield "".join(f"{byte:02x} " for byte, _, _ in group), style


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

    def write(out: Painter, answer: Answer, about: Asked) -> None:
        if with_notes and not with_all:
            write_title(out, answer, about)
            write_notes(out, get_format(answer.journal.format), answer.observation.notes)
        else:
            _write_outcome(out, answer, about, policy, chosen)

    present(
        "recover",
        found,
        policy,
        members=(lambda _, one: {**_members(one, chosen, redact=asked.redact), "policy": policy})
        if as_json
        else None,
        screens=None
        if as_json or level or with_all or with_notes
        else lambda given: screen(summary(given, "recover", policy)),
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

    def wrong(place: Directory, answer: Answer) -> str:
        if (says := trouble(place, answer)) and answer.observation.verdict == CLEAN:
            beside.statuses.append(STATUSES[RECOVERED])
        return damage(answer) or says

    def lines(given: Given) -> Sequence[tuple[Part, ...]]:
        found = [_checked(place, answer, wrong(place, answer)) for place, answer in given]
        left = [shown(f"{entry.name}: not looked at: {entry.why}") for entry in given.unlisted]
        return [(line,) for line in (*found, *left)]

    present(
        "check",
        found,
        STRICT,
        members=(lambda place, one: {**one.observation.members(Level.VERDICT), "says": wrong(place, one)})
        if as_json
        else None,
        screens=None if as_json else lines,
        beside=beside,
    )


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


def _checked(place: Directory, answer: Answer, wrong: str) -> str:
    first = f", {next(iter(answer.journal.files), '')}" if len(place.journals) > 1 else ""
    return shown(f"{place.asked}{first}: {answer.observation.verdict}{f': {wrong}' if wrong else ''}")


def _write_outcome(out: Painter, answer: Answer, asked: Asked, policy: str, level: Level) -> None:
    seen = answer.observation
    description = get_format(answer.journal.format)
    write_title(out, answer, asked)
    out.wrapped("policy   ", f"{policy}: {description.policies[policy]}")
    if seen.verdict != REFUSED and level < Level.LAYOUT:
        if level >= Level.RECORDS:
            out.line(f"records  {len(seen.records)} counted")
        if level >= Level.STATE:
            out.line("")
            write_state(out, description, seen.state)
        return
    lost = seen.given_up
    if seen.verdict == REFUSED:
        kept_by = kept(answer, policy, redact=False)[1]
        for line in next_steps(asked, answer, "recover", policy, kept_by, doubtful=False):
            if line.startswith("  "):
                out.line(f"         {line}")
            else:
                out.wrapped("next     ", line)
        if seen.unanchored:
            out.line("")
            write_outside(out, description, seen, lost)
    else:
        out.line(f"records  {len(seen.records)} counted")
        dropped = by_file(region_place, seen.dropped)
        for name in files_of(region_place, seen.dropped):
            out.line(f"lost in {shown(name)}:")
            write_dropped(out, description, dropped(name))
        write_missing(out, description, seen.missing)
        if seen.unanchored:
            out.line("")
            write_outside(out, description, seen, lost)
        out.line("")
        write_doubt(out, description, seen, lost)
        write_state(out, description, seen.state)
    write_notes(out, description, seen.notes)
