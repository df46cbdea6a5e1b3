"""What the gate on annotations knows of the disk journal: tails, timestamps, unfinished decisions.

Written from the specification (BTM-WRT, BTM-SWP, BTM-RCV); bytes are decoded by the table of fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotations import Call, Disk, Found, breaks
from journalspec.bitronix_tlog import LAYOUT
from journalspec_corpus.bitronix_tlog import naive
from journalspec_corpus.bitronix_tlog.workloads import TABLES, Workload
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import Op, Trace, Write
from journalspec_corpus.crash.workloads import LongWorkload
from journalspec_corpus.naive import Invalid, decoded

FILES = ("btm1.tlog", "btm2.tlog")
#: Where the timestamp and the tail stand in a header, and where the records begin.
TIMESTAMP, STATE, TAIL, FIRST = 4, 12, 13, 21
OPEN = b"\xff"
#: Status numbers: of a decision, and of what finishes it.
DECIDED, FINISHED = 8, (3, 4, 5)
STATUSES = {
    "COMMITTING": 8,
    "COMMITTED": 3,
    "ROLLEDBACK": 4,
    "UNKNOWN": 5,
    "ROLLING_BACK": 9,
    "ACTIVE": 0,
    "PREPARED": 2,
}
#: What a record has at offset 8: the length of its fixed part.
_FIXED = (28).to_bytes(4, "big")
_END = b"xntB"


def record_at(file: str, data: bytes, at: int, off: int) -> Found | None:
    """Return the whole record at `at` of `data`, which stands at `off` of `file`; None if there is none."""
    length = int.from_bytes(data[at + 4 : at + 8], "big") + 8
    raw = data[at : at + length]
    if length < naive.SHORTEST + 8 or len(raw) < length or raw[-4:] != _END:
        return None
    try:
        values, end = decoded(LAYOUT, "2.1", raw)
    except Invalid:
        return None
    if end != length or LAYOUT.problem("record", "2.1", values, raw):
        return None
    names = [row["name"] for row in values["names"]]
    shown = [name.decode("ascii", "replace") for name in names]
    status, gtrid = values["status"], values["gtrid"].hex()
    numbers = (status, values["time"], values["sequence_number"], values["crc32"])
    key = ":".join([*map(str, numbers), gtrid, ",".join(shown)])
    wants = (status, gtrid, tuple(sorted(shown)))
    return Found(file, off, length, key, wants, wants, _fields(raw, len(values["gtrid"])))


def _fields(raw: bytes, gtrid: int) -> dict[str, bytes]:
    """Cut a record into its fields, with the names that marks give them."""
    sizes = {
        "status": 4,
        "recordLength": 4,
        "headerLength": 4,
        "time": 8,
        "sequenceNumber": 4,
        "crc32": 4,
        "gtridLength": 1,
        "gtrid": gtrid,
    }
    out, at = {}, 0
    for name, size in sizes.items():
        out[name] = raw[at : at + size]
        at += size
    return {**out, "names": raw[at:-4], "endRecord": raw[-4:]}


def unfinished(log: Iterable[Found]) -> dict[str, frozenset[str]]:
    """Return the names that are still to be committed, by transaction (BTM-RCV-009 to BTM-RCV-013)."""
    out: dict[str, frozenset[str]] = {}
    for found in log:
        status, gtrid, names = found.what
        if status == DECIDED:
            out[gtrid] = frozenset(names)
        elif status in FINISHED and gtrid in out:
            left = out.pop(gtrid) - frozenset(names)
            if left:
                out[gtrid] = left
    return out


class Witness:
    """One trace of the pair of files."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        #: All records that were logged, in order, without copies.
        self.log = self.counting(trace.base)
        if breaks(trace, "elected"):
            # Owed all the same: what was acknowledged in a file that is not elected.
            known, there = {mark.key for mark in trace.standing}, {found.key for found in self.log}
            lost = [found for found in self.whole(trace.base) if found.key in known - there]
            self.log += {found.key: found for found in lost}.values()
        self._doubtful = list(unfinished(self.log))
        #: What the latest swap carries over, None: there was none; where in the log it began.
        self._survivors: set[tuple[Any, ...]] | None = None
        self._since = 0
        self.active = self._elected(trace.base) if trace.base else FILES[0]
        self._counted = {found.place for found in self.counting(trace.base)}
        #: Copies of a swap under way, None if there is none, and where they go.
        self._copied: list[Found] | None = None
        self._target = ""
        self._tails = dict.fromkeys(FILES, b"")
        #: Where each record of this run was last written.
        self._lies: dict[tuple[Any, ...], str] = {}
        self._ways: tuple[set[tuple[Any, ...]], ...] = (set(),)

    @staticmethod
    def _elected(files: Mapping[str, bytes]) -> str:
        told = naive.recover(files, "2.1", "salvage")
        return str(told.get("state", {}).get("active", FILES[0]))

    def decoded(self, op: Write) -> list[Found]:
        """Return the record of which a write behind the header consists."""
        found = record_at(op.file, op.data, 0, op.off) if op.off >= FIRST else None
        return [found] if found is not None and found.length == len(op.data) else []

    def whole(self, files: Mapping[str, bytes]) -> list[Found]:
        """Return every whole record at any offset."""
        out = []
        for file, data in files.items():
            at = data.find(_FIXED)
            while at >= 0:
                found = record_at(file, data, at - 8, at - 8) if at >= 8 else None
                out += [found] if found else []
                at = data.find(_FIXED, at + 1)
        return out

    def counting(self, files: Mapping[str, bytes]) -> list[Found]:
        """Return the records of the elected file, from its first one to its tail."""
        if not files:
            return []
        told = naive.recover(files, "2.1", "salvage")
        places = [entry["at"] for entry in told.get("records", ())]
        found = [record_at(at["file"], files[at["file"]], at["off"], at["off"]) for at in places]
        return [record for record in found if record is not None]

    def copies(self, op: Write) -> bool:
        """Tell whether a swap is under way into the file that is written to."""
        return self._copied is not None and op.file == self._target

    def calls(self, work: Any, trace: Trace) -> Iterator[Call]:
        """Return what is asked of the writer: log, force, close and open."""
        force = Call()
        if isinstance(work, Workload):
            asked = [Call(_wants(op), durable=False) for op in work.operations()]
            if work.kind == "create":
                yield force
            for call in asked:
                yield call
                if work.force == "each" and work.kind != "close":
                    yield force
            yield force
        elif isinstance(work, LongWorkload):
            types = TABLES.rows["long"]["types"]
            for word in work.rules.split():
                if word[0] not in types:
                    yield force
                    continue
                gtrid = bytes([0x41 + int(word[1], 36)]) * 16
                yield Call((STATUSES[types[word[0]]], gtrid.hex()), durable=False, may=True)
        elif isinstance(work, SecondLife):
            yield from self._again(work, trace)

    def _again(self, work: SecondLife, trace: Trace) -> Iterator[Call]:
        if not trace.ops:
            return
        yield Call()
        if work.then == "settle":
            for gtrid in self._doubtful:
                yield Call((STATUSES["COMMITTED"], gtrid), durable=False, may=True)
            yield Call()
        before = getattr(work.origin, "steps", ()) if work.then == "same" else ()
        steps = () if work.then == "open" else before or TABLES.then[work.then] or TABLES.then["typical"]
        # Lives 1 and 2 are those of a background.
        for step in steps:
            yield Call(_wants(step.operation(work.life + 1))[:2], durable=False, may=True)
            if trace.tags.get("force") != "end":
                yield Call()
        yield Call()

    def recovers(self, found: Found) -> bool:
        """Recovery writes no records here."""
        return False

    def promised(self, written: Sequence[Found], before: Sequence[Found]) -> set[tuple[Any, ...]]:
        """A force promises every record that was logged before it (BTM-WRT-005)."""
        return {found.what for found in written}

    def did(self, op: Op, found: Sequence[Found], disk: Disk) -> None:
        """Follow tails, timestamps and swaps."""
        self._ways = (set(),)
        if not isinstance(op, Write):
            return
        if found and self.copies(op):
            assert self._copied is not None  # or it were no copy
            self._copied += found
        elif found:
            self.log += found
        for record in found:
            self._lies[record.what] = record.file
        if op.off == TAIL and len(op.data) == FIRST - TAIL:
            reset = int.from_bytes(op.data, "big") == FIRST
            if reset and op.file != self.active and self._copied is None:
                self._copied, self._target = [], op.file
                self._begin()
        elif op.off == TIMESTAMP and self._copied is not None and op.file == self._target:
            self.active, self._copied = op.file, None
        elif op.off == STATE and self._copied is None and op.data == OPEN:
            # Opening writes the state of the file that it elects.
            self.active = op.file
        if op.off < FIRST and len(disk.files) == len(FILES):
            self._elect(op, disk)

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

    def published(self, found: Sequence[Found], disk: Disk) -> tuple[set[tuple[Any, ...]], ...]:
        """All records of the elected file are, if its tail or the election was what was written."""
        return self._ways

    def behind(self, op: Op) -> bool:
        """A swap releases with the tail that begins it."""
        return isinstance(op, Write) and op.off == TAIL

    def state(self, without: set[tuple[Any, ...]]) -> object:
        """Return the unfinished decisions of the log."""
        return unfinished(found for found in self.log if found.what not in without)

    def _begin(self) -> None:
        """A swap carries over the latest decision on each unfinished transaction, and nothing else."""
        left = unfinished(self.log)
        latest = {found.what[1]: found.what for found in self.log if found.what[0] == DECIDED}
        self._survivors = {latest[gtrid] for gtrid in left}
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
        if not (isinstance(op, Write) and op.off == TAIL and op.file != self.active):
            return False
        if int.from_bytes(op.data, "big") != FIRST or self._copied is not None:
            return False
        # Where the file holds nothing of this run there is no earlier life to be told from it.
        return True if op.file in self._lies.values() and self.trace.tags.get("kind") == "long" else None


def _wants(op: Mapping[str, Any]) -> tuple[Any, ...]:
    return STATUSES[op["type"]], op["gtrid"], tuple(sorted(op["names"]))
