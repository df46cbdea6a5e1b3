"""Walking a store from page 0: queues and their messages, each page claimed once.

What was read is kept by digests and places: memory grows with the number of messages, not with their bodies.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.codec import (
    CHAIN_HEADER,
    NONE,
    PREPARED,
    BadStore,
    Branch,
    QueueEntry,
    Told,
)
from journalspec_reference.swiftmq_store.log import ReplayedPages

T = TypeVar("T")
#: What a page is for, by how it was reached; the last: an index named it, and it is no page of one.
_ROOT, _QUEUE, _MESSAGE, _NO_INDEX = 1, 2, 3, 4
_USES = {_ROOT: "root_entry", _QUEUE: "queue_entry", _MESSAGE: "message_page"}
#: How the reason begins if a message is whole and the prepared branch in it is not.
BRANCH = "branch: "


class Entry(NamedTuple):
    """A message in a queue: its entry, and its digest and length, or why it cannot be read."""

    entry: QueueEntry
    digest: str | None
    length: int
    why: str | None


@dataclass
class Queue:
    """A queue: its entries in the order of its index, and what is wrong with the index if it is damaged."""

    name: bytes
    head: int
    entries: list[Entry] = field(default_factory=list)
    why: str | None = None

    @property
    def faults(self) -> list[str]:
        """Return why a check at start does not leave the queue as it is."""
        return [self.why] if self.why else [entry.why for entry in self.entries if entry.why]


class Walk:
    """One walk. `why`: what is wrong with the root index; `notes`: what is wrong and hides nothing."""

    def __init__(self, pages: ReplayedPages) -> None:
        self._pages = pages
        self._roles = bytearray(pages.count)
        self._messages: dict[int, Entry] = {}
        self._branches: dict[int, Branch] = {}
        self.references: Counter[int] = Counter()
        self.notes: list[Told] = []
        self.queues: list[Queue] = []
        self.branches: list[Branch] = []
        self.why: str | None = None
        self._root()

    def use(self, number: int) -> str:
        """Return what a page is for, as the table of bytes calls it; empty: nothing that is known."""
        return _USES.get(self._roles[number], "")

    @property
    def unreached(self) -> Iterator[int]:
        """Yield the used pages that nothing refers to."""
        return (
            number
            for number, role in enumerate(self._roles)
            if not role and number and not codec.is_free(self._pages[number])
        )

    def _claim(self, number: int, role: int) -> bytes:
        # Before it is made: a page may be referred to as often as there are entries.
        taken = self._roles[number] if 0 <= number < len(self._roles) else 0
        if taken and not (taken == _NO_INDEX and role == _MESSAGE):
            raise BadStore(f"page {number} is referred to twice")
        page = self._pages[number]
        self._roles[number] = role
        if codec.is_free(page):
            self.notes.append(Told("free-in-use", f"page {number} is in use and marked free", number))
        return page

    def _follows(self, number: int, before: int, said: int) -> None:
        if said != before:
            text = f"page {number} follows {before} and says that it follows {said}"
            self.notes.append(Told("wrong-link", text, number))

    def _index(self, head: int, role: int, decode: Callable[[bytes], Iterator[T]]) -> Iterator[list[T]]:
        """Yield the valid entries of an index, page by page."""
        number, before = head, NONE
        while True:
            page = self._claim(number, role)
            try:
                header, entries = codec.index(page), list(decode(page))
            except BadStore:
                self._roles[number] = _NO_INDEX
                raise
            if role == _ROOT and not number and not any(header):
                return  # a store that was never started; the head of a queue is made with what refers to it
            if role == _ROOT and not header.slots and header.valid > 0:
                # In the index of a queue that costs messages of one queue, and a note tells it.
                raise BadStore(f"page {number} has no entry and says that {header.valid} are valid")
            self._follows(number, before, header.prev)
            if header.valid != len(entries):
                text = f"page {number} has {len(entries)} valid entries and says {header.valid}"
                self.notes.append(Told("wrong-valid-count", text, number))
            yield entries
            before, number = number, header.next
            if number == NONE:
                return

    def _root(self) -> None:
        if not self._pages.count:
            return
        try:
            for found in self._index(0, _ROOT, codec.root_entries):
                self.queues += (Queue(entry.name, entry.page) for entry in found)
        except BadStore as bad:
            self.why = str(bad)
        # All indexes first: a message that names a page of one by mistake is wrong, not the index.
        for queue, entries in [(queue, self._queue(queue)) for queue in self.queues]:
            prepared = queue.name == PREPARED
            queue.entries = [self._entry(entry, prepared=prepared) for entry in entries]

    def _queue(self, queue: Queue) -> list[QueueEntry]:
        last, entries = NONE, []
        try:
            for found in self._index(queue.head, _QUEUE, codec.queue_entries):
                for entry in found:
                    if entry.key <= last:
                        self.notes.append(Told("key-order", f"key {entry.key} follows key {last}"))
                    last = entry.key
                entries += found
        except BadStore as bad:
            queue.why = str(bad)
        return entries

    def _entry(self, entry: QueueEntry, *, prepared: bool) -> Entry:
        self.references[entry.page] += 1
        if known := self._messages.get(entry.page):
            found = known._replace(entry=entry)
        else:
            found = self._messages[entry.page] = self._message(entry, prepared=prepared)
        if entry.page in self._branches:
            self.branches.append(self._branches[entry.page])
        return found

    def _message(self, entry: QueueEntry, *, prepared: bool) -> Entry:
        data, fault = self._content(entry.page)
        try:
            found = codec.message(data)
        except BadStore as bad:
            return Entry(entry, None, len(data), fault or str(bad))
        if fault:
            self.notes.append(Told("bad-chain", fault))
        if prepared:
            try:
                self._branches[entry.page] = codec.branch(data)
            except BadStore as bad:
                return Entry(entry, None, len(data), BRANCH + str(bad))
        return Entry(entry, hashlib.sha256(data[: found.end]).hexdigest(), found.end, None)

    def _content(self, first: int) -> tuple[bytes, str | None]:
        """Return what the pages of a message hold, up to what is wrong with them."""
        parts: list[bytes] = []
        number, before = first, NONE
        try:
            while True:
                page = self._claim(number, _MESSAGE)
                header = codec.chain(page)
                self._follows(number, before, header.prev)
                if header.next != NONE and header.length != len(page):
                    text = f"page {number} is not the last of its message and not full"
                    self.notes.append(Told("short-page", text, number))
                parts.append(page[CHAIN_HEADER : header.length])
                if header.length > len(page):
                    raise BadStore(f"a page of a message with {header.length} bytes")
                before, number = number, header.next
                if number == NONE:
                    return b"".join(parts), None
        except BadStore as bad:
            return b"".join(parts), str(bad)
