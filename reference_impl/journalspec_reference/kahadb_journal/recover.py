"""Reads the files of a journal and recovers its state. No function here changes a file.

Replay keeps only ids and places. Records are decoded into objects when the lists of the answer are iterated.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import accumulate, chain, compress, islice, repeat, starmap
from operator import attrgetter
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
    note_place,
    refused,
)
from journalspec.reread import COST, Deferred, Lazy, Part, joined, mapped
from journalspec_reference import batches
from journalspec_reference.api import Files, Params
from journalspec_reference.batches import Batch, Found, Stretch, late_columns, source_of, zeros
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
    frame,
    head,
    parse,
    sums,
)
from journalspec_reference.kahadb_journal.evidence import Evidence, Known, Log
from journalspec_reference.kahadb_journal.fileset import NAMES, DataFile, gather, role_of
from journalspec_reference.kahadb_journal.index import INDEX, Place
from journalspec_reference.kahadb_journal.records import RecordPlaces, told
from journalspec_reference.kahadb_journal.scan import EMPTY, FILE, ZEROS, scan, walk
from journalspec_reference.kahadb_journal.store import (
    PLACE,
    QueueChanges,
    Ranked,
    Step,
    Store,
    place_of,
    priority_of,
    step_of,
    tx_text,
)

#: Maps a policy to three flags: whether all files are scanned, checksums compared, damage skipped.
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
#: The numbers of three commands: an audit of producers, a map of acknowledgements, a job that is scheduled.
AUDIT, ACK_MAP, JOB = 8, 9, 11
_LAST_OF = AUDIT, ACK_MAP, JOB
#: Reasons for a refusal in a phase other than `header`.
PHASES = {"bad-checksum": "checksum", "bad-chain": "record", "bad-record": "record", "bad-command": "record"}


#: Maps an edition to the function that makes the columns of a batch.
_COLUMNS = {edition: late_columns(__package__, dialect) for edition, dialect in DIALECTS.items()}

T = TypeVar("T")


class Commands(Protocol):
    """Represents the commands of a batch, decoded for all records at once."""

    def steps(self, place: int) -> Iterator[Step]:
        """Return the steps of a replay. `place` is the position of the batch."""

    def grouped(self, place: int) -> Iterator[Step | QueueChanges]:
        """Return the same steps as :meth:`steps`, some of them combined."""


def emptied(files: Sequence[DataFile], roles: Mapping[str, str], dialect: Dialect) -> Iterator[Missing]:
    """Yield files that lost their content: empty or zeros before a file with content (KHD-FIL-013).

    Missing file numbers and a COMMIT without commands prove no loss: the removal of old files causes both.
    """
    waiting: list[DataFile] = []
    for file in files:
        if roles[file.name] == "unused":
            continue
        # In the edition `seed`, zeros are damage.
        if not file.length or (not dialect.bare and zeros(source_of(file.data))):
            waiting.append(file)
            continue
        if waiting and _too_large_for(waiting[-1], file, dialect):
            waiting.pop()
        for gone in waiting:
            text = f"{file.name} was written after it; it holds " + ("zeros" if gone.length else "no bytes")
            yield Missing("emptied-file", gone.name, file.name, text=text)
        waiting = []


def _too_large_for(left: DataFile, file: DataFile, dialect: Dialect) -> bool:
    """Return whether `file` is one record that did not fit into the `left` bytes, so that these stayed
    unused.
    """
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


class Walk:
    """Reads the files of a journal. The object stores no results, so repeated reading takes no additional
    memory.

    An empty `policy` means reading. `last` is the last file with data, which is always scanned.
    """

    def __init__(self, files: Sequence[DataFile], dialect: Dialect, policy: str) -> None:
        self._dialect, self._files = dialect, files
        self.roles: dict[str, str] = {}
        self.last: DataFile | None = None
        self.size = 0
        for file in files:
            role = self.roles[file.name] = role_of(file, dialect)
            self.last = file if role == "data" else self.last
            self.size += file.length
        self.reading = not policy
        #: Three flags: whether all files are scanned, checksums compared, damage skipped.
        self.all, self._checked, self.skips = POLICIES[policy or "salvage"]

    @cached_property
    def _numbers(self) -> frozenset[int]:
        return frozenset(map(attrgetter("number"), self._files))

    def stretch(self, file: DataFile, end: int | None = None) -> Stretch:
        """Return the log of a file. With `end` (the end of the log), return the bytes after it."""
        found: Callable[[], Iterator[Batch]] = partial(self.batches, file)
        if end is not None:  # KHD-END-011
            found = partial(scan, source_of(file.data), self._dialect, file.name, end + 1, beyond=True)
        records = partial(told, file=file.name, dialect=self._dialect)
        columns = _COLUMNS[self._dialect.edition]
        return Stretch(file.name, found, records, columns, self.roles[file.name], self._commands)

    def _commands(self, codes: Iterable[int]) -> tuple[str | None, ...]:
        """Return the names of commands.

        If two editions both have a command, its name and its parsing are the same in both.
        """
        return tuple(map(self._dialect.commands.get, codes))

    def shown(self, file: DataFile) -> FileMap:
        """Return the layout entry of a file."""
        return FileMap(file.name, file.length, self.roles[file.name])

    def batches(self, file: DataFile, *, plain: bool = True) -> Iterator[Batch]:
        """Yield the batches of a file; ``more["parsed"]`` contains the parsed records.

        With `plain`, the commands of large batches of a large journal are decoded at once, if NumPy is
        installed. If the rest of a file repeats another file (KHD-RCV-012), ``more["live"]`` is the number of
        records in the batch that have an effect, and ``more["skipped"]`` of the batch in which the rest
        begins is a note.
        """
        source, dialect, skips = source_of(file.data), self._dialect, False
        # Commands that are decoded at once have a cost for each batch, so these batches are larger.
        plain = plain and self.size >= _LARGE and not dialect.bare
        plain = plain and batches.columns_module(__package__) is not None
        stretch = 2 * batches.STRETCH if plain else batches.STRETCH
        scans = self.all or file is self.last
        if scans:
            found = scan(source, dialect, file.name, checked=self._checked, stretch=stretch)
        else:
            found = walk(source, dialect, file.name, stretch=stretch)
        for batch in found:
            if skips:
                batch.more["live"] = 0
            if batch.off and not dialect.bare:
                self._parse(file, batch, plain=plain)
                skips = "live" in batch.more
            if "end" in batch.more:
                off, by = batch.more["end"]
                if by == ZEROS and dialect.marked:
                    batch.notes.append(Note("zero-tail", file.name, off))
                if _is_suspicious(file, off, by):
                    batch.notes.append(Note("suspicious-end", file.name, off))
                if self.reading and by != FILE:
                    for beyond in scan(source, dialect, file.name, off + 1, beyond=True):
                        if beyond.notes:
                            batch.notes.append(beyond.notes[0])
                            break
            yield batch
        if not scans and (note := self._unscanned(file)):
            batch = Batch(file.length, b"")
            batch.notes.append(note)
            yield batch

    def _parse(self, file: DataFile, batch: Batch, *, plain: bool) -> None:
        """Parse the records of a batch."""
        data, base, notes, damage = batch.data, batch.base, batch.notes, batch.damage
        if plain and len(batch) >= _MANY and (module := batches.columns_module(__package__)):
            # Most batches are plain: their columns are replayed.
            with suppress(CommandError):
                batch.more["parsed"] = module.plain(batch, self._dialect)
                return
        found: list[Parsed] = []
        gone, odd, skips = list[int](), (len(notes), len(damage)), "live" in batch.more
        for row, (off, end) in enumerate(zip(batch.off, batch.end, strict=True)):
            try:
                name, message, surplus = frame(data[off + HEAD : end], self._dialect.commands)
                fields = parse(name, message)
            except CommandError as error:
                notes.append(Note("bad-command", file.name, base + off, str(error)))  # KHD-CMD-009
                if self.skips and not self.reading and not skips:
                    damage.append((base + off, base + end, "bad-command"))
                    gone.append(row)
                else:
                    found.append(str(error))
                continue
            if name == REWRITTEN and not skips and self._repeats(fields):
                text = str(fields.get("source_file", 0))
                batch.more["skipped"] = Note("rewritten-skipped", file.name, base + off, text)
                skips, batch.more["live"] = True, len(found)
            found.append((name, fields))
            if surplus:
                notes.append(Note("surplus", file.name, base + off, str(surplus)))  # KHD-CMD-003
        if gone:
            _leave_out(batch, frozenset(gone))
        if len(notes) > odd[0] > 0:
            notes.sort(key=lambda note: note.off or 0)
        if len(damage) > odd[1] > 0:
            damage.sort()
        batch.more["parsed"] = found

    def _repeats(self, fields: Mapping[str, Any]) -> bool:
        """Return whether the remaining bytes of a file repeat an existing file.

        If so, they are ignored (KHD-RCV-012).
        """
        return (
            bool(fields.get("skip_if_source_exists", True)) and fields.get("source_file", 0) in self._numbers
        )

    def _unscanned(self, file: DataFile) -> Note | None:
        """Return the first fault that a scan finds in a file that was read by lengths (KHD-RCV-019)."""
        for batch in scan(source_of(file.data), self._dialect, checked=self._checked):
            if batch.damage:
                return Note("unscanned-damage", file.name, batch.damage[0][0], batch.damage[0][2])
            if "end" in batch.more and _is_suspicious(file, *batch.more["end"]):
                return Note("unscanned-damage", file.name, batch.more["end"][0], "suspicious-end")
        return None


def _is_suspicious(file: DataFile, off: int, by: str) -> bool:
    return by == EMPTY and not _only_filling(file.data, off + CONTROL)


def _leave_out(batch: Batch, gone: frozenset[int]) -> None:
    """Remove rows from a batch."""
    kept = [row not in gone for row in range(len(batch))]
    number = list(accumulate(kept, initial=0))
    batch.more["first"] = [number[row] for row in batch.more["first"] if kept[row]]
    batch.off, batch.end = (array("q", compress(column, kept)) for column in (batch.off, batch.end))
    batch.code = bytearray(compress(batch.code, kept))


class JournalState(dict[str, Any]):
    """The recovered state, with the pass that produced it. The contents need the positions of records."""

    passed: JournalPass

    def __eq__(self, other: object) -> bool:
        """Compare states; messages at equal places of the same files are not decoded for this."""
        if isinstance(other, JournalState) and self.passed.same(other.passed):
            return True
        return super().__eq__(other)

    __hash__ = None


class JournalPass:
    """Represents one pass over all files of a journal. `policy` is that of recovery, or empty for reading."""

    def __init__(self, files: Files, dialect: Dialect, policy: str) -> None:
        #: The files, in the order of their turns.
        self.files = gather(files)
        self.dialect, self.policy = dialect, policy
        self.places = RecordPlaces(self.files, dialect)
        self._walk = Walk(self.files, dialect, policy)
        self._found, self._beside = Found(), Found()
        #: The state after the records replayed so far.
        self.store = Store()
        #: The evidence of the index, if there is an index. An index cannot refer to records of the seed.
        self._evidence = Evidence(files) if INDEX in files and not dialect.bare else None
        #: Maps the number of a command to the position of its last record, for the commands in `_LAST_OF`.
        self.last: dict[int, int] = {}
        #: The end of each file's log, by the id of the file.
        self._turns = {file.number: turn for turn, file in enumerate(self.files)}
        self._ends = dict.fromkeys(self._turns, 0)
        #: The answer if recovery refuses the journal, and the offset of the cause.
        self._refused: Observation | None = None
        self._refused_at = 0
        #: In a reading, this is the refusal that recovery would report because of a record that is not a
        #: command.
        self._unfit: Observation | None = None
        #: Whether a part of the journal is lost.
        self.lossy = False
        #: The last damaged region. A record that is not a command is not included.
        self._damage: tuple[str, int, int] | None = None
        #: Maps a file to the note on its first message that was added twice. Then the notes on files whose
        #: remaining bytes are ignored.
        self._doubled: dict[str, Note] = {}
        self._skipped: list[Note] = []
        unused = [Note("unused-file", name, 0) for name, role in self._walk.roles.items() if role == "unused"]
        self._set_notes = [*NAMES.notes(files), *unused]
        #: The batches that are not read yet: salvage can continue after the damage that strict refuses, but
        #: not after a record that is not a command.
        self._left: Iterator[tuple[DataFile, Batch]] | None = chain.from_iterable(
            map(self._begun, self.files)
        )
        if not any(starmap(self._take, self._left)) or policy != "strict":
            self._left = None

    def _begun(self, file: DataFile) -> Iterator[tuple[DataFile, Batch]]:
        return zip(repeat(file), self._found.begin(self._walk.stretch(file)), strict=False)

    def _take(self, file: DataFile, batch: Batch) -> bool:  # noqa: C901, PLR0912  # each branch is a rule
        """Replay the records of a batch. Return whether recovery refuses the journal."""
        walk, index = self._walk, self._evidence
        self._found.take(batch)
        if batch.notes or batch.damage:
            self._damaged(file, batch)
        if batch.off:
            items: list[Parsed] | Commands = batch.more.get("parsed", [])
            if len(batch) >= _MANY:
                # A parsed command is larger than its bytes, and is not kept.
                batch.more.pop("parsed", None)
            self._ends[file.number] = batch.base + batch.end[-1]
            place = (self._turns[file.number] << PLACE) + batch.base
            for code in _LAST_OF:
                if (row := batch.code.rfind(code)) >= 0:
                    self.last[code] = place + batch.off[row]
            # The index covers the records before `cut`. For these, index and journal must agree.
            live, cut = batch.more.get("live", len(batch)), len(batch)
            if index is not None:
                cut = bisect_left(batch.off, index.begins(file.number) - batch.base)
                index.looks(file.number, batch)
            steps: Iterable[Step | QueueChanges] = ()
            if isinstance(items, list):
                steps = self._steps(file, batch, items[:live], place)
            elif live:
                steps = items.steps(place) if 0 < cut < len(batch) else items.grouped(place)
            if index is not None and cut < len(batch):
                steps = self._marked(index, iter(steps), cut, place + batch.off[cut])
            if twice := self.store.replay(steps):
                # The first message of a file that was added although it existed (KHD-RCV-003).
                note = Note("duplicate-message", file.name, twice[0] & (1 << PLACE) - 1, twice[1])
                self._doubled.setdefault(file.name, note)
        if "skipped" in batch.more:
            self._skipped.append(batch.more["skipped"])
        if walk.reading and batch.more.get("end", (0, FILE))[1] != FILE:
            for beyond in self._beside.begin(walk.stretch(file, batch.more["end"][0])):
                self._beside.take(beyond)
        return self._refused is not None

    def _damaged(self, file: DataFile, batch: Batch) -> None:
        """Process the damaged regions of a batch, and its notes on a loss."""
        walk = self._walk
        for note in batch.notes:
            self.lossy |= note.code in _LOSSY
        for start, end, reason in batch.damage:
            self.lossy = True
            if reason != "bad-command":
                self._damage = file.name, start, end
            # KHD-RCV-013, KHD-RCV-016
            refuses = file is not walk.last or (walk.all and end < file.length)
            if refuses and not walk.skips and self._refused is None:
                self._refused_at = start
                self._refused = _refused(file, Dropped(file.name, start, end - start, reason))

    def _steps(self, file: DataFile, batch: Batch, items: Sequence[Parsed], place: int) -> list[Step]:
        """Return the steps of records up to a record that is not a command.

        At that record, recovery refuses.
        """
        steps = []
        for off, end, item in zip(batch.off, batch.end, items, strict=False):
            if isinstance(item, str):
                at = batch.base + off
                found = _refused(file, Dropped(file.name, at, end - off, "bad-command"), item)
                if not self._walk.reading:
                    if self._refused is None or at < self._refused_at:
                        self._refused = found
                    self._left = None
                    break
                self._unfit = self._unfit or found
            name, fields = ("OTHER", {}) if isinstance(item, str) else item
            steps.append(step_of(name, fields, place + off))
        return steps

    def _marked(
        self, index: Evidence, steps: Iterator[Step | QueueChanges], cut: int, place: int
    ) -> Iterator[Step | QueueChanges]:
        """Yield steps; after the first `cut` ones, mark the state as the one that the index covers."""
        yield from islice(steps, cut)
        index.passed(self.store, place)
        yield from steps

    def observation(self) -> Observation:
        """Return the answer."""
        if self._refused is not None:
            return replace(self._refused, go_on=self._salvaged)
        walk, late = self._walk, [*self._doubled.values(), *self._skipped]
        if self._damage is not None and walk.last is not None:
            name, start, end = self._damage
            if (name, end) == (walk.last.name, walk.last.length):
                late.append(Note("torn-tail", name, start))  # KHD-RCV-020
        left = self.store.incomplete()
        late += [Note("incomplete-transaction", text=tx_text(tx[1:])) for tx in left]  # KHD-SCN-014
        missing = list(emptied(self.files, walk.roles, self.dialect)) if len(self.files) > 1 else []
        dropped = self._found.dropped()
        if self._evidence is not None:
            log = Log(self._ends, self._adds, self._agrees, bool(missing or len(dropped)))
            lacking, told_by_index = self._evidence.compare(self.store, log, self._later)
            late += told_by_index
            missing += lacking
        return Observation(
            RECOVERED if self.lossy or missing else CLEAN,
            records=self._found.records(),
            dropped=dropped,
            state=self._state(),
            files=Deferred(len(self.files), partial(map, walk.shown, self.files)),
            notes=joined(note_place, self._set_notes, self._found.notes(), late),
            unanchored=self._beside.records(),
            missing=missing,
            unfit=self._unfit,
        )

    def _salvaged(self, policy: str) -> Observation | None:
        """Continue after the damage that strict recovery refuses.

        Up to that damage, both policies read the same.
        """
        left, self._left = self._left, None
        if policy != "salvage" or left is None:
            return None
        self.policy, self._refused, self._walk.skips = policy, None, True
        any(starmap(self._take, left))
        return self.observation()

    def _adds(self, place: Place, stored: int | None) -> bool:
        """Return whether the record at a position adds a message, by `stored` or by its first bytes."""
        turn = self._turns[place[0]]
        if stored is not None and place_of(stored) == (turn << PLACE) + place[1]:
            return True
        start = bytes(self.files[turn].data[place[1] : place[1] + HEAD + 1])
        return (
            len(start) > HEAD
            and start[HEAD - 1] == USER
            and self.dialect.commands.get(start[HEAD], "") in _ADDS
        )

    def _agrees(self, places: Iterable[Place], stored: Iterable[int]) -> bool:
        """Return whether each stored message is at the place that the index states."""
        turns = self._turns
        return [turns.get(file, -1) << PLACE | off for file, off in places] == [*map(place_of, stored)]

    def _later(self) -> Iterator[Step]:
        """Yield the steps of the commands that the index does not cover."""
        covers = (lambda _: False) if self._evidence is None else self._evidence.covers
        first = sum(covers((file.number, file.length)) for file in self.files)
        for place, name, fields in self.commands(first, live=True):
            if not covers((self.files[place >> PLACE].number, place & (1 << PLACE) - 1)):
                yield step_of(name, fields, 0)

    @staticmethod
    def _listed(make: Callable[[], Iterable[T]], count: int, size: int = 0) -> Sequence[T]:
        """Return `count` items of `size` bytes in total, created on demand. Few items are kept."""
        return Deferred(count, make) if size + count * COST <= reread.KEEP else Lazy([Part("", make, count)])

    def _state(self) -> dict[str, Any]:
        if self.dialect.bare:
            return {"payloads": mapped(lambda record: record.fields["payload"], self._found.records())}
        store = self.store
        names = sorted(store.destinations)
        doubtful = sorted([tx[1:] for tx in store.prepared if tx[0] == "XA"])
        state = JournalState(
            destinations=self._listed(partial(map, self._destination, names), len(names)),
            in_doubt=self._listed(partial(map, self._in_doubt, doubtful), len(doubtful)),
        )
        state.passed = self
        return state

    def same(self, other: JournalPass) -> bool:
        """Return whether two passes over the same files certainly have the same state.

        If two editions both have a command, they parse it in the same way.
        """
        states = (
            {name: (here.messages, here.subscriptions) for name, here in each.destinations.items()}
            for each in (self.store, other.store)
        )
        return (
            [id(file.data) for file in self.files] == [id(file.data) for file in other.files]
            and next(states) == next(states)
            and self.store.prepared == other.store.prepared
        )

    @property
    def known(self) -> Known | None:
        """The facts of a usable index. None before :meth:`observation`."""
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
        for turn in range(first, len(self.files)):
            for batch in self._walk.batches(self.files[turn], plain=False):
                yield turn, self.files[turn], batch

    def commands(self, first: int = 0, *, live: bool = False) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
        """Read the files from turn `first` on again; yield the place, name and fields of each command.

        With `live`, yield only those that have an effect (KHD-RCV-012).
        """
        for turn, file in enumerate(self.files[first:], first):
            for batch in self._walk.batches(file, plain=False):
                known = batch.more.get("parsed", ())[: batch.more.get("live") if live else None]
                for off, item in zip(batch.off, known, strict=False):
                    if not isinstance(item, str):
                        yield (turn << PLACE) + batch.base + off, *item

    def _destination(self, name: tuple[str, str]) -> dict[str, Any]:
        here = self.store.destinations[name]
        keys = sorted(here.subscriptions)
        ranked = Ranked(here.messages) if keys else None

        def message(entry: tuple[str, int]) -> dict[str, Any]:
            ident, stored = entry
            _, fields, _ = self.places.command(place_of(stored))
            return {"id": ident, "priority": priority_of(stored), "message": fields.get("message", b"")}

        def subscription(key: str) -> dict[str, Any]:
            assert ranked is not None, "there is a subscription"
            one = here.subscriptions[key]
            return {
                "key": key,
                "pending": self._listed(partial(ranked.pending, one), ranked.count(one), most),
            }

        # The number of pending ids can be as large as the number of messages times the number of
        # subscriptions.
        most = len(here.messages) * len(keys) << 8
        return {
            "kind": name[0],
            "name": name[1],
            "messages": self._listed(
                lambda: map(message, here.in_order()), len(here.messages), self._walk.size
            ),
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


def recover(files: Files, edition: str, policy: str, _: Params) -> Observation:
    """Return the result of recovery, or of reading if there is no policy."""
    passed = JournalPass(files, DIALECTS[edition], policy)
    if not passed.files:
        text = "there is no data file: their names are db-1.log, db-2.log and so on"
        return refused("fileset", "no-files", text)
    return passed.observation()


def plan(files: Files, edition: str, _: Params) -> Sequence[Stretch]:
    """Return the stretches of a journal: its files, in their order."""
    found = gather(files)
    walk = Walk(found, DIALECTS[edition], "")
    return [walk.stretch(file) for file in found]
