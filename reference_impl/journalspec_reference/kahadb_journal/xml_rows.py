"""The messages and queues of a KahaDB under their names in Artemis, for :mod:`.artemis_xml`.

A durable subscription of a topic becomes a queue of the topic's address. The queue gets the name that Artemis
would choose, and the selector as filter; so a client that subscribes again finds its messages.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from journalspec_reference.answers import Answer
from journalspec_reference.contents import Row, Value, inflated
from journalspec_reference.kahadb_journal.contents import KahaContents, contents, openwire
from journalspec_reference.kahadb_journal.store import PLACE

#: Maps the tag of a value to the name of its type in Artemis.
_TYPES = {
    **{1: "boolean", 2: "byte", 3: "char", 4: "short", 5: "integer", 6: "long", 7: "double", 8: "float"},
    **{9: "string", 10: "bytes", 13: "string"},
}
#: Maps a word in a selector to the equivalent word in a filter of Artemis.
_FILTERS = {
    **{"JMSDeliveryMode": "AMQDurable", "JMSPriority": "AMQPriority", "JMSTimestamp": "AMQTimestamp"},
    **{"JMSMessageID": "AMQUserID", "JMSExpiration": "AMQExpiration"},
    **{"'PERSISTENT'": "'DURABLE'", "'NON_PERSISTENT'": "'NON_DURABLE'"},
}
_WORD = re.compile(r"'(?:[^']|'')*'|[A-Za-z_$][\w$]*")


def queues(answer: Answer) -> Iterator[Row]:
    """Yield a queue of Artemis for each queue, and for each durable subscription."""
    found = contents(answer)
    for row in found.rows("queues"):
        if str(row["kind"]).endswith("queue"):
            yield {"queue": row["name"], "address": row["name"], "routing": "anycast", "filter": None}
    names = dict(_subscriptions(found))
    for row in found.rows("subscriptions"):
        selector = row["selector"]
        kept = None if selector is None else filter_of(str(selector))
        queue = names[str(row["queue"]), str(row["key"])]
        yield {"queue": queue, "address": row["queue"], "routing": "multicast", "filter": kept}


def messages(answer: Answer) -> Iterator[Row]:
    """Yield the messages, with the types of their properties and of the values in a body."""
    found = contents(answer)
    names, places = dict(_subscriptions(found)), found.passed.places
    turns = {file.name: turn for turn, file in enumerate(found.passed.files)}
    for row in found.rows("messages"):
        place = (turns[str(row["file"])] << PLACE) + int(str(row["off"]))
        data, _ = places.message(place)
        fields = openwire.read(data, found.version).fields
        out: dict[str, Value] = {**row, "types": _types(fields.get("properties"))}
        if row["kind"] in ("map", "stream") and row["content"] is not None:
            out["content_types"] = _content_types(str(row["kind"]), fields)
        if row["kind"] in ("bytes", "object") and "content" in fields and fields["content"] is None:
            out["data"] = b""
        if row["subscription"] is not None:
            out["queue"] = names[str(row["queue"]), str(row["subscription"])]
        if row["group_id"] is None:
            # Every message has a sequence number, but without a group the number has no meaning.
            out["group_sequence"] = None
        yield out


def _subscriptions(found: KahaContents) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield topic and key of each subscription, and the name of its queue."""
    for row in found.rows("subscriptions"):
        client, name = row["client_id"], row["name"]
        known = queue_of(str(client), str(name)) if name is not None else str(row["key"])
        yield (str(row["queue"]), str(row["key"])), known


def queue_of(client: str, name: str) -> str:
    """Return the Artemis name of the queue of a durable subscription."""
    return ".".join(part.replace("\\", "\\\\").replace(".", "\\.") for part in (client, name))


def filter_of(selector: str) -> str:
    """Return a selector as a filter of Artemis."""
    return _WORD.sub(lambda word: _FILTERS.get(word[0], word[0]), selector)


class _Typed(openwire.Bytes):
    """A reader of values that records the type of each value that is not nested."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.types: list[str] = []

    def value(self, depth: int = 0) -> Any:
        """Return a value of a property, map or stream; raises OpenWireError."""
        if not depth:
            self.types.append(_TYPES.get(self.data[self.at], ""))
        return super().value(depth)


class _Types(dict[str, Any]):
    """The entries of a map, with the types of their values in place of the values."""

    def __init__(self, taken: _Typed) -> None:
        super().__init__()
        self._taken = taken

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, self._taken.types[-1])


def _types(stored: bytes | None) -> dict[str, Value]:
    """Return a map from name to type of properties or map entries, as far as they can be read."""
    taken = _Typed(stored or bytes(4))
    found = _Types(taken)
    with suppress(openwire.OpenWireError, IndexError, struct.error):
        taken.entries(found)
    return dict(found)


def _content_types(kind: str, fields: Mapping[str, Any]) -> Value:
    """Return the types of the values in the body of a map or stream message."""
    content = fields.get("content") or b""
    if fields.get("compressed"):
        content = inflated(content, openwire.INFLATED)
    if kind == "map":
        return _types(content)
    taken = _Typed(content)
    with suppress(openwire.OpenWireError, IndexError, struct.error):
        openwire.READERS["stream"](taken, {})
    return taken.types
