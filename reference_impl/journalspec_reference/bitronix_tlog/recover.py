"""Reading the files of a log, and the recovery that follows from it; nothing here changes a file.

What the records amount to is the products' own rule (BTM-RCV): a COMMITTING record is
the decision, and COMMITTED, ROLLEDBACK and UNKNOWN take resources off it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

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
    record_place,
    refused,
    region_place,
)
from journalspec.reread import Collector, collected, few, joined, mapped
from journalspec_reference.api import Files, Params
from journalspec_reference.bitronix_tlog import nio, rival
from journalspec_reference.bitronix_tlog.codec import (
    SEED,
    STATE_CLEAN,
    STATE_UNCLEAN,
    STATUS_CODES,
    STATUS_NAMES,
    Fault,
    Framing,
    LogRecord,
    name_text,
)
from journalspec_reference.bitronix_tlog.fileset import PAIR, LogFile, elect, load_pair, sibling
from journalspec_reference.bitronix_tlog.nio import NioHeader, NioRecord, NioScan
from journalspec_reference.bitronix_tlog.scan import search, walk

COMMITTING = STATUS_CODES["COMMITTING"]
#: Statuses that end a transaction for the resources they name.
FINISHED = frozenset(STATUS_CODES[name] for name in ("COMMITTED", "ROLLEDBACK", "UNKNOWN"))
#: Statuses that show that a file knows of a decision.
DECIDING = FINISHED | {COMMITTING}
#: Last words that leave prepared branches behind without a decision to commit.
UNDECIDED = frozenset(STATUS_CODES[name] for name in ("PREPARING", "PREPARED", "ROLLING_BACK"))
#: The sequence number of a run's first record: 0 up to BTM 2.1.2, later 1.
FIRST_OF_A_RUN = (0, 1)
#: The note on a timestamp that BTM 2.1.3 or 2.1.4 wrote in a swap.
SWAPPED = "position-as-timestamp"
#: So many different sets of names are held once and not for each transaction.
SHARED = 1024
#: So many names may be copied each time that one is taken away.
FEW = 64
T = TypeVar("T")
#: A record of whatever edition.
AnyRecord = LogRecord | NioRecord


def unfinished(
    records: Iterable[AnyRecord],
    finished: Collection[int] = FINISHED,
    text: Callable[[bytes], str] = name_text,
) -> dict[bytes, AbstractSet[str]]:
    """Return gtrid -> names still to be committed, for every decided transaction.

    Names are compared as `text`. A later COMMITTING replaces an earlier one; an
    entry without names stays until any finishing record names its gtrid.
    """
    left: dict[bytes, AbstractSet[str]] = {}
    shared: dict[frozenset[str], frozenset[str]] = {}
    for record in records:
        if record.status == COMMITTING:
            left[record.gtrid] = _once(frozenset(map(text, record.names)), shared)
        elif record.status in finished and record.gtrid in left:
            remaining = _less(left[record.gtrid], map(text, record.names))
            if remaining:
                left[record.gtrid] = _once(remaining, shared)
            else:
                del left[record.gtrid]
    return left


def _less(names: AbstractSet[str], gone: Iterable[str]) -> AbstractSet[str]:
    """Return `names` without those `gone`; many names are taken from one set, each once."""
    if len(names) <= FEW:
        return frozenset(names - set(gone))
    left = names if isinstance(names, set) else set(names)
    left.difference_update(gone)
    return left


def _once(names: AbstractSet[str], shared: dict[frozenset[str], frozenset[str]]) -> AbstractSet[str]:
    if not isinstance(names, frozenset):
        return names
    return shared.setdefault(names, names) if len(shared) < SHARED else shared.get(names, names)


def outcome(
    records: Iterable[AnyRecord],
    active: str,
    finished: Collection[int] = FINISHED,
    text: Callable[[bytes], str] = name_text,
) -> dict[str, Any]:
    """Return the logical state after recovery: active file, unfinished, in doubt.

    Only what is unfinished or undecided is held while the records go by.
    """
    last: dict[bytes, AnyRecord] = {}
    left = unfinished(_noting(records, last), finished, text)
    return _state(active, left, last, text)


def _state(
    active: str,
    left: Mapping[bytes, AbstractSet[str]],
    last: Mapping[bytes, AnyRecord],
    text: Callable[[bytes], str],
) -> dict[str, Any]:
    doubtful = sorted(gtrid for gtrid in last if gtrid not in left)

    def in_doubt(gtrid: bytes) -> dict[str, Any]:
        names = sorted(set(map(text, last[gtrid].names)))
        return {"gtrid": gtrid, "status": STATUS_NAMES[last[gtrid].status], "names": names}

    return {
        "active": active,
        "unfinished": few(
            lambda: ({"gtrid": gtrid, "names": sorted(left[gtrid])} for gtrid in sorted(left)),
            len(left),
            _names_size,
        ),
        "in_doubt": few(lambda: map(in_doubt, doubtful), len(doubtful), _names_size),
    }


def _noting(records: Iterable[AnyRecord], last: dict[bytes, AnyRecord]) -> Iterator[AnyRecord]:
    """Yield the records; note in `last` the last one of each transaction whose last word decides nothing."""
    for record in records:
        if record.status in UNDECIDED:
            last[record.gtrid] = record
        else:
            last.pop(record.gtrid, None)
        yield record


def _names_size(item: dict[str, Any]) -> int:
    return sum(map(len, item["names"]))


def record_of(item: AnyRecord, file: str) -> Record:
    """Return `item` under the spec's field names; where it stands is told apart from its fields."""
    fields: dict[str, object] = item._asdict()
    del fields["off"]
    if isinstance(item, NioRecord):
        del fields["end"], fields["padding"]
        fields["names"] = [latin_text(name) for name in item.names]
    else:
        fields["names"] = [name_text(name) for name in item.names]
        if not item.extension:
            del fields["extension"]
        if not is_printable(b"".join(item.names)):
            fields["names_raw"] = list(item.names)
    return Record(STATUS_NAMES.get(item.status, "OTHER"), fields, At(file, item.off, item.end - item.off))


