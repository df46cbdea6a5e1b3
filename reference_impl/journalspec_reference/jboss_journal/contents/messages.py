"""Makes rows from messages and their positions: JMS columns, body by kind, remarks on damaged parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from journalspec_reference.artemis_xml import PROPERTY
from journalspec_reference.content import Content
from journalspec_reference.contents import Value
from journalspec_reference.jboss_journal.contents import amqp
from journalspec_reference.jboss_journal.contents.core import (
    KINDS,
    MOST_BODY,
    BodyParts,
    Message,
    body_of,
    is_compressed,
    uuid_text,
)
from journalspec_reference.jboss_journal.fileset import Room

#: Properties in which a large message stores the size of its body.
SIZES = ("_AMQ_LARGE_SIZE", "_HQ_LARGE_SIZE")


class QueuedMessage(NamedTuple):
    """Represents a message in a queue: its position, its stored `size`, and the values stored outside its own
    bytes.
    """

    queue: str | None
    id: int
    file: str
    off: int
    size: int
    delivery_count: int = 0
    scheduled: int | None = None
    paged: bool = False


#: The names of the types of properties in :mod:`journalspec_reference.artemis_xml`, by their tags.
TYPES = {tag: name for name, tag in PROPERTY.items()}
#: Columns whose values are stored outside a message's own bytes.
OUTER = frozenset((*QueuedMessage._fields, "redelivered", "protocol", "large"))


class Oddity(NamedTuple):
    """Represents one remark: its code, the affected id, the position, and the reason."""

    code: str
    key: str
    file: str = ""
    off: int | None = None
    why: str = ""
    table: str = "messages"


def least_size(message: Message) -> int:
    """Return the minimum length (bytes) of a large message's file, according to the message's properties."""
    sizes = (value for name in SIZES if isinstance(value := message.properties.get(name), int))
    return 0 if is_compressed(message.properties) else next(sizes, 0)


@dataclass(frozen=True)
class LargeFiles:
    """The files of large messages."""

    room: Room | None

    def open(self, ident: int) -> Content | None:
        """Return the body of a large message. Return None if there is no file."""
        if self.room is None:
            return None
        # The file of a non-durable message keeps the name that it received during the transfer of the
        # message.
        names = (f"{ident}{ending}" for ending in (".msg", ".tmp"))
        return next((found for name in names if (found := self.room.open(name)) is not None), None)

    def size(self, ident: int) -> int:
        """Return the size in bytes of a large message's file.

        Return 0 if there is no file, or it is not loaded.
        """
        found = self.open(ident)
        return found.size if found is not None and found.size <= MOST_BODY else 0

    @cached_property
    def idents(self) -> set[int]:
        """The ids of the messages that have files."""
        names = self.room.names if self.room is not None else frozenset[str]()
        stems = (name.removesuffix(".msg") for name in names if name.endswith(".msg"))
        return {int(stem) for stem in stems if stem.isascii() and stem.isdigit() and len(stem) < 20}


@dataclass(frozen=True)
class RowMaker:
    """Makes rows. `files` contains the bodies of large messages."""

    files: LargeFiles
    note: Callable[[Oddity], None]

    def row(self, at: QueuedMessage, message: Message) -> dict[str, Value]:
        """Return the row of a message in a queue."""
        as_text = amqp.as_text
        core = message.protocol == "core"
        large = self._large_body(at, message) if message.large else None
        if message.large and core:
            message.body = large or b""
        body = body_of(message) if core else BodyParts(data=message.body)
        problems = [each for each in (message.problem, body.problem) if each]
        get = message.properties.get
        row: dict[str, Value] = {
            **at._asdict(),
            "message_id": "ID:" + uuid_text(message.user_id) if message.user_id else None,
            "address": message.address,
            "kind": KINDS.get(message.type, "unknown") if core else "unknown",
            "protocol": message.protocol or None,
            "timestamp": message.timestamp or None,
            "expiration": message.expiration or None,
            "priority": message.priority,
            "durable": message.durable,
            "redelivered": at.delivery_count > 0,
            "correlation_id": as_text(get("JMSCorrelationID")),
            "reply_to": as_text(get("JMSReplyTo")),
            "group_id": as_text(get("_AMQ_GROUP_ID", get("_HQ_GROUP_ID"))),
            "group_sequence": amqp.whole(get("_AMQ_GROUP_SEQUENCE")),
            "type": as_text(get("JMSType")),
            "user_id": as_text(get("JMSXUserID", get("_AMQ_VALIDATED_USER"))),
            "size": at.size + len(large or b""),
            "properties": message.properties,
            "text": body.text,
            "content": body.content,
            "data": body.data,
            "class_name": body.class_name,
            "compressed": body.compressed,
            "large": message.large,
        }
        if message.tags is not None:
            row["types"] = {name: TYPES[tag] for name, tag in message.tags.items() if tag in TYPES}
            gone = message.large and large is None
            row["body"] = None if gone else b"" if message.blank else body.plain
        if message.protocol == "amqp":
            columns, reasons = amqp.message(message.body, large)
            if at.paged:
                row["scheduled"] = columns["scheduled"]
            row.update((name, columns[name]) for name in columns.keys() & row.keys() - OUTER)
            problems += reasons
        if problems:
            self.note(Oddity("undecodable", str(at.id), at.file, at.off, "; ".join(problems)))
        return row

    def _large_body(self, at: QueuedMessage, message: Message) -> bytes | None:
        """Return the content of the file of a large message. Add a remark on a missing or faulty file."""
        found, name = self.files.open(at.id), f"{at.id}.msg"
        if found is None:
            self.note(Oddity("no-large-file", str(at.id), at.file, at.off, name))
            return None
        if found.size > MOST_BODY:
            self.note(Oddity("too-large", str(at.id), name, None, f"{found.size} bytes"))
            return None
        if found.size < (size := least_size(message)):
            self.note(Oddity("short-large-file", str(at.id), name, None, f"{found.size} of {size} bytes"))
        return found.read(0, found.size)
