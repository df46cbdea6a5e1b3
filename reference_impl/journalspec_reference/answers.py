"""The answer about a journal at a path. This module determines the edition, and reports each unreadable file.

In the protocol, a reader receives the edition and readable files. A tool receives only a path. If the files
do not show their edition, every possible edition is tried by reading, and the answer says which one was
assumed. If a file of the journal, or a part of such a file, cannot be read, the answer is never clean. The
command line and Spark obtain answers only through :func:`ask`.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from journalspec.formats import Format, format_module, get_format
from journalspec.observation import (
    CLEAN,
    RECOVERED,
    REFUSED,
    At,
    Dropped,
    FileMap,
    Missing,
    Note,
    Observation,
    missing_place,
    note_place,
    refused,
    region_place,
)
from journalspec.reread import Lazy, joined
from journalspec_reference.api import Params
from journalspec_reference.api import load as load_implementation
from journalspec_reference.batches import Stretch, source_of
from journalspec_reference.content import UNREADABLE, Content, Ranges, Unreadable, at_hand
from journalspec_reference.filesets import HEAD, FilesetError, Journal, LeftOut, appeared, by_reason

SALVAGE = "salvage"
UNREAD = "unreadable-file"
NO_FILES = "no-files"

CHANGED = "changed-while-read"
IN_USE = "in-use"
ASSUMED = "edition-assumed"
UNCHECKED = "unchecked"
EMPTY = "empty-file"
COMPRESSED = "compressed"
UNLISTED = "unlisted"
NOTHING = "nothing-recognised"
#: The structure that `F_GETLK` reads and fills in: type, whence, start, length (0: up to the end), process.
_FLOCK = struct.Struct("hhqqi")
#: Among the names of a format's lock files, this name means the journal's own files.
OWN = "*"


@dataclass(frozen=True, slots=True)
class Trial:
    """Represents the result of reading a journal as one edition.

    `agrees` is whether this result equals the result of the assumed edition.
    """

    edition: str
    verdict: str
    records: int
    dropped: int
    code: str | None
    agrees: bool = False

    @classmethod
    def of(cls, edition: str, seen: Observation, *, agrees: bool) -> Trial:
        """Return the trial with this result."""
        return cls(edition, seen.verdict, len(seen.records), len(seen.dropped), seen.code, agrees)

    def to_json(self) -> dict[str, Any]:
        """Return the trial under the JSON rules of observations."""
        out = {"edition": self.edition, "verdict": self.verdict, "agrees": self.agrees}
        out |= {"records": str(self.records), "dropped": str(self.dropped)}
        return out | ({"code": self.code} if self.code else {})

    def __str__(self) -> str:
        """Return the trial as a short text."""
        if self.verdict == REFUSED:
            return f"{self.edition}: refused ({self.code})"
        return f"{self.edition}: {self.verdict}, {self.records} record(s), {self.dropped} dropped region(s)"


@dataclass(frozen=True, slots=True)
class Answer:
    """Represents the answer about a journal.

    `trials` are the readings that determined the edition, if the caller gave none.
    """

    journal: Journal
    observation: Observation
    trials: tuple[Trial, ...] = ()

    @property
    def assumption(self) -> str:
        """One sentence on how the edition was found. It is empty if nothing was assumed."""
        if not self.trials:
            return ""
        others = [trial for trial in self.trials if trial.edition != self.journal.edition]
        alike = ", ".join(trial.edition for trial in others if trial.agrees)
        rest = "; ".join(str(trial) for trial in others if not trial.agrees)
        known = get_format(self.journal.format).editions
        excluded = ", ".join(name for name in known if name not in self.journal.editions)
        evidence = "nothing in the files tells the edition"
        if excluded:
            evidence = f"the files exclude {excluded} and do not tell which other edition wrote them"
        evidence = self.journal.evidence or evidence
        parts = [f"{evidence}, {self.journal.edition} was assumed"]
        parts += [f"the same answer as {alike}"] if alike else []
        parts += [f"read otherwise, {rest}"] if rest else []
        parts += [] if others else ["no other edition admits these files"]
        return "; ".join(parts)


class UnknownEdition(FilesetError):
    """This error means that the files fit several editions, and that reading does not decide between them."""

    def __init__(self, journal: Journal, trials: tuple[Trial, ...]) -> None:
        names = ", ".join(list(journal.files)[:3]) + (", ..." if len(journal.files) > 3 else "")
        clean = sum(trial.verdict == CLEAN for trial in trials)
        why = (
            "several editions read them cleanly and differ"
            if clean > 1 and any(trial.records for trial in trials)
            else "no edition explains all of them"
        )
        lines = "".join(f"\n  {trial}" for trial in trials)
        super().__init__(
            f"which edition of {journal.format} wrote {names} is unknown: {why}{lines}",
            "give the edition with --edition; see the history of the installation",
        )
        self.journal = journal
        self.trials = trials


def ask(journal: Journal, policy: str | None = None, begun: Observation | None = None) -> Answer:
    """Return the result of reading. With a `policy`, return the result of recovery.

    `begun` is a refusal of this journal by another policy, if the edition is known. If its pass over the
    files can be continued, this function does not read them again. Raises UnknownEdition if the edition is
    not given and reading does not determine it.
    """
    journal = with_assumptions(journal)
    implementation, files = load_implementation(journal.format), at_hand(journal.seen)
    asked = reading = partial(implementation.read, files, params=journal.params)
    if policy is not None:
        asked = partial(implementation.recover, files, policy=policy, params=journal.params)
    known: dict[str, Observation] = {}
    trials: tuple[Trial, ...] = ()
    edition = journal.edition
    if journal.editions and (edition := _only_reader(journal)):
        known[edition] = asked(edition=edition)
        trials = _all_alike(journal, known[edition])
    if journal.editions and not trials:
        # A result of recovery cannot be used as a result of reading.
        seen_by = known if asked is reading else {}
        readers = _readers(journal)
        for reader in dict.fromkeys(readers.values()):
            if reader not in seen_by:
                seen_by[reader] = reading(edition=reader)
        edition, trials = _settled(journal, readers, seen_by)
        journal = replace(journal, edition=edition)
        known = {edition: seen_by[readers[edition]]} if asked is reading else known
        # Free the results of reading. Otherwise the live items would be in memory a second time during
        # recovery.
        del seen_by
    seen = known.get(edition) or (begun.go_on(policy) if begun and begun.go_on and policy else None)
    seen = seen or asked(edition=edition)
    del known
    # List the unreadable ranges once, because the later search for missing items reads more and can add
    # ranges.
    bad = _unreadable(journal)
    seen = _completed(Answer(journal, seen, trials), policy, bad)
    notes = [Note(UNREADABLE, name, start, why) for name, (start, _, why) in bad]
    changed = [name for name in _contents(journal) if journal.seen[name].changed()] + appeared(journal)
    notes += [Note(CHANGED, name) for name in changed]
    words = get_format(journal.format).vocabulary.notes
    lossy = any(note.code in words and words[note.code].loss for note in seen.notes)
    if seen.verdict == CLEAN and (lossy or seen.missing or changed or journal.unlisted or journal.packed):
        # All checks of a changed file can succeed, although its bytes may never have existed at the same
        # time. The product does not find a compressed file next to plain ones.
        seen = replace(seen, verdict=RECOVERED)
    answer = Answer(journal, seen, trials)
    notes += [*_remarks(answer)]
    return replace(answer, observation=replace(seen, notes=joined(note_place, seen.notes, notes)))


def _completed(answer: Answer, policy: str | None, bad: list[tuple[str, Unreadable]]) -> Observation:
    """Return the observation of `answer` with the unreadable parts and the missing items added."""
    journal, seen = answer.journal, answer.observation
    if journal.files and seen.verdict == CLEAN and not (seen.files or seen.notes):
        # No file was read. Recovery reports an empty journal, but the extension or the edition is wrong.
        seen = refused("fileset", NO_FILES, f"none of {len(journal.files)} file(s) belongs to such a journal")
    if bad:
        seen = _with_gaps(seen, journal, bad, policy)
    if journal.unread:
        seen = _without(seen, journal.unread, policy)
        if not isinstance(seen.notes, Lazy):
            # An unreadable file is not missing. Remove each note and each missing item that can be about such
            # a file.
            unread = {None, "", *(entry.name for entry in journal.unread)}
            words = get_format(journal.format).vocabulary.notes
            absences = {code for code, word in words.items() if word.absence}
            kept = (note for note in seen.notes if note.code not in absences or note.file not in unread)
            gone = tuple(entry for entry in seen.missing if entry.name not in unread)
            seen = replace(seen, notes=tuple(kept), missing=gone)
    if seen.verdict != REFUSED and seen.state is not None:
        # `lacking` is optional: an implementation can be any object with the protocol's methods.
        lacking = getattr(load_implementation(journal.format), "lacking", lambda answer: ())
        if found := tuple[Missing, ...](lacking(replace(answer, observation=seen))):
            seen = replace(seen, missing=joined(missing_place, found, seen.missing))
    return seen


def _remarks(answer: Answer) -> Iterator[Note]:
    """Yield notes for users who do not know the files.

    The notes are about directories, the edition, and current users.
    """
    journal, seen, description = answer.journal, answer.observation, get_format(answer.journal.format)
    yield from (Note(COMPRESSED, name, text=f"stored as {stored}") for name, stored in journal.packed.items())
    if journal.unlisted:
        yield Note(UNLISTED, text=f"{journal.root}: {journal.unlisted}")
    if answer.assumption:
        yield Note(ASSUMED, text=answer.assumption)
    if journal.root is not None:
        locked = held(journal.root, description.locks, _contents(journal))
        yield from (Note(IN_USE, name, text=who) for name, who in locked)
    if seen.verdict != REFUSED:
        # A file whose name begins with a dot is a marker and is always empty.
        named = (name for name, data in journal.files.items() if not len(data))
        yield from (Note(EMPTY, name) for name in named if not PurePath(name).name.startswith("."))
    if seen.verdict != REFUSED and not seen.files and journal.files:
        # No file has a name that the format uses.
        names = description.below
        yield Note(NOTHING, text=f"files are looked for by their names: {', '.join(names)}" if names else "")
    if len(seen.dropped) and not len(seen.records) and not len(seen.unanchored):
        size = sum(map(len, journal.files.values()))
        if sum(region.length for region in seen.dropped) == size > 0:
            yield Note(NOTHING)
    if seen.verdict == CLEAN and (unchecked := description.editions[journal.edition].unchecked):
        yield Note(UNCHECKED, text=unchecked)


def with_assumptions(journal: Journal) -> Journal:
    """Return a journal with the parameters that are assumed for files of unknown origin."""
    implementation = load_implementation(journal.format)
    # `assumed` is optional: an implementation can be any object with the protocol's methods.
    assumed: Params = getattr(implementation, "assumed", lambda files: {})(at_hand(journal.seen))
    return replace(journal, params={**assumed, **journal.params})


def settled(journal: Journal) -> Journal:
    """Return a journal of one edition and with the parameters of that edition; raises UnknownEdition.

    If the rules of one edition read every edition that the files permit, the edition is determined without
    reading.
    """
    journal = with_assumptions(journal)
    if journal.editions and not (reader := _only_reader(journal)):
        return ask(journal).journal
    return replace(journal, edition=reader) if journal.editions else journal


def stretches(journal: Journal) -> Iterable[Stretch]:
    """Return the stretches that reading scans, for a journal of known edition; can raise ReadingRefused."""
    implementation = load_implementation(journal.format)
    return implementation.plan(journal.seen, edition=journal.edition, params=journal.params)


def _only_reader(journal: Journal) -> str:
    """Return the edition whose rules read all permitted editions apart from their record types, or ""."""
    known = get_format(journal.format).editions
    readers = {known[edition].reads_as or edition for edition in journal.editions}
    return readers.pop() if len(readers) == 1 else ""


def _all_alike(journal: Journal, seen: Observation) -> tuple[Trial, ...]:
    """Return the same trial for each permitted edition. Return none if an edition can give another result.

    The editions can differ only by record types that one of them lacks. Without such a record, and without
    damage that begins like one, all editions find the same records and regions.
    """
    known = get_format(journal.format).editions
    only = {name for edition in journal.editions for name in known[edition].but_for}
    read = replace(journal, edition=_only_reader(journal))
    if only and (seen.verdict == REFUSED or not only.isdisjoint(_types(read, seen))):
        return ()
    if only and _torn(read, seen.dropped, only):
        return ()
    return tuple(Trial.of(edition, seen, agrees=True) for edition in journal.editions)


def _torn(journal: Journal, dropped: Iterable[Dropped], types: Collection[str]) -> bool:
    """Return whether a region is unreadable, or begins with the number of one of these record types."""
    firsts = {bytes([number]) for name, number in type_numbers(journal).items() if name in types}
    sources = {name: source_of(data) for name, data in at_hand(journal.seen).items()}
    return any(
        region.reason == UNREADABLE or sources[region.file].read(region.off, 1) in firsts
        for region in dropped
    )


def _types(journal: Journal, seen: Observation) -> set[str]:
    """Return the record types in an answer. They are derived from type numbers if the answer has these."""
    codes = getattr(seen.records, "codes", None)
    if codes is None:
        return {record.type for record in seen.records}
    return {name for name, number in type_numbers(journal).items() if number in codes}


def type_numbers(journal: Journal) -> Mapping[str, int]:
    """Return the number of each record type of a journal's edition.

    Return none for a format without a layout.
    """
    layout = getattr(format_module("journalspec", journal.format), "LAYOUT", None)
    numbers: Mapping[str, int] = layout.types(journal.edition) if layout is not None else {}
    return numbers


def _readers(journal: Journal) -> dict[str, str]:
    """Return a mapping from each permitted edition to the edition whose reader tries it."""
    known = get_format(journal.format).editions
    return {
        edition: edition if known[edition].but_for else known[edition].reads_as or edition
        for edition in journal.editions
    }


def _settled(
    journal: Journal, readers: Mapping[str, str], seen: Mapping[str, Observation]
) -> tuple[str, tuple[Trial, ...]]:
    """Return the edition that explains the files, and all trials. `seen` maps an edition to its result of
    reading.
    """
    known = get_format(journal.format).editions
    only = {name for edition in journal.editions for name in known[edition].but_for}
    rules = {
        reader: (known[reader].reads_as or reader)
        if not only or only.isdisjoint(_types(replace(journal, edition=reader), found))
        else f"{reader} itself"
        for reader, found in seen.items()
    }
    # Maps a reader to the first reader with the same answer.
    keys: dict[str, str] = {}
    for reader, found in seen.items():
        keys[reader] = reader
        for first in dict.fromkeys(keys.values()):
            if first != reader and _same(seen[first], found, by_one=rules[first] == rules[reader]):
                keys[reader] = first
                break
    taken = set(keys.values()) if len(set(keys.values())) == 1 else {keys[reader] for reader in _sound(seen)}
    wary = _only_reader(journal)
    if wary in seen and rules[wary] == wary and seen[wary].verdict != REFUSED:
        # No record distinguishes the editions. The one with more record types can report damage where the
        # other one reports the remaining bytes of an earlier record.
        taken = {keys[wary]}
    elif len(taken) == 1 and len(set(keys.values())) > 1:
        # A reading that finds no record explains nothing. It may be clean only because it finds nothing to
        # check.
        taken = {key for key in taken if any(keys[reader] == key and seen[reader].records for reader in seen)}
    if len(taken) != 1:
        raise UnknownEdition(journal, tuple(_trials(readers, seen, keys, None)))
    (key,) = taken
    fitting = [edition for edition, reader in readers.items() if keys[reader] == key]
    edition = journal.edition if journal.edition in fitting else fitting[-1]
    return edition, tuple(_trials(readers, seen, keys, key))


def _trials(
    readers: Mapping[str, str], seen: Mapping[str, Observation], keys: Mapping[str, str], taken: str | None
) -> Iterator[Trial]:
    for edition, reader in readers.items():
        yield Trial.of(edition, seen[reader], agrees=keys[reader] == taken)


def _same(one: Observation, other: Observation, *, by_one: bool) -> bool:
    """Return whether two answers are equal. Long answers are compared item by item up to the first
    difference.

    With `by_one`, the same rules read both, so records and states are not compared. Records and states could
    differ only after a record of a type that one edition lacks, or after damage with another reason.
    """
    return (
        (one.verdict, one.code) == (other.verdict, other.code)
        and (len(one.records), len(one.dropped)) == (len(other.records), len(other.dropped))
        and one.dropped == other.dropped
        and one.missing == other.missing
        and (by_one or (one.records == other.records and one.state == other.state))
    )


def _sound(seen: Mapping[str, Observation]) -> list[str]:
    """Return the clean readings whose records cover each byte in which another reading has a record.

    A reading that finds almost nothing is also clean. Such a reading explains the files only if no other
    reading finds more.
    """
    extents: dict[str, dict[str, Ranges]] = {edition: {} for edition in seen}
    for edition, found in seen.items():
        for record in found.records:
            at = record.at
            extents[edition].setdefault(at.file, Ranges()).add(at.off, at.off + at.length)
    return [
        edition
        for edition, found in seen.items()
        if found.verdict == CLEAN
        and all(
            extents[edition].get(name, Ranges()).hold(start, end)
            for other in seen.keys() - {edition}
            for name, ranges in extents[other].items()
            for start, end in ranges
        )
    ]


def _without(seen: Observation, unread: tuple[LeftOut, ...], policy: str | None) -> Observation:
    """Return the answer that remains if files of the journal could not be read.

    This answer is a refusal, or it reports a loss.
    """
    first = unread[0]
    whys = "; ".join(f"{names} ({why})" for why, names in by_reason(unread).items())
    message = f"{len(unread)} file(s) of the journal could not be read: {whys}"
    problem = refused("fileset", UNREAD, message, At(first.name, 0, first.length))
    if policy is not None and (policy != SALVAGE or seen.verdict == REFUSED):
        return problem
    gone = [Dropped(entry.name, 0, entry.length, UNREAD) for entry in unread]
    dropped = joined(region_place, gone, seen.dropped)
    files = (*seen.files, *(FileMap(entry.name, entry.length, "unread") for entry in unread))
    if policy is not None:
        return replace(seen, verdict=RECOVERED, dropped=dropped, files=files)
    # The map of the other files is useful. A state without the unreadable files would be misleading.
    return replace(
        seen, verdict=REFUSED, phase=problem.phase, code=problem.code, message=message, at=problem.at,
        dropped=dropped, files=files, state=None,
    )  # fmt: skip


def _contents(journal: Journal) -> list[str]:
    """Return the names of the files that were read from a disk; files in memory have no read errors."""
    return [name for name, content in journal.seen.items() if isinstance(content, Content)]


def lost(journals: Iterable[Journal]) -> Iterator[tuple[str, Unreadable]]:
    """Yield (file, range) for bytes that could not be read a second time: results from them are unsafe."""
    for journal in journals:
        for name in _contents(journal):
            yield from ((name, bad) for bad in journal.seen[name].lost)


def _unreadable(journal: Journal) -> list[tuple[str, Unreadable]]:
    """Return (file, range) for all unreadable bytes, including bytes that no caller has requested yet."""
    # Neighbours are omitted, because an unreadable part of a neighbour is not a loss for the journal.
    names = [name for name in _contents(journal) if name in journal.files]
    return [(name, bad) for name in names for bad in journal.files[name].finish()]


def _with_gaps(
    seen: Observation, journal: Journal, bad: list[tuple[str, Unreadable]], policy: str | None
) -> Observation:
    """Return the answer that remains if parts of files could not be read.

    In strict recovery, this answer is a refusal.
    """
    name, (start, end, why) = bad[0]
    text = f"{len(bad)} range(s) of the journal could not be read, the first in {name} at {start}: {why}"
    if policy not in (None, SALVAGE):
        return refused("fileset", UNREAD, text, At(name, start, end - start))
    if seen.verdict == REFUSED:
        return replace(seen, message=f"{seen.message}; {text}")
    # Reading has already dropped the records that extend into such a range. Report only the remaining part of
    # the range.
    said: dict[str, Ranges] = {}
    for item in seen.dropped:
        if item.reason == UNREADABLE:
            said.setdefault(item.file, Ranges()).add(item.off, item.end)
    gaps = [
        Dropped(name, low, high - low, UNREADABLE)
        for name, (start, end, _) in bad
        for low, high in said.get(name, Ranges()).left(start, end)
    ]
    order = {entry.file: number for number, entry in enumerate(seen.files)}
    dropped = sorted((*seen.dropped, *gaps), key=lambda item: (order.get(item.file, len(order)), item.off))
    return replace(seen, verdict=RECOVERED, dropped=tuple(dropped))


def checked_params(description: Format, params: Mapping[str, str], edition: str | None = None) -> None:
    """Check that reading and recovery accept the parameters `params`; raises FilesetError if they do not."""
    for name, value in params.items():
        known = description.vocabulary.params_of("read") | description.vocabulary.params_of("recover")
        if name not in known:
            listed = ", ".join(known) or "none"
            raise FilesetError(
                f"{description.id}: reading knows no parameter {name!r}", f"parameters of reading: {listed}"
            )
        for problem in known[name].problems(value, name, edition or description.default_edition):
            raise FilesetError(f"{description.id}: parameter {problem}")


def held(root: Path, lock_files: Iterable[str], own: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, owner of the lock) for the lock files in or above `root`. A lock file named `*` means each
    file in `own`.

    This function takes no lock and does not wait for a lock. It yields nothing if the system does not report
    locks.
    """
    for name in lock_files:
        for file in own if name == OWN else (name,):
            for place in (root / file, root.parent / file):
                if who := _holder(place):
                    yield file, who


