"""Determines which files make up a journal, in which order, and the directories next to it (JBM-FIL).

Brokers keep these directories in one parent directory: ``journal``, ``bindings``, ``paging`` and
``large-messages``, with a common prefix in WildFly and EAP (``messagingjournal``). Symbolic links are not
followed: they may lead outside these directories.
"""

from __future__ import annotations

import os
import re
import struct
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from journalspec import mutf8
from journalspec.jboss_journal import LAYOUT
from journalspec.observation import At, FileMap, Missing, Note, Observation, refused
from journalspec_reference.api import Detection, Files, Params, missing_numbers, natural_key
from journalspec_reference.batches import source_of, zeros
from journalspec_reference.content import Content
from journalspec_reference.filesets import FilesetError, Journal, Loaded, load
from journalspec_reference.jboss_journal import codec
from journalspec_reference.jboss_journal.codec import DIALECTS, INT, LONG_HEADER, Dialect
from journalspec_reference.jboss_journal.scan import SEARCH_STRETCH, first_found, scan

FORMAT = "jboss_journal"
#: The form of a name: prefix - number . extension. A second "-" before the digits is the sign of the number.
NAME = re.compile(r"^(?P<prefix>.*?)-(?P<number>-?[0-9]+)\.(?P<extension>[A-Za-z]+)$")
CONTROL = "journal-rename-control.ctr"
LEFTOVERS = (".tmp", ".cmp")
#: The header of a file that was filled with 'J' and never given an id.
UNFILLED_ID = int.from_bytes(b"JJJJ", "big")
#: Artemis removes no file while there are fewer files than this, unless `journal-pool-files` is smaller.
POOL_FILES, POOL_EXTENSION = 10, "amq"
#: The fields of the header of 16 bytes, in order.
LONG_FIELDS = LAYOUT.structure("header", "v2").names
#: Free files have the ids directly after those of the files in use, so the difference is less than this.
FAR = 1000
#: From edition v1 on, file ids in records are less than this.
NO_STAMP = 1 << 31
#: Up to this many gaps in the ids are reported one by one.
MOST_GAPS = 20
#: Maps each list of a control record to the number of names in one entry.
CONTROL_LISTS = {"old_names": 1, "new_names": 1, "renames": 2}
UNSIGNED_SHORT = struct.Struct(">H")


#: Three lists: old files, new files, and renames from one name to another.
ControlLists = tuple[list[str], list[str], list[tuple[str, str]]]


class Name(NamedTuple):
    """Represents the parts of a file name in the journal's own form."""

    prefix: str
    number: int
    extension: str


class DataFile(NamedTuple):
    """Represents one data file with its header. If it cannot be used, `problem` is (reason, sentence)."""

    name: str
    data: Any
    dialect: Dialect
    file_id: int = 0
    problem: tuple[str, str] | None = None
    #: The offset at which reading ends. Editions of a fixed length read at most the configured length.
    limit: int = 0
    #: The fields of the header as they are in the file. There are none if the file is too short for them.
    header: Mapping[str, int] = MappingProxyType({})
    #: The role `data`, or the reason why the file's records are not part of the journal: control, leftover,
    #: superseded, duplicate.
    role: str = "data"
    #: Whether the header is zeros although there is evidence that the file was in use.
    headless: bool = False
    #: The lists of a control file. None if it contains no healthy record.
    lists: ControlLists | None = None

    @property
    def length(self) -> int:
        """The file's length in bytes."""
        return len(self.data)

    @property
    def number(self) -> int | None:
        """The number in the file's name, which was its id when it was created. None if there is no number."""
        form = parsed(self.name)
        return form.number if form else None


class FileSet(NamedTuple):
    """Represents the data files in reading order, with notes, and the changes of a pending compaction."""

    files: Sequence[DataFile] = ()
    #: The data files that can be used.
    usable: Sequence[DataFile] = ()
    notes: Sequence[Note] = ()
    #: Files next to the data files whose records are not live.
    others: Sequence[DataFile] = ()
    #: Names that a pending compaction removes. For names that it renames, a map from the old name to the new
    #: name.
    removed: Collection[str] = ()
    renamed: Mapping[str, str] = MappingProxyType({})
    #: Required files that are missing.
    missing: Sequence[Missing] = ()
    #: Whether all files are usable, none was reused, and there was no compaction.
    unused: bool = False
    #: Whether, in addition, no file was removed, so that every written record is still present.
    complete: bool = False


