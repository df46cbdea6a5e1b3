"""Finds the stores that PATH means: in directories, files, archives and standard input."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from itertools import combinations, islice
from pathlib import Path
from textwrap import wrap
from typing import IO, Any, NamedTuple

import click

from journalspec.files import shown
from journalspec.formats import UnknownFormat, format_ids, get_format
from journalspec_conformance.cli._options import Command, apply
from journalspec_conformance.cli.archives import from_standard_input, is_archive, place_to_unpack, unpack
from journalspec_reference import filesets
from journalspec_reference.answers import checked_params

#: The path that means standard input, and the largest number of entries of a directory that are checked for
#: similar names.
STANDARD_INPUT, MOST_NEIGHBOURS = Path("-"), 10_000
#: The number of similar names that are listed for an unknown name.
NEAREST = 3


class UsageProblem(click.ClickException):
    """The question was invalid, so no file was read. The exit status is 2."""

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message}\n  next  {hint}" if hint else message)

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the problem and the hint."""
        click.echo(f"journalspec: {self.format_message()}", file=file, err=file is None)


def no_such(problem: str, name: str, known: Mapping[str, str] | Sequence[str], none: str) -> UsageProblem:
    """Return the problem of an unknown name. Its hint lists the nearest names, or is `none`.

    `known` contains the existing names, or maps each existing name to its form for display.
    """
    near = get_close_matches(name, known, NEAREST, cutoff=0)
    names = [known[each] for each in near] if isinstance(known, Mapping) else near
    hint = f"the nearest names: {', '.join(map(shown, names))}" if near else none
    return UsageProblem(f"{problem} {shown(name)!r}", hint)


class NothingKept(UsageProblem):
    """Recovery keeps no data, so there is nothing to write. The exit status is 3."""

    exit_code = 3


def known_policy(found: Stores, policy: str) -> None:
    """Raise UsageProblem if the format of any of the journals lacks the policy."""
    for journal in found.journals:
        policies = get_format(journal.format).policies
        if policy not in policies:
            known = ", ".join(policies)
            raise UsageProblem(f"{journal.format} has no policy {policy!r}", f"choose one of {known}")


