"""Plans of valid journals: what was written when, the bytes it leaves, what it must yield.

A plan is drawn (by a strategy or by the fuzzer) and laid out here; nothing
reads a journal. What recovery concludes follows from the plan's entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from journalspec.observation import At, Record
from journalspec_corpus.bitronix_tlog.layout import (
    FORMAT_ID,
    STATUSES,
    Part,
    disk_fields,
    disk_parts,
    integer,
)
from journalspec_corpus.bitronix_tlog.nio_layout import header_parts, nio_fields, nio_parts
from journalspec_corpus.drawn import DrawnJournal, Field

PAIR_NAMES = ("btm1.tlog", "btm2.tlog")
SEED_NAME = "seed.log"
NIO_NAME = "nio-btm1.tlog"
LOG_START = 21
NIO_LOG_START = 1024
DISK_HEADER_LENGTH, SEED_HEADER_LENGTH = 28, 16
FINISHED = {STATUSES[name] for name in ("COMMITTED", "ROLLEDBACK", "UNKNOWN")}
UNDECIDED = ("PREPARING", "PREPARED", "ROLLING_BACK")
HEADER = (("format_id", 0, 4), ("timestamp", 4, 8), ("state", 12, 1), ("position", 13, 8))


@dataclass(frozen=True, slots=True)
class Entry:
    """One record as its writer was asked for it; `padding` and `rolled_over` are the nio edition's."""

    status: int
    gtrid: bytes
    names: tuple[bytes, ...]
    time: int
    seq: int
    rolled_over: bool = False
    padding: int = 0

    def described(self) -> dict[str, Any]:
        """Return the entry as the corpus's layout tables take it."""
        return {
            "type": self.status,
            "gtrid": self.gtrid.hex(),
            "names_hex": [name.hex() for name in self.names],
            "time": self.time,
            "seq": self.seq,
            "rolled_over": self.rolled_over,
            "padding": self.padding,
        }


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file of a pair: what it holds now, and what it held in its previous life."""

    entries: tuple[Entry, ...]
    previous: tuple[Entry, ...]
    timestamp: int
    state: int


@dataclass(frozen=True, slots=True)
class PairPlan:
    """A disk journal. `slack` is the room that is left behind everything, in bytes."""

    edition: str
    files: tuple[FilePlan, FilePlan]
    slack: int


@dataclass(frozen=True, slots=True)
class SeedPlan:
    """A log of the seed edition: records and nothing else."""

    entries: tuple[Entry, ...]
    previous: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class NioPlan:
    """A nio journal: this lap's entries over what is left of the lap before."""

    current: tuple[Entry, ...]
    previous: tuple[Entry, ...]
    delimiters: tuple[bytes, bytes]
    slack: int
    fill: int


