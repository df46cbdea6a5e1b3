"""Reading the files of a journal, and the recovery that follows from it; nothing here changes a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from journalspec.kahadb_journal.commands import messages
from journalspec.observation import (
    At,
    Dropped,
    FileMap,
    Missing,
    Note,
    Observation,
    Record,
    refused,
)
from journalspec.reread import COST, few
from journalspec_reference import places
from journalspec_reference.api import Files, NumberedFile, NumberedNames, Params
from journalspec_reference.content import Window
from journalspec_reference.kahadb_journal.codec import (
    CONTROL,
    DIALECTS,
    END_MARKER,
    HEAD,
    MARKER,
    USER,
    Damage,
    Dialect,
    SoundBatch,
    StoredRecord,
    head,
)
from journalspec_reference.kahadb_journal.commands import CommandError, frame, parse
from journalspec_reference.kahadb_journal.evidence import Evidence, Later, Log
from journalspec_reference.kahadb_journal.index import Place
from journalspec_reference.kahadb_journal.scan import (
    EMPTY,
    FILE,
    ZEROS,
    End,
    Scan,
    record_at,
    records,
    walk_by_length,
)
from journalspec_reference.kahadb_journal.store import (
    Store,
    TxId,
    change_of,
    destination_of,
    transaction_of,
    tx_text,
)

_NAME = re.compile(r"db-(0|[1-9][0-9]{0,9})\.log")
_LARGEST = 0x7FFFFFFF
#: The names of data files, and their ids (KHD-FIL-001).
NAMES = NumberedNames(_NAME, re.compile(r"db-.*\.log", re.DOTALL), _LARGEST, "file-id-gap")
id_of = NAMES.number
#: The bytes that an id takes in a list of them, about.
_OF_AN_ID = 64
#: Policy -> whether all files are scanned, checksums compared, damage skipped.
POLICIES = {
    "strict": (True, True, False),
    "salvage": (True, True, True),
    "default": (False, True, False),
    "unchecked": (False, False, False),
}
#: Commands by which a message comes, and those that take something away, if only a subscription.
_ADDS = frozenset(["ADD_MESSAGE", "UPDATE_MESSAGE"])
_TAKES = frozenset(["REMOVE_MESSAGE", "REMOVE_DESTINATION", "SUBSCRIPTION"])
#: Notes with which an answer is not clean.
_LOSSY = ("suspicious-end", "unscanned-damage")
#: Reasons that refuse in another phase than `header`.
PHASES = {"bad-checksum": "checksum", "bad-chain": "record", "bad-record": "record", "bad-command": "record"}


class DataFile(NumberedFile):
    """One data file; its number is its id."""

    __slots__ = ()


def gather(files: Files) -> list[DataFile]:
    """Return the data files in the order of their ids (KHD-FIL-003)."""
    found = [(number, name) for name in files if (number := id_of(name)) is not None]
    return [DataFile(name, number, files[name]) for number, name in sorted(found)]


def role_of(file: DataFile, dialect: Dialect) -> str:
    """Return what a file is for: of data, unused, or empty (KHD-FIL-006, KHD-FIL-007)."""
    if not file.length:
        return "empty"
    return "unused" if dialect.marked and bytes(file.data[:MARKER]) == b"-qMa4" else "data"


def _set_notes(files: Files, found: Sequence[DataFile], dialect: Dialect) -> Iterator[Note]:
    yield from NAMES.notes(files)
    for file in found:
        if role_of(file, dialect) == "unused":
            yield Note("unused-file", file.name, 0)


def emptied(files: Sequence[DataFile], dialect: Dialect) -> Iterator[Missing]:
    """Yield the files that have lost what they held: empty or zeros, and a later one is not (KHD-FIL-013).

    Numbers may be missing and a COMMIT may be without commands: both are left by files that were removed.
    """
    waiting: list[DataFile] = []
    for file in files:
        if role_of(file, dialect) == "unused":
            continue
        scan = Scan(file.data, dialect)
        first = scan.at(0)
        if isinstance(first, End) and not first.off and first.by in (ZEROS, FILE):
            waiting.append(file)
            continue
        if waiting and isinstance(first, SoundBatch) and _too_large_for(waiting[-1], file, first, scan):
            waiting.pop()
        for gone in waiting:
            text = f"{file.name} was written after it; it holds " + ("zeros" if gone.length else "no bytes")
            yield Missing("emptied-file", gone.name, file.name, text=text)
        waiting = []


def _too_large_for(left: DataFile, file: DataFile, first: SoundBatch, scan: Scan) -> bool:
    """Tell whether a file is one record, which did not fit into the file before and left it unused."""
    length, _ = head(file.data[first.off + CONTROL : first.off + CONTROL + HEAD], 0)
    return length == first.size >= left.length and isinstance(scan.at(first.end), End)


class Told(NamedTuple):
    """A record as it is told: what was stored, its command ("" if it is none) and fields, and what is odd."""

    record: Record
    stored: StoredRecord
    command: str = ""
    fields: Mapping[str, Any] = {}
    surplus: int = 0
    problem: str = ""


def told(stored: StoredRecord, file: str, dialect: Dialect) -> Told:
    """Return a record under the spec's names (KHD-CMD)."""
    shown: dict[str, object] = {"length": stored.end - stored.off}
    if stored.first is not None:
        shown["batch_size"] = stored.first.size
        shown["checksum"] = stored.first.checksum
    at = At(file, stored.off, stored.end - stored.off)
    if dialect.bare:
        return Told(Record("OTHER", {**shown, "payload": stored.payload}, at), stored)
    try:
        number, message, surplus = frame(stored.payload)
        if number not in dialect.commands:
            raise CommandError(f"no command has the number {number}")
        fields = parse(dialect.commands[number], message)
    except CommandError as error:
        plain = Record("OTHER", {**shown, "payload": stored.payload}, at)
        return Told(plain, stored, problem=str(error))
    name = dialect.commands[number]
    return Told(Record(name, {**shown, **_shown(name, fields)}, at), stored, name, fields, surplus)


