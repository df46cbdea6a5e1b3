"""``--follow``: prints the rows that a running product writes from now on. Files are only read."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from journalspec.files import shown
from journalspec.formats import get_format
from journalspec.observation import CLEAN, Observation
from journalspec.reread import Changed
from journalspec_conformance.cli.places import Directory, UsageProblem, find
from journalspec_conformance.cli.rows import Chunk, Matches
from journalspec_conformance.cli.selection import Question, record_columns
from journalspec_reference.answers import Answer, settled, stretches
from journalspec_reference.batches import ReadingRefused, Stretch
from journalspec_reference.filesets import FilesetError, Journal
from journalspec_reference.predicates import Predicate

#: The number of seconds between two checks of the files.
POLL = 0.5


@dataclass
class _File:
    """Represents the last known state of a file: inode, size and time, first record, and the last record's
    end.
    """

    stat: tuple[int, int, int]
    first: bytes = b""
    end: int = 0


@dataclass
class Follower:
    """Polls the journals at a path for new rows that match a question."""

    place: Directory
    selection: Question
    _files: dict[Path, _File] = field(default_factory=dict)
    _begun: bool = False

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield rows with the columns `names` as they are written; the iterator does not end by itself."""
        while True:
            yield from self._look(names)
            sys.stdout.flush()
            if not self._begun:
                click.echo(f"journalspec: following {len(self._files)} files, Ctrl-C ends it", err=True)
            self._begun = True
            time.sleep(POLL)

    def _look(self, names: Sequence[str]) -> Iterator[Chunk]:
        try:
            (place, *_), _ = find(self.place.asked)
            journals = [settled(each) for each in place.journals]
        except (FilesetError, UsageProblem):
            # While the product renames a file, there may be no journal.
            journals = []
        if len(journals) == 1:
            # The edition is known now, so that it need not be detected again.
            self.place = replace(self.place, asked=replace(self.place.asked, edition=journals[0].edition))
        root = self.place.loaded.root
        changed = self._changed({root / name for journal in journals for name in journal.files})
        for journal in journals:
            with suppress(ReadingRefused):
                for part in stretches(journal):
                    if root / part.file in changed:
                        try:
                            yield from self._written(journal, part, names)
                        except Changed:
                            # This makes the next poll check the file again.
                            self._files[root / part.file].stat = (0, 0, 0)

    def _changed(self, paths: set[Path]) -> set[Path]:
        """Return the changed files; report each change other than an extension."""
        found: dict[Path, tuple[int, int, int]] = {}
        for path in paths | self._files.keys():
            try:
                seen = path.stat()
            except OSError:
                continue
            found[path] = seen.st_ino, seen.st_size, seen.st_mtime_ns
        inodes = {stat[0]: path for path, stat in found.items()}
        for path in self._files.keys() - found.keys():
            other = inodes.get(self._files.pop(path).stat[0])
            _report(path, f"was moved to {other.name}" if other else "was deleted")
        changed = set()
        for path, stat in found.items():
            known = self._files.setdefault(path, _File((0, 0, 0)))
            if known.stat == stat:
                continue
            if known.stat[0] not in (0, stat[0]):
                _report(path, "was replaced by another file")
                known.first, known.end = b"", 0
            elif stat[1] < known.stat[1]:
                _report(path, f"was truncated from {known.stat[1]} to {stat[1]} bytes")
                known.end = min(known.end, stat[1])
            known.stat = stat
            changed.add(path)
        return changed

    def _written(self, journal: Journal, part: Stretch, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield the rows that were written to a file since the last check."""
        known, first = self._files[self.place.loaded.root / part.file], b""
        answer = Answer(journal, Observation(CLEAN))
        source = Matches(self.place, answer, files=self.selection.files)
        own = self.selection.predicates(record_columns(get_format(journal.format)))
        for batch in part.scan():
            if not len(batch):
                continue
            if not first:
                first = bytes(batch.data[batch.off[0] : batch.end[0]])
                if known.first and known.first != first:
                    _report(self.place.loaded.root / part.file, "was reused: it begins with another record")
                    known.end = 0
                known.first = first
            source.predicates = [*own, Predicate("off", ">=", known.end)]
            known.end = max(known.end, batch.base + batch.end[-1])
            if self._begun and source.asks_for(part) and (chunk := source.chunk(part, batch, names)).count:
                yield chunk


def _report(path: Path, what: str) -> None:
    click.echo(f"journalspec: {shown(path.name)} {what}", err=True)
