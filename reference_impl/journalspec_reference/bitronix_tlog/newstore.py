"""Writes a new log with the transactions that need recovery: decisions to commit, and transactions with
undecided branches.

All records of such a transaction are copied unchanged. Transactions that have ended are omitted. Therefore
most of the new log is free, and the product need not swap files soon. This matters because products lose
decisions in a swap (BTM-DEV-001).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Container, Iterable, Iterator, KeysView, Mapping, Sequence
from heapq import merge
from itertools import chain
from typing import Any

from journalspec.bitronix_tlog import LAYOUT
from journalspec.observation import At, Dropped, Record
from journalspec_reference.answers import Answer
from journalspec_reference.batches import Batch, Memory, source_of
from journalspec_reference.bitronix_tlog import codec, nio
from journalspec_reference.bitronix_tlog.codec import HEADER_SIZE, STATE_CLEAN
from journalspec_reference.bitronix_tlog.contents import OUTCOMES, contents, counts_of
from journalspec_reference.bitronix_tlog.fileset import LogFile, load_pair, other_of
from journalspec_reference.bitronix_tlog.recover import (
    COMMITTING,
    DECIDING,
    LogState,
    NioReplay,
    Replay,
    decided,
    log_of,
    seed_file,
)
from journalspec_reference.bitronix_tlog.scan import gtrids, of_gtrids, scan, search, told
from journalspec_reference.contents import Count
from journalspec_reference.newstore import (
    BYTES,
    PIECE,
    ChoiceRefused,
    LossItem,
    NewFile,
    NewStore,
    StoreChoices,
    parts,
)
from journalspec_reference.xids import gtrid_text, spelled

#: The timestamps of the new files. They are so small that a product stores a larger timestamp at its next
#: swap, whichever clock it uses. Therefore it then elects the right file. The position that 2.1.3 and 2.1.4
#: store in place of a timestamp is also larger (BTM-DEV-001).
ACTIVE_SINCE, PASSIVE_SINCE = 1, 0
#: Four codes: an item that a choice omits; a valid record outside every log; a decision that only the other
#: file contains; such a decision, if damaged bytes can contain its end.
BY_CHOICE, UNANCHORED, DECISION, PERHAPS = "by-choice", "unanchored", "decision", "may-be-lost"
#: Maps a choice to its effect.
_DONE = {
    "drop": "it is left out",
    "commit": "a decision to commit is added",
    "rollback": "its decision to commit is left out",
}
_ASIDE = "Stop what uses the log. Move the old files aside, and keep them until every resource is settled."
_LEFT = "Records of transactions that have ended are not in it: recovery has nothing to do about them."
_KEEP = "Decisions that only the other file has are not in it: --keep carries one over, by its gtrid."
_START = "Start it with every resource registered under the name that it had: recovery runs then."


def new_store(answer: Answer, choices: StoreChoices) -> LogStore:
    """Return the new log for a recovered log. Raises ChoiceRefused."""
    edition = answer.journal.edition
    return {"seed": LogStore, "nio": NioStore}.get(edition, PairStore)(answer, choices)


class LogStore(NewStore):
    """A new log of one file that contains only records, as in the seed document."""

    replay: type[Replay] = Replay

    def __init__(self, answer: Answer, choices: StoreChoices) -> None:
        super().__init__(answer)
        if choices.queues or choices.index_acks:
            raise ChoiceRefused("a transaction log has neither queues nor an index", "name transactions")
        self._seen, self._salvage = answer.observation, choices.salvage_records
        self._files: Mapping[str, Any] = answer.journal.seen
        state: Mapping[str, Any] = {**(self._seen.state or {})}
        self._active = str(state["active"])
        # Without choices, the outcomes are not needed. They are omitted, because there can be many.
        chosen = any(getattr(choices, choice) for choice in _DONE)
        left = {one["gtrid"]: outcome for name, outcome in OUTCOMES.items() for one in state[name] if chosen}
        #: Maps a transaction in a choice to the name of the choice and the user's spelling of the
        #: transaction.
        self._choices: dict[bytes, tuple[str, str]] = {}
        for choice in _DONE:
            for text in getattr(choices, choice):
                gtrid = self._named(text, left)
                if gtrid in self._choices or left[gtrid] == choice:
                    why = (
                        "it is named twice"
                        if gtrid in self._choices
                        else f"recovery would {choice} it anyway"
                    )
                    raise ChoiceRefused(f"{text}: {why}", "leave it out")
                self._choices[gtrid] = choice, text
        #: The rows of these transactions in the contents.
        self._rows: dict[bytes, Any] = {}
        for row in contents(answer).rows("transactions") if self._choices else ():
            if row["in_doubt"]:
                self._rows[bytes(row["gtrid"])] = row  # type: ignore[arg-type]
        self._open()
        outside = {_gtrid(record) for record in self._outside()} if choices.keep else set()
        self._keep = {self._named(text, outside): text for text in choices.keep}
        #: The transactions whose records are copied, and the transactions whose deciding records are omitted.
        self._wanted = {*self._left(state), *self._keep, *map(_gtrid, self._extras())} - self._of("drop")
        self._undecided = self._of("rollback")
        self._decisions = [*map(self._decision, self._of("commit"))]
        #: The begin and end of each run of copied records.
        self._places = array("q", chain.from_iterable(self._runs()))
        self._used = sum(self._places[1::2]) - sum(self._places[::2]) + sum(map(len, self._decisions))
        self._used += sum(record.at.length for record in self._extras())
        #: The state of the new log.
        self._state = self._replayed() if choices != StoreChoices() else state
        still = {one["gtrid"] for name in OUTCOMES for one in self._state[name]} if self._keep else set()
        for gtrid in self._keep.keys() - still:
            raise ChoiceRefused(f"{self._keep[gtrid]}: it has ended", "there is nothing to do about it")

    # Methods that an edition overrides.

    def _left(self, state: Mapping[str, Any]) -> Iterable[bytes]:
        """Return the transactions that need an action of recovery."""
        return (one["gtrid"] for name in OUTCOMES for one in state[name])

    def _kept(self) -> Iterator[tuple[bytes, int, int, int]]:
        """Yield gtrid, begin, end and status of each record of the wanted transactions."""
        wanted, size_at = self._wanted, self.replay.size_at
        for batch in self._batches():
            base, columns = batch.base, (gtrids(batch, size_at), batch.off, batch.end, batch.code)
            for gtrid, at, end, status in zip(*columns, strict=True):
                if gtrid in wanted:
                    yield gtrid, base + at, base + end, status

    def _open(self) -> None:
        self._log = seed_file(self._active, self._files[self._active])
        self._others: list[LogFile] = []

    def _batches(self) -> Iterator[Batch]:
        yield from log_of(self._log).scan()

    def _scanned(self, data: bytes) -> Iterator[Batch]:
        return scan(Memory(data), 0, len(data), self._log.framing)

    def _outside(self) -> Iterator[Record]:
        yield from self._seen.unanchored

    def _is_damaged(self, place: At) -> bool:
        return place.file == self._active and place.off < self._log.limit

    def _built(self, gtrid: bytes, names: Sequence[str], like: Mapping[str, Any]) -> bytes:
        stored = tuple(name.encode("ascii", "replace") for name in names)
        return codec.encode(
            COMMITTING, gtrid, stored, like["time"], like["sequence_number"], self._log.framing
        )

    def files(self) -> Iterator[NewFile]:
        """Yield the one file."""
        yield NewFile(self._active, parts(self._records()))

    def steps(self) -> Sequence[str]:
        """Return the steps to put the new store in place."""
        return _ASIDE, f"Put {self._active} in its place. {_LEFT}", _START

    # The records of the new log.

    @staticmethod
    def _named(text: str, known: Container[bytes]) -> bytes:
        """Return the transaction that a choice refers to. Raises ChoiceRefused if it is unknown."""
        for gtrid in spelled(text):
            if gtrid in known:
                return gtrid
        raise ChoiceRefused(
            f"{text}: there is no such transaction to decide on",
            "inspect --contents transactions lists those in doubt; --keep takes those outside the log",
        )

    def _of(self, choice: str) -> KeysView[bytes]:
        """Return the transactions that this choice refers to, in the order given."""
        return {gtrid: text for gtrid, (name, text) in self._choices.items() if name == choice}.keys()

    def _extras(self) -> Iterator[Record]:
        """Yield the records outside the log that are also carried over."""
        drop = self._of("drop")
        for record in self._outside() if self._keep or self._salvage else ():
            gtrid = _gtrid(record)
            if gtrid in self._keep or (self._salvage and gtrid not in drop and self._is_damaged(record.at)):
                yield record

    def _records(self) -> Iterator[bytes]:
        """Yield the records of the new log. A piece can contain several records."""
        inside = []
        for record in self._extras():
            data = source_of(self._files[record.at.file]).read(record.at.off, record.at.length)
            if record.at.file == self._active:
                inside.append((record.at.off, data))
            else:
                yield data
        for _, data in merge(self._copied(), inside):
            yield data
        yield from self._decisions

    def _copied(self) -> Iterator[tuple[int, bytes]]:
        """Yield the offset and bytes of the copied records. Adjacent records form one piece."""
        source, ends = source_of(self._files[self._active]), iter(self._places)
        for start, end in zip(ends, ends, strict=True):
            yield start, source.read(start, end - start)

    def _replayed(self) -> Mapping[str, Any]:
        replay = self.replay()
        for data in _stretches(self._records()):
            for batch in self._scanned(data):
                replay.take(batch)
        return replay.answer(self._active)

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Yield begin and end of the records that are copied. Adjacent records are joined."""
        undecided, start, stop = self._undecided, -1, -1
        for gtrid, at, end, status in self._kept() if self._wanted else ():
            if undecided and status in DECIDING and gtrid in undecided:
                continue
            if at != stop or stop - start >= PIECE:
                if start >= 0:
                    yield start, stop
                start = at
            stop = end
        if start >= 0:
            yield start, stop

    def _decision(self, gtrid: bytes) -> bytes:
        """Return a decision to commit. Raises ChoiceRefused if the log cannot contain it."""
        row = self._rows[gtrid]
        last = next(one for one in self._seen.records if one.at.off == row["off"])
        try:
            if not row["waits_for"]:
                raise ValueError("the log has no resource of it")
            return self._built(gtrid, row["waits_for"], last.fields)
        except ValueError as error:
            raise ChoiceRefused(f"{row['id']}: {error}", "it cannot be committed") from None

    # The items of the report.

    def carried(self) -> Iterator[Count]:
        """Yield the numbers of transactions that recovery of the new log commits and rolls back."""
        return counts_of(self._state)

    def left_out(self) -> Iterator[LossItem]:
        """Yield the transactions that choices omit. Transactions that have ended are not a loss."""
        for gtrid in sorted(self._of("drop") | self._undecided):
            row, text = self._rows[gtrid], self._fate(gtrid)
            yield LossItem("transaction", BY_CHOICE, text, row["id"], file=row["file"], off=row["off"])

    def unverified(self) -> Iterator[LossItem]:
        """Yield the carried-over records that were outside every log, or in the log of the other file."""
        for record in self._extras():
            text = f"{record.type}: its checksum matches, but nothing shows that it is part of the log"
            at, name = record.at, gtrid_text(_gtrid(record))
            yield LossItem("transaction", UNANCHORED, text, name, file=at.file, off=at.off, length=at.length)

    def chosen(self) -> Iterator[str]:
        """Yield the effect of each choice."""
        for gtrid, (choice, text) in self._choices.items():
            fate = f"{_DONE[choice]}; {self._fate(gtrid)}"
            yield f"--{choice} {text}: {fate}; its other resources are not touched"
        extras = Counter(map(_gtrid, self._extras()))
        for gtrid, text in self._keep.items():
            yield f"--keep {text}: {extras.pop(gtrid)} records from outside the log are carried over"
        if self._salvage:
            number = extras.total()
            yield f"--salvage-records: {number} records from damaged parts of the log are carried over"

    def _fate(self, gtrid: bytes) -> str:
        """Return a sentence on the outcome that recovery would give to a transaction if the user did not
        choose.
        """
        row = self._rows[gtrid]
        names, others = row["waits_for"], sorted({*row["resources"]} - {*row["waits_for"]})
        ended = f", {', '.join(others)} has ended" if others else ""
        where = f" on {', '.join(names)}" if names else ""
        return f"recovery would {row['outcome']} it{where} (last record {row['status']}{ended})"


