"""Writes a new database from a recovered database. The log and control files are repaired, the pages are
unchanged.

Derby redoes the log when it starts on the new database. If a page does not fit the log or cannot be read,
Derby would not start, or could not read a table. In that case, the rows are written as SQL (see :mod:`.sql`).
Without containers next to the log, the new log is the only result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from journalspec.observation import CLEAN, Note
from journalspec_reference.answers import Answer
from journalspec_reference.contents import Count
from journalspec_reference.derby_log.bodies import decode, known
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, HEADER, BadLog, Instant, Refusal
from journalspec_reference.derby_log.containers import Fault
from journalspec_reference.derby_log.contents import DerbyContents
from journalspec_reference.derby_log.evidence import Explained
from journalspec_reference.derby_log.fileset import PROPERTIES_NAME, whole_properties
from journalspec_reference.derby_log.newlog import NewLog, edited
from journalspec_reference.derby_log.recover import SEED
from journalspec_reference.derby_log.scan import search
from journalspec_reference.derby_log.sql import RUN, Script
from journalspec_reference.derby_log.store import Place
from journalspec_reference.filesets import FilesetError, Journal, load
from journalspec_reference.newstore import (
    FILE,
    CannotRebuild,
    ChoiceRefused,
    LossItem,
    NewFile,
    NewStore,
    StoreChoices,
    pieces,
)

#: At most this many pages are compared with the records after the end of the log.
_MOST_PAGES = 50_000
#: Names in the directory of a database that are not copied: subdirectories that are temporary or that Derby
#: rebuilds, and lock files. The last value is the depth to which subdirectories are searched.
_NOT_COPIED, _LOCKS, _DEPTH = {"log", "seg0", "tmp"}, {"db.lck", "dbex.lck"}, 4
#: Codes of remarks on faults that are repaired in the new database.
_REPAIRED = {"bad-header", "lost-checkpoint", "remade-page"}
#: The codes above, and the codes of faults despite which Derby starts and reads the same rows as contents.
_HARMLESS = _REPAIRED | {
    *("other-container", "bad-value", "long-value", "in-doubt", "no-properties", "no-containers")
}
#: Refusal codes that only strict recovery uses.
_STRICT = {"lost-middle", "no-checkpoint"}
#: The kind of items that the answer also reports, as notes or as missing.
_NOTE = "note"
#: The code for a page with changes that the log does not explain. Its rows can still be read.
_NEWER = "newer-page"
#: The code for a damaged container. The new database would contain this container unchanged.
_DAMAGED = "damaged-container"


def new_store(answer: Answer, choices: StoreChoices) -> Database | OnlyRows:
    """Return the new store. Raises ChoiceRefused, CannotRebuild."""
    journal, seen = answer.journal, answer.observation
    _check(choices)
    if journal.edition == SEED or seen.code in _STRICT:
        text = seen.message or "the seed document does not define the content of records"
        raise CannotRebuild(text, "give the edition with --edition, and use policy `default`")
    found = DerbyContents(answer)
    for remark in found.remarks.kept:
        if remark.code in ("no-password", "wrong-password"):
            raise CannotRebuild(remark.text, "the end of the log cannot be found without the boot password")
    home = _home(journal, found)
    if home is None:
        if not found.state.beside:
            with suppress(Refusal, BadLog):
                found.state.replay(journal.seen, journal.edition)
        if seen.state is None or found.state.log is None or found.state.log.last is None:
            raise CannotRebuild(f"the log cannot be read: {seen.message}")
        behind = Behind(answer, found)
        if behind.newer or behind.ahead or any(note.code == _NEWER for note in seen.notes):
            raise CannotRebuild("a page has changes that are not in the log")
        return Database(answer, found, behind, choices)
    behind = Behind(answer, found)
    problem = next(_problems(answer, found, behind), None)
    if problem is None:
        found.looked_at = True
        return Database(answer, found, behind, choices)
    if choices.commit or choices.rollback:
        raise ChoiceRefused(f"only rows can be written: {problem.text}", "leave --commit and --rollback out")
    if found.state.encrypted:
        text = f"a database cannot be made: {problem.text}"
        raise CannotRebuild(text, "journalspec export --as sql writes its rows, in clear")
    return OnlyRows(answer, found, behind, problem)


def _home(journal: Journal, found: DerbyContents) -> Path | None:
    """Return the directory of the log's database, or None if the log is alone or there is no container."""
    if journal.root is None or not found.state.beside or not (journal.root / ".." / "seg0").is_dir():
        return None
    return journal.root / ".."