_EMPTY: Mapping[str, Any] = {"s4": 0, "s8": 0, "bool": False, "str": "", "bytes": b""}
#: Fields that are left out where they are not stored.
_OPTIONAL = frozenset(["transaction", "ack", "subscription_info", "text"])


def _shown(command: str, fields: Mapping[str, Any]) -> dict[str, object]:
    """Return the fields of a command as an observation has them (KHD-CMD-007)."""
    if command == "UPDATE_MESSAGE":
        command, fields = "ADD_MESSAGE", {**fields.get("add", {}), "transaction": None}
    out: dict[str, object] = {}
    for slot in messages()[command].values():
        if slot.name == "destination":
            kind, name = destination_of(fields)
            out["destination"] = {"kind": kind, "name": name}
        elif slot.name == "transaction":
            if (tx := transaction_of(fields)) is not None:
                out["transaction"] = _transaction(tx)
        elif slot.name in fields:
            out[slot.name] = fields[slot.name]
        elif slot.name not in _OPTIONAL and (command, slot.name) != ("REMOVE_MESSAGE", "subscription_key"):
            out[slot.name] = _EMPTY[slot.holds] if slot.default is None else slot.default
    return out


def _transaction(tx: TxId) -> dict[str, object]:
    names = ("connection", "number") if tx[0] == "LOCAL" else ("format_id", "gtrid", "bqual")
    return {"kind": tx[0], **dict(zip(names, tx[1:], strict=True))}


def repeats(item: Told, numbers: frozenset[int]) -> bool:
    """Tell whether the rest of a file repeats one that is there, and does not count (KHD-RCV-012)."""
    if item.command != "REWRITTEN_DATA_FILE" or not item.fields.get("skip_if_source_exists", True):
        return False
    return item.fields.get("source_file", 0) in numbers