def latin_text(name: bytes) -> str:
    """Return a name of the NIO journal as text: it does not say in which encoding."""
    return name.decode("latin-1")


def is_printable(name: bytes) -> bool:
    """Tell whether every byte of a name is printable ASCII, the only interoperable kind."""
    return name.isascii() and name.decode("ascii").isprintable()


def dropped_of(fault: Fault, file: str) -> Dropped:
    """Return the region that `fault` costs: its frame, or all up to the tail."""
    return Dropped(file, fault.off, fault.end - fault.off, fault.reason)


def refused_at(fault: Fault, file: str, what: str = "record", notes: Sequence[Note] = ()) -> Observation:
    """Return the refusal that the first place without a valid record (or other `what`) is."""
    phase = "checksum" if fault.reason == "bad-checksum" else "record"
    text = f"{file}: no valid {what} at {fault.off}: {fault.detail}"
    return refused(phase, fault.reason, text, At(file, fault.off, fault.end - fault.off), notes=notes)


def map_of(file: LogFile) -> FileMap:
    """Return the layout entry of one file."""
    header: dict[str, object] = {}
    if file.header is not None:
        header = {**file.header._asdict(), "format_id": file.header.format_id.to_bytes(4, "big")}
    return FileMap(file.name, file.length, file.role, header)


def _header_notes(file: LogFile, is_position: bool) -> Iterator[Note]:
    """Yield what the header of a usable file gives away (BTM-HDR, BTM-RCV).

    `is_position`: its timestamp is an offset at which one of its records begins or its log ends.
    """
    if file.header is None:
        return
    if file.header.state == STATE_UNCLEAN:
        yield Note("unclean", file.name, 12)
    elif file.header.state != STATE_CLEAN:
        yield Note("bad-state", file.name, 12, f"state byte {file.header.state}")
    if is_position:
        yield Note(SWAPPED, file.name, 4, f"timestamp {file.header.timestamp}")


class RecordNotes:
    """What is odd about valid records without making them invalid; asked of each of a file in turn."""

    def __init__(self, file: str, layout: Framing) -> None:
        self._file = file
        self._layout = layout
        self._begun = False
        self._time = self._sequence = 0

    def of(self, record: LogRecord) -> list[Note]:
        """Return the notes on the next record."""
        found = []
        if record.header_length != self._layout.header_length:
            found.append(
                Note("header-length", self._file, record.off, f"headerLength {record.header_length}")
            )
        if not is_printable(b"".join(record.names)):
            found.append(Note("name-not-recoverable", self._file, record.off))
        if any(name <= last for last, name in pairwise(record.names)):
            found.append(Note("names-unsorted", self._file, record.off))
        if self._is_stale(record):
            found.append(Note("stale-suspect", self._file, record.off))
        return found

    def _is_stale(self, record: LogRecord) -> bool:
        """Tell whether the next record is older than all others of its run (BTM-RDR-011).

        Threads overtake each other by a few records, so that each is compared with
        the whole run; what a file held before is older than all of it.
        """
        if not self._begun and record.status == COMMITTING:
            return False  # copied from the other file before the run began
        if not self._begun or record.sequence_number in FIRST_OF_A_RUN:
            self._begun = True
            self._time, self._sequence = record.time, record.sequence_number
            return False
        older = record.time < self._time and record.sequence_number < self._sequence
        self._time = min(self._time, record.time)
        self._sequence = min(self._sequence, record.sequence_number)
        return older


