"""The files of a log, and of the database next to the log.

This module finds these files, chooses the control file, follows the log into the next file, and reads
``service.properties``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import itemgetter
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple

from journalspec.derby_log import LAYOUT
from journalspec.derby_log.operations import databases, tables_of_all
from journalspec.observation import At, Note
from journalspec_reference.api import Detection, Files, NumberedNames, Params
from journalspec_reference.batches import STRETCH, Batch, Source, source_of
from journalspec_reference.derby_log import codec
from journalspec_reference.derby_log.bodies import EDITIONS, Body, decode, known
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, HEADER, BadLog, Control, Instant, Refusal
from journalspec_reference.derby_log.scan import FEW, End, groups_after, record_at, scan
from journalspec_reference.filesets import FilesetError, Journal, load

FORMAT = "derby_log"
#: The prefix of a database's file names, relative to the directory of its log, and the name of its properties
#: file.
HOME, PROPERTIES_NAME = "../", "service.properties"
PROPERTIES = f"{HOME}{PROPERTIES_NAME}"
#: At most this many bytes of the properties are read.
_LONGEST = 1 << 20
#: The properties of every database. Most of them are the container numbers of its catalogue, which are equal
#: in all releases.
AT_LEAST = {
    "SysconglomeratesIdentifier": 32, "SysconglomeratesIndex1Identifier": 49,
    "SysconglomeratesIndex2Identifier": 65, "SysconglomeratesIndex3Identifier": 81,
    "SystablesIdentifier": 96, "SystablesIndex1Identifier": 113, "SystablesIndex2Identifier": 129,
    "SyscolumnsIdentifier": 144, "SyscolumnsIndex1Identifier": 161, "SyscolumnsIndex2Identifier": 177,
    "SysschemasIdentifier": 192, "SysschemasIndex1Identifier": 209, "SysschemasIndex2Identifier": 225,
    "derby.storage.propertiesId": 16, "derby.serviceLocale": "en",
    "derby.serviceProtocol": "org.apache.derby.database.Database",
}  # fmt: skip
CONTROLS = ("log.ctrl", "logmirror.ctrl")
#: The names of container files. The files are in a subdirectory of the database, or without a directory, as
#: in the test suite.
_CONTAINER = re.compile(r"(?:(?:\.\./)?seg0/|seg0\.)(?:c([0-9a-f]{1,15})\.dat|C([0-9A-F]{1,15})\.DAT)")
#: The stub of a removed container.
_STUB = re.compile(r"(?:\.\./)?seg0/(?:d([0-9a-f]{1,15})\.dat|D([0-9A-F]{1,15})\.DAT)")
#: Names of container files in seg0, and the order in which Derby looks for them by their first letter. `d` is
#: the stub of a dropped container.
_FILE, _ORDER = re.compile(r"([cCdD])([0-9a-fA-F]{1,15})\.(?:dat|DAT)"), "cCdD"
_NAME = re.compile(r"log([1-9][0-9]{0,9})\.dat")
LARGEST = 2147483646
#: The names of log files (DRB-FIL-101).
NAMES = NumberedNames(_NAME, re.compile(r"log.*\.(dat|ctrl)", re.DOTALL), LARGEST, "file-gap", CONTROLS)
number_of = NAMES.number
#: The fields of headers, and of control files of the seed, that a file map shows.
_TOLD = ("number", "previous", "checkpoint", "jbms_version", "checkpoint_interval")
#: The facts about a set of file names are cached only if there are at most this many names.
_FEW_NAMES = 1 << 10
#: The size of a writer's buffers in bytes. The end in the next file's header can be up to that far after the
#: last written byte.
_BUFFERS = 3 << 15
#: The size of the zero length that ends a log, and the size of a disk sector (bytes).
_MARK, _SECTOR = 4, 512


def detect(files: Files, _: Params) -> list[Detection]:
    """Return the control and log files among `files` as one log, judged by their names and first bytes.

    The containers next to these files belong to that log: recovery starts from their pages.
    """
    logs = gather(files)
    names = [name for name in CONTROLS if name in files] + [file.name for file in logs.values()]
    if not names:
        return []
    beside = tuple(name for name in sorted(files) if is_container(name) or name == PROPERTIES)
    found, hits = [], 0
    for name in filter(files.__contains__, CONTROLS):
        with suppress(BadLog):
            found.append(codec.control(bytes(files[name][: codec.CONTROL + 1])))
    for file in logs.values():
        with suppress(BadLog):
            file.previous()
            hits += 1
    score = 1 + bool(found or hits) + bool(found and hits == len(logs))
    if not found:
        admitted = EDITIONS
        for number, file in logs.items():
            if next(scan(file.source, number, HEADER, until=HEADER + 1, stretch=FEW)).more["sums"]:
                # The oldest edition has no checksum records.
                admitted = EDITIONS[1:]
                break
        return [Detection(FORMAT, EDITIONS[-1], tuple(names), score, admitted, neighbours=beside)]
    level = found[0].major, found[0].minor
    own = next((edition for edition, known in databases().items() if level <= known.newest), EDITIONS[-1])
    return [Detection(FORMAT, own, tuple(names), score, neighbours=beside)]


def assumed(files: Files) -> Params:
    """Return parameters that suppress the report of rows, unless tables of the suite's database are next to
    the log.
    """
    # Only the suite's database has flat names. In other databases, the same container numbers belong to other
    # tables.
    own = surroundings(tuple(name for name in files if name.startswith("seg0."))).containers
    return {} if own.keys() & tables_of_all().keys() else {"tables": "none"}


class Surroundings(NamedTuple):
    """Represents the facts about a log that follow from the names of the given files.

    `containers` maps numbers of containers next to the log to their names, `stubs` are the numbers of removed
    containers. `at_home` means that the log is in a database. `notes` are about unusual names.
    """

    containers: Mapping[int, str]
    stubs: frozenset[int]
    at_home: bool
    notes: tuple[Note, ...]


def surroundings(names: tuple[str, ...]) -> Surroundings:
    """Return the facts about a log that follow from the names of files.

    The result for a few names is cached, because many states of a log have the same names.
    """
    return (_cached if len(names) <= _FEW_NAMES else _surroundings)(names)


def _surroundings(names: tuple[str, ...]) -> Surroundings:
    stubs = frozenset(_number(match) for name in names if (match := _STUB.fullmatch(name)))
    # Like Derby, prefer names of containers in lower case.
    matches = [match for match in map(_CONTAINER.fullmatch, sorted(names)) if match is not None]
    containers = {_number(match): match[0] for match in matches}
    at_home = any(name.startswith(HOME) for name in names)
    return Surroundings(containers, stubs, at_home, tuple(NAMES.notes(names)))


_cached = lru_cache(16)(_surroundings)


@dataclass(slots=True)
class LogFile:
    """Represents one log file: `data` is its content, `source` reads it."""

    name: str
    number: int
    data: Any
    source: Source

    @property
    def length(self) -> int:
        """The length of the file in bytes."""
        return self.source.size

    def previous(self) -> Instant:
        """Return the end of the previous file that the header states. Raises BadLog."""
        return codec.header(self.source.read(0, HEADER), self.number)


def gather(files: Mapping[str, Any]) -> dict[int, LogFile]:
    """Return the log files by number, in order (DRB-FIL-103)."""
    found = sorted([(number, name) for name in files if (number := number_of(name)) is not None])
    logs = {}
    for number, name in found:
        logs[number] = LogFile(name, number, files[name], source_of(files[name]))
    return logs


class ChosenControl(NamedTuple):
    """Represents the control file in use, if any, its name, and the names of unusable control files.

    `read` maps the names of usable control files to their content.
    """

    control: Control | None
    name: str
    invalid: tuple[str, ...]
    read: Mapping[str, Control]


def choose(files: Mapping[str, Any]) -> ChosenControl:
    """Return the control file to use (DRB-CTL-006, DRB-CTL-007). Raises Refusal (DRB-CTL-110)."""
    invalid: tuple[str, ...] = ()
    read: dict[str, Control] = {}
    for here in CONTROLS:
        try:
            if here in files:
                read[here] = codec.control(source_of(files[here]).read(0, codec.CONTROL + 1))
        except BadLog as error:
            if error.reason != "bad-control" and not read:
                raise Refusal("header", "bad-control", str(error), At(here, 0, len(files[here]))) from None
            invalid += (here,)
    name = next(iter(read), "")
    return ChosenControl(read.get(name), name, invalid, read)


#: Log files with correct headers, each with the end of the previous file that its header states.
Linked = list[tuple[LogFile, Instant]]


class LogEnd(NamedTuple):
    """Represents the end of the complete log: the last file, the kind of end, and a note on an unusual next
    file.
    """

    file: LogFile
    end: End
    note: str = ""
    next: LogFile | None = None


class Log:
    """Represents the files of a log.

    With `linked`, each file's header must state the end of the previous file.
    """

    def __init__(self, files: Mapping[int, LogFile], *, summed: bool, linked: bool) -> None:
        self.files = files
        #: Whether the log has checksum records that can be read.
        self.summed, self._linked = summed, linked
        #: The number of bytes that are read at a time.
        self.stretch = STRETCH

    def scan(self, file: LogFile, start: int = HEADER, until: int | None = None) -> Iterator[Batch]:
        """Yield the batches of one file."""
        summed, stretch = self.summed, self.stretch
        return scan(file.source, file.number, start, summed=summed, until=until, stretch=stretch)

    def enter(self, number: int) -> Instant:
        """Return the end of the previous file that a file's header states. Raises Refusal.

        Raises KeyError if the file is missing.
        """
        file = self.files[number]
        try:
            # This is `previous`, called directly, because most refusals have their deepest calls here.
            return codec.header(file.source.read(0, HEADER), number)
        except BadLog as error:
            at = At(file.name, 0, min(HEADER, file.length))
            raise Refusal("header", "bad-header", str(error), at) from None

    def after(self, file: LogFile, end: End) -> LogFile | LogEnd:
        """Return the file in which the log continues after `end`, or the end of the log. Raises Refusal."""
        after = self.files.get(file.number + 1)
        if end.reason or not end.marked or after is None:
            return LogEnd(file, end)
        if after.length < HEADER:
            return LogEnd(file, end, "half-file", after)
        if self.enter(after.number) != (file.number, end.off) and self._linked:
            return LogEnd(file, end, "unlinked-file", after)
        return after

    def beyond(self, found: Instant, later: Linked) -> LogFile | None:
        """Return the first later file that proves that the log continued after `found`, if there is one
        (DRB-END-178, DRB-END-179, DRB-END-167).

        Such a file contains a record at its beginning, or an intact group anywhere, or its header states a
        much later end. Otherwise it can be an unfinished switch of files at `found`.
        """
        for file, previous in later:
            if previous >= found and (
                previous.packed - found.packed > _BUFFERS
                or record_at(file.source, file.number, HEADER, summed=self.summed) is not None
                or (self.summed and groups_after(file.source, file.number, HEADER) is not None)
            ):
                return file
        return None

    def ended(self, last: LogEnd) -> bool:
        """Return whether a length of 0 ends the last file and the next file is missing (DRB-FIL-169).

        Preallocated space ends at a sector boundary, so four zeros directly before a boundary can be the last
        bytes of that space.
        """
        file, end = last.file, last.end
        whole = end.marked and file.length == end.off + _MARK and file.length % _SECTOR != 0
        return whole and file.number < LARGEST and file.number == max(self.files)


def linked(files: Iterable[LogFile]) -> Linked:
    """Return the files with correct headers, and the end of the previous file that each states."""
    found = []
    for file in files:
        with suppress(BadLog):
            found.append((file, file.previous()))
    return found


def file_of(container: int) -> str:
    """Return the file name of a container, relative to the database's directory."""
    return f"seg0/c{container:x}.dat"


