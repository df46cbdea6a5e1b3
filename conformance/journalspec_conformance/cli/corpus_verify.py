"""``journalspec corpus verify``: is a build, or a published tier, what its manifest says?"""

from __future__ import annotations

from pathlib import Path

import click

from journalspec_conformance.cli._options import FILE
from journalspec_conformance.cli._tables import say
from journalspec_corpus.load import PUBLISHED_TIERS
from journalspec_corpus.pipeline.manifest import ManifestError
from journalspec_corpus.pipeline.verify import Verified, verify
from journalspec_corpus.shipped import holds_tiers, verify_tiers


@click.command(
    "verify", epilog="Exit status: 0 all as the manifest says, 1 something is not, 2 DIR holds no build."
)
@click.argument("directory", type=FILE, metavar="[DIR]", required=False)
@click.option(
    "--tier",
    "tiers",
    type=click.Choice(PUBLISHED_TIERS),
    multiple=True,
    help="Of published tiers: only this one. May be repeated. Default: all.",
)
def command(directory: Path | None, tiers: tuple[str, ...]) -> None:
    """Check every file of a build, or of published tiers, against its manifest.

    DIR is a build, a core tier that was downloaded, or a copy of published tiers; without
    it, the tiers that come with this package are checked. Every bit counts: manifests are
    sealed and have the checksums of all other files, and what is not named there is a
    problem. Counts and tables are counted again from the cases and states; of published
    cases also each input is put together and has the digest that the case gives.
    """
    try:
        found = _verified(directory, tiers)
    except ManifestError as error:
        raise click.UsageError(str(error)) from None
    for line in found.checked:
        say(line)
    for problem in found.problems:
        say(problem, err=True)
    if found.problems:
        raise click.exceptions.Exit(1)
    say("all as the manifest says")


def _verified(directory: Path | None, tiers: tuple[str, ...]) -> Verified:
    if directory is None or holds_tiers(directory):
        return verify_tiers(directory, tiers)
    if tiers:
        raise click.UsageError(f"--tier is for published tiers, and {directory} holds none")
    return verify(directory)
