"""The construct schemas of log files and of record bodies. They parse clean files and bodies, and build any
files and bodies.

GreedyRange is not used here, because it would end without an error at a damaged record.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any

from construct import (
    Construct,
    ConstructError,
    FocusedSeq,
    GreedyBytes,
    If,
    Int8ub,
    Int16ub,
    Int32sb,
    Int64sb,
    Prefixed,
    Rebuild,
    Struct,
    Switch,
    Tell,
    Terminated,
    ValidationError,
    this,
)
from construct.core import stream_read, stream_write

from journalspec.derby_log import LAYOUT
from journalspec.derby_log import operations as table
from journalspec.elements import Blob, Checked, ConstructCodec, Counted, While, ahead
from journalspec.numbers import compressed


def file_schema(codec: ConstructCodec, edition: str) -> Construct[Any, Any]:
    """Return the schema of one log file.

    It consists of records up to a length of 0 or the end, and the bytes after them.
    """

    def more(stream: Any, _: Any) -> bool:
        return ahead(stream, 4) not in (b"", bytes(4))

    def in_place(record: Any, context: Any) -> bool:
        return bool(record.instant == context.header.number << 32 | record.off)

    def vouched(record: Any, context: Any) -> bool:
        """Return whether a checksum record matches the bytes after it (DRB-CHK-032)."""
        if edition == "seed" or not (said := coverage(record.body)):
            return True
        covered = context._io.getbuffer()[record.end : record.end + said[0]]
        return len(covered) == said[0] and zlib.crc32(covered) == said[1]

    record = Checked(codec.schema("record", edition), in_place, "a record of this place")
    return Struct(
        "header" / codec.schema("header", edition),
        "records" / While(more, Checked(record, vouched, "a checksum that fits")),
        "rest" / GreedyBytes,
    )


def coverage(body: bytes) -> tuple[int, int] | None:
    """Return the number of bytes that a checksum record covers, and the checksum. Return None for any other
    body.

    The result for an opaque body is None: if it began like a checksum record, it would have been decoded.
    """
    try:
        known = body[:2] == _LOG_RECORD and Packed(1).parse(body[2:]) & table.groups()["CHECKSUM"]
        parsed = BODY.parse(body) if known else None
    except ConstructError as error:
        raise ValidationError(f"a checksum record that is none: {error}") from None
    if parsed is None or table.operations()[parsed.operation].name != "CHECKSUM":
        return None
    found = parsed.fields
    # Only CRC-32 is supported: implementations could not agree on the checksum of any other algorithm.
    return (found.data_length, found.checksum) if found.algorithm == 1 else (0, -1)


class Packed(Construct):  # type: ignore[type-arg]  # generic in its stubs only
    """Represents a compressed number.

    It is parsed in any form and built in the shortest form (DRB-ENC-002, DRB-ENC-106).
    """

    def __init__(self, unit: int) -> None:
        super().__init__()
        self.unit = unit

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        first = stream_read(stream, self.unit, path)
        kind = first[0] >> 6
        rest = stream_read(stream, self.unit * ((1, 2, 4, 4)[kind] - 1), path)
        data = first + rest
        # The first bit alone marks the longest form. Two bits mark each of the other forms.
        return int.from_bytes(data, "big") & (1 << 8 * len(data) - (1 if kind > 1 else 2)) - 1

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        try:
            data = compressed(obj, wide=self.unit > 1)
        except ValueError as error:
            raise ValidationError(str(error), path=path) from None
        stream_write(stream, data, len(data), path)
        return obj


def _object(form: table.Form, *, null: bool) -> Construct[Any, Any]:
    """Return the construct of an object after its format id; None represents id 0, an absent object."""
    ids = (form.id, 0) if null else (form.id,)
    number = Checked(Int16ub, lambda number, _: number in ids, str(form.id))
    return FocusedSeq(
        "value",
        "id" / Rebuild(number, lambda context: 0 if context.value is None else form.id),
        "value" / If(lambda context: context.id, _struct(form.fields)),
    )


def _struct(slots: Iterable[table.Slot]) -> Construct[Any, Any]:
    return Struct(*(slot.name / _element(slot) for slot in slots))


def _element(slot: table.Slot) -> Construct[Any, Any]:
    """Return the construct of one field of the table of operations; modified UTF-8 is not decoded."""
    if isinstance(slot.of, tuple):
        found: Construct[Any, Any] = Counted(lambda context: context[slot.count], _struct(slot.of))
    elif slot.of:
        found = _object(table.objects()[slot.of], null=slot.null)
    elif slot.type == "bytes":
        found = Blob(lambda context: context[slot.length])
    else:
        found = _PLAIN[slot.type]
    return If(slot.among, found) if slot.when else found


_PLAIN: dict[str, Construct[Any, Any]] = {
    **{"u1": Int8ub, "u2": Int16ub, "s4": Int32sb, "s8": Int64sb},
    **{"cint": Packed(1), "clong": Packed(2), "utf": Prefixed(Int16ub, GreedyBytes)},
}


def _behind(slot: table.Slot) -> Construct[Any, Any]:
    """Return the construct of a field of the tail. The group of the body decides whether the field is
    present.
    """
    return slot.name / If(lambda context: slot in table.tail(context.group), _element(slot))


#: The body of a record (DRB-REC-021) up to its `end`; bytes that belong to no field may follow.
LOOSE_BODY = Struct(
    "log_record_id" / Checked(Int16ub, lambda number, _: number == table.LOG_RECORD, str(table.LOG_RECORD)),
    "group" / Packed(1),
    "transaction" / _object(table.objects()["transaction_id"], null=True),
    "operation" / Checked(Int16ub, lambda number, _: number in table.operations(), "an operation"),
    "fields" / Switch(this.operation, {k: _struct(v.fields) for k, v in table.operations().items()}),
    *map(_behind, (*table.part("undone"), *table.part("data"))),
    "end" / Tell,
)
BODY = FocusedSeq("body", "body" / LOOSE_BODY, Terminated)
_LOG_RECORD = table.LOG_RECORD.to_bytes(2, "big")
CODEC = ConstructCodec(LAYOUT, file_schema)