def beside(journal: Journal) -> dict[int, tuple[str, Any]]:
    """Return the containers next to a log by number, with their names and their bytes."""
    names = surroundings(tuple(journal.seen)).containers
    found = {number: (name.removeprefix("../"), journal.seen[name]) for number, name in names.items()}
    directory = None if journal.root is None else journal.root / ".." / "seg0"
    if directory is None or not directory.is_dir():
        return found
    with suppress(FilesetError):
        files = load(directory).files
        matches = [match for name in files if (match := _FILE.fullmatch(name))]
        for match in sorted(matches, key=lambda match: _ORDER.index(match[1])):
            if (data := files.get(match[0])) is not None:
                found.setdefault(int(match[2], 16), (f"seg0/{match[0]}", data))
    return found


@cache
def _told(structure: str, edition: str) -> tuple[Struct, list[str], Callable[[Any], tuple[Any, ...]]]:
    """Return three values: the layout of a structure, the names of the fields that a file map shows, and a
    function that selects their values.
    """
    form = LAYOUT.structure(structure, edition)
    names = [name for name in _TOLD if name in form.names]
    return form.packed(), names, itemgetter(*map(form.names.index, names))


def header_of(structure: str, edition: str, data: bytes) -> dict[str, Any]:
    """Return the fields of a header, or of a control file of the seed, that a file map shows."""
    form, names, told = _told(structure, edition)
    return dict(zip(names, told(form.unpack(data)), strict=True))


