"""How a summary looks: at most 40 lines, whatever the store and the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence

from journalspec_conformance.cli.facts import Listing, Section
from journalspec_conformance.cli.journal_view import Painter, Part, wrapped_lines

#: Lines of a screen, and columns: of a pipe, and never more.
MOST_LINES, WIDTH = 40, 100
#: The begin of a sentence; the number of its lines that are shown; the least width of a column of text.
INDENT, MOST_WRAPPED, NARROW = 10, 4, 24
#: Lists are folded to this many rows, all of them, until all fits; the remaining room is given to these
#: first.
CAPS = (10, 8, 6, 5, 4, 3, 2, 1)
#: More rows than any list has: nothing is omitted, and no sentence is cut.
ALL = sys.maxsize
FIRST = ("missing", "holds", "files", "lost", "carried", "at start")
CUT = "... (--all)"
STYLES = {"clean": "bold green", "recovered": "bold yellow", "REFUSED": "bold red"}
Line = tuple[Part, ...]


def width() -> int:
    """Return the columns of a screen: those of the terminal or of COLUMNS, at most 100; in a pipe 100."""
    given = os.environ.get("COLUMNS", "")
    found = Painter().columns if given.isdecimal() or Painter().on_terminal else WIDTH
    return max(40, min(found, WIDTH))


def screen(
    sections: Iterable[Section], *, everything: bool = False, most: int = MOST_LINES
) -> Iterator[Line]:
    """Yield at most `most` lines; of `everything` all rows and sentences, however many lines there are."""
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
        first: Part = (f"{heading:<{INDENT}}", "bold") if heading else " " * INDENT
        heading = ""
        word, gap, rest = text.partition("   ")
        if section.style:
            yield first, (text, section.style)
        elif section.heading == "verdict" and word in STYLES:
            yield first, (word, STYLES[word]), gap + rest
        else:
            yield first, text


def _body(section: Section, room: int, cap: int) -> Iterator[str]:
    for text in section.text:
        yield from _command(text, room) if text.startswith("  ") else _wrapped(text, room, cap)
    if section.listing is not None:
        yield from _listing(section.listing, room, cap)


def _command(text: str, room: int) -> Iterator[str]:
    """Yield a command, which is to be pasted: where it continues, a line ends in a backslash."""
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
    # A row that is too long by itself is not a reason to move the columns of others.
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
            # Too narrow for columns: the cells one after the other.
            text = "  ".join(cell for cell in row if cell)
            yield from (
                f"  {piece}" if number else piece
                for number, piece in enumerate(_wrapped(text, room - 2, cap))
            )
            continue
        begin, last = before(row), f"{row[-1]:>{widths[-1]}}" if numbers[-1] else row[-1]
        for piece in _wrapped(last, room - first, cap):
            yield (begin + piece).rstrip()
            begin = " " * first
    if rest := listing.rest(cap):
        yield from _wrapped(rest, room, cap)


def _widths(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return how wide the columns are."""
    table = [row for row in (head, *rows) if row]
    return [max(map(len, cells)) for cells in zip(*table, strict=True)]
