"""``journalspec corpus``: building the tiers, and how fast that goes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from journalspec.formats import UnknownFormat, format_ids
from journalspec_conformance.cli._options import FILE
from journalspec_conformance.cli._tables import console, show_table
from journalspec_conformance.cli.corpus_judge import command as judge_command

if TYPE_CHECKING:
    from journalspec_corpus.pipeline.build import Engine
    from journalspec_corpus.pipeline.plan import Plan

_STATUS = "Exit status: 0 done, 1 the build failed, 2 usage or configuration."
_NEEDS = "journalspec corpus needs NumPy, PyArrow and Numba: pip install 'journalspec[corpus]'"
_TIERS = ("smoke", "captured", "core", "full")


@click.group("corpus")
def command() -> None:
    """Build the corpus: published tiers are copied, crash states are made from write traces."""


command.add_command(judge_command)


@command.command("build", epilog=_STATUS)
@click.option("--tier", type=click.Choice(_TIERS), required=True, help="Which tier.")
@click.option("--out", type=FILE, required=True, metavar="DIR", help="A new directory, or one to resume in.")
@click.option("--format", "format_id", metavar="F", help="The format; needed if several have crash traces.")
@click.option(
    "--engine",
    type=click.Choice(["spark", "local"]),
    default="local",
    show_default=True,
    help="Plain Python in this process, or Spark (local[*] unless submitted to a cluster).",
)
@click.option(
    "--partitions", type=click.IntRange(1), metavar="N", help="Spark tasks. The output is the same."
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, metavar="S")
@click.option("--every", type=click.IntRange(1), default=1, metavar="N", help="Take each N-th workload only.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest.")
def build_command(  # one parameter per option
    tier: str,
    out: Path,
    format_id: str | None,
    engine: str,
    partitions: int | None,
    seed: int,
    every: int,
    as_json: bool,
) -> None:
    """Build a tier into DIR.

    `smoke` and `captured` are copied as published. `core` and `full` record write
    traces, enumerate what a crash may leave of them, judge every distinct state,
    and write Parquet with a manifest; `core` also writes cases. A build that was
    interrupted goes on where it stopped. What is built depends on tier, format and
    seed alone, not on engine or partitions.
    """
    if tier in ("smoke", "captured"):
        _copy(tier, out, format_id, as_json)
        return
    try:
        from journalspec_corpus.pipeline.build import Engine  # noqa: PLC0415  # needs optional parts
        from journalspec_corpus.pipeline.plan import Plan  # noqa: PLC0415  # needs optional parts
    except ImportError as error:
        raise click.UsageError(f"{_NEEDS} ({error})") from None
    plan = Plan(_chosen(format_id), tier, seed, every=every)
    manifest = _build(plan, out, Engine(engine, partitions))
    if as_json:
        click.echo(json.dumps(manifest, indent=2))
    else:
        _show(manifest, out)


@command.command("bench", context_settings={"ignore_unknown_options": True}, epilog=_STATUS)
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def bench_command(options: tuple[str, ...]) -> None:
    """Measure how many distinct states are judged per second (see --help of the bench itself: -- --help)."""
    try:
        from journalspec_corpus.pipeline.bench import main  # noqa: PLC0415  # needs optional parts
    except ImportError as error:
        raise click.UsageError(f"{_NEEDS} ({error})") from None
    raise SystemExit(main(list(options)))


def _chosen(format_id: str | None) -> str:
    """Return the format to build; raises UsageError if that is not clear."""
    from journalspec_corpus.crash.room import has_crash_room  # noqa: PLC0415  # needs optional parts

    try:
        able = [name for name in ([format_id] if format_id else format_ids()) if has_crash_room(name)]
    except UnknownFormat as error:
        raise click.UsageError(str(error.args[0])) from None
    if not able:
        raise click.UsageError(f"{format_id or 'no format'} has no crash traces yet")
    if len(able) > 1:
        raise click.UsageError(f"which format? --format takes one of {', '.join(able)}")
    return able[0]


def _build(plan: Plan, out: Path, engine: Engine) -> dict[str, Any]:
    from journalspec_corpus.pipeline.build import build  # noqa: PLC0415  # needs optional parts
    from journalspec_corpus.pipeline.published import publish_core  # noqa: PLC0415  # needs optional parts
    from journalspec_corpus.pipeline.store import BuildError  # noqa: PLC0415  # needs optional parts

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=_error_console(), transient=True) as bar:
        task = bar.add_task(f"{plan.tier}: shards", total=None)
        try:
            manifest = build(
                plan, out, engine, lambda done, total: bar.update(task, completed=done, total=total)
            )
            if plan.tier == "core":
                bar.update(task, description="core: cases")
                manifest = publish_core(plan, out, manifest)
        except BuildError as error:
            raise _Failed(f"{error}\n{error.hint}".rstrip()) from None
        except OSError as error:
            raise _Failed(f"{error.filename or out}: {error.strerror or error}") from None
    return manifest


class _Failed(click.ClickException):
    """The build did not work; exit status 1."""

    exit_code = 1


def _error_console() -> Any:
    from rich.console import Console  # noqa: PLC0415  # beside the one for output

    return Console(stderr=True)


def _copy(tier: str, out: Path, format_id: str | None, as_json: bool) -> None:
    """Copy a published tier: one JSON-lines file per format."""
    from journalspec_corpus.pipeline.copying import copy_tier  # noqa: PLC0415  # imported when it is used

    try:
        copied = copy_tier(tier, out, [format_id] if format_id else list(format_ids()))
    except UnknownFormat as error:
        raise click.UsageError(str(error.args[0])) from None
    except FileExistsError as error:
        raise click.UsageError(f"{error.filename} exists: choose another directory") from None
    if as_json:
        click.echo(json.dumps(copied, indent=2))
        return
    show_table(
        ["format", "cases", "file"], [[row["format"], str(row["cases"]), row["file"]] for row in copied]
    )


def _show(manifest: dict[str, Any], out: Path) -> None:
    counts, facts = manifest["counts"], manifest["run"]
    rate = counts["distinct"] / max(facts["seconds"], 1e-9)
    console().print(
        f"{counts['distinct']:,} distinct states of {counts['generated']:,} generated"
        f" ({counts['duplicates']:,} duplicates removed), {len(manifest['classes'])} classes,"
        f" {counts['traces']:,} traces; {facts['seconds']} s with {facts['workers']} worker(s) on"
        f" {facts['cores']} cores ({rate:,.0f}/s, start-up included); seed {manifest['plan']['seed']}"
    )
    rows = []
    for reader, writers in manifest["verdicts"].items():
        for writer, verdicts in writers.items():
            rows.append(
                [reader, writer, *(f"{verdicts.get(name, 0):,}" for name in _verdict_names(manifest))]
            )
    show_table(["reader", "writer", *_verdict_names(manifest)], rows)
    console().print(
        f"in {out}: states/*.parquet, manifest.json" + (", cases.jsonl.gz" if "cases" in manifest else "")
    )


def _verdict_names(manifest: dict[str, Any]) -> list[str]:
    found: dict[str, None] = {}
    for writers in manifest["verdicts"].values():
        for verdicts in writers.values():
            found.update(dict.fromkeys(verdicts))
    return sorted(found)
