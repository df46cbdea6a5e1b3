"""A new store with the recovered state of an old one, and an account of the omitted items.

A format provides a :class:`NewStore` in its ``newstore``: the files on which the product starts, as streams.
This module atomically writes these files to a new directory. The old store is only read.

A new store contains the items that contents report as live under the same policy. For a journal without
contents, it contains the recovered state.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import IO, Any

from journalspec.files import force_names, no_room
from journalspec.formats import UnknownFormat, get_format
from journalspec.observation import CLEAN, RECOVERED, REFUSED, Observation
from journalspec_reference.answers import Answer, ask, held
from journalspec_reference.api import load
from journalspec_reference.content import PartOfFile
from journalspec_reference.contents import Count
from journalspec_reference.filesets import FilesetError, Journal, NoJournal, find_journals
from journalspec_reference.filesets import load as load_files

try:
    import fcntl
except ImportError:  # The module does not exist on every system.
    fcntl = None  # type: ignore[assignment]

#: Kinds of :class:`LossItem` that are not rows of a table.
BYTES, FILE = "bytes", "file"
#: The name in place of a policy for a store that was only read, not recovered.
NO_POLICY = "none"
#: A report's name consists of the name of the new directory, this suffix, and `.json` or `.md`. The second
#: text is in the first line of both reports and identifies them.
REPORT, MARK = ".loss-report", "journalspec loss report"
#: The suffix of the name of an incomplete result, and a pattern of the random part after this suffix.
_PARTIAL, _RANDOM = ".partial-", re.compile("[0-9a-f]{8}")
#: Files are read in pieces of this many bytes. If a file has more bytes in holes than the second number, only
#: the parts outside holes are read.
PIECE, MOST_HOLES = 1 << 20, 1 << 30
#: Characters that Windows does not allow in names, and the names of devices on Windows.
_ODD = re.compile(r'[\x00-\x1f<>:"|?*\\\x7f]')
_DEVICES = {
    "CON",
    "PRN",
    "AUX",
    "NUL",
    *(f"{word}{number}" for word in ("COM", "LPT") for number in range(10)),
}


class ChoiceRefused(FilesetError):
    """This error means that a choice matches no item, is not possible in this format, or decides a
    transaction that is not in doubt.
    """


class CannotRebuild(FilesetError):
    """This error means that there is no new store for this journal, for example because it is encrypted or
    nothing can be kept.
    """


@dataclass(frozen=True, slots=True)
class StoreChoices:
    """Represents the user's choices besides the policy.

    Each choice refers to an item by the id that contents print.
    """

    #: Transactions, message ids and queues to omit.
    drop: tuple[str, ...] = ()
    #: Items to carry over that would otherwise be omitted, because they are unverified or because the product
    #: drops them when it starts.
    keep: tuple[str, ...] = ()
    #: XIDs of branches in doubt.
    commit: tuple[str, ...] = ()
    rollback: tuple[str, ...] = ()
    #: If not empty, only these queues are carried over (Derby: tables).
    queues: tuple[str, ...] = ()
    #: Whether to carry over records in a damaged unit whose own structure is complete. They are marked as
    #: unverified.
    salvage_records: bool = False
    #: Whether to apply acknowledgements that only an index contains.
    index_acks: bool = False


@dataclass(frozen=True, slots=True)
class LossItem:
    """Represents one item that was not carried over, or that was carried over without verification.

    `what` is :data:`BYTES`, :data:`FILE` or the noun of a table (``message``, ``row``, ``transaction``); `id`
    and `queue` (Derby: the table) are empty if the item has none. `off` and `length` are in bytes. `code` is
    that of a dropped region, a note or a remark, or a special code of new stores; `text` is the reason.
    """

    what: str
    code: str
    text: str
    id: str = ""
    queue: str = ""
    file: str = ""
    off: int | None = None
    length: int | None = None


@dataclass(frozen=True, slots=True)
class NewFile:
    """Represents one file of a new store.

    `name` is relative to the store's directory, with ``/``; `parts` are made when they are written, each of
    at most 1 MiB.
    """

    name: str
    parts: Iterable[bytes]


class NewStore(ABC):
    """A new store that a format makes from an answer of recovery; deterministic, and not written yet.

    A format implements :meth:`carried` and :meth:`files`, and overrides other methods as needed. `items` are
    the items that choices omit; `lines` describe the effect of each choice.
    """

    #: Whether reading the new store again would prove nothing. This is so if it is encrypted, or a copy of
    #: bytes that were read clean.
    opaque = False
    #: Whether the new store is made from the result of reading, because recovery refuses the old store under
    #: every policy.
    unrecovered = False

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.items: list[LossItem] = []
        self.lines: list[str] = []

    @property
    def product(self) -> str:
        """The product and the versions for which the new store is made. They depend on format and edition."""
        edition = get_format(self.answer.journal.format).edition(self.answer.journal.edition)
        return ", ".join(edition.products) or edition.title

    @property
    def base(self) -> str:
        """The directory that file names are relative to, as a path from the journal's directory.

        ``.`` is the journal's own directory. ``..`` is its parent: the broker's directory if the bindings are
        also written, or the database's directory if its log was given.
        """
        return "."

    @property
    def covers(self) -> frozenset[PurePath]:
        """Other directories whose content the store includes, relative to the journal's: ``../bindings``.

        A journal in such a directory gets no separate new store.
        """
        return frozenset()

    @abstractmethod
    def carried(self) -> Iterable[Count]:
        """Return the copied items, counted by queue or table."""

    def left_out(self) -> Iterator[LossItem]:
        """Yield the omitted items, except the dropped, missing or lost ones in the answer."""
        yield from self.items

    def unverified(self) -> Iterator[LossItem]:
        """Yield the copied items that no checksum or commit covers."""
        yield from ()

    @property
    def lacks(self) -> frozenset[tuple[str, str]]:
        """Code and name of each item that both the old and the new store lack."""
        return frozenset()

    def chosen(self) -> Iterator[str]:
        """Yield one line of text on the effect of each choice."""
        yield from self.lines

    def steps(self) -> Sequence[str]:
        """Return the steps to put the new store in place, one sentence each."""
        return ()

    @abstractmethod
    def files(self) -> Iterator[NewFile]:
        """Yield the files of the store.

        Each call yields the same bytes. A name that ends in / is an empty directory.
        """


def pieces(data: Any) -> Iterator[bytes]:
    """Yield `data` in pieces of at most :data:`PIECE` bytes."""
    return (bytes(data[at : at + PIECE]) for at in range(0, len(data), PIECE))


def parts(some: Iterable[bytes], length: int = 0, fill: bytes = b"\0") -> Iterator[bytes]:
    """Yield the bytes of `some` in new pieces for a file, then the byte `fill` up to the file's length."""
    done, waiting = 0, bytearray()
    for data in some:
        waiting += data
        if len(waiting) >= PIECE:
            yield from pieces(waiting)
            done += len(waiting)
            waiting.clear()
    yield from pieces(waiting)
    yield from (fill * min(PIECE, length - at) for at in range(done + len(waiting), length, PIECE))


