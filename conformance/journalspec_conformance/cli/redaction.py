"""``--redact``: replaces the data of users with their type and length; numbers are not changed.

A field counts as data of users if it is text or bytes, and the field table lists no choices for it. The
replacement of a name or id also contains a mark (``text(6)#3f9a21``). Within a store, equal names have equal
marks. The key of the marks is derived from the files of the store. Therefore nobody without the store can
verify a guessed name by its mark.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from journalspec.formats import Format, get_format
from journalspec.observation import Missing, Note, Observation, Record
from journalspec.reread import LISTS, mapped
from journalspec.vocabulary import Field
from journalspec_reference.filesets import Journal

#: The number of bytes of each file from which the key of a store is derived, and the number of bytes of a
#: mark.
KEYED, MARK = 1 << 16, 3


class Redacted(str):
    """The replacement of a value; `length` is the length of the original value."""

    __slots__ = ("length",)
    length: int


def _bytes_of(text: str) -> bytes:
    """Return a text as bytes, even if damage made it invalid, or it is a file name that is not UTF-8."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


class Redactor:
    """Replaces users' data in the output about one journal. Without `hides`, it replaces no data."""

    hides = True

    def __init__(self, journal: Journal, hides: bool = True) -> None:
        self._files, self.hides = journal.files, hides
        self._format: Format = get_format(journal.format)

    @cached_property
    def _key(self) -> bytes:
        key = hashlib.blake2b(digest_size=32)
        for name in sorted(self._files):
            key.update(bytes(self._files[name][:KEYED]))
        return key.digest()

    def text(self, value: Any, name: str | None = "") -> Any:
        """Return the replacement of a value of field `name` (None: a body); numbers are not changed."""
        if not self.hides:
            return value
        if isinstance(value, LISTS):
            return [self.text(each, name) for each in value]
        if isinstance(value, str):
            kind, stored = "text", _bytes_of(value)
        elif isinstance(value, bytes | bytearray | memoryview):
            kind, stored = "bytes", bytes(value)
        else:
            return value
        mark = ""
        if stored and name is not None and name not in self._format.vocabulary.bodies:
            mark = f"#{hashlib.blake2b(stored, digest_size=MARK, key=self._key).hexdigest()}"
        shown = Redacted(f"{kind}({len(value)}){mark}")
        shown.length = len(value)
        return shown

    def record(self, record: Record) -> Record:
        """Return a record with redacted fields."""
        if not self.hides:
            return record
        return replace(record, fields=self._members(self._format.vocabulary.fields, record.fields))

    def observation(self, seen: Observation) -> Observation:
        """Return a redacted answer. Free text in it is redacted, too, because it may quote users' data."""
        if not self.hides:
            return seen
        words = self._format.vocabulary
        state = None if seen.state is None else self._members(words.state, seen.state)
        return replace(
            seen,
            records=mapped(self.record, seen.records),
            unanchored=mapped(self.record, seen.unanchored),
            files=tuple(
                replace(
                    each,
                    header=self._members(words.header, each.header),
                    content=self._members((), each.content),
                )
                for each in seen.files
            ),
            notes=mapped(self._note, seen.notes),
            missing=tuple(map(self._missing, seen.missing)),
            message=self.text(seen.message) if seen.message else "",
            state=state,
        )

    def columns(self, known: Mapping[str, Field]) -> dict[str, Field]:
        """Return the columns of the redacted values: bytes become text."""
        return {
            name: replace(each, kind="str") if self.hides and each.kind == "bytes" else each
            for name, each in known.items()
        }

    def _members(self, known: Iterable[Field], members: Mapping[str, Any]) -> dict[str, Any]:
        fields = {each.name: each for each in known}
        return {name: self._one(fields.get(name), name, value) for name, value in members.items()}

    def _one(self, field: Field | None, name: str, value: Any) -> Any:
        if field is not None and field.choices:
            return value
        if isinstance(value, Mapping):
            return self._members(field.of if field else (), value)
        if isinstance(value, LISTS):
            return mapped(lambda each: self._one(field, name, each), value)
        return self.text(value, name)

    def _note(self, note: Note) -> Note:
        # Other notes come from the command itself (on an edition, a lock), and quote nothing from a journal.
        own = note.text and note.code in self._format.vocabulary.notes
        return replace(note, text=self.text(note.text)) if own else note

    def _missing(self, gone: Missing) -> Missing:
        # The name of a file is not redacted, because the list of the journal's files also contains it.
        word = self._format.vocabulary.missing.get(gone.code)
        name = gone.name if word is None or "file" in word.names else self.text(gone.name)
        return replace(gone, name=name, text=self.text(gone.text) if gone.text else "")