FILE_ID: Callable[[DataFile], int] = attrgetter("file_id")
#: The file set without a pending compaction.
NO_CHANGES = FileSet()


def extension_of(files: Files, params: Params) -> str:
    """Return the configured extension, or the most frequent extension of names of the right form.

    If there are neither, the returned text is the end of no name, because names have no zero bytes.
    """
    if "extension" in params:
        return params["extension"]
    found: dict[str, int] = {}
    for form in map(parsed, files):
        if form:
            found[form.extension] = found.get(form.extension, 0) + 1
    return min(found, key=lambda extension: (-found[extension], extension), default="\0")


@lru_cache(1 << 12)
def parsed(name: str) -> Name | None:
    """Return the parts of a file name in the journal's own form. Return None for a name in another form."""
    match = NAME.match(base_name(name))
    return Name(match["prefix"], int(match["number"]), match["extension"]) if match else None


def base_name(name: str) -> str:
    """Return `name` without the suffixes of compression and of an unfinished creation or compaction."""
    for suffix in (".gz", *LEFTOVERS):
        name = name.removesuffix(suffix)
    return name


def is_leftover(name: str, extension: str) -> bool:
    """Return whether a name is that of an incomplete file, or of an incomplete control file (JBM-FIL-012)."""
    return name == CONTROL + LEFTOVERS[0] or name.endswith(
        tuple(f".{extension}{suffix}" for suffix in LEFTOVERS)
    )


def gather(files: Files, dialect: Dialect, params: Params, imply: bool = False) -> FileSet:
    """Return the data files of `files` ordered by header id. A pending compaction is applied first.

    With `imply`, a file whose header is zeros gets the file id that its records imply.
    """
    extension = extension_of(files, params)
    own = "." + extension
    notes: list[Note] = []
    plan, lists = NO_CHANGES, None
    if dialect.control_file and CONTROL in files:
        lists = control_lists(files[CONTROL], dialect)
        plan = _control_plan(files, lists, notes)
    found: list[DataFile] = []
    others: list[DataFile] = []
    for name in sorted(files, key=natural_key):
        final = plan.renamed.get(name, name)
        if name == CONTROL and dialect.control_file:
            others.append(_control_file(files[name], dialect)._replace(lists=lists))
        elif name in plan.removed:
            others.append(_examine(name, files[name], dialect, params)._replace(role="superseded"))
        elif final.removesuffix(".gz").endswith(own):
            found.append(_examine(name, files[name], dialect, params))
        elif is_leftover(final, extension):
            notes.append(Note("leftover", name))
            others.append(_examine(name, files[name], dialect, params)._replace(role="leftover"))
    implied: list[Note] = []
    usable: list[DataFile] = []
    ids = {*map(FILE_ID, found)}
    if len(ids) < len(found):
        found, copies = _without_copies(found, notes)
        others += copies
    if 0 in ids:
        # The headers of these files can be zeros.
        found = _with_headless(found, imply, implied)
    ordered = sorted(found, key=FILE_ID)
    unused = complete = CONTROL not in files
    for number, file in enumerate(ordered, 1):
        if file.problem is None:
            usable.append(file)
        # The content of an unusable file is unknown.
        unused = unused and file.problem is None and file.file_id == file.number
        complete = unused and complete and file.file_id == number
    _note(ordered, usable, notes)
    notes += implied
    return FileSet(
        ordered,
        usable,
        notes,
        sorted(others, key=lambda file: natural_key(file.name)) if others else others,
        plan.removed,
        plan.renamed,
        _packed_away(ordered),
        unused,
        complete,
    )


def _without_copies(found: list[DataFile], notes: list[Note]) -> tuple[list[DataFile], list[DataFile]]:
    """Return the files that are not copies, and the copies. Add a note on each copy (JBM-FIL-023, 030, 032).

    A copy has the id of another file, and only the other file has a journal's name (JBM-FIL-028).
    """
    prefixes = Counter(form.prefix for file in found if (form := parsed(file.name)))
    own = min(prefixes, key=lambda prefix: (-prefixes[prefix], len(prefix), prefix), default="")
    plain = {(file.name, file.file_id) for file in found if file.problem is None}
    originals: dict[int, str] = {}

    def proper(file: DataFile) -> bool:
        form = parsed(file.name)
        return file.problem is None and form is not None and form.prefix == own

    for file in filter(proper, found):
        originals.setdefault(file.file_id, file.name)
    own_files, copies = [], []
    for file in found:
        unpacked = file.name.removesuffix(".gz")
        # A file and its compressed form are one file, even if further files have the same id (JBM-FIL-030).
        packed = unpacked != file.name and (unpacked, file.file_id) in plain
        first = unpacked if packed else "" if proper(file) else originals.get(file.file_id, "")
        if file.problem is None and first:
            text = f"id {file.file_id} as in {first}: a copy, which is not part of the journal"
            notes.append(Note("duplicate-file-id", file.name, 0, text))
            copies.append(file._replace(role="duplicate"))
        else:
            own_files.append(file)
    return own_files, copies


