"""``journalspec corpus agree``: the fast path of a build held against the reference implementation."""

from __future__ import annotations

import json
import sys

import click

from journalspec.formats import UnknownFormat
from journalspec_conformance.cli._tables import say
from journalspec_corpus.pipeline.agree import Agreement, agree
from journalspec_corpus.pipeline.local import cores
from journalspec_corpus.pipeline.plan import BUILT_TIERS, Plan


@click.command("agree", epilog="Exit status: 0 all answers agree, 1 some do not, 2 usage.")
@click.option("--format", "format_id", metavar="F", required=True, help="The format.")
@click.option("--tier", type=click.Choice(list(BUILT_TIERS)), default="core", show_default=True)
@click.option(
    "--every", type=click.IntRange(1), default=1, show_default=True, help="Each n-th workload only."
)
@click.option("--jobs", type=click.IntRange(1), default=cores, help="Processes; default: one per core.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(format_id: str, tier: str, every: int, jobs: int, as_json: bool) -> None:
    """Answer every crash state of a tier twice and compare.

    Once as a build does it, without building the state; once by the reference
    implementation on the files, under each recovery policy. Prints how many were
    compared, every state on which the two differ, and the speed of both.
    """
    try:
        found = agree(Plan(format_id, tier, every=every), jobs, _progress)
    except UnknownFormat as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        click.echo(json.dumps(found.to_json(), indent=2))
    else:
        _show(found)
    if found.wrong:
        sys.exit(1)


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{done} of {total} shards" + ("\n" if done == total else ""), err=True, nl=False)


def _show(found: Agreement) -> None:
    figures = found.to_json()
    say(
        f"{found.states:,} states ({found.contents:,} distinct contents):"
        f" {found.compared:,} answers compared, {found.wrong:,} disagreements"
    )
    if found.loosely:
        say(f"  {found.loosely:,} answers name different records that nobody wrote: the same verdict")
    say(
        f"  fast path {figures['fast_per_cpu_second']:,} states per second of one core,"
        f" reference {figures['reference_per_cpu_second']:,}: {figures['ratio']} times as fast"
    )
    for entry in found.described:
        where = " ".join(f"{name}={value}" for name, value in entry.where.items() if value != "")
        say(f"{entry.workload}: {entry.reader}\n  {where}")
        say(f"  fast: {entry.fast}\n  reference: {entry.reference}")
    if found.wrong > len(found.described):
        say(f"... and {found.wrong - len(found.described):,} more")
