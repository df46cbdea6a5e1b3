"""Starts Derby on one database after the other in one process, and prints all rows of all tables.

``python derby_rows.py PRODUCT``: each line of standard input is a JSON object. ``{"database": DIRECTORY}``
starts Derby on a database. With a ``"script"`` the database is created, and ``ij`` runs the script. With a
``"seed"`` random work creates the database and ends in a crash; the rows are not read. With ``"drawn"`` its
tables are random, too. For each object a line is printed: ``{"tables": {"SCHEMA.TABLE": [rows]}, "in_doubt":
[gtrid], "errors": number}``, or ``{"refused": text}``.

Transactions in doubt are rolled back before the rows are read. A row is a list of texts or nulls. Real
numbers and bytes are printed as the hex digits of their bytes.
"""

from __future__ import annotations

import json
import shutil
import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from journalspec_conformance.harnesses.derby_log.harness import Database, derby_call
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Thrown, java_class, python_bytes
from journalspec_conformance.products import get_product

_COLUMNS = """select s.schemaname, t.tablename, c.columnname, c.columndatatype
from sys.sysschemas s, sys.systables t, sys.syscolumns c
where s.schemaid = t.schemaid and t.tabletype = 'T' and c.referenceid = t.tableid
order by s.schemaname, t.tablename, c.columnnumber"""
#: Of java.sql.Types.
_REAL, _DOUBLE, _BINARY = {7}, {6, 8}, {-2, -3, -4, 2004}


def _value(result: Any, at: int, kind: int) -> str | None:
    if kind in _BINARY:
        data = result.getBytes(at)
        return None if data is None else python_bytes(data).hex()
    if kind in _REAL | _DOUBLE:
        number = float(result.getDouble(at))
        found = struct.pack(">f" if kind in _REAL else ">d", number).hex()
    elif kind == 2000:
        value = result.getObject(at)
        return None if value is None else str(value.getClass().getName())
    else:
        found = str(result.getString(at))
    return None if result.wasNull() else found


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@derby_call()
def rows(connection: Any) -> dict[str, list[list[str | None]]]:
    """Return the rows of all tables of users."""
    statement = connection.createStatement()
    result = statement.executeQuery(_COLUMNS)
    tables: dict[tuple[str, str], list[str]] = {}
    while result.next():
        schema, name, column, kind = (str(result.getString(at)) for at in range(1, 5))
        listed = _quoted(column) if kind != "XML" else f"xmlserialize({_quoted(column)} as clob)"
        tables.setdefault((schema, name), []).append(listed)
    found: dict[str, list[list[str | None]]] = {}
    for (schema, name), columns in tables.items():
        asked = f"select {', '.join(columns)} from {_quoted(schema)}.{_quoted(name)}"  # noqa: S608
        result = statement.executeQuery(asked)
        about = result.getMetaData()
        kinds = [int(about.getColumnType(at)) for at in range(1, int(about.getColumnCount()) + 1)]
        found[f"{schema}.{name}"] = read = []
        while result.next():
            read.append([_value(result, at, kind) for at, kind in enumerate(kinds, start=1)])
        # The call compares a table with its indexes.
        check = statement.executeQuery(
            f"values syscs_util.syscs_check_table('{_sql(schema)}', '{_sql(name)}')"
        )
        check.next()
    statement.close()
    return found


def _sql(name: str) -> str:
    return name.replace("'", "''")