def _with_headless(files: list[DataFile], imply: bool, notes: list[Note]) -> list[DataFile]:
    """Return the files. Those that were in use and whose header is zeros are marked as headless.

    A file was in use if it has records, or if others were created after it. With `imply`, a headless file
    gets the file id that its records imply, with a note (JBM-RCV-032, JBM-RCV-036).
    """
    out = []
    last = max([file.file_id for file in files], default=0)
    ids = {file.file_id for file in files if file.problem is None}
    for file in files:
        size = file.dialect.header_size
        # Up to s2, a file that cannot be used is too short, and remains so.
        if any(bytes(file.data[:size])) or (file.problem and not file.dialect.versions):
            out.append(file)
            continue
        implied = implied_id(file.data, file.dialect)
        if implied == 0:
            # Its records have the file id 0, as its header does, so the header is not damaged.
            out.append(file)
        elif imply and implied is not None and implied not in ids and implied < NO_STAMP:
            ids.add(implied)
            notes.append(Note("unverified", file.name, 0, f"its records carry the file id {implied}"))
            out.append(file._replace(file_id=implied, problem=None, headless=True))
        else:
            below = file.number is not None and file.number < last
            out.append(file._replace(headless=implied is not None or below))
    return out


def implied_id(data: Any, dialect: Dialect) -> int | None:
    """Return the file id in the first sound record. Return None if there is no sound record.

    A file is overwritten from its beginning, so its first records belong to its last generation.
    """
    for batch in scan(source_of(data), dialect, None, dialect.header_size, len(data), stretch=SEARCH_STRETCH):
        if batch.off:
            return codec.stamp_at(batch.data, batch.off[0], dialect)
    return None


def _packed_away(files: list[DataFile]) -> list[Missing]:
    """Return the files that exist only as `.gz`, if other files are not compressed.

    No product reads such files.
    """
    packed = [file.name for file in files if file.name.endswith(".gz")]
    if not packed or len(packed) == len(files):
        return []
    text = "it is compressed: its records are read here, no product reads them"
    return [Missing("file", name.removesuffix(".gz"), name, text=text) for name in packed]


def lost_from(found: FileSet, *, before: bool = False) -> list[Missing]:
    """Return the missing files of a journal that deletes nothing. No product removed these files
    (JBM-FIL-024).

    Missing files lie between existing files; with `before`, also before the first existing file, because
    numbers start at 1. The number in each name must equal the id in the header. In that case no file was
    reused, and there was no compaction. In such a journal, a product removes a file only if the pool is full
    and all records in it were deleted.
    """
    files, others = found.files, found.others
    if found.complete and not others:
        return []
    named = parsed(files[0].name) if files and found.unused else None
    if len(files) >= POOL_FILES or named is None or named.extension != POOL_EXTENSION:
        return []
    known = (*files, *(file for file in others if file.role == "leftover"))
    numbers = sorted({*([0] if before else []), *(file.number for file in known if file.number is not None)})
    text = "no file was used again, and nothing was ever deleted: Artemis would have kept this one"
    names = [
        " to ".join(f"{named.prefix}-{number}.{POOL_EXTENSION}" for number in gap.split(" to "))
        for gap in missing_numbers(numbers)[:MOST_GAPS]
    ]
    return [Missing("file", name, text=text) for name in names]


def changed_headers(files: Sequence[DataFile], counts: Sequence[int]) -> Iterator[Missing]:
    """Yield the files whose headers were changed after their records were written (JBM-FIL-027).

    `counts` is the number of own records in each of the `files`. A free file also has no own records, but its
    id is one of the next after those in use.
    """
    far = FAR + max([file.file_id for file, count in zip(files, counts, strict=True) if count], default=0)
    for file, count in zip(files, counts, strict=True):
        implied = implied_id(file.data, file.dialect) if not count and file.file_id >= far else None
        if implied and file.file_id >= implied + FAR:
            text = f"the header has the id {file.file_id}, the first record {implied}: none is read"
            yield Missing("header", file.name, file.name, 0, text=text)


