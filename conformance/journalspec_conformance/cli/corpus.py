"""``journalspec corpus``: builds tiers and reports on builds.

The commands for single states are in :mod:`.corpus_states`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from journalspec.formats import UnknownFormat, format_ids, get_format
from journalspec_conformance.cli import LazyGroup, Subcommand, how_it_ended
from journalspec_conformance.cli._options import FILE
from journalspec_conformance.cli._tables import progress_bar, say, say_all, show_table
from journalspec_conformance.errors import Problem
from journalspec_corpus.crash.trace import STRATA
from journalspec_corpus.crash.verdict import MEANINGS
from journalspec_corpus.load import PUBLISHED_TIERS
from journalspec_corpus.pipeline.manifest import ManifestError, as_json, head, load, verify

_STATUS = "Exit status: 0 done, 1 the build failed, 2 usage or configuration."
_NEEDS = "journalspec corpus needs NumPy and PyArrow: pip install 'journalspec[corpus]'"
_KEPT = "finished parts are kept: repeat the same command to continue"
#: The schemas of answers, and the schemas to which they refer. An archive contains them next to the cases.
_SCHEMAS = ("common", "observation", "refused")

#: All commands, in the order of the help text. A function of this module that needs an optional package
#: reports, when it is called, that the package is absent.
COMMANDS = {
    "build": Subcommand("corpus", "build_command", "Build a tier into a directory."),
    "archive": Subcommand("corpus", "archive_command", "Write the published cases to one file."),
    "report": Subcommand("corpus", "report_command", "Print the results of a build."),
    "verify": Subcommand("corpus", "verify_command", "Check every file against its manifest."),
    "judge": Subcommand("run", "judge_command", "Judge an implementation on the states of a build."),
    "show": Subcommand("corpus_states", "show_command", "Print the definition of a state of a build."),
    "reduce": Subcommand("corpus_states", "reduce_command", "Reduce a failing state."),
}


@click.group("corpus", cls=LazyGroup, entries=COMMANDS, needs=_NEEDS, former={"shrink": "reduce"})
def command() -> None:
    """Build crash states from write traces, test implementations on them, and print them."""


@click.command("build", epilog=_STATUS + " 130 interrupted: the same command continues.")
@click.option("--tier", type=click.Choice(["core", "full"]), required=True, help="Which tier.")
@click.option(
    "--out",
    type=FILE,
    required=True,
    metavar="DIR",
    help="A new directory, or the directory of an interrupted build.",
)
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
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=1,
    show_default=True,
    metavar="S",
    help="The random choices depend only on the seed.",
)
@click.option("--every", type=click.IntRange(1), default=1, metavar="N", help="Take each N-th workload only.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest.")
def build_command(tier: str, out: Path, format_id: str | None, as_json: bool, **options: Any) -> None:
    """Build a tier into DIR.

    The command records write traces, enumerates the states that a crash may leave, judges every distinct
    state, and writes Parquet with a manifest; the tier `core` also contains cases. The same command continues
    an interrupted build. The result depends only on tier, format and seed, not on engine, jobs or partitions.
    """
    try:
        from journalspec_corpus.pipeline.build import Builder, build, cores  # noqa: PLC0415  # needs optional packages
        from journalspec_corpus.pipeline.plan import Plan  # noqa: PLC0415  # needs optional packages
        from journalspec_corpus.pipeline.shards import BuildError  # noqa: PLC0415  # needs optional packages
    except ImportError as error:
        raise click.UsageError(f"{_NEEDS} ({error})") from None
    chosen = format_with_traces([format_id] if format_id else format_ids())
    plan = Plan(chosen, tier, options["seed"], every=options["every"])
    if options["master"] and options["engine"] != "spark":
        raise click.UsageError("--master is for --engine spark")
    engine = Builder(options["engine"], options["partitions"], options["master"], options["jobs"] or cores())
    try:
        with progress_bar() as show:
            manifest = build(plan, out, engine, show)
    except BuildError as error:
        raise Failed(f"{error}\n{error.hint}".rstrip()) from None
    except MemoryError:
        raise Failed("not enough memory; try fewer --jobs") from None
    except OSError as error:
        raise Failed(f"{error.filename or out}: {error.strerror or error}\n{_KEPT}") from None
    except KeyboardInterrupt as interruption:
        said, status = how_it_ended(interruption)
        click.echo(f"{said}; {_KEPT}", err=True)
        raise click.exceptions.Exit(status) from None
    if as_json:
        click.echo(json.dumps(manifest, indent=2))
    else:
        show_summary(manifest, out)


def format_with_traces(names: Sequence[str]) -> str:
    """Return the only format in `names` that has crash traces; raises Problem if there is not exactly one."""
    from journalspec_corpus.crash.formats import has_crash_format  # noqa: PLC0415  # needs optional packages

    try:
        able = [name for name in names if has_crash_format(name)]
    except UnknownFormat as error:
        raise Problem(str(error.args[0])) from None
    if not able:
        raise Problem(f"there are no crash traces of {', '.join(names) or 'any format that it recovers'}")
    if len(able) > 1:
        raise Problem(f"which format? --format takes one of {', '.join(able)}")
    return able[0]


class Failed(click.ClickException):
    """This error ends a failed command with exit status 1."""

    exit_code = 1


@click.command("archive", epilog="Exit status: 0 written, 2 usage or configuration.")
@click.option(
    "--out", type=FILE, required=True, metavar="FILE", help="A new file; its name ends in .tar.gz or .tar."
)
@click.option(
    "--tier",
    "tiers",
    type=click.Choice(PUBLISHED_TIERS),
    multiple=True,
    default=("smoke", "captured"),
    show_default=True,
    help="Which tiers.",
)
@click.option("--format", "formats", multiple=True, metavar="F", help="Only these formats.")
def archive_command(out: Path, tiers: tuple[str, ...], formats: tuple[str, ...]) -> None:
    """Write the published cases to FILE, for programs in any language.

    Every case is a directory, with the journal as real files, and the questions and answers as JSON. A README
    explains the form. The archive also contains JSON Schemas, specifications, Kaitai schemas and parsers. The
    same cases give the same bytes.
    """
    from journalspec_conformance.protocol import schemas  # noqa: PLC0415 - slow; only used here
    from journalspec_conformance.selection import cases_of  # noqa: PLC0415 - slow; only used here
    from journalspec_corpus.archive import write_archive  # noqa: PLC0415 - slow; only used here

    try:
        # Some formats have no captured cases; their archives contain the other tiers.
        bare = bool(formats) and len({*tiers}) > 1 and all(get_format(name).uncaptured for name in formats)
    except UnknownFormat as error:
        raise Problem(str(error)) from None
    chosen = [tier for tier in dict.fromkeys(tiers) if not (bare and tier == "captured")]
    cases = [case for tier in chosen for case in cases_of(tier, formats)]
    try:
        write_archive(out, cases, {f"{name}.schema.json": schemas()[name] for name in _SCHEMAS})
    except FileExistsError:
        raise Problem(f"{out} already exists, and nothing is overwritten", "Name a new file.") from None
    except ValueError as error:
        raise Problem(str(error)) from None
    except OSError as error:
        raise Problem(f"{out}: cannot be written: {error.strerror}") from None
    say(f"{len(cases)} cases in {out}, {out.stat().st_size} bytes")


@click.command("report", epilog="Exit status: 0 printed, 2 DIR has no finished build.")
@click.argument("directory", type=FILE, metavar="DIR")
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
def report_command(directory: Path, in_json: bool) -> None:
    """Print the results of the build in DIR: numbers of verdicts and failures, separately for each class."""
    try:
        manifest = load(directory)
    except ManifestError as error:
        raise click.UsageError(str(error)) from None
    if in_json:
        click.echo(json.dumps(as_json(manifest), indent=2))
        return
    show_summary(manifest, directory)
    for stratum, tables in manifest["strata"].items():
        _show_stratum(stratum, tables)


def show_summary(manifest: dict[str, Any], out: Path) -> None:
    """Print the work and the results of a build, without the long tables."""
    say_all(head(manifest))
    say()
    names = ["stratum", "distinct cases", "classes", "verdicts of the strict reader"]
    show_table(names, _strata(manifest))
    say()
    names = ["writer", "edition", "weakest preset under which I1 to I5 hold", "then breaks", "besides"]
    show_table(names, _safe(manifest))
    say()
    made = ["states/*.parquet", "manifest.json", *manifest.get("cases", {}).get("files", {})]
    say(f"in {out}: {', '.join(made)}; all tables: journalspec corpus report {out}")


def _strata(manifest: dict[str, Any]) -> Iterator[list[str]]:
    for name, tables in manifest["strata"].items():
        verdicts = Counter[str]()
        for given in tables["verdicts"][manifest["strict"]].values():
            verdicts.update(given)
        told = ", ".join(f"{verdict} {count:,}" for verdict, count in sorted(verdicts.items()))
        yield [f"{name} {STRATA[name]}", f"{tables['distinct']:,}", f"{len(tables['classes']):,}", told]


def _safe(manifest: dict[str, Any]) -> Iterator[list[str]]:
    for row in (row for tables in manifest["strata"].values() for row in tables.get("safe_under", ())):
        weakest = row["weakest"] or "none"
        then = f"{', '.join(row['breaks'])} under {row['fails_under']}" if row["fails_under"] else "nothing"
        besides = ", ".join(f"{name} under {preset}" for name, preset in row["besides"].items())
        yield [row["writer"], row["edition"], weakest, then, besides or "-"]


def _show_stratum(stratum: str, tables: dict[str, Any]) -> None:
    say(f"\nStratum {stratum}: {STRATA[stratum]}")
    names = sorted({name for by in tables["verdicts"].values() for given in by.values() for name in given})
    show_table(
        ["reader", "writer", *names],
        [
            [reader, writer, *(f"{given.get(name, 0):,}" for name in names)]
            for reader, writers in tables["verdicts"].items()
            for writer, given in writers.items()
        ],
    )
    say()
    show_table(["category", "states"], [[name, f"{count:,}"] for name, count in tables["categories"].items()])
    failures = tables["failures"]
    if failures:
        say()
        members = ("reader", "writer", "edition")
        show_table(
            ["failure", "breaks", *members, "states", "strongest preset that shows it"],
            [
                [
                    row["verdict"],
                    ", ".join(row["breaks"]),
                    *(row[name] for name in members),
                    f"{sum(row['states'].values()):,}",
                    row["strongest_preset"],
                ]
                for row in failures
            ],
        )
        say_all(
            f"{verdict}: {MEANINGS[verdict]}" for verdict in dict.fromkeys(row["verdict"] for row in failures)
        )


@click.command("verify", epilog="Exit status: 0 all as in the manifest, 1 a difference, 2 DIR has no build.")
@click.argument("directory", type=FILE, metavar="[DIR]", required=False)
@click.option(
    "--tier",
    "tiers",
    type=click.Choice(PUBLISHED_TIERS),
    multiple=True,
    help="Only this published tier. May be repeated. Default: all.",
)
@click.option("--again", is_flag=True, help="Repeat the build in a scratch directory, and compare.")
def verify_command(directory: Path | None, tiers: tuple[str, ...], again: bool) -> None:
    """Check every file of a build, or of published tiers, against its manifest.

    DIR is a build, a downloaded core tier, or a folder of published tiers. Default: the tiers of this
    package. Every bit is checked: manifests are sealed and contain the checksums of all other files; an
    unlisted file is an error. With --again, the command repeats the build, and all files must be equal.
    """
    from journalspec_corpus.shipped import holds_tiers, verify_tiers  # noqa: PLC0415 - slow; only used here

    try:
        if directory is None or holds_tiers(directory):
            found = verify_tiers(directory, tiers)
        elif tiers:
            raise click.UsageError(f"--tier is for published tiers, but {directory} contains none")
        else:
            found = verify(directory)
            if again and not found.problems:
                found.problems += _built_again(directory)
    except ManifestError as error:
        raise click.UsageError(str(error)) from None
    say_all(found.checked)
    say_all(found.problems, err=True)
    if found.problems:
        raise click.exceptions.Exit(1)
    say("all as in the manifest" + (", also after a second build" if again else ""))


def _built_again(directory: Path) -> list[str]:
    try:
        from journalspec_corpus.pipeline.build import Builder, built_again, cores  # noqa: PLC0415  # needs optional packages
        from journalspec_corpus.pipeline.shards import BuildError  # noqa: PLC0415  # needs optional packages
    except ImportError as error:
        raise click.UsageError(f"{_NEEDS} ({error})") from None
    with TemporaryDirectory(prefix="journalspec-") as scratch:
        try:
            return built_again(directory, load(directory), Path(scratch), Builder(jobs=cores()))
        except BuildError as error:
            raise Failed(f"{error}\n{error.hint}".rstrip()) from None
