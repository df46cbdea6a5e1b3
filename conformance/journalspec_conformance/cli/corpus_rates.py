"""``journalspec corpus rates``: how often a crash goes unnoticed, and how weak a disk a format stands."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from journalspec_conformance.cli._options import FILE
from journalspec_conformance.cli._tables import say, show_table
from journalspec_corpus.pipeline.manifest import ManifestError
from journalspec_corpus.pipeline.rates import as_text, measure
from journalspec_corpus.pipeline.store import BuildError

_STATUS = (
    "Exit status: 0 printed, 1 the generator does not agree with arithmetic, 2 DIR holds no build to measure."
)


@click.command("rates", epilog=_STATUS)
@click.argument("directory", type=FILE, metavar="DIR")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Processes. Default: all cores.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as it is kept beside the documentation.")
def command(directory: Path, jobs: int | None, as_json: bool) -> None:
    """Measure what the strict reader does not notice in the build in DIR.

    Rates have 95 per cent intervals and are given for each edition, order of
    writes, background, stratum and preset; nothing is added up over them. Then
    comes the weakest preset under which each order of writes keeps I1 to I5, and a
    check of the generator against closed forms.
    """
    try:
        result = measure(directory, jobs or os.cpu_count() or 1)
    except ManifestError as error:
        raise click.UsageError(str(error)) from None
    except BuildError as error:
        raise click.UsageError(f"{error}\n{error.hint}") from None
    if as_json:
        click.echo(as_text(result), nl=False)
    else:
        _show(result)
    raise click.exceptions.Exit(0 if all(entry["agrees"] for entry in result["self_check"]) else 1)


def _show(result: Mapping[str, Any]) -> None:
    plan = result["plan"]
    say(
        f"{plan['format']}, tier {plan['tier']}, every {plan['every']}, seed {plan['seed']}, engine "
        f"{plan['engine']}, version {plan['version']}, digest {result['digest']}; reader: {result['reader']}"
    )
    for name, question in result["questions"].items():
        rows = [entry for entry in result["rates"] if entry["question"] == name]
        say()
        say(f"{name}: of {question['of']}, {question['counted']}")
        if rows:
            show_table(
                ["edition", "writer", "background", "stratum", "preset", "k", "n", "rate", "95%"],
                (_rate(entry) for entry in rows),
            )
        else:
            say("  no such states in this build")
    say()
    say("Made of crash points of which every state under the preset was enumerated; left out for that:")
    show_table(
        ["preset", "crash points", "states"],
        ([entry["preset"], f"{entry['groups']:,}", f"{entry['states']:,}"] for entry in result["left_out"]),
    )
    if result["set_aside"]:
        say()
        say("Set aside: traces and corrupted states that are not recovered as they should be from the start:")
        show_table(
            ["background", "traces", "states"],
            (
                [entry["background"], f"{entry['traces']:,}", f"{entry['states']:,}"]
                for entry in result["set_aside"]
            ),
        )
    say()
    say("Weakest preset under which I1 to I5 hold, under it and under every stronger one (stratum R):")
    show_table(["edition", "writer", "safe under", "fails first", "as in"], _safe(result["safe"]))
    say()
    say("The generator against closed forms: a rule that compares length and head only, torn states:")
    show_table(["background", "sectors", "how", "formula", "k", "n", "agrees"], _checks(result["self_check"]))


def _rate(entry: Mapping[str, Any]) -> list[str]:
    low, high = entry["interval"]
    names = [entry[name] for name in ("edition", "writer", "background", "stratum", "preset")]
    return [*names, f"{entry['k']:,}", f"{entry['n']:,}", f"{entry['rate']:.3%}", f"{low:.3%} to {high:.3%}"]


def _safe(lines: list[dict[str, Any]]) -> Iterator[list[str]]:
    for line in lines:
        fails = line["fails"]
        if fails is None:
            yield [line["edition"], line["writer"], line["weakest"] or "none", "nothing", ""]
            continue
        verdicts = ", ".join(f"{name} {count:,}" for name, count in fails["verdicts"].items())
        example = fails["example"]
        yield [
            line["edition"],
            line["writer"],
            line["weakest"] or "none",
            f"{fails['preset']}: {verdicts}",
            f"{example['workload']}, operation {example['crash_index']}, "
            + (f"mask {example['mask']}" if example["mask"] else f"{example['tear']} bytes"),
        ]


def _checks(entries: list[dict[str, Any]]) -> Iterator[list[str]]:
    for entry in entries:
        yield [
            entry["background"],
            str(entry["sectors"]),
            entry["how"],
            f"{entry['formula']:.4%}",
            f"{entry['k']:,}",
            f"{entry['n']:,}",
            "yes" if entry["agrees"] else "NO",
        ]


__all__ = ["command"]
