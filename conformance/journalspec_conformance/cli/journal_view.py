"""Shared code of the commands that read journals and show the answers, as JSON or on a screen."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from operator import itemgetter
from typing import Any, Protocol

from rich.console import Console
from rich.text import Text

from journalspec import jsontext
from journalspec.files import shown
from journalspec.formats import Format, get_format
from journalspec.observation import CLEAN, RECOVERED, REFUSED, Observation
from journalspec.reread import LISTS, Changed
from journalspec_conformance.cli._tables import PipeConsole
from journalspec_conformance.cli.contents import Holdings
from journalspec_conformance.cli.places import Asked, Directory, Stores, UsageProblem, amount, problem
from journalspec_conformance.cli.redaction import Redactor
from journalspec_reference.answers import (
    ASSUMED,
    UNCHECKED,
    Answer,
    UnknownEdition,
    ask,
    lost,
)
from journalspec_reference.content import Content
from journalspec_reference.contents import contents, keeping_most, with_state
from journalspec_reference.filesets import FilesetError, Journal, LeftOut, by_reason

#: The parts of a printed line: text, or text with a style of rich.
Piece = str | tuple[str, str]
Line = Sequence[Piece]

#: The policy that is used unless the user states a policy.
STRICT = "strict"
#: The version of the output of --json and --ndjson. New keys may appear within a version; any other change
#: increases the version.
VERSION = "1"
#: The exit status for each verdict. For several journals, the worst verdict determines the status. Status 2
#: is reserved for wrong usage.
STATUSES = {CLEAN: 0, RECOVERED: 1, REFUSED: 3}
EXIT_STATUS = (
    "Exit status: 0 clean; 1 recovered: something is damaged or was omitted, and the rest is reported;"
    " 3 refused; for several journals, the worst status. 2 usage or configuration: no such path, no journal"
    " at the path, an unknown format, edition, policy or parameter, an edition that cannot be detected, or"
    " files that differ or cannot be read when they are read a second time. A journal that changes during the"
    " read is never clean: recovered, with the note changed-while-read."
    " 130 interrupted, 141 closed pipe."
)
#: The largest number of lines on a screen, and its largest width, which every pipe uses.
MOST_LINES, WIDTH = 40, 100
#: The indentation of sentences; the largest number of lines of a sentence; the smallest width of a column of
#: text.
INDENT, MOST_WRAPPED, NARROW = 10, 4, 24
#: All lists are truncated to the largest of these numbers of rows with which the output fits on the screen.
#: The sections FIRST receive the remaining lines.
CAPS = (10, 8, 6, 5, 4, 3, 2, 1)
#: A limit above the length of any list. With this limit, no row is omitted, and no sentence is truncated.
ALL = sys.maxsize
FIRST = ("missing", "holds", "files", "lost", "carried", "at start")
CUT = "... (--all)"
#: Notes that are already shown above the tables.
SAID = (ASSUMED, UNCHECKED)
VERDICT_STYLES = {"clean": "bold green", "recovered": "bold yellow", "refused": "bold red"}
MIN_FIELDS = 28
#: A field of up to MOST_BYTES bytes is shown completely; of a longer one, only the first SOME_BYTES bytes.
MOST_BYTES, SOME_BYTES = 64, 16


class Painter:
    """Writes lines for people: styled on a terminal, plain text in a pipe."""

    def __init__(self) -> None:
        # Names in a journal may contain characters that the terminal's encoding lacks.
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
        self.console = PipeConsole(file=sys.stdout, highlight=False, markup=False, emoji=False)
        self.columns = max(40, self.console.width)
        #: This is checked only once, because a dump writes a very large number of lines.
        self.on_terminal = self.console.is_terminal

    def line(self, *parts: Piece) -> None:
        """Write one line made of `parts`."""
        if self.on_terminal:
            self.console.print(Text.assemble(*parts), soft_wrap=True)
        else:
            text = "".join(part if isinstance(part, str) else part[0] for part in parts)
            sys.stdout.write(text.rstrip() + "\n")

    def lines(self, lines: Iterable[Sequence[Piece]]) -> None:
        """Write lines, each made of its parts."""
        for line in lines:
            self.line(*line)

    def wrapped(self, first: str, text: str, style: str = "") -> None:
        """Write `text` after `first`; further lines are indented to the start of `text`."""
        room = max(self.columns - len(first), MIN_FIELDS)
        head: Piece = (first, style)
        for piece in wrapped_lines(text, room):
            self.line(head, piece)
            head = " " * len(first)


def wrapped_lines(text: str, room: int) -> Iterator[str]:
    """Yield `text` as one or more lines of at most `room` characters, broken as `textwrap.wrap` does.

    A body in hexadecimal is one word of any length. The time grows linearly with the length of the word.
    """
    line, told = "", False
    # The lines are yielded one by one, because the state of a destination is one text that contains all its
    # messages.
    for chunk in map(itemgetter(0), re.finditer(r" +|[^ ]+", text)) if len(text) > room else [text]:
        if len(line) + len(chunk) <= room:
            # No line except the first begins with a blank.
            line += chunk if line or not told or chunk.strip(" ") else ""
            continue
        begin = 0
        if len(chunk) > room:
            begin = room - len(line)
            line += chunk[:begin]
        if line.rstrip(" "):
            yield line.rstrip(" ")
            told = True
        if not chunk.strip(" "):
            line = ""
            continue
        while len(chunk) - begin > room:
            yield chunk[begin : begin + room]
            begin, told = begin + room, True
        line = chunk[begin:]
    if line.rstrip(" ") or not told:
        yield line.rstrip(" ")


def value_text(value: object, most: int = MOST_BYTES, some: int = SOME_BYTES) -> str:
    """Return a field's value in readable form: bytes in hex, lists with commas, - for nothing.

    If the value has more than `most` bytes, only the first `some` are shown.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (bytes, bytearray, memoryview)):
        if len(value) > most:
            return f"{bytes(value[:some]).hex()}... ({len(value)} bytes)"
        return bytes(value).hex() or "-"
    if isinstance(value, Mapping):
        return " ".join(f"{key} {value_text(item)}" for key, item in value.items())
    if isinstance(value, LISTS):
        return ",".join(value_text(item) for item in value) or "-"
    return shown(str(value)) or '""'


