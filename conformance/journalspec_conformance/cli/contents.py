"""The contents of a journal in readable form: tables, rows, counts, remarks.

A time is a :class:`Moment`, and nested values are JSON. Under ``--redact`` everything that users stored is
replaced by its type and length, as :mod:`.redaction` does for names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache, partial
from json.encoder import encode_basestring_ascii as quoted
from types import NoneType
from typing import Any

from journalspec.contents import Column, Described, contents_of, described
from journalspec.files import shown
from journalspec.vocabulary import Field
from journalspec_conformance.cli.places import place_text
from journalspec_conformance.cli.redaction import Redactor
from journalspec_reference import contents as reference
from journalspec_reference.answers import Answer, ask
from journalspec_reference.contents import Contents, Row
from journalspec_reference.filesets import Journal

#: The names of two tables of contents and of the column that ``--queue`` compares.
MESSAGES, QUEUE, QUEUES = "messages", "queue", "queues"
#: Options that select rows by a value, and the columns of contents that are compared with it.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "message_id", "key"),
    "tx": ("transaction",),
    "queue": (QUEUE,),
    "time": ("timestamp",),
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: Characters that must not be printed directly.
_ODD = re.compile(r"[^ -~]")


#: The range of a calendar: from the first moment of year 1 to the first moment after year 9999.
FIRST_MOMENT, END_OF_TIME = -62_135_596_800_000, 253_402_300_800_000


class Moment(int):
    """Represents a time in milliseconds since 1970, which is shown as UTC."""

    def __str__(self) -> str:
        """Return the time as ISO 8601, or as its number if it is outside the range of a calendar."""
        seconds, rest = divmod(self, 1000)
        try:
            return f"{_second(seconds)}.{rest:03}Z"
        except OverflowError:
            return int.__repr__(self)


@lru_cache(1024)
def _second(seconds: int) -> str:
    """Return a number of seconds since 1970 as ISO 8601.

    Results are cached, because neighbouring rows have the same times.
    """
    return (_EPOCH + timedelta(seconds=seconds)).isoformat()[:-6]


def nested(value: Any) -> Any:
    """Return a value for JSON: integers as decimal strings, bytes in hex, other numbers as texts."""
    return reference.nested(value, (float, Moment))


def lines_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """For each row, yield a line with the JSON of :func:`nested`, without building its objects first."""
    forms: dict[tuple[type, ...], _Form] = {}
    names: Sequence[str] = ()
    for row in rows:
        if names != (names := tuple(row)):
            forms.clear()
        values = [*row.values()]
        kinds = (*map(type, values),)
        if (form := forms.get(kinds)) is None:
            if len(forms) >= _MOST_FORMS:
                forms.clear()
            form = forms[kinds] = _Form(names, kinds)
        yield form.line(values)


#: The largest number of cached forms. There is one form for each combination of types in a row.
_MOST_FORMS = 256


class _Form:
    """The JSON line of rows whose values have these types: the fixed text, and a function for each value."""

    def __init__(self, names: Sequence[str], kinds: Sequence[type]) -> None:
        # Integers and absent values are written by the form itself.
        forms = {NoneType: "null", int: '"%d"'}
        pairs = zip(names, kinds, strict=True)
        pieces = [f"{quoted(name).replace('%', '%%')}:{forms.get(kind, '%s')}" for name, kind in pairs]
        self._text = "{" + ",".join(pieces) + "}"
        numbered = [(at, kind) for at, kind in enumerate(kinds) if kind is not NoneType]
        self._makes = [(at, _MAKES.get(kind, json_text)) for at, kind in numbered if kind is not int]
        self._there = [at for at, _ in numbered]

    def line(self, values: list[Any]) -> str:
        """Return the line of a row; overwrites `values`."""
        for at, make in self._makes:
            values[at] = make(values[at])
        return self._text % tuple([values[at] for at in self._there])


def json_text(value: Any) -> str:
    """Return the JSON of :func:`nested`, without building its objects first; numbers become texts."""
    kind = type(value)
    if kind is str:
        return quoted(value)
    if kind is int or kind is Moment or kind is float:
        return f'"{value!s}"'
    if kind is bytes:
        return f'"{value.hex()}"'
    if kind is dict:
        return (
            "{" + ",".join([f"{quoted(str(name))}:{json_text(each)}" for name, each in value.items()]) + "}"
        )
    return json.dumps(nested(value), separators=(",", ":"))


@lru_cache(1 << 12)
def _time(value: Moment) -> str:
    return f'"{value!s}"'


#: The JSON text of values of the usual types. Times are cached, because neighbouring rows have the same
#: times.
_MAKES: Mapping[type, Callable[[Any], str]] = {
    str: quoted,
    bool: {True: "true", False: "false"}.__getitem__,
    Moment: _time,
}
_moment = lru_cache(1 << 12)(Moment)


@dataclass
class Holdings:
    """The content of one journal, in a form for display."""

    contents: Contents
    format_id: str
    #: Hides users' data in the output. If it is None, nothing is hidden.
    redactor: Redactor | None = None

    @cached_property
    def _about(self) -> Described:
        return contents_of(self.format_id)

    @property
    def known(self) -> Collection[str]:
        """The tables that every journal of the format has. A user created any other table."""
        return self._about.tables

    @property
    def names(self) -> list[str]:
        """The names of the tables; a redactor removes the names that users chose."""
        return [name for name in self.contents.tables if self.redactor is None or name in self.known]

    def stored_columns(self, table: str) -> dict[str, Field]:
        """Return the columns of a table as they are stored; conditions are evaluated on these."""
        return _fields(self.contents.tables[table].columns)

    def columns(self, table: str) -> dict[str, Field]:
        """Return the columns of a table as they are shown."""
        out = {}
        for each in self.contents.tables[table].columns:
            name = self.name_of(each, table)
            kind = "str" if self.redactor is not None and each.body else each.kind
            out[name] = Field(name, kind, each.doc)
        return out if self.redactor is None else self.redactor.columns(out)

    def columns_of(self, table: str) -> list[str]:
        """Return the stored names of a table's columns; none if the table does not exist."""
        found = self.contents.tables.get(table)
        return [] if found is None else [each.name for each in found.columns]

    def noun(self, table: str) -> str:
        """Return the word for one row of a table."""
        return self.contents.tables[table].noun

    def name_of(self, column: Column, table: str) -> str:
        """Return the name of a column."""
        return column.name if table in self.known else self.hidden(column.name)

    def rows(self, table: str, some: Iterable[Row] | None = None) -> Iterator[dict[str, Any]]:
        """Return the rows of a table, or `some` of them, as stored, but times as :class:`Moment`."""
        times = [each.name for each in self.contents.tables[table].columns if each.kind == "time"]
        return map(partial(_timed, times), self.contents.rows(table) if some is None else some)

    def shown(self, table: str) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
        """Return a function that returns a row of a table for display, redacted with --redact."""
        columns = self.contents.tables[table].columns
        names = tuple(each.name for each in columns)

        def plain(row: Mapping[str, Any]) -> Mapping[str, Any]:
            return row if tuple(row) == names else {name: row[name] for name in names}

        def redacted(row: Mapping[str, Any]) -> Mapping[str, Any]:
            return {self.name_of(each, table): self._value(each, row[each.name]) for each in columns}

        return plain if self.redactor is None else redacted

    def _value(self, column: Column, value: Any) -> Any:
        if value is None or column.plain or self.redactor is None:
            return value
        if isinstance(value, Mapping | list | tuple):
            return f"{column.kind}({len(value)})"
        if not isinstance(value, str | bytes):
            # In a column for texts, a number is also data of the user.
            return column.kind if column.body or column.kind in ("str", "bytes") else value
        return str(self.redactor.text(value, None if column.body else ""))

    def members(self, table: str) -> Iterator[Any]:
        """Yield the rows of a table for JSON: times as milliseconds."""
        for row in map(self.shown(table), self.rows(table)):
            yield nested(
                {name: int(each) if isinstance(each, Moment) else each for name, each in row.items()}
            )

    def queues(self) -> dict[str, str]:
        """Map the name of each queue to its name in the output."""
        rows = self.contents.rows(QUEUES) if QUEUES in self.known else ()
        names = (str(next(iter(row.values()))) for row in rows)
        return {name: self.hidden(name) for name in names}

    def damaged(self) -> frozenset[str]:
        """Return the damaged files next to the journal."""
        kept, codes = self.contents.remarks.kept, self._about.damages
        return frozenset(each.file for each in kept if each.code in codes)

    def remarks(self, *, damages: bool | None = None) -> Iterator[str]:
        """Yield a line for each kind of remark on the rows that were read so far.

        If `damages` is True, only remarks on damage next to the journal are included; if it is False, only
        other remarks.
        """
        meanings = self._about.remarks
        firsts = {each.code: each for each in reversed(self.contents.remarks.kept)}
        for code, number in sorted(self.contents.remarks.counts.items()):
            if damages is not None and damages != (code in self._about.damages):
                continue
            first = firsts.get(code)
            what = f"{code}: {meanings.get(code, code).partition('. ')[0].rstrip('.')}"
            where = place_text(first.file, first.off) if first else ""
            more = f"; the first at {where}" if where and number > 1 else f"; {where}" if where else ""
            yield (f"{number:,} x " if number > 1 else "") + what + more

    def effects(self) -> list[str]:
        """Return how the product reacts to damage next to the journal, one line for each kind."""
        about = self._about
        found: dict[str, str] = {}
        for each in self.contents.remarks.kept:
            if each.code in about.damages:
                # The text may contain names that users chose.
                text = about.remarks[each.code] if self.redactor is not None else shown(each.text)
                found.setdefault(each.code, text)
        return [*found.values()]

    def hidden(self, name: str) -> str:
        """Return a name that a user chose, for display."""
        return name if self.redactor is None else str(self.redactor.text(name))


