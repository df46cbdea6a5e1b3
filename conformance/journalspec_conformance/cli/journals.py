"""``journalspec inspect`` and ``recover``: which byte of a journal means what, what is lost, what remains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from heapq import merge
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from journalspec.files import shown
from journalspec.formats import Format, get_format
from journalspec.observation import (
    CLEAN,
    REFUSED,
    FileMap,
    Level,
    Observation,
    Record,
    record_place,
    region_place,
)
from journalspec.reread import by_file, files_of
from journalspec_conformance.cli.journal_view import (
    EXIT_STATUS,
    SAID,
    STRICT,
    Asked,
    Painter,
    UsageProblem,
    counted,
    find,
    options,
    present,
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
from journalspec_conformance.cli.row_output import show_rows
from journalspec_conformance.cli.selection import Question, questions
from journalspec_reference.answers import UNREAD, Answer, ask
from journalspec_reference.api import Span, spans_by_file
from journalspec_reference.api import load as load_implementation
from journalspec_reference.filesets import Journal
from journalspec_reference.hexdump import (
    WIDTH as HEX_WIDTH,
)
from journalspec_reference.hexdump import (
    Fold,
    Head,
    Row,
    fold_text,
    head_text,
    hex_cells,
    lines,
    notes,
    row_text,
    text_cells,
    uniform,
)

LEVELS = [level.name.lower() for level in Level]
STREAMED = click.option(
    "--ndjson",
    "as_ndjson",
    is_flag=True,
    help="Lines of JSON while the journal is read: what it is, each record, last the rest of the answer.",
)
#: Colours by field name would need to know the format; by kind and turn they do not.
KIND_STYLES = {"header": "cyan", "dropped": "red", "stale": "yellow", "fill": "dim", "unused": "dim"}
TURNS = ("green", "blue", "magenta", "bright_green", "bright_blue", "bright_magenta")
BARE_KINDS = ("stale", "fill", "unused")


@click.command("inspect", epilog=EXIT_STATUS)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@options()
@click.option(
    "--level", type=click.Choice(LEVELS), default="layout", show_default=True, help="How much to report."
)
@click.option(
    "--hex",
    "as_hex",
    is_flag=True,
    help="An annotated hexdump instead of the tables; what is whole in dropped regions is named too.",
)
@click.option("--json", "as_json", is_flag=True, help="The observation as one JSON object.")
@STREAMED
@questions()
def inspect_command(level: str, as_hex: bool, as_json: bool, as_ndjson: bool, **what: Any) -> None:
    """Show the journals at PATH: fields, records, dropped regions, logical state.

    PATH is the directory that holds the journal's files, a directory above several
    stores, or one of the files (its neighbours are found). Several files are one
    journal, such as a pair in two directories. Files that end in .gz are unpacked
    to be read. Nothing is ever written to PATH.
    """
    if as_hex + as_json + as_ndjson > 1:
        raise click.UsageError("--hex, --json and --ndjson exclude each other.")
    selection = Question.taken(what)
    asked, chosen = Asked(**what), Level.parse(level)
    if as_hex and (asked.redact or selection):
        raise click.UsageError("--hex shows all bytes as they are: no --redact, and no question about rows.")
    found = find(asked)
    if selection:
        if as_json:
            raise click.UsageError("--json is one object of the whole journal: ask for rows with --ndjson.")
        show_rows(found, selection, as_ndjson)
    present(
        "inspect",
        found,
        stream=partial(write_journals, found, level=chosen, at_once=True, more={}) if as_ndjson else None,
        members=(lambda seen: seen.members(chosen)) if as_json else None,
        write=lambda out, answer, about: _write_journal(out, answer, about, chosen, as_hex),
    )


def _write_journal(out: Painter, answer: Answer, asked: Asked, level: Level, as_hex: bool) -> None:
    journal, seen = answer.journal, answer.observation
    description = get_format(journal.format)
    write_title(out, answer, asked)
    _write_refusal_of_recovery(out, journal, seen)
    if as_hex:
        _write_dump(out, journal)
    elif level >= Level.RECORDS:
        _write_files(out, description, journal, seen, level)
    if level >= Level.LAYOUT:
        write_missing(out, description, seen.missing)
    if level >= Level.STATE and seen.state is not None:
        lost = seen.given_up if level >= Level.LAYOUT else ()
        if lost:
            out.line("")
            write_outside(out, description, seen, lost)
        out.line("")
        write_state(out, description, seen.state)
    if level >= Level.LAYOUT:
        write_notes(out, description, seen.notes)


def _write_refusal_of_recovery(out: Painter, journal: Journal, seen: Observation) -> None:
    """Write that recovery refuses what reads cleanly: a record may be whole and nobody able to act on it."""
    if seen.verdict != CLEAN or all(note.code in SAID for note in seen.notes):
        return
    strict = ask(replace(journal, editions=()), STRICT).observation
    if strict.verdict == REFUSED:
        told = f"{STRICT} refuses, {strict.phase}/{strict.code}: {shown(strict.message)}"
        out.wrapped("recovery ", f"{told} (`journalspec recover` says what to do)", "bold yellow")


def _write_files(
    out: Painter, description: Format, journal: Journal, seen: Observation, level: Level
) -> None:
    """Write a table of each file: what it is, its records, and what is no record."""
    records = by_file(record_place, seen.records)
    beside = by_file(record_place, seen.unanchored)
    dropped = by_file(region_place, seen.dropped)
    entries = {entry.file: entry for entry in seen.files}
    for name, spans in spans_by_file(
        journal.files, _spans(journal, fields=False) if level >= Level.LAYOUT else ()
    ):
        out.line("")
        if level < Level.LAYOUT:
            out.line((shown(name), "bold"))
            _write_counted(out, records(name))
            continue
        entry = entries.get(name) or FileMap(name, len(journal.files[name]), "unknown")
        out.panel(f"{shown(name)}: {entry.length} bytes, {entry.role}", {**entry.header, **entry.content})
        _write_counted(out, records(name))
        write_dropped(out, description, dropped(name))
        outside = beside(name)
        for span in _untold(spans, records(name), outside):
            fill = uniform(journal.files[name], span.off, span.length)
            content = span.value if fill is None else f"all {fill:02x}"
            text = (
                f"  {span.kind} {span.off}..{span.off + span.length} ({span.length} bytes) {shown(content)}"
            )
            out.line((text, KIND_STYLES.get(span.kind, "")))
        if outside:
            out.line((f"  {len(outside)} valid record(s) outside the log, not counted:", "yellow"))
            write_records(out, outside)


def _write_counted(out: Painter, records: Sequence[Record]) -> None:
    out.line(f"  {len(records)} record(s)")
    write_records(out, records)


def _spans(journal: Journal, *, fields: bool) -> Iterator[Span]:
    spans = load_implementation(journal.format).spans
    return spans(journal.files, edition=journal.edition, params=journal.params, fields=fields)


def _untold(spans: Iterable[Span], *records: Iterable[Record]) -> Iterator[Span]:
    """Yield the ranges that hold no record and were not dropped either; `records` are told otherwise.

    All are of one file, each in offset order.
    """
    told = merge(*records, key=_offset)
    at = -1
    for span in spans:
        if span.kind not in BARE_KINDS or not span.length:
            continue
        # Only what is stale may be told as a record too.
        while span.kind == "stale" and at < span.off and (record := next(told, None)) is not None:
            at = record.at.off
        if span.kind != "stale" or at != span.off:
            yield span


def _offset(record: Record) -> int:
    return record.at.off


def _write_dump(out: Painter, journal: Journal) -> None:
    for name, spans in spans_by_file(journal.files, _spans(journal, fields=True)):
        data = journal.files[name]
        out.line("")
        out.line((f"== {shown(name)}: {len(data)} bytes", "bold"))
        turns: dict[str, str] = {}
        for line in lines(data, spans, name):
            if isinstance(line, Head):
                out.line((head_text(line), f"bold {KIND_STYLES.get(line.kind, 'green')}"))
            elif isinstance(line, Fold):
                out.line((fold_text(line), "dim"))
            else:
                _write_row(out, line, turns)


def _write_row(out: Painter, row: Row, turns: dict[str, str]) -> None:
    beside, below = notes(row.labels, out.columns)
    if out.on_terminal:
        blank = " " * (len(hex_cells(b"")) - 3 * len(row.data) + 2)
        text = text_cells(row.data).ljust(HEX_WIDTH + 2 if beside else 0)
        out.line((f"{row.off:08x}", "dim"), "  ", *_coloured(row, turns), blank, text, beside)
    else:
        out.line(row_text(row, beside))
    for line in below:
        out.line((line, "italic"))


def _coloured(row: Row, turns: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the cells of a row, one piece a field; `turns` gives each field name its colour."""
    cells = zip(row.data, row.kinds, row.paths, strict=True)
    for (kind, path), group in groupby(cells, key=lambda cell: cell[1:]):
        name = path.rpartition(".")[2].partition("[")[0]
        style = KIND_STYLES.get(kind) or turns.setdefault(name, TURNS[len(turns) % len(TURNS)])
        yield "".join(f"{byte:02x} " for byte, _, _ in group), style