@contextmanager
def reading(total: int) -> Iterator[Callable[[], None]]:
    """Show on a terminal (standard error) how many of `total` bytes have been read, after the first second.

    Provides a function that removes the progress bar; call it before printing.
    """
    done, start = threading.Event(), Content.asked_for

    def watch() -> None:
        if done.wait(1):
            return
        from rich import progress  # noqa: PLC0415  # only a terminal needs it

        speed = progress.DownloadColumn(), progress.TransferSpeedColumn(), progress.TimeRemainingColumn()
        columns = (progress.TextColumn("{task.description}"), progress.BarColumn(), *speed)
        with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("reading", total=total)
            while not done.wait(0.1):
                # The progress may exceed the total, because files that do not fit into memory are read
                # several times.
                turn, part = divmod(Content.asked_for - start, total)
                bar.update(task, completed=part, description="reading again" if turn else "reading")

    if not total or not sys.stderr.isatty():
        yield lambda: None
        return
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()

    def end() -> None:
        done.set()
        watcher.join()

    try:
        yield end
    finally:
        end()


@dataclass(eq=False)
class Part:
    """Represents a journal of a store: its place, and the answer about it with the data that users stored."""

    place: Directory
    answer: Answer
    #: The answer of recovery, if `answer` has no state and recovery has already run.
    kept: Answer | None = field(default=None, init=False)

    @property
    def asked(self) -> Asked:
        """The question about it."""
        return self.place.asked

    @property
    def path(self) -> str:
        """The path, for display."""
        return self.asked.called(self.asked.paths[0])

    @property
    def description(self) -> Format:
        """The description of its format."""
        return get_format(self.answer.journal.format)

    @cached_property
    def redactor(self) -> Redactor:
        """Replaces the values that --redact hides."""
        return Redactor(self.answer.journal, self.asked.redact)

    @cached_property
    def seen(self) -> Observation:
        """The observation for display, redacted with --redact."""
        seen = self.answer.observation
        return self.redactor.observation(seen) if self.asked.redact else seen

    @cached_property
    def contents(self) -> Holdings | None:
        """The contents, redacted with --redact; None if the format reports no contents."""
        found = contents(self.kept or with_state(self.recovered))
        redactor = self.redactor if self.asked.redact else None
        return None if found is None else Holdings(found, self.description.id, redactor)

    @property
    def recovered(self) -> Answer:
        """The answer whose contents are shown: the given answer, or if it has no state, the answer of
        recovery.
        """
        return self.answer

    @property
    def unfit(self) -> Observation | None:
        """The refusal of strict recovery for a journal that reads cleanly, if there is one."""
        found = self.answer.observation
        unfit = found.unfit if found.verdict == CLEAN else None
        return self.redactor.observation(unfit) if unfit is not None and self.asked.redact else unfit