class Walk:
    """What each file of a journal gives; it knows no results, so that what is read again keeps none alive.

    `numbers` are the ids of all files.
    """

    def __init__(self, dialect: Dialect, policy: str, last: DataFile | None, numbers: frozenset[int]) -> None:
        self._dialect, self._last, self._numbers = dialect, last, numbers
        self._reading = not policy
        self._all, self._checked, self._skips = POLICIES[policy or "salvage"]

    def _scans(self, file: DataFile) -> bool:
        return self._all or file is self._last

    def _pass(self, file: DataFile) -> Iterator[StoredRecord | Damage | End | SoundBatch]:
        """Yield the records of a file, and what is between them."""
        if not self._scans(file):
            yield from walk_by_length(file.data, self._dialect)
            return
        window = Window(file.data)
        for item in Scan(file.data, self._dialect, checked=self._checked).walk():
            yield item
            if isinstance(item, SoundBatch):
                yield from records(window, item)

    def found(self, file: DataFile) -> Iterator[Told | Dropped | Note]:
        """Yield all that a file gives, but for what depends on the files before it."""
        unverified = skipping = False
        for item in self._pass(file):
            if isinstance(item, Damage):
                yield Dropped(file.name, item.off, item.end - item.off, item.reason)
            elif isinstance(item, End):
                yield from self._end(file, item)
            elif isinstance(item, SoundBatch):
                if item.found:
                    yield Note("resynchronised", file.name, item.off)
                if not item.checksum and not unverified:
                    unverified = True
                    yield Note("unverified", file.name, item.off)
            elif item.type != USER:
                yield Note("unknown-type", file.name, item.off, str(item.type))
            else:
                found = told(item, file.name, self._dialect)
                if found.problem:
                    yield Note("bad-command", file.name, item.off, found.problem)
                if found.problem and self._skips and not self._reading and not skipping:
                    yield Dropped(file.name, item.off, item.end - item.off, "bad-command")
                    continue
                yield found
                skipping = skipping or repeats(found, self._numbers)
                if found.surplus:
                    yield Note("surplus", file.name, item.off, str(found.surplus))
        if not self._scans(file):
            yield from self._unscanned(file)

    def _unscanned(self, file: DataFile) -> Iterator[Note]:
        """Yield what a scan finds first in a file that was walked by lengths (KHD-RCV-019)."""
        for item in Scan(file.data, self._dialect, checked=self._checked).walk():
            if isinstance(item, Damage):
                yield Note("unscanned-damage", file.name, item.off, item.reason)
                return
            if isinstance(item, End) and self._suspicious(file, item):
                yield Note("unscanned-damage", file.name, item.off, "suspicious-end")

    @staticmethod
    def _suspicious(file: DataFile, end: End) -> bool:
        return end.by == EMPTY and not _only_filling(file.data, end.off + CONTROL)

    def _end(self, file: DataFile, end: End) -> Iterator[Note]:
        if end.by == ZEROS and self._dialect.marked:
            yield Note("zero-tail", file.name, end.off)
        if self._suspicious(file, end):
            yield Note("suspicious-end", file.name, end.off)
        if self._reading and (first := next(self._beyond(file, end), None)) is not None:
            yield Note("beyond-end", file.name, first.off)

    def _beyond(self, file: DataFile, end: End) -> Iterator[SoundBatch]:
        """Yield the batches behind the end of a log (KHD-END-011)."""
        return Scan(file.data, self._dialect).batches(end.off + 1) if end.by != FILE else iter(())

    def beside(self, file: DataFile) -> Iterator[Record]:
        """Yield the records that stand behind the end of its log."""
        for item in self._pass(file) if self._reading else ():
            for batch in self._beyond(file, item) if isinstance(item, End) else ():
                for stored in records(Window(file.data), batch):
                    if stored.type == USER:
                        yield told(stored, file.name, self._dialect).record


