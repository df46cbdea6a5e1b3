"""``journalspec why``: prints why the files of a journal are not deleted, and what would allow their
deletion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from journalspec.files import shown
from journalspec.formats import Format, get_format
from journalspec_conformance.cli import journal_view as view
from journalspec_conformance.cli.facts import some_of
from journalspec_conformance.cli.places import Asked, Directory, UsageProblem, amount, find, options
from journalspec_conformance.cli.redaction import Redactor
from journalspec_reference.answers import settled
from journalspec_reference.filesets import Journal
from journalspec_reference.keeping import Holder, Keeping, keeping

#: If there are more journals, one line is shown for each of them instead of one screen.
MOST_SCREENS = 2
#: The section for a format whose rules are not described yet.
UNDESCRIBED = {"what": "The rules for freeing files of this format are not described."}


@click.command(
    "why",
    epilog="Exit status: 0 answered, whether files stay or not; 2 usage: no such path, no journal at"
    " the path, a file that is not one of its data files.",
)
@click.argument("path", type=click.Path(path_type=Path))
@options()
@click.option("--all", "everything", is_flag=True, help="List all files and all reasons.")
def why_command(path: Path, everything: bool, **what: Any) -> None:
    """List the reasons why the data file at PATH, or each file of the journals at PATH, is not deleted.

    PATH is only read.
    """
    stores = find(Asked(paths=(path,), **what))
    journals = stores.pairs
    out = view.Painter()
    several = len(journals) > MOST_SCREENS and not everything
    # A store has at most two journals. Both reports fit on one screen, with a line between the reports.
    most = view.MOST_LINES if len(journals) < 2 or several else view.MOST_LINES // 2 - 1
    rows = []
    with view.unchanging(stores.journals):
        for number, (place, journal) in enumerate(journals):
            file = None if place.asked.archive or path.is_dir() else path.name
            with view.reading(sum(map(len, journal.files.values()))):
                known = settled(journal)
                found = _found(place, known)
            if several:
                name = place.asked.name + (
                    f": {next(iter(journal.files))}" if len(place.journals) > 1 else ""
                )
                rows.append((shown(name), *_verdict(found).split("   ")))
                continue
            if number:
                out.line("")
            out.lines(view.screen(_sections(place, known, found, file), everything=everything, most=most))
    if several:
        out.lines(view.screen(_several(*journals[0], rows)))


def _found(place: Directory, journal: Journal) -> Keeping | None:
    """Return why a journal's files are kept, perhaps redacted; None if no rules are described."""
    found = keeping(journal.format, journal.seen, journal.edition, journal.params)
    if found is not None:
        hide = Redactor(journal, place.asked.redact).text
        named = (each if each.below else replace(each, name=hide(each.name)) for each in found.holders)
        found = replace(found, holders=tuple(named))
    return found


def _verdict(found: Keeping | None) -> str:
    """Return a word, three blanks, and a sentence on the files of a journal that are not deleted."""
    if found is None:
        return "KEPT   all files"
    free = [name for name in found.lengths if not found.of(name)]
    files = amount(len(found.lengths), "file")
    if free and found.doubt:
        return f"NOT KNOWN   for {len(free):,} of {files}: {found.doubt}"
    if free:
        return f"FREE   {len(free):,} of {files}: {some_of(free)}"
    return f"KEPT   {'all ' if len(found.lengths) > 1 else ''}{files}; none can be deleted now"


def _several(first: Directory, journal: Journal, rows: Sequence[Sequence[str]]) -> Iterator[view.Section]:
    """Yield the sections on many journals, with one line for each; `journal` is the first one."""
    yield view.Section("store", [f"{len(rows):,} journals"])
    yield view.table("held by", rows, ("path", "verdict", ""))
    # No command accepts the path of a journal inside an archive.
    if first.asked.archive is None:
        steps = ["one of them:", f"  {first.of(journal).again('why')}"]
    else:
        steps = ["each in full:", f"  {first.asked.whole.again('why', '--all')}"]
    yield view.Section("next", steps, apart=True)


