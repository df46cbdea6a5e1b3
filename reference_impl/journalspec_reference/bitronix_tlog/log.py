"""What stands in one file: the records of its log, what the log's walk left out, and what that amounts to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from journalspec.observation import Dropped, Note, Record, note_place, record_place, region_place
from journalspec.reread import Collector, collected, joined
from journalspec_reference.bitronix_tlog.codec import DISK, Fault, Layout, LogRecord
from journalspec_reference.bitronix_tlog.observe import RecordNotes, dropped_of, header_notes, record_of
from journalspec_reference.bitronix_tlog.pair import LogFile
from journalspec_reference.bitronix_tlog.scan import search, walk
from journalspec_reference.bitronix_tlog.transactions import outcome


class Log:
    """One pass over a file from the start of its log to `limit`.

    `fault` is the first place without a valid record, None if there is none; with
    `strict` the pass ends there. `between` are the valid records within what was
    dropped, `state` is what the records of the log amount to.
    """

    def __init__(self, file: LogFile, limit: int, layout: Layout = DISK, *, strict: bool = False) -> None:
        self._file, self._limit, self._layout, self._strict = file, limit, layout, strict
        self._records = Collector(record_place)
        self._dropped = Collector(region_place)
        self._between = Collector(record_place)
        self._notes = Collector(note_place)
        self._records.begin(file.name, self._records_again)
        self._dropped.begin(file.name, self._dropped_again)
        self._between.begin(file.name, self._between_again)
        self._notes.begin(file.name, self._notes_again)
        self._timestamp = file.header.timestamp if file.header else -1
        self._boundaries: set[int] = set()
        self.fault: Fault | None = None
        self.state = outcome(self._taken(), file.name)
        self.records: Sequence[Record] = self._records.done()
        self.dropped: Sequence[Dropped] = self._dropped.done()
        self.between: Sequence[Record] = self._between.done()
        self.notes: Sequence[Note] = joined(
            note_place, tuple(header_notes(file, self._boundaries)), self._notes.done()
        )

    def _taken(self) -> Iterator[LogRecord]:
        odd = RecordNotes(self._file.name, self._layout)
        for item in self._items():
            if isinstance(item, LogRecord):
                if self._records.wants(item.off, item.end - item.off):
                    self._records.keep(record_of(item, self._file.name))
                if self._timestamp in (item.off, item.end):
                    self._boundaries.add(self._timestamp)
                for note in odd.of(item):
                    self._notes.add(note)
                yield item
                continue
            self.fault = self.fault or item
            if self._strict:
                return
            self._dropped.add(dropped_of(item, self._file.name))
            for record in finds(self._file, [(item.off, item.end)], self._layout):
                self._between.add(record)

    def _items(self) -> Iterator[LogRecord | Fault]:
        return walk(self._file.data, self._limit, self._layout)

    def _walked(self) -> Iterator[LogRecord]:
        return (item for item in self._items() if isinstance(item, LogRecord))

    def _faults(self) -> Iterator[Fault]:
        return (item for item in self._items() if isinstance(item, Fault))

    def _records_again(self) -> Iterator[Record]:
        return (record_of(item, self._file.name) for item in self._walked())

    def _dropped_again(self) -> Iterator[Dropped]:
        return (dropped_of(item, self._file.name) for item in self._faults())

    def _between_again(self) -> Iterator[Record]:
        return finds(self._file, ((item.off, item.end) for item in self._faults()), self._layout)

    def _notes_again(self) -> Iterator[Note]:
        odd = RecordNotes(self._file.name, self._layout)
        return (note for item in self._walked() for note in odd.of(item))


def finds(file: LogFile, regions: Iterable[tuple[int, int]], layout: Layout = DISK) -> Iterator[Record]:
    """Yield the valid records that stand anywhere in `regions` of a file."""
    for start, end in regions:
        for item in search(file.data, start, end, layout):
            yield record_of(item, file.name)


def behind(file: LogFile) -> Sequence[Record]:
    """Return the valid records behind the tail of a usable file."""
    return collected(record_place, [(file.name, partial(finds, file, [(file.limit, file.length)]))])


def anywhere(files: Iterable[LogFile]) -> Sequence[Record]:
    """Return the valid records in files that cannot be used."""
    return collected(record_place, ((file.name, partial(finds, file, [(0, file.length)])) for file in files))
