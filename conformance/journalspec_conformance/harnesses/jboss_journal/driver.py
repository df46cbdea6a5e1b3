"""The product's journal as Python sees it.

Nothing here interprets a byte of a file: every value comes from the product's
callbacks, lists and getters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from journalspec.observation import jsonable
from journalspec_conformance.harnesses.java.jvm import (
    Java,
    java_bytes,
    java_classes,
    product_call,
    python_bytes,
)
from journalspec_conformance.harnesses.jboss_journal.variants import Settings, Variant

#: The name of a compaction's control file in both products.
CONTROL = "journal-rename-control.ctr"
_UNSIGNED_BYTE = 0xFF
#: Seconds to wait for Artemis' threads; they take microseconds.
_PATIENCE = 5
_SIGN = 0x80

Answer = dict[str, Any]


#: Method of a ``JournalReaderCallback`` -> type of the record, and what the arguments are.
_CALLBACKS = {
    "onReadEventRecord": ("EVENT", "record"),
    "onReadAddRecord": ("ADD", "record"),
    "onReadUpdateRecord": ("UPDATE", "record"),
    "onReadDeleteRecord": ("DELETE", "id"),
    "onReadAddRecordTX": ("ADD_TX", "tx record"),
    "onReadUpdateRecordTX": ("UPDATE_TX", "tx record"),
    "onReadDeleteRecordTX": ("DELETE_TX", "tx deleted"),
    "onReadPrepareRecord": ("PREPARE", "tx extra count"),
    "onReadCommitRecord": ("COMMIT", "tx count"),
    "onReadRollbackRecord": ("ROLLBACK", "tx"),
}
#: Operation -> the journal's method for it, and its arguments. What takes `sync` is durable afterwards.
APPENDS = {
    "add": ("appendAddRecord", "id user_type body sync"),
    "update": ("appendUpdateRecord", "id user_type body sync"),
    "event": ("", "id user_type body sync"),
    "delete": ("appendDeleteRecord", "id sync"),
    "add_tx": ("appendAddRecordTransactional", "tx id user_type body"),
    "update_tx": ("appendUpdateRecordTransactional", "tx id user_type body"),
    "delete_tx": ("appendDeleteRecordTransactional", "tx id body"),
    "prepare": ("appendPrepareRecord", "tx extra sync"),
    "commit": ("appendCommitRecord", "tx sync"),
    "rollback": ("appendRollbackRecord", "tx sync"),
}


@dataclass(frozen=True, slots=True)
class Loaded:
    """What ``load`` delivers, in the protocol's form."""

    records: list[Answer]
    prepared: list[Answer]


@dataclass
class FileReading:
    """One file as the product reads it: header id, and records as (type, fields)."""

    name: str
    file_id: int
    records: list[tuple[str, Answer]] = field(default_factory=list)

    def callbacks(self) -> dict[str, Any]:
        """Return the methods of a ``JournalReaderCallback`` that takes the records in."""

        def taking(kind: str, names: str) -> Callable[..., None]:
            def take(*arguments: Java) -> None:
                fields: Answer = {"file_id": self.file_id}
                for name, value in zip(names.split(), arguments, strict=True):
                    fields |= _fields(name, value)
                self.records.append((kind, jsonable(fields)))

            return take

        found = {method: taking(kind, names) for method, (kind, names) in _CALLBACKS.items()}
        # Every file is listed, with or without data; Artemis says so at its end.
        return {**found, "markAsDataFile": lambda file: None, "done": lambda: None}


def _fields(name: str, value: Java) -> Answer:
    """Return the fields that one argument of a callback holds."""
    if name == "record":
        return {"id": int(value.id), "user_type": _user_type(value), "body": python_bytes(value.data)}
    if name == "deleted":
        return {"id": int(value.id), "body": python_bytes(value.data)}
    return {name: python_bytes(value) if name == "extra" else int(value)}


def _user_type(record: Java) -> int:
    return int(record.userRecordType) & _UNSIGNED_BYTE


def _live(record: Java) -> Answer:
    """Return a ``RecordInfo`` as part of a state."""
    kind = {"kind": "UPDATE" if bool(record.isUpdate) else "ADD"}
    # Before HornetQ 2.2 there is no compact count.
    count = {"compact_count": int(getattr(record, "compactCount", 0))}
    return {**kind, **_fields("record", record), **count}


def _prepared(item: Java) -> Answer:
    """Return a ``PreparedTransactionInfo``: public fields in HornetQ, getters in Artemis."""
    old = hasattr(item, "extraData")
    records = item.records if old else item.getRecords()
    deletes = item.recordsToDelete if old else item.getRecordsToDelete()
    return {
        "tx": int(item.id if old else item.getId()),
        "extra": python_bytes(item.extraData if old else item.getExtraData()),
        "records": [_live(record) for record in records],
        "deletes": [_fields("deleted", record) for record in deletes],
    }


