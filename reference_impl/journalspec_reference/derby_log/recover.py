"""Reads a log and recovers its state. No function here changes a file."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial
from typing import Any

from journalspec.derby_log.operations import databases, tables
from journalspec.formats import get_format
from journalspec.observation import (
    CLEAN,
    RECOVERED,
    At,
    FileMap,
    Missing,
    Note,
    Observation,
    Record,
    note_place,
    refused,
)
from journalspec.reread import joined, mapped
from journalspec_reference.api import Files, Params
from journalspec_reference.batches import (
    STRETCH,
    Batch,
    Found,
    ReadingRefused,
    Stretch,
    late_columns,
    lost,
)
from journalspec_reference.derby_log import codec
from journalspec_reference.derby_log.bodies import BODY_START, Body, Forms, decode, known, records_of
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, HEADER, BadLog, Instant, Refusal
from journalspec_reference.derby_log.evidence import CATALOGUE, Evidence, Explained, held, older
from journalspec_reference.derby_log.fileset import (
    CONTROLS,
    FORMAT,
    HOME,
    Linked,
    Log,
    LogEnd,
    LogFile,
    body_at,
    choose,
    file_of,
    gather,
    header_of,
    last_checkpoint,
    linked,
    number_of,
    surroundings,
)
from journalspec_reference.derby_log.scan import (
    UNLINKED,
    UNSUMMED,
    End,
    Groups,
    garbage,
    groups_after,
    record_at,
)
from journalspec_reference.derby_log.store import Bodies, Container, OldPage, RowPlace, Store, examined

SEED = "seed"
_CIPHER_BLOCK = 8
_BETA, _TEST_MODE = 1, 2
#: The length of the control files of an old release.
_OLD_CONTROL = 16
_UNBORN = "DRB-DEV-006, DRB-DEV-007: Derby does not start (XSLAM, or XSLA3 from 16 bytes on)"
#: The product's reaction if a log file is missing. There are three cases: the file with the checkpoint, the
#: file with the undo start, or a later file.
_NEW_LOG = (
    "Derby 10.1 to 10.16 begins a new log and boots: rows that only the log has are lost, rows of"
    " transactions without an end stay, and none is in doubt (DRB-DEV-004)"
)
_NO_UNDO = "Derby 10.1 to 10.16 does not boot (NullPointerException)"
_ENDS_BEFORE = "Derby 10.1 to 10.16 boots as if the log ended before it, without a message (DRB-DEV-018)"
_UNCHOSEN = choose({})
_ROLES = dict(zip(CONTROLS, ("control", "mirror"), strict=True))
#: The columns of the records, by edition.
_columns = cache(partial(late_columns, __package__))
#: The number of bytes that are read at a time if only rows are needed. NumPy takes less time for many records
#: at once.
_ROWS_STRETCH = 2 * STRETCH
#: Notes that make a verdict `recovered`.
_LOSSES = {code for code, word in get_format(FORMAT).vocabulary.notes.items() if word.loss}


class LogPass:
    """One pass over a log; `policy` is that of recovery, or empty for reading.

    `suite` means that the log belongs to the test suite's database, whose rows are reported. Without
    `replay`, records are read but not redone, and there are no notes on records.
    """

    chosen = _UNCHOSEN
    #: The operations with which bodies are decoded, or None if the bodies are opaque.
    _forms: Forms | None = None
    #: The checkpoint record to which the control file points. Without a control file, it is the last
    #: checkpoint record of the log.
    _named: Instant | None = None
    #: The checkpoint record from which recovery begins, if there is one.
    checkpoint: Instant | None = None
    start = redo_from = Instant(0, 0)
    last: LogEnd | None = None
    #: The last checksum record of the log: number of its file, begin, end, and covered range.
    last_sum: tuple[int, int, int, int] | None = None
    #: Two values: the start of the batch with the redo point, and a copy of the store before that batch.
    resume: tuple[Instant, Store] | None = None
    #: The first record that no checksum covers.
    _unverified: Note | None = None
    #: The first reason why recovery refuses a readable log. It is raised after the scan.
    _unfit: Refusal | None = None
    #: The reaction of the product to missing log files.
    _does = _ENDS_BEFORE
    #: The versions of pages that the log explains.
    _explained: Explained | None = None
    #: The records of files after the log.
    _unanchored: Sequence[Record] = ()

    def __init__(
        self, files: Files, edition: str, policy: str, *, suite: bool = True, replay: bool = True
    ) -> None:
        self._files, self._edition, self._policy = files, edition, policy
        self._suite, self._replay = suite, replay
        names = surroundings(tuple(files))
        self._logs = gather(files)
        self.log = Log(self._logs, summed=edition not in UNSUMMED, linked=edition not in UNLINKED)
        self._names, self.found = names, Found()
        #: Maps the number of each file of the log to the end of its records.
        self.ends: dict[int, int] = {}
        #: The number of records by operation, and the number of page changes by container.
        self._types: dict[int, int] = defaultdict(int)
        self._containers: dict[int, int] = defaultdict(int)
        self._late: list[Note] = []
        self._invalid: set[str] = set()
        self._missing: list[Missing] = []
        #: Four facts: whether the log is in a database; whether all containers should be next to it; a map
        #: from each missing container to the first record that changes it; and the containers that the log
        #: creates or removes or that have a stub.
        self._beside, self._home = names.containers, names.at_home
        self._complete = self._home or self._beside.keys() >= CATALOGUE
        self._absent: dict[int, Instant] = {}
        self._own = {*names.stubs}

    @cached_property
    def store(self) -> Store:
        """The state after redo. It does not exist for an opaque log."""
        containers = {number: Container(name, self._files[name]) for number, name in self._beside.items()}
        # A bound method would create a reference cycle. Then a process that reads many logs would keep all of
        # them in memory.
        find = partial(body_at, self.log, self._edition)
        return Store(tables(self._edition) if self._suite else {}, containers, find)

    def batches(self) -> Iterator[tuple[int, Batch, Bodies | None]]:
        """Read the log without counting its records. Yield (file number, batch, bodies). Raises Refusal."""
        for stretch in self.steps():
            for batch in stretch.scan():
                bodies = batch.more.get("bodies")
                self.take(batch)
                yield number_of(stretch.file) or 0, batch, bodies

    def steps(self) -> Iterator[Stretch]:
        """Yield the reported items, records or damage, in order. Raises Refusal.

        The next item depends on the batches of the current item. Therefore the caller must first :meth:`take`
        these batches.
        """
        if not self._logs and not any(name in self._files for name in self._roles()):
            raise Refusal("fileset", "no-files", "there is neither a control file nor a log file")
        start = self._entered(*self._start())
        self._late += self._names.notes
        if self._edition != SEED:
            self._forms = self._readable(self._logs[start.number])
            if self._forms is None:
                start = Instant(start.number, HEADER)
            elif self._named == start:
                start, by = self._from_checkpoint(start)
                start = self._entered(start, by)
        self.start = start
        if not self._policy:
            yield from self._before(start)
        if self._beside and self._forms is not None and self._replay:
            # Read the files before the log. If the log begins inside its first file, read this file, too.
            # Otherwise the loop below reads it.
            self._explained = Explained(self.store)
            begins = start.number + (start.position != HEADER)
            self._explained.walk(self.log, self._forms, (each for each in self._logs if each < begins))
        number, at = start
        while True:
            file = self._logs[number]
            yield self._begin(file, at, counts=True)
            end = self._end_of(file)
            self.ends[number] = end.off
            after = self.log.after(file, end)
            if isinstance(after, LogEnd):
                break
            number, at = after.number, HEADER
        self.last = after
        others = [each for each in self._logs.values() if each.number > number]
        later = linked(others)
        yield from self._behind(after, later, self.log.beyond(Instant(number, end.off), later))
        yield from self._later(after, others)
        if self._unfit is not None and self._policy:
            raise self._unfit
        if self._edition != SEED:
            for name in self.chosen.invalid:  # Control files come after log files.
                yield from self._whole(name, "bad-control")

    # Where the log begins.

    def _start(self) -> tuple[Instant, At | None]:
        """Return the start of the log and its position, from the control file or the first file. Raises
        Refusal (DRB-CTL).
        """
        if self._edition == SEED:
            return Instant(min(self._logs, default=1), HEADER), None
        self.chosen = choose(self._files)
        gone = (name for name in CONTROLS if name not in self._files)
        self._missing += [Missing("control-file", name) for name in gone]
        control = self.chosen.control
        self._named = control.checkpoint if control else None
        if control is None:
            self._late.append(Note("no-control"))
            if self._policy and 1 not in self._logs:
                self._named = last_checkpoint(self.log, self._edition)
            return self._named or Instant(1, HEADER), None
        if self.chosen.name != CONTROLS[0]:
            self._late.append(Note("mirror-used", self.chosen.name, text=self._boots_without()))
        if control.flags & _TEST_MODE:
            self._late.append(Note("test-mode", self.chosen.name))
        level = (control.major, control.minor)
        if level > databases()[self._edition].newest or control.flags & _BETA:
            text = f"the database is of level {level[0]}.{level[1]}"
            self._unfit = Refusal("header", "newer-level", text, At(self.chosen.name, 16, 8))
            if self._policy:
                raise self._unfit
        return control.checkpoint or Instant(1, HEADER), At(self.chosen.name, 8, 8)

    def _boots_without(self) -> str:
        """Return the reaction of the product to the state of `log.ctrl`."""
        data = bytes(self._files[CONTROLS[0]][: codec.CONTROL]) if CONTROLS[0] in self._files else None
        if data is None:
            return "DRB-DEV-003: Derby does not read the mirror; it begins at log1.dat, or with a new log"
        if data == bytes(codec.CONTROL):
            return "DRB-DEV-001: Derby does not start (XSLAC)"
        return "DRB-DEV-002: Derby does not start" if len(data) == _OLD_CONTROL else "Derby uses it, too"

    def _entered(self, start: Instant, by: At | None = None) -> Instant:
        """Check the file in which the scan starts; `by` is the file that refers to it (DRB-RCV-061,
        DRB-HDR-162).
        """
        if start.number not in self._logs:
            name = f"log{start.number}.dat"
            part, self._does = ("undo", _NO_UNDO) if self.checkpoint else ("the log", _NEW_LOG)
            self._unfit = Refusal("fileset", "missing-file", f"{name} is missing, and {part} begins there")
            if self._policy or not self._logs:
                raise self._unfit
            if by is not None:
                self._missing.append(Missing("log-file", name, by.file, by.off, text=self._does))
            start = Instant(min(self._logs), HEADER)
        self.log.enter(start.number)
        return start

    def _readable(self, file: LogFile) -> Forms | None:
        """Return the operations with which bodies are decoded. Return None if the log is encrypted
        (DRB-REC-112, DRB-REC-179).
        """
        head = file.source.peek(HEADER + BEFORE, HEADER + BEFORE + len(BODY_START))
        first = None
        if head != BODY_START:
            first = record_at(file.source, file.number, HEADER, summed=self.log.summed)
        if first is not None and first[:2] != BODY_START and len(first) % _CIPHER_BLOCK == 0:
            self._late.append(Note("encrypted", file.name))
            self.log.summed = False
            return None
        return known(self._edition)

    def _from_checkpoint(self, at: Instant) -> tuple[Instant, At | None]:
        """Return the start of the scan according to the checkpoint record at `at`, and the position of that
        record (DRB-RCV-060).

        If the record is not a usable checkpoint, the scan starts at the beginning of its file (DRB-RCV-181).
        """
        file, body = self._logs[at.number], None
        with suppress(BadLog):
            body = body_at(self.log, self._edition, at)
        if body is not None and body.operation.name == "CHECKPOINT":
            undo = Instant.unpack(body.fields["undo_from"])
            begins = self._logs.get(undo.number)
            if undo.position >= HEADER and (begins is None or undo.position <= begins.length):
                self.redo_from = Instant.unpack(body.fields["redo_from"])
                self.checkpoint = at
                return undo, At(file.name, at.position, 0)
        if self._policy == "strict":
            text = f"no usable checkpoint is at {at.position} of {file.name}"
            by = At(self.chosen.name, 8, 8) if self.chosen.name else _framed(file, at.position)
            raise Refusal("record", "no-checkpoint", text, by)
        self._late.append(Note("no-checkpoint", file.name, at.position))
        return Instant(at.number, HEADER), None

    def _before(self, start: Instant) -> Iterator[Stretch]:
        """Read the files before the log, and the part of the log's first file before its start."""
        for number, file in self._logs.items():
            if number >= start.number or file.length < HEADER:
                continue
            if not linked([file]):
                yield from self._whole(file.name, "bad-header")
            else:
                yield self._begin(file, HEADER)
                if self.end.reason and self.log.summed:
                    self._note_groups(file, groups_after(file.source, number, self.end.off))
        yield self._begin(self._logs[start.number], HEADER, start.position)

    def _whole(self, name: str, reason: str) -> Iterator[Stretch]:
        self._invalid.add(name)
        if size := len(self._files[name]):
            yield lost(name, 0, size, reason)

    def _note_groups(self, file: LogFile, groups: Groups | None) -> None:
        """Add a note on the intact groups that follow the end of the log in its file (DRB-END-165)."""
        if groups:
            text = f"{groups.number} sound group(s); DRB-DEV-018: Derby silently starts without them"
            self._late.append(Note("groups-after", file.name, groups.first, text))

    def _begin(self, file: LogFile, start: int, stop: int | None = None, *, counts: bool = False) -> Stretch:
        """Begin a file, and return its records from `start` on (up to `stop`).

        With `counts`, the file belongs to the log.
        """
        #: Four values about the current file: the file itself, if it belongs to the log; the end of the bytes
        #: that its checksums cover; the end of its records so far; the fault of a body at that end.
        self._counted = file if counts else None
        self._covered, self.end, self._problem = start, End(start), ""
        covers = counts and self._replay and self.log.summed and start > HEADER
        # Checksum records before the start can cover records after it.
        for batch in self.log.scan(file, HEADER, start) if covers else ():
            for row, size in batch.more["sums"]:
                self._covered = max(self._covered, batch.base + batch.end[row] + size)
        scanned = partial(examined, self.log, file, start, self._forms, stop, noted=self._replay)
        records = partial(records_of, file.number, file.name, self._forms)
        # All editions that have an operation decode it in the same way.
        known = self._forms is not None
        columns = _columns(self._edition)
        return Stretch(file.name, scanned, records, columns, alike=lambda _: known, outcome=[])

    def _end_of(self, file: LogFile) -> End:
        """Return the end of the records of the file that was read last. Raises Refusal."""
        if self._problem:
            # The record's wrapper is valid. If it were not, the log would end here without an error.
            raise Refusal("record", "bad-body", self._problem, _framed(file, self.end.off))
        return self.end

    def take(self, batch: Batch) -> None:  # noqa: C901, PLR0912  # one pass over the rows
        """Take the next batch of the item that :meth:`steps` has yielded."""
        if "sums" not in batch.more:
            return  # An item without records is a region.
        file = self._counted
        self.end, self._problem = batch.more.get("end", self.end), batch.more.get("problem", "")
        if not self._replay or (bodies := batch.more.pop("bodies", None)) is None:
            return
        bodies.tally(self._types, self._containers)
        if file is None:
            return
        self._check(file, batch)
        # Redo the records. Simple records are redone directly, all others from their decoded bodies.
        number, base, store, redo_from = file.number, batch.base, self.store, self.redo_from.packed
        begin = Instant(number, base)
        if self.start < begin <= self.redo_from and batch.end and begin.packed + batch.end[-1] > redo_from:
            self.resume = begin, store.without_pages()
        if self._explained is not None and (number > self.start.number or self.start.position == HEADER):
            self._explained.take(bodies)
        rows: Iterable[int] = range(len(batch))
        if (columns := bodies.filled()) is not None:
            # Changes of reported tables and of absent containers are redone from decoded bodies.
            closely = {*store.tables}
            if self._complete:
                closely |= columns.containers() - self._beside.keys()
                # In a database, a container created before the redo point must exist on disk, because the
                # checkpoint included its fsync.
                if not self._home or number << 32 | base + batch.end[-1] > redo_from:
                    self._own |= bodies.made()
            rows = bodies.replay(store, closely, number << 32 | base, len(batch), redo_from)
        for row in rows:
            off = batch.off[row]
            body = bodies.decoded.get(row)
            if body is None:
                body = decode(batch.data[off + BEFORE : batch.end[row] - BEHIND], self._forms)
            if self._complete:
                self._changed(Instant(number, base + off), body)
            if self._unfit is not None and self._policy:
                continue
            try:
                store.take(number << 32 | base + off, body, redo_from)
            except (Refusal, BadLog) as error:
                self._misfit(error, file, base + off)

    def _check(self, file: LogFile, batch: Batch) -> None:
        """Note the first record that no checksum covers."""
        base, off, end, low = batch.base, batch.off, batch.end, 0
        sums = batch.more["sums"]
        for row, size in (*sums, (len(batch), None)):
            if low < row and base + end[row - 1] > self._covered:
                first = bisect_right(end, self._covered - base, low, row)
                self._unverified = self._unverified or Note("unverified", file.name, base + off[first])
            if size is not None:
                self._covered, low = max(self._covered, base + end[row] + size), row + 1
        for row, size in sums[-1:]:
            self.last_sum = (file.number, base + off[row], base + end[row], size)

    def _misfit(self, error: Refusal | BadLog, file: LogFile, off: int) -> None:
        """Remember the first record that cannot be redone. Because of it, recovery refuses the log after
        reading it.
        """
        if isinstance(
            error, BadLog
        ):  # Only the data of a row is invalid. This concerns only readers of rows.
            error = Refusal("record", "bad-body", str(error))
        elif isinstance(error, OldPage):
            text, has = older(self.store, error.place, error.needed), ""
            if self._policy:
                assert self._forms is not None
                version = self.store.pages[error.place].version
                has = held(self.log, self._forms, error.place, version, error.needed)
            elif error.place[0] in self._beside and not any(note.code == "old-page" for note in self._late):
                self._late.append(Note("old-page", file.name, off, text))
            text = "; ".join(filter(None, (text, "Derby does not start (XSDB4)", has)))
            error = Refusal(error.phase, error.code, text)
        error.at = _framed(file, off)
        self._unfit = self._unfit or error

    def _changed(self, instant: Instant, body: Body) -> None:
        """Remember a container that a record creates or removes, or a missing container that a record
        changes.
        """
        container, name = body.fields.get("container"), body.operation.name
        if container is None:
            return
        late = instant >= self.redo_from
        if name in ("CONTAINER", "CONTAINER_UNDO") and (late or not self._home):
            self._own.add(container)
        elif "page" in body.fields and late and container not in self._beside:
            self._absent.setdefault(container, instant)

    # After the end of the log.

    def _behind(self, last: LogEnd, later: Linked, goes_on: LogFile | None) -> Iterator[Stretch]:
        """Find out how the log ends. Yield the bytes after its end in its last file (DRB-END).

        `later` are the files after the end with correct headers; the log went on in `goes_on`.
        """
        if self._unverified is not None and self.log.summed:
            self._late.append(self._unverified)
        file, end = last.file, last.end
        if last.note and last.next is not None:
            text = _UNBORN if last.note == "half-file" else ""
            self._late.append(Note(last.note, last.next.name, text=text))
        beyond = goes_on
        if beyond is None and self.checkpoint and Instant(file.number, end.off) <= self.checkpoint:
            beyond = self._logs[self.checkpoint.number]
        left = garbage(file.source, end.off + 4) if end.marked else None
        groups = None
        if (left or end.reason) and self.log.summed:
            groups = groups_after(file.source, file.number, end.off)
            self._note_groups(file, groups)
        if self._policy == "strict" and (beyond or groups):
            # The log can begin after the end of its file.
            off = min(end.off, file.length)
            shows = (
                f"{groups.number} sound group(s) follow" if groups else f"{beyond and beyond.name} continues"
            )
            at = At(file.name, off, file.length - off)
            raise Refusal("record", "lost-middle", f"{shows} after the end of the log", at)
        if beyond is not None:
            self._late.append(Note("lost-middle", beyond.name))
        self._missing_files(last, later, goes_on)
        if self._explained is not None and self._forms is not None:
            after = (number for number in self._logs if number > file.number)
            self._explained.walk(self.log, self._forms, after)
            self._late += self._explained.newer()
        if self._home and self._forms is not None and self._replay:
            found = Evidence(self._files, self._beside, self.store, self._own | self._absent.keys())
            self._late += found.damaged(plain=bool(self._types))
            self._missing += found.missing()
        if left is not None and not end.reason:
            self._late.append(Note("beyond-end", file.name, left[0]))
            yield lost(file.name, *left, "beyond-end")

    def _later(self, last: LogEnd, after: Sequence[LogFile]) -> Iterator[Stretch]:
        """Read the files after the log."""
        if not after:
            return
        beside = Found()
        for later in after:
            if last.note == "unlinked-file" and later is last.next:
                yield from self._whole(later.name, "unlinked")
            elif later.length >= HEADER and not linked([later]):
                yield from self._whole(later.name, "bad-header")
            elif later.length >= HEADER and not self._policy and self._replay:
                for batch in beside.begin(self._begin(later, HEADER)):
                    beside.take(batch)
                    batch.more.pop("bodies", None)
        self._unanchored = beside.records()

    def _missing_files(self, last: LogEnd, later: Linked, goes_on: LogFile | None) -> None:
        """List missing items: log files to which a checkpoint or a header refers, and containers that the log
        changes.
        """
        # In a database, a container that the log drops must be present, at least as a stub.
        own = self._names.stubs | self.store.made.keys() if self._home else self._own
        for container, instant in self._absent.items():
            if container not in own:
                log, text = self._logs[instant.number].name, "Derby does not start (40XD2)"
                self._missing.append(
                    Missing("container", file_of(container), log, instant.position, text=text)
                )
        found = Instant(last.file.number, last.end.off)
        for file, previous in later:
            if previous > found:
                if previous.number not in self._logs:
                    name = f"log{previous.number}.dat"
                    self._missing.append(Missing("log-file", name, file.name, 16, text=self._does))
                elif file.number == found.number + 1 and file is not goes_on:
                    self._late.append(Note("unfinished-switch", file.name, text=f"{previous.packed:#x}"))
        if self._edition != SEED and self.log.ended(last):
            name = f"log{last.file.number + 1}.dat"
            at = last.end.off
            self._missing.append(Missing("log-file", name, last.file.name, at, text=self._does))

    # The answer.

    def observation(self, state: dict[str, Any]) -> Observation:
        """Return the answer with the result of :meth:`undo`."""
        assert self.last is not None
        records = self.found.records(None if self._forms is None else self._types)
        if self._edition == SEED:
            state = {"bodies": mapped(_body, records)}
        lost = self.last.end.reason or any(note.code in _LOSSES for note in self._late)
        dropped = self.found.dropped()
        if self.resume is not None and self._unfit is None and self.chosen.control is not None:
            # The decoding of contents reuses this pass, because the pass does not depend on the policy. The
            # pages are no longer needed, because `state` contains the rows.
            self.store.pages.clear()
            self._explained, state = None, RedoneState(state, self)
        return Observation(
            RECOVERED if lost or len(dropped) or self._missing else CLEAN,
            records=records,
            dropped=dropped,
            state=state,
            files=tuple(self._maps()),
            notes=joined(note_place, self.found.notes(), self._late),
            unanchored=self._unanchored,
            missing=tuple(self._missing),
            tallies={self._called(number): count for number, count in self._containers.items()},
            unfit=_refused(self._unfit) if self._unfit else None,
        )

    def _called(self, container: int) -> str:
        """Return the name of a container in a summary: its number and its file."""
        return f"{container} ({self._beside.get(container, file_of(container)).removeprefix(HOME)})"

    def undo(self) -> dict[str, Any]:
        """Undo the open transactions after all batches were taken. Return the logical state. Raises Refusal.

        A prepared transaction is reported with its changes (DRB-RCV-180).
        """
        if self._forms is None:
            return {}
        store, in_doubt = self.store, list[dict[str, Any]]()
        # A row is reported only with the first branch that changed it.
        locked: set[RowPlace] = set()
        try:
            losers = store.losers()
            for number in losers:
                store.roll_back(number)
            if losers and self._policy:
                self._late.append(Note("rolled-back", text=", ".join(map(str, sorted(losers)))))
            for number in store.branches():
                touched = [place for place in store.touched(number) if place not in locked]
                locked.update(touched)
                ids = store.transactions[number].ids
                told: dict[str, Any] = dict(zip(("gtrid", "bqual", "format_id"), ids, strict=True))
                with_it = Counter(store.rows(touched))
                store.roll_back(number)
                without = Counter(store.rows(touched))
                if store.tables:
                    told["inserted"] = _shown((with_it - without).elements())
                    told["deleted"] = _shown((without - with_it).elements())
                in_doubt.append(told)
            rows = {"rows": _shown(store.rows(store.places()))} if store.tables else {}
        except BadLog as error:
            at = store.undoing
            place = _framed(self._logs[at.number], at.position) if at else None
            refusal = Refusal("record", "bad-body", str(error), place)
            if self._policy:
                raise refusal from None
            self._unfit = self._unfit or refusal
            return {}
        return {**rows, "in_doubt": in_doubt}

    def _roles(self) -> dict[str, str]:
        """Return the roles of control files. The seed document has no mirror file."""
        return {CONTROLS[0]: "control"} if self._edition == SEED else _ROLES

    def _maps(self) -> Iterator[FileMap]:
        """Yield the role of each file, with the fields of its header if the header is intact."""
        for name, role in self._roles().items():
            if name in self._files:
                data, header = self._files[name], {}
                if name in self.chosen.read:
                    header = self.chosen.read[name].told
                elif self._edition == SEED and len(data) == codec.CONTROL:
                    header = header_of("control", SEED, bytes(data[:]))
                yield FileMap(name, len(data), "invalid" if name in self._invalid else role, header)
        assert self.last is not None
        last = self.last.file.number
        for number, file in self._logs.items():
            role = "old" if number < self.start.number else "log" if number <= last else "later"
            head = bytes(file.data[:HEADER])
            header = header_of("header", self._edition, head) if len(head) == HEADER else {}
            yield FileMap(file.name, file.length, "invalid" if file.name in self._invalid else role, header)


