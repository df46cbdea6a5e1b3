"""Reading a journal and recovering it: the algorithm of the spec's recovery chapter, nothing written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from journalspec.observation import (
    CLEAN,
    RECOVERED,
    At,
    Dropped,
    FileMap,
    Note,
    Observation,
    Record,
    refused,
)
from journalspec_reference.api import Files, Params
from journalspec_reference.jboss_journal.codec import Fault, JournalRecord
from journalspec_reference.jboss_journal.dialect import Dialect
from journalspec_reference.jboss_journal.fileset import (
    DataFile,
    FileSet,
    control_lists,
    gather,
    header_of,
    limit_of,
)
from journalspec_reference.jboss_journal.replay import Replay
from journalspec_reference.jboss_journal.scan import healthy, stale, walk


def record_of(item: JournalRecord, file: DataFile) -> Record:
    """Return `item` under the spec's field names; only the fields that its type has."""
    fields: dict[str, object] = {"file_id": file.file_id}
    if file.dialect.compact:
        fields["compact_count"] = item.compact_count
    if item.kind.tx:
        fields["tx"] = item.tx
    if item.kind.id:
        fields["id"] = item.id
    if item.kind.body == "user":
        fields["user_type"] = item.user_type
    if item.kind.body:
        fields["body"] = item.body
    if item.kind.ends:
        if file.dialect.pairs:
            fields["pairs"] = [{"file_id": listed, "count": count} for listed, count in item.pairs]
        else:
            fields["count"] = item.tally
        if item.kind.name == "PREPARE" and file.dialect.prepare_extra:
            fields["extra"] = item.extra
    return Record(item.kind.name, fields, At(file.name, item.off, item.end - item.off))


def torn_regions(file: DataFile, items: Iterable[JournalRecord | Fault], limit: int) -> Iterator[Dropped]:
    """Yield the regions that candidates with the right file id claimed and no record explains.

    A region reaches as far as its candidate says, or to the next record; other
    candidates inside it are not told apart from its content.
    """
    torn: Fault | None = None
    for item in items:
        if torn is not None and (isinstance(item, JournalRecord) or item.off >= (torn.end or limit)):
            yield Dropped(file.name, torn.off, min(torn.end or limit, item.off) - torn.off, torn.reason)
            torn = None
        if torn is None and isinstance(item, Fault):
            torn = item
    if torn is not None:
        yield Dropped(file.name, torn.off, (torn.end or limit) - torn.off, torn.reason)


class _Reading:
    """One pass over all files: records, torn regions, replay."""

    def __init__(self, files: Iterable[DataFile], params: Params) -> None:
        self.records: list[tuple[DataFile, JournalRecord]] = []
        self.dropped: list[Dropped] = []
        usable = [file for file in files if file.problem is None]
        self.replay = Replay(file.file_id for file in usable)
        for file in usable:
            limit = limit_of(file, params)
            self.dropped += torn_regions(file, self._taking(file, limit), limit)

    def _taking(self, file: DataFile, limit: int) -> Iterator[JournalRecord | Fault]:
        self.replay.next_file()
        for item in walk(file.data, file.file_id, file.dialect, limit):
            if isinstance(item, JournalRecord):
                self.records.append((file, item))
                self.replay.apply(item, file.file_id, file.dialect)
            yield item


def refusal(found: FileSet) -> Observation | None:
    """Return the refusal that the first unusable file is under the strict policy, else None."""
    for file in found.files:
        if file.problem is not None:
            reason, text = file.problem
            # An interrupted creation leaves a short file; from v1 on that is no reason to refuse.
            if reason == "short-file" and file.dialect.versions:
                continue
            phase = "fileset" if reason == "wrong-length" else "header"
            return refused(phase, reason, f"{file.name}: {text}", At(file.name, 0, file.length))
    return None


def recover(files: Files, dialect: Dialect, policy: str, params: Params) -> Observation:
    """Return what recovery delivers."""
    found = gather(files, dialect, params)
    if policy == "strict":
        problem = refusal(found)
        if problem is not None:
            return problem
    return _observe(found, params)


