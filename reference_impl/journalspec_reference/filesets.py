"""Finds the journals at a path. It determines which files exist, and which of them belong together.

This module only reads: files are opened once, without write access, and only the needed parts are read
(:mod:`.content`). So neither their size nor their number costs memory or descriptors. Files that end in
``.gz`` are decompressed, up to a bound, and keep their names.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import filter as filter_names
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

from journalspec.files import GZIP_MAGIC
from journalspec.formats import format_ids, get_format
from journalspec_reference import packed
from journalspec_reference.api import BY_MAGIC, Detection, Params
from journalspec_reference.api import load as load_implementation
from journalspec_reference.content import (
    Blocks,
    Content,
    Descriptors,
    FileSource,
    RawFile,
    Spool,
    at_hand,
)

#: The total decompressed size of all compressed files of one directory.
MAX_BYTES = 1 << 30
#: At most this many names are listed in a sentence.
MOST_NAMES = 12
#: At most this many stores below one directory are read in one run.
MOST_STORES = 1000
#: Bounds of the search by `below`: number of directories, and depth.
MAX_DIRECTORIES = 2000
MAX_DEPTH = 6
#: File systems round times. Therefore a directory can change twice within this many nanoseconds without a
#: change of its time.
_TICK = 3_000_000_000
#: The number of bytes at the start of a file that show whether the file is part of a journal.
HEAD = 64


class FilesetError(Exception):
    """This error means that a path leads to no journal.

    The text contains the fault and its reason. `hint` contains the next step for the user.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NoJournal(FilesetError):
    """This error means that a path has no journal of its own.

    `stores` are directories below it that contain journals.
    """

    def __init__(
        self, message: str, hint: str, stores: Iterable[Path] = (), unlisted: Iterable[LeftOut] = ()
    ) -> None:
        super().__init__(message, hint)
        self.stores, self.unlisted = tuple(stores), tuple(unlisted)


#: The reason why a directory was not read. It is reported only if the directory has the name of a journal's
#: file.
DIRECTORY = "a directory, not a file"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Represents a directory entry that was not read, and the reason.

    `length` is its size in bytes, if known.
    """

    name: str
    why: str
    length: int = 0


def by_reason(entries: Iterable[LeftOut], most: int = MOST_NAMES) -> dict[str, str]:
    """Return a map from reason to the names omitted for it, at most `most` of them in full."""
    names: dict[str, list[str]] = {}
    for entry in entries:
        names.setdefault(entry.why, []).append(entry.name)
    return {
        why: ", ".join(found[:most]) + (f" and {len(found) - most} more" if len(found) > most else "")
        for why, found in names.items()
    }


@dataclass(frozen=True)
class Loaded:
    """Represents the files at a path.

    `files` maps names to their :class:`~journalspec_reference.content.Content`. `inflated` lists the
    compressed files by their names on the disk. `asked` is the name of the single file that the user
    requested, or None for a directory.
    """

    path: Path
    root: Path
    files: dict[str, Content]
    inflated: frozenset[str]
    asked: str | None = None
    _left_out: dict[str, str] = field(default_factory=dict)
    #: All names in the directory, or None if the directory could not be listed.
    listed: frozenset[str] | None = None
    #: Maps a name to device and inode, for files with several names.
    _shared: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: Maps a name to the reason why it is skipped: the file is used under another name.
    _twice: dict[str, str] = field(default_factory=dict)
    #: The reason why the directory could not be listed. In that case, it may contain further files.
    unlisted: str = ""
    #: Whether the user gave several files, which then form one journal.
    is_set: bool = False
    #: Whether the files are on another machine. If so, `path` and `root` are not local paths.
    remote: bool = False
    #: Maps a name to the name on the disk, for files that have another name here.
    renamed: dict[str, str] = field(default_factory=dict)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The unreadable entries, sorted by name, without directories."""
        return tuple(
            LeftOut(name, why, self._length(name))
            for name, why in sorted({**self._left_out, **self._twice}.items())
            if why != DIRECTORY
        )

    def first_of(self, names: Iterable[str]) -> list[str]:
        """Return one name for each file. Further links to a file are recorded as omitted."""
        names = list(names)
        first: dict[tuple[int, int], str] = {}
        linked = [name for name in names if name in self._shared]
        # The requested name is preferred; otherwise the file's own name is preferred to a symbolic link.
        for name in sorted(linked, key=lambda name: (name != self.asked, (self.root / name).is_symlink())):
            other = first.setdefault(self._shared[name], name)
            if other != name:
                self._twice[name] = f"the same file as {other}"
        return [name for name in names if name not in self._twice]

    def _length(self, name: str) -> int:
        """Return the length of an unreadable file; 0 if it does not exist or its length is also unknown."""
        try:
            info = (self.root / self.renamed.get(name, name)).stat()
        except OSError:
            return 0
        return info.st_size if stat.S_ISREG(info.st_mode) else 0

    def is_directory(self, name: str) -> bool:
        """Return whether `name` is a directory."""
        return self._left_out.get(name) == DIRECTORY

    def entry(self, name: str) -> LeftOut | None:
        """Return the reason why `name` could not be read.

        Return None if it could be read or does not exist.
        """
        why = self._left_out.get(name)
        return None if why is None else LeftOut(name, why, self._length(name))

    @property
    def entries(self) -> Mapping[str, Any]:
        """All files and unreadable entries, by name. Unreadable entries have no content."""
        return {name: self.files.get(name, b"") for name in sorted({*self.files, *self._left_out})}


