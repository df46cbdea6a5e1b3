"""``journalspec corpus``: building the tiers, and what else is done with crash states (one module each)."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from journalspec.formats import UnknownFormat, format_ids
from journalspec_conformance.cli import how_it_ended
from journalspec_conformance.cli._options import FILE
from journalspec_conformance.cli._tables import show_table

if TYPE_CHECKING:
    from journalspec_corpus.pipeline.build import Engine
    from journalspec_corpus.pipeline.plan import Plan

_STATUS = "Exit status: 0 done, 1 the build failed, 2 usage or configuration."
_NEEDS = "journalspec corpus needs NumPy, PyArrow and Numba: pip install 'journalspec[corpus]'"
_KEPT = "what is finished is kept: the same command again goes on there"
_TIERS = ("smoke", "captured", "core", "full")


#: Commands with a module of their own beside this one, in the order of the help text.
_OTHERS = ("archive", "report", "verify", "agree", "judge", "shrink", "rates")


class _Commands(click.Group):
    """The commands of this module, and those whose module is there, imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands that are there."""
        return [*super().list_commands(ctx), *(name for name in _OTHERS if _there(name))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; one whose needs are not installed says so when it is called."""
        if cmd_name not in _OTHERS or not _there(cmd_name):
            return super().get_command(ctx, cmd_name)
        try:
            found: click.Command = import_module(_module(cmd_name)).command
        except ImportError as error:
            return _unable(cmd_name, error)
        return found


def _unable(name: str, error: ImportError) -> click.Command:
    def complain(**_: object) -> None:
        raise click.UsageError(f"{_NEEDS} ({error})")

    rest = click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)
    settings = {"ignore_unknown_options": True}
    return click.Command(name, settings, complain, [rest], help=f"Not installed as a whole: {error}.")


def _module(name: str) -> str:
    return f"{__name__}_{name}"


def _there(name: str) -> bool:
    return find_spec(_module(name)) is not None


@click.group("corpus", cls=_Commands)
def command() -> None:
    """Build the corpus: published tiers are copied, crash states are made from write traces."""


@command.command("build", epilog=_STATUS + " 130 interrupted: the same command goes on.")
@click.option("--tier", type=click.Choice(_TIERS), required=True, help="Which tier.")
@click.option("--out", type=FILE, required=True, metavar="DIR", help="A new directory, or one to resume in.")
@click.option("--format", "format_id", metavar="F", help="The format; needed if several have crash traces.")
@click.option(
    "--engine",
    type=click.Choice(["spark", "local"]),
    default="local",
    show_default=True,
    help="Processes on this machine, or Spark.",
)
@click.option(
    "--jobs", type=click.IntRange(1), metavar="N", help="Processes of the local engine. Default: all cores."
)
@click.option("--master", metavar="URL", help="Spark's master. Default: local[*], or as submitted.")
@click.option(
    "--partitions", type=click.IntRange(1), metavar="N", help="Spark tasks. The output is the same."
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, metavar="S")
@click.option("--every", type=click.IntRange(1), default=1, metavar="N", help="Take each N-th workload only.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest.")
def build_command(tier: str, out: Path, format_id: str | None, as_json: bool, **options: Any) -> None:
    """Build a tier into DIR.

    `smoke` and `captured` are copied as published. `core` and `full` record write
    traces, enumerate what a crash may leave of them, judge every distinct state,
    and write Parquet with a manifest; `core` also writes cases. A build that was
    interrupted goes on where it stopped. What is built depends on tier, format and
    seed alone, not on engine, jobs or partitions.
    """
    if tier in ("smoke", "captured"):
        _copy(tier, out, format_id, as_json)
        return
    try:
        from journalspec_conformance.cli.corpus_report import show_summary  # noqa: PLC0415 - needs them too
        from journalspec_corpus.pipeline.build import Engine  # noqa: PLC0415  # needs optional parts
        from journalspec_corpus.pipeline.local import cores  # noqa: PLC0415  # needs optional parts
        from journalspec_corpus.pipeline.plan import Plan  # noqa: PLC0415  # needs optional parts
    except ImportError as error:
        raise click.UsageError(f"{_NEEDS} ({error})") from None
    plan = Plan(_chosen(format_id), tier, options["seed"], every=options["every"])
    if options["master"] and options["engine"] != "spark":
        raise click.UsageError("--master is for --engine spark")
    engine = Engine(options["engine"], options["partitions"], options["master"], options["jobs"] or cores())
    manifest = _build(plan, out, engine)
    if as_json:
        click.echo(json.dumps(manifest, indent=2))
    else:
        show_summary(manifest, out)


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
    from journalspec_corpus.crash.adapter import has_crash_format  # noqa: PLC0415  # needs optional parts

    try:
        able = [name for name in ([format_id] if format_id else format_ids()) if has_crash_format(name)]
    except UnknownFormat as error:
        raise click.UsageError(str(error.args[0])) from None
    if not able:
        raise click.UsageError(f"{format_id or 'no format'} has no crash traces yet")
    if len(able) > 1:
        raise click.UsageError(f"which format? --format takes one of {', '.join(able)}")
    return able[0]


def _build(plan: Plan, out: Path, engine: Engine) -> dict[str, Any]:
    """Build and publish with a progress bar; what goes wrong ends the command with one or two lines."""
    from journalspec_corpus.pipeline.store import BuildError  # noqa: PLC0415  # needs optional parts

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns, console=_error_console(), transient=True) as bar:
            task = bar.add_task(f"{plan.tier}: shards", total=None)

            def show(step: str, done: int, total: int) -> None:
                bar.update(task, description=f"{plan.tier}: {step}", completed=done, total=total)

            return _steps(plan, out, engine, show)
    except BuildError as error:
        raise _Failed(f"{error}\n{error.hint}".rstrip()) from None
    except MemoryError:
        raise _Failed("not enough memory; try fewer --jobs") from None
    except OSError as error:
        raise _Failed(f"{error.filename or out}: {error.strerror or error}\n{_KEPT}") from None
    except KeyboardInterrupt as interruption:
        said, status = how_it_ended(interruption)
        click.echo(f"{said}; {_KEPT}", err=True)
        raise click.exceptions.Exit(status) from None


def _steps(plan: Plan, out: Path, engine: Engine, show: Callable[[str, int, int], None]) -> dict[str, Any]:
    from journalspec_corpus.pipeline.build import build  # noqa: PLC0415  # needs optional parts
    from journalspec_corpus.pipeline.published import publish_core  # noqa: PLC0415  # needs optional parts

    manifest = build(plan, out, engine, lambda done, total: show("shards", done, total))
    if plan.tier == "core":
        manifest = publish_core(
            plan, out, manifest, jobs=engine.jobs, progress=lambda done, total: show("cases", done, total)
        )
    return manifest


class _Failed(click.ClickException):
    """The build did not work; exit status 1."""

    exit_code = 1


def _error_console() -> Any:
    from rich.console import Console  # noqa: PLC0415  # beside the one for output

    return Console(stderr=True)


def _copy(tier: str, out: Path, format_id: str | None, as_json: bool) -> None:
    """Copy a published tier: one JSON-lines file per format."""
    from journalspec_corpus.pipeline.cases import copy_tier  # noqa: PLC0415  # imported when it is used

    if out.exists() and (not out.is_dir() or any(path.name not in format_ids() for path in out.iterdir())):
        raise click.UsageError(f"{out} holds something else: choose an empty or new directory")
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
