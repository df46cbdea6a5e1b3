"""Options that select rows, and their conversion to conditions on columns."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import click

from journalspec.contents import described
from journalspec.files import shown
from journalspec.formats import Format, get_format
from journalspec.vocabulary import Field
from journalspec_conformance.cli._options import Command, apply
from journalspec_conformance.cli.places import UsageProblem
from journalspec_reference.predicates import COMPARED, IN, LIKE, Predicate
from journalspec_reference.xids import spelled

#: The columns that every row has before those of the format, each with its type and meaning.
COMMON = {
    "journal": ("str", "the path of the journal"),
    "file": ("str", "the file of the record, within the journal"),
    "off": ("int", "offset of the record in the file, in bytes"),
    "len": ("int", "length of the record, in bytes"),
    "type": ("str", "type of the record"),
}
#: The kinds of columns, with their names in messages.
WORDS = {"int": "integer", "bytes": "bytes", "str": "text", "bool": "boolean", "list": "list"} | {
    "float": "number",
    "time": "time",
    "object": "object",
}
#: The value of --contents that means records instead of contents.
RECORDS = "records"
#: Number of bits of integers in columns.
BITS = 64


def questions() -> Callable[[Command], Command]:
    """Return the options that select rows instead of the whole journal: the fields of :class:`Question`."""
    return apply(
        *(
            click.option(
                *names, multiple=True, metavar=metavar, help=f"Only records {what}. May be repeated."
            )
            for names, metavar, what in _FILTERS
        ),
        *(click.option(*names, metavar=metavar, help=what) for names, metavar, what in _TEXTS),
        click.option("--limit", type=click.IntRange(0, sys.maxsize), metavar="N", help="At most N rows."),
        click.option(
            "--contents",
            metavar="TABLE",
            help="Rows of this table, such as messages. With records, --queue selects those of a queue.",
        ),
        click.option(
            "--follow", is_flag=True, help="Rows that a running product writes from now on, until Ctrl-C."
        ),
        click.option(
            "--csv",
            "as_csv",
            is_flag=True,
            help="Rows as CSV; the lines above the table go to standard error.",
        ),
        click.option(
            "--parquet", type=click.Path(path_type=Path), metavar="FILE", help="Rows as Parquet, a new file."
        ),
    )


_FILTERS = (
    (("--type", "types"), "T", "of this type"),
    (("--id", "ids"), "ID", "with this id"),
    (("--tx",), "X", "of this transaction"),
    (("--queue", "--destination", "queue"), "NAME", "of this queue or topic: its messages"),
    (("--table",), "NAME", "of this table (its rows), or of the container with this number"),
    (("--file", "files"), "NAME", "in this file; * and ? are wild"),
)
_TEXTS = (
    (("--from", "start"), "AT", "Only records at or after this offset, or time (ISO 8601)."),
    (("--until", "stop"), "AT", "Only records before this offset, or time."),
    (
        ("--where",),
        "EXPR",
        "Only records that meet all conditions, as in \"id >= 7 and type in ('ADD', 'UPDATE')\": =, <>,"
        " <, <=, >, >=, in, like. Bytes are in hexadecimal. `journalspec columns` lists the columns.",
    ),
    (("--count-by",), "COLUMN[,COLUMN]", "The number of records for each value of this column."),
)


@dataclass(frozen=True)
class Question:
    """Represents the values of the options that select rows."""

    types: Sequence[str] = ()
    ids: Sequence[str] = ()
    tx: Sequence[str] = ()
    queue: Sequence[str] = ()
    table: Sequence[str] = ()
    files: Sequence[str] = ()
    start: str | None = None
    stop: str | None = None
    where: str | None = None
    limit: int | None = None
    count_by: str | None = None
    follow: bool = False
    contents: str | None = None
    as_csv: bool = False
    parquet: Path | None = None

    def of_contents(self, description: Format) -> bool:
        """Return whether contents are requested: by --contents, or by a queue or table alone."""
        if self.contents is not None:
            return self.contents != RECORDS
        about = described(description.id)
        if about is None or self.types or self.follow:
            return False
        by_name = any(not each.isdigit() for each in self.table) and "messages" not in about.tables
        return by_name or bool(self.queue and "messages" in about.tables)

    def predicates(self, columns: ColumnSet) -> list[Predicate]:
        """Return the conditions on columns; raises UsageProblem for an unknown column."""
        known = columns.known
        out = [*parsed(self.where, columns)] if self.where is not None else []
        if self.types:
            if columns.types is None:
                raise UsageProblem("--type: only records have a type", "add --contents records")
            types = [_type(columns.what, columns.types, each) for each in self.types]
            out.append(Predicate("type", IN, tuple(types)))
        for option, what, texts in (
            ("--id", "id", self.ids),
            ("--tx", "tx", self.tx),
            ("--queue", "queue", self.queue),
            ("--table", "table", self.table),
        ):
            if texts:
                names = [name for name in columns.options.get(what, ()) if name in known]
                if not names:
                    raise UsageProblem(
                        f"the rows of {columns.what} have no column for {option} yet", _listed(known)
                    )
                out.append(_either(option, texts, [known[name] for name in names], names))
        for option, op, text in (("--from", ">=", self.start), ("--until", "<", self.stop)):
            if text is not None:
                out.append(_bound(option, op, text, columns))
        return out

    @property
    def counted_names(self) -> list[str]:
        """The columns to count by."""
        return [name.strip() for name in (self.count_by or "").split(",") if name.strip()]

    def counted(self, columns: ColumnSet) -> None:
        """Raise UsageProblem for an unknown column to count by."""
        names = self.counted_names
        if self.count_by is not None and not names:
            raise UsageProblem("--count-by: no column is given", _listed(columns.known))
        for name in names:
            _known(name, columns)


@dataclass(frozen=True)
class ColumnSet:
    """The columns of rows. `options` lists the columns that each option compares; `what` describes the rows.

    `types` contains the types of records, or is None for other rows.
    """

    what: str
    known: Mapping[str, Field]
    options: Mapping[str, Sequence[str]]
    types: Collection[str] | None = None


def record_columns(description: Format) -> ColumnSet:
    """Return the columns of the records of a format."""
    types = description.vocabulary.record_types
    return ColumnSet(description.id, columns_of(description), description.columns, types)


def columns_of(description: Format) -> Mapping[str, Field]:
    """Return the columns of a format's records by name; an object's name prefixes its members."""
    return _columns(description.id)


@cache
def _columns(format_id: str) -> dict[str, Field]:
    description = get_format(format_id)
    common = {name: Field(name, kind, doc) for name, (kind, doc) in COMMON.items()}
    return common | dict(_flat(description.vocabulary.fields, "", description.columns.get("without", ())))


def _flat(members: Sequence[Field], owner: str, without: Sequence[str]) -> Iterator[tuple[str, Field]]:
    seen = set()
    for each in members:
        name = f"{owner}{each.name}"
        # The field table may describe a field more than once, because an edition may differ.
        if name in seen or name in without or (each.kind == "list" and each.of):
            continue
        if each.kind == "object":
            yield from _flat(each.of, f"{name}_", without)
        else:
            seen.add(name)
            yield name, each


def _listed(known: Mapping[str, Field]) -> str:
    return f"columns: {', '.join(known)}"


def _known(name: str, columns: ColumnSet) -> Field:
    if name not in columns.known:
        raise UsageProblem(f"{columns.what} has no column {shown(name)!r}", _listed(columns.known))
    return columns.known[name]


def _type(what: str, known: Collection[str], text: str) -> str:
    name = text if text in known else text.upper()
    if name not in known:
        near = get_close_matches(name, known) or known
        raise UsageProblem(
            f"--type: {what} has no records of type {shown(text)!r}", f"types: {', '.join(near)}"
        )
    return name


def _either(option: str, texts: Sequence[str], columns: Sequence[Field], names: Sequence[str]) -> Predicate:
    """Return the condition that the first column whose type fits all of `texts` has one of these values."""
    found: list[tuple[Any, ...]]
    for column, name in zip(columns, names, strict=True):
        # The id of a transaction may have any spelling that products write to their logs.
        if option == "--tx" and column.kind == "bytes":
            found = [spelled(text) for text in texts]
        else:
            found = [(value,) for text in texts if (value := _value(column.kind, text)) is not None]
        if len(found) == len(texts) and all(found):
            return Predicate(name, IN, tuple(chain.from_iterable(found)))
    kinds = " or ".join(WORDS[column.kind] for column in columns)
    raise UsageProblem(
        f"{option}: {shown(', '.join(texts))}: {' or '.join(names)} holds {kinds}", "bytes are in hexadecimal"
    )


def _value(kind: str, text: str) -> Any:
    """Return a text as a value of a kind of column, or None if it is not such a value."""
    try:
        if kind == "int":
            value = int(text, 0)
            return value if abs(value) < 1 << (BITS - 1) else None
        if kind == "float":
            return float(text)
        if kind == "time":
            return _time("a time", text)
        return bytes.fromhex(text) if kind == "bytes" else _encodable(text)
    except ValueError:
        return None


def _encodable(text: str) -> str:
    """Return a text in the form that columns use: bytes that are not UTF-8 are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def _bound(option: str, op: str, text: str, columns: ColumnSet) -> Predicate:
    if (offset := _value("int", text)) is not None:
        return Predicate("off", op, offset)
    at = _time(option, text)
    if not (names := [name for name in columns.options.get("time", ()) if name in columns.known]):
        raise UsageProblem(f"{option}: the records of {columns.what} have no time", "give an offset")
    return Predicate(names[0], op, at)