def is_container(name: str) -> bool:
    """Return whether a file is a container next to a log, or the stub of one."""
    return bool(_CONTAINER.fullmatch(name) or _STUB.fullmatch(name))


def _number(match: re.Match[str]) -> int:
    return int(match[1] or match[2], 16)


def body_at(log: Log, edition: str, instant: Instant) -> Body:
    """Return the body of the record at an instant. Raises BadLog if there is no record."""
    file, found = log.files.get(instant.number), None
    if file is not None:
        found = record_at(file.source, file.number, instant.position, summed=log.summed)
    if found is None:
        raise BadLog(f"there is no record {instant.packed:#x}")
    return decode(found, known(edition))


def last_checkpoint(log: Log, edition: str) -> Instant | None:
    """Return the instant of the last checkpoint record in all files.

    Return None if there is none (DRB-CTL-171).
    """
    last = None
    for number in log.files:
        with suppress(Refusal):
            log.enter(number)
            for batch in log.scan(log.files[number]):
                for off, end in zip(batch.off, batch.end, strict=True):
                    # A record whose body cannot be decoded is still a record (DRB-REC-022).
                    with suppress(BadLog):
                        body = decode(batch.data[off + BEFORE : end - BEHIND], known(edition))
                        if body.operation.name == "CHECKPOINT":
                            last = Instant(number, batch.base + off)
    return last


