"""The contents of a store: messages of queues, subscriptions, prepared branches, and messages of swap files.

The contents are those of the answer of recovery. Messages that recovery dropped are absent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from struct import Struct
from typing import Any

from journalspec_reference.answers import Answer
from journalspec_reference.contents import Contents, Count, Remark, Value
from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.contents.message import decode
from journalspec_reference.swiftmq_store.durable import presumed
from journalspec_reference.swiftmq_store.recover import Recovered, StoreState, key_bytes, swap_queue
from journalspec_reference.swiftmq_store.store import PAGES, Queue
from journalspec_reference.xids import xid_text

#: The first fields of an entry in a swap file: the length of the entry, and the number of deliveries of the
#: message.
_SWAPPED = Struct(">ii")
#: The fields at the start of a message, up to the time when it was sent.
_SENT = Struct(">16xq")


def contents(answer: Answer) -> StoreContents:
    """Return the contents of a recovered store; they are empty if recovery refuses it."""
    state = answer.observation.state
    return StoreContents(state.found if isinstance(state, StoreState) else Recovered({}))


class StoreContents(Contents):
    """The contents of one store. Each message is read when its row is requested."""

    def __init__(self, found: Recovered) -> None:
        super().__init__("swiftmq_store")
        self._found = found

    def counts(self) -> Iterator[Count]:
        """Yield the number of messages in each queue and in each swap file."""
        for queue in self._of_users():
            total = Count("messages", _name(queue.name))
            for at in range(len(queue.entries)):
                total.add(queue.entries.listed(at).length, _sent(_stored(queue, at, _SENT.size)))
            yield total
        for path in self._found.swaps:
            data, total = self._found.files[path], Count("swapped", swap_queue(path))
            for off, end in codec.swapped(data):
                total.add(end - off, _sent(bytes(data[off + _SWAPPED.size : end][: _SENT.size])))
            yield total

    def _of_users(self) -> Iterator[Queue]:
        """Yield the queues, except for the queue of prepared branches."""
        return (queue for queue in self._found.queues if queue.name != codec.PREPARED)

    def _held(self) -> dict[tuple[bytes, bytes, int], str]:
        """Return a map from (queue, key, page) of each message in a prepared branch to that branch."""
        return {
            (branch.queue.encode(), key_bytes(entry), entry.page): _branch(branch)
            for branch in self._found.branches
            for entry in branch.entries
        }

    def _messages(self) -> Iterator[dict[str, Value]]:
        file, size, held = self._found.name(PAGES), self._found.page_size, self._held()
        for queue in self._of_users():
            name = _name(queue.name)
            for at in range(len(queue.entries)):
                entry, _, length, why = queue.entries.listed(at)
                row, problems = decode(_stored(queue, at))
                place: dict[str, Value] = {"file": file, "off": entry.page * size}
                if why:
                    self._remark("messages", f"{name} {entry.key}", place, "unreadable", why)
                for code, text in problems if not why else ():
                    self._remark("messages", f"{name} {entry.key}", place, code, text)
                # The queue's index determines these columns, even if the message itself differs.
                row |= {"priority": entry.priority, "expiration": entry.expiration or None}
                row |= {"delivery_count": entry.deliveries, "queue": name, "id": entry.key, "size": length}
                row["transaction"] = held.get((queue.name, key_bytes(entry), entry.page))
                yield row | place

    def _remark(self, table: str, key: str, place: Mapping[str, Any], code: str, text: str) -> None:
        self.remarks.add(Remark(table, key, place["file"], place["off"], code, text))

    def _queues(self) -> Iterator[dict[str, Value]]:
        held = Counter(queue for queue, _, _ in self._held())
        for queue, count in zip(self._of_users(), self.counts(), strict=False):
            yield {
                "name": count.name,
                "messages": count.rows,
                "held": held[queue.name],
                "unreadable": queue.entries.bad,
                "bytes": count.bytes,
                "oldest": count.oldest,
                "newest": count.newest,
            }

    def _subscriptions(self) -> Iterator[dict[str, Value]]:
        durables, file_name = [*self._found.durables], self._found.name
        for path, why in self._found.bad_files.items():
            place = {"file": file_name(path), "off": None}
            if one := presumed(path.rpartition("/")[2], bytes(self._found.files[path])):
                durables.append(one)
                self._remark("subscriptions", f"{one.client}${one.name}", place, "bad-subscription", why)
        pending = {queue.name: len(queue.entries) for queue in self._of_users()}
        for one in sorted(durables, key=lambda one: (one.client, one.name)):
            queue = f"{one.client}${one.name}"
            messages = pending.get(codec.queue_bytes(queue))
            yield {**one._asdict(), "client_id": one.client, "queue": queue, "messages": messages}

    def _transactions(self) -> Iterator[dict[str, Value]]:
        branches: dict[tuple[bool, int, bytes, bytes], list[codec.Branch]] = {}
        for one in sorted(self._found.branches, key=lambda one: one[:5]):
            branches.setdefault((one.routing, *one[:3]), []).append(one)
        for (routing, format_id, gtrid, bqual), parts in branches.items():
            row: dict[str, Value] = {"format_id": format_id, "gtrid": gtrid, "bqual": bqual}
            row |= {"id": _branch(parts[0]), "state": "prepared", "routing": routing}
            row["prepared"] = min(part.time for part in parts)
            row["messages"] = sum(len(part.entries) for part in parts)
            row["parts"] = [
                {
                    "queue": part.queue,
                    "action": "insert" if part.kind else "remove",
                    "ids": [entry.key for entry in part.entries],
                }
                for part in parts
            ]
            yield row

    def _swapped(self) -> Iterator[dict[str, Value]]:
        for path in self._found.swaps:
            data, after = self._found.files[path], 0
            for off, after in codec.swapped(data):
                stored = bytes(data[off:after])
                row, problems = decode(stored[_SWAPPED.size :])
                place: dict[str, Value] = {"file": self._found.name(path), "off": off}
                for code, text in problems:
                    self._remark("swapped", f"{path} {off}", place, code, text)
                row |= {"queue": swap_queue(path), "size": after - off - _SWAPPED.size}
                row["delivery_count"] = _SWAPPED.unpack_from(stored)[1]
                yield row | place
            if after < len(data):
                place = {"file": self._found.name(path), "off": after}
                self._remark("swapped", path, place, "cut", f"{len(data) - after} bytes are not an entry")


def _sent(head: bytes) -> int | None:
    """Return the time when a message was sent (milliseconds), from its first bytes. Return None if it is
    unknown.
    """
    return _SENT.unpack(head)[0] or None if len(head) == _SENT.size else None


def _stored(queue: Queue, at: int, most: int | None = None) -> bytes:
    try:
        return queue.entries.content(at, most)
    except codec.BadStore:  # The file has changed since the index was read.
        return b""


def _name(stored: bytes) -> str:
    return stored.decode("utf-8", "replace")


def _branch(branch: codec.Branch) -> str:
    return xid_text(branch.format_id, branch.gtrid, branch.bqual)
