"""Reads the files of a log and recovers its state. No function in this module changes a file.

The result of the records follows the products' own rule (BTM-RCV): a COMMITTING record is the decision, and
COMMITTED, ROLLEDBACK and UNKNOWN remove resources from it.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from journalspec import observation
from journalspec.observation import At, Dropped, FileMap, Missing, Note, Observation, refused
from journalspec.reread import Deferred, Lazy, few, joined, parts_of
from journalspec_reference.api import Files, Params
from journalspec_reference.batches import Batch, Found, Stretch, late_columns, lost, source_of
from journalspec_reference.bitronix_tlog import codec, nio
from journalspec_reference.bitronix_tlog.codec import DISK, HEADER_NAMES, PAYLOAD_AT, SEED, STATUS_CODES
from journalspec_reference.bitronix_tlog.fileset import PAIR, LogFile, exchanged, load_pair, refusal
from journalspec_reference.bitronix_tlog.scan import TYPES, rows, scan, search, told
from journalspec_reference.xids import gtrid_text

COMMITTING = STATUS_CODES["COMMITTING"]
#: Statuses that end a transaction for the resources in the same record.
FINISHED = frozenset(STATUS_CODES[name] for name in ("COMMITTED", "ROLLEDBACK", "UNKNOWN"))
#: Statuses that prove that a file contains, or contained, a decision for the transaction.
DECIDING = FINISHED | {COMMITTING}
#: Statuses of a last record that leave prepared branches without a commit decision.
UNDECIDED = frozenset(STATUS_CODES[name] for name in ("PREPARING", "PREPARED", "ROLLING_BACK"))
#: The note on a timestamp that BTM 2.1.3 or 2.1.4 wrote in a swap.
SWAPPED = "position-as-timestamp"
#: At most this many different sets of names are shared between transactions.
SHARED = 1024
#: A set of up to this many names is copied when a name is removed.
FEW = 64
#: At most this many transactions are listed in a sentence.
MOST_TOLD = 8
DOOMED = "; BTM elects {} and rolls back every branch that is still prepared"
#: The value of `policy` that lists the files' content instead of recovering it.
READ = ""
#: The first offset without a valid record. It consists of begin and end, the reason, and the reason in words.
Fault = tuple[int, int, str, str]


class Replay:
    """Represents the result of the records so far. Only the data that a transaction still needs is stored.

    - `left`: gtrid -> names still to be committed, for every decided transaction;
    - `doubtful`: gtrid -> status and names, for transactions whose last record decides nothing;
    - `known`: the transactions of `watched` that were decided or ended;
    - `ends`: the statuses that end a transaction for the resources in their record;
    - `size_at`: the place in a record of the length of its gtrid, which follows.
    """

    ends, size_at = FINISHED, PAYLOAD_AT

    def __init__(self, watched: Collection[bytes] = ()) -> None:
        self.left: dict[bytes, AbstractSet[str]] = {}
        self.doubtful: dict[bytes, tuple[int, AbstractSet[str]]] = {}
        self.known: set[bytes] = set()
        self._watched = watched
        self._shared: dict[AbstractSet[str], AbstractSet[str]] = {}

    def take(self, batch: Batch) -> None:
        """Apply the records of the next batch, in the order of the file (BTM-RDR-008)."""
        left, doubtful, watched, ends = self.left, self.doubtful, self._watched, self.ends
        data, moved, size_at = batch.data, batch.more.get("moved"), self.size_at
        for at, status, names in zip(batch.off, batch.code, batch.more["names"], strict=True):
            begin = at + size_at + 1 + (moved.get(at, 0) if moved else 0)
            gtrid = data[begin : begin + data[begin - 1]]
            if status in UNDECIDED:
                doubtful[gtrid] = status, names.texts
                continue
            # Only the last record of a transaction leaves the transaction in doubt (BTM-RCV-014).
            if gtrid in doubtful:
                del doubtful[gtrid]
            if status == COMMITTING:
                left[gtrid] = names.texts  # This replaces the names of an earlier decision (BTM-RCV-009).
            elif status in ends and gtrid in left:
                # Without a decision before it, an end has no effect, not even later (BTM-RCV-011). Each
                # resource ends separately (BTM-RCV-010). A decision without names ends with the first ending
                # record (BTM-RCV-013), because the empty set is a subset of all names.
                if left[gtrid] <= names.texts:
                    del left[gtrid]
                else:
                    left[gtrid] = self._less(left[gtrid], names.texts)
            if gtrid in watched and status in DECIDING:
                self.known.add(gtrid)

    def _less(self, names: AbstractSet[str], gone: AbstractSet[str]) -> AbstractSet[str]:
        """Return `names` without `gone`. A large set is copied only once."""
        if len(names) > FEW:
            many = names if isinstance(names, set) else set(names)
            many -= gone
            return many
        remaining, shared = frozenset(names - gone), self._shared
        # Transactions with the same resources share one set.
        if len(shared) < SHARED:
            return shared.setdefault(remaining, remaining)
        return shared.get(remaining, remaining)

    def answer(self, active: str) -> dict[str, Any]:
        """Return the logical state after recovery: active file, unfinished, in doubt."""
        left, doubtful = self.left, self.doubtful
        if not left and not doubtful:
            return {"active": active, "unfinished": [], "in_doubt": []}
        undecided = sorted([gtrid for gtrid in doubtful if gtrid not in left])

        def unfinished() -> Iterator[dict[str, Any]]:
            for gtrid in sorted(left):
                yield {"gtrid": gtrid, "names": sorted(left[gtrid])}

        def in_doubt() -> Iterator[dict[str, Any]]:
            for gtrid in undecided:
                status, names = doubtful[gtrid]
                yield {"gtrid": gtrid, "status": codec.STATUS_NAMES[status], "names": sorted(names)}

        return {
            "active": active,
            "unfinished": few(unfinished, len(left), _size),
            "in_doubt": few(in_doubt, len(undecided), _size),
        }


def _size(item: Mapping[str, Any]) -> int:
    return sum(map(len, item["names"]))


class NioReplay(Replay):
    """Represents the result of the frames so far."""

    ends, size_at = nio.FINISHED, nio.GTRID_LENGTH_AT


#: The function that makes the columns of a batch, by the framing of its log.
_COLUMNS = {SEED: late_columns(__package__, "seed"), DISK: late_columns(__package__, "2.1")}
#: The editions with one file, and the word for that file.
_SINGLE = {"seed": "log", "nio": "journal"}


def log_of(file: LogFile) -> Stretch:
    """Return the log of a file, up to its tail. An unusable file is one region without records."""
    if file.problem is not None:
        return lost(file.name, 0, file.length, file.problem[0], file.role)
    # The single file of the seed has no role, because there is no other file.
    role = "" if file.framing is SEED else file.role
    name, framing = file.name, file.framing
    found = partial(scan, source_of(file.data), framing.log_start, file.limit, framing, name)
    return Stretch(name, found, partial(told, name), _COLUMNS[framing], role)


def seed_file(name: str, data: Any) -> LogFile:
    """Return the single file of the seed's edition."""
    return LogFile(name, data, len(data), len(data), "active", SEED)


