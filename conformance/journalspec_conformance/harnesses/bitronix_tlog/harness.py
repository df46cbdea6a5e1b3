"""``read``, ``recover`` and ``write``, answered by the product as the package's docstring describes.

No code here interprets a byte of a log. All values come from the product's own getters. Private fields are
read only to name the active file, to release files without closing the journal (closing would write to them),
and to number records.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from journalspec.formats import get_format
from journalspec.observation import jsonable
from journalspec_conformance.harnesses import product as shared
from journalspec_conformance.harnesses import table
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Java, Thrown, java_class, product_call
from journalspec_conformance.harnesses.product import Answer, Op

FORMAT = "bitronix_tlog"
#: The default names of file 1 and file 2 of the pair, in the product's order.
PAIR = ("btm1.tlog", "btm2.tlog")
#: The only exception that ``skipCorruptedLogs`` skips.
CORRUPTED = "bitronix.tm.journal.CorruptedTransactionLogException"
#: The server id, which the product puts into the gtrids that it creates. The default would be the host's
#: address.
_SERVER_ID = "journalspec"
#: The field of an appender with the resource to close: a channel, in versions up to 2.1.2 a file.
_OPEN_FILES = ("fc", "randomAccessFile")
_UNSIGNED = 0xFFFFFFFF
_HEADER_LENGTH = 21
_MEBIBYTE = 1 << 20
#: The current value of the configuration. There is only one for the whole process, and only this module uses
#: it.
_configured: dict[str, Any] = {}
_HEX = re.compile(r"([0-9a-f]{2})*")

#: Maps each field of a record to the product's getter. A record's names keep the order that the getter
#: returns.
GETTERS: Mapping[str, Callable[[Java], Any]] = {
    "status": lambda record: int(record.getStatus()),
    "record_length": lambda record: int(record.getRecordLength()),
    "header_length": lambda record: int(record.getHeaderLength()),
    "time": lambda record: int(record.getTime()),
    "sequence_number": lambda record: int(record.getSequenceNumber()),
    "crc32": lambda record: int(record.getCrc32()) & _UNSIGNED,
    "gtrid": lambda record: jvm.python_bytes(record.getGtrid().getArray()),
    "names": lambda record: [str(name) for name in record.getUniqueNames()],
}


# Functions that return the product's classes, as Python objects.


def _class(name: str) -> Java:
    return java_class(f"bitronix.tm.{name}")


@cache
def status_names() -> dict[int, str]:
    """Map each status number to its record type, from the format's own vocabulary."""
    told = {name: text.partition(":")[0] for name, text in get_format(FORMAT).record_types.items()}
    return {int(number): name for name, number in told.items() if number.isdigit()}


def pair_of(directory: Path) -> tuple[str, str]:
    """Return the names of file 1 and file 2 as a user would configure them for `directory`.

    The product accepts any two names. If there are exactly two files, these are the pair, ordered by the
    numbers in their names. Otherwise the default names are configured.
    """
    names = [path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()]
    if len(names) != len(PAIR):
        return PAIR
    first, second = sorted(sorted(names), key=lambda name: shared.by_number(name.rpartition("/")[2]))
    return first, second


def _is_whole_pair(directory: Path) -> bool:
    """Return whether both files exist and have equal lengths; the product makes the same comparison."""
    paths = [directory / name for name in pair_of(directory)]
    return all(path.is_file() for path in paths) and len({path.stat().st_size for path in paths}) == 1


def _read_one(directory: Path, file: str) -> tuple[list[Answer], list[Thrown]]:
    """Read one file as far as the product does, and return its records and the exceptions.

    After a CorruptedTransactionLogException the cursor is called again, as the product does under
    ``skipCorruptedLogs``; after any other exception the reading ends. Raises Thrown if the file cannot be
    opened. The file is not changed.
    """
    names = status_names()
    records: list[Answer] = []
    exceptions: list[Thrown] = []
    with product_call():
        path = java_class("java.io.File")(str(directory / file))
        cursor = _class("journal.TransactionLogCursor")(path)
    try:
        while not exceptions or exceptions[-1].name == CORRUPTED:
            try:
                with product_call():
                    found = cursor.readLog()
                    if found is None:
                        break
                    fields = {name: get(found) for name, get in GETTERS.items()}
            except Thrown as thrown:
                exceptions.append(thrown)
            else:
                kind = names.get(fields["status"], "OTHER")
                records.append({"type": kind, **jsonable(fields), "at": {"file": file}})
    finally:
        with product_call():
            cursor.close()
    return records, exceptions


def _header_timestamp(path: Path) -> int:
    """Return the timestamp of a file with a complete header, read by the product's header class."""
    file = java_class("java.io.RandomAccessFile")(str(path), "r")
    header = _class("journal.TransactionLogHeader")
    try:
        with product_call():
            try:
                found = header(file, file.length())
            except TypeError:  # Newer versions need a channel.
                found = header(file.getChannel(), file.length())
            return int(found.getTimestamp())
    finally:
        file.close()