# The file of a database's properties. Without this file, Derby does not find the database.


def properties_of(log: Path | None) -> dict[str, str] | None:
    """Return the properties of the database whose log is in a directory. Return None if there are none."""
    if log is None or not (log / ".." / PROPERTIES_NAME).is_file():
        return None
    try:
        data = bytes(load(log / ".." / PROPERTIES_NAME).files[PROPERTIES_NAME][:_LONGEST])
    except (FilesetError, KeyError):
        return None
    lines = (line.strip().partition("=") for line in data.decode("latin-1").splitlines())
    return {name.strip(): value.strip().replace("\\", "") for name, _, value in lines if name[:1] != "#"}


def properties_fault(stored: Any) -> str:
    """Return the fault of a database's properties, and Derby's reaction.

    Return empty texts if there is no fault.
    """
    lines = bytes(stored[:_LONGEST]).decode("latin-1").splitlines(keepends=True)
    names = {line.partition("=")[0].strip() for line in lines}
    gone = [name for name in AT_LEAST if name not in names]
    found = []
    if gone:
        text = (
            "property that every database has is"
            if len(gone) == 1
            else "properties that every database has are"
        )
        found.append(f"{len(gone)} {text} missing, the first {gone[0]}: Derby does not start (XCY03)")
    if lines and not lines[-1].endswith("\n") and not lines[-1].startswith("#"):
        # A truncated last line can look like a complete property.
        found.append("the last line is truncated: Derby may not start")
    return "; ".join(found)


def whole_properties(stored: Any) -> tuple[bytes, list[str]]:
    """Return the repaired properties of a database, and a list of the repairs."""
    said: list[str] = []
    kept, names = [], set()
    complete, _, cut = bytes(stored[:_LONGEST]).decode("latin-1").rpartition("\n")
    lines = complete.splitlines()
    if cut.startswith("#"):
        lines.append(cut)
    elif cut:
        # A truncated line is not accepted as a property, because Derby would read a meaningless value.
        said.append("the last line is truncated, and left out")
    for line in lines:
        if not line.replace("\t", " ").isprintable():
            # A truncated line is not accepted as a property, because Derby would read a meaningless value.
            said.append("a line that is no text is left out")
            continue
        name = line.partition("=")[0].strip()
        if name == "logDevice":
            said.append(f"{line}: left out, the log is in the new directory")
            continue
        names.add(name)
        kept.append(line)
    gone = {name: value for name, value in AT_LEAST.items() if name not in names}
    if not gone and not said:
        return bytes(stored[:]), []
    if gone:
        said.append(f"{len(gone)} properties were missing and have the values that all databases have")
    out = [*kept, *(f"{name}={value}" for name, value in gone.items())]
    return "\n".join([*out, ""]).encode("latin-1"), said