class Journal:
    """A product's journal in `directory`. Every method raises Thrown if the product throws."""

    def __init__(self, variant: Variant, directory: Path, settings: Settings) -> None:
        """Make factory and journal; nothing is touched yet."""
        self.variant = variant
        self.directory = directory
        with product_call():
            self._factory = self.make_factory()
            self._journal = variant.make_journal(self._factory, settings)
            self._journal.setAutoReclaim(settings.auto_reclaim)

    def make_factory(self) -> Java:
        """Return the factory of the journal's files."""
        return self.variant.make_factory(self.directory)

    def load(self) -> Loaded:
        """Start and load: the directory is made ready for appending."""
        array_list = java_classes().JClass("java.util.ArrayList")
        records, prepared = array_list(), array_list()
        # What this callback hears stands in the log too, with the reason.
        unheard = {"failedTransaction": lambda tx, records, deletes: None}
        failures = java_classes().JProxy(self.variant.class_of("TransactionFailureCallback"), dict=unheard)
        with product_call():
            self._journal.start()
            self.variant.load(self._journal, records, prepared, failures)
            return Loaded([_live(record) for record in records], [_prepared(item) for item in prepared])

    def check_control_file(self) -> None:
        """Apply or remove a control file."""
        with product_call():
            self.variant.check_control_file(self._journal)

    def read_all(self) -> list[FileReading]:
        """Read every data file, in the product's order."""
        readings = []
        with product_call():
            for file in self.variant.call(self._journal, "orderFiles"):
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
                found = self.variant.control_file(self.variant.make_file(self._factory, name))
            else:
                (found,) = self.variant.call(self._journal, "orderFiles")
            reading = FileReading(name, int(found.getFileID()))
            self._read(found, reading)
            return reading

    def _read(self, file: Java, reading: FileReading) -> None:
        interface = self.variant.class_of("impl.JournalReaderCallback")
        callback = java_classes().JProxy(interface, dict=reading.callbacks())
        self.variant.class_of("impl.JournalImpl").readJournalFile(self._factory, file, callback)

    def append(self, op: Mapping[str, Any], *, sync: bool) -> None:
        """Do one operation on a record; `op` is the protocol's object."""
        method, names = APPENDS[op["op"]]
        values = {
            "id": int(op.get("id", "0")),
            "tx": int(op.get("tx", "0")),
            "user_type": java_classes().JByte(_signed(int(op.get("user_type", "0")))),
            "body": java_bytes(bytes.fromhex(op.get("body", ""))),
            "extra": java_bytes(bytes.fromhex(op.get("extra", ""))),
            "sync": sync,
        }
        arguments = [values[name] for name in names.split()]
        with product_call():
            if method:
                getattr(self._journal, method)(*arguments)
            else:
                self.variant.append_event(self._journal, *arguments)
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
            self.variant.compact(self._journal)

    def appended(self) -> None:
        """Wait until every append has been written: Artemis hands them to a thread."""
        if not self.variant.older:
            seconds = java_classes().JClass("java.util.concurrent.TimeUnit").SECONDS
            self._journal.flushAppendExecutor(_PATIENCE, seconds)

    def _settle(self) -> None:
        """Wait for what Artemis has handed to its threads."""
        if not self.variant.older:
            self._journal.flush()

    def stop(self) -> None:
        """Stop: files are closed, threads end. A journal that is not started stays as it is."""
        with product_call():
            if self._journal.isStarted():
                self._settle()
                self._journal.stop()


def _signed(value: int) -> int:
    return (value & _UNSIGNED_BYTE) - ((value & _SIGN) << 1)


# What the products log: the only place where they speak of dropped transactions. Message numbers are the same
# in all behind different letters; before HornetQ 2.4 there are none, and the texts are known instead.

#: A transaction's PREPARE was not healthy; its COMMIT was not; it has no end.
PREPARE_INCOMPLETE, COMMIT_INCOMPLETE, UNCOMMITTED = 142013, 142014, 142015
_UNNUMBERED = {
    r"Prepared transaction -?\d+ wasn't considered completed": PREPARE_INCOMPLETE,
    r"Transaction -?\d+ is missing elements": COMMIT_INCOMPLETE,
    r"Uncommitted transaction with id -?\d+ found": UNCOMMITTED,
}
_NUMBER = re.compile(r"(?:HQ|AMQ)(\d{6})")
_ONE_ID = re.compile(r"(?<![\w.])-?\d+")


@dataclass(frozen=True, slots=True)
class Entry:
    """One message: its number (0 if it has none) and its text."""

    number: int
    text: str

    @property
    def transaction(self) -> int:
        """The transaction that the message is about; only for messages about one."""
        numbered = _NUMBER.search(self.text) is not None
        return int(_ONE_ID.findall(self.text.partition(":")[2] if numbered else self.text)[0])


class Log:
    """Takes in everything that the JVM logs at INFO or above; nothing of it is printed."""

    def __init__(self) -> None:
        """Start listening."""
        jpype = java_classes()
        self._entries: list[Entry] = []
        root = jpype.JClass("java.util.logging.LogManager").getLogManager().getLogger("")
        self._filter = jpype.JProxy("java.util.logging.Filter", dict={"isLoggable": self._keep})
        for handler in root.getHandlers():
            handler.setFilter(self._filter)

    def _keep(self, record: Java) -> bool:
        """Keep `record`; answer that it need not be printed."""
        text = str(record.getMessage())
        parameters = record.getParameters()
        for index, value in enumerate(parameters if parameters is not None else ()):
            text = text.replace(f"{{{index}}}", str(value))
        numbered = _NUMBER.search(text)
        known = (number for pattern, number in _UNNUMBERED.items() if re.match(pattern, text))
        self._entries.append(Entry(int(numbered[1]) if numbered else next(known, 0), text))
        return False

    def take(self) -> list[Entry]:
        """Return what was logged since the last call."""
        taken, self._entries = self._entries, []
        return taken