def _timed(times: Iterable[str], row: Row) -> dict[str, Any]:
    """Return a row with the columns `times` as :class:`Moment`."""
    out: dict[str, Any] = dict(row)
    for name in times:
        if isinstance(value := out[name], int):
            out[name] = _moment(value)
    return out


def stored(answer: Answer, *, redact: bool = False) -> Holdings | None:
    """Return the contents of the journal of `answer`. Return None if its format reports no contents.

    If the answer contains no state, recovery runs first, under the policy that keeps the most data.
    """
    found = reference.contents(reference.with_state(answer))
    redactor = Redactor(answer.journal) if redact else None
    return None if found is None else Holdings(found, answer.journal.format, redactor)


def contents_columns(journal: Journal, *, redact: bool) -> dict[str, dict[str, Field]]:
    """Return the tables of the contents of a journal, and their columns."""
    found = stored(ask(journal), redact=redact)
    return {} if found is None else {name: found.columns(name) for name in found.names}


def described_columns(format_id: str) -> dict[str, dict[str, Field]]:
    """Return the tables that a format has in every journal, and their columns."""
    about = described(format_id)
    tables = about.tables if about is not None else {}
    return {name: _fields(table.columns) for name, table in tables.items()}


def _fields(columns: Iterable[Column]) -> dict[str, Field]:
    return {each.name: Field(each.name, each.kind, each.doc) for each in columns}


def _escaped(found: re.Match[str]) -> str:
    """Return a printable character unchanged, and any other as an ASCII escape of JSON."""
    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]


def as_text(value: Any) -> Any:
    """Return a value for a plain table: nested values as JSON, text without control characters."""
    if isinstance(value, Mapping | list | tuple):
        # Letters outside ASCII are not escaped, because users search the output for names and texts.
        text = json.dumps(nested(value), separators=(",", ":"), ensure_ascii=False)
        return text if text.isprintable() else _ODD.sub(_escaped, text)
    return shown(value) if isinstance(value, str) else value