class Log:
    """One pass over a file from the start of its log to its limit.

    `fault` is the first offset without a valid record, or None. With `strict`, the pass ends there. `state`
    is the result of the records. `is_position`: the file's timestamp is an offset at which a record begins or
    the log ends.
    """

    def __init__(self, file: LogFile, *, strict: bool = False, watched: Collection[bytes] = ()) -> None:
        self.file, self.found, self.state = file, Found(), Replay(watched)
        stamp, limit = file.timestamp, file.limit
        self.is_position = stamp == limit
        self.fault: Fault | None = None
        if limit == file.framing.log_start and file.problem is None:
            return  # There are no records, as in a file that was never active.
        for batch in self.found.begin(log_of(file)):
            self.found.take(batch)
            if batch.base <= stamp < limit:
                starts = (damage[0] for damage in batch.damage)
                self.is_position |= stamp - batch.base in batch.off or stamp in starts
            if batch.damage and self.fault is None:
                self.fault = *batch.damage[0], batch.more.get("why", "")
                if strict:
                    return
            if batch.off:
                self.state.take(batch)

    def remarks(self) -> list[Note]:
        """Return conclusions from the header (BTM-HDR-007, BTM-HDR-008, BTM-RCV-015)."""
        file, name = self.file, self.file.name
        found: list[Note] = []
        if file.header is None or file.problem is not None:
            return found
        _, timestamp, state, _ = file.header
        if state == codec.STATE_UNCLEAN:
            found.append(Note("unclean", name, codec.STATE_AT))
        elif state != codec.STATE_CLEAN:
            found.append(Note("bad-state", name, codec.STATE_AT, f"state byte {state}"))
        if self.is_position:
            found.append(Note(SWAPPED, name, codec.TIMESTAMP_AT, f"timestamp {timestamp}"))
        return found


