"""The construct schemas of logs, pages and messages. They parse clean bytes, and build any bytes.

A page does not store its own type. Therefore the caller, which follows a reference to the page, chooses the
schema.
"""

from __future__ import annotations

from typing import Any

from construct import (
    Bytes,
    Construct,
    GreedyBytes,
    If,
    Int8ub,
    Int32sb,
    Peek,
    Struct,
    Switch,
    Tell,
)

from journalspec.elements import Blob, Checked, ConstructCodec, Counted, While, ahead
from journalspec.swiftmq_store import ACTIONS, LAYOUT


def record_schema(
    codec: ConstructCodec, edition: str, header: str, page_size: int = 2048
) -> Construct[Any, Any]:
    """Return the schema of a record that begins with `header`.

    In a tagged log, the record may also be a START.
    """
    again = header == "record"
    heads = {True: codec.schema("start", edition), False: codec.schema(header, edition)}
    action = action_schema(codec, edition, page_size)
    return Struct(
        "off" / Tell,
        "_code" / Peek(Int32sb),
        "header" / Switch(lambda context: again and context._code == 1, heads),
        "actions" / Counted(lambda context: context.header.get("number", 0), action),
        "end" / Tell,
    )


def action_schema(codec: ConstructCodec, edition: str, page_size: int) -> Construct[Any, Any]:
    """Return the schema of the changes that a record makes to one page."""
    picture = Struct(
        "page" / Checked(Int32sb, lambda page, _: page >= 0, "a page"),
        "changed" / Int8ub,
        "empty" / Int8ub,
        "whole" / If(lambda context: context.empty == 0, Bytes(page_size)),
    )

    return Struct(
        "kind" / Checked(Int32sb, lambda kind, _: kind in ACTIONS, "an action"),
        "flag" / If(lambda context: context.kind == 4, Peek(Blob(9))),
        "body"
        / Switch(
            lambda context: (context.kind, bool(context.flag) and context.flag[8] == 1),
            {
                (1, False): codec.schema("insert", edition),
                (2, False): Struct("before" / picture, "after" / picture),
                (3, False): codec.schema("delete", edition),
                (4, True): codec.schema("portion", edition),
                (4, False): codec.schema("new_portion", edition),
            },
        ),
    )


def log_schema(codec: ConstructCodec, edition: str, page_size: int = 2048) -> Construct[Any, Any]:
    """Return the schema of a log: a START if the log is tagged, the records, and the bytes after them."""

    def more(stream: Any, context: Any) -> bool:
        head = ahead(stream, 12)
        tagged, code = context.start is not None, int.from_bytes(head[:4])
        if len(head) < 4 or code not in ((1, 2, 3) if tagged else (2, 3)):
            return False
        # If too few bytes are left for a generation, the bytes are not a record of an earlier generation.
        own = not tagged or int.from_bytes(head[4:], signed=True) == context.start.generation
        return own or len(head) < 12

    heads = {True: "record", False: "untagged_record"}
    records: dict[Any, Construct[Any, Any]] = {
        tagged: While(more, record_schema(codec, edition, header, page_size))
        for tagged, header in heads.items()
    }
    return Struct(
        "first" / Peek(Blob(4)),
        "start" / If(_tagged, codec.schema("start", edition)),
        "records" / Switch(_tagged, records),
        "rest" / GreedyBytes,
    )


def _tagged(context: Any) -> bool:
    return bool(context.first and context.first[:4] == b"\0\0\0\1")


CODEC = ConstructCodec(LAYOUT, log_schema)
#: The schema of a swap file. Every entry in the file is complete.
SWAP = Struct("entries" / While(lambda stream, _: bool(ahead(stream, 1)), CODEC.schema("swap_entry", "13")))