class Screen(Protocol):
    """The screen of a command about stores.

    If there are several stores, only the result of `row` is kept for each of them.
    """

    def row(self, parts: Sequence[Part]) -> Any:
        """Return the part of the answers that is kept for one of several stores."""

    def of_one(self, parts: Sequence[Part], unlisted: Sequence[LeftOut]) -> Iterable[Line]:
        """Return the lines on one store; paths in `unlisted` may contain a part of it."""
        return self.of_several([self.row(parts)], unlisted)

    def of_several(self, rows: Sequence[Any], unlisted: Sequence[LeftOut]) -> Iterable[Line]:
        """Return the lines on several stores."""


def in_order(parts: Sequence[Part]) -> list[Part]:
    """Return the parts of a store, the main one first, in the order of `parts` of the format."""
    patterns = parts[0].description.parts
    return sorted(
        parts, key=lambda part: [not fnmatchcase(part.place.loaded.root.name, name) for name in patterns]
    )


def present(
    command: str,
    found: Stores,
    policy: str | None = None,
    *,
    members: Callable[[Part], dict[str, object]] | None = None,
    screen: Screen | None = None,
    write: Callable[[Painter, Part], None] | None = None,
    problems: list[UsageProblem] | None = None,
    more: Sequence[int] = (),
) -> None:
    """Read the journals that were found, and show each answer in the first given one of three ways.

    The ways are: the `members` of each answer as JSON, one `screen` for all answers, or a call of `write` for
    each. The command then ends with the exit status of the worst verdict. Meanwhile a terminal shows the
    progress, unless the answers are printed there. Without `problems`, the first problem ends the command.
    With `problems`, every problem is added to this list, and the list is shown after the answers. The exit
    statuses in `more` are also taken into account.
    """
    statuses: list[int] = []
    failed: list[Directory] = []
    stores = found.by_store() if screen is not None else [found.pairs]
    several = len(stores) > 1
    rows: list[Any] = []
    parts: list[Part] = []
    with unchanging(found.journals), reading(found.size) as bar:
        for store in stores:
            for place, journal in (pair for pair in store if pair[0] not in failed):
                try:
                    answer = ask(journal, policy)
                except UnknownEdition as error:
                    problem = unknown_edition(error, place.asked, command, policy)
                    if problems is None:
                        raise problem from None
                    problems.append(problem)
                    failed.append(place)
                    continue
                statuses.append(STATUSES[answer.observation.verdict])
                parts.append(Part(place, answer))
            # Only the screen of `inspect` asks without a policy. It shows the contents of the main part.
            main = in_order(parts)[0] if parts and screen is not None and policy is None else None
            if main is not None and main.answer.observation.state is None:
                main.kept = ask(*keeping_most(main.answer))
            if several and screen is not None and parts:
                rows.append(screen.row(parts))
                parts = []
        if screen is not None:
            left = found.unlisted
            lines = [*(screen.of_several(rows, left) if several else screen.of_one(parts, left))]
            bar()
            Painter().lines(lines)
        else:
            if sys.stdout.isatty():
                bar()
            if members is not None:
                jsontext.write(document(parts, found.unlisted, members), sys.stdout)
            elif write is not None:
                _write(parts, found.unlisted, write)
    # A directory that could not be listed may contain further journals.
    statuses += [STATUSES[RECOVERED]] if found.unlisted else []
    for wrong in problems or ():
        wrong.show()
        statuses.append(wrong.exit_code)
    raise SystemExit(max([*statuses, *more], default=0))