def asked(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one line of standard input."""
    script, errors = request.get("script"), 0
    if "seed" in request:
        return _worked(Path(request["database"]), int(request["seed"]), drawn=bool(request.get("drawn")))
    try:
        database = Database(Path(request["database"]), create=script is not None)
    except Thrown as thrown:
        return {"refused": str(thrown)}
    try:
        connection = database.connection()
        if script is not None:
            with derby_call():
                errors = _run(connection, script)
        doubtful = database.prepared()
        for branch in doubtful:
            database.decide(branch, commit=False)
        told = {
            "tables": rows(connection),
            "in_doubt": [branch[1].hex() for branch in doubtful],
            "errors": errors,
        }
        with derby_call():
            connection.rollback()
            connection.close()
    except Thrown as thrown:
        return {"refused": f"started, then {thrown}"}
    finally:
        try:
            database.stop()
        except Thrown as thrown:
            print(thrown, file=sys.stderr)
    return told


def _run(connection: Any, script: str) -> int:
    stream = java_class("java.io.FileInputStream")(script)
    output = java_class("java.io.ByteArrayOutputStream")()
    errors = int(
        java_class("org.apache.derby.tools.ij").runScript(connection, stream, "UTF-8", output, "UTF-8")
    )
    if errors:
        said = [line for line in str(output.toString()).splitlines() if "ERROR" in line]
        print("\n".join(said[:20]), file=sys.stderr)
    return errors


_SMALL = {
    "derby.storage.logSwitchInterval": "100000",
    "derby.storage.checkpointInterval": "100000000",
    "derby.storage.pageCacheSize": "40",
}
_BRANCH = (1, b"\x0b\x07", b"b")
_TABLES_MADE = (
    "create table t (k int primary key, v varchar(3000), n bigint)",
    "create index tn on t (n)",
    "create table u (k int primary key, v varchar(3000), d decimal(9,2), b blob(20000))",
    "create table w (k int, v varchar(200))",
)


def _worked(directory: Path, seed: int, *, drawn: bool) -> dict[str, Any]:
    """Make a database by random work; its files after a crash are copied to `directory`."""
    random, place = Random(seed), directory.with_name(f"{directory.name}.work")
    for name, value in {**_SMALL, "derby.storage.fileSyncTransactionLog": str(seed % 2 > 0).lower()}.items():
        java_class("java.lang.System").setProperty(name, value)
    database = Database(place, create=True)
    for sql in _TABLES_MADE:
        database.execute(sql)
    connections = [database.connection(), database.connection()]
    if drawn:
        _draw(database, random, connections)
    if random.random() < 0.7:
        for key in range(random.randrange(200)):
            sql = "insert into t values (?, ?, ?)"
            database.execute(sql, key, "old" * random.randrange(300), key, on=connections[0])
        with derby_call():
            connections[0].commit()
        database.execute("call SYSCS_UTIL.SYSCS_CHECKPOINT_DATABASE()")
    doubtful = random.random() < 0.3
    if doubtful:
        own = database.start_branch(_BRANCH)
        for key in range(5):
            database.execute("insert into t values (?, 'in doubt', ?)", 900_000 + key, key, on=own)
        database.prepare(_BRANCH)
    for step in range(random.randrange(20, 400)):
        mine = step % 7 == 0
        _step(database, random, connections[mine], 100_000 * mine + random.randrange(300))
    shutil.copytree(place, directory)
    with derby_call():
        for connection in connections:
            connection.rollback()
            connection.close()
    if doubtful:
        database.decide(_BRANCH, commit=False)
    database.stop()
    shutil.rmtree(place)
    return {"made": str(directory)}


#: Types of columns, each with a function that returns a random value as SQL text.
_TYPES: Sequence[tuple[str, Callable[[Random], str]]] = (
    ("integer", lambda random: str(random.randint(-(1 << 31), (1 << 31) - 1))),
    ("smallint", lambda random: str(random.randint(-(1 << 15), (1 << 15) - 1))),
    ("bigint", lambda random: str(random.randint(-(1 << 62), 1 << 62))),
    ("real", lambda random: f"cast({random.randint(-1000, 1000) / 8} as real)"),
    ("double", lambda random: f"{random.uniform(-1e9, 1e9)!r}e0"),
    ("decimal(13,4)", lambda random: f"{random.randint(-(10**12), 10**12) / 10**4:.4f}"),
    ("numeric(31,31)", lambda random: f"0.{random.randrange(10**9):09}"),
    ("char(7)", lambda random: _quote(_word(random, 7))),
    ("varchar(900)", lambda random: _quote(_word(random, random.choice((0, 3, 200, 900))))),
    ("long varchar", lambda random: _quote(_word(random, random.choice((0, 40, 2900))))),
    ("clob(40000)", lambda random: f"cast({_quote(_word(random, random.choice((0, 9, 9000))))} as clob)"),
    ("blob(40000)", lambda random: f"cast({_bits(random, random.choice((0, 9, 8000)))} as blob)"),
    ("char(5) for bit data", lambda random: _bits(random, 5)),
    ("varchar(300) for bit data", lambda random: _bits(random, random.choice((0, 1, 31, 32, 300)))),
    ("date", lambda random: f"date('{random.randint(1, 9999):04}-{random.randint(1, 12):02}-28')"),
    ("time", lambda random: f"time('{random.randrange(24):02}:{random.randrange(60):02}:59')"),
    (
        "timestamp",
        lambda random: (
            f"timestamp('2026-02-28 {random.randrange(24):02}:00:00.{random.randrange(10**6):06}')"
        ),
    ),
)


def _word(random: Random, most: int) -> str:
    return "".join(random.choices("abc '\u00e9\u20ac~", k=most))


def _quote(text: str) -> str:
    return "'" + _sql(text) + "'"


def _bits(random: Random, size: int) -> str:
    return f"x'{random.randbytes(size).hex()}'"


def _draw(database: Database, random: Random, connections: Sequence[Any]) -> None:
    """Make tables with random columns, and change their rows and columns; some changes are not committed."""
    for number in range(random.randrange(2, 5)):
        name = f'"Drawn {number}".T{number}'
        kinds = random.choices(_TYPES, k=random.randrange(1, 14))
        columns = "".join(f", c{at} {kind}" for at, (kind, _) in enumerate(kinds))
        database.execute(f'create schema "Drawn {number}"')
        database.execute(f"create table {name} (k int primary key{columns})")
        connection = random.choice(connections)
        for key in range(random.choice((0, 3, 60, 400))):
            values = ["null" if random.random() < 0.2 else value(random) for _, value in kinds]
            done = [("insert into", f"values ({', '.join([str(key), *values])})")]
            where = f"where k = {random.randint(0, key)}"
            at = random.randrange(len(kinds))
            done += [("update", f"set c{at} = {kinds[at][1](random)} {where}")] * (random.random() < 0.3)
            done += [("delete from", where)] * (random.random() < 0.1)
            for verb, rest in done:
                database.execute(f"{verb} {name} {rest}", on=connection)
            if random.random() < 0.05:
                with derby_call():
                    connection.commit() if random.random() < 0.8 else connection.rollback()
        if random.random() < 0.5:
            with derby_call():
                connection.commit()
            kind, value = random.choice(_TYPES[:3])
            database.execute(f"alter table {name} add column late {kind} default {value(random)}")
            if random.random() < 0.5:
                database.execute(f"alter table {name} drop column c0")
        if random.random() < 0.3:
            database.execute("call SYSCS_UTIL.SYSCS_CHECKPOINT_DATABASE()")


def _step(database: Database, random: Random, connection: Any, key: int) -> None:
    """Make one change to a row that only one connection uses, if possible; then perhaps commit the change."""
    text, kind = "x" * random.choice((3, 50, 900, 2900)), random.randrange(8)
    try:
        if kind < 3:
            database.execute("insert into t values (?, ?, ?)", key, text, key % 17, on=connection)
        elif kind < 5:
            database.execute("update t set v = ?, n = n + 1 where k = ?", text, key, on=connection)
        elif kind == 5:
            database.execute("delete from t where k = ?", key, on=connection)
        elif kind == 6:
            sql = "insert into u values (?, ?, 12.25, cast(x'00ff10' as blob))"
            database.execute(sql, key, text, on=connection)
        else:
            database.execute("insert into w values (?, ?)", key, text[:200], on=connection)
    except Thrown as thrown:
        # The key already exists, or the other connection has a lock.
        if thrown.name not in ("23505", "40XL1"):
            raise
    if random.random() < 0.15:
        with derby_call():
            connection.commit() if random.random() < 0.8 else connection.rollback()
    if random.random() < 0.01:
        database.execute("call SYSCS_UTIL.SYSCS_CHECKPOINT_DATABASE()")


if __name__ == "__main__":
    jvm.start(get_product(sys.argv[1]))
    for line in sys.stdin:
        print(json.dumps(asked(json.loads(line))), flush=True)
