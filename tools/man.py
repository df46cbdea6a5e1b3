"""Writes man pages of all commands: ``python tools/man.py DIRECTORY``, then ``man DIRECTORY/journalspec.1``.

The text of a page is that of ``--help``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import click

from journalspec import __version__
from journalspec_conformance.cli import cli

PROGRAM = "journalspec"


def pages(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """Yield (name, page) of a command and of all its subcommands."""
    name = context.command_path.replace(" ", "-")
    inner = {}
    if isinstance(command, click.Group):
        found = ((each, command.get_command(context, each)) for each in command.list_commands(context))
        inner = {each: below for each, below in found if below is not None and not below.hidden}
    yield name, page(name, command, context, [f"{name}-{each}" for each in inner])
    for each, below in inner.items():
        yield from pages(below, click.Context(below, info_name=each, parent=context))


def page(name: str, command: click.Command, context: click.Context, below: list[str]) -> str:
    """Return the page of a command."""
    parent = context.parent.command_path.replace(" ", "-") if context.parent else ""
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f'.TH "{name.upper()}" 1 "" "{PROGRAM} {__version__}"', ".SH NAME"]
    lines += [text(f"{name} - {command.get_short_help_str(limit=200)}"), ".SH SYNOPSIS"]
    lines += [text(f"{context.command_path} {usage}"), ".SH DESCRIPTION", *paragraphs(command.help or "")]
    lines.append(".SH OPTIONS")
    for parameter in command.get_params(context):
        if (record := parameter.get_help_record(context)) is not None:
            lines += [".TP", rf"\fB{text(record[0])}\fR", text(record[1])]
    if command.epilog:
        lines += [".SH EXIT STATUS", *paragraphs(command.epilog.removeprefix("Exit status: "))]
    if others := [*below, *([parent] if parent else [])]:
        lines += [".SH SEE ALSO", text(", ".join(f"{other}(1)" for other in others))]
    return "\n".join(lines) + "\n"


def paragraphs(told: str) -> Iterator[str]:
    """Yield the lines of a text of several paragraphs."""
    for number, part in enumerate(re.split(r"\n\s*\n", cleandoc(told.replace("\b\n", "")))):
        yield from ([".PP"] if number else [])
        yield text(" ".join(part.split()))


def text(told: str) -> str:
    """Return a text with the control characters of roff escaped."""
    escaped = told.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{escaped}" if escaped[:1] in (".", "'") else escaped


def main(directory: str) -> None:
    target = Path(directory)
    target.mkdir(parents=True, exist_ok=True)
    for name, told in pages(cli, click.Context(cli, info_name=PROGRAM)):
        (target / f"{name}.1").write_text(told, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