class PairStore(LogStore):
    """Represents a pair of files of equal length. The first file contains the records, the other one is
    empty.
    """

    def _open(self) -> None:
        pair, state = load_pair(self._files), self._seen.state
        assert isinstance(state, LogState)
        self._logs = state.logs
        self._log = next(file for file in pair if file.name == self._active)
        self._others = [file for file in pair if file is not self._log]
        other = next((file.name for file in self._others), other_of(self._active))
        # If the old file was compressed, the new file has the name without the suffix.
        self._names = [name.removesuffix(".gz") for name in (self._active, other)]

    def _left(self, state: Mapping[str, Any]) -> Iterable[bytes]:
        log = self._logs[self._active].state
        return chain(log.left, log.doubtful)

    def _kept(self) -> Iterator[tuple[bytes, int, int, int]]:
        if len(self._lost(self._log)):
            return super()._kept()
        # Recovery checked each record. Each record begins where the previous one ends.
        log = self._log
        return of_gtrids(source_of(log.data), log.framing.log_start, log.limit, self._wanted, log.name)

    def _outside(self) -> Iterator[Record]:
        for file in self._others:
            for batch in self._sound(file):
                yield from told(file.name, batch)
        yield from (record for record in self._seen.unanchored if record.at.file == self._active)

    def _lost(self, file: LogFile) -> Sequence[Dropped]:
        """Return the ranges of a file without records. Return the complete file if it has no log."""
        if file.name not in self._logs:
            return [Dropped(file.name, 0, file.length, "")]
        return self._logs[file.name].found.dropped()

    def _sound(self, file: LogFile) -> Iterator[Batch]:
        """Yield the records of a file's log, and the valid records in dropped bytes."""
        if file.name in self._logs:
            yield from log_of(file).scan()
        for region in self._lost(file):
            # The tail can be wrong, and can be inside a record. Therefore the search continues up to the end
            # of the file.
            is_cut = region.end == file.limit and region.reason == "out-of-bounds"
            end = file.length if is_cut else region.end
            yield from search(source_of(file.data), region.off, end, file.framing)

    def left_out(self) -> Iterator[LossItem]:
        """Yield the omitted items, the damage of the other file, and the decisions that are only in that
        file.

        For an undamaged pair, the answer already reports these decisions (BTM-RCV-023).
        """
        yield from super().left_out()
        for file in self._others:
            for region in self._lost(file) if file.problem is None else ():
                text = "in the inactive file: only its listed decisions are carried over"
                yield LossItem(
                    BYTES, region.reason, text, file=file.name, off=region.off, length=region.length
                )
            if file.problem or len(self._lost(file)) or len(self._lost(self._log)):
                yield from self._only_in(file)

    def _only_in(self, file: LogFile) -> Iterator[LossItem]:
        """Yield the other file's decisions that have no end and are not in the new log."""
        replay, log = Replay(), self._log
        for batch in self._sound(file):
            replay.take(batch)
        places = decided(self._sound(file), replay.left)
        for region in self._lost(log):
            for batch in search(source_of(log.data), region.off, region.end, log.framing):
                replay.take(batch)
        left = {gtrid: names for gtrid, names in replay.left.items() if names and gtrid in places}
        active = Replay(watched=left)
        for batch in log_of(log).scan() if left else ():
            active.take(batch)
        gone = left.keys() - active.known - set(map(_gtrid, self._extras()))
        certain = file.problem is None and not len(self._lost(log))
        for gtrid in sorted(gone):
            text = f"it is to be committed on {', '.join(sorted(left[gtrid]))}"
            if not certain:
                text += ", unless its end is in damaged bytes"
            code, text = DECISION if certain else PERHAPS, f"{text}; --keep carries it over"
            name, off = gtrid_text(gtrid), places[gtrid]
            yield LossItem("transaction", code, text, name, file=file.name, off=off)

    def steps(self) -> Sequence[str]:
        """Return the steps to put the new store in place."""
        pair = " and ".join(sorted(self._names))
        place = f"Put {pair} together where logPart1Filename and logPart2Filename say."
        others = (_KEEP,) if self._seen.missing else ()
        return *others, _ASIDE, f"{place} {_LEFT}", _START

    def files(self) -> Iterator[NewFile]:
        """Yield the active file, then the other file.

        At least half of each file is free, and no file gets shorter.
        """
        length = max(HEADER_SIZE + 2 * self._used, self._log.length, *(file.length for file in self._others))
        active, passive = self._names
        head = codec.encode_header(ACTIVE_SINCE, STATE_CLEAN, HEADER_SIZE + self._used)
        yield NewFile(active, parts(chain([head], self._records()), length))
        yield NewFile(passive, parts([codec.encode_header(PASSIVE_SINCE, STATE_CLEAN, HEADER_SIZE)], length))


