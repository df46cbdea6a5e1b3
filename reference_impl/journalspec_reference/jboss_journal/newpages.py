"""Page files of a new store.

They contain only complete entries, with their old numbers, for the queues that are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, groupby, islice
from pathlib import PurePath

from journalspec_reference.contents import Count
from journalspec_reference.jboss_journal.contents import core, paging
from journalspec_reference.jboss_journal.contents.messages import Oddity
from journalspec_reference.jboss_journal.contents.paging import Entry, PageFile
from journalspec_reference.jboss_journal.fileset import Room
from journalspec_reference.jboss_journal.wanted import MOST_ASKED, WantedParts, meaning
from journalspec_reference.newstore import LossItem, NewFile, parts


class NewPages:
    """The pages of the requested messages."""

    def __init__(self, wanted: WantedParts) -> None:
        self._wanted, self._store = wanted, wanted.store

    def _files(self) -> Iterator[PageFile]:
        return self._store.paging.files(self._store.report_page)

    @cached_property
    def numbers(self) -> set[int]:
        """The numbers of the pages in the source."""
        return {file.number for file in self._files()}

    def _entries(self, file: PageFile) -> Iterator[tuple[Entry | None, Sequence[int]]]:
        """Yield the entries of a page (None: damaged). Each entry has the queues for which it is carried
        over.

        Acknowledgements refer to the numbers of entries in a page, so no number is skipped.
        """
        index, store = 0, self._store
        for entry in file.entries(store.report_page):
            yield from ((None, ()) for _ in range(index, entry.index))
            index = entry.index + 1
            message = entry.message()
            if problem := self._wanted.problem(message.id, message):
                code, why = problem
                store.note(Oddity(code, f"{file.name}:{entry.off}", file.name, entry.off, why))
            elif store.pending.may_be_sent(entry.tx) and message.id not in self._wanted.gone:
                yield entry, [queue for queue in entry.queues if queue in self._wanted.queues]
                continue
            yield entry, ()

    def large(self) -> Iterator[tuple[int, LossItem | None]]:
        """Yield the ids of the large messages carried over, each with the item for a missing part or None."""
        for file in self._files():
            for entry, queues in self._entries(file):
                if entry is not None and queues and entry.is_large:
                    message = entry.message()
                    lacks = self._wanted.lacking(message.id, message, file.name, entry.off)
                    yield message.id, next(lacks, None)

    def count(self, totals: dict[int, Count]) -> None:
        """Add the pending paged messages to the totals of their queues."""
        for _, entry, queues in self._store.pending_entries():
            message = entry.message()
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
                message, size = entry.message(), entry.end - entry.start
                if self._wanted.problem(message.id, message):
                    continue
                for queue in {*entry.queues} - {*queues}:
                    code = self._wanted.why_not(queue, message.id)
                    code = code if pending.may_be_sent(entry.tx) else "no-page-transaction"
                    if code and not pending.is_done(queue, entry.page, entry.index):
                        name, place = self._store.name_of(queue), (file.name, entry.off, size)
                        yield LossItem("message", code, meaning(code), str(message.id), name, *place)

    def files(self, room: Room) -> Iterator[NewFile]:
        """Yield the files of pages and of their addresses, the pages of each address in one directory."""
        taken = set[str]()
        for address, files in self._by_address().items():
            names = [PurePath(file.name).parent.name for file in files]
            directory = next((each for each in names if each not in taken), f"{names[0]}-{len(taken)}")
            taken.add(directory)
            place, numbers = f"{room.path.name}/{directory}", set[int]()
            yield NewFile(f"{place}/{paging.ADDRESS_FILE}", [f"{address}\n".encode()])
            last = max(self.numbers)
            for file in files:
                if doubled := file.number in numbers:
                    last += 1
                numbers.add(file.number)
                name = f"{last:09}.page" if doubled else PurePath(file.name).name
                yield NewFile(f"{place}/{name}", parts(self._page(file, doubled=doubled)))

    def _by_address(self) -> Mapping[str, Sequence[PageFile]]:
        """Group the pages by address; the directory with the most pages comes first."""
        found: dict[str, list[list[PageFile]]] = {}
        for _, files in groupby(self._files(), lambda file: file.name.partition("/")[0]):
            pages = [(file, self._address(file)) for file in files]
            votes = Counter([*filter(None, (own for _, own in pages)), ""])
            usual = votes.most_common(1)[0][0] or pages[0][0].address
            parted: dict[str, list[PageFile]] = {}
            for file, own in pages:
                parted.setdefault(own or usual, []).append(file)
            for address, some in parted.items():
                found.setdefault(address, []).append(some)
        return {address: [*chain(*sorted(lists, key=len, reverse=True))] for address, lists in found.items()}

    def _address(self, file: PageFile) -> str:
        """Return the address of the queues for which a page is carried over; empty if no queue needs it.

        A queue receives only from the pages of its own address. The address in a message is no evidence,
        because it can be damaged, or include the queue.
        """
        queues = chain.from_iterable(own for _, own in islice(self._entries(file), MOST_ASKED))
        votes = Counter(map(self._wanted.address_of, queues))
        return votes.most_common(1)[0][0] if votes else ""

    def _page(self, file: PageFile, *, doubled: bool = False) -> Iterator[bytes]:
        """Yield the entries of a page. An omitted entry is replaced by a message in no queue.

        A `doubled` page gets a new number, which no cursor refers to. So acknowledged messages are omitted
        from this page.
        """
        pending = self._store.pending
        for entry, queues in self._entries(file):
            kept = queues
            if entry is not None and doubled and pending.is_sent(entry.tx):
                kept = [queue for queue in queues if not pending.is_done(queue, entry.page, entry.index)]
            if entry is None or not kept:
                stored = _placeholder(file)
            elif len(kept) == len(entry.queues):
                stored = entry.data
            else:
                listed = core.INT.pack(len(kept)) + b"".join(map(core.LONG.pack, kept))
                stored = entry.data[: entry.end] + listed
            yield paging.HEAD.pack(paging.START, len(stored)) + stored + paging.END


def _placeholder(file: PageFile) -> bytes:
    """Return an entry that is in no queue, so that the entries after it keep their numbers."""
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
        return paging.PROLOGUE.pack(-1, 0) + core.INT.pack(len(message)) + message + core.INT.pack(0)
    stored = core.INT.pack(core.BODY_AT) + headers
    address = b"\1" + core.text_bytes(file.address)
    message = bytes([core.CORE]) + core.LONG.pack(0) + address + core.INT.pack(len(stored)) + stored
    return paging.PROLOGUE.pack(-1, 0) + message + core.INT.pack(0)