def _holder(path: Path) -> str:
    """Return the process that has locked any byte of a file.

    Return an empty text if there is no lock, or if the system does not report locks.
    """
    try:
        import fcntl  # noqa: PLC0415  # not on every system
    except ImportError:
        return ""
    with suppress(OSError, ValueError):
        # Without O_NONBLOCK, opening a pipe would wait for a writer.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            asked = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            kind, _, _, _, process = _FLOCK.unpack(fcntl.fcntl(handle, fcntl.F_GETLK, asked))
        finally:
            os.close(handle)
        if kind != fcntl.F_UNLCK:
            # A process on another machine, or in another container, has no process id here.
            return f"process {process}" if process > 0 else "another process"
    return ""


def is_copy(name: str, original: str) -> bool:
    """Return whether `name` is `original` with a suffix, like the name of a renamed or copied file."""
    return name != original and name.startswith(original) and not name[len(original)].isalnum()


def renamed(
    journal: Journal, named: re.Pattern[str], begins: Callable[[bytes], bool]
) -> Iterator[tuple[str, str]]:
    """Yield (missing name, other name) for files of a journal that can be present under another name.

    The other name is the missing name with a suffix (``db-2.log.old``). `named` matches the missing name.
    `begins` accepts the first bytes of the file with the other name.
    """
    listed, root = journal.listed or frozenset(), journal.root
    for other in sorted(listed):
        found = named.match(other)
        if root is None or found is None or not is_copy(other, found[0]):
            continue
        # Only regular files are opened: opening a pipe would wait for a writer.
        if found[0] in listed or other in journal.files or not (root / other).is_file():
            continue
        try:
            with (root / other).open("rb") as file:
                head = file.read(HEAD)
        except OSError:
            continue
        if begins(head):
            yield found[0], other
