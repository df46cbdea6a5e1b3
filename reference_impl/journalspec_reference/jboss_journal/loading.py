"""What a writer needs to know of a journal that is already there."""

from __future__ import annotations

from dataclasses import dataclass, field

from journalspec_reference.api import Params, WriterRefused
from journalspec_reference.jboss_journal.codec import Fault
from journalspec_reference.jboss_journal.dialect import COMMIT, PREPARE, ROLLBACK, Dialect
from journalspec_reference.jboss_journal.fileset import CONTROL, LEFTOVERS, NAME, DataFile, FileSet, gather
from journalspec_reference.jboss_journal.ledger import Ledger, Usage
from journalspec_reference.jboss_journal.recover import refusal
from journalspec_reference.jboss_journal.replay import Replay
from journalspec_reference.jboss_journal.scan import walk
from journalspec_reference.storage import Storage


@dataclass(slots=True)
class Loaded:
    """Data files in order, where the last record of each ends, and who needs them."""

    ledger: Ledger
    files: list[Usage] = field(default_factory=list)
    ends: dict[Usage, int] = field(default_factory=dict)
    counter: int = 0
    #: Ids in the lists of COMMITs and PREPAREs. That of a file that is gone must not come back (JBM-FIL-008).
    listed: set[int] = field(default_factory=set)
    #: Files that stay although they may hold no record.
    pinned: set[Usage] = field(default_factory=set)
    #: Transactions without an end; the writer rolls them back.
    unfinished: tuple[int, ...] = ()


def load(storage: Storage, dialect: Dialect, params: Params, force_names: bool = True) -> Loaded:
    """Read the journal on `storage`, finish an interrupted compaction, clear leftovers.

    `force_names` says whether the directory is forced when names have changed.
    Raises WriterRefused if strict recovery refuses the journal.
    """
    contents = {name: storage.read(name, 0, storage.size(name)) for name in storage.names()}
    found = gather(contents, dialect, params)
    problem = refusal(found)
    if problem is not None:
        raise WriterRefused(problem.code or "", problem.message)
    _settle(storage, found, params["extension"], force_names)
    loaded = Loaded(Ledger())
    usable = [file for file in found.files if file.problem is None]
    replay = Replay(file.file_id for file in usable)
    # A file that is left out has a name all the same: a new one must not take it away (JBM-FIL-007).
    names = (found.renamed.get(file.name, file.name) for file in found.files)
    loaded.counter = max(map(_number, names), default=0)
    for file in usable:
        usage = Usage(file.file_id, found.renamed.get(file.name, file.name))
        loaded.files.append(usage)
        loaded.ends[usage] = _replay_file(file, usage, loaded, replay)
        loaded.counter = max(loaded.counter, file.file_id)
    # Gone, a file that an unhealthy COMMIT or PREPARE lists would make it healthy (JBM-RCV-027).
    for usage in loaded.files:
        if usage.file_id in replay.disputed:
            # Nothing cancels this positive: the file stays for as long as this run lasts.
            usage.positives += 1
            loaded.pinned.add(usage)
    # With pairs, the files that an unhealthy PREPARE lists stay instead (JBM-RCV-027).
    loaded.unfinished = tuple(
        tx
        for tx, pending in loaded.ledger.pending.items()
        if pending.prepare is None or not (dialect.pairs or replay.in_doubt(tx))
    )
    return loaded


def _number(name: str) -> int:
    """Return the number in a file's name, which no new file may have (JBM-FIL-007)."""
    match = NAME.match(name)
    return int(match["number"]) if match else 0


def _settle(storage: Storage, found: FileSet, extension: str, force_names: bool) -> None:
    """Do what a control file asks for, then remove it and all leftovers of this journal."""
    for name in found.removed:
        storage.unlink(name)
    for source, target in found.renamed.items():
        storage.rename(source, target)
    if CONTROL in storage.names():
        if force_names:
            storage.sync_dir()
        storage.unlink(CONTROL)
    # A control file that was not finished is one of them: the next compaction needs its name.
    leftovers = (*(f".{extension}{suffix}" for suffix in LEFTOVERS), CONTROL + LEFTOVERS[0])
    for name in storage.names():
        if name.endswith(leftovers):
            storage.unlink(name)
    if force_names:
        storage.sync_dir()


def _replay_file(file: DataFile, usage: Usage, loaded: Loaded, replay: Replay) -> int:
    ledger, end = loaded.ledger, file.dialect.header_size
    replay.next_file()
    for item in walk(file.data, file.file_id, file.dialect):
        if isinstance(item, Fault):
            continue
        dropped = len(replay.dropped)
        replay.apply(item, file.file_id, file.dialect)
        end = item.end
        kind = item.kind
        loaded.listed.update(file_id for file_id, _ in item.pairs)
        if kind.name in ("ADD", "UPDATE"):
            ledger.put(usage, item)
        elif kind.name == "DELETE":
            ledger.delete(usage, item.id)
        elif kind.code == PREPARE:
            # In the seed one of which nothing was read before it has no effect (JBM-SED-005).
            if item.tx in ledger.pending or file.dialect.prepare_extra:
                ledger.prepare(usage, item)
        elif kind.code == COMMIT and len(replay.dropped) > dropped:
            # The files of a rejected transaction stay: they prove that it was incomplete.
            ledger.pending.pop(item.tx, None)
        elif kind.code == COMMIT:
            ledger.commit(usage, item.tx)
        elif kind.code == ROLLBACK:
            ledger.rollback(usage, item.tx)
        elif kind.tx:
            ledger.touch(usage, item)
    return end
