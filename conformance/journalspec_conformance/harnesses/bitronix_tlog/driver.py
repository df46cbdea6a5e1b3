"""The product's classes as Python sees them: cursor, journal, configuration.

Nothing here interprets a byte of a log: all values come from the product's own
getters. Private fields are looked at only to name the active file and to let go
of files without closing the journal (closing would write to them).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses.java.jvm import (
    Java,
    Thrown,
    declared_field,
    java_bytes,
    java_classes,
    product_call,
    python_bytes,
)

#: File 1 and file 2 of the pair, in the product's order and by its default names.
PAIR = ("btm1.tlog", "btm2.tlog")
#: Written into the gtrids that the product itself makes; its default would be the host's address.
SERVER_ID = "journalspec"
_UNSIGNED = 0xFFFFFFFF
#: What an appender has to be closed by: a channel, and up to version 2.1.2 a file.
_OPEN_FILES = ("fc", "randomAccessFile")
#: The one exception that ``skipCorruptedLogs`` skips.
CORRUPTED = "bitronix.tm.journal.CorruptedTransactionLogException"

#: Field of a record -> the product's getter for it; names in the getter's order.
GETTERS: Mapping[str, Callable[[Java], Any]] = {
    "status": lambda record: int(record.getStatus()),
    "record_length": lambda record: int(record.getRecordLength()),
    "header_length": lambda record: int(record.getHeaderLength()),
    "time": lambda record: int(record.getTime()),
    "sequence_number": lambda record: int(record.getSequenceNumber()),
    "crc32": lambda record: int(record.getCrc32()) & _UNSIGNED,
    "gtrid": lambda record: python_bytes(record.getGtrid().getArray()),
    "names": lambda record: _names(record.getUniqueNames()),
}


def _class(name: str) -> Java:
    return java_classes().JClass(f"bitronix.tm.{name}")


def _names(java_set: Java) -> tuple[str, ...]:
    return tuple(str(name) for name in java_set)


def pair_of(directory: Path) -> tuple[str, str]:
    """Return the names of file 1 and file 2 as somebody would configure them for `directory`.

    The product takes any two names. Two files are the pair, in the order of
    the numbers in their names; otherwise the default names are configured.
    """
    names = [path.name for path in directory.iterdir() if path.is_file()]
    if len(names) != len(PAIR):
        return PAIR
    first, second = sorted(names, key=_by_number)
    return first, second


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def read_file(path: Path) -> Iterator[dict[str, Any] | Thrown]:
    """Yield the fields of each record of one file, and each exception where the cursor threw.

    After a CorruptedTransactionLogException the cursor is asked again, as the
    product does under ``skipCorruptedLogs``; after any other exception it ends.
    An exception while the file is opened is raised, not yielded. The file is
    not changed.
    """
    with product_call():
        cursor = _class("journal.TransactionLogCursor")(java_classes().JClass("java.io.File")(str(path)))
    try:
        while True:
            try:
                with product_call():
                    found = cursor.readLog()
                    if found is None:
                        return
                    record = {name: get(found) for name, get in GETTERS.items()}
                yield record
            except Thrown as thrown:
                yield thrown
                if thrown.name != CORRUPTED:
                    return
    finally:
        with product_call():
            cursor.close()


def header_timestamp(path: Path) -> int:
    """Return the timestamp of a file that has a whole header, read by the product's header class."""
    file = java_classes().JClass("java.io.RandomAccessFile")(str(path), "r")
    header = _class("journal.TransactionLogHeader")
    # Its constructor takes a file or a channel, as the version likes it.
    kinds = [maker.getParameterTypes() for maker in header.class_.getDeclaredConstructors()]
    takes_file = any(len(kind) > 0 and kind[0].equals(file.getClass()) for kind in kinds)
    try:
        with product_call():
            return int(header(file if takes_file else file.getChannel(), file.length()).getTimestamp())
    finally:
        file.close()


def _own_counter() -> Java:
    """Return the counter that only records are numbered by, None in a version without one."""
    field = declared_field(_class("journal.TransactionLogRecord").class_, "sequenceGenerator")
    return None if field is None else field.get(None)


