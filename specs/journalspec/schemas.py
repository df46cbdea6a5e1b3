"""The common parts of the declarative schemas of all formats: errors, loading, and the protocol.

The construct schemas (:mod:`.elements`) and the generated Kaitai parsers (:mod:`.parsers`) read single
headers and records, and do not handle damage. Other code finds headers and records; :func:`reread` reads
these again with a schema, for comparison.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, cast

from journalspec.formats import UnknownFormat, format_ids, format_module, get_format
from journalspec.layout import Field, Layout
from journalspec.observation import FileMap, Observation, Record

#: Kind of schema -> the module that makes it from a format's table.
KINDS = {"construct": "elements", "kaitai": "parsers"}


class SchemaError(ValueError):
    """This error means that bytes do not fit the schema. Its text contains the reason.

    `off` counts from the start of `file`; both are empty if the error is not about bytes.
    """

    def __init__(self, message: str, file: str = "", off: int | None = None) -> None:
        where = f"{file}: " if file else ""
        if off is not None:
            where += f"at {off}: "
        super().__init__(where + message)
        self.message = message
        self.file = file
        self.off = off


@dataclass(frozen=True, slots=True)
class Plain:
    """Represents one structure that a schema read: `size` bytes at `off`, its type by the spec's name, and
    its fields.

    `fields` contains the fields of the format's table; a list is a list of mappings. A structure that is not
    a record has no type.
    """

    off: int
    size: int
    type: str
    fields: Mapping[str, Any]

    @classmethod
    def of(cls, layout: Layout, edition: str, values: Mapping[str, Any], off: int, end: int) -> Plain:
        """Return the structure with these fields. If the type number has no name, the type of the structure
        is OTHER.
        """
        number = values.get(layout.type_field)
        kind = "" if number is None else layout.type_name(edition, number) or "OTHER"
        return cls(off, end - off, kind, values)


class Codec(Protocol):
    """The schemas of one kind for a format, which read one structure at a given place."""

    def read(self, name: str, edition: str, data: bytes, off: int, file: str) -> Plain:
        """Return the structure `name` at `off` of `data`; raises SchemaError unless it is sound."""


class RecordReader(Protocol):
    """An entry of `READERS` in a format's module ``records``, for records of more than one structure."""

    def __call__(self, journal: Journal, file: str, off: int) -> Plain:
        """Return the complete record at `off` of a file; raises SchemaError unless it is sound.

        Its fields are those in an observation.
        """


@dataclass(frozen=True, slots=True)
class Journal:
    """Represents the context of a record: the files, the edition, and the given parameters."""

    files: Mapping[str, bytes]
    edition: str
    params: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def record_reader(format_id: str, kind: str) -> RecordReader | None:
    """Return the reader of complete records for a format, or None if each record is one structure."""
    name = f"journalspec.{format_id}.records"
    if find_spec(name) is None:
        return None
    readers: Mapping[str, RecordReader] = import_module(name).READERS
    return readers[kind]


def described() -> tuple[str, ...]:
    """Return the formats that have a layout table, and therefore schemas."""
    return tuple(name for name in format_ids() if hasattr(format_module("journalspec", name), "LAYOUT"))


def codec(format_id: str, kind: str) -> Codec:
    """Return the schemas of a format; raises UnknownFormat if it has none of that kind."""
    if kind not in KINDS:
        raise UnknownFormat(f"no kind of schema is called {kind!r}: known are {', '.join(KINDS)}")
    if format_id not in described():
        raise UnknownFormat(f"{format_id} has no {kind} schema")
    return cast("Codec", import_module(f"journalspec.{KINDS[kind]}").codec_of(format_id))


