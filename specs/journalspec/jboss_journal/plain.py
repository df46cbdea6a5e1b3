"""What the files of a journal amount to, however their records were read (JBM-FIL, JBM-CMP, JBM-RDR).

Both schemas (construct and Kaitai) read single headers and records; which files
count, where the next record is looked for, and what a clean directory means, is
concluded here, once, and independently of any reader.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

from journalspec import mutf8
from journalspec.jboss_journal import LAYOUT
from journalspec.jboss_journal.replay import replay
from journalspec.observation import CLEAN, At, FileMap, Note, Observation, Record
from journalspec.schemas import Codec, Plain, SchemaError

EDITIONS = ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e")
#: The fixed name of the file that describes a compaction (JBM-CMP-001).
CONTROL = "journal-rename-control.ctr"
#: Endings of files that count only when a control file says so (JBM-FIL-012).
LEFTOVERS = (".tmp", ".cmp")
#: What a file that never got an id begins with (JBM-HDR-013).
UNFILLED_ID = 0x4A4A4A4A
_NAME = re.compile(r".*-(?P<number>-?[0-9]+)\.(?P<extension>[A-Za-z]+)")
#: Fields that an observation carries as they are.
_TOLD = ("compact_count", "tx", "id", "user_type", "body", "count", "extra", "pairs")
_CHECK = 4


class Lists(NamedTuple):
    """What a control file says: old names, new names, (from, to) renames."""

    old: list[str]
    new: list[str]
    renames: list[tuple[str, str]]


def has(structure: str, name: str, edition: str) -> bool:
    """Tell whether a structure has the field `name` in an edition."""
    return name in LAYOUT.structure(structure, edition).names


def versioned(edition: str) -> bool:
    """Tell whether the headers of an edition have a format version (JBM-HDR-001, JBM-HDR-002)."""
    return has("header", "format_version", edition)


def controlled(edition: str) -> bool:
    """Tell whether there is compaction in an edition, and with it the control file."""
    return edition not in ("seed", "seed+hash", "s1")


def laid_out_as(edition: str, version: int) -> str:
    """Return the edition whose tables the records of a file of format `version` follow (0: it has none)."""
    return "v1" if version == 1 else edition


def stamp_of(edition: str, file_id: int) -> int:
    """Return what the records of file `file_id` carry, unsigned (JBM-HDR-015, JBM-HDR-016)."""
    return file_id & (0x7FFFFFFF if versioned(edition) else 0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class PlainFile:
    """One file: its header, its records in order, and (of data files) the records of earlier lives.

    `edition` is the one whose tables its records follow.
    """

    name: str
    data: bytes
    edition: str
    file_id: int
    header: Mapping[str, int] = field(default_factory=dict)
    role: str = "data"
    records: tuple[Plain, ...] = ()
    stale: tuple[Plain, ...] = ()


def observe(files: Mapping[str, bytes], edition: str, codec: Codec, params: Mapping[str, str]) -> Observation:
    """Return the observation of a clean directory at level layout; raises SchemaError at what is not.

    `files` maps names to whole contents; `params` may give ``extension``,
    ``user_version`` and, in the editions where it matters, ``file_size``. Clean means
    (JBM-RDR-018): every data file has a sound header, no candidate with the right
    file id is torn, and every COMMIT and PREPARE finds what it counts.
    """
    if edition not in EDITIONS:
        raise SchemaError(f"no schema for edition {edition!r}: there are {', '.join(EDITIONS)}")
    found = _arrange(files, edition, params, codec)
    whole = [_data_file(name, bytes(files[name]), edition, codec, params) for name in found.data]
    whole.sort(key=lambda file: file.file_id)
    aside = [
        _other_file(name, bytes(files[name]), role, edition, codec) for name, role in found.others.items()
    ]
    # A single count is about one file, also where two have the same id.
    events = (
        (file.file_id if has("record", "pairs", file.edition) else turn, item)
        for turn, file in enumerate(whole)
        for item in file.records
    )
    # JBM-SED-005: without extra data there is nothing to be in doubt about.
    state = replay(events, {file.file_id for file in whole}, in_doubt=has("record", "extra", edition))
    return Observation(
        CLEAN,
        records=tuple(_record(item, file) for file in [*whole, *aside] for item in file.records),
        state=state,
        files=tuple(
            FileMap(file.name, len(file.data), file.role, {} if file.role == "control" else file.header)
            for file in [*whole, *aside]
        ),
        notes=(*_notes(found, whole), *_unfinished(state), *_stale_notes(whole)),
        unanchored=tuple(_record(item, _as_stamped(item, file)) for file in whole for item in file.stale),
    )


@dataclass(slots=True)
class _Found:
    """Names of the data files, other files with their roles, and what is to be said about it."""

    data: list[str] = field(default_factory=list)
    others: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def _arrange(files: Mapping[str, bytes], edition: str, params: Mapping[str, str], codec: Codec) -> _Found:
    """Return what each file is, in the order of the names; raises SchemaError if none is a journal's."""
    extension = params.get("extension") or _commonest_extension(files)
    found = _Found()
    renamed: dict[str, str] = {}
    removed: set[str] = set()
    has_control = controlled(edition) and CONTROL in files
    if has_control:
        lists = _control_lists(bytes(files[CONTROL]), edition, codec)
        found.notes.append(Note("control-discarded" if lists is None else "control-applied", CONTROL))
        if lists is not None:
            renamed, removed = _plan(files, lists)
    for name in sorted(files, key=_natural):
        final = renamed.get(name, name)
        if has_control and name == CONTROL:
            found.others[name] = "control"
        elif name in removed:
            found.others[name] = "superseded"
        elif extension and final.endswith(f".{extension}"):
            found.data.append(name)
        elif final.endswith(LEFTOVERS):
            found.notes.append(Note("leftover", name))
            found.others[name] = "leftover"
    if files and not found.data and not found.others:
        raise SchemaError("none of these files belongs to a journal")
    return found