def _write(
    parts: Sequence[Part], unlisted: Iterable[LeftOut], write: Callable[[Painter, Part], None]
) -> None:
    """Write the answers one after the other, then the omitted files."""
    out = Painter()
    for number, part in enumerate(parts):
        if number:
            out.line("")
        write(out, part)
    for number, (why, names) in enumerate(by_reason(left_out(parts, unlisted)).items()):
        if not number:
            out.line("")
        out.wrapped("left out ", shown(f"{names}: {why}"), "yellow")


def unknown_edition(
    error: UnknownEdition, asked: Asked, command: str, policy: str | None, usual: str = STRICT
) -> UsageProblem:
    """Return the commands to try if a journal's edition is unknown; they do not state the `usual` policy."""
    more = () if policy in (None, usual) else ("--policy", str(policy))
    lines = [
        asked.again(command, *more, journal=error.journal, edition=trial.edition) for trial in error.trials
    ]
    return problem(error, lines)


def answer_of(
    asked: Asked, command: str, journal: Journal, policy: str | None, usual: str = STRICT
) -> Answer:
    """Return the answer about a journal; if its edition is unknown, UsageProblem lists commands to try."""
    try:
        return ask(journal, policy)
    except UnknownEdition as error:
        raise unknown_edition(error, asked, command, policy, usual) from None


@contextmanager
def unchanging(journals: Sequence[Journal]) -> Iterator[None]:
    """Raise an error with a hint if, on a second read, files have changed or cannot be read.

    An error is also raised if the files turn out not to be a journal of any edition.
    """
    what = ""
    try:
        yield
    except FilesetError as error:
        raise problem(error) from None
    except Changed as error:
        what = str(error)
    gone = next(lost(journals), None)
    if not what and gone is None:
        return
    sys.stdout.flush()
    hint = "stop the program that writes there, or read a copy"
    if gone is not None:
        name, (start, end, why) = gone
        what = f"{name}, offset {start}, {end - start} bytes: read once, and not again: {why}"
        hint = "copy the files from that disk (ddrescue), and look at the copy"
    raise UsageProblem(f"{shown(what)}: the output above is incomplete", hint)


def left_out(parts: Sequence[Part], unlisted: Iterable[LeftOut] = ()) -> Iterator[LeftOut]:
    """Yield each entry at the paths that belongs to none of the shown journals, then `unlisted`."""
    places: dict[int, list[Part]] = {}
    for part in parts:
        places.setdefault(id(part.place), []).append(part)
    for found in places.values():
        loaded, told = found[0].place.loaded, set[str]()
        for part in found:
            journal = part.answer.journal
            told |= {*journal.files, *journal.neighbours, *(entry.name for entry in journal.unread)}
        whys = {entry.name: entry.why for entry in loaded.left_out}
        for name in sorted({*loaded.files, *whys} - told):
            on_disk = loaded.renamed.get(name, name)
            shown_as = on_disk if len(places) == 1 else str(loaded.root / on_disk)
            yield LeftOut(shown_as, whys.get(name, "not part of a journal shown here"))
    yield from unlisted


def left_json(entries: Iterable[LeftOut]) -> list[dict[str, str]]:
    """Return the omitted entries in JSON form."""
    return [{"file": entry.name, "why": entry.why} for entry in entries]


