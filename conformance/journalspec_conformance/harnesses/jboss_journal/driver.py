"""The product's journal as Python sees it.

Nothing here interprets a byte of a file: every value comes from the product's
callbacks, lists and getters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses.java.jvm import Java, java_classes, product_call
from journalspec_conformance.harnesses.jboss_journal.brands import Brand
from journalspec_conformance.harnesses.jboss_journal.settings import Settings

#: The name of a compaction's control file in both products.
CONTROL = "journal-rename-control.ctr"
_UNSIGNED_BYTE = 0xFF
#: Seconds to wait for Artemis' threads; they take microseconds.
_PATIENCE = 5
_SIGN = 0x80


@dataclass(frozen=True, slots=True)
class Info:
    """One ``RecordInfo``; `user_type` is unsigned."""

    id: int
    user_type: int
    body: bytes
    is_update: bool
    compact_count: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """One ``PreparedTransactionInfo``."""

    tx: int
    extra: bytes
    records: tuple[Info, ...]
    deletes: tuple[Info, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What ``load`` delivers."""

    records: tuple[Info, ...]
    prepared: tuple[Prepared, ...]


@dataclass
class FileReading:
    """One file as the product reads it: header id, and records as (type, fields)."""

    name: str
    file_id: int
    records: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


def _bytes(array: Java) -> bytes:
    return b"" if array is None else bytes(memoryview(array).cast("B"))


def _info(record: Java) -> Info:
    return Info(
        int(record.id),
        int(record.userRecordType) & _UNSIGNED_BYTE,
        _bytes(record.data),
        bool(record.isUpdate),
        int(getattr(record, "compactCount", 0)),  # before HornetQ 2.2 there is none
    )


class _Reader:
    """A ``JournalReaderCallback``: takes in the records of one file. The method names are the interface's."""

    def __init__(self, reading: FileReading) -> None:
        self._reading = reading

    def _add(self, kind: str, **fields: Any) -> None:
        self._reading.records.append((kind, {"file_id": self._reading.file_id, **fields}))

    def _whole(self, kind: str, record: Java, **fields: Any) -> None:
        info = _info(record)
        self._add(kind, **fields, id=info.id, user_type=info.user_type, body=info.body)

    def onReadEventRecord(self, record: Java) -> None:  # noqa: N802 - the interface's name
        self._whole("EVENT", record)

    def onReadAddRecord(self, record: Java) -> None:  # noqa: N802 - the interface's name
        self._whole("ADD", record)

    def onReadUpdateRecord(self, record: Java) -> None:  # noqa: N802 - the interface's name
        self._whole("UPDATE", record)

    def onReadDeleteRecord(self, ident: int) -> None:  # noqa: N802 - the interface's name
        self._add("DELETE", id=int(ident))

    def onReadAddRecordTX(self, tx: int, record: Java) -> None:  # noqa: N802 - the interface's name
        self._whole("ADD_TX", record, tx=int(tx))

    def onReadUpdateRecordTX(self, tx: int, record: Java) -> None:  # noqa: N802 - the interface's name
        self._whole("UPDATE_TX", record, tx=int(tx))

    def onReadDeleteRecordTX(self, tx: int, record: Java) -> None:  # noqa: N802 - the interface's name
        self._add("DELETE_TX", tx=int(tx), id=int(record.id), body=_bytes(record.data))

    def onReadPrepareRecord(self, tx: int, extra: Java, count: int) -> None:  # noqa: N802 - as above
        self._add("PREPARE", tx=int(tx), extra=_bytes(extra), count=int(count))

    def onReadCommitRecord(self, tx: int, count: int) -> None:  # noqa: N802 - the interface's name
        self._add("COMMIT", tx=int(tx), count=int(count))

    def onReadRollbackRecord(self, tx: int) -> None:  # noqa: N802 - the interface's name
        self._add("ROLLBACK", tx=int(tx))

    def markAsDataFile(self, file: Java) -> None:  # noqa: N802 - the interface's name
        """Every file is listed, with or without data."""

    def done(self) -> None:
        """Artemis says so at the end of a file."""


class _Failures:
    """A ``TransactionFailureCallback``: what it hears stands in the log too, with the reason."""

    def failedTransaction(self, tx: int, records: Java, deletes: Java) -> None:  # noqa: N802 - as above
        """Nothing to keep."""


