"""The construct schemas of this format: they parse clean files, and build any.

``parse`` gives the observation of a clean file set. ``decode`` and ``build``
are exact inverses on one file and give construct's containers. Builders for
authors of files, clean or damaged, are in :mod:`journalspec.bitronix_tlog.build`.

There is no GreedyRange here: it would end quietly at a damaged record.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

from construct import (
    Bytes,
    Construct,
    ConstructError,
    Default,
    Enum,
    GreedyBytes,
    Int8ub,
    Int16ub,
    Int32sb,
    Int32ub,
    Int64sb,
    Struct,
    Tell,
    len_,
    this,
)

from journalspec.bitronix_tlog.constants import (
    END_RECORD,
    FILE_HEADER_SIZE,
    FORMAT_ID,
    MAX_GTRID,
    MAX_NAME,
    MIN_RECORD_LENGTH,
    RULES,
    STATUS,
    UNCOUNTED,
)
from journalspec.bitronix_tlog.plain import PlainFile, PlainRecord, checksum, observe, only_file, pair_of
from journalspec.elements import Blob, Checked, Counted, While
from journalspec.observation import Observation
from journalspec.schemas import SchemaError

#: The editions that this module parses and builds.
EDITIONS = ("seed", "2.1", "3.0", "nio")

#: A record's type; a number outside 0 to 9 stays a number (BTM-REC-022).
STATUS_FIELD = Enum(Int32sb, **{name: number for number, name in STATUS.items()})

#: BTM-REC-015, BTM-REC-016
NAME = Struct(
    "length" / Checked(Default(Int16ub, len_(this.value)), lambda n, _: n <= MAX_NAME, f"at most {MAX_NAME}"),
    "value" / Blob(this.length),
)


def _extra(context: Any) -> int:
    """Return how many header bytes a record has beyond those of its edition."""
    return len(context.get("extension") or b"")


def _record_length(context: Any) -> int:
    names = sum(2 + len(name["value"]) for name in context.names)
    return MIN_RECORD_LENGTH + _extra(context) + len(context.gtrid) + names


def _ends(end: int, context: Any) -> bool:
    return bool(end == context.off + UNCOUNTED + context.record_length)


def _record(header_length: Construct[Any, Any], *extension: Construct[Any, Any]) -> Construct[Any, Any]:
    """Return the schema of a record; lengths and checksum are computed where they are not given."""
    return Struct(
        "off" / Tell,
        "status" / STATUS_FIELD,
        "record_length"
        / Checked(
            Default(Int32sb, _record_length),
            lambda n, _: n >= MIN_RECORD_LENGTH,
            f"at least {MIN_RECORD_LENGTH}",
        ),
        "header_length" / header_length,
        "time" / Default(Int64sb, 0),
        "sequence_number" / Default(Int32sb, 1),
        "crc32" / Default(Int32ub, lambda context: checksum(plain_record(context))),
        *extension,
        "gtrid_length"
        / Checked(Default(Int8ub, len_(this.gtrid)), lambda n, _: n <= MAX_GTRID, f"at most {MAX_GTRID}"),
        "gtrid" / Blob(this.gtrid_length),
        "names_count" / Checked(Default(Int32sb, len_(this.names)), lambda n, _: n >= 0, "a count"),
        "names" / Counted(this.names_count, NAME),
        "end_record"
        / Checked(Default(Bytes(4), END_RECORD), lambda mark, _: mark == END_RECORD, "the end marker"),
        "end" / Checked(Tell, _ends, "where recordLength puts the end"),
    )


#: A record of the disk editions (BTM-REC-001).
RECORD = _record(Default(Int32sb, RULES["2.1"].header_length))

#: A record as the seed document has it: HEADER_LEN locates the payload (BTM-SED-002, BTM-SED-005).
SEED_RECORD = _record(
    Checked(
        Default(Int32sb, lambda context: RULES["seed"].header_length + _extra(context)),
        lambda n, _: n >= RULES["seed"].header_length,
        "at least 16",
    ),
    "extension" / Default(Blob(this.header_length - RULES["seed"].header_length), b""),
)

#: The 21 bytes before the records (BTM-HDR-001).
FILE_HEADER = Struct(
    "format_id" / Checked(Default(Bytes(4), FORMAT_ID), lambda magic, _: magic == FORMAT_ID, "the format id"),
    "timestamp" / Int64sb,
    "state" / Default(Int8ub, 0),
    "position"
    / Checked(
        Default(Int64sb, FILE_HEADER_SIZE), lambda tail, _: tail >= FILE_HEADER_SIZE, "behind the header"
    ),
)


def _before_the_tail(stream: Any, context: Any) -> bool:
    return bool(stream.tell() < context.header.position)


def _before_the_end(stream: Any, _: Any) -> bool:
    here = stream.tell()
    end = stream.seek(0, 2)
    stream.seek(here)
    return bool(here < end)


#: One file of the pair: the log up to the tail, then what an earlier life left (BTM-RDR-001, BTM-RDR-002).
DISK_FILE = Struct(
    "header" / FILE_HEADER,
    "records" / While(_before_the_tail, RECORD),
    "tail"
    / Checked(Tell, lambda end, context: end == context.header.position, "the tail that the header names"),
    "stale" / Default(GreedyBytes, b""),
)

#: A file of the seed's edition: records to its end (BTM-SED-001).
SEED_FILE = Struct("records" / While(_before_the_end, SEED_RECORD))


def plain_record(record: Any) -> PlainRecord:
    """Return a parsed (or half-built) record as a value."""
    return PlainRecord(
        off=record.get("off", 0),
        size=UNCOUNTED + record.record_length,
        status=int(STATUS_FIELD.parse(STATUS_FIELD.build(record.status))),
        record_length=record.record_length,
        header_length=record.header_length,
        time=record.time,
        sequence_number=record.sequence_number,
        crc32=record.get("crc32") or 0,
        gtrid=bytes(record.gtrid),
        names=tuple(bytes(name["value"]) for name in record.names),
        extension=bytes(record.get("extension") or b""),
    )


def _file_schema(edition: str) -> Construct[Any, Any]:
    # Here, because the nio schema builds on this module's elements and is rarely wanted.
    from journalspec.bitronix_tlog.schema_nio import NIO_FILE  # noqa: PLC0415

    schemas = {"seed": SEED_FILE, "2.1": DISK_FILE, "3.0": DISK_FILE, "nio": NIO_FILE}
    try:
        return schemas[edition]
    except KeyError:
        raise SchemaError(f"no schema for edition {edition!r}: there are {', '.join(schemas)}") from None


def decode(data: bytes, edition: str, file: str = "") -> Any:
    """Return one clean file as a construct container; raises SchemaError.

    Checksums are not looked at here; ``parse`` does.
    """
    schema = _file_schema(edition)
    stream = BytesIO(data)
    try:
        return schema.parse_stream(stream)
    except ConstructError as error:
        raise SchemaError(_reason(error), file, stream.tell()) from error


def _reason(error: ConstructError) -> str:
    """Return construct's message with the field first: ``record_length: 7 is not at least 29``."""
    text = str(error).rsplit("\n", 1)[-1]
    field = (error.path or "").rpartition(" -> ")[2]
    return f"{field}: {text}" if field else text