class Log:
    """One pass over a file from the start of its log to its limit.

    `fault` is the first place without a valid record, None if there is none; with
    `strict` the pass ends there. `between` are the valid records within what was
    dropped, `state` is what the records of the log amount to, `left` what is unfinished.
    `known` are those of the transactions `watched` that it decides or ends, `newest` is its largest time.
    """

    def __init__(self, file: LogFile, *, strict: bool = False, watched: Collection[bytes] = ()) -> None:
        self.file, self._strict, self._watched = file, strict, watched
        self._records = Collector(record_place)
        self._dropped = Collector(region_place)
        self._between = Collector(record_place)
        self._notes = Collector(note_place)
        self._records.begin(file.name, lambda: (record_of(item, file.name) for item in self._only(LogRecord)))
        self._dropped.begin(file.name, lambda: (dropped_of(item, file.name) for item in self._only(Fault)))
        self._between.begin(
            file.name, lambda: finds(file, ((item.off, item.end) for item in self._only(Fault)))
        )
        self._notes.begin(file.name, self._notes_again)
        timestamp = file.header.timestamp if file.header else -1
        self.is_position = timestamp == file.limit
        self._timestamp = timestamp
        self.fault: Fault | None = None
        self.newest: int | None = None
        self.known: set[bytes] = set()
        last: dict[bytes, AnyRecord] = {}
        self.left = unfinished(_noting(self._taken(), last))
        self.state = _state(file.name, self.left, last, name_text)
        self.records: Sequence[Record] = self._records.done()
        self.dropped: Sequence[Dropped] = self._dropped.done()
        self.between: Sequence[Record] = self._between.done()
        self.notes: Sequence[Note] = joined(
            note_place, tuple(_header_notes(file, self.is_position)), self._notes.done()
        )
        # What is read again holds on to this log; that it holds on to that as well would be a circle.
        del self._records, self._dropped, self._between, self._notes

    def _taken(self) -> Iterator[LogRecord]:
        odd = RecordNotes(self.file.name, self.file.layout)
        for item in self._items():
            self.is_position = self.is_position or item.off == self._timestamp
            if isinstance(item, LogRecord):
                if self._records.wants(item.off, item.end - item.off):
                    self._records.keep(record_of(item, self.file.name))
                self.newest = item.time if self.newest is None else max(self.newest, item.time)
                if item.gtrid in self._watched and item.status in DECIDING:
                    self.known.add(item.gtrid)
                for note in odd.of(item):
                    self._notes.add(note)
                yield item
                continue
            self.fault = self.fault or item
            if self._strict:
                return
            self._dropped.add(dropped_of(item, self.file.name))
            for record in finds(self.file, [(item.off, item.end)]):
                self._between.add(record)

    def again(self) -> Iterator[LogRecord]:
        """Yield the records once more."""
        return self._only(LogRecord)

    def _items(self) -> Iterator[LogRecord | Fault]:
        return walk(self.file.data, self.file.limit, self.file.layout)

    def _only(self, kind: type[T]) -> Iterator[T]:
        return (item for item in self._items() if isinstance(item, kind))

    def _notes_again(self) -> Iterator[Note]:
        odd = RecordNotes(self.file.name, self.file.layout)
        return (note for item in self._only(LogRecord) for note in odd.of(item))


def finds(file: LogFile, regions: Iterable[tuple[int, int]]) -> Iterator[Record]:
    """Yield the valid records that stand anywhere in `regions` of a file."""
    for start, end in regions:
        for item in search(file.data, start, end, file.layout):
            yield record_of(item, file.name)


def found_in(file: LogFile, start: int) -> Sequence[Record]:
    """Return the valid records from `start` to the end of a file: behind its tail, or in one of no use."""
    return collected(record_place, [(file.name, partial(finds, file, [(start, file.length)]))])