class Journal:
    """A product's journal in `directory`. Every method raises Thrown if the product throws."""

    def __init__(self, brand: Brand, directory: Path, settings: Settings) -> None:
        """Make factory and journal; nothing is touched yet."""
        self.brand = brand
        self.directory = directory
        with product_call():
            self._factory = self.make_factory()
            self._journal = brand.make_journal(self._factory, settings)
            self._journal.setAutoReclaim(settings.auto_reclaim)

    def make_factory(self) -> Java:
        """Return the factory of the journal's files."""
        return self.brand.make_factory(self.directory)

    def load(self) -> Loaded:
        """Start and load: the directory is made ready for appending."""
        array_list = java_classes().JClass("java.util.ArrayList")
        records, prepared = array_list(), array_list()
        failures = java_classes().JProxy(self.brand.class_of("TransactionFailureCallback"), inst=_Failures())
        with product_call():
            self._journal.start()
            self.brand.load(self._journal, records, prepared, failures)
            return Loaded(
                tuple(_info(record) for record in records),
                tuple(self._prepared(item) for item in prepared),
            )

    def _prepared(self, item: Java) -> Prepared:
        old = hasattr(item, "extraData")  # public fields in HornetQ, getters in Artemis
        records = item.records if old else item.getRecords()
        deletes = item.recordsToDelete if old else item.getRecordsToDelete()
        return Prepared(
            int(item.id if old else item.getId()),
            _bytes(item.extraData if old else item.getExtraData()),
            tuple(_info(record) for record in records),
            tuple(_info(record) for record in deletes),
        )

    def check_control_file(self) -> None:
        """Apply or remove a control file."""
        with product_call():
            self.brand.check_control_file(self._journal)

    def read_all(self) -> list[FileReading]:
        """Read every data file, in the product's order."""
        readings = []
        with product_call():
            for file in self.brand.call(self._journal, "orderFiles"):
                reading = FileReading(str(file.getFile().getFileName()), int(file.getFileID()))
                self._read(file, reading)
                readings.append(reading)
        return readings

    def read_beside(self, name: str) -> FileReading:
        """Read a file that is no data file (any more); a control file as the product reads it.

        The others are read as the only data file of another directory: that is how the product reads headers.
        """
        with product_call():
            if name == CONTROL:
                found = self.brand.control_file(self.brand.make_file(self._factory, name))
            else:
                (found,) = self.brand.call(self._journal, "orderFiles")
            reading = FileReading(name, int(found.getFileID()))
            self._read(found, reading)
            return reading

    def _read(self, file: Java, reading: FileReading) -> None:
        callback = java_classes().JProxy(
            self.brand.class_of("impl.JournalReaderCallback"), inst=_Reader(reading)
        )
        self.brand.class_of("impl.JournalImpl").readJournalFile(self._factory, file, callback)

    def append(self, op: dict[str, Any], *, sync: bool) -> None:
        """Do one operation on a record; `op` is the protocol's object."""
        jpype = java_classes()
        body = jpype.JArray(jpype.JByte)(bytes.fromhex(op.get("body", "")))
        user_type = jpype.JByte(_signed(int(op.get("user_type", "0"))))
        ident, tx = int(op.get("id", "0")), int(op.get("tx", "0"))
        journal = self._journal
        with product_call():
            match op["op"]:
                case "add":
                    journal.appendAddRecord(ident, user_type, body, sync)
                case "update":
                    journal.appendUpdateRecord(ident, user_type, body, sync)
                case "event":
                    self.brand.append_event(journal, ident, user_type, body, sync)
                case "delete":
                    journal.appendDeleteRecord(ident, sync)
                case "add_tx":
                    journal.appendAddRecordTransactional(tx, ident, user_type, body)
                case "update_tx":
                    journal.appendUpdateRecordTransactional(tx, ident, user_type, body)
                case "delete_tx":
                    journal.appendDeleteRecordTransactional(tx, ident, body)
                case "prepare":
                    extra = jpype.JArray(jpype.JByte)(bytes.fromhex(op.get("extra", "")))
                    journal.appendPrepareRecord(tx, extra, sync)
                case "commit":
                    journal.appendCommitRecord(tx, sync)
                case "rollback":
                    journal.appendRollbackRecord(tx, sync)
            if not sync:
                self.appended()

    def force(self) -> None:
        """Make the current file durable."""
        with product_call():
            self._settle()
            self._journal.getCurrentFile().getFile().sync()

    def next(self) -> None:
        """Roll to the next file."""
        with product_call():
            self._settle()
            self._journal.forceMoveNextFile()

    def reclaim(self) -> None:
        """Look for files that nothing needs any more, now, whatever the settings say."""
        with product_call():
            self._settle()
            before = self._journal.isAutoReclaim()
            self._journal.setAutoReclaim(True)
            self._journal.checkReclaimStatus()
            self._journal.setAutoReclaim(before)

    def compact(self) -> None:
        """Compact all full files."""
        with product_call():
            self._settle()
            self.brand.compact(self._journal)

    def appended(self) -> None:
        """Wait until every append has been written: Artemis hands them to a thread."""
        if not self.brand.older:
            seconds = java_classes().JClass("java.util.concurrent.TimeUnit").SECONDS
            self._journal.flushAppendExecutor(_PATIENCE, seconds)

    def _settle(self) -> None:
        """Wait for what Artemis has handed to its threads."""
        if not self.brand.older:
            self._journal.flush()

    def stop(self) -> None:
        """Stop: files are closed, threads end. A journal that is not started stays as it is."""
        with product_call():
            if self._journal.isStarted():
                self._settle()
                self._journal.stop()


def _signed(value: int) -> int:
    return (value & _UNSIGNED_BYTE) - ((value & _SIGN) << 1)