@dataclass(frozen=True)
class Journal:
    """Represents one journal: format, edition, and its files in the format's own order.

    `editions` are the editions that the files permit, if no edition is given and the files do not show
    theirs. In that case, `edition` is the one to use if all these editions read the files in the same way.
    """

    format: str
    edition: str
    files: Mapping[str, Any]
    #: Names of files that belong to the journal but do not exist.
    missing: tuple[str, ...] = ()
    #: Files that belong to the journal according to their names, but could not be read.
    unread: tuple[LeftOut, ...] = ()
    editions: tuple[str, ...] = ()
    params: Params = field(default_factory=dict)
    root: Path | None = None
    #: All names that were in `root` when it was listed, or None if it could not be listed.
    listed: frozenset[str] | None = None
    #: Files without records next to the journal. Reading and recovery use them, but they are not part of it.
    neighbours: Mapping[str, Any] = field(default_factory=dict)
    #: Maps a name to the name on the disk, for compressed files that are next to plain files.
    packed: Mapping[str, str] = field(default_factory=dict)
    #: The reason why the directory could not be listed. In that case, it may contain further files of the
    #: journal.
    unlisted: str = ""
    #: A sentence on how the files restrict or determine the edition.
    evidence: str = ""

    @property
    def seen(self) -> Mapping[str, Any]:
        """All files that reading and recovery use."""
        return {**self.files, **self.neighbours} if self.neighbours else self.files


#: The most recently read blocks. All files share this cache, so that many stores side by side take no more
#: memory.
_BLOCKS = Blocks()


def _opened(
    source_of: Callable[[str], RawFile],
    names: Iterable[str],
    left_out: dict[str, str],
    max_bytes: int,
    asked: str | None = None,
    *,
    sift: bool = False,
) -> tuple[dict[str, Content], frozenset[str]]:
    """Return the content of files by name, and the names of those that were decompressed.

    `asked` is the requested file, or None for all; `sift` is as in :func:`load`. Unreadable files are added
    to `left_out`. All files share memory and descriptors.
    """
    files: dict[str, Content] = {}
    inflated: set[str] = set()
    spool = Spool(max_bytes)
    for name in names:
        try:
            source = source_of(name)
            if name.endswith(".gz") and source.read(0, len(GZIP_MAGIC)) == GZIP_MAGIC:
                is_wanted = asked == name or packed.is_named(name)
                if asked is None and not is_wanted:
                    is_wanted = not sift or packed.may_be_journal(name, source)
                source = spool.inflate(source, Path(name), max_bytes if is_wanted else packed.MAX_OTHERS)
                inflated.add(name)
        except OSError as error:
            left_out[name] = error.strerror or str(error)
            continue
        files[name] = Content(source, _BLOCKS)
        # Read the first bytes while the file is open: most formats need them.
        files[name].read(0, 1)
    return files, frozenset(inflated)