def _note(files: list[DataFile], usable: list[DataFile], notes: list[Note]) -> None:
    """Add notes on unusable files, equal ids, unusual lengths, and gaps in the ids, in the order of ids."""
    before = None
    for file in files:
        if file.problem is not None:
            notes.append(Note("invalid-file", file.name, None, file.problem[1]))
        else:
            if not file.dialect.versions and file.header.get("file_id") == UNFILLED_ID:
                notes.append(Note("unfilled-header", file.name, 0))
            if before is not None and before.problem is None and before.file_id == file.file_id:
                text = f"id {file.file_id} as in {before.name}"
                notes.append(Note("duplicate-file-id", file.name, 0, text))
        before = file
    if len(usable) < 2:
        return
    if len({len(file.data) for file in usable}) > 1:
        lengths = Counter([file.length for file in usable])
        usual = max(lengths, key=lambda length: (lengths[length], length))
        for file in usable:
            # Editions of a fixed length accept a longer file.
            if file.length != usual and not file.dialect.fixed_length:
                text = f"{file.length} bytes, most files have {usual}"
                notes.append(Note("other-length", file.name, text=text))
    if gaps := missing_numbers(map(FILE_ID, usable)):
        more = f" and {len(gaps) - MOST_GAPS} more gaps" if len(gaps) > MOST_GAPS else ""
        notes.append(Note("file-id-gap", text=f"no file has the id {', '.join(gaps[:MOST_GAPS])}{more}"))


def _examine(name: str, data: Any, dialect: Dialect, params: Params) -> DataFile:
    """Return the file with its header, or with the first reason not to use it."""
    length, header, problem = len(data), header_of(data[: dialect.header_size], dialect), None
    configured = int(params.get("file_size", "0")) if dialect.fixed_length else 0
    expected_user = int(params.get("user_version", "0"))
    version, user = header.get("format_version", 0), header.get("user_version", expected_user)
    if not header:
        problem = ("short-file", f"{length} bytes, the header has {dialect.header_size}")
    elif length < configured:
        problem = ("wrong-length", f"{length} bytes, configured are {configured}")
    elif dialect.versions and version not in dialect.versions:
        problem = ("bad-version", f"format version {version}, not one of {dialect.versions}")
    elif user != expected_user:
        problem = ("bad-user-version", f"user version {user}, not {expected_user}")
    if header and dialect.versions:
        dialect = codec.of_version(dialect, version)
    limit = min(length, configured) if configured else length
    return DataFile(name, data, dialect, header.get("file_id", 0), problem, limit, header)


def _control_file(data: Any, dialect: Dialect) -> DataFile:
    """Return the control file.

    Its records have their own file id, and its header is ignored (JBM-CMP-004).
    """
    header = header_of(data[: dialect.header_size], dialect)
    return DataFile(CONTROL, data, dialect, dialect.control_id, None, len(data), header, role="control")


def header_of(head: bytes, dialect: Dialect) -> dict[str, int]:
    """Return the header fields as they are at the start of a file. Return none if the file is too short."""
    if len(head) < dialect.header_size:
        return {}
    if not dialect.versions:
        return {"file_id": INT.unpack_from(head)[0]}
    return dict(zip(LONG_FIELDS, LONG_HEADER.unpack_from(head), strict=True))


def _control_plan(files: Files, lists: ControlLists | None, notes: list[Note]) -> FileSet:
    if lists is None:
        notes.append(Note("control-discarded", CONTROL))
        return NO_CHANGES
    notes.append(Note("control-applied", CONTROL))
    old, new, renames = lists
    # The old files are removed first, so that no rename applies to one of them (JBM-CMP-016).
    left = files.keys() - {*old}
    renamed = {name: name.removesuffix(".cmp") for name in new if name in left}
    renamed.update({source: target for source, target in renames if source in left})
    removed = [name for name in old if name in files]
    # A file that a rename is about to replace is also treated as missing.
    removed += [name for name in renamed.values() if name in left and name not in renamed]
    gone = [name for name in new if name not in left and name.removesuffix(".cmp") not in left]
    text = f"the files that it replaces still exist and are ignored: {', '.join(removed)}" if removed else ""
    notes += [Note("control-file-gone", name, text=text) for name in gone]
    # There can be as many names as files, so looking up a name must not compare it with all of them.
    return FileSet(removed=dict.fromkeys(removed), renamed=renamed)


