"""``journalspec corpus archive``: the published cases as one file that needs no Python."""

from __future__ import annotations

from pathlib import Path

import click

from journalspec_conformance.cli._options import FILE
from journalspec_conformance.cli._tables import say
from journalspec_conformance.errors import Problem
from journalspec_conformance.protocol import schemas
from journalspec_conformance.selection import PUBLISHED_TIERS, cases_of
from journalspec_corpus.archive import write_archive

#: The schemas of answers, and what they refer to.
_SCHEMAS = ("common", "observation", "refused")


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
def command(out: Path, tiers: tuple[str, ...], formats: tuple[str, ...]) -> None:
    """Write the published cases to FILE, for programs in any language.

    Every case is a directory: its journal as real files, its questions and answers
    as JSON. A README explains the form, and JSON Schemas come along. The same
    cases give the same bytes.
    """
    cases = [case for tier in dict.fromkeys(tiers) for case in cases_of(tier, formats)]
    try:
        write_archive(out, cases, {f"{name}.schema.json": schemas()[name] for name in _SCHEMAS})
    except FileExistsError:
        raise Problem(f"{out} is there already, and nothing is overwritten", "Name a new file.") from None
    except ValueError as error:
        raise Problem(str(error)) from None
    except OSError as error:
        raise Problem(f"{out}: cannot be written: {error.strerror}") from None
    say(f"{len(cases)} cases in {out}, {out.stat().st_size} bytes")