def _local(root: Path) -> Callable[[str], RawFile]:
    """Return a function that opens files below `root`. The files share a few descriptors."""
    handles = Descriptors()
    return lambda name: FileSource(os.path.join(root, name), handles)  # noqa: PTH118  # of 100,000 files


def load(path: Path, *others: Path, max_bytes: int = MAX_BYTES, sift: bool = False) -> Loaded:
    """Return the files at `path`: those in a directory, or a single file with its neighbours.

    With `others`, all paths are files of one set, possibly in several directories; no neighbours are loaded.

    Subdirectories are ignored, except for files that some format keeps there (`below` in its description);
    the names of such files contain a ``/``. Symbolic links to regular files are followed; devices, pipes and
    sockets are omitted. `max_bytes` bounds the decompressed size of the ``.gz`` files. With `sift`, a large
    ``.gz`` file of a directory is omitted if its name and its first bytes show that it belongs to no journal.
    Raises FilesetError if there is no such path or it cannot be listed.
    """
    if others:
        return _set_of((path, *others), max_bytes)
    try:
        info = path.stat()
    except OSError as error:
        hint = "check the spelling" if isinstance(error, FileNotFoundError) else ""
        raise FilesetError(f"cannot read {str(path)!r}: {error.strerror}", hint) from None
    if stat.S_ISDIR(info.st_mode):
        root, asked = path, None
    elif stat.S_ISREG(info.st_mode):
        root, asked = path.parent, path.name
    else:
        raise FilesetError(
            f"{str(path)!r} is neither a file nor a directory", "give the directory that holds the journal"
        )
    left_out: dict[str, str] = {}
    shared: dict[str, tuple[int, int]] = {}
    try:
        names = _names(root, left_out, shared)
    except OSError as error:
        if asked is None:
            raise FilesetError(
                f"cannot list {str(root)!r}: {error.strerror}", "check its permissions"
            ) from None
        # The file is readable, but its directory cannot be listed, so this file is loaded alone.
        found = _opened(_local(root), [asked], left_out, max_bytes)
        loaded = Loaded(path, root, *found, asked, left_out, unlisted=error.strerror or str(error))
    else:
        twice = _packed_twice(names, asked)
        once = (name for name in names if name not in twice)
        found = _opened(_local(root), once, left_out, max_bytes, asked, sift=sift)
        loaded = Loaded(path, root, *found, asked, left_out, frozenset((*names, *left_out)), shared, twice)
    if asked is not None and asked not in loaded.files:
        entry = loaded.entry(asked)
        raise FilesetError(f"cannot read {str(path)!r}: {entry.why if entry else 'it went away'}")
    return loaded


def loaded_elsewhere(path: str, disks: Mapping[str, RawFile]) -> Loaded:
    """Return files that are not on this machine, by their names below `path`, like :func:`load`."""
    left_out: dict[str, str] = {}
    found = _opened(disks.__getitem__, disks, left_out, MAX_BYTES)
    return Loaded(Path(path), Path(path), *found, None, left_out, remote=True)


