"""``read``, ``recover`` and ``write``, answered by the products as the package's docstring describes.

No code here interprets a byte of a file. Every value comes from the product's callbacks, lists and getters.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from journalspec.observation import CLEAN, REFUSED, jsonable
from journalspec_conformance.harnesses import product as shared
from journalspec_conformance.harnesses import table
from journalspec_conformance.harnesses.java import jvm
from journalspec_conformance.harnesses.java.jvm import Java, Thrown, java_class, product_call
from journalspec_conformance.harnesses.product import Answer, Op
from journalspec_conformance.products import Product

#: The name of a compaction's control file in both products.
CONTROL = "journal-rename-control.ctr"
#: The smallest file size that both products accept.
SMALLEST_FILE = 1024
_LEFTOVERS = (".tmp", ".cmp")
#: The alignment. NIO requires none.
_ALIGNMENT = "1"
_UNSIGNED_BYTE = 0xFF
_SIGN = 0x80
#: The longest wait for threads of Artemis (seconds). Usually they take microseconds.
_PATIENCE = 5
_NAME = re.compile(r"^(?P<prefix>.*?)-(?P<number>-?[0-9]+)\.(?P<extension>[A-Za-z]+)(?:\.cmp|\.tmp)?$")
#: Words with a fixed value in the arguments of ``java.toml``. With `never`, no number of files and no
#: percentage starts a compaction.
_WORDS = {"false": False, "true": True, "one": 1, "never": 0}

#: The classes that have the same name in all products; each product has a table of its own.
_JAVA = table(__package__, "java.toml")
_APPENDS: Mapping[str, tuple[str, str]] = _JAVA["appends"]
_CALLBACKS: Mapping[str, tuple[str, str]] = _JAVA["callbacks"]
#: Maps each reason for dropping a transaction to the beginning of its log message, up to the transaction's
#: number. Only the log contains the reason.
_DROPPED = {why: re.compile(text) for why, text in _JAVA["dropped"].items()}
_NUMBERED = re.compile(r"(HQ|AMQ)\d{6}")
_ONE_ID = re.compile(r"(?<![\w.])-?\d+")


# The product's classes, as Python objects.


@dataclass(frozen=True, slots=True)
class Variant:
    """Represents the differences between product versions, for one version; ``java.toml`` explains the
    members.
    """

    package: str
    files: str
    factory: str
    prefix: str
    extension: str
    fill: str
    editions: list[str]
    writes: list[str]
    events: bool
    threads: bool
    compact: str
    header: int
    control_id: int
    arguments: Mapping[str, str]

    def class_of(self, name: str) -> Java:
        """Return the class `name` of the journal's package; the prefix ``impl.`` is permitted."""
        return java_class(f"{self.package}.{name}")

    @property
    def smallest(self) -> dict[str, str]:
        """The parameters of the smallest journal, under the names that the product uses."""
        return {"prefix": self.prefix, "extension": self.extension, "file_size": str(SMALLEST_FILE)}


@cache
def variant_of(product_id: str) -> Variant:
    """Return the entry of a product in ``java.toml``; raises KeyError."""
    own = {key: value for key, value in _JAVA[product_id].items() if key != "like"}
    base = _JAVA[_JAVA[product_id].get("like", product_id)]
    arguments = {**base["arguments"], **own.get("arguments", {})}
    return Variant(**{**base, **own, "arguments": arguments})


def settings_for(variant: Variant, directory: Path, params: Mapping[str, str]) -> dict[str, Any]:
    """Return the configuration of the journal in `directory`; `file_size` is in bytes.

    Settings that are not in `params` are derived from the names and sizes of the files. For an empty
    directory they are the product's defaults.
    """
    with os.scandir(directory) as entries:
        present = sorted((entry for entry in entries if entry.is_file()), key=lambda entry: entry.name)
    found = [(match, entry) for entry in present if (match := _NAME.match(entry.name))]
    chosen = params.get("extension") or _commonest(
        [match["extension"] for match, _ in found], variant.extension
    )
    own = [(match, entry) for match, entry in found if match["extension"] == chosen]
    size = max([SMALLEST_FILE, *(entry.stat().st_size for _, entry in own)])
    prefix = _commonest([match["prefix"] for match, _ in own], variant.prefix)
    return {
        "prefix": params.get("prefix") or prefix,
        "extension": chosen,
        "file_size": int(params.get("file_size", str(size))),
        "min_files": int(params.get("min_files", "2")),
        "user_version": int(params.get("user_version", "0")),
        "auto_reclaim": params.get("auto_reclaim", "true") == "true",
    }


