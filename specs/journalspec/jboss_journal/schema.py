"""The construct schemas of this format: they parse clean files, and build any.

``parse`` gives the observation of a clean directory. ``decode`` and ``build``
are exact inverses on one file and give construct's containers. Builders for
authors of files, clean or damaged, are in :mod:`journalspec.jboss_journal.build`.

A record is put together from the same few fields in every edition; what an
edition lacks is left out (JBM-REC). There is no GreedyRange here: it would end
quietly at a damaged record.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from typing import Any

from construct import (
    Construct,
    ConstructError,
    Container,
    Default,
    GreedyBytes,
    Int8sb,
    Int8ub,
    Int16ub,
    Int32sb,
    Int32ub,
    Int64sb,
    ListContainer,
    Struct,
    Tell,
    len_,
    this,
)

from journalspec import mutf8
from journalspec.elements import Blob, Checked, Counted
from journalspec.jboss_journal.constants import (
    EDITIONS,
    ENDING,
    LAYOUTS,
    TRANSACTIONAL,
    TYPES_WITH_ENTRY,
    WITH_ID,
    Layout,
    layout_of,
)
from journalspec.jboss_journal.plain import Header, Lists, PlainRecord, RecordAt, observe
from journalspec.jboss_journal.search import next_candidate
from journalspec.observation import Observation
from journalspec.schemas import SchemaError

__all__ = [
    "EDITIONS",
    "build",
    "control_body",
    "decode",
    "file_schema",
    "header_schema",
    "parse",
    "record_schema",
]

CHECK = 4

#: JBM-RDR-005, JBM-RDR-008: a size is tested before anything is read by it.
_NOT_NEGATIVE = "not negative"


def _size_of(name: str) -> Construct[Any, Any]:
    """Return the field that holds the length of the field `name`, which may be left out when building."""
    default = Default(Int32sb, lambda context: len(context.get(name) or b""))
    return Checked(default, lambda n, _: n >= 0, _NOT_NEGATIVE)


#: JBM-REC-010
PAIR = Struct("file_id" / Int32sb, "count" / Int32sb)


def _length_here(context: Any) -> int:
    """Return the record's length, given that only the check size is missing."""
    return int(context._io.tell() - context.off + CHECK)


def _hash_here(context: Any) -> int:
    """Return the CRC-32 of the record up to here (JBM-CHK-004)."""
    stream, end = context._io, context._io.tell()
    stream.seek(context.off)
    data = stream.read(end - context.off)
    return zlib.crc32(data)


def _hash_matches(stored: int, context: Any) -> bool:
    stream, end = context._io, context._io.tell()
    stream.seek(context.off)
    data = stream.read(end - context.off)
    return stored == zlib.crc32(data[:-CHECK])


def _check_field(layout: Layout) -> Construct[Any, Any]:
    if layout.hashed:
        return "hash" / Checked(Default(Int32ub, _hash_here), _hash_matches, "the CRC-32 of the record")
    return "check_size" / Checked(
        Default(Int32sb, _length_here),
        lambda n, context: n == context._io.tell() - context.off,
        "the record's length",
    )


def _ending_fields(kind: str, layout: Layout) -> list[Construct[Any, Any]]:
    """Return the fields of a PREPARE or COMMIT behind the transaction id (JBM-REC-010 to JBM-REC-013)."""
    has_extra = kind == "PREPARE" and layout.extra
    size = ["extra_size" / _size_of("extra")] if has_extra else []
    extra = ["extra" / Default(Blob(this.extra_size), b"")] if has_extra else []
    if not layout.pairs:
        return ["count" / Default(Int32sb, 0), *size, *extra]
    pairs = ["pairs" / Default(Counted(this.num_files, PAIR), [])]
    return [*size, "num_files" / _size_of("pairs"), *extra, *pairs]


def _fields(kind: str, layout: Layout) -> list[Construct[Any, Any]]:
    """Return the fields of a record type in file order, from its type to its check size."""
    fields: list[Construct[Any, Any]] = [
        "off" / Tell,
        "type"
        / Checked(
            Default(Int8ub, layout.codes[kind]), lambda n, _: n == layout.codes[kind], f"{kind}'s number"
        ),
        "file_id" / Int32sb,
    ]
    if layout.compact_count:
        fields.append("compact_count" / Default(Int8sb, 0))
    if kind in TRANSACTIONAL:
        fields.append("tx" / Default(Int64sb, 0))
    if kind in WITH_ID:
        fields.append("id" / Default(Int64sb, 0))
    if kind in TYPES_WITH_ENTRY or (kind == "DELETE_TX" and layout.delete_body):
        fields.append("size" / _size_of("body"))
        if kind in TYPES_WITH_ENTRY:
            fields.append("user_type" / Default(Int8ub, 0))
        fields.append("body" / Default(Blob(this.size), b""))
    if kind in ENDING:
        fields += _ending_fields(kind, layout)
    return [*fields, _check_field(layout), "end" / Tell]


