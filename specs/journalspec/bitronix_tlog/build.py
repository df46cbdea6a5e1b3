"""Builders of records and files, for authors of cases: clean ones, and ones with one field wrong.

Every value can be overridden by its field name. The checksum is computed over
the record as it then stands, so that the overridden field is the only fault;
override ``crc32`` as well to have it wrong, or damage the bytes afterwards at
the place that :func:`record_layout` names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from journalspec.bitronix_tlog.constants import (
    FORMAT_ID,
    NIO_FIRST_FRAME,
    NIO_HEADER_USED,
    RULES,
    UNCOUNTED,
)
from journalspec.bitronix_tlog.schema import FILE_HEADER, RECORD, SEED_RECORD, STATUS_FIELD
from journalspec.bitronix_tlog.schema_nio import FRAME, HEADER, PAYLOAD

Status = int | str
Name = str | bytes
RECORD_SCHEMAS = {"seed": SEED_RECORD, "2.1": RECORD, "3.0": RECORD}
#: Fields of a frame that are not its payload's.
FRAME_FIELDS = ("magic", "payload_length", "crc32", "separator", "end_mark", "delimiter_again")


def build_header(
    timestamp: int, state: int = 0, position: int = 21, *, format_id: bytes = FORMAT_ID
) -> bytes:
    """Return the 21 bytes of a disk edition's file header."""
    fields = {"format_id": format_id, "timestamp": timestamp, "state": state, "position": position}
    data: bytes = FILE_HEADER.build(fields)
    return data


def build_record(
    edition: str,
    status: Status,
    gtrid: bytes,
    names: Iterable[Name] = (),
    *,
    time: int = 0,
    sequence_number: int = 1,
    **overrides: Any,
) -> bytes:
    """Return one record of a disk edition or of the seed's.

    `names` are stored in the given order (a conforming writer sorts them and
    leaves out duplicates); text is US-ASCII. `overrides` may give
    ``record_length``, ``header_length``, ``crc32``, ``extension`` (seed),
    ``gtrid_length``, ``names_count``, ``name_lengths`` (one per name) and
    ``end_record`` (4 bytes). Raises KeyError for an edition without records of
    this kind, TypeError for an unknown override.
    """
    known = {
        "record_length",
        "header_length",
        "crc32",
        "extension",
        "gtrid_length",
        "names_count",
        "end_record",
    }
    lengths = overrides.pop("name_lengths", None)
    _reject_unknown(overrides, known)
    fields = {
        **overrides,
        "status": status,
        "gtrid": bytes(gtrid),
        "names": _names(names, lengths),
        "time": time,
        "sequence_number": sequence_number,
    }
    data: bytes = RECORD_SCHEMAS[edition].build(fields)
    return data


def _names(
    names: Iterable[Name], lengths: Sequence[int] | None, charset: str = "ascii"
) -> list[dict[str, Any]]:
    values = [name.encode(charset) if isinstance(name, str) else bytes(name) for name in names]
    if lengths is None:
        return [{"value": value} for value in values]
    return [{"length": length, "value": value} for length, value in zip(lengths, values, strict=True)]


def _reject_unknown(overrides: Mapping[str, Any], known: Iterable[str]) -> None:
    unknown = sorted(set(overrides) - set(known))
    if unknown:
        raise TypeError(
            f"no field to override is called {', '.join(unknown)}: there are {', '.join(sorted(known))}"
        )


def build_file(
    edition: str,
    records: Iterable[bytes] = (),
    *,
    timestamp: int = 0,
    state: int = 0,
    position: int | None = None,
    size: int | None = None,
    fill: int = 0,
    format_id: bytes = FORMAT_ID,
) -> bytes:
    """Return a whole file of a disk edition or of the seed's.

    `position` defaults to the end of the records. The file is filled with the
    byte `fill` up to `size`; a `size` below what is there cuts it. The seed's
    edition has no header: only `records`, `size` and `fill` count.
    """
    log = b"".join(records)
    start = RULES[edition].log_start
    header = b""
    if start:
        tail = start + len(log) if position is None else position
        header = build_header(timestamp, state, tail, format_id=format_id)
    return _sized(header + log, size, fill)


def _sized(data: bytes, size: int | None, fill: int) -> bytes:
    if size is None:
        return data
    return data[:size] + bytes([fill]) * (size - len(data))