def _commonest(found: list[str], otherwise: str) -> str:
    counts = Counter(found)
    return min(counts, key=lambda text: (-counts[text], text)) if counts else otherwise


def _fields(name: str, value: Java) -> Answer:
    """Return the fields of a callback's argument."""
    if name == "record":
        kind = int(value.userRecordType) & _UNSIGNED_BYTE
        return {"id": int(value.id), "user_type": kind, "body": jvm.python_bytes(value.data)}
    if name == "deleted":
        return {"id": int(value.id), "body": jvm.python_bytes(value.data)}
    return {name: jvm.python_bytes(value) if name == "extra" else int(value)}


def _live(record: Java) -> Answer:
    """Return a ``RecordInfo`` as part of a state."""
    kind = {"kind": "UPDATE" if bool(record.isUpdate) else "ADD"}
    # Versions before HornetQ 2.2 have no compact count.
    count = {"compact_count": int(getattr(record, "compactCount", 0))}
    return {**kind, **_fields("record", record), **count}


def _prepared(item: Java) -> Answer:
    """Return a ``PreparedTransactionInfo``: public fields in HornetQ, getters in Artemis."""
    old = hasattr(item, "extraData")
    records = item.records if old else item.getRecords()
    deletes = item.recordsToDelete if old else item.getRecordsToDelete()
    return {
        "tx": int(item.id if old else item.getId()),
        "extra": jvm.python_bytes(item.extraData if old else item.getExtraData()),
        "records": [_live(record) for record in records],
        "deletes": [_fields("deleted", record) for record in deletes],
    }


