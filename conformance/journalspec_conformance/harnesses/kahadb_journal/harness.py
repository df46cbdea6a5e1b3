"""``read``, ``recover`` and ``write``, answered by the product as the package's docstring describes.

No code here interprets a byte of a file. Every value comes from the product's lists and getters. Private
fields are read only where the product has no interface to its index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from journalspec.formats import get_format
from journalspec.kahadb_journal.commands import messages
from journalspec.observation import jsonable
from journalspec_conformance.harnesses import product as shared
from journalspec_conformance.harnesses import table
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Java, Thrown, java_class, product_call
from journalspec_conformance.harnesses.product import Answer, Op
from journalspec_corpus.model import XA_ID

FORMAT = "kahadb_journal"
_PACKAGE = "org.apache.activemq.store.kahadb"
_JAVA = table(__package__, "java.toml")
#: Maps each policy to the product's options.
OPTIONS: Mapping[str, Sequence[bool]] = _JAVA["options"]
#: The parts of a record that are omitted from an answer if they are not stored.
_OPTIONAL = frozenset(["transaction", "ack", "subscription_info", "text"])
#: The editions whose logs end in zeros, and the first edition whose logs end with an end marker.
_ZEROS, _MARKED = ("5.3", "5.12"), "5.14"
#: The length of a new file, and of the buffer for a batch. They can be small, because no log is written here.
_SMALL = 1 << 16
_ORDERED = ("highPriorityIndex", "defaultPriorityIndex", "lowPriorityIndex")


def _class(name: str) -> Java:
    return java_class(f"{_PACKAGE}.{name}")


@cache
def _field(name: str) -> Java:
    """Return a private field of the store, which its class inherits."""
    return jvm.declared_field(_class("MessageDatabase").class_, name)


def _text(value: Java) -> str:
    return "" if value is None else str(value)


def _buffer(value: Java) -> bytes:
    return b"" if value is None else jvm.python_bytes(value.toByteArray())


#: Maps the type of a field to the function that converts the product's value to the specification's.
_VALUES: Mapping[str, Callable[[Java], Any]] = {
    "s4": int,
    "s8": int,
    "bool": bool,
    "str": _text,
    "bytes": _buffer,
}


def _getter(name: str) -> str:
    return _JAVA["getters"].get(name) or "".join(part.capitalize() for part in name.split("_"))


def _destination(command: Java) -> tuple[str, str]:
    found = command.getDestination()
    if found is None:
        return "QUEUE", ""
    return str(found.getType()), _text(found.getName())


def _transaction(info: Java) -> Answer:
    if bool(info.hasXaTransactionId()):
        xa = info.getXaTransactionId()
        parts = {"gtrid": _buffer(xa.getGlobalTransactionId()), "bqual": _buffer(xa.getBranchQualifier())}
        return {"kind": "XA", "format_id": int(xa.getFormatId()), **parts}
    local = info.getLocalTransactionId()
    if local is None:
        return {"kind": "LOCAL", "connection": "", "number": 0}
    return {
        "kind": "LOCAL",
        "connection": _text(local.getConnectionId()),
        "number": int(local.getTransactionId()),
    }


def command_fields(name: str, command: Java) -> Answer:
    """Return the fields of a command under the specification's names, each read by its getter."""
    updates = name == "UPDATE_MESSAGE"
    if updates:
        name, command = "ADD_MESSAGE", command.getMessage()
    out: Answer = {}
    for slot in messages()[name].values():
        optional = slot.name in _OPTIONAL or (name, slot.name) == ("REMOVE_MESSAGE", "subscription_key")
        stored = bool(getattr(command, f"has{_getter(slot.name)}")())
        if (optional and not stored) or (updates and slot.name == "transaction"):
            continue
        if slot.name == "destination":
            kind, destination = _destination(command)
            out["destination"] = {"kind": kind, "name": destination}
        elif slot.name == "transaction":
            out["transaction"] = _transaction(command.getTransactionInfo())
        else:
            out[slot.name] = _VALUES[slot.holds](getattr(command, f"get{_getter(slot.name)}")())
    return out


def command_name(command: Java) -> str:
    """Return the specification's name of a command: the product's name without its common prefix."""
    return str(command.type()).removeprefix("KAHA_").removesuffix("_COMMAND")


