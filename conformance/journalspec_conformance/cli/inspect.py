"""``journalspec inspect``: which byte of a journal means what, and what is lost and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from journalspec.files import shown
from journalspec.formats import Format, get_format
from journalspec.observation import FileMap, Level, Observation
from journalspec_conformance.cli.journal_view import (
    EXIT_STATUS,
    Asked,
    Painter,
    answers,
    document,
    find,
    finish,
    options,
    write_beside,
    write_dropped,
    write_notes,
    write_outside,
    write_records,
    write_state,
    write_title,
)
from journalspec_reference.answers import Answer
from journalspec_reference.api import Span
from journalspec_reference.api import load as load_implementation
from journalspec_reference.filesets import Journal
from journalspec_reference.hexdump import (
    Fold,
    Head,
    Row,
    fold_text,
    head_text,
    hex_cells,
    lines,
    notes,
    uniform,
)

LEVELS = [level.name.lower() for level in Level]
#: Colours by field name would need to know the format; by kind and turn they do not.
KIND_STYLES = {"header": "cyan", "dropped": "red", "stale": "yellow", "fill": "dim", "unused": "dim"}
TURNS = ("green", "blue", "magenta", "bright_green", "bright_blue", "bright_magenta")
BARE_KINDS = ("stale", "fill", "unused")


@click.command("inspect", epilog=EXIT_STATUS)
@click.argument("path", type=click.Path(path_type=Path))
@options()
@click.option(
    "--level", type=click.Choice(LEVELS), default="layout", show_default=True, help="How much to report."
)
@click.option("--hex", "as_hex", is_flag=True, help="An annotated hexdump instead of the tables.")
@click.option("--json", "as_json", is_flag=True, help="The observation as one JSON object.")
def command(level: str, as_hex: bool, as_json: bool, **what: Any) -> None:
    """Show the journals at PATH: fields, records, dropped regions, logical state.

    PATH is the directory that holds the journal's files, or one of the files
    (its neighbours are found). Files that end in .gz are decompressed on the
    side. Nothing is ever written to PATH.
    """
    if as_hex and as_json:
        raise click.UsageError("--hex and --json exclude each other.")
    asked = Asked(**what)
    loaded, journals = find(asked)
    chosen = Level.parse(level)
    found = answers(asked, "inspect", journals, None)
    if as_json:
        objects = [answer.observation.to_json(chosen) for answer in found]
        click.echo(json.dumps(document(asked, loaded, found, objects), indent=1))
    else:
        out = Painter()
        for number, answer in enumerate(found):
            if number:
                out.line("")
            _write_journal(out, answer, asked.path, chosen, as_hex)
        write_beside(out, loaded, found)
    finish(found)


def _write_journal(out: Painter, answer: Answer, path: Path, level: Level, as_hex: bool) -> None:
    journal, seen = answer.journal, answer.observation
    description = get_format(journal.format)
    write_title(out, answer, path)
    if as_hex:
        _write_dump(out, journal)
    elif level >= Level.RECORDS:
        spans = _bare_spans(journal, seen) if level >= Level.LAYOUT else {}
        for name in journal.files:
            _write_file(out, description, name, journal, seen, level, spans.get(name, []))
    if level >= Level.STATE and seen.state is not None:
        if level >= Level.LAYOUT and seen.given_up:
            out.line("")
            write_outside(out, description, seen)
        out.line("")
        write_state(out, description, seen.state)
    if level >= Level.LAYOUT:
        write_notes(out, description, seen.notes)


def _bare_spans(journal: Journal, seen: Observation) -> dict[str, list[Span]]:
    """Return, per file, the ranges that hold no record and were not dropped either."""
    told = {(record.at.file, record.at.off) for record in (*seen.records, *seen.unanchored)}
    found: dict[str, list[Span]] = {}
    spans = load_implementation(journal.format).spans
    for span in spans(journal.files, edition=journal.edition, params=journal.params):
        if span.kind in BARE_KINDS and span.length and (span.file, span.off) not in told:
            found.setdefault(span.file, []).append(span)
    return found


def _write_file(  # one file of a journal and everything known about it
    out: Painter,
    description: Format,
    name: str,
    journal: Journal,
    seen: Observation,
    level: Level,
    bare: list[Span],
) -> None:
    out.line("")
    records = [record for record in seen.records if record.at.file == name]
    entry = next((entry for entry in seen.files if entry.file == name), None)
    if level >= Level.LAYOUT:
        entry = entry or FileMap(name, len(journal.files[name]), "unknown")
        out.panel(f"{shown(name)}: {entry.length} bytes, {entry.role}", {**entry.header, **entry.content})
    else:
        out.line((shown(name), "bold"))
    out.line(f"  {len(records)} record(s)")
    write_records(out, records)
    if level < Level.LAYOUT:
        return
    write_dropped(out, description, (region for region in seen.dropped if region.file == name))
    for span in bare:
        fill = uniform(journal.files[name], span.off, span.length)
        content = span.value if fill is None else f"all {fill:02x}"
        text = f"  {span.kind} {span.off}..{span.off + span.length} ({span.length} bytes) {shown(content)}"
        out.line((text, KIND_STYLES.get(span.kind, "")))
    beside = [record for record in seen.unanchored if record.at.file == name]
    if beside:
        out.line((f"  {len(beside)} valid record(s) outside the log, not counted:", "yellow"))
        write_records(out, beside)


def _write_dump(out: Painter, journal: Journal) -> None:
    implementation = load_implementation(journal.format)
    for name, data in journal.files.items():
        out.line("")
        out.line((f"== {shown(name)}: {len(data)} bytes", "bold"))
        spans = implementation.spans(journal.files, edition=journal.edition, params=journal.params)
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
    if out.console.is_terminal:
        blank = " " * (len(hex_cells(b"")) - 3 * len(row.data) + 2)
        out.line((f"{row.off:08x}", "dim"), "  ", *_coloured(row, turns), blank, beside)
    else:
        out.line(f"{row.off:08x}  {hex_cells(row.data)}  {beside}")
    for line in below:
        out.line((line, "italic"))


def _coloured(row: Row, turns: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the cells of a row, one piece a field; `turns` gives each field name its colour."""
    cells = zip(row.data, row.kinds, row.paths, strict=True)
    for (kind, path), group in groupby(cells, key=lambda cell: cell[1:]):
        name = path.rpartition(".")[2].partition("[")[0]
        style = KIND_STYLES.get(kind) or turns.setdefault(name, TURNS[len(turns) % len(TURNS)])
        yield "".join(f"{byte:02x} " for byte, _, _ in group), style