def new_store(answer: Answer, choices: StoreChoices) -> NewStore:
    """Return the new store of a recovered journal; `answer` is an answer of recovery.

    Raises ChoiceRefused, and CannotRebuild with a reason, for example that recovery refused.
    """
    name, seen = answer.journal.format, answer.observation
    try:
        room: Any = load(name)
    except UnknownFormat:
        room = None
    if seen.state is None and not getattr(room, "of_refused", False):
        raise nothing_kept(seen)
    maker = getattr(room, "new_store", None)
    found: NewStore | None = None if maker is None else maker(answer, choices)
    if found is None:
        raise CannotRebuild(f"no new store can be made for {name}", "export its content: journalspec export")
    return found


def nothing_kept(seen: Observation, hint: str = "another policy may keep data (--policy)") -> CannotRebuild:
    """Return the error for a refused recovery from which no new store can be made."""
    return CannotRebuild(f"recovery keeps no data: {seen.phase}/{seen.code}: {seen.message}", hint)


@dataclass(frozen=True, slots=True)
class Part:
    """Represents one of the written stores; `path` is its directory within the new one ("": the new one
    itself).

    `policy` is that of `answer`, or NO_POLICY if the journal was only read. `covered` are the answers about
    the other journals whose content the store includes.
    """

    path: str
    policy: str
    answer: Answer
    store: NewStore
    covered: tuple[Answer, ...] = ()

    @property
    def policy_text(self) -> str:
        """The meaning of the policy."""
        if self.store.unrecovered:
            return "recovery refuses this store under every policy: the data was read without a policy"
        return get_format(self.answer.journal.format).policies.get(self.policy, "")

    @property
    def verdict(self) -> str:
        """The worst verdict on the journals that the store includes."""
        found = {answer.observation.verdict for answer in (self.answer, *self.covered)}
        return next(verdict for verdict in (REFUSED, RECOVERED, CLEAN) if verdict in found)


