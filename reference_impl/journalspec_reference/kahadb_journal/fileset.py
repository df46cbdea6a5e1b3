"""The files of a journal: their detection, the possible editions, and the order of the files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import Any

from journalspec.formats import get_format
from journalspec.observation import Missing
from journalspec_reference.answers import Answer, renamed
from journalspec_reference.api import Detection, Files, NumberedNames, Params
from journalspec_reference.batches import Source, source_of, zeros
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
from journalspec_reference.kahadb_journal.index import EDITIONS, INDEX, REDO, Index, UnusableIndex

#: The editions with end markers, and the editions without end markers. Files look alike within each group.
MARKED = tuple(edition for edition, dialect in DIALECTS.items() if dialect.marked)
ZEROS = ("5.3", "5.12")
#: The first bytes of a batch in the seed's edition, and in all others.
_SEED, _BATCH = DIALECTS["seed"].start, DIALECTS[MARKED[-1]].start
#: At most this many batches are skipped to find the bytes after them.
_LOOKED_AT = 1 << 16
#: The number of bytes read at a time while skipping batches.
_PIECE = 1 << 16
#: An end marker is searched for in this many bytes, because a torn batch has at most 4 MiB with the product's
#: defaults.
_TORN = 8 << 20
#: The number of REWRITTEN_DATA_FILE, which is a command of editions with end markers, and the maximum size of
#: its record in bytes.
_REWRITTEN, _SHORT = b"\x10", 64


def detect(files: Files, _: Params) -> list[Detection]:
    """Return the data files among `files` as one journal, with the index next to them.

    Files are judged by their names and first bytes. An index without data files is a journal whose files are
    all missing.
    """
    found, index = gather(files), _index_version(files)
    names = tuple([file.name for file in found])
    beside = tuple([name for name in (INDEX, REDO) if name in files])
    starts = [bytes(file.data[: len(_SEED)]) for file in found]
    if _SEED in starts:
        score = 2 + (starts.count(_SEED) == len(starts))
        return [Detection(FORMAT, "seed", names, score, neighbours=beside)]
    if names:
        hits = [start == _BATCH or start.startswith(END_MARKER) for start in starts]
        score = 1 + any(hits) + all(hits)
        editions = _admitted([source_of(file.data) for file in found], hits)
        edition = editions[-1] if editions[-1] in MARKED else ZEROS[-1]
    elif index is not None:
        names, beside, score = (INDEX,), beside[1:], 1
        editions, edition = (*ZEROS, *MARKED), MARKED[-1]
    else:
        return []
    # Keep only the editions that the index permits, if it permits any.
    left = tuple([name for name in editions if index is not None and name in EDITIONS[index]])
    if left:
        edition = edition if edition in left else left[-1]
        # Editions that read the files in the same way are not tried: the index's version shows which releases
        # are possible.
        alike = len({get_format(FORMAT).editions[name].reads_as or name for name in left}) == 1
        editions = () if alike else left
    return [Detection(FORMAT, edition, names, score, editions, neighbours=beside)]


def _index_version(files: Files) -> int | None:
    """Return the version of the index among `files`. Return None if there is no usable index."""
    try:
        return Index(files[INDEX], files.get(REDO)).version
    except (KeyError, UnusableIndex):
        return None


def _admitted(files: Sequence[Source], hits: Sequence[bool]) -> tuple[str, ...]:
    """Return the editions that fit all `files`. `hits` contains for each file whether it begins with a batch.

    An end marker in any file excludes editions that write none. Zeros after the last batch exclude editions
    with end markers, unless nothing was written after the zeros: a crash or a full disk leaves such a tail in
    any edition.
    """
    endings: list[str] = []
    # Begin with the last file. It needs the fewest reads, and almost always decides.
    for file in reversed(files):
        endings.insert(0, ending(file))
        if endings[0] == "marker":
            return MARKED
    used = [*compress(endings, hits)]
    if "zeros" in used[:-1]:
        return ZEROS
    # Zeros in the last file are the preallocation of 5.12, or were left by a crash of a later edition.
    return (*MARKED, *ZEROS) if used[-1:] == ["zeros"] else (*ZEROS, *MARKED)


def ending(source: Source) -> str:
    """Return the kind of bytes after the batches of a file: "marker", "zeros", "nothing", or "" for other
    bytes.

    REWRITTEN_DATA_FILE counts as a marker: only editions with end markers have this command.
    """
    at, end, piece, base, last, size = 0, source.size - CONTROL, b"", 0, -1, 0
    for _ in range(_LOOKED_AT):
        if at > last:
            # Small batches come in runs, so many bytes are read after a small batch, and few after a large
            # batch.
            piece, base = source.read(at, _PIECE if size < _PIECE >> 2 else CONTROL + _SHORT), at
            last = base + len(piece) - CONTROL - _SHORT
        here = at - base
        if at > end or not piece.startswith(_BATCH, here):
            break
        code = here + CONTROL + HEAD
        if piece[code : code + 1] == _REWRITTEN and _rewrites(piece[here + CONTROL :]):
            return "marker"
        size, _ = sums(piece, here)
        if not 0 < size <= end - at:
            break
        at += CONTROL + size
    if at == source.size:
        return "nothing"
    tail = source.read(max(at, source.size - MARKER), MARKER)
    if tail == END_MARKER or END_MARKER in source.read(at, _TORN):
        return "marker"
    return "" if any(source.read(at, MARKER)) else "zeros"


def _rewrites(record: bytes) -> bool:
    """Return whether a batch begins with a complete REWRITTEN_DATA_FILE, which is short."""
    length, kind = head(record, 0)
    if kind != USER or not HEAD < length <= min(_SHORT, len(record)):
        return False
    try:
        return not frame(record[HEAD:length], DIALECTS[MARKED[-1]].commands)[2]
    except CommandError:
        return False


_NAME = re.compile(r"db-(0|[1-9][0-9]{0,9})\.log")
_LARGEST = 0x7FFFFFFF
#: The names of data files, and their ids (KHD-FIL-001).
NAMES = NumberedNames(_NAME, re.compile(r"db-.*\.log", re.DOTALL), _LARGEST, "file-id-gap")
id_of = NAMES.number


class DataFile:
    """A file of a journal: `number` is its id, which is in its name, and `data` is its content.

    `length` is the number of its bytes.
    """

    __slots__ = ("data", "length", "name", "number")

    def __init__(self, name: str, number: int, data: Any) -> None:
        self.name, self.number, self.data, self.length = name, number, data, len(data)


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
    """Yield the files that contain zeros, were truncated between two batches, or were renamed."""
    journal = answer.journal
    known = {entry.name for entry in answer.observation.missing}
    files = {file.name: file.data for file in gather(journal.files)}
    for name, other in renamed(journal, _DATA_FILE, _begins):
        if name not in known:
            yield Missing("file", name, other, text=_RENAMED.format(other))
    yield from (entry for entry in _of_files(files, answer) if entry.name not in known)


def _begins(head: bytes) -> bool:
    """Return whether a file begins as a data file does."""
    return head.startswith((END_MARKER, _BATCH, _SEED))


def _of_files(files: Mapping[str, Any], answer: Answer) -> Iterator[Missing]:
    """Yield files that lost content, judged by end markers in earlier files, or by a lack of any record.

    No captured release leaves a file of zeros, neither in a new journal nor by preallocation.
    """
    empty, marks, marked = not len(answer.observation.records), answer.journal.edition in MARKED, False
    *_, final = files or [""]
    for name, data in files.items():
        source = source_of(data)
        last = source.read(max(0, source.size - MARKER), MARKER)
        if last and not any(last) and (marked or empty) and zeros(source):
            yield Missing("emptied-file", name, text=_ZEROS)
        elif marked and any(last) and last != END_MARKER and ending(source) == "nothing":
            yield Missing("end", name, name, source.size, text=_CUT)
        marked = marked or (marks and name != final and (last == END_MARKER or ending(source) == "marker"))
