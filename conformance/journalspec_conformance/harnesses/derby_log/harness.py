"""``recover`` and ``write``, answered by the product as the package's docstring describes.

No code here interprets a byte of a log. Every value comes through JDBC, XA, or the product's own derby.log.
"""

from __future__ import annotations

import os
import re
import shutil
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from journalspec_conformance.harnesses import product as shared
from journalspec_conformance.harnesses import table
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Java, Thrown, java_class, product_call
from journalspec_conformance.harnesses.product import Answer, Op
from journalspec_conformance.programs import make_scratch
from journalspec_corpus.derby_log.model import STATE, Row

FORMAT = "derby_log"
TABLES = ("T", "U")
#: The largest number of characters in column V of a base.
LONGEST = 3000
#: The name of the database below the directory of a ``write`` request.
DATABASE = "database"
#: The prefix of the names of containers that are next to the log.
PAGES = "seg0."
BASES = "bases"
_JAVA = table(__package__, "java.toml")
#: SQLSTATEs that occur in every failed boot, and therefore carry no information.
_EVERY_TIME = ("XJ040", "XJ001")
_STATE = re.compile(r"\bERROR (?P<state>[0-9A-Z]{5}): ")
_WRAPPED = re.compile(r"Java exception: '.*: (?P<name>[\w.]+)'")
#: java.sql.Connection: the isolation level at which uncommitted changes of other transactions are visible.
_READ_UNCOMMITTED = 1
#: javax.transaction.xa.XAResource
_TM_NO_FLAGS, _TM_SUCCESS, _TM_START_SCAN, _TM_END_SCAN = 0, 1 << 26, 1 << 24, 1 << 23

#: The databases that run in this process.
_BOOTED: set[Path] = set()

Xid = tuple[int, bytes, bytes]


def _told(error: Java) -> Thrown:
    """Convert an SQLException. The name is made of the SQLSTATEs of its chain, the text of all messages."""
    states: dict[str, None] = {}
    texts: list[str] = []
    waiting = [error]
    while waiting and len(texts) < 50:
        item = waiting.pop(0)
        text = str(item.toString())
        texts.append(text)
        state = item.getSQLState() if isinstance(item, java_class("java.sql.SQLException")) else None
        found = [str(state)] if state is not None else []
        states |= dict.fromkeys((*found, *_STATE.findall(text)))
        more = [item.getNextException()] if state is not None else []
        waiting += [next_ for next_ in (*more, item.getCause()) if next_ is not None]
    name = "+".join(state for state in states if state not in _EVERY_TIME) or _innermost(texts)
    return Thrown(name, "; ".join(dict.fromkeys(texts)))


def _innermost(texts: list[str]) -> str:
    """Return the class of an exception without a helpful SQLSTATE, derived from the product's message."""
    wrapped = _WRAPPED.search(texts[-1])
    return (wrapped["name"] if wrapped else texts[-1].partition(":")[0]).rpartition(".")[2]


@contextmanager
def derby_call() -> Iterator[None]:
    """Turn exceptions of the product into Thrown, with all SQLSTATEs of the chain."""
    with product_call():
        try:
            yield
        except java_class("java.sql.SQLException") as error:
            raise _told(error) from None


@cache
def _log_file() -> Path:
    """Return the path of derby.log, to which the engine of this process writes from its first boot on."""
    path = make_scratch() / "derby.log"
    path.touch()
    java_class("java.lang.System").setProperty("derby.stream.error.file", str(path))
    return path


@cache
def _driver() -> Java:
    _log_file()
    return java_class("org.apache.derby.jdbc.EmbeddedDriver")()


def configure(params: Mapping[str, str]) -> None:
    """Set the product's properties for the next boot; those not in `params` have the product's defaults."""
    system = java_class("java.lang.System")
    # A statement that waits for another transaction's lock fails soon instead of after a minute.
    system.setProperty("derby.locks.waitTimeout", "1")
    for name, text in _JAVA["properties"].items():
        if name in params:
            system.setProperty(text, params[name])
        else:
            system.clearProperty(text)