def first_sequence_number() -> int:
    """Return the sequence number of the first record of a new process."""
    return 1 if _own_counter() is not None else 0


def next_sequence_number(number: int) -> None:
    """Let the next record have sequence number `number`, as after a start it has the first one."""
    counter = _own_counter()
    if counter is not None:
        counter.set(_signed(number - 1))
        return
    # Up to 2.1.2 records and the product's own gtrids are numbered by one counter.
    declared_field(_class("utils.UidGenerator").class_, "sequenceNumber").setInt(None, _signed(number))


def _signed(number: int) -> int:
    """Return `number` modulo 2^32 as Java's int."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def configure(directory: Path, *, skip: bool, megabytes: int, filtered: bool = False) -> None:
    """Set the product's configuration for a pair in `directory`; what is not named keeps its default."""
    conf = _class("TransactionManagerServices").getConfiguration()
    conf.setServerId(SERVER_ID)
    conf.setDisableJmx(True)
    first, second = pair_of(directory)
    conf.setLogPart1Filename(str(directory / first))
    conf.setLogPart2Filename(str(directory / second))
    conf.setSkipCorruptedLogs(skip)
    conf.setMaxLogSizeInMb(megabytes)
    conf.setForceBatchingEnabled(False)
    conf.setFilterLogStatus(filtered)


class Journal:
    """A ``DiskJournal`` on the pair in `directory`.

    `skip` is ``skipCorruptedLogs``, `megabytes` the size of a new pair,
    `filtered` is ``filterLogStatus``. Every method raises Thrown if the product
    throws.
    """

    def __init__(
        self, directory: Path, *, skip: bool = False, megabytes: int = 2, filtered: bool = False
    ) -> None:
        """Configure the product and make the journal object; nothing is opened yet."""
        configure(directory, skip=skip, megabytes=megabytes, filtered=filtered)
        with product_call():
            self._journal = _class("journal.DiskJournal")()

    def open(self) -> None:
        """Open the pair (made if neither file exists); the state byte of the active file is written."""
        with product_call():
            self._journal.open()
        # Versions up to 2.1.4 start the thread that batches forces even if batching is switched off, and
        # close() waits for its end in a loop that recent Java releases may never leave: let it be forgotten.
        batcher = declared_field(_class("journal.TransactionLogAppender").class_, "diskForceBatcherThread")
        if batcher is not None:
            batcher.set(None, None)

    def dangling(self) -> dict[bytes, tuple[str, ...]]:
        """Return what ``collectDanglingRecords`` returns: gtrid -> names."""
        with product_call():
            found = self._journal.collectDanglingRecords()
            return {
                python_bytes(entry.getKey().getArray()): _names(entry.getValue().getUniqueNames())
                for entry in found.entrySet()
            }

    def log(self, status: int, gtrid: bytes, names: Iterable[str]) -> None:
        """Log one record."""
        jpype = java_classes()
        unique = jpype.JClass("java.util.HashSet")()
        for name in names:
            unique.add(jpype.JString(name))
        uid = _class("utils.Uid")(java_bytes(gtrid))
        with product_call():
            self._journal.log(status, uid, unique)

    def force(self) -> None:
        """Force what was logged to disk."""
        with product_call():
            self._journal.force()

    def close(self) -> None:
        """Close cleanly: both files get state 0."""
        with product_call():
            self._journal.close()

    def active(self) -> str | None:
        """Return the name of the file that the product works on, None if the journal is not open."""
        appender = _value(self._journal, "activeTla")
        return None if appender is None else Path(str(_value(appender, "file"))).name

    def abandon(self) -> None:
        """Let go of both files as a dying process would: nothing is written."""
        for part in ("tla1", "tla2"):
            appender = _value(self._journal, part)
            for name in _OPEN_FILES if appender is not None else ():
                file = _value(appender, name)
                if file is not None:
                    with product_call():
                        file.close()
                    break


def _value(owner: Java, name: str) -> Java:
    """Return what the private field `name` of a product object holds (None if it has no such field)."""
    field = declared_field(owner.getClass(), name)
    value = None if field is None else field.get(owner)
    reference = java_classes().JClass("java.util.concurrent.atomic.AtomicReference")
    return value.get() if isinstance(value, reference) else value