class JournalPass:
    """One pass over all files of a journal; `policy` is that of recovery, or empty for reading."""

    def __init__(self, files: Files, dialect: Dialect, policy: str) -> None:
        self._dialect = dialect
        self._all, _, self._skips = POLICIES[policy or "salvage"]
        self._files = gather(files)
        self._numbers = frozenset(file.number for file in self._files)
        self._found = places.Findings(sum(file.length for file in self._files))
        self._store = Store()
        #: Of the seed's records nothing is known that an index could refer to.
        self._evidence = Evidence({} if dialect.bare else files)
        #: Where the log of each file ends, by its id.
        self._ends = {file.number: 0 for file in self._files}
        self._data = {file.number: file.data for file in self._files}
        self._payloads: list[int] = []
        self._stored: places.Stored[StoredRecord] = places.Stored()
        self._refused: Observation | None = None
        self._lossy = False
        #: The first message that was added twice, by file; files of which a part does not count.
        self._doubled: dict[str, Note] = {}
        self._skipped: list[Note] = []
        self._set_notes = list(_set_notes(files, self._files, dialect))
        data = [file for file in self._files if role_of(file, dialect) == "data"]
        self._last = data[-1] if data else None
        self._walk = Walk(dialect, policy, self._last, self._numbers)
        for file in self._files:
            self._file(file)
            if self._refused is not None:
                return

    def _file(self, file: DataFile) -> None:
        walk = self._walk
        self._stored.next_file(file.name, lambda: partial(record_at, file.data))
        skipping = False
        for item in self._found.walked(file.name, lambda: walk.found(file), Told):
            if isinstance(item, Told):
                self._ends[file.number] = item.stored.end
                self._evidence.passes((file.number, item.stored.off), self._store)
                skipping = skipping or self._counts(file, item)
            elif isinstance(item, Note):
                self._lossy |= item.code in _LOSSY
            elif self._refuses(file, item):
                self._refused = _refused(file, item)
            if self._refused is not None:
                return
        self._found.beside.take(file.name, partial(walk.beside, file))

    def _refuses(self, file: DataFile, region: Dropped) -> bool:
        """Tell whether damage refuses recovery (KHD-RCV-013, KHD-RCV-016)."""
        if self._skips:
            return False
        if not self._all:
            return file is not self._last
        return file is not self._last or region.end < file.length

    def _counts(self, file: DataFile, item: Told) -> bool:
        """Take one record in; tell whether the rest of the file does not count (KHD-RCV-012)."""
        at = item.record.at
        if self._dialect.bare:
            self._payloads.append(self._stored.put(item.stored))
        elif not item.command:
            if not self._skips:
                self._refused = _refused(
                    file, Dropped(file.name, at.off, at.length, "bad-command"), item.problem
                )
        else:
            twice = self._store.take(item.command, item.fields, self._stored.put(item.stored))
            if twice and file.name not in self._doubled:
                self._doubled[file.name] = Note("duplicate-message", file.name, at.off, twice[0])
            if repeats(item, self._numbers):
                source = str(item.fields.get("source_file", 0))
                self._skipped.append(Note("rewritten-skipped", file.name, at.off, source))
                return True
        return False

    def observation(self) -> Observation:
        """Return the answer."""
        if self._refused is not None:
            return self._refused
        late = [*self._doubled.values(), *self._skipped, *self._tail(self._found.dropped.done())]
        left = dict.fromkeys((*self._store.open, *(tx for tx in self._store.prepared if tx[0] == "LOCAL")))
        late += [Note("incomplete-transaction", text=tx_text(tx)) for tx in left]
        files = [FileMap(file.name, file.length, role_of(file, self._dialect)) for file in self._files]
        missing = list(emptied(self._files, self._dialect))
        log = Log(self._ends, self._adds, bool(missing or len(self._found.dropped.done())))
        lacking, told_by_index = self._evidence.compare(self._store, log, self._later)
        late += told_by_index
        missing += lacking
        return self._found.observation(
            self._state(), files, lossy=self._lossy, before=self._set_notes, after=late, missing=missing
        )

    def _adds(self, place: Place) -> bool:
        """Tell whether a message begins at a place: looked at are its first bytes."""
        start = bytes(self._data[place[0]][place[1] : place[1] + HEAD + 1])
        return (
            len(start) > HEAD
            and start[HEAD - 1] == USER
            and self._dialect.commands.get(start[HEAD], "") in _ADDS
        )

    def _later(self) -> Iterator[Later]:
        """Yield the commands that the index does not cover and that take something away."""
        for file in self._files:
            for item in self._walk.found(file):
                if not isinstance(item, Told) or self._evidence.covers((file.number, item.stored.off)):
                    continue
                if item.command in _TAKES and "subscription_info" not in item.fields:
                    yield item.command, change_of(item.command, item.fields, 0), transaction_of(item.fields)

    def _tail(self, dropped: Iterable[Dropped]) -> Iterator[Note]:
        last = None
        for region in dropped:
            last = region if region.reason != "bad-command" else last
        end = (self._last.name, self._last.length) if self._last is not None else None
        if last is not None and (last.file, last.end) == end:
            yield Note("torn-tail", last.file, last.off)

    def _state(self) -> dict[str, Any]:
        if self._dialect.bare:
            return {"payloads": few(lambda: map(self._payload, self._payloads), len(self._payloads), len)}
        store = self._store
        names = sorted(store.destinations)
        doubtful = sorted(tx[1:] for tx in store.prepared if tx[0] == "XA")
        return {
            "destinations": few(lambda: map(self._destination, names), len(names), _held),
            "in_doubt": few(lambda: map(self._in_doubt, doubtful), len(doubtful), _held),
        }

    def _payload(self, place: int) -> bytes:
        return self._stored.get(place).payload

    def _message(self, place: int) -> bytes:
        found = told(self._stored.get(place), "", self._dialect)
        fields = found.fields.get("add", {}) if found.command == "UPDATE_MESSAGE" else found.fields
        return bytes(fields.get("message", b""))

    def _destination(self, name: tuple[str, str]) -> dict[str, Any]:
        here = self._store.destinations[name]
        keys = sorted(here.subscriptions)
        ranked = here.ranked() if keys else None

        def message(entry: tuple[str, Any]) -> dict[str, Any]:
            ident, kept = entry
            return {"id": ident, "priority": kept.priority, "message": self._message(kept.place)}

        def subscription(key: str) -> dict[str, Any]:
            assert ranked is not None, "there is a subscription"
            pending = partial(ranked.pending, here.subscriptions[key])
            return {"key": key, "pending": few(pending, sum(1 for _ in pending()), len)}

        return {
            "kind": name[0],
            "name": name[1],
            "messages": few(
                lambda: map(message, here.in_order()), len(here.messages), lambda item: len(item["message"])
            ),
            "subscriptions": few(
                lambda: map(subscription, keys), len(keys), lambda item: _OF_AN_ID * len(item["pending"])
            ),
        }

    def _in_doubt(self, xid: tuple[Any, ...]) -> dict[str, Any]:
        commands = [
            {
                "type": change.command,
                "kind": change.destination[0],
                "name": change.destination[1],
                "id": change.message_id,
            }
            for change in self._store.prepared["XA", *xid]
        ]
        return {"format_id": xid[0], "gtrid": xid[1], "bqual": xid[2], "commands": commands}


