"""Page files of a new store: complete entries alone, in their places, for the queues that are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, groupby, islice

from journalspec_reference.contents import Total
from journalspec_reference.jboss_journal.contents import core
from journalspec_reference.jboss_journal.contents.beside import Room
from journalspec_reference.jboss_journal.contents.messages import Oddity
from journalspec_reference.jboss_journal.contents.paging import (
    ADDRESS_FILE,
    END,
    HEAD,
    PROLOGUE,
    START,
    Entry,
    PageFile,
)
from journalspec_reference.jboss_journal.wanted import WantedParts, meaning, paged_message
from journalspec_reference.newstore import LossItem, NewFile, parts

#: This many messages are searched for the address of their pages.
MOST_ASKED = 100


class NewPages:
    """The pages of the requested messages."""

    def __init__(self, wanted: WantedParts) -> None:
        self._wanted, self._store = wanted, wanted.store

    def _files(self) -> Iterator[PageFile]:
        return self._store.paging.files(self._store.report_page)

    @cached_property
    def numbers(self) -> set[int]:
        """The numbers of the pages."""
        return {file.number for file in self._files()}

    def _entries(self, file: PageFile) -> Iterator[tuple[Entry | None, Sequence[int]]]:
        """Yield the entries of a page, each with the queues that it is written for; None: damaged.

        Acknowledgements refer to places in a page, so no place is skipped.
        """
        index, store = 0, self._store
        for entry in file.entries(store.report_page):
            yield from ((None, ()) for _ in range(index, entry.index))
            index = entry.index + 1
            message = paged_message(entry)
            if problem := self._wanted.problem(message.id, message):
                code, why = problem
                store.note(Oddity(code, f"{file.name}:{entry.off}", file.name, entry.off, why))
            elif store.pending.may_be_sent(entry.tx) and message.id not in self._wanted.gone:
                yield entry, [queue for queue in entry.queues if queue in self._wanted.queues]
                continue
            yield entry, ()

    def large(self) -> Iterator[tuple[int, LossItem | None]]:
        """Yield the ids of large messages that are carried over, and what each lacks."""
        for file in self._files():
            for entry, queues in self._entries(file):
                if entry is not None and queues and entry.is_large:
                    message = paged_message(entry)
                    lacks = self._wanted.lacking(message.id, message, file.name, entry.off)
                    yield message.id, next(lacks, None)

    def count(self, totals: dict[int, Total]) -> None:
        """Add the pending messages of the pages to the totals of queues."""
        for _, entry, queues in self._store.pending_entries():
            message = paged_message(entry)
            if not self._wanted.problem(message.id, message) and message.id not in self._wanted.gone:
                size = entry.end - entry.start
                size += self._store.large.size(message.id) if entry.is_large else 0
                for queue in totals.keys() & {*queues}:
                    totals[queue].add(size, entry.timestamp or None)

    def left_out(self) -> Iterator[LossItem]:
        """Yield messages of queues that are not kept, except for acknowledged ones."""
        pending = self._store.pending
        for file in self._files():
            for entry, queues in self._entries(file):
                if entry is None or len(queues) == len(entry.queues):
                    continue
                message, size = paged_message(entry), entry.end - entry.start
                if self._wanted.problem(message.id, message):
                    continue
                for queue in {*entry.queues} - {*queues}:
                    code = self._wanted.why_not(queue, message.id)
                    code = code if pending.may_be_sent(entry.tx) else "no-page-transaction"
                    if code and not pending.is_done(queue, entry.page, entry.index):
                        name, place = self._store.name_of(queue), (file.name, entry.off, size)
                        yield LossItem("message", code, meaning(code), str(message.id), name, *place)

    def files(self, room: Room) -> Iterator[NewFile]:
        """Yield the files of pages and of their addresses."""
        for directory, found in groupby(self._files(), lambda file: file.name.partition("/")[0]):
            files, place = [*found], f"{room.path.name}/{directory}"
            yield NewFile(f"{place}/{ADDRESS_FILE}", [f"{self._address(files)}\n".encode()])
            for file in files:
                yield NewFile(f"{room.path.name}/{file.name}", parts(self._page(file)))

    def _address(self, files: Sequence[PageFile]) -> str:
        """Return the address of pages in one directory: without the right one a broker does not find them.

        Messages have their address, too. Where damage leaves a doubt, it is one that a queue receives from.
        """
        entries = chain.from_iterable(map(self._entries, files))
        own = (paged_message(entry).address for entry, queues in entries if entry and queues)
        votes = Counter([*filter(None, islice(own, MOST_ASKED)), files[0].address])
        bound = {queue.address for queue in self._store.bindings.queues.values()}
        return max(votes, key=lambda each: (votes[each], each in bound))

    def _page(self, file: PageFile) -> Iterator[bytes]:
        """Yield the entries of a page: one that is not carried over becomes a message in no queue."""
        for entry, queues in self._entries(file):
            if entry is None or not queues:
                stored = _placeholder(file)
            elif len(queues) == len(entry.queues):
                stored = entry.data
            else:
                listed = core.INT.pack(len(queues)) + b"".join(map(core.LONG.pack, queues))
                stored = entry.data[: entry.end] + listed
            yield HEAD.pack(START, len(stored)) + stored + END


def _placeholder(file: PageFile) -> bytes:
    """Return an entry that is in no queue: it keeps the places of those after it."""
    headers = (
        core.LONG.pack(0)
        + b"\1"
        + core.text_bytes(file.address)
        + b"\0"
        + core.HEADERS.pack(0, True, 0, 0, 4, 0)
    )
    if file.old:
        message = (
            core.INT.pack(core.OLD_BODY_AT)
            + core.INT.pack(2 * core.INT.size + len(headers) + core.BODY_AT)
            + headers
        )
        return PROLOGUE.pack(-1, 0) + core.INT.pack(len(message)) + message + core.INT.pack(0)
    stored = core.INT.pack(core.BODY_AT) + headers
    address = b"\1" + core.text_bytes(file.address)
    message = bytes([core.CORE]) + core.LONG.pack(0) + address + core.INT.pack(len(stored)) + stored
    return PROLOGUE.pack(-1, 0) + message + core.INT.pack(0)