def fileset_refusal(pair: list[LogFile]) -> Observation | None:
    """Return the refusal if the set is not two files, else None (BTM-FIL)."""
    if not pair:
        return refused("fileset", "no-files", "there is no log file")
    if len(pair) > PAIR:
        names = ", ".join(file.name for file in pair)
        return refused("fileset", "too-many-files", f"a journal is a pair, these are {len(pair)}: {names}")
    if len(pair) < PAIR:
        return refused("fileset", "missing-file", f"{sibling(pair[0].name)} is missing beside {pair[0].name}")
    return None


def strict_refusal(pair: list[LogFile]) -> Observation | None:
    """Return the first reason for strict recovery not to look at the records, else None."""
    problem = fileset_refusal(pair)
    if problem is not None:
        return problem
    for file in pair:
        if file.problem is not None and file.problem[0] == "short-file":
            return header_refusal(file)
    first, second = pair
    if first.length != second.length:
        text = f"{first.name} has {first.length} bytes, {second.name} has {second.length}"
        return refused("fileset", "unequal-lengths", text)
    for reason in ("bad-format-id", "bad-position"):
        for file in pair:
            if file.problem is not None and file.problem[0] == reason:
                return header_refusal(file)
    return None


def header_refusal(file: LogFile) -> Observation:
    """Return the refusal that the problem of `file` is."""
    assert file.problem is not None  # callers checked
    reason, text = file.problem
    return refused("header", reason, f"{file.name}: {text}", At(file.name, 0, file.length))


def _hopeless(pair: list[LogFile]) -> Observation | None:
    """Return the refusal of a set that is too large, or of which no file can be used; else None.

    It is what strict recovery names first, with the valid records that stand in such
    files all the same (BTM-RCV).
    """
    if not pair or len(pair) > PAIR:
        return fileset_refusal(pair)
    problem = strict_refusal(pair)
    if problem is None or any(file.problem is None for file in pair):
        return None
    return replace(
        problem,
        files=tuple(map_of(file) for file in pair),
        unanchored=joined(record_place, *(found_in(file, 0) for file in pair)),
    )


def _set_notes(pair: list[LogFile]) -> list[Note]:
    """Return what to say of a set that is not a pair of usable files of one length."""
    notes = []
    if len(pair) < PAIR:
        notes.append(Note("missing-file", sibling(pair[0].name)))
    elif pair[0].length != pair[1].length:
        notes.append(Note("unequal-lengths", pair[1].name))
    for file in pair:
        if file.problem is not None:
            notes.append(Note("invalid-file", file.name, None, file.problem[1]))
    return notes


def _elected(usable: list[LogFile]) -> tuple[LogFile, list[Note]]:
    active, tie = elect(usable)
    return active, [Note("ambiguous-election", active.name, 4)] if tie else []


def recover(files: Files, policy: str, _: Params) -> Observation:
    """Return the logical state after recovery of the pair under `policy`: the active file decides alone."""
    pair = load_pair(files)
    strict = policy == "strict"
    problem = strict_refusal(pair) if strict else _hopeless(pair)
    if problem is not None:
        return problem
    usable = [file for file in pair if file.problem is None]
    active, notes = _elected(usable)
    lost = [file for file in pair if file.problem is not None]
    passive = next((file for file in usable if file.name != active.name), None)
    return _observed([*lost, active], active, passive, _set_notes(pair), notes, strict=strict)


def read(files: Files, _: Params) -> Observation:
    """Return every record of both files and every region without one (BTM-RDR)."""
    pair = load_pair(files)
    problem = _hopeless(pair)
    if problem is not None:
        return problem
    usable = [file for file in pair if file.problem is None]
    active, notes = _elected(usable)
    passive = next((file for file in usable if file.name != active.name), None)
    shown = [active if file.name == active.name else file for file in pair]
    return _observed(shown, active, passive, _set_notes(pair), notes, forensic=True)


def recover_seed(files: Files, policy: str, _: Params) -> Observation:
    """Return the logical state of the seed document's log: one file of nothing but records, to its end."""
    problem = not_one(files, "log")
    if problem is not None:
        return problem
    ((name, data),) = files.items()
    file = LogFile(name, data, role="active", limit=len(data), layout=SEED)
    return _observed([file], file, None, [], [], strict=policy == "strict", forensic=True)


def not_one(files: Files, what: str) -> Observation | None:
    """Return the refusal if there is not just one file where one is a whole journal, else None."""
    if not files:
        return refused("fileset", "no-files", f"there is no {what} file")
    if len(files) > 1:
        return refused("fileset", "too-many-files", f"one file is a {what} here, these are {len(files)}")
    return None


