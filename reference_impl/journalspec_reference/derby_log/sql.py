"""The tables of a database as SQL for Derby's ``ij``: statements that create and fill them.

Names are quoted. A text of the catalogue (a default, a check, a view) is used only if it cannot end its
statement. Therefore no content of a database becomes a separate statement. Every run writes the statements in
the same order.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, time
from functools import cached_property
from typing import Any

from journalspec_reference.contents import Count
from journalspec_reference.derby_log.contents import DerbyContents
from journalspec_reference.derby_log.contents.catalog import ODD, SqlTable, by_heap
from journalspec_reference.derby_log.contents.values import Typed, described, integer, text, utf
from journalspec_reference.newstore import LossItem, parts

#: The command that runs a script.
RUN = "java -Dderby.ui.codeset=UTF-8 -Dij.database='jdbc:derby:NEW;create=true' org.apache.derby.tools.ij"
#: The longest literals that Derby accepts (letters, bytes). Longer values are concatenated from several
#: literals.
_LETTERS, _BYTES = 20_000, 8000
#: The maximum number of bytes of long values in one statement, because Java limits a statement's compiled
#: code to 64 KiB.
_LONGEST = 7 << 20
#: Format ids: a default, the description of an index, the map in it, and a number and a text in this map.
_DEFAULT, _INDEX, _MAP, _INT, _TEXT = 326, 387, 313, 303, 1
_BY_DEFAULT, _GENERATED = 1, 2
_XML, _USER, _NUMERIC = 457, 264, 198
#: The ids of DATE, TIME and TIMESTAMP.
_MOMENTS = (32, 33, 34)
#: Maps a type id to its SQL name. `{}` stands for the length of the type.
_NAMES = {
    16: "BOOLEAN", 17: "CHAR({})", 18: "DOUBLE", 19: "INTEGER", 20: "REAL", 22: "SMALLINT", 23: "BIGINT",
    25: "VARCHAR({})", 28: "CHAR({}) FOR BIT DATA", 30: "VARCHAR({}) FOR BIT DATA", 32: "DATE", 33: "TIME",
    34: "TIMESTAMP", 196: "SMALLINT", 231: "LONG VARCHAR", 233: "LONG VARCHAR FOR BIT DATA",
    _USER: "BLOB(2147483647)", 442: "BLOB({})", 446: "CLOB({})", _XML: "XML",
}  # fmt: skip
#: The lengths to declare for types that are known only from a heap, where no length is stored.
_WIDEST = {17: 32672, 28: 32672, 25: 32672, 30: 32672, 442: 2147483647, 446: 2147483647}
_RULES = {"C": "CASCADE", "U": "SET NULL", "R": "NO ACTION", "S": "RESTRICT"}
#: The prefixes of the names of the product's own schemas.
_SYSTEM = ("SYS", "NULLID", "SQLJ")
#: The tables of the catalogue whose objects the script omits. Each is mapped to the column with an object's
#: name, and to the kind of object.
_UNTOLD = {
    "SYSTRIGGERS": ("TRIGGERNAME", "trigger"), "SYSALIASES": ("ALIAS", "routine, synonym or type"),
    "SYSROLES": ("ROLEID", "role"), "SYSTABLEPERMS": ("GRANTEE", "privilege on a table"),
    "SYSCOLPERMS": ("GRANTEE", "privilege on columns"), "SYSPERMS": ("GRANTEE", "privilege"),
    "SYSFILES": ("FILENAME", "jar file"), "SYSUSERS": ("USERNAME", "user"),
}  # fmt: skip
#: The tables of the catalogue that the script needs.
_NEEDED = {
    "SYSSCHEMAS", "SYSTABLES", "SYSCOLUMNS", "SYSCONGLOMERATES", "SYSCONSTRAINTS", "SYSKEYS",
    "SYSFOREIGNKEYS", "SYSCHECKS", "SYSVIEWS", "SYSDEPENDS", "SYSTRIGGERS", "SYSALIASES",
}  # fmt: skip
_VIEW = re.compile(r"\s*create\s+view\s", re.IGNORECASE)
#: Quoted text, and comments. An unclosed comment matches the rest of the text, so that the search stays
#: linear.
_QUOTED = re.compile(r"""'[^']*'|"[^"]*"|--[^\n]*\n|/\*.*?\*/|(?:--|/\*).*""", re.DOTALL)
Raw = Mapping[str, Any]


