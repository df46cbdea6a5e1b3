"""Which files make up a journal, in which order, and what a compaction left to do (JBM-FIL)."""

from __future__ import annotations

import re
import struct
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from journalspec import mutf8
from journalspec.jboss_journal import LAYOUT
from journalspec.observation import Note
from journalspec_reference.api import Files, Params, missing_numbers, natural_key
from journalspec_reference.jboss_journal.codec import (
    ADD,
    INT,
    LONG_HEADER,
    Dialect,
    JournalRecord,
    of_version,
)
from journalspec_reference.jboss_journal.scan import walk

#: prefix - number . extension
NAME = re.compile(r"^(?P<prefix>.*)-(?P<number>-?\d+)\.(?P<extension>[A-Za-z]+)$")
CONTROL = "journal-rename-control.ctr"
LEFTOVERS = (".tmp", ".cmp")
#: The header of a file that was filled with 'J' and never given an id.
UNFILLED = b"JJJJ"
#: The fields of the header of 16 bytes, in order.
LONG_FIELDS = LAYOUT.structure("header", "v2").names
#: So many gaps in the ids are told one by one.
MOST_GAPS = 20
#: The lists of a control record, in order, and what each of their elements holds.
CONTROL_LISTS = (("old_names", ("",)), ("new_names", ("",)), ("renames", (".source", ".target")))


@dataclass(frozen=True, slots=True)
class DataFile:
    """One data file with its header. `problem` is (reason, sentence) if it cannot be used."""

    name: str
    data: Any
    dialect: Dialect
    file_id: int = 0
    problem: tuple[str, str] | None = None
    #: data, or why its records do not count: control, leftover, superseded.
    role: str = "data"

    @property
    def length(self) -> int:
        """The file's length in bytes."""
        return len(self.data)


@dataclass(frozen=True, slots=True)
class FileSet:
    """The data files in reading order, and what was said and done on the way there."""

    files: tuple[DataFile, ...] = ()
    notes: tuple[Note, ...] = ()
    #: Files beside the data files whose records do not count.
    others: tuple[DataFile, ...] = ()
    #: Names that a pending compaction removes, old name -> new name for those it renames.
    removed: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)


def extension_of(files: Files, params: Params) -> str:
    """Return the configured extension, or the commonest among names of the right form."""
    if "extension" in params:
        return params["extension"]
    found = Counter(extension for name in files if (extension := _extension(name)))
    return min(found, key=lambda extension: (-found[extension], extension)) if found else ""


@lru_cache(256)
def _extension(name: str) -> str:
    match = NAME.match(base_name(name))
    return match["extension"] if match else ""


def base_name(name: str) -> str:
    """Return `name` without what compression and an unfinished creation or compaction put behind it."""
    for suffix in (".gz", *LEFTOVERS):
        name = name.removesuffix(suffix)
    return name


def gather(files: Files, dialect: Dialect, params: Params) -> FileSet:
    """Return the data files of `files` ordered by header id, a pending compaction applied first."""
    extension = extension_of(files, params)
    notes: list[Note] = []
    plan = _control_plan(files, dialect, notes)
    found: list[DataFile] = []
    others: list[DataFile] = []
    for name in sorted(files, key=natural_key):
        final = plan.renamed.get(name, name)
        if name == CONTROL and dialect.control_file:
            # Its records bear the edition's id whatever its header says, which nobody looks at (JBM-CMP-004).
            others.append(DataFile(name, files[name], dialect, dialect.control_id, role="control"))
        elif name in plan.removed:
            others.append(replace(_examine(name, files[name], dialect, params), role="superseded"))
        elif final.removesuffix(".gz").endswith("." + extension):
            found.append(_examine(name, files[name], dialect, params))
        elif final.endswith(LEFTOVERS):
            notes.append(Note("leftover", name))
            others.append(replace(_examine(name, files[name], dialect, params), role="leftover"))
    ordered = sorted(found, key=lambda file: file.file_id)
    notes += _identity_notes(ordered)
    return replace(plan, files=tuple(ordered), notes=tuple(notes), others=tuple(others))


def _identity_notes(files: list[DataFile]) -> list[Note]:
    notes = []
    for before, file in zip([None, *files], files, strict=False):
        if file.problem is not None:
            notes.append(Note("invalid-file", file.name, None, file.problem[1]))
            continue
        if bytes(file.data[:4]) == UNFILLED and not file.dialect.versions:
            notes.append(Note("unfilled-header", file.name, 0))
        if before is not None and before.problem is None and before.file_id == file.file_id:
            notes.append(Note("duplicate-file-id", file.name, 0, f"id {file.file_id} as in {before.name}"))
    return notes + _gap_notes([file.file_id for file in files if file.problem is None])


def _gap_notes(ids: list[int]) -> list[Note]:
    """Return a note on the ids between the lowest and the highest that no file bears; `ids` are in order."""
    gaps = missing_numbers(ids)
    more = f" and {len(gaps) - MOST_GAPS} more gaps" if len(gaps) > MOST_GAPS else ""
    return (
        [Note("file-id-gap", text=f"no file has the id {', '.join(gaps[:MOST_GAPS])}{more}")] if gaps else []
    )


