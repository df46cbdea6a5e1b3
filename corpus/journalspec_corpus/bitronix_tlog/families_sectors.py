"""Lost sectors: the log was written, but some of its sectors never reached the disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from journalspec_corpus.bitronix_tlog.bench import (
    FIRST,
    NEWER,
    OLDER,
    SECOND,
    Family,
    case,
    decisions,
    first,
    former,
    pair,
    second,
)
from journalspec_corpus.bitronix_tlog.plan import FilePlan, Piece, broken, unframed, whole
from journalspec_corpus.case import Case
from journalspec_corpus.edits import Built

#: Of the previous life: below the other file's, as this file was passive before it became active.
FORMER_TIMESTAMP = 400

ZERO = Family(
    "lost-sectors-zero",
    "R",
    "sector-hole",
    "decisions over several sectors",
    breaks=("BTM-WRT-003", "BTM-WRT-004", "BTM-WRT-006", "BTM-RDR-006", "BTM-RCV-005", "BTM-RCV-008"),
    flags=("LostSector",),
)
STALE = ZERO.but(
    group="lost-sectors-stale",
    category="stale-same",
    breaks=("BTM-WRT-003", "BTM-WRT-004", "BTM-RDR-005", "BTM-RDR-012", "BTM-CRC-007"),
    flags=("LostSector", "StaleBytes", "Undetectable"),
)


@dataclass(frozen=True, slots=True)
class Field:
    """A log over `count` sectors of `sector` bytes: this life and the previous one, equally laid out."""

    sector: int
    count: int
    new: Built
    old: Built

    @property
    def size(self) -> int:
        """The length of each file."""
        return self.sector * self.count

    def mixed(self, lost: frozenset[int], under: bytes) -> bytes:
        """Return file 1 with the bytes of `under` in the lost sectors."""
        data = bytearray(self.new.files[FIRST])
        for index in lost:
            start, end = index * self.sector, (index + 1) * self.sector
            data[start:end] = under[start:end]
        return bytes(data)


def sectors() -> Iterator[Case]:
    """Yield every set of lost sectors, over zeros and over the previous life."""
    small = _field(512, 4, _bulky(decisions(14), 150), _bulky(former(14), 150))
    large = _field(4096, 3, _bulky(decisions(14), 1600), _bulky(former(14), 1600))
    for field in (small, large):
        for mask in range(1, 1 << field.count):
            lost = frozenset(index for index in range(field.count) if mask >> index & 1)
            yield _over_zeros(field, lost)
            yield _over_stale(field, lost)


def _bulky(records: list[dict[str, Any]], width: int) -> list[dict[str, Any]]:
    """Return the records with every second one blown up by a name of `width` bytes; it decides nothing."""
    return [
        {**entry, "type": "ACTIVE", "names": [f"q*{width}"]} if index % 2 else entry
        for index, entry in enumerate(records)
    ]


def _field(sector: int, count: int, life: list[dict[str, Any]], former_life: list[dict[str, Any]]) -> Field:
    size = sector * count
    new = pair(life, size)
    old = pair(former_life, size, timestamp=FORMER_TIMESTAMP, state=0)
    if not size - sector < new.labels["f1.tail"].off < size:
        raise ValueError(
            f"the log of {new.labels['f1.tail'].off} bytes does not reach the last of {count} sectors"
        )
    return Field(sector, count, new, old)


def _name(field: Field, lost: frozenset[int]) -> str:
    return f"of-{field.sector}-" + "-".join(map(str, sorted(lost)))


def _title(field: Field, lost: frozenset[int], what: str) -> str:
    which = ", ".join(map(str, sorted(lost)))
    return f"Of {field.count} sectors of {field.sector} bytes number {which} was never written: {what} there"


def _over_zeros(field: Field, lost: frozenset[int]) -> Case:
    """The first record that reaches into a hole has no end marker; without sector 0 there is no header."""
    family = ZERO
    tail = field.new.labels["f1.tail"].off
    if 0 in lost:
        one = first(field.size, (), "bad-format-id")
        family = ZERO.but(breaks=("BTM-HDR-003", "BTM-HDR-004", "BTM-RCV-006", "BTM-RDR-014"))
    else:
        edge = min(lost) * field.sector
        names = [name for name in field.new.records if field.new.labels[name].end <= edge]
        hit = f"r{len(names) + 1}"
        one = first(
            field.size,
            (
                *whole(field.new, *names),
                unframed(field.new.labels[hit], tail, _reason_over_zeros(field, hit, edge)),
            ),
        )
    return case(
        family,
        _name(field, lost),
        _title(field, lost, "zeros"),
        {FIRST: field.mixed(lost, bytes(field.size)), SECOND: field.new.files[SECOND]},
        one,
        second(field.size),
        how=f"sectors {sorted(lost)} of file 1 zeroed",
    )


def _reason_over_zeros(field: Field, hit: str, edge: int) -> str:
    """Return why the record `hit` is lost: its length is gone, or only its end."""
    return "bad-length" if edge - field.new.labels[hit].off < 8 else "no-end-marker"  # status, length


def _over_stale(field: Field, lost: frozenset[int]) -> Case:
    """Each record is new, old (a ghost), or a mixture whose checksum cannot match."""
    old_bytes = bytes(field.old.files[FIRST])
    data = field.mixed(lost, old_bytes)
    pieces = []
    for name, spot in field.new.labels.items():
        if name not in field.new.records:
            continue
        image = data[spot.off : spot.end]
        owner = next(
            (built for built in (field.new, field.old) if built.files[FIRST][spot.off : spot.end] == image),
            None,
        )
        pieces.append(
            broken(field.new, name, "bad-checksum") if owner is None else Piece(spot, owner.records[name])
        )
    one = FilePlan(FIRST, FORMER_TIMESTAMP if 0 in lost else NEWER, field.size, tuple(pieces))
    other = FilePlan(SECOND, OLDER, field.size)
    family = STALE
    if 0 in lost:
        family = STALE.but(breaks=("BTM-SWP-004", "BTM-SWP-005", "BTM-SWP-008", "BTM-RCV-002", "BTM-RDR-012"))
    return case(
        family,
        _name(field, lost),
        _title(field, lost, "the file's previous life"),
        {FIRST: data, SECOND: field.new.files[SECOND]},
        one,
        other,
        how=f"sectors {sorted(lost)} of file 1 from the previous life",
    )