def _held(item: Mapping[str, Any]) -> int:
    """Return about what the lists in an entry of the state take in memory."""
    out = 0
    for value in item.values():
        if isinstance(value, list):
            out += COST * len(value) + sum(
                len(each.get("message", b"")) + _OF_AN_ID * len(each.get("pending", ())) for each in value
            )
    return out


def _only_filling(data: Any, start: int) -> bool:
    """Tell whether zeros and end markers are all that stands from `start` to the end of a file."""
    begun = b""
    for at in range(start, len(data), 1 << 16):
        piece = begun + bytes(data[at : at + (1 << 16)])
        begun = piece.replace(END_MARKER, bytes(MARKER)).lstrip(b"\0")
        # What is left may be the beginning of an end marker that goes on in the next piece.
        if not (END_MARKER.startswith(begun) and piece.endswith(begun)):
            return False
    return not begun


def _refused(file: DataFile, region: Dropped, why: str = "") -> Observation:
    text = f"{file.name}: no sound {'record' if why else 'batch'} at {region.off}: {why or region.reason}"
    phase = PHASES.get(region.reason, "header")
    return refused(phase, region.reason, text, At(file.name, region.off, region.length))


def _observed(files: Files, edition: str, policy: str) -> Observation:
    if not any(id_of(name) is not None for name in files):
        text = "there is no data file: their names are db-1.log, db-2.log and so on"
        return refused("fileset", "no-files", text)
    return JournalPass(files, DIALECTS[edition], policy).observation()


def recovery(edition: str) -> Callable[[Files, str, Params], Observation]:
    """Return what recovers journals of an edition."""
    return lambda files, policy, _: _observed(files, edition, policy)


def reading(edition: str) -> Callable[[Files, Params], Observation]:
    """Return what reads journals of an edition."""
    return lambda files, _: _observed(files, edition, "")
