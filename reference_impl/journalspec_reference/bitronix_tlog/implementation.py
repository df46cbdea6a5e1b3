"""What this format answers with, and how its journals are distinguished from other files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from journalspec.observation import Observation
from journalspec_reference.api import Detection, Files, Implementation, Params
from journalspec_reference.batches import Stretch, source_of
from journalspec_reference.bitronix_tlog import codec, nio, recover
from journalspec_reference.bitronix_tlog.codec import FORMAT_ID, HEADER_SIZE, PAYLOAD_AT, SEED, UNCOUNTED
from journalspec_reference.bitronix_tlog.fileset import PAIR, examine, in_order, sibling
from journalspec_reference.bitronix_tlog.scan import scan
from journalspec_reference.bitronix_tlog.spans import spans
from journalspec_reference.xids import FIRST_WALL_CLOCK

FORMAT = "bitronix_tlog"
#: The product's own file names end so; a damaged file is recognised by it.
SUFFIXES = (".tlog", ".tlog.gz")
#: What copies of a file have in their names besides the original's.
COPY = re.compile(r"[ _.-]+(?:copy|kopie|bak|backup|old|orig|save)\d*|~|\s*\(\d+\)", re.IGNORECASE)
#: Nothing in the files tells which of these wrote them.
DISK_EDITIONS = ("2.1", "3.0")
#: What the kind of clock says about the version.
CLOCKS = {
    "uptime": "times are the uptime of the machine, which only BTM 2.1.3 and 2.1.4 (and mule-btm) write",
    "wall": "times are those of a wall clock, which BTM 2.1.3 and 2.1.4 do not write: this is 2.1.2, or 3.0",
}
#: What each edition is recovered, planned and written by.
RULES = {
    "seed": (recover.recover_seed, recover.plan_seed, "SeedWriter"),
    **dict.fromkeys(DISK_EDITIONS, (recover.recover, recover.plan, "DiskWriter")),
    "nio": (recover.recover_nio, recover.plan_nio, "NioWriter"),
}


def _recover(files: Files, edition: str, policy: str, params: Params) -> Observation:
    return RULES[edition][0](files, policy, params)


def _plan(files: Files, edition: str, params: Params) -> Sequence[Stretch]:
    return RULES[edition][1](files, params)


def detect(files: Files, _: Params) -> list[Detection]:
    """Return NIO files by banner, pairs by format id or name, seed logs by their first record."""
    banner = [name for name in in_order(files) if nio.looks_like_nio(files[name])]
    magic = {name for name in files if bytes(files[name][: len(FORMAT_ID)]) == FORMAT_ID}
    rest = set(files) - magic - set(banner)
    seeds = {name for name in rest if looks_like_seed(files[name])}
    groups: dict[str, list[str]] = defaultdict(list)
    for name in in_order(magic | {name for name in rest - seeds if name.lower().endswith(SUFFIXES)}):
        # What two files of a pair have in common is the name without its digits.
        common = "".join(char for char in PurePath(name).name if not char.isdigit())
        groups[common.removesuffix(".gz")].append(name)
    # The digits of an ending may be those of a copy: the files of a pair come before that.
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
        # What it may be a copy of is what comes before any of its points.
        and not any(name[:at] in paired for at, char in enumerate(name) if not char.isalnum())
    ]
    # Configured names need have nothing in common: then only one pair can be meant, by length or at all.
    by_length: dict[int, list[str]] = defaultdict(list)
    for name in alone:
        if name in magic:
            by_length[len(files[name])].append(name)
    alike = [names for _, names in sorted(by_length.items()) if len(names) == PAIR]
    pairs += alike
    paired = {name for names in alike for name in names}
    alone = [name for name in alone if name not in paired]
    pairs += [alone] if len(alone) == PAIR and magic.issuperset(alone) else [[name] for name in alone]
    return [
        *(Detection(FORMAT, "nio", (name,), 3) for name in banner),
        *(_pair(files, names, magic) for names in pairs),
        *(Detection(FORMAT, "seed", (name,), 1) for name in in_order(seeds)),
    ]


def looks_like_seed(data: Any) -> bool:
    """Return whether a valid record of the seed's edition is at the very start."""
    least = UNCOUNTED + codec.MIN_RECORD_LENGTH
    if len(data) < least:
        return False
    # Of most files, and there may be many, a few bytes tell that they are none.
    end = UNCOUNTED + codec.INT.unpack(data[4:UNCOUNTED])[0]
    if not least <= end <= len(data) or bytes(data[end - 4 : end]) != codec.END_RECORD:
        return False
    return any(len(batch) for batch in scan(source_of(data), 0, end, SEED))


def _clock(files: Files, names: Iterable[str]) -> str:
    """Return the kind of clock of files that begin with the format id, ``uptime`` or ``wall``; or neither."""
    found = set()
    for name in names:
        header = examine(name, files[name]).header
        if header is None:
            continue
        time = header.timestamp
        # After a swap of 2.1.3 or 2.1.4 only the records have a time.
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


IMPLEMENTATION = Implementation(
    FORMAT,
    __package__,
    {edition: writer for edition, (_, _, writer) in RULES.items()},
    detect,
    _recover,
    _plan,
    spans,
)
