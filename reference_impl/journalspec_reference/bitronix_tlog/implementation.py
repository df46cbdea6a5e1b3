"""The rules of each edition of this format, and how its journals are told from other files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from journalspec.observation import Observation
from journalspec_reference.api import Detection, Files, Implementation, Params, Rules, Writer
from journalspec_reference.batches import source_of
from journalspec_reference.bitronix_tlog import nio, recover, spans
from journalspec_reference.bitronix_tlog.codec import (
    END_RECORD,
    FIXED,
    FORMAT_ID,
    HEADER_SIZE,
    INT,
    MIN_RECORD_LENGTH,
    PAYLOAD_AT,
    SEED,
    UNCOUNTED,
    decode_header,
)
from journalspec_reference.bitronix_tlog.fileset import PAIR, in_order, sibling
from journalspec_reference.bitronix_tlog.scan import scan
from journalspec_reference.storage import Storage

FORMAT = "bitronix_tlog"
MAGIC = FORMAT_ID.to_bytes(4, "big")
#: The product's own file names end so; a damaged file is recognised by it.
SUFFIXES = (".tlog", ".tlog.gz")
#: What copies of a file have in their names besides the original's.
COPY = re.compile(r"[ _.-]+(?:copy|kopie|bak|backup|old|orig|save)\d*|~|\s*\(\d+\)", re.IGNORECASE)
#: Nothing in the files tells which of these wrote them.
DISK_EDITIONS = ("2.1", "3.0")
#: Milliseconds: no wall clock of the product's time shows less, no machine runs for so long.
FIRST_WALL_CLOCK = 10**11
#: What the kind of clock says about the version.
CLOCKS = {
    "uptime": "times are the uptime of the machine, which only BTM 2.1.3 and 2.1.4 (and mule-btm) write",
    "wall": "times are those of a wall clock, which BTM 2.1.3 and 2.1.4 do not write: this is 2.1.2, or 3.0",
}
#: What each edition is recovered, named and planned by.
RULES = {
    "seed": (recover.recover_seed, spans.seed, recover.plan_seed),
    **dict.fromkeys(DISK_EDITIONS, (recover.recover, spans.disk, recover.plan)),
    "nio": (recover.recover_nio, spans.nio, recover.plan_nio),
}


def _rules(edition: str) -> Rules:
    def writer(storage: Storage, params: Params) -> Writer:
        # Who looks at a journal does not need its writers.
        from journalspec_reference.bitronix_tlog.write import WRITERS  # noqa: PLC0415

        return WRITERS[edition](storage, edition, params)

    recovery, named, plan = RULES[edition]

    def read(files: Files, params: Params) -> Observation:
        # Where one file is all, salvage looks at every byte already.
        return recover.read(files, params) if edition in DISK_EDITIONS else recovery(files, "salvage", params)

    return Rules(read, recovery, lambda files, _, fields: named(files, fields), writer, plan)


def detect(files: Files, _: Params) -> list[Detection]:
    """Return NIO files by banner, pairs by format id or name, seed logs by their first record."""
    found = [
        Detection(FORMAT, "nio", (name,), 3) for name in in_order(files) if nio.looks_like_nio(files[name])
    ]
    taken = {name for detection in found for name in detection.files}
    magic = {name for name in files if bytes(files[name][:4]) == MAGIC}
    seeds = {name for name in set(files) - taken - magic if looks_like_seed(files[name])}
    named = {name for name in files if name.lower().endswith(SUFFIXES)} - taken - seeds
    groups: dict[str, list[str]] = defaultdict(list)
    for name in in_order(magic | named):
        # What two files of a pair have in common is the name without its digits.
        common = "".join(char for char in PurePath(name).name if not char.isdigit())
        groups[common.removesuffix(".gz")].append(name)
    whole = [names[at : at + PAIR] for names in groups.values() for at in range(0, len(names) - 1, PAIR)]
    paired = {name for names in whole for name in names}
    alone = [
        names[-1] for names in groups.values() if len(names) % PAIR and COPY.sub("", names[-1]) not in paired
    ]
    # Configured names need have nothing in common: then only one pair can be meant, by length or at all.
    for length in sorted({len(files[name]) for name in magic.intersection(alone)}):
        alike = [name for name in alone if name in magic and len(files[name]) == length]
        whole += [alike] if len(alike) == PAIR else []
        alone = [name for name in alone if len(alike) != PAIR or name not in alike]
    whole += [alone] if len(alone) == PAIR and magic.issuperset(alone) else [[name] for name in alone]
    found += [_pair(files, names, magic) for names in whole]
    return found + [Detection(FORMAT, "seed", (name,), 1) for name in in_order(seeds)]


def looks_like_seed(data: Any) -> bool:
    """Tell whether a valid record of the seed's edition stands at the very start."""
    if len(data) < UNCOUNTED + MIN_RECORD_LENGTH:
        return False
    # Of most files, and there may be many, a few bytes tell that they are none.
    end = UNCOUNTED + INT.unpack(data[4:UNCOUNTED])[0]
    if not UNCOUNTED + MIN_RECORD_LENGTH <= end <= len(data) or bytes(data[end - 4 : end]) != END_RECORD:
        return False
    return any(len(batch) for batch in scan(source_of(data), 0, end, SEED))


def _clock(files: Files, names: Iterable[str]) -> str:
    """Return the kind of clock of files that begin with the format id, ``uptime`` or ``wall``; or neither."""
    found = set()
    for name in names:
        head = bytes(files[name][: HEADER_SIZE + PAYLOAD_AT])
        if len(head) < HEADER_SIZE:
            continue
        header = decode_header(head)
        # After a swap of 2.1.3 or 2.1.4 only the records have a time.
        has_record = header.position > HEADER_SIZE and len(head) == HEADER_SIZE + PAYLOAD_AT
        time = FIXED.unpack(head[HEADER_SIZE:] + b"\0")[3] if has_record else header.timestamp
        if has_record or header.timestamp != HEADER_SIZE:
            found.add("uptime" if 0 <= time < FIRST_WALL_CLOCK else "wall")
    return found.pop() if len(found) == 1 else ""


def _pair(files: Files, names: list[str], magic: set[str]) -> Detection:
    hits = sum(name in magic for name in names)
    score = 1 + (hits > 0) + (hits == PAIR)
    if len(names) < PAIR:
        other = sibling(names[0])
        names = in_order([names[0], other]) if other != names[0] else names
    clock = _clock(files, magic.intersection(names))
    editions = () if clock == "uptime" else DISK_EDITIONS
    return Detection(
        FORMAT,
        DISK_EDITIONS[0],
        tuple(names),
        score,
        editions,
        evidence=CLOCKS.get(clock, ""),
    )


IMPLEMENTATION = Implementation(FORMAT, {edition: _rules(edition) for edition in RULES}, detect)
