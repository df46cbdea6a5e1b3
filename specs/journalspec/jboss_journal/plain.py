"""What the schemas of this format hand over, and the observation that follows from it.

Both schemas (construct and Kaitai) end in these few values; what a clean
directory amounts to is concluded here, once, and independently of any reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from journalspec.jboss_journal.constants import UNFILLED_ID, Layout, layout_of
from journalspec.jboss_journal.files import Found, arrange
from journalspec.jboss_journal.replay import replay
from journalspec.jboss_journal.search import may_end, next_candidate, next_of_any_file
from journalspec.observation import CLEAN, At, FileMap, Note, Observation, Record
from journalspec.schemas import SchemaError


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a file; `version` and `user_version` are 0 where there are none."""

    file_id: int = 0
    version: int = 0
    user_version: int = 0


@dataclass(frozen=True, slots=True)
class PlainRecord:
    """One record, `size` bytes at `off`: its type by the spec's name and the fields that the type has."""

    off: int
    size: int
    type: str
    fields: Mapping[str, Any]

    @property
    def end(self) -> int:
        """The offset behind the record."""
        return self.off + self.size


class Lists(NamedTuple):
    """What a control file says: old names, new names, (from, to) renames."""

    old: list[str]
    new: list[str]
    renames: list[tuple[str, str]]


RecordAt = Callable[[int, Layout], PlainRecord]


class Codec(Protocol):
    """A schema's part: single headers, records and control lists, each or a SchemaError."""

    def header(self, name: str, data: bytes, edition: str) -> Header:
        """Return the header of a file."""

    def records(self, name: str, data: bytes) -> RecordAt:
        """Return a function from (offset, layout) to the record there."""

    def control_lists(self, body: bytes) -> Lists:
        """Return the lists in the body of a control file's record."""


@dataclass(frozen=True, slots=True)
class PlainFile:
    """One file: its header, its records in order, and (of data files) the records of earlier lives."""

    name: str
    data: bytes
    layout: Layout
    header: Header
    role: str = "data"
    records: tuple[PlainRecord, ...] = ()
    stale: tuple[PlainRecord, ...] = field(default=())


def observe(files: Mapping[str, bytes], edition: str, codec: Codec, params: Mapping[str, str]) -> Observation:
    """Return the observation of a clean directory (JBM-RDR-018); raises SchemaError at what is not."""
    found = arrange(files, edition, params, _control_of(files, edition, codec))
    whole = [_data_file(name, files[name], edition, codec, params) for name in found.data]
    whole.sort(key=lambda file: file.header.file_id)
    aside = [_other_file(name, files[name], role, edition, codec) for name, role in found.others.items()]
    # A single count is about one file, also where two have the same id.
    events = (
        (file.header.file_id if file.layout.pairs else turn, file.layout, item)
        for turn, file in enumerate(whole)
        for item in file.records
    )
    state = replay(events, {file.header.file_id for file in whole})
    return Observation(
        CLEAN,
        records=tuple(_record(item, file) for file in [*whole, *aside] for item in file.records),
        state=state,
        files=tuple(_map(file) for file in [*whole, *aside]),
        notes=(*_notes(found, whole), *_unfinished(state), *_stale_notes(whole)),
        unanchored=tuple(_record(item, _as_stamped(item, file)) for file in whole for item in file.stale),
    )


def _control_of(files: Mapping[str, bytes], edition: str, codec: Codec) -> Callable[[str], Lists | None]:
    """Return a function that reads a control file, None if it counts for nothing (JBM-CMP-004)."""

    def lists(name: str) -> Lists | None:
        layout = layout_of(edition)
        first = next(_lenient(name, files[name], layout.control_id, layout, codec), None)
        if first is None or first.type != "ADD":
            return None
        try:
            return codec.control_lists(first.fields["body"])
        except SchemaError:
            return None

    return lists


def _data_file(name: str, data: bytes, edition: str, codec: Codec, params: Mapping[str, str]) -> PlainFile:
    header = codec.header(name, data, edition)
    if header.user_version != int(params.get("user_version", "0")):
        raise SchemaError(f"user version {header.user_version}, which is not the configured one", name, 4)
    layout = layout_of(edition, header.version)
    data = _within(name, bytes(data), layout, params)
    record_at = codec.records(name, data)
    records = []
    at = layout.header_size
    while (off := next_candidate(data, at, header.file_id, layout)) is not None:
        records.append(record_at(off, layout))
        at = records[-1].end
    file = PlainFile(name, data, layout, header, records=tuple(records))
    return PlainFile(name, data, layout, header, "data", file.records, tuple(_stale(file, record_at)))