def _time(option: str, text: str) -> int:
    """Return a time as milliseconds since 1970."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise UsageProblem(
            f"{option}: {shown(text)!r} is neither an offset nor a time", "2026-11-28T04:38"
        ) from None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return round(at.timestamp() * 1000)


_TOKENS = re.compile(
    r"\s*(?:(?P<word>[A-Za-z_]\w*)|(?P<number>-?\d\w*)|'(?P<text>(?:[^']|'')*)'|(?P<sign><>|!=|<=|>=|[=<>(),]))"
)


def parsed(where: str, columns: ColumnSet) -> Iterator[Predicate]:
    """Yield the conditions of an expression for ``--where``; raises UsageProblem on a syntax error."""
    where = _encodable(where).rstrip()
    tokens, at = [], 0
    while at < len(where):
        found = _TOKENS.match(where, at)
        if found is None:
            raise _unread(where, f"cannot be read from {where[at:].strip()!r} on")
        kind = found.lastgroup or ""
        tokens.append((kind, found[kind].replace("''", "'") if kind == "text" else found[kind]))
        at = found.end()
    tokens.reverse()

    def take(*wanted: str) -> str:
        kind, text = tokens.pop() if tokens else ("end", "the end")
        if kind not in wanted and text.lower() not in wanted:
            raise _unread(where, f"has {text!r} where {' or '.join(wanted)} is expected")
        return text

    def literal(column: Field, op: str) -> Any:
        text = take("number", "text", "true", "false")
        if op == LIKE:
            return text
        value = text.lower() == "true" if column.kind == "bool" else _value(column.kind, text)
        if value is None or (column.kind == "bool" and text.lower() not in ("true", "false")):
            raise _unread(where, f"compares {column.name}, which holds {WORDS[column.kind]}, with {text!r}")
        return value

    while True:
        name = take("word")
        column = _known(name, columns)
        op = take(*COMPARED, "!=", IN, LIKE).lower().replace("!=", "<>")
        if op == IN:
            take("(")
            values = [literal(column, op)]
            while take(",", ")") == ",":
                values.append(literal(column, op))
            yield Predicate(name, op, tuple(values))
        else:
            yield Predicate(name, op, literal(column, op))
        if not tokens:
            return
        take("and")


def _unread(where: str, why: str) -> UsageProblem:
    return UsageProblem(
        f"--where {shown(where)!r} {shown(why)}", "such as: id >= 7 and type in ('ADD', 'UPDATE')"
    )