class LogState(dict[str, Any]):
    """Represents the logical state of a pair for an observation.

    `logs` maps a file name to the pass over its log.
    """

    logs: dict[str, Log]


def refused_at(fault: Fault, file: str, what: str = "record", notes: Sequence[Note] = ()) -> Observation:
    """Return the refusal for the first offset without a valid record (or for the fault that `what`
    describes).
    """
    start, end, reason, why = fault
    phase = "checksum" if reason == "bad-checksum" else "record"
    text = f"{file}: no valid {what} at {start}: {why}"
    return refused(phase, reason, text, At(file, start, end - start), notes=notes)


def map_of(file: LogFile) -> FileMap:
    """Return the layout entry of one file."""
    return FileMap(
        file.name, file.length, file.role, dict(zip(HEADER_NAMES, file.header or (), strict=False))
    )


def recover(files: Files, edition: str, policy: str, _: Params) -> Observation:
    """Return the logical state after recovery under `policy`. In a pair, only the active file is read for the
    state.

    With :data:`READ`, also return every record of both files and every region without a record (BTM-RDR-017).
    """
    if edition in _SINGLE:
        return _recover_single(files, edition, policy)
    pair = load_pair(files)
    problem = refusal(pair)
    if problem is None:
        return _observed(pair, policy)
    if policy == "strict" or not 0 < len(pair) <= PAIR:
        return problem
    invalid = [file for file in pair if file.problem is not None]
    if len(invalid) == len(pair):
        # Invalid files can still contain valid records (BTM-RCV-007, BTM-RCV-034).
        found = _outside(map(Log, pair))
        return replace(problem, files=tuple(map(map_of, pair)), unanchored=found.records())
    losses = [Note("invalid-file", file.name, None, file.problem[1]) for file in invalid if file.problem]
    if len(pair) < PAIR:
        losses.insert(0, Note("missing-file", exchanged(pair[0].name)))
    elif pair[0].length != pair[1].length:
        losses.insert(0, Note("unequal-lengths", pair[1].name))
    return _observed(pair, policy, losses)


def _recover_single(files: Files, edition: str, policy: str) -> Observation:
    """Return the logical state for an edition with one file."""
    what = _SINGLE[edition]
    if not files:
        return refused("fileset", "no-files", f"there is no {what} file")
    if len(files) > 1:
        return refused("fileset", "too-many-files", f"one file is a {what} here, these are {len(files)}")
    ((name, data),) = files.items()
    if edition == "seed":
        # With only one file, salvage lists the same items as reading.
        return _observed([seed_file(name, data)], policy if policy == "strict" else READ)
    source, header = source_of(data), nio.decode_header(data)
    if not isinstance(header, nio.NioHeader):
        return refused("header", header[0], f"{name}: {header[1]}", At(name, 0, len(data)))
    # The order of writing is: first the previous generation, then this generation (BTM-NIO-009).
    state, found, insert, used = NioReplay(), Found(), nio.HEADER_SIZE, nio.HEADER_SIZE
    for batch in found.begin(nio.laps(name, source, header, insert)):
        found.take(batch)
        if batch.more["current"]:
            insert = batch.base + batch.end[-1]
            used += sum(batch.end) - sum(batch.off)
        else:
            state.take(batch)
    if used < insert:
        # Gaps in this generation are damage, so the damage depends on the insert position (BTM-NIO-010).
        found = Found()
        for batch in found.begin(nio.laps(name, source, header, insert)):
            found.take(batch)
    for batch in found.batches():
        if batch.damage and policy == "strict":
            return refused_at((*batch.damage[0], batch.more["why"]), name, "frame")
        if batch.more["current"]:
            state.take(batch)
    dropped = found.dropped()
    delimiters = {"previous_delimiter": header.previous, "current_delimiter": header.current}
    return Observation(
        observation.RECOVERED if len(dropped) else observation.CLEAN,
        records=found.records(),
        dropped=dropped,
        state=state.answer(name),
        files=(FileMap(name, len(data), "active", delimiters),),
        notes=found.notes(),
    )