def _check(choices: StoreChoices) -> None:
    """Refuse choices that this format does not permit."""
    hint = "export a part of it: journalspec export --as sql"
    if choices.queues:
        raise ChoiceRefused("a database is carried over completely: --queue cannot select a table", hint)
    if choices.drop or choices.keep:
        text = "a database is carried over completely: --drop and --keep do not apply to it"
        raise ChoiceRefused(text, "delete rows in the new database; --rollback is for transactions in doubt")
    if choices.salvage_records or choices.index_acks:
        raise ChoiceRefused("--salvage-records and --index-acks are for KahaDB")


def _problems(  # noqa: C901, PLR0912  # one check after the other, of everything that a boot reads
    answer: Answer, found: DerbyContents, behind: Behind
) -> Iterator[LossItem]:
    """Yield the reasons why Derby would not start on the database, or would not read rows that are part of
    the contents.
    """
    seen, state = answer.observation, found.state
    if seen.state is None and not found.repairs:
        file, off = (seen.at.file, seen.at.off) if seen.at else ("", None)
        yield LossItem("log", str(seen.code), seen.message, file=file, off=off)
    # Items that the answer reports as missing are already listed there.
    for gone in seen.missing:
        if gone.code == "container":
            yield LossItem(_NOTE, gone.code, gone.text, file=gone.name)
    # The new database would have the same damaged container, unless the log creates the faulty page again.
    again = {remark.file.removeprefix("../") for remark in found.remarks.kept if remark.code in _REPAIRED}
    for note in seen.notes:
        if note.code == _NEWER or (note.code == _DAMAGED and note.file.removeprefix("../") not in again):
            yield LossItem(_NOTE, note.code, note.text, file=note.file, off=note.off)
    for title, table in found.sql.items():
        heap = state.heap(table.container)
        if heap is None or heap.removed:
            text = f"{title} has no container {table.container} (c{table.container:x})"
            yield LossItem("table", "no-container", text, queue=title)
    places: set[tuple[str, int | None]] = set()
    for container, fault in state.faults():
        file = _file(found, container)
        if len(places) < _MOST_PAGES:
            places.add((file, fault.off))
        yield LossItem("page", fault.code, fault.text, queue=found.title(container), file=file, off=fault.off)
    # Read the rows with parts on other pages, because a part can be older or newer than the row's first part.
    for container in sorted(state.parted):
        for _ in state.rows(container, parted=True):
            pass
    for each in found.remarks.kept:
        if each.code not in _HARMLESS and (each.file, each.off) not in places:
            yield LossItem("page", each.code, each.text, queue=each.table, file=each.file, off=each.off)
    yield from _newer(found, behind)


def _newer(found: DerbyContents, behind: Behind) -> Iterator[LossItem]:
    """Yield the containers whose pages contain changes that the log does not explain."""
    numbers = {name: container for container, (name, _) in found.state.beside.items()}
    for note in behind.ahead:
        file = note.file.removeprefix("../")
        yield LossItem(
            "page", note.code, note.text, queue=found.title(numbers[file]), file=file, off=note.off
        )
    for container, pages in behind.newer.items():
        text = (
            f"{len(pages)} page(s), the first {pages[0]}, with changes that are only in the log after its end"
        )
        yield LossItem("page", _NEWER, text, queue=found.title(container), file=_file(found, container))


def _file(found: DerbyContents, container: int) -> str:
    heap = found.state.heap(container)
    return f"seg0/c{container:x}.dat" if heap is None else heap.name


class Behind:
    """Represents the records after the end of the log. These records are not redone.

    `changes` counts their page changes by container. `newer` contains, for each container, the pages that
    already contain such changes. `ahead` contains notes on pages with changes that no record of the log
    explains.
    """

    def __init__(self, answer: Answer, found: DerbyContents) -> None:
        log = found.state.log
        self.changes: Counter[int] = Counter()
        self.newer: dict[int, list[int]] = {}
        self.ahead: list[Note] = []
        #: The position of the first record that changes a page.
        self.file, self.off = "", 0
        if log is None or log.last is None:
            return
        if answer.observation.verdict != CLEAN and not found.state.encrypted:
            explained = Explained(log.store)
            explained.walk(log.log, known(answer.journal.edition), log.ends)
            self.ahead = [*explained.newer()]
        versions: dict[Place, int] = {}
        last = log.last.file.number
        for number, file in log.log.files.items():
            start = log.last.end.off if number == last else HEADER
            for off, stop in search(file.source, number, start, file.length) if number >= last else ():
                with suppress(BadLog):
                    fields = decode(file.source.read(off + BEFORE, stop - off - BEFORE - BEHIND)).fields
                    if "page_version" in fields:
                        if not self.file:
                            self.file, self.off = file.name, off
                        place = fields["container"], fields["page"]
                        if place in versions or len(versions) < _MOST_PAGES:
                            self.changes[place[0]] += 1
                            versions.setdefault(place, fields["page_version"])
        for place, version in versions.items():
            heap = found.state.heap(place[0])
            if heap is not None and heap.size and not heap.removed:
                with suppress(Fault):
                    if int.from_bytes(heap.page(place[1])[6:14], "big") > version:
                        self.newer.setdefault(place[0], []).append(place[1])


