"""``journalspec summary``, ``matrix`` and ``expect``: commands about reports."""

from __future__ import annotations

from pathlib import Path

import click

from journalspec.files import replace_text
from journalspec_conformance import export
from journalspec_conformance.cli import _options
from journalspec_conformance.cli._tables import say, say_all, show_table
from journalspec_conformance.expect import TODO, read_text, update
from journalspec_conformance.report import load_report

_FORMS = {
    "text": export.as_text,
    "markdown": export.as_markdown,
    "junit": export.as_junit,
    "badge": export.as_badge,
}
_REPORT_STATUS = (
    "Exit status: 0 the report is complete and has no failure, 1 it has failures or no judged probe, 2 "
    "usage, or the report is invalid (cut off, edited)."
)


@click.command("summary", epilog=_REPORT_STATUS)
@click.argument("report", type=_options.FILE)
@click.option(
    "--format", "form", type=click.Choice(list(_FORMS)), default="text", show_default=True, help="Form."
)
def summary_command(report: Path, form: str) -> None:
    """Print REPORT in another form."""
    loaded = load_report(report)
    click.echo(_FORMS[form](loaded), nl=False)
    raise click.exceptions.Exit(1 if loaded.red else 0)


@click.command("matrix", epilog="Exit status: 0, or 2 usage, or a report is invalid (cut off, edited).")
@click.argument("reports", type=_options.FILE, nargs=-1, required=True)
@click.option(
    "--by", type=click.Choice(["format", "requirement"]), default="format", show_default=True, help="Rows."
)
@click.option("--markdown", is_flag=True, help="A Markdown table.")
def matrix_command(reports: tuple[Path, ...], by: str, markdown: bool) -> None:
    """Compare REPORTS: passed/judged per implementation, and +N for unsupported probes."""
    loaded = [load_report(path) for path in reports]
    head, rows = export.matrix(loaded, by)
    notes = [f"{path}: {note}" for path, report in zip(reports, loaded, strict=True) for note in report.notes]
    notes += export.unlike(loaded)
    if not markdown:
        show_table(head, rows)
        say_all(notes)
        return
    for row in (head, ["---"] * len(head), *rows):
        say(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |")
    if notes:
        say("\n" + "\n".join(f"- {note}" for note in notes))


@click.command("expect", epilog="Exit status: 0 done, 2 usage or a file that cannot be used.")
@click.option(
    "--update",
    "path",
    type=_options.FILE,
    required=True,
    metavar="FILE",
    help="The expectation file to rewrite in place; created if missing.",
)
@click.argument("report", type=_options.FILE)
def expect_command(path: Path, report: Path) -> None:
    """Bring FILE up to date with REPORT: remove fixed entries, add new failures.

    Comments remain, and entries are sorted. The reason of a new entry starts with TODO.
    A run refuses the file until you have replaced TODO by the reason of the failure.
    """
    loaded = load_report(report)
    text = read_text(path) if path.exists() else ""
    done = update(text, loaded.results, str(path))
    if done.text != text:
        replace_text(path, done.text)
    say_all((f"{report}: {note}" for note in loaded.notes), err=True)
    for verb, names in (("added", done.added), ("removed", done.removed), ("changed", done.changed)):
        say_all(f"{verb} {name}" for name in names)
    if done.added:
        say(f"{path}: replace every {TODO} by a reason before the next run")
