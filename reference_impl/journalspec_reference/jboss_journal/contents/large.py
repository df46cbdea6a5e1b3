"""The files that hold the bodies of large messages, one for each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from journalspec_reference.content import Content
from journalspec_reference.jboss_journal.contents.beside import Room
from journalspec_reference.jboss_journal.contents.core import MOST_BODY


@dataclass(frozen=True)
class LargeFiles:
    """The files of large messages."""

    room: Room | None

    def open(self, ident: int) -> Content | None:
        """Return the body of a large message; None if there is no file."""
        if self.room is None:
            return None
        # Of a message that is not durable the file keeps the name that it had while it was received.
        names = (f"{ident}{ending}" for ending in (".msg", ".tmp"))
        return next((found for name in names if (found := self.room.open(name)) is not None), None)

    def size(self, ident: int) -> int:
        """Return the bytes of the file of a large message; 0: there is none, or it is not loaded."""
        found = self.open(ident)
        return found.size if found is not None and found.size <= MOST_BODY else 0

    @cached_property
    def idents(self) -> set[int]:
        """The ids of the messages that have files."""
        names = self.room.names if self.room is not None else frozenset[str]()
        stems = (name.removesuffix(".msg") for name in names if name.endswith(".msg"))
        return {int(stem) for stem in stems if stem.isascii() and stem.isdigit() and len(stem) < 20}