Plan = PairPlan | SeedPlan | NioPlan
Describe = Callable[[Entry], tuple[list[Part], dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Laid:
    """A log laid out from `start` on: its bytes, its records and their fields."""

    start: int
    data: bytes
    records: tuple[Record, ...]
    fields: tuple[Field, ...]

    @property
    def end(self) -> int:
        """One past the last byte."""
        return self.start + len(self.data)


def lay_out(plan: Plan) -> DrawnJournal:
    """Return the journal that `plan` leaves on disk, and what it must yield."""
    if isinstance(plan, PairPlan):
        return _lay_out_pair(plan)
    return _lay_out_seed(plan) if isinstance(plan, SeedPlan) else _lay_out_nio(plan)


def _laid(entries: Sequence[Entry], file: str, start: int, describe: Describe) -> Laid:
    chunks: list[bytes] = []
    records: list[Record] = []
    fields: list[Field] = []
    at = start
    for index, entry in enumerate(entries):
        parts, said = describe(entry)
        begin = at
        for part in parts:
            fields.append(Field(file, at, len(part.data), f"record[{index}].{part.name}"))
            chunks.append(part.data)
            at += len(part.data)
        kind = said.pop("type")
        for name in ("gtrid", "delimiter"):
            if name in said:
                said[name] = bytes.fromhex(said[name])
        records.append(Record(kind, said, At(file, begin, at - begin)))
    return Laid(start, b"".join(chunks), tuple(records), tuple(fields))


def _disk(header_length: int) -> Describe:
    def describe(entry: Entry) -> tuple[list[Part], dict[str, Any]]:
        described = entry.described()
        parts = disk_parts(described, header_length)
        return parts, disk_fields(parts, described)

    return describe


def _nio(delimiter: bytes) -> Describe:
    def describe(entry: Entry) -> tuple[list[Part], dict[str, Any]]:
        described = {**entry.described(), "delimiter": delimiter.hex()}
        parts = nio_parts(described)
        return parts, nio_fields(parts, described)

    return describe


def _over(content: bytes, laid: Laid) -> bytes:
    return content[: laid.start] + laid.data + content[laid.end :]


def _header_bytes(file: FilePlan, position: int) -> bytes:
    return (
        bytes.fromhex(FORMAT_ID) + integer(file.timestamp, 8) + integer(file.state, 1) + integer(position, 8)
    )


def _lay_out_pair(plan: PairPlan) -> DrawnJournal:
    describe = _disk(DISK_HEADER_LENGTH)
    named = list(zip(PAIR_NAMES, plan.files, strict=True))
    now = [_laid(file.entries, name, LOG_START, describe) for name, file in named]
    then = [_laid(file.previous, name, LOG_START, describe) for name, file in named]
    length = max(laid.end for laid in (*now, *then)) + plan.slack
    files: dict[str, bytes] = {}
    before: dict[str, bytes] = {}
    fields: list[Field] = []
    for (name, file), new, old in zip(named, now, then, strict=True):
        # The previous life ended with this very header in place, but for the tail.
        before[name] = _over(_header_bytes(file, old.end) + bytes(length - LOG_START), old)
        files[name] = _over(_header_bytes(file, new.end) + before[name][LOG_START:], new)
        fields += [Field(name, off, size, f"header.{field}") for field, off, size in HEADER]
        fields += new.fields
    active = elected([file.timestamp for file in plan.files])
    return DrawnJournal(
        "bitronix_tlog",
        plan.edition,
        files,
        records=now[0].records + now[1].records,
        recovered=now[active].records,
        state=outcome(plan.files[active].entries, PAIR_NAMES[active], FINISHED),
        before=before,
        fields=tuple(fields),
        pointers=tuple(field for field in fields if field.name == "header.position"),
        plan=plan,
    )


def elected(timestamps: Sequence[int]) -> int:
    """Return the index of the active file: the larger timestamp, the second on a tie."""
    return 0 if timestamps[0] > timestamps[1] else 1


def _lay_out_seed(plan: SeedPlan) -> DrawnJournal:
    describe = _disk(SEED_HEADER_LENGTH)
    now = _laid(plan.entries, SEED_NAME, 0, describe)
    then = _laid(plan.previous, SEED_NAME, 0, describe)
    return DrawnJournal(
        "bitronix_tlog",
        "seed",
        {SEED_NAME: now.data},
        records=now.records,
        recovered=now.records,
        state=outcome(plan.entries, SEED_NAME, FINISHED),
        before={SEED_NAME: (then.data + bytes(len(now.data)))[: len(now.data)]},
        fields=now.fields,
        plan=plan,
    )


def _lay_out_nio(plan: NioPlan) -> DrawnJournal:
    previous, current = plan.delimiters
    old = _laid(plan.previous, NIO_NAME, NIO_LOG_START, _nio(previous))
    new = _laid(plan.current, NIO_NAME, NIO_LOG_START, _nio(current))
    parts = header_parts({"previous": previous.hex(), "current": current.hex()})
    header = b"".join(part.data for part in parts)
    length = max(old.end, new.end) + plan.slack
    before = _over(header + bytes([plan.fill]) * (length - NIO_LOG_START), old)
    at = 0
    fields: list[Field] = []
    for part in parts:
        fields.append(Field(NIO_NAME, at, len(part.data), part.name))
        at += len(part.data)
    left = [index for index, record in enumerate(old.records) if record.at.off >= new.end]
    kept = tuple(old.records[index] for index in left)
    # The lap before comes first for recovery, whatever stands first in the file.
    entries = [*(plan.previous[index] for index in left), *plan.current]
    return DrawnJournal(
        "bitronix_tlog",
        "nio",
        {NIO_NAME: _over(before, new)},
        records=new.records + kept,
        recovered=new.records + kept,
        state=outcome(entries, NIO_NAME, FINISHED - {STATUSES["UNKNOWN"]}),
        before={NIO_NAME: before},
        fields=(*fields, *new.fields),
        plan=plan,
    )


def _texts(names: Iterable[bytes]) -> set[str]:
    # Drawn names are ASCII, so that every reader's charset agrees.
    return {name.decode("ascii") for name in names}


def outcome(entries: Iterable[Entry], active: str, finished: set[int]) -> dict[str, Any]:
    """Return the logical state after `entries`, told from the plan and not from bytes."""
    decided: dict[bytes, set[str]] = {}
    last: dict[bytes, Entry] = {}
    for entry in entries:
        last[entry.gtrid] = entry
        if entry.status == STATUSES["COMMITTING"]:
            decided[entry.gtrid] = _texts(entry.names)
        elif entry.status in finished and entry.gtrid in decided:
            decided[entry.gtrid] -= _texts(entry.names)
            if not decided[entry.gtrid]:
                del decided[entry.gtrid]
    undecided = {STATUSES[name]: name for name in UNDECIDED}
    return {
        "active": active,
        "unfinished": [{"gtrid": key, "names": sorted(decided[key])} for key in sorted(decided)],
        "in_doubt": [
            {"gtrid": key, "status": undecided[last[key].status], "names": sorted(_texts(last[key].names))}
            for key in sorted(last)
            if last[key].status in undecided and key not in decided
        ],
    }
