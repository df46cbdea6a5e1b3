"""Reading a log, and the recovery that follows from it; nothing here changes a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

from journalspec.derby_log import LAYOUT
from journalspec.derby_log.operations import databases, tables
from journalspec.derby_log.operations import shown as told
from journalspec.formats import get_format
from journalspec.observation import (
    CLEAN,
    RECOVERED,
    At,
    Dropped,
    FileMap,
    Note,
    Observation,
    Record,
    note_place,
    record_place,
    refused,
    region_place,
)
from journalspec.reread import Collector, few, joined
from journalspec_reference.api import Files
from journalspec_reference.content import Window
from journalspec_reference.derby_log import codec
from journalspec_reference.derby_log.bodies import SHORT, Body, body_of
from journalspec_reference.derby_log.codec import HEADER, BadLog, Instant
from journalspec_reference.derby_log.scan import (
    CONTROLS,
    BadHeader,
    ChosenControl,
    End,
    Log,
    LogEnd,
    LogFile,
    LoggedRecord,
    Scan,
    choose,
    gather,
    number_of,
)
from journalspec_reference.derby_log.store import Container, StateError, Store, branch_key

FORMAT = "derby_log"
SEED = "seed"
#: What a map of files has of headers and control files.
_TOLD = ("number", "previous", "checkpoint", "major", "minor", "flags", "jbms_version", "checkpoint_interval")
_CONTAINER = re.compile(r"seg0\.c([0-9a-f]{1,15})\.dat")
_LIKE = re.compile(r"log.*\.(dat|ctrl)", re.DOTALL)
_CIPHER_BLOCK = 8
_BODY_START = b"\x00\x81"
#: Records are kept up to so many times the size of the log, and these bytes: they may be tiny.
_KEPT, _KEPT_OF_ANY = 32, 1 << 16
_BETA, _TEST_MODE = 1, 2
#: Notes that make a verdict `recovered`.
_LOSSES = {code for code, word in get_format(FORMAT).vocabulary.notes.items() if word.loss}


class _Refusal(Exception):
    def __init__(self, phase: str, code: str, message: str, at: At | None = None) -> None:
        super().__init__(message)
        self.answer = refused(phase, code, message, at)


class Told(NamedTuple):
    """A record as it is told, what was stored, and its body, if that is decoded."""

    record: Record
    stored: LoggedRecord
    body: Body | None


@dataclass(frozen=True)
class Reader:
    """How the records of files are decoded; `edition` is None where bodies are opaque."""

    edition: str | None

    def told(self, file: LogFile, stored: LoggedRecord) -> Told:
        """Return a record under the spec's names; raises BadLog."""
        at = At(file.name, stored.off, stored.end - stored.off)
        shown: dict[str, Any] = {"length": len(stored.body), "instant": file.number << 32 | stored.off}
        if self.edition is None:
            return Told(Record("OTHER", {**shown, "body": stored.body}, at), stored, None)
        body = body_of(stored.body, self.edition)
        said = _said(stored.body, self.edition) if len(stored.body) <= SHORT else None
        shown |= _says(stored.body, body) if said is None else said
        return Told(Record(body.operation.name, shown, at), stored, body)

    def pieces(self, file: LogFile, scan: Scan, start: int) -> Iterator[Told | Note | End]:
        """Yield what a file gives from `start` on, and its end; raises BadLog at the last record told."""
        covered = (0, 0)
        for item in scan.walk(start):
            end = item.off if isinstance(item, End) else item.end
            if covered[0] > item.off and (isinstance(item, End) or covered[0] < end):
                yield Note("odd-coverage", file.name, covered[1])
                covered = (0, 0)
            if isinstance(item, End):
                yield item
                return
            told = self.told(file, item)
            yield told
            if item.covers is not None:
                covered = (item.end + item.covers, item.off)
            if told.body is not None and told.body.long_number:
                yield Note("long-number", file.name, item.off)
            if told.body is not None and told.body.surplus:
                yield Note("surplus", file.name, item.off, str(told.body.surplus))


def _says(stored: bytes, body: Body) -> dict[str, Any]:
    """Return the fields that a body gives to its record."""
    shown: dict[str, Any] = {"group": body.group}
    if body.transaction is not None:
        shown["transaction"] = body.transaction
    shown |= told(body.operation.fields, body.fields)
    if body.undone is not None:
        shown["undone"] = body.undone.packed
    elif data := stored[slice(*body.data)]:
        shown["data"] = data
    return shown