def amount(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 message``, ``1,234 messages``, ``2 directories``."""
    plural = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def place_text(file: str, off: int | None) -> str:
    """Return the place of something: a file, and the offset in it if there is one."""
    return shown(file) + ("" if off is None else f":{off}")


def options() -> Callable[[Command], Command]:
    """Return the options that describe the files at PATH: --format, --edition, --param."""
    return apply(
        click.option("--format", "format_id", metavar="F", help="The format. Default: detected."),
        click.option(
            "--edition",
            metavar="E",
            help="The edition of the format. Default: detected, or every possible edition is tried. The "
            "answer reports the assumed edition; if the results differ, there is no answer.",
        ),
        click.option(
            "--param",
            "params",
            multiple=True,
            metavar="K=V",
            help="A configured value of the journal, such as extension=hq. May be repeated.",
        ),
        click.option(
            "--unpack-limit",
            type=click.IntRange(1),
            default=filesets.MAX_BYTES >> 20,
            show_default=True,
            metavar="MIB",
            help="Refuse archives, .gz files and standard input that unpack to more.",
        ),
        click.option(
            "--redact",
            is_flag=True,
            help="Show only type and length of users' texts and bodies, and marks in place of names.",
        ),
    )


def taken(what: dict[str, Any], names: Iterable[Field[Any]]) -> dict[str, Any]:
    """Return those arguments of a command that are fields of a class; they are removed from `what`."""
    return {each.name: what.pop(each.name) for each in names}


@dataclass(frozen=True)
class Asked:
    """The part of the command line that describes the files at `paths`."""

    paths: tuple[Path, ...]
    format_id: str | None
    edition: str | None
    params: tuple[str, ...]
    unpack_limit: int = filesets.MAX_BYTES >> 20
    redact: bool = False
    #: The archive from which the paths were unpacked (`-` is standard input), and the directory of its
    #: content.
    archive: Path | None = None
    below: Path | None = None
    #: The path that the user gave, if the paths were found below it.
    given: tuple[Path, ...] = ()
    #: Whether several paths were given. If so, a store is identified by its full path.
    of_several: bool = False

    @property
    def whole(self) -> Asked:
        """The same options with the paths as the user gave them."""
        return replace(self, paths=self.given or self.paths)

    def __str__(self) -> str:
        return ", ".join(map(self.called, self.paths))

    @property
    def name(self) -> str:
        """The name that distinguishes a store from others.

        It is the path of the store relative to the given path.
        """
        path, *more = self.paths
        alone = not more and not self.of_several and len(self.given) == 1
        within = alone and path.is_relative_to(self.given[0])
        return str(path.relative_to(self.given[0])) if within else str(self)

    def called(self, path: Path) -> str:
        """Return a path for display: a path inside an archive is shown below the path of the archive."""
        if self.archive is None or self.below is None:
            return str(path)
        return str(self.archive / path.relative_to(self.below))

    @property
    def settings(self) -> dict[str, str]:
        """The parameters by name; raises UsageProblem for a parameter without a value."""
        found = {}
        for text in self.params:
            name, equals, value = text.partition("=")
            if not equals or not name:
                raise UsageProblem(
                    f"--param {shown(text)!r} is not of the form K=V", "for example extension=hq"
                )
            found[name] = value
        return found

    def again(
        self, command: str, *more: str, journal: filesets.Journal | None = None, edition: str | None = None
    ) -> str:
        """Return the command line of `command` for the same files, with the same options."""
        format_id = self.format_id or (journal.format if journal is not None and edition else None)
        paths = (str(path) for path in ((self.archive,) if self.archive else self.paths))
        words = ["journalspec", command]
        words += [f"./{path}" if path.startswith("-") and path != "-" else path for path in paths]
        for option, value in (("--format", format_id), ("--edition", edition or self.edition)):
            words += [option, value] if value else []
        for param in self.params:
            words += ["--param", param]
        words += ["--redact"] if self.redact and "--hex" not in more else []
        return " ".join(map(_word, [*words, *more]))


def _word(text: str) -> str:
    """Return a word quoted for a shell; unprintable or undecodable characters become escapes (bash, zsh)."""
    if text.isprintable():
        return shlex.quote(text)
    told = (
        f"\\x{byte:02x}" if not 0x20 <= byte < 0x7F else ("\\" if byte in b"\\'" else "") + chr(byte)
        for byte in os.fsencode(text)
    )
    return f"$'{''.join(told)}'"


@dataclass(frozen=True)
class Directory:
    """Represents a store: the question about it, its files, and the journals among them."""

    asked: Asked
    loaded: filesets.Loaded
    journals: Sequence[filesets.Journal]

    def of(self, journal: filesets.Journal) -> Asked:
        """Return the question about a journal.

        If the directory has several journals, the question names a file of the journal.
        """
        path = self.asked.paths[0] / next(iter(journal.files), "")
        return replace(self.asked, paths=(path,)) if len(self.journals) > 1 and path.is_file() else self.asked

    @property
    def store(self) -> object:
        """A key that is equal for all directories of the same store, such as journal and bindings."""
        root = self.loaded.root
        formats = {journal.format for journal in self.journals}
        patterns = [pattern for name in formats for pattern in get_format(name).parts]
        if len(self.journals) == 1 and any(fnmatchcase(root.name, pattern) for pattern in patterns):
            return root.parent, *formats
        return id(self)


class Stores(NamedTuple):
    """Represents the stores that were found, and the paths that could not be listed."""

    places: list[Directory]
    unlisted: list[filesets.LeftOut]

    def by_store(self) -> list[list[tuple[Directory, filesets.Journal]]]:
        """Return the journals of each store. If a directory has several journals, each of them is a store."""
        found: dict[object, list[tuple[Directory, filesets.Journal]]] = {}
        for place, journal in self.pairs:
            store = place.store if len(place.journals) == 1 else id(journal)
            found.setdefault(store, []).append((place, journal))
        return [*found.values()]

    @property
    def pairs(self) -> list[tuple[Directory, filesets.Journal]]:
        """The journals, each with its store."""
        return [(place, journal) for place in self.places for journal in place.journals]

    @property
    def journals(self) -> list[filesets.Journal]:
        """All journals."""
        return [journal for _, journal in self.pairs]

    @property
    def size(self) -> int:
        """The total number of bytes of the files of all these journals."""
        return sum(len(data) for journal in self.journals for data in journal.files.values())


def find(asked: Asked) -> Stores:
    """Return the requested stores, and the paths that could not be listed; raises UsageProblem.

    Several files are read as one set. Each directory and each archive is checked separately. The unpacked
    content of an archive exists until the command ends. A directory without a journal of its own means the
    stores below it.
    """
    directories = [path for path in asked.paths if path.is_dir() and path != STANDARD_INPUT]
    others = [path for path in asked.paths if path not in directories]
    packed = [path for path in others if path == STANDARD_INPUT or is_archive(path)]
    files = tuple(path for path in others if path not in packed)
    sets = [replace(asked, paths=paths) for paths in ([files] if files else [])]
    sets += [replace(asked, paths=(path,)) for path in directories]
    found: list[Directory] = []
    unlisted: list[filesets.LeftOut] = []
    for path in files:
        if not path.exists():
            raise UsageProblem(f"{shown(str(path))} does not exist", _like(path))
    try:
        sets += [_unpacked(asked, path) for path in packed]
        sets = [replace(one, of_several=len(sets) > 1) for one in sets]
        for one in sets:
            try:
                found.append(_place(one))
            except filesets.NoJournal as error:
                if not error.stores:
                    raise _no_journal(one, error) from None
                found += _whole(
                    [_place(replace(one, paths=(store,), given=one.paths)) for store in error.stores]
                )
                unlisted += error.unlisted
    except filesets.FilesetError as error:
        for one in sets:
            if one.archive is not None:
                inside, archive = str(one.below), str(one.archive)
                error = filesets.FilesetError(
                    str(error).replace(inside, archive), error.hint.replace(inside, archive)
                )
        raise problem(error) from None
    except UnknownFormat as error:
        raise UsageProblem(str(error)) from None
    return Stores(found, unlisted)


def _like(path: Path) -> str:
    """Return a hint for a path that does not exist. The hint lists similar names in its directory."""
    try:
        there = [entry.name for entry in islice(os.scandir(path.parent), MOST_NEIGHBOURS)]
    except OSError:
        return f"{shown(str(path.parent))} cannot be listed, or does not exist either"
    alike = get_close_matches(path.name, there, 3)
    return (
        f"did you mean {' or '.join(shown(str(path.parent / name)) for name in alike)}?"
        if alike
        else "check the spelling"
    )


def _unpacked(asked: Asked, archive: Path) -> Asked:
    """Return the stores in an archive; the unpacked content is deleted when the command ends."""
    into = click.get_current_context().with_resource(place_to_unpack())
    try:
        if archive == STANDARD_INPUT:
            from_standard_input(into, asked.unpack_limit << 20, asked.format_id)
        else:
            unpack(archive, into, asked.unpack_limit << 20)
    except filesets.FilesetError as error:
        raise UsageProblem(f"{shown(str(archive))}: {error}", error.hint) from None
    return replace(asked, paths=(into,), archive=archive, below=into)


def _no_journal(asked: Asked, error: filesets.NoJournal) -> UsageProblem:
    """Return the problem of a path without a journal: what was sought, what was found, and a hint."""
    (path, *_) = asked.paths
    is_part = "a part of one" in str(error)
    if is_part or not path.is_dir() or len(asked.paths) > 1 or asked.format_id:
        return problem(error)
    there = list(islice(os.scandir(path), MOST_NEIGHBOURS))
    links = sum(entry.is_symlink() for entry in there)
    directories = sum(entry.is_dir(follow_symlinks=False) for entry in there)
    kinds = (len(there) - links - directories, "file"), (directories, "directory"), (links, "link")
    counts = ", ".join(amount(count, noun) for count, noun in kinds)
    titles = ", ".join(get_format(name).title for name in format_ids())
    hint = error.hint
    if packed := [entry.name for entry in there if is_archive(Path(entry.path))]:
        hint = f"an archive is there: give its path, {shown(asked.called(path / packed[0]))}"
    lines = (
        f"{shown(str(asked))} has no journal of a known format",
        *wrap(f"  looked for  {titles}, by name and first bytes", 100, subsequent_indent=" " * 14),
        f"  found  {counts}; none has such a name or such a beginning",
    )
    return UsageProblem("\n".join(lines), "\n  ".join(shown(line) for line in hint.splitlines()))


def _place(asked: Asked) -> Directory:
    params = asked.settings
    # A given format is that of files with any names and beginnings.
    sift = asked.format_id is None and not params
    loaded = filesets.load(*asked.paths, max_bytes=asked.unpack_limit << 20, sift=sift)
    if asked.format_id is not None:
        checked_params(get_format(asked.format_id), params, asked.edition)
    journals = filesets.find_journals(loaded, asked.format_id, asked.edition, params)
    for journal in journals:
        checked_params(get_format(journal.format), params, asked.edition)
    return Directory(asked, loaded, journals)


def _whole(places: list[Directory]) -> list[Directory]:
    """Return the places, after merging pairs that contain the two halves of one journal."""
    halves = [place for place in places if len(place.journals) == 1 and place.journals[0].missing]
    for one, other in combinations(halves, 2):
        first, second = one.journals[0], other.journals[0]
        if first.format == second.format and (*first.files, *second.files) == (
            *second.missing,
            *first.missing,
        ):
            paths = tuple(
                place.loaded.root / name for place in (one, other) for name in place.journals[0].files
            )
            if one in places and other in places:
                places[places.index(one)] = _place(replace(one.asked, paths=paths))
                places.remove(other)
    return places


def problem(error: filesets.FilesetError, commands: Sequence[str] = ()) -> UsageProblem:
    """Return the problem of a path without a journal, with commands that may help."""
    lines = [shown(line) for line in str(error).splitlines()]
    hint = [shown(line) for line in error.hint.splitlines()]
    return UsageProblem("\n".join(lines), "\n    ".join([*hint, *commands]))
