"""Options that several commands share, and the exit statuses as text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from journalspec.observation import Level
from journalspec_conformance.bounds import BOUNDS, check_timeout, plain_number
from journalspec_conformance.errors import Problem

Command = TypeVar("Command", bound=Callable[..., Any])

EXIT_STATUS = "Exit status: 0 all as expected, 1 something failed, 2 usage or configuration."
FILE = click.Path(path_type=Path)


#: The largest accepted number of processes. It is more than any machine has cores, so a larger number is a
#: typing error.
JOBS = click.IntRange(0, 1024)


def seconds(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Return a timeout unchanged; raises a usage error if it is too short, endless, or not a number."""
    if value is not None:
        try:
            check_timeout(value)
        except Problem as problem:
            raise click.BadParameter(str(problem), ctx, param) from None
    return value


def apply(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Combine several decorators into one, so that the help text lists the options in the given order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def select() -> Callable[[Command], Command]:
    """Return the option --select."""
    return click.option(
        "--select",
        multiple=True,
        metavar="GLOB",
        help="Only probes that match; * within a segment, ** over segments. A case id selects all its "
        "probes. May be repeated.",
    )


def selection(more: str = "") -> Callable[[Command], Command]:
    """Return the options that select probes: --tier (with `more` tiers), --format, --select, --cases."""
    return apply(
        click.option(
            "--tier",
            default="smoke",
            show_default=True,
            metavar="T",
            help="Tier: smoke, captured or worst" + more + ".",
        ),
        click.option(
            "--format", "formats", multiple=True, metavar="F", help="Only this format. May be repeated."
        ),
        select(),
        click.option(
            "--cases",
            multiple=True,
            type=FILE,
            metavar="FILE",
            help="Take the cases from FILE (JSON lines, also .gz), or from the directory of a core build.",
        ),
    )


def implementation() -> Callable[[Command], Command]:
    """Return the options that choose the implementation and the way in which questions are sent to it.

    --impl, --mode, --timeout, --max-memory, --max-disk.
    """
    return apply(
        click.option(
            "--impl",
            required=True,
            metavar="IMPL",
            help="A shipped harness (`journalspec formats`), py:module:Class, or a command line.",
        ),
        click.option(
            "--mode",
            type=click.Choice(["persistent", "oneshot"]),
            default="persistent",
            show_default=True,
            help="Mode of a command line: one process for all questions, or one per question.",
        ),
        click.option(
            "--timeout",
            type=plain_number,
            callback=seconds,
            metavar="S",
            help="Seconds per question. Default: the value of the harness, or 10.",
        ),
        *(
            click.option(
                f"--max-{what}",
                type=click.IntRange(1),
                default=getattr(BOUNDS, what) >> 20,
                show_default=True,
                metavar="MIB",
                help=f"End IMPL if {users} use more.",
            )
            for what, users in (
                ("memory", "it and its child processes"),
                ("disk", "the files that it leaves"),
            )
        ),
    )


def level() -> Callable[[Command], Command]:
    """Return the option --level."""
    return click.option(
        "--level",
        type=click.Choice([entry.name.lower() for entry in Level]),
        help="The highest level to compare. Default: the declared level (oneshot: records).",
    )
