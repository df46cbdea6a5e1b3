"""``journalspec explain``: explains a product's message, and lists its causes in the store at a path."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from journalspec.files import shown
from journalspec.formats import Format
from journalspec.messages import ProductMessage, matching, nearest
from journalspec.observation import REFUSED, Observation
from journalspec_conformance.cli import journal_view as view
from journalspec_conformance.cli.places import Asked, find, options, place_text

#: Three limits without --all: the number of explained messages, of the lines of all of them, and of the
#: listed places of each message.
MOST_HITS, MOST_LINES, MOST_PLACES = 3, 38, 4
STYLES = {
    "none": "bold green",
    "risk": "bold yellow",
    "doubt": "bold yellow",
    "refusal": "bold red",
    "loss": "bold red",
}
#: The placeholder for PATH in suggested commands if no path was given.
UNKNOWN_PATH = "DIRECTORY"


@click.command(
    "explain",
    epilog="Exit status: 0 found, 1 no message matches (the nearest three are listed), 2 usage.",
)
@click.argument("text")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@options()
@click.option("--all", "everything", is_flag=True, help="All messages that match, in full.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Also logger, versions, other texts, and the source of the entry."
)
def explain_command(text: str, path: Path | None, everything: bool, verbose: bool, **what: Any) -> None:
    """Explain TEXT, a message that a product printed about its journal.

    TEXT is any part of a log line: an id such as AMQ222043, HQ142015 or XSDB4, or words of the
    message. Numbers and names in TEXT are ignored. With PATH, the command reads the store like `recover`, and
    lists the causes of the message in this store. PATH is only read.
    """
    if not text.strip():
        raise click.UsageError("TEXT is empty: give an id, or words of the product's message.")
    found = matching(text)
    asked = Asked(paths=(path,), **what) if path is not None else None
    here = _answers(asked) if asked is not None else []
    out = view.Painter()
    if not found:
        out.wrapped("no message matches: ", shown(text[: 2 * view.WIDTH]))
        out.line("the nearest:")
        for entry in nearest(text):
            _write_short(out, entry)
        sys.exit(1)
    left = MOST_LINES
    for number, entry in enumerate(found):
        lines = [*view.screen(_sections(entry, here, asked, verbose), everything=True)]
        if not everything and number and (number >= MOST_HITS or len(lines) + 1 > left):
            _write_rest(out, found[number:], left)
            return
        if number:
            out.line("")
        out.lines(lines)
        left -= len(lines) + 1


def _answers(asked: Asked) -> list[view.Part]:
    """Return the answers of strict recovery at a path, and of reading the journals that it refuses."""
    found = find(asked)
    with view.unchanging(found.journals):
        parts = [
            view.Part(at, view.answer_of(asked, "explain", each, view.STRICT)) for at, each in found.pairs
        ]
        for part in [each for each in parts if each.seen.verdict == REFUSED]:
            journal = replace(part.answer.journal, editions=())
            parts.append(view.Part(part.place, view.answer_of(asked, "explain", journal, None)))
    return parts


def _write_short(out: view.Painter, entry: ProductMessage) -> None:
    text = " ".join(entry.text.split())
    out.line(f"  {entry.id:<{view.INDENT + 3}}{text[: view.WIDTH - view.INDENT - 5]}")


def _write_rest(out: view.Painter, rest: Sequence[ProductMessage], room: int) -> None:
    """Write the messages that are not explained. Some are listed by name; the others are counted."""
    out.line("")
    named = rest[: max(0, min(MOST_HITS - 1, room - 2))]
    for entry in named:
        _write_short(out, entry)
    if len(rest) > len(named):
        out.line(f"{len(rest) - len(named)} more (--all)")


def _sections(
    entry: ProductMessage, here: Sequence[view.Part], asked: Asked | None, verbose: bool
) -> Iterator[view.Section]:
    """Yield the parts of an explanation."""
    yield view.Section("message", [f"{' '.join(entry.ids)}  {entry.product}, {entry.level}"], style="bold")
    yield view.Section("", [" ".join(entry.text.split())])
    yield view.Section("verdict", [entry.verdict], style=STYLES[entry.impact])
    yield view.Section("", [entry.meaning])
    yield view.Section("cause", [entry.cause], apart=True)
    if asked is not None:
        yield view.Section("here", [*_here(entry, here)])
    also = f"{', '.join(entry.see)}; " if entry.see else ""
    yield view.Section("see also", [f"{also}docs: {entry.page}.html#{entry.id}"])
    if verbose:
        others = (f"{other['versions']}: {other['text']}" for other in entry.other)
        yield view.Section("logger", [entry.logger or "-"])
        yield view.Section("versions", [f"this text: {', '.join(entry.versions)}", *others])
        yield view.Section("state", [entry.state])
        yield view.Section("known", [entry.known])
        if entry.codes:
            yield view.Section(
                "answers", [f"{', '.join(entry.codes)} in what `inspect` or `recover` reports"]
            )
    if entry.next:
        yield view.Section("next", [*_next(entry, asked)], apart=True)


def _next(entry: ProductMessage, asked: Asked | None) -> Iterator[str]:
    for line in entry.next:
        if not line.startswith("$ "):
            yield line
        elif asked is None:
            yield f"  {line[2:].replace('PATH', UNKNOWN_PATH)}"
        else:
            _, _, command, *more = line.split()
            yield f"  {asked.again(command, *more[:-1])}"


def _here(entry: ProductMessage, here: Sequence[view.Part]) -> Iterator[str]:
    """Use the answers about a store's journals to yield the causes of the message when the product starts."""
    own = [part for part in here if part.description.id == entry.format]
    if not own:
        others = ", ".join(dict.fromkeys(part.description.id for part in here))
        yield f"no journal of this product at the path, but of {others}"
        return
    found = False
    for part in own:
        seen = _places(part.seen, entry.codes, part.description)
        places = [*_absent(entry, part.answer.journal.root), *dict.fromkeys(seen)]
        found = found or bool(places)
        yield from places[:MOST_PLACES]
        if len(places) > MOST_PLACES:
            yield f"{len(places) - MOST_PLACES} more: journalspec recover"
    if not found and entry.codes:
        yield "nothing in the files makes a start print this message: it may be old or concern other files"
    elif not found:
        yield "the files of the journal do not show the cause of this message: see `cause`"


def _absent(entry: ProductMessage, root: Path | None) -> Iterator[str]:
    """Yield each directory that must be next to the journal's directory, but contains no file."""
    for place in [root.resolve().with_name(name) for name in entry.beside] if root else []:
        if not any(place.glob("*")):
            yield f"{shown(str(place))}: not there, or empty"


def _places(seen: Observation, codes: Sequence[str], description: Format) -> Iterator[str]:
    """Yield each refusal, region, note or missing part that can cause a message, with its place."""
    if seen.verdict == REFUSED and seen.code in codes:
        yield f"refused, {seen.code}: {shown(seen.message)}"
    for region in seen.dropped:
        if region.reason in codes:
            place = f"{shown(region.file)}:{region.off}..{region.end}"
            yield f"{place}   {region.reason}: {description.meaning('reasons', region.reason)}"
    for lack in seen.missing:
        if lack.code in codes:
            count = f" ({lack.count} affected)" if lack.count else ""
            yield f"missing {lack.code} {shown(lack.name)}{count}: {shown(lack.text)}"
    for note in seen.notes:
        if note.code in codes:
            yield f"{place_text(note.file, note.off)}   {note.code}: {shown(note.text)}"