def build(container: Any, edition: str) -> bytes:
    """Return the bytes of one file: the inverse of :func:`decode`; raises SchemaError."""
    try:
        data: bytes = _file_schema(edition).build(container)
    except (ConstructError, KeyError) as error:
        raise SchemaError(f"cannot be built: {error}") from error
    return data


def parse(files: Mapping[str, bytes], edition: str, params: Mapping[str, str] | None = None) -> Observation:
    """Return the observation of a clean file set at level layout; raises SchemaError.

    `files` maps names to whole contents; no parameter of this format has a part
    in reading. Clean means: every file of the set is there and valid, and every
    record of every log with it (BTM-RDR-016).
    """
    if edition == "nio":
        from journalspec.bitronix_tlog.schema_nio import parse_nio  # noqa: PLC0415 - see _file_schema

        return parse_nio(files)
    names = [only_file(files)] if edition == "seed" else pair_of(files)
    return observe([_plain_file(name, bytes(files[name]), edition) for name in names], edition)


def _plain_file(name: str, data: bytes, edition: str) -> PlainFile:
    tree = decode(data, edition, name)
    header = (
        {} if edition == "seed" else {key: tree.header[key] for key in ("timestamp", "state", "position")}
    )
    return PlainFile(name, len(data), tuple(map(plain_record, tree.records)), header)