def _set_of(paths: tuple[Path, ...], max_bytes: int) -> Loaded:
    """Return files of any directories as one set, with names relative to their common directory."""
    for path in paths:
        if not path.is_file():
            text = "it is a directory" if path.is_dir() else "there is no such file"
            hint = "several paths are the files of one journal, or directories with a journal each"
            raise FilesetError(f"cannot read {str(path)!r}: {text}", hint)
    places = list(dict.fromkeys(os.path.abspath(path) for path in paths))  # noqa: PTH100  # links stay
    root = Path(os.path.commonpath([os.path.dirname(place) for place in places]))  # noqa: PTH120
    left_out: dict[str, str] = {}
    names = [os.path.relpath(place, root) for place in places]
    found = _opened(_local(root), names, left_out, max_bytes)
    return Loaded(root, root, *found, None, left_out, is_set=True)


def _names(root: Path, left_out: dict[str, str], shared: dict[str, tuple[int, int]]) -> list[str]:
    """Return the names of the files in `root`. Add other entries to `left_out`, and hard links to `shared`.

    Raises OSError.
    """
    names: list[str] = []
    of_file: dict[tuple[int, int], list[str]] = {}
    with os.scandir(root) as entries:
        for entry in sorted(entries, key=lambda item: item.name):
            why = _unfit(entry)
            if why is not None:
                left_out[entry.name] = why
                continue
            names.append(entry.name)
            info = entry.stat()
            if info.st_ino:  # Windows reports no inode here
                of_file.setdefault((info.st_dev, info.st_ino), []).append(entry.name)
    shared.update({name: key for key, found in of_file.items() if len(found) > 1 for name in found})
    return names + _deeper(root, left_out)


def patterns() -> Iterator[tuple[str, str]]:
    """Yield directory and pattern of the files that formats keep below a journal's directory."""
    for format_id in format_ids():
        for pattern in get_format(format_id).below:
            directory, _, name = pattern.rpartition("/")
            yield directory, name


def _deeper(root: Path, left_out: dict[str, str]) -> list[str]:
    """Return the names of files that formats keep in subdirectories of `root`. Add others to `left_out`."""
    found: set[str] = set()
    for directory, pattern in patterns():
        above = directory.startswith("..") and (root / directory).is_dir()
        if left_out.get(directory) != DIRECTORY and not above:
            continue
        try:
            for entry in _matching(root / directory, pattern):
                name = f"{directory}/{entry.name}"
                if why := _unfit(entry):
                    left_out[name] = why
                else:
                    found.add(name)
        except OSError as error:
            # The directory cannot be listed, so all files of the pattern are omitted.
            left_out[f"{directory}/{pattern}"] = error.strerror or str(error)
    return sorted(found)


def _matching(directory: Path, pattern: str) -> list[Path]:
    """Return the entries of a directory that match a pattern, compressed or not. Raises OSError.

    For a pattern without a wildcard, the directory is not listed. A directory can contain thousands of
    databases, and a search for one of them must not list all of them.
    """
    if "*" in pattern:
        names = os.listdir(directory)  # noqa: PTH208  # names only
        return [directory / name for name in names if fnmatchcase(name.removesuffix(".gz"), pattern)]
    found = list[Path]()
    for path in (directory / pattern, directory / f"{pattern}.gz"):
        with suppress(FileNotFoundError):
            path.lstat()
            found.append(path)
    return found


def _packed_twice(names: list[str], asked: str | None) -> dict[str, str]:
    """Return a map from name to reason for the files to skip, because they exist both compressed and plain.

    By default, the plain file is used.
    """
    found = {}
    there = set(names)
    for name in names:
        plain = name.removesuffix(".gz")
        if plain != name and plain in there:
            passed, taken = (plain, name) if asked == name else (name, plain)
            found[passed] = f"{taken} lies beside it and is taken"
    return found