def _sections(
    place: Directory, journal: Journal, found: Keeping | None, file: str | None
) -> Iterator[view.Section]:
    """Yield the report on a journal, or on one file of it."""
    described = get_format(journal.format)
    product = described.why.get("product", UNDESCRIBED)
    known = f", known from {found.basis}" if found is not None and found.basis else ""
    title = described.edition(journal.edition).title
    yield view.Section("store", [f"{title}, {amount(len(journal.files), 'file')}{known}"])
    if found is None:
        yield view.Section("verdict", [_verdict(found)])
        yield view.Section("freed by", [product["what"]], apart=True)
        return
    if file is not None and file not in found.lengths:
        raise UsageProblem(
            f"{shown(file)} is not a data file of this journal", f"its files: {some_of([*found.lengths])}"
        )
    whole = place.asked.whole
    if file is not None:
        yield from _of_file(described, found, file)
        more = replace(whole, paths=(place.loaded.root,)).again("why")
        yield view.Section("next", ["all files:", f"  {more}"], apart=True)
        return
    yield from _of_store(described, found)
    free = [product["what"], *([product["freed"]] if "freed" in product else [])]
    yield view.Section("freed by", free, apart=True)
    if (held := [name for name in found.lengths if found.of(name)]) and not place.asked.archive:
        more = replace(whole, paths=(place.loaded.root / held[0],)).again("why")
        yield view.Section("next", ["one file in detail:", f"  {more}"], apart=True)


def _of_store(described: Format, found: Keeping) -> Iterator[view.Section]:
    rows, unheld = [], 0
    for name, length in found.lengths.items():
        reasons = "; ".join(_counted(described, holder) for holder in found.of(name))
        if reasons:
            rows.append((shown(name), f"{length:,}", reasons))
        else:
            unheld += length
    runs = [*_runs(found)]
    verdict = _verdict(found)
    if runs and not found.doubt:
        free = len(found.lengths) - len(rows)
        stay = f"; {amount(len(rows), 'file')} {'stays' if len(rows) == 1 else 'stay'}" if rows else ""
        verdict = f"FREE   {free:,} of {amount(len(found.lengths), 'file')}, {unheld:,} bytes{stay}"
    yield view.Section("verdict", [verdict])
    if runs:
        counts = [int(run[1]) for run in runs]
        listing = view.Listing(runs, len(runs), ("file", "files", "bytes"), counts, sum(counts), "file")
        yield view.Section("not known" if found.doubt else "free", listing=listing, apart=True)
    if rows:
        yield view.table("held by", rows, ("file", "bytes", "by"))


def _runs(found: Keeping) -> Iterator[tuple[str, ...]]:
    """Yield the files that can be deleted. Adjacent files share one row."""
    for held, run in groupby(found.lengths, key=lambda name: bool(found.of(name))):
        names = [*run]
        if not held:
            what = shown(names[0]) + (f" to {shown(names[-1])}" if names[1:] else "")
            yield what, f"{len(names)}", f"{sum(found.lengths[name] for name in names):,}"


def _of_file(described: Format, found: Keeping, file: str) -> Iterator[view.Section]:
    holders = found.of(file)
    if holders:
        more = f", and by {amount(len(holders) - 1, 'other reason')}" if len(holders) > 1 else ""
        by = "by " if holders[0].count else ""
        yield view.Section("verdict", [f"KEPT   {by}{_counted(described, holders[0])}{more}"])
    elif found.doubt:
        yield view.Section("verdict", [f"NOT KNOWN   {found.doubt}"])
    else:
        yield view.Section("verdict", ["FREE   nothing in the journal needs this file"])
    rows = []
    for holder in holders:
        numbers = (f"{number:,}" if number else "" for number in (holder.count, holder.size))
        place = f"at {holder.first}" if holder.first >= 0 else ""
        rows.append((_said(described, holder, "what"), *numbers, place))
    if rows:
        head = ("what", "count", "bytes", "first")
        yield view.table("held by", rows, head)
    others = [f"{shown(holder.file)}, by {_counted(described, holder)}" for holder in found.by(file)]
    yield view.Section(
        "keeps", others or ["nothing: no other file stays because of this one"], apart=not rows
    )
    said = dict.fromkeys(_said(described, holder, "freed") for holder in holders)
    if said:
        steps = [f"{number}. {text}" for number, text in enumerate(said, start=1)]
        or_else = [f"or {text}" for name, text in described.why["product"].items() if name == "freed"]
        yield view.Section("freed by", [*steps, *or_else], apart=True)


def _counted(described: Format, holder: Holder) -> str:
    what = _said(described, holder, "what")
    if holder.count == 1:
        noun, _, rest = what.partition(" ")
        what = f"{noun.removesuffix('s')} {rest}"
    return f"{holder.count:,} {what}" if holder.count else what


def _said(described: Format, holder: Holder, sentence: str) -> str:
    return shown(described.why[holder.kind][sentence].format(name=holder.name, count=f"{holder.count:,}"))