@dataclass(frozen=True, slots=True)
class Digest:
    """Represents a file's length in bytes and its SHA-256 in hexadecimal.

    If there is no SHA-256 of the complete file, `why` is the reason: the file is unreadable, or so sparse
    that its zeros were skipped.
    """

    file: str
    length: int
    sha256: str
    why: str = ""


#: A function that receives the current step and the number of its bytes.
Progress = Callable[[str, int], None]


def digests(files: Iterable[tuple[str, Path]], progress: Progress = lambda what, done: None) -> list[Digest]:
    """Return the digests of files, given as pairs of name and path."""
    return [_digest(name, path, progress) for name, path in files]


def _digest(name: str, path: Path, progress: Progress) -> Digest:
    taken, length = hashlib.sha256(), 0
    try:
        with path.open("rb", buffering=0) as stream:
            info = os.fstat(stream.fileno())
            part = PartOfFile(stream, 0, info.st_size)
            # A file can also have few blocks because it is compressed. Therefore the holes are counted.
            few = info.st_size - 512 * getattr(info, "st_blocks", info.st_size) > MOST_HOLES
            if few and part.size - PIECE * sum(1 for _ in _filled(part)) > MOST_HOLES:
                return _sparse(name, part, progress)
            stream.seek(0)
            while piece := stream.read(PIECE):
                taken.update(piece)
                length += len(piece)
                progress("digests", len(piece))
    except OSError as error:
        return Digest(name, length, "", error.strerror or str(error))
    return Digest(name, length, taken.hexdigest())


def _filled(part: PartOfFile) -> Iterator[int]:
    """Yield the offsets, multiples of :data:`PIECE`, of the pieces that are not only a hole."""
    at = 0
    while (at := part.next_data(at)) < part.size:
        at -= at % PIECE
        yield at
        at += PIECE


def _sparse(name: str, part: PartOfFile, progress: Progress) -> Digest:
    """Return a digest that detects changes of a file with many holes. Holes take no time.

    Pieces of zeros are omitted even outside holes. A file system can report the same bytes as a hole at one
    time and as zeros at another time.
    """
    taken, size = hashlib.sha256(), 0
    for at in _filled(part):
        piece = part.read(at, PIECE)
        progress("digests", len(piece))
        if piece.count(0) != len(piece):
            taken.update(at.to_bytes(8, "big") + piece)
            size += len(piece)
    why = (
        f"{part.size - size} of its bytes are zeros, most in holes, and were not digested; SHA-256 of the"
        f" pieces of {PIECE} bytes that are not all zeros, each behind its offset (8 bytes, big-endian):"
    )
    return Digest(name, part.size, "", f"{why} {taken.hexdigest()}")


def sources(journals: Iterable[Journal], covered: Iterable[Path] = ()) -> Iterator[tuple[str, Path]]:
    """Yield each file that journals are read from, and the files in `covered` directories."""
    seen: set[Path] = set()
    for journal in journals:
        if journal.root is not None:
            for name in journal.seen:
                path = journal.root / journal.packed.get(name, name)
                # If all files are compressed, the journal has their names without the suffix.
                path = path if path.exists() else path.with_name(f"{path.name}.gz")
                if path not in seen:
                    seen.add(path)
                    yield str(path), path
    for directory in covered:
        for root, directories, names in os.walk(directory):
            directories.sort()
            for path in (Path(root, name) for name in sorted(names)):
                if path not in seen and path.is_file() and not path.is_symlink():
                    seen.add(path)
                    yield str(path), path


def covered(part: Part) -> list[Path]:
    """Return the directories whose content a part's store includes, besides its journal's directory."""
    root = part.answer.journal.root
    return [] if root is None else [Path(os.path.normpath(root / each)) for each in sorted(part.store.covers)]


def own_directories(journals: Iterable[Journal]) -> set[Path]:
    """Return the directories that contain files of the journals."""
    return {
        (journal.root / name).parent
        for journal in journals
        if journal.root is not None
        for name in journal.files
    }


def refuse_target(target: Path, others: Iterable[Path]) -> Path:
    """Return the path for a new directory. Raises FilesetError if the path is not suitable.

    The path must not exist, not even as an empty directory or a link. Its parent must exist and be writable.
    The path must neither be within one of the `others` nor contain one.
    """
    if target.name in ("", "..") or os.path.lexists(target):
        raise FilesetError(f"{str(target)!r} already exists", "give the name of a new directory")
    if not target.parent.is_dir():
        raise FilesetError(
            f"{str(target.parent)!r} is not a directory", "create it first, or give another place"
        )
    place = target.parent.resolve() / target.name
    for other in (each.resolve() for each in others):
        if place.is_relative_to(other) or other.is_relative_to(place):
            raise FilesetError(
                f"{str(target)!r} is within {str(other)!r}, which is only read", "give a place elsewhere"
            )
    if not os.access(place.parent, os.W_OK | os.X_OK):
        raise FilesetError(f"{str(place.parent)!r} is not writable", "give another place")
    return place


