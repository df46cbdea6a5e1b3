"""What the gate on annotations knows of the disk journal: tails, timestamps, unfinished decisions.

Written from the specification (BTM-WRT, BTM-SWP, BTM-RCV); bytes are decoded by the table of fields, what
records amount to says the naive model (:mod:`replay_bitronix_tlog`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import witnesses
from journalspec.bitronix_tlog import LAYOUT
from journalspec_corpus.bitronix_tlog import naive
from journalspec_corpus.bitronix_tlog.author import reported
from journalspec_corpus.bitronix_tlog.workloads import RECORDS, TABLES
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import Op, Trace, Write
from journalspec_corpus.naive import Invalid, decoded
from replay_bitronix_tlog import unfinished
from witnesses import Call, Disk, Found

FILES = ("btm1.tlog", "btm2.tlog")
#: Where the timestamp and the tail stand in a header, and where the records begin.
TIMESTAMP, STATE, TAIL, FIRST = 4, 12, 13, 21
OPEN = b"\xff"
#: What a record has at offset 8: the length of its fixed part.
_FIXED = (28).to_bytes(4, "big")
_END = b"xntB"


class Witness(witnesses.Witness):
    """One trace of the pair of files."""

    reader, tables = naive, TABLES

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, "2.1")
        counting = self.counting(trace.base)
        #: All records that were logged, in order, without copies.
        self.log = list(counting)
        if witnesses.breaks(trace, "elected"):
            # Owed all the same: what was acknowledged in a file that is not elected.
            known, there = {mark.key for mark in trace.standing}, {found.key for found in self.log}
            lost = [found for found in self.whole(trace.base) if found.key in known - there]
            self.log += {found.key: found for found in lost}.values()
        self._doubtful = self._unfinished(set())
        #: What the latest swap carries over, None: there was none; where in the log it began.
        self._survivors: set[tuple[Any, ...]] | None = None
        self._since = 0
        self.active = self._elected(trace.base)
        self._counted = {found.place for found in counting}
        #: Whether a swap is under way, and into which file.
        self._swapping = False
        self._target = ""
        #: Where each record of this run was last written.
        self._lies: dict[tuple[Any, ...], str] = {}
        self._ways: tuple[set[tuple[Any, ...]], ...] = (set(),)

    def _elected(self, files: Mapping[str, bytes]) -> str:
        return str(self.recovered(files).get("state", {}).get("active", FILES[0]))

    def record(self, file: str, data: bytes, at: int, off: int) -> Found | None:
        """Return the record at `at` if it is framed, decodes to its end and has the right checksum."""
        length = int.from_bytes(data[at + 4 : at + 8], "big") + 8
        raw = data[at : at + length]
        if length < naive.SHORTEST + 8 or len(raw) < length or raw[-4:] != _END:
            return None
        try:
            values, end = decoded(LAYOUT, self.edition, raw)
        except Invalid:
            return None
        if end != length or LAYOUT.problem("record", self.edition, values, raw):
            return None
        names = [row["name"].decode("ascii", "replace") for row in values["names"]]
        gtrid = values["gtrid"].hex()
        numbers = (values[name] for name in ("status", "time", "sequence_number", "crc32"))
        key = ":".join([*map(str, numbers), gtrid, ",".join(names)])
        wants = (reported(values, self.edition)["type"], gtrid, tuple(sorted(names)))
        return Found(
            file, off, length, key, wants, wants, witnesses.cut(LAYOUT, self.edition, raw, RECORDS.labels)
        )

    def starts(self, op: Write) -> int | None:
        """Records are written one by one, behind the header."""
        return 0 if op.off >= FIRST else None

    def candidates(self, file: str, data: bytes) -> Iterator[int]:
        """Yield where the constant of a record's fixed part says that one may begin."""
        at = -1
        while (at := data.find(_FIXED, at + 1)) >= 0:
            if at >= 8:
                yield at - 8

    def copies(self, op: Write) -> bool:
        """Tell whether a swap is under way into the file that is written to."""
        return self._swapping and op.file == self._target

    def small(self, work: Any) -> Iterator[Call]:
        """Log, each followed by a force or all by one; a new journal is made durable first."""
        if work.kind == "create":
            yield Call()
        for op in work.operations():
            yield Call(_wants(op), durable=False)
            if work.force == "each" and work.kind != "close":
                yield Call()
        yield Call()

    def word(self, word: str) -> Iterator[Call]:
        """Log what a word says, of whatever names; every other word forces."""
        kind = TABLES.rows["long"]["types"].get(word[0])
        gtrid = bytes([0x41 + int(word[1], 36)]) * 16 if kind else b""
        yield Call((kind, gtrid.hex()), durable=False, may=True) if kind else Call()

    def again(self, work: SecondLife, steps: Sequence[Any]) -> Iterator[Call]:
        """Open, finish what is unfinished if that is asked for, and log."""
        yield Call()
        if work.then == "settle":
            yield from (Call(("COMMITTED", gtrid), durable=False, may=True) for gtrid in self._doubtful)
            yield Call()
        for step in steps:
            # Lives 1 and 2 are those of a background.
            yield Call(_wants(step.operation(work.life + 1))[:2], durable=False, may=True)
            if not self.together:
                yield Call()
        yield Call()

    def promised(self, written: Sequence[Found], before: Sequence[Found]) -> set[tuple[Any, ...]]:
        """A force promises every record that was logged before it (BTM-WRT-005)."""
        return {found.what for found in written}

    def did(self, op: Op, found: Sequence[Found], disk: Disk) -> None:
        """Follow tails, timestamps and swaps."""
        self._ways = (set(),)
        if not isinstance(op, Write):
            return
        self._lies |= {record.what: record.file for record in found}
        if not self.copies(op):
            self.log += found
        if op.off == TAIL and len(op.data) == FIRST - TAIL:
            if self._resets(op):
                self._swapping, self._target = True, op.file
                self._begin()
        elif op.off == TIMESTAMP and self.copies(op):
            self.active, self._swapping = op.file, False
        elif op.off == STATE and not self._swapping and op.data == OPEN:
            # Opening writes the state of the file that it elects.
            self.active = op.file
        if op.off < FIRST and len(disk.files) == len(FILES):
            self._elect(op, disk)

    def _resets(self, op: Write) -> bool:
        """Tell whether a tail goes back to the first record in the file that is not active."""
        return op.file != self.active and int.from_bytes(op.data, "big") == FIRST and not self._swapping

    def _elect(self, op: Write, disk: Disk) -> None:
        """Note what counts now, if that is not what counted before."""
        counting = self.counting(disk.seen())
        places = {found.place for found in counting}
        every = {found.what for found in counting}
        if places != self._counted:
            self._counted, self._ways = places, (every,)
            if op.file != self._elected(disk.seen()):
                # A timestamp that elects the other file (BTM-DEV-001) makes none of its own records count.
                self._ways = (every, set())
        elif op.off in (TIMESTAMP, TAIL):
            # A timestamp for a file that is elected all the same says it once more.
            self._ways = (set(), every)

    def published(self, found: Sequence[Found]) -> tuple[set[tuple[Any, ...]], ...]:
        """All records of the elected file are, if its tail or the election was what was written."""
        return self._ways

    def behind(self, op: Op) -> bool:
        """A swap releases with the tail that begins it."""
        return isinstance(op, Write) and op.off == TAIL

    def _unfinished(self, without: set[tuple[Any, ...]]) -> dict[str, list[str]]:
        log = (found.what for found in self.log if found.what not in without)
        ops = [{"type": kind, "gtrid": gtrid, "names": names} for kind, gtrid, names in log]
        return unfinished(ops, self.edition)

    def state(self, without: set[tuple[Any, ...]]) -> object:
        """Return the unfinished decisions of the log."""
        return self._unfinished(without)

    def _begin(self) -> None:
        """A swap carries over the latest decision on each unfinished transaction, and nothing else."""
        latest = {found.what[1]: found.what for found in self.log if found.what[0] == "COMMITTING"}
        self._survivors = {latest[gtrid] for gtrid in self._unfinished(set())}
        self._since = len(self.log)

    def owes(self, what: tuple[Any, ...]) -> bool:
        """A record is owed until a swap begins, and from then on if that carries it over."""
        logged = {found.what for found in self.log[self._since :]}
        return what in logged or (self._survivors is not None and what in self._survivors)

    def unkept(self, what: tuple[Any, ...], disk: Disk) -> str:
        """A record may lie in a file that was written to and is not elected."""
        return "elected" if self._elected(disk.seen()) != self._lies.get(what, self.active) else ""

    def begins(self, op: Op, disk: Disk) -> bool | None:
        """A file begins anew when its tail goes back to the first record."""
        if not (isinstance(op, Write) and op.off == TAIL and self._resets(op)):
            return False
        # Where the file holds nothing of this run there is no earlier life to be told from it.
        return True if op.file in self._lies.values() and self.trace.tags.get("kind") == "long" else None


def _wants(op: Mapping[str, Any]) -> tuple[Any, ...]:
    return op["type"], op["gtrid"], tuple(sorted(op["names"]))
