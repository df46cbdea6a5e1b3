"""Tables and progress on a terminal. Any other output is plain text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from journalspec.files import shown
from journalspec_conformance.errors import Problem

if TYPE_CHECKING:
    from journalspec_conformance.result import Result

#: The width of output that is not a terminal. Tables in pipes are not truncated.
_PIPE_WIDTH = 240


class PipeConsole(Console):
    """A console that raises BrokenPipeError for a closed pipe; the command line handles it."""

    def on_broken_pipe(self) -> None:
        """Let the error through."""
        raise BrokenPipeError


def console() -> Console:
    """Return a console on standard output; in a pipe it is very wide and uses no colours."""
    return PipeConsole(width=None if sys.stdout.isatty() else _PIPE_WIDTH, highlight=False)


def show_table(head: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> None:
    """Print a table of plain text cells, without their control characters and line breaks."""
    table = Table(
        title=Text(shown(title)) if title else None,
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for index, name in enumerate(head):
        table.add_column(Text(shown(name)), overflow="fold", no_wrap=index == 0)
    for row in rows:
        table.add_row(*(Text(shown(cell)) for cell in row))
    if sys.stdout.isatty():
        console().print(table)
        return
    plain = console()
    with plain.capture() as captured:
        plain.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


#: A function that receives the current step, its progress, and the total.
Show = Callable[[str, int, int], None]


@contextmanager
def progress_bar() -> Iterator[Show]:
    """Provide a function that shows a long command's progress, only if standard error is a terminal."""
    if not sys.stderr.isatty():
        # Older versions of rich would leave a blank line even for a bar that is not shown.
        yield lambda step, done, total: None
        return
    from rich import progress  # noqa: PLC0415  # only a terminal needs it

    # The name in an implementation's ``hello`` may look like markup of rich, but must be printed unchanged.
    name = progress.TextColumn("{task.description}", markup=False)
    times = progress.TimeElapsedColumn(), progress.TimeRemainingColumn()
    columns = (name, progress.BarColumn(), progress.MofNCompleteColumn(), *times)
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(step: str, done: int, total: int) -> None:
            bar.update(task, description=shown(step), completed=done, total=total)

        yield show


def with_progress(results: Iterable[Result], total: int, label: str) -> Iterator[Result]:
    """Yield `results`, and show the progress of the iteration."""
    from journalspec_conformance.result import CLASSES  # noqa: PLC0415  # only a run has results

    red = 0
    with progress_bar() as show:
        for number, result in enumerate(results, start=1):
            red += CLASSES[result.result_class].red
            show(f"{label} ({red} failed)" if red else label, number, total)
            yield result


def say(text: str = "", *, err: bool = False) -> None:
    """Print one or more lines, without control characters that would change the terminal."""
    click.echo("\n".join(map(shown, text.split("\n"))), err=err)


def say_all(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines, one by one."""
    for line in lines:
        say(line, err=err)


def there_already(error: FileExistsError) -> Problem:
    """Return the problem of a path that a command does not overwrite."""
    text = f"{shown(str(error.filename))} already exists, and nothing is overwritten"
    return Problem(text, "Name a new directory.")
