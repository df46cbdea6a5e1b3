"""``journalspec query`` and ``journalspec columns``: SQL over the rows of journals, by DuckDB in memory.

DuckDB receives only the reader's rows, as streams of record batches. It has no access to files, the network,
extensions or other configuration. A query cannot write.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import psutil

from journalspec.files import shown
from journalspec.formats import Format, UnknownFormat, get_format
from journalspec.observation import CLEAN
from journalspec.reread import LISTS
from journalspec.vocabulary import Field
from journalspec_conformance.bounds import plain_number
from journalspec_conformance.cli import rows
from journalspec_conformance.cli._options import FILE, seconds
from journalspec_conformance.cli._tables import show_table
from journalspec_conformance.cli.contents import as_text, contents_columns, described_columns
from journalspec_conformance.cli.facts import damage
from journalspec_conformance.cli.journal_view import EXIT_STATUS, Painter, unchanging
from journalspec_conformance.cli.places import Asked, UsageProblem, find, options
from journalspec_conformance.cli.row_output import Output, rows_of, write_more, write_table
from journalspec_conformance.cli.selection import WORDS, Question, columns_of
from journalspec_reference.predicates import text_of

if TYPE_CHECKING:
    import pyarrow as pa

#: The number of rows that are printed on a terminal.
MOST_ROWS = 40
BATCH_ROWS = 8192
#: The number of bytes that the process may allocate above DuckDB's own limit, which does not cover single
#: large values.
BEYOND = 512 << 20
#: The largest value of --max-memory (MiB), and the seconds in which an interrupted query must end.
MOST_MEMORY, GRACE = 1 << 30, 5
CONFIG = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "temp_directory": "",
}
#: Columns of the tables that all formats have, besides records.
TABLES = {
    "files": (
        ("file", "str", "a file of the journal"),
        ("length", "int", "its length, in bytes"),
        ("role", "str", "role of the file; it decides whether its records belong to the log"),
    ),
    "lost": (
        ("file", "str", "the file with a region without a record"),
        ("off", "int", "offset of the region, in bytes"),
        ("length", "int", "its length, in bytes"),
        ("reason", "str", "why it holds none"),
    ),
    "missing": (
        ("code", "str", "the kind of the missing item"),
        ("name", "str", "which one"),
        ("file", "str", "the file that proves it"),
        ("off", "int", "where the proof is"),
        ("count", "int", "the number of affected messages, records or rows"),
        ("text", "str", "more about it"),
    ),
}
#: For each format, the list of its state that contains the transactions without an end.
IN_DOUBT = ("in_doubt", "prepared")


def tables_of(description: Format) -> dict[str, dict[str, Field]]:
    """Return the tables of a format and their columns: records, common tables, lists of its state, contents.

    ``transactions`` is the list of transactions without an end. A list within an entry is replaced by its
    length. A table of contents replaces the list with the same name.
    """
    out = {"records": dict(columns_of(description))}
    for table, columns in TABLES.items():
        out[table] = {name: Field(name, kind, doc) for name, kind, doc in columns}
    for each in description.vocabulary.state:
        if each.of:
            members = {
                part.name: replace(part, kind="int" if part.of else "str") if part.kind == "list" else part
                for part in each.of
                if part.kind != "object"
            }
            out["transactions" if each.name in IN_DOUBT else each.name] = members
    out |= described_columns(description.id)
    journal = columns_of(description)["journal"]
    return {table: {"journal": journal, **columns} for table, columns in out.items()}


@dataclass(frozen=True)
class _Table:
    """A table whose rows are read whenever DuckDB scans it, and not before."""

    sources: Sequence[rows.Matches]

    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        import pyarrow as pa  # noqa: PLC0415  # an optional package

        names = [*self.sources[0].columns]
        batches = (each for one in self.sources for each in one.record_batches(names))
        return pa.RecordBatchReader.from_batches(self._schema, batches).__arrow_c_stream__(requested_schema)

    @property
    def _schema(self) -> pa.Schema:
        return self.sources[0].schema([*self.sources[0].columns])


def _tables(sources: Sequence[rows.Matches]) -> dict[str, _Table]:
    """Return the tables of journals of one format; tables of contents replace lists with the same name."""
    found: dict[str, list[rows.Matches]] = {"records": [*sources]}
    own = {id(one) for one in rows.with_contents(sources)}
    for source in sources:
        contents = rows.contents_tables(source) if id(source) in own else {}
        for name, table in (_own_tables(source) | contents).items():
            found.setdefault(name, []).append(table)
    # Two databases may contain tables with the same name and different columns. Only tables with the columns
    # of the first table are used.
    return {
        name: _Table([one for one in tables if _kinds(one) == _kinds(tables[0])])
        for name, tables in found.items()
    }


def _kinds(source: rows.Matches) -> list[tuple[str, str]]:
    return [(name, each.kind) for name, each in source.columns.items()]


def _own_tables(source: rows.Matches) -> dict[str, rows.ContentsRows]:
    """Return the tables that every format has, and the lists of the state as tables."""

    def table(name: str, columns: Mapping[str, Field]) -> rows.ContentsRows:
        known = source.redactor.columns(columns)
        del known["journal"]
        return rows.ContentsRows(
            source.place,
            source.answer,
            table=name,
            known=known,
            entries=lambda: () if name in contents else _entries(source, name),
            tell=lambda row: {column: as_text(row.get(column)) for column in known},
        )

    # For a journal that reports no contents, these tables are empty.
    contents, tables = described_columns(source.description.id), tables_of(source.description)
    del tables["records"]
    return {name: table(name, columns) for name, columns in tables.items()}


def _entries(source: rows.Matches, table: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table other than records."""
    seen, columns = source.seen, tables_of(source.description)[table]
    own = {"files": seen.files, "lost": seen.dropped, "missing": seen.missing}
    for each in own.get(table, ()):
        members = {name: getattr(each, name) for name, _, _ in TABLES[table]}
        yield {name: value for name, value in members.items() if value != ""}
    lists = IN_DOUBT if table == "transactions" else () if table in own else (table,)
    for entry in (entry for name in lists for entry in source.state.get(name, ())):
        yield {name: _plain(columns[name], value) for name, value in entry.items() if name in columns}


