"""``journalspec export``: writes the recovered data to a file that other programs read.

Rows of one table become JSON lines, CSV or Parquet. Messages become the XML of ``artemis data imp``, and
tables become SQL, if the format supports these. Data that such a file cannot hold are counted before the file
is written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

import click

from journalspec.files import replacing, shown
from journalspec.formats import UnknownFormat, format_module, get_format
from journalspec.observation import REFUSED
from journalspec_conformance.cli import places
from journalspec_conformance.cli.contents import MESSAGES, QUEUE, QUEUES, lines_of
from journalspec_conformance.cli.journal_view import STATUSES, reading, unchanging
from journalspec_conformance.cli.rebuild import policy_of
from journalspec_conformance.cli.row_output import hold_queues, write_csv, write_heads, write_parquet
from journalspec_conformance.cli.rows import ContentsRows, Matches, ask_rows, has_arrow, with_contents
from journalspec_conformance.cli.selection import Question
from journalspec_reference import artemis_xml, newstore
from journalspec_reference.answers import Answer
from journalspec_reference.contents import Count, Row, contents
from journalspec_reference.filesets import FilesetError
from journalspec_reference.lossreport import LossReport

JSONL, CSV, PARQUET, XML, SQL = KINDS = ("jsonl", "csv", "parquet", "artemis-xml", "sql")


@dataclass(frozen=True)
class _Wanted:
    """Represents the user's request for the new file."""

    kind: str
    tables: tuple[str, ...]
    queues: tuple[str, ...]
    policy: str | None
    to: Path | None


@click.command(
    "export",
    epilog="Exit status: 0 the store is clean; 1 recovered: something is damaged or missing, and the rest is "
    "in the file; 3 refused, and with --to no file if nothing can be recovered; 2 usage: no such path, table "
    "or queue, or a format that has no such file. Data without a place in the file is listed on standard "
    "error, without effect on the status.",
)
@click.argument("path", type=click.Path(path_type=Path))
@places.options()
@click.option("--as", "kind", required=True, type=click.Choice(sorted(KINDS)), help="What to write.")
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="NAME",
    help="Rows of this table. Default: messages. With --as sql: only this table; may be repeated.",
)
@click.option(
    "--queue", "queues", multiple=True, metavar="NAME", help="Only messages of this queue or topic."
)
@click.option(
    "--policy",
    metavar="POLICY",
    help="The rules for damage, as for `recover`. Default: salvage, or `default` if there is no salvage.",
)
@click.option(
    "--to",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A new file, written atomically. Default: standard output.",
)
def export_command(path: Path, **what: Any) -> None:
    """Write the recovered data of the journal at PATH as a file for other programs.

    PATH is as for `journalspec inspect`. Damaged data is omitted. `recover --to` preserves more data, because
    these files cannot contain some ids, states and times. With --to, FILE.loss-report.md and .json list the
    omissions of a file for a product.
    """
    wanted = _Wanted(**places.taken(what, fields(_Wanted)))
    kind, to = wanted.kind, wanted.to
    if to is not None and to.exists():
        raise places.UsageProblem(f"{shown(str(to))} already exists", "give the name of a new file")
    if kind == PARQUET and (to is None or not has_arrow()):
        raise places.UsageProblem(
            "parquet is written to a file, by Arrow", "give --to FILE, and install pyarrow"
        )
    asked = places.Asked(paths=(path,), **what)
    if asked.redact and kind in (XML, SQL):
        raise click.UsageError("--redact would change the messages and rows: not with --as xml or sql.")
    if len(wanted.tables) > 1 and kind != SQL:
        raise click.UsageError(f"--as {kind} writes one table.")
    found = places.find(asked)
    if wanted.policy is not None:
        places.known_policy(found, wanted.policy)
    with unchanging(found.journals), reading(found.size):
        if to is not None:
            # A product would mistake a new file with a name such as db-2.log for a part of the journal.
            newstore.refuse_target(to, newstore.own_directories(found.journals))
        if wanted.tables and kind == XML:
            raise click.UsageError("--as artemis-xml writes messages: use --queue, not --table.")
        raise SystemExit((_for_a_product if kind in (XML, SQL) else _rows)(found, wanted))


@contextmanager
def _opened(to: Path | None) -> Iterator[IO[bytes]]:
    """Open a new file, or provide standard output."""
    if to is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with replacing(to, "wb") as out:
            yield out