@dataclass(slots=True)
class _Table:
    """Represents a table in the script, with its columns in order.

    `known` contains the SYSCOLUMNS row of each column.
    """

    table: SqlTable
    ident: str = ""
    known: dict[str, Raw] = field(default_factory=dict)


class Script:
    """The script of a database, or of some of its tables."""

    def __init__(self, found: DerbyContents, tables: Sequence[str] = ()) -> None:
        self._found = found
        self._losses: dict[tuple[str, str, str, str], LossItem] = {}
        #: Maps the title of a table to the numbers of the columns without a value in some row.
        self._nulls: dict[str, set[int]] = {}
        self._counts: list[Count] | None = None
        self._part = bool(tables)
        #: Tables are found by their names without schema, so that the catalogue is usable even if the names
        #: of schemas are lost.
        self._system = {table.name: table for table in found.sql.values() if table.kind == "system"}
        self._schemas = {_text(row["SCHEMAID"]): _text(row["SCHEMANAME"]) for row in self._raw("SYSSCHEMAS")}
        listed = {
            (_text(row["SCHEMAID"]), _text(row["TABLENAME"])): _text(row["TABLEID"])
            for row in self._raw("SYSTABLES")
        }
        idents = {
            (self._schemas.get(schema, schema), name): ident for (schema, name), ident in listed.items()
        }
        columns: dict[str, dict[str, Raw]] = {}
        for row in self._raw("SYSCOLUMNS"):
            columns.setdefault(_text(row["REFERENCEID"]), {})[_text(row["COLUMNNAME"])] = row
        self._tables: dict[str, _Table] = {}
        for title, table in found.sql.items():
            if table.kind != "system" and (not tables or title in tables):
                ident = idents.get((table.schema, table.name), "")
                bare = None if table.columns else by_heap(found.state, table.container)
                if bare is not None:
                    table = replace(table, columns=bare.columns)  # noqa: PLW2901  # the names are lost
                    self._lose("table", "", title, "the catalogue does not have the names of its columns")
                self._tables[title] = _Table(table, ident, columns.get(ident, {}))
        self._by_ident = {each.ident: each for each in self._tables.values() if each.ident}

    def _raw(self, name: str) -> Iterator[Raw]:
        """Yield each row of a catalogue table as a map from column to stored field."""
        table = self._system.get(name)
        if table is None and name in _NEEDED:
            self._lose("catalogue", name, "", "the catalogue does not have it: the script lacks its content")
        names = [column for column, _ in table.columns] if table is not None else []
        for _, values in self._found.fields(table) if table is not None else ():
            yield defaultdict(lambda: None, zip(names, values, strict=True))

    def _lose(self, what: str, name: str, table: str, why: str) -> None:
        # Each loss is listed only once, although the script can be generated several times.
        item = LossItem(what, "not-in-sql", why, name, table)
        self._losses.setdefault((what, name, table, why), item)

    # The script, and the data that it lacks.

    def parts(self) -> Iterator[bytes]:
        """Return the script in UTF-8. Each call yields the same bytes."""
        return parts(statement.encode("utf-8", "replace") for statement in self._statements())

    def losses(self) -> Iterator[LossItem]:
        """Yield missing parts of the script's tables, and rows and values that could not be read."""
        self.counts()
        yield from self._losses.values()
        for remark in self._found.remarks.kept:
            if remark.code in ("bad-row", "bad-value", "long-value"):
                yield LossItem(
                    "row", remark.code, remark.text, remark.key, remark.table, remark.file, remark.off
                )

    def unread(self) -> Iterator[LossItem]:
        """Yield unreadable pages of the script's tables, and branches in doubt. The script lacks their rows.

        A new store lists these items itself, with all other reasons that keep Derby from starting.
        """
        state = self._found.state
        titles = {each.table.container: title for title, each in self._tables.items()}
        for container, fault in state.faults():
            if container in titles:
                heap = state.heap(container)
                file = heap.name if heap is not None else f"seg0/c{container:x}.dat"
                text = f"{fault.text}: its rows are not in the file"
                yield LossItem("page", fault.code, text, queue=titles[container], file=file, off=fault.off)
        for number in state.store.branches() if state.store is not None else ():
            text = "in doubt: its changes are not in the script"
            yield LossItem("transaction", "in-doubt", text, str(number))

    def counts(self) -> list[Count]:
        """Return the number of rows of each table, and their size in the script."""
        if self._counts is None:
            # Generate the complete script once, because only then are all losses known.
            for _ in self._made():
                pass
            self._counts = []
            for title, table in self._tables.items():
                sizes = [len(row) for row in self._rows(table)]
                self._counts.append(Count(title, title, len(sizes), sum(sizes)))
        return self._counts

    def _statements(self) -> Iterator[str]:
        yield "-- Tables of a Derby database, for ij, in an empty database.\n"
        yield f"-- {RUN} FILE\n"
        yield "AUTOCOMMIT OFF;\n"
        yield from self._made()
        yield "COMMIT;\n"

    def _made(self) -> Iterator[str]:
        for schema in sorted({each.table.schema for each in self._tables.values()} | self._view_schemas()):
            if schema != "APP":
                yield f"CREATE SCHEMA {_name(schema)};\n"
        for title, table in self._tables.items():
            yield self._table(title, table)
        yield from () if self._part else self._sequences()
        for table in self._tables.values():
            yield from self._rows(table)
        yield from self._constraints()
        yield from self._indexes()
        if not self._part:
            yield from self._views()
            self._untold()

    # Tables.

    def _table(self, title: str, table: _Table) -> str:
        columns = [self._column(table, name, typed) for name, typed in _columns(table.table)]
        if not columns:
            # SQL does not permit a table without columns.
            self._lose("table", "", title, "its columns are unknown")
            columns = ['"?" INTEGER']
        return f"CREATE TABLE {_title(table.table)} ({', '.join(columns)});\n"

    def _column(self, table: _Table, name: str, typed: Typed) -> str:
        title, known = table.table.title, table.known.get(name, {})
        sql = _type(typed)
        if typed.type not in _NAMES and typed.type != _NUMERIC:
            self._lose("column", name, title, f"no type {typed.type} is known: its bytes are in the column")
        elif typed.type == _USER:
            self._lose(
                "column", name, title, f"it has Java objects ({typed.name}): their bytes are in the column"
            )
        elif typed.type in (17, 25, 446, 231) and typed.scale:
            self._lose(
                "column",
                name,
                title,
                f"it has collation {typed.scale}, a property of the database",
            )
        out = f"{_name(name)} {sql}"
        default = known.get("COLUMNDEFAULT")
        expression, kind = None, 0
        if default is not None:
            try:
                expression, kind = _default(default)
            except ODD:
                self._lose("default", name, title, "its text cannot be read")
        if known.get("AUTOINCREMENTINC") is not None:
            start, step = self._following(table, known), _number(known["AUTOINCREMENTINC"], 1)
            out += f" GENERATED BY DEFAULT AS IDENTITY (START WITH {start}, INCREMENT BY {step})"
            if default is None:
                text = "GENERATED ALWAYS is written as GENERATED BY DEFAULT, or no value could be inserted"
                self._lose("identity", name, title, text)
        elif expression is not None:
            if not contained(expression, commas=bool(kind & _GENERATED)):
                self._lose("default", name, title, "its text is more than an expression")
            elif kind & _GENERATED:
                out += f" GENERATED ALWAYS AS ({expression})"
            else:
                out += f" DEFAULT {expression}"
        return out if typed.nullable else f"{out} NOT NULL"

    def _generated(self, table: _Table, name: str) -> bool:
        """Return whether a column is generated from other columns."""
        with suppress(*ODD):
            default = table.known.get(name, {}).get("COLUMNDEFAULT")
            if default is not None:
                expression, kind = _default(default)
                return (
                    bool(kind & _GENERATED) and expression is not None and contained(expression, commas=True)
                )
        return False

    @cached_property
    def _numbers(self) -> dict[str, Any]:
        """The value of each sequence by name.

        It is read once, because there can be one sequence per table.
        """
        found: dict[str, Any] = {}
        for row in self._raw("SYSSEQUENCES"):
            found.setdefault(_text(row["SEQUENCENAME"]), row["CURRENTVALUE"])
        return found

    def _following(self, table: _Table, known: Raw) -> int:
        """Return the next number of an identity column. Newer releases store this number in a sequence."""
        named = {f"U{each.replace('-', 'X')}" for each in (table.ident, table.ident.upper())}
        stored = next((self._numbers[name] for name in sorted(named & self._numbers.keys())), None)
        return _number(known["AUTOINCREMENTVALUE"] if stored is None else stored, 1)

    # Rows.

    def _rows(self, table: _Table) -> Iterator[str]:
        columns = _columns(table.table)
        taken = [at for at, (name, _) in enumerate(columns) if not self._generated(table, name)]
        names = ", ".join(_name(columns[at][0]) for at in taken)
        start = f"INSERT INTO {_title(table.table)} ({names}) VALUES ("  # noqa: S608  # quoted
        if not taken:
            return
        nulls = self._nulls.setdefault(table.table.title, set())
        needed = [(place, columns[at][0]) for place, at in enumerate(taken) if not columns[at][1].nullable]
        for key, values in self._found.fields(table.table):
            out: list[str] = []
            room = _LONGEST
            for at in taken:
                value = values[at]
                size = 0 if value is None else len(value)
                if size > room:
                    text = f"{columns[at][0]} has {size} bytes, too many for a statement"
                    self._lose("value", key, table.table.title, text)
                    value = None
                elif size > _LETTERS:
                    room -= size
                out.append("NULL" if value is None else self._value(table.table, at, key, value))
            if (absent := next((name for place, name in needed if out[place] == "NULL"), None)) is not None:
                self._lose("row", key, table.table.title, f"{absent} has no value, and may not be null")
                continue
            if "NULL" in out:
                nulls.update(at for at, value in zip(taken, out, strict=True) if value == "NULL")
            yield f"{start}{', '.join(out)});\n"

    def _value(self, table: SqlTable, at: int, key: str, stored: bytes) -> str:
        name, typed = table.columns[at]
        made = _LITERALS.get(typed.type)
        if made is None:
            return _bits(bytes(stored), blob=True)
        if typed.type == _USER:
            return _bits(bytes(stored[2:]), blob=True)
        value = self._found.decoded(table, at, key, stored)
        if value is None:
            return "NULL"
        if isinstance(value, float) and not math.isfinite(value):
            self._lose("value", key, table.title, f"{name} is not a number of SQL")
            return "NULL"
        if typed.type in _MOMENTS and isinstance(value, str) and not _is_moment(value):
            self._lose("value", key, table.title, f"{name} is not a valid day or time: {value}")
            return "NULL"
        if isinstance(value, str) and "\ufffd" in value and b"\xef\xbf\xbd" not in stored:
            self._lose("value", key, table.title, f"{name} has a letter that no file in UTF-8 has")
        return (
            _quoted(value) if typed.type == _NUMERIC and _type(typed).startswith("VARCHAR") else made(value)
        )

    # The other objects of the catalogue.

    def _keyed(self, ident: str, table: _Table, descriptor: Any) -> tuple[list[str], list[bool], bool]:
        """Return the columns of an index, whether each column ascends, and whether the index is unique.

        Raises ODD.
        """
        found = _map(descriptor)
        columns = [name for name, _ in _columns(table.table)]
        count = found["keyLength"]
        if not 0 < count <= len(columns):
            raise ValueError(ident)
        names = [_name(columns[found[f"bcp{at}"] - 1]) for at in range(count)]
        return names, [bool(found[f"isAsc{at}"]) for at in range(count)], bool(found["isUnique"])

    def _indexes_by_id(self) -> dict[str, tuple[_Table, Raw]]:
        found = {}
        for row in self._raw("SYSCONGLOMERATES"):
            with suppress(*ODD):
                table = self._by_ident.get(_text(row["TABLEID"]))
                if table is not None and row.get("DESCRIPTOR") is not None:
                    found[_text(row["CONGLOMERATEID"])] = table, row
        return found

    def _constraints(self) -> Iterator[str]:
        indexes = self._indexes_by_id()
        keys = {_text(row["CONSTRAINTID"]): _text(row["CONGLOMERATEID"]) for row in self._raw("SYSKEYS")}
        foreign = {_text(row["CONSTRAINTID"]): row for row in self._raw("SYSFOREIGNKEYS")}
        checks = {_text(row["CONSTRAINTID"]): row for row in self._raw("SYSCHECKS")}
        rows = [row for row in self._raw("SYSCONSTRAINTS") if _text(row["TABLEID"]) in self._by_ident]
        columns: dict[str, str] = {}
        targets: dict[str, _Table] = {}
        for kind in "PUCF":
            for row in rows:
                ident, name = _text(row["CONSTRAINTID"]), _text(row["CONSTRAINTNAME"])
                if _text(row["TYPE"]) != kind:
                    continue
                table = self._by_ident[_text(row["TABLEID"])]
                try:
                    if kind in "PU":
                        named = self._keyed(ident, table, indexes[keys[ident]][1]["DESCRIPTOR"])[0]
                        columns[ident], targets[ident] = ", ".join(named), table
                        if kind == "P" and self._lacks_a_value(table, named):
                            self._lose("constraint", name, table.table.title, "a row has no value in its key")
                            continue
                        if kind == "P":
                            yield from self._filled(table, named)
                        what = f"{'PRIMARY KEY' if kind == 'P' else 'UNIQUE'} ({columns[ident]})"
                    elif kind == "C":
                        what = self._check(_text(checks[ident]["CHECKDEFINITION"]))
                    else:
                        own = foreign[ident]
                        key = _text(own["KEYCONSTRAINTID"])
                        named = self._keyed(
                            ident, table, indexes[_text(own["CONGLOMERATEID"])][1]["DESCRIPTOR"]
                        )[0]
                        what = f"FOREIGN KEY ({', '.join(named)}) REFERENCES {_title(targets[key].table)}"
                        what += f" ({columns[key]}) ON DELETE {_RULES[_text(own['DELETERULE'])]}"
                        update = _RULES[_text(own["UPDATERULE"])]
                        what += f" ON UPDATE {update}"
                except (*ODD, KeyError):
                    self._lose("constraint", name, table.table.title, "the catalogue does not have all of it")
                    continue
                if (state := _text(row["STATE"])) != "E":
                    self._lose(
                        "constraint",
                        name,
                        table.table.title,
                        f"its state {state} is not written: it is enforced",
                    )
                schema = self._schemas.get(_text(row["SCHEMAID"]), table.table.schema)
                called = f"{_name(schema)}.{_name(name)}"
                yield f"ALTER TABLE {_title(table.table)} ADD CONSTRAINT {called} {what};\n"

    def _lacks_a_value(self, table: _Table, key: Sequence[str]) -> bool:
        """Return whether some row in the script has a null in one of a key's columns."""
        columns = _columns(table.table)
        return any(_name(columns[at][0]) in key for at in self._nulls.get(table.table.title, ()))

    def _filled(self, table: _Table, key: Sequence[str]) -> Iterator[str]:
        """Yield statements that declare the nullable columns of a key as NOT NULL."""
        for name, typed in _columns(table.table):
            if typed.nullable and _name(name) in key:
                yield f"ALTER TABLE {_title(table.table)} ALTER COLUMN {_name(name)} NOT NULL;\n"

    def _check(self, definition: str) -> str:
        if not contained(definition, commas=True):
            raise ValueError(definition)
        bare = definition.startswith("(") and contained(definition[1:-1], commas=True)
        return f"CHECK {definition}" if bare else f"CHECK ({definition})"

    def _indexes(self) -> Iterator[str]:
        done: set[str] = set()
        for ident, (table, row) in self._indexes_by_id().items():
            name = _text(row["CONGLOMERATENAME"])
            if row["ISCONSTRAINT"] != b"\0" or ident in done:
                continue
            try:
                names, ascending, unique = self._keyed(ident, table, row["DESCRIPTOR"])
            except (*ODD, KeyError):
                self._lose("index", name, table.table.title, "the catalogue does not have all of it")
                continue
            columns = ", ".join(
                each if up else f"{each} DESC" for each, up in zip(names, ascending, strict=True)
            )
            schema = self._schemas.get(_text(row["SCHEMAID"]), table.table.schema)
            word = "UNIQUE INDEX" if unique else "INDEX"
            yield f"CREATE {word} {_name(schema)}.{_name(name)} ON {_title(table.table)} ({columns});\n"

    def _sequences(self) -> Iterator[str]:
        for row in self._raw("SYSSEQUENCES"):
            schema, name = self._schemas.get(_text(row["SCHEMAID"]), ""), _text(row["SEQUENCENAME"])
            if schema.startswith(_SYSTEM) or row.get("CURRENTVALUE") is None:
                continue
            with suppress(*ODD):
                value, low, high, step = (
                    integer(row[each], 8)
                    for each in ("CURRENTVALUE", "MINIMUMVALUE", "MAXIMUMVALUE", "INCREMENT")
                )
                kind = _type(described(row["SEQUENCEDATATYPE"]))
                sql = f"CREATE SEQUENCE {_name(schema)}.{_name(name)} AS {kind}"
                sql += f" START WITH {value} INCREMENT BY {step} MINVALUE {low} MAXVALUE {high}"
                yield sql + (" CYCLE;\n" if _text(row["CYCLEOPTION"]) == "Y" else " NO CYCLE;\n")

    def _view_rows(self) -> dict[str, Raw]:
        return {_text(row["TABLEID"]): row for row in self._raw("SYSVIEWS")}

    def _view_schemas(self) -> set[str]:
        if self._part:
            return set()
        views = self._view_rows()
        rows = (row for row in self._raw("SYSTABLES") if _text(row["TABLEID"]) in views)
        found = {self._schemas.get(_text(row["SCHEMAID"]), "") for row in rows}
        return {schema for schema in found if schema and not schema.startswith(_SYSTEM)}

    def _views(self) -> Iterator[str]:
        """Yield the views in an order in which each view follows the views that it uses."""
        views = self._view_rows()
        named = {_text(row["TABLEID"]): row for row in self._raw("SYSTABLES")}
        of: dict[str, set[str]] = {}
        for row in self._raw("SYSDEPENDS"):
            of.setdefault(_text(row["DEPENDENTID"]), set()).add(_text(row["PROVIDERID"]))
        for ident in in_order([ident for ident in views if ident in named], of):
            row, name = views[ident], _text(named[ident]["TABLENAME"])
            schema = self._schemas.get(_text(named[ident]["SCHEMAID"]), "")
            definition = _text(row["VIEWDEFINITION"])
            if schema.startswith(_SYSTEM):
                continue
            if not _VIEW.match(definition) or not contained(definition, commas=True):
                self._lose("view", f"{schema}.{name}", "", "its text is more than one statement")
                continue
            compiled = self._schemas.get(_text(row.get("COMPILATIONSCHEMAID")), schema)
            yield f"SET SCHEMA {_name(compiled)};\n"
            yield f"{definition.strip()}\n;\n"

    def _untold(self) -> None:
        """List the objects of the catalogue that the script omits."""
        for table, (column, what) in _UNTOLD.items():
            for row in self._raw(table):
                with suppress(*ODD):
                    schema = self._schemas.get(_text(row["SCHEMAID"]), "") if row.get("SCHEMAID") else ""
                    if not schema.startswith(_SYSTEM) and row.get("SYSTEMALIAS", b"\0") == b"\0":
                        name = _text(row[column])
                        self._lose(what, f"{schema}.{name}".lstrip("."), "", f"a {what} is not written")


