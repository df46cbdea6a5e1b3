"""The files of a log. This module finds them, reports their faults, and determines which file of a pair is
active.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath
from typing import Any

from journalspec.observation import At, Missing, Observation, refused
from journalspec_reference.answers import Answer, is_copy
from journalspec_reference.api import Detection, Files, Params, natural_key
from journalspec_reference.batches import Source, source_of
from journalspec_reference.bitronix_tlog import codec
from journalspec_reference.bitronix_tlog.codec import (
    BANNER,
    DISK,
    FILE_HEADER,
    FORMAT_ID,
    HEADER_SIZE,
    PAYLOAD_AT,
    SEED,
    TIME_AT,
    UNCOUNTED,
    Framing,
)
from journalspec_reference.bitronix_tlog.scan import scan
from journalspec_reference.xids import FIRST_WALL_CLOCK

FORMAT = "bitronix_tlog"
PAIR = 2


@dataclass(slots=True, eq=False)
class LogFile:
    """Represents one file of records. If it cannot be used, `problem` is (reason, sentence) (BTM-HDR).

    `limit` is the offset after the last byte of its log, which is the tail of a usable file. `timestamp`
    determines the active file; it is -1 without a header. `header` contains the fields in stored form.
    """

    name: str
    data: Any
    length: int
    limit: int = 0
    role: str = "invalid"
    framing: Framing = DISK
    header: tuple[bytes, int, int, int] | None = None
    timestamp: int = -1
    problem: tuple[str, str] | None = None


def in_order(names: Iterable[str]) -> list[str]:
    """Return `names` as file 1, file 2, and so on.

    Names are in natural order, directories last (BTM-FIL-016).
    """
    return sorted(sorted(names), key=lambda name: natural_key(name.rpartition("/")[2]))


def sibling(path: str) -> str:
    """Return the likely path of the other file, which is missing. The path is used only in messages."""
    return exchanged(path) or f"the other part of {path}"


def other_of(path: str) -> str:
    """Return a path for the other file. It is the likely path, or a path that differs by one digit."""
    here = PurePosixPath(path)
    return exchanged(path) or here.with_stem(f"{here.stem}2").as_posix()


def exchanged(path: str) -> str:
    """Return the path with the other digit (1 or 2) in its name (BTM-FIL-018).

    Return an empty text if there is no such digit.
    """
    folder, slash, name = path.rpartition("/")
    # The last digit in a name is the number of the file, but a digit before a suffix is preferred.
    digit = re.search(r"[0-9](?=[._-]|\Z)", name) or re.search(r"[0-9](?!.*[0-9])", name, re.DOTALL)
    if digit is None or digit[0] not in "12":
        return ""
    return f"{folder}{slash}{name[: digit.start()]}{3 - int(digit[0])}{name[digit.end() :]}"


def examine(name: str, data: Any) -> LogFile:
    """Return the file with its header, or with the first problem that makes it unusable."""
    length = len(data)
    if length < HEADER_SIZE:
        problem = "short-file", f"{length} bytes, the header alone has {HEADER_SIZE}"
        return LogFile(name, data, length, problem=problem)
    format_id, timestamp, _, position = header = FILE_HEADER.unpack(data[:HEADER_SIZE])
    file = LogFile(name, data, length, position, "passive", DISK, header, timestamp)
    if format_id != FORMAT_ID:
        problem = "bad-format-id", f"begins with 0x{format_id.hex()}, not 0x{FORMAT_ID.hex()}"
    elif not HEADER_SIZE <= position <= length:
        problem = "bad-position", f"tail {position} is not within {HEADER_SIZE}..{length}"
    else:
        return file
    file.role, file.problem = "invalid", problem
    return file


def load_pair(files: Files) -> list[LogFile]:
    """Return the examined files in order; one of the usable files gets the role "active"."""
    pair = [examine(name, files[name]) for name in in_order(files)]
    active: LogFile | None = None
    for file in pair:
        # The file with the larger timestamp (BTM-RCV-002) is active. On a tie, the later file is active
        # (BTM-RCV-003).
        if file.problem is None and (active is None or file.timestamp >= active.timestamp):
            active = file
    if active is not None:
        active.role = "active"
    return pair


def refusal(pair: list[LogFile]) -> Observation | None:
    """Return the first reason for which strict recovery does not read the records.

    Return None if there is none (BTM-RCV-001).
    """
    if not pair:
        return refused("fileset", "no-files", "there is no log file")
    if len(pair) > PAIR:
        names = ", ".join([file.name for file in pair])
        return refused("fileset", "too-many-files", f"a journal is a pair, these are {len(pair)}: {names}")
    if len(pair) < PAIR:
        name = pair[0].name
        return refused("fileset", "missing-file", f"{sibling(name)} is missing beside {name}")
    first, second = pair
    if first.problem is None and second.problem is None and first.length == second.length:
        return None
    for reason in ("short-file", "unequal-lengths", "bad-format-id", "bad-position"):
        if reason == "unequal-lengths" and first.length != second.length:
            text = f"{first.name} has {first.length} bytes, {second.name} has {second.length}"
            return refused("fileset", reason, text)
        for file in pair:
            if file.problem is not None and file.problem[0] == reason:
                text = f"{file.name}: {file.problem[1]}"
                return refused("header", reason, text, At(file.name, 0, file.length))
    return None


#: Suffixes of the product's own file names. They identify damaged files.
SUFFIXES = (".tlog", ".tlog.gz")
#: The parts that the names of copies add to the original's name.
COPY = re.compile(r"[ _.-]+(?:copy|kopie|bak|backup|old|orig|save)\d*|~|\s*\(\d+\)", re.IGNORECASE)
#: Editions that the files themselves do not distinguish.
DISK_EDITIONS = ("2.1", "3.0")
#: Maps a kind of clock to the versions that use it, in words.
CLOCKS = {
    "uptime": "times are the uptime of the machine, which only BTM 2.1.3 and 2.1.4 (and mule-btm) write",
    "wall": "times are those of a wall clock, which BTM 2.1.3 and 2.1.4 do not write: this is 2.1.2, or 3.0",
}


def detect(files: Files, _: Params) -> list[Detection]:
    """Detect NIO files by their banner, pairs by format id or name, and seed logs by their first record."""
    banner, magic, seeds, named = set[str](), set[str](), set[str](), set[str]()
    for name, data in files.items():
        source = source_of(data)
        head = source.read(0, len(BANNER))
        if head == BANNER:
            banner.add(name)
        elif head.startswith(FORMAT_ID):
            magic.add(name)
        elif looks_like_seed(source):
            seeds.add(name)
        elif name.lower().endswith(SUFFIXES):
            named.add(name)
    found = [Detection(FORMAT, "nio", (name,), 3) for name in in_order(banner)]
    for names in _pairs(files, magic, named):
        found.append(_pair(files, names, magic))
    return found + [Detection(FORMAT, "seed", (name,), 1) for name in in_order(seeds)]


def _pairs(files: Files, magic: set[str], named: set[str]) -> list[list[str]]:
    """Return the files with the format id or a product's name, in pairs. A file can be alone."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in in_order(magic | named):
        # The two files of a pair have the same name except for the digits.
        common = "".join(char for char in PurePath(name).name if not char.isdigit())
        groups[common.removesuffix(".gz")].append(name)
    # More than two files: digits in the suffix can number copies of a pair, so group also by that suffix.
    for common, names in [*groups.items()]:
        if len(names) > PAIR:
            del groups[common]
            for name in names:
                ending = re.sub(r"\d+", "#", PurePath(name.removesuffix(".gz")).suffix)
                groups[f"{common} {ending}"].append(name)
    pairs = [names[at : at + PAIR] for names in groups.values() for at in range(0, len(names) - 1, PAIR)]
    paired = {name for names in pairs for name in names}
    alone = [names[-1] for names in groups.values() if len(names) % PAIR]
    alone = [
        name
        for name in alone
        if COPY.sub("", name) not in paired
        # The original's name can also end before any other character that is not a letter or a digit.
        and not any(name[:at] in paired for at, char in enumerate(name) if not char.isalnum())
    ]
    # Configured names can be unrelated. Then two files are a pair if no other file is unpaired, or no other
    # file has their length.
    by_length: dict[int, list[str]] = defaultdict(list)
    for name in alone:
        if name in magic:
            by_length[len(files[name])].append(name)
    alike = [names for _, names in sorted(by_length.items()) if len(names) == PAIR]
    pairs += alike
    paired = {name for names in alike for name in names}
    alone = [name for name in alone if name not in paired]
    return pairs + ([alone] if len(alone) == PAIR and magic.issuperset(alone) else [[name] for name in alone])