class Journal:
    """A product's journal in `directory`. Every method raises Thrown if the product throws."""

    @product_call()
    def __init__(
        self,
        variant: Variant,
        directory: Path,
        params: Mapping[str, str],
        spied: Callable[[Java], Java] = lambda factory: factory,
    ) -> None:
        """Create factory (NIO, no buffer) and journal, but touch no file. `spied` wraps the factory."""
        self.variant = variant
        settings = settings_for(variant, directory, params)
        place = java_class("java.io.File")(str(directory))
        self._words = {**_WORDS, **settings, "path": str(directory), "directory": place}
        factory = java_class(variant.factory)
        self._factory = spied(factory(*self._given("factory")))
        made = self._given("journal", factory=self._factory)
        self._journal = variant.class_of("impl.JournalImpl")(*made)
        self._journal.setAutoReclaim(settings["auto_reclaim"])

    def _given(self, what: str, **values: Any) -> list[Any]:
        """Return the arguments of `what`, as ``java.toml`` lists them."""
        return [{**self._words, **values}[word] for word in self.variant.arguments[what].split()]

    def open(self) -> None:
        """Start and load, and wait until the records that loading appends are written."""
        self.load()
        self._appended()

    @product_call()
    def load(self) -> Answer:
        """Start and load, which prepares the directory for appends; return the live and prepared records.

        Transactions without an end are rolled back.
        """
        array_list = java_class("java.util.ArrayList")
        lists = {"records": array_list(), "prepared": array_list()}
        # This callback does nothing, because the log has the same information, and the reason as well.
        interface = f"{self.variant.package}.TransactionFailureCallback"
        failures = jvm.instance_of(interface, failedTransaction=lambda tx, records, deletes: None)
        self._journal.start()
        self._journal.load(*self._given("load", failures=failures, **lists))
        return {
            "live": [_live(record) for record in lists["records"]],
            "prepared": [_prepared(item) for item in lists["prepared"]],
        }

    @product_call()
    def check_control_file(self) -> None:
        """Apply or remove a compaction's control file, which is the first step of loading."""
        reference = java_class("java.util.concurrent.atomic.AtomicReference")()
        jvm.private_call(self._journal, "checkControlFile", *self._given("check", reference=reference))

    @product_call()
    def read_all(self) -> list[tuple[str, list[Answer]]]:
        """Return the name and the records of every data file, in the product's order."""
        files = jvm.private_call(self._journal, "orderFiles")
        return [(str(file.getFile().getFileName()), self._read(file)) for file in files]

    @product_call()
    def read_control(self) -> list[Answer]:
        """Return the records of a control file as read by the product, which ignores the header."""
        version = getattr(self.variant.class_of("impl.JournalImpl"), "FORMAT_VERSION", None)
        told = {"control_id": self.variant.control_id, "version": version}
        file = self._factory.createSequentialFile(*self._given("file", name=CONTROL))
        return self._read(
            self.variant.class_of("impl.JournalFileImpl")(*self._given("control", file=file, **told))
        )

    def _read(self, file: Java) -> list[Answer]:
        file_id = int(file.getFileID())
        records: list[Answer] = []

        def taking(kind: str, names: str) -> Callable[..., None]:
            def take(*arguments: Java) -> None:
                fields: Answer = {"file_id": file_id}
                for name, value in zip(names.split(), arguments, strict=True):
                    fields |= _fields(name, value)
                records.append({"type": kind, **jsonable(fields)})

            return take

        takes = {method: taking(kind, names) for method, (kind, names) in _CALLBACKS.items()}
        # These callbacks do nothing: the answer lists every file, with or without data, and `done` only logs
        # in Artemis.
        takes |= {"markAsDataFile": lambda file: None, "done": lambda: None}
        callback = jvm.instance_of(f"{self.variant.package}.impl.JournalReaderCallback", **takes)
        self.variant.class_of("impl.JournalImpl").readJournalFile(self._factory, file, callback)
        return records

    @product_call()
    def append(self, op: Mapping[str, Any], *, sync: bool) -> None:
        """Do one operation on a record; `op` is the protocol's object."""
        method, names = _APPENDS[op["op"]]
        kind = int(op.get("user_type", "0"))
        values = {
            "id": int(op.get("id", "0")),
            "tx": int(op.get("tx", "0")),
            # A Java byte has a sign.
            "user_type": jvm.java_classes().JByte((kind & _UNSIGNED_BYTE) - ((kind & _SIGN) << 1)),
            "body": jvm.java_bytes(bytes.fromhex(op.get("body", ""))),
            "extra": jvm.java_bytes(bytes.fromhex(op.get("extra", ""))),
            "sync": sync,
        }
        arguments = [values[name] for name in names.split()]
        if method:
            getattr(self._journal, method)(*arguments)
        else:
            self._append_event(*arguments)
        if not sync:
            self._appended()

    def _append_event(self, ident: int, user_type: int, body: Java, sync: bool) -> None:
        """Append an EVENT and wait for it."""
        persister = self.variant.class_of("EncoderPersister").getInstance()
        encoded = self.variant.class_of("impl.dataformat.ByteArrayEncoding")(body)
        callback = self.variant.class_of("impl.SimpleWaitIOCallback")()
        self._journal.appendAddEvent(ident, user_type, persister, encoded, sync, callback)
        callback.waitCompletion()

    @product_call()
    def change_files(self, name: str) -> None:
        """``force`` the current file, roll to the ``next``, ``reclaim`` or ``compact``."""
        if self.variant.threads:
            self._journal.flush()
        if name == "force":
            self._journal.getCurrentFile().getFile().sync()
        elif name == "next":
            self._journal.forceMoveNextFile()
        elif name == "compact":
            getattr(self._journal, self.variant.compact)()
        else:
            # The compaction happens now, whatever the settings are.
            before = self._journal.isAutoReclaim()
            self._journal.setAutoReclaim(True)
            self._journal.checkReclaimStatus()
            self._journal.setAutoReclaim(before)

    def _appended(self) -> None:
        """If a thread writes appends, wait until it has written all of them."""
        if self.variant.threads:
            seconds = java_class("java.util.concurrent.TimeUnit").SECONDS
            self._journal.flushAppendExecutor(_PATIENCE, seconds)

    @product_call()
    def stop(self) -> None:
        """Close the files and end the threads. A journal that is not started is left unchanged."""
        if self._journal.isStarted():
            if self.variant.threads:
                self._journal.flush()
            self._journal.stop()