# Names, types and values in SQL.


def _text(stored: Any) -> str:
    """Return a text of the catalogue. Return an empty text if it is null or invalid."""
    with suppress(*ODD):
        return "" if stored is None else text(bytes(stored))
    return ""


def _number(stored: Any, otherwise: int) -> int:
    with suppress(*ODD):
        return integer(bytes(stored), 8) if stored is not None else otherwise
    return otherwise


def _name(name: str) -> str:
    """Return a quoted SQL name. NUL is replaced, and an empty name becomes a question mark."""
    quoted = name.replace("\0", "\ufffd").replace('"', '""') or "?"
    return f'"{quoted}"'


def _title(table: SqlTable) -> str:
    return f"{_name(table.schema)}.{_name(table.name)}"


def _columns(table: SqlTable) -> list[tuple[str, Typed]]:
    """Return the columns of a table. A duplicate name gets a suffix."""
    out: dict[str, Typed] = {}
    for at, (name, typed) in enumerate(table.columns, start=1):
        while name in out:
            name += f"'{at}"  # noqa: PLW2901  # only damage produces duplicates
        out[name] = typed
    return [*out.items()]


def _type(typed: Typed) -> str:
    """Return the SQL name of a type by its number, because its name in a catalogue can be any text."""
    if typed.type == _NUMERIC:
        if not 0 < typed.precision <= 31 or not 0 <= typed.scale <= typed.precision:
            return "VARCHAR(64)"  # The type is known only from the heap of the table.
        word = "NUMERIC" if typed.name == "NUMERIC" else "DECIMAL"
        return f"{word}({typed.precision},{typed.scale})"
    width = typed.width
    if width <= 0:
        # The type is known only from the heap of the table, and the length is unknown.
        name = {17: "VARCHAR({})", 28: "VARCHAR({}) FOR BIT DATA"}.get(
            typed.type, _NAMES.get(typed.type, "BLOB({})")
        )
        return name.format(_WIDEST.get(typed.type, 2147483647))
    return _NAMES.get(typed.type, "BLOB(2147483647)").format(width)