def looks_like_seed(source: Source) -> bool:
    """Return whether a valid record of the seed's edition is at the very start."""
    least = UNCOUNTED + codec.MIN_RECORD_LENGTH
    if source.size < least:
        return False
    # There can be many files; for most files, a few bytes show that they are not journals.
    end = UNCOUNTED + codec.INT.unpack(source.read(4, UNCOUNTED - 4))[0]
    if not least <= end <= source.size or source.read(end - 4, 4) != codec.END_RECORD:
        return False
    return any(map(len, scan(source, 0, end, SEED)))


def _pair(files: Files, names: list[str], magic: set[str]) -> Detection:
    """Return the detection of a pair, or of a file that is alone."""
    hits = len(magic.intersection(names))
    score = 1 + (hits > 0) + (hits == PAIR)
    if len(names) < PAIR:
        names = in_order({*names, sibling(names[0])})
    clocks = set()
    for name in magic.intersection(names):
        head = source_of(files[name]).read(0, HEADER_SIZE + PAYLOAD_AT)
        if len(head) < HEADER_SIZE:
            continue
        _, time, _, position = FILE_HEADER.unpack_from(head)
        # After a swap of 2.1.3 or 2.1.4, only the records contain a time.
        if position > HEADER_SIZE and len(head) == HEADER_SIZE + PAYLOAD_AT:
            time = codec.LONG.unpack_from(head, HEADER_SIZE + TIME_AT)[0]
        elif time == HEADER_SIZE:
            continue
        clocks.add("uptime" if 0 <= time < FIRST_WALL_CLOCK else "wall")
    editions = () if clocks == {"uptime"} else DISK_EDITIONS
    evidence = CLOCKS[clocks.pop()] if len(clocks) == 1 else ""
    return Detection(FORMAT, DISK_EDITIONS[0], tuple(names), score, editions, evidence=evidence)


_TEXT = "{} has its name and something after it: the transaction manager does not read it"


def lacking(answer: Answer) -> Iterator[Missing]:
    """Yield each file of the pair that exists only with a suffix after its name."""
    names = [*answer.journal.files]
    for name, other in (names, names[::-1]) if len(names) == PAIR else ():
        own = sibling(other)
        if is_copy(name, own):
            yield Missing("file", own, name, text=_TEXT.format(name))