class Store:
    """A ``KahaDBStore`` on the journal in `directory`. Every method raises Thrown if the product throws."""

    @product_call()
    def __init__(self, directory: Path, policy: str) -> None:
        """Create the store and its journal; no file is touched yet."""
        check, checksums, ignore = OPTIONS[policy]
        self._store = _class("KahaDBStore")()
        self._store.setDirectory(java_class("java.io.File")(str(directory)))
        self._store.setCheckForCorruptJournalFiles(check)
        self._store.setChecksumJournalFiles(checksums)
        self._store.setIgnoreMissingJournalfiles(ignore)
        # There are no background threads, because an interval of 0 means no checkpoint and no cleanup.
        self._store.setCheckpointInterval(0)
        self._store.setCleanupInterval(0)
        # The index is discarded afterwards, and opening appends only a few bytes.
        self._store.setEnableIndexDiskSyncs(False)
        self._store.setEnableIndexRecoveryFile(False)
        self._store.setJournalMaxWriteBatchSize(_SMALL)
        if not any(path.stat().st_size for path in directory.glob("db-*.log")):
            # The product creates a new file and scans it. A scan of 32 MiB of zeros takes longer than a
            # hundred logs.
            self._store.setJournalMaxFileLength(_SMALL)
        self._journal = self._store.getJournal()

    @product_call()
    def start(self) -> None:
        """Start the journal: its files are listed and checked."""
        self._journal.start()

    @product_call()
    def corrupted(self) -> list[tuple[str, int, int]]:
        """For each excluded range of a file, return the name of the file, the start and the end."""
        found = []
        for data_file in self._journal.getFileMap().values():
            path, part = Path(str(data_file.getFile())), data_file.getCorruptedBlocks().getHead()
            while part is not None:
                end = min(path.stat().st_size, int(part.getLast()) + 1)
                found.append((path.name, int(part.getFirst()), end))
                part = part.getNext()
        return found

    @product_call()
    def _next(self, at: Java) -> Java:
        return self._journal.getNextLocation(at)

    def locations(self) -> Iterator[Java]:
        """Yield the locations of all records, in the order in which replay visits them."""
        at = self._next(None)
        while at is not None:
            yield at
            at = self._next(at)

    def records(self) -> Iterator[Answer]:
        """Yield all records, loaded as by replay; a record that replay cannot load has the type OTHER."""
        names = {int(data.getDataFileId()): str(data.getFile().getName()) for data in self._files()}
        for at in self.locations():
            place = {"file": names[int(at.getDataFileId())], "off": str(int(at.getOffset()))}
            place["len"] = str(int(at.getSize()))
            try:
                name, fields = self._loaded(at)
            except Thrown:
                name, fields = "OTHER", {}
                with suppress(Thrown):  # The product may fail to return these bytes, too.
                    fields = {"payload": self._bytes(at)}
            yield {"type": name, "length": place["len"], **jsonable(fields), "at": place}

    @product_call()
    def _files(self) -> list[Java]:
        return list(self._journal.getFileMap().values())

    @product_call()
    def _loaded(self, at: Java) -> tuple[str, Answer]:
        command = self._store.load(at)
        return command_name(command), command_fields(command_name(command), command)

    @product_call()
    def _bytes(self, at: Java) -> bytes:
        data = self._journal.read(at)
        start = int(data.getOffset())
        return jvm.python_bytes(data.getData())[start : start + int(data.getLength())]

    @product_call()
    def replay(self) -> None:
        """Open the store. Its index is made from the journal."""
        self._store.open()

    @product_call()
    def state(self) -> Answer:
        """Return the content of the index, and the branches in doubt."""
        tx = _field("pageFile").get(self._store).tx()
        destinations = []
        for entry in _field("storedDestinations").get(self._store).entrySet():
            kind, _, name = str(entry.getKey()).partition(":")
            destinations.append(self._destination(_JAVA["kinds"][kind], name, entry.getValue(), tx))
        prepared = _field("preparedTransactions").get(self._store)
        # The product keeps local transactions there as well, but an answer has a place only for XA ids
        # (KHD-TXN-005).
        branches = [entry for entry in prepared.entrySet() if bool(entry.getKey().isXATransaction())]
        in_doubt = [self._in_doubt(entry) for entry in branches]
        return {
            "destinations": sorted(destinations, key=lambda item: (item["kind"], item["name"])),
            "in_doubt": sorted(in_doubt, key=lambda item: (item["format_id"], item["gtrid"], item["bqual"])),
        }

    def _destination(self, kind: str, name: str, stored: Java, tx: Java) -> Answer:
        """Return the content of one destination."""
        kept: list[tuple[int, Answer]] = []
        for index in _ORDERED:
            for entry in jvm.private_value(jvm.private_value(stored, "orderIndex"), index).iterator(tx):
                command = self._store.load(jvm.private_value(entry.getValue(), "location"))
                if command_name(command) == "UPDATE_MESSAGE":
                    command = command.getMessage()
                supported = bool(command.getPrioritySupported())
                message = {
                    "id": str(jvm.private_value(entry.getValue(), "messageId")),
                    "priority": int(command.getPriority()) if supported else 4,
                    "message": _buffer(command.getMessage()),
                }
                kept.append((int(entry.getKey()), message))
        pending = []
        subscriptions = jvm.private_value(stored, "subscriptions")
        for entry in () if subscriptions is None else subscriptions.iterator(tx):
            owed = jvm.private_value(stored, "ackPositions").get(tx, entry.getKey())
            ids = [message["id"] for number, message in kept if owed is not None and owed.contains(number)]
            pending.append({"key": str(entry.getKey()), "pending": ids})
        return {
            "kind": kind,
            "name": name,
            "messages": [message for _, message in kept],
            "subscriptions": sorted(pending, key=lambda item: str(item["key"])),
        }

    @staticmethod
    def _in_doubt(entry: Java) -> Answer:
        """Return one prepared branch and the effect of its commit."""
        branch = entry.getKey()
        commands = []
        for operation in entry.getValue():
            command = operation.getCommand()
            kind, name = _destination(command)
            told = {"type": command_name(command), "kind": kind, "name": name}
            commands.append({**told, "id": _text(command.getMessageId())})
        ids = zip(XA_ID, jvm.xa_id(branch), strict=True)
        return {**dict(ids), "commands": commands}

    @product_call()
    def stop(self) -> None:
        """Close the files without writing the index, because the store is no longer needed."""
        pages = _field("pageFile").get(self._store)
        if pages is not None and bool(pages.isLoaded()):
            jvm.private_value(pages, "readFile").close()
            jvm.private_value(pages, "writeFile").close()
        self._journal.close()