def reread(
    format_id: str,
    kind: str,
    files: Mapping[str, bytes],
    edition: str,
    seen: Observation,
    params: Mapping[str, Any] | None = None,
) -> Observation:
    """Return `seen` with every header and record read again by the schemas of `kind` at the same place.

    Schema and reader agree on a journal if the result is equal to `seen`. State, regions and notes are copied
    from `seen`, because no structure stores them. Raises SchemaError if a schema finds no sound structure at
    an offset, and for an unknown edition.
    """
    if edition not in get_format(format_id).editions:
        known = ", ".join(get_format(format_id).editions)
        raise SchemaError(f"no schema for edition {edition!r}: there are {known}")
    again = _Again(format_id, kind, Journal(files, edition, params or {}))
    # Headers are read first, because they decide the layout of the records after them.
    headers = tuple(map(again.header, seen.files))
    return replace(
        seen,
        records=tuple(map(again.record, seen.records)),
        files=headers,
        unanchored=tuple(map(again.record, seen.unanchored)),
    )


class _Again:
    """Represents the files of one journal.

    A schema reads these files at the offsets where another reader found headers and records.
    """

    def __init__(self, format_id: str, kind: str, journal: Journal) -> None:
        self._layout: Layout = format_module("journalspec", format_id).LAYOUT
        self._told = get_format(format_id).vocabulary.fields
        self._codec = codec(format_id, kind)
        self._files = {name: bytes(data) for name, data in journal.files.items()}
        self._edition = journal.edition
        self._journal = replace(journal, files=self._files)
        self._whole = record_reader(format_id, kind)
        #: Maps a file to the edition whose tables apply to its records, if the header of the file determines
        #: that edition.
        self._behind: dict[str, str] = {}

    def header(self, entry: FileMap) -> FileMap:
        """Return a file after its header was read again, if the file has a usable header."""
        if not entry.header or entry.role in ("control", "mirror", "invalid"):
            if entry.role == "invalid":
                # Recovery refuses this file, but its header still determines the tables of its records.
                self._behind[entry.file] = self._layout.behind(self._edition, entry.header)
            return entry
        if not self._layout.has("header", self._edition):
            # These header fields of the answer are not stored in a header structure of the file.
            return entry
        found = self._codec.read("header", self._edition, self._files[entry.file], 0, entry.file).fields
        self._behind[entry.file] = self._layout.behind(self._edition, found)
        return replace(entry, header={name: found[name] for name in entry.header})

    def record(self, record: Record) -> Record:
        """Return a record that is read again.

        Raises SchemaError also if the length of the record differs from the stated length.
        """
        at = record.at
        edition = self._behind.get(at.file, self._edition)
        if self._whole:
            found = self._whole(self._journal, at.file, at.off)
        else:
            found = self._codec.read("record", edition, self._files[at.file], at.off, at.file)
        if found.size != at.length:
            raise SchemaError(f"{found.size} bytes, not {at.length}", at.file, at.off)
        if self._whole:
            return Record(found.type, found.fields, at)
        kind = found.type if self._layout.by_type("record") else ""
        stored = {item.name: item for item in self._layout.structure("record", edition, kind).fields}
        told = dict(record.fields)
        told.update(self._values(stored, found.fields, record))
        # If the stored type has no name, the reader's type is kept.
        stored_types = self._layout.types(edition)
        return Record(found.type if found.type and record.type in stored_types else record.type, told, at)

    def _values(
        self, stored: Mapping[str, Field], values: Mapping[str, Any], record: Record
    ) -> Iterator[tuple[str, Any]]:
        """Yield (name, value) of those members of an observed record that depend only on the bytes of the
        record.
        """
        for field in self._told:
            item = stored.get(field.name)
            if item is None or field.name not in values:
                continue
            if field.editions and self._edition not in field.editions:
                continue
            value = values[field.name]
            if field.kind == "int" and field.width != item.type:
                continue  # The value is only a part of a number in a header.
            if field.types and record.type not in field.types:
                continue
            if not value and field.name not in record.fields:
                continue
            yield field.name, _as_told(value, item, field.kind, field.element)


def _as_told(value: Any, item: Field, kind: str, element: str) -> Any:
    if kind == "bool":
        return value == 1
    if element == "str":
        (text,) = (member for member in item.of if member.name == item.each)
        return [row[text.name].decode(text.show, "replace") for row in value]
    return value