def appeared(journal: Journal) -> list[str]:
    """Return the names of the journal that appeared in its directory after the listing."""
    if journal.root is None or journal.listed is None:
        return []
    stamps, settled = _stamps(journal.root)
    # All journals of a directory share one listing, unless the directory can have changed without a new time.
    listing = _new if settled else _new.__wrapped__
    try:
        new = listing(journal.root, journal.listed, stamps)
    except OSError:  # Nothing is cached, because the next attempt may succeed.
        return []
    if not new:
        return []
    entries = {**journal.files, **dict.fromkeys(new, b"")}
    claims = load_implementation(journal.format).detect(entries, journal.params)
    mine = {*journal.files, *journal.missing, *(entry.name for entry in journal.unread)}
    return sorted(
        {name for claim in claims if not mine.isdisjoint(claim.files) for name in claim.files} & new
    )


def _stamps(root: Path) -> tuple[tuple[int, ...], bool]:
    """Return two values: the times of `root` and of the formats' directories in it, and whether all these
    times are old.
    """
    stamps = list[int]()
    for directory in ("", *(directory for directory, _ in patterns())):
        with suppress(OSError):
            info = (root / directory).stat()
            stamps += info.st_mtime_ns, info.st_ctime_ns
    return tuple(stamps), max(stamps, default=0) < time.time_ns() - _TICK


@lru_cache(maxsize=1)
def _new(root: Path, listed: frozenset[str], _: tuple[int, ...]) -> frozenset[str]:
    """Return the names in and below `root` that are not `listed`. Raises OSError."""
    found = os.listdir(root)  # noqa: PTH208  # names only
    directories = {directory for directory, _ in patterns()} & {*found}
    return frozenset({*found, *_deeper(root, dict.fromkeys(directories, DIRECTORY))} - listed)


def _unfit(entry: os.DirEntry[str] | Path) -> str | None:
    """Return None for a regular file, or why the entry is omitted."""
    try:
        mode = entry.stat().st_mode
    except OSError as error:
        return f"broken symbolic link: {error.strerror}" if entry.is_symlink() else str(error.strerror)
    if stat.S_ISREG(mode):
        return None
    return DIRECTORY if stat.S_ISDIR(mode) else "not a regular file"


def find_journals(
    loaded: Loaded, format: str | None = None, edition: str | None = None, params: Params | None = None
) -> list[Journal]:
    """Return the journals among the loaded files, sorted by their first file.

    Every described format is tried. If two formats recognise the same file, the better detection is accepted.
    A file that cannot be read is recognised by its name. If `format` is given and no journal is recognised,
    the requested file (or all files) is treated as a journal of that format, so that damage can be examined.
    Raises UnknownFormat for an unknown format, or an edition that the format lacks. Raises FilesetError if no
    journal is found, or if no journal's format has the given edition.
    """
    wanted = (format,) if format else format_ids()
    if format and edition:
        get_format(format).edition(edition)
    claims = _claims(loaded, wanted, params)
    if _unpacked(loaded, claims):
        claims = _claims(loaded, wanted, params)
    chosen = [claim for claim in _best(claims) if _is_there(loaded, claim)]
    if loaded.asked is not None:
        asked = {loaded.asked, loaded.asked.removesuffix(".gz")}
        chosen = [claim for claim in chosen if not asked.isdisjoint(claim.files)]
    if loaded.is_set and len({claim.format for claim in chosen}) == 1:
        chosen = [replace(chosen[0], files=tuple(loaded.entries))]
    if not chosen and format:
        chosen = _as_told(loaded, format)
    if not chosen:
        named = [name for claim in claims for name in claim.files if loaded.is_directory(name)]
        if named:
            text = f"no journal in {str(loaded.path)!r}: {named[0]!r} bears the name of a journal's file"
            raise FilesetError(f"{text} and is {DIRECTORY}", "look for what was moved or restored there")
        raise _nothing(loaded)
    if edition and not any(edition in get_format(claim.format).editions for claim in chosen):
        found = ", ".join(dict.fromkeys(claim.format for claim in chosen))
        known = ", ".join(get_format(chosen[0].format).editions)
        raise FilesetError(
            f"what lies at {str(loaded.path)!r} is {found}, which has no edition {edition!r}",
            f"editions: {known}",
        )
    return [_journal(loaded, claim, edition, params or {}) for claim in chosen]