class Database:
    """A database in `directory`, booted in this process. Every method raises Thrown if the product throws."""

    def __init__(self, directory: Path, *, create: bool = False) -> None:
        """Boot the database. Recovery is complete when this function returns."""
        if directory in _BOOTED:
            raise shared.CannotDo("a database must be shut down before the same process can boot it again")
        self.directory = directory
        self._xa: dict[Xid, tuple[Java, Java]] = {}
        self._main: Java = None
        _driver()
        self._begin = _log_file().stat().st_size
        with derby_call():
            self._main = self._connection(";create=true" if create else "")
        _BOOTED.add(directory)

    def _connection(self, more: str = "") -> Java:
        return _driver().connect(f"jdbc:derby:{self.directory}{more}", java_class("java.util.Properties")())

    @derby_call()
    def connection(self) -> Java:
        """Return a new connection without automatic commit."""
        made = self._connection()
        made.setAutoCommit(False)
        return made

    def said(self) -> list[str]:
        """Return the lines of derby.log since this boot began."""
        with _log_file().open("rb") as stream:
            stream.seek(self._begin)
            return stream.read().decode(errors="replace").splitlines()

    @derby_call()
    def execute(self, text: str, *values: int | str, on: Java = None) -> int:
        """Execute a statement, and return how many rows it has changed."""
        statement = (on or self._main).prepareStatement(text)
        try:
            for at, value in enumerate(values, start=1):
                (statement.setInt if isinstance(value, int) else statement.setString)(at, value)
            return 0 if statement.execute() else max(0, int(statement.getUpdateCount()))
        finally:
            statement.close()

    @derby_call()
    def rows(self) -> list[Row]:
        """Return all rows, including uncommitted ones of open and prepared transactions."""
        self._main.setTransactionIsolation(_READ_UNCOMMITTED)
        found: list[Row] = []
        statement = self._main.createStatement()
        for name in TABLES:
            result = statement.executeQuery(f"select K, V from {name}")  # noqa: S608 - `name` is one of TABLES
            while result.next():
                found.append((name, str(result.getInt(1)), str(result.getString(2))))
            result.close()
        statement.close()
        return sorted(found)

    @derby_call()
    def resource(self) -> tuple[Java, Java]:
        """Return an XA connection and its resource."""
        source = java_class("org.apache.derby.jdbc.EmbeddedXADataSource")()
        source.setDatabaseName(str(self.directory))
        connection = source.getXAConnection()
        return connection, connection.getXAResource()

    @derby_call()
    def prepared(self) -> list[Xid]:
        """Return the identifiers of the prepared branches."""
        connection, resource = self.resource()
        branches = [jvm.xa_id(xid) for xid in resource.recover(_TM_START_SCAN | _TM_END_SCAN)]
        connection.close()
        return sorted(branches, key=lambda branch: (*branch[1:], branch[0]))

    @derby_call()
    def decide(self, branch: Xid, *, commit: bool) -> None:
        """Commit or roll back a prepared branch."""
        connection, resource = self._xa.pop(branch) if branch in self._xa else self.resource()
        if commit:
            resource.commit(java_xid(branch), False)
        else:
            resource.rollback(java_xid(branch))
        connection.close()

    @derby_call()
    def start_branch(self, branch: Xid) -> Java:
        """Begin an XA branch, and return the connection for its statements."""
        connection, resource = self.resource()
        resource.start(java_xid(branch), _TM_NO_FLAGS)
        self._xa[branch] = (connection, resource)
        return connection.getConnection()

    @derby_call()
    def prepare(self, branch: Xid) -> None:
        """End a branch and prepare it."""
        _, resource = self._xa[branch]
        resource.end(java_xid(branch), _TM_SUCCESS)
        resource.prepare(java_xid(branch))

    def state(self) -> Answer:
        """Return the rows after a rollback of all prepared branches, and each branch's changes."""
        before, in_doubt = self.rows(), []
        for branch in self.prepared():
            self.decide(branch, commit=False)
            after = self.rows()
            come, gone = Counter(before) - Counter(after), Counter(after) - Counter(before)
            in_doubt.append((branch, sorted(come.elements()), sorted(gone.elements())))
            before = after
        return STATE.told((before, in_doubt))

    def stop(self) -> None:
        """Shut the database down; the engine continues to run."""
        _BOOTED.discard(self.directory)
        try:
            with derby_call():
                # The engine keeps the objects of a connection until the connection is closed, even after a
                # shutdown.
                self._main.close()
                self._connection(";shutdown=true")
        except Thrown as thrown:
            # The product throws this to report a successful shutdown.
            if thrown.name != "08006":
                raise