def refuse_running(journals: Iterable[Journal]) -> None:
    """Raise FilesetError if a process has locked a journal.

    In that case, a change of its files can be incomplete.
    """
    for journal in journals:
        if journal.root is not None:
            for name, who in held(journal.root, get_format(journal.format).locks, journal.files):
                raise FilesetError(
                    f"{who} has a lock on {name} in {str(journal.root)!r}: the product is running",
                    "stop the product, or make a copy of its files, and recover that",
                )


def write(
    parts: Sequence[Part],
    target: Path,
    report: Callable[[IO[str], Sequence[Digest], Sequence[Digest]], None],
    page: Callable[[IO[str]], None],
    files: Sequence[tuple[str, Path]],
    before: Sequence[Digest],
    progress: Progress = lambda what, done: None,
) -> None:
    """Make the directory `target` with all parts, and the two reports next to it, atomically.

    `report` writes the report for programs, with the digests of the files that were read and written; `page`
    writes the one for people. `before` are the digests of `files`, computed before the files were read. They
    are computed again afterwards. FilesetError is raised if a digest differs, if the verdict on the new store
    is not `clean`, or if the disk is full. If the process is killed, at most the reports and a directory
    whose name begins with a dot remain. The next call for the same target removes them.
    """
    place = refuse_target(target, ())
    reports = {kind: place.with_name(f"{place.name}{REPORT}{kind}") for kind in (".json", ".md")}
    for path in reports.values():
        refuse_other(path)
        path.unlink(missing_ok=True)
    _clear(place)
    partial = place.with_name(f".{place.name}{_PARTIAL}{os.urandom(4).hex()}")
    try:
        partial.mkdir(0o700)
    except OSError as error:
        raise FilesetError(f"{str(place.parent)!r}: {error.strerror}", "give another place") from None
    new, named = partial / "store", list[Path]()
    try:
        with locked(partial):
            # If two runs begin at once, each run holds its own lock before it looks for the other's lock.
            _clear(place, partial)
            refuse_target(place, ())
            new.mkdir()
            written = list(_fill(new, parts, progress))
            _read_again(new, parts)
            found = digests(files, progress)
            for one, other in zip(before, found, strict=True):
                if one != other:
                    raise FilesetError(
                        f"{one.file} changed during the read: nothing was written",
                        "stop the program that writes to it, or recover a copy",
                    )
            _report(partial, lambda out: report(out, found, written), ".json")
            _report(partial, page, ".md")
            refuse_target(place, ())
            for kind, path in reports.items():
                (partial / f"report{kind}").rename(path)
                named.append(path)
            force_names(place.parent)
            refuse_target(place, ())
            new.rename(place)
            force_names(place.parent)
    except BaseException as error:
        moved = bool(named) and not os.path.lexists(new)
        if not moved:
            for path in named:
                path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            full = f"{error.strerror}: the disk is full, or a file may not be so large"
            what = full if no_room(error) else error.strerror or str(error)
            if moved:
                raise FilesetError(
                    f"{str(target)!r} is in its place, but the system did not confirm that its name is on the"
                    f" disk: {what}",
                    "make a copy of it elsewhere, or remove it and try again",
                ) from None
            raise FilesetError(
                f"{str(target)!r}: {what}: nothing was written", "make room, or give another place"
            ) from None
        raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _report(partial: Path, put: Callable[[IO[str]], None], kind: str) -> None:
    """Write one of the reports, with an fsync."""
    with (partial / f"report{kind}").open("x", encoding="utf-8", newline="\n") as out:
        put(out)
        out.flush()
        os.fsync(out.fileno())


def _fill(new: Path, parts: Sequence[Part], progress: Progress) -> Iterator[Digest]:
    """Write the files of all parts, with an fsync of each; yield their digests."""
    known: set[str] = set()
    for part in parts:
        for file in part.store.files():
            name = f"{part.path}/{file.name}" if part.path else file.name
            if (why := _unfit(file.name)) or name.casefold() in known:
                raise FilesetError(
                    f"a file of the new store would be called {name!r}: {why or 'there is one of that name'}",
                    "export its content: journalspec export",
                )
            known.add(name.casefold())
            path = new / name
            path.mkdir(parents=True) if name.endswith("/") else path.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith("/"):
                continue
            taken, length = hashlib.sha256(), 0
            with path.open("xb") as out:
                for piece in file.parts:
                    out.write(piece)
                    taken.update(piece)
                    length += len(piece)
                    progress("writing", len(piece))
                out.flush()
                os.fsync(out.fileno())
            yield Digest(name, length, taken.hexdigest())
    for root, _, _ in os.walk(new, topdown=False):
        force_names(Path(root))