def document(
    parts: Sequence[Part], unlisted: Iterable[LeftOut], members: Callable[[Part], dict[str, object]]
) -> dict[str, object]:
    """Return the JSON of a command: for each journal its identity, path, unread files, and `members`."""
    tagged = []
    for part in parts:
        asked, answer = part.asked, part.answer
        journal = answer.journal
        head: dict[str, object] = {
            "version": VERSION,
            "format": journal.format,
            "edition": journal.edition,
            "path": part.path,
        }
        if len(asked.paths) > 1:
            head["paths"] = [asked.called(path) for path in asked.paths]
        if answer.trials:
            trials = [trial.to_json() for trial in answer.trials]
            head["edition_assumed"] = {"why": answer.assumption, "trials": trials}
        if journal.unread:
            head["not_read"] = left_json(journal.unread)
        tagged.append(head | members(part))
    whole = tagged[0] if len(tagged) == 1 else {"journals": tagged}
    beside = left_json(left_out(parts, unlisted))
    return whole | ({"left_out": beside} if beside else {})


# The layout of a screen: at most 40 lines for any store and terminal.


@dataclass(frozen=True)
class Listing:
    """Represents the most important of `number` rows of text cells, in order of importance.

    `counts` contains the share of each row in `total`, in units of `noun`. Cells are shown in columns under
    `head`; the last column may take several lines. The columns in `drop` are omitted first if there is too
    little room.
    """

    rows: Sequence[Sequence[str]]
    number: int
    head: Sequence[str] = ()
    counts: Sequence[int] = ()
    total: int = 0
    noun: str = ""
    drop: Sequence[str] = ()

    def rest(self, cap: int) -> str:
        """Return the line about omitted rows if `cap` rows are shown.

        Return an empty text if none are omitted.
        """
        left = self.number - min(cap, len(self.rows))
        if not left:
            return ""
        count = self.total - sum(self.counts[:cap])
        return f"... {left:,} more{f', {amount(count, self.noun)}' if self.noun and count else ''} (--all)"


@dataclass(frozen=True)
class Section:
    """Represents a heading, the sentences below it, and a list, in a `style`.

    With `apart`, a blank line precedes the heading.
    """

    heading: str
    text: Sequence[str] = ()
    listing: Listing | None = None
    apart: bool = False
    style: str = ""


def table(
    heading: str, rows: Sequence[Sequence[str]], head: Sequence[str] = (), *, apart: bool = True
) -> Section:
    """Return a section that is a list of all `rows`."""
    return Section(heading, (), Listing(rows, len(rows), head), apart)


def width() -> int:
    """Return the width of a screen.

    The width is that of the terminal or the value of COLUMNS, but at most 100. In a pipe it is 100.
    """
    given = os.environ.get("COLUMNS", "")
    found = Painter().columns if given.isdecimal() or Painter().on_terminal else WIDTH
    return max(40, min(found, WIDTH))


def screen(
    sections: Iterable[Section], *, everything: bool = False, most: int = MOST_LINES
) -> Iterator[Line]:
    """Yield at most `most` lines. With `everything`, yield all rows and sentences."""
    sections, columns = list(sections), width()
    if everything:
        for section in sections:
            yield from _section(section, columns, ALL)
        return
    for cap in CAPS:
        parts = [[*_section(section, columns, cap)] for section in sections]
        room = most - sum(map(len, parts))
        if room >= 0:
            break
    else:
        parts = [[line for line in part if line] for part in parts]
        room = most - sum(map(len, parts))
    ranks = {heading: at for at, heading in enumerate(FIRST)}
    order = sorted(range(len(parts)), key=lambda at: ranks.get(sections[at].heading, len(FIRST)))
    for at in order if cap < CAPS[0] else ():
        for wider in CAPS[: CAPS.index(cap)]:
            longer = [*_section(sections[at], columns, wider)]
            if 0 <= len(longer) - len(parts[at]) <= room:
                room -= len(longer) - len(parts[at])
                parts[at] = longer
                break
    lines = [line for part in parts for line in part]
    if room < 0:
        lines = [*lines[: most - 1], (" " * INDENT, f"... {1 - room} more lines (--all)")]
    yield from lines