def java_xid(branch: Xid) -> Java:
    """Return an identifier as the product's Xid object."""
    format_id, gtrid, bqual = branch
    return jvm.instance_of(
        "javax.transaction.xa.Xid",
        getFormatId=lambda: format_id,
        getGlobalTransactionId=lambda: jvm.java_bytes(gtrid),
        getBranchQualifier=lambda: jvm.java_bytes(bqual),
    )


# Databases: a base, and a log.


@cache
def base(name: str) -> Path:
    """Return the base `name`, unpacked once in this process; raises CannotDo."""
    place = make_scratch(memory=True) / name
    with as_file(files(__package__).joinpath(BASES, f"{name}.tar.xz")) as archive:
        if not re.fullmatch(r"\d+\.\d+", name) or not archive.is_file():
            raise shared.CannotDo(f"there is no base {name!r}", "param:base")
        with tarfile.open(archive) as stream:
            stream.extractall(place, filter="data")
    return place


def is_log(name: str) -> bool:
    """Return whether `name` is the name of a file in a ``log`` directory."""
    return name.startswith("log") and name.endswith((".ctrl", ".dat"))


@contextmanager
def database_of(directory: Path, name: str) -> Iterator[Path]:
    """Yield a database with the log in `directory`, and with its pages; pages that are absent are those of a
    base.
    """
    own = directory / DATABASE
    with shared.copy_of(base(name)) as copy:
        shutil.rmtree(copy / "log")
        (copy / "log").mkdir()
        if own.is_dir():
            shutil.rmtree(copy / "seg0")
            shutil.copytree(own / "seg0", copy / "seg0")
        for entry in os.scandir(directory):
            if entry.name.startswith(PAGES):
                (copy / "seg0" / entry.name.removeprefix(PAGES)).write_bytes(Path(entry.path).read_bytes())
            elif not entry.is_dir():
                (copy / "log" / entry.name).write_bytes(Path(entry.path).read_bytes())
        yield copy


def _branch(op: Op) -> Xid:
    return int(op.get("format_id", "1")), bytes.fromhex(op["gtrid"]), bytes.fromhex(op.get("bqual", "00"))


#: Maps each operation to its statement on a table, and the members of the operation that the statement takes.
_CHANGES = {
    "insert": ("insert into {} values (?, ?)", ("key", "value")),
    "update": ("update {} set V = ? where K = ?", ("value", "key")),
    "delete": ("delete from {} where K = ?", ("key",)),
}


