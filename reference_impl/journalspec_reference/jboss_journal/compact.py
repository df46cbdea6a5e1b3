"""Compaction: what lives is copied, and one control file decides which set of files counts (JBM-CMP)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from journalspec import mutf8
from journalspec_reference.api import WriterRefused
from journalspec_reference.jboss_journal.codec import INT, JournalRecord, encode_record
from journalspec_reference.jboss_journal.dialect import Dialect
from journalspec_reference.jboss_journal.digest import direct
from journalspec_reference.jboss_journal.fileset import CONTROL
from journalspec_reference.jboss_journal.ledger import Ledger, Pending, Usage

if TYPE_CHECKING:
    from journalspec_reference.jboss_journal.write import JournalWriter

MAX_COMPACT_COUNT = 127
CONTROL_ID = 1


def run(writer: JournalWriter) -> None:
    """Copy the live records of all full files into new ones and let these take their place.

    Until the control file is durable the old files count, from then on the new
    ones; recovery needs nothing else. Records come out in the order of delivery,
    those of finished transactions as plain ones; rejected transactions do not
    come out at all (JBM-CMP). Raises ValueError in editions without compaction, and
    WriterRefused if what lives needs more files than it came from; then the current
    file has been left, and nothing else has been done.
    """
    if not writer.dialect.control_file:
        raise ValueError(f"edition {writer.dialect.name} has no compaction")
    writer.roll()
    old = list(writer.data_files)
    if not old:
        return
    output = _Output(writer, old[0].file_id)
    for _, record in writer.ledger.live.values():
        output.add(_older(record, writer.dialect))
    for pending in writer.ledger.pending.values():
        for _, record in pending.records:
            output.add(record)
        if pending.prepare is not None:
            output.add(pending.prepare)
    output.write()
    _switch(writer, old, output)


def _older(record: JournalRecord, dialect: Dialect) -> JournalRecord:
    plain = dialect.kinds[dialect.codes["UPDATE" if record.kind.name.startswith("UPDATE") else "ADD"]]
    return record._replace(kind=plain, tx=0, compact_count=min(record.compact_count + 1, MAX_COMPACT_COUNT))


class _Output:
    """The new files: records are packed into as few as possible, ids follow the first old one's."""

    def __init__(self, writer: JournalWriter, first_id: int) -> None:
        self._writer = writer
        self._file = Usage(first_id, "")
        self._data = bytearray()
        self._full: list[tuple[Usage, bytes]] = []
        self.files: list[Usage] = []
        self.ledger = Ledger()

    def add(self, record: JournalRecord) -> None:
        """Put one record into the current output file, or the next."""
        writer = self._writer
        data = self._encode(record)
        if len(self._data) + len(data) > writer.file_size - writer.first_offset:
            self._next()
            data = self._encode(record)
        self._data += data.ljust(writer.aligned(len(data)), b"\0")
        if record.kind.ends:
            self.ledger.prepare(self._file, record)
        elif record.kind.tx:
            self.ledger.touch(self._file, record)
        else:
            self.ledger.put(self._file, record)

    def _encode(self, record: JournalRecord) -> bytes:
        if record.kind.ends:
            pending = self.ledger.pending.get(record.tx, Pending())
            record = record._replace(tally=pending.counts().get(self._file, 0))
        dialect = self._writer.dialect
        return encode_record(record, dialect, dialect.stamp(self._file.file_id), direct)

    def _next(self) -> None:
        """Take the current output file for full; the next gets the next id."""
        if self._data:
            self._full.append((self._file, bytes(self._data)))
            self._file, self._data = Usage(self._file.file_id + 1, ""), bytearray()

    def write(self) -> None:
        """Write all output files, durable, under their .cmp names; raises WriterRefused before the first."""
        self._next()
        writer = self._writer
        assert writer.current is not None  # the writer is open
        if any(usage.file_id >= writer.current.file_id for usage, _ in self._full):
            raise WriterRefused("does-not-fit", "the live records need more files than they came from")
        for usage, data in self._full:
            usage.name = writer.create_file(writer.next_id(), ".cmp", header_id=usage.file_id)
            if writer.order.whole_output:
                whole = (writer.header(usage.file_id) + data).ljust(writer.file_size, b"\0")
                writer.storage.write(usage.name, 0, whole)
            else:
                writer.storage.write(usage.name, writer.first_offset, data)
            writer.storage.sync(usage.name)
            self.files.append(usage)


def _switch(writer: JournalWriter, old: list[Usage], output: _Output) -> None:
    """Make the new files the journal's, in the order that a crash at any point survives."""
    storage = writer.storage
    _write_control(writer, [usage.name for usage in old], [usage.name for usage in output.files])
    for usage in old:
        storage.unlink(usage.name)
    for usage in output.files:
        final = usage.name.removesuffix(".cmp")
        storage.rename(usage.name, final)
        usage.name = final
    writer.names_changed()
    # Only when the control file is gone may a name that it lists be used again.
    storage.unlink(CONTROL)
    writer.names_changed()
    writer.data_files, writer.ledger = output.files, output.ledger


def _write_control(writer: JournalWriter, old: list[str], new: list[str]) -> None:
    dialect, storage = writer.dialect, writer.storage
    body = b"".join(_name_list(names) for names in (old, new, []))
    record = JournalRecord(0, 0, dialect.kinds[dialect.codes["ADD"]], id=CONTROL_ID, body=body)
    temporary = CONTROL + ".tmp" if writer.order.staged_control else CONTROL
    storage.create(temporary)
    writer.stamp(temporary, dialect.control_id)
    data = encode_record(record, dialect, dialect.stamp(dialect.control_id), direct)
    storage.write(temporary, writer.first_offset, data)
    storage.sync(temporary)
    if writer.order.staged_control:
        storage.rename(temporary, CONTROL)
    writer.names_changed()


def _name_list(names: list[str]) -> bytes:
    parts = [INT.pack(len(names))]
    for name in names:
        text = mutf8.encode(name)
        parts += [struct.pack(">H", len(text)), text]
    return b"".join(parts)