class _Made(NewStore):
    """The common part of both forms of a new store. The forms are a database, and SQL with the rows."""

    base = ".."

    def __init__(self, answer: Answer, found: DerbyContents, behind: Behind) -> None:
        super().__init__(answer)
        self._journal, self._found, self._seen = answer.journal, found, answer.observation
        self._behind = behind

    @property
    def covers(self) -> frozenset[PurePath]:
        """All files in the directory of the database."""
        return frozenset({PurePath("..")} if self.base == ".." else ())

    def _files_left(self, first: int, last: int) -> Iterator[LossItem]:
        """Yield the log files before the first and after the last required log file."""
        log = self._found.state.log
        for number, file in log.log.files.items() if log is not None else ():
            if not first <= number <= last:
                why = "before-the-log" if number < first else "after-the-log"
                text = "the pages have its changes" if number < first else "the log ends before it"
                yield LossItem(FILE, why, text, file=file.name, length=file.length)

    def _not_redone(self) -> Iterator[LossItem]:
        """Yield open transactions, and the changes of each table after the end of the log."""
        store = self._found.state.store
        # If the log has a regular end, an open transaction was never committed.
        maybe = store.transactions if store is not None and self._seen.verdict != CLEAN else {}
        for number, each in sorted(maybe.items()):
            if each.prepared or not each.changes:
                continue
            at = Instant.unpack(each.first)
            text = "its end is not in the log (it can be lost): its changes are undone"
            file, off = f"log{at.number}.dat", at.position
            yield LossItem("transaction", "rolled-back", text, str(number), file=file, off=off)
        for container, count in sorted(self._behind.changes.items()):
            text = (
                f"{count} change(s) of {_file(self._found, container)} follow the end of the log: not redone"
            )
            table, name = self._found.title(container), self._behind.file
            yield LossItem("change", "behind-the-end", text, queue=table, file=name, off=self._behind.off)


class Database(_Made):
    """A database directory, or (without containers) a log."""

    def __init__(self, answer: Answer, found: DerbyContents, behind: Behind, choices: StoreChoices) -> None:
        super().__init__(answer, found, behind)
        self._home = _home(self._journal, found)
        if self._home is None:
            self.base = "."
        self._log = NewLog(answer, found.state, choices)
        self.lines = self._log.said
        changed = self._seen.verdict != CLEAN or self._log.changed
        self.opaque = found.state.encrypted or not changed

    def files(self) -> Iterator[NewFile]:
        """Yield control files, then log files, then the other files of the database."""
        yield from self._log.files("log/" if self._home is not None else "")
        beside = {name: data for name, data in self._journal.seen.items() if "seg0" in name}
        copied = {name.removeprefix("../"): data for name, data in beside.items()}
        if self._home is not None:
            copied |= {f"seg0/{name}": data for name, data in _files(self._home / "seg0").items()}
            copied |= _below(self._home)
            yield NewFile(PROPERTIES_NAME, (whole_properties(copied.pop(PROPERTIES_NAME, b""))[0],))
        made = self._edited()
        for name, data in sorted(copied.items()):
            edits, end = made.get(name, ({}, len(data)))
            yield NewFile(name, edited(data, edits, 0, end) if edits or end < len(data) else pieces(data))

    def _edited(self) -> dict[str, tuple[dict[int, bytes], int]]:
        """Return the edits and the end of each container.

        Pages that the log creates again are replaced by zeros.
        """
        state, found = self._found.state, {}
        changed = state.store.pages if state.store is not None else {}
        for container, (name, data) in state.beside.items():
            heap = state.heap(container)
            if heap is None or not heap.size:
                continue
            zeros = {page * heap.size: bytes(heap.size) for at, page in state.remade if at == container}
            # An incomplete last page is removed if redo writes that page.
            part = len(data) % heap.size if (container, heap.count) in changed else 0
            if zeros or part:
                found[name] = zeros, len(data) - part
        return found

    def carried(self) -> Iterable[Count]:
        """Yield the number of rows of each table and their bytes. For a log alone, yield the rows found in
        the log.
        """
        if self._found.state.beside:
            return self._found.counts()
        rows: Any = (self._seen.state or {}).get("rows", ())
        counted = Counter(row["table"] for row in rows)
        return [Count("rows", table, count, 0) for table, count in sorted(counted.items())]

    def left_out(self) -> Iterator[LossItem]:
        """Yield log files that are not needed, and changes that are not redone."""
        yield from self._files_left(self._log.first, self._log.last)
        yield from self._not_redone()

    def unverified(self) -> Iterator[LossItem]:
        """Yield repairs of the log, values that do not fit their types, and rebuilt properties."""
        for remark in self._found.remarks.kept:
            if remark.code in _REPAIRED:
                yield LossItem(FILE, remark.code, remark.text, file=remark.file, off=remark.off)
            elif remark.code in _HARMLESS and remark.table:
                yield LossItem(
                    "row", remark.code, remark.text, remark.key, remark.table, remark.file, remark.off
                )
        if self._home is not None:
            stored = _files(self._home).get(PROPERTIES_NAME, b"")
            for text in whole_properties(stored)[1]:
                yield LossItem(FILE, "made-anew", text, file=PROPERTIES_NAME)

    def steps(self) -> Sequence[str]:
        """Return the steps to put the new store in place."""
        if self._home is None:
            return (
                "Stop the database.",
                "Put the new files into its directory `log`, in the place of all that is there.",
            )
        return (
            "Stop the database, and keep its directory.",
            "Move the new directory to its place, and start: Derby redoes the log.",
            "CALL SYSCS_UTIL.SYSCS_CHECK_TABLE for each table compares it with its indexes.",
        )