def _number_records(first: int | None) -> None:
    """Make `first` the sequence number of the next record; None means the number in a new process."""
    counter = jvm.declared_field(_class("journal.TransactionLogRecord").class_, "sequenceGenerator")
    if counter is not None:
        counter.get(None).set(0 if first is None else _signed(first - 1))
    else:
        # Up to version 2.1.2, one counter numbers both records and the product's own gtrids, beginning with
        # 0.
        jvm.declared_field(_class("utils.UidGenerator").class_, "sequenceNumber").setInt(
            None, _signed(first or 0)
        )


def _signed(number: int) -> int:
    """Return `number` modulo 2^32 as an int of Java."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def configure(directory: Path, *, skip: bool = False, megabytes: int = 1, filtered: bool = False) -> None:
    """Set the product's configuration for a pair in `directory`; other settings keep their defaults."""
    first, second = pair_of(directory)
    settings = {
        "ServerId": _SERVER_ID,
        "DisableJmx": True,
        "LogPart1Filename": str(directory / first),
        "LogPart2Filename": str(directory / second),
        "SkipCorruptedLogs": skip,
        "MaxLogSizeInMb": megabytes,
        "ForceBatchingEnabled": False,
        "FilterLogStatus": filtered,
    }
    configuration = _class("TransactionManagerServices").getConfiguration()
    for name, value in settings.items():
        if _configured.get(name) != value:
            getattr(configuration, f"set{name}")(value)
            _configured[name] = value


class Journal:
    """A ``DiskJournal`` on the pair in `directory`. Every method raises Thrown if the product throws.

    `skip` is ``skipCorruptedLogs``, `megabytes` the size of a new pair, `filtered` is ``filterLogStatus``.
    """

    def __init__(self, directory: Path, **settings: Any) -> None:
        """Configure the product and create the journal object. Nothing is opened yet."""
        configure(directory, **settings)
        with product_call():
            self._journal = _class("journal.DiskJournal")()

    @product_call()
    def open(self) -> None:
        """Open the pair, which is created if neither file exists.

        Opening writes the active file's state byte.
        """
        self._journal.open()
        # Versions up to 2.1.4 start the thread that batches fsyncs even if batching is switched off. On
        # recent Java releases close() may wait forever for the end of this thread. The field is cleared, so
        # that close() does not wait.
        batcher = jvm.declared_field(
            _class("journal.TransactionLogAppender").class_, "diskForceBatcherThread"
        )
        if batcher is not None:
            batcher.set(None, None)

    @product_call()
    def dangling(self) -> list[Answer]:
        """Return the records that ``collectDanglingRecords`` returns, in the order of gtrids."""
        found = [
            (jvm.python_bytes(entry.getKey().getArray()), GETTERS["names"](entry.getValue()))
            for entry in self._journal.collectDanglingRecords().entrySet()
        ]
        return [{"gtrid": gtrid.hex(), "names": names} for gtrid, names in sorted(found)]

    @product_call()
    def do(self, name: str, *arguments: Java) -> None:
        """Call ``log``, ``force`` or ``close`` (cleanly: both files get state 0)."""
        getattr(self._journal, name)(*arguments)

    def active(self) -> str | None:
        """Return the name of the file that the product works on, or None if the journal is not open."""
        appender = jvm.private_value(self._journal, "activeTla")
        return None if appender is None else Path(str(jvm.private_value(appender, "file"))).name

    @product_call()
    def stop(self) -> None:
        """Close both files without writing, as happens at the end of a killed process."""
        for part in ("tla1", "tla2"):
            appender = jvm.private_value(self._journal, part)
            opened = [] if appender is None else [jvm.private_value(appender, name) for name in _OPEN_FILES]
            for file in [file for file in opened if file is not None][:1]:
                file.close()


# The operations of the protocol.


class Writing(shared.Session):
    """The operations through the product's journal."""

    operations = ("log", "force", "close")

    def __init__(self, directory: Path, params: Mapping[str, str]) -> None:
        """Store the request's parameters. No file is accessed yet."""
        super().__init__(directory, params)
        _number_records(int(params["sequence"]) if "sequence" in params else None)

    def made(self) -> Journal:
        """Return the journal. If the request gives a length for the files, create the pair first."""
        if "file_length" in self.params and not any(self.directory.iterdir()):
            _make_pair(self.directory, int(self.params["file_length"]))
        return Journal(self.directory, filtered=self.params.get("filter_status") == "true")

    def done(self, op: Op) -> bool:
        """Log, force or close."""
        logs = op["op"] == "log"
        self.journal.do(op["op"], *(_log_arguments(op) if logs else ()))
        return not logs

    def said(self) -> Answer:
        """Return the file that the product is working on, if a journal is open."""
        active = None if self.journal is None else self.journal.active()
        return {} if active is None else {"active": active}

    def files(self) -> list[str]:
        """Return the names of the files of the pair that exist."""
        return [name for name in pair_of(self.directory) if (self.directory / name).exists()]