@click.command("recover", epilog=EXIT_STATUS)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@options()
@click.option(
    "--policy",
    default=STRICT,
    show_default=True,
    metavar="POLICY",
    help="What damage means: strict refuses; salvage reports what is left and what was lost; default does "
    "what the format's product does, where the format has such a policy. "
    "Not every format has all: a wrong one is answered with those there are.",
)
@click.option(
    "--level", type=click.Choice(LEVELS), default="layout", show_default=True, help="How much to report."
)
@click.option("--json", "as_json", is_flag=True, help="The observation as one JSON object.")
@STREAMED
def recover_command(policy: str, level: str, as_json: bool, as_ndjson: bool, **what: Any) -> None:
    """Report the logical state of the journals at PATH after recovery.

    PATH is the directory that holds the journal's files, a directory above several
    stores, or one of the files; several files are one journal, such as a pair in
    two directories. This is what a recovering program would conclude; nothing is carried out,
    and nothing is ever written to PATH.
    """
    if as_json and as_ndjson:
        raise click.UsageError("--json and --ndjson exclude each other.")
    asked, chosen = Asked(**what), Level.parse(level)
    found = find(asked)
    for journal in (journal for place in found[0] for journal in place.journals):
        policies = get_format(journal.format).policies
        if policy not in policies:
            known = ", ".join(policies)
            raise UsageProblem(f"{journal.format} has no policy {policy!r}", f"choose one of {known}")
    present(
        "recover",
        found,
        policy,
        stream=partial(write_journals, found, level=chosen, at_once=False, more={"policy": policy})
        if as_ndjson
        else None,
        members=(lambda seen: {**seen.members(chosen), "policy": policy}) if as_json else None,
        write=lambda out, answer, about: _write_outcome(out, answer, about, policy, chosen),
    )


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
        word = description.vocabulary.codes.get(seen.code or "")
        for step, what_to_type in _next_steps(
            description,
            asked,
            policy,
            seen.code == UNREAD,
            replace(answer.journal, editions=()),
            word.advice if word else "",
        ):
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
        write_missing(out, description, seen.missing)
        if seen.unanchored:
            out.line("")
            write_outside(out, description, seen, lost)
        out.line("")
        write_doubt(out, description, seen, lost)
        write_state(out, description, seen.state)
    write_notes(out, description, seen.notes)


def _next_steps(
    description: Format, asked: Asked, policy: str, unread: bool, journal: Journal, advice: str
) -> Iterator[tuple[str, str]]:
    """Yield what an operator can do about a refusal and the command for it, the least daring first.

    Other policies are tried: one that refuses as well is no advice.
    """
    if advice:
        yield advice, ""
    if unread:
        yield "make readable what could not be read: rights, mounts, a copy by ddrescue from a bad disk", ""
    yield "keep a copy of all files before anything opens them for writing", ""
    yield "look at the bytes and what they mean:", asked.again("inspect", "--hex")
    refusing = []
    for name, meaning in description.policies.items():
        if name in (STRICT, policy):
            continue
        seen = ask(journal, name).observation
        if seen.verdict == REFUSED:
            refusing.append(f"{name} ({seen.phase}/{seen.code})")
            continue
        told = f"{seen.verdict}, {len(seen.records)} record(s), {len(seen.dropped)} dropped region(s)"
        if state := counted(seen.state):
            told += f"; {state}"
        yield f"see what {name} gives ({meaning}): {told}:", asked.again("recover", "--policy", name)
    if refusing:
        yield f"other policies do not help, they refuse as well: {', '.join(refusing)}", ""