def _quoted(value: Any) -> str:
    pieces = [str(value)[at : at + _LETTERS].replace("'", "''") for at in range(0, len(str(value)), _LETTERS)]
    return _joined([f"'{piece}'" for piece in pieces] or ["''"])


def _clob(value: Any) -> str:
    pieces = [str(value)[at : at + _LETTERS].replace("'", "''") for at in range(0, len(str(value)), _LETTERS)]
    return _joined([f"CAST('{piece}' AS CLOB)" for piece in pieces] or ["CAST('' AS CLOB)"])


def _bits(value: Any, *, blob: bool = False) -> str:
    pieces = [value[at : at + _BYTES].hex() for at in range(0, len(value), _BYTES)] or [""]
    return _joined([f"CAST(X'{piece}' AS BLOB)" if blob else f"X'{piece}'" for piece in pieces])


def _joined(pieces: list[str]) -> str:
    """Return the concatenation of pieces, halved again and again: a long chain would be nested too deeply."""
    if len(pieces) == 1:
        return pieces[0]
    half = len(pieces) // 2
    return f"({_joined(pieces[:half])} || {_joined(pieces[half:])})"


def _plain(value: Any) -> str:
    return str(value)


def _is_moment(value: str) -> bool:
    """Return whether Derby accepts a DATE, TIME or TIMESTAMP text. Damaged rows can contain invalid texts."""
    day, _, clock = value.rpartition(" ") if " " in value else ("", "", value)
    try:
        if "-" in clock:
            date.fromisoformat(clock)
        else:
            time.fromisoformat(clock.partition(".")[0])
        return not day or bool(date.fromisoformat(day))
    except ValueError:
        return False