def _plain(column: Field, value: Any) -> Any:
    """Return a value for a table: a list of objects becomes its length, any other list a text."""
    if isinstance(value, memoryview | bytearray):
        return bytes(value)
    if isinstance(value, LISTS):
        return len(value) if column.of else text_of([*value])
    return value


@click.command("query", epilog=EXIT_STATUS)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.argument("sql", metavar="'SELECT ...'")
@options()
@click.option("--ndjson", "as_ndjson", is_flag=True, help="Rows as lines of JSON.")
@click.option("--parquet", type=FILE, metavar="FILE", help="Rows as Parquet, in a new file.")
@click.option(
    "--timeout",
    type=plain_number,
    callback=seconds,
    default="600",
    show_default=True,
    metavar="S",
    help="Give up after so many seconds.",
)
@click.option(
    "--max-memory",
    type=click.IntRange(32, MOST_MEMORY),
    default=1024,
    show_default=True,
    metavar="MIB",
    help="The memory limit of the query. It never uses the disk instead.",
)
def query_command(
    sql: str, as_ndjson: bool, parquet: Path | None, timeout: float, max_memory: int, **what: Any
) -> None:
    """Answer a question in SQL about the journals at PATH.

    The tables are records, files, lost (regions without a record), missing, transactions (those without
    an end), and the other lists of the format's state. `journalspec columns PATH` lists all tables. On a
    terminal, the command prints the first 40 rows; otherwise, it prints all rows as CSV. The command needs
    DuckDB (the extra `query`), which can access neither files nor the network. PATH is only read.
    """
    if find_spec("duckdb") is None:
        raise UsageProblem(
            "query needs DuckDB, which is not installed",
            "pip install 'journalspec[query]'; without it: journalspec inspect --count-by, --where, --ndjson",
        )
    on_terminal = sys.stdout.isatty()
    output = Output(as_ndjson, not (on_terminal or as_ndjson or parquet), parquet)
    found = find(Asked(**what))
    with unchanging(found.journals):
        sources, status = rows.ask_rows(found, Question())
        for source in sources:
            seen = source.seen
            if seen.verdict != CLEAN:
                hint = source.asked.whole.again("inspect")
                click.echo(f"journalspec: {seen.verdict}: {damage(source)}; see `{hint}`", err=True)
        with _answered(sql, sources, timeout, max_memory) as reader:
            names = _unique(reader.schema.names)
            parts = (dict(zip(names, map(_values, batch.columns, names), strict=True)) for batch in reader)
            if output.streamed:
                output.write(names, parts, lambda: _renamed(reader.schema, names))
            else:
                _print(names, parts, output)
    raise SystemExit(status)


