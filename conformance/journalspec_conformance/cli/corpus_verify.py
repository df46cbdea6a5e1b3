"""``journalspec corpus verify``: is a build what its manifest says?"""

from __future__ import annotations

from pathlib import Path

import click

from journalspec_conformance.cli._options import FILE
from journalspec_conformance.cli._tables import say
from journalspec_corpus.pipeline.manifest import ManifestError
from journalspec_corpus.pipeline.verify import verify


@click.command(
    "verify", epilog="Exit status: 0 all as the manifest says, 1 something is not, 2 DIR holds no build."
)
@click.argument("directory", type=FILE, metavar="DIR")
def command(directory: Path) -> None:
    """Check every file of a build, or of a downloaded core tier, against its manifest.

    Checksums and counts of all files; of published cases also that each input can be
    put together and has the digest that the case gives.
    """
    try:
        found = verify(directory)
    except ManifestError as error:
        raise click.UsageError(str(error)) from None
    for line in found.checked:
        say(line)
    for problem in found.problems:
        say(problem, err=True)
    if found.problems:
        raise click.exceptions.Exit(1)
    say("all as the manifest says")