def control_lists(data: Any, dialect: Dialect) -> ControlLists | None:
    """Return the lists of a control file. Return None if it contains no healthy record.

    The first healthy record with the edition's file id for control files is used; the header is ignored
    (JBM-CMP).
    """
    stamp = dialect.stamp(dialect.control_id)
    batch = first_found(source_of(data), dialect, stamp, dialect.header_size, len(data))
    if batch is None or batch.code[0] != codec.ADD:
        return None
    return control_names(codec.decode_record(batch.data, batch.off[0], dialect).body)


def control_names(body: bytes) -> ControlLists | None:
    """Return the lists in the body of a control record. Return None if a list is truncated, or a name is
    invalid.

    A negative count is an empty list (JBM-CMP-021).
    """
    at, lists = 0, list[list[str]]()
    try:
        for parts in CONTROL_LISTS.values():
            count, at = INT.unpack_from(body, at)[0], at + INT.size
            names = []
            for _ in range(parts * count):
                size, at = UNSIGNED_SHORT.unpack_from(body, at)[0], at + UNSIGNED_SHORT.size
                value, at = body[at : at + size], at + size
                names.append(mutf8.decode(value))
            lists.append(names)
    except (struct.error, ValueError):
        return None
    if at > len(body):
        return None
    old, new, flat = lists
    return old, new, list(zip(flat[::2], flat[1::2], strict=True))


def refusal(found: FileSet) -> Observation | None:
    """Return the refusal for the first unusable file under the strict policy. Otherwise return None."""
    for file in found.files:
        if file.problem is not None:
            reason, text = file.problem
            # An interrupted creation leaves a short file. From edition v1 on, this does not refuse the
            # journal.
            if reason == "short-file" and file.dialect.versions:
                continue
            phase = "fileset" if reason == "wrong-length" else "header"
            return refused(phase, reason, f"{file.name}: {text}", At(file.name, 0, file.length))
    return None


def map_of(file: DataFile) -> FileMap:
    """Return the facts about a file in an answer: its role, its header, and the lists of a control file."""
    content: dict[str, object] = {}
    if file.lists is not None:
        old, new, renames = file.lists
        pairs = [{"source": source, "target": target} for source, target in renames]
        content = {"old_names": old, "new_names": new, "renames": pairs}
    role = "invalid" if file.problem else file.role
    return FileMap(file.name, file.length, role, file.header, content)


#: Maps an extension used by a product to the edition to report if several editions read the files in the same
#: way. An extension proves nothing else, so every edition that the headers permit is a candidate
#: (JBM-FIL-002).
EXTENSIONS = {"jbm": "seed", "hq": "v2", "amq": "v2e", "jms": "", "bindings": ""}
SHORT = tuple(name for name, dialect in DIALECTS.items() if not dialect.versions)
LONG = tuple(name for name, dialect in DIALECTS.items() if dialect.versions)
#: Up to this many bytes of a control file are searched for names.
MOST_CONTROL = 1 << 20
#: From this file id on, the id is not evidence for a 16-byte header.
MAX_ID = 1 << 48


def detect(files: Files, params: Params) -> list[Detection]:
    """Return one journal for each extension: the configured extension, or every likely one.

    An extension is likely if a product uses it, or if a file with a name of the right form has the 16-byte
    header. All files with the extension belong to the journal (JBM-FIL-001).
    """
    groups: dict[str, list[str]] = defaultdict(list)
    told = params.get("extension")
    likely = {*EXTENSIONS}
    for name in sorted(files):
        stem, dot, extension = base_name(name).rpartition(".")
        if dot and stem and name != CONTROL:
            groups[extension].append(name)
            if not told and extension not in likely and parsed(name) and head_of(files[name]) in ("1", "2"):
                likely.add(extension)
    chosen = [told] if told in groups else [] if told else [each for each in groups if each in likely]
    control = _control_of(chosen, groups, files)
    found = []
    for extension in chosen:
        names = [*groups[extension], *([CONTROL] if extension == control else [])]
        heads = [head_of(files[name]) for name in groups[extension]]
        score = 1 + any(heads) + all(heads)
        preferred = EXTENSIONS.get(extension, "")
        if not preferred and any(base_name(name).startswith("hornetq-") for name in names):
            preferred = EXTENSIONS["hq"]
        editions = _admitted(heads, extension == control)
        if all(zeros(source_of(files[name])) for name in groups[extension]):
            # Files of zeros prove nothing, and no edition of the product begins a file with zeros.
            editions = (preferred or LONG[-1],)
        # With a product's own extension, headers that do not fit can be damaged, so the edition of the
        # product is added.
        own = preferred or (LONG[-1] if extension in EXTENSIONS else "")
        if own and own not in editions:
            editions = (*editions, own)
        edition = preferred or editions[-1]
        found.append(Detection(FORMAT, edition, tuple(names), score, editions, {"extension": extension}))
    return found