class Statements(shared.Session):
    """SQL statements by name. `tx` identifies a transaction; without `tx`, each statement commits.

    Each name is followed by its members: ``insert`` and ``update`` (table, key, value), ``delete`` (table,
    key), ``commit``, ``rollback`` and ``prepare`` (tx); ``start`` (tx, gtrid, bqual) begins an XA branch;
    ``decide`` (gtrid, bqual, commit), ``checkpoint``, ``close``.
    """

    operations = (*_CHANGES, "commit", "rollback", "start", "prepare", "decide", "checkpoint", "close")

    def __init__(self, directory: Path, params: Mapping[str, str], name: str) -> None:
        """Store the request's parameters. No file is accessed yet."""
        super().__init__(directory, params)
        self._base = name
        self._open: dict[str, Java] = {}
        self._branches: dict[str, Xid] = {}

    def made(self) -> Statements:
        """Return the database as an object with ``open()`` and ``stop()``."""
        return self

    def open(self) -> None:
        """Boot the database whose log is in the directory, or the base if there is no log yet."""
        place = self.directory / DATABASE
        if not place.is_dir():
            kept = base(self._base)
            if not any(is_log(path.name) for path in self.directory.iterdir()):
                for path in (kept / "log").iterdir():
                    shutil.copyfile(path, self.directory / path.name)
            shutil.copytree(kept, place, ignore=shutil.ignore_patterns("log"))
            # The pages are next to the log, where a reader of the log looks for them.
            (place / "seg0").rename(self.directory / "seg0")
            (place / "seg0").symlink_to("../seg0")
            for path in sorted(self.directory.glob(f"{PAGES}*")):
                shutil.move(path, place / "seg0" / path.name.removeprefix(PAGES))
            (place / "log").symlink_to("..")
        configure(self.params)
        self._database = Database(place)

    def done(self, op: Op) -> bool:
        """Do one operation. A commit or a prepare makes its transaction durable, and a checkpoint makes
        everything durable.
        """
        kind, tx, database = op["op"], op.get("tx", ""), self._database
        if kind in _CHANGES:
            self._change(op, tx)
            return not tx
        if kind == "start":
            self._branches[tx] = _branch(op)
            self._open[tx] = database.start_branch(self._branches[tx])
        elif kind == "prepare":
            self._open.pop(tx)
            database.prepare(self._branches.pop(tx))
        elif kind == "decide":
            database.decide(_branch(op), commit=op.get("commit", "true") == "true")
        elif kind in ("commit", "rollback"):
            with derby_call():
                getattr(self._open.pop(tx), kind)()
        elif kind == "checkpoint":
            database.execute("call SYSCS_UTIL.SYSCS_CHECKPOINT_DATABASE()")
        else:
            self._stopped()
        return kind in ("commit", "prepare", "decide", "checkpoint", "close") and not self._open

    def _change(self, op: Op, tx: str) -> None:
        if op["table"] not in TABLES:
            raise shared.CannotDo(f"there is no table {op['table']!r}")
        if tx and tx not in self._open:
            self._open[tx] = self._database.connection()
        row: dict[str, int | str] = {"key": int(op["key"]), "value": op.get("value", "")}
        if len(op.get("value", "")) > LONGEST:
            raise shared.CannotDo(f"a column of the tables in a base holds at most {LONGEST} letters")
        text, members = _CHANGES[op["op"]]
        values = (row[member] for member in members)
        self._database.execute(text.format(op["table"]), *values, on=self._open.get(tx))

    def stop(self) -> None:
        """Leave the database as it is: without ``close``, no checkpoint and no shutdown takes place."""
        self.journal = None

    def _stopped(self) -> None:
        database, self.journal = self._database, None
        for connection in self._open.values():
            with derby_call():
                connection.rollback()
                connection.close()
        self._open.clear()
        database.stop()


class Derby(shared.Driver):
    """One version of the database."""

    format_id = FORMAT
    claims = _JAVA["claims"]
    unread = "the product does not expose its records"

    def recovered(self, directory: Path, params: Mapping[str, str], policy: str) -> Answer:
        """Boot a copy of the database, and return its content."""
        if not any(is_log(entry.name) for entry in os.scandir(directory)):
            return shared.no_files("there is no log: the product was not started")
        configure(params)
        self.doing = "boot"
        with database_of(directory, params.get("base", self.product.edition)) as copy:
            database = Database(copy)
            self.doing = "ask"
            try:
                return self.exceptions.found(database.state(), database.said())
            finally:
                database.stop()

    def session(self, directory: Path, params: Mapping[str, str], edition: str) -> Statements:
        """Return a writer; raises CannotDo."""
        if edition != self.product.edition:
            raise shared.CannotDo("the product writes its own edition only", f"edition:{edition}")
        return Statements(directory, params, params.get("base", self.product.edition))
