"""``journalspec corpus report``: what a finished build holds, one stratum at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from journalspec_conformance.cli._options import FILE
from journalspec_conformance.cli._tables import say, show_table
from journalspec_corpus.pipeline.manifest import ManifestError, Report, Target, load


@click.command("report", epilog="Exit status: 0 printed, 2 DIR holds no finished build.")
@click.argument("directory", type=FILE, metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(directory: Path, as_json: bool) -> None:
    """Print what the build in DIR counted: classes, verdicts and failures, each stratum apart."""
    try:
        report = Report(load(directory))
    except ManifestError as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        click.echo(json.dumps(report.to_json(), indent=2))
        return
    show_summary(report.manifest, directory)
    for stratum in report.strata:
        _show_stratum(report, stratum)


def show_summary(manifest: dict[str, Any], out: Path) -> None:
    """Print what a build did and found, without the long tables."""
    report = Report(manifest)
    for line in report.head():
        say(line)
    say()
    show_table(["stratum", "distinct cases", "classes", "verdicts of the strict reader"], _strata(report))
    say()
    head = ["writer", "edition", "weakest preset under which I1 to I5 hold", "then breaks", "besides"]
    show_table(head, _safe(report))
    say()
    files = "states/*.parquet, manifest.json"
    files += "".join(f", {name}" for name in manifest.get("cases", {}).get("files", {}))
    say(f"in {out}: {files}; all tables: journalspec corpus report {out}")


def _strata(report: Report) -> Iterator[list[str]]:
    for name, tables in report.strata.items():
        verdicts = report.verdicts(name, report.strict)
        told = ", ".join(f"{verdict} {count:,}" for verdict, count in verdicts.items())
        yield [
            f"{name} {report.meaning(name)}",
            f"{tables['distinct']:,}",
            f"{len(tables['classes']):,}",
            told,
        ]


def _safe(report: Report) -> Iterator[list[str]]:
    for row in report.safe_under:
        weakest = row["weakest"] or "none"
        then = f"{', '.join(row['breaks'])} under {row['fails_under']}" if row["fails_under"] else "nothing"
        besides = ", ".join(f"{name} under {preset}" for name, preset in row["besides"].items())
        yield [row["writer"], row["edition"], weakest, then, besides or "-"]


def _show_stratum(report: Report, stratum: str) -> None:
    say()
    say(f"Stratum {stratum}: {report.meaning(stratum)}")
    verdicts = report.verdict_names(stratum)
    show_table(
        ["reader", "writer", *verdicts],
        (
            [reader, writer, *(f"{given.get(name, 0):,}" for name in verdicts)]
            for reader, writers in report.strata[stratum]["verdicts"].items()
            for writer, given in writers.items()
        ),
    )
    say()
    show_table(
        ["code", "reached", "target of a full tier", "", "categories"],
        (
            [_codes(row), f"{row.reached:,}", f"{row.target:,}", row.remark, _listed(row.categories)]
            for row in report.targets(stratum)
        ),
    )
    failures = report.strata[stratum]["failures"]
    if failures:
        say()
        show_table(
            ["failure", "breaks", "reader", "writer", "edition", "states", "strongest preset that shows it"],
            (
                [
                    row["verdict"],
                    ", ".join(row["breaks"]),
                    row["reader"],
                    row["writer"],
                    row["edition"],
                    f"{sum(row['states'].values()):,}",
                    row["strongest_preset"],
                ]
                for row in failures
            ),
        )


def _codes(row: Target) -> str:
    return row.codes[0] if len(row.codes) == 1 else f"{row.codes[0]}-{row.codes[-1]}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "-"


__all__ = ["command", "show_summary"]