def _claims(loaded: Loaded, formats: Sequence[str], params: Params | None = None) -> list[Detection]:
    entries = at_hand(loaded.entries)
    claims: list[Detection] = []
    # With one format, or with parameters such as an extension, files can have any names.
    asked = formats if params or len(formats) == 1 else _by_names(formats, entries)
    for format_id in asked:
        claims += load_implementation(format_id).detect(entries, params)
        # If a format recognises all files by their first bytes, no other format can have a better detection.
        if any(claim.score == BY_MAGIC and entries.keys() == {*claim.files} for claim in claims):
            break
    return sorted(claims, key=lambda claim: formats.index(claim.format))


def _by_names(formats: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return the formats that have files with such names. Formats with the most specific names come first."""
    ranks = {
        format_id: next(
            (at for at, one in enumerate(get_format(format_id).names) if filter_names(names, one)), -1
        )
        for format_id in formats
    }
    return sorted((format_id for format_id in formats if ranks[format_id] >= 0), key=ranks.__getitem__)


def _unpacked(loaded: Loaded, claims: Iterable[Detection]) -> bool:
    """Remove ``.gz`` from the names of compressed files that no format recognises, readable or not.

    Return whether there are any.
    """
    known = {name for claim in claims for name in claim.files}
    unread = {name for name, why in loaded._left_out.items() if why != DIRECTORY and packed.is_part(name)}
    files: dict[str, Any] = loaded.files
    for found, names in ((files, loaded.inflated), (loaded._left_out, unread)):
        for name in [name for name in found if name in names - known]:
            plain = name.removesuffix(".gz")
            if plain not in loaded.files and plain not in loaded._left_out:
                found[plain] = found.pop(name)
                loaded.renamed[plain] = name
    return bool(loaded.renamed)


def _best(claims: list[Detection]) -> list[Detection]:
    """Return detections that share no file, in file order.

    Of two detections that share a file, the better one is kept.
    """
    taken: set[str] = set()
    chosen = []
    for claim in sorted(claims, key=lambda item: -item.score):
        if taken.isdisjoint(claim.files):
            taken.update(claim.files)
            chosen.append(claim)
    return sorted(chosen, key=lambda item: item.files)


def _is_there(loaded: Loaded, claim: Detection) -> bool:
    """Return whether at least one file of a detection exists. The file need not be readable, but it is not a
    directory.
    """
    return any(
        loaded.files.get(name) is not None or (loaded.entry(name) and not loaded.is_directory(name))
        for name in claim.files
    )


def _as_told(loaded: Loaded, format_id: str) -> list[Detection]:
    names = (loaded.asked,) if loaded.asked else tuple(loaded.files)
    description = get_format(format_id)
    editions = tuple(description.editions)
    return [Detection(format_id, description.default_edition, names, 0, editions)] if names else []


def _journal(loaded: Loaded, claim: Detection, edition: str | None, params: Params) -> Journal:
    files: dict[str, Any] = {}
    unread: list[LeftOut] = []
    missing: list[str] = []
    for name in loaded.first_of(claim.files):
        content = loaded.files.get(name)
        entry = loaded.entry(name)
        if content is not None:
            files[name] = content
        elif entry is not None:
            unread.append(entry)
        else:
            missing.append(name)
    told = edition is not None and edition in get_format(claim.format).editions
    beside = {name: found for name in claim.neighbours if (found := loaded.files.get(name)) is not None}
    compressed = {name: loaded.renamed[name] for name in (*files, *beside) if name in loaded.renamed}
    return Journal(
        claim.format,
        edition if edition is not None and told else claim.edition,
        files,
        tuple(missing),
        tuple(unread),
        () if told else claim.editions,
        {**claim.params, **params},
        None if loaded.remote else loaded.root,
        loaded.listed,
        beside,
        compressed if len(compressed) < len(files) + len(beside) else {},
        loaded.unlisted,
        "" if told else claim.evidence,
    )


def _nothing(loaded: Loaded) -> NoJournal:
    """Return the error for a path without a journal."""
    formats = ", ".join(format_ids())
    if loaded.asked is not None and not _is_part(loaded):
        return NoJournal(
            f"{str(loaded.path)!r} is not recognised as part of a journal of a known format ({formats})",
            "name the format with --format to look at it all the same",
        )
    if _is_part(loaded):
        return NoJournal(
            f"no journal in {str(loaded.path)!r}: it is a part of one",
            f"give the directory above it: {str(loaded.root.parent)!r}",
        )
    what = "no files" if not len(loaded.files) else f"{len(loaded.files)} file(s), none of a known format"
    message = f"no journal in {str(loaded.path)!r}: {what} ({formats})"
    unlisted: list[LeftOut] = []
    found = below(loaded.path, at_most=MOST_STORES, unlisted=unlisted)
    hint = "give the directory that holds the journal's files"
    if len(loaded.files):
        hint = "name the format with --format to look at the files all the same"
    if found:
        hint = "journals lie below it, for example in:\n  " + "\n  ".join(map(str, found[:MOST_NAMES]))
    elif unlisted:
        hint = "\n  ".join(f"{entry.name}: {entry.why}" for entry in unlisted[:MOST_NAMES])
    return NoJournal(message, hint, found, unlisted)


def _is_part(loaded: Loaded) -> bool:
    """Return whether the path is a directory within a journal, or another file in such a directory."""
    names = [loaded.asked] if loaded.asked else list(loaded.files)
    return any(
        directory == loaded.root.name and fnmatchcase(name.removesuffix(".gz"), pattern)
        for directory, pattern in patterns()
        for name in names
    )


def below(
    path: Path, *, at_most: int = 10, every: bool = False, unlisted: list[LeftOut] | None = None
) -> list[Path]:
    """Return up to `at_most` directories under `path` that contain a journal, in the order of their names.

    Directories that cannot be listed, or were not examined, are added to `unlisted`.

    Symbolic links to directories are not followed. The search is bounded in depth and in the number of
    directories. With `every`, the depth is not bounded. Then a directory that cannot be listed, or too many
    directories, raise FilesetError.
    """
    found: list[Path] = []
    depth = len(path.parts)
    most = max(MAX_DIRECTORIES, at_most)
    left = [] if unlisted is None else unlisted

    def passed_over(error: OSError) -> None:
        if every:
            text = f"cannot list {str(error.filename)!r}: {error.strerror}"
            raise FilesetError(text, "check its permissions") from None
        left.append(LeftOut(str(error.filename), f"cannot be listed: {error.strerror}"))

    for seen, (root, names, _) in enumerate(os.walk(path, onerror=passed_over)):
        names.sort()
        if len(Path(root).parts) - depth >= MAX_DEPTH and not every:
            left += [LeftOut(os.path.join(root, name), "too deep to be looked into") for name in names[:1]]  # noqa: PTH118
            names.clear()
        if seen >= most or len(found) >= at_most:
            if every:
                text = f"{str(path)!r} holds more than {min(most, at_most)} directories"
                raise FilesetError(text, "name fewer of them at a time")
            left.append(LeftOut(str(path), f"only {min(seen, most)} directories were looked into"))
            break
        if Path(root) != path and _holds_journal(Path(root)):
            found.append(Path(root))
    return found


def _holds_journal(directory: Path) -> bool:
    try:
        loaded = load(directory, sift=True)
    except FilesetError:
        return False
    claims = _claims(loaded, format_ids())
    if not claims and _unpacked(loaded, claims):
        claims = _claims(loaded, format_ids())
    # The name of an unreadable file is also evidence.
    return any(_is_there(loaded, claim) for claim in claims)