def _rows(found: places.Stores, wanted: _Wanted) -> int:
    """Write the rows of one table; return the exit status."""
    question = Question(contents=next(iter(wanted.tables), MESSAGES), queue=wanted.queues)
    sources, status = ask_rows(found, question, wanted.policy)
    contents_rows = [source for source in sources if isinstance(source, ContentsRows)]
    several = len(contents_rows) > 1
    names = [name for name in contents_rows[0].columns if several or name != "journal"]
    parts = (chunk.columns() for each in contents_rows for chunk in each.chunks(names))
    with _opened(wanted.to) as out:
        if wanted.kind == PARQUET:
            write_parquet(out, parts, contents_rows[0].schema(names))
        else:
            text = TextIOWrapper(out, encoding="utf-8", newline="")
            try:
                if wanted.kind == CSV:
                    write_csv(text, names, parts)
                else:
                    text.writelines(_lines(contents_rows, several=several))
            finally:
                text.detach()
        if not any(source.matched for source in sources):
            if wanted.queues:
                hold_queues(sources, wanted.queues)
            if wanted.to is not None:
                _refuse_nothing(sources, status)
    for line in dict.fromkeys(line for each in contents_rows for line in each.remarks()):
        click.echo(f"note      {line}", err=True)
    write_heads(sources)
    return status


def _refuse_nothing(sources: Sequence[Matches], status: int) -> None:
    """Raise NothingKept if recovery refused a journal, so that there is nothing to write."""
    for seen in (source.seen for source in sources if status == STATUSES[REFUSED]):
        if seen.verdict == REFUSED:
            raise places.NothingKept(
                shown(f"nothing was written: {seen.phase}/{seen.code}: {seen.message}"),
                "`journalspec inspect` lists the damage",
            )


def _lines(sources: Sequence[ContentsRows], *, several: bool) -> Iterator[str]:
    """Yield the rows as lines of JSON, with the path of their journal if there are several."""
    for source in sources:
        source.matched = 0
        rows, path = map(source.tell, source.stored()), shown(source.path)
        for line in lines_of(({"journal": path, **row} for row in rows) if several else rows):
            source.matched += 1
            yield line + "\n"


@dataclass
class _OneFile(newstore.NewStore):
    """Represents a file for a product, with the values that reports need: the bytes of the file, its content,
    and the omissions.
    """

    answer: Answer
    reader: str
    write: Callable[[], Iterable[bytes]]
    counts: Callable[[], Iterable[Count]]
    losses: Callable[[], Iterator[newstore.LossItem]]
    step: str

    def __post_init__(self) -> None:
        super().__init__(self.answer)

    @property
    def product(self) -> str:
        """The product that reads the file."""
        return self.reader

    def carried(self) -> Iterable[Count]:
        """Return the numbers of exported items."""
        return self.counts()

    def left_out(self) -> Iterator[newstore.LossItem]:
        """Return the items that the file cannot hold."""
        return self.losses()

    def steps(self) -> Sequence[str]:
        """Return the advice in the report: how the product reads the file, and how to keep more."""
        return self.step, "`journalspec recover --to` writes a new store, which preserves more data."

    def files(self) -> Iterator[newstore.NewFile]:
        """Yield the file under an empty name, because the caller chooses the name."""
        yield newstore.NewFile("", self.write())


def _for_a_product(found: places.Stores, wanted: _Wanted) -> int:
    """Write a file that a product reads; return the exit status."""
    kind, to = wanted.kind, wanted.to
    every, status = ask_rows(found, Question(), wanted.policy)
    sources = with_contents(every)
    if len(sources) != 1:
        raise places.UsageProblem(f"--as {kind} writes one store", "give the path of one of them")
    answer = sources[0].recovered
    writer = _sql(answer, wanted.tables) if kind == SQL else _xml(answer, wanted.queues)
    if to is not None and not any(each.rows for each in writer.carried()):
        _refuse_nothing(sources, status)
    part = newstore.Part("", policy_of(answer.journal, wanted.policy), answer, writer)
    report = LossReport(str(sources[0].path), str(to or kind), [part])
    source = replace(sources[0], noun="byte")
    with ExitStack() as unfinished:
        if to is not None:
            unfinished.callback(_remove_reports, to)
        _account(report, answer, to)
        with _opened(to) as file:
            for piece in writer.write():
                source.matched += file.write(piece)
        unfinished.pop_all()
    write_heads([source])
    return status