class NioStore(LogStore):
    """A single file. All records have the current delimiter. Therefore they belong to one generation."""

    replay = NioReplay

    def _open(self) -> None:
        self._data = self._files[self._active]
        header = nio.decode_header(self._data)
        assert isinstance(header, nio.NioHeader)  # The header is valid, because recovery has read the file.
        self._header = header

    def _batches(self) -> Iterator[Batch]:
        # The order of writing (BTM-NIO-009): first the previous generation, then this generation.
        for current in (False, True):
            for batch in nio.scan(source_of(self._data), self._header):
                if batch.more["current"] == current:
                    yield batch

    def _scanned(self, data: bytes) -> Iterator[Batch]:
        return nio.scan(Memory(bytes(nio.HEADER_SIZE) + data), self._header)

    def _copied(self) -> Iterator[tuple[int, bytes]]:
        """Yield the copied frames with this generation's delimiter in place of the original delimiter."""
        head, tail, now = nio.FRAME_HEAD, nio.FRAME_TAIL, self._header.current
        for off, data in super()._copied():
            at, frames = 0, bytearray()
            while at < len(data):
                start, _, length, crc, middle = head.unpack_from(data, at)
                end = at + head.size + length
                frames += head.pack(start, now, length, crc, middle) + data[at + head.size : end]
                frames += tail.pack(nio.FRAME_END, now)
                at = end + tail.size
            yield off, bytes(frames)

    def _built(self, gtrid: bytes, names: Sequence[str], like: Mapping[str, Any]) -> bytes:
        stored = tuple(name.encode("latin-1") for name in names)
        numbers = {"time": like["time"], "sequence_number": like["sequence_number"]}
        length = nio.MIN_PAYLOAD + len(gtrid) + sum(nio.SHORT.size + len(name) for name in stored)
        fields = {"status": COMMITTING, "record_length": length, "padding": b"", **numbers}
        return LAYOUT.build(
            "record", "nio", **fields, gtrid=gtrid, names=stored, delimiter=self._header.current
        )

    def files(self) -> Iterator[NewFile]:
        """Yield the single file.

        Its length is the old length, or twice the length of its records, whichever is larger.
        """
        head = nio.encode_header(self._header).ljust(nio.HEADER_SIZE, b"\0")
        length = max(nio.HEADER_SIZE + 2 * self._used, len(self._data))
        yield NewFile(self._active, parts(chain([head], self._records()), length))


def _gtrid(record: Record) -> bytes:
    fields: Mapping[str, Any] = record.fields
    gtrid: bytes = fields["gtrid"]
    return gtrid


def _stretches(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield complete records, at least :data:`PIECE` bytes at a time."""
    some, size = list[bytes](), 0
    for piece in pieces:
        some.append(piece)
        size += len(piece)
        if size >= PIECE:
            yield b"".join(some)
            some, size = [], 0
    yield b"".join(some)