class ByType(Construct):  # type: ignore[type-arg]  # generic in its stubs only
    """A record, by the number that it begins with."""

    def __init__(self, schemas: Mapping[int, Construct[Any, Any]]) -> None:
        super().__init__()
        self.schemas = schemas

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        here = stream.tell()
        first = stream.read(1)
        stream.seek(here)
        number = first[0] if first else -1
        if number not in self.schemas:
            raise ConstructError(f"{number} is no record type", path=path)
        return self.schemas[number]._parsereport(stream, context, path)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return self.schemas[obj["type"]]._build(obj, stream, context, path)


@cache
def _records(layout: Layout) -> dict[str, Construct[Any, Any]]:
    return {kind: Struct(*_fields(kind, layout)) for kind in layout.codes}


def record_schema(layout: Layout, kind: str = "") -> Construct[Any, Any]:
    """Return the schema of one record type, or of any record; raises KeyError for an unknown type."""
    if kind:
        return _records(layout)[kind]
    return ByType({layout.codes[name]: schema for name, schema in _records(layout).items()})


@cache
def field_names(layout: Layout, kind: str) -> frozenset[str]:
    """Return the names of a record type's fields; raises KeyError for an unknown type."""
    return frozenset(str(item.name) for item in _fields(kind, layout)) - {"off", "end"}


@cache
def header_schema(edition: str) -> Construct[Any, Any]:
    """Return the schema of a file header (JBM-HDR-001, JBM-HDR-002); raises KeyError."""
    versions = LAYOUTS[edition].versions
    if not versions:
        return Struct("file_id" / Int32sb)
    return Struct(
        "format_version"
        / Checked(Default(Int32sb, versions[-1]), lambda n, _: n in versions, f"one of {versions}"),
        "user_version" / Default(Int32sb, 0),
        "file_id" / Int64sb,
    )


class Scattered(Construct):  # type: ignore[type-arg]  # generic in its stubs only
    """Records of the file's present life, each with the bytes before it that are none (JBM-RDR-014).

    A candidate with the right type and file id that is no record is a fault:
    a clean file has none.
    """

    def __init__(self, edition: str) -> None:
        super().__init__()
        self.edition = edition

    def _parse(self, stream: Any, context: Any, path: str) -> ListContainer[Any]:
        header = context.header
        layout = layout_of(self.edition, header.get("format_version", 0))
        record = record_schema(layout)
        found: ListContainer[Any] = ListContainer()
        data = stream.getbuffer()
        while (off := next_candidate(data, stream.tell(), header.file_id, layout)) is not None:
            gap = stream.read(off - stream.tell())
            item = record._parsereport(stream, context, f"{path} -> {len(found)}")
            found.append(Container(gap=gap, record=item))
        return found

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        record = record_schema(layout_of(self.edition, context.header.get("format_version", 0)))
        for number, piece in enumerate(obj):
            stream.write(piece["gap"])
            record._build(piece["record"], stream, context, f"{path} -> {number}")
        return obj


@cache
def file_schema(edition: str) -> Construct[Any, Any]:
    """Return the schema of one file: header, records and what lies before each, the rest; raises KeyError."""
    return Struct(
        "header" / header_schema(edition),
        "pieces" / Scattered(edition),
        "rest" / Default(GreedyBytes, b""),
    )


#: JBM-CMP-002: names as Java writes them. A negative count is an empty list.
_NAME = Struct("length" / Default(Int16ub, len_(this.value)), "value" / Blob(this.length))
_RENAME = Struct("source" / _NAME, "target" / _NAME)


def _list(name: str, item: Construct[Any, Any]) -> list[Construct[Any, Any]]:
    count = f"num_{name}"
    return [
        count / Default(Int32sb, lambda context: len(context[name])),
        name / Counted(lambda context: context[count], item),
    ]