# The operations of the protocol.


class Writing(shared.Session):
    """The operations through the product's journal."""

    operations = (*_APPENDS, "force", "next", "reclaim", "compact", "close")

    def __init__(self, variant: Variant, directory: Path, params: Mapping[str, str]) -> None:
        """Store the request's parameters. No file is accessed yet."""
        super().__init__(directory, params)
        self.variant = variant

    def made(self) -> Journal:
        """Return the journal, not started."""
        return Journal(self.variant, self.directory, self.params)

    def done(self, op: Op) -> bool:
        """Append a record, or do an operation on the files."""
        name = op["op"]
        if name == "close":
            self.stop()
            return True
        if name not in _APPENDS:
            self.journal.change_files(name)
            return bool(name == "force")
        if name == "event" and not self.variant.events:
            raise shared.CannotDo("operation 'event': the product has no such record")
        if name == "delete" and op.get("body"):
            raise shared.CannotDo("operation 'delete' with a body: the product's method takes none")
        takes_sync = "sync" in _APPENDS[name][1]
        wanted = self.params.get("sync", "true") if takes_sync else "false"
        sync = str(op.get("sync", wanted)) == "true"
        self.journal.append(op, sync=sync)
        return sync and takes_sync


class JournalProduct(shared.Driver):
    """One version of HornetQ or Artemis, of which only the log reports the data dropped during loading."""

    format_id = "jboss_journal"
    write_phases = ("load", "write")
    doing = "load"
    claims = _JAVA["claims"]

    def __init__(self, product: Product, java: jvm.Runtime | None) -> None:
        """Store a product in the running JVM, and collect its log."""
        super().__init__(product, java)
        self._variant = variant_of(product.id)
        self._log = jvm.JavaLog()

    def editions(self) -> list[str]:
        """Return the editions that this version reads."""
        return self._variant.editions

    def recovered(self, directory: Path, params: Mapping[str, str], policy: str) -> Answer:
        """Load one copy of `directory`, and read the records of another, because both may change files."""
        answer = self._load(directory, params)
        if answer["verdict"] != REFUSED:
            try:
                answer["records"] = self._data_records(directory, params)[0]
            except Thrown as unread:
                answer["message"] = f"{answer.get('message', '')}; reading by itself: {unread}"[
                    : shared.SHOWN
                ]
        return answer

    def observed(self, directory: Path, params: Mapping[str, str]) -> Answer:
        """Read every file, those next to the data files last; the state is that of loading, if it loads."""
        own = f".{settings_for(self._variant, directory, params)['extension']}"
        records, others = self._data_records(directory, params)
        names = [path.name for path in directory.iterdir()]
        if names and not others and not any(name.endswith(own) for name in names):
            return shared.no_files("none of the files belongs to the journal: the product was not started")
        for name in others:
            records += self._beside(directory, params, name)
        loaded = self._load(directory, params)
        answer: Answer = {"verdict": loaded["verdict"], "records": records}
        if loaded["verdict"] == REFUSED:
            return {**answer, "verdict": CLEAN, "message": f"loading: {loaded['message']}"}
        return {**answer, **{key: loaded[key] for key in ("state", "message") if key in loaded}}

    def session(self, directory: Path, params: Mapping[str, str], edition: str) -> Writing:
        """Return a writer; raises CannotDo."""
        lacking = ""
        if edition not in self._variant.writes:
            # For example, HornetQ 2.4 reads version 1 but never writes version 1.
            lacking = f"edition:{edition}"
        elif params.get("alignment", _ALIGNMENT) != _ALIGNMENT:
            lacking = f"param:alignment={params['alignment']}"
        elif params.get("fill", self._variant.fill) != self._variant.fill:
            lacking = f"param:fill={params['fill']}"
        if lacking:
            raise shared.CannotDo("the product chooses this itself", lacking)
        self._log.take()  # Log lines of an earlier journal are not needed.
        return Writing(self._variant, directory, params)

    def _load(self, directory: Path, params: Mapping[str, str]) -> Answer:
        with shared.copy_of(directory) as copy:
            self._log.take()
            journal = Journal(self._variant, copy, params)
            try:
                loaded = journal.load()
            except Thrown as thrown:
                return self.exceptions.refused(thrown, "load")
            finally:
                _stop(journal)
            return _state(loaded, self._log.take())

    def _data_records(self, directory: Path, params: Mapping[str, str]) -> tuple[list[Answer], list[str]]:
        """Return the records of the data files in the product's order, and the names of files next to them.

        A file that is renamed by a compaction's control file is identified by its inode.
        """
        own = f".{settings_for(self._variant, directory, params)['extension']}"
        with shared.copy_of(directory) as copy:
            journal = Journal(self._variant, copy, params)
            names = {path.stat().st_ino: path.name for path in copy.iterdir()}
            journal.check_control_file()
            now = {path.name: names.get(path.stat().st_ino, path.name) for path in copy.iterdir()}
            readings = [(now[name], records) for name, records in journal.read_all()]
        gone = set(names.values()) - set(now.values())
        beside = (CONTROL, *(name + suffix for name in (own, CONTROL) for suffix in _LEFTOVERS))
        others = [
            name
            for name in sorted(set(names.values()) - {name for name, _ in readings}, key=shared.by_number)
            if name.endswith(beside) or (name in gone and name.endswith(own))
        ]
        return [record for name, records in readings for record in _placed(records, name)], others

    def _beside(self, directory: Path, params: Mapping[str, str], name: str) -> Iterator[Answer]:
        """Yield the records of the file `name`, or none if the product rejects its header.

        The file is read as the only data file of another directory, because only then the product reads its
        header.
        """
        if (directory / name).stat().st_size < self._variant.header:
            return
        settings = settings_for(self._variant, directory, params)
        told = {key: str(settings[key]) for key in ("prefix", "extension", "file_size")}
        with shared.copy_of(directory, only=name) as copy:
            if name != CONTROL:
                (copy / name).rename(copy / f"{told['prefix']}-1.{told['extension']}")
            try:
                journal = Journal(self._variant, copy, {**params, **told})
                found = [(name, journal.read_control())] if name == CONTROL else journal.read_all()
            except Thrown:
                return
        for _, records in found:
            yield from _placed(records, name)