def plan(files: Files, edition: str, _: Params) -> Sequence[Stretch]:
    """Return the logs of the usable files: of a pair, or of the only existing file."""
    if edition not in _SINGLE:
        pair = load_pair(files)
        # Unusable files come first; without a usable one, reading refuses.
        pair.sort(key=lambda file: file.problem is None)
        return [*map(log_of, pair)] if len(pair) <= PAIR and pair and pair[-1].problem is None else []
    if len(files) != 1:
        return []
    ((name, data),) = files.items()
    if edition == "seed":
        return [log_of(seed_file(name, data))]
    header = nio.decode_header(data)
    return [nio.laps(name, source_of(data), header)] if isinstance(header, nio.NioHeader) else []


def _observed(pair: list[LogFile], policy: str, losses: Sequence[Note] = ()) -> Observation:
    """Return the content of `pair`, and the result of the active file's log.

    `losses` are notes on losses of the file set. Under the policy `strict`, the first fault is a refusal.
    Reading lists all files, and adds a note on each record outside a log. Recovery adds a note only on such
    records in dropped regions, because bytes after the tail are not a loss.
    """
    roles, forensic = {file.role: file for file in pair}, policy == READ
    active, passive = roles["active"], roles.get("passive")
    other = None if passive is None else Log(passive)
    log = Log(active, strict=policy == "strict", watched=other.state.left if other else ())
    notes = [*losses]
    if passive is not None and passive.timestamp == active.timestamp:
        notes.append(Note("ambiguous-election", active.name, codec.TIMESTAMP_AT))
    if policy == "strict" and log.fault is not None:
        return refused_at(log.fault, active.name, notes=tuple(notes))
    logs = {active.name: log}
    if other is not None:
        logs[other.file.name] = other
    listed: list[Log] = []
    for file in pair:
        if forensic or file.problem is not None:
            listed.append(logs.get(file.name) or Log(file))
    listed += [] if forensic else [log]
    regions: list[Sequence[Dropped]] = []
    odd: list[Sequence[Note]] = [notes]
    for each in listed:
        regions.append(each.found.dropped())
        odd += each.remarks(), each.found.notes()
    dropped = joined(observation.region_place, *regions)
    if other is not None and other.is_position and not forensic:
        odd.append(other.remarks()[-1:])
    if forensic or len(dropped):
        beside = _outside(listed, after=forensic)
        unanchored = beside.records()
        odd.insert(len(odd) if forensic else 1, beside.notes())
    elif not isinstance(active.data, bytes):  # A file can change before a caller requests the records.
        unanchored = _outside(listed).records()
    else:
        # Without damage, such records are after the tail and need no note, so most callers never need them.
        unanchored = Lazy(lambda: parts_of(observation.record_place, _outside(listed).records()))
    missing = () if other is None else tuple(_missing(log, other))
    state = LogState(log.state.answer(active.name))
    state.logs = logs
    shown = pair if forensic else [active]
    return Observation(
        observation.RECOVERED if len(dropped) or losses or missing else observation.CLEAN,
        records=joined(observation.record_place, *[each.found.records() for each in listed]),
        dropped=dropped,
        missing=missing,
        state=state,
        files=Deferred(len(shown), partial(map, map_of, shown)),
        notes=joined(observation.note_place, *odd),
        unanchored=unanchored,
    )