def recover_nio(files: Files, policy: str, _: Params) -> Observation:
    """Return the logical state of an NIO journal, one file, under `policy`."""
    problem = not_one(files, "journal")
    if problem is not None:
        return problem
    ((name, data),) = files.items()
    header = nio.decode_header(data)
    if not isinstance(header, NioHeader):
        return refused("header", header[0], f"{name}: {header[1]}", At(name, 0, len(data)))
    found = nio.scan(data, header)
    if found.faults and policy == "strict":
        return refused_at(found.faults[0], name, "frame")
    delimiters = {"previous_delimiter": header.previous, "current_delimiter": header.current}
    return Observation(
        RECOVERED if found.faults else CLEAN,
        records=tuple(record_of(item, name) for item in found.records),
        dropped=tuple(dropped_of(fault, name) for fault in found.faults),
        state=outcome(_in_order(found), name, nio.FINISHED, latin_text),
        files=(FileMap(name, len(data), "active", delimiters),),
        notes=tuple(Note("rolled-over-padding", name, item.off) for item in found.records if item.padding),
    )


def _in_order(found: NioScan) -> Iterator[NioRecord]:
    """Yield the records in the order of writing: the lap before first, then this lap (BTM-NIO)."""
    current = found.header.current
    yield from (record for record in found.records if record.delimiter != current)
    yield from (record for record in found.records if record.delimiter == current)


def _observed(
    files: list[LogFile],
    active: LogFile,
    passive: LogFile | None,
    losses: list[Note],
    notes: list[Note],
    *,
    strict: bool = False,
    forensic: bool = False,
) -> Observation:
    """Return what stands in `files`, and what the log of the `active` one amounts to.

    `losses` are notes on the set that say that something is lost. With `strict` the first
    fault is a refusal. With `forensic` all files are shown, and what stands outside a log is noted
    wherever it is; otherwise only what was given up is: what lies behind the tail is no loss.
    """
    other = None if passive is None else Log(passive)
    log = Log(active, strict=strict, watched=other.left if other else ())
    if strict and log.fault is not None:
        return refused_at(log.fault, active.name, notes=tuple(notes))
    logs = {each.file.name: each for each in (other, log) if each is not None}
    dropped: list[Sequence[Dropped]] = []
    beside: list[Sequence[Record]] = []
    given_up: list[Sequence[Record]] = []
    for file in files:
        if file.problem is not None:
            dropped.append([Dropped(file.name, 0, file.length, file.problem[0])])
            given_up.append(found_in(file, 0))
            beside.append(given_up[-1])
            continue
        dropped.append(logs[file.name].dropped)
        given_up.append(logs[file.name].between)
        beside += [logs[file.name].between, found_in(file, file.limit)]
    shown = [logs[file.name] for file in files if file.name in logs]
    odd = [each.notes for each in shown]
    if other is not None and not forensic:
        odd.append([note for note in _header_notes(other.file, other.is_position) if note.code == SWAPPED])
    told = [mapped(_unanchored_note, joined(record_place, *(beside if forensic else given_up)))]
    missing = tuple(_missing(log, other)) if other is not None else ()
    return Observation(
        RECOVERED if any(map(len, dropped)) or losses or missing else CLEAN,
        records=joined(record_place, *(each.records for each in shown)),
        dropped=joined(region_place, *dropped),
        missing=missing,
        state=log.state,
        files=tuple(map_of(file) for file in (files if forensic else [active])),
        notes=joined(note_place, losses, notes, *((odd + told) if forensic else (told + odd))),
        unanchored=joined(record_place, *beside),
    )


def _missing(log: Log, other: Log) -> Iterator[Missing]:
    """Yield what the passive file proves to be missing from the log of the active one.

    Where either is damaged it proves nothing: what would refute it may be in what was dropped.
    """
    if log.fault is not None or other.fault is not None:
        return
    active, passive = log.file, other.file
    assert active.header is not None  # both are usable
    # A file whose timestamp is its own tail has just become active by the swap that wrote it.
    if other.is_position and active.header.timestamp != active.limit:
        found = rival.newer(other.again(), log.left, log.newest, passive, active)
        if found is not None:
            yield found
    yield from rival.not_carried_over(other.again(), other.left, log.known, passive.name, active.name)


def _unanchored_note(record: Record) -> Note:
    """Return the note on a valid record that stands outside the log."""
    return Note("unanchored", record.at.file, record.at.off)