class OnlyRows(_Made):
    """Writes the rows as SQL, because Derby could not read a new database. `problem` is the reason."""

    def __init__(self, answer: Answer, found: DerbyContents, behind: Behind, problem: LossItem) -> None:
        super().__init__(answer, found, behind)
        self._problem = problem
        self._script = Script(found)
        self._redone = not any(remark.code == "no-redo" for remark in found.remarks.kept)

    def files(self) -> Iterator[NewFile]:
        """Yield the script."""
        yield NewFile("rows.sql", self._script.parts())

    def carried(self) -> Iterable[Count]:
        """Return the rows that the script inserts."""
        return self._script.counts()

    def left_out(self) -> Iterator[LossItem]:
        """Yield the reason why there is no database, facts that SQL cannot express, and changes that are not
        redone.
        """
        problems = _problems(self.answer, self._found, self._behind)
        yield from (each for each in problems if each.what != _NOTE and each.code != _NEWER)
        yield from self._script.losses()
        yield from self._not_redone()
        for number in self._found.state.store.branches() if self._found.state.store is not None else ():
            text = "in doubt: its changes are not in the script"
            yield LossItem("transaction", "in-doubt", text, str(number))

    def unverified(self) -> Iterator[LossItem]:
        """Yield the tables whose rows may be older or newer than the end of the log, or not committed."""
        for each in _newer(self._found, self._behind):
            # A page without a table belongs to an index, and the script creates indexes again.
            if each.queue:
                yield replace(each, text=f"{each.text}: its rows are carried over, committed or not")
        for count in self.carried() if not self._redone else ():
            text = "redo did not reach the end of the log: rows may be older, or of unfinished transactions"
            yield LossItem("table", "no-redo", text, queue=count.name)

    def steps(self) -> Sequence[str]:
        """Return the steps to create a database from the script."""
        # The problem's text can name a table, and steps are not redacted. The omitted items contain that
        # text.
        problem = ": ".join(filter(None, (self._problem.code, self._problem.file)))
        return (
            f"No database can be made ({problem}): rows.sql makes its tables in an empty one.",
            f"{RUN} rows.sql",
        )


# Files next to the log.


def _files(directory: Path) -> dict[str, Any]:
    """Return the files directly in a directory. Return no files if the directory cannot be read."""
    with suppress(FilesetError):
        return {name: data for name, data in load(directory).files.items() if "/" not in name}
    return {}


def _below(directory: Path, prefix: str = "", depth: int = _DEPTH) -> dict[str, Any]:
    """Return the other parts of a database, by name: its properties, jars, texts."""
    found = {
        f"{prefix}{name}": data for name, data in _files(directory).items() if prefix or name not in _LOCKS
    }
    for each in sorted(directory.iterdir()) if depth else ():
        if each.is_dir() and not each.is_symlink() and (prefix or each.name not in _NOT_COPIED):
            found |= _below(each, f"{prefix}{each.name}/", depth - 1)
    return found