def _make_pair(directory: Path, length: int) -> None:
    """Let the product create an empty pair, then truncate both files to `length` bytes.

    The product creates only files of 21 bytes plus a multiple of 1 MiB. When it opens existing files, it
    accepts any length.
    """
    if length < _HEADER_LENGTH:
        raise shared.CannotDo(
            f"file_length {length}: the product's files have at least {_HEADER_LENGTH} bytes"
        )
    journal = Journal(directory, megabytes=max(1, -(-(length - _HEADER_LENGTH) // _MEBIBYTE)))
    journal.open()
    journal.do("close")
    for name in PAIR:
        os.truncate(directory / name, length)


def _log_arguments(op: Op) -> tuple[int, Java, Java]:
    numbers = {name: number for number, name in status_names().items()}
    status = numbers.get(op["type"])
    if status is None and "status" in op:
        status = int(op["status"])
    if status is None:
        raise shared.CannotDo(f"record type {op['type']!r} without a status number")
    if not _HEX.fullmatch(op["gtrid"]):
        raise shared.CannotDo(f"gtrid {op['gtrid']!r} is not lower-case hex")
    names = java_class("java.util.HashSet")()
    for name in op["names"]:
        names.add(jvm.java_classes().JString(name))
    return status, _class("utils.Uid")(jvm.java_bytes(bytes.fromhex(op["gtrid"]))), names


def _lacking(directory: Path, params: Mapping[str, str], order: str) -> str | None:
    """Return the parameter in `params` that the product cannot follow, or None.

    The product uses the machine's clock. That can replace a requested clock that starts after the timestamps
    in the files and runs forward, but not a clock that stands still or goes back.
    """
    paths = [directory / name for name in pair_of(directory)]
    whole = [path for path in paths if path.is_file() and path.stat().st_size >= _HEADER_LENGTH]
    if int(params.get("clock_step", "1")) <= 0:
        return "param:clock_step"
    if "clock" in params and int(params["clock"]) < max(map(_header_timestamp, whole), default=0):
        return "param:clock"
    if params.get("order", order) != order:
        return f"param:order={params['order']}"
    return None


class Bitronix(shared.Driver):
    """One version of the transaction manager's journal."""

    format_id = FORMAT
    charset = "UTF-8"
    claims = table(__package__, "java.toml")["claims"]

    def observed(self, directory: Path, params: Mapping[str, str]) -> Answer:
        """Return every record of both files, in the order of the pair."""
        pair = pair_of(directory)
        present = [name for name in pair if (directory / name).is_file()]
        if not present:
            return shared.no_files("neither file exists: no cursor was opened")
        records: list[Answer] = []
        said: list[str] = []
        unopened: list[Thrown] = []
        for name in present:
            try:
                found, thrown = _read_one(directory, name)
            except Thrown as error:
                found, thrown = [], [error]
                unopened.append(error)
            records += found
            said += [f"{name}: {error}" for error in thrown]
        if len(unopened) == len(present):
            return self.exceptions.refused(unopened[0], "open")
        both = len(present) == len(pair) and not unopened
        answer = shared.observation(said or not both or not _is_whole_pair(directory), said, records=records)
        # If a file is absent or cannot be opened, the product's own recovery does not return: the answer has
        # no state.
        if both:
            with shared.copy_of(directory) as copy:
                state = self.recovered(copy, params, "salvage").get("state")
            if state is not None:
                answer["state"] = state
        return answer

    def recovered(self, directory: Path, params: Mapping[str, str], policy: str) -> Answer:
        """Open the journal in `directory`, and return the records that the product calls dangling.

        The product writes the state byte, and creates the files if there are none.
        """
        whole = _is_whole_pair(directory)
        fresh = not any((directory / name).exists() for name in pair_of(directory))
        journal = Journal(directory, skip=policy == "salvage")
        where = "open"
        try:
            journal.open()
            active = journal.active() or ""
            where = next((name for name in pair_of(directory) if Path(name).name == active), active)
            unfinished = journal.dangling()
            records, thrown = _read_one(directory, where)
        except Thrown as error:
            refused = self.exceptions.refused(error, "open" if where == "open" else "scan")
            return {**refused, "message": f"{where}: {error}"}
        finally:
            journal.stop()
        state = {"active": where, "unfinished": unfinished}
        return shared.observation(thrown or not (whole or fresh), thrown, records=records, state=state)

    def session(self, directory: Path, params: Mapping[str, str], edition: str) -> Writing:
        """Return a writer; raises CannotDo."""
        lacking = _lacking(directory, params, self.product.version)
        if lacking:
            raise shared.CannotDo("the product chooses this itself", lacking)
        return Writing(directory, params)
