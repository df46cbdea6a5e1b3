"""The product's classes as Python sees them: cursor, journal, configuration.

Nothing here interprets a byte of a log: all values come from the product's own
getters. Private fields are looked at only to name the active file and to let go
of files without closing the journal (closing would write to them).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from journalspec_conformance.harnesses.bitronix_tlog.failures import is_corruption
from journalspec_conformance.harnesses.java.failures import Thrown
from journalspec_conformance.harnesses.java.jvm import Java, java_classes, product_call

#: File 1 and file 2 of the pair, in the product's order and by its default names.
PAIR = ("btm1.tlog", "btm2.tlog")
#: Written into the gtrids that the product itself makes; its default would be the host's address.
SERVER_ID = "journalspec"
_UNSIGNED = 0xFFFFFFFF
#: What an appender of version 2.1.2 has instead of a channel.
_UP_TO_2_1_2 = "randomAccessFile"


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


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """One record as the product's getters give it; `crc32` is unsigned, names in the getter's order."""

    status: int
    record_length: int
    header_length: int
    time: int
    sequence_number: int
    crc32: int
    gtrid: bytes
    names: tuple[str, ...]


def _names(java_set: Java) -> tuple[str, ...]:
    return tuple(str(name) for name in java_set)


def _record(java_record: Java) -> ReadRecord:
    return ReadRecord(
        status=int(java_record.getStatus()),
        record_length=int(java_record.getRecordLength()),
        header_length=int(java_record.getHeaderLength()),
        time=int(java_record.getTime()),
        sequence_number=int(java_record.getSequenceNumber()),
        crc32=int(java_record.getCrc32()) & _UNSIGNED,
        gtrid=_bytes(java_record.getGtrid().getArray()),
        names=_names(java_record.getUniqueNames()),
    )


def _bytes(java_array: Java) -> bytes:
    return bytes(value & 0xFF for value in java_array)


def read_file(path: Path) -> Iterator[ReadRecord | Thrown]:
    """Yield each record of one file, and each exception where the cursor threw.

    After a CorruptedTransactionLogException the cursor is asked again, as the
    product does under ``skipCorruptedLogs``; after any other exception it ends.
    An exception while the file is opened is raised, not yielded. The file is
    not changed.
    """
    jpype = java_classes()
    with product_call():
        cursor = jpype.JClass("bitronix.tm.journal.TransactionLogCursor")(
            jpype.JClass("java.io.File")(str(path))
        )
    try:
        while True:
            try:
                with product_call():
                    found = cursor.readLog()
                    record = None if found is None else _record(found)
            except Thrown as thrown:
                yield thrown
                if is_corruption(thrown):
                    continue
                return
            if record is None:
                return
            yield record
    finally:
        with product_call():
            cursor.close()


def _field(owner: Java, name: str) -> Java:
    """Return the private field `name` of a product object (None if it has no such field)."""
    field = next((item for item in owner.getClass().getDeclaredFields() if str(item.getName()) == name), None)
    if field is None:
        return None
    field.setAccessible(True)
    value = field.get(owner)
    reference = java_classes().JClass("java.util.concurrent.atomic.AtomicReference")
    return value.get() if isinstance(value, reference) else value


def header_timestamp(path: Path) -> int:
    """Return the timestamp of a file that has a whole header, read by the product's header class."""
    jpype = java_classes()
    file = jpype.JClass("java.io.RandomAccessFile")(str(path), "r")
    header = jpype.JClass("bitronix.tm.journal.TransactionLogHeader")
    source = file if _takes(header, file.getClass()) else file.getChannel()
    try:
        with product_call():
            return int(header(source, file.length()).getTimestamp())
    finally:
        file.close()


def _takes(product_class: Java, first: Java) -> bool:
    """Tell whether a constructor of the class has `first` as the type of its first parameter."""
    kinds = (maker.getParameterTypes() for maker in product_class.class_.getDeclaredConstructors())
    return any(len(kind) > 0 and kind[0].equals(first) for kind in kinds)


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
    shared = java_classes().JClass("bitronix.tm.utils.UidGenerator").class_.getDeclaredField("sequenceNumber")
    shared.setAccessible(True)
    shared.setInt(None, _signed(number))


def _own_counter() -> Java:
    """Return the counter that only records are numbered by, None in a version without one."""
    record = java_classes().JClass("bitronix.tm.journal.TransactionLogRecord").class_
    fields = [item for item in record.getDeclaredFields() if str(item.getName()) == "sequenceGenerator"]
    if not fields:
        return None
    fields[0].setAccessible(True)
    return fields[0].get(None)


def _signed(number: int) -> int:
    """Return `number` modulo 2^32 as Java's int."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def configure(directory: Path, *, skip: bool, megabytes: int, filtered: bool = False) -> None:
    """Set the product's configuration for a pair in `directory`; what is not named keeps its default."""
    conf = java_classes().JClass("bitronix.tm.TransactionManagerServices").getConfiguration()
    conf.setServerId(SERVER_ID)
    conf.setDisableJmx(True)
    first, second = pair_of(directory)
    conf.setLogPart1Filename(str(directory / first))
    conf.setLogPart2Filename(str(directory / second))
    conf.setSkipCorruptedLogs(skip)
    conf.setMaxLogSizeInMb(megabytes)
    conf.setForceBatchingEnabled(False)
    conf.setFilterLogStatus(filtered)


def _forget_batcher() -> None:
    """Let ``close()`` not wait for the end of the thread that batches forces, which nothing here uses.

    Versions up to 2.1.4 start it even if batching is switched off, and wait for
    it in a loop that recent Java releases may never leave.
    """
    appender = java_classes().JClass("bitronix.tm.journal.TransactionLogAppender").class_
    for field in appender.getDeclaredFields():
        if str(field.getName()) == "diskForceBatcherThread":
            field.setAccessible(True)
            field.set(None, None)


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
            self._journal = java_classes().JClass("bitronix.tm.journal.DiskJournal")()

    def open(self) -> None:
        """Open the pair (made if neither file exists); the state byte of the active file is written."""
        with product_call():
            self._journal.open()
        _forget_batcher()

    def dangling(self) -> dict[bytes, tuple[str, ...]]:
        """Return what ``collectDanglingRecords`` returns: gtrid -> names."""
        with product_call():
            found = self._journal.collectDanglingRecords()
            return {
                _bytes(entry.getKey().getArray()): _names(entry.getValue().getUniqueNames())
                for entry in found.entrySet()
            }

    def log(self, status: int, gtrid: bytes, names: Iterable[str]) -> None:
        """Log one record."""
        jpype = java_classes()
        unique = jpype.JClass("java.util.HashSet")()
        for name in names:
            unique.add(jpype.JString(name))
        uid = jpype.JClass("bitronix.tm.utils.Uid")(jpype.JArray(jpype.JByte)(gtrid))
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
        appender = _field(self._journal, "activeTla")
        return None if appender is None else Path(str(_field(appender, "file"))).name

    def abandon(self) -> None:
        """Let go of both files as a dying process would: nothing is written."""
        for part in ("tla1", "tla2"):
            appender = _field(self._journal, part)
            channel = None if appender is None else _field(appender, "fc") or _field(appender, _UP_TO_2_1_2)
            if channel is not None:
                with product_call():
                    channel.close()