def _plan(files: Mapping[str, bytes], lists: Lists) -> tuple[dict[str, str], set[str]]:
    renamed = {name: name.removesuffix(".cmp") for name in lists.new if name in files}
    renamed |= {source: target for source, target in lists.renames if source in files}
    gone = {name for name in [*lists.old, *renamed.values()] if name in files}
    return renamed, gone - set(renamed)


def _commonest_extension(names: Iterable[str]) -> str:
    found = Counter(match["extension"] for name in names if (match := _NAME.fullmatch(_base(name))))
    return min(found, key=lambda extension: (-found[extension], extension), default="")


def _base(name: str) -> str:
    for suffix in LEFTOVERS:
        name = name.removesuffix(suffix)
    return name


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return the key by which names sort: runs of digits as numbers (JBM-FIL-005)."""
    parts = re.split(r"([0-9]+)", name)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts if part]


def _control_lists(data: bytes, edition: str, codec: Codec) -> Lists | None:
    """Return what a control file says; None: it counts for nothing (JBM-CMP-004)."""
    first = next(_lenient(CONTROL, data, control_id(edition), edition, codec), None)
    if first is None or first.type != "ADD":
        return None
    try:
        # The newest .ksy describes it for all editions that have one.
        said = codec.read("control", "v2", first.fields["body"], 0, CONTROL).fields
        old, new = ([mutf8.decode(row["name"]) for row in said[f"{which}_names"]] for which in ("old", "new"))
        renames = [
            [mutf8.decode(row[f"{end}.name"]) for end in ("source", "target")] for row in said["renames"]
        ]
    except (SchemaError, UnicodeDecodeError):
        return None
    return Lists(old, new, [(source, target) for source, target in renames])


def control_id(edition: str) -> int:
    """Return the file id that a control file's record carries (JBM-CMP-002)."""
    return -1 if edition == "s2" else 0


def _header(name: str, data: bytes, edition: str, codec: Codec) -> dict[str, int]:
    """Return the header of a file; raises SchemaError, also for a version that the edition does not read."""
    header = dict(codec.read("header", edition, data, 0, name).fields)
    version = header.get("format_version", 0)
    # One .ksy serves all versions; which of them an edition reads is known here.
    if edition == "v1" and version != 1:
        raise SchemaError(f"format version {version}, not 1", name, 0)
    return header


def _data_file(name: str, data: bytes, edition: str, codec: Codec, params: Mapping[str, str]) -> PlainFile:
    header = _header(name, data, edition, codec)
    user_version = header.get("user_version", 0)
    if user_version != int(params.get("user_version", "0")):
        raise SchemaError(f"user version {user_version}, which is not the configured one", name, 4)
    laid = laid_out_as(edition, header.get("format_version", 0))
    data = _within(name, data, edition, params)
    records = []
    at = LAYOUT.structure("header", edition).size
    while (off := next_candidate(data, at, laid, header["file_id"])) is not None:
        records.append(codec.read("record", laid, data, off, name))
        at = records[-1].end
    file = PlainFile(name, data, laid, header["file_id"], header, records=tuple(records))
    return replace(file, stale=tuple(_stale(file, codec)))


def _within(name: str, data: bytes, edition: str, params: Mapping[str, str]) -> bytes:
    """Return the part of a file that counts where its length is configured (JBM-FIL-009, JBM-FIL-010)."""
    wanted = int(params.get("file_size", "0"))
    if controlled(edition) or not wanted:
        return data
    if len(data) < wanted:
        raise SchemaError(f"{len(data)} bytes, configured are {wanted}", name, 0)
    return data[:wanted]


@cache
def _pattern(types: bytes, stamp: bytes) -> re.Pattern[bytes]:
    return re.compile(b"[" + re.escape(types) + b"]" + re.escape(stamp), re.DOTALL)