def _section(section: Section, columns: int, cap: int) -> Iterator[Line]:
    if section.apart:
        yield ()
    heading = section.heading
    room = columns - INDENT
    for text in _body(section, room, cap):
        first: Piece = (f"{heading:<{INDENT}}", "bold") if heading else " " * INDENT
        heading = ""
        word, gap, rest = text.partition("   ")
        if section.style:
            yield first, (text, section.style)
        elif section.heading == "verdict" and word.lower() in VERDICT_STYLES:
            yield first, (word, VERDICT_STYLES[word.lower()]), gap + rest
        else:
            yield first, text


def _body(section: Section, room: int, cap: int) -> Iterator[str]:
    for text in section.text:
        yield from _command(text, room) if text.startswith("  ") else _wrapped(text, room, cap)
    if section.listing is not None:
        yield from _listing(section.listing, room, cap)


def _command(text: str, room: int) -> Iterator[str]:
    """Yield the lines of a command for pasting. Each line but the last one ends in a backslash."""
    line = "  "
    for word in text.split():
        if len(line) + len(word) + 3 > room and line.strip():
            yield f"{line} \\"
            line = "    "
        line += word if not line.strip() else f" {word}"
    yield line


def _wrapped(text: str, room: int, cap: int) -> Iterator[str]:
    lines = wrapped_lines(text, room)
    for number, line in enumerate(lines, start=1):
        if number == MOST_WRAPPED and cap < ALL and next(lines, None) is not None:
            yield line[: room - len(CUT)] + CUT
            return
        yield line


def _listing(listing: Listing, room: int, cap: int) -> Iterator[str]:
    head, rows = list(listing.head), [list(row) for row in listing.rows[:cap]]
    for name in listing.drop:
        if name in head and sum(widths := _widths(head, rows)) + 2 * (len(widths) - 1) > room:
            at = head.index(name)
            for row in (head, *rows):
                del row[at]
    # A row that is too long does not widen the columns of the others.
    widths = _widths(head, [row for row in rows if len("  ".join(row[:-1])) + NARROW <= room])
    numbers = [
        all((row[at] or "0").replace(",", "").isdecimal() for row in rows) for at in range(len(widths))
    ]

    def before(row: Sequence[str]) -> str:
        cells = zip(row[:-1], widths, numbers, strict=False)
        return "".join(f"{cell:>{size}}  " if number else f"{cell:<{size}}  " for cell, size, number in cells)

    first = sum(widths[:-1]) + 2 * (len(widths) - 1)
    if any(head):
        yield (
            f"{before(head)}{head[-1]:>{widths[-1]}}" if numbers[-1] else f"{before(head)}{head[-1]}".rstrip()
        )
    for row in rows:
        narrow = len(row) == 1 or not widths or first + min(NARROW, len(row[-1])) > room
        if narrow or any(len(cell) > size for cell, size in zip(row[:-1], widths, strict=False)):
            # If the screen is too narrow for columns, the cells are printed one after the other.
            text = "  ".join(cell for cell in row if cell)
            for number, piece in enumerate(_wrapped(text, room - 2, cap)):
                yield f"  {piece}" if number else piece
            continue
        begin, last = before(row), f"{row[-1]:>{widths[-1]}}" if numbers[-1] else row[-1]
        for piece in _wrapped(last, room - first, cap):
            yield (begin + piece).rstrip()
            begin = " " * first
    if rest := listing.rest(cap):
        yield from _wrapped(rest, room, cap)


def _widths(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the widths of the columns."""
    table = [row for row in (head, *rows) if row]
    return [max(map(len, cells)) for cells in zip(*table, strict=True)]
