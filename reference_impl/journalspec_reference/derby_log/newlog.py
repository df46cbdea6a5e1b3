"""Writes the log of a new database. It consists of the old log as recovery reads it, and decisions on
transactions in doubt.

The new log ends where recovery ends the old log; later bytes are omitted. Its checksums are right, each
header states the end of the previous file, and the control files point to a checkpoint in this log.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from journalspec.derby_log import LAYOUT
from journalspec.derby_log.operations import body, databases
from journalspec.layout import joined
from journalspec_reference.answers import Answer
from journalspec_reference.derby_log.bodies import BITS
from journalspec_reference.derby_log.codec import BEFORE, HEADER, BadLog, Control, Instant, header
from journalspec_reference.derby_log.contents.booted import Booted
from journalspec_reference.derby_log.fileset import CONTROLS
from journalspec_reference.derby_log.scan import UNSUMMED
from journalspec_reference.derby_log.store import INTERNAL
from journalspec_reference.newstore import PIECE, CannotRebuild, ChoiceRefused, NewFile, StoreChoices

#: The maximum number of bytes of each file whose checksums are recomputed. Only a crafted log with
#: overlapping checksum records needs more bytes.
_MOST_SUMMED = 64 << 20
_RAWSTORE = BITS["RAWSTORE"]
_COMMITTED = 4
_OTHERS = "the other branches of its global transaction are not touched"
_ENCRYPTED = "records would have to be written, and the log is encrypted"


class NewLog:
    """Represents the control files and log files of a new database. Raises ChoiceRefused, CannotRebuild."""

    def __init__(self, answer: Answer, state: Booted, choices: StoreChoices) -> None:
        log, store = state.log, state.store
        assert log is not None  # The log after redo.
        assert log.last is not None
        assert store is not None
        self._journal, self._encrypted = answer.journal, state.encrypted
        self._log, self._store = log, store
        #: A line of text on the effect of each choice.
        self.said: list[str] = []
        #: The position of the checkpoint among the added records. It is -1 if there is no checkpoint.
        self._named = -1
        #: Maps the number of a log file to its edits: a map from offset to replacement bytes.
        self._edits: dict[int, dict[int, bytes]] = {}
        self._begin = log.start
        #: The number of the last file.
        self.last = log.last.file.number
        self._end = log.last.end.off
        if log.ends[self._begin.number] == self._begin.position and self.last > self._begin.number:
            # If no record follows in the file where the log begins, Derby treats the log as empty.
            self._begin = Instant(self._begin.number + 1, HEADER)
        self._next = store.next
        bodies = [*self._decided(choices)]
        self._control = log.chosen.control or Control(None, *self._level(answer), 0, 0)
        self._checkpoint = log.checkpoint
        end = Instant(self.last, self._end)
        kept = self._checkpoint is not None and self._checkpoint < end and log.redo_from <= end
        if not kept or self._begin != log.start:
            # No checkpoint is needed if the log starts at the first record of the first file, where Derby
            # starts by default.
            self._checkpoint = None
            if self._begin != (1, HEADER) or log.redo_from > (1, HEADER):
                bodies += self._new_checkpoint(len(bodies))
        if self._encrypted and bodies:
            raise CannotRebuild(_ENCRYPTED)
        for number in range(self.first, self.last + 1):
            self._relink(number)
        for number in sorted({*self._edits, self.last}):
            self._seal(number)
        self._added = self._group(self.last, self._end, bodies) if bodies else b""

    @property
    def first(self) -> int:
        """The number of the first file."""
        return self._begin.number

    @property
    def changed(self) -> bool:
        """Whether the new log contains bytes that are not in the old log."""
        return bool(self._edits or self._added)

    def files(self, place: str) -> Iterator[NewFile]:
        """Yield the files of the log, with names in the directory `place`."""
        said = {**self._control._asdict(), "checkpoint": self._checkpoint.packed if self._checkpoint else 0}
        control = LAYOUT.build("control", self._journal.edition, **said)
        for name in CONTROLS:
            yield NewFile(place + name, (control,))
        for number in range(self.first, self.last + 1):
            yield NewFile(f"{place}log{number}.dat", self._log_file(number))

    def _level(self, answer: Answer) -> tuple[int, int]:
        """Return the lowest database level that fits the log.

        Newer products also open a database of this level.
        """
        agree = [trial.edition for trial in answer.trials if trial.agrees] or [self._journal.edition]
        known = [edition for edition in databases() if edition in agree and edition != "10.0"]
        return databases()[(known or agree)[0]].level

    def _decided(self, choices: StoreChoices) -> Iterator[bytes]:
        """Yield the records that commit branches in doubt.

        For branches that are to be rolled back, edit the log instead.
        """
        committed = {number: name for name in choices.commit for number in self._branches(name)}
        undone = {number: name for name in choices.rollback for number in self._branches(name)}
        if both := sorted(committed.keys() & undone.keys()):
            raise ChoiceRefused(f"transaction {both[0]} is to be committed and rolled back")
        if (committed or undone) and self._encrypted:
            raise ChoiceRefused(_ENCRYPTED)
        for number, name in committed.items():
            bits = BITS["COMMIT"] | BITS["LAST"] | _RAWSTORE
            told = {"global_id": self._store.transactions[number].branch, "status": _COMMITTED}
            text = f"--commit {name}: a record commits transaction {number}; {_OTHERS}"
            self.said.append(text)
            yield _body("END", bits, number, **told)
        for number, name in undone.items():
            self._unprepare(number)
            text = f"--rollback {name}: transaction {number} is not prepared any more, Derby rolls it back"
            self.said.append(f"{text}; {_OTHERS}")

    def _branches(self, name: str) -> list[int]:
        """Return the transactions in doubt that a name refers to. Raises ChoiceRefused."""
        found = []
        for number in self._store.branches():
            gtrid, bqual, _ = self._store.transactions[number].ids
            names = {str(number), gtrid.hex(), f"{gtrid.hex()}:{bqual.hex()}", gtrid.decode("latin-1")}
            found += [number] if name in names else []
        if not found:
            hint = "inspect --contents in_doubt lists them: give the number, or the gtrid in hex"
            raise ChoiceRefused(f"no transaction {name!r} is in doubt", hint)
        return found

    def _unprepare(self, number: int) -> None:
        """Replace the record that prepares a transaction by the begin of an empty transaction.

        Derby then undoes all changes of the prepared transaction, including index changes, and ends the empty
        transaction.
        """
        known = self._store.transactions[number]
        at = Instant.unpack(known.prepared_by)
        file = self._log.log.files[at.number]
        length = int.from_bytes(bytes(file.data[at.position : at.position + 4]), "big")
        # A record can have data after its fields; Derby ignores the data of a BEGIN.
        bits, other = BITS["FIRST"] | _RAWSTORE, self._next
        spare = length - len(_body("BEGIN", bits, other, data=b""))
        if spare < 0:
            raise ChoiceRefused(f"the record that prepares transaction {number} is too short to be replaced")
        self._next += 1
        self._edits.setdefault(at.number, {})[at.position + BEFORE] = _body(
            "BEGIN", bits, other, data=bytes(spare)
        )

    def _new_checkpoint(self, before: int) -> Iterator[bytes]:
        """Yield the records of a checkpoint. The control files then point to this checkpoint."""
        number, self._next = self._next, self._next + 1
        at = Instant(self.last, self._end)
        # The redo instant states that the pages contain all earlier changes. If it were after the end, a boot
        # after another crash would skip records that Derby adds in between.
        redo = min(max(self._log.redo_from, self._begin), at)
        own = {"transaction": {"number": number}, "first": {"file": at.number, "position": at.position}}
        entries = [{"entry": {**own, "global_id": None, "status": 0}}]
        where = {"redo_from": redo.packed, "undo_from": self._begin.packed}
        yield _body("BEGIN", BITS["FIRST"] | _RAWSTORE, number, status=INTERNAL)
        self._named = before + 1
        yield _body("CHECKPOINT", _RAWSTORE, number, **where, has_table=1, table={"entries": entries})
        yield _body("END", BITS["COMMIT"] | BITS["LAST"] | _RAWSTORE, number, status=_COMMITTED)

    def _group(self, number: int, at: int, bodies: Sequence[bytes]) -> bytes:
        """Return records with their checksum record, as they are stored from `at` on."""
        summed = self._journal.edition not in UNSUMMED
        first = off = at + len(_sum_of(number, at, b"")) * summed
        data = b""
        for turn, each in enumerate(bodies):
            if turn == self._named:
                self._checkpoint = Instant(number, off)
            data += _record(number, off, each)
            off = first + len(data)
        return (_sum_of(number, at, data) if summed else b"") + data

    def _relink(self, number: int) -> None:
        """Write the end of the previous file into a header. Derby does not require this field in older
        databases.
        """
        file, stored = self._log.log.files[number], None
        with suppress(BadLog):
            stored = header(bytes(self._journal.seen[file.name][:HEADER]), number)
        previous = file.previous()
        if number > self._begin.number:
            previous = Instant(number - 1, self._log.ends[number - 1])
        if stored != previous:
            link = {"number": number, "previous": previous.packed}
            self._edits.setdefault(number, {})[0] = LAYOUT.build("header", self._journal.edition, **link)

    def _seal(self, number: int) -> None:
        """Recompute the checksums of edited ranges, and of the last range if the log was truncated."""
        file, limit = self._log.log.files[number], self._log.ends[number]
        edits, left = self._edits.setdefault(number, {}), _MOST_SUMMED
        sums = [
            (batch.base + batch.off[row], batch.base + batch.end[row], size)
            for batch in self._log.log.scan(file, HEADER, limit)
            for row, size in batch.more["sums"]
        ]
        # The last checksum is computed first, because an earlier checksum record can cover it.
        for off, stop, covers in reversed(sums):
            end = min(stop + covers, limit)
            if stop + covers > limit or any(
                off < at and at + len(new) > stop and at < end for at, new in edits.items()
            ):
                left -= end - stop
                if left < 0 or self._encrypted:
                    raise CannotRebuild(f"the checksum records of {file.name} cannot be recomputed")
                edits[off] = _sum_of(number, off, b"".join(self._stored(number, stop, end)))
        if not edits:
            del self._edits[number]

    def _stored(self, number: int, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes of a log file with all edits applied."""
        data = self._journal.seen[self._log.log.files[number].name]
        return edited(data, self._edits.get(number, {}), start, end)

    def _log_file(self, number: int) -> Iterator[bytes]:
        yield from self._stored(number, 0, self._log.ends[number])
        yield self._added if number == self.last else bytes(4)


def edited(data: Any, edits: Mapping[int, bytes], start: int, end: int) -> Iterator[bytes]:
    """Yield the bytes of a file from `start` to `end`, with replacements at some offsets."""
    for at in range(start, end, PIECE):
        piece = bytearray(data[at : min(at + PIECE, end)])
        for off, new in sorted(edits.items()):
            low, high = max(off, at), min(off + len(new), at + len(piece))
            if low < high:
                piece[low - at : high - at] = new[low - off : high - off]
        yield bytes(piece)


def _body(name: str, group: int, transaction: int | None, **fields: Any) -> bytes:
    return joined(body({"operation": name, "group": group, "transaction": transaction, **fields}))


def _record(number: int, at: int, data: bytes) -> bytes:
    length = len(data).to_bytes(4, "big")
    return length + Instant(number, at).packed.to_bytes(8, "big") + data + length


def _sum_of(number: int, at: int, data: bytes) -> bytes:
    """Return a checksum record at the offset `at` that covers the following `data`."""
    told = {"algorithm": 1, "data_length": len(data), "checksum": zlib.crc32(data)}
    return _record(number, at, _body("CHECKSUM", BITS["CHECKSUM"] | _RAWSTORE, None, **told))