def _account(report: LossReport, answer: Answer, to: Path | None) -> None:
    """Write the reports, and print what the file cannot hold."""
    if to is None:
        with Path(os.devnull).open("w", encoding="utf-8") as out:
            report.write_json(out, ())
    else:
        for path in _reports(to):
            newstore.refuse_other(path)
        as_json, as_page = _reports(to)
        with replacing(as_json) as out:
            report.write_json(out, newstore.digests(newstore.sources([answer.journal])))
        with replacing(as_page) as out:
            report.write_page(out)
    (one,) = report.found
    for (what, code), number in one.left_out.counts.most_common():
        text = shown(one.left_out.texts[what, code])
        noun = "region" if what == newstore.BYTES else what
        click.echo(f"not kept  {places.amount(number, noun)}, {code}: {text}", err=True)
    click.echo("          `recover --to` preserves more data than any such file", err=True)


def _reports(to: Path) -> list[Path]:
    """Return the paths of the reports next to a file; existing reports of this command are replaced."""
    return [to.with_name(f"{to.name}{newstore.REPORT}{ending}") for ending in (".json", ".md")]


def _remove_reports(to: Path) -> None:
    """Remove the reports if the file was not written; other files are not removed."""
    for path in _reports(to):
        with suppress(FilesetError):
            newstore.refuse_other(path)
            path.unlink(missing_ok=True)


def _sql(answer: Answer, tables: Sequence[str]) -> _OneFile:
    """Return the writer of SQL; raises UsageProblem if the format has no SQL, or the table does not exist."""
    found = contents(answer)
    try:
        sql = format_module("journalspec_reference", answer.journal.format, "sql")
    except UnknownFormat:
        raise _no_such_file(answer, SQL) from None
    _known("there is no table", tables, [*(found.tables if found is not None else ())])
    script = sql.Script(found, tables)

    def left_out() -> Iterator[newstore.LossItem]:
        yield from script.losses()
        yield from script.unread()

    how = "Run the script in an empty database; its first lines explain how."
    title = get_format(answer.journal.format).title
    return _OneFile(answer, title, script.parts, script.counts, left_out, how)


def _xml(answer: Answer, wanted: Sequence[str]) -> _OneFile:
    """Return the writer of Artemis' XML for messages; raises UsageProblem if there is none.

    A format whose tables differ from those of Artemis has a module ``xml_rows``, whose functions `messages`
    and `queues` convert the rows.
    """
    found = contents(answer)
    tables = found.tables if found is not None else {}
    try:
        rows = format_module("journalspec_reference", answer.journal.format, "xml_rows")
        messages, queues = partial(rows.messages, answer), partial(rows.queues, answer)
    except UnknownFormat:
        columns = tables[QUEUES].columns if {MESSAGES, QUEUES} <= tables.keys() else ()
        if found is None or not any(each.name == QUEUE for each in columns):
            raise _no_such_file(answer, XML) from None
        messages = getattr(found, "typed_messages", partial(found.rows, MESSAGES))
        queues = partial(found.rows, QUEUES)
    if wanted:
        _known("--queue: there is no queue", wanted, [str(row[QUEUE]) for row in queues()])

    def chosen(rows: Callable[[], Iterable[Row]]) -> Iterator[Row]:
        return (row for row in rows() if not wanted or row[QUEUE] in wanted)

    counts = found.counts if found is not None else tuple
    return _OneFile(
        answer,
        "artemis data imp",
        lambda: artemis_xml.write(chosen(messages), chosen(queues)),
        lambda: (each for each in counts() if not wanted or each.name in wanted),
        lambda: artemis_xml.losses(chosen(messages), chosen(queues)),
        "Let the broker run, and type: artemis data imp --input FILE",
    )


def _known(problem: str, wanted: Sequence[str], names: Sequence[str]) -> None:
    """Raise UsageProblem, with similar names, for the first name that the store does not contain."""
    for name in wanted:
        if name not in names:
            raise places.no_such(problem, name, names, "the nearest names: ")


def _no_such_file(answer: Answer, kind: str) -> places.UsageProblem:
    return places.UsageProblem(
        f"{get_format(answer.journal.format).title}: its content cannot be written as {kind}",
        f"use --as {JSONL}, {CSV} or {PARQUET}",
    )