@lru_cache(1 << 11)
def _said(stored: bytes, edition: str) -> Mapping[str, Any] | None:
    """Return the same to be copied; None if it holds lists or mappings, which are nobody else's."""
    shown = _says(stored, body_of(stored, edition))
    return None if any(isinstance(value, list | dict) for value in shown.values()) else shown


class LogPass:
    """One pass over a log; `policy` is that of recovery, or empty for reading.

    `suite`: it is that of the suite's database, of whose tables rows are told.
    """

    def __init__(self, files: Files, edition: str, policy: str, *, suite: bool = True) -> None:
        self._files, self._edition, self._policy = files, edition, policy
        self._logs = gather(files)
        keep = _KEPT * sum(file.length for file in self._logs.values()) + _KEPT_OF_ANY
        self._records, self._beside = Collector(record_place, keep), Collector(record_place, keep)
        self._notes, self._dropped = Collector(note_place), Collector(region_place)
        self._late: list[Note] = []
        self._invalid: set[str] = set()
        self.chosen = ChosenControl(None, "", ())
        self._bodies: list[tuple[LogFile, int]] = []
        #: The first record that no checksum covers.
        self._unverified: Note | None = None
        self._opaque = self._short = False
        #: The last checksum record of the log, and the number of its file.
        self.last_sum: tuple[int, LoggedRecord] | None = None
        self.start = Instant(0, 0)
        self.redo_from = Instant(0, 0)
        self.last: LogEnd | None = None
        self._linked = edition not in (SEED, "10.0", "10.1")
        #: Whether there are checksum records.
        self._summed = edition not in (SEED, "10.0")
        self.log = Log(self._logs, summed=self._summed, linked=self._linked)
        self._reader = Reader(None)
        # A method of its own would tie it to itself, and whoever reads many logs keeps them all.
        self._find = partial(_found, self._logs, self.log, edition)
        self.store = Store(tables(edition) if suite else {}, containers(files), self._find)
        self.answer: Observation | None = None
        try:
            self._run()
        except _Refusal as refusal:
            self.answer = refusal.answer
        except BadHeader as error:
            length = len(files[error.file])
            at = At(error.file, 0, min(HEADER, length) if error.reason == "bad-header" else length)
            self.answer = refused("header", error.reason, str(error), at)

    def _run(self) -> None:
        if not self._logs and not any(name in self._files for name in CONTROLS):
            raise _Refusal("fileset", "no-files", "there is neither a control file nor a log file")
        start = self._start()
        self._names()
        if self._edition != SEED:
            start = self._from_checkpoint(start)
        self._late_start(start)
        self._behind(self._walk(start))

    # Where the log begins.

    def _start(self) -> Instant:
        """Return what the control file names, or that of the first log file (DRB-CTL). Raises BadHeader."""
        if self._edition == SEED:
            return self._entered(Instant(min(self._logs, default=1), HEADER))
        self.chosen = choose(self._files)
        for name in self.chosen.invalid:
            self._whole(name, "bad-control")
        control = self.chosen.control
        if control is None:
            self._late.append(Note("no-control"))
            return self._entered(Instant(1, HEADER))
        if self.chosen.name != CONTROLS[0]:
            self._late.append(Note("mirror-used", self.chosen.name))
        if control.flags & _TEST_MODE:
            self._late.append(Note("test-mode", self.chosen.name))
        level = (control.major, control.minor)
        if self._policy and (level > databases()[self._edition].newest or control.flags & _BETA):
            at = At(self.chosen.name, 16, 8)
            raise _Refusal("header", "newer-level", f"the database is of level {level[0]}.{level[1]}", at)
        return self._entered(control.checkpoint or Instant(1, HEADER))

    def _entered(self, start: Instant) -> Instant:
        """Check the file in which the scan starts (DRB-RCV-061, DRB-HDR-162); to read, any will do.

        Raises BadHeader.
        """
        if not self._policy and start.number not in self._logs and self._logs:
            start = Instant(min(self._logs), HEADER)
        try:
            self.log.enter(start.number)
        except KeyError:
            text = f"log{start.number}.dat is missing, and the log begins there"
            raise _Refusal("fileset", "missing-file", text) from None
        return start

    def _from_checkpoint(self, at: Instant) -> Instant:
        """Return where the scan starts by the checkpoint record at `at` (DRB-RCV-060)."""
        file = self._logs[at.number]
        first = self.log.scan(file).at(HEADER)
        if isinstance(first, LoggedRecord) and _is_cipher(first.body):
            self._late.append(Note("encrypted", file.name))
            self._opaque = True
            self.log = Log(self._logs, summed=False, linked=self._linked)
            return Instant(at.number, HEADER)
        self._reader = Reader(self._edition)
        control = self.chosen.control
        if control is None or control.checkpoint != at:
            return at
        try:
            body: Body | None = self._find(at)[0]
        except BadLog:
            body = None
        if body is None or body.operation.name != "CHECKPOINT":
            if self._policy == "strict":
                text = f"no checkpoint stands at {at.position} of {file.name}, which {self.chosen.name} names"
                raise _Refusal("record", "no-checkpoint", text, At(self.chosen.name, 8, 8))
            self._late.append(Note("no-checkpoint", file.name, at.position))
            return Instant(at.number, HEADER)
        self.redo_from = Instant.unpack(body.fields["redo_from"])
        return self._entered(Instant.unpack(body.fields["undo_from"]))

    def _late_start(self, start: Instant) -> None:
        """In reading, take in the files before, and what stands before the start in its own file."""
        self.start = start
        if self._policy:
            return
        for number, file in self._logs.items():
            if number > start.number:
                break
            if number < start.number:
                self._old(file)
        file = self._logs[start.number]
        end = self._take(file, HEADER, stop=start.position)
        if end is not None:
            until = min(start.position, file.length)
            self._region(file.name, end.off, until - end.off, end.reason or "truncated")

    def _old(self, file: LogFile) -> None:
        end = self._take(file, HEADER) if self._usable(file) else None
        if end is not None and end.reason:
            self._region(file.name, end.off, file.length - end.off, end.reason)

    def _usable(self, file: LogFile) -> bool:
        """Tell whether the header of a file that is not of the log is right; say it if not."""
        try:
            self.log.enter(file.number)
        except BadHeader:
            self._whole(file.name, "bad-header")
            return False
        return True

    def _whole(self, name: str, reason: str) -> None:
        self._region(name, 0, len(self._files[name]), reason)
        self._invalid.add(name)

    # The walk.

    def _walk(self, start: Instant) -> LogEnd:
        """Take in the log from `start` on; return where it ends. Raises BadHeader."""
        number, at = start
        while True:
            file = self._logs[number]
            end = self._take(file, at, counts=True)
            assert end is not None
            after = self.log.after(file, end)
            if isinstance(after, LogEnd):
                return after
            number, at = after.number, HEADER

    def _take(
        self, file: LogFile, start: int, *, stop: int | None = None, counts: bool = False
    ) -> End | None:
        """Tell what stands in a file from `start` on (up to `stop`); `counts`: it is of the log."""
        reader, log = self._reader, self.log

        def again(kind: type[Any]) -> Iterator[Any]:
            for item in reader.pieces(file, log.scan(file), start):
                if stop is not None and isinstance(item, Told) and item.stored.end > stop:
                    return
                if isinstance(item, kind):
                    yield item.record if isinstance(item, Told) else item

        self._records.begin(file.name, partial(again, Told))
        self._notes.begin(file.name, partial(again, Note))
        off, covered = start, self._vouched(file, start) if counts else start
        try:
            for item in reader.pieces(file, log.scan(file), start):
                if isinstance(item, Note):
                    self._notes.add(item)
                    continue
                off = item.off if isinstance(item, End) else item.stored.end
                if isinstance(item, End):
                    return item
                if stop is not None and item.stored.end > stop:
                    # A record reaches into the one where the log is said to begin: that is none then.
                    self._region(file.name, item.stored.off, stop - item.stored.off, "truncated")
                    return None
                self._records.add(item.record)
                covered = self._covered(file, item, covered) if counts else 0
                if counts:
                    self._count(file, item)
        except BadLog as error:
            # Its wrapper is sound, or the log would end here.
            length = int.from_bytes(bytes(file.data[off : off + 4]), "big") + codec.OVERHEAD
            raise _Refusal("record", "bad-body", str(error), At(file.name, off, length)) from None
        return None

    def _vouched(self, file: LogFile, start: int) -> int:
        """Return up to where the checksum records before `start` vouch for what follows it."""
        out = start
        for item in self.log.scan(file).walk() if self._summed and start > HEADER else ():
            if isinstance(item, End) or item.off >= start:
                break
            out = max(out, item.end + (item.covers or 0))
        return out

    def _covered(self, file: LogFile, item: Told, covered: int) -> int:
        """Look for the first record that no checksum covers; return up to where the last one does."""
        stored = item.stored
        if stored.covers is not None:
            self.last_sum = (file.number, stored)
            return max(covered, stored.end + stored.covers)
        if stored.end > covered and item.body is not None:
            self._unverified = self._unverified or Note("unverified", file.name, stored.off)
        return covered

    def _count(self, file: LogFile, item: Told) -> None:
        if item.body is None:
            self._bodies.append((file, item.stored.off))
            return
        instant = Instant(file.number, item.stored.off)
        at = item.record.at
        try:
            self.store.take(instant, item.body, item.stored.body[slice(*item.body.data)], self.redo_from)
        except StateError as error:
            if self._policy:
                raise _Refusal(error.phase, error.code, str(error), at) from None
        except BadLog as error:
            raise _Refusal("record", "bad-body", str(error), at) from None

    # What lies behind.

    def _behind(self, last: LogEnd) -> None:
        """Tell how the log ends, and what the files behind it are (DRB-END)."""
        self.last = last
        if self._unverified is not None and self._summed:
            self._late.append(self._unverified)
        file, end = last.file, last.end
        if last.note and last.next is not None:
            self._late.append(Note(last.note, last.next.name))
        beyond = self.log.beyond(last)
        if beyond is not None and self._policy == "strict":
            at = At(file.name, end.off, file.length - end.off)
            raise _Refusal("record", "lost-middle", f"{beyond.name} goes on behind the end of the log", at)
        if beyond is not None:
            self._late.append(Note("lost-middle", beyond.name))
        if end.reason:
            # Where the log begins behind its file, nothing of that is there to be dropped.
            self._short = True
            self._region(file.name, end.off, file.length - end.off, end.reason)
        elif end.marked and (stretch := garbage(file.data, end.off + 4)):
            self._late.append(Note("beyond-end", file.name, stretch[0]))
            self._region(file.name, stretch[0], stretch[1] - stretch[0], "beyond-end")
        for number, later in self._logs.items():
            if number <= file.number:
                continue
            if last.note == "unlinked-file" and later is last.next:
                self._whole(later.name, "unlinked")
            elif later.length >= HEADER:
                self._later(later)

    def _later(self, file: LogFile) -> None:
        if not self._usable(file) or self._policy:
            return
        reader, scan = self._reader, partial(self.log.scan, file)

        def again() -> Iterator[Record]:
            with suppress(BadLog):
                for item in reader.pieces(file, scan(), HEADER):
                    if isinstance(item, Told):
                        yield item.record

        self._beside.begin(file.name, again)
        for record in again():
            self._beside.add(record)

    def _region(self, name: str, off: int, length: int, reason: str) -> None:
        if length > 0:
            region = Dropped(name, off, length, reason)
            self._dropped.begin(name, lambda: (region,))
            self._dropped.add(region)

    def _names(self) -> None:
        for name in sorted(self._files):
            if number_of(name) is None and name not in CONTROLS and _LIKE.fullmatch(name):
                self._late.append(Note("ignored-name", name))
        gaps = [
            f"{one + 1}" if two == one + 2 else f"{one + 1} to {two - 1}"
            for one, two in pairwise(self._logs)
            if two > one + 1
        ]
        if gaps:
            self._late.append(Note("file-gap", text=", ".join(gaps)))

    # The answer.

    def observation(self) -> Observation:
        """Return the answer."""
        if self.answer is not None:
            return self.answer
        try:
            state = self._state()
        except BadLog as error:
            return refused("record", "bad-body", str(error))
        dropped = self._dropped.done()
        lost = any(note.code in _LOSSES for note in self._late)
        return Observation(
            RECOVERED if len(dropped) or lost or self._short else CLEAN,
            records=self._records.done(),
            dropped=dropped,
            state=state,
            files=tuple(self._maps()),
            notes=joined(note_place, self._notes.done(), self._late),
            unanchored=self._beside.done(),
        )

    def _state(self) -> dict[str, Any]:
        if self._edition == SEED:
            places = self._bodies

            def bodies() -> Iterator[bytes]:
                for file, off in places:
                    found = self.log.scan(file).at(off)
                    if isinstance(found, LoggedRecord):
                        yield found.body

            return {"bodies": few(bodies, len(places), len)}
        if self._opaque:
            return {}
        store = self.store
        losers = store.losers()
        for number in losers:
            store.roll_back(number)
        if losers and self._policy:
            self._late.append(Note("rolled-back", text=", ".join(map(str, sorted(losers)))))
        in_doubt = [self._branch(number) for number in store.branches()]
        if not store.tables:
            return {"in_doubt": in_doubt}
        rows = (found for place in store.places() if (found := store.row(place)))
        return {"rows": _shown(rows), "in_doubt": in_doubt}

    def _branch(self, number: int) -> dict[str, Any]:
        """Roll a prepared transaction back; return what it had done (DRB-RCV-113)."""
        store = self.store
        touched = store.touched(number)
        told = dict(
            zip(("format_id", "gtrid", "bqual"), branch_key(store.transactions[number].branch), strict=True)
        )
        before = [found for place in touched if (found := store.row(place))]
        store.roll_back(number)
        after = [found for place in touched if (found := store.row(place))]
        if not store.tables:
            return told
        return told | {
            "inserted": _shown((Counter(before) - Counter(after)).elements()),
            "deleted": _shown((Counter(after) - Counter(before)).elements()),
        }

    def _maps(self) -> Iterator[FileMap]:
        for name, role in zip(CONTROLS, ("control", "mirror"), strict=True):
            if name in self._files and (self._edition != SEED or role == "control"):
                yield self._map(name, role, "control")
        last = self.last.file.number if self.last else 0
        for number, file in self._logs.items():
            role = "old" if number < self.start.number else "log" if number <= last else "later"
            yield self._map(file.name, role, "header")

    def _map(self, name: str, role: str, begins: str) -> FileMap:
        """Return what a file is, and what the structure says that it begins with, if that is whole."""
        data, told = self._files[name], {}
        start = bytes(data[: codec.CONTROL + 1])
        if len(data) >= HEADER if begins == "header" else self._sound(start):
            told = dict(_begins(begins, self._edition, start[: HEADER if begins == "header" else None]))
        if "major" in told:
            told["checkpoint"] = Instant.unpack(told["checkpoint"]).packed
        return FileMap(name, len(data), "invalid" if name in self._invalid else role, told)

    def _sound(self, control: bytes) -> bool:
        if self._edition == SEED:
            return len(control) == codec.CONTROL
        with suppress(BadLog):
            return bool(codec.control(control))
        return False