def _stop(journal: Journal) -> None:
    try:
        journal.stop()
    except Thrown as thrown:
        # A journal that could not be loaded may also fail to stop. This failure is ignored, because the
        # answer is complete.
        if not thrown.methods:
            raise


def _placed(records: list[Answer], file: str) -> Iterator[Answer]:
    return ({**record, "at": {"file": file}} for record in records)


def _state(loaded: Answer, said: list[str]) -> Answer:
    """Return an answer with the loaded data, and the dropped transactions from the product's log."""
    about = {
        why: [
            int(_ONE_ID.findall(text[found.end() :])[0]) for text in said if (found := pattern.search(text))
        ]
        for why, pattern in _DROPPED.items()
    }
    unhealthy = about["unhealthy-prepare"]
    dropped = [(tx, "unhealthy-commit") for tx in about["unhealthy-commit"]]
    dropped += [(tx, "unhealthy-prepare" if tx in unhealthy else "no-end") for tx in about["no-end"]]
    discarded = [{"tx": tx, "why": why} for tx, why in sorted(dropped, key=lambda item: item[0])]
    prepared = sorted(loaded["prepared"], key=lambda item: int(item["tx"]))
    rejected = any(why != "no-end" for _, why in dropped)
    state = jsonable({**loaded, "prepared": prepared, "discarded": discarded})
    patterns = (_NUMBERED, *_DROPPED.values())
    told = (text for text in said if any(pattern.search(text) for pattern in patterns))
    return shared.observation(rejected, told, state=state)
