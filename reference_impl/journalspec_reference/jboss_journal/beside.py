"""Directories next to a journal, read only: bindings, page files, large messages.

Brokers keep them side by side: ``journal``, ``bindings``, ``paging`` and ``large-messages``, with a common
prefix in WildFly and EAP (``messagingjournal``). Links are not followed: they may lead anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from journalspec_reference.content import Content
from journalspec_reference.filesets import FilesetError, Journal, Loaded, load

JOURNAL, BINDINGS = "journal", "bindings"
#: The possible names of each directory, after the prefix.
NAMES = {
    BINDINGS: (BINDINGS,),
    "paging": ("paging",),
    "large": ("large-messages", "largemessages", "large_messages"),
}
#: This many directories of addresses are examined.
MOST_ROOMS = 100_000


@dataclass(frozen=True)
class Room:
    """One directory."""

    path: Path

    @cached_property
    def loaded(self) -> Loaded | None:
        """Its files; None if it cannot be listed."""
        try:
            return load(self.path)
        except FilesetError:
            return None

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of its files, also of those that cannot be opened; ``.gz`` is omitted."""
        listed = self.loaded.listed if self.loaded else None
        return frozenset(name.removesuffix(".gz") for name in listed or ())

    def open(self, name: str) -> Content | None:
        """Return a file's content; None if there is none, it cannot be read, or it is a link."""
        for stored in (name, name + ".gz"):
            if self.loaded is not None and not (self.path / stored).is_symlink():
                found = self.loaded.files.get(stored)
                if isinstance(found, Content):
                    return found
        return None

    def is_packed(self, name: str) -> bool:
        """Return whether a file is there only in compressed form, so that a broker does not find it."""
        listed = (self.loaded.listed if self.loaded else None) or frozenset()
        return name not in listed and f"{name}.gz" in listed

    def rooms(self) -> Iterator[Room]:
        """Yield the directories in it by name."""
        try:
            with os.scandir(self.path) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except OSError:
            return
        for name in names[:MOST_ROOMS]:
            yield Room(self.path / name)


def beside(journal: Journal, kind: str, own: str = JOURNAL) -> Room | None:
    """Return the directory of a `kind` next to the one of `own`: one of NAMES, or the journal; None: none."""
    if journal.root is None:
        return None
    root = journal.root.absolute()
    prefix = root.name.removesuffix(own)
    if prefix == root.name:
        return None
    for name in NAMES.get(kind, (kind,)):
        path = root.parent / (prefix + name)
        if path.is_dir() and not path.is_symlink():
            return Room(path)
    return None
