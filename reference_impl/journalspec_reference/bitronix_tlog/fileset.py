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

from journalspec.observation import At, Missing, Observation, Record, refused
from journalspec_reference.answers import Answer, is_copy
from journalspec_reference.api import Detection, Files, Params, natural_key
from journalspec_reference.batches import Batch, source_of
from journalspec_reference.bitronix_tlog import codec
from journalspec_reference.bitronix_tlog.codec import (
    BANNER,
    DISK,
    FILE_HEADER,
    FORMAT_ID,
    HEADER_SIZE,
    PAYLOAD_AT,
    SEED,
    UNCOUNTED,
    FileHeader,
    Framing,
)
from journalspec_reference.bitronix_tlog.scan import scan, told
from journalspec_reference.xids import FIRST_WALL_CLOCK

FORMAT = "bitronix_tlog"
PAIR = 2


@dataclass(slots=True, eq=False)
class LogFile:
    """Represents one file of records. If it cannot be used, `problem` is (reason, sentence) (BTM-HDR).

    `limit` is the offset after the last byte of its log, which is the tail of a usable file. `timestamp`
    determines the active file; it is -1 without a header.
    """

    name: str
    data: Any
    length: int
    limit: int = 0
    role: str = "invalid"
    framing: Framing = DISK
    header: FileHeader | None = None
    timestamp: int = -1
    problem: tuple[str, str] | None = None

    def scan(self) -> Iterator[Batch]:
        """Yield the batches of the file's log."""
        yield from scan(source_of(self.data), self.framing.log_start, self.limit, self.framing, self.name)

    def tell(self, batch: Batch) -> Iterator[Record]:
        """Yield the records of a batch."""
        return told(self.name, batch)


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
    file = LogFile(name, data, length)
    if length < HEADER_SIZE:
        file.problem = "short-file", f"{length} bytes, the header alone has {HEADER_SIZE}"
        return file
    file.header = header = FileHeader._make(FILE_HEADER.unpack(data[:HEADER_SIZE]))
    file.timestamp, file.limit = header.timestamp, header.position
    if header.format_id != FORMAT_ID:
        file.problem = "bad-format-id", f"begins with 0x{header.format_id.hex()}, not 0x{FORMAT_ID.hex()}"
    elif not HEADER_SIZE <= header.position <= length:
        file.problem = "bad-position", f"tail {header.position} is not within {HEADER_SIZE}..{length}"
    else:
        file.role = "passive"
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
    if [file.problem for file in pair] == [None] * PAIR and pair[0].length == pair[1].length:
        return None
    names = ", ".join(file.name for file in pair)
    if not pair:
        return refused("fileset", "no-files", "there is no log file")
    if len(pair) > PAIR:
        return refused("fileset", "too-many-files", f"a journal is a pair, these are {len(pair)}: {names}")
    if len(pair) < PAIR:
        return refused("fileset", "missing-file", f"{sibling(names)} is missing beside {names}")
    first, second = pair
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
    banner = {name for name in files if bytes(files[name][: len(BANNER)]) == BANNER}
    magic = {name for name in files if bytes(files[name][: len(FORMAT_ID)]) == FORMAT_ID}
    rest = set(files) - magic - banner
    seeds = {name for name in rest if looks_like_seed(files[name])}
    groups: dict[str, list[str]] = defaultdict(list)
    for name in in_order(magic | {name for name in rest - seeds if name.lower().endswith(SUFFIXES)}):
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
    pairs += [alone] if len(alone) == PAIR and magic.issuperset(alone) else [[name] for name in alone]
    found = [Detection(FORMAT, "nio", (name,), 3) for name in in_order(banner)]
    for names in pairs:
        found.append(_pair(files, names, magic))
    return found + [Detection(FORMAT, "seed", (name,), 1) for name in in_order(seeds)]


def looks_like_seed(data: Any) -> bool:
    """Return whether a valid record of the seed's edition is at the very start."""
    least = UNCOUNTED + codec.MIN_RECORD_LENGTH
    if len(data) < least:
        return False
    # There can be many files; for most files, a few bytes show that they are not journals.
    end = UNCOUNTED + codec.INT.unpack(data[4:UNCOUNTED])[0]
    if not least <= end <= len(data) or bytes(data[end - 4 : end]) != codec.END_RECORD:
        return False
    return any(len(batch) for batch in scan(source_of(data), 0, end, SEED))


def _clock(files: Files, names: Iterable[str]) -> str:
    """Return the kind of clock in files with the format id:

    ``uptime`` or ``wall``. Return an empty text if it is unclear.
    """
    found = set()
    for name in names:
        header = examine(name, files[name]).header
        if header is None:
            continue
        time = header.timestamp
        # After a swap of 2.1.3 or 2.1.4, only the records contain a time.
        first = bytes(files[name][HEADER_SIZE : HEADER_SIZE + PAYLOAD_AT])
        has_record = header.position > HEADER_SIZE and len(first) == PAYLOAD_AT
        if has_record:
            time = codec.FIXED.unpack(first + b"\0")[3]
        if has_record or time != HEADER_SIZE:
            found.add("uptime" if 0 <= time < FIRST_WALL_CLOCK else "wall")
    return found.pop() if len(found) == 1 else ""


def _pair(files: Files, names: list[str], magic: set[str]) -> Detection:
    hits = sum(name in magic for name in names)
    score = 1 + (hits > 0) + (hits == PAIR)
    if len(names) < PAIR:
        names = in_order({*names, sibling(names[0])})
    clock = _clock(files, magic.intersection(names))
    editions = () if clock == "uptime" else DISK_EDITIONS
    evidence = CLOCKS.get(clock, "")
    return Detection(FORMAT, DISK_EDITIONS[0], tuple(names), score, editions, evidence=evidence)


_TEXT = "{} has its name and something after it: the transaction manager does not read it"


def lacking(answer: Answer) -> Iterator[Missing]:
    """Yield each file of the pair that exists only with a suffix after its name."""
    names = [*answer.journal.files]
    for name, other in (names, names[::-1]) if len(names) == PAIR else ():
        own = sibling(other)
        if is_copy(name, own):
            yield Missing("file", own, name, text=_TEXT.format(name))
