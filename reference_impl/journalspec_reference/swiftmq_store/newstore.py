"""Writes a new store: pages with the queues and messages that recovery keeps, an empty log, no swap files.

Pages get new numbers: first the root index, then for each queue its index and its messages. Keys stay
unchanged. Prepared branches refer to messages by key and page. Therefore the page numbers in them are
changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from struct import pack, pack_into
from typing import Any

from journalspec.reread import Changed
from journalspec_reference.answers import Answer, ask
from journalspec_reference.contents import Count
from journalspec_reference.newstore import (
    ChoiceRefused,
    LossItem,
    NewFile,
    NewStore,
    StoreChoices,
    nothing_kept,
    parts,
    pieces,
)
from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.codec import CHAIN_HEADER, INDEX_HEADER, NONE, PREPARED, QUEUE_ENTRY
from journalspec_reference.swiftmq_store.contents.message import decode
from journalspec_reference.swiftmq_store.durable import SUFFIX, subscription
from journalspec_reference.swiftmq_store.pages import java_order, queue_entry, root_entry
from journalspec_reference.swiftmq_store.recover import StoreState, is_subscriber
from journalspec_reference.swiftmq_store.scan import START
from journalspec_reference.swiftmq_store.store import DURABLES, LOG, PAGES, SWAP, Chained, Queue
from journalspec_reference.xids import xid_text

#: The topic of a subscription is searched for in at most this many messages.
MOST_TOLD = 100
#: Three codes: an item that a choice omits; the queue of a subscription whose topic is unknown; a
#: subscription whose file was rebuilt from its messages.
BY_CHOICE, NO_TOPIC, REBUILT = "by-choice", "no-topic", "subscription-rebuilt"
#: The code of a branch that cannot be decoded, and the effect of omitting it.
UNREAD = "bad-branch"
_COST = "messages that they inserted are delivered, and messages that they removed stay in their queues"
#: The place of a message in a queue: the name of the queue, the message's key, and its first page.
_Place = tuple[bytes, bytes, int]
_STEPS = (
    "Stop the router. Move db, log, swap and durables of the old store aside, and keep them.",
    "Put the new ones in their place, where the paths of the store swiftlet point to.",
)


@dataclass(slots=True)
class _Made:
    """Represents a queue of the new store: the entries that are carried over, its first page, and the number
    of its index pages.
    """

    queue: Queue
    kept: Sequence[int]
    head: int = 0
    indexes: int = 1
    bytes: int = 0


def new_store(answer: Answer, choices: StoreChoices) -> PagedStore:
    """Return the new store of a recovered store. Raises ChoiceRefused and CannotRebuild.

    If a branch cannot be decoded, recovery refuses the complete store (SMQ-RCV-119). If a choice omits such
    branches, the new store is made from the result of reading instead.
    """
    seen = answer.observation
    if seen.state is not None:
        return PagedStore(answer, choices)
    if seen.code != UNREAD:
        raise nothing_kept(seen)
    if _shown(PREPARED) not in choices.drop:
        text = f"--drop '{_shown(PREPARED)}' leaves out the branches that cannot be read: {_COST}"
        raise nothing_kept(seen, text)
    store = PagedStore(ask(answer.journal), choices)
    store.unrecovered = True
    return store


class PagedStore(NewStore):
    """A new store. Only page numbers are kept in memory. Bodies are read when they are written."""

    def __init__(self, answer: Answer, choices: StoreChoices) -> None:
        super().__init__(answer)
        state = answer.observation.state
        assert isinstance(state, StoreState)
        self._found = found = state.found
        assert found.read
        self._log, self._pages, walk = found.read
        self._size, self._shared = found.page_size, walk.shared
        self._branches: dict[str, list[codec.Branch]] = {}
        for one in found.branches:
            self._branches.setdefault(_id(one), []).append(one)
        self._users = {queue.name: queue for queue in found.queues if queue.name != PREPARED}
        #: The effects of choices: omitted queues; omitted messages; messages whose delivery count grows by
        #: one; decided branches.
        self._queues, self._left, self._again = set[bytes](), set[_Place](), set[_Place]()
        self._decided = set[str]()
        self._choose(choices)
        self._made = [
            _Made(queue, self._kept(queue))
            for queue in sorted(found.queues, key=lambda queue: java_order(queue.name))
            if queue.name not in self._queues
        ]
        #: Two values: the names of subscriptions whose files are copied, and a map from the names of
        #: subscriptions whose files are rebuilt to their topics.
        names = (f"{one.client}${one.name}" for one in found.durables)
        self._durables = {name: None for name in names if codec.queue_bytes(name) not in self._queues}
        self._rebuilt: dict[str, str] = {}
        self._subscribe()
        #: Two maps to new first pages: from each message to which a branch refers, and from each message that
        #: is in several queues.
        self._moved = dict.fromkeys(self._held(), NONE)
        self._placed: dict[tuple[bool, int], int] = {}
        self._lay_out()

    # Methods for choices.

    def _choose(self, choices: StoreChoices) -> None:
        if choices.keep or choices.salvage_records or choices.index_acks:
            text = "omitted data cannot be carried over: no checksum shows which bytes of it are right"
            raise ChoiceRefused(text, "--policy salvage keeps what can be read of a damaged queue")
        if gone := {*choices.queues} - {_shown(name) for name in self._users}:
            raise ChoiceRefused(f"there is no queue {min(gone)!r}", "inspect --contents queues lists them")
        if choices.queues:
            self._queues = {name for name in self._users if _shown(name) not in choices.queues}
            self.lines.append(f"--queue: only {', '.join(choices.queues)}")
        for text in choices.commit:
            self._decide("commit", text)
        for text in choices.rollback:
            self._decide("rollback", text)
        for text in choices.drop:
            branches = [queue.entries for queue in self._found.queues if queue.name == PREPARED]
            listed = [entries.listed(at) for entries in branches for at in range(len(entries))]
            unread = [one for one in listed if one.why is not None] if text == _shown(PREPARED) else []
            for (*_, key, page), _, _, why in unread:
                self._leave("transaction", str(key), PREPARED, page, UNREAD, f"{why}; {_COST}")
            if unread:
                line = f"{len(unread)} branches that cannot be read are left out; {_COST}"
                self.lines.append(f"--drop {text}: {line}; their other resources are not touched")
            else:
                self._drop(text)
        for name in sorted(self._queues):
            text = f"its {len(self._users[name].entries)} messages, and what branches have in it"
            self._leave("queue", _shown(name), name, None, BY_CHOICE, text)

    def _decide(self, choice: str, text: str) -> None:
        """Commit or roll back a branch (SMQ-XAB). This determines which of its messages are kept."""
        if text not in self._branches or text in self._decided:
            raise ChoiceRefused(f"{text}: no such branch is in doubt", "inspect --contents transactions")
        self._decided.add(text)
        for part in self._branches[text]:
            goes = (choice == "commit") == (part.kind == 0)
            if goes:
                self._left.update(_places(part))
            elif part.kind == 0:
                # After a removal that is rolled back, the product counts one more delivery.
                self._again.update(_places(part))
            done = f"{len(part.entries)} messages of {part.queue} {'go' if goes else 'stay'}"
            self._leave("transaction", text, part.queue.encode(), None, BY_CHOICE, f"{choice}: {done}")
            self.lines.append(f"--{choice} {text}: {done}; its other resources are not touched")

    def _drop(self, text: str) -> None:
        """Omit a queue, or the messages with a key or an id. Raises ChoiceRefused if a branch contains one of
        them.
        """
        named = [name for name in self._users if _shown(name) == text]
        found = [] if named else self._search(text)
        held = self._held()
        if any(place in held for place in found) or any(place[0] in named for place in held):
            raise ChoiceRefused(f"{text}: a prepared branch holds it", "--commit or --rollback that first")
        self._queues.update(named)
        self._left.update(found)
        self.lines.append(f"--drop {text}: {f'{len(found)} messages' if found else 'a queue'} left out")
        for queue, key, page in found:
            number = str(int.from_bytes(key, signed=True))
            self._leave("message", number, queue, page, BY_CHOICE, f"named by {text!r}")

    def _search(self, text: str) -> list[_Place]:
        """Return the messages with a queue and key, with a key that is in only one queue, or with a message
        id.
        """
        users = self._users.values()
        found = [
            _place(queue.name, row)
            for queue in users
            for row in queue.entries.rows()
            if text in (str(row[3]), f"{_shown(queue.name)} {row[3]}")
        ]
        if len({place[0] for place in found}) > 1:
            raise ChoiceRefused(f"several queues have a key {text}", "name the queue as well: 'QUEUE KEY'")
        found = found or [
            _place(queue.name, row)
            for queue in users
            for at, row in enumerate(queue.entries.rows())
            if decode(queue.entries.content(at))[0]["message_id"] == text
        ]
        if not found:
            hint = "name a queue, a message by its queue and key ('QUEUE KEY'), or by its id"
            raise ChoiceRefused(f"there is no queue and no message {text!r}", hint)
        return found

    def _leave(self, what: str, id: str, queue: bytes, page: int | None, code: str, text: str) -> None:
        off = None if page is None else page * self._size
        self.items.append(LossItem(what, code, text, id, _shown(queue), self._found.name(PAGES), off))

    def _held(self) -> set[_Place]:
        """Return the messages of the branches that remain in doubt."""
        return {
            place
            for text, parts in self._branches.items()
            if text not in self._decided
            for place in chain.from_iterable(map(_places, parts))
        }

    def _kept(self, queue: Queue) -> Sequence[int]:
        """Return which entries of a queue are carried over. Unreadable entries are not carried over."""
        entries = queue.entries
        number: Sequence[int] = range(len(entries))
        if entries.bad or entries.bad_branches:
            number = [at for at in number if entries.listed(at).why is None]
        if queue.name == PREPARED and (self._decided or self._queues):
            parts = {at: codec.branch(entries.content(at)) for at in number}
            return [
                at
                for at, one in parts.items()
                if _id(one) not in self._decided and one.queue.encode() not in self._queues
            ]
        if self._left:
            return [at for at in number if _place(queue.name, entries.row(at)) not in self._left]
        return number

    def _subscribe(self) -> None:
        """Rebuild the files of subscriptions that have a queue but no valid file, if other subscriptions have
        files.

        Without the file of a subscription, the product would never deliver its messages. The topic is taken
        from the messages. The selector is unknown.
        """
        gone = set()
        for made in self._made if "durable" in self._found.roles.values() else ():
            name, entries, number = _shown(made.queue.name), made.queue.entries, len(made.kept)
            if is_subscriber(made.queue.name) and name not in self._durables:
                # Only the first messages are decoded: a queue can contain many entries for the same message.
                topics = (decode(entries.content(at))[0]["address"] for at in made.kept[:MOST_TOLD])
                topic = next(filter(None, topics), None)
                if topic is not None and re.fullmatch(r"[\w.$-]+", name):
                    self._rebuilt[name] = str(topic)
                else:
                    gone.add(made.queue.name)
                    text = f"a durable subscriber's {number} messages: their topic is unknown"
                    self._leave("queue", name, made.queue.name, None, NO_TOPIC, text)
        self._made = [made for made in self._made if made.queue.name not in gone]

    # Pages.

    def _lay_out(self) -> None:
        """Number the pages."""
        room = self._size - INDEX_HEADER
        self._root: list[list[_Made]] = [[]]
        left = room
        for made in self._made:
            size = len(root_entry(made.queue.name, 0))
            if size > left:
                self._root.append([])
                left = room
            self._root[-1].append(made)
            left -= size
        number, most = len(self._root), room // QUEUE_ENTRY
        for made in self._made:
            made.head, made.indexes = number, max(1, -(-len(made.kept) // most))
            number += made.indexes
            for at, entry, length, count in self._entries(made):
                made.bytes += length
                number += count
                if self._moved:
                    place = _place(made.queue.name, made.queue.entries.row(at))
                    if place in self._moved:
                        self._moved[place] = entry.page

    def _entries(self, made: _Made) -> Iterator[tuple[int, codec.QueueEntry, int, int]]:
        """Yield the entries of a queue: position in the old queue, new entry, bytes and pages of its message.

        A message to which an earlier entry also refers takes no further pages. But in the queue of branches,
        each entry has its own pages.
        """
        page, room, name = made.head + made.indexes, self._size - CHAIN_HEADER, made.queue.name
        prepared, shared, again = name == PREPARED, self._shared, self._again
        row, entry = made.queue.entries.row, codec.QueueEntry
        for at in made.kept:
            priority, deliveries, expiration, key, old, length, _ = row(at)
            count = -(-length // room) or 1
            first = page
            if prepared or old in shared:
                first = self._placed.setdefault((prepared, old), page)
                count = count if first == page else 0
            if again and _place(name, (0, 0, 0, key, old)) in again:
                deliveries += 1
            yield at, entry(priority, deliveries, expiration, key, first), length, count
            page += count

    def _written(self) -> Iterator[bytes]:
        """Yield the pages."""
        for number, some in enumerate(self._root):
            queues = [root_entry(made.queue.name, made.head) for made in some]
            yield self._index(number, 0, len(self._root), queues)
        most = (self._size - INDEX_HEADER) // QUEUE_ENTRY
        for made in self._made:
            entries = (queue_entry(entry) for _, entry, _, _ in self._entries(made))
            for number in range(made.indexes):
                yield self._index(number, made.head, made.indexes, [*islice(entries, most)])
            for at, entry, length, count in self._entries(made):
                if count:
                    yield from self._message(made.queue, at, entry.page, length)

    def _index(self, number: int, head: int, count: int, entries: Sequence[bytes]) -> bytes:
        before = head + number - 1 if number else NONE
        after = head + number + 1 if number + 1 < count else NONE
        page = pack(">xiiii", before, after, len(entries), len(entries)) + b"".join(entries)
        return page.ljust(self._size, b"\0")

    def _message(self, queue: Queue, at: int, number: int, length: int) -> Iterator[bytes]:
        """Yield the pages of a message; raises Changed if the file changed since it was read."""
        room, before = self._size - CHAIN_HEADER, NONE
        buffer, left = bytearray(), length
        for piece in self._pieces(queue, at, length):
            buffer += piece
            left -= len(piece)
            while len(buffer) > room or (not left and buffer):
                part = bytes(buffer[:room])
                del buffer[:room]
                after = number + 1 if buffer or left else NONE
                yield (pack(">xiii", before, after, CHAIN_HEADER + len(part)) + part).ljust(self._size, b"\0")
                before, number = number, number + 1
        if left:
            raise Changed(self._found.name(PAGES))

    def _pieces(self, queue: Queue, at: int, length: int) -> Iterator[bytes]:
        try:
            page = queue.entries.row(at)[4]
            alone = codec.alone(self._pages[page])
            if queue.name != PREPARED and 0 < length <= len(alone):
                yield alone[:length]
                return
            stored = Chained(self._pages, page, length)
            if queue.name != PREPARED:
                yield from stored.pieces(0, min(length, len(stored)))
                return
            data = bytearray(stored[:length])
            images: list[int] = []
            branch = codec.branch(data, images)
            for off, entry in zip(images, branch.entries, strict=True):
                page = self._moved[_place(branch.queue.encode(), entry)]
                pack_into(">i", data, off + codec.IMAGE_PAGE, page)
            yield bytes(data)
        except codec.BadStore:
            raise Changed(self._found.name(PAGES)) from None

    # The report.

    def carried(self) -> Iterator[Count]:
        """Yield the numbers of messages in each queue, of subscriptions, and of branches in doubt."""
        for made in self._made:
            if made.queue.name != PREPARED:
                yield Count("messages", _shown(made.queue.name), len(made.kept), made.bytes)
        if number := len(self._durables) + len(self._rebuilt):
            yield Count("subscriptions", "", number, 0)
        parts = (one for one in self._found.branches if one.queue.encode() not in self._queues)
        if number := len({*map(_id, parts)} - self._decided):
            yield Count("transactions", "", number, 0)

    def unverified(self) -> Iterator[LossItem]:
        """Yield the subscriptions whose files were rebuilt."""
        for name, topic in self._rebuilt.items():
            file = self._found.name(f"{DURABLES}{name}{SUFFIX}")
            text = (
                f"its file was lost: created again for the topic {topic} of its messages, without a selector"
            )
            yield LossItem("subscription", REBUILT, text, name, name, file)

    def steps(self) -> Sequence[str]:
        """Return the steps to put the new store in place."""
        return (
            *_STEPS,
            f"Have page-size-current of the store swiftlet be {self._size}, as it was; start the router.",
        )

    def files(self) -> Iterator[NewFile]:
        """Yield the pages, a log with only a START, an empty directory for swap files, subscriptions."""
        yield NewFile(PAGES, parts(self._written()))
        yield NewFile(LOG, [pack(">iq", START, self._log.unlike(max(0, self._log.generation)))])
        yield NewFile(SWAP, [])
        if not self._durables:
            yield NewFile(DURABLES, [])
        for name in self._durables:
            path = f"{DURABLES}{name}{SUFFIX}"
            yield NewFile(path, pieces(self._found.files[path]))
        for name, topic in self._rebuilt.items():
            yield NewFile(f"{DURABLES}{name}{SUFFIX}", [subscription(topic)])


def _shown(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _id(branch: codec.Branch) -> str:
    return xid_text(branch.format_id, branch.gtrid, branch.bqual)


def _place(queue: bytes, row: Sequence[Any]) -> _Place:
    """Return the position of an entry, given as a row of a queue or as an entry."""
    return queue, row[3].to_bytes(8, "big", signed=True), row[4]


def _places(branch: codec.Branch) -> Iterator[_Place]:
    return (_place(branch.queue.encode(), entry) for entry in branch.entries)
