"""The generated Kaitai parsers of this format, put to the observation model.

A ``.ksy`` describes one record, and a file whose records stand back to back.
What it cannot say is done here on top: a small loop that looks for the next
record behind padding, holes and stale bytes, the calculated hash, and
everything that concerns more than one file.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

from kaitaistruct import KaitaiStream, KaitaiStructError

from journalspec import mutf8
from journalspec.jboss_journal._kaitai.hornetq_journal import HornetqJournal
from journalspec.jboss_journal._kaitai.jboss_journal_s1 import JbossJournalS1
from journalspec.jboss_journal._kaitai.jboss_journal_s2 import JbossJournalS2
from journalspec.jboss_journal._kaitai.jboss_journal_seed import JbossJournalSeed
from journalspec.jboss_journal.constants import EDITIONS, LAYOUTS, Layout
from journalspec.jboss_journal.plain import Header, Lists, PlainRecord, RecordAt, observe
from journalspec.observation import Observation
from journalspec.schemas import SchemaError

__all__ = ["EDITIONS", "parse", "parse_packed"]

#: Edition -> the generated parser of its files.
PARSERS: dict[str, Any] = {
    "seed": JbossJournalSeed,
    "seed+hash": JbossJournalSeed,
    "s1": JbossJournalS1,
    "s2": JbossJournalS2,
    "v1": HornetqJournal,
    "v2": HornetqJournal,
    "v2e": HornetqJournal,
}
#: Edition -> its schema, and the value of the schema's parameter if it has one.
SCHEMAS = {
    "seed": ("jboss_journal_seed", "false"),
    "seed+hash": ("jboss_journal_seed", "true"),
    "s1": ("jboss_journal_s1", ""),
    "s2": ("jboss_journal_s2", ""),
    "v1": ("hornetq_journal", ""),
    "v2": ("hornetq_journal", ""),
    "v2e": ("hornetq_journal", ""),
}
#: Fields that an observation carries as they are.
NAMES = ("tx", "id", "user_type", "body", "extra", "count")


def parse(files: Mapping[str, bytes], edition: str, params: Mapping[str, str] | None = None) -> Observation:
    """Return the observation of a clean directory at level layout; raises SchemaError.

    `files` maps names to whole contents; `params` may give ``extension``,
    ``user_version`` and, in the editions where it matters, ``file_size``. JBM-RDR-018 says what clean means.
    """
    _known(edition)
    return observe(files, edition, Codec(), params or {})


def parse_packed(data: bytes, edition: str, file: str = "") -> list[PlainRecord]:
    """Return the records from the header to the first place where none starts; raises SchemaError.

    This is the ``.ksy`` alone, without the search for records further on.
    """
    _known(edition)
    kind = PARSERS[edition]
    tree = _parsed(lambda io: kind(*_file_parameters(edition), io), BytesIO(data), file)
    version = getattr(tree.header, "format_version", 0)
    layout = LAYOUTS["v1"] if version == 1 else LAYOUTS[edition]
    records = []
    at = layout.header_size
    for slot in tree.slots[:-1]:
        records.append(_plain(slot.record, at, _length(slot.record, layout), layout))
        at = records[-1].end
    return records


def _known(edition: str) -> None:
    if edition not in PARSERS:
        raise SchemaError(f"no schema for edition {edition!r}: there are {', '.join(EDITIONS)}")


def _file_parameters(edition: str) -> tuple[Any, ...]:
    return (LAYOUTS[edition].hashed,) if PARSERS[edition] is JbossJournalSeed else ()


def _record_parameters(layout: Layout) -> tuple[Any, ...]:
    if layout.versions:
        return (layout.versions[-1],)
    return (layout.hashed,) if PARSERS[layout.edition] is JbossJournalSeed else ()


def _parsed(kind: Callable[[KaitaiStream], Any], source: BytesIO, file: str, off: int = 0) -> Any:
    """Return what a generated parser makes of `source` from `off` on; its complaints become SchemaError."""
    source.seek(off)
    stream = KaitaiStream(source)
    try:
        return kind(stream)
    except (KaitaiStructError, EOFError, UnicodeDecodeError) as error:
        raise SchemaError(str(error), file, stream.pos()) from error


def _length(record: Any, layout: Layout) -> int:
    """Return the bytes of a record: its start, and its body field by field (JBM-REC-018, JBM-REC-019)."""
    content = record.content
    size = 5 + layout.compact_count + 4
    size += 8 * hasattr(content, "tx") + 8 * hasattr(content, "id")
    if hasattr(content, "body_size"):
        size += 4 + hasattr(content, "user_type") + content.body_size
    size += 4 * hasattr(content, "count")
    if hasattr(content, "extra_size"):
        size += 4 + content.extra_size
    if hasattr(content, "num_files"):
        size += 4 + 8 * content.num_files
    return size


def _plain(record: Any, off: int, size: int, layout: Layout) -> PlainRecord:
    content = record.content
    fields = {name: getattr(content, name) for name in NAMES if hasattr(content, name)}
    if layout.compact_count:
        fields["compact_count"] = record.compact_count
    if hasattr(content, "pairs"):
        fields["pairs"] = [{"file_id": item.file_id, "count": item.count} for item in content.pairs]
    return PlainRecord(off, size, record.record_type.name.upper(), fields)


class Codec:
    """The generated parsers as :mod:`journalspec.jboss_journal.plain` wants them."""

    def header(self, name: str, data: bytes, edition: str) -> Header:
        """Return a file's header; raises SchemaError."""
        head = _parsed(PARSERS[edition].FileHeader, BytesIO(data), name)
        version = getattr(head, "format_version", 0)
        # One description serves all versions; which of them an edition reads is known here.
        if version not in (LAYOUTS[edition].versions or (0,)):
            raise SchemaError(f"format version {version}, not one of {LAYOUTS[edition].versions}", name, 0)
        return Header(head.file_id, version, getattr(head, "user_version", 0))

    def records(self, name: str, data: bytes) -> RecordAt:
        """Return a function from (offset, layout) to the record there, which raises SchemaError."""
        source = BytesIO(data)

        def record_at(off: int, layout: Layout) -> PlainRecord:
            kind = PARSERS[layout.edition].Record
            record = _parsed(lambda io: kind(*_record_parameters(layout), io), source, name, off)
            end = source.tell()
            if layout.hashed and zlib.crc32(data[off : end - 4]) != record.content.hash:
                raise SchemaError(f"the hash is 0x{record.content.hash:08x}, which does not fit", name, off)
            return _plain(record, off, end - off, layout)

        return record_at

    def control_lists(self, body: bytes) -> Lists:
        """Return the three lists of a control file's record; raises SchemaError."""
        tree = _parsed(HornetqJournal.ControlLists, BytesIO(body), "")
        renames = [(_text(item.source), _text(item.target)) for item in tree.renames]
        return Lists(
            [_text(item) for item in tree.old_names], [_text(item) for item in tree.new_names], renames
        )


def _text(name: Any) -> str:
    try:
        return mutf8.decode(name.name)
    except UnicodeDecodeError as error:
        raise SchemaError(f"a name is no modified UTF-8: {error}") from error