def build_frame(
    delimiter: bytes,
    status: Status,
    gtrid: bytes,
    names: Iterable[Name] = (),
    *,
    time: int = 0,
    sequence_number: int = 1,
    rolled_over: int = 0,
    padding: bytes = b"",
    **overrides: Any,
) -> bytes:
    """Return one framed record of the nio journal; `padding` follows the names in the payload.

    `overrides` may give the frame's ``magic``, ``payload_length``, ``crc32``,
    ``separator``, ``end_mark`` and ``delimiter_again``, and the payload's
    ``tag``, ``record_length``, ``gtrid_length``, ``names_count`` and
    ``name_lengths``. Text is ISO-8859-1.
    """
    lengths = overrides.pop("name_lengths", None)
    _reject_unknown(overrides, {*FRAME_FIELDS, "tag", "record_length", "gtrid_length", "names_count"})
    frame = {key: overrides.pop(key) for key in FRAME_FIELDS if key in overrides}
    payload = {
        **overrides,
        "status": status,
        "gtrid": bytes(gtrid),
        "names": _names(names, lengths, "latin-1"),
        "time": time,
        "sequence_number": sequence_number,
        "rolled_over": rolled_over,
        "padding": padding,
    }
    data: bytes = FRAME.build({**frame, "delimiter": delimiter, "payload": payload})
    return data


def build_nio_file(
    previous: bytes, current: bytes, frames: Iterable[bytes] = (), *, size: int | None = None, fill: int = 0
) -> bytes:
    """Return a whole nio journal: header, reserved zeros, `frames`, and `fill` up to `size`."""
    header: bytes = HEADER.build({"previous_delimiter": previous, "current_delimiter": current})
    return _sized(header + bytes(NIO_FIRST_FRAME - NIO_HEADER_USED) + b"".join(frames), size, fill)


def header_layout() -> dict[str, tuple[int, int]]:
    """Return field -> (offset, length) in bytes of a disk edition's file header."""
    return {"format_id": (0, 4), "timestamp": (4, 8), "state": (12, 1), "position": (13, 8)}


def record_layout(edition: str, record: bytes) -> dict[str, tuple[int, int]]:
    """Return field -> (offset, length) in bytes within a clean `record` that was built or cut out.

    Names are ``names[0].length``, ``names[0].value`` and so on. For the nio
    edition `record` is a frame and the payload's fields begin with ``payload.``.
    Raises construct's errors if the record is damaged already.
    """
    if edition == "nio":
        return _frame_layout(record)
    parsed = RECORD_SCHEMAS[edition].parse(record)
    fields = [("status", 4), ("record_length", 4), ("header_length", 4), ("time", 8), ("sequence_number", 4)]
    fields.append(("crc32", 4))
    if parsed.get("extension"):
        fields.append(("extension", len(parsed.extension)))
    fields += _body(parsed, 4)
    return {**_offsets([*fields, ("end_record", 4)]), "record": (0, UNCOUNTED + parsed.record_length)}


def _body(parsed: Any, count_size: int) -> list[tuple[str, int]]:
    fields = [("gtrid_length", 1), ("gtrid", len(parsed.gtrid)), ("names_count", count_size)]
    for number, name in enumerate(parsed.names):
        fields += [(f"names[{number}].length", 2), (f"names[{number}].value", len(name.value))]
    return fields


def _frame_layout(frame: bytes) -> dict[str, tuple[int, int]]:
    parsed = FRAME.parse(frame)
    payload = parsed.payload
    inner = [
        ("tag", 6),
        ("status", 4),
        ("record_length", 4),
        ("time", 8),
        ("sequence_number", 8),
        ("rolled_over", 1),
    ]
    inner += [*_body(payload, 2), ("padding", len(payload.padding))]
    head = [("magic", 5), ("delimiter", 16), ("payload_length", 4), ("crc32", 4), ("separator", 2)]
    tail = [("end_mark", 2), ("delimiter_again", 16)]
    fields = [*head, *((f"payload.{name}", size) for name, size in inner), *tail]
    return {**_offsets(fields), "payload": (31, parsed.payload_length), "record": (0, parsed.end)}


def _offsets(fields: Iterable[tuple[str, int]]) -> dict[str, tuple[int, int]]:
    found = {}
    at = 0
    for name, size in fields:
        found[name] = (at, size)
        at += size
    return found


def payload_of(frame_fields: Mapping[str, Any]) -> bytes:
    """Return the bytes of a nio payload from its fields, as :data:`schema_nio.PAYLOAD` has them."""
    data: bytes = PAYLOAD.build(dict(frame_fields))
    return data


def status_number(status: Status) -> int:
    """Return the number of a status given by name or number; raises construct's MappingError."""
    return int(STATUS_FIELD.parse(STATUS_FIELD.build(status)))