#: The body of a control file's only record (JBM-CMP-002, JBM-CMP-003).
CONTROL_BODY = Struct(
    *_list("old", _NAME),
    *_list("new", _NAME),
    *_list("renames", _RENAME),
    "slack" / Default(GreedyBytes, b""),
)


def control_body(old: list[str], new: list[str], renames: list[tuple[str, str]], slack: bytes = b"") -> bytes:
    """Return the body of a control file's record; names are stored in modified UTF-8."""
    body: bytes = CONTROL_BODY.build(
        {
            "old": [_name(text) for text in old],
            "new": [_name(text) for text in new],
            "renames": [{"source": _name(left), "target": _name(right)} for left, right in renames],
            "slack": slack,
        }
    )
    return body


def _name(text: str) -> dict[str, bytes]:
    return {"value": mutf8.encode(text)}


def decode(data: bytes, edition: str, file: str = "") -> Any:
    """Return one clean file as a construct container; raises SchemaError."""
    return _parsed(_known(edition), BytesIO(data), file)


def build(container: Any, edition: str) -> bytes:
    """Return the bytes of one file: the inverse of :func:`decode`; raises SchemaError."""
    try:
        data: bytes = _known(edition).build(container)
    except (ConstructError, KeyError) as error:
        raise SchemaError(f"cannot be built: {error}") from error
    return data


def parse(files: Mapping[str, bytes], edition: str, params: Mapping[str, str] | None = None) -> Observation:
    """Return the observation of a clean directory at level layout; raises SchemaError.

    `files` maps names to whole contents; `params` may give ``extension``,
    ``user_version`` and, in the editions where it matters, ``file_size``. Clean means JBM-RDR-018: every
    data file has a sound header, no candidate with the right file id is torn,
    and every COMMIT and PREPARE finds what it counts.
    """
    _known(edition)
    return observe(files, edition, Codec(), params or {})


def _known(edition: str) -> Construct[Any, Any]:
    if edition not in LAYOUTS:
        raise SchemaError(f"no schema for edition {edition!r}: there are {', '.join(EDITIONS)}")
    return file_schema(edition)


def _parsed(schema: Construct[Any, Any], stream: BytesIO, file: str) -> Any:
    try:
        return schema.parse_stream(stream)
    except ConstructError as error:
        raise SchemaError(_reason(error), file, stream.tell()) from error


def _reason(error: ConstructError) -> str:
    """Return construct's message with the field first: ``size: -1 is not not negative``."""
    text = str(error).rsplit("\n", 1)[-1]
    field = (error.path or "").rpartition(" -> ")[2]
    return f"{field}: {text}" if field else text


class Codec:
    """This module as :mod:`journalspec.jboss_journal.plain` wants it."""

    def header(self, name: str, data: bytes, edition: str) -> Header:
        """Return a file's header; raises SchemaError."""
        found = _parsed(header_schema(edition), BytesIO(data), name)
        return Header(found.file_id, found.get("format_version", 0), found.get("user_version", 0))

    def records(self, name: str, data: bytes) -> RecordAt:
        """Return a function from (offset, layout) to the record there, which raises SchemaError."""
        stream = BytesIO(data)

        def record_at(off: int, layout: Layout) -> PlainRecord:
            stream.seek(off)
            return plain_record(_parsed(record_schema(layout), stream, name), layout)

        return record_at

    def control_lists(self, body: bytes) -> Lists:
        """Return the three lists of a control file's record; raises SchemaError."""
        tree = _parsed(CONTROL_BODY, BytesIO(body), "")
        renames = [(_text(item.source), _text(item.target)) for item in tree.renames]
        return Lists([_text(item) for item in tree.old], [_text(item) for item in tree.new], renames)


def _text(name: Any) -> str:
    try:
        return mutf8.decode(bytes(name.value))
    except UnicodeDecodeError as error:
        raise SchemaError(f"a name is no modified UTF-8: {error}") from error


def plain_record(parsed: Any, layout: Layout) -> PlainRecord:
    """Return a parsed record as a value, with the fields that its type has."""
    names = {code: name for name, code in layout.codes.items()}
    fields = {
        key: parsed[key]
        for key in ("compact_count", "tx", "id", "user_type", "body", "count", "extra")
        if key in parsed
    }
    if "pairs" in parsed:
        fields["pairs"] = [{"file_id": pair.file_id, "count": pair.count} for pair in parsed.pairs]
    return PlainRecord(parsed.off, parsed.end - parsed.off, names[parsed.type], fields)