@contextmanager
def _stopped(store: Store) -> Iterator[Store]:
    """Provide a store, and stop it afterwards, ignoring errors of parts that did not start."""
    try:
        yield store
    finally:
        with suppress(Thrown):
            store.stop()


class Writing(shared.Session):
    """The operations through the product's journal."""

    operations = ("append", "flush", "close")

    def __init__(self, directory: Path, params: Mapping[str, str]) -> None:
        """Store the request's parameters. No file is accessed yet."""
        super().__init__(directory, params)
        self._waiting: list[tuple[bytes, bool]] = []
        self._forced = True

    def made(self) -> WriterJournal:
        """Return the journal, not started."""
        return WriterJournal(self.directory, self.params)

    def done(self, op: Op) -> bool:
        """Append a record, or write the waiting records."""
        if op["op"] == "append":
            sync = str(op.get("sync", "false")).lower() == "true"
            self._waiting.append((bytes.fromhex(op.get("payload", "")), sync))
            if sync:
                self._write()
            return sync
        self._write()
        if op["op"] == "close":
            self.stop()
        # Closing writes the waiting records, without fsync.
        return op["op"] == "close" and self._forced

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self.journal.write(waiting)
            self._forced = any(sync for _, sync in waiting)


class WriterJournal:
    """A ``Journal`` open for writing. Every method raises Thrown if the product throws."""

    @product_call()
    def __init__(self, directory: Path, params: Mapping[str, str]) -> None:
        """Configure the journal. No file is accessed yet."""
        self._journal = _class("disk.journal.Journal")()
        self._journal.setDirectory(java_class("java.io.File")(str(directory)))
        self._journal.setMaxFileLength(int(params.get("max_file_length", "33554432")))
        self._journal.setWriteBatchSize(int(params.get("max_batch_length", "4194304")))
        self._journal.setChecksum(params.get("checksums", "true") == "true")
        if "preallocation" in params:
            scope, strategy = _JAVA["strategies"][params["preallocation"]]
            for name, value in (("Scope", scope), ("Strategy", strategy)):
                kind = _class(f"disk.journal.Journal$Preallocation{name}")
                getattr(self._journal, f"setPreallocation{name}")(kind.valueOf(value))

    @product_call()
    def open(self) -> None:
        """Start the journal. It continues at the end of the last file, or creates the first file."""
        self._journal.start()

    @product_call()
    def write(self, records: list[tuple[bytes, bool]]) -> None:
        """Write records, in one batch if they fit; return when they are written, and fsynced if requested.

        The writing thread needs the appender's monitor to take a batch, so this method holds the monitor
        meanwhile. A record that needs an fsync has a callback, which makes the product perform the fsync.
        """
        appender = jvm.private_value(self._journal, "appender")
        nothing = jvm.java_classes().JProxy("java.lang.Runnable", dict={"run": lambda: None})
        with jvm.java_classes().synchronized(jvm.private_value(appender, "enqueueMutex")):
            for payload, sync in records:
                data = java_class("org.apache.activemq.util.ByteSequence")(jvm.java_bytes(payload))
                last = self._journal.write(data, nothing if sync else False)
        last.getLatch().await_()

    @product_call()
    def stop(self) -> None:
        """Close the journal. Waiting records are written, and files are closed."""
        self._journal.close()


