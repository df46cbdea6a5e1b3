"""The files of a journal: their detection, the editions that fit them, and their order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from journalspec.formats import get_format
from journalspec.observation import Missing
from journalspec_reference.answers import Answer, renamed
from journalspec_reference.api import Detection, Files, NumberedFile, NumberedNames, Params
from journalspec_reference.batches import source_of, zeros
from journalspec_reference.kahadb_journal import index
from journalspec_reference.kahadb_journal.codec import (
    CONTROL,
    DIALECTS,
    END_MARKER,
    FORMAT,
    HEAD,
    MARKER,
    USER,
    CommandError,
    Dialect,
    frame,
    head,
    sums,
)

#: The editions with end markers, and the editions without; files look alike within each group.
MARKED = tuple(edition for edition, dialect in DIALECTS.items() if dialect.marked)
ZEROS = ("5.3", "5.12")
#: At most this many batches are skipped to find the bytes after them.
_LOOKED_AT = 1 << 16
#: The bytes that are read at a time for this.
_PIECE = 1 << 16
#: An end marker is searched for in this many bytes: by default a torn batch has no more than 4 MiB.
_TORN = 8 << 20
#: The number of REWRITTEN_DATA_FILE, a command of editions with end markers; the most bytes of its record.
_REWRITTEN, _SHORT = b"\x10", 64


def detect(files: Files, _: Params) -> list[Detection]:
    """Return the data files among `files` as one journal, with the index next to them.

    An index alone is a journal all of whose files are missing.
    """
    found = _detected(files) or _without_files(files)
    neighbours = (name for name in (index.INDEX, index.REDO) if name in files)
    beside = tuple(name for name in neighbours if not any(name in claim.files for claim in found))
    return [replace(_narrowed(claim, files), neighbours=beside) for claim in found]


def _without_files(files: Files) -> list[Detection]:
    """Return the journal of an index without data files; none if it is not an index."""
    try:
        index.Index(files[index.INDEX], files.get(index.REDO))
    except (KeyError, index.UnusableIndex):
        return []
    return [Detection(FORMAT, MARKED[-1], (index.INDEX,), 1, (*ZEROS, *MARKED))]


def _narrowed(found: Detection, files: Files) -> Detection:
    """Leave only the editions that the index next to the files permits, if it permits any of them."""
    if index.INDEX not in files or not found.editions:
        return found
    try:
        version = index.Index(files[index.INDEX], files.get(index.REDO)).version
    except index.UnusableIndex:
        return found
    left = tuple(edition for edition in found.editions if edition in index.EDITIONS[version])
    if not left:
        return found
    edition = found.edition if found.edition in left else left[-1]
    # Editions that read alike are not tried: the index's version shows which releases are possible.
    alike = len({get_format(FORMAT).editions[name].reads_as or name for name in left}) == 1
    return replace(found, edition=edition, editions=() if alike else left)


def _detected(files: Files) -> list[Detection]:
    """Return the data files among `files` as one journal, by name and by how they begin."""
    names = [file.name for file in gather(files)]
    if not names:
        return []
    starts = {name: bytes(files[name][: len(DIALECTS["seed"].start)]) for name in names}
    seeds = [name for name in names if starts[name] == DIALECTS["seed"].start]
    if seeds:
        return [Detection(FORMAT, "seed", tuple(names), 2 + (len(seeds) == len(names)))]
    hits = {
        name
        for name in names
        if starts[name] == DIALECTS["5.16"].start or starts[name][:MARKER] == END_MARKER
    }
    score = 1 + bool(hits) + (len(hits) == len(names))
    editions = _admitted([(files[name], name in hits) for name in names])
    assumed = editions[-1] if editions[-1] in MARKED else ZEROS[-1]
    return [Detection(FORMAT, assumed, tuple(names), score, editions)]


def _admitted(files: Sequence[tuple[Any, bool]]) -> tuple[str, ...]:
    """Return the editions that fit all `files`: each file with whether it begins with a batch.

    An end marker, in any file, excludes editions that write none. Zeros after the last batch exclude the
    others, unless nothing was written after them: a crash or a full disk leaves such a tail in any edition.
    """
    endings: list[str] = []
    # Begin with the last file: it has the fewest bytes to read, and almost always decides.
    for data, _ in reversed(files):
        endings.insert(0, ending(data))
        if endings[0] == "marker":
            return MARKED
    used = [at for at, (_, hit) in enumerate(files) if hit]
    if any(endings[at] == "zeros" for at in used[:-1]):
        return ZEROS
    # Zeros in the last file are the preallocation of 5.12, or the rest of a later edition's after a crash.
    return (*MARKED, *ZEROS) if used and endings[used[-1]] == "zeros" else (*ZEROS, *MARKED)


def ending(data: Any) -> str:
    """Return what follows the batches of a file: "marker", "zeros", "nothing", or "" for anything else.

    REWRITTEN_DATA_FILE counts as a marker: only editions with end markers have this command.
    """
    source, at, start = source_of(data), 0, DIALECTS["5.16"].start
    end, piece, base, last, size = source.size - CONTROL, b"", 0, -1, 0
    for _ in range(_LOOKED_AT):
        if at > last:
            # Small batches come in runs, so much is read after a small one, and little after a large one.
            piece, base = source.read(at, _PIECE if size < _PIECE >> 2 else CONTROL + _SHORT), at
            last = base + len(piece) - CONTROL - _SHORT
        here = at - base
        if at > end or not piece.startswith(start, here):
            break
        code = here + CONTROL + HEAD
        if piece[code : code + 1] == _REWRITTEN and _rewrites(piece[here + CONTROL :]):
            return "marker"
        size, _ = sums(piece, here)
        if not 0 < size <= end - at:
            break
        at += CONTROL + size
    if at == len(data):
        return "nothing"
    if END_MARKER in bytes(data[at : at + _TORN]) or bytes(data[max(at, len(data) - MARKER) :]) == END_MARKER:
        return "marker"
    return "zeros" if not any(bytes(data[at : at + MARKER])) else ""


def _rewrites(record: bytes) -> bool:
    """Return whether a batch begins with a complete REWRITTEN_DATA_FILE, which is short."""
    length, kind = head(record, 0)
    if kind != USER or not HEAD < length <= min(_SHORT, len(record)):
        return False
    try:
        return not frame(record[HEAD:length])[2]
    except CommandError:
        return False


_NAME = re.compile(r"db-(0|[1-9][0-9]{0,9})\.log")
_LARGEST = 0x7FFFFFFF
#: The names of data files, and their ids (KHD-FIL-001).
NAMES = NumberedNames(_NAME, re.compile(r"db-.*\.log", re.DOTALL), _LARGEST, "file-id-gap")
id_of = NAMES.number
#: A file of a journal; its number is its id.
DataFile = NumberedFile


def gather(files: Files) -> list[DataFile]:
    """Return the data files in the order of their ids (KHD-FIL-003)."""
    found = [(number, name) for name in files if (number := id_of(name)) is not None]
    return [DataFile(name, number, files[name]) for number, name in sorted(found)]


def role_of(file: DataFile, dialect: Dialect) -> str:
    """Return the role of a file: data, unused, or empty (KHD-FIL-006, KHD-FIL-007)."""
    if not file.length:
        return "empty"
    return "unused" if dialect.marked and bytes(file.data[:MARKER]) == b"-qMa4" else "data"


_DATA_FILE = re.compile(r"db-[0-9]+\.log")
_ZEROS = (
    "it holds zeros only. A file that ActiveMQ 5.15 and later allocate begins with an end marker, earlier "
    "ones allocate none before the first batch, and a start of a broker writes a record"
)
_CUT = "its last batch has no end marker, and an earlier file has: the file was cut after the batch"
_RENAMED = "{} has its name and something after it: no broker reads it"


def lacking(answer: Answer) -> Iterator[Missing]:
    """Yield the files that hold zeros, were cut between two batches, or have another name."""
    journal = answer.journal
    known = {entry.name for entry in answer.observation.missing}
    files = {file.name: file.data for file in gather(journal.files)}
    for name, other in renamed(journal, _DATA_FILE, _begins):
        if name not in known:
            yield Missing("file", name, other, text=_RENAMED.format(other))
    yield from (entry for entry in _of_files(files, answer) if entry.name not in known)


def _begins(head: bytes) -> bool:
    """Return whether a file begins as a data file does."""
    return head.startswith((END_MARKER, DIALECTS["5.16"].start, DIALECTS["seed"].start))


def _of_files(files: Mapping[str, Any], answer: Answer) -> Iterator[Missing]:
    """Yield files that lost content: end markers in earlier files, or a lack of any record, show it.

    No captured release leaves a file of zeros, neither in a new journal nor by preallocation.
    """
    empty, marks, marked = not len(answer.observation.records), answer.journal.edition in MARKED, False
    *_, final = files or [""]
    for name, data in files.items():
        last = bytes(data[max(0, len(data) - MARKER) :])
        if not any(last) and len(data) and (marked or empty) and zeros(source_of(data)):
            yield Missing("emptied-file", name, text=_ZEROS)
        elif marked and any(last) and last != END_MARKER and ending(data) == "nothing":
            yield Missing("end", name, name, len(data), text=_CUT)
        marked = marked or (marks and name != final and (last == END_MARKER or ending(data) == "marker"))