def read(files: Files, dialect: Dialect, params: Params) -> Observation:
    """Return every healthy record, every torn region, and the records of earlier lives."""
    found = gather(files, dialect, params)
    if files and not any(file.problem is None for file in found.files):
        problem = refusal(found)
        if problem is not None:
            return problem
        if not found.files and not found.others:
            return refused("fileset", "no-files", "no file has the journal's extension")
    seen = _observe(found, params)
    beside = tuple(
        # Of an earlier life of the file: the file id is the record's own.
        record_of(item, replace(file, file_id=_stamp_at(file, item.off)))
        for file in found.files
        if file.problem is None
        for item in stale(file.data, file.file_id, file.dialect, _gaps(seen, file, limit_of(file, params)))
    )
    aside = [
        record_of(item, file)
        for file in found.others
        if file.problem is None
        for item in walk(file.data, file.file_id, file.dialect)
        if isinstance(item, JournalRecord)
    ]
    notes = [Note("stale", name) for name in dict.fromkeys(record.at.file for record in beside)]
    return Observation(
        seen.verdict,
        (*seen.records, *aside),
        seen.dropped,
        seen.state,
        (*seen.files, *(_map_of(file) for file in found.others)),
        (*seen.notes, *notes),
        unanchored=(*seen.unanchored, *beside),
    )


def _gaps(seen: Observation, file: DataFile, limit: int) -> list[tuple[int, int]]:
    """Return the ranges of `file` between its records."""
    gaps = []
    at = file.dialect.header_size
    for record in seen.records:
        if record.at.file == file.name:
            if record.at.off > at:
                gaps.append((at, record.at.off))
            at = record.at.off + record.at.length
    return [*gaps, (at, limit)]


def _observe(found: FileSet, params: Params) -> Observation:
    reading = _Reading(found.files, params)
    state = reading.replay.outcome()
    dropped = [
        Dropped(file.name, 0, file.length, file.problem[0])
        for file in found.files
        if file.problem is not None
    ]
    dropped += reading.dropped
    lost = tuple(
        # The header may be what is wrong: the file id that counts here is the one in the record.
        record_of(item, replace(file, file_id=_stamp_at(file, item.off)))
        for file in found.files
        if file.problem is not None
        for item in healthy(file.data, file.dialect)
    )
    holders = dict.fromkeys(record.at.file for record in lost)
    return Observation(
        RECOVERED if dropped or _rejected(state) else CLEAN,
        records=tuple(record_of(item, file) for file, item in reading.records),
        dropped=tuple(dropped),
        state=state,
        files=tuple(_map_of(file) for file in found.files),
        notes=(
            *found.notes,
            *_transaction_notes(state),
            *(Note("unanchored", name) for name in holders),
        ),
        unanchored=lost,
    )


def _stamp_at(file: DataFile, off: int) -> int:
    return int.from_bytes(file.data[off + 1 : off + 5], "big", signed=not file.dialect.versions)


def _rejected(state: dict[str, list[dict[str, object]]]) -> bool:
    """Tell whether a transaction with an end was dropped: its records were there once."""
    return any(item["why"] != "no-end" for item in state["discarded"])


def _transaction_notes(state: dict[str, list[dict[str, object]]]) -> list[Note]:
    codes = {"no-end": "incomplete-transaction"}
    return [
        Note(codes.get(str(i["why"]), str(i["why"])), text=f"transaction {i['tx']}")
        for i in state["discarded"]
    ]


def _map_of(file: DataFile) -> FileMap:
    lists = control_lists(file.data, file.dialect) if file.role == "control" else None
    content: dict[str, object] = {}
    if lists is not None:
        old, new, renames = lists
        pairs = [{"source": source, "target": target} for source, target in renames]
        content = {"old_names": old, "new_names": new, "renames": pairs}
    role = "invalid" if file.problem else file.role
    return FileMap(file.name, file.length, role, header_of(file), content)