def next_candidate(
    data: Any, at: int, edition: str, file_id: int | None, end: int | None = None
) -> int | None:
    """Return the first offset from `at` on where a record of file `file_id` may start, or None.

    None for `file_id`: of any file. That is a record type, and the stamp of the
    file, before `end`. A small loop that no schema language has (JBM-RDR-001 to JBM-RDR-003).
    """
    types = bytes(sorted(LAYOUT.types(edition).values()))
    stamp = b"" if file_id is None else stamp_of(edition, file_id).to_bytes(4, "big")
    match = _pattern(types, stamp).search(data, at, len(data) if end is None else end)
    return match.start() if match else None


def _may_end(data: bytes, off: int, edition: str, end: int) -> bool:
    """Tell whether a record at `off` could end where its own sizes say, at most at `end`.

    The schemas read a body before they come to the check size. Where most
    candidates are none, asking first keeps a search linear (JBM-RDR-021); with the
    calculated hash only the bounds can be asked for.
    """
    stop = LAYOUT.claimed_end("record", edition, data, off, end)
    if not off < stop <= end:
        return False
    return has("record", "hash", edition) or int.from_bytes(data[stop - _CHECK : stop], "big") == stop - off


def _stale(file: PlainFile, codec: Codec) -> Iterator[Plain]:
    """Yield the records of earlier lives between those that count (JBM-RDR-019)."""
    own = stamp_of(file.edition, file.file_id).to_bytes(4, "big")
    starts = [LAYOUT.structure("header", file.edition).size, *(item.end for item in file.records)]
    ends = [*(item.off for item in file.records), len(file.data)]
    for start, end in zip(starts, ends, strict=True):
        at = start
        while (off := next_candidate(file.data, at, file.edition, None, end)) is not None:
            at = off + 1
            if file.data[off + 1 : off + 5] != own and (item := _sound(file, off, end, codec)):
                yield item
                at = item.end


def _sound(file: PlainFile, off: int, end: int, codec: Codec) -> Plain | None:
    """Return the record at a candidate's place, at most up to `end`; None: it is no sound one."""
    if not _may_end(file.data, off, file.edition, end):
        return None
    try:
        return codec.read("record", file.edition, file.data, off, file.name)
    except SchemaError:
        return None


def _lenient(name: str, data: bytes, file_id: int, edition: str, codec: Codec) -> Iterator[Plain]:
    """Yield the healthy records of a file that need not be clean."""
    file = PlainFile(name, data, edition, file_id)
    at = LAYOUT.structure("header", edition).size
    while (off := next_candidate(data, at, edition, file_id)) is not None:
        at = off + 1
        if item := _sound(file, off, len(data), codec):
            yield item
            at = item.end


def _other_file(name: str, data: bytes, role: str, edition: str, codec: Codec) -> PlainFile:
    """Return a file whose records do not count (JBM-RDR-022); a bad header makes it an invalid one."""
    header: dict[str, int] = {}
    if role != "control":
        try:
            header = _header(name, data, edition, codec)
        except SchemaError:
            return PlainFile(name, data, edition, control_id(edition), role="invalid")
    file_id = header.get("file_id", control_id(edition))
    laid = laid_out_as(edition, header.get("format_version", 0))
    return PlainFile(
        name, data, laid, file_id, header, role, tuple(_lenient(name, data, file_id, laid, codec))
    )


def _as_stamped(item: Plain, file: PlainFile) -> PlainFile:
    """Return `file` as the one that `item` was written to: the file id is the record's own."""
    stored = int(item.fields["file_id"])
    return replace(file, file_id=stored % (1 << 32) if versioned(file.edition) else stored)


def _record(item: Plain, file: PlainFile) -> Record:
    told = {name: item.fields[name] for name in _TOLD if name in item.fields}
    return Record(item.type, {"file_id": file.file_id, **told}, At(file.name, item.off, item.size))


def _notes(found: _Found, files: list[PlainFile]) -> Iterator[Note]:
    yield from found.notes
    for before, file in zip([None, *files], files, strict=False):
        if not versioned(file.edition) and file.file_id == UNFILLED_ID:
            yield Note("unfilled-header", file.name, 0)
        if before is not None and before.file_id == file.file_id:
            yield Note("duplicate-file-id", file.name, 0, f"id {file.file_id} as in {before.name}")
    ids = {file.file_id for file in files}
    if ids and max(ids) - min(ids) >= len(ids):
        yield Note("file-id-gap", text=f"{len(ids)} ids between {min(ids)} and {max(ids)}")


def _unfinished(state: Mapping[str, Any]) -> Iterator[Note]:
    for item in state["discarded"]:
        yield Note("incomplete-transaction", text=f"transaction {item['tx']}")


def _stale_notes(files: list[PlainFile]) -> Iterator[Note]:
    for file in files:
        if file.stale:
            yield Note("stale", file.name)