def head_of(data: Any) -> str:
    """Return the kind of a file's header: "1" or "2" (format version), "short", or nothing.

    The id of a 4-byte header is followed by a record or fill; neither is a plausible user version. A file
    without a header proves nothing.
    """
    first = bytes(data[: LONG_HEADER.size])
    if not first.strip(first[:1]):
        return ""
    if len(data) >= LONG_HEADER.size:
        version, user, file_id = LONG_HEADER.unpack(first)
        if version in (1, 2) and 0 <= user < codec.EVENT << 24 and 0 < file_id < MAX_ID:
            return str(version)
    return "short" if len(data) >= INT.size and INT.unpack_from(first)[0] >= 0 else ""


def _admitted(heads: list[str], compacted: bool) -> tuple[str, ...]:
    """Return the editions that all headers permit; a control file excludes editions without one."""
    short = sum(head == "short" for head in heads)
    long = sum(head in ("1", "2") for head in heads)
    # Only these editions have the long header, and a damaged long header looks like a short one.
    editions = LONG if long else SHORT if short else (*SHORT, *LONG)
    if "2" in heads:
        editions = tuple(name for name in editions if 2 in DIALECTS[name].versions or name in SHORT)
    return tuple(name for name in editions if DIALECTS[name].control_file or not compacted)


def _control_of(extensions: list[str], groups: dict[str, list[str]], files: Files) -> str | None:
    """Return the extension of the control file's journal.

    It is an extension in its lists, or else the most frequent one.
    """
    if CONTROL not in files or not extensions:
        return None
    content = bytes(files[CONTROL][:MOST_CONTROL])
    named = [item for item in extensions if b"." + item.encode() in content]
    return max(named or extensions, key=lambda item: len(groups[item]))


JOURNAL, BINDINGS = "journal", "bindings"
#: The possible names of each directory, after the prefix.
NAMES = {
    BINDINGS: (BINDINGS,),
    "paging": ("paging",),
    "large": ("large-messages", "largemessages", "large_messages"),
}
#: This many directories of addresses are examined.
MOST_ROOMS = 100_000


@dataclass(frozen=True)
class Room:
    """Represents one directory of a broker."""

    path: Path

    @cached_property
    def loaded(self) -> Loaded | None:
        """The files of the directory. None if it cannot be listed."""
        try:
            return load(self.path)
        except FilesetError:
            return None

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the directory's files, also of those that cannot be opened. ``.gz`` is omitted."""
        listed = self.loaded.listed if self.loaded else None
        return frozenset(name.removesuffix(".gz") for name in listed or ())

    def open(self, name: str) -> Content | None:
        """Return a file's content. Return None if there is none, it cannot be read, or it is a link."""
        for stored in (name, name + ".gz"):
            if self.loaded is not None and not (self.path / stored).is_symlink():
                found = self.loaded.files.get(stored)
                if isinstance(found, Content):
                    return found
        return None

    def is_packed(self, name: str) -> bool:
        """Return whether a file exists only in compressed form, in which a broker does not find it."""
        listed = (self.loaded.listed if self.loaded else None) or frozenset()
        return name not in listed and f"{name}.gz" in listed

    def rooms(self) -> Iterator[Room]:
        """Yield the subdirectories by name."""
        try:
            with os.scandir(self.path) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except OSError:
            return
        for name in names[:MOST_ROOMS]:
            yield Room(self.path / name)


def beside(journal: Journal, kind: str, own: str = JOURNAL) -> Room | None:
    """Return the directory of a `kind` (in NAMES, or the journal) next to the directory of `own`.

    Return None if there is none.
    """
    if journal.root is None:
        return None
    root = journal.root.absolute()
    prefix = root.name.removesuffix(own)
    if prefix == root.name:
        return None
    for name in NAMES.get(kind, (kind,)):
        path = root.parent / (prefix + name)
        if path.is_dir() and not path.is_symlink():
            return Room(path)
    return None
