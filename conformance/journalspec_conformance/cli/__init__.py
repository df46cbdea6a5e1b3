"""``journalspec``: the command line. Each command group has a module, which is imported when it is called."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from io import TextIOWrapper
from types import TracebackType
from typing import Any

import click

from journalspec import __version__
from journalspec.files import no_room, shown
from journalspec_conformance.errors import Breakdown, Problem

_HERE = __name__
_TRACEBACK = "JOURNALSPEC_TRACEBACK"
#: Exit statuses for SIGINT and SIGPIPE, as in a shell.
INTERRUPTED, PIPE_CLOSED = 130, 141


@dataclass(frozen=True, slots=True)
class Subcommand:
    """Represents the module of a command, and the command's line in `journalspec --help`. The help is printed
    without an import of the module.

    `extra` is the optional dependency group that pip must install for the command, if any.
    """

    module: str
    attribute: str
    summary: str
    extra: str = ""

    @property
    def installed_by(self) -> str:
        """The command that installs the packages that this command needs."""
        return f"pip install 'journalspec[{self.extra}]'" if self.extra else "pip install journalspec"


#: All commands, in the order of the help text.
COMMANDS = {
    "run": Subcommand("run", "run_command", "Judge an implementation with the corpus."),
    "ask": Subcommand("ask", "ask_command", "Ask about one case, and show both answers."),
    "smoke": Subcommand("run", "smoke_command", "Check that a harness works at all."),
    "inspect": Subcommand("journals", "inspect_command", "Show kind, content and losses of a journal."),
    "recover": Subcommand(
        "journals", "recover_command", "Show the result of recovery, or write it as a new store."
    ),
    "export": Subcommand("export", "export_command", "Write the content of a journal for other programs."),
    "query": Subcommand("query", "query_command", "Answer a question in SQL about journals.", "query"),
    "columns": Subcommand("query", "columns_command", "List the columns of records and tables.", "query"),
    "check": Subcommand("journals", "check_command", "Print one line on each journal, for monitoring."),
    "explain": Subcommand("messages", "explain_command", "Explain a message of a product about its journal."),
    "why": Subcommand("why", "why_command", "List why a journal's files are not deleted."),
    "new-harness": Subcommand("new_harness", "new_harness_command", "Write a harness in another language."),
    "list": Subcommand("cases", "list_command", "List the probes of the corpus."),
    "show": Subcommand("cases", "show_command", "Show one case: input, questions, permitted answers."),
    "materialize": Subcommand("cases", "materialize_command", "Write the journals of cases to a directory."),
    "summary": Subcommand("reports", "summary_command", "Print a report as text, Markdown or JUnit XML."),
    "matrix": Subcommand("reports", "matrix_command", "Compare several reports."),
    "results": Subcommand("results", "command", "Keep reports of runs, list and compare them."),
    "expect": Subcommand("reports", "expect_command", "Bring an expectation file up to date with a report."),
    "formats": Subcommand("formats", "command", "List formats, editions and shipped harnesses."),
    "products": Subcommand("products", "command", "Fetch the real products, to judge them too."),
    "corpus": Subcommand("corpus", "command", "Build the corpus.", "corpus"),
}


class Ended(KeyboardInterrupt):
    """The process received SIGTERM or SIGHUP, which is handled like Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def how_it_ended(interruption: BaseException) -> tuple[str, int]:
    """Return the message about an interruption, and the exit status as a shell reports it."""
    if isinstance(interruption, Ended):
        return f"ended by {interruption}", 128 + interruption.number
    return "interrupted", INTERRUPTED


