"""Reads the files of a journal and recovers its state; nothing here changes a file.

Replay keeps only ids and places. Records are decoded into objects when the lists of the answer are iterated.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain, compress, count, islice
from typing import Any, Protocol, TypeVar

from journalspec import reread
from journalspec.observation import (
    CLEAN,
    RECOVERED,
    At,
    Dropped,
    FileMap,
    Missing,
    Note,
    Observation,
    Record,
    note_place,
    refused,
)
from journalspec.reread import COST, Deferred, Lazy, Part, joined, mapped
from journalspec_reference import batches
from journalspec_reference.api import Files, Params
from journalspec_reference.batches import Batch, Found, Stretch, late_columns, source_of
from journalspec_reference.kahadb_journal.codec import (
    CONTROL,
    DIALECTS,
    END_MARKER,
    HEAD,
    MARKER,
    REWRITTEN,
    USER,
    CommandError,
    Dialect,
    Parsed,
    head,
    parsed,
    sums,
)
from journalspec_reference.kahadb_journal.evidence import Evidence, Known, Log
from journalspec_reference.kahadb_journal.fileset import NAMES, DataFile, gather, id_of, role_of
from journalspec_reference.kahadb_journal.index import INDEX, Place
from journalspec_reference.kahadb_journal.records import RecordPlaces, told
from journalspec_reference.kahadb_journal.scan import EMPTY, FILE, ZEROS, scan, walk
from journalspec_reference.kahadb_journal.store import (
    PLACE,
    QueueChanges,
    Step,
    Store,
    place_of,
    priority_of,
    step_of,
    tx_text,
)

#: Policy -> whether all files are scanned, checksums compared, damage skipped.
POLICIES = {
    "strict": (True, True, False),
    "salvage": (True, True, True),
    "default": (False, True, False),
    "unchecked": (False, False, False),
}
#: Commands that add a message.
_ADDS = frozenset(["ADD_MESSAGE", "UPDATE_MESSAGE"])
#: Notes that make a verdict `recovered`.
_LOSSY = ("suspicious-end", "unscanned-damage")
#: In journals of at least this many bytes, batches of at least this many records become columns. Columns are
#: not worthwhile for smaller ones: NumPy takes long to import.
_LARGE, _MANY = 8 << 20, 256
#: The numbers of commands: an audit of producers, a map of acknowledgements, a job that is scheduled.
AUDIT, ACK_MAP, JOB = 8, 9, 11
_LAST_OF = AUDIT, ACK_MAP, JOB
#: Reasons for a refusal in a phase other than `header`.
PHASES = {"bad-checksum": "checksum", "bad-chain": "record", "bad-record": "record", "bad-command": "record"}


T = TypeVar("T")


class Commands(Protocol):
    """The commands of a batch, decoded for all records at once."""

    def steps(self, place: int) -> Iterator[Step]:
        """Return the steps of a replay; `place` is the place of the batch."""

    def grouped(self, place: int) -> Iterator[Step | QueueChanges]:
        """Return the same steps, some of them combined."""


def _is_large(files: Sequence[DataFile]) -> bool:
    return sum(file.length for file in files) >= _LARGE


def emptied(files: Sequence[DataFile], dialect: Dialect) -> Iterator[Missing]:
    """Yield files that lost their content: empty or zeros before a file with content (KHD-FIL-013).

    Missing file numbers and a COMMIT without commands prove no loss: the removal of old files causes both.
    """
    waiting: list[DataFile] = []
    for file in files:
        if role_of(file, dialect) == "unused":
            continue
        if _is_blank(file, dialect):
            waiting.append(file)
            continue
        if waiting and _too_large_for(waiting[-1], file, dialect):
            waiting.pop()
        for gone in waiting:
            text = f"{file.name} was written after it; it holds " + ("zeros" if gone.length else "no bytes")
            yield Missing("emptied-file", gone.name, file.name, text=text)
        waiting = []


def _is_blank(file: DataFile, dialect: Dialect) -> bool:
    """Return whether a file consists of zeros only; in the seed, zeros are damage."""
    if not file.length or dialect.bare:
        return not file.length
    if any(bytes(file.data[:CONTROL])):
        return False
    batch = next(scan(source_of(file.data), dialect))
    return batch.more.get("end") == (0, ZEROS)


def _too_large_for(left: DataFile, file: DataFile, dialect: Dialect) -> bool:
    """Return whether `file` is one record that did not fit into `left`, so that `left` stayed unused."""
    start = bytes(file.data[: CONTROL + HEAD])
    if len(start) < CONTROL + HEAD:
        return False
    size, _ = sums(start, 0)
    length, _ = head(start, CONTROL)
    if not length == size >= left.length:
        return False
    found = list(scan(source_of(file.data), dialect))
    end = found[-1].more.get("end", (0, ""))
    return end[0] == CONTROL + size and not any(batch.damage for batch in found)


def repeats(fields: Mapping[str, Any], numbers: frozenset[int]) -> bool:
    """Return whether the rest of a file repeats an existing file, so it is ignored (KHD-RCV-012)."""
    return bool(fields.get("skip_if_source_exists", True)) and fields.get("source_file", 0) in numbers


class Walk:
    """Reads the files of a journal. The object stores no results, so reading again takes no extra memory.

    `last` is the file that is always scanned; `numbers` are the ids of all files. With `plain`, the commands
    of large batches are decoded at once, if NumPy is installed.
    """

    def __init__(
        self,
        dialect: Dialect,
        policy: str,
        last: DataFile | None,
        numbers: frozenset[int],
        *,
        plain: bool = False,
    ) -> None:
        self._dialect, self._last, self._numbers, self._plain = dialect, last, numbers, plain
        self._reading = not policy
        self._all, self._checked, self._skips = POLICIES[policy or "salvage"]

    def salvages(self) -> None:
        """From now on, skip damage as salvage does."""
        self._skips = True

    def stretch(self, file: DataFile, end: int | None = None) -> Stretch:
        """Return the log of a file, or with `end` (where the log ends) the bytes after it."""
        found = partial(self.batches, file) if end is None else partial(self._beyond, file, end)
        records = partial(told, file=file.name, dialect=self._dialect)
        columns = late_columns(__package__, self._dialect)
        role, names = role_of(file, self._dialect), self._dialect.commands
        # If two editions both have a command, its name and its parsing are the same in both.
        return Stretch(
            file.name, found, records, columns, role, alike=lambda codes: tuple(map(names.get, codes))
        )

    def batches(self, file: DataFile) -> Iterator[Batch]:
        """Yield the batches of a file; ``more["parsed"]`` contains the parsed records."""
        source, dialect = source_of(file.data), self._dialect
        scans = self._all or file is self._last
        if scans:
            # Commands that are decoded at once have a cost for each batch.
            stretch = batches.STRETCH << 2 * self._plain
            found = scan(source, dialect, file.name, checked=self._checked, stretch=stretch)
        else:
            found = walk(source, dialect, file.name, stretch=batches.STRETCH)
        skipping = False
        for batch in found:
            if not dialect.bare:
                skipping = self._parse(file, batch, skipping=skipping)
            if "end" in batch.more:
                batch.notes += self._end(file, *batch.more["end"])
            yield batch
        if not scans and (notes := list(self._unscanned(file))):
            batch = Batch(file.length, b"")
            batch.notes = notes
            yield batch

    def _parse(self, file: DataFile, batch: Batch, *, skipping: bool) -> bool:
        """Parse the records of a batch; return whether the rest of the file repeats another file."""
        data, base = batch.data, batch.base
        if self._plain and len(batch) >= _MANY and (module := batches.columns_module(__package__)):
            # Most batches are plain: their columns are replayed.
            with suppress(CommandError):
                batch.more["parsed"] = module.plain(batch, self._dialect)
                return skipping
        found: list[Parsed] = []
        odd = len(batch.notes), len(batch.damage)
        gone = []
        for row, (off, end) in enumerate(zip(batch.off, batch.end, strict=True)):
            item, surplus = parsed(data[off + HEAD : end], self._dialect)
            if isinstance(item, str):
                batch.notes.append(Note("bad-command", file.name, base + off, item))  # KHD-CMD-009
                if self._skips and not self._reading and not skipping:
                    batch.damage.append((base + off, base + end, "bad-command"))
                    gone.append(row)
                    continue
            elif item[0] == REWRITTEN:
                skipping = skipping or repeats(item[1], self._numbers)
            found.append(item)
            if surplus:
                batch.notes.append(Note("surplus", file.name, base + off, str(surplus)))  # KHD-CMD-003
        if gone:
            _leave_out(batch, frozenset(gone))
        if len(batch.notes) > odd[0] > 0:
            batch.notes.sort(key=lambda note: note.off or 0)
        if len(batch.damage) > odd[1] > 0:
            batch.damage.sort()
        batch.more["parsed"] = found
        return skipping

    def _unscanned(self, file: DataFile) -> Iterator[Note]:
        """Yield the first fault that a scan finds in a file that was read by lengths (KHD-RCV-019)."""
        for batch in scan(source_of(file.data), self._dialect, checked=self._checked):
            if batch.damage:
                yield Note("unscanned-damage", file.name, batch.damage[0][0], batch.damage[0][2])
                return
            if "end" in batch.more and self._is_suspicious(file, *batch.more["end"]):
                yield Note("unscanned-damage", file.name, batch.more["end"][0], "suspicious-end")

    @staticmethod
    def _is_suspicious(file: DataFile, off: int, by: str) -> bool:
        return by == EMPTY and not _only_filling(file.data, off + CONTROL)

    def _end(self, file: DataFile, off: int, by: str) -> Iterator[Note]:
        """Yield the notes on the end of a log."""
        if by == ZEROS and self._dialect.marked:
            yield Note("zero-tail", file.name, off)
        if self._is_suspicious(file, off, by):
            yield Note("suspicious-end", file.name, off)
        if self._reading and by != FILE:
            for batch in self._beyond(file, off):
                if batch.notes:
                    yield batch.notes[0]
                    break

    def _beyond(self, file: DataFile, off: int) -> Iterator[Batch]:
        """Yield the batches after the end of a log (KHD-END-011)."""
        return scan(source_of(file.data), self._dialect, file.name, off + 1, beyond=True)


def _leave_out(batch: Batch, gone: frozenset[int]) -> None:
    """Remove rows from a batch."""
    kept = [row not in gone for row in range(len(batch))]
    number = list(accumulate(kept, initial=0))
    batch.more["first"] = [number[row] for row in batch.more["first"] if kept[row]]
    batch.off, batch.end = (array("q", compress(column, kept)) for column in (batch.off, batch.end))
    batch.code = bytearray(compress(batch.code, kept))


class JournalState(dict[str, Any]):
    """The recovered state, with the pass that produced it: the contents need the places of records."""

    def __init__(self, values: Mapping[str, Any], passed: JournalPass) -> None:
        super().__init__(values)
        self.passed = passed

    def __eq__(self, other: object) -> bool:
        """Compare states; messages at equal places of the same files are not decoded for this."""
        if isinstance(other, JournalState) and self.passed.same(other.passed):
            return True
        return super().__eq__(other)

    __hash__ = None


class JournalPass:
    """One pass over all files of a journal; `policy` is that of recovery, or empty for reading."""

    def __init__(self, files: Files, dialect: Dialect, policy: str) -> None:
        self.dialect = dialect
        self._policy, self._reading = policy, not policy
        self._all, _, self._skips = POLICIES[policy or "salvage"]
        self._files = gather(files)
        self._numbers = frozenset(file.number for file in self._files)
        self._size = sum(file.length for file in self._files)
        self.places = RecordPlaces(self._files, dialect)
        self._found, self._beside = Found(), Found()
        #: The state after the records replayed so far.
        self.store = Store()
        #: The evidence of the index, if there is one; an index cannot refer to records of the seed.
        self._evidence = Evidence(files) if INDEX in files and not dialect.bare else None
        #: Number of a command -> place of its last record, for the commands in `_LAST_OF`.
        self.last: dict[int, int] = {}
        #: Where the log of each file ends, by its id.
        self._ends = {file.number: 0 for file in self._files}
        self._data = {file.number: file.data for file in self._files}
        self._turns = {file.number: turn for turn, file in enumerate(self._files)}
        #: The answer if recovery refuses the journal, and the offset of the cause.
        self._refused: Observation | None = None
        self._refused_at = 0
        #: The rest of the pass, if salvage can continue it; salvage cannot continue after a record that is
        #: not a command.
        self._left: Iterator[None] | None = None
        self._resumes = policy == "strict"
        #: When only reading: the refusal that recovery would report because of a record that is not a
        #: command.
        self._unfit: Observation | None = None
        #: Whether a part of the journal is lost.
        self.lossy = False
        #: Whether the rest of the current file is ignored.
        self._skipping = False
        #: The last damaged region; a record that is not a command does not count.
        self._damage: tuple[str, int, int] | None = None
        #: File -> note on its first message that was added twice; notes on files whose rest is ignored.
        self._doubled: dict[str, Note] = {}
        self._skipped: list[Note] = []
        self._roles = {file.name: role_of(file, dialect) for file in self._files}
        unused = [Note("unused-file", name, 0) for name, role in self._roles.items() if role == "unused"]
        self._set_notes = [*NAMES.notes(files), *unused]
        data = [file for file in self._files if self._roles[file.name] == "data"]
        self._last = data[-1] if data else None
        self._walk = Walk(dialect, policy, self._last, self._numbers, plain=_is_large(self._files))
        left = chain.from_iterable(map(self._file, count(), self._files))
        if next(left, self) is None and self._resumes:
            self._left = left

    def _file(self, turn: int, file: DataFile) -> Iterator[None]:
        """Read a file, and yield where recovery refuses it."""
        end = 0, FILE
        self._skipping = False
        for batch in self._found.begin(self._walk.stretch(file)):
            self._found.take(batch)
            end = batch.more.get("end", end)
            if batch.off:
                self._ends[file.number] = batch.base + batch.end[-1]
            for note in batch.notes:
                self.lossy |= note.code in _LOSSY
            if batch.damage:
                self._damaged(file, batch)
            self._take(file, turn, batch)
            if self._refused is not None:
                yield
        if self._reading and end[1] != FILE:
            for batch in self._beside.begin(self._walk.stretch(file, end[0])):
                self._beside.take(batch)

    def _take(self, file: DataFile, turn: int, batch: Batch) -> None:
        """Replay the records of a batch."""
        items: Sequence[Parsed] | Commands = batch.more.get("parsed", ())
        if len(batch) >= _MANY:
            # A parsed command is larger than its bytes, and is not kept.
            batch.more.pop("parsed", None)
        place = (turn << PLACE) + batch.base
        for code in _LAST_OF:
            if (row := batch.code.rfind(code)) >= 0:
                self.last[code] = place + batch.off[row]
        # The index covers the records before `cut`: on these, index and journal have to agree.
        index, cut = self._evidence, len(batch)
        if index is not None:
            cut = bisect_left(batch.off, index.begins(file.number) - batch.base)
        if isinstance(items, Sequence):
            steps: Iterator[Step | QueueChanges] = self._steps(file, batch, items, place)
        else:
            steps = items.steps(place) if 0 < cut < len(batch) else items.grouped(place)
        if index is None:
            self._replay(file, steps)
            return
        self._replay(file, islice(steps, cut))
        if cut < len(batch):
            index.passed(self.store, place + batch.off[cut])
            self._replay(file, steps)
        index.looks(file.number, batch)

    def _replay(self, file: DataFile, steps: Iterator[Step | QueueChanges]) -> None:
        if not self._skipping and (found := self.store.replay(steps)):
            # The first message of a file that was added although it existed (KHD-RCV-003).
            note = Note("duplicate-message", file.name, found[0] & (1 << PLACE) - 1, found[1])
            self._doubled.setdefault(file.name, note)

    def _damaged(self, file: DataFile, batch: Batch) -> None:
        """Process the damaged regions of a batch."""
        self.lossy = True
        for start, end, reason in batch.damage:
            if reason != "bad-command":
                self._damage = file.name, start, end
            if self._refused is None and self._refuses(file, end):
                self._refused_at = start
                self._refused = _refused(file, Dropped(file.name, start, end - start, reason))

    def _refuses(self, file: DataFile, end: int) -> bool:
        """Return whether recovery refuses damage that ends at `end` (KHD-RCV-013, KHD-RCV-016)."""
        if self._skips:
            return False
        if not self._all:
            return file is not self._last
        return file is not self._last or end < file.length

    def _steps(self, file: DataFile, batch: Batch, items: Sequence[Parsed], place: int) -> Iterator[Step]:
        """Yield the steps of records, up to a record after which the rest of the file is ignored."""
        for off, item in zip(batch.off, items, strict=False):
            at = batch.base + off
            if not isinstance(item, str):
                if item[0] != REWRITTEN or not repeats(item[1], self._numbers):
                    yield step_of(*item, place + off)
                    continue
                source = str(item[1].get("source_file", 0))
                self._skipped.append(Note("rewritten-skipped", file.name, at, source))  # KHD-RCV-012
            elif self._skips:
                if self._reading:
                    self._unfit = self._unfit or _no_command(file, batch, off, item)
                yield step_of("OTHER", {}, place + off)
                continue
            else:
                self._resumes = False
                if self._refused is None or at < self._refused_at:
                    self._refused = _no_command(file, batch, off, item)
            self._skipping = True
            return

    def observation(self) -> Observation:
        """Return the answer."""
        if self._refused is not None:
            return replace(self._refused, go_on=self._salvaged)
        late = [*self._doubled.values(), *self._skipped, *self._tail()]
        left = dict.fromkeys((*self.store.open, *(tx for tx in self.store.prepared if tx[0] == "LOCAL")))
        late += [Note("incomplete-transaction", text=tx_text(tx[1:])) for tx in left]  # KHD-SCN-014
        files = [FileMap(file.name, file.length, self._roles[file.name]) for file in self._files]
        missing = list(emptied(self._files, self.dialect)) if len(self._files) > 1 else []
        dropped = self._found.dropped()
        if self._evidence is not None:
            log = Log(self._ends, self._adds, bool(missing or len(dropped)))
            lacking, told_by_index = self._evidence.compare(self.store, log, self._later)
            late += told_by_index
            missing += lacking
        return Observation(
            RECOVERED if self.lossy or missing else CLEAN,
            records=self._found.records(),
            dropped=dropped,
            state=self._state(),
            files=tuple(files),
            notes=joined(note_place, self._set_notes, self._found.notes(), late),
            unanchored=self._beside.records(),
            missing=missing,
            unfit=self._unfit,
        )

    def _salvaged(self, policy: str) -> Observation | None:
        """Continue after the damage that strict recovery refuses: before it, salvage reads the same."""
        left, self._left = self._left, None
        if policy != "salvage" or left is None:
            return None
        self._policy, self._refused, self._skips = policy, None, True
        self._walk.salvages()
        next(left, None)
        return self.observation()

    def _adds(self, place: Place, stored: int | None) -> bool:
        """Return whether the record at a place adds a message, judged by `stored` or by its first bytes."""
        if stored is not None and place_of(stored) == (self._turns[place[0]] << PLACE) + place[1]:
            return True
        start = bytes(self._data[place[0]][place[1] : place[1] + HEAD + 1])
        return (
            len(start) > HEAD
            and start[HEAD - 1] == USER
            and self.dialect.commands.get(start[HEAD], "") in _ADDS
        )

    def _later(self) -> Iterator[Step]:
        """Yield the steps of the commands that the index does not cover."""
        covers = (lambda _: False) if self._evidence is None else self._evidence.covers
        first, ignored = sum(covers((file.number, file.length)) for file in self._files), -1
        for turn, file, batch in self.batches(first):
            items: Sequence[Parsed] = batch.more.get("parsed", ())
            for off, item in zip(batch.off, items, strict=False):
                if isinstance(item, str) or turn == ignored:
                    continue
                name, fields = item
                if name == REWRITTEN and repeats(fields, self._numbers):
                    ignored = turn  # no command in the rest of the file has an effect (KHD-RCV-012)
                elif not covers((file.number, batch.base + off)):
                    yield step_of(name, fields, 0)

    def _tail(self) -> Iterator[Note]:
        if self._damage is not None and self._last is not None:
            name, start, end = self._damage
            if (name, end) == (self._last.name, self._last.length):
                yield Note("torn-tail", name, start)  # KHD-RCV-020

    @staticmethod
    def _listed(make: Callable[[], Iterable[T]], count: int, size: int = 0) -> Sequence[T]:
        """Return `count` items of `size` bytes in total, made on demand; few items are then kept."""
        return Deferred(count, make) if size + count * COST <= reread.KEEP else Lazy([Part("", make, count)])

    def _state(self) -> dict[str, Any]:
        if self.dialect.bare:
            records = self._found.records()
            if isinstance(records, Lazy):
                return {"payloads": mapped(_payload, records)}
            return {"payloads": Deferred(len(records), lambda: map(_payload, records))}
        store = self.store
        names = sorted(store.destinations)
        doubtful = sorted(tx[1:] for tx in store.prepared if tx[0] == "XA")
        state = {
            "destinations": self._listed(lambda: map(self._destination, names), len(names)),
            "in_doubt": self._listed(lambda: map(self._in_doubt, doubtful), len(doubtful)),
        }
        return JournalState(state, self)

    @property
    def files(self) -> Sequence[DataFile]:
        """The files, in the order of their turns."""
        return self._files

    def same(self, other: JournalPass) -> bool:
        """Return whether two passes over the same files certainly have the same state.

        If two editions both have a command, they parse it in the same way.
        """
        mine, its = self.store, other.store
        if any(here.subscriptions for here in (*mine.destinations.values(), *its.destinations.values())):
            return False
        messages = ({name: here.messages for name, here in each.destinations.items()} for each in (mine, its))
        return (
            [id(file.data) for file in self._files] == [id(file.data) for file in other.files]
            and next(messages) == next(messages)
            and mine.prepared == its.prepared
        )

    @property
    def policy(self) -> str:
        """The policy of recovery."""
        return self._policy

    @property
    def known(self) -> Known | None:
        """The facts of a usable index; None before :meth:`observation`."""
        return None if self._evidence is None else self._evidence.known

    def idle(self) -> Iterator[tuple[str, str]]:
        """Yield the destinations that only the index contains and no later command removed."""
        found = set() if self.known is None else {*self.known.idle}
        for step in self._later() if found else ():
            if step.command == "REMOVE_DESTINATION":
                found.discard(step.destination)
        yield from found

    def batches(self, first: int = 0) -> Iterator[tuple[int, DataFile, Batch]]:
        """Read the files from turn `first` on again; yield each batch with its turn and file."""
        walk = Walk(self.dialect, self._policy, self._last, self._numbers)
        for turn in range(first, len(self._files)):
            for batch in walk.batches(self._files[turn]):
                yield turn, self._files[turn], batch

    def commands(self) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
        """Read the files again; yield the place, name and fields of each command."""
        for turn, _, batch in self.batches():
            for off, item in zip(batch.off, batch.more.get("parsed", ()), strict=False):
                if not isinstance(item, str):
                    yield (turn << PLACE) + batch.base + off, *item

    def _destination(self, name: tuple[str, str]) -> dict[str, Any]:
        here = self.store.destinations[name]
        keys = sorted(here.subscriptions)
        ranked = here.ranked() if keys else None

        def message(entry: tuple[str, int]) -> dict[str, Any]:
            ident, stored = entry
            _, fields, _ = self.places.command(place_of(stored))
            return {"id": ident, "priority": priority_of(stored), "message": fields.get("message", b"")}

        def subscription(key: str) -> dict[str, Any]:
            assert ranked is not None, "there is a subscription"
            pending = partial(ranked.pending, here.subscriptions[key])
            return {"key": key, "pending": self._listed(pending, sum(1 for _ in pending()), most)}

        # The number of pending ids can be as large as messages times subscriptions.
        most = len(here.messages) * len(keys) << 8
        return {
            "kind": name[0],
            "name": name[1],
            "messages": self._listed(lambda: map(message, here.in_order()), len(here.messages), self._size),
            "subscriptions": self._listed(lambda: map(subscription, keys), len(keys), most),
        }

    def _in_doubt(self, xid: tuple[Any, ...]) -> dict[str, Any]:
        commands = [
            {
                "type": change.command,
                "kind": change.destination[0],
                "name": change.destination[1],
                "id": change.message_id,
            }
            for change in self.store.prepared["XA", *xid]
        ]
        return {"format_id": xid[0], "gtrid": xid[1], "bqual": xid[2], "commands": commands}


def _payload(record: Record) -> Any:
    return record.fields["payload"]


def _only_filling(data: Any, start: int) -> bool:
    """Return whether a file contains only zeros and end markers from `start` on."""
    begun = b""
    for at in range(start, len(data), 1 << 16):
        piece = begun + bytes(data[at : at + (1 << 16)])
        begun = piece.replace(END_MARKER, bytes(MARKER)).lstrip(b"\0")
        # The remaining bytes may be the beginning of an end marker that continues in the next piece.
        if not (END_MARKER.startswith(begun) and piece.endswith(begun)):
            return False
    return not begun


def _refused(file: DataFile, region: Dropped, why: str = "") -> Observation:
    text = f"{file.name}: no sound {'record' if why else 'batch'} at {region.off}: {why or region.reason}"
    phase = PHASES.get(region.reason, "header")
    return refused(phase, region.reason, text, At(file.name, region.off, region.length))


def _no_command(file: DataFile, batch: Batch, off: int, why: str) -> Observation:
    length, _ = head(batch.data, off)
    return _refused(file, Dropped(file.name, batch.base + off, length, "bad-command"), why)


def recover(files: Files, edition: str, policy: str, _: Params) -> Observation:
    """Return the result of recovery, or of reading if there is no policy."""
    if not any(id_of(name) is not None for name in files):
        text = "there is no data file: their names are db-1.log, db-2.log and so on"
        return refused("fileset", "no-files", text)
    return JournalPass(files, DIALECTS[edition], policy).observation()


def plan(files: Files, edition: str, _: Params) -> Sequence[Stretch]:
    """Return the stretches of a journal: its files, in their order."""
    found = gather(files)
    numbers = frozenset(file.number for file in found)
    walk = Walk(DIALECTS[edition], "", None, numbers, plain=_is_large(found))
    return [walk.stretch(file) for file in found]