class RedoneState(dict[str, Any]):
    """A logical state, together with the pass over the log that produced it."""

    def __init__(self, state: Mapping[str, Any], log: LogPass) -> None:
        super().__init__(state)
        self.log = log


def recover(files: Files, edition: str, policy: str, params: Params) -> Observation:
    """Return the result of recovery, or of reading if there is no policy."""
    log = LogPass(files, edition, policy, suite=params.get("tables") != "none")
    try:
        for stretch in log.steps():
            for batch in log.found.begin(stretch):
                log.found.take(batch)
                log.take(batch)
        state = log.undo()
    except Refusal as refusal:
        return _refused(refusal)
    return log.observation(state)


def plan(files: Files, edition: str, _: Params) -> Iterator[Stretch]:
    """Yield the stretches of the log that reading reports, in order. A stretch is records or damage.

    Each stretch depends on the end of the previous stretch. The outcome is where the log begins, and this
    end. The batches have no notes. Raises ReadingRefused if reading refuses.
    """
    log = LogPass(files, edition, "", suite=False, replay=False)
    log.log.stretch = _ROWS_STRETCH
    for stretch in log.steps():
        if (ends := stretch.outcome) is None:
            yield stretch
            continue
        yield stretch._replace(scan=partial(_watched, stretch, log, ends))
        if not ends:
            for batch in stretch.scan():
                log.take(batch)
            ends.append((log.start, log.end))
        start, log.end = ends[0]
        if start != log.start:
            # Derby has made a checkpoint since that scan, so the log begins elsewhere.
            raise ReadingRefused


def _watched(stretch: Stretch, log: LogPass, ends: list[Any]) -> Iterator[Batch]:
    for batch in stretch.scan():
        log.take(batch)
        yield batch
    ends.append((log.start, log.end))


def _body(record: Record) -> object:
    return record.fields["body"]


def _refused(refusal: Refusal) -> Observation:
    return refused(refusal.phase, refusal.code, str(refusal), refusal.at)


def _framed(file: LogFile, off: int) -> At:
    """Return the position of a record whose wrapper is valid."""
    return At(file.name, off, int.from_bytes(bytes(file.data[off : off + 4]), "big") + codec.OVERHEAD)


def _shown(rows: Iterable[tuple[str, str, str]]) -> list[dict[str, str]]:
    """Return rows in the form and order of an observation."""
    return [{"table": table, "key": key, "value": value} for table, key, value in sorted(rows)]
