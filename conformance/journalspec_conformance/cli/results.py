"""``journalspec results``: keeps the reports of many runs in one directory, and shows the changes between
runs.
"""

from __future__ import annotations

from pathlib import Path

import click

from journalspec_conformance import history
from journalspec_conformance.cli import _options
from journalspec_conformance.cli._tables import say, say_all, show_table
from journalspec_conformance.errors import Problem
from journalspec_conformance.export import score, unlike
from journalspec_conformance.report import load_report

_IN = click.option(
    "--in", "directory", type=_options.FILE, required=True, metavar="DIR", help="The directory of results."
)


@click.group("results")
def command() -> None:
    """Keep the reports of runs, list them, and compare two.

    A directory of results has the reports of each implementation in the order in which they were added:
    NAME-0001.jsonl.gz, NAME-0002.jsonl.gz, and so on. The site's results pages are made from `docs/reports`.
    """


@command.command(
    "add", epilog="Exit status: 0 added, 2 usage, or a report that is invalid or already exists."
)
@click.argument("report", type=_options.FILE)
@_IN
def add_command(report: Path, directory: Path) -> None:
    """Add REPORT to a directory of results. The report is compressed, and its content is unchanged."""
    say(f"added: {history.add(report, directory)}")


@command.command("history", epilog="Exit status: 0, or 2 usage, or an invalid report.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@_IN
def history_command(names: tuple[str, ...], directory: Path) -> None:
    """List the runs of each implementation, the oldest first.

    `better` and `worse` count the probes that changed since the previous run of the same tier.
    """
    runs = history.runs(directory)
    if unknown := sorted(set(names) - {run.folder for run in runs}):
        raise Problem(
            f"no results of {unknown[0]}", f"there are: {', '.join(sorted({r.folder for r in runs}))}"
        )
    rows = []
    for run in runs:
        if not names or run.folder in names:
            changed = history.changes(run.before.results, run.report.results) if run.before else None
            counts = [str(len(changed.better)), str(len(changed.worse))] if changed else ["", ""]
            header = run.report.header
            rows.append(
                [
                    run.path.name,
                    run.report.name,
                    header["suite"],
                    header["tier"],
                    score(run.report.results),
                    *counts,
                ]
            )
    show_table(["run", "implementation", "suite", "tier", "passed/judged", "better", "worse"], rows)
    counted = {run.path for run in runs}
    for path in sorted(set(directory.glob("*.jsonl*")) - counted):
        say(f"not counted: {path.name} (use `journalspec results add`, which gives it a number)")


@command.command("diff", epilog="Exit status: 0 nothing is worse, 1 something is, 2 usage.")
@click.argument("old", type=_options.FILE)
@click.argument("new", type=_options.FILE)
def diff_command(old: Path, new: Path) -> None:
    """Show which probes changed from the report OLD to the report NEW.

    Better: passes in NEW and failed in OLD. Worse: the reverse.
    """
    before, after = load_report(old), load_report(new)
    found = history.changes(before.results, after.results)
    for title, lines in (("worse", found.worse), ("better", found.better), ("other", found.other)):
        say_all(f"{title:<7}{line}" for line in lines)
    counts = f"{len(found.better)} better, {len(found.worse)} worse, {len(found.other)} changed otherwise"
    say(f"{counts}, {found.new} new, {found.gone} gone")
    say_all(unlike([before, after]))
    raise click.exceptions.Exit(1 if found.worse else 0)