def _within(name: str, data: bytes, layout: Layout, params: Mapping[str, str]) -> bytes:
    """Return the part of a file that counts where its length is configured (JBM-FIL-009, JBM-FIL-010)."""
    wanted = int(params.get("file_size", "0"))
    if layout.versions or not layout.pairs or not wanted:
        return data
    if len(data) < wanted:
        raise SchemaError(f"{len(data)} bytes, configured are {wanted}", name, 0)
    return data[:wanted]


def _as_stamped(item: PlainRecord, file: PlainFile) -> PlainFile:
    """Return `file` as the one that `item` was written to: the file id is the record's own."""
    stamp = int.from_bytes(file.data[item.off + 1 : item.off + 5], "big", signed=not file.layout.versions)
    return replace(file, header=replace(file.header, file_id=stamp))


def _stale(file: PlainFile, record_at: RecordAt) -> Iterator[PlainRecord]:
    """Yield the records of earlier lives between those that count (JBM-RDR-019)."""
    own = file.layout.stamp(file.header.file_id).to_bytes(4, "big")
    starts = [file.layout.header_size, *(item.end for item in file.records)]
    ends = [*(item.off for item in file.records), len(file.data)]
    for start, end in zip(starts, ends, strict=True):
        at = start
        while (off := next_of_any_file(file.data, at, file.layout, end)) is not None:
            at = off + 1
            if file.data[off + 1 : off + 5] == own or not may_end(file.data, off, file.layout, end):
                continue
            try:
                item = record_at(off, file.layout)
            except SchemaError:
                continue
            yield item
            at = item.end


def _lenient(name: str, data: bytes, file_id: int, layout: Layout, codec: Codec) -> Iterator[PlainRecord]:
    """Yield the healthy records of a file that need not be clean."""
    record_at = codec.records(name, bytes(data))
    at = layout.header_size
    while (off := next_candidate(data, at, file_id, layout)) is not None:
        at = off + 1
        if not may_end(data, off, layout, len(data)):
            continue
        try:
            item = record_at(off, layout)
        except SchemaError:
            continue
        yield item
        at = item.end


def _other_file(name: str, data: bytes, role: str, edition: str, codec: Codec) -> PlainFile:
    """Return a file whose records do not count (JBM-RDR-022); a bad header makes it an invalid one."""
    header, data = Header(file_id=layout_of(edition).control_id), bytes(data)
    if role != "control":
        try:
            header = codec.header(name, data, edition)
        except SchemaError:
            return PlainFile(name, data, layout_of(edition), header, "invalid")
    layout = layout_of(edition, header.version)
    records = tuple(_lenient(name, data, header.file_id, layout, codec))
    return PlainFile(name, data, layout, header, role, records)


def _record(item: PlainRecord, file: PlainFile) -> Record:
    return Record(
        item.type, {"file_id": file.header.file_id, **item.fields}, At(file.name, item.off, item.size)
    )


def _map(file: PlainFile) -> FileMap:
    header: dict[str, object] = {"file_id": file.header.file_id}
    if file.layout.versions:
        header |= {"format_version": file.header.version, "user_version": file.header.user_version}
    known = file.role not in ("control", "invalid")
    return FileMap(file.name, len(file.data), file.role, header if known else {})


def _notes(found: Found, files: list[PlainFile]) -> Iterator[Note]:
    yield from found.notes
    for before, file in zip([None, *files], files, strict=False):
        if not file.layout.versions and file.header.file_id == UNFILLED_ID:
            yield Note("unfilled-header", file.name, 0)
        if before is not None and before.header.file_id == file.header.file_id:
            yield Note("duplicate-file-id", file.name, 0, f"id {file.header.file_id} as in {before.name}")
    ids = {file.header.file_id for file in files}
    if ids and max(ids) - min(ids) >= len(ids):
        yield Note("file-id-gap", text=f"{len(ids)} ids between {min(ids)} and {max(ids)}")


def _unfinished(state: Mapping[str, Any]) -> Iterator[Note]:
    for item in state["discarded"]:
        yield Note("incomplete-transaction", text=f"transaction {item['tx']}")


def _stale_notes(files: list[PlainFile]) -> Iterator[Note]:
    for file in files:
        if file.stale:
            yield Note("stale", file.name)