def _examine(name: str, data: Any, dialect: Dialect, params: Params) -> DataFile:
    """Return the file with its header, or with the first reason not to use it."""
    length, needed = len(data), dialect.header_size
    if length < needed:
        return DataFile(
            name, data, dialect, problem=("short-file", f"{length} bytes, the header has {needed}")
        )
    if not dialect.versions:
        (file_id,) = INT.unpack(data[: INT.size])
        return DataFile(name, data, dialect, file_id, problem=_length_problem(length, dialect, params))
    version, user, file_id = LONG_HEADER.unpack(data[: LONG_HEADER.size])
    problem = None
    expected_user = int(params.get("user_version", "0"))
    if version not in dialect.versions:
        problem = ("bad-version", f"format version {version}, not one of {dialect.versions}")
    elif user != expected_user:
        problem = ("bad-user-version", f"user version {user}, not {expected_user}")
    return DataFile(name, data, of_version(dialect, version), file_id, problem)


def header_of(file: DataFile) -> dict[str, int]:
    """Return the header fields as they stand in the file; none if it is too short to hold them."""
    if file.length < file.dialect.header_size:
        return {}
    if not file.dialect.versions:
        return {"file_id": INT.unpack(file.data[: INT.size])[0]}
    return dict(zip(LONG_FIELDS, LONG_HEADER.unpack(file.data[: LONG_HEADER.size]), strict=True))


def _length_problem(length: int, dialect: Dialect, params: Params) -> tuple[str, str] | None:
    """A file of a fixed-length edition may be longer than configured, its rest unread, but never shorter."""
    wanted = int(params.get("file_size", "0"))
    if dialect.fixed_length and length < wanted:
        return "wrong-length", f"{length} bytes, configured are {wanted}"
    return None


def limit_of(file: DataFile, params: Params) -> int:
    """Return where reading of `file` ends: its length, or the configured one where that is fixed."""
    wanted = int(params.get("file_size", "0"))
    return min(file.length, wanted) if file.dialect.fixed_length and wanted else file.length


def _control_plan(files: Files, dialect: Dialect, notes: list[Note]) -> FileSet:
    if not dialect.control_file or CONTROL not in files:
        return FileSet()
    lists = control_lists(files[CONTROL], dialect)
    if lists is None:
        notes.append(Note("control-discarded", CONTROL))
        return FileSet()
    notes.append(Note("control-applied", CONTROL))
    old, new, renames = lists
    renamed = {name: name.removesuffix(".cmp") for name in new if name in files}
    renamed.update({source: target for source, target in renames if source in files})
    removed = [name for name in old if name in files and name not in renamed]
    # A file that a rename is about to replace is gone as well.
    removed += [name for name in renamed.values() if name in files and name not in renamed]
    gone = [name for name in new if name not in files and name.removesuffix(".cmp") not in files]
    notes += [Note("control-file-gone", name, text=_gone_text(removed)) for name in gone]
    return FileSet(removed=tuple(removed), renamed=renamed)


def _gone_text(removed: list[str]) -> str:
    names = ", ".join(removed)
    return f"what it replaces is still there and does not count: {names}" if names else ""


def control_lists(data: Any, dialect: Dialect) -> tuple[list[str], list[str], list[tuple[str, str]]] | None:
    """Return (old files, new files, renames) of a control file, or None if it holds no healthy record.

    The first healthy record counts, with the edition's file id for it; the header is not looked at (JBM-CMP).
    """
    first = next(
        (item for item in walk(data, dialect.control_id, dialect) if isinstance(item, JournalRecord)), None
    )
    fields = None if first is None or first.kind.code != ADD else control_fields(first.body)
    if fields is None:
        return None
    found: dict[str, list[str]] = {title: [] for title, _ in CONTROL_LISTS}
    for path, _, value in fields:
        title, _, rest = path.partition("[")
        if rest.endswith(".name"):
            found[title].append(value)
    flat = found["renames"]
    return found["old_names"], found["new_names"], list(zip(flat[::2], flat[1::2], strict=True))


def control_fields(body: bytes) -> list[tuple[str, int, str]] | None:
    """Return (path, length, value) of each field of a control record's body, in order, or None if one is cut.

    A negative count is an empty list (JBM-CMP-006); what is left at the end is `slack`.
    """
    fields: list[tuple[str, int, str]] = []
    at = 0
    try:
        for title, members in CONTROL_LISTS:
            (count,) = INT.unpack_from(body, at)
            fields.append((f"num_{title.removesuffix('_names')}", 4, str(count)))
            at += 4
            if count * len(members) * 2 > len(body) - at:
                return None
            for index in range(max(0, count)):
                for member in members:
                    at = _name(body, at, f"{title}[{index}]{member}", fields)
    except (struct.error, UnicodeDecodeError):
        return None
    return [*fields, ("slack", len(body) - at, body[at : at + 16].hex())]


def _name(body: bytes, at: int, path: str, fields: list[tuple[str, int, str]]) -> int:
    """Append the name at `at` and its length to `fields`; return the offset behind it."""
    (size,) = struct.unpack_from(">H", body, at)
    (raw,) = struct.unpack_from(f"{size}s", body, at + 2)
    fields += [(f"{path}.length", 2, str(size)), (f"{path}.name", size, mutf8.decode(raw))]
    return at + 2 + int(size)