@lru_cache(1 << 8)
def _begins(name: str, edition: str, start: bytes) -> tuple[tuple[str, Any], ...]:
    """Return the fields that a map of files tells of a sound header or control file."""
    found = LAYOUT.read(name, edition, start)
    return tuple((each, found[each]) for each in _TOLD if each in found)


def containers(files: Files) -> dict[int, Container]:
    """Return the containers that stand beside a log, by number."""
    found = {name: match for name in sorted(files) if (match := _CONTAINER.fullmatch(name))}
    return {int(match[1], 16): Container(files[name]) for name, match in found.items()}


def _found(logs: Mapping[int, LogFile], log: Log, edition: str, instant: Instant) -> tuple[Body, bytes]:
    """Return the record at an instant, and its data; raises BadLog if there is none."""
    file = logs.get(instant.number)
    found = log.scan(file).at(instant.position) if file and instant.position >= HEADER else None
    if not isinstance(found, LoggedRecord):
        raise BadLog(f"there is no record {instant.packed:#x}")
    body = body_of(found.body, edition)
    return body, found.body[slice(*body.data)]


def _is_cipher(body: bytes) -> bool:
    """Tell whether the body of a log's first record is encrypted (DRB-REC-112)."""
    return body[:2] != _BODY_START and len(body) % _CIPHER_BLOCK == 0


def garbage(data: Any, start: int) -> tuple[int, int] | None:
    """Return where the first byte that is no zero stands from `start` on, and where the last one ends."""
    window, at, limit = Window(data), start, len(data)
    first = end = -1
    while (at := window.next_data(at)) < limit:
        stop = min(at + (1 << 20), limit)
        part = bytes(window.reach(at, stop)[at:stop])
        if kept := part.rstrip(b"\0"):
            first = first if first >= 0 else at + len(part) - len(part.lstrip(b"\0"))
            end = at + len(kept)
        at = stop
    return None if first < 0 else (first, end)


def _shown(rows: Iterable[tuple[str, str, str]]) -> list[dict[str, str]]:
    """Return rows as an observation has them, in order."""
    return [dict(zip(("table", "key", "value"), row, strict=True)) for row in sorted(rows)]