def _print(names: Sequence[str], parts: Iterable[rows.Columns], output: Output) -> None:
    output.limit = MOST_ROWS
    printed = [*rows_of(names, output.limited(parts))]
    out = Painter()
    write_table(out, printed)
    write_more(out, output.total - len(printed), "in a pipe all, or --ndjson, --parquet FILE")


def _values(column: pa.Array, name: str) -> list[Any]:
    """Return the values of a column; UsageProblem for a value that Python lacks, such as the year 290000."""
    try:
        found: list[Any] = column.to_pylist()
    except (OverflowError, ValueError, NotImplementedError) as error:
        text = f"a value of the column {shown(name)!r} cannot be written: {shown(str(error))}"
        raise UsageProblem(text, "make it a text: CAST(... AS VARCHAR)") from None
    return found


def _unique(names: Sequence[str], same: Callable[[str], str] = str) -> list[str]:
    """Return unique names of columns or tables, of which several may have the same name.

    Two names are the same if `same` returns equal texts for them; a number is appended to the second name.
    """
    out: dict[str, str] = {}
    given = {same(name) for name in names}
    for at, name in enumerate(names):
        once = name
        while same(once) in out or (once != name and same(once) in given):
            once = f"{once}_{at}"
        out[same(once)] = once
    return [*out.values()]