def _double(value: Any) -> str:
    digits = repr(float(value))
    return digits.upper() if "e" in digits else f"{digits}E0"


_LITERALS: Mapping[int, Callable[[Any], str]] = {
    16: lambda value: "TRUE" if value else "FALSE",
    **dict.fromkeys((17, 25, 231), _quoted),
    **dict.fromkeys((18, 20), _double),
    **dict.fromkeys((19, 22, 23, 196, _NUMERIC), _plain),
    **dict.fromkeys((28, 30, 233), _bits),
    32: lambda value: f"DATE('{value}')",
    33: lambda value: f"TIME('{value}')",
    34: lambda value: f"TIMESTAMP('{value}')",
    _USER: _plain,
    442: lambda value: _bits(value, blob=True),
    446: _clob,
    _XML: lambda value: f"XMLPARSE(DOCUMENT {_clob(value)} PRESERVE WHITESPACE)",
}


def in_order(names: Sequence[str], of: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield each name after the names that it needs (`of`). A cycle is broken at its first name."""
    known = {*names}
    left = {name: (of.get(name, set()) & known) - {name} for name in names}
    users: dict[str, list[str]] = defaultdict(list)
    for name, needs in left.items():
        for each in needs:
            users[each].append(name)
    places = {name: place for place, name in enumerate(names)}
    ready = [name for name, needs in left.items() if not needs]
    while left:
        ready = ready or [next(iter(left))]
        yield from ready
        for name in ready:
            del left[name]
        following = []
        for name in ready:
            for user in users[name]:
                if user in left:
                    left[user].discard(name)
                    if not left[user]:
                        following.append(user)
        ready = sorted(following, key=places.__getitem__)


def contained(sql: str, *, commas: bool) -> bool:
    """Return whether a text cannot end its statement. Such a text closes its quotes and brackets, and has no
    semicolon.

    Without `commas`, a comma outside of brackets is also not allowed.
    """
    bare = _QUOTED.sub(_blank, sql)
    if any(mark in bare for mark in ("'", '"', ";", "\0", "--", "/*", "*/")):
        return False
    depth = 0
    for letter in bare:
        depth += (letter == "(") - (letter == ")")
        if depth < 0 or (letter == "," and not depth and not commas):
            return False
    return depth == 0


def _blank(quoted: re.Match[str]) -> str:
    """Return a blank for a quoted text or a comment, but the text itself if ij could end it elsewhere.

    For ij, a line comment also ends at a carriage return, and block comments can be nested.
    """
    found = quoted[0]
    if found.startswith("--"):
        ends = found.endswith("\n") and "\r" not in found.removesuffix("\n").removesuffix("\r")
    elif found.startswith("/*"):
        ends = found.endswith("*/", 2) and "/*" not in found[2:]
    else:
        ends = True
    return " " if ends else found


def _default(stored: Any) -> tuple[str | None, int]:
    """Return the text of a default (None if there is no default) and its kind. Raises ODD."""
    data = bytes(stored)
    if int.from_bytes(data[:2], "big") != _DEFAULT:
        raise ValueError("an object of another format")
    expression, at = None, 4
    if int.from_bytes(data[2:4], "big") == _TEXT:
        expression, at = utf(data, 4)
    if int.from_bytes(data[at : at + 2], "big"):
        raise ValueError("a default has a value that is not a text")
    return expression, int.from_bytes(data[at + 2 : at + 6], "big")


def _map(stored: Any) -> dict[str, int]:
    """Return the numbers in the description of an index. Raises ODD."""
    data = bytes(stored)
    if (int.from_bytes(data[:2], "big"), int.from_bytes(data[2:4], "big")) != (_INDEX, _MAP):
        raise ValueError("an object of another format")
    at, found = 8, {}
    for _ in range(int.from_bytes(data[4:8], "big")):
        name, at = utf(data, at + 2)
        form = int.from_bytes(data[at : at + 2], "big")
        if form == _TEXT:
            _, at = utf(data, at + 2)
            continue
        if form != _INT or at + 6 > len(data):
            raise ValueError("a value of another format")
        found[name] = int.from_bytes(data[at + 2 : at + 6], "big", signed=True)
        at += 6
    return found
