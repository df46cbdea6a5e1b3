"""``journalspec why``: what keeps the files of a journal from being deleted, and what would free them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from journalspec.files import shown
from journalspec.formats import Format, get_format
from journalspec_conformance.cli.journal_view import (Painter, unchanging)
from journalspec_conformance.cli.places import (Asked, Directory, UsageProblem, find, options)
from journalspec_reference.answers import settled
from journalspec_reference.filesets import Journal
from journalspec_reference.keeping import Holder, Keeping, keeping

#: A screen lists so many files, and so many holders of one file, unless all are asked for.
MOST = 12
#: Width of a heading, and of what stands beside it.
HEAD = 10
COLUMNS = 100


@click.command(
    "why",
    epilog="Exit status: 0 answered, whether the files stay or not; 2 usage: no such path, no journal there,"
    " a file that is no data file of one.",
)
@click.argument("path", type=click.Path(path_type=Path))
@options()
@click.option("--all", "everything", is_flag=True, help="All files and all reasons, however many.")
def why_command(path: Path, everything: bool, **what: Any) -> None:
    """Say what keeps the data file at PATH, or each file of the journal at PATH, from being deleted.

    Nothing is ever written to PATH.
    """
    places, _ = find(Asked(paths=(path,), **what))
    file = None if path.is_dir() else path.name
    out = Painter()
    answered = False
    with unchanging([journal for place in places for journal in place.journals]):
        for place in places:
            for journal in place.journals:
                if answered:
                    out.line("")
                _write(out, place, settled(journal), file, everything)
                answered = True


def _write(out: Painter, place: Directory, journal: Journal, file: str | None, everything: bool) -> None:
    described = get_format(journal.format)
    found = keeping(journal.format, journal.files, journal.edition, journal.params)
    title = described.edition(journal.edition).title
    known = f"; from {found.basis}" if found is not None and found.basis else ""
    _line(out, "store", f"{title}, {len(journal.files)} file(s) in {place.loaded.root}{known}")
    if found is None:
        _line(out, "verdict", f"KEPT   {described.why['product']['what']}", "yellow")
        return
    if file is not None and file not in found.lengths:
        raise UsageProblem(
            f"{shown(file)} is no data file of this journal",
            f"its files are {', '.join(map(shown, [*found.lengths][:MOST]))}",
        )
    if file is not None:
        _write_file(out, place, described, found, file, everything)
    else:
        _write_store(out, place, described, found, everything)


def _write_file(
    out: Painter, place: Directory, described: Format, found: Keeping, file: str, everything: bool
) -> None:
    holders = found.of(file)
    if not holders and found.doubt:
        _line(out, "verdict", f"NOT KNOWN   {found.doubt}", "yellow")
    elif not holders:
        _line(out, "verdict", "FREE   nothing in the journal needs this file", "green")
    else:
        first, *others = holders
        more = f", and {len(others)} more reason(s)" if others else ""
        _line(out, "verdict", f"KEPT   {_said(described, first, 'what')}{more}", "yellow")
    out.line("")
    if holders:
        _table(out, "held by", holders if everything else holders[:MOST], described, len(holders))
    for holder in found.by(file)[: None if everything else MOST]:
        _line(
            out, "keeps", f"{shown(holder.file)}, which has {holder.count} {_said(described, holder, 'what')}"
        )
    if not found.by(file):
        _line(out, "keeps", "nothing: no other file stays because of this one")
    _write_freed(out, described, holders if everything else holders[:MOST])
    out.line("")
    _line(out, "next", f"all files: {Asked((place.loaded.root,), None, None, ()).again('why')}")


def _write_store(out: Painter, place: Directory, described: Format, found: Keeping, everything: bool) -> None:
    free = [name for name in found.lengths if not found.of(name)]
    count = len(found.lengths)
    if free:
        _line(
            out, "verdict", f"{len(free)} of {count} file(s) FREE: nothing in the journal needs them", "green"
        )
    else:
        _line(out, "verdict", f"KEPT   all {count} file(s); none can be deleted now", "yellow")
    out.line("")
    rows = [("file", "bytes", "reasons")]
    named, free_word = list(found.lengths), "not known" if found.doubt else "free"
    for name in named if everything else _most_telling(found):
        reasons = "; ".join(_counted(described, holder) for holder in found.of(name)) or free_word
        rows.append((shown(name), f"{found.lengths[name]:,}", reasons))
    _rows(out, "held by", rows)
    if len(rows) - 1 < count:
        out.line(" " * HEAD, f"... {count - len(rows) + 1} more files (--all)")
    out.line("")
    _line(out, "freed by", described.why["product"]["what"])
    if freed := described.why["product"].get("freed"):
        _line(out, "", freed)
    held = next((name for name in found.lengths if found.of(name)), None)
    if held is not None:
        out.line("")
        command = Asked((place.loaded.root / held,), None, None, ()).again("why")
        _line(out, "next", f"one file in detail: {command}")


def _most_telling(found: Keeping) -> Sequence[str]:
    """Return the oldest files, and the newest: the first that are held explain most of the others."""
    names = list(found.lengths)
    return names if len(names) <= MOST else [*names[: MOST - 1], names[-1]]


def _write_freed(out: Painter, described: Format, holders: Sequence[Holder]) -> None:
    said = list(dict.fromkeys(_said(described, holder, "freed") for holder in holders))
    for number, text in enumerate(said, start=1):
        _line(out, "freed by" if number == 1 else "", f"{number}. {text}")
    if said and (more := described.why["product"].get("freed")):
        _line(out, "", f"or {more}")


def _table(out: Painter, head: str, holders: Sequence[Holder], described: Format, total: int) -> None:
    rows: list[tuple[str, ...]] = [("what", "count", "bytes", "first at")]
    for holder in holders:
        numbers = (f"{number:,}" if number else "" for number in (holder.count, holder.size))
        rows.append(
            (_said(described, holder, "what"), *numbers, str(holder.first) if holder.first >= 0 else "")
        )
    _rows(out, head, rows)
    if len(holders) < total:
        out.line(" " * HEAD, f"... {total - len(holders)} more reasons (--all)")


def _rows(out: Painter, head: str, rows: Sequence[tuple[str, ...]]) -> None:
    """Write a table, the first column and the last of two or three to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        first, *rest = row
        cells = [first.ljust(widths[0])]
        for column, cell in enumerate(rest, start=1):
            is_text = rows[0][column] == "reasons"
            cells.append(cell if is_text else cell.rjust(widths[column]))
        out.wrapped(f"{head if not number else '':<{HEAD}}" + "  ".join(cells[:-1]) + "  ", cells[-1])


def _counted(described: Format, holder: Holder) -> str:
    what = _said(described, holder, "what")
    return f"{holder.count:,} {what}" if holder.count else what


def _said(described: Format, holder: Holder, sentence: str) -> str:
    text = described.why[holder.kind][sentence]
    return shown(text.format(name=holder.name, count=f"{holder.count:,}"))


def _line(out: Painter, head: str, text: str, style: str = "") -> None:
    out.wrapped(f"{head:<{HEAD}}", text, style)