class Complaint(click.ClickException):
    """A problem as click shows it: one paragraph on standard error, exit status 2."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(_harmless(message))


def _harmless(message: str) -> str:
    """Return `message` without control characters that would change the terminal."""
    return "\n".join(map(shown, message.split("\n")))


class _Context(click.Context):
    """The context of a command; it reports errors, including errors in the arguments, as one paragraph."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """Raise a Complaint instead of an error."""
        done = super().__exit__(kind, error, trace)
        if error is not None and not done:
            _end(error)
        return done


class LazyGroup(click.Group):
    """A command group that imports a command only when it is used, and prints short errors.

    `entries` are the commands. `needs` is the message for a command whose packages are not installed.
    `former` are earlier names of commands: they still work, and are not listed.
    """

    context_class = _Context

    def __init__(
        self,
        *given: Any,
        entries: Mapping[str, Subcommand],
        needs: str = "",
        former: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(*given, **more)
        self._entries, self._needs, self._former = entries, needs, former or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands whose module is installed."""
        return [
            name for name, entry in self._entries.items() if find_spec(f"{_HERE}.{entry.module}") is not None
        ]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command of this name, or None if there is none."""
        entry = self._entries.get(self._former.get(cmd_name, cmd_name))
        if entry is None:
            return None
        if find_spec(f"{_HERE}.{entry.module}") is None:
            raise Complaint(
                f"{cmd_name} is not in this program, which contains only "
                f"{', '.join(self.list_commands(ctx))}\n  next  {entry.installed_by}"
            )
        try:
            found: click.Command = getattr(import_module(f"{_HERE}.{entry.module}"), entry.attribute)
        except ImportError as error:
            if self._needs:
                raise Complaint(f"{self._needs}: {error}") from None
            needs = f"{cmd_name}: a package that it needs is not installed: {error}"
            raise Complaint(f"{needs}\n  next  {entry.installed_by}") from None
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command table from the summaries, importing nothing."""
        rows = [(name, self._entries[name].summary) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _end(error: BaseException) -> None:
    """Raise an error as a Complaint, including an unexpected exception of journalspec itself.

    An interruption and a closed pipe are not errors. The process exits with the status that a shell reports
    for the signal: 130 (SIGINT), 143 (SIGTERM), 129 (SIGHUP) or 141 (SIGPIPE).
    """
    if isinstance(error, Problem):
        raise Complaint(str(error)) from None
    if isinstance(error, Breakdown):
        raise Complaint(f"the implementation failed: {error.reason}\n{error.stderr}".rstrip()) from None
    if isinstance(error, click.ClickException):
        vars(error)["message"] = _harmless(error.message)  # click declares this method final for subclasses.
    elif isinstance(error, KeyboardInterrupt | click.Abort):
        said, status = how_it_ended(error)
        with suppress(OSError):  # The terminal may have closed the connection.
            click.echo(said, err=True)
        raise click.exceptions.Exit(status) from None
    elif isinstance(error, BrokenPipeError):
        silence()
        raise click.exceptions.Exit(PIPE_CLOSED) from None
    elif isinstance(error, OSError):
        raise Complaint(_of_system(error)) from None
    elif isinstance(error, MemoryError):
        raise Complaint("not enough memory: give the process more, or read fewer files") from None
    elif (
        isinstance(error, Exception)
        and not isinstance(error, click.exceptions.Exit)
        and not os.environ.get(_TRACEBACK)
    ):
        raise Complaint(
            f"this is a fault of journalspec, please report it: {type(error).__name__}: {error}\n"
            f"Set {_TRACEBACK}=1 to see where it happened."
        ) from None


def _of_system(error: OSError) -> str:
    """Return the system's text for a failure, with a hint if the disk is full."""
    name = f"{error.filename}: " if error.filename else ""
    return f"{name}{error.strerror or error}" + (
        "\n  next  make room, or write to another disk" if no_room(error) else ""
    )


@click.group(
    cls=LazyGroup,
    entries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit status: 0 all as expected, 1 something failed, 2 usage or configuration, 130 interrupted"
    " (143 by SIGTERM, 129 by SIGHUP), 141 closed pipe. `inspect` and `recover` have more "
    "values: see their help.",
)
@click.version_option(__version__, prog_name="journalspec")
def cli() -> None:
    """Specifications of on-disk journals, and a conformance runner for their implementations."""


def _open_streams() -> None:
    """Replace closed standard streams: output by a pipe without a reader, the others by the null device.

    Thus a command ends as it does on a closed pipe. No file that is opened later receives the number of a
    standard stream.
    """
    if sys.stdin is None:
        sys.stdin = _stream(0, os.open(os.devnull, os.O_RDONLY), "r")
    if sys.stdout is None:
        unread, written = os.pipe()
        sys.stdout = _stream(1, written, "w")
        if unread != 1:  # Otherwise `dup2` has already closed this end.
            os.close(unread)
    if sys.stderr is None:
        sys.stderr = _stream(2, os.open(os.devnull, os.O_WRONLY), "w")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # Some names contain characters that ASCII lacks.


def _stream(number: int, opened: int, mode: str) -> Any:
    """Move the file descriptor `opened` to the number `number`, and return a stream on it."""
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    return open(number, mode, encoding="utf-8", closefd=False)


def silence() -> None:
    """Discard the remaining output, because the reader of standard output has ended."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _end_orderly() -> None:
    """Handle SIGTERM and SIGHUP as Ctrl-C is handled; a second signal ends the process at once."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]

    def end(number: int, _: object) -> None:
        for other in numbers:
            signal.signal(other, signal.SIG_DFL)
        raise Ended(number)

    for number in numbers:
        if signal.getsignal(number) is signal.SIG_DFL:  # For example, nohup ignores this signal deliberately.
            signal.signal(number, end)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; end the process with the documented exit status."""
    _open_streams()
    _end_orderly()
    try:
        cli.main(args=None if arguments is None else list(arguments), prog_name="journalspec")
    except SystemExit as end:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            silence()
            end.code = PIPE_CLOSED
        except OSError as error:
            # Some output could not be written. This decides the exit status, whatever the verdict was.
            silence()
            if end.code != Complaint.exit_code:
                click.echo(f"Error: {_of_system(error)}", err=True)
            end.code = Complaint.exit_code
        raise