def _unfit(name: str) -> str:
    """Return why a file cannot have this name on some systems, or "" if the name is usable everywhere."""
    for word in name.removesuffix("/").split("/"):
        if word in ("", ".", "..") or word.endswith((".", " ")):
            return "it leaves the directory, or is none"
        if _ODD.search(word) or word.partition(".")[0].upper() in _DEVICES:
            return "not every system can have that name"
    return ""


def _read_again(new: Path, parts: Sequence[Part]) -> None:
    """Raise CannotRebuild if a new store does not read clean under the strictest policy."""
    together: dict[tuple[object, ...], list[Part]] = {}
    for part in parts:
        if part.store.opaque:
            continue  # Encrypted stores never read clean.
        # The journals of a directory are found and read once, not once for each of them. Files in several
        # directories are one journal.
        journal = part.answer.journal
        apart = tuple(journal.files) if len(_directories(journal)) > 1 else ()
        params = tuple(sorted(journal.params.items()))
        same = part.path, journal.format, journal.edition, params, apart
        together.setdefault(same, []).append(part)
    for group in together.values():
        path, lacking = group[0].path, [part.store.lacks for part in group]
        for found in journals_in(new / path if path else new, group[0].answer.journal):
            seen = ask(found, "strict").observation
            lacks = frozenset((entry.code, entry.name) for entry in seen.missing)
            if lacks and lacks in lacking:
                # The new store lacks the same items as an old store, which no other new store may lack.
                # Without `root`, missing items are not searched for, so only the other results are checked.
                lacking.remove(lacks)
                seen = ask(replace(found, root=None), "strict").observation
            if seen.verdict != CLEAN:
                first = next((each.reason for each in seen.dropped), next((e.code for e in seen.missing), ""))
                why = seen.message or first
                raise CannotRebuild(
                    f"the new store was not clean ({seen.verdict}: {why}) and was removed",
                    "please report it: this is a fault of journalspec",
                )


def _directories(journal: Journal) -> set[str]:
    """Return the directories of a journal's files."""
    return {name.rpartition("/")[0] for name in journal.files}


def journals_in(directory: Path, like: Journal) -> Iterator[Journal]:
    """Yield the journals of one format and edition in or below a directory, with the same parameters."""
    places = [load_files(directory)]
    if len(_directories(like)) > 1 and not get_format(like.format).below:
        # The journal's files are in several directories.
        places = [load_files(*map(directory.joinpath, like.files))]
    try:
        # If the format is given, any file is accepted as a journal. Therefore the files must first be
        # recognised without a given format.
        find_journals(places[0])
    except NoJournal as error:
        places = [*map(load_files, error.stores)]
    for found in (each for place in places for each in find_journals(place, like.format, like.edition)):
        yield replace(found, params={**like.params, **found.params})


@contextmanager
def locked(directory: Path) -> Iterator[bool]:
    """Lock a directory, so that another run does not treat it as the remains of a killed run.

    Raises BlockingIOError if another process holds the lock. Yields False if the system has no such locks.
    """
    handle = os.open(directory, os.O_RDONLY) if fcntl is not None else -1
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield fcntl is not None
    finally:
        if fcntl is not None:
            os.close(handle)


def _clear(place: Path, own: Path | None = None) -> None:
    """Remove the remains of killed runs for a store; raises FilesetError if another run is writing it."""
    begin = f".{place.name}{_PARTIAL}"
    for partial in place.parent.glob(f"{glob.escape(begin)}*"):
        ours = _RANDOM.fullmatch(partial.name.removeprefix(begin)) and partial != own
        if not ours or partial.is_symlink() or not partial.is_dir():
            continue
        try:
            with locked(partial):
                shutil.rmtree(partial)
        except BlockingIOError:
            raise FilesetError(f"{str(place)!r} is being written by another process", "wait for it") from None
        except OSError:
            continue  # The directory belongs to another user.


def refuse_other(path: Path) -> None:
    """Raise FilesetError if `path` exists but is not one of our reports."""
    if os.path.lexists(path):
        begin = b""
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as stream:
                begin = stream.read(256)
        if MARK.encode() not in begin:
            raise FilesetError(f"{str(path)!r} exists and is not a report of journalspec", "move it away")