def _renamed(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415  # an optional package

    return pa.schema(list(zip(names, schema.types, strict=True)))


@contextmanager
def _answered(
    sql: str, sources: Sequence[rows.Matches], timeout: float, max_memory: int
) -> Iterator[pa.RecordBatchReader]:
    """Provide the result of a query as a stream; raises UsageProblem if DuckDB rejects the query."""
    import duckdb  # noqa: PLC0415  # an optional package
    import pyarrow as pa  # noqa: PLC0415  # an optional package

    # Use the system's allocator: Arrow's own allocators keep freed memory, which a streaming query does not
    # reuse.
    pa.set_memory_pool(pa.system_memory_pool())
    tables = _tables(sources)
    config: dict[str, str | bool | int | float | list[str]] = {**CONFIG}
    # One thread is enough, because most of the time is spent on reading journals, which happens in one thread
    # anyway.
    config |= {"memory_limit": f"{max_memory}MiB", "threads": 1}
    with (
        _memory_bound((max_memory << 20) + BEYOND),
        _no_scanner(),
        duckdb.connect(":memory:", config=config) as base,
    ):
        for name, once in zip(tables, _unique([*tables], str.casefold), strict=True):
            base.register(once, tables[name])
        base.execute("SET python_enable_replacements = false")
        # In a notebook or a program without a file, DuckDB prints its progress between the rows.
        base.execute("SET enable_progress_bar = false")
        base.execute("SET lock_configuration = true")
        overdue, ended, close = threading.Event(), threading.Event(), click.get_current_context().close

        def end() -> None:
            overdue.set()
            base.interrupt()
            # Some SQL functions cannot be interrupted during a call.
            if not ended.wait(GRACE):
                click.echo(f"journalspec: it took longer than {timeout:g} s, and did not end", err=True)
                close()
                os._exit(UsageProblem.exit_code)

        timer = threading.Timer(timeout, end)
        timer.daemon = True
        timer.start()
        try:
            statements = base.extract_statements(sql)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise UsageProblem("query takes one SELECT, and nothing else", "it only reads")
            yield base.execute(statements[0]).to_arrow_reader(BATCH_ROWS)
        except duckdb.InterruptException:
            if not overdue.is_set():
                raise KeyboardInterrupt from None
            raise UsageProblem(
                f"it took longer than {timeout:g} s", "query less, or raise --timeout"
            ) from None
        except (duckdb.OutOfMemoryException, MemoryError):
            raise UsageProblem(
                f"it needs over {max_memory} MiB", "query less, or raise --max-memory"
            ) from None
        except duckdb.Error as error:
            names = ", ".join(_unique([*map(shown, tables)], str.casefold))
            hint = f"tables: {names}; their columns: journalspec columns {sources[0].path}"
            raise UsageProblem(shown(str(error).splitlines()[0]), hint) from None
        finally:
            ended.set()
            timer.cancel()


@contextmanager
def _no_scanner() -> Iterator[None]:
    """Hide pyarrow.dataset from DuckDB, which then reads the streams of the tables in its own thread.

    DuckDB reads through the scanner of pyarrow.dataset if that can be imported, and the scanner uses Arrow's
    threads. With these threads, one in four queries that read several tables at once never ended.
    """
    name = "pyarrow.dataset"
    loaded = sys.modules.get(name)
    # An entry None in sys.modules makes an import fail, as documented.
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
        if loaded is not None:
            sys.modules[name] = loaded


@contextmanager
def _memory_bound(size: int) -> Iterator[None]:
    """Limit the address space of this process to `size` bytes more than now, if the system supports that."""
    try:
        import resource  # noqa: PLC0415  # not on every system
    except ImportError:
        yield  # In this case, DuckDB's own limit is the only bound.
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    wanted = psutil.Process().memory_info().vms + size
    if before[1] != resource.RLIM_INFINITY:
        wanted = min(wanted, before[1])
    resource.setrlimit(resource.RLIMIT_AS, (wanted, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@click.command(
    "columns", epilog="Exit status: 0 listed; 2 usage: no such path, no journal at the path, no such format."
)
@click.argument("paths", metavar="[PATH...]", nargs=-1, type=click.Path(path_type=Path))
@options()
def columns_command(**what: Any) -> None:
    """List the columns of the journals at PATH, or of a format: name, type and meaning.

    `journalspec inspect --where` and --count-by take the columns of records. `journalspec query` has all
    listed tables.
    """
    asked = Asked(**what)
    if not asked.paths and not asked.format_id:
        raise UsageProblem("columns of what?", "give a PATH, or --format F")
    places = [] if asked.format_id else find(asked).places
    names = [asked.format_id or "", *(each.format for place in places for each in place.journals)]
    for name in dict.fromkeys(filter(None, names)):
        try:
            tables = tables_of(get_format(name))
        except UnknownFormat as error:
            raise UsageProblem(str(error)) from None
        for place in places:
            for journal in place.journals if name == place.journals[0].format else ():
                for table, columns in contents_columns(journal, redact=asked.redact).items():
                    tables[table] = {"journal": tables["records"]["journal"], **columns}
        listed = [
            [table, column, WORDS[each.kind], " ".join(each.doc.split())]
            for table, columns in tables.items()
            for column, each in columns.items()
        ]
        show_table(["table", "column", "type", "meaning"], listed, title=name)