def _outside(logs: Iterable[Log], *, after: bool = False) -> Found:
    """Return the valid records in the dropped regions of files and after their logs.

    Each record in a region gets a note. A record after a log gets a note only if `after` is set
    (BTM-RCV-033).
    """
    found = Found()
    for log in logs:
        name = log.file.name
        for batch in found.begin(Stretch(name, partial(_searched, log, after), partial(told, name))):
            found.take(batch)
    return found


def _searched(log: Log, after: bool) -> Iterator[Batch]:  # These records are needed for `partial`.
    file, dropped = log.file, log.found.dropped()
    ranges: Iterable[tuple[int, int, str]] = ((at.off, at.end, file.name) for at in dropped)
    if file.problem is None and file.limit < file.length:
        ranges = chain(ranges, [(file.limit, file.length, file.name if after else "")])
    return chain.from_iterable(
        search(source_of(file.data), start, end, file.framing, name) for start, end, name in ranges
    )


def decided(found: Iterable[Batch], wanted: Container[bytes]) -> dict[bytes, int]:
    """Return the offset of the last COMMITTING record of some transactions, from their batches."""
    return {gtrid: at for at, code, gtrid, _ in rows(found) if code == COMMITTING and gtrid in wanted}


def _missing(log: Log, other: Log) -> Iterator[Missing]:
    """Yield the conclusions from the passive file: that it is newer, or that decisions were not carried over.

    A swap copies every decision that is still open to the new file (BTM-SWP-002). So a decision that is open
    in the passive file and unknown in the active one was lost, whichever file is newer. A decision without
    names has no branch. The dropped part of a damaged file can refute this. So a damaged active file proves
    nothing, and a damaged passive file can only show that it is newer.
    """
    if log.fault is not None:
        return
    # A file whose timestamp equals its own tail has just become active, because the swap wrote that
    # timestamp (BTM-RCV-026).
    if other.is_position and log.file.timestamp != log.file.limit:
        yield from _newer(log, other)
    if other.fault is not None or not other.state.left:
        return
    left, passive, doomed = other.state.left, other.file.name, DOOMED.format(log.file.name)
    gone = {gtrid for gtrid, names in left.items() if names and gtrid not in log.state.known}
    places = decided(other.found.batches(), gone) if gone else {}
    for gtrid in sorted(gone):
        text = f"{gtrid_text(gtrid)} is to be committed on {', '.join(sorted(left[gtrid]))}{doomed}"
        yield Missing("decision", gtrid.hex(), passive, places[gtrid], text=text)


def _newer(log: Log, other: Log) -> Iterator[Missing]:
    """Yield the passive file's records that are newer than all records of the active file (BTM-RCV-022)."""
    newest = max((time for *_, time in rows(log.found.batches())), default=None)
    first, count, begun = -1, 0, False
    last: dict[bytes, int] = {}
    for at, code, gtrid, time in rows(other.found.batches()):
        # Decisions at the start of the passive file that are open in the active one can be copies from an
        # interrupted swap (BTM-RCV-031).
        begun = begun or code != COMMITTING or gtrid not in log.state.left
        if begun and (newest is None or time > newest):
            first, count = first if count else at, count + 1
            last[gtrid] = code
    if count:
        passive, doomed = other.file.name, DOOMED.format(log.file.name)
        said = []
        for gtrid, code in last.items():
            said.append(f"{gtrid_text(gtrid)} {TYPES[code]}")
        more = f" and {len(said) - MOST_TOLD} more" if len(said) > MOST_TOLD else ""
        ends = "it is damaged, and what is left of it ends" if other.fault else "it ends"
        text = f"{ends} with {', '.join(said[-MOST_TOLD:])}{more}{doomed} (BTM-DEV-001)"
        yield Missing("newer-records", passive, passive, first, count, text)
