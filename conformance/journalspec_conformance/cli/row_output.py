"""Writes rows: as a table for people, as CSV, as lines of JSON, or as a Parquet file."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from journalspec.files import replacing, shown
from journalspec.formats import get_format
from journalspec.observation import CLEAN, REFUSED, Level, jsonable
from journalspec_conformance.cli.contents import MESSAGES, QUEUE, QUEUES
from journalspec_conformance.cli.facts import TRANSACTIONS
from journalspec_conformance.cli.follow import Follower
from journalspec_conformance.cli.journal_view import VERDICT_STYLES, Painter, unchanging, value_text
from journalspec_conformance.cli.ndjson import write_line
from journalspec_conformance.cli.places import Directory, Stores, UsageProblem, amount, no_such
from journalspec_conformance.cli.rows import Columns, ContentsRows, Matches, ask_rows, has_arrow
from journalspec_conformance.cli.selection import Question, columns_of
from journalspec_reference.predicates import text_of

if TYPE_CHECKING:
    import pyarrow as pa

#: The default number of printed rows.
FEW = 20
#: Bytes are printed completely up to MOST_BYTES; of longer values, only the first SOME_BYTES are printed.
MOST_BYTES, SOME_BYTES = 16, 8
#: The printed columns of these tables. Texts in these columns are truncated to MOST_TEXT characters.
BRIEF = {
    MESSAGES: ("queue", "id", "timestamp", "priority", "kind", "size", "text"),
    QUEUES: ("queue", "id", "address", "filter", "routing", "messages", "bytes"),
    TRANSACTIONS: ("id", "state", "xid", "gtrid", "bqual", "recovery", "participants", "heuristics"),
}
MOST_TEXT = 48
#: Columns that are never truncated, because other rows and options refer to their values.
UNCUT = ("id", "xid", "queue")
#: If only one message was found, values are truncated to this many characters.
MOST_WHOLE = 600


@dataclass
class Output:
    """The target of rows. At most `limit` rows are written; `total` counts all rows."""

    as_ndjson: bool = False
    as_csv: bool = False
    parquet: Path | None = None
    limit: int | None = None
    total: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.as_ndjson + self.as_csv + (self.parquet is not None) > 1:
            raise click.UsageError("--ndjson, --csv and --parquet exclude each other.")
        if self.parquet and not has_arrow():
            raise UsageProblem("--parquet needs Arrow, which is not installed", "use --csv, or --ndjson")
        if self.parquet and os.path.lexists(self.parquet):
            raise UsageProblem(f"{shown(str(self.parquet))} already exists", "give the name of a new file")

    @property
    def streamed(self) -> bool:
        """Whether the output is for programs. If so, standard output contains only rows."""
        return self.as_ndjson or self.as_csv or self.parquet is not None

    def write(self, names: Sequence[str], parts: Iterable[Columns], schema: Callable[[], pa.Schema]) -> None:
        """Write rows for programs; `schema` gives the types of a Parquet file."""
        parts = self.limited(parts)
        if self.parquet is not None:
            # The file is complete or absent, even if the disk is full or the journal changes.
            with replacing(self.parquet, "wb") as file:
                write_parquet(file, parts, schema())
        elif self.as_ndjson:
            for row in rows_of(names, parts):
                line = {"row": {name: _json(value) for name, value in row.items()}}
                sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
        else:
            write_csv(sys.stdout, names, parts)

    def limited(self, parts: Iterable[Columns]) -> Iterator[Columns]:
        """Yield rows up to the limit, and count all rows."""
        for columns in parts:
            before, self.total = self.total, self.total + len(next(iter(columns.values())))
            if self.limit is None:
                yield columns
            elif before < self.limit:
                yield {name: values[: self.limit - before] for name, values in columns.items()}


def write_parquet(file: IO[bytes], parts: Iterable[Columns], shape: pa.Schema) -> None:
    """Write rows as Parquet."""
    import pyarrow as pa  # noqa: PLC0415  # an optional package
    import pyarrow.parquet as pq  # noqa: PLC0415  # an optional package

    with pq.ParquetWriter(file, shape) as writer:
        for columns in parts:
            writer.write_table(pa.table(columns, shape))


def write_csv(file: IO[str], names: Sequence[str], parts: Iterable[Columns]) -> None:
    """Write rows as CSV, after a line with the names of the columns."""
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow(map(shown, names))
    for columns in parts:
        lines.writerows(zip(*(map(text_of, columns[name]) for name in names), strict=True))


def _json(value: Any) -> object:
    """Return a value for JSON; times, and numbers that are not integers, as texts."""
    try:
        return jsonable(value)
    except TypeError:
        return str(value)


def rows_of(names: Sequence[str], parts: Iterable[Columns]) -> Iterator[dict[str, Any]]:
    """Yield rows one by one."""
    for columns in parts:
        for row in zip(*(columns[name] for name in names), strict=True):
            yield dict(zip(names, row, strict=True))


def show_rows(found: Stores, selection: Question, as_ndjson: bool) -> None:
    """Write the requested rows, then end the command with the exit status."""
    output = Output(as_ndjson, selection.as_csv, selection.parquet, selection.limit)
    if selection.follow:
        _follow(found.places, selection, output)
        raise SystemExit(0)
    with unchanging(found.journals):
        sources, status = ask_rows(found, selection)
        if selection.count_by is not None:
            show_counts(sources, selection.counted_names, output)
        else:
            show_records(sources, output)
        if selection.queue and not any(source.matched for source in sources):
            hold_queues(sources, selection.queue)
    raise SystemExit(status)


def hold_queues(sources: Sequence[Matches], wanted: Sequence[str]) -> None:
    """Raise UsageProblem, with similar names, for the first queue without a record."""
    first = sources[0]
    (column, *_) = [QUEUE] if isinstance(first, ContentsRows) else first.description.columns["queue"]
    known: dict[str, str] = {}
    for source in sources:
        for chunk in replace(source, predicates=(), files=()).chunks([column]):
            names = [name for (name,) in chunk.counted([column]) if name is not None]
            known |= {name: source.shown_value(column, name) for name in names}
        known |= source.queues() if isinstance(source, ContentsRows) else {}
    for each in wanted:
        if each not in known:
            what = f"--queue: no {first.noun} is of a queue or topic"
            raise no_such(what, each, known, "no row here is of a queue")


def _follow(places: Sequence[Directory], selection: Question, output: Output) -> None:
    """Print new rows of a growing file, until the limit or an interruption."""
    if len(places) != 1 or len({journal.format for journal in places[0].journals}) != 1:
        raise UsageProblem("--follow is for one store", "give its path")
    if selection.count_by is not None or selection.parquet:
        raise click.UsageError("--follow has no end: neither --count-by nor --parquet goes with it.")
    description = get_format(places[0].journals[0].format)
    names, chunks = [*columns_of(description)], Follower(places[0], selection).chunks

    def parts() -> Iterator[Columns]:
        for chunk in chunks(names):
            yield chunk.columns()
            sys.stdout.flush()
            if output.limit is not None and output.total >= output.limit:
                return

    if output.as_ndjson:
        lines = (line for chunk in chunks(names) for line in chunk.lines())
        for line in islice(lines, output.limit):
            click.echo(line, nl=False)
    elif output.streamed:
        output.write(names, parts(), lambda: None)
    else:
        out = Painter()
        for row in rows_of(names, output.limited(parts())):
            told = (f"{name} {cell_text(row[name])}" for name in names[4:] if row[name] is not None)
            out.wrapped(f"{row['file']}:{row['off']}  ", "; ".join(told))
            sys.stdout.flush()


def show_records(sources: Sequence[Matches], output: Output) -> None:
    """Write the requested records."""
    names = [*sources[0].columns]
    if output.as_ndjson:
        left = output.limit
        for source in sources:
            journal = source.answer.journal
            head = {"format": journal.format, "edition": journal.edition, "path": source.path}
            write_line({"journal": {**head, "files": list(journal.files)}})
            for chunk in source.chunks(()):
                sys.stdout.write("".join(islice(chunk.lines(), left)))
                left = None if left is None else max(0, left - chunk.count)
            verdict = source.seen.members(Level.VERDICT)
            write_line({"answer": {**head, **verdict, "matched": str(source.matched)}})
        write_heads(sources)
        return
    parts = (chunk.columns() for source in sources for chunk in source.chunks(names))
    if output.streamed:
        output.write(names, parts, lambda: sources[0].schema(names))
        write_heads(sources)
        return
    output.limit = FEW if output.limit is None else output.limit
    found = [*rows_of(names, output.limited(parts))]
    contents = sources[0] if isinstance(sources[0], ContentsRows) else None
    several = len({row["journal"] for row in found if "journal" in row}) > 1
    out = Painter()
    write_heads(_with_rows(sources), out)
    if contents is not None and output.total == len(found) == 1:
        write_whole(out, found[0])
        return
    rows = []
    for row in found:
        cells = {"journal": row.pop("journal")} if several else {}
        if {"file", "off"} <= row.keys():
            cells["where"] = f"{row.pop('file')}:{row.pop('off')}"
        for name in BRIEF.get(contents.table, row) if contents is not None else row:
            if name in row and name != "journal":
                cells[name] = row[name] if name in UNCUT else brief(row[name])
        rows.append(cells)
    write_table(out, rows, sources[0].description.vocabulary.bodies)
    write_more(out, output.total - len(rows), f"--limit {output.total}, or all: --csv, --ndjson")


def _with_rows(sources: Sequence[Matches]) -> Sequence[Matches]:
    """Return the journals that have rows or are not clean; all journals if none has rows."""
    if not any(source.matched for source in sources):
        return sources
    return [source for source in sources if source.matched or source.seen.verdict != CLEAN]


def write_whole(out: Painter, row: Mapping[str, Any]) -> None:
    """Write one row, with a line for each column. Long values are truncated."""
    known = {name: value for name, value in row.items() if value is not None and name != "journal"}
    width = max(map(len, known)) + 2
    out.line("")
    for name, value in known.items():
        text = cell_text(value)
        more = f"... ({len(text):,} characters; all: --ndjson)" if len(text) > MOST_WHOLE else ""
        out.wrapped(f"{name:<{width}}", text[:MOST_WHOLE] + more)


def show_counts(sources: Sequence[Matches], names: Sequence[str], output: Output) -> None:
    """Count the records with each value of the columns `names`, and write the counts, the largest first."""
    totals: Counter[tuple[Any, ...]] = Counter()
    for source in sources:
        counts: Counter[tuple[Any, ...]] = Counter()
        for chunk in source.chunks(names):
            counts.update(chunk.counted(names))
        for key, count in counts.items():
            totals[tuple(map(source.shown_value, names, key))] += count
    keys = sorted(totals, key=lambda key: (-totals[key], [*map(text_of, key)]))
    columns: dict[str, Sequence[Any]] = {name: [key[at] for key in keys] for at, name in enumerate(names)}
    number = amount(2, sources[0].noun).removeprefix("2 ")
    columns[number] = [totals[key] for key in keys]
    if output.streamed:
        output.write([*columns], [columns] if keys else [], lambda: _inferred(columns))
        write_heads(sources)
        return
    output.limit = FEW if output.limit is None else output.limit
    rows = [*rows_of([*columns], output.limited([columns]))]
    out = Painter()
    write_heads(sources, out)
    write_table(out, [{**row, number: f"{row[number]:,}"} for row in rows])
    write_more(out, len(keys) - len(rows), f"--limit {len(keys)}")


def _inferred(columns: Columns) -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415  # an optional package

    return pa.table(dict(columns)).schema


def write_heads(sources: Sequence[Matches], out: Painter | None = None) -> None:
    """For each journal, write a line with its verdict and number of rows, to `out` or standard error."""
    for source in sources:
        journal, seen = source.answer.journal, source.seen
        title = (
            f"{source.description.title} ({journal.format}, edition {journal.edition}), {shown(source.path)}"
        )
        found = f" {amount(source.matched, source.noun)}"
        if source.predicates or source.files:
            found += " matches" if source.matched == 1 else " match"
        why = shown(f"{seen.phase}/{seen.code}: {seen.message}") if seen.verdict == REFUSED else ""
        if out is None:
            lines = (f"store     {title}", f"verdict   {seen.verdict:<9}{found}", f"          {why}")
            click.echo("\n".join(lines[: 3 if why else 2]), err=True)
            continue
        out.line("store     ", title)
        out.line("verdict   ", (f"{seen.verdict:<9}", VERDICT_STYLES[seen.verdict]), found)
        if why:
            out.wrapped("          ", why)


def brief(value: Any) -> Any:
    """Return a value for a list. A long text is truncated."""
    if isinstance(value, str) and len(value) > MOST_TEXT:
        return f"{value[:MOST_TEXT]}... ({len(value):,} characters)"
    return value


def write_more(out: Painter, left: int, how: str) -> None:
    """If `left` rows were not printed, write their number and the way to print them."""
    if left > 0:
        out.line("")
        out.line(f"next      {left:,} more: {how}")


def cell_text(value: Any) -> str:
    """Return a value for a cell of a table. Long bytes are truncated, and their number is added."""
    return "" if value is None else value_text(value, MOST_BYTES, SOME_BYTES)


def write_table(out: Painter, rows: Sequence[Mapping[str, Any]], last: Collection[str] = ()) -> None:
    """Write rows as a table without its empty columns; if it is too wide, write each row as a block.

    The columns `last` come after the others. Numbers are aligned to the right.
    """
    if not rows:
        return
    out.line("")
    names = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    names.sort(key=lambda name: name in last)
    heads = [*map(shown, names)]
    cells = [[cell_text(row[name]) for name in names] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    if sum(widths) + 2 * len(widths) - 2 > out.columns:
        for line in cells:
            parts = [f"{name} {each}" for name, each in zip(heads[1:], line[1:], strict=True) if each]
            out.wrapped(f"{line[0]}  ", "; ".join(parts))
        return
    right = [not any(each.strip("0123456789,-") for each in column) for column in zip(*cells, strict=True)]
    for line in (heads, *cells):
        parts = [
            each.rjust(width) if number else each.ljust(width)
            for each, width, number in zip(line, widths, right, strict=True)
        ]
        out.line(("  ".join(parts).rstrip(), "dim" if line is heads else ""))