class KahaDB(shared.Driver):
    """One version of the message store's journal."""

    format_id = FORMAT
    #: The product does not return the content of a batch's control record.
    claims = {  # noqa: RUF012 - never changed
        **_JAVA["claims"],
        "fields": sorted(
            {field.name for field in get_format(FORMAT).vocabulary.fields} - {"batch_size", "checksum"}
        ),
    }

    def editions(self) -> list[str]:
        """Return the editions that this version reads: up to its own, or all with a marker in letters."""
        own = self.product.edition
        if own in _ZEROS:
            return sorted(_ZEROS[: _ZEROS.index(own) + 1])
        marked = {
            name for name, edition in get_format(FORMAT).editions.items() if edition.reads_as == _MARKED
        }
        return sorted({*marked, _MARKED})

    def observed(self, directory: Path, params: Mapping[str, str]) -> Answer:
        """Return every record that the journal returns after a check of all files."""
        if not any(directory.glob("db-*.log")):
            return shared.no_files("there is no data file: the product was not started")
        self.doing = "scan"
        with shared.copy_of(directory) as copy, _stopped(Store(copy, "salvage")) as store:
            store.start()
            self.doing = "iterate"
            return _found(store, list(store.records()))

    def recovered(self, directory: Path, params: Mapping[str, str], policy: str) -> Answer:
        """Open a store on a copy of the journal, without an index, and return its content."""
        self.doing = "scan"
        with shared.copy_of(directory) as copy:
            for name in ("db.data", "db.redo", "db.free"):
                (copy / name).unlink(missing_ok=True)
            with _stopped(Store(copy, policy)) as store:
                store.start()
                self.doing = "iterate"
                # A record that replay cannot load is not part of the answer: replay skips the record, or
                # fails below.
                records = [record for record in store.records() if record["type"] != "OTHER"]
                self.doing = "replay"
                store.replay()
                # Replay excludes the records that it cannot load.
                return {**_found(store, records), "state": jsonable(store.state())}

    def session(self, directory: Path, params: Mapping[str, str], edition: str) -> Writing:
        """Return a writer; raises CannotDo."""
        old = self.product.edition in _ZEROS
        if old and edition != self.product.edition:
            raise shared.CannotDo("the product writes its own edition only", f"edition:{edition}")
        if "preallocation" in params and old:
            raise shared.CannotDo("the product has no such option", "param:preallocation")
        return Writing(directory, params)


def _found(store: Store, records: list[Answer]) -> Answer:
    """Return an answer with `records`, and with the ranges that the product excluded."""
    told = [f"{name}: excluded from {start} to {end}" for name, start, end in sorted(store.corrupted())]
    return shared.observation(told, told, records=records)
